//! Why a merge was not done, in codes, in values, and in words.

use collie_core::error_code::ErrorHint;
use collie_core::ids::{Login, PullName, Sha, Time};
use collie_core::lifecycle::State;
use collie_core::merge_method::MergeMethod;
use collie_core::user_error::UserError;
use serde::Serialize;
use serde_json::Value;
use std::collections::BTreeMap;

/// A merge that was not done, or of which that is not known.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("merging {pull}: {why}")]
pub struct MergeError {
    /// What was to be merged.
    pub pull: PullName,
    /// Why it was not.
    #[source]
    pub why: MergeRefusal,
}

impl From<&MergeError> for UserError {
    fn from(error: &MergeError) -> Self {
        let code = error.why.code();
        let code = code
            .parse()
            .expect("a test holds that each is among all codes");
        let mut user_error = UserError::new(code).with("pull", &error.pull);
        for (name, value) in error.why.args() {
            user_error = user_error.with(&name, value);
        }
        match &error.why {
            MergeRefusal::NotFound { .. } => {
                user_error.with("what", &error.pull).hint(ErrorHint::Access)
            }
            MergeRefusal::Unauthorized { .. } => user_error.hint(ErrorHint::SignIn),
            MergeRefusal::Refused { .. } => user_error.hint(ErrorHint::OnGithub),
            MergeRefusal::Unreachable { .. } => user_error.hint(ErrorHint::TryAgain),
            MergeRefusal::RateLimited { until, .. } => user_error.with_arg("until", *until),
            MergeRefusal::NotReady { state } => user_error.with_arg("state", *state),
            // The sentences of the others say what to do.
            MergeRefusal::OtherPull { .. }
            | MergeRefusal::HeadMoved { .. }
            | MergeRefusal::Draft
            | MergeRefusal::Closed
            | MergeRefusal::AlreadyMerged { .. }
            | MergeRefusal::Conflict
            | MergeRefusal::ChecksNotGreen { .. }
            | MergeRefusal::Blocked
            | MergeRefusal::Behind
            | MergeRefusal::MergeabilityUnknown
            | MergeRefusal::AutoMergeOn { .. }
            | MergeRefusal::InMergeQueue
            | MergeRefusal::QueueRequired
            | MergeRefusal::StackLayer { .. }
            | MergeRefusal::BaseChanged { .. }
            | MergeRefusal::MethodNotAllowed { .. }
            | MergeRefusal::NoPermission { .. }
            | MergeRefusal::SignedInAsAnother { .. }
            | MergeRefusal::NotMerged { .. }
            | MergeRefusal::OutcomeUnknown { .. }
            | MergeRefusal::Unrecorded { .. } => user_error,
        }
    }
}

/// Why a merge was not done. Only with [`Refusal::OutcomeUnknown`] may it have been all the same.
#[derive(
    Clone,
    Debug,
    PartialEq,
    Eq,
    Serialize,
    thiserror::Error,
    strum::IntoStaticStr,
    strum::VariantNames,
)]
#[serde(tag = "code", rename_all = "snake_case")]
#[strum(serialize_all = "snake_case")]
pub enum MergeRefusal {
    /// The confirmation is for another pull request, or another host.
    #[error(
        "the confirmation was given for {confirmed} on another host or in another loop; open the dialog again"
    )]
    OtherPull {
        /// What was confirmed.
        confirmed: PullName,
    },
    /// The loop is not ready at this head.
    #[error(
        "its loop stands at `{state}`, and only what is ready can be merged; wait until it is ready"
    )]
    NotReady {
        /// Where it stands.
        state: State,
    },
    /// The head is another one than the person saw.
    #[error("its head was {saw} in the dialog and is {} now; look at the new commits, then decide again", shown(.now.as_ref()))]
    HeadMoved {
        /// In the dialog.
        saw: Sha,
        /// Now; none when it could not be read.
        now: Option<Sha>,
    },
    /// It is a draft.
    #[error("it is a draft; mark it as ready for review on GitHub")]
    Draft,
    /// It is closed.
    #[error("it is closed; reopen it on GitHub if it is still wanted")]
    Closed,
    /// It is merged already: the goal is reached, by another way.
    #[error("{} has merged it already, at {head}; nothing is left to do", someone(.by.as_ref()))]
    AlreadyMerged {
        /// Who did it; none when GitHub does not say.
        by: Option<Login>,
        /// The head that was merged.
        head: Sha,
        /// The commit on the base.
        commit: Option<Sha>,
    },
    /// It conflicts with the base.
    #[error("it conflicts with its base; resolve the conflict on the branch and push")]
    Conflict,
    /// Checks of the head failed or are not done.
    #[error("its checks are not green (failed: {}; not done: {}); wait for them, or run them again", listed(.failed), listed(.running))]
    ChecksNotGreen {
        /// Names of those that failed.
        failed: Vec<String>,
        /// Names of those that are not done.
        running: Vec<String>,
    },
    /// The rules of the base branch hold it.
    #[error(
        "the rules of its base branch hold it, such as a review or a check that they require; see the merge box on GitHub"
    )]
    Blocked,
    /// The base must be in it first.
    #[error("its branch must be up to date with the base; update it on GitHub")]
    Behind,
    /// GitHub has not found out whether it merges.
    #[error("GitHub is still finding out whether it can be merged; try again in a moment")]
    MergeabilityUnknown,
    /// Auto-merge is on.
    #[error("auto-merge was switched on by {}; switch it off on GitHub, or leave the merge to it", someone(.by.as_ref()))]
    AutoMergeOn {
        /// By whom; none when GitHub does not say.
        by: Option<Login>,
    },
    /// A merge queue holds it.
    #[error("it is in the merge queue, which merges it; take it out on GitHub to merge otherwise")]
    InMergeQueue,
    /// The base takes merges from its queue only.
    #[error("its base branch merges through a queue; add it to the queue on GitHub")]
    QueueRequired,
    /// It goes into the branch of another open pull request: it is a layer of a stack.
    #[error(
        "it is a layer of a stack: its base `{base}` is the branch of {below}, which is still open; merge {below} first"
    )]
    StackLayer {
        /// The name of the pull request below it.
        below: String,
        /// The branch of that one, which is the base of this one.
        base: String,
    },
    /// It goes into another branch than the loop knows.
    #[error(
        "its base was `{saw}` and is `{now}` now; wait until its loop has looked again, then decide anew"
    )]
    BaseChanged {
        /// As the loop knows it.
        saw: String,
        /// Now.
        now: String,
    },
    /// The repository does not allow the method.
    #[error("the repository does not allow `{}`; choose another method", .method.as_str())]
    MethodNotAllowed {
        /// What was chosen.
        method: MergeMethod,
    },
    /// The account may not merge.
    #[error("{login} may not merge there ({message}); ask for write access, or let another merge")]
    NoPermission {
        /// The account.
        login: Login,
        /// Its role, or GitHub's words.
        message: String,
    },
    /// GitHub does not accept the token, or there is none.
    #[error("{host} does not accept the token of {login}; sign in again")]
    Unauthorized {
        /// The host.
        host: String,
        /// Whose it was.
        login: Login,
    },
    /// Another account is signed in than the dialog showed.
    #[error("the dialog showed {confirmed}, and {now} is signed in now; open the dialog again")]
    SignedInAsAnother {
        /// In the dialog.
        confirmed: Login,
        /// Now.
        now: Login,
    },
    /// It is not there, or another repository bears its name.
    #[error("it was not found on {host}; check that it exists, and that the token may see it")]
    NotFound {
        /// The host.
        host: String,
    },
    /// GitHub asks to wait.
    #[error("{host} asks to wait until {}; try again then", .until.rfc3339())]
    RateLimited {
        /// The host.
        host: String,
        /// Until then.
        until: Time,
    },
    /// GitHub could not be asked; nothing was sent that merges.
    #[error("{host} could not be reached ({message}); try again when it answers")]
    Unreachable {
        /// The host.
        host: String,
        /// What came of it.
        message: String,
    },
    /// GitHub refuses for another reason.
    #[error("{host} refused ({message}); see the merge box on GitHub")]
    Refused {
        /// The host.
        host: String,
        /// GitHub's words.
        message: String,
    },
    /// The call got no clear answer, and GitHub shows the pull request open ever since.
    #[error(
        "{host} gave no clear answer ({message}) and shows it open ever since; click Merge again if it stays so"
    )]
    NotMerged {
        /// The host.
        host: String,
        /// What came of the call.
        message: String,
    },
    /// The call got no clear answer, and GitHub cannot be asked what came of it.
    #[error(
        "whether it is merged is not certain, since {host} gave no clear answer ({message}); look at it on GitHub before you try again"
    )]
    OutcomeUnknown {
        /// The host.
        host: String,
        /// What came of the call.
        message: String,
    },
    /// The request could not be written down, so that nothing was asked of GitHub.
    #[error("the audit log could not be written ({message}); mend that, then try again")]
    Unrecorded {
        /// What came of it.
        message: String,
    },
}

impl MergeRefusal {
    /// Every code there is.
    pub const CODES: &[&str] = <MergeRefusal as strum::VariantNames>::VARIANTS;

    /// The stable name: what programs branch on, and the end of a text's key.
    pub fn code(&self) -> &'static str {
        self.into()
    }

    fn args(&self) -> BTreeMap<String, String> {
        // Its fields are texts, numbers and lists of texts: all of them can be written as JSON.
        let Ok(Value::Object(mut fields)) = serde_json::to_value(self) else {
            return BTreeMap::new();
        };
        fields.remove("code");
        if let MergeRefusal::OtherPull { confirmed } = self {
            fields.insert("confirmed".to_string(), confirmed.to_string().into());
        }
        if let MergeRefusal::RateLimited { until, .. } = self {
            fields.insert("until".to_string(), until.rfc3339().into());
        }
        fields
            .into_iter()
            .filter_map(|(name, value)| Some((name, json_to_text(value)?)))
            .collect()
    }
}

/// A field as a text; none where it has no value.
fn json_to_text(value: Value) -> Option<String> {
    match value {
        Value::Null => None,
        Value::String(text) => Some(text),
        Value::Array(items) => Some(
            items
                .into_iter()
                .filter_map(json_to_text)
                .collect::<Vec<_>>()
                .join(", "),
        ),
        other @ (Value::Bool(_) | Value::Number(_) | Value::Object(_)) => Some(other.to_string()),
    }
}

fn shown(sha: Option<&Sha>) -> &str {
    sha.map_or("another one", Sha::as_str)
}

fn someone(login: Option<&Login>) -> &str {
    login.map_or("somebody", Login::as_str)
}

fn listed(names: &[String]) -> String {
    if names.is_empty() {
        "none".to_string()
    } else {
        names.join(", ")
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fmt::Write;

    fn every_refusal() -> Vec<MergeRefusal> {
        let sha = |digit: &str| Sha::parse(&digit.repeat(40)).expect("a SHA");
        let host = || "github.com".to_string();
        let message = || "HTTP status 500".to_string();
        let octo = || Login::new("octo");
        let pull = PullName::parse("demo/app#1").expect("a name");
        vec![
            MergeRefusal::OtherPull { confirmed: pull },
            MergeRefusal::NotReady {
                state: State::PrReviewing,
            },
            MergeRefusal::HeadMoved {
                saw: sha("a"),
                now: Some(sha("b")),
            },
            MergeRefusal::HeadMoved {
                saw: sha("a"),
                now: None,
            },
            MergeRefusal::Draft,
            MergeRefusal::Closed,
            MergeRefusal::AlreadyMerged {
                by: Some(octo()),
                head: sha("a"),
                commit: Some(sha("c")),
            },
            MergeRefusal::AlreadyMerged {
                by: None,
                head: sha("a"),
                commit: None,
            },
            MergeRefusal::Conflict,
            MergeRefusal::ChecksNotGreen {
                failed: vec!["a".into(), "b".into()],
                running: vec![],
            },
            MergeRefusal::Blocked,
            MergeRefusal::Behind,
            MergeRefusal::MergeabilityUnknown,
            MergeRefusal::AutoMergeOn { by: Some(octo()) },
            MergeRefusal::InMergeQueue,
            MergeRefusal::QueueRequired,
            MergeRefusal::StackLayer {
                below: "demo/app#3".into(),
                base: "layer".into(),
            },
            MergeRefusal::BaseChanged {
                saw: "main".into(),
                now: "next".into(),
            },
            MergeRefusal::MethodNotAllowed {
                method: MergeMethod::Squash,
            },
            MergeRefusal::NoPermission {
                login: octo(),
                message: "it has no write access".into(),
            },
            MergeRefusal::Unauthorized {
                host: host(),
                login: octo(),
            },
            MergeRefusal::SignedInAsAnother {
                confirmed: octo(),
                now: Login::new("ben"),
            },
            MergeRefusal::NotFound { host: host() },
            MergeRefusal::RateLimited {
                host: host(),
                until: Time(1_770_000_000_000),
            },
            MergeRefusal::Unreachable {
                host: host(),
                message: message(),
            },
            MergeRefusal::Refused {
                host: host(),
                message: message(),
            },
            MergeRefusal::NotMerged {
                host: host(),
                message: message(),
            },
            MergeRefusal::OutcomeUnknown {
                host: host(),
                message: message(),
            },
            MergeRefusal::Unrecorded { message: message() },
        ]
    }

    #[test]
    fn every_refusal_has_a_code_values_and_words() {
        let mut all = String::new();
        for why in every_refusal() {
            let tagged = serde_json::to_value(&why).expect("JSON");
            assert_eq!(tagged["code"], why.code());
            let pull = PullName::parse("demo/app#1").expect("a name");
            let error = MergeError { pull, why };
            let user_error = UserError::from(&error);
            writeln!(all, "{error}\n  {user_error} {:?}", user_error.hints).expect("written");
        }
        insta::assert_snapshot!(all);
    }
}
