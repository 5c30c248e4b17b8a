import { useState } from "react";
import { Banner, Button, Checkbox, Dialog, ProblemBanner, Skeleton } from "../../components";
import { useAnswer, useCommand, useSession } from "../../data";
import type { Autonomy, EngineView, PullLine } from "../../generated/wire";
import { useText, type Translate } from "../../i18n";
import { LevelChoice } from "./LevelChoice";

interface AutoReviewSheetProps {
  repo: string;
  level: Autonomy;
  onClose: () => void;
}

/** What is asked before the toggle of a repository is switched on: what it is for, as whom, and how far (§13.7). */
export function AutoReviewSheet({ repo, level, onClose }: AutoReviewSheetProps) {
  const t = useText();
  const session = useSession();
  const command = useCommand();
  const listing = useAnswer({ command: "listing", args: { repo } });
  const repositories = useAnswer({ command: "repositories" });
  const [chosen, setChosen] = useState(level);
  // What a person has said of some; the others are as they were.
  const [said, setSaid] = useState<Record<number, boolean>>({});
  const pulls = listing.data?.pulls.filter((pull) => pull.would_start) ?? [];
  const isIn = (pull: PullLine) => said[pull.number] ?? !pull.left_out;
  const count = pulls.filter(isIn).length;
  const read = listing.data !== undefined && listing.data.read_at !== null;
  const confirm = () => {
    const except = pulls.filter((pull) => !isIn(pull)).map((pull) => pull.number);
    command
      .run({ command: "set_auto_review", args: { repo, on: true, plan: { autonomy: chosen, except } } })
      .then(() => repositories.refetch())
      .then(onClose, () => undefined);
  };
  return (
    <Dialog
      title={t("auto-sheet-title", { repo })}
      text={read ? countsSentence(t, session.engine, pulls.length, count) : t("auto-sheet-reading")}
      open
      size="wide"
      onClose={onClose}
      actions={
        <>
          <Button onClick={onClose}>{t("back")}</Button>
          <Button variant="primary" busy={command.pending} disabled={!read} onClick={confirm}>
            {t("auto-sheet-confirm")}
          </Button>
        </>
      }
    >
      <LevelChoice label={t("autonomy-title")} level={chosen} onChange={setChosen} disabled={command.pending} />
      <p className="mt-3 text-dim">{t(`auto-sheet-as-${chosen}`, { login: session.account?.login ?? "" })}</p>
      {listing.error && !listing.data ? (
        <ProblemBanner problem={listing.error} busy={listing.isFetching} onRetry={() => void listing.refetch()} />
      ) : read ? (
        <PullBoxes pulls={pulls} isIn={isIn} disabled={command.pending} onChange={(number, on) => setSaid({ ...said, [number]: on })} />
      ) : (
        <Skeleton className="mt-3 h-16 w-full" />
      )}
      {listing.data?.truncated && (
        <div className="mt-3">
          <Banner tone="warn" title={t("auto-sheet-more")} />
        </div>
      )}
      {command.problem && <ProblemBanner problem={command.problem} />}
    </Dialog>
  );
}

/** How many match, and how many of those that are chosen start now; of workers without a limit nobody knows. */
function countsSentence(t: Translate, engine: EngineView | null, count: number, chosen: number): string {
  if (engine?.slots === null) return t("auto-sheet-matches", { count });
  const free = Math.max(0, (engine?.slots ?? 0) - (engine?.working ?? 0));
  const now = Math.min(chosen, free);
  return t("auto-sheet-counts", { count, now, later: chosen - now });
}

function PullBoxes(props: { pulls: PullLine[]; isIn: (pull: PullLine) => boolean; disabled: boolean; onChange: (number: number, on: boolean) => void }) {
  const { pulls, isIn, disabled, onChange } = props;
  const t = useText();
  if (pulls.length === 0) return <p className="mt-3 text-dim">{t("auto-sheet-none")}</p>;
  return (
    <fieldset className="mt-3 min-w-0">
      <legend className="mb-1 font-medium">{t("auto-sheet-pulls")}</legend>
      <ul className="flex flex-col gap-1.5">
        {pulls.map((pull) => (
          <li key={pull.key}>
            <Checkbox
              label={`#${pull.number} ${pull.title}`}
              help={pull.author === null ? pull.head_ref : t("auto-sheet-by", { author: pull.author, branch: pull.head_ref })}
              checked={isIn(pull)}
              disabled={disabled}
              onChange={(on) => onChange(pull.number, on)}
            />
          </li>
        ))}
      </ul>
    </fieldset>
  );
}
