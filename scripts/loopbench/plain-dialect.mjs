// The scripted model's answers where a tool has no dialect of its own: a list of findings as JSON, whatever was asked.

/** Gives `{ "findings": [{ path, line, quote, title, body, severity }] }` for the code that the request shows. */
export function answer({ text, mind }) {
  const findings = mind.findings(text).map(({ file, number, line, title, description, priority }) => ({ path: file, line: number ?? null, quote: line, title, body: description, severity: priority }));
  return { text: JSON.stringify({ findings }) };
}
