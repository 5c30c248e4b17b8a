import { Lock, Search } from "lucide-react";
import { useMemo, useState } from "react";
import { Button, Checkbox, ProblemBanner, Skeleton, TextField } from "../../components";
import { useAnswer, useCommand } from "../../data";
import type { AvailableRepository } from "../../generated/wire";
import { useText } from "../../i18n";

const FULL_NAME = /^[A-Za-z0-9][A-Za-z0-9-]*\/[A-Za-z0-9._-]+$/;

/** A search that fits every word somewhere in the name. */
function filterByName(repositories: AvailableRepository[], query: string): AvailableRepository[] {
  const terms = query.toLowerCase().split(/\s+/).filter(Boolean);
  return repositories.filter(({ name }) => terms.every((word) => name.toLowerCase().includes(word)));
}

/** Chooses repositories for the sidebar: of those the account can push to, or by name. */
export function ChooseRepositories({ onDone, skippable }: { onDone: () => void; skippable?: boolean }) {
  const t = useText();
  const command = useCommand();
  const available = useAnswer({ command: "available_repositories" });
  const [query, setQuery] = useState("");
  const [selected, setSelected] = useState<ReadonlySet<string>>(new Set());
  const [byName, setByName] = useState<string[]>([]);

  const all = useMemo(() => {
    const named = byName.map((name): AvailableRepository => ({ name, private: false, open_pulls: 0, chosen: false }));
    const others = available.data?.filter(({ name }) => !byName.some((typed) => typed.toLowerCase() === name.toLowerCase()));
    return [...named, ...(others ?? [])];
  }, [available.data, byName]);
  const shown = useMemo(() => filterByName(all, query), [all, query]);
  const typed = query.trim();
  const isNew = FULL_NAME.test(typed) && !all.some(({ name }) => name.toLowerCase() === typed.toLowerCase());

  const toggle = (name: string, on: boolean) => {
    const next = new Set(selected);
    if (on) next.add(name);
    else next.delete(name);
    setSelected(next);
  };
  const addTyped = () => {
    if (!isNew) return;
    setByName([typed, ...byName]);
    toggle(typed, true);
    setQuery("");
  };
  const save = () => {
    void command.run({ command: "add_repositories", args: { repos: [...selected] } }).then(onDone, () => undefined);
  };

  return (
    <div className="flex min-h-0 flex-col gap-3">
      <div className="relative">
        <Search aria-hidden className="absolute top-2 left-2.5 size-4 text-faint" />
        <TextField
          bare
          label={t("choose-search")}
          placeholder={t("choose-search-example")}
          type="search"
          value={query}
          onChange={setQuery}
          onKeyDown={(event) => {
            if (event.key !== "Enter") return;
            event.preventDefault();
            addTyped();
          }}
          className="[&_input]:ps-8"
        />
      </div>
      {available.error && (
        <ProblemBanner problem={available.error} busy={available.isFetching} onRetry={() => void available.refetch()} />
      )}
      <ul
        aria-label={t("choose-list")}
        tabIndex={0}
        className="h-[min(18rem,42vh)] divide-y divide-line overflow-auto rounded-lg border border-line bg-panel"
      >
        {isNew && (
          <li className="px-3 py-1.5">
            <Button size="small" onClick={addTyped}>
              {t("choose-by-name", { name: typed })}
            </Button>
          </li>
        )}
        {available.isPending && [1, 2, 3, 4, 5].map((row) => <PendingRow key={row} />)}
        {shown.map((repository) => (
          <RepositoryRow
            key={repository.name}
            repository={repository}
            selected={selected.has(repository.name)}
            onToggle={(on) => toggle(repository.name, on)}
          />
        ))}
        {!available.isPending && !isNew && shown.length === 0 && (
          <li className="px-4 py-8 text-center text-dim">
            {typed !== "" ? <p>{t("choose-no-match", { words: typed })}</p> : available.data && <p>{t("choose-none")}</p>}
            <p className="text-sm text-faint">{t(typed === "" ? "choose-none-text" : "choose-no-match-text")}</p>
          </li>
        )}
      </ul>
      {command.problem && <ProblemBanner problem={command.problem} />}
      <div className="flex items-center gap-2">
        <Button variant="primary" busy={command.pending} disabled={selected.size === 0} onClick={save}>
          {t("choose-add", { count: selected.size })}
        </Button>
        {skippable && (
          <Button disabled={command.pending} onClick={onDone}>
            {t("choose-skip")}
          </Button>
        )}
        <span aria-live="polite" className="ms-auto text-sm text-faint">
          {t("choose-selected", { count: selected.size })}
        </span>
      </div>
    </div>
  );
}

function PendingRow() {
  return (
    <li className="flex h-9 items-center gap-3 px-3">
      <Skeleton className="size-4" />
      <Skeleton className="h-3 w-48" />
    </li>
  );
}

function RepositoryRow({
  repository: { name, private: hidden, open_pulls, chosen },
  selected,
  onToggle,
}: {
  repository: AvailableRepository;
  selected: boolean;
  onToggle: (on: boolean) => void;
}) {
  const t = useText();
  return (
    <li className="flex items-center gap-3 px-3 py-2 hover:bg-hover">
      <span className="flex min-w-0 flex-1 items-center gap-2 break-all">
        <Checkbox label={name} checked={chosen || selected} disabled={chosen} onChange={onToggle} />
        {hidden && <Lock role="img" aria-label={t("choose-private")} className="size-3.5 shrink-0 text-faint" />}
      </span>
      <span className="shrink-0 text-sm text-faint">
        {chosen ? t("choose-chosen") : open_pulls > 0 ? t("choose-pulls", { count: open_pulls }) : ""}
      </span>
    </li>
  );
}
