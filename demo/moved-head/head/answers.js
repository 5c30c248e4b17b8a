const recent = new Map();

/** Looks an answer up, or takes it from what was asked before. */
export async function answer(question, lookUp) {
  if (!recent.has(question)) recent.set(question, await lookUp(question));
  return recent.get(question);
}
