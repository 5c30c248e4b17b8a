//! What people call a persona.

use collie_core::policy::ShippedPersona;

/// A persona that ships bears its name with a capital, as everywhere in the window; another the name that it was given.
pub fn persona_name(name: &str) -> String {
    if !ShippedPersona::NAMES.contains(&name) {
        return name.to_owned();
    }
    let mut letters = name.chars();
    let first = letters.next().into_iter().flat_map(char::to_uppercase);
    first.chain(letters).collect()
}
