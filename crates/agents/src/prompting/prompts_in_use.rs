//! The texts that stand in the place of the shipped prompts in this process.

use std::collections::BTreeMap;
use std::sync::{PoisonError, RwLock};

/// Texts by the names of their files.
type Texts = BTreeMap<String, String>;

/// None while the shipped prompts are in use.
static IN_USE: RwLock<Option<&'static Texts>> = RwLock::new(None);

/// Puts these in the place of the shipped ones.
pub(super) fn use_texts(texts: Texts) {
    let mut in_use = IN_USE.write().unwrap_or_else(PoisonError::into_inner);
    // A process does so once, and ends with them.
    *in_use = Some(Box::leak(Box::new(texts)));
}

/// The text of a prompt: the one in use, else the shipped one.
pub(super) fn text_in_use(name: &str, shipped: &'static str) -> &'static str {
    let in_use = *IN_USE.read().unwrap_or_else(PoisonError::into_inner);
    let text = in_use.and_then(|texts| texts.get(name));
    text.map_or(shipped, String::as_str)
}
