//! Finds remarks on lines in the output of a check.

use std::sync::LazyLock;

use regex::Regex;

use crate::model::{Annotation, AnnotationLevel};

/// GitHub keeps this many for each step.
const MAX_ANNOTATIONS: usize = 50;

static WORKFLOW_COMMAND: LazyLock<Regex> =
    LazyLock::new(|| compile_pattern(r"^::(error|warning|notice)\s*([^:]*)::(.*)$"));
static PYTHON_TRACEBACK_LINE: LazyLock<Regex> =
    LazyLock::new(|| compile_pattern(r#"^\s*File "([^"<>]+)", line (\d+)"#));
static PATH_AND_LINE: LazyLock<Regex> = LazyLock::new(|| {
    compile_pattern(r"^\s*(?:-->\s*)?([^\s:()]+\.[A-Za-z0-9]+):(\d+)(?::\d+)?(?::\s*(.*))?$")
});

fn compile_pattern(pattern: &str) -> Regex {
    Regex::new(pattern).expect("the pattern is a constant that the tests compile")
}

/// The remarks in a log, in order, each place once.
pub(crate) fn parse_log(log: &str) -> Vec<Annotation> {
    let mut annotations: Vec<Annotation> = Vec::new();
    let lines: Vec<&str> = log.lines().collect();
    for (index, line) in lines.iter().enumerate() {
        let Some(annotation) = parse_line(line, &lines[index + 1..]) else {
            continue;
        };
        let is_duplicate = |a: &Annotation| a.path == annotation.path && a.line == annotation.line;
        if !annotations.iter().any(is_duplicate) {
            annotations.push(annotation);
        }
        if annotations.len() == MAX_ANNOTATIONS {
            break;
        }
    }
    annotations
}

fn parse_line(line: &str, after: &[&str]) -> Option<Annotation> {
    if let Some(parts) = WORKFLOW_COMMAND.captures(line) {
        return parse_workflow_command(&parts[1], &parts[2], &parts[3]);
    }
    if let Some(parts) = PYTHON_TRACEBACK_LINE.captures(line) {
        // A traceback ends with the error, at the margin.
        let error = after.iter().find(|l| {
            !l.is_empty() && !l.starts_with(char::is_whitespace) && !l.starts_with("Traceback")
        });
        return build_annotation(&parts[1], &parts[2], error.unwrap_or(&"").trim());
    }
    let captures = PATH_AND_LINE.captures(line)?;
    let message = captures.get(3).map_or("", |m| m.as_str());
    build_annotation(&captures[1], &captures[2], message)
}

fn parse_workflow_command(level: &str, properties: &str, message: &str) -> Option<Annotation> {
    let property = |name: &str| {
        let mut pairs = properties.split(',').filter_map(|p| p.split_once('='));
        pairs
            .find(|(key, _)| key.trim() == name)
            .map(|(_, value)| value.trim())
    };
    let level = match level {
        "error" => AnnotationLevel::Failure,
        "warning" => AnnotationLevel::Warning,
        _ => AnnotationLevel::Notice,
    };
    let found = build_annotation(property("file")?, property("line").unwrap_or("1"), message)?;
    Some(Annotation { level, ..found })
}

/// Only places within the checkout count.
fn build_annotation(path: &str, line: &str, message: &str) -> Option<Annotation> {
    let path = path.strip_prefix("./").unwrap_or(path);
    let path = match path.split_once("/work/") {
        Some((_, inside)) if path.starts_with('/') => inside,
        _ => path,
    };
    let line: u64 = line.parse().ok()?;
    if path.starts_with('/') || path.contains("..") || line == 0 {
        return None;
    }
    let message = if message.is_empty() {
        "Failed here"
    } else {
        message
    };
    Some(Annotation {
        path: path.to_owned(),
        line,
        level: AnnotationLevel::Failure,
        message: message.to_owned(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(log: &str, expect: &[(&str, u64, &str)]) {
        let found = parse_log(log);
        let found: Vec<_> = found
            .iter()
            .map(|a| (a.path.as_str(), a.line, a.message.as_str()))
            .collect();
        assert_eq!(found, expect);
    }

    #[test]
    fn remarks_are_found_in_what_tools_print() {
        check("src/a.rs:3:5: error: bad", &[("src/a.rs", 3, "error: bad")]);
        check(
            "error[E1]: x\n  --> src/a.rs:3:5",
            &[("src/a.rs", 3, "Failed here")],
        );
        check(
            "Traceback (most recent call last):\n  File \"t.py\", line 7, in f\n    g()\nValueError: no",
            &[("t.py", 7, "ValueError: no")],
        );
        check(
            "::error file=b.js,line=9::it broke",
            &[("b.js", 9, "it broke")],
        );
        check(
            "    cart_test.go:12: got 3, want 4",
            &[("cart_test.go", 12, "got 3, want 4")],
        );
    }

    #[test]
    fn what_is_no_place_in_the_checkout_is_left_alone() {
        check("all 12:30 good", &[]);
        check("/usr/lib/python3/x.py:3: warning", &[]);
        check("http://example.com:80: no", &[]);
        check("::error::without a file", &[]);
    }

    #[test]
    fn a_place_is_named_once_and_there_is_an_end() {
        check("a.c:1: x\na.c:1: x", &[("a.c", 1, "x")]);
        let many: String = (1..200).map(|n| format!("a.c:{n}: x\n")).collect();
        assert_eq!(parse_log(&many).len(), MAX_ANNOTATIONS);
    }
}
