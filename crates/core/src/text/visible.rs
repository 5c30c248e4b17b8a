//! Text of others as people see it: a terminal, a log or an editor obeys nothing that is in it (§9.2).
//!
//! A character that would steer what shows it, change the order of what is shown, or show nothing at all has something that can
//! be seen in its place, so that nobody is deceived about what was there.

use super::untrusted::is_invisible;
use serde::{Deserialize, Serialize};
use std::borrow::Cow;
use std::io::{self, Write};

/// What stands for a character that has no picture of its own.
const UNSHOWABLE: char = '\u{fffd}';

/// Whether a character must not reach a terminal as it is. Line ends and tabs are among them: who wants them keeps them.
fn is_hidden(c: char) -> bool {
    is_invisible(c) || matches!(c, '\t' | '\n' | '\r' | '\u{2028}' | '\u{2029}')
}

/// What stands for a hidden character: its control picture, where it has one.
fn picture(c: char) -> char {
    match c {
        '\0'..='\u{1f}' => char::from_u32(0x2400 + u32::from(c)).unwrap_or(UNSHOWABLE),
        '\u{7f}' => '\u{2421}',
        _ => UNSHOWABLE,
    }
}

fn replace_hidden(text: &str, is_kept: impl Fn(char) -> bool) -> Cow<'_, str> {
    let is_replaced = |c: char| is_hidden(c) && !is_kept(c);
    if !text.contains(is_replaced) {
        return Cow::Borrowed(text);
    }
    let shown = |c: char| if is_replaced(c) { picture(c) } else { c };
    Cow::Owned(text.chars().map(shown).collect())
}

/// A text of one line, such as a name: every hidden character is replaced by something visible.
pub fn visible_line(text: &str) -> Cow<'_, str> {
    replace_hidden(text, |_| false)
}

/// The same for text that may have lines and tabs; the line ends of other systems become ours.
pub fn visible_block(text: &str) -> Cow<'_, str> {
    let is_kept = |c: char| matches!(c, '\n' | '\t');
    if text.contains("\r\n") {
        let text = text.replace("\r\n", "\n");
        return Cow::Owned(replace_hidden(&text, is_kept).into_owned());
    }
    replace_hidden(text, is_kept)
}

/// JSON whose hidden characters are written as `\uXXXX`: who reads it gets the same text, and who looks at it is not deceived.
pub fn escape_json(json: &str) -> Cow<'_, str> {
    // JSON escapes the older ones itself; those that are left end lines and indent.
    let is_escaped = |c: char| c >= '\u{7f}' && is_hidden(c);
    if !json.contains(is_escaped) {
        return Cow::Borrowed(json);
    }
    let mut out = String::with_capacity(json.len() + 16);
    for c in json.chars() {
        if is_escaped(c) {
            for unit in c.encode_utf16(&mut [0; 2]) {
                out.push_str(&format!("\\u{unit:04x}"));
            }
        } else {
            out.push(c);
        }
    }
    Cow::Owned(out)
}

/// Hands lines of JSON on with [`escape_json`], each with a single write. Every write to it has to be whole lines.
#[derive(Debug)]
pub struct JsonEscapeWriter<W>(W);

impl<W: Write> JsonEscapeWriter<W> {
    /// Writes to `inner`.
    pub fn new(inner: W) -> Self {
        Self(inner)
    }
}

impl<W: Write> Write for JsonEscapeWriter<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let text = String::from_utf8_lossy(bytes);
        self.0.write_all(escape_json(&text).as_bytes())?;
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        self.0.flush()
    }
}

/// Text that somebody else wrote, such as the name of a check, a title or a branch. It has no `Display`: it is shown by
/// [`to_line`](Self::to_line) or [`to_block`](Self::to_block), and what is kept and compared is the text as it is.
///
/// ```compile_fail
/// let title = collie_core::text::UntrustedText::from("a title");
/// println!("{title}");
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct UntrustedText(String);

impl UntrustedText {
    /// As one line that can be shown.
    pub fn to_line(&self) -> Cow<'_, str> {
        visible_line(&self.0)
    }

    /// As lines that can be shown.
    pub fn to_block(&self) -> Cow<'_, str> {
        visible_block(&self.0)
    }

    /// Whether there is nothing to show.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// As it is, to compare, to keep, and to hand to who treats it in another way; never to show.
    pub fn as_raw(&self) -> &str {
        &self.0
    }
}

impl From<String> for UntrustedText {
    fn from(text: String) -> Self {
        Self(text)
    }
}

impl From<&str> for UntrustedText {
    fn from(text: &str) -> Self {
        Self(text.to_owned())
    }
}

impl PartialEq<&str> for UntrustedText {
    fn eq(&self, other: &&str) -> bool {
        self.0 == *other
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Every character that must not reach a terminal as it is, with what stands for it.
    fn hidden() -> impl Iterator<Item = (char, char)> {
        let control = ('\0'..='\u{1f}').zip('\u{2400}'..='\u{241f}');
        let later = ('\u{80}'..='\u{9f}')
            .chain('\u{200b}'..='\u{200f}')
            .chain('\u{2028}'..='\u{202e}')
            .chain('\u{2060}'..='\u{206f}')
            .chain('\u{fe00}'..='\u{fe0f}')
            .chain('\u{e0000}'..='\u{e01ef}')
            .chain(['\u{ad}', '\u{61c}', '\u{feff}']);
        control
            .chain([('\u{7f}', '\u{2421}')])
            .chain(later.map(|c| (c, UNSHOWABLE)))
    }

    #[test]
    fn every_hidden_character_is_seen() {
        for (c, picture) in hidden() {
            let (text, shown) = (format!("a{c}b"), format!("a{picture}b"));
            assert_eq!(visible_line(&text), shown, "{c:?}");
            let block = match c {
                '\n' | '\t' => text.clone(),
                _ => shown.clone(),
            };
            assert_eq!(visible_block(&text), block, "{c:?}");
            assert_eq!(UntrustedText::from(text.as_str()).to_block(), block);
            assert_eq!(UntrustedText::from(text).to_line(), shown);
        }
    }

    #[test]
    fn what_can_be_seen_stays_as_it_is() {
        for text in ["", "a b", "é ß 漢字 עברית ✓ 🦀 1\u{a0}000\u{202f}!", "␛"] {
            assert!(matches!(visible_line(text), Cow::Borrowed(same) if same == text));
            assert!(matches!(visible_block(text), Cow::Borrowed(same) if same == text));
            assert!(matches!(escape_json(text), Cow::Borrowed(same) if same == text));
        }
        assert_eq!(visible_block("a\r\nb\tc\rd\n"), "a\nb\tc␍d\n");
    }

    #[test]
    fn escaped_json_is_ascii_where_it_hides_something_and_reads_the_same() {
        for (c, _) in hidden() {
            let text = format!("a\\{c}\"é");
            let json = serde_json::to_string(&text).unwrap();
            let escaped = escape_json(&json);
            assert!(!escaped.contains(is_hidden), "{escaped:?}");
            assert!(escaped.contains('é'));
            assert_eq!(serde_json::from_str::<String>(&escaped).unwrap(), text);
        }
        assert_eq!(
            escape_json("\"\u{9b}\u{e0041}\"\n"),
            "\"\\u009b\\udb40\\udc41\"\n"
        );
    }

    #[test]
    fn a_line_of_json_is_escaped_with_a_single_write() {
        #[derive(Default)]
        struct Writes(Vec<Vec<u8>>);
        impl Write for Writes {
            fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
                self.0.push(bytes.to_vec());
                Ok(bytes.len())
            }
            fn flush(&mut self) -> io::Result<()> {
                Ok(())
            }
        }
        let mut writer = JsonEscapeWriter::new(Writes::default());
        writer
            .write_all("{\"a\":\"\u{9b}é\"}\n".as_bytes())
            .unwrap();
        assert_eq!(writer.0.0, ["{\"a\":\"\\u009bé\"}\n".as_bytes()]);
    }

    #[test]
    fn untrusted_text_is_kept_as_it_is() {
        let title: UntrustedText = serde_json::from_str("\"a\\u001bb\"").unwrap();
        assert_eq!(title.as_raw(), "a\u{1b}b");
        assert_eq!(serde_json::to_string(&title).unwrap(), "\"a\\u001bb\"");
        assert_eq!(format!("{title:?}"), "UntrustedText(\"a\\u{1b}b\")");
    }
}
