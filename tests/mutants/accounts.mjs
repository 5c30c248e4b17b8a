// Safeguards around accounts of personas and GitHub Apps (§18.2): who speaks, whose words are feedback, what lies encrypted, what is renewed. Each is
// taken away once, with the test that has to notice.

const ROLE = "crates/core/src/comments/author_role.rs";
const PERSONAS = "crates/core/src/step/persona_reviews.rs";
const CLIENTS = "crates/github/src/account_clients.rs";
const POST = "crates/github/src/post.rs";
const SESSION = "crates/github/src/app_session.rs";
const KEY = "crates/app/src/accounts/key.rs";
const VAULT = "crates/app/src/accounts/vault.rs";

const inStep = (test) => `-p collie-core --lib persona_reviews_tests::${test}`;
const inGitHub = (test) => `-p collie-github --test it app_tokens::${test}`;
const inKey = (test) => `-p collie-app --lib accounts::key::tests::${test}`;
const inEngine = (test) => `-p collie-engine --test it accounts::${test}`;

export default [
  {
    name: "what an account of Collie's asks for is feedback",
    file: ROLE,
    find: "if snapshot.is_for_collie_alone(author.id) {",
    replace: "if false && snapshot.is_for_collie_alone(author.id) {",
    test: inStep("what_an_account_of_collies_asks_for_is_no_feedback"),
  },
  {
    name: "a persona requests changes though it may not",
    file: PERSONAS,
    find: "(Stance::Objects, _) if seat.account.may_request_changes && !requests => {",
    replace: "(Stance::Objects, _) if !requests => {",
    test: inStep("a_personas_comments_are_said_as_its_own_account_and_the_others_as_collies"),
  },
  {
    name: "a persona approves before the panel has",
    file: PERSONAS,
    find: "let is_time = requests || moment == PersonaMoment::PanelApproved;",
    replace: "let is_time = requests || moment == PersonaMoment::PanelApproved || seat.is_impartial;",
    test: inStep("it_approves_once_the_whole_panel_has_and_where_a_review_is_required"),
  },
  {
    name: "the account that merges approves",
    file: PERSONAS,
    find: "!is(Some(&snapshot.viewer)) && !is(snapshot.author.as_ref())",
    replace: "!is(snapshot.author.as_ref())",
    test: inStep("neither_the_account_that_merges_nor_the_author_approves_or_requests"),
  },
  {
    name: "a settled request for changes stands",
    file: PERSONAS,
    find: "(Stance::Approves, Some(review)) if requests => PersonaWord::TakeBack(review.id),",
    replace: "(Stance::Approves, Some(_)) if requests => PersonaWord::Nothing,",
    test: inStep("a_request_for_changes_is_made_once_and_taken_back_once_it_is_settled"),
  },
  {
    name: "an approval stands that is not held any more",
    file: PERSONAS,
    find: "(Stance::Objects, Some(review)) if approves => PersonaWord::TakeBack(review.id),",
    replace: "(Stance::Objects, Some(_)) if approves => PersonaWord::Nothing,",
    test: inStep("an_approval_that_it_does_not_hold_any_more_is_taken_back"),
  },
  {
    name: "whether a persona's post arrived is looked for under the main account",
    file: CLIENTS,
    find: "let own = known.into_iter().map(|own| own.id);",
    replace: "let own = known.into_iter().take(0).map(|own| own.id);",
    test: inEngine("a_crash_after_a_post_and_before_it_is_known_posts_no_persona_twice"),
  },
  {
    name: "a refused token of a persona is nobody's trouble",
    file: CLIENTS,
    find: "Err(GitHubError::Unauthorized { .. }) => Err(trouble(AccountProblem::Refused)),",
    replace: "refused @ Err(GitHubError::Unauthorized { .. }) => refused,",
    test: inEngine("a_token_that_is_refused_stops_its_posts_says_so_and_nobody_stands_in"),
  },
  {
    name: "the main account says what a persona has to say",
    file: "crates/github/src/client.rs",
    find: "Some(login) => self.accounts.post(self.host(), login, pull, rendered).await,",
    replace: "Some(_) => post::post(&self.api, pull, rendered).await,",
    test: inEngine("a_persona_requests_changes_and_approves_as_itself"),
  },
  {
    name: "a fix is pushed as the main account",
    file: "crates/git/src/push.rs",
    find: "git_command = git_command.signed_in_by(self.account_token(remote, login).await?);",
    replace: "drop(self.account_token(remote, login).await?);",
    test: inEngine("a_push_as_an_account_that_is_refused_waits_and_nobody_stands_in"),
  },
  {
    name: "a persona only ever comments",
    file: POST,
    find: 'ReviewEvent::Approve => "APPROVE",',
    replace: 'ReviewEvent::Approve => "COMMENT",',
    test: inEngine("a_persona_requests_changes_and_approves_as_itself"),
  },
  {
    name: "a row of one account opens as another's",
    file: KEY,
    find: 'format!("{host}\\n{}\\n{login}", id.0).into_bytes()',
    replace: 'format!("{}\\n{login}", id.0 + host.len() as u64 * 0).into_bytes()',
    test: inKey("a_token_is_opened_by_its_key_for_its_account_alone"),
  },
  {
    name: "a new key leaves the tokens under the old one",
    file: VAULT,
    find: "if !self.store.reseal_accounts(&resealed).await? {",
    replace: "if !self.store.reseal_accounts(&[]).await? {",
    test: inEngine("another_key_puts_all_tokens_under_it_and_the_old_one_opens_none"),
  },
  {
    name: "the token of an App is used until it is refused",
    file: SESSION,
    find: "let is_good = refused.is_some() || now.plus(RENEWAL_MARGIN_MS) < *end;",
    replace: "let is_good = refused.is_some() || now < end.plus(RENEWAL_MARGIN_MS);",
    test: inGitHub("an_installation_s_token_is_renewed_before_it_ends_and_after_it_was_refused"),
  },
  {
    name: "a clock that goes wrong is a wrong key",
    file: SESSION,
    find: "Err(ApiFault::Unauthorized) => self.make_app_token(app, scope, &mut installation).await,",
    replace: "Err(ApiFault::Unauthorized) => Err(ApiFault::Unauthorized),",
    test: inGitHub("a_clock_that_goes_wrong_is_no_wrong_key"),
  },
  {
    name: "an installation that is gone is asked for ever",
    file: SESSION,
    find: "*installation = None;",
    replace: "tracing::debug!(\"it is kept\");",
    test: inGitHub("an_app_that_cannot_act_says_why_and_acts_again_once_it_can"),
  },
  {
    name: "one token of an App serves all its repositories",
    file: SESSION,
    find: "repo.map(|repo| repo.to_string().to_ascii_lowercase())",
    replace: "repo.and(None)",
    test: inGitHub("each_repository_has_a_token_of_its_own_that_is_renewed_by_itself"),
  },
  {
    name: "the token of an App may all that the App may",
    file: "crates/github/src/app_tokens.rs",
    find: "if !levels.is_empty() {",
    replace: "if false {",
    test: inGitHub("a_token_has_what_collie_needs_as_far_as_the_app_was_granted_it"),
  },
  {
    name: "an App asks for what was taken away from it for ever",
    file: SESSION,
    find: "Err(ApiFault::Refused(_)) if !is_just_read => {",
    replace: "Err(ApiFault::Refused(_)) if false => {",
    test: inGitHub("a_token_has_what_collie_needs_as_far_as_the_app_was_granted_it"),
  },
];
