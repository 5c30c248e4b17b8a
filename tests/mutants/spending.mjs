// Safeguards of what may be spent (docs/decisions/0033), each taken away once, with the test that has to notice.

export default [
  {
    name: "the worst case of a call does not count",
    file: "crates/core/src/budget.rs",
    find: "(cost >= limit || cost.saturating_add(worst) > limit)",
    replace: "cost >= limit",
    test: "-p collie-core --lib budget::tests::the_worst_case_of_a_call_has_to_be_left_before_it_is_made",
  },
  {
    name: "what has no price is free",
    file: "crates/core/src/budget.rs",
    find: "(needed.unpriced && tokens >= limit)",
    replace: "(needed.unpriced && tokens > limit && limit == 0)",
    test: "-p collie-core --lib budget::tests::what_has_no_price_is_limited_in_tokens_and_may_pass_that_by_one_answer",
  },
  {
    name: "a limit in dollars is none for what has no price",
    file: "crates/core/src/budget.rs",
    find: "self.tokens.or(self.cost_micros.map(from_dollars))",
    replace: "self.tokens.or(self.cost_micros.map(from_dollars).filter(|_| false))",
    test: "-p collie-core --lib budget::tests::a_limit_in_dollars_alone_holds_for_what_has_no_price_too",
  },
  {
    name: "a spent budget counts as a failure of the work",
    file: "crates/core/src/step/outage.rs",
    find: "SessionFailure::OverBudget { exceeded } => Obstacle::OverBudget(exceeded),",
    replace: "SessionFailure::OverBudget { .. } => return None,",
    test: "-p collie-core --lib step::outage_tests::work_that_a_days_budget_does_not_pay_waits_for_midnight_and_nobody",
  },
  {
    name: "requests are made without being asked for",
    file: "crates/agents/src/llm/exchange.rs",
    find: "if let Err(failure) = self.reserve(prompt_bytes) {",
    replace: "if let (Err(failure), true) = (self.reserve(prompt_bytes), prompt_bytes == 0) {",
    test: "-p collie-agents --test llm spending::a_request_that_may_pass_the_budget_is_not_made_and_no_other_model_is_to_blame",
  },
  {
    name: "an answer that is asked again is not asked for by its own length",
    file: "crates/agents/src/llm/exchange.rs",
    find: String.raw`            output_tokens: self
                .adjustments()
                .max_tokens
                .unwrap_or_else(own_limit)
                .into(),`,
    replace: "            output_tokens: self.model.max_tokens.unwrap_or_else(own_limit).into(),",
    test: "-p collie-agents --test llm spending::each_request_is_asked_for_by_its_own_longest_answer_and_told_by_what_it_came_to",
  },
  {
    name: "what was spent is not written with what says so",
    file: "crates/store/src/apply.rs",
    find: "if let Some(spent) = &applied.spent {",
    replace: "if let Some(spent) = applied.spent.as_ref().filter(|_| false) {",
    test: "-p collie-store --test store durability::what_was_spent_is_counted_with_what_says_so_or_not_at_all",
  },
  {
    name: "a raised limit waits for the next look",
    file: "crates/engine/src/outbox.rs",
    find: "() = keeper.budget_changed(&loop_id) => {}",
    replace: "",
    test: "-p collie-engine --test it budget::a_call_whose_worst_case_does_not_fit_is_not_made_and_raising_the_limit_goes_on_at_once",
  },
  {
    name: "an agent is begun whatever is left",
    file: "crates/reviewers/src/run_prompt.rs",
    find: "            check_agent_budget(meter)?;\n",
    replace: "",
    test: "-p collie-engine --test it budget::an_agent_without_a_price_may_pass_its_tokens_by_one_answer",
  },
  {
    name: "the days are forgotten at the next start",
    file: "crates/engine/src/engine.rs",
    find: "ports.journal.spending().await?,",
    replace: "Vec::new(),",
    test: "-p collie-engine --test it budget::a_day_is_counted_over_all_pull_requests_and_ends_at_midnight",
  },
  {
    name: "a pause keeps nothing from being done",
    file: "crates/core/src/held.rs",
    find: "!is_paused && self.level_allows(effect)",
    replace: "self.level_allows(effect)",
    test: "-p collie-core --lib step::pause_tests::a_commit_that_is_done_is_pushed_when_the_pause_ends",
  },
  {
    name: "a pause lets sessions under way go on",
    file: "crates/core/src/step/pause.rs",
    find: "            self.restart_sessions();\n",
    replace: "",
    test: "-p collie-engine --test it pause::a_review_under_way_is_stopped_none_begins_and_it_is_made_once_the_pause_ends",
  },
  {
    name: "a session begins while everything is paused",
    file: "crates/engine/src/outbox.rs",
    find: "            wait_until_allowed(&keeper, &loop_id, &asked).await;\n",
    replace: "",
    test: "-p collie-engine --test it pause::a_review_under_way_is_stopped_none_begins_and_it_is_made_once_the_pause_ends",
  },
  {
    name: "a loop that is made during a pause knows nothing of it",
    file: "crates/engine/src/handle.rs",
    find: "        state.pause = self.pause();\n",
    replace: "",
    test: "-p collie-engine --test it pause::a_loop_that_is_made_while_everything_is_paused_waits",
  },
  {
    name: "a journal that is made anew forgets a pause",
    file: "crates/store/src/rebuild.rs",
    find: "pause::set(&mut *tx, Some(pause)).await?;",
    replace: "let _ = pause;",
    test: "-p collie-engine --test it pause::a_lost_journal_does_not_end_it",
  },
];
