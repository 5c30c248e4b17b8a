//! The demo at the backend: its scenarios, and the people who play in them.

use super::Backend;
use super::session::Session;
use crate::demo::Scenario;
use collie_core::error_code::ErrorCode;
use collie_core::ids::PullName;
use collie_core::user_error::UserError;
use collie_engine::ports::LoopRequest;
use collie_wire::rpc::{DemoScenario, DemoView};
use serde_json::Value;
use std::sync::Arc;

impl Backend {
    /// The demo's scenarios; none when no demo is open.
    pub(super) fn demo_view(&self, session: &Session) -> Option<DemoView> {
        let demo = session.demo.as_ref()?;
        let scenario = |(scenario, pull): (Scenario, PullName)| DemoScenario {
            name: scenario.name().to_owned(),
            started: session.engine.find(&pull).is_some(),
            key: pull.to_string(),
        };
        Some(DemoView {
            scenarios: demo.pulls().into_iter().map(scenario).collect(),
        })
    }

    /// Starts a scenario. One that has been played is opened once more.
    pub(super) async fn play_scenario(&self, name: &str) -> Result<Value, UserError> {
        let session = self.session()?;
        let demo = session
            .demo
            .clone()
            .ok_or_else(|| UserError::new(ErrorCode::NoDemo))?;
        let scenario = Scenario::parse(name)
            .ok_or_else(|| UserError::new(ErrorCode::NoScenario).with("name", name))?;
        let scenario_pull = demo
            .pulls()
            .into_iter()
            .find(|(other, _)| *other == scenario);
        let mut pull = scenario_pull
            .map(|(_, pull)| pull)
            .ok_or_else(|| UserError::new(ErrorCode::NoScenario).with("name", name))?;
        match session.engine.find(&pull) {
            Some(state) if state.run.state.is_terminal() => {
                pull = demo.reopen_scenario(scenario).await?
            }
            Some(_) => return Ok(Value::Null),
            None => {}
        }
        self.start_demo_actors(&session, &pull);
        session
            .submit(
                LoopRequest::Start {
                    pull: pull.clone(),
                    autonomy: None,
                },
                self.acting.as_ref(),
            )
            .await?;
        session.listings.refresh_now(&pull.repo);
        self.send_session_if_changed();
        Ok(Value::Null)
    }

    /// Lets the people of a pull request's scenario play, if it is one of the demo's.
    pub(super) fn start_demo_actors(&self, session: &Session, pull: &PullName) {
        let (Some(demo), Some(changes)) = (&session.demo, session.engine.local_changes()) else {
            return;
        };
        if let Some(scenario) = demo.scenario_of(pull)
            && let Err(error) = demo.start_actors(scenario, changes)
        {
            tracing::warn!(%error, %pull, "the demo's people do not play");
        }
    }

    /// Lets them go on in what was under way when the app ended.
    pub(super) fn resume_demo_actors(&self, session: &Arc<Session>) {
        for state in session.engine.loops() {
            if !state.run.state.is_terminal() {
                self.start_demo_actors(session, &state.pull_name());
            }
        }
    }
}
