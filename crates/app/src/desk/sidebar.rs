//! The repositories of the sidebar.

use super::lists::repository;
use super::work::Work;
use super::{Desk, Problem, settings};
use collie_core::ids::RepoName;
use collie_wire::rpc::{AvailableRepository, RepositoryView};
use std::collections::BTreeMap;

impl Desk {
    /// Chosen repositories in their order, then those that have loops.
    pub(super) fn repositories(&self, work: &Work) -> Vec<RepositoryView> {
        let config = work.config.get();
        let mut loops: BTreeMap<RepoName, u32> = BTreeMap::new();
        for state in work.states() {
            // Under the name that was chosen, however it is written.
            let chosen = config.repositories.iter().find(|w| w.name.is(&state.repo));
            let name = chosen.map_or(&state.repo, |watched| &watched.name);
            *loops.entry(name.clone()).or_default() += u32::from(!state.state.is_terminal());
        }
        let speech = self.speech();
        let mut views: Vec<RepositoryView> = config
            .repositories
            .iter()
            .map(|watched| RepositoryView {
                auto_review: watched.auto_pr_review_enabled,
                chosen: true,
                loops: loops.remove(&watched.name).unwrap_or(0),
                problem: work
                    .lists
                    .problem(&watched.name)
                    .map(|problem| problem.view(&speech)),
                name: watched.name.to_string(),
            })
            .collect();
        let others = loops.into_iter().map(|(name, loops)| RepositoryView {
            name: name.to_string(),
            auto_review: false,
            chosen: false,
            loops,
            problem: None,
        });
        views.extend(others);
        views
    }

    /// Repositories that could be put into the sidebar: asks GitHub.
    pub(super) async fn available(&self, work: &Work) -> Result<Vec<AvailableRepository>, Problem> {
        let config = work.config.get();
        let lines = work.github.repositories().await?;
        Ok(lines
            .into_iter()
            .filter(|line| !line.archived)
            .map(|line| AvailableRepository {
                chosen: config
                    .repositories
                    .iter()
                    .any(|watched| watched.name.is(&line.name)),
                name: line.name.to_string(),
                private: line.private,
                open_pulls: u32::try_from(line.open_pulls).unwrap_or(u32::MAX),
            })
            .collect())
    }

    pub(super) async fn set_auto_review(
        &self,
        work: &Work,
        repo: &str,
        on: bool,
    ) -> Result<(), Problem> {
        let repo = repository(repo)?;
        self.change_settings(|ground, environment| {
            settings::set_auto_review(ground, environment, &repo, on)
        })
        .await?;
        work.lists.hurry(&repo);
        Ok(())
    }

    pub(super) async fn add_repositories(
        &self,
        work: &Work,
        repos: &[String],
    ) -> Result<(), Problem> {
        let repos = repos
            .iter()
            .map(|repo| repository(repo))
            .collect::<Result<Vec<_>, _>>()?;
        self.change_settings(|ground, environment| {
            settings::add_repositories(ground, environment, &repos)
        })
        .await?;
        for repo in &repos {
            work.lists.hurry(repo);
        }
        Ok(())
    }

    pub(super) async fn remove_repository(&self, repo: &str) -> Result<(), Problem> {
        let repo = repository(repo)?;
        self.change_settings(|ground, environment| {
            settings::remove_repository(ground, environment, &repo)
        })
        .await
    }
}
