//! Text that somebody else wrote, before a model or a person reads it (§9.2).

use super::pattern;
use regex::Regex;
use std::borrow::Cow;
use std::sync::LazyLock;

/// The most characters of one piece of prose.
pub const MAX_PROSE_CHARS: usize = 10_000;
/// Nobody nests comments by hand; what is left after this many passes only loses its begin.
const MAX_COMMENT_NESTING: usize = 32;
/// One pass finds phrases side by side, another those that only a removed one completes.
const MAX_INJECTION_PASSES: usize = 8;
/// What stands where prose spoke to the model instead of to people.
pub const INJECTION_REMOVED: &str = "[INSTRUCTION REMOVED]";

/// Untrusted text after treatment, and what was found in it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Sanitized {
    /// What is left.
    pub text: String,
    /// Invisible and direction-changing characters that were taken out.
    pub invisible: u32,
    /// HTML comments that were taken out.
    pub comments: u32,
    /// Phrases that speak to a model: replaced in prose, still there in code.
    pub injections: u32,
    /// Whether the end was cut off.
    pub truncated: bool,
}

/// Whether a character shows nothing, or changes the order of what is shown.
pub(super) fn is_invisible(c: char) -> bool {
    matches!(
        c,
        '\u{0}'..='\u{8}' | '\u{b}' | '\u{c}' | '\u{e}'..='\u{1f}' | '\u{7f}'..='\u{9f}'
            | '\u{ad}' | '\u{34f}' | '\u{61c}' | '\u{115f}' | '\u{1160}' | '\u{17b4}' | '\u{17b5}'
            | '\u{180b}'..='\u{180f}' | '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}'
            | '\u{2060}'..='\u{206f}' | '\u{3164}' | '\u{fe00}'..='\u{fe0f}' | '\u{feff}'
            | '\u{ffa0}' | '\u{fff0}'..='\u{fffb}' | '\u{1bca0}'..='\u{1bca3}'
            | '\u{1d173}'..='\u{1d17a}' | '\u{e0000}'..='\u{e0fff}'
    )
}

/// The text without characters that nobody sees; line ends become `\n`.
pub fn without_invisible(text: &str) -> String {
    text.replace("\r\n", "\n")
        .chars()
        .filter(|c| *c == '\r' || !is_invisible(*c))
        .map(|c| {
            if matches!(c, '\r' | '\u{2028}' | '\u{2029}' | '\u{85}') {
                '\n'
            } else {
                c
            }
        })
        .collect()
}

/// The text with each character that nobody sees, or that turns the order of others around, written as `\u{202e}`: for code, whose
/// reader must know that it is there. What only makes a sign an emoji is left alone, and so are line ends.
pub fn escape_invisible(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut before = ' ';
    for c in text.chars() {
        let of_emoji = c == '\u{fe0f}' && !before.is_ascii() && !is_invisible(before);
        if is_invisible(c) && c != '\r' && !of_emoji {
            out.extend(c.escape_unicode());
        } else {
            out.push(c);
        }
        before = c;
    }
    out
}

static INVISIBLE_ESCAPE: LazyLock<Regex> = LazyLock::new(|| pattern(r"\\u\{([0-9a-fA-F]{1,6})\}"));

/// The text without such escapes, so that a quote of escaped code is found in the code itself.
pub(crate) fn without_invisible_escapes(text: &str) -> Cow<'_, str> {
    if !text.contains("\\u{") {
        return Cow::Borrowed(text);
    }
    INVISIBLE_ESCAPE.replace_all(text, |found: &regex::Captures<'_>| {
        let character = u32::from_str_radix(&found[1], 16)
            .ok()
            .and_then(char::from_u32);
        match character {
            Some(c) if is_invisible(c) => String::new(),
            Some(_) | None => found[0].to_owned(),
        }
    })
}

/// All forms in one, so that one pass finds what is left when another is gone.
static INJECTION: LazyLock<Regex> = LazyLock::new(|| {
    let forms = [
        // English
        r"(?i)\b(?:ignore|disregard|forget|override|bypass|neglect|skip|do\s+not\s+(?:follow|obey)|don['’]t\s+(?:follow|obey))\s+(?:(?:all|any|every|of|the|these|those|your|my|our|please|completely)\s+){0,5}(?:previous|prior|above|earlier|preceding|foregoing|former|initial|original|existing|system|your)\s+(?:\w+\s+){0,2}?(?:instructions?|prompts?|rules?|directives?|guidelines?|orders?|messages?|context)",
        r"(?i)\b(?:ignore|disregard|forget)\s+(?:everything|all|anything)\s+(?:(?:that|you|was|were|have|been|is|are|i)\s+){0,4}(?:above|before|previously|told|said|written)\b[^.\n]{0,40}",
        r"(?i)\b(?:reveal|print|show|repeat|output|leak|disclose)\s+(?:me\s+)?(?:(?:your|the)\s+(?:(?:full|entire|hidden|initial|secret)\s+)?system\s+(?:prompt|message)|your\s+(?:(?:full|entire|hidden|initial|secret)\s+)?(?:instructions|prompt))\b",
        r"(?i)\byou\s+are\s+now\s+(?:an?\b|in\b|the\b|dan\b|no\s+longer\b|free\b)[^.\n]{0,60}",
        r"(?i)\b(?:new|updated|additional|real|actual)\s+(?:system\s+)?(?:instructions?|prompt|orders?)\s*:",
        r"(?i)\b(?:approve|accept|lgtm)\s+this\s+(?:pr|pull\s+request|change|patch|code)\s+(?:immediately|now|without|unconditionally|no\s+matter|regardless)\b[^.\n]{0,60}",
        r"(?i)\b(?:report|return|output|respond\s+with|answer\s+with|say\s+there\s+are)\s+(?:no|zero|0|an\s+empty\s+list\s+of)\s+(?:findings|issues|problems|vulnerabilities)\b",
        r"(?i)\b(?:pretend|act)\s+(?:to\s+be|as\s+if\s+you|as\s+(?:an?|the)\s+(?:different|unrestricted|other|system|admin\w*))\b[^.\n]{0,60}",
        // French
        r"(?i)\b(?:ignore[zr]?|ignorons|oublie[zr]?|néglige[zr]?|contourne[zr]?|ne\s+(?:suis|suivez|respecte[zr]?)\s+pas|ne\s+(?:tiens|tenez|tenir)\s+(?:pas|plus)\s+compte)\s+(?:(?:de|des|du|toutes?|tous|les|la|le|l['’]|tes|vos|ces|ses)\s*){0,5}(?:\w+\s+)?(?:instructions?|consignes?|directives?|règles?|ordres?|messages?)(?:\s+(?:qui|que)?\s*(?:précédentes?|précédents?|précèdent|antérieure?s?|ci-dessus|initiale?s?|initiaux|système|données?|reçue?s?))?",
        r"(?i)\b(?:tu\s+es|vous\s+êtes)\s+(?:désormais|maintenant|à\s+présent)\s+[^.\n]{0,60}",
        r"(?i)\bnouvelles?\s+(?:instructions?|consignes?|directives?)\s*:",
        r"(?i)\b(?:révèle|affiche|montre|répète|donne)[zr]?(?:-moi)?\s+(?:tes|ton|vos|votre|les|le|l['’])\s*(?:instructions?|consignes?|prompt|invite|message)(?:\s+(?:système|initiale?s?|secrète?s?))?",
        r"(?i)\b(?:approuve|accepte|valide)[zr]?\s+cette\s+(?:pr|pull\s+request|demande|modification)\s+(?:immédiatement|maintenant|sans|quoi)\b[^.\n]{0,60}",
        // Spanish, Portuguese, Italian
        r"(?i)\b(?:ignor[ae]r?|ignorad|olvida[rd]?|olvide|descarta[rd]?|esque[çc]a|desconsidere|dimentica)\s+(?:(?:todas?|todos|tutte|las|los|as|os|le|tus|sus|suas)\s+){0,4}(?:instrucciones|indicaciones|reglas|órdenes|instruções|regras|ordens|istruzioni|regole|ordini)(?:\s+(?:anteriores|previas|precedenti))?",
        // German
        r"(?i)\b(?:ignorieren?|ignoriert|vergiss|vergesst|vergessen|missachten?|missachtet)\s+(?:sie\s+)?(?:(?:alle|die|deine|ihre|eure|sämtliche)\s+){0,3}(?:(?:bisherigen|vorherigen|obigen|vorigen|früheren|vorangegangenen|vorstehenden)\s+)?(?:anweisungen|instruktionen|vorgaben|regeln|befehle|anordnungen)",
        // Russian, Chinese, Japanese
        r"(?i)(?:игнорируй|игнорируйте|забудь|забудьте)\s+(?:\w+\s+){0,3}(?:инструкции|указания|правила|команды)",
        r"(?:忽略|无视|忘记|忘掉)(?:所有|全部|之前|以上|先前|前面|上面|上述|任何|你|的){0,6}(?:指令|指示|说明|提示|规则|要求)",
        r"(?:以前|これまで|上記|前|すべて|全て)の(?:すべての|全ての)?(?:指示|命令|ルール|プロンプト)を(?:無視|忘れ|破棄)",
        // Marks that belong to a model's own protocol
        r"(?i)<\|(?:im_start|im_end|system|user|assistant|endoftext|eot_id|start_header_id|end_header_id)\|>",
        r"(?i)</?(?:system|assistant|developer)(?:\s[^>\n]{0,80})?>",
        r"\[/?INST\]|<</?SYS>>",
    ];
    pattern(&format!("(?:{})", forms.join(")|(?:")))
});

/// Treats prose: comments, descriptions, bots' and agents' words. At most [`PROSE_CHARS`] characters are left.
pub fn sanitize_untrusted(text: &str) -> Sanitized {
    let mut out = sanitize_characters(text);
    let (plain, comments) = without_comments(&out.text);
    out.comments = comments;
    let plain = replace_injections(plain, &mut out.injections);
    let kept: String = plain.chars().take(MAX_PROSE_CHARS).collect();
    out.truncated = kept.len() < plain.len();
    out.text = kept;
    out
}

/// Treats code: characters that deceive go, phrases that speak to a model are counted only, since the code must stay as it is.
pub fn sanitize_code(text: &str) -> Sanitized {
    let mut out = sanitize_characters(text);
    let count = INJECTION.find_iter(&out.text).count();
    out.injections = u32::try_from(count).unwrap_or(u32::MAX);
    out
}

fn sanitize_characters(text: &str) -> Sanitized {
    let hidden = text
        .chars()
        .filter(|c| *c != '\r' && is_invisible(*c))
        .count();
    Sanitized {
        text: without_invisible(text),
        invisible: u32::try_from(hidden).unwrap_or(u32::MAX),
        ..Sanitized::default()
    }
}

/// What follows a phrase is looked at as if it stood alone, and the whole again once phrases are gone: else one could hide another.
fn replace_injections(mut text: String, count: &mut u32) -> String {
    for _ in 0..MAX_INJECTION_PASSES {
        let mut out = String::with_capacity(text.len());
        let mut rest = text.as_str();
        while let Some(found) = INJECTION.find(rest) {
            *count = count.saturating_add(1);
            out.push_str(&rest[..found.start()]);
            out.push_str(INJECTION_REMOVED);
            rest = &rest[found.end()..];
        }
        if rest.len() == text.len() {
            return text;
        }
        out.push_str(rest);
        text = out;
    }
    text
}

/// Takes HTML comments out, also those that come together only when others are gone; one that nobody closed goes to the end, as GitHub hides it.
fn without_comments(text: &str) -> (String, u32) {
    let mut text = text.to_string();
    let mut count = 0_u32;
    for _ in 0..MAX_COMMENT_NESTING {
        if !text.contains("<!--") {
            return (text, count);
        }
        let mut out = String::with_capacity(text.len());
        let mut rest = text.as_str();
        while let Some((before, inside)) = rest.split_once("<!--") {
            out.push_str(before);
            count = count.saturating_add(1);
            rest = match inside {
                _ if inside.starts_with('>') => &inside[1..],
                _ if inside.starts_with("->") => &inside[2..],
                _ => inside.split_once("-->").map_or("", |(_, after)| after),
            };
        }
        out.push_str(rest);
        text = out;
    }
    (text.replace("<!--", ""), count)
}

/// Fences text as code; whatever it holds, it can't end the fence.
pub fn fence_as_text(text: &str) -> String {
    fence_as("text", text)
}

/// The longest row of that character.
pub(super) fn longest_run(text: &str, of: char) -> usize {
    text.split(|c| c != of)
        .map(|row| row.len() / of.len_utf8())
        .max()
        .unwrap_or(0)
}

/// The same with a language; `info` is one of ours, or a word that was checked.
pub(super) fn fence_as(info: &str, text: &str) -> String {
    let mark = "`".repeat(longest_run(text, '`').max(2) + 1);
    let end = if text.is_empty() || text.ends_with('\n') {
        ""
    } else {
        "\n"
    };
    format!("{mark}{info}\n{text}{end}{mark}")
}

static TERMINAL_CODE: LazyLock<Regex> = LazyLock::new(|| {
    pattern(r"\x1b(?:\[[0-?]*[ -/]*[@-~]|\][^\x07\x1b\n]*(?:\x07|\x1b\\)?|[@-Z\\^_])")
});

/// The last lines of a log, without colours and other terminal codes; of a line that was written over, what was last on it.
pub fn log_tail(text: &str, lines: usize) -> String {
    let all: Vec<&str> = text.lines().collect();
    let kept = &all[all.len().saturating_sub(lines)..];
    let shown = |line: &&str| {
        let plain = TERMINAL_CODE.replace_all(line, "");
        plain
            .trim_end_matches('\r')
            .rsplit('\r')
            .next()
            .unwrap_or_default()
            .to_string()
    };
    kept.iter().map(shown).collect::<Vec<_>>().join("\n")
}
