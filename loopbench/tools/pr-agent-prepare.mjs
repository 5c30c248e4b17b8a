// Installs PR-Agent once (pip, below target/) and says where it is.

import { join } from "node:path";
import { prAgentBin, vocabulary } from "../../scripts/pr-agent-environment.mjs";

const bin = await prAgentBin();
console.log(`PR_AGENT=${join(bin, "pr-agent")}`);
console.log(`TIKTOKEN_CACHE_DIR=${vocabulary(join(bin, "../tiktoken"))}`);
