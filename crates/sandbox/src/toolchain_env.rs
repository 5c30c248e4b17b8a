//! What programs of a pull request see of the environment.

use collie_platform::SYSTEM_VARIABLES;
use std::ffi::OsString;

/// Where toolchains are, and how this machine is spoken to. Nothing that signs anybody in.
const TOOLCHAIN_VARIABLES: &[&str] = &[
    "PATH",
    "HOME",
    "USER",
    "LOGNAME",
    "SHELL",
    "LANG",
    "LC_ALL",
    "LC_CTYPE",
    "TZ",
    "LD_LIBRARY_PATH",
    "CARGO_HOME",
    "RUSTUP_HOME",
    "RUSTUP_TOOLCHAIN",
    "GOPATH",
    "GOROOT",
    "GOMODCACHE",
    "GOFLAGS",
    "JAVA_HOME",
    "NVM_DIR",
    "PYENV_ROOT",
    "VIRTUAL_ENV",
    "SSL_CERT_FILE",
    "SSL_CERT_DIR",
];

/// The variables by which programs find their toolchains, as they are in this process.
pub fn toolchain_env() -> Vec<(OsString, OsString)> {
    let names = TOOLCHAIN_VARIABLES.iter().chain(SYSTEM_VARIABLES);
    names
        .filter_map(|name| Some(((*name).into(), std::env::var_os(name)?)))
        .collect()
}
