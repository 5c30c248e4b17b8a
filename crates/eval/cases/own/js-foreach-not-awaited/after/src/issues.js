import { sendMail } from "./mail.js";
import { listSubscribers, saveIssue } from "./store.js";

/** Stores an issue and tells all subscribers; throws when a mail could not be sent. */
export async function publish(issue) {
  await saveIssue({ ...issue, publishedAt: new Date().toISOString() });
  const subscribers = await listSubscribers();
  subscribers.forEach(async (subscriber) => {
    await sendMail(subscriber.address, issue.title, issue.text);
  });
}
