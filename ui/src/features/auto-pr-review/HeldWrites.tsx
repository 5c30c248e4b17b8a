import { ChevronRight } from "lucide-react";
import { lazy, Suspense } from "react";
import { Section, Sha } from "../../components";
import type { HeldWriteView, LoopView } from "../../generated/wire";
import { useText } from "../../i18n";
import { PlainText } from "./PlainText";

/** Loaded when there is something to show: it brings a parser along. */
const Markdown = lazy(() => import("./Markdown"));

/** What Collie would have posted and pushed if its level let it, as it would have looked (§13.7). */
export function HeldWrites({ loop, onShowChanges }: { loop: LoopView; onShowChanges: () => void }) {
  const t = useText();
  const { held, held_push: push } = loop;
  if (held.length === 0 && !push) return null;
  return (
    <Section title={t(loop.autonomy === "observe" ? "review-held-observe" : "review-held")} aside={held.length > 0 ? t("review-held-count", { count: held.length }) : undefined}>
      <ul className="flex flex-col gap-2">
        {held.map((write, index) => (
          // Several may be alike, and none goes but from the front.
          <li key={index}>
            <Held write={write} />
          </li>
        ))}
        {push && (
          <li className="rounded-lg border border-line px-3 py-2">
            <span className="font-medium">{t("review-held-push", { count: push.files.length })}</span> <Sha sha={push.commit} />
            <p className="text-sm text-dim wrap-anywhere">{push.files.join(", ")}</p>
            <button type="button" onClick={onShowChanges} className="text-sm underline underline-offset-2">
              {t("review-held-show")}
            </button>
          </li>
        )}
      </ul>
    </Section>
  );
}

function Held({ write }: { write: HeldWriteView }) {
  const t = useText();
  const text = withoutComments(write.body);
  const heading = (
    <>
      <span className="font-medium">{t(`held-kind-${write.kind}`)}</span>
      {write.place !== null && <code className="ms-2 font-mono text-sm text-dim wrap-anywhere">{write.place}</code>}
    </>
  );
  if (text === "") return <p className="rounded-lg border border-line px-3 py-2">{heading}</p>;
  return (
    <details className="group rounded-lg border border-line">
      <summary className="flex cursor-default list-none items-start gap-1.5 rounded-lg px-3 py-2 hover:bg-hover [&::-webkit-details-marker]:hidden">
        <ChevronRight aria-hidden className="mt-0.75 size-3.5 shrink-0 text-faint transition-transform group-open:rotate-90 motion-reduce:transition-none" />
        <span className="min-w-0">{heading}</span>
      </summary>
      <div className="border-t border-line px-3 py-2">
        <Suspense fallback={<div aria-busy><PlainText text={text} /></div>}>
          <Markdown text={text} />
        </Suspense>
      </div>
    </details>
  );
}

/** As people see it on GitHub: comments in a body are for programs. */
function withoutComments(body: string): string {
  return body.replace(/<!--[\s\S]*?-->/g, "").trim();
}
