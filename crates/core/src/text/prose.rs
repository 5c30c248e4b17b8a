//! What a Markdown text says in words, without what is shown beside them.

use super::pattern;
use regex::Regex;
use std::sync::LazyLock;

static COMMENT: LazyLock<Regex> = LazyLock::new(|| pattern(r"(?s)<!--.*?(-->|\z)"));
static TAG: LazyLock<Regex> = LazyLock::new(|| pattern(r"</?[A-Za-z][^<>]*>"));
static LINK: LazyLock<Regex> = LazyLock::new(|| pattern(r"(!?)\[([^\[\]]*)\]\([^()]*\)"));

/// The words of a text: without comments, blocks of code, folded parts, pictures, tags and addresses. What is between tags stays.
pub fn plain_prose(markdown: &str) -> String {
    let text = COMMENT.replace_all(markdown, " ");
    let mut lines = Vec::new();
    let (mut fence, mut folded) = (None, 0_u32);
    for line in text.lines() {
        let start = line.trim_start();
        let mark = ["```", "~~~"]
            .into_iter()
            .find(|mark| start.starts_with(mark));
        match (fence, mark) {
            (Some(open), Some(mark)) if open == mark => {
                fence = None;
                continue;
            }
            (Some(_), _) => continue,
            (None, Some(mark)) => {
                fence = Some(mark);
                continue;
            }
            (None, None) => {}
        }
        let low = start.to_ascii_lowercase();
        let opens = low.matches("<details").count();
        let closes = low.matches("</details").count();
        let was_folded = folded > 0 || opens > 0;
        folded = (folded + count(opens)).saturating_sub(count(closes));
        if !was_folded {
            lines.push(line);
        }
    }
    let text = lines.join("\n");
    let text = LINK.replace_all(&text, |found: &regex::Captures<'_>| {
        if found[1].is_empty() {
            found[2].to_owned()
        } else {
            String::new()
        }
    });
    TAG.replace_all(&text, " ").into_owned()
}

fn count(of: usize) -> u32 {
    u32::try_from(of).unwrap_or(u32::MAX)
}

#[cfg(test)]
mod tests {
    use super::plain_prose;

    #[test]
    fn only_words_are_left() {
        let body = "<!-- marker\nwith lines -->\n![badge](https://x/p1.svg)\n**<sub>High</sub> The [cart](https://x) is empty**\n\
            \n```py\nraise Never\n```\n<details>\n<summary>Prompt for agents</summary>\nfold\n<details>in</details>\nmore\n</details>\n\
            It crashes.";
        let words: Vec<String> = plain_prose(body)
            .split_whitespace()
            .map(str::to_owned)
            .collect();
        assert_eq!(words.join(" "), "** High The cart is empty** It crashes.");
    }

    #[test]
    fn what_is_never_closed_ends_with_the_text() {
        assert_eq!(plain_prose("a <!-- b").trim(), "a");
        assert_eq!(plain_prose("a\n```\nb").trim(), "a");
        assert_eq!(plain_prose("a\n<details>\nb").trim(), "a");
        assert_eq!(plain_prose("a\n</details>\nb").trim(), "a\n \nb");
    }
}
