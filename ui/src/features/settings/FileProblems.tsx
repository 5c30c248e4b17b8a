import { useState } from "react";
import { Banner, Button, TextWithCode } from "../../components";
import { useCommand } from "../../data";
import type { SettingField, SettingsView } from "../../generated/wire";
import { useLanguage, useText } from "../../i18n";
import type { Problem } from "../../platform";
import { fieldOf, labelOf } from "./labels";

/** The id of the list, for the focus. */
export const FILE_PROBLEMS = "settings-file-problems";

/** What is wrong with the file as it is, with lines; a click goes to the setting. What is wrong with single keys can be taken out of it. */
export function FileProblems({ view, onShow }: { view: SettingsView; onShow: (field: SettingField) => void }) {
  const t = useText();
  const language = useLanguage();
  const command = useCommand();
  const keys = [...new Set(view.problems.map(({ key }) => fieldOf(view, key)?.key ?? key))];
  const removable = keys.length > 0 && !keys.includes("");
  const [refused, setRefused] = useState<string[]>([]);
  const takeOut = () => {
    const changes = Object.fromEntries(keys.map((key) => [key, null]));
    command.run({ command: "save_settings", args: { changes } }).then(
      (problems) => setRefused(problems.map(({ message }) => message)),
      (problem: Problem) => setRefused([problem.message, ...problem.hints]),
    );
  };
  return (
    <div id={FILE_PROBLEMS} tabIndex={-1} className="mb-5 rounded-lg">
      <Banner
        tone="bad"
        title={t("settings-file-problems", { file: view.file })}
        actions={
          removable && (
            <Button size="small" busy={command.pending} onClick={takeOut}>
              {t("settings-file-take-out")}
            </Button>
          )
        }
      >
        <ul className="mt-1">
          {view.problems.map((problem) => {
            const field = fieldOf(view, problem.key);
            return (
              <li key={`${problem.line} ${problem.key} ${problem.message}`} className="flex gap-2">
                {problem.line !== null && <span className="shrink-0">{t("settings-file-problem-line", { line: problem.line })}</span>}
                <span className="min-w-0 break-words">
                  {field ? (
                    <button type="button" onClick={() => onShow(field)} className="rounded font-medium text-text underline">
                      {labelOf(t, language, field.key)}
                    </button>
                  ) : (
                    problem.key && <code className="font-mono text-text">{problem.key}</code>
                  )}{" "}
                  <TextWithCode text={problem.message} />
                </span>
              </li>
            );
          })}
        </ul>
        {refused.length > 0 && <p className="mt-1 text-text">{[...new Set(refused)].join(" ")}</p>}
      </Banner>
    </div>
  );
}
