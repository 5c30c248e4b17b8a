// Safeguards of what the rules claim and say, each taken away once, with the test that has to notice.

export default [
  // core: what is claimed
  {
    name: "rules alone count as somebody who has read the change",
    file: "crates/core/src/step/verdicts.rs",
    find: String.raw`Some(ReviewerKind::Rules | ReviewerKind::Human) => false,`,
    replace: String.raw`Some(ReviewerKind::Rules | ReviewerKind::Human) => true,`,
    test: "-p collie-core --lib step::verdicts_tests::where_only_rules_have_looked_nobody_has_read_the_change",
  },
  {
    name: "a model that looked at an earlier head has read this one",
    file: "crates/core/src/step/verdicts.rs",
    find: String.raw`line.verdict.is_some() && line.head.as_ref() == Some(&snapshot.head)`,
    replace: String.raw`line.verdict.is_some()`,
    test: "-p collie-core --lib step::verdicts_tests::a_model_that_looked_at_an_earlier_head_has_not_read_this_one",
  },
  {
    name: "changes requested at an earlier head have read this one",
    file: "crates/core/src/step/verdicts.rs",
    find: String.raw`review.verdict == ReviewVerdict::Approved
                || review.commit.as_ref() == Some(&snapshot.head)`,
    replace: String.raw`!matches!(review.verdict, ReviewVerdict::Commented)`,
    test: "-p collie-core --lib step::verdicts_tests::changes_that_a_person_requested_at_an_earlier_head_are_no_look_at_this_one",
  },
  {
    name: "a proof that stands keeps saying that nobody has read the change",
    file: "crates/core/src/step/decide.rs",
    find: String.raw`proof.unread = unread;`,
    replace: String.raw`let _ = (&proof, unread);`,
    test: "-p collie-core --lib step::verdicts_tests::what_is_ready_is_read_once_a_person_approves_it_and_no_longer_when_that_is_dismissed",
  },
  // core: what is pushed
  {
    name: "suggestions are pushed where nobody asked for it",
    file: "crates/core/src/step/fix.rs",
    find: String.raw`optional.iter().filter(|_| wanted)`,
    replace: String.raw`optional.iter().filter(|_| wanted || true)`,
    test: "-p collie-core --lib step::tests::suggestions_go_to_the_fixer_only_where_that_is_wanted",
  },
  {
    name: "fixes where the user wants a review alone",
    file: "crates/core/src/step/trust.rs",
    find: String.raw`if !self.state.run.configuration.policy.fix {`,
    replace: String.raw`if false {`,
    test: "-p collie-core --lib step::trust_tests",
  },
  {
    name: "a fix that is refused takes the others with it",
    file: "crates/rules/src/adapter.rs",
    find: String.raw`independent: true,`,
    replace: String.raw`independent: false,`,
    test: "-p collie-engine --test it independent_fixes",
  },
  {
    name: "a rule's fix is said to be the fix of a red check",
    file: "crates/rules/src/fix_plan.rs",
    find: String.raw`SourceType::Ci => note_codes::APPLIED_WHERE_NAMED,`,
    replace: String.raw`SourceType::Ci => note_codes::APPLIED,`,
    test: "-p collie-rules --lib fix_plan::tests::of_a_red_check_it_is_said_that_a_line_it_names_was_changed",
  },
  // rules: what is said
  {
    name: "broken syntax is told where a second parser reads the file",
    file: "crates/rules/src/syntax.rs",
    find: String.raw`opinion == SecondOpinion::Fails`,
    replace: String.raw`true || opinion == SecondOpinion::Fails`,
    test: "-p collie-rules --test it cases::every_rule_does_what_its_cases_say",
  },
  {
    name: "a hostile text overruns the stack of the second parser",
    file: "crates/rules/src/second_parser.rs",
    find: String.raw`const STACK_BYTES: usize = 4 << 30;`,
    replace: String.raw`const STACK_BYTES: usize = 2 << 20;`,
    test: "-p collie-rules --lib second_parser::tests::no_nesting_overruns_the_stack",
  },
  {
    name: "what a linter was told to be quiet about is told",
    file: "crates/rules/src/suppression.rs",
    find: String.raw`self.is_silenced(rule, lines) || self.is_meant(lines)`,
    replace: String.raw`self.is_meant(lines)`,
    test: "-p collie-rules --lib suppression::tests::directives_silence_the_rules_that_they_name_where_they_hold",
  },
  {
    name: "what a comment says is meant is told",
    file: "crates/rules/src/suppression.rs",
    find: String.raw`self.is_silenced(rule, lines) || self.is_meant(lines)`,
    replace: String.raw`self.is_silenced(rule, lines)`,
    test: "-p collie-rules --lib suppression::tests::a_comment_beside_the_code_that_says_so_shows_that_it_is_meant",
  },
  {
    name: "noqa for one thing silences another",
    file: "crates/rules/src/suppression.rs",
    find: String.raw`self.names.is_empty() || self.names.iter().any(is_it)`,
    replace: String.raw`true || self.names.iter().any(is_it)`,
    test: "-p collie-rules --lib suppression::tests::comments_for_linters_of_python_silence_the_rules_that_they_name",
  },
  {
    name: "a made-up token in a test is a secret",
    file: "crates/rules/src/secrets.rs",
    find: String.raw`Some(checksum == expected)`,
    replace: String.raw`Some(checksum == expected || true)`,
    test: "-p collie-rules --test it cases::every_rule_does_what_its_cases_say",
  },
  {
    name: "characters that turn the text around are read over",
    file: "crates/rules/src/bidi.rs",
    find: String.raw`matches!(character, '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')`,
    replace: String.raw`matches!(character, '\u{202a}')`,
    test: "-p collie-rules --test it cases::every_rule_does_what_its_cases_say",
  },
  {
    name: "a secret that the rules find stands in the terminal",
    file: "crates/cli/src/rules.rs",
    find: String.raw`let evidence = redact_keeping_lines(&found.evidence, &[]);`,
    replace: String.raw`let evidence = found.evidence.clone();`,
    test: "-p collie-cli --test it rules::a_secret_is_found_and_not_printed",
  },
  {
    name: "a rule that is shipped off speaks",
    file: "crates/rules/src/ruleset.rs",
    find: "rule.language == language && !rule.header.is_off()",
    replace: "rule.language == language",
    test: "-p collie-rules --test it repository_rules::a_severity_alone_weighs_a_shipped_rule_and_switches_on_one_that_is_off",
  },
  {
    name: "a form of a secret whose rule is off is told",
    file: "crates/rules/src/secrets.rs",
    find: String.raw`            .filter(|rule| !rule.header.is_off())
`,
    replace: "",
    test: "-p collie-rules --test it repository_rules::a_form_of_a_secret_whose_rule_is_off_is_told_by_no_other",
  },
  {
    name: "an override that is ended is let pass",
    file: "crates/rules/src/bidi.rs",
    find: String.raw`'\u{202d}' | '\u{202e}' => return false,`,
    replace: String.raw`'\u{202d}' | '\u{202e}' => open.push('\u{202c}'),`,
    test: "-p collie-rules --test it cases::every_rule_does_what_its_cases_say",
  },
  {
    name: "code that a literal turns around is let pass",
    file: "crates/rules/src/bidi.rs",
    find: String.raw`'\u{202b}' | '\u{2067}' if has_code => return false,`,
    replace: "",
    test: "-p collie-rules --test it cases::every_rule_does_what_its_cases_say",
  },
];
