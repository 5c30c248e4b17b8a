//! The line of somebody's words that stands for them as a title.

use pulldown_cmark::{Event, Parser, Tag, TagEnd};
use std::mem::take;

/// So many characters of a line are taken.
const MOST: usize = 160;
/// The title of words that say nothing.
const NOTHING: &str = "…";

/// The first line of Markdown that says something, without its marks: no badge, no quotation, and no bot's label, such as CodeRabbit's
/// `_⚠️ Potential issue_ | _🟠 Major_`. The label, or the first line of code, where there is nothing else.
pub(super) fn title_line(body: &str) -> String {
    let mut lines = Lines::default();
    for event in Parser::new(body) {
        lines.read(event);
        if lines.said.is_some() {
            break;
        }
    }
    lines.end();
    let found = lines.said.or(lines.label).or(lines.code);
    let title = found.unwrap_or_else(|| NOTHING.into());
    title.chars().take(MOST).collect()
}

/// The lines of a text, as far as they were read.
#[derive(Default)]
struct Lines {
    /// What the line says that is being read.
    line: String,
    /// What of it is not in italics.
    upright: String,
    /// How many quotations, images and badges surround what is read: it is not said.
    unsaid: usize,
    italics: usize,
    blocks_of_code: usize,
    /// The first line that says something.
    said: Option<String>,
    /// The first that is a label.
    label: Option<String>,
    /// The first of code.
    code: Option<String>,
}

impl Lines {
    fn read(&mut self, event: Event<'_>) {
        match event {
            Event::Start(tag) => self.enter(&tag),
            Event::End(tag) => self.leave(tag),
            Event::Text(text) if self.blocks_of_code > 0 => {
                let first = text.lines().find(|line| !line.trim().is_empty());
                let first = first.map(|line| line.trim().to_owned());
                self.code = self.code.take().or(first);
            }
            Event::Text(text) => self.push(&text),
            Event::Code(text) => self.push(&format!("`{text}`")),
            Event::SoftBreak | Event::HardBreak => self.end(),
            // Qodo's labels are code in HTML.
            Event::InlineHtml(tag) if tag.starts_with("<code") => self.unsaid += 1,
            Event::InlineHtml(tag) if tag.starts_with("</code") => self.say_again(),
            _ => {}
        }
    }

    fn enter(&mut self, tag: &Tag<'_>) {
        match tag {
            Tag::Emphasis => self.italics += 1,
            Tag::Strong | Tag::Strikethrough | Tag::Link { .. } => {}
            Tag::Image { .. } => self.unsaid += 1,
            _ => {
                self.end();
                self.unsaid += usize::from(matches!(tag, Tag::BlockQuote(_)));
                self.blocks_of_code += usize::from(matches!(tag, Tag::CodeBlock(_)));
            }
        }
    }

    fn leave(&mut self, tag: TagEnd) {
        match tag {
            TagEnd::Emphasis => self.italics -= 1,
            TagEnd::Strong | TagEnd::Strikethrough | TagEnd::Link => {}
            TagEnd::Image => self.say_again(),
            _ => {
                self.end();
                if matches!(tag, TagEnd::BlockQuote(_)) {
                    self.say_again();
                }
                self.blocks_of_code -= usize::from(tag == TagEnd::CodeBlock);
            }
        }
    }

    /// A tag of HTML may end what nothing began.
    fn say_again(&mut self) {
        self.unsaid = self.unsaid.saturating_sub(1);
    }

    fn push(&mut self, text: &str) {
        if self.unsaid > 0 {
            return;
        }
        self.line.push_str(text);
        if self.italics == 0 {
            self.upright.push_str(text);
        }
    }

    fn end(&mut self) {
        let (line, upright) = (take(&mut self.line), take(&mut self.upright));
        let line = line.trim();
        if line.is_empty() {
            return;
        }
        let place = match is_label(line, &upright) {
            true => &mut self.label,
            false => &mut self.said,
        };
        place.get_or_insert_with(|| line.to_owned());
    }
}

/// Whether a line is all in italics, and in several parts or with a picture before them: people write a whole line in italics, too.
fn is_label(line: &str, upright: &str) -> bool {
    let between = upright.trim();
    let has_parts = !between.is_empty();
    let has_picture = !line.starts_with(char::is_alphanumeric);
    between.chars().all(|c| c == '|' || c.is_whitespace()) && (has_parts || has_picture)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_line_that_says_something_is_the_title() {
        for (body, title) in [
            ("Plain words.\nMore.", "Plain words."),
            ("\n## **Heading** of `code`\n\nMore.", "Heading of `code`"),
            ("> quoted\n\nAnswered.", "Answered."),
            ("<!-- hidden -->\nShown.", "Shown."),
            ("- first\n- second", "first"),
            (
                "*A whole line in italics*\n\nMore.",
                "A whole line in italics",
            ),
            ("*no* | **yes**\n\nMore.", "no | yes"),
            (
                "_⚠️ Potential issue_ | _🟠 Major_\n\n**Guard it.**",
                "Guard it.",
            ),
            ("_🛠️ Refactor suggestion_\n**Guard it.**", "Guard it."),
            (
                "_⚠️ Potential issue_ | _🟠 Major_",
                "⚠️ Potential issue | 🟠 Major",
            ),
            ("```rust\nlet x = 1;\n```\nUse that.", "Use that."),
            ("```suggestion\n\n  let x = 1;\n```", "let x = 1;"),
            ("</code> said", "said"),
            ("snake_case_name and a_b", "snake_case_name and a_b"),
            ("> quoted", "…"),
            ("", "…"),
        ] {
            assert_eq!(title_line(body), title, "{body}");
        }
        let long = title_line(&"é".repeat(1_000));
        assert_eq!(long.chars().count(), MOST);
    }
}
