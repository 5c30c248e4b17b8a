//! Settings as a form over `config.toml` (§12, §13.5): what holds and why, what would be wrong, and saving, all or nothing.

mod edit;
mod file;
mod models;
mod named;
mod table;

use super::Problem as DeskProblem;
use crate::config::{Config, ConfigError, FileKind, Layer, Problem, Source, Wrong};
use crate::home;
use crate::words::Speech;
use collie_core::ids::{Login, RepoName};
use collie_store::DataFolder;
use collie_wire::rpc::{
    RepositorySetting, SettingField, SettingProblem, SettingSource, SettingsView,
};
use models::Offers;
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::io;
use std::path::PathBuf;
use table::{Setting, settings};
use toml_edit::DocumentMut;

/// New values by key; null takes a key out of the file.
pub type Changes = BTreeMap<String, Value>;

/// How often a save begins anew because the file changed under it.
const TRIES: usize = 5;

/// Which settings: a folder's, and what they rest on. A folder alone rests on nothing but the defaults.
#[derive(Clone, Copy)]
pub struct Ground<'a> {
    /// The folder whose `config.toml` is shown and edited.
    pub folder: &'a DataFolder,
    /// What holds where the file is silent: the host's language, what the demo needs.
    pub below: &'a [Layer],
    /// The configuration in force, whose values are shown while the file has problems; without it, what fits of the file.
    pub held: Option<&'a Config>,
}

impl<'a> From<&'a DataFolder> for Ground<'a> {
    fn from(folder: &'a DataFolder) -> Self {
        Self {
            folder,
            below: &[],
            held: None,
        }
    }
}

/// What saving gives: the configuration that holds from now on, or what is wrong with the changes.
pub type Saved = Result<Result<Config, Vec<SettingProblem>>, SettingsError>;

/// Why the file could not be read or written.
#[derive(Debug, thiserror::Error)]
pub enum SettingsError {
    /// It is there and cannot be read.
    #[error("cannot read {}: {source}", path.display())]
    Read {
        /// The file.
        path: PathBuf,
        /// Why.
        source: io::Error,
    },
    /// It cannot be written. What was there is there still.
    #[error("cannot write {}: {source}", path.display())]
    Write {
        /// The file.
        path: PathBuf,
        /// Why.
        source: io::Error,
    },
    /// Something else changes it faster than it can be saved.
    #[error("{} was changed by another program at every attempt to save it: close that program, then save again", path.display())]
    Busy {
        /// The file.
        path: PathBuf,
    },
}

impl From<SettingsError> for DeskProblem {
    fn from(error: SettingsError) -> Self {
        let (code, path, reason) = match error {
            SettingsError::Read { path, source } => ("settings_unreadable", path, Some(source)),
            SettingsError::Write { path, source } => ("settings_unwritable", path, Some(source)),
            SettingsError::Busy { path } => ("settings_busy", path, None),
        };
        let problem = Self::new(code).with("file", path.display());
        match reason {
            Some(reason) => problem.with("message", reason).hint("settings_rights"),
            None => problem.hint("settings_busy"),
        }
    }
}

/// A ground with the environment that decides over its file.
struct Place<'a> {
    ground: Ground<'a>,
    environment: &'a dyn Fn(&str) -> Option<String>,
}

/// The layers of a place, with everything that does not fit left out and told.
struct Reading {
    text: String,
    file: Layer,
    environment: Layer,
    problems: Vec<Problem>,
    /// What holds; none while there is a problem.
    config: Option<Config>,
}

impl Place<'_> {
    fn folder(&self) -> &DataFolder {
        self.ground.folder
    }

    fn read_file(&self) -> Reading {
        match file::read(self.folder()) {
            Ok(bytes) => self.read(&bytes),
            Err(SettingsError::Read { source, .. }) => {
                self.unreadable(Wrong::Unreadable(source.to_string()))
            }
            Err(error) => self.unreadable(Wrong::Unreadable(error.to_string())),
        }
    }

    fn unreadable(&self, wrong: Wrong) -> Reading {
        let mut reading = self.read_text("");
        reading.config = None;
        reading.problems.insert(
            0,
            Problem {
                source: Source::File(self.file_name()),
                line: None,
                key: String::new(),
                wrong,
            },
        );
        reading
    }

    fn read(&self, bytes: &[u8]) -> Reading {
        match std::str::from_utf8(bytes) {
            Ok(text) => self.read_text(text),
            Err(error) => self.unreadable(Wrong::NotUtf8(error.valid_up_to())),
        }
    }

    fn read_text(&self, text: &str) -> Reading {
        let (file, mut problems) = Layer::what_fits(&self.file_name(), text, FileKind::User);
        let environment = Layer::from_environment(self.environment).unwrap_or_else(|error| {
            problems.extend(error.problems);
            Layer::default()
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
        Reading {
            text: text.to_owned(),
            file,
            environment,
            problems,
            config,
        }
    }

    fn resolve(&self, above: &[Layer]) -> Result<Config, ConfigError> {
        let layers: Vec<Layer> = self.ground.below.iter().chain(above).cloned().collect();
        Config::resolve(self.folder().path().to_owned(), &layers)
    }

    fn file_name(&self) -> String {
        home::config_file(self.folder()).display().to_string()
    }

    /// The language that the person chose, as far as that can be told.
    fn speech(&self, reading: &Reading) -> Speech {
        let layers = [&reading.environment, &reading.file];
        let above = layers.into_iter().chain(self.ground.below.iter().rev());
        Speech::new(
            above
                .filter_map(|layer| layer.language)
                .next()
                .unwrap_or("en"),
        )
    }

    fn held_by(&self, setting: &Setting) -> Option<&'static str> {
        let told = |name: &&str| (self.environment)(name).is_some_and(|v| !v.trim().is_empty());
        setting.variable.filter(told)
    }
}

/// Every setting with its value and where that comes from.
pub fn view<'a>(
    ground: impl Into<Ground<'a>>,
    environment: impl Fn(&str) -> Option<String>,
    speech: &Speech,
) -> SettingsView {
    let place = Place {
        ground: ground.into(),
        environment: &environment,
    };
    let reading = place.read_file();
    let silent = place.resolve(&[]).ok();
    let fits = match place.ground.held {
        Some(_) => None,
        None => place
            .resolve(&[reading.file.clone(), reading.environment.clone()])
            .ok(),
    };
    let holds = reading
        .config
        .as_ref()
        .or(place.ground.held)
        .or(fits.as_ref())
        .or(silent.as_ref());
    let offers = Offers::of(holds, place.folder().path());
    let usual = Usual::of(&place, &reading, silent.as_ref());
    let fields = settings().into_iter().map(|setting| SettingField {
        value: reading.shown(&setting, holds),
        default: usual.value(&setting),
        source: if (setting.said)(&reading.environment).is_some() {
            SettingSource::Environment
        } else if (setting.said)(&reading.file).is_some() {
            SettingSource::File
        } else {
            SettingSource::Default
        },
        variable: setting.variable.map(str::to_owned),
        key: setting.key.to_owned(),
        group: setting.group,
        kind: offers.fill(setting.kind),
    });
    SettingsView {
        file: place.file_name(),
        fields: fields.collect(),
        problems: told(&reading.problems, &reading.problems, speech),
        keys: models::keys(&environment),
    }
}

impl Reading {
    /// What holds; where nothing does because another setting is missing, what was said, else what is usual.
    fn shown(&self, setting: &Setting, holds: Option<&Config>) -> Value {
        let said = || (setting.said)(&self.environment).or_else(|| (setting.said)(&self.file));
        match holds.map_or(Value::Null, setting.holds) {
            Value::Null => said().unwrap_or_else(|| setting.usual.clone()),
            value => value,
        }
    }
}

/// What holds where nobody said anything.
struct Usual<'a> {
    silent: Option<&'a Config>,
    /// The same, but for what some defaults follow from.
    following: Option<Config>,
}

impl<'a> Usual<'a> {
    fn of(place: &Place<'_>, reading: &Reading, silent: Option<&'a Config>) -> Self {
        let unsaid = Layer {
            stages: None,
            ..reading.file.clone()
        };
        let following = place.resolve(&[unsaid, reading.environment.clone()]).ok();
        Self { silent, following }
    }

    fn value(&self, setting: &Setting) -> Value {
        let following = self.following.as_ref().filter(|_| setting.follows);
        match following.or(self.silent).map_or(Value::Null, setting.holds) {
            Value::Null => setting.usual.clone(),
            value => value,
        }
    }
}

/// What is wrong with changes that were not saved yet; empty when they can be.
pub fn check<'a>(
    ground: impl Into<Ground<'a>>,
    environment: impl Fn(&str) -> Option<String>,
    changes: &Changes,
    speech: &Speech,
) -> Vec<SettingProblem> {
    let place = Place {
        ground: ground.into(),
        environment: &environment,
    };
    let before = place.read_file();
    match planned(&place, &before, changes) {
        Ok(_) => Vec::new(),
        Err(problems) => told(&problems, &before.problems, speech),
    }
}

/// Writes changes into the file, all or none.
pub fn save<'a>(
    ground: impl Into<Ground<'a>>,
    environment: impl Fn(&str) -> Option<String>,
    changes: &Changes,
    speech: &Speech,
) -> Saved {
    save_what(ground.into(), &environment, Some(speech), |_| {
        Ok(changes.clone())
    })
}

/// Switches the toggle of a repository (§13.1), which is put into the sidebar if it is not there.
///
/// This and what follows tell problems in the language of the configuration.
pub fn set_auto_review<'a>(
    ground: impl Into<Ground<'a>>,
    environment: impl Fn(&str) -> Option<String>,
    repo: &RepoName,
    on: bool,
) -> Saved {
    save_repositories(ground.into(), &environment, |list| {
        add(list, repo);
        for listed in list.iter_mut().filter(|listed| is(listed, repo)) {
            listed.auto_pr_review_enabled = on;
        }
    })
}

/// Puts repositories into the sidebar, behind those that are there.
pub fn add_repositories<'a>(
    ground: impl Into<Ground<'a>>,
    environment: impl Fn(&str) -> Option<String>,
    repos: &[RepoName],
) -> Saved {
    save_repositories(ground.into(), &environment, |list| {
        for repo in repos {
            add(list, repo);
        }
    })
}

/// Takes a repository out of the sidebar.
pub fn remove_repository<'a>(
    ground: impl Into<Ground<'a>>,
    environment: impl Fn(&str) -> Option<String>,
    repo: &RepoName,
) -> Saved {
    save_repositories(ground.into(), &environment, |list| {
        list.retain(|listed| !is(listed, repo));
    })
}

/// Adds an account to `allowed_users`.
pub fn allow<'a>(
    ground: impl Into<Ground<'a>>,
    environment: impl Fn(&str) -> Option<String>,
    login: &Login,
) -> Saved {
    save_what(ground.into(), &environment, None, |now| {
        let mut allowed = now?.policy.allowed_users;
        allowed.insert(login.clone());
        let allowed: Vec<&str> = allowed.iter().map(Login::as_str).collect();
        Ok(Changes::from([(
            "allowed_users".to_owned(),
            json!(allowed),
        )]))
    })
}

fn is(listed: &RepositorySetting, repo: &RepoName) -> bool {
    // GitHub's names know no case.
    RepoName::parse(&listed.name).is_ok_and(|name| name.is(repo))
}

fn add(list: &mut Vec<RepositorySetting>, repo: &RepoName) {
    if !list.iter().any(|listed| is(listed, repo)) {
        list.push(RepositorySetting {
            name: repo.to_string(),
            auto_pr_review_enabled: false,
            authors: Vec::new(),
            labels: Vec::new(),
            base_branches: Vec::new(),
        });
    }
}

fn save_repositories(
    ground: Ground<'_>,
    environment: &dyn Fn(&str) -> Option<String>,
    change: impl Fn(&mut Vec<RepositorySetting>),
) -> Saved {
    save_what(ground, environment, None, |now| {
        let mut list = table::repositories(&now?.repositories);
        change(&mut list);
        Ok(Changes::from([("repositories".to_owned(), json!(list))]))
    })
}

/// Saves what follows from the configuration as it is in the file at that moment.
fn save_what(
    ground: Ground<'_>,
    environment: &dyn Fn(&str) -> Option<String>,
    speech: Option<&Speech>,
    changes: impl Fn(Result<Config, ConfigError>) -> Result<Changes, ConfigError>,
) -> Saved {
    let place = Place {
        ground,
        environment,
    };
    file::alone(place.folder(), || {
        for _ in 0..TRIES {
            let bytes = file::read(place.folder())?;
            let before = place.read(&bytes);
            // Without the environment, which is not to be written down.
            let now = place.resolve(std::slice::from_ref(&before.file));
            let plan = changes(now)
                .map_err(|error| error.problems)
                .and_then(|changes| planned(&place, &before, &changes));
            let (text, config) = match plan {
                Ok(planned) => planned,
                Err(problems) => {
                    let say = |speech: &Speech| told(&problems, &before.problems, speech);
                    return Ok(Err(match speech {
                        Some(speech) => say(speech),
                        None => say(&place.speech(&before)),
                    }));
                }
            };
            if text.as_bytes() == bytes || file::replace(place.folder(), &bytes, &text)? {
                return Ok(Ok(config));
            }
        }
        Err(SettingsError::Busy {
            path: home::config_file(place.folder()),
        })
    })
}

/// The text after the changes and what it means.
fn planned(
    place: &Place<'_>,
    before: &Reading,
    changes: &Changes,
) -> Result<(String, Config), Vec<Problem>> {
    let unreadable = |problem: &&Problem| {
        matches!(
            problem.wrong,
            Wrong::NoToml(_) | Wrong::NotUtf8(_) | Wrong::Unreadable(_)
        )
    };
    if let Some(problem) = before.problems.iter().find(unreadable) {
        return Err(vec![problem.clone()]);
    }
    let mut doc: DocumentMut = before.text.parse().map_err(|error: toml_edit::TomlError| {
        vec![unsaved("", Wrong::NoToml(error.message().to_owned()))]
    })?;
    let bare = doc.as_table().is_empty();
    let all = settings();
    let mut problems = Vec::new();
    for (key, value) in changes {
        if let Err(wrong) = change(place, &mut doc, &all, before, (key, value)) {
            problems.push(unsaved(key, wrong));
        }
    }
    let text = match bare {
        // The comments of a file without a key belong to nothing: they stay at the top.
        true => {
            doc.set_trailing("");
            join(&before.text, &doc.to_string())
        }
        false => keep_top(&before.text, doc.to_string()),
    };
    let after = place.read_text(&text);
    // A problem of a key that could not even be put is told once.
    let told_of = |problem: &Problem| problems.iter().any(|told| told.key == problem.key);
    let more: Vec<_> = after.problems.into_iter().filter(|p| !told_of(p)).collect();
    problems.extend(more);
    match after.config {
        Some(config) if problems.is_empty() => Ok((text, config)),
        Some(_) | None => Err(problems),
    }
}

fn change(
    place: &Place<'_>,
    doc: &mut DocumentMut,
    all: &[Setting],
    before: &Reading,
    (key, value): (&str, &Value),
) -> Result<(), Wrong> {
    let Some(setting) = all.iter().find(|setting| setting.key == key) else {
        if value.is_null() {
            // The way to be rid of a key that nobody knows.
            edit::take_out(doc, key);
            return Ok(());
        }
        return Err(Wrong::UnknownKey(all.iter().map(|s| s.key).collect()));
    };
    if let Some(variable) = place.held_by(setting) {
        return Err(Wrong::HeldByEnvironment(variable));
    }
    if value.is_null() {
        edit::take_out(doc, key);
        if let Some(older) = setting.older {
            edit::take_out(doc, older);
        }
        return Ok(());
    }
    if (setting.said)(&before.file).as_ref() == Some(value) {
        return Ok(());
    }
    edit::put(doc, setting, value)
}

fn unsaved(key: &str, wrong: Wrong) -> Problem {
    Problem {
        source: Source::Together,
        line: None,
        key: key.to_owned(),
        wrong,
    }
}

fn join(comments: &str, keys: &str) -> String {
    if comments.is_empty() || keys.is_empty() || comments.ends_with('\n') {
        format!("{comments}{keys}")
    } else {
        format!("{comments}\n{keys}")
    }
}

/// Puts the comment at the top of a file back, which an editor of TOML counts as part of the first key and takes out with it.
fn keep_top(before: &str, after: String) -> String {
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
fn told(problems: &[Problem], in_file: &[Problem], speech: &Speech) -> Vec<SettingProblem> {
    let all = settings();
    let told = problems.iter().map(|problem| {
        let same = |other: &&Problem| other.key == problem.key && other.wrong == problem.wrong;
        let line = in_file.iter().find(same).and_then(|known| known.line);
        let owner = all.iter().find(|setting| match problem.source {
            Source::Variable(name) => setting.variable == Some(name),
            Source::File(_) | Source::Together => setting.owns(&problem.key),
        });
        SettingProblem {
            key: owner.map_or_else(|| problem.key.clone(), |setting| setting.key.to_owned()),
            line: line.and_then(|line| u32::try_from(line).ok()),
            message: problem.wrong.told(speech),
        }
    });
    told.collect()
}
