//! Which threads are open, for people: the report of the comments analyzer (A3).

use super::author_role::{AuthorRole, author_role};
use super::title_line::title_line;
use crate::loop_state::LoopState;
use crate::snapshot::{Snapshot, Thread};
use crate::text::code_span;

/// As many threads are listed.
const MAX_LISTED: usize = 50;

/// A list in Markdown of the open threads that people and bots began: where, who, and how it begins. Empty where there is none.
///
/// Those of Collie itself are its findings, and told as such. Of an outsider's thread no word is repeated: what they write is no business of
/// an account that has more rights than theirs (§9.1).
pub(super) fn open_threads_report(state: &LoopState, snapshot: &Snapshot) -> String {
    let listed = snapshot.threads.iter().filter(|thread| !thread.resolved);
    let lines = listed.filter_map(|thread| thread_line(state, snapshot, thread));
    lines.take(MAX_LISTED).collect()
}

fn thread_line(state: &LoopState, snapshot: &Snapshot, thread: &Thread) -> Option<String> {
    let first = thread.comments.first()?;
    let role = author_role(state, snapshot, first.author.as_ref(), &first.body);
    let said = match role {
        AuthorRole::Trusted | AuthorRole::Bot => format!(": {}", title_line(&first.body)),
        AuthorRole::Outsider => String::new(),
        AuthorRole::Own => return None,
    };
    let place = match thread.line {
        Some(line) => format!("{}:{line}", thread.path),
        None => thread.path.clone(),
    };
    let who = first.author.as_ref();
    let who = who.map_or("ghost", |author| author.login.as_str());
    Some(format!(
        "- {} {}{said}\n",
        code_span(&place),
        code_span(who)
    ))
}
