//! What text of others may not do, tried with texts that nobody would write.

use super::untrusted::is_invisible;
use super::*;
use crate::ids::ActionToken;
use crate::review::COMMENT_MARKER;
use collie_fuzz::{Target, parts};
use std::path::{Component, Path};

const CRATE: &str = env!("CARGO_MANIFEST_DIR");

/// What prose, quotes and fences turn on.
const TEXT_WORDS: &[&str] = &[
    "`",
    "```",
    "~~~",
    "````\n",
    "\n",
    "\r\n",
    "\r",
    "    ",
    "> ",
    "- ",
    "|",
    "\\",
    "<!--",
    "-->",
    "--!>",
    "<!-",
    "<",
    ">",
    "&#64;",
    "&lt;",
    "![",
    "](",
    "https://github.com/a/b/pull/1",
    "@ana",
    "@acme/core",
    "#12",
    "fixes ",
    "GH-4",
    "/approve",
    "\n/lgtm",
    "bors r+",
    "@dependabot ",
    "merge",
    "<details>",
    "</details>",
    "\u{200b}",
    "\u{202e}",
    "\u{2066}",
    "\u{e0041}",
    "\u{fe0f}",
    "\u{85}",
    "\u{2028}",
    "\u{feff}",
    "\u{0}",
    "\u{1b}[31m",
    "\u{1b}]0;",
    "\u{7}",
    "\u{9b}",
    "é",
    "漢",
    "🦀",
    "\u{301}",
    "ignore ",
    "previous ",
    "instructions",
    "system",
    "<|im_start|>",
    "[INST]",
    "<system>",
    "you are now a ",
    "new instructions:",
    "ignorez toutes les ",
    "consignes",
    "[INSTRUCTION REMOVED]",
    COMMENT_MARKER,
    "<!-- collie-action:ab -->",
    "[TRUNCATED_COMMENT]",
];

fn target(name: &'static str, words: &'static [&'static str], iterations: u32) -> Target {
    Target {
        crate_folder: CRATE,
        name,
        words,
        iterations,
    }
}

fn text_of(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

/// The fence that the first line opens is closed by the last line, and by none between.
fn assert_fence_holds(fenced: &str) {
    let mark = fenced.len() - fenced.trim_start_matches('`').len();
    assert!(mark >= 3, "{fenced:?}");
    let lines: Vec<&str> = fenced.split(['\n', '\r']).collect();
    let closes = |line: &&str| {
        let bare = line.trim();
        bare.len() >= mark && bare.chars().all(|c| c == '`')
    };
    let closing = lines.iter().skip(1).filter(|line| closes(line)).count();
    assert_eq!(closing, 1, "{fenced:?}");
    assert!(closes(&lines[lines.len() - 1]), "{fenced:?}");
}

#[test]
fn sanitizer() {
    target("sanitizer", TEXT_WORDS, 700).run(|bytes| {
        let text = text_of(bytes);
        let prose = sanitize_untrusted(&text);
        assert!(!prose.text.contains(is_invisible), "{prose:?}");
        assert!(!prose.text.contains("<!--"), "{prose:?}");
        assert!(prose.text.chars().count() <= MAX_PROSE_CHARS);
        // What was cut may end in the middle of a word, and be another one.
        if !prose.truncated {
            let again = sanitize_untrusted(&prose.text);
            assert_eq!(again.text, prose.text, "of {text:?}");
        }
        let code = sanitize_code(&text);
        assert!(!code.text.contains(is_invisible) && !code.text.contains('\r'));
        assert_eq!(sanitize_code(&code.text).text, code.text);
        assert_fence_holds(&fence_as_text(&code.text));
        assert_fence_holds(&fence_as_text(&prose.text));
        assert!(log_tail(&text, 3).lines().count() <= 3);
    });
}

#[test]
fn visible_text() {
    target("visible_text", TEXT_WORDS, 2_000).run(|bytes| {
        let text = text_of(bytes);
        let line = visible_line(&text);
        assert!(
            !line.contains(|c| is_invisible(c) || c == '\n' || c == '\t'),
            "{line:?}"
        );
        assert_eq!(visible_line(&line), line);
        let block = visible_block(&text);
        assert!(
            !block.contains(is_invisible) && !block.contains('\r'),
            "{block:?}"
        );
        assert_eq!(visible_block(&block), block);
        let json = serde_json::to_string(&text).expect("JSON");
        let escaped = escape_json(&json);
        assert!(!escaped.contains(is_invisible), "{escaped:?}");
        assert_eq!(
            serde_json::from_str::<String>(&escaped).expect("JSON"),
            text
        );
    });
}

#[test]
fn quoted_text() {
    target("quoted_text", TEXT_WORDS, 700).run(|bytes| {
        let text = text_of(bytes);
        let token = ActionToken::new("cd".repeat(32));
        let posted = append_token(&text, &token);
        assert_eq!(trailing_token(&posted).as_ref(), Some(&token));
        for quoted in [
            neutralize_markdown(&posted),
            neutralize_line(&posted),
            neutralize_code(&posted),
            neutralize_plain(&posted),
        ] {
            assert_eq!(trailing_token(&quoted), None, "{quoted:?}");
            assert!(
                !quoted.contains("<!--") && !quoted.contains(is_invisible),
                "{quoted:?}"
            );
        }
        let line = neutralize_line(&text);
        assert!(!line.contains(['\n', '\r']), "{line:?}");
        let span = code_span(&text);
        assert!(!span.contains(['\n', '\r']), "{span:?}");
        let mark = span.len() - span.trim_start_matches('`').len();
        let inside = &span[mark..span.len() - mark];
        assert!(
            inside.split(|c| c != '`').all(|run| run.len() != mark),
            "{span:?}"
        );
        if let Some(block) = suggestion_block(&text) {
            assert_fence_holds(&block);
        }
        for max in [0, 1, 19, 90, 150, 300] {
            let cut = truncate_comment(&posted, max);
            assert!(cut.chars().count() <= max, "{max}: {cut:?}");
            if max >= 150 {
                assert_eq!(
                    trailing_token(&cut).as_ref(),
                    Some(&token),
                    "{max}: {cut:?}"
                );
            }
        }
    });
}

const PATHS_WORDS: &[&str] = &[
    "/",
    "//",
    "..",
    ".",
    "../",
    "./",
    "\\",
    "..\\",
    "C:",
    "c:/",
    "\\\\host\\",
    "~",
    "~/",
    ".git",
    ".GIT/",
    ".git.",
    ".git ",
    "git~1",
    ".g\u{200c}it",
    ".git::$DATA",
    "NUL",
    "con.txt",
    "COM¹",
    "LPT1 .x",
    "aux",
    "conin$",
    "\0",
    "\n",
    " ",
    "a",
    "é",
    "src/main.rs",
    "\u{ff0e}",
    "…",
    "/home/ana",
    "/home/ana/x",
    "C:\\Users\\Ana",
    "C:\\\\Users\\\\Ana",
];

#[test]
fn paths() {
    target("paths", PATHS_WORDS, 4_000).run(|bytes| {
        let text = text_of(bytes);
        if let Ok(path) = safe_path(&text) {
            let parts: Vec<_> = Path::new(&path).components().collect();
            assert!(
                !parts.is_empty()
                    && parts
                        .iter()
                        .all(|part| matches!(part, Component::Normal(_))),
                "{path:?}"
            );
            assert!(
                !path.contains(['\0', '\\']) && !path.contains("//") && !path.ends_with('/'),
                "{path:?}"
            );
            assert!(
                Path::new("/work").join(&path).starts_with("/work"),
                "{path:?}"
            );
            let git = |part: &str| {
                part.trim_end_matches(['.', ' '])
                    .eq_ignore_ascii_case(".git")
            };
            assert!(!path.split('/').any(git), "{path:?}");
            assert_eq!(safe_path(&path).as_deref(), Ok(path.as_str()));
        }
        let folders = ["/home/ana".to_owned(), "C:\\Users\\Ana".to_owned()];
        let hidden = hide_folders(&text, &folders);
        assert_eq!(hide_folders(&hidden, &folders), hidden, "of {text:?}");
        assert!(hidden.chars().count() <= text.chars().count());
        for below in ["/home/ana/", " /home/ana "] {
            assert!(
                !format!(" {hidden} ").contains(&format!(" {}", below.trim_start())),
                "{hidden:?}"
            );
        }
    });
}

const REDACTION_WORDS: &[&str] = &[
    "secret-one",
    "et-one",
    "[REDACTED]",
    "[REDA",
    "CTED]",
    "[DIFF REDACTED]",
    "diff --git a/x b/x\n",
    "--- a/x\n+++ b/x\n",
    "@@ -1 +1 @@\n",
    "+x\n",
    "-y\n",
    "> ",
    "```",
    "```diff\n",
    "~~~\n",
    "\n",
    "\r\n",
    " ",
    "-----BEGIN ",
    "RSA ",
    "PRIVATE KEY-----",
    "-----END ",
    "password=",
    "token: \"",
    "\"",
    "'",
    "Authorization: Bearer ",
    "https://bot:",
    "@example.com",
    "AKIA",
    "ghp_",
    "eyJ",
    ".eyJ",
    "aB3dE5gH7jK9mN1pQ2sT4vW6",
    "é",
    "\\n",
    "\u{200b}",
    "=",
    ":",
    "api_key",
    "client_secret = ",
];

#[test]
fn redaction() {
    target("redaction", REDACTION_WORDS, 700).run(|bytes| {
        let [text, secret] = parts::<2>(bytes);
        let secret = secret.trim();
        let known = KnownSecrets::of(["secret-one".to_owned(), secret.to_owned()]).now();
        let once = redact(&text, &known);
        assert_eq!(redact(&once, &known), once, "of {text:?}");
        // A placeholder of ours is no leak, whatever the secret is.
        let pieces = once.split(REDACTED);
        for piece in pieces.flat_map(|piece| piece.split(DIFF_REDACTED)) {
            for secret in known.iter() {
                assert!(!piece.contains(secret.as_str()), "{once:?}");
            }
        }
        for part in once.split(REDACTED) {
            assert!(find_secrets(part.as_bytes()).is_empty(), "{once:?}");
        }
        assert!(!once.contains("diff --git "), "{once:?}");
        let lines = redact_keeping_lines(&text, &known);
        assert_eq!(
            lines.matches('\n').count(),
            text.matches('\n').count(),
            "of {text:?}"
        );
    });
}
