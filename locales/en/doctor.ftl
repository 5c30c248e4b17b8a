# What Collie finds when it looks at this machine: `collie doctor`, and the settings of the desktop app.

doctor-ok = ok
doctor-warning = note
doctor-bad = wrong
doctor-git = git
doctor-git-ok = { $version }
doctor-git-missing = not found; install git 2.38 or later
doctor-gh = gh
doctor-gh-accounts = { $version }; accounts on { $host }: { $accounts }; choose one with github_account
doctor-gh-active = { $login } (gh’s own choice)
doctor-gh-missing = not found; a token in GITHUB_TOKEN works too
doctor-token = token
doctor-token-missing = none for { $host }: sign in with `gh auth login`, or set GITHUB_TOKEN
doctor-token-of = { $login } on { $host }
doctor-token-refused = { $host }: { $reason }
doctor-server = GitHub Enterprise Server
doctor-server-ok = { $version }
doctor-server-lacks = { $version }, which does not know { $fields }: Collie does without; update the server to see what depends on them
doctor-rights = permissions
doctor-rights-ok = { $repo }: the token lacks nothing that GitHub tells beforehand
doctor-rights-lacking = { $repo }: the token lacks { $names }; grant it in GitHub’s settings of the token
doctor-allowed = allowed users
doctor-allowed-you = { $login } may start loops
doctor-allowed-nobody = nobody may start loops: add a login to allowed_users in { $file }
doctor-allowed-not-you = { $login } may not start loops: add the login to allowed_users in { $file }
doctor-model = language model
doctor-model-none = not set up; the rules and agents review without it
doctor-model-ok = { $tables }{ $model } ({ $provider })
doctor-model-login = { $tables }{ $model } ({ $provider }), with the AWS login of { $place }
doctor-model-key = { $tables }{ $model } ({ $provider }): no key; enter one in the settings of the app, or set { $variables }
doctor-model-no-keychain = { $tables }{ $model } ({ $provider }): no key; set { $variables }, or name a program that prints it as `key_command`: there is no keychain here
doctor-model-variable = { $tables }{ $model } ({ $provider }): no key; `key_variable` names { $variables }, which is not set
doctor-agent = coding agent
doctor-agent-none = none found; the rules fix without one
doctor-agent-ok = { $agent }: { $login }, ACP { $protocol }
doctor-agent-resumes = { $agent }: { $login }, ACP { $protocol }, resumes earlier sessions
doctor-agent-login = logged in
doctor-agent-login-unknown = login status unknown
doctor-agent-no-login = not logged in
doctor-sandbox = sandbox
doctor-sandbox-ok = verify commands and coding agents run in bubblewrap, without your files and with no network but the hosts you named; { $limits }
doctor-sandbox-untried = verify commands and coding agents run in Seatbelt, which nobody has tried with Collie yet; agents log in by variables only, and what leaves its process group may stay; { $limits }
doctor-sandbox-cgroup = cgroup: used
doctor-sandbox-rlimits = cgroup: not available, rlimits instead
doctor-process = Collie’s process
doctor-process-ok = no secret in its environment, no core file, closed to other programs
doctor-process-memory = Other programs of this user can read its memory.
doctor-process-core = A crash may leave a core file with secrets in it.
doctor-process-variables = Secrets stand in its environment: { $variables }.
doctor-data = data folder
doctor-data-ok = { $folder }
doctor-engine = engine
doctor-engine-runs = running (process { $pid })
doctor-engine-rests = not running
doctor-config = configuration
doctor-config-none = { $file } does not exist; defaults apply
doctor-config-ok = { $file }
doctor-quota = quota
doctor-quota-left = { $left } of { $limit } requests left until { $until }
doctor-journal = journal
doctor-journal-loops = { $count ->
    [one] 1 loop
   *[other] { $count } loops
}
doctor-audit = audit log
doctor-audit-ok = { $count ->
    [0] nothing written yet
    [one] 1 line, as it was written
   *[other] { $count } lines, as they were written
}
doctor-audit-unchained = { $count ->
    [one] 1 line before them is from an older version and not chained
   *[other] { $count } lines before them are from an older version and not chained
}
doctor-audit-fault-edited = { $file }, line { $line }: not as it was written.
doctor-audit-fault-gap = { $file }, line { $line }: does not follow the line before it; a line was removed, added or moved.
doctor-audit-fault-unchained = { $file }, line { $line }: not chained, after lines that are.
doctor-audit-fault-truncated = { $file }: line { $line } was the last one, and is gone.
doctor-audit-more = { $count ->
    [one] 1 more line is wrong.
   *[other] { $count } more lines are wrong.
}
doctor-audit-unread = it cannot be read: { $message }
doctor-memory = memory
doctor-memory-ok = { $count ->
    [0] nothing remembered yet
    [one] 1 repository
   *[other] { $count } repositories
}
doctor-memory-broken = reviewers do without it until it is put right: { $message }.
doctor-memory-more = { $count ->
    [one] 1 more file cannot be read.
   *[other] { $count } more files cannot be read.
}
