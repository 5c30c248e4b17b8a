//! What the doctor looks at, and how it says what it found.

use collie_config::{Config, DataFolder};
use collie_core::user_error::UserError;
use collie_github::TokenSource;
use collie_i18n::Localizer;
use collie_reviewers::KeySources;
use collie_wire::rpc::{DoctorCode, DoctorLine, DoctorStatus};
use fluent::FluentValue;

/// Faults of one kind that are named one by one.
pub(super) const MAX_NAMED_FAULTS: usize = 3;

/// What is looked at.
pub struct DoctorContext<'a> {
    /// The data folder.
    pub data: &'a DataFolder,
    /// The configuration; the problem in words when the file is wrong.
    pub config: Result<&'a Config, UserError>,
    /// Where the token comes from; none when there is none to look for.
    pub tokens: Option<&'a TokenSource>,
    /// The language.
    pub localizer: &'a Localizer,
    /// Where the keys of language models are looked up.
    pub keys: &'a KeySources,
}

impl DoctorContext<'_> {
    pub(super) fn line(&self, code: DoctorCode, status: DoctorStatus, text: String) -> DoctorLine {
        DoctorLine {
            code,
            title: self.localizer.plain(&format!("doctor-{}", code.name())),
            status,
            text,
        }
    }

    /// What is wrong, and what to do, on one line.
    pub(super) fn error_line(
        &self,
        code: DoctorCode,
        status: DoctorStatus,
        error: impl Into<UserError>,
    ) -> DoctorLine {
        let error = error.into();
        let hints = self.localizer.error_hints(&error);
        let sentences: Vec<String> = std::iter::once(self.localizer.error_text(&error))
            .chain(hints)
            .collect();
        self.line(code, status, sentences.join(" "))
    }

    /// A text about so many, with their thousands set apart.
    pub(super) fn count_text(&self, key: &str, count: impl TryInto<u64>) -> String {
        count_text(self.localizer, key, count)
    }

    pub(super) fn text(&self, key: &str, args: &[(&str, FluentValue<'_>)]) -> String {
        self.localizer.text(key, args)
    }
}

fn count_text(localizer: &Localizer, key: &str, count: impl TryInto<u64>) -> String {
    let count = count.try_into().unwrap_or(u64::MAX);
    let shown = localizer.format_number(count);
    localizer.text(key, &[("count", count.into()), ("shown", shown.into())])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn many_are_told_with_their_thousands_apart() {
        let told = |count: usize| count_text(&Localizer::new("en"), "doctor-audit-ok", count);
        assert_eq!(told(0), "Nothing written yet");
        assert_eq!(told(1), "1 line, as it was written");
        assert_eq!(told(12_345), "12,345 lines, as they were written");
        let french = count_text(&Localizer::new("fr"), "doctor-audit-ok", 12_345_u64);
        assert_eq!(french, "12\u{a0}345 lignes, telles qu’écrites");
    }
}
