# What the desktop app's desk says: problems with their way out, the timeline, the toggle.

# What went wrong. One sentence; what to do is in the hints.
problem-not_found = { $what } was not found on { $host }.
problem-unauthorized = { $host } does not accept the token any more.
problem-refused = { $host } refused: { $message }
problem-wait = { $host } asks to wait until { $until }.
problem-unreachable = { $host } could not be reached: { $message }
problem-bad_token = { $host } does not accept this token.
problem-token_shape = This is not a token: tokens have no blanks or line breaks inside.
problem-not_github = { $host } does not answer as GitHub does: { $message }
problem-bad_url = { $url } cannot be used as an API address: { $message }
problem-no_token = No token for { $host } was found.
problem-scopes = The token for { $host } lacks: { $scopes }.
problem-denied = @{ $login } may not start reviews: the account is not among the allowed users.
problem-ended = { $pull } has ended: { $state }.
problem-no_loop = { $pull } has not been taken up.
problem-no_finding = This finding of { $pull } is not known any more.
problem-over = { $pull } has ended: { $state }. Nothing is left to do.
problem-busy = { $pull } is still at work: { $state }.
problem-not_resumable = { $pull } cannot be resumed: { $state }.
problem-engine_refused = The running engine refused: { $message }
problem-no_answer = The running engine has not answered yet.
problem-configuration = The configuration is wrong: { $message }
problem-settings_unreadable = { $file } cannot be read: { $message }
problem-settings_unwritable = { $file } cannot be written: { $message }
problem-settings_busy = Another program kept changing { $file }. Nothing was saved.
problem-disk_full = The disk that holds the data folder is full. Nothing was lost.
problem-newer = { $what } was written by a newer Collie.
problem-damaged = { $what } is damaged ({ $message }). It was kept aside.
problem-store = { $what }: { $message }
problem-owned = Another Collie (process { $pid }) owns the data folder { $folder }.
problem-folder = { $folder } cannot be used: { $message }
problem-no_home = There is no home folder to keep data in.
problem-no_git = git 2.38 or later is needed: { $message }
problem-git = { $message }
problem-demo = The demo could not be opened: { $message }
problem-demo_has_no_token = The demo needs no token.
problem-demo_port = The demo's port { $port } is in use by another program.
problem-demo_open = The demo in { $folder } is open in another Collie.
problem-no_scenario = There is no scenario “{ $name }”.
problem-no_demo = The demo is not open.
problem-signed_out = Nobody is signed in.
problem-starting = Collie is still starting.
problem-login_unknown = GitHub has not said yet whose token this is.
problem-no_keychain = This system has no keychain that Collie could use.
problem-keychain_locked = The keychain is locked.
problem-keychain = The keychain failed: { $message }
problem-bad_name = “{ $name }” is neither OWNER/REPO nor OWNER/REPO#N.
problem-no_worktree = { $pull } has no worktree on this machine now.
problem-no_page = There is no page for { $name }.
problem-opens_nothing = This window cannot open other programs.
problem-merge_elsewhere = Merging is done in the desktop window.
problem-merge_closed = The pull request is closed.
problem-merge_merged = The pull request has been merged already.
problem-merge_draft = The pull request is a draft.
problem-merge_queued = The pull request is in the merge queue already.
problem-merge_by_queue = This branch merges through a queue.
problem-merge_auto = { $login } switched auto-merge on.
problem-merge_no_right = The signed-in account may not merge here.
problem-merge_conflict = The pull request conflicts with its base.
problem-merge_blocked = The branch rules are not met yet.
problem-merge_behind = The base has moved on and must be merged in first.
problem-merge_no_method = The repository allows no way to merge.
problem-answer = The answer could not be written: { $message }

# What to do about it.
problem-hint-access = Check the name, and that the account may see it.
problem-hint-sign_in = Sign in again: with `gh auth login`, or with a new token.
problem-hint-rights = Check what the account and its token may do there.
problem-hint-network = Check the network. Collie goes on by itself once it answers.
problem-hint-new_token = Make a token with the scope `repo`, and paste it whole.
problem-hint-api_url = For GitHub Enterprise the address is https://HOST/api/v3.
problem-hint-allow = Add the account under Settings › Accounts.
problem-hint-retry = Retry begins a fresh run.
problem-hint-cancel_first = Cancel it first.
problem-hint-settings = Settings shows what is wrong, and where.
problem-hint-settings_rights = Check the permissions of the file and its folder, then save again.
problem-hint-settings_busy = Close that program, then save again.
problem-hint-configuration = Put the file right, then try again.
problem-hint-free_space = Free some space, then try again.
problem-hint-update = Update Collie, or use another COLLIE_HOME.
problem-hint-rebuild = `collie doctor --rebuild` restores what the checkpoints know.
problem-hint-data_folder = Check the folder's permissions, or set COLLIE_HOME to another folder.
problem-hint-stop_other = Stop the other one, or use it.
problem-hint-git = Install git, then try again.
problem-hint-demo_anew = Leave the demo and forget it, then begin it anew.
problem-hint-demo_port = End the other program and try again, or begin the demo anew.
problem-hint-stays_queued = The request stays queued.
problem-hint-keychain = Unlock it and try again; or sign in with gh.
problem-hint-desktop_window = Open Collie on this machine to merge.
problem-hint-on_github = Open it on GitHub.

# Why the toggle leaves a pull request alone.
passed-by-cancelled = Cancelled by a person; start it by hand
passed-by-nobody_pushed = Waits for somebody to push
passed-by-draft = A draft
passed-by-ignored = A label keeps Collie away
passed-by-author = Not by one of the chosen authors
passed-by-label = Has none of the chosen labels
passed-by-base = Goes into another branch than the chosen ones

# What happened to a loop.
event-created = Taken up
event-rebuilt = Restored from its checkpoint
event-engine = Collie went on
event-observed = GitHub was read
event-observe_failed = GitHub could not be read
event-config_loaded = The repository’s configuration was read
event-config_invalid = The repository’s configuration is wrong
event-review_finished = A review ended
event-review_failed = A review failed
event-fix_finished = A fix was made
event-fix_failed = The fixer failed
event-pushed = The fix was pushed
event-rebased = The fix was laid on top of the moved branch
event-push_failed = The push failed
event-remote_head = The branch was asked for its head
event-delivered = A comment arrived
event-thread_resolved = A thread was resolved
event-cleaned_up = The worktree was removed
event-cancel = A person cancelled
event-retry = A person began a fresh run
event-resume = A person let it go on
event-with-effects = { $event }; next: { $effects }

# What Collie does about it.
effect-load_config = read the configuration
effect-review = review
effect-fix = fix
effect-push = push
effect-read_remote_head = ask the branch
effect-say = comment
effect-resolve = resolve threads
effect-clean_up = clean up

# Remarks.
note-ignored = Without effect: { $reason ->
    [older_snapshot] something newer was read before
    [read_before_it_was_asked_for] it was read before it was asked for
    [terminal] the run is over
    [still_running] the run is not over
    [not_resumable] the run did not stop for a person
    [unknown_effect] nobody waits for this answer any more
    [wrong_answer] this answers something else
    [no_fix] no fix is under way
    [no_such_reviewer] no such reviewer is at work
   *[other] it changes nothing
}
note-head_moved = Somebody moved the head from { $from } to { $to }
note-impostor = { $login } claims to be { $claims }
note-bot_trusted = { $login } is a verified bot
note-became_stuck = A finding came back after it was fixed
note-run_started = A run began
note-iteration_done = Iteration { $iteration } ended with { $commit }
note-undeliverable = A comment will never arrive: { $message }
note-worked = { $who } on { $name }
note-worked-fixer = The fixer
note-worked-resumed = went on with its session
note-worked-reads = { $count ->
        [one] one look into files
       *[other] { $count } looks into files
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
        [one] one other tool
       *[other] { $count } other tools
    }
note-worked-refused = { $count ->
        [one] one wish not granted
       *[other] { $count } wishes not granted
    }
note-worked-dropped = { $count ->
        [one] one finding dropped
       *[other] { $count } findings dropped
    }
note-worked-refuted = { $count ->
        [one] one finding refuted at the second look
       *[other] { $count } findings refuted at the second look
    }
note-worked-agreed = { $count ->
        [one] one finding that a colleague made too
       *[other] { $count } findings that a colleague made too
    }
note-worked-left-out = { $count ->
        [one] one part not shown for want of room
       *[other] { $count } parts not shown for want of room
    }
