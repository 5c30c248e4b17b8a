// Reads what Rust's test programs print.

/** So much of what a failed test said is kept, from its panic on. */
const MOST_LINES = 15;

/** The tests that failed, in the output of a test program: each with its panic, and without its backtrace. */
export function failedTests(lines) {
  const begins = lines.flatMap((line, at) => {
    const name = line.match(/^---- (.+) stdout ----$/)?.[1];
    return name ? [{ name, at }] : [];
  });
  return begins.map(({ name, at }, nth) => {
    const said = lines.slice(at + 1, begins[nth + 1]?.at);
    const panic = Math.max(0, said.findIndex((line) => / panicked at /.test(line)));
    const end = said.findIndex((line, index) => index > panic && /^(stack backtrace:|note: |failures:)/.test(line));
    return { name, lines: said.slice(panic, end < 0 ? undefined : end).slice(0, MOST_LINES) };
  });
}
