# What the desktop app's backend says: the timeline, the toggle.

# Why the toggle leaves a pull request alone.
passed-by-cancelled = Cancelled by a person; start it yourself
passed-by-nobody_pushed = Waiting for somebody to push
passed-by-draft = Draft
passed-by-ignored = A label keeps Collie away
passed-by-author = Not by one of the chosen authors
passed-by-label = Has none of the chosen labels
passed-by-left_out = A person left it out
passed-by-base = Does not target a chosen base branch

# What happened to a loop.
event-created = Loop started
event-rebuilt = Restored from its checkpoint
event-joined = Shown from here on; what was before is not kept
event-engine = Collie continued
event-observed = GitHub was read
event-observe_failed = GitHub could not be read
event-poll_postponed = The reading of GitHub was postponed: little is left of the quota
event-rights_checked = What the token may write was asked
event-config_loaded = The repository’s configuration was read
event-config_invalid = The repository’s configuration has an error
event-review_finished = A review finished
event-review_failed = A review failed
event-fix_finished = A fix was made
event-fix_failed = The fixer failed
event-fix_verified = A fix passed through the gates again
event-verify_failed = The verify commands could not be run
event-session_cancelled = A session that was cancelled has ended
event-post_refused = GitHub refused a comment; Collie retries it
event-base_merged = The base was merged into the branch
event-base_merge_refused = The base could not be merged into the branch
event-base_merge_failed = Merging the base into the branch failed
event-files_seen = A person looked at what no reviewer was shown
event-finding_dismissed = A person dismissed a finding
event-fixer_noted = A person told the fixer something
event-autonomy_changed = A person set how far Collie goes by itself
event-push_approved = A person approved a push
event-push_rejected = A person rejected a push
event-pause_changed = A person paused everything, or had it continue
event-trust_changed = A person decided what may be run and fixed in the repository
event-pushed = The fix was pushed
event-rebased = The fix was rebased onto the moved branch
event-push_failed = The push failed
event-remote_head = The branch’s head was read
event-delivered = A comment was processed
event-thread_resolved = A thread was resolved
event-checks_rerun = Checks were asked to run again
event-remembered = What people made of a finding was remembered
event-cleaned_up = The worktree was removed
event-cancel = A person cancelled the run
event-retry = A person started a new run
event-resume = A person resumed the loop
event-with-effects = { $event }; next: { $effects }
event-next = Next: { $effects }
event-waits-person = Waits for a person
moved-pr_awaiting_checks = The head changed, or a check did: checks are awaited again
moved-pr_reviewing = Checks passed; the review began
moved-pr_fixing = Changes are needed; the fix began
moved-pr_ready_to_merge = Ready to merge
moved-merged = Merged on GitHub
moved-closed = Closed on GitHub
moved-needs_human = Stopped: a person has to decide
moved-failed = Stopped: it could not continue
note-review_done = { $verdict ->
    [approve] { $who } approved { $head }
    [request_changes] { $who } requested changes on { $head }: { $count ->
        [one] 1 finding
       *[other] { $count } findings
    }
   *[needs_major_work] { $who } asked for major work on { $head }: { $count ->
        [one] 1 finding
       *[other] { $count } findings
    }
}
note-review_done-rules = Rules
note-pushed = Pushed { $commit }
note-finding_dismissed = @{ $login } dismissed “{ $title }”: { $reason }
note-fixer_noted = @{ $login } told the fixer: { $text }

# What Collie does about it.
effect-check_rights = ask what the token may write
effect-load_config = read the configuration
effect-review = review
effect-fix = fix
effect-verify = verify the fix
effect-merge_base = merge the base in
effect-push = push
effect-read_remote_head = read the branch’s head
effect-post = comment
effect-resolve_thread = resolve threads
effect-rerun_checks = run checks again
effect-remember = remember what people made of a finding
effect-clean_up = clean up

# Remarks.
note-ignored = { $reason ->
    [older_snapshot] Newer data from GitHub had been read already, so this was left out
    [read_before_it_was_asked_for] Collie had asked GitHub again since, so this older answer was left out
    [terminal] The run had ended already, so nothing was done
    [still_running] The run had not ended yet, so nothing was done
    [not_resumable] The run had not stopped for a person, so nothing was resumed
    [unknown_effect] Nothing waited for this answer any more, so it was left out
    [wrong_answer] This was the answer to another request, so it was left out
    [no_fix] No fix was in progress, so nothing was done
    [not_dismissable] A check or a person found it, so it was not dismissed
    [unknown_finding] There was no such finding, so nothing was done
    [another_head] It was about another head, so nothing was done
    [no_change] It was so already, so nothing was done
    [no_such_push] No push of this commit on this head waited for approval, so nothing was done
    [no_such_reviewer] This reviewer was not at work, so its answer was left out
   *[other] Nothing was done
}
note-head_moved = Somebody moved the head from { $from } to { $to }
note-push_conflicted = { $commit } conflicts with what was pushed in between: it was dropped, and the new head is reviewed
note-impostor = { $login } claims to be { $claims }
note-author_denied = { $login ->
    [none] Nothing is fixed: the author’s account is gone
   *[other] Nothing is fixed: { $login } has no write access and was not allowed
}
note-login_reused = { $login } is another account than the one this name was trusted for, and is not trusted
note-permission_unread = GitHub does not say what { $login } may do here: counted as no write access
note-rights_lacking = The token lacks { $names }
note-rights_granted = The token has what it lacked
note-config_without_effect = No effect in .collie.toml at { $commit }, which may only tighten: { $keys }
note-bot_trusted = { $login } is a verified bot
note-feedback_turn = { $count ->
    [one] 1 comment goes to the fixer
   *[other] { $count } comments go to the fixer
}
note-command_obeyed = @{ $login } wrote { $command }
note-command_denied = { $login } wrote { $command } and may not: nothing was done
note-became_stuck = A finding stands after every fix
note-checks_rerun = Run once more: { $names }
note-queue_ejected = Taken out of the merge queue: { $why }
note-pull_ended = The pull request was { $end ->
    [merged] merged
   *[other] closed
} after the run had stopped
note-claim_refuted = A finding stands after it was said to be fixed
note-run_started = A run started
note-iteration_done = Round { $iteration } ended with { $commit }
note-autonomy_changed = { $login ->
    [none] Collie may now { $level ->
        [observe] only observe: the repository or a label says so
        [ask] post, and asks before each push
       *[push] post and push
    }
   *[other] { $login } set the autonomy to { $level }
}
note-pause_changed = { $paused ->
    [yes] { $login } paused everything
   *[no] { $login } had everything continue
}
note-held_discarded = { $count ->
    [one] 1 post that waited was thrown away: its head is gone
   *[other] { $count } posts that waited were thrown away: their head is gone
}
note-push_approved = { $login } approved the push of { $commit }
note-push_rejected = { $said ->
    [yes] { $login } rejected the push of { $commit }: { $words }
   *[no] { $login } rejected the push of { $commit }
}
note-files_seen = { $count ->
    [one] { $login } looked at 1 file that no reviewer was shown, at { $head }
   *[other] { $login } looked at { $count } files that no reviewer was shown, at { $head }
}
note-hosts_refused-agent = { $who } wanted to reach { $hosts }, which it may not: name them as `hosts` of the agent in config.toml if it needs them.
note-hosts_refused-prepare = While the verification was prepared, { $hosts } could not be reached: name them under `prepare_hosts` if it needs them.
note-undeliverable = A comment cannot be posted: { $message }
note-post_duplicated = Posted { $count } times instead of once, please report this: { $ids }
note-post_edited = { $kind ->
    [review] Somebody edited Collie’s review { $id }: it is left as it is
   *[other] Somebody edited Collie’s comment { $id }: it is left as it is
}
note-post_deleted = { $kind ->
    [review] Somebody deleted Collie’s review { $id }: it is not posted again
   *[other] Somebody deleted Collie’s comment { $id }: it is not posted again
}
note-worked = { $who } on { $name }
note-linters = Linters of the repository: { $linters }
note-worked-fixer = The fixer
note-worked-took-over = { $reason ->
    [out_of_quota] { $name } took over: out of quota
    [key_refused] { $name } took over: the key was refused, or there is none
   *[down] { $name } took over: out of order
}
note-worked-resumed = resumed its session
note-worked-reads = { $count ->
        [one] one file read
       *[other] { $count } file reads
    }
note-worked-edits = { $count ->
        [one] one edit
       *[other] { $count } edits
    }
note-worked-commands = { $count ->
        [one] one command
       *[other] { $count } commands
    }
note-worked-others = { $count ->
        [one] one other tool call
       *[other] { $count } other tool calls
    }
note-worked-refused = { $count ->
        [one] one request denied
       *[other] { $count } requests denied
    }
note-session_cancelled = until then it had cost { $cost }
note-worked-untaken = { $setting ->
        [model] without the model
        [effort] without the effort
       *[mcp_server] without the MCP server
    } { $name }, { $reason ->
        [not_offered] which it does not offer
        [too_many] which is not among the first that it offers
        [transport] which it cannot reach over HTTP
        [program_not_found] whose program is missing
       *[refused] which it refused
    }
note-worked-refused-hosts = not let through to { $hosts }
note-worked-dropped = { $count ->
        [one] one finding dropped
       *[other] { $count } findings dropped
    }
note-worked-silenced = { $count ->
        [one] one finding not raised again: the like was dismissed here twice
       *[other] { $count } findings not raised again: the like was dismissed here twice
    }
note-worked-refuted = { $count ->
        [one] one finding refuted when checked again
       *[other] { $count } findings refuted when checked again
    }
note-worked-unchecked = { $count ->
        [one] one finding that could not be checked again, and stands
       *[other] { $count } findings that could not be checked again, and stand
    }
note-worked-agreed = { $count ->
        [one] one finding also made by another reviewer
       *[other] { $count } findings also made by another reviewer
    }
note-worked-left-out = { $count ->
        [one] one part left out for lack of space
       *[other] { $count } parts left out for lack of space
    }

# The story of a loop (`collie log`).
story-run = Run { $number }
story-between = ;
story-round = { $told ->
    [no] Round { $number }
   *[yes] Round { $number }: { $parts }.
}
story-rules = the rules
story-review = { $count ->
    [0] { $who } found nothing
    [one] { $who } found 1 finding
   *[other] { $who } found { $count } findings
}
story-pushed = pushed { $commit }
story-rerun = { $count ->
    [one] ran 1 failed check once more
   *[other] ran { $count } failed checks once more
}
story-waited = waited { $time } for { $blocker ->
    [checks_running] checks
    [no_checks_yet] checks
    [rerunning_checks] checks
    [collecting_failures] checks
    [check_needs_action] a check that needs somebody
    [base_broken] checks of the base
    [bots_pending] review bots
    [bots_out_of_quota] a review bot’s quota
    [awaiting_reviewer] a reviewer
    [changes_requested] a person who had requested changes
    [threads_open] open threads
    [comments_open] answers to comments
    [verify_untrusted] a word on the verify commands
    [awaiting_approval] an approval of the push
    [draft] the end of a draft
    [conflict] a conflict to be resolved
    [behind] the base to be merged in
    [mergeability_unknown] GitHub
    [unreachable] GitHub
    [rate_limited] GitHub’s quota
    [budget] the budget
    [paused] the end of a pause
    [merge_queue] the merge queue
   *[other] a person
}
story-came = { $event }: { $time } after the start.
