// How PR-Agent asks a model, and the scripted model's answers in that form: YAML for its review, its suggestions, and their scores.

/** Text as a block of YAML below a key. */
const block = (indent, text) => `|\n${text.split("\n").map((line) => `${" ".repeat(indent)}${line}`).join("\n")}`;

function review({ text, mind }) {
  const issues = mind.findings(text).map(({ file, title, description, number }) => [
    "  - relevant_file: " + block(6, file), "    issue_header: " + block(6, title), "    issue_content: " + block(6, description), `    start_line: ${number ?? 1}`, `    end_line: ${number ?? 1}`,
  ].join("\n"));
  const list = issues.length === 0 ? "  key_issues_to_review: []" : `  key_issues_to_review:\n${issues.join("\n")}`;
  return { text: `review:\n  estimated_effort_to_review_[1-5]: |\n    2\n  relevant_tests: |\n    Yes\n${list}\n  security_concerns: |\n    No\n` };
}

function suggest({ text, mind }) {
  const all = mind.findings(text).map((fault) => [
    "- relevant_file: " + block(4, fault.file), "  language: " + block(4, fault.file.endsWith(".py") ? "python" : "javascript"),
    "  existing_code: " + block(4, fault.old ?? fault.line), "  suggestion_content: " + block(4, `${fault.title}. ${fault.description}`),
    "  improved_code: " + block(4, fault.new ?? fault.line), "  one_sentence_summary: " + block(4, fault.title), "  label: " + block(4, "possible bug"),
  ].join("\n"));
  return { text: all.length === 0 ? "code_suggestions: []\n" : `code_suggestions:\n${all.join("\n")}\n` };
}

/** It has its own suggestions looked at again, one score each, in their order. */
function score({ text, mind }) {
  const shown = text.slice(text.lastIndexOf("code_suggestions") >= 0 ? text.search(/one_sentence_summary|suggestion_content|suggestion_summary/) : 0);
  const known = mind.findings(text).filter(({ title }) => shown.includes(title));
  const all = known.map((fault) => [
    "- suggestion_summary: " + block(4, fault.title), "  relevant_file: " + block(4, fault.file), `  relevant_lines_start: ${fault.number ?? 1}`, `  relevant_lines_end: ${fault.number ?? 1}`,
    `  suggestion_score: ${mind.upholds(fault.title) ? 9 : 1}`, "  why: " + block(4, "I followed the line."),
  ].join("\n"));
  return { text: `code_suggestions:\n${all.join("\n")}\n` };
}

/** The model's answer to a request of PR-Agent's. */
export function answer(request) {
  if (request.text.includes("suggestion_score")) return score(request);
  if (request.text.includes("improved_code")) return suggest(request);
  return review(request);
}
