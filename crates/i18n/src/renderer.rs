//! What is posted on GitHub, complete: language, redaction, limit, marker and token (§8).

use super::feedback_body;
use super::language::Language;
use super::localizer::Localizer;
use super::markdown::{MarkdownWriter, numbered};
use super::post_body;
use super::redactor::Redactor;
use super::review_report;
use collie_core::ids::ActionToken;
use collie_core::post::{
    InlineComment, Post, PostContent, RenderedInlineComment, RenderedPost, ReviewEvent,
    ReviewReport,
};
use collie_core::text;
use std::borrow::Cow;
use std::fmt;
use std::sync::OnceLock;

/// What a fixer says of an issue: the codes of the rules fixer and of the gates in words.
pub fn fixer_note(localizer: &Localizer, redactor: &Redactor, note: &str) -> String {
    let writer = MarkdownWriter {
        localizer,
        redactor,
    };
    writer.fixer_note(note)
}

/// Puts words to what is posted.
#[derive(Debug)]
pub struct Renderer {
    language: LanguageSource,
    private: Redactor,
}

/// Which language is written.
enum LanguageSource {
    /// Always this one.
    Fixed(Box<Localizer>),
    /// The one in force; each is loaded when it is first written.
    Live {
        current: Box<dyn Fn() -> Language + Send + Sync>,
        en: OnceLock<Box<Localizer>>,
        fr: OnceLock<Box<Localizer>>,
    },
}

impl fmt::Debug for LanguageSource {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            LanguageSource::Fixed(localizer) => f.debug_tuple("Fixed").field(localizer).finish(),
            LanguageSource::Live { current, .. } => {
                f.debug_tuple("Live").field(&current()).finish()
            }
        }
    }
}

impl Renderer {
    /// Writes in a language, and keeps to itself what is private.
    pub fn new(language: Language, redactor: Redactor) -> Self {
        Self {
            language: LanguageSource::Fixed(Box::new(Localizer::new(language.code()))),
            private: redactor,
        }
    }

    /// Writes in the language that `current` names at that moment.
    pub fn live(
        current: impl Fn() -> Language + Send + Sync + 'static,
        redactor: Redactor,
    ) -> Self {
        let (en, fr) = (OnceLock::new(), OnceLock::new());
        Self {
            language: LanguageSource::Live {
                current: Box::new(current),
                en,
                fr,
            },
            private: redactor,
        }
    }

    /// States, blockers and stops in the same language.
    pub fn localizer(&self) -> &Localizer {
        match &self.language {
            LanguageSource::Fixed(speech) => speech,
            LanguageSource::Live { current, en, fr } => {
                let language = current();
                let loaded = match language {
                    Language::En => en,
                    Language::Fr => fr,
                };
                loaded.get_or_init(|| Box::new(Localizer::new(language.code())))
            }
        }
    }

    /// The complete body or bodies of a post.
    pub fn render(&self, post: &Post) -> RenderedPost {
        render_post(self.localizer(), &self.private, post)
    }
}

/// The complete body or bodies of a post, in the words of a localizer, without what is private.
pub fn render_post(localizer: &Localizer, private: &Redactor, post: &Post) -> RenderedPost {
    let writer = MarkdownWriter {
        localizer,
        redactor: private,
    };
    let comment = |body: String| RenderedPost::Comment {
        body: finish_body(private, &body, &post.token),
    };
    match &post.content {
        PostContent::Review(report) => {
            comment(review_report::review_body(&writer, &with_numbers(report)))
        }
        PostContent::Fix(report) => comment(post_body::fix_body(&writer, report)),
        PostContent::Proof(proof) => comment(post_body::proof_body(&writer, proof)),
        PostContent::Stop(report) => comment(post_body::stop_body(&writer, report)),
        PostContent::RequestBotReview { command, .. } => comment(command.clone()),
        PostContent::BodyDispositions { items } => comment(post_body::answers(&writer, items)),
        PostContent::Answers { items, asks_person } => {
            comment(feedback_body::answers_body(&writer, items, *asks_person))
        }
        PostContent::CommandReply {
            command,
            outcome,
            place,
        } => {
            let body = feedback_body::command_body(&writer, command, outcome);
            match place {
                Some(place) => RenderedPost::Reply {
                    in_reply_to: place.in_reply_to,
                    body: finish_body(private, &body, &post.token),
                },
                None => comment(body),
            }
        }
        PostContent::RequestRereview { logins, head } => {
            comment(post_body::rereview_request_body(&writer, logins, head))
        }
        PostContent::Reply {
            in_reply_to,
            disposition,
            ..
        } => RenderedPost::Reply {
            in_reply_to: *in_reply_to,
            body: finish_body(
                private,
                &post_body::reply_body(&writer, disposition),
                &post.token,
            ),
        },
        PostContent::Addition {
            in_reply_to,
            findings,
            ..
        } => RenderedPost::Reply {
            in_reply_to: *in_reply_to,
            body: finish_body(
                private,
                &post_body::addition_body(&writer, findings),
                &post.token,
            ),
        },
        PostContent::Inline { head, comments } => RenderedPost::Review {
            event: ReviewEvent::Comment,
            commit: head.clone(),
            comments: inline_comments(&writer, comments),
            body: finish_body(
                private,
                &post_body::inline_review_body(&writer, head, comments),
                &post.token,
            ),
        },
        PostContent::PersonaReview {
            persona,
            head,
            verdict,
            comments,
        } => RenderedPost::Review {
            event: *verdict,
            commit: head.clone(),
            comments: inline_comments(&writer, comments),
            body: finish_body(
                private,
                &post_body::persona_review_body(&writer, persona, (*verdict, head), comments),
                &post.token,
            ),
        },
        PostContent::DismissReview {
            persona,
            review,
            head,
        } => RenderedPost::Dismissal {
            review: *review,
            message: finish_body(
                private,
                &post_body::dismissal_message(&writer, persona, head),
                &post.token,
            ),
        },
    }
}

/// What goes on lines. A finding without a line has no place there; it is in the report.
fn inline_comments(
    writer: &MarkdownWriter<'_>,
    comments: &[InlineComment],
) -> Vec<RenderedInlineComment> {
    let rendered = comments.iter().filter_map(|comment| {
        let line = comment.finding.line?;
        let replacement = comment.replacement.as_ref();
        let suggestion = replacement.and_then(|with| Some((with, writer.suggestion_block(with)?)));
        // What is to be put in place of some lines is said of just these.
        let (start_line, line) = match &suggestion {
            Some((with, _)) => (Some(with.first), with.last),
            None => (None, line),
        };
        let block = suggestion.as_ref().map(|(_, block)| block.as_str());
        let finding = numbered(comment.number, &comment.finding);
        let body = writer.inline_finding(&finding, block);
        Some(RenderedInlineComment {
            path: comment.finding.file.clone(),
            start_line: start_line.filter(|first| *first < line),
            line,
            body: finish_body(writer.redactor, &body, &comment.token),
        })
    });
    rendered.collect()
}

/// The report with the number of each finding before its title, by which people ask for it.
fn with_numbers(report: &ReviewReport) -> Cow<'_, ReviewReport> {
    if report.numbers.iter().all(|number| *number == 0) {
        return Cow::Borrowed(report);
    }
    let mut report = report.clone();
    for (finding, number) in report.findings.iter_mut().zip(&report.numbers) {
        *finding = numbered(*number, finding).into_owned();
    }
    Cow::Owned(report)
}

/// Redacts and caps a body, and ends it with marker and token.
fn finish_body(private: &Redactor, body: &str, token: &ActionToken) -> String {
    let body = private.redact(body);
    text::truncate_comment(&text::append_token(&body, token), text::MAX_COMMENT_CHARS)
}
