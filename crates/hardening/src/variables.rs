//! The variables that this process was started with, secrets included, wherever they are now.

use crate::secret_names;
use secrecy::{ExposeSecret as _, SecretString};
use std::collections::BTreeMap;
use std::ffi::OsString;
use std::sync::OnceLock;

/// Secrets by the names of their variables.
pub(crate) type HeldSecrets = BTreeMap<String, SecretString>;

/// What was taken out of the environment; wiped with the process.
static HELD: OnceLock<HeldSecrets> = OnceLock::new();

#[cfg(unix)]
pub(crate) fn hold(secrets: HeldSecrets) {
    // Only one start hands anything over.
    let _ = HELD.set(secrets);
}

fn held(name: &str) -> Option<&'static SecretString> {
    HELD.get()?.get(name)
}

/// A variable as this process was started with it. None when it is not set, or no UTF-8.
pub fn variable(name: &str) -> Option<String> {
    match held(name) {
        Some(secret) => Some(secret.expose_secret().to_owned()),
        None => std::env::var(name).ok(),
    }
}

/// The same of a value of any bytes.
pub fn variable_os(name: &str) -> Option<OsString> {
    match held(name) {
        Some(secret) => Some(secret.expose_secret().into()),
        None => std::env::var_os(name),
    }
}

/// All variables that this process was started with. One whose name is no UTF-8 is left out.
pub fn variables() -> BTreeMap<String, OsString> {
    let held = HELD.get().into_iter().flatten();
    std::env::vars_os()
        .filter_map(|(name, value)| Some((name.into_string().ok()?, value)))
        .chain(held.map(|(name, secret)| (name.clone(), secret.expose_secret().into())))
        .collect()
}

/// The values of all variables whose names say that they hold a secret, by name.
pub fn secret_values() -> Vec<(String, SecretString)> {
    let held = HELD.get().into_iter().flatten();
    let held = held.map(|(name, secret)| (name.clone(), secret.clone()));
    secret_names::in_environment()
        .into_iter()
        .map(|(name, value)| (name, value.into()))
        .chain(held)
        .collect()
}
