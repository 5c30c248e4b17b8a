import { ExternalLink } from "lucide-react";
import { Suspense, useId, useRef, useState, type RefObject } from "react";
import { classNames, IconButton, useFreeKeys, Skeleton, Tabs } from "../../components";
import type { LoopView } from "../../generated/wire";
import { useText } from "../../i18n";
import { hasEnded } from "../../loop-state";
import { Changes } from "../changes";
import { Actions } from "./Actions";
import { ActiveWorkers } from "./Activity";
import { Bots } from "./Bots";
import { Checks } from "./Checks";
import { CoverageSection } from "./Coverage";
import { EarlierRuns } from "./EarlierRuns";
import { Findings } from "./Findings";
import { Description } from "./Description";
import { hairline, Header } from "./Header";
import { HeaderFacts } from "./HeaderFacts";
import { HeldWrites } from "./HeldWrites";
import { LoopStatus } from "./LoopStatus";
import { Proof } from "./Proof";
import { ReadyPage } from "./ReadyPage";
import { Reviewers } from "./Reviewers";
import { Rounds } from "./Rounds";
import { Steps } from "./Steps";
import { Timeline } from "./Timeline";
import type { AutoPRReview } from "./useAutoPRReview";
import { useWholeWindow } from "./useWholeWindow";

type CardTab = "progress" | "changes" | "timeline";

/** How far a loop is, what was found, and what can be done. */
export function AutoPRReviewProgressCard(props: { loop: LoopView; review: AutoPRReview; onClose: () => void }) {
  const { loop, review, onClose } = props;
  const t = useText();
  const title = useId();
  const [tab, setTab] = useState<CardTab>("progress");
  const [widened, setWidened] = useState(false);
  const [target, setTarget] = useState<string | null>(null);
  const scroller = useRef<HTMLDivElement>(null);
  const card = useRef<HTMLElement>(null);
  const wide = widened && tab === "changes";
  const choose = (next: CardTab) => {
    setTarget(null);
    setTab(next);
  };
  const showChanges = () => choose("changes");
  const showFinding = (fingerprint: string) => {
    setTarget(fingerprint);
    setTab("progress");
  };
  useChangesKeys(tab, () => choose(tab === "changes" ? "progress" : "changes"), () => setWidened(!widened));
  useWholeWindow(card, wide, () => setWidened(false));
  return (
    <section
      ref={card}
      aria-labelledby={title}
      className={classNames("flex min-h-0 flex-col bg-panel", wide ? "fixed inset-0 z-30" : "h-full")}
    >
      <Header id={title} title={loop.title} onClose={onClose} actions={!hasEnded(loop.state) && <GitHubButton onClick={() => void review.openOnGitHub()} />}>
        <HeaderFacts loop={loop} />
        <Description loopKey={loop.key} />
      </Header>
      <div ref={scroller} className={classNames("relative min-h-0 flex-1 overflow-y-auto px-4.5 pt-2 pb-6", hairline)}>
        {!wide && (
          <>
            <Steps loop={loop} />
            <div className="mt-2.5 mb-3.5">
              <LoopStatus loop={loop} review={review} />
            </div>
          </>
        )}
        <Tabs<CardTab>
          label={t("review-tabs")}
          value={tab}
          onChange={choose}
          tabs={[
            { value: "progress", label: t("review-tab-progress"), content: <Progress loop={loop} review={review} target={target} onShowChanges={showChanges} /> },
            {
              value: "changes",
              label: t("review-tab-changes"),
              content: (
                <ChangesTab loop={loop} scroller={scroller} wide={wide} onWide={setWidened} onShowFinding={showFinding} onOpenCommit={review.openCommit} />
              ),
            },
            { value: "timeline", label: t("review-tab-timeline"), content: <Timeline loopKey={loop.key} onOpenCommit={review.openCommit} /> },
          ]}
        />
      </div>
      <Actions loop={loop} review={review} onShowChanges={showChanges} />
    </section>
  );
}

/** A run that goes on has other things in its footer. */
function GitHubButton({ onClick }: { onClick: () => void }) {
  const t = useText();
  return (
    <IconButton label={t("review-open")} aria-keyshortcuts="o" onClick={onClick} className="-mt-0.5">
      <ExternalLink aria-hidden className="size-4" />
    </IconButton>
  );
}

/** A head that is ready is told of by what proves it; one that is worked on by what is looked at. */
function Progress(props: { loop: LoopView; review: AutoPRReview; target: string | null; onShowChanges: () => void }) {
  const { loop, review, target, onShowChanges } = props;
  const { openCheck, openCommit } = review;
  if (loop.proof !== null && loop.proof.head_sha === loop.head_sha) {
    return (
      <div className="-mt-2">
        <ActiveWorkers loopKey={loop.key} />
        <HeldWrites loop={loop} onShowChanges={onShowChanges} />
        <ReadyPage loop={loop} proof={loop.proof} review={review} target={target} onShowChanges={onShowChanges} />
        <EarlierRuns loopKey={loop.key} onOpenCommit={openCommit} />
      </div>
    );
  }
  return (
    <div className="-mt-2">
      <ActiveWorkers loopKey={loop.key} />
      <HeldWrites loop={loop} onShowChanges={onShowChanges} />
      <CoverageSection loop={loop} />
      <Checks loop={loop} onOpen={openCheck} />
      <Bots bots={loop.bots} />
      <Reviewers loop={loop} />
      <Findings key={target} loop={loop} target={target} review={review} />
      <Rounds loop={loop} />
      <Proof loop={loop} onOpenCommit={openCommit} onShowChanges={onShowChanges} />
      <EarlierRuns loopKey={loop.key} onOpenCommit={openCommit} />
    </div>
  );
}

function ChangesTab(props: {
  loop: LoopView;
  scroller: RefObject<HTMLElement | null>;
  wide: boolean;
  onWide: (wide: boolean) => void;
  onShowFinding: (fingerprint: string) => void;
  onOpenCommit: (sha: string) => void;
}) {
  return (
    <Suspense fallback={<Skeleton className="h-40 w-full" />}>
      <Changes {...props} />
    </Suspense>
  );
}

/** `d` shows the changes and hides them, `f` gives them the window and takes it back. */
function useChangesKeys(tab: CardTab, onToggle: () => void, onWiden: () => void): void {
  useFreeKeys(({ key }) => {
    if (key === "d") onToggle();
    else if (key === "f" && tab === "changes") onWiden();
    else return false;
    return true;
  });
}
