import { useEffect, type ReactElement } from "react";

/** Something a person does in a scene: clicks on what a selector finds, or writes into it; with `null` it is only waited for. */
export type ScriptStep = [selector: string] | [selector: string, text: string | null];

const PATIENCE_MS = 10_000;

async function waitFor(selector: string): Promise<HTMLElement> {
  const end = Date.now() + PATIENCE_MS;
  for (;;) {
    const element = document.querySelector<HTMLElement>(selector);
    if (element) return element;
    if (Date.now() > end) throw new Error(`no ${selector} in the scene`);
    await new Promise(requestAnimationFrame);
  }
}

function write(field: HTMLElement, text: string): void {
  // React listens for events, and looks past a value that was set through its own property.
  Object.getOwnPropertyDescriptor(Object.getPrototypeOf(field), "value")?.set?.call(field, text);
  field.dispatchEvent(new Event(field instanceof HTMLSelectElement ? "change" : "input", { bubbles: true }));
}

function press(element: Element): void {
  // Menus open when the pointer goes down.
  element.dispatchEvent(new PointerEvent("pointerdown", { bubbles: true, button: 0 }));
  // What is drawn has no click of its own.
  if (element instanceof HTMLElement) element.click();
  else element.dispatchEvent(new MouseEvent("click", { bubbles: true }));
}

async function play(steps: ScriptStep[]): Promise<void> {
  for (const [selector, text] of steps) {
    await waitFor(selector);
    // A person acts on what was painted: only then does it listen.
    for (let frame = 0; frame < 2; frame += 1) await new Promise(requestAnimationFrame);
    if (text === null) continue;
    // It may have been drawn again meanwhile.
    const element = await waitFor(selector);
    element.focus();
    if (text !== undefined) write(element, text);
    else press(element);
  }
}

/** A scene in which a person has done something already; for the gallery. Until then the page says so: nobody looks at it before. */
export function ScriptedScene({ steps, children }: { steps: ScriptStep[]; children: ReactElement }) {
  useEffect(() => {
    document.body.dataset["script"] = "running";
    void play(steps).finally(() => delete document.body.dataset["script"]);
  }, [steps]);
  return children;
}
