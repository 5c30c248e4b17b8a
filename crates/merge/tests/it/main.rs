//! Merging, against answers by script and against the forge.

mod answers;
mod common;
mod forge;
mod settling;
