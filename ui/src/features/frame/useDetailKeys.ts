import { useFreeKeys } from "../../components";

/** Keys of the pull request that is shown: `[` and `]` go from tab to tab, `n` and `p` from finding to finding. In its changes `n` and `p` go to hunks. */
export function useDetailKeys(): void {
  useFreeKeys(({ key }) => {
    const detail = document.querySelector("main [role=region][data-detail]");
    const isTab = key === "[" || key === "]";
    if (!detail || (!isTab && key !== "n" && key !== "p")) return false;
    const step = key === "]" || key === "n" ? 1 : -1;
    // Where there is nothing of the kind the key is another's: in the changes it goes to hunks.
    return isTab
      ? stepIn(tabsOf(detail), (tab) => tab.getAttribute("aria-selected") === "true", step)
      : stepIn(findingsOf(detail), (finding) => finding === document.activeElement, step);
  });
}

const tabsOf = (detail: Element): HTMLElement[] => [...detail.querySelectorAll<HTMLElement>("[role=tab]")];

/** Those of the page that is shown. */
const findingsOf = (detail: Element): HTMLElement[] => [...detail.querySelectorAll<HTMLElement>("[role=tabpanel]:not([hidden]) [data-finding]")];

/** Gives the focus to the one after or before, to the first one when none is the present one, and round at the ends; false where there is none. */
function stepIn(elements: HTMLElement[], isPresent: (element: HTMLElement) => boolean, step: 1 | -1): boolean {
  const at = elements.findIndex(isPresent);
  const next = at < 0 ? elements.at(step === 1 ? 0 : -1) : elements[(at + step + elements.length) % elements.length];
  next?.focus();
  next?.scrollIntoView({ block: "nearest" });
  return next !== undefined;
}
