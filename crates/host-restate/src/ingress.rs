//! The engine's ingress, as workers reach it outside of handlers: to look at loops and to answer for sessions.

use crate::commit_object::COMMIT_OBJECT;
use crate::loop_key::LoopKey;
use crate::messages::{
    Adoption, AskAnswer, ClaimAnswer, EarlierSpending, FleetChanges, FleetWork, Heartbeat,
    HeartbeatAnswer, HistoryRequest, LoopView, PauseRequest, ReserveRequest, SessionSpending,
    WriteClaim,
};
use crate::slot_object::SLOT_OBJECT;
use crate::spending_object::SPENDING_OBJECT;
use bytes::Bytes;
use collie_core::budget::BudgetExceeded;
use collie_core::event::Event;
use collie_core::ids::{RepositoryId, Sha};
use collie_core::trust::RepositoryTrust;
use collie_engine::HistoryEntry;
use collie_engine::ports::{Adopted, LookReason, ReleasedLoop};
use restate_sdk::ingress::{
    Client, ClientBuildError, ClientError, Request, RequestExecutor, RequestTarget,
};
use restate_sdk::serde::Json;
use serde::Serialize;
use serde::de::DeserializeOwned;
use std::time::Duration;

/// What the objects of hosts are called.
const FLEET_OBJECT: &str = "CollieFleet";
/// What the objects are called that have the histories of loops.
const CHANGE_OBJECT: &str = "CollieChanges";
/// How long a call may take. A handler of a loop takes milliseconds; the engine may be about to start again.
const CALL_TIMEOUT: Duration = Duration::from_secs(20);

/// The ingress.
#[derive(Clone)]
pub(crate) struct Ingress {
    client: Client<HttpExecutor>,
}

/// The ingress could not be asked.
#[derive(Debug, thiserror::Error)]
pub enum IngressError {
    /// The address is none.
    #[error("{url} is no address of an ingress: {message}")]
    Address {
        /// What was given.
        url: String,
        /// What is wrong with it.
        message: String,
    },
    /// It gave no answer, or not the one that was expected.
    #[error("the ingress: {0}")]
    Call(#[from] ClientError),
}

impl IngressError {
    /// Whether an answer came that could not be read.
    pub(crate) fn is_unreadable(&self) -> bool {
        matches!(self, Self::Call(ClientError::PayloadDecode { .. }))
    }
}

impl Ingress {
    /// Reaches the ingress at an address, such as `http://127.0.0.1:8080`.
    ///
    /// # Errors
    /// It is no address.
    pub fn new(url: &str, http: reqwest::Client) -> Result<Self, IngressError> {
        let invalid = |message: String| IngressError::Address {
            url: url.to_owned(),
            message,
        };
        let address = url
            .parse()
            .map_err(|error: http::uri::InvalidUri| invalid(error.to_string()))?;
        let client = Client::new(address, HttpExecutor(http));
        let client = client.map_err(|error: ClientBuildError| invalid(error.to_string()))?;
        Ok(Self { client })
    }

    /// A loop as it stands now; none where there is none.
    pub async fn view(&self, key: &LoopKey) -> Result<Option<LoopView>, IngressError> {
        let answer: Json<Option<LoopView>> = self
            .client
            .request::<(), _>(key.handler("view"), ())
            .call()
            .await?
            .into_body()?;
        Ok(answer.into_inner())
    }

    /// Brings an event to its loop, once however often it is tried under the same name.
    pub async fn apply(&self, key: &LoopKey, event: Event, once: &str) -> Result<(), IngressError> {
        self.request::<_, ()>(key, "apply", event)
            .idempotency_key(once)
            .call()
            .await?
            .into_body()?;
        Ok(())
    }

    /// Claims a write.
    pub async fn claim(
        &self,
        key: &LoopKey,
        claim: WriteClaim,
    ) -> Result<ClaimAnswer, IngressError> {
        self.ask_loop(key, "claim", claim).await
    }

    /// Says that a session is under way.
    pub async fn heartbeat(
        &self,
        key: &LoopKey,
        heartbeat: Heartbeat,
    ) -> Result<HeartbeatAnswer, IngressError> {
        self.ask_loop(key, "heartbeat", heartbeat).await
    }

    /// Sets aside what a call may come to; why not, where a limit forbids it.
    pub async fn reserve_spending(
        &self,
        asked: &ReserveRequest,
    ) -> Result<Option<BudgetExceeded>, IngressError> {
        let host = &asked.session.loop_id.host;
        self.ask_object((SPENDING_OBJECT, host), "reserve", asked)
            .await
    }

    /// Says what a session has come to.
    pub async fn report_spending(&self, told: &SessionSpending) -> Result<(), IngressError> {
        let target = RequestTarget::object(SPENDING_OBJECT, &told.loop_id.host, "report");
        let request = self.client.request::<_, ()>(target, Json(told));
        Ok(request.call().await?.into_body()?)
    }

    /// Keeps a commit for whoever pushes it.
    pub async fn keep_commit(
        &self,
        key: &LoopKey,
        commit: &Sha,
        pack: String,
    ) -> Result<(), IngressError> {
        let target = commit_target(key, commit, "keep");
        let request = self.client.request::<_, ()>(target, Json(pack));
        Ok(request.call().await?.into_body()?)
    }

    /// A commit that somebody kept.
    pub async fn fetch_commit(
        &self,
        key: &LoopKey,
        commit: &Sha,
    ) -> Result<Option<String>, IngressError> {
        let target = commit_target(key, commit, "fetch");
        let request = self.client.request::<(), Json<Option<String>>>(target, ());
        Ok(request.call().await?.into_body()?.into_inner())
    }

    /// Hands a loop over.
    pub async fn adopt(&self, key: &LoopKey, adoption: &Adoption) -> Result<Adopted, IngressError> {
        self.ask_loop(key, "adopt", adoption).await
    }

    /// Has a loop given back.
    pub async fn release(&self, key: &LoopKey) -> Result<Option<ReleasedLoop>, IngressError> {
        let target = key.handler("release");
        let request = (self.client).request::<(), Json<Option<ReleasedLoop>>>(target, ());
        Ok(request.call().await?.into_body()?.into_inner())
    }

    /// Has a loop forgotten that was given back.
    pub async fn forget(&self, key: &LoopKey) -> Result<(), IngressError> {
        let request = self.client.request::<(), ()>(key.handler("forget"), ());
        Ok(request.call().await?.into_body()?)
    }

    /// Counts what was spent before.
    pub async fn adopt_spending(
        &self,
        host: &str,
        earlier: &EarlierSpending,
    ) -> Result<(), IngressError> {
        let target = RequestTarget::object(SPENDING_OBJECT, host, "adopt");
        let request = self.client.request::<_, ()>(target, Json(earlier));
        Ok(request.call().await?.into_body()?)
    }

    /// What has changed of a host since so many changes.
    pub async fn changes(
        &self,
        host: &str,
        since: Option<u64>,
    ) -> Result<FleetChanges, IngressError> {
        self.ask_object((CHANGE_OBJECT, host), "since", since).await
    }

    /// Who of a host works and who waits; none where that is as it was at a revision.
    pub async fn work(
        &self,
        host: &str,
        seen: Option<u64>,
    ) -> Result<Option<FleetWork>, IngressError> {
        self.ask_object((SLOT_OBJECT, host), "work", seen).await
    }

    /// The loops of a host.
    pub async fn loop_keys(&self, host: &str) -> Result<Vec<LoopKey>, IngressError> {
        let target = RequestTarget::object(FLEET_OBJECT, host, "keys");
        let request = self.client.request::<(), Json<Vec<LoopKey>>>(target, ());
        Ok(request.call().await?.into_body()?.into_inner())
    }

    /// What was decided for a repository.
    pub async fn trust(&self, id: &RepositoryId) -> Result<RepositoryTrust, IngressError> {
        self.ask_object((FLEET_OBJECT, &id.host), "trust", id).await
    }

    /// What happened to a loop after a version, as far as it is kept.
    pub async fn history(
        &self,
        key: &LoopKey,
        after: u64,
    ) -> Result<Vec<HistoryEntry>, IngressError> {
        let host = &key.id().host;
        let asked = HistoryRequest {
            key: key.clone(),
            after,
        };
        self.ask_object((CHANGE_OBJECT, host), "history", asked)
            .await
    }

    /// Has a loop read before its next poll.
    pub async fn look(&self, key: &LoopKey, reason: LookReason) -> Result<(), IngressError> {
        self.request::<_, ()>(key, "look", reason)
            .call()
            .await?
            .into_body()?;
        Ok(())
    }

    /// Asks a service for something in a person's name.
    pub async fn ask<Req: Serialize>(
        &self,
        service: &str,
        handler: &str,
        asked: &Req,
    ) -> Result<AskAnswer, IngressError> {
        let target = RequestTarget::service(service, handler);
        let request = self
            .client
            .request::<_, Json<AskAnswer>>(target, Json(asked));
        Ok(request.call().await?.into_body()?.into_inner())
    }

    /// Pauses everything, or lets it go on.
    pub async fn pause(&self, asked: &PauseRequest) -> Result<(), IngressError> {
        let target = RequestTarget::service("CollieCommands", "pause");
        let request = self.client.request::<_, ()>(target, Json(asked));
        Ok(request.call().await?.into_body()?)
    }

    async fn ask_object<Req: Serialize, Res: DeserializeOwned>(
        &self,
        (object, key): (&str, &str),
        handler: &str,
        asked: Req,
    ) -> Result<Res, IngressError> {
        let target = RequestTarget::object(object, key, handler);
        let request = self.client.request::<_, Json<Res>>(target, Json(asked));
        Ok(request.call().await?.into_body()?.into_inner())
    }

    async fn ask_loop<Req: Serialize, Res: DeserializeOwned>(
        &self,
        key: &LoopKey,
        handler: &str,
        asked: Req,
    ) -> Result<Res, IngressError> {
        let request = self.request::<_, Json<Res>>(key, handler, asked);
        Ok(request.call().await?.into_body()?.into_inner())
    }

    fn request<Req, Res>(
        &self,
        key: &LoopKey,
        handler: &str,
        asked: Req,
    ) -> Request<HttpExecutor, Json<Req>, Res> {
        self.client.request(key.handler(handler), Json(asked))
    }
}

fn commit_target(key: &LoopKey, commit: &Sha, handler: &str) -> RequestTarget {
    RequestTarget::object(COMMIT_OBJECT, format!("{key}/{commit}"), handler)
}

/// The HTTP of the rest of Collie below the SDK's client.
struct HttpExecutor(reqwest::Client);

impl RequestExecutor for HttpExecutor {
    type Error = reqwest::Error;

    async fn execute(
        &self,
        request: http::Request<Bytes>,
    ) -> Result<http::Response<Bytes>, reqwest::Error> {
        let mut asked = reqwest::Request::try_from(request)?;
        *asked.timeout_mut() = Some(CALL_TIMEOUT);
        let answer = self.0.execute(asked).await?;
        let (status, headers) = (answer.status(), answer.headers().clone());
        let mut response = http::Response::new(answer.bytes().await?);
        *response.status_mut() = status;
        *response.headers_mut() = headers;
        Ok(response)
    }
}
