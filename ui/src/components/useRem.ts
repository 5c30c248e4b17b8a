import { useLayoutEffect, useState, type RefObject } from "react";

/** Pixels of one rem while text is of its usual size. */
export const USUAL_REM = 16;

/** How many pixels one rem is, as measured by an element that is one rem high: text can be made larger, and lines grow with it. */
export function useRem(probe: RefObject<HTMLElement | null>): number {
  const [px, setPx] = useState(USUAL_REM);
  useLayoutEffect(() => {
    const node = probe.current;
    if (!node) return;
    const measure = () => setPx(node.getBoundingClientRect().height || USUAL_REM);
    measure();
    const observer = new ResizeObserver(measure);
    observer.observe(node);
    return () => observer.disconnect();
  }, [probe]);
  return px;
}
