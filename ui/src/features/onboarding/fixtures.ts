import type { DemoView, SessionView } from "../../generated/wire";

/** A first start: gh is signed in, nobody in Collie is. */
export const NOBODY = {
  phase: "onboarding",
  account: null,
  engine: null,
  quota: null,
  credentials: { gh_installed: true, token: "gh", login: "kim", keychain: true },
} satisfies Partial<SessionView>;

/** The demo as Rust has it, some of its scenarios started. */
export function aDemoWith(started: string[]): DemoView {
  const names = ["clean", "fix-loop", "ci-red", "stuck", "human", "moved-head", "three-rounds"];
  return { scenarios: names.map((name) => ({ name, key: `demo/${name}#1`, started: started.includes(name) })) };
}
