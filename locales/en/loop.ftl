# What a loop is, waits for and stopped for: shown in the app, the terminal and on GitHub.

# Names of states.
state-pr_created = Starting
state-pr_awaiting_checks = Waiting for Checks
state-pr_reviewing = AI Reviewing
state-pr_fixing = Fixing Issues
state-pr_ready_to_merge = Ready to Merge
state-merged = Merged
state-closed = Closed
state-cancelled = Cancelled
state-needs_human = Manual Intervention Required
state-failed = Failed

# Rows of names, and amounts.
list-and = { $first } and { $last }
list-more = { $first } and { $count } more
duration-seconds = { $seconds } s
duration-minutes = { $minutes } min { $seconds } s
duration-hours = { $hours } h { $minutes } min
money = ${ $amount }

# What a panel or a reviewer concludes.
verdict-approve = approved
verdict-request_changes = changes requested
verdict-needs_major_work = needs major work
verdict-none = commented

# What a loop waits for. One sentence each.
blocker-starting = Reading the configuration
blocker-checks_running = { $open } of { $total ->
    [one] 1 check
   *[other] { $total } checks
} still running: { $names }
blocker-no_checks_yet = No check has reported yet; looking until { $until } whether one does
blocker-collecting_failures = { $count ->
    [one] { $names } failed
   *[other] { $count } checks failed: { $names }
}; waiting for the others until { $until }
blocker-check_needs_action = { $count ->
    [one] The check { $names } asks a person to act
   *[other] These checks ask a person to act: { $names }
}
blocker-bots_pending = Waiting for { $names } to review, until { $until }
blocker-reviewing = Being reviewed by { $names }
blocker-awaiting_reviewer = Waiting for a review by { $names }
blocker-changes_requested = { $names } asked for changes; everything was answered, a second look is needed
blocker-threads_open = { $count ->
    [one] 1 thread waits for a person's answer
   *[other] { $count } threads wait for a person's answer
}
blocker-fixing = { $count ->
    [one] Fixing 1 finding
   *[other] Fixing { $count } findings
}
blocker-pushing = Pushing the fix
blocker-awaiting_push = The fix is pushed; GitHub does not show it yet
blocker-posting = Posting comments
blocker-awaiting_merge = Ready: merging is up to a person
blocker-draft = It is a draft; mark it as ready for review to go on
blocker-conflict = It conflicts with { $base }; a person has to resolve that
blocker-behind = { $base } has moved on and must be merged in first
blocker-mergeability_unknown = GitHub is still computing whether it can be merged
blocker-review_required = The branch rules ask for an approving review
blocker-ignore_label = The label { $label } keeps Collie away
blocker-pending_review = Collie's account has an unsubmitted review here; submit or discard it to go on
blocker-auto_merge = { $by } switched auto-merge on; Collie waits until it is off, so as not to complete the merge
blocker-merge_queue = It is in the merge queue
blocker-unreachable = GitHub does not answer; next try at { $until }
blocker-unauthorized = GitHub does not accept the token; sign in again
blocker-forbidden = The token lacks a right: { $message }
blocker-not_found = GitHub does not find it; looking until { $until } whether that lasts
blocker-rate_limited = The quota at GitHub is used up until { $until }
blocker-config_invalid = The repository's configuration cannot be read: { $message }

# Why a run stopped, and what a person can do.
stop-ci_timeout = { $count ->
    [0] The checks did not finish in time
    [one] The check { $names } did not finish in time
   *[other] { $count } checks did not finish in time: { $names }
}
stop-iterations_spent = { $max ->
    [one] After 1 push something is still open
   *[other] After { $max } pushes something is still open
}
stop-stuck = { $count ->
    [one] 1 finding came back after it was fixed, and nothing else is left to fix
   *[other] { $count } findings came back after they were fixed, and nothing else is left to fix
}
stop-oscillating = The fixes go back and forth
stop-upheld = { $count ->
    [one] 1 finding stands that the fixer cannot fix
   *[other] { $count } findings stand that the fixer cannot fix
}
stop-too_many_restarts = { $count ->
    [one] Others pushed once while it worked, which is more than allowed
   *[other] Others pushed { $count } times while it worked
}
stop-too_many_turns = Feedback kept coming: { $count ->
    [one] 1 round of answers was given
   *[other] { $count } rounds of answers were given
}
stop-cannot_push-default_branch = Collie does not push to the default branch
stop-cannot_push-protected = The head branch is protected
stop-cannot_push-base_of_another = The head branch is the base of another open pull request
stop-cannot_push-fork_read_only = The fork does not let maintainers push
stop-cannot_push-refused = The push was refused
stop-in-full = { $stop }: { $message }
stop-review_failed = The reviewer { $reviewer } failed for good
stop-fix_failed = The fixer failed for good
stop-access_lost = The pull request is gone, or access to it was lost

hint-ci-logs = Look at the logs of those checks: they may hang, or wait for a runner.
hint-ci-retry = Run them again, then retry.
hint-fix-yourself = Fix what is listed, push it, and start Collie again: it goes on from your commit.
hint-resume = Resume to let Collie go on with what it knows.
hint-dismiss = If a finding is wrong, say so in its thread; people decide.
hint-more-iterations = Raise max_iterations if more rounds are worth it.
hint-settle-first = Agree on what it should be before anything is pushed again.
hint-quiet = Wait until nobody pushes any more, then resume.
hint-own-branch = Open the pull request from a branch of its own.
hint-unprotect = Let Collie's account push to the branch, or apply the findings yourself.
hint-retarget = Merge or retarget the pull request that builds on this branch first.
hint-fork-allow = Tick “Allow edits by maintainers”, or apply the findings yourself.
hint-rules = Read what the server says: signatures, commit rules or a hook may be at work.
hint-retry = Retry once the cause is gone.
hint-doctor = `collie doctor` checks what a run needs.
hint-access = Check that the pull request exists and that the account can still see it.

doing-gathers = Gathers what there is to read
doing-reads = Reads a prompt of { $tokens } tokens
doing-asks-again = Is asked again (request { $attempt })
doing-thinks = Thinks, { $characters } characters so far
doing-writes = Writes, { $characters } characters so far
doing-repairs = Puts its answer into the form that was asked for
doing-looks-again = { $findings ->
        [one] Holds one finding against the code once more
       *[other] Holds { $findings } findings against the code once more
    }
doing-uses = Uses a tool
doing-refused = Was not allowed: { $title }
doing-plans = Steps of its plan done: { $done } of { $total }
