// Safeguards of running other people's linters, each taken away once, with the test that has to notice.

const SILENCE = "-p collie-engine --test it linters::settings_and_programs_of_the_head_silence_no_linter";
const FIXED = "-p collie-engine --test it linters::what_a_linter_finds_is_its_finding_and_its_safe_fix_is_pushed";
const FIXTURES = "-p collie-linters --test fixtures";

export default [
  {
    name: "a linter goes by the head's settings",
    file: "crates/git/src/shield.rs",
    find: String.raw`std::str::from_utf8(path).is_ok_and(is_linter_config)`,
    replace: String.raw`std::str::from_utf8(path).is_ok_and(|path| path.is_empty() && is_linter_config(path))`,
    test: SILENCE,
  },
  {
    name: "a program of the head stands in for a linter",
    file: "crates/git/src/shield.rs",
    find: String.raw`among(PACKAGE_FOLDERS) || among(PACKAGE_LISTS)`,
    replace: String.raw`among(PACKAGE_LISTS)`,
    test: SILENCE,
  },
  {
    name: "linters run where the user wants none",
    file: "crates/reviewers/src/linters.rs",
    find: String.raw`!self.config.get().linters || changed.is_empty()`,
    replace: String.raw`changed.is_empty()`,
    test: "-p collie-engine --test it linters::no_linter_runs_where_the_user_wants_none",
  },
  {
    name: "a linter that broke off has run",
    file: "crates/reviewers/src/linters.rs",
    find: String.raw`if !output.exit_code.is_some_and(|code| selected.ran(code)) {`,
    replace: String.raw`if output.exit_code.is_none() {`,
    test: "-p collie-engine --test it linters::a_linter_that_breaks_off_is_told_and_hinders_nothing",
  },
  {
    name: "what was there before is a finding",
    file: "crates/reviewers/src/linter_findings.rs",
    find: String.raw`diagnostics.retain(|found| is_on_changed_line(found, diff));`,
    replace: String.raw`let _ = (is_on_changed_line, diff);`,
    test: "-p collie-reviewers --lib linter_findings::tests::only_what_begins_on_a_changed_line_is_a_finding",
  },
  {
    name: "a linter floods the review",
    file: "crates/reviewers/src/linter_findings.rs",
    find: String.raw`diagnostics.truncate(MAX_FINDINGS);`,
    replace: String.raw`let _ = MAX_FINDINGS;`,
    test: "-p collie-reviewers --lib linter_findings::tests::no_linter_floods_the_review",
  },
  {
    name: "a fix brings a secret",
    file: "crates/reviewers/src/linter_findings.rs",
    find: String.raw`is_near && is_clean(&text) && is_clean(`,
    replace: String.raw`is_near && is_clean(`,
    test: "-p collie-reviewers --lib linter_findings::tests::a_fix_is_offered_where_it_is_near_small_and_without_a_secret",
  },
  {
    name: "a fix far from its finding is offered",
    file: "crates/reviewers/src/linter_findings.rs",
    find: String.raw`(first..=last).contains(&found.line) && last - first < MAX_FIX_LINES`,
    replace: String.raw`last - first < MAX_FIX_LINES`,
    test: "-p collie-reviewers --lib linter_findings::tests::a_fix_is_offered_where_it_is_near_small_and_without_a_secret",
  },
  {
    name: "offers of models are applied as linters' fixes",
    file: "crates/core/src/step/fix.rs",
    find: String.raw`issues.filter(|issue| issue.finding.source.kind == SourceType::Linter)`,
    replace: String.raw`issues.filter(|issue| issue.finding.source.kind != SourceType::Ci)`,
    test: "-p collie-core --lib step::linter_tests::the_fixer_is_given_the_fixes_of_linters_and_no_other_offers",
  },
  {
    name: "lines that changed meanwhile are replaced",
    file: "crates/rules/src/linter_fixes.rs",
    find: String.raw`let stands_there = lines.get(expected..expected + count).is_some_and(is_old);`,
    replace: String.raw`let stands_there = lines.get(expected..expected + count).is_some();`,
    test: "-p collie-rules --lib linter_fixes::tests::lines_are_replaced_where_they_still_are",
  },
  {
    name: "of two places that look alike the first is replaced",
    file: "crates/rules/src/linter_fixes.rs",
    find: String.raw`places.next().is_none().then_some(place)?`,
    replace: String.raw`place`,
    test: "-p collie-rules --lib linter_fixes::tests::lines_are_replaced_where_they_still_are",
  },
  {
    name: "the fixer passes the fixes of linters by",
    file: "crates/rules/src/fix_plan.rs",
    find: String.raw`let linter_fixes = fix_by_linters(contents, payload, &mut changed);`,
    replace: String.raw`let linter_fixes = fix_by_linters(&FileContents::new(), payload, &mut changed);`,
    test: FIXED,
  },
  {
    name: "fixes that ruff calls unsafe are taken",
    file: "crates/linters/src/formats/ruff.rs",
    find: String.raw`if fix.applicability.as_deref() != Some("safe") {`,
    replace: String.raw`if fix.applicability.is_none() {`,
    test: FIXTURES,
  },
  {
    name: "suggestions of Clippy that may be wrong are taken",
    file: "crates/linters/src/formats/cargo.rs",
    find: String.raw`span.suggestion_applicability.as_deref() == Some("MachineApplicable")`,
    replace: String.raw`span.suggestion_applicability.is_some()`,
    test: FIXTURES,
  },
  {
    name: "what ShellCheck would rewrite is taken as quotes",
    file: "crates/linters/src/formats/shellcheck.rs",
    find: String.raw`is_quote.then_some(Edit {`,
    replace: String.raw`(is_quote || !one.replacement.is_empty()).then_some(Edit {`,
    test: "-p collie-linters --lib formats::shellcheck::tests::only_quotes_around_a_variable_are_a_safe_fix",
  },
  {
    name: "fixes of every rule of ShellCheck are taken",
    file: "crates/linters/src/formats/shellcheck.rs",
    find: String.raw`.filter(|_| comment.code == UNQUOTED_VARIABLE)`,
    replace: String.raw`.filter(|_| comment.code <= UNQUOTED_VARIABLE)`,
    test: "-p collie-linters --lib formats::shellcheck::tests::only_quotes_around_a_variable_are_a_safe_fix",
  },
  {
    name: "a path leads out of the checkout",
    file: "crates/linters/src/source.rs",
    find: String.raw`Component::ParentDir => {
                    parts.pop()?;
                }`,
    replace: String.raw`Component::ParentDir => {}`,
    test: "-p collie-linters --lib source::tests::paths_stay_below_the_root",
  },
  {
    name: "a file's name is an option",
    file: "crates/linters/src/select.rs",
    find: String.raw`(Scope::Files, _) => files.map(|path| format!("./{path}")).collect(),`,
    replace: String.raw`(Scope::Files, _) => files.cloned().collect(),`,
    test: "-p collie-linters --test select",
  },
];
