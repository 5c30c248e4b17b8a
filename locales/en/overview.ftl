# The overview of all loops, and what is done to several of them.

overview = Overview
overview-tiles = Filter by state
overview-tile-longest = oldest: { $age }
overview-tile-needs-you-none = nothing waits for you
overview-tile-ready-none = none yet
overview-tile-working-none = nothing running
overview-spent = Spent today
overview-spent-nothing = Nothing
overview-spent-unlimited = no limit
overview-spent-left = { $left } of { $limit } left
overview-group-needs-you = Needs you
overview-group-ready = Ready to merge
overview-group-working = Working
overview-group-waiting = Waiting
overview-group-snoozed = Snoozed
overview-group-not-started = Not started
overview-group-done = Done
overview-column-select = Selected
overview-column-state = State
overview-column-title = Pull request
overview-column-place = Repository
overview-column-progress = Progress
overview-column-round = Round
overview-column-cost = Cost
overview-column-age = Since
overview-round = { $iteration } of { $max }
overview-cost-none = nothing spent
overview-since = Since { $at }
overview-updated = Last changed { $at }
overview-repositories-all = Repositories
overview-repositories = { $count ->
    [one] 1 repository
   *[other] { $count } repositories
}
overview-group-by = Group
overview-group-by-state = Group: state
overview-group-by-repository = Group: repository
overview-group-by-none = Group: none
overview-sort = Sort
overview-sort-repository = Sort: repository
overview-sort-newest = Sort: newest
overview-sort-oldest = Sort: oldest
overview-sort-title = Sort: title
overview-sort-cost = Sort: cost
overview-views = Views
overview-rows-compact = Show compact rows
overview-rows-usual = Show the usual rows
overview-view-save = Save this view…
overview-view-save-title = Save this view
overview-view-save-text = Keeps filters, groups and order under a name, on this computer.
overview-view-name = Name
overview-view-keep = Save
overview-view-remove = Remove “{ $name }”
overview-none = No loops yet
overview-none-text = Open a repository and start a loop there, or turn on Auto-PR-Review.
overview-none-open-text = No pull request is open in the repositories that you watch. New ones are listed here.
overview-open-repository-text = Pull requests

# The state of a loop in a word or two, wherever a list has little room.
list-word-pr_created = Starting
list-word-pr_awaiting_checks = Waiting for checks
list-word-pr_reviewing = Reviewing
list-word-pr_fixing = Fixing
list-word-pr_ready_to_merge = Ready to merge
list-word-merged = Merged
list-word-closed = Closed
list-word-cancelled = Cancelled
list-word-needs_human = Needs you
list-word-failed = Failed
age-second = { $count } s
age-minute = { $count } min
age-hour = { $count } h
age-day = { $count } d

# Several lines at once.
select-one = Select { $title }
bulk = Selected pull requests
bulk-count = { $count } selected
bulk-clear = Clear the selection
bulk-more = and { $count } more
bulk-start = Start { $count }
bulk-start-title = { $count ->
    [one] Start 1 loop?
   *[other] Start { $count } loops?
}
bulk-start-text = Each waits for checks, reviews, and pushes fixes as its settings allow. Nothing is merged.
bulk-start-confirm = Start { $count }
bulk-start-others = { $count ->
    [one] 1 selected pull request has a loop already and stays as it is.
   *[other] { $count } selected pull requests have loops already and stay as they are.
}
bulk-retry = Retry { $count }
bulk-retry-title = { $count ->
    [one] Retry 1 run?
   *[other] Retry { $count } runs?
}
bulk-retry-text = Each starts a new run with all its pushes. What was posted on GitHub stays.
bulk-retry-confirm = Retry { $count }
bulk-retry-others = { $count ->
    [one] 1 selected loop has not stopped and stays as it is.
   *[other] { $count } selected loops have not stopped and stay as they are.
}
bulk-cancel = Cancel { $count }
bulk-cancel-title = { $count ->
    [one] Cancel 1 run?
   *[other] Cancel { $count } runs?
}
bulk-cancel-text = Pushed commits, comments on GitHub and findings stay. Retry starts a new run.
bulk-cancel-work = { $count ->
    [one] 1 of them is at work: what it has not pushed is lost.
   *[other] { $count } of them are at work: what they have not pushed is lost.
}
bulk-cancel-confirm = { $count ->
    [one] Cancel 1 run
   *[other] Cancel { $count } runs
}
bulk-cancel-others = { $count ->
    [one] 1 selected pull request has no run to cancel.
   *[other] { $count } selected pull requests have no run to cancel.
}
undo = Undo
cancelling-one = Cancelling { $key }. Nothing is lost.
cancelling-many = Cancelling { $count } runs. Nothing is lost.

# Out of the way for a while.
snooze-title = Snooze “{ $title }”?
snooze-text = A snoozed loop continues. It leaves “Needs you” and the counts, and is listed under “Snoozed”.
snooze-tomorrow = Until tomorrow
snooze-tomorrow-at = Tomorrow: { $at }
snooze-change = Until it changes
snooze-ended = { $title } is no longer snoozed

# Everything by typing some of its letters.
palette = Commands
palette-tip = Commands (Ctrl+K)
palette-placeholder = Type a command, a pull request or an address
palette-places = Go to
palette-everything = Everything
palette-window = Window
palette-open = Open “{ $title }”
palette-show = Open
palette-merge = Merge…
palette-retry = Retry…
palette-snooze = Snooze…
palette-wake = End the snooze
palette-address = Pasted address
palette-address-start = Start a loop for { $key }
palette-address-github = Open { $key } on GitHub
palette-address-host = That address is on { $host }; Collie is signed in to { $watched }.

# What has happened since the window was opened.
notifications = Notifications
notifications-unseen = { $count ->
    [one] Notifications, 1 new
   *[other] Notifications, { $count } new
}
notifications-none = Nothing has happened yet. What becomes ready, needs you or fails while Collie is open is listed here.
notifications-kinds = Which are kept
notifications-clear = Clear
notification-ready = Ready to merge
notification-needs_you = Needs you
notification-failed = Failed

# Keys.
keys-section-window = Everywhere
keys-section-list = In a list
keys-section-detail = In a pull request
keys-off = Shortcuts of a single letter are turned off in the settings. Ctrl+K and the arrows work.
keys-palette = Commands
keys-zoom-in = Show everything larger
keys-zoom-out = Show everything smaller
keys-zoom-usual = Show everything in its usual size
zoom-is = Zoom { $percent }%
keys-overview = Overview
keys-select = Select the row for several at once
keys-github = Open on GitHub
keys-snooze = Snooze the loop, or end that
keys-tabs = Go to the previous or next tab
keys-findings = Go to the next or previous finding
compact-rows = Compact rows
compact-rows-help = Lower rows in the overview, without the tiles above them: fifty loops in two screens. Kept on this computer.
letter-keys = Shortcuts of a single letter
letter-keys-help = Turn this off where dictation or a screen reader types letters by itself. Ctrl+K and the arrows always work. Kept on this computer.
