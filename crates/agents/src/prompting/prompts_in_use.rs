//! The texts that stand in the place of the shipped prompts in this process.

use std::collections::BTreeMap;
use std::sync::OnceLock;

/// Texts by the names of their files; none while the shipped prompts are in use.
static IN_USE: OnceLock<BTreeMap<String, String>> = OnceLock::new();

/// Puts these in the place of the shipped ones. A process does so once: others that come later are not taken.
pub(super) fn use_texts(texts: BTreeMap<String, String>) {
    if IN_USE.set(texts).is_err() {
        tracing::error!("other prompts are in use already, and stay");
    }
}

/// The text of a prompt: the one in use, else the shipped one.
pub(super) fn text_in_use(name: &str, shipped: &'static str) -> &'static str {
    let text = IN_USE.get().and_then(|texts| texts.get(name));
    text.map_or(shipped, String::as_str)
}
