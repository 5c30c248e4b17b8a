// What the simulator of the engine has to notice: the engine, or `step`, is broken once, and a schedule that was found by chance plays what
// comes of it. Each schedule is one of crates/sim/tests/schedules, so what is noticed is noticed in every run.
//
// That the head stands in no token is for the model (sim.mjs): only a post that lands minutes after its run has ended shows it.

const test = "-p collie-sim --test simulated -- what_broke_once_holds_now";
const POST = "crates/engine/src/post.rs";
const ENGINE = "crates/engine/src/engine.rs";
const DISPATCH = "crates/engine/src/dispatch.rs";

export default [
  {
    name: "an effect before its commit: a state is shown and acted on before the journal has it",
    file: DISPATCH,
    find: "    shared.journal.apply(&applied).await?;",
    replace: "    publish(shared, after.clone(), &read);\n    start_and_drop_effects(shared, &applied);\n    shared.journal.apply(&applied).await?;",
    test,
  },
  {
    name: "an effect before its commit: a post leaves before it is written down that it may have",
    file: POST,
    find: "    let permit = host.mark_sending(effect, rendered).await?;",
    replace:
      "    let early = host.ports().github.post(pull, rendered, post.by.as_ref()).await;\n    if host.mark_sending(effect, rendered).await.is_some() {\n        return Some(early);\n    }\n    let permit = host.mark_sending(effect, rendered).await?;",
    test,
  },
  {
    name: "an inbox row is lost: the first event that was stored before a crash",
    file: ENGINE,
    find: "for (seq, id, event) in unapplied {",
    replace: "for (seq, id, event) in unapplied.into_iter().skip(1) {",
    test,
  },
  {
    name: "a merge slips in: writes go on while auto-merge is on",
    file: POST,
    find: 'Ok(Some(obstacle)) => tracing::info!(?obstacle, "a write waits"),',
    replace: "Ok(Some(_)) => return,",
    test,
  },
  {
    name: "a timer is lost on restart: nobody reads again",
    file: ENGINE,
    find: "            .map(|state| (state.id.clone(), Arc::new(state)))",
    replace:
      "            .map(|mut state| {\n                state.run.polling.next_at = None;\n                (state.id.clone(), Arc::new(state))\n            })",
    test,
  },
  {
    name: "doubt is cleared by an error: a rate limit says that nothing was sent before it",
    file: POST,
    find: "        doubt |= matches!(error, GitHubError::OutcomeUnknown { .. });",
    replace: "        doubt = matches!(error, GitHubError::OutcomeUnknown { .. });",
    test,
  },
  {
    name: "a blocker without an end: a session that breaks off is waited for",
    file: "crates/engine/src/outbox.rs",
    find: "            && error.is_panic()\n",
    replace: "            && error.is_cancelled()\n",
    test,
  },
  {
    name: "a claim is taken for a fact: what the fixer says it fixed is called fixed",
    file: "crates/core/src/step/fix.rs",
    find: "known.status = FindingStatus::Claimed;",
    replace: "known.status = FindingStatus::Fixed;",
    test,
  },
  {
    name: "identity: of similar lines the first is taken",
    file: "crates/core/src/identity.rs",
    find: "for is_match in [has_same_anchor, is_near_match] {",
    replace: "for is_match in [is_near_match, has_same_anchor] {",
    test,
  },
  {
    name: "a torn checkpoint is taken for good",
    file: "crates/store/src/checkpoint.rs",
    find: "        Err(error) => Freshness::MustKeep(error.to_string()),",
    replace: "        Err(_) => Freshness::UpToDate,",
    test,
  },
  {
    name: "a half-written checkpoint of a process that died stays",
    file: "crates/store/src/checkpoint.rs",
    find: "        if name.ends_with(UNFINISHED_SUFFIX) {",
    replace: '        if name.ends_with("never") && name.ends_with(UNFINISHED_SUFFIX) {',
    test,
  },
  {
    name: "a line of the audit log is written behind half a line",
    file: "crates/store/src/audit.rs",
    find: "self.write_line(&file, tail.torn && file == tail.file, &fields)?;",
    replace: "self.write_line(&file, false, &fields)?;",
    test,
  },
  {
    name: "a rebuilt loop takes its checkpoint for all that was said",
    file: "crates/store/src/apply.rs",
    find: "    state.memory.was_rebuilt = true;",
    replace: "    state.memory.was_rebuilt = false;",
    test,
  },
];
