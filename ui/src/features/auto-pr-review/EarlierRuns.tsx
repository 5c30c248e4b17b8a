import { Section } from "../../components";
import { StatusIcon } from "../../components/StatusLine";
import { useAnswer } from "../../data";
import type { EarlierRunView, Sha } from "../../generated/wire";
import { formatDay, formatDuration, formatTime, useLanguage, useText } from "../../i18n";
import { toneOfState } from "../../loop-state";
import { Disclosure } from "./Disclosure";
import { ProofDetails, ProofSummary } from "./Proof";
import { spentText } from "./Rounds";

/** The runs that another one has followed, each folded, with its proof as it was. */
export function EarlierRuns({ loopKey, onOpenCommit }: { loopKey: string; onOpenCommit: (sha: Sha) => void }) {
  const t = useText();
  const { data } = useAnswer({ command: "earlier_runs", args: { key: loopKey } });
  if (!data || data.length === 0) return null;
  return (
    <Section title={t("earlier-runs")}>
      <ul>
        {data.map((run) => (
          <EarlierRun key={run.run_id} run={run} onOpenCommit={onOpenCommit} />
        ))}
      </ul>
    </Section>
  );
}

function EarlierRun({ run, onOpenCommit }: { run: EarlierRunView; onOpenCommit: (sha: Sha) => void }) {
  const t = useText();
  const language = useLanguage();
  const at = run.ended_at ?? run.started_at;
  const tone = toneOfState(run.state);
  // How it ended, not how far it once was.
  const shape = tone === "ok" ? "done" : tone === "bad" ? "alert" : "none";
  return (
    <Disclosure
      icon={<StatusIcon shape={shape} tone={tone} />}
      title={t("earlier-run", { number: run.number, state: t(`state-${run.state}`) })}
      aside={`${formatDay(language, at)}, ${formatTime(language, at)}`}
    >
      <p className="text-dim">{headText(t, run)}</p>
      <p className="text-sm text-dim tabular-nums">{effort(run).join(" · ")}</p>
      {run.error && <p className="mt-1 wrap-anywhere">{run.error.message}</p>}
      {run.proof && (
        <>
          <h4 className="mt-2 text-sm text-dim">{t("earlier-run-proof", { head: run.proof.head_sha.slice(0, 7) })}</h4>
          <ProofSummary proof={run.proof} />
          <ProofDetails proof={run.proof} onOpenCommit={onOpenCommit} />
        </>
      )}
    </Disclosure>
  );

  function effort({ started_at, ended_at, usage }: EarlierRunView): string[] {
    const took = ended_at === null ? [] : [t("earlier-run-took", { time: formatDuration(language, new Date(ended_at).getTime() - new Date(started_at).getTime()) })];
    return usage.input_tokens + usage.output_tokens > 0 ? [...took, spentText(t, language, { usage })] : took;
  }
}

/** Where it ended, and whether anything was proven. */
function headText(t: ReturnType<typeof useText>, run: EarlierRunView): string {
  if (!run.kept) return t("earlier-run-lost");
  const head = run.head_sha?.slice(0, 7) ?? "none";
  return t(run.proof ? "earlier-run-head" : "earlier-run-unproven", { head });
}
