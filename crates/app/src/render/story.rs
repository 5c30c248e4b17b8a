//! A loop's history as a person would tell it: its runs, their rounds, and what came of each (§14, `collie log`).

use crate::render::timeline::{note_text, reviewer_label};
use collie_core::blocker::BlockerCode;
use collie_core::ids::{RunId, Time};
use collie_core::lifecycle::State;
use collie_core::note::Note;
use collie_engine::ports::TimelineEntry;
use collie_i18n::Localizer;

/// A wait that is shorter is not worth a word.
const TOLD_WAIT_MS: u64 = 5_000;

/// A line of a story.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum StoryLine {
    /// A run begins.
    Run {
        /// Counted from 1.
        number: u32,
        /// When.
        at: Time,
    },
    /// A round, in one sentence.
    Round {
        /// When it began.
        at: Time,
        /// It.
        text: String,
    },
    /// Something in it that is a sentence of its own: what people said, what went wrong.
    Remark {
        /// When.
        at: Time,
        /// It.
        text: String,
    },
    /// Where the loop came to: ready, or an end.
    Came {
        /// When.
        at: Time,
        /// Where.
        state: State,
        /// How long after its run began.
        text: String,
    },
}

/// Tells a loop's journal, oldest first.
pub fn story(entries: &[TimelineEntry], localizer: &Localizer) -> Vec<StoryLine> {
    let mut teller = Teller::new(localizer);
    for entry in entries {
        teller.take(entry);
    }
    teller.end_round();
    teller.lines
}

/// A wait that is going on.
struct Wait {
    since: Time,
    blocker: BlockerCode,
}

struct Teller<'a> {
    localizer: &'a Localizer,
    lines: Vec<StoryLine>,
    run: Option<RunId>,
    runs: u32,
    run_began: Time,
    round: u32,
    round_began: Option<Time>,
    /// What is told of the round, in order.
    parts: Vec<String>,
    remarks: Vec<StoryLine>,
    wait: Option<Wait>,
    /// The round has had its push: what comes next is the next one.
    is_pushed: bool,
}

impl<'a> Teller<'a> {
    fn new(localizer: &'a Localizer) -> Self {
        Self {
            localizer,
            lines: Vec::new(),
            run: None,
            runs: 0,
            run_began: Time::default(),
            round: 0,
            round_began: None,
            parts: Vec::new(),
            remarks: Vec::new(),
            wait: None,
            is_pushed: false,
        }
    }

    fn take(&mut self, entry: &TimelineEntry) {
        if self.run.as_ref() != Some(&entry.run) {
            self.begin_run(entry);
        }
        let moved = entry.from.is_some() && entry.from != Some(entry.to);
        let ends_wait = moved || entry.notes.iter().any(|note| wait_of(note).is_some());
        if ends_wait {
            self.end_wait(entry.at);
        }
        for note in &entry.notes {
            self.take_note(note, entry.at);
        }
        self.wait = entry
            .notes
            .iter()
            .find_map(wait_of)
            .map(|blocker| Wait {
                since: entry.at,
                blocker,
            })
            .or_else(|| self.wait.take());
        if moved && (entry.to.is_terminal() || entry.to == State::PrReadyToMerge) {
            self.come_to(entry);
        }
    }

    fn begin_run(&mut self, entry: &TimelineEntry) {
        self.end_round();
        self.run = Some(entry.run.clone());
        self.runs += 1;
        self.run_began = entry.at;
        self.round = 1;
        self.wait = None;
        self.is_pushed = false;
        self.lines.push(StoryLine::Run {
            number: self.runs,
            at: entry.at,
        });
    }

    /// Adds a part to the round; the first one after a push begins the next.
    fn tell(&mut self, part: String, at: Time) {
        if self.is_pushed {
            self.end_round();
            self.round += 1;
            self.is_pushed = false;
        }
        self.round_began.get_or_insert(at);
        self.parts.push(part);
    }

    fn take_note(&mut self, note: &Note, at: Time) {
        match note {
            Note::ReviewDone {
                reviewer, findings, ..
            } => {
                let who = match reviewer.as_str() {
                    "rules" => self.localizer.plain("story-rules"),
                    name => reviewer_label(name, self.localizer),
                };
                let args = [("who", who.into()), ("count", (*findings).into())];
                let part = self.localizer.text("story-review", &args);
                self.tell(part, at);
            }
            Note::Pushed { commit } => {
                let args = [("commit", commit.short().into())];
                let part = self.localizer.text("story-pushed", &args);
                // What pushed it belongs to the round that it ends.
                self.tell(part, at);
                self.is_pushed = true;
            }
            Note::ChecksRerun { checks } => {
                let count = checks.len();
                let part = self
                    .localizer
                    .text("story-rerun", &[("count", count.into())]);
                self.tell(part, at);
            }
            // Told by other means, or of no interest to who was not there.
            Note::Waits { .. }
            | Note::IterationDone { .. }
            | Note::SessionFinished { .. }
            | Note::SessionCancelled { .. }
            | Note::RunStarted { .. }
            | Note::BotTrusted { .. }
            | Note::FeedbackTurn { .. }
            | Note::Ignored { .. } => {}
            told => {
                if let Some(text) = note_text(told, self.localizer) {
                    self.round_began.get_or_insert(at);
                    self.remarks.push(StoryLine::Remark { at, text });
                }
            }
        }
    }

    /// Tells how long was waited, and for what, where it is worth it.
    fn end_wait(&mut self, now: Time) {
        let Some(wait) = self.wait.take() else {
            return;
        };
        let millis = now.since(wait.since);
        if millis < TOLD_WAIT_MS {
            return;
        }
        if is_work(wait.blocker) {
            return;
        }
        let code: &'static str = wait.blocker.into();
        let args = [
            ("time", self.localizer.format_duration(millis).into()),
            ("blocker", code.into()),
        ];
        let part = self.localizer.text("story-waited", &args);
        self.tell(part, wait.since);
    }

    fn come_to(&mut self, entry: &TimelineEntry) {
        self.end_round();
        // What follows a state of rest is a round of its own.
        self.round += 1;
        self.is_pushed = false;
        let (at, state) = (entry.at, entry.to);
        let text = match state {
            State::Cancelled => self.localizer.plain("event-cancel"),
            state => self.localizer.plain(&format!("moved-{state}")),
        };
        let time = self.localizer.format_duration(at.since(self.run_began));
        let args = [("event", text.into()), ("time", time.into())];
        let text = self.localizer.text("story-came", &args);
        self.lines.push(StoryLine::Came { at, state, text });
    }

    fn end_round(&mut self) {
        if let Some(at) = self.round_began.take() {
            let parts = std::mem::take(&mut self.parts);
            let between = self.localizer.plain("story-between");
            let has_parts = if parts.is_empty() { "no" } else { "yes" };
            let args = [
                ("number", self.round.into()),
                ("told", has_parts.into()),
                ("parts", parts.join(&format!("{between} ")).into()),
            ];
            let text = self.localizer.text("story-round", &args);
            self.lines.push(StoryLine::Round { at, text });
        }
        self.lines.append(&mut self.remarks);
    }
}

/// What somebody works on, which is told by what comes of it.
fn is_work(blocker: BlockerCode) -> bool {
    use BlockerCode as B;
    matches!(
        blocker,
        B::Starting
            | B::Reviewing
            | B::Fixing
            | B::Verifying
            | B::MergingBase
            | B::Pushing
            | B::AwaitingPush
            | B::Posting
            | B::AwaitingMerge
    )
}

fn wait_of(note: &Note) -> Option<BlockerCode> {
    match note {
        Note::Waits { blocker, .. } => Some(*blocker),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use collie_core::ids::Sha;
    use collie_core::policy::ReviewerKind;
    use collie_core::review::Conclusion;

    fn entry(minute: i64, move_to: (State, State), notes: Vec<Note>) -> TimelineEntry {
        TimelineEntry {
            seq: 1,
            run: RunId::new("run-1"),
            at: Time(minute * 60_000),
            event: "observed".into(),
            from: Some(move_to.0),
            to: move_to.1,
            effects: vec![],
            notes,
        }
    }

    fn review(reviewer: &str, findings: u32) -> Note {
        Note::ReviewDone {
            reviewer: reviewer.into(),
            kind: ReviewerKind::Agent,
            head: Sha::parse(&"a".repeat(40)).unwrap(),
            verdict: Conclusion::RequestChanges,
            findings,
        }
    }

    fn waits(blocker: BlockerCode) -> Note {
        Note::Waits {
            blocker,
            needs_person: false,
        }
    }

    fn some_journal() -> Vec<TimelineEntry> {
        use State::{PrAwaitingChecks, PrFixing, PrReadyToMerge, PrReviewing};
        let pushed = Note::Pushed {
            commit: Sha::parse(&"b".repeat(40)).unwrap(),
        };
        let dismissed = Note::FindingDismissed {
            by: collie_core::ids::Login::new("ana"),
            fingerprint: collie_core::ids::Fingerprint::new("f"),
            title: "A loop".into(),
            reason: "on purpose".into(),
        };
        let running = BlockerCode::ChecksRunning;
        vec![
            entry(
                0,
                (PrAwaitingChecks, PrAwaitingChecks),
                vec![waits(running)],
            ),
            entry(3, (PrAwaitingChecks, PrReviewing), vec![]),
            entry(4, (PrReviewing, PrReviewing), vec![review("quinn", 2)]),
            entry(5, (PrReviewing, PrFixing), vec![review("rules", 0)]),
            entry(6, (PrFixing, PrFixing), vec![dismissed]),
            entry(
                7,
                (PrFixing, PrAwaitingChecks),
                vec![pushed, waits(running)],
            ),
            entry(9, (PrAwaitingChecks, PrReviewing), vec![]),
            entry(10, (PrReviewing, PrReadyToMerge), vec![review("quinn", 0)]),
        ]
    }

    fn told(language: &str) -> Vec<String> {
        let lines = story(&some_journal(), &Localizer::new(language)).into_iter();
        lines
            .map(|line| match line {
                StoryLine::Run { number, .. } => format!("run {number}"),
                StoryLine::Round { text, .. }
                | StoryLine::Remark { text, .. }
                | StoryLine::Came { text, .. } => text,
            })
            .collect()
    }

    #[test]
    fn a_loop_is_told_round_by_round() {
        let expect = [
            "run 1",
            "Round 1: waited 3 min for checks; Quinn found 2 findings; the rules found nothing; pushed bbbbbbb.",
            "@ana dismissed “A loop”: on purpose",
            "Round 2: waited 2 min for checks; Quinn found nothing.",
            "Ready to merge: 10 min after the start.",
        ];
        assert_eq!(told("en"), expect);
    }

    #[test]
    fn the_same_in_french() {
        let lines = told("fr");
        assert_eq!(lines.len(), 5);
        assert!(lines[1].starts_with("Tour 1\u{202f}: "), "{lines:?}");
        assert!(lines[1].contains("bbbbbbb poussé"), "{lines:?}");
        assert!(
            lines[4].starts_with("Prête à fusionner\u{202f}: "),
            "{lines:?}"
        );
    }

    #[test]
    fn a_short_wait_is_not_worth_a_word() {
        let mut entries = some_journal();
        entries[1].at = Time(4_999);
        entries.truncate(3);
        let lines = story(&entries, &Localizer::new("en"));
        let StoryLine::Round { text, .. } = &lines[1] else {
            panic!("{lines:?}")
        };
        assert_eq!(text, "Round 1: Quinn found 2 findings.");
    }
}
