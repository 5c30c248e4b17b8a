# What the `collie` command says in a terminal.

cli-error = error:
cli-hint = hint:
cli-round = { $n } of { $max } fixes
cli-rounds = { $count ->
    [0] no push
    [one] 1 push
   *[other] { $count } pushes
}
cli-findings-fixed = { $count ->
    [one] 1 finding fixed
   *[other] { $count } findings fixed
}
cli-more = … and { $count } more

cli-watching = { $count ->
    [one] Watching 1 pull request. Ctrl-C pauses; the next start goes on.
   *[other] Watching { $count } pull requests. Ctrl-C pauses; the next start goes on.
}
cli-following = Another collie works on this data folder (process { $pid }); following it.
cli-following-unknown = Another collie works on this data folder; following it.
cli-paused = Paused. Start again to go on where it was.
cli-nothing-open = { $repo } has no open pull request that is no draft.
cli-no-loops = No pull request has been taken up yet: start one with `collie watch OWNER/REPO#N`.
cli-no-loop = { $pull } has not been taken up: start it with `collie watch { $pull }`.
cli-engine-runs = An engine runs (process { $pid }).
cli-engine-rests = No engine runs: loops rest until the next `collie watch`.
cli-asked = Asked the running engine.
cli-queued = No engine runs: queued until the next `collie watch`.
cli-refused = The engine refused: { $reason }
cli-no-answer = The running engine has not answered yet; the request stays queued.
cli-hint-doctor = `collie doctor` says what is missing.
cli-hint-configuration = Put it right, then start again; the user guide lists every key.
cli-hint-forge = `collie help forge` says what each of its commands takes.
cli-hint-git = Install git 2.38 or later, so that `git` is found on PATH.
cli-hint-data = `collie doctor` looks at the data folder; COLLIE_HOME names another.
cli-hint-usage = `collie --help` lists the commands, `collie help COMMAND` what each takes.
cli-hint-allow = Add the login to allowed_users in { $file }, or to GITHUB_AUTO_PR_REVIEW_ALLOWED_USERS.
cli-log-effects = asks for { $effects }

cli-review-reading = Reading { $pull } …
cli-doing = { $who }: { $doing }
cli-review-looking = Reviewing: { $names } …
cli-review-posting = Posting the review …
cli-review-title = { $pull } at { $head }: { $verdict } ({ $names })
cli-review-report = The review
cli-review-posted = { $count ->
    [0] Posted the review: { $url }
    [one] Posted the review, with 1 comment on its line: { $url }
   *[other] Posted the review, with { $count } comments on their lines: { $url }
}
cli-review-before = A review of this head is already posted; nothing was added: { $url }
cli-review-dry = { $count ->
    [0] Dry run: nothing was posted. It would be the review alone, with no comment on a line.
    [one] Dry run: nothing was posted. It would be the review with 1 comment on its line.
   *[other] Dry run: nothing was posted. It would be the review with { $count } comments on their lines.
}

cli-imported = Imported { $repo }.
cli-opened = Opened { $pull }.
cli-serving = The forge listens on { $url }. Ctrl-C ends it.

demo-title = Collie demo: pull requests on a local forge, worked on by the real engine. Nothing leaves this machine.
demo-setting-up = Setting up sample repositories …
demo-as-designed = All { $count } scenarios ended as designed.
demo-one-as-designed = The scenario ended as designed.
demo-not-as-designed = { $scenario } did not end as designed:
demo-kept = Everything is kept in { $folder }.
demo-next = Try it on a repository of yours: see “Your own repository” in README.md.

doctor-rebuilt = { $count ->
    [0] Nothing to make anew: there are no checkpoints.
    [one] Made the journal anew from 1 checkpoint.
   *[other] Made the journal anew from { $count } checkpoints.
}
doctor-rebuild-healthy = The journal is sound: nothing was done.
doctor-rebuilt-kept = The old journal is kept as { $file }.
doctor-rebuilt-skipped = { $file } could not be used: { $reason }
