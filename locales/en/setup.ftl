# Signing in, the first steps, the demo, and the settings of the desktop app.

# The first screen.
welcome-title = Welcome to Collie
welcome-text = Collie takes pull requests from open to ready to merge. Merging stays with you.
welcome-step = Step { $step } of { $steps }
welcome-language = Language

signin-found = Continue as @{ $login }
signin-found-gh = Signed in with gh on this machine.
signin-found-environment = From GITHUB_TOKEN, set where Collie was started.
signin-found-keychain = Stored in the system keychain.
signin-found-unknown = Continue with the token found
signin-found-none = Continue with gh
signin-gh-missing = gh, the GitHub command line, is not installed, and GITHUB_TOKEN is not set.
signin-gh-out = gh is not signed in. Run gh auth login in a terminal, then check again.
signin-look-again = Check again
signin-continue = Continue

signin-token = Sign in with a token
signin-token-text = Type or paste a personal access token.
signin-token-enter = Enter a token
signin-token-label = Token
signin-token-show = Show the token
signin-token-hide = Hide the token
signin-token-empty = Enter a token.
signin-token-scopes = A classic token needs the scope repo. A fine-grained one needs Contents, Issues and Pull requests (read and write), and Actions and Commit statuses (read).
signin-token-new = Create one on GitHub
signin-token-keychain = It is stored in the system keychain.
signin-token-memory = There is no keychain here: Collie forgets the token when it quits.
signin-enterprise = GitHub Enterprise
signin-address-label = API address
signin-address-help = For example https://ghe.example.com/api/v3. Leave empty for github.com.
signin-submit = Sign in

signin-demo = Try the demo
signin-demo-text = Seven sample pull requests on a local forge, handled by the real engine. Nothing leaves this machine.
signin-demo-open = Open
signin-demo-busy = Setting up sample repositories…

# Who may start loops.
allow-title = Allow @{ $login } to start loops?
allow-text = Collie works only for people on its list, so that nobody else can make it push as you. @{ $login } is not on the list yet.
allow-button = Allow @{ $login }
allow-later = Not now
allow-banner-title = @{ $login } may not start loops yet
allow-banner-text = Add the account to the allowed users.

scopes-title = The token lacks { $scopes }
scopes-text = Collie can neither post nor push with it. Create a token that has it, then sign in again.
scopes-new = Create a token

# A language model, in the first minutes.
model-step-none = None for now
model-step-address = The provider’s own

# What there is to know before anything starts.
first-title = Before anything starts
first-text = What Collie may do, what it never does, and what it costs. Nothing has started yet.
first-may = Collie may
first-may-read = read the repositories that you choose: pull requests, checks, reviews
first-may-post = comment and answer in threads as @{ $login }, unless a repository is only observed
first-may-push = push commits to the branch of a pull request, in files that it already changes: by itself or after your approval, as you choose below
first-may-run = send code of a pull request to the models and agents that you set up
first-never = Collie never
first-never-merge = merges: only you do, in this window
first-never-force = forces a push, or pushes to a default or protected branch
first-never-weaken = deletes a test, loosens a check, or changes a workflow
first-never-token = gives your token to a model, an agent or code of a pull request
first-found = Models and agents on this machine
first-found-without = Without either, the built-in rules review and fix what they know: no key, no network, no cost.
first-model-missing = Name the model, or choose none for now.
first-cost = What it costs
first-cost-review = Review
first-cost-tokens = Tokens read
first-cost-money = Cost
first-cost-first = The first of a pull request
first-cost-next = The one after a fix
first-cost-range = { $least } to { $most }
first-cost-answer = Each { $tokens } tokens of an answer cost { $cost } more.
first-cost-basis = The middle half of 21 public pull requests that were measured. Large changes are read in parts and cost more. Agents use what they use, and say it afterwards. The rules cost nothing.
first-budget-day = Budget for a day, in dollars
first-budget-day-help = Loops wait until midnight once it is used up. Empty: no limit.
first-budget-pull = One pull request may spend { $limit }; then its loop waits for you.
first-budget-pull-none = One pull request has no limit of its own; the settings have the field.
first-level = How far Collie goes by itself in repositories that you add
first-level-observe = GitHub sees nothing; models and agents cost the same.
first-level-ask = GitHub sees comments as @{ $login }, and pushes that you approved; each round costs a review more.
first-level-push = GitHub sees comments and pushes as @{ $login }; rounds follow each other, and cost, without you.
first-save = Continue with { $level }
first-skip = Skip
first-skip-text = Skipping saves nothing of this page: new repositories are only observed, and no model is added. All of it is in the settings.

# Which repositories.
choose-title = Choose repositories
choose-text = They appear in the sidebar. Collie touches nothing until you start a loop or turn on Auto-PR-Review.
choose-search = Search repositories
choose-search-example = Search, or type OWNER/REPO
choose-list = Repositories
choose-private = private
choose-pulls = { $count ->
    [one] 1 open pull request
   *[other] { $count } open pull requests
}
choose-chosen = added
choose-by-name = Add { $name } by name
choose-none = This account cannot push to any repository.
choose-none-text = Type OWNER/REPO to add one by name.
choose-no-match = No repository matches “{ $words }”.
choose-no-match-text = To add one that is not listed, type its full name, OWNER/REPO.
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
demo-heading = Seven pull requests to watch
demo-text = Each shows one way a loop can go, on a forge that runs on this machine.
demo-start = Start
demo-start-one = Start { $title }
demo-start-all = Start all
demo-again = Play again
demo-again-one = Play again: { $title }
demo-started = Started
demo-watch-one = Watch { $title }
demo-to-list = Go to the pull requests
scenario-clean = Nothing to find
scenario-clean-story = Checks pass and the rules find nothing: ready after one round, with one comment, which says that no pattern fired and nobody has read the change.
scenario-fix-loop = Found, fixed, ready
scenario-fix-loop-story = The rules report findings and a check is red. Watch the push and the findings close one by one.
scenario-ci-red = A test that no rule can fix
scenario-ci-red-story = A test fails for a reason only its author knows. Collie stops and says what a person has to do.
scenario-stuck = Fixed, and back again
scenario-stuck-story = The author’s generator undoes the fix. Collie notices that the finding came back, and does not fix it twice.
scenario-human = A person requests changes
scenario-human-story = @ana has requested changes. Collie makes them, answers in her thread, asks her once for a new review, and waits.
scenario-moved-head = The head moves
scenario-moved-head-story = The author force-pushes in the middle of the review. Collie discards what it saw and starts over at the new head.
scenario-three-rounds = Three rounds
scenario-three-rounds-story = A bot, the rules and a scripted model each find something. Watch three pushes, a question to the author, one finding declined, and what it costs.

# Leaving the account, or the demo, or removing a repository: asked for in several places.
account-sign-in-again = Sign in again
sign-out = Sign out…
sign-out-title = Sign out @{ $login }?
sign-out-title-unknown = Sign out?
sign-out-text = Loops pause where they are and resume the next time you sign in.
sign-out-text-keychain = Loops pause where they are and resume the next time you sign in. The token is removed from the keychain.
sign-out-text-server = Loops continue: the server works with an account of its own.
sign-out-everywhere = On every browser where I am signed in
sign-out-confirm = Sign out
demo-leave = Leave the demo…
demo-leave-title = Leave the demo?
demo-leave-text = Its loops stop, and you can sign in to GitHub. Its data is kept unless you delete it.
demo-leave-forget = Delete the demo’s data
demo-leave-confirm = Leave
remove-repository-title = Remove { $repo } from the sidebar?
remove-repository-text = Auto-PR-Review no longer starts anything there, and its filters are discarded. Running loops continue. Nothing changes on GitHub.
remove-repository-confirm = Remove

# The settings: frame.
settings-title = Settings
settings-close = Close settings
settings-pages = Settings pages
settings-page-general = General
settings-page-accounts = Account
settings-page-repositories = Repositories
settings-page-panel = Panel
settings-page-models = Models and agents
settings-page-limits = Limits
settings-page-rules = Rules
settings-page-bots = Bots and checks
settings-page-memory = Memory
settings-page-machine = This machine
settings-page-general-text = Appearance and language, and what happens when the window is closed.
settings-page-accounts-text = Who is signed in, and who may start loops.
settings-page-repositories-text = What the sidebar shows, and which pull requests Auto-PR-Review starts.
settings-page-panel-text = Who reviews, in which order, and how much is posted inline.
settings-page-models-text = What reviews and fixes besides the rules: a language model, coding agents.
settings-page-limits-text = What models and agents may spend, how long Collie waits, how often it reads GitHub, and when it gives up.
settings-page-rules-text = What every fix must pass before it is pushed.
settings-page-bots-text = Whose reviews count, and which checks do not.
settings-page-memory-text = What people made of earlier findings: later reviews are told, and what was dismissed twice is not raised again.
settings-page-machine-text = What Collie needs on this machine, and whether it is there.
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
    [one] 1 setting must be corrected before you can save
   *[other] { $count } settings must be corrected before you can save
}
settings-go-to-problem = Show
settings-leave-title = Leave with unsaved changes?
settings-leave-text = { $count ->
    [one] 1 change was not saved.
   *[other] { $count } changes were not saved.
}
settings-leave-discard = Discard and leave
settings-file-problems = { $file } has errors. Until they are fixed, the last valid values apply.
settings-file-take-out = Remove them
settings-file-problem-line = Line { $line }
settings-default = Default: { $value }
settings-default-none = none
settings-from-demo = Set for the demo.
settings-reset = Reset to default
settings-reset-one = Reset to default: { $label }
settings-from-environment = Set by { $variable } in the environment. Change it there and restart Collie.
settings-changed-outside = Changed elsewhere to { $value } while you were editing.
settings-take-outside = Use that value
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
settings-account-source-keychain = stored in the system keychain
settings-account-source-memory = typed in, forgotten when Collie quits
settings-account-source-demo = the demo’s
settings-account-rights = Permissions
settings-account-rights-ok = everything Collie needs
settings-account-rights-missing = lacks { $scopes }
settings-account-allowed = Loops
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
settings-repository-authors-help = Only their pull requests. Everybody’s if empty.
settings-repository-labels = Labels
settings-repository-labels-help = Only with one of these labels. Any if empty.
settings-repository-base_branches = Base branches
settings-repository-base_branches-help = Only into one of these branches. Any if empty.
settings-repository-read_from = Read issues from
settings-repository-read_from-help = Repositories that are not public and whose issues its pull requests may name, such as acme/plans. Public ones are read anyway.
settings-repository-unsandboxed = Run without the sandbox
settings-repository-unsandboxed-help = For pull requests of people who may write to it, where no sandbox can be put up. Those of others stay in it.
settings-unsandboxed-title = Run what pull requests of { $name } bring as you?
settings-unsandboxed-text = Agents and verify commands then see your files, your credentials and the network, and may leave programs behind. A pull request can change what they run.
settings-unsandboxed-confirm = Run without the sandbox
settings-repository-empty = No repositories yet
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
settings-panel-asks = can add { $names }
settings-panel-asks-none = adds nobody
settings-panel-asks-of = { $name } can add { $names }
settings-panel-asks-none-of = { $name } adds nobody
settings-panel-personas-wrong = Personas that cannot be read
settings-panel-login-example = Login, such as ana
settings-panel-remove-stage = Remove stage { $number }
settings-panel-stage-up = Move stage { $number } up
settings-panel-stage-down = Move stage { $number } down
settings-panel-remove-reviewer = Remove { $name } from stage { $number }
settings-panel-reviewer-up = Move { $name } up
settings-panel-reviewer-down = Move { $name } down
settings-panel-keys = Alt with an arrow key moves the focused item, Delete removes it.
settings-panel-full = A stage has at most 5 reviewers.
settings-panel-twice = { $name } is already in this stage.
settings-panel-empty-stage = A stage needs a reviewer.
settings-panel-moved = { $name } moved to position { $place } of { $places }
settings-panel-removed = { $name } removed

# The settings: models and agents. A runner is what a reviewer or a fixer runs on.
settings-models-found = Found by their ACP commands on the PATH: claude-agent-acp, codex-acp, gemini, opencode, goose.
models-key = Key
models-key-keychain = In the system keychain
models-key-variable = In the environment variable { $name }
models-key-command = Printed by { $name } at the beginning of each review
models-key-file = In { $name }
models-key-missing = No key
models-key-unneeded = No key; not required here
models-key-shadowed = The keychain has one too. It is not used while { $name } is set.
models-key-variable-unset = The settings name { $variables }, which is not set where Collie was started. Clear “Key variable” to type a key here.
models-key-variables = Looked for in { $variables }.
models-key-field = New key
models-key-placeholder = Paste the key
models-key-save = Save key
models-key-replace = Replace
models-key-remove = Remove
models-key-cancel = Cancel
models-key-empty = Paste a key first.
models-key-saved = The key is in the keychain.
models-key-removed = The key is no longer in the keychain.
models-key-help = Goes into the system keychain for { $provider }, and nowhere else. It is never shown again.
models-key-help-host = Goes into the system keychain for { $host }, and nowhere else. It is never shown again.
models-name-loading = Loading the list of models…
models-name-listed = { $count ->
    [one] { $count } model offered there
   *[other] { $count } models offered there
}
models-name-none = The service lists no model. The name can be typed.
models-name-unlisted = Not among the { $count } models offered there
models-name-unlistable = No list, but the name can be typed: { $reason }
models-name-context = { $tokens } tokens
models-test = Test
models-test-help = Sends one tiny request, for real, with what is chosen here.
models-review-takes = What a review asks of each persona’s model: { $first } tokens at first and { $again } after a fix, the median measured on { $pulls } public pull requests. Answers come on top.
models-test-running = Waiting for the answer…
models-test-result = { $model } answered in { $ms } ms · { $input } tokens in, { $output } out · { $cost }
models-test-answered-as = as { $name }
models-same-as = Same: { $value }
models-fallback-nobody = Nobody
models-usual = Usual
models-field-of = { $field } of { $name }
models-spare-name = Name of another model
models-spare-example = Name, such as spare
models-spare-add = Add model
models-spare-incomplete = choose provider and model
settings-header-name = Name of a header
settings-header-name-example = X-Team
settings-header-value-example = reviews
settings-header-variable-example = GATEWAY_SECRET
settings-header-origin = What is given for it
settings-header-origin-of = What is given for { $name }
settings-header-value = Value
settings-header-variable = Variable
settings-header-new-value = Value, or name of the variable
settings-header-value-of = Value of { $name }
settings-header-add = Add header
settings-header-twice = { $name } is already in the list.
settings-persona-more = More
settings-persona-more-of = More: model options of { $name }
settings-persona-more-of-set = More: model options of { $name }, which has its own
settings-persona-more-of-agent = More: effort of { $name }
settings-persona-more-of-agent-set = More: effort of { $name }, which has its own
settings-author-login = Author
settings-author-login-example = Author’s login
settings-author-agent = Fixed by
settings-author-runs-on = Who fixes what @{ $login } opened
settings-author-twice = @{ $login } is already in the list.
settings-persona-runs-on = What { $name } runs on
settings-persona-usual = Default
settings-persona-model = Another model for { $name }
settings-persona-model-same = Same model
settings-agent-name = Name of the agent
settings-agent-name-example = Name, such as my-agent
settings-agent-name-wrong = Only lower-case letters, digits and dashes.
settings-agent-add = Add agent
settings-agent-twice = { $name } is already in the list.
settings-agent-command = Command
settings-agent-command-known = Collie’s own default
settings-agent-command-example = my-agent --acp
settings-agent-env = Variables
settings-agent-env-of = Variables of { $name }
settings-agent-hosts = Hosts
settings-agent-hosts-of = Hosts that { $name } reaches beside those of its makers
settings-agent-readable = May read
settings-agent-readable-of = Files and folders that { $name } may read
settings-agent-state = Keeps
settings-agent-state-of = Folders of its home that { $name } keeps
settings-agent-own-choice = Its own choice
settings-agent-model-of = Model of the agent { $name }
settings-agent-effort-of = Effort of the agent { $name }
settings-mcp-name = Name of the server
settings-mcp-name-example = Name, such as docs
settings-mcp-add = Add server
settings-mcp-kind = Kind
settings-mcp-kind-of = Kind of { $name }
settings-mcp-kind-command = Program
settings-mcp-kind-url = Address
settings-mcp-command-of = Command of { $name }
settings-mcp-command-example = docs-server --stdio
settings-mcp-url = Address
settings-mcp-url-example = https://mcp.example.com
settings-mcp-url-of = Address of { $name }
settings-mcp-transport = Transport
settings-mcp-transport-of = Transport of { $name }
settings-mcp-headers = Headers
settings-mcp-headers-of = Headers of { $name }
settings-mcp-used_by = Used by
settings-mcp-used_by-of = Agents that use { $name }
settings-mcp-env-of = Variables that { $name } gets
settings-mcp-hosts-of = Hosts that { $name } reaches
settings-mcp-readable-of = Files and folders that the server { $name } may read
persona-priya = product: purpose, users, consistency
persona-quinn = quality: code, tests, maintainability
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
settings-bot-id-help = The id that api.github.com/users/LOGIN%5Bbot%5D returns. Anybody can take a login; nobody can take the number.
settings-bot-origin = Origin
settings-bot-shipped = built in
settings-bot-own = added by you
settings-bot-add = Add a bot
settings-bot-remove = Remove { $login }
settings-bot-id-wrong = Enter a whole number above 0.
settings-bot-login-wrong = Enter the bot’s login.
settings-bot-known = A bot with this number is already in the list.

# The settings: this machine.
memory-repository = Repository
memory-no-repository = The sidebar is empty: add a repository first.
memory-empty = Nothing yet. What people dismiss in Collie’s threads with a reason, and what they merge fixed, is remembered.
memory-file = You can also edit the file { $file }
memory-dismissed = Dismissed:
memory-accepted = Accepted:
memory-until = until { $day }
memory-for-ever = for ever
memory-forget = Forget “{ $title }”
settings-machine-look-again = Check again
settings-machine-ok = OK
settings-machine-warning = works, with limitations
settings-machine-bad = keeps Collie from working
settings-machine-data = Data in { $folder }
settings-machine-logs = Open the logs

# Each setting: its label, and what it does. Times are such as 30m, 45s, 500ms or 1h 30m.
setting-language = Language
setting-language-help = Of the app, of notifications and of what Collie writes on GitHub. Applies immediately.
setting-language-en = English
setting-language-fr = Français
setting-desktop-theme = Theme
setting-desktop-theme-help = Applies immediately.
setting-desktop-theme-system = System
setting-desktop-theme-light = Light
setting-desktop-theme-dark = Dark
setting-desktop-notifications = Notifications
setting-desktop-notifications-help = When a pull request is ready, needs you, or failed.
setting-desktop-keep_running = Keep running in the tray
setting-desktop-keep_running-help = Loops keep running when you close the window. When off, closing the window quits Collie; loops resume at the next start.
setting-desktop-new_repositories = Level of new repositories
setting-desktop-new_repositories-help = How far Collie goes by itself in a repository that you add; each can be set by itself.
setting-desktop-new_repositories-observe = Observe
setting-desktop-new_repositories-ask = Ask
setting-desktop-new_repositories-push = Push
setting-allowed_users = Allowed users
setting-allowed_users-help = Logins that may start loops. An empty list allows nobody.
setting-github_account = Account of gh
setting-github_account-help = Which account Collie acts as where gh is signed in to several. Empty: the one that gh uses itself.
setting-github_api_url = API address
setting-github_api_url-help = Address of GitHub’s REST API. For GitHub Enterprise: https://HOST/api/v3.
setting-repositories = Repositories
setting-repositories-help = What the sidebar shows.
setting-stages = Stages
setting-stages-help = The reviewers of a stage, 1 to 5, work in parallel; stages follow one another.
setting-strictness = Strictness
setting-strictness-help = Which findings are posted inline. The verdict counts all of them.
setting-strictness-permissive = Permissive: P0 and P1
setting-strictness-balanced = Balanced: P0 to P2
setting-strictness-strict = Strict: all
setting-unseen = Files nobody was shown
setting-unseen-help = Text files that no reviewer was shown, because they are too large, too many or unreadable.
setting-unseen-block = Wait until a person has looked
setting-unseen-tell = Only name them
setting-fix = Fix what is found
setting-fix-help = Otherwise Collie only reviews: findings are posted, nothing is pushed, and people fix them.
setting-fix_suggestions = Fix suggestions (P3) too
setting-fix_suggestions-help = Along with what has to be fixed. Suggestions alone never cause a push.
setting-linters = The repository’s own linters
setting-linters-help = What a repository configures on its base branch (ruff, eslint, biome, oxlint, clippy, golangci-lint, semgrep, shellcheck, actionlint) looks at the changed lines too, in the sandbox, where it is installed.
setting-autonomy = How far Collie may go, at most
setting-autonomy-help = For every repository, whatever its own level says. A repository’s `.collie.toml` and the label `collie:observe` may lower it further.
setting-autonomy-observe = Observe: it writes nothing on GitHub
setting-autonomy-ask = Ask: it posts, and each push waits for you
setting-autonomy-push = Push: it posts and pushes
setting-merge_base = Merge the base into the branch
setting-merge_base-help = Where the branch conflicts with its base, or must be up to date with it: by a merge commit, which is verified and reviewed as any other push.
setting-merge_base-off = Never: a person does it
setting-merge_base-clean = By git alone, where nothing conflicts
setting-merge_base-agent = By git; the fixer’s agent resolves conflicts
setting-comment_threshold = Confidence threshold
setting-comment_threshold-help = From 0 to 1. Findings below it are neither counted nor posted.
setting-max_comments = Inline comments
setting-max_comments-help = Maximum per review, 0 to 100. The rest goes into its report.
setting-llm-provider = Provider
setting-llm-provider-help = Provider of the reviewers’ language model. Choose a model too: Collie has no default for either.
setting-llm-provider-openai = OpenAI
setting-llm-provider-anthropic = Anthropic
setting-llm-provider-gemini = Google Gemini
setting-llm-provider-azure = Azure OpenAI
setting-llm-provider-openrouter = OpenRouter
setting-llm-provider-bedrock = Amazon Bedrock
setting-llm-provider-vertex = Google Vertex AI
setting-llm-provider-ollama = Ollama
setting-llm-provider-vllm = vLLM
setting-llm-provider-llamacpp = llama.cpp
setting-llm-provider-compatible = Compatible with OpenAI
setting-llm-model = Model
setting-llm-model-help = As the provider names it.
setting-llm-url = Address
setting-llm-url-help = Address of the provider’s API. Its usual address if empty; a compatible provider requires one.
setting-llm-key_variable = Key variable
setting-llm-key_variable-help = Name of the environment variable that holds the key, where it is another one than usual. The keychain is not asked then.
setting-llm-key_command = Key command
setting-llm-key_command-help = Program that prints the key, such as gcloud auth print-access-token. It is run at the beginning of each review.
setting-llm-effort = Effort
setting-llm-effort-help = How much the model thinks. Its own default if none.
setting-llm-effort-none = No thinking
setting-llm-effort-minimal = Minimal
setting-llm-effort-low = Low
setting-llm-effort-medium = Medium
setting-llm-effort-high = High
setting-llm-effort-xhigh = Very high
setting-llm-effort-max = Maximum
setting-llm-temperature = Temperature
setting-llm-temperature-help = From 0 to 2. The provider’s default if empty.
setting-llm-max_tokens = Longest answer
setting-llm-max_tokens-help = In tokens, 256 to 200,000.
setting-llm-context_tokens = Largest request
setting-llm-context_tokens-help = In tokens, 2,000 to 2,000,000. Anything over it is left out, and the report says what.
setting-llm-headers = Extra headers
setting-llm-headers-help = Sent along with each request. One that holds a secret comes from an environment variable.
setting-llm-fallback = Takes over
setting-llm-fallback-help = Models of the list below, in this order, when this one is out of order, out of quota, or refuses the key.
setting-llm-fallback-drop = Let nobody take over
setting-llm-fallback-keep = Same as for all
setting-models = Models that can take over
setting-models-help = Each by a name of its own. None has anything of the model above.
setting-fixer-runs_on = Who fixes
setting-fixer-runs_on-help = An agent works in its own worktree; Collie checks what it did, commits and pushes.
setting-fixer-by_author = Who fixes, by author
setting-fixer-by_author-help = The agent that wrote a pull request can fix it too. All others use the one above.
setting-reviewers = Personas
setting-reviewers-help = What each runs on. Default means the language model, or else the agent that fixes.
setting-agents = Agents
setting-agents-help = Your own, which speak ACP over standard input and output, or another way to start one that Collie knows. Variables are the environment variables an agent gets to log in with.
setting-mcp = MCP servers
setting-mcp-help = Tools of yours that agents are handed on over MCP. A secret is named by its variable: the file holds none.
setting-mcp-used_by-fixer = The agent that fixes
setting-mcp-used_by-reviewers = Agents that review
setting-mcp-transport-http = HTTP
setting-mcp-transport-sse = SSE, the older form
setting-max_pr_review_iterations = Pushes
setting-max_pr_review_iterations-help = Maximum by Collie per run before it needs you, 1 to 50.
setting-ci_check_timeout = Wait for checks
setting-ci_check_timeout-help = If they are still running after this time, the run fails.
setting-external_bot_timeout = Wait for bots
setting-external_bot_timeout-help = How long Collie waits for an expected bot on each head.
setting-poll_interval = Read GitHub every
setting-poll_interval-help = While a loop works or waits. At least 15s on github.com.
setting-ready_poll_interval = When ready, every
setting-ready_poll_interval-help = While a pull request is ready and waits for you.
setting-collect_failures_for = Collect failures for
setting-collect_failures_for-help = After a first red check, how long Collie waits for the others before it fixes.
setting-no_checks_grace = Wait for a first check
setting-no_checks_grace-help = How long Collie waits for a check to report on a head that has none.
setting-budget-per_pull_request_usd = Budget for a pull request
setting-budget-per_pull_request_usd-help = Dollars that models and agents may spend on one pull request, all its runs together. The worst case of each question is reserved before it is asked; where the budget does not cover it, the loop waits for you. Empty: no limit.
setting-budget-per_day_usd = Budget for a day
setting-budget-per_day_usd-help = Dollars that they may spend in a day, on all pull requests together. Where it is used up, loops wait until midnight.
setting-budget-total_usd = Budget in all
setting-budget-total_usd-help = Dollars that they may ever spend from this data folder. Where it is used up, loops wait for you.
setting-budget-per_pull_request_tokens = Tokens for a pull request, without a price
setting-budget-per_pull_request_tokens-help = Tokens that agents and models without a known price may use on one pull request; one answer may pass it. Empty: 200,000 for each dollar of the limit in dollars.
setting-budget-per_day_tokens = Tokens for a day, without a price
setting-budget-per_day_tokens-help = The same for all pull requests of a day.
setting-budget-total_tokens = Tokens in all, without a price
setting-budget-total_tokens-help = The same for all pull requests, ever.
setting-disk-checkout_mb = Largest checkout
setting-disk-checkout_mb-help = Megabytes that the files of a pull request may take together. A larger one is not checked out, and needs you.
setting-disk-checkout_files = Most files in a checkout
setting-disk-checkout_files-help = Files and folders that a pull request may have. One with more is not checked out, and needs you.
setting-disk-sandbox_mb = Disk for commands and agents
setting-disk-sandbox_mb-help = Megabytes that a command or an agent may have in its folders together. What passes that is ended.
setting-disk-replay_days = Days that a run can be replayed
setting-disk-replay_days-help = For so long after a run ended the journal keeps what it was decided from, for `collie replay`. What happened stays in any case.
setting-max_restarts = Restarts
setting-max_restarts-help = Maximum pushes by others during a run before it needs you, 1 to 1000.
setting-session_retries = Retries
setting-session_retries-help = How often a failed reviewer or fixer is retried, 0 to 10.
setting-slots = Slots
setting-slots-help = How many loops review or fix at the same time, 1 to 64. Waiting takes no slot.
setting-verify-prepare = Prepare the verification
setting-verify-prepare-help = A command that runs before those below, such as `npm ci`, and may reach the hosts you name.
setting-verify-prepare_hosts = Hosts for preparing
setting-verify-prepare_hosts-help = Hosts that such a command may reach, such as registry.npmjs.org. A repository’s own command reaches no others.
setting-verify-commands = Verify commands
setting-verify-commands-help = Run in order in the worktree; every fix must pass all of them before it is pushed. One command per line.
setting-ignore_label = Label that keeps Collie away
setting-ignore_label-help = Pull requests with this label are left alone.
setting-bots = Known bots
setting-bots-help = Collie recognizes a bot by its account number. What a bot says counts only if its number is here.
setting-expected_bots = Expected bots
setting-expected_bots-help = Known bots, by login, that Collie waits for on every head.
setting-ignored_checks = Ignored checks
setting-ignored_checks-help = Checks that neither hold up a pull request nor count as red. One name per line.

# What models and agents have spent (§15).
spending-title = Spending
spending-today = Today
spending-total = In all
spending-unlimited = { $spent }, no limit
spending-limited = { $spent } of { $limit }, { $left } left
spending-tokens = { $spent } tokens without a price
spending-tokens-limited = { $spent } of { $limit } tokens without a price

# A server for a team.
server-title = Sign in
server-text = This Collie works for a team. You see and do here what GitHub lets you.
server-device-begin = Sign in with a code
server-device-note = You type a short code on GitHub’s page, and need no token.
server-device-type = Type this code on GitHub’s page:
server-device-open = Open GitHub’s page
server-device-waiting = Waiting for you to type it. This page then continues by itself.
server-token-instead = Or with a token of your own
server-token-note = A classic token needs the scope repo; a fine-grained one must be able to read pull requests, and to write contents if you want to start or cancel runs. Collie keeps it encrypted until your session ends, only your browser has the key, and works with an account of its own.
