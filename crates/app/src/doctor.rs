//! Looks at this machine and at the quota, for `collie doctor` and the settings of the desktop app.

use crate::config::{Config, host_of};
use crate::words::Speech;
use crate::{connect, home, panel};
use collie_agents::acp::{
    AgentFailure, AgentSpec, Found, Login as AgentLogin, SelfTest, find, outside, self_test,
};
use collie_core::ids::Login;
use collie_engine::ports::{GitHub as _, Journal as _};
use collie_github::browse::Quotas;
use collie_github::{TokenOrigin, TokenSource};
use collie_store::{DataFolder, OpenMode, Store, running_engine};
use collie_wire::rpc::{DoctorLine, DoctorStatus};
use fluent::FluentValue;
use std::process::Stdio;
use std::time::Duration;

/// How long a look may take.
const PATIENCE: Duration = Duration::from_secs(10);

/// What is looked at.
pub struct Ground<'a> {
    /// The data folder.
    pub data: &'a DataFolder,
    /// The configuration; the problem in words when the file is wrong.
    pub config: Result<&'a Config, String>,
    /// Where the token comes from.
    pub tokens: &'a TokenSource,
    /// The language.
    pub speech: &'a Speech,
}

/// Looks at everything; one line each, in the order shown.
pub async fn look(ground: &Ground<'_>) -> Vec<DoctorLine> {
    let mut lines = vec![git(ground).await, gh(ground).await];
    if let Ok(config) = &ground.config {
        lines.extend(account(ground, config).await);
    }
    if let Ok(config) = &ground.config {
        lines.push(model(ground, config));
        lines.extend(agents(ground, config).await);
    }
    lines.push(sandbox(ground));
    lines.push(configuration(ground));
    lines.extend(data(ground).await);
    lines
}

impl Ground<'_> {
    fn line(&self, code: &str, status: DoctorStatus, text: String) -> DoctorLine {
        DoctorLine {
            code: code.to_owned(),
            title: self.speech.plain(&format!("doctor-{code}")),
            status,
            text,
        }
    }

    fn say(&self, key: &str, args: &[(&str, FluentValue<'_>)]) -> String {
        self.speech.text(key, args)
    }
}

async fn git(ground: &Ground<'_>) -> DoctorLine {
    match collie_git::git_version(std::path::Path::new("git")).await {
        Ok(version) => {
            let text = ground.say("doctor-git-ok", &[("version", version.into())]);
            ground.line("git", DoctorStatus::Ok, text)
        }
        Err(error) => {
            tracing::info!(%error, "git is not usable");
            ground.line(
                "git",
                DoctorStatus::Bad,
                ground.say("doctor-git-missing", &[]),
            )
        }
    }
}

async fn gh(ground: &Ground<'_>) -> DoctorLine {
    match version_of("gh").await {
        Some(version) => ground.line("gh", DoctorStatus::Ok, version),
        None => ground.line(
            "gh",
            DoctorStatus::Warning,
            ground.say("doctor-gh-missing", &[]),
        ),
    }
}

/// The token, whose it is, whether that account may start loops, and its quota.
async fn account(ground: &Ground<'_>, config: &Config) -> Vec<DoctorLine> {
    let host = host_of(&config.api_url);
    let Some(found) = ground.tokens.find(&host).await else {
        let text = ground.say("doctor-token-missing", &[("host", host.into())]);
        return vec![ground.line("token", DoctorStatus::Bad, text)];
    };
    let asked = match connect::github(config, ground.tokens).await {
        Ok(github) => match github.viewer().await {
            // The answer tells the quota along.
            Ok(actor) => Ok((actor, github.quota())),
            Err(error) => Err(error.to_string()),
        },
        Err(error) => Err(error.to_string()),
    };
    match asked {
        Err(reason) => {
            let args = [("host", host.into()), ("reason", reason.into())];
            let text = ground.say("doctor-token-refused", &args);
            vec![ground.line("token", DoctorStatus::Bad, text)]
        }
        Ok((actor, quotas)) => {
            let args = [
                ("login", actor.login.to_string().into()),
                ("host", host.into()),
            ];
            let mut text = ground.say("doctor-token-of", &args);
            match found.origin {
                TokenOrigin::Gh => text.push_str(" (gh auth token)"),
                TokenOrigin::Environment => text.push_str(" (GITHUB_TOKEN)"),
                TokenOrigin::Given => {}
            }
            let mut lines = vec![
                ground.line("token", DoctorStatus::Ok, text),
                allowed(ground, config, &actor.login),
            ];
            lines.extend(quota(ground, quotas));
            lines
        }
    }
}

fn allowed(ground: &Ground<'_>, config: &Config, login: &Login) -> DoctorLine {
    let users = &config.policy.allowed_users;
    let (key, status) = if users.contains(login) {
        ("doctor-allowed-you", DoctorStatus::Ok)
    } else if users.is_empty() {
        ("doctor-allowed-nobody", DoctorStatus::Bad)
    } else {
        ("doctor-allowed-not-you", DoctorStatus::Bad)
    };
    let file = home::config_file(ground.data).display().to_string();
    let args = [("login", login.to_string().into()), ("file", file.into())];
    ground.line("allowed", status, ground.say(key, &args))
}

/// What is left of the hour's requests: of GraphQL and REST the scarcer one counts. None where the host has no limits.
fn quota(ground: &Ground<'_>, quotas: Quotas) -> Option<DoctorLine> {
    let both = [quotas.graphql, quotas.rest].into_iter().flatten();
    let scarcer = both.min_by_key(|quota| quota.left * 1000 / quota.limit.max(1))?;
    let status = if scarcer.left * 10 < scarcer.limit {
        DoctorStatus::Warning
    } else {
        DoctorStatus::Ok
    };
    let args = [
        ("left", scarcer.left.into()),
        ("limit", scarcer.limit.into()),
        ("until", ground.speech.clock(scarcer.resets_at).into()),
    ];
    Some(ground.line("quota", status, ground.say("doctor-quota-left", &args)))
}

/// The language model, and whether there is a key for it. It is not asked: that would cost.
fn model(ground: &Ground<'_>, config: &Config) -> DoctorLine {
    let Some(settings) = &config.llm else {
        return ground.line(
            "model",
            DoctorStatus::Ok,
            ground.say("doctor-model-none", &[]),
        );
    };
    let named = [
        ("provider", settings.provider.into()),
        ("model", settings.model.clone().into()),
    ];
    match panel::missing_key(settings) {
        None => ground.line(
            "model",
            DoctorStatus::Ok,
            ground.say("doctor-model-ok", &named),
        ),
        Some(variables) => {
            let [provider, model] = named;
            let args = [provider, model, ("variables", variables.join(", ").into())];
            let text = ground.say("doctor-model-key", &args);
            ground.line("model", DoctorStatus::Bad, text)
        }
    }
}

/// Each coding agent that is installed, started once for a test; and each that is set up and missing.
async fn agents(ground: &Ground<'_>, config: &Config) -> Vec<DoctorLine> {
    let mut looks = Vec::new();
    for spec in panel::agents(config) {
        looks.push((spec.clone(), tokio::spawn(try_agent(spec))));
    }
    let mut lines = Vec::new();
    for (spec, look) in looks {
        let Ok(tried) = look.await else { continue };
        lines.extend(agent(ground, config, &spec, tried));
    }
    if lines.is_empty() {
        let text = ground.say("doctor-agent-none", &[]);
        lines.push(ground.line("agent", DoctorStatus::Ok, text));
    }
    lines
}

type Tried = Result<(Found, Result<SelfTest, AgentFailure>), AgentFailure>;

async fn try_agent(spec: AgentSpec) -> Tried {
    let outside = outside();
    let found = find(&spec, &outside).await?;
    Ok((found, self_test(&spec, &outside, PATIENCE * 2).await))
}

fn agent(
    ground: &Ground<'_>,
    config: &Config,
    spec: &AgentSpec,
    tried: Tried,
) -> Option<DoctorLine> {
    let needed = panel::uses(config, &spec.id);
    let trouble = if needed {
        DoctorStatus::Bad
    } else {
        DoctorStatus::Warning
    };
    let (found, test) = match tried {
        Ok(tried) => tried,
        // One that nobody asked for and that is not there is no news.
        Err(AgentFailure::NotFound { .. }) if !needed => return None,
        Err(failure) => return Some(ground.line("agent", trouble, failure.to_string())),
    };
    let test = match test {
        Ok(test) => test,
        Err(failure) => return Some(ground.line("agent", trouble, failure.to_string())),
    };
    let (login, status) = match found.login {
        AgentLogin::Yes => ("doctor-agent-login", DoctorStatus::Ok),
        AgentLogin::Unknown => ("doctor-agent-login-unknown", DoctorStatus::Ok),
        AgentLogin::No => ("doctor-agent-no-login", trouble),
    };
    let name = match (found.version, test.agent) {
        (Some(version), _) => format!("{} {version}", spec.name),
        (None, Some(told)) => told,
        (None, None) => spec.name.clone(),
    };
    let args = [
        ("agent", name.into()),
        ("login", ground.say(login, &[]).into()),
        ("protocol", test.protocol.to_string().into()),
    ];
    let key = if test.can_resume || test.can_load {
        "doctor-agent-resumes"
    } else {
        "doctor-agent-ok"
    };
    Some(ground.line("agent", status, ground.say(key, &args)))
}

fn sandbox(ground: &Ground<'_>) -> DoctorLine {
    let found = sandboxes();
    if found.is_empty() {
        let text = ground.say("doctor-sandbox-none", &[]);
        ground.line("sandbox", DoctorStatus::Warning, text)
    } else {
        ground.line("sandbox", DoctorStatus::Ok, found.join(", "))
    }
}

fn configuration(ground: &Ground<'_>) -> DoctorLine {
    let path = home::config_file(ground.data);
    let key = if path.exists() {
        "doctor-config-ok"
    } else {
        "doctor-config-none"
    };
    match &ground.config {
        Ok(_) => {
            let file = path.display().to_string();
            let text = ground.say(key, &[("file", file.into())]);
            ground.line("config", DoctorStatus::Ok, text)
        }
        Err(problem) => ground.line("config", DoctorStatus::Bad, problem.clone()),
    }
}

async fn data(ground: &Ground<'_>) -> Vec<DoctorLine> {
    let bad = |code: &str, error: &dyn std::fmt::Display| {
        ground.line(code, DoctorStatus::Bad, error.to_string())
    };
    let mut lines = Vec::new();
    match Store::open(ground.data, OpenMode::Reader).await {
        Ok(store) => {
            let folder = ground.data.path().display().to_string();
            let text = ground.say("doctor-data-ok", &[("folder", folder.into())]);
            lines.push(ground.line("data", DoctorStatus::Ok, text));
            lines.push(match store.loops().await {
                Ok(loops) => {
                    let text = ground.say("doctor-journal-loops", &[("count", loops.len().into())]);
                    ground.line("journal", DoctorStatus::Ok, text)
                }
                Err(error) => bad("journal", &error),
            });
            store.close().await;
        }
        Err(error) => lines.push(bad("data", &error)),
    }
    lines.push(match running_engine(ground.data) {
        Ok(Some(engine)) => {
            let pid = engine
                .pid
                .map_or_else(|| "?".to_owned(), |pid| pid.to_string());
            let text = ground.say("doctor-engine-runs", &[("pid", pid.into())]);
            ground.line("engine", DoctorStatus::Ok, text)
        }
        Ok(None) => ground.line(
            "engine",
            DoctorStatus::Ok,
            ground.say("doctor-engine-rests", &[]),
        ),
        Err(error) => bad("engine", &error),
    });
    lines
}

/// The first line that a program says about its version; none when it is not there.
pub async fn version_of(program: &str) -> Option<String> {
    let asked = tokio::process::Command::new(program)
        .arg("--version")
        .stdin(Stdio::null())
        .stderr(Stdio::null())
        .kill_on_drop(true)
        .output();
    let output = tokio::time::timeout(PATIENCE, asked).await.ok()?.ok()?;
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    output
        .status
        .success()
        .then(|| text.lines().next().unwrap_or_default().to_owned())
}

/// What could wall commands in here: names of what was found.
pub fn sandboxes() -> Vec<&'static str> {
    let mut found = Vec::new();
    let modules = std::fs::read_to_string("/sys/kernel/security/lsm").unwrap_or_default();
    if modules.split(',').any(|name| name.trim() == "landlock") {
        found.push("Landlock");
    }
    if on_path("bwrap") {
        found.push("bubblewrap");
    }
    if cfg!(target_os = "macos") && on_path("sandbox-exec") {
        found.push("Seatbelt");
    }
    found
}

fn on_path(program: &str) -> bool {
    let path = std::env::var_os("PATH").unwrap_or_default();
    std::env::split_paths(&path).any(|folder| folder.join(program).is_file())
}
