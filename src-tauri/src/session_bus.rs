//! The session's D-Bus, by which a second start finds the first.

use collie_config::DataFolder;
use sha2::{Digest as _, Sha256};

/// The name that one instance a data folder has on the bus: two people's folders, or a test's, do not meet.
pub fn bus_name(identifier: &str, folder: &DataFolder) -> String {
    let digest = Sha256::digest(folder.path().as_os_str().as_encoded_bytes());
    let short: String = digest.iter().take(8).map(|b| format!("{b:02x}")).collect();
    // A part of a name on the bus may not begin with a digit.
    format!("{identifier}.at{short}")
}

/// Whether there is a bus: without one, nothing shows a tray, and a hidden window could not be found again by starting once more.
/// Other systems than Linux do both without one.
pub fn is_available() -> bool {
    if !cfg!(target_os = "linux") {
        return true;
    }
    let is_configured =
        std::env::var_os("DBUS_SESSION_BUS_ADDRESS").is_some_and(|address| !address.is_empty());
    let default_exists = std::env::var_os("XDG_RUNTIME_DIR")
        .is_some_and(|folder| std::path::Path::new(&folder).join("bus").exists());
    is_configured || default_exists
}
