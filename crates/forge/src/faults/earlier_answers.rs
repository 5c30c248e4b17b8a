//! Answers as they were given before: what a replica that lags behind says.

use std::collections::{BTreeMap, VecDeque};

use axum::body::{Body, Bytes};
use axum::http::{HeaderMap, StatusCode};
use axum::response::Response;

/// Answers to one request that are remembered.
const REMEMBERED: usize = 64;

/// The answers to each read since the first fault of this kind was set, oldest first.
#[derive(Debug, Default)]
pub(super) struct EarlierAnswers(BTreeMap<u64, VecDeque<Answer>>);

/// One answer.
#[derive(Debug, Clone)]
pub(super) struct Answer {
    status: StatusCode,
    headers: HeaderMap,
    body: Bytes,
}

impl Answer {
    /// Reads an answer to its end.
    pub(super) async fn read(response: Response, limit: usize) -> Self {
        let (parts, body) = response.into_parts();
        Self {
            status: parts.status,
            headers: parts.headers,
            body: axum::body::to_bytes(body, limit).await.unwrap_or_default(),
        }
    }

    /// Gives it out.
    pub(super) fn into_response(self) -> Response {
        let mut response = Response::new(Body::from(self.body));
        *response.status_mut() = self.status;
        *response.headers_mut() = self.headers;
        response
    }
}

impl EarlierAnswers {
    /// Remembers an answer, and gives the one that was given `ago` answers before it: 0 is itself. The oldest where there are fewer.
    pub(super) fn remember(&mut self, request: u64, answer: Answer, ago: usize) -> Answer {
        let answers = self.0.entry(request).or_default();
        answers.push_back(answer.clone());
        if answers.len() > REMEMBERED {
            answers.pop_front();
        }
        let at = answers.len().saturating_sub(1).saturating_sub(ago);
        answers.get(at).cloned().unwrap_or(answer)
    }

    /// Forgets all of them.
    pub(super) fn clear(&mut self) {
        self.0.clear();
    }
}
