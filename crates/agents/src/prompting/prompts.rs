//! The prompts as files: embedded, hashed, filled in by named slots.

use super::prompts_in_use::text_in_use;
use collie_core::policy::ShippedPersona;
use sha2::{Digest, Sha256};
use std::collections::BTreeSet;

/// Counts versions of what is asked and how; part of the hash.
pub const PROMPTS_VERSION: u32 = 2;

/// Points of a repair that are told; whoever mends these mends the rest.
const MAX_REPAIR_POINTS: usize = 20;

/// One prompt file with the slots it must have.
#[derive(Debug)]
pub(super) struct Template {
    /// The file below `prompts/`.
    pub(super) name: &'static str,
    /// What ships; [`Self::text`] is what is in use.
    shipped: &'static str,
    pub(super) slots: &'static [&'static str],
}

macro_rules! template {
    ($id:ident, $name:literal, [$($slot:literal),*]) => {
        pub(super) static $id: Template = Template {
            name: $name,
            shipped: include_str!(concat!("../../prompts/", $name)),
            slots: &[$($slot),*],
        };
    };
}

template!(REVIEW, "review.md", ["name", "title", "focus", "body"]);
template!(ANSWER, "answer.md", ["escalations"]);
template!(ANSWER_MODEL, "answer-model.md", []);
template!(ANSWER_AGENT, "answer-agent.md", []);
template!(
    FIRST,
    "first.md",
    [
        "earlier",
        "strictness",
        "most",
        "threshold",
        "language",
        "escalate",
        "answer"
    ]
);
template!(
    REREVIEW,
    "rereview.md",
    [
        "earlier",
        "strictness",
        "most",
        "threshold",
        "language",
        "escalate",
        "answer"
    ]
);
template!(EARLIER, "earlier.md", []);
template!(REPAIR, "repair.md", ["wrong"]);
template!(ESCALATE, "escalate.md", ["names"]);
template!(AGENT, "agent.md", []);
template!(RELATED_CODE, "related.md", []);
template!(RELATED_TO_FINDING, "validate-related.md", []);
template!(PART, "part.md", ["number", "total"]);
template!(JOIN, "join.md", []);
template!(VALIDATE, "validate.md", []);
template!(FIX, "fix.md", []);
template!(FIX_AGAIN, "fix-again.md", ["refusal"]);
template!(PERMISSIVE, "strictness/permissive.md", []);
template!(BALANCED, "strictness/balanced.md", []);
template!(STRICT, "strictness/strict.md", []);

/// All prompts.
pub(super) static ALL_TEMPLATES: [&Template; 20] = [
    &REVIEW,
    &ANSWER,
    &ANSWER_MODEL,
    &ANSWER_AGENT,
    &FIRST,
    &REREVIEW,
    &EARLIER,
    &REPAIR,
    &ESCALATE,
    &AGENT,
    &RELATED_CODE,
    &RELATED_TO_FINDING,
    &PART,
    &JOIN,
    &VALIDATE,
    &FIX,
    &FIX_AGAIN,
    &PERMISSIVE,
    &BALANCED,
    &STRICT,
];

/// Where all files are, below the crate.
const FOLDER: &str = "prompts/";

/// The files of the shipped personas: path and text.
pub(super) fn shipped_personas()
-> impl Iterator<Item = (ShippedPersona, &'static str, &'static str)> {
    ShippedPersona::ALL.iter().map(|persona| match persona {
        ShippedPersona::Priya => (
            ShippedPersona::Priya,
            "prompts/personas/priya.md",
            include_str!("../../prompts/personas/priya.md"),
        ),
        ShippedPersona::Quinn => (
            ShippedPersona::Quinn,
            "prompts/personas/quinn.md",
            include_str!("../../prompts/personas/quinn.md"),
        ),
        ShippedPersona::Sam => (
            ShippedPersona::Sam,
            "prompts/personas/sam.md",
            include_str!("../../prompts/personas/sam.md"),
        ),
    })
}

/// The files of the personas in use: path and text.
pub(super) fn personas() -> impl Iterator<Item = (&'static str, &'static str)> {
    shipped_personas().map(|(_, path, shipped)| (path, text_in_use(file_name(path), shipped)))
}

/// Every prompt that ships, personas included: its file below `prompts/` and its text.
pub fn shipped_prompts() -> impl Iterator<Item = (&'static str, &'static str)> {
    let templates = ALL_TEMPLATES.iter();
    let templates = templates.map(|template| (template.name, template.shipped));
    templates.chain(shipped_personas().map(|(_, path, text)| (file_name(path), text)))
}

impl Template {
    fn text(&self) -> &'static str {
        text_in_use(self.name, self.shipped)
    }

    /// The text with each slot `{{name}}` filled. What is filled in is not looked at again.
    pub(super) fn fill(&self, values: &[(&str, &str)]) -> String {
        debug_assert!(
            values.iter().map(|(name, _)| name).eq(self.slots),
            "{}: the slots are {:?}",
            self.name,
            self.slots
        );
        let text = self.text();
        let mut out = String::with_capacity(text.len() + 512);
        for part in template_parts(text) {
            match part {
                TemplatePart::Text(text) => out.push_str(text),
                TemplatePart::Slot(slot) => {
                    let value = values.iter().find(|(name, _)| *name == slot);
                    out.push_str(value.map_or("", |(_, value)| value));
                }
            }
        }
        out.trim_end().to_string()
    }
}

/// The slots of a text.
pub(super) fn slots_of(text: &str) -> BTreeSet<&str> {
    let slot = |part| match part {
        TemplatePart::Slot(slot) => Some(slot),
        TemplatePart::Text(_) => None,
    };
    template_parts(text).into_iter().filter_map(slot).collect()
}

enum TemplatePart<'a> {
    Text(&'a str),
    Slot(&'a str),
}

fn template_parts(text: &str) -> Vec<TemplatePart<'_>> {
    let mut out = Vec::new();
    let mut rest = text;
    while let Some((before, (slot, after))) = rest
        .split_once("{{")
        .and_then(|(before, inside)| Some((before, inside.split_once("}}")?)))
    {
        out.push(TemplatePart::Text(before));
        out.push(TemplatePart::Slot(slot));
        rest = after;
    }
    out.push(TemplatePart::Text(rest));
    out
}

/// SHA-256 over every prompt and persona in use and their version, in hex: what the journal notes with each review.
pub fn prompts_hash() -> String {
    hash_of(text_in_use)
}

/// The same over these texts, by file and shipped text.
pub(super) fn hash_of<'t>(text: impl Fn(&str, &'static str) -> &'t str) -> String {
    let mut hash = Sha256::new();
    let mut add = |name: &str, text: &str| {
        for part in [name, text] {
            hash.update((part.len() as u64).to_le_bytes());
            hash.update(part.as_bytes());
        }
    };
    add("version", &PROMPTS_VERSION.to_string());
    for template in ALL_TEMPLATES {
        add(template.name, text(template.name, template.shipped));
    }
    for (_, path, shipped) in shipped_personas() {
        add(path, text(file_name(path), shipped));
    }
    for words in crate::llm::PROMPT_TEXTS {
        add("llm", words);
    }
    hex::encode(hash.finalize())
}

/// The file of a persona below `prompts/`.
fn file_name(path: &'static str) -> &'static str {
    path.strip_prefix(FOLDER).unwrap_or(path)
}

/// What an agent is told, in the same session, when its answer contradicts its shape; once (§4.3).
pub fn repair_prompt(violations: &[String]) -> String {
    let points: String = violations
        .iter()
        .take(MAX_REPAIR_POINTS)
        .map(|point| {
            format!(
                "- {}\n",
                super::code_sanitizer::sanitized_code_text(point).replace('\n', " ")
            )
        })
        .collect();
    REPAIR.fill(&[("wrong", points.trim_end())])
}

/// SHA-256 in hex.
pub(super) fn sha256<'a>(parts: impl Iterator<Item = &'a String>) -> String {
    let mut hash = Sha256::new();
    for part in parts {
        hash.update((part.len() as u64).to_le_bytes());
        hash.update(part.as_bytes());
    }
    hex::encode(hash.finalize())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_measured_of_the_shipped_prompts_is_told_or_that_it_is_not() {
        let file = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/measurements.md");
        let text = std::fs::read_to_string(file).unwrap();
        let hash = hash_of(|_, shipped| shipped);
        let named = format!("The table ends with the prompts of hash `{}`", &hash[..8]);
        assert!(
            text.contains(&named),
            "a prompt changed: say in a row of docs/measurements.md what was measured of it, and then: {named}"
        );
    }

    #[test]
    fn each_prompt_has_exactly_the_slots_that_are_filled() {
        for template in ALL_TEMPLATES {
            let found = slots_of(template.shipped);
            let expected: BTreeSet<&str> = template.slots.iter().copied().collect();
            assert_eq!(found, expected, "{}", template.name);
        }
    }

    #[test]
    fn what_is_filled_in_is_not_filled_in_again() {
        let template = Template {
            name: "test",
            shipped: "a {{x}} b {{y}}\n",
            slots: &["x", "y"],
        };
        assert_eq!(template.fill(&[("x", "{{y}}"), ("y", "2")]), "a {{y}} b 2");
    }

    #[test]
    fn every_prompt_file_is_embedded() {
        let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("prompts");
        let mut on_disk = BTreeSet::new();
        let mut folders = vec![folder.clone()];
        while let Some(next) = folders.pop() {
            for entry in std::fs::read_dir(next).unwrap() {
                let path = entry.unwrap().path();
                if path.is_dir() {
                    folders.push(path);
                } else {
                    let name = path.strip_prefix(&folder).unwrap();
                    on_disk.insert(name.to_str().unwrap().to_string());
                }
            }
        }
        let embedded: BTreeSet<String> =
            shipped_prompts().map(|(name, _)| name.to_owned()).collect();
        assert_eq!(on_disk, embedded);
    }
}
