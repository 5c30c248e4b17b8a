//! Which language people read.

/// A language that all texts exist in.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Language {
    /// English.
    #[default]
    En,
    /// French.
    Fr,
}

impl Language {
    /// Reads a name such as `fr`, `fr_CA.UTF-8` or `en-US`; none when it names no language of ours.
    pub fn parse(name: &str) -> Option<Self> {
        let word = name
            .trim()
            .split(['_', '-', '.', '@'])
            .next()
            .unwrap_or_default();
        match word.to_ascii_lowercase().as_str() {
            "en" | "c" | "posix" => Some(Language::En),
            "fr" => Some(Language::Fr),
            _ => None,
        }
    }

    /// Takes the first that is told: `COLLIE_LANG`, the configuration, the system (`LC_ALL`, `LC_MESSAGES`, `LANG`); else English.
    pub fn resolve(configured: Option<&str>, variable: &dyn Fn(&str) -> Option<String>) -> Self {
        let set_variable = |name: &str| variable(name).filter(|value| !value.trim().is_empty());
        let system = || {
            ["LC_ALL", "LC_MESSAGES", "LANG"]
                .into_iter()
                .find_map(set_variable)
        };
        set_variable("COLLIE_LANG")
            .and_then(|name| Self::parse(&name))
            .or_else(|| configured.and_then(Self::parse))
            .or_else(|| system().and_then(|name| Self::parse(&name)))
            .unwrap_or_default()
    }

    /// The name of its folder in `locales/`.
    pub fn code(self) -> &'static str {
        match self {
            Language::En => "en",
            Language::Fr => "fr",
        }
    }
}
