//! Settings as a form over `config.toml` (§12, §13.5): what holds and why, what would be wrong, and saving, all or nothing.

mod config_file;
mod document_edit;
mod header_edit;
mod mcp_settings;
mod model_settings;
mod named_tables;
mod schema;
mod setting;
mod settings_error;
mod value_edit;

pub use settings_error::SettingsError;

use collie_config::{
    Config, ConfigError, ConfigErrorKind, ConfigFileKind, ConfigLayer, ConfigProblem, ConfigSource,
    DataFolder, LlmSettings, data_paths,
};
use collie_core::autonomy::Autonomy;
use collie_core::error_code::ErrorHint;
use collie_core::ids::{Login, RepoName};
use collie_core::user_error::UserError;
use collie_i18n::Localizer;
use collie_wire::rpc::{
    AutoReviewPlan, RepositorySetting, SettingField, SettingProblem, SettingSource, SettingsView,
};
use model_settings::SettingOptions;
use schema::settings;
use serde_json::{Value, json};
use setting::Setting;
use std::collections::BTreeMap;
use toml_edit::DocumentMut;

/// New values by key; null takes a key out of the file.
pub type Changes = BTreeMap<String, Value>;

/// How often a save begins anew because the file changed under it.
const MAX_SAVE_ATTEMPTS: usize = 5;

/// Which settings: a folder's, and what they rest on. A folder alone rests on nothing but the defaults.
#[derive(Clone, Copy)]
pub struct SettingsTarget<'a> {
    /// The folder whose `config.toml` is shown and edited.
    pub folder: &'a DataFolder,
    /// What holds where the file is silent: the host's language.
    pub base_layers: &'a [ConfigLayer],
    /// What the demo sets on top of that: it holds where the file is silent, and is nobody's default.
    pub demo_layers: &'a [ConfigLayer],
    /// The configuration in force, whose values are shown while the file has problems; without it, what fits of the file.
    pub current_config: Option<&'a Config>,
}

impl<'a> From<&'a DataFolder> for SettingsTarget<'a> {
    fn from(folder: &'a DataFolder) -> Self {
        Self {
            folder,
            base_layers: &[],
            demo_layers: &[],
            current_config: None,
        }
    }
}

/// What saving gives: the configuration that holds from now on, or what is wrong with the changes.
pub type SaveResult = Result<Result<Config, Vec<SettingProblem>>, SettingsError>;

/// A ground with the environment that decides over its file.
struct SettingsContext<'a> {
    target: SettingsTarget<'a>,
    environment: &'a dyn Fn(&str) -> Option<String>,
}

/// The layers of a place, with everything that does not fit left out and told.
struct ParsedSettings {
    text: String,
    file_layer: ConfigLayer,
    environment_layer: ConfigLayer,
    problems: Vec<ConfigProblem>,
    /// What holds; none while there is a problem.
    config: Option<Config>,
}

impl SettingsContext<'_> {
    fn folder(&self) -> &DataFolder {
        self.target.folder
    }

    fn read_file(&self) -> ParsedSettings {
        match config_file::read(self.folder()) {
            Ok(bytes) => self.parse_bytes(&bytes),
            Err(SettingsError::Read { source, .. }) => {
                self.unreadable(ConfigErrorKind::Unreadable(source.to_string()))
            }
            Err(error) => self.unreadable(ConfigErrorKind::Unreadable(error.to_string())),
        }
    }

    fn unreadable(&self, kind: ConfigErrorKind) -> ParsedSettings {
        let mut parsed = self.parse_text("");
        parsed.config = None;
        parsed.problems.insert(
            0,
            ConfigProblem {
                source: ConfigSource::File(self.file_name()),
                line: None,
                key: String::new(),
                kind,
            },
        );
        parsed
    }

    fn parse_bytes(&self, bytes: &[u8]) -> ParsedSettings {
        match std::str::from_utf8(bytes) {
            Ok(text) => self.parse_text(text),
            Err(error) => self.unreadable(ConfigErrorKind::NotUtf8(error.valid_up_to())),
        }
    }

    fn parse_text(&self, text: &str) -> ParsedSettings {
        let (file, mut problems) =
            ConfigLayer::parse_lenient(&self.file_name(), text, ConfigFileKind::User);
        let environment = ConfigLayer::from_environment(self.environment).unwrap_or_else(|error| {
            problems.extend(error.problems);
            ConfigLayer::default()
        });
        let resolved = self.resolve(&[file.clone(), environment.clone()]);
        let config = match resolved {
            Ok(config) if problems.is_empty() => Some(config),
            Ok(_) => None,
            Err(error) => {
                problems.extend(error.problems);
                None
            }
        };
        ParsedSettings {
            text: text.to_owned(),
            file_layer: file,
            environment_layer: environment,
            problems,
            config,
        }
    }

    fn resolve(&self, above: &[ConfigLayer]) -> Result<Config, ConfigError> {
        self.resolve_without_demo(&[self.target.demo_layers, above].concat())
    }

    fn resolve_without_demo(&self, above: &[ConfigLayer]) -> Result<Config, ConfigError> {
        let layers = [self.target.base_layers, above].concat();
        Config::resolve(self.folder().path().to_owned(), &layers)
    }

    fn is_set_for_demo(&self, setting: &Setting) -> bool {
        let mut layers = self.target.demo_layers.iter();
        layers.any(|layer| (setting.layer_value)(layer).is_some())
    }

    fn file_name(&self) -> String {
        data_paths::config_file(self.folder()).display().to_string()
    }

    /// The language that the person chose, as far as that can be told.
    fn localizer(&self, parsed: &ParsedSettings) -> Localizer {
        let layers = [&parsed.environment_layer, &parsed.file_layer];
        let above = layers
            .into_iter()
            .chain(self.target.demo_layers.iter().rev())
            .chain(self.target.base_layers.iter().rev());
        Localizer::new(
            above
                .filter_map(|layer| layer.language)
                .next()
                .unwrap_or("en"),
        )
    }

    fn environment_override(&self, setting: &Setting) -> Option<&'static str> {
        let is_set = |name: &&str| (self.environment)(name).is_some_and(|v| !v.trim().is_empty());
        setting.variable.filter(is_set)
    }
}

/// Every setting with its value and where that comes from.
pub fn view<'a>(
    target: impl Into<SettingsTarget<'a>>,
    environment: impl Fn(&str) -> Option<String>,
    localizer: &Localizer,
) -> SettingsView {
    let context = SettingsContext {
        target: target.into(),
        environment: &environment,
    };
    let parsed = context.read_file();
    let defaults = context.resolve(&[]).ok();
    let partial_config = match context.target.current_config {
        Some(_) => None,
        None => context
            .resolve(&[parsed.file_layer.clone(), parsed.environment_layer.clone()])
            .ok(),
    };
    let effective = parsed
        .config
        .as_ref()
        .or(context.target.current_config)
        .or(partial_config.as_ref())
        .or(defaults.as_ref());
    let offers = SettingOptions::of(effective, context.folder().path());
    let default_values = DefaultValues::of(&context, &parsed);
    let fields = settings().into_iter().map(|setting| SettingField {
        value: parsed.displayed_value(&setting, effective),
        default: default_values.value(&setting),
        source: if (setting.layer_value)(&parsed.environment_layer).is_some() {
            SettingSource::Environment
        } else if (setting.layer_value)(&parsed.file_layer).is_some() {
            SettingSource::File
        } else if context.is_set_for_demo(&setting) {
            SettingSource::Demo
        } else {
            SettingSource::Default
        },
        variable: setting.variable.map(str::to_owned),
        key: setting.key.to_owned(),
        group: setting.group,
        kind: offers.fill(setting.kind, localizer),
    });
    SettingsView {
        file: context.file_name(),
        fields: fields.collect(),
        problems: setting_problems(&parsed.problems, &parsed.problems, localizer),
    }
}

impl ParsedSettings {
    /// What holds; where nothing does because another setting is missing, what was said, else what is usual.
    fn displayed_value(&self, setting: &Setting, effective: Option<&Config>) -> Value {
        let configured = || {
            (setting.layer_value)(&self.environment_layer)
                .or_else(|| (setting.layer_value)(&self.file_layer))
        };
        match effective.map_or(Value::Null, setting.config_value) {
            Value::Null => configured().unwrap_or_else(|| setting.fallback.clone()),
            value => value,
        }
    }
}

/// What holds where nobody said anything, the demo neither.
struct DefaultValues {
    defaults: Option<Config>,
    /// The same, but for what some defaults follow from.
    derived: Option<Config>,
}

impl DefaultValues {
    fn of(context: &SettingsContext<'_>, parsed: &ParsedSettings) -> Self {
        let without_stages = ConfigLayer {
            stages: None,
            ..parsed.file_layer.clone()
        };
        let derived = context
            .resolve_without_demo(&[without_stages, parsed.environment_layer.clone()])
            .ok();
        let defaults = context.resolve_without_demo(&[]).ok();
        Self { defaults, derived }
    }

    fn value(&self, setting: &Setting) -> Value {
        let derived = self
            .derived
            .as_ref()
            .filter(|_| setting.has_derived_default);
        match derived
            .or(self.defaults.as_ref())
            .map_or(Value::Null, setting.config_value)
        {
            Value::Null => setting.fallback.clone(),
            value => value,
        }
    }
}

/// What is wrong with changes that were not saved yet; empty when they can be.
pub fn check<'a>(
    target: impl Into<SettingsTarget<'a>>,
    environment: impl Fn(&str) -> Option<String>,
    changes: &Changes,
    localizer: &Localizer,
) -> Vec<SettingProblem> {
    let context = SettingsContext {
        target: target.into(),
        environment: &environment,
    };
    let before = context.read_file();
    match plan_changes(&context, &before, changes) {
        Ok(_) => Vec::new(),
        Err(problems) => setting_problems(&problems, &before.problems, localizer),
    }
}

/// The model of a table (`llm`, `models.NAME`, `reviewers.NAME`) as it would be with changes that were not saved yet. It may have no name: services list
/// theirs. What is wrong elsewhere is of no matter here.
pub fn model_of_table<'a>(
    target: impl Into<SettingsTarget<'a>>,
    environment: impl Fn(&str) -> Option<String>,
    changes: &Changes,
    table: &str,
) -> Result<LlmSettings, UserError> {
    let context = SettingsContext {
        target: target.into(),
        environment: &environment,
    };
    let before = context.read_file();
    // Lines of what was not saved tell nobody anything.
    let wrong = |problem: &ConfigProblem| {
        let unsaved = unsaved_problem(&problem.key, problem.kind.clone());
        let placed = if before.problems.contains(problem) {
            problem
        } else {
            &unsaved
        };
        UserError::from(placed).hint(ErrorHint::Settings)
    };
    let (text, problems) =
        edit_text(&context, &before, changes).map_err(|problem| wrong(&problem))?;
    let after = context.parse_text(&text);
    let inherits = table.starts_with("reviewers.");
    let is_about = |problem: &&ConfigProblem| {
        let lies_in = |table: &str| {
            let rest = problem.key.strip_prefix(table);
            rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
        };
        let of_layers = problem.source == ConfigSource::AllLayers;
        // What is missing is told by what is asked for.
        !of_layers && (lies_in(table) || inherits && lies_in("llm"))
    };
    let mut all = problems
        .iter()
        .chain(after.problems.iter().filter(is_about));
    if let Some(problem) = all.next() {
        return Err(wrong(problem));
    }
    let layers: Vec<ConfigLayer> = context
        .target
        .base_layers
        .iter()
        .chain(context.target.demo_layers)
        .cloned()
        .chain([after.file_layer, after.environment_layer])
        .collect();
    Config::model_of_table(&layers, table).map_err(|problem| wrong(&problem))
}

/// Writes changes into the file, all or none.
pub fn save<'a>(
    target: impl Into<SettingsTarget<'a>>,
    environment: impl Fn(&str) -> Option<String>,
    changes: &Changes,
    localizer: &Localizer,
) -> SaveResult {
    save_with(target.into(), &environment, Some(localizer), |_| {
        Ok(changes.clone())
    })
}

/// Switches the toggle of a repository (§13.1), which is put into the sidebar if it is not there.
///
/// This and what follows tell problems in the language of the configuration.
pub fn set_auto_review<'a>(
    target: impl Into<SettingsTarget<'a>>,
    environment: impl Fn(&str) -> Option<String>,
    repo: &RepoName,
    on: bool,
    plan: Option<&AutoReviewPlan>,
) -> SaveResult {
    save_repositories(target.into(), &environment, |list, initial| {
        add_repository(list, repo, initial);
        for listed in list
            .iter_mut()
            .filter(|listed| is_same_repository(listed, repo))
        {
            listed.auto_pr_review_enabled = on;
            if let Some(plan) = plan {
                listed.autonomy = Some(plan.autonomy);
                listed.except.clone_from(&plan.except);
            }
        }
    })
}

/// Sets how far Collie goes by itself in a repository, which it puts into the sidebar.
pub fn set_autonomy<'a>(
    target: impl Into<SettingsTarget<'a>>,
    environment: impl Fn(&str) -> Option<String>,
    repo: &RepoName,
    level: Autonomy,
) -> SaveResult {
    save_repositories(target.into(), &environment, |list, initial| {
        add_repository(list, repo, initial);
        for listed in list
            .iter_mut()
            .filter(|listed| is_same_repository(listed, repo))
        {
            listed.autonomy = Some(level);
        }
    })
}

/// Puts repositories into the sidebar, behind those that are there.
pub fn add_repositories<'a>(
    target: impl Into<SettingsTarget<'a>>,
    environment: impl Fn(&str) -> Option<String>,
    repos: &[RepoName],
) -> SaveResult {
    save_repositories(target.into(), &environment, |list, initial| {
        for repo in repos {
            add_repository(list, repo, initial);
        }
    })
}

/// Takes a repository out of the sidebar.
pub fn remove_repository<'a>(
    target: impl Into<SettingsTarget<'a>>,
    environment: impl Fn(&str) -> Option<String>,
    repo: &RepoName,
) -> SaveResult {
    save_repositories(target.into(), &environment, |list, _| {
        list.retain(|listed| !is_same_repository(listed, repo));
    })
}

/// Adds an account to `allowed_users`.
pub fn allow_login<'a>(
    target: impl Into<SettingsTarget<'a>>,
    environment: impl Fn(&str) -> Option<String>,
    login: &Login,
) -> SaveResult {
    save_with(target.into(), &environment, None, |now| {
        let mut allowed = now?.policy.allowed_users;
        allowed.insert(login.clone());
        let allowed: Vec<&str> = allowed.iter().map(Login::as_str).collect();
        Ok(Changes::from([(
            "allowed_users".to_owned(),
            json!(allowed),
        )]))
    })
}

fn is_same_repository(listed: &RepositorySetting, repo: &RepoName) -> bool {
    // GitHub's names know no case.
    RepoName::parse(&listed.name).is_ok_and(|name| name.eq_ignore_case(repo))
}

/// `level` is how far Collie goes by itself in a new one.
fn add_repository(list: &mut Vec<RepositorySetting>, repo: &RepoName, level: Autonomy) {
    if !list.iter().any(|listed| is_same_repository(listed, repo)) {
        list.push(RepositorySetting {
            name: repo.to_string(),
            auto_pr_review_enabled: false,
            authors: Vec::new(),
            labels: Vec::new(),
            base_branches: Vec::new(),
            read_from: Vec::new(),
            unsandboxed: false,
            autonomy: Some(level),
            except: Vec::new(),
        });
    }
}

fn save_repositories(
    target: SettingsTarget<'_>,
    environment: &dyn Fn(&str) -> Option<String>,
    change: impl Fn(&mut Vec<RepositorySetting>, Autonomy),
) -> SaveResult {
    save_with(target, environment, None, |now| {
        let now = now?;
        let mut list = schema::repository_settings(&now.repositories);
        change(&mut list, now.desktop.new_repositories);
        Ok(Changes::from([("repositories".to_owned(), json!(list))]))
    })
}

/// Saves what follows from the configuration as it is in the file at that moment.
fn save_with(
    target: SettingsTarget<'_>,
    environment: &dyn Fn(&str) -> Option<String>,
    localizer: Option<&Localizer>,
    changes: impl Fn(Result<Config, ConfigError>) -> Result<Changes, ConfigError>,
) -> SaveResult {
    let context = SettingsContext {
        target,
        environment,
    };
    config_file::with_file_lock(context.folder(), || {
        for _ in 0..MAX_SAVE_ATTEMPTS {
            let bytes = config_file::read(context.folder())?;
            let before = context.parse_bytes(&bytes);
            // Without the environment, which is not to be written down.
            let now = context.resolve(std::slice::from_ref(&before.file_layer));
            let plan = changes(now)
                .map_err(|error| error.problems)
                .and_then(|changes| plan_changes(&context, &before, &changes));
            let (text, config) = match plan {
                Ok(planned) => planned,
                Err(problems) => {
                    let render = |localizer: &Localizer| {
                        setting_problems(&problems, &before.problems, localizer)
                    };
                    return Ok(Err(match localizer {
                        Some(localizer) => render(localizer),
                        None => render(&context.localizer(&before)),
                    }));
                }
            };
            if text.as_bytes() == bytes || config_file::replace(context.folder(), &bytes, &text)? {
                return Ok(Ok(config));
            }
        }
        Err(SettingsError::Busy {
            path: data_paths::config_file(context.folder()),
        })
    })
}

/// The text after the changes and what it means.
fn plan_changes(
    context: &SettingsContext<'_>,
    before: &ParsedSettings,
    changes: &Changes,
) -> Result<(String, Config), Vec<ConfigProblem>> {
    let (text, mut problems) =
        edit_text(context, before, changes).map_err(|problem| vec![*problem])?;
    let after = context.parse_text(&text);
    // A problem of a key that could not even be put is told once.
    let is_reported =
        |problem: &ConfigProblem| problems.iter().any(|reported| reported.key == problem.key);
    let other_problems: Vec<_> = after
        .problems
        .into_iter()
        .filter(|problem| !is_reported(problem))
        .collect();
    problems.extend(other_problems);
    match after.config {
        Some(config) if problems.is_empty() => Ok((text, config)),
        Some(_) | None => Err(problems),
    }
}

/// The text after the changes, with what could not be put into it. Fails where the text cannot be edited at all.
fn edit_text(
    context: &SettingsContext<'_>,
    before: &ParsedSettings,
    changes: &Changes,
) -> Result<(String, Vec<ConfigProblem>), Box<ConfigProblem>> {
    let unreadable = |problem: &&ConfigProblem| {
        matches!(
            problem.kind,
            ConfigErrorKind::InvalidToml(_)
                | ConfigErrorKind::NotUtf8(_)
                | ConfigErrorKind::Unreadable(_)
        )
    };
    if let Some(problem) = before.problems.iter().find(unreadable) {
        return Err(Box::new(problem.clone()));
    }
    let mut doc: DocumentMut = before.text.parse().map_err(|error: toml_edit::TomlError| {
        let kind = ConfigErrorKind::InvalidToml(error.message().to_owned());
        Box::new(unsaved_problem("", kind))
    })?;
    let has_no_keys = doc.as_table().is_empty();
    let all = settings();
    let mut problems = Vec::new();
    for (key, value) in changes {
        if let Err(kind) = apply_change(context, &mut doc, &all, before, (key, value)) {
            problems.push(unsaved_problem(key, kind));
        }
    }
    let text = match has_no_keys {
        // The comments of a file without a key belong to nothing: they stay at the top.
        true => {
            doc.set_trailing("");
            join_lines(&before.text, &doc.to_string())
        }
        false => restore_top_comment(&before.text, doc.to_string()),
    };
    Ok((text, problems))
}

fn apply_change(
    context: &SettingsContext<'_>,
    doc: &mut DocumentMut,
    all: &[Setting],
    before: &ParsedSettings,
    (key, value): (&str, &Value),
) -> Result<(), ConfigErrorKind> {
    let Some(setting) = all.iter().find(|setting| setting.key == key) else {
        if value.is_null() {
            // The way to be rid of a key that nobody knows.
            value_edit::remove_key(doc, key);
            return Ok(());
        }
        return Err(ConfigErrorKind::UnknownKey(
            all.iter().map(|setting| setting.key).collect(),
        ));
    };
    if let Some(variable) = context.environment_override(setting) {
        return Err(ConfigErrorKind::SetByEnvironment(variable));
    }
    if value.is_null() {
        value_edit::remove_key(doc, key);
        if let Some(older) = setting.legacy_key {
            value_edit::remove_key(doc, older);
        }
        return Ok(());
    }
    if (setting.layer_value)(&before.file_layer).as_ref() == Some(value) {
        return Ok(());
    }
    document_edit::put_setting(doc, setting, value)
}

fn unsaved_problem(key: &str, kind: ConfigErrorKind) -> ConfigProblem {
    ConfigProblem {
        source: ConfigSource::AllLayers,
        line: None,
        key: key.to_owned(),
        kind,
    }
}

fn join_lines(comments: &str, keys: &str) -> String {
    if comments.is_empty() || keys.is_empty() || comments.ends_with('\n') {
        format!("{comments}{keys}")
    } else {
        format!("{comments}\n{keys}")
    }
}

/// Puts the comment at the top of a file back, which an editor of TOML counts as part of the first key and takes out with it.
fn restore_top_comment(before: &str, after: String) -> String {
    let end = before.find("\n\n").map_or(0, |at| at + 2);
    let top = &before[..end];
    let comment = !top.is_empty() && top.lines().all(|l| l.is_empty() || l.starts_with('#'));
    if comment && !after.starts_with(top) {
        format!("{top}{after}")
    } else {
        after
    }
}

/// Problems for the form. Those that the file already had name their line; the lines of what was not saved tell nobody anything.
fn setting_problems(
    problems: &[ConfigProblem],
    in_file: &[ConfigProblem],
    localizer: &Localizer,
) -> Vec<SettingProblem> {
    let all = settings();
    let views = problems.iter().map(|problem| {
        let is_same =
            |other: &&ConfigProblem| other.key == problem.key && other.kind == problem.kind;
        let line = in_file.iter().find(is_same).and_then(|known| known.line);
        let owner = all.iter().find(|setting| match problem.source {
            ConfigSource::Variable(name) => setting.variable == Some(name),
            ConfigSource::File(_) | ConfigSource::AllLayers => setting.owns_key(&problem.key),
        });
        let key = owner.map_or_else(|| problem.key.clone(), |setting| setting.key.to_owned());
        SettingProblem {
            path: (problem.key.len() > key.len()).then(|| problem.key.clone()),
            key,
            line: line.and_then(|line| u32::try_from(line).ok()),
            message: localizer.error_text(&UserError::from(&problem.kind)),
        }
    });
    views.collect()
}
