// LoopBench's own safeguards: what it scores by, and what the forge tells it.

const bench = "-p collie-forge --test it -- request_log";
const GATE = "crates/forge/src/faults/request_log.rs";

const formulas = "node scripts/check-loopbench.mjs --formulas";
const SCORE = "scripts/loopbench/score.mjs";

export default [
  {
    name: "LoopBench: a required check that never reported speaks against nothing",
    file: SCORE,
    find: "if (runs.length === 0) add(",
    replace: "if (false) add(",
    test: formulas,
  },
  {
    name: "LoopBench: of two jobs of one name the first counts alone",
    file: SCORE,
    find: "for (const run of runs) {",
    replace: "for (const run of runs.slice(0, 1)) {",
    test: formulas,
  },
  {
    name: "LoopBench: a tool's own word in a thread is not looked for",
    file: SCORE,
    find: "if (!resolved && last && last.by !== TOOL_LOGIN &&",
    replace: "if (!resolved && last &&",
    test: formulas,
  },
  {
    name: "LoopBench: an outsider's request for changes counts",
    file: SCORE,
    find: 'state === "CHANGES_REQUESTED" && counts(by) &&',
    replace: 'state === "CHANGES_REQUESTED" &&',
    test: formulas,
  },
  {
    name: "LoopBench: the tool approves for the branch rules",
    file: SCORE,
    find: 'state === "APPROVED" && WEIGHT.has(by)).length',
    replace: 'state === "APPROVED").length',
    test: formulas,
  },
  {
    name: "LoopBench: what came up a moment ago is held against a tool",
    file: SCORE,
    find: "standing.at_ms - since >= GRACE_MS",
    replace: "standing.at_ms - since >= 0",
    test: formulas,
  },
  {
    name: "LoopBench: what nobody sees makes two posts differ",
    file: SCORE,
    find: '.replace(/<!--[\\s\\S]*?-->/g, "").replace(/\\s+/g',
    replace: '.replace(/\\s+/g',
    test: formulas,
  },
  {
    name: "LoopBench: one fault said twice in other words is no duplicate",
    file: SCORE,
    find: "if (again || toldAgain) count += 1;",
    replace: "if (again) count += 1;",
    test: formulas,
  },
  {
    name: "LoopBench: a base that the tool moved is no merge",
    file: SCORE,
    find: " + (records.base_moved_by_others ? 1 : 0)",
    replace: "",
    test: formulas,
  },
  {
    name: "LoopBench: a name in a quotation is a call",
    file: SCORE,
    find: '.filter((line) => !line.startsWith(">"))',
    replace: "",
    test: formulas,
  },
  {
    name: "LoopBench: auto-merge is no attempt to merge",
    file: "scripts/loopbench/hub.mjs",
    find: "mergePullRequest|enablePullRequestAutoMerge|",
    replace: "mergePullRequest|",
    test: formulas,
  },
  {
    name: "the forge's log forgets whose request it was",
    file: GATE,
    find: "login: author.0.clone(),",
    replace: "login: None,",
    test: bench,
  },
  {
    name: "an answer that was dropped counts as one that arrived",
    file: GATE,
    find: "entry.dropped = dropped;",
    replace: "entry.dropped = false;",
    test: bench,
  },
  {
    name: "the forge's log begins anew at each look",
    file: GATE,
    find: ".filter(|entry| entry.seq > query.after);",
    replace: ".filter(|entry| entry.seq > 0);",
    test: bench,
  },
  {
    name: "a fault of one login strikes everybody",
    file: "crates/forge/src/faults/injected_fault.rs",
    find: "if self.login.as_ref().is_some_and(|login| !author.is(login)) {",
    replace: "if self.login.as_ref().is_some_and(|_| false) {",
    test: "-p collie-forge --test it -- a_fault_of_one_login",
  },
  {
    name: "an agent that keeps nothing has no home",
    file: "crates/agents/src/acp/agent_home.rs",
    find: "    std::fs::create_dir_all(home)?;\n",
    replace: "",
    test: "-p collie-agents --lib -- an_agent_that_keeps_nothing",
  },
  {
    name: "a script that is all of a project's tests is no test",
    file: "crates/git/src/tamper/path_rules.rs",
    find: "            || whole\n",
    replace: "",
    test: "-p collie-git --lib -- tests_are_known_by_their_path",
  },
];
