import { LocalizationProvider, ReactLocalization } from "@fluent/react";
import { createContext, useContext, useEffect, useMemo, type ReactNode } from "react";
import { bundleOf, textIn, type Language, type TextArgs, type Translate } from "./text";

export * from "./format";
export { hasText, languageOf, LANGUAGES, textIn, type Language, type TextArgs, type Translate } from "./text";

const LanguageContext = createContext<Language>("en");

/** Shows everything below in a language; a new one holds at once. */
export function LanguageProvider({ language, children }: { language: Language; children: ReactNode }) {
  const l10n = useMemo(() => new ReactLocalization([bundleOf(language)]), [language]);
  useEffect(() => {
    document.documentElement.lang = language;
  }, [language]);
  return (
    <LanguageContext value={language}>
      <LocalizationProvider l10n={l10n}>{children}</LocalizationProvider>
    </LanguageContext>
  );
}

/** The language that is shown, for the `format…` functions. */
export const useLanguage = (): Language => useContext(LanguageContext);

/** Gives texts in the language that is shown. */
export function useText(): Translate {
  const language = useLanguage();
  return useMemo(() => textIn(language), [language]);
}

/** A text. */
export function Text({ id, args }: { id: string; args?: TextArgs }) {
  return useText()(id, args);
}
