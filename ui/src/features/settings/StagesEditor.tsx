import { ArrowDown, ArrowUp, ChevronDown, Plus, X } from "lucide-react";
import { useEffect, useRef, useState, type KeyboardEvent } from "react";
import { Button, ChoiceMenu, IconButton, Menu, TextWithCode, useAnnounce } from "../../components";
import type { JsonValue, PersonaOption, ReviewerSetting, StageSetting } from "../../generated/wire";
import { useLanguage, useText } from "../../i18n";
import { INPUT, type EditorProps } from "./editing";
import { personaText, runnerOf } from "./labels";
import { reviewerName } from "../auto-pr-review/lifecycle";
import { escalationsOf, settingOf, withEscalations, withPersona, type EscalationEditing } from "./personas";

const MAX_REVIEWERS = 5;

/** Moves one item of a list; the list itself when it cannot go there. */
export function moveItem<T>(list: T[], from: number, by: -1 | 1): T[] {
  const to = from + by;
  const item = list[from];
  if (item === undefined || to < 0 || to >= list.length) return list;
  const next = list.filter((_, at) => at !== from);
  next.splice(to, 0, item);
  return next;
}

/** What a key does to the item it is pressed on. */
function keyAction(event: KeyboardEvent): -1 | 1 | "remove" | null {
  if (event.target !== event.currentTarget) return null;
  if (event.key === "Delete") return "remove";
  if (!event.altKey) return null;
  return event.key === "ArrowUp" ? -1 : event.key === "ArrowDown" ? 1 : null;
}

interface StagesEditorProps extends EditorProps {
  personas: PersonaOption[];
  /** What is wrong with the user's own personas. */
  personaProblems: string[];
  /** Whether what personas run on is being changed. */
  runnersChanged: boolean;
  escalation: EscalationEditing | null;
}

/** The panel: stages one after the other, reviewers side by side in each (§4.1). */
export function StagesEditor(props: StagesEditorProps) {
  const { id, label, value, onChange, disabled, describedBy, personas, personaProblems, runnersChanged, escalation } = props;
  const t = useText();
  const announce = useAnnounce();
  const list = useRef<HTMLOListElement>(null);
  const [focus, setFocus] = useState<string | null>(null);
  const stages = Array.isArray(value) ? (value as StageSetting[]) : [];

  // What was moved keeps the focus where it went.
  useEffect(() => {
    if (focus === null) return;
    list.current?.querySelector<HTMLElement>(`[data-item="${focus}"]`)?.focus();
    setFocus(null);
  }, [focus, value]);

  const set = (next: StageSetting[]) => onChange(next as unknown as JsonValue);
  const setReviewers = (at: number, reviewers: ReviewerSetting[]) =>
    set(stages.map((stage, nth) => (nth === at ? { ...stage, reviewers } : stage)));

  const moveStage = (at: number, by: -1 | 1) => {
    const next = moveItem(stages, at, by);
    if (next === stages) return;
    set(next);
    setFocus(`${at + by}`);
    announce(t("settings-panel-moved", { name: t("settings-panel-stage", { number: at + 1 }), place: at + by + 1, places: stages.length }));
  };
  const removeStage = (at: number) => {
    set(stages.filter((_, nth) => nth !== at));
    setFocus(`${Math.max(0, at - 1)}`);
    announce(t("settings-panel-removed", { name: t("settings-panel-stage", { number: at + 1 }) }));
  };
  const moveReviewer = (at: number, nth: number, by: -1 | 1) => {
    const reviewers = stages[at]?.reviewers ?? [];
    const next = moveItem(reviewers, nth, by);
    if (next === reviewers) return;
    setReviewers(at, next);
    setFocus(`${at}-${nth + by}`);
    announce(t("settings-panel-moved", { name: reviewers[nth]?.name ?? "", place: nth + by + 1, places: reviewers.length }));
  };
  const removeReviewer = (at: number, nth: number) => {
    const reviewers = stages[at]?.reviewers ?? [];
    setReviewers(at, reviewers.filter((_, other) => other !== nth));
    setFocus(reviewers.length > 1 ? `${at}-${Math.max(0, nth - 1)}` : `${at}`);
    announce(t("settings-panel-removed", { name: reviewers[nth]?.name ?? "" }));
  };
  const onKey = (move: (by: -1 | 1) => void, remove: () => void) => (event: KeyboardEvent) => {
    const requested = disabled ? null : keyAction(event);
    if (requested === null) return;
    event.preventDefault();
    if (requested === "remove") remove();
    else move(requested);
  };

  return (
    <div id={id} tabIndex={-1} role="group" aria-label={label} aria-describedby={describedBy} className="flex flex-col gap-2 rounded-lg">
      <ol ref={list} className="flex flex-col gap-2">
        {stages.map((stage, at) => (
          <li key={at} className="rounded-lg border border-line bg-panel">
            <div
              data-item={at}
              tabIndex={0}
              role="group"
              aria-label={t("settings-panel-stage", { number: at + 1 })}
              aria-describedby={`${id}-keys`}
              onKeyDown={onKey((by) => moveStage(at, by), () => removeStage(at))}
              className="flex items-center gap-1 rounded-t-lg py-1 pe-1.5 ps-3"
            >
              <span className="flex-1 text-sm font-semibold text-dim">{t("settings-panel-stage", { number: at + 1 })}</span>
              {!disabled && (
                <ReorderButtons
                  up={t("settings-panel-stage-up", { number: at + 1 })}
                  down={t("settings-panel-stage-down", { number: at + 1 })}
                  remove={t("settings-panel-remove-stage", { number: at + 1 })}
                  first={at === 0}
                  last={at === stages.length - 1}
                  onMove={(by) => moveStage(at, by)}
                  onRemove={() => removeStage(at)}
                />
              )}
            </div>
            <ul className="divide-y divide-line border-t border-line">
              {stage.reviewers.map((reviewer, nth) => (
                <li
                  key={`${reviewer.kind} ${reviewer.name}`}
                  data-item={`${at}-${nth}`}
                  tabIndex={0}
                  aria-describedby={`${id}-keys`}
                  onKeyDown={onKey((by) => moveReviewer(at, nth, by), () => removeReviewer(at, nth))}
                  className="flex items-center gap-1 py-1 pe-1.5 ps-3"
                >
                  <ReviewerLabel reviewer={reviewer} personas={personas} runnersChanged={runnersChanged} escalation={disabled ? null : escalation} />
                  {!disabled && (
                    <ReorderButtons
                      up={t("settings-panel-reviewer-up", { name: reviewer.name })}
                      down={t("settings-panel-reviewer-down", { name: reviewer.name })}
                      remove={t("settings-panel-remove-reviewer", { name: reviewer.name, number: at + 1 })}
                      first={nth === 0}
                      last={nth === stage.reviewers.length - 1}
                      onMove={(by) => moveReviewer(at, nth, by)}
                      onRemove={() => removeReviewer(at, nth)}
                    />
                  )}
                </li>
              ))}
              {stage.reviewers.length === 0 && <li className="px-3 py-2 text-sm text-warn">{t("settings-panel-empty-stage")}</li>}
            </ul>
            {!disabled && (
              <AddReviewer
                number={at + 1}
                reviewers={stage.reviewers}
                personas={personas}
                onAdd={(reviewer) => setReviewers(at, [...stage.reviewers, reviewer])}
              />
            )}
          </li>
        ))}
      </ol>
      {!disabled && (
        <div className="flex flex-wrap items-center gap-3">
          <Button size="small" onClick={() => set([...stages, { reviewers: [] }])}>
            <Plus aria-hidden className="size-3.5" />
            {t("settings-panel-add-stage")}
          </Button>
          <p id={`${id}-keys`} className="text-sm text-faint">
            {t("settings-panel-keys")}
          </p>
        </div>
      )}
      {personaProblems.length > 0 && (
        <ul aria-label={t("settings-panel-personas-wrong")} className="text-sm break-words text-warn">
          {personaProblems.map((line) => (
            <li key={line}>
              <TextWithCode text={line} />
            </li>
          ))}
        </ul>
      )}
    </div>
  );
}

interface ReviewerLabelProps {
  reviewer: ReviewerSetting;
  personas: PersonaOption[];
  runnersChanged: boolean;
  escalation: EscalationEditing | null;
}

function ReviewerLabel({ reviewer, personas, runnersChanged, escalation }: ReviewerLabelProps) {
  const t = useText();
  const language = useLanguage();
  const persona = reviewer.kind === "agent" ? personas.find(({ name }) => name === reviewer.name) : undefined;
  const [name, text] =
    reviewer.kind === "rules"
      ? [t("settings-panel-rules"), t("settings-panel-rules-text")]
      : reviewer.kind === "human"
        ? [`@${reviewer.name}`, t("settings-panel-human-text")]
        : [reviewerName(t, reviewer.name), persona ? personaText(t, language, persona) : ""];
  return (
    <span className="flex min-w-0 flex-1 items-baseline gap-3">
      <span className="min-w-0 flex-1 truncate">
        {name} <span className="ms-1 text-sm text-faint">{text}</span>
      </span>
      {persona && escalation && <EscalationMenu persona={persona} personas={personas} escalation={escalation} />}
      {persona && !runnersChanged && <RunsOn persona={persona} />}
    </span>
  );
}

/** Whom a persona may ask in, to be chosen among the others (§4.2). */
function EscalationMenu({ persona, personas, escalation }: { persona: PersonaOption; personas: PersonaOption[]; escalation: EscalationEditing }) {
  const t = useText();
  const language = useLanguage();
  const setting = settingOf(escalation.settings, persona.name);
  const chosen = escalationsOf(persona, setting);
  const others = personas.filter(({ name }) => name !== persona.name);
  // Whoever is written down and is not offered can be taken out, and put back.
  const [written] = useState(chosen);
  const gone = [...new Set([...written, ...chosen])].filter((name) => !personas.some((other) => other.name === name));
  const options = [
    ...others.map((other) => ({ value: other.name, label: reviewerName(t, other.name), text: personaText(t, language, other) })),
    ...gone.map((name) => ({ value: name, label: name })),
  ];
  if (options.length === 0) return null;
  const names = chosen.map((name) => reviewerName(t, name)).join(", ");
  const put = (wanted: string[]) => escalation.onChange(withPersona(escalation.settings, withEscalations(persona, setting, wanted)));
  return (
    <ChoiceMenu options={options} chosen={chosen} onChange={put}>
      <button
        type="button"
        aria-label={t(names === "" ? "settings-panel-asks-none-of" : "settings-panel-asks-of", { name: persona.name, names })}
        className="flex max-w-52 shrink-0 items-center gap-1 rounded px-1 text-sm text-faint hover:bg-hover hover:text-text data-[state=open]:text-text"
      >
        <span className="truncate">{names === "" ? t("settings-panel-asks-none") : t("settings-panel-asks", { names })}</span>
        <ChevronDown aria-hidden className="size-3 shrink-0" />
      </button>
    </ChoiceMenu>
  );
}

/** What a persona runs on, by the settings as they are saved. */
function RunsOn({ persona }: { persona: PersonaOption }) {
  const t = useText();
  const language = useLanguage();
  if (persona.runs_on !== null) {
    return <span className="shrink-0 text-sm text-faint">{runnerOf(t, language, persona.runs_on)}</span>;
  }
  return (
    <a href="#/settings/models" className="shrink-0 rounded text-sm text-warn underline">
      {t("settings-panel-runs-on-nothing")}
    </a>
  );
}

interface ReorderButtonsProps {
  up: string;
  down: string;
  remove: string;
  first: boolean;
  last: boolean;
  onMove: (by: -1 | 1) => void;
  onRemove: () => void;
}

function ReorderButtons({ up, down, remove, first, last, onMove, onRemove }: ReorderButtonsProps) {
  return (
    <>
      {!(first && last) && (
        <>
          <IconButton label={up} disabled={first} onClick={() => onMove(-1)} className="size-6">
            <ArrowUp aria-hidden className="size-3.5" />
          </IconButton>
          <IconButton label={down} disabled={last} onClick={() => onMove(1)} className="size-6">
            <ArrowDown aria-hidden className="size-3.5" />
          </IconButton>
        </>
      )}
      <IconButton label={remove} onClick={onRemove} className="size-6">
        <X aria-hidden className="size-3.5" />
      </IconButton>
    </>
  );
}

interface AddReviewerProps {
  number: number;
  reviewers: ReviewerSetting[];
  personas: PersonaOption[];
  onAdd: (reviewer: ReviewerSetting) => void;
}

function AddReviewer({ number, reviewers, personas, onAdd }: AddReviewerProps) {
  const t = useText();
  const [login, setLogin] = useState("");
  const name = login.trim().replace(/^@/, "");
  const twice = reviewers.some((each) => each.kind === "human" && each.name.toLowerCase() === name.toLowerCase());
  if (reviewers.length >= MAX_REVIEWERS) return <p className="px-3 py-2 text-sm text-faint">{t("settings-panel-full")}</p>;
  const free = personas.filter((persona) => !reviewers.some((each) => each.kind === "agent" && each.name === persona.name));
  const add = () => {
    if (name === "" || twice) return;
    onAdd({ name, kind: "human" });
    setLogin("");
  };
  return (
    <div className="flex flex-wrap items-center gap-2 border-t border-line px-3 py-2">
      <input
        aria-label={t("settings-panel-add-reviewer-to", { number })}
        aria-invalid={twice || undefined}
        placeholder={t("settings-panel-login-example")}
        value={login}
        autoComplete="off"
        spellCheck={false}
        onChange={(event) => setLogin(event.target.value)}
        onKeyDown={(event) => {
          if (event.key !== "Enter") return;
          event.preventDefault();
          add();
        }}
        className={`${INPUT} h-7 w-43`}
      />
      <Button size="small" disabled={name === "" || twice} onClick={add}>
        {t("settings-panel-add-person")}
      </Button>
      {!reviewers.some((each) => each.kind === "rules") && (
        <Button size="small" onClick={() => onAdd({ name: "rules", kind: "rules" })}>
          {t("settings-panel-add-rules")}
        </Button>
      )}
      {free.length > 0 && (
        <Menu align="start" groups={[free.map(({ name }) => ({ label: reviewerName(t, name), onSelect: () => onAdd({ name, kind: "agent" }) }))]}>
          <Button size="small" aria-label={t("settings-panel-add-persona-to", { number })}>
            {t("settings-panel-add-persona")}
            <ChevronDown aria-hidden className="size-3.5" />
          </Button>
        </Menu>
      )}
      {twice && <p className="text-sm text-bad">{t("settings-panel-twice", { name })}</p>}
    </div>
  );
}
