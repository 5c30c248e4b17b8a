//! The playground's repositories: several scenarios share one, beside issues and calm pull requests.

use super::Pace;
use super::record::{Played, Record};
use crate::demo::cast::{self, Place};
use crate::demo::door::Forge;
use crate::demo::judge::COLLIE;
use crate::demo::{DemoError, Scenario, files};
use collie_core::ids::{PullName, RepoName};
use serde::{Deserialize, Serialize};
use serde_json::json;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// Their names, in the order in which they are made.
const REPOSITORIES: [&str; 3] = ["shop", "dashboard", "tools"];

/// `repo.toml`: what a repository holds.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct RepoFile {
    description: String,
    /// Scenarios and the folders they live in.
    scenarios: BTreeMap<String, PathBuf>,
    check: Vec<Check>,
    bot: Vec<Bot>,
    issue: Vec<Issue>,
    pull: Vec<Calm>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Check {
    name: String,
    run: String,
    /// How long it takes longer for people to watch, in seconds.
    pause: u32,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Bot {
    login: String,
    body: String,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Issue {
    title: String,
    author: String,
    labels: Vec<String>,
    body: String,
}

/// A pull request that nobody plays in.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Calm {
    title: String,
    branch: String,
    author: String,
    body: String,
    #[serde(default)]
    draft: bool,
}

/// `.forge.toml`, as the forge reads it.
#[derive(Serialize)]
struct ForgeFile {
    check: Vec<ForgeCheck>,
    bot: Vec<ForgeBot>,
}

#[derive(Serialize)]
struct ForgeCheck {
    name: String,
    run: String,
    timeout: &'static str,
}

#[derive(Serialize)]
struct ForgeBot {
    login: String,
    after: &'static str,
    does: &'static str,
    body: String,
}

impl RepoFile {
    fn of(name: &str) -> Result<Self, DemoError> {
        files::parsed(&format!("playground/{name}/repo.toml"))
    }

    fn scenarios(&self) -> Result<Vec<(Scenario, &Path)>, DemoError> {
        let found = self.scenarios.iter().map(|(name, folder)| {
            let scenario = Scenario::named(name)
                .ok_or_else(|| DemoError::Shipped(format!("no scenario `{name}`")))?;
            Ok((scenario, folder.as_path()))
        });
        found.collect()
    }

    fn forge_file(&self, pace: Pace) -> String {
        let check = self.check.iter().map(|check| ForgeCheck {
            name: check.name.clone(),
            run: match pace {
                Pace::Brisk => check.run.clone(),
                Pace::Watchable => format!("sleep {}; {}", check.pause, check.run),
            },
            timeout: "120s",
        });
        let bot = self.bot.iter().map(|bot| ForgeBot {
            login: bot.login.clone(),
            after: match pace {
                Pace::Brisk => "200ms",
                Pace::Watchable => "4s",
            },
            does: "review",
            body: bot.body.clone(),
        });
        let file = ForgeFile {
            check: check.collect(),
            bot: bot.collect(),
        };
        toml::to_string(&file).expect("texts in tables in lists are TOML")
    }
}

/// The repository and the folder in it where a scenario is played.
pub(super) fn home_of(scenario: Scenario) -> Result<PathBuf, DemoError> {
    for name in REPOSITORIES {
        let file = RepoFile::of(name)?;
        if let Some(folder) = file.scenarios.get(scenario.name()) {
            return Ok(folder.clone());
        }
    }
    Err(DemoError::Shipped(format!(
        "{scenario} has no place in the playground"
    )))
}

/// Makes every repository with its issues and pull requests, on a forge that is served.
pub(super) async fn make(
    root: &Path,
    running: &collie_forge::Running,
    door: &Forge,
    pace: Pace,
) -> Result<Record, DemoError> {
    let mut pulls = BTreeMap::new();
    for name in REPOSITORIES {
        let file = RepoFile::of(name)?;
        let source = root.join("sources").join(name);
        make_source(name, &file, &source, pace).await?;
        let repo = RepoName::parse(&format!("{COLLIE}/{name}"))
            .expect("the repositories have plain names");
        let forge_name = collie_forge::model::RepoName::new(repo.owner(), repo.name())?;
        running.forge().import(&forge_name, &source).await?;
        running.forge().change(&forge_name, |state| {
            state.meta.edit().description = Some(file.description.clone());
            Ok(())
        })?;
        for issue in &file.issue {
            let body = json!({ "title": issue.title, "body": issue.body, "labels": issue.labels });
            let path = format!("/repos/{repo}/issues");
            door.post(&issue.author, &path, &body).await?;
        }
        for (scenario, _) in file.scenarios()? {
            let branch = files::pull(scenario)?.branch;
            let played = open(door, scenario, &repo, branch, 1).await?;
            pulls.insert(scenario.name().to_owned(), played);
        }
        for calm in &file.pull {
            let body = json!({
                "title": calm.title, "body": calm.body, "head": calm.branch, "base": "main", "draft": calm.draft,
            });
            let path = format!("/repos/{repo}/pulls");
            door.post(&calm.author, &path, &body).await?;
        }
    }
    Ok(Record::new(running.addr().port(), pulls))
}

/// Opens a scenario's pull request and lets people say what they say before Collie comes; an open one is taken as it is.
pub(super) async fn open(
    door: &Forge,
    scenario: Scenario,
    repo: &RepoName,
    branch: String,
    take: u32,
) -> Result<Played, DemoError> {
    let pull = files::pull(scenario)?;
    let path = format!("/repos/{repo}/pulls");
    let there = door.list(&pull.author, &path).await?;
    let opened = match there.iter().find(|item| item["head"]["ref"] == branch) {
        Some(opened) => opened.clone(),
        None => {
            let body =
                json!({ "title": pull.title, "body": pull.body, "head": branch, "base": "main" });
            door.post(&pull.author, &path, &body).await?
        }
    };
    let played = Played {
        repo: repo.clone(),
        number: opened["number"].as_u64().unwrap_or_default(),
        branch,
        first_head: opened["head"]["sha"]
            .as_str()
            .unwrap_or_default()
            .to_owned(),
        take,
    };
    cast::prologue(door, &place(scenario, &played)?).await?;
    Ok(played)
}

/// Where a scenario is played at present.
pub(super) fn place(scenario: Scenario, played: &Played) -> Result<Place, DemoError> {
    Ok(Place {
        scenario,
        pull: PullName {
            repo: played.repo.clone(),
            number: played.number,
        },
        folder: home_of(scenario)?,
        branch: played.branch.clone(),
        first_head: played.first_head.clone(),
    })
}

async fn make_source(
    name: &str,
    file: &RepoFile,
    source: &Path,
    pace: Pace,
) -> Result<(), DemoError> {
    std::fs::create_dir_all(source).map_err(DemoError::write(source))?;
    files::git(
        source,
        &["init", "--quiet", "--initial-branch=main"],
        COLLIE,
    )
    .await?;
    for (scenario, folder) in file.scenarios()? {
        lay_base(scenario, &source.join(folder))?;
    }
    files::lay(&format!("playground/{name}/base"), source)?;
    let forge_file = source.join(".forge.toml");
    std::fs::write(&forge_file, file.forge_file(pace)).map_err(DemoError::write(&forge_file))?;
    files::commit(source, "Start", COLLIE).await?;
    for (scenario, folder) in file.scenarios()? {
        let pull = files::pull(scenario)?;
        let layer = format!("{scenario}/head");
        branch_off(
            source,
            &pull.branch,
            &layer,
            &source.join(folder),
            (&pull.title, &pull.author),
        )
        .await?;
    }
    for calm in &file.pull {
        let layer = format!("playground/{name}/pulls/{}", calm.branch);
        branch_off(
            source,
            &calm.branch,
            &layer,
            source,
            (&calm.title, &calm.author),
        )
        .await?;
    }
    Ok(())
}

/// Lays a scenario's base over its folder. What runs its checks is the repository's to say.
pub(super) fn lay_base(scenario: Scenario, folder: &Path) -> Result<(), DemoError> {
    files::lay(&format!("{scenario}/base"), folder)?;
    let own = folder.join(".forge.toml");
    std::fs::remove_file(&own).map_err(DemoError::write(&own))
}

async fn branch_off(
    source: &Path,
    branch: &str,
    layer: &str,
    folder: &Path,
    (title, author): (&str, &str),
) -> Result<(), DemoError> {
    files::git(
        source,
        &["switch", "--quiet", "--create", branch, "main"],
        author,
    )
    .await?;
    files::lay(layer, folder)?;
    files::commit(source, title, author).await?;
    files::git(source, &["switch", "--quiet", "main"], author).await
}
