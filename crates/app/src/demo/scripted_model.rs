//! The scripted model of the demo: it answers on loopback as a service that is compatible with OpenAI's does, with words of `model.toml`.
//!
//! It reads no code and thinks nothing, and its report says so. What it shows is real on the other side: requests, tokens, prices, budgets.

use super::{DemoError, Scenario, sample_files};
use axum::extract::State;
use axum::http::{StatusCode, header};
use axum::response::{IntoResponse, Response};
use axum::routing::{get, post};
use axum::serve::ListenerExt;
use axum::{Json, Router};
use collie_agents::llm::estimate_tokens;
use collie_config::LlmLayer;
use serde::Deserialize;
use serde_json::{Value, json};
use std::path::Path;
use std::sync::Arc;
use tokio_util::sync::{CancellationToken, DropGuard};

/// What it is called in every account of what was spent.
pub(super) const MODEL: &str = "demo-model";

/// Its price, in millionths of a dollar per million tokens: made up, of the usual size.
const PRICES: &str = r#"# The scripted model of the demo has a price that is made up, so that budgets and costs have something to count.
[[price]]
provider = "compatible"
model = "demo-model"
input = 3_000_000
output = 15_000_000
looked_up = "2026-11-24"
source = "made up for the demo"
"#;

/// `model.toml`: what it says of a pull request.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct ModelFile {
    report: String,
    finding: Vec<ScriptedFinding>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct ScriptedFinding {
    file: String,
    /// The line, word for word.
    quote: String,
    kind: String,
    category: String,
    priority: String,
    confidence: f64,
    title: String,
    description: String,
    trigger: Option<String>,
    consequence: Option<String>,
    suggestion: Option<String>,
    /// Its verdict once it looks again.
    later: String,
    /// Why.
    reason: String,
}

fn model_file() -> Result<ModelFile, DemoError> {
    sample_files::parse_embedded(&format!("{}/model.toml", Scenario::ThreeRounds))
}

/// The title of what it asks the author.
pub(super) fn question() -> Result<String, DemoError> {
    let findings = model_file()?.finding.into_iter();
    let mut questions = findings.filter(|finding| finding.kind == "question");
    let question = questions.next().map(|finding| finding.title);
    question.ok_or_else(|| DemoError::EmbeddedFile("model.toml asks nothing".to_owned()))
}

/// How Collie asks it.
pub(super) fn settings(url: &str) -> LlmLayer {
    LlmLayer {
        provider: Some("compatible"),
        model: Some(MODEL.to_owned()),
        url: Some(url.to_owned()),
        ..LlmLayer::default()
    }
}

/// Puts its price into a data folder that has no prices of its own.
pub(super) fn write_prices(data: &Path) -> Result<(), DemoError> {
    let path = data.join("prices.toml");
    // What an earlier Collie wrote there for the model, under another name, is no price of the user's.
    let own = PRICES.lines().next().unwrap_or_default();
    let is_users = |text: String| !text.starts_with(own);
    if path.exists() && std::fs::read_to_string(&path).map_or(true, is_users) {
        return Ok(());
    }
    std::fs::create_dir_all(data).map_err(DemoError::write(data))?;
    std::fs::write(&path, PRICES).map_err(DemoError::write(&path))
}

/// The model, listening; it stops when this is dropped.
#[derive(Debug)]
pub(super) struct ScriptedModel {
    url: String,
    _stop: DropGuard,
}

impl ScriptedModel {
    /// Listens on a free port of loopback. `folder` is where the scenario's files are in their repository.
    pub(super) async fn serve(folder: &Path) -> Result<Self, DemoError> {
        let script = Arc::new(Script::read(folder)?);
        let listener = tokio::net::TcpListener::bind(("127.0.0.1", 0)).await;
        let listener = listener.map_err(DemoError::Model)?;
        let addr = listener.local_addr().map_err(DemoError::Model)?;
        let router = Router::new()
            .route("/v1/models", get(list_models))
            .route("/v1/chat/completions", post(complete))
            .with_state(script);
        let stop = CancellationToken::new();
        let stopped = stop.clone().cancelled_owned();
        tokio::spawn(async move {
            tokio::select! {
                served = axum::serve(listener.tap_io(|stream| drop(stream.set_nodelay(true))), router) => {
                    if let Err(error) = served {
                        tracing::error!(%error, "the scripted model of the demo ended");
                    }
                }
                () = stopped => {}
            }
        });
        Ok(Self {
            url: format!("http://{addr}/v1"),
            _stop: stop.drop_guard(),
        })
    }

    /// Its address.
    pub(super) fn url(&self) -> String {
        self.url.clone()
    }
}

/// What it says, by the paths that the repository has.
#[derive(Debug)]
struct Script {
    report: String,
    findings: Vec<ScriptedFinding>,
    /// One a finding, from 1.
    lines: Vec<u32>,
}

impl Script {
    fn read(folder: &Path) -> Result<Self, DemoError> {
        let mut file = model_file()?;
        let mut lines = Vec::new();
        for finding in &mut file.finding {
            let at = sample_files::line_of(Scenario::ThreeRounds, &finding.file, &finding.quote);
            lines.push(at?);
            let path = folder.join(&finding.file);
            finding.file = path.to_string_lossy().replace('\\', "/");
        }
        Ok(Self {
            report: file.report.trim().to_owned(),
            findings: file.finding,
            lines,
        })
    }

    /// The answer to a question of this shape; none where the script knows no such shape.
    fn answer(&self, shape: &str, prompt: &str) -> Option<Value> {
        match shape {
            "review" => Some(self.review(prompt)),
            "second_look" => Some(second_look(prompt)),
            "test" => Some(json!({ "ok": true })),
            _ => None,
        }
    }

    /// A first look says everything; a later one gives its verdict on each, and finds nothing new.
    fn review(&self, prompt: &str) -> Value {
        let earlier = labels(prompt, 'K').into_iter().map(|(label, text)| {
            let known = self.findings.iter().find(|one| text.contains(&one.title));
            let (verdict, reason) = known
                .map_or(("withdrawn", "The script has no such finding."), |one| {
                    (one.later.as_str(), one.reason.as_str())
                });
            json!({ "finding": label, "reason": reason, "verdict": verdict })
        });
        let earlier: Vec<Value> = earlier.collect();
        let is_shown = |one: &ScriptedFinding| prompt.contains(one.quote.trim());
        let findings: Vec<Value> = match earlier.is_empty() {
            true => self
                .findings
                .iter()
                .zip(&self.lines)
                .filter(|(one, _)| is_shown(one))
                .map(|(one, line)| finding_json(one, *line))
                .collect(),
            false => Vec::new(),
        };
        let conclusion = match findings.is_empty() {
            true => "approve",
            false => "request_changes",
        };
        json!({
            "earlier": earlier, "findings": findings, "fullReport": self.report,
            "escalations": [], "conclusion": conclusion,
        })
    }
}

fn finding_json(one: &ScriptedFinding, line: u32) -> Value {
    json!({
        "file": one.file, "line": line, "evidence": one.quote,
        "trigger": one.trigger, "consequence": one.consequence,
        "description": one.description, "title": one.title, "kind": one.kind,
        "category": one.category, "suggestion": one.suggestion, "replacement": null,
        "priority": one.priority, "confidence": one.confidence,
    })
}

/// It stands by what it said.
fn second_look(prompt: &str) -> Value {
    let verdicts = labels(prompt, 'F').into_iter().map(|(label, _)| {
        json!({ "finding": label, "reason": "The line does what the finding says.", "score": "100" })
    });
    json!({ "verdicts": verdicts.collect::<Vec<_>>() })
}

/// The findings that a prompt labels, such as `**K1**`, each with the text up to the next one.
fn labels(prompt: &str, letter: char) -> Vec<(String, &str)> {
    let begin = format!("**{letter}");
    let mut parts = prompt.split(begin.as_str());
    parts.next();
    let labelled = parts.filter_map(|part| {
        let (number, text) = part.split_once("**\n")?;
        let is_number = !number.is_empty() && number.bytes().all(|byte| byte.is_ascii_digit());
        is_number.then(|| (format!("{letter}{number}"), text))
    });
    labelled.collect()
}

async fn list_models() -> Json<Value> {
    Json(json!({ "object": "list", "data": [{ "id": MODEL, "object": "model" }] }))
}

/// Answers a question as a stream of one piece, with what it took.
async fn complete(State(script): State<Arc<Script>>, Json(body): Json<Value>) -> Response {
    let messages = body["messages"].as_array().into_iter().flatten();
    let prompt: Vec<String> = messages
        .map(|message| text_of(&message["content"]))
        .collect();
    let prompt = prompt.join("\n");
    let shape = body["response_format"]["json_schema"]["name"].as_str();
    let Some(answer) = shape.and_then(|shape| script.answer(shape, &prompt)) else {
        let message = "the scripted model of the demo has no words for this";
        let refusal = Json(json!({ "error": { "message": message } }));
        return (StatusCode::BAD_REQUEST, refusal).into_response();
    };
    let answer = answer.to_string();
    let (read, written) = (estimate_tokens(prompt.len()), estimate_tokens(answer.len()));
    let chunk = |delta: Value, finish: Option<&str>| {
        json!({ "id": "demo", "object": "chat.completion.chunk", "model": MODEL,
            "choices": [{ "index": 0, "delta": delta, "finish_reason": finish }] })
    };
    let usage = json!({ "id": "demo", "object": "chat.completion.chunk", "model": MODEL, "choices": [],
        "usage": { "prompt_tokens": read, "completion_tokens": written, "total_tokens": read + written } });
    let events = [
        chunk(json!({ "role": "assistant", "content": answer }), None),
        chunk(json!({}), Some("stop")),
        usage,
    ];
    let mut stream: String = events
        .iter()
        .map(|event| format!("data: {event}\n\n"))
        .collect();
    stream.push_str("data: [DONE]\n\n");
    ([(header::CONTENT_TYPE, "text/event-stream")], stream).into_response()
}

/// A text, or the texts of a list of parts.
fn text_of(content: &Value) -> String {
    let parts = content.as_array().into_iter().flatten();
    let texts: Vec<&str> = parts.filter_map(|part| part["text"].as_str()).collect();
    content
        .as_str()
        .map_or_else(|| texts.join("\n"), str::to_owned)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn script() -> Script {
        Script::read(Path::new("parcels")).unwrap()
    }

    #[test]
    fn the_price_is_that_of_its_name_and_prices_of_the_user_stay() {
        let data = tempfile::tempdir().unwrap();
        let path = data.path().join("prices.toml");
        let written = || {
            write_prices(data.path()).unwrap();
            std::fs::read_to_string(&path).unwrap()
        };
        assert!(written().contains(&format!("model = \"{MODEL}\"")));
        std::fs::write(&path, PRICES.replace(MODEL, "scripted-model-of-the-demo")).unwrap();
        assert_eq!(written(), PRICES);
        std::fs::write(&path, "# mine\n").unwrap();
        assert_eq!(written(), "# mine\n");
    }

    #[test]
    fn a_first_look_says_what_is_shown_and_a_later_one_gives_its_verdicts() {
        let script = script();
        let shown: Vec<&str> = script
            .findings
            .iter()
            .map(|one| one.quote.as_str())
            .collect();
        let first = script.answer("review", &shown.join("\n")).unwrap();
        assert_eq!(first["findings"].as_array().unwrap().len(), 3);
        assert_eq!(first["findings"][0]["file"], "parcels/parcels.py");
        assert_eq!(first["conclusion"], "request_changes");
        assert!(
            first["fullReport"]
                .as_str()
                .unwrap()
                .contains("scripted model of the demo")
        );

        let earlier = format!(
            "## Your earlier findings\n\n**K1**\n{}\n\n**K2**\n{}\n{}",
            script.findings[1].title, script.findings[0].title, shown[0]
        );
        let later = script.answer("review", &earlier).unwrap();
        let verdicts: Vec<(&str, &str)> = later["earlier"]
            .as_array()
            .unwrap()
            .iter()
            .map(|one| {
                (
                    one["finding"].as_str().unwrap(),
                    one["verdict"].as_str().unwrap(),
                )
            })
            .collect();
        assert_eq!(verdicts, [("K1", "withdrawn"), ("K2", "fixed")]);
        assert_eq!(later["findings"], json!([]));
        assert_eq!(later["conclusion"], "approve");
    }

    #[test]
    fn of_another_change_it_says_nothing_and_what_it_has_no_words_for_it_refuses() {
        let other = script().answer("review", "fn main() {}").unwrap();
        assert_eq!(other["findings"], json!([]));
        assert_eq!(script().answer("answer", ""), None);
        let second = script()
            .answer("second_look", "**F1**\na\n**F2**\nb")
            .unwrap();
        assert_eq!(second["verdicts"].as_array().unwrap().len(), 2);
    }

    #[test]
    fn its_price_is_known_and_what_stands_there_is_kept() {
        let folder = tempfile::tempdir().unwrap();
        write_prices(folder.path()).unwrap();
        let path = folder.path().join("prices.toml");
        let text = std::fs::read_to_string(&path).unwrap();
        collie_agents::llm::Prices::read(&text).unwrap();
        assert!(text.contains(MODEL));
        std::fs::write(&path, "").unwrap();
        write_prices(folder.path()).unwrap();
        assert_eq!(std::fs::read_to_string(&path).unwrap(), "");
    }
}
