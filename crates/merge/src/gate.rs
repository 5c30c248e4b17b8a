//! The way of a merge: written down, looked at once more, sent once, settled.

use crate::audit::{AuditSink, AuditTrail};
use crate::completed_merge::CompletedMerge;
use crate::consent::{ConfirmedMerge, HumanConsent};
use crate::http_client::{HttpResponse, MergeClient, RequestFailure};
use crate::merge_snapshot::MergeSnapshot;
use crate::refusal::{MergeError, MergeRefusal};
use collie_core::ids::{RepoName, Sha, Time};
use collie_core::lifecycle::State;
use collie_core::loop_state::LoopState;
use collie_engine::ports::Clock;
use collie_github::{
    ApiFault, ConnectError, GitHubConfig, Token, TokenSource, UnknownField, classify_response,
};
use http::Method;
use serde::Deserialize;
use serde_json::json;
use std::sync::Arc;

/// Waits between looks in milliseconds, while GitHub has not made up its mind or an outcome is settled.
const RETRY_DELAYS_MS: [u64; 3] = [1_000, 2_000, 4_000];

/// The gate that a merge goes through. It holds no token: each merge looks it up afresh.
pub struct MergeGate {
    client: MergeClient,
    token_source: TokenSource,
    clock: Arc<dyn Clock>,
    audit_sink: Arc<dyn AuditSink>,
}

impl MergeGate {
    /// Sets the gate up; no request is made.
    ///
    /// # Errors
    /// The address is unusable, or the system's certificates cannot be read.
    pub fn new(
        config: &GitHubConfig,
        clock: Arc<dyn Clock>,
        audit: Arc<dyn AuditSink>,
    ) -> Result<Self, ConnectError> {
        Ok(Self {
            client: MergeClient::new(config)?,
            token_source: config.token_source.clone(),
            clock,
            audit_sink: audit,
        })
    }

    /// Merges what the person confirmed, or says why not. `state` is the loop as it stands now.
    ///
    /// Run it to its end, also when the window closes: dropped half-way, the audit log keeps a request without its outcome.
    ///
    /// # Errors
    /// Each [`Refusal`] but [`Refusal::OutcomeUnknown`] and [`Refusal::AlreadyMerged`] means that it is not merged.
    pub async fn merge(
        &self,
        state: &LoopState,
        consent: HumanConsent,
    ) -> Result<CompletedMerge, MergeError> {
        let confirmed = consent.confirmed();
        let audit_trail = AuditTrail {
            run_id: &state.run.id,
            confirmed,
        };
        let outcome = match self.audit_sink.append(&audit_trail.requested_entry()).await {
            Ok(()) => self.merge_confirmed(state, confirmed).await,
            Err(error) => {
                return Err(MergeError {
                    pull: confirmed.pull.clone(),
                    why: MergeRefusal::Unrecorded {
                        message: error.to_string(),
                    },
                });
            }
        };
        let audit_entry = match &outcome {
            Ok(merged) => audit_trail.completed_entry(merged),
            Err(why) => audit_trail.failed_entry(why, self.clock.now()),
        };
        if let Err(error) = self.audit_sink.append(&audit_entry).await {
            // What happened on GitHub stays the answer.
            tracing::error!(pull = %confirmed.pull, %error, "the outcome of a merge is missing in the audit log");
        }
        outcome.map_err(|why| MergeError {
            pull: confirmed.pull.clone(),
            why,
        })
    }

    async fn merge_confirmed(
        &self,
        state: &LoopState,
        confirmed: &ConfirmedMerge,
    ) -> Result<CompletedMerge, MergeRefusal> {
        let host = &self.client.endpoint.host;
        check_loop_ready(state, confirmed, host)?;
        let found_token = self.token_source.find(host).await;
        let found_token = found_token.ok_or_else(|| MergeRefusal::Unauthorized {
            host: host.clone(),
            login: confirmed.login.clone(),
        })?;
        let attempt = MergeAttempt {
            gate: self,
            state,
            confirmed,
            token: found_token.token,
        };
        let repo = attempt.wait_until_mergeable().await?;
        attempt.send_merge(&repo).await
    }
}

/// Whether the loop is ready at the head that was confirmed.
fn check_loop_ready(
    state: &LoopState,
    confirmed: &ConfirmedMerge,
    host: &str,
) -> Result<(), MergeRefusal> {
    if state.id != confirmed.id || state.id.host != host {
        return Err(MergeRefusal::OtherPull {
            confirmed: confirmed.pull.clone(),
        });
    }
    match &state.run.head.sha {
        Some(head) if *head != confirmed.head => Err(MergeRefusal::HeadMoved {
            saw: confirmed.head.clone(),
            now: Some(head.clone()),
        }),
        Some(head)
            if state.run.state == State::PrReadyToMerge
                && state.run.head.approved.as_ref() == Some(head) =>
        {
            Ok(())
        }
        Some(_) | None => Err(MergeRefusal::NotReady {
            state: state.run.state,
        }),
    }
}

/// One merge on its way.
struct MergeAttempt<'a> {
    gate: &'a MergeGate,
    state: &'a LoopState,
    confirmed: &'a ConfirmedMerge,
    token: Token,
}

/// Whether GitHub is done with a call that got no clear answer.
#[derive(Clone, Copy)]
enum RemoteState {
    Finished,
    MaybePending,
}

/// GitHub's answer to a merge.
#[derive(Deserialize)]
struct MergeResponse {
    sha: Sha,
    merged: bool,
}

impl MergeAttempt<'_> {
    fn host_name(&self) -> &str {
        &self.gate.client.endpoint.host
    }

    async fn read_snapshot(&self) -> Result<MergeSnapshot, MergeRefusal> {
        let now = self.gate.clock.now();
        MergeSnapshot::read(&self.gate.client, &self.token, self.state, now)
            .await
            .map_err(|fault| self.refusal_of_fault(fault))
    }

    async fn pause(&self, millis: u64) {
        let until = self.gate.clock.now().plus(millis);
        self.gate.clock.sleep_until(until).await;
    }

    /// Looks until GitHub knows whether it merges; the repository's present name when nothing stands against it.
    async fn wait_until_mergeable(&self) -> Result<RepoName, MergeRefusal> {
        let mut delays = RETRY_DELAYS_MS.into_iter();
        loop {
            let snapshot = self.read_snapshot().await?;
            let checked = snapshot.check_mergeable(self.state, self.confirmed, self.host_name());
            match (checked, delays.next()) {
                (Err(MergeRefusal::MergeabilityUnknown), Some(millis)) => self.pause(millis).await,
                (judged, _) => return judged.map(|()| snapshot.repo().clone()),
            }
        }
    }

    /// Sends the merge, once.
    async fn send_merge(&self, repo: &RepoName) -> Result<CompletedMerge, MergeRefusal> {
        let rest_path = &self.gate.client.endpoint.rest_path;
        let path = format!(
            "{rest_path}/repos/{repo}/pulls/{}/merge",
            self.state.id.number
        );
        let body = json!({
            "sha": self.confirmed.head, "merge_method": self.confirmed.method.as_str(),
        });
        let sent = self
            .gate
            .client
            .send_once(Method::PUT, &path, &self.token, &body);
        let response = match sent.await {
            Ok(answer) => answer,
            Err(RequestFailure::NotSent(message)) => {
                return Err(self.refusal_of_fault(ApiFault::Unreachable(message)));
            }
            Err(RequestFailure::ConnectionLost(message)) => {
                return self.settle(message, RemoteState::Finished).await;
            }
            Err(RequestFailure::TimedOut(message)) => {
                return self.settle(message, RemoteState::MaybePending).await;
            }
        };
        let now = self.gate.clock.now();
        match classify_response(response.status, &response.headers, &response.body, now) {
            None => match serde_json::from_slice(&response.body) {
                Ok(MergeResponse { sha, merged: true }) => Ok(self.completed_merge(Some(sha), now)),
                Ok(MergeResponse { merged: false, .. }) | Err(_) => {
                    self.settle("its answer could not be read".into(), RemoteState::Finished)
                        .await
                }
            },
            Some(
                ApiFault::Unreachable(message)
                | ApiFault::GaveUp(message)
                | ApiFault::InvalidResponse(message),
            ) => self.settle(message, RemoteState::Finished).await,
            Some(ApiFault::Gone(message) | ApiFault::Refused(message)) => {
                Err(self.refusal_reason(&response, message).await)
            }
            Some(ApiFault::Forbidden(message) | ApiFault::NotFound(message)) => {
                Err(MergeRefusal::NoPermission {
                    login: self.confirmed.login.clone(),
                    message,
                })
            }
            Some(
                fault @ (ApiFault::Unauthorized
                | ApiFault::App(_)
                | ApiFault::UnknownField(_)
                | ApiFault::RateLimited(_)
                | ApiFault::BreakerOpen(_)),
            ) => Err(self.refusal_of_fault(fault)),
        }
    }

    /// Finds out why GitHub refused, since its words are for people only.
    async fn refusal_reason(&self, response: &HttpResponse, message: String) -> MergeRefusal {
        let check = |snapshot: MergeSnapshot| {
            snapshot.check_mergeable(self.state, self.confirmed, self.host_name())
        };
        match self.read_snapshot().await.map(check) {
            Ok(Err(why)) if why != MergeRefusal::MergeabilityUnknown => why,
            // The reading may lag behind the refusal.
            Ok(_) | Err(_) if response.status == 409 => MergeRefusal::HeadMoved {
                saw: self.confirmed.head.clone(),
                now: None,
            },
            Ok(_) | Err(_) => MergeRefusal::Refused {
                host: self.host_name().to_string(),
                message,
            },
        }
    }

    /// Finds out what became of a merge that got no clear answer. It is never sent again.
    async fn settle(
        &self,
        message: String,
        remote_state: RemoteState,
    ) -> Result<CompletedMerge, MergeRefusal> {
        let mut delays = RETRY_DELAYS_MS.into_iter();
        loop {
            let still_open = match self.read_snapshot().await {
                Ok(snapshot) => match self.completed_or_refused(&snapshot)? {
                    Some(merged) => return Ok(merged),
                    None => true,
                },
                Err(_) => false,
            };
            let Some(millis) = delays.next() else {
                let host = self.host_name().to_string();
                return Err(match remote_state {
                    RemoteState::Finished if still_open => {
                        MergeRefusal::NotMerged { host, message }
                    }
                    RemoteState::Finished | RemoteState::MaybePending => {
                        MergeRefusal::OutcomeUnknown { host, message }
                    }
                });
            };
            self.pause(millis).await;
        }
    }

    /// What has become of it: none while it is open at that head. At another head the merge cannot take effect any more.
    fn completed_or_refused(
        &self,
        snapshot: &MergeSnapshot,
    ) -> Result<Option<CompletedMerge>, MergeRefusal> {
        match snapshot.check_unchanged(self.state, self.confirmed, self.host_name()) {
            Ok(()) => Ok(None),
            Err(MergeRefusal::AlreadyMerged {
                by: Some(by),
                head,
                commit,
            }) if head == self.confirmed.head && by == self.confirmed.login => {
                let at = snapshot
                    .merged_at()
                    .unwrap_or_else(|| self.gate.clock.now());
                Ok(Some(self.completed_merge(commit, at)))
            }
            Err(why) => Err(why),
        }
    }

    fn completed_merge(&self, commit: Option<Sha>, at: Time) -> CompletedMerge {
        CompletedMerge {
            pull: self.confirmed.pull.clone(),
            head: self.confirmed.head.clone(),
            commit,
            by: self.confirmed.login.clone(),
            at,
            method: self.confirmed.method,
        }
    }

    /// What a call that changed nothing says.
    fn refusal_of_fault(&self, fault: ApiFault) -> MergeRefusal {
        let host = self.host_name().to_string();
        match fault {
            ApiFault::Unauthorized => MergeRefusal::Unauthorized {
                host,
                login: self.confirmed.login.clone(),
            },
            // Merges are a person's: no App signs in there.
            ApiFault::App(_) => MergeRefusal::Unauthorized {
                host,
                login: self.confirmed.login.clone(),
            },
            ApiFault::NotFound(_) => MergeRefusal::NotFound { host },
            ApiFault::RateLimited(until) | ApiFault::BreakerOpen(until) => {
                MergeRefusal::RateLimited { host, until }
            }
            ApiFault::UnknownField(UnknownField { field, version }) => MergeRefusal::Refused {
                message: format!("version {version} of the server does not know {field}"),
                host,
            },
            ApiFault::Forbidden(message) | ApiFault::Gone(message) | ApiFault::Refused(message) => {
                MergeRefusal::Refused { host, message }
            }
            ApiFault::Unreachable(message)
            | ApiFault::GaveUp(message)
            | ApiFault::InvalidResponse(message) => MergeRefusal::Unreachable { host, message },
        }
    }
}
