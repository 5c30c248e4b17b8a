//! Short names of events and effects, as the journal lists them: those of their serde form.

use collie_core::model::{Effect, Event};

/// The name of an event.
pub(crate) fn event_name(event: &Event) -> &'static str {
    match event {
        Event::Observed { .. } => "observed",
        Event::ObserveFailed { .. } => "observe_failed",
        Event::ConfigLoaded { .. } => "config_loaded",
        Event::ConfigInvalid { .. } => "config_invalid",
        Event::ReviewFinished { .. } => "review_finished",
        Event::ReviewFailed { .. } => "review_failed",
        Event::FixFinished { .. } => "fix_finished",
        Event::FixFailed { .. } => "fix_failed",
        Event::Pushed { .. } => "pushed",
        Event::Rebased { .. } => "rebased",
        Event::PushFailed { .. } => "push_failed",
        Event::RemoteHead { .. } => "remote_head",
        Event::Delivered { .. } => "delivered",
        Event::ThreadResolved { .. } => "thread_resolved",
        Event::CleanedUp { .. } => "cleaned_up",
        Event::Cancel { .. } => "cancel",
        Event::Retry { .. } => "retry",
        Event::Resume { .. } => "resume",
    }
}

/// The name of an effect.
pub(crate) fn effect_name(effect: &Effect) -> &'static str {
    match effect {
        Effect::LoadConfig { .. } => "load_config",
        Effect::Review { .. } => "review",
        Effect::Fix { .. } => "fix",
        Effect::Push { .. } => "push",
        Effect::ReadRemoteHead { .. } => "read_remote_head",
        Effect::Post { .. } => "say",
        Effect::ResolveThread { .. } => "resolve",
        Effect::CleanUp => "clean_up",
    }
}
