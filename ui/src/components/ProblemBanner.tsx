import { useText } from "../i18n";
import { Banner } from "./Banner";
import { Button } from "./Button";
import { TextWithCode } from "./TextWithCode";

interface ProblemBannerProps {
  problem: { message: string; hints: string[] };
  onRetry?: () => void;
  busy?: boolean;
}

/** What went wrong, and what can be done about it. */
export function ProblemBanner({ problem, onRetry, busy }: ProblemBannerProps) {
  const t = useText();
  return (
    <Banner
      tone="bad"
      title={problem.message}
      actions={
        onRetry && (
          <Button size="small" busy={busy} onClick={onRetry}>
            {t("try-again")}
          </Button>
        )
      }
    >
      {problem.hints.length > 0 && (
        <ul>
          {problem.hints.map((hint) => (
            <li key={hint}>
              <TextWithCode text={hint} />
            </li>
          ))}
        </ul>
      )}
    </Banner>
  );
}
