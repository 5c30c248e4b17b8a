//! What goes to a terminal: words in which nothing steers it, and our own styles around them.

use collie_core::text::visible_block;
use console::{Alignment, Style, measure_text_width, pad_str, truncate_str};

/// Text for a terminal. Whatever is put into it is shown, control characters as pictures of themselves; nothing but the styles that
/// are given here steers the terminal. So it does not matter who wrote the words.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TerminalText(String);

impl TerminalText {
    /// Words without a style.
    pub fn plain(words: impl AsRef<str>) -> Self {
        let mut text = Self::default();
        text.push(words);
        text
    }

    /// Words in a style.
    pub fn styled(style: &Style, words: impl AsRef<str>) -> Self {
        let mut text = Self::default();
        text.push_styled(style, words);
        text
    }

    /// Adds words without a style.
    pub fn push(&mut self, words: impl AsRef<str>) -> &mut Self {
        self.0.push_str(&visible_block(words.as_ref()));
        self
    }

    /// Adds words in a style.
    pub fn push_styled(&mut self, style: &Style, words: impl AsRef<str>) -> &mut Self {
        let words = visible_block(words.as_ref());
        self.0.push_str(&style.apply_to(words).to_string());
        self
    }

    /// Adds another text with its styles.
    pub fn append(&mut self, other: &Self) -> &mut Self {
        self.0.push_str(&other.0);
        self
    }

    /// Texts in a row with words in between.
    pub fn join(texts: impl IntoIterator<Item = Self>, between: &str) -> Self {
        let mut joined = Self::default();
        for (nth, text) in texts.into_iter().enumerate() {
            if nth > 0 {
                joined.push(between);
            }
            joined.append(&text);
        }
        joined
    }

    /// At most that many columns; what is cut off leaves a mark.
    pub fn truncated(&self, columns: usize) -> Self {
        Self(truncate_str(&self.0, columns, "…").into_owned())
    }

    /// That many columns: filled with blanks, or cut off with a mark.
    pub fn fitted(&self, columns: usize, alignment: Alignment) -> Self {
        Self(pad_str(&self.0, columns, alignment, Some("…")).into_owned())
    }

    /// At least that many columns, filled with blanks.
    pub fn padded(&self, columns: usize, alignment: Alignment) -> Self {
        Self(pad_str(&self.0, columns, alignment, None).into_owned())
    }

    /// Without blanks at its end.
    pub fn trimmed(&self) -> Self {
        Self(self.0.trim_end().to_owned())
    }

    /// Whether there is nothing to show.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The columns it takes.
    pub fn width(&self) -> usize {
        measure_text_width(&self.0)
    }

    /// What the terminal is sent. Only [`output`](crate::output) has a use for it.
    pub fn as_sent(&self) -> &str {
        &self.0
    }
}

#[cfg(test)]
mod tests {
    use super::TerminalText;
    use console::{Alignment, Style};

    /// What somebody may put into a name to steer a terminal.
    const HOSTILE: [&str; 10] = [
        "\u{1b}]52;c;ZXZpbA==\u{7}",
        "\u{1b}[2J\u{1b}[H",
        "\u{1b}[31m",
        "\u{1b}[8mhidden",
        "\u{9b}2J",
        "\u{9d}0;title\u{9c}",
        "a\rb",
        "\u{202e}gnp.exe",
        "\u{2066}a\u{2069}\u{200b}\u{feff}",
        "\u{7}\u{8}\u{7f}\0",
    ];

    /// Whether a text holds nothing but what is printed, lines, and styles that begin and end with `style`.
    fn is_harmless(sent: &str, style: &[&str]) -> bool {
        let plain = style
            .iter()
            .fold(sent.to_owned(), |text, own| text.replace(own, ""));
        plain
            .chars()
            .all(|c| c == '\n' || c == '\t' || !c.is_control())
            && !plain.contains(['\u{202e}', '\u{2066}', '\u{2069}', '\u{200b}', '\u{feff}'])
    }

    #[test]
    fn words_of_others_steer_nothing() {
        let red = Style::new().red().force_styling(true);
        let own = ["\u{1b}[31m", "\u{1b}[0m"];
        for hostile in HOSTILE {
            let plain = TerminalText::plain(hostile);
            assert!(is_harmless(plain.as_sent(), &[]), "{plain:?}");
            let styled = TerminalText::styled(&red, hostile);
            let inside = styled.as_sent().strip_prefix(own[0]);
            let inside = inside.and_then(|text| text.strip_suffix(own[1])).unwrap();
            assert!(is_harmless(inside, &[]), "{styled:?}");
            let mut all = TerminalText::default();
            all.push(hostile).push_styled(&red, hostile).append(&styled);
            let joined = TerminalText::join([all.clone(), plain], hostile);
            for text in [
                all.truncated(9),
                all.fitted(9, Alignment::Left),
                all.padded(99, Alignment::Right),
                all.trimmed(),
                joined,
            ] {
                assert!(is_harmless(text.as_sent(), &own), "{text:?}");
            }
        }
    }

    #[test]
    fn what_is_replaced_can_be_seen() {
        let text = TerminalText::plain("a\u{1b}[2Jb\u{9b}c\u{202e}d\re");
        assert_eq!(text.as_sent(), "a␛[2Jb\u{fffd}c\u{fffd}d␍e");
    }
}
