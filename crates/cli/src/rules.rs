//! `rules`: what the built-in rules are, where they would fire, and whether a rule does what its cases say.

use crate::args::{RulesCommand, TryArgs};
use crate::localize;
use crate::output::Output;
use crate::terminal_text::TerminalText;
use collie_core::error_code::ErrorCode;
use collie_core::file_marks::{bears_generated_mark, is_lockfile, vendored_folder};
use collie_core::text::redact_keeping_lines;
use collie_core::user_error::UserError;
use collie_rules::{
    CaseFailure, CaseProblem, LineSet, RuleCases, RuleError, RuleMatch, RuleSet, RuleSummary,
    ScanInput, UnappliedReason, read_cases, run_cases, scan_file, scan_syntax,
};
use console::Style;
use serde_json::json;
use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::path::{Path, PathBuf};

/// Exit status where a rule does not do what its cases say, or cannot be read (§14).
const EXIT_FAILED: u8 = 1;

/// Where a repository's rules stand, and the cases of each, in a file of the same name.
const RULES_FOLDER: &str = ".collie/rules";
const CASES_FOLDER: &str = "rule-tests";

/// Files larger than that are not read: they are data.
const MAX_FILE_BYTES: u64 = 8 * 1024 * 1024;

/// Runs one of the commands about rules.
pub fn run(output: &Output, command: RulesCommand) -> Result<u8, UserError> {
    match command {
        RulesCommand::List => list(output),
        RulesCommand::Test { paths } => test(output, &paths),
        RulesCommand::Try(args) => try_rules(output, &args),
    }
}

fn unreadable(path: &Path, message: impl ToString) -> UserError {
    UserError::new(ErrorCode::RulesUnreadable)
        .with("path", path.display())
        .with("message", message.to_string())
}

/// The rules of a repository: those in the nearest folder for them, at or above a path.
fn repository_rules(path: &Path) -> Result<Vec<(String, String)>, UserError> {
    let start = std::path::absolute(path).map_err(|error| unreadable(path, error))?;
    let folder = start.ancestors().map(|folder| folder.join(RULES_FOLDER));
    match folder.into_iter().find(|folder| folder.is_dir()) {
        Some(folder) => read_rule_files(&[folder]),
        None => Ok(Vec::new()),
    }
}

/// The rule files among these paths and directly in these folders, with their text.
fn read_rule_files(paths: &[PathBuf]) -> Result<Vec<(String, String)>, UserError> {
    let mut files = Vec::new();
    for path in paths {
        if !path.is_dir() {
            files.push(path.clone());
            continue;
        }
        let entries = std::fs::read_dir(path).map_err(|error| unreadable(path, error))?;
        let of_folder = entries.flatten().map(|entry| entry.path());
        files.extend(of_folder.filter(|path| is_yaml(path)));
    }
    files.sort();
    let read = |path: PathBuf| {
        let text = std::fs::read_to_string(&path).map_err(|error| unreadable(&path, error))?;
        Ok((path.to_string_lossy().into_owned(), text))
    };
    files.into_iter().map(read).collect()
}

fn is_yaml(path: &Path) -> bool {
    let end = path.extension().and_then(OsStr::to_str);
    matches!(end, Some("yml" | "yaml"))
}

fn print_rule_errors(output: &Output, errors: &[RuleError]) {
    for error in errors {
        if output.json {
            output.print_json(&json!({ "type": "rule_error", "message": error.to_string() }));
        } else {
            output.print_aside(&TerminalText::plain(error.to_string()));
        }
    }
}

fn list(output: &Output) -> Result<u8, UserError> {
    let (rules, errors) = RuleSet::with_repository(&repository_rules(Path::new("."))?);
    for rule in rules.summaries() {
        if output.json {
            output.print_json(&json!({
                "type": "rule", "id": rule.id, "language": rule.group,
                "priority": rule.priority, "category": rule.category,
                "message": rule.message, "has_fix": rule.has_fix, "is_off": rule.is_off,
            }));
            continue;
        }
        let mut line = TerminalText::plain(format!("{}  ", rule.priority));
        line.push_styled(&Style::new().bold(), format!("{:<36}", rule.id));
        line.push(format!(" {}", rule.message));
        if rule.has_fix {
            line.push(localize!(output.localizer, "cli-rules-has-fix"));
        }
        if rule.is_off {
            line.push(localize!(output.localizer, "cli-rules-is-off"));
        }
        output.print_styled(&line);
    }
    print_rule_errors(output, &errors);
    Ok(if errors.is_empty() { 0 } else { EXIT_FAILED })
}

/// The rules of files that are tested, in the order of their ids, each with its cases.
struct TestedRules {
    rules: RuleSet,
    cases: Vec<(RuleSummary, Vec<RuleCases>)>,
    errors: Vec<RuleError>,
}

fn test(output: &Output, paths: &[PathBuf]) -> Result<u8, UserError> {
    let files = read_rule_files(paths)?;
    if files.is_empty() {
        let named: Vec<String> = paths
            .iter()
            .map(|path| path.display().to_string())
            .collect();
        return Err(UserError::new(ErrorCode::NoRules).with("path", named.join(", ")));
    }
    let tested = read_tests(&files)?;
    print_rule_errors(output, &tested.errors);
    let mut failed = tested.errors.len();
    for (rule, cases) in &tested.cases {
        let count: usize = cases.iter().map(|c| c.invalid.len() + c.valid.len()).sum();
        let run = |cases| run_cases(&tested.rules, rule, cases);
        let failures: Vec<CaseFailure> = cases.iter().flat_map(run).collect();
        print_test(output, rule, count, &failures);
        failed += failures.len();
    }
    Ok(if failed == 0 { 0 } else { EXIT_FAILED })
}

fn read_tests(files: &[(String, String)]) -> Result<TestedRules, UserError> {
    let (rules, mut errors) = RuleSet::with_repository(files);
    let summaries: BTreeMap<String, RuleSummary> = (rules.summaries().into_iter())
        .map(|rule| (rule.id.clone(), rule))
        .collect();
    let mut cases: BTreeMap<String, Vec<RuleCases>> = BTreeMap::new();
    for (path, yaml) in files {
        let ids = rule_ids(yaml);
        let Some(file) = cases_file(Path::new(path)) else {
            continue;
        };
        let text = std::fs::read_to_string(&file).map_err(|error| unreadable(&file, error))?;
        let only = match ids.as_slice() {
            [only] => Some(only.as_str()),
            _ => None,
        };
        match read_cases(&file.to_string_lossy(), &text, only) {
            Ok(read) => {
                for of_rule in read {
                    let id = of_rule.id.clone().unwrap_or_default();
                    cases.entry(id).or_default().push(of_rule);
                }
            }
            Err(error) => errors.push(error),
        }
    }
    let ids = files.iter().flat_map(|(_, yaml)| rule_ids(yaml));
    let tested = ids.filter_map(|id| {
        let of_rule = cases.remove(&id).unwrap_or_default();
        Some((summaries.get(&id)?.clone(), of_rule))
    });
    Ok(TestedRules {
        cases: tested.collect(),
        rules,
        errors,
    })
}

/// The ids that a rule file defines.
fn rule_ids(yaml: &str) -> Vec<String> {
    let id_of = |line: &str| {
        let id = line.strip_prefix("id:")?.trim();
        Some(id.trim_matches(['"', '\'']).to_owned())
    };
    yaml.lines().filter_map(id_of).collect()
}

/// The file with the cases of a rule file, where there is one.
fn cases_file(rule_file: &Path) -> Option<PathBuf> {
    let folder = rule_file.parent()?;
    let name = rule_file.file_stem()?;
    ["yml", "yaml"]
        .iter()
        .map(|end| {
            let above = folder.join("..").join(CASES_FOLDER);
            above.join(name).with_extension(end)
        })
        .find(|file| file.is_file())
}

fn print_test(output: &Output, rule: &RuleSummary, count: usize, failures: &[CaseFailure]) {
    if output.json {
        let failures: Vec<_> = failures
            .iter()
            .map(|failure| {
                json!({ "code": failure.code, "problem": problem_text(output, &failure.problem) })
            })
            .collect();
        output.print_json(&json!({
            "type": "rule_test", "id": rule.id, "cases": count, "failures": failures,
        }));
        return;
    }
    let (mark, style) = match (count, failures) {
        (0, _) => ("-", Style::new().yellow()),
        (_, []) => ("✓", Style::new().green()),
        (_, _) => ("✗", Style::new().red()),
    };
    let mut line = TerminalText::styled(&style, mark);
    line.push(format!(" {} ", rule.id));
    line.push(match count {
        0 => localize!(
            output.localizer,
            "cli-rules-no-cases",
            folder = CASES_FOLDER
        ),
        count => localize!(output.localizer, "cli-rules-cases", count = count),
    });
    output.print_styled(&line);
    for failure in failures {
        let problem = problem_text(output, &failure.problem);
        output.print_styled(&TerminalText::styled(&style, format!("    {problem}")));
        for line in failure.code.lines() {
            output.print_text(&format!("    | {line}"));
        }
    }
}

fn problem_text(output: &Output, problem: &CaseProblem) -> String {
    let localizer = &output.localizer;
    let list = |lines: &[usize]| {
        let lines: Vec<String> = lines.iter().map(usize::to_string).collect();
        lines.join(", ")
    };
    match problem {
        CaseProblem::BrokenCode => localize!(localizer, "cli-rules-broken-code"),
        CaseProblem::NoMatch => localize!(localizer, "cli-rules-no-match"),
        CaseProblem::UnexpectedMatch(found) => {
            localize!(localizer, "cli-rules-unexpected", lines = list(found))
        }
        CaseProblem::OtherLines { expected, found } => localize!(
            localizer,
            "cli-rules-other-lines",
            expected = list(expected),
            found = list(found)
        ),
        CaseProblem::OtherFix(text) => {
            localize!(localizer, "cli-rules-other-fix", text = text.clone())
        }
        CaseProblem::FixRepeats(text) => {
            localize!(localizer, "cli-rules-fix-repeats", text = text.clone())
        }
        CaseProblem::Unapplied(reason) => {
            let key = match reason {
                UnappliedReason::NoMatch => "cli-rules-unapplied-no_match",
                UnappliedReason::NoFix => "cli-rules-unapplied-no_fix",
                UnappliedReason::Overlaps => "cli-rules-unapplied-overlaps",
                UnappliedReason::BreaksSyntax => "cli-rules-unapplied-breaks_syntax",
                UnappliedReason::StillMatches => "cli-rules-unapplied-still_matches",
            };
            localize!(localizer, key)
        }
    }
}

fn try_rules(output: &Output, args: &TryArgs) -> Result<u8, UserError> {
    let first = args.paths.first().map_or(Path::new("."), PathBuf::as_path);
    let own = match &args.rules {
        Some(path) => read_rule_files(std::slice::from_ref(path))?,
        None => repository_rules(first)?,
    };
    let (rules, errors) = RuleSet::with_repository(&own);
    print_rule_errors(output, &errors);
    check_rule_names(&rules, &args.rule)?;
    let files = list_files(&args.paths)?;
    let found = scan_files(&rules, &files);
    let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
    let asked = |found: &&RuleMatch| args.rule.is_empty() || args.rule.contains(&found.rule_id);
    for found in found.iter().filter(asked) {
        *counts.entry(&found.rule_id).or_default() += 1;
        print_match(output, found);
    }
    print_counts(output, files.len(), &counts);
    Ok(if errors.is_empty() { 0 } else { EXIT_FAILED })
}

fn check_rule_names(rules: &RuleSet, asked: &[String]) -> Result<(), UserError> {
    let known: Vec<String> = rules.summaries().into_iter().map(|rule| rule.id).collect();
    match asked.iter().find(|id| !known.contains(id)) {
        Some(unknown) => Err(UserError::new(ErrorCode::RuleUnknown)
            .with("name", unknown)
            .with_nearest(collie_rules::nearest_rule(rules, unknown))),
        None => Ok(()),
    }
}

/// All files of these paths in order, without what git ignores.
fn list_files(paths: &[PathBuf]) -> Result<Vec<PathBuf>, UserError> {
    let mut files = Vec::new();
    for path in paths {
        let walk = ignore::WalkBuilder::new(path)
            .hidden(false)
            .filter_entry(|entry| entry.file_name() != ".git")
            .build();
        for entry in walk {
            let entry = entry.map_err(|error| unreadable(path, error))?;
            let is_small = || {
                entry
                    .metadata()
                    .is_ok_and(|meta| meta.len() <= MAX_FILE_BYTES)
            };
            if entry.file_type().is_some_and(|kind| kind.is_file()) && is_small() {
                files.push(entry.into_path());
            }
        }
    }
    files.sort();
    files.dedup();
    Ok(files)
}

/// What the rules say of these files, in their order, as though each were new.
fn scan_files(rules: &RuleSet, files: &[PathBuf]) -> Vec<RuleMatch> {
    let threads = std::thread::available_parallelism().map_or(1, usize::from);
    let share = files.len().div_ceil(threads).max(1);
    std::thread::scope(|scope| {
        let running: Vec<_> = files
            .chunks(share)
            .map(|files| {
                scope.spawn(|| {
                    files
                        .iter()
                        .flat_map(|file| scan_path(rules, file))
                        .collect()
                })
            })
            .collect();
        let done = running
            .into_iter()
            .map(|thread| thread.join().unwrap_or_default());
        done.collect::<Vec<Vec<RuleMatch>>>().concat()
    })
}

/// What the rules say of a file; nothing of one that cannot be read.
fn scan_path(rules: &RuleSet, file: &Path) -> Vec<RuleMatch> {
    let path = file.to_string_lossy();
    let path = path.strip_prefix("./").unwrap_or(&path);
    let Ok(content) = std::fs::read(file) else {
        return Vec::new();
    };
    let input = ScanInput {
        path,
        content: &content,
        changed_lines: &LineSet::All,
        generated: is_lockfile(path)
            || vendored_folder(path).is_some()
            || bears_generated_mark(path, &content),
    };
    let mut found = scan_file(rules, &input).matches;
    found.extend(scan_syntax(rules, &input, None));
    found
}

fn print_match(output: &Output, found: &RuleMatch) {
    let evidence = redact_keeping_lines(&found.evidence, &[]);
    if output.json {
        output.print_json(&json!({
            "type": "rule_match", "rule": found.rule_id, "priority": found.priority,
            "category": found.category, "path": found.path, "line": found.line,
            "end_line": found.end_line, "column": found.column, "message": found.title,
            "evidence": evidence, "suggestion": found.suggestion.as_deref().map(|text| redact_keeping_lines(text, &[])),
        }));
        return;
    }
    let place = format!("{}:{}:{}", found.path, found.line, found.column);
    let mut line = TerminalText::styled(&Style::new().bold(), place);
    line.push(format!(
        " {} {}: {}",
        found.priority, found.rule_id, found.title
    ));
    output.print_styled(&line);
    if let Some(first) = evidence.lines().next() {
        output.print_styled(&TerminalText::styled(
            &Style::new().dim(),
            format!("    {}", first.trim()),
        ));
    }
}

fn print_counts(output: &Output, files: usize, counts: &BTreeMap<&str, usize>) {
    let matches: usize = counts.values().sum();
    if output.json {
        output.print_json(&json!({
            "type": "summary", "files": files, "matches": matches, "rules": counts,
        }));
        return;
    }
    let text = localize!(
        output.localizer,
        "cli-rules-tried",
        files = files,
        matches = matches
    );
    output.print_text(&text);
    for (rule, count) in counts {
        output.print_text(&format!("{count:>7}  {rule}"));
    }
}
