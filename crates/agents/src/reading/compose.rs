//! From a pull request to a prompt: first look, and second looks at what changed since (§4.4).
//!
//! What does not change from round to round comes first and does not depend on what does, so that providers' prompt caches hit: the
//! instructions, persona and the guidelines that matter most, then title, description and issues.

use super::fit::{BudgetTooSmall, Count, Item, LeftOut, Part, Parts, Prompt, Rank, fit, names};
use super::material::{ChangedFile, Material};
use super::pieces::{Kept, Pieces, bare_file, earlier_finding, file_section, said_line};
use super::prompts::{
    AGENT, ANSWER, BALANCED, EARLIER, ESCALATE, FIRST, PERMISSIVE, REREVIEW, REVIEW, STRICT,
};
use collie_core::policy::Strictness;
use collie_core::text::fence;
use std::collections::BTreeSet;

/// What reads the prompt.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ReaderKind {
    /// A language model that sees the prompt alone.
    Model,
    /// An agent in a checkout of the head: whole files are left to it to read.
    Agent,
}

/// What each sort of part may take: one in so many tokens of the budget, and never more than so many.
struct Share {
    one_in: u32,
    most: u32,
}

const DESCRIPTION: Share = Share {
    one_in: 10,
    most: 2_500,
};
/// Those that every round begins with.
const GUIDELINES: Share = Share {
    one_in: 25,
    most: 800,
};
/// Those that the first round shows beside.
const MORE_GUIDELINES: Share = Share {
    one_in: 16,
    most: 1_200,
};
const ISSUES: Share = Share {
    one_in: 10,
    most: 2_500,
};
const DOCUMENTS: Share = Share {
    one_in: 10,
    most: 6_000,
};
const STRUCTURE: Share = Share {
    one_in: 20,
    most: 1_000,
};
const THREADS: Share = Share {
    one_in: 10,
    most: 4_000,
};
const CONVERSATION: Share = Share {
    one_in: 20,
    most: 2_000,
};
const OTHERS: Share = Share {
    one_in: 20,
    most: 1_500,
};

/// The most files without lines that are named.
const MOST_BARE: usize = 40;

impl Share {
    fn of(&self, budget: u32) -> u32 {
        (budget / self.one_in).min(self.most)
    }
}

/// Puts the prompt for a review together, in at most `budget` tokens as `count` counts them.
///
/// In the first round it shows the whole change, whole files, the repository's structure, linked documents and more of the guidelines; when
/// there is a `delta`, that and the open findings alone.
pub fn compose(
    material: &Material,
    budget: u32,
    count: &dyn Fn(&str) -> u32,
    how: ReaderKind,
) -> Result<Prompt, BudgetTooSmall> {
    let pieces = pieces(material, budget, count, how);
    let system = [
        REVIEW.fill(&[
            ("name", &spoken(&material.persona.name)),
            ("title", &material.persona.title),
            ("focus", &material.persona.focus),
            ("body", &material.persona.body),
        ]),
        ANSWER.fill(&[]),
    ]
    .join("\n\n");
    let task = task(material, how);
    let earlier = earlier(material);
    let put = |kept: &[&Item], left_out: &[LeftOut]| {
        let mut parts = Parts {
            system: vec![system.clone()],
            user: vec![pull_section(material, kept)],
        };
        parts.system.extend(guidelines_section(kept));
        parts.user.extend(more_guidelines_section(kept));
        parts.user.extend(repository_section(kept));
        parts.user.extend(earlier.clone());
        parts.user.extend(said_section(kept));
        parts.user.push(changes_section(material, kept));
        parts.user.push(last_section(left_out, &task, how));
        parts
    };
    fit(&pieces.items, pieces.left_out, budget, count, &put)
}

/// A name as people write it: `quinn` is Quinn.
fn spoken(name: &str) -> String {
    let mut letters = name.chars();
    letters
        .next()
        .map(|first| first.to_uppercase().chain(letters).collect())
        .unwrap_or_default()
}

fn pieces(material: &Material, budget: u32, count: Count<'_>, how: ReaderKind) -> Pieces {
    let mut pieces = Pieces::default();
    pieces.description(&material.description, DESCRIPTION.of(budget), count);
    let more = match material.delta {
        None => MORE_GUIDELINES.of(budget),
        Some(_) => 0,
    };
    let guidelines = (GUIDELINES.of(budget), more);
    pieces.guidelines(&material.guidelines, guidelines, count);
    pieces.issues(&material.issues, ISSUES.of(budget), count);
    if material.delta.is_none() {
        pieces.structure(material, STRUCTURE.of(budget), count);
        pieces.documents(&material.documents, DOCUMENTS.of(budget), count);
    }
    pieces.others(material, OTHERS.of(budget), count);
    pieces.threads(material, THREADS.of(budget), count);
    pieces.conversation(&material.conversation, CONVERSATION.of(budget), count);
    let named: BTreeSet<&str> = match &material.delta {
        Some(_) => material
            .own_findings()
            .map(|t| t.finding.file.as_str())
            .collect(),
        None => BTreeSet::new(),
    };
    let whole = material.delta.is_none() && how == ReaderKind::Model;
    pieces.changes(&looked_at(material), &named, whole, count);
    pieces
}

/// What is under review in this round: the whole change, or what changed since. Files that the pull request has no part in come along when
/// its base was merged into it; they are left out, unless an earlier finding is about them.
pub(super) fn looked_at(material: &Material) -> Vec<&ChangedFile> {
    let Some(delta) = &material.delta else {
        return material.files.iter().collect();
    };
    let named = |path: &str| material.own_findings().any(|t| t.finding.file == path);
    delta
        .iter()
        .filter(|file| material.file(&file.path).is_some() || named(&file.path))
        .collect()
}

fn task(material: &Material, how: ReaderKind) -> String {
    let template = match material.delta {
        None => &FIRST,
        Some(_) => &REREVIEW,
    };
    let strictness = match material.strictness {
        Strictness::Permissive => PERMISSIVE.fill(&[]),
        Strictness::Balanced => BALANCED.fill(&[]),
        Strictness::Strict => STRICT.fill(&[]),
    };
    let threshold = format!("{:.2}", f64::from(material.comment_threshold) / 1000.0);
    let language = match &material.language {
        Some(language) => format!("Write in {}.", said_line(language)),
        None => {
            "Write in the language of the description; in English where that is unclear.".into()
        }
    };
    let mut more = Vec::new();
    if !material.persona.may_escalate_to.is_empty() {
        let names = material.persona.may_escalate_to.iter();
        let names = names.map(|name| format!("`{name}`")).collect::<Vec<_>>();
        let names = names.join(", ");
        more.push(ESCALATE.fill(&[("names", &names)]));
    }
    match how {
        ReaderKind::Agent => more.push(AGENT.fill(&[])),
        ReaderKind::Model => {}
    }
    let more = more
        .iter()
        .map(|line| format!("{line}\n"))
        .collect::<String>();
    let earlier = match material.own_findings().next() {
        Some(_) => format!("{}\n\n", EARLIER.fill(&[])),
        None => String::new(),
    };
    template.fill(&[
        ("earlier", &earlier),
        ("strictness", &strictness),
        ("most", &material.max_findings.to_string()),
        ("threshold", &threshold),
        ("language", &language),
        ("escalate", &more),
    ])
}

/// Title, description and issues.
fn pull_section(material: &Material, kept: &[&Item]) -> String {
    let author = match &material.author {
        Some(login) => format!(" by {}", said_line(login.as_str())),
        None => String::new(),
    };
    let head = format!(
        "{}#{}{author}\n{}",
        material.repo,
        material.number,
        said_line(&material.title)
    );
    let mut out = vec![format!("## The pull request\n\n{}", fence(&head))];
    for item in kept {
        match &item.part {
            Part::Description => out.push(format!("Its description:\n{}", fence(&item.text))),
            Part::Issue { .. } => out.push(format!("A linked issue:\n{}", fence(&item.text))),
            _ => {}
        }
    }
    out.join("\n\n")
}

pub(super) fn guidelines_section(kept: &[&Item]) -> Option<String> {
    let files = guidelines(kept, Rank::Guideline)?;
    Some(format!(
        "## Guidelines of this repository, from its base branch\n\n{files}"
    ))
}

fn more_guidelines_section(kept: &[&Item]) -> Option<String> {
    let files = guidelines(kept, Rank::MoreGuideline)?;
    Some(format!(
        "## More of its guidelines, from its base branch\n\n{files}"
    ))
}

fn guidelines(kept: &[&Item], rank: Rank) -> Option<String> {
    let files: Vec<String> = kept
        .iter()
        .filter(|item| item.rank == rank)
        .filter_map(|item| match &item.part {
            Part::Guideline { path } => {
                Some(fence(&format!("{}\n\n{}", said_line(path), item.text)))
            }
            _ => None,
        })
        .collect();
    (!files.is_empty()).then(|| files.join("\n\n"))
}

fn repository_section(kept: &[&Item]) -> Option<String> {
    let mut out = Vec::new();
    for item in kept {
        match &item.part {
            Part::Structure => out.push(format!(
                "## The repository\n\nIts files around the change, at the head:\n{}",
                fence(&item.text)
            )),
            Part::Document { path } => out.push(format!(
                "A document that the description links:\n{}",
                fence(&format!("{}\n\n{}", said_line(path), item.text))
            )),
            _ => {}
        }
    }
    (!out.is_empty()).then(|| out.join("\n\n"))
}

/// The label of an earlier finding of this reviewer.
pub(super) fn label(at: usize) -> String {
    format!("K{}", at + 1)
}

fn earlier(material: &Material) -> Option<String> {
    let findings: Vec<String> = material
        .own_findings()
        .enumerate()
        .map(|(at, known)| earlier_finding(&label(at), known))
        .collect();
    (!findings.is_empty()).then(|| format!("## Your earlier findings\n\n{}", findings.join("\n\n")))
}

/// What others have said already.
fn said_section(kept: &[&Item]) -> Option<String> {
    let of = |is: fn(&Part) -> bool| -> Vec<&str> {
        kept.iter()
            .filter(|item| is(&item.part))
            .map(|item| item.text.as_str())
            .collect()
    };
    let threads = of(|part| matches!(part, Part::Thread { .. }));
    let findings = of(|part| matches!(part, Part::Finding { .. }));
    let remarks = of(|part| matches!(part, Part::Remark { .. }));
    let mut out = Vec::new();
    if !threads.is_empty() {
        out.push(format!("Review threads:\n{}", fence(&threads.join("\n\n"))));
    }
    if !findings.is_empty() {
        out.push(format!(
            "Findings of others that stand:\n{}",
            fence(&findings.join("\n"))
        ));
    }
    if !remarks.is_empty() {
        out.push(format!(
            "The conversation:\n{}",
            fence(&remarks.join("\n\n"))
        ));
    }
    (!out.is_empty()).then(|| format!("## What has been said already\n\n{}", out.join("\n\n")))
}

fn changes_section(material: &Material, kept: &[&Item]) -> String {
    let heading = match material.delta {
        None => "## The change",
        Some(_) => "## What changed since your last look",
    };
    let files = files_section(&looked_at(material), kept);
    let body = if !files.is_empty() {
        files.join("\n\n")
    } else if material.delta.is_some() {
        "Nothing that can be shown.".to_string()
    } else {
        "No line of it can be shown.".to_string()
    };
    format!("{heading}\n\n{body}")
}

/// The kept parts of each file, in the files' order.
pub(super) fn files_section(files: &[&ChangedFile], kept: &[&Item]) -> Vec<String> {
    let mut out = Vec::new();
    let mut bare = Vec::new();
    for (at, file) in files.iter().enumerate() {
        if file.hunks.is_empty() {
            bare.push(bare_file(file));
            continue;
        }
        let mut of_file = Kept::default();
        for item in kept.iter().filter(|item| item.place == at) {
            match &item.part {
                Part::Hunk { .. } => of_file.hunks.push(item.text.as_str()),
                Part::Rest { .. } => of_file.rest = Some(item.text.as_str()),
                _ => continue,
            }
            of_file.speaks |= item.speaks;
        }
        if !of_file.hunks.is_empty() || of_file.rest.is_some() {
            out.push(file_section(file, &of_file));
        }
    }
    if !bare.is_empty() {
        let more = bare.len().saturating_sub(MOST_BARE);
        bare.truncate(MOST_BARE);
        if more > 0 {
            bare.push(format!("and {more} more"));
        }
        out.push(format!(
            "Files without lines to show (binary, too large, or only renamed):\n{}",
            fence(&bare.join("\n"))
        ));
    }
    out
}

/// What was left out, and the task: the last words count most.
pub(super) fn last_section(left_out: &[LeftOut], task: &str, how: ReaderKind) -> String {
    if left_out.is_empty() {
        return task.to_string();
    }
    let where_to = match how {
        ReaderKind::Model => {
            "These are there, you only cannot see them: do not report them as missing, and lower your confidence where a finding depends on them."
        }
        ReaderKind::Agent => {
            "These are there: do not report them as missing. Read those that are files in your checkout where a finding depends on them."
        }
    };
    format!(
        "## Left out to keep this short\n\n{}\n{where_to}\n\n{task}",
        fence(&names(left_out))
    )
}
