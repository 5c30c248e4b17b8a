//! The way of a merge: written down, looked at once more, sent once, settled.

use crate::audit::{Audit, Trail};
use crate::consent::{Confirmed, HumanConsent};
use crate::exchange::{Answer, Host, Lost};
use crate::look::Look;
use crate::refusal::{MergeError, Refusal};
use collie_core::ids::{Login, PullName, RepoName, Sha, Time};
use collie_core::lifecycle::State;
use collie_core::merging::MergeMethod;
use collie_core::model::LoopState;
use collie_engine::ports::Clock;
use collie_github::{ConnectError, Fault, GitHubConfig, Token, TokenSource, of_answer};
use http::Method;
use serde::Deserialize;
use serde_json::json;
use std::sync::Arc;

/// Waits between looks in milliseconds, while GitHub has not made up its mind or an outcome is settled.
const PAUSES_MS: [u64; 3] = [1_000, 2_000, 4_000];

/// A merge that was done.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Merged {
    /// The pull request.
    pub pull: PullName,
    /// The head that was merged: the one the person saw.
    pub head: Sha,
    /// The commit on the base; none when GitHub did not say.
    pub commit: Option<Sha>,
    /// The account that merged.
    pub by: Login,
    /// When.
    pub at: Time,
    /// How.
    pub method: MergeMethod,
}

/// The gate that a merge goes through. It holds no token: each merge looks it up afresh.
pub struct MergeGate {
    host: Host,
    tokens: TokenSource,
    clock: Arc<dyn Clock>,
    audit: Arc<dyn Audit>,
}

impl MergeGate {
    /// Sets the gate up; no request is made.
    ///
    /// # Errors
    /// The address is unusable, or the system's certificates cannot be read.
    pub fn new(
        config: &GitHubConfig,
        clock: Arc<dyn Clock>,
        audit: Arc<dyn Audit>,
    ) -> Result<Self, ConnectError> {
        Ok(Self {
            host: Host::new(config)?,
            tokens: config.tokens.clone(),
            clock,
            audit,
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
    ) -> Result<Merged, MergeError> {
        let confirmed = consent.confirmed();
        let trail = Trail {
            run: &state.run,
            confirmed,
        };
        let outcome = match self.audit.append(&trail.requested()).await {
            Ok(()) => self.carry_out(state, confirmed).await,
            Err(error) => {
                return Err(MergeError {
                    pull: confirmed.pull.clone(),
                    why: Refusal::Unrecorded {
                        message: error.to_string(),
                    },
                });
            }
        };
        let entry = match &outcome {
            Ok(merged) => trail.completed(merged),
            Err(why) => trail.failed(why, self.clock.now()),
        };
        if let Err(error) = self.audit.append(&entry).await {
            // What happened on GitHub stays the answer.
            tracing::error!(pull = %confirmed.pull, %error, "the outcome of a merge is missing in the audit log");
        }
        outcome.map_err(|why| MergeError {
            pull: confirmed.pull.clone(),
            why,
        })
    }

    async fn carry_out(&self, state: &LoopState, confirmed: &Confirmed) -> Result<Merged, Refusal> {
        let host = &self.host.endpoint.host;
        stands_ready(state, confirmed, host)?;
        let found = self.tokens.find(host).await;
        let found = found.ok_or_else(|| Refusal::Unauthorized {
            host: host.clone(),
            login: confirmed.login.clone(),
        })?;
        let attempt = Attempt {
            gate: self,
            state,
            confirmed,
            token: found.token,
        };
        let repo = attempt.look_until_clear().await?;
        attempt.send(&repo).await
    }
}

/// Whether the loop is ready at the head that was confirmed.
fn stands_ready(state: &LoopState, confirmed: &Confirmed, host: &str) -> Result<(), Refusal> {
    if state.id != confirmed.id || state.id.host != host {
        return Err(Refusal::OtherPull {
            confirmed: confirmed.pull.clone(),
        });
    }
    match &state.head {
        Some(head) if *head != confirmed.head => Err(Refusal::HeadMoved {
            saw: confirmed.head.clone(),
            now: Some(head.clone()),
        }),
        Some(head)
            if state.state == State::PrReadyToMerge
                && state.approved_head.as_ref() == Some(head) =>
        {
            Ok(())
        }
        Some(_) | None => Err(Refusal::NotReady { state: state.state }),
    }
}

/// One merge on its way.
struct Attempt<'a> {
    gate: &'a MergeGate,
    state: &'a LoopState,
    confirmed: &'a Confirmed,
    token: Token,
}

/// Whether GitHub is done with a call that got no clear answer.
#[derive(Clone, Copy)]
enum Ended {
    Yes,
    Maybe,
}

/// GitHub's answer to a merge.
#[derive(Deserialize)]
struct Done {
    sha: Sha,
    merged: bool,
}

impl Attempt<'_> {
    fn host(&self) -> &str {
        &self.gate.host.endpoint.host
    }

    async fn look(&self) -> Result<Look, Refusal> {
        let now = self.gate.clock.now();
        Look::read(&self.gate.host, &self.token, self.state, now)
            .await
            .map_err(|fault| self.unread(fault))
    }

    async fn pause(&self, millis: u64) {
        let until = self.gate.clock.now().plus(millis);
        self.gate.clock.sleep_until(until).await;
    }

    /// Looks until GitHub knows whether it merges; the repository's present name when nothing stands against it.
    async fn look_until_clear(&self) -> Result<RepoName, Refusal> {
        let mut pauses = PAUSES_MS.into_iter();
        loop {
            let look = self.look().await?;
            let judged = look.judge(self.state, self.confirmed, self.host());
            match (judged, pauses.next()) {
                (Err(Refusal::MergeabilityUnknown), Some(millis)) => self.pause(millis).await,
                (judged, _) => return judged.map(|()| look.repo().clone()),
            }
        }
    }

    /// Sends the merge, once.
    async fn send(&self, repo: &RepoName) -> Result<Merged, Refusal> {
        let rest = &self.gate.host.endpoint.rest;
        let path = format!("{rest}/repos/{repo}/pulls/{}/merge", self.state.id.number);
        let body = json!({
            "sha": self.confirmed.head, "merge_method": self.confirmed.method.as_str(),
        });
        let sent = self
            .gate
            .host
            .exchange(Method::PUT, &path, &self.token, &body);
        let answer = match sent.await {
            Ok(answer) => answer,
            Err(Lost::Unsent(message)) => return Err(self.unread(Fault::Unreachable(message))),
            Err(Lost::Cut(message)) => return self.settle(message, Ended::Yes).await,
            Err(Lost::Silent(message)) => return self.settle(message, Ended::Maybe).await,
        };
        let now = self.gate.clock.now();
        match of_answer(answer.status, &answer.headers, &answer.body, now) {
            None => match serde_json::from_slice(&answer.body) {
                Ok(Done { sha, merged: true }) => Ok(self.merged(Some(sha), now)),
                Ok(Done { merged: false, .. }) | Err(_) => {
                    self.settle("its answer could not be read".into(), Ended::Yes)
                        .await
                }
            },
            Some(Fault::Unreachable(message) | Fault::Garbled(message)) => {
                self.settle(message, Ended::Yes).await
            }
            Some(Fault::Refused(message)) => Err(self.reason(&answer, message).await),
            Some(Fault::Forbidden(message) | Fault::NotFound(message)) => {
                Err(Refusal::NoPermission {
                    login: self.confirmed.login.clone(),
                    message,
                })
            }
            Some(fault @ (Fault::Unauthorized | Fault::RateLimited(_) | Fault::BreakerOpen(_))) => {
                Err(self.unread(fault))
            }
        }
    }

    /// Finds out why GitHub refused, since its words are for people only.
    async fn reason(&self, answer: &Answer, message: String) -> Refusal {
        let judge = |look: Look| look.judge(self.state, self.confirmed, self.host());
        match self.look().await.map(judge) {
            Ok(Err(why)) if why != Refusal::MergeabilityUnknown => why,
            // The reading may lag behind the refusal.
            Ok(_) | Err(_) if answer.status == 409 => Refusal::HeadMoved {
                saw: self.confirmed.head.clone(),
                now: None,
            },
            Ok(_) | Err(_) => Refusal::Refused {
                host: self.host().to_string(),
                message,
            },
        }
    }

    /// Finds out what became of a merge that got no clear answer. It is never sent again.
    async fn settle(&self, message: String, ended: Ended) -> Result<Merged, Refusal> {
        let mut pauses = PAUSES_MS.into_iter();
        loop {
            let shown_open = match self.look().await {
                Ok(look) => match self.fate(&look)? {
                    Some(merged) => return Ok(merged),
                    None => true,
                },
                Err(_) => false,
            };
            let Some(millis) = pauses.next() else {
                let host = self.host().to_string();
                return Err(match ended {
                    Ended::Yes if shown_open => Refusal::NotMerged { host, message },
                    Ended::Yes | Ended::Maybe => Refusal::OutcomeUnknown { host, message },
                });
            };
            self.pause(millis).await;
        }
    }

    /// What has become of it: none while it is open at that head. At another head the merge cannot take effect any more.
    fn fate(&self, look: &Look) -> Result<Option<Merged>, Refusal> {
        match look.still_stands(self.state, self.confirmed, self.host()) {
            Ok(()) => Ok(None),
            Err(Refusal::AlreadyMerged {
                by: Some(by),
                head,
                commit,
            }) if head == self.confirmed.head && by == self.confirmed.login => {
                let at = look.merged_at().unwrap_or_else(|| self.gate.clock.now());
                Ok(Some(self.merged(commit, at)))
            }
            Err(why) => Err(why),
        }
    }

    fn merged(&self, commit: Option<Sha>, at: Time) -> Merged {
        Merged {
            pull: self.confirmed.pull.clone(),
            head: self.confirmed.head.clone(),
            commit,
            by: self.confirmed.login.clone(),
            at,
            method: self.confirmed.method,
        }
    }

    /// What a call that changed nothing says.
    fn unread(&self, fault: Fault) -> Refusal {
        let host = self.host().to_string();
        match fault {
            Fault::Unauthorized => Refusal::Unauthorized {
                host,
                login: self.confirmed.login.clone(),
            },
            Fault::NotFound(_) => Refusal::NotFound { host },
            Fault::RateLimited(until) | Fault::BreakerOpen(until) => {
                Refusal::RateLimited { host, until }
            }
            Fault::Forbidden(message) | Fault::Refused(message) => {
                Refusal::Refused { host, message }
            }
            Fault::Unreachable(message) | Fault::Garbled(message) => {
                Refusal::Unreachable { host, message }
            }
        }
    }
}
