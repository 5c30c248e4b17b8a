//! Runs all cases of a set, as many at once as wanted, and keeps each result as it comes.

use super::case_run::{CaseRun, RULES};
use super::clones::{CaseSource, find_source};
use super::judge::{JudgeSetup, judge_one, judge_settings};
use super::options::{EvalOptions, EvalProgress, JudgeKind, Recording};
use super::payer::EvalPayer;
use super::prompt_folder::read_prompts;
use super::recorder::{Recorder, Session};
use super::results_file::{begin, save_results};
use super::sets::file_error;
use crate::auth::model_keys::machine_keys;
use async_trait::async_trait;
use collie_agents::llm::Model;
use collie_agents::prompting::{Persona, prompts_hash};
use collie_config::{Config, LlmSettings, RUNS_ON_LLM};
use collie_core::error_code::{ErrorCode, ErrorHint};
use collie_core::user_error::UserError;
use collie_eval::{Case, CaseResult, RunHeader, RunResults, Verdict, judge_by_place};
use collie_reviewers::{KeySources, KeyStore, Secret};
use futures::StreamExt as _;
use sha2::{Digest as _, Sha256};
use std::collections::BTreeMap;
use std::io::Write as _;
use std::path::Path;
use std::sync::Arc;
use tokio_util::sync::CancellationToken;

/// Runs the reviewer on the cases, and gives the results, which are in the file by then. Stopped, it keeps what was done.
///
/// Prompts of a folder are in use in this process from then on.
pub async fn run(
    config: &Config,
    options: &EvalOptions,
    on_progress: &(dyn Fn(EvalProgress<'_>) + Send + Sync),
    cancel: &CancellationToken,
) -> Result<RunResults, UserError> {
    let cases = chosen_cases(options)?;
    if let Some(folder) = &options.prompts {
        if options.persona == RULES {
            return Err(UserError::new(ErrorCode::EvalPromptsUnused));
        }
        read_prompts(folder)?.put_in_use();
    }
    let reviewer = Reviewer::of(config, options).await?;
    let mut sources = Vec::new();
    for case in &cases {
        sources.push(find_source(case, &options.files, options.clones.as_deref()).await?);
    }
    let recorder = reviewer.recorder(options).await?;
    let payer = match &options.recording {
        Recording::Replay(_) => EvalPayer::nobody(),
        Recording::Off | Recording::Record(_) => EvalPayer::open(config).await?,
    };
    let header = reviewer.header(options);
    let mut results = begin(&options.results, header, options.resume)?;
    let total = cases.len() * options.repeats as usize;
    let mut tasks = Vec::new();
    for (case, source) in cases.iter().zip(&sources) {
        let open = (0..options.repeats).filter(|repeat| !results.has(&case.id, *repeat));
        tasks.extend(open.map(|repeat| (*case, source, repeat)));
    }
    let done = total - tasks.len();
    on_progress(EvalProgress {
        done,
        total,
        case: None,
    });
    let stop = cancel.child_token();
    let work = Work {
        config,
        options,
        reviewer: &reviewer,
        recorder: recorder.as_ref(),
        payer: &payer,
        stop: &stop,
    };
    let on_result = |done: usize, case: &str| {
        let case = Some(case);
        on_progress(EvalProgress { done, total, case });
    };
    let failed = work.run_all(tasks, &mut results, done, &on_result).await?;
    let order: Vec<String> = cases_of_set(options);
    results.sort(&order);
    save_results(&options.results, &results)?;
    let over = cases.iter().all(|case| {
        let mut repeats = 0..options.repeats;
        repeats.all(|repeat| results.is_over(&case.id, repeat))
    });
    match failed {
        Some(error) if !cancel.is_cancelled() => Err(over_budget(error, options, &results, total)),
        _ if !over => Err(stopped(options, &results, total)),
        _ => Ok(results),
    }
}

fn cases_of_set(options: &EvalOptions) -> Vec<String> {
    let cases = options.set.cases.iter();
    cases.map(|case| case.id.clone()).collect()
}

/// What ended the evaluation; where that was the budget, with what is done and how it goes on.
fn over_budget(
    error: UserError,
    options: &EvalOptions,
    results: &RunResults,
    total: usize,
) -> UserError {
    if error.code != ErrorCode::BudgetExceeded {
        return error;
    }
    let scope = error.args.get("scope").cloned();
    let told = UserError::new(ErrorCode::EvalOverBudget)
        .with("done", results.cases.len())
        .with("total", total)
        .with("file", options.results.display())
        .with_arg("cause", error)
        .hint(ErrorHint::RaiseBudget);
    match scope {
        Some(scope) => told.with_arg("scope", scope),
        None => told,
    }
}

fn stopped(options: &EvalOptions, results: &RunResults, total: usize) -> UserError {
    UserError::new(ErrorCode::EvalStopped)
        .with("done", results.cases.len())
        .with("total", total)
        .with("file", options.results.display())
}

/// The cases that were asked for.
fn chosen_cases(options: &EvalOptions) -> Result<Vec<&Case>, UserError> {
    let all = &options.set.cases;
    if options.only.is_empty() {
        return Ok(all.iter().collect());
    }
    for name in &options.only {
        if !all.iter().any(|case| case.id == *name) {
            return Err(UserError::new(ErrorCode::EvalNoCase)
                .with("case", name)
                .with("set", &options.set.name));
        }
    }
    let chosen = |case: &&Case| options.only.contains(&case.id);
    Ok(all.iter().filter(chosen).collect())
}

/// Adds a result to the file, at its end, and to what is known.
fn keep(
    file: &Path,
    results: &mut RunResults,
    result: CaseResult,
    verdicts: Vec<Verdict>,
) -> Result<(), UserError> {
    let is_same = |case: &str, repeat: u32| (case, repeat) == (&*result.case, result.repeat);
    results.cases.retain(|one| !is_same(&one.case, one.repeat));
    results
        .verdicts
        .retain(|one| !is_same(&one.case, one.repeat));
    let piece = RunResults {
        header: results.header.clone(),
        cases: vec![result],
        verdicts,
    };
    let lines = collie_eval::write_results(&piece);
    // Its first line is the header, which is there.
    let lines = lines.split_once('\n').map_or("", |(_, rest)| rest);
    let append = || {
        let mut file = std::fs::OpenOptions::new().append(true).open(file)?;
        file.write_all(lines.as_bytes())
    };
    append().map_err(|error: std::io::Error| file_error(file, error))?;
    results.cases.extend(piece.cases);
    results.verdicts.extend(piece.verdicts);
    Ok(())
}

/// Who reviews, and what on.
struct Reviewer {
    persona: Option<Persona>,
    /// The model, where it runs on one, with its settings.
    model: Option<(LlmSettings, Model)>,
    runs_on: String,
}

fn find_persona(config: &Config, name: &str) -> Result<Persona, UserError> {
    let (personas, wrong) = collie_config::load_personas(&config.home);
    let found = personas.into_iter().find(|persona| persona.name == name);
    found.ok_or_else(|| {
        let unknown = UserError::new(ErrorCode::PersonaUnknown).with("name", name);
        match wrong.is_empty() {
            true => unknown,
            false => unknown.with_causes(wrong),
        }
    })
}

/// What is recorded is one service: none takes over from it.
fn alone(settings: &LlmSettings) -> LlmSettings {
    LlmSettings {
        fallback: Vec::new(),
        ..settings.clone()
    }
}

/// What is replayed needs neither key nor headers.
fn keyless(settings: &LlmSettings) -> LlmSettings {
    LlmSettings {
        key_variable: None,
        key_command: Vec::new(),
        headers: BTreeMap::new(),
        ..alone(settings)
    }
}

impl Reviewer {
    async fn of(config: &Config, options: &EvalOptions) -> Result<Self, UserError> {
        let name = options.persona.as_str();
        if name == RULES {
            return Ok(Self {
                persona: None,
                model: None,
                runs_on: RULES.to_owned(),
            });
        }
        let persona = Some(find_persona(config, name)?);
        let named = options.prefer_model && config.llm.is_some();
        let runner = match named {
            true => Some(RUNS_ON_LLM),
            false => config.runner_of(name),
        };
        let without = |code| UserError::new(code).with("name", name);
        let runner = runner.ok_or_else(|| without(ErrorCode::PersonaWithoutRunner))?;
        if runner != RUNS_ON_LLM {
            return Ok(Self {
                persona,
                model: None,
                runs_on: runner.to_owned(),
            });
        }
        let settings = match named {
            true => config.llm.as_ref(),
            false => config.model_of(name),
        };
        let settings = settings.ok_or_else(|| without(ErrorCode::PersonaWithoutModel))?;
        let settings = match &options.recording {
            Recording::Off => settings.clone(),
            Recording::Record(_) => alone(settings),
            Recording::Replay(_) => keyless(settings),
        };
        let model = collie_reviewers::build_model(&settings, &keys_for(&options.recording)).await;
        let model = model.map_err(|failure| failure.into_error())?;
        Ok(Self {
            persona,
            runs_on: model.to_string(),
            model: Some((settings, model)),
        })
    }

    fn header(&self, options: &EvalOptions) -> RunHeader {
        let persona_hash = self.persona.as_ref().map(|persona| {
            let words = [&persona.name, &persona.title, &persona.focus, &persona.body];
            let words = words.map(String::as_str).join("\0");
            hex::encode(Sha256::digest(words.as_bytes()))[..16].to_owned()
        });
        let llm = self.model.as_ref().map(|(settings, _)| settings);
        RunHeader {
            format: RunHeader::FORMAT,
            set: options.set.name.clone(),
            set_hash: options.set.hash.clone(),
            persona: options.persona.clone(),
            persona_hash,
            runs_on: self.runs_on.clone(),
            prompts: self.persona.as_ref().map(|_| prompts_hash()),
            version: env!("CARGO_PKG_VERSION").to_owned(),
            repeats: options.repeats,
            temperature: llm.and_then(|llm| llm.temperature),
            max_tokens: llm.map(|llm| llm.max_tokens),
        }
    }

    async fn recorder(&self, options: &EvalOptions) -> Result<Option<Recorder>, UserError> {
        let (folder, records) = match &options.recording {
            Recording::Off => return Ok(None),
            Recording::Record(folder) => (folder, true),
            Recording::Replay(folder) => (folder, false),
        };
        if self.model.is_none() {
            let persona = &options.persona;
            return Err(UserError::new(ErrorCode::EvalNoModel).with("persona", persona));
        }
        Recorder::start(folder, records).await.map(Some)
    }
}

/// Where the root of a model's service is: scheme with host, and path with query.
fn service(model: &Model) -> Result<(String, String), UserError> {
    let url = model.target().base_url().map_err(|reason| {
        UserError::new(ErrorCode::LlmBadAddress)
            .with("model", model)
            .with_aside("message", reason)
    })?;
    let path = url.path().trim_end_matches('/');
    let query = url.query().map(|query| format!("?{query}"));
    let path = format!("{path}{}", query.unwrap_or_default());
    Ok((url.origin().ascii_serialization(), path))
}

/// A model that is asked through the recorder.
struct Recorded {
    session: Session,
    settings: LlmSettings,
    keys: KeySources,
}

/// The key of the service behind the recorder, whose own address the keychain knows nothing of.
struct ServiceKey(Secret);

#[async_trait]
impl KeyStore for ServiceKey {
    async fn load_key(&self, _: &str) -> Result<Option<Secret>, UserError> {
        Ok(Some(self.0.clone()))
    }
}

/// Where keys are looked up; what is replayed needs none, so that nobody is asked to unlock a keychain.
fn keys_for(recording: &Recording) -> KeySources {
    match recording {
        Recording::Replay(_) => KeySources::of_environment(),
        Recording::Off | Recording::Record(_) => machine_keys(),
    }
}

struct Work<'a> {
    config: &'a Config,
    options: &'a EvalOptions,
    reviewer: &'a Reviewer,
    recorder: Option<&'a Recorder>,
    payer: &'a EvalPayer,
    stop: &'a CancellationToken,
}

impl Work<'_> {
    /// Runs what is open, and keeps each result as it comes. Gives the error that ended it, if one did.
    async fn run_all(
        &self,
        tasks: Vec<(&Case, &CaseSource, u32)>,
        results: &mut RunResults,
        mut done: usize,
        on_result: &(dyn Fn(usize, &str) + Send + Sync),
    ) -> Result<Option<UserError>, UserError> {
        let mut runs = futures::stream::iter(tasks)
            .map(|(case, source, repeat)| self.run_one(case, source, repeat))
            .buffer_unordered(self.options.jobs.max(1));
        let mut failed = None;
        while let Some(ended) = runs.next().await {
            match ended {
                Ok(_) if self.stop.is_cancelled() => {}
                Ok((result, verdicts)) => {
                    let case = result.case.clone();
                    keep(&self.options.results, results, result, verdicts)?;
                    done += 1;
                    on_result(done, &case);
                }
                // What the others say after it, stopped, is no reason.
                Err(error) => {
                    self.stop.cancel();
                    failed.get_or_insert(error);
                }
            }
        }
        Ok(failed)
    }

    /// Runs a case once and has it judged.
    async fn run_one(
        &self,
        case: &Case,
        source: &CaseSource,
        repeat: u32,
    ) -> Result<(CaseResult, Vec<Verdict>), UserError> {
        let recorded = match &self.reviewer.model {
            Some((settings, _)) => {
                self.record(&format!("{}/{repeat}", case.id), settings)
                    .await?
            }
            None => None,
        };
        let run = CaseRun {
            config: self.config,
            options: self.options,
            case,
            source,
            repeat,
            payer: self.payer,
        };
        let asked = match &recorded {
            Some(recorded) => (Some(recorded.settings.clone()), recorded.keys.clone()),
            None => (None, machine_keys()),
        };
        let mut result = run.run(asked, self.stop).await?;
        if let Some(recorded) = recorded {
            result.ms = self.close(case, recorded).await?;
        }
        let mut verdicts = judge_by_place(&result, self.options.distance);
        let judged = self.options.judge == JudgeKind::Model && result.failure.is_none();
        if judged && !self.stop.is_cancelled() {
            verdicts.extend(self.judge(case, &result).await?);
        }
        Ok((result, verdicts))
    }

    async fn judge(&self, case: &Case, result: &CaseResult) -> Result<Vec<Verdict>, UserError> {
        let settings = judge_settings(self.config)?;
        let name = format!("{}/{}-judge", case.id, result.repeat);
        let recorded = self.record(&name, settings).await?;
        let keys = machine_keys();
        let (settings, keys) = match &recorded {
            Some(one) => (&one.settings, &one.keys),
            None => (settings, &keys),
        };
        let judge = JudgeSetup {
            config: self.config,
            settings,
            keys,
            payer: self.payer,
        };
        let judged = judge_one(judge, result, self.stop).await;
        if let Some(recorded) = recorded {
            self.close(case, recorded).await?;
        }
        judged
    }

    /// Puts the recorder between a model and its service, where there is one.
    async fn record(
        &self,
        name: &str,
        settings: &LlmSettings,
    ) -> Result<Option<Recorded>, UserError> {
        let Some(recorder) = self.recorder else {
            return Ok(None);
        };
        let settings = match &self.options.recording {
            Recording::Replay(_) => keyless(settings),
            Recording::Off | Recording::Record(_) => alone(settings),
        };
        let keys = keys_for(&self.options.recording);
        let model = collie_reviewers::build_model(&settings, &keys).await;
        let model = model.map_err(|failure| failure.into_error())?;
        let (origin, path) = service(&model)?;
        let session = recorder.open(name, &origin)?;
        let url = Some(session.url(&path));
        let settings = LlmSettings { url, ..settings };
        let keys = match model.key {
            Some(key) => keys.with_store(Arc::new(ServiceKey(key))),
            None => keys,
        };
        Ok(Some(Recorded {
            session,
            settings,
            keys,
        }))
    }

    /// Ends a session; gives how long the model took. What was asked and is not recorded fails the run.
    async fn close(&self, case: &Case, recorded: Recorded) -> Result<u64, UserError> {
        let outcome = recorded.session.close().await?;
        match &self.options.recording {
            Recording::Replay(folder) if outcome.missing => {
                Err(UserError::new(ErrorCode::EvalNotRecorded)
                    .with("case", &case.id)
                    .with("folder", folder.display()))
            }
            _ => Ok(outcome.ms),
        }
    }
}
