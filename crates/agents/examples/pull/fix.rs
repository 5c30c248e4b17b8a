//! A fix of ten lines that nobody made, with the two findings that it answers.

use collie_agents::prompting::{ChangedFile, ExistingThread, LineChange, Material, Remark};
use collie_core::finding::{Confidence, Finding, FindingKind, FindingSource, Priority, SourceType};
use collie_core::identity::fingerprints;
use collie_core::ids::{Fingerprint, Login, ThreadId};
use collie_core::tracked_finding::{FindingStatus, TrackedFinding};
use serde_json::json;

/// Lines of each of the two places.
const LINES_PER_PLACE: usize = 5;
/// Files that nobody edits by hand.
const GENERATED_SUFFIXES: [&str; 6] =
    [".lock", "-lock.yaml", "-lock.json", ".snap", ".sum", ".svg"];

/// Findings as long as a model's usual ones.
const FINDING_TEXTS: [(&str, &str, &str); 2] = [
    (
        "The last entry is lost when the input does not end with a separator",
        "The loop hands an entry on only when it meets the separator after it. Input that ends without one, which both callers allow, \
         loses its last entry without a word: the result is one shorter than it should be, and nothing says so. It was not so before \
         this change, where the rest was handed on after the loop.",
        "Hand on what is left after the loop, when it is not empty.",
    ),
    (
        "A failure here is taken for an empty answer",
        "When the call fails, its error is dropped and the default is used instead. Whoever calls this cannot tell an empty answer from \
         none, and caches it: the next calls within the hour get the empty answer too, long after the service is back.",
        "Give the error to the caller, and cache good answers alone.",
    ),
];

/// Five added lines of a file, by their numbers.
struct EditedLines<'a> {
    file: &'a ChangedFile,
    text: &'a str,
    numbers: Vec<u32>,
}

/// The second round: ten added lines of one or two files get another word each, and two findings with their threads were there.
/// None when the pull request adds fewer lines.
pub fn after_fix(material: &Material) -> Option<Material> {
    let places = places(material)?;
    let findings = findings(&places, &material.persona.name);
    let mut next = material.clone();
    let mut delta = Vec::new();
    for file in &material.files {
        let numbers: Vec<u32> = places
            .iter()
            .filter(|place| place.file.path == file.path)
            .flat_map(|place| place.numbers.clone())
            .collect();
        let (Some(before), false) = (&file.content_at_head, numbers.is_empty()) else {
            continue;
        };
        let fixed = edited(before, &numbers);
        delta.push(between(file, Some(before.clone()), &fixed));
        for changed in next.files.iter_mut().filter(|next| next.path == file.path) {
            *changed = between(file, file.content_at_base.clone(), &fixed);
        }
    }
    next.delta = Some(delta);
    next.threads = findings.iter().map(thread).collect();
    let known = fingerprints(&findings)
        .into_iter()
        .zip(&findings)
        .map(|(fingerprint, finding)| open(&fingerprint, finding));
    next.tracked_findings = known.collect::<Option<_>>()?;
    Some(next)
}

fn between(file: &ChangedFile, before: Option<String>, after: &str) -> ChangedFile {
    let old = file.old_path.as_deref().filter(|_| before.is_some());
    ChangedFile::between(&file.path, old, before, Some(after.to_string()))
}

/// In the two files that gain most, or twice in one.
fn places(material: &Material) -> Option<[EditedLines<'_>; 2]> {
    let mut files: Vec<(&ChangedFile, &str, Vec<u32>)> = material
        .files
        .iter()
        .filter(|file| {
            !GENERATED_SUFFIXES
                .iter()
                .any(|end| file.path.ends_with(end))
        })
        .filter_map(|file| Some((file, file.content_at_head.as_deref()?, added(file))))
        .collect();
    files.sort_by_key(|(_, _, added)| std::cmp::Reverse(added.len()));
    let place = |file: usize, one_in: usize, at: usize| {
        let (file, text, added) = files.get(file)?;
        let first = added.len().checked_sub(LINES_PER_PLACE)? * at / one_in;
        let numbers = added[first..first + LINES_PER_PLACE].to_vec();
        Some(EditedLines {
            file,
            text,
            numbers,
        })
    };
    if let (Some(first), Some(second)) = (place(0, 2, 1), place(1, 2, 1)) {
        return Some([first, second]);
    }
    let (_, _, most) = files.first()?;
    // A line between them at least, or it is one place.
    (most.len() > 2 * LINES_PER_PLACE).then_some(())?;
    Some([place(0, 1, 0)?, place(0, 1, 1)?])
}

/// Numbers of added lines that hold something.
fn added(file: &ChangedFile) -> Vec<u32> {
    let lines = file.hunks.iter().flat_map(|hunk| hunk.numbered());
    lines
        .filter(|(_, change, text)| *change == LineChange::Added && !text.trim().is_empty())
        .map(|(number, _, _)| number)
        .collect()
}

fn edited(text: &str, numbers: &[u32]) -> String {
    let mut out = String::new();
    for (number, line) in (1..).zip(text.split_inclusive('\n')) {
        let bare = line.trim_end();
        out.push_str(bare);
        if numbers.contains(&number) {
            out.push_str(" again");
        }
        out.push_str(&line[bare.len()..]);
    }
    out
}

fn findings(places: &[EditedLines<'_>], reviewer: &str) -> Vec<Finding> {
    let finding = |(place, (title, description, suggestion)): (&EditedLines<'_>, _)| {
        let lines: Vec<&str> = place.text.lines().collect();
        let quoted = place.numbers.iter().take(3);
        let quoted: Vec<&str> = quoted
            .filter_map(|number| lines.get(*number as usize - 1).copied())
            .collect();
        Finding {
            id: String::new(),
            priority: Priority::P2,
            category: "correctness".into(),
            file: place.file.path.clone(),
            line: place.numbers.first().copied(),
            title: String::from(title),
            description: String::from(description),
            suggestion: Some(String::from(suggestion)),
            source: FindingSource {
                kind: SourceType::Agent,
                name: reviewer.to_string(),
                review_id: None,
                timestamp: "2026-01-01T00:00:00Z".into(),
            },
            kind: FindingKind::Error,
            confidence: Confidence::from_permille(850),
            evidence: Some(quoted.join("\n")),
        }
    };
    places.iter().zip(FINDING_TEXTS).map(finding).collect()
}

/// As the journal keeps it.
fn open(fingerprint: &Fingerprint, finding: &Finding) -> Option<TrackedFinding> {
    let kept = json!({
        "finding": finding, "fingerprint": fingerprint, "status": FindingStatus::Open, "introduced_by_fix": false,
        "first_round": 1, "last_round": 1, "fixed_in": [], "rejection": null, "in_diff": true,
    });
    serde_json::from_value(kept).ok()
}

/// As Collie posts it on GitHub; the fix has changed its lines.
fn thread(finding: &Finding) -> ExistingThread {
    let suggestion = finding.suggestion.as_deref().unwrap_or_default();
    ExistingThread {
        id: ThreadId::new(finding.title.clone()),
        path: finding.file.clone(),
        line: None,
        resolved: false,
        outdated: true,
        by_collie: true,
        trusted: true,
        of_bot_alone: false,
        comments: vec![Remark {
            login: Login::new("collie"),
            text: format!(
                "**{:?}** {}\n\n{}\n\n{suggestion}",
                finding.priority, finding.title, finding.description
            ),
        }],
    }
}
