//! An AWS login as Bedrock's bearer token: what AWS calls a short-term API key (docs/decisions/0034).
//!
//! The token is a request to `CallWithBearerToken` that Signature Version 4 signed and that is never sent by itself
//! (<https://docs.aws.amazon.com/bedrock/latest/userguide/api-keys-generate.html>). It is made on this machine, as AWS's own
//! `aws-bedrock-token-generator` makes it: no request is needed for it, and the secret key goes nowhere.

use super::secret::Secret;
use aws_credential_types::Credentials;
use aws_sigv4::http_request::{
    SignableBody, SignableRequest, SignatureLocation, SigningSettings, sign,
};
use aws_sigv4::sign::v4;
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use std::time::{Duration, SystemTime};

/// Where the request that is signed would go, whatever the region.
const TOKEN_URL: &str = "https://bedrock.amazonaws.com/?Action=CallWithBearerToken";

/// How long a token holds at most; it ends with its credentials where they end before.
const TOKEN_LIFETIME: Duration = Duration::from_secs(12 * 60 * 60);

/// An access key, as variables and profiles have it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AwsCredentials {
    /// `aws_access_key_id`.
    pub access_key_id: Secret,
    /// `aws_secret_access_key`.
    pub secret_access_key: Secret,
    /// `aws_session_token`, of temporary ones.
    pub session_token: Option<Secret>,
}

impl AwsCredentials {
    /// Reads one profile of a shared credentials file; none where it has no access key of its own, such as one that names a role.
    ///
    /// Sections and values as <https://docs.aws.amazon.com/sdkref/latest/guide/file-format.html> has them.
    pub fn from_profile(file: &str, profile: &str) -> Option<Self> {
        let mut inside = false;
        let (mut id, mut key, mut token) = (None, None, None);
        for line in file.lines() {
            let line = line.trim();
            if let Some(section) = line.strip_prefix('[') {
                let name = section.split(']').next().unwrap_or_default();
                inside = name.trim() == profile;
            }
            let Some((name, value)) = line.split_once('=').filter(|_| inside) else {
                continue;
            };
            let place = match name.trim().to_ascii_lowercase().as_str() {
                "aws_access_key_id" => &mut id,
                "aws_secret_access_key" => &mut key,
                "aws_session_token" => &mut token,
                _ => continue,
            };
            *place = Secret::new(value);
        }
        Some(Self {
            access_key_id: id?,
            secret_access_key: key?,
            session_token: token,
        })
    }

    /// The token that Bedrock takes from the holder of these in a region; none for what no signature can have.
    pub fn bedrock_token(&self, region: &str, now: SystemTime) -> Option<Secret> {
        let credentials = Credentials::new(
            self.access_key_id.expose(),
            self.secret_access_key.expose(),
            self.session_token.as_ref().map(|t| t.expose().to_owned()),
            None,
            "collie",
        );
        let identity = credentials.into();
        let mut settings = SigningSettings::default();
        settings.signature_location = SignatureLocation::QueryParams;
        settings.expires_in = Some(TOKEN_LIFETIME);
        let params = v4::SigningParams::builder()
            .identity(&identity)
            .region(region)
            .name("bedrock")
            .time(now)
            .settings(settings)
            .build()
            .ok()?;
        let headers = std::iter::empty();
        let body = SignableBody::Bytes(&[]);
        let request = SignableRequest::new("POST", TOKEN_URL, headers, body).ok()?;
        let (signed, _) = sign(request, &params.into()).ok()?.into_parts();
        let mut url = url::Url::parse(TOKEN_URL).ok()?;
        for (name, value) in signed.params() {
            url.query_pairs_mut().append_pair(name, value);
        }
        let (_, request) = url.as_str().split_once("://")?;
        let encoded = STANDARD.encode(format!("{request}&Version=1"));
        Secret::new(&format!("bedrock-api-key-{encoded}"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeMap;

    /// 2026-11-24T12:00:00Z.
    const NOON: Duration = Duration::from_secs(1_795_521_600);

    const FILE: &str = "# comment\n[default]\naws_access_key_id = AKIDEXAMPLE\naws_secret_access_key=wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY\n\n\
        [team]\nregion = eu-west-1\nAWS_ACCESS_KEY_ID=ASIDEXAMPLE\naws_secret_access_key = wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY\n\
        aws_session_token = AQoDYXdzEPT//////////wEXAMPLEtc764bNrC9SAPBSM22wDOk4x4HIZ8j4FZTwdQWLWsKWHGBuFqwAeMicRXmxfpSPfIeoIYRqTflfKD8YUuwthAx7mSEI/qkPpKPi/kMcGd\n\
        [role]\nrole_arn = arn:aws:iam::1:role/x\nsource_profile = default\n";

    /// The parameters of the request in a token.
    fn parameters(token: &Secret) -> BTreeMap<String, String> {
        let encoded = token.expose().strip_prefix("bedrock-api-key-").unwrap();
        let request = String::from_utf8(STANDARD.decode(encoded).unwrap()).unwrap();
        let url = url::Url::parse(&format!("https://{request}")).unwrap();
        assert_eq!(
            (url.host_str(), url.path()),
            (Some("bedrock.amazonaws.com"), "/")
        );
        url.query_pairs().into_owned().collect()
    }

    /// What `aws-bedrock-token-generator` 1.1.0 on botocore made of the same at the same time; `scripts/check-bedrock-token.mjs` asks it anew.
    #[test]
    fn a_token_is_signed_as_aws_signs_it() {
        for (profile, key, signature) in [
            (
                "default",
                "AKIDEXAMPLE",
                "59980739a925a9d08cb42a85cc5b382688842ba896493d2f40264d3d448796d2",
            ),
            (
                "team",
                "ASIDEXAMPLE",
                "fe270fedc4bb178e315e58797020353e0c251a549269d5e9043a78ebe919c353",
            ),
        ] {
            let credentials = AwsCredentials::from_profile(FILE, profile).unwrap();
            let token = credentials.bedrock_token("eu-central-1", SystemTime::UNIX_EPOCH + NOON);
            let mut told = parameters(&token.unwrap());
            assert_eq!(
                told.remove("X-Amz-Signature").as_deref(),
                Some(signature),
                "{profile}"
            );
            let session = told.remove("X-Amz-Security-Token");
            assert_eq!(
                session.as_deref(),
                credentials.session_token.as_ref().map(Secret::expose)
            );
            let credential = format!("{key}/20261124/eu-central-1/bedrock/aws4_request");
            let expected = [
                ("Action", "CallWithBearerToken"),
                ("Version", "1"),
                ("X-Amz-Algorithm", "AWS4-HMAC-SHA256"),
                ("X-Amz-Credential", credential.as_str()),
                ("X-Amz-Date", "20261124T120000Z"),
                ("X-Amz-Expires", "43200"),
                ("X-Amz-SignedHeaders", "host"),
            ];
            let expected = expected.map(|(name, value)| (name.to_owned(), value.to_owned()));
            assert_eq!(told, BTreeMap::from(expected), "{profile}");
        }
    }

    #[test]
    fn a_profile_without_an_access_key_of_its_own_is_none() {
        assert_eq!(AwsCredentials::from_profile(FILE, "role"), None);
        assert_eq!(AwsCredentials::from_profile(FILE, "other"), None);
        assert_eq!(
            AwsCredentials::from_profile("[default]\naws_access_key_id=A", "default"),
            None
        );
        assert_eq!(AwsCredentials::from_profile("", "default"), None);
    }

    #[test]
    fn what_holds_secrets_never_shows_them() {
        let credentials = AwsCredentials::from_profile(FILE, "team").unwrap();
        let shown = format!("{credentials:?}");
        assert!(!shown.contains("EXAMPLE"), "{shown}");
    }
}
