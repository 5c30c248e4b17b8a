//! The HTTP that spans and metrics are sent by. A collector that cannot be reached is said once, until it can.

use async_trait::async_trait;
use opentelemetry_http::{Bytes, HttpClient, HttpError, Request, Response};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;
use tokio::runtime::Handle;

/// So much of an answer is read.
const MAX_ANSWER_BYTES: usize = 64 << 10;

/// Sends from the SDK's own threads, which have no runtime.
#[derive(Clone, Debug)]
pub(crate) struct ExportClient {
    http: reqwest::Client,
    runtime: Handle,
    timeout: Duration,
    /// Whether the last request failed.
    is_failing: Arc<AtomicBool>,
}

impl ExportClient {
    /// One whose requests run on the current runtime.
    pub fn new(http: reqwest::Client, timeout: Duration) -> Self {
        Self {
            http,
            runtime: Handle::current(),
            timeout,
            is_failing: Arc::default(),
        }
    }

    /// Says that it began or ceased to fail. Neither the address nor an answer's words: they may hold what is secret.
    fn note(&self, failure: Option<&str>) {
        let was_failing = self.is_failing.swap(failure.is_some(), Ordering::Relaxed);
        match failure {
            Some(reason) if !was_failing => {
                tracing::warn!(
                    reason,
                    "the OpenTelemetry collector takes nothing: what is measured meanwhile is lost"
                );
            }
            None if was_failing => {
                tracing::info!("the OpenTelemetry collector takes spans and metrics again")
            }
            _ => {}
        }
    }
}

#[async_trait]
impl HttpClient for ExportClient {
    async fn send_bytes(&self, request: Request<Bytes>) -> Result<Response<Bytes>, HttpError> {
        let sent = self
            .runtime
            .spawn(send(self.http.clone(), request, self.timeout));
        // A runtime that ends takes the request with it.
        let answer = sent.await.map_err(HttpError::from).flatten();
        match &answer {
            Ok(answer) if answer.status().is_success() => self.note(None),
            Ok(answer) => self.note(Some(answer.status().as_str())),
            Err(_) => self.note(Some("it cannot be reached")),
        }
        answer
    }
}

async fn send(
    http: reqwest::Client,
    request: Request<Bytes>,
    timeout: Duration,
) -> Result<Response<Bytes>, HttpError> {
    let mut asked = reqwest::Request::try_from(request)?;
    *asked.timeout_mut() = Some(timeout);
    let mut answer = http.execute(asked).await?;
    let mut response = Response::builder().status(answer.status());
    if let Some(headers) = response.headers_mut() {
        headers.extend(answer.headers().clone());
    }
    let mut body = Vec::new();
    while let Some(chunk) = answer.chunk().await? {
        if body.len() + chunk.len() > MAX_ANSWER_BYTES {
            return Err("the collector's answer is too large".into());
        }
        body.extend_from_slice(&chunk);
    }
    Ok(response.body(body.into())?)
}
