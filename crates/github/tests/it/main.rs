//! Reading and writing GitHub, against answers by script and against the forge.

mod browse;
mod browsing_forge;
mod common;
mod forge;
mod nothing_merges;
mod posting;
mod reading;
