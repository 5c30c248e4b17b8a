// Safeguards around agents and models: MCP servers handed on, sessions gone on with, costs counted, keys kept where they belong. Each is taken
// away once, with the test that has to notice.

const SERVERS = "crates/agents/src/acp/mcp_servers.rs";
const OBSERVER = "crates/agents/src/acp/observer.rs";
const OPENING = "crates/agents/src/acp/session_opening.rs";
const FALLBACK = "crates/agents/src/llm/fallback.rs";
const SESSIONS = "crates/reviewers/src/saved_sessions.rs";
const COSTS = "crates/reviewers/src/turn_costs.rs";
const SETUP = "crates/reviewers/src/setup.rs";
const CONFIG = "crates/config/src/mcp_servers.rs";

const inAcp = (test) => `-p collie-agents --test acp choices::${test}`;
const inAgents = (test) => `-p collie-agents --lib acp::mcp_servers::tests::${test}`;
const inLlm = (test) => `-p collie-agents --test llm ${test}`;
const inReviewers = (test) => `-p collie-reviewers --lib ${test}`;
const inConfig = (test) => `-p collie-config --lib mcp_servers::tests::${test}`;

export default [
  {
    name: "a server goes to whoever is asked",
    file: SERVERS,
    find: "servers.filter(move |server| server.roles.contains(&role))",
    replace: "servers.filter(move |server| server.roles.contains(&role) || !server.roles.is_empty())",
    test: inAcp("a_server_is_handed_on_to_whom_the_user_names_and_as_the_agent_takes_it"),
  },
  {
    name: "one role's agent reaches what the other's servers reach",
    file: SERVERS,
    find: "of_role(&turn.spec, turn.role)\n        .flat_map(",
    replace: "turn.spec.mcp_servers.iter()\n        .flat_map(",
    test: inAcp("what_a_server_reaches_is_reached_by_its_role_alone"),
  },
  {
    name: "the proxy of a sandbox takes a port that is named",
    file: "crates/sandbox/src/relay.rs",
    find: "    let mut named = Vec::new();\n",
    replace: "    let _any = TcpListener::bind((Ipv4Addr::LOCALHOST, config.port))?;\n    let mut named = Vec::new();\n",
    test: "-p collie-sandbox --lib relay::tests::the_proxy_takes_none_of_the_ports_that_are_named",
  },
  {
    name: "one role's agent reads what the other's servers may read",
    file: SERVERS,
    find: "let servers: Vec<_> = of_role(&turn.spec, turn.role).collect();",
    replace: "let servers: Vec<_> = turn.spec.mcp_servers.iter().collect();",
    test: inAcp("a_server_that_is_a_program_runs_in_the_agents_sandbox"),
  },
  {
    name: "one role's agent may call the other's servers",
    file: SERVERS,
    find: "let servers = of_role(&self.spec, self.role);",
    replace: "let servers = self.spec.mcp_servers.iter();",
    test: inAcp("a_tool_of_a_server_is_allowed_and_a_command_that_calls_itself_so_is_not"),
  },
  {
    name: "a token of GitHub's goes to a server",
    file: SERVERS,
    find: "    if is_withheld(variable) {",
    replace: "    if is_withheld(variable) && variable.is_empty() {",
    test: inAgents("no_token_of_github_goes_to_a_server"),
  },
  {
    name: "a server gets the whole environment",
    file: SERVERS,
    find: ".env(names.iter().filter_map(variable).collect());",
    replace: ".env(names.iter().chain(env.keys()).filter_map(variable).collect());",
    test: inAcp("a_server_that_is_a_program_runs_in_the_agents_sandbox"),
  },
  {
    name: "a shell command passes for a server's tool",
    file: SERVERS,
    find: "let is_one_word = !title.contains(|c: char| c.is_whitespace() || c.is_control());",
    replace: "let is_one_word = !title.is_empty();",
    test: inAgents("a_call_is_of_a_server_only_by_the_names_that_agents_give_it"),
  },
  {
    name: "a reviewer changes files by a server's name",
    file: OBSERVER,
    find: "!is_write && titles.iter().any(",
    replace: "(!is_write || is_write) && titles.iter().any(",
    test: inAcp("a_tool_of_a_server_is_allowed_and_a_command_that_calls_itself_so_is_not"),
  },
  {
    name: "a session that goes on has no servers",
    file: OPENING,
    find: "ResumeSessionRequest::new(saved, cwd).mcp_servers(servers);",
    replace: "ResumeSessionRequest::new(saved, cwd).mcp_servers(Vec::from_iter(servers.first().cloned()));",
    test: inAcp("a_server_is_handed_on_to_whom_the_user_names_and_as_the_agent_takes_it"),
  },
  {
    name: "a repository's file names servers",
    file: "crates/config/src/layer.rs",
    find: 'for key in ["llm", "models", "agents", "mcp", "reviewers", "fixer"] {',
    replace: 'for key in ["llm", "models", "agents", "reviewers", "fixer"] {',
    test: inConfig("a_repository_names_no_server"),
  },
  {
    name: "a key stands in a server's command or address",
    file: CONFIG,
    find: "match redact(text, &[]) == text {",
    replace: "match redact(text, &[]) == text || !text.is_empty() {",
    test: inConfig("a_server_that_is_not_clear_is_refused_with_its_place"),
  },
  {
    name: "the file hands a token of GitHub's on to a server",
    file: CONFIG,
    find: "match is_withheld(&name) {",
    replace: "match is_withheld(&name) && name.is_empty() {",
    test: inConfig("a_server_that_is_not_clear_is_refused_with_its_place"),
  },
  {
    name: "what a server logs in with is no secret",
    file: SETUP,
    find: "        .chain(servers)\n",
    replace: "        .chain(servers.take(0))\n",
    test: inReviewers("setup::tests::what_a_server_logs_in_with_is_a_secret_that_is_known"),
  },
  {
    name: "a session of another agent is gone on with",
    file: SESSIONS,
    find: "known.filter(|known| known.agent == agent)",
    replace: "known.filter(|known| known.agent == agent || !agent.is_empty())",
    test: inReviewers("saved_sessions::tests::a_session_is_gone_on_with_by_its_agent_alone"),
  },
  {
    name: "an agent finds the home of another",
    file: SESSIONS,
    find: 'with_extension(format!("{agent}.kept"))',
    replace: 'with_extension(format!("{}.kept", agent.is_empty()))',
    test: inReviewers("saved_sessions::tests::no_agent_is_given_the_home_of_another_or_of_another_pull_request"),
  },
  {
    name: "a cancelled turn costs nothing",
    file: COSTS,
    find: "        if !self.has_ended {",
    replace: "        if !self.has_ended && std::thread::panicking() {",
    test: inReviewers("turn_costs::tests::a_turn_that_is_broken_off_costs_what_the_agent_has_told"),
  },
  {
    name: "a cancelled turn pays once more for the session that it went on with",
    file: COSTS,
    find: "            true => self.reported_before,",
    replace: "            true => self.reported_before.min(0),",
    test: inReviewers("turn_costs::tests::a_turn_that_is_broken_off_costs_what_the_agent_has_told"),
  },
  {
    name: "the turn after a cancelled one pays for it again",
    file: SESSIONS,
    find: "        cost_micros,\n        ..known",
    replace: "        cost_micros: known.cost_micros.min(cost_micros),\n        ..known",
    test: inReviewers("saved_sessions::tests::a_session_that_broke_off_is_remembered_with_what_it_had_cost_by_then"),
  },
  {
    name: "a turn pays once more for the session that it went on with",
    file: "crates/reviewers/src/usage.rs",
    find: "        Resumption::Resumed => reported_before,",
    replace: "        Resumption::Resumed => reported_before.min(0),",
    test: inReviewers("usage::tests::an_agent_that_does_not_say_what_it_cost_has_an_unknown_cost"),
  },
  {
    name: "a new session is paid for by the lost one",
    file: "crates/reviewers/src/usage.rs",
    find: "        Resumption::Fresh | Resumption::Lost { .. } => 0,",
    replace: "        Resumption::Fresh => 0,\n        Resumption::Lost { .. } => reported_before,",
    test: inReviewers("usage::tests::an_agent_that_does_not_say_what_it_cost_has_an_unknown_cost"),
  },
  {
    name: "a key of the keychain goes to another host",
    file: "crates/reviewers/src/keys.rs",
    find: 'Some(host) => format!("model:{provider}@{host}"),',
    replace: 'Some(_) => format!("model:{provider}"),',
    test: inReviewers("keys::tests::a_key_is_kept_for_its_provider_and_for_a_host_of_its_own"),
  },
  {
    name: "a redirect takes the key elsewhere",
    file: "crates/agents/src/llm/wire/mod.rs",
    find: ".redirect(reqwest::redirect::Policy::none())",
    replace: ".redirect(reqwest::redirect::Policy::limited(5))",
    test: inLlm("failures::a_redirect_takes_no_key_elsewhere"),
  },
  {
    name: "another model takes over a question that is wrong",
    file: FALLBACK,
    find: "            Self::RateLimited { .. } | Self::NoCredit { .. } =>",
    replace: "            Self::RateLimited { .. } | Self::NoCredit { .. } | Self::RequestRejected { .. } =>",
    test: inLlm("fallback::nobody_takes_over_what_is_wrong_with_the_question"),
  },
  {
    name: "another model takes over what was cancelled",
    file: FALLBACK,
    find: "            Self::RateLimited { .. } | Self::NoCredit { .. } =>",
    replace: "            Self::RateLimited { .. } | Self::NoCredit { .. } | Self::Cancelled { .. } =>",
    test: inLlm("fallback::what_was_cancelled_is_taken_over_by_nobody"),
  },
  {
    name: "a service that refuses the key is asked again each time",
    file: FALLBACK,
    find: "self.breakers.open(model, until, Some(reason));",
    replace: "self.breakers.open(model, until - breaker_time(failure), Some(reason));",
    test: inLlm("fallback::the_next_takes_over_from_one_that_is_down_out_of_quota_or_refuses_the_key"),
  },
  // Logins at Google.
  {
    name: "a token is used until it has ended",
    file: "crates/agents/src/llm/google_login/mod.rs",
    find: "now + RENEWED_BEFORE_END < self.ends_at",
    replace: "now < self.ends_at",
    test: inLlm("google_login::a_token_that_ends_soon_is_renewed_before_the_next_request"),
  },
  {
    name: "a token that was refused is used again",
    file: "crates/agents/src/llm/wire/mod.rs",
    find: "            login.drop_token(&token).await;",
    replace: "            let _ = (login, &token);",
    test: inLlm("google_login::a_token_that_the_service_refuses_is_not_used_again"),
  },
  {
    name: "any page is taken for a metadata server",
    file: "crates/agents/src/llm/wire/google_token.rs",
    find: "if is_metadata && !is_google(&response) {",
    replace: "if is_metadata && !is_google(&response) && status.is_server_error() {",
    test: inLlm("google_login::what_is_no_metadata_server_gives_no_token"),
  },
  {
    name: "a login is sent to whatever address its file names",
    file: "crates/agents/src/llm/google_login/credentials.rs",
    find: '(url.scheme() == "http" && is_local)',
    replace: '(url.scheme() == "http" && (is_local || !is_local))',
    test: "-p collie-agents --lib google_login::credentials::tests::a_file_that_is_no_login_says_what_is_wrong_with_it",
  },
  {
    name: "what a login holds may stand in a text",
    file: "crates/agents/src/llm/google_login/mod.rs",
    find: "        for secret in credentials.secrets() {\n            on_secret(secret);\n        }\n",
    replace: "",
    test: inReviewers("google_keys::tests::a_login_stands_for_a_key_and_tells_its_project"),
  },
  {
    name: "another login is taken where the one that is named cannot be used",
    file: "crates/reviewers/src/google_keys.rs",
    find: "    let text =\n        read.map_err(|error| unusable(settings, &path.display().to_string(), &error.to_string()))?;\n",
    replace: "    let Ok(text) = read else { return Ok(None) };\n",
    test: inReviewers("google_keys::tests::a_login_that_is_named_and_cannot_be_used_is_told_of_and_nothing_else_is_taken"),
  },
];
