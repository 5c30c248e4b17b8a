//! Every command of the contract, and what carries it out.

use super::memory::Way;
use super::settings::{self, Changes, Ground, Saved};
use super::work::Work;
use super::{Desk, Environment, Problem, lists};
use crate::config::Layer;
use crate::words::Speech;
use collie_core::ids::PullName;
use collie_core::snapshot::{Mergeable, PullState};
use collie_engine::ports::Request;
use collie_github::browse::{MergeFacts, MergeState};
use collie_wire::rpc::{Command, MergeOfferView, SettingProblem, SettingsView, Topic};
use serde::Serialize;
use serde_json::Value;
use std::collections::BTreeMap;
use std::sync::Arc;

impl Desk {
    /// Carries a command out.
    pub(super) async fn carry_out(&self, command: Command) -> Result<Value, Problem> {
        match command {
            Command::Session => json(self.session()),
            Command::Loops => json(match self.work() {
                Ok(work) => self.loops(&work),
                Err(_) => Vec::new(),
            }),
            Command::Activities => json(match self.work() {
                Ok(work) => self.activities(&work),
                Err(_) => Vec::new(),
            }),
            Command::Repositories => json(match self.work() {
                Ok(work) => self.repositories(&work),
                Err(_) => Vec::new(),
            }),
            Command::Listing { repo } => json(self.listing(&*self.work()?, &repo)?),
            Command::Timeline { key } => json(self.timeline(&*self.work()?, &key).await?),
            Command::Excerpts { key, fingerprint } => {
                json(self.excerpts(&*self.work()?, &key, &fingerprint).await?)
            }
            Command::MergeOffer { key } => json(self.merge_offer(&*self.work()?, &key).await?),
            Command::Settings => json(self.settings_view()),
            Command::CheckSettings { changes } => json(self.check_settings(&changes)),
            Command::AvailableRepositories => json(self.available(&*self.work()?).await?),
            Command::Doctor => json(self.doctor().await),
            Command::Start { key } => self.start_loop(&key).await,
            Command::Cancel { key } => self.wish(&key, |pull| Request::Cancel { pull }).await,
            Command::Retry { key } => self.wish(&key, |pull| Request::Retry { pull }).await,
            Command::Resume { key } => self.wish(&key, |pull| Request::Resume { pull }).await,
            Command::Merge { .. } => Err(Problem::new("merge_elsewhere").hint("desktop_window")),
            Command::SetAutoReview { repo, on } => {
                self.set_auto_review(&*self.work()?, &repo, on).await?;
                DONE
            }
            Command::AddRepositories { repos } => {
                self.add_repositories(&*self.work()?, &repos).await?;
                DONE
            }
            Command::RemoveRepository { repo } => {
                self.remove_repository(&repo).await?;
                DONE
            }
            Command::Refresh { repo } => self.refresh(&*self.work()?, &repo),
            Command::SaveSettings { changes } => json(self.save_settings(&changes).await?),
            Command::LookAround => {
                self.look_around().await;
                DONE
            }
            Command::SignInFound => {
                self.start(Way::Found).await;
                DONE
            }
            Command::SignIn { token, api_url } => {
                self.start_typed(&token, api_url.as_deref()).await?;
                DONE
            }
            Command::SignOut => {
                self.sign_out().await?;
                DONE
            }
            Command::AllowMe => {
                self.allow_me().await?;
                DONE
            }
            Command::StartDemo => {
                self.start(Way::Demo).await;
                DONE
            }
            Command::PlayScenario { scenario } => self.play(&scenario).await,
            Command::LeaveDemo { forget } => {
                self.leave_demo(forget).await?;
                DONE
            }
            Command::TryAgain => {
                self.try_again().await;
                DONE
            }
            // Hosts open things before the command gets here; one that cannot says so.
            Command::Open { .. } => Err(Problem::new("opens_nothing")),
            Command::PageError { text } => {
                let text: String = text.chars().take(LONGEST_COMPLAINT).collect();
                tracing::error!(text, "page error");
                DONE
            }
            Command::Interactive { after_ms } => {
                tracing::info!(after_ms, "the window can be used");
                DONE
            }
        }
    }

    async fn wish(
        &self,
        key: &str,
        request: impl FnOnce(PullName) -> Request,
    ) -> Result<Value, Problem> {
        let pull = lists::pull(key)?;
        self.work()?.wish(request(pull)).await?;
        DONE
    }

    async fn start_loop(&self, key: &str) -> Result<Value, Problem> {
        let pull = lists::pull(key)?;
        let work = self.work()?;
        self.play_part(&work, &pull);
        work.wish(Request::Start { pull }).await?;
        DONE
    }

    fn refresh(&self, work: &Work, repo: &str) -> Result<Value, Problem> {
        let repo = lists::repository(repo)?;
        work.lists.hurry(&repo);
        for state in work.states().iter().filter(|state| state.repo.is(&repo)) {
            work.look_now(&state.name());
        }
        DONE
    }

    async fn merge_offer(&self, work: &Work, key: &str) -> Result<MergeOfferView, Problem> {
        let facts = work.github.merge_facts(&lists::pull(key)?).await?;
        let refusal = refusal(&facts).map(|problem| problem.view(&self.speech()));
        Ok(MergeOfferView {
            head_sha: facts.head,
            base_ref: facts.base_ref,
            methods: facts.methods,
            refusal,
        })
    }

    /// Does something with the settings: the demo has its own.
    fn with_settings<T>(
        &self,
        act: impl FnOnce(Ground<'_>, &dyn Fn(&str) -> Option<String>) -> T,
    ) -> T {
        let environment = self.shared.options.environment.clone();
        let host = self.host_layer();
        match self.work() {
            Ok(work) => {
                let held = work.config.get();
                let (below, environment): (Vec<Layer>, Environment) = match &work.demo {
                    Some(demo) => (
                        vec![host, demo.layer(), self.likes()],
                        Arc::new(|_: &str| None),
                    ),
                    None => (vec![host], environment),
                };
                let ground = Ground {
                    folder: &work.folder,
                    below: &below,
                    held: Some(&held),
                };
                act(ground, &*environment)
            }
            Err(_) => {
                let ground = Ground {
                    folder: &self.shared.options.folder,
                    below: &[host],
                    held: None,
                };
                act(ground, &*environment)
            }
        }
    }

    fn settings_view(&self) -> SettingsView {
        let speech = self.speech();
        self.with_settings(|ground, environment| settings::view(ground, environment, &speech))
    }

    fn check_settings(&self, changes: &Changes) -> Vec<SettingProblem> {
        let speech = self.speech();
        self.with_settings(|ground, environment| {
            settings::check(ground, environment, changes, &speech)
        })
    }

    async fn save_settings(&self, changes: &Changes) -> Result<Vec<SettingProblem>, Problem> {
        let speech = self.speech();
        let saved = self.with_settings(|ground, environment| {
            settings::save(ground, environment, changes, &speech)
        })?;
        if let Err(problems) = saved {
            return Ok(problems);
        }
        self.keep_likes(changes)?;
        self.put_into_force().await?;
        Ok(Vec::new())
    }

    /// How a person likes the window holds outside the demo as well.
    fn keep_likes(&self, changes: &Changes) -> Result<(), Problem> {
        let in_demo = self.work().is_ok_and(|work| work.demo.is_some());
        let likes: Changes = changes
            .iter()
            .filter(|(key, _)| *key == "language" || key.starts_with("desktop."))
            .map(|(key, value)| (key.clone(), value.clone()))
            .collect();
        if !in_demo || likes.is_empty() {
            return Ok(());
        }
        let environment = &self.shared.options.environment;
        let own = &self.shared.options.folder;
        if let Err(problems) =
            settings::save(own, |name| environment(name), &likes, &self.speech())?
        {
            tracing::warn!(
                ?problems,
                "the window's settings were not kept beyond the demo"
            );
        }
        Ok(())
    }

    /// Changes the settings by one of our own hands, which cannot be wrong by itself.
    pub(super) async fn change_settings(
        &self,
        change: impl FnOnce(Ground<'_>, &dyn Fn(&str) -> Option<String>) -> Saved,
    ) -> Result<(), Problem> {
        match self.with_settings(change)? {
            Ok(_) => self.put_into_force().await,
            Err(problems) => {
                let text: Vec<String> = problems
                    .into_iter()
                    .map(|problem| problem.message)
                    .collect();
                Err(Problem::new("configuration")
                    .with("message", text.join("; "))
                    .hint("configuration"))
            }
        }
    }

    /// Changes the address of GitHub's API; none takes it out of the file.
    pub(super) async fn set_api_url(&self, url: Option<&str>) -> Result<(), Problem> {
        let value = url.map_or(Value::Null, |url| Value::String(url.to_owned()));
        let changes = BTreeMap::from([("github_api_url".to_owned(), value)]);
        let speech = self.speech();
        self.change_settings(|ground, environment| {
            settings::save(ground, environment, &changes, &speech)
        })
        .await
    }

    /// Speaks a language from now on.
    fn speak(&self, language: &'static str) {
        if self.speech().language().code() != language {
            *self
                .shared
                .speech
                .write()
                .unwrap_or_else(std::sync::PoisonError::into_inner) =
                Arc::new(Speech::new(language));
            self.retell();
        }
    }

    /// Lets what was saved hold from now on.
    async fn put_into_force(&self) -> Result<(), Problem> {
        let Ok(work) = self.work() else {
            self.speak(self.configuration()?.language);
            return Ok(());
        };
        let config = match &work.demo {
            Some(demo) => self.demo_configuration(&work.folder, demo.layer())?,
            None => self.configuration()?,
        };
        let language = config.language;
        let before = work.config.set(config.clone());
        if crate::config::needs_restart(&before, &config) {
            self.try_again().await;
        }
        self.stale(vec![Topic::Settings, Topic::Repositories, Topic::Doctor]);
        self.session_changed();
        self.speak(language);
        Ok(())
    }
}

/// What stands in the way of a merge now; the first of what does.
fn refusal(facts: &MergeFacts) -> Option<Problem> {
    let by = facts.auto_merge.as_ref().map(ToString::to_string);
    let held = |state: MergeState| facts.merge_state == state;
    let reasons = [
        (
            facts.state == PullState::Closed,
            Problem::new("merge_closed"),
        ),
        (
            facts.state == PullState::Merged,
            Problem::new("merge_merged"),
        ),
        (facts.draft, Problem::new("merge_draft")),
        (facts.in_merge_queue, Problem::new("merge_queued")),
        (
            facts.base_has_queue,
            Problem::new("merge_by_queue").hint("on_github"),
        ),
        (
            by.is_some(),
            Problem::new("merge_auto").with("login", by.unwrap_or_default()),
        ),
        (
            !facts.permission.can_push(),
            Problem::new("merge_no_right").hint("rights"),
        ),
        (
            facts.mergeable == Mergeable::Conflicting,
            Problem::new("merge_conflict"),
        ),
        (
            held(MergeState::Blocked),
            Problem::new("merge_blocked").hint("on_github"),
        ),
        (
            held(MergeState::Behind),
            Problem::new("merge_behind").hint("on_github"),
        ),
        (
            facts.methods.is_empty(),
            Problem::new("merge_no_method").hint("on_github"),
        ),
    ];
    let first = reasons.into_iter().find(|(holds, _)| *holds);
    first.map(|(_, problem)| problem)
}

/// An answer of the contract.
fn json(answer: impl Serialize) -> Result<Value, Problem> {
    serde_json::to_value(answer).map_err(|error| Problem::new("answer").with("message", error))
}

/// No more of a page's error is kept.
const LONGEST_COMPLAINT: usize = 4_000;

/// The answer of what only does something.
const DONE: Result<Value, Problem> = Ok(Value::Null);
