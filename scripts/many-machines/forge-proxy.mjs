// The proxy by which all of Collie reaches the forge. It passes bytes on, and notes which connection sent a request when, so that what a
// process sends after it was thawed can be told from what others send.

import { readdirSync, readFileSync, readlinkSync } from "node:fs";
import { connect, createServer } from "node:net";

/** Requests that are kept of a connection. */
const KEPT = 100;
const REQUEST = /^(GET|HEAD|POST|PUT|PATCH|DELETE) (\S+) HTTP\/1/;

/** Whether the first bytes of a request are of a write. */
function isWrite(method, path, text) {
  if (method === "GET" || method === "HEAD" || path.endsWith("/git-upload-pack")) return false;
  return !path.endsWith("/graphql") || text.includes("mutation");
}

/** Ports of this machine on which a process has a connection. */
export function portsOf(pid) {
  const inodes = new Set();
  try {
    for (const fd of readdirSync(`/proc/${pid}/fd`)) inodes.add(readlinkSync(`/proc/${pid}/fd/${fd}`).match(/^socket:\[(\d+)\]$/)?.[1]);
  } catch {
    // It has ended, or closed one meanwhile.
  }
  inodes.delete(undefined);
  const rows = readFileSync("/proc/net/tcp", "utf8").split("\n").slice(1).map((line) => line.trim().split(/\s+/));
  return new Set(rows.filter(({ 9: inode }) => inodes.has(inode)).map(({ 1: local }) => Number.parseInt(local.split(":")[1], 16)));
}

/** Whether a process has children. */
export function hasChildren(pid) {
  try {
    return readdirSync(`/proc/${pid}/task`).some((task) => readFileSync(`/proc/${pid}/task/${task}/children`, "utf8").trim() !== "");
  } catch {
    return false;
  }
}

/** A request that names the forge as its host: the forge answers no other. */
const readdressed = (text, bytes, port) => {
  const named = text.replace(/^(host: [^\r\n:]+:)\d+/im, (_, host) => host + port);
  return named === text ? bytes : Buffer.from(named, "latin1");
};

/** Brings bytes from one end to the other, no faster than that takes them. */
function carry(one, other, look) {
  one.on("data", (bytes) => {
    if (!other.write(look(bytes))) one.pause();
  });
  other.on("drain", () => one.resume());
  one.on("end", () => other.end());
  one.on("error", () => other.destroy());
  one.on("close", () => other.destroy());
  one.setNoDelay(true);
}

/** Starts the proxy of a port. `of` gives the connections that a process has now, each with its last requests and how many have no answer yet. */
export async function startForgeProxy(port) {
  const open = new Map();
  const server = createServer((from) => {
    const to = connect(port, "127.0.0.1");
    const known = { requests: [], unanswered: 0 };
    open.set(from.remotePort, known);
    carry(from, to, (bytes) => {
      const text = bytes.toString("latin1");
      const [, method, path] = REQUEST.exec(text) ?? [];
      if (!method) return bytes;
      known.requests.push({ at: performance.now(), write: isWrite(method, path, text) });
      known.unanswered += 1;
      if (known.requests.length > KEPT) known.requests.shift();
      return readdressed(text, bytes, port);
    });
    carry(to, from, (bytes) => {
      if (bytes.subarray(0, 7).toString("latin1") === "HTTP/1.") known.unanswered = Math.max(0, known.unanswered - 1);
      return bytes;
    });
    from.on("close", () => open.delete(from.remotePort));
  });
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    origin: `http://127.0.0.1:${server.address().port}`,
    of: (pid) => [...portsOf(pid)].map((at) => open.get(at)).filter(Boolean),
  };
}
