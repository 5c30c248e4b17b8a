# What the desktop app says of one pull request: how far its loop is, what was found, what can be done.

# The head of the page.
review-round-of = round { $round } of { $max }
review-took = Time from start to end
review-since-start = Time since the start
review-branches = from { $head } into { $base }
review-in-files = { $count ->
    [one] in 1 file
   *[other] in { $count } files
}
review-description = Description
review-description-none = It has no description.
review-poll-in = Refreshes in { $time }
review-poll-now = Refreshing…
review-queue = Waiting for a free slot: position { $position }
review-queue-of = Waiting for a free slot: position { $position } of { $queued }
review-workers = At work: { $names }
review-tab-progress = Progress
review-tab-changes = Changes
review-tab-timeline = Timeline
review-tabs = Views of this pull request

# The four steps.
review-steps = Steps
review-step-checks = Checks
review-step-review = Review
review-step-fix = Fix
review-step-ready = Ready
review-step-todo = not started
review-step-now = in progress
review-step-waits = waiting for a person
review-step-done = done
review-step-again = due after the fix
review-step-skipped = not needed
review-step-failed = failed

# What changed, for a screen reader.
review-changed = { $title }: { $state }
review-changed-why = { $title }: { $state }. { $why }

# How it ended.
review-ended-merged-title = Merged
review-ended-merged-approved = It was merged into { $base } at { $head }, where it was ready.
review-ended-merged-forced = It was merged into { $base } at { $head }, before Collie found it ready.
review-ended-merged = It was merged into { $base }.
review-ended-closed-title = Closed
review-ended-closed = It was closed on GitHub without merging. Reopen it there, then start a new run.
review-ended-cancelled-title = Cancelled
review-ended-cancelled = A person cancelled it. What was pushed and posted stays. Collie starts again only when you say so.
review-todo = What you can do
review-still-open = { $count ->
    [one] 1 finding still open
   *[other] { $count } findings still open
}

# Checks.
review-checks = Checks
review-checks-passed = { $count } passed
review-checks-failed = { $count } failed
review-checks-running = { $count } pending
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
review-check-stale = abandoned by GitHub
review-check-startup_failure = could not start
review-check-action_required = needs action
review-check-queued = queued
review-check-running = running
review-check-cause = { $conclusion } ({ $cause })
review-checks-workflows = This pull request changes what CI runs: { $names }
review-proof-agreement = { $title }: found by { $names }
review-proof-flaky = Flaky at this head: { $names }
review-check-missing = not reported yet
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
review-bot-timed-out = timed out
review-bot-not-expected = not expected
review-bot-unverified = unverified
review-bot-unverified-why = This account uses the name of a known bot, but is a different account (number { $id }). Collie ignores it.

# Who is at work now.
review-at-work = At work
review-now = Now
review-fixer = Fixer
review-work-began = At work: { $names }
review-work-ended = No longer at work: { $names }

# Reviewers.
review-reviewers = Reviewers
review-reviewers-none = The panel is set once the configuration has been read.
review-stage = Stage { $number }
review-stage-now = Stage { $number }, now
review-reviewer-rules = Rules
review-reviewer-waiting = not yet
review-reviewer-awaited = waiting for this person
review-reviewer-reviewing = reviewing…
review-reviewer-failed = failed
review-reviewer-at = { $verdict } at { $head }
review-reviewer-outdated = { $verdict } at { $head } (outdated)
review-person-awaited = Waiting for @{ $login }
review-reviewer-asked-in = added by { $names }

# Findings.
review-findings = Findings
review-findings-open = { $count } open
review-findings-fixed = { $count } fixed
review-findings-dismissed = { $count } dismissed
review-findings-settled = { $count } settled
review-findings-none = No findings.
review-findings-none-yet = No findings so far.
review-findings-none-open = No open findings.
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
review-status-claimed = claimed fixed
review-status-fixed = fixed
review-status-rejected = declined
review-status-withdrawn = withdrawn
review-status-dismissed = dismissed
review-status-unsure = too unsure to count
review-status-stuck = stands after every fix
review-finding-claimed-in = claimed fixed in { $commit }, not confirmed yet
review-finding-fixed-in = fixed in { $commit }
review-finding-back-after = stands after { $commit }
review-report-only-covered = covered by an open thread
review-report-only-outside_diff = outside the diff
review-report-only-minor = too slight for a comment
review-report-only-surplus = beyond the most comments
review-finding-also-found-by = also found by { $names }
review-finding-by-fix = introduced by the fix
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
review-finding-dismissed = @{ $login } dismissed it: { $reason }
review-finding-dismissed-by = dismissed by @{ $login }
review-finding-suggestion = Suggestion
review-finding-evidence = Evidence
review-finding-where = Where it was found
review-finding-fix = What { $commit } changed there
review-finding-gone = These lines are no longer in the change.
review-diff-old = Line before
review-diff-new = Line after
review-diff-text = Text
review-diff-added = added
review-diff-removed = removed
review-diff-marked = the finding
review-diff-gap = lines left out

# Rounds.
review-rounds = Rounds
review-rounds-none = No round has ended yet.
review-rounds-caption = Findings per round, by priority
review-rounds-round = Round
review-rounds-fixed = Fixed
review-rounds-claimed = Claimed fixed
review-rounds-rejected = Declined
review-rounds-commit = Commit
review-rounds-sum = { $round ->
    [one] Round 1
   *[other] Round { $round }
}: { $found } found, { $fixed } fixed{ $claimed ->
    [0] { "" }
   *[other] , { $claimed } claimed fixed
}, { $rejected } declined
review-all-runs = All runs of this pull request: { $spent }
review-tokens = { $count } tokens

# The proof.
review-proof = Proof
review-proof-lead = Seen at { $head }, the head on GitHub.
review-proof-stale = Seen at { $head }. The head has moved since; this is how it was then.
review-proof-no-checks = No checks ran
review-proof-no-check-passed = No check passed
review-proof-unread = Nobody has read this change: the built-in rules only look for patterns that they know
review-proof-of-them = { $conclusion ->
    [neutral] { $count } neutral
    [failure] { $count } failed
    [cancelled] { $count } cancelled
    [timed_out] { $count } timed out
    [stale] { $count } abandoned by GitHub
    [startup_failure] { $count } could not start
    [action_required] { $count ->
        [one] 1 needs action
       *[other] { $count } need action
    }
   *[skipped] { $count } skipped
}
review-proof-threads = { $count ->
    [0] No threads
    [one] 1 thread settled
   *[other] { $count } threads settled
}
review-proof-outsiders = { $count ->
    [one] 1 thread by somebody without write access, which blocks nothing
   *[other] { $count } threads by people without write access, which block nothing
}
review-proof-merge = { $base } was merged into the branch by { $commit }{ $count ->
    [0] { "" }
    [one] ; one line was left out
   *[other] ; { $count } lines were left out
}
review-proof-ejection = Taken out of the merge queue: { $why }{ $commit ->
    [none] { "" }
   *[other] ; { $commit } claims to fix that
}
review-proof-spent = { $iterations ->
    [0] No push by Collie
    [one] 1 push by Collie
   *[other] { $iterations } pushes by Collie
}, { $time }
review-proof-fixed = { $count ->
    [one] 1 finding fixed
   *[other] { $count } findings fixed
}
review-proof-fixed-elsewhere = not by Collie
review-proof-unverified = { $count ->
    [one] The fixes were not verified: this command was left out
   *[other] The fixes were not verified: these commands were left out
}
review-proof-suggestions = { $count ->
    [one] 1 suggestion left open or declined
   *[other] { $count } suggestions left open or declined
}

# Timeline.
review-timeline-empty-title = Nothing has happened yet
review-timeline-empty = What Collie sees and does appears here, latest first.
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
review-cancel-now = Cancel
review-retry = Retry…
review-resume = Resume…
review-merge = Merge…
review-open = Open on GitHub
review-worktree = Open worktree
review-more = More actions
review-stop-watching = Stop watching
review-merge-not-ready = You can merge it once it is ready.
review-merge-on-github = Merge on GitHub

review-cancel-title = Cancel this run?
review-cancel-working = Work in progress stops immediately, and unfinished changes are discarded with Collie’s own copy of the branch.
review-cancel-kept = Nothing is lost: pushed commits, comments on GitHub and the findings here all stay.
review-cancel-again = Collie does not start it again by itself. Retry starts a new run.
review-cancel-confirm = Cancel the run
review-retry-title = Start a new run?
review-retry-text = It starts from the beginning: checks, review, and up to { $max ->
    [one] 1 push
   *[other] { $max } pushes
}. Findings of the last run are not carried over; those that still apply will be found again.
review-retry-confirm = Start a new run
review-resume-title = Resume this loop?
review-resume-text = The new run keeps the findings, what came back after a fix, and the history, and continues from the current head with up to { $max ->
    [one] 1 push
   *[other] { $max } pushes
}.
review-resume-confirm = Resume

# Merging.
review-merge-title = Merge #{ $number }
review-merge-asking = Asking GitHub how it may be merged…
review-merge-repository = Repository
review-merge-head = Head
review-merge-base = Into
review-merge-account = As
review-merge-method = Method
review-method-merge = Merge commit
review-method-merge-why = All commits, joined by a merge commit.
review-method-squash = Squash
review-method-squash-why = All changes in one commit.
review-method-rebase = Rebase
review-method-rebase-why = All commits, rebased onto the base.
review-merge-confirm = Merge { $head } into { $base }
review-merge-refused = This pull request cannot be merged now
review-merge-moved = The head has moved
review-merge-moved-text = You looked at { $seen }; the head is now { $now }. Look again before you merge.
review-merge-changed = This merge has changed
review-merge-changed-text = The base branch or the merge methods are no longer those you saw. Look again before you merge.
review-merge-left = This pull request is no longer ready
review-merge-left-text = { $state }. Close this dialog, and merge once it is ready again.
review-merge-look = Look again
review-merge-done-title = Merged
review-merge-done = { $by } merged { $head } into { $base } as { $sha }.
review-merge-done-no-sha = { $by } merged { $head } into { $base }.
review-merge-finished = Done

# A pull request without a loop.
review-none-state = Not started
review-none-title = Collie is not working on this pull request
review-none-text = Start a loop: Collie waits for the checks, reviews the change and fixes what it finds, until the pull request is ready for you to merge.
review-none-passed-by = Auto-PR-Review skips it
review-none-draft-title = This is a draft
review-none-draft = Collie would wait until it is marked as ready for review on GitHub.
review-none-auto-merge-title = Auto-merge is on
review-none-auto-merge = Collie keeps away, because its own fix could complete the merge. Turn off auto-merge on GitHub to let Collie work.
review-none-gone-title = { $key } is not among the open pull requests
review-none-gone = It may be closed, or newer than the list. Refresh the list, or look at it on GitHub.
review-none-reload = Refresh the list

# What a loop waits to be told: may the repository’s commands run, may the author’s work be fixed.
review-trust-trust = Trust these commands…
review-trust-trust-title = { $count ->
    [one] Let this command run?
   *[other] Let these { $count } commands run?
}
review-trust-trust-text = { $repo } names them to verify each fix. They run the code of its pull requests. When they change, Collie asks again.
review-trust-trust-confirm = Trust
review-trust-skip = Continue without verification…
review-trust-skip-title = Continue without verification?
review-trust-skip-text = { $count ->
    [one] Fixes in { $repo } are pushed without this command having run. The proof says so.
   *[other] Fixes in { $repo } are pushed without these commands having run. The proof says so.
}
review-trust-skip-confirm = Continue without
review-trust-author = Allow this author…
review-trust-author-title = Fix the pull requests of @{ $login }?
review-trust-author-text = @{ $login } has no write access to { $repo }. You allow this account, whatever it is called later, for all its pull requests there.
review-trust-author-confirm = Allow the author
review-trust-pull = Allow this pull request…
review-trust-pull-title = Fix pull request #{ $number }?
review-trust-pull-text = Its author has no write access to { $repo }. You allow this one pull request, with all that is pushed to it later.
review-trust-pull-confirm = Allow the pull request
review-trust-commands = Commands
review-trust-where = They run in the sandbox, without network save for the hosts of a line `[prepare …]`, and without your credentials and files; unless you have set this repository to run without a sandbox.
review-trust-where-sandboxed = They run in the sandbox, without network save for the hosts of a line `[prepare …]`, and without your credentials and files.
review-trust-where-unsandboxed = You have set this repository to run without the sandbox where none can be put up. They then run as you, with your files, your credentials and the network.
review-trust-author-what = Collie then fixes findings and pushes to the branch. The fixer, and the commands that verify its fixes, run in the sandbox.

review-coverage = Shown to nobody
review-unseen = { $count ->
    [one] Nobody was shown all of 1 file
   *[other] Nobody was shown all of { $count } files
}
review-rules-only = { $count ->
    [one] 1 file was read by the built-in rules only
   *[other] { $count } files were read by the built-in rules only
}
review-seen-by = @{ $login } has looked at them.
review-budget-raise = Raise the limit…
review-seen = I have looked…
review-seen-title = { $count ->
    [one] Have you looked at this file?
   *[other] Have you looked at these { $count } files?
}
review-seen-text = No reviewer was shown all of the change to them at { $head }. Look at them on GitHub before you say so.
review-seen-kept = It holds for this head alone, and the proof names you.
review-seen-confirm = I have looked

# What Collie pushed or would push.
review-changes-commits = Commits
review-changes-all = All { $count } commits
review-changes-earlier = Earlier runs
review-changes-round = Round { $round }
review-changes-commit = Commit { $sha }
review-changes-standing-pending = Not pushed yet
review-changes-standing-removed = No longer on the branch
review-changes-findings = { $count ->
    [one] answers 1 finding
   *[other] answers { $count } findings
}
review-changes-files-of = Files of { $sha }
review-changes-files = { $count ->
    [one] 1 file
   *[other] { $count } files
}
review-changes-files-left-out = { $count ->
    [one] and 1 more file
   *[other] and { $count } more files
}
review-changes-counts = { $added ->
    [one] 1 line added
   *[other] { $added } lines added
}, { $removed ->
    [one] 1 line removed
   *[other] { $removed } lines removed
}
review-changes-file-added = new
review-changes-file-removed = deleted
review-changes-file-renamed = moved
review-changes-file-retyped = other kind of file
review-changes-moved = { $from } → { $to }
review-changes-diff-of = Lines of { $sha }
review-changes-hunk = Line { $line }
review-changes-likely = Likely for:
review-changes-likely-why = The finding that is nearest in this file, or the only one of the commit
review-changes-elsewhere = Also answers, in files or lines that are not shown here:
review-changes-no-line-end = no line end
review-changes-unshown = Its lines are not shown: { $reason }.
review-changes-only-moved = Moved without a change.
review-changes-no-lines = No line of it changed.
review-changes-lines-left-out = { $count ->
    [one] 1 more line is not shown.
   *[other] { $count } more lines are not shown.
}
review-changes-redacted = A secret was taken out of what is shown.
review-changes-merge = { $count ->
    [0] Merges { $base } in, without a conflict: all of it is the base’s.
    [one] Merges { $base } in. Shown is the file that conflicted; the rest is the base’s.
   *[other] Merges { $base } in. Shown are the { $count } files that conflicted; the rest is the base’s.
}
review-changes-merge-earlier = Merges the base in, in an earlier run: which files conflicted is not known any more.
review-changes-nothing-shown = No file to show.
review-changes-layout = Layout of the diff
review-changes-layout-unified = Unified
review-changes-layout-split = Split
review-changes-previous = Previous hunk (p)
review-changes-next = Next hunk (n)
review-changes-at-hunk = Hunk { $number } of { $count }
review-changes-widen = Whole window (f)
review-changes-narrow = Back beside the list (f)
review-changes-none-title = Nothing pushed yet
review-changes-none = What Collie pushes, or would push, shows here line by line.
review-changes-none-ended = Collie has changed nothing in this pull request.
review-changes-missing-gone-title = { $sha } is not there any more
review-changes-missing-gone = Neither the clone in the data folder nor GitHub has this commit.
review-changes-missing-unreachable-title = { $sha } could not be read
review-changes-missing-unreachable = The clone in the data folder does not have this commit, and GitHub did not answer.
review-changes-ask-again = Ask again
review-changes-summary = { $count ->
    [one] Collie changed 1 file
   *[other] Collie changed { $count } files
}
review-changes-summary-unknown = What Collie changed
review-changes-incomplete = Not all of it could be counted.

# The page of a pull request that is ready.
ready-at = Ready at { $head }: { $parts }
ready-no-checks = no checks ran
ready-approved = { $count ->
    [one] { $names } approved
   *[other] { $names } approved
}
ready-the-rules = the rules
ready-rules-alone = the rules found nothing that they know
ready-nobody = nobody reviewed it
ready-dismissed = { $count ->
    [one] 1 finding dismissed
   *[other] { $count } findings dismissed
}
ready-evidence = Evidence
ready-verdicts = Verdicts
ready-threads = Threads
ready-effort = { $count ->
    [0] No push by Collie
    [one] 1 push by Collie
   *[other] { $count } pushes by Collie
} in { $time }
ready-open-checks = Open the checks on GitHub
ready-thread-resolved = resolved
ready-thread-answered = answered
ready-thread-outsider = no write access; blocks nothing
ready-unproven = Not proven
ready-unproven-unread = No model and no person has read this change: the rules only look for patterns that they know
ready-unproven-no-checks = Nothing ran in CI
ready-unproven-not-run = { $count ->
    [one] 1 check did not run: { $names }
   *[other] { $count } checks did not run: { $names }
}
ready-unproven-flaky = Red and green at this head: { $names }
ready-unproven-workflows = { $count ->
    [one] The change says itself what CI runs: 1 file
   *[other] The change says itself what CI runs: { $count } files
}
ready-unproven-unverified = { $count ->
    [one] Fixes were pushed without 1 verify command, as you chose
   *[other] Fixes were pushed without { $count } verify commands, as you chose
}
ready-unproven-unseen = { $count ->
    [one] No reviewer was shown all of 1 file
   *[other] No reviewer was shown all of { $count } files
}
ready-unproven-rules-only = { $count ->
    [one] 1 file was read by the rules only
   *[other] { $count } files were read by the rules only
}
ready-unproven-lost-lines = { $count ->
    [one] A merge of the base left out 1 line
   *[other] Merges of the base left out { $count } lines
}
ready-unproven-bots = { $count ->
    [one] { $names } did not review
   *[other] { $count } bots did not review: { $names }
}
ready-unproven-dismissed = { $count ->
    [one] 1 finding was dismissed by a person
   *[other] { $count } findings were dismissed by people
}
ready-unproven-declined = { $count ->
    [one] 1 finding was declined by the fixer
   *[other] { $count } findings were declined by the fixer
}
ready-unproven-stuck = { $count ->
    [one] 1 finding stands after every fix
   *[other] { $count } findings stand after every fix
}
ready-left-declined = The fixer declined: { $reason }

# What a person says of a finding.
finding-actions = What you can do about this finding
finding-dismiss = Dismiss…
finding-note = Tell the fixer…
finding-open-thread = Open thread
finding-open-code = Open in editor
dismiss-title = Dismiss this finding?
dismiss-text = It counts for nothing in this loop any more. The report and the proof name you and the reason, and later reviews of this repository are told.
dismiss-text-here = It counts for nothing in this loop any more. The report and the proof name you and the reason.
dismiss-reason = Reason
dismiss-confirm = Dismiss
dismiss-resume = Dismiss and resume
note-title = Tell the fixer something
note-text = It reads this in its next turn.
note-text-again = It reads this in its next turn, and tries this finding again.
note-label = Note
note-confirm = Send
todo-dismiss-resume = Dismiss and resume…
todo-note = Tell the fixer…
todo-rounds = { $count ->
    [one] One more round…
   *[other] { $count } more rounds…
}
todo-rounds-title = { $count ->
    [one] Resume with one more round?
   *[other] Resume with { $count } more rounds?
}
todo-rounds-text = The new run keeps the findings and the history, and may push up to { $max } times.
todo-choose-title = Which finding does not matter?
todo-choose-text = Each is dismissed with a reason of its own.

# Runs that another one has followed.
earlier-runs = Earlier runs
earlier-run = Run { $number }: { $state }
earlier-run-head = { $head ->
    [none] It ended before its head was known.
   *[other] It ended on { $head }.
}
earlier-run-unproven = { $head ->
    [none] It ended before its head was known. It was never ready.
   *[other] It ended on { $head }, which was not ready.
}
earlier-run-lost = Nothing but its times was kept then.
earlier-run-took = took { $time }
earlier-run-proof = Seen at { $head } when it was ready

# The life of a loop as a picture, and its log.
lanes-title = The life of this run
lanes-keys = Stretches of time; the arrow keys go from one to the next
lanes-checks = Checks
lanes-bots = Bots
lanes-review = Review
lanes-fix = Fix
lanes-people = People
lanes-bar = { $lane }: { $time }
lanes-bar-waits = { $lane }: waited { $time }
lanes-legend = Hatched: waited for · dashed: pushed
lanes-legend-cut = Hatched: waited for · dashed: pushed · cut: longer than drawn
lanes-caption = The life of this run: whom it was with, and when
lanes-from = From
lanes-with = With
lanes-took = Took
lanes-cost = Cost
lanes-pushed = Pushed
log-filters = What the log shows
log-search = Search the log
log-kind = Kind
log-all = Everything
log-checks = Checks
log-bots = Bots
log-review = Reviews
log-fix = Fixes and pushes
log-people = People
log-quiet = Show steps without effect
log-nothing = Nothing of that is in the log.

# How far Collie goes by itself.
autonomy-title = What Collie does by itself
autonomy-of = What Collie does by itself in { $repo }, in every pull request
autonomy-chip = Autonomy: { $level ->
    [observe] observe
    [ask] ask
   *[push] push
}
autonomy-menu = { $chip } · what Collie does by itself in { $repo }
autonomy-observe = Observe
autonomy-observe-text = Reviews and fixes here, and writes nothing on GitHub.
autonomy-ask = Ask
autonomy-ask-text = Posts, and asks you before each push.
autonomy-push = Push
autonomy-push-text = Posts and pushes.
auto-sheet-title = Turn Auto-PR-Review on for { $repo }?
auto-sheet-reading = Reading the open pull requests…
auto-sheet-counts = { $count ->
    [0] No open pull request matches now.
    [one] 1 pull request matches;
   *[other] { $count } pull requests match;
} { $count ->
    [0] New ones are started as they open.
   *[other] { $now ->
        [one] 1 starts now
       *[other] { $now } start now
    }{ $later ->
        [0] .
        [one] , 1 waits.
       *[other] , { $later } wait.
    }
}
auto-sheet-matches = { $count ->
    [0] No open pull request matches now. New ones are started as they open.
    [one] 1 pull request matches. It starts once a worker has room for it.
   *[other] { $count } pull requests match. Each starts once a worker has room for it.
}
auto-sheet-as-observe = Nothing is written as @{ $login } until you raise the autonomy.
auto-sheet-as-ask = Comments as @{ $login }; each push waits for you.
auto-sheet-as-push = Comments and pushes as @{ $login }.
auto-sheet-pulls = Pull requests
auto-sheet-by = { $author }, { $branch }
auto-sheet-none = None is open that it would start.
auto-sheet-more = There are more open pull requests than are listed; those are started too.
auto-sheet-confirm = Turn on
review-raise = Post, and ask before pushing…
review-raise-title = Post in { $repo }, and ask before each push?
review-raise-text = This raises the autonomy of the whole repository to ask. What is held back in its pull requests is posted; each push waits for you.
review-raise-confirm = Post and ask
review-held = Waiting for your approval
review-held-observe = What it would have posted
review-held-count = { $count ->
    [one] 1 post
   *[other] { $count } posts
}
review-held-push = { $count ->
    [0] Would push
    [one] Would push 1 changed file,
   *[other] Would push { $count } changed files,
}
review-held-show = Show the changes
review-approve = Approve push…
review-approve-title = Push { $commit }?
review-approve-text = On { $head }. If somebody else pushes first, nothing is pushed.
review-approve-confirm = Push
review-approve-files = Files that it changes
review-reject = Reject…
review-reject-title = Reject { $commit }?
review-reject-text = It is not pushed on { $head }. The fixer tries again, three times at most.
review-reject-confirm = Reject
review-reject-note = What should be different?
review-reject-note-help = The fixer reads it as its next instruction. The built-in rules cannot read; what they fixed counts as rejected.
