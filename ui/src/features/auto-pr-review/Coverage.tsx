import { useState } from "react";
import { Section } from "../../components";
import type { CoverageView, LoopView, UnseenFile } from "../../generated/wire";
import { useText } from "../../i18n";
import { reasonTexts } from "./lifecycle";
import { ShowMore } from "./ShowMore";
import { StatusIcon, StatusLine } from "../../components/StatusLine";
import { visibleCommand as visible } from "./trust";

const MAX_SHOWN = 6;

/** What nobody was shown of a head that is not ready; the proof of one that is says it itself. */
export function CoverageSection({ loop }: { loop: LoopView }) {
  const t = useText();
  if (!loop.coverage) return null;
  return (
    <Section title={t("review-coverage")}>
      <CoverageDetails coverage={loop.coverage} />
    </Section>
  );
}

/** What nobody was shown, why, and who has looked at it instead (§4.4). */
export function CoverageDetails({ coverage }: { coverage: CoverageView }) {
  const t = useText();
  return (
    <>
      {coverage.unseen.length > 0 && (
        <>
          <h4 className={coverage.needing_look > 0 ? "mt-2 text-sm text-warn" : "mt-2 text-sm text-dim"}>
            {t("review-unseen", { count: coverage.unseen.length })}
          </h4>
          <UnseenFiles files={coverage.unseen} />
        </>
      )}
      {coverage.rules_only.length > 0 && (
        <>
          <h4 className="mt-2 text-sm text-dim">{t("review-rules-only", { count: coverage.rules_only.length })}</h4>
          <Files files={coverage.rules_only.map((path) => ({ path, why: "" }))} />
        </>
      )}
      {coverage.seen_by !== null && <p className="mt-1 text-dim">{t("review-seen-by", { login: coverage.seen_by })}</p>}
    </>
  );
}

/** Each file with the reason why nobody was shown it. */
export function UnseenFiles({ files }: { files: UnseenFile[] }) {
  const t = useText();
  return <Files files={files.map(({ path, reason }) => ({ path, why: t(reasonTexts[reason]) }))} />;
}

function Files({ files }: { files: { path: string; why: string }[] }) {
  const [all, setAll] = useState(false);
  const shown = all ? files : files.slice(0, MAX_SHOWN);
  return (
    <>
      <ul>
        {shown.map(({ path, why }) => (
          <StatusLine key={path} icon={<StatusIcon shape="none" tone="none" />} aside={why}>
            <code className="font-mono wrap-anywhere">{visible(path)}</code>
          </StatusLine>
        ))}
      </ul>
      <ShowMore open={all && files.length > MAX_SHOWN} count={files.length - shown.length} onToggle={() => setAll(!all)} />
    </>
  );
}
