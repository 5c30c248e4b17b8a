//! Whether a finding and a fault are at one place, and whether they share words.

use crate::case::Fault;
use std::collections::BTreeSet;

/// Lines between a finding and a fault that are still one place.
pub const DEFAULT_DISTANCE: u32 = 5;

/// How near a finding is to a fault.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Nearness {
    /// In another file.
    Elsewhere,
    /// In the same file, too far away.
    SameFile,
    /// One of both has no line, or the fault not even a file: the words decide.
    Unplaced,
    /// Within the distance, or in the same function.
    Near,
    /// On the very lines.
    On,
}

/// How near a finding at a file and a line is to a fault.
pub fn nearness(file: &str, line: Option<u32>, fault: &Fault, distance: u32) -> Nearness {
    let Some(fault_file) = &fault.file else {
        return Nearness::Unplaced;
    };
    if file.is_empty() {
        return Nearness::Unplaced;
    }
    if file != fault_file {
        return Nearness::Elsewhere;
    }
    let (Some(line), Some(lines)) = (line, fault.lines) else {
        return Nearness::Unplaced;
    };
    let away = lines.distance(line);
    let inside = fault
        .within
        .is_some_and(|within| within.distance(line) == 0);
    match away {
        0 => Nearness::On,
        away if away <= distance || inside => Nearness::Near,
        _ => Nearness::SameFile,
    }
}

/// Words so common that two texts share them whatever they are about.
const COMMON_WORDS: &str = "about above after again also and any are because been before being below between both but can could does each else \
     ever every exactly false for from further had has have having here how into its itself just line lines may might more most must never nor \
     not nothing now of off once only other otherwise our out over own rather same should since some still such than that the their them then \
     there these they this those though through true under until value very was were what when where whether which while who why will with \
     would you your code function method call called calls instead";

/// Words are compared by their beginnings, so that `leak`, `leaks` and `leaked` are one.
const STEM_CHARS: usize = 4;

/// How many words with a meaning two texts share, and how many the one with fewer has.
pub fn shared_words(one: &str, other: &str) -> (usize, usize) {
    let (one, other) = (stems(one), stems(other));
    (one.intersection(&other).count(), one.len().min(other.len()))
}

fn stems(text: &str) -> BTreeSet<String> {
    let common: BTreeSet<&str> = COMMON_WORDS.split_whitespace().collect();
    split_words(text)
        .into_iter()
        .filter(|word| word.chars().count() > 2 && !common.contains(word.as_str()))
        .map(|word| word.chars().take(STEM_CHARS).collect())
        .collect()
}

/// The words of a text in small letters; a name such as `maxRetries` or `max_retries` is two.
fn split_words(text: &str) -> Vec<String> {
    let mut words = Vec::new();
    let mut word = String::new();
    let mut before = ' ';
    for c in text.chars() {
        let hump = c.is_uppercase() && before.is_lowercase();
        if (hump || !c.is_alphanumeric()) && !word.is_empty() {
            words.push(std::mem::take(&mut word));
        }
        if c.is_alphanumeric() {
            word.extend(c.to_lowercase());
        }
        before = c;
    }
    words.push(word);
    words
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::case::LineRange;
    use collie_core::finding::Priority;

    fn fault() -> Fault {
        Fault {
            id: "1".into(),
            file: Some("src/retry.rs".into()),
            lines: LineRange::new(20, 22),
            within: LineRange::new(10, 60),
            what: "The loop runs once too often.".into(),
            kind: "off-by-one".into(),
            severity: Priority::P1,
            fixed_by: None,
        }
    }

    #[test]
    fn a_place_is_the_lines_then_the_distance_or_the_function() {
        let at = |file: &str, line| nearness(file, line, &fault(), 5);
        assert_eq!(at("src/retry.rs", Some(21)), Nearness::On);
        assert_eq!(at("src/retry.rs", Some(58)), Nearness::Near, "the function");
        assert_eq!(at("src/retry.rs", Some(61)), Nearness::SameFile);
        assert_eq!(at("src/retry.rs", None), Nearness::Unplaced);
        assert_eq!(at("", None), Nearness::Unplaced);
        assert_eq!(at("src/other.rs", Some(21)), Nearness::Elsewhere);
        let mut fault = fault();
        fault.within = None;
        let at = |line| nearness("src/retry.rs", Some(line), &fault, 5);
        assert_eq!([at(27), at(28)], [Nearness::Near, Nearness::SameFile]);
        assert_eq!([at(15), at(14)], [Nearness::Near, Nearness::SameFile]);
        fault.file = None;
        assert_eq!(nearness("a", Some(1), &fault, 5), Nearness::Unplaced);
    }

    #[test]
    fn words_are_shared_by_their_beginnings_and_names_fall_into_words() {
        let (shared, of) = shared_words("maxRetries is exceeded", "It retried once too often");
        assert_eq!((shared, of), (1, 3), "retr of max, retr, exce");
        assert_eq!(shared_words("the value of this line", "the value").0, 0);
        assert_eq!(shared_words("open_file leaks", "leaked open file").0, 3);
    }
}
