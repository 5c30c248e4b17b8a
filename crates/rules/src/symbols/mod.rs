//! Symbols of code: what a file defines and uses, what a change touches of it, and where else that is defined and used (§4.4).
//!
//! Names are found in the syntax tree, so that a comment or a string is no use of one. Nothing is resolved: a name is looked for by itself,
//! and of several definitions of it the nearest are taken.

mod grammar;
mod outline;
mod related;
mod touched;

pub use outline::{Definition, Outline, Reference, ReferenceKind, SymbolKind, outline};
pub use related::{MAX_RELATED_FILE_BYTES, files_to_read, related_code};
pub use touched::{ChangedSource, SymbolChange, TouchedSymbol, TouchedSymbols, touched_symbols};

use collie_core::code_context::FunctionSpan;

/// Where the functions of a file are, outer ones before those in them. None in a language that is not known, or in a file that is not read.
#[must_use]
pub fn function_spans(path: &str, text: &str) -> Vec<FunctionSpan> {
    let Some(outline) = outline(path, text) else {
        return Vec::new();
    };
    let functions = outline.definitions.into_iter();
    let functions = functions.filter(|definition| definition.kind == SymbolKind::Function);
    functions
        .map(|definition| FunctionSpan {
            first: definition.first,
            last: definition.last,
            signature_last: definition.signature_last,
        })
        .collect()
}
