//! The text of a file, and the places in it that linters name in different units.

/// The text of a file.
#[derive(Debug)]
pub(crate) struct Text {
    text: String,
    /// Places at most `MARK_STEP` bytes apart, so that no search walks a whole file.
    marks: Vec<Place>,
    /// Where lines start after `\n`.
    lines: Vec<usize>,
    /// Where lines start after `\n`, `\r\n` or a lone `\r`.
    python_lines: Vec<usize>,
}

/// A place in a text, counted in three units from 0.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
struct Place {
    byte: usize,
    char: usize,
    utf16: usize,
}

impl Place {
    fn after(self, character: char) -> Self {
        Self {
            byte: self.byte + character.len_utf8(),
            char: self.char + 1,
            utf16: self.utf16 + character.len_utf16(),
        }
    }
}

/// How lines and columns are counted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Counting {
    /// `\n` ends a line, and a byte order mark is a character.
    Plain,
    /// A lone `\r` ends a line too, and a byte order mark is nothing.
    Python,
}

const MARK_STEP: usize = 1024;
const BOM: char = '\u{feff}';

impl Text {
    /// The text of these bytes, if they are UTF-8.
    pub(crate) fn new(bytes: Vec<u8>) -> Option<Self> {
        let text = String::from_utf8(bytes).ok()?;
        let mut marks = vec![Place::default()];
        let (mut lines, mut python_lines) = (vec![0], vec![0]);
        let mut place = Place::default();
        let mut next_mark = MARK_STEP;
        let mut characters = text.chars().peekable();
        while let Some(character) = characters.next() {
            place = place.after(character);
            if place.byte >= next_mark {
                marks.push(place);
                next_mark = place.byte + MARK_STEP;
            }
            if character == '\n' {
                lines.push(place.byte);
            }
            if character == '\n' || character == '\r' && characters.peek() != Some(&'\n') {
                python_lines.push(place.byte);
            }
        }
        Some(Self {
            text,
            marks,
            lines,
            python_lines,
        })
    }

    /// Says whether a byte offset is in the text, or at its end, and splits no character.
    pub(crate) fn is_boundary(&self, byte: usize) -> bool {
        self.text.is_char_boundary(byte)
    }

    /// The byte of a character that is counted in UTF-16 code units from 0, behind a byte order
    /// mark.
    pub(crate) fn byte_of_utf16(&self, offset: usize) -> Option<usize> {
        let wanted = offset.checked_add(usize::from(self.has_bom()))?;
        let place = self.walk(|place| place.utf16, wanted)?;
        (place.utf16 == wanted).then_some(place.byte)
    }

    /// The byte of a character that is given by its line and its column in characters, both from
    /// 1.
    pub(crate) fn byte_of_column(
        &self,
        line: u64,
        column: u64,
        counting: Counting,
    ) -> Option<usize> {
        let lines = match counting {
            Counting::Plain => &self.lines,
            Counting::Python => &self.python_lines,
        };
        let index = usize::try_from(line).ok()?.checked_sub(1)?;
        let start = *lines.get(index)?;
        let line_end = lines.get(index + 1).copied().unwrap_or(self.text.len());
        let before = self.walk(|place| place.byte, start)?.char;
        let bom = usize::from(counting == Counting::Python && index == 0 && self.has_bom());
        let in_line = usize::try_from(column).ok()?.checked_sub(1)?;
        let wanted = before.checked_add(in_line)?.checked_add(bom)?;
        let byte = self.walk(|place| place.char, wanted)?.byte;
        (byte <= line_end).then_some(byte)
    }

    /// The line of a byte, from 1, where only `\n` ends lines.
    pub(crate) fn line_of(&self, byte: usize) -> u64 {
        self.lines.partition_point(|start| *start <= byte) as u64
    }

    fn has_bom(&self) -> bool {
        self.text.starts_with(BOM)
    }

    /// The first place whose count is not below the wanted one; `None` behind the end.
    fn walk(&self, unit: impl Fn(&Place) -> usize, wanted: usize) -> Option<Place> {
        let mark = self.marks.partition_point(|mark| unit(mark) <= wanted);
        let mut place = *self.marks.get(mark.checked_sub(1)?)?;
        let mut characters = self.text.get(place.byte..)?.chars();
        while unit(&place) < wanted {
            place = place.after(characters.next()?);
        }
        Some(place)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn units_are_turned_into_bytes() {
        let text = Text::new("ä🐕b\n\tc".as_bytes().to_vec()).unwrap();
        let bytes: Vec<Option<usize>> = (0..9).map(|at| text.byte_of_utf16(at)).collect();
        let expected = [0, 2, 99, 6, 7, 8, 9, 10].map(|at| (at != 99).then_some(at));
        assert_eq!(bytes[..7], expected[..7]);
        assert_eq!(text.byte_of_utf16(7), Some(10));
        assert_eq!(text.byte_of_utf16(8), None);
        let column = |line, column| text.byte_of_column(line, column, Counting::Plain);
        assert_eq!(column(1, 3), Some(6));
        assert_eq!(column(1, 5), Some(8));
        assert_eq!(column(1, 6), None);
        assert_eq!(column(2, 2), Some(9));
        assert_eq!(column(2, 3), Some(10));
        assert_eq!(column(2, 4), None);
        for (line, at) in [(0, 1), (1, 0), (3, 1), (u64::MAX, 1), (1, u64::MAX)] {
            assert_eq!(column(line, at), None);
        }
        assert_eq!(text.line_of(7), 1);
        assert_eq!(text.line_of(8), 2);
    }

    #[test]
    fn a_byte_order_mark_is_not_counted() {
        let text = Text::new("\u{feff}ab\nc".as_bytes().to_vec()).unwrap();
        assert_eq!(text.byte_of_utf16(1), Some(4));
        assert_eq!(text.byte_of_column(1, 2, Counting::Python), Some(4));
        assert_eq!(text.byte_of_column(2, 1, Counting::Python), Some(6));
        assert_eq!(text.byte_of_column(1, 2, Counting::Plain), Some(3));
    }

    #[test]
    fn python_ends_lines_at_a_lone_return() {
        let text = Text::new(b"a\rb\r\nc\nd".to_vec()).unwrap();
        assert_eq!(text.byte_of_column(2, 1, Counting::Python), Some(2));
        assert_eq!(text.byte_of_column(3, 1, Counting::Python), Some(5));
        assert_eq!(text.byte_of_column(4, 1, Counting::Python), Some(7));
        assert_eq!(text.byte_of_column(2, 1, Counting::Plain), Some(5));
        assert_eq!(text.line_of(2), 1);
    }

    #[test]
    fn places_far_inside_are_found() {
        let text = Text::new("ä🐕".repeat(5000).into_bytes()).unwrap();
        assert_eq!(text.byte_of_utf16(3 * 4000), Some(6 * 4000));
        assert_eq!(
            text.byte_of_column(1, 2 * 4000 + 1, Counting::Plain),
            Some(6 * 4000)
        );
        assert_eq!(text.byte_of_utf16(3 * 5000), Some(6 * 5000));
        assert_eq!(text.byte_of_utf16(3 * 5000 + 1), None);
        assert!(Text::new(vec![0xff]).is_none());
    }
}
