import { useEffect, useState } from "react";

/** Ctrl+K (⌘K) opens and closes the palette from anywhere but in front of another dialog. */
export function usePalette(shown: string | null): { open: boolean; used: boolean; current: string | null; show: () => void; close: () => void } {
  const [state, setState] = useState({ open: false, used: false, current: shown });
  const show = () => {
    const line = document.activeElement?.closest<HTMLElement>('[role="row"][data-key]')?.dataset.key;
    setState({ open: true, used: true, current: line ?? shown });
  };
  const close = () => setState((before) => ({ ...before, open: false }));
  useEffect(() => {
    const press = (event: KeyboardEvent) => {
      if (event.key.toLowerCase() !== "k" || !(event.ctrlKey || event.metaKey) || event.altKey || event.shiftKey) return;
      event.preventDefault();
      if (state.open) close();
      else if (!document.querySelector('[role="dialog"], [role="alertdialog"], [role="menu"]')) show();
    };
    window.addEventListener("keydown", press);
    return () => window.removeEventListener("keydown", press);
  });
  return { ...state, show, close };
}
