//! The accounts that every forge starts with.
//!
//! People have made-up ids; bots have the ids of their real GitHub accounts, since clients tell
//! bots by id and not by name.

use crate::model::{Account, AccountId, AccountKind};
use serde::Deserialize;
use std::sync::LazyLock;

/// People: id, login, display name.
const PEOPLE: [(u64, &str, &str); 6] = [
    (9001, "octo", "Octo Maintainer"),
    (9002, "ana", "Ana Alves"),
    (9003, "ben", "Ben Brandt"),
    (9004, "kim", "Kim Kato"),
    (9005, "mallory", "Mallory Mills"),
    (9006, "demo", "Demo Owner"),
];

/// Bots: those that Collie knows, by the file that it reads itself. Only the accounts are taken from it.
static BOTS: LazyLock<Vec<BotAccount>> = LazyLock::new(|| {
    serde_json::from_str(include_str!("../../core/src/bots.json"))
        .expect("the bots are read by a test")
});

#[derive(Deserialize)]
struct BotAccount {
    id: u64,
    login: String,
}

/// The bot account that check runs belong to: GitHub Actions.
pub const ACTIONS_BOT: AccountId = AccountId(41_898_282);

/// The bot account that takes pull requests out of merge queues.
pub(crate) const MERGE_QUEUE_BOT: AccountId = AccountId(118_344_674);

/// The id of GitHub's `ghost`, who stands in for accounts that are gone.
pub(crate) const GHOST: AccountId = AccountId(10_137);

/// The first id given to an account that is added later.
pub(crate) const FIRST_ADDED_ID: u64 = 20_001;

/// The shipped accounts.
pub(crate) fn all() -> Vec<Account> {
    let people = PEOPLE.iter().map(|(id, login, name)| Account {
        id: AccountId(*id),
        login: (*login).to_owned(),
        kind: AccountKind::User,
        name: Some((*name).to_owned()),
        limits: None,
    });
    let bots = BOTS.iter().map(|bot| Account {
        id: AccountId(bot.id),
        login: format!("{}[bot]", bot.login),
        kind: AccountKind::Bot,
        name: None,
        limits: None,
    });
    let merge_queue = Account {
        id: MERGE_QUEUE_BOT,
        login: "github-merge-queue[bot]".to_owned(),
        kind: AccountKind::Bot,
        name: None,
        limits: None,
    };
    people.chain(bots).chain([merge_queue]).collect()
}

/// Who stands in for an account that is gone.
pub(crate) fn ghost_account() -> Account {
    Account {
        id: GHOST,
        login: "ghost".to_owned(),
        kind: AccountKind::User,
        name: None,
        limits: None,
    }
}

/// The GitHub App behind a bot account; apps have ids of their own.
pub(crate) fn app_id(bot: AccountId) -> u64 {
    if bot == ACTIONS_BOT {
        // GitHub Actions' real one.
        15_368
    } else {
        bot.0
    }
}
