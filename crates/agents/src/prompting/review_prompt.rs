//! From a pull request to a prompt: first look, and second looks at what changed since (§4.4).
//!
//! What does not change from round to round comes first and does not depend on what does, so that providers' prompt caches hit: the
//! instructions, persona and the guidelines that matter most, then title, description and issues.

pub(super) use super::file_parts::files_section;
use super::finding_context::{context_texts, earlier_finding_items};
use super::guideline_parts::{
    GuidelineRoom, guidelines_section, more_guidelines_section, rest_of_guidelines_section,
};
use super::judgements::judgements_section;
use super::material::{ChangedFile, Material};
use super::prompt_parts::{PartCollector, earlier_finding_text, sanitized_line};
use super::prompts::{
    AGENT, ANSWER, ANSWER_AGENT, ANSWER_MODEL, BALANCED, EARLIER, ESCALATE, FIRST, PART,
    PERMISSIVE, RELATED_CODE, REREVIEW, REVIEW, STRICT,
};
use super::related::related_section;
use super::relevance::TouchedWords;
use super::token_budget::{
    BudgetTooSmall, OmittedPart, PartRank, Prompt, PromptItem, PromptPart, PromptTexts,
    TokenCounter, fit_shared_first, list_omitted,
};
use super::token_shares::{
    BACKGROUND, CONVERSATION, DESCRIPTION, DOCUMENTS, FEWER_RELATED, FUNCTIONS_AGAIN, GUIDELINES,
    ISSUES, JUDGEMENTS, MORE_GUIDELINES, OTHER_FINDINGS, PROGRESS, RELATED, STRUCTURE, THREADS,
};
use collie_core::policy::Strictness;
use collie_core::text::fence_as_text;
use std::cell::Cell;
use std::collections::BTreeSet;

/// What reads the prompt.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PromptTarget {
    /// A language model that sees the prompt alone.
    Model,
    /// An agent in a checkout of the head: whole files are left to it to read.
    Agent,
}

/// Longer functions are not shown whole in a second look.
const MAX_FUNCTION_LINES_AGAIN: u32 = 60;

/// What each part of a change that is read in parts begins with.
const SHARED_BY_PARTS: [PartRank; 10] = [
    PartRank::Description,
    PartRank::Guideline,
    PartRank::Closes,
    PartRank::Mentions,
    PartRank::Progress,
    PartRank::Judgement,
    PartRank::MoreGuideline,
    PartRank::Document,
    PartRank::Structure,
    PartRank::Background,
];

/// Puts the prompt for a review together, in at most `budget` tokens as `count` counts them.
///
/// In the first round it shows the whole change, whole files, the repository's structure, linked documents and, where all that leaves room,
/// whole guidelines; when there is a `delta`, that and the open findings alone; when there is a `part`, that part. All parts of a change begin
/// alike, up to [`Prompt::shared_user_parts`].
pub fn review_prompt(
    material: &Material,
    budget: u32,
    count_tokens: &dyn Fn(&str) -> u32,
    target: PromptTarget,
) -> Result<Prompt, BudgetTooSmall> {
    let collector = collect_parts(material, budget, count_tokens, target);
    let system = [
        REVIEW.fill(&[
            ("name", &capitalize(&material.persona.name)),
            ("title", &material.persona.title),
            ("focus", &material.persona.focus),
            ("body", &material.persona.body),
        ]),
        ANSWER.fill(&[("escalations", escalations_member(material))]),
    ]
    .join("\n\n");
    let task = task_text(material, target);
    let shared_user_parts = Cell::new(0);
    let assemble = |kept: &[&PromptItem], left_out: &[OmittedPart]| {
        let mut parts = PromptTexts {
            system: vec![system.clone()],
            user: vec![pull_section(material, kept)],
        };
        parts.system.extend(guidelines_section(kept));
        parts.user.extend(more_guidelines_section(kept));
        parts.user.extend(repository_section(kept));
        parts.user.extend(progress_section(kept));
        parts.user.extend(judgements_section(kept));
        shared_user_parts.set(parts.user.len());
        parts.user.extend(part_section(material));
        parts.user.extend(earlier_findings_section(material, kept));
        parts.user.extend(discussion_section(kept));
        parts.user.push(changes_section(material, kept));
        parts
            .user
            .extend(related_section(&RELATED_CODE, material, kept));
        parts.user.extend(rest_of_guidelines_section(kept));
        parts.user.push(closing_section(left_out, &task, target));
        parts
    };
    let shared: &[PartRank] = match material.part {
        Some(_) => &SHARED_BY_PARTS,
        None => &[],
    };
    let left_out = (collector.omitted, budget);
    let prompt = fit_shared_first(&collector.items, shared, left_out, count_tokens, &assemble)?;
    Ok(Prompt {
        shared_user_parts: match material.part {
            Some(_) => shared_user_parts.get(),
            None => 0,
        },
        ..prompt
    })
}

/// That this is one of several readings; none where it is the only one.
fn part_section(material: &Material) -> Option<String> {
    let part = material.part.as_ref()?;
    let (number, total) = (part.number.to_string(), part.total.to_string());
    Some(PART.fill(&[("number", &number), ("total", &total)]))
}

/// How far the pull request is: its commits, labels and checks.
fn progress_section(kept: &[&PromptItem]) -> Option<String> {
    let texts = kept.iter().filter_map(|item| match &item.part {
        PromptPart::Commits => Some(format!("Its commits:\n{}", fence_as_text(&item.text))),
        PromptPart::Checks => Some(format!(
            "Its labels, and its checks when this was asked:\n{}",
            fence_as_text(&item.text)
        )),
        _ => None,
    });
    let texts: Vec<String> = texts.collect();
    (!texts.is_empty()).then(|| format!("## Where it stands\n\n{}", texts.join("\n\n")))
}

/// What is said of the member `escalations`: who may ask nobody in is not invited to.
fn escalations_member(material: &Material) -> &'static str {
    if material.persona.may_escalate_to.is_empty() {
        "an empty list."
    } else {
        "reviewers to ask in, each with `reason` (one sentence) and `reviewer` (the name), else an empty list."
    }
}

/// How the answer is to be given; the only place of a prompt that says so.
pub(super) fn answer_instruction(target: PromptTarget) -> String {
    match target {
        PromptTarget::Model => ANSWER_MODEL.fill(&[]),
        PromptTarget::Agent => ANSWER_AGENT.fill(&[]),
    }
}

/// A name as people write it: `quinn` is Quinn.
fn capitalize(name: &str) -> String {
    let mut letters = name.chars();
    letters
        .next()
        .map(|first| first.to_uppercase().chain(letters).collect())
        .unwrap_or_default()
}

fn collect_parts(
    material: &Material,
    budget: u32,
    count_tokens: TokenCounter<'_>,
    target: PromptTarget,
) -> PartCollector {
    let mut collector = PartCollector {
        touched: TouchedWords::of(material),
        functions: material.context.functions.clone(),
        ..PartCollector::default()
    };
    collector.description(
        &material.description,
        DESCRIPTION.tokens_of(budget),
        count_tokens,
    );
    let guidelines = GuidelineRoom {
        first: GUIDELINES.tokens_of(budget),
        more: match material.delta {
            None => MORE_GUIDELINES.tokens_of(budget),
            Some(_) => 0,
        },
        rest: material.delta.is_none() && material.part.is_none(),
    };
    collector.guidelines(&material.guidelines, guidelines, count_tokens);
    collector.issues(&material.issues, ISSUES.tokens_of(budget), count_tokens);
    collector.progress(material, PROGRESS.tokens_of(budget), count_tokens);
    collector.judgements(material, JUDGEMENTS.tokens_of(budget), count_tokens);
    if material.delta.is_none() {
        collector.structure(material, STRUCTURE.tokens_of(budget), count_tokens);
        collector.documents(
            &material.documents,
            DOCUMENTS.tokens_of(budget),
            count_tokens,
        );
        let background = &material.context.background;
        let files = u32::try_from(background.len()).unwrap_or(u32::MAX);
        let share = BACKGROUND.tokens_of(budget).saturating_mul(files);
        collector.background(background, share, count_tokens);
    }
    collector.other_findings(material, OTHER_FINDINGS.tokens_of(budget), count_tokens);
    collector.threads(material, THREADS.tokens_of(budget), count_tokens);
    collector.conversation(
        &material.conversation,
        CONVERSATION.tokens_of(budget),
        count_tokens,
    );
    let named: BTreeSet<&str> = match &material.delta {
        Some(_) => material
            .earlier_findings()
            .map(|t| t.finding.file.as_str())
            .collect(),
        None => BTreeSet::new(),
    };
    collector
        .items
        .extend(earlier_finding_items(material, count_tokens));
    let whole = material.delta.is_none() && target == PromptTarget::Model;
    let files = files_under_review(material);
    collector.changes(&files, &named, whole, count_tokens);
    if material.delta.is_some() && target == PromptTarget::Model {
        let share = FUNCTIONS_AGAIN.tokens_of(budget);
        collector.functions_around(&files, (MAX_FUNCTION_LINES_AGAIN, share), count_tokens);
    }
    let related = if whole { RELATED } else { FEWER_RELATED };
    let paths = files.iter().map(|file| file.path.as_str()).collect();
    collector.related(material, &paths, related.tokens_of(budget), count_tokens);
    collector
}

/// What is under review in this round: the whole change, or what changed since. Files that the pull request has no part in come along when
/// its base was merged into it; they are left out, unless an earlier finding is about them.
pub(super) fn files_under_review(material: &Material) -> Vec<&ChangedFile> {
    if let Some(part) = &material.part {
        return part.files.iter().collect();
    }
    let files = material.delta.as_ref().unwrap_or(&material.files);
    files.iter().collect()
}

fn task_text(material: &Material, target: PromptTarget) -> String {
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
    let language = language_line(material);
    let mut extra_instructions = Vec::new();
    if !material.persona.may_escalate_to.is_empty() {
        let names = material.persona.may_escalate_to.iter();
        let names = names.map(|name| match material.context.colleagues.get(name) {
            Some(title) => format!("`{name}` ({title})"),
            None => format!("`{name}`"),
        });
        let names = names.collect::<Vec<_>>().join(", ");
        extra_instructions.push(ESCALATE.fill(&[("names", &names)]));
    }
    match target {
        PromptTarget::Agent => extra_instructions.push(AGENT.fill(&[])),
        PromptTarget::Model => {}
    }
    let more = extra_instructions
        .iter()
        .map(|line| format!("{line}\n"))
        .collect::<String>();
    let earlier = match material.earlier_findings().next() {
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
        ("answer", &answer_instruction(target)),
    ])
}

/// What is said of the language of the answer.
pub(super) fn language_line(material: &Material) -> String {
    match &material.language {
        Some(language) => format!("Write in {}.", sanitized_line(language)),
        None => {
            "Write in the language of the description; in English where that is unclear.".into()
        }
    }
}

/// Title, description and issues.
fn pull_section(material: &Material, kept: &[&PromptItem]) -> String {
    let author = match &material.author {
        Some(login) => format!(" by {}", sanitized_line(login.as_str())),
        None => String::new(),
    };
    let head = format!(
        "{}#{}{author}\n{}",
        material.repo,
        material.number,
        sanitized_line(&material.title)
    );
    let head = format!("## The pull request\n\n{}", fence_as_text(&head));
    let out: Vec<String> = [head].into_iter().chain(purpose_texts(kept)).collect();
    out.join("\n\n")
}

/// What the pull request sets out to do: its description and linked issues.
pub(super) fn purpose_texts<'a>(kept: &'a [&'a PromptItem]) -> impl Iterator<Item = String> + 'a {
    kept.iter().filter_map(|item| match &item.part {
        PromptPart::Description => Some(format!("Its description:\n{}", fence_as_text(&item.text))),
        PromptPart::Issue { .. } => Some(format!("A linked issue:\n{}", fence_as_text(&item.text))),
        _ => None,
    })
}

fn repository_section(kept: &[&PromptItem]) -> Option<String> {
    let mut out = Vec::new();
    for item in kept {
        match &item.part {
            PromptPart::Structure => out.push(format!(
                "## The repository\n\nIts files around the change, at the head:\n{}",
                fence_as_text(&item.text)
            )),
            PromptPart::Document { path } => out.push(format!(
                "{}:\n{}",
                match item.rank {
                    PartRank::Background => "From its own documents, at the base",
                    _ => "A document that the description links",
                },
                fence_as_text(&format!("{}\n\n{}", sanitized_line(path), item.text))
            )),
            _ => {}
        }
    }
    (!out.is_empty()).then(|| out.join("\n\n"))
}

/// The label of an earlier finding of this reviewer.
pub(super) fn earlier_label(at: usize) -> String {
    format!("K{}", at + 1)
}

fn earlier_findings_section(material: &Material, kept: &[&PromptItem]) -> Option<String> {
    let findings: Vec<String> = material
        .earlier_findings()
        .enumerate()
        .flat_map(|(at, known)| {
            let text = earlier_finding_text(&earlier_label(at), known);
            std::iter::once(text).chain(context_texts(kept, at))
        })
        .collect();
    (!findings.is_empty()).then(|| format!("## Your earlier findings\n\n{}", findings.join("\n\n")))
}

/// What others have said already.
fn discussion_section(kept: &[&PromptItem]) -> Option<String> {
    let of = |is: fn(&PromptPart) -> bool| -> Vec<&str> {
        kept.iter()
            .filter(|item| is(&item.part))
            .map(|item| item.text.as_str())
            .collect()
    };
    let threads = of(|part| matches!(part, PromptPart::Thread { .. }));
    let findings = of(|part| matches!(part, PromptPart::Finding { .. }));
    let remarks = of(|part| matches!(part, PromptPart::Remark { .. }));
    let mut out = Vec::new();
    if !threads.is_empty() {
        out.push(format!(
            "Review threads:\n{}",
            fence_as_text(&threads.join("\n\n"))
        ));
    }
    if !findings.is_empty() {
        out.push(format!(
            "Findings of others that stand:\n{}",
            fence_as_text(&findings.join("\n"))
        ));
    }
    if !remarks.is_empty() {
        out.push(format!(
            "The conversation:\n{}",
            fence_as_text(&remarks.join("\n\n"))
        ));
    }
    (!out.is_empty()).then(|| format!("## What has been said already\n\n{}", out.join("\n\n")))
}

fn changes_section(material: &Material, kept: &[&PromptItem]) -> String {
    let heading = match material.delta {
        None => "## The change",
        Some(_) => "## What changed since your last look",
    };
    let files = files_section(&files_under_review(material), kept);
    let body = if !files.is_empty() {
        files.join("\n\n")
    } else if material.delta.as_ref().is_some_and(Vec::is_empty) {
        "Nothing.".to_string()
    } else if material.delta.is_some() {
        "Nothing that can be shown.".to_string()
    } else {
        "No line of it can be shown.".to_string()
    };
    format!("{heading}\n\n{body}")
}

/// What was left out, and the task: the last words count most.
pub(super) fn closing_section(
    left_out: &[OmittedPart],
    task: &str,
    target: PromptTarget,
) -> String {
    if left_out.is_empty() {
        return task.to_string();
    }
    let where_to = match target {
        PromptTarget::Model => {
            "These are there, you only cannot see them: do not report them as missing, and lower your confidence where a finding depends on them."
        }
        PromptTarget::Agent => {
            "These are there: do not report them as missing. Read those that are files in your checkout where a finding depends on them."
        }
    };
    format!(
        "## Left out to keep this short\n\n{}\n{where_to}\n\n{task}",
        fence_as_text(&list_omitted(left_out))
    )
}
