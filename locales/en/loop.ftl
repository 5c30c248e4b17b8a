# What a loop is, waits for and stopped for: shown in the app, the terminal and on GitHub.

# Names of states.
state-pr_created = Starting
state-pr_awaiting_checks = Waiting for checks
state-pr_reviewing = AI reviewing
state-pr_fixing = Fixing issues
state-pr_ready_to_merge = Ready to merge
state-merged = Merged
state-closed = Closed
state-cancelled = Cancelled
state-needs_human = Manual intervention required
state-failed = Failed

# What work waits for besides a slot.
waits-for-branch = Waiting for { $pull }, which commits to the same branch

# Rows of names, and amounts.
list-and = { $first } and { $last }
list-more = { $first } and { $count } more
duration-seconds = { $seconds } s
duration-minutes = { $minutes } min{ $seconds ->
    [0] { "" }
   *[other] { " " }{ $seconds } s
}
duration-hours = { $hours } h{ $minutes ->
    [0] { "" }
   *[other] { " " }{ $minutes } min
}
money = ${ $amount }
money-under = < ${ $amount }
money-unknown = price unknown
money-and-unknown = { $known } + unknown

# What a panel or a reviewer concludes.
verdict-approve = approved
verdict-request_changes = changes requested
verdict-needs_major_work = needs major work
verdict-none = commented
verdict-rules-none = no pattern fired
verdict-rules-suggestions = suggestions only

# What became of a linter that the repository configures.
linter-ran = { $count ->
    [0] { $name }: nothing on changed lines
    [one] { $name }: 1 finding
   *[other] { $name }: { $count } findings
}
linter-not_installed = { $name }: not installed here
linter-timed_out = { $name } was stopped after { $seconds } s
linter-failed = { $name } did not run: { $message }

# What a loop waits for. One sentence each.
blocker-starting = Reading the configuration
blocker-checks_running = { $open } of { $total ->
    [one] 1 check
   *[other] { $total } checks
} not finished: { $names }
blocker-no_checks_yet = No check has reported yet; waiting for one until { $until }
blocker-collecting_failures = { $count ->
    [one] { $names } failed
   *[other] { $count } checks failed: { $names }
}; waiting for the others until { $until }
blocker-check_needs_action = { $count ->
    [one] The check { $names } needs action from a person
   *[other] These checks need action from a person: { $names }
}
blocker-rerunning_checks = { $count ->
    [one] { $names } runs once more: it may not be the change’s fault
   *[other] These checks run once more: { $names }. It may not be the change’s fault
}
blocker-base_broken = { $count ->
    [one] The check { $names } fails on { $base } too
   *[other] These checks fail on { $base } too: { $names }
}. Nothing is fixed until the base is green
blocker-bots_out_of_quota = { $names } { $count ->
    [one] is
   *[other] are
 } out of quota until { $until }
blocker-bots_pending = Waiting for { $names } to review, until { $until }
blocker-reviewing = Under review by { $names }
blocker-reviewing-rules = the rules
blocker-awaiting_reviewer = Waiting for a review by { $names }
blocker-changes_requested = { $names } requested changes; everything has been answered, waiting for a new review
blocker-threads_open = { $count ->
    [one] 1 thread is waiting for a person’s answer
   *[other] { $count } threads are waiting for a person’s answer
}
blocker-comments_open = { $count ->
    [one] 1 comment of { $names } is left to a person
   *[other] { $count } comments of { $names } are left to a person
}
blocker-fixing = { $count ->
    [one] Fixing 1 finding
   *[other] Fixing { $count } findings
}
blocker-verifying = Running the verify commands on the fix
blocker-merging_base = Merging { $base } into the branch
blocker-verify_untrusted = { $count ->
    [one] A fix is done and waits: nobody has said yet that the repository’s verify command may run: { $commands }
   *[other] A fix is done and waits: nobody has said yet that the repository’s verify commands may run: { $commands }
}
blocker-fixing_off = Findings stand, and Collie is set to review only: somebody has to fix them
blocker-author_not_allowed = { $login ->
    [none] The author’s account is gone: nothing is fixed until you allow this pull request
   *[other] { $login } has no write access: nothing is fixed until you allow the author or this pull request
}
blocker-unseen = { $count ->
    [one] No reviewer was shown all of this file; a person has to look at it: { $names }
   *[other] No reviewer was shown all of { $count } files; a person has to look at them: { $names }
}
blocker-no_sandbox = { $message } { $hints } Collie resumes by itself as soon as it can.
blocker-paused = Everything is paused, by { $by } since { $since }: nothing is reviewed, fixed or written until you continue
blocker-budget = { $scope ->
    [pull_request] { $unit ->
        [cost_micros] This pull request’s budget does not pay for the next question: { $spent } of { $limit } are spent or reserved, and it may cost up to { $needed }. Raise the limit to continue.
       *[tokens] This pull request’s budget of { $limit } tokens without a price is used up: { $spent } are spent. Raise the limit to continue.
    }
    [total] { $unit ->
        [cost_micros] The budget for all pull requests does not pay for the next question: { $spent } of { $limit } are spent or reserved, and it may cost up to { $needed }. Raise the limit to continue.
       *[tokens] The budget of { $limit } tokens without a price for all pull requests is used up: { $spent } are spent. Raise the limit to continue.
    }
   *[day] { $unit ->
        [cost_micros] Today’s budget does not pay for the next question: { $spent } of { $limit } are spent or reserved, and it may cost up to { $needed }. Collie continues at midnight, or once you raise the limit.
       *[tokens] Today’s budget of { $limit } tokens without a price is used up: { $spent } are spent. Collie continues at midnight, or once you raise the limit.
    }
}
held-kind-review = Review report
held-kind-inline = Comment on a line
held-kind-persona_review = Review by a persona
held-kind-dismiss_review = Review by a persona, taken back
held-kind-fix = Fix report
held-kind-proof = Proof
held-kind-stop = Last comment of the run
held-kind-reply = Reply in a thread
held-kind-addition = Addition to a thread
held-kind-body_dispositions = Answer to a bot’s findings
held-kind-answers = Answer to comments
held-kind-command_reply = Answer to a command
held-kind-request_bot_review = Request to a bot
held-kind-request_rereview = Request to look again
held-kind-resolve_thread = Resolve a thread
held-kind-rerun_checks = Run checks again
blocker-observing = { $count ->
    [one] 1 post or push is held back. Raise the autonomy to send it.
   *[other] { $count } posts and pushes are held back. Raise the autonomy to send them.
}
blocker-awaiting_approval = { $count ->
    [0] A commit waits for your approval ({ $commit })
    [one] 1 changed file waits for your approval ({ $commit })
   *[other] { $count } changed files wait for your approval ({ $commit })
}
blocker-pushing = Pushing the fix
blocker-awaiting_push = The fix is pushed; GitHub does not show it yet
blocker-posting = Posting comments
blocker-awaiting_merge = Ready: a person decides whether to merge
blocker-draft = This is a draft; mark it as ready for review to continue
blocker-conflict = { $tried ->
    [yes] Conflicts with { $base }; a person has to resolve them, since Collie could not: { $message }
   *[no] Conflicts with { $base }; a person has to resolve them
}
blocker-behind = { $tried ->
    [yes] Out of date with { $base }, which a person has to merge in first, since Collie could not: { $message }
   *[no] Out of date with { $base }, which must be merged in first
}
blocker-mergeability_unknown = GitHub is still checking whether it can be merged
blocker-merge_blocked = GitHub would refuse to merge and does not say why: look at the branch rules on its page
blocker-review_required = The branch rules require an approving review
blocker-ignore_label = The label { $label } keeps Collie away
blocker-pending_review = Collie’s account has an unsubmitted review here; submit or discard it to continue
blocker-auto_merge = { $by } turned on auto-merge; Collie waits until it is off, so as not to complete the merge
blocker-merge_queue = In the merge queue
blocker-queue_ejected = Taken out of the merge queue: { $cause ->
    [own_checks] { ejection-own_checks }
    [neighbour_checks] { ejection-neighbour_checks }. Nothing is fixed; queue it again
    [base_checks] { ejection-base_checks }. Nothing is fixed; queue it again once the base is green
    [undecided_checks] { ejection-undecided_checks }. Nothing is fixed; look at these checks, or queue it again
    [infrastructure] { ejection-infrastructure }. Queue it again
    [timeout] { ejection-timeout }. Queue it again
    [conflict] { ejection-conflict }{ $tried ->
        [yes] . Collie could not merge the base in: { $message }
       *[no] . A person has to resolve that, or queue it again
    }
    [branch_protections] { ejection-branch_protections }
   *[other] { ejection-merge_not_built }. Queue it again
}
blocker-unreachable = GitHub is not responding; next attempt at { $until }
blocker-unauthorized = GitHub does not accept the token; sign in again
blocker-forbidden = The token lacks a permission: { $message }
blocker-app_unusable = { $problem ->
    [key_refused] GitHub does not accept the key of the GitHub App: put a current one into the file that [app] names
    [suspended] The installation of the GitHub App is suspended: lift that in GitHub’s settings of the account
   *[not_installed] The GitHub App is not installed there: install it, or name another account in [app]
}
blocker-account_unusable = { $problem ->
    [missing] No token of @{ $login } is kept: nothing can be said as it. Add it with collie account add { $login }
    [refused] GitHub does not accept the token of @{ $login }. Replace it with collie account add { $login }
    [no_access] @{ $login } may not see this repository: invite it, or give its token access
   *[sealed] The token of @{ $login } cannot be decrypted: give back the key that it was encrypted with, or replace the token with collie account add { $login }
}
blocker-rights_lacking = { $kind ->
    [scope] The token lacks the scope { $names }: nothing is written. Make a token that has it, or run gh auth refresh --scopes repo; Collie continues by itself
   *[permission] The token lacks { $count ->
        [one] the permission
       *[other] the permissions
    } { $names }: nothing is written. Grant what is missing in GitHub’s settings of the token; Collie continues by itself
}
blocker-server_too_old = { $version ->
    [none] The server does not know { $field }, which Collie needs: update GitHub Enterprise Server
   *[other] GitHub Enterprise Server { $version } does not know { $field }, which Collie needs: update the server
}
blocker-not_found = GitHub cannot find it; Collie keeps looking until { $until }
blocker-rate_limited = The GitHub quota is used up until { $until }
blocker-config_invalid = The repository’s configuration cannot be read: { $message }

# Polls are slower than configured: what is left of an hour’s budget, and when it is full again.
throttle-graphql = GitHub is read less often: { $left } of { $limit } points left until { $until }
throttle-rest = GitHub is read less often: { $left } of { $limit } requests left until { $until }

# Why a run stopped, and what a person can do.
stop-ci_timeout = { $count ->
    [0] The checks did not finish in time
    [one] The check { $names } did not finish in time
   *[other] { $count } checks did not finish in time: { $names }
}
stop-iterations_spent = { $max ->
    [one] After 1 push, something is still open
   *[other] After { $max } pushes, something is still open
}
stop-stuck = { $count ->
    [one] 1 finding stands after every fix, and nothing else is left to fix
   *[other] { $count } findings stand after every fix, and nothing else is left to fix
}
stop-oscillating = The fixes go back and forth
stop-upheld = { $count ->
    [one] 1 finding remains that the fixer cannot fix
   *[other] { $count } findings remain that the fixer cannot fix
}
stop-too_many_restarts = { $count ->
    [one] Others pushed once during the run, which is more than allowed
   *[other] Others pushed { $count } times during the run
}
stop-too_many_turns = Feedback kept coming: { $count ->
    [one] Collie answered once
   *[other] Collie answered { $count } times
}
stop-cannot_push-default_branch = Collie does not push to the default branch
stop-cannot_push-protected = The head branch is protected
stop-cannot_push-base_of_another = The head branch is the base of another open pull request
stop-cannot_push-fork_read_only = The fork does not let maintainers push
stop-cannot_push-refused = The push was refused
stop-in-full = { $stop }: { $message }
stop-review_failed = { $kind ->
    [rules] The rules failed for good
   *[other] The reviewer { $reviewer } failed for good
}
stop-fix_failed = The fixer failed for good
stop-access_lost = The pull request is gone, or access to it was lost

hint-ci-logs = Look at the logs of those checks: they may hang, or be waiting for a runner.
hint-ci-retry = Rerun them, then retry.
hint-fix-yourself = Fix what is listed, push it, then choose “Resume”: Collie continues from your commit.
hint-resume = Resume to let Collie continue with what it knows.
hint-dismiss = If a finding is wrong, say so in its thread; people decide.
hint-more-iterations = Raise max_pr_review_iterations if more rounds are worth it.
hint-settle-first = Agree on what it should be before anything is pushed again.
hint-quiet = Wait until nobody is pushing any more, then choose “Resume”.
hint-own-branch = Open the pull request from a branch of its own.
hint-unprotect = Let Collie’s account push to the branch, or fix the findings yourself.
hint-retarget = Merge or retarget the pull request that builds on this branch first.
hint-fork-allow = Tick “Allow edits by maintainers”, or fix the findings yourself.
hint-rules = Read the server’s message: signatures, commit rules or a hook may be the cause.
hint-retry = Retry once the cause is gone.
hint-doctor = Run `collie doctor` to check what a run needs.
hint-access = Check that the pull request exists and that the account can still see it.

doing-gathers = Gathering context
doing-reads = Reading a prompt of { $tokens } tokens
doing-asks-again = Asking again (request { $attempt })
doing-thinks = Thinking
doing-writes = Writing its answer
doing-spent = { $tokens } tokens so far
doing-spent-cost = { $tokens } tokens so far, { $cost }
doing-repairs = Correcting the format of its answer
doing-waits-for-runner = Waiting for a runner
doing-runs-elsewhere = Working on the runner { $runner }
doing-looks-again = { $findings ->
        [one] Checking one finding against the code again
       *[other] Checking { $findings } findings against the code again
    }
doing-uses = Using a tool
doing-refused = Not allowed: { $title }
doing-plans = Plan: { $done } of { $total } steps done

unseen-reason-binary = binary
unseen-reason-lockfile = lockfile
unseen-reason-generated = generated or vendored, as the base says
unseen-reason-submodule = submodule
unseen-reason-link = symbolic link
unseen-reason-too_large = too large
unseen-reason-too_many = too many files
unseen-reason-unreadable = unreadable
unseen-reason-nesting = nested too deep
unseen-reason-no_room = no room in the prompt
unseen-reason-reading_failed = the reading of its part failed
unseen-reason-taken_out = a push took it out, and what went was not read

# Why a check failed.
failure-cause-base_broken = fails on the base too
failure-cause-infrastructure = infrastructure
failure-cause-flaky = flaky
failure-cause-regression = regression

# Why a pull request was taken out of the merge queue.
ejection-own_checks = { $count ->
    [one] { $names } failed there on this change alone
   *[other] these checks failed there on this change alone: { $names }
}
ejection-neighbour_checks = { $count ->
    [one] { $names } failed on what was queued ahead of it, without this change
   *[other] these checks failed on what was queued ahead of it, without this change: { $names }
}
ejection-base_checks = { $count ->
    [one] { $names } fails on the base without this change
   *[other] these checks fail on the base without this change: { $names }
}
ejection-undecided_checks = { $count ->
    [0] a check failed, and GitHub does not show which
    [one] { $names } failed, and whether by this change or another’s cannot be told
   *[other] these checks failed, and whether by this change or another’s cannot be told: { $names }
}
ejection-infrastructure = { $count ->
    [one] { $names } did not run to its end, which says nothing of the change
   *[other] these checks did not run to their end, which says nothing of the change: { $names }
}
ejection-timeout = its checks were not done in time
ejection-conflict = it conflicts with the base, or with what was queued ahead of it
ejection-branch_protections = the rules of the base branch are not met
ejection-merge_not_built = GitHub could not build the commit that it would be merged by
ejection-manual = somebody took it out
ejection-queue_cleared = the queue was emptied
ejection-rolled_back = the queue took its commit back
ejection-unknown = { $word ->
    [none] GitHub does not say why
   *[other] GitHub gives a reason that Collie does not know: { $word }
}

# An alarm: something that was posted twice.
loop-duplicated = { $count ->
    [one] GitHub shows one of Collie’s posts more than once. That must never happen: please report it with the log, which names it.
   *[other] GitHub shows { $count } of Collie’s posts more than once. That must never happen: please report it with the log, which names them.
}
