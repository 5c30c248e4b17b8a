// Safeguards of what a model is shown and asked: second looks, guidelines, prompts that are too long, refusals. Each is taken away once, with
// the test that has to notice.

const VALIDATION = "crates/agents/src/prompting/validation.rs";
const FILES = "crates/agents/src/prompting/file_parts.rs";
const REVIEW = "crates/agents/src/prompting/review_prompt.rs";
const BUDGET = "crates/agents/src/prompting/token_budget.rs";
const EXCHANGE = "crates/agents/src/llm/exchange.rs";
const REFUSALS = "crates/agents/src/llm/refusals.rs";
const SECOND_LOOK = "crates/reviewers/src/second_look.rs";
const SIZE = "crates/reviewers/src/prompt_size.rs";

const inReading = (test) => `-p collie-agents --test reading ${test}`;
const inLlm = (test) => `-p collie-agents --test llm limits::${test}`;
const inAgents = (test) => `-p collie-agents --lib llm::${test}`;
const inReviewers = (test) => `-p collie-reviewers --lib ${test}`;

export default [
  {
    name: "a second look is not shown the code beside the change",
    file: VALIDATION,
    find: "collector.related(material, &touching, share, count_tokens);",
    replace: "collector.related(material, &touching, share.min(1), count_tokens);",
    test: inReading("call_sites::faults_whose_cause_is_elsewhere_are_shown_with_call_sites_and_definitions"),
  },
  {
    name: "a second look is shown the code beside the whole change",
    file: VALIDATION,
    find: "        named\n    };",
    replace: "        material.files.iter().map(|file| file.path.as_str()).collect()\n    };",
    test: inReading("validation::a_second_look_is_shown_the_code_beside_its_file"),
  },
  {
    name: "a second look is shown the change of its file alone",
    file: VALIDATION,
    find: "named.contains(path) || may_decide && !file.hunks.is_empty()",
    replace: "named.contains(path) || may_decide && file.hunks.len() > 1_000",
    test: inReading("validation::a_second_look_is_shown_the_changes_that_its_file_is_tied_to"),
  },
  {
    name: "a file is tied to what it uses, and not to what uses it",
    file: VALIDATION,
    find: "[(user, used), (used, user)]",
    replace: "[(user, used), (user, used)]",
    test: inReading("validation::a_second_look_is_shown_the_changes_that_its_file_is_tied_to"),
  },
  {
    name: "what a finding is tied to takes all there is room for",
    file: VALIDATION,
    find: "collector.limit_tied_changes(TIED_CHANGES.tokens_of(budget));",
    replace: "collector.limit_tied_changes(TIED_CHANGES.tokens_of(budget).max(budget));",
    test: inReading("validation::what_a_finding_is_tied_to_keeps_to_its_share"),
  },
  {
    name: "the change of a finding's own file has a share only",
    file: FILES,
    find: "matches!(item.part, PromptPart::Hunk { .. }) && item.rank != PartRank::NamedHunk",
    replace: "matches!(item.part, PromptPart::Hunk { .. }) && item.rank != PartRank::CodeHunk",
    test: inReading("validation::what_a_finding_is_tied_to_keeps_to_its_share"),
  },
  {
    name: "what a service keeps of a second look ends with its finding",
    file: VALIDATION,
    find: "shared_user_parts.set(user.len());",
    replace: "shared_user_parts.set(user.len() + 1);",
    test: inReading("validation::second_looks_at_one_file_begin_alike"),
  },
  {
    name: "second looks that begin alike go out at once",
    file: SECOND_LOOK,
    find: "let turn = usize::from(!begun.insert(files));",
    replace: "let turn = usize::from(!begun.insert(files) && groups.is_empty());",
    test: inReviewers("second_look::tests::of_looks_that_begin_alike_one_goes_first_and_only_these_are_kept"),
  },
  {
    name: "a service keeps what no other second look begins with",
    file: SECOND_LOOK,
    find: ".is_some_and(|looks| *looks > 1)",
    replace: ".is_some_and(|looks| *looks > 0)",
    test: inReviewers("second_look::tests::of_looks_that_begin_alike_one_goes_first_and_only_these_are_kept"),
  },
  {
    name: "guidelines end where their share does",
    file: REVIEW,
    find: "rest: material.delta.is_none() && material.part.is_none(),",
    replace: "rest: false,",
    test: inReading("guidelines::long_guidelines_are_shown_whole_where_there_is_room"),
  },
  {
    name: "each round and each part is given all guidelines",
    file: REVIEW,
    find: "rest: material.delta.is_none() && material.part.is_none(),",
    replace: "rest: true,",
    test: inReading("guidelines::later_rounds_and_parts_of_a_change_are_not_given_the_rest"),
  },
  {
    name: "guidelines come before the change",
    file: BUDGET,
    find: "(!shared.contains(&items[*at].rank), items[*at].rank)",
    replace: "(!shared.contains(&items[*at].rank) && items[*at].rank != PartRank::RestOfGuideline, items[*at].rank)",
    test: inReading("guidelines::guidelines_get_what_is_left_and_take_no_room_from_the_change"),
  },
  {
    name: "each piece of a guideline that has no room is named",
    file: BUDGET,
    find: "PartRank::MoreGuideline | PartRank::RestOfGuideline",
    replace: "PartRank::MoreGuideline",
    test: inReading("guidelines::guidelines_that_are_shown_in_part_are_named_once"),
  },
  {
    name: "a persona sends for a colleague who may not be there",
    file: "crates/agents/prompts/personas/quinn.md",
    find: "it needs a closer look by somebody who knows security: say so in your report.",
    replace: "ask Sam in.",
    test: inReading("prompts::who_may_ask_nobody_in_is_not_invited_to"),
  },
  {
    name: "a prompt that is too long is made shorter once",
    file: SIZE,
    find: "const MAX_HALVINGS: u32 = 3;",
    replace: "const MAX_HALVINGS: u32 = 1;",
    test: inReviewers("prompt_size::tests::what_a_model_cannot_read_is_halved_three_times_at_most"),
  },
  {
    name: "a prompt that was cut in silence is not made shorter",
    file: SIZE,
    find: "ErrorCode::LlmContextTooLong | ErrorCode::LlmPromptCut",
    replace: "ErrorCode::LlmContextTooLong",
    test: inReviewers("prompt_size::tests::what_a_model_cannot_read_is_halved_three_times_at_most"),
  },
  {
    name: "what a service refused is asked of it with each question",
    file: EXCHANGE,
    find: "                    self.keep_refusals();\n",
    replace: "",
    test: inLlm("what_a_service_refused_is_not_asked_of_it_again"),
  },
  {
    name: "what led to no answer is kept as a refusal",
    file: EXCHANGE,
    find: "self.adjustments().schema_is_supported = false;",
    replace: "self.adjustments().schema_is_supported = false;\n                    self.keep_refusals();",
    test: inLlm("a_refusal_that_leads_to_no_answer_is_not_kept"),
  },
  {
    name: "one shape that was refused is all of them",
    file: REFUSALS,
    find: "is_known(Refusal::Schema(schema.name.clone()))",
    replace: "is_known(Refusal::Schema(schema.name.replace(\"second_look\", \"review\")))",
    test: inLlm("a_shape_that_was_refused_is_not_sent_again_and_others_are"),
  },
  {
    name: "a refusal is believed for ever",
    file: REFUSALS,
    find: "until.is_some_and(|until| *until > now)",
    replace: "until.is_some_and(|until| *until + KEPT_FOR > now)",
    test: inAgents("refusals::tests::a_refusal_is_believed_for_a_day_by_model_and_address"),
  },
];
