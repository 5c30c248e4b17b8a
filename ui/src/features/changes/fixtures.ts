import type { AnsweredFindingView, ChangeCommitView, ChangedFileView, ChangesView, CommitDiffView, DiffHunkView, FileDiffView } from "../../generated/wire";
import { ago, sha } from "../../test/fixtures";

export const firstFix = sha("1c07a9e");
export const secondFix = sha("4be81d0");

/** A file of a commit. */
export function aChangedFile(path: string, added: number, removed: number, changes: Partial<ChangedFileView> = {}): ChangedFileView {
  return { path, old_path: null, status: "modified", added, removed, unshown: null, ...changes };
}

/** A commit of a fix. */
export function aCommit(changes: Partial<ChangeCommitView> = {}): ChangeCommitView {
  return {
    sha: secondFix,
    subject: "fix: keep the tenant’s region in the cache key",
    at: ago(3),
    standing: "pushed",
    merge: null,
    missing: null,
    files: [aChangedFile("src/auth/cache/tenant_cache.rs", 5, 3), aChangedFile("src/auth/middleware.ts", 2, 2)],
    files_left_out: 0,
    findings: 2,
    ...changes,
  };
}

/** Two rounds, and a commit that waits. */
export const someChanges: ChangesView = {
  rounds: [
    {
      round: 1,
      commits: [aCommit({ sha: firstFix, subject: "fix: check the signature before the cache is read", at: ago(26), files: [aChangedFile("src/auth/middleware.ts", 4, 1)], findings: 1 })],
    },
    { round: 2, commits: [aCommit()] },
    {
      round: 3,
      commits: [
        aCommit({
          sha: sha("77aa001"),
          subject: "fix: release the lock before the lookup",
          at: ago(1),
          standing: "pending",
          files: [aChangedFile("src/auth/cache/tenant_cache.rs", 3, 1)],
          findings: 1,
        }),
      ],
    },
  ],
  files: 2,
  added: 14,
  removed: 7,
  incomplete: false,
};

/** A finding that a commit answers. */
export function anAnswered(changes: Partial<AnsweredFindingView> = {}): AnsweredFindingView {
  return { fingerprint: "f2", priority: "P2", title: "Lock held across `await`", file: "src/auth/cache/tenant_cache.rs", line: 41, by: "quinn", ...changes };
}

/** A hunk. */
export function aHunk(lines: string[], changes: Partial<DiffHunkView> = {}): DiffHunkView {
  return { old_start: 38, new_start: 38, lines, answers: [], ...changes };
}

/** A file with its lines. */
export function aFileDiff(file: ChangedFileView, hunks: DiffHunkView[], changes: Partial<FileDiffView> = {}): FileDiffView {
  return { file, redacted: false, lines_left_out: 0, hunks, ...changes };
}

/** What the second fix changes. */
export const aDiff: CommitDiffView = {
  sha: secondFix,
  missing: null,
  files_left_out: 0,
  findings: [anAnswered(), anAnswered({ fingerprint: "f1", priority: "P1", title: "The cache key forgets the region", line: 88 })],
  elsewhere: [],
  files: [
    aFileDiff(aChangedFile("src/auth/cache/tenant_cache.rs", 5, 3), [
      aHunk(
        [
          "     /// Looks a tenant up, and remembers it.",
          "     pub async fn lookup(&self, tenant: &Tenant) -> Result<Entry, CacheError> {",
          "-        let mut entries = self.entries.lock().await;",
          "-        if let Some(entry) = entries.get(&tenant.id) {",
          "+        // The lock ends before anything is awaited.",
          "+        let known = self.entries.lock().await.get(&self.key(tenant)).cloned();",
          "+        if let Some(entry) = known {",
          "             return Ok(entry.clone());",
          "         }",
          "         let entry = self.fetch(tenant).await?;",
        ],
        { answers: [{ finding: 0, exact: true }] },
      ),
      aHunk(
        [
          "     fn key(&self, tenant: &Tenant) -> String {",
          "-        format!(\"{}:{}\", self.prefix, tenant.id)",
          "+        format!(\"{}:{}:{}\", self.prefix, tenant.region, tenant.id)",
          "     }",
          " ",
          "+    #[cfg(test)]",
          "     fn forget(&mut self) {",
        ],
        { old_start: 87, new_start: 88, answers: [{ finding: 1, exact: true }] },
      ),
    ]),
    aFileDiff(aChangedFile("src/auth/middleware.ts", 2, 2), [
      aHunk(
        [
          " export async function authorize(request: Request, cache: TenantCache): Promise<Session> {",
          "-  const tenant = cache.find(request.headers.get(\"x-tenant\"));",
          "+  const tenant = await cache.find(request.headers.get(\"x-tenant\"), request.region);",
          "   if (!tenant) throw new Unauthorized();",
          "-  return new Session(tenant);",
          "\\",
          "+  return new Session(tenant, request.region);",
        ],
        { old_start: 12, new_start: 12, answers: [{ finding: 1, exact: false }] },
      ),
    ]),
  ],
};

/** What there may be beside lines: what is not shown, what was moved, what was taken out. */
export const anOddDiff: CommitDiffView = {
  ...aDiff,
  findings: [anAnswered(), anAnswered({ fingerprint: "f9", priority: "P3", title: "The README names the old variable", file: "README.md", line: 4 })],
  elsewhere: [1],
  files_left_out: 3,
  files: [
    aFileDiff(aChangedFile("assets/logo.png", 0, 0, { unshown: "binary" }), []),
    aFileDiff(aChangedFile("src/session/store.ts", 0, 0, { status: "renamed", old_path: "src/auth/session_store.ts" }), []),
    aFileDiff(
      aChangedFile("config/defaults.ini", 1, 0, { status: "added" }),
      [aHunk(["+token = [REDACTED]"], { old_start: 1, new_start: 1 })],
      { redacted: true, lines_left_out: 2_004 },
    ),
    ...aDiff.files.slice(0, 1).map((file) => ({ ...file, hunks: file.hunks.slice(0, 1) })),
  ],
};

const CODE = [
  "export async function load(path: string, options: LoadOptions = {}): Promise<Entry[]> {",
  "  const text = await readFile(path, { encoding: \"utf8\" });",
  "  const entries = parse(text).filter((entry) => entry.kind !== \"comment\" && !options.skip?.includes(entry.name));",
  "  // What is older than a day is asked for anew.",
  "  const stale = entries.filter(({ at }) => Date.now() - at > 86_400_000);",
  "  for (const entry of stale) await refresh(entry, options.timeout ?? 5_000);",
  "  return entries.sort((a, b) => a.name.localeCompare(b.name));",
  "}",
  "",
];

/** A diff with so many lines: changed ones, with some around them, in one file. */
export function aLargeDiff(count: number): CommitDiffView {
  const hunks: DiffHunkView[] = [];
  const HUNK = 50;
  for (let from = 0; from < count; from += HUNK) {
    const lines = Array.from({ length: Math.min(HUNK, count - from) }, (_, index) => {
      const code = CODE[(from + index) % CODE.length] ?? "";
      const sign = index < 4 || index > 45 ? " " : index % 2 === 0 ? "-" : "+";
      return `${sign}${sign === "+" ? code.replace("entries", "found") : code}`;
    });
    hunks.push(aHunk(lines, { old_start: from + 1, new_start: from + 1, answers: from === 0 ? [{ finding: 0, exact: true }] : [] }));
  }
  return { ...aDiff, files: [aFileDiff(aChangedFile("src/store/load.ts", count / 2, count / 2), hunks)] };
}
