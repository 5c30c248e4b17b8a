# Errors, by their code (`ErrorCode`), in a sentence each; then what can be done about them (`ErrorHint`).

# GitHub, loops, the engine, the data folder, the demo.
problem-not_found = { $what } was not found on { $host }.
problem-unauthorized = { $host } no longer accepts the token.
problem-refused = { $host } refused: { $message }
problem-wait = { $host } asks Collie to wait until { $until }.
problem-unreachable = { $host } could not be reached: { $message }
problem-bad_token = { $host } does not accept this token.
problem-token_shape = This is not a token: tokens contain no spaces or line breaks.
problem-not_github = { $host } does not respond like GitHub: { $message }
problem-bad_url = { $url } cannot be used as an API address.
problem-no_token = No token found for { $host }.
problem-scopes = The token for { $host } lacks: { $scopes }.
problem-login_reused = @{ $login } is another account than the one that this name was allowed for.
problem-accounts_unusable = { $file } cannot be used: { $message }. It says whom the names of the configuration stand for.
problem-server_too_old = { $host } (version { $version }) does not know { $field }, which Collie needs.
problem-other_account = The token for { $host } is @{ $login }’s, and github_account names @{ $wanted }.
problem-account_unusable = { $problem ->
    [missing] No token of @{ $login } is kept: nothing was said as it.
    [refused] GitHub does not accept the token of @{ $login }.
    [no_access] @{ $login } may not see the repository.
   *[sealed] The token of @{ $login } cannot be decrypted.
}
problem-app_unusable = { $problem ->
    [key_refused] { $host } does not accept the key of the GitHub App.
    [suspended] The installation of the GitHub App on { $host } is suspended.
   *[not_installed] The GitHub App is not installed there on { $host }.
}
problem-app_key = The key of the GitHub App ({ $where }) cannot be used: { $message }.
problem-account_is_main = The token is that of @{ $login }, the account that Collie acts as and that merges: a persona needs an account of its own.
problem-account_mismatch = The token is that of @{ $found }, not of @{ $login }.
problem-account_unknown = No token of @{ $login } is kept for { $host }.
problem-account_no_key = There is no key to encrypt tokens with.
problem-account_key_unusable = The key for tokens of accounts ({ $where }) cannot be used: { $message }.
problem-account_sealed = The token of @{ $login } was encrypted with a key that is not at hand.
problem-accounts_changed = Tokens were changed while they were put under the new key: nothing was changed.
problem-denied = @{ $login } may not start loops: the account is not among the allowed users.
problem-ended = { $pull } has ended: { $state }.
problem-no_loop = { $pull } has no loop.
problem-no_run = { $pull } has no run { $run }: its last is { $count }.
problem-no_finding = { $pull } no longer has this finding.
problem-no_own_commit = { $commit } is no commit that Collie made in { $pull }.
problem-over = { $pull } has ended: { $state }. There is nothing left to do.
problem-busy = { $pull } is still in progress: { $state }.
problem-another_head = { $pull } is no longer at { $head }: look at what nobody was shown at its present head.
problem-no_memory_entry = Nothing with the id { $id } is remembered of { $repo }: `collie memory list { $repo }` shows the ids.
problem-nothing_unseen = { $pull } has nothing that a person has to look at.
problem-not_dismissable = “{ $title }” cannot be dismissed: a check has to pass, and what a person asked for has to be answered.
problem-ambiguous_finding = More than one finding begins with { $finding }: give more of its fingerprint.
problem-nothing_said = Say why, in a few words.
problem-no_push_waits = No push of { $pull } waits for your approval.
problem-another_push = What waits on { $pull } is another commit by now, { $commit }: look at that one.
problem-not_resumable = { $pull } cannot be resumed: { $state }.
problem-engine_refused = The running engine refused: { $cause }
problem-no_answer = The running engine has not answered yet.
problem-configuration = The configuration has an error:
    { $problems }
problem-settings_unreadable = { $file } cannot be read: { $message }
problem-settings_unwritable = { $file } cannot be written: { $message }
problem-settings_busy = Another program keeps changing { $file }. Nothing was saved.
problem-bad_since = { $value } names no time: expected a day as YYYY-MM-DD, days such as 30d, months such as 12m, or all
problem-file_not_saved = { $path } could not be written: { $message }
problem-disk_full = The disk with the data folder is full. Nothing was lost.
problem-newer = { $what } was written by a newer version of Collie (version { $found }, and this one knows { $known }).
problem-checkpoint_older = a later checkpoint of this loop is there
problem-checkpoint_unreadable = it cannot be read ({ $message })
problem-damaged = { $what } is damaged and was set aside; the log says more.
problem-store = The journal could not be used: { $message }
problem-owned = Another Collie (process { $pid }) is using the data folder { $folder }.
problem-folder = { $folder } cannot be used: { $message }
problem-no_home = There is no home folder to keep data in.
problem-sandbox_unsupported = There is no sandbox for { $system }, and nothing of a pull request is run without one.
problem-sandbox_missing = bubblewrap is not installed, and nothing of a pull request is run without a sandbox.
problem-sandbox_refused = The sandbox cannot be set up on this machine ({ $message }), and nothing of a pull request is run without one.
problem-sandbox_no_landlock = The kernel has no Landlock, a wall of the sandbox, and nothing of a pull request is run without it.
problem-sandbox_not_started = `{ $program }` could not be started in the sandbox: { $message }
problem-sandbox_disk_limit = A program of the pull request was ended: its folders held more than { $mb } megabytes together.
problem-prepare_failed = `{ $command }`, which prepares the verification, failed{ $message }.
problem-prepare_hosts_refused = `{ $command }`, which prepares the verification, failed{ $message }. It wanted to reach { $hosts }, which it may not.
problem-verify_needs_network = `{ $command }` failed, probably because verify commands have no network: { $message }
problem-config_reserved_command = `{ $name }` looks like a line that says what prepares the verification: write it without the bracket, or as `prepare`.
problem-no_git = git 2.38 or later is required: { $message }
problem-demo = The demo could not be opened: { $message }
problem-demo_has_no_token = The demo needs no token.
problem-demo_port = Another program is using port { $port }, which the demo needs.
problem-demo_open = The demo in { $folder } is open in another Collie.
problem-demo_root_used = { $folder } holds an earlier demo: choose another --root, or remove it.
problem-demo_differs =
    { $what ->
        [state] State
        [stop] Reason for stopping
        [pushes] Pushes by Collie
        [restarts] Restarts
        [head] Head that the loop is at
        [pull] State of the pull request
        [marker] Post without its marker
        [token] Posts with the token { $token }
        [comments] Comments by Collie
        [comment] Last comment
        [asked] Requests to the reviewer to look again
       *[other] { $what }
    }: { $found }; expected: { $expected }
problem-demo_timeout = It did not end within { $seconds } s.
problem-demo_waited = Somebody of the demo waited in vain for { $event }.
problem-demo_call_refused = { $login } could not call { $call } on the local forge: { $message }
problem-no_scenario = There is no scenario “{ $name }”.
problem-no_demo = The demo is not open.
problem-signed_out = Nobody is signed in.
problem-starting = Collie is still starting.
problem-login_unknown = GitHub has not said yet whose token this is.
problem-no_keychain = Collie found no keychain on this system.
problem-keychain_locked = The keychain is locked.
problem-keychain = The keychain reported an error: { $message }
problem-bad_name = “{ $name }” is neither OWNER/REPO nor OWNER/REPO#N.
problem-no_worktree = { $pull } has no worktree on this machine right now.
problem-no_page = There is no page for { $name }.
problem-opens_nothing = This window cannot open other programs.
problem-merge_elsewhere = Merging is only possible in the desktop window.
problem-merge_closed = The pull request is closed.
problem-merge_merged = The pull request is already merged.
problem-merge_draft = The pull request is a draft.
problem-merge_queued = The pull request is already in the merge queue.
problem-merge_by_queue = This branch merges through a merge queue.
problem-merge_auto = { $login } turned on auto-merge.
problem-merge_no_right = The signed-in account may not merge here.
problem-merge_conflict = The pull request conflicts with its base.
problem-merge_blocked = The branch rules are not met yet.
problem-merge_behind = The branch is out of date with its base, which must be merged in first.
problem-merge_no_method = The repository allows no merge method.
problem-answer = The answer could not be written: { $message }

# Why a merge was refused, beside those above.
problem-rate_limited = { $host } asks Collie to wait until { $until }.
problem-quitting = Collie is about to quit: nothing was merged.
problem-no_connection = The merge could not be prepared: { $cause }
problem-other_pull = The dialog was about another pull request. Open it again.
problem-not_ready = { $pull } is no longer ready. Wait until it is ready again.
problem-head_moved = { $pull } has new commits since you looked. Look at them, then decide again.
problem-draft = { $pull } is a draft. Mark it as ready for review on GitHub.
problem-closed = { $pull } is closed. Reopen it on GitHub if it is still wanted.
problem-already_merged = { $pull } is already merged. There is nothing left to do.
problem-conflict = { $pull } conflicts with its base. Resolve the conflict on the branch and push.
problem-checks_not_green = The checks of { $pull } are no longer green. Wait for them, or rerun them.
problem-blocked = The rules of the base branch block { $pull }. See the merge box on GitHub.
problem-behind = The branch of { $pull } must be up to date with its base. Update it on GitHub.
problem-mergeability_unknown = GitHub is still checking whether { $pull } can be merged. Try again in a moment.
problem-auto_merge_on = Auto-merge is on for { $pull }. Turn it off on GitHub, or let it do the merge.
problem-in_merge_queue = { $pull } is in the merge queue, which will merge it. To merge it another way, remove it from the queue on GitHub.
problem-stack_layer = { $pull } is a layer of a stack: its base { $base } is the branch of { $below }, which is still open. Merge { $below } first.
problem-base_changed = The base of { $pull } was { $saw } and is { $now } now. Wait until Collie has looked again, then decide again.
problem-queue_required = The base branch merges through a merge queue. Add { $pull } to the queue on GitHub.
problem-method_not_allowed = The repository does not allow this method. Choose another one.
problem-no_permission = { $login } may not merge { $pull }: { $message }. Ask for write access, or let somebody else merge.
problem-signed_in_as_another = The dialog showed { $confirmed }, but { $now } is signed in now. Open the dialog again.
problem-not_merged = { $host } gave no clear answer, and { $pull } is still open: { $message }. Merge again if it stays open.
problem-outcome_unknown = { $host } gave no clear answer: { $message }. Look at { $pull } on GitHub before you try again.
problem-unrecorded = The audit log could not be written: { $message }. Nothing was merged; fix that, then try again.

# The host.
problem-contract = The window and the program are of different versions ({ $message }): quit Collie and start it again.
problem-argument = Collie does not understand “{ $argument }”. Name a pull request by OWNER/REPO#N or by its address on GitHub.
problem-option_unknown = Collie has no option “{ $argument }”. Run collie-desktop --help to see its options.
problem-no_display = Collie needs a display to open its window, and found none.
problem-no_window = The window cannot be opened: { $message }
problem-not_opened = { $what } could not be opened: { $message }
problem-not_a_web_address = { $what } is not a web address and was not opened.

# git.
problem-git_failed = `git { $command }` failed in { $location }{ $message }.
problem-git_unreachable = The git remote did not answer{ $message }.
problem-head_mismatch = The branch is not at the head that GitHub shows.
problem-push_refused = The push was refused: { $message }
problem-diverged = The branch moved, and the fix does not apply on top of it.
problem-cancelled = It was cancelled.
problem-clone_failed = Collie’s clone of the repository could not be used{ $message }.
problem-checkout_too_large = The pull request was not checked out: its files take more than { $mb } megabytes together.
problem-checkout_too_many_files = The pull request was not checked out: it has more than { $count } files and folders.
problem-worktree_gone = The worktree is not there any more.
problem-invalid_remote = git is not asked for “{ $value }”: expected an https address without a login in it, or a branch name that git allows.
problem-base_merge_up_to_date = git finds nothing in the base that the branch does not have.
problem-base_merge_conflicts = git finds conflicts in { $files }.
problem-base_merge_unresolvable = These conflicts are not handed to an agent, since one side has deleted or renamed the file, it is no text, or agents take their settings from it: { $files }.
problem-base_merge_lines_lost = { $count ->
    [one] 1 line that one side added would be lost, and nothing says why: { $lines }
   *[other] { $count } lines that one side added would be lost, and nothing says why: { $lines }
}
problem-base_merge_refused = { $gate ->
    [gate_scope] The merge changes files that neither side changed: { $about }
    [gate_tamper] The merge weakens what checks the pull request: { $about }
    [gate_syntax] The merge breaks the syntax at { $about }
    [gate_secrets] The merge adds what looks like a secret at { $about }
    [gate_links] The merge leaves hard links, files that have another name elsewhere: { $about }
    [gate_conflicts] Conflict markers are left at { $about }
    [gate_verify] `{ $about }` failed after the merge.
   *[other] A check of the merge failed: { $about }
}
problem-base_merge_rejected = The fixer does not resolve the conflicts{ $message }.
problem-base_merge_declined = A person rejected the push of the merge.
problem-base_merge_not_verified = The merge does not pass the verify commands.

# Reviewers and fixers.
problem-review_deadline = The review did not end within { $deadline }.
problem-fix_deadline = The fix did not end within { $deadline }.
problem-budget_exceeded = { $unit ->
    [cost_micros] No model or agent was asked, since the budget does not pay for it: { $spent } of { $limit } are spent or reserved, and the question may cost up to { $needed }.
   *[tokens] No model or agent was asked, since the budget of { $limit } tokens without a price is used up: { $spent } are spent.
}
problem-session_panicked = The session broke off because of a fault in Collie; the log says more.
problem-result_without_findings = The result of { $agent } requests changes but has no finding.
problem-result_for_another_pull = The result is for pull request { $got }, not for { $expected }.
problem-result_finding_invalid = The finding “{ $id }” in the result is not valid: { $fault }.
problem-result_unbalanced = The result must answer each of { $asked } findings once: “{ $id }” { $fault }.
problem-result_bad_sha = “{ $text }” in the result is not a commit id.
result-fault-no_id = it has no id
result-fault-duplicate_id = its id is used twice
result-fault-no_title = it has no title
result-fault-line_zero = lines count from 1
result-fault-missing = is missing
result-fault-twice = is answered twice
result-fault-unknown = was not asked for
problem-persona_without_runner = { $name } has nothing to run on: set up [llm] with `provider` and `model`, or an agent as `runs_on` of [fixer].
problem-persona_without_model = { $name } runs on the language model, and none is set up: [llm] needs `provider` and `model`.
problem-persona_unknown = There is no persona “{ $name }”: write it as personas/{ $name }.md in the data folder, or as .collie/personas/{ $name }.md in the repository.
problem-persona_no_front_matter = { $path }, line 1: no front matter: expected `---`, then lines such as `name: quinn`, then `---`, then how the persona reviews.
problem-persona_not_yaml = { $path }, line { $line }: { $message }
problem-persona_unknown_key = { $path }, line { $line }, `{ $key }`: unknown key; known keys are { $known }{ $nearest }
problem-persona_bad_value = { $path }, line { $line }, `{ $key }`: { $found } is not valid: expected { $expected }{ $nearest }
problem-persona_missing_key = { $path }: `{ $key }` is missing: expected { $expected }.
problem-persona_bad_body = { $path }: { $found } characters below the front matter: expected how this persona reviews, in 1 to 8000 characters.
persona-expected-name = a word of lower-case letters, digits and `-`, at most 40 characters, such as `quinn`
persona-expected-title = a line of at most 80 characters, such as `quality reviewer`
persona-expected-focus = a line of at most 300 characters that says what this persona looks at
persona-expected-may_escalate_to = a list of personas that exist, such as `[sam]`
problem-personas_unreadable = The folder { $folder } cannot be read: { $message }
problem-rules_unreadable = { $path } cannot be read: { $message }
problem-no_rules = There are no rule files in { $path }: a rule is a .yml file, as `collie help rules` and the guide to rules show.
problem-rule_unknown = There is no rule “{ $name }”; `collie rules list` shows them all{ $nearest }
problem-provider_unknown = “{ $name }” is not a provider of language models: expected one of { $known }{ $nearest }
problem-prices_invalid = prices.toml in the data folder cannot be used: { $message }
problem-agent_unknown = Collie does not know the agent { $name }: set it up as [agents.{ $name }] with its `command`.
problem-budget_too_small = The task alone takes { $needed } tokens, and { $budget } are allowed: raise `context_tokens` of [llm], choose a model that reads more, or split the pull request.
problem-pull_unread = { $pull } could not be read for the review; the log says more.
problem-human_not_dispatched = { $name } is a person, and people are not dispatched.
problem-agent_no_account = { $agent } did not say what it did, even when asked again.
problem-agent_shape = { $agent } did not answer in the form asked for, even when asked to correct it.
problem-rules_panicked = The built-in rules broke off because of a fault in Collie{ $message }.
problem-path_outside = { $path } is not inside the worktree.
problem-fix_unwritten = { $path } could not be written{ $message }.

# Language models.
problem-llm_no_key = There is no key for { $model }: set { $variables }, or enter one in the settings.
problem-llm_no_model = No model is chosen: pick one from the list of the provider, or type its name.
problem-llm_key_shape = That is not a key: a key is one line of letters, digits and signs without blanks. Copy it again.
problem-llm_key_named = The settings take the key of { $provider } from a variable or a command: clear key variable and key command to type one here.
problem-llm_key_command = The key of { $model } could not be had from { $program }{ $message }: run it in a terminal, or set `key_variable`.
problem-llm_login_unusable = The Google login of { $origin } cannot be used for { $model }{ $message }: create it again with `gcloud auth application-default login`, or let GOOGLE_APPLICATION_CREDENTIALS name the key file of a service account.
problem-llm_login_refused = { $service } gave no token for { $model } on the login of { $origin }{ $message }: sign in again with `gcloud auth application-default login`, or use another key file.
problem-llm_login_unanswered = { $service } could not be asked for a token for { $model } on the login of { $origin }{ $message }: check the network, then try again.
problem-llm_no_header = The header { $name } of { $model } needs the environment variable { $variable }, which is not set.
problem-llm_bad_address = { $model } has no address that can be asked{ $message }: give an http or https address, such as http://localhost:8000/v1.
problem-llm_not_listed = { $model } has no list of its models: its own console names them.
problem-models_none = No language model is set up: name a provider with --provider, or set up [llm] in config.toml.
problem-models_unnamed = Which model is to be tested? Name it with --model; `collie models --provider NAME` lists them where the provider does.
problem-llm_bad_schema = The schema { $name } cannot be used{ $message }.
problem-llm_unauthorized = { $model } does not accept the key{ $message }: check it, or create a new one.
problem-llm_no_credit = The account behind { $model } has no credit left{ $message }: add some, or choose another model.
problem-llm_model_not_found = { $model } does not exist there{ $message }: check the model’s name and the address.
problem-llm_rate_limited = { $model } takes no more requests for now{ $message }: wait { $wait }, or choose another model.
problem-llm_context_too_long = The request is too long for { $model }{ $message }, also when asked with half as much: lower `context_tokens` of [llm], or choose a model with a larger context.
problem-llm_prompt_cut = { $model } read { $read } of about { $sent } tokens of the request, so its answer does not count: give the service a larger context, choose a model that has one, or lower `context_tokens` of [llm].
problem-llm_refused = { $model } refused to answer{ $message }: choose another model.
problem-llm_request_rejected = { $model } did not take the request (status { $status }){ $message }: check temperature, maximum tokens and the address.
problem-llm_unavailable = { $model } is out of order{ $message }: try again later.
problem-llm_unreachable = { $model } could not be reached{ $message }: check the address and the network, and that the service is running.
problem-llm_stream_interrupted = The answer of { $model } broke off{ $message }: try again later.
problem-llm_max_tokens_reached = The answer of { $model } is longer than { $max } tokens, thinking included: raise `max_tokens` of [llm].
problem-llm_empty_answer = { $model } gave an empty answer: try again, or choose another model.
problem-llm_schema_mismatch = { $model } did not answer in the form asked for, even when asked to correct it ({ $count ->
    [one] 1 deviation
   *[other] { $count } deviations
}): choose another model.
problem-llm_deadline_exceeded = { $model } did not answer within { $after }: try again, or allow more time.
problem-llm_cancelled = The request to { $model } was cancelled.
llm-own-limit = the model’s own maximum of
duration-a-while = a while

# Coding agents.
problem-agent_program_not_found = { $agent }: there is no program `{ $program }`: install it where PATH finds it, or give its command in the settings.
problem-agent_not_started = { $agent }: `{ $program }` could not be started{ $message }.
problem-agent_unsupported_protocol = { $agent } speaks version { $offered } of ACP, and Collie speaks version 1: install a version of it that speaks 1.
problem-agent_login_required = { $agent } requires a login{ $methods }{ $message }: log in with its own command, or set its API key.
problem-agent_invalid_response = { $agent } gave an answer to { $step } that breaks the protocol{ $message }: update it, and report it to its makers if that does not help.
problem-agent_idle_timeout = { $agent } sent nothing for { $after } during { $step } and was ended{ $message }.
problem-agent_deadline_exceeded = { $agent } was not done after { $after }, during { $step }, and was ended{ $message }: give it less to do, or more time in the settings.
problem-agent_too_much_output = { $agent } sent more than { $bound } bytes and was ended.
problem-agent_process_exited = { $agent } ended during { $step }, { $status }{ $message }: start it in a terminal to see why.
problem-agent_refused = { $agent } refused { $step } with error { $error }: { $message }{ $stderr }
problem-agent_cancelled = { $agent } was cancelled.

# `collie review`.
problem-review_checkout = { $pull } could not be checked out: { $cause }
problem-review_not_open = { $pull } is { $state ->
    [draft] a draft
    [merged] merged
   *[closed] closed
}: only an open pull request is reviewed.
problem-review_denied = { $pull }: @{ $login } may not post reviews here, because that account is not among the allowed users.
problem-review_pending = { $pull }: @{ $login } has a review there that is not submitted, and GitHub takes no other beside it: submit or discard it, then start again.
problem-review_policy = { $pull }: the configuration at its base cannot be used: { $cause }
problem-review_failed = { $reviewer } could not review { $pull }: { $cause }
problem-review_stopped = The review of { $pull } was stopped; nothing was posted.
problem-review_no_model = No language model is set up for these flags: name one with --llm-provider and --model, or in [llm] of config.toml.
problem-action_environment = The variable { $name } is not set: `collie action` runs in a GitHub workflow, whose runner sets it.
problem-action_event = The event of the workflow in { $path } cannot be used: { $message }
problem-action_no_pull = The event `{ $event }` is not about a pull request.
problem-mcp_client = The MCP client broke the connection: { $message }
problem-mcp_read_only = This MCP server was started with --read-only: it changes nothing.
problem-no_proof = { $pull } has no proof yet: it is not ready to merge.

# The command line and the local forge.
problem-usage = { $cause }
problem-usage_line = Usage: { $usage }
problem-usage_unknown_argument = Collie does not know the argument `{ $arg }`{ $nearest }
problem-usage_unknown_command = Collie does not know the command `{ $name }`{ $nearest }
problem-usage_invalid_value = “{ $value }” is not a value of { $arg }: expected one of { $known }{ $nearest }
problem-usage_bad_value = “{ $value }” is not a valid value of { $arg }.
problem-usage_missing = These arguments are missing: { $args }
problem-usage_missing_command = A command is missing: expected one of { $known }.
problem-usage_missing_value = { $arg } needs a value.
problem-usage_conflict = { $arg } cannot be used together with { $other }.
problem-usage_other = Collie does not understand this command line.
problem-no_threads = No threads can be started: { $message }
problem-forge = The local forge: { $message }

# Evaluations.
problem-eval_set_syntax = { $place }: { $value }
problem-eval_set_empty = { $place }: there is no case; a set has at least one `[[case]]`.
problem-eval_set_duplicate = { $place }: `{ $value }` is there twice; each case, and each fault of a case, needs a name of its own.
problem-eval_set_bad_id = { $place }: `{ $value }` cannot be a name: take letters, digits, `-`, `_` and `.`.
problem-eval_set_bad_sha = { $place }: `{ $value }` is no commit id; it has 40 or 64 hex digits.
problem-eval_set_bad_repository = { $place }: `{ $value }` is neither OWNER/REPO nor the address of a pull request on github.com.
problem-eval_set_bad_lines = { $place }: lines are two numbers from 1, the smaller first, such as [12, 14].
problem-eval_set_bad_path = { $place }: `{ $value }` is no path inside the repository.
problem-eval_set_no_change = { $place }: a case has either `base` and `head`, or `folder`, or `pull`.
problem-eval_set_clean_or_faulty = { $place }: a case has either faults (`[[case.fault]]`) or `clean = true`.
problem-eval_set_lines_without_file = { $place }: lines need a `file`.
problem-eval_set_empty_text = { $place }: it is empty; say in a sentence what is wrong.
problem-eval_results_invalid = { $file }, line { $line }: these are no results of `collie eval run`: { $message }
problem-eval_file = { $file } cannot be used: { $message }
problem-eval_exists = { $file } is there already: continue it with --resume, or name another file with --out.
problem-eval_other_run = { $file } is of another set, persona, model or prompts than those asked for: name another file with --out.
problem-eval_no_clones = Cases such as { $case } need clones: name the folder that holds them with --clones; { $repository } is looked for there as OWNER/REPO, OWNER+REPO or REPO.
problem-eval_no_clone = { $count ->
    [one] { $folder } has no clone of { $repositories }: clone it there (`git clone https://github.com/OWNER/REPO OWNER+REPO`).
   *[other] { $folder } has no clones of { $count } repositories: { $repositories }. Clone them there (`git clone https://github.com/OWNER/REPO OWNER+REPO`).
}
problem-eval_no_commit = The clone { $folder } lacks the commit { $commit } of { $case }: fetch it (`git fetch origin { $commit }`).
problem-eval_no_pull = The clone { $folder } lacks the head of pull request { $number }: fetch it (`git fetch origin refs/pull/{ $number }/head:refs/pull/{ $number }/head`).
problem-eval_git = { $case } could not be set up: git says: { $message }
problem-eval_no_case = There is no case `{ $case }` in the set { $set }.
problem-eval_not_recorded = { $case } asked something that { $folder } has no answer to: prompts, model or code have changed since it was recorded. Record once more with --record.
problem-eval_recorder = Answers cannot be recorded or replayed: { $message }
problem-eval_no_model = --record and --replay are for language models: { $persona } does not run on one. Name one with --llm-provider and --model.
problem-eval_judge_no_model = A judge that is a language model needs one: name it with --llm-provider and --model, or set one up under [llm].
problem-eval_judge_failed = { $case } could not be judged: { $cause }
problem-eval_stopped = Stopped after { $done } of { $total } runs; what was done is in { $file }. Continue with --resume.
problem-eval_over_budget = Stopped after { $done } of { $total } runs; what was done is in { $file }. Continue with --resume once there is room. { $cause }
problem-eval_cases_failed = { $failed } of { $total } runs failed; { $file } says why, line by line. Run them once more with --resume.
problem-eval_nothing_in_common = { $first } and { $second } have no case in common: compare runs of one set.
problem-eval_prompts_invalid = The prompts in { $folder } cannot be used. `collie eval prompts DIR` writes a folder of the shipped ones, to begin with.
problem-eval_prompt_unknown = { $file }: no prompt is called so{ $nearest }
problem-eval_prompt_missing = { $file }: it is missing; a folder of prompts has all of them.
problem-eval_prompt_empty = { $file }: it is empty.
problem-eval_prompt_missing_slot = { $file }: the slot { "{{" }{ $slot }{ "}}" } is missing, so that what belongs there would reach no model.
problem-eval_prompt_unknown_slot = { $file }: nothing fills the slot { "{{" }{ $slot }{ "}}" }.
problem-eval_prompt_other_persona = { $file }: it describes the persona { $name }; a file has the name of its persona.
problem-eval_prompts_unused = `rules` is asked no prompt: leave --prompts out, or name a persona.

# What stands in brackets after a sentence's words.
problem-aside = { " " }({ $words })
problem-nearest = ; did you mean `{ $words }`?

# What an earlier version wrote down.
problem-recorded = { $message }

# What is wrong in a configuration.
problem-config_problem = { $place }: { $wrong }
problem-config_invalid_toml = invalid TOML: { $message }
problem-config_not_utf8 = not UTF-8 after byte { $byte }
problem-config_unreadable = cannot be read: { $message }
problem-config_unknown_key_near = unknown key{ $nearest }
problem-config_unknown_key = unknown key; known keys are { $known }
problem-config_user_file_only = only the user’s own config.toml may set this
problem-config_user_file_only_bots = only the user’s own config.toml may name bots, since what they say is trusted
problem-config_user_file_only_repositories = only the user’s own config.toml may list repositories, since it says where loops start by themselves
problem-config_user_file_only_desktop = only the user’s own config.toml may configure the desktop app
problem-config_user_file_only_models = only the user’s own config.toml may choose models and agents, since they run on the user’s machine
problem-config_llm_incomplete = a language model needs both `provider` and `model`: Collie has no default for either
problem-config_llm_without_url = the provider "{ $name }" needs a `url`, such as "{ $example }"
problem-config_unknown_model = no [models.{ $name }] is set up{ $nearest }
problem-config_invalid_header = { $name } is no header: give a text, or a table with `variable = "NAME"`
problem-config_header_holds_secret = the value of { $name } is a secret, which no file should hold: give a table with `variable = "NAME"`
problem-config_duplicate_header = the header { $name } is there twice
problem-config_not_a_variable = this is not the name of an environment variable: give the name of the one that holds the secret, such as "MY_MODEL_KEY", never the secret itself
problem-config_agent_without_command = Collie does not know this agent: it needs a `command`, such as ["my-agent", "--acp"]
problem-config_app_incomplete = the `id` of the GitHub App and the `account` that has installed it are expected, and `key_file` unless COLLIE_APP_KEY holds the key
problem-config_verdict_without_account = the GitHub account that the persona posts as is expected, with `may_approve` or `may_request_changes`
problem-config_mcp_incomplete = an MCP server needs a `command` (with `env`) or a `url` (with `transport` and `headers`), one of the two, and `used_by`, such as ["fixer", "reviewers"]
problem-config_mcp_holds_secret = a secret stands here, which no file should hold: name its variable under `env` or, for a server at an address, in a table under `headers` with `variable = "NAME"`
problem-config_withheld_variable = { $name } goes to no other program: tokens of GitHub and Collie’s own variables stay with Collie
problem-config_invalid_dollars = { $value } is not valid: expected an amount in dollars from 0 to 1000000, such as 5 or 2.50
problem-config_invalid_temperature = { $value } is not valid: expected a number from 0 to 2, such as 0.2
problem-config_invalid_name = "{ $name }" is not a valid name: expected lower-case letters, digits and dashes
problem-config_unknown_agent = "{ $name }" is not an agent: set it up as [agents.{ $name }] with its `command`{ $nearest }
problem-config_not_a_table = expected a table: [{ $name }]
problem-config_not_an_array_of_tables = expected tables: [[{ $name }]]
problem-config_human_approval_disabled = Collie never merges; a person always decides, so this can only be true
problem-config_auto_merge_enabled = Collie never merges, so this can only be false
problem-config_invalid_host = `{ $name }` names no host: write `example.com`, `*.example.com` or `localhost:11434`.
problem-config_relative_path = `{ $name }` does not begin with `/`.
problem-config_not_below_home = `{ $name }` is no folder below a home: write it as `.agent/sessions`.
problem-config_invalid_url = { $value } is not a valid address: expected one such as "https://ghe.example.com/api/v3", without a login in it
problem-config_invalid_account_id = expected the number of the bot’s account
problem-config_bot_incomplete = a bot needs an `id` and a `login`
problem-config_stage_size = a stage has 1 to 5 reviewers, not { $count }
problem-config_stage_empty = a stage needs `reviewers`
problem-config_duplicate_reviewer = a reviewer is named twice in one stage
problem-config_unknown_reviewer = "{ $name }" is not a reviewer: expected "rules", a persona in lower case, or "@" and the login of a person{ $nearest }
problem-config_invalid_duration = { $value } is not a duration: expected one such as "30m", "45s" or "500ms"
problem-config_out_of_range = { $value } is not valid: expected a whole number from { $least } to { $most }
problem-config_invalid_share = { $value } is not valid: expected a number from 0 to 1, such as 0.7
problem-config_invalid_share_variable = { $value } is not valid: expected a number from 0 to 1
problem-config_not_a_boolean = { $value } is not valid: expected true or false
problem-config_not_a_string = { $value } is not valid: expected a string
problem-config_not_a_string_array = { $value } is not valid: expected a list of strings, such as ["a", "b"]
problem-config_invalid_login = "{ $name }" is not a login
problem-config_unknown_choice = { $value } is not valid: expected one of { $choices }{ $nearest }
problem-config_unknown_language = { $value } is not valid: expected en or fr
problem-config_unknown_bot = "{ $name }" is not a known bot; add it under [[bots]] with the number of its account{ $nearest }
problem-config_poll_too_fast = github.com is read every 15 s at most: set it to "15s" or more
problem-config_invalid_repository = "{ $name }" is not a repository: expected one such as "owner/repo"
problem-config_repository_unnamed = a repository needs a `name`
problem-config_duplicate_repository = { $name } is listed twice
problem-config_set_by_environment = { $name } is set in the environment, which takes precedence; unset it there to change this here
problem-config_unsupported_value = { $value } is not allowed here

# What to do about it.
problem-hint-access = Check the name, and that the account has access to it.
problem-hint-sign_in = Sign in again, with `gh auth login` or with a new token.
problem-hint-rights = Check what the account and its token may do there.
problem-hint-update_server = Update GitHub Enterprise Server.
problem-hint-add_account = Add or replace its token with `collie account add`.
problem-hint-check_app = Check the App’s installation on GitHub, and the id, key and account that [app] of config.toml names.
problem-hint-account_key = Put a key of 32 bytes, as Base64, into COLLIE_ACCOUNT_KEY, name a file for it in COLLIE_ACCOUNT_KEY_FILE, or unlock the keychain.
problem-hint-again_now = Try again.
problem-hint-other_account = gh also knows { $accounts } there: choose the account with github_account in config.toml, or with gh auth switch.
problem-hint-network = Check the network. Collie continues by itself once it responds.
problem-hint-new_token = Create a token with the scope `repo`, and paste all of it.
problem-hint-api_url = For GitHub Enterprise, the address is https://HOST/api/v3.
problem-hint-repin = Take the name out of accounts.json in the data folder, then start Collie again: the name is then pinned to the account that bears it.
problem-hint-allow = Add the account to the allowed users: under Settings › Account, as `allowed_users` in config.toml, or in GITHUB_AUTO_PR_REVIEW_ALLOWED_USERS.
problem-hint-retry = Retry starts a new run.
problem-hint-cancel_first = Cancel it first.
problem-hint-settings = The settings show what is wrong, and where.
problem-hint-settings_rights = Check the permissions of the file and its folder, then save again.
problem-hint-settings_busy = Close that program, then save again.
problem-hint-configuration = Fix it, then try again; the user guide lists every key.
problem-hint-free_space = Free up some space, then try again.
problem-hint-update = Update Collie, or use another COLLIE_HOME.
problem-hint-rebuild = Run `collie doctor --rebuild` to restore what the checkpoints hold.
problem-hint-data_folder = Run `collie doctor` to check the data folder, or set COLLIE_HOME to another one.
problem-hint-stop_other = Stop the other one, or use it.
problem-hint-git = Install git 2.38 or later and make sure `git` is on PATH.
problem-hint-demo_anew = Leave the demo and delete its data, then open it again.
problem-hint-demo_port = Stop the other program and try again, or delete the demo’s data and open it again.
problem-hint-stays_queued = The request stays queued.
problem-hint-keychain = Unlock it and try again, or sign in with gh.
problem-hint-model_keychain = Unlock it and try again, or set the key as an environment variable, or name a program that prints it as `key_command`.
problem-hint-model_key_elsewhere = Set the key as an environment variable where Collie is started, or name a program that prints it as `key_command`.
problem-hint-desktop_window = Open Collie on this machine to merge.
problem-hint-on_github = Open it on GitHub.
problem-hint-install_bubblewrap = Install bubblewrap (`apt install bubblewrap`).
problem-hint-user_namespaces = Allow unprivileged user namespaces on this machine; start a container with the security options `seccomp=unconfined` and `systempaths=unconfined`, or with a profile that allows as much. `collie doctor` tries each wall.
problem-hint-landlock = Use Linux 5.13 or later, with `landlock` among its active security modules (`lsm=` on the kernel’s command line).
problem-hint-unsandboxed = If you trust everybody who can write there, set `unsandboxed = true` for the repository in config.toml; it holds for their work alone.
problem-hint-disk_limits = If the repository really is that large, raise the limit under `[disk]` in config.toml (`checkout_mb`, `checkout_files`, `sandbox_mb`), then retry.
problem-hint-prepare = Let a command fetch what is missing before: `prepare` and `prepare_hosts` under `[verify]` (`npm ci`, `registry.npmjs.org`), then retry.
problem-hint-prepare_hosts = If it may reach them, add them to `prepare_hosts` under `[verify]` in your own config.toml, then retry.
problem-hint-doctor = Run `collie doctor` to see what is missing.
problem-hint-forge = Run `collie help forge` to see what each of its commands takes.
problem-hint-usage = Run `collie --help` to list the commands, or `collie help COMMAND` to see what one takes.
problem-hint-dry_run = --dry-run posts nothing and needs no permission.
problem-hint-raise_budget = { $scope ->
    [pull_request] Raise `per_pull_request_usd` or `per_pull_request_tokens` under `[budget]` in config.toml, or have the repository raise its own limit.
    [total] Raise `total_usd` or `total_tokens` under `[budget]` in config.toml.
   *[day] Raise `per_day_usd` or `per_day_tokens` under `[budget]` in config.toml, or run it again after midnight.
}
problem-hint-try_again = Try again in a moment.
problem-hint-install_webkit = Install WebKitGTK 4.1 (`bash scripts/setup.sh --desktop` does so on Debian and Ubuntu), then start again.
problem-hint-terminal = Without a display, `collie watch OWNER/REPO` runs the same loops in a terminal.
problem-hint-start_loop = Start one with `collie watch { $pull }`.

# The server for a team.
problem-listen_unprotected = { $address } can be reached from other machines, and tokens would cross the network unprotected: nothing was started.
problem-listen_failed = Collie cannot listen on { $address }: { $message }
problem-worker_unprotected = { $address } can be reached from other machines, and without the engine’s public key this worker would obey any of them: nothing was started.
problem-worker_settings = This worker cannot begin: { $message }
problem-loops_unreachable = Restate, where the loops live, does not answer, or none of its workers does. What is shown is as it was told last.
problem-loops_unreadable = The workers tell of their loops what this server cannot read: they are newer. What is shown is as it was told last.
problem-loops_of_another_engine = This data folder, or the database that DATABASE_URL names, shows loops of another Restate than the one that answers now. What is shown is as it was told last.
problem-database_unreachable = PostgreSQL, which the views are read from, does not answer. What is shown is as it was told last.
problem-database_url = DATABASE_URL is not an address of PostgreSQL, such as postgres://USER@HOST/DATABASE. Nothing was started. ({ $message })
problem-database_of_another_engine = The database that DATABASE_URL names shows loops of another Restate than this data folder.
problem-loops_in_database = The loops that { $folder } shows are in PostgreSQL, which this command was not told of.
problem-loops_elsewhere = The loops that { $folder } shows live in Restate: an engine here would do their work a second time, and was not started.
problem-move_unreachable = Restate does not answer at { $address }, or none of its workers does: the loops were not moved, or not all of them. ({ $message })
problem-move_paused = Everything is paused, and Restate would not know: end the pause (`collie unpause`), then move the loops.
problem-move_nothing = There is nothing to move: the loops are there already.
problem-move_unfinished = A move of the loops was begun and has not ended: nothing works on them until it has.
problem-loops_of_its_own = { $folder } has loops of its own: those of Restate are not shown beside them.
problem-public_url_invalid = { $url } is no public address: an address such as https://collie.example.org is expected.
problem-foreign_host = The request names the host { $host }, which this server does not go by.
problem-foreign_origin = The request comes from another site’s page, and is refused.
problem-request_malformed = The request cannot be understood: { $message }
problem-request_too_large = The request is larger than the { $limit } that are taken here.
problem-request_timed_out = The request did not arrive in time.
problem-too_many_requests = Too many requests came from you: nothing was done.
problem-no_route = There is nothing at { $path }.
problem-not_visible = There is no { $name }, or GitHub does not show it to you.
problem-no_write_access = @{ $login } has no write access to { $repo }: nothing was done.
problem-operator_only = Only whoever runs this server decides that: nothing was done.
problem-bad_signature = The signature of the delivery is missing or wrong: nothing was done.
problem-backup_target_used = { $folder } is not empty: name a new folder.
problem-backup_unusable = { $folder } is no backup that can be used: { $message }
problem-backup_failed = The copy could not be made: { $message }
problem-webhook_secret_unreadable = The webhooks’ secret could not be read ({ $place }): { $message }
problem-runner_unknown = No runner has this secret here: it was mistyped, or revoked.
problem-session_token_unknown = The token belongs to no session.
problem-session_token_other = The token belongs to another session.
problem-session_over = The session is over: it was handed in, given to another runner, or is no longer wanted.
problem-session_stale = The session is about the head { $head }, and what was handed in is about another one.
problem-session_other_work = A review was asked for and a fix handed in, or the other way round.
problem-patch_unfit = The patch does not apply to the head of the session.
problem-patch_too_large = The patch is larger than { $mb } MB.
problem-no_runner = No runner took the session in time: { $wait }.
problem-runners_lost = Runners that took the session did not hand it in: { $names }.
problem-runners_unusable = The file with the secrets of runners ({ $place }) cannot be used: { $message }
problem-runner_name = { $name } cannot be the name of a runner: use up to 60 letters, digits, dots and dashes, and a name that no other runner has.
problem-runner_server_url = { $url } cannot be used as the server’s address: it needs https, or http on this machine.
problem-runner_secret_missing = The runner has no secret ({ $place }): { $message }
problem-runner_folder_busy = Another runner works in this data folder: start this one with another --home.
problem-runner_server_answer = The server { $url } answered in a way that a runner does not understand ({ $status }): { $message }
problem-device_off = This server has no app for signing in by a code: use a token.
problem-device_refused = { $host } does not take this server’s app for signing in by a code: { $message }
problem-device_denied = The sign-in was declined on GitHub’s page.
problem-device_expired = The code was not typed in time, or is not known any more.
problem-webhooks_off = This server takes no webhooks: it has no secret for them.
problem-server_stopping = The server is ending: nothing was done.
problem-hint-tls_proxy = Put a proxy that speaks TLS in front, and start with `--behind-proxy --public-url https://…`; without them listen on 127.0.0.1.
problem-hint-server_docs = See docs/server.md.
problem-hint-worker_docs = See docs/many-machines.md.
problem-hint-check_engine_to_move = Check that Restate and a worker run, and that --ingress is its address; then run the command again.
problem-hint-finish_move = Run the same `collie move` again, or `collie move here` to bring everything back.
problem-hint-check_engine = Check that Restate and a worker run, and that --ingress is its address; the server’s log says more. It continues by itself.
problem-hint-check_database = Check that PostgreSQL runs and takes connections from here, and that DATABASE_URL is its address; the server’s log says more. A server that runs continues by itself.
problem-hint-name_database = Set DATABASE_URL to what the server of this folder has, in a build with the feature restate; or look at the server’s page.
problem-hint-action_docs = See docs/action.md.
