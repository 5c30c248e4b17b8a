//! Runs the reviewer on one case, on a forge of its own.

use super::case_repository::{BASE_BRANCH, HEAD_BRANCH, PullWords, make_repository};
use super::clones::CaseSource;
use super::options::EvalOptions;
use super::payer::EvalPayer;
use super::sets::file_error;
use crate::accounts::KeyPlace;
use crate::engine_client::local::EngineSetup;
use crate::review::{CompletedReview, Posting, ReviewOptions, ReviewPanel, review};
use collie_config::{Config, LiveConfig, LlmSettings};
use collie_core::error_code::ErrorCode;
use collie_core::ids::{PullName, RepoName};
use collie_core::policy::{ReviewerKind, ReviewerSpec, StageSpec};
use collie_core::user_error::UserError;
use collie_eval::{Case, CaseFailure, CaseResult, RanFinding, RunTokens};
use collie_forge::{Forge, ForgeError, RunningForge, TokenScheme};
use collie_github::{Token, TokenSource};
use collie_i18n::Localizer;
use collie_reviewers::KeySources;
use std::net::SocketAddr;
use std::path::Path;
use std::sync::Arc;
use std::time::Instant;
use tokio_util::sync::CancellationToken;

/// The account that reviews on the forges of cases.
const REVIEWER: &str = "octo";
/// What rules are called as a reviewer.
pub(super) const RULES: &str = "rules";

/// What a run of a case needs.
pub(super) struct CaseRun<'a> {
    pub(super) config: &'a Config,
    pub(super) options: &'a EvalOptions,
    pub(super) case: &'a Case,
    pub(super) source: &'a CaseSource,
    pub(super) repeat: u32,
    pub(super) payer: &'a EvalPayer,
}

impl CaseRun<'_> {
    /// Reviews the case, on this model where the recorder stands between, with its key. A reviewer that fails is a result, too; what cannot be set up, or
    /// paid, is an error.
    pub(super) async fn run(
        &self,
        (asked, keys): (Option<LlmSettings>, KeySources),
        cancel: &CancellationToken,
    ) -> Result<CaseResult, UserError> {
        let temporary = std::env::temp_dir();
        let folder = tempfile::Builder::new()
            .prefix("collie-eval-")
            .tempdir()
            .map_err(|error| file_error(&temporary, error))?;
        let repository = folder.path().join("repository");
        std::fs::create_dir(&repository).map_err(|error| file_error(&repository, error))?;
        let words =
            make_repository(self.case, self.source, &self.options.files, &repository).await?;
        let forge = serve_case(self.case, &words, &repository, folder.path()).await?;
        let home = folder.path().join("data");
        copy_settings(&self.config.home, &home)?;
        let config = self.case_config(&forge, &home, asked);
        let token = forge.forge().token_scheme().token_of(REVIEWER);
        let setup = EngineSetup {
            config: LiveConfig::new(config),
            tokens: TokenSource::Given(Token::new(&token).expect("a login has no blanks")),
            activities: Arc::default(),
            runners: None,
            sandbox_supervisor: collie_sandbox::own_program(),
            keys,
            account_key: KeyPlace::of_machine(),
        };
        let options = ReviewOptions {
            pull: PullName {
                repo: self.case.repository.clone(),
                number: 1,
            },
            posting: Posting::DryRun,
            panel: match self.options.prefer_model && self.options.persona != RULES {
                true => ReviewPanel::PreferModel,
                false => ReviewPanel::Configured,
            },
            look_again: false,
            payer: self.payer.of_review(),
        };
        let begun = Instant::now();
        let reviewed = review(setup, &options, &|_| {}, cancel).await;
        let ms = u64::try_from(begun.elapsed().as_millis()).unwrap_or(u64::MAX);
        forge.shutdown().await;
        match reviewed.map_err(UserError::from) {
            // It says nothing of the reviewer, and the next case would fare alike.
            Err(error) if error.code == ErrorCode::BudgetExceeded => Err(error),
            reviewed => Ok(self.result(reviewed, ms)),
        }
    }

    /// The user's configuration with this reviewer alone, on this forge, in a data folder of its own, in English: what is compared must
    /// not differ by the reader's language.
    fn case_config(&self, forge: &RunningForge, home: &Path, asked: Option<LlmSettings>) -> Config {
        let mut config = self.config.clone();
        config.home = home.to_owned();
        config.api_url = forge.api_url();
        config.account = None;
        config.language = "en";
        // Which of them are installed differs from machine to machine.
        config.linters = false;
        let mut reviewer = ReviewerSpec::agent(&self.options.persona);
        if reviewer.name == RULES {
            reviewer.kind = ReviewerKind::Rules;
        }
        config.policy.stages = vec![StageSpec {
            reviewers: vec![reviewer],
        }];
        if let Some(asked) = asked {
            config.persona_models.remove(&self.options.persona);
            config.llm = Some(asked);
        }
        config
    }

    fn result(&self, reviewed: Result<CompletedReview, UserError>, ms: u64) -> CaseResult {
        let mut result = CaseResult {
            case: self.case.id.clone(),
            repeat: self.repeat,
            faults: self.case.faults.clone(),
            findings: Vec::new(),
            tokens: RunTokens::default(),
            cost_micros: None,
            ms,
            failure: None,
        };
        match reviewed {
            Ok(reviewed) => {
                result.tokens = RunTokens {
                    input: reviewed.usage.input_tokens,
                    output: reviewed.usage.output_tokens,
                };
                let usage = &reviewed.usage;
                result.cost_micros = (!usage.unpriced).then_some(usage.cost_micros);
                result.findings = findings(&reviewed);
            }
            Err(error) => {
                result.failure = Some(CaseFailure {
                    code: <&str>::from(error.code).to_owned(),
                    message: Localizer::new("en").error_text(&error),
                });
            }
        }
        result
    }
}

fn findings(reviewed: &CompletedReview) -> Vec<RanFinding> {
    let numbered = reviewed.findings.iter().enumerate();
    numbered
        .map(|(at, (tracked, comment))| {
            let finding = &tracked.finding;
            RanFinding {
                id: (at + 1).to_string(),
                priority: finding.priority,
                kind: finding.kind,
                category: finding.category.clone(),
                file: finding.file.clone(),
                line: finding.line,
                title: finding.title.clone(),
                description: finding.description.clone(),
                confidence: finding.confidence.permille(),
                inline: comment.is_some(),
            }
        })
        .collect()
}

/// A forge with the case's repository and its pull request, which is number 1.
async fn serve_case(
    case: &Case,
    words: &PullWords,
    repository: &Path,
    folder: &Path,
) -> Result<RunningForge, UserError> {
    let serve = async || -> Result<RunningForge, ForgeError> {
        let forge = Forge::open_with(&folder.join("forge"), TokenScheme::secret())?;
        let RepoNames { name, owner } = RepoNames::of(&case.repository)?;
        forge.import(&name, repository).await?;
        let (title, body) = (&words.title, &words.description);
        forge
            .open_pr(&name, BASE_BRANCH, HEAD_BRANCH, title, body, &owner)
            .await?;
        forge.serve(SocketAddr::from(([127, 0, 0, 1], 0))).await
    };
    serve()
        .await
        .map_err(|error| UserError::new(ErrorCode::Forge).with("message", error))
}

/// A repository's name as the forge has it.
struct RepoNames {
    name: collie_forge::model::RepoName,
    owner: String,
}

impl RepoNames {
    fn of(repository: &RepoName) -> Result<Self, ForgeError> {
        Ok(Self {
            name: collie_forge::model::RepoName::new(repository.owner(), repository.name())?,
            owner: repository.owner().to_owned(),
        })
    }
}

/// The user's own personas and prices, which a review reads in its data folder.
fn copy_settings(from: &Path, to: &Path) -> Result<(), UserError> {
    let personas = to.join("personas");
    std::fs::create_dir_all(&personas).map_err(|error| file_error(&personas, error))?;
    let files = collie_config::user_persona_files(&from.join("personas"))?;
    for (path, text) in files {
        let file = to.join(path);
        std::fs::write(&file, text).map_err(|error| file_error(&file, error))?;
    }
    let prices = from.join("prices.toml");
    if prices.is_file() {
        std::fs::copy(&prices, to.join("prices.toml"))
            .map_err(|error| file_error(&prices, error))?;
    }
    Ok(())
}
