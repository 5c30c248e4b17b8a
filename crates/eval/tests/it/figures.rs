//! What runs come to, and whether two of them differ, where the answer is known.

use crate::{fault, finding, result, run, verdict};
use collie_eval::{
    CaseFailure, CaseResult, Judge, Judgement, Metric, RunResults, Verdict, compare, figures,
    parse_results, wilson, write_results,
};

/// One run of a case with one fault: found or not, and how many false findings beside it.
fn add(results: &mut RunResults, case: &str, repeat: u32, faulty: bool, found: bool, wrong: u32) {
    let mut findings = Vec::new();
    if found {
        findings.push(finding("hit", "a.rs", 10, "The fault"));
        results
            .verdicts
            .push(verdict(case, repeat, "hit", Some("1")));
    }
    for number in 0..wrong {
        let id = format!("wrong{number}");
        findings.push(finding(&id, "a.rs", 90, "Noise"));
        results.verdicts.push(verdict(case, repeat, &id, None));
    }
    let faults = match faulty {
        true => vec![fault("1", "a.rs", 10, "The fault")],
        false => Vec::new(),
    };
    let mut result = result(case, faults, findings);
    result.repeat = repeat;
    results.cases.push(result);
}

fn near(value: f64, expect: f64) -> bool {
    (value - expect).abs() < 1e-9
}

#[test]
fn figures_are_the_textbooks() {
    let mut results = run(Vec::new(), Vec::new());
    // 6 of 8 faults found, 3 false findings on them and 1 on the two clean cases.
    for number in 0..8 {
        let wrong = u32::from(number < 3);
        add(
            &mut results,
            &format!("f{number}"),
            0,
            true,
            number < 6,
            wrong,
        );
    }
    add(&mut results, "c0", 0, false, false, 1);
    add(&mut results, "c1", 0, false, false, 0);
    let said = figures(&results);
    assert_eq!((said.cases, said.runs, said.found), (10, 10, (6, 8)));
    let (precision, recall) = (said.precision.unwrap(), said.recall.unwrap());
    assert!(near(precision.value, 6.0 / 10.0) && near(recall.value, 6.0 / 8.0));
    assert_eq!(precision.interval, wilson(6, 10));
    assert_eq!(recall.interval, wilson(6, 8));
    let f1 = said.f1.unwrap();
    assert!(near(f1.value, 2.0 * 0.6 * 0.75 / 1.35));
    let interval = f1.interval.unwrap();
    assert!(
        interval.low < f1.value && f1.value < interval.high,
        "{interval:?}"
    );
    assert_eq!(said.clean.silent, (1, 2));
    assert!(near(said.clean.false_findings.unwrap().value, 0.5));
    assert_eq!(said.by_kind["off-by-one"], (6, 8));
    assert_eq!(said.spending.cost_micros, Some(25_000));
    assert_eq!(
        (said.spending.total_ms, said.spending.median_ms),
        (12_000, 1_200)
    );
}

#[test]
fn what_a_run_costs_and_takes_has_an_interval_over_the_cases() {
    let mut results = run(Vec::new(), Vec::new());
    for number in 0..20_u64 {
        for repeat in 0..2 {
            add(&mut results, &format!("f{number}"), repeat, true, true, 0);
            let result = results.cases.last_mut().unwrap();
            let of_case = 1_000 * (number + 1);
            (result.cost_micros, result.ms) = (Some(of_case), of_case * 2);
        }
    }
    let spending = figures(&results).spending;
    let (cost, time) = (spending.run_cost_micros.unwrap(), spending.run_ms.unwrap());
    assert!(near(cost.value, 10_500.0) && near(time.value, 21_000.0));
    // The error of a mean of 20 that are spread evenly over 1,000 to 20,000 is 5,766 / √20.
    let (cost, time) = (cost.interval.unwrap(), time.interval.unwrap());
    let half = 1.96 * 5_766.0 / 20_f64.sqrt();
    let close = |value: f64, expect: f64| (value - expect).abs() < half / 5.0;
    assert!(
        close(cost.low, 10_500.0 - half) && close(cost.high, 10_500.0 + half),
        "{cost:?}"
    );
    assert!(near(time.low, 2.0 * cost.low) && near(time.high, 2.0 * cost.high));
    // A price that is not known makes none; there is a time all the same.
    results.cases[3].cost_micros = None;
    let spending = figures(&results).spending;
    assert!(spending.run_cost_micros.is_none() && spending.run_ms.is_some());
}

#[test]
fn a_difference_in_cost_and_time_is_told_from_noise() {
    let first = planted(|number| number % 2 == 0, 0);
    let mut second = planted(|number| number % 2 == 0, 0);
    for (at, result) in second.cases.iter_mut().enumerate() {
        result.cost_micros = result.cost_micros.map(|cost| cost * 2);
        // Now faster, now slower.
        result.ms = if at % 2 == 0 { 1_000 } else { 1_400 };
    }
    let said = compare(&first, &second);
    let by = |metric| {
        said.differences
            .iter()
            .find(|one| one.metric == metric)
            .unwrap()
    };
    let (cost, time) = (by(Metric::RunCost), by(Metric::RunTime));
    assert!(near(cost.first, 2_500.0) && near(cost.second, 5_000.0));
    assert!(cost.is_more_than_noise(), "{cost:?}");
    assert!(
        near(time.first, time.second) && !time.is_more_than_noise(),
        "{time:?}"
    );
}

#[test]
fn what_failed_is_named_and_counts_nowhere_and_one_unknown_price_makes_the_cost_unknown() {
    let mut results = run(Vec::new(), Vec::new());
    add(&mut results, "a", 0, true, true, 0);
    add(&mut results, "b", 0, true, false, 9);
    results.cases[1].failure = Some(CaseFailure {
        code: "llm".into(),
        message: "no answer".into(),
    });
    add(&mut results, "c", 0, false, false, 0);
    results.cases[2].cost_micros = None;
    let said = figures(&results);
    assert_eq!(said.failed, [("b".to_owned(), 0)]);
    assert!(near(said.precision.unwrap().value, 1.0) && near(said.f1.unwrap().value, 1.0));
    assert_eq!(said.spending.cost_micros, None);
    assert_eq!(said.spending.input_tokens, 2_000);
}

#[test]
fn who_finds_nothing_has_no_precision_and_an_f1_of_zero() {
    let mut results = run(Vec::new(), Vec::new());
    add(&mut results, "a", 0, true, false, 0);
    let said = figures(&results);
    assert_eq!(said.precision, None);
    assert!(near(said.f1.unwrap().value, 0.0) && near(said.recall.unwrap().value, 0.0));
    let nothing = figures(&run(Vec::new(), Vec::new()));
    assert_eq!((nothing.f1, nothing.recall), (None, None));
}

#[test]
fn what_a_person_calls_valid_counts_neither_for_nor_against_and_a_fault_named_twice_is_found_once()
{
    let faults = vec![
        fault("1", "a.rs", 10, "The fault"),
        fault("2", "a.rs", 30, "Another"),
    ];
    let names = ["1", "2", "3", "4"];
    let findings = names.map(|id| finding(id, "a.rs", 10, "It"));
    let mut valid = verdict("one", 0, "3", None);
    (valid.judge, valid.judgement) = (Judge::Hand, Judgement::Valid);
    let verdicts = vec![
        verdict("one", 0, "1", Some("1")),
        verdict("one", 0, "2", Some("1")),
        verdict("one", 0, "3", None),
        valid,
    ];
    let said = figures(&run(
        vec![result("one", faults, findings.to_vec())],
        verdicts,
    ));
    assert_eq!((said.true_findings, said.false_findings), (2, 0));
    assert_eq!((said.found, said.unjudged), ((1, 2), 1));
}

/// Sixty faulty and twenty clean cases: `found` of the faults, and this many false findings on every faulty case.
fn planted(found: impl Fn(u32) -> bool, wrong: u32) -> RunResults {
    let mut results = run(Vec::new(), Vec::new());
    for number in 0..60 {
        add(
            &mut results,
            &format!("f{number}"),
            0,
            true,
            found(number),
            wrong,
        );
    }
    for number in 0..20 {
        add(&mut results, &format!("c{number}"), 0, false, false, 0);
    }
    results
}

#[test]
fn a_planted_difference_is_found() {
    // The second finds all that the first finds, and half of the rest.
    let first = planted(|number| number % 3 == 0, 0);
    let second = planted(|number| number % 3 != 1, 0);
    let said = compare(&first, &second);
    assert_eq!((said.cases, said.unpaired.len()), (80, 0));
    assert_eq!((said.only_first, said.only_second), (0, 20));
    assert!(near(said.mcnemar_p, 2.0 / f64::from(1 << 20)));
    let f1 = said.f1().unwrap();
    assert!(near(f1.first, 0.5) && near(f1.second, 0.8));
    assert!(f1.is_more_than_noise(), "{f1:?}");
    assert_eq!(said.changed.len(), 20);
    assert_eq!(said.changed[0].only_second, ["1"]);
    // The other way round it is the same, turned.
    let turned = compare(&second, &first);
    let back = turned.f1().unwrap().interval.unwrap();
    let there = f1.interval.unwrap();
    assert!(near(back.low, -there.high) && near(back.high, -there.low));
}

#[test]
fn where_there_is_no_difference_none_is_found() {
    // As many faults each, others in part: 25 both, 5 the first alone, 5 the second alone.
    let first = planted(|number| number < 30, 1);
    let second = planted(|number| (5..35).contains(&number), 1);
    let said = compare(&first, &second);
    assert_eq!((said.only_first, said.only_second), (5, 5));
    assert!(near(said.mcnemar_p, 1.0));
    for difference in &said.differences {
        assert!(!difference.is_more_than_noise(), "{difference:?}");
    }
    let same = compare(&first, &first);
    assert!(same.changed.is_empty());
    let f1 = same.f1().unwrap().interval.unwrap();
    assert_eq!((f1.low, f1.high), (0.0, 0.0));
}

#[test]
fn a_difference_in_noise_alone_is_seen_in_precision_and_not_in_recall() {
    let first = planted(|number| number % 2 == 0, 0);
    let second = planted(|number| number % 2 == 0, 1);
    let said = compare(&first, &second);
    let by = |metric| said.differences.iter().find(|one| one.metric == metric);
    assert!(by(Metric::Precision).unwrap().is_more_than_noise());
    assert!(!by(Metric::Recall).unwrap().is_more_than_noise());
    assert!(!by(Metric::CleanFalseFindings).unwrap().is_more_than_noise());
    assert_eq!(said.changed.len(), 60);
}

#[test]
fn cases_of_one_side_alone_are_named_and_left_out() {
    let (mut first, mut second) = (run(Vec::new(), Vec::new()), run(Vec::new(), Vec::new()));
    add(&mut first, "both", 0, true, true, 0);
    add(&mut first, "mine", 0, true, true, 0);
    add(&mut second, "both", 0, true, true, 0);
    add(&mut second, "yours", 0, true, false, 0);
    let said = compare(&first, &second);
    assert_eq!(
        (said.cases, said.unpaired),
        (1, vec!["mine".to_owned(), "yours".to_owned()])
    );
}

#[test]
fn repeats_of_a_case_are_one_case_and_what_is_found_mostly_is_found() {
    let mut results = run(Vec::new(), Vec::new());
    for number in 0..20 {
        for repeat in 0..3 {
            let found = number < 10 || repeat == 0;
            add(&mut results, &format!("f{number}"), repeat, true, found, 0);
        }
    }
    let said = figures(&results);
    assert_eq!((said.cases, said.runs, said.found), (20, 60, (40, 60)));
    // Were the sixty runs independent, the interval would be Wilson's, which is narrower.
    let (drawn, wide) = (
        said.recall.unwrap().interval.unwrap(),
        wilson(40, 60).unwrap(),
    );
    assert!(
        drawn.high - drawn.low > wide.high - wide.low,
        "{drawn:?} {wide:?}"
    );
    let mut never = results.clone();
    never.verdicts.retain(|one| one.case != "f0");
    let said = compare(&results, &never);
    assert_eq!(
        (said.only_first, said.only_second),
        (1, 0),
        "found once of three is not found"
    );
}

#[test]
fn a_file_of_results_is_read_as_it_was_written() {
    let mut results = planted(|number| number < 2, 1);
    results.header.temperature = Some(200);
    results.verdicts.push(Verdict {
        judge: Judge::Hand,
        judgement: Judgement::Valid,
        reason: "Indeed.\nIt is.".into(),
        ..verdict("f0", 0, "wrong0", None)
    });
    let text = write_results(&results);
    assert_eq!(parse_results("r", &text), Ok(results.clone()));
    // The end of the last line was not written any more.
    let torn = parse_results("r", &text[..text.len() - 5]).unwrap();
    assert_eq!(torn.verdicts.len(), results.verdicts.len() - 1);
    let broken = text.replacen("\"case\":\"f1\"", "\"case\":1", 1);
    assert_eq!(parse_results("r", &broken).unwrap_err().line, 3);
    assert_eq!(parse_results("r", "").unwrap_err().line, 1);
    let later = text.replacen("\"format\":1", "\"format\":2", 1);
    assert!(
        parse_results("r", &later)
            .unwrap_err()
            .message
            .contains("later")
    );
}

#[test]
fn a_case_that_was_run_again_counts_as_it_came_out_last() {
    let mut results = run(Vec::new(), Vec::new());
    add(&mut results, "a", 0, true, true, 0);
    let failed = CaseResult {
        failure: Some(CaseFailure {
            code: "llm".into(),
            message: String::new(),
        }),
        ..results.cases[0].clone()
    };
    results.cases.insert(0, failed);
    let read = parse_results("r", &write_results(&results)).unwrap();
    assert_eq!(read.cases.len(), 1);
    assert!(read.has("a", 0) && !read.has("a", 1));
}
