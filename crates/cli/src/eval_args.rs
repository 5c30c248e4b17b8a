//! The command line of `collie eval`.

use crate::model_args::ModelArgs;
use clap::builder::NonEmptyStringValueParser;
use clap::{Args, Subcommand, ValueEnum};
use collie_config::ConfigLayer;
use collie_eval::DEFAULT_DISTANCE;
use std::path::PathBuf;

/// What can be done with evaluations.
#[derive(Debug, Subcommand)]
pub enum EvalCommand {
    /// See that a set of cases can be used: its form, and the clones that it needs.
    Check(EvalCheckArgs),
    /// Run a reviewer on the cases of a set.
    Run(Box<EvalRunArgs>),
    /// Say which finding names which fault, anew: by place, by a model, or by hand.
    Judge(EvalJudgeArgs),
    /// Show what a run comes to.
    Report(EvalReportArgs),
    /// Compare two runs case by case.
    Compare(EvalCompareArgs),
    /// Make a set of what others publish.
    Import(EvalImportArgs),
    /// Write the shipped prompts into a folder, to change them and run with --prompts.
    Prompts(EvalPromptsArgs),
}

impl EvalCommand {
    /// What the flags say of the configuration.
    pub fn layer(&self) -> ConfigLayer {
        match self {
            EvalCommand::Run(args) => args.model.layer(),
            EvalCommand::Judge(args) => args.model.layer(),
            EvalCommand::Check(_)
            | EvalCommand::Report(_)
            | EvalCommand::Compare(_)
            | EvalCommand::Import(_)
            | EvalCommand::Prompts(_) => ConfigLayer::default(),
        }
    }
}

/// A set of cases, and where its clones are.
#[derive(Debug, Args)]
pub struct SetArgs {
    /// `shipped`, `history`, or a file.
    #[arg(long, value_name = "SET", default_value = "shipped", value_parser = NonEmptyStringValueParser::new())]
    pub set: String,
    /// The folder of the clones that the set needs.
    #[arg(long, value_name = "DIR")]
    pub clones: Option<PathBuf>,
}

/// Flags of `eval check`.
#[derive(Debug, Args)]
pub struct EvalCheckArgs {
    /// The set.
    #[command(flatten)]
    pub set: SetArgs,
}

/// Flags of `eval run`.
#[derive(Debug, Args)]
pub struct EvalRunArgs {
    /// The set.
    #[command(flatten)]
    pub set: SetArgs,
    /// Who reviews: a persona, or `rules`.
    #[arg(long, value_name = "NAME", value_parser = NonEmptyStringValueParser::new())]
    pub persona: String,
    /// The folder of the prompts, instead of those that ship.
    #[arg(long, value_name = "DIR")]
    pub prompts: Option<PathBuf>,
    /// The language model.
    #[command(flatten)]
    pub model: ModelArgs,
    /// Only this case. May be repeated.
    #[arg(long, value_name = "ID")]
    pub only: Vec<String>,
    /// How often each case is run.
    #[arg(long, value_name = "TIMES", default_value = "1", value_parser = clap::value_parser!(u32).range(1..=100))]
    pub repeat: u32,
    /// How many cases run at once.
    #[arg(long, value_name = "COUNT", default_value = "1", value_parser = clap::value_parser!(u32).range(1..=64))]
    pub jobs: u32,
    /// Keep what the model answers in this folder.
    #[arg(long, value_name = "DIR", conflicts_with = "replay")]
    pub record: Option<PathBuf>,
    /// Answer from this folder instead of the model.
    #[arg(long, value_name = "DIR")]
    pub replay: Option<PathBuf>,
    /// Who says which finding names which fault.
    #[arg(long, value_name = "JUDGE", default_value = "place")]
    pub judge: JudgeArg,
    /// Lines between a finding and a fault that are still one place.
    #[arg(long, value_name = "LINES", default_value_t = DEFAULT_DISTANCE)]
    pub distance: u32,
    /// The file of the results.
    #[arg(long, value_name = "FILE", default_value = "eval.jsonl")]
    pub out: PathBuf,
    /// Go on with that file.
    #[arg(long)]
    pub resume: bool,
}

/// Who judges.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum JudgeArg {
    /// Place and words.
    Place,
    /// The language model.
    Model,
}

/// Flags of `eval judge`.
#[derive(Debug, Args)]
pub struct EvalJudgeArgs {
    /// The file of the results.
    #[arg(value_name = "RESULTS")]
    pub results: PathBuf,
    /// Who judges.
    #[arg(long, value_name = "JUDGE", default_value = "place")]
    pub judge: JudgeArg,
    /// The language model.
    #[command(flatten)]
    pub model: ModelArgs,
    /// Lines between a finding and a fault that are still one place.
    #[arg(long, value_name = "LINES", default_value_t = DEFAULT_DISTANCE)]
    pub distance: u32,
    /// Write a file to fill in by hand, a line a finding.
    #[arg(long, value_name = "FILE", conflicts_with_all = ["read", "judge"])]
    pub write: Option<PathBuf>,
    /// Read the file that was filled in.
    #[arg(long, value_name = "FILE", conflicts_with = "judge")]
    pub read: Option<PathBuf>,
}

/// Flags of `eval report`.
#[derive(Debug, Args)]
pub struct EvalReportArgs {
    /// The file of the results.
    #[arg(value_name = "RESULTS")]
    pub results: PathBuf,
}

/// Flags of `eval compare`.
#[derive(Debug, Args)]
pub struct EvalCompareArgs {
    /// The results of the first run.
    #[arg(value_name = "FIRST")]
    pub first: PathBuf,
    /// The results of the second run.
    #[arg(value_name = "SECOND")]
    pub second: PathBuf,
}

/// Flags of `eval import`.
#[derive(Debug, Args)]
pub struct EvalImportArgs {
    /// The published file.
    #[arg(value_name = "FILE")]
    pub file: PathBuf,
    /// Whose form it has.
    #[arg(long, value_name = "FORMAT")]
    pub format: FormatArg,
    /// The folder of the clones that commits are looked up in.
    #[arg(long, value_name = "DIR")]
    pub clones: Option<PathBuf>,
    /// The set to write.
    #[arg(long, value_name = "FILE")]
    pub out: PathBuf,
}

/// Flags of `eval prompts`.
#[derive(Debug, Args)]
pub struct EvalPromptsArgs {
    /// The folder. What is there already is not written over.
    #[arg(value_name = "DIR")]
    pub folder: PathBuf,
}

/// Whose form a published file has.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum FormatArg {
    /// `withmartian/code-review-benchmark`.
    Martian,
    /// `alibaba/aacr-bench`.
    Aacr,
}
