import { Ellipsis, Plus, TriangleAlert } from "lucide-react";
import { useRef, useState, type ReactNode } from "react";
import { classNames, Dialog, Dot, IconButton, Menu, Skeleton, type Tone } from "../../components";
import { useAnswer, useLoops } from "../../data";
import type { LoopView, RepositoryView } from "../../generated/wire";
import { useText } from "../../i18n";
import { addressOf, repoOf, type Place } from "../../routes";
import { ChooseRepositories, useRemoveRepository } from "../onboarding";
import { DemoCard } from "./DemoCard";
import { Mark } from "./Mark";
import { countStandings, toneOf, type Standing } from "./rows";
import { SidebarFoot } from "./SidebarFoot";

const STANDINGS: readonly [Standing, Tone][] = [
  ["needs-you", "bad"],
  ["ready", "ok"],
  ["working", "run"],
];

/** The window's left side: where loops stand, the repositories, and how things are. */
export function Sidebar({ place, onKeys }: { place: Place; onKeys: () => void }) {
  const t = useText();
  const loops = useLoops();
  const counts = countStandings(loops);
  return (
    <nav aria-label={t("sidebar")} className="flex min-h-0 flex-col border-r border-line bg-side">
      <div className="flex h-14 shrink-0 items-center gap-2 px-4 text-[14px] font-semibold">
        <Mark />
        {t("app-name")}
      </div>
      <ul className="flex shrink-0 flex-col gap-0.5 px-2">
        {STANDINGS.map(([standing, tone]) => (
          <li key={standing}>
            <NavLink to={{ page: standing }} current={place.page === standing} count={counts[standing]}>
              <Dot tone={counts[standing] > 0 ? tone : "none"} />
              <span className="truncate">{t(`standing-${standing}`)}</span>
            </NavLink>
          </li>
        ))}
      </ul>
      <Repositories place={place} loops={loops} />
      <DemoCard />
      <SidebarFoot onKeys={onKeys} settings={place.page === "settings"} />
    </nav>
  );
}

/** A place to go to, with how many wait there. */
function NavLink({ to, current, count, children }: { to: Place; current: boolean; count?: number; children: ReactNode }) {
  return (
    <a
      href={addressOf(to)}
      aria-current={current ? "page" : undefined}
      className={classNames(
        "flex h-7 min-w-0 flex-1 items-center gap-2 rounded-md px-2",
        current ? "bg-panel text-text shadow-[0_0_0_1px_var(--line)]" : "text-dim hover:bg-hover hover:text-text",
      )}
    >
      {children}
      {count !== undefined && count > 0 && <span className="ml-auto text-faint">{count}</span>}
    </a>
  );
}

function Repositories({ place, loops }: { place: Place; loops: LoopView[] }) {
  const t = useText();
  const repositories = useAnswer({ command: "repositories" });
  const [adding, setAdding] = useState(false);
  const list = useRef<HTMLUListElement>(null);
  const add = useRef<HTMLButtonElement>(null);
  const removal = useRemoveRepository(
    repositories.data?.map(({ name }) => name) ?? [],
    (place) => list.current?.querySelectorAll("a")[place] ?? add.current,
  );
  return (
    <>
      <div className="flex shrink-0 items-center justify-between pt-3 pr-2 pl-4">
        <h2 className="text-xs font-medium text-faint">{t("sidebar-repositories")}</h2>
        <IconButton ref={add} label={t("sidebar-add")} onClick={() => setAdding(true)} className="size-6">
          <Plus aria-hidden className="size-3.5" />
        </IconButton>
      </div>
      <ul ref={list} className="flex min-h-16 flex-1 flex-col gap-0.5 overflow-y-auto px-2 py-px">
        {repositories.isPending &&
          ["w-24", "w-20"].map((width) => (
            <li key={width} className="flex h-7 items-center px-2">
              <Skeleton className={`h-3 ${width}`} />
            </li>
          ))}
        {repositories.data?.map((repository) => (
          <Repository
            key={repository.name}
            repository={repository}
            current={place.page === "repo" && place.repo === repository.name}
            loops={loops.filter((loop) => repoOf(loop.key) === repository.name)}
            onRemove={() => removal.ask(repository.name)}
          />
        ))}
      </ul>
      <Dialog title={t("sidebar-add-title")} open={adding} onClose={() => setAdding(false)}>
        <ChooseRepositories onDone={() => setAdding(false)} />
      </Dialog>
      {removal.dialog}
    </>
  );
}

interface RepositoryProps {
  repository: RepositoryView;
  current: boolean;
  loops: LoopView[];
  onRemove: () => void;
}

function Repository({ repository, current, loops, onRemove }: RepositoryProps) {
  const t = useText();
  const counts = countStandings(loops);
  const { name, problem, chosen } = repository;
  return (
    <li className="group relative flex shrink-0">
      <NavLink to={{ page: "repo", repo: name }} current={current}>
        {problem ? (
          <TriangleAlert role="img" aria-label={problem.message} className="-ml-0.5 size-3 shrink-0 text-warn" />
        ) : (
          <Dot tone={toneOf(counts)} />
        )}
        <span className="truncate" title={name}>
          {name}
        </span>
        <Count counts={counts} hides={chosen} />
      </NavLink>
      {chosen && (
        <span className="absolute top-0.5 right-0.5 opacity-0 group-focus-within:opacity-100 group-hover:opacity-100 has-data-[state=open]:opacity-100">
          <Menu groups={[[{ label: t("sidebar-remove"), onSelect: onRemove }]]}>
            <button type="button" aria-label={t("sidebar-more", { repo: name })} className="grid size-6 place-items-center rounded-md text-dim hover:text-text">
              <Ellipsis aria-hidden className="size-3.5" />
            </button>
          </Menu>
        </span>
      )}
    </li>
  );
}

function Count({ counts, hides }: { counts: Record<Standing, number>; hides: boolean }) {
  const sum = counts["needs-you"] + counts.ready + counts.working;
  if (sum === 0) return null;
  return <span className={classNames("ml-auto pl-1 text-faint", hides && "group-focus-within:invisible group-hover:invisible")}>{sum}</span>;
}
