//! Which bracket belongs to which, in code without strings and comments.

/// Headers and gaps are looked through this far.
const MAX_STEPS: usize = 8_000;
/// As many brackets in a row may lack their partner.
const MAX_UNCLOSED: usize = 32;

/// The partner of each bracket of a text.
pub(super) struct Brackets<'a> {
    code: &'a [u8],
    partner: Vec<Option<u32>>,
}

impl<'a> Brackets<'a> {
    pub(super) fn new(code: &'a str) -> Self {
        let code = code.as_bytes();
        let mut partner = vec![None; code.len()];
        let mut open: Vec<usize> = Vec::new();
        for (at, byte) in code.iter().enumerate() {
            let opening = match byte {
                b'(' | b'[' | b'{' => {
                    open.push(at);
                    continue;
                }
                b')' => b'(',
                b']' => b'[',
                b'}' => b'{',
                _ => continue,
            };
            // One that was never closed is passed over.
            let missing = open
                .iter()
                .rev()
                .take(MAX_UNCLOSED)
                .position(|at| code[*at] == opening);
            if let Some(missing) = missing {
                let depth = open.len() - 1 - missing;
                let from = open[depth];
                open.truncate(depth);
                partner[from] = u32::try_from(at).ok();
                partner[at] = u32::try_from(from).ok();
            }
        }
        Self { code, partner }
    }

    /// The partner of the bracket at this place.
    pub(super) fn partner(&self, at: usize) -> Option<usize> {
        self.partner
            .get(at)
            .copied()
            .flatten()
            .map(|at| at as usize)
    }

    /// Where what is in the bracket ends; right behind it when it is never closed.
    pub(super) fn closing_of(&self, open: usize) -> usize {
        self.partner(open).filter(|at| *at > open).unwrap_or(open)
    }

    /// The next place at or after `at`, outside of brackets that open there, where one of the bytes is.
    pub(super) fn next_of(&self, at: usize, wanted: &[u8]) -> Option<usize> {
        let mut at = at;
        for _ in 0..MAX_STEPS {
            let byte = self.code.get(at)?;
            if wanted.contains(byte) {
                return Some(at);
            }
            at = match byte {
                b'(' | b'[' | b'{' => self.closing_of(at) + 1,
                b')' | b']' | b'}' => return None,
                _ => at + 1,
            };
        }
        None
    }

    /// Where the statement ends that goes on here: at its line's end, a `;`, or the bracket it is in.
    pub(super) fn statement_end(&self, at: usize) -> usize {
        let mut at = at;
        for _ in 0..MAX_STEPS {
            at = match self.code.get(at) {
                None => return self.code.len(),
                Some(b'\n' | b';' | b')' | b']' | b'}') => return at,
                Some(b'(' | b'[' | b'{') => self.closing_of(at) + 1,
                Some(_) => at + 1,
            };
        }
        at
    }

    /// The byte at this place or after blanks.
    pub(super) fn next_non_blank(&self, at: usize) -> Option<(usize, u8)> {
        let rest = self.code.get(at..)?;
        let skipped = rest.iter().position(|byte| !byte.is_ascii_whitespace())?;
        Some((at + skipped, rest[skipped]))
    }

    /// Where the declaration begins that has a name at `at`: after the last `;`, `{` or `}` that is in no bracket.
    pub(super) fn declaration_start(&self, at: usize) -> usize {
        let mut from = at;
        for _ in 0..MAX_STEPS {
            let Some(before) = from.checked_sub(1) else {
                return 0;
            };
            from = match self.code[before] {
                b';' | b'{' | b'}' | b'(' | b'[' => return from,
                b')' | b']' => match self.partner(before) {
                    Some(open) => open,
                    None => return from,
                },
                _ => before,
            };
        }
        from
    }

    /// The ranges of what commas part in a bracket; a last empty one does not count.
    pub(super) fn elements(&self, open: usize) -> Vec<(usize, usize)> {
        let end = self.closing_of(open);
        let mut found = Vec::new();
        let mut from = open + 1;
        let mut at = from;
        while at < end {
            match self.code[at] {
                b',' => {
                    found.push((from, at));
                    from = at + 1;
                    at += 1;
                }
                b'(' | b'[' | b'{' => at = self.closing_of(at) + 1,
                _ => at += 1,
            }
        }
        if from < end {
            found.push((from, end));
        }
        found.retain(|(from, to)| !self.code[*from..*to].trim_ascii().is_empty());
        found
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn brackets_are_paired_whatever_is_missing() {
        let code = "a(b[c){d} , {e, f(g, h),}";
        let brackets = Brackets::new(code);
        assert_eq!(brackets.closing_of(1), 5);
        assert_eq!(brackets.closing_of(3), 3, "never closed");
        let open = code.find("{e").unwrap();
        assert_eq!(brackets.elements(open).len(), 2);
        assert_eq!(brackets.next_of(0, b","), code.find(','));
    }

    #[test]
    fn a_declaration_begins_after_the_one_before() {
        let code = "x; #[a(b; c)] fn f";
        assert_eq!(Brackets::new(code).declaration_start(code.len()), 2);
    }
}
