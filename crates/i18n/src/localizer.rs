//! States, blockers, stops, amounts and times in words.

use super::language::Language;
use super::persona_name::persona_name;
use collie_core::blocker::{Blocker, Stop};
use collie_core::coverage::UnseenReason;
use collie_core::ids::{PullName, Time};
use collie_core::lifecycle::State;
use collie_core::linter_run::{LinterOutcome, LinterRun};
use collie_core::merge_queue::Ejection;
use collie_core::policy::ReviewerKind;
use collie_core::poll_budget::{PollThrottle, RateResource};
use collie_core::post::VerdictLine;
use collie_core::review::Conclusion;
use collie_core::text::{neutralize_line, visible_block, visible_line};
use collie_core::tracked_finding::ReportOnly;
use collie_core::usage::Cost;
use fluent::{FluentArgs, FluentValue};
use i18n_embed::fluent::FluentLanguageLoader;
use jiff::tz::TimeZone;
use rust_embed::RustEmbed;
use std::fmt;
use unic_langid::LanguageIdentifier;

#[derive(RustEmbed)]
#[folder = "../../locales"]
pub(super) struct Locales;

/// The files of a language that are for every host.
const FLUENT_FILES: [&str; 7] = [
    "loop", "posts", "errors", "settings", "backend", "doctor", "desktop",
];
/// More names than these are counted instead of listed.
const MAX_LISTED_NAMES: usize = 5;

/// Texts in one language.
pub struct Localizer {
    language: Language,
    files: Vec<FluentLanguageLoader>,
    time_zone: TimeZone,
}

impl fmt::Debug for Localizer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Localizer")
            .field("language", &self.language)
            .finish_non_exhaustive()
    }
}

impl Localizer {
    /// Speaks a language by its name; English when it is none of ours. Times are told in the system's time zone.
    pub fn new(language: &str) -> Self {
        Self::with_time_zone(
            Language::parse(language).unwrap_or_default(),
            TimeZone::system(),
        )
    }

    /// Speaks a language by its name from files of `locales/` that a host has for itself alone.
    pub fn from_files(language: &str, files: &[&str]) -> Self {
        let language = Language::parse(language).unwrap_or_default();
        Self::load(language, files, TimeZone::system())
    }

    /// Speaks a language, and tells times in a time zone.
    pub fn with_time_zone(language: Language, time_zone: TimeZone) -> Self {
        Self::load(language, &FLUENT_FILES, time_zone)
    }

    fn load(language: Language, files: &[&str], time_zone: TimeZone) -> Self {
        let id = |language: Language| -> LanguageIdentifier {
            language
                .code()
                .parse()
                .expect("our codes are language codes")
        };
        let files = files.iter().map(|file| {
            let loader = FluentLanguageLoader::new(*file, id(Language::En));
            let loaded = i18n_embed::LanguageLoader::load_languages(
                &loader,
                &Locales,
                &[id(language), id(Language::En)],
            );
            loaded.expect("the texts are part of this program, and a test reads them");
            // Marks around arguments would be invisible characters in what is posted.
            loader.set_use_isolating(false);
            loader
        });
        Self {
            language,
            files: files.collect(),
            time_zone,
        }
    }

    /// The language.
    pub fn language(&self) -> Language {
        self.language
    }

    /// A text with its arguments. Whoever wrote them: nothing in them steers what shows the text, or is hidden in it.
    pub fn text(&self, key: &str, args: &[(&str, FluentValue<'_>)]) -> String {
        let args: FluentArgs<'_> = (args.iter())
            .map(|(name, value)| (*name, visible_value(value)))
            .collect();
        let file = self
            .files
            .iter()
            .find(|file| file.has(key))
            .unwrap_or(&self.files[0]);
        file.get_args_fluent(key, Some(&args))
    }

    /// A text without arguments.
    pub fn plain(&self, key: &str) -> String {
        self.text(key, &[])
    }

    /// What a loop waits for whose head branch another one is committing to.
    pub fn branch_holder_text(&self, pull: &PullName) -> String {
        self.text("waits-for-branch", &[("pull", pull.to_string().into())])
    }

    /// The name of a state.
    pub fn state_name(&self, state: State) -> String {
        self.plain(&format!("state-{state}"))
    }

    /// What was concluded; none for one who only commented.
    pub fn verdict_name(&self, verdict: Option<Conclusion>) -> String {
        self.plain(match verdict {
            None => "verdict-none",
            Some(Conclusion::Approve) => "verdict-approve",
            Some(Conclusion::RequestChanges) => "verdict-request_changes",
            Some(Conclusion::NeedsMajorWork) => "verdict-needs_major_work",
        })
    }

    /// What all reviewers agree on. Where nobody has read the change it is not called approved (§4.4).
    pub fn consensus_name(&self, consensus: Conclusion, unread: bool, findings: usize) -> String {
        self.plain(match (unread, consensus, findings) {
            (true, Conclusion::Approve, 0) => "verdict-rules-none",
            (true, Conclusion::Approve, _) => "verdict-rules-suggestions",
            (_, consensus, _) => return self.verdict_name(Some(consensus)),
        })
    }

    /// What one reviewer came to. Rules approve nothing: what they know was there, or was not (§1.5).
    pub fn reviewer_verdict(&self, line: &VerdictLine) -> String {
        match (line.kind, line.verdict) {
            (Some(ReviewerKind::Rules), Some(verdict)) => {
                self.consensus_name(verdict, true, line.findings as usize)
            }
            (_, verdict) => self.verdict_name(verdict),
        }
    }

    /// What became of a repository's linters; `quote` puts what they said into the form of the place.
    pub fn linter_runs(&self, runs: &[LinterRun], quote: impl Fn(&str) -> String) -> String {
        let told = runs.iter().map(|run| {
            let name = ("name", quote(&run.name).into());
            match &run.outcome {
                LinterOutcome::Ran { findings } => {
                    self.text("linter-ran", &[name, ("count", (*findings).into())])
                }
                LinterOutcome::NotInstalled => self.text("linter-not_installed", &[name]),
                LinterOutcome::TimedOut { seconds } => {
                    self.text("linter-timed_out", &[name, ("seconds", (*seconds).into())])
                }
                LinterOutcome::Failed { message } => {
                    self.text("linter-failed", &[name, ("message", quote(message).into())])
                }
            }
        });
        told.collect::<Vec<_>>().join(" · ")
    }

    /// Why a pull request was taken out of the merge queue; `quote` puts what others wrote into the form of the place.
    pub fn ejection_reason(&self, ejection: &Ejection, quote: impl Fn(&str) -> String) -> String {
        let names: Vec<String> = ejection.checks.iter().map(|name| quote(name)).collect();
        let word = match ejection.word.as_str() {
            "" => "none".to_owned(),
            word => quote(word),
        };
        let args = [
            ("count", ejection.checks.len().into()),
            ("names", self.format_list(&names).into()),
            ("word", word.into()),
        ];
        self.text(&format!("ejection-{}", ejection.cause.code()), &args)
    }

    /// Why a finding that counts stands in the report alone.
    pub fn report_only(&self, label: ReportOnly) -> String {
        self.plain(match label {
            ReportOnly::Covered => "report-only-covered",
            ReportOnly::OutsideDiff => "report-only-outside-diff",
            ReportOnly::Minor => "report-only-minor",
            ReportOnly::Surplus => "report-only-surplus",
        })
    }

    /// Why a file was not shown.
    pub fn unseen_reason(&self, reason: UnseenReason) -> String {
        self.plain(match reason {
            UnseenReason::Binary => "unseen-reason-binary",
            UnseenReason::Lockfile => "unseen-reason-lockfile",
            UnseenReason::Generated => "unseen-reason-generated",
            UnseenReason::Submodule => "unseen-reason-submodule",
            UnseenReason::Link => "unseen-reason-link",
            UnseenReason::TooLarge => "unseen-reason-too_large",
            UnseenReason::TooMany => "unseen-reason-too_many",
            UnseenReason::Unreadable => "unseen-reason-unreadable",
            UnseenReason::Nesting => "unseen-reason-nesting",
            UnseenReason::NoRoom => "unseen-reason-no_room",
            UnseenReason::ReadingFailed => "unseen-reason-reading_failed",
            UnseenReason::TakenOut => "unseen-reason-taken_out",
        })
    }

    /// What a loop waits for, in a sentence.
    pub fn blocker_text(&self, blocker: &Blocker) -> String {
        let args = blocker.args();
        let args = args
            .iter()
            .map(|(name, arg)| (*name, self.fluent_value(arg)));
        let mut args: Vec<_> = args.collect();
        if let Blocker::NoSandbox { error } = blocker {
            args.push(("hints", self.error_hints(error).join(" ").into()));
        }
        if let Blocker::Reviewing { names } = blocker {
            let names: Vec<String> = names.iter().map(|name| self.reviewer_name(name)).collect();
            args = vec![("names", self.format_names(&names).into())];
        }
        let key = format!("blocker-{}", blocker.code());
        self.text(&key, &args)
    }

    /// A reviewer in a sentence: `the rules`, `Quinn`; the user's own personas by the name that they were given.
    fn reviewer_name(&self, name: &str) -> String {
        match name {
            "rules" => self.plain("blocker-reviewing-rules"),
            other => persona_name(other),
        }
    }

    /// Why polls are slower than configured, and until when.
    pub fn throttle_text(&self, throttle: &PollThrottle) -> String {
        let key = match throttle.resource {
            RateResource::Graphql => "throttle-graphql",
            RateResource::Rest => "throttle-rest",
        };
        let args = [
            ("left", self.format_number(throttle.remaining).into()),
            ("limit", self.format_number(throttle.limit).into()),
            ("until", self.format_time_of_day(throttle.resets_at).into()),
        ];
        self.text(key, &args)
    }

    /// Why a run stopped, and what a person can do about it.
    pub fn stop_text(&self, stop: &Stop) -> (String, Vec<String>) {
        let key = format!("stop-{}", stop.code());
        let text = |args: &[(&str, FluentValue<'_>)]| self.text(&key, args);
        let message = match stop {
            Stop::CiTimeout { names } => text(&[
                ("count", names.len().into()),
                ("names", self.format_names(names).into()),
            ]),
            Stop::IterationsSpent { max } => text(&[("max", (*max).into())]),
            Stop::Stuck { count }
            | Stop::Upheld { count }
            | Stop::TooManyRestarts { count }
            | Stop::TooManyTurns { count } => text(&[("count", (*count).into())]),
            Stop::CannotPush { reason, .. } => self.plain(cannot_push_keys(reason).0),
            Stop::ReviewFailed { reviewer, .. } => {
                let kind = if reviewer == "rules" {
                    "rules"
                } else {
                    "other"
                };
                let reviewer = self.reviewer_name(reviewer);
                text(&[("kind", kind.into()), ("reviewer", reviewer.into())])
            }
            Stop::Oscillating | Stop::FixFailed { .. } | Stop::AccessLost => text(&[]),
        };
        (
            message,
            hint_keys(stop)
                .iter()
                .map(|hint| self.plain(hint))
                .collect(),
        )
    }

    /// The same where nothing else says it: with the words of whatever failed.
    pub fn stop_text_with_cause(&self, stop: &Stop) -> (String, Vec<String>) {
        let (text, hints) = self.stop_text(stop);
        let cause = match stop {
            Stop::ReviewFailed { error, .. } | Stop::FixFailed { error } => {
                failure_excerpt(&self.error_text(error))
            }
            Stop::CannotPush { reason, message } if reason == "refused" => failure_excerpt(message),
            Stop::CannotPush { .. }
            | Stop::CiTimeout { .. }
            | Stop::IterationsSpent { .. }
            | Stop::Stuck { .. }
            | Stop::Oscillating
            | Stop::Upheld { .. }
            | Stop::TooManyRestarts { .. }
            | Stop::TooManyTurns { .. }
            | Stop::AccessLost => String::new(),
        };
        if cause.is_empty() {
            return (text, hints);
        }
        let args = [("stop", text.into()), ("message", cause.into())];
        (self.text("stop-in-full", &args), hints)
    }

    /// Names that others gave, in a row: each is one line.
    pub(super) fn format_names(&self, names: &[String]) -> String {
        let lines: Vec<_> = names.iter().map(|name| visible_line(name)).collect();
        self.format_list(&lines)
    }

    /// Names in a row: `a, b and c`; beyond five the rest is counted.
    pub fn format_list<T: fmt::Display>(&self, names: &[T]) -> String {
        let names: Vec<String> = names.iter().map(ToString::to_string).collect();
        if names.len() > MAX_LISTED_NAMES {
            let (shown, rest) = names.split_at(MAX_LISTED_NAMES);
            let args = [
                ("first", shown.join(", ").into()),
                ("count", rest.len().into()),
            ];
            return self.text("list-more", &args);
        }
        match names.split_last() {
            None => String::new(),
            Some((only, [])) => only.clone(),
            Some((last, first)) => {
                let args = [
                    ("first", first.join(", ").into()),
                    ("last", last.as_str().into()),
                ];
                self.text("list-and", &args)
            }
        }
    }

    /// A length of time: `3 min 12 s`.
    pub fn format_duration(&self, millis: u64) -> String {
        let seconds = millis / 1_000;
        let (hours, minutes) = (seconds / 3_600, seconds / 60);
        if hours > 0 {
            let args = [
                ("hours", hours.into()),
                ("minutes", format!("{:02}", minutes % 60).into()),
            ];
            self.text("duration-hours", &args)
        } else if minutes > 0 {
            let args = [
                ("minutes", minutes.into()),
                ("seconds", (seconds % 60).into()),
            ];
            self.text("duration-minutes", &args)
        } else {
            self.text("duration-seconds", &[("seconds", seconds.into())])
        }
    }

    /// A time of day: `14:27`.
    pub fn format_time_of_day(&self, time: Time) -> String {
        let stamp = jiff::Timestamp::from_millisecond(time.0).unwrap_or_default();
        stamp
            .to_zoned(self.time_zone.clone())
            .strftime("%H:%M")
            .to_string()
    }

    /// A moment: its time today, else its date with it.
    pub fn format_moment(&self, time: Time, now: Time) -> String {
        let zoned = |time: Time| {
            let stamp = jiff::Timestamp::from_millisecond(time.0).unwrap_or_default();
            stamp.to_zoned(self.time_zone.clone())
        };
        let (moment, now) = (zoned(time), zoned(now));
        let form = match moment.date() == now.date() {
            true => "%H:%M",
            false => "%Y-%m-%d %H:%M",
        };
        moment.strftime(form).to_string()
    }

    /// A whole number with its thousands set apart.
    pub fn format_number(&self, number: u64) -> String {
        let apart = match self.language {
            Language::En => ',',
            Language::Fr => '\u{a0}',
        };
        let digits = number.to_string();
        let mut out = String::with_capacity(digits.len() * 2);
        for (nth, digit) in digits.chars().enumerate() {
            if nth > 0 && (digits.len() - nth).is_multiple_of(3) {
                out.push(apart);
            }
            out.push(digit);
        }
        out
    }

    /// What something cost; a part that no price is known for is said to be one, never a zero.
    pub fn format_cost(&self, cost: Cost) -> String {
        match (cost.known_micros(), cost.unpriced) {
            (None, _) => self.plain("money-unknown"),
            (Some(micros), false) => self.format_micros(micros),
            (Some(micros), true) => {
                let known = self.format_micros(micros);
                self.text("money-and-unknown", &[("known", known.into())])
            }
        }
    }

    /// Money, from millionths of a dollar; four decimals, so that a small run is not free.
    fn format_micros(&self, micros: u64) -> String {
        self.format_dollars(
            micros / 1_000_000,
            &format!("{:04}", micros % 1_000_000 / 100),
        )
    }

    /// Money of a limit, from millionths of a dollar: to the cent, rounded up.
    pub fn format_limit(&self, micros: u64) -> String {
        let cents = micros.div_ceil(10_000);
        self.format_dollars(cents / 100, &format!("{:02}", cents % 100))
    }

    fn format_dollars(&self, dollars: u64, decimals: &str) -> String {
        let point = match self.language {
            Language::En => '.',
            Language::Fr => ',',
        };
        let amount = format!("{dollars}{point}{decimals}");
        self.text("money", &[("amount", amount.into())])
    }
}

/// A value whose control characters are shown; lines stay.
fn visible_value<'v>(value: &'v FluentValue<'_>) -> FluentValue<'v> {
    match value {
        FluentValue::String(text) => FluentValue::String(visible_block(text)),
        other => other.clone(),
    }
}

/// The text and the hints for a reason of [`Stop::CannotPush`].
fn cannot_push_keys(reason: &str) -> (&'static str, &'static [&'static str]) {
    match reason {
        "default_branch" => ("stop-cannot_push-default_branch", &["hint-own-branch"]),
        "protected" => (
            "stop-cannot_push-protected",
            &["hint-unprotect", "hint-resume"],
        ),
        "base_of_another" => (
            "stop-cannot_push-base_of_another",
            &["hint-retarget", "hint-fix-yourself"],
        ),
        "fork_read_only" => (
            "stop-cannot_push-fork_read_only",
            &["hint-fork-allow", "hint-resume"],
        ),
        _ => ("stop-cannot_push-refused", &["hint-rules", "hint-resume"]),
    }
}

/// The most of a failure's own words.
const MAX_FAILURE_CHARS: usize = 400;

/// What a session failed of, on one line. It may quote an agent or a service, so that it mentions nobody and commands nothing.
fn failure_excerpt(message: &str) -> String {
    let line = neutralize_line(message);
    match line.char_indices().nth(MAX_FAILURE_CHARS) {
        Some((end, _)) => format!("{}…", &line[..end]),
        None => line,
    }
}

fn hint_keys(stop: &Stop) -> &'static [&'static str] {
    match stop {
        Stop::CiTimeout { .. } => &["hint-ci-logs", "hint-ci-retry"],
        Stop::IterationsSpent { .. } => {
            &["hint-fix-yourself", "hint-resume", "hint-more-iterations"]
        }
        Stop::Stuck { .. } | Stop::Upheld { .. } => {
            &["hint-fix-yourself", "hint-dismiss", "hint-resume"]
        }
        Stop::Oscillating => &["hint-settle-first", "hint-fix-yourself"],
        Stop::TooManyRestarts { .. } => &["hint-quiet"],
        Stop::TooManyTurns { .. } => &["hint-settle-first", "hint-resume"],
        Stop::CannotPush { reason, .. } => cannot_push_keys(reason).1,
        Stop::ReviewFailed { .. } | Stop::FixFailed { .. } => &["hint-doctor", "hint-retry"],
        Stop::AccessLost => &["hint-access", "hint-retry"],
    }
}
