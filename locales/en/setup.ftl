# Signing in, the first steps, the demo, and the settings of the desktop app.

# The first screen.
welcome-title = Welcome to Collie
welcome-text = Collie takes pull requests from open to ready to merge. Merging stays with you.
welcome-step = Step { $step } of { $steps }
welcome-language = Language

signin-found = Continue as @{ $login }
signin-found-gh = Signed in with gh on this machine.
signin-found-environment = From GITHUB_TOKEN, set where Collie was started.
signin-found-keychain = Kept in this system’s keychain.
signin-found-unknown = Continue with the token found
signin-found-none = Continue with gh
signin-gh-missing = gh, GitHub’s command line, is not installed, and GITHUB_TOKEN is not set.
signin-gh-out = gh is not signed in. Run gh auth login in a terminal, then look again.
signin-look-again = Look again
signin-continue = Continue

signin-token = Sign in with a token
signin-token-text = A personal access token, typed or pasted.
signin-token-enter = Enter a token
signin-token-label = Token
signin-token-show = Show the token
signin-token-hide = Hide the token
signin-token-empty = Enter a token.
signin-token-scopes = A classic token needs the scope repo. A fine-grained one needs Contents, Issues and Pull requests (read and write), and Actions and Commit statuses (read).
signin-token-new = Make one on GitHub
signin-token-keychain = It is kept in this system’s keychain.
signin-token-memory = There is no keychain here: Collie forgets the token when it ends.
signin-enterprise = GitHub Enterprise
signin-address-label = API address
signin-address-help = Such as https://ghe.example.com/api/v3. Leave empty for github.com.
signin-submit = Sign in

signin-demo = Try the demo
signin-demo-text = Six sample pull requests on a local forge, worked on by the real engine. Nothing leaves this machine.
signin-demo-open = Open
signin-demo-busy = Setting up sample repositories…

# Who may start reviews.
allow-title = Allow @{ $login } to start reviews?
allow-text = Collie works only for people on its list, so that nobody else can make it push as you. @{ $login } is not on it yet.
allow-button = Allow @{ $login }
allow-later = Not now
allow-banner-title = @{ $login } may not start reviews yet
allow-banner-text = Add the account to the allowed users.

scopes-title = The token lacks { $scopes }
scopes-text = Collie can neither post nor push with it. Make one that has it, then sign in again.
scopes-new = Make a token

# Which repositories.
choose-title = Choose repositories
choose-text = They appear in the sidebar. Collie touches nothing until you start a review or switch Auto-PR-Review on.
choose-search = Search repositories
choose-search-example = Search, or type OWNER/REPO
choose-list = Repositories
choose-private = private
choose-pulls = { $count ->
    [one] 1 open pull request
   *[other] { $count } open pull requests
}
choose-chosen = added
choose-by-name = Add { $name } by its name
choose-none = This account can push to no repository.
choose-none-text = Type OWNER/REPO to add one by its name.
choose-no-match = No repository matches “{ $words }”.
choose-no-match-text = One that is not listed can be added by its full name, OWNER/REPO.
choose-add = { $count ->
    [0] Add
    [one] Add 1 repository
   *[other] Add { $count } repositories
}
choose-selected = { $count ->
    [0] None selected
    [one] 1 selected
   *[other] { $count } selected
}
choose-skip = Skip

# The demo. Titles are what the pull requests show; stories say what to watch.
demo-heading = Six pull requests to watch
demo-text = Each plays one course of a review, on a forge that runs on this machine.
demo-start = Start
demo-start-one = Start { $title }
demo-start-all = Start all
demo-again = Play again
demo-again-one = Play again: { $title }
demo-started = Started
demo-watch-one = Watch { $title }
demo-to-list = Go to the pull requests
scenario-clean = Nothing to find
scenario-clean-story = Checks pass and the rules find nothing: ready after one round, with one LGTM as the only comment.
scenario-fix-loop = Found, fixed, ready
scenario-fix-loop-story = The rules find problems and a check is red. Watch the fix being pushed and the findings close one by one.
scenario-ci-red = A test that no rule can fix
scenario-ci-red-story = A test fails for a reason only its author knows. Collie stops and says what a person has to do.
scenario-stuck = Fixed, and back again
scenario-stuck-story = The author’s generator undoes the fix. Collie notices that the finding came back, and does not fix it twice.
scenario-human = A person asks for changes
scenario-human-story = @ana asked for changes before. Collie makes them, answers in her thread, asks her once to look again, and waits.
scenario-moved-head = The branch moves
scenario-moved-head-story = The author force-pushes in the middle of the review. Collie drops what it saw and begins anew at the new head.

# Leaving the account, or the demo, or removing a repository: asked for in several places.
account-sign-in-again = Sign in again
sign-out = Sign out…
sign-out-title = Sign out @{ $login }?
sign-out-title-unknown = Sign out?
sign-out-text = Loops pause where they are and go on after the next sign-in.
sign-out-text-keychain = Loops pause where they are and go on after the next sign-in. The token is removed from the keychain.
sign-out-confirm = Sign out
demo-leave = Leave the demo…
demo-leave-title = Leave the demo?
demo-leave-text = Its reviews stop, and you can sign in to GitHub. What it did is kept, unless it is deleted.
demo-leave-forget = Delete the demo’s data
demo-leave-confirm = Leave
remove-repository-title = Remove { $repo } from the sidebar?
remove-repository-text = Auto-PR-Review no longer starts anything there, and its filters are forgotten. Reviews that run go on. Nothing changes on GitHub.
remove-repository-confirm = Remove

# The settings: frame.
settings-title = Settings
settings-close = Close settings
settings-pages = Pages of the settings
settings-page-general = General
settings-page-accounts = Account
settings-page-repositories = Repositories
settings-page-panel = Panel
settings-page-models = Models and agents
settings-page-limits = Limits
settings-page-rules = Rules
settings-page-bots = Bots and checks
settings-page-machine = This machine
settings-page-general-text = How Collie looks and speaks, and what it does when its window is closed.
settings-page-accounts-text = Who is signed in, and who may start reviews.
settings-page-repositories-text = What is in the sidebar, and which pull requests Auto-PR-Review takes up.
settings-page-panel-text = Who reviews, in which order, and how much is posted inline.
settings-page-models-text = What reads and fixes beside the rules: a language model, coding agents.
settings-page-limits-text = How long Collie waits, how often it looks, and when it gives up.
settings-page-rules-text = What every fix must pass before it is pushed.
settings-page-bots-text = Whose reviews count, and which checks do not.
settings-page-machine-text = What Collie needs here, and whether it is there.
settings-open-file = Open the file
settings-changes = { $count ->
    [one] 1 unsaved change
   *[other] { $count } unsaved changes
}
settings-changed = Changed
settings-page-changed = { $page }, changed
settings-page-problem = { $page }, has a problem
settings-save = Save
settings-discard = Discard
settings-saved = Settings saved
settings-cannot-save = { $count ->
    [one] 1 setting needs a look before it can be saved
   *[other] { $count } settings need a look before they can be saved
}
settings-go-to-problem = Show it
settings-leave-title = Leave with unsaved changes?
settings-leave-text = { $count ->
    [one] 1 change was not saved.
   *[other] { $count } changes were not saved.
}
settings-leave-discard = Discard and leave
settings-file-problems = { $file } has problems. Until they are mended, the last good values hold.
settings-file-take-out = Take them out
settings-file-problem-line = Line { $line }
settings-default = Default: { $value }
settings-default-none = none
settings-reset = Reset to default
settings-reset-one = Reset to default: { $label }
settings-from-environment = Set by { $variable } in the environment. Change it there and start Collie again.
settings-changed-outside = Changed elsewhere to { $value } while you edited.
settings-take-outside = Take that value
settings-on = on
settings-off = off
settings-none = None

# Lists of words.
entries-add = Add
entries-add-to = Add to { $label }
entries-remove = Remove { $item }
entries-empty = None

# The settings: accounts.
settings-account-signed-in = Signed in as
settings-account-unknown = not known yet: GitHub has not answered
settings-account-host = Host
settings-account-source = Token
settings-account-source-gh = from gh
settings-account-source-environment = from GITHUB_TOKEN
settings-account-source-keychain = kept in this system’s keychain
settings-account-source-memory = typed in, forgotten when Collie ends
settings-account-source-demo = the demo’s
settings-account-rights = Rights
settings-account-rights-ok = all that Collie needs
settings-account-rights-missing = lacks { $scopes }
settings-account-allowed = Reviews
settings-account-allowed-yes = may start them
settings-account-allowed-no = may not start them yet
settings-account-none = Nobody is signed in.

# The settings: repositories.
settings-repository-add = Add repositories…
settings-repository-remove = Remove { $name }
settings-repository-toggle = Auto-PR-Review for { $name }
settings-repository-toggle-label = Auto-PR-Review
settings-repository-filters-none = every open pull request
settings-repository-authors = Authors
settings-repository-authors-help = Only their pull requests. Everybody’s when empty.
settings-repository-labels = Labels
settings-repository-labels-help = Only with one of these labels. Any when empty.
settings-repository-base_branches = Base branches
settings-repository-base_branches-help = Only into one of these branches. Any when empty.
settings-repository-empty = No repository yet
settings-repository-empty-text = Add one to see its pull requests in the sidebar.

# The settings: panel.
settings-panel-stage = Stage { $number }
settings-panel-rules = Rules
settings-panel-rules-text = built in, no key and no network
settings-panel-human-text = Collie waits for this person’s review on GitHub
settings-panel-add-stage = Add a stage
settings-panel-add-reviewer-to = Add a reviewer to stage { $number }
settings-panel-add-rules = Add the rules
settings-panel-add-person = Add person
settings-panel-add-persona = Add a persona
settings-panel-add-persona-to = Add a persona to stage { $number }
settings-panel-runs-on-nothing = nothing to run on
settings-panel-asks = may ask in { $names }
settings-panel-asks-none = asks nobody in
settings-panel-asks-of = { $name } may ask in { $names }
settings-panel-asks-none-of = { $name } asks nobody in
settings-panel-personas-wrong = Personas that cannot be read
settings-panel-login-example = Login, such as ana
settings-panel-remove-stage = Remove stage { $number }
settings-panel-stage-up = Move stage { $number } up
settings-panel-stage-down = Move stage { $number } down
settings-panel-remove-reviewer = Remove { $name } from stage { $number }
settings-panel-reviewer-up = Move { $name } up
settings-panel-reviewer-down = Move { $name } down
settings-panel-keys = Alt with an arrow key moves what is focused, Delete removes it.
settings-panel-full = A stage has at most 5 reviewers.
settings-panel-twice = { $name } is in this stage already.
settings-panel-empty-stage = A stage needs a reviewer.
settings-panel-moved = { $name } moved to place { $place } of { $places }
settings-panel-removed = { $name } removed

# The settings: models and agents. A runner is what a reviewer or a fixer runs on.
settings-models-found = Found by their ACP commands on the PATH: claude-agent-acp, codex-acp, gemini, opencode, goose.
settings-model-key = Key
settings-model-key-one = Taken from { $first }, set where Collie is started. Collie writes it into no file.
settings-model-key-either = Taken from { $first }, else from { $others }, set where Collie is started. Collie writes it into no file.
settings-model-key-found = found in { $variable }
settings-model-key-missing = no key: set { $variable }
settings-model-key-unneeded = none set; works without
settings-author-login = Author
settings-author-login-example = Author’s login
settings-author-agent = Fixed by
settings-author-runs-on = Who fixes what @{ $login } opened
settings-author-twice = @{ $login } is in the list already.
settings-persona-runs-on = What { $name } runs on
settings-persona-usual = As usual
settings-persona-model = Another model for { $name }
settings-persona-model-same = Same model
settings-agent-name = Name of the agent
settings-agent-name-example = Name, such as my-agent
settings-agent-name-wrong = Lower-case letters, digits and dashes only.
settings-agent-add = Add agent
settings-agent-twice = { $name } is in the list already.
settings-agent-command = Command
settings-agent-command-known = As Collie knows it
settings-agent-command-example = my-agent --acp
settings-agent-env = Variables
settings-agent-env-of = Variables of { $name }
persona-priya = product: purpose, users, consistency
persona-quinn = quality: code, tests, upkeep
persona-sam = security: vulnerabilities, access, data
runner-rules = Built-in rules
runner-llm = Language model
runner-claude-code = Claude Code
runner-codex = Codex
runner-gemini = Gemini CLI
runner-opencode = OpenCode
runner-goose = Goose

# The settings: bots.
settings-bot-login = Login
settings-bot-id = Account number
settings-bot-id-help = The id that api.github.com/users/LOGIN%5Bbot%5D answers. A login can be taken by anybody; the number cannot.
settings-bot-origin = Origin
settings-bot-shipped = shipped
settings-bot-own = added by you
settings-bot-add = Add a bot
settings-bot-remove = Remove { $login }
settings-bot-id-wrong = Expected a whole number above 0.
settings-bot-login-wrong = Enter the bot’s login.
settings-bot-known = A bot with this number is in the list.

# The settings: this machine.
settings-machine-look-again = Look again
settings-machine-ok = in order
settings-machine-warning = works, with less
settings-machine-bad = keeps Collie from working
settings-machine-data = Data in { $folder }
settings-machine-logs = Open the logs

# Each setting: its label, and what it does. Times are such as 30m, 45s, 500ms or 1h 30m.
setting-language = Language
setting-language-help = Of the app, of notifications and of what Collie writes on GitHub. Holds at once.
setting-language-en = English
setting-language-fr = Français
setting-desktop-theme = Theme
setting-desktop-theme-help = Holds at once.
setting-desktop-theme-system = As the system
setting-desktop-theme-light = Light
setting-desktop-theme-dark = Dark
setting-desktop-notifications = Notifications
setting-desktop-notifications-help = When a pull request is ready, needs you, or failed.
setting-desktop-keep_running = Keep running in the tray
setting-desktop-keep_running-help = Closing the window leaves loops at work. When off, closing it ends Collie; loops go on at the next start.
setting-allowed_users = Allowed users
setting-allowed_users-help = Logins that may start reviews. An empty list allows nobody.
setting-github_api_url = API address
setting-github_api_url-help = Where GitHub’s REST API answers. For GitHub Enterprise: https://HOST/api/v3.
setting-repositories = Repositories
setting-repositories-help = What the sidebar shows.
setting-stages = Stages
setting-stages-help = Reviewers of a stage work side by side, 1 to 5 of them; stages follow one another.
setting-strictness = Strictness
setting-strictness-help = Which findings are posted inline. The verdict counts all of them.
setting-strictness-permissive = Permissive: P0 and P1
setting-strictness-balanced = Balanced: P0 to P2
setting-strictness-strict = Strict: all
setting-comment_threshold = Confidence threshold
setting-comment_threshold-help = From 0 to 1. Findings less sure than this are neither counted nor posted.
setting-max_comments = Inline comments
setting-max_comments-help = The most a review posts, 0 to 100. The rest goes into its report.
setting-llm-provider = Provider
setting-llm-provider-help = Whose language model reviewers run on. Needs a model too: Collie chooses neither by itself.
setting-llm-provider-openai = OpenAI
setting-llm-provider-anthropic = Anthropic
setting-llm-provider-gemini = Google Gemini
setting-llm-provider-ollama = Ollama
setting-llm-provider-compatible = Compatible with OpenAI
setting-llm-model = Model
setting-llm-model-help = As the provider names it.
setting-llm-url = Address
setting-llm-url-help = Where the provider answers. Its own address when empty; a compatible one needs it.
setting-llm-temperature = Temperature
setting-llm-temperature-help = From 0 to 2. The provider’s own when empty.
setting-llm-max_tokens = Longest answer
setting-llm-max_tokens-help = In tokens, 256 to 200,000.
setting-llm-context_tokens = Largest request
setting-llm-context_tokens-help = In tokens, 2,000 to 2,000,000. What does not fit is left out, and the report says what.
setting-fixer-runs_on = Who fixes
setting-fixer-runs_on-help = An agent works in a worktree of its own; Collie checks what it did, commits and pushes.
setting-fixer-by_author = Who fixes, by author
setting-fixer-by_author-help = The agent that wrote a pull request can fix it too. Others get the one above.
setting-reviewers = Personas
setting-reviewers-help = What each runs on. As usual means the language model, else the agent that fixes.
setting-agents = Agents
setting-agents-help = Your own, which speak ACP over standard input and output, or another way to start one that Collie knows. Variables name what an agent gets of the environment to log in with.
setting-max_pr_review_iterations = Pushes
setting-max_pr_review_iterations-help = The most Collie makes on a pull request before it asks for you, 1 to 50.
setting-ci_check_timeout = Wait for checks
setting-ci_check_timeout-help = After this time without an end, the loop fails.
setting-external_bot_timeout = Wait for bots
setting-external_bot_timeout-help = How long an expected bot is waited for on each head.
setting-poll_interval = Look at GitHub every
setting-poll_interval-help = While a loop works or waits. At least 15s on github.com.
setting-ready_poll_interval = Look when ready every
setting-ready_poll_interval-help = While a pull request is ready and waits for you.
setting-collect_failures_for = Collect failures for
setting-collect_failures_for-help = After a first red check, how long others are waited for before Collie fixes.
setting-no_checks_grace = Wait for a first check
setting-no_checks_grace-help = How long a head without any check is given for one to report.
setting-max_restarts = Restarts
setting-max_restarts-help = How many pushes by others a run bears before it asks for you, 1 to 1000.
setting-session_retries = Tries again
setting-session_retries-help = How often a failed reviewer or fixer is tried again, 0 to 10.
setting-slots = Loops at work
setting-slots-help = How many review or fix at once, 1 to 64. Waiting takes none.
setting-verify-commands = Verify commands
setting-verify-commands-help = Run in order in the worktree; every fix must pass all of them before it is pushed. One command a line.
setting-ignore_label = Label that keeps Collie away
setting-ignore_label-help = Pull requests that carry it are left alone.
setting-bots = Known bots
setting-bots-help = Collie knows a bot by its account number. What a bot says counts only if its number is here.
setting-expected_bots = Expected bots
setting-expected_bots-help = Known bots that are waited for on every head, by login.
setting-ignored_checks = Ignored checks
setting-ignored_checks-help = Checks that neither hold a pull request up nor count as red. One name a line.
