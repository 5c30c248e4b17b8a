import { Trash2 } from "lucide-react";
import { useState } from "react";
import { IconButton, ProblemBanner, Select, Skeleton } from "../../components";
import { useAnswer, useCommand } from "../../data";
import type { MemoryEntryView } from "../../generated/wire";
import { formatDate, useLanguage, useText } from "../../i18n";

/** What people made of earlier findings, a repository at a time: later reviews are told, and each can be forgotten. */
export function ReviewMemory() {
  const t = useText();
  const repositories = useAnswer({ command: "repositories" });
  const [chosen, setChosen] = useState<string | null>(null);
  const names = repositories.data?.map(({ name }) => name) ?? [];
  const repo = chosen ?? names[0];
  if (repositories.error) return <ProblemBanner problem={repositories.error} busy={repositories.isFetching} onRetry={() => void repositories.refetch()} />;
  if (repositories.data && repo === undefined) return <p className="py-4 text-dim">{t("memory-no-repository")}</p>;
  return (
    <div className="flex flex-col gap-3 py-4">
      <Select label={t("memory-repository")} value={repo ?? ""} options={names.map((name) => ({ value: name, label: name }))} onChange={setChosen} />
      {repo === undefined ? <Skeleton className="h-24 w-full" /> : <Entries key={repo} repo={repo} />}
    </div>
  );
}

function Entries({ repo }: { repo: string }) {
  const t = useText();
  const memory = useAnswer({ command: "review_memory", args: { repo } });
  const forget = useCommand();
  if (memory.error) return <ProblemBanner problem={memory.error} busy={memory.isFetching} onRetry={() => void memory.refetch()} />;
  if (!memory.data) return <Skeleton className="h-24 w-full" />;
  const { entries, file } = memory.data;
  return (
    <>
      {forget.problem && <ProblemBanner problem={forget.problem} />}
      {entries.length === 0 ? (
        <p className="text-dim">{t("memory-empty")}</p>
      ) : (
        <ul className="divide-y divide-line">
          {entries.map((entry) => (
            <Entry
              key={entry.id}
              entry={entry}
              busy={forget.pending}
              onForget={() => void forget.run({ command: "forget_judgement", args: { repo, id: entry.id } }).catch(() => undefined)}
            />
          ))}
        </ul>
      )}
      {file !== null && <p className="text-sm break-all text-faint">{t("memory-file", { file })}</p>}
    </>
  );
}

function Entry({ entry, busy, onForget }: { entry: MemoryEntryView; busy: boolean; onForget: () => void }) {
  const t = useText();
  const language = useLanguage();
  const origin = [
    entry.by === null ? null : `@${entry.by}`,
    entry.pull === null ? null : `#${entry.pull}`,
    entry.expires_at === null ? t("memory-for-ever") : t("memory-until", { day: formatDate(language, entry.expires_at) }),
  ];
  return (
    <li className="flex items-start gap-3 py-2.5">
      <div className="min-w-0 flex-1">
        <p className="break-words">
          <span className="font-medium">{t(`memory-${entry.verdict}`)}</span> {entry.title}
        </p>
        {entry.reason !== null && <p className="break-words text-dim">{entry.reason}</p>}
        <p className="text-sm break-all text-faint">{[entry.file || null, ...origin].filter((part) => part !== null).join(" · ")}</p>
      </div>
      <IconButton label={t("memory-forget", { title: entry.title })} disabled={busy} onClick={onForget}>
        <Trash2 aria-hidden className="size-4" />
      </IconButton>
    </li>
  );
}
