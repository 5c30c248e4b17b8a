// How large journals are: of each data folder below FOLDER, the bytes that each table takes, by loop and by entry.
//
//   node scripts/loopbench.mjs --keep               plays loops, and names their folders
//   node scripts/measure-journal.mjs FOLDER…        measures what is below them, copies alone are opened
//
// It needs python3, whose SQLite says how many pages a table has (`dbstat`).

import { spawnSync } from "node:child_process";
import { cpSync, existsSync, mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

const READ = `
import json, sqlite3, sys
db = sqlite3.connect(sys.argv[1])
one = lambda query: db.execute(query).fetchone()[0]
owner = dict(db.execute("SELECT name, tbl_name FROM sqlite_schema"))
tables = {}
for name, pages in db.execute("SELECT name, sum(pgsize) FROM dbstat GROUP BY name"):
    table = owner.get(name, name)
    tables[table] = tables.get(table, 0) + pages
kept = "coalesce(length(before), 0) + coalesce(length(reading), 0) + coalesce(length(times_json), 0) + length(after)"
print(json.dumps({
    "loops": one("SELECT count(*) FROM loops"),
    "entries": one("SELECT count(*) FROM journal"),
    "readings": one("SELECT count(*) FROM recordings WHERE reading IS NOT NULL"),
    "recorded": one("SELECT count(*) FROM recordings"),
    "recorded_bytes": one(f"SELECT coalesce(sum({kept}), 0) FROM recordings"),
    "state_bytes": one("SELECT coalesce(sum(length(state_json)), 0) FROM loops"),
    "tables": tables,
}))
`;

/** The journals below a folder. */
function findJournals(folder) {
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) return findJournals(path);
    return entry.name === "collie.db" ? [path] : [];
  });
}

/** Reads a copy: whoever works on the journal is not disturbed, and what is in its write-ahead log counts. */
function readJournal(path) {
  const folder = mkdtempSync(join(tmpdir(), "collie-journal-"));
  try {
    for (const suffix of ["", "-wal"]) if (existsSync(path + suffix)) cpSync(path + suffix, join(folder, `collie.db${suffix}`));
    const { status, stdout, stderr } = spawnSync("python3", ["-c", READ, join(folder, "collie.db")], { encoding: "utf8" });
    if (status !== 0) throw new Error(`${path}: ${stderr.trim()}`);
    return JSON.parse(stdout);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

const median = (numbers) => numbers.toSorted((a, b) => a - b)[Math.floor(numbers.length / 2)] ?? 0;
const kib = (bytes) => `${(bytes / 1024).toFixed(1)} KiB`;

const folders = process.argv.slice(2);
if (folders.length === 0) {
  console.error("usage: node scripts/measure-journal.mjs FOLDER…");
  process.exit(2);
}
const journals = folders.flatMap(findJournals).map(readJournal).filter(({ loops }) => loops > 0);
if (journals.length === 0) {
  console.error(`no journal with a loop below ${folders.join(", ")}`);
  process.exit(1);
}
const total = (of) => journals.reduce((sum, journal) => sum + of(journal), 0);
const loops = total((journal) => journal.loops);
const perLoop = (of) => journals.map((journal) => of(journal) / journal.loops);
console.log(`${journals.length} journals, ${loops} loops`);
console.log(`entries a loop: median ${median(perLoop(({ entries }) => entries))}, most ${Math.max(...perLoop(({ entries }) => entries))}`);
console.log(`a state: ${kib(total((it) => it.state_bytes) / loops)}`);
console.log(`what a replay needs of an entry: ${Math.round(total((it) => it.recorded_bytes) / total((it) => it.recorded))} bytes (${total((it) => it.recorded)} entries, ${total((it) => it.readings)} of them readings)`);
for (const table of ["journal", "recordings"]) {
  const sizes = perLoop(({ tables }) => tables[table] ?? 0);
  console.log(`${table}, a loop: median ${kib(median(sizes))}, most ${kib(Math.max(...sizes))}`);
}
