// Safeguards of what people say, each taken away once, with the test that has to notice: heard once, answered once, obeyed only where it should be.

const COMMANDS = "crates/core/src/comments/commands.rs";
const REMARKS = "crates/core/src/comments/remarks.rs";
const COMMENTS = "crates/core/src/comments.rs";
const STEP = "crates/core/src/step/feedback.rs";
const OBEY = "crates/core/src/step/commands.rs";

const inReading = (test) => `-p collie-core --lib comments::commands::tests::${test}`;
const inFeedback = (test) => `-p collie-core --lib step::feedback_tests::${test}`;
const inIgnored = (test) => `-p collie-core --lib step::ignored_remarks_tests::${test}`;
const inCommands = (test) => `-p collie-core --lib step::commands_tests::${test}`;

export default [
  {
    name: "the report of another person's Collie is answered",
    file: REMARKS,
    find: "role == AuthorRole::Trusted && !is_another_collies(remark)",
    replace: "role == AuthorRole::Trusted",
    test: inIgnored("what_the_collie_of_another_person_posts_in_the_conversation_asks_for_nothing"),
  },
  {
    name: "a command in the middle of a sentence is obeyed",
    file: COMMANDS,
    find: "ended && after.all(is_command)",
    replace: "(ended || at > 0) && after.all(is_command)",
    test: inReading("what_is_quoted_fenced_or_part_of_a_sentence_is_no_command"),
  },
  {
    name: "a command in a quotation is obeyed",
    file: COMMANDS,
    find: "Event::Start(Tag::Paragraph) if depth == 0 =>",
    replace: "Event::Start(Tag::Paragraph) if depth <= 1 =>",
    test: inReading("what_is_quoted_fenced_or_part_of_a_sentence_is_no_command"),
  },
  {
    name: "an outsider commands",
    file: OBEY,
    find: "if item.role == AuthorRole::Outsider {",
    replace: "if item.role == AuthorRole::Bot {",
    test: inCommands("an_outsider_commands_nothing_and_gets_no_answer"),
  },
  {
    name: "a command is obeyed at each look",
    file: OBEY,
    find: "if !self.state.memory.commands.insert(token.clone()) {",
    replace: "if !self.state.memory.commands.insert(token.clone()) && item.id == 0 {",
    test: inCommands("retry_begins_a_fresh_run_after_the_end_and_none_before_it"),
  },
  {
    name: "what was commanded before the loop began is obeyed",
    file: OBEY,
    find: "(is_first_look && said_before)",
    replace: "(is_first_look && said_before && item.id == 0)",
    test: inCommands("what_was_commanded_before_the_loop_began_was_not_for_it"),
  },
  {
    name: "an account that may not start runs begins one by a comment",
    file: OBEY,
    find: "state.may_retry() && snapshot.start_denied",
    replace: "!state.may_retry() && snapshot.start_denied",
    test: inCommands("an_account_that_may_not_start_runs_any_more_begins_none"),
  },
  {
    name: "feedback is processed before its answer is seen",
    file: STEP,
    find: "RemarkStatus::Pending | RemarkStatus::Replying => false,",
    replace: "RemarkStatus::Pending => false,\n                RemarkStatus::Replying => true,",
    test: inFeedback("nothing_is_processed_nor_handed_over_again_while_its_answer_is_not_confirmed"),
  },
  {
    name: "a thread is handed over again while its answer is on its way",
    file: COMMENTS,
    find: "None if is_reply_on_its_way(state, snapshot, thread) => return ThreadStatus::Replying,",
    replace: "None if is_reply_on_its_way(state, snapshot, thread) => return ThreadStatus::Pending,",
    test: inFeedback("nothing_is_processed_nor_handed_over_again_while_its_answer_is_not_confirmed"),
  },
  {
    name: "an edit is the same event",
    file: REMARKS,
    find: "event_key(pr, FeedbackKind::Issue, id, updated_at, &comment.body)",
    replace: "event_key(pr, FeedbackKind::Issue, id, updated_at, \"\")",
    test: inFeedback("an_edit_is_new_and_the_words_before_it_wait_for_nobody"),
  },
  {
    name: "people are asked at every comment",
    file: STEP,
    find: "(true, false) => Some(ask.clone()),",
    replace: "(true, false) => Some(answer.clone()),",
    test: inFeedback("without_a_model_a_person_is_asked_once_and_settles_it"),
  },
  {
    name: "an old discussion is answered when a loop begins",
    file: STEP,
    find: "let is_history = is_first_look && said_before && item.thread.is_none();",
    replace: "let is_history = is_first_look && said_before && item.thread.is_some();",
    test: inIgnored("what_stood_in_the_conversation_before_the_loop_began_is_for_reviewers_to_read"),
  },
  {
    name: "two turns have one key",
    file: "crates/core/src/token.rs",
    find: "parts.into_iter().chain(keys)",
    replace: "parts.into_iter().chain(keys.take(0))",
    test: "-p collie-core --lib token::tests::a_turn_is_known_by_its_loop_and_its_events_in_whatever_order_they_came",
  },
  {
    name: "the session is not stored with what came of it",
    file: "crates/core/src/step/mod.rs",
    find: "self.state.memory.fixer_session = Some(session.clone());",
    replace: "let _ = session;",
    test: inFeedback("session_and_what_came_of_it_are_kept_in_one_transaction"),
  },
];
