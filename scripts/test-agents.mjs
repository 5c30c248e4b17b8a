// Tries real coding agents, in pinned versions from npm, against a model by script on a local forge, and measures how soon a
// cancelled one is gone.
//
//   node scripts/test-agents.mjs [--only codex,opencode,gemini,claude-code] [--trials fix,review,…] [--folder DIR] [--keep]
//
// For each agent:
//   fix     `collie watch --until-settled` with the agent as the fixer of a fault that no rule knows. The model has it run
//           `env`, then mend the file with the tool that it offers for that, then give its account.
//   review  the same with the agent as the reviewer: it reads the file, tries to change it, then answers.
//   cancel-at-model, cancel-at-command
//           `collie cancel` while the agent waits for the model, or for a command of its own that does not end; the time
//           from there until no process of it is left; and what was counted of it.
//   resume  the reviewer finds another fault in the mended file: the second fix goes on with the session of the first, and the
//           model is shown what was said in that one.
//   choose  the agent is told a model and an effort that are not its own: the model that is asked is that one.
//   mcp     the agent is handed on an MCP server, a program of the user's: the model calls its tool, which answers.
// After each, no process of the agent may be left, and none may have had a token of GitHub's in its environment.
//
// The agents are installed below target/agents, or --folder, once; each gets a new home there. It must not be below the
// temporary folder: Codex runs no command from a home there. Needs Linux, git, npm, and cargo to build `collie` unless the
// environment variable COLLIE names one. Ends with 1 when something failed.

import { mkdirSync, mkdtempSync, readdirSync, readFileSync, readlinkSync, rmSync, writeFileSync } from "node:fs";
import { homedir } from "node:os";
import { delimiter, dirname, join, relative, resolve } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { environment, OWNER, run, startForge, table, watch } from "./on-a-forge.mjs";
import { serveModel } from "./scripted-model.mjs";

const tree = join(dirname(fileURLToPath(import.meta.url)), "..");
const { values: option } = parseArgs({
  options: {
    only: { type: "string", default: "codex,opencode,gemini,claude-code" },
    trials: { type: "string", default: "fix,review,cancel-at-model,cancel-at-command,resume,choose,mcp" },
    folder: { type: "string" },
    keep: { type: "boolean", default: false },
  },
});
const target = process.env.CARGO_TARGET_DIR ?? join(tree, "target");
const collie = process.env.COLLIE ?? (await build());
const installed = resolve(option.folder ?? join(target, "agents"));

/** How long one run of `collie watch` may take. */
const PATIENCE_MS = 180_000;
/** How long a cancelled agent may take to be gone. */
const CANCEL_BAR_MS = 10_000;
/** Waits are short: there are no checks to wait for, and the forge is near. */
const WAITS = 'poll_interval = "1s"\nready_poll_interval = "5s"\nno_checks_grace = "1s"\nexternal_bot_timeout = "1s"\n';

const FAULTY = "export function total(list) {\n  const sum = list.lenght;\n  return sum;\n}\n";
const MENDED = FAULTY.replace("lenght", "length");
/** What the MCP server of a trial is called, and what only it knows. */
const SERVER = "shelf";
const SECRET_WORD = "heron-4711";

/** A tool call by the first of these tools that the agent offers, else by one that it does not: models do that too. */
const by = (tools) => (asked) => {
  const names = Object.keys(tools);
  const name = names.find((tool) => asked.tools.includes(tool)) ?? names[0];
  return { tool: name, args: tools[name](asked) };
};

/** The file with the fault, where the agent works. */
const file = (asked) => join(asked.cwd, "app.js");

/** The change that mends the file, and the one that mends it once more. */
const FIRST_CHANGE = { old_string: "const sum = list.lenght;", new_string: "const sum = list.length;" };
const SECOND_CHANGE = { old_string: "return sum;", new_string: "return sum ?? 0;" };
const patch = ({ old_string, new_string }) => `*** Begin Patch\n*** Update File: app.js\n@@\n-  ${old_string}\n+  ${new_string}\n*** End Patch\n`;
const sed = ({ old_string, new_string }) => `sed -i 's/${old_string}/${new_string}/' app.js`;

/**
 * The agents: what is installed, what is written into a new home before it starts, what it finds in its environment, and
 * how it is asked to run a command, to read the file and to mend it.
 */
const AGENTS = {
  codex: {
    packages: ["@agentclientprotocol/codex-acp@2.6.0", "@openai/codex@0.169.0"],
    prepare: (home, url) => ({
      "codex/config.toml": [
        'model = "scripted"', 'model_provider = "scripted"', "[model_providers.scripted]", 'name = "Scripted"',
        `base_url = "${url}/v1"`, 'wire_api = "responses"', 'env_key = "OPENAI_API_KEY"', "",
      ].join("\n"),
    }),
    // It brings a Codex of its own, of another version.
    env: (home, url, bin) => ({ CODEX_HOME: join(home, "codex"), CODEX_PATH: join(bin, "codex"), OPENAI_API_KEY: "scripted-key" }),
    run: (command) => by({
      exec_command: () => ({ cmd: command }),
      shell_command: () => ({ command }),
      shell: () => ({ command: ["bash", "-c", command] }),
    }),
    read: (self) => self.run("cat app.js"),
    // Of its own models some write code that calls its tools.
    mend: (self, change) => (asked) => asked.tools.includes("exec") ? { tool: "exec", args: `await tools.exec_command({ cmd: ${JSON.stringify(sed(change))} });` } : asked.tools.includes("apply_patch") ? { tool: "apply_patch", args: patch(change) } : self.run(sed(change))(asked),
    choice: { model: "gpt-6-sol", effort: "high", asks: ({ body }) => [body.model, body.reasoning?.effort] },
  },
  opencode: {
    packages: ["opencode-ai@1.18.33"],
    prepare: (home, url) => ({
      "config/opencode/opencode.json": JSON.stringify({
        model: "scripted/scripted", small_model: "scripted/scripted",
        provider: {
          scripted: {
            npm: "@ai-sdk/openai-compatible", name: "Scripted", options: { baseURL: `${url}/v1`, apiKey: "scripted-key" },
            models: { scripted: { name: "Scripted" }, other: { name: "Other" } },
          },
        },
      }),
    }),
    env: (home) => ({
      XDG_CONFIG_HOME: join(home, "config"), XDG_DATA_HOME: join(home, "data"), XDG_STATE_HOME: join(home, "state"), XDG_CACHE_HOME: join(home, "cache"),
    }),
    run: (command) => by({ bash: () => ({ command, description: "Runs a command" }) }),
    read: () => by({ read: (asked) => ({ filePath: file(asked) }) }),
    mend: (self, { old_string, new_string }) => by({ edit: (asked) => ({ filePath: file(asked), oldString: old_string, newString: new_string }) }),
    choice: { model: "scripted/other", asks: ({ body }) => [body.model], expects: ["other"] },
  },
  gemini: {
    packages: ["@google/gemini-cli@0.61.0"],
    prepare: () => ({
      ".gemini/settings.json": JSON.stringify({
        security: { auth: { selectedType: "gemini-api-key" }, folderTrust: { enabled: false } },
        general: { disableAutoUpdate: true }, privacy: { usageStatisticsEnabled: false }, telemetry: { enabled: false },
      }),
    }),
    // By itself it asks a model which model to ask.
    env: (home, url) => ({ GEMINI_API_KEY: "scripted-key", GOOGLE_GEMINI_BASE_URL: url, GEMINI_MODEL: "gemini-2.5-pro" }),
    run: (command) => by({ run_shell_command: () => ({ command, description: "Runs a command" }) }),
    read: () => by({ read_file: (asked) => ({ file_path: file(asked) }) }),
    mend: (self, change) => by({ replace: (asked) => ({ file_path: file(asked), instruction: "Mend the file.", ...change }) }),
    // A session that is loaded in the minute in which it began is written over by the new process, and lost.
    keepsByMinute: true,
    choice: { model: "gemini-3.8-flash", asks: ({ path }) => [/models\/([^:]+):/.exec(path)?.[1]], expects: ["gemini-3.8-flash"] },
  },
  "claude-code": {
    packages: ["@agentclientprotocol/claude-agent-acp@0.49.0"],
    prepare: () => ({ "claude/settings.json": "{}" }),
    env: (home, url) => ({ CLAUDE_CONFIG_DIR: join(home, "claude"), ANTHROPIC_API_KEY: "scripted-key", ANTHROPIC_BASE_URL: url, IS_SANDBOX: "1" }),
    run: (command) => by({ Bash: () => ({ command, description: "Runs a command" }) }),
    read: () => by({ Read: (asked) => ({ file_path: file(asked) }) }),
    readsFirst: true,
    mend: (self, change) => by({ Edit: (asked) => ({ file_path: file(asked), ...change }) }),
    choice: { model: "sonnet", effort: "high", asks: ({ body }) => [/sonnet/.exec(body.model)?.[0], body.output_config?.effort] },
  },
};

/** Builds the command as it is in this tree. */
async function build() {
  const PATH = [process.env.PATH, join(homedir(), ".cargo", "bin")].join(delimiter);
  await run("cargo", ["build", "--quiet", "--package", "collie-cli"], { cwd: tree, env: { ...process.env, PATH } });
  return join(target, "debug", "collie");
}

// -- Processes ----------------------------------------------------------------------------------------------------------

function readOr(path) {
  try {
    return readFileSync(path, "latin1");
  } catch {
    return "";
  }
}

/** Every process: who it is (a number alone may be given again), its parent, and whether it is dead but not yet cleared away. */
function processes() {
  return readdirSync("/proc").filter((name) => /^\d+$/.test(name)).flatMap((pid) => {
    const stat = readOr(`/proc/${pid}/stat`);
    if (!stat) return [];
    // The name is in brackets and may hold anything.
    const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
    return [{ pid, id: `${pid}.${fields[19]}`, parent: fields[1], isDead: fields[0] === "Z" }];
  });
}

/** What this script has started, and what that started; the sandboxes of others on this machine are not its business. */
function descendants(all) {
  const found = new Set([String(process.pid)]);
  // A set that grows while it is walked is walked to its new end.
  for (const pid of found) all.filter(({ parent }) => parent === pid).forEach((child) => found.add(child.pid));
  return all.filter(({ pid }) => found.has(pid));
}

/** The processes of agents: those that a sandbox's supervisor started, those whose program is one that was installed here, and what they started. */
function ofAgents() {
  const all = descendants(processes().filter((process) => !process.isDead));
  const supervisors = new Set(all.filter(({ pid }) => readOr(`/proc/${pid}/cmdline`).includes("--sandbox-supervisor")).map(({ pid }) => pid));
  const isOne = ({ pid, parent }) => {
    if (supervisors.has(pid)) return false;
    if (supervisors.has(parent)) return true;
    let program = "";
    try {
      program = readlinkSync(`/proc/${pid}/exe`);
    } catch {
      // It is gone, or it is none of ours.
    }
    return program.startsWith(`${installed}/`);
  };
  const found = new Set(all.filter(isOne).map(({ pid }) => pid));
  for (const pid of found) all.filter(({ parent }) => parent === pid).forEach((child) => found.add(child.pid));
  return all.filter(({ pid }) => found.has(pid));
}

/** Remembers the processes of one trial: who there was, and whose environment held what no agent may see. */
function watchProcesses() {
  const known = new Map();
  const leaks = new Set();
  const look = () => {
    const now = ofAgents();
    for (const process of now) {
      known.set(process.id, process);
      const held = readOr(`/proc/${process.pid}/environ`).split("\0");
      for (const pair of held.filter(isSecret)) leaks.add(pair.split("=")[0]);
    }
    return now;
  };
  const left = () => {
    look();
    return processes().filter((process) => !process.isDead && known.has(process.id));
  };
  /** Where the agent works: the folder of the one that Collie started. */
  const cwd = () => {
    const now = look();
    const first = now.find(({ parent }) => !now.some(({ pid }) => pid === parent));
    return readlinkSync(`/proc/${first.pid}/cwd`);
  };
  return { known, leaks, look, left, cwd };
}

/** Whether a variable, `NAME=value`, is one that no agent may see. */
const isSecret = (pair) => /^(GITHUB_|GH_TOKEN|GH_ENTERPRISE_TOKEN|SSH_AUTH_SOCK)/.test(pair) || pair.includes(`forge-${OWNER}`);

// -- What the model says ------------------------------------------------------------------------------------------------

const FIX = "You fix what the review of a pull request found.";
const REVIEW = "You review one pull request and answer with one JSON object";
const SECOND = "You are the second look.";

/** What this request is about, and the tool results since that was asked. */
function taskOf(asked) {
  const at = (words) => asked.entries.findLastIndex((entry) => entry.text?.includes(words));
  const places = { fix: at(FIX), review: at(REVIEW), second: at(SECOND) };
  const [task, place] = Object.entries(places).sort(([, a], [, b]) => b - a)[0];
  if (place < 0) return { task: "other" };
  const results = asked.entries.slice(place).filter((entry) => entry.result !== undefined).map((entry) => entry.result);
  const prompt = asked.entries.slice(place).map((entry) => entry.text ?? "").join("\n");
  return { task, results, prompt };
}

const fenced = (value) => ({ text: `Here it is.\n\n\`\`\`json\n${JSON.stringify(value)}\n\`\`\`\n` });

/** What a reviewer finds in the mended file, where it looks for more. */
const ANOTHER = "The sum is handed out raw";

/** The reviewer finds the fault where it stands, and approves once it has seen the line without it. */
function review(prompt, twice) {
  const isAgain = prompt.includes("First give a verdict, under `earlier`");
  const isMended = /^\s*\d+\s*\+.*(list\.length|sum \?\? 0)/m.test(prompt);
  const another = twice && isMended && !prompt.includes("sum ?? 0");
  const finding = {
    kind: "error", priority: "P1", category: "correctness", file: "app.js", line: 2, evidence: "  const sum = list.lenght;",
    trigger: "any list", consequence: "the total is undefined",
    title: "The length is misspelt", description: "No list has a `lenght`.",
    suggestion: "Write `length`.", replacement: null, confidence: 0.95,
  };
  const raw = {
    ...finding, line: 3, evidence: "  return sum;", title: ANOTHER, trigger: "a list without a length", consequence: "undefined is handed out",
    description: "A caller cannot tell none from zero.", suggestion: "Write `return sum ?? 0`.",
  };
  return {
    conclusion: isAgain && isMended && !another ? "approve" : "request_changes",
    findings: another ? [raw] : isAgain ? [] : [finding],
    earlier: isAgain ? [{ finding: "K1", verdict: isMended ? "fixed" : "open", reason: "I looked at the line." }] : [],
    escalations: [], fullReport: isAgain ? "The length is right now." : "One fault.",
  };
}

const SECOND_LOOK = { verdicts: [{ finding: "F1", reason: "Line 2: no list has a `lenght`.", score: "100" }] };
const ACCOUNT = { fixedIssues: [{ findingId: "F1", description: "Wrote `length`." }], rejectedIssues: [] };

/**
 * The model of a trial. `fix`, `again` (of what was found in the second look at all) and `review` are the tool calls that it
 * asks of an agent there; an entry that is missing hangs. With `nextMinute` no review after the agent's first turn ends in
 * the minute in which that began.
 */
function script({ fix = [], again, review: reading = [], hangs = false, onAsked, nextMinute = false }) {
  let begun;
  return (asked) => {
    const { task, results, prompt } = taskOf(asked);
    const isAgent = asked.seat === "agent";
    onAsked({ asked, task, results, prompt, isAgent });
    if (isAgent) begun ??= Math.floor(Date.now() / 60_000);
    // Agents also ask for a title and the like, without tools.
    if (task === "other" || (isAgent && asked.tools.length === 0)) return { text: "Mending a length" };
    if (task === "second") return fenced(SECOND_LOOK);
    const fixes = again && prompt.includes(ANOTHER) ? again : fix;
    const steps = task === "fix" ? fixes : isAgent ? reading : [];
    if (results.length < steps.length) return steps[results.length](asked);
    if (task === "fix") return hangs ? undefined : fenced(ACCOUNT);
    const answer = fenced(review(prompt, again !== undefined));
    const until = nextMinute && begun !== undefined ? (begun + 1) * 60_000 - Date.now() : 0;
    return until > 0 ? wait(until).then(() => answer) : answer;
  };
}

// -- Trials -------------------------------------------------------------------------------------------------------------

/** Installs an agent, once. */
async function install(name) {
  const folder = join(installed, name);
  const isThere = ({ path, version }) => {
    const found = readOr(join(folder, "node_modules", path, "package.json"));
    return found && JSON.parse(found).version === version;
  };
  const wanted = AGENTS[name].packages.map((spec) => ({ path: spec.slice(0, spec.lastIndexOf("@")), version: spec.slice(spec.lastIndexOf("@") + 1) }));
  if (!wanted.every(isThere)) {
    rmSync(folder, { recursive: true, force: true });
    mkdirSync(folder, { recursive: true });
    writeFileSync(join(folder, "package.json"), '{ "private": true }\n');
    await run("npm", ["install", "--no-audit", "--no-fund", "--loglevel=error", "--save-exact", ...AGENTS[name].packages], { cwd: folder });
    // npm takes an older one without a word where it thinks that this Node is too old.
    if (!wanted.every(isThere)) throw new Error(`npm installed other versions than ${AGENTS[name].packages.join(", ")}`);
  }
  return join(folder, "node_modules", ".bin");
}

/** A forge with a pull request that has the fault; gives what a trial needs. */
async function scene(folder) {
  const sample = join(folder, "sample");
  mkdirSync(sample, { recursive: true });
  const git = (...args) => run("git", ["-C", sample, "-c", "user.name=Tess", "-c", "user.email=tess@example.com", ...args]);
  await git("init", "--quiet", "--initial-branch=main");
  writeFileSync(join(sample, "app.js"), "export {};\n");
  await git("add", ".");
  await git("commit", "--quiet", "-m", "Begin");
  await git("checkout", "--quiet", "-b", "topic");
  writeFileSync(join(sample, "app.js"), FAULTY);
  await git("commit", "--quiet", "-am", "Add a total");
  // The branch that is checked out becomes the default one.
  await git("checkout", "--quiet", "main");
  const root = join(folder, "forge");
  const repo = `${OWNER}/sample`;
  await run(collie, ["forge", "import", "--root", root, "--repo", repo, "--git", sample]);
  await run(collie, ["forge", "open-pr", "--root", root, "--repo", repo, "--base", "main", "--head", "topic", "--title", "Add a total"]);
  return { repo, forge: await startForge(collie, root) };
}

/** What Collie and the agent find in their environment: a person's, with the token that the agent may not see. */
function personal(agent, home, url, bin) {
  const { LANG, SSL_CERT_FILE, SSL_CERT_DIR, NODE_EXTRA_CA_CERTS } = process.env;
  const path = [bin, dirname(process.execPath), process.env.PATH].join(delimiter);
  const given = { LANG, SSL_CERT_FILE, SSL_CERT_DIR, NODE_EXTRA_CA_CERTS };
  const set = Object.fromEntries(Object.entries(given).filter(([, value]) => value));
  // At this level the log says why a turn came to nothing.
  return { ...set, COLLIE_LOG: "collie_agents=debug,info", PATH: path, HOME: home, ...agent.env(home, url, bin) };
}

/** The head of the pull request's branch: its file, and the commits since the base. */
async function pushed(forge, repo) {
  const commits = await forge.all(`/repos/${repo}/pulls/1/commits`);
  const found = await forge.json(`/api/v3/repos/${repo}/contents/app.js?ref=topic`).catch(() => forge.json(`${forge.apiUrl}/repos/${repo}/contents/app.js?ref=topic`));
  return { commits, text: Buffer.from(found.content, "base64").toString() };
}

/** Runs a trial in a folder of its own, which stays when it failed and --keep says so. */
async function trial(name, kind, bin, work) {
  const folder = mkdtempSync(join(installed, `run-${name}-${kind}-`));
  const agent = AGENTS[name];
  const home = join(folder, "home");
  const seen = watchProcesses();
  const problems = [];
  const start = Date.now();
  let note = "";
  let model;
  let forge;
  try {
    const set = { onAsked: () => {} };
    let decide;
    model = await serveModel((asked) => decide(asked));
    const url = model.url("agent");
    for (const [path, text] of Object.entries(agent.prepare(home, url))) {
      mkdirSync(dirname(join(home, path)), { recursive: true });
      writeFileSync(join(home, path), text);
    }
    const there = await scene(folder);
    forge = there.forge;
    const context = {
      agent, name, repo: there.repo, forge, folder, seen, problems,
      env: personal(agent, home, url, bin),
      // The model by script is no host that the agent's makers run.
      hosts: `[agents.${name}]\nhosts = [${JSON.stringify(new URL(url).host)}]\n`,
      llm: `[llm]\nprovider = "compatible"\nmodel = "scripted"\nurl = "${model.url("llm")}/v1"\n`,
      say: (parts) => {
        decide = script({
          ...parts,
          onAsked: (about) => {
            if (about.isAgent) about.asked.cwd = seen.cwd();
            set.onAsked(about);
          },
        });
      },
      onAsked: (listener) => {
        set.onAsked = listener;
      },
    };
    note = await work(context);
  } catch (error) {
    problems.push(error.message);
  } finally {
    await forge?.stop();
    await model?.stop();
  }
  if (seen.known.size === 0) problems.push("no process of the agent was ever seen");
  const left = seen.left();
  if (left.length) problems.push(`${left.length} processes of the agent are left: ${left.map(({ pid }) => readOr(`/proc/${pid}/cmdline`).replaceAll("\0", " ").trim()).join("; ")}`);
  left.forEach(({ pid }) => process.kill(pid, "SIGKILL"));
  if (seen.leaks.size) problems.push(`its environment held ${[...seen.leaks].join(", ")}`);
  if (option.keep) {
    const dump = model?.asked.map(({ seat, entries, tools, body }) => ({ seat, tools, entries, body })) ?? [];
    writeFileSync(join(folder, "asked.json"), JSON.stringify(dump, null, 1));
    console.log(`  kept ${relative(tree, folder)}`);
  } else rmSync(folder, { recursive: true, force: true });
  const seconds = (Date.now() - start) / 1000;
  console.log(`${problems.length ? "✗" : "✓"} ${name} ${kind}${note ? `: ${note}` : ""}  ${seconds.toFixed(1)} s`);
  for (const problem of problems) console.log(`  ${problem}`);
  return { name, kind, note: problems.length ? "failed" : note, seconds, failed: problems.length > 0 };
}

/** Starts `collie watch` on the trial's pull request. */
function watchIt(context, config, untilSettled) {
  const { forge, folder, repo, env } = context;
  return watch({
    collie, apiUrl: forge.apiUrl, home: join(folder, "collie"), repo: `${repo}#1`, config: WAITS + config + context.hosts + (context.agentConfig ?? ""), within: PATIENCE_MS, untilSettled, env,
  });
}

/** Why the agent's turns came to nothing, as Collie's log has it. */
function failedTurns(folder) {
  const logs = join(folder, "collie", "logs");
  const lines = readdirSync(logs).flatMap((name) => readOr(join(logs, name)).split("\n")).filter(Boolean);
  return lines.map((line) => JSON.parse(line).fields.failed).filter(Boolean);
}

/** Checks how a watch ended: ready, with one commit of Collie's that mends the file. */
async function expectMended(context, watching, changes = [FIRST_CHANGE]) {
  const { forge, folder, repo, problems } = context;
  const mended = changes.reduce((text, { old_string, new_string }) => text.replace(old_string, new_string), FAULTY);
  const status = await watching.ended;
  const { lines, said } = watching.seen;
  const end = lines.findLast((line) => line.type === "settled");
  if (status !== 0 || end?.state !== "pr_ready_to_merge") {
    const why = [end?.error?.message, end?.blocker?.text, ...said.slice(-3), ...failedTurns(folder)].filter(Boolean).join(" | ");
    problems.push(`ended with ${status} in ${end?.state ?? lines.at(-1)?.state}: ${why}`);
    return;
  }
  const { commits, text } = await pushed(forge, repo);
  if (text !== mended) problems.push(`the forge has app.js as ${JSON.stringify(text)}`);
  const added = commits.slice(1);
  if (added.length !== changes.length) problems.push(`${added.length} commits were pushed`);
  if (end.rounds.filter((round) => round.commit).length !== changes.length) problems.push(`it counts ${end.rounds.length} rounds`);
  const fix = added[0]?.commit;
  if (fix && !/collie/i.test(`${fix.author.name} ${fix.committer.name} ${fix.message}`)) problems.push(`the commit is ${fix.author.name}'s: ${fix.message}`);
}

/** What the agent printed as its environment may hold nothing that it must not see, and must be an environment. */
function expectEnvironment(context, printed) {
  if (!printed.includes("GIT_TERMINAL_PROMPT=")) context.problems.push(`\`env\` printed ${JSON.stringify(printed.slice(0, 300))}`);
  const secrets = printed.split(/\n|\\n/).filter(isSecret).map((pair) => pair.split("=")[0]);
  if (secrets.length) context.problems.push(`\`env\` printed ${secrets.join(", ")}`);
}

async function fixTrial(context) {
  const { agent, name } = context;
  const reads = agent.readsFirst ? [agent.read(agent)] : [];
  let printed;
  context.say({ fix: [agent.run("env"), ...reads, agent.mend(agent, FIRST_CHANGE)] });
  context.onAsked(({ task, results }) => {
    if (task === "fix") printed ??= results[0];
  });
  const start = Date.now();
  const watching = watchIt(context, `${context.llm}[fixer]\nruns_on = "${name}"\n`, true);
  await expectMended(context, watching);
  expectEnvironment(context, printed ?? "");
  return `ready in ${((Date.now() - start) / 1000).toFixed(1)} s`;
}

/** The agent reviews, tries to write although it is only there to read, and fixes what it found. */
async function reviewTrial(context) {
  const { agent, name, problems } = context;
  const reads = agent.readsFirst ? [agent.read(agent)] : [];
  context.say({ fix: [...reads, agent.mend(agent, FIRST_CHANGE)], review: [agent.read(agent), agent.mend(agent, FIRST_CHANGE)] });
  let tried = 0;
  context.onAsked(({ asked, task, results, isAgent }) => {
    if (!isAgent || task !== "review" || results.length < 2) return;
    tried += 1;
    const now = readFileSync(file(asked), "utf8");
    const written = tried === 1 ? now !== FAULTY : now !== MENDED;
    if (written) problems.push(`the reviewer wrote: ${JSON.stringify(now)}`);
  });
  const start = Date.now();
  const watching = watchIt(context, `[fixer]\nruns_on = "${name}"\n[reviewers.quinn]\nruns_on = "${name}"\n`, true);
  await expectMended(context, watching);
  if (tried === 0) problems.push("it ended its review when it was not allowed to write");
  return `ready in ${((Date.now() - start) / 1000).toFixed(1)} s`;
}

/** The journal's remarks on the loop, one by one. */
async function remarks({ forge, folder, repo, env }) {
  const printed = await run(collie, ["log", `${repo}#1`, "--json"], { env: { ...env, ...environment(join(folder, "collie"), forge.apiUrl) } });
  return printed.split("\n").filter(Boolean).flatMap((line) => JSON.parse(line).note?.split("; ") ?? []);
}

/** Two rounds of fixes: the second goes on with the first one's session, in which the model sees what was said before. */
async function resumeTrial(context) {
  const { agent, name, problems } = context;
  const reads = agent.readsFirst ? [agent.read(agent)] : [];
  context.say({ fix: [...reads, agent.mend(agent, FIRST_CHANGE)], again: [...reads, agent.mend(agent, SECOND_CHANGE)], nextMinute: agent.keepsByMinute });
  let remembered = false;
  context.onAsked(({ asked, task, isAgent, prompt }) => {
    if (!isAgent || task !== "fix" || !prompt.includes(ANOTHER)) return;
    const asks = asked.entries.filter((entry) => entry.text?.includes(FIX));
    remembered ||= asks.length > 1 && asked.entries.some((entry) => entry.text?.includes("Wrote `length`."));
  });
  const watching = watchIt(context, `${context.llm}[fixer]\nruns_on = "${name}"\n`, true);
  await expectMended(context, watching, [FIRST_CHANGE, SECOND_CHANGE]);
  const sessions = (await remarks(context)).filter((note) => note.startsWith("worked: fixer"));
  const resumed = sessions.map((note) => note.includes(", resumed"));
  if (resumed.join() !== "false,true") problems.push(`its sessions were resumed: ${resumed.join()}`);
  if (!remembered) problems.push("the second fix did not show the model what was said in the first");
  return "second fix in the session of the first";
}

/** The agent asks the model that the user set, with the effort, or says that it has no such. */
async function chooseTrial(context) {
  const { agent, name, problems } = context;
  const { model, effort, asks, expects = [model, effort] } = agent.choice;
  const reads = agent.readsFirst ? [agent.read(agent)] : [];
  context.say({ fix: [...reads, agent.mend(agent, FIRST_CHANGE)] });
  const seen = new Set();
  context.onAsked(({ asked, task, isAgent }) => {
    if (isAgent && task === "fix" && asked.tools.length > 0) seen.add(asks(asked).join(" "));
  });
  context.agentConfig = `model = "${model}"\neffort = "${effort ?? "max"}"\n`;
  await expectMended(context, watchIt(context, `${context.llm}[fixer]\nruns_on = "${name}"\n`, true));
  const wanted = expects.join(" ");
  if (seen.size !== 1 || !seen.has(wanted)) problems.push(`it asked ${[...seen].join("; ")} and not ${wanted}`);
  const told = (await remarks(context)).find((note) => note.includes("untaken"));
  const untaken = [...(told ?? "").matchAll(/(model|effort) (\S+) untaken: (\w+)/g)].map(([, what, value, why]) => `${what} ${value} ${why}`);
  if (untaken.some((one) => one.startsWith("model") || effort)) problems.push(untaken.join(", "));
  if (!effort && untaken.length === 0) problems.push("nobody says that it has no effort to choose");
  return `asked ${wanted}${untaken.length ? `; said: ${untaken.join(", ")}` : ""}`;
}

/** The agent starts a server of the user's in its sandbox; its tool is called and answers what nothing else knows. */
async function mcpTrial(context) {
  const { agent, name, folder, problems } = context;
  const reads = agent.readsFirst ? [agent.read(agent)] : [];
  let answer = "";
  const call = (asked) => {
    const tool = asked.tools.find((tool) => tool.includes(SERVER) || tool.endsWith("look_up"));
    if (!tool) throw new Error(`no tool of the server among ${asked.tools.join(", ")}`);
    return { tool, args: { word: "heron" } };
  };
  context.say({ fix: [call, ...reads, agent.mend(agent, FIRST_CHANGE)] });
  context.onAsked(({ task, isAgent, results }) => {
    if (isAgent && task === "fix") answer ||= results[0] ?? "";
  });
  const server = join(tree, "scripts", "mcp-server.mjs");
  const config = `[mcp.${SERVER}]\ncommand = [${JSON.stringify(process.execPath)}, ${JSON.stringify(server)}]\nenv = ["SHELF_WORD"]\nused_by = ["fixer"]\n`;
  context.env.SHELF_WORD = SECRET_WORD;
  await expectMended(context, watchIt(context, `${context.llm}[fixer]\nruns_on = "${name}"\n${config}`, true));
  if (!answer.includes(SECRET_WORD)) problems.push(`the tool answered ${JSON.stringify(answer.slice(0, 300))}`);
  const logs = join(folder, "collie", "logs");
  const written = readdirSync(logs).map((file) => readOr(join(logs, file))).join("");
  if (written.includes(SECRET_WORD)) problems.push("what the server logs in with stands in the log");
  return "its tool answered";
}

/** Cancels once `isThere` says so; gives the seconds until no process of the agent is left. */
async function cancelWhen(context, isThere) {
  const { forge, folder, repo, env, name, seen, problems } = context;
  const watching = watchIt(context, `${context.llm}[fixer]\nruns_on = "${name}"\n`, false);
  const deadline = Date.now() + PATIENCE_MS;
  while (!isThere() && Date.now() < deadline) {
    seen.look();
    await wait(50);
  }
  if (!isThere()) throw new Error(`it never came so far: ${watching.seen.lines.at(-1)?.state} ${watching.seen.said.slice(-3).join(" | ")}`);
  const before = seen.look().length;
  const start = Date.now();
  const asking = run(collie, ["cancel", `${repo}#1`], { env: { ...env, ...environment(join(folder, "collie"), forge.apiUrl) } });
  while (seen.left().length && Date.now() < deadline) await wait(20);
  const took = Date.now() - start;
  await asking;
  await watching.ended;
  const state = watching.seen.lines.findLast((line) => line.state)?.state;
  if (state !== "cancelled") problems.push(`it ended in ${state}`);
  if (took > CANCEL_BAR_MS) problems.push(`it took ${took} ms; the bar is ${CANCEL_BAR_MS} ms`);
  const told = (await remarks(context)).find((note) => note.startsWith("session_cancelled"));
  const tokens = /input_tokens (\d+), output_tokens (\d+)/.exec(told ?? "");
  return `${before} processes gone in ${(took / 1000).toFixed(2)} s, ${tokens ? `${tokens[1]} tokens in and ${tokens[2]} out counted` : "tokens not told"}`;
}

function cancelAtModel(context) {
  let hangs = false;
  context.say({ fix: [context.agent.run("env")], hangs: true });
  context.onAsked(({ task, results }) => {
    hangs ||= task === "fix" && results.length === 1;
  });
  return cancelWhen(context, () => hangs);
}

function cancelAtCommand(context) {
  context.say({ fix: [context.agent.run("sleep 598")] });
  const sleeps = ({ pid }) => readOr(`/proc/${pid}/cmdline`).split("\0").join(" ") === "sleep 598 ";
  return cancelWhen(context, () => [...context.seen.known.values()].some(sleeps));
}

const TRIALS = { fix: fixTrial, review: reviewTrial, "cancel-at-model": cancelAtModel, "cancel-at-command": cancelAtCommand, resume: resumeTrial, choose: chooseTrial, mcp: mcpTrial };

const rows = [];
for (const name of option.only.split(",")) {
  try {
    const bin = await install(name);
    for (const kind of option.trials.split(",")) rows.push(await trial(name, kind, bin, TRIALS[kind]));
  } catch (error) {
    console.log(`✗ ${name}: ${error.message}`);
    rows.push({ name, kind: "install", note: "failed", seconds: 0, failed: true });
  }
}
console.log();
table([["agent", "trial", "result", "seconds"], ...rows.map(({ name, kind, note, seconds }) => [name, kind, note, seconds.toFixed(1)])]);
const failed = rows.filter((row) => row.failed).length;
console.log(`\n${rows.length - failed} passed, ${failed} failed`);
process.exit(failed ? 1 : 0);
