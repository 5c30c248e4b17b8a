//! The token of one lease: whoever shows it works on that session, until the lease ends.

use sha2::{Digest as _, Sha256};
use subtle::ConstantTimeEq as _;

/// What is kept of a token.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct TokenHash([u8; 32]);

/// A new token, as it is handed out; nobody keeps it here.
pub(crate) fn new_token() -> String {
    format!("collie_session_{}", hex::encode(rand::random::<[u8; 32]>()))
}

impl TokenHash {
    /// Of a token as somebody shows it.
    pub(crate) fn of(token: &str) -> Self {
        Self(Sha256::digest(token.as_bytes()).into())
    }

    /// As it is kept in a file.
    pub(crate) fn to_hex(self) -> String {
        hex::encode(self.0)
    }

    /// Whether it is that one; how long it takes to say so tells nothing.
    pub(crate) fn is(self, other: Self) -> bool {
        self.0.ct_eq(&other.0).into()
    }

    /// Whether it is the one that was kept so.
    pub(crate) fn is_hex(self, kept: &str) -> bool {
        let mut bytes = [0; 32];
        hex::decode_to_slice(kept, &mut bytes).is_ok() && self.is(Self(bytes))
    }
}
