//! One layer of configuration as it was written: a file, the environment or the flags.

use super::desktop::{Theme, WatchedRepository};
use super::models::{self, AgentSettings, FixerSettings, LlmLayer, PROVIDERS, ReviewerSettings};
use super::problem::{ConfigError, Problem, Source};
use super::section::{Page, Section};
use super::tables;
use super::values::{
    MAX_COMMENTS, MAX_ITERATIONS, MAX_RESTARTS, SESSION_RETRIES, SLOTS, STRICTNESS, THEMES, choice,
    login, logins, number, one_of, permille, permille_of, text, texts, time, truth,
};
use super::wrong::{Shown, Wrong};
use crate::words::Language;
use collie_core::ids::Login;
use collie_core::policy::{KnownBot, StageSpec, Strictness};
use std::collections::{BTreeMap, BTreeSet};
use toml::de::DeValue;

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
    /// `[llm]`.
    pub llm: LlmLayer,
    /// `[agents.NAME]`.
    pub agents: BTreeMap<String, AgentSettings>,
    /// `[reviewers.NAME]`.
    pub reviewers: BTreeMap<String, ReviewerSettings>,
    /// `[fixer]`.
    pub fixer: Option<FixerSettings>,
    /// `[[repositories]]`: those of the desktop app.
    pub repositories: Option<Vec<WatchedRepository>>,
    /// `[desktop] theme`.
    pub theme: Option<Theme>,
    /// `[desktop] notifications`.
    pub notifications: Option<bool>,
    /// `[desktop] keep_running`.
    pub keep_running: Option<bool>,
}

/// The languages that Collie speaks.
pub const LANGUAGES: &[(&str, &str)] = &[("en", "en"), ("fr", "fr")];

impl Layer {
    /// Reads a file. `name` is how errors call it, such as `config.toml`.
    pub fn from_toml(name: &str, content: &str, kind: FileKind) -> Result<Self, ConfigError> {
        let (layer, problems) = Self::what_fits(name, content, kind);
        if problems.is_empty() {
            Ok(layer)
        } else {
            Err(ConfigError { problems })
        }
    }

    /// Reads a file whose text may be none.
    pub fn from_bytes(name: &str, content: &[u8], kind: FileKind) -> Result<Self, ConfigError> {
        let text = std::str::from_utf8(content).map_err(|error| {
            let problem = Problem {
                source: Source::File(name.to_owned()),
                line: None,
                key: String::new(),
                wrong: Wrong::NotUtf8(error.valid_up_to()),
            };
            ConfigError {
                problems: vec![problem],
            }
        })?;
        Self::from_toml(name, text, kind)
    }

    /// Reads what fits of a file, and everything that does not. Only for showing: with a problem, nothing goes by it.
    pub(crate) fn what_fits(name: &str, content: &str, kind: FileKind) -> (Self, Vec<Problem>) {
        let mut layer = Self::default();
        let (mut page, root) = match Page::parse(name, content) {
            Ok(parsed) => parsed,
            Err(error) => return (layer, error.problems),
        };
        let mut top = Section::new("", root.get_ref());
        layer.read_loop(&mut page, &mut top);
        layer.read_people(&mut page, &mut top, kind);
        layer.read_tables(&mut page, &mut top, kind);
        refuse_merging(&mut page, &mut top);
        top.finish(&mut page);
        (layer, page.finish())
    }

    fn read_loop(&mut self, page: &mut Page<'_>, top: &mut Section<'_, '_>) {
        let old = top.read(page, "max_iterations", number(MAX_ITERATIONS));
        self.max_iterations = top
            .read(page, "max_pr_review_iterations", number(MAX_ITERATIONS))
            .or(old);
        self.ci_check_timeout = top.read(page, "ci_check_timeout", time);
        self.external_bot_timeout = top.read(page, "external_bot_timeout", time);
        self.poll_interval = top.read(page, "poll_interval", time);
        self.ready_poll_interval = top.read(page, "ready_poll_interval", time);
        self.collect_failures_for = top.read(page, "collect_failures_for", time);
        self.no_checks_grace = top.read(page, "no_checks_grace", time);
        self.max_restarts = top.read(page, "max_restarts", number(MAX_RESTARTS));
        self.session_retries = top.read(page, "session_retries", number(SESSION_RETRIES));
        self.ignored_checks = top
            .read(page, "ignored_checks", texts)
            .map(|names| names.into_iter().collect());
        self.expected_bots = top.read(page, "expected_bots", logins);
        self.comment_threshold = top.read(page, "comment_threshold", permille);
        self.max_comments = top.read(page, "max_comments", number(MAX_COMMENTS));
        self.strictness = top.read(page, "strictness", one_of(STRICTNESS));
        self.ignore_label = top.read(page, "ignore_label", text);
    }

    fn read_people(&mut self, page: &mut Page<'_>, top: &mut Section<'_, '_>, kind: FileKind) {
        self.allowed_users = top
            .read(page, "allowed_users", logins)
            .map(|names| names.into_iter().collect());
        match kind {
            FileKind::User => {
                self.slots = top.read(page, "slots", number(SLOTS));
                self.language = top.read(page, "language", one_of(LANGUAGES));
                self.github_api_url = top.read(page, "github_api_url", url);
            }
            FileKind::Repository => {
                for key in ["slots", "language", "github_api_url"] {
                    top.refuse(page, key, Wrong::UsersOnly);
                }
            }
        }
    }

    fn read_tables(&mut self, page: &mut Page<'_>, top: &mut Section<'_, '_>, kind: FileKind) {
        tables::one(page, top, "verify", |page, verify| {
            self.verify = verify.read(page, "commands", texts);
        });
        self.stages = tables::many(page, top, "stages", tables::stage);
        match kind {
            FileKind::User => {
                self.bots = tables::many(page, top, "bots", tables::bot).unwrap_or_default();
                self.repositories = tables::repositories(page, top);
                tables::one(page, top, "llm", |page, llm| self.llm.read(page, llm));
                self.agents = models::named(page, top, "agents", models::agent);
                self.reviewers = models::named(page, top, "reviewers", models::reviewer);
                tables::one(page, top, "fixer", |page, fixer| {
                    self.fixer = Some(models::fixer(page, fixer));
                });
                tables::one(page, top, "desktop", |page, desktop| {
                    self.theme = desktop.read(page, "theme", one_of(THEMES));
                    self.notifications = desktop.read(page, "notifications", truth);
                    self.keep_running = desktop.read(page, "keep_running", truth);
                });
            }
            FileKind::Repository => {
                top.refuse(page, "bots", Wrong::UsersOnlyBots);
                top.refuse(page, "repositories", Wrong::UsersOnlyRepositories);
                top.refuse(page, "desktop", Wrong::UsersOnlyDesktop);
                for key in ["llm", "agents", "reviewers", "fixer"] {
                    top.refuse(page, key, Wrong::UsersOnlyModels);
                }
            }
        }
    }

    /// Reads the environment (§12). An empty variable says nothing.
    pub fn from_environment(
        variable: impl Fn(&str) -> Option<String>,
    ) -> Result<Self, ConfigError> {
        let mut layer = Self::default();
        let mut problems = Vec::new();
        let mut read = |name: &'static str, take: &mut dyn FnMut(&str) -> Result<(), Wrong>| {
            let value = variable(name)
                .map(|v| v.trim().to_owned())
                .unwrap_or_default();
            if !value.is_empty()
                && let Err(wrong) = take(&value)
            {
                problems.push(Problem {
                    source: Source::Variable(name),
                    line: None,
                    key: String::new(),
                    wrong,
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
            let number = value.parse().ok().filter(|n| MAX_COMMENTS.hold(*n));
            layer.max_comments = Some(number.ok_or_else(|| Wrong::OutOfRange {
                shown: Shown::text(value),
                least: MAX_COMMENTS.least,
                most: MAX_COMMENTS.most,
            })?);
            Ok(())
        });
        read("COMMENT_THRESHOLD", &mut |value| {
            let share = permille_of(value);
            layer.comment_threshold =
                Some(share.ok_or_else(|| Wrong::NoShareText(Shown::text(value)))?);
            Ok(())
        });
        read("COLLIE_LANG", &mut |value| {
            let language = Language::named(value).map(Language::code);
            layer.language = Some(language.ok_or_else(|| Wrong::NoLanguage(value.to_owned()))?);
            Ok(())
        });
        read("LLM_PROVIDER", &mut |value| {
            layer.llm.provider = Some(choice(value, PROVIDERS)?);
            Ok(())
        });
        read("LLM_MODEL", &mut |value| {
            layer.llm.model = Some(value.to_owned());
            Ok(())
        });
        read("LLM_API_URL", &mut |value| {
            layer.llm.url = Some(url_of(value)?);
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
            false => Err(Wrong::ApprovalOff),
        }
    });
    top.read(page, "auto_merge", |value| match truth(value)? {
        false => Ok(()),
        true => Err(Wrong::AutoMerge),
    });
}

pub(super) fn url(value: &DeValue<'_>) -> Result<String, Wrong> {
    url_of(&text(value)?)
}

/// An address of a server as text, without a slash at the end.
pub fn url_of(value: &str) -> Result<String, Wrong> {
    let fits = (value.starts_with("https://") || value.starts_with("http://"))
        && !value.contains(char::is_whitespace)
        && !value.contains('@');
    if fits {
        Ok(value.trim_end_matches('/').to_owned())
    } else {
        Err(Wrong::NoAddress(value.to_owned()))
    }
}
