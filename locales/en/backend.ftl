# What the desktop app's backend says: problems with their way out, the timeline, the toggle.

# What went wrong. One sentence; what to do is in the hints.
problem-not_found = { $what } was not found on { $host }.
problem-unauthorized = { $host } no longer accepts the token.
problem-refused = { $host } refused: { $message }
problem-wait = { $host } asks Collie to wait until { $until }.
problem-unreachable = { $host } could not be reached: { $message }
problem-bad_token = { $host } does not accept this token.
problem-token_shape = This is not a token: tokens contain no spaces or line breaks.
problem-not_github = { $host } does not respond like GitHub: { $message }
problem-bad_url = { $url } cannot be used as an API address: { $message }
problem-no_token = No token found for { $host }.
problem-scopes = The token for { $host } lacks: { $scopes }.
problem-denied = @{ $login } may not start loops: the account is not among the allowed users.
problem-ended = { $pull } has ended: { $state }.
problem-no_loop = { $pull } has no loop.
problem-no_finding = { $pull } no longer has this finding.
problem-over = { $pull } has ended: { $state }. There is nothing left to do.
problem-busy = { $pull } is still in progress: { $state }.
problem-not_resumable = { $pull } cannot be resumed: { $state }.
problem-engine_refused = The running engine refused: { $message }
problem-no_answer = The running engine has not answered yet.
problem-configuration = The configuration has an error: { $message }
problem-settings_unreadable = { $file } cannot be read: { $message }
problem-settings_unwritable = { $file } cannot be written: { $message }
problem-settings_busy = Another program keeps changing { $file }. Nothing was saved.
problem-disk_full = The disk with the data folder is full. Nothing was lost.
problem-newer = { $what } was written by a newer version of Collie.
problem-damaged = { $what } is damaged ({ $message }). It was set aside.
problem-store = { $what }: { $message }
problem-owned = Another Collie (process { $pid }) is using the data folder { $folder }.
problem-folder = { $folder } cannot be used: { $message }
problem-no_home = There is no home folder to keep data in.
problem-no_git = git 2.38 or later is required: { $message }
problem-git = { $message }
problem-demo = The demo could not be opened: { $message }
problem-demo_has_no_token = The demo needs no token.
problem-demo_port = Another program is using port { $port }, which the demo needs.
problem-demo_open = The demo in { $folder } is open in another Collie.
problem-no_scenario = There is no scenario “{ $name }”.
problem-no_demo = The demo is not open.
problem-signed_out = Nobody is signed in.
problem-starting = Collie is still starting.
problem-login_unknown = GitHub has not said yet whose token this is.
problem-no_keychain = Collie found no keychain on this system.
problem-keychain_locked = The keychain is locked.
problem-keychain = The keychain reported an error: { $message }
problem-bad_name = “{ $name }” is neither OWNER/REPO nor OWNER/REPO#N.
problem-no_worktree = { $pull } has no worktree on this machine right now.
problem-no_page = There is no page for { $name }.
problem-opens_nothing = This window cannot open other programs.
problem-merge_elsewhere = Merging is only possible in the desktop window.
problem-merge_closed = The pull request is closed.
problem-merge_merged = The pull request is already merged.
problem-merge_draft = The pull request is a draft.
problem-merge_queued = The pull request is already in the merge queue.
problem-merge_by_queue = This branch merges through a merge queue.
problem-merge_auto = { $login } turned on auto-merge.
problem-merge_no_right = The signed-in account may not merge here.
problem-merge_conflict = The pull request conflicts with its base.
problem-merge_blocked = The branch rules are not met yet.
problem-merge_behind = The branch is out of date with its base, which must be merged in first.
problem-merge_no_method = The repository allows no merge method.
problem-answer = The answer could not be written: { $message }

# What to do about it.
problem-hint-access = Check the name, and that the account has access to it.
problem-hint-sign_in = Sign in again, with `gh auth login` or with a new token.
problem-hint-rights = Check what the account and its token may do there.
problem-hint-network = Check the network. Collie continues by itself once it responds.
problem-hint-new_token = Create a token with the scope `repo`, and paste all of it.
problem-hint-api_url = For GitHub Enterprise, the address is https://HOST/api/v3.
problem-hint-allow = Add the account under Settings › Account.
problem-hint-retry = Retry starts a new run.
problem-hint-cancel_first = Cancel it first.
problem-hint-settings = The settings show what is wrong, and where.
problem-hint-settings_rights = Check the permissions of the file and its folder, then save again.
problem-hint-settings_busy = Close that program, then save again.
problem-hint-configuration = Fix the file, then try again.
problem-hint-free_space = Free up some space, then try again.
problem-hint-update = Update Collie, or use another COLLIE_HOME.
problem-hint-rebuild = Run `collie doctor --rebuild` to restore what the checkpoints hold.
problem-hint-data_folder = Check the folder’s permissions, or set COLLIE_HOME to another folder.
problem-hint-stop_other = Stop the other one, or use it.
problem-hint-git = Install git, then try again.
problem-hint-demo_anew = Leave the demo and delete its data, then open it again.
problem-hint-demo_port = Stop the other program and try again, or delete the demo’s data and open it again.
problem-hint-stays_queued = The request stays queued.
problem-hint-keychain = Unlock it and try again, or sign in with gh.
problem-hint-desktop_window = Open Collie on this machine to merge.
problem-hint-on_github = Open it on GitHub.

# Why the toggle leaves a pull request alone.
passed-by-cancelled = Cancelled by a person; start it yourself
passed-by-nobody_pushed = Waiting for somebody to push
passed-by-draft = Draft
passed-by-ignored = A label keeps Collie away
passed-by-author = Not by one of the chosen authors
passed-by-label = Has none of the chosen labels
passed-by-base = Does not target a chosen base branch

# What happened to a loop.
event-created = Loop started
event-rebuilt = Restored from its checkpoint
event-engine = Collie continued
event-observed = GitHub was read
event-observe_failed = GitHub could not be read
event-config_loaded = The repository’s configuration was read
event-config_invalid = The repository’s configuration has an error
event-review_finished = A review finished
event-review_failed = A review failed
event-fix_finished = A fix was made
event-fix_failed = The fixer failed
event-pushed = The fix was pushed
event-rebased = The fix was rebased onto the moved branch
event-push_failed = The push failed
event-remote_head = The branch’s head was read
event-delivered = A comment was processed
event-thread_resolved = A thread was resolved
event-cleaned_up = The worktree was removed
event-cancel = A person cancelled the run
event-retry = A person started a new run
event-resume = A person resumed the loop
event-with-effects = { $event }; next: { $effects }

# What Collie does about it.
effect-load_config = read the configuration
effect-review = review
effect-fix = fix
effect-push = push
effect-read_remote_head = read the branch’s head
effect-post = comment
effect-resolve_thread = resolve threads
effect-clean_up = clean up

# Remarks.
note-ignored = No effect: { $reason ->
    [older_snapshot] newer data had already been read
    [read_before_it_was_asked_for] it was read before it was requested
    [terminal] the run has ended
    [still_running] the run has not ended
    [not_resumable] the run did not stop for a person
    [unknown_effect] nothing is waiting for this answer any more
    [wrong_answer] this is the answer to another request
    [no_fix] no fix is in progress
    [no_such_reviewer] this reviewer is not at work
   *[other] it changes nothing
}
note-head_moved = Somebody moved the head from { $from } to { $to }
note-impostor = { $login } claims to be { $claims }
note-bot_trusted = { $login } is a verified bot
note-became_stuck = A finding came back after it was fixed
note-run_started = A run started
note-iteration_done = Round { $iteration } ended with { $commit }
note-undeliverable = A comment cannot be posted: { $message }
note-worked = { $who } on { $name }
note-worked-fixer = The fixer
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
note-worked-dropped = { $count ->
        [one] one finding dropped
       *[other] { $count } findings dropped
    }
note-worked-refuted = { $count ->
        [one] one finding refuted when checked again
       *[other] { $count } findings refuted when checked again
    }
note-worked-agreed = { $count ->
        [one] one finding also made by another reviewer
       *[other] { $count } findings also made by another reviewer
    }
note-worked-left-out = { $count ->
        [one] one part left out for lack of space
       *[other] { $count } parts left out for lack of space
    }
