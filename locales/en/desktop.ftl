# What the desktop app says outside its window: tray, notifications, and on a terminal.

desktop-open = Open Collie
desktop-quit = Quit Collie
desktop-counts-none = Nothing needs you
desktop-counts-ready = { $ready ->
    [one] 1 ready
   *[other] { $ready } ready
}
desktop-counts-needs = { $needs ->
    [one] 1 needs you
   *[other] { $needs } need you
}
desktop-counts-both = { desktop-counts-ready }, { desktop-counts-needs }
# Beside the icon in the tray, as short as can be.
desktop-label-ready = { $ready } ✓
desktop-label-needs = { $needs } !
desktop-label-both = { desktop-label-ready } { desktop-label-needs }

desktop-more = { $count } more
desktop-pull-ready = { $key } is ready: { $title }
desktop-pull-needs = { $key } needs you: { $title }

desktop-notice-ready = { $key } is ready to merge
desktop-notice-needs = { $key } needs you
desktop-notice-failed = { $key } failed

desktop-not-understood = Collie does not understand “{ $argument }”. Name a pull request by OWNER/REPO#N or by its address on GitHub.
desktop-option-unknown = Collie has no option “{ $argument }”. Run collie-desktop --help to see its options.
desktop-error = error:
desktop-hint = hint:
desktop-no-display = Collie needs a display to open its window, and found none.
desktop-no-display-hint = Without a display, `collie watch OWNER/REPO` runs the same loops in a terminal.
desktop-no-window = The window cannot be opened: { $reason }
desktop-no-window-hint = Install WebKitGTK 4.1 (`bash scripts/setup.sh --desktop` does so on Debian and Ubuntu), then start again.
desktop-help =
    Opens Collie. A second start shows the window that is already open.

    Usage: collie-desktop [--demo] [PULL_REQUEST]

      PULL_REQUEST    what to show: OWNER/REPO#N, https://github.com/OWNER/REPO/pull/N
                      or collie://open/OWNER/REPO/N
      --demo          opens the demo if nobody has signed in yet
      --help          shows this help
      --version       shows the version

    COLLIE_HOME names another data folder.

# Why a merge was not done. What a person can do comes after it.
desktop-merge-no-loop = Collie has no loop for { $pull }, or nobody is signed in.
desktop-merge-quitting = Collie is about to quit: nothing was merged.
desktop-merge-no-connection = The merge could not be prepared: { $message }
desktop-merge-other-pull = The dialog was about another pull request. Open it again.
desktop-merge-not-ready = { $pull } is no longer ready. Wait until it is ready again.
desktop-merge-head-moved = { $pull } has new commits since you looked. Look at them, then decide again.
desktop-merge-draft = { $pull } is a draft. Mark it as ready for review on GitHub.
desktop-merge-closed = { $pull } is closed. Reopen it on GitHub if it is still wanted.
desktop-merge-already-merged = { $pull } is already merged. There is nothing left to do.
desktop-merge-conflict = { $pull } conflicts with its base. Resolve the conflict on the branch and push.
desktop-merge-checks-not-green = The checks of { $pull } are no longer green. Wait for them, or rerun them.
desktop-merge-blocked = The rules of the base branch block { $pull }. See the merge box on GitHub.
desktop-merge-behind = The branch of { $pull } must be up to date with its base. Update it on GitHub.
desktop-merge-mergeability-unknown = GitHub is still checking whether { $pull } can be merged. Try again in a moment.
desktop-merge-auto-merge-on = Auto-merge is on for { $pull }. Turn it off on GitHub, or let it do the merge.
desktop-merge-in-merge-queue = { $pull } is in the merge queue, which will merge it. To merge it another way, remove it from the queue on GitHub.
desktop-merge-queue-required = The base branch merges through a merge queue. Add { $pull } to the queue on GitHub.
desktop-merge-method-not-allowed = The repository does not allow this method. Choose another one.
desktop-merge-no-permission = { $login } may not merge { $pull }: { $message }. Ask for write access, or let somebody else merge.
desktop-merge-unauthorized = { $host } does not accept the token of { $login }. Sign in again.
desktop-merge-signed-in-as-another = The dialog showed { $confirmed }, but { $now } is signed in now. Open the dialog again.
desktop-merge-not-found = { $pull } was not found on { $host }. Check that it exists and that the token has access to it.
desktop-merge-rate-limited = { $host } asks Collie to wait. Try again in a few minutes.
desktop-merge-unreachable = { $host } could not be reached: { $message }. Try again when it responds.
desktop-merge-refused = { $host } refused: { $message }. See the merge box on GitHub.
desktop-merge-not-merged = { $host } gave no clear answer, and { $pull } is still open: { $message }. Merge again if it stays open.
desktop-merge-outcome-unknown = { $host } gave no clear answer: { $message }. Look at { $pull } on GitHub before you try again.
desktop-merge-unrecorded = The audit log could not be written: { $message }. Nothing was merged; fix that, then try again.

# Opening something outside the window.
desktop-open-failed = { $what } could not be opened: { $reason }
desktop-open-refused = { $what } is not a web address and was not opened.
