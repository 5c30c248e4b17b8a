import { Ellipsis, FolderGit2, ChartColumn, LayoutList, Plus, Search, TriangleAlert } from "lucide-react";
import { memo, useCallback, useEffect, useMemo, useRef, useState, type ReactNode } from "react";
import { classNames, Dialog, IconButton, Logo, Menu, Skeleton } from "../../components";
import { useAnswer, useLoops, useNow, useRights } from "../../data";
import type { RepositoryView } from "../../generated/wire";
import { formatNumber, useLanguage, useText } from "../../i18n";
import { hrefOf, type AttentionPage, type Destination } from "../../routes";
import { useSnoozes } from "../../snooze";
import { byName } from "../../text-order";
import { Bell } from "../notifications";
import { ChooseRepositories, useRemoveRepository } from "../onboarding";
import { DemoCard } from "./DemoCard";
import { countStandings, StandingIcon, type Counts } from "../overview";
import { SidebarFooter } from "./SidebarFooter";

/** The pages of loops, in the order shown. */
const PAGES = ["needs-you", "ready", "working"] as const satisfies readonly AttentionPage[];

/** Snoozes end within that. */
const SNOOZE_TICK_MS = 30_000;

interface SidebarProps {
  destination: Destination;
  /** In a narrow window: in front of it. */
  open: boolean;
  onKeys: () => void;
  onPalette: () => void;
  onNotifications: () => void;
}

/** The window's left side: where loops stand, the repositories, and how things are. */
export function Sidebar({ destination, open, onKeys, onPalette, onNotifications }: SidebarProps) {
  const t = useText();
  const loops = useLoops();
  const snoozes = useSnoozes();
  const now = useNow(SNOOZE_TICK_MS);
  const counts = countStandings(loops, snoozes, now);
  const { operate } = useRights();
  return (
    <nav
      aria-label={t("sidebar")}
      className={classNames(
        "flex min-h-0 flex-col border-e border-line bg-side",
        open ? "@max-[45rem]/frame:fixed @max-[45rem]/frame:inset-y-0 @max-[45rem]/frame:start-0 @max-[45rem]/frame:top-10 @max-[45rem]/frame:z-30 @max-[45rem]/frame:w-60 @max-[45rem]/frame:shadow-float" : "@max-[45rem]/frame:hidden",
      )}
    >
      <div className="flex h-14 shrink-0 items-center gap-1 ps-4 pe-2 text-[0.875rem] font-semibold">
        <Logo />
        <span className="ms-1 flex-1">{t("app-name")}</span>
        <IconButton label={t("palette-tip")} aria-keyshortcuts="Control+K" onClick={onPalette}>
          <Search aria-hidden className="size-4" />
        </IconButton>
        <Bell onOpen={onNotifications} />
      </div>
      <ul className="flex shrink-0 flex-col gap-0.5 px-2">
        <li>
          <NavLink to={{ page: "home" }} current={destination.page === "home"}>
            <LayoutList aria-hidden className="size-3.5 shrink-0 text-faint" />
            <span className="truncate">{t("overview")}</span>
          </NavLink>
        </li>
        {PAGES.map((page) => (
          <li key={page}>
            <NavLink to={{ page }} current={destination.page === page} count={counts.all[page]}>
              <StandingIcon standing={page} faded={counts.all[page] === 0} />
              <span className="truncate">{t(`standing-${page}`)}</span>
            </NavLink>
          </li>
        ))}
        {operate && (
          <li>
            <NavLink to={{ page: "insights" }} current={destination.page === "insights"}>
              <ChartColumn aria-hidden className="size-3.5 shrink-0 text-faint" />
              <span className="truncate">{t("insights")}</span>
            </NavLink>
          </li>
        )}
      </ul>
      <Repositories destination={destination} countsOf={counts.of} />
      <DemoCard />
      <SidebarFooter onKeys={onKeys} settings={destination.page === "settings"} />
    </nav>
  );
}

/** A place to go to, with how many wait there. */
function NavLink({ to, current, count, title, children }: { to: Destination; current: boolean; count?: number; title?: string; children: ReactNode }) {
  const language = useLanguage();
  return (
    <a
      href={hrefOf(to)}
      title={title}
      aria-current={current ? "page" : undefined}
      className={classNames(
        "flex h-7 min-w-0 flex-1 items-center gap-2 rounded-md px-2",
        current ? "bg-panel text-text shadow-[0_0_0_1px_var(--line)]" : "text-dim hover:bg-hover hover:text-text",
      )}
    >
      {children}
      {count !== undefined && count > 0 && <span className="ms-auto text-faint">{formatNumber(language, count)}</span>}
    </a>
  );
}

function Repositories({ destination, countsOf }: { destination: Destination; countsOf: (repo: string) => Counts }) {
  const t = useText();
  const repositories = useAnswer({ command: "repositories" });
  const { own_machine } = useRights();
  const [adding, setAdding] = useState(false);
  const sorted = useMemo(() => repositories.data?.toSorted((a, b) => byName(a.name, b.name)), [repositories.data]);
  const list = useRef<HTMLUListElement>(null);
  const add = useRef<HTMLButtonElement>(null);
  const removal = useRemoveRepository(
    sorted?.map(({ name }) => name) ?? [],
    (index) => list.current?.querySelectorAll("a")[index] ?? add.current,
  );
  const { ask } = removal;
  const latest = useRef(ask);
  useEffect(() => {
    latest.current = ask;
  });
  const onRemove = useCallback((name: string) => latest.current(name), []);
  return (
    <>
      <div className="flex shrink-0 items-center justify-between pt-3 pe-2 ps-4">
        <h2 className="text-xs font-medium text-faint">{t("sidebar-repositories")}</h2>
        {own_machine && (
          <IconButton ref={add} label={t("sidebar-add")} onClick={() => setAdding(true)} className="size-6">
            <Plus aria-hidden className="size-3.5" />
          </IconButton>
        )}
      </div>
      <ul ref={list} className="flex min-h-16 flex-1 flex-col gap-0.5 overflow-y-auto px-2 py-px">
        {repositories.isPending &&
          ["w-24", "w-20"].map((width) => (
            <li key={width} className="flex h-7 items-center px-2">
              <Skeleton className={`h-3 ${width}`} />
            </li>
          ))}
        {sorted?.map((repository) => (
          <Repository
            key={repository.name}
            repository={repository}
            current={destination.page === "repo" && destination.repo === repository.name}
            {...countsOf(repository.name)}
            onRemove={onRemove}
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

interface RepositoryProps extends Counts {
  repository: RepositoryView;
  current: boolean;
  onRemove: (name: string) => void;
}

/** Renders again only when it or one of its counts changes: loops change up to sixty times a second. */
const Repository = memo(function Repository({ repository, current, onRemove, ...counts }: RepositoryProps) {
  const t = useText();
  const { name, problem } = repository;
  const { own_machine } = useRights();
  const chosen = repository.chosen && own_machine;
  const urgent = PAGES.find((page) => counts[page] > 0);
  const told = PAGES.filter((page) => counts[page] > 0).map((page) => `${t(`standing-${page}`)} ${counts[page]}`);
  return (
    <li className="group relative flex shrink-0">
      <NavLink to={{ page: "repo", repo: name }} current={current} title={[name, ...told].join("\n")}>
        <span className="truncate">{name}</span>
        <span className="order-first grid size-3.5 shrink-0">
          {problem ? (
            <TriangleAlert role="img" aria-label={problem.message} className="size-3.5 text-warn" />
          ) : urgent ? (
            <StandingIcon standing={urgent} named />
          ) : (
            <FolderGit2 aria-hidden className="size-3.5 text-faint" />
          )}
        </span>
        {urgent && <Count count={counts[urgent]} hides={chosen} />}
      </NavLink>
      {chosen && (
        <span className="absolute top-0.5 end-0.5 opacity-0 group-focus-within:opacity-100 group-hover:opacity-100 has-data-[state=open]:opacity-100">
          <Menu groups={[[{ label: t("sidebar-remove"), onSelect: () => onRemove(name) }]]}>
            <button type="button" aria-label={t("sidebar-more", { repo: name })} className="grid size-6 place-items-center rounded-md text-dim hover:text-text">
              <Ellipsis aria-hidden className="size-3.5" />
            </button>
          </Menu>
        </span>
      )}
    </li>
  );
});

/** How many stand as the icon says; the others are in the tooltip. */
function Count({ count, hides }: { count: number; hides: boolean }) {
  const language = useLanguage();
  return <span className={classNames("ms-auto ps-1 text-faint", hides && "group-focus-within:invisible group-hover:invisible")}>{formatNumber(language, count)}</span>;
}
