//! Reactions to issues, pull requests and comments.

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use super::name::AccountId;

/// What a reaction is to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "on", content = "id", rename_all = "snake_case")]
pub enum ReactionSubject {
    /// An issue or pull request, by number.
    Issue(u64),
    /// A comment of the conversation, by id.
    IssueComment(u64),
    /// An inline comment, by id.
    ReviewComment(u64),
}

/// What a reaction says.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum ReactionContent {
    /// 👍
    #[serde(rename = "+1")]
    ThumbsUp,
    /// 👎
    #[serde(rename = "-1")]
    ThumbsDown,
    /// 😄
    #[serde(rename = "laugh")]
    Laugh,
    /// 😕
    #[serde(rename = "confused")]
    Confused,
    /// ❤️
    #[serde(rename = "heart")]
    Heart,
    /// 🎉
    #[serde(rename = "hooray")]
    Hooray,
    /// 🚀
    #[serde(rename = "rocket")]
    Rocket,
    /// 👀
    #[serde(rename = "eyes")]
    Eyes,
}

impl ReactionContent {
    /// All of them.
    pub const ALL: [Self; 8] = [
        Self::ThumbsUp,
        Self::ThumbsDown,
        Self::Laugh,
        Self::Confused,
        Self::Heart,
        Self::Hooray,
        Self::Rocket,
        Self::Eyes,
    ];

    /// GitHub's REST name.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::ThumbsUp => "+1",
            Self::ThumbsDown => "-1",
            Self::Laugh => "laugh",
            Self::Confused => "confused",
            Self::Heart => "heart",
            Self::Hooray => "hooray",
            Self::Rocket => "rocket",
            Self::Eyes => "eyes",
        }
    }
}

/// One account's reaction; it has each content once a subject at most.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Reaction {
    /// Database id.
    pub id: u64,
    /// What it is to.
    pub subject: ReactionSubject,
    /// Whose it is.
    pub author: AccountId,
    /// What it says.
    pub content: ReactionContent,
    /// When.
    pub created_at: Timestamp,
}
