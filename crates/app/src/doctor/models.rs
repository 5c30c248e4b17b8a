//! The language models that the configuration names, and whether there is a key for each.

use super::context::DoctorContext;
use collie_config::{Config, LlmSettings, RUNS_ON_LLM};
use collie_core::error_code::ErrorCode;
use collie_core::policy::ReviewerKind;
use collie_reviewers::{AWS_ACCESS_KEY, GOOGLE_METADATA_HOST, KeyOrigin, look_up_key};
use collie_wire::rpc::{DoctorCode, DoctorLine, DoctorStatus};

/// A model, and who asks it.
struct ModelUse<'c> {
    settings: &'c LlmSettings,
    /// `llm`, `models.NAME`, `reviewers.NAME`.
    tables: Vec<String>,
    /// Whether reviews fail without its key.
    is_needed: bool,
}

/// Each model once: that of all, those of personas, those that take over. None is asked: that would cost.
pub(super) async fn check_models(context: &DoctorContext<'_>, config: &Config) -> Vec<DoctorLine> {
    let uses = models_in_use(config);
    if uses.is_empty() {
        let text = context.text("doctor-model-none", &[]);
        return vec![context.line(DoctorCode::Model, DoctorStatus::Ok, text)];
    }
    let mut lines = Vec::new();
    for model in &uses {
        lines.push(check_model(context, model).await);
    }
    lines
}

fn models_in_use(config: &Config) -> Vec<ModelUse<'_>> {
    let mut uses: Vec<ModelUse<'_>> = Vec::new();
    let mut add = |settings, table: String, is_needed: bool| match uses
        .iter_mut()
        .find(|known| known.settings == settings)
    {
        Some(known) => {
            known.tables.push(table);
            known.is_needed |= is_needed;
        }
        None => uses.push(ModelUse {
            settings,
            tables: vec![table],
            is_needed,
        }),
    };
    if let Some(settings) = &config.llm {
        add(settings, "llm".to_owned(), true);
    }
    for (name, settings) in &config.persona_models {
        add(
            settings,
            format!("reviewers.{name}"),
            is_seated(config, name),
        );
    }
    for (name, settings) in &config.models {
        // The one that it takes over from may have its key.
        add(settings, format!("models.{name}"), false);
    }
    uses
}

/// Whether a persona runs on a language model and sits in the panel, or may be asked in there.
fn is_seated(config: &Config, persona: &str) -> bool {
    let stages = config.policy.stages.iter();
    let mut seats = stages
        .flat_map(|stage| &stage.reviewers)
        .filter(|seat| seat.kind == ReviewerKind::Agent);
    config.runner_of(persona) == Some(RUNS_ON_LLM)
        && seats.any(|seat| seat.name == persona || seat.may_escalate_to.contains(persona))
}

async fn check_model(context: &DoctorContext<'_>, model: &ModelUse<'_>) -> DoctorLine {
    let settings = model.settings;
    let lookup = look_up_key(settings, context.keys).await;
    // `[llm]` is what is meant unless something else is said.
    let tables = match &model.tables[..] {
        [table] if table == "llm" => String::new(),
        tables => format!("[{}] ", tables.join("], [")),
    };
    let mut args = vec![
        ("provider", settings.provider.into()),
        ("model", settings.model.clone().into()),
        ("tables", tables.into()),
    ];
    if !lookup.is_missing() {
        let key = match login_place(lookup.origin.as_ref()) {
            Some(place) => {
                args.push(("place", place.to_owned().into()));
                "doctor-model-login"
            }
            None => "doctor-model-ok",
        };
        let text = context.text(key, &args);
        return context.line(DoctorCode::Model, DoctorStatus::Ok, text);
    }
    let status = match model.is_needed {
        true => DoctorStatus::Bad,
        false => DoctorStatus::Warning,
    };
    args.push(("variables", lookup.variables.join(", ").into()));
    let error = lookup.store_error.as_ref();
    let no_keychain = error.is_some_and(|error| error.code == ErrorCode::NoKeychain);
    let key = match settings.key_variable {
        Some(_) => "doctor-model-variable",
        None if no_keychain => "doctor-model-no-keychain",
        None => "doctor-model-key",
    };
    let mut text = context.text(key, &args);
    if let Some(error) = error.filter(|_| !no_keychain) {
        text.push_str(". ");
        text.push_str(&context.localizer.error_text(error));
    }
    context.line(DoctorCode::Model, status, text)
}

/// Where a login is that stands for a key: people have several, and did not name one.
fn login_place(origin: Option<&KeyOrigin>) -> Option<&str> {
    match origin? {
        KeyOrigin::File(place) => Some(place),
        KeyOrigin::Variable(name)
            if [AWS_ACCESS_KEY, GOOGLE_METADATA_HOST].contains(&name.as_str()) =>
        {
            Some(name)
        }
        KeyOrigin::Variable(_) | KeyOrigin::Command(_) | KeyOrigin::Keychain => None,
    }
}
