# Help of the `collie` command. Keys are `usage-COMMAND-about` and `usage-COMMAND-arg-ARGUMENT`.

usage-template =
    { "{" }about-with-newline{ "}" }
    Usage: { "{" }usage{ "}" }

    { "{" }all-args{ "}" }
usage-commands = Commands
usage-values = [values: { $values }]
usage-default = [default: { $values }]

usage-arg-json = Print one JSON object a line and nothing else
usage-arg-home = The data folder; else COLLIE_HOME, else the place this system has for such data
usage-arg-lang = The language of what is printed; else the configured one, else LANG
usage-arg-help = Print help
usage-arg-version = Print the version

usage-about = Takes pull requests from open to ready to merge, and leaves the merging to a person
usage-help-about = Print help of a command
usage-help-arg-subcommand = The command
usage-demo-about = Run the loop on sample repositories on a local forge: no account, no key, no network
usage-demo-arg-scenario = Only this scenario; all of them side by side without it. May be repeated
usage-demo-arg-root = Where the forge and the data folder live; a temporary folder without it
usage-watch-about = Run loops in this terminal
usage-watch-arg-targets = OWNER/REPO#N, or OWNER/REPO for all its open pull requests that are not drafts
usage-watch-arg-until_settled = End once each loop has ended, is ready, or waits for something only a person can do
usage-start-about = Ask the running engine to start a loop; it is queued if no engine is running
usage-start-arg-pull = OWNER/REPO#N
usage-cancel-about = Ask the running engine to cancel a run
usage-cancel-arg-pull = OWNER/REPO#N
usage-retry-about = Ask the running engine to start a new run
usage-retry-arg-pull = OWNER/REPO#N
usage-resume-about = Ask the running engine to resume a loop after `needs_human`, with what is known
usage-resume-arg-pull = OWNER/REPO#N
usage-trust-about = Show the verify commands of a repository, and remember that they may run
usage-trust-arg-repo = OWNER/REPO
usage-trust-arg-yes = Trust the commands as they stand now, without asking
usage-trust-arg-skip = Continue without the repository’s commands; the proof names them
usage-trust-arg-revoke = Ask again before a fix is verified
usage-allow-about = Let Collie fix the pull requests of an author without write access, or one pull request
usage-allow-arg-target = OWNER/REPO#N for one pull request; OWNER/REPO with --author
usage-allow-arg-author = All pull requests of this author in the repository
usage-allow-arg-revoke = Take it back
usage-seen-about = Show what no reviewer was shown, and say that you have looked at it
usage-seen-arg-pull = OWNER/REPO#N
usage-seen-arg-yes = Say that you have looked at the files, without being asked
usage-status-about = Show where loops stand and what they wait for
usage-status-arg-pull = Only this one; all without it
usage-log-about = Show the journal of a loop as a timeline
usage-log-arg-pull = OWNER/REPO#N
usage-review-about = Review a pull request once, and post the review: no loop, no fix
usage-review-arg-numbers = The number of the pull request, or several: they are reviewed one after the other
usage-review-arg-repo = Their repository
usage-review-arg-llm_provider = The provider of the language model; else LLM_PROVIDER, else the configured one
usage-review-arg-model = The provider’s name for the model; else LLM_MODEL, else the configured one
usage-review-arg-llm_url = Where the provider answers, if not at its own address; else LLM_API_URL, else the configured one
usage-review-arg-temperature = The temperature, from 0 to 2
usage-review-arg-max_tokens = The longest answer of the model, in tokens
usage-review-arg-dry_run = Print what would be posted, and write nothing on GitHub
usage-review-arg-fail_on = End with status 3 where a finding of this priority or a graver one counts
usage-review-arg-format = How the review is printed: a summary, the whole report as Markdown, or as --json does
usage-rules-about = The built-in rules: list them, test your own, see where they would fire
usage-rules-list-about = List the rules, with those of the repository around this folder
usage-rules-test-about = Run the cases of rules, which stand in `rule-tests` beside the folder of the rules
usage-rules-test-arg-paths = Rule files, or folders of them
usage-rules-try-about = Show where the rules would fire in files, as though each were new
usage-rules-try-arg-paths = Files, or folders with all in them that git does not ignore
usage-rules-try-arg-rule = Only this rule. May be repeated
usage-rules-try-arg-rules = A rule file, or a folder of them, to try besides the shipped ones; else the repository’s own
usage-doctor-about = Check git, gh, the token, the sandbox, the quota and the data folder
usage-doctor-arg-rebuild = Rebuild the journal from the checkpoints, after it was lost or damaged
usage-forge-about = A local stand-in for GitHub
usage-forge-serve-about = Serve a forge until interrupted; prints one JSON line once it listens
usage-forge-serve-arg-root = The folder that holds everything
usage-forge-serve-arg-listen = A loopback address; port 0 takes any
usage-forge-import-about = Import a git repository with all its branches
usage-forge-import-arg-root = The folder that holds everything
usage-forge-import-arg-repo = What it is called on the forge
usage-forge-import-arg-git = The repository to import; it is only read
usage-forge-open-pr-about = Open a pull request between two branches or commits
usage-forge-open-pr-arg-root = The folder that holds everything
usage-forge-open-pr-arg-repo = The repository
usage-forge-open-pr-arg-base = The branch that it goes into, or a commit to make one of
usage-forge-open-pr-arg-head = The branch that it comes from, or a commit to make one of
usage-forge-open-pr-arg-title = Its title
usage-forge-open-pr-arg-author = Who opens it; the repository’s owner without it
usage-completions-about = Print the completions of a shell
usage-completions-arg-shell = The shell
