// Safeguards of what several tools agree on (crates/core/src/agreement.rs), each taken away once, with the test that has to notice.

export default [
  {
    name: "a bot agrees with itself",
    file: "crates/core/src/agreement.rs",
    find: String.raw`        if self.tool == other.tool {
            return false;
        }`,
    replace: "",
    test: "-p collie-core --lib agreement::tests::one_tool_never_agrees_with_itself",
  },
  {
    name: "two reviewers of the panel are two tools",
    file: "crates/core/src/agreement.rs",
    find: "SourceType::Agent => Some(Tool::Panel),",
    replace: "SourceType::Agent => Some(Tool::Bot(source.name.clone())),",
    test: "-p collie-core --lib step::agreement_tests::two_reviewers_of_the_panel_are_one_voice",
  },
  {
    name: "what a bot answers a stranger is a second voice",
    file: "crates/core/src/step/agreement.rs",
    find: " && is_own_word(finding, &openings)",
    replace: "",
    test: "-p collie-core --lib step::agreement_tests::what_a_bot_answers_somebody_is_no_second_voice",
  },
  {
    name: "whoever opens a thread is a bot that reviews",
    file: "crates/core/src/agreement.rs",
    find: String.raw`let by_bot = opener.is_some_and(|actor| is_reviewing_bot(policy, actor));`,
    replace: "let by_bot = opener.is_some() || is_reviewing_bot(policy, &snapshot.viewer);",
    test: "-p collie-core --lib agreement::tests::only_what_verified_bots_opened_by_themselves_is_their_finding",
  },
  {
    name: "a thread in which a person has had a say is a bot's alone",
    file: "crates/core/src/agreement.rs",
    find: "by_bot && !authors().any(|actor| !actor.is_bot && snapshot.may_write(actor.id))",
    replace: "by_bot || !authors().any(|actor| !actor.is_bot && snapshot.may_write(actor.id))",
    test: "-p collie-core --lib agreement::tests::only_what_verified_bots_opened_by_themselves_is_their_finding",
  },
  {
    name: "likeness runs along a chain",
    file: "crates/core/src/agreement.rs",
    find: "claims[group[0]].agrees_with(claim, rule)",
    replace: "claims[group[group.len() - 1]].agrees_with(claim, rule)",
    test: "-p collie-core --lib agreement::tests::likeness_does_not_run_along_a_chain",
  },
  {
    name: "the whole of a long remark is compared",
    file: "crates/core/src/agreement.rs",
    find: ".take(MAX_COMPARED_CHARS)",
    replace: ".take(MAX_COMPARED_CHARS * 100)",
    test: "-p collie-core --lib agreement::tests::what_a_long_remark_says_far_down_agrees_with_nothing",
  },
  {
    name: "what one bot alone found goes to the fixer as it is",
    file: "crates/core/src/step/agreement.rs",
    find: "if idle || doubted.is_empty() {",
    replace: "if idle || doubted.len() < 1_000 {",
    test: "-p collie-core --lib step::agreement_tests::what_one_bot_alone_found_is_looked_at_again_before_a_turn_is_spent",
  },
  {
    name: "what several tools found is looked at again",
    file: "crates/core/src/step/agreement.rs",
    find: String.raw`        && known.also_found_by.is_empty()
`,
    replace: "",
    test: "-p collie-core --lib step::agreement_tests::what_two_bots_found_is_handed_over_at_once_as_one_fault_and_both_are_answered",
  },
  {
    name: "a refuted bot is answered by silence",
    file: "crates/core/src/step/decide.rs",
    find: String.raw`        self.answer_refuted(snapshot);
`,
    replace: "",
    test: "-p collie-core --lib step::agreement_tests::a_refuted_bot_is_answered_once_with_the_reason_and_costs_no_turn",
  },
  {
    name: "a second look that fails ends the run",
    file: "crates/core/src/step/review_results.rs",
    find: String.raw`            None if asked.is_second_look() => self.second_look_given_up(&asked),
`,
    replace: "",
    test: "-p collie-core --lib step::agreement_tests::without_a_reader_or_when_it_fails_bots_findings_are_handed_over_and_that_is_said",
  },
  {
    name: "bots whose finding was fixed with another's hear nothing",
    file: "crates/core/src/step/fix.rs",
    find: String.raw`        unfold_joined(&mut pending);
`,
    replace: "",
    test: "-p collie-core --lib step::agreement_tests::what_two_bots_found_is_handed_over_at_once_as_one_fault_and_both_are_answered",
  },
  {
    name: "the lesser word of two tools counts",
    file: "crates/core/src/step/agreement.rs",
    find: ".min(gravest.unwrap_or(issue.finding.priority));",
    replace: ".max(gravest.unwrap_or(issue.finding.priority));",
    test: "-p collie-core --lib step::agreement_tests::the_graver_word_of_two_tools_counts",
  },
  {
    name: "what several tools found stands where it stood",
    file: "crates/core/src/step/post.rs",
    find: "        !tracked.is_agreed(),",
    replace: "        false,",
    test: "-p collie-core --lib step::agreement_tests::the_panel_and_a_bot_agree_and_what_they_found_comes_first",
  },
  {
    name: "the panel is told what bots found",
    file: "crates/core/src/step/panel.rs",
    find: ".filter(|known| known.finding.source.kind != SourceType::Bot)",
    replace: ".filter(|known| known.finding.source.kind != SourceType::Human)",
    test: "-p collie-core --lib step::agreement_tests::the_panel_is_not_told_what_bots_found",
  },
  {
    name: "a model reads the threads of bots before it has looked itself",
    file: "crates/agents/src/prompting/prompt_parts.rs",
    find: String.raw`        order.retain(|thread| !thread.of_bot_alone);
`,
    replace: "",
    test: "-p collie-engine --test it bot_consensus::what_a_bot_alone_found_is_scored_by_the_panel_and_the_bot_is_told_why_it_is_declined",
  },
  {
    name: "what a bot found too is looked at again by the panel",
    file: "crates/reviewers/src/second_look.rs",
    find: String.raw`        unconfirmed.retain(|finding| !is_confirmed_by(finding, &material.bot_findings));
`,
    replace: "",
    test: "-p collie-engine --test it bot_consensus::what_the_panel_and_a_bot_found_is_looked_at_by_nobody_again_and_told_as_found_by_both",
  },
];
