//! Where the supervisor of sandboxes is, for tests whose own program is none.

use std::path::PathBuf;
use std::sync::OnceLock;

/// Names the program where it is built already, as `npm test` does.
const PROGRAM_VARIABLE: &str = "COLLIE_SANDBOX_SUPERVISOR";

/// The supervisor's program. Where the environment names none, the first call builds it.
///
/// # Panics
///
/// When it does not compile: a test that needs it can only fail.
pub fn supervisor() -> PathBuf {
    static PROGRAM: OnceLock<PathBuf> = OnceLock::new();
    let build = || {
        if let Some(program) = std::env::var_os(PROGRAM_VARIABLE) {
            return program.into();
        }
        let manifest = concat!(env!("CARGO_MANIFEST_DIR"), "/../sandbox/Cargo.toml");
        let built = escargot::CargoBuild::new()
            .manifest_path(manifest)
            .bin("collie-sandbox-supervisor")
            .run();
        built.expect("the supervisor compiles").path().to_owned()
    };
    PROGRAM.get_or_init(build).clone()
}
