//! The bots that Collie ships with, and how they write: `bots.json`.

use super::pattern::expression;
use crate::finding::Priority;
use crate::ids::AccountId;
use crate::policy::KnownBot;
use regex::Regex;
use serde::Deserialize;
use std::collections::BTreeMap;
use std::sync::LazyLock;

/// How a bot writes findings into a body.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum BodyFormat {
    CodeRabbit,
    Copilot,
    Codex,
    Gemini,
    Greptile,
    Sourcery,
    Qodo,
}

/// A bot that Collie ships with.
#[derive(Debug, Deserialize)]
pub struct ShippedBot {
    /// Its entry in the registry.
    #[serde(flatten)]
    pub bot: KnownBot,
    /// Other names that it answers to in a comment.
    #[serde(default)]
    pub aliases: Vec<String>,
    /// Where its account was seen with that number.
    #[serde(default)]
    pub seen: Option<String>,
    /// The comment that asks it to review again, as its documentation has it.
    #[serde(default)]
    pub trigger: Option<String>,
    /// How its texts begin, and what they hold.
    #[serde(flatten)]
    forms: WrittenForms,
}

/// The forms of a bot's texts, as `bots.json` has them: expressions over a line of their begin without its Markdown, in either case.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct WrittenForms {
    /// Nothing was reviewed.
    notices: Vec<String>,
    /// A review will stand here.
    placeholders: Vec<String>,
    /// Nothing about faults.
    remarks: Vec<String>,
    /// A review.
    texts: Vec<String>,
    /// The commit that a text is about, over the whole of it; its last match counts.
    commits: Vec<String>,
    /// Over the begin of the whole text; the first match counts.
    severities: Vec<(String, Priority)>,
    /// How findings stand in its texts.
    format: Option<BodyFormat>,
}

/// The forms of a bot's texts, ready to be matched.
#[derive(Debug)]
pub(super) struct BotForms {
    pub(super) notices: Vec<Regex>,
    pub(super) placeholders: Vec<Regex>,
    pub(super) remarks: Vec<Regex>,
    pub(super) texts: Vec<Regex>,
    pub(super) commits: Vec<Regex>,
    pub(super) severities: Vec<(Regex, Priority)>,
    pub(super) format: Option<BodyFormat>,
}

impl BotForms {
    fn compile(written: &WrittenForms) -> Self {
        let all = |patterns: &[String]| patterns.iter().map(|p| expression(p)).collect();
        let severities = written.severities.iter();
        Self {
            notices: all(&written.notices),
            placeholders: all(&written.placeholders),
            remarks: all(&written.remarks),
            texts: all(&written.texts),
            commits: all(&written.commits),
            severities: severities
                .map(|(pattern, priority)| (expression(pattern), *priority))
                .collect(),
            format: written.format,
        }
    }
}

static FORMS: LazyLock<BTreeMap<AccountId, BotForms>> = LazyLock::new(|| {
    let reviewing = shipped_bots().iter().filter(|shipped| shipped.bot.reviews);
    let forms = reviewing.map(|shipped| (shipped.bot.id, BotForms::compile(&shipped.forms)));
    forms.collect()
});

/// The forms of a known bot's texts.
pub(super) fn forms_of(bot: AccountId) -> Option<&'static BotForms> {
    FORMS.get(&bot)
}

static SHIPPED_BOTS: LazyLock<Vec<ShippedBot>> = LazyLock::new(|| {
    serde_json::from_str(include_str!("../bots.json")).expect("the shipped bots are read by a test")
});

/// The bots that Collie ships with.
pub fn shipped_bots() -> &'static [ShippedBot] {
    &SHIPPED_BOTS
}
