import { useEffect } from "react";
import { useAnnounce } from "./components";
import { useText } from "./i18n";
import { kept } from "./kept";
import type { Host } from "./platform";

/** How large everything can be shown, in percent: the steps of browsers. */
export const ZOOM_STEPS = [50, 67, 75, 80, 90, 100, 110, 125, 150, 175, 200, 250, 300] as const;

const USUAL = 100;

const store = kept("collie-zoom", (stored) => (ZOOM_STEPS.some((step) => step === stored) ? Number(stored) : USUAL));

/** The zoom that a key press asks for, in percent; null when it asks for none. */
export function zoomAfter(event: Pick<KeyboardEvent, "key" | "ctrlKey" | "metaKey" | "altKey">, zoom: number): number | null {
  if (!(event.ctrlKey || event.metaKey) || event.altKey) return null;
  switch (event.key) {
    // Without Shift the key of the plus sign says "=" on many keyboards.
    case "+":
    case "=":
      return ZOOM_STEPS.find((step) => step > zoom) ?? zoom;
    case "-":
      return ZOOM_STEPS.findLast((step) => step < zoom) ?? zoom;
    case "0":
      return USUAL;
    default:
      return null;
  }
}

/** Ctrl with +, − and 0, also in a dialog or a field, and kept for the next start. A browser zooms by itself. */
export function useZoom({ setZoom }: Host): void {
  const t = useText();
  const announce = useAnnounce();
  useEffect(() => {
    if (setZoom === undefined) return;
    if (store.get() !== USUAL) setZoom(store.get() / 100);
    const hear = (event: KeyboardEvent) => {
      const zoom = zoomAfter(event, store.get());
      if (zoom === null) return;
      event.preventDefault();
      store.set(zoom);
      setZoom(zoom / 100);
      announce(t("zoom-is", { percent: zoom }));
    };
    window.addEventListener("keydown", hear, { capture: true });
    return () => window.removeEventListener("keydown", hear, { capture: true });
  }, [setZoom, t, announce]);
}
