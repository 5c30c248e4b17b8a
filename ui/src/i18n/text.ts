import { FluentBundle, FluentResource, type FluentVariable } from "@fluent/bundle";
import { LANGUAGES, type Language } from "../generated/wire";

export { LANGUAGES, type Language };

/** Arguments of a text. */
export type TextArgs = Record<string, FluentVariable>;

/** Gives the text of a key. */
export type Translate = (id: string, args?: TextArgs) => string;

// What is written on GitHub and said on terminals is not shown here.
const files = import.meta.glob<string>(
  ["../../../locales/*/*.ftl", "!**/posts.ftl", "!**/desktop.ftl", "!**/errors.ftl", "!**/cli.ftl", "!**/usage.ftl"],
  { query: "?raw", import: "default", eager: true },
);

const bundles = new Map<Language, FluentBundle>();

/** The language that is shown for what the settings say. */
export function languageOf(said: string): Language {
  return LANGUAGES.find((language) => said.toLowerCase().startsWith(language)) ?? "en";
}

function bundleOf(language: Language): FluentBundle {
  const known = bundles.get(language);
  if (known) return known;
  const bundle = new FluentBundle(language, { useIsolating: false });
  for (const [path, text] of Object.entries(files)) {
    if (path.includes(`/${language}/`)) bundle.addResource(new FluentResource(text));
  }
  bundles.set(language, bundle);
  return bundle;
}

function missing(what: string): void {
  if (import.meta.env.DEV) throw new Error(what);
}

/** The texts of a language. A missing key throws in development and tests; people see the key. */
export function textIn(language: Language): Translate {
  const bundle = bundleOf(language);
  return (id, args) => {
    const pattern = bundle.getMessage(id)?.value;
    if (!pattern) {
      missing(`no text for ${id} in ${language}`);
      return id;
    }
    const errors: Error[] = [];
    const text = bundle.formatPattern(pattern, args ?? null, errors);
    if (errors.length > 0) missing(`${id} in ${language}: ${errors.map(String).join("; ")}`);
    return text;
  };
}

/** Whether there is a text: for keys that Rust names and a newer host may have more of. */
export function hasText(language: Language, id: string): boolean {
  return bundleOf(language).hasMessage(id);
}
