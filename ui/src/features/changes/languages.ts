import type { LanguageFn } from "highlight.js";

type Load = () => Promise<{ default: LanguageFn }>;

/** The usual languages; each is loaded when a file of it is first shown. */
const LANGUAGES = {
  bash: () => import("highlight.js/lib/languages/bash"),
  c: () => import("highlight.js/lib/languages/c"),
  cpp: () => import("highlight.js/lib/languages/cpp"),
  csharp: () => import("highlight.js/lib/languages/csharp"),
  css: () => import("highlight.js/lib/languages/css"),
  dart: () => import("highlight.js/lib/languages/dart"),
  dockerfile: () => import("highlight.js/lib/languages/dockerfile"),
  elixir: () => import("highlight.js/lib/languages/elixir"),
  go: () => import("highlight.js/lib/languages/go"),
  graphql: () => import("highlight.js/lib/languages/graphql"),
  ini: () => import("highlight.js/lib/languages/ini"),
  java: () => import("highlight.js/lib/languages/java"),
  javascript: () => import("highlight.js/lib/languages/javascript"),
  json: () => import("highlight.js/lib/languages/json"),
  kotlin: () => import("highlight.js/lib/languages/kotlin"),
  lua: () => import("highlight.js/lib/languages/lua"),
  makefile: () => import("highlight.js/lib/languages/makefile"),
  markdown: () => import("highlight.js/lib/languages/markdown"),
  php: () => import("highlight.js/lib/languages/php"),
  python: () => import("highlight.js/lib/languages/python"),
  ruby: () => import("highlight.js/lib/languages/ruby"),
  rust: () => import("highlight.js/lib/languages/rust"),
  scala: () => import("highlight.js/lib/languages/scala"),
  scss: () => import("highlight.js/lib/languages/scss"),
  sql: () => import("highlight.js/lib/languages/sql"),
  swift: () => import("highlight.js/lib/languages/swift"),
  typescript: () => import("highlight.js/lib/languages/typescript"),
  xml: () => import("highlight.js/lib/languages/xml"),
  yaml: () => import("highlight.js/lib/languages/yaml"),
} satisfies Record<string, Load>;

export type LanguageName = keyof typeof LANGUAGES;

const BY_EXTENSION: Record<string, LanguageName> = {
  bash: "bash", sh: "bash", zsh: "bash",
  c: "c", h: "c",
  cc: "cpp", cpp: "cpp", cxx: "cpp", hh: "cpp", hpp: "cpp",
  cs: "csharp",
  css: "css", less: "scss", scss: "scss",
  dart: "dart",
  ex: "elixir", exs: "elixir",
  go: "go",
  gql: "graphql", graphql: "graphql",
  cfg: "ini", conf: "ini", ini: "ini", toml: "ini",
  java: "java",
  cjs: "javascript", js: "javascript", jsx: "javascript", mjs: "javascript",
  json: "json", json5: "json", jsonc: "json",
  kt: "kotlin", kts: "kotlin",
  lua: "lua",
  mk: "makefile",
  markdown: "markdown", md: "markdown",
  php: "php",
  py: "python", pyi: "python",
  rb: "ruby",
  rs: "rust",
  sc: "scala", scala: "scala",
  sql: "sql",
  swift: "swift",
  cts: "typescript", mts: "typescript", ts: "typescript", tsx: "typescript",
  htm: "xml", html: "xml", svg: "xml", vue: "xml", xml: "xml",
  yaml: "yaml", yml: "yaml",
};

const BY_NAME: Record<string, LanguageName> = { dockerfile: "dockerfile", gemfile: "ruby", makefile: "makefile", rakefile: "ruby" };

/** The language of a file by its name; none where it is not among the usual ones. */
export function languageOfPath(path: string): LanguageName | null {
  const name = path.slice(path.lastIndexOf("/") + 1).toLowerCase();
  const extension = name.slice(name.lastIndexOf(".") + 1);
  return BY_NAME[name] ?? (name.includes(".") ? BY_EXTENSION[extension] : undefined) ?? null;
}

/** Loads how a language is read. */
export async function loadLanguage(name: LanguageName): Promise<LanguageFn> {
  const load: Load = LANGUAGES[name];
  return (await load()).default;
}
