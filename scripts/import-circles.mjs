// Finds import circles: between files, and between folders of ui/src/features, whose files may only lean on each other in one direction.

import { dirname, posix } from "node:path/posix";

const ENDINGS = ["", ".ts", ".tsx", "/index.ts", "/index.tsx"];

/** The file that an import of a file means; none for a package. */
export function resolveImport(from, source, exists) {
  if (!source.startsWith(".")) return null;
  const path = posix.join(dirname(from), source);
  return ENDINGS.map((ending) => path + ending).find(exists) ?? null;
}

/** Every circle that a search in depth meets, each as the nodes on it, the first one again at its end. */
export function circlesOf(graph) {
  const circles = [];
  const done = new Set();
  const path = [];
  const walk = (node) => {
    const at = path.indexOf(node);
    if (at >= 0) circles.push([...path.slice(at), node]);
    if (at >= 0 || done.has(node)) return;
    path.push(node);
    for (const next of [...(graph.get(node) ?? [])].sort()) walk(next);
    path.pop();
    done.add(node);
  };
  for (const node of [...graph.keys()].sort()) walk(node);
  return circles;
}

/** The same arrows between groups of nodes; those inside one group, and of nodes in none, are left out. */
export function groupGraph(graph, groupOf) {
  const groups = new Map();
  for (const [from, imports] of graph) {
    for (const to of imports) {
      const [one, other] = [groupOf(from), groupOf(to)];
      if (one === null || other === null || one === other) continue;
      groups.set(one, (groups.get(one) ?? new Set()).add(other));
    }
  }
  return groups;
}
