// Safeguards of what is remembered of people's judgements, each taken away once, with the test that has to notice.

const CORE = "crates/core/src/review_memory.rs";
const REMEMBER = "crates/core/src/step/remember.rs";
const FILES = "crates/store/src/memory_files.rs";

const inCore = (test) => `-p collie-core --lib review_memory::tests::${test}`;
const inStep = (test) => `-p collie-core --lib remember_tests::${test}`;
const inStore = (test) => `-p collie-store --test store memory::${test}`;

export default [
  {
    name: "what was dismissed once is not raised again",
    file: CORE,
    find: "(entries.len() >= DISMISSALS_THAT_SILENCE).then_some(entries)",
    replace: "(!entries.is_empty()).then_some(entries)",
    test: inCore("what_was_dismissed_twice_in_other_words_is_silenced_and_once_is_not"),
  },
  {
    name: "one judgement counts as often as it is seen",
    file: CORE,
    find: "self.entries.iter_mut().find(|known| known.id == entry.id)",
    replace: "self.entries.iter_mut().find(|_| false)",
    test: inCore("the_same_judgement_seen_twice_counts_once"),
  },
  {
    name: "memory silences security",
    file: CORE,
    find: "SECURITY_PARTS.iter().any(|part| category.contains(part))",
    replace: "false",
    test: inCore("nothing_silences_security_or_what_must_not_be_merged"),
  },
  {
    name: "memory silences what must not be merged",
    file: CORE,
    find: "    finding.priority == Priority::P0\n        || ",
    replace: "    ",
    test: inCore("nothing_silences_security_or_what_must_not_be_merged"),
  },
  {
    name: "a secret is kept in the memory",
    file: CORE,
    find: "redact(text, &[]).chars().take(MAX_TEXT_CHARS).collect()",
    replace: "text.chars().take(MAX_TEXT_CHARS).collect::<String>().chars().chain(redact(\"\", &[]).chars()).collect()",
    test: inCore("no_secret_is_kept"),
  },
  {
    name: "what has expired is heeded",
    file: CORE,
    find: "self.expires_at.is_none_or(|end| now < end)",
    replace: "self.expires_at.is_none_or(|end| now < end || end <= now)",
    test: inCore("what_is_accepted_silences_nothing_and_what_has_expired_neither"),
  },
  {
    name: "what was accepted silences",
    file: CORE,
    find: "|entry: &&MemoryEntry| entry.verdict == MemoryVerdict::Dismissed",
    replace: "|entry: &&MemoryEntry| entry.verdict == MemoryVerdict::Dismissed || entry.verdict == MemoryVerdict::Accepted",
    test: inCore("what_is_accepted_silences_nothing_and_what_has_expired_neither"),
  },
  {
    name: "a word in common is the same finding",
    file: CORE,
    find: "overlap_permille(&said, &says) >= wanted",
    replace: "overlap_permille(&said, &says) >= wanted / 4",
    test: inCore("another_category_or_another_file_with_few_shared_words_is_another_thing"),
  },
  {
    name: "memory grows without bound",
    file: CORE,
    find: "self.entries.drain(..surplus);",
    replace: "self.entries.drain(..surplus.min(0));",
    test: inCore("the_oldest_go_when_there_are_too_many"),
  },
  {
    name: "a thread that Collie closed is a dismissal",
    file: REMEMBER,
    find: "if self.state.memory.resolved.contains(&thread.id) {",
    replace: "if self.state.memory.resolved.contains(&thread.id) && thread.comments.is_empty() {",
    test: inStep("what_collie_closed_itself_is_no_judgement_of_people"),
  },
  {
    name: "a stranger's word dismisses a finding",
    file: REMEMBER,
    find: String.raw`    (role == AuthorRole::Trusted).then_some(author)`,
    replace: String.raw`    (role != AuthorRole::Own).then_some(author)`,
    test: inStep("strangers_dismiss_nothing_by_word_or_by_closing"),
  },
  {
    name: "somebody's word counts for whoever closed the thread",
    file: REMEMBER,
    find: String.raw`reason.author.as_ref().filter(|author| author.id == by.id)?;`,
    replace: String.raw`reason.author.as_ref().filter(|_| !by.login.as_str().is_empty())?;`,
    test: inStep("strangers_dismiss_nothing_by_word_or_by_closing"),
  },
  {
    name: "an open thread dismisses",
    file: REMEMBER,
    find: "thread.resolved_by.as_ref().filter(|_| thread.resolved)?",
    replace: "thread.resolved_by.as_ref()?",
    test: inStep("a_thread_that_is_open_or_closed_without_a_word_dismisses_nothing"),
  },
  {
    name: "a judgement is written down at each look",
    file: REMEMBER,
    find: "if self.state.memory.remembered.insert(entry.id.clone()) {",
    replace: "if self.state.memory.remembered.insert(entry.id.clone()) || true {",
    test: inStep("a_finding_whose_thread_a_person_closed_with_a_reason_is_remembered_once_as_dismissed"),
  },
  {
    name: "a new repository of an old name inherits its memory",
    file: FILES,
    find: "Some(Some(owner)) if owner != key.id.repo_id => {}",
    replace: "Some(Some(owner)) if owner != key.id.repo_id && owner.is_empty() => {}",
    test: inStore("a_renamed_repository_keeps_its_memory_and_a_new_one_of_its_old_name_has_none"),
  },
  {
    name: "a file that was not understood is written over",
    file: FILES,
    find: "let mut memory = parse(&text, &shown)?;",
    replace: "let mut memory = parse(&text, &shown).unwrap_or_default();",
    test: inStore("a_file_that_cannot_be_understood_is_named_with_line_and_left_alone"),
  },
  {
    name: "a memory that cannot be read is passed over by the doctor",
    file: FILES,
    find: "errors.extend(read.and_then(|text| parse(&text, &path)).err());",
    replace: "errors.extend(read.err());",
    test: inStore("each_file_that_cannot_be_understood_is_named"),
  },
];
