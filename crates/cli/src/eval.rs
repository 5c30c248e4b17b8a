//! `collie eval`: how good reviewers are, on pull requests whose faults are known.

use crate::context::Context;
use crate::eval_args::{
    EvalCheckArgs, EvalCommand, EvalCompareArgs, EvalImportArgs, EvalJudgeArgs, EvalReportArgs,
    EvalRunArgs, FormatArg, JudgeArg,
};
use crate::eval_report::{print_comparison, print_figures};
use crate::interrupt::Interrupt;
use crate::localize;
use crate::terminal_text::TerminalText;
use collie_app::eval::{
    self, EvalOptions, EvalProgress, ImportFormat, JudgeKind, Recording, read_results, save_results,
};
use collie_core::error_code::ErrorCode;
use collie_core::user_error::UserError;
use collie_eval::{RunResults, read_hand_lines, write_hand_lines};
use indicatif::{ProgressBar, ProgressStyle};
use serde_json::json;
use std::path::Path;
use std::time::Duration;
use tokio_util::sync::CancellationToken;

/// How often the elapsed time is drawn.
const TICK: Duration = Duration::from_millis(200);

/// Does what is asked; 1 where runs failed.
pub async fn run(context: &Context, command: EvalCommand) -> Result<u8, UserError> {
    match command {
        EvalCommand::Check(args) => check(context, args).await,
        EvalCommand::Run(args) => run_cases(context, *args).await,
        EvalCommand::Judge(args) => judge(context, args).await,
        EvalCommand::Report(args) => report(context, &args),
        EvalCommand::Compare(args) => compare(context, &args),
        EvalCommand::Import(args) => import(context, args).await,
        EvalCommand::Prompts(args) => {
            let count = eval::write_prompts(&args.folder)?;
            Ok(say_prompts_written(context, &args.folder, count))
        }
    }
}

async fn check(context: &Context, args: EvalCheckArgs) -> Result<u8, UserError> {
    let (set, files) = eval::load_set(&args.set.set)?;
    eval::check_set(&set, &files, args.set.clones.as_deref()).await?;
    let clean = set.cases.iter().filter(|case| case.is_clean()).count();
    let faults: usize = set.cases.iter().map(|case| case.faults.len()).sum();
    let output = &context.output;
    if output.json {
        let cases = set.cases.len();
        output.print_json(&json!({
            "type": "eval_set", "set": set.name, "cases": cases, "clean": clean, "faults": faults,
        }));
    }
    output.print_text(&localize!(
        output.localizer,
        "cli-eval-set",
        set = set.name.as_str(),
        cases = set.cases.len(),
        clean = clean,
        faults = faults
    ));
    Ok(0)
}

async fn run_cases(context: &Context, args: EvalRunArgs) -> Result<u8, UserError> {
    if args.model.has_model_flag() && context.config.llm.is_none() {
        return Err(UserError::new(ErrorCode::ReviewNoModel));
    }
    let (set, files) = eval::load_set(&args.set.set)?;
    let options = EvalOptions {
        set,
        files,
        clones: args.set.clones,
        only: args.only,
        persona: args.persona,
        prompts: args.prompts,
        prefer_model: args.model.names_model(),
        repeats: args.repeat,
        jobs: args.jobs as usize,
        recording: match (args.record, args.replay) {
            (Some(folder), _) => Recording::Record(folder),
            (None, Some(folder)) => Recording::Replay(folder),
            (None, None) => Recording::Off,
        },
        judge: judge_kind(args.judge),
        distance: args.distance,
        results: args.out,
        resume: args.resume,
    };
    let bar = progress_bar(context);
    let on_progress = |progress: EvalProgress<'_>| show_progress(context, &bar, progress);
    let cancel = CancellationToken::new();
    let mut interrupt = Interrupt::listen();
    let work = eval::run(&context.config, &options, &on_progress, &cancel);
    tokio::pin!(work);
    let results = tokio::select! {
        results = &mut work => results,
        () = interrupt.wait() => {
            cancel.cancel();
            work.await
        }
    };
    bar.finish_and_clear();
    let results = results?;
    let figures = print_figures(context, &results);
    if figures.failed.is_empty() {
        return Ok(0);
    }
    Err(UserError::new(ErrorCode::EvalCasesFailed)
        .with("failed", figures.failed.len())
        .with("total", results.cases.len())
        .with("file", options.results.display()))
}

fn judge_kind(judge: JudgeArg) -> JudgeKind {
    match judge {
        JudgeArg::Place => JudgeKind::Place,
        JudgeArg::Model => JudgeKind::Model,
    }
}

/// Shows how many runs are over where a person watches.
fn progress_bar(context: &Context) -> ProgressBar {
    if !context.output.is_interactive() {
        return ProgressBar::hidden();
    }
    let template = "{bar:30} {pos}/{len} {msg}  {elapsed}";
    let style = ProgressStyle::with_template(template).expect("a plain template");
    let bar = ProgressBar::new(0).with_style(style);
    bar.enable_steady_tick(TICK);
    bar
}

fn show_progress(context: &Context, bar: &ProgressBar, progress: EvalProgress<'_>) {
    let output = &context.output;
    bar.set_length(progress.total as u64);
    bar.set_position(progress.done as u64);
    let case = progress.case.unwrap_or_default();
    output.show_progress(bar, &TerminalText::plain(case));
    if output.json && progress.case.is_some() {
        output.print_json(&json!({
            "type": "eval_progress", "done": progress.done, "total": progress.total, "case": case,
        }));
    }
}

async fn judge(context: &Context, args: EvalJudgeArgs) -> Result<u8, UserError> {
    let mut results = read_results(&args.results)?;
    if let Some(file) = &args.write {
        let text = write_hand_lines(&results);
        let lines = text.lines().count();
        std::fs::write(file, text).map_err(|error| file_error(file, &error))?;
        return Ok(say_written(context, file, lines));
    }
    if let Some(file) = &args.read {
        let text = std::fs::read_to_string(file).map_err(|error| file_error(file, &error))?;
        let said = read_hand_lines(&file.display().to_string(), &text, &results)?;
        results.verdicts.extend(said);
    } else {
        match args.judge {
            JudgeArg::Place => eval::judge_results(&mut results, args.distance),
            JudgeArg::Model => judge_by_model(context, &mut results).await?,
        }
    }
    save_results(&args.results, &results)?;
    print_figures(context, &results);
    Ok(0)
}

async fn judge_by_model(context: &Context, results: &mut RunResults) -> Result<(), UserError> {
    let bar = progress_bar(context);
    let on_progress = |done: usize, total: usize| {
        bar.set_length(total as u64);
        bar.set_position(done as u64);
    };
    let cancel = CancellationToken::new();
    let mut interrupt = Interrupt::listen();
    let work = eval::judge_by_model(&context.config, results, &on_progress, &cancel);
    tokio::pin!(work);
    let judged = tokio::select! {
        judged = &mut work => judged,
        () = interrupt.wait() => {
            cancel.cancel();
            work.await
        }
    };
    bar.finish_and_clear();
    judged
}

fn file_error(file: &Path, error: &std::io::Error) -> UserError {
    UserError::new(ErrorCode::EvalFile)
        .with("file", file.display())
        .with("message", error)
}

fn say_written(context: &Context, file: &Path, count: usize) -> u8 {
    let output = &context.output;
    if output.json {
        output.print_json(&json!({
            "type": "eval_written", "file": file.display().to_string(), "lines": count,
        }));
    }
    output.print_text(&localize!(
        output.localizer,
        "cli-eval-written",
        file = file.display().to_string(),
        count = count
    ));
    0
}

fn say_prompts_written(context: &Context, folder: &Path, count: usize) -> u8 {
    let output = &context.output;
    if output.json {
        output.print_json(&json!({
            "type": "eval_prompts", "folder": folder.display().to_string(), "files": count,
        }));
    }
    output.print_text(&localize!(
        output.localizer,
        "cli-eval-prompts",
        folder = folder.display().to_string(),
        count = count
    ));
    0
}

fn report(context: &Context, args: &EvalReportArgs) -> Result<u8, UserError> {
    print_figures(context, &read_results(&args.results)?);
    Ok(0)
}

fn compare(context: &Context, args: &EvalCompareArgs) -> Result<u8, UserError> {
    let first = read_results(&args.first)?;
    let second = read_results(&args.second)?;
    let compared = collie_eval::compare(&first, &second);
    if compared.cases == 0 {
        return Err(UserError::new(ErrorCode::EvalNothingInCommon)
            .with("first", args.first.display())
            .with("second", args.second.display()));
    }
    print_comparison(context, (&first, &second), &compared);
    Ok(0)
}

async fn import(context: &Context, args: EvalImportArgs) -> Result<u8, UserError> {
    let format = match args.format {
        FormatArg::Martian => ImportFormat::Martian,
        FormatArg::Aacr => ImportFormat::Aacr,
    };
    let clones = args.clones.as_deref();
    let cases = eval::import_set(format, &args.file, clones, &args.out).await?;
    Ok(say_written(context, &args.out, cases))
}
