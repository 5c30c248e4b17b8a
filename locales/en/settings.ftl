# Settings: what is wrong with a configuration, and the form's labels.

# Where something is wrong. "place" is a file or a variable; a key may follow it.
settings-place-together = configuration
settings-place-line = { $place }, line { $line }
settings-problem = { $place }: { $wrong }

# What was written, where it is too long to be said back.
settings-shown-array = this array
settings-shown-table = this table
settings-shown-datetime = this datetime

settings-wrong-no-toml = { $reason }
settings-wrong-not-utf8 = not UTF-8 after byte { $byte }
settings-wrong-unreadable = cannot be read: { $reason }
settings-wrong-unknown-key-near = unknown key; did you mean `{ $name }`?
settings-wrong-unknown-key = unknown key; known keys are { $known }
settings-wrong-users-only = only the user’s own config.toml may set this
settings-wrong-users-only-bots = only the user’s own config.toml may name bots, since what they say is trusted
settings-wrong-users-only-repositories = only the user’s own config.toml may list repositories, since it says where loops start by themselves
settings-wrong-users-only-desktop = only the user’s own config.toml may configure the desktop app
settings-wrong-users-only-models = only the user’s own config.toml may choose models and agents, since they run on the user’s machine
settings-wrong-llm-incomplete = a language model needs both `provider` and `model`: Collie has no default for either
settings-wrong-llm-without-url = the provider "compatible" needs a `url`, such as "http://127.0.0.1:8080/v1"
settings-wrong-agent-without-command = Collie does not know this agent: it needs a `command`, such as ["my-agent", "--acp"]
settings-wrong-no-temperature = { $value } is not valid: expected a number from 0 to 2, such as 0.2
settings-wrong-no-name = "{ $name }" is not a valid name: expected lower-case letters, digits and dashes
settings-wrong-no-agent = "{ $name }" is not an agent: set it up as [agents.{ $name }] with its `command`
settings-wrong-no-agent-near = "{ $name }" is not an agent; did you mean "{ $near }"?
settings-wrong-no-reviewer-near = "{ $name }" is not a reviewer; did you mean "{ $near }"?
settings-wrong-no-table = expected a table: [{ $name }]
settings-wrong-no-tables = expected tables: [[{ $name }]]
settings-wrong-approval-off = Collie never merges; a person always decides, so this can only be true
settings-wrong-auto-merge = Collie never merges, so this can only be false
settings-wrong-no-address = { $value } is not a valid address: expected one such as "https://ghe.example.com/api/v3", without a login in it
settings-wrong-no-account = expected the number of the bot’s account
settings-wrong-bot-incomplete = a bot needs an `id` and a `login`
settings-wrong-stage-size = a stage has 1 to 5 reviewers, not { $count }
settings-wrong-stage-empty = a stage needs `reviewers`
settings-wrong-reviewer-twice = a reviewer is named twice in one stage
settings-wrong-no-reviewer = "{ $name }" is not a reviewer: expected "rules", a persona in lower case, or "@" and the login of a person
settings-wrong-no-time = { $value } is not a duration: expected one such as "30m", "45s" or "500ms"
settings-wrong-out-of-range = { $value } is not valid: expected a whole number from { $least } to { $most }
settings-wrong-no-share = { $value } is not valid: expected a number from 0 to 1, such as 0.7
settings-wrong-no-share-text = { $value } is not valid: expected a number from 0 to 1
settings-wrong-no-truth = { $value } is not valid: expected true or false
settings-wrong-no-text = { $value } is not valid: expected a string
settings-wrong-no-texts = { $value } is not valid: expected a list of strings, such as ["a", "b"]
settings-wrong-no-login = "{ $name }" is not a login
settings-wrong-no-choice = { $value } is not valid: expected one of { $choices }
settings-wrong-no-choice-near = { $value } is not valid: expected one of { $choices }; did you mean "{ $near }"?
settings-wrong-no-language = { $value } is not valid: expected en or fr
settings-wrong-unknown-bot = "{ $name }" is not a known bot; add it under [[bots]] with the number of its account
settings-wrong-unknown-bot-near = "{ $name }" is not a known bot; did you mean "{ $near }"?
settings-wrong-poll-too-fast = github.com is read every 15 s at most: set it to "15s" or more
settings-wrong-no-repository = "{ $name }" is not a repository: expected one such as "owner/repo"
settings-wrong-repository-unnamed = a repository needs a `name`
settings-wrong-repository-twice = { $name } is listed twice
settings-wrong-held-by-environment = { $name } is set in the environment, which takes precedence; unset it there to change this here
settings-wrong-no-value = { $value } is not allowed here
