// Safeguards around loops that live elsewhere (§18.5): what is told is written once, what is shown is what is stored, and no second engine does
// their work. Each is taken away once, with the test that has to notice.

const STEPS = "crates/app/src/engine_client/elsewhere/steps.rs";
const inApp = (test) => `-p collie-app --lib engine_client::elsewhere::steps::tests::${test}`;
const inTrace = "-p collie-cli --features restate --test it telemetry::a_run_is_one_trace_from_the_webhook_to_the_push";
const SHOWN = "crates/app/src/engine_client/elsewhere/shown.rs";
const inShown = (test) => `-p collie-app --lib engine_client::elsewhere::shown::tests::${test}`;
const inHost = (test) => `-p collie-host-restate --lib ${test}`;
const inPostgres = (test) => `-p collie-store-postgres --test postgres shared_database::${test}`;

export default [
  {
    name: "it is asked who works though nobody does",
    file: SHOWN,
    find: "!self.work.is_known_idle() ||",
    replace: "true ||",
    test: inShown("nobody_is_asked_while_nobody_works"),
  },
  {
    name: "a loop that has ended is shown to wait",
    file: SHOWN,
    find: "self.loops.get(id).filter(|it| has_session(&it.state))?;",
    replace: "self.loops.get(id)?;",
    test: inShown("a_loop_that_has_nothing_to_do_any_more_neither_waits_nor_works"),
  },
  {
    name: "a worker is shown for ever where the fleet has no slots",
    file: "crates/host-restate/src/stored_loop.rs",
    find: "add_ended(&mut settled, ended);",
    replace: "drop(ended);",
    test: inHost("stored_loop::tests::it_is_told_once_who_has_a_session_and_once_that_it_has_ended"),
  },
  {
    name: "places are shown in the order in which loops came",
    file: "crates/host-restate/src/slot_queue.rs",
    find: "let next = fronts.min_by_key(|(at, wish)| (busy.beside(wish), *at));",
    replace: "let next = fronts.min_by_key(|(at, _)| *at);",
    test: inHost("slot_queue::tests::those_who_wait_are_told_in_the_order_in_which_they_begin"),
  },
  {
    name: "what is told twice is written twice",
    file: "crates/store/src/projection.rs",
    find: "if known.is_some_and(|known| known >= step.version) {",
    replace: "if known.is_some_and(|known| known > step.version) {",
    test: "-p collie-store --test store projection::what_is_told_twice_or_late_changes_nothing",
  },
  {
    name: "a gap in what is told is passed over",
    file: STEPS,
    find: "if entry.version != version + 1 {",
    replace: "if false {",
    test: inApp("where_something_is_missing_or_comes_to_something_else_the_loop_is_taken_as_it_stands"),
  },
  {
    name: "what other rules would have come to is shown",
    file: "crates/engine/src/history.rs",
    find: "if state_digest(&done.state) != self.digest {",
    replace: "if false {",
    test: inApp("where_something_is_missing_or_comes_to_something_else_the_loop_is_taken_as_it_stands"),
  },
  {
    name: "readings that were not told are forgotten",
    file: "crates/engine/src/history.rs",
    find: "before.set_reading_times(read_before);",
    replace: "let _ = read_before;",
    test: inApp("times_of_reading_that_were_not_told_are_those_of_the_event"),
  },
  {
    name: "each reading of a loop that waits is told",
    file: "crates/host-restate/src/stored_loop.rs",
    find: "if !is_left_out(event, done) {",
    replace: "if true {",
    test: inHost("stored_loop::tests::each_event_has_the_next_version_and_readings_that_show_nothing_new_have_none"),
  },
  {
    name: "what was missed of the feed is not known to be",
    file: "crates/host-restate/src/change_feed.rs",
    find: "(end - first.min(end) < PAGES).then_some(first..end)",
    replace: "Some(first..end)",
    test: inHost("change_feed::tests::whoever_asks_is_told_each_change_after_its_own_or_that_it_has_missed_some"),
  },
  {
    name: "what is reported while a loop is read is forgotten",
    file: "crates/host-restate/src/reading_schedule.rs",
    find: "self.reported = Some(ReportedChange::said(self.reported, urgency, now));",
    replace: "self.reported = (!self.is_reading).then(|| ReportedChange::said(self.reported, urgency, now));",
    test: inHost("reading_schedule::tests::what_github_reports_is_read_at_once_and_many_words_come_to_one_reading"),
  },
  {
    name: "an engine of this machine's own runs loops that live elsewhere",
    file: "crates/app/src/engine_client/local.rs",
    find: "Some(_) => return Err(LocalEngineError::LoopsElsewhere(folder)),",
    replace: "Some(_) => {}",
    test: "-p collie-cli --features restate --test it serve_elsewhere::a_folder_that_shows_loops_of_elsewhere_runs_none_and_one_with_loops_shows_no_others",
  },
  {
    name: "an engine of this machine's own works while loops are moved",
    file: "crates/app/src/engine_client/local.rs",
    find: "Some(origin) if origin.moving.is_some() => {\n                return Err(LocalEngineError::MoveUnfinished(folder));\n            }\n            Some(_) =>",
    replace: "Some(_) =>",
    test: "-p collie-cli --features restate --test it moving::a_move_that_is_broken_off_goes_on_and_nothing_works_on_the_loops_meanwhile",
  },
  {
    name: "what a loop is sent in a second stay is taken for what it was sent in the first",
    file: "crates/host-restate/src/stored_loop.rs",
    find: "arrival.map_or_else(String::new, |arrival| format!(\"{}/\", arrival.name))",
    replace: "arrival.map_or_else(String::new, |_| String::new())",
    test: inHost("stored_loop::tests::a_loop_that_is_handed_over_does_what_it_wanted_and_looks_for_what_it_may_have_done"),
  },
  {
    name: "what may have been said before a move is not in doubt after it",
    file: "crates/host-restate/src/stored_loop.rs",
    find: "self.writes = writes.collect();",
    replace: "let _: Vec<_> = writes.collect();",
    test: inHost("stored_loop::tests::a_loop_that_is_handed_over_does_what_it_wanted_and_looks_for_what_it_may_have_done"),
  },
  {
    name: "a worker does not ask what others have set aside",
    file: "crates/host-restate/src/spending_book.rs",
    find: "spending.day += session.reserved;",
    replace: "",
    test: inHost("spending_book::tests::what_one_worker_has_set_aside_is_not_there_for_another"),
  },
  {
    name: "telemetry names no run",
    file: "crates/telemetry/src/correlation_attributes.rs",
    find: 'KeyValue::new("collie.correlation_id", identity.correlation_id.to_string()),',
    replace: "",
    test: inTrace,
  },
  {
    name: "an effect is no part of its run's trace",
    file: "crates/host-restate/src/effect_span.rs",
    find: "join(&span, &LoopIdentity::of(state));",
    replace: "if attempt > 9 { join(&span, &LoopIdentity::of(state)); }",
    test: inTrace,
  },
  {
    name: "all diagnostics are sent to the collector",
    file: "crates/telemetry/src/telemetry.rs",
    find: "of.is_span() && of.target() == TELEMETRY",
    replace: "of.is_span() || of.target() != TELEMETRY",
    test: inTrace,
  },
  {
    name: "the log is filled with what a collector does not take",
    file: "crates/telemetry/src/export_client.rs",
    find: "Some(reason) if !was_failing =>",
    replace: "Some(reason) =>",
    test: "-p collie-cli --features restate --test it telemetry::a_collector_that_cannot_be_reached_hinders_no_work_and_no_end",
  },
  {
    name: "a request to GitHub names repository and branch to the collector",
    file: "crates/github/src/measured_request.rs",
    find: "match part.is_empty() || ROUTE_PARTS.contains(&part) {",
    replace: "match true {",
    test: "-p collie-github --lib measured_request::tests::a_route_names_neither_repository_nor_branch_nor_person",
  },
  {
    name: "a repository that is called like a part of a route is named",
    file: "crates/github/src/measured_request.rs",
    find: "names = 2;",
    replace: "names = 0;",
    test: "-p collie-github --lib measured_request::tests::a_route_names_neither_repository_nor_branch_nor_person",
  },
  {
    name: "OTEL_SDK_DISABLED is passed over",
    file: "crates/telemetry/src/settings.rs",
    find: 'value.trim().eq_ignore_ascii_case("true")',
    replace: "value.is_empty()",
    test: "-p collie-telemetry --lib settings::tests::without_an_address_nothing_is_sent",
  },
  {
    name: "every span is the root of its trace",
    file: "crates/telemetry/src/run_roots.rs",
    find: "if span.name != ROOT_SPAN || span.parent_span_id != root {",
    replace: "if span.parent_span_id != root {",
    test: "-p collie-telemetry --lib run_roots::tests::the_runs_own_span_is_the_root_and_no_other_is_changed",
  },
  {
    name: "what two servers on one database hear is written twice",
    file: "crates/store-postgres/src/write.rs",
    find: "if known_version.is_some_and(|known| known >= told) {",
    replace: "if known_version.is_some_and(|known| known > told) {",
    test: inPostgres("what_two_servers_hear_at_once_is_written_once"),
  },
  {
    name: "a database shows the loops of any engine",
    file: "crates/store-postgres/src/projection.rs",
    find: "let is_it = shows.as_deref() == engine;",
    replace: "let is_it = shows.is_some() || engine.is_some();",
    test: inPostgres("loops_of_another_engine_are_not_mixed_in"),
  },
  {
    name: "who knows a database that was replaced writes the new one",
    file: "crates/store-postgres/src/journal.rs",
    find: "match said.database_id == self.database_id {",
    replace: "match said.database_id.len() == self.database_id.len() {",
    test: inPostgres("a_database_that_was_replaced_is_not_written_by_who_knows_the_old_one"),
  },
  {
    name: "who signed out at one server stays in at the others",
    file: "crates/server/src/people.rs",
    find: "if !self.backend.shares_sessions() || !self.is_due(key) {",
    replace: "if true {",
    test: "-p collie-cli --features restate --test it serve_database::two_servers_on_one_database_show_the_same_loops_to_the_same_browsers",
  },
];
