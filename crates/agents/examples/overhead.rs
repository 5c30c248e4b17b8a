//! Measures what Collie takes around a language model that answers at once: time by parts, and memory.
//!
//! ```console
//! $ cargo run --release -p collie-agents --example overhead -- CLONE [COMMIT]
//! ```
//!
//! CLONE is the folder of a git repository, COMMIT the one that brought a pull request in; else one is picked. The model is a scripted one
//! on loopback, in this same process; it reports two findings.

mod pull;

use collie_agents::llm::{
    Llm, LlmRequest, Model, Provider, ResponseSchema, RetryPolicy, Secret, count_tokens,
};
use collie_agents::prompting::{
    Material, PromptTarget, filter_findings, parse_review, review_prompt, review_schema,
};
use collie_core::ids::Time;
use collie_fake_llm::{FakeLlm, Reply};
use pull::{Pull, fix::after_fix};
use serde_json::{Value, json};
use std::path::Path;
use std::process::ExitCode;
use std::time::{Duration, Instant};
use tokio_util::sync::CancellationToken;

/// What the app allows for a prompt unless told otherwise.
const BUDGET: u32 = 60_000;
/// Reviews; the first is shown apart.
const ROUNDS: usize = 21;
const PARTS: [&str; 5] = [
    "reading with git",
    "composing",
    "asking",
    "reading the answer",
    "restraining",
];
const NOW: Time = Time(1_790_000_000_000);

#[tokio::main]
async fn main() -> ExitCode {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let measured = match &args[..] {
        [clone, commit] => measure(Path::new(clone), commit).await,
        [clone] => measure_first_suitable(Path::new(clone)).await,
        _ => Err("usage: overhead CLONE [COMMIT]".into()),
    };
    match measured {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("{error}");
            ExitCode::FAILURE
        }
    }
}

async fn measure_first_suitable(clone: &Path) -> Result<(), String> {
    for commit in pull::commits(clone)? {
        let pull = pull::one(clone, &commit, &pull::USUAL_CHANGED_LINES)?;
        if pull.is_some_and(|pull| after_fix(&pull.material).is_some()) {
            return measure(clone, &commit).await;
        }
    }
    Err(format!(
        "{} has no pull request to measure",
        clone.display()
    ))
}

fn read_pull(clone: &Path, commit: &str) -> Result<Pull, String> {
    let none = || format!("{commit} brought no pull request of usual size in");
    let mut pull = pull::one(clone, commit, &pull::USUAL_CHANGED_LINES)?.ok_or_else(none)?;
    pull.material.context = pull::context::context(clone, &pull.material, &pull.material.files)?;
    Ok(pull)
}

async fn measure(clone: &Path, commit: &str) -> Result<(), String> {
    let before = memory_mib("VmRSS:");
    let pull = read_pull(clone, commit)?;
    let words = scripted_answer(&pull.material)?;
    let fake = FakeLlm::serve(move |_| Reply::json(&words)).await;
    let mut model = Model::new(Provider::Anthropic, "claude-sonnet-5-5");
    model.url = Some(fake.url());
    model.key = Secret::new("none");
    let llm = Llm::new(RetryPolicy::default());
    let gathered = memory_mib("VmRSS:");
    let start = Instant::now();
    let _ = count_tokens("The first call reads the table.");
    let table = (start.elapsed(), memory_mib("VmRSS:"));
    let mut rounds = Vec::new();
    for _ in 0..ROUNDS {
        rounds.push(time_one_review((clone, commit), &llm, &model).await?);
    }
    let tokens = review_prompt(&pull.material, BUDGET, &count_tokens, PromptTarget::Model);
    let tokens = tokens.map_err(|error| error.to_string())?.tokens;
    println!(
        "{} {}: {} lines in {} files, {tokens} tokens\n",
        pull.repository,
        &pull.commit[..9],
        pull.changed,
        pull.material.files.len()
    );
    println!(
        "| part | first | median of {} more | longest |\n|---|---|---|---|",
        ROUNDS - 1
    );
    for (at, part) in PARTS.iter().enumerate() {
        print_row(part, &rounds, |round| round[at]);
    }
    print_row("all", &rounds, |round| round.iter().sum());
    println!(
        "\nReading the table of tokens, once: {}. Memory: {before} MiB at the start, {gathered} with the pull request, {} with the table, \
         {} after {ROUNDS} reviews; {} at its peak.",
        millis(table.0),
        table.1,
        memory_mib("VmRSS:"),
        memory_mib("VmHWM:")
    );
    Ok(())
}

/// One review, as long as each part took.
async fn time_one_review(
    (clone, commit): (&Path, &str),
    llm: &Llm,
    model: &Model,
) -> Result<[Duration; PARTS.len()], String> {
    let mut last = Instant::now();
    let mut lap_time = || {
        let now = Instant::now();
        now.duration_since(std::mem::replace(&mut last, now))
    };
    let material = read_pull(clone, commit)?.material;
    let gathered = lap_time();
    let prompt = review_prompt(&material, BUDGET, &count_tokens, PromptTarget::Model);
    let prompt = prompt.map_err(|error| error.to_string())?;
    let composed = lap_time();
    let ask = LlmRequest {
        system: prompt.system,
        user: prompt.user,
        shared_user_blocks: prompt.shared_user_parts,
        response_schema: Some(ResponseSchema {
            name: "review".into(),
            schema: review_schema(),
        }),
        deadline: Duration::from_secs(60),
        spending_gate: None,
    };
    let accept_value = |value: &Value| Ok(value.clone());
    let cancel = CancellationToken::new();
    let asked = llm
        .complete_json(model, &ask, accept_value, &|_| {}, &cancel)
        .await;
    let (value, _) = asked.map_err(|failed| failed.failure.to_string())?;
    let answered = lap_time();
    let answer = parse_review(&value, &material, NOW).map_err(|wrong| wrong.join("; "))?;
    let understood = lap_time();
    let kept_findings = filter_findings(answer, &material).result.findings.len();
    let restrained = lap_time();
    if kept_findings == 0 {
        return Err("no finding was kept: nothing was restrained to the end".into());
    }
    Ok([gathered, composed, answered, understood, restrained])
}

/// What the model says: two findings on lines that the pull request adds.
fn scripted_answer(material: &Material) -> Result<Value, String> {
    let fixed = after_fix(material).ok_or("too few lines for two findings")?;
    let finding = |known: &collie_core::tracked_finding::TrackedFinding| {
        let finding = &known.finding;
        json!({
            "kind": "error", "priority": "P2", "category": finding.category, "file": finding.file, "line": finding.line,
            "evidence": finding.evidence, "title": finding.title, "description": finding.description,
            "suggestion": finding.suggestion, "replacement": null, "confidence": 0.85,
        })
    };
    Ok(json!({
        "conclusion": "request_changes",
        "findings": fixed.tracked_findings.iter().map(finding).collect::<Vec<_>>(),
        "earlier": [],
        "escalations": [],
        "fullReport": "Two places lose data.",
    }))
}

fn print_row<const N: usize>(
    part: &str,
    rounds: &[[Duration; N]],
    of: impl Fn(&[Duration; N]) -> Duration,
) {
    let mut more: Vec<Duration> = rounds.iter().skip(1).map(&of).collect();
    more.sort();
    let median = more.get(more.len() / 2).copied().unwrap_or_default();
    let longest = more.last().copied().unwrap_or_default();
    let first = rounds.first().map(&of).unwrap_or_default();
    println!(
        "| {part} | {} | {} | {} |",
        millis(first),
        millis(median),
        millis(longest)
    );
}

fn millis(time: Duration) -> String {
    format!("{:.1} ms", time.as_secs_f64() * 1000.0)
}

/// A figure of this process in MiB; 0 where the system does not tell (it is Linux's).
fn memory_mib(what: &str) -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix(what));
    let kib = line.and_then(|rest| rest.split_whitespace().next()?.parse::<u64>().ok());
    kib.unwrap_or_default() / 1024
}
