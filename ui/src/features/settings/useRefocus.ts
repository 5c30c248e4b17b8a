import { useEffect, useRef, useState, type RefObject } from "react";

/** Where a button was pressed that has gone with its row, the next row's takes the focus, or else what adds one. */
export function useRefocus<E extends HTMLElement>(value: unknown, buttons: string, adds: string): [RefObject<E | null>, (place: number) => void] {
  const editor = useRef<E>(null);
  const [removed, setRemoved] = useState<number | null>(null);
  useEffect(() => {
    if (removed === null) return;
    const left = [...(editor.current?.querySelectorAll<HTMLElement>(buttons) ?? [])];
    (left[Math.min(removed, left.length - 1)] ?? editor.current?.querySelector<HTMLElement>(adds))?.focus();
    setRemoved(null);
  }, [removed, value, buttons, adds]);
  return [editor, setRemoved];
}
