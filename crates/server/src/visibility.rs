//! What a command asks of the person who sends it, and what of an update is theirs to see.

use collie_core::ids::{PullName, RepoName};
use collie_wire::rpc::{Command, OpenTarget, Topic, Update};
use std::collections::BTreeSet;

/// What a command asks of a person.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Needs {
    /// Nothing: it is answered before anybody is signed in.
    Nothing,
    /// To be somebody. The answer is cut to what they may see.
    SignedIn,
    /// To see a repository, in which something of this name is.
    Read(String),
    /// To push to it.
    Write(String),
    /// To push to it, and to be one of those whom the server's configuration allows to start loops.
    OperatorOf(String),
    /// To be one of those.
    Operator,
    /// It is carried out on the machine itself alone.
    Elsewhere,
}

/// What a command asks.
pub(crate) fn needs(command: &Command) -> Needs {
    match command {
        Command::Session
        | Command::SignIn { .. }
        | Command::DeviceSignIn
        | Command::DeviceSignInState { .. }
        | Command::SignOut => Needs::Nothing,
        Command::SignOutEverywhere
        | Command::Loops
        | Command::Activities
        | Command::Repositories
        | Command::OpenPulls
        // Kept by the page alone: a server shows nothing around anybody's window.
        | Command::SetSnoozes { .. }
        | Command::SetMutedNotifications { .. }
        | Command::PageError { .. }
        | Command::Interactive { .. } => Needs::SignedIn,
        Command::Listing { repo } | Command::ReviewMemory { repo } => Needs::Read(repo.clone()),
        Command::Timeline { key }
        | Command::EarlierRuns { key }
        | Command::Excerpts { key, .. }
        | Command::Description { key }
        | Command::Changes { key }
        | Command::CommitDiff { key, .. }
        | Command::MergeOffer { key }
        | Command::Merge { key, .. } => Needs::Read(key.clone()),
        Command::Start { key }
        | Command::Cancel { key }
        | Command::Retry { key }
        | Command::Resume { key, .. }
        | Command::Dismiss { key, .. }
        | Command::Note { key, .. }
        | Command::Seen { key, .. }
        | Command::ApprovePush { key, .. }
        | Command::RejectPush { key, .. } => Needs::Write(key.clone()),
        Command::Refresh { repo } | Command::ForgetJudgement { repo, .. } => {
            Needs::Write(repo.clone())
        }
        // What runs on the server's machine, and for whom it works by itself, is not for everybody who may push.
        Command::DecideTrust { key, .. } => Needs::OperatorOf(key.clone()),
        Command::SetAutoReview { repo, .. } | Command::SetAutonomy { repo, .. } => {
            Needs::OperatorOf(repo.clone())
        }
        Command::Settings
        | Command::Spending
        | Command::Insights { .. }
        | Command::ExpectedCost { .. }
        | Command::Doctor
        | Command::SetPaused { .. } => Needs::Operator,
        Command::Open { target } => target_needs(target),
        Command::CheckSettings { .. }
        | Command::SaveSettings { .. }
        // It writes a file where nobody who asks can get it.
        | Command::ExportInsights { .. }
        | Command::AvailableRepositories
        | Command::AddRepositories { .. }
        | Command::RemoveRepository { .. }
        | Command::ModelKey { .. }
        | Command::SetModelKey { .. }
        | Command::RemoveModelKey { .. }
        | Command::ListModels { .. }
        | Command::TestModel { .. }
        | Command::StopModelTest { .. }
        | Command::DetectCredentials
        | Command::SignInDetected
        | Command::AllowMe
        | Command::StartDemo
        | Command::PlayScenario { .. }
        | Command::LeaveDemo { .. }
        | Command::TryAgain => Needs::Elsewhere,
    }
}

fn target_needs(target: &OpenTarget) -> Needs {
    match target {
        OpenTarget::Item { key }
        | OpenTarget::Check { key, .. }
        | OpenTarget::Commit { key, .. }
        | OpenTarget::Thread { key, .. }
        | OpenTarget::Checks { key } => Needs::Read(key.clone()),
        OpenTarget::NewToken => Needs::Nothing,
        OpenTarget::Worktree { .. }
        | OpenTarget::Code { .. }
        | OpenTarget::Configuration
        | OpenTarget::Logs => Needs::Elsewhere,
    }
}

/// The repository that a name of a repository or pull request is in.
pub(crate) fn repository_of(name: &str) -> Option<RepoName> {
    match PullName::parse(name) {
        Ok(pull) => Some(pull.repo),
        Err(_) => RepoName::parse(name).ok(),
    }
}

/// The repositories that an update tells of.
pub(crate) fn repositories_in(update: &Update, found: &mut BTreeSet<RepoName>) {
    match update {
        Update::Loop { key, .. } => found.extend(repository_of(key)),
        Update::Activity(view) => found.extend(repository_of(&view.key)),
        Update::Stale { topics } => {
            found.extend(
                topics
                    .iter()
                    .filter_map(topic_name)
                    .filter_map(repository_of),
            );
        }
        Update::Show { .. } | Update::Notice { .. } => {}
    }
}

/// What of an update is for a person who sees these repositories.
pub(crate) fn visible_part(update: &Update, readable: &BTreeSet<RepoName>) -> Option<Update> {
    let is_visible = |name: &str| repository_of(name).is_some_and(|repo| readable.contains(&repo));
    match update {
        Update::Loop { key, .. } if is_visible(key) => Some(update.clone()),
        Update::Activity(view) if is_visible(&view.key) => Some(update.clone()),
        Update::Stale { topics } => {
            let visible = |topic: &&Topic| topic_name(topic).is_none_or(is_visible);
            let topics: Vec<Topic> = topics.iter().filter(visible).cloned().collect();
            (!topics.is_empty()).then_some(Update::Stale { topics })
        }
        // A window of the machine itself is told these.
        Update::Loop { .. } | Update::Activity(_) | Update::Show { .. } | Update::Notice { .. } => {
            None
        }
    }
}

/// The repository or pull request that a topic is about, if it is about one.
fn topic_name(topic: &Topic) -> Option<&str> {
    match topic {
        Topic::Listing(name)
        | Topic::Timeline(name)
        | Topic::EarlierRuns(name)
        | Topic::Excerpts(name)
        | Topic::Description(name)
        | Topic::Changes(name)
        | Topic::CommitDiff(name)
        | Topic::MergeOffer(name)
        | Topic::ReviewMemory(name) => Some(name),
        Topic::Session
        | Topic::Loops
        | Topic::Activities
        | Topic::Repositories
        | Topic::OpenPulls
        | Topic::Settings
        | Topic::AvailableRepositories
        | Topic::Spending
        | Topic::Insights
        | Topic::Doctor
        | Topic::ModelKeys
        | Topic::ListedModels
        | Topic::Everything => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn readable(names: &[&str]) -> BTreeSet<RepoName> {
        let parse = |name: &&str| RepoName::parse(name).unwrap();
        names.iter().map(parse).collect()
    }

    #[test]
    fn what_a_person_may_not_read_is_cut_out_of_what_they_are_told() {
        let seen = readable(&["acme/api"]);
        let of = |key: &str| Update::Loop {
            key: key.to_owned(),
            changed: serde_json::Map::new(),
        };
        assert!(visible_part(&of("acme/api#1"), &seen).is_some());
        assert_eq!(visible_part(&of("acme/secret#1"), &seen), None);
        let topics = |topics: &[Topic]| Update::Stale {
            topics: topics.to_vec(),
        };
        let (own, other) = (
            Topic::Timeline("acme/api#1".into()),
            Topic::Listing("acme/secret".into()),
        );
        let told = visible_part(
            &topics(&[own.clone(), other.clone(), Topic::Session]),
            &seen,
        );
        assert_eq!(told, Some(topics(&[own, Topic::Session])));
        assert_eq!(visible_part(&topics(&[other]), &seen), None);
    }

    #[test]
    fn nothing_that_acts_or_tells_of_the_machine_is_for_everybody() {
        let key = || "acme/api#1".to_owned();
        let check = |command: Command, expect: Needs| assert_eq!(needs(&command), expect);
        check(Command::Start { key: key() }, Needs::Write(key()));
        check(Command::Timeline { key: key() }, Needs::Read(key()));
        check(Command::Doctor, Needs::Operator);
        check(Command::SetPaused { paused: true }, Needs::Operator);
        check(Command::AllowMe, Needs::Elsewhere);
        let logs = Command::Open {
            target: OpenTarget::Logs,
        };
        check(logs, Needs::Elsewhere);
    }
}
