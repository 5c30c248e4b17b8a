//! What accounts of one host are called.

/// Characters that the name of an account may have.
const MAX_NAME_CHARS: usize = 64;

/// What tells an account of a host from its others.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct AccountName(String);

impl AccountName {
    /// Takes a name: letters and digits of ASCII, `-` and `_`, at most 64 of them; none when it is something else.
    pub fn parse(name: &str) -> Option<Self> {
        let fits = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_');
        let good = !name.is_empty() && name.len() <= MAX_NAME_CHARS && name.chars().all(fits);
        good.then(|| Self(name.to_owned()))
    }
}

impl Default for AccountName {
    /// The account of whoever says none.
    fn default() -> Self {
        Self("default".to_owned())
    }
}

impl std::fmt::Display for AccountName {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_is_a_word_that_no_address_has_to_escape() {
        for good in ["a", "ana-2", "Team_1", &"x".repeat(64)] {
            assert_eq!(AccountName::parse(good).unwrap().to_string(), good);
        }
        for bad in ["", "a b", "a@b", "../a", "é", &"x".repeat(65)] {
            assert_eq!(AccountName::parse(bad), None, "{bad}");
        }
        let default = AccountName::default();
        assert_eq!(AccountName::parse(&default.to_string()), Some(default));
    }
}
