import { useEffect, useRef, useState } from "react";
import { Button, Dot, ProblemBanner, useAnnounce } from "../../components";
import { useCommand, useHost } from "../../data";
import type { ModelTestView } from "../../generated/wire";
import { formatDollars, formatNumber, useLanguage, useText, type Language, type Translate } from "../../i18n";
import type { ModelRef } from "./changes";

/** Asks a model one small question, for real, and says what that took: time, tokens, cost. Left while it is under way, it is given up. */
export function ModelTest({ model }: { model: ModelRef }) {
  const t = useText();
  const language = useLanguage();
  const host = useHost();
  const announce = useAnnounce();
  const test = useCommand();
  const [answered, setAnswered] = useState<{ by: string; result: ModelTestView | null } | null>(null);
  const asked = JSON.stringify(model);
  const underWay = useRef<string | null>(null);
  useEffect(
    () => () => {
      const table = underWay.current;
      if (table !== null) void host.rpc({ command: "stop_model_test", args: { table } }).catch(() => undefined);
    },
    [host],
  );

  const run = () => {
    if (underWay.current !== null) return;
    underWay.current = model.table;
    setAnswered(null);
    test
      .run({ command: "test_model", args: model })
      .then(
        (result) => {
          setAnswered({ by: asked, result });
          announce(resultText(t, language, result));
        },
        () => setAnswered({ by: asked, result: null }),
      )
      .finally(() => (underWay.current = null));
  };
  // What another model came to says nothing of this one.
  const holds = answered?.by === asked;
  return (
    <div className="flex min-w-0 flex-col gap-2">
      <div className="flex flex-wrap items-center gap-x-3 gap-y-1">
        <Button busy={test.pending} onClick={run}>
          {t("models-test")}
        </Button>
        {holds && answered.result ? (
          <p className="flex min-w-0 flex-1 basis-48 items-baseline gap-2 text-sm">
            <Dot tone="ok" />
            <span className="min-w-0 break-words">{resultText(t, language, answered.result)}</span>
          </p>
        ) : (
          <p className="min-w-0 flex-1 basis-48 text-sm text-pretty text-faint">{t(test.pending ? "models-test-running" : "models-test-help")}</p>
        )}
      </div>
      {holds && answered.result === null && test.problem && <ProblemBanner problem={test.problem} />}
    </div>
  );
}

function resultText(t: Translate, language: Language, result: ModelTestView): string {
  const { model, answered_as, latency_ms, input_tokens, output_tokens, cost_usd } = result;
  const cost = cost_usd === null ? t("money-unknown") : formatDollars(t, language, cost_usd);
  const text = t("models-test-result", {
    model,
    ms: formatNumber(language, latency_ms),
    input: formatNumber(language, input_tokens),
    output: formatNumber(language, output_tokens),
    cost,
  });
  return answered_as === null ? text : `${text} · ${t("models-test-answered-as", { name: answered_as })}`;
}
