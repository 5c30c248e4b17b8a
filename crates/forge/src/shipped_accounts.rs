//! The accounts that every forge starts with.
//!
//! People have made-up ids; bots have the ids of their real GitHub accounts, since clients tell
//! bots by id and not by name.

use crate::model::{Account, AccountId, AccountKind};

/// People: id, login, display name.
const PEOPLE: [(u64, &str, &str); 6] = [
    (9001, "octo", "Octo Maintainer"),
    (9002, "ana", "Ana Alves"),
    (9003, "ben", "Ben Brandt"),
    (9004, "kim", "Kim Kato"),
    (9005, "mallory", "Mallory Mills"),
    (9006, "demo", "Demo Owner"),
];

/// Bots: id, login.
const BOTS: [(u64, &str); 13] = [
    (22_429_695, "codecov[bot]"),
    (29_139_614, "renovate[bot]"),
    (41_898_282, "github-actions[bot]"),
    (49_699_333, "dependabot[bot]"),
    (39_514_782, "sonarqubecloud[bot]"),
    (58_596_630, "sourcery-ai[bot]"),
    (136_622_811, "coderabbitai[bot]"),
    (151_058_649, "qodo-merge-pro[bot]"),
    (165_735_046, "greptile-apps[bot]"),
    (175_728_472, "copilot-pull-request-reviewer[bot]"),
    (176_961_590, "gemini-code-assist[bot]"),
    (199_175_422, "chatgpt-codex-connector[bot]"),
    (206_951_365, "cursor[bot]"),
];

/// The bot account that check runs belong to: GitHub Actions.
pub const ACTIONS_BOT: AccountId = AccountId(41_898_282);

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
    });
    let bots = BOTS.iter().map(|(id, login)| Account {
        id: AccountId(*id),
        login: (*login).to_owned(),
        kind: AccountKind::Bot,
        name: None,
    });
    people.chain(bots).collect()
}

/// Who stands in for an account that is gone.
pub(crate) fn ghost_account() -> Account {
    Account {
        id: GHOST,
        login: "ghost".to_owned(),
        kind: AccountKind::User,
        name: None,
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
