import { useId, useState, type ReactNode } from "react";
import { classNames, Elapsed, Sha, Tabs } from "../../components";
import type { LoopView } from "../../generated/wire";
import { useText } from "../../i18n";
import { hasEnded } from "../../loop-state";
import { numberOf } from "../../routes";
import { Actions } from "./Actions";
import { ActiveWorkers } from "./Activity";
import { Bots } from "./Bots";
import { Checks } from "./Checks";
import { CoverageSection } from "./Coverage";
import { Findings } from "./Findings";
import { Facts, hairline, Header } from "./Header";
import { LoopStatus } from "./LoopStatus";
import { Proof } from "./Proof";
import { Reviewers } from "./Reviewers";
import { Rounds } from "./Rounds";
import { Steps } from "./Steps";
import { Timeline } from "./Timeline";
import type { AutoPRReview } from "./useAutoPRReview";

type CardTab = "progress" | "timeline";

/** How far a loop is, what was found, and what can be done. */
export function AutoPRReviewProgressCard(props: { loop: LoopView; review: AutoPRReview; onClose: () => void }) {
  const { loop, review, onClose } = props;
  const t = useText();
  const title = useId();
  const [tab, setTab] = useState<CardTab>("progress");
  return (
    <section aria-labelledby={title} className="flex h-full min-h-0 flex-col bg-panel">
      <Header id={title} title={loop.title} onClose={onClose}>
        <Facts facts={factsOf(loop, t)} />
      </Header>
      <div className={classNames("relative min-h-0 flex-1 overflow-y-auto px-[18px] pt-2 pb-6", hairline)}>
        <Steps loop={loop} />
        <div className="mt-2.5 mb-3.5">
          <LoopStatus loop={loop} />
        </div>
        <Tabs<CardTab>
          label={t("review-tabs")}
          value={tab}
          onChange={setTab}
          tabs={[
            { value: "progress", label: t("review-tab-progress"), content: <Progress loop={loop} review={review} /> },
            { value: "timeline", label: t("review-tab-timeline"), content: <Timeline loopKey={loop.key} /> },
          ]}
        />
      </div>
      <Actions loop={loop} review={review} />
    </section>
  );
}

function factsOf(loop: LoopView, t: ReturnType<typeof useText>): ReactNode[] {
  const number = String(numberOf(loop.key));
  const facts: ReactNode[] = [loop.author === null ? t("review-by-unknown", { number }) : t("review-by", { number, author: loop.author })];
  if (loop.head_sha !== null) facts.push(<Sha key="head" sha={loop.head_sha} />);
  facts.push(t("review-iteration", { iteration: loop.iteration, max: loop.max_iterations }));
  facts.push(hasEnded(loop.state) ? <Elapsed key="took" ms={loop.elapsed_ms} /> : <Elapsed key="since" since={loop.started_at} />);
  return facts;
}

/** A head that is ready is told of by its proof first; one that is worked on by what is looked at. */
function Progress({ loop, review }: { loop: LoopView; review: AutoPRReview }) {
  const { openCheck, openCommit } = review;
  const proven = loop.proof !== null && loop.proof.head_sha === loop.head_sha;
  const proof = <Proof loop={loop} onOpenCommit={openCommit} />;
  const inspections = (
    <>
      {!proven && <CoverageSection loop={loop} />}
      <Checks loop={loop} onOpen={openCheck} />
      <Bots bots={loop.bots} />
      <Reviewers loop={loop} />
    </>
  );
  return (
    <div className="-mt-2">
      <ActiveWorkers loopKey={loop.key} />
      {proven ? proof : inspections}
      <Findings loop={loop} onOpenCommit={openCommit} />
      <Rounds loop={loop} />
      {proven ? inspections : proof}
    </div>
  );
}
