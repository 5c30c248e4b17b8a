//! What people made of a repository's earlier findings: what they dismissed, and why, and what they took.
//!
//! It is the repository's taste, and told to reviewers as such. By itself it drops one thing alone: what people dismissed twice, said once
//! more in other words. Of security, and of what must not be merged, it drops nothing.

use crate::finding::{Finding, Priority};
use crate::identity::normalize;
use crate::ids::{Fingerprint, Login, LoopId, Time};
use crate::text::{overlap_permille, redact, word_stems};
use crate::token::digest;
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;

/// The most entries of one repository; the oldest go first.
pub const MAX_ENTRIES: usize = 500;
/// How often people have to dismiss a thing before it is not raised again.
pub const DISMISSALS_THAT_SILENCE: usize = 2;
/// How long an entry is heeded: tastes change, and so do those who have them.
const LIFETIME_MS: u64 = 365 * 24 * 60 * 60 * 1_000;
/// Longer texts are cut: an entry is a reminder, the thread has the rest.
const MAX_TEXT_CHARS: usize = 500;
/// How much two findings say the same by their words, in thousandths, when they lie in one file, or anywhere.
const SAME_IN_FILE_PERMILLE: u32 = 500;
const SAME_ANYWHERE_PERMILLE: u32 = 700;
/// On the very same lines fewer words need to agree.
const SAME_LINES_PERMILLE: u32 = 250;

/// What people made of a finding.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[serde(rename_all = "snake_case")]
pub enum MemoryVerdict {
    /// They settled its thread with a reason, and left the code as it was.
    Dismissed,
    /// They merged the change with what mends it.
    Accepted,
}

/// One finding that people judged.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct MemoryEntry {
    /// Tells it from others, and the same judgement seen twice for one: 16 hex digits.
    pub id: String,
    /// What they made of it.
    pub verdict: MemoryVerdict,
    /// The finding's title.
    pub title: String,
    /// Its category.
    pub category: String,
    /// The file it was about.
    pub file: String,
    /// What it said.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub description: String,
    /// The lines it rested on.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub evidence: Option<String>,
    /// Why, in the words of whoever dismissed it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// Who judged it; none where a person wrote the entry themselves.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub by: Option<Login>,
    /// The pull request where it was judged.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pull: Option<u64>,
    /// When.
    pub at: Time,
    /// From when on it is not heeded; none: never.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub expires_at: Option<Time>,
}

/// Everything that is remembered of a repository.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RepositoryMemory {
    /// In the order in which it came about.
    pub entries: Vec<MemoryEntry>,
}

impl MemoryEntry {
    /// What people made of a finding of this pull request.
    pub fn of_finding(
        finding: &Finding,
        fingerprint: &Fingerprint,
        verdict: MemoryVerdict,
        judged: Judgement<'_>,
    ) -> Self {
        let sort = match verdict {
            MemoryVerdict::Dismissed => "dismissed",
            MemoryVerdict::Accepted => "accepted",
        };
        let parts = [sort, &judged.pull.to_string(), fingerprint.as_str()];
        Self {
            id: digest(parts).chars().take(16).collect(),
            verdict,
            title: cut(&finding.title),
            category: finding.category.clone(),
            file: finding.file.clone(),
            description: cut(&finding.description),
            evidence: finding.evidence.as_deref().map(cut),
            reason: judged.reason.map(cut),
            by: judged.by.cloned(),
            pull: Some(judged.pull.number),
            at: judged.at,
            expires_at: Some(judged.at.plus(LIFETIME_MS)),
        }
    }

    /// Whether it is heeded at that time.
    pub fn holds_at(&self, now: Time) -> bool {
        self.expires_at.is_none_or(|end| now < end)
    }

    /// Whether it is one judgement on one finding, seen by a loop and by a review without one.
    fn is_same_judgement(&self, other: &Self) -> bool {
        let same_place = (self.pull, &self.file) == (other.pull, &other.file);
        let same_words = (self.verdict, &self.title) == (other.verdict, &other.title);
        self.pull.is_some() && same_place && same_words
    }

    /// Whether a finding says what this one said, perhaps in other words.
    pub fn is_about(&self, finding: &Finding) -> bool {
        if self.category != finding.category {
            return false;
        }
        let said = word_stems(&format!("{} {}", self.title, self.description));
        let says = word_stems(&format!("{} {}", finding.title, finding.description));
        let wanted = if self.file != finding.file {
            SAME_ANYWHERE_PERMILLE
        } else if same_lines(self.evidence.as_deref(), finding.evidence.as_deref()) {
            SAME_LINES_PERMILLE
        } else {
            SAME_IN_FILE_PERMILLE
        };
        overlap_permille(&said, &says) >= wanted
    }
}

/// Who judged a finding, where and when.
#[derive(Clone, Copy, Debug)]
pub struct Judgement<'a> {
    /// The pull request.
    pub pull: &'a LoopId,
    /// Who.
    pub by: Option<&'a Login>,
    /// Why.
    pub reason: Option<&'a str>,
    /// When.
    pub at: Time,
}

impl RepositoryMemory {
    /// What of it is heeded at that time.
    pub fn at(mut self, now: Time) -> Self {
        self.entries.retain(|entry| entry.holds_at(now));
        self
    }

    /// The dismissals for which a finding is not raised again; none where there are too few, or where nothing may silence it.
    pub fn silenced_by(&self, finding: &Finding) -> Option<Vec<&MemoryEntry>> {
        if is_protected(finding) {
            return None;
        }
        let dismissed = |entry: &&MemoryEntry| entry.verdict == MemoryVerdict::Dismissed;
        let entries: Vec<&MemoryEntry> = self
            .entries
            .iter()
            .filter(dismissed)
            .filter(|entry| entry.is_about(finding))
            .collect();
        (entries.len() >= DISMISSALS_THAT_SILENCE).then_some(entries)
    }

    /// Adds an entry, or puts it in place of the one with its id; whether that changed anything.
    pub fn add(&mut self, entry: MemoryEntry) -> bool {
        if let Some(known) = self.entries.iter_mut().find(|known| known.id == entry.id) {
            // When it was judged does not change what was judged.
            let same = MemoryEntry {
                at: known.at,
                expires_at: known.expires_at,
                ..entry.clone()
            } == *known;
            if !same {
                *known = entry;
            }
            return !same;
        }
        if self
            .entries
            .iter()
            .any(|known| known.is_same_judgement(&entry))
        {
            return false;
        }
        self.entries.push(entry);
        let surplus = self.entries.len().saturating_sub(MAX_ENTRIES);
        self.entries.drain(..surplus);
        true
    }

    /// What reviewers of these files are told, what matters most first: of their files, of their folders, then the rest; the newest first.
    pub fn told_for<'a>(&'a self, files: &BTreeSet<&str>) -> Vec<&'a MemoryEntry> {
        let folders: BTreeSet<&str> = files.iter().map(|file| folder(file)).collect();
        let distance = |entry: &MemoryEntry| match entry.file.as_str() {
            file if files.contains(file) => 0,
            file if folders.contains(folder(file)) => 1,
            _ => 2,
        };
        let mut entries: Vec<&MemoryEntry> = self.entries.iter().collect();
        entries.sort_by_key(|entry| (distance(entry), std::cmp::Reverse(entry.at)));
        entries
    }
}

/// Beginnings and parts of what reviewers call findings on security: their categories are words of their own.
const SECURITY_PARTS: [&str; 21] = [
    "secur",
    "vuln",
    "inject",
    "auth",
    "permission",
    "privilege",
    "privacy",
    "secret",
    "credential",
    "password",
    "crypto",
    "certificate",
    "sandbox",
    "exposure",
    "exfiltrat",
    "disclosure",
    "travers",
    "deserial",
    "sanitiz",
    "spoof",
    "tamper",
];

/// The same, as whole words: parts of other words they say nothing.
const SECURITY_WORDS: [&str; 14] = [
    "access", "attack", "cors", "csp", "csrf", "cve", "dos", "idor", "rce", "redos", "ssl", "ssrf",
    "tls", "xss",
];

/// The persona that looks for nothing else (§4.1).
const SECURITY_PERSONA: &str = "sam";

/// What memory never silences: security, and what must not be merged.
fn is_protected(finding: &Finding) -> bool {
    let category = finding.category.to_lowercase();
    let mut words = category.split(|letter: char| !letter.is_alphanumeric());
    finding.priority == Priority::P0
        || finding.source.name.eq_ignore_ascii_case(SECURITY_PERSONA)
        || SECURITY_PARTS.iter().any(|part| category.contains(part))
        || words.any(|word| SECURITY_WORDS.contains(&word))
}

fn same_lines(a: Option<&str>, b: Option<&str>) -> bool {
    match (a.map(normalize), b.map(normalize)) {
        (Some(a), Some(b)) => !a.is_empty() && a == b,
        (None, _) | (_, None) => false,
    }
}

fn folder(path: &str) -> &str {
    path.rsplit_once('/').map_or("", |(folder, _)| folder)
}

/// The text as it is kept: without secrets, and not longer than a reminder.
fn cut(text: &str) -> String {
    redact(text, &[]).chars().take(MAX_TEXT_CHARS).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::test_support::finding;

    const YEAR: u64 = LIFETIME_MS;

    fn said(title: &str, description: &str) -> Finding {
        let mut found = finding("src/a.py", "correctness", title);
        found.title = title.into();
        found.description = description.into();
        found.evidence = None;
        found
    }

    fn dismissed(finding: &Finding, number: u64) -> MemoryEntry {
        let pull = LoopId {
            host: "github.com".into(),
            repo_id: "r".into(),
            number,
        };
        let judged = Judgement {
            pull: &pull,
            by: None,
            reason: Some("meant"),
            at: Time(0),
        };
        let print = Fingerprint::new(&finding.title);
        MemoryEntry::of_finding(finding, &print, MemoryVerdict::Dismissed, judged)
    }

    fn memory(entries: impl IntoIterator<Item = MemoryEntry>) -> RepositoryMemory {
        let mut memory = RepositoryMemory::default();
        for entry in entries {
            memory.add(entry);
        }
        memory
    }

    const FIRST: &str = "The retry loop has no upper bound";
    const SECOND: &str = "Retry loop lacks an upper bound";
    const THIRD: &str = "There is no bound on the retry loop: upper limit missing";

    #[test]
    fn what_was_dismissed_twice_in_other_words_is_silenced_and_once_is_not() {
        let once = memory([dismissed(&said(FIRST, ""), 1)]);
        assert_eq!(once.silenced_by(&said(THIRD, "")), None);
        let twice = memory([
            dismissed(&said(FIRST, ""), 1),
            dismissed(&said(SECOND, ""), 2),
        ]);
        let silenced = twice.silenced_by(&said(THIRD, ""));
        assert_eq!(silenced.map(|entries| entries.len()), Some(2));
        let other = said("The lock is held across the await", "");
        assert_eq!(twice.silenced_by(&other), None);
    }

    #[test]
    fn the_same_judgement_seen_twice_counts_once() {
        let entry = dismissed(&said(FIRST, ""), 1);
        let mut memory = memory([entry.clone()]);
        assert!(!memory.add(entry.clone()));
        assert_eq!(memory.entries.len(), 1);
        let other = MemoryEntry {
            reason: Some("other words".into()),
            ..entry
        };
        assert!(memory.add(other));
        assert_eq!(memory.entries.len(), 1);
        assert_eq!(memory.silenced_by(&said(FIRST, "")), None);
    }

    #[test]
    fn nothing_silences_security_or_what_must_not_be_merged() {
        let silences = |category: &str, persona: &str| {
            let found = |title| {
                let mut found = said(title, "");
                found.category = category.into();
                found.source.name = persona.into();
                found
            };
            let entries = [dismissed(&found(FIRST), 1), dismissed(&found(SECOND), 2)];
            memory(entries).silenced_by(&found(THIRD)).is_some()
        };
        for category in [
            "security",
            "Injection",
            "authorization",
            "path-traversal",
            "access-control",
            "IDOR",
            "data exposure",
            "tls",
            "rce",
        ] {
            assert!(!silences(category, "quinn"), "{category}");
        }
        assert!(!silences("correctness", "Sam"), "whatever Sam calls it");
        for category in ["correctness", "resource", "accessibility", "windows"] {
            assert!(silences(category, "quinn"), "{category}");
        }
        let twice = memory([
            dismissed(&said(FIRST, ""), 1),
            dismissed(&said(SECOND, ""), 2),
        ]);
        let grave = Finding {
            priority: Priority::P0,
            ..said(THIRD, "")
        };
        assert_eq!(twice.silenced_by(&grave), None);
    }

    #[test]
    fn no_secret_is_kept() {
        let token = format!("ghp_{}", "J4kQ9zLm2Xw8Rb7Tn5Vc3Yd6Hf1Gp0Sa2uKe");
        let mut found = said(&format!("Logs {token}"), &format!("It is {token}"));
        found.evidence = Some(format!("log({token})"));
        let pull = LoopId {
            host: "github.com".into(),
            repo_id: "r".into(),
            number: 1,
        };
        let reason = format!("{token} is revoked");
        let judged = Judgement {
            pull: &pull,
            by: None,
            reason: Some(&reason),
            at: Time(0),
        };
        let print = Fingerprint::new("f");
        let kept = MemoryEntry::of_finding(&found, &print, MemoryVerdict::Dismissed, judged);
        let kept = format!("{kept:?}");
        assert!(!kept.contains("J4kQ9zLm2Xw8"), "{kept}");
        assert!(kept.contains("revoked"));
    }

    #[test]
    fn what_is_accepted_silences_nothing_and_what_has_expired_neither() {
        let mut entries = [
            dismissed(&said(FIRST, ""), 1),
            dismissed(&said(SECOND, ""), 2),
        ];
        let found = said(THIRD, "");
        assert_eq!(
            memory(entries.clone())
                .at(Time(0).plus(YEAR))
                .silenced_by(&found),
            None
        );
        entries[0].verdict = MemoryVerdict::Accepted;
        assert_eq!(memory(entries).silenced_by(&found), None);
    }

    #[test]
    fn another_category_or_another_file_with_few_shared_words_is_another_thing() {
        let twice = memory([
            dismissed(&said(FIRST, ""), 1),
            dismissed(&said(SECOND, ""), 2),
        ]);
        let elsewhere = Finding {
            file: "src/b.py".into(),
            ..said(
                "The upper bound of the page is wrong in the second loop",
                "",
            )
        };
        assert_eq!(twice.silenced_by(&elsewhere), None);
        let tests = Finding {
            category: "tests".into(),
            ..said(THIRD, "")
        };
        assert_eq!(twice.silenced_by(&tests), None);
    }

    #[test]
    fn the_oldest_go_when_there_are_too_many() {
        let mut memory = RepositoryMemory::default();
        for number in 0..=MAX_ENTRIES as u64 {
            memory.add(dismissed(&said(FIRST, ""), number));
        }
        assert_eq!(memory.entries.len(), MAX_ENTRIES);
        assert_eq!(memory.entries[0].pull, Some(1));
    }

    #[test]
    fn reviewers_are_told_of_their_files_first_then_of_the_folder_then_of_the_newest() {
        let at = |file: &str, at| MemoryEntry {
            file: file.into(),
            at: Time(at),
            ..dismissed(&said(FIRST, ""), at.unsigned_abs())
        };
        let memory = memory([
            at("x/c.py", 9),
            at("src/b.py", 2),
            at("src/a.py", 1),
            at("y.py", 8),
        ]);
        let told = memory.told_for(&BTreeSet::from(["src/a.py"]));
        let files: Vec<&str> = told.iter().map(|entry| entry.file.as_str()).collect();
        assert_eq!(files, ["src/a.py", "src/b.py", "x/c.py", "y.py"]);
    }
}
