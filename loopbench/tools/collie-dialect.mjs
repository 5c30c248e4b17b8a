// How Collie asks a model, and the scripted model's answers in that form: reviews, second looks, and the fixer's steps and account.

const FIX = "You fix what the review of a pull request found.";
const REVIEW = "You review one pull request and answer with one JSON object";
const SECOND = "You are the second look.";

const json = (value) => ({ text: JSON.stringify(value) });

/** The sections under labels such as **F1**, in order. */
function labelled(text, letter) {
  const form = new RegExp(`^\\*\\*(${letter}\\d+)\\*\\*[^\\n]*$`, "gm");
  const heads = [...text.matchAll(form)];
  return heads.map((head, at) => ({ label: head[1], text: text.slice(head.index, heads[at + 1]?.index ?? text.length).split(/\n## /)[0] }));
}

function review({ text, mind }) {
  const earlier = text.includes("First give a verdict, under `earlier`") ? labelled(text, "K") : [];
  const known = earlier.map((one) => mind.about(one.text)?.id);
  const verdicts = earlier.map(({ label, text: words }) => {
    const fault = mind.about(words);
    if (mind.isFalse(words)) return { finding: label, reason: "I had misread the code.", verdict: "withdrawn" };
    const open = fault && mind.stands(fault);
    return { finding: label, reason: open ? "The line is as it was." : "The line is right now.", verdict: open ? "open" : "fixed" };
  });
  const falsely = earlier.map(({ text: words }) => mind.isFalse(words)?.id);
  const findings = mind.findings(text).filter(({ id }) => !known.includes(id) && !falsely.includes(id)).map((fault) => ({
    file: fault.file, line: fault.number ?? null, evidence: fault.line, trigger: fault.trigger, consequence: fault.consequence, description: fault.description,
    title: fault.title, kind: "error", category: fault.category, suggestion: null, replacement: null, priority: fault.priority, confidence: 0.95,
  }));
  const stands = findings.length > 0 || verdicts.some(({ verdict }) => verdict === "open");
  const worst = findings.some(({ priority }) => priority === "P0");
  return json({ earlier: verdicts, findings, fullReport: stands ? "There are faults." : "Nothing stands against it.", escalations: [], conclusion: !stands ? "approve" : worst ? "needs_major_work" : "request_changes" });
}

const secondLook = ({ text, mind }) => json({
  verdicts: labelled(text, "F").map(({ label, text: words }) => ({ finding: label, reason: "I followed the line.", score: mind.upholds(words) ? "100" : "0" })),
});

const comment = (path, words) => `${path.endsWith(".py") ? "#" : "//"} ${words}\n`;
const testFile = (planned) => Object.keys(planned.head).find((path) => /(^|\/)tests?[._]/.test(path));

/** The tool calls that a remedy is. */
function steps(remedy, planned, allowed, count) {
  const path = remedy.file ?? allowed.find((file) => /\.(py|mjs)$/.test(file)) ?? allowed[0];
  if (remedy.append) return [{ tool: "append", args: { path, text: comment(path, `${remedy.append} (${count})`) } }];
  if (remedy.breaks) return [{ tool: "append", args: { path, text: "\n)]}\n" } }];
  if (remedy.tampers) return [{ tool: "write", args: { path: testFile(planned), text: comment(testFile(planned), "nothing to test") } }];
  return remedy.edits.flatMap(({ file, edits }) => edits.map(([before, after]) => ({ tool: "replace", args: { path: file, old: before, new: after } })));
}

let turns = 0;

function fix({ entries, text, mind, planned }) {
  const results = entries.filter(({ result }) => result !== undefined);
  if (results.length === 0) turns += 1;
  const allowed = /Files that you may change, and no others:\n+```+\w*\n([\s\S]*?)\n```/.exec(text)?.[1].split("\n") ?? [];
  const all = labelled(text, "F").map(({ label, text: words }) => ({ label, remedy: mind.remedy(words) }));
  const calls = all.flatMap(({ remedy }) => steps(remedy, planned, allowed, turns));
  if (results.length < calls.length) return calls[results.length];
  const of = (says) => all.filter(({ remedy }) => remedy.says === says);
  const account = {
    fixedIssues: of("fixed").map(({ label, remedy }) => ({ findingId: label, description: remedy.reason })),
    rejectedIssues: of("rejected").map(({ label, remedy }) => ({ findingId: label, reason: remedy.reason })),
  };
  return { text: `I have looked at each.\n\n\`\`\`json\n${JSON.stringify(account)}\n\`\`\`\n` };
}

/** The model's answer to a request of Collie's. */
export function answer(request) {
  if (request.text.includes(FIX)) return fix(request);
  if (request.text.includes(SECOND)) return secondLook(request);
  if (request.text.includes(REVIEW)) return review(request);
  return { text: "A change" };
}
