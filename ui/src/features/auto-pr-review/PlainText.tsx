/** A text as it was written. */
export function PlainText({ text }: { text: string }) {
  return <p className="whitespace-pre-wrap wrap-anywhere">{text}</p>;
}
