// Holds that each mutant of tests/mutants still fits the code: what it replaces stands there once. They are played by mutants.mjs.

import { execFileSync } from "node:child_process";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const root = join(dirname(fileURLToPath(import.meta.url)), "..");
const listed = execFileSync(process.execPath, [join(root, "scripts/mutants.mjs"), "--list"], { cwd: root, encoding: "utf8" });
const mutants = listed.split("\n").filter(Boolean);
const unfit = mutants.filter((line) => line.startsWith("✗"));
for (const line of unfit) console.log(line);
console.log(`${mutants.length} mutants, ${unfit.length} fit the code no more`);
process.exitCode = unfit.length === 0 && mutants.length > 400 ? 0 : 1;
