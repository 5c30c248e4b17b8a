//! `collie models`: which language models a service has, and whether those that are set up answer (§15).

use crate::args::{ModelsArgs, ModelsCommand};
use crate::context::Context;
use crate::error_output::print_error;
use crate::interrupt::Interrupt;
use crate::localize;
use crate::terminal_text::TerminalText;
use collie_app::auth::model_keys::machine_keys;
use collie_config::LlmSettings;
use collie_core::error_code::ErrorCode;
use collie_core::usage::Cost;
use collie_core::user_error::UserError;
use collie_reviewers::{ListedModel, ModelTest, list_models, test_model};
use console::Style;
use serde_json::json;
use tokio_util::sync::CancellationToken;

/// Exit status of a test that a model failed.
const EXIT_FAILED: u8 = 1;

/// Lists models, or tests them.
pub async fn run(context: &Context, args: ModelsArgs) -> Result<u8, UserError> {
    match args.command {
        None => list(context, &args).await,
        Some(ModelsCommand::Test { ref model }) => test(context, &args, model.as_deref()).await,
    }
}

/// Lists what the services have that are named, or set up.
async fn list(context: &Context, args: &ModelsArgs) -> Result<u8, UserError> {
    let asked = match args.layered(&context.config, None) {
        Some(settings) => vec![settings],
        None => services(context)?,
    };
    let keys = machine_keys();
    for settings in &asked {
        let models = list_models(settings, &keys).await?;
        print_list(context, settings, &models);
    }
    Ok(0)
}

fn print_list(context: &Context, settings: &LlmSettings, models: &[ListedModel]) {
    let (output, localizer) = (&context.output, &context.output.localizer);
    let title = localize!(
        localizer,
        "cli-models-title",
        provider = settings.provider,
        count = models.len()
    );
    output.print_styled(&TerminalText::styled(&Style::new().bold(), title));
    for model in models {
        if output.json {
            output.print_json(&json!({
                "type": "model",
                "provider": settings.provider,
                "name": model.name,
                "title": model.title,
                "context_tokens": model.context_tokens,
            }));
            continue;
        }
        let mut line = TerminalText::plain(format!("  {}", model.name));
        if let Some(tokens) = model.context_tokens {
            let tokens = localizer.shared.format_number(tokens);
            let text = localize!(localizer, "cli-models-context", tokens = tokens);
            line.push(format!("  {text}"));
        }
        if let Some(title) = &model.title {
            line.push(format!("  {title}"));
        }
        output.print_styled(&line);
    }
}

/// Asks each model that is named, or set up, one small question.
async fn test(context: &Context, args: &ModelsArgs, model: Option<&str>) -> Result<u8, UserError> {
    let asked = match (args.layered(&context.config, model), model) {
        (Some(settings), _) if settings.model.is_empty() => {
            return Err(UserError::new(ErrorCode::ModelsUnnamed));
        }
        (Some(settings), _) => vec![settings],
        (None, _) => all_models(context)?,
    };
    let keys = machine_keys();
    let mut interrupt = Interrupt::listen();
    let cancel = CancellationToken::new();
    let mut status = 0;
    for settings in &asked {
        let work = test_model(&context.config, settings, &keys, &cancel);
        tokio::pin!(work);
        let tested = tokio::select! {
            tested = &mut work => tested,
            () = interrupt.wait() => {
                cancel.cancel();
                work.await
            }
        };
        if tested.is_err() {
            status = EXIT_FAILED;
        }
        print_test(context, settings, &tested);
    }
    Ok(status)
}

fn print_test(context: &Context, settings: &LlmSettings, tested: &Result<ModelTest, UserError>) {
    let (output, localizer) = (&context.output, &context.output.localizer);
    let name = format!("{}/{}", settings.provider, settings.model);
    let tested = match tested {
        Ok(tested) => tested,
        Err(error) => {
            print_error(error, output);
            return;
        }
    };
    if output.json {
        // Costs are far below the 2^53 micro-dollars that a float holds exactly.
        let dollars = |micros: u64| micros as f64 / 1_000_000.0;
        output.print_json(&json!({
            "type": "model_test",
            "model": name,
            "answered_model": tested.answered_model,
            "latency_ms": tested.latency_ms,
            "input_tokens": tested.usage.input_tokens,
            "output_tokens": tested.usage.output_tokens,
            "cost_usd": tested.cost_micros.map(dollars),
        }));
        return;
    }
    let cost = Cost {
        micros: tested.cost_micros.unwrap_or_default(),
        unpriced: tested.cost_micros.is_none(),
    };
    let text = localize!(
        localizer,
        "cli-models-answers",
        name = name,
        ms = localizer.shared.format_number(tested.latency_ms),
        input = localizer.shared.format_number(tested.usage.input_tokens),
        output = localizer.shared.format_number(tested.usage.output_tokens),
        cost = localizer.shared.format_cost(cost)
    );
    output.print_text(&text);
    if let Some(answered) = tested
        .answered_model
        .as_ref()
        .filter(|n| **n != settings.model)
    {
        let text = localize!(
            localizer,
            "cli-models-answered-as",
            name = answered.as_str()
        );
        output.print_text(&text);
    }
}

/// Every model that is set up, each once.
fn all_models(context: &Context) -> Result<Vec<LlmSettings>, UserError> {
    let mut all: Vec<LlmSettings> = Vec::new();
    for settings in context.config.all_models() {
        if !all.contains(settings) {
            all.push(settings.clone());
        }
    }
    match all.is_empty() {
        true => Err(UserError::new(ErrorCode::ModelsNone)),
        false => Ok(all),
    }
}

/// One of the models of each service.
fn services(context: &Context) -> Result<Vec<LlmSettings>, UserError> {
    let mut all = all_models(context)?;
    let mut seen = Vec::new();
    all.retain(|settings| {
        let service = (settings.provider, settings.url.clone());
        let is_new = !seen.contains(&service);
        seen.push(service);
        is_new
    });
    Ok(all)
}
