//! From layers to what Collie goes by.

use super::desktop::{Desktop, WatchedRepository};
use super::layer::{FileKind, Layer};
use super::problem::{ConfigError, nearest};
use super::wrong::Wrong;
use collie_core::ids::{AccountId, Login};
use collie_core::policy::{KnownBot, Policy};
use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;

/// Where github.com answers.
pub const GITHUB_API_URL: &str = "https://api.github.com";

/// Under this, github.com is not asked (§2).
const LEAST_POLL_GITHUB_MS: u64 = 15_000;

/// The user's configuration, complete.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Config {
    /// The data folder.
    pub home: PathBuf,
    /// Where GitHub's REST API answers, without a slash at the end.
    pub api_url: String,
    /// The language of what people read: `en` or `fr`.
    pub language: &'static str,
    /// How many loops work at once.
    pub slots: usize,
    /// What every loop goes by unless its repository tightens it.
    pub policy: Policy,
    /// Commands that every fix must pass.
    pub verify: Vec<String>,
    /// The desktop app's repositories, in the order shown (§13.1).
    pub repositories: Vec<WatchedRepository>,
    /// How the desktop app behaves.
    pub desktop: Desktop,
}

/// The shipped registry of bots (§3.4).
pub fn known_bots() -> Vec<KnownBot> {
    Layer::from_toml("bots.toml", include_str!("bots.toml"), FileKind::User)
        .expect("the shipped registry is read by a test")
        .bots
}

impl Config {
    /// Merges layers, the later over the earlier: the user's file, the environment, the flags.
    pub fn resolve(home: PathBuf, layers: &[Layer]) -> Result<Self, ConfigError> {
        let mut config = Self {
            home,
            api_url: GITHUB_API_URL.to_owned(),
            language: "en",
            slots: 3,
            policy: Policy {
                bots: known_bots(),
                ..Policy::default()
            },
            verify: Vec::new(),
            repositories: Vec::new(),
            desktop: Desktop::default(),
        };
        for layer in layers {
            config.lay(layer)?;
        }
        if host_of(&config.api_url) == "github.com"
            && config.policy.poll_interval_ms < LEAST_POLL_GITHUB_MS
        {
            return Err(ConfigError::together("poll_interval", Wrong::PollTooFast));
        }
        Ok(config)
    }

    fn lay(&mut self, layer: &Layer) -> Result<(), ConfigError> {
        if let Some(url) = &layer.github_api_url {
            self.api_url.clone_from(url);
        }
        if let Some(language) = layer.language {
            self.language = language;
        }
        if let Some(slots) = layer.slots {
            self.slots = usize::try_from(slots).expect("at most 64, which fits");
        }
        if let Some(commands) = &layer.verify {
            self.verify.clone_from(commands);
        }
        set(&mut self.repositories, layer.repositories.clone());
        set(&mut self.desktop.theme, layer.theme);
        set(&mut self.desktop.notifications, layer.notifications);
        set(&mut self.desktop.keep_running, layer.keep_running);
        let policy = &mut self.policy;
        add_bots(&mut policy.bots, &layer.bots);
        set(&mut policy.max_iterations, layer.max_iterations);
        set(&mut policy.ci_timeout_ms, layer.ci_check_timeout);
        set(&mut policy.bot_timeout_ms, layer.external_bot_timeout);
        set(&mut policy.poll_interval_ms, layer.poll_interval);
        set(
            &mut policy.ready_poll_interval_ms,
            layer.ready_poll_interval,
        );
        set(&mut policy.red_collect_ms, layer.collect_failures_for);
        set(&mut policy.no_checks_grace_ms, layer.no_checks_grace);
        set(&mut policy.max_restarts, layer.max_restarts);
        set(&mut policy.session_retries, layer.session_retries);
        set(&mut policy.comment_threshold, layer.comment_threshold);
        set(&mut policy.max_comments, layer.max_comments);
        set(&mut policy.strictness, layer.strictness);
        set(&mut policy.ignored_checks, layer.ignored_checks.clone());
        set(&mut policy.allowed_users, layer.allowed_users.clone());
        set(&mut policy.ignore_label, layer.ignore_label.clone());
        set(&mut policy.stages, layer.stages.clone());
        if let Some(names) = &layer.expected_bots {
            policy.expected_bots = expected(names, &policy.bots)?;
        }
        Ok(())
    }
}

fn set<T>(target: &mut T, value: Option<T>) {
    if let Some(value) = value {
        *target = value;
    }
}

/// Adds bots to the registry; one with a known account replaces the entry.
fn add_bots(bots: &mut Vec<KnownBot>, more: &[KnownBot]) {
    let mut by_id: BTreeMap<AccountId, KnownBot> = bots.drain(..).map(|b| (b.id, b)).collect();
    by_id.extend(more.iter().map(|b| (b.id, b.clone())));
    bots.extend(by_id.into_values());
}

fn expected(names: &[Login], bots: &[KnownBot]) -> Result<BTreeSet<AccountId>, ConfigError> {
    names
        .iter()
        .map(|name| {
            bots.iter()
                .find(|bot| bot.login == *name)
                .map(|bot| bot.id)
                .ok_or_else(|| {
                    let known: Vec<&str> = bots.iter().map(|bot| bot.login.as_str()).collect();
                    let wrong = Wrong::UnknownBot {
                        login: name.to_string(),
                        near: nearest(name.as_str(), &known).map(str::to_owned),
                    };
                    ConfigError::together("expected_bots", wrong)
                })
        })
        .collect()
}

/// Lays a repository's file over the user's policy: it may tighten, never widen (§12). Limits take the lower
/// value and polling the slower one, allowed users are those whom both allow, commands to verify add up.
pub fn tighten(config: &Config, file: &Layer) -> Result<(Policy, Vec<String>), ConfigError> {
    let mut strict = config.clone();
    strict.lay(file)?;
    let (user, policy) = (&config.policy, &mut strict.policy);
    policy.max_iterations = policy.max_iterations.min(user.max_iterations);
    policy.max_restarts = policy.max_restarts.min(user.max_restarts);
    policy.max_comments = policy.max_comments.min(user.max_comments);
    policy.session_retries = policy.session_retries.min(user.session_retries);
    policy.poll_interval_ms = policy.poll_interval_ms.max(user.poll_interval_ms);
    policy.ready_poll_interval_ms = policy
        .ready_poll_interval_ms
        .max(user.ready_poll_interval_ms);
    policy.allowed_users = policy
        .allowed_users
        .intersection(&user.allowed_users)
        .cloned()
        .collect();
    let mut verify = config.verify.clone();
    let more = file
        .verify
        .iter()
        .flatten()
        .filter(|command| !config.verify.contains(command));
    verify.extend(more.cloned());
    Ok((strict.policy, verify))
}

/// The host that people know an API address by: `github.com`, `ghe.example.com`, `127.0.0.1:4000`.
pub fn host_of(api_url: &str) -> String {
    let rest = api_url.split_once("://").map_or(api_url, |(_, rest)| rest);
    let host = rest.split('/').next().unwrap_or(rest).to_ascii_lowercase();
    if host == "api.github.com" {
        "github.com".to_owned()
    } else {
        host
    }
}
