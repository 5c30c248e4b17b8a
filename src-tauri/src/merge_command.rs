//! Merge: taken up here and nowhere else (§11).

use collie_app::backend::Backend;
use collie_app::clock::SystemClock;
use collie_core::ids::{PullName, Sha, Time};
use collie_core::merge_method::MergeMethod;
use collie_github::{GitHubConfig, TokenSource};
use collie_i18n::Localizer;
use collie_merge::{ConfirmedMerge, HumanConsent, MergeError, MergeGate};
use collie_wire::ErrorView;
use collie_wire::rpc::MergedView;
use fluent::FluentValue;
use std::sync::Arc;

/// Merges what the person confirmed in the dialog with a click, which is what sends this command; `at` is when it came.
///
/// # Errors
/// Why it was not merged, and what can be done, in the person's language.
pub async fn merge(
    backend: &Backend,
    localizer: &Localizer,
    pull: PullName,
    head: Sha,
    method: MergeMethod,
    at: Time,
) -> Result<MergedView, ErrorView> {
    let refusal = |code: &str, arguments: &[(&str, FluentValue<'_>)]| {
        refusal_view(localizer, code, arguments)
    };
    let Some(context) = backend.merge_context(&pull) else {
        return Err(refusal("no_loop", &[("pull", pull.to_string().into())]));
    };
    let consent = HumanConsent::given_by_a_click_in_the_merge_dialog(ConfirmedMerge {
        id: context.state.id.clone(),
        pull: pull.clone(),
        head,
        method,
        login: context.login,
        at,
    });
    let config = GitHubConfig::new(context.api_url, TokenSource::Given(context.token));
    let gate = MergeGate::new(&config, Arc::new(SystemClock), Arc::new(context.journal))
        .map_err(|error| refusal("no_connection", &[("message", error.to_string().into())]))?;
    let merged = gate.merge(&context.state, consent).await;
    // Merged or refused: GitHub knows something that the loop has not seen yet.
    backend.look_now(&pull);
    merged
        .map(|merged| MergedView {
            sha: merged.commit.map(|sha| sha.as_str().to_owned()),
            by: merged.by.to_string(),
        })
        .map_err(|error| refusal(error.code(), &refusal_args(&error)))
}

/// A refusal in words.
pub fn refusal_view(
    localizer: &Localizer,
    code: &str,
    arguments: &[(&str, FluentValue<'_>)],
) -> ErrorView {
    let key = format!("desktop-merge-{}", code.replace('_', "-"));
    ErrorView {
        code: code.to_owned(),
        message: localizer.text(&key, arguments),
        hints: Vec::new(),
    }
}

fn refusal_args(error: &MergeError) -> Vec<(&'static str, FluentValue<'static>)> {
    const NAMES: [&str; 6] = ["pull", "login", "host", "message", "confirmed", "now"];
    let mut values = error.args();
    let named = |name: &'static str| Some((name, values.remove(name)?.into()));
    NAMES.into_iter().filter_map(named).collect()
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    /// Refusals that the shell adds to the gate's own.
    const OWN: [&str; 3] = ["no_loop", "no_connection", "quitting"];

    #[test]
    fn every_refusal_has_its_words_in_every_language_and_no_words_are_left_over() {
        let codes: BTreeSet<String> = collie_merge::MergeRefusal::CODES
            .iter()
            .chain(&OWN)
            .map(|code| format!("desktop-merge-{}", code.replace('_', "-")))
            .collect();
        for language in ["en", "fr"] {
            let path = format!(
                "{}/locales/{language}/desktop.ftl",
                env!("CARGO_MANIFEST_DIR")
            );
            let texts = std::fs::read_to_string(path).expect("the texts are beside the sources");
            let worded: BTreeSet<String> = texts
                .lines()
                .filter_map(|line| line.split_once(" ="))
                .filter(|(key, _)| key.starts_with("desktop-merge-"))
                .map(|(key, _)| key.to_owned())
                .collect();
            assert_eq!(worded, codes, "{language}");
        }
    }
}
