// What the model of loops has to notice: `step`, or what the model's engine promises, is broken once, and its search has to find a way to the
// harm. Each search is exhaustive within its bounds, so what is found is found in every run.

const search = (test) => `-p collie-sim --test exhaustive -- ${test}`;
const HOST = "crates/sim/src/host.rs";
const MODEL = "crates/sim/src/model.rs";

export default [
  // The loop's own decisions
  {
    name: "a claim is taken for a fact",
    file: "crates/core/src/step/fix.rs",
    find: "known.status = FindingStatus::Claimed;",
    replace: "known.status = FindingStatus::Fixed;",
    test: search("a_reviewer_that_never_stops_finding"),
  },
  {
    name: "an ended run says what it had queued",
    file: "crates/core/src/step/mod.rs",
    find: "        transition.state.outbox.give_up_posts(&state.outbox);",
    replace: "        transition.state.outbox.give_up_posts(&Default::default());",
    test: search("people_cancel_and_begin_again"),
  },
  {
    name: "a blocker without an end: an answer that was given up counts as one that is about to be given",
    file: "crates/core/src/loop_state.rs",
    find: "self.wanted().chain(held).any(|effect| effect.says(token))",
    replace: "self.effects.values().chain(held).any(|effect| effect.says(token))",
    test: search("what_the_last_run_left_unsaid_is_said_by_the_next"),
  },
  {
    name: "a later run does not look for what an earlier one may have said",
    file: "crates/core/src/loop_state.rs",
    find: "self.memory.was_rebuilt || self.run.ordinal > 1",
    replace: "self.memory.was_rebuilt",
    test: search("what_the_last_run_said_late"),
  },
  {
    name: "a push is not counted",
    file: "crates/core/src/step/fix.rs",
    find: "        self.state.run.fixing.iteration += 1;\n        let now",
    replace: "        let now",
    test: search("a_reviewer_that_never_stops_finding"),
  },
  {
    name: "the head stands in an answer's token",
    file: "crates/core/src/step/post.rs",
    find: "            let token = self.token(&ActionSubject::Reply(&key));\n            self.state.memory.thread_replies.insert(",
    replace: '            let key = crate::ids::EventKey::new(format!("{key}:{}", snapshot.head));\n            let token = self.token(&ActionSubject::Reply(&key));\n            self.state.memory.thread_replies.insert(',
    test: search("what_the_last_run_said_late"),
  },
  {
    name: "ready without a look at this head",
    file: "crates/core/src/step/decide.rs",
    find: "r.head.as_ref() == Some(&snapshot.head) && self.has_no_blocking_findings(r)",
    replace: "r.head.is_some() && self.has_no_blocking_findings(r)",
    test: search("people_push_and_comment"),
  },
  // What the engine promises
  {
    name: "an inbox row is lost in a crash",
    file: HOST,
    find: "        self.late_answers.clear();",
    replace: "        self.inbox.clear();\n        self.late_answers.clear();",
    test: search("people_cancel_and_begin_again"),
  },
  {
    name: "a timer is lost on restart",
    file: HOST,
    find: "        self.late_answers.clear();",
    replace: "        Arc::make_mut(&mut self.state).run.polling.next_at = None;\n        self.late_answers.clear();",
    test: search("the_process_dies_and_answers_come_late_or_twice"),
  },
  {
    name: "doubt is cleared by an error",
    file: MODEL,
    find: "        Choice::RateLimited => None,",
    replace: "        Choice::RateLimited => {\n            host.in_doubt.remove(id);\n            None\n        }",
    test: search("posts_land_late_or_without_an_answer"),
  },
  {
    name: "what was being sent is not in doubt after a crash",
    file: HOST,
    find: "        self.in_doubt = self.sending.clone();",
    replace: "        self.in_doubt.clear();",
    test: search("the_process_dies_and_answers_come_late_or_twice"),
  },
  {
    name: "writes go on while auto-merge is on",
    file: MODEL,
    find: "        is_due && in_turn && !(is_write && forbids) && !answered(id)",
    replace: "        is_due && in_turn && !(is_write && forbids && id.as_str().is_empty()) && !answered(id)",
    test: search("people_hold_it_and_end_it"),
  },
  {
    name: "what a review bot says is a stranger's word",
    file: "crates/core/src/comments/author_role.rs",
    find: "return if bot.reviews {",
    replace: "return if bot.reviews && !author.is_bot {",
    test: search("a_bot_looks_or_is_silent_and_contradicts_an_answer"),
  },
];
