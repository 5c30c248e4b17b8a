//! The tools: what each is called and takes, and what it does.

use crate::explain;
use crate::host::{LoopRequest, McpHost, Offers, RequestFate};
use crate::schemas::{self, gives};
use crate::words::McpWords;
use collie_core::error_code::ErrorCode;
use collie_core::ids::PullName;
use collie_core::lifecycle::State;
use collie_core::tracked_finding::FindingStatus;
use collie_core::user_error::UserError;
use collie_wire::{FindingView, LoopView};
use rmcp::model::{JsonObject, Tool, ToolAnnotations};
use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};
use std::time::Duration;
use tokio_util::sync::CancellationToken;

/// A cancelled loop ends within this time (§10.5).
const ENDS_WITHIN: Duration = Duration::from_secs(10);

const LOOK_AGAIN: Duration = Duration::from_millis(100);

/// A tool.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ToolName {
    Review,
    Start,
    Status,
    Explain,
    Findings,
    Cancel,
}

const ALL: [ToolName; 6] = [
    ToolName::Review,
    ToolName::Start,
    ToolName::Status,
    ToolName::Explain,
    ToolName::Findings,
    ToolName::Cancel,
];

impl ToolName {
    /// The tool of a name among those that are offered.
    pub(crate) fn offered(name: &str, offers: Offers) -> Option<Self> {
        let mut all = ALL.into_iter();
        all.find(|tool| tool.name() == name && tool.is_offered(offers))
    }

    fn name(self) -> &'static str {
        match self {
            Self::Review => "review_pull_request",
            Self::Start => "start_loop",
            Self::Status => "loop_status",
            Self::Explain => "explain_blocker",
            Self::Findings => "list_findings",
            Self::Cancel => "cancel_loop",
        }
    }

    fn is_offered(self, offers: Offers) -> bool {
        match self {
            Self::Review => offers.reviews,
            Self::Start | Self::Cancel => offers.changes,
            Self::Status | Self::Explain | Self::Findings => true,
        }
    }

    /// What a client may tell its person of the tool before it is used.
    fn annotations(self, offers: Offers) -> ToolAnnotations {
        let (read_only, destructive) = match self {
            Self::Status | Self::Explain | Self::Findings => (true, false),
            // A review is posted once a head, and adds alone.
            Self::Review => (!offers.changes, false),
            Self::Start => (false, false),
            // What a session has not finished is lost.
            Self::Cancel => (false, true),
        };
        let reads_outside = matches!(self, Self::Review | Self::Start);
        ToolAnnotations::new()
            .read_only(read_only)
            .destructive(destructive)
            .idempotent(true)
            .open_world(reads_outside)
    }

    fn takes(self, offers: Offers, words: &McpWords) -> Value {
        match self {
            Self::Review if offers.changes => schemas::pull_and_flag(words, "post"),
            Self::Review | Self::Start | Self::Explain | Self::Cancel => schemas::one_pull(words),
            Self::Status => schemas::maybe_pull(words),
            Self::Findings => schemas::pull_and_flag(words, "include_settled"),
        }
    }

    fn gives(self) -> Value {
        match self {
            Self::Review => gives(&[
                ("key", schemas::string()),
                ("conclusion", schemas::string()),
                ("findings", schemas::objects()),
            ]),
            Self::Status => gives(&[("loops", schemas::objects())]),
            Self::Explain => gives(&[
                ("pull_request", schemas::string()),
                ("state", schemas::string()),
                ("blocker", schemas::maybe_object()),
                ("stop", schemas::maybe_object()),
            ]),
            Self::Findings => gives(&[("findings", schemas::objects())]),
            Self::Start | Self::Cancel => gives(&[("outcome", schemas::string())]),
        }
    }

    fn described(self, offers: Offers, words: &McpWords) -> Tool {
        let key = |part: &str| words.plain(&format!("mcp-tool-{}-{part}", self.name()));
        Tool::new_with_raw(
            self.name(),
            Some(key("about").into()),
            schemas::object(self.takes(offers, words)),
        )
        .with_title(key("title"))
        .with_raw_output_schema(schemas::object(self.gives()))
        .with_annotations(self.annotations(offers))
    }
}

/// The tools that are offered.
pub(crate) fn list(offers: Offers, words: &McpWords) -> Vec<Tool> {
    let offered = ALL.into_iter().filter(|tool| tool.is_offered(offers));
    offered.map(|tool| tool.described(offers, words)).collect()
}

/// What a tool answers: words, and the same as data.
pub(crate) struct ToolAnswer {
    pub(crate) text: String,
    pub(crate) data: Value,
}

/// Why there is no answer.
pub(crate) enum ToolError {
    /// The client sent what the tool does not take.
    BadArguments(String),
    /// It could not be done.
    Failed(UserError),
}

impl From<UserError> for ToolError {
    fn from(error: UserError) -> Self {
        Self::Failed(error)
    }
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct OnePull {
    pull_request: String,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct MaybePull {
    pull_request: Option<String>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct ReviewArguments {
    pull_request: String,
    #[serde(default)]
    post: bool,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct FindingsArguments {
    pull_request: String,
    #[serde(default)]
    include_settled: bool,
}

fn arguments<T: DeserializeOwned>(given: JsonObject) -> Result<T, ToolError> {
    serde_json::from_value(Value::Object(given))
        .map_err(|error| ToolError::BadArguments(error.to_string()))
}

fn pull(text: &str) -> Result<PullName, ToolError> {
    PullName::parse(text).map_err(|error| ToolError::Failed(error.into()))
}

/// Uses a tool.
pub(crate) async fn call(
    tool: ToolName,
    given: JsonObject,
    host: &dyn McpHost,
    words: &McpWords,
    on_progress: &(dyn Fn(String) + Send + Sync),
    cancel: &CancellationToken,
) -> Result<ToolAnswer, ToolError> {
    match tool {
        ToolName::Review => {
            let asked: ReviewArguments = arguments(given)?;
            if asked.post && !host.offers().changes {
                return Err(UserError::new(ErrorCode::McpReadOnly).into());
            }
            let pull = pull(&asked.pull_request)?;
            let made = host.review(&pull, asked.post, on_progress, cancel).await?;
            let (text, data) = (made.text, made.data);
            Ok(ToolAnswer { text, data })
        }
        ToolName::Status => {
            let asked: MaybePull = arguments(given)?;
            status(asked.pull_request.as_deref(), host, words).await
        }
        ToolName::Explain => {
            let asked: OnePull = arguments(given)?;
            let view = host.find(&pull(&asked.pull_request)?).await?;
            let (text, data) = explain::explanation(&view, host.has_engine(), words);
            Ok(ToolAnswer { text, data })
        }
        ToolName::Findings => {
            let asked: FindingsArguments = arguments(given)?;
            let view = host.find(&pull(&asked.pull_request)?).await?;
            Ok(findings(&view, asked.include_settled, words))
        }
        ToolName::Start => ask(LoopRequest::Start, given, host, words).await,
        ToolName::Cancel => ask(LoopRequest::Cancel, given, host, words).await,
    }
}

async fn status(
    named: Option<&str>,
    host: &dyn McpHost,
    words: &McpWords,
) -> Result<ToolAnswer, ToolError> {
    let views = match named {
        Some(named) => vec![host.find(&pull(named)?).await?],
        None => host.loops().await?,
    };
    let lines: Vec<String> = views
        .iter()
        .map(|view| explain::line(view, words))
        .collect();
    let text = match lines.is_empty() {
        true => words.plain("mcp-no-loops"),
        false => lines.join("\n"),
    };
    let is_list = named.is_none();
    let loops: Vec<Value> = views.iter().map(|view| loop_json(view, is_list)).collect();
    Ok(ToolAnswer {
        text,
        data: json!({ "loops": loops }),
    })
}

/// The loop as JSON; in a list without what makes it long, which tools and resources of their own tell.
fn loop_json(view: &LoopView, in_list: bool) -> Value {
    let mut shown = serde_json::to_value(view).unwrap_or_default();
    if let Some(fields) = shown.as_object_mut().filter(|_| in_list) {
        for long in [
            "findings",
            "proof",
            "held",
            "held_push",
            "stages",
            "bots",
            "rounds",
            "people",
        ] {
            fields.remove(long);
        }
    }
    shown
}

fn findings(view: &LoopView, include_settled: bool, words: &McpWords) -> ToolAnswer {
    let all = view.findings.iter();
    let shown: Vec<&FindingView> = all
        .filter(|one| include_settled || stands(one.status))
        .collect();
    let mut lines = vec![words.text(
        "mcp-findings",
        &[
            ("pull", view.key.clone().into()),
            ("count", shown.len().into()),
        ],
    )];
    lines.extend(shown.iter().map(|one| {
        let finding = &one.finding;
        let line = finding
            .line
            .map_or(String::new(), |line| format!(":{line}"));
        let (priority, file, title) = (finding.priority, &finding.file, &finding.title);
        format!("{priority:?} {file}{line} {title}")
    }));
    ToolAnswer {
        text: lines.join("\n"),
        data: json!({ "pull_request": view.key, "findings": shown }),
    }
}

/// Whether a finding counts.
fn stands(status: FindingStatus) -> bool {
    match status {
        FindingStatus::Open
        | FindingStatus::Claimed
        | FindingStatus::Rejected
        | FindingStatus::Stuck => true,
        FindingStatus::Fixed
        | FindingStatus::Withdrawn
        | FindingStatus::Unsure
        | FindingStatus::Dismissed => false,
    }
}

async fn ask(
    request: LoopRequest,
    given: JsonObject,
    host: &dyn McpHost,
    words: &McpWords,
) -> Result<ToolAnswer, ToolError> {
    let asked: OnePull = arguments(given)?;
    let pull = pull(&asked.pull_request)?;
    let (outcome, key) = match host.ask(&pull, request).await? {
        RequestFate::Done => ("done", "mcp-asked-done"),
        RequestFate::Queued => ("queued", "mcp-asked-queued"),
        RequestFate::Unanswered => ("unanswered", "mcp-asked-unanswered"),
    };
    if request == LoopRequest::Cancel && outcome == "done" {
        let state = || async { host.find(&pull).await.ok().map(|view| view.state) };
        until_ended(state).await;
    }
    let mut text = words.plain(key);
    let mut state = Value::Null;
    // One that is queued may have no loop yet.
    if let Ok(view) = host.find(&pull).await {
        state = json!(view.state);
        text.push('\n');
        text.push_str(&explain::line(&view, words));
    }
    Ok(ToolAnswer {
        text,
        data: json!({ "pull_request": pull.to_string(), "outcome": outcome, "state": state }),
    })
}

/// Waits until a loop that was told to end has ended, or for [`ENDS_WITHIN`]: an engine in another process has stored the request by
/// then, and may not have carried it out.
async fn until_ended<F: Future<Output = Option<State>>>(state: impl Fn() -> F) {
    let ended = async {
        while state().await.is_some_and(|state| !state.is_terminal()) {
            tokio::time::sleep(LOOK_AGAIN).await;
        }
    };
    let _ = tokio::time::timeout(ENDS_WITHIN, ended).await;
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::atomic::{AtomicUsize, Ordering};
    use tokio::time::Instant;

    #[tokio::test(start_paused = true)]
    async fn a_cancelled_loop_is_looked_at_until_it_has_ended_and_no_longer_than_that() {
        let looks = AtomicUsize::new(0);
        until_ended(|| async {
            match looks.fetch_add(1, Ordering::Relaxed) {
                0 | 1 => Some(State::PrAwaitingChecks),
                _ => Some(State::Cancelled),
            }
        })
        .await;
        assert_eq!(looks.into_inner(), 3);

        let begun = Instant::now();
        until_ended(|| async { Some(State::PrAwaitingChecks) }).await;
        assert_eq!(begun.elapsed(), ENDS_WITHIN, "one that does not end");
        until_ended(|| async { None }).await;
        assert_eq!(begun.elapsed(), ENDS_WITHIN, "there is none to look at");
    }

    fn listed(changes: bool, reviews: bool) -> Vec<Tool> {
        list(Offers { changes, reviews }, &McpWords::new("en"))
    }

    fn names(tools: &[Tool]) -> Vec<&str> {
        tools.iter().map(|tool| tool.name.as_ref()).collect()
    }

    #[test]
    fn nothing_merges_and_only_what_changes_nothing_says_so() {
        let tools = listed(true, true);
        assert_eq!(tools.len(), 6);
        for tool in &tools {
            assert!(!tool.name.contains("merge"), "{}", tool.name);
            let hints = tool.annotations.as_ref().unwrap();
            let reads = ["loop_status", "explain_blocker", "list_findings"];
            assert_eq!(
                hints.read_only_hint,
                Some(reads.contains(&tool.name.as_ref())),
                "{}",
                tool.name
            );
        }
    }

    #[test]
    fn what_is_not_offered_is_neither_listed_nor_called() {
        let reads = ["loop_status", "explain_blocker", "list_findings"];
        let read_only = listed(false, true);
        assert_eq!(names(&read_only)[1..], reads);
        assert_eq!(
            read_only[0].annotations.as_ref().unwrap().read_only_hint,
            Some(true)
        );
        assert!(
            !read_only[0].input_schema["properties"]
                .to_string()
                .contains("post")
        );
        assert_eq!(names(&listed(false, false)), reads);
        let offers = Offers {
            changes: false,
            reviews: false,
        };
        for hidden in ["start_loop", "cancel_loop", "review_pull_request", "merge"] {
            assert_eq!(ToolName::offered(hidden, offers), None, "{hidden}");
        }
        assert_eq!(
            ToolName::offered("loop_status", offers),
            Some(ToolName::Status)
        );
    }
}
