//! What a reader is given, and how its answer is held against the code.

mod answers;
mod bounds;
mod edges;
mod fixes;
mod links;
mod personas;
mod prompts;
mod restraint;
mod second;
mod stage;
