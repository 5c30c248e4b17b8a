// Safeguards of `collie eval`, each taken away once, with the test that has to notice.

const inCli = (test) => `-p collie-cli --test it eval::${test}`;
const inEval = (test) => `-p collie-eval --test it ${test}`;

export default [
  {
    name: "a run goes on with what another one began",
    file: "crates/app/src/eval/results_file.rs",
    find: "Some(earlier) if earlier.header != header => return Err(known(ErrorCode::EvalOtherRun)),",
    replace: "",
    test: inCli("a_run_goes_on_where_it_ended_and_only_with_what_it_began_with"),
  },
  {
    name: "results are written over",
    file: "crates/app/src/eval/results_file.rs",
    find: "Ok(true) => return Err(known(ErrorCode::EvalExists)),",
    replace: "Ok(true) => None,",
    test: inCli("a_run_goes_on_where_it_ended_and_only_with_what_it_began_with"),
  },
  {
    name: "what is not recorded counts as answered",
    file: "crates/app/src/eval/run.rs",
    find: "Recording::Replay(folder) if outcome.missing => {",
    replace: "Recording::Replay(folder) if outcome.missing && folder.as_os_str().is_empty() => {",
    test: inCli("what_is_not_recorded_ends_a_replay"),
  },
  {
    name: "a run that was interrupted counts as whole",
    file: "crates/app/src/eval/run.rs",
    find: "_ if !over => Err(stopped(options, &results, total)),",
    replace: "_ if !over && results.cases.is_empty() => Err(stopped(options, &results, total)),",
    test: inCli("a_run_that_is_interrupted_keeps_what_is_done_and_is_resumed"),
  },
  {
    name: "what a stopped case came to is kept",
    file: "crates/app/src/eval/run.rs",
    find: "Ok(_) if self.stop.is_cancelled() => {}",
    replace: "Ok(_) if self.stop.is_cancelled() && done == usize::MAX => {}",
    test: inCli("a_run_that_is_interrupted_keeps_what_is_done_and_is_resumed"),
  },
  {
    name: "a model's verdict stands over a person's",
    file: "crates/eval/src/judging.rs",
    find: "            Judge::Hand => 2,",
    replace: "            Judge::Hand => 1,",
    test: inEval("judging::a_persons_verdict_stands_over_a_models_and_that_over_the_place"),
  },
  {
    name: "near is enough, whatever is said",
    file: "crates/eval/src/judging.rs",
    find: "Nearness::Near => shared >= 1,",
    replace: "Nearness::Near => true,",
    test: inEval("judging::place_and_words_find_the_fault_that_a_finding_names"),
  },
  {
    name: "the judge is shown faults of other files",
    file: "crates/eval/src/judging.rs",
    find: "nearness(&finding.file, finding.line, fault, 0) > Nearness::Elsewhere",
    replace: "nearness(&finding.file, finding.line, fault, 0) >= Nearness::Elsewhere",
    test: inEval("judging::a_judge_is_shown_what_may_be_the_fault_by_its_place_and_nothing_else"),
  },
  {
    name: "prompts of a folder are read and not asked",
    file: "crates/agents/src/prompting/prompts_in_use.rs",
    find: "text.map_or(shipped, String::as_str)",
    replace: "text.map_or(shipped, |_| shipped)",
    test: inCli("prompts_of_a_folder_are_asked_in_the_place_of_the_shipped_ones"),
  },
  {
    name: "the hash is that of the shipped prompts, whatever is asked",
    file: "crates/agents/src/prompting/prompts.rs",
    find: "add(template.name, text(template.name, template.shipped));",
    replace: "add(template.name, template.shipped);",
    test: "-p collie-agents --lib prompt_files::tests::a_word_in_any_prompt_is_another_version",
  },
  {
    name: "a prompt without one of its slots is asked",
    file: "crates/agents/src/prompting/prompt_files.rs",
    find: "let missing = slots.iter().filter(|slot| !found.contains(**slot));",
    replace: "let missing = slots.iter().take(0).filter(|slot| !found.contains(**slot));",
    test: inCli("a_folder_of_prompts_that_is_not_whole_is_refused_with_its_files"),
  },
];
