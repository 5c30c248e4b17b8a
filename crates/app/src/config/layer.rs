//! One layer of configuration as it was written: a file, the environment or the flags.

use super::problem::{ConfigError, Problem};
use super::section::{Page, Section};
use super::values::{
    STRICTNESS, choice, login, logins, number, one_of, permille, permille_of, text, texts, time,
    truth,
};
use crate::words::Language;
use collie_core::ids::{AccountId, Login};
use collie_core::policy::{KnownBot, ReviewerKind, ReviewerSpec, StageSpec, Strictness};
use std::collections::BTreeSet;
use toml::de::{DeTable, DeValue};

/// Which file is read: they differ in what they may say.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FileKind {
    /// `config.toml` of the data folder: the user's own.
    User,
    /// `.collie.toml` at the base of a pull request: it may tighten, never widen (§12).
    Repository,
}

/// What one layer says; `None` is silence.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Layer {
    /// `max_pr_review_iterations`, or `max_iterations`.
    pub max_iterations: Option<u32>,
    /// `ci_check_timeout`, in milliseconds.
    pub ci_check_timeout: Option<u64>,
    /// `external_bot_timeout`, in milliseconds.
    pub external_bot_timeout: Option<u64>,
    /// `poll_interval`, in milliseconds.
    pub poll_interval: Option<u64>,
    /// `ready_poll_interval`, in milliseconds.
    pub ready_poll_interval: Option<u64>,
    /// `collect_failures_for`, in milliseconds.
    pub collect_failures_for: Option<u64>,
    /// `no_checks_grace`, in milliseconds.
    pub no_checks_grace: Option<u64>,
    /// `max_restarts`.
    pub max_restarts: Option<u32>,
    /// `session_retries`.
    pub session_retries: Option<u32>,
    /// `slots`.
    pub slots: Option<u32>,
    /// `allowed_users`.
    pub allowed_users: Option<BTreeSet<Login>>,
    /// `ignored_checks`.
    pub ignored_checks: Option<BTreeSet<String>>,
    /// `expected_bots`: logins of known bots.
    pub expected_bots: Option<Vec<Login>>,
    /// `comment_threshold`, in thousandths.
    pub comment_threshold: Option<u16>,
    /// `max_comments`.
    pub max_comments: Option<u32>,
    /// `strictness`.
    pub strictness: Option<Strictness>,
    /// `ignore_label`.
    pub ignore_label: Option<String>,
    /// `language`: `en` or `fr`.
    pub language: Option<&'static str>,
    /// `github_api_url`.
    pub github_api_url: Option<String>,
    /// `[verify] commands`.
    pub verify: Option<Vec<String>>,
    /// `[[bots]]`.
    pub bots: Vec<KnownBot>,
    /// `[[stages]]`.
    pub stages: Option<Vec<StageSpec>>,
}

/// The languages that Collie speaks.
pub const LANGUAGES: &[(&str, &str)] = &[("en", "en"), ("fr", "fr")];

const USERS_ONLY: &str = "only the user's own config.toml may say this";

impl Layer {
    /// Reads a file. `name` is how errors call it, such as `config.toml`.
    pub fn from_toml(name: &str, content: &str, kind: FileKind) -> Result<Self, ConfigError> {
        let (mut page, root) = Page::parse(name, content)?;
        let mut top = Section::new("", root.get_ref());
        let mut layer = Self::default();
        layer.read_loop(&mut page, &mut top);
        layer.read_people(&mut page, &mut top, kind);
        layer.read_tables(&mut page, &mut top, kind);
        refuse_merging(&mut page, &mut top);
        top.finish(&mut page);
        page.finish()?;
        Ok(layer)
    }

    fn read_loop(&mut self, page: &mut Page<'_>, top: &mut Section<'_, '_>) {
        let old = top.read(page, "max_iterations", number(1, 50));
        self.max_iterations = top
            .read(page, "max_pr_review_iterations", number(1, 50))
            .or(old);
        self.ci_check_timeout = top.read(page, "ci_check_timeout", time);
        self.external_bot_timeout = top.read(page, "external_bot_timeout", time);
        self.poll_interval = top.read(page, "poll_interval", time);
        self.ready_poll_interval = top.read(page, "ready_poll_interval", time);
        self.collect_failures_for = top.read(page, "collect_failures_for", time);
        self.no_checks_grace = top.read(page, "no_checks_grace", time);
        self.max_restarts = top.read(page, "max_restarts", number(1, 1000));
        self.session_retries = top.read(page, "session_retries", number(0, 10));
        self.ignored_checks = top
            .read(page, "ignored_checks", texts)
            .map(|names| names.into_iter().collect());
        self.expected_bots = top.read(page, "expected_bots", logins);
        self.comment_threshold = top.read(page, "comment_threshold", permille);
        self.max_comments = top.read(page, "max_comments", number(0, 100));
        self.strictness = top.read(page, "strictness", one_of(STRICTNESS));
        self.ignore_label = top.read(page, "ignore_label", text);
    }

    fn read_people(&mut self, page: &mut Page<'_>, top: &mut Section<'_, '_>, kind: FileKind) {
        self.allowed_users = top
            .read(page, "allowed_users", logins)
            .map(|names| names.into_iter().collect());
        match kind {
            FileKind::User => {
                self.slots = top.read(page, "slots", number(1, 64));
                self.language = top.read(page, "language", one_of(LANGUAGES));
                self.github_api_url = top.read(page, "github_api_url", url);
            }
            FileKind::Repository => {
                for key in ["slots", "language", "github_api_url"] {
                    top.refuse(page, key, USERS_ONLY);
                }
            }
        }
    }

    fn read_tables(&mut self, page: &mut Page<'_>, top: &mut Section<'_, '_>, kind: FileKind) {
        if let Some(entry) = top.take("verify") {
            match entry.value.as_table() {
                Some(table) => {
                    let mut verify = Section::new(&entry.key, table);
                    self.verify = verify.read(page, "commands", texts);
                    verify.finish(page);
                }
                None => page.problem(entry.span.start, &entry.key, "expected a table: [verify]"),
            }
        }
        if let Some(tables) = tables(page, top, "stages") {
            let stages: Vec<_> = tables
                .iter()
                .filter_map(|(at, t)| stage(page, *at, t))
                .collect();
            self.stages = Some(stages);
        }
        match kind {
            FileKind::User => {
                if let Some(tables) = tables(page, top, "bots") {
                    self.bots = tables
                        .iter()
                        .filter_map(|(at, t)| bot(page, *at, t))
                        .collect();
                }
            }
            FileKind::Repository => top.refuse(
                page,
                "bots",
                "only the user's own config.toml may name bots, since what they say is trusted",
            ),
        }
    }

    /// Reads the environment (§12). An empty variable says nothing.
    pub fn from_environment(
        variable: impl Fn(&str) -> Option<String>,
    ) -> Result<Self, ConfigError> {
        let mut layer = Self::default();
        let mut problems = Vec::new();
        let mut read = |name: &str, take: &mut dyn FnMut(&str) -> Result<(), String>| {
            let value = variable(name)
                .map(|v| v.trim().to_owned())
                .unwrap_or_default();
            if !value.is_empty()
                && let Err(message) = take(&value)
            {
                problems.push(Problem {
                    source: name.to_owned(),
                    line: None,
                    key: String::new(),
                    message,
                });
            }
        };
        read("GITHUB_AUTO_PR_REVIEW_ALLOWED_USERS", &mut |value| {
            let names = value
                .split(',')
                .map(str::trim)
                .filter(|name| !name.is_empty());
            layer.allowed_users = Some(names.map(login).collect::<Result<_, _>>()?);
            Ok(())
        });
        read("REVIEW_STRICTNESS", &mut |value| {
            layer.strictness = Some(choice(value, STRICTNESS)?);
            Ok(())
        });
        read("MAX_COMMENTS", &mut |value| {
            let number = value.parse().ok().filter(|n| *n <= 100);
            layer.max_comments = Some(number.ok_or_else(|| {
                format!("\"{value}\" does not fit: expected a whole number from 0 to 100")
            })?);
            Ok(())
        });
        read("COMMENT_THRESHOLD", &mut |value| {
            let share = permille_of(value);
            layer.comment_threshold = Some(share.ok_or_else(|| {
                format!("\"{value}\" does not fit: expected a number from 0 to 1")
            })?);
            Ok(())
        });
        read("COLLIE_LANG", &mut |value| {
            let language = Language::named(value).map(Language::code);
            layer.language = Some(
                language.ok_or_else(|| format!("\"{value}\" does not fit: expected en or fr"))?,
            );
            Ok(())
        });
        read("GITHUB_API_URL", &mut |value| {
            layer.github_api_url = Some(url_of(value)?);
            Ok(())
        });
        if problems.is_empty() {
            Ok(layer)
        } else {
            Err(ConfigError { problems })
        }
    }
}

/// The two keys of seed 003 that could ask for merging: only their safe values are accepted (§11).
fn refuse_merging(page: &mut Page<'_>, top: &mut Section<'_, '_>) {
    top.read(page, "require_human_approval", |value| {
        match truth(value)? {
            true => Ok(()),
            false => Err(
                "Collie never merges; a person always decides, so this can only be true".to_owned(),
            ),
        }
    });
    top.read(page, "auto_merge", |value| match truth(value)? {
        false => Ok(()),
        true => Err("Collie never merges, so this can only be false".to_owned()),
    });
}

fn url(value: &DeValue<'_>) -> Result<String, String> {
    url_of(&text(value)?)
}

fn url_of(value: &str) -> Result<String, String> {
    let fits = (value.starts_with("https://") || value.starts_with("http://"))
        && !value.contains(char::is_whitespace)
        && !value.contains('@');
    if fits {
        Ok(value.trim_end_matches('/').to_owned())
    } else {
        Err(format!(
            "\"{value}\" is no address: expected such as \"https://ghe.example.com/api/v3\", without a login in it"
        ))
    }
}

type Tables<'v, 't> = Vec<(usize, &'v DeTable<'t>)>;

fn tables<'v, 't>(
    page: &mut Page<'_>,
    top: &mut Section<'v, 't>,
    key: &'static str,
) -> Option<Tables<'v, 't>> {
    let entry = top.take(key)?;
    let all: Option<Tables<'v, 't>> = entry.value.as_array().and_then(|array| {
        array
            .iter()
            .map(|item| {
                item.get_ref()
                    .as_table()
                    .map(|table| (item.span().start, table))
            })
            .collect()
    });
    if all.is_none() {
        page.problem(
            entry.span.start,
            &entry.key,
            format!("expected tables: [[{key}]]"),
        );
    }
    all
}

fn bot(page: &mut Page<'_>, at: usize, table: &DeTable<'_>) -> Option<KnownBot> {
    let mut section = Section::new("bots", table);
    let id = section.read(page, "id", |value| {
        let id = value
            .as_integer()
            .and_then(|n| n.as_str().replace('_', "").parse().ok());
        id.filter(|id| *id > 0)
            .ok_or_else(|| "expected the number of the bot's account".to_owned())
    });
    let name = section.read(page, "login", |value| login(&text(value)?));
    let shown = section.read(page, "name", text);
    let reviews = section.read(page, "reviews", truth).unwrap_or(true);
    section.finish(page);
    let (Some(id), Some(login)) = (id, name) else {
        page.problem(at, "bots", "a bot needs an `id` and a `login`");
        return None;
    };
    let name = shown.unwrap_or_else(|| login.as_str().to_owned());
    Some(KnownBot {
        id: AccountId(id),
        login,
        name,
        reviews,
    })
}

fn stage(page: &mut Page<'_>, at: usize, table: &DeTable<'_>) -> Option<StageSpec> {
    let mut section = Section::new("stages", table);
    let reviewers = section.read(page, "reviewers", |value| {
        let names = texts(value)?;
        if names.is_empty() || names.len() > 5 {
            return Err(format!(
                "{} reviewers do not fit: a stage has 1 to 5",
                names.len()
            ));
        }
        names
            .iter()
            .map(|name| reviewer(name))
            .collect::<Result<Vec<_>, _>>()
    });
    section.finish(page);
    if table.is_empty() {
        page.problem(at, "stages", "a stage needs `reviewers`");
    }
    let reviewers = reviewers?;
    let names: BTreeSet<&str> = reviewers.iter().map(|r| r.name.as_str()).collect();
    if names.len() < reviewers.len() {
        page.problem(
            at,
            "stages.reviewers",
            "a reviewer is named twice in one stage",
        );
        return None;
    }
    Some(StageSpec { reviewers })
}

fn reviewer(name: &str) -> Result<ReviewerSpec, String> {
    let (name, kind) = match name.strip_prefix('@') {
        Some(person) => (login(person)?.as_str().to_owned(), ReviewerKind::Human),
        None if name == "rules" => ("rules".to_owned(), ReviewerKind::Rules),
        None => {
            return Err(format!(
                "\"{name}\" is no reviewer: expected \"rules\", or \"@{name}\" for a person with that login"
            ));
        }
    };
    Ok(ReviewerSpec {
        name,
        kind,
        may_escalate_to: BTreeSet::new(),
    })
}
