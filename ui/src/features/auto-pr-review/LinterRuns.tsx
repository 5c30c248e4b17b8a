import type { LinterRun } from "../../generated/wire";
import type { Tone } from "../../components/tone";
import { useText, type Translate } from "../../i18n";
import { StatusIcon, StatusLine, type StatusShape } from "../../components/StatusLine";

/** The repository's own linters, under the reviewer that ran them. */
export function LinterRuns({ runs }: { runs: LinterRun[] }) {
  const t = useText();
  return runs.map((run) => {
    const [shape, tone] = signOf(run);
    return (
      <StatusLine key={run.name} icon={<StatusIcon shape={shape} tone={tone} />}>
        <span className="text-dim">{textOf(t, run)}</span>
      </StatusLine>
    );
  });
}

function signOf(run: LinterRun): [StatusShape, Tone] {
  switch (run.outcome) {
    case "ran":
      return run.findings === 0 ? ["done", "ok"] : ["alert", "warn"];
    case "not_installed":
      return ["none", "none"];
    case "timed_out":
    case "failed":
      return ["failed", "none"];
  }
}

function textOf(t: Translate, run: LinterRun): string {
  switch (run.outcome) {
    case "ran":
      return t("linter-ran", { name: run.name, count: run.findings });
    case "not_installed":
      return t("linter-not_installed", { name: run.name });
    case "timed_out":
      return t("linter-timed_out", { name: run.name, seconds: run.seconds });
    case "failed":
      return t("linter-failed", { name: run.name, message: run.message });
  }
}
