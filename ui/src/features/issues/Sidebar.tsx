import { Ellipsis, Plus, TriangleAlert } from "lucide-react";
import { useRef, useState, type ReactNode } from "react";
import { classNames, Dialog, Dot, IconButton, Logo, Menu, Skeleton, type Tone } from "../../components";
import { useAnswer, useLoops } from "../../data";
import type { LoopView, RepositoryView } from "../../generated/wire";
import { useText } from "../../i18n";
import { hrefOf, repoOf, type AttentionPage, type Destination } from "../../routes";
import { ChooseRepositories, useRemoveRepository } from "../onboarding";
import { DemoCard } from "./DemoCard";
import { countByAttention, toneOfCounts } from "./rows";
import { SidebarFooter } from "./SidebarFooter";

/** The lists of loops, in the order shown. */
const ATTENTION_TONES: Record<AttentionPage, Tone> = { "needs-you": "bad", ready: "ok", working: "run" };
const ATTENTION_PAGES = Object.keys(ATTENTION_TONES) as AttentionPage[];

/** The window's left side: where loops stand, the repositories, and how things are. */
export function Sidebar({ destination, onKeys }: { destination: Destination; onKeys: () => void }) {
  const t = useText();
  const loops = useLoops();
  const counts = countByAttention(loops);
  return (
    <nav aria-label={t("sidebar")} className="flex min-h-0 flex-col border-r border-line bg-side">
      <div className="flex h-14 shrink-0 items-center gap-2 px-4 text-[14px] font-semibold">
        <Logo />
        {t("app-name")}
      </div>
      <ul className="flex shrink-0 flex-col gap-0.5 px-2">
        {ATTENTION_PAGES.map((page) => (
          <li key={page}>
            <NavLink to={{ page }} current={destination.page === page} count={counts[page]}>
              <Dot tone={counts[page] > 0 ? ATTENTION_TONES[page] : "none"} />
              <span className="truncate">{t(`standing-${page}`)}</span>
            </NavLink>
          </li>
        ))}
      </ul>
      <Repositories destination={destination} loops={loops} />
      <DemoCard />
      <SidebarFooter onKeys={onKeys} settings={destination.page === "settings"} />
    </nav>
  );
}

/** A place to go to, with how many wait there. */
function NavLink({ to, current, count, children }: { to: Destination; current: boolean; count?: number; children: ReactNode }) {
  return (
    <a
      href={hrefOf(to)}
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

function Repositories({ destination, loops }: { destination: Destination; loops: LoopView[] }) {
  const t = useText();
  const repositories = useAnswer({ command: "repositories" });
  const [adding, setAdding] = useState(false);
  const list = useRef<HTMLUListElement>(null);
  const add = useRef<HTMLButtonElement>(null);
  const removal = useRemoveRepository(
    repositories.data?.map(({ name }) => name) ?? [],
    (index) => list.current?.querySelectorAll("a")[index] ?? add.current,
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
            current={destination.page === "repo" && destination.repo === repository.name}
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
  const counts = countByAttention(loops);
  const { name, problem, chosen } = repository;
  return (
    <li className="group relative flex shrink-0">
      <NavLink to={{ page: "repo", repo: name }} current={current}>
        {problem ? (
          <TriangleAlert role="img" aria-label={problem.message} className="-ml-0.5 size-3 shrink-0 text-warn" />
        ) : (
          <Dot tone={toneOfCounts(counts)} />
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

function Count({ counts, hides }: { counts: Record<AttentionPage, number>; hides: boolean }) {
  const sum = counts["needs-you"] + counts.ready + counts.working;
  if (sum === 0) return null;
  return <span className={classNames("ml-auto pl-1 text-faint", hides && "group-focus-within:invisible group-hover:invisible")}>{sum}</span>;
}
