//! What the token may not write, asked before anything is written (§9.1).
//!
//! A classic token's scopes are in `X-OAuth-Scopes`. Of a fine-grained token or an app's nothing is told. But GitHub looks at the
//! permission before it looks at what was sent: a request that lacks what it must have is refused with 403 where the token has no
//! right, and with 422 where it has. Others find out what a token may do
//! [in the same way](https://github.com/trufflesecurity/trufflehog/blob/main/pkg/analyzer/analyzers/github/finegrained/finegrained.go).
//! Each question here lacks fields that GitHub requires, so that none can create anything.
//!
//! What cannot be known beforehand is not claimed: re-running checks (a run that does not exist is answered alike), workflow files (a fix
//! never changes one, and a merge of the base brings only what is on the base), a branch in a fork.

use crate::api_client::{ApiClient, lock};
use crate::api_fault::ApiFault;
use crate::credentials::Token;
use collie_core::ids::{RepoName, Time};
use collie_core::token_right::{RepositoryWrite, TokenRight};
use serde_json::json;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Mutex;

/// What a token lacks is asked again after so long; what it has is not, as long as it is the same token.
const CACHE_TTL_MS: u64 = 60_000;
/// Repositories that are remembered.
const CACHE_CAPACITY: usize = 10_000;
/// GitHub's words for a fine-grained token, and for an app's, that lacks the permission.
const LACKS_PERMISSION: &str = "Resource not accessible by";

/// What a token may do, as far as GitHub tells.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TokenScopes {
    /// A classic token's scopes; none for a fine-grained one or an app's, of which GitHub does not tell.
    pub granted: Option<BTreeSet<String>>,
    /// The scopes that Collie needs and a classic token lacks.
    pub missing: Vec<String>,
}

/// What was found out, by repository and write.
#[derive(Default)]
pub(crate) struct TokenRightsCache {
    answers: Mutex<BTreeMap<(String, RepositoryWrite), Answer>>,
    scopes: Mutex<Option<(Token, Time, TokenScopes)>>,
}

impl TokenRightsCache {
    /// The scopes as they were told a moment ago; for as long as the process runs where the token has permissions instead.
    pub fn scopes(&self, api: &ApiClient) -> Option<TokenScopes> {
        let now = api.clock.now();
        let known = lock(&self.scopes).clone();
        let (_, _, scopes) = known.filter(|(token, at, scopes)| {
            let is_fresh = scopes.granted.is_none() || now.since(*at) < CACHE_TTL_MS;
            *token == api.token() && is_fresh
        })?;
        Some(scopes)
    }

    /// Keeps what was told.
    pub fn remember_scopes(&self, api: &ApiClient, scopes: &TokenScopes) {
        *lock(&self.scopes) = Some((api.token(), api.clock.now(), scopes.clone()));
    }
}

/// Whether a token may write something; none of what is not told.
#[derive(Clone)]
struct Answer {
    token: Token,
    at: Time,
    may: Option<bool>,
}

/// What the token lacks of the permissions for these writes.
pub(crate) async fn lacking_permissions(
    api: &ApiClient,
    cache: &TokenRightsCache,
    repo: &RepoName,
    needed: &BTreeSet<RepositoryWrite>,
) -> Result<BTreeSet<TokenRight>, ApiFault> {
    let mut lacking = BTreeSet::new();
    for write in needed {
        if may(api, cache, repo, *write).await? == Some(false) {
            lacking.insert(match write {
                RepositoryWrite::Posts => TokenRight::PullRequests,
                RepositoryWrite::Pushes => TokenRight::Contents,
            });
        }
    }
    Ok(lacking)
}

/// What a classic token lacks; none for a token that has permissions instead of scopes. Public repositories take a smaller scope.
pub(crate) fn lacking_scopes(
    scopes: &TokenScopes,
    is_public: bool,
) -> Option<BTreeSet<TokenRight>> {
    let granted = scopes.granted.as_ref()?;
    let wanted = ["repo", "public_repo"];
    let enough = if is_public { &wanted[..] } else { &wanted[..1] };
    let has_one = enough.iter().any(|scope| granted.contains(*scope));
    Some(
        (!has_one)
            .then_some(TokenRight::RepoScope)
            .into_iter()
            .collect(),
    )
}

async fn may(
    api: &ApiClient,
    cache: &TokenRightsCache,
    repo: &RepoName,
    write: RepositoryWrite,
) -> Result<Option<bool>, ApiFault> {
    let (now, token) = (api.clock.now(), api.token_now(repo));
    let key = (repo.to_string().to_ascii_lowercase(), write);
    let known = lock(&cache.answers).get(&key).cloned();
    if let Some(known) = known
        && known.token == token
        && (known.may == Some(true) || now.since(known.at) < CACHE_TTL_MS)
    {
        return Ok(known.may);
    }
    let path = match write {
        // Lacks `head` and `base`.
        RepositoryWrite::Posts => format!("/repos/{repo}/pulls"),
        // Lacks `ref` and `sha`.
        RepositoryWrite::Pushes => format!("/repos/{repo}/git/refs"),
    };
    let may = match api.create(&path, &json!({})).await {
        // What GitHub looks at after the permission: what was sent.
        Err(ApiFault::Refused(_)) => Some(true),
        Err(ApiFault::Forbidden(message)) if message.starts_with(LACKS_PERMISSION) => Some(false),
        Ok(_)
        | Err(
            ApiFault::Forbidden(_)
            | ApiFault::NotFound(_)
            | ApiFault::Gone(_)
            | ApiFault::InvalidResponse(_),
        ) => None,
        Err(fault) => return Err(fault),
    };
    let mut answers = lock(&cache.answers);
    if answers.len() >= CACHE_CAPACITY {
        answers.pop_first();
    }
    let at = now;
    answers.insert(key, Answer { token, at, may });
    Ok(may)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::GitHubConfig;
    use crate::credentials::TokenSource;
    use async_trait::async_trait;
    use collie_core::ids::RunId;
    use collie_engine::ports::Clock;
    use std::sync::Arc;
    use wiremock::matchers::header;
    use wiremock::{Mock, MockServer, ResponseTemplate};

    /// Time stands still.
    struct StillClock;

    #[async_trait]
    impl Clock for StillClock {
        fn now(&self) -> Time {
            Time(1_700_000_000_000)
        }

        async fn sleep_until(&self, _: Time) {}

        fn jitter(&self) -> u16 {
            0
        }

        fn run_id(&self) -> RunId {
            RunId::new("run")
        }
    }

    async fn api_with(server: &MockServer, token: &str) -> ApiClient {
        let token = Token::new(token).expect("a token");
        let uri = format!("{}/api/v3", server.uri());
        let config = GitHubConfig::new(uri, TokenSource::Given(token));
        let connected = ApiClient::connect(&config, Arc::new(StillClock)).await;
        connected.expect("connected")
    }

    #[tokio::test]
    async fn what_one_token_may_do_says_nothing_of_another() {
        let server = MockServer::start().await;
        let mount = async |token: &str, status: u16, message: &str| {
            Mock::given(header("authorization", format!("Bearer {token}")))
                .respond_with(
                    ResponseTemplate::new(status).set_body_json(json!({"message": message})),
                )
                .expect(1)
                .mount(&server)
                .await;
        };
        mount("one", 422, "Validation Failed").await;
        mount("two", 403, "Resource not accessible by integration").await;
        let repo = RepoName::parse("acme/web").expect("a name");
        let cache = TokenRightsCache::default();
        for (token, expect) in [("one", true), ("one", true), ("two", false), ("two", false)] {
            let api = api_with(&server, token).await;
            let told = may(&api, &cache, &repo, RepositoryWrite::Pushes).await;
            assert_eq!(told.expect("told"), Some(expect), "{token}");
            let scopes = TokenScopes {
                granted: None,
                missing: vec![token.to_owned()],
            };
            let known = cache.scopes(&api);
            assert!(known.is_none_or(|known| known == scopes), "{token}");
            cache.remember_scopes(&api, &scopes);
        }
    }

    #[track_caller]
    fn check(granted: Option<&[&str]>, is_public: bool, lacking: Option<&[TokenRight]>) {
        let granted = granted.map(|all| all.iter().map(ToString::to_string).collect());
        let scopes = TokenScopes {
            granted,
            missing: Vec::new(),
        };
        let expected = lacking.map(|all| all.iter().copied().collect());
        assert_eq!(lacking_scopes(&scopes, is_public), expected);
    }

    #[test]
    fn a_classic_token_needs_the_scope_that_the_repository_asks_for() {
        let lacks = Some(&[TokenRight::RepoScope][..]);
        check(None, true, None);
        check(Some(&["repo"]), false, Some(&[]));
        check(Some(&["repo"]), true, Some(&[]));
        check(Some(&["public_repo"]), true, Some(&[]));
        check(Some(&["public_repo"]), false, lacks);
        check(Some(&["read:org"]), true, lacks);
        check(Some(&[]), false, lacks);
    }
}
