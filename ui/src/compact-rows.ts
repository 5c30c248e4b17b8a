import { kept, useKept } from "./kept";

const store = kept("collie-compact-rows", (stored) => stored === true);

/** Whether the overview's rows are as low as may be, and how to change it: fifty loops in two screens (§13.8). */
export function useCompactRows(): [boolean, (compact: boolean) => void] {
  return [useKept(store), store.set];
}
