//! Lines of places in a text.

/// Counts lines for places that mostly come in order.
pub(super) struct LineCounter<'a> {
    text: &'a str,
    offset: usize,
    line: u32,
}

impl<'a> LineCounter<'a> {
    pub(super) fn new(text: &'a str) -> Self {
        Self {
            text,
            offset: 0,
            line: 1,
        }
    }

    /// The 1-based line of a place.
    pub(super) fn line_at(&mut self, place: usize) -> u32 {
        if place < self.offset {
            *self = Self::new(self.text);
        }
        let between = self
            .text
            .as_bytes()
            .get(self.offset..place)
            .unwrap_or_default();
        let more = between.iter().filter(|byte| **byte == b'\n').count();
        self.line = self
            .line
            .saturating_add(u32::try_from(more).unwrap_or(u32::MAX));
        self.offset = place;
        self.line
    }
}
