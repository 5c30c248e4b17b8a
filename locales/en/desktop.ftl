# What the desktop app says outside its window: tray, notifications, and on a terminal.

desktop-open = Open Collie
desktop-quit = Quit Collie
# Everything at once, in the tray's menu.
desktop-paused = Everything is paused
desktop-pause = Pause everything
desktop-continue = Continue everything that is paused
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
desktop-counts-paused = Everything is paused; { $counts }
# Beside the icon in the tray, as short as can be.
desktop-label-ready = { $ready } ✓
desktop-label-needs = { $needs } !
desktop-label-both = { desktop-label-ready } { desktop-label-needs }

desktop-more = { $count } more
desktop-pull-ready = { $key } is ready: { $title }
desktop-pull-needs = { $key } needs you: { $title }

desktop-notice-ready = { $key } is ready to merge
desktop-notice-unread = { $key } is ready to merge; nobody has read the change
desktop-notice-needs = { $key } needs you
desktop-notice-failed = { $key } failed

desktop-error = error:
desktop-hint = hint:
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

# Opening something outside the window.
