use super::*;
use crate::blocker::{Stop, StopCode};
use crate::finding::FindingKind;
use crate::ids::{Fingerprint, RunId};
use crate::test_support::{finding, tracked};
use jiff::ToSpan;
use jiff::civil::date;
use proptest::prelude::*;

const HOUR: i64 = 3_600_000;
const DAY: i64 = 24 * HOUR;

/// A Tuesday, at noon in UTC.
const NOW: Time = Time(1_795_478_400_000 + 12 * HOUR);

fn repo(name: &str) -> RepoName {
    RepoName::parse(&format!("acme/{name}")).unwrap()
}

/// A run that began so many days before [`NOW`], was ready after so many hours and ended a day after it began.
fn run(days_ago: i64, ready_after: Option<i64>, state: State) -> RunRow {
    let started_at = Time(NOW.0 - days_ago * DAY);
    let ended_at = state.is_terminal().then_some(Time(started_at.0 + DAY));
    RunRow {
        repo: repo("api"),
        number: 1,
        run: RunId::new("run"),
        started_at,
        ready_at: ready_after.map(|hours| Time(started_at.0 + hours * HOUR)),
        ended_at,
        state,
        record: Some(RunRecord::default()),
        is_continued: false,
    }
}

fn found(round: u32, name: &str, status: FindingStatus, count: u32) -> FindingCount {
    FindingCount {
        round,
        source: SourceType::Agent,
        name: name.into(),
        status,
        count,
    }
}

fn with_findings(run: RunRow, findings: Vec<FindingCount>) -> RunRow {
    let record = RunRecord {
        findings,
        ..RunRecord::default()
    };
    RunRow {
        record: Some(record),
        ..run
    }
}

fn spent(day: Date, name: Option<&str>, model: Option<&str>, cost_micros: u64) -> SpendRow {
    SpendRow {
        day,
        repo: name.map(repo),
        model: model.map(str::to_owned),
        usage: Usage {
            cost_micros,
            ..Usage::default()
        },
    }
}

fn days(days: u32) -> InsightsRange {
    InsightsRange::Days { days }
}

fn of(runs: &[RunRow], range: &InsightsRange) -> Insights {
    insights(runs, &[], range, None, NOW, &TimeZone::UTC)
}

#[test]
fn quartiles_are_those_of_a_spreadsheet() {
    let of = |all: &[u64]| Spread::of(all.to_vec()).map(|it| (it.lower, it.median, it.upper));
    assert_eq!(of(&[]), None);
    assert_eq!(of(&[7]), Some((7, 7, 7)));
    assert_eq!(of(&[40, 10]), Some((17, 25, 32)));
    assert_eq!(of(&[30, 10, 20]), Some((15, 20, 25)));
    // QUARTILE.INC of 1, 2, 4, 8, 16, 32 is 2.5, 6 and 14.
    assert_eq!(
        of(&[3200, 100, 200, 400, 800, 1600]),
        Some((250, 600, 1400))
    );
}

#[test]
fn ranges_end_today_and_are_shown_in_few_pieces() {
    let today = date(2026, 11, 24);
    let first = Some(date(2024, 2, 29));
    let of = |range: InsightsRange| {
        let days = range.days(first, today);
        (days.from, days.to, days.unit(), days.periods().len())
    };
    let week = (date(2026, 11, 18), today, PeriodUnit::Day, 7);
    assert_eq!(of(days(7)), week);
    // From a Monday to a Tuesday four weeks later.
    assert_eq!(
        of(days(30)),
        (date(2026, 10, 26), today, PeriodUnit::Week, 5)
    );
    assert_eq!(of(days(0)), of(days(1)), "there is always a day");
    let year = of(InsightsRange::Months { months: 12 });
    assert_eq!(year, (date(2025, 11, 25), today, PeriodUnit::Week, 53));
    let all = of(InsightsRange::All);
    assert_eq!(all, (date(2024, 2, 29), today, PeriodUnit::Month, 34));
    let reversed = InsightsRange::Between {
        from: today,
        to: Some(date(2026, 11, 1)),
    };
    let one = (date(2026, 11, 1), date(2026, 11, 1), PeriodUnit::Day, 1);
    assert_eq!(of(reversed), one);
}

#[test]
fn runs_that_go_on_are_counted_where_they_began_by_the_end_of_the_range() {
    let runs = [
        run(2, Some(2), State::Merged),
        run(2, Some(4), State::PrReadyToMerge),
        run(0, None, State::PrReviewing),
        run(40, None, State::PrFixing),
    ];
    assert_eq!(of(&runs, &days(30)).ongoing_runs, 3);
    let earlier = InsightsRange::Between {
        from: date(2026, 10, 1),
        to: Some(date(2026, 10, 31)),
    };
    assert_eq!(of(&runs, &earlier).ongoing_runs, 1, "two began later");
}

#[test]
fn weeks_are_cut_at_mondays_and_at_the_ends_of_the_range() {
    let range = DateRange {
        from: date(2026, 11, 4),
        to: date(2026, 11, 24),
    };
    let starts: Vec<_> = range.periods().iter().map(|week| week.from).collect();
    let expected = [4, 9, 16, 23].map(|day| date(2026, 11, day));
    assert_eq!(starts, expected);
    assert_eq!(range.periods()[0].to, date(2026, 11, 8), "a Sunday");
    assert_eq!(range.periods()[3].to, range.to);
}

#[test]
fn a_run_is_ready_on_the_day_it_first_was_and_over_on_the_day_it_ended() {
    let runs = [
        run(2, Some(2), State::Merged),
        run(2, Some(4), State::PrReadyToMerge),
        run(40, Some(24), State::Closed),
        run(9, None, State::Cancelled),
        run(0, None, State::PrReviewing),
    ];
    let month = of(&runs, &days(30));
    let totals = &month.totals;
    assert_eq!((totals.ready, totals.ended, totals.merged), (2, 2, 1));
    let spread = totals.time_to_ready.unwrap();
    assert_eq!((spread.count, spread.median), (2, 3 * HOUR as u64));
    let before = month.before.unwrap();
    assert_eq!((before.ready, before.ended, before.merged), (1, 1, 0));
    let by_week: Vec<_> = month.periods.iter().map(|week| week.ready).collect();
    assert_eq!(by_week, [0, 0, 0, 2, 0]);
    assert_eq!(of(&runs, &InsightsRange::All).before, None);
}

#[test]
fn a_day_is_that_of_the_reader() {
    let run = RunRow {
        // 23:30 in UTC of the 23rd, which is the 24th in Paris.
        ready_at: Some(Time(NOW.0 - 12 * HOUR - HOUR / 2)),
        ..run(3, None, State::PrReadyToMerge)
    };
    let today =
        |zone: TimeZone| insights(std::slice::from_ref(&run), &[], &days(1), None, NOW, &zone);
    assert_eq!(today(TimeZone::UTC).totals.ready, 0);
    assert_eq!(today(TimeZone::fixed(jiff::tz::offset(1))).totals.ready, 1);
}

#[test]
fn findings_are_told_by_round_and_by_who_made_them() {
    let first = with_findings(
        run(3, None, State::Merged),
        vec![
            found(1, "quinn", FindingStatus::Fixed, 3),
            found(1, "quinn", FindingStatus::Dismissed, 1),
            found(2, "rules", FindingStatus::Withdrawn, 1),
        ],
    );
    let second = with_findings(
        run(3, None, State::NeedsHuman),
        vec![
            found(1, "quinn", FindingStatus::Stuck, 2),
            FindingCount {
                source: SourceType::Ci,
                ..found(1, "test", FindingStatus::Fixed, 1)
            },
        ],
    );
    let figures = of(&[first, second], &days(7));
    let rounds = [
        RoundFigures {
            round: 1,
            runs: 2,
            fixed: 4,
            dismissed: 1,
            declined: 0,
            open: 2,
        },
        RoundFigures {
            round: 2,
            runs: 1,
            declined: 1,
            ..RoundFigures::default()
        },
    ];
    assert_eq!(figures.rounds, rounds);
    let quinn = &figures.reviewers[0];
    let counts = (quinn.findings, quinn.fixed, quinn.dismissed);
    assert_eq!((quinn.name.as_str(), counts), ("quinn", (6, 3, 1)));
    assert_eq!(figures.reviewers.len(), 2, "a check is no reviewer");
    let totals = figures.totals;
    let shares = (totals.findings, totals.dismissable, totals.dismissed);
    assert_eq!(shares, (8, 7, 1));
}

#[test]
fn findings_that_another_run_went_on_with_are_counted_once() {
    let findings = vec![found(1, "quinn", FindingStatus::Open, 2)];
    let first = RunRow {
        is_continued: true,
        ..with_findings(run(5, None, State::NeedsHuman), findings.clone())
    };
    let second = with_findings(run(3, None, State::Merged), findings);
    let figures = of(&[first, second], &days(7));
    assert_eq!(figures.totals.findings, 2);
    assert_eq!((figures.totals.ended, figures.unrecorded_runs), (2, 0));
}

#[test]
fn ends_are_told_by_their_reason_where_that_is_known() {
    let stopped = |stop| RunRow {
        record: Some(RunRecord {
            stop,
            ..RunRecord::default()
        }),
        ..run(2, None, State::NeedsHuman)
    };
    let unrecorded = |state| RunRow {
        record: None,
        ..run(2, None, state)
    };
    let runs = [
        stopped(Some(StopCode::Stuck)),
        stopped(Some(StopCode::Stuck)),
        unrecorded(State::Failed),
        unrecorded(State::Merged),
    ];
    let figures = of(&runs, &days(7));
    let ends: Vec<_> = figures
        .ends
        .iter()
        .map(|(end, n)| (end.code(), *n))
        .collect();
    assert_eq!(ends, [("stuck", 2), ("merged", 1), ("unrecorded", 1)]);
    assert_eq!(figures.unrecorded_runs, 2);
}

#[test]
fn spending_is_told_by_model_and_repository_and_what_has_neither_comes_last() {
    let today = date(2026, 11, 24);
    let spending = [
        spent(today, Some("api"), Some("openai/small"), 5),
        spent(today, Some("web"), Some("openai/large"), 7),
        spent(today, Some("api"), Some("openai/large"), 1),
        spent(today, None, None, 100),
        spent(date(2026, 1, 1), Some("api"), Some("openai/old"), 9),
    ];
    let of =
        |only: Option<&RepoName>| insights(&[], &spending, &days(7), only, NOW, &TimeZone::UTC);
    let names = |models: &[(Option<String>, Usage)]| -> Vec<(String, u64)> {
        let name = |name: &Option<String>| name.clone().unwrap_or_default();
        let each = models
            .iter()
            .map(|(model, usage)| (name(model), usage.cost_micros));
        each.collect()
    };
    let all = of(None);
    let expected = [("openai/large", 8), ("openai/small", 5), ("", 100)];
    let expected = expected.map(|(name, cost)| (name.to_owned(), cost));
    assert_eq!(names(&all.models), expected);
    assert_eq!(all.repositories.len(), 3);
    assert_eq!(all.totals.usage.cost_micros, 113);
    assert_eq!(all.first_day, Some(date(2026, 1, 1)));
    let web = of(Some(&repo("web")));
    assert_eq!(names(&web.models), [("openai/large".to_owned(), 7)]);
    assert_eq!(web.all_repositories.len(), 2, "one may choose another");
}

#[test]
fn a_record_is_what_a_run_found_without_praise_and_what_nobody_is_sure_of() {
    let mut world = crate::test_support::LoopFixture::new();
    world.poll();
    let state = &mut world.state;
    for (at, status) in [
        FindingStatus::Open,
        FindingStatus::Open,
        FindingStatus::Unsure,
        FindingStatus::Fixed,
    ]
    .into_iter()
    .enumerate()
    {
        let print = Fingerprint::new(format!("f{at}"));
        let mut known = tracked(&finding("a.rs", "bug", "x"), &print);
        known.status = status;
        if status == FindingStatus::Fixed {
            known.finding.kind = FindingKind::Praise;
        }
        state.run.review.findings.insert(print, known);
    }
    state.run.stop = Some(Stop::Stuck { count: 2 });
    let record = RunRecord::of(state);
    assert_eq!(record.stop, Some(StopCode::Stuck));
    let counts: Vec<_> = record
        .findings
        .iter()
        .map(|it| (it.status, it.count))
        .collect();
    assert_eq!(counts, [(FindingStatus::Open, 2)]);
    let json = serde_json::to_string(&record).unwrap();
    assert_eq!(serde_json::from_str::<RunRecord>(&json).unwrap(), record);
    let nothing: RunRecord = serde_json::from_str("{}").unwrap();
    assert_eq!(nothing, RunRecord::default(), "fields may be added");
}

fn any_run() -> impl Strategy<Value = RunRow> {
    let states = [
        State::Merged,
        State::NeedsHuman,
        State::Cancelled,
        State::PrReviewing,
        State::PrReadyToMerge,
    ];
    let status = prop::sample::select(vec![
        FindingStatus::Open,
        FindingStatus::Fixed,
        FindingStatus::Dismissed,
        FindingStatus::Rejected,
    ]);
    let findings = prop::collection::vec((1..4_u32, status, 1..5_u32), 0..4);
    let ready = prop::option::of(0..90_i64);
    let names = prop::sample::select(vec!["api", "web"]);
    let state = prop::sample::select(states.to_vec());
    (0..60_i64, ready, state, findings, names, any::<bool>()).prop_map(
        |(ago, ready, state, findings, name, recorded)| {
            let findings = findings.into_iter();
            let findings = findings.map(|(round, status, n)| found(round, name, status, n));
            let mut row = with_findings(run(ago, ready, state), findings.collect());
            row.repo = repo(name);
            if !recorded {
                row.record = None;
            }
            row
        },
    )
}

/// Everything that is a count or a sum.
fn sums(figures: &Insights) -> BTreeMap<String, u64> {
    let totals = &figures.totals;
    let mut sums: BTreeMap<String, u64> = BTreeMap::new();
    let mut add = |name: String, count: u64| *sums.entry(name).or_default() += count;
    add("ready".into(), totals.ready.into());
    add("ended".into(), totals.ended.into());
    add("merged".into(), totals.merged.into());
    add("findings".into(), totals.findings.into());
    add("dismissed".into(), totals.dismissed.into());
    add("cost".into(), totals.usage.cost_micros);
    add("unrecorded".into(), figures.unrecorded_runs.into());
    for (end, count) in &figures.ends {
        add(format!("end {}", end.code()), (*count).into());
    }
    for round in &figures.rounds {
        let all = round.fixed + round.dismissed + round.declined + round.open;
        add(format!("round {}", round.round), all.into());
        add(format!("runs {}", round.round), round.runs.into());
    }
    for reviewer in &figures.reviewers {
        add(format!("by {}", reviewer.name), reviewer.findings.into());
    }
    for (model, usage) in &figures.models {
        add(format!("model {model:?}"), usage.cost_micros);
    }
    for (name, usage) in &figures.repositories {
        add(format!("repo {name:?}"), usage.cost_micros);
    }
    sums.retain(|_, count| *count > 0);
    sums
}

proptest! {
    #[test]
    fn however_a_range_is_split_its_parts_come_to_the_whole(
        runs in prop::collection::vec(any_run(), 0..30),
        costs in prop::collection::vec((0..60_i64, 0..3_usize, 1..1000_u64), 0..30),
        cut in 1..70_i32,
        only_api in any::<bool>(),
    ) {
        let today = date(2026, 11, 24);
        let from = date(2026, 9, 10);
        let spending: Vec<_> = costs
            .into_iter()
            .map(|(ago, which, cost)| {
                let day = today.checked_sub(ago.days()).unwrap();
                let name = [Some("api"), Some("web"), None][which];
                spent(day, name, name.map(|_| "m"), cost)
            })
            .collect();
        let only = only_api.then(|| repo("api"));
        let between = |from: Date, to: Date| {
            let range = InsightsRange::Between { from, to: Some(to) };
            insights(&runs, &spending, &range, only.as_ref(), NOW, &TimeZone::UTC)
        };
        let middle = from.checked_add(cut.days()).unwrap();
        let whole = between(from, today);
        let mut parts = sums(&between(from, middle));
        for (name, count) in sums(&between(middle.tomorrow().unwrap(), today)) {
            *parts.entry(name).or_default() += count;
        }
        prop_assert_eq!(sums(&whole), parts);
        let ready: u32 = whole.periods.iter().map(|period| period.ready).sum();
        prop_assert_eq!(ready, whole.totals.ready, "periods have neither gap nor overlap");
    }
}
