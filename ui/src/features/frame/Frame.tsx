import { FolderGit2, Menu as MenuIcon } from "lucide-react";
import { lazy, Suspense, useCallback, useEffect, useRef, useState } from "react";
import { Button, classNames, Dialog, EmptyState, IconButton, PaneErrorBoundary, Skeleton, UndoProvider } from "../../components";
import { useAnswer, useHostEvent, useRights, useSession } from "../../data";
import { useText } from "../../i18n";
import { hrefOf, repoOf, useRoute, type AttentionPage, type Destination, type RouteAction } from "../../routes";
import { LoopDetail } from "../auto-pr-review";
import { ChooseRepositories } from "../onboarding";
import { Banners, IssueListHeader, IssuesView, ListSkeleton, Notices, type ListProps } from "../issues";
import { SelectionProvider } from "../issues/selection";
import { Overview } from "../overview";
import { News, NotificationsDialog } from "../notifications";
import { usePalette } from "../palette";
import { KeysDialog } from "./KeysDialog";
import { Sidebar } from "./Sidebar";
import { useDetailKeys } from "./useDetailKeys";
import { useInteractive } from "./useInteractive";
import { useWindowKeys } from "./useWindowKeys";

const Palette = lazy(() => import("../palette/Palette"));
const InsightsPage = lazy(async () => ({ default: (await import("../insights")).InsightsPage }));
const Settings = lazy(async () => ({ default: (await import("../settings")).Settings }));

/** The window once somebody is signed in: sidebar, list, and the pull request that is shown. */
export function Frame() {
  return (
    <Notices>
      <UndoProvider>
        <Panes />
      </UndoProvider>
    </Notices>
  );
}

function Panes() {
  const t = useText();
  const { destination: requested, show, navigate } = useRoute();
  const repositories = useAnswer({ command: "repositories" });
  const loops = useAnswer({ command: "loops" });
  // While the engine starts there is nothing to use yet, and the lists are empty for that reason alone.
  const starting = useSession().phase === "starting";
  const { operate } = useRights();
  const destination = resolveHome(allowed(requested, operate), repositories.isPending || starting);
  const search = useRef<HTMLInputElement>(null);
  const [keysShown, setKeysShown] = useState(false);
  const [notificationsShown, setNotificationsShown] = useState(false);
  const [sidebarOpen, setSidebarOpen] = useState(false);
  useEffect(() => setSidebarOpen(false), [requested, show]);
  const detail = useDetailFocus(show);
  const settings = destination?.page === "settings";
  // Where the settings were opened from: closing them leads back there, whichever pages were looked at.
  const returnTo = useRef<{ destination: Destination; show: string | null }>({ destination: { page: "home" }, show: null });
  useEffect(() => {
    if (requested.page !== "settings") returnTo.current = { destination: requested, show };
  }, [requested, show]);

  useInteractive(!starting && !repositories.isPending && !loops.isPending);
  useHostEvent("show", ({ key }) => navigate({ page: "repo", repo: repoOf(key) }, key));
  const onShow = useCallback((key: string, ask?: RouteAction) => navigate(destination ?? { page: "home" }, key, ask), [navigate, destination]);
  const close = useCallback(() => navigate(destination ?? { page: "home" }), [navigate, destination]);
  const palette = usePalette(show);
  useDetailKeys();
  useWindowKeys({
    search,
    onKeys: () => setKeysShown(true),
    onNavigate: (to) => navigate(allowed(to, operate)),
    onClose: sidebarOpen ? () => setSidebarOpen(false) : show && !settings ? close : null,
  });

  return (
    <SelectionProvider place={destination ? hrefOf(destination) : ""}>
      {/* What stands beside what is up to how much text fits, so that larger text counts as a narrower window. */}
      <div className="@container/frame h-full">
      <div
        className={classNames(
          "grid h-full min-w-0 grid-cols-[12.5rem_minmax(0,1fr)] grid-rows-[minmax(0,1fr)] @min-[67.5rem]/frame:grid-cols-[13.25rem_minmax(0,1fr)]",
          "@max-[45rem]/frame:grid-cols-[minmax(0,1fr)] @max-[45rem]/frame:grid-rows-[auto_minmax(0,1fr)]",
        )}
      >
        <NarrowBar open={sidebarOpen} onToggle={() => setSidebarOpen(!sidebarOpen)} />
        {sidebarOpen && <div aria-hidden onClick={() => setSidebarOpen(false)} className="fixed inset-0 top-10 z-20 @min-[45rem]/frame:hidden" />}
        <Sidebar
          open={sidebarOpen}
          destination={destination ?? { page: "home" }}
          onKeys={() => setKeysShown(true)}
          onPalette={palette.show}
          onNotifications={() => setNotificationsShown(true)}
        />
        {settings ? (
          <main className="min-h-0 min-w-0">
            <PaneErrorBoundary resetKey={destination.group}>
              <Suspense>
                <Settings group={destination.group} onClose={() => navigate(returnTo.current.destination, returnTo.current.show)} />
              </Suspense>
            </PaneErrorBoundary>
          </main>
        ) : (
          <main
            className={classNames(
              "grid min-h-0 min-w-0 grid-rows-[minmax(0,1fr)]",
              show && "@min-[67.5rem]/frame:grid-cols-[minmax(0,1fr)_27rem] @min-[93.75rem]/frame:grid-cols-[minmax(0,1fr)_32.5rem]",
            )}
          >
            <div className={classNames("flex min-h-0 min-w-0 flex-col", show && "@max-[67.5rem]/frame:hidden")}>
              <PaneErrorBoundary resetKey={destination ? hrefOf(destination) : ""}>
                <List destination={destination} shown={show} onShow={onShow} search={search} />
              </PaneErrorBoundary>
            </div>
            {show && (
              <div ref={detail} tabIndex={-1} role="region" data-detail aria-label={t("frame-detail")} className="min-h-0 min-w-0 border-line bg-panel outline-none @min-[67.5rem]/frame:border-s">
                <h1 className="sr-only @min-[67.5rem]/frame:hidden">{show}</h1>
                <PaneErrorBoundary resetKey={show}>
                  <LoopDetail loopKey={show} onClose={close} />
                </PaneErrorBoundary>
              </div>
            )}
          </main>
        )}
        <News />
        {palette.used && (
          <Suspense>
            <Palette
              open={palette.open}
              onClose={palette.close}
              current={palette.current}
              navigate={navigate}
              show={(key, ask) => navigate(settings ? { page: "home" } : (destination ?? { page: "home" }), key, ask)}
              showKeys={() => setKeysShown(true)}
              showNotifications={() => setNotificationsShown(true)}
            />
          </Suspense>
        )}
        <NotificationsDialog open={notificationsShown} onClose={() => setNotificationsShown(false)} />
        <KeysDialog open={keysShown} onClose={() => setKeysShown(false)} />
      </div>
      </div>
    </SelectionProvider>
  );
}

/** Whether the list has made room for the page. */
function isAlone(detail: HTMLElement | null): boolean {
  const list = detail?.previousElementSibling;
  return list != null && getComputedStyle(list).display === "none";
}

/** Where a person may go: what many runs came to, and the settings, are for those who decide about them. */
function allowed(to: Destination, operate: boolean): Destination {
  return operate || (to.page !== "insights" && to.page !== "settings") ? to : { page: "home" };
}

/** Null while it is not known whether there is anything to show at home. */
function resolveHome(requested: Destination, pending: boolean): Destination | null {
  return requested.page === "home" && pending ? null : requested;
}

/** In a narrow window: what brings the sidebar in. */
function NarrowBar({ open, onToggle }: { open: boolean; onToggle: () => void }) {
  const t = useText();
  return (
    <header className="flex h-10 items-center border-b border-line bg-side px-3 @min-[45rem]/frame:hidden">
      <IconButton label={t("sidebar")} aria-expanded={open} onClick={onToggle}>
        <MenuIcon aria-hidden className="size-4" />
      </IconButton>
    </header>
  );
}

function List({ destination, ...rest }: ListProps & { destination: Destination | null }) {
  switch (destination?.page) {
    case "repo":
      return <IssuesView key={destination.repo} repo={destination.repo} {...rest} />;
    case "home":
    case "needs-you":
    case "ready":
    case "working":
      // One and the same, so that a tile that is pressed keeps the focus.
      return <Home only={destination.page === "home" ? null : destination.page} {...rest} />;
    case "insights":
      return (
        <Suspense fallback={<LoadingList search={rest.search} />}>
          <InsightsPage />
        </Suspense>
      );
    default:
      return <LoadingList search={rest.search} />;
  }
}

/** The overview, or without anything to look over the way to that. */
function Home({ only, ...props }: ListProps & { only: AttentionPage | null }) {
  const repositories = useAnswer({ command: "repositories" });
  const loops = useAnswer({ command: "loops" });
  const empty = repositories.data?.length === 0 && loops.data?.length === 0;
  return empty && only === null ? <NoRepositories /> : <Overview only={only} {...props} />;
}

/** While it is not known what the first page is. */
function LoadingList({ search }: Pick<ListProps, "search">) {
  return (
    <>
      <IssueListHeader title={null} query="" onSearch={() => undefined} search={search} />
      <div className="flex gap-1.5 px-5 pt-2.5 pb-2">
        <Skeleton className="h-5.5 w-28" />
        <Skeleton className="h-5.5 w-20" />
      </div>
      <div className="px-3">
        <ListSkeleton />
      </div>
    </>
  );
}

function NoRepositories() {
  const t = useText();
  const { own_machine } = useRights();
  const [adding, setAdding] = useState(false);
  return (
    <>
      <h1 className="sr-only">{t("app-name")}</h1>
      <Banners />
      <EmptyState
        art={<FolderGit2 className="size-7" strokeWidth={1.5} />}
        title={t("frame-no-repositories")}
        text={t(own_machine ? "frame-no-repositories-text" : "frame-no-repositories-server")}
        action={
          own_machine && (
            <Button variant="primary" onClick={() => setAdding(true)}>
              {t("sidebar-add")}
            </Button>
          )
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
      if (before === null && isAlone(detail.current)) detail.current?.focus();
      return;
    }
    const lost = document.activeElement === null || document.activeElement === document.body;
    if (before !== null && lost) document.querySelector<HTMLElement>(`[role="row"][data-key="${CSS.escape(before)}"]`)?.focus();
  }, [show]);
  return detail;
}
