import { ChevronRight } from "lucide-react";
import { lazy, memo, Suspense, useEffect, useId, useRef, useState, type ReactElement, type ReactNode } from "react";
import { classNames, ErrorBoundary, PriorityBadge, TextWithCode } from "../../components";
import type { FindingView, LoopView } from "../../generated/wire";
import { formatNumber, useLanguage, useText, type Translate } from "../../i18n";
import { Excerpts } from "./Excerpts";
import { FindingActions } from "./FindingActions";
import { isOpen, splitPath } from "./findings";
import { reviewerName } from "./lifecycle";
import { Facts } from "./Header";
import { PlainText } from "./PlainText";
import { Quote } from "./Quote";
import type { AutoPRReview } from "./useAutoPRReview";

const Markdown = lazy(() => import("./Markdown"));

/** One finding: a line or two, and everything about it when opened. */
export const Finding = memo(function Finding(props: {
  loop: LoopView;
  finding: FindingView;
  /** Somebody was led here: it is open, and has the focus. */
  target?: boolean;
  review: AutoPRReview;
}) {
  const { loop, finding, target = false, review } = props;
  const t = useText();
  const [open, setOpen] = useState(target);
  const button = useRef<HTMLButtonElement>(null);
  useEffect(() => {
    if (!target) return;
    button.current?.focus();
    button.current?.scrollIntoView({ block: "center" });
  }, [target]);
  const body = useId();
  const settled = !isOpen(finding);
  return (
    // Rows out of sight are not laid out: 200 of them scroll like ten.
    <li className={classNames(!open && "[contain-intrinsic-size:auto_3.25rem] [content-visibility:auto]")}>
      <button
        ref={button}
        type="button"
        data-finding
        aria-expanded={open}
        aria-controls={open ? body : undefined}
        className="grid w-full grid-cols-[1.625rem_minmax(0,1fr)_0.875rem] gap-x-2 gap-y-0.5 rounded py-1.5 text-start -outline-offset-2 hover:bg-hover"
        onClick={() => setOpen(!open)}
      >
        <PriorityBadge priority={finding.priority} faded={settled} />
        <span className={classNames("wrap-anywhere", !open && "line-clamp-2", settled && "text-faint")}>
          <TextWithCode text={finding.title} />
        </span>
        <ChevronRight aria-hidden className={classNames("size-3.5 mt-0.75 text-faint transition-transform motion-reduce:transition-none", open && "rotate-90")} />
        <span className="col-start-2 min-w-0 text-sm text-dim">
          <Facts facts={[<FindingLocation key="where" finding={finding} />, ...statusFacts(t, finding)]} />
        </span>
      </button>
      {open && (
        <div id={body} className="flex flex-col gap-3 pt-1 pb-3 ps-[2.125rem]">
          <Body loop={loop} finding={finding} review={review} />
          <FindingActions loop={loop} finding={finding} review={review} />
        </div>
      )}
    </li>
  );
});

/** Where it is: the end of a long path stays, its start gives way. */
function FindingLocation({ finding }: { finding: FindingView }) {
  const t = useText();
  if (finding.file === "") return <span>{t("review-finding-everywhere")}</span>;
  const { folder, name } = splitPath(finding.file);
  return (
    <span className="flex max-w-full min-w-0 font-mono" title={finding.file}>
      <span className="min-w-0 truncate">{folder}</span>
      <span className="max-w-full shrink-0 truncate">{finding.line === null ? name : t("review-finding-line", { file: name, line: String(finding.line) })}</span>
    </span>
  );
}

/** What has become of it, and what is odd about it. */
function statusFacts(t: Translate, finding: FindingView): ReactNode[] {
  const parts: ReactNode[] = [statusFact(t, finding)];
  if (finding.kind === "question" || finding.kind === "praise") parts.push(t(`review-finding-${finding.kind}`));
  if (finding.report_only) parts.push(t(`review-report-only-${finding.report_only}`));
  if (finding.also_found_by) parts.push(t("review-finding-also-found-by", { names: finding.also_found_by.map((name) => reviewerName(t, name)).join(", ") }));
  if (finding.introduced_by_fix) {
    parts.push(
      <span key="by-fix" className={isOpen(finding) ? "text-warn" : ""}>
        {t("review-finding-by-fix")}
      </span>,
    );
  }
  return parts;
}

function statusFact(t: Translate, finding: FindingView): string | ReactElement {
  const commit = finding.fixed_in.at(-1)?.slice(0, 7);
  switch (finding.status) {
    case "open":
      return reviewerName(t, finding.source.name);
    case "claimed":
      return commit ? t("review-finding-claimed-in", { commit }) : t("review-status-claimed");
    case "fixed":
      return commit ? t("review-finding-fixed-in", { commit }) : t("review-status-fixed");
    case "stuck":
      return (
        <span key="status" className="text-bad">
          {commit ? t("review-finding-back-after", { commit }) : t("review-status-stuck")}
        </span>
      );
    case "dismissed":
      return finding.dismissal ? t("review-finding-dismissed-by", { login: finding.dismissal.by }) : t("review-status-dismissed");
    case "rejected":
    case "withdrawn":
    case "unsure":
      return t(`review-status-${finding.status}`);
  }
}

function Body(props: { loop: LoopView; finding: FindingView; review: AutoPRReview }) {
  const { loop, finding, review } = props;
  const t = useText();
  const language = useLanguage();
  const name = reviewerName(t, finding.source.name);
  const percent = formatNumber(language, finding.confidence, { style: "percent" });
  return (
    <>
      <ErrorBoundary resetKey={finding.description} fallback={<PlainText text={finding.description} />}>
        <Suspense fallback={<div aria-busy><PlainText text={finding.description} /></div>}>
          <Markdown text={finding.description} />
        </Suspense>
      </ErrorBoundary>
      {finding.dismissal && (
        <p className="wrap-anywhere">{t("review-finding-dismissed", { login: finding.dismissal.by, reason: finding.dismissal.reason })}</p>
      )}
      {finding.rejection_text !== undefined && <p className="wrap-anywhere text-dim">{t("review-finding-declined", { reason: finding.rejection_text })}</p>}
      {finding.suggestion !== null && <Quote title={t("review-finding-suggestion")} text={finding.suggestion} />}
      <Excerpts loopKey={loop.key} finding={finding} onOpenCommit={review.openCommit} />
      <p className="text-sm wrap-anywhere text-faint">
        {finding.confidence < 1
          ? t("review-finding-origin-sure", { name, category: finding.category, percent })
          : t("review-finding-origin", { name, category: finding.category })}
        {" · "}
        {rounds(t, finding)}
      </p>
    </>
  );
}

function rounds(t: Translate, { first_round, last_round }: FindingView): string {
  return first_round === last_round
    ? t("review-finding-round", { round: first_round })
    : t("review-finding-rounds", { first: first_round, last: last_round });
}
