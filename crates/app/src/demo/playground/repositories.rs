//! The playground's repositories: several scenarios share one, beside issues and calm pull requests.

use super::demo_speed::DemoSpeed;
use super::record::{PlayedPull, PlaygroundRecord};
use crate::demo::actors::{self, ScenarioPull};
use crate::demo::forge_client::ForgeClient;
use crate::demo::verify_scenario::COLLIE_LOGIN;
use crate::demo::{DemoError, Scenario, sample_files};
use collie_core::ids::{PullName, RepoName};
use serde::{Deserialize, Serialize};
use serde_json::json;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// Their names, in the order in which they are made.
const REPOSITORIES: [&str; 4] = ["shop", "dashboard", "tools", "parcels"];

/// `repo.toml`: what a repository holds.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct RepoFile {
    description: String,
    /// Scenarios and the folders they live in.
    scenarios: BTreeMap<String, PathBuf>,
    check: Vec<RepoCheck>,
    bot: Vec<RepoBot>,
    issue: Vec<RepoIssue>,
    pull: Vec<IdlePull>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct RepoCheck {
    name: String,
    run: String,
    /// How long it takes longer for people to watch, in seconds.
    pause: u32,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct RepoBot {
    login: String,
    body: String,
    /// The text of a review whose `body` stands in a line.
    #[serde(default)]
    summary: String,
    path: Option<String>,
    /// What that line holds; where there is none, nothing is said.
    pattern: Option<String>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct RepoIssue {
    title: String,
    author: String,
    labels: Vec<String>,
    body: String,
}

/// A pull request that nobody plays in.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct IdlePull {
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
    summary: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    path: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pattern: Option<String>,
}

impl RepoFile {
    fn read(name: &str) -> Result<Self, DemoError> {
        sample_files::parse_embedded(&format!("playground/{name}/repo.toml"))
    }

    fn scenarios(&self) -> Result<Vec<(Scenario, &Path)>, DemoError> {
        let found = self.scenarios.iter().map(|(name, folder)| {
            let scenario = Scenario::parse(name)
                .ok_or_else(|| DemoError::EmbeddedFile(format!("no scenario `{name}`")))?;
            Ok((scenario, folder.as_path()))
        });
        found.collect()
    }

    fn forge_file(&self, pace: DemoSpeed) -> String {
        let check = self.check.iter().map(|check| ForgeCheck {
            name: check.name.clone(),
            run: match pace {
                DemoSpeed::Fast => check.run.clone(),
                DemoSpeed::Watchable => format!("sleep {}; {}", check.pause, check.run),
            },
            timeout: "120s",
        });
        let bot = self.bot.iter().map(|bot| ForgeBot {
            login: bot.login.clone(),
            after: match pace {
                DemoSpeed::Fast => "200ms",
                DemoSpeed::Watchable => "4s",
            },
            does: "review",
            body: bot.body.clone(),
            summary: bot.summary.clone(),
            path: bot.path.clone(),
            pattern: bot.pattern.clone(),
        });
        let file = ForgeFile {
            check: check.collect(),
            bot: bot.collect(),
        };
        toml::to_string(&file).expect("texts in tables in lists are TOML")
    }
}

/// The repository and the folder in it where a scenario is played.
pub(super) fn scenario_folder(scenario: Scenario) -> Result<PathBuf, DemoError> {
    for name in REPOSITORIES {
        let file = RepoFile::read(name)?;
        if let Some(folder) = file.scenarios.get(scenario.name()) {
            return Ok(folder.clone());
        }
    }
    Err(DemoError::EmbeddedFile(format!(
        "{scenario} has no place in the playground"
    )))
}

/// Makes every repository with its issues and pull requests, on a forge that is served.
pub(super) async fn create_repositories(
    root: &Path,
    running: &collie_forge::RunningForge,
    client: &ForgeClient,
    pace: DemoSpeed,
) -> Result<PlaygroundRecord, DemoError> {
    let mut pulls = BTreeMap::new();
    for name in REPOSITORIES {
        let file = RepoFile::read(name)?;
        let source = root.join("sources").join(name);
        create_source_repository(name, &file, &source, pace).await?;
        let repo = RepoName::parse(&format!("{COLLIE_LOGIN}/{name}"))
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
            client.post(&issue.author, &path, &body).await?;
        }
        for (scenario, _) in file.scenarios()? {
            let branch = sample_files::pull_file(scenario)?.branch;
            let played = open_scenario_pull(client, scenario, &repo, branch, 1).await?;
            pulls.insert(scenario.name().to_owned(), played);
        }
        for idle_pull in &file.pull {
            let body = json!({
                "title": idle_pull.title, "body": idle_pull.body, "head": idle_pull.branch, "base": "main", "draft": idle_pull.draft,
            });
            let path = format!("/repos/{repo}/pulls");
            client.post(&idle_pull.author, &path, &body).await?;
        }
    }
    Ok(PlaygroundRecord::new(running.addr().port(), pulls))
}

/// Opens a scenario's pull request and lets people say what they say before Collie comes; an open one is taken as it is.
pub(super) async fn open_scenario_pull(
    client: &ForgeClient,
    scenario: Scenario,
    repo: &RepoName,
    branch: String,
    take: u32,
) -> Result<PlayedPull, DemoError> {
    let pull = sample_files::pull_file(scenario)?;
    let path = format!("/repos/{repo}/pulls");
    let there = client.list(&pull.author, &path).await?;
    let opened = match there.iter().find(|item| item["head"]["ref"] == branch) {
        Some(opened) => opened.clone(),
        None => {
            let body =
                json!({ "title": pull.title, "body": pull.body, "head": branch, "base": "main" });
            client.post(&pull.author, &path, &body).await?
        }
    };
    let played = PlayedPull {
        repo: repo.clone(),
        number: opened["number"].as_u64().unwrap_or_default(),
        branch,
        first_head: opened["head"]["sha"]
            .as_str()
            .unwrap_or_default()
            .to_owned(),
        take,
    };
    actors::run_setup_actions(client, &scenario_pull(scenario, &played)?).await?;
    Ok(played)
}

/// Where a scenario is played at present.
pub(super) fn scenario_pull(
    scenario: Scenario,
    played: &PlayedPull,
) -> Result<ScenarioPull, DemoError> {
    Ok(ScenarioPull {
        scenario,
        pull: PullName {
            repo: played.repo.clone(),
            number: played.number,
        },
        folder: scenario_folder(scenario)?,
        branch: played.branch.clone(),
        first_head: played.first_head.clone(),
    })
}

async fn create_source_repository(
    name: &str,
    file: &RepoFile,
    source: &Path,
    pace: DemoSpeed,
) -> Result<(), DemoError> {
    std::fs::create_dir_all(source).map_err(DemoError::write(source))?;
    sample_files::run_git(
        source,
        &["init", "--quiet", "--initial-branch=main"],
        COLLIE_LOGIN,
    )
    .await?;
    for (scenario, folder) in file.scenarios()? {
        copy_base(scenario, &source.join(folder))?;
        sample_files::copy_settings(scenario, source)?;
    }
    sample_files::copy_layer(&format!("playground/{name}/base"), source)?;
    let forge_file = source.join(".forge.toml");
    std::fs::write(&forge_file, file.forge_file(pace)).map_err(DemoError::write(&forge_file))?;
    sample_files::commit_all(source, "Start", COLLIE_LOGIN).await?;
    for (scenario, folder) in file.scenarios()? {
        let pull = sample_files::pull_file(scenario)?;
        let layer = format!("{scenario}/head");
        commit_on_branch(
            source,
            &pull.branch,
            &layer,
            &source.join(folder),
            (&pull.title, &pull.author),
        )
        .await?;
    }
    for idle_pull in &file.pull {
        let layer = format!("playground/{name}/pulls/{}", idle_pull.branch);
        commit_on_branch(
            source,
            &idle_pull.branch,
            &layer,
            source,
            (&idle_pull.title, &idle_pull.author),
        )
        .await?;
    }
    Ok(())
}

/// Lays a scenario's base over its folder. What runs its checks is the repository's to say.
pub(super) fn copy_base(scenario: Scenario, folder: &Path) -> Result<(), DemoError> {
    sample_files::copy_layer(&format!("{scenario}/base"), folder)?;
    let own = folder.join(".forge.toml");
    std::fs::remove_file(&own).map_err(DemoError::write(&own))
}

async fn commit_on_branch(
    source: &Path,
    branch: &str,
    layer: &str,
    folder: &Path,
    (title, author): (&str, &str),
) -> Result<(), DemoError> {
    sample_files::run_git(
        source,
        &["switch", "--quiet", "--create", branch, "main"],
        author,
    )
    .await?;
    sample_files::copy_layer(layer, folder)?;
    sample_files::commit_all(source, title, author).await?;
    sample_files::run_git(source, &["switch", "--quiet", "main"], author).await
}
