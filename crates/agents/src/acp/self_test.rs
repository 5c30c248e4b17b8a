//! What an agent says in a self-test.

/// What an agent told of itself when it was started for a test.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SelfTest {
    /// The protocol's version that both speak.
    pub protocol: u16,
    /// Its name and version in its own words.
    pub agent: Option<String>,
    /// Names of the ways to log in that it offers.
    pub auth_methods: Vec<String>,
    /// Whether it goes on with an earlier session (`session/resume`).
    pub can_resume: bool,
    /// Whether it loads an earlier session with its history (`session/load`).
    pub can_load: bool,
}
