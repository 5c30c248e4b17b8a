import { saveIssue } from "./store.js";

/** Stores an issue. */
export async function publish(issue) {
  await saveIssue({ ...issue, publishedAt: new Date().toISOString() });
}
