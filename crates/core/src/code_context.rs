//! Code beside a change that helps to judge it: which functions its lines are in, what they use, and what uses them (§4.4).

/// Where a function of a file begins and ends; lines from 1, both ends in it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct FunctionSpan {
    /// Its first line, with what is said right above it.
    pub first: u32,
    /// Its last line.
    pub last: u32,
    /// The last line of its signature.
    pub signature_last: u32,
}

/// What a piece of code has to do with the change.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum CodeRole {
    /// It defines what the new lines use.
    Definition,
    /// It uses what the change redefines or removes.
    CallSite,
}

/// Lines of a file that the pull request does not change.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct RelatedCode {
    /// The name by which it was found.
    pub symbol: String,
    /// What it has to do with the change.
    pub role: CodeRole,
    /// The file.
    pub path: String,
    /// The lines at the head, with their numbers from 1.
    pub lines: Vec<(u32, String)>,
    /// Files of the change that touch the symbol.
    pub touched_by: Vec<String>,
}

/// Words to look for in the files of a commit.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct WordSearch {
    /// The words, as they are: no pattern. One that holds what no name holds is not looked for.
    pub words: Vec<String>,
    /// Only files whose names end in a point and one of these are looked at.
    pub extensions: Vec<String>,
}

/// A line that holds one of the words that were looked for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TextHit {
    /// The file.
    pub path: String,
    /// The line, from 1.
    pub line: u32,
    /// What stands there; of a long line only the beginning. What is no UTF-8 is `U+FFFD`.
    pub text: String,
}

/// What a search came to.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct WordHits {
    /// The lines, in the order of paths.
    pub hits: Vec<TextHit>,
    /// Whether it ended before everything was looked at: too much was found, or it took too long.
    pub truncated: bool,
}

/// The shortest of these spans that each line is in, by its place in `spans`; lines in order and spans by their first lines, both ends of a
/// span in it. One walk over both: who writes a file says how many there are of either.
pub fn innermost_spans(
    lines: impl IntoIterator<Item = u32>,
    spans: &[(u32, u32)],
) -> Vec<(u32, Option<usize>)> {
    let mut order: Vec<usize> = (0..spans.len()).collect();
    order.sort_by_key(|at| spans[*at].0);
    let mut coming = order.into_iter().peekable();
    let mut open: Vec<usize> = Vec::new();
    let mut out = Vec::new();
    for line in lines {
        while let Some(at) = coming.next_if(|at| spans[*at].0 <= line) {
            open.push(at);
        }
        open.retain(|at| spans[*at].1 >= line);
        let length = |at: &&usize| spans[**at].1.saturating_sub(spans[**at].0);
        out.push((line, open.iter().min_by_key(length).copied()));
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_line_has_the_shortest_span_around_it() {
        let spans = [(1, 100), (10, 20), (12, 14), (30, 90), (15, 40)];
        let found = innermost_spans([1, 9, 10, 13, 15, 25, 35, 95, 101], &spans);
        let places: Vec<Option<usize>> = found.iter().map(|(_, at)| *at).collect();
        let expect = [
            Some(0),
            Some(0),
            Some(1),
            Some(2),
            Some(1),
            Some(4),
            Some(4),
            Some(0),
            None,
        ];
        assert_eq!(places, expect);
        assert_eq!(innermost_spans([5], &[]), [(5, None)]);
        assert_eq!(innermost_spans([], &spans), []);
        let odd = [(0, u32::MAX), (u32::MAX, 0)];
        assert_eq!(
            innermost_spans([7, u32::MAX], &odd),
            [(7, Some(0)), (u32::MAX, Some(0))]
        );
    }
}
