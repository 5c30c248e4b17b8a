import { useEffect, useState } from "react";

/** Asks before the settings are left with unsaved changes, be it by their own button or by a link of the window. */
export function useLeaveGuard(
  unsaved: boolean,
  onClose: () => void,
): { asking: boolean; close: () => void; leave: () => void; stay: () => void } {
  const [leaving, setLeaving] = useState<(() => void) | null>(null);

  useEffect(() => {
    if (!unsaved) return;
    const onClick = (event: MouseEvent) => {
      const link = event.target instanceof Element ? event.target.closest("a[href^='#']") : null;
      const href = link?.getAttribute("href") ?? "#/settings/";
      if (href.startsWith("#/settings/")) return;
      event.preventDefault();
      event.stopPropagation();
      setLeaving(() => () => {
        window.location.hash = href.slice(1);
      });
    };
    document.addEventListener("click", onClick, true);
    return () => document.removeEventListener("click", onClick, true);
  }, [unsaved]);

  return {
    asking: leaving !== null,
    close: () => (unsaved ? setLeaving(() => onClose) : onClose()),
    leave: () => {
      setLeaving(null);
      leaving?.();
    },
    stay: () => setLeaving(null),
  };
}
