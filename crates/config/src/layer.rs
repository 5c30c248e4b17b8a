//! One layer of configuration as it was written: a file, the environment or the flags.

use super::desktop::{Theme, WatchedRepository};
use super::error_kind::{ConfigErrorKind, DisplayedValue};
use super::file_tables;
use super::llm_settings::{LlmLayer, PROVIDERS};
use super::mcp_servers::{McpServerSettings, read_mcp_server};
use super::models::{self, AgentSettings, AppLayer, FixerSettings, ReviewerSettings};
use super::problem::{ConfigError, ConfigProblem, ConfigSource};
use super::runners::RunnersLayer;
use super::table_reader::{TableReader, TomlFile};
use super::values::{
    AUTONOMY, BUDGET_TOKENS, CHECKOUT_FILES, DISK_MEGABYTES, MAX_COMMENTS, MAX_ITERATIONS,
    MAX_RESTARTS, MERGE_BASE, REPLAY_DAYS, SESSION_RETRIES, SLOTS, STRICTNESS, THEMES, UNSEEN,
    boolean, commands, dollars, duration_ms, login, logins, number, one_of, parse_choice,
    parse_login, parse_permille, parse_url, permille, string, strings, url,
};
use collie_agents::acp::HostPattern;
use collie_core::autonomy::Autonomy;
use collie_core::budget::{Budget, BudgetLimit};
use collie_core::ids::Login;
use collie_core::policy::{BaseMerging, KnownBot, StageSpec, Strictness, UnseenPolicy};
use collie_i18n::Language;
use std::collections::{BTreeMap, BTreeSet};

/// Which file is read: they differ in what they may say.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ConfigFileKind {
    /// `config.toml` of the data folder: the user's own.
    User,
    /// `.collie.toml` at the base of a pull request: it may tighten, never widen (§12).
    Repository,
}

/// What one layer says; `None` is silence.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ConfigLayer {
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
    /// `unseen`: what becomes of text files that no reviewer was shown.
    pub unseen: Option<UnseenPolicy>,
    /// `fix`: whether Collie fixes and pushes at all.
    pub fix: Option<bool>,
    /// `fix_suggestions`: whether P3 goes along.
    pub fix_suggestions: Option<bool>,
    /// `autonomy`: how far Collie goes by itself at most.
    pub autonomy: Option<Autonomy>,
    /// `merge_base`: whether the base is merged into the head branch, and by whom.
    pub merge_base: Option<BaseMerging>,
    /// `linters`: whether a repository's own linters review too.
    pub linters: Option<bool>,
    /// `ignore_label`.
    pub ignore_label: Option<String>,
    /// `language`: `en` or `fr`.
    pub language: Option<&'static str>,
    /// `github_api_url`.
    pub github_api_url: Option<String>,
    /// `github_account`: whose token of `gh` is used, where it knows several.
    pub github_account: Option<Login>,
    /// `[app]`: the GitHub App that loops act as.
    pub app: AppLayer,
    /// `[verify] commands`.
    pub verify: Option<Vec<String>>,
    /// `[verify] prepare` and `prepare_hosts`.
    pub prepare: PrepareLayer,
    /// `[disk]`.
    pub disk: DiskLayer,
    /// `[runners]`.
    pub runners: RunnersLayer,
    /// `[budget]`.
    pub budget: Budget,
    /// `[[bots]]`.
    pub bots: Vec<KnownBot>,
    /// `[[stages]]`.
    pub stages: Option<Vec<StageSpec>>,
    /// `[llm]`.
    pub llm: LlmLayer,
    /// `[models.NAME]`: those that take over.
    pub models: BTreeMap<String, LlmLayer>,
    /// `[agents.NAME]`.
    pub agents: BTreeMap<String, AgentSettings>,
    /// `[mcp.NAME]`.
    pub mcp_servers: BTreeMap<String, McpServerSettings>,
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
    /// `[desktop] new_repositories`.
    pub new_repositories: Option<Autonomy>,
}

/// What a layer says of the command before those that verify.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PrepareLayer {
    /// `prepare`.
    pub command: Option<String>,
    /// `prepare_hosts`.
    pub hosts: Option<Vec<HostPattern>>,
}

/// What a layer says of the disk.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct DiskLayer {
    /// `checkout_mb`.
    pub checkout_mb: Option<u32>,
    /// `checkout_files`.
    pub checkout_files: Option<u32>,
    /// `sandbox_mb`.
    pub sandbox_mb: Option<u32>,
    /// `replay_days`.
    pub replay_days: Option<u32>,
}

impl DiskLayer {
    fn read(file: &mut TomlFile<'_>, disk: &mut TableReader<'_, '_>) -> Self {
        Self {
            checkout_mb: disk.read(file, "checkout_mb", number(DISK_MEGABYTES)),
            checkout_files: disk.read(file, "checkout_files", number(CHECKOUT_FILES)),
            sandbox_mb: disk.read(file, "sandbox_mb", number(DISK_MEGABYTES)),
            replay_days: disk.read(file, "replay_days", number(REPLAY_DAYS)),
        }
    }
}

/// What is the user's alone to say.
fn refuse_user_tables(file: &mut TomlFile<'_>, top: &mut TableReader<'_, '_>) {
    top.refuse(file, "bots", ConfigErrorKind::UserFileOnlyBots);
    top.refuse(
        file,
        "repositories",
        ConfigErrorKind::UserFileOnlyRepositories,
    );
    top.refuse(file, "desktop", ConfigErrorKind::UserFileOnlyDesktop);
    top.refuse(file, "disk", ConfigErrorKind::UserFileOnly);
    top.refuse(file, "app", ConfigErrorKind::UserFileOnly);
    top.refuse(file, "runners", ConfigErrorKind::UserFileOnly);
    for key in ["llm", "models", "agents", "mcp", "reviewers", "fixer"] {
        top.refuse(file, key, ConfigErrorKind::UserFileOnlyModels);
    }
}

/// The languages that Collie speaks.
pub const LANGUAGES: &[(&str, &str)] = &[("en", "en"), ("fr", "fr")];

impl ConfigLayer {
    /// Reads a file. `name` is how errors call it, such as `config.toml`.
    pub fn from_toml(name: &str, content: &str, kind: ConfigFileKind) -> Result<Self, ConfigError> {
        let (layer, problems) = Self::parse_lenient(name, content, kind);
        if problems.is_empty() {
            Ok(layer)
        } else {
            Err(ConfigError { problems })
        }
    }

    /// Reads a file whose text may be none.
    pub fn from_bytes(
        name: &str,
        content: &[u8],
        kind: ConfigFileKind,
    ) -> Result<Self, ConfigError> {
        let text = std::str::from_utf8(content).map_err(|error| {
            let problem = ConfigProblem {
                source: ConfigSource::File(name.to_owned()),
                line: None,
                key: String::new(),
                kind: ConfigErrorKind::NotUtf8(error.valid_up_to()),
            };
            ConfigError {
                problems: vec![problem],
            }
        })?;
        Self::from_toml(name, text, kind)
    }

    /// Reads what fits of a file, and everything that does not. Only for showing: with a problem, nothing goes by it.
    pub fn parse_lenient(
        name: &str,
        content: &str,
        kind: ConfigFileKind,
    ) -> (Self, Vec<ConfigProblem>) {
        let mut layer = Self::default();
        let (mut file, root) = match TomlFile::parse(name, content) {
            Ok(parsed) => parsed,
            Err(error) => return (layer, error.problems),
        };
        let mut top = TableReader::new("", root.get_ref());
        layer.read_loop_keys(&mut file, &mut top);
        layer.read_people_keys(&mut file, &mut top, kind);
        layer.read_tables(&mut file, &mut top, kind);
        refuse_merging(&mut file, &mut top);
        top.finish(&mut file);
        (layer, file.finish())
    }

    fn read_loop_keys(&mut self, file: &mut TomlFile<'_>, top: &mut TableReader<'_, '_>) {
        let legacy = top.read(file, "max_iterations", number(MAX_ITERATIONS));
        self.max_iterations = top
            .read(file, "max_pr_review_iterations", number(MAX_ITERATIONS))
            .or(legacy);
        self.ci_check_timeout = top.read(file, "ci_check_timeout", duration_ms);
        self.external_bot_timeout = top.read(file, "external_bot_timeout", duration_ms);
        self.poll_interval = top.read(file, "poll_interval", duration_ms);
        self.ready_poll_interval = top.read(file, "ready_poll_interval", duration_ms);
        self.collect_failures_for = top.read(file, "collect_failures_for", duration_ms);
        self.no_checks_grace = top.read(file, "no_checks_grace", duration_ms);
        self.max_restarts = top.read(file, "max_restarts", number(MAX_RESTARTS));
        self.session_retries = top.read(file, "session_retries", number(SESSION_RETRIES));
        self.ignored_checks = top
            .read(file, "ignored_checks", strings)
            .map(|names| names.into_iter().collect());
        self.expected_bots = top.read(file, "expected_bots", logins);
        self.comment_threshold = top.read(file, "comment_threshold", permille);
        self.max_comments = top.read(file, "max_comments", number(MAX_COMMENTS));
        self.strictness = top.read(file, "strictness", one_of(STRICTNESS));
        self.unseen = top.read(file, "unseen", one_of(UNSEEN));
        self.fix = top.read(file, "fix", boolean);
        self.fix_suggestions = top.read(file, "fix_suggestions", boolean);
        self.autonomy = top.read(file, "autonomy", one_of(AUTONOMY));
        self.merge_base = top.read(file, "merge_base", one_of(MERGE_BASE));
        self.ignore_label = top.read(file, "ignore_label", string);
    }

    fn read_people_keys(
        &mut self,
        file: &mut TomlFile<'_>,
        top: &mut TableReader<'_, '_>,
        kind: ConfigFileKind,
    ) {
        self.allowed_users = top
            .read(file, "allowed_users", logins)
            .map(|names| names.into_iter().collect());
        match kind {
            ConfigFileKind::User => {
                self.slots = top.read(file, "slots", number(SLOTS));
                self.language = top.read(file, "language", one_of(LANGUAGES));
                self.linters = top.read(file, "linters", boolean);
                self.github_api_url = top.read(file, "github_api_url", url);
                self.github_account = top.read(file, "github_account", login);
            }
            ConfigFileKind::Repository => {
                for key in [
                    "slots",
                    "language",
                    "linters",
                    "github_api_url",
                    "github_account",
                ] {
                    top.refuse(file, key, ConfigErrorKind::UserFileOnly);
                }
            }
        }
    }

    fn read_tables(
        &mut self,
        file: &mut TomlFile<'_>,
        top: &mut TableReader<'_, '_>,
        kind: ConfigFileKind,
    ) {
        file_tables::read_table(file, top, "verify", |file, verify| {
            self.verify = verify.read(file, "commands", commands);
            self.prepare = PrepareLayer {
                command: verify.read(file, "prepare", string),
                hosts: verify.read(file, "prepare_hosts", models::hosts),
            };
        });
        self.stages = file_tables::read_tables(file, top, "stages", file_tables::read_stage);
        file_tables::read_table(file, top, "budget", |file, budget| {
            self.read_budget(file, budget, kind);
        });
        match kind {
            ConfigFileKind::User => {
                self.bots = file_tables::read_tables(file, top, "bots", file_tables::read_bot)
                    .unwrap_or_default();
                self.repositories = file_tables::read_repositories(file, top);
                file_tables::read_table(file, top, "app", |file, app| {
                    self.app = models::read_app(file, app);
                });
                file_tables::read_table(file, top, "disk", |file, disk| {
                    self.disk = DiskLayer::read(file, disk);
                });
                file_tables::read_table(file, top, "runners", |file, runners| {
                    self.runners = RunnersLayer::read(file, runners);
                });
                file_tables::read_table(file, top, "llm", |file, llm| self.llm.read(file, llm));
                self.models = models::read_named_tables(file, top, "models", models::read_model);
                self.agents = models::read_named_tables(file, top, "agents", models::read_agent);
                self.mcp_servers = models::read_named_tables_if(file, top, "mcp", |file, table| {
                    read_mcp_server(file, table).ok_or(ConfigErrorKind::McpIncomplete)
                });
                self.reviewers =
                    models::read_named_tables(file, top, "reviewers", models::read_reviewer);
                file_tables::read_table(file, top, "fixer", |file, fixer| {
                    self.fixer = Some(models::read_fixer(file, fixer));
                });
                file_tables::read_table(file, top, "desktop", |file, desktop| {
                    self.theme = desktop.read(file, "theme", one_of(THEMES));
                    self.notifications = desktop.read(file, "notifications", boolean);
                    self.keep_running = desktop.read(file, "keep_running", boolean);
                    self.new_repositories =
                        desktop.read(file, "new_repositories", one_of(AUTONOMY));
                });
            }
            ConfigFileKind::Repository => refuse_user_tables(file, top),
        }
    }

    /// `[budget]`: what all pull requests together may cost is the user's alone to say.
    fn read_budget(
        &mut self,
        file: &mut TomlFile<'_>,
        table: &mut TableReader<'_, '_>,
        kind: ConfigFileKind,
    ) {
        let mut limit = |usd: &'static str, tokens: &'static str| BudgetLimit {
            cost_micros: table.read(file, usd, dollars),
            tokens: table
                .read(file, tokens, number(BUDGET_TOKENS))
                .map(u64::from),
        };
        self.budget.pull_request = limit("per_pull_request_usd", "per_pull_request_tokens");
        if kind == ConfigFileKind::User {
            self.budget.day = limit("per_day_usd", "per_day_tokens");
            self.budget.total = limit("total_usd", "total_tokens");
        } else {
            for key in ["per_day_usd", "per_day_tokens", "total_usd", "total_tokens"] {
                table.refuse(file, key, ConfigErrorKind::UserFileOnly);
            }
        }
    }

    /// Reads the environment (§12). An empty variable says nothing.
    pub fn from_environment(
        variable: impl Fn(&str) -> Option<String>,
    ) -> Result<Self, ConfigError> {
        let mut reader = VariableReader {
            variable,
            problems: Vec::new(),
        };
        let layer = Self {
            allowed_users: reader.read("GITHUB_AUTO_PR_REVIEW_ALLOWED_USERS", parse_logins),
            strictness: reader.read("REVIEW_STRICTNESS", |value| parse_choice(value, STRICTNESS)),
            max_comments: reader.read("MAX_COMMENTS", parse_max_comments),
            comment_threshold: reader.read("COMMENT_THRESHOLD", |value| {
                parse_permille(value).ok_or_else(|| {
                    ConfigErrorKind::InvalidShareVariable(DisplayedValue::quoted(value))
                })
            }),
            language: reader.read("COLLIE_LANG", |value| {
                let language = Language::parse(value).map(Language::code);
                language.ok_or_else(|| ConfigErrorKind::UnknownLanguage(value.to_owned()))
            }),
            llm: LlmLayer {
                provider: reader.read("LLM_PROVIDER", |value| parse_choice(value, PROVIDERS)),
                model: reader.read("LLM_MODEL", |value| Ok(value.to_owned())),
                url: reader.read("LLM_API_URL", parse_url),
                ..LlmLayer::default()
            },
            github_api_url: reader.read("GITHUB_API_URL", parse_url),
            ..Self::default()
        };
        let problems = reader.problems;
        if problems.is_empty() {
            Ok(layer)
        } else {
            Err(ConfigError { problems })
        }
    }
}

/// Reads variables of the environment, and keeps what does not fit.
struct VariableReader<F> {
    variable: F,
    problems: Vec<ConfigProblem>,
}

impl<F: Fn(&str) -> Option<String>> VariableReader<F> {
    /// None where a variable says nothing, or what does not fit.
    fn read<T>(
        &mut self,
        name: &'static str,
        parse: impl FnOnce(&str) -> Result<T, ConfigErrorKind>,
    ) -> Option<T> {
        let value = (self.variable)(name)?;
        let value = value.trim();
        if value.is_empty() {
            return None;
        }
        match parse(value) {
            Ok(parsed) => Some(parsed),
            Err(kind) => {
                self.problems.push(ConfigProblem {
                    source: ConfigSource::Variable(name),
                    line: None,
                    key: String::new(),
                    kind,
                });
                None
            }
        }
    }
}

fn parse_logins(value: &str) -> Result<BTreeSet<Login>, ConfigErrorKind> {
    let names = value
        .split(',')
        .map(str::trim)
        .filter(|name| !name.is_empty());
    names.map(parse_login).collect()
}

fn parse_max_comments(value: &str) -> Result<u32, ConfigErrorKind> {
    let number = value.parse().ok().filter(|n| MAX_COMMENTS.contains(*n));
    number.ok_or_else(|| ConfigErrorKind::OutOfRange {
        value: DisplayedValue::quoted(value),
        least: MAX_COMMENTS.least,
        most: MAX_COMMENTS.most,
    })
}

/// The two keys of seed 003 that could ask for merging: only their safe values are accepted (§11).
fn refuse_merging(file: &mut TomlFile<'_>, top: &mut TableReader<'_, '_>) {
    top.read(file, "require_human_approval", |value| {
        match boolean(value)? {
            true => Ok(()),
            false => Err(ConfigErrorKind::HumanApprovalDisabled),
        }
    });
    top.read(file, "auto_merge", |value| match boolean(value)? {
        false => Ok(()),
        true => Err(ConfigErrorKind::AutoMergeEnabled),
    });
}
