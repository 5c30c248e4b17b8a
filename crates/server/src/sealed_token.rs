//! A person's token as it lies in the store: sealed with a key that is made of the session's id, which only the person's browser has.
//!
//! So a copy of the data folder opens no session and tells no token, and there is no key to be kept anywhere (§9.4).

use aes_gcm::aead::{Aead as _, KeyInit as _, Nonce, Payload};
use aes_gcm::{Aes256Gcm, Key};
use hmac::{Hmac, Mac as _};
use secrecy::SecretString;
use sha2::Sha256;

/// What the key is for: the hash that finds a session is made of the same id.
const PURPOSE: &[u8] = b"collie: the token of a browser session, 1";
const NONCE_BYTES: usize = 12;

/// Seals a token for the session with an id. Who holds the account is part of what is sealed.
pub(crate) fn seal(id: &str, account: u64, token: &str) -> Option<Vec<u8>> {
    let nonce = rand::random::<[u8; NONCE_BYTES]>();
    let payload = Payload {
        msg: token.as_bytes(),
        aad: &account.to_be_bytes(),
    };
    let sealed = cipher(id)?.encrypt(&Nonce::<Aes256Gcm>::from(nonce), payload);
    Some([&nonce[..], &sealed.ok()?].concat())
}

/// Opens what was sealed for this id and account; none where it is another's, or was changed.
pub(crate) fn open(id: &str, account: u64, sealed: &[u8]) -> Option<SecretString> {
    let (nonce, sealed) = sealed.split_first_chunk::<NONCE_BYTES>()?;
    let payload = Payload {
        msg: sealed,
        aad: &account.to_be_bytes(),
    };
    let opened = cipher(id)?.decrypt(&Nonce::<Aes256Gcm>::from(*nonce), payload);
    let text = String::from_utf8(opened.ok()?).ok()?;
    Some(SecretString::from(text))
}

fn cipher(id: &str) -> Option<Aes256Gcm> {
    let mut mac = <Hmac<Sha256> as hmac::KeyInit>::new_from_slice(id.as_bytes()).ok()?;
    mac.update(PURPOSE);
    let key: [u8; 32] = mac.finalize().into_bytes().into();
    Some(Aes256Gcm::new(&Key::<Aes256Gcm>::from(key)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use secrecy::ExposeSecret as _;

    #[test]
    fn only_the_id_of_the_session_opens_its_token_and_only_for_its_account() {
        let sealed = seal("one id", 7, "ghp_token").unwrap();
        let opened = open("one id", 7, &sealed).unwrap();
        assert_eq!(opened.expose_secret(), "ghp_token");
        assert!(open("another id", 7, &sealed).is_none());
        assert!(open("one id", 8, &sealed).is_none());
        for at in 0..sealed.len() {
            let mut changed = sealed.clone();
            changed[at] ^= 1;
            assert!(open("one id", 7, &changed).is_none(), "byte {at}");
        }
        assert!(open("one id", 7, &sealed[..11]).is_none());
        assert!(!sealed.windows(4).any(|part| part == b"ghp_"));
        assert_ne!(sealed, seal("one id", 7, "ghp_token").unwrap());
    }
}
