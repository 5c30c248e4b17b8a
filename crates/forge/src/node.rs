//! GitHub's global node ids: a prefix and base64 of a MessagePack array of repository and id.

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;

/// What a node id points at.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum NodeKind {
    /// A person.
    User,
    /// A bot.
    Bot,
    /// A GitHub App.
    App,
    /// A repository.
    Repository,
    /// A pull request (database id, not number).
    PullRequest,
    /// The issue side of a pull request.
    Issue,
    /// A conversation comment.
    IssueComment,
    /// A review.
    Review,
    /// A thread.
    ReviewThread,
    /// An inline comment.
    ReviewComment,
    /// A check run.
    CheckRun,
    /// A check suite.
    CheckSuite,
    /// A commit status.
    StatusContext,
    /// A label.
    Label,
    /// A reaction.
    Reaction,
    /// Something that a timeline tells.
    Event,
    /// The merge queue of a branch.
    MergeQueue,
    /// An entry of a merge queue.
    MergeQueueEntry,
}

const PREFIXES: [(NodeKind, &str); 18] = [
    (NodeKind::User, "U"),
    (NodeKind::Bot, "BOT"),
    (NodeKind::App, "A"),
    (NodeKind::Repository, "R"),
    (NodeKind::PullRequest, "PR"),
    (NodeKind::Issue, "I"),
    (NodeKind::IssueComment, "IC"),
    (NodeKind::Review, "PRR"),
    (NodeKind::ReviewThread, "PRRT"),
    (NodeKind::ReviewComment, "PRRC"),
    (NodeKind::CheckRun, "CR"),
    (NodeKind::CheckSuite, "CS"),
    (NodeKind::StatusContext, "SC"),
    (NodeKind::Label, "LA"),
    (NodeKind::Reaction, "REA"),
    (NodeKind::Event, "EV"),
    (NodeKind::MergeQueue, "MQ"),
    (NodeKind::MergeQueueEntry, "MQE"),
];

/// A decoded node id.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Node {
    /// What it points at.
    pub kind: NodeKind,
    /// Id of the repository it is in; `None` for accounts, apps and repositories.
    pub repo: Option<u64>,
    /// Database id.
    pub id: u64,
}

/// The node id of an object that stands by itself: an account, an app, a repository.
pub fn node_id(kind: NodeKind, id: u64) -> String {
    encode_node_id(kind, &[id])
}

/// The node id of an object within a repository.
pub fn node_id_in(kind: NodeKind, repo: u64, id: u64) -> String {
    encode_node_id(kind, &[repo, id])
}

/// The node id of a commit, which GitHub makes of the repository and the SHA.
pub fn commit_node_id(repo: u64, sha: &str) -> String {
    let mut bytes = vec![0x93, 0x00];
    encode_uint(&mut bytes, repo);
    bytes.extend([0xd9, 40]);
    bytes.extend(sha.as_bytes());
    format!("C_{}", URL_SAFE_NO_PAD.encode(bytes))
}

/// Reads a node id; `None` when this forge cannot have made it.
pub fn parse_node_id(text: &str) -> Option<Node> {
    let (prefix, rest) = text.split_once('_')?;
    let (kind, _) = PREFIXES.iter().find(|(_, p)| *p == prefix)?;
    let bytes = URL_SAFE_NO_PAD.decode(rest).ok()?;
    let (count, mut rest) = match bytes.as_slice() {
        [0x92, 0, rest @ ..] => (1, rest),
        [0x93, 0, rest @ ..] => (2, rest),
        _ => return None,
    };
    let mut numbers = Vec::new();
    while !rest.is_empty() {
        let (number, tail) = decode_uint(rest)?;
        numbers.push(number);
        rest = tail;
    }
    match (count, numbers.as_slice()) {
        (1, [id]) => Some(Node {
            kind: *kind,
            repo: None,
            id: *id,
        }),
        (2, [repo, id]) => Some(Node {
            kind: *kind,
            repo: Some(*repo),
            id: *id,
        }),
        _ => None,
    }
}

fn encode_node_id(kind: NodeKind, numbers: &[u64]) -> String {
    let prefix = PREFIXES
        .iter()
        .find(|(k, _)| *k == kind)
        .map_or("X", |(_, p)| p);
    let mut bytes = vec![if numbers.len() == 1 { 0x92 } else { 0x93 }, 0x00];
    for number in numbers {
        encode_uint(&mut bytes, *number);
    }
    format!("{prefix}_{}", URL_SAFE_NO_PAD.encode(bytes))
}

fn encode_uint(bytes: &mut Vec<u8>, number: u64) {
    match u32::try_from(number) {
        Ok(small) => {
            bytes.push(0xce);
            bytes.extend(small.to_be_bytes());
        }
        Err(_) => {
            bytes.push(0xcf);
            bytes.extend(number.to_be_bytes());
        }
    }
}

fn decode_uint(bytes: &[u8]) -> Option<(u64, &[u8])> {
    match bytes {
        [0xce, rest @ ..] => {
            let (head, tail) = rest.split_first_chunk::<4>()?;
            Some((u64::from(u32::from_be_bytes(*head)), tail))
        }
        [0xcf, rest @ ..] => {
            let (head, tail) = rest.split_first_chunk::<8>()?;
            Some((u64::from_be_bytes(*head), tail))
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_kind_comes_back_from_its_node_id() {
        for (kind, _) in PREFIXES {
            let text = node_id_in(kind, 7, u64::from(u32::MAX) + 9);
            assert_eq!(
                parse_node_id(&text),
                Some(Node {
                    kind,
                    repo: Some(7),
                    id: u64::from(u32::MAX) + 9
                })
            );
        }
    }

    #[test]
    fn ids_look_like_github_s() {
        assert!(node_id(NodeKind::Repository, 1).starts_with("R_kgDO"));
        assert!(node_id_in(NodeKind::PullRequest, 1, 2).starts_with("PR_kwDO"));
        assert_eq!(parse_node_id("PR_kwDO"), None);
        assert_eq!(parse_node_id("nonsense"), None);
    }
}
