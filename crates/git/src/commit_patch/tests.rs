use super::*;

fn compared(old: &str, new: &str) -> PatchedFile {
    compared_in(MAX_TEXT_BYTES, old, new)
}

fn compared_in(text: usize, old: &str, new: &str) -> PatchedFile {
    let mut file = PatchedFile {
        path: "a".into(),
        old_path: None,
        status: FileStatus::Modified,
        added: 0,
        removed: 0,
        unshown: None,
        hunks: Vec::new(),
        lines_left_out: 0,
    };
    let mut room = Room {
        bytes: MAX_BYTES,
        lines: MAX_LINES,
        text,
    };
    compare(&mut file, old.as_bytes(), new.as_bytes(), &mut room);
    file
}

fn numbers(count: u32) -> String {
    (1..=count).map(|n| format!("{n}\n")).collect()
}

#[test]
fn hunks_have_their_places_and_name_the_lines_that_they_change() {
    let new = numbers(60)
        .replace("10\n", "ten\n")
        .replace("50\n", "50\nmore\nand more\n");
    let file = compared(&numbers(60), &new);
    assert_eq!((file.added, file.removed, file.hunks.len()), (3, 1, 2));
    let place = |hunk: &PatchHunk| (hunk.old_start, hunk.new_start, hunk.lines.len());
    assert_eq!(place(&file.hunks[0]), (7, 7, 8));
    assert_eq!(place(&file.hunks[1]), (48, 48, 8));
    let span = |at: usize| {
        let span = file.hunks[at].changed_span();
        (span.first, span.last)
    };
    assert_eq!([span(0), span(1)], [(10, 10), (50, 50)]);
}

#[test]
fn lines_beyond_the_bound_are_counted_and_not_shown() {
    let lines = u32::try_from(MAX_FILE_LINES).unwrap() + 7;
    let file = compared("", &numbers(lines));
    assert_eq!((file.added, file.lines_left_out), (lines, 7));
    let shown: usize = file.hunks.iter().map(|hunk| hunk.lines.len()).sum();
    assert_eq!(shown, MAX_FILE_LINES);
}

#[test]
fn text_beyond_the_bound_is_not_shown_and_nothing_after_it() {
    let file = compared_in(10, "", "12345\n12345678\n1\n");
    let lines = &file.hunks[0].lines;
    assert_eq!((lines.len(), file.lines_left_out, file.added), (1, 2, 3));
}

#[test]
fn a_long_line_is_cut_and_a_missing_end_is_told() {
    let file = compared("a\n", &format!("{}\nb", "ü".repeat(MAX_LINE_CHARS + 1)));
    let lines = &file.hunks[0].lines;
    assert_eq!(lines[1].text.chars().count(), MAX_LINE_CHARS);
    assert!(lines[1].cut && !lines[1].unended, "{:?}", lines[1]);
    assert!(lines[2].unended && !lines[2].cut, "{:?}", lines[2]);
}

#[test]
fn what_git_never_logs_is_no_answer() {
    assert!(parse_facts(b"x\n1\ny").is_err());
    assert!(parse_facts(b"").unwrap().is_empty());
}
