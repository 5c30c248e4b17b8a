//! Merge: taken up here and nowhere else (§11).

use collie_app::clock::SystemClock;
use collie_app::desk::Desk;
use collie_app::words::Speech;
use collie_core::ids::{PullName, Sha, Time};
use collie_core::merging::MergeMethod;
use collie_github::{GitHubConfig, TokenSource};
use collie_merge::{Confirmed, HumanConsent, MergeError, MergeGate};
use collie_wire::ErrorView;
use collie_wire::rpc::MergedView;
use fluent::FluentValue;
use std::sync::Arc;

/// Merges what the person confirmed in the dialog with a click, which is what sends this command; `at` is when it came.
///
/// # Errors
/// Why it was not merged, and what can be done, in the person's language.
pub async fn merge(
    desk: &Desk,
    texts: &Speech,
    pull: PullName,
    head: Sha,
    method: MergeMethod,
    at: Time,
) -> Result<MergedView, ErrorView> {
    let view = |code: &str, arguments: &[(&str, FluentValue<'_>)]| refused(texts, code, arguments);
    let Some(ground) = desk.merge_ground(&pull) else {
        return Err(view("no_loop", &[("pull", pull.to_string().into())]));
    };
    let consent = HumanConsent::given_by_a_click_in_the_merge_dialog(Confirmed {
        id: ground.state.id.clone(),
        pull: pull.clone(),
        head,
        method,
        login: ground.login,
        at,
    });
    let config = GitHubConfig::new(ground.api_url, TokenSource::Given(ground.token));
    let gate = MergeGate::new(&config, Arc::new(SystemClock), ground.journal)
        .map_err(|error| view("no_connection", &[("message", error.to_string().into())]))?;
    let merged = gate.merge(&ground.state, consent).await;
    // Merged or refused: GitHub knows something that the loop has not seen yet.
    desk.look_now(&pull);
    merged
        .map(|merged| MergedView {
            sha: merged.commit.map(|sha| sha.as_str().to_owned()),
            by: merged.by.to_string(),
        })
        .map_err(|error| view(error.code(), &arguments(&error)))
}

/// A refusal in words.
pub fn refused(texts: &Speech, code: &str, arguments: &[(&str, FluentValue<'_>)]) -> ErrorView {
    let key = format!("desktop-merge-{}", code.replace('_', "-"));
    ErrorView {
        code: code.to_owned(),
        message: texts.text(&key, arguments),
        hints: Vec::new(),
    }
}

fn arguments(error: &MergeError) -> Vec<(&'static str, FluentValue<'static>)> {
    const NAMES: [&str; 6] = ["pull", "login", "host", "message", "confirmed", "now"];
    let mut told = error.args();
    let named = |name: &'static str| Some((name, told.remove(name)?.into()));
    NAMES.into_iter().filter_map(named).collect()
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    /// Refusals that the shell adds to the gate's own.
    const OWN: [&str; 3] = ["no_loop", "no_connection", "quitting"];

    #[test]
    fn every_refusal_has_its_words_in_every_language_and_no_words_are_left_over() {
        let codes: BTreeSet<String> = collie_merge::Refusal::CODES
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
