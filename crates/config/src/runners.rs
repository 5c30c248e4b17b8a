//! `[runners]`: sessions that may go to other machines.

use super::table_reader::{TableReader, TomlFile};
use super::values::{boolean, duration_ms, one_of};

/// What a layer says of runners on other machines.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RunnersLayer {
    /// `reviews`.
    pub reviews: Option<bool>,
    /// `fixes`.
    pub fixes: Option<bool>,
    /// `wait`.
    pub wait: Option<u64>,
    /// `lease`.
    pub lease: Option<u64>,
    /// `otherwise`.
    pub otherwise: Option<WithoutRunner>,
}

/// What `runners.otherwise` may be.
const WITHOUT_RUNNER: &[(&str, WithoutRunner)] =
    &[("here", WithoutRunner::Here), ("fail", WithoutRunner::Fail)];

impl RunnersLayer {
    pub(crate) fn read(file: &mut TomlFile<'_>, runners: &mut TableReader<'_, '_>) -> Self {
        Self {
            reviews: runners.read(file, "reviews", boolean),
            fixes: runners.read(file, "fixes", boolean),
            wait: runners.read(file, "wait", duration_ms),
            lease: runners.read(file, "lease", duration_ms),
            otherwise: runners.read(file, "otherwise", one_of(WITHOUT_RUNNER)),
        }
    }
}

/// `[runners]`: which sessions may go to runners on other machines (§18.1).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RunnersConfig {
    /// Reviews by models and agents may.
    pub reviews: bool,
    /// Fixes may.
    pub fixes: bool,
    /// How long a session waits until some runner takes it, in milliseconds.
    pub wait_ms: u64,
    /// A runner that is silent for so long has its session taken from it, in milliseconds.
    pub lease_ms: u64,
    /// What becomes of a session that no runner takes.
    pub otherwise: WithoutRunner,
}

/// What becomes of a session that no runner takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WithoutRunner {
    /// It is done on this machine.
    Here,
    /// It fails, as one whose model does not answer.
    Fail,
}

impl RunnersConfig {
    pub(crate) fn apply(&mut self, layer: &RunnersLayer) {
        set_if_some(&mut self.reviews, layer.reviews);
        set_if_some(&mut self.fixes, layer.fixes);
        set_if_some(&mut self.wait_ms, layer.wait);
        set_if_some(&mut self.lease_ms, layer.lease);
        set_if_some(&mut self.otherwise, layer.otherwise);
    }
}

impl Default for RunnersConfig {
    fn default() -> Self {
        Self {
            reviews: false,
            fixes: false,
            wait_ms: 120_000,
            lease_ms: 60_000,
            otherwise: WithoutRunner::Here,
        }
    }
}

fn set_if_some<T>(value: &mut T, other: Option<T>) {
    if let Some(other) = other {
        *value = other;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Config, ConfigFileKind, ConfigLayer};

    fn runners(text: &str) -> RunnersConfig {
        let layer = ConfigLayer::from_toml("config.toml", text, ConfigFileKind::User);
        let layers = [layer.expect("it can be read")];
        Config::resolve("/home".into(), &layers)
            .expect("it is whole")
            .runners
    }

    #[test]
    fn nothing_goes_elsewhere_unless_somebody_says_so() {
        let silent = runners("");
        assert!(!silent.reviews && !silent.fixes);
        assert_eq!(silent.otherwise, WithoutRunner::Here);
        let told = runners(
            "[runners]\nreviews = true\nfixes = true\nwait = \"5m\"\nlease = \"30s\"\notherwise = \"fail\"",
        );
        let expected = RunnersConfig {
            reviews: true,
            fixes: true,
            wait_ms: 300_000,
            lease_ms: 30_000,
            otherwise: WithoutRunner::Fail,
        };
        assert_eq!(told, expected);
    }

    #[test]
    fn a_repository_has_no_say_in_where_its_sessions_run() {
        let kind = ConfigFileKind::Repository;
        let read = ConfigLayer::from_toml(".collie.toml", "[runners]\nfixes = true", kind);
        assert!(read.is_err());
    }
}
