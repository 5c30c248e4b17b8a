import type { Host } from "./host";

/** Sends the page's errors to the diagnostics, each once. What the page was told as a `Problem` is shown, and is no error. */
export function reportErrors(host: Host): void {
  const sent = new Set<string>();
  const report = (text: string) => {
    if (sent.has(text)) return;
    sent.add(text);
    // Where even this fails, there is nobody left to tell.
    host.rpc({ command: "page_error", args: { text } }).catch(() => undefined);
  };
  window.addEventListener("error", (event) => report(describe(event.error ?? event.message)));
  window.addEventListener("unhandledrejection", (event) => report(describe(event.reason)));
  document.addEventListener("securitypolicyviolation", (event) => report(`refused by the policy: ${event.violatedDirective} ${event.blockedURI}`));
  const consoleError = console.error.bind(console);
  console.error = (...args: unknown[]) => {
    consoleError(...args);
    report(args.map(describe).join(" "));
  };
}

function describe(thrown: unknown): string {
  return thrown instanceof Error ? `${thrown.name}: ${thrown.message}\n${thrown.stack ?? ""}` : String(thrown);
}
