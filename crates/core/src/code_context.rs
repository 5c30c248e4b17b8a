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
