// Where PR-Agent lives: an environment of Python packages below target/, and the vocabulary that its tiktoken would fetch.

import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { copyFileSync, mkdirSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { pythonEnvironment } from "./python-environment.mjs";

/** A Python that PR-Agent runs on. */
function python() {
  const names = [process.env.PYTHON, "python3.13", "python3.12", "python3"].filter(Boolean);
  const fits = (name) => {
    try {
      return execFileSync(name, ["-c", "import sys; print(sys.version_info >= (3, 12))"], { encoding: "utf8", stdio: ["ignore", "pipe", "ignore"] }).includes("True");
    } catch {
      return false;
    }
  };
  const found = names.find(fits);
  if (!found) throw new Error("PR-Agent needs Python 3.12 or later: name one in PYTHON");
  return found;
}

/** Makes the environment of scripts/pr-agent-requirements.txt, once; gives its `bin`. */
export const prAgentBin = () => pythonEnvironment("pr-agent", { python: python() });

/** tiktoken fetches its vocabulary once; where the sources of tiktoken-rs lie on this machine, it is taken from there into a folder. */
export function vocabulary(cache) {
  mkdirSync(cache, { recursive: true });
  const host = execFileSync("rustc", ["-vV"], { encoding: "utf8" }).match(/^host: (.*)$/m)[1];
  const root = dirname(fileURLToPath(import.meta.url));
  const sources = JSON.parse(execFileSync("cargo", ["metadata", "--format-version", "1", "--offline", "--filter-platform", host], { encoding: "utf8", maxBuffer: 1 << 28, cwd: root }));
  const manifest = sources.packages.find((one) => one.name === "tiktoken-rs").manifest_path;
  for (const name of ["o200k_base", "cl100k_base"]) {
    const file = createHash("sha1").update(`https://openaipublic.blob.core.windows.net/encodings/${name}.tiktoken`).digest("hex");
    copyFileSync(join(manifest, "../assets", `${name}.tiktoken`), join(cache, file));
  }
  return cache;
}
