//! `collie doctor`: what is there, what is missing, and what to do about it.

use crate::context::Context;
use crate::problem::Problem;
use crate::say;
use crate::say::Say;
use collie_app::{connect, doctor, home};
use collie_core::ids::Login;
use collie_engine::ports::{GitHub as _, Journal as _};
use collie_github::TokenOrigin;
use collie_store::{OpenMode, Store, running_engine};
use console::Style;
use serde_json::json;

/// How one thing stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Verdict {
    Ok,
    Note,
    Bad,
}

/// One line of the answer.
struct Check {
    name: &'static str,
    verdict: Verdict,
    text: String,
}

fn check(name: &'static str, verdict: Verdict, text: String) -> Check {
    Check {
        name,
        verdict,
        text,
    }
}

/// Looks at everything; 0 when nothing that is needed is missing.
pub async fn run(context: &Context) -> Result<u8, Problem> {
    let say = &context.out.say;
    let mut checks = vec![git(say).await, gh(say).await];
    checks.extend(account(context).await);
    checks.push(sandbox(say));
    checks.push(configuration(context));
    checks.extend(data(context).await);
    for line in &checks {
        print(context, line);
    }
    Ok(u8::from(
        checks.iter().any(|line| line.verdict == Verdict::Bad),
    ))
}

fn print(context: &Context, line: &Check) {
    let (code, key, style) = match line.verdict {
        Verdict::Ok => ("ok", "doctor-ok", Style::new().green()),
        Verdict::Note => ("note", "doctor-warning", Style::new().yellow()),
        Verdict::Bad => ("missing", "doctor-bad", Style::new().red().bold()),
    };
    let out = &context.out;
    if out.json {
        let name = line.name.trim_start_matches("doctor-");
        out.line(&json!({ "type": "check", "name": name, "status": code, "text": line.text }));
    }
    let word = say!(out.say, key);
    let name = say!(out.say, line.name);
    out.words(&format!(
        "{}  {name:<20} {}",
        style.apply_to(format!("{word:<7}")),
        line.text
    ));
}

async fn git(say: &Say) -> Check {
    match collie_git::git_version(std::path::Path::new("git")).await {
        Ok(version) => check(
            "doctor-git",
            Verdict::Ok,
            say!(say, "doctor-git-ok", version = version),
        ),
        Err(error) => {
            tracing::info!(%error, "git is not usable");
            check("doctor-git", Verdict::Bad, say!(say, "doctor-git-missing"))
        }
    }
}

async fn gh(say: &Say) -> Check {
    match doctor::version_of("gh").await {
        Some(version) => check("doctor-gh", Verdict::Ok, version),
        None => check("doctor-gh", Verdict::Note, say!(say, "doctor-gh-missing")),
    }
}

/// The token, whose it is, whether that account may start loops, and its quota.
async fn account(context: &Context) -> Vec<Check> {
    let say = &context.out.say;
    let host = collie_app::config::host_of(&context.config.api_url);
    let tokens = connect::token_source(&context.config).await;
    let Some(found) = tokens.find(&host).await else {
        let text = say!(say, "doctor-token-missing", host = host);
        return vec![check("doctor-token", Verdict::Bad, text)];
    };
    let origin = match found.origin {
        TokenOrigin::Gh => "gh auth token",
        TokenOrigin::Environment => "GITHUB_TOKEN",
        TokenOrigin::Given => "",
    };
    let viewer = match connect::github(&context.config, &tokens).await {
        Ok(github) => github.viewer().await.map_err(|error| error.to_string()),
        Err(error) => Err(error.to_string()),
    };
    match viewer {
        Err(reason) => {
            let text = say!(say, "doctor-token-refused", host = host, reason = reason);
            vec![check("doctor-token", Verdict::Bad, text)]
        }
        Ok(actor) => {
            let login = actor.login.to_string();
            let text = say!(say, "doctor-token-of", login = login, host = host);
            vec![
                check("doctor-token", Verdict::Ok, format!("{text} ({origin})")),
                allowed(context, &actor.login),
                quota(context, &found.token).await,
            ]
        }
    }
}

fn allowed(context: &Context, login: &Login) -> Check {
    let say = &context.out.say;
    let users = &context.config.policy.allowed_users;
    let file = home::config_file(&context.data).display().to_string();
    let name = login.to_string();
    if users.contains(login) {
        check(
            "doctor-allowed",
            Verdict::Ok,
            say!(say, "doctor-allowed-you", login = name),
        )
    } else if users.is_empty() {
        check(
            "doctor-allowed",
            Verdict::Bad,
            say!(say, "doctor-allowed-nobody", file = file),
        )
    } else {
        let text = say!(say, "doctor-allowed-not-you", login = name, file = file);
        check("doctor-allowed", Verdict::Bad, text)
    }
}

async fn quota(context: &Context, token: &collie_github::Token) -> Check {
    let say = &context.out.say;
    match doctor::quota(&context.config.api_url, token).await {
        Ok(quota) => {
            let verdict = if quota.left * 10 < quota.limit {
                Verdict::Note
            } else {
                Verdict::Ok
            };
            let until = jiff::Timestamp::from_second(quota.resets_at)
                .map(|at| {
                    at.to_zoned(jiff::tz::TimeZone::system())
                        .strftime("%H:%M")
                        .to_string()
                })
                .unwrap_or_default();
            let text = say!(
                say,
                "doctor-quota-left",
                left = quota.left,
                limit = quota.limit,
                until = until
            );
            check("doctor-quota", verdict, text)
        }
        Err(reason) => check("doctor-quota", Verdict::Note, reason),
    }
}

fn sandbox(say: &Say) -> Check {
    let found = doctor::sandboxes();
    if found.is_empty() {
        check(
            "doctor-sandbox",
            Verdict::Note,
            say!(say, "doctor-sandbox-none"),
        )
    } else {
        check("doctor-sandbox", Verdict::Ok, found.join(", "))
    }
}

fn configuration(context: &Context) -> Check {
    let say = &context.out.say;
    let path = home::config_file(&context.data);
    let file = path.display().to_string();
    // A file with mistakes has ended the command before.
    let key = if path.exists() {
        "doctor-config-ok"
    } else {
        "doctor-config-none"
    };
    check("doctor-config", Verdict::Ok, say!(say, key, file = file))
}

async fn data(context: &Context) -> Vec<Check> {
    let say = &context.out.say;
    let folder = context.data.path().display().to_string();
    let mut checks = Vec::new();
    match Store::open(&context.data, OpenMode::Reader).await {
        Ok(store) => {
            checks.push(check(
                "doctor-data",
                Verdict::Ok,
                say!(say, "doctor-data-ok", folder = folder),
            ));
            checks.push(match store.loops().await {
                Ok(loops) => {
                    let text = say!(say, "doctor-journal-loops", count = loops.len());
                    check("doctor-journal", Verdict::Ok, text)
                }
                Err(error) => check("doctor-journal", Verdict::Bad, error.to_string()),
            });
            store.close().await;
        }
        Err(error) => checks.push(check("doctor-data", Verdict::Bad, error.to_string())),
    }
    checks.push(match running_engine(&context.data) {
        Ok(Some(engine)) => {
            let pid = engine
                .pid
                .map_or_else(|| "?".to_owned(), |pid| pid.to_string());
            check(
                "doctor-engine",
                Verdict::Ok,
                say!(say, "doctor-engine-runs", pid = pid),
            )
        }
        Ok(None) => check(
            "doctor-engine",
            Verdict::Ok,
            say!(say, "doctor-engine-rests"),
        ),
        Err(error) => check("doctor-engine", Verdict::Bad, error.to_string()),
    });
    checks
}

/// Makes the journal anew from the checkpoints.
pub async fn rebuild(context: &Context) -> Result<u8, Problem> {
    let report = collie_store::rebuild(&context.data)
        .await
        .map_err(|e| Problem::new("store", e))?;
    let out = &context.out;
    if out.json {
        let skipped: Vec<_> = report
            .skipped
            .iter()
            .map(|(place, why)| json!({ "place": place, "reason": why }))
            .collect();
        out.line(&json!({
            "type": "rebuilt",
            "healthy": report.healthy,
            "kept_aside": report.kept_aside,
            "restored": report.restored,
            "skipped": skipped,
        }));
        return Ok(0);
    }
    if report.healthy {
        out.words(&say!(out.say, "doctor-rebuild-healthy"));
        return Ok(0);
    }
    out.words(&say!(
        out.say,
        "doctor-rebuilt",
        count = report.restored.len()
    ));
    if let Some(kept) = &report.kept_aside {
        out.words(&say!(
            out.say,
            "doctor-rebuilt-kept",
            file = kept.display().to_string()
        ));
    }
    for (place, reason) in &report.skipped {
        let text = say!(
            out.say,
            "doctor-rebuilt-skipped",
            file = place.as_str(),
            reason = reason.as_str()
        );
        out.words(&text);
    }
    Ok(0)
}
