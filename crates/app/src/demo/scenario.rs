//! The scenarios of the demo, and how each is meant to end.

use collie_core::ids::{PullName, RepoName};
use collie_core::lifecycle::State;
use collie_core::loop_state::LoopState;
use std::fmt;

/// A sample repository with pull request 1 and people who play their parts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Scenario {
    /// Nothing to find: ready at once.
    Clean,
    /// Findings, one of which breaks a check; ready after a fix.
    FixLoop,
    /// A test fails for a reason that no rule fixes.
    CiRed,
    /// Somebody's generator brings a fixed finding back, again and again.
    Stuck,
    /// A person asks for changes, then approves.
    Human,
    /// The author force-pushes in the middle.
    MovedHead,
    /// A bot, the rules and a scripted model each find something: three rounds, a question to a person, and ready.
    ThreeRounds,
}

/// All of them, in the order shown.
pub const SCENARIOS: [Scenario; 7] = [
    Scenario::Clean,
    Scenario::FixLoop,
    Scenario::CiRed,
    Scenario::Stuck,
    Scenario::Human,
    Scenario::MovedHead,
    Scenario::ThreeRounds,
];

/// What is true at the end of a scenario that went as designed.
#[derive(Clone, Copy, Debug)]
pub struct ExpectedOutcome {
    /// The state it ends in.
    pub state: State,
    /// The code of the stop, for `needs_human`.
    pub stop: Option<&'static str>,
    /// Pushes by Collie: least and most.
    pub pushes: (u32, u32),
    /// Restarts by other people's pushes: least and most.
    pub restarts: (u32, u32),
    /// Texts that Collie's last comment has to hold, as evidence.
    pub evidence: &'static [&'static str],
    /// Whether that comment is an LGTM: only where somebody has read the change.
    pub lgtm: bool,
}

impl Scenario {
    /// The name, as on the command line and of its repository.
    pub fn name(self) -> &'static str {
        match self {
            Scenario::Clean => "clean",
            Scenario::FixLoop => "fix-loop",
            Scenario::CiRed => "ci-red",
            Scenario::Stuck => "stuck",
            Scenario::Human => "human",
            Scenario::MovedHead => "moved-head",
            Scenario::ThreeRounds => "three-rounds",
        }
    }

    /// Finds a scenario by its name.
    pub fn parse(name: &str) -> Option<Self> {
        SCENARIOS
            .into_iter()
            .find(|scenario| scenario.name() == name)
    }

    /// Its repository on the forge.
    pub fn repo(self) -> RepoName {
        RepoName::parse(&format!("demo/{}", self.name()))
            .expect("scenario names are repository names")
    }

    /// Its pull request.
    pub fn pull(self) -> PullName {
        PullName {
            repo: self.repo(),
            number: 1,
        }
    }

    /// Whether its loop is settled the way its design says, or for good.
    pub fn is_over(self, state: &LoopState) -> bool {
        let is_end = state.run.state == self.expected().state || state.run.state.is_terminal();
        state.is_settled() && is_end
    }

    /// How it is meant to end.
    pub fn expected(self) -> ExpectedOutcome {
        let ready = ExpectedOutcome {
            state: State::PrReadyToMerge,
            stop: None,
            pushes: (0, 0),
            restarts: (0, 0),
            evidence: &[],
            lgtm: false,
        };
        match self {
            Scenario::Clean => ready,
            Scenario::FixLoop => ExpectedOutcome {
                pushes: (1, 3),
                ..ready
            },
            // Ana has read it, and approves.
            Scenario::Human => ExpectedOutcome {
                pushes: (1, 3),
                lgtm: true,
                ..ready
            },
            Scenario::MovedHead => ExpectedOutcome {
                restarts: (1, 1),
                ..ready
            },
            // A model counts as a reader, this one too; its report says what it is.
            Scenario::ThreeRounds => ExpectedOutcome {
                pushes: (3, 3),
                evidence: &["demo-model"],
                lgtm: true,
                ..ready
            },
            Scenario::CiRed => ExpectedOutcome {
                state: State::NeedsHuman,
                stop: Some("upheld"),
                evidence: &["the median of response times"],
                ..ready
            },
            Scenario::Stuck => ExpectedOutcome {
                state: State::NeedsHuman,
                stop: Some("stuck"),
                pushes: (1, 3),
                restarts: (1, 3),
                evidence: &["src/files.rs"],
                lgtm: false,
            },
        }
    }
}

impl fmt::Display for Scenario {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}
