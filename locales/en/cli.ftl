# What the `collie` command says in a terminal.

cli-error = error:
cli-hint = hint:
cli-round = { $n } of { $max } pushes
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

cli-rules-has-fix = { " " }(has a fix)
cli-rules-is-off = { " " }(off)
cli-rules-no-cases = has no cases: write them into { $folder }, in a file of the rule file’s name.
cli-rules-cases = { $count ->
    [one] 1 case
   *[other] { $count } cases
}
cli-rules-broken-code = The code does not parse, so the rule sees nothing in it:
cli-rules-no-match = The rule finds nothing in this invalid code:
cli-rules-unexpected = The rule finds something in this valid code, on line { $lines }:
cli-rules-other-lines = The rule finds something on line { $found }, expected on line { $expected }:
cli-rules-other-fix = The fix makes something else of it: { $text }
cli-rules-fix-repeats = Applied a second time, the fix changes something again: { $text }
cli-rules-unapplied-no_match = The fix was not applied: nothing is found on that line.
cli-rules-unapplied-no_fix = The fix was not applied: the rule has none.
cli-rules-unapplied-overlaps = The fix was not applied: it overlaps with another one.
cli-rules-unapplied-breaks_syntax = The fix was not applied: the file would no longer parse.
cli-rules-unapplied-still_matches = The fix was not applied: the rule would still find something there.
cli-rules-tried = { $files ->
    [one] 1 file read
   *[other] { $files } files read
}, { $matches ->
    [0] nothing found
    [one] 1 finding
   *[other] { $matches } findings
}

cli-watching = { $count ->
    [one] Watching 1 pull request. Press Ctrl-C to pause; the next start resumes.
   *[other] Watching { $count } pull requests. Press Ctrl-C to pause; the next start resumes.
}
cli-following = Another collie is using this data folder (process { $pid }); following it.
cli-following-unknown = Another collie is using this data folder; following it.
cli-paused = Paused. Start again to resume.
cli-nothing-open = { $repo } has no open pull requests other than drafts.
cli-backup-database = Its loops are shown from PostgreSQL, which is no part of it: a database that was lost is filled again from Restate.
cli-backup-done =
    { $folder } holds the backup: { $kib } kB, { $lines } lines of the audit log{ $faults ->
        [0] .
       *[other] , which has faults: `collie doctor` names them.
    }
cli-restore-done =
    { $folder } was made of the backup: { $kib } kB, { $lines } lines of the audit log{ $faults ->
        [0] .
       *[other] , which has faults: `collie doctor` names them.
    }
cli-team-serving = Serving on { $address }. Ctrl-C stops; loops resume at the next start.
cli-team-stopped = Stopped. Loops resume at the next start.
cli-worker-listens = This worker listens on { $address } and answers to { $ingress }. Ctrl-C stops it; other workers continue.
cli-move-there = { $count ->
    [one] One loop lives in Restate now.
   *[other] { $count } loops live in Restate now.
 } `collie serve --engine restate` shows them from this data folder.
cli-move-back = { $count ->
    [one] One loop lives in this data folder again.
   *[other] { $count } loops live in this data folder again.
 } Its engine works on them once it starts.
cli-move-other = { $pull } had a loop in Restate before: that one stays.
cli-move-left-commit = { $pull }: a commit that was not pushed did not come along. Its push will fail, and the loop then says what to do.
cli-worker-stopped = Stopped. Other workers resume what was begun.
cli-runner-waits = Waiting for sessions of { $server }. Ctrl-C stops, and gives a session back.
cli-runner-away = The server does not answer: { $message }
cli-runner-began = { $work ->
    [fix] Fixing { $pull }
   *[review] Reviewing { $pull }
}
cli-runner-handed-in = Handed in: { $pull }
cli-runner-failed = { $pull } failed here, and the server was told: { $reason }
cli-runner-over = { $pull } is no longer wanted from this runner.
cli-runner-given-back = { $pull } was given back.
cli-runner-stopped = Stopped.
cli-runner-revoked = The token of { $name } no longer works.
cli-runner-none = No runner is called { $name }.
cli-no-loops = No loops yet: start one with `collie watch OWNER/REPO#N`.
cli-all-paused = Everything is paused, by { $login } since { $since }: `collie unpause` has it continue.
cli-spent-today = Spent today: { $spent }
cli-spent-today-limited = Spent today: { $spent } of { $limit }
cli-engine-runs = The engine is running (process { $pid }).
cli-engine-rests = The engine is not running: loops are paused until the next `collie watch`.
cli-asked = Sent to the running engine.
cli-queued = The engine is not running: queued until the next `collie watch`.
cli-no-answer = The engine has not answered yet; the request stays queued.

cli-review-reading = Reading { $pull }…
cli-doing = { $who }: { $doing }
cli-review-looking = Reviewing: { $names }…
cli-review-posting = Posting the review…
cli-review-title = { $pull } at { $head }: { $verdict } ({ $names })
cli-review-title-earlier = { $pull } at { $head }: { $verdict } ({ $count ->
    [one] 1 finding counts
   *[other] { $count } findings count
})
cli-review-reading-failed = Reading these files failed, so { $name } was not shown them: { $files }.
cli-review-permission-unread = GitHub does not tell this token what { $names } may do here: their words count as those of people without write access.
cli-review-left-out = { $count ->
    [one] One part of the material was
   *[other] { $count } parts of the material were
} not shown to { $name } for lack of space. { $files }
cli-review-report = Review
cli-review-posted = { $count ->
    [0] Posted the review: { $url }
    [one] Posted the review with 1 inline comment: { $url }
   *[other] Posted the review with { $count } inline comments: { $url }
}
cli-review-before = This head already has a review; nothing was posted: { $url }
cli-review-dry = { $count ->
    [0] Dry run: nothing was posted. The review would have no inline comments.
    [one] Dry run: nothing was posted. The review would have 1 inline comment.
   *[other] Dry run: nothing was posted. The review would have { $count } inline comments.
}
cli-sarif-runs = The file has { $count } runs; GitHub takes at most { $limit } of them: split the pull requests over several files.
cli-sarif-results = { $pull } has { $count } findings: { $kept } of them are in the file, and GitHub shows the { $shown } with the highest severity.
cli-sarif-nowhere = { $pull }: { $count ->
    [one] 1 finding is not about a file and is told as a notification, which GitHub does not show; it is in the report.
   *[other] { $count } findings are not about a file and are told as notifications, which GitHub does not show; they are in the report.
}
cli-action-fork = This workflow has no secrets, because a fork or Dependabot caused it: only the built-in rules have looked, and nothing was posted.

cli-imported = Imported { $repo }.
cli-opened = Opened { $pull }.
cli-serving = The forge is listening on { $url }. Press Ctrl-C to stop it.

demo-title = Collie demo: pull requests on a local forge, handled by the real engine. Nothing leaves this machine.
demo-setting-up = Setting up sample repositories…
demo-as-designed = All { $count } scenarios ended as designed.
demo-one-as-designed = The scenario ended as designed.
demo-not-as-designed = { $scenario } did not end as designed:
demo-kept = Everything is kept in { $folder }.
demo-next = To try it on your own repository, see “Your own repository” in README.md.

doctor-rebuilt = { $count ->
    [0] Nothing to rebuild: there are no checkpoints.
    [one] Rebuilt the journal from 1 checkpoint.
   *[other] Rebuilt the journal from { $count } checkpoints.
}
doctor-rebuild-healthy = The journal is intact: nothing was changed.
doctor-rebuilt-history = From the damaged journal came back: spending of { $days ->
    [one] 1 day
   *[other] { $days } days
}, { $runs ->
    [one] 1 run
   *[other] { $runs } runs
}.
doctor-rebuilt-incomplete = Some spending or some ended runs could not be recovered. What the loops themselves still know counts towards the limits.
doctor-rebuilt-kept = The old journal is kept as { $file }.
doctor-rebuilt-skipped = { $file } could not be used: { $reason }

cli-unread = Nobody has read this change: the built-in rules only look for patterns that they know.
cli-unseen = { $count ->
    [one] Nobody was shown all of 1 file at { $head }:
   *[other] Nobody was shown all of { $count } files at { $head }:
}
cli-unseen-file = { $path }: { $reason }
cli-unseen-more = { $count ->
    [one] and 1 more
   *[other] and { $count } more
}
cli-rules-only = { $count ->
    [one] Read by the built-in rules only: { $names }
   *[other] { $count } files were read by the built-in rules only: { $names }
}
cli-seen-by = @{ $login } has looked at them.
cli-seen-ask = Look at them on GitHub. `--yes` says that you have.
cli-seen-confirm = Type { $head } to say that you have looked at them:
cli-level = { $level ->
    [observe] Level observe: nothing is written on GitHub.
    [ask] Level ask: it posts, and each push waits for you.
   *[push] Level push: it posts and pushes.
}
cli-held = { $count ->
    [one] It would post 1 thing:
   *[other] It would post { $count } things:
}
cli-held-in = { $kind }, { $place }
cli-held-push = { $count ->
    [0] It would push { $commit }.
    [one] It would push { $commit }, which changes 1 file: { $names }
   *[other] It would push { $commit }, which changes { $count } files: { $names }
}
cli-approve-ask = The window shows its diff. `--yes` approves it without being asked.
cli-approve-confirm = Type { $commit } to have it pushed:
cli-reject-confirm = Type { $commit } to have the fixer try again:
cli-insights-days = { $from } to { $to }
cli-insights-nothing = Nothing happened in this time. `--since all` shows everything there is.
cli-insights-unrecorded = { $count ->
    [one] 1 run ended before findings and reasons were recorded: it counts only for times and merges.
   *[other] { $count } runs ended before findings and reasons were recorded: they count only for times and merges.
 }
cli-memory-empty = Nothing is remembered of { $repo } yet: what people dismiss in its threads with a reason, and what they merge fixed, is.
cli-memory-dismissed = dismissed
cli-memory-accepted = accepted
cli-memory-until = until { $day }
cli-memory-for-ever = for ever
cli-memory-forgotten = { $id } is forgotten.
cli-account-token = Token of @{ $login } (it is not shown):
cli-account-added = The token of @{ $login } is kept, encrypted. Collie posts with it where the configuration names the account.
cli-account-unseen = The token of @{ $login } does not see { $repo }: invite the account there, or give the token access.
cli-account-removed = The token of @{ $login } is removed. What the account has said stays Collie’s own.
cli-account-rotated = { $count ->
    [one] 1 token is under the new key.
   *[other] { $count } tokens are under the new key.
}
cli-account-none = No token of an account is kept.
cli-account-line = { $usable ->
    [yes] @{ $login } on { $host }, since { $added }
   *[no] @{ $login } on { $host }, since { $added }: cannot be decrypted with the key at hand
}
cli-trust-own = Your own configuration names these verify commands, which need no further word:
cli-trust-source = { $source } of { $repo }, branch { $branch } at { $head }, names these verify commands:
cli-trust-sandboxed = They run the code of pull requests: in the sandbox, without network; a line `[prepare …]` with the hosts in it.
cli-trust-unsandboxed = They run the code of pull requests without a sandbox, as your configuration says: they may do all that you may.
cli-trust-none = The repository names no verify commands of its own: there is nothing to trust.
cli-trust-trusted = They are trusted. When they change, Collie asks again.
cli-trust-untrusted = They are not trusted: a fix waits until you decide. `--yes` trusts them, `--skip` continues without them.
cli-trust-skipped = They are left out, as you decided; the proof names them.
cli-trust-confirm = Type { $repo } to trust exactly these commands:
cli-trust-declined = Nothing was changed.

cli-models-title = { $provider }: { $count ->
    [0] no models
    [one] 1 model
   *[other] { $count } models
}
cli-models-context = { $tokens } tokens
cli-models-answers = { $name } answers: { $ms } ms, { $input } tokens in, { $output } out, { $cost }
cli-models-answered-as = { "  " }as { $name }

# `collie eval`.
cli-eval-set = The set { $set } can be used: { $cases } cases, { $clean } of them clean, { $faults } known faults.
cli-eval-prompts = { $count } prompts are in { $folder }. Change them, then: collie eval run --prompts { $folder }
cli-eval-written = { $file }: { $count ->
    [one] 1 entry written
   *[other] { $count } entries written
}
cli-eval-title = { $run }, set { $set }: { $cases ->
    [one] 1 case
   *[other] { $cases } cases
}, { $runs ->
    [one] 1 run
   *[other] { $runs } runs
}
cli-eval-precision = Precision { $value } % ({ $hits } of { $all } findings name a known fault; { $interval })
cli-eval-recall = Recall { $value } % ({ $hits } of { $all } faults found; { $interval })
cli-eval-f-one = F1 { $value } % ({ $interval })
cli-eval-clean = Clean cases: { $silent } of { $runs } runs without a finding ({ $interval }); { $wrong ->
    [0] no false finding
    [one] 1 false finding
   *[other] { $wrong } false findings
}
cli-eval-kinds = Found by kind: { $kinds }
cli-eval-unjudged = { $count ->
    [one] 1 finding is judged by nobody and in no figure
   *[other] { $count } findings are judged by nobody and in no figure
}: `collie eval judge`
cli-eval-cost-unknown = Price unknown
cli-eval-spent = { $cost }; { $input } tokens in, { $output } out; { $total } in all, { $median } for the run in the middle
cli-eval-failed = { $count ->
    [one] 1 run failed
   *[other] { $count } runs failed
}: { $names }
cli-eval-interval = 95 %: { $low } to { $high } %
cli-eval-run-figure = { $name }: { $value } ({ $interval })
cli-eval-seconds = { $seconds } s
cli-eval-interval-of = 95 %: { $low } to { $high }
cli-eval-no-interval = no interval
cli-eval-no-figure = { $name }: nothing to count
cli-eval-metric = { $metric ->
    [precision] Precision
    [recall] Recall
    [clean] False findings in 100 runs of clean cases
    [cost] Cost of a run
    [time] Time of a run
   *[other] F1
}
cli-eval-compare-title = First: { $first }. Second: { $second }. { $cases ->
    [one] 1 case of both
   *[other] { $cases } cases of both
}
cli-eval-difference = { $name }: { $first } → { $second } (difference { $interval }){ $noise ->
    [no] , more than noise
   *[yes] { "" }
}
cli-eval-only = Faults that the first alone found: { $first }; the second alone: { $second } (McNemar’s exact test: p = { $p })
cli-eval-verdict = { $better ->
    [first] The first is better: its F1 is higher by { $points } points, which is more than noise ({ $interval }).
    [second] The second is better: its F1 is higher by { $points } points, which is more than noise ({ $interval }).
   *[none] Neither is better as far as these cases tell: F1 differs by { $points } points, which chance alone may make ({ $interval }).
}
cli-eval-no-verdict = None of these cases has a known fault, so that no F1 can be compared.
cli-eval-case = { $case }: faults that the first alone found: { $first }, the second alone: { $second }; false findings: { $wrong } → { $other }
cli-eval-more = … and { $count } more; --json lists all
cli-eval-unpaired = { $count ->
    [one] 1 case of one side alone is left out
   *[other] { $count } cases of one side alone are left out
}: { $names }

# `collie replay`.
cli-replay-not-recorded = Not replayed: what it was decided from is not kept
cli-replay-waits = waits: { $code }
cli-replay-dropped = { $count ->
    [one] 1 effect is over
   *[other] { $count } effects are over
}
cli-replay-differs-here = differs
cli-replay-unknown = { $replayed ->
    [0] None of the { $count } entries can be replayed: what they were decided from is not kept. It is from this version on, until some time after the run has ended.
   *[other] { $count ->
        [one] 1 entry was not replayed
       *[other] { $count } entries were not replayed
    }: what they were decided from is not kept.
}
cli-replay-same = { $count ->
    [one] 1 entry replayed: same as recorded.
   *[other] { $count } entries replayed: same as recorded.
}
cli-replay-differs = Entry { $seq } comes to something else today than was recorded. Nothing after it was replayed. Recorded → today:
cli-replay-nothing = nothing
cli-replay-more = … and { $count } more; --json lists all
