// Makes an environment of Python packages below target/, once for each state of the file that names them (pip, PyPI).

import { createHash } from "node:crypto";
import { existsSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { run } from "./on-a-forge.mjs";

const scripts = dirname(fileURLToPath(import.meta.url));
const target = process.env.CARGO_TARGET_DIR ?? join(scripts, "../target");

/** Makes the environment of `scripts/NAME-requirements.txt`, or leaves the one that was made from the same file; gives its `bin`. */
export async function pythonEnvironment(name, { python = "python3" } = {}) {
  const requirements = join(scripts, `${name}-requirements.txt`);
  const environment = join(target, name);
  const bin = join(environment, "bin");
  const made = join(environment, "made-from");
  const wanted = createHash("sha256").update(readFileSync(requirements)).digest("hex");
  if (existsSync(made) && readFileSync(made, "utf8") === wanted) return bin;
  rmSync(environment, { recursive: true, force: true });
  await run(python, ["-m", "venv", environment]);
  await run(join(bin, "python"), ["-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--requirement", requirements]);
  writeFileSync(made, wanted);
  return bin;
}
