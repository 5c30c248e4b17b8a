//! What a bot's text is: a review, a notice that nothing was reviewed, a placeholder, or none of these (§3.4).
//!
//! The forms are those of the bot's entry in `bots.json`. Its begin decides: a word like "quota" deep in a long review says nothing.

use super::pattern::expression;
use super::registry::{BotForms, forms_of};
use crate::finding::Priority;
use crate::ids::{AccountId, Time};
use regex::Regex;
use std::sync::LazyLock;

/// What a text of a bot is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BotText {
    /// It says something of the change.
    Review,
    /// It says that nothing was reviewed: quota, rate limit, skipped, failed.
    Notice {
        /// When it says it will be back.
        until: Option<Time>,
    },
    /// It stands where a review will be.
    Placeholder,
    /// Thanks, help, a description of the change: nobody waits for an answer to it.
    Remark,
}

/// Lines of a text's begin that decide what it is.
const LEAD_LINES: usize = 16;
/// Shown lines in which a form is looked for that no table names.
const GENERAL_LINES: usize = 3;
/// Characters of a text's begin in which a severity is looked for.
const SEVERITY_CHARS: usize = 700;

/// Notices of bots whose forms are not known, and new ones of those whose are.
static GENERAL_NOTICES: LazyLock<Vec<Regex>> = LazyLock::new(|| {
    [
        r"^(rate|usage|review) limit (exceeded|reached)\b",
        r"^quota (exceeded|reached|exhausted)\b",
        r"^(sorry,? )?(@\S+,? )?(you have|you.ve|we have|this \w+ has) (reached|exceeded|hit|used up)\b.*\b(limit|quota|credits)\b",
        r"^(i am |i.m )?out of (quota|credits)\b",
        r"^(auto )?(review skipped|skipped review)\b",
        r"^auto reviews are disabled\b",
        r"^(this (head|pull request) )?was not reviewed\b",
    ]
    .iter()
    .map(|pattern| expression(pattern))
    .collect()
});

static MARKUP: LazyLock<Regex> = LazyLock::new(|| {
    expression(r"</?(h\d|b|strong|em|i|summary|details|blockquote|br|sub|p)\b[^>]*>")
});

/// A line without what Markdown and HTML put around its words. Comments stay: they say most of all.
fn plain(line: &str) -> String {
    let line = line
        .trim_start_matches(|c: char| c.is_whitespace() || c == '>')
        .trim_end();
    if line.starts_with("<!--") {
        return line.to_owned();
    }
    let bare = MARKUP.replace_all(line, "");
    let edge = |c: char| c.is_whitespace() || matches!(c, '>' | '#' | '*' | '_' | '~');
    bare.replace("**", "").trim_matches(edge).to_owned()
}

fn is_shown(line: &str) -> bool {
    !line.starts_with("<!--") && !line.starts_with("[!") && line.to_lowercase() != "warning"
}

/// The first lines of a text that say something.
fn lead(body: &str) -> Vec<String> {
    let lines = body.lines().map(plain).filter(|line| !line.is_empty());
    lines.take(LEAD_LINES).collect()
}

fn matches_one(patterns: &[Regex], line: &str) -> bool {
    patterns.iter().any(|pattern| pattern.is_match(line))
}

/// Tells what a text of a bot is. `written` is when it was last edited: notices count from then.
pub fn read_bot_text(bot: AccountId, body: &str, written: Time) -> BotText {
    let lead = lead(body);
    let notice = || BotText::Notice {
        until: super::named_time::named_time(&lead.join(" \n "), written),
    };
    if let Some(forms) = forms_of(bot) {
        for line in &lead {
            if matches_one(&forms.notices, line) {
                return notice();
            } else if matches_one(&forms.placeholders, line) {
                return BotText::Placeholder;
            } else if matches_one(&forms.texts, line) {
                return BotText::Review;
            } else if matches_one(&forms.remarks, line) {
                return match exception_in_remark(forms, &lead) {
                    Some(Exception::Notice) => notice(),
                    Some(Exception::Placeholder) => BotText::Placeholder,
                    None => BotText::Remark,
                };
            }
        }
    }
    let mut shown = lead
        .iter()
        .filter(|line| is_shown(line))
        .take(GENERAL_LINES);
    if shown.any(|line| matches_one(&GENERAL_NOTICES, line)) {
        return notice();
    }
    if lead.iter().any(|line| is_shown(line)) {
        BotText::Review
    } else {
        BotText::Remark
    }
}

/// What a remark may be after all.
enum Exception {
    Notice,
    Placeholder,
}

/// Whether a reply to a command says that it was not carried out, or a description that the review is still to come.
fn exception_in_remark(forms: &BotForms, lead: &[String]) -> Option<Exception> {
    let says = |patterns: &[Regex]| {
        let mut shown = lead.iter().filter(|line| is_shown(line));
        shown.any(|line| matches_one(patterns, line))
    };
    if says(&forms.notices) {
        Some(Exception::Notice)
    } else {
        says(&forms.placeholders).then_some(Exception::Placeholder)
    }
}

/// The commit that a text says it is about: a full hash, or its begin.
pub fn named_commit(bot: AccountId, body: &str) -> Option<&str> {
    let forms = forms_of(bot)?;
    let last = |pattern: &Regex| pattern.captures_iter(body).last()?.get(1);
    Some(forms.commits.iter().find_map(last)?.as_str())
}

/// The severity that a bot put into its own words; important where it did not.
///
/// Of a bot whose labels are known these alone count: "P1" in its prose may be the name of a folder.
pub fn bot_priority(bot: AccountId, body: &str) -> Priority {
    let begin: String = body.chars().take(SEVERITY_CHARS).collect();
    let labels = forms_of(bot).map(|forms| &forms.severities);
    let Some(labels) = labels.filter(|labels| !labels.is_empty()) else {
        return general_priority(&begin);
    };
    let said = labels.iter().find(|(label, _)| label.is_match(&begin));
    said.map_or(Priority::P2, |(_, priority)| *priority)
}

fn general_priority(begin: &str) -> Priority {
    static WORDS: LazyLock<[(Regex, Priority); 3]> = LazyLock::new(|| {
        [
            (
                expression(r"\bp0\b|\bblocker\b|🔴 critical|severity: critical"),
                Priority::P0,
            ),
            (
                expression(
                    r"\bp1\b|critical severity|high severity|high-priority|severity: high|🟠 major",
                ),
                Priority::P1,
            ),
            (
                expression(r"\bp3\b|\bnitpick\b|low severity|\btrivial\b|severity: low"),
                Priority::P3,
            ),
        ]
    });
    let found = WORDS.iter().find(|(words, _)| words.is_match(begin));
    found.map_or(Priority::P2, |(_, priority)| *priority)
}

/// Whether a bot's reply only agrees or thanks: it asks for nothing. Where it may do more, it does: one more answer costs less than
/// an objection that nobody hears.
pub fn is_thanks(bot: AccountId, body: &str) -> bool {
    static AGREES: LazyLock<Regex> = LazyLock::new(|| {
        expression(
            r"^(`?@[\w\[\]-]+`?[,:! ]*)?(—|-)?\s*(thank|thanks|thx|got it|understood|acknowledged|agreed|i agree|you.re (absolutely )?right|that makes sense|makes sense|sounds good|great|perfect|excellent|noted|resolved|good (catch|point|fix|to know)|looks good|lgtm|appreciate|✅|👍|🎉|of course|no problem|glad)",
        )
    });
    static OBJECTS: LazyLock<Regex> = LazyLock::new(|| {
        expression(
            r"\b(however|but|yet|still|although|though|that said|nevertheless|nonetheless|instead|unfortunately|disagree|concerns?|concerned|recommend|suggest|must|needs? to|remains?|persists?|please|(could|can|would) you (also )?(add|fix|check|confirm|address|reconsider|explain|make|move|remove|handle)|not (yet )?(fixed|resolved|addressed))\b",
        )
    });
    let says = |line: &String| !line.is_empty() && is_shown(line);
    let shown: Vec<String> = body.lines().map(plain).filter(says).collect();
    let Some(first) = shown.first() else {
        return true;
    };
    let agrees = AGREES.is_match(first)
        || read_bot_text(bot, body, Time(0)) == BotText::Remark && shown.len() <= 4;
    // What it quotes are the words of others.
    let own = body
        .lines()
        .filter(|line| !line.trim_start().starts_with('>'));
    agrees && !own.map(plain).any(|line| OBJECTS.is_match(&line))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_form_that_no_table_names_is_looked_for_in_the_first_lines_alone() {
        let bot = AccountId(206_951_365);
        let read = |body: &str| read_bot_text(bot, body, Time(0));
        assert_eq!(
            read("Rate limit exceeded."),
            BotText::Notice { until: None }
        );
        let deep = "The reader waits.\n\nIt says why.\n\nIt goes on.\n\nRate limit exceeded is said too late.";
        assert_eq!(read(deep), BotText::Review);
    }

    #[test]
    fn words_of_thanks_that_go_on_to_object_are_no_thanks() {
        let bot = AccountId(136_622_811);
        for agrees in [
            "`@kim` Thank you for the explanation, that makes sense. I have noted it for further reviews.",
            "Got it, thanks!",
            "You're right: the caller holds the lock.\n\n> the lock is still taken twice",
            "✅ Resolved in 4d1f0c2.",
        ] {
            assert!(is_thanks(bot, agrees), "{agrees}");
        }
        let late = format!(
            "Thanks.\n\n{}Still, the second path has no guard.",
            "A line.\n".repeat(30)
        );
        for objects in [
            "Thanks for the explanation. I'd still recommend a guard: the reader may be empty.",
            "Understood, but an empty list ends the loop early.",
            "Got it. That said, the second path has no guard.",
            "Confirmed: the lock is taken twice.",
            "Agreed. Could you add a test for the empty list?",
            "You're right that it is rare, yet line 40 does it.",
            "Noted. The handler must close the file on each path.",
            "Makes sense.\nIt needs to be said in the docs, too.",
            late.as_str(),
        ] {
            assert!(!is_thanks(bot, objects), "{objects}");
        }
    }
}
