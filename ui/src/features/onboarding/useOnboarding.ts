import { useEffect } from "react";
import type { SessionView } from "../../generated/wire";
import { useKept } from "../../kept";
import { progress, restart } from "./progress";

/**
 * Whether the onboarding is shown: while nobody is signed in, and from then on until the first steps are done, also after the window was closed in
 * the middle. Who comes back signed in does not see it.
 */
export function useOnboarding(session: SessionView | undefined): { shown: boolean; done: () => void } {
  const { begun } = useKept(progress);
  const signedOut = session?.phase === "onboarding";
  useEffect(() => {
    if (signedOut && !begun) restart(true);
  }, [signedOut, begun]);
  return { shown: signedOut || (session !== undefined && begun && session.phase !== "stopped"), done: () => restart(false) };
}
