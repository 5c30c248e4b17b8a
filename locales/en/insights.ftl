# What many runs came to.

insights = Insights
insights-none = Nothing to show yet
insights-none-text = Once the first run has ended, you see here how often pull requests become ready, how long that takes, what was found and what it cost.
insights-range = Time
insights-range-7d = 7 days
insights-range-30d = 30 days
insights-range-90d = 90 days
insights-range-12m = 12 months
insights-range-all = All
insights-range-custom = Custom
insights-from = From
insights-to = To
insights-repository = Repository
insights-all-repositories = All repositories
insights-choose-days = Choose the first day.
insights-days = { $from } to { $to }.
insights-nothing-here = Nothing happened in this time; the first run is of { $first }.
insights-compared = { $days ->
    [one] The difference is to the day before.
   *[other] Differences are to the { $days } days before.
 }
insights-export = Export CSV
insights-export-runs = Runs, a row each
insights-export-spending = Spending by day and model
insights-saved = Saved as { $path }
insights-as-table = As table
insights-tiles = Key figures
insights-tile-ready = Became ready
insights-tile-time = Median time to ready
insights-tile-time-none = Nothing became ready
insights-tile-merged = Merged
insights-tile-dismissed = Findings dismissed
insights-tile-dismissed-none = Nothing was found
insights-tile-spent = Spent
insights-more = { $difference } more than before
insights-fewer = { $difference } less than before
insights-same = As before
insights-longer = { $difference } longer than before
insights-shorter = { $difference } shorter than before
insights-few = { $count ->
    [one] 1 run: a median says little
   *[other] { $count } runs: a median says little
 }
insights-of-runs = { $count ->
    [one] of 1 run
   *[other] of { $count } runs
 }
insights-of-ended = { $count ->
    [one] of 1 that ended
   *[other] of { $count } that ended
 }
insights-part-of-findings = { $part } of { $count }
insights-tokens = { $count ->
    [one] 1 token
   *[other] { $count } tokens
 }
insights-spread = { $median } (middle half { $lower } to { $upper })
insights-spread-note = The line is the median, the shaded band the middle half.
insights-ready-day = Became ready per day
insights-ready-week = Became ready per week
insights-ready-month = Became ready per month
insights-ready-none = Nothing became ready in this time.
insights-time = Median time to ready
insights-time-none = Shown once a run has become ready.
insights-rounds = Findings per round
insights-rounds-none = No run that ended in this time found anything.
insights-round = Round { $round }
insights-outcome-fixed = Fixed
insights-outcome-dismissed = Dismissed
insights-outcome-declined = Taken back or declined
insights-outcome-open = Still open
insights-dismissed = Share dismissed, by reviewer
insights-dismissed-note = A large share means noise: people said that it does not matter.
insights-share-of = { $share } of { $count }
insights-source-agent = reviewer
insights-source-rules = built-in
insights-source-linter = linter
insights-source-bot = bot
insights-source-ci = check
insights-source-human = person
insights-models = Spending by model
insights-repositories = Spending by repository
insights-spending-none = Nothing was spent in this time.
insights-by-tokens = No price is known, so the bars compare tokens.
insights-unrecorded = Not recorded
insights-ended-only = Merges, findings and reasons are those of runs that have ended.
insights-ongoing-runs = { $count ->
    [one] 1 run has not ended yet and is not counted there.
   *[other] { $count } runs have not ended yet and are not counted there.
 }
insights-ended-note = Of runs that ended in this time.
insights-unrecorded-runs = { $count ->
    [one] One run ended before { $date }, when findings and reasons were not recorded yet: it counts only for times and merges.
   *[other] { $count } runs ended before { $date }, when findings and reasons were not recorded yet: they count only for times and merges.
 }
insights-ends = How runs ended
insights-ends-none = No run ended in this time.
insights-end-merged = Merged
insights-end-closed = Closed without a merge
insights-end-cancelled = Cancelled
insights-end-unrecorded = Stopped, reason not recorded
insights-end-ci_timeout = Checks took too long
insights-end-iterations_spent = All rounds used up
insights-end-stuck = Findings came back after their fix
insights-end-oscillating = Fixes went back and forth
insights-end-upheld = The fixer could not fix what is left
insights-end-too_many_restarts = Others pushed too often
insights-end-too_many_turns = Feedback kept coming
insights-end-cannot_push = The branch could not be pushed to
insights-end-review_failed = A reviewer failed
insights-end-fix_failed = The fixer failed
insights-end-access_lost = Access was lost
insights-column-day = Day
insights-column-week = Week
insights-column-month = Month
insights-column-ready = Became ready
insights-column-runs = Runs
insights-column-median = Median, middle half
insights-column-round = Round
insights-column-reviewer = Reviewer
insights-column-findings = Findings
insights-column-share = Share
insights-column-model = Model
insights-column-repository = Repository
insights-column-cost = Cost
insights-column-tokens = Tokens
insights-column-end = Ended
