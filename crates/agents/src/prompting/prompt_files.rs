//! Other prompts than those that ship, for whoever compares versions of them (`collie eval run --prompts`).

use super::persona::{PersonaError, nearest_word, parse_persona};
use super::prompts::{ALL_TEMPLATES, shipped_personas, shipped_prompts, slots_of};
use super::prompts_in_use::use_texts;
use collie_core::error_code::ErrorCode;
use collie_core::user_error::UserError;
use std::collections::{BTreeMap, BTreeSet};

/// All prompts, each a file with the slots that Collie fills.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PromptFiles {
    texts: BTreeMap<String, String>,
}

/// What is wrong with a file of prompts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PromptFileError {
    /// No prompt is called so.
    Unknown {
        /// The file.
        file: String,
        /// The prompt that was probably meant.
        nearest: Option<String>,
    },
    /// A prompt that is not there.
    Missing {
        /// The file.
        file: String,
    },
    /// It says nothing.
    Empty {
        /// The file.
        file: String,
    },
    /// A slot that Collie fills is not there, so that what belongs there would reach no model.
    MissingSlot {
        /// The file.
        file: String,
        /// The slot.
        slot: String,
    },
    /// A slot that nothing fills.
    UnknownSlot {
        /// The file.
        file: String,
        /// The slot.
        slot: String,
    },
    /// A persona's file that cannot be read.
    Persona(PersonaError),
    /// A persona's file that describes another one.
    OtherPersona {
        /// The file.
        file: String,
        /// Whom it describes.
        name: String,
    },
}

impl From<PromptFileError> for UserError {
    fn from(error: PromptFileError) -> Self {
        let of = |code, file: String| UserError::new(code).with("file", file);
        match error {
            PromptFileError::Unknown { file, nearest } => {
                of(ErrorCode::EvalPromptUnknown, file).with_nearest(nearest)
            }
            PromptFileError::Missing { file } => of(ErrorCode::EvalPromptMissing, file),
            PromptFileError::Empty { file } => of(ErrorCode::EvalPromptEmpty, file),
            PromptFileError::MissingSlot { file, slot } => {
                of(ErrorCode::EvalPromptMissingSlot, file).with("slot", slot)
            }
            PromptFileError::UnknownSlot { file, slot } => {
                of(ErrorCode::EvalPromptUnknownSlot, file).with("slot", slot)
            }
            PromptFileError::Persona(error) => error.into(),
            PromptFileError::OtherPersona { file, name } => {
                of(ErrorCode::EvalPromptOtherPersona, file).with("name", name)
            }
        }
    }
}

impl PromptFiles {
    /// Takes files by their names below a folder (`review.md`, `personas/quinn.md`): all that ship, and no others.
    pub fn parse(files: BTreeMap<String, String>) -> Result<Self, Vec<PromptFileError>> {
        let names: BTreeSet<&str> = shipped_prompts().map(|(name, _)| name).collect();
        let mut errors = Vec::new();
        for file in files.keys().filter(|file| !names.contains(file.as_str())) {
            errors.push(PromptFileError::Unknown {
                file: file.clone(),
                nearest: nearest_word(file, names.iter().copied()),
            });
        }
        for name in names {
            match files.get(name) {
                None => errors.push(PromptFileError::Missing { file: name.into() }),
                Some(text) if text.trim().is_empty() => {
                    errors.push(PromptFileError::Empty { file: name.into() });
                }
                Some(text) => errors.extend(errors_of(name, text)),
            }
        }
        match errors.is_empty() {
            true => Ok(Self { texts: files }),
            false => Err(errors),
        }
    }

    /// Puts them in the place of the shipped ones, for all that this process asks from now on.
    pub fn put_in_use(self) {
        use_texts(self.texts);
    }
}

fn errors_of(name: &str, text: &str) -> Vec<PromptFileError> {
    if let Some((persona, ..)) = shipped_personas().find(|(_, path, _)| path.ends_with(name)) {
        return match parse_persona(name, text) {
            Err(errors) => errors.into_iter().map(PromptFileError::Persona).collect(),
            Ok(described) if described.name != persona.name() => {
                vec![PromptFileError::OtherPersona {
                    file: name.into(),
                    name: described.name,
                }]
            }
            Ok(_) => Vec::new(),
        };
    }
    let template = ALL_TEMPLATES.iter().find(|template| template.name == name);
    let slots = template.map_or(&[][..], |template| template.slots);
    let found = slots_of(text);
    let missing = slots.iter().filter(|slot| !found.contains(**slot));
    let missing = missing.map(|slot| PromptFileError::MissingSlot {
        file: name.into(),
        slot: (*slot).into(),
    });
    let unknown = found.iter().filter(|slot| !slots.contains(slot));
    let unknown = unknown.map(|slot| PromptFileError::UnknownSlot {
        file: name.into(),
        slot: (*slot).into(),
    });
    missing.chain(unknown).collect()
}

#[cfg(test)]
mod tests {
    use super::super::prompts::hash_of;
    use super::*;

    fn shipped() -> BTreeMap<String, String> {
        let files = shipped_prompts().map(|(name, text)| (name.to_owned(), text.to_owned()));
        files.collect()
    }

    /// What is wrong once one file is another, or gone.
    fn errors_with(file: &str, text: Option<&str>) -> Vec<PromptFileError> {
        let mut files = shipped();
        match text {
            Some(text) => drop(files.insert(file.into(), text.into())),
            None => drop(files.remove(file)),
        }
        PromptFiles::parse(files).err().unwrap_or_default()
    }

    #[test]
    fn what_ships_can_be_put_in_its_own_place() {
        assert!(PromptFiles::parse(shipped()).is_ok());
    }

    #[test]
    fn a_file_that_is_unknown_missing_or_empty_is_told() {
        let file = || "part.md".to_owned();
        let missing = PromptFileError::Missing { file: file() };
        assert_eq!(errors_with("part.md", None), [missing]);
        let empty = PromptFileError::Empty { file: file() };
        assert_eq!(errors_with("part.md", Some(" \n")), [empty]);
        let unknown = PromptFileError::Unknown {
            file: "parts.md".into(),
            nearest: Some(file()),
        };
        assert_eq!(errors_with("parts.md", Some("x")), [unknown]);
    }

    #[test]
    fn each_slot_is_filled_and_each_that_is_filled_is_there() {
        let (file, slot) = (|| "part.md".to_owned(), |name: &str| name.to_owned());
        let expect = [
            PromptFileError::MissingSlot {
                file: file(),
                slot: slot("total"),
            },
            PromptFileError::UnknownSlot {
                file: file(),
                slot: slot("all"),
            },
        ];
        assert_eq!(
            errors_with("part.md", Some("{{number}} of {{all}}")),
            expect
        );
    }

    #[test]
    fn a_word_in_any_prompt_is_another_version() {
        let hash = |files: &BTreeMap<String, String>| {
            hash_of(|name, shipped| files.get(name).map_or(shipped, |text| text.as_str()))
        };
        assert_eq!(hash(&shipped()), hash(&BTreeMap::new()));
        let changed = shipped().into_keys().map(|name| {
            let mut files = shipped();
            files.insert(name, "other words".into());
            hash(&files)
        });
        let all: BTreeSet<String> = changed.chain([hash(&shipped())]).collect();
        assert_eq!(all.len(), shipped().len() + 1);
    }

    #[test]
    fn a_personas_file_describes_that_persona() {
        let sam = shipped()["personas/sam.md"].clone();
        let other = PromptFileError::OtherPersona {
            file: "personas/quinn.md".into(),
            name: "sam".into(),
        };
        assert_eq!(errors_with("personas/quinn.md", Some(&sam)), [other]);
        let told = errors_with("personas/quinn.md", Some("no front matter"));
        assert!(
            matches!(told[..], [PromptFileError::Persona(_)]),
            "{told:?}"
        );
    }
}
