# What the desktop app says of one pull request: how far its loop is, what was found, what can be done.

# The head of the page.
review-by = #{ $number } by { $author }
review-by-unknown = #{ $number }
review-iteration = { $iteration ->
    [0] first pass
   *[other] iteration { $iteration } of { $max }
}
review-poll-in = Looks again in { $time }
review-poll-now = Looking at GitHub …
review-queue = Waits for a free slot: place { $position }
review-queue-of = Waits for a free slot: place { $position } of { $queued }
review-tab-progress = Progress
review-tab-timeline = Timeline
review-tabs = What to show of this pull request

# The four steps.
review-steps = Steps
review-step-checks = Checks
review-step-review = Review
review-step-fix = Fix
review-step-ready = Ready
review-step-todo = to come
review-step-now = under way
review-step-waits = waits for a person
review-step-done = done
review-step-failed = not passed

# What changed, for a screen reader.
review-changed = { $title }: { $state }
review-changed-why = { $title }: { $state }. { $why }

# How it ended.
review-ended-merged-title = Merged
review-ended-merged-approved = It was merged into { $base } at { $head }, where it was ready.
review-ended-merged-forced = It was merged into { $base } at { $head }, before Collie found it ready.
review-ended-merged = It was merged into { $base }.
review-ended-closed-title = Closed
review-ended-closed = It was closed on GitHub without a merge. Reopen it there, then start a fresh run.
review-ended-cancelled-title = Cancelled
review-ended-cancelled = A person cancelled it. What was pushed and posted stays. Collie starts again only when you say so.
review-todo = What you can do

# Checks.
review-checks = Checks
review-checks-passed = { $count } passed
review-checks-failed = { $count } failed
review-checks-running = { $count } running
review-checks-none = No check has reported on this head.
review-checks-all-passed = { $count ->
    [one] 1 check passed
   *[other] { $count } checks passed
}
review-check-success = passed
review-check-neutral = neutral
review-check-skipped = skipped
review-check-failure = failed
review-check-cancelled = cancelled
review-check-timed_out = timed out
review-check-stale = given up by GitHub
review-check-startup_failure = could not start
review-check-action_required = needs action
review-check-queued = queued
review-check-running = running
review-check-missing = has not reported
review-check-open = Open the page of { $name }
review-fold = Show fewer
review-unfold-all = Show all { $count }
review-unfold = { $count ->
    [one] Show 1 more
   *[other] Show { $count } more
}

# Bots.
review-bots = Bots
review-bot-waiting = waiting
review-bot-waiting-until = waiting until { $time }
review-bot-reviewed = reviewed
review-bot-out-of-quota = out of quota
review-bot-out-of-quota-until = out of quota until { $time }
review-bot-timed-out = did not answer in time
review-bot-not-expected = not expected
review-bot-unverified = unverified
review-bot-unverified-why = This account bears the name of a known bot, but is another one (number { $id }). Collie does not listen to it.

# Who is at work now.
review-at-work = At work
review-now = Now
review-fixer = Fixer
review-work-began = At work: { $names }
review-work-ended = No longer at work: { $names }

# Reviewers.
review-reviewers = Reviewers
review-reviewers-none = The panel is put together once the configuration is read.
review-stage = Stage { $number }
review-stage-now = Stage { $number }, now
review-reviewer-rules = Rules
review-reviewer-waiting = not yet
review-reviewer-awaited = waiting for this person
review-reviewer-reviewing = reviewing …
review-reviewer-failed = failed
review-reviewer-at = { $verdict } at { $head }
review-reviewer-outdated = { $verdict } at { $head } (older)
review-reviewer-asked-in = asked in by { $names }

# Findings.
review-findings = Findings
review-findings-open = { $count } open
review-findings-fixed = { $count } fixed
review-findings-settled = { $count } settled
review-findings-none = Nothing was found.
review-findings-none-yet = Nothing was found so far.
review-findings-none-open = Nothing is open.
review-findings-group = Group findings
review-findings-by-priority = By priority
review-findings-by-round = By round
review-findings-round = Round { $round }
review-findings-show-settled = { $count ->
    [one] Show 1 settled finding
   *[other] Show { $count } settled findings
}
review-findings-hide-settled = Hide settled findings
review-priority-p0 = P0 blocking
review-priority-p1 = P1 critical
review-priority-p2 = P2 important
review-priority-p3 = P3 suggestion
review-status-fixed = fixed
review-status-rejected = declined
review-status-withdrawn = withdrawn
review-status-stuck = came back
review-finding-fixed-in = fixed in { $commit }
review-finding-back-after = came back after { $commit }
review-finding-by-fix = made by the fix
review-finding-question = question
review-finding-praise = praise
review-finding-everywhere = the whole change
review-finding-line = { $file }:{ $line }
review-finding-origin = { $name }, { $category }
review-finding-origin-sure = { $name }, { $category }, { $percent } sure
review-finding-round = reported in round { $round }
review-finding-rounds = reported in rounds { $first } to { $last }
review-finding-open-commit = Open { $commit } on GitHub
review-finding-declined = The fixer declined: { $reason }
review-finding-suggestion = Suggested instead
review-finding-evidence = What it rests on
review-finding-where = Where it was found
review-finding-fix = What { $commit } changed there
review-finding-gone = Those lines are no longer in the change.
review-diff-old = Line before
review-diff-new = Line after
review-diff-text = Text
review-diff-added = added
review-diff-removed = removed
review-diff-marked = the finding
review-diff-gap = lines left out

# Rounds.
review-rounds = Round by round
review-rounds-none = No round is done yet.
review-rounds-caption = Findings of each round by priority
review-rounds-round = Round
review-rounds-fixed = Fixed
review-rounds-rejected = Declined
review-rounds-commit = Commit
review-rounds-sum = { $round ->
    [one] Round 1
   *[other] Round { $round }
}: { $found } found, { $fixed } fixed, { $rejected } declined
review-all-runs = All runs of this pull request: { $spent }
review-tokens = { $count } tokens

# The proof.
review-proof = Proof
review-proof-lead = Seen at { $head }, the same as on GitHub.
review-proof-stale = Seen at { $head }. The head has moved since; this is how it was then.
review-proof-no-checks = No checks ran
review-proof-of-them = { $count } { $word }
review-proof-threads = { $count ->
    [0] No review threads
    [one] 1 review thread is settled
   *[other] { $count } review threads are settled
}
review-proof-spent = { $iterations ->
    [0] No push by Collie
    [one] 1 push by Collie
   *[other] { $iterations } pushes by Collie
}, { $time }
review-proof-fixed = { $count ->
    [one] 1 finding was fixed
   *[other] { $count } findings were fixed
}
review-proof-suggestions = { $count ->
    [one] 1 suggestion stays open or was declined
   *[other] { $count } suggestions stay open or were declined
}

# Timeline.
review-timeline-empty-title = Nothing has happened yet
review-timeline-empty = What Collie sees and does appears here, the latest first.
review-timeline-run = Run { $run }
review-timeline-times = { $times } times
review-timeline-older = { $count ->
    [one] Show 1 older entry
   *[other] Show { $count } older entries
}

# Actions.
review-actions = Actions
review-start = Start
review-cancel = Cancel…
review-retry = Retry…
review-resume = Resume…
review-merge = Merge…
review-open = Open on GitHub
review-worktree = Open worktree
review-merge-not-ready = It can be merged once it is ready.
review-merge-other-host = Merging is done in the desktop window.

review-cancel-title = Cancel this run?
review-cancel-working = What runs now is stopped at once, and its unfinished changes are dropped with Collie’s own copy of the branch.
review-cancel-waiting = Nothing runs at the moment; Collie stops watching and removes its own copy of the branch.
review-cancel-kept = Nothing is lost: commits that were pushed, comments on GitHub and the findings here all stay.
review-cancel-again = Collie does not take it up again by itself. Retry starts a fresh run.
review-cancel-confirm = Cancel the run
review-retry-title = Start a fresh run?
review-retry-text = It begins at the beginning: checks, review, and up to { $max ->
    [one] 1 push
   *[other] { $max } pushes
}. Findings of the last run are not carried over; whatever still holds is found again.
review-retry-confirm = Start a fresh run
review-resume-title = Go on with this run?
review-resume-text = It carries over the findings, what came back after a fix, and the history, and goes on from the present head with up to { $max ->
    [one] 1 push
   *[other] { $max } pushes
}.
review-resume-confirm = Go on

# Merging.
review-merge-title = Merge #{ $number }
review-merge-asking = Asking GitHub how it may be merged …
review-merge-head = Head
review-merge-base = Into
review-merge-account = As
review-merge-method = Method
review-method-merge = Merge commit
review-method-merge-why = All commits, joined by a merge commit.
review-method-squash = Squash
review-method-squash-why = One commit with all changes.
review-method-rebase = Rebase
review-method-rebase-why = All commits, put on top of the base.
review-merge-confirm = Merge { $head } into { $base }
review-merge-refused = It cannot be merged now
review-merge-moved = The head has moved
review-merge-moved-text = You looked at { $seen }; the head is { $now } now. Look again before you merge.
review-merge-changed = What the merge would do has changed
review-merge-changed-text = The branch it goes into, or the methods, are not those you saw. Look again before you merge.
review-merge-left = It is no longer ready
review-merge-left-text = { $state }. Close this, and merge once it is ready again.
review-merge-look = Look again
review-merge-done-title = Merged
review-merge-done = { $by } merged { $head } into { $base } as { $sha }.
review-merge-done-no-sha = { $by } merged { $head } into { $base }.
review-merge-finished = Done

# A pull request without a loop.
review-none-state = Not started
review-none-into = { $head } into { $base }
review-none-title = Collie does not work on this pull request
review-none-text = Start it to have its checks awaited, the change reviewed and what is found fixed, until it is ready for you to merge.
review-none-passed-by = The toggle passes it by
review-none-draft-title = It is a draft
review-none-draft = Collie would wait until it is marked as ready for review on GitHub.
review-none-auto-merge-title = Auto-merge is on
review-none-auto-merge = Collie keeps away, since its own fix could be what completes the merge. Switch auto-merge off on GitHub to let it work.
review-none-gone-title = { $key } is not among the open pull requests
review-none-gone = It may be closed, or newer than the list. Read the list again, or look at it on GitHub.
review-none-reload = Read the list again
