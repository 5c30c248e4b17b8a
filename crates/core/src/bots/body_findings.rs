//! Findings that bots put into the text of a review or of a conversation comment, instead of a thread (§4.5).
//!
//! One function a format; a bot's entry in `bots.json` names its own.

mod coderabbit;
mod draft;
mod lists;
mod qodo;

use super::reading::bot_priority;
use super::registry::{BodyFormat, forms_of};
use crate::ids::AccountId;

pub use draft::{BodyFinding, PathOfAnchor};

/// Findings of one body that are read.
const MOST: usize = 100;

/// The findings in a body of a bot.
pub fn body_findings(
    bot: AccountId,
    body: &str,
    path_of_anchor: &PathOfAnchor<'_>,
) -> Vec<BodyFinding> {
    let Some(format) = forms_of(bot).and_then(|forms| forms.format) else {
        return Vec::new();
    };
    let draft = |text: &str| bot_priority(bot, text);
    let mut found = match format {
        BodyFormat::CodeRabbit => coderabbit::findings(body, &draft),
        BodyFormat::Copilot => lists::suppressed(body, &draft),
        BodyFormat::Codex => lists::linked(body, &draft),
        BodyFormat::Gemini => lists::headed(body, &draft),
        BodyFormat::Greptile => lists::numbered(body, &draft),
        BodyFormat::Sourcery => lists::bulleted(body, &draft),
        BodyFormat::Qodo => qodo::findings(body, path_of_anchor),
    };
    found.retain(|finding| !finding.title.trim().is_empty());
    found.truncate(MOST);
    found
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::finding::Priority;

    const GEMINI: AccountId = AccountId(176_961_590);
    const GREPTILE: AccountId = AccountId(165_735_046);

    fn check(bot: AccountId, body: &str, expected: &[(&str, Option<u32>, Priority, &str)]) {
        let found = body_findings(bot, body, &|_| None);
        let found: Vec<_> = found
            .iter()
            .map(|f| (f.file.as_str(), f.line, f.priority, f.title.as_str()))
            .collect();
        assert_eq!(found, expected, "{body}");
    }

    #[test]
    fn gemini_lists_by_place_what_it_could_not_put_on_its_line() {
        let body = "## Code Review\n\nTwo remarks.\n\n<details>\n<summary>I am having trouble creating individual review \
            comments.</summary>\n\n### compose.yml (164-165)\n\n![critical](https://x/codereviewagent/critical.svg)\n\nTake the \
            password out.\n\n```yaml\n### not.a.heading (1)\n```\n\n### src/Page.tsx (44)\n\n![medium](https://x/medium-priority.svg)\
            \n\nThe list stays empty.\n\n</details>\n\n### after.md (3)\n";
        let two = [
            (
                "compose.yml",
                Some(164),
                Priority::P0,
                "Take the password out.",
            ),
            (
                "src/Page.tsx",
                Some(44),
                Priority::P2,
                "The list stays empty.",
            ),
        ];
        check(GEMINI, body.split("\n\n### after").next().unwrap(), &two);
    }

    #[test]
    fn greptile_lists_what_lies_outside_of_the_diff_and_links_what_has_a_thread() {
        let body = "<h3>Greptile Summary</h3>\n\nFine.\n\n<details><summary><h3>Comments Outside Diff (1)</h3></summary>\n\n\
            1. `src/hooks.ts`, line 294 ([link](https://github.com/acme/app/blob/abc/src/hooks.ts#L294))\n\n   \
            <a href=\"#\"><img alt=\"P1\" src=\"https://x/badges/p1.svg\" align=\"top\"></a> **The code is shown as the reason**\n\n   \
            Say why instead.\n\n</details>\n\n<h2>Findings</h2>\n\n\
            1. <img alt=\"P2\" src=\"https://x/p2.svg\">&nbsp;**Twice** <a href=\"https://github.com/o/r/pull/1#discussion_r2\">x</a>\n";
        let one = [(
            "src/hooks.ts",
            Some(294),
            Priority::P1,
            "The code is shown as the reason",
        )];
        check(GREPTILE, body, &one);
    }

    #[test]
    fn greptile_lists_in_a_review_what_it_could_not_put_on_its_line_and_its_label_is_no_title() {
        let body = "<details open><summary><h3>Additional Comments (1)</h3></summary>\n\n\
            1. `src/types.ts`, line 58 ([link](/acme/app/blob/abc/src/types.ts#L58)) \n\n   \
            **syntax:** The type is imported twice.\n\n</details>\n\n<sub>6 files reviewed, 3 comments</sub>\n";
        let one = [(
            "src/types.ts",
            Some(58),
            Priority::P1,
            "syntax: The type is imported twice.",
        )];
        check(GREPTILE, body, &one);
    }
}
