/** What a colour says: fine, at work, waiting for someone, wrong, nothing. */
export type Tone = "ok" | "run" | "warn" | "bad" | "none";

export const TEXT: Record<Tone, string> = { ok: "text-ok", run: "text-run", warn: "text-warn", bad: "text-bad", none: "text-dim" };

export const BACKGROUND: Record<Tone, string> = { ok: "bg-ok-bg", run: "bg-run-bg", warn: "bg-warn-bg", bad: "bg-bad-bg", none: "bg-chip" };

export const FILL: Record<Tone, string> = { ok: "bg-ok", run: "bg-run", warn: "bg-warn", bad: "bg-bad", none: "bg-control" };
