import { useState } from "react";
import type { SessionView } from "../../generated/wire";

/**
 * Whether the onboarding is shown: while nobody is signed in, and from then on until the first steps are done. Who comes back signed in does
 * not see it.
 */
export function useOnboarding(session: SessionView | undefined): { shown: boolean; done: () => void } {
  const [begun, setBegun] = useState(false);
  const signedOut = session?.phase === "onboarding";
  if (signedOut && !begun) setBegun(true);
  return { shown: signedOut || (begun && session?.phase !== "stopped"), done: () => setBegun(false) };
}
