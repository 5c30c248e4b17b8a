import { ExternalLink, X } from "lucide-react";
import { Fragment, useEffect, useMemo, useRef, useState, type ReactNode } from "react";
import { Banner, ConfirmDialog, IconButton, ProblemBanner, Skeleton, useAnnounce } from "../../components";
import { useAnswer, useCommand, useRights, type CommandRunner } from "../../data";
import type { AgentSetting, BotSetting, JsonValue, ModelSetting, PersonaSetting, SettingField, SettingProblem, SettingsView } from "../../generated/wire";
import { useText } from "../../i18n";
import { ModelKey, ModelTest, useModelChanges } from "../models";
import { Account } from "./Account";
import { useDraft, type Draft } from "./draft";
import { editorId, Field } from "./Field";
import { FILE_PROBLEMS, FileProblems } from "./FileProblems";
import { fieldOf, pageOf, type SettingsPage } from "./labels";
import { modelDefaults } from "./inherited";
import { CompactRows } from "./CompactRows";
import { LetterKeys } from "./LetterKeys";
import { ModelChecks } from "../models";
import { sameRunners } from "./personas";
import { ReviewMemory } from "./ReviewMemory";
import { Spending } from "./Spending";
import { ReviewTakes } from "./ReviewTakes";
import { SaveBar } from "./SaveBar";
import { SettingsNav } from "./SettingsNav";
import { SystemChecks } from "./SystemChecks";
import { useLeaveGuard } from "./useLeaveGuard";
import { useValidation } from "./useValidation";

/** These hold as soon as they are chosen: one sees whether it was right. */
const IMMEDIATE = ["language", "desktop.theme"];
const NO_FIELDS: SettingField[] = [];

/** Every setting (§12), a page a group, saved all or none. */
export function Settings({ group, onClose }: { group: string; onClose: () => void }) {
  const t = useText();
  const page = pageOf(group);
  const settings = useAnswer({ command: "settings" });
  const { own_machine } = useRights();
  const view = settings.data;
  const draft = useDraft(view?.fields ?? NO_FIELDS);
  const validation = useValidation(draft.changes);
  const saving = useSaving(view, draft, validation.setProblems, async () => (await settings.refetch()).data?.fields);
  const changes = Object.keys(draft.changes);
  const guard = useLeaveGuard(changes.length > 0, onClose);
  const show = useShow(page);

  const pagesWith = useMemo(() => {
    const at = (keys: string[]) => new Set(keys.flatMap((key) => (view && fieldOf(view, key)?.group) || []));
    return { changed: at(Object.keys(draft.changes)), wrong: at(validation.problems.map(({ key }) => key)) };
  }, [view, draft.changes, validation.problems]);

  return (
    <section
      aria-label={t("settings-title")}
      className="@container/settings flex h-full min-w-0 flex-col bg-bg"
      onKeyDown={(event) => {
        if (event.key !== "s" || !(event.ctrlKey || event.metaKey)) return;
        event.preventDefault();
        if (changes.length > 0 && !event.repeat) void saving.save();
      }}
    >
      <header className="flex h-14.25 shrink-0 items-center gap-3 border-b border-line ps-5 pe-3">
        <h1 className="flex-1 text-lg font-semibold">{t("settings-title")}</h1>
        {view && own_machine && <FileLink file={view.file} />}
        <IconButton label={t("settings-close")} onClick={guard.close}>
          <X aria-hidden className="size-4" />
        </IconButton>
      </header>
      <div className="flex min-h-0 flex-1 @max-[44rem]/settings:flex-col">
        <SettingsNav page={page} changed={pagesWith.changed} wrong={pagesWith.wrong} />
        <div className="flex min-w-0 flex-1 flex-col">
          <div tabIndex={-1} className="relative min-h-0 flex-1 overflow-auto px-6 pt-4 pb-8 outline-none @max-[44rem]/settings:px-4">
            <div className="@container max-w-160">
              {!own_machine && (
                <div className="mb-4">
                  <Banner tone="none" title={t("settings-read-only")}>
                    {t("rights-machine-only")}
                  </Banner>
                </div>
              )}
              {view && own_machine && view.problems.length > 0 && <FileProblems view={view} onShow={show} />}
              <h2 className="text-lg font-semibold">{t(`settings-page-${page}`)}</h2>
              <p className="text-dim">{t(`settings-page-${page}-text`)}</p>
              {saving.immediate.problem && (
                <div className="mt-3">
                  <ProblemBanner problem={saving.immediate.problem} />
                </div>
              )}
              {page === "accounts" && <Account />}
              {page === "models" && <ModelChecks />}
              {page === "limits" && <Spending />}
              {page === "machine" ? (
                <SystemChecks />
              ) : page === "memory" ? (
                <ReviewMemory />
              ) : settings.error && !view ? (
                <div className="mt-4">
                  <ProblemBanner problem={settings.error} busy={settings.isFetching} onRetry={() => void settings.refetch()} />
                </div>
              ) : view ? (
                <Fields view={view} page={page} draft={draft} problems={[...validation.problems, ...saving.refused]} onImmediate={saving.saveNow} />
              ) : (
                <Pending />
              )}
              {page === "general" && (
                <>
                  <CompactRows />
                  <LetterKeys />
                </>
              )}
            </div>
          </div>
          {changes.length > 0 && view && (
            <SaveBar
              count={changes.length}
              wrong={validation.problems}
              saving={saving.saveCommand}
              onSave={() => void saving.save()}
              onDiscard={() => {
                draft.drop(changes);
                saving.saveCommand.reset();
              }}
              onShow={(key) => {
                const field = fieldOf(view, key);
                if (field) show(field);
                else document.getElementById(FILE_PROBLEMS)?.focus();
              }}
            />
          )}
        </div>
      </div>
      <ConfirmDialog
        title={t("settings-leave-title")}
        text={t("settings-leave-text", { count: changes.length })}
        confirm={t("settings-leave-discard")}
        danger
        open={guard.asking}
        onConfirm={() => {
          draft.drop(changes);
          guard.leave();
        }}
        onClose={guard.stay}
      />
    </section>
  );
}

/** Saves the draft, all or none, and single settings that hold at once. */
function useSaving(
  view: SettingsView | undefined,
  draft: Draft,
  setProblems: (problems: SettingProblem[]) => void,
  refetch: () => Promise<SettingField[] | undefined>,
): {
  saveCommand: CommandRunner;
  immediate: CommandRunner;
  refused: SettingProblem[];
  save: () => Promise<void>;
  saveNow: (field: SettingField, value: JsonValue) => void;
} {
  const t = useText();
  const announce = useAnnounce();
  const saveCommand = useCommand();
  const immediate = useCommand();
  const [refused, setRefused] = useState<SettingProblem[]>([]);
  const save = async () => {
    if (saveCommand.pending) return;
    const { changes } = draft;
    const sent = draft.beginSave();
    const problems = await saveCommand.run({ command: "save_settings", args: { changes } }).catch(() => null);
    if (problems) setProblems(problems);
    if (problems?.length !== 0) return sent.refused();
    sent.saved((await refetch()) ?? []);
    announce(t("settings-saved"));
  };
  const saveNow = (field: SettingField, value: JsonValue) => {
    setRefused([]);
    immediate.run({ command: "save_settings", args: { changes: { [field.key]: value } } }).then(
      (problems) => setRefused(problems),
      () => undefined,
    );
  };
  return { saveCommand, immediate, refused: view ? refused : [], save, saveNow };
}

/** Goes to a setting's page and focuses its editor. */
function useShow(page: SettingsPage): (field: SettingField) => void {
  const wanted = useRef<string | null>(null);
  const focus = () => {
    const key = wanted.current;
    const editor = key === null ? null : document.getElementById(editorId(key));
    if (!editor) return;
    wanted.current = null;
    editor.focus();
    editor.scrollIntoView({ block: "center" });
  };
  useEffect(focus, [page]);
  return (field) => {
    wanted.current = field.key;
    if (field.group === page) focus();
    else window.location.hash = `/settings/${field.group}`;
  };
}

function FileLink({ file }: { file: string }) {
  const t = useText();
  const command = useCommand();
  return (
    <span className="flex min-w-0 items-center gap-2 text-sm">
      {command.problem && (
        <span role="alert" className="text-bad">
          {command.problem.message}
        </span>
      )}
      <button
        type="button"
        title={file}
        onClick={() => void command.run({ command: "open", args: { target: { what: "configuration" } } })}
        className="inline-flex items-center gap-1 rounded text-dim hover:text-text hover:underline"
      >
        {t("settings-open-file")}
        <ExternalLink aria-hidden className="size-3" />
      </button>
    </span>
  );
}

interface FieldsProps {
  view: SettingsView;
  page: SettingsPage;
  draft: Draft;
  problems: SettingProblem[];
  onImmediate: (field: SettingField, value: JsonValue) => void;
}

function Fields({ view, page, draft, problems, onImmediate }: FieldsProps) {
  const t = useText();
  const { own_machine } = useRights();
  const bots = view.fields.find((field) => field.kind.type === "bots");
  const about = (field: SettingField, all: SettingProblem[]) => {
    const own = all.filter((problem) => fieldOf(view, problem.key) === field);
    return [...new Map(own.map((problem) => [problem.message, problem])).values()];
  };
  const logins = bots ? (draft.valueOf(bots) as BotSetting[]).map((bot) => bot.login) : [];
  const agents = view.fields.find((field) => field.kind.type === "agents");
  const drafted = agents && draft.isChanged(agents) ? (draft.valueOf(agents) as AgentSetting[]).map((agent) => agent.name) : [];
  const suggestions = (field: SettingField) => (field.key === "expected_bots" ? logins : field.group === "models" ? drafted : undefined);
  const personas = view.fields.find((field) => field.kind.type === "personas");
  const personaSettings = (value: unknown) => (Array.isArray(value) ? (value as PersonaSetting[]) : []);
  // Whom a persona may ask in is nothing that it runs on.
  const asIs = (field: SettingField) =>
    !draft.isChanged(field) || (field === personas && sameRunners(personaSettings(field.value), personaSettings(draft.valueOf(field))));
  const runnersChanged = !view.fields.filter((field) => field.group === "models").every(asIs);
  const escalation = personas && {
    settings: personaSettings(draft.valueOf(personas)),
    onChange: (settings: PersonaSetting[]) => draft.edit(personas, settings as unknown as JsonValue),
  };
  const modelChanges = useModelChanges(draft.changes);
  const provider = view.fields.find((field) => field.key === "llm.provider");
  // What a person has not said yet cannot be asked of anybody.
  const service = provider && draft.valueOf(provider) !== null ? { table: "llm", changes: modelChanges } : null;
  const spares = view.fields.find((field) => field.kind.type === "models");
  const modelNames = spares ? (draft.valueOf(spares) as ModelSetting[]).map(({ name }) => name) : [];
  const defaults = modelDefaults(view.fields, draft);
  return (
    <div className="mt-2 divide-y divide-line">
      {view.fields
        .filter((field) => field.group === page)
        .map((field) => {
          const immediate = IMMEDIATE.includes(field.key);
          return (
            <Fragment key={field.key}>
              <Field
                field={field}
                value={draft.valueOf(field)}
                changed={draft.isChanged(field)}
                changedOutside={draft.isChangedOutside(field)}
                problems={about(field, draft.isChanged(field) ? problems : [...view.problems, ...problems])}
                suggestions={suggestions(field)}
                modelChanges={modelChanges}
                modelNames={modelNames}
                defaults={defaults}
                service={service}
                runnersChanged={runnersChanged}
                escalation={field.kind.type === "stages" ? escalation : undefined}
                onChange={(value) => (immediate ? onImmediate(field, value) : draft.edit(field, value))}
                onReset={() => (immediate ? onImmediate(field, null) : draft.reset(field))}
                onAcceptOutside={() => draft.drop([field.key])}
              />
              {field.key === "llm.provider" && service && own_machine && (
                <Block title={t("models-key")}>
                  <ModelKey model={service} />
                </Block>
              )}
              {field.key === "llm.model" && service && (
                <Block title={null}>
                  {own_machine && <ModelTest model={service} />}
                  <ReviewTakes />
                </Block>
              )}
            </Fragment>
          );
        })}
    </div>
  );
}

/** Something beside the settings, which no file holds. */
function Block({ title, children }: { title: string | null; children: ReactNode }) {
  return (
    <div className="flex flex-col gap-2 py-3.5">
      {title !== null && <h3 className="font-medium">{title}</h3>}
      {children}
    </div>
  );
}

function Pending() {
  return (
    <div className="mt-2 divide-y divide-line">
      {[1, 2, 3, 4].map((row) => (
        <div key={row} className="flex justify-between py-4">
          <Skeleton className="h-9 w-64" />
          <Skeleton className="h-8 w-32" />
        </div>
      ))}
    </div>
  );
}
