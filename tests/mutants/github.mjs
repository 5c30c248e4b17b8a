// Mutants of crates/github, crates/forge, the engine's poller, and of what core decides from readings: budgets, merge queue, markers, checks, bots.

const GITHUB = "-p collie-github --lib";
const GITHUB_IT = "-p collie-github --test it";
const CLI_IT = "-p collie-cli --test it";
const ENGINE = "-p collie-engine --lib";
const ENGINE_IT = "-p collie-engine --test it";
const FORGE_IT = "-p collie-forge --test it";
const CORE = "-p collie-core --lib";

export default [
  // What is asked costs: who pays, and until when is waited.
  {
    name: "a deep query counts as one point of Collie's budget",
    file: "crates/github/src/graphql.rs",
    find: String.raw`let more = parsed.cost().saturating_sub(1);`,
    replace: String.raw`let more = parsed.cost().saturating_mul(0);`,
    test: `${GITHUB_IT} polling::a_query_that_costs_more_than_a_point_is_counted_by_what_it_says`,
  },
  {
    name: "what a person asks for is charged to Collie's share",
    file: "crates/github/src/api_client.rs",
    find: String.raw`if self.payer == Payer::Collie {`,
    replace: String.raw`if true {`,
    test: `${GITHUB_IT} polling::what_a_poll_costs_is_counted_as_collies_unless_a_person_asked_for_it`,
  },
  {
    name: "an answer that nothing has changed (304) is charged",
    file: "crates/github/src/api_client.rs",
    find: String.raw`if response.status != 304 {`,
    replace: String.raw`if true {`,
    test: `${GITHUB_IT} polling::what_github_says_has_not_changed_costs_nothing`,
  },
  {
    name: "a spent GraphQL budget is waited for a minute, not until its reset",
    file: "crates/github/src/graphql.rs",
    find: String.raw`let until = api_fault::retry_at(headers, !is_burst, api.clock.now());`,
    replace: String.raw`let until = api_fault::retry_at(headers, false, api.clock.now());`,
    test: `${GITHUB_IT} polling::with_fewer_points_left_than_a_query_costs_the_wait_is_until_the_reset`,
  },
  {
    name: "a part of an answer that failed is taken for empty",
    file: "crates/github/src/graphql.rs",
    find: String.raw`error.path.first().and_then(Value::as_str) == Some(field)`,
    replace: String.raw`false`,
    test: `${GITHUB_IT} observe::an_answer_that_lacks_a_part_is_no_reading`,
  },

  // What a host does not know, what a token may not do, whose token it is.
  {
    name: "a field that was left out and is missed all the same is no error",
    file: "crates/github/src/host_schema.rs",
    find: String.raw`if !(added || is_one_of_many) {`,
    replace: String.raw`if known.is_none() {`,
    test: `${GITHUB} host_schema::tests::an_essential_field_and_one_that_was_left_out_already_are_errors`,
  },
  {
    name: "the scope for public repositories is enough for a private one",
    file: "crates/github/src/token_rights.rs",
    find: String.raw`let enough = if is_public { &wanted[..] } else { &wanted[..1] };`,
    replace: String.raw`let enough = &wanted[..];`,
    test: `${GITHUB} token_rights::tests::a_classic_token_needs_the_scope_that_the_repository_asks_for`,
  },
  {
    name: "any 403, such as single sign-on's, is told as a lacking permission",
    file: "crates/github/src/token_rights.rs",
    find: String.raw`Err(ApiFault::Forbidden(message)) if message.starts_with(LACKS_PERMISSION) => Some(false),`,
    replace: String.raw`Err(ApiFault::Forbidden(_)) => Some(false),`,
    test: `${GITHUB_IT} rights::only_github_s_own_words_say_that_a_permission_is_lacking`,
  },
  {
    name: "an outage at the question about a right is taken for an answer",
    file: "crates/github/src/token_rights.rs",
    find: String.raw`Err(fault) => return Err(fault),`,
    replace: String.raw`Err(_) => None,`,
    test: `${GITHUB_IT} rights::an_outage_says_nothing_about_a_permission`,
  },
  {
    name: "what one token may do counts for the next one",
    file: "crates/github/src/token_rights.rs",
    find: String.raw`        && known.token == token
`,
    replace: ``,
    test: `${GITHUB} token_rights::tests::what_one_token_may_do_says_nothing_of_another`,
  },
  {
    name: "the token of another account than github_account names is used",
    file: "crates/github/src/browse/account.rs",
    find: String.raw`Some(wanted) if *wanted != actor.login => Err(SignInError::OtherAccount {`,
    replace: String.raw`Some(wanted) if false && *wanted != actor.login => Err(SignInError::OtherAccount {`,
    test: `${CLI_IT} bad_input::the_token_of_another_account_than_the_one_that_is_named_is_not_used`,
  },
  {
    name: "the active account's token of gh stands in for the one that was named",
    file: "crates/github/src/credentials.rs",
    find: String.raw`if account.is_none()`,
    replace: String.raw`if true`,
    test: `${GITHUB} credentials::tests::the_account_that_is_named_is_the_one_whose_token_is_taken`,
  },

  // Redirects.
  {
    name: "the token goes along to where a log is stored",
    file: "crates/github/src/api_client.rs",
    find: String.raw`response = self.send_once(request, &elsewhere, None).await?;`,
    replace: String.raw`response = self.send_once(request, &elsewhere, Some(&self.token())).await?;`,
    test: `${GITHUB_IT} observe::a_failed_check_brings_its_annotations_and_log_which_are_fetched_once`,
  },
  {
    name: "a write follows a redirect to another host",
    file: "crates/github/src/api_client.rs",
    find: String.raw`} else if request.method == Method::GET && location.starts_with("http") {`,
    replace: String.raw`} else if location.starts_with("http") {`,
    test: `${GITHUB_IT} posting::a_write_to_a_renamed_repository_follows_it_on_the_same_host_only`,
  },
  {
    name: "a write follows a redirect that does not keep it a write (301 to 303)",
    file: "crates/github/src/api_client.rs",
    find: String.raw`request.method == Method::GET && matches!(response.status, 301..=303);`,
    replace: String.raw`matches!(response.status, 301..=303);`,
    test: `${GITHUB_IT} posting::a_write_does_not_follow_a_redirect_that_makes_a_reading_of_it`,
  },

  // One consistent reading.
  {
    name: "a head that moved while pages were read is not noticed",
    file: "crates/github/src/observe.rs",
    find: String.raw`if seen.head_ref_oid != draft.snapshot.head.as_str() {`,
    replace: String.raw`if false {`,
    test: `${GITHUB_IT} observe::a_head_that_moves_while_pages_are_read_throws_the_reading_away`,
  },
  {
    name: "further pages ask for no last look at the head",
    file: "crates/github/src/snapshot_builder.rs",
    find: String.raw`self.read_more = true;`,
    replace: String.raw`self.read_more = false;`,
    test: `${GITHUB_IT} observe::a_head_that_moves_while_pages_are_read_throws_the_reading_away`,
  },
  {
    name: "what hangs on the head is kept for another head",
    file: "crates/github/src/observe.rs",
    find: String.raw`seen.head() == read.cached.head.as_str() && seen.base_ref() == read.cached.base_ref;`,
    replace: String.raw`true;`,
    test: `${GITHUB_IT} polling::what_hangs_on_the_head_is_read_once_a_head`,
  },
  {
    name: "changed files are kept when the base branch is another",
    file: "crates/github/src/observe.rs",
    find: String.raw` && seen.base_ref() == read.cached.base_ref;`,
    replace: String.raw`;`,
    test: `${GITHUB_IT} polling::files_are_read_anew_where_the_base_branch_is_another`,
  },
  {
    name: "files of the head that was looked at are given to the one that came before the reading",
    file: "crates/github/src/snapshot_builder.rs",
    find: String.raw`        .filter(|known| known.head.as_str() == pull.facts.head_ref_oid)
`,
    replace: ``,
    test: `${GITHUB_IT} polling::files_that_were_not_asked_for_are_of_no_other_head_and_no_other_base`,
  },
  {
    name: "files against the base that was looked at are given to the one that came before the reading",
    file: "crates/github/src/snapshot_builder.rs",
    find: String.raw`        .filter(|known| known.base_ref == pull.facts.base_ref_name)
`,
    replace: ``,
    test: `${GITHUB_IT} polling::files_that_were_not_asked_for_are_of_no_other_head_and_no_other_base`,
  },
  {
    name: "a log or a word of the queue that is still to come is not asked for where a look shows nothing new",
    file: "crates/github/src/observe.rs",
    find: String.raw`if is_same && !read.read_all && !last.awaits_more {`,
    replace: String.raw`if is_same && !read.read_all {`,
    test: `${GITHUB_IT} polling::a_log_that_is_still_to_come_is_asked_for_though_a_look_shows_nothing_new`,
  },
  {
    name: "another repository that took the name is read",
    file: "crates/github/src/snapshot_builder.rs",
    find: String.raw`if node.id != pull.id.repo_id {`,
    replace: String.raw`if false {`,
    test: `${GITHUB_IT} observe::a_repository_that_took_the_name_of_another_is_not_it`,
  },
  {
    name: "a query that GitHub cannot answer is not split",
    file: "crates/github/src/query_batches.rs",
    find: String.raw`if !self.is_outage(&fault).await => {`,
    replace: String.raw`if false && !self.is_outage(&fault).await => {`,
    test: `${GITHUB_IT} client_on_forge::a_query_that_github_cannot_answer_is_split_and_only_who_is_to_blame_is_reported`,
  },

  // Posts, and what was posted.
  {
    name: "a token anywhere in a body of ours counts as posted",
    file: "crates/github/src/post.rs",
    find: String.raw`body.ends_with(&format!(`,
    replace: String.raw`body.contains(&format!(`,
    test: `${GITHUB_IT} posting::only_a_token_at_the_end_of_a_body_of_our_account_counts`,
  },
  {
    name: "a token in somebody else's body counts as posted",
    file: "crates/github/src/post.rs",
    find: String.raw`is_own && published && body`,
    replace: String.raw`published && body`,
    test: `${GITHUB_IT} posting::only_a_token_at_the_end_of_a_body_of_our_account_counts`,
  },

  // Checks, rules, forks, the queue, as GitHub tells them.
  {
    name: "a check that a ruleset asks of one app is met by any",
    file: "crates/github/src/branch_rules.rs",
    find: String.raw`app_id: one["integration_id"].as_u64(),`,
    replace: String.raw`app_id: None,`,
    test: `${GITHUB} branch_rules::tests::only_rules_that_stop_a_push_count_as_protection`,
  },
  {
    name: "a merge that GitHub blocks without a reason is not seen as blocked",
    file: "crates/github/src/snapshot_builder.rs",
    find: String.raw`&& pull.merge_state_status == "BLOCKED"`,
    replace: String.raw`&& false`,
    test: `${GITHUB} snapshot_builder::tests::a_blocked_merge_counts_for_those_who_may_merge_and_where_no_queue_does`,
  },
  {
    name: "a fork that is gone takes pushes",
    file: "crates/github/src/snapshot_builder.rs",
    find: String.raw`if !repo.is_some_and(|repo| takes_pushes || is_own(repo)) {`,
    replace: String.raw`if repo.is_some_and(|repo| !takes_pushes && !is_own(repo)) {`,
    test: `${GITHUB} snapshot_builder::tests::a_fork_is_read_only_unless_it_is_ones_own_or_lets_maintainers_in`,
  },
  {
    name: "a word of the merge queue that nobody knows is read as a person's doing",
    file: "crates/github/src/merge_queue.rs",
    find: String.raw`_ => RemovalReason::Unknown { word: word.into() },`,
    replace: String.raw`_ => RemovalReason::Manual,`,
    test: `${GITHUB} merge_queue::tests::each_word_of_the_timeline_and_of_the_webhook_is_read_and_others_stay_what_they_are`,
  },
  {
    name: "what was queued before is taken for the base, and a neighbour's red for the base's",
    file: "crates/github/src/merge_queue.rs",
    find: String.raw`on_base_branch: matches!(comparison.status.as_str(), "behind" | "identical"),`,
    replace: String.raw`on_base_branch: !comparison.status.is_empty(),`,
    test: `${ENGINE_IT} merge_queue::a_neighbour_s_red_is_not_fixed_and_waits_for_a_person`,
  },
  {
    name: "an ejection from before the head was made is told of this head",
    file: "crates/github/src/merge_queue.rs",
    find: String.raw`if head_date.is_some_and(|made| at < made) {`,
    replace: String.raw`if false {`,
    test: `${GITHUB_IT} observe::what_left_the_queue_before_the_head_was_made_was_another_head`,
  },
  {
    name: "a notice or warning of a check counts as what it failed with",
    file: "crates/github/src/check_evidence.rs",
    find: String.raw`.filter(|row| !matches!(row.annotation_level.as_deref(), Some("notice" | "warning")));`,
    replace: String.raw`.filter(|_| true);`,
    test: `${GITHUB_IT} observe::a_failed_check_brings_its_annotations_and_log_which_are_fetched_once`,
  },

  // The poller.
  {
    name: "what the budget does not pay is read all the same",
    file: "crates/engine/src/reading.rs",
    find: String.raw`let unpaid = by_itself.split_off(affordable);`,
    replace: String.raw`let unpaid = by_itself.split_off(affordable.max(by_itself.len()));`,
    test: `${ENGINE_IT} poll_budget::a_reading_that_nothing_is_left_for_waits_for_the_reset_and_the_work_goes_on`,
    note: "goes red when its wait of 120 s is over",
  },
  {
    name: "those that were read longest ago are not read first where not all can be paid",
    file: "crates/engine/src/poll.rs",
    find: String.raw`due.sort_by_key(|(last_read, _)| *last_read);`,
    replace: ``,
    test: `${ENGINE} poll::tests::those_that_were_read_longest_ago_come_first`,
  },
  {
    name: "what a person asks for waits for the budget too",
    file: "crates/engine/src/reading.rs",
    find: String.raw`due.into_iter().partition(|poll| poll.by_person);`,
    replace: String.raw`due.into_iter().partition(|_| false);`,
    test: `${ENGINE_IT} poll_budget::what_a_person_asks_for_is_read_though_nothing_is_left_of_collie_s_share`,
  },
  {
    name: "more than sixty percent of an hour is Collie's",
    file: "crates/core/src/poll_budget.rs",
    find: String.raw`pub const COLLIE_PERCENT: u64 = 60;`,
    replace: String.raw`pub const COLLIE_PERCENT: u64 = 70;`,
    test: `${CORE} poll_budget::tests::forty_percent_stay_for_the_person_of_the_hour_and_of_what_is_left`,
  },
  {
    name: "what is left after a person used much is Collie's to the last point",
    file: "crates/core/src/poll_budget.rs",
    find: String.raw`share.saturating_sub(self.used).min(left)`,
    replace: String.raw`share.saturating_sub(self.used).min(self.remaining)`,
    test: `${CORE} poll_budget::tests::forty_percent_stay_for_the_person_of_the_hour_and_of_what_is_left`,
  },
  {
    name: "the longer budget decides how many readings can be paid",
    file: "crates/core/src/poll_budget.rs",
    find: String.raw`budgets.iter().min_by_key(|budget| budget.affordable(now))`,
    replace: String.raw`budgets.iter().max_by_key(|budget| budget.affordable(now))`,
    test: `${CORE} poll_budget::tests::the_shorter_budget_decides_and_an_empty_one_waits_for_its_reset`,
  },

  // What the merge queue's ejections mean.
  {
    name: "a red that may be a neighbour's is taken for one's own",
    file: "crates/core/src/merge_queue.rs",
    find: String.raw`(false, false) => EjectionCause::UndecidedChecks,`,
    replace: String.raw`(false, false) => EjectionCause::OwnChecks,`,
    test: `${CORE} merge_queue_tests::each_failed_check_is_told_apart_by_its_head_and_by_what_it_was_built_on`,
  },
  {
    name: "an ejection of another head counts for this one",
    file: "crates/core/src/step/merge_queue.rs",
    find: String.raw`if is_known || is_older || is_of_other {`,
    replace: String.raw`if is_known || is_older {`,
    test: `${CORE} merge_queue_tests::an_ejection_of_an_earlier_head_is_none_of_this_one`,
  },
  {
    name: "a fix of what failed in the queue is confirmed by a look at the head",
    file: "crates/core/src/step/decide.rs",
    find: String.raw`.filter(|known| !known.is_of_queue())`,
    replace: String.raw`.filter(|_| true)`,
    test: `${CORE} merge_queue_tests::an_own_red_is_fixed_like_a_failed_check_and_its_fix_stays_a_claim`,
  },

  // Marker tokens.
  {
    name: "a token anywhere in a body makes it Collie's",
    file: "crates/core/src/text/comment_footer.rs",
    find: String.raw`    split_footer(body).map(|(_, _, token)| token)`,
    replace: String.raw`    let begin = body.rfind("<!-- collie-action:")?;
    let token = body[begin..].split(' ').nth(1)?;
    Some(ActionToken::new(token.strip_prefix("collie-action:")?))`,
    test: `${CORE} text::tests::a_token_counts_only_at_the_end_and_unquoted`,
  },
  {
    name: "a token that is quoted itself counts below a marker",
    file: "crates/core/src/text/comment_footer.rs",
    find: String.raw`    let token = line
        .strip_prefix("<!-- collie-action:")?
`,
    replace: String.raw`    let (_, token) = line.split_once("<!-- collie-action:")?;
    let token = token
`,
    test: `${CORE} text::tests::a_token_counts_only_at_the_end_and_unquoted`,
  },
  {
    name: "code that is quoted keeps a marker whole",
    file: "crates/core/src/text/neutralize.rs",
    find: String.raw`.replace("<!--", "<! --")`,
    replace: String.raw`.replace("<!--", "<!--")`,
    test: `${CORE} text::tests::a_marker_in_quoted_text_is_no_marker`,
  },
  {
    name: "a marker at the end of anybody's body makes it Collie's own",
    file: "crates/core/src/comments/author_role.rs",
    find: String.raw`if snapshot.may_be_own(author.id) && trailing_token(body).is_some() {`,
    replace: String.raw`if trailing_token(body).is_some() {`,
    test: `${CORE} authority_tests::collie_s_marker_below_somebody_else_s_words_does_not_make_them_collie_s`,
  },

  // Which check failed with what, and what became of the claim to have fixed it.
  {
    name: "a check that fails with something else has the same fault",
    file: "crates/core/src/identity.rs",
    find: String.raw`stands(known) && !failures.is_disjoint(&failure.failures)`,
    replace: String.raw`stands(known)`,
    test: `${CORE} checks_tests::a_check_that_fails_with_something_else_has_another_fault`,
  },
  {
    name: "what came back after it was confirmed as fixed is handed over again",
    file: "crates/core/src/step/review_results.rs",
    find: String.raw`        FindingStatus::Fixed => {
            known.status = FindingStatus::Stuck;`,
    replace: String.raw`        FindingStatus::Fixed => {
            known.status = FindingStatus::Open;`,
    test: `${CORE} checks_tests::a_check_that_fails_again_after_it_was_green_is_stuck`,
  },
  {
    name: "claims that do not hold are not counted",
    file: "crates/core/src/step/review_results.rs",
    find: String.raw`known.refuted_claims += u32::from(!is_progress);`,
    replace: String.raw`known.refuted_claims += u32::from(!is_progress && is_progress);`,
    test: `${CORE} checks_tests::a_check_that_is_still_red_goes_back_until_three_claims_are_used_up`,
  },
  {
    name: "fewer failures with a new one among them are progress",
    file: "crates/core/src/identity.rs",
    find: String.raw`
                && before.is_superset(&failure.failures),`,
    replace: String.raw`,`,
    test: `${CORE} checks_tests::fewer_failures_are_no_progress_where_one_of_them_is_new`,
  },
  {
    name: "a passed run of another event hides a red one",
    file: "crates/core/src/snapshot.rs",
    find: String.raw`event: workflow.map(|workflow| workflow.event.clone()),`,
    replace: String.raw`event: None,`,
    test: `${CORE} ci::tests::jobs_of_one_name_in_two_workflows_are_two_checks`,
  },
  {
    name: "a check of one app is an attempt at another app's of that name",
    file: "crates/core/src/snapshot.rs",
    find: String.raw`reporter: self.reporter.as_ref().map(|reporter| reporter.id),`,
    replace: String.raw`reporter: None,`,
    test: `${CORE} ci::tests::jobs_of_one_name_in_two_workflows_are_two_checks`,
  },
  {
    name: "a required check that names an app is met by anybody's of that name",
    file: "crates/core/src/snapshot.rs",
    find: String.raw`self.name == check.name && self.app_id.is_none_or(|app| check.app_id == Some(app))`,
    replace: String.raw`self.name == check.name`,
    test: `${CORE} checks_tests::a_required_check_that_names_an_app_is_met_by_that_app_alone`,
  },
  {
    name: "GitHub's own remark on a job is a finding in the file .github",
    file: "crates/core/src/check_failures.rs",
    find: String.raw` && annotation.path != ".github";`,
    replace: String.raw`;`,
    test: `${CORE} check_failures::tests::the_runner_s_own_words_are_no_failure`,
  },

  // What GitHub says of the merge, and readings that are late.
  {
    name: "what was known of another base makes ready",
    file: "crates/core/src/step/decide.rs",
    find: String.raw`known.base_ref == snapshot.base_ref && (is_ready || known.base == snapshot.base)`,
    replace: String.raw`known.base_ref == snapshot.base_ref`,
    test: `${CORE} merge_state_tests::nothing_becomes_ready_on_what_was_known_of_another_base`,
  },
  {
    name: "what was known of another base branch makes ready",
    file: "crates/core/src/step/decide.rs",
    find: String.raw`known.base_ref == snapshot.base_ref && (is_ready || known.base == snapshot.base)`,
    replace: String.raw`is_ready || known.base == snapshot.base`,
    test: `${CORE} merge_state_tests::what_was_known_of_one_base_branch_says_nothing_of_another`,
  },
  {
    name: "a merge that was blocked counts as free while GitHub computes it anew",
    file: "crates/core/src/step/decide.rs",
    find: String.raw`                known.blocked
`,
    replace: String.raw`                known.blocked && false
`,
    test: `${CORE} merge_state_tests::a_merge_that_github_blocks_without_a_word_is_not_ready`,
  },
  {
    name: "a conflict leaves standing that the merge was possible",
    file: "crates/core/src/step/observe.rs",
    find: String.raw`Mergeable::Conflicting => self.state.run.head.mergeability = None,`,
    replace: String.raw`Mergeable::Conflicting => {}`,
    test: `${CORE} merge_state_tests::what_was_known_before_a_conflict_counts_no_more_on_the_same_base`,
  },
  {
    name: "what was known of the merge of another head counts",
    file: "crates/core/src/step/observe.rs",
    find: String.raw`self.state.run.head.mergeability = None;`,
    replace: ``,
    test: `${CORE} merge_state_tests::what_was_known_of_the_merge_of_one_head_says_nothing_of_the_next`,
  },
  {
    name: "a reading that is older than the last one is taken",
    file: "crates/core/src/step/observe.rs",
    find: String.raw`if self.is_read_before(snapshot, polling.last_snapshot.at) {`,
    replace: String.raw`if self.is_read_before(snapshot, polling.last_snapshot.at.filter(|_| false)) {`,
    test: `${CORE} step::tests::late_duplicate_and_foreign_answers_are_harmless`,
  },
  {
    name: "a reading that began before a look was asked for is decided from",
    file: "crates/core/src/step/observe.rs",
    find: String.raw`if self.is_read_before(snapshot, polling.ignore_snapshots_before) {`,
    replace: String.raw`if self.is_read_before(snapshot, polling.ignore_snapshots_before.filter(|_| false)) {`,
    test: `${CORE} step::tests::a_reading_that_began_before_a_look_was_asked_for_is_not_decided_from`,
  },
  {
    name: "a reading from before our push is somebody's move",
    file: "crates/core/src/step/observe.rs",
    find: String.raw`let old = snapshot.head != head && self.state.run.head.replaced.contains(&snapshot.head);`,
    replace: String.raw`let old = false;`,
    test: `${CORE} step::tests::a_reading_from_before_our_push_is_no_move`,
  },

  // Bots.
  {
    name: "a bot is known by its name",
    file: "crates/core/src/bots.rs",
    find: String.raw`policy.bots.iter().find(|bot| bot.id == actor.id)`,
    replace: String.raw`policy.bots.iter().find(|bot| bot.login == actor.login)`,
    test: `${CORE} bot_tests::a_bot_is_known_by_its_account_under_any_name_and_no_other_account_by_a_bot_s`,
  },
  {
    name: "a placeholder of a bot is a review",
    file: "crates/core/src/bots/reading.rs",
    find: String.raw`return BotText::Placeholder;`,
    replace: String.raw`return BotText::Review;`,
    test: `${CORE} bot_tests::a_placeholder_is_no_review_and_its_edit_is_one`,
  },
  {
    name: "a bot that is out of quota is waited for as long as it says",
    file: "crates/core/src/step/bots.rs",
    find: String.raw`Some((view.id, until.min(most)))`,
    replace: String.raw`Some((view.id, until.max(most)))`,
    test: `${CORE} bot_tests::a_notice_is_waited_for_at_most_four_hours`,
  },
  {
    name: "a bot is asked again at each notice on one head",
    file: "crates/core/src/step/bots.rs",
    find: String.raw`let due = is_time && expected.contains(&view.id) && !self.was_asked(view.id, snapshot);`,
    replace: String.raw`let due = is_time && expected.contains(&view.id);`,
    test: `${CORE} bot_tests::a_notice_with_a_time_is_waited_for_and_the_bot_is_asked_once`,
  },

  // The forge: who gets in, forks that are gone, answers that are old.
  {
    name: "a request by another name of this address gets in",
    file: "crates/forge/src/request_guard.rs",
    find: String.raw`if !self.is_called_by_its_name(uri, headers) {`,
    replace: String.raw`if false && !self.is_called_by_its_name(uri, headers) {`,
    test: `${FORGE_IT} request_guard::no_foreign_request_gets_in`,
  },
  {
    name: "a request of another page gets in",
    file: "crates/forge/src/request_guard.rs",
    find: String.raw`if !self.is_from_no_other_page(headers) {`,
    replace: String.raw`if false && !self.is_from_no_other_page(headers) {`,
    test: `${FORGE_IT} request_guard::no_foreign_request_gets_in`,
  },
  {
    name: "the forge's own routes ask for no secret",
    file: "crates/forge/src/request_guard.rs",
    find: String.raw`if is_own_route(path) && !self.secret.is_carried_by(headers) {`,
    replace: String.raw`if false && !self.secret.is_carried_by(headers) {`,
    test: `${FORGE_IT} request_guard::no_foreign_request_gets_in`,
  },
  {
    name: "the secret of a run can be guessed",
    file: "crates/forge/src/request_guard.rs",
    find: String.raw`Self(hex::encode(rand::random::<[u8; SECRET_BYTES]>()))`,
    replace: String.raw`Self("0".repeat(2 * SECRET_BYTES))`,
    test: `${FORGE_IT} request_guard::no_foreign_request_gets_in`,
  },
  {
    name: "what is not sent as JSON gets in",
    file: "crates/forge/src/request_guard.rs",
    find: String.raw`if takes_json && has_body && !is_json(headers) && !is_untyped_api {`,
    replace: String.raw`if false && takes_json && has_body && !is_json(headers) && !is_untyped_api {`,
    test: `${FORGE_IT} request_guard::no_foreign_request_gets_in`,
  },
  {
    name: "a pull request does not outlive its fork",
    file: "crates/forge/src/actions/forks.rs",
    find: String.raw`Some(fork) if fork.deleted => Ok(Some(pull.head_sha.clone())),`,
    replace: String.raw`Some(fork) if fork.deleted => Ok(None),`,
    test: `${FORGE_IT} forks::a_pull_request_outlives_its_fork`,
  },
  {
    name: "a new fork of the same name is the one that was deleted",
    file: "crates/forge/src/actions/forks.rs",
    find: String.raw`head.is_some_and(|head| !head.deleted && head.repo == *fork)`,
    replace: String.raw`head.is_some_and(|head| head.repo == *fork)`,
    test: `${FORGE_IT} forks::what_a_fork_s_author_allowed_does_not_hold_for_the_next_fork_of_that_name`,
  },
  {
    name: "maintainers push to a fork whose author has not let them",
    file: "crates/forge/src/actions/forks.rs",
    find: String.raw`
                && head.is_some_and(|head| head.maintainer_can_modify)`,
    replace: ``,
    test: `${FORGE_IT} forks::maintainers_push_to_the_branch_of_a_fork_where_its_author_lets_them`,
  },
  {
    name: "a stale answer is the one of now",
    file: "crates/forge/src/faults/earlier_answers.rs",
    find: String.raw`.saturating_sub(1).saturating_sub(ago);`,
    replace: String.raw`.saturating_sub(1);`,
    test: `${FORGE_IT} faults::a_stale_answer_is_one_that_was_given_before`,
  },
];
