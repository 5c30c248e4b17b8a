import { useQueryClient } from "@tanstack/react-query";
import { Ellipsis } from "lucide-react";
import { useEffect, useRef, useState } from "react";
import { Button, ConfirmDialog, Menu, ProblemBanner, Tooltip } from "../../components";
import { cacheKey, useMayWrite, useRights, useSession } from "../../data";
import type { BlockerCode, LoopView } from "../../generated/wire";
import { useText } from "../../i18n";
import { hasEnded } from "../../loop-state";
import { repoOf, useRouteAction } from "../../routes";
import { losesWork } from "../issues/selection";
import { useCancel } from "../issues/useCancel";
import { BudgetAction } from "./BudgetAction";
import { MergeDialog } from "./MergeDialog";
import { PushActions } from "./PushActions";
import { RaiseAction } from "./RaiseAction";
import { SeenAction } from "./SeenAction";
import { TrustActions } from "./TrustActions";
import type { AutoPRReview } from "./useAutoPRReview";

type LoopAction = "cancel" | "retry" | "resume" | "merge";

/** What a person can do about a loop. What changes it is asked for once more before it is done. */
export function Actions({ loop, review, onShowChanges }: { loop: LoopView; review: AutoPRReview; onShowChanges: () => void }) {
  const t = useText();
  const session = useSession();
  const cache = useQueryClient();
  const [openDialog, setOpenDialog] = useState<LoopAction | null>(null);
  const { toolbar, keepFocus } = useRetainedFocus(loop);
  const cancelNow = useCancel();
  const open = (action: LoopAction) => {
    if (action === "cancel" && cancelNow([loop])) return;
    review.reset();
    // How it may be merged is asked of GitHub each time, and never remembered.
    if (action === "merge") cache.removeQueries({ queryKey: cacheKey({ command: "merge_offer", args: { key: loop.key } }) });
    setOpenDialog(action);
  };
  const mayWrite = useMayWrite(repoOf(loop.key));
  useRouteAction(loop.key, (action) => {
    if (action === "cancel" && loop.can_cancel) open(action);
    if (action === "merge" && loop.can_merge && session.can_merge) open(action);
    if (action === "resume" && mayWrite && loop.can_resume) open(action);
  });
  const close = () => {
    setOpenDialog(null);
    keepFocus();
  };
  const ended = hasEnded(loop.state);
  const ready = loop.state === "pr_ready_to_merge";
  // Where something else is what is wanted, to stop is rarely.
  const rare = ready || (mayWrite && asksForSomething(loop));
  return (
    <footer className="@container border-t border-line px-4.5 py-3">
      {review.openProblem && (
        <div className="mb-3">
          <ProblemBanner problem={review.openProblem} />
        </div>
      )}
      <div ref={toolbar} role="group" aria-label={t("review-actions")} className="flex flex-wrap items-center gap-2">
        {mayWrite ? (
          <>
            <TrustActions loop={loop} review={review} onClosed={keepFocus} />
            <SeenAction loop={loop} review={review} onClosed={keepFocus} />
            <BudgetAction loop={loop} />
            <RaiseAction loop={loop} onClosed={keepFocus} />
            <PushActions loop={loop} onShowChanges={onShowChanges} onClosed={keepFocus} />
          </>
        ) : (
          <p className="w-full text-sm text-dim">{t("rights-look-only", { repo: repoOf(loop.key) })}</p>
        )}
        {ready && <MergeButton loop={loop} onClick={() => open("merge")} onGitHub={review.openOnGitHub} />}
        {mayWrite && loop.can_cancel && !rare && (
          <Button variant="danger" onClick={() => open("cancel")}>
            {t(losesWork(loop) ? "review-cancel" : "review-cancel-now")}
          </Button>
        )}
        {mayWrite && loop.can_resume && (
          <Button variant="primary" onClick={() => open("resume")}>
            {t("review-resume")}
          </Button>
        )}
        {mayWrite && loop.can_retry && (
          <Button variant={loop.can_resume ? "plain" : "primary"} onClick={() => open("retry")}>
            {t("review-retry")}
          </Button>
        )}
        {ended && <Button onClick={review.openOnGitHub}>{t("review-open")}</Button>}
        {!ended && <MoreMenu loop={loop} review={review} onStop={mayWrite && loop.can_cancel && rare ? () => open("cancel") : null} />}
        {!ended && !ready && <MergeButton loop={loop} onClick={() => open("merge")} onGitHub={review.openOnGitHub} />}
      </div>
      <Confirmations loop={loop} review={review} action={openDialog} onClose={close} />
      {openDialog === "merge" && <MergeDialog loop={loop} review={review} onShowChanges={onShowChanges} onClose={close} />}
    </footer>
  );
}

/** What the footer has a button of its own for. */
const ASKED: ReadonlySet<BlockerCode> = new Set<BlockerCode>(["verify_untrusted", "author_not_allowed", "unseen", "budget", "observing", "awaiting_approval"]);

const asksForSomething = ({ blocker }: LoopView): boolean => blocker !== null && ASKED.has(blocker.code);

/** What is rarely wanted of a run that goes on; to stop it, where that has no button. */
function MoreMenu({ loop, review, onStop }: { loop: LoopView; review: AutoPRReview; onStop: (() => void) | null }) {
  const t = useText();
  const { own_machine } = useRights();
  const word = loop.state === "pr_ready_to_merge" ? "review-stop-watching" : losesWork(loop) ? "review-cancel" : "review-cancel-now";
  const stop = onStop ? [{ label: t(word), onSelect: onStop }] : [];
  const worktree = own_machine ? [{ label: t("review-worktree"), onSelect: () => void review.openWorktree() }] : [];
  if (worktree.length + stop.length === 0) return null;
  return (
    <Menu side="top" align="start" groups={[worktree, stop]}>
      <button
        type="button"
        aria-label={t("review-more")}
        title={t("review-more")}
        className="inline-grid size-8 shrink-0 place-items-center rounded-[7px] border border-line text-dim hover:bg-hover hover:text-text"
      >
        <Ellipsis aria-hidden className="size-4" />
      </button>
    </Menu>
  );
}

/** Can be reached when it cannot be used, so that it can say why. */
function MergeButton({ loop, onClick, onGitHub }: { loop: LoopView; onClick: () => void; onGitHub: () => void }) {
  const t = useText();
  const session = useSession();
  if (!session.can_merge && loop.can_merge) {
    return (
      <Button variant="primary" onClick={onGitHub}>
        {t("review-merge-on-github")}
      </Button>
    );
  }
  const why = loop.can_merge ? null : t("review-merge-not-ready");
  if (why === null) {
    return (
      <Button variant="primary" className={loop.state === "pr_ready_to_merge" ? "" : "ms-auto"} onClick={onClick}>
        {t("review-merge")}
      </Button>
    );
  }
  // It is of no use yet, and gives way to what is.
  return (
    <Tooltip text={why} side="top">
      <Button variant="primary" aria-disabled className={loop.state === "pr_ready_to_merge" ? "opacity-45!" : "ms-auto opacity-45! @max-[30rem]:hidden"}>
        {t("review-merge")}
      </Button>
    </Tooltip>
  );
}

function Confirmations(props: { loop: LoopView; review: AutoPRReview; action: LoopAction | null; onClose: () => void }) {
  const { loop, review, action, onClose } = props;
  const t = useText();
  const busy = review.pending;
  const done = (run: () => Promise<null>) => () => void run().then(onClose, () => undefined);
  return (
    <>
      <ConfirmDialog
        title={t("review-cancel-title")}
        text={t("review-cancel-working")}
        confirm={t("review-cancel-confirm")}
        danger
        open={action === "cancel"}
        busy={busy}
        problem={review.problem}
        onConfirm={done(review.cancel)}
        onClose={onClose}
      >
        <p className="text-dim">{t("review-cancel-kept")}</p>
        <p className="mt-2 text-dim">{t("review-cancel-again")}</p>
      </ConfirmDialog>
      <ConfirmDialog
        title={t("review-retry-title")}
        text={t("review-retry-text", { max: loop.max_iterations })}
        confirm={t("review-retry-confirm")}
        open={action === "retry"}
        busy={busy}
        problem={review.problem}
        onConfirm={done(review.retry)}
        onClose={onClose}
      />
      <ConfirmDialog
        title={t("review-resume-title")}
        text={t("review-resume-text", { max: loop.max_iterations })}
        confirm={t("review-resume-confirm")}
        open={action === "resume"}
        busy={busy}
        problem={review.problem}
        onConfirm={done(() => review.resume())}
        onClose={onClose}
      />
    </>
  );
}

/** When the button that has the focus goes, since the loop moved on, the focus goes to what is left. */
function useRetainedFocus(loop: LoopView) {
  const toolbar = useRef<HTMLDivElement>(null);
  const inside = useRef(false);
  useEffect(() => {
    const node = toolbar.current;
    if (!node) return;
    const enter = () => (inside.current = true);
    // A button that is taken away takes the focus nowhere.
    const leave = (event: FocusEvent) => {
      if (event.relatedTarget !== null) inside.current = false;
    };
    node.addEventListener("focusin", enter);
    node.addEventListener("focusout", leave);
    return () => {
      node.removeEventListener("focusin", enter);
      node.removeEventListener("focusout", leave);
    };
  }, []);
  useEffect(() => {
    if (inside.current) focusIfLost(toolbar.current);
  }, [loop.can_cancel, loop.can_retry, loop.can_resume, loop.state]);
  /** For when a dialog closes: it gives the focus back first, which fails when the button is gone. */
  const keepFocus = () => requestAnimationFrame(() => focusIfLost(toolbar.current));
  return { toolbar, keepFocus };
}

function focusIfLost(bar: HTMLElement | null): void {
  if (document.activeElement === document.body) bar?.querySelector("button")?.focus();
}
