import { letterKeysOn } from "../letter-keys";

/** Whether a key press belongs to what has the focus, or to what lies in front, and not to the window. */
export function isKeyTaken(event: KeyboardEvent): boolean {
  if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey) return true;
  if (event.key.length === 1 && event.key !== " " && !letterKeysOn()) return true;
  if (document.querySelector('[role="dialog"], [role="alertdialog"], [role="menu"]')) return true;
  // What is chosen or ticked takes no letters.
  const takes = "input:not([type=radio], [type=checkbox]), textarea, select, [contenteditable]";
  return event.target instanceof Element && event.target.closest(takes) !== null;
}
