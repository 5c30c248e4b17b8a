import type { FindingView } from "../../generated/wire";

/** How findings are put together. */
export type Grouping = "priority" | "round";

/** Findings under one heading; `key` is the priority, or the number of the review that first reported them. */
export interface FindingGroup {
  key: string;
  findings: FindingView[];
}

/** Whether something is still to be done about it, or it came back. */
export function isOpen(finding: FindingView): boolean {
  switch (finding.status) {
    case "open":
      return finding.kind !== "praise";
    case "claimed":
    case "stuck":
      return true;
    case "rejected":
      // What is more than a suggestion stands in the way, whoever declined it.
      return finding.priority !== "P3" && finding.kind !== "praise";
    case "fixed":
    case "withdrawn":
    case "unsure":
    case "dismissed":
      return false;
  }
}

/** Puts findings together: the most urgent, or the latest review, first; within a group what is open first. */
export function groupFindings(findings: readonly FindingView[], grouping: Grouping): FindingGroup[] {
  const groups = new Map<string, FindingView[]>();
  for (const finding of findings) {
    const key = grouping === "priority" ? finding.priority : String(finding.first_round);
    const group = groups.get(key);
    if (group) group.push(finding);
    else groups.set(key, [finding]);
  }
  const order = (a: string, b: string) => (grouping === "priority" ? a.localeCompare(b) : Number(b) - Number(a));
  return [...groups]
    .sort(([a], [b]) => order(a, b))
    .map(([key, members]) => ({ key, findings: openFirst(members) }));
}

/** The same in the same order, but what is open before what is not. */
export function openFirst(findings: readonly FindingView[]): FindingView[] {
  return [...findings.filter(isOpen), ...findings.filter((one) => !isOpen(one))];
}

/** How many findings have each fate. */
export function countFindings(findings: readonly FindingView[]): { open: number; fixed: number; dismissed: number; settled: number } {
  let [open, fixed, dismissed, settled] = [0, 0, 0, 0];
  for (const finding of findings) {
    if (isOpen(finding)) open += 1;
    else if (finding.status === "fixed") fixed += 1;
    else if (finding.status === "dismissed") dismissed += 1;
    else if (finding.status !== "open") settled += 1;
  }
  return { open, fixed, dismissed, settled };
}

/** A path cut before its last part, so that the part that tells files apart is never cut away. */
export function splitPath(path: string): { folder: string; name: string } {
  const at = path.lastIndexOf("/");
  return { folder: path.slice(0, at + 1), name: path.slice(at + 1) };
}
