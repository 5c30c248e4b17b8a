//! Whether GitHub sent a delivery: a signature over the very bytes, by the secret that only it and this server know.

use hmac::{Hmac, KeyInit as _, Mac as _};
use secrecy::{ExposeSecret as _, SecretString};
use sha2::Sha256;

/// Whether the value of `X-Hub-Signature-256` is the body's. How long the answer takes says nothing of the right one.
pub(super) fn is_signed(secret: &SecretString, signature: &str, body: &[u8]) -> bool {
    let Some(given) = signature
        .strip_prefix("sha256=")
        .and_then(|digits| hex::decode(digits).ok())
    else {
        return false;
    };
    let Ok(mut mac) = Hmac::<Sha256>::new_from_slice(secret.expose_secret().as_bytes()) else {
        return false;
    };
    mac.update(body);
    mac.verify_slice(&given).is_ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The example of GitHub's documentation.
    const SECRET: &str = "It's a Secret to Everybody";
    const BODY: &[u8] = b"Hello, World!";
    const SIGNATURE: &str =
        "sha256=757107ea0eb2509fc211221cce984b8a37570b6d7586c22c46f4379c8b043e17";

    #[test]
    fn a_signature_is_of_these_bytes_by_this_secret_alone() {
        let secret = SecretString::from(SECRET);
        assert!(is_signed(&secret, SIGNATURE, BODY));
        assert!(!is_signed(&secret, SIGNATURE, b"Hello, World"));
        assert!(!is_signed(&SecretString::from("another"), SIGNATURE, BODY));
        let digits = SIGNATURE.trim_start_matches("sha256=");
        let wrong = [
            "",
            "sha256=",
            digits,
            &format!("sha1={digits}"),
            &SIGNATURE[..SIGNATURE.len() - 2],
            &format!("{SIGNATURE}00"),
            "sha256=xx",
        ];
        for wrong in wrong {
            assert!(!is_signed(&secret, wrong, BODY), "{wrong}");
        }
    }
}
