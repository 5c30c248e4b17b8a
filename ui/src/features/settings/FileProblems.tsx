import { Banner } from "../../components";
import type { SettingField, SettingsView } from "../../generated/wire";
import { useLanguage, useText } from "../../i18n";
import { fieldOf, labelOf } from "./words";

/** What is wrong with the file as it is, with lines; a click goes to the setting. */
export function FileProblems({ view, onShow }: { view: SettingsView; onShow: (field: SettingField) => void }) {
  const t = useText();
  const language = useLanguage();
  return (
    <div className="mb-5">
      <Banner tone="bad" title={t("settings-file-problems", { file: view.file })}>
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
                  {problem.message}
                </span>
              </li>
            );
          })}
        </ul>
      </Banner>
    </div>
  );
}
