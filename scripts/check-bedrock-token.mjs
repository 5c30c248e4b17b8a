// Holds Bedrock's tokens, as Collie signs them, against AWS's own library on botocore (aws-bedrock-token-generator, PyPI).
//
//   cargo build -p collie-agents --example bedrock-token && node scripts/check-bedrock-token.mjs
//
// Both sign for the same access keys, regions and times; every part of the request in the tokens must be the same, the signature
// included. The library lives in an environment of its own below target/. No request is sent.

import { execFileSync } from "node:child_process";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { pythonEnvironment } from "./python-environment.mjs";

const scripts = dirname(fileURLToPath(import.meta.url));
const example = join(process.env.CARGO_TARGET_DIR ?? join(scripts, "../target"), "debug/examples/bedrock-token");

/** Signs at a given second: botocore knows the present alone. */
const JUDGE = `
import datetime, os, sys
import botocore.auth
from botocore.credentials import Credentials
from aws_bedrock_token_generator.token_generator import _generate_token
at = datetime.datetime.fromtimestamp(int(sys.argv[2]), datetime.timezone.utc)
botocore.auth.get_current_datetime = lambda remove_tzinfo=True: at.replace(tzinfo=None) if remove_tzinfo else at
e = os.environ
print(_generate_token(Credentials(e["AWS_ACCESS_KEY_ID"], e["AWS_SECRET_ACCESS_KEY"], e.get("AWS_SESSION_TOKEN")), sys.argv[1], 43200))
`;

const KEYS = [
  { AWS_ACCESS_KEY_ID: "AKIDEXAMPLE", AWS_SECRET_ACCESS_KEY: "wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY" },
  { AWS_ACCESS_KEY_ID: "ASIDEXAMPLE", AWS_SECRET_ACCESS_KEY: "a/b+c=d~e_f-g.h", AWS_SESSION_TOKEN: "AQoDYXdzEPT//////////wEXAMPLE+tc764=~._-%25" },
];

/** The request in a token, by its parts; their order is no part of what is signed. */
function request(token) {
  const url = new URL(`https://${Buffer.from(token.trim().replace(/^bedrock-api-key-/, ""), "base64")}`);
  return JSON.stringify([url.host, url.pathname, ...[...url.searchParams].sort()]);
}

const python = join(await pythonEnvironment("bedrock-token"), "python");
let same = 0;
let tried = 0;
for (const keys of KEYS) {
  for (const region of ["us-east-1", "eu-central-1", "us-gov-west-1"]) {
    for (const seconds of ["1795521600", "951782399"]) {
      const env = { PATH: process.env.PATH, ...keys };
      const ours = execFileSync(example, [region, seconds], { env, encoding: "utf8" });
      const theirs = execFileSync(python, ["-c", JUDGE, region, seconds], { env, encoding: "utf8" });
      tried += 1;
      if (request(ours) === request(theirs)) same += 1;
      else console.error(`${region} at ${seconds}:\n  ${request(ours)}\n  ${request(theirs)}`);
    }
  }
}
console.log(`Bedrock's tokens beside AWS's own: ${same} of ${tried} are the same`);
process.exitCode = same === tried ? 0 : 1;
