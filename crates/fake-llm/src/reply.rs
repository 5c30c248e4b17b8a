//! What the script wants to be answered.

use serde_json::Value;

/// An answer, or something that goes wrong instead.
#[derive(Clone, Debug)]
pub struct Reply {
    pub(crate) kind: ReplyKind,
    pub(crate) headers: Vec<(&'static str, String)>,
    pub(crate) usage: UsageReport,
    pub(crate) thinking: Option<String>,
}

/// What a reply says of what was spent.
#[derive(Clone, Copy, Debug)]
pub(crate) enum UsageReport {
    /// About what was asked, and 5 tokens out.
    Counted,
    /// What the script says.
    Scripted(ReplyUsage),
    /// Nothing.
    None,
}

impl UsageReport {
    /// The numbers for a question of so many characters.
    pub(crate) fn of_prompt(self, chars: usize) -> Option<ReplyUsage> {
        match self {
            Self::Counted => Some(ReplyUsage {
                input: (chars as u64 / CHARS_PER_TOKEN).max(10),
                cached: 0,
                output: 5,
                cost_usd: None,
            }),
            Self::Scripted(usage) => Some(usage),
            Self::None => None,
        }
    }
}

/// Of text and code alike, about.
const CHARS_PER_TOKEN: u64 = 4;

#[derive(Clone, Debug)]
pub(crate) enum ReplyKind {
    /// A whole answer, in pieces.
    Answer { text: String, stop: FinishReason },
    /// The model's refusal.
    Refusal { reason: String },
    /// The beginning of an answer, then the connection is closed.
    Disconnect { text: String },
    /// The beginning of an answer, then silence until the asker hangs up.
    Hang { text: String },
    /// The beginning of an answer, then the service's own error.
    FailMidway { text: String, error: Value },
    /// Another status, with this body.
    Status { status: u16, body: String },
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum FinishReason {
    Done,
    MaxTokens,
}

#[derive(Clone, Copy, Debug)]
pub(crate) struct ReplyUsage {
    /// Cached ones included.
    pub(crate) input: u64,
    pub(crate) cached: u64,
    pub(crate) output: u64,
    /// In dollars, where the service says it.
    pub(crate) cost_usd: Option<f64>,
}

impl Reply {
    fn of(kind: ReplyKind) -> Self {
        Self {
            kind,
            headers: Vec::new(),
            usage: UsageReport::Counted,
            thinking: None,
        }
    }

    /// Thinks first, where the form shows it.
    pub fn with_thinking(mut self, words: impl Into<String>) -> Self {
        self.thinking = Some(words.into());
        self
    }

    /// Says what it cost, in dollars, as OpenRouter does.
    pub fn with_cost(mut self, dollars: f64) -> Self {
        if let UsageReport::Scripted(usage) = &mut self.usage {
            usage.cost_usd = Some(dollars);
        }
        self
    }

    /// An answer: about as many tokens in as were asked (10 at least), 5 out, unless said otherwise.
    pub fn text(text: impl Into<String>) -> Self {
        let (text, stop) = (text.into(), FinishReason::Done);
        Self::of(ReplyKind::Answer { text, stop })
    }

    /// An answer that is this JSON.
    pub fn json(value: &Value) -> Self {
        Self::text(value.to_string())
    }

    /// An answer that reached the most tokens allowed.
    pub fn max_tokens_reached(text: impl Into<String>) -> Self {
        let (text, stop) = (text.into(), FinishReason::MaxTokens);
        Self::of(ReplyKind::Answer { text, stop })
    }

    /// A refusal, as the service marks it.
    pub fn refused(words: impl Into<String>) -> Self {
        Self::of(ReplyKind::Refusal {
            reason: words.into(),
        })
    }

    /// The beginning of an answer; then the connection is closed.
    pub fn disconnect_after(text: impl Into<String>) -> Self {
        Self::of(ReplyKind::Disconnect { text: text.into() })
    }

    /// The beginning of an answer; then nothing more until the asker hangs up.
    pub fn hang_after(text: impl Into<String>) -> Self {
        Self::of(ReplyKind::Hang { text: text.into() })
    }

    /// The beginning of an answer; then an error of the service, put as its form puts one.
    pub fn fail_after(text: impl Into<String>, error: Value) -> Self {
        let text = text.into();
        Self::of(ReplyKind::FailMidway { text, error })
    }

    /// No answer but this status and body.
    pub fn status(status: u16, body: impl Into<String>) -> Self {
        let body = body.into();
        Self::of(ReplyKind::Status { status, body })
    }

    /// Adds a header.
    pub fn with_header(mut self, name: &'static str, value: impl Into<String>) -> Self {
        self.headers.push((name, value.into()));
        self
    }

    /// Says what was spent; `cached` is the part of `input` that was kept from before.
    pub fn with_usage(mut self, input: u64, cached: u64, output: u64) -> Self {
        self.usage = UsageReport::Scripted(ReplyUsage {
            input,
            cached,
            output,
            cost_usd: None,
        });
        self
    }

    /// Says nothing of what was spent.
    pub fn without_usage(mut self) -> Self {
        self.usage = UsageReport::None;
        self
    }
}
