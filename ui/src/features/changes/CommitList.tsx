import { ChevronDown } from "lucide-react";
import { useState } from "react";
import { classNames, RelativeTime, TextWithCode } from "../../components";
import type { ChangeCommitView, ChangesView } from "../../generated/wire";
import { useText } from "../../i18n";
import { Counts, FilePath } from "./Counts";

interface CommitListProps {
  changes: ChangesView;
  selected: string;
  /** The file at the top of the diff. */
  file: number;
  onSelect: (sha: string) => void;
  onFile: (file: number) => void;
}

/** Hides where the list stands above the lines of the diff, which are what is looked for. */
const FOLDED = "@max-[47.5rem]:hidden";

/** All commits by round; of the one that is shown its files. Above the diff the others are folded, and come when they are asked for. */
export function CommitList({ changes, selected, file, onSelect, onFile }: CommitListProps) {
  const t = useText();
  const [open, setOpen] = useState(false);
  const commits = changes.rounds.flatMap((round) => round.commits);
  const files = commits.find(({ sha }) => sha === selected)?.files.length ?? 0;
  const fold = (hides: boolean) => (hides && !open ? FOLDED : undefined);
  const select = (sha: string) => {
    setOpen(false);
    onSelect(sha);
  };
  return (
    <nav aria-label={t("review-changes-commits")} className="relative">
      {(commits.length > 1 || files > 1) && (
        <button
          type="button"
          aria-expanded={open}
          onClick={() => setOpen(!open)}
          className="absolute end-0 top-0 flex items-center gap-1 rounded px-1 text-sm text-dim hover:bg-hover @min-[47.5rem]:hidden"
        >
          {commits.length > 1 ? t("review-changes-all", { count: commits.length }) : t("review-changes-files", { count: files })}
          <ChevronDown aria-hidden className={classNames("size-3.5 text-faint", open && "rotate-180")} />
        </button>
      )}
      {changes.rounds.map(({ round, commits }) => (
        <section key={round ?? 0} className={classNames("not-first-of-type:mt-3", fold(commits.every(({ sha }) => sha !== selected)))}>
          <h3 className="mb-1 text-sm font-semibold text-dim">{round === null ? t("review-changes-earlier") : t("review-changes-round", { round })}</h3>
          <ul className="flex flex-col gap-1">
            {commits.map((commit) => (
              <li key={commit.sha} className={fold(commit.sha !== selected)}>
                <CommitLine commit={commit} selected={commit.sha === selected} onSelect={() => select(commit.sha)} />
                {commit.sha === selected && <Files commit={commit} shown={file} className={fold(true)} onFile={onFile} />}
              </li>
            ))}
          </ul>
        </section>
      ))}
    </nav>
  );
}

function CommitLine({ commit, selected, onSelect }: { commit: ChangeCommitView; selected: boolean; onSelect: () => void }) {
  const t = useText();
  const sha = commit.sha.slice(0, 7);
  const added = commit.files.reduce((sum, each) => sum + each.added, 0);
  const removed = commit.files.reduce((sum, each) => sum + each.removed, 0);
  return (
    <button
      type="button"
      aria-current={selected ? "true" : undefined}
      className={classNames(
        "-mx-2 block w-[calc(100%+1rem)] rounded-md px-2 py-1.5 text-start hover:bg-hover",
        selected && "bg-hover",
      )}
      onClick={onSelect}
    >
      <span className="line-clamp-2 wrap-anywhere">
        <TextWithCode text={commit.subject ?? t("review-changes-commit", { sha })} />
      </span>
      <span className="mt-0.5 flex flex-wrap items-baseline gap-x-2 text-sm text-dim">
        <span className="font-mono text-[0.92em]">{sha}</span>
        {commit.at !== null && <RelativeTime at={commit.at} />}
        {commit.findings > 0 && <span>{t("review-changes-findings", { count: commit.findings })}</span>}
        <span className="ms-auto">{commit.missing === null && <Counts added={added} removed={removed} />}</span>
      </span>
      {commit.standing !== "pushed" && (
        <span className={classNames("mt-0.5 block text-sm", commit.standing === "pending" ? "text-run" : "text-warn")}>
          {t(`review-changes-standing-${commit.standing}`)}
        </span>
      )}
    </button>
  );
}

interface FilesProps {
  commit: ChangeCommitView;
  /** The one at the top of the diff. */
  shown: number;
  className?: string | undefined;
  onFile: (file: number) => void;
}

function Files({ commit, shown, className, onFile }: FilesProps) {
  const t = useText();
  if (commit.files.length === 0) return null;
  return (
    <ul aria-label={t("review-changes-files-of", { sha: commit.sha.slice(0, 7) })} className={classNames("my-1 border-s border-line ps-2", className)}>
      {commit.files.map((file, index) => (
        <li key={file.path}>
          <button
            type="button"
            aria-current={index === shown ? "true" : undefined}
            className={classNames("flex w-full items-center gap-2 rounded px-1.5 py-0.5 text-start hover:bg-hover", index === shown && "font-medium")}
            onClick={() => onFile(index)}
          >
            <span className="min-w-0 flex-1">
              <FilePath file={file} />
            </span>
            {file.unshown === null ? (
              <Counts added={file.added} removed={file.removed} />
            ) : (
              <span className="shrink-0 text-sm text-dim">{t(`unseen-reason-${file.unshown}`)}</span>
            )}
          </button>
        </li>
      ))}
      {commit.files_left_out > 0 && <li className="px-1.5 text-sm text-dim">{t("review-changes-files-left-out", { count: commit.files_left_out })}</li>}
    </ul>
  );
}
