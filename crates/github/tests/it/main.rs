//! Reading and writing GitHub, against answers by script and against the forge.

mod app_tokens;
mod browse;
mod browse_on_forge;
mod client_on_forge;
mod common;
mod no_merge_calls;
mod observe;
mod polling;
mod posting;
mod rights;
