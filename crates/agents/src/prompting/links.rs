//! What a pull request points at: issues and documents, found in its words (§4.4). Nothing is fetched here.

use super::guideline_files::is_style_guide;
use super::material::LinkKind;
use collie_core::ids::RepoName;
use collie_core::text::safe_path;
use percent_encoding::percent_decode_str;
use pulldown_cmark::{Event, Options, Parser, Tag, TagEnd};
use regex::Regex;
use std::sync::LazyLock;
use url::Url;

/// Where guidelines for reviewers and contributors lie, most to the point first; letter case is ignored. They are read from the **base**
/// branch alone (§9.3).
pub const GUIDELINES: [&str; 13] = [
    "REVIEW.md",
    ".github/REVIEW.md",
    "docs/REVIEW.md",
    "AGENTS.md",
    "CLAUDE.md",
    ".github/copilot-instructions.md",
    "CONTRIBUTING.md",
    ".github/CONTRIBUTING.md",
    "docs/CONTRIBUTING.md",
    ".github/PULL_REQUEST_TEMPLATE.md",
    "PULL_REQUEST_TEMPLATE.md",
    "docs/PULL_REQUEST_TEMPLATE.md",
    "docs/AGENTS.md",
];

/// The most issues, and the most documents, that one pull request brings along.
pub const MOST_LINKED: usize = 10;

/// The most files of guidelines.
pub const MOST_GUIDELINES: usize = 12;

/// An issue that is named.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct IssueRef {
    /// Its repository.
    pub repo: RepoName,
    /// Its number.
    pub number: u64,
    /// How it is named.
    pub link: LinkKind,
}

/// Whether a path is one of [`GUIDELINES`], in any letter case, or of a style guide.
pub fn is_guideline(path: &str) -> bool {
    let named = |known: &str| known.eq_ignore_ascii_case(path);
    GUIDELINES.iter().any(|known| named(known)) || is_style_guide(path)
}

/// The guidelines to read of a base branch: those of [`GUIDELINES`] that it has, `AGENTS.md` and `CLAUDE.md` in the folders of changed
/// files, the nearest to the root first, then style guides. At most [`MOST_GUIDELINES`].
pub fn guideline_paths(base_tree: &[String], changed: &[&str]) -> Vec<String> {
    let mut paths: Vec<String> = Vec::new();
    for known in GUIDELINES {
        let there = base_tree
            .iter()
            .find(|path| path.eq_ignore_ascii_case(known));
        paths.extend(there.cloned());
    }
    let is_nested = |path: &&String| {
        let Some((folder, name)) = path.rsplit_once('/') else {
            return false;
        };
        let within = |file: &&str| {
            file.strip_prefix(folder)
                .is_some_and(|rest| rest.starts_with('/'))
        };
        matches!(name, "AGENTS.md" | "CLAUDE.md") && changed.iter().any(within)
    };
    let mut nested: Vec<&String> = base_tree.iter().filter(is_nested).collect();
    nested.sort_by_key(|path| (path.matches('/').count(), path.as_str()));
    for path in nested {
        if !paths.contains(path) {
            paths.push(path.clone());
        }
    }
    paths.extend(
        base_tree
            .iter()
            .filter(|path| is_style_guide(path))
            .cloned(),
    );
    paths.truncate(MOST_GUIDELINES);
    paths
}

/// Endings of files that hold no text for a reviewer.
const BINARY_EXTENSIONS: [&str; 22] = [
    "png", "jpg", "jpeg", "gif", "svg", "webp", "ico", "bmp", "mp4", "mov", "webm", "mp3", "zip",
    "gz", "tgz", "jar", "exe", "woff", "woff2", "ttf", "pdf", "wasm",
];

// GitHub's nine closing words, with or without a colon, right before the reference.
static REFERENCE_PATTERN: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(
        r"(?x)
        (?P<word>(?i:\b(?:close[sd]?|fix(?:e[sd])?|resolve[sd]?)\b):?[\x20\t\n]+)?
        (?:
            (?P<url>https?://[^\s<>\[\]()\x22'`]+)
            | (?P<full>[A-Za-z0-9][A-Za-z0-9_.-]*/[A-Za-z0-9_.-]+)?\#(?P<number>[0-9]{1,9})
            | (?i:GH-(?P<gh>[0-9]{1,9}))
        )",
    )
    .expect("the pattern is a literal that the tests compile")
});

static BRANCH_PATTERN: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(
        r"(?i)^(?:[\w.-]+/)*?(?:(?:issues?|gh|bug|fix|feat|feature)[-_/])?([0-9]{1,7})(?:[-_].*)?$",
    )
    .expect("the pattern is a literal that the tests compile")
});

/// Issues (or pull requests) that a pull request names: in its description outside of code and HTML comments, in its title, in its branch.
///
/// Closing words are GitHub's; only addresses of `host` count. At most [`MOST_LINKED`], those that it closes first.
pub fn linked_issues(
    description: &str,
    title: &str,
    branch: &str,
    repo: &RepoName,
    host: &str,
) -> Vec<IssueRef> {
    let mut issues: Vec<IssueRef> = Vec::new();
    let prose = markdown_text(description, |address| {
        issue_in_url(address, host).map(|_| address.to_string())
    });
    for text in [prose.as_str(), title] {
        for reference in references(text, repo, host) {
            add_issue(&mut issues, reference);
        }
    }
    if let Some(number) = issue_in_branch(branch) {
        add_issue(
            &mut issues,
            IssueRef {
                repo: repo.clone(),
                number,
                link: LinkKind::Mentions,
            },
        );
    }
    issues.sort_by_key(|reference| reference.link);
    issues.truncate(MOST_LINKED);
    issues
}

fn add_issue(issues: &mut Vec<IssueRef>, reference: IssueRef) {
    let same = |old: &&mut IssueRef| {
        old.number == reference.number && old.repo.eq_ignore_case(&reference.repo)
    };
    match issues.iter_mut().find(same) {
        Some(old) => old.link = old.link.min(reference.link),
        None => issues.push(reference),
    }
}

fn references(text: &str, repo: &RepoName, host: &str) -> Vec<IssueRef> {
    let mut out = Vec::new();
    for capture in REFERENCE_PATTERN.captures_iter(text) {
        let group = |name| capture.name(name);
        let why = match group("word") {
            Some(_) => LinkKind::Closes,
            None => LinkKind::Mentions,
        };
        let begin = group("url")
            .or_else(|| group("full"))
            .or_else(|| group("number"))
            .or_else(|| group("gh"))
            .map_or(0, |matched| matched.start());
        let number = |text: &str| text.parse().ok().filter(|n| *n > 0);
        let target = if let Some(url) = group("url") {
            issue_in_url(url.as_str(), host)
        } else if let Some(digits) = group("number") {
            let named = match group("full") {
                Some(full) => RepoName::parse(full.as_str()).ok(),
                None => Some(repo.clone()),
            };
            // `a#1` and `&#39;` are no references, and `#1a` is none either.
            let sign = if group("full").is_some() {
                begin
            } else {
                begin.saturating_sub(1)
            };
            (stands_alone(text, sign, digits.end()))
                .then_some(named)
                .flatten()
                .zip(number(digits.as_str()))
        } else {
            group("gh")
                .filter(|gh| stands_alone(text, begin.saturating_sub(3), gh.end()))
                .and_then(|gh| Some((repo.clone(), number(gh.as_str())?)))
        };
        if let Some((repo, number)) = target {
            out.push(IssueRef {
                repo,
                number,
                link: why,
            });
        }
    }
    out
}

/// Whether what lies between is no piece of a longer word.
fn stands_alone(text: &str, begin: usize, end: usize) -> bool {
    let of_word = |c: char| c.is_alphanumeric() || c == '_';
    let before = text[..begin].chars().next_back();
    let after = text[end..].chars().next();
    !before.is_some_and(|c| of_word(c) || matches!(c, '&' | '/' | '-' | '.' | '#'))
        && !after.is_some_and(of_word)
}

/// The issue that an address of this host names.
fn issue_in_url(address: &str, host: &str) -> Option<(RepoName, u64)> {
    let (repo, rest) = repository_in_url(address, host)?;
    let mut parts = rest.split('/');
    let sort = parts.next()?;
    let number = parts.next()?;
    let digits: &str = &number[..number
        .find(|c: char| !c.is_ascii_digit())
        .unwrap_or(number.len())];
    let number = digits.parse().ok().filter(|n| *n > 0)?;
    matches!(sort, "issues" | "pull").then_some((repo, number))
}

/// The repository of an address of this host, and what follows it, decoded.
fn repository_in_url(address: &str, host: &str) -> Option<(RepoName, String)> {
    let url = Url::parse(address).ok()?;
    if !matches!(url.scheme(), "http" | "https") {
        return None;
    }
    let named = match url.port() {
        Some(port) => format!("{}:{port}", url.host_str()?),
        None => url.host_str()?.to_string(),
    };
    let named = named.strip_prefix("www.").unwrap_or(&named);
    if !named.eq_ignore_ascii_case(host) {
        return None;
    }
    let path = percent_decode_str(url.path()).decode_utf8().ok()?;
    let mut parts = path.trim_start_matches('/').splitn(3, '/');
    let repo = RepoName::parse(&format!("{}/{}", parts.next()?, parts.next()?)).ok()?;
    Some((repo, parts.next().unwrap_or_default().to_string()))
}

fn issue_in_branch(branch: &str) -> Option<u64> {
    let dated = branch
        .split('/')
        .any(|part| part.to_ascii_lowercase().starts_with("release") || part == "hotfix");
    if dated {
        return None;
    }
    BRANCH_PATTERN
        .captures(branch)?
        .get(1)?
        .as_str()
        .parse()
        .ok()
        .filter(|n| *n > 0)
}

/// Paths of this repository's files that a description links: relative links, and addresses below `/blob/` of this repository.
///
/// `refs` are the names of base and head branch, which may hold slashes. At most [`MOST_LINKED`]; each passed
/// [`collie_core::text::safe_path`]; whether there is such a file is for the caller to see.
pub fn linked_documents(
    description: &str,
    repo: &RepoName,
    host: &str,
    refs: &[&str],
) -> Vec<String> {
    let mut addresses: Vec<String> = Vec::new();
    for event in markdown_parser(description) {
        if let Event::Start(Tag::Link { dest_url, .. }) = event {
            addresses.push(dest_url.into_string());
        }
    }
    let prose = markdown_text(description, |_| None);
    addresses.extend(REFERENCE_PATTERN.captures_iter(&prose).filter_map(|found| {
        Some(
            found
                .name("url")?
                .as_str()
                .trim_end_matches(['.', ','])
                .into(),
        )
    }));
    let mut paths: Vec<String> = Vec::new();
    for address in addresses {
        if let Some(path) = document_path(&address, repo, host, refs)
            && !paths.contains(&path)
        {
            paths.push(path);
        }
    }
    paths.truncate(MOST_LINKED);
    paths
}

fn document_path(address: &str, repo: &RepoName, host: &str, refs: &[&str]) -> Option<String> {
    let path = if Url::parse(address).is_ok() {
        let (named, rest) = repository_in_url(address, host)?;
        if !named.eq_ignore_case(repo) {
            return None;
        }
        blob_path(&rest, refs)?
    } else {
        let path = address.split(['#', '?']).next()?;
        let path = percent_decode_str(path).decode_utf8().ok()?.into_owned();
        match path.strip_prefix("../blob/") {
            Some(rest) => blob_path(&format!("blob/{rest}"), refs)?,
            // Protocol-relative addresses lead elsewhere; a single slash is the repository's root.
            None if path.starts_with("//") => return None,
            None => path.trim_start_matches('/').to_string(),
        }
    };
    let ending = path.rsplit_once('.').map_or("", |(_, ending)| ending);
    if path.ends_with('/')
        || BINARY_EXTENSIONS
            .iter()
            .any(|no| no.eq_ignore_ascii_case(ending))
    {
        return None;
    }
    safe_path(&path).ok()
}

/// The path in `blob/REF/PATH`, of a known ref or of one without slashes.
fn blob_path(rest: &str, refs: &[&str]) -> Option<String> {
    let rest = rest
        .strip_prefix("blob/")
        .or_else(|| rest.strip_prefix("raw/"))?;
    let known = refs
        .iter()
        .filter(|name| !name.is_empty())
        .find_map(|name| {
            rest.strip_prefix(*name)
                .and_then(|path| path.strip_prefix('/'))
        });
    let path = known.or_else(|| rest.split_once('/').map(|(_, path)| path))?;
    (!path.is_empty()).then(|| path.to_string())
}

fn markdown_parser(text: &str) -> Parser<'_> {
    Parser::new_ext(
        text,
        Options::ENABLE_TABLES | Options::ENABLE_STRIKETHROUGH | Options::ENABLE_TASKLISTS,
    )
}

/// The words of a Markdown text, without code and HTML. A link whose address `keep` wants is replaced by what it gives.
fn markdown_text(markdown: &str, keep: impl Fn(&str) -> Option<String>) -> String {
    let mut out = String::new();
    let mut code = 0_u32;
    let mut replaced = 0_u32;
    for event in markdown_parser(markdown) {
        match event {
            Event::Start(Tag::CodeBlock(_)) => code += 1,
            Event::End(TagEnd::CodeBlock) => code = code.saturating_sub(1),
            Event::Start(Tag::Link { dest_url, .. }) => {
                if let Some(kept) = keep(&dest_url) {
                    out.push_str(&kept);
                    replaced += 1;
                } else if replaced > 0 {
                    replaced += 1;
                }
            }
            Event::End(TagEnd::Link) => replaced = replaced.saturating_sub(1),
            Event::Text(text) if code == 0 && replaced == 0 => out.push_str(&text),
            Event::SoftBreak | Event::HardBreak => out.push('\n'),
            // Something stood there: what is before and after must not become one word, or one sentence.
            Event::Code(_) => out.push_str(" \u{b7} "),
            Event::End(
                TagEnd::Paragraph | TagEnd::Heading(_) | TagEnd::Item | TagEnd::TableCell,
            ) => {
                out.push_str("\n\u{b7}\n");
            }
            _ => {}
        }
    }
    out
}
