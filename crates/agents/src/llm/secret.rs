//! What must never be shown: keys, and the headers that hold some.

use reqwest::header::{HeaderName, HeaderValue};
use secrecy::{ExposeSecret as _, SecretString};
use std::fmt;

/// A key. It is never shown: not in `Debug`, not in an error, not in a log; its memory is wiped once it is dropped.
#[derive(Clone)]
pub struct Secret(SecretString);

impl PartialEq for Secret {
    fn eq(&self, other: &Self) -> bool {
        self.expose() == other.expose()
    }
}

impl Eq for Secret {}

impl Secret {
    /// Wraps a key; none when it is empty or holds what no HTTP header may hold.
    pub fn new(text: &str) -> Option<Self> {
        let text = text.trim();
        let fits = !text.is_empty() && text.bytes().all(|b| b.is_ascii_graphic());
        fits.then(|| Self(text.into()))
    }

    /// The key itself: for the header of a request, and for redaction (§8.3).
    pub fn expose(&self) -> &str {
        self.0.expose_secret()
    }
}

impl fmt::Debug for Secret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Secret([redacted])")
    }
}

/// A header that goes along with each request. Its value is never shown, whether it is a secret or not.
#[derive(Clone)]
pub struct ExtraHeader {
    name: String,
    value: SecretString,
    is_secret: bool,
}

/// A header that no request can have.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("`{name}` is no header that a request can have")]
pub struct InvalidHeader {
    /// Its name.
    pub name: String,
}

impl ExtraHeader {
    /// A header whose value everybody may know.
    pub fn plain(name: &str, value: &str) -> Result<Self, InvalidHeader> {
        Self::new(name, value, false)
    }

    /// A header whose value is a secret.
    pub fn secret(name: &str, value: &str) -> Result<Self, InvalidHeader> {
        Self::new(name, value, true)
    }

    fn new(name: &str, value: &str, is_secret: bool) -> Result<Self, InvalidHeader> {
        let fits = HeaderName::try_from(name).is_ok() && HeaderValue::from_str(value).is_ok();
        if !fits || value.is_empty() {
            return Err(InvalidHeader {
                name: name.to_owned(),
            });
        }
        Ok(Self {
            name: name.to_owned(),
            value: value.into(),
            is_secret,
        })
    }

    /// Its name.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Its value: for the request alone.
    pub(super) fn expose(&self) -> &str {
        self.value.expose_secret()
    }

    /// The value, if it must be kept out of every text.
    pub fn secret_value(&self) -> Option<&str> {
        self.is_secret.then(|| self.value.expose_secret())
    }
}

impl PartialEq for ExtraHeader {
    fn eq(&self, other: &Self) -> bool {
        (self.name(), self.expose(), self.is_secret)
            == (other.name(), other.expose(), other.is_secret)
    }
}

impl Eq for ExtraHeader {}

impl fmt::Debug for ExtraHeader {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "ExtraHeader({}: [redacted])", self.name)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_header_that_none_can_be_is_refused_without_its_value() {
        for (name, value) in [("two words", "x"), ("", "x"), ("X-A", "a\nb"), ("X-A", "")] {
            let refused = ExtraHeader::plain(name, value).unwrap_err();
            assert_eq!(refused.name, name);
        }
        let header = ExtraHeader::secret("X-Gateway", "zebrafink").unwrap();
        assert!(!format!("{header:?}").contains("zebrafink"));
        assert_eq!(header.secret_value(), Some("zebrafink"));
        assert_eq!(
            ExtraHeader::plain("X-Title", "Our app")
                .unwrap()
                .secret_value(),
            None
        );
    }
}
