import { memo } from "react";
import { useMayWrite } from "../../data";
import type { PullLine } from "../../generated/wire";
import { useText } from "../../i18n";
import { statePillOf } from "../../loop-state";
import { repoOf } from "../../routes";
import { summaryOf } from "../issues";
import { StartButton } from "../issues/StartButton";
import { Ago, type LineProps, OverviewLine } from "./OverviewLine";

interface PullRowProps extends LineProps {
  pull: PullLine;
  /** Its start was asked for and is not answered yet. */
  starting: boolean;
}

/** One pull request without a loop in a line. */
export const PullRow = memo(function PullRow({ pull, starting, ...line }: PullRowProps) {
  const t = useText();
  const { key, number, title, author } = pull;
  const mayWrite = useMayWrite(repoOf(key));
  return (
    <OverviewLine
      {...line}
      pullKey={key}
      title={title}
      standing="not-started"
      state={statePillOf({ pull }, t).text}
      summary={summaryOf({ key, number, title, author, pull }, t)}
      action={mayWrite && <StartButton title={title} busy={starting} active={line.active} onStart={() => line.handlers.onStart(key)} />}
      age={<Ago at={pull.updated_at} name="overview-updated" />}
    />
  );
});
