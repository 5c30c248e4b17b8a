import { FolderGit2 } from "lucide-react";
import { lazy, Suspense, useCallback, useEffect, useRef, useState } from "react";
import { Button, classNames, Dialog, EmptyState, Part, Skeleton } from "../../components";
import { useAnswer, useNews, useSession } from "../../data";
import { useText } from "../../i18n";
import { addressOf, repoOf, useRoute, type Ask, type Place } from "../../routes";
import { LoopDetail } from "../auto-pr-review";
import { ChooseRepositories } from "../onboarding";
import { Banners } from "./Banners";
import { IssueListHeader } from "./IssueListHeader";
import { IssuesView, type ListProps } from "./IssuesView";
import { KeysDialog } from "./KeysDialog";
import { ListSkeleton } from "./ListSkeleton";
import { Notices } from "./Notices";
import { Sidebar } from "./Sidebar";
import { StandingView } from "./StandingView";
import { useInteractive } from "./useInteractive";
import { useWindowKeys } from "./useWindowKeys";

const Settings = lazy(async () => ({ default: (await import("../settings")).Settings }));

/** The window once somebody is signed in: sidebar, list, and the pull request that is shown. */
export function Frame() {
  return (
    <Notices>
      <Panes />
    </Notices>
  );
}

function Panes() {
  const t = useText();
  const { place: asked, show, go } = useRoute();
  const repositories = useAnswer({ command: "repositories" });
  const loops = useAnswer({ command: "loops" });
  // While the engine starts there is nothing to use yet, and the lists are empty for that reason alone.
  const starting = useSession().phase === "starting";
  const place = firstOf(asked, repositories.data?.[0]?.name, repositories.isPending || starting);
  const search = useRef<HTMLInputElement>(null);
  const [keysShown, setKeysShown] = useState(false);
  const detail = useDetailFocus(show);
  const settings = place?.page === "settings";
  // Where the settings were opened from: closing them leads back there, whichever pages were looked at.
  const before = useRef<{ place: Place; show: string | null }>({ place: { page: "home" }, show: null });
  useEffect(() => {
    if (asked.page !== "settings") before.current = { place: asked, show };
  }, [asked, show]);

  useInteractive(!starting && !repositories.isPending && !loops.isPending);
  useNews("show", ({ key }) => go({ page: "repo", repo: repoOf(key) }, key));
  const onShow = useCallback((key: string, ask?: Ask) => go(place ?? { page: "home" }, key, ask), [go, place]);
  const close = useCallback(() => go(place ?? { page: "home" }), [go, place]);
  useWindowKeys({
    search,
    onKeys: () => setKeysShown(true),
    onPlace: (to) => go(to),
    onClose: show && !settings ? close : null,
  });

  return (
    <div
      className="grid h-full min-w-0 grid-cols-[200px_minmax(0,1fr)] grid-rows-[minmax(0,1fr)] min-[1080px]:grid-cols-[212px_minmax(0,1fr)]"
    >
      <Sidebar place={place ?? { page: "home" }} onKeys={() => setKeysShown(true)} />
      {settings ? (
        <main className="min-h-0 min-w-0">
          <Part of={place.group}>
            <Suspense>
              <Settings group={place.group} onClose={() => go(before.current.place, before.current.show)} />
            </Suspense>
          </Part>
        </main>
      ) : (
        <main
          className={classNames(
            "grid min-h-0 min-w-0 grid-rows-[minmax(0,1fr)]",
            show && "min-[1080px]:grid-cols-[minmax(0,1fr)_432px] min-[1500px]:grid-cols-[minmax(0,1fr)_520px]",
          )}
        >
          <div className={classNames("flex min-h-0 min-w-0 flex-col", show && "max-[1079px]:hidden")}>
            <Part of={place ? addressOf(place) : ""}>
              <List place={place} shown={show} onShow={onShow} search={search} />
            </Part>
          </div>
          {show && (
            <div ref={detail} tabIndex={-1} role="region" aria-label={t("frame-detail")} className="min-h-0 min-w-0 border-line bg-panel outline-none min-[1080px]:border-l">
              <h1 className="sr-only min-[1080px]:hidden">{show}</h1>
              <Part of={show}>
                <LoopDetail loopKey={show} onClose={close} />
              </Part>
            </div>
          )}
        </main>
      )}
      <KeysDialog open={keysShown} onClose={() => setKeysShown(false)} />
    </div>
  );
}

/** The first page is the first repository's, or without one what needs a person. Null while that is not known. */
function firstOf(place: Place, repo: string | undefined, pending: boolean): Place | null {
  if (place.page !== "home") return place;
  if (repo !== undefined) return { page: "repo", repo };
  return pending ? null : place;
}

function List({ place, ...rest }: ListProps & { place: Place | null }) {
  switch (place?.page) {
    case "repo":
      return <IssuesView key={place.repo} repo={place.repo} {...rest} />;
    case "needs-you":
    case "ready":
    case "working":
      return <StandingView key={place.page} standing={place.page} {...rest} />;
    case "home":
      return <NoRepositories />;
    default:
      return <FirstRead search={rest.search} />;
  }
}

/** While it is not known what the first page is. */
function FirstRead({ search }: Pick<ListProps, "search">) {
  return (
    <>
      <IssueListHeader title={null} words="" onSearch={() => undefined} search={search} />
      <div className="flex gap-1.5 px-5 pt-2.5 pb-2">
        <Skeleton className="h-[22px] w-28" />
        <Skeleton className="h-[22px] w-20" />
      </div>
      <div className="px-3">
        <ListSkeleton />
      </div>
    </>
  );
}

function NoRepositories() {
  const t = useText();
  const [adding, setAdding] = useState(false);
  return (
    <>
      <h1 className="sr-only">{t("app-name")}</h1>
      <Banners />
      <EmptyState
        art={<FolderGit2 className="size-7" strokeWidth={1.5} />}
        title={t("frame-no-repositories")}
        text={t("frame-no-repositories-text")}
        action={
          <Button variant="primary" onClick={() => setAdding(true)}>
            {t("sidebar-add")}
          </Button>
        }
      />
      <Dialog title={t("sidebar-add-title")} open={adding} onClose={() => setAdding(false)}>
        <ChooseRepositories onDone={() => setAdding(false)} />
      </Dialog>
    </>
  );
}

/**
 * Moves the focus along where the list makes room for what is shown: to the page when it opens, and back to its row when it closes. Where both are
 * side by side the focus stays in the list.
 */
function useDetailFocus(show: string | null) {
  const detail = useRef<HTMLDivElement>(null);
  const last = useRef<string | null>(null);
  useEffect(() => {
    const before = last.current;
    last.current = show;
    if (show !== null) {
      if (before === null && window.matchMedia("(max-width: 1079px)").matches) detail.current?.focus();
      return;
    }
    const lost = document.activeElement === null || document.activeElement === document.body;
    if (before !== null && lost) document.querySelector<HTMLElement>(`[role="row"][data-key="${CSS.escape(before)}"]`)?.focus();
  }, [show]);
  return detail;
}
