//! The repositories of the sidebar.

use super::listings::parse_repository;
use super::session::Session;
use super::{Backend, settings};
use crate::user_error::error_view;
use collie_config::Config;
use collie_core::autonomy::Autonomy;
use collie_core::ids::RepoName;
use collie_core::user_error::UserError;
use collie_engine::ports::LoopRequest;
use collie_wire::rpc::{AutoReviewPlan, AvailableRepository, RepositoryView};
use std::collections::{BTreeMap, BTreeSet};

impl Backend {
    /// Chosen repositories in their order, then those that have loops.
    pub(super) fn repositories(&self, session: &Session) -> Vec<RepositoryView> {
        let config = session.config.get();
        let mut loops: BTreeMap<RepoName, u32> = BTreeMap::new();
        for state in session.engine.loops() {
            // Under the name that was chosen, however it is written.
            let chosen = config
                .repositories
                .iter()
                .find(|watched| watched.name.eq_ignore_case(&state.pull.repo));
            let name = chosen.map_or(&state.pull.repo, |watched| &watched.name);
            *loops.entry(name.clone()).or_default() += u32::from(!state.run.state.is_terminal());
        }
        let localizer = self.localizer();
        let mut views: Vec<RepositoryView> = config
            .repositories
            .iter()
            .map(|watched| RepositoryView {
                auto_review: watched.auto_pr_review_enabled,
                autonomy: level_of(&config, &watched.name),
                chosen: true,
                may_write: true,
                loops: loops.remove(&watched.name).unwrap_or(0),
                problem: session
                    .listings
                    .problem(&watched.name)
                    .map(|problem| error_view(&problem, &localizer)),
                name: watched.name.to_string(),
            })
            .collect();
        let others = loops.into_iter().map(|(name, loops)| RepositoryView {
            autonomy: level_of(&config, &name),
            name: name.to_string(),
            auto_review: false,
            chosen: false,
            may_write: true,
            loops,
            problem: None,
        });
        views.extend(others);
        views
    }

    /// Repositories that could be put into the sidebar: asks GitHub.
    pub(super) async fn available_repositories(
        &self,
        session: &Session,
    ) -> Result<Vec<AvailableRepository>, UserError> {
        let config = session.config.get();
        let lines = session.github.repositories().await?;
        Ok(lines
            .into_iter()
            .filter(|line| !line.archived)
            .map(|line| AvailableRepository {
                chosen: config
                    .repositories
                    .iter()
                    .any(|watched| watched.name.eq_ignore_case(&line.name)),
                name: line.name.to_string(),
                private: line.private,
                open_pulls: u32::try_from(line.open_pulls).unwrap_or(u32::MAX),
            })
            .collect())
    }

    pub(super) async fn set_auto_review(
        &self,
        session: &Session,
        repo: &str,
        on: bool,
        plan: Option<&AutoReviewPlan>,
    ) -> Result<(), UserError> {
        let repo = parse_repository(repo)?;
        self.change_settings(|target, environment| {
            settings::set_auto_review(target, environment, &repo, on, plan)
        })
        .await?;
        if let Some(plan) = plan {
            self.tell_level(session, &repo, plan.autonomy).await?;
        }
        session.listings.refresh_now(&repo);
        Ok(())
    }

    /// Sets how far Collie goes by itself in a repository: in the settings, and for the loops that it has.
    pub(super) async fn set_autonomy(
        &self,
        session: &Session,
        repo: &str,
        level: Autonomy,
    ) -> Result<(), UserError> {
        let repo = parse_repository(repo)?;
        self.change_settings(|target, environment| {
            settings::set_autonomy(target, environment, &repo, level)
        })
        .await?;
        self.tell_level(session, &repo, level).await
    }

    /// Tells loops how far Collie goes by itself now, where other settings say something else of it.
    pub(super) async fn tell_changed_levels(
        &self,
        session: &Session,
        before: &Config,
        now: &Config,
    ) -> Result<(), UserError> {
        let loops = session.engine.loops();
        let repos: BTreeSet<&RepoName> = loops.iter().map(|state| &state.pull.repo).collect();
        for repo in repos {
            let (old, new) = (before.autonomy_of(repo), now.autonomy_of(repo));
            if let Some(level) = new.filter(|_| old != new) {
                self.tell_level(session, repo, level).await?;
            }
        }
        Ok(())
    }

    async fn tell_level(
        &self,
        session: &Session,
        repo: &RepoName,
        level: Autonomy,
    ) -> Result<(), UserError> {
        let repo = repo.clone();
        let request = LoopRequest::SetRepositoryAutonomy { repo, level };
        session.submit(request, self.acting.as_ref()).await?;
        Ok(())
    }

    pub(super) async fn add_repositories(
        &self,
        session: &Session,
        repos: &[String],
    ) -> Result<(), UserError> {
        let repos = repos
            .iter()
            .map(|repo| parse_repository(repo))
            .collect::<Result<Vec<_>, _>>()?;
        self.change_settings(|target, environment| {
            settings::add_repositories(target, environment, &repos)
        })
        .await?;
        for repo in &repos {
            session.listings.refresh_now(repo);
        }
        Ok(())
    }

    pub(super) async fn remove_repository(&self, repo: &str) -> Result<(), UserError> {
        let repo = parse_repository(repo)?;
        self.change_settings(|target, environment| {
            settings::remove_repository(target, environment, &repo)
        })
        .await
    }
}

/// How far Collie would go by itself in loops of a repository.
fn level_of(config: &Config, repo: &RepoName) -> Autonomy {
    let level = config.autonomy_of(repo);
    level.unwrap_or(config.desktop.new_repositories)
}
