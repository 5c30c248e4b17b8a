import { useEffect, useRef, type RefObject } from "react";
import { isKeyTaken } from "../../components";

/** While something has the whole window, what lies behind it cannot be reached, and Escape gives the window back. */
export function useWholeWindow(node: RefObject<HTMLElement | null>, active: boolean, onLeave: () => void): void {
  const latest = useRef(onLeave);
  useEffect(() => {
    latest.current = onLeave;
  });
  useEffect(() => {
    const element = node.current;
    if (!active || !element) return;
    const behind = othersOf(element);
    for (const each of behind) each.inert = true;
    if (!element.contains(document.activeElement)) element.querySelector<HTMLElement>('[role="tab"][data-state="active"]')?.focus();
    const press = (event: KeyboardEvent) => {
      if (event.key !== "Escape" || isKeyTaken(event)) return;
      // Before the window takes it for closing the pull request.
      event.preventDefault();
      latest.current();
    };
    window.addEventListener("keydown", press, true);
    return () => {
      for (const each of behind) each.inert = false;
      window.removeEventListener("keydown", press, true);
    };
  }, [node, active]);
}

/** What stands beside an element, up to the page's main part and what is beside that. */
function othersOf(element: HTMLElement): HTMLElement[] {
  const others: HTMLElement[] = [];
  for (let at: HTMLElement | null = element; at && at.parentElement; at = at.parentElement) {
    for (const sibling of at.parentElement.children) {
      if (sibling !== at && sibling instanceof HTMLElement && !sibling.inert) others.push(sibling);
    }
    if (at.tagName === "MAIN") break;
  }
  return others;
}
