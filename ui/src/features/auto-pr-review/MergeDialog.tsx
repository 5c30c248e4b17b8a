import { useId, useState } from "react";
import { Banner, Button, Dialog, ProblemBanner, Sha, Skeleton, TextWithCode } from "../../components";
import { useAnswer, useSession } from "../../data";
import type { LoopView, MergedView, MergeMethod, MergeOfferView, Sha as CommitId } from "../../generated/wire";
import { useText } from "../../i18n";
import { numberOf, repoOf } from "../../routes";
import { ChangesSummary } from "../changes";
import { ProofSummary } from "./Proof";
import type { AutoPRReview } from "./useAutoPRReview";

/** What the person looked at: the heads as GitHub and the loop had them, and what the merge would do; no methods before GitHub's first answer. */
interface SeenOffer {
  head: CommitId | null;
  loopHead: CommitId | null;
  base: string;
  methods: MergeMethod[] | null;
}

/** A merge that was done, of what into what. */
interface CompletedMerge extends MergedView {
  head: CommitId;
  base: string;
}

/** Asks before a merge, with all that it rests on. What moves while it is open is said, and never taken over silently (§11). */
export function MergeDialog(props: { loop: LoopView; review: AutoPRReview; onShowChanges: () => void; onClose: () => void }) {
  const { loop, review, onShowChanges, onClose } = props;
  const t = useText();
  const [done, setDone] = useState<CompletedMerge | null>(null);
  const [seen, setSeen] = useState<SeenOffer>({ head: loop.head_sha, loopHead: loop.head_sha, base: loop.base_ref, methods: null });
  const [chosen, setChosen] = useState<MergeMethod | null>(null);
  const offer = useAnswer({ command: "merge_offer", args: { key: loop.key } }, { enabled: done === null });
  const title = t("review-merge-title", { number: String(numberOf(loop.key)) });
  const { data } = offer;
  if (data && seen.methods === null) setSeen({ ...seen, head: seen.head ?? data.head_sha, methods: data.methods });
  const head = seen.head ?? data?.head_sha ?? null;
  const change = data ? offerChange(seen, head, data, loop.head_sha) : null;
  const method = chosen !== null && data?.methods.includes(chosen) ? chosen : (data?.methods[0] ?? null);
  const refresh = () => {
    review.reset();
    void offer.refetch().then((now) => {
      // One that fails comes with the answer before it, which nobody looked at.
      if (now.isSuccess) setSeen({ head: now.data.head_sha, loopHead: loop.head_sha, base: now.data.base_ref, methods: now.data.methods });
    });
  };
  const possible = data !== undefined && offer.error === null && data.refusal === null && change === null && review.problem === null && loop.can_merge && !offer.isFetching;
  const merge = () => {
    if (!data || head === null || method === null) return;
    void review.merge(head, method).then(
      (answer) => setDone({ ...answer, head, base: data.base_ref }),
      () => undefined,
    );
  };
  return (
    <Dialog
      title={title}
      text={loop.title}
      open
      onClose={onClose}
      actions={
        done ? (
          <Button variant="primary" autoFocus onClick={onClose}>
            {t("review-merge-finished")}
          </Button>
        ) : (
          <>
            <Button onClick={onClose}>{t("back")}</Button>
            <Button
              variant="primary"
              className="max-w-full [&>span]:min-w-0"
              disabled={!possible || head === null || method === null}
              busy={review.pending}
              onClick={merge}
            >
              <span className="min-w-0 truncate">
                {t("review-merge-confirm", { head: head?.slice(0, 7) ?? "", base: seen.base })}
              </span>
            </Button>
          </>
        )
      }
    >
      {done ? (
        <Merged done={done} />
      ) : offer.error ? (
        <ProblemBanner problem={offer.error} busy={offer.isFetching} onRetry={refresh} />
      ) : !data || head === null ? (
        <OfferLoading />
      ) : (
        <OfferDetails
          loop={loop}
          offer={data}
          head={head}
          change={change}
          method={method}
          onMethod={setChosen}
          problem={review.problem}
          busy={offer.isFetching}
          onRefresh={refresh}
          onGitHub={() => void review.openOnGitHub()}
          onShowChanges={() => {
            onClose();
            onShowChanges();
          }}
        />
      )}
    </Dialog>
  );
}

/** What is no longer as the person saw it: the head that is there now, or what the merge would do. */
type OfferChange = { head: CommitId } | "offer" | null;

function offerChange(seen: SeenOffer, head: CommitId | null, offer: MergeOfferView, loopHead: CommitId | null): OfferChange {
  if (offer.head_sha !== head) return { head: offer.head_sha };
  // A loop that comes to the head that was seen has only caught up.
  if (loopHead !== null && loopHead !== seen.loopHead && loopHead !== head) return { head: loopHead };
  const methods = seen.methods ?? offer.methods;
  const same = offer.base_ref === seen.base && offer.methods.join() === methods.join();
  return same ? null : "offer";
}

function OfferLoading() {
  const t = useText();
  return (
    <div role="status">
      <p className="mb-2 text-dim">{t("review-merge-asking")}</p>
      <Skeleton className="mb-2 h-5 w-3/5" />
      <Skeleton className="mb-2 h-5 w-2/5" />
      <Skeleton className="h-5 w-4/5" />
    </div>
  );
}

function OfferDetails(props: {
  loop: LoopView;
  offer: MergeOfferView;
  /** The head that the person looked at. */
  head: CommitId;
  change: OfferChange;
  method: MergeMethod | null;
  onMethod: (method: MergeMethod) => void;
  problem: AutoPRReview["problem"];
  busy: boolean;
  onRefresh: () => void;
  onGitHub: () => void;
  onShowChanges: () => void;
}) {
  const t = useText();
  const { account } = useSession();
  const { loop, offer, head, change, method, onMethod, problem, busy, onRefresh, onGitHub, onShowChanges } = props;
  const refreshButton = (
    <Button size="small" busy={busy} onClick={onRefresh}>
      {t("review-merge-look")}
    </Button>
  );
  const bothButtons = (
    <>
      {refreshButton}
      <Button size="small" onClick={onGitHub}>
        {t("review-open")}
      </Button>
    </>
  );
  return (
    <div className="flex flex-col gap-3">
      {change === "offer" ? (
        <Banner tone="warn" title={t("review-merge-changed")} actions={refreshButton}>
          {t("review-merge-changed-text")}
        </Banner>
      ) : change !== null ? (
        <Banner tone="warn" title={t("review-merge-moved")} actions={refreshButton}>
          {t("review-merge-moved-text", { seen: head.slice(0, 7), now: change.head.slice(0, 7) })}
        </Banner>
      ) : offer.refusal ? (
        <Banner tone="warn" title={t("review-merge-refused")} actions={bothButtons}>
          <Refusal message={offer.refusal.message} hints={offer.refusal.hints} />
        </Banner>
      ) : !loop.can_merge ? (
        <Banner tone="warn" title={t("review-merge-left")}>
          {t("review-merge-left-text", { state: loop.blocker?.text ?? t(`state-${loop.state}`) })}
        </Banner>
      ) : (
        problem && (
          <Banner tone="bad" title={problem.message} actions={bothButtons}>
            {problem.hints.length > 0 && <Refusal message={null} hints={problem.hints} />}
          </Banner>
        )
      )}
      <dl className="grid grid-cols-[minmax(5.5rem,auto)_minmax(0,1fr)] gap-x-3 gap-y-1 [&>dt]:text-dim">
        <dt>{t("review-merge-repository")}</dt>
        <dd className="wrap-anywhere">{repoOf(loop.key)}</dd>
        <dt>{t("review-merge-head")}</dt>
        <dd>
          <Sha sha={head} />
        </dd>
        <dt>{t("review-merge-base")}</dt>
        <dd className="font-mono text-sm leading-5 wrap-anywhere">{offer.base_ref}</dd>
        {account && (
          <>
            <dt>{t("review-merge-account")}</dt>
            <dd className="wrap-anywhere">{account.login}</dd>
          </>
        )}
      </dl>
      <ChangesSummary loop={loop} onShow={onShowChanges} />
      {loop.proof && loop.proof.head_sha === head && (
        <section aria-label={t("review-proof")} className="rounded-lg border border-line px-3 py-1.5">
          <ProofSummary proof={loop.proof} />
        </section>
      )}
      <Methods methods={offer.methods} value={method} onChange={onMethod} />
    </div>
  );
}

function Refusal({ message, hints }: { message: string | null; hints: string[] }) {
  return (
    <>
      {message !== null && <p className="wrap-anywhere"><TextWithCode text={message} /></p>}
      {hints.map((hint, index) => (
        // Hints have nothing but their place.
        <p key={index} className="wrap-anywhere">
          <TextWithCode text={hint} />
        </p>
      ))}
    </>
  );
}

function Methods(props: { methods: MergeMethod[]; value: MergeMethod | null; onChange: (method: MergeMethod) => void }) {
  const { methods, value, onChange } = props;
  const t = useText();
  const id = useId();
  if (methods.length === 0) return null;
  return (
    <fieldset aria-describedby={`${id}-why`}>
      <legend className="mb-1 text-dim">{t("review-merge-method")}</legend>
      <div className="inline-flex max-w-full flex-wrap rounded-md bg-chip p-0.5">
        {methods.map((method) => (
          <label
            key={method}
            className="rounded-[5px] px-2.5 py-0.5 text-dim hover:text-text has-checked:bg-panel has-checked:text-text has-checked:shadow-raise has-focus-visible:outline-2 has-focus-visible:outline-accent"
          >
            <input type="radio" name={id} value={method} checked={value === method} onChange={() => onChange(method)} className="sr-only" />
            {t(`review-method-${method}`)}
          </label>
        ))}
      </div>
      <p id={`${id}-why`} className="mt-1 text-sm text-dim">
        {value !== null && t(`review-method-${value}-why`)}
      </p>
    </fieldset>
  );
}

function Merged({ done }: { done: CompletedMerge }) {
  const t = useText();
  const args = { by: done.by, head: done.head.slice(0, 7), base: done.base };
  return (
    <Banner tone="ok" title={t("review-merge-done-title")}>
      {done.sha === null ? t("review-merge-done-no-sha", args) : t("review-merge-done", { ...args, sha: done.sha.slice(0, 7) })}
    </Banner>
  );
}
