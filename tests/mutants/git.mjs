// Mutants of the safeguards in crates/git, crates/merge and crates/hardening: each takes one away, and the test that it names has to fail.
// Those with a `note` are believed to survive: no test holds that safeguard yet.

const git = (name) => `-p collie-git --test it ${name}`;
const gitLib = (name) => `-p collie-git --lib ${name}`;
const merge = (name) => `-p collie-merge --test it ${name}`;
const mergeLib = (name) => `-p collie-merge --lib ${name}`;
const hardeningLib = (name) => `-p collie-hardening --lib ${name}`;
const cli = (name) => `-p collie-cli --test it ${name}`;

export default [
  // The credential.
  {
    name: "git is told the credential whatever host it asks for",
    file: "crates/git/src/credential.rs",
    find: String.raw`if !same {`,
    replace: String.raw`if false {`,
    test: gitLib("credential::tests::only_the_very_host_of_the_call_is_answered"),
  },
  {
    name: "git follows a redirect to another host",
    file: "crates/git/src/git_command.rs",
    find: String.raw`("http.followRedirects", "false"),`,
    replace: String.raw`("http.followRedirects", "true"),`,
    test: git("credentials::a_redirect_takes_no_credential_to_another_host"),
  },
  {
    name: "the token goes over plain HTTP to any machine",
    file: "crates/git/src/git_command.rs",
    find: String.raw`if origin.protocol != "https" && !origin.is_loopback_http() {`,
    replace: String.raw`if false {`,
    test: gitLib("git_command::tests::a_token_goes_to_https_and_to_this_machine_only"),
  },
  {
    name: "a remote that repeats the token brings it into an error",
    file: "crates/git/src/git_command.rs",
    find: String.raw`redact(&stderr.into_text(), &self.root, &secrets)`,
    replace: String.raw`redact(&stderr.into_text(), &self.root, &[])`,
    test: git("credentials::a_server_that_says_the_credential_brings_it_into_no_error"),
  },
  {
    name: "git inherits the whole environment",
    file: "crates/git/src/process.rs",
    find: String.raw`.env_clear()`,
    replace: String.raw`.env_remove("COLLIE_NONE")`,
    test: git("credentials::git_sees_no_variable_that_is_not_for_it"),
  },

  // What the repository brings is not obeyed.
  {
    name: "hooks that lie in the clone run",
    file: "crates/git/src/git_command.rs",
    find: String.raw`("core.hooksPath", "/dev/null"),`,
    replace: String.raw`("collie.hooksPath", "/dev/null"),`,
    test: git("prepare::nothing_of_the_repository_runs"),
  },
  {
    name: "an agent puts another commit in the head's place by git replace",
    file: "crates/git/src/git_command.rs",
    find: String.raw`("GIT_NO_REPLACE_OBJECTS", "1".into()),`,
    replace: String.raw`("COLLIE_NO_REPLACE_OBJECTS", "1".into()),`,
    test: git("gates::hiding_a_change_does_not_help"),
  },
  {
    name: "attributes of the head switch the diff of a file off",
    file: "crates/git/src/layout.rs",
    find: String.raw`!conflict-marker-size !diff\n"`,
    replace: String.raw`!conflict-marker-size\n"`,
    test: git("diff::attributes_of_the_head_hide_no_line"),
  },
  {
    name: "attributes of the head choose how a fix is merged when it is laid on a new head",
    file: "crates/git/src/layout.rs",
    find: String.raw`!working-tree-encoding !merge !conflict`,
    replace: String.raw`!working-tree-encoding !conflict`,
    test: git("push::attributes_of_the_head_settle_no_conflict_of_a_fix_with_it"),
  },
  {
    name: "the gates obey settings and attributes that an agent wrote into the clone while it worked",
    file: "crates/git/src/layout.rs",
    find: String.raw`restore_clone_config(&worktree_paths.clone_dir)?;`,
    replace: "",
    test: git("gates::settings_that_came_into_the_clone_meanwhile_are_not_obeyed"),
  },

  // Preparing a worktree.
  {
    name: "another head than the expected one is checked out",
    file: "crates/git/src/prepare.rs",
    find: String.raw`        if remote_head.as_ref() != Some(head) {
            *intact = true;`,
    replace: String.raw`        if false {
            *intact = true;`,
    test: git("prepare::another_head_than_expected_is_a_mismatch"),
  },
  {
    name: "a checkout of any size is written",
    file: "crates/git/src/prepare.rs",
    find: String.raw`if let Err(error) = fits.await {`,
    replace: String.raw`if let (Err(error), true) = (fits.await, false) {`,
    test: git("disk::the_limits_of_a_checkout_are_the_users_and_hold_from_the_next_one_on"),
  },
  {
    name: "what git merges of head and base is written whatever its size",
    file: "crates/git/src/base_merge.rs",
    find: String.raw`self.check_checkout_size(clone_dir, &merged.tree).await?;`,
    replace: "",
    test: git("disk::a_merge_that_is_larger_than_its_head_is_refused_before_it_is_written"),
  },
  {
    name: "a link that leads out of the worktree by way of another link stays a link",
    file: "crates/git/src/prepare.rs",
    find: String.raw`for escapes in [target_text_escapes, resolved_target_escapes] {`,
    replace: String.raw`for escapes in [target_text_escapes] {`,
    test: git("prepare::links_that_lead_out_by_way_of_others_are_checked_out_as_text"),
  },
  {
    name: "a link that leads out by way of another link stays a link while nothing is there",
    file: "crates/git/src/prepare.rs",
    find: String.raw`            if place == work_dir {
                return true;`,
    replace: String.raw`            if place == work_dir {
                return link.canonicalize().is_ok();`,
    test: git("prepare::links_that_lead_out_by_way_of_others_are_checked_out_as_text"),
  },
  {
    name: "links that lead out come back when the base is merged in",
    file: "crates/git/src/base_merge.rs",
    find: String.raw`self.replace_escaping_links(worktree_paths, &index).await`,
    replace: String.raw`Ok(())`,
    test: git("merges::links_that_lead_out_stay_text_when_the_base_is_merged_in"),
  },
  {
    name: "links that lead out come back after verify commands",
    file: "crates/git/src/gates.rs",
    find: String.raw`self.replace_escaping_links(worktree_paths, index).await`,
    replace: String.raw`Ok(())`,
    test: git("gates::links_that_lead_out_are_text_again_after_verify_commands"),
  },

  // The gates of a fix.
  {
    name: "a fix changes any file",
    file: "crates/git/src/gates.rs",
    find: String.raw`allowed.contains(path) && is_regular_or_missing(&worktree_paths.work_dir, path)`,
    replace: String.raw`is_regular_or_missing(&worktree_paths.work_dir, path)`,
    test: git("gates::anything_else_may_not"),
  },
  {
    name: "a fix changes a file whose name is no UTF-8, which no later gate looks at",
    file: "crates/git/src/gates.rs",
    find: String.raw`.filter(|path| std::str::from_utf8(path).is_ok())`,
    replace: String.raw`.filter(|_| true)`,
    test: git("gates::a_file_whose_name_is_no_utf8_may_not_change"),
  },
  {
    name: "a fix leaves a second name of a file of this machine",
    file: "crates/git/src/gates.rs",
    find: String.raw`is_ok_and(|meta| has_other_names(&meta))`,
    replace: String.raw`is_ok_and(|_| false)`,
    test: git("gates::a_fix_leaves_no_file_with_another_link"),
  },
  {
    name: "a changed .git of the worktree is taken as it is",
    file: "crates/git/src/gates.rs",
    find: String.raw`if intact {`,
    replace: String.raw`if true {`,
    test: git("gates::a_changed_dot_git_is_refused_and_put_back"),
  },
  {
    name: "a fix is judged by the index that the agent could write",
    file: "crates/git/src/gates.rs",
    find: String.raw`copy_index(&worktree_paths.trusted_index, &index)`,
    replace: String.raw`copy_index(&worktree_paths.git_dir.join("index"), &index)`,
    test: git("gates::hiding_a_change_does_not_help"),
  },
  {
    name: "a fix that weakens tests goes on",
    file: "crates/git/src/gates.rs",
    find: String.raw`        if tampered.is_some() {
            return Ok(tampered);`,
    replace: String.raw`        if false {
            return Ok(tampered);`,
    test: git("gates::what_checks_the_pull_request_may_not_be_weakened"),
  },
  {
    name: "a fix deletes a file of tests in which no test is recognised",
    file: "crates/git/src/tamper.rs",
    find: String.raw`if before.is_some() && after.is_none() && is_test_file(path) {`,
    replace: String.raw`if false {`,
    test: gitLib("tamper::tests::files_that_come_go_or_move_are_judged_by_what_they_are"),
  },
  {
    name: "a fix moves a file to where it guards",
    file: "crates/git/src/tamper.rs",
    find: String.raw`if guarded_config(new).is_some() {`,
    replace: String.raw`if false {`,
    test: gitLib("tamper::tests::files_that_come_go_or_move_are_judged_by_what_they_are"),
  },
  {
    name: "a fix brings a secret",
    file: "crates/git/src/gates.rs",
    find: String.raw`self.check_secrets(worktree_paths, changes).await`,
    replace: String.raw`Ok(None)`,
    test: git("gates::a_fix_brings_no_secret"),
  },
  {
    name: "paths of this machine stand in what a failed verify command said",
    file: "crates/git/src/verify.rs",
    find: String.raw`let mut output = self.git.redact_paths(&output);`,
    replace: String.raw`let mut output = output.to_string();`,
    test: git("gates::verify_commands_see_the_fix_and_their_failure_is_reported"),
  },

  // What a reviewer is shown.
  {
    name: "the head says of its own files that they are generated",
    file: "crates/git/src/diff.rs",
    find: String.raw`.unshown_reasons(&worktree_paths.clone_dir, base, &pairs)`,
    replace: String.raw`.unshown_reasons(&worktree_paths.clone_dir, worktree.head(), &pairs)`,
    test: git("diff::what_is_generated_the_base_says_and_not_the_head"),
  },

  // The merge of the base.
  {
    name: "marks of a conflict are committed",
    file: "crates/git/src/merge_gates.rs",
    find: String.raw`if marked.is_some() {`,
    replace: String.raw`if false {`,
    test: git("merges::conflicts_that_are_left_are_refused"),
  },
  {
    name: "a merge leaves lines out and nobody is told",
    file: "crates/git/src/gates.rs",
    find: String.raw`let lost = self.lost_in_merge(clone_dir, &trees).await?;`,
    replace: String.raw`let lost = Vec::new();`,
    test: git("merges::a_line_that_a_side_added_and_the_result_lacks_is_listed"),
  },
  {
    name: "a merge takes back what a side made of a binary file and nobody is told",
    file: "crates/git/src/merge_gates.rs",
    find: String.raw`if texts.iter().any(|text| is_binary(text)) {`,
    replace: String.raw`if false {`,
    test: git("merges::a_binary_file_that_the_result_takes_back_is_listed"),
  },

  // Committing and pushing.
  {
    name: "a commit message tells a secret",
    file: "crates/git/src/commit_message.rs",
    find: String.raw`let text = redact(&without_invisible(text), known_secrets);`,
    replace: String.raw`let text = without_invisible(text);`,
    test: gitLib("commit_message::tests::no_secret_and_no_call_is_in_a_message"),
  },
  {
    name: "a commit message that was cut steers CI",
    file: "crates/git/src/commit_message.rs",
    find: String.raw`let subject = strip_ci_directives(&subject);`,
    replace: String.raw`let subject = subject.clone();`,
    test: gitLib("fuzz_tests::commit_messages"),
  },
  {
    name: "a push is made wherever the branch is by now",
    file: "crates/git/src/push.rs",
    find: String.raw`Some(head) if head == *from => {}`,
    replace: String.raw`Some(_) if true => {}`,
    test: git("push::a_remote_that_moved_is_never_overwritten"),
  },
  {
    name: "a push is forced, so that one that came after the look is overwritten",
    file: "crates/git/src/push.rs",
    find: String.raw`&format!("{commit}:{name}")`,
    replace: String.raw`&format!("+{commit}:{name}")`,
    test: git("push::a_push_that_comes_between_the_look_and_the_push_is_not_overwritten"),
  },

  // The call that merges.
  {
    name: "a loop that nobody approved at its head is merged",
    file: "crates/merge/src/gate.rs",
    find: String.raw`&& state.run.head.approved.as_ref() == Some(head) =>`,
    replace: String.raw`=>`,
    test: merge("forge::only_what_is_ready_at_the_head_that_was_shown_reaches_github"),
  },
  {
    name: "another repository of that name is merged into",
    file: "crates/merge/src/merge_snapshot.rs",
    find: String.raw`if self.repository.id != state.id.repo_id {`,
    replace: String.raw`if false {`,
    test: merge("scripted_responses::another_repository_of_that_name_is_not_touched"),
  },
  {
    name: "another account merges than the dialog showed",
    file: "crates/merge/src/merge_snapshot.rs",
    find: String.raw`if self.viewer != confirmed.login {`,
    replace: String.raw`if false {`,
    test: merge("forge::methods_roles_and_accounts_are_looked_at_before_the_merge"),
  },
  {
    name: "GitHub is asked to merge a head that moved after the click",
    file: "crates/merge/src/merge_snapshot.rs",
    find: String.raw`if *self.head() != confirmed.head {`,
    replace: String.raw`if false {`,
    test: merge("forge::a_head_that_moved_after_the_click_is_not_merged"),
  },
  {
    name: "the merge is sent without the head that the person saw",
    file: "crates/merge/src/gate.rs",
    find: String.raw`"sha": self.confirmed.head, "merge_method"`,
    replace: String.raw`"merge_method"`,
    test: merge("lost_responses::a_push_between_the_last_look_and_the_merge_is_not_merged"),
  },
  {
    name: "a layer of a stack is merged into the one below",
    file: "crates/merge/src/merge_snapshot.rs",
    find: String.raw`match below.find(|pull| !pull.is_cross_repository) {`,
    replace: String.raw`match below.find(|_| false) {`,
    test: merge("scripted_responses::a_layer_of_a_stack_is_not_merged_into_the_one_below"),
  },
  {
    name: "a pull request whose base was changed is merged",
    file: "crates/merge/src/merge_snapshot.rs",
    find: String.raw`if *base != state.pull.base_ref {`,
    replace: String.raw`if false {`,
    test: merge("scripted_responses::a_layer_of_a_stack_is_not_merged_into_the_one_below"),
  },
  {
    name: "only the first page of checks counts",
    file: "crates/merge/src/merge_snapshot.rs",
    find: String.raw`page_info.end_cursor.filter(|_| page_info.has_next_page)`,
    replace: String.raw`None::<String>`,
    test: merge("scripted_responses::checks_are_read_to_the_end"),
  },
  {
    name: "a merge that cannot be written down is made",
    file: "crates/merge/src/gate.rs",
    find: String.raw`.append(&audit_trail.requested_entry()).await {`,
    replace: String.raw`.append(&audit_trail.requested_entry()).await.or(Ok::<(), collie_engine::ports::StoreError>(())) {`,
    test: merge("forge::what_cannot_be_written_down_is_not_merged"),
  },
  {
    name: "a merge whose answer was lost is sent again",
    file: "crates/merge/src/gate.rs",
    find: String.raw`Err(RequestFailure::ConnectionLost(message)) => {`,
    replace: String.raw`Err(RequestFailure::ConnectionLost(message)) => {
                let _ = self.gate.client.send_once(Method::PUT, &path, &self.token, &body).await;`,
    test: merge("lost_responses::an_answer_that_is_lost_is_settled_by_looking_and_never_by_asking_again"),
  },
  {
    name: "GitHub is asked to merge a draft",
    file: "crates/merge/src/merge_snapshot.rs",
    find: String.raw`if self.pull.is_draft {`,
    replace: String.raw`if false {`,
    test: merge("scripted_responses::a_draft_is_not_merged_whatever_its_merge_state_is_called"),
  },
  {
    name: "a merge by another is told as one's own after a lost answer",
    file: "crates/merge/src/gate.rs",
    find: String.raw`}) if head == self.confirmed.head && by == self.confirmed.login => {`,
    replace: String.raw`}) if head == self.confirmed.head => {`,
    test: merge("scripted_responses::what_another_merged_or_at_another_head_is_not_told_as_ones_own"),
  },
  {
    name: "a merge of another head is told as the confirmed one after a lost answer",
    file: "crates/merge/src/gate.rs",
    find: String.raw`}) if head == self.confirmed.head && by == self.confirmed.login => {`,
    replace: String.raw`}) if by == self.confirmed.login => {`,
    test: merge("scripted_responses::what_another_merged_or_at_another_head_is_not_told_as_ones_own"),
  },
  {
    name: "an error beside the data of a look is passed over, with the field that it is about",
    file: "crates/merge/src/merge_snapshot.rs",
    find: String.raw`let Some(error) = body.get("errors").and_then(|errors| errors.get(0)) else {`,
    replace: String.raw`let partial = body.get("data").is_some_and(Value::is_object);
    let Some(error) = body.get("errors").and_then(|errors| errors.get(0)).filter(|_| !partial) else {`,
    test: merge("scripted_responses::errors_within_an_answer_of_graphql_count"),
  },
  {
    name: "a check with a status that is not known yet counts as done",
    file: "crates/merge/src/checks.rs",
    find: String.raw`parse_graphql_enum(status).unwrap_or(CheckStatus::Pending)`,
    replace: String.raw`parse_graphql_enum(status).unwrap_or(CheckStatus::Completed)`,
    test: mergeLib("checks::tests::only_what_passed_or_is_ignored_is_green"),
  },
  {
    name: "an answer of any size is read into memory",
    file: "crates/merge/src/http_client.rs",
    find: String.raw`const MAX_RESPONSE_BYTES: usize = 8 << 20;`,
    replace: String.raw`const MAX_RESPONSE_BYTES: usize = usize::MAX;`,
    test: merge("scripted_responses::an_answer_that_is_too_large_is_not_read"),
  },

  // The process itself.
  {
    name: "programs of the same user look into the process",
    file: "crates/hardening/src/lib.rs",
    find: String.raw`    hide_memory();
    // Without a core file`,
    replace: String.raw`    // Without a core file`,
    test: cli("own_process::other_programs_of_the_same_user_cannot_look_into_it"),
  },
  {
    name: "a crash leaves a core file",
    file: "crates/hardening/src/lib.rs",
    find: String.raw`let _ = setrlimit(Resource::RLIMIT_CORE, 0, 0);`,
    replace: "",
    test: cli("own_process::other_programs_of_the_same_user_cannot_look_into_it"),
  },
  {
    name: "secrets stay in the environment that everybody may read",
    file: "crates/hardening/src/handover.rs",
    find: String.raw`command.env_remove(name);`,
    replace: String.raw`let _ = name;`,
    test: cli("own_process::doctor_says_that_the_process_is_closed"),
  },
  {
    name: "a child takes what was handed over to its parent",
    file: "crates/hardening/src/handover.rs",
    find: String.raw`(pid.parse() == Ok(own_pid)).then(|| fd.parse().ok())?`,
    replace: String.raw`(!pid.is_empty()).then(|| fd.parse().ok())?`,
    test: hardeningLib("handover::tests::only_the_very_process_takes_what_was_handed_over"),
  },
  {
    name: "secrets that are too long for a pipe stop the start for ever",
    file: "crates/hardening/src/handover.rs",
    find: String.raw`if bytes.len() > MAX_HANDOVER_BYTES {`,
    replace: String.raw`if false {`,
    test: cli("own_process::secrets_that_are_too_long_to_hand_over_hinder_no_start_and_are_told"),
    note: "goes red when its wait is over",
  },
  // One review at one head.
  {
    name: "linters run where no file of the head lies",
    file: "crates/git/src/shield.rs",
    find: "        self.lay_files(&worktree_paths, worktree.head()).await?;\n",
    replace: "",
    test: git("lazy_checkout::a_shield_lays_the_files_first"),
  },
  {
    name: "files are laid whatever there is room for",
    file: "crates/git/src/prepare.rs",
    find: "        self.check_checkout_size(&worktree_paths.clone_dir, head)\n            .await?;\n        self.check_out_or_rebuild(worktree_paths, head)",
    replace: "        self.check_out_or_rebuild(worktree_paths, head)",
    test: git("lazy_checkout::a_checkout_that_is_too_large_is_refused_before_it_is_laid"),
  },
  {
    name: "a review begins in what another left",
    file: "crates/git/src/prepare.rs",
    find: "        self.discard_worktree(&worktree_paths)?;\n        self.ensure_worktree(&worktree_paths, head)?;\n        self.lazy",
    replace: "        self.ensure_worktree(&worktree_paths, head)?;\n        self.lazy",
    test: git("lazy_checkout::what_an_earlier_review_left_is_gone"),
  },
  {
    name: "a remote that gives no commit by its id fails the review",
    file: "crates/git/src/fetch.rs",
    find: "Ok(false) | Err(GitError::Failed { .. }) => {",
    replace: "Ok(false) => {",
    test: git("lazy_checkout::a_remote_that_gives_no_base_beside_the_head_is_asked_for_each"),
  },
  {
    name: "each reviewer fetches by itself",
    file: "crates/git/src/prepare.rs",
    find: "        if let Some(merge_base) = known {",
    replace: "        if let Some(merge_base) = known.filter(|_| false) {",
    test: git("lazy_checkout::reviewers_of_one_head_fetch_once_and_lay_no_file"),
  },
];
