import { RefreshCw, Search } from "lucide-react";
import { useState, type ReactNode, type RefObject } from "react";
import { classNames, IconButton, Skeleton, Switch, VisuallyHidden } from "../../components";
import { useAnswer, useCommand, useMayWrite, useNow, useRights } from "../../data";
import type { Autonomy } from "../../generated/wire";
import { formatRelativeTime, useLanguage, useText } from "../../i18n";
import { AutoReviewSheet, LevelMenu } from "../autonomy";
import { useNotify } from "./Notices";

export interface IssueListHeaderProps {
  /** Null while it is not known. */
  title: string | null;
  query: string;
  onSearch: (query: string) => void;
  search: RefObject<HTMLInputElement | null>;
  /** What else can be done with what is listed. */
  actions?: ReactNode;
  /** Of one repository: its toggle, and when it was read. */
  repository?: { name: string; autoReview: boolean | undefined; autonomy: Autonomy | undefined; readAt: string | null; reading: boolean };
}

/** Above a list: what it lists, the search, and for a repository the Auto-PR-Review toggle. */
export function IssueListHeader({ title, query, onSearch, search, actions, repository }: IssueListHeaderProps) {
  const t = useText();
  return (
    <header className="@container shrink-0 border-b border-line px-5">
      <div className="flex min-h-14 items-center gap-3 @max-[44rem]:flex-wrap @max-[44rem]:gap-y-1.5 @max-[44rem]:py-2">
      <h1 className="min-w-0 flex-1 truncate text-lg font-semibold @max-[44rem]:min-w-1/2" title={title ?? undefined}>
        {title ?? (
          <>
            <VisuallyHidden>{t("list-loading")}</VisuallyHidden>
            <Skeleton className="h-4 w-32" />
          </>
        )}
      </h1>
      <div className="relative w-40 shrink @max-[44rem]:w-32 @max-[44rem]:flex-1 @max-[44rem]:basis-32">
        <Search aria-hidden className="pointer-events-none absolute start-2 top-2 size-3.5 text-faint" />
        <input
          ref={search}
          type="search"
          value={query}
          onChange={(event) => onSearch(event.target.value)}
          onKeyDown={(event) => {
            if (event.key !== "Escape") return;
            event.preventDefault();
            event.stopPropagation();
            if (query === "") event.currentTarget.blur();
            else onSearch("");
          }}
          aria-label={t("list-search")}
          aria-keyshortcuts="/"
          placeholder={t("list-search")}
          spellCheck={false}
          autoComplete="off"
          className="h-7.5 w-full rounded-md border border-control bg-panel ps-7 pe-2 [&::-webkit-search-cancel-button]:hidden"
        />
      </div>
      {actions}
      {repository && <Refresh {...repository} />}
      {repository?.autonomy !== undefined && <Level repo={repository.name} level={repository.autonomy} />}
      {repository?.autoReview !== undefined && (
        <Toggle key={repository.name} repo={repository.name} on={repository.autoReview} level={repository.autonomy ?? "observe"} />
      )}
      </div>
    </header>
  );
}

/** The Auto-PR-Review toggle (§13.1). */
function Toggle({ repo, on, level }: { repo: string; on: boolean; level: Autonomy }) {
  const t = useText();
  const command = useCommand();
  const notify = useNotify();
  const { refetch } = useAnswer({ command: "repositories" });
  // What was asked for, shown until the host has answered and what holds then was read.
  const [requested, setRequested] = useState<boolean | null>(null);
  const [asking, setAsking] = useState(false);
  const may = useMayDecide(repo);
  const change = (to: boolean) => {
    setRequested(to);
    command
      .run({ command: "set_auto_review", args: { repo, on: to } })
      .then(() => refetch(), notify)
      .finally(() => setRequested(null));
  };
  return (
    <>
      <Switch
        label={t("list-auto-review")}
        checked={requested ?? on}
        disabled={requested !== null || !may}
        // Nothing starts before it was confirmed.
        onChange={(to) => (to ? setAsking(true) : change(false))}
        tip={t(may ? "list-auto-review-tip" : "rights-operator-only")}
      />
      {asking && <AutoReviewSheet repo={repo} level={level} onClose={() => setAsking(false)} />}
    </>
  );
}

/** Whether a person may decide for whom Collie works by itself in a repository. */
function useMayDecide(repo: string): boolean {
  const { operate } = useRights();
  const write = useMayWrite(repo);
  return operate && write;
}

function Level({ repo, level }: { repo: string; level: Autonomy }) {
  const notify = useNotify();
  return <LevelMenu repo={repo} level={level} onProblem={notify} />;
}

/** Reads GitHub now; says when it was read. */
function Refresh({ name, readAt, reading }: { name: string; readAt: string | null; reading: boolean }) {
  const t = useText();
  const language = useLanguage();
  const now = useNow(15_000);
  const command = useCommand();
  const notify = useNotify();
  const mayWrite = useMayWrite(name);
  const busy = command.pending || reading;
  const when = readAt === null ? t("list-refresh") : t("list-refresh-read", { when: formatRelativeTime(language, readAt, now) });
  // Reading anew costs the server's quota: it is for those who may act here.
  if (!mayWrite) return null;
  return (
    <IconButton
      label={busy ? t("list-refreshing") : when}
      aria-disabled={busy || undefined}
      onClick={() => {
        if (!busy) command.run({ command: "refresh", args: { repo: name } }).catch(notify);
      }}
    >
      <RefreshCw aria-hidden className={classNames("size-4", busy && "busy")} />
    </IconButton>
  );
}
