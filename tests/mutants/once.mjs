// Safeguards of what is done once: work on a branch, re-runs of checks, posts that somebody changes; and of what a reader is shown. Each is
// taken away once, with the test that has to notice.

const LOCK = "crates/engine/src/branch_lock.rs";
const BRANCH = "crates/core/src/head_branch.rs";
const RERUNS = "crates/engine/src/check_reruns.rs";
const OWN_POSTS = "crates/core/src/step/own_posts.rs";

const inEngine = (test) => `-p collie-engine --test it ${test}`;
const inCore = (test) => `-p collie-core --lib ${test}`;

export default [
  {
    name: "two loops fix one branch at the same time",
    file: LOCK,
    find: "!makes_commit(loops, id, effect) || holder(&holders, loops, committing, id).is_none()",
    replace: "!makes_commit(loops, id, effect) || holder(&holders, loops, committing, id).is_none() || committing.len() < 9",
    test: inEngine("push::of_two_loops_on_one_branch"),
  },
  {
    name: "whose commits are waited for is told to nobody",
    file: LOCK,
    find: "branch_held_by: held_by.flatten().map(LoopState::pull_name),",
    replace: "branch_held_by: held_by.flatten().map(LoopState::pull_name).filter(|_| position > 9),",
    test: inEngine("push::of_two_loops_on_one_branch"),
  },
  {
    name: "a branch is let go of before the commit is pushed",
    file: LOCK,
    find: "other.is_about_to_push() || committing.values().any(|id| *id == other.id)",
    replace: "committing.values().any(|id| *id == other.id)",
    test: inEngine("push::of_two_loops_on_one_branch"),
  },
  {
    name: "a commit that waits for a person keeps others from the branch",
    file: BRANCH,
    find: "is_unpushed && !waits_for_person",
    replace: "is_unpushed && (!waits_for_person || is_unpushed)",
    test: inCore("head_branch::tests::a_commit_that_waits_for_a_person_keeps_nobody_else_from_the_branch"),
  },
  {
    name: "a branch by another case of its repository's name is another",
    file: BRANCH,
    find: "repo: repo.to_string().to_ascii_lowercase(),",
    replace: "repo: repo.to_string(),",
    test: inCore("head_branch::tests::branches_are_told_apart_by_repository_and_name"),
  },
  {
    name: "a re-run whose answer was lost is asked for again without a look",
    file: RERUNS,
    find: "is_in_doubt = matches!(error, GitHubError::OutcomeUnknown { .. });",
    replace: "is_in_doubt = false;",
    test: inEngine("checks::a_job_is_run_once_more_though_the_answer_is_lost"),
  },
  {
    name: "a re-run that the process before had asked for is asked for again without a look",
    file: "crates/engine/src/engine.rs",
    find: "entry.in_doubt |= matches!(entry.effect, Effect::RerunChecks(_));",
    replace: "entry.in_doubt |= matches!(entry.effect, Effect::RerunChecks(_)) && entry.in_doubt;",
    test: inEngine("checks::a_job_is_run_once_more_though_the_process_dies_before_it_knows"),
  },
  {
    name: "a re-run that never arrived is taken for done",
    file: "crates/github/src/check_reruns.rs",
    find: "latest.any(|it| it.id > asked.id && it.name == asked.name && it.app == asked.app)",
    replace: "latest.any(|it| it.id >= asked.id && it.name == asked.name && it.app == asked.app)",
    test: inEngine("checks::a_job_is_run_once_more_though_the_first_question_is_lost"),
  },
  {
    name: "a post that is there twice passes in silence",
    file: OWN_POSTS,
    find: "if ids.len() > 1 && self",
    replace: "if ids.len() > 2 && self",
    test: inCore("step::own_posts_tests::an_act_that_is_shown_twice_raises_an_alarm_once"),
  },
  {
    name: "the alarm is raised with each reading",
    file: OWN_POSTS,
    find: "self.state.memory.duplicated.insert(token.clone())",
    replace: "(self.state.memory.duplicated.insert(token.clone()) || true)",
    test: inCore("step::own_posts_tests::an_act_that_is_shown_twice_raises_an_alarm_once"),
  },
  {
    name: "whoever quotes a token is taken for Collie",
    file: OWN_POSTS,
    find: "author.is_some_and(|author| snapshot.may_be_own(author.id))",
    replace: "author.is_some()",
    test: inCore("step::own_posts_tests::the_same_number_in_another_place"),
  },
  {
    name: "an edit of a post passes in silence",
    file: OWN_POSTS,
    find: "if now.digest != known.digest {",
    replace: "if now.digest.is_empty() {",
    test: inCore("step::own_posts_tests::an_edit_is_told_of_also_where_it_took_the_token"),
  },
  {
    name: "one reading without a post tells that it was deleted",
    file: OWN_POSTS,
    find: "if known.is_missing {",
    replace: "if known.is_missing || !known.digest.is_empty() {",
    test: inCore("step::own_posts_tests::what_two_readings_lack_was_deleted"),
  },
  {
    name: "the proof does not say what was declined",
    file: "crates/core/src/step/post.rs",
    find: "left: self.left_findings(),",
    replace: "left: Vec::new(),",
    test: inCore("step::declined_bots_tests::without_a_reader_the_fixers_reason_is_the_last_word"),
  },
  {
    name: "dismissals silence what Sam finds",
    file: "crates/core/src/review_memory.rs",
    find: "finding.source.name.eq_ignore_ascii_case(SECURITY_PERSONA)",
    replace: "finding.source.name.is_empty()",
    test: inCore("review_memory::tests::nothing_silences_security_or_what_must_not_be_merged"),
  },
  {
    name: "the second of two events does not wait for the first",
    file: "crates/server/src/in_flight.rs",
    find: "turns.get(id).and_then(Weak::upgrade)",
    replace: "turns.get(id).filter(|_| id.is_empty()).and_then(Weak::upgrade)",
    test: "-p collie-server --lib in_flight::",
  },
  {
    name: "code beside the change is read from a checkout that has no files",
    file: "crates/reviewers/src/context.rs",
    find: "            .file_at(tree, tree.head(), path, MAX_RELATED_FILE_BYTES)\n            .await?;\n        let bytes = bytes.filter(",
    replace: "            .file_at(tree, tree.head(), path, MAX_RELATED_FILE_BYTES)\n            .await?;\n        let bytes = bytes.filter(|_| tree.path().join(path).exists()).filter(",
    test: "-p collie-cli --test it review::callers_in_files_that_stay_as_they_are_are_shown_to_a_model",
  },
  {
    name: "a line of the audit log is not synced before what follows it",
    file: "crates/store/src/audit.rs",
    find: "        written.sync_data()?;\n",
    replace: "        drop(written);\n",
    test: "-p collie-cli --test it power_loss::",
  },
  {
    name: "a transaction of the journal is not synced before what follows it",
    file: "crates/store/src/db.rs",
    find: "SqliteSynchronous::Full",
    replace: "SqliteSynchronous::Normal",
    test: "-p collie-cli --test it power_loss::",
  },
  {
    name: "a thread that its finding's file was changed for counts as a dismissal",
    file: "crates/app/src/review/dismissals.rs",
    find: ".filter(|entry| !changed.contains(&entry.file));",
    replace: ".filter(|entry| !changed.contains(&entry.title));",
    test: "-p collie-cli --test it review_again::a_review_takes_a_thread_for_no_dismissal",
  },
  {
    name: "whoever closes a thread dismisses by somebody else's words",
    file: "crates/core/src/step/remember.rs",
    find: ".filter(|author| author.id == by.id)",
    replace: ".filter(|author| author.id.0 > 0 || by.id.0 > 0)",
    test: inCore("step::single_review_tests::a_thread_that_says_nothing_of_a_dismissal_is_none"),
  },
];
