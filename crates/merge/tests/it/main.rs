//! Merging, against answers by script and against the forge.

mod common;
mod forge;
mod lost_responses;
mod scripted_responses;
