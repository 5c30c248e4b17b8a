//! What is said of a request to whoever measures: by its route, never by its address.

use collie_core::ids::Time;
use collie_engine::TELEMETRY;
use collie_engine::ports::Clock;
use http::Method;
use std::sync::Arc;
use tracing::Span;
use tracing::field::Empty;

/// Parts of routes. Whatever else stands in a path is a name or a number, and is left out.
const ROUTE_PARTS: &[&str] = &[
    "access_tokens",
    "actions",
    "annotations",
    "api",
    "app",
    "branches",
    "check-runs",
    "collaborators",
    "comments",
    "commits",
    "compare",
    "contents",
    "dismissals",
    "git",
    "graphql",
    "installations",
    "issues",
    "jobs",
    "logs",
    "permission",
    "pulls",
    "refs",
    "replies",
    "repos",
    "rerequest",
    "rerun",
    "reviews",
    "rules",
    "user",
    "users",
];
/// A request to another host, such as for a log.
const ELSEWHERE: &str = "{elsewhere}";

/// One request, from its beginning.
pub(crate) struct MeasuredRequest {
    /// It happens in this.
    pub span: Span,
    method: String,
    route: String,
    host: String,
    clock: Arc<dyn Clock>,
    begun: Time,
}

impl MeasuredRequest {
    /// Begins one to a path below the API of a host; none where that is another one.
    pub fn begin(
        clock: &Arc<dyn Clock>,
        (method, path): (&Method, &str),
        host: Option<&str>,
    ) -> Self {
        let route = route(path);
        let span = tracing::info_span!(
            target: TELEMETRY,
            "request",
            otel.name = format!("{method} {route}"),
            otel.kind = "client",
            otel.status_code = Empty,
            http.request.method = method.as_str(),
            http.response.status_code = Empty,
            url.template = route,
            server.address = host,
            "error.type" = Empty,
        );
        Self {
            span,
            method: method.to_string(),
            route,
            host: host.unwrap_or_default().to_owned(),
            clock: clock.clone(),
            begun: clock.now(),
        }
    }

    /// Ends it with the status of the answer; none where there was none.
    pub fn end(self, status: Option<u16>) {
        let error = match status {
            Some(..400) => None,
            Some(status) => Some(status.to_string()),
            None => Some("unreachable".to_owned()),
        };
        self.span.record("http.response.status_code", status);
        if let Some(error) = &error {
            self.span.record("error.type", error);
            self.span.record("otel.status_code", "ERROR");
        }
        let passed = self.clock.now().0.saturating_sub(self.begun.0);
        tracing::event!(
            target: TELEMETRY,
            tracing::Level::INFO,
            histogram.http.client.request.duration = passed as f64 / 1_000.0,
            http.request.method = self.method,
            http.response.status_code = status,
            url.template = self.route,
            server.address = self.host,
            "error.type" = error,
        );
    }
}

/// The route of a path: names and numbers are left out, and so is a query.
fn route(path: &str) -> String {
    let path = path.split('?').next().unwrap_or_default();
    let Some(path) = path.strip_prefix('/') else {
        return ELSEWHERE.to_owned();
    };
    // Two names come after this, which may be those of parts.
    let mut names = 0;
    let parts = path.split('/').map(|part| {
        if names > 0 {
            names -= 1;
            return "{}";
        }
        if part == "repos" {
            names = 2;
        }
        match part.is_empty() || ROUTE_PARTS.contains(&part) {
            true => part,
            false => "{}",
        }
    });
    let parts: Vec<&str> = parts.collect();
    format!("/{}", parts.join("/"))
}

#[cfg(test)]
mod tests {
    use super::route;

    #[test]
    fn a_route_names_neither_repository_nor_branch_nor_person() {
        for (path, expected) in [
            (
                "/repos/secret/pulls/pulls/7/reviews/9/dismissals",
                "/repos/{}/{}/pulls/{}/reviews/{}/dismissals",
            ),
            (
                "/repos/a/b/rules/branches/wip%2Fsecret?per_page=100&page=1",
                "/repos/{}/{}/rules/branches/{}",
            ),
            ("/users/kim%5Bbot%5D", "/users/{}"),
            ("/graphql", "/graphql"),
            ("/", "/"),
            ("https://logs.example/secret?sig=s3cret", "{elsewhere}"),
            ("", "{elsewhere}"),
        ] {
            assert_eq!(route(path), expected, "{path}");
        }
    }
}
