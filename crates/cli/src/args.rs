//! The command line: every flag is defined here once; help, completions and the man page come from it.

use crate::eval_args::EvalCommand;
use crate::model_args::{ModelArgs, known_provider, parse_model_url, provider_name_parser};
use clap::builder::TypedValueParser;
use clap::error::{ContextKind, ContextValue, ErrorKind};
use clap::{Args, Parser, Subcommand, ValueEnum};
use collie_config::{Config, ConfigLayer, DEFAULT_MAX_TOKENS, LANGUAGES, LlmSettings};
use collie_core::autonomy::Autonomy;
use collie_core::error_code::ErrorCode;
use collie_core::ids::{PullName, RepoName};
use collie_core::insights::InsightsRange;
use collie_core::review::IssueCounts;
use collie_core::user_error::UserError;
use std::net::SocketAddr;
use std::path::PathBuf;
use std::str::FromStr;
use std::time::Duration;

/// Takes pull requests from open to ready to merge, and leaves the merging to a person.
#[derive(Debug, Parser)]
#[command(
    name = "collie",
    version,
    arg_required_else_help = true,
    max_term_width = 100
)]
pub struct Cli {
    /// What to do.
    #[command(subcommand)]
    pub command: Command,
    /// Flags that every command takes.
    #[command(flatten)]
    pub common: CommonArgs,
}

/// Flags that every command takes.
#[derive(Clone, Debug, Args)]
pub struct CommonArgs {
    /// Print one JSON object a line and nothing else.
    #[arg(long, global = true)]
    pub json: bool,
    /// The data folder; else COLLIE_HOME, else the place this system has for such data.
    #[arg(long, global = true, value_name = "DIR")]
    pub home: Option<PathBuf>,
    /// The language of what is printed; else the configured one, else LANG.
    #[arg(long, global = true, value_name = "LANG")]
    pub lang: Option<LanguageArg>,
}

/// A language that Collie speaks.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum LanguageArg {
    /// English.
    En,
    /// French.
    Fr,
}

impl Cli {
    /// The flags in one form: a format of one command that means a flag of all.
    ///
    /// # Errors
    /// What no single flag can tell is wrong.
    pub fn normalized(mut self) -> Result<Self, clap::Error> {
        let Command::Review(args) = &mut self.command else {
            return Ok(self);
        };
        if args.named_pulls().is_none() {
            let mut error = clap::Error::new(ErrorKind::MissingRequiredArgument);
            let missing = ContextValue::Strings(vec!["--repo <OWNER/REPO>".into()]);
            error.insert(ContextKind::InvalidArg, missing);
            return Err(error);
        }
        if self.common.json && args.format == ReviewFormat::Sarif {
            let mut error = clap::Error::new(ErrorKind::ArgumentConflict);
            let flag = |text: &str| ContextValue::String(text.to_owned());
            error.insert(ContextKind::InvalidArg, flag("--json"));
            error.insert(ContextKind::PriorArg, flag("--format sarif"));
            return Err(error);
        }
        self.common.json |= args.format == ReviewFormat::Json;
        if self.common.json {
            args.format = ReviewFormat::Json;
        }
        Ok(self)
    }
}

impl LanguageArg {
    /// Its name in the configuration.
    pub fn code(self) -> &'static str {
        match self {
            LanguageArg::En => LANGUAGES[0].1,
            LanguageArg::Fr => LANGUAGES[1].1,
        }
    }
}

/// What to do.
#[derive(Debug, Subcommand)]
pub enum Command {
    /// Run the loop on sample repositories on a local forge: no account, no key, no network.
    Demo(DemoArgs),
    /// Run loops in this terminal.
    Watch(WatchArgs),
    /// Run loops and serve them to a team over HTTP.
    Serve(ServeArgs),
    /// Take sessions from a server on another machine and run them here.
    Runner(RunnerArgs),
    /// Run loops that the durable engine Restate keeps, one of many workers.
    #[cfg(feature = "restate")]
    Worker(WorkerArgs),
    /// Move the loops of a data folder to Restate, or back. Nothing works on them meanwhile.
    #[cfg(feature = "restate")]
    Move(MoveArgs),
    /// Make the token of a runner, which is told once; without a name list them.
    RunnerToken(RunnerTokenArgs),
    /// Copy the data folder into a new one, also while an engine works on it.
    Backup(BackupArgs),
    /// Make the data folder of a backup; the data folder must be empty or missing.
    Restore(RestoreArgs),
    /// Ask the running engine to start a loop; it is queued if no engine is running.
    Start(PullArgs),
    /// Ask the running engine to cancel a run.
    Cancel(PullArgs),
    /// Ask the running engine to start a new run.
    Retry(PullArgs),
    /// Ask the running engine to resume a loop after `needs_human`, with what is known.
    Resume(ResumeArgs),
    /// Say that a finding does not matter here: it counts for nothing in this loop any more.
    Dismiss(DismissArgs),
    /// Tell the fixer something for its next turn.
    Note(NoteArgs),
    /// Show the verify commands of a repository, and remember that they may run.
    Trust(TrustArgs),
    /// Let Collie fix the pull requests of an author without write access, or one pull request.
    Allow(AllowArgs),
    /// Show what no reviewer was shown, and say that you have looked at it.
    Seen(SeenArgs),
    /// Let a commit be pushed that waits for it.
    Approve(ApproveArgs),
    /// Do not let it be pushed; the fixer is told why.
    Reject(RejectArgs),
    /// Pause everything: reviews and fixes are stopped, nothing is written, and it costs nothing. GitHub is still read.
    Pause,
    /// Let everything go on that was paused.
    Unpause,
    /// Show where loops stand and what they wait for.
    Status(StatusArgs),
    /// Tell what happened to a loop, round by round.
    Log(LogArgs),
    /// Fold the journal of a loop again through the rules of today, and report any difference.
    Replay(ReplayArgs),
    /// Show what many runs came to: how many became ready, how fast, what was found and spent.
    Insights(InsightsArgs),
    /// Review a pull request once, and post the review: no loop, no fix.
    Review(ReviewArgs),
    /// Review the pull request of a GitHub workflow, as `action.yml` does.
    Action(ActionArgs),
    /// Serve what Collie knows and does to agents, over MCP on standard input and output.
    Mcp(McpArgs),
    /// List the language models of a provider, or test those that are set up.
    Models(ModelsArgs),
    /// Check git, gh, the token, the sandbox, the quota and the data folder.
    Doctor(DoctorArgs),
    /// The built-in rules: list them, test your own, see where they would fire.
    #[command(subcommand)]
    Rules(RulesCommand),
    /// What people made of a repository's earlier findings, which later reviews are told.
    #[command(subcommand)]
    Memory(MemoryCommand),
    /// GitHub accounts of personas and of authors' agents, whose tokens are kept encrypted.
    #[command(subcommand)]
    Account(AccountCommand),
    /// Measure reviewers on pull requests whose faults are known.
    #[command(subcommand)]
    Eval(EvalCommand),
    /// A local stand-in for GitHub.
    #[command(subcommand)]
    Forge(ForgeCommand),
    /// Print the completions of a shell.
    Completions {
        /// The shell.
        shell: clap_complete::Shell,
    },
}

/// Flags of `demo`.
#[derive(Debug, Args)]
pub struct DemoArgs {
    /// Only this scenario; all of them side by side without it. May be repeated.
    #[arg(long, value_name = "NAME", value_parser = scenario_name_parser())]
    pub scenario: Vec<String>,
    /// Where the forge and the data folder live; a temporary folder without it.
    #[arg(long, value_name = "DIR")]
    pub root: Option<PathBuf>,
}

fn scenario_name_parser() -> clap::builder::PossibleValuesParser {
    clap::builder::PossibleValuesParser::new([
        "clean",
        "fix-loop",
        "ci-red",
        "stuck",
        "human",
        "moved-head",
        "three-rounds",
    ])
}

/// Where a team is served.
#[derive(Debug, Args)]
pub struct ServeArgs {
    /// Where to listen; another address than loopback needs the other two flags.
    #[arg(long, value_name = "ADDR", default_value = "127.0.0.1:8642")]
    pub listen: SocketAddr,
    /// How people reach it.
    #[arg(long, value_name = "URL")]
    pub public_url: Option<String>,
    /// A proxy stands in front, which speaks TLS.
    #[arg(long)]
    pub behind_proxy: bool,
    /// How long a person stays signed in, such as 12h; at most 30 days.
    #[arg(long, value_name = "TIME", default_value = "12h", value_parser = parse_session_lifetime)]
    pub session_lifetime: Duration,
    /// The client id of the OAuth or GitHub App by whose device flow people may sign in.
    #[arg(
        long,
        value_name = "ID",
        env = "COLLIE_GITHUB_CLIENT_ID",
        hide_env = true
    )]
    pub github_client_id: Option<String>,
    /// Where loops live.
    #[cfg(feature = "restate")]
    #[arg(long, value_name = "ENGINE", default_value = LOOP_ENGINES[0], value_parser = loop_engine_parser())]
    pub engine: LoopEngine,
    /// The address of the ingress of an engine elsewhere.
    #[cfg(feature = "restate")]
    #[arg(long, value_name = "URL", default_value = "http://127.0.0.1:8080")]
    pub ingress: String,
    /// Write diagnostics to standard error, a line of JSON each, in place of the data folder.
    #[arg(long)]
    pub log_to_stderr: bool,
}

/// Where loops live that a server shows.
#[cfg(feature = "restate")]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LoopEngine {
    /// In the server's own process, with its data folder.
    Here,
    /// In Restate; workers do the work.
    Restate,
}

/// The names of the two.
#[cfg(feature = "restate")]
const LOOP_ENGINES: [&str; 2] = ["here", "restate"];

#[cfg(feature = "restate")]
fn loop_engine_parser() -> impl TypedValueParser<Value = LoopEngine> {
    clap::builder::PossibleValuesParser::new(LOOP_ENGINES).map(|name| {
        match name == LOOP_ENGINES[1] {
            true => LoopEngine::Restate,
            false => LoopEngine::Here,
        }
    })
}

/// For whom sessions are run.
#[derive(Debug, Args)]
pub struct RunnerArgs {
    /// The server's address.
    #[arg(long, value_name = "URL")]
    pub server: String,
    /// The file with the runner's token; else COLLIE_RUNNER_TOKEN.
    #[arg(long, value_name = "FILE")]
    pub token_file: Option<PathBuf>,
    /// What the runner calls itself in the server's log.
    #[arg(long, value_name = "NAME")]
    pub name: Option<String>,
    /// End after one session.
    #[arg(long)]
    pub once: bool,
}

/// Where loops are moved.
#[cfg(feature = "restate")]
#[derive(Debug, Args)]
pub struct MoveArgs {
    /// Where they are to live: in this data folder, or in Restate.
    #[arg(value_name = "ENGINE", value_parser = loop_engine_parser())]
    pub to: LoopEngine,
    /// The address of the engine's ingress.
    #[arg(long, value_name = "URL", default_value = "http://127.0.0.1:8080")]
    pub ingress: String,
}

/// For which engine loops are run.
#[cfg(feature = "restate")]
#[derive(Debug, Args)]
pub struct WorkerArgs {
    /// The address of the engine's ingress.
    #[arg(long, value_name = "URL", default_value = "http://127.0.0.1:8080")]
    pub ingress: String,
    /// Where the engine reaches the worker; another address than loopback needs its key.
    #[arg(long, value_name = "ADDR", default_value = "127.0.0.1:9080")]
    pub listen: SocketAddr,
    /// How many loops may work at once on all workers; without it each worker has its own slots alone.
    #[arg(long, value_name = "N")]
    pub fleet_slots: Option<std::num::NonZeroUsize>,
    /// What the page calls this worker; without it the name of the machine.
    #[arg(long, value_name = "NAME", value_parser = worker_name)]
    pub name: Option<String>,
    /// The public key that the engine signs its requests by.
    #[arg(long, value_name = "KEY")]
    pub identity_key: Option<String>,
}

/// Whose token is made.
#[derive(Debug, Args)]
pub struct RunnerTokenArgs {
    /// What the runner is called.
    #[arg(value_name = "NAME")]
    pub name: Option<String>,
    /// Take the token away.
    #[arg(long, requires = "name")]
    pub revoke: bool,
}

/// Flags of `backup`.
#[derive(Debug, Args)]
pub struct BackupArgs {
    /// The new folder.
    #[arg(value_name = "DIR")]
    pub to: PathBuf,
}

/// Flags of `restore`.
#[derive(Debug, Args)]
pub struct RestoreArgs {
    /// The backup.
    #[arg(value_name = "DIR")]
    pub from: PathBuf,
}

/// The longest that a person stays signed in.
const MAX_SESSION_LIFETIME: Duration = Duration::from_secs(30 * 24 * 60 * 60);

fn parse_session_lifetime(text: &str) -> Result<Duration, UserError> {
    let lifetime = collie_config::parse_duration_ms(text).map(Duration::from_millis);
    lifetime
        .filter(|lifetime| !lifetime.is_zero() && *lifetime <= MAX_SESSION_LIFETIME)
        .ok_or_else(|| UserError::new(ErrorCode::UsageBadValue).with("value", text))
}

/// The longest name of a worker, in characters: it stands beside others on a page.
#[cfg(feature = "restate")]
const MAX_WORKER_NAME: usize = 64;

#[cfg(feature = "restate")]
fn worker_name(text: &str) -> Result<String, UserError> {
    let name = text.trim();
    let is_shown = !name.is_empty() && !name.contains(char::is_control);
    (is_shown && name.chars().count() <= MAX_WORKER_NAME)
        .then(|| name.to_owned())
        .ok_or_else(|| UserError::new(ErrorCode::UsageBadValue).with("value", text))
}

/// Flags of `watch`.
#[derive(Debug, Args)]
pub struct WatchArgs {
    /// OWNER/REPO#N, or OWNER/REPO for all its open pull requests that are not drafts.
    #[arg(required = true, value_name = "OWNER/REPO[#N]")]
    pub targets: Vec<WatchTarget>,
    /// End once each loop has ended, is ready, or waits for something only a person can do.
    #[arg(long)]
    pub until_settled: bool,
    /// How far Collie goes by itself: observe writes nothing on GitHub, ask asks before each push. What config.toml says without it;
    /// observe where that says nothing.
    #[arg(long, value_name = "LEVEL", value_parser = level_parser())]
    pub autonomy: Option<Autonomy>,
}

fn level_parser() -> impl TypedValueParser<Value = Autonomy> {
    clap::builder::PossibleValuesParser::new(Autonomy::NAMES)
        .try_map(|name| name.parse::<Autonomy>())
}

/// A pull request, or all open ones of a repository.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum WatchTarget {
    /// One.
    Pull(PullName),
    /// All that are open and no drafts.
    Repository(RepoName),
}

impl FromStr for WatchTarget {
    type Err = UserError;

    fn from_str(text: &str) -> Result<Self, UserError> {
        let read = if text.contains('#') {
            PullName::parse(text).map(WatchTarget::Pull)
        } else {
            RepoName::parse(text).map(WatchTarget::Repository)
        };
        Ok(read?)
    }
}

fn parse_pull(text: &str) -> Result<PullName, UserError> {
    Ok(PullName::parse(text)?)
}

/// One pull request.
#[derive(Debug, Args)]
pub struct PullArgs {
    /// OWNER/REPO#N
    #[arg(value_name = "OWNER/REPO#N", value_parser = parse_pull)]
    pub pull: PullName,
}

/// Flags of `log`.
#[derive(Debug, Args)]
pub struct LogArgs {
    /// OWNER/REPO#N
    #[arg(value_name = "OWNER/REPO#N", value_parser = parse_pull)]
    pub pull: PullName,
    /// Show every entry of the journal; --json does so in any case.
    #[arg(long)]
    pub events: bool,
}

/// Flags of `replay`.
#[derive(Debug, Args)]
pub struct ReplayArgs {
    /// OWNER/REPO#N
    #[arg(value_name = "OWNER/REPO#N", value_parser = parse_pull, required_unless_present = "loop_id")]
    pub pull: Option<PullName>,
    /// The loop by its identity, HOST/REPOSITORY-ID#N: where two have had the same name.
    #[arg(long = "loop", value_name = "ID", conflicts_with = "pull")]
    pub loop_id: Option<String>,
    /// This run alone, counted from 1.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    pub run: Option<u32>,
    /// Up to this entry of the journal; with --json the last line has the whole state then.
    #[arg(long, value_name = "SEQ")]
    pub to: Option<u64>,
}

/// Flags of `resume`.
#[derive(Debug, Args)]
pub struct ResumeArgs {
    /// OWNER/REPO#N
    #[arg(value_name = "OWNER/REPO#N", value_parser = parse_pull)]
    pub pull: PullName,
    /// So many rounds more than configured, in this run alone.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=10))]
    pub rounds: Option<u32>,
}

/// Flags of `dismiss`.
#[derive(Debug, Args)]
pub struct DismissArgs {
    /// OWNER/REPO#N
    #[arg(value_name = "OWNER/REPO#N", value_parser = parse_pull)]
    pub pull: PullName,
    /// The beginning of the finding's fingerprint, as `collie status` shows it.
    #[arg(value_name = "FINDING", value_parser = clap::builder::NonEmptyStringValueParser::new())]
    pub finding: String,
    /// Why; the report, the proof and later reviews are told.
    #[arg(long, value_name = "TEXT", value_parser = clap::builder::NonEmptyStringValueParser::new())]
    pub reason: String,
}

/// Flags of `note`.
#[derive(Debug, Args)]
pub struct NoteArgs {
    /// OWNER/REPO#N
    #[arg(value_name = "OWNER/REPO#N", value_parser = parse_pull)]
    pub pull: PullName,
    /// What the fixer is told.
    #[arg(value_name = "TEXT", value_parser = clap::builder::NonEmptyStringValueParser::new())]
    pub text: String,
    /// The finding that it is about, by the beginning of its fingerprint.
    #[arg(long, value_name = "FINDING", value_parser = clap::builder::NonEmptyStringValueParser::new())]
    pub finding: Option<String>,
}

/// Flags of `trust`.
#[derive(Debug, Args)]
pub struct TrustArgs {
    /// OWNER/REPO
    #[arg(value_name = "OWNER/REPO")]
    pub repo: RepoArg,
    /// Trust the commands as they stand now, without asking.
    #[arg(long, conflicts_with_all = ["skip", "revoke"])]
    pub yes: bool,
    /// Continue without the repository's commands; the proof names them.
    #[arg(long, conflicts_with = "revoke")]
    pub skip: bool,
    /// Ask again before a fix is verified.
    #[arg(long)]
    pub revoke: bool,
}

/// Flags of `allow`.
#[derive(Debug, Args)]
pub struct AllowArgs {
    /// OWNER/REPO#N for one pull request; OWNER/REPO with --author.
    #[arg(value_name = "OWNER/REPO[#N]")]
    pub target: WatchTarget,
    /// All pull requests of this author in the repository.
    #[arg(long, value_name = "LOGIN", value_parser = clap::builder::NonEmptyStringValueParser::new())]
    pub author: Option<String>,
    /// Take it back.
    #[arg(long)]
    pub revoke: bool,
}

/// Flags of `seen`.
#[derive(Debug, Args)]
pub struct SeenArgs {
    /// OWNER/REPO#N
    #[arg(value_name = "OWNER/REPO#N", value_parser = parse_pull)]
    pub pull: PullName,
    /// Say that you have looked at the files, without being asked.
    #[arg(long)]
    pub yes: bool,
}

/// Flags of `approve`.
#[derive(Debug, Args)]
pub struct ApproveArgs {
    /// OWNER/REPO#N
    #[arg(value_name = "OWNER/REPO#N", value_parser = parse_pull)]
    pub pull: PullName,
    /// Approve what waits now, without being asked.
    #[arg(long)]
    pub yes: bool,
}

/// Flags of `reject`.
#[derive(Debug, Args)]
pub struct RejectArgs {
    /// OWNER/REPO#N
    #[arg(value_name = "OWNER/REPO#N", value_parser = parse_pull)]
    pub pull: PullName,
    /// What the fixer is told.
    #[arg(long, value_name = "TEXT", default_value = "")]
    pub note: String,
    /// Reject what waits now, without being asked.
    #[arg(long)]
    pub yes: bool,
}

/// Flags of `status`.
#[derive(Debug, Args)]
pub struct StatusArgs {
    /// Only this one; all without it.
    #[arg(value_name = "OWNER/REPO#N", value_parser = parse_pull)]
    pub pull: Option<PullName>,
}

/// Flags of `review`.
#[derive(Debug, Args)]
pub struct ReviewArgs {
    /// OWNER/REPO#N, or the number alone with --repo; several are reviewed one after the other.
    #[arg(required = true, value_name = "OWNER/REPO#N")]
    pub pulls: Vec<ReviewTarget>,
    /// The repository of those that are named by their number alone.
    #[arg(long, value_name = "OWNER/REPO")]
    pub repo: Option<RepoArg>,
    /// The language model.
    #[command(flatten)]
    pub model: ModelArgs,
    /// Print what would be posted, and write nothing on GitHub.
    #[arg(long)]
    pub dry_run: bool,
    /// End with status 3 where a finding of this priority or a graver one counts, a person requests changes, or text was shown to nobody.
    #[arg(long, value_name = "PRIORITY", ignore_case = true)]
    pub fail_on: Option<FailOn>,
    /// How the review is printed: a summary, the whole report as Markdown, as --json does, or all of them as one SARIF file.
    #[arg(long, value_name = "FORMAT", default_value = "text")]
    pub format: ReviewFormat,
}

/// A pull request, or its number in the repository that `--repo` names.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ReviewTarget {
    /// All of its name.
    Pull(PullName),
    /// The number alone.
    Number(u64),
}

impl FromStr for ReviewTarget {
    type Err = UserError;

    fn from_str(text: &str) -> Result<Self, UserError> {
        match text.parse() {
            Ok(number) if number > 0 => Ok(Self::Number(number)),
            Ok(_) | Err(_) => Ok(Self::Pull(PullName::parse(text)?)),
        }
    }
}

impl ReviewArgs {
    /// The pull requests that are named, each once; none where one is named by its number alone and no repository is.
    pub fn named_pulls(&self) -> Option<Vec<PullName>> {
        let mut pulls: Vec<PullName> = Vec::new();
        for target in &self.pulls {
            let pull = match (target, &self.repo) {
                (ReviewTarget::Pull(pull), _) => pull.clone(),
                (ReviewTarget::Number(number), Some(repo)) => PullName {
                    repo: repo.0.clone(),
                    number: *number,
                },
                (ReviewTarget::Number(_), None) => return None,
            };
            let name = pull.to_string();
            if !(pulls.iter()).any(|known| known.to_string().eq_ignore_ascii_case(&name)) {
                pulls.push(pull);
            }
        }
        Some(pulls)
    }
}

/// Flags of `action`.
#[derive(Debug, Args)]
pub struct ActionArgs {
    /// The number of the pull request; else the one that the event is about.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    pub pull_request: Option<u64>,
    /// The language model.
    #[command(flatten)]
    pub model: ModelArgs,
    /// Post nothing.
    #[arg(long)]
    pub dry_run: bool,
    /// End with status 3 where a finding of this priority or a graver one counts, a person requests changes, or text was shown to nobody.
    #[arg(long, value_name = "PRIORITY", ignore_case = true)]
    pub fail_on: Option<FailOn>,
    /// Where the findings are written as SARIF.
    #[arg(long, value_name = "FILE")]
    pub sarif: Option<PathBuf>,
}

/// Flags of `mcp`.
#[derive(Debug, Args)]
pub struct McpArgs {
    /// Offer only what changes nothing: no loop is started or cancelled, and no review posted.
    #[arg(long)]
    pub read_only: bool,
}

/// The priority from which a review fails a build.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum FailOn {
    /// Blocks the merge.
    #[value(name = "P0")]
    P0,
    /// Critical.
    #[value(name = "P1")]
    P1,
    /// Important.
    #[value(name = "P2")]
    P2,
    /// A suggestion.
    #[value(name = "P3")]
    P3,
}

impl FailOn {
    /// Whether these counts are at or above it.
    pub fn is_reached(self, counts: &IssueCounts) -> bool {
        let by_priority = [
            counts.p0_blocking,
            counts.p1_critical,
            counts.p2_important,
            counts.p3_suggestion,
        ];
        by_priority[..=self as usize].iter().any(|count| *count > 0)
    }
}

/// How a review is printed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum ReviewFormat {
    /// A summary.
    Text,
    /// The whole report, as it is posted.
    Markdown,
    /// One JSON object a line.
    Json,
    /// SARIF 2.1.0, for code scanning.
    Sarif,
}

/// Flags of `models`.
#[derive(Debug, Args)]
pub struct ModelsArgs {
    /// This provider; else all that are set up.
    #[arg(long, global = true, value_name = "NAME", value_parser = provider_name_parser())]
    pub provider: Option<String>,
    /// Where the provider answers, if not at its own address.
    #[arg(long, global = true, value_name = "URL", value_parser = parse_model_url)]
    pub url: Option<String>,
    /// What to do; listing without it.
    #[command(subcommand)]
    pub command: Option<ModelsCommand>,
}

/// What can be done with models besides listing them.
#[derive(Debug, Subcommand)]
pub enum ModelsCommand {
    /// Ask each model that is set up one small question, for real: its latency, tokens and cost.
    Test {
        /// This model of --provider, or of the configured one.
        #[arg(long, value_name = "NAME", value_parser = clap::builder::NonEmptyStringValueParser::new())]
        model: Option<String>,
    },
}

impl ModelsArgs {
    /// The model that the flags name, over the configured one; none where they name nothing.
    pub fn layered(&self, config: &Config, model: Option<&str>) -> Option<LlmSettings> {
        if self.provider.is_none() && self.url.is_none() && model.is_none() {
            return None;
        }
        let known = self.provider.as_deref().and_then(known_provider);
        let configured = config.llm.clone();
        // Key, headers and address of another provider are not this one's.
        let kept = configured.filter(|llm| known.is_none_or(|provider| provider == llm.provider));
        let mut settings = kept.unwrap_or_default();
        if let Some(provider) = known {
            settings.provider = provider;
        }
        if let Some(url) = &self.url {
            settings.url = Some(url.clone());
        }
        if let Some(model) = model {
            settings.model = model.to_owned();
        }
        if settings.max_tokens == 0 {
            settings.max_tokens = DEFAULT_MAX_TOKENS;
        }
        Some(settings)
    }
}

/// Flags of `doctor`.
#[derive(Debug, Args)]
pub struct DoctorArgs {
    /// Rebuild the journal from the checkpoints, after it was lost or damaged.
    #[arg(long)]
    pub rebuild: bool,
}

/// Flags of `insights`.
#[derive(Debug, Args)]
pub struct InsightsArgs {
    /// Only this repository.
    #[arg(long, value_name = "OWNER/REPO")]
    pub repo: Option<RepoArg>,
    /// From this day on: YYYY-MM-DD, 30d, 12m, or all.
    #[arg(long, value_name = "WHEN", default_value = "30d")]
    pub since: SinceArg,
    /// Print the rows behind the figures as CSV.
    #[arg(
        long,
        value_name = "ROWS",
        num_args = 0..=1,
        default_missing_value = "runs",
        conflicts_with = "json"
    )]
    pub csv: Option<TableArg>,
}

/// Which rows are printed as CSV.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum TableArg {
    /// A row a run.
    Runs,
    /// A row for each day, repository and model.
    Spending,
}

/// Since when figures are asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SinceArg(pub InsightsRange);

impl FromStr for SinceArg {
    type Err = UserError;

    fn from_str(text: &str) -> Result<Self, UserError> {
        let counted = |unit: char| {
            let number = text.strip_suffix(unit)?;
            number.parse::<u32>().ok().filter(|count| *count > 0)
        };
        if text == "all" {
            return Ok(Self(InsightsRange::All));
        }
        if let Some(days) = counted('d') {
            return Ok(Self(InsightsRange::Days { days }));
        }
        if let Some(months) = counted('m') {
            return Ok(Self(InsightsRange::Months { months }));
        }
        match text.parse() {
            Ok(from) => Ok(Self(InsightsRange::Between { from, to: None })),
            Err(_) => Err(UserError::new(ErrorCode::BadSince).with("value", text)),
        }
    }
}

/// What can be done with what is remembered of a repository.
#[derive(Debug, Subcommand)]
pub enum MemoryCommand {
    /// List what people dismissed, and why, and what they accepted.
    List {
        /// OWNER/REPO
        #[arg(value_name = "OWNER/REPO")]
        repo: RepoArg,
    },
    /// Take an entry out.
    Forget {
        /// OWNER/REPO
        #[arg(value_name = "OWNER/REPO")]
        repo: RepoArg,
        /// The entry's id, as `list` shows it.
        #[arg(value_name = "ID")]
        id: String,
    },
    /// Print where the file is, to edit or copy it.
    Path {
        /// OWNER/REPO
        #[arg(value_name = "OWNER/REPO")]
        repo: RepoArg,
    },
}

/// What to do with accounts of their own.
#[derive(Debug, Subcommand)]
pub enum AccountCommand {
    /// Keep the token of an account, in place of one that is there; it is read from standard input.
    Add {
        /// The account's login.
        #[arg(value_name = "LOGIN", value_parser = clap::builder::NonEmptyStringValueParser::new())]
        login: String,
        /// A repository that the token must see; may be given several times.
        #[arg(long = "repo", value_name = "OWNER/REPO")]
        repos: Vec<RepoArg>,
    },
    /// List the accounts whose tokens are kept; tokens are never shown.
    List,
    /// Take the token of an account out.
    Remove {
        /// The account's login.
        #[arg(value_name = "LOGIN", value_parser = clap::builder::NonEmptyStringValueParser::new())]
        login: String,
    },
    /// Put all tokens under a new key.
    RotateKey,
}

impl MemoryCommand {
    /// The repository that it is about.
    pub fn repo(&self) -> &RepoArg {
        match self {
            Self::List { repo } | Self::Forget { repo, .. } | Self::Path { repo } => repo,
        }
    }
}

/// What can be done with rules.
#[derive(Debug, Subcommand)]
pub enum RulesCommand {
    /// List the rules, with those of the repository around this folder.
    List,
    /// Run the cases of rules, which stand in `rule-tests` beside the folder of the rules.
    Test {
        /// Rule files, or folders of them.
        #[arg(value_name = "PATH", default_value = ".collie/rules")]
        paths: Vec<PathBuf>,
    },
    /// Show where the rules would fire in files, as though each were new.
    Try(TryArgs),
}

/// Flags of `rules try`.
#[derive(Debug, Args)]
pub struct TryArgs {
    /// Files, or folders with all in them that git does not ignore.
    #[arg(required = true, value_name = "PATH")]
    pub paths: Vec<PathBuf>,
    /// Only this rule. May be repeated.
    #[arg(long, value_name = "ID")]
    pub rule: Vec<String>,
    /// A rule file, or a folder of them, to try besides the shipped ones; else the repository's own.
    #[arg(long, value_name = "PATH")]
    pub rules: Option<PathBuf>,
}

/// The local forge.
#[derive(Debug, Subcommand)]
pub enum ForgeCommand {
    /// Serve a forge until interrupted; prints one JSON line once it listens.
    Serve {
        /// The folder that holds everything.
        #[arg(long, value_name = "DIR")]
        root: PathBuf,
        /// A loopback address; port 0 takes any.
        #[arg(long, value_name = "ADDR", default_value = "127.0.0.1:0")]
        listen: SocketAddr,
    },
    /// Import a git repository with all its branches.
    Import {
        /// The folder that holds everything.
        #[arg(long, value_name = "DIR")]
        root: PathBuf,
        /// What it is called on the forge.
        #[arg(long, value_name = "OWNER/REPO")]
        repo: RepoArg,
        /// The repository to import; it is only read.
        #[arg(long, value_name = "PATH")]
        git: PathBuf,
    },
    /// Open a pull request between two branches or commits.
    OpenPr {
        /// The folder that holds everything.
        #[arg(long, value_name = "DIR")]
        root: PathBuf,
        /// The repository.
        #[arg(long, value_name = "OWNER/REPO")]
        repo: RepoArg,
        /// The branch that it goes into, or a commit to make one of.
        #[arg(long, value_name = "REF")]
        base: String,
        /// The branch that it comes from, or a commit to make one of.
        #[arg(long, value_name = "REF")]
        head: String,
        /// Its title.
        #[arg(long, value_name = "TEXT")]
        title: String,
        /// Who opens it; the repository's owner without it.
        #[arg(long, value_name = "LOGIN")]
        author: Option<String>,
    },
}

/// A repository's name.
#[derive(Clone, Debug)]
pub struct RepoArg(pub RepoName);

impl FromStr for RepoArg {
    type Err = UserError;

    fn from_str(text: &str) -> Result<Self, UserError> {
        Ok(Self(RepoName::parse(text)?))
    }
}

impl CommonArgs {
    /// What the flags say, as the last layer of the configuration.
    pub fn layer(&self) -> ConfigLayer {
        ConfigLayer {
            language: self.lang.map(LanguageArg::code),
            ..ConfigLayer::default()
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{Cli, WatchTarget};
    use clap::{CommandFactory as _, Parser as _};

    #[test]
    fn the_definition_of_the_command_line_is_sound() {
        Cli::command().debug_assert();
    }

    #[test]
    fn targets_are_pull_requests_or_repositories() {
        assert!(matches!("a/b#1".parse(), Ok(WatchTarget::Pull(_))));
        assert!(matches!("a/b".parse(), Ok(WatchTarget::Repository(_))));
        for bad in ["a", "a/b#", "a/b#0", "#1", "https://github.com/a/b/pull/1"] {
            assert!(bad.parse::<WatchTarget>().is_err(), "{bad}");
        }
    }

    #[test]
    fn a_pull_request_that_is_named_twice_is_reviewed_once() {
        let check = |line: &[&str], expect: &[&str]| {
            let line = [&["collie", "review"], line].concat();
            let cli = Cli::try_parse_from(line).unwrap().normalized().unwrap();
            let super::Command::Review(args) = cli.command else {
                panic!("{:?}", cli.command);
            };
            let named: Vec<_> = args.named_pulls().unwrap();
            let named: Vec<_> = named.iter().map(ToString::to_string).collect();
            assert_eq!(named, expect);
        };
        check(&["1", "2", "1", "--repo", "a/b"], &["a/b#1", "a/b#2"]);
        check(
            &["a/b#1", "c/d#1", "A/B#1", "1", "--repo", "c/d"],
            &["a/b#1", "c/d#1"],
        );
    }

    #[test]
    fn flags_that_do_not_go_together_are_refused() {
        for line in [
            &["collie", "review", "1"][..],
            &["collie", "review", "a/b#1", "0"],
            &["collie", "review", "a/b#1", "--json", "--format", "sarif"],
        ] {
            let parsed = Cli::try_parse_from(line).and_then(Cli::normalized);
            assert!(parsed.is_err(), "{line:?}");
        }
    }
}
