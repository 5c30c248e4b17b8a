# The app's frame and its lists.

app-name = Collie
close = Close
back = Back
try-again = Try again
copied = Copied
copied-not = The clipboard cannot be used
copy-sha = Copy { $sha }
version = Collie { $version }

# The window's left side.
sidebar = Places
sidebar-repositories = Repositories
sidebar-add = Add repositories
sidebar-add-title = Add repositories
sidebar-more = More for { $repo }
sidebar-remove = Remove
sidebar-settings = Settings
quota = GitHub quota
quota-left = { $left } left
quota-tip = { $left } of { $limit } requests left; it begins anew at { $at }
quota-unknown = GitHub quota: not asked yet
engine-slots = { $working } of { $slots } slots
engine-slots-queued = { $working } of { $slots } slots · { $queued } waiting
engine-none = Starting …
account = Signed in as { $login } on { $host }

# The demo, in the sidebar.
demo-card = Demo
demo-card-started = { $started } of { $all } scenarios started
demo-card-open = Scenarios
demo-card-title = Scenarios of the demo
demo-card-text = Sample pull requests on a forge on this machine, worked on by the real engine.

# Places, and when they are empty.
standing-needs-you = Needs you
standing-needs-you-none = Nothing needs you
standing-needs-you-none-text = Reviews that stopped, or wait for a person, are listed here.
standing-ready = Ready to merge
standing-ready-none = Nothing is ready yet
standing-ready-none-text = Pull requests are listed here once checks, bots and reviewers agree.
standing-working = Working
standing-working-none = Nothing is being worked on
standing-working-none-text = Start a review in a repository, or switch Auto-PR-Review on there.
frame-detail = Pull request
frame-no-repositories = No repositories yet
frame-no-repositories-text = Add those whose pull requests Collie is to look after. Nothing starts by itself.

# Above a list.
list-search = Search
list-auto-review = Auto-PR-Review
list-auto-review-tip = Starts a review for every open pull request here that is no draft and that the settings allow: those there are, and those to come. Collie then waits for checks, reviews and pushes fixes until it is ready or needs you. It never merges. Switched off, it starts nothing new; what runs goes on.
list-refresh = Read GitHub now
list-refresh-read = Read { $when }. Read GitHub now
list-refreshing = Reading GitHub …
list-filters = Filters
list-pulls = Pull requests
list-issues = Issues
list-mine = Mine
list-agents = By agents
list-more-than = { $count }+

# A list.
list-pulls-of = Pull requests of { $repo }
list-issues-of = Issues of { $repo }
list-loading = Being read …
list-read-at = This is what was read at { $at }.
list-no-pulls = No open pull requests
list-no-pulls-text = New ones appear here by themselves.
list-no-issues = No open issues
list-no-issues-text = New ones appear here by themselves.
list-no-match = Nothing fits
list-no-match-text = No line fits the search and the filters.
list-show-all = Show all
list-start = Start
list-start-one = Start a review of { $title }
list-start-tip = Start a review of this pull request

# What a line says. Names of states are in loop.ftl.
list-not-started = Not started
list-draft = Draft
list-needs-you = Needs you
list-queued = Queued · { $position }
list-queue = Waits for a free slot: place { $position }
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
list-ready = { $seen }, at { $head }
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
list-now-pr_created = Collie is about to look at it
list-now-pr_awaiting_checks = Checks are being looked at
list-now-pr_reviewing = The change is being reviewed
list-now-pr_fixing = Findings are being fixed
list-now-pr_ready_to_merge = Ready: merging is up to a person
list-now-merged = It was merged
list-now-closed = It was closed without a merge
list-now-cancelled = It was cancelled; start it again when you like
list-now-needs_human = It stopped and needs a person
list-now-failed = Collie could not go on

# What stands in the way.
connection-unreachable = GitHub does not answer
connection-unreachable-text = It is tried again by itself. What is shown is the last that was read.
connection-unreachable-until = It is tried again at { $at }. What is shown is the last that was read.
connection-rate-limited = The GitHub quota is used up
connection-rate-limited-text = Reviews go on once it begins anew.
connection-rate-limited-until = Reviews go on at { $at }, when it begins anew.
connection-unauthorized = GitHub does not accept the token
connection-unauthorized-text = It was revoked, or has expired. Reviews wait until you sign in again.
following = Another Collie runs the reviews
following-process = Another Collie (process { $process }) runs the reviews
following-text = This window shows them and passes on what you ask for. It takes over when the other one ends.
stopped-heading = Collie could not start
stopped-unknown = It did not say why. The diagnostics may.
stopped-logs = Open diagnostics

# The keys.
keys-title = Keyboard shortcuts
keys-move = Next or previous line
keys-move-anywhere = The same, from anywhere
keys-open = Open the line
keys-close = Close what is open
keys-search = Search
keys-start = Start a review
keys-cancel = Cancel the review
keys-merge = Merge
keys-standing = Needs you, Ready to merge, Working
keys-help = Show these keys

# In place of a part of the window that failed.
broken-title = This part could not be shown
broken-text = Collie met an error here and wrote it into its diagnostics. Reviews go on.
broken-reload = Reload

# When the page does not reach the app behind it.
host-silent = Collie does not answer
host-silent-hint = See whether it still runs, then try again.
host-unexpected = Collie answered with the error { $status }
host-unexpected-hint = Try again. Its diagnostics may say why.
