import { ChevronRight } from "lucide-react";
import { lazy, Suspense, useId, useState } from "react";
import { classNames, ErrorBoundary, ProblemBanner, Skeleton } from "../../components";
import { useAnswer } from "../../data";
import { useText } from "../../i18n";
import { PlainText } from "./PlainText";

const Markdown = lazy(() => import("./Markdown"));

/** What the pull request says of itself: folded, and read when it is opened. */
export function Description({ loopKey }: { loopKey: string }) {
  const t = useText();
  const [open, setOpen] = useState(false);
  const body = useId();
  return (
    <div className="mt-0.5">
      <button
        type="button"
        aria-expanded={open}
        aria-controls={open ? body : undefined}
        className="-ms-0.5 flex items-center gap-1 rounded py-0.5 text-dim hover:text-text"
        onClick={() => setOpen(!open)}
      >
        <ChevronRight aria-hidden className={classNames("size-3.25 transition-transform motion-reduce:transition-none", open && "rotate-90")} />
        {t("review-description")}
      </button>
      {open && (
        <div id={body} className="mt-1 max-h-64 overflow-y-auto border-s-2 border-line ps-3 text-text">
          <DescriptionText loopKey={loopKey} />
        </div>
      )}
    </div>
  );
}

function DescriptionText({ loopKey }: { loopKey: string }) {
  const t = useText();
  const { data, error, refetch, isFetching } = useAnswer({ command: "description", args: { key: loopKey } });
  if (error) return <ProblemBanner problem={error} busy={isFetching} onRetry={() => void refetch()} />;
  if (!data) return <Skeleton className="h-10 w-full" />;
  if (data.text.trim() === "") return <p className="text-dim">{t("review-description-none")}</p>;
  const plain = <PlainText text={data.text} />;
  return (
    <ErrorBoundary resetKey={data.text} fallback={plain}>
      <Suspense fallback={plain}>
        <Markdown text={data.text} />
      </Suspense>
    </ErrorBoundary>
  );
}
