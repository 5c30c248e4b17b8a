# What the desktop app says outside its window: tray, notifications, and on a terminal.

desktop-open = Open Collie
desktop-quit = Quit Collie
desktop-counts-none = Nothing waits for you
desktop-counts-ready = { $ready ->
    [one] 1 ready
   *[other] { $ready } ready
}
desktop-counts-needs = { $needs ->
    [one] 1 needs you
   *[other] { $needs } need you
}
desktop-counts-both = { desktop-counts-ready }, { desktop-counts-needs }
desktop-more = { $count } more
desktop-pull-ready = { $key } is ready: { $title }
desktop-pull-needs = { $key } needs you: { $title }

desktop-notice-ready = { $key } is ready to merge
desktop-notice-needs = { $key } needs you
desktop-notice-failed = { $key } failed

desktop-not-understood = Collie does not understand “{ $argument }”. It opens a pull request by OWNER/REPO#N or by its address on GitHub.
desktop-option-unknown = Collie has no option “{ $argument }”. collie-desktop --help lists what it takes.
desktop-error = error:
desktop-hint = hint:
desktop-no-display = Collie needs a display to open its window, and none can be reached.
desktop-no-display-hint = Without one, `collie watch OWNER/REPO` runs the same loops in a terminal.
desktop-no-window = The window cannot be opened: { $reason }
desktop-no-window-hint = Install WebKitGTK 4.1 (`bash scripts/setup.sh --desktop` does so on Debian and Ubuntu), then start again.
desktop-help =
    Opens Collie. A second start shows the window that is there.

    Usage: collie-desktop [PULL_REQUEST]

      PULL_REQUEST    what to show: OWNER/REPO#N, https://github.com/OWNER/REPO/pull/N
                      or collie://open/OWNER/REPO/N
      --help          says this
      --version       says which version this is

    COLLIE_HOME names another data folder.
