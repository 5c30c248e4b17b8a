//! Quoted text that calls nobody, closes nothing, commands no bot and forges no marker (§8.3).
//!
//! GitHub looks for @mentions and references in what Markdown renders to, so escapes and entities don't hold them off; a code span does. Bots
//! read the raw text, so their commands are broken by something that people can see and read past.

use super::pattern;
use super::untrusted::{fence_as, longest_run, without_invisible};
use crate::bots::shipped_bots;
use regex::{Captures, Regex};
use std::sync::LazyLock;

static FENCE_OPEN: LazyLock<Regex> =
    LazyLock::new(|| pattern(r"^([ \t]*)(`{3,}|~{3,})[ \t]*([\w+-]*)[^`]*$"));

/// Begins of raw HTML and entities, which would come out as what they stand for.
static RAW_HTML: LazyLock<Regex> =
    LazyLock::new(|| pattern(r"<([A-Za-z/!?])|&(#?[A-Za-z0-9]+;)|!\["));

/// Bots that take commands and are not in the registry.
const COMMANDED_BOTS: &str =
    r"bors(?:-ng)?|homu|mergify(?:io)?|rultor|kodiakhq|rustbot|rust-timer|claude|k8s-ci-robot|prow";

static BOT_NAMES: LazyLock<String> = LazyLock::new(|| {
    let shipped = shipped_bots().iter().flat_map(|shipped| {
        let login = shipped.bot.login.as_str();
        std::iter::once(login).chain(shipped.aliases.iter().map(String::as_str))
    });
    let mut names = format!("(?:{COMMANDED_BOTS}");
    for name in shipped {
        names += "|";
        names += &regex::escape(name);
    }
    names + ")"
});
const BOT_VERBS: &str = r"(?:r[+=-]|rollup|p=|d[+=-]|try|merge|squash|rebase|retry|queue|requeue|close|reopen|recreate|cancel|ignore|delegate|approve|refresh|update|backport|deploy|release|resolve|review|treeclosed)";
const SLASH_COMMANDS: &str = r"(?:merge|automerge|auto-merge|lgtm|approve|approved|queue|squash|rebase|land|ship|submit|retest|test|ok-to-test|hold|unhold|close|reopen|override|cherry-pick|backport|deploy|release|run|build|fix|review)";

static MENTION_OR_COMMAND: LazyLock<Regex> = LazyLock::new(|| {
    let bot_names = BOT_NAMES.as_str();
    pattern(&format!(
        r"(?x)
        (?P<url>https?://[^\s()\[\]`|]+/(?:issues|pull|pulls|discussions|commit)/[^\s()\[\]`|]+)
        | (?i:(?P<bot>@?{bot_names})(?P<sep>[:,]?[\x20\t]+)(?P<verb>{BOT_VERBS}))
        | (?P<at>@[A-Za-z0-9][A-Za-z0-9_-]*(?:[@/][A-Za-z0-9_-]+)*)
        | (?P<ref>(?:[A-Za-z0-9_.-]+(?:/[A-Za-z0-9_.-]+)?)?\#[0-9]+|(?i:GH-[0-9]+))
        | (?P<slash>/(?:{SLASH_COMMANDS})\b)
        "
    ))
});
/// The number of an issue, pull request or discussion: with a word such as `fixes` before it, it closes one.
static REFERENCE: LazyLock<Regex> =
    LazyLock::new(|| pattern(r"(?i)(#|\bGH-|/(?:issues|pull|pulls|discussions)/)(\d)"));
static LINE_COMMAND: LazyLock<Regex> =
    LazyLock::new(|| pattern(r"(?m)^([ \t>*+-]*)/([A-Za-z][A-Za-z-]*)([ \t]|\r?$)"));
static BOT_IN_CODE: LazyLock<Regex> = LazyLock::new(|| {
    let bot_names = BOT_NAMES.as_str();
    pattern(&format!(r"(?i)(@?{bot_names}[:,]?)[ \t]+({BOT_VERBS})"))
});

/// Makes quoted Markdown harmless and keeps it readable: prose, lists, code spans and fences stay what they are.
pub fn neutralize_markdown(quoted: &str) -> String {
    let quoted = without_invisible(quoted);
    let mut out: Vec<String> = Vec::new();
    let mut open: Option<(String, usize, String, Vec<&str>)> = None;
    for line in quoted.lines() {
        if let Some((mark, indent, info, mut inside)) = open.take() {
            let bare = line.trim();
            if bare.len() >= mark.len() && bare.chars().all(|c| mark.starts_with(c)) {
                out.push(fence_as(&info, &neutralize_code(&inside.join("\n"))));
            } else {
                let blanks = line.len() - line.trim_start_matches([' ', '\t']).len();
                inside.push(&line[blanks.min(indent)..]);
                open = Some((mark, indent, info, inside));
            }
        } else if let Some(fence) = FENCE_OPEN.captures(line) {
            let part = |group| fence.get(group).map_or("", |found| found.as_str());
            open = Some((
                part(2).to_string(),
                part(1).len(),
                part(3).to_string(),
                Vec::new(),
            ));
        } else {
            out.push(prose_line(line));
        }
    }
    if let Some((_, _, info, inside)) = open {
        out.push(fence_as(&info, &neutralize_code(&inside.join("\n"))));
    }
    out.join("\n")
}

/// The same for what must stay on one line, such as a title: line ends become blanks.
pub fn neutralize_line(quoted: &str) -> String {
    let one = without_invisible(quoted)
        .split_whitespace()
        .collect::<Vec<_>>()
        .join(" ");
    prose_line(&one)
}

/// The same for text that is shown as code, where nothing renders but bots still read.
pub fn neutralize_code(quoted: &str) -> String {
    let quoted = without_invisible(quoted).replace("<!--", "<! --");
    let quoted = LINE_COMMAND.replace_all(&quoted, "$1/ $2$3");
    BOT_IN_CODE.replace_all(&quoted, "$1 · $2").into_owned()
}

/// The same for plain text that nothing renders, such as a commit message: what calls, refers or commands is broken by a blank.
pub fn neutralize_plain(quoted: &str) -> String {
    let text = neutralize_code(quoted);
    let broken = MENTION_OR_COMMAND.replace_all(&text, |found: &Captures<'_>| {
        let whole = &found[0];
        let before = found
            .get(0)
            .and_then(|whole| text[..whole.start()].chars().next_back());
        let in_word = before.is_some_and(|c| c.is_ascii_alphanumeric());
        if found.name("at").is_some() {
            return if in_word {
                whole.to_owned()
            } else {
                whole.replace('@', "@ ")
            };
        }
        if found.name("slash").is_some() {
            let path = in_word || matches!(before, Some('_' | '-' | '.' | '/' | ')' | ']'));
            return whole.replacen('/', if path { "/" } else { "/ " }, 1);
        }
        whole.to_owned()
    });
    REFERENCE.replace_all(&broken, "$1 $2").into_owned()
}

/// A code span around any text; the text can't end it.
pub fn code_span(text: &str) -> String {
    let text = neutralize_code(&without_invisible(text).replace('\n', " "));
    let longest = longest_run(&text, '`');
    let mark = "`".repeat(if longest == 0 { 1 } else { longest + 1 });
    let pad = if text.starts_with('`') || text.ends_with('`') || text.trim().is_empty() {
        " "
    } else {
        ""
    };
    format!("{mark}{pad}{text}{pad}{mark}")
}

/// Lines that GitHub can put in place of others: a suggestion. None where the text would have to be changed to be harmless.
pub fn suggestion_block(text: &str) -> Option<String> {
    (neutralize_code(text) == text).then(|| fence_as("suggestion", text))
}

/// One line of prose. Code spans that begin and end on it stay; every other back tick is escaped, so that GitHub sees the same spans.
fn prose_line(line: &str) -> String {
    let line = LINE_COMMAND.replace(line, "$1/ $2$3");
    let mut out = String::with_capacity(line.len() + 16);
    let mut text = String::new();
    let mut rest = line.as_ref();
    while let Some(c) = rest.chars().next() {
        if c == '\\' {
            let taken = c.len_utf8() + rest[1..].chars().next().map_or(0, char::len_utf8);
            text.push_str(&rest[..taken]);
            rest = &rest[taken..];
        } else if c == '`' {
            let run = rest.len() - rest.trim_start_matches('`').len();
            match closing_run(&rest[run..], run) {
                Some(end) => {
                    push_text(&mut out, &std::mem::take(&mut text));
                    push_span(&mut out, rest[run..run + end].trim());
                    rest = &rest[run + end + run..];
                }
                None => {
                    text.push_str(&"\\`".repeat(run));
                    rest = &rest[run..];
                }
            }
        } else {
            text.push(c);
            rest = &rest[c.len_utf8()..];
        }
    }
    push_text(&mut out, &text);
    out
}

/// Where a row of exactly `run` back ticks begins.
fn closing_run(text: &str, run: usize) -> Option<usize> {
    let mut at = 0;
    while let Some(found) = text[at..].find('`') {
        let begin = at + found;
        let length = text[begin..].len() - text[begin..].trim_start_matches('`').len();
        if length == run {
            return Some(begin);
        }
        at = begin + length;
    }
    None
}

fn push_text(out: &mut String, text: &str) {
    let text = RAW_HTML.replace_all(text, |found: &Captures<'_>| {
        match (found.get(1), found.get(2)) {
            (Some(tag), _) => format!("&lt;{}", tag.as_str()),
            (None, Some(entity)) => format!("&amp;{}", entity.as_str()),
            (None, None) => "!\\[".to_string(),
        }
    });
    let mut done = 0;
    for found in MENTION_OR_COMMAND.captures_iter(&text) {
        let Some(whole) = found.get(0) else { continue };
        let before = text[..whole.start()].chars().next_back();
        push_plain(out, &text[done..whole.start()]);
        done = whole.end();
        push_mention_or_command(out, &found, whole.as_str(), before);
    }
    push_plain(out, &text[done..]);
}

/// One thing in a text that would call somebody or something.
fn push_mention_or_command(
    out: &mut String,
    found: &Captures<'_>,
    whole: &str,
    before: Option<char>,
) {
    let in_word = before.is_some_and(|c| c.is_ascii_alphanumeric());
    let part = |name| found.name(name).map(|part| part.as_str());
    if let (Some(bot), Some(sep), Some(verb)) = (part("bot"), part("sep"), part("verb")) {
        if bot.starts_with('@') {
            push_span(out, bot);
        } else {
            push_plain(out, bot);
        }
        push_plain(out, &format!("{} · {verb}", sep.trim_end()));
    } else if part("slash").is_some() {
        // `a/merge` is a path, `/merge` a command.
        let path = in_word || matches!(before, Some('_' | '-' | '.' | '/' | ')' | ']'));
        push_plain(
            out,
            &if path {
                whole.to_string()
            } else {
                whole.replacen('/', "/ ", 1)
            },
        );
    } else if part("at").is_some() && in_word {
        push_plain(out, whole);
    } else {
        push_span(out, whole);
    }
}

fn push_plain(out: &mut String, text: &str) {
    if out.ends_with('`') && text.starts_with('`') {
        out.push(' ');
    }
    out.push_str(text);
}

fn push_span(out: &mut String, text: &str) {
    if out.ends_with('`') {
        out.push(' ');
    }
    let slashes = out.len() - out.trim_end_matches('\\').len();
    if slashes % 2 == 1 {
        out.push('\\');
    }
    out.push_str(&code_span(text));
}
