// Safeguards of the server for a team: who gets in, what each sees and does, which deliveries count. Each is taken away once, with the test that
// has to notice.

const GUARD = "crates/server/src/guard.rs";
const PEOPLE = "crates/server/src/people.rs";
const ACCESS = "crates/server/src/access.rs";
const VISIBILITY = "crates/server/src/visibility.rs";
const OPTIONS = "crates/server/src/options.rs";
const RING = "crates/server/src/event_ring.rs";
const API = "crates/server/src/api.rs";
const METRICS = "crates/server/src/metrics.rs";
const WEBHOOKS = "crates/server/src/webhooks/mod.rs";
const SIGNATURE = "crates/server/src/webhooks/signature.rs";
const DELIVERY = "crates/server/src/webhooks/delivery.rs";

const inLib = (test) => `-p collie-server --lib ${test}`;
const inOneProcess = (test) => `-p collie-server --test it ${test}`;
const inProcess = (test) => `-p collie-cli --test it serve::${test}`;

export default [
  {
    name: "an address that others reach needs no TLS",
    file: OPTIONS,
    find: "let is_protected = behind_proxy && is_secure;",
    replace: "let is_protected = behind_proxy || is_secure;",
    test: inLib("options::tests::another_address_than_loopback_needs_a_proxy_and_tls"),
  },
  {
    name: "another page's origin gets in",
    file: GUARD,
    find: "if !headers.get_all(header::ORIGIN).iter().all(is_own) {",
    replace: "if !headers.get_all(header::ORIGIN).iter().all(is_own) && origins.is_empty() {",
    test: inProcess("no_page_of_another_site_and_no_other_name_gets_in"),
  },
  {
    name: "a cookie is enough for a form of another site",
    file: GUARD,
    find: "if parts.method == Method::GET || parts.headers.contains_key(&REQUESTED_BY) {",
    replace: "if parts.method == Method::POST || parts.headers.contains_key(&REQUESTED_BY) {",
    test: inProcess("no_page_of_another_site_and_no_other_name_gets_in"),
  },
  {
    name: "a second cookie of the name is overlooked",
    file: PEOPLE,
    find: "ids.next().is_none().then_some(first)",
    replace: "Some(first)",
    test: inProcess("nobody_gets_in_without_a_token_that_github_knows_and_a_session_ends"),
  },
  {
    name: "who may read may write",
    file: ACCESS,
    find: "Ok(_) => Access::Read,",
    replace: "Ok(_) => Access::Write,",
    test: inProcess("each_person_sees_and_does_what_github_lets_them"),
  },
  {
    name: "an update of a repository that is not seen is told",
    file: VISIBILITY,
    find: "Update::Loop { key, .. } if is_visible(key) => Some(update.clone()),",
    replace: "Update::Loop { key, .. } if is_visible(key) || !key.is_empty() => Some(update.clone()),",
    test: inLib("visibility::tests::what_a_person_may_not_read_is_cut_out_of_what_they_are_told"),
  },
  {
    name: "a position of another run is taken for one of this",
    file: RING,
    find: "Some(missing) if position.run == self.run && missing <= kept.updates.len() => {",
    replace: "Some(missing) if missing <= kept.updates.len() => {",
    test: inLib("event_ring::tests::who_was_away_too_long_or_since_another_run_reads_everything_anew"),
  },
  {
    name: "an event is carried out again",
    file: API,
    find: "if !state.backend.was_seen(&id).await? {",
    replace: "if !state.backend.was_seen(&id).await? || !id.is_empty() {",
    test: inProcess("an_event_is_carried_out_once_whoever_repeats_it"),
  },
  {
    name: "a monitor is told names",
    file: METRICS,
    find: '_ => "page",',
    replace: '_ => Box::leak(path.to_owned().into_boxed_str()),',
    test: inProcess("monitors_are_told_numbers_and_no_names"),
  },
  {
    name: "an unsigned body is taken",
    file: WEBHOOKS,
    find: "if !signature::is_signed(secret, &signature, &body) {",
    replace: "if !signature::is_signed(secret, &signature, &body) && body.is_empty() {",
    test: inProcess("a_delivery_that_is_not_githubs_does_nothing"),
  },
  {
    name: "a part of a signature is enough",
    file: SIGNATURE,
    find: "mac.verify_slice(&given).is_ok()",
    replace: "mac.verify_truncated_left(&given).is_ok()",
    test: inLib("webhooks::signature::tests::a_signature_is_of_these_bytes_by_this_secret_alone"),
  },
  {
    name: "a delivery wakes loops of other repositories",
    file: DELIVERY,
    find: "state.id.repo_id == self.repo_id\n            && (",
    replace: "(state.id.repo_id == self.repo_id || !self.repo_id.is_empty())\n            && (",
    test: inLib("webhooks::delivery::tests::each_published_example_wakes_the_loop_that_it_is_about"),
  },
  {
    name: "a later account of an allowed name decides about the server",
    file: "crates/engine/src/loop_start.rs",
    find: "source.pin_account(login, id)? == id)",
    replace: "source.pin_account(login, id).map(|_| true)?)",
    test: "-p collie-cli --test it serve::a_later_account_of_an_allowed_name_decides_nothing",
  },
  {
    name: "a name that was taken anew shows what its first repository has",
    file: "crates/server/src/access.rs",
    find: "of_name.any(|state| state.id.repo_id != repo_id)",
    replace: "of_name.any(|_| false)",
    test: inLib("access::tests::a_name_that_was_taken_anew_is_another_repository"),
  },
  {
    name: "a token lies under a key that every session has",
    file: "crates/server/src/sealed_token.rs",
    find: "new_from_slice(id.as_bytes())",
    replace: 'new_from_slice(&id.as_bytes()[..0])',
    test: inLib("sealed_token::tests::only_the_id_of_the_session_opens_its_token_and_only_for_its_account"),
  },
  {
    name: "a clock that was turned back makes a session longer",
    file: PEOPLE,
    find: "let is_possible = now.plus(CLOCK_TOLERANCE_MS) >= kept.begun_at;",
    replace: "let is_possible = now.plus(CLOCK_TOLERANCE_MS) >= kept.begun_at || self.lifetime > Duration::ZERO;",
    test: inOneProcess("sign_in::a_clock_that_is_off_ends_sessions_early_and_never_late"),
  },
  {
    name: "a session comes back after its person signed out everywhere",
    file: PEOPLE,
    find: "let ended = EndedSessions::OfAccount(person.id);",
    replace: "let ended = EndedSessions::OfAccount(AccountId(person.id.0 + 1));",
    test: inOneProcess("sign_in::signing_out_everywhere_ends_every_browser_of_the_person_alone"),
  },
  {
    name: "a stream ends without a word when access is lost",
    file: "crates/server/src/events.rs",
    find: "self.ending = Some(Some(EndReason::AccessLost));",
    replace: "self.ending = Some(self.shown.is_empty().then_some(EndReason::AccessLost));",
    test: inOneProcess("streams::who_loses_access_in_the_middle_is_told_so_and_nothing_more"),
  },
  {
    name: "a delivery is remembered and nothing is read for it",
    file: WEBHOOKS,
    find: "if hint.concerns(&loop_state) {",
    replace: "if hint.concerns(&loop_state) && id.is_empty() {",
    test: inOneProcess("hooks::a_delivery_that_found_nobody_is_sent_again_and_taken_once"),
  },
  {
    name: "large bodies that arrive slowly hold up all others",
    file: "crates/server/src/webhooks/intake.rs",
    find: "true => &self.small,",
    replace: "true if LARGE_BODIES > 2 => &self.small,\n            true => &self.large,",
    test: "-p collie-cli --test it serve_faults::who_sends_slowly_holds_nobody_up_and_is_cut_off",
  },
  {
    name: "each word of a change has the pull request read",
    file: "crates/engine/src/reported.rs",
    find: "due.max(last.plus(GAP_MS))",
    replace: "due.max(last.plus(GAP_MS / 1_000_000))",
    test: "-p collie-engine --lib poll::tests::many_reported_changes_come_to_one_reading_and_none_is_forgotten",
  },
  {
    name: "a server starts with a token that GitHub does not accept",
    file: "crates/app/src/backend/team_host.rs",
    find: "Err(problem) if problem.code == ErrorCode::BadToken => {",
    replace: "Err(problem) if problem.code == ErrorCode::OtherAccount => {",
    test: "-p collie-cli --test it serve_faults::a_token_that_github_does_not_accept_is_told_at_the_start_with_what_to_do",
  },
];
