// Holds what npm installs to what was looked at: each package is locked to its content by a hash, comes from npm's registry, has a licence
// that goes with ours, and runs nothing while it is installed. No network: known vulnerabilities are `npm audit`'s to tell, by hand.

import { readFileSync } from "node:fs";

const ACCEPTED_LICENCES = new Set([
  "MIT", "MIT-0", "Apache-2.0", "BSD-2-Clause", "BSD-3-Clause", "ISC", "0BSD", "CC0-1.0", "MPL-2.0", "BlueOak-1.0.0",
]);
/** What tests run as a program of its own and nobody is handed, under a licence that lets one do so: BSL 1.1. */
const RUN_BY_TESTS = new Set(
  ["darwin-arm64", "darwin-x64", "linux-arm64", "linux-x64"].map((system) => `@restatedev/restate-server-${system}`),
);
/** Packages that may run a script of theirs when they are installed. */
const MAY_RUN_SCRIPTS = new Set([]);
const REGISTRY = "https://registry.npmjs.org/";

/** What is wrong with a lockfile and the manifest that it was made from. */
function problems(lock, manifest) {
  const found = [];
  if (lock.lockfileVersion !== 3) found.push(`lockfile version ${lock.lockfileVersion}`);
  const packages = Object.entries(lock.packages).filter(([path]) => path !== "");
  for (const [path, { version, resolved, integrity, license, hasInstallScript, link, inBundle }] of packages) {
    const complain = (what) => found.push(`${path}: ${what}`);
    if (link || !path.startsWith("node_modules/")) complain("is no package of the registry");
    if (!/^\d+\.\d+\.\d+/.test(version ?? "")) complain(`version ${version}`);
    // What is bundled comes within the archive of the package around it, whose hash covers it.
    if (!inBundle && !/^sha512-[A-Za-z0-9+/]{86}==$/.test(integrity ?? "")) complain("no SHA-512 of its content");
    if (resolved !== undefined && !resolved.startsWith(REGISTRY)) complain(`from ${resolved}`);
    const name = path.replace(/^.*node_modules\//, "");
    const choices = (license ?? "").replace(/[()]/g, "").split(" OR ");
    const isRunOnly = license === "BSL" && RUN_BY_TESTS.has(name);
    if (!isRunOnly && !choices.some((choice) => ACCEPTED_LICENCES.has(choice))) complain(`licence ${license}`);
    if (hasInstallScript && !MAY_RUN_SCRIPTS.has(name)) complain("runs a script when installed");
  }
  const { dependencies, devDependencies, optionalDependencies } = manifest;
  for (const [name, version] of Object.entries({ ...dependencies, ...devDependencies, ...optionalDependencies })) {
    if (!/^\d+\.\d+\.\d+(-[\w.]+)?$/.test(version)) found.push(`package.json: ${name} ${version} is no one version`);
    if (lock.packages[`node_modules/${name}`]?.version !== version) found.push(`package.json: ${name} ${version} is not what is locked`);
  }
  return found;
}

const read = (file) => JSON.parse(readFileSync(file, "utf8"));
const [lock, manifest] = [read("package-lock.json"), read("package.json")];
/** What tests of `collie worker` run, installed for tests alone. */
const [engineLock, engineManifest] = [read("tests/restate/package-lock.json"), read("tests/restate/package.json")];

/** The control: each of these changes has to be found. */
const changes = {
  "another registry": (entry) => { entry.resolved = "https://registry.example/react.tgz"; },
  "a repository": (entry) => { entry.resolved = "git+ssh://git@github.com/a/b.git#0123456"; },
  "no hash": (entry) => { delete entry.integrity; },
  "a weak hash": (entry) => { entry.integrity = "sha1-2jmj7l5rSw0yVb/vlWAYkK/YBwk="; },
  "an install script": (entry) => { entry.hasInstallScript = true; },
  "another licence": (entry) => { entry.license = "GPL-3.0-only"; },
  "no licence": (entry) => { delete entry.license; },
  "another version": (entry) => { entry.version = "0.0.1"; },
  "a link": (entry) => { entry.link = true; },
};
const missed = Object.entries(changes).filter(([, change]) => {
  const copy = structuredClone(lock);
  change(copy.packages["node_modules/react"]);
  return problems(copy, manifest).length === 0;
});
const found = [...problems(lock, manifest), ...problems(engineLock, engineManifest), ...missed.map(([name]) => `this check does not see ${name}`)];
if (Object.keys(lock.packages).length < 100) found.push("hardly any package is locked");
if (found.length > 0) console.error(found.join("\n"));
process.exitCode = found.length > 0 ? 1 : 0;
