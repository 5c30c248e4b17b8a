//! Every command of the contract, and what carries it out.

use super::remembered_login::SignInMethod;
use super::session::Session;
use super::settings::{self, Changes, SaveResult, SettingsTarget};
use super::{Backend, HostEnv, listings};
use crate::clock;
use crate::spending::spending_view;
use crate::user_error::error_view;
use collie_config::ConfigLayer;
use collie_core::error_code::{ErrorCode, ErrorHint};
use collie_core::ids::{Fingerprint, PullName};
use collie_core::snapshot::{Mergeable, PullState};
use collie_core::trust::TrustDecision;
use collie_core::user_error::UserError;
use collie_engine::CommandError;
use collie_engine::ports::LoopRequest;
use collie_github::browse::{MergeFacts, MergeState};
use collie_i18n::Localizer;
use collie_wire::rpc::{
    Command, MergeOfferView, OpenPullsView, SettingProblem, SettingsView, Topic,
};
use serde::Serialize;
use serde_json::Value;
use std::collections::BTreeMap;
use std::sync::Arc;

impl Backend {
    /// Carries a command out.
    pub(super) async fn dispatch(&self, command: Command) -> Result<Value, UserError> {
        match command {
            Command::Session => to_answer(self.session_view()),
            Command::Loops => to_answer(match self.session() {
                Ok(session) => self.loops(&session),
                Err(_) => Vec::new(),
            }),
            Command::Activities => to_answer(match self.session() {
                Ok(session) => self.activities(&session),
                Err(_) => Vec::new(),
            }),
            Command::Repositories => to_answer(match self.session() {
                Ok(session) => self.repositories(&session),
                Err(_) => Vec::new(),
            }),
            Command::Listing { repo } => to_answer(self.listing(&*self.session()?, &repo)?),
            Command::OpenPulls => to_answer(match self.session() {
                Ok(session) => self.open_pulls(&session),
                Err(_) => OpenPullsView::default(),
            }),
            Command::Timeline { key } => to_answer(self.timeline(&*self.session()?, &key).await?),
            Command::EarlierRuns { key } => {
                to_answer(self.earlier_runs(&*self.session()?, &key).await?)
            }
            Command::Excerpts { key, fingerprint } => {
                to_answer(self.excerpts(&*self.session()?, &key, &fingerprint).await?)
            }
            Command::Changes { key } => to_answer(self.changes(&*self.session()?, &key).await?),
            Command::CommitDiff { key, sha } => {
                to_answer(self.commit_diff(&*self.session()?, &key, &sha).await?)
            }
            Command::MergeOffer { key } => {
                to_answer(self.merge_offer(&*self.session()?, &key).await?)
            }
            Command::Settings => to_answer(self.settings_view()),
            Command::CheckSettings { changes } => to_answer(self.check_settings(&changes)),
            Command::AvailableRepositories => {
                to_answer(self.available_repositories(&*self.session()?).await?)
            }
            Command::ReviewMemory { repo } => {
                to_answer(self.review_memory(&*self.session()?, &repo).await?)
            }
            Command::Spending => {
                let session = self.session()?;
                let days = session.engine.spending().await?;
                let budget = session.config.get().budget;
                to_answer(spending_view(&budget, &days, clock::now()))
            }
            Command::Insights { range, only } => {
                let session = self.session()?;
                to_answer(super::insights::view(&session, range, only.as_deref()).await?)
            }
            Command::ExportInsights { range, only, table } => {
                let session = self.session()?;
                let only = only.as_deref();
                to_answer(super::insights::export(&session, range, only, table).await?)
            }
            Command::ForgetJudgement { repo, id } => {
                self.forget_judgement(&*self.session()?, &repo, &id).await?;
                NO_ANSWER
            }
            Command::Doctor => to_answer(self.doctor_lines().await),
            Command::ModelKey { table, changes } => {
                to_answer(self.model_key(&table, &changes).await?)
            }
            Command::SetModelKey {
                table,
                changes,
                secret,
            } => {
                self.set_model_key(&table, &changes, &secret).await?;
                NO_ANSWER
            }
            Command::RemoveModelKey { table, changes } => {
                self.remove_model_key(&table, &changes).await?;
                NO_ANSWER
            }
            Command::ListModels { table, changes } => {
                to_answer(self.list_models(&table, &changes).await?)
            }
            Command::TestModel { table, changes } => {
                to_answer(self.test_model(&table, &changes).await?)
            }
            Command::ExpectedCost { table, changes } => {
                to_answer(self.expected_cost(&table, &changes)?)
            }
            Command::StopModelTest { table } => {
                self.stop_model_test(&table);
                NO_ANSWER
            }
            Command::Start { key } => self.start_loop(&key).await,
            Command::Cancel { key } => {
                self.submit_request(&key, |pull| LoopRequest::Cancel { pull })
                    .await
            }
            Command::SetPaused { paused } => {
                let request = LoopRequest::SetPaused { paused };
                self.session()?
                    .submit(request, self.acting.as_ref())
                    .await?;
                // Where no loop tells of it, as there is none, everybody who looks on learns of it here.
                self.send_session_if_changed();
                NO_ANSWER
            }
            Command::Retry { key } => {
                self.submit_request(&key, |pull| LoopRequest::Retry { pull })
                    .await
            }
            Command::Resume { key, rounds } => {
                self.submit_request(&key, |pull| LoopRequest::Resume { pull, rounds })
                    .await
            }
            Command::Dismiss {
                key,
                fingerprint,
                reason,
            } => {
                let fingerprint = Fingerprint::new(fingerprint);
                self.submit_request(&key, |pull| LoopRequest::Dismiss {
                    pull,
                    fingerprint,
                    reason,
                })
                .await
            }
            Command::Note {
                key,
                fingerprint,
                text,
            } => {
                let fingerprint = fingerprint.map(Fingerprint::new);
                self.submit_request(&key, |pull| LoopRequest::Note {
                    pull,
                    fingerprint,
                    text,
                })
                .await
            }
            Command::Description { key } => {
                to_answer(super::description::description(&*self.session()?, &key)?)
            }
            Command::DecideTrust { key, decision } => self.decide_trust(&key, decision).await,
            Command::Seen {
                key,
                head_sha: head,
            } => {
                self.submit_request(&key, |pull| LoopRequest::Seen { pull, head })
                    .await
            }
            Command::Merge { .. } => {
                Err(UserError::new(ErrorCode::MergeElsewhere).hint(ErrorHint::DesktopWindow))
            }
            Command::SetAutoReview { repo, on, plan } => {
                self.set_auto_review(&*self.session()?, &repo, on, plan.as_ref())
                    .await?;
                NO_ANSWER
            }
            Command::SetAutonomy { repo, level } => {
                self.set_autonomy(&*self.session()?, &repo, level).await?;
                NO_ANSWER
            }
            Command::ApprovePush { key, commit } => {
                self.submit_request(&key, |pull| LoopRequest::Approve { pull, commit })
                    .await
            }
            Command::RejectPush { key, commit, note } => {
                self.submit_request(&key, |pull| LoopRequest::Reject { pull, commit, note })
                    .await
            }
            Command::AddRepositories { repos } => {
                self.add_repositories(&*self.session()?, &repos).await?;
                NO_ANSWER
            }
            Command::RemoveRepository { repo } => {
                self.remove_repository(&repo).await?;
                NO_ANSWER
            }
            Command::Refresh { repo } => self.refresh(&*self.session()?, &repo),
            Command::SaveSettings { changes } => to_answer(self.save_settings(&changes).await?),
            Command::DetectCredentials => {
                self.detect_accounts().await;
                NO_ANSWER
            }
            Command::SignInDetected => {
                self.open_session(SignInMethod::Detected).await;
                NO_ANSWER
            }
            Command::SignIn { token, api_url } => {
                self.sign_in_with_token(&token, api_url.as_deref()).await?;
                NO_ANSWER
            }
            // A server for a team takes these up before they get here.
            Command::DeviceSignIn
            | Command::DeviceSignInState { .. }
            | Command::SignOutEverywhere => Err(UserError::new(ErrorCode::DeviceOff)),
            Command::SignOut => {
                self.sign_out().await?;
                NO_ANSWER
            }
            Command::AllowMe => {
                self.allow_me().await?;
                NO_ANSWER
            }
            Command::StartDemo => {
                self.open_session(SignInMethod::Demo).await;
                NO_ANSWER
            }
            Command::PlayScenario { scenario } => self.play_scenario(&scenario).await,
            Command::LeaveDemo { forget } => {
                self.leave_demo(forget).await?;
                NO_ANSWER
            }
            Command::TryAgain => {
                self.reopen_session().await;
                NO_ANSWER
            }
            // Hosts that show something around the window take them up before the command gets here.
            Command::SetSnoozes { .. } | Command::SetMutedNotifications { .. } => NO_ANSWER,
            // Hosts open things before the command gets here; one that cannot says so.
            Command::Open { .. } => Err(UserError::new(ErrorCode::OpensNothing)),
            Command::PageError { text } => {
                let text: String = text.chars().take(MAX_PAGE_ERROR_CHARS).collect();
                tracing::error!(text, "page error");
                NO_ANSWER
            }
            Command::Interactive { after_ms } => {
                tracing::info!(after_ms, "the window can be used");
                NO_ANSWER
            }
        }
    }

    async fn submit_request(
        &self,
        key: &str,
        request: impl FnOnce(PullName) -> LoopRequest,
    ) -> Result<Value, UserError> {
        let pull = listings::parse_pull(key)?;
        let acting = self.acting.as_ref();
        self.session()?.submit(request(pull), acting).await?;
        NO_ANSWER
    }

    async fn decide_trust(&self, key: &str, decision: TrustDecision) -> Result<Value, UserError> {
        let pull = listings::parse_pull(key)?;
        let session = self.session()?;
        let state = session.engine.find(&pull);
        let state = state.ok_or(CommandError::NoSuchLoop(pull))?;
        let request = LoopRequest::Decide {
            repo: state.pull.repo.clone(),
            id: state.id.repository(),
            decision,
        };
        session.submit(request, self.acting.as_ref()).await?;
        NO_ANSWER
    }

    async fn start_loop(&self, key: &str) -> Result<Value, UserError> {
        let pull = listings::parse_pull(key)?;
        let session = self.session()?;
        self.start_demo_actors(&session, &pull);
        session
            .submit(
                LoopRequest::Start {
                    pull,
                    autonomy: None,
                },
                self.acting.as_ref(),
            )
            .await?;
        NO_ANSWER
    }

    fn refresh(&self, session: &Session, repo: &str) -> Result<Value, UserError> {
        let repo = listings::parse_repository(repo)?;
        session.listings.refresh_now(&repo);
        for state in session
            .engine
            .loops()
            .iter()
            .filter(|state| state.pull.repo.eq_ignore_case(&repo))
        {
            session.engine.look_now(&state.id);
        }
        NO_ANSWER
    }

    async fn merge_offer(&self, session: &Session, key: &str) -> Result<MergeOfferView, UserError> {
        let facts = session
            .github
            .merge_facts(&listings::parse_pull(key)?)
            .await?;
        let refusal = merge_refusal(&facts).map(|problem| error_view(&problem, &self.localizer()));
        Ok(MergeOfferView {
            head_sha: facts.head,
            base_ref: facts.base_ref,
            methods: facts.methods,
            refusal,
        })
    }

    /// Does something with the settings: the demo has its own.
    pub(super) fn with_settings<T>(
        &self,
        act: impl FnOnce(SettingsTarget<'_>, &dyn Fn(&str) -> Option<String>) -> T,
    ) -> T {
        let environment = self.shared.options.environment.clone();
        let host_layer = self.host_layer();
        match self.session() {
            Ok(session) => {
                let current = session.config.get();
                let (demo_layers, environment): (Vec<ConfigLayer>, HostEnv) = match &session.demo {
                    Some(demo) => (
                        vec![demo.config_layer(), self.window_preferences()],
                        Arc::new(|_: &str| None),
                    ),
                    None => (Vec::new(), environment),
                };
                let target = SettingsTarget {
                    folder: &session.folder,
                    base_layers: &[host_layer],
                    demo_layers: &demo_layers,
                    current_config: Some(&current),
                };
                act(target, &*environment)
            }
            Err(_) => {
                let target = SettingsTarget {
                    folder: &self.shared.options.folder,
                    base_layers: &[host_layer],
                    demo_layers: &[],
                    current_config: None,
                };
                act(target, &*environment)
            }
        }
    }

    fn settings_view(&self) -> SettingsView {
        let localizer = self.localizer();
        self.with_settings(|target, environment| settings::view(target, environment, &localizer))
    }

    fn check_settings(&self, changes: &Changes) -> Vec<SettingProblem> {
        let localizer = self.localizer();
        self.with_settings(|target, environment| {
            settings::check(target, environment, changes, &localizer)
        })
    }

    async fn save_settings(&self, changes: &Changes) -> Result<Vec<SettingProblem>, UserError> {
        let localizer = self.localizer();
        let saved = self.with_settings(|target, environment| {
            settings::save(target, environment, changes, &localizer)
        })?;
        if let Err(problems) = saved {
            return Ok(problems);
        }
        self.save_window_preferences(changes)?;
        self.apply_configuration().await?;
        Ok(Vec::new())
    }

    /// How a person likes the window holds outside the demo as well.
    fn save_window_preferences(&self, changes: &Changes) -> Result<(), UserError> {
        let in_demo = self.session().is_ok_and(|session| session.demo.is_some());
        let preferences: Changes = changes
            .iter()
            .filter(|(key, _)| *key == "language" || key.starts_with("desktop."))
            .map(|(key, value)| (key.clone(), value.clone()))
            .collect();
        if !in_demo || preferences.is_empty() {
            return Ok(());
        }
        let environment = &self.shared.options.environment;
        let folder = &self.shared.options.folder;
        if let Err(problems) = settings::save(
            folder,
            |name| environment(name),
            &preferences,
            &self.localizer(),
        )? {
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
        change: impl FnOnce(SettingsTarget<'_>, &dyn Fn(&str) -> Option<String>) -> SaveResult,
    ) -> Result<(), UserError> {
        match self.with_settings(change)? {
            Ok(_) => self.apply_configuration().await,
            Err(problems) => {
                let text: Vec<String> = problems
                    .into_iter()
                    .map(|problem| problem.message)
                    .collect();
                Err(UserError::new(ErrorCode::Configuration)
                    .with("message", text.join("; "))
                    .hint(ErrorHint::Configuration))
            }
        }
    }

    /// Changes the address of GitHub's API; none takes it out of the file.
    pub(super) async fn set_api_url(&self, url: Option<&str>) -> Result<(), UserError> {
        let value = url.map_or(Value::Null, |url| Value::String(url.to_owned()));
        let changes = BTreeMap::from([("github_api_url".to_owned(), value)]);
        let localizer = self.localizer();
        self.change_settings(|target, environment| {
            settings::save(target, environment, &changes, &localizer)
        })
        .await
    }

    /// Speaks a language from now on.
    fn set_language(&self, language: &'static str) {
        if self.localizer().language().code() != language {
            *self
                .shared
                .localizer
                .write()
                .unwrap_or_else(std::sync::PoisonError::into_inner) =
                Arc::new(Localizer::new(language));
            self.resend_everything();
        }
    }

    /// Lets what was saved hold from now on.
    async fn apply_configuration(&self) -> Result<(), UserError> {
        let Ok(session) = self.session() else {
            self.set_language(self.configuration()?.language);
            return Ok(());
        };
        let config = match &session.demo {
            Some(demo) => self.demo_configuration(&session.folder, demo.config_layer())?,
            None => self.configuration()?,
        };
        let language = config.language;
        let before = session.config.replace(config.clone());
        if before.budget != config.budget {
            session.engine.budget_changed();
        }
        if collie_config::needs_restart(&before, &config) {
            self.reopen_session().await;
        } else {
            self.tell_changed_levels(&session, &before, &config).await?;
        }
        self.send_stale(vec![
            Topic::Settings,
            Topic::Repositories,
            Topic::Spending,
            Topic::Doctor,
        ]);
        self.send_session_if_changed();
        self.set_language(language);
        Ok(())
    }
}

/// What stands in the way of a merge now; the first of what does.
fn merge_refusal(facts: &MergeFacts) -> Option<UserError> {
    let auto_merge_by = facts.auto_merge.as_ref().map(ToString::to_string);
    let in_merge_state = |state: MergeState| facts.merge_state == state;
    let reasons = [
        (
            facts.state == PullState::Closed,
            UserError::new(ErrorCode::MergeClosed),
        ),
        (
            facts.state == PullState::Merged,
            UserError::new(ErrorCode::MergeMerged),
        ),
        (facts.draft, UserError::new(ErrorCode::MergeDraft)),
        (facts.in_merge_queue, UserError::new(ErrorCode::MergeQueued)),
        (
            facts.base_has_queue,
            UserError::new(ErrorCode::MergeByQueue).hint(ErrorHint::OnGithub),
        ),
        (
            auto_merge_by.is_some(),
            UserError::new(ErrorCode::MergeAuto).with("login", auto_merge_by.unwrap_or_default()),
        ),
        (
            !facts.permission.can_push(),
            UserError::new(ErrorCode::MergeNoRight).hint(ErrorHint::Rights),
        ),
        (
            facts.mergeable == Mergeable::Conflicting,
            UserError::new(ErrorCode::MergeConflict),
        ),
        (
            in_merge_state(MergeState::Blocked),
            UserError::new(ErrorCode::MergeBlocked).hint(ErrorHint::OnGithub),
        ),
        (
            in_merge_state(MergeState::Behind),
            UserError::new(ErrorCode::MergeBehind).hint(ErrorHint::OnGithub),
        ),
        (
            facts.methods.is_empty(),
            UserError::new(ErrorCode::MergeNoMethod).hint(ErrorHint::OnGithub),
        ),
    ];
    let first = reasons.into_iter().find(|(holds, _)| *holds);
    first.map(|(_, problem)| problem)
}

/// An answer of the contract.
fn to_answer(answer: impl Serialize) -> Result<Value, UserError> {
    serde_json::to_value(answer)
        .map_err(|error| UserError::new(ErrorCode::Answer).with("message", error))
}

/// No more of a page's error is kept.
const MAX_PAGE_ERROR_CHARS: usize = 4_000;

/// The answer of what only does something.
const NO_ANSWER: Result<Value, UserError> = Ok(Value::Null);
