//! What an error is called.

use serde::{Deserialize, Serialize};
use ts_rs::TS;

/// Every code that an [`crate::ErrorView`] may have. A test holds it to the texts there are for errors.
#[derive(
    Clone,
    Copy,
    Debug,
    PartialEq,
    Eq,
    Serialize,
    Deserialize,
    TS,
    strum::IntoStaticStr,
    strum::VariantNames,
)]
#[serde(rename_all = "snake_case")]
#[strum(serialize_all = "snake_case")]
pub enum ErrorCode {
    // GitHub and the account.
    /// GitHub has no such thing, or does not show it.
    NotFound,
    /// GitHub does not accept the token.
    Unauthorized,
    /// GitHub refuses.
    Refused,
    /// GitHub asks to wait.
    Wait,
    /// GitHub could not be reached.
    Unreachable,
    /// GitHub does not accept the token that was typed.
    BadToken,
    /// What was typed is no token.
    TokenShape,
    /// The host does not answer as GitHub does.
    NotGithub,
    /// The address of the API cannot be used.
    BadUrl,
    /// No token was found.
    NoToken,
    /// The token lacks rights.
    Scopes,
    /// The account may not start loops (§9.1).
    Denied,
    /// Nobody is signed in.
    SignedOut,
    /// GitHub has not said yet whose token it is.
    LoginUnknown,

    // Loops.
    /// The pull request has ended.
    Ended,
    /// There is no such loop.
    NoLoop,
    /// The loop has no such finding.
    NoFinding,
    /// The loop has ended.
    Over,
    /// The loop is at work.
    Busy,
    /// The loop cannot be resumed in this state.
    NotResumable,
    /// The text names no pull request or repository.
    BadName,
    /// The loop has no worktree here.
    NoWorktree,
    /// There is no web page for it.
    NoPage,

    // The engine, the data folder, the settings, the keychain.
    /// The engine of another process refused.
    EngineRefused,
    /// The engine of another process has not answered yet.
    NoAnswer,
    /// The engine is still being started.
    Starting,
    /// The configuration is wrong.
    Configuration,
    /// The settings cannot be read.
    SettingsUnreadable,
    /// The settings cannot be written.
    SettingsUnwritable,
    /// Another program keeps changing the settings.
    SettingsBusy,
    /// The disk is full.
    DiskFull,
    /// A newer Collie wrote it.
    Newer,
    /// Stored data is damaged.
    Damaged,
    /// The journal failed.
    Store,
    /// Another process owns the data folder.
    Owned,
    /// The data folder cannot be used.
    Folder,
    /// There is no home folder.
    NoHome,
    /// git is missing or too old.
    NoGit,
    /// git failed.
    Git,
    /// There is no keychain.
    NoKeychain,
    /// The keychain is locked.
    KeychainLocked,
    /// The keychain failed.
    Keychain,

    // The demo.
    /// The demo could not be opened.
    Demo,
    /// The demo needs no token.
    DemoHasNoToken,
    /// The demo's port is in use.
    DemoPort,
    /// The demo is open in another process.
    DemoOpen,
    /// There is no such scenario.
    NoScenario,
    /// The demo is not open.
    NoDemo,

    // Why a pull request is not offered for merging.
    /// Only the desktop window merges.
    MergeElsewhere,
    /// It is closed.
    MergeClosed,
    /// It is merged already.
    MergeMerged,
    /// It is a draft.
    MergeDraft,
    /// It is in the merge queue.
    MergeQueued,
    /// Its base branch merges through a queue.
    MergeByQueue,
    /// Auto-merge is on.
    MergeAuto,
    /// The account may not merge.
    MergeNoRight,
    /// It conflicts with its base.
    MergeConflict,
    /// The branch rules are not met.
    MergeBlocked,
    /// The base must be merged in first.
    MergeBehind,
    /// The repository allows no way to merge.
    MergeNoMethod,

    // Why a merge was refused: the codes of `collie_merge::Refusal` that are not above, and of the shell.
    /// The confirmation is for another pull request.
    OtherPull,
    /// The loop is not ready at this head.
    NotReady,
    /// The head is another one than the person saw.
    HeadMoved,
    /// It is a draft.
    Draft,
    /// It is closed.
    Closed,
    /// It is merged already.
    AlreadyMerged,
    /// It conflicts with its base.
    Conflict,
    /// Checks failed or are not done.
    ChecksNotGreen,
    /// The rules of the base branch hold it.
    Blocked,
    /// The base must be in it first.
    Behind,
    /// GitHub has not found out whether it merges.
    MergeabilityUnknown,
    /// Auto-merge is on.
    AutoMergeOn,
    /// A merge queue holds it.
    InMergeQueue,
    /// The base takes merges from its queue only.
    QueueRequired,
    /// The repository does not allow the method.
    MethodNotAllowed,
    /// The account may not merge there.
    NoPermission,
    /// Another account is signed in than the dialog showed.
    SignedInAsAnother,
    /// GitHub asks to wait.
    RateLimited,
    /// There was no clear answer, and GitHub shows it open ever since.
    NotMerged,
    /// There was no clear answer, and GitHub cannot be asked.
    OutcomeUnknown,
    /// The request could not be written into the audit log.
    Unrecorded,
    /// There is no client for GitHub.
    NoConnection,
    /// The app is quitting.
    Quitting,

    // The host.
    /// This host opens no other programs.
    OpensNothing,
    /// Nothing opened it.
    NotOpened,
    /// The answer could not be written as JSON.
    Answer,
    /// The page and the host are of different versions.
    Contract,
    /// Nobody understands an argument of the command line.
    Argument,
}

#[cfg(test)]
mod tests {
    use super::ErrorCode;
    use std::collections::BTreeSet;
    use strum::VariantNames as _;

    /// Codes whose words have no key that ends in them.
    const UNKEYED: [&str; 3] = ["argument", "contract", "not_opened"];

    /// The codes that a file of texts has words for.
    fn worded(file: &str, prefix: &str) -> Vec<String> {
        let path = format!("{}/../../locales/en/{file}", env!("CARGO_MANIFEST_DIR"));
        let texts = std::fs::read_to_string(path).expect("the texts are in the repository");
        let codes = texts.lines().filter_map(|line| {
            let (key, _) = line.split_once(" =")?;
            let code = key.strip_prefix(prefix)?;
            (!code.starts_with("hint-")).then(|| code.replace('-', "_"))
        });
        codes.collect()
    }

    #[test]
    fn every_code_has_words_and_every_error_that_has_words_has_a_code() {
        let mut texts = worded("backend.ftl", "problem-");
        texts.extend(worded("desktop.ftl", "desktop-merge-"));
        texts.extend(UNKEYED.map(str::to_owned));
        let texts: BTreeSet<&str> = texts.iter().map(String::as_str).collect();
        let codes: BTreeSet<&str> = ErrorCode::VARIANTS.iter().copied().collect();
        assert_eq!(codes, texts);
    }
}
