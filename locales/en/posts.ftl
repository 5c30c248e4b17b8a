# What Collie writes on GitHub. Markdown; kept calm and short, since people read it between other things.

# Small words.
post-name = Collie
post-nowhere = the whole change
post-more-rows = … and { $count } more.
post-column-priority = Priority
post-column-finding = Finding
post-column-reason = Reason
post-column-where = Where
post-column-status = Status
post-column-reviewer = Reviewer
post-column-verdict = Verdict
post-column-head = Head
post-column-check = Check
post-column-result = Result
post-column-done = What was done
post-column-why = Why not
post-column-commit = Commit
post-column-command = Command
post-column-round = Round
post-column-fixed = Fixed
post-column-declined = Declined
post-column-conflict = Conflict
post-column-resolution = How it was resolved
post-column-line = Line
post-column-added-by = Added by
post-column-report-only = Told here alone, because
post-column-found-by = Found by
post-column-sure = Sure
post-column-dismissed-by = Dismissed by
post-column-lines = Lines
post-column-note = Note
post-priority-p0 = P0 blocking
post-priority-p1 = P1 critical
post-priority-p2 = P2 important
post-priority-p3 = P3 suggestion
post-kind-question = Question
post-kind-praise = Praise
post-suggested = Suggestion:
post-evidence = Evidence:
post-log = End of the log
post-by = Found by { $name }, { $category }
post-by-unsure = Found by { $name }, { $category }, { $percent }% sure

# One review.
report-title = { $ordinal ->
    [one] Review 1
   *[other] Review { $ordinal }
}: { $verdict }
report-at = Reviewed at { $head }.
report-looked = Reviewed at { $head }: { $count ->
        [one] 1 file
       *[other] { $count } files
    } (+{ $added } −{ $removed }), by { $names }.
report-looked-partly = Reviewed at { $head }: { $seen } of { $count ->
        [one] 1 file
       *[other] { $count } files
    } in full (+{ $added } −{ $removed }), by { $names }. What nobody has read is listed below.
report-top = The { $count } that matter most:
report-all-findings = All { $count } findings
report-map = Map of the change: { $count ->
        [one] 1 file
       *[other] { $count } files
    }, +{ $added } −{ $removed }
report-uses = { $count ->
        [one] 1 file that uses what changed
       *[other] { $count } files that use what changed
    }
report-summary = The change in the words of { $name }
report-threads = { $open } of { $count ->
        [one] 1 thread is
       *[other] { $count } threads are
    } open.
report-unread = The built-in rules looked for patterns that they know. **Nobody has read this change.**
report-reading-failed = Reading these files failed, so { $name } was not shown them: { $files }.
report-left-out = { $parts ->
        [one] One part of the material, of { $tokens } tokens, was not shown to { $name } for lack of space.
       *[other] { $parts } parts of the material, of { $tokens } tokens, were not shown to { $name } for lack of space.
    }
report-left-out-files = They include changed lines of these files: { $files }.
report-linters = Linters that this repository configures: { $linters }.
report-unseen = { $count ->
    [one] Nobody was shown all of 1 file
   *[other] Nobody was shown all of { $count } files
}
report-rules-only = { $count ->
    [one] 1 file was read by the built-in rules only
   *[other] { $count } files were read by the built-in rules only
}
report-since = { $name } looked at what changed since { $head }, which it had reviewed, and at its findings that stood.
report-nothing = Nothing to change was found.
report-findings = { $count ->
    [one] Details of 1 finding
   *[other] Details of { $count } findings
}
report-unsure = { $count ->
    [one] 1 finding of which nobody is sure enough: it does not count
   *[other] { $count } findings of which nobody is sure enough: they do not count
}
report-only-covered = an open thread says it already
report-only-outside-diff = its line is not in the diff
report-only-minor = too slight for a comment
report-only-surplus = more comments would be too many
finding-found-by = Found by { $names }.
report-unchecked = { $count ->
    [one] 1 finding of a bot goes to the fixer unchecked: no model or agent could check it.
   *[other] { $count } findings of bots go to the fixer unchecked: no model or agent could check them.
}
report-stuck = { $count ->
    [one] 1 finding stands after every fix, and is left to people
   *[other] { $count } findings stand after every fix, and are left to people
}
rule-people = { $names } requested changes: that decides, whatever else was found (rule 0).
rule-p0 = { $count ->
    [one] 1 P0 finding remains
   *[other] { $count } P0 findings remain
}: needs major work (rule 1).
rule-p1 = { $count ->
    [one] 1 P1 finding remains
   *[other] { $count } P1 findings remain
}: changes requested (rule 2).
rule-p2 = { $count ->
    [one] 1 P2 finding remains
   *[other] { $count } P2 findings remain
}: changes requested (rule 3).
rule-none = No P0, P1 or P2 finding remains and nobody requested changes: approved (rule 4).
rule-none-unread = No P0, P1 or P2 finding remains and nobody requested changes (rule 4).

# A file of the change, in a few words.
file-added = new
file-deleted = removed
file-renamed = moved
file-copied = copied
file-mode = mode or type only
file-findings = { $count ->
    [one] one { $priority } finding
   *[other] { $count } findings, the gravest { $priority }
}
file-unseen = nobody was shown all of it: { $reason }

# Comments in the code.
persona-review = { $verdict ->
    [approve] { $persona } approves { $head }.
    [request_changes] { $persona } requests changes at { $head }.
   *[comment] { $persona } has looked at { $head }.
}
persona-review-taken-back = { $persona } has looked at { $head } and no longer holds what this review says.
inline-summary = { $count ->
    [one] 1 comment on the code at { $head }.
   *[other] { $count } comments on the code at { $head }.
}

# One fix.
fix-title = Round { $iteration }: fixes
fix-title-none = No fix
fix-pushed = Pushed { $commit }.
fix-nothing = Nothing was pushed.
fix-title-merge = Round { $iteration }: { $base } merged in
fix-merged = Pushed { $commit }, which merges { $base } at { $head } into the branch.
merge-lost = { $count ->
    [one] 1 line that one side added was left out
   *[other] { $count } lines that one side added were left out
}
merge-side-head = the branch
merge-side-base = the base
fix-counts = { $fixed ->
    [0] Nothing is claimed as fixed
    [one] 1 finding is claimed as fixed
   *[other] { $fixed } findings are claimed as fixed
}, { $rejected ->
    [0] none was declined
    [one] 1 was declined
   *[other] { $rejected } were declined
}{ $deferred ->
    [0] .
    [one] , 1 suggestion was left alone.
   *[other] , { $deferred } suggestions were left alone.
}

# Ready.
proof-title = LGTM: ready to merge
proof-title-unread = Ready to merge; nobody has read the change
proof-lead = All of this was seen at { $head }. Merging is up to you.
proof-checks = { $count ->
    [0] No checks ran
    [one] 1 check passed
   *[other] { $count } checks passed
}
proof-checks-none-passed = No check passed
proof-threads = { $count ->
    [0] No threads
    [one] 1 thread settled
   *[other] { $count } threads settled
}
proof-outsiders = { $count ->
    [one] 1 thread by somebody without write access, which blocks nothing
   *[other] { $count } threads by people without write access, which block nothing
}
proof-thread-resolved = resolved
proof-thread-answered = answered
proof-fixed = { $count ->
    [0] Nothing had to be fixed
    [one] 1 finding fixed
   *[other] { $count } findings fixed
}
proof-fixed-elsewhere = not by Collie
proof-agreements = { $count ->
    [one] 1 finding of several tools
   *[other] { $count } findings of several tools
}
proof-flaky = { $count ->
    [one] { $names } was red and green at this very head: it is flaky.
   *[other] These checks were red and green at this very head, and are flaky: { $names }.
}
proof-workflow-files = This pull request changes what CI runs: { $names }.
proof-merge = { $base } at { $head } was merged into the branch by { $commit }.
proof-ejection = It was in the merge queue at { $head } and was taken out: { $why }.{ $commit ->
    [none] { "" }
   *[other] { " " }{ $commit } claims to fix that; only another go through the queue can show it.
}
proof-unverified = The fixes were not verified: the user chose to continue without { $count ->
    [one] this command of the repository
   *[other] these { $count } commands of the repository
}
proof-seen-by = { $login } has looked at the files that no reviewer was shown.
proof-dismissed = { $count ->
    [one] 1 finding dismissed by a person
   *[other] { $count } findings dismissed by people
}
proof-left = { $count ->
    [one] 1 finding stuck or declined
   *[other] { $count } findings stuck or declined
}
proof-suggestions = { $count ->
    [one] 1 suggestion left open or declined
   *[other] { $count } suggestions left open or declined
}
proof-spent = { $iterations ->
    [0] No push by Collie
    [one] 1 push by Collie
   *[other] { $iterations } pushes by Collie
}, { $time }
proof-cost = { $input } tokens in, { $output } out, { $cost }
check-success = passed
check-neutral = neutral
check-skipped = skipped
check-failure = failed
check-cancelled = cancelled
check-timed_out = timed out
check-stale = abandoned by GitHub
check-startup_failure = could not start
check-action_required = needs action

# Stopped.
stopped-title-needs_human = A person is needed
stopped-title-failed = Collie could not continue
stopped-at = Stopped at { $head }.
stopped-todo = What you can do:
stopped-left = What is left
stopped-said = Message:
stopped-findings = { $count ->
    [one] Details of 1 finding
   *[other] Details of { $count } findings
}
stopped-rounds = { $count ->
    [one] 1 round so far
   *[other] { $count } rounds so far
}
stopped-churned = went back and forth
stopped-back = Still there in round { $round }, after { $commits }.
stopped-by-fix = It is on lines that Collie’s own fix wrote.
stopped-declined = The fixer declined: { $reason }
status-open = open
status-claimed = claimed fixed
status-fixed = fixed
status-rejected = declined
status-withdrawn = withdrawn
status-unsure = too unsure to count
status-stuck = stands after every fix
status-dismissed = dismissed

# Answers in threads.
reply-fixed = Fixed in { $commit }.
addition-lead = Found here too; this adds to what was said:
reply-declined = Not changed:
reply-left = A person has to decide this:

# What was said outside of threads.
answers-left = { $count ->
    [one] I cannot read what this asks for: no model or agent is set up here. It is left to a person. Once it is settled, answer { $command }, or approve.
   *[other] I cannot read what these ask for: no model or agent is set up here. They are left to a person. Once they are settled, answer { $command }, or approve.
}

# Answers to commands in comments.
command-stopped = Stopped. Nothing more is reviewed or pushed here until somebody starts it again.
command-has-ended = There is nothing to stop: the last run has ended ({ $state }).
command-restarted = A new run has begun.
command-not-allowed = No run was begun: this account is not among those that may start one any more.
command-still-running = The present run has not ended ({ $state }), so there is nothing to retry.
command-no-finding = There is no finding { $finding } in the present run. The reports above show the number of each.
command-needs-thread = Write { $command } in the thread of what is to be fixed: here it is not clear what is meant.
command-settled = { $count ->
    [0] Nothing was left to a person here.
    [one] 1 comment counts as settled.
   *[other] { $count } comments count as settled.
}
command-unknown = I do not know { $command }. What I know: { $known }.
explain-status = Status: { $status }.

bot-findings-answered = What became of findings that bots put outside of threads
look-again = { $people }: everything you asked for has been answered at { $head }. Please review it again, and approve or say what is missing.

# What the rules fixer says of an issue.
fixer-note-applied = Applied the fix of { $rules }.
fixer-note-applied-where-named = Applied the fix of { $rules } on a line that the check names. Whether that is why it fails, its next run shows.
fixer-note-not-covered = No built-in rule covers this, and no coding agent is set up.
fixer-note-no-fix = The rule has no automatic fix; a person has to judge.
fixer-note-gone = The rule no longer matches there.
fixer-note-taken-back = The rule’s fix was tried and reverted, because the change did not pass with it.
fixer-note-unchanged = The fixer changed nothing.
fixer-note-nothing-asked = It asks for no change.
fixer-note-gate-scope = The fix changed files outside the pull request: { $what }
fixer-note-gate-tamper = The fix weakens what checks the pull request, which only a person may do: { $what }
fixer-note-gate-syntax = The fix broke the syntax at { $what }
fixer-note-gate-secrets = The fix adds what looks like a secret at { $what }
fixer-note-gate-links = The fix left hard links, files that have another name elsewhere: { $what }
fixer-note-gate-conflicts = Conflict markers are left at { $what }
fixer-note-gate-lost-lines = Lines that one side of the merge added are gone: { $what }
fixer-note-push-rejected = { $what ->
    [none] A person rejected the fix before it was pushed.
   *[other] A person rejected the fix before it was pushed: { $what }
}
fixer-note-gate-verify = `{ $what }` failed after the fix.
tamper-deleted_test = a test is gone
tamper-skipped_test = a test is skipped
tamper-loosened_assertion = a test asserts less
tamper-suppressed = a warning or coverage is suppressed
tamper-linter_setting = a setting of a linter, type checker or test runner changed
tamper-coverage_setting = a coverage setting changed
tamper-workflow = a workflow changed
