// How a tool says how it ended: by a line, its exit status, a label, a comment or a check. The first sign that comes counts.

import { NUMBER, OWNER, TOOL_LOGIN } from "./world.mjs";

export const ENDS = ["ready", "stopped", "closed"];

const signs = (tool, kind) => ENDS.flatMap((end) => (tool.word[end] ?? []).filter((sign) => kind in sign).map((sign) => ({ end, value: sign[kind] })));

/** What a line of the tool's output says. */
export const wordOfLine = (tool, line) => signs(tool, "line").find(({ value }) => new RegExp(value).test(line))?.end;

/** What its exit status says. */
export const wordOfExit = (tool, status) => signs(tool, "exit").find(({ value }) => value === status)?.end;

/** Whether a tool says anything on the forge, so that it has to be looked there. */
export const speaksOnForge = (tool) => ["label", "comment", "check"].some((kind) => signs(tool, kind).length > 0);

/** What the tool says on the forge by now. */
export async function wordOnForge(tool, world) {
  const get = (path) => world.call(OWNER, "GET", `${world.api}/${path}`);
  const pull = await get(`pulls/${NUMBER}`);
  for (const { end, value } of signs(tool, "label")) if (pull.labels.some(({ name }) => name === value)) return end;
  const ofTool = ({ user }) => user.login === TOOL_LOGIN;
  if (signs(tool, "comment").length > 0) {
    const said = [...await get(`issues/${NUMBER}/comments?per_page=100`), ...await get(`pulls/${NUMBER}/reviews?per_page=100`)].filter(ofTool).map(({ body }) => body ?? "");
    for (const { end, value } of signs(tool, "comment")) if (said.some((body) => new RegExp(value, "m").test(body))) return end;
  }
  for (const { end, value } of signs(tool, "check")) {
    const { check_runs: runs } = await get(`commits/${pull.head.sha}/check-runs?per_page=100`);
    const { statuses } = await get(`commits/${pull.head.sha}/status`);
    if (runs.some(({ name, conclusion }) => name === value && conclusion === "success") || statuses.some(({ context, state }) => context === value && state === "success")) return end;
  }
  return undefined;
}
