import { useEffect } from "react";
import { useHost } from "../../data";
import type { Host } from "../../platform";

const reported = new WeakSet<Host>();

/** Tells the host once, after the first view that can be used has been painted, how long that took. */
export function useInteractive(usable: boolean): void {
  const host = useHost();
  useEffect(() => {
    if (!usable || reported.has(host)) return;
    const frame = requestAnimationFrame(() => {
      reported.add(host);
      host.rpc({ command: "interactive", args: { after_ms: Math.round(performance.now()) } }).catch(() => undefined);
    });
    return () => cancelAnimationFrame(frame);
  }, [usable, host]);
}
