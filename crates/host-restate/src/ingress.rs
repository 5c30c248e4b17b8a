//! The engine's ingress, as workers reach it outside of handlers: to look at loops and to answer for sessions.

use crate::commit_object::COMMIT_OBJECT;
use crate::loop_key::LoopKey;
use crate::messages::{ClaimAnswer, Heartbeat, HeartbeatAnswer, LoopView, WriteClaim};
use bytes::Bytes;
use collie_core::event::Event;
use collie_core::ids::Sha;
use restate_sdk::ingress::{
    Client, ClientBuildError, ClientError, Request, RequestExecutor, RequestTarget,
};
use restate_sdk::serde::Json;
use serde::Serialize;
use serde::de::DeserializeOwned;
use std::time::Duration;

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
        self.ask(key, "claim", claim).await
    }

    /// Says that a session is under way.
    pub async fn heartbeat(
        &self,
        key: &LoopKey,
        heartbeat: Heartbeat,
    ) -> Result<HeartbeatAnswer, IngressError> {
        self.ask(key, "heartbeat", heartbeat).await
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

    async fn ask<Req: Serialize, Res: DeserializeOwned>(
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
