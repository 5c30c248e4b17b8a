//! Drawings in posts, as [Mermaid](https://mermaid.js.org/syntax/flowchart.html), which GitHub draws.

use super::markdown::MarkdownWriter;
use collie_core::change_map::ChangeMap;
use std::collections::BTreeMap;
use std::fmt::Write as _;

/// Longer names lose their beginning: the end of a path says more.
const MAX_LABEL_CHARS: usize = 60;

/// Files as boxes, from who uses something to where it changed; those that the pull request changes are thick.
pub(super) fn uses_drawing(writer: &MarkdownWriter<'_>, map: &ChangeMap) -> String {
    let mut boxes: BTreeMap<&str, usize> = BTreeMap::new();
    for name in map.uses.iter().flat_map(|one| [&one.user, &one.used]) {
        let next = boxes.len();
        boxes.entry(name).or_insert(next);
    }
    let mut out = String::from("```mermaid\nflowchart LR\n");
    for (name, number) in &boxes {
        let is_changed = map.files.iter().any(|file| file.path == **name);
        let class = if is_changed { ":::changed" } else { "" };
        // A string takes everything.
        let _ = writeln!(
            out,
            "  f{number}[\"{}\"]{class}",
            label(&writer.redact(name))
        );
    }
    for one in &map.uses {
        let (user, used) = (boxes[one.user.as_str()], boxes[one.used.as_str()]);
        let arrow = match label(&writer.redact(&one.symbol)) {
            symbol if symbol.is_empty() => "-->".to_owned(),
            symbol => format!("-->|\"{symbol}\"|"),
        };
        let _ = writeln!(out, "  f{user} {arrow} f{used}");
    }
    out + "  classDef changed stroke-width:3px\n```\n"
}

/// A name of others as the text of a box: all but letters, digits and what paths are made of as the number of the character, so that it opens and ends
/// nothing (<https://mermaid.js.org/syntax/flowchart.html#special-characters-that-break-syntax>).
fn label(name: &str) -> String {
    let chars = name.chars().count();
    let cut = chars.saturating_sub(MAX_LABEL_CHARS);
    let mut out = String::new();
    if cut > 0 {
        out.push_str("#8230;");
    }
    for character in name.chars().skip(cut) {
        if character.is_ascii_alphanumeric() || matches!(character, '/' | '.' | '_' | '-') {
            out.push(character);
        } else {
            let _ = write!(out, "#{};", character as u32);
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::label;

    #[test]
    fn nothing_in_a_name_opens_or_ends_anything() {
        assert_eq!(label("src/a_b-1.py"), "src/a_b-1.py");
        assert_eq!(
            label("a\"]; click b\n```@"),
            "a#34;#93;#59;#32;click#32;b#10;#96;#96;#96;#64;"
        );
        assert_eq!(label("été"), "#233;t#233;");
        let long = format!("{}/end.rs", "x".repeat(200));
        let shown = label(&long);
        assert!(
            shown.starts_with("#8230;xx") && shown.ends_with("/end.rs"),
            "{shown}"
        );
        assert!(shown.len() < 80);
    }
}
