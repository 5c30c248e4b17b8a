import { useState } from "react";
import type { Layout } from "./rows";

const KEPT = "collie-diff-layout";

function kept(): Layout {
  try {
    return localStorage.getItem(KEPT) === "split" ? "split" : "unified";
  } catch {
    return "unified";
  }
}

/** How this person likes diffs, kept by the window. */
export function useLayoutChoice(): [Layout, (layout: Layout) => void] {
  const [layout, setLayout] = useState(kept);
  const choose = (choice: Layout) => {
    setLayout(choice);
    try {
      localStorage.setItem(KEPT, choice);
    } catch {
      // Without storage the next diff is shown as they are at first.
    }
  };
  return [layout, choose];
}
