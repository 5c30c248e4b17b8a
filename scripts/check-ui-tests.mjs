// Runs the window's component tests.

import { spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("..", import.meta.url));
const { status } = spawnSync("npm", ["run", "--silent", "ui:test"], { cwd: root, stdio: "inherit" });
process.exitCode = status ?? 1;
