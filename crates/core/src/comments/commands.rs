//! What a comment is, read as people read it: commands to Collie, words that ask for something, or neither (§7).
//!
//! A command stands outside of quotations, code, lists and HTML, on a line of its own: nothing of its paragraph goes on after it, and what is
//! before it in the paragraph has ended. <https://github.github.com/gfm/#paragraphs> says what a paragraph is; a line below a quotation that no
//! empty line parts from it belongs to the quotation.

use crate::command::Command;
use pulldown_cmark::{Event, Parser, Tag};
use std::ops::Range;

/// How a command begins.
const PREFIX: &str = "/collie";
/// Commands of one comment that are obeyed.
const MAX_COMMANDS: usize = 5;
/// Of so many words a command to another bot is made: `/retest`, `/label needs review`.
const MAX_OTHER_COMMAND: usize = 3;
/// Comments of more words than that say something.
const MAX_SMALL_TALK: usize = 6;

/// What people say when they ask for nothing.
const SMALL_TALK: [&str; 36] = [
    "lgtm",
    "thanks",
    "thank",
    "you",
    "thx",
    "ty",
    "nice",
    "great",
    "good",
    "job",
    "work",
    "looks",
    "to",
    "me",
    "ok",
    "okay",
    "cool",
    "perfect",
    "awesome",
    "excellent",
    "well",
    "done",
    "very",
    "much",
    "so",
    "for",
    "this",
    "the",
    "fix",
    "ship",
    "it",
    "merci",
    "super",
    "bravo",
    "parfait",
    "beaucoup",
];

/// What a comment says.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CommentReading {
    /// Commands, in order, each once.
    pub commands: Vec<Command>,
    /// It says something beside them that may ask for an answer.
    pub asks: bool,
}

impl CommentReading {
    /// Whether it asks to fix what its thread is about, and says no more.
    pub fn only_asks_to_fix(&self) -> bool {
        !self.asks && self.commands.contains(&Command::FixThis)
    }
}

/// One line of a paragraph.
#[derive(Default)]
struct Line {
    text: String,
    /// Where it begins in the source; none while it is empty.
    start: Option<usize>,
    /// Something in it is more than plain words: code, emphasis, a link.
    marked_up: bool,
}

impl Line {
    fn push(&mut self, text: &str, at: &Range<usize>) {
        self.start.get_or_insert(at.start);
        self.text.push_str(text);
    }

    /// What follows the prefix, where the line begins with it.
    fn command_words(&self, body: &str) -> Option<&str> {
        let start = self.start?;
        let (head, words) = self.text.split_at_checked(PREFIX.len())?;
        let ends = words.is_empty() || words.starts_with(char::is_whitespace);
        // A backslash before it says that it is none.
        let escaped = body.get(..start).is_some_and(|text| text.ends_with('\\'));
        let plain = head.eq_ignore_ascii_case(PREFIX) && ends && !escaped && !self.marked_up;
        plain.then_some(words)
    }

    fn ends_sentence(&self) -> bool {
        self.text.trim_end().ends_with(['.', '!', '?'])
    }
}

/// Reads a comment.
pub fn read_comment(body: &str) -> CommentReading {
    let mut reading = CommentReading::default();
    let mut words = String::new();
    let mut depth = 0_u32;
    let mut quotes = 0_u32;
    let mut paragraph: Option<Vec<Line>> = None;
    for (event, at) in Parser::new(body).into_offset_iter() {
        match event {
            Event::Start(Tag::Paragraph) if depth == 0 => {
                paragraph = Some(vec![Line::default()]);
                depth += 1;
            }
            Event::Start(tag) => {
                depth += 1;
                quotes += u32::from(matches!(tag, Tag::BlockQuote(_)));
                if let Some(line) = paragraph.as_mut().and_then(|lines| lines.last_mut()) {
                    line.marked_up = true;
                }
            }
            Event::End(end) => {
                depth = depth.saturating_sub(1);
                let is_quote = matches!(end, pulldown_cmark::TagEnd::BlockQuote(_));
                quotes = quotes.saturating_sub(u32::from(is_quote));
                if depth == 0
                    && let Some(lines) = paragraph.take()
                {
                    read_paragraph(body, &lines, &mut reading, &mut words);
                }
                words.push(' ');
            }
            Event::Text(text) => add_text(&mut paragraph, &mut words, quotes, &text, &at),
            Event::SoftBreak | Event::HardBreak => match &mut paragraph {
                Some(lines) => lines.push(Line::default()),
                None => words.push(' '),
            },
            Event::Code(text) | Event::InlineMath(text) | Event::DisplayMath(text) => {
                add_text(&mut paragraph, &mut words, quotes, &text, &at);
                if let Some(line) = paragraph.as_mut().and_then(|lines| lines.last_mut()) {
                    line.marked_up = true;
                }
            }
            // What nobody sees asks for nothing.
            Event::Html(_)
            | Event::InlineHtml(_)
            | Event::FootnoteReference(_)
            | Event::Rule
            | Event::TaskListMarker(_) => {}
        }
    }
    reading.asks = asks_something(&words);
    reading
}

/// Adds words: to the paragraph that is read, else to what the comment says. What is quoted was said before.
fn add_text(
    paragraph: &mut Option<Vec<Line>>,
    words: &mut String,
    quotes: u32,
    text: &str,
    at: &Range<usize>,
) {
    match paragraph.as_mut().and_then(|lines| lines.last_mut()) {
        Some(line) => line.push(text, at),
        None if quotes == 0 => words.push_str(text),
        None => {}
    }
}

/// Sorts the lines of a paragraph into commands and words.
fn read_paragraph(body: &str, lines: &[Line], reading: &mut CommentReading, words: &mut String) {
    let stands_alone = |at: usize| {
        let is_command = |line: &Line| line.command_words(body).is_some();
        let before = at.checked_sub(1).and_then(|before| lines.get(before));
        let ended = before.is_none_or(|line| is_command(line) || line.ends_sentence());
        let mut after = lines.iter().skip(at + 1);
        ended && after.all(is_command)
    };
    for (at, line) in lines.iter().enumerate() {
        let command = line.command_words(body).filter(|_| stands_alone(at));
        match command.map(Command::parse) {
            Some(command) => {
                let known = reading.commands.contains(&command);
                if !known && reading.commands.len() < MAX_COMMANDS {
                    reading.commands.push(command);
                }
            }
            None => {
                words.push_str(&line.text);
                words.push(' ');
            }
        }
    }
}

/// Whether words may ask for something: neither thanks and praise, nor commands to other bots.
fn asks_something(text: &str) -> bool {
    let text = text.trim();
    if text.contains('?') {
        return true;
    }
    let other_command = text.strip_prefix('/');
    if other_command.is_some_and(|word| word.starts_with(|c: char| c.is_ascii_alphabetic()))
        && !text.to_lowercase().starts_with(PREFIX)
    {
        return text.split_whitespace().count() > MAX_OTHER_COMMAND;
    }
    let words: Vec<String> = text
        .split(|c: char| !c.is_alphanumeric())
        .filter(|word| !word.is_empty())
        .map(str::to_lowercase)
        .collect();
    words.len() > MAX_SMALL_TALK
        || words
            .iter()
            .any(|word| !SMALL_TALK.contains(&word.as_str()) && word != "1")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn commands(body: &str) -> Vec<Command> {
        read_comment(body).commands
    }

    #[test]
    fn a_command_is_a_line_of_its_own() {
        use Command::*;
        let unknown = |words: &str| Unknown {
            words: words.into(),
        };
        let obeyed: [(&str, Vec<Command>); 12] = [
            ("/collie stop", vec![Stop]),
            ("  /collie stop  \n", vec![Stop]),
            ("/Collie STOP.", vec![Stop]),
            ("/collie retry\r\n", vec![Retry]),
            ("/collie explain F-3", vec![Explain { number: 3 }]),
            ("/collie explain f-12", vec![Explain { number: 12 }]),
            ("That is right!\n/collie fix this", vec![FixThis]),
            ("Please.\n\n/collie fix this\n\nIt is old.", vec![FixThis]),
            ("> why?\n\n/collie done", vec![Done]),
            (
                "/collie explain F-1\n/collie explain F-2\n/collie explain F-1",
                vec![Explain { number: 1 }, Explain { number: 2 }],
            ),
            ("/collie frobnicate now", vec![unknown("frobnicate now")]),
            ("/collie explain 3", vec![unknown("explain 3")]),
        ];
        for (body, wanted) in obeyed {
            assert_eq!(commands(body), wanted, "{body:?}");
        }
    }

    #[test]
    fn what_is_quoted_fenced_or_part_of_a_sentence_is_no_command() {
        for body in [
            "> /collie stop",
            "> said ana\n/collie stop",
            ">> /collie stop",
            "```\n/collie stop\n```",
            "~~~sh\n/collie stop\n~~~",
            "```\n/collie stop",
            "    /collie stop",
            "`/collie stop`",
            "**/collie stop**",
            "- /collie stop",
            "1. /collie stop",
            "# /collie stop",
            "\\/collie stop",
            "<!-- /collie stop -->",
            "<pre>\n/collie stop\n</pre>",
            "You may write /collie stop here",
            "You may write\n/collie stop",
            "/collie stop\nis what I would write",
            "/colliestop",
            "collie stop",
            "@collie stop",
            "//collie stop",
            "/collie/stop",
            "",
        ] {
            assert_eq!(commands(body), Vec::new(), "{body:?}");
        }
    }

    #[test]
    fn thanks_and_commands_ask_for_no_answer_and_anything_else_does() {
        for quiet in [
            "",
            "LGTM",
            "Thanks!",
            "looks good to me 👍",
            "🎉",
            "+1",
            "/collie stop",
            "> Please rename this.\n\nThank you!",
            "<!-- a form -->",
            "/retest",
            "Merci beaucoup",
        ] {
            assert!(!read_comment(quiet).asks, "{quiet:?}");
        }
        for asks in [
            "Please rename this.",
            "ok?",
            "Thanks, but this breaks on an empty list.",
            "`foo`",
            "- rename it",
            "> Please rename this.\n\nWhy?",
            "/collie stop\nis what I would write",
            "Rename it.\n\n/collie fix this",
            "```\nlet x = 1;\n```",
        ] {
            assert!(read_comment(asks).asks, "{asks:?}");
        }
    }

    #[test]
    fn a_comment_is_obeyed_so_often_and_no_more() {
        let many: String = (1..20)
            .map(|n| format!("/collie explain F-{n}\n"))
            .collect();
        assert_eq!(commands(&many).len(), MAX_COMMANDS);
    }
}
