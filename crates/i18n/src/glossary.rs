//! Holds what people read to the glossary of `docs/architecture.md`: one word for each thing in each language, sentence case, one typography.

use super::localizer::Locales;
use regex::Regex;
use std::path::Path;
use std::sync::LazyLock;

/// A variant that was given up (a pattern, in any case), what is said instead, and a text that had it.
type GivenUp = (&'static str, &'static str, &'static str);

const ENGLISH: &[GivenUp] = &[
    (r"\biterations?\b", "round; pushes", "Iteration 2 ended"),
    (r"\b(first|last|next|each) pass\b", "round", "first pass"),
    (r"\bof _ fixes\b", "pushes", "{ $n } of { $max } fixes"),
    (
        r"\b(start|cancel|run)(s|ed|ing)? (a |an |any |the )?reviews?\b",
        "loop; run",
        "Start a review of { $title }",
    ),
    (
        r"\breviews (that )?(go|pause|run|stop|stopped|wait)\b",
        "loops",
        "Reviews that stopped, or wait for a person",
    ),
    (r"\bits reviews\b", "loops", "Its reviews stop"),
    (r"\bfresh run\b", "new run", "Start a fresh run?"),
    (
        r"\b(taken|takes?) (\w+ )?up\b",
        "start",
        "It has not been taken up",
    ),
    (r"\banew\b", "again; resets", "it begins anew at { $at }"),
    (
        r"\b(go|goes|going|went) on\b",
        "continue; resume",
        "Go on with this run?",
    ),
    (
        r"\brests? (on|until)\b",
        "evidence; is paused",
        "What it rests on",
    ),
    (
        r"\bput (it|the file) right\b|\bmend(ed)?\b",
        "fix",
        "Put it right, then start again",
    ),
    (
        r"\b(nothing|line) fits\b|\bdoes not fit\b",
        "matches; is not valid",
        "Nothing fits",
    ),
    (
        r"\bbeing (read|reviewed)\b",
        "loading; under review",
        "Being reviewed by { $names }",
    ),
    (
        r"\bis (asked|tried) again\b",
        "retries",
        "It is tried again by itself",
    ),
    (r"\bsecond look\b", "new review", "a second look is needed"),
    (
        r"\bask(s|ed)? for changes\b",
        "request changes",
        "@ana asked for changes",
    ),
    (
        r"\bask(s|ed)? (\w+ )?in\b",
        "add",
        "{ $name } asks nobody in",
    ),
    (r"\bunder way\b", "in progress", "under way"),
    (
        r"\bswitch(es|ed)?( [\w-]+)? (on|off)\b",
        "turn on; turn off",
        "{ $by } switched auto-merge on",
    ),
    (
        r"\bis no (agent|address|draft|known|login|name|repository|reviewer|time|web)\b",
        "is not a",
        "that is no draft",
    ),
    (r"\bas usual\b", "default", "As usual"),
    (r"^places$", "sidebar", "Places"),
];

const FRENCH: &[GivenUp] = &[
    (r"\bitérations?\b", "tour; pushs", "L’itération 2"),
    (r"\bpassages?\b", "exécution", "Annuler ce passage\u{202f}?"),
    (
        r"\benvo(i|is|ie|ient|yer|yez|yée?s?)\b",
        "push; pousser; soumettre",
        "Après 5 envois",
    ),
    (
        r"\b(la|une|de|chaque) poussées?\b",
        "push",
        "La poussée a échoué",
    ),
    (
        r"\bproblèmes? (corrigés?|trouvés?)\b",
        "constat",
        "2 problèmes corrigés",
    ),
    (r"\bdiscussions?\b", "fil", "2 discussions sont réglées"),
    (r"\btêtes?\b", "commit de tête", "sur chaque tête"),
    (r"\brelectures?\b", "revue", "Une relecture a échoué"),
    (
        r"\b(annul|démarr|lanc)\w+ (de |la |une |des |les )?revues?\b",
        "boucle; exécution",
        "Démarrer une revue de { $title }",
    ),
    (
        r"\brevues (arrêtées|attendent|continuent|en cours|reprennent|s’arrêtent)\b|\bses revues\b",
        "boucles",
        "Les revues reprennent à { $at }",
    ),
    (
        r"\b(arbre|dossier) de travail\b",
        "worktree",
        "Ouvrir le dossier de travail",
    ),
    (
        r"\bétiquettes?\b",
        "label",
        "Une étiquette tient Collie à l’écart",
    ),
    (r"\bjury\b", "panel", "Le jury est constitué"),
    (
        r"\bmodèles? de langue\b",
        "modèle de langage",
        "un modèle de langue",
    ),
    (
        r"\bsecond regard\b",
        "nouvelle revue",
        "un second regard est nécessaire",
    ),
    (
        r"\brepos(e|ent|er)\b",
        "s’appuyer; être en pause",
        "les relectures reposent sur les règles",
    ),
    (
        r"\bne convien(t|nent) pas\b",
        "n’est pas valide",
        "{ $value } ne convient pas",
    ),
    (
        r"\bprises? en charge\b",
        "boucle",
        "n’a pas été prise en charge",
    ),
    (r"^lieux$", "barre latérale", "Lieux"),
];

const TYPOGRAPHY: &[GivenUp] = &[
    (r"\w'\w", "’", "Collie's account"),
    (r"\S …", "… without a space before it", "Starting …"),
    (r"\.\.\.", "…", "Starting..."),
];

/// The documents that people read to use Collie.
const DOCUMENTS: &[&str] = &[
    "README.md",
    "docs/user-guide.md",
    "docs/models-and-agents.md",
];

/// Words with a capital wherever they stand; names in capitals are known by these.
const NAMES: &[&str] = &[
    "Anthropic",
    "App",
    "Auto-PR-Review",
    "Base64",
    "Bedrock",
    "Claude",
    "Code",
    "Codex",
    "Collie",
    "Ctrl-C",
    "Debian",
    "Dependabot",
    "Enterprise",
    "McNemar",
    "Server",
    "Gemini",
    "GitHub",
    "Google",
    "Goose",
    "Landlock",
    "Linux",
    "Markdown",
    "Ollama",
    "OpenAI",
    "OpenCode",
    "PostgreSQL",
    "Restate",
    "Seatbelt",
    "Ubuntu",
    "Vertex",
    "WebKitGTK",
];

/// Texts that name a label, a permission or a key as it is written elsewhere.
const QUOTING: &[&str] = &[
    "keys-standing",
    "problem-hint-allow",
    "settings-panel-keys",
    "signin-token-scopes",
];

/// What is not read of a line, and what stands for it: keys of Fluent's variants, code, what is put in, and what has a word that was given up in
/// a meaning of its own.
static UNREAD: LazyLock<Vec<(Regex, &str)>> = LazyLock::new(|| {
    [
        (r"^\*?\[\w+\] |^\}", ""),
        (r"`[^`]*`", "_"),
        (r"\{[^{}]*\}?", "_"),
        (r"(?i)\bcommits? de tête\b", "_"),
    ]
    .map(|(pattern, put)| (Regex::new(pattern).expect("a pattern"), put))
    .into()
});

/// What is read of a line.
fn read(line: &str) -> String {
    UNREAD
        .iter()
        .fold(line.trim().to_owned(), |text, (unread, put)| {
            unread.replace_all(&text, *put).into_owned()
        })
}

/// A line that people read.
struct Line {
    /// The text's key; empty in a document.
    key: String,
    place: String,
    text: String,
}

/// The texts of a language, line by line.
fn texts(language: &str) -> Vec<Line> {
    let folder = format!("{language}/");
    let mut lines = Vec::new();
    for path in Locales::iter().filter(|path| path.starts_with(&folder)) {
        let file = Locales::get(&path).expect("it was listed");
        let text = String::from_utf8(file.data.into_owned()).expect("UTF-8");
        let mut key = String::new();
        for (nth, line) in (1..).zip(text.lines()) {
            let value = match line.split_once(" =") {
                Some((name, value)) if !line.starts_with(['#', ' ', '}']) => {
                    key = name.into();
                    value
                }
                _ => line,
            };
            // The names of states are those of the first specification.
            if !line.starts_with('#') && !key.starts_with("state-") {
                lines.push(Line {
                    key: key.clone(),
                    place: format!("locales/{path}:{nth}"),
                    text: read(value),
                });
            }
        }
    }
    assert!(lines.len() > 1_000, "{language} has texts");
    lines
}

/// The documents line by line, without blocks of code.
fn documents() -> Vec<Line> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let mut lines = Vec::new();
    for path in DOCUMENTS {
        let text = std::fs::read_to_string(root.join(path)).expect("a document");
        let mut code = false;
        for (nth, line) in (1..).zip(text.lines()) {
            code ^= line.starts_with("```");
            if !code {
                lines.push(Line {
                    key: String::new(),
                    place: format!("{path}:{nth}"),
                    text: read(line),
                });
            }
        }
    }
    lines
}

/// Each place where one of the patterns stands, with what is said instead.
fn found(given_up: &[GivenUp], lines: &[Line]) -> Vec<String> {
    let mut found = Vec::new();
    for (pattern, instead, had) in given_up {
        let pattern = Regex::new(&format!("(?i){pattern}")).expect("a pattern");
        assert!(pattern.is_match(&read(had)), "{pattern} misses {had:?}");
        for Line { place, text, .. } in lines.iter().filter(|line| pattern.is_match(&line.text)) {
            found.push(format!("{place}: {text:?}: say {instead}"));
        }
    }
    found
}

#[test]
fn variants_that_were_given_up_stay_away() {
    let (english, french) = (texts("en"), texts("fr"));
    let found = [
        found(ENGLISH, &english),
        found(ENGLISH, &documents()),
        found(FRENCH, &french),
        found(TYPOGRAPHY, &english),
        found(TYPOGRAPHY, &french),
    ]
    .concat();
    assert!(found.is_empty(), "{}", found.join("\n"));
}

/// Words with a capital that neither begin a sentence nor are names.
fn capitals(line: &str) -> Vec<&str> {
    let mut begins = true;
    let mut found = Vec::new();
    for token in line.split_whitespace() {
        let quoted = token.starts_with(['“', '«', '(']);
        let word = token.trim_start_matches(['“', '«', '(', '"', '@', '[']);
        let end = word
            .find(|c: char| !c.is_alphanumeric() && c != '-')
            .unwrap_or(word.len());
        let mut letters = word.chars();
        let capital = letters.next().is_some_and(char::is_uppercase)
            && letters.next().is_some_and(char::is_lowercase);
        if capital && !begins && !quoted && !NAMES.contains(&&word[..end]) {
            found.push(word);
        }
        begins = token.ends_with(['.', '!', '?', '…', '·', '«']);
    }
    found
}

#[test]
fn every_text_is_in_sentence_case() {
    assert_eq!(capitals("Start a Loop. Then wait for GitHub"), ["Loop."]);
    let mut wrong = Vec::new();
    for Line { key, place, text } in ["en", "fr"].into_iter().flat_map(texts) {
        if !QUOTING.contains(&key.as_str()) {
            let words = capitals(&text);
            wrong.extend(
                words
                    .iter()
                    .map(|word| format!("{place}: {word}: {text:?}")),
            );
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
