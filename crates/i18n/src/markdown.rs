//! Pieces that bodies are made of. Whatever somebody else wrote passes through here, and comes out redacted and defused (§8.3).

use super::localizer::Localizer;
use super::redactor::Redactor;
use collie_core::finding::{Finding, FindingKind, Priority, Replacement, SourceType};
use collie_core::ids::{Login, Sha};
use collie_core::linter_run::LinterRun;
use collie_core::session::LeftOut;
use collie_core::text;
use fluent::FluentValue;
use std::borrow::Cow;

/// More rows than these are counted instead of shown.
pub(super) const MAX_TABLE_ROWS: usize = 50;
/// More findings than these are not told in full.
pub(super) const MAX_DETAILED_FINDINGS: usize = 30;
const MAX_LINE_CHARS: usize = 200;
const MAX_MARKDOWN_CHARS: usize = 4_000;
const MAX_LOG_LINES: usize = 120;
const MAX_LOG_CHARS: usize = 12_000;

/// What a body is written with.
pub(super) struct MarkdownWriter<'a> {
    pub(super) localizer: &'a Localizer,
    pub(super) redactor: &'a Redactor,
}

impl MarkdownWriter<'_> {
    pub(super) fn text(&self, key: &str, args: &[(&str, FluentValue<'_>)]) -> String {
        self.localizer.text(key, args)
    }

    pub(super) fn plain(&self, key: &str) -> String {
        self.localizer.plain(key)
    }

    /// `### Collie · …`
    pub(super) fn heading(&self, title: &str) -> String {
        format!("### {} · {title}\n", self.plain("post-name"))
    }

    /// What a fixer says of an issue. The rules fixer speaks in codes, which are put in words here.
    pub(super) fn fixer_note(&self, note: &str) -> String {
        use collie_core::fix::note_codes;
        let (code, rest) = note.split_once(':').unwrap_or((note, ""));
        match code {
            note_codes::APPLIED => {
                self.text("fixer-note-applied", &[("rules", rest.to_string().into())])
            }
            note_codes::APPLIED_WHERE_NAMED => {
                let rules = rest.to_string().into();
                self.text("fixer-note-applied-where-named", &[("rules", rules)])
            }
            note_codes::NOT_COVERED => self.plain("fixer-note-not-covered"),
            note_codes::NO_FIX => self.plain("fixer-note-no-fix"),
            note_codes::NO_MATCH => self.plain("fixer-note-gone"),
            note_codes::TAKEN_BACK if rest.is_empty() => self.plain("fixer-note-taken-back"),
            note_codes::TAKEN_BACK => {
                let taken_back = self.plain("fixer-note-taken-back");
                format!("{taken_back}\n\n{}", self.fixer_note(rest))
            }
            note_codes::UNCHANGED => self.plain("fixer-note-unchanged"),
            note_codes::NOTHING_ASKED => self.plain("fixer-note-nothing-asked"),
            note_codes::GATE_SCOPE => self.gate_note("fixer-note-gate-scope", rest),
            note_codes::GATE_SYNTAX => self.gate_note("fixer-note-gate-syntax", rest),
            note_codes::GATE_SECRETS => self.gate_note("fixer-note-gate-secrets", rest),
            note_codes::GATE_LINKS => self.gate_note("fixer-note-gate-links", rest),
            note_codes::GATE_CONFLICTS => self.gate_note("fixer-note-gate-conflicts", rest),
            note_codes::GATE_LOST_LINES => self.gate_note("fixer-note-gate-lost-lines", rest),
            note_codes::PUSH_REJECTED if rest.is_empty() => {
                self.gate_note("fixer-note-push-rejected", "none")
            }
            note_codes::PUSH_REJECTED => self.gate_note("fixer-note-push-rejected", rest),
            note_codes::GATE_VERIFY => self.gate_note("fixer-note-gate-verify", rest),
            note_codes::GATE_TAMPER => {
                let (places, more) = rest.split_once('\n').unwrap_or((rest, ""));
                let places: Vec<String> =
                    places.split("; ").map(|place| self.tamper(place)).collect();
                self.gate_note(
                    "fixer-note-gate-tamper",
                    &format!("{}\n{more}", places.join("; ")),
                )
            }
            _ => note.to_string(),
        }
    }

    /// Why a gate refused: the first line is what it is about, the rest what goes with it.
    fn gate_note(&self, key: &str, about: &str) -> String {
        let (first, rest) = about.split_once('\n').unwrap_or((about, ""));
        let sentence = self.text(key, &[("what", first.to_owned().into())]);
        match rest.trim() {
            "" => sentence,
            rest => format!("{sentence}\n\n{rest}"),
        }
    }

    /// `KIND PATH:LINE` with the kind in words.
    fn tamper(&self, place: &str) -> String {
        let (kind, path) = place.split_once(' ').unwrap_or((place, ""));
        format!("{} ({path})", self.plain(&format!("tamper-{kind}")))
    }

    /// Without secrets, diffs and folders of this machine.
    pub(super) fn redact(&self, quoted: &str) -> String {
        self.redactor.redact(quoted)
    }

    /// A title of others, on one line.
    pub(super) fn quoted_line(&self, quoted: &str) -> String {
        text::neutralize_line(&truncate_chars(&self.redact(quoted), MAX_LINE_CHARS))
    }

    /// The same in a cell of a table.
    pub(super) fn quoted_cell(&self, quoted: &str) -> String {
        escape_cell(&self.quoted_line(quoted))
    }

    /// Markdown of others.
    pub(super) fn quoted_markdown(&self, quoted: &str) -> String {
        text::neutralize_markdown(&truncate_chars(&self.redact(quoted), MAX_MARKDOWN_CHARS))
            .trim()
            .to_string()
    }

    /// Output or code of others: its end, in a fence that it can't close.
    pub(super) fn quoted_log(&self, quoted: &str) -> String {
        let tail = text::log_tail(&self.redact(quoted), MAX_LOG_LINES);
        let kept = match tail.char_indices().rev().nth(MAX_LOG_CHARS) {
            Some((start, _)) => format!("…{}", &tail[start..]),
            None => tail,
        };
        text::fence_as_text(&text::neutralize_code(&kept))
    }

    /// `file:line` as code.
    pub(super) fn location(&self, file: &str, line: Option<u32>) -> String {
        let file = self.redact(file);
        match line {
            _ if file.is_empty() => self.plain("post-nowhere"),
            Some(line) => text::code_span(&format!("{file}:{line}")),
            None => text::code_span(&file),
        }
    }

    /// A priority, or what is no issue at all, as a badge in text.
    pub(super) fn priority_badge(&self, finding: &Finding) -> String {
        let key = match finding.kind {
            FindingKind::Question => "post-kind-question",
            FindingKind::Praise => "post-kind-praise",
            FindingKind::Suggestion | FindingKind::Nitpick | FindingKind::Error => {
                match finding.priority {
                    Priority::P0 => "post-priority-p0",
                    Priority::P1 => "post-priority-p1",
                    Priority::P2 => "post-priority-p2",
                    Priority::P3 => "post-priority-p3",
                }
            }
        };
        format!("**{}**", self.plain(key))
    }

    /// Priority, title and place of each finding.
    pub(super) fn findings_table<'f>(&self, findings: impl Iterator<Item = &'f Finding>) -> String {
        let rows = findings.map(|finding| self.finding_cells(finding));
        let head = [
            "post-column-priority",
            "post-column-finding",
            "post-column-where",
        ];
        self.table(&head, rows.collect())
    }

    /// Priority, title and place of a finding, each fit for a table.
    pub(super) fn finding_cells(&self, finding: &Finding) -> Vec<String> {
        vec![
            self.priority_badge(finding),
            self.quoted_cell(&finding.title),
            escape_cell(&self.location(&finding.file, finding.line)),
        ]
    }

    /// A table with a head; beyond fifty rows the rest is counted. Cells must be fit for it.
    pub(super) fn table(&self, head: &[&str], rows: Vec<Vec<String>>) -> String {
        let row = |cells: Vec<String>| format!("| {} |\n", cells.join(" | "));
        let mut out = row(head.iter().map(|key| self.plain(key)).collect());
        out += &row(vec!["---".to_string(); head.len()]);
        let count = rows.len();
        out += &rows
            .into_iter()
            .take(MAX_TABLE_ROWS)
            .map(row)
            .collect::<String>();
        if count > MAX_TABLE_ROWS {
            let args = [("count", (count - MAX_TABLE_ROWS).into())];
            out += &format!("\n{}\n", self.text("post-more-rows", &args));
        }
        out
    }

    /// A finding in full: title, place, reasons, what it rests on, what to write instead, what has been tried.
    pub(super) fn full_finding(&self, finding: &Finding, notes: &[String]) -> String {
        let title = format!(
            "{} {}",
            self.priority_badge(finding),
            self.quoted_line(&finding.title)
        );
        let mut out = format!("{title}\n{}\n", self.location(&finding.file, finding.line));
        out += &self.description_section(finding);
        out += &self.evidence_section(finding);
        out += &self.suggestion_section(finding);
        for note in notes {
            out += &format!("\n{note}\n");
        }
        out + &self.source_line(finding)
    }

    /// A finding at its line: title, reasons, what to write instead. The line itself is there to see. `offer` is what GitHub can apply.
    pub(super) fn inline_finding(&self, finding: &Finding, offer: Option<&str>) -> String {
        let mut out = format!(
            "{} {}\n",
            self.priority_badge(finding),
            self.quoted_line(&finding.title)
        );
        out += &self.description_section(finding);
        out += &match offer {
            Some(offer) => format!("\n{offer}\n"),
            None => self.suggestion_section(finding),
        };
        out + &self.source_line(finding)
    }

    /// The block that GitHub can apply; none where anything in it had to be hidden or defused, since it would be applied like that.
    pub(super) fn suggestion_block(&self, replacement: &Replacement) -> Option<String> {
        let text = &replacement.text;
        let hidden = text.contains(text::REDACTED) || self.redact(text) != *text;
        (!hidden).then(|| text::suggestion_block(text))?
    }

    /// What a reviewer was not shown.
    pub(super) fn left_out_text(&self, reviewer: &str, left_out: &LeftOut) -> String {
        let args = [
            ("name", self.quoted_line(reviewer).into()),
            ("parts", left_out.parts.into()),
            (
                "tokens",
                self.localizer.format_number(left_out.tokens).into(),
            ),
        ];
        let all = self.text("report-left-out", &args);
        if left_out.files.is_empty() {
            return all;
        }
        let files: Vec<String> = left_out
            .files
            .iter()
            .map(|file| self.location(file, None))
            .collect();
        let args = [("files", self.localizer.format_list(&files).into())];
        format!("{all} {}", self.text("report-left-out-files", &args))
    }

    /// Files that a reviewer did not read, since reading them failed.
    pub(super) fn unread_files_text(&self, reviewer: &str, files: &[String]) -> String {
        let files: Vec<String> = files.iter().map(|file| self.location(file, None)).collect();
        let args = [
            ("name", self.quoted_line(reviewer).into()),
            ("files", self.localizer.format_list(&files).into()),
        ];
        self.text("report-reading-failed", &args)
    }

    /// What became of the repository's linters.
    pub(super) fn linters_text(&self, runs: &[LinterRun]) -> String {
        let told = self
            .localizer
            .linter_runs(runs, |text| self.quoted_line(text));
        self.text("report-linters", &[("linters", told.into())])
    }

    fn description_section(&self, finding: &Finding) -> String {
        if finding.description.trim().is_empty() {
            return String::new();
        }
        format!("\n{}\n", self.quoted_markdown(&finding.description))
    }

    fn evidence_section(&self, finding: &Finding) -> String {
        let Some(evidence) = finding
            .evidence
            .as_deref()
            .filter(|text| !text.trim().is_empty())
        else {
            return String::new();
        };
        match finding.source.kind {
            SourceType::Ci => details_block(&self.plain("post-log"), &self.quoted_log(evidence)),
            SourceType::Agent
            | SourceType::Rules
            | SourceType::Linter
            | SourceType::Bot
            | SourceType::Human => {
                format!(
                    "\n{}\n\n{}\n",
                    self.plain("post-evidence"),
                    self.quoted_log(evidence)
                )
            }
        }
    }

    fn suggestion_section(&self, finding: &Finding) -> String {
        let Some(suggestion) = finding
            .suggestion
            .as_deref()
            .filter(|text| !text.trim().is_empty())
        else {
            return String::new();
        };
        // Rules and linters suggest code; everybody else writes Markdown.
        let shown = match finding.source.kind {
            SourceType::Rules | SourceType::Linter => self.quoted_log(suggestion),
            SourceType::Agent | SourceType::Ci | SourceType::Bot | SourceType::Human => {
                self.quoted_markdown(suggestion)
            }
        };
        format!("\n{}\n\n{shown}\n", self.plain("post-suggested"))
    }

    fn source_line(&self, finding: &Finding) -> String {
        let sure = finding.confidence.permille();
        let args = [
            ("name", self.quoted_line(&finding.source.name).into()),
            (
                "category",
                text::code_span(&self.redact(&finding.category)).into(),
            ),
            ("percent", (sure / 10).into()),
        ];
        let key = if sure == 1_000 {
            "post-by"
        } else {
            "post-by-unsure"
        };
        format!("\n<sub>{}</sub>\n", self.text(key, &args))
    }

    /// A real call: used for people whom Collie itself asks.
    pub(super) fn mention(&self, login: &Login) -> String {
        let name = login.as_str();
        if !name.is_empty()
            && name
                .bytes()
                .all(|b| b.is_ascii_alphanumeric() || matches!(b, b'-' | b'_'))
        {
            format!("@{name}")
        } else {
            text::code_span(name)
        }
    }

    /// Logins that are named, not called.
    pub(super) fn format_logins_as_code(&self, logins: &[Login]) -> String {
        let names: Vec<String> = logins
            .iter()
            .map(|login| text::code_span(&format!("@{login}")))
            .collect();
        self.localizer.format_list(&names)
    }

    /// A commit; GitHub links the whole SHA and shows seven digits of it.
    pub(super) fn commit_cell(&self, sha: Option<&Sha>) -> String {
        sha.map_or_else(|| "–".to_string(), |sha| sha.to_string())
    }
}

/// Folds something long away.
pub(super) fn details_block(summary: &str, content: &str) -> String {
    format!(
        "\n<details>\n<summary>{summary}</summary>\n\n{}\n\n</details>\n",
        content.trim_end()
    )
}

/// Makes one line fit for a cell. A bar after a back slash can't be escaped, so it is replaced by one that looks alike.
pub(super) fn escape_cell(line: &str) -> String {
    let mut out = String::with_capacity(line.len());
    for c in line.chars() {
        match c {
            '|' if out.ends_with('\\') => out.push('¦'),
            '|' => out.push_str("\\|"),
            c => out.push(c),
        }
    }
    out
}

/// The first characters, with `…` where something was left out.
fn truncate_chars(text: &str, most: usize) -> String {
    match text.char_indices().nth(most) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_string(),
    }
}

/// The finding with its number before its title; as it is where it has none.
pub(super) fn numbered(number: u32, finding: &Finding) -> Cow<'_, Finding> {
    match number {
        0 => Cow::Borrowed(finding),
        number => Cow::Owned(Finding {
            title: format!("F-{number} · {}", finding.title),
            ..finding.clone()
        }),
    }
}
