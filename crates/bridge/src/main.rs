//! Serves the window's page, its one command and its one stream of updates to a browser on this machine. For tests and pictures; it is
//! not part of what is shipped. It cannot merge: only the desktop window can (§11).

mod account_folder;
mod serve;

use account_folder::AccountFolder;
use anyhow::Context as _;
use axum::serve::ListenerExt;
use clap::Parser;
use collie_app::auth::keychain::Keychain;
use collie_app::backend::{AccountName, Accounts, BackendOptions, CredentialScope};
use collie_config::DataFolder;
use std::net::{IpAddr, SocketAddr};
use std::path::PathBuf;
use std::sync::Arc;

/// Shows Collie's window in a browser on this machine.
#[derive(Debug, Parser)]
struct Args {
    /// Where to listen; loopback only. Port 0 takes any.
    #[arg(long, default_value = "127.0.0.1:0")]
    listen: SocketAddr,
    /// The folder of the built page.
    #[arg(long, default_value = "ui/dist")]
    dist: PathBuf,
    /// Opens the demo when nobody has signed in yet.
    #[arg(long)]
    demo: bool,
    /// The language until the configuration names one.
    #[arg(long, default_value = "en")]
    lang: String,
    /// Another account beside that of the data folder, with a data folder of its own. `?account=NAME` asks for it.
    #[arg(long = "account", value_name = "NAME=DIR")]
    accounts: Vec<AccountFolder>,
}

fn main() -> anyhow::Result<()> {
    collie_sandbox::supervise_if_asked();
    collie_app::help_git_if_asked();
    collie_hardening::harden(&[]);
    serve_until_stopped()
}

#[tokio::main]
async fn serve_until_stopped() -> anyhow::Result<()> {
    let args = Args::parse();
    anyhow::ensure!(
        matches!(args.listen.ip(), IpAddr::V4(ip) if ip.is_loopback()),
        "{} is not on the loopback: use 127.0.0.1",
        args.listen
    );
    anyhow::ensure!(
        args.dist.join("index.html").is_file(),
        "{} holds no page: run `npm run ui:build` first",
        args.dist.display()
    );
    let folder = DataFolder::locate()?;
    if let Err(reason) = collie_app::logging::init(&folder) {
        tracing::debug!(reason, "no diagnostics are kept");
    }
    let accounts = Arc::new(accounts(&args, folder)?);
    // Whoever asks finds it at work already; the others are opened when they are first asked for.
    accounts.backend(&AccountName::default()).await;
    let listener = tokio::net::TcpListener::bind(args.listen)
        .await
        .with_context(|| format!("cannot listen on {}", args.listen))?;
    let address = listener.local_addr()?;
    let secret = serve::Secret::random();
    let url = format!("http://{address}/?secret={}", secret.reveal());
    println!("{}", serde_json::json!({ "url": url }));
    let router = serve::router(accounts.clone(), &args.dist, address, secret);
    axum::serve(
        listener.tap_io(|stream| drop(stream.set_nodelay(true))),
        router,
    )
    .with_graceful_shutdown(shutdown_signal())
    .await?;
    accounts.close_all().await;
    Ok(())
}

/// The account of the data folder, and those that were named.
fn accounts(args: &Args, folder: DataFolder) -> anyhow::Result<Accounts> {
    let options = |folder: DataFolder, credentials: CredentialScope| BackendOptions {
        folder,
        environment: Arc::new(collie_hardening::variable),
        credentials,
        keychain: Keychain::system(),
        language: collie_i18n::Language::parse(&args.lang)
            .unwrap_or_default()
            .code(),
        runners: None,
        elsewhere: None,
        can_merge: false,
        demo_if_new: args.demo,
    };
    let accounts = Accounts::default();
    let own = options(folder, CredentialScope::Machine);
    accounts.add(AccountName::default(), own)?;
    for AccountFolder { name, folder } in &args.accounts {
        let scope = CredentialScope::Account(name.clone());
        accounts.add(name.clone(), options(folder.clone(), scope))?;
    }
    Ok(accounts)
}

/// Returns when the process is asked to end.
async fn shutdown_signal() {
    use tokio::signal::unix::{SignalKind, signal};
    let terminate = signal(SignalKind::terminate());
    let Ok(mut terminate) = terminate else {
        return std::future::pending().await;
    };
    tokio::select! {
        _ = terminate.recv() => {}
        _ = tokio::signal::ctrl_c() => {}
    }
}
