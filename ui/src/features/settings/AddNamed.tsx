import { useId, useState, type SubmitEvent } from "react";
import { Button, TextField } from "../../components";
import { useText } from "../../i18n";
import { ADDS_ROWS } from "./rows";

interface AddNamedProps {
  label: string;
  placeholder: string;
  button: string;
  /** Names that are there already. */
  taken: string[];
  /** Names that fit. */
  offered?: string[];
  onAdd: (name: string) => void;
}

/** Adds a table by its name: an agent, a model, a server. */
export function AddNamed({ label, placeholder, button, taken, offered, onAdd }: AddNamedProps) {
  const t = useText();
  const id = useId();
  const [typed, setTyped] = useState("");
  const name = typed.trim();
  const twice = taken.includes(name);
  const fits = /^[a-z0-9-]{1,40}$/.test(name);
  const problem = twice ? t("settings-agent-twice", { name }) : name !== "" && !fits ? t("settings-agent-name-wrong") : null;
  const add = (event: SubmitEvent) => {
    event.preventDefault();
    if (!fits || twice) return;
    onAdd(name);
    setTyped("");
  };
  return (
    <form {...ADDS_ROWS} noValidate onSubmit={add} className="flex items-start gap-2 px-3 py-2.5">
      <TextField bare label={label} placeholder={placeholder} value={typed} onChange={setTyped} problem={problem} list={offered && `${id}-offered`} className="flex-1" />
      {offered && (
        <datalist id={`${id}-offered`}>
          {offered
            .filter((each) => !taken.includes(each))
            .map((each) => (
              <option key={each} value={each} />
            ))}
        </datalist>
      )}
      <Button type="submit" disabled={!fits || twice}>
        {button}
      </Button>
    </form>
  );
}
