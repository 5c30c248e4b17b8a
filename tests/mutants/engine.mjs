// Safeguards of crates/engine, agents, store and reviewers, each taken away once, with the test that has to notice.

export default [
  // engine: authority
  {
    name: "whoever is signed in may start loops",
    file: "crates/engine/src/loop_start.rs",
    find: String.raw`Ok(source.may_start(login) && source.pin_account(login, id)? == id)`,
    replace: String.raw`Ok(source.pin_account(login, id)? == id)`,
    test: "-p collie-engine --test it start::who_is_not_allowed_starts_nothing_and_it_is_audited",
  },
  {
    name: "a start that is refused leaves no line in the audit log",
    file: "crates/engine/src/handle.rs",
    find: String.raw`        self.shared.journal.audit(&permission.audit).await?;`,
    replace: String.raw`        let _ = &permission.audit;`,
    test: "-p collie-engine --test it start::who_is_not_allowed_starts_nothing_and_it_is_audited",
  },
  {
    name: "an account that took an allowed name may start loops",
    file: "crates/engine/src/loop_start.rs",
    find: String.raw`Ok(source.may_start(login) && source.pin_account(login, id)? == id)`,
    replace: String.raw`Ok(source.may_start(login) && source.pin_account(login, id).map(|_| true)?)`,
    test: "-p collie-engine --test it start::an_account_that_took_an_allowed_name_starts_nothing",
  },
  {
    name: "who may not start loops may begin a fresh run",
    file: "crates/engine/src/handle.rs",
    find: String.raw`        let by = self.check_permission(pull.clone().into()).await?;
        self.store_command(`,
    replace: String.raw`        let by = (self.shared.ports.github.viewer().await).map_err(StartError::from)?.login;
        self.store_command(`,
    test: "-p collie-engine --test it cancel::who_may_not_start_loops_begins_no_other_run",
  },
  {
    name: "who may not start loops may say that unseen files were looked at",
    file: "crates/engine/src/handle.rs",
    find: String.raw`        let by = self.check_permission(pull.clone().into()).await?;
        self.store_command(&state, &by, command).await?;`,
    replace: String.raw`        let by = (self.shared.ports.github.viewer().await).map_err(StartError::from)?.login;
        self.store_command(&state, &by, command).await?;`,
    test: "-p collie-engine --test hostile blindness::who_may_not_start_loops_cannot_say_that_they_have_looked",
  },
  {
    name: "a look at another head counts for this one",
    file: "crates/engine/src/loop_command.rs",
    find: String.raw`if state.run.head.sha.as_ref() != Some(head) {`,
    replace: String.raw`if false {`,
    test: "-p collie-engine --test hostile blindness::what_a_model_was_not_shown_waits_until_a_person_has_looked",
  },
  {
    name: "who may not start loops decides what may run",
    file: "crates/engine/src/trust.rs",
    find: String.raw`let by = self.check_permission(repo.clone().into()).await?;`,
    replace: String.raw`let by = (self.shared.ports.github.viewer().await).map_err(StartError::from)?.login;`,
    test: "-p collie-engine --test it trust::who_may_not_start_loops_decides_nothing",
  },
  {
    name: "a decision for one repository is told to the loops of all",
    file: "crates/engine/src/trust.rs",
    find: String.raw`.filter(|state| state.id.repository() == *id)`,
    replace: String.raw`.filter(|_| true)`,
    test: "-p collie-engine --test it trust::a_decision_for_one_repository_holds_for_no_other",
  },
  {
    name: "a loop keeps a trust that the journal has forgotten",
    file: "crates/engine/src/engine.rs",
    find: String.raw`        trust::tell_loops(&ports, &loops, &trust).await?;`,
    replace: String.raw``,
    test: "-p collie-engine --test it trust::what_was_decided_before_the_journal_was_lost_is_asked_about_again",
    note: "takes two minutes: the wait for the loop to forget runs out",
  },
  {
    name: "a decision that is taken back while a fix is made still lets its commands run",
    file: "crates/engine/src/effect_host.rs",
    find: String.raw`    now.map_or_else(|| state.trust.clone(), |now| now.trust.clone())`,
    replace: String.raw`    let _ = now;
    state.trust.clone()`,
    test: "-p collie-engine --test it trust::commands_whose_trust_is_taken_back_while_a_fix_is_made_do_not_run",
    note: "takes two minutes: the wait for the blocker runs out",
  },
  {
    name: "an account is pinned anew each time that its login is seen",
    file: "crates/engine/src/reading.rs",
    find: String.raw`pinned.insert(actor.login.clone(), account);`,
    replace: String.raw`let _ = account;
                pinned.insert(actor.login.clone(), actor.id);`,
    test: "-p collie-engine --test hostile authority::a_reused_login_of_an_allowed_person_is_not_trusted_and_that_is_said",
  },
  {
    name: "a pull request's own base says what the configuration is",
    file: "crates/engine/src/effect_run.rs",
    find: String.raw`match config_file(host, state, Some(&commit)).await {`,
    replace: String.raw`match config_file(host, state, state.run.head.base.as_ref()).await {`,
    test: "-p collie-engine --test hostile authority::the_file_of_a_pull_request_s_own_base_says_nothing",
  },
  {
    name: "a pull request's own base names the verify commands",
    file: "crates/engine/src/verify_plan.rs",
    find: String.raw`config_file(host, state, state.run.configuration.commit.as_ref())`,
    replace: String.raw`config_file(host, state, state.run.head.base.as_ref())`,
    test: "-p collie-engine --test it trust::commands_of_a_pull_request_s_own_base_are_not_asked_about",
    note: "takes two minutes: the wait for the question runs out",
  },
  {
    name: "rules are read from the head that is reviewed",
    file: "crates/engine/src/review.rs",
    find: String.raw`own_files: state.run.configuration.commit.as_ref(),`,
    replace: String.raw`own_files: Some(&asked.head),`,
    test: "-p collie-engine --test it repository_config::rules_and_configuration_of_the_head_are_not_obeyed",
  },
  {
    name: "a repository's file raises what the user limits",
    file: "crates/config/src/tighten.rs",
    find: String.raw`Some(value) if value <= *own => *own = value,`,
    replace: String.raw`Some(value) if value != *own => *own = value,`,
    test: "-p collie-engine --test it repository_config::a_repository_may_not_widen_what_the_user_allows",
  },

  // engine: what may run
  {
    name: "commands that nobody has trusted are run",
    file: "crates/engine/src/ports/policy_source.rs",
    find: String.raw`                self.commands.clear();`,
    replace: String.raw``,
    test: "-p collie-engine --lib what_prepares_is_trusted_with_its_hosts_and_a_change_asks_again",
  },
  {
    name: "an outsider's code runs without a sandbox where the user wants none",
    file: "crates/engine/src/verify_plan.rs",
    find: String.raw`plan.unsandboxed &= state.run.head.author_may_write;`,
    replace: String.raw`plan.unsandboxed &= true;`,
    test: "-p collie-engine --test it trust::what_runs_without_a_sandbox_is_the_work_of_collaborators_alone",
  },
  {
    name: "a fix fails for good where there is no sandbox",
    file: "crates/engine/src/review.rs",
    find: String.raw`GitError::NoSandbox { .. } => SessionFailure::not_sandboxed(error),`,
    replace: String.raw`GitError::NoSandbox { .. } => SessionFailure::permanent(error),`,
    test: "-p collie-engine --test it trust::without_a_sandbox_a_fix_waits_says_what_is_missing_and_goes_on_once_it_is_there",
    note: "takes two minutes: the wait for the blocker runs out",
  },
  {
    name: "an outage of git counts as a failure of the session",
    file: "crates/engine/src/review.rs",
    find: String.raw`            SessionFailure::outage(Outage::Unreachable { until: None }, error)`,
    replace: String.raw`            SessionFailure::transient(error)`,
    test: "-p collie-engine --test it github_faults::work_that_begins_while_git_does_not_answer_waits_and_goes_on_by_itself",
    note: "takes two minutes: the wait for the blocker runs out",
  },
  {
    name: "a session that passed its deadline is believed when it ends at last",
    file: "crates/engine/src/session_deadline.rs",
    find: String.raw`    let _ = within(clock, CHILD_GRACE_MS, work).await;
    None`,
    replace: String.raw`    within(clock, CHILD_GRACE_MS, work).await`,
    test: "-p collie-engine --lib what_a_session_says_after_its_deadline_is_not_used",
  },
  {
    name: "a cancelled run's commands go on",
    file: "crates/engine/src/outbox.rs",
    find: String.raw`        running.cancel.cancel();`,
    replace: String.raw`        let _ = running;`,
    test: "-p collie-engine --test it cancel::a_cancel_ends_the_command_that_verifies_a_fix_with_all_its_children",
  },
  {
    name: "an agent that says fixed and did nothing is believed",
    file: "crates/engine/src/fix.rs",
    find: String.raw`                reject_unchanged(result, payload, request.refusal.as_ref()),`,
    replace: String.raw`                result,`,
    test: "-p collie-engine --test it panel::an_agent_that_says_fixed_and_did_nothing_is_not_believed",
  },
  {
    name: "the engine keeps findings whose evidence does not stand",
    file: "crates/engine/src/findings.rs",
    find: String.raw`(Some(evidence), Some(Some(file))) => quote_matches(evidence, finding.line, file),`,
    replace: String.raw`(Some(evidence), Some(Some(file))) => quote_matches(evidence, finding.line, file) || true,`,
    test: "-p collie-engine --lib a_finding_is_dropped_whose_quote_does_not_stand_in_its_file",
  },
  {
    name: "the branch of a deleted fork is looked for where it is not",
    file: "crates/engine/src/effect_host.rs",
    find: String.raw`deleted_fork: head.is_none().then_some(state.id.number),`,
    replace: String.raw`deleted_fork: None,`,
    test: "-p collie-engine --test it forks::what_comes_from_a_deleted_fork_is_reviewed_and_not_fixed",
  },

  // engine: auto-merge and merge queue before each write
  {
    name: "a write goes on though auto-merge is switched on",
    file: "crates/engine/src/post.rs",
    find: String.raw`Ok(Some(obstacle)) => tracing::info!(?obstacle, "a write waits"),`,
    replace: String.raw`Ok(Some(automation)) => {
                tracing::info!(?automation, "a write goes on");
                return;
            }`,
    test: "-p collie-engine --test it blockers::auto_merge_switched_on_while_a_post_waits_out_a_limit_stops_it",
  },
  {
    name: "a post is sent without a look at auto-merge",
    file: "crates/engine/src/post.rs",
    find: String.raw`        wait_to_write(host, state, &entry.effect).await;`,
    replace: String.raw``,
    test: "-p collie-engine --test it merge_queue::",
  },
  {
    name: "a push is made without a look at the merge queue",
    file: "crates/engine/src/fix.rs",
    find: String.raw`    wait_to_write(host, state, &Effect::Push(asked.clone())).await;`,
    replace: String.raw``,
    test: "-p collie-engine --test it merge_queue::nothing_is_written_where_it_is_queued_between_the_decision_and_the_write",
  },
  {
    name: "a thread is resolved without a look at auto-merge",
    file: "crates/engine/src/post.rs",
    find: String.raw`        wait_to_write(host, state, effect).await;
        match host.ports().github.resolve_thread(&pull, thread).await {`,
    replace: String.raw`        match host.ports().github.resolve_thread(&pull, thread).await {`,
    test: "-p collie-engine --test it merge_queue::",
  },
  {
    name: "a check is run again without a look at auto-merge",
    file: "crates/engine/src/check_reruns.rs",
    find: String.raw`            wait_to_write(host, state, &entry.effect).await;`,
    replace: String.raw``,
    test: "-p collie-engine --test it merge_queue::",
  },
  {
    name: "a write goes on where GitHub does not say whether auto-merge is on",
    file: "crates/engine/src/post.rs",
    find: String.raw`            ) => tracing::warn!(%error, "a write waits"),`,
    replace: String.raw`            ) => {
                tracing::warn!(%error, "a write goes on");
                return;
            }`,
    test: "-p collie-engine --test it github_faults::nothing_is_written_while_github_does_not_say_whether_auto_merge_is_on",
  },

  // engine: posts in doubt
  {
    name: "a post in doubt is sent without a look for it",
    file: "crates/engine/src/post.rs",
    find: String.raw`        if doubt || may_be_forgotten {`,
    replace: String.raw`        if false {`,
    test: "-p collie-engine --test it crash_recovery::a_crash_after_a_post_is_sent_and_before_it_is_known_does_not_send_it_again",
  },
  {
    name: "a post is sent before the journal knows that it is",
    file: "crates/engine/src/shared.rs",
    find: String.raw`match self.journal.mark_sending(effect, rendered).await {`,
    replace: String.raw`let _ = (effect, rendered);
        match Ok::<(), crate::ports::StoreError>(()) {`,
    test: "-p collie-engine --test it crash_recovery::a_crash_after_a_post_is_sent_and_before_it_is_known_does_not_send_it_again",
  },
  {
    name: "a limit after a lost answer ends the doubt",
    file: "crates/engine/src/post.rs",
    find: String.raw`doubt |= matches!(error, GitHubError::OutcomeUnknown { .. });`,
    replace: String.raw`doubt = matches!(error, GitHubError::OutcomeUnknown { .. });`,
    test: "-p collie-engine --test it github_faults::a_post_that_lands_late_is_not_sent_again_after_a_rate_limit",
  },
  {
    name: "a post in doubt is looked for once only",
    file: "crates/engine/src/post.rs",
    find: String.raw`    for _ in 0..2 {`,
    replace: String.raw`    for _ in 0..1 {`,
    test: "-p collie-engine --test it github_faults::a_post_that_the_first_look_misses_is_found_by_the_second",
  },
  {
    name: "a post that arrived is told as undeliverable when a later attempt is refused for good",
    file: "crates/engine/src/post.rs",
    find: String.raw`                true => find_in_doubt(host, &pull, post).await,`,
    replace: String.raw`                true => Ok(None),`,
    test: "-p collie-engine --test it github_faults::a_post_that_arrived_is_found_though_a_later_attempt_is_refused_for_good",
  },
  {
    name: "a cancelled run still says all that it had to say",
    file: "crates/engine/src/post.rs",
    find: String.raw`state.run.state.is_over() && !last_word`,
    replace: String.raw`state.run.state.is_over() && !last_word && false`,
    test: "-p collie-engine --test it cancel::what_waits_to_be_said_when_it_is_cancelled_is_not_said",
  },

  // agents: environment, permission
  {
    name: "an agent gets a token of GitHub that its settings name",
    file: "crates/agents/src/acp/environment.rs",
    find: String.raw`        .filter(|name| !is_withheld(name))`,
    replace: String.raw``,
    test: "-p collie-agents --lib an_agent_sees_what_it_needs_and_no_token_of_github",
  },
  {
    name: "an agent gets the way to push by SSH that its settings name",
    file: "crates/agents/src/acp/environment.rs",
    find: String.raw`        || ways_to_push.contains(&name.as_str())`,
    replace: String.raw``,
    test: "-p collie-agents --lib an_agent_sees_what_it_needs_and_no_token_of_github",
  },
  {
    name: "a reviewer may edit files",
    file: "crates/agents/src/acp/policy.rs",
    find: String.raw`AgentRole::Reviewer => &[Tool::Read, Tool::Search, Tool::Think],`,
    replace: String.raw`AgentRole::Reviewer => &[Tool::Read, Tool::Search, Tool::Think, Tool::Edit],`,
    test: "-p collie-agents --lib a_reviewer_may_only_read_and_search_its_folder",
  },
  {
    name: "a tool call whose kind is not told counts as reading",
    file: "crates/agents/src/acp/observer.rs",
    find: String.raw`            .unwrap_or(Tool::Other);`,
    replace: String.raw`            .unwrap_or(Tool::Read);`,
    test: "-p collie-agents --lib a_call_of_a_kind_that_nobody_told_is_refused",
  },
  {
    name: "the paths that a tool call was announced with are not looked at",
    file: "crates/agents/src/acp/observer.rs",
    find: String.raw`        paths.extend(policy::tool_call_paths(&call.fields));`,
    replace: String.raw`        paths = policy::tool_call_paths(&call.fields);`,
    test: "-p collie-agents --lib the_paths_that_a_call_was_announced_with_count_when_it_asks",
  },
  {
    name: "a path with dots may be within the folder",
    file: "crates/agents/src/acp/policy.rs",
    find: String.raw`if path.components().any(|part| part == Component::ParentDir) {`,
    replace: String.raw`if false && path.components().any(|part| part == Component::ParentDir) {`,
    test: "-p collie-agents --lib a_fixer_may_run_programs_and_edit_its_folders_but_not_gits_own",
  },
  {
    name: "a link out of the folder counts as within",
    file: "crates/agents/src/acp/policy.rs",
    find: String.raw`full.ancestors().find_map(|part| part.canonicalize().ok())`,
    replace: String.raw`full.ancestors().find(|part| part.exists()).map(Path::to_path_buf)`,
    test: "-p collie-agents --lib a_fixer_may_run_programs_and_edit_its_folders_but_not_gits_own",
  },
  {
    name: "a permission is given for good",
    file: "crates/agents/src/acp/policy.rs",
    find: String.raw`        PermissionOptionKind::AllowOnce
    } else {`,
    replace: String.raw`        PermissionOptionKind::AllowAlways
    } else {`,
    test: "-p collie-agents --lib an_answer_is_never_for_good",
  },

  // agents: where they run, what is left
  {
    name: "a reviewing agent may write into its checkout",
    file: "crates/agents/src/acp/placement.rs",
    find: String.raw`AgentRole::Reviewer => readable.push(turn.cwd.clone()),`,
    replace: String.raw`AgentRole::Reviewer => writable.push(turn.cwd.clone()),`,
    test: "-p collie-engine --test hostile authority::a_reviewing_agent_cannot_write_into_what_it_reviews",
  },
  {
    name: "an agent's program is shown with the whole home folder",
    file: "crates/sandbox/src/program_folder.rs",
    find: String.raw`folder.parent().is_none() || home.is_some_and(|home| home.starts_with(folder));`,
    replace: String.raw`folder.parent().is_none();`,
    test: "-p collie-sandbox --lib a_program_is_shown_with_the_packages_that_it_loads_and_never_with_the_home",
  },
  {
    name: "an agent's program is looked for in a relative folder, which is the pull request's",
    file: "crates/platform/src/programs.rs",
    find: String.raw`        .filter(|folder| folder.is_absolute())
`,
    replace: "",
    test: "-p collie-platform --lib a_program_is_the_first_that_can_be_started_in_an_absolute_folder",
  },
  {
    name: "an agent that does not heed a cancel goes on",
    file: "crates/agents/src/acp/turn_runner.rs",
    find: String.raw`() = async { cancel.cancelled().await; sleep(grace).await } =>`,
    replace: String.raw`() = std::future::pending::<()>() =>`,
    test: "-p collie-agents --test acp process_cleanup::a_cancelled_agent_ends_within_ten_seconds_with_all_that_it_started",
    note: "takes a minute: the agent falls silent",
  },
  {
    name: "whatever an agent leaves in the login's place comes back as the user's login",
    file: "crates/agents/src/acp/agent_home.rs",
    find: String.raw`let is_renewed = renewed != self.content && is_alike(&self.content, &renewed);`,
    replace: String.raw`let is_renewed = renewed != self.content;`,
    test: "-p collie-agents --lib what_is_no_renewed_login_does_not_come_back",
  },

  // agents: fences, budget, evidence
  {
    name: "a title stands outside of the fence at the second look",
    file: "crates/agents/src/prompting/validation.rs",
    find: String.raw`format!("## The pull request\n\n{}", fence_as_text(&head))`,
    replace: String.raw`format!("## The pull request\n\n{head}")`,
    test: "-p collie-agents --test reading properties::a_prompt_is_never_over_budget_and_holds_others_texts_in_fences_only",
  },
  {
    name: "code reaches a model with what deceives in it",
    file: "crates/agents/src/prompting/code_sanitizer.rs",
    find: String.raw`sanitized_code_text(&escape_invisible(&with_plain_line_ends(text)))`,
    replace: String.raw`with_plain_line_ends(text)`,
    test: "-p collie-agents --test reading properties::a_prompt_is_never_over_budget_and_holds_others_texts_in_fences_only",
  },
  {
    name: "a prompt is longer than its budget",
    file: "crates/agents/src/prompting/token_budget.rs",
    find: String.raw`        if tokens <= budget {`,
    replace: String.raw`        if tokens <= budget || true {`,
    test: "-p collie-agents --test reading properties::a_prompt_is_never_over_budget_and_holds_others_texts_in_fences_only",
  },
  {
    name: "a finding stands whose evidence does not",
    file: "crates/agents/src/prompting/filter.rs",
    find: String.raw`
    Err(DropReason::NoEvidence)
}`,
    replace: String.raw`
    Ok(None)
}`,
    test: "-p collie-agents --test reading filter::evidence_must_stand_and_gives_the_line",
  },
  {
    name: "a thread of somebody without write access silences a finding",
    file: "crates/agents/src/prompting/filter.rs",
    find: String.raw`let covers = thread.trusted && !thread.resolved && !thread.by_collie;`,
    replace: String.raw`let covers = !thread.resolved && !thread.by_collie;`,
    test: "-p collie-agents --test reading filter::what_a_thread_says_already_counts_and_is_not_posted_again",
  },

  // reviewers
  {
    name: "a private issue of another repository is read",
    file: "crates/reviewers/src/pull_reader.rs",
    find: String.raw`Ok(found) => found.public || allowed(&found.repo),`,
    replace: String.raw`Ok(found) => found.public || allowed(&found.repo) || true,`,
    test: "-p collie-engine --test hostile authority::a_private_issue_of_another_repository_is_named_and_not_read",
  },
  {
    name: "an issue is read that was moved to a repository that nobody named",
    file: "crates/reviewers/src/pull_reader.rs",
    find: String.raw`let allowed = !moved || may_read_issues_of(github, config, own, &issue.repo).await;`,
    replace: String.raw`let allowed = !moved || true;`,
    test: "-p collie-engine --test hostile authority::an_issue_that_was_moved_is_read_where_it_may_be_read_now",
  },
  {
    name: "guidelines are read from the head",
    file: "crates/reviewers/src/gather.rs",
    find: String.raw`guidelines.extend(self.read_text_files(tree, base, &paths).await?);`,
    replace: String.raw`guidelines.extend(self.read_text_files(tree, tree.head(), &paths).await?);`,
    test: "-p collie-engine --test it panel::guidelines_are_read_as_the_base_has_them",
  },
  {
    name: "a model is told that a stranger's thread is one of the team's",
    file: "crates/reviewers/src/gather.rs",
    find: "let may_write = !actor.is_bot && snapshot.may_write(actor.id);",
    replace: "let may_write = !actor.is_bot;",
    test: "-p collie-engine --test hostile authority::a_thread_of_a_member_who_only_reads_silences_no_model",
    note: "takes two minutes: the wait for the report runs out",
  },
  {
    name: "an outage while a pull request is read for a review counts as a failure of the session",
    file: "crates/reviewers/src/pull_reader.rs",
    find: String.raw`Some(ObserveFailure::Unreachable { .. }) => Outage::Unreachable { until: None },`,
    replace: String.raw`Some(ObserveFailure::Unreachable { .. }) => return SessionFailure::transient(error),`,
    test: "-p collie-reviewers --lib an_outage_while_a_pull_request_is_read_is_no_failure_of_the_session",
  },
  {
    name: "an agent reviews an outsider's change without walls",
    file: "crates/reviewers/src/lib.rs",
    find: String.raw`UnsandboxedTrust::by_the_users_setting(author_may_write && wanted)`,
    replace: String.raw`UnsandboxedTrust::by_the_users_setting(author_may_write || wanted)`,
    test: "-p collie-engine --test hostile authority::an_outsiders_change_meets_the_walls_also_where_the_user_wants_none",
  },
  {
    name: "an agent fixes an outsider's change without walls",
    file: "crates/reviewers/src/fix.rs",
    find: String.raw`                request.verify.unsandboxed,`,
    replace: String.raw`                true,`,
    test: "-p collie-engine --test hostile authority::an_outsiders_change_is_fixed_behind_walls_also_where_the_user_wants_none",
  },
  {
    name: "an agent that finds no sandbox fails for good",
    file: "crates/reviewers/src/run_prompt.rs",
    find: String.raw`if matches!(failure, AgentFailure::NoSandbox { .. }) {`,
    replace: String.raw`if false && matches!(failure, AgentFailure::NoSandbox { .. }) {`,
    test: "-p collie-engine --test it panel::without_a_sandbox_a_review_by_an_agent_waits_and_goes_on_once_it_is_there",
  },
  {
    name: "a model reads the secrets in the change",
    file: "crates/reviewers/src/run_prompt.rs",
    find: String.raw`user: redact_prompt(&prompt.user, &self.panel.known_secrets),`,
    replace: String.raw`user: prompt.user.clone(),`,
    test: "-p collie-engine --test hostile words::a_model_is_not_sent_the_secrets_in_a_change",
  },
  {
    name: "what a reviewer says goes into the journal with its secrets",
    file: "crates/reviewers/src/lib.rs",
    find: String.raw`        redact_review(&mut response, &self.known_secrets);`,
    replace: String.raw`        let _ = &mut response;`,
    test: "-p collie-engine --test hostile words::what_a_model_says_is_kept_without_its_secrets",
  },
  {
    name: "a suggestion keeps the secret in it",
    file: "crates/reviewers/src/known_secrets.rs",
    find: String.raw`suggestion.take_if(|text| !is_clean(text));`,
    replace: String.raw`suggestion.take_if(|_| false);`,
    test: "-p collie-reviewers --lib what_is_kept_of_a_session_has_no_secret",
  },
  {
    name: "agents share a home, with the logins that were lent",
    file: "crates/reviewers/src/saved_sessions.rs",
    find: String.raw`session_file(folder, id).with_extension(format!("{agent}.kept"))`,
    replace: String.raw`session_file(folder, id).with_extension("kept")`,
    test: "-p collie-reviewers --lib no_agent_is_given_the_home_of_another_or_of_another_pull_request",
  },

  // store: audit
  {
    name: "a changed value in the audit log is not found",
    file: "crates/store/src/audit_chain.rs",
    find: String.raw`intact: as_written && hash_of(&fields) == hash,`,
    replace: String.raw`intact: as_written,`,
    test: "-p collie-store --test store audit::what_was_changed_in_the_audit_log_is_found_with_file_and_line",
  },
  {
    name: "a line taken out of the audit log is not found",
    file: "crates/store/src/audit_chain.rs",
    find: String.raw`Some(expected) => *expected == prev,`,
    replace: String.raw`Some(expected) => *expected == prev || true,`,
    test: "-p collie-store --test store audit::what_was_changed_in_the_audit_log_is_found_with_file_and_line",
  },
  {
    name: "an audit log whose end was cut off is whole",
    file: "crates/store/src/audit_chain.rs",
    find: String.raw`let lost = head.filter(|head| !walk.seen.contains(&head.hash));`,
    replace: String.raw`let lost = head.filter(|_| false);`,
    test: "-p collie-store --test store audit::what_was_changed_in_the_audit_log_is_found_with_file_and_line",
  },
  {
    name: "the next line closes the gap where the end was cut off",
    file: "crates/store/src/audit_chain.rs",
    find: String.raw`if head.is_none_or(|head| hashes.contains(&head.hash)) {`,
    replace: String.raw`if true {`,
    test: "-p collie-store --test store audit::the_log_goes_on_after_damage_and_the_damage_stays_visible",
  },
  {
    name: "two processes write the audit log at once",
    file: "crates/store/src/audit.rs",
    find: String.raw`        let mut chain = lock.write()?;`,
    replace: String.raw`        let mut chain = lock.into_inner();`,
    test: "-p collie-store --test store audit::lines_of_several_writers_at_once_are_one_chain",
  },
  {
    name: "the audit log can be read by others",
    file: "crates/platform/src/files.rs",
    find: String.raw`std::os::unix::fs::OpenOptionsExt::mode(options, 0o600);`,
    replace: String.raw`std::os::unix::fs::OpenOptionsExt::mode(options, 0o644);`,
    test: "-p collie-store --test store audit::what_is_audited_can_be_read_by_its_owner_alone",
  },

  // store: folder, lock, journal
  {
    name: "others may look into a new data folder",
    file: "crates/platform/src/files.rs",
    find: String.raw`std::os::unix::fs::DirBuilderExt::mode(builder, 0o700);`,
    replace: String.raw`std::os::unix::fs::DirBuilderExt::mode(builder, 0o755);`,
    test: "-p collie-app --lib a_new_folder_is_for_its_owner_alone",
  },
  {
    name: "a second engine gets the folder",
    file: "crates/store/src/lock.rs",
    find: String.raw`Err(error) if is_locked(&error) => false,`,
    replace: String.raw`Err(error) if is_locked(&error) => true,`,
    test: "-p collie-store --test store damage::a_sound_journal_is_not_rebuilt",
  },
  {
    name: "a lost journal is taken for a first start",
    file: "crates/store/src/store.rs",
    find: String.raw`    if checkpoints.is_empty() {`,
    replace: String.raw`    if checkpoints.is_empty() || true {`,
    test: "-p collie-store --test store damage::a_lost_database_is_not_taken_for_a_first_start",
  },
  {
    name: "a rebuilt journal says again what was said",
    file: "crates/store/src/apply.rs",
    find: String.raw`        if matches!(effect, Effect::Post(_)) {`,
    replace: String.raw`        if matches!(effect, Effect::Post(_)) && false {`,
    test: "-p collie-store --test store damage::a_rebuilt_loop_asks_github_first_and_counts_on",
  },
  {
    name: "a post that is being sent is not in doubt after a crash",
    file: "crates/store/src/journal.rs",
    find: String.raw`in_doubt = 1 WHERE effect_id = ?")`,
    replace: String.raw`in_doubt = 0 WHERE effect_id = ?")`,
    test: "-p collie-store --test store durability::what_was_written_is_there_after_opening_again",
  },
  {
    name: "an event gets its number and is not stored",
    file: "crates/store/src/journal.rs",
    find: String.raw`            // One statement is a transaction by itself.
            if events.len() != 1 {
                batch = batch.into_transaction();
            }`,
    replace: String.raw`            let begun = sqlx::query("BEGIN").execute(&mut *writer).await;
            begun.map_err(|error| from_sqlx(tried, &error))?;`,
    test: "-p collie-store --test store durability::what_was_written_is_there_after_opening_again",
  },
  {
    name: "a process that only reads decides what may run",
    file: "crates/store/src/journal.rs",
    find: String.raw`        let tried = "remembering what may run";
        self.engine(tried)?;`,
    replace: String.raw`        let tried = "remembering what may run";`,
    test: "-p collie-store --test store trust::a_decision_is_there_after_a_restart_and_for_other_processes_and_the_last_one_holds",
  },
  {
    name: "what was taken out of the pull request counts as read by the rules",
    file: "crates/core/src/coverage.rs",
    find: "rules.extend(taken_out.map(|(path, reason)| (*path, *reason)));",
    replace: "rules.extend(taken_out.map(|(path, reason)| (*path, *reason)).take(0));",
    test: "-p collie-core --lib nobody_was_shown_what_no_reviewer_was_shown",
  },
  {
    name: "what was taken out is asked of a person at every head",
    file: "crates/core/src/step/panel.rs",
    find: ".filter(|file| !is_seen || file.reason != UnseenReason::TakenOut)",
    replace: ".filter(|file| !is_seen || file.reason != UnseenReason::Link)",
    test: "-p collie-core --lib what_a_push_took_out_unread_is_handed_on_until_a_person_has_looked",
  },
  {
    name: "what was taken out unread has the reason of what is still there",
    file: "crates/reviewers/src/changed_files.rs",
    find: "        file.reason = UnseenReason::TakenOut;",
    replace: "        file.reason = file.reason.max(UnseenReason::Binary);",
    test: "-p collie-reviewers --lib text_outside_the_pull_request_is_told_as_taken_out_until_it_is_changed_again",
  },
  {
    name: "what was taken out is handed on though it is changed again",
    file: "crates/reviewers/src/changed_files.rs",
    find: "    still.filter(move |file| !paths.contains(&file.path))",
    replace: "    still.filter(move |file| !paths.contains(&file.path) || true)",
    test: "-p collie-reviewers --lib text_outside_the_pull_request_is_told_as_taken_out_until_it_is_changed_again",
  },
  {
    name: "a report repeats the words of an outsider",
    file: "crates/core/src/comments/open_threads.rs",
    find: "AuthorRole::Outsider => String::new(),",
    replace: "AuthorRole::Outsider => first_line(&first.body),",
    test: "-p collie-core --lib a_report_lists_the_open_threads_of_others_and_repeats_no_outsider",
  },
  {
    name: "a report lists Collie's own threads as those of others",
    file: "crates/core/src/comments/open_threads.rs",
    find: "AuthorRole::Own => return None,",
    replace: "AuthorRole::Own => String::new(),",
    test: "-p collie-core --lib a_report_lists_the_open_threads_of_others_and_repeats_no_outsider",
  },
  {
    name: "a skipped check counts as passed",
    file: "crates/i18n/src/post_body.rs",
    find: 'by_result.remove("success");',
    replace: 'by_result.remove("success").map(|_| proof.checks.len());',
    test: "-p collie-i18n --lib tests::",
  },
  {
    name: "what was merged a moment ago is pushed to",
    file: "crates/github/src/browse/merge_facts.rs",
    find: "(PullState::Merged | PullState::Closed, _, _) => Some(WriteObstacle::Ended),",
    replace: "(PullState::Merged | PullState::Closed, _, _) => None,",
    test: "-p collie-engine --test it push::nothing_is_pushed_to_what_was_merged_a_moment_ago",
  },
  {
    name: "places in the queue stay as they were when somebody lines up",
    file: "crates/engine/src/slots.rs",
    find: String.raw`        self.by_loop.take();
        match kind {`,
    replace: "        match kind {",
    test: "-p collie-engine --lib slots::tests::places_move_with_whatever_happens_before_them",
  },
];
