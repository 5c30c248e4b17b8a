//! Configuration, memory, words and syntax.

use super::remote::bot;
use super::schedule::Setting;
use async_trait::async_trait;
use collie_core::autonomy::Autonomy;
use collie_core::budget::Budget;
use collie_core::ids::{AccountId, Login, RepoName};
use collie_core::policy::{Policy, ReviewerSpec, StageSpec};
use collie_core::post::{Post, RenderedPost};
use collie_core::review_memory::{MemoryEntry, RepositoryMemory};
use collie_core::user_error::UserError;
use collie_engine::ports::{
    EffectivePolicy, MemoryKey, PolicySource, Renderer, ReviewMemory, StoreError, SyntaxChecker,
    VerifyPlan,
};
use collie_i18n::{Language, Redactor};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Mutex, OnceLock, PoisonError};

/// What loops go by.
pub struct SimulatedPolicy {
    policy: Policy,
    accounts: Mutex<BTreeMap<Login, AccountId>>,
}

impl SimulatedPolicy {
    /// That of a setting.
    pub fn new(setting: &Setting) -> Self {
        let names: &[&str] = &["quinn", "sam"];
        let count = usize::try_from(setting.reviewers).unwrap_or(1);
        let stage = |name: &&str| StageSpec {
            reviewers: vec![ReviewerSpec::agent(name)],
        };
        let expected = setting.bot.then(|| bot().id);
        let policy = Policy {
            stages: names.iter().take(count).map(stage).collect(),
            bots: vec![bot()],
            expected_bots: expected.into_iter().collect(),
            ..Policy::default()
        };
        Self {
            policy,
            accounts: Mutex::default(),
        }
    }
}

impl PolicySource for SimulatedPolicy {
    fn policy(&self, _: &RepoName, _: Option<&[u8]>) -> Result<EffectivePolicy, UserError> {
        Ok(EffectivePolicy {
            policy: self.policy.clone(),
            without_effect: BTreeSet::new(),
        })
    }

    fn pin_account(&self, login: &Login, seen: AccountId) -> Result<AccountId, UserError> {
        let mut accounts = self.accounts.lock().unwrap_or_else(PoisonError::into_inner);
        Ok(*accounts.entry(login.clone()).or_insert(seen))
    }

    fn verify_plan(&self, _: &RepoName, _: Option<&[u8]>) -> VerifyPlan {
        VerifyPlan::default()
    }

    fn autonomy(&self, _: &RepoName) -> Option<Autonomy> {
        Some(Autonomy::Push)
    }

    fn may_start(&self, _: &Login) -> bool {
        true
    }

    fn budget(&self) -> Budget {
        Budget::default()
    }
}

/// What people made of findings.
#[derive(Default)]
pub struct SimulatedMemory(Mutex<RepositoryMemory>);

#[async_trait]
impl ReviewMemory for SimulatedMemory {
    async fn read(&self, _: &MemoryKey) -> Result<RepositoryMemory, StoreError> {
        Ok(self
            .0
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .clone())
    }

    async fn record(&self, _: &MemoryKey, entry: &MemoryEntry) -> Result<(), StoreError> {
        let mut memory = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        memory.entries.push(entry.clone());
        Ok(())
    }
}

/// The words that Collie writes.
pub struct RealRenderer;

impl Renderer for RealRenderer {
    fn render(&self, post: &Post) -> RenderedPost {
        static WORDS: OnceLock<collie_i18n::Renderer> = OnceLock::new();
        let words = || collie_i18n::Renderer::new(Language::En, Redactor::default());
        WORDS.get_or_init(words).render(post)
    }
}

/// Everything parses.
pub struct NoSyntax;

impl SyntaxChecker for NoSyntax {
    fn first_broken_line(&self, _: &str, _: Option<&[u8]>, _: &[u8]) -> Option<u32> {
        None
    }
}
