import { type ReactNode } from "react";
import { Elapsed, Sha } from "../../components";
import type { LoopView } from "../../generated/wire";
import { formatNumber, useLanguage, useText } from "../../i18n";
import { hasEnded, roundOf } from "../../loop-state";
import { repoOf } from "../../routes";
import { LevelMenu } from "../autonomy";
import { useNotify } from "../issues/Notices";
import { Facts } from "./Header";

/** `acme/api#3 · kim · json → main · +24 −3 in 2 files · round 1 of 5 · 7bd64c5 · 12 min` */
export function HeaderFacts({ loop }: { loop: LoopView }) {
  const t = useText();
  const notify = useNotify();
  const facts: ReactNode[] = [<bdi key="key">{loop.key}</bdi>];
  if (loop.author !== null) facts.push(loop.author);
  if (loop.head_ref !== "") facts.push(<Branches key="branches" head={loop.head_ref} base={loop.base_ref} />);
  if (loop.size !== null) facts.push(<Size key="size" size={loop.size} />);
  facts.push(t("review-round-of", { round: roundOf(loop), max: loop.max_iterations }));
  if (loop.head_sha !== null) facts.push(<Sha key="head" sha={loop.head_sha} />);
  facts.push(<Took key="took" loop={loop} />);
  if (loop.attention !== "over") facts.push(<LevelMenu key="level" repo={repoOf(loop.key)} level={loop.autonomy} onProblem={notify} />);
  return <Facts facts={facts} />;
}

/** `json → main` */
export function Branches({ head, base }: { head: string; base: string }) {
  const t = useText();
  return (
    <span>
      <span className="sr-only">{t("review-branches", { head, base })}</span>
      <span aria-hidden className="font-mono text-[0.92em]">
        <bdi>{head}</bdi> → <bdi>{base}</bdi>
      </span>
    </span>
  );
}

/** How long it took, or has been going on; its title says which. */
function Took({ loop }: { loop: LoopView }) {
  const t = useText();
  const ended = hasEnded(loop.state);
  const label = t(ended ? "review-took" : "review-since-start");
  return (
    <span title={label}>
      <span className="sr-only">{label}</span> {ended ? <Elapsed ms={loop.elapsed_ms} /> : <Elapsed since={loop.started_at} />}
    </span>
  );
}

function Size({ size }: { size: NonNullable<LoopView["size"]> }) {
  const t = useText();
  const language = useLanguage();
  const { files, additions, deletions } = size;
  return (
    <span>
      <span className="sr-only">{`${t("review-changes-counts", { added: additions, removed: deletions })}, ${t("review-in-files", { count: files })}`}</span>
      <span aria-hidden>
        <span className="text-ok">+{formatNumber(language, additions)}</span> <span className="text-bad">−{formatNumber(language, deletions)}</span>{" "}
        {t("review-in-files", { count: files })}
      </span>
    </span>
  );
}
