import { Views } from "../../App";
import { PaneError } from "../../components/PaneErrorBoundary";
import { ago, aListing, anError, fakeHost, sha, type FakeHost, type Scene } from "../../test";
import { answersWith, connection, DEMO, GONE, hostWith, listingOf, manyLoops } from "../issues/fixtures";
import { NotificationsDialog } from "../notifications";
import { keepNews } from "../notifications/notifications";
import { ScriptedScene, type ScriptStep } from "../onboarding/ScriptedScene";
import { SelectionProvider } from "../issues/selection";
import Palette from "../palette/Palette";
import { KeysDialog } from "./KeysDialog";

function scene(name: string, host: () => FakeHost, route = "/repo/acme/api"): Scene {
  return { name: `issues-${name}`, element: <Views />, host, route };
}

/** The window in which a person has done something already. */
function acted(name: string, deeds: ScriptStep[], route?: string): Scene {
  const element = (
    <ScriptedScene steps={deeds}>
      <Views />
    </ScriptedScene>
  );
  return { ...scene(name, () => hostWith(), route), element };
}

const detail = (key: string) => `/repo/acme/api?show=${encodeURIComponent(key)}`;
const OFFER = { head_sha: sha("9f3c2ab"), base_ref: "main", methods: ["squash" as const, "merge" as const], refusal: null };
const BROKE_AT = Date.now() - 120_000;
const SILENT = { since: () => BROKE_AT, listen: () => nothing };
const never = () => new Promise<never>(() => undefined);

const nothing = () => undefined;
const PALETTE = <Palette open onClose={nothing} current="acme/api#477" navigate={nothing} show={nothing} showKeys={nothing} showNotifications={nothing} />;

function hostWithNews(): FakeHost {
  const told = { run: "run-1", code: "", language: "en" as const };
  keepNews([
    { ...told, id: "1", kind: "ready", key: "acme/api#477", title: "Stream exports instead of buffering them in memory", text: "", at: ago(26) },
    { ...told, id: "2", kind: "failed", key: "acme/infra#12", title: "Rotate the signing key", text: "2 checks did not finish within 2 h", at: ago(14) },
    { ...told, id: "3", kind: "needs_you", key: "acme/api#479", title: "Drop the legacy session table", text: "@ana requested changes; everything has been answered, waiting for a new review", at: ago(3) },
  ]);
  return hostWith();
}

export const scenes: Scene[] = [
  { ...scene("palette", () => hostWith()), element: <SelectionProvider place="">{PALETTE}</SelectionProvider> },
  {
    ...scene("palette-filtered", () => hostWith()),
    element: (
      <ScriptedScene steps={[["[role=combobox]", "retry"]]}>
        <SelectionProvider place="">{PALETTE}</SelectionProvider>
      </ScriptedScene>
    ),
  },
  { ...scene("notifications", hostWithNews), element: <NotificationsDialog open onClose={nothing} /> },
  { ...scene("notifications-none", () => hostWith()), element: <NotificationsDialog open onClose={nothing} /> },
  scene("bell", hostWithNews, "/"),
  scene("list", () => hostWith()),
  scene("detail", () => hostWith(), detail("acme/api#482")),
  scene("detail-ready", () => hostWith(), detail("acme/api#477")),
  scene("detail-cancel", () => hostWith(), `${detail("acme/api#482")}&ask=cancel`),
  scene("detail-merge", () => hostWith({}, { merge_offer: OFFER }), `${detail("acme/api#477")}&ask=merge`),
  acted("undo", [["[data-detail] footer [role=group] button:first-child"]], `/working?show=${encodeURIComponent("acme/web#88")}`),
  acted("remove-repository", [["nav li button[aria-haspopup=menu]"], ["[role=menuitem]"], ["[role=dialog]", null]], "/"),
  scene("detail-none", () => hostWith(), detail("acme/api#461")),
  scene("needs-you", () => hostWith(), "/needs-you"),
  scene("ready", () => hostWith(), "/ready"),
  scene("working", () => hostWith(), "/working"),
  scene("nothing-needs-you", () => hostWith({}, { loops: [] }), "/needs-you"),
  scene("no-pulls", () => hostWith({}, { loops: [], listing: aListing({ pulls: [], issues: [], open_issues: 0 }) })),
  scene("no-repositories", () => hostWith({}, { loops: [], repositories: [] }), "/"),
  scene("loading", () => fakeHost({ answers: { ...answersWith(), loops: never, repositories: never, listing: never } }), "/"),
  scene("starting", () => hostWith({ phase: "starting", engine: null, quota: null }, { loops: [] })),
  scene("offline", () => hostWith(connection("unreachable", 2))),
  scene("silent", () => ({ ...hostWith(), silence: SILENT })),
  scene("quota", () => hostWith({ ...connection("rate_limited", 20), quota: { left: 0, limit: 5000, resets_at: new Date(Date.now() + 1_200_000).toISOString() } })),
  scene("unauthorized", () => hostWith(connection("unauthorized"))),
  scene("following", () => hostWith({ phase: "following", engine: { slots: 3, working: 2, queued: 0, process: 4711, elsewhere: false } })),
  scene("stopped", () =>
    hostWith({
      phase: "stopped",
      engine: null,
      problem: anError("folder", "The data folder /home/kim/.local/share/collie belongs to another user", [
        "Give it back with chown, or set COLLIE_HOME to a folder of your own.",
      ]),
    }),
  ),
  scene("not-allowed", () =>
    hostWith({ account: { login: "kim", host: "github.com", source: "gh", allowed: false, missing_scopes: ["repo", "workflow"] } }),
  ),
  scene("unread", () => hostWith({}, { loops: [], listing: aListing({ pulls: [], issues: [], open_issues: 0, read_at: null, problem: GONE }) })),
  scene("demo", () => hostWith(DEMO)),
  {
    ...scene("broken", () => hostWith()),
    element: (
      <main className="h-full">
        <h1 className="sr-only">broken</h1>
        <PaneError />
      </main>
    ),
  },
  { ...scene("keys", () => hostWith()), element: <KeysDialog open onClose={() => undefined} /> },
  scene("many", () => hostWith({}, { loops: manyLoops(500), listing: listingOf(manyLoops(500)) })),
];
