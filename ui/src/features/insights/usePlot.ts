import { useLayoutEffect, useRef, useState, type RefObject } from "react";

export interface Plot {
  /** Around the drawing: as wide as there is room. */
  frame: RefObject<HTMLDivElement | null>;
  /** In pixels. */
  width: number;
  /** Pixels of one rem: text can be made larger, and room for it with it. */
  rem: number;
}

/** Before anything is measured. */
const USUAL: Omit<Plot, "frame"> = { width: 480, rem: 16 };

/** How much room a drawing has, kept true while that changes. */
export function usePlot(): Plot {
  const frame = useRef<HTMLDivElement>(null);
  const [size, setSize] = useState(USUAL);
  useLayoutEffect(() => {
    const node = frame.current;
    if (!node) return;
    const measure = () => {
      const rem = Number.parseFloat(getComputedStyle(document.documentElement).fontSize) || USUAL.rem;
      setSize({ width: node.clientWidth || USUAL.width, rem });
    };
    measure();
    const observer = new ResizeObserver(measure);
    observer.observe(node);
    return () => observer.disconnect();
  }, []);
  return { frame, ...size };
}
