// Safeguards of what speaks to programs outside: the Action, SARIF, MCP. Each is taken away once, with the test that has to notice.

const ACTION = "crates/cli/src/action.rs";
const EVENT = "crates/cli/src/workflow_event.rs";
const SARIF = "crates/cli/src/sarif.rs";
const CLEAN = "crates/mcp/src/clean.rs";
const TOOLS = "crates/mcp/src/tools.rs";
const RESOURCES = "crates/mcp/src/resources.rs";

const inLib = (test) => `-p collie-cli --lib ${test}`;
const inProcess = (test) => `-p collie-cli --test it ${test}`;
const inMcp = (test) => `-p collie-mcp --lib ${test}`;

export default [
  {
    name: "a fork's run is taken for one with secrets",
    file: EVENT,
    find: "is_of_pull && (self.actor == DEPENDABOT || self.is_from_fork())",
    replace: "is_of_pull && (self.actor == DEPENDABOT || (self.is_from_fork() && self.name.is_empty()))",
    test: inLib("workflow_event::tests::forks_and_dependabot_have_no_secrets"),
  },
  {
    name: "a fork's review is posted",
    file: ACTION,
    find: "posting: match args.dry_run || has_no_secrets {",
    replace: "posting: match args.dry_run {",
    test: inProcess("action::a_fork_without_secrets_gets_the_rules_alone_and_nothing_is_posted"),
  },
  {
    name: "a fork has the model asked",
    file: ACTION,
    find: "(true, _) => ReviewPanel::RulesAlone,",
    replace: "(true, _) => ReviewPanel::PreferModel,",
    test: inProcess("action::a_fork_without_secrets_gets_the_rules_alone_and_nothing_is_posted"),
  },
  {
    name: "a line end in a text begins a command",
    file: ACTION,
    find: `text.replace('\\r', "%0D").replace('\\n', "%0A")`,
    replace: `text.replace('\\r', "%0D")`,
    test: inLib("action::tests::nothing_in_a_text_begins_a_command_of_its_own"),
  },
  {
    name: "the word that ends what is no command can be known",
    file: ACTION,
    find: "rand::random::<u128>()",
    replace: "7_u128",
    test: inProcess("action::what_others_wrote_is_no_command_to_the_runner"),
  },
  {
    name: "a head that was reviewed has no findings in SARIF",
    file: "crates/cli/src/review.rs",
    find: "look_again: args.format == ReviewFormat::Sarif,",
    replace: "look_again: false,",
    test: inProcess("review_formats::a_head_that_was_reviewed_before_has_its_findings_in_the_file_all_the_same"),
  },
  {
    name: "two pull requests have one category",
    file: SARIF,
    find: `format!("collie/{}/{}/", reviewed.pull.repo, reviewed.pull.number)`,
    replace: `format!("collie/{}/", reviewed.pull.repo)`,
    test: inLib("sarif::tests::each_pull_request_has_a_run_of_its_own_category"),
  },
  {
    name: "findings about no file are dropped",
    file: SARIF,
    find: "    about_no_file\n        .chain(unsure)",
    replace: "    about_no_file\n        .take(0)\n        .chain(unsure)",
    test: inLib("sarif::tests::what_has_no_place_is_told_and_counted"),
  },
  {
    name: "a tool that is not offered is called",
    file: TOOLS,
    find: "all.find(|tool| tool.name() == name && tool.is_offered(offers))",
    replace: "all.find(|tool| tool.name() == name && (tool.is_offered(offers) || !name.is_empty()))",
    test: inMcp("tools::tests"),
  },
  {
    name: "a tool that changes something says that it does not",
    file: TOOLS,
    find: "Self::Start => (false, false),",
    replace: "Self::Start => (true, false),",
    test: inMcp("tools::tests"),
  },
  {
    name: "what speaks to a model leaves",
    file: CLEAN,
    find: "redact(sanitize_untrusted(text).text.trim(), &[])",
    replace: "redact(sanitize_untrusted(text).text.get(..0).map_or(text, |_| text), &[])",
    test: inMcp("clean::tests"),
  },
  {
    name: "a resource of any kind is read",
    file: RESOURCES,
    find: "KINDS.into_iter().find(|kind| kind.name() == name)?",
    replace: "KINDS.into_iter().find(|kind| kind.name() == name).unwrap_or(Kind::Proof)",
    test: inMcp("resources::tests"),
  },
];
