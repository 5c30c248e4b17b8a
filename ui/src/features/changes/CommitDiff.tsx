import { ArrowDown, ArrowUp, ExternalLink, Maximize2, Minimize2 } from "lucide-react";
import { useCallback, useEffect, useId, useMemo, useRef, useState, type RefObject } from "react";
import { Button, EmptyState, IconButton, ProblemBanner, Skeleton, useAnnounce, useFreeKeys, useRem } from "../../components";
import { useAnswer } from "../../data";
import type { ChangeCommitView, ChangedFileView, CommitDiffView } from "../../generated/wire";
import { useText } from "../../i18n";
import { Counts, FilePath } from "./Counts";
import { DiffTable, type DiffTableHandle } from "./DiffTable";
import { AnsweredFinding } from "./Findings";
import { useLayoutChoice } from "./layout";
import { diffRows, type Layout } from "./rows";

/** Two sides beside each other take so much. */
const SPLIT_MIN_REM = 42.5;

interface CommitDiffProps {
  loopKey: string;
  commit: ChangeCommitView;
  scroller: RefObject<HTMLElement | null>;
  wide: boolean;
  onWide: (wide: boolean) => void;
  table: RefObject<DiffTableHandle | null>;
  onFile: (file: number) => void;
  onShowFinding: (fingerprint: string) => void;
  onOpenCommit: (sha: string) => void;
}

/** What one commit changes. */
export function CommitDiff(props: CommitDiffProps) {
  const { loopKey, commit } = props;
  const t = useText();
  const { data, error, refetch, isFetching } = useAnswer({ command: "commit_diff", args: { key: loopKey, sha: commit.sha } });
  if (error && !data) return <ProblemBanner problem={error} busy={isFetching} onRetry={() => void refetch()} />;
  if (!data) return <DiffLoading />;
  if (data.missing !== null) {
    const retry = data.missing === "unreachable" && (
      <Button busy={isFetching} onClick={() => void refetch()}>
        {t("review-changes-ask-again")}
      </Button>
    );
    return (
      <EmptyState
        title={t(`review-changes-missing-${data.missing}-title`, { sha: commit.sha.slice(0, 7) })}
        text={t(`review-changes-missing-${data.missing}`)}
        action={retry || undefined}
      />
    );
  }
  return <Loaded key={commit.sha} {...props} diff={data} />;
}

export function DiffLoading() {
  return (
    <div className="flex flex-col gap-2">
      <Skeleton className="h-8 w-full" />
      <Skeleton className="h-40 w-full" />
    </div>
  );
}

function Loaded(props: CommitDiffProps & { diff: CommitDiffView }) {
  const { commit, diff, scroller, wide, onWide, table, onFile, onShowFinding, onOpenCommit } = props;
  const t = useText();
  const announce = useAnnounce();
  const [choice, setChoice] = useLayoutChoice();
  const unit = useRef<HTMLSpanElement>(null);
  const rem = useRem(unit);
  const [column, width] = useWidth();
  const splits = width >= SPLIT_MIN_REM * rem;
  const [nameless, setNameless] = useState<ChangedFileView | null>(null);
  const hearFile = useCallback(
    (at: number, hidden: boolean) => {
      onFile(at);
      setNameless(hidden ? (diff.files[at]?.file ?? null) : null);
    },
    [diff, onFile],
  );
  const layout: Layout = splits ? choice : "unified";
  const rows = useMemo(() => diffRows(diff, layout), [diff, layout]);
  const count = useMemo(() => rows.filter((row) => row.kind === "hunk").length, [rows]);
  const go = (direction: 1 | -1) => {
    const at = table.current?.goToHunk(direction);
    if (at !== null && at !== undefined) announce(t("review-changes-at-hunk", { number: at + 1, count }));
  };
  useHunkKeys(go);
  const choose = (chosen: Layout) => {
    setChoice(chosen);
    // Beside each other they do not fit here: the window has the room.
    if (chosen === "split" && !splits && !wide) onWide(true);
  };
  return (
    <div ref={column} className="min-w-0">
      <span ref={unit} aria-hidden className="invisible absolute h-4 w-0" />
      <Notes commit={commit} diff={diff} onShowFinding={onShowFinding} />
      <div className="sticky top-0 z-10 -mx-1 flex h-10.25 items-center gap-1.5 border-b border-line bg-panel px-1">
        <span className="min-w-0 flex-1 text-sm">{nameless ? <FilePath file={nameless} /> : <Total diff={diff} />}</span>
        <IconButton label={t("review-changes-previous")} className="size-6" disabled={count === 0} onClick={() => go(-1)}>
          <ArrowUp aria-hidden className="size-3.5" />
        </IconButton>
        <IconButton label={t("review-changes-next")} className="size-6" disabled={count === 0} onClick={() => go(1)}>
          <ArrowDown aria-hidden className="size-3.5" />
        </IconButton>
        <LayoutSwitch value={layout} onChange={choose} />
        <IconButton label={t("review-finding-open-commit", { commit: commit.sha.slice(0, 7) })} className="size-6" onClick={() => onOpenCommit(commit.sha)}>
          <ExternalLink aria-hidden className="size-3.5" />
        </IconButton>
        <IconButton label={t(wide ? "review-changes-narrow" : "review-changes-widen")} className="size-6" aria-pressed={wide} onClick={() => onWide(!wide)}>
          {wide ? <Minimize2 aria-hidden className="size-3.5" /> : <Maximize2 aria-hidden className="size-3.5" />}
        </IconButton>
      </div>
      {rows.length === 0 ? (
        <p className="py-6 text-center text-dim">{t("review-changes-nothing-shown")}</p>
      ) : (
        <DiffTable
          diff={diff}
          rows={rows}
          layout={layout}
          label={t("review-changes-diff-of", { sha: commit.sha.slice(0, 7) })}
          scroller={scroller}
          handle={table}
          onFile={hearFile}
          onShowFinding={onShowFinding}
        />
      )}
    </div>
  );
}

/** `2 files +7 −5` */
function Total({ diff }: { diff: CommitDiffView }) {
  const t = useText();
  const sum = (field: "added" | "removed") => diff.files.reduce((all, { file }) => all + file[field], 0);
  return (
    <span className="flex items-baseline gap-2 text-dim">
      <span className="truncate">{t("review-changes-files", { count: diff.files.length + diff.files_left_out })}</span>
      <Counts added={sum("added")} removed={sum("removed")} />
    </span>
  );
}

/** What is to be known before the lines: a merge, and findings that no hunk was found for. */
function Notes({ commit, diff, onShowFinding }: Pick<CommitDiffProps, "commit" | "onShowFinding"> & { diff: CommitDiffView }) {
  const t = useText();
  const elsewhere = diff.elsewhere.flatMap((at) => diff.findings[at] ?? []);
  return (
    <>
      {commit.merge !== null && (
        <p className="mb-2 text-sm text-dim">
          {commit.merge.base_ref === null
            ? t("review-changes-merge-earlier")
            : t("review-changes-merge", { base: commit.merge.base_ref, count: commit.merge.conflicts })}
        </p>
      )}
      {elsewhere.length > 0 && (
        <div className="mb-2">
          <h4 className="text-sm text-dim">{t("review-changes-elsewhere")}</h4>
          <ul>
            {elsewhere.map((finding) => (
              <li key={finding.fingerprint}>
                <AnsweredFinding finding={finding} exact onShow={onShowFinding} />
              </li>
            ))}
          </ul>
        </div>
      )}
    </>
  );
}

/** Two ways of showing a diff; one holds. */
function LayoutSwitch({ value, onChange }: { value: Layout; onChange: (layout: Layout) => void }) {
  const t = useText();
  const name = useId();
  return (
    <fieldset className="inline-flex shrink-0 rounded-md bg-chip p-0.5">
      <legend className="sr-only">{t("review-changes-layout")}</legend>
      {(["unified", "split"] as const).map((option) => (
        <label
          key={option}
          className="rounded-[5px] px-2 text-sm text-dim has-checked:bg-panel has-checked:text-text has-checked:shadow-raise has-focus-visible:outline-2 has-focus-visible:outline-accent"
        >
          <input type="radio" name={name} value={option} checked={value === option} onChange={() => onChange(option)} className="sr-only" />
          {t(`review-changes-layout-${option}`)}
        </label>
      ))}
    </fieldset>
  );
}

/** `n` and `p`: the next hunk and the one before. */
function useHunkKeys(go: (direction: 1 | -1) => void): void {
  useFreeKeys(({ key }) => {
    if (key !== "n" && key !== "p") return false;
    go(key === "n" ? 1 : -1);
    return true;
  });
}

function useWidth(): [RefObject<HTMLDivElement | null>, number] {
  const node = useRef<HTMLDivElement>(null);
  const [width, setWidth] = useState(0);
  useEffect(() => {
    const element = node.current;
    if (!element) return;
    const measure = () => setWidth(element.clientWidth);
    measure();
    const observer = new ResizeObserver(measure);
    observer.observe(element);
    return () => observer.disconnect();
  }, []);
  return [node, width];
}
