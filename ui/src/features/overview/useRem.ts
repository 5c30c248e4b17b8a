import { useLayoutEffect, useState, type RefObject } from "react";

const USUAL_PX = 16;

/** How many pixels one rem is, as measured by an element that is one rem high: text can be made larger, and lines grow with it. */
export function useRem(probe: RefObject<HTMLElement | null>): number {
  const [px, setPx] = useState(USUAL_PX);
  useLayoutEffect(() => {
    const node = probe.current;
    if (!node) return;
    const measure = () => setPx(node.getBoundingClientRect().height || USUAL_PX);
    measure();
    const observer = new ResizeObserver(measure);
    observer.observe(node);
    return () => observer.disconnect();
  }, [probe]);
  return px;
}
