//! What a token may not write, from the answers that GitHub gives to the questions about it.

use crate::common::*;
use collie_core::ids::RepoName;
use collie_core::token_right::{RepositoryWrite, TokenRight};
use collie_engine::ports::{GitHub, GitHubError};
use serde_json::json;
use std::collections::BTreeSet;
use wiremock::matchers::{method, path};
use wiremock::{Mock, MockServer, ResponseTemplate};

const NOW: i64 = 1_700_000_000_000;
const MESSAGE_OF_SINGLE_SIGN_ON: &str = "Resource protected by organization SAML enforcement.";

/// What a fine-grained token is said to lack for posts, where the question about it is answered so.
async fn rights_lacking_after(
    answer: ResponseTemplate,
) -> Result<BTreeSet<TokenRight>, GitHubError> {
    let server = MockServer::start().await;
    Mock::given(path("/api/v3/"))
        .respond_with(ResponseTemplate::new(200).set_body_json(json!({})))
        .mount(&server)
        .await;
    Mock::given(method("POST"))
        .and(path("/api/v3/repos/acme/web/pulls"))
        .respond_with(answer)
        .expect(1)
        .mount(&server)
        .await;
    let client = client(&server.uri(), "github_pat_1", ManualClock::at(NOW)).await;
    let repo = RepoName::parse("acme/web").expect("a name");
    let needed = BTreeSet::from([RepositoryWrite::Posts]);
    client.lacking_rights(&repo, &needed).await
}

fn refusal(status: u16, message: &str) -> ResponseTemplate {
    ResponseTemplate::new(status).set_body_json(json!({"message": message}))
}

#[tokio::test]
async fn only_github_s_own_words_say_that_a_permission_is_lacking() {
    let check = async |answer: ResponseTemplate, lacking: &[TokenRight]| {
        let found = rights_lacking_after(answer).await.expect("an answer");
        assert!(found.iter().eq(lacking), "{found:?}");
    };
    let lacks = "Resource not accessible by personal access token";
    check(refusal(403, lacks), &[TokenRight::PullRequests]).await;
    check(refusal(422, "Validation Failed"), &[]).await;
    // Whoever is kept out for another reason is told of that one, once something is written.
    check(refusal(403, MESSAGE_OF_SINGLE_SIGN_ON), &[]).await;
    check(refusal(404, "Not Found"), &[]).await;
}

#[tokio::test]
async fn an_outage_says_nothing_about_a_permission() {
    for status in [500, 502, 503] {
        let outcome = rights_lacking_after(ResponseTemplate::new(status)).await;
        assert!(
            matches!(outcome, Err(GitHubError::OutcomeUnknown { .. })),
            "{status}: {outcome:?}"
        );
    }
}
