//! Where the fake agent is, for the tests that start it.

use std::path::PathBuf;
use std::sync::OnceLock;

/// Names the program where it is built already, as `npm test` does.
const PROGRAM_VARIABLE: &str = "COLLIE_FAKE_AGENT";

/// The fake agent's program. Where the environment names none, the first call builds it, into the same target folder as the test that asks.
///
/// # Panics
///
/// When it does not compile: a test that needs it can only fail.
pub fn program() -> PathBuf {
    static PROGRAM: OnceLock<PathBuf> = OnceLock::new();
    let build = || {
        if let Some(program) = std::env::var_os(PROGRAM_VARIABLE) {
            return program.into();
        }
        let manifest = concat!(env!("CARGO_MANIFEST_DIR"), "/Cargo.toml");
        let built = escargot::CargoBuild::new()
            .manifest_path(manifest)
            .bin("collie-fake-agent")
            .run();
        built.expect("the fake agent compiles").path().to_owned()
    };
    PROGRAM.get_or_init(build).clone()
}
