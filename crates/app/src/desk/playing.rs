//! The demo at the desk: its scenarios, and the people who play in them.

use super::work::Work;
use super::{Desk, Problem};
use crate::demo::Scenario;
use collie_core::ids::PullName;
use collie_engine::ports::Request;
use collie_wire::rpc::{DemoScenario, DemoView};
use serde_json::Value;
use std::sync::Arc;

impl Desk {
    /// The demo's scenarios; none when no demo is open.
    pub(super) fn demo_view(&self, work: &Work) -> Option<DemoView> {
        let demo = work.demo.as_ref()?;
        let scenario = |(scenario, pull): (Scenario, PullName)| DemoScenario {
            name: scenario.name().to_owned(),
            started: work.find(&pull).is_some(),
            key: pull.to_string(),
        };
        Some(DemoView {
            scenarios: demo.pulls().into_iter().map(scenario).collect(),
        })
    }

    /// Starts a scenario. One that has been played is opened once more.
    pub(super) async fn play(&self, name: &str) -> Result<Value, Problem> {
        let work = self.work()?;
        let demo = work.demo.clone().ok_or_else(|| Problem::new("no_demo"))?;
        let scenario =
            Scenario::named(name).ok_or_else(|| Problem::new("no_scenario").with("name", name))?;
        let present = demo.pulls().into_iter().find(|(of, _)| *of == scenario);
        let mut pull = present
            .map(|(_, pull)| pull)
            .ok_or_else(|| Problem::new("no_scenario").with("name", name))?;
        match work.find(&pull) {
            Some(state) if state.state.is_terminal() => pull = demo.again(scenario).await?,
            Some(_) => return Ok(Value::Null),
            None => {}
        }
        self.play_part(&work, &pull);
        work.wish(Request::Start { pull: pull.clone() }).await?;
        work.lists.hurry(&pull.repo);
        self.session_changed();
        Ok(Value::Null)
    }

    /// Lets the people of a pull request's scenario play, if it is one of the demo's.
    pub(super) fn play_part(&self, work: &Work, pull: &PullName) {
        let (Some(demo), Some(handle)) = (&work.demo, work.handle()) else {
            return;
        };
        if let Some(scenario) = demo.scenario_of(pull)
            && let Err(error) = demo.play(scenario, handle.subscribe())
        {
            tracing::warn!(%error, %pull, "the demo's people do not play");
        }
    }

    /// Lets them go on in what was under way when the app ended.
    pub(super) fn resume_demo(&self, work: &Arc<Work>) {
        for state in work.states() {
            if !state.state.is_terminal() {
                self.play_part(work, &state.name());
            }
        }
    }
}
