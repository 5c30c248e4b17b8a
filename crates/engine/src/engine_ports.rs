//! Everything that an engine reaches the outside by.

use crate::ports::{
    Clock, Fixer, Git, GitHub, Journal, PolicySource, Renderer, ReviewMemory, Reviewers,
    SyntaxChecker,
};
use std::sync::Arc;

/// All ports of an engine.
#[derive(Clone)]
pub struct Ports {
    /// What effects reach the outside by.
    pub effects: EffectPorts,
    /// The journal.
    pub journal: Arc<dyn Journal>,
}

/// What effects reach the outside by, whoever keeps the loops.
#[derive(Clone)]
pub struct EffectPorts {
    /// GitHub, without any way to merge.
    pub github: Arc<dyn GitHub>,
    /// Clones and worktrees.
    pub git: Arc<dyn Git>,
    /// Reviewers that are no people.
    pub reviewers: Arc<dyn Reviewers>,
    /// The fixer.
    pub fixer: Arc<dyn Fixer>,
    /// Words for what is posted.
    pub renderer: Arc<dyn Renderer>,
    /// Configuration.
    pub policy_source: Arc<dyn PolicySource>,
    /// Time and randomness.
    pub clock: Arc<dyn Clock>,
    /// What people made of earlier findings.
    pub review_memory: Arc<dyn ReviewMemory>,
    /// Whether files still parse.
    pub syntax: Arc<dyn SyntaxChecker>,
}
