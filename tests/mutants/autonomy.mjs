// Safeguards of how far Collie goes by itself (docs/decisions/0029), each taken away once, with the test that has to notice.

export default [
  {
    name: "a loop that observes writes",
    file: "crates/core/src/autonomy.rs",
    find: "(Autonomy::Observe, _) | (Autonomy::Ask, GitHubWrite::Push) => false,",
    replace: "(Autonomy::Ask, GitHubWrite::Push) => false,\n            (Autonomy::Observe, _) => true,",
    test: "-p collie-core --lib step::autonomy_tests::a_loop_that_observes_asks_for_no_write_and_shows_what_it_would_post_and_push",
  },
  {
    name: "at ask a push is made by itself",
    file: "crates/core/src/autonomy.rs",
    find: "(Autonomy::Observe, _) | (Autonomy::Ask, GitHubWrite::Push) => false,",
    replace: "(Autonomy::Observe, _) => false,\n            (Autonomy::Ask, GitHubWrite::Push) => true,",
    test: "-p collie-core --lib step::autonomy_tests::at_ask_it_posts_and_each_push_waits_for_a_person",
  },
  {
    name: "who approves a commit approves any",
    file: "crates/core/src/held.rs",
    find: "approved.is_some_and(|it| it.commit == asked.commit && it.head == asked.from)",
    replace: "approved.is_some() || asked.commit.as_str().is_empty()",
    test: "-p collie-core --lib step::autonomy_tests::a_commit_that_was_rebased_is_another_one_and_is_not_pushed",
  },
  {
    name: "an approval of what is not shown counts",
    file: "crates/core/src/step/autonomy.rs",
    find: "let waits = asks && is_it && is_head && self.state.run.state == State::PrFixing;",
    replace: "let waits = asks && self.state.run.state == State::PrFixing;",
    test: "-p collie-core --lib step::autonomy_tests::approval_is_of_one_commit_on_one_head_and_given_once",
  },
  {
    name: "the label does not count",
    file: "crates/core/src/step/autonomy.rs",
    find: "labels.any(|label| label.eq_ignore_ascii_case(OBSERVE_LABEL));",
    replace: "labels.any(|label| label == OBSERVE_LABEL) && false;",
    test: "-p collie-core --lib step::autonomy_tests::a_label_and_the_repository_only_lower_the_level",
  },
  {
    name: "what was made for another head is sent",
    file: "crates/core/src/step/autonomy.rs",
    find: "let of_another = |held: &Option<Sha>| held.as_ref().is_some_and(|of| of != head);",
    replace: "let of_another = |held: &Option<Sha>| held.as_ref().is_some_and(|of| of != head) && false;",
    test: "-p collie-core --lib step::autonomy_tests::what_was_held_for_a_head_that_is_gone_is_thrown_away_and_derived_anew",
  },
  {
    name: "nobody looks at the level again before a post",
    file: "crates/engine/src/post.rs",
    find: String.raw`        wait_until_allowed(host, &state.id, effect).await;
        wait_for_obstacle(host, state, effect).await;
        // The level may have been lowered meanwhile, or everything been paused.
        if host.may_do(&state.id, effect) {
            return;
        }`,
    replace: String.raw`        wait_for_obstacle(host, state, effect).await;
        if host.state(&state.id).is_none() || !effect.name().is_empty() {
            return;
        }`,
    test: "-p collie-engine --test it autonomy::a_post_that_was_asked_for_is_not_sent_once_it_only_observes",
  },
];
