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

    pub(super) fn text(&self, key: &str, args: &[(&str, FluentValue<'_>)]) -> String {
        self.localizer.text(key, args)
    }
}
