//! What tokens look like: by the login alone, or with something that nobody can guess.

use sha2::{Digest as _, Sha256};
use subtle::ConstantTimeEq as _;

/// Bytes of what a secret token ends in.
const PROOF_BYTES: usize = 16;

/// How the tokens of a run are made; clones make the same ones.
#[derive(Clone)]
pub struct TokenScheme(Option<[u8; 32]>);

impl TokenScheme {
    /// Tokens are `forge-LOGIN`: whoever reaches the forge can play anyone (§16).
    pub fn by_login() -> Self {
        Self(None)
    }

    /// Tokens are `forge-LOGIN-PROOF`, where the proof can be neither guessed nor found from another token. They are good
    /// for this run.
    pub fn secret() -> Self {
        Self(Some(rand::random()))
    }

    pub(crate) fn is_secret(&self) -> bool {
        self.0.is_some()
    }

    /// The token of a login.
    pub fn token_of(&self, login: &str) -> String {
        match &self.0 {
            None => format!("forge-{login}"),
            Some(key) => format!("forge-{login}-{}", proof(key, login)),
        }
    }

    /// Whom a token says that it is of, and whether it is that one's indeed; none for what is no token.
    pub(crate) fn login_of<'t>(&self, token: &'t str) -> Option<&'t str> {
        let rest = token.strip_prefix("forge-")?;
        let Some(key) = &self.0 else {
            return Some(rest);
        };
        let (login, given) = rest.rsplit_once('-')?;
        let is_proof = given.as_bytes().ct_eq(proof(key, login).as_bytes());
        bool::from(is_proof).then_some(login)
    }
}

impl std::fmt::Debug for TokenScheme {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let kind = self.0.map_or("by login", |_| "secret");
        f.debug_tuple("TokenScheme").field(&kind).finish()
    }
}

/// What only a holder of the key can say of a login. Logins are one, however they are written.
fn proof(key: &[u8; 32], login: &str) -> String {
    let mut hash = Sha256::new();
    hash.update(key);
    hash.update(login.to_ascii_lowercase());
    hex::encode(&hash.finalize()[..PROOF_BYTES])
}

#[cfg(test)]
mod tests {
    use super::TokenScheme;

    #[test]
    fn a_token_by_login_is_the_login() {
        let scheme = TokenScheme::by_login();
        assert_eq!(scheme.token_of("ana"), "forge-ana");
        assert_eq!(scheme.login_of("forge-ana"), Some("ana"));
        assert_eq!(scheme.login_of("ana"), None);
    }

    #[test]
    fn a_secret_token_is_of_one_login_and_one_run() {
        let (scheme, other) = (TokenScheme::secret(), TokenScheme::secret());
        for login in ["ana", "my-bot", "copilot[bot]", "a"] {
            let token = scheme.token_of(login);
            assert!(token.len() >= "forge--".len() + login.len() + 32, "{token}");
            assert_eq!(scheme.clone().login_of(&token), Some(login));
            assert_eq!(other.login_of(&token), None);
            let of_another = token.replace(login, "octo");
            for wrong in [
                of_another.as_str(),
                &token[..token.len() - 1],
                &format!("{token}0"),
                &format!("forge-{login}"),
                &format!("forge-{login}-"),
                "forge-",
                "",
            ] {
                assert_eq!(scheme.login_of(wrong), None, "{wrong}");
            }
        }
        let upper = scheme.token_of("ana").replace("ana", "Ana");
        assert_eq!(scheme.login_of(&upper), Some("Ana"));
    }
}
