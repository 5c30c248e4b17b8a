//! Where the fake agent is, for the tests that start it.

use std::path::PathBuf;
use std::sync::OnceLock;

/// The fake agent's program. The first call builds it, into the same target folder as the test that asks.
///
/// # Panics
///
/// When it does not compile: a test that needs it can only fail.
pub fn program() -> PathBuf {
    static PROGRAM: OnceLock<PathBuf> = OnceLock::new();
    let build = || {
        let manifest = concat!(env!("CARGO_MANIFEST_DIR"), "/Cargo.toml");
        let built = escargot::CargoBuild::new()
            .manifest_path(manifest)
            .bin("collie-fake-agent")
            .run();
        built.expect("the fake agent compiles").path().to_owned()
    };
    PROGRAM.get_or_init(build).clone()
}
