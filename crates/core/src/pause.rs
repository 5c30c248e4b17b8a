//! A pause of everything: a person stops all loops at once, and lets them go on together (§15).

use crate::ids::{Login, Time};
use serde::{Deserialize, Serialize};

/// Who paused everything, and when.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Pause {
    /// The signed-in account.
    pub by: Login,
    /// Since then.
    pub since: Time,
}
