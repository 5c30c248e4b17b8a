//! What a login asks for: one access token.

use super::credentials::{CredentialsForm, GOOGLE_TOKEN_URL, GoogleCredentials, ServiceAccount};
use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use reqwest::Url;
use ring::rand::SystemRandom;
use ring::signature::RSA_PKCS1_SHA256;
use secrecy::SecretString;
use serde_json::{Value, json};
use std::time::{Duration, SystemTime};

/// What a token may do. It is the one that Vertex AI takes
/// (<https://cloud.google.com/vertex-ai/docs/reference/rest/v1/projects.locations.endpoints/generateContent#authorization-scopes>).
const SCOPE: &str = "https://www.googleapis.com/auth/cloud-platform";

/// How long an assertion holds, as Google's own library has it; a token holds no longer.
const ASSERTION_LIFETIME: Duration = Duration::from_secs(3_600);

/// The grant of a signed assertion (RFC 7523).
const ASSERTION_GRANT: &str = "urn:ietf:params:oauth:grant-type:jwt-bearer";

/// One request for a token.
pub(in crate::llm) struct TokenRequest {
    pub(in crate::llm) url: Url,
    pub(in crate::llm) body: TokenRequestBody,
}

/// How it is asked for.
pub(in crate::llm) enum TokenRequestBody {
    /// A form that is posted. All of it is secret.
    Form(SecretString),
    /// A metadata server is asked with GET.
    Metadata,
}

impl GoogleCredentials {
    /// What is sent for a token; none where the system gives no randomness to sign with.
    pub(in crate::llm) fn token_request(&self, now: SystemTime) -> Option<TokenRequest> {
        match &self.form {
            CredentialsForm::ServiceAccount(account) => {
                let assertion = account.assertion(now)?;
                let fields = [("grant_type", ASSERTION_GRANT), ("assertion", &assertion)];
                Some(TokenRequest::form(account.token_url.clone(), &fields))
            }
            CredentialsForm::AuthorizedUser(user) => {
                let [client_secret, refresh_token] = &user.secrets;
                let fields = [
                    ("grant_type", "refresh_token"),
                    ("client_id", user.client_id.as_str()),
                    ("client_secret", client_secret.expose()),
                    ("refresh_token", refresh_token.expose()),
                ];
                Some(TokenRequest::form(user.token_url.clone(), &fields))
            }
            CredentialsForm::MetadataServer(host) => {
                let path = "computeMetadata/v1/instance/service-accounts/default/token";
                let mut url = Url::parse(&format!("http://{host}/{path}")).ok()?;
                url.query_pairs_mut().append_pair("scopes", SCOPE);
                let body = TokenRequestBody::Metadata;
                Some(TokenRequest { url, body })
            }
        }
    }

    /// The assertion that a service account signs at a time, for scripts to judge; none for other logins.
    pub fn assertion(&self, now: SystemTime) -> Option<String> {
        match &self.form {
            CredentialsForm::ServiceAccount(account) => account.assertion(now),
            CredentialsForm::AuthorizedUser(_) | CredentialsForm::MetadataServer(_) => None,
        }
    }
}

impl TokenRequest {
    fn form(url: Url, fields: &[(&str, &str)]) -> Self {
        let mut form = url::form_urlencoded::Serializer::new(String::new());
        form.extend_pairs(fields);
        let body = TokenRequestBody::Form(form.finish().into());
        Self { url, body }
    }
}

impl ServiceAccount {
    /// A JWT by which the account says who it is and what it wants
    /// (<https://developers.google.com/identity/protocols/oauth2/service-account#httprest>).
    fn assertion(&self, now: SystemTime) -> Option<String> {
        let now = now.duration_since(SystemTime::UNIX_EPOCH).ok()?;
        let mut header = json!({"alg": "RS256", "typ": "JWT"});
        if let Some(id) = &self.key_id {
            header["kid"] = json!(id);
        }
        let claims = json!({
            "iat": now.as_secs(),
            "exp": (now + ASSERTION_LIFETIME).as_secs(),
            "iss": self.client_email,
            "aud": GOOGLE_TOKEN_URL,
            "scope": SCOPE,
        });
        let part = |value: &Value| URL_SAFE_NO_PAD.encode(value.to_string());
        let signed = format!("{}.{}", part(&header), part(&claims));
        let mut signature = vec![0; self.key.public().modulus_len()];
        let random = SystemRandom::new();
        let outcome = self.key.sign(
            &RSA_PKCS1_SHA256,
            &random,
            signed.as_bytes(),
            &mut signature,
        );
        outcome.ok()?;
        Some(format!("{signed}.{}", URL_SAFE_NO_PAD.encode(signature)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use collie_fake_llm::GoogleAccount;
    use secrecy::ExposeSecret as _;

    /// 2026-11-25T12:00:00Z.
    const NOON: Duration = Duration::from_secs(1_795_608_000);

    fn request(file: &Value) -> TokenRequest {
        let credentials = GoogleCredentials::from_json(&file.to_string()).unwrap();
        credentials
            .token_request(SystemTime::UNIX_EPOCH + NOON)
            .unwrap()
    }

    fn fields(request: &TokenRequest) -> Vec<(String, String)> {
        let TokenRequestBody::Form(form) = &request.body else {
            panic!("it is posted");
        };
        let pairs = url::form_urlencoded::parse(form.expose_secret().as_bytes());
        pairs.into_owned().collect()
    }

    /// `scripts/check-google-token.mjs` has Google's own library judge the same.
    #[test]
    fn a_service_account_says_who_it_is_in_a_token_that_it_signed() {
        let account = GoogleAccount::new();
        let request = request(&account.key_file("https://oauth2.googleapis.com/token"));
        assert_eq!(request.url.as_str(), GOOGLE_TOKEN_URL);
        let fields = fields(&request);
        assert_eq!(fields[0], ("grant_type".into(), ASSERTION_GRANT.into()));
        let claims = account.verify(&fields[1].1).unwrap();
        assert_eq!(claims["iat"], NOON.as_secs());
        assert_eq!(claims["exp"], NOON.as_secs() + 3_600);
        assert_eq!(claims["aud"], GOOGLE_TOKEN_URL);
        assert_eq!(claims["scope"], SCOPE);
        assert_eq!(claims["iss"], account.client_email());
    }

    #[test]
    fn a_person_s_login_and_a_machine_s_are_asked_for_as_google_has_it() {
        let user = GoogleAccount::new().user_file("http://127.0.0.1:9/token");
        let asked = request(&user);
        assert_eq!(asked.url.as_str(), "http://127.0.0.1:9/token");
        let names = ["grant_type", "client_id", "client_secret", "refresh_token"];
        let expected = names.map(|name| {
            let value = user[name].as_str().unwrap_or("refresh_token");
            (name.to_owned(), value.to_owned())
        });
        assert_eq!(fields(&asked), expected);
        let machine = GoogleCredentials::metadata_server("metadata.google.internal").unwrap();
        let asked = machine.token_request(SystemTime::UNIX_EPOCH).unwrap();
        assert!(matches!(asked.body, TokenRequestBody::Metadata));
        assert_eq!(
            asked.url.as_str(),
            "http://metadata.google.internal/computeMetadata/v1/instance/service-accounts/default/token?scopes=https%3A%2F%2Fwww.googleapis.com%2Fauth%2Fcloud-platform"
        );
    }
}
