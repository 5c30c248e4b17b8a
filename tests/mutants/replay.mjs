// What a journal is replayed from, and what becomes of it: each safeguard is broken once, and a test has to notice.

const store = (test) => `-p collie-store --test store recordings::${test}`;
const core = (test) => `-p collie-core --lib replay::tests::${test}`;
const RECORDINGS = "crates/store/src/recordings.rs";

export default [
  {
    name: "replay: readings without an entry are forgotten",
    file: "crates/core/src/replay.rs",
    find: "before.set_reading_times(times);",
    replace: "let _ = times;",
    test: core("what_was_recorded_comes_to_the_same_again"),
  },
  {
    name: "replay: a state that differs is the same",
    file: "crates/core/src/replay.rs",
    find: "(*recorded.after != step.state).then(",
    replace: "(*recorded.after != step.state && false).then(",
    test: core("the_first_difference_names_state_effects_and_remarks"),
  },
  {
    name: "replay: it goes on across a gap",
    file: "crates/core/src/replay.rs",
    find: "            self.state = None;\n            return Replayed::NotRecorded;",
    replace: "            return Replayed::NotRecorded;",
    test: core("after_a_gap_it_goes_on_where_a_state_was_written_down_whole"),
  },
  {
    name: "recordings: a chain goes on across a start of the engine",
    file: RECORDINGS,
    find: "let is_first = chain.is_none() && self.event.is_some();",
    replace: "let is_first = false;",
    test: store("a_start_of_the_engine_begins_a_chain_of_its_own"),
  },
  {
    name: "recordings: a chain goes on into the next run",
    file: RECORDINGS,
    find: "chain.run == state.run.id && chain.length < CHAIN",
    replace: "chain.length < CHAIN",
    test: store("a_run_that_ended_long_ago_is_let_go_of_and_what_happened_stays"),
  },
  {
    name: "recordings: a reading is kept whole each time",
    file: RECORDINGS,
    find: "difference.len() < size / LARGE_SHARE",
    replace: "difference.len() < size / LARGE_SHARE && false",
    test: store("what_is_recorded_is_small"),
  },
  {
    name: "recordings: a live run is let go of",
    file: RECORDINGS,
    find: "AND runs.ended_at <= ?)",
    replace: "AND ifnull(runs.ended_at, 0) <= ?)",
    test: store("a_run_that_ended_long_ago_is_let_go_of_and_what_happened_stays"),
  },
  {
    name: "recordings: a chain builds on what was let go of",
    file: "crates/store/src/journal.rs",
    find: "records.values_mut().for_each(|record| record.chain = None);",
    replace: "",
    test: store("a_run_that_is_still_read_after_it_ended_builds_on_nothing_that_is_gone"),
  },
  {
    name: "recordings: a reading that takes another's place goes on with its chain",
    file: "crates/store/src/apply.rs",
    find: "let chain = chain.filter(|_| !appended.took_place);",
    replace: "",
    test: store("a_reading_that_takes_the_place_of_another_leaves_no_broken_chain"),
  },
  {
    name: "differences: nothing tells a wrong text",
    file: "crates/store/src/difference.rs",
    find: "encoder.include_checksum(true)?;",
    replace: "encoder.include_checksum(false)?;",
    test: "-p collie-store --lib difference::tests::another_text_than_it_was_made_with_is_told_by_the_checksum",
  },
  {
    name: "power loss: an entry comes without its state",
    file: "crates/store/src/apply.rs",
    find: String.raw`    update_loop(batch, &record, (state, &json), seq);
    if let Some(spent)`,
    replace: String.raw`    if let Some(spent)`,
    test: "-p collie-store --test store power_loss::",
  },
  {
    name: "story: every moment is a wait",
    file: "crates/app/src/render/story.rs",
    find: "if millis < TOLD_WAIT_MS {",
    replace: "if millis < TOLD_WAIT_MS && false {",
    test: "-p collie-app --lib render::story::tests::a_short_wait_is_not_worth_a_word",
  },
];
