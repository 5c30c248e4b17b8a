// Holds Google logins, as Collie uses them for Vertex AI, against Google's own library (google-auth, PyPI).
//
//   cargo build -p collie-agents --example google-token && cargo build -p collie-fake-llm --example google-login
//   node scripts/check-google-token.mjs
//
// Collie's assertion and google-auth's are made of the same key file at the same second: header and claims must be the same, and
// google-auth must take Collie's signature and claims. Then google-auth itself gets tokens from the local server that Collie's tests
// ask, by each of the three forms: so that server speaks what Google's library speaks. Nothing but loopback is asked.

import { execFileSync, spawn } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { pythonEnvironment } from "./python-environment.mjs";

const scripts = dirname(fileURLToPath(import.meta.url));
const examples = join(process.env.CARGO_TARGET_DIR ?? join(scripts, "../target"), "debug/examples");
const SCOPE = "https://www.googleapis.com/auth/cloud-platform";

/** google-auth's assertion at a given second, and its judgement of ours. */
const ASSERTION = `
import base64, datetime, json, sys
from google.auth import _helpers, crypt, jwt
from google.oauth2 import service_account
from cryptography.hazmat.primitives import serialization
file, seconds, ours = sys.argv[1], int(sys.argv[2]), sys.argv[3]
at = datetime.datetime.fromtimestamp(seconds, datetime.timezone.utc).replace(tzinfo=None)
_helpers.utcnow = lambda: at
account = service_account.Credentials.from_service_account_file(file, scopes=["${SCOPE}"])
theirs = account._make_authorization_grant_assertion().decode()
parts = lambda token: [json.loads(base64.urlsafe_b64decode(part + "==")) for part in token.split(".")[:2]]
private = serialization.load_pem_private_key(json.load(open(file))["private_key"].encode(), None)
public = private.public_key().public_bytes(serialization.Encoding.PEM, serialization.PublicFormat.SubjectPublicKeyInfo)
taken = jwt.decode(ours, certs={"collie-tests": public.decode()}, audience="https://oauth2.googleapis.com/token")
changed = ours[:-8] + ("AAAAAAAA" if ours[-8:] != "AAAAAAAA" else "BBBBBBBB")
try:
    jwt.decode(changed, certs={"collie-tests": public.decode()}); judges = False
except Exception:
    judges = True
print(json.dumps({"same": parts(ours) == parts(theirs), "taken": taken == parts(theirs)[1], "judges": judges, "ours": parts(ours), "theirs": parts(theirs)}))
`;

/** Has google-auth get a token by each form. */
const REFRESH = `
import json, os, sys
from google.auth.transport.requests import Request
from google.auth import compute_engine
from google.oauth2 import credentials, service_account
where = json.load(open(sys.argv[1]))
got = []
for login in [
    service_account.Credentials.from_service_account_info(where["key_file"], scopes=["${SCOPE}"]),
    credentials.Credentials.from_authorized_user_info(where["user_file"]),
    compute_engine.Credentials(service_account_email="default", scopes=["${SCOPE}"]),
]:
    # A person's login knows no other place than Google's own.
    if isinstance(login, credentials.Credentials): login._token_uri = where["user_file"]["token_uri"]
    try:
        login.refresh(Request()); got.append(login.token)
    except Exception as error:
        got.append(repr(error))
print(json.dumps(got))
`;

const bin = await pythonEnvironment("google-token");
const python = (program, args, env = {}) =>
  JSON.parse(execFileSync(join(bin, "python"), ["-c", program, ...args], { encoding: "utf8", env: { PATH: process.env.PATH, ...env } }));
const folder = mkdtempSync(join(tmpdir(), "collie-google-"));
const server = spawn(join(examples, "google-login"), { stdio: ["pipe", "pipe", "inherit"] });
let failed = 0;
const check = (what, holds, told) => {
  console.log(`${holds ? "ok  " : "FAIL"} ${what}`);
  if (!holds) {
    failed += 1;
    console.error(told);
  }
};
try {
  const [line] = await new Promise((done) => createInterface({ input: server.stdout }).once("line", (text) => done([text])));
  const where = JSON.parse(line);
  const keyFile = join(folder, "key.json");
  writeFileSync(keyFile, JSON.stringify(where.key_file));
  for (const seconds of [Math.floor(Date.now() / 1000), 1_795_608_000, 4_102_444_799]) {
    const ours = execFileSync(join(examples, "google-token"), [keyFile, String(seconds)], { encoding: "utf8" }).trim();
    const told = python(ASSERTION, [keyFile, String(seconds), ours]);
    check(`at ${seconds}: header and claims are google-auth's own`, told.same, told);
    check(`at ${seconds}: google-auth takes our assertion`, told.taken, told);
    check(`at ${seconds}: google-auth refuses another signature`, told.judges, told);
  }
  const whereFile = join(folder, "where.json");
  writeFileSync(whereFile, line);
  const host = { GCE_METADATA_HOST: where.metadata_host, GCE_METADATA_IP: where.metadata_host };
  const got = python(REFRESH, [whereFile], { ...host, NO_PROXY: "*" });
  for (const [at, form] of ["a service account", "a person's login", "a metadata server"].entries()) {
    check(`google-auth gets a token of the local server by ${form}`, /^ya29\.token-\d+$/.test(got[at] ?? ""), got[at]);
  }
} finally {
  server.stdin.end();
  rmSync(folder, { recursive: true, force: true });
}
process.exitCode = failed === 0 ? 0 : 1;
