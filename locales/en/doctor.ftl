# What Collie finds when it looks at this machine: `collie doctor`, and the settings of the desktop app.

doctor-ok = OK
doctor-warning = Note
doctor-bad = Wrong
doctor-git = git
doctor-git-ok = { $version }
doctor-git-missing = Not found. Install git 2.38 or later.
doctor-gh = gh
doctor-gh-accounts = { $version }; accounts on { $host }: { $accounts }; choose one with github_account
doctor-gh-active = { $login } (gh’s own choice)
doctor-gh-missing = Not found. A token in GITHUB_TOKEN works too.
doctor-token = Token
doctor-token-missing = None for { $host }. Sign in with `gh auth login`, or set GITHUB_TOKEN.
doctor-token-of = { $login } on { $host }
doctor-token-refused = { $host }: { $reason }
doctor-server = GitHub Enterprise Server
doctor-server-ok = { $version }
doctor-server-lacks = { $version }, which does not know { $fields }: Collie does without; update the server to see what depends on them
doctor-rights = Permissions
doctor-rights-ok = { $repo }: all permissions that can be checked are there
doctor-rights-lacking = { $repo }: the token lacks { $names }; grant it in GitHub’s settings of the token
doctor-allowed = Allowed users
doctor-allowed-you = { $login } may start loops
doctor-allowed-nobody = Nobody may start loops: add a login to allowed_users in { $file }
doctor-allowed-not-you = { $login } may not start loops: add the login to allowed_users in { $file }
doctor-model = Language model
doctor-model-none = Not set up. The rules and agents review without it.
doctor-model-ok = { $tables }{ $model } ({ $provider })
doctor-model-login = { $tables }{ $model } ({ $provider }), with the AWS login of { $place }
doctor-model-key = { $tables }{ $model } ({ $provider }): no key; enter one in the settings of the app, or set { $variables }
doctor-model-no-keychain = { $tables }{ $model } ({ $provider }): no key; set { $variables }, or name a program that prints it as `key_command`: there is no keychain here
doctor-model-variable = { $tables }{ $model } ({ $provider }): no key; `key_variable` names { $variables }, which is not set
doctor-agent = Coding agent
doctor-agent-none = None found. The rules fix without one.
doctor-agent-ok = { $agent }: { $login }, ACP { $protocol }
doctor-agent-resumes = { $agent }: { $login }, ACP { $protocol }, resumes earlier sessions
doctor-agent-login = logged in
doctor-agent-login-unknown = login status unknown
doctor-agent-no-login = not logged in
doctor-sandbox = Sandbox
doctor-sandbox-ok = Verify commands and coding agents run in bubblewrap, without your files and with no network but the hosts you named. { $limits }
doctor-sandbox-untried = Verify commands and coding agents run in Seatbelt, which nobody has tried with Collie yet. Agents log in by variables only, and what leaves its process group may stay. { $limits }
doctor-sandbox-cgroup = A cgroup limits what they use.
doctor-sandbox-rlimits = There is no cgroup to limit what they use: rlimits do.
doctor-process = Collie’s process
doctor-process-ok = No secret in its environment, no core file, closed to other programs.
doctor-process-memory = Other programs of this user can read its memory.
doctor-process-core = A crash may leave a core file with secrets in it.
doctor-process-variables = Secrets stand in its environment: { $variables }.
doctor-data = Data folder
doctor-data-ok = { $folder }
doctor-engine = Engine
doctor-engine-runs = Running (process { $pid })
doctor-engine-rests = Not running
doctor-config = Configuration
doctor-config-none = { $file } does not exist; defaults apply
doctor-config-ok = { $file }
doctor-quota = Quota
doctor-quota-left = { $left } of { $limit } requests left until { $until }
doctor-journal = Journal
doctor-journal-database = The loops of this folder are shown from PostgreSQL, which is not looked at here.
doctor-journal-loops = { $count ->
    [one] 1 loop
   *[other] { $shown } loops
}
doctor-audit = Audit log
doctor-audit-ok = { $count ->
    [0] Nothing written yet
    [one] 1 line, as it was written
   *[other] { $shown } lines, as they were written
}
doctor-audit-unchained = { $count ->
    [one] 1 line before them is from an older version and not chained
   *[other] { $shown } lines before them are from an older version and not chained
}
doctor-audit-fault-edited = { $file }, line { $line }: not as it was written.
doctor-audit-fault-gap = { $file }, line { $line }: does not follow the line before it; a line was removed, added or moved.
doctor-audit-fault-unchained = { $file }, line { $line }: not chained, after lines that are.
doctor-audit-fault-truncated = { $file }: line { $line } was the last one, and is gone.
doctor-audit-more = { $count ->
    [one] 1 more line is wrong.
   *[other] { $shown } more lines are wrong.
}
doctor-audit-unread = It cannot be read: { $message }
doctor-memory = Memory
doctor-memory-ok = { $count ->
    [0] Nothing remembered yet
    [one] 1 repository
   *[other] { $shown } repositories
}
doctor-memory-broken = Reviewers do without it until it is put right: { $message }.
doctor-memory-more = { $count ->
    [one] 1 more file cannot be read.
   *[other] { $shown } more files cannot be read.
}
