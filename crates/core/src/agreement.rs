//! Which findings of different tools are one fault (§4.5, §4.6): by place and meaning, from their words alone.
//!
//! What two tools found that know nothing of each other is likelier to be there than what one found. So agreement raises: it lowers nothing,
//! and nobody's silence counts. How the thresholds were found is in `docs/measurements.md`.

use crate::bots::find_bot;
use crate::comments::{opening_finding, stands_in_body};
use crate::finding::{Finding, FindingKind, SourceType};
use crate::policy::Policy;
use crate::snapshot::{Actor, Snapshot, Thread};
use crate::text::{overlap_permille, plain_prose, word_stems};
use std::collections::{BTreeMap, BTreeSet};

/// Characters of a remark that are compared: a long one shares words with everything.
const MAX_COMPARED_CHARS: usize = 600;

/// When two remarks are about one fault.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AgreementRule {
    /// Lines between them, where both name a line.
    pub max_line_distance: u32,
    /// How much of the shorter one the other says, in thousandths, where they are that near.
    pub min_overlap_near: u32,
    /// The same where one of them names no line.
    pub min_overlap_unplaced: u32,
}

impl Default for AgreementRule {
    fn default() -> Self {
        Self {
            max_line_distance: 6,
            min_overlap_near: 500,
            min_overlap_unplaced: 550,
        }
    }
}

/// Whose word a finding is. Two words of one tool are one: reviewers of the panel may run on one model and read each other.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Tool {
    /// Models and agents of the panel, whoever of them.
    Panel,
    /// The built-in rules.
    Rules,
    /// A linter, by name.
    Linter(String),
    /// A verified review bot, by login.
    Bot(String),
}

impl Tool {
    /// The tool behind a finding. None for people, who may speak for or against what they answer, and for checks, which point at no fault.
    pub fn of(finding: &Finding) -> Option<Self> {
        let source = &finding.source;
        match source.kind {
            SourceType::Agent => Some(Tool::Panel),
            SourceType::Rules => Some(Tool::Rules),
            SourceType::Linter => Some(Tool::Linter(source.name.clone())),
            SourceType::Bot => Some(Tool::Bot(source.name.clone())),
            SourceType::Ci | SourceType::Human => None,
        }
    }
}

/// A finding as it is compared.
#[derive(Clone, Debug)]
pub struct Claim<'a> {
    tool: Tool,
    file: &'a str,
    line: Option<u32>,
    stems: BTreeSet<String>,
}

impl<'a> Claim<'a> {
    /// From a place and words; the file is empty where none is known.
    pub fn new(tool: Tool, file: &'a str, line: Option<u32>, words: &str) -> Self {
        let prose: String = plain_prose(words)
            .chars()
            .take(MAX_COMPARED_CHARS)
            .collect();
        Self {
            tool,
            file,
            line,
            stems: word_stems(&prose),
        }
    }

    /// From a finding that speaks for a tool and asserts a fault.
    pub fn of(finding: &'a Finding) -> Option<Self> {
        let asserts = match finding.kind {
            FindingKind::Error | FindingKind::Suggestion | FindingKind::Nitpick => true,
            FindingKind::Question | FindingKind::Praise => false,
        };
        let tool = Tool::of(finding).filter(|_| asserts)?;
        let words = format!("{}\n{}", finding.title, finding.description);
        Some(Self::new(tool, &finding.file, finding.line, &words))
    }

    /// Whose it is.
    pub fn tool(&self) -> &Tool {
        &self.tool
    }

    /// Whether two tools speak of one fault here.
    pub fn agrees_with(&self, other: &Claim<'_>, rule: &AgreementRule) -> bool {
        if self.tool == other.tool {
            return false;
        }
        let placed = !self.file.is_empty() && !other.file.is_empty();
        if placed && self.file != other.file {
            return false;
        }
        let needed = match (self.line, other.line) {
            (Some(a), Some(b)) if placed && a.abs_diff(b) <= rule.max_line_distance => {
                rule.min_overlap_near
            }
            (Some(_), Some(_)) if placed => return false,
            _ => rule.min_overlap_unplaced,
        };
        overlap_permille(&self.stems, &other.stems) >= needed
    }
}

/// Which claims are one fault: each with the first of its group, by index. A claim that agrees with the first of no group begins one.
///
/// A group never grows by what agrees with its later members alone, or a chain of half likenesses would join everything.
pub fn join_claims(claims: &[Claim<'_>], rule: &AgreementRule) -> Vec<Vec<usize>> {
    let mut groups: Vec<Vec<usize>> = Vec::new();
    for (index, claim) in claims.iter().enumerate() {
        let same = |group: &&mut Vec<usize>| claims[group[0]].agrees_with(claim, rule);
        match groups.iter_mut().find(same) {
            Some(group) => group.push(index),
            None => groups.push(vec![index]),
        }
    }
    groups
}

/// Whether a tool that is not the finding's own says the same.
pub fn is_confirmed_by(finding: &Finding, others: &[Finding]) -> bool {
    let rule = AgreementRule::default();
    let Some(claim) = Claim::of(finding) else {
        return false;
    };
    let mut others = others.iter().filter_map(Claim::of);
    others.any(|other| claim.agrees_with(&other, &rule))
}

/// A thread that a verified bot opened and in which no person with write access has had a say: what stands there is the bot's alone.
pub fn is_of_bot_alone(policy: &Policy, snapshot: &Snapshot, thread: &Thread) -> bool {
    let opener = thread.comments.first().and_then(|c| c.author.as_ref());
    let by_bot = opener.is_some_and(|actor| is_reviewing_bot(policy, actor));
    let authors = || thread.comments.iter().filter_map(|c| c.author.as_ref());
    by_bot && !authors().any(|actor| !actor.is_bot && snapshot.may_write(actor.id))
}

/// Whether somebody is a bot that reviews, by its account.
pub fn is_reviewing_bot(policy: &Policy, actor: &Actor) -> bool {
    find_bot(policy, actor).is_some_and(|bot| bot.reviews)
}

/// What verified bots found by themselves and nobody has settled: the words that each opened a thread with. What they answer somebody
/// there is no second opinion, since they were told what to look at.
pub fn bot_findings(policy: &Policy, snapshot: &Snapshot) -> Vec<Finding> {
    let open = |thread: &&Thread| !thread.resolved && is_of_bot_alone(policy, snapshot, thread);
    let threads = snapshot.threads.iter().filter(open);
    threads.filter_map(opening_finding).collect()
}

/// Whether a finding of a bot is in the words that it came with.
pub fn is_own_word(finding: &Finding, found: &[Finding]) -> bool {
    match finding.source.kind {
        SourceType::Bot => {
            stands_in_body(finding) || found.iter().any(|opening| opening.id == finding.id)
        }
        SourceType::Agent
        | SourceType::Rules
        | SourceType::Linter
        | SourceType::Ci
        | SourceType::Human => true,
    }
}

/// What people call the bots of a pull request, by login.
pub fn bot_names(policy: &Policy, snapshot: &Snapshot) -> BTreeMap<String, String> {
    let threads = snapshot.threads.iter().flat_map(|thread| &thread.comments);
    let comments = threads.chain(&snapshot.comments);
    let authors = comments.filter_map(|comment| comment.author.as_ref());
    let reviewers = snapshot.reviews.iter().filter_map(|r| r.author.as_ref());
    let named = |actor: &Actor| {
        let bot = find_bot(policy, actor)?;
        Some((actor.login.to_string(), bot.name.clone()))
    };
    authors.chain(reviewers).filter_map(named).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::test_support::{LoopFixture, actor, comment, thread};

    const RABBIT: &str = "The divisor may be zero when the cart is empty, so the average crashes";
    const COPILOT: &str = "`average` divides by `len(cart)`: an empty cart gives a zero divisor";

    fn bot(name: &str) -> Tool {
        Tool::Bot(name.into())
    }

    fn agree(a: (Tool, &str, Option<u32>, &str), b: (Tool, &str, Option<u32>, &str)) -> bool {
        let a = Claim::new(a.0, a.1, a.2, a.3);
        let b = Claim::new(b.0, b.1, b.2, b.3);
        let rule = AgreementRule::default();
        let agree = a.agrees_with(&b, &rule);
        assert_eq!(agree, b.agrees_with(&a, &rule), "it has no direction");
        agree
    }

    #[test]
    fn two_tools_agree_by_place_and_meaning() {
        let near = |line, words| {
            agree(
                (bot("coderabbitai"), "cart.py", Some(10), RABBIT),
                (Tool::Panel, "cart.py", line, words),
            )
        };
        assert!(near(Some(14), COPILOT));
        assert!(near(None, COPILOT), "one of them names no line");
        assert!(!near(Some(40), COPILOT), "far away");
        assert!(!near(Some(10), "The name of this variable is misspelled"));
        assert!(!agree(
            (bot("coderabbitai"), "cart.py", Some(10), RABBIT),
            (Tool::Panel, "other.py", Some(10), RABBIT),
        ));
    }

    #[test]
    fn one_tool_never_agrees_with_itself() {
        for tool in [Tool::Panel, bot("coderabbitai")] {
            let claim = || (tool.clone(), "cart.py", Some(10), RABBIT);
            assert!(!agree(claim(), claim()));
        }
        let other = (bot("copilot"), "cart.py", Some(10), RABBIT);
        assert!(agree(
            other,
            (bot("coderabbitai"), "cart.py", Some(10), RABBIT)
        ));
    }

    #[test]
    fn what_a_long_remark_says_far_down_agrees_with_nothing() {
        let filler: String = (0..90).map(|n| format!("Another{n} remark{n}. ")).collect();
        let long = format!("The log line is noisy. {filler}{RABBIT}");
        assert!(!agree(
            (bot("coderabbitai"), "cart.py", Some(10), &long),
            (Tool::Panel, "cart.py", Some(10), COPILOT),
        ));
    }

    #[test]
    fn only_what_verified_bots_opened_by_themselves_is_their_finding() {
        let w = LoopFixture::new();
        let policy = &w.state.run.configuration.policy;
        let rabbit = || actor(136_622_811, "coderabbitai", true);
        let found = |threads: Vec<Thread>| {
            let snapshot = Snapshot {
                threads,
                ..w.snapshot.clone()
            };
            bot_findings(policy, &snapshot).len()
        };
        let opened = |by| thread("T", comment(1, by, RABBIT));
        assert_eq!(found(vec![opened(rabbit())]), 1);
        let impostor = actor(5, "coderabbitai", true);
        assert_eq!(found(vec![opened(impostor)]), 0);
        assert_eq!(found(vec![opened(actor(66, "mallory", false))]), 0);
        let mut settled = opened(rabbit());
        settled.resolved = true;
        assert_eq!(found(vec![settled]), 0);
        let answered_by = |by| {
            let mut answered = opened(rabbit());
            answered.comments.push(comment(2, by, "No."));
            found(vec![answered])
        };
        assert_eq!(answered_by(actor(21, "ben", false)), 0, "ben may write");
        assert_eq!(answered_by(actor(66, "mallory", false)), 1);
    }

    #[test]
    fn likeness_does_not_run_along_a_chain() {
        let one = "alpha beta gamma delta";
        let two = "gamma delta omega sigma";
        let three = "omega sigma theta kappa";
        let claims = [(bot("a"), one), (bot("b"), two), (bot("c"), three)];
        let claims = claims.map(|(tool, words)| Claim::new(tool, "f", Some(1), words));
        let groups = join_claims(&claims, &AgreementRule::default());
        assert_eq!(groups, [vec![0, 1], vec![2]]);
    }
}
