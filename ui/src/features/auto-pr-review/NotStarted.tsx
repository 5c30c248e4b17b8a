import { useId, type ReactNode } from "react";
import { Banner, Button, EmptyState, Pill, ProblemBanner, RelativeTime, Skeleton } from "../../components";
import { useAnswer, useCommand, useMayWrite } from "../../data";
import type { PullLine } from "../../generated/wire";
import { useText } from "../../i18n";
import { repoOf } from "../../routes";
import { Facts, Header } from "./Header";
import { Branches } from "./HeaderFacts";
import type { AutoPRReview } from "./useAutoPRReview";

/** The page of a pull request that Collie does not work on: what it is, why not, and the way to start. */
export function NotStarted({ loopKey, review, onClose }: { loopKey: string; review: AutoPRReview; onClose: () => void }) {
  const loops = useAnswer({ command: "loops" });
  const listing = useAnswer({ command: "listing", args: { repo: repoOf(loopKey) } });
  const pull = listing.data?.pulls.find((one) => one.key === loopKey);
  const problem = loops.error ?? listing.error ?? null;
  if (pull && loops.data) return <NotStartedPull pull={pull} review={review} onClose={onClose} />;
  return (
    <PullLayout title={loopKey} facts={[]} onClose={onClose}>
      {problem ? (
        <ProblemBanner
          problem={problem}
          busy={loops.isFetching || listing.isFetching}
          onRetry={() => {
            void loops.refetch();
            void listing.refetch();
          }}
        />
      ) : loops.data && listing.data ? (
        <NotListed loopKey={loopKey} review={review} />
      ) : (
        <div className="flex flex-col gap-3">
          <Skeleton className="h-8 w-full" />
          <Skeleton className="h-16 w-full rounded-lg" />
          <Skeleton className="h-4 w-2/5" />
          <Skeleton className="h-4 w-4/5" />
        </div>
      )}
    </PullLayout>
  );
}

function PullLayout(props: { title: string; facts: ReactNode[]; onClose: () => void; children: ReactNode; actions?: ReactNode }) {
  const { title, facts, onClose, children, actions } = props;
  const id = useId();
  return (
    <section aria-labelledby={id} className="flex h-full min-h-0 flex-col bg-panel">
      <Header id={id} title={title} onClose={onClose}>
        <Facts facts={facts} />
      </Header>
      <div className="relative min-h-0 flex-1 overflow-y-auto px-4.5 pt-2 pb-3.5">{children}</div>
      {actions && <footer className="border-t border-line px-4.5 py-3">{actions}</footer>}
    </section>
  );
}

function NotListed({ loopKey, review }: { loopKey: string; review: AutoPRReview }) {
  const t = useText();
  const refresh = useCommand();
  const problem = refresh.problem ?? review.openProblem;
  return (
    <>
      <EmptyState
        title={t("review-none-gone-title", { key: loopKey })}
        text={t("review-none-gone")}
        action={
          <>
            <Button busy={refresh.pending} onClick={() => refresh.run({ command: "refresh", args: { repo: repoOf(loopKey) } })}>
              {t("review-none-reload")}
            </Button>
            <Button onClick={review.openOnGitHub}>{t("review-open")}</Button>
          </>
        }
      />
      {problem && <ProblemBanner problem={problem} />}
    </>
  );
}

function NotStartedPull({ pull, review, onClose }: { pull: PullLine; review: AutoPRReview; onClose: () => void }) {
  const t = useText();
  const mayWrite = useMayWrite(repoOf(pull.key));
  const problem = review.problem ?? review.openProblem;
  return (
    <PullLayout
      title={pull.title}
      facts={[
        <bdi key="key">{pull.key}</bdi>,
        ...(pull.author === null ? [] : [pull.author]),
        <Branches key="branches" head={pull.head_ref} base={pull.base_ref} />,
        <RelativeTime key="updated" at={pull.updated_at} />,
      ]}
      onClose={onClose}
      actions={
        <div role="group" aria-label={t("review-actions")} className="flex flex-wrap gap-2">
          {mayWrite && (
            <Button variant="primary" busy={review.pending} onClick={review.start}>
              {t("review-start")}
            </Button>
          )}
          <Button onClick={review.openOnGitHub}>{t("review-open")}</Button>
        </div>
      }
    >
      <div className="flex flex-col gap-3">
        {problem && <ProblemBanner problem={problem} />}
        <div>
          <Pill tone="none">{t("review-none-state")}</Pill>
        </div>
        {pull.auto_merge ? (
          <Banner tone="warn" title={t("review-none-auto-merge-title")}>
            {t("review-none-auto-merge")}
          </Banner>
        ) : (
          pull.draft && (
            <Banner tone="none" title={t("review-none-draft-title")}>
              {t("review-none-draft")}
            </Banner>
          )
        )}
        {pull.skip_reason !== null && !pull.auto_merge && !pull.draft && (
          <Banner tone="none" title={t("review-none-passed-by")}>
            {pull.skip_reason}
          </Banner>
        )}
        <div>
          <h3 className="font-medium">{t("review-none-title")}</h3>
          <p className="text-dim">{t(mayWrite ? "review-none-text" : "rights-look-only", { repo: repoOf(pull.key) })}</p>
        </div>
        {pull.labels.length > 0 && (
          <ul className="flex flex-wrap gap-1.5">
            {pull.labels.map((label) => (
              <li key={label} className="rounded-[5px] bg-chip px-2 text-sm text-dim">
                {label}
              </li>
            ))}
          </ul>
        )}
      </div>
    </PullLayout>
  );
}
