import { Play } from "lucide-react";
import { Button, classNames, Tooltip } from "../../components";
import { useText } from "../../i18n";

interface StartButtonProps {
  title: string;
  busy: boolean;
  /** Its line is the one that Tab goes to. */
  active: boolean;
  onStart: () => void;
}

/** Starts a loop for a line; it shows while the pointer or the focus is on the line. */
export function StartButton({ title, busy, active, onStart }: StartButtonProps) {
  const t = useText();
  return (
    <Tooltip text={t("list-start-tip")}>
      <Button
        size="small"
        busy={busy}
        tabIndex={active ? 0 : -1}
        aria-label={t("list-start-one", { title })}
        onClick={(event) => {
          event.stopPropagation();
          onStart();
        }}
        className={classNames("-my-0.5", !busy && "opacity-0 group-focus-within:opacity-100 group-hover:opacity-100 group-focus:opacity-100")}
      >
        <Play aria-hidden className="size-3" />
        {t("list-start")}
      </Button>
    </Tooltip>
  );
}
