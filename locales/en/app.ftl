# The app's frame and its lists.

app-name = Collie
close = Close
back = Back
try-again = Try again
copied = Copied
copied-not = Could not copy to the clipboard
copy-sha = Copy { $sha }
version = Collie { $version }

# The window's left side.
sidebar = Sidebar
sidebar-repositories = Repositories
sidebar-add = Add repositories
sidebar-add-title = Add repositories
sidebar-more = More actions for { $repo }
sidebar-remove = Remove
sidebar-settings = Settings
quota = GitHub quota
quota-left = { $left } left
quota-tip = { $left } of { $limit } requests left; resets at { $at }
quota-unknown = GitHub quota: not known yet
engine-slots = { $working } of { $slots } slots
engine-slots-queued = { $working } of { $slots } slots · { $queued } queued
engine-elsewhere = Loops run on workers elsewhere
engine-none = Starting…
account = Signed in as { $login } on { $host }

# The demo, in the sidebar.
demo-card = Demo
demo-card-started = { $started } of { $all } scenarios started
demo-card-open = Scenarios
demo-card-title = Demo scenarios
demo-card-text = Sample pull requests on a local forge, handled by the real engine.

# The lists over all repositories, and when they are empty.
standing-needs-you = Needs you
standing-needs-you-none = Nothing needs you
standing-needs-you-none-text = Loops that have stopped or are waiting for a person appear here.
standing-ready = Ready to merge
standing-ready-none = Nothing is ready yet
standing-ready-none-text = Pull requests appear here once checks, bots and reviewers agree.
standing-working = In progress
standing-working-none = Nothing in progress
standing-working-none-text = Start a loop in a repository, or turn on Auto-PR-Review there.
frame-detail = Pull request
frame-no-repositories = No repositories yet
frame-no-repositories-text = Add the repositories whose pull requests Collie should look after. Nothing starts by itself.

# Above a list.
list-search = Search
list-auto-review = Auto-PR-Review
list-auto-review-tip = Starts a loop for every open pull request in this repository that is not a draft and that the settings allow, now and in the future. Collie waits for checks, reviews, and pushes fixes until the pull request is ready or needs you. It never merges. When you turn this off, no new loops start; running loops continue.
list-refresh = Refresh
list-refresh-read = Updated { $when }. Refresh
list-refreshing = Refreshing…
list-filters = Filters
list-pulls = Pull requests
list-issues = Issues
list-mine = Mine
list-agents = By agents
list-more-than = { $count }+

# A list.
list-pulls-of = Pull requests of { $repo }
list-issues-of = Issues of { $repo }
list-loading = Loading…
list-read-at = Showing data from { $at }.
list-no-pulls = No open pull requests
list-no-pulls-text = New ones appear here automatically.
list-no-issues = No open issues
list-no-issues-text = New ones appear here automatically.
list-no-match = No results
list-no-match-text = Nothing matches the search and filters.
list-show-all = Show all
list-start = Start
list-start-one = Start a loop for { $title }
list-start-tip = Start a loop for this pull request

# What a line says. Names of states are in loop.ftl.
list-not-started = Not started
list-draft = Draft
list-queued = Queued · { $position }
list-queue = Waiting for a free slot: position { $position }
list-state-round = { $state } · { $iteration } of { $max }
list-waiting-you = Waiting for you
list-waiting-login = Waiting for @{ $login }
list-waiting-others = Waiting for @{ $login } +{ $others }
list-pull = { $branch }
list-pull-by = by { $author } · { $branch }
list-issue = { $comments ->
    [one] 1 comment
   *[other] { $comments } comments
}
list-issue-by = by { $author } · { list-issue }
list-ready-unread = nobody has read the change
list-ready-checks = { $count ->
    [0] no checks
    [one] 1 check
   *[other] { $count } checks
}
list-ready-reviewers = { $count ->
    [0] no reviewers
    [one] 1 reviewer
   *[other] { $count } reviewers
}
list-now-pr_created = About to start
list-now-pr_awaiting_checks = Looking at the checks
list-now-pr_reviewing = Reviewing the change
list-now-pr_fixing = Fixing findings
list-now-pr_ready_to_merge = Ready for you to merge
list-now-merged = Merged
list-now-closed = Closed without merging
list-now-cancelled = Cancelled; you can start it again at any time
list-now-needs_human = Stopped; needs a person
list-now-failed = Collie could not continue

# What stands in the way.
connection-unreachable = GitHub is not responding
connection-unreachable-text = Collie keeps trying. You see the last known data.
connection-unreachable-until = Next attempt at { $at }. You see the last known data.
connection-rate-limited = GitHub quota used up
connection-rate-limited-text = Loops continue when it resets.
connection-rate-limited-until = Loops continue at { $at }, when it resets.
connection-unauthorized = GitHub does not accept the token
connection-unauthorized-text = It has been revoked or has expired. Loops wait until you sign in again.
following = Another Collie is running the loops
following-process = Another Collie (process { $process }) is running the loops
following-text = This window shows them and passes on your requests. It takes over when the other one quits.
stopped-heading = Collie could not start
stopped-unknown = The reason is unknown. The diagnostics may tell you more.
stopped-logs = Open diagnostics

# The keys.
keys-title = Keyboard shortcuts
keys-move = Next or previous row
keys-move-anywhere = The same, from anywhere
keys-open = Open the row
keys-close = Close what is open
keys-search = Search
keys-start = Start a loop
keys-cancel = Cancel the run
keys-merge = Merge
keys-changes = Show what Collie changed, or hide it
keys-widen = Give the changes the whole window, and take it back
keys-hunks = Go to the next or previous hunk of the changes
keys-standing = Needs you, Ready to merge, In progress
keys-help = Show keyboard shortcuts

# In place of a part of the window that failed.
broken-title = This part could not be shown
broken-text = Collie ran into an error here and logged it in its diagnostics. Loops keep running.
broken-reload = Reload

# When the page does not reach the app behind it.
host-silent = Collie is not responding
host-silent-since = What you see was so at { $at }. The page retries by itself; this goes away when Collie’s server answers.
host-silent-hint = Check that Collie is still running, then try again.
host-unexpected = Collie responded with error { $status }
host-unexpected-hint = Try again. The diagnostics may tell you why.

# Everything is paused at once (§15).
pause-all = Pause everything
pause-end = Continue
pause-end-all = Continue everything that is paused
pause-title = Everything is paused
pause-text = @{ $login } paused it { $at }. Nothing is reviewed, fixed or written, and nothing is spent, until you continue. GitHub is still read.
rights-operator-only = Only people whom the server’s configuration allows decide this
rights-machine-only = This is changed on the server’s machine, in its config.toml.
rights-look-only = You may look. To act on pull requests of { $repo } you need to be allowed to push there.
frame-no-repositories-server = This server watches no repository that GitHub shows you.
settings-read-only = These settings can only be read here
