# What Collie writes on GitHub. Markdown; kept calm and short, since people read it between other things.

# Small words.
post-name = Collie
post-nowhere = the whole change
post-more-rows = … and { $count } more.
post-column-priority = Priority
post-column-finding = Finding
post-column-where = Where
post-column-status = Status
post-column-reviewer = Reviewer
post-column-verdict = Verdict
post-column-head = At
post-column-check = Check
post-column-result = Result
post-column-done = What was done
post-column-why = Why not
post-column-commit = Commit
post-column-round = Round
post-column-fixed = Fixed
post-column-declined = Declined
post-priority-p0 = P0 blocking
post-priority-p1 = P1 critical
post-priority-p2 = P2 important
post-priority-p3 = P3 suggestion
post-kind-question = Question
post-kind-praise = Praise
post-suggested = Suggested instead:
post-evidence = What it rests on:
post-log = The end of the log
post-by = Found by { $name }, { $category }
post-by-unsure = Found by { $name }, { $category }, { $percent } % sure

# One review.
report-title = { $ordinal ->
    [one] Review 1
   *[other] Review { $ordinal }
}: { $verdict }
report-at = Reviewed at { $head }.
report-left-out = { $parts ->
        [one] One part of the material, of { $tokens } tokens, was not shown to { $name } for want of room.
       *[other] { $parts } parts of the material, of { $tokens } tokens, were not shown to { $name } for want of room.
    }
report-left-out-files = Changed lines of these files are among them: { $files }.
report-nothing = Nothing to change was found.
report-findings = { $count ->
    [one] Details of 1 finding
   *[other] Details of { $count } findings
}
report-stuck = { $count ->
    [one] 1 finding came back after it was fixed, and is left to people
   *[other] { $count } findings came back after they were fixed, and are left to people
}
rule-people = { $names } asked for changes: that decides, whatever else was found (rule 0).
rule-p0 = { $count ->
    [one] 1 P0 finding stands
   *[other] { $count } P0 findings stand
}: needs major work (rule 1).
rule-p1 = { $count ->
    [one] 1 P1 finding stands
   *[other] { $count } P1 findings stand
}: changes are requested (rule 2).
rule-p2 = { $count ->
    [one] 1 P2 finding stands
   *[other] { $count } P2 findings stand
}: changes are requested (rule 3).
rule-none = No P0, P1 or P2 finding stands and nobody asked for changes: approved (rule 4).

# Comments in the code.
inline-summary = { $count ->
    [one] 1 comment on the code at { $head }.
   *[other] { $count } comments on the code at { $head }.
}

# One fix.
fix-title = Fix { $iteration }
fix-title-none = No fix
fix-pushed = Pushed { $commit }.
fix-nothing = Nothing was pushed.
fix-counts = { $fixed ->
    [0] Nothing was fixed
    [one] 1 finding was fixed
   *[other] { $fixed } findings were fixed
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
proof-lead = All of this was seen at { $head }. Merging is up to you.
proof-checks = { $count ->
    [0] No checks ran
    [one] 1 check passed
   *[other] { $count } checks passed
}
proof-threads = { $count ->
    [0] No review threads
    [one] 1 review thread is settled
   *[other] { $count } review threads are settled
}
proof-thread-resolved = resolved
proof-thread-answered = answered
proof-fixed = { $count ->
    [0] Nothing had to be fixed
    [one] 1 finding was fixed
   *[other] { $count } findings were fixed
}
proof-suggestions = { $count ->
    [one] 1 suggestion stays open or was declined
   *[other] { $count } suggestions stay open or were declined
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
check-stale = given up by GitHub
check-startup_failure = could not start
check-action_required = needs action

# Stopped.
stopped-title-needs_human = A person is needed
stopped-title-failed = Collie could not go on
stopped-at = Stopped at { $head }.
stopped-todo = What you can do:
stopped-left = What is left
stopped-said = What it said:
stopped-findings = { $count ->
    [one] Details of 1 finding
   *[other] Details of { $count } findings
}
stopped-rounds = { $count ->
    [one] The round so far
   *[other] Round by round, { $count } rounds
}
stopped-churned = went back and forth
stopped-back = Came back in round { $round }, after it was fixed in { $commits }.
stopped-by-fix = It lies on lines that Collie's own fix wrote.
stopped-declined = The fixer declined: { $reason }
status-open = open
status-fixed = fixed
status-rejected = declined
status-withdrawn = withdrawn
status-stuck = came back

# Answers in threads.
reply-fixed = Fixed in { $commit }.
reply-declined = Not changed:
reply-left = This is for a person to decide:

look-again = { $people }: everything you asked for was answered at { $head }. Please look again, and approve or say what is missing.

# What the rules fixer says of an issue.
fixer-note-applied = Applied the fix of { $rules }.
fixer-note-not-covered = No built-in rule covers this, and no coding agent is set up.
fixer-note-no-fix = The rule knows no mechanical fix; it takes a person's judgement.
fixer-note-gone = The rule does not match there any more.
fixer-note-taken-back = The rule's fix was tried and taken back, since the change did not hold with it.
