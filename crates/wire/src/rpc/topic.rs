//! What the UI shows, by name: the keys of its cache.

use serde::{Serialize, Serializer};

/// Something that is shown and may grow stale. Written as the name, then the argument: `["timeline", "acme/api#4"]`.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Topic {
    /// [`super::Command::Session`].
    Session,
    /// [`super::Command::Loops`].
    Loops,
    /// [`super::Command::Activities`].
    Activities,
    /// [`super::Command::Repositories`].
    Repositories,
    /// [`super::Command::Listing`] of a repository.
    Listing(String),
    /// [`super::Command::OpenPulls`].
    OpenPulls,
    /// [`super::Command::Timeline`] of a loop.
    Timeline(String),
    /// [`super::Command::EarlierRuns`] of a loop.
    EarlierRuns(String),
    /// [`super::Command::Excerpts`] of a loop, all findings.
    Excerpts(String),
    /// [`super::Command::Description`] of a loop.
    Description(String),
    /// [`super::Command::Changes`] of a loop.
    Changes(String),
    /// [`super::Command::CommitDiff`] of a loop, all commits.
    CommitDiff(String),
    /// [`super::Command::MergeOffer`] of a loop.
    MergeOffer(String),
    /// [`super::Command::Settings`].
    Settings,
    /// [`super::Command::AvailableRepositories`].
    AvailableRepositories,
    /// [`super::Command::ReviewMemory`] of a repository.
    ReviewMemory(String),
    /// [`super::Command::Spending`].
    Spending,
    /// [`super::Command::Insights`], all ranges.
    Insights,
    /// [`super::Command::Doctor`].
    Doctor,
    /// [`super::Command::ModelKey`] of every model.
    ModelKeys,
    /// [`super::Command::ListModels`] of every service.
    ListedModels,
    /// All of them.
    Everything,
}

impl Topic {
    /// All there is.
    pub fn all() -> Vec<Topic> {
        vec![Topic::Everything]
    }

    /// What a change of the sidebar makes stale; of a repository that is gone from it, its list too.
    pub(crate) fn of_sidebar(removed: Option<&String>) -> Vec<Topic> {
        let listing = removed.map(|repo| Topic::Listing(repo.clone()));
        [Topic::Repositories, Topic::OpenPulls, Topic::Settings]
            .into_iter()
            .chain(listing)
            .collect()
    }

    /// What a change of `config.toml` makes stale.
    pub fn of_configuration() -> Vec<Topic> {
        vec![
            Topic::Settings,
            Topic::Session,
            Topic::Repositories,
            Topic::OpenPulls,
            Topic::Spending,
            Topic::ModelKeys,
            Topic::ListedModels,
        ]
    }

    /// What a change of a loop makes stale beside the loop itself.
    pub fn of_loop(key: &str) -> Vec<Topic> {
        vec![
            Topic::Timeline(key.to_owned()),
            Topic::EarlierRuns(key.to_owned()),
            Topic::Excerpts(key.to_owned()),
            Topic::Description(key.to_owned()),
            Topic::Changes(key.to_owned()),
            Topic::CommitDiff(key.to_owned()),
            Topic::MergeOffer(key.to_owned()),
        ]
    }

    fn cache_key(&self) -> Vec<&str> {
        match self {
            Topic::Session => vec!["session"],
            Topic::Loops => vec!["loops"],
            Topic::Activities => vec!["activities"],
            Topic::Repositories => vec!["repositories"],
            Topic::Listing(repo) => vec!["listing", repo],
            Topic::OpenPulls => vec!["open_pulls"],
            Topic::Timeline(key) => vec!["timeline", key],
            Topic::EarlierRuns(key) => vec!["earlier_runs", key],
            Topic::Excerpts(key) => vec!["excerpts", key],
            Topic::Description(key) => vec!["description", key],
            Topic::Changes(key) => vec!["changes", key],
            Topic::CommitDiff(key) => vec!["commit_diff", key],
            Topic::MergeOffer(key) => vec!["merge_offer", key],
            Topic::Settings => vec!["settings"],
            Topic::AvailableRepositories => vec!["available_repositories"],
            Topic::ReviewMemory(repo) => vec!["review_memory", repo],
            Topic::Spending => vec!["spending"],
            Topic::Insights => vec!["insights"],
            Topic::Doctor => vec!["doctor"],
            Topic::ModelKeys => vec!["model_key"],
            Topic::ListedModels => vec!["list_models"],
            Topic::Everything => Vec::new(),
        }
    }
}

impl Serialize for Topic {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.cache_key().serialize(serializer)
    }
}
