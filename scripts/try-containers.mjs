// Brings up packaging/many-machines/compose.yaml and packaging/server/compose.yaml in containers, by the commands that stand at their top, with podman-compose
// in place of `docker compose`. The many machines: loops on a local forge end ready by their workers, in whose sandbox a verify command runs, although one
// worker is killed in the middle; what is shown outlasts a stop, and the containers. The server: it is reached by Caddy, takes a webhook, ends a loop, makes a backup.
// The image of Collie is the last stage of packaging/image/Dockerfile, as it stands there, on the folder that packaging/image/rootfs.sh makes. Of the other
// images, those that are on this machine are tried (`podman pull` them before); for one that is not, a stand-in of its name is made of Debian's packages
// and, for Restate, of npm's, with the user, paths, variables and signals of the official one. Nothing is fetched from a registry of images.
// By hand: it takes minutes and 3 GB. Needs a `collie` built with `--features restate` (release first), restate-server (`bash scripts/setup.sh --tests`), git,
// openssl, curl, apt, podman 4 and podman-compose, the ports that the files name, and an address beside loopback. Where podman's own settings do not start
// a container, CONTAINERS_CONF names others.
//
//   node scripts/try-containers.mjs [many-machines|server]

import assert from "node:assert/strict";
import { execFile, execFileSync, spawnSync } from "node:child_process";
import { createHmac } from "node:crypto";
import { appendFileSync, chmodSync, copyFileSync, existsSync, mkdirSync, mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import * as http from "node:http";
import * as https from "node:https";
import { arch, networkInterfaces, platform, tmpdir } from "node:os";
import { basename, dirname, join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { OWNER, faultyPart, findCollie, makeSample, memoryOf, run, startForge, table } from "./on-a-forge.mjs";
import { until } from "./on-an-engine.mjs";

const root = join(dirname(fileURLToPath(import.meta.url)), "..");
const packaging = join(root, "packaging");
const shipped = join(root, `tests/restate/node_modules/@restatedev/restate-server-${platform()}-${arch()}/bin/restate-server`);
const LABEL = "dev.collie.try-containers";
const LOOPS = 6;
/** Data folder and account in the image. */
const HOME = "/var/lib/collie";
const UID = "10001";
const WORKERS = ["worker-one", "worker-two", "worker-three"];
/** A fix needs the sandbox for it, and takes long enough to be killed in. What Collie keeps is not seen from within. */
const SETTINGS = `allowed_users = ["${OWNER}"]
autonomy = "push"
poll_interval = "2s"
ready_poll_interval = "2s"
no_checks_grace = "1s"

[verify]
commands = ["test ! -e ${HOME}/accounts.json && sleep 4"]
`;

const folder = mkdtempSync(join(tmpdir(), "collie-containers-"));
const projects = [];
const made = [];
const seconds = (since) => ((performance.now() - since) / 1000).toFixed(1);
const megabytes = (bytes) => `${Math.round(bytes / 1e6)} MB`;

const podman = async (...args) => (await run("podman", args)).trim();

/** Runs a command of a shell in a project; gives the status, and all that it said. */
function shell(project, command) {
  return new Promise((resolve) => {
    const child = execFile("bash", ["-c", command], { cwd: project, maxBuffer: 1 << 28 }, (error, stdout, stderr) => resolve({ status: error?.code ?? 0, said: stdout + stderr }));
    child.stdin.end();
  });
}

/** Removes containers, volumes, networks and images that were made here. */
function clean() {
  const now = (program, args, cwd = folder) => spawnSync(program, args, { cwd, encoding: "utf8" }).stdout.trim();
  for (const project of projects) {
    now("podman-compose", ["down", "--volumes", "--timeout", "1"], project);
    now("podman", ["network", "rm", "--force", `${basename(project)}_default`]);
  }
  for (const image of made) now("podman", ["image", "rm", "--force", image]);
  now("podman", ["image", "prune", "--force", "--filter", `label=${LABEL}`]);
  rmSync(folder, { recursive: true, force: true });
}

// ---- images

/** Whether an image of the name is there that was not made here. */
async function isThere(name) {
  const known = await podman("image", "exists", name).then(() => true, () => false);
  return known && (await podman("image", "inspect", "--format", `{{index .Labels "${LABEL}"}}`, name)) === "";
}

/** Builds an image of the name from a text. */
async function build(name, text, ...args) {
  const file = join(folder, "Containerfile");
  writeFileSync(file, text);
  await podman("build", "--quiet", "--layers", "--label", `${LABEL}=1`, "--file", file, "--tag", name, ...args);
  made.push(name);
}

/** Collie's image: the last stage of its Dockerfile on a root file system made now. */
async function buildCollie(names) {
  const program = join(folder, "collie");
  execFileSync("strip", ["--strip-all", "-o", program, findCollie("release", "debug")]);
  const context = join(folder, "program");
  mkdirSync(context);
  const size = execFileSync("bash", [join(packaging, "image/rootfs.sh"), program, join(context, "rootfs")], { encoding: "utf8", stdio: ["ignore", "pipe", "inherit"] });
  const text = readFileSync(join(packaging, "image/Dockerfile"), "utf8");
  const stage = text.slice(text.lastIndexOf("\nFROM ") + 1);
  for (const name of names) await build(name, stage, "--build-context", `program=${context}`, context);
  console.log(`${names.join(", ")}: the last stage of the Dockerfile, ${megabytes(Number(size))}`);
}

const DEBIAN = `FROM scratch
COPY root /
ENV PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin:/usr/lib/postgresql/15/bin LANG=C.UTF-8
`;
/** What stands in for an image whose name begins so, after what the official one does. */
const STAND_INS = {
  "docker.restate.dev/restatedev/restate": `COPY restate-server /usr/local/bin/
WORKDIR /
ENTRYPOINT ["/usr/local/bin/restate-server"]
`,
  haproxy: `COPY --chown=99:99 empty /var/lib/haproxy
STOPSIGNAL SIGUSR1
USER haproxy
ENTRYPOINT ["/bin/sh", "-c", "shift; exec haproxy -W -db \\"$@\\"", "entrypoint"]
CMD ["haproxy", "-f", "/usr/local/etc/haproxy/haproxy.cfg"]
`,
  postgres: `COPY --chmod=755 postgres-entrypoint /usr/local/bin/
COPY --chown=999:999 empty /var/lib/postgresql/data
ENV PGDATA=/var/lib/postgresql/data
VOLUME /var/lib/postgresql/data
STOPSIGNAL SIGINT
ENTRYPOINT ["postgres-entrypoint"]
CMD ["postgres"]
`,
  caddy: `ENV XDG_CONFIG_HOME=/config XDG_DATA_HOME=/data
WORKDIR /srv
CMD ["caddy", "run"]
`,
};
const POSTGRES_ENTRYPOINT = `#!/bin/sh
set -eu
postgres() { setpriv --reuid=999 --regid=999 --clear-groups "$@"; }
chown 999:999 "$PGDATA" && chmod 700 "$PGDATA"
if [ ! -s "$PGDATA/PG_VERSION" ]; then
  [ -n "\${POSTGRES_PASSWORD:-}" ] || { echo "POSTGRES_PASSWORD is not set" >&2; exit 1; }
  printf '%s' "$POSTGRES_PASSWORD" >/tmp/password && chown 999 /tmp/password
  postgres initdb --username="$POSTGRES_USER" --pwfile=/tmp/password --auth-local=trust --auth-host=scram-sha-256 --encoding=UTF8 >/dev/null
  rm /tmp/password
  echo 'host all all all scram-sha-256' >>"$PGDATA/pg_hba.conf"
  postgres pg_ctl -D "$PGDATA" -o "-c listen_addresses='' -k /tmp" -w start >/dev/null
  postgres createdb -h /tmp -U "$POSTGRES_USER" "$POSTGRES_DB"
  postgres pg_ctl -D "$PGDATA" -m fast -w stop >/dev/null
fi
exec setpriv --reuid=999 --regid=999 --clear-groups "$@" -c listen_addresses='*' -k /tmp
`;
const DEBIAN_PACKAGES = ["base-files", "libc-bin", "coreutils", "dash", "util-linux", "ca-certificates", "tzdata", "haproxy", "postgresql-15", "caddy"];

/** Unpacks packages of Debian and what they need, without running any of their scripts. */
function unpack(packages, target) {
  const names = join(folder, "packages");
  mkdirSync(names);
  writeFileSync(join(names, "status"), "");
  const apt = (...args) => execFileSync("apt-get", ["-qq", "-o", "Debug::NoLocking=1", "-o", "APT::Install-Recommends=false", ...args], { cwd: names, encoding: "utf8" });
  const uris = apt("-o", `Dir::State::status=${join(names, "status")}`, "--print-uris", "install", ...packages).trim().split("\n");
  apt("-o", "APT::Sandbox::User=root", "download", ...new Set(uris.map((line) => line.split(" ")[1].split("_")[0])));
  for (const name of ["bin", "lib", "lib64", "sbin"]) {
    mkdirSync(join(target, "usr", name), { recursive: true });
    execFileSync("ln", ["-s", `usr/${name}`, join(target, name)]);
  }
  for (const file of readdirSync(names).filter((name) => name.endsWith(".deb"))) {
    execFileSync("bash", ["-c", 'dpkg-deb --fsys-tarfile "$1" | tar -x -C "$2" --keep-directory-symlink --no-same-owner', "unpack", join(names, file), target]);
  }
}

/** What the stand-ins are built from. */
function makeDebian() {
  const context = join(folder, "debian");
  const target = join(context, "root");
  mkdirSync(join(context, "empty"), { recursive: true });
  unpack(DEBIAN_PACKAGES, target);
  writeFileSync(join(target, "etc/passwd"), "root:x:0:0::/root:/bin/sh\nhaproxy:x:99:99::/var/lib/haproxy:/bin/sh\npostgres:x:999:999::/var/lib/postgresql:/bin/sh\n");
  writeFileSync(join(target, "etc/group"), "root:x:0:\nhaproxy:x:99:\npostgres:x:999:\n");
  mkdirSync(join(target, "etc/ssl/certs"), { recursive: true });
  execFileSync("bash", ["-c", "find usr/share/ca-certificates -name '*.crt' -exec cat {} + >etc/ssl/certs/ca-certificates.crt"], { cwd: target });
  chmodSync(join(target, "tmp"), 0o1777);
  copyFileSync(process.env.COLLIE_RESTATE_SERVER ?? shipped, join(context, "restate-server"));
  chmodSync(join(context, "restate-server"), 0o755);
  writeFileSync(join(context, "postgres-entrypoint"), POSTGRES_ENTRYPOINT);
  return context;
}

/** Sees to it that all images of the files are there. */
async function makeImages(files) {
  const named = files.flatMap((file) => [...readFileSync(file, "utf8").matchAll(/^ +image: (?:\$\{\w+:-)?([^\s}]+)/gm)].map(([, name]) => name));
  const missing = [];
  for (const name of new Set(named)) {
    if (await isThere(name)) console.log(`${name}: the one that is on this machine`);
    else missing.push(name);
  }
  const own = missing.filter((name) => name.startsWith("collie"));
  if (own.length > 0) await buildCollie(own);
  const others = missing.filter((name) => !own.includes(name));
  const context = others.length > 0 && makeDebian();
  for (const name of others) {
    const kind = name.split(":")[0];
    await build(kind.includes("/") ? name : `docker.io/library/${name}`, DEBIAN + STAND_INS[kind], context);
    console.log(`${name}: a STAND-IN, made of ${kind.includes("restate") ? "npm's restate-server on Debian" : `Debian's package${kind === "postgres" ? " of PostgreSQL 15" : ""}`}`);
  }
}

// ---- the forge

/** A forge listens on loopback alone: this gives it to containers at an address of this machine, by https, as GitHub Enterprise is reached. */
async function publish(forge) {
  const own = new URL(forge.apiUrl);
  const { address } = Object.values(networkInterfaces()).flat().find(({ internal, family }) => !internal && family === "IPv4") ?? assert.fail("there is no address beside loopback");
  const [key, cert] = [join(folder, "key.pem"), join(folder, "authority.pem")];
  const curve = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes"];
  const names = ["-subj", "/CN=forge", "-addext", `subjectAltName=IP:${address}`, "-addext", "basicConstraints=critical,CA:FALSE"];
  execFileSync("openssl", ["req", "-x509", ...curve, ...names, "-days", "2", "-keyout", key, "-out", cert], { stdio: "ignore" });
  const server = https.createServer({ key: readFileSync(key), cert: readFileSync(cert) }, (from, to) => {
    if (from.url.startsWith("/_forge")) return to.writeHead(404).end();
    const headers = { ...from.headers, host: own.host, "accept-encoding": "identity" };
    const asked = http.request({ host: own.hostname, port: own.port, path: from.url, method: from.method, headers }, (answer) => pass(answer, to));
    asked.on("error", () => to.destroy());
    from.pipe(asked);
  });
  /** Its answers name its address. */
  const renamed = (text) => text?.replaceAll(own.origin, `https://${address}:${server.address().port}`);
  const pass = async (answer, to) => {
    const headers = Object.fromEntries(Object.entries(answer.headers).map(([name, value]) => [name, ["link", "location"].includes(name) ? renamed(value) : value]));
    if (!headers["content-type"]?.includes("json")) return answer.pipe(to.writeHead(answer.statusCode, headers));
    const body = Buffer.from(renamed(Buffer.concat(await answer.toArray()).toString()));
    delete headers["transfer-encoding"];
    to.writeHead(answer.statusCode, { ...headers, "content-length": body.length }).end(body);
  };
  await new Promise((resolve) => server.listen(0, address, resolve));
  server.unref();
  return { apiUrl: renamed(forge.apiUrl), authority: readFileSync(cert, "utf8"), close: () => server.closeAllConnections() ?? server.close() };
}

/** A forge with a repository and pull requests, each with a fault that a fix mends. */
async function openWorld() {
  const forge = await startForge(findCollie("release", "debug"), join(folder, "forge"));
  await makeSample(join(folder, "sample"), { base: { "README.md": "# Sample\n" }, count: LOOPS, change: (number) => faultyPart(2 * number + 1) });
  const asked = async (path, body) => assert.ok((await forge.send("POST", path, { body })).ok, path);
  await asked("/_forge/import", { repo: `${OWNER}/sample`, path: join(folder, "sample") });
  for (let number = 1; number <= LOOPS; number += 1) {
    await asked(`${forge.apiUrl}/repos/${OWNER}/sample/pulls`, { title: `Part ${number}`, head: `change-${number}`, base: "main" });
  }
  return { forge, ...(await publish(forge)) };
}

// ---- what both have in common

/** Copies a folder of packaging/ to where it is tried, with what its top says has to be beside it. The folder's name is the project's. */
function lay(name, world) {
  const project = join(folder, `collie-try-${process.pid}-${name}`);
  mkdirSync(project);
  projects.push(project);
  for (const file of readdirSync(join(packaging, name))) copyFileSync(join(packaging, name, file), join(project, file));
  const trusts = ["SSL_CERT_FILE", "GIT_SSL_CAINFO"].map((name) => `${name}=${HOME}/authority.pem\n`).join("");
  writeFileSync(join(project, "environment"), `GITHUB_TOKEN=forge-${OWNER}\nGITHUB_AUTO_PR_REVIEW_ALLOWED_USERS=${OWNER}\nGITHUB_API_URL=${world.apiUrl}\n${trusts}`);
  writeFileSync(join(project, "config.toml"), SETTINGS);
  writeFileSync(join(project, "authority.pem"), world.authority);
  return project;
}

/** The commands at the top of a project's compose.yaml, as they are for podman. */
function stepsOf(project) {
  const lines = readFileSync(join(project, "compose.yaml"), "utf8").split("\n").filter((line) => line.startsWith("#   "));
  return lines.map((line) => line.slice(4).replace(/ {4,}.*/, "").replaceAll("docker compose", "podman-compose"));
}

/** Runs a command of the top, which has to succeed. */
async function step(project, command) {
  const began = performance.now();
  const { status, said } = await shell(project, command);
  assert.equal(status, 0, `${command}:\n${said}`);
  console.log(`  ${command}   (${seconds(began)} s)`);
  return said;
}

/** How a container of a project stands. */
const container = (project, service) => `${basename(project)}_${service}_1`;
const inspect = (project, service, format) => podman("inspect", "--format", format, container(project, service));
const within = (project, service, ...args) => podman("exec", container(project, service), ...args);

/** Sends a request; gives the status and the text. */
function send(url, { method = "GET", headers = {}, body, ca } = {}) {
  return new Promise((resolve, reject) => {
    const asked = (url.startsWith("https") ? https : http).request(url, { method, headers, ca, timeout: 10_000 }, async (answer) => {
      resolve({ status: answer.statusCode, text: Buffer.concat(await answer.toArray()).toString() });
    });
    asked.on("error", reject).on("timeout", () => asked.destroy(new Error(`${url} does not answer`)));
    asked.end(body);
  });
}

/** Checks that a process of Collie is nobody special, and can make its sandbox. */
async function checkConfinement(project, service) {
  const status = await within(project, service, "grep", "-E", "^(Uid|CapEff)", "/proc/1/status");
  assert.match(status, new RegExp(`^Uid:\\s+${UID}\\s`), status);
  assert.match(status, /CapEff:\s+0+$/, status);
  const sandbox = (await within(project, service, "collie", "doctor")).split("\n").find((line) => line.includes("Sandbox"));
  assert.match(sandbox, /^OK/, sandbox);
  console.log(`${service} is account ${UID} without a capability, and its sandbox can be set up`);
}

/** Which of the options that confine a container less the sandbox needs here. */
async function sayWhatSandboxNeeds(project) {
  const image = await inspect(project, "worker-one", "{{.ImageName}}");
  const options = [...new Set(readFileSync(join(project, "compose.yaml"), "utf8").match(/(?<=^ +- )\w+=unconfined$/gm))];
  for (const left of options) {
    const given = options.filter((option) => option !== left).flatMap((option) => ["--security-opt", option]);
    const { said } = await shell(folder, ["podman run --rm --network=none", ...given, image, "doctor"].join(" "));
    console.log(`  without ${left}: ${said.match(/^OK +Sandbox/m) ? "a sandbox all the same" : `no sandbox (${said.match(/\((bwrap: [^)]*)\)/)?.[1] ?? "?"})`}`);
  }
}

/** Has all containers stop: each has to end by itself, and well. */
async function stopAll(project, services) {
  const began = performance.now();
  await step(project, "podman-compose stop");
  const codes = await Promise.all(services.map(async (service) => [service, await inspect(project, service, "{{.State.ExitCode}}")]));
  assert.deepEqual(codes.filter(([, code]) => code !== "0"), [], "some did not end well");
  console.log(`all stopped by themselves within ${seconds(began)} s`);
}

// ---- many machines

const SERVER = "http://127.0.0.1:8642";
const MANY = ["restate", "workers", ...WORKERS, "server", "database"];
/** Asks the server as who works. It goes by its public name alone. */
const ask = (path, method = "GET", body = undefined) => send(SERVER + path, {
  method, body: body && JSON.stringify(body),
  headers: { host: "collie.example.org", authorization: `Bearer forge-${OWNER}`, "content-type": "application/json" },
});
const loop = async (number) => {
  const { status, text } = await ask(`/pr/${OWNER}/sample/${number}/status`);
  assert.equal(status, 200, text);
  return JSON.parse(text);
};
/** All loops; not asked for more often than one person may. */
async function allLoops() {
  await sleep(800);
  return Promise.all(Array.from({ length: LOOPS }, (_, at) => loop(at + 1)));
}
const ready = () => until("the server to be ready", async () => (await ask("/readyz")).status === 200);

/** Follows the top of the file, to where all answer. */
async function bringUp(project) {
  const began = performance.now();
  for (const command of stepsOf(project)) {
    if (command.startsWith("docker build")) console.log(`  ${command}   (not tried: its first stages are from a registry)`);
    else if (command.includes("grep kid")) {
      const key = await until("the public key", async () => (await shell(project, command)).said.match(/publickeyv1_\w+/)?.[0]);
      appendFileSync(join(project, ".env"), `COLLIE_IDENTITY_KEY=${key}\n`);
      console.log(`  ${command}   (${key})`);
    } else if (command.includes("/deployments")) {
      const asked = performance.now();
      await until("the deployment", async () => (await shell(project, command)).said.includes('"id"'));
      console.log(`  ${command}   (${seconds(asked)} s)`);
    } else {
      await step(project, command);
      // The forge's certificate comes the same way as the settings.
      if (command.includes("< config.toml")) await shell(project, command.replaceAll("config.toml", "authority.pem"));
    }
  }
  await ready();
  console.log(`ready ${seconds(began)} s after the first command`);
}

/** Has all loops work, kills a worker in the middle of a fix, and waits for the end of all. */
async function playLoops(project) {
  const began = performance.now();
  for (let number = 1; number <= LOOPS; number += 1) {
    const { status, text } = await ask(`/pr/${OWNER}/sample/${number}/event`, "POST", { type: "start", id: `start-${number}` });
    assert.ok(status < 300, `${status} ${text}`);
  }
  const seen = new Set();
  const look = async () => {
    const loops = await allLoops();
    loops.forEach(({ workers }) => workers.forEach((name) => seen.add(name)));
    return loops;
  };
  const [victim] = await until("a worker at a fix", async () => (await look()).find(({ state, workers }) => state === "pr_fixing" && workers.length > 0)?.workers);
  await podman("kill", container(project, victim));
  console.log(`${victim} was killed ${seconds(began)} s after the start`);
  const ends = new Map();
  const ended = await until("the end of all loops", async () => {
    const loops = await look();
    for (const { key, state } of loops) if (/^(pr_ready_to_merge|needs_human|failed)$/.test(state) && !ends.has(key)) ends.set(key, seconds(began));
    return ends.size === LOOPS && loops;
  }, 180);
  assert.deepEqual(ended.map(({ state }) => state), Array(LOOPS).fill("pr_ready_to_merge"), JSON.stringify(ended.map(({ blocker, error }) => blocker ?? error)));
  assert.ok([...seen].every((name) => WORKERS.includes(name)), `shown as ${[...seen]}`);
  console.log(`${LOOPS} loops are ready, after ${[...ends.values()].join(", ")} s; seen at work: ${[...seen].sort().join(", ")}`);
  return victim;
}

/** A worker that was killed is started again, at another address perhaps, and the proxy has to find it there. */
async function checkReturn(project, victim) {
  const began = performance.now();
  const word = new RegExp(`workers/${victim.replace("worker-", "")}\\b.* is (UP|DOWN)`);
  const address = () => inspect(project, victim, "{{range .NetworkSettings.Networks}}{{.IPAddress}}{{end}}");
  await podman("start", container(project, victim));
  const last = async () => (await shell(folder, `podman logs ${container(project, "workers")}`)).said.split("\n").filter((line) => word.test(line)).at(-1);
  await until("the proxy to find the worker", async () => (await last())?.includes(" is UP"));
  console.log(`the proxy has ${victim} again, at ${await address()}, after ${seconds(began)} s`);
}

/** Each pull request has been mended, with one commit. */
async function checkForge({ forge }) {
  for (let number = 1; number <= LOOPS; number += 1) {
    const commits = await forge.all(`/repos/${OWNER}/sample/pulls/${number}/commits`);
    assert.equal(commits.length, 2, `pull request ${number} has ${commits.length} commits`);
  }
  console.log("each pull request has one fix more, and no second");
}

async function sayMemory(project) {
  const row = async (service) => {
    const { now, peak } = memoryOf(await inspect(project, service, "{{.State.Pid}}"));
    return [service, megabytes(now * 1024), megabytes(peak * 1024)];
  };
  table([["first process of", "resident", "at its highest"], ...(await Promise.all(["restate", ...WORKERS, "server"].map(row)))]);
}

async function tryManyMachines(world) {
  console.log("\npackaging/many-machines/compose.yaml");
  const project = lay("many-machines", world);
  await bringUp(project);
  await checkConfinement(project, "worker-one");
  await sayWhatSandboxNeeds(project);
  const victim = await playLoops(project);
  await checkForge(world);
  await checkReturn(project, victim);
  await sayMemory(project);
  const began = performance.now();
  await podman("stop", "--time", "30", container(project, "workers"));
  assert.equal(await inspect(project, "workers", "{{.State.ExitCode}}"), "0", "the proxy had to be killed");
  console.log(`the proxy stops by itself while Restate's connections are open, after ${seconds(began)} s`);
  await podman("start", container(project, "workers"));
  await ready();
  await stopAll(project, MANY);
  await step(project, "podman-compose down");
  const again = performance.now();
  await step(project, "podman-compose up --detach");
  await ready();
  assert.ok((await allLoops()).every(({ state }) => state === "pr_ready_to_merge"));
  console.log(`all loops are there again in new containers on the old volumes, after ${seconds(again)} s`);
  await step(project, "podman-compose down --volumes");
}

// ---- one server

async function tryServer(world) {
  console.log("\npackaging/server/compose.yaml");
  const project = lay("server", world);
  const secret = "a-secret-of-the-forge";
  writeFileSync(join(project, "SECRET"), secret);
  // Caddy vouches for this name by itself.
  writeFileSync(join(project, ".env"), "COLLIE_HOST=localhost\n");
  for (const command of stepsOf(project)) {
    // To become another account takes root, or what stands in for it.
    const changed = command.startsWith("install") && process.getuid() !== 0 ? `podman unshare ${command}` : command;
    if (command.includes("backup")) await checkServer(project, secret);
    const said = await step(project, changed);
    if (command.includes("< config.toml")) await shell(project, changed.replaceAll("config.toml", "authority.pem"));
    if (command.includes("backup")) assert.match(said, /holds the backup/);
  }
  await stopAll(project, ["collie", "caddy"]);
  await step(project, "podman-compose down --volumes");
}

async function checkServer(project, secret) {
  const began = performance.now();
  const ca = await until("Caddy's certificate", async () => within(project, "caddy", "cat", "/data/caddy/pki/authorities/local/root.crt"));
  await until("the server behind Caddy", async () => (await send("https://localhost/readyz", { ca })).status === 200);
  console.log(`https://localhost/readyz is answered ${seconds(began)} s later`);
  const body = JSON.stringify({ zen: "Keep it logically awesome." });
  const signature = (key) => `sha256=${createHmac("sha256", key).update(body).digest("hex")}`;
  const deliver = (key) => send("https://localhost/webhooks/github", {
    method: "POST", ca, body,
    headers: { "content-type": "application/json", "x-github-event": "ping", "x-github-delivery": crypto.randomUUID(), "x-hub-signature-256": signature(key) },
  });
  const [taken, refused] = [await deliver(secret), await deliver("another")];
  assert.ok(taken.status < 300, `${taken.status} ${taken.text}`);
  assert.equal(refused.status, 401);
  console.log("a webhook is taken, one that another secret signed is not");
  const as = { ca, headers: { authorization: `Bearer forge-${OWNER}`, "content-type": "application/json" } };
  const loop = `https://localhost/pr/${OWNER}/sample/1`;
  const started = await send(`${loop}/event`, { ...as, method: "POST", body: JSON.stringify({ type: "start", id: "start" }) });
  assert.ok(started.status < 300, `${started.status} ${started.text}`);
  await until("the end of a loop", async () => JSON.parse((await send(`${loop}/status`, as)).text).state === "pr_ready_to_merge", 120);
  console.log("a loop is ready, with a fix that passed the verify command");
  await checkConfinement(project, "collie");
}

const tries = { "many-machines": tryManyMachines, server: tryServer };
const [only] = process.argv.slice(2);
assert.ok(!only || tries[only], `there is no ${only}`);
const wanted = only ? [only] : Object.keys(tries);
process.on("exit", clean);
const means = ["Host.OCIRuntime.Name", "Host.CgroupsVersion", "Host.NetworkBackend", "Store.GraphDriverName"].map((name) => `{{.${name}}}`).join(", ");
console.log(`${await podman("--version")}: ${await podman("info", "--format", means)}`);
assert.ok(existsSync(process.env.COLLIE_RESTATE_SERVER ?? shipped), "there is no restate-server: run `bash scripts/setup.sh --tests`");
await makeImages(wanted.map((name) => join(packaging, name, "compose.yaml")));
for (const name of wanted) {
  const world = await openWorld();
  try {
    await tries[name](world);
  } finally {
    world.close();
    await world.forge.stop();
    rmSync(join(folder, "forge"), { recursive: true, force: true });
    rmSync(join(folder, "sample"), { recursive: true, force: true });
  }
}
