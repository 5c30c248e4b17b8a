//! The rules as a whole.

mod cases;
mod fix;
mod repository_rules;
mod robustness;
mod shipped;
mod symbols;
