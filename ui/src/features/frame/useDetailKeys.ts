import { useEffect } from "react";
import { isKeyTaken } from "../../components";

/** Keys of the pull request that is shown: `[` and `]` go from tab to tab, `n` and `p` from finding to finding. In its changes `n` and `p` go to hunks. */
export function useDetailKeys(): void {
  useEffect(() => {
    const press = (event: KeyboardEvent) => {
      const detail = document.querySelector("main [role=region][data-detail]");
      if (!detail || isKeyTaken(event)) return;
      const step = event.key === "]" || event.key === "n" ? 1 : -1;
      if (event.key === "[" || event.key === "]") stepIn(tabsOf(detail), (tab) => tab.getAttribute("aria-selected") === "true", step);
      else if (event.key === "n" || event.key === "p") stepIn(findingsOf(detail), (finding) => finding === document.activeElement, step);
      else return;
      event.preventDefault();
    };
    window.addEventListener("keydown", press);
    return () => window.removeEventListener("keydown", press);
  }, []);
}

const tabsOf = (detail: Element): HTMLElement[] => [...detail.querySelectorAll<HTMLElement>("[role=tab]")];

/** Those of the page that is shown. */
const findingsOf = (detail: Element): HTMLElement[] => [...detail.querySelectorAll<HTMLElement>("[role=tabpanel]:not([hidden]) [data-finding]")];

/** Gives the focus to the one after or before; to the first one when none is the present one, and round at the ends. */
function stepIn(elements: HTMLElement[], isPresent: (element: HTMLElement) => boolean, step: 1 | -1): void {
  const at = elements.findIndex(isPresent);
  const next = at < 0 ? elements.at(step === 1 ? 0 : -1) : elements[(at + step + elements.length) % elements.length];
  next?.focus();
  next?.scrollIntoView({ block: "nearest" });
}
