//! `account`: GitHub accounts of personas and of authors' agents (§18.2). A token comes in by standard input, and never out again.

use crate::args::AccountCommand;
use crate::context::Context;
use crate::localize;
use crate::output::Output;
use collie_app::accounts::{self, AccountVault, KeptAccount};
use collie_app::auth;
use collie_config::host_of;
use collie_core::error_code::{ErrorCode, ErrorHint};
use collie_core::ids::{Login, RepoName};
use collie_core::user_error::UserError;
use collie_github::Token;
use serde_json::json;

/// Exit status where the token does not see a repository that it must see.
const EXIT_UNSEEN: u8 = 1;

/// Adds, lists or removes accounts, or puts their tokens under another key.
pub async fn run(context: &Context, command: AccountCommand) -> Result<u8, UserError> {
    let vault = accounts::open_vault(&context.data).await?;
    let host = host_of(&context.config.api_url);
    let output = &context.output;
    match command {
        AccountCommand::Add { login, repos } => {
            let repos: Vec<RepoName> = repos.into_iter().map(|repo| repo.0).collect();
            add(context, &vault, &Login::new(login), &repos).await
        }
        AccountCommand::List => list(output, &vault).await,
        AccountCommand::Remove { login } => {
            let login = Login::new(login);
            vault.remove(&host, &login).await?;
            if output.json {
                let line = json!({ "type": "account_removed", "host": host, "login": login });
                output.print_json(&line);
            }
            let login = login.to_string();
            output.print_text(&localize!(
                output.localizer,
                "cli-account-removed",
                login = login
            ));
            Ok(0)
        }
        AccountCommand::RotateKey => {
            let count = vault.rotate_key().await?;
            if output.json {
                output.print_json(&json!({ "type": "account_key_rotated", "count": count }));
            }
            output.print_text(&localize!(
                output.localizer,
                "cli-account-rotated",
                count = count
            ));
            Ok(0)
        }
    }
}

async fn add(
    context: &Context,
    vault: &AccountVault,
    login: &Login,
    wanted: &[RepoName],
) -> Result<u8, UserError> {
    let output = &context.output;
    let source = auth::token_source(&context.config).await;
    let main = auth::github_client(&context.config, &source).await?;
    let token = read_token(output, login).await?;
    let configured = context
        .config
        .repositories
        .iter()
        .map(|repo| repo.name.clone());
    let mut looked_at: Vec<RepoName> = wanted.iter().cloned().chain(configured).collect();
    looked_at.sort_unstable();
    looked_at.dedup();
    let added =
        accounts::add_account(vault, (&context.config, &main), (login, &token), &looked_at).await?;
    let name = added.account.login.to_string();
    if output.json {
        output.print_json(&json!({
            "type": "account_added", "host": main.host(), "login": name, "id": added.account.id,
            "unseen": added.unseen,
        }));
    }
    output.print_text(&localize!(
        output.localizer,
        "cli-account-added",
        login = name.clone()
    ));
    for repo in &added.unseen {
        let repo = repo.to_string();
        let text = localize!(
            output.localizer,
            "cli-account-unseen",
            login = name.clone(),
            repo = repo
        );
        output.print_text(&text);
    }
    let lacks = added.unseen.iter().any(|repo| wanted.contains(repo));
    Ok(if lacks { EXIT_UNSEEN } else { 0 })
}

/// The token, without showing it: typed where a person is asked, else the first line of standard input.
async fn read_token(output: &Output, login: &Login) -> Result<Token, UserError> {
    let question = localize!(
        output.localizer,
        "cli-account-token",
        login = login.to_string()
    );
    let read = output.read_secret(&question).await;
    let token = read.and_then(|line| Token::new(&line));
    token.ok_or_else(|| UserError::new(ErrorCode::TokenShape).hint(ErrorHint::NewToken))
}

async fn list(output: &Output, vault: &AccountVault) -> Result<u8, UserError> {
    let kept = vault.list().await?;
    if kept.is_empty() {
        output.print_text(&localize!(output.localizer, "cli-account-none"));
    }
    for account in &kept {
        let KeptAccount {
            host,
            id,
            login,
            added_at,
            usable,
        } = account;
        if output.json {
            output.print_json(&json!({
                "type": "account", "host": host, "login": login, "id": id,
                "added_at": added_at.rfc3339(), "usable": usable,
            }));
        }
        let (login, host) = (login.to_string(), host.clone());
        let usable = if *usable { "yes" } else { "no" };
        let text = localize!(
            output.localizer,
            "cli-account-line",
            login = login,
            host = host,
            added = added_at.rfc3339(),
            usable = usable
        );
        output.print_text(&text);
    }
    Ok(0)
}
