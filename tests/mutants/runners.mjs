// Safeguards of sessions that run on other machines: whose word on a session counts, what is taken of it, and what its patch may do. Each is
// taken away once, with the test that has to notice.

const LEASES = "crates/runners/src/leases.rs";
const HANDED_IN = "crates/runners/src/handed_in.rs";
const SECRETS = "crates/runners/src/runner_secrets.rs";
const CLIENT = "crates/runners/src/client.rs";
const ELSEWHERE = "crates/runners/src/elsewhere.rs";
const QUEUE = "crates/runners/src/queue.rs";
const TRANSFER = "crates/git/src/transfer.rs";
const SERVER = "crates/server/src/runners.rs";
const FOLDER = "crates/app/src/runner/folder.rs";

const inLib = (test) => `-p collie-runners --lib ${test}`;
const inGit = (test) => `-p collie-git --test it transfer::${test}`;
const inProcess = (test) => `-p collie-cli --test it ${test}`;

export default [
  {
    name: "a session's token is good for another session",
    file: LEASES,
    find: "if is_other || !named.eq_ignore_ascii_case(&own) {",
    replace: "if !named.eq_ignore_ascii_case(&own) {",
    test: inLib("leases::tests::a_token_is_good_for_its_session_and_pull_request_alone"),
  },
  {
    name: "a session's token is good for another pull request",
    file: LEASES,
    find: "if is_other || !named.eq_ignore_ascii_case(&own) {",
    replace: "if is_other || named.is_empty() {",
    test: inLib("leases::tests::a_token_is_good_for_its_session_and_pull_request_alone"),
  },
  {
    name: "a runner that was silent for a lease may still hand in",
    file: LEASES,
    find: "match now < lease.ends {",
    replace: "match now < lease.ends + self.lease {",
    test: inLib("leases::tests::who_is_silent_for_a_lease_loses_the_session_to_another"),
  },
  {
    name: "a result is taken twice",
    file: LEASES,
    find: "        self.withdraw(shown.session.unwrap_or_default());\n        Ok(())",
    replace: "        Ok(())",
    test: inLib("leases::tests::what_was_handed_in_is_not_taken_again"),
  },
  {
    name: "a silent runner keeps its session",
    file: LEASES,
    find: "it.ends <= now);",
    replace: "it.ends + self.lease <= now);",
    test: inLib("leases::tests::who_is_silent_for_a_lease_loses_the_session_to_another"),
  },
  {
    name: "what a runner cannot do is offered to it again",
    file: LEASES,
    find: "session.is_some_and(|one| !one.refused_by.contains(&claimant.runner))",
    replace: "session.is_some_and(|one| one.lease.is_none())",
    test: inLib("leases::tests::what_a_runner_cannot_do_goes_to_another_first_and_not_to_it_again"),
  },
  {
    name: "a runner says that a person found something",
    file: HANDED_IN,
    find: "            finding.source.kind = SourceType::Agent;\n",
    replace: "",
    test: inLib("handed_in::tests::a_review_is_the_reviewers_own_and_recounted"),
  },
  {
    name: "a runner takes back what others found",
    file: HANDED_IN,
    find: "self.withdrawn.retain(|taken| own.contains(taken));",
    replace: "drop(own);",
    test: inLib("handed_in::tests::a_review_is_the_reviewers_own_and_recounted"),
  },
  {
    name: "what a runner writes may hide something",
    file: HANDED_IN,
    find: "                done.restrict_to(asked);\n                done.sanitize();\n",
    replace: "                done.restrict_to(asked);\n                if done.result.agent.is_empty() {\n                    done.sanitize();\n                }\n",
    test: inLib("handed_in::tests::what_a_runner_writes_hides_nothing_and_bears_no_mark_of_collie"),
  },
  {
    name: "a result for another head is taken",
    file: HANDED_IN,
    find: "if self.head != asked.head {",
    replace: "if self.head.as_str().is_empty() {",
    test: inLib("handed_in::tests::a_result_for_another_head_is_stale_whatever_it_is"),
  },
  {
    name: "an account of a fix leaves issues out",
    file: HANDED_IN,
    find: "done.result = done.result.validated(&asked.payload)?;",
    replace: "drop(done.result.clone().validated(&asked.payload));",
    test: inLib("handed_in::tests::what_is_not_what_was_asked_for_is_refused"),
  },
  {
    name: "a patch of any size is taken",
    file: HANDED_IN,
    find: "if patch.len() > MAX_PATCH_BYTES {",
    replace: "if patch.len() > 2 * MAX_PATCH_BYTES {",
    test: inLib("handed_in::tests::what_is_not_what_was_asked_for_is_refused"),
  },
  {
    name: "a revoked runner gets in",
    file: SECRETS,
    find: ".retain(|one| !one.name.eq_ignore_ascii_case(name));",
    replace: ".retain(|one| !one.name.is_empty());",
    test: inLib("runner_secrets::tests::a_secret_is_told_once_and_only_its_hash_is_kept"),
  },
  {
    name: "a runner's token goes over plain http to another machine",
    file: CLIENT,
    find: '(url.scheme() == "http" && is_local)',
    replace: '(url.scheme() == "http" || is_local)',
    test: inLib("client::tests::nobody_reads_along_on_the_way_to_a_server"),
  },
  {
    name: "a patch is laid on what was tried before",
    file: TRANSFER,
    find: "        self.check_out(&worktree_paths, worktree.head()).await?;\n        if patch.is_empty() {",
    replace: "        if patch.is_empty() {",
    test: inGit("a_patch_for_another_head_or_none_at_all_changes_nothing"),
  },
  {
    name: "a patch leads out of the worktree",
    file: TRANSFER,
    find: '"apply", "--index", "--whitespace=nowarn"',
    replace: '"apply", "--unsafe-paths", "--whitespace=nowarn"',
    test: inGit("no_patch_leads_out_of_the_worktree_or_into_git"),
  },
  {
    name: "names of a bundle are left in the clone",
    file: TRANSFER,
    find: "        self.unname_commits(&clone_dir, &named).await?;\n",
    replace: "",
    test: inGit("a_session_is_worked_on_elsewhere_and_its_change_passes_the_gates_here"),
  },
  {
    name: "anybody's large body is read",
    file: SERVER,
    find: "const BODY_LIMIT: usize = 16 * 1024 * 1024;",
    replace: "const BODY_LIMIT: usize = 64 * 1024 * 1024;",
    test: inProcess("runners_api::a_token_is_good_for_its_session_alone_and_a_result_is_taken_once"),
  },
  {
    name: "a runner's own token hands a session in",
    file: SERVER,
    find: "    known.map_err(|refusal| refused_to(&state, &parts, refusal))?;\n    let request = Request::from_parts(parts, body);\n    let done",
    replace: "    drop(known);\n    let request = Request::from_parts(parts, body);\n    let done",
    test: inProcess("runners_api::a_token_is_good_for_its_session_alone_and_a_result_is_taken_once"),
  },
  {
    name: "a patch that does not apply counts as a fix",
    file: ELSEWHERE,
    find: "        if let Some(failure) = failure {\n            return Err(failure);\n        }\n        let mut response",
    replace: "        drop(failure);\n        let mut response",
    test: inProcess("runners_api::a_patch_passes_the_servers_gates_and_is_pushed_by_the_server_once"),
  },
  {
    name: "nobody is taken to have left in the middle",
    file: QUEUE,
    find: "        for id in self.leases.expire(now) {\n            self.tell(&id);\n        }",
    replace: "        let _ = now;",
    test: inProcess("runners::runners_that_are_killed_in_a_review_and_a_fix_cost_a_loop_nothing_but_time"),
  },
  {
    name: "what a killed runner left stays",
    file: FOLDER,
    find: 'match std::fs::remove_dir_all(&sessions) {',
    replace: 'match std::fs::remove_dir(&sessions) {',
    test: "-p collie-app --lib runner::folder::tests::a_folder_has_one_runner_and_is_cleaned_of_what_a_killed_one_left",
  },
];
