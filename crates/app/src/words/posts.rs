//! What is posted on GitHub, complete: language, redaction, limit, marker and token (§8).

use super::body;
use super::language::Language;
use super::pieces::Page;
use super::speech::Speech;
use crate::config::LiveConfig;
use collie_core::ids::ActionToken;
use collie_core::post::{Content, Post};
use collie_core::text;
use collie_engine::ports::{Rendered, RenderedInline};
use std::fmt;
use std::sync::OnceLock;

/// What this process knows and nobody else should.
#[derive(Clone, Default)]
pub struct Private {
    /// Literal secrets: tokens and keys.
    pub secrets: Vec<String>,
    /// Folders of this machine: home, temp, data.
    pub folders: Vec<String>,
}

impl fmt::Debug for Private {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Private")
            .field("secrets", &self.secrets.len())
            .field("folders", &self.folders)
            .finish()
    }
}

impl Private {
    /// Takes secrets, diffs and folders out of a text.
    pub fn clean(&self, text: &str) -> String {
        text::hide_folders(&text::redact(text, &self.secrets), &self.folders)
    }
}

/// Puts words to what is posted.
#[derive(Debug)]
pub struct Words {
    tongue: Tongue,
    private: Private,
}

/// Which language is written.
#[derive(Debug)]
enum Tongue {
    /// Always this one.
    Fixed(Box<Speech>),
    /// The one in force; each is loaded when it is first written.
    Live {
        config: LiveConfig,
        en: OnceLock<Box<Speech>>,
        fr: OnceLock<Box<Speech>>,
    },
}

impl Words {
    /// Writes in a language, and keeps to itself what is private.
    pub fn new(language: Language, private: Private) -> Self {
        Self {
            tongue: Tongue::Fixed(Box::new(Speech::new(language.code()))),
            private,
        }
    }

    /// Writes in the language that the configuration names at that moment.
    pub fn live(config: LiveConfig, private: Private) -> Self {
        let (en, fr) = (OnceLock::new(), OnceLock::new());
        Self {
            tongue: Tongue::Live { config, en, fr },
            private,
        }
    }

    /// States, blockers and stops in the same language.
    pub fn speech(&self) -> &Speech {
        match &self.tongue {
            Tongue::Fixed(speech) => speech,
            Tongue::Live { config, en, fr } => {
                let language = Language::named(config.get().language).unwrap_or_default();
                let loaded = match language {
                    Language::En => en,
                    Language::Fr => fr,
                };
                loaded.get_or_init(|| Box::new(Speech::new(language.code())))
            }
        }
    }

    /// Redacts and caps a body, and ends it with marker and token.
    fn complete(&self, body: &str, token: &ActionToken) -> String {
        let body = self.private.clean(body);
        text::cap(&text::end_with_token(&body, token), text::COMMENT_CHARS)
    }
}

impl collie_engine::ports::Words for Words {
    fn render(&self, post: &Post) -> Rendered {
        let page = Page {
            speech: self.speech(),
            private: &self.private,
        };
        let comment = |body: String| Rendered::Comment {
            body: self.complete(&body, &post.token),
        };
        match &post.content {
            Content::Review(report) => comment(body::review(&page, report)),
            Content::Fix(report) => comment(body::fix(&page, report)),
            Content::Proof(proof) => comment(body::proof(&page, proof)),
            Content::Stop(report) => comment(body::stop(&page, report)),
            Content::LookAgain { logins, head } => comment(body::look_again(&page, logins, head)),
            Content::Reply {
                in_reply_to,
                disposition,
                ..
            } => Rendered::Reply {
                in_reply_to: *in_reply_to,
                body: self.complete(&body::reply(&page, disposition), &post.token),
            },
            Content::Inline { head, comments } => {
                // A finding without a line has no place inline; it is in the report.
                let placed = comments.iter().filter_map(|comment| {
                    let line = comment.finding.line?;
                    let replacement = comment.replacement.as_ref();
                    let offer = replacement.and_then(|with| Some((with, page.offer(with)?)));
                    // What is to be put in place of some lines is said of just these.
                    let (start_line, line) = match &offer {
                        Some((with, _)) => (Some(with.first), with.last),
                        None => (None, line),
                    };
                    let block = offer.as_ref().map(|(_, block)| block.as_str());
                    let body = page.finding_at_line(&comment.finding, block);
                    Some(RenderedInline {
                        path: comment.finding.file.clone(),
                        start_line: start_line.filter(|first| *first < line),
                        line,
                        body: self.complete(&body, &comment.token),
                    })
                });
                Rendered::Review {
                    commit: head.clone(),
                    comments: placed.collect(),
                    body: self.complete(&body::inline_summary(&page, head, comments), &post.token),
                }
            }
        }
    }
}
