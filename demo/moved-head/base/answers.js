/** Looks an answer up. */
export async function answer(question, lookUp) {
  return await lookUp(question);
}
