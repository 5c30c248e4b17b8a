//! What a reader is given, and how its answer is held against the code.

mod call_sites;
mod context;
mod filter;
mod filter_boundaries;
mod fixes;
mod fixtures;
mod guidelines;
mod links;
mod parts;
mod personas;
mod prompts;
mod properties;
mod rejections;
mod review_parsing;
mod validation;
