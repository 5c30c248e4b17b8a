import { createContext, useContext, useEffect, useMemo, type ReactNode } from "react";
import { textIn, type Language, type Translate } from "./text";

export * from "./cost";
export * from "./format";
export { hasText, languageOf, LANGUAGES, textIn, type Language, type TextArgs, type Translate } from "./text";

const LanguageContext = createContext<Language>("en");

/** Shows everything below in a language; a new one holds at once. */
export function LanguageProvider({ language, children }: { language: Language; children: ReactNode }) {
  useEffect(() => {
    document.documentElement.lang = language;
    document.documentElement.dir = directionOf(language);
  }, [language]);
  return <LanguageContext value={language}>{children}</LanguageContext>;
}

/** What engines know of a language's script: the older form is a property. */
interface LocaleWithText extends Intl.Locale {
  getTextInfo?: () => { direction?: string };
  textInfo?: { direction?: string };
}

/** Where lines of a language begin. An engine that cannot tell finds it out from the text. */
function directionOf(language: Language): string {
  const locale: LocaleWithText = new Intl.Locale(language);
  return locale.getTextInfo?.().direction ?? locale.textInfo?.direction ?? "auto";
}

/** The language that is shown, for the `format…` functions. */
export const useLanguage = (): Language => useContext(LanguageContext);

/** Gives texts in the language that is shown. */
export function useText(): Translate {
  const language = useLanguage();
  return useMemo(() => textIn(language), [language]);
}
