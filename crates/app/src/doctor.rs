//! Looks at this machine and at the quota, for `collie doctor` and the settings of the desktop app.

mod context;
mod memory;
mod models;
mod quota;

pub use context::DoctorContext;

use crate::auth;
use crate::engine_client::journal::{
    AuditFault, AuditFaultKind, AuditReport, are_views_in_database, open_reader, running_engine,
    verify_audit,
};
use collie_agents::acp::{
    AgentFailure, AgentSpec, InstalledAgent, LoginState as AgentLogin, SelfTest, find_agent,
    host_env_vars, self_test,
};
use collie_config::data_paths;
use collie_config::{Config, host_of};
use collie_core::ids::Login;
use collie_core::token_right::RepositoryWrite;
use collie_core::user_error::UserError;
use collie_engine::ports::{GitHub as _, JournalReader};
use collie_github::{GhAccount, GitHubClient, TokenOrigin, TokenSource, gh_accounts};
use collie_sandbox::{LimitsBy, Sandbox, SandboxRunner};
use collie_wire::rpc::{DoctorCode, DoctorLine, DoctorStatus};
use context::MAX_NAMED_FAULTS;
use models::check_models;
use std::collections::BTreeSet;
use std::process::Stdio;
use std::time::Duration;

/// How long a look may take.
const CHECK_TIMEOUT: Duration = Duration::from_secs(10);

/// Looks at everything; one line each, in the order shown.
pub async fn run_checks(context: &DoctorContext<'_>) -> Vec<DoctorLine> {
    let mut lines = vec![check_git(context).await, check_gh(context).await];
    if let Ok(config) = &context.config {
        lines.extend(check_account(context, config).await);
    }
    if let Ok(config) = &context.config {
        lines.extend(check_models(context, config).await);
        lines.extend(check_agents(context, config).await);
    }
    lines.push(check_sandbox(context).await);
    lines.push(check_own_process(context));
    lines.push(check_configuration(context));
    lines.extend(check_data_folder(context).await);
    lines.push(check_audit(context).await);
    lines.push(memory::check(context).await);
    lines
}

async fn check_git(context: &DoctorContext<'_>) -> DoctorLine {
    match collie_git::git_version(std::path::Path::new("git")).await {
        Ok(version) => {
            let text = context.text("doctor-git-ok", &[("version", version.into())]);
            context.line(DoctorCode::Git, DoctorStatus::Ok, text)
        }
        Err(error) => {
            tracing::info!(%error, "git is not usable");
            context.line(
                DoctorCode::Git,
                DoctorStatus::Bad,
                context.text("doctor-git-missing", &[]),
            )
        }
    }
}

async fn check_gh(context: &DoctorContext<'_>) -> DoctorLine {
    match program_version("gh").await {
        Some(version) => {
            let accounts = known_accounts(context).await;
            let text = accounts.map_or_else(
                || version.clone(),
                |(host, accounts)| {
                    let args = [
                        ("version", version.clone().into()),
                        ("host", host.into()),
                        ("accounts", accounts.into()),
                    ];
                    context.text("doctor-gh-accounts", &args)
                },
            );
            context.line(DoctorCode::Gh, DoctorStatus::Ok, text)
        }
        None => context.line(
            DoctorCode::Gh,
            DoctorStatus::Warning,
            context.text("doctor-gh-missing", &[]),
        ),
    }
}

/// The host, and the accounts that `gh` knows there; none where it knows one at most.
async fn known_accounts(context: &DoctorContext<'_>) -> Option<(String, String)> {
    // An account with a token of its own has nothing to do with the machine's.
    if !matches!(
        context.tokens,
        Some(TokenSource::LookUp | TokenSource::LookUpAs(_))
    ) {
        return None;
    }
    let host = host_of(&context.config.as_ref().ok()?.api_url);
    let known = gh_accounts(&host).await;
    if known.len() < 2 {
        return None;
    }
    let name = |account: &GhAccount| {
        let login = format!("@{}", account.login);
        match account.active {
            true => context.text("doctor-gh-active", &[("login", login.into())]),
            false => login,
        }
    };
    let names: Vec<String> = known.iter().map(name).collect();
    Some((host, names.join(", ")))
}

/// The token, whose it is, whether that account may start loops, and its quota.
async fn check_account(context: &DoctorContext<'_>, config: &Config) -> Vec<DoctorLine> {
    let host = host_of(&config.api_url);
    let found = match context.tokens {
        Some(tokens) => tokens.find(&host).await.map(|found| (tokens, found)),
        None => None,
    };
    let Some((tokens, found)) = found else {
        let text = context.text("doctor-token-missing", &[("host", host.into())]);
        return vec![context.line(DoctorCode::Token, DoctorStatus::Bad, text)];
    };
    let identified = match auth::github_client(config, tokens).await {
        Ok(github) => match github.viewer().await {
            // The answer tells the quota along.
            Ok(actor) => Ok((actor, github)),
            Err(error) => Err(UserError::from(error)),
        },
        Err(error) => Err(UserError::from(error)),
    };
    match identified {
        Err(reason) => {
            let reason = context.localizer.error_text(&reason);
            let args = [("host", host.into()), ("reason", reason.into())];
            let text = context.text("doctor-token-refused", &args);
            vec![context.line(DoctorCode::Token, DoctorStatus::Bad, text)]
        }
        Ok((actor, github)) => {
            let args = [
                ("login", actor.login.to_string().into()),
                ("host", host.into()),
            ];
            let mut text = context.text("doctor-token-of", &args);
            match found.origin {
                TokenOrigin::Gh => text.push_str(" (gh auth token)"),
                TokenOrigin::Environment => text.push_str(" (GITHUB_TOKEN)"),
                TokenOrigin::Given => {}
            }
            let mut lines = vec![
                context.line(DoctorCode::Token, DoctorStatus::Ok, text),
                check_allowed_users(context, config, &actor.login),
            ];
            lines.extend(check_server(context, &github).await);
            lines.extend(check_rights(context, config, &github).await);
            lines.extend(quota::check(context, github.quotas()));
            lines
        }
    }
}

/// Whether an Enterprise server knows what Collie asks for; none on github.com.
async fn check_server(context: &DoctorContext<'_>, github: &GitHubClient) -> Option<DoctorLine> {
    let (version, unknown) = match github.check_schema().await {
        Ok(checked) => checked,
        Err(error) => {
            return Some(context.error_line(DoctorCode::Server, DoctorStatus::Bad, error));
        }
    };
    if version.is_empty() {
        return None;
    }
    let (key, status) = match unknown.is_empty() {
        true => ("doctor-server-ok", DoctorStatus::Ok),
        false => ("doctor-server-lacks", DoctorStatus::Warning),
    };
    let args = [
        ("version", version.into()),
        ("fields", unknown.join(", ").into()),
    ];
    Some(context.line(DoctorCode::Server, status, context.text(key, &args)))
}

/// What the token lacks in each repository that is configured. Nothing is written for it.
async fn check_rights(
    context: &DoctorContext<'_>,
    config: &Config,
    github: &GitHubClient,
) -> Vec<DoctorLine> {
    let needed = BTreeSet::from([RepositoryWrite::Posts, RepositoryWrite::Pushes]);
    let mut lines = Vec::new();
    for watched in &config.repositories {
        let repo = watched.name.to_string();
        let line = match github.lacking_rights(&watched.name, &needed).await {
            Err(error) => context.error_line(DoctorCode::Rights, DoctorStatus::Warning, error),
            Ok(lacking) if lacking.is_empty() => {
                let text = context.text("doctor-rights-ok", &[("repo", repo.into())]);
                context.line(DoctorCode::Rights, DoctorStatus::Ok, text)
            }
            Ok(lacking) => {
                let names: Vec<&str> = lacking.iter().map(|right| right.label()).collect();
                let args = [("repo", repo.into()), ("names", names.join(", ").into())];
                let text = context.text("doctor-rights-lacking", &args);
                context.line(DoctorCode::Rights, DoctorStatus::Bad, text)
            }
        };
        lines.push(line);
    }
    lines
}

fn check_allowed_users(context: &DoctorContext<'_>, config: &Config, login: &Login) -> DoctorLine {
    let users = &config.policy.allowed_users;
    let (key, status) = if users.contains(login) {
        ("doctor-allowed-you", DoctorStatus::Ok)
    } else if users.is_empty() {
        ("doctor-allowed-nobody", DoctorStatus::Bad)
    } else {
        ("doctor-allowed-not-you", DoctorStatus::Bad)
    };
    let file = data_paths::config_file(context.data).display().to_string();
    let args = [("login", login.to_string().into()), ("file", file.into())];
    context.line(DoctorCode::Allowed, status, context.text(key, &args))
}

/// Each coding agent that is installed, started once for a test; and each that is set up and missing.
async fn check_agents(context: &DoctorContext<'_>, config: &Config) -> Vec<DoctorLine> {
    let runner = SandboxRunner::new(collie_sandbox::own_program());
    let mut probes = Vec::new();
    for spec in collie_reviewers::agent_specs(config) {
        probes.push((
            spec.clone(),
            tokio::spawn(probe_agent(spec, runner.clone())),
        ));
    }
    let mut lines = Vec::new();
    for (spec, look) in probes {
        let Ok(tried) = look.await else { continue };
        lines.extend(agent_line(context, config, &spec, tried));
    }
    if lines.is_empty() {
        let text = context.text("doctor-agent-none", &[]);
        // It works, with less.
        lines.push(context.line(DoctorCode::Agent, DoctorStatus::Warning, text));
    }
    lines
}

type AgentProbe = Result<(InstalledAgent, Result<SelfTest, AgentFailure>), AgentFailure>;

async fn probe_agent(spec: AgentSpec, runner: SandboxRunner) -> AgentProbe {
    let outside = host_env_vars();
    let found = find_agent(&spec, &outside).await?;
    Ok((
        found,
        self_test(&spec, &outside, &runner, CHECK_TIMEOUT * 2).await,
    ))
}

fn agent_line(
    context: &DoctorContext<'_>,
    config: &Config,
    spec: &AgentSpec,
    probe: AgentProbe,
) -> Option<DoctorLine> {
    let needed = collie_reviewers::uses_agent(config, &spec.id);
    let trouble = if needed {
        DoctorStatus::Bad
    } else {
        DoctorStatus::Warning
    };
    let (found, test) = match probe {
        Ok(tried) => tried,
        // One that nobody asked for and that is not there is no news.
        Err(AgentFailure::ProgramNotFound { .. }) if !needed => return None,
        Err(failure) => return Some(context.error_line(DoctorCode::Agent, trouble, failure)),
    };
    let test = match test {
        Ok(test) => test,
        Err(failure) => return Some(context.error_line(DoctorCode::Agent, trouble, failure)),
    };
    let (login, status) = match found.login {
        AgentLogin::Yes => ("doctor-agent-login", DoctorStatus::Ok),
        AgentLogin::Unknown => ("doctor-agent-login-unknown", DoctorStatus::Ok),
        AgentLogin::No => ("doctor-agent-no-login", trouble),
    };
    let name = match (found.version, test.agent) {
        (Some(version), _) => format!("{} {version}", spec.name),
        (None, Some(message)) => message,
        (None, None) => spec.name.clone(),
    };
    let args = [
        ("agent", name.into()),
        ("login", context.text(login, &[]).into()),
        ("protocol", test.protocol.to_string().into()),
    ];
    let key = if test.can_resume || test.can_load {
        "doctor-agent-resumes"
    } else {
        "doctor-agent-ok"
    };
    Some(context.line(DoctorCode::Agent, status, context.text(key, &args)))
}

/// Puts the walls up once; a program that finds `bwrap` knows nothing yet.
async fn check_sandbox(context: &DoctorContext<'_>) -> DoctorLine {
    match Sandbox::detect(collie_sandbox::own_program()).await {
        Ok(sandbox) => {
            let limits = match sandbox.limits_by() {
                LimitsBy::ControlGroup => "doctor-sandbox-cgroup",
                LimitsBy::Process => "doctor-sandbox-rlimits",
            };
            let limits = context.text(limits, &[]);
            let args = [("limits", limits.into())];
            let (key, status) = match sandbox.is_untried() {
                true => ("doctor-sandbox-untried", DoctorStatus::Warning),
                false => ("doctor-sandbox-ok", DoctorStatus::Ok),
            };
            context.line(DoctorCode::Sandbox, status, context.text(key, &args))
        }
        Err(error) => context.error_line(DoctorCode::Sandbox, DoctorStatus::Warning, error),
    }
}

/// What other programs of this machine could see of this very process.
fn check_own_process(context: &DoctorContext<'_>) -> DoctorLine {
    let exposure = collie_hardening::exposure();
    let names = exposure.variables.join(", ");
    let found = [
        (exposure.memory, "doctor-process-memory"),
        (exposure.core_file, "doctor-process-core"),
        (!names.is_empty(), "doctor-process-variables"),
    ];
    let words: Vec<String> = found
        .into_iter()
        .filter(|(exposed, _)| *exposed)
        .map(|(_, key)| context.text(key, &[("variables", names.clone().into())]))
        .collect();
    if words.is_empty() {
        let text = context.text("doctor-process-ok", &[]);
        return context.line(DoctorCode::Process, DoctorStatus::Ok, text);
    }
    context.line(DoctorCode::Process, DoctorStatus::Warning, words.join(" "))
}

fn check_configuration(context: &DoctorContext<'_>) -> DoctorLine {
    let path = data_paths::config_file(context.data);
    let key = if path.exists() {
        "doctor-config-ok"
    } else {
        "doctor-config-none"
    };
    match &context.config {
        Ok(_) => {
            let file = path.display().to_string();
            let text = context.text(key, &[("file", file.into())]);
            context.line(DoctorCode::Config, DoctorStatus::Ok, text)
        }
        Err(problem) => context.error_line(DoctorCode::Config, DoctorStatus::Bad, problem.clone()),
    }
}

async fn check_data_folder(context: &DoctorContext<'_>) -> Vec<DoctorLine> {
    let bad = |code, error: UserError| context.error_line(code, DoctorStatus::Bad, error);
    let mut lines = Vec::new();
    match open_reader(context.data).await {
        Ok(store) => {
            let folder = context.data.path().display().to_string();
            let text = context.text("doctor-data-ok", &[("folder", folder.into())]);
            lines.push(context.line(DoctorCode::Data, DoctorStatus::Ok, text));
            lines.push(check_journal(context, store.as_ref()).await);
            store.close().await;
        }
        Err(error) => lines.push(bad(DoctorCode::Data, error.into())),
    }
    lines.push(match running_engine(context.data) {
        Ok(Some(engine)) => {
            let pid = engine
                .pid
                .map_or_else(|| "?".to_owned(), |pid| pid.to_string());
            let text = context.text("doctor-engine-runs", &[("pid", pid.into())]);
            context.line(DoctorCode::Engine, DoctorStatus::Ok, text)
        }
        Ok(None) => context.line(
            DoctorCode::Engine,
            DoctorStatus::Ok,
            context.text("doctor-engine-rests", &[]),
        ),
        Err(error) => bad(DoctorCode::Engine, error.into()),
    });
    lines
}

/// Whether the loops can be read; those in a database are left to the server that keeps them there.
async fn check_journal(context: &DoctorContext<'_>, store: &dyn JournalReader) -> DoctorLine {
    let loops: Result<String, UserError> = match are_views_in_database(context.data) {
        Ok(true) => Ok(context.text("doctor-journal-database", &[])),
        Ok(false) => match store.loops().await {
            Ok(loops) => Ok(context.count_text("doctor-journal-loops", loops.len())),
            Err(error) => Err(error.into()),
        },
        Err(error) => Err(error.into()),
    };
    match loops {
        Ok(text) => context.line(DoctorCode::Journal, DoctorStatus::Ok, text),
        Err(error) => context.error_line(DoctorCode::Journal, DoctorStatus::Bad, error),
    }
}

/// Whether each line of the audit log is as it was written, and in its place.
async fn check_audit(context: &DoctorContext<'_>) -> DoctorLine {
    let report = match verify_audit(context.data).await {
        Ok(report) => report,
        Err(error) => {
            let text = context.text(
                "doctor-audit-unread",
                &[("message", error.to_string().into())],
            );
            return context.line(DoctorCode::Audit, DoctorStatus::Bad, text);
        }
    };
    if report.faults.is_empty() {
        let text = audit_counts(context, &report);
        return context.line(DoctorCode::Audit, DoctorStatus::Ok, text);
    }
    let named = report.faults.iter().take(MAX_NAMED_FAULTS);
    let mut sentences: Vec<String> = named.map(|fault| audit_fault(context, fault)).collect();
    let left = report.faults.len() - sentences.len();
    if left > 0 {
        sentences.push(context.count_text("doctor-audit-more", left));
    }
    context.line(DoctorCode::Audit, DoctorStatus::Bad, sentences.join(" "))
}

fn audit_counts(context: &DoctorContext<'_>, report: &AuditReport) -> String {
    let mut sentences = vec![context.count_text("doctor-audit-ok", report.chained)];
    if report.unchained > 0 {
        sentences.push(context.count_text("doctor-audit-unchained", report.unchained));
    }
    sentences.join("; ")
}

fn audit_fault(context: &DoctorContext<'_>, fault: &AuditFault) -> String {
    let key = match fault.kind {
        AuditFaultKind::Edited => "doctor-audit-fault-edited",
        AuditFaultKind::Gap => "doctor-audit-fault-gap",
        AuditFaultKind::Unchained => "doctor-audit-fault-unchained",
        AuditFaultKind::Truncated => "doctor-audit-fault-truncated",
    };
    let args = [
        ("file", fault.file.clone().into()),
        ("line", fault.line.to_string().into()),
    ];
    context.text(key, &args)
}

/// The first line that a program says about its version; none when it is not there.
pub async fn program_version(program: &str) -> Option<String> {
    let asked = tokio::process::Command::new(program)
        .arg("--version")
        .stdin(Stdio::null())
        .stderr(Stdio::null())
        .kill_on_drop(true)
        .output();
    let output = tokio::time::timeout(CHECK_TIMEOUT, asked)
        .await
        .ok()?
        .ok()?;
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    output
        .status
        .success()
        .then(|| text.lines().next().unwrap_or_default().to_owned())
}
