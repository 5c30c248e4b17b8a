use super::*;
use crate::base_merge::BaseMerge;
use crate::fix::{FixResult, FixSummary, FixedIssue, Verification};
use crate::round_summary::RoundSummary;
use crate::test_support::{LoopFixture, finding, sha, tracked};

fn span(first: u32, last: u32) -> ChangedSpan {
    ChangedSpan { first, last }
}

fn file<'a>(path: &'a str, hunks: &[ChangedSpan]) -> FileSpans<'a> {
    FileSpans {
        paths: [Some(path), None],
        hunks: hunks.to_vec(),
    }
}

fn at(file: &str, line: u32) -> FindingPlace<'_> {
    FindingPlace {
        file,
        line: Some(line),
    }
}

/// `0!` for an exact answer to the first finding, `1?` for a likely one to the second.
fn shown(answers: &Answers) -> Vec<Vec<String>> {
    let one = |answer: &HunkAnswer| {
        let sure = if answer.exact { '!' } else { '?' };
        format!("{}{sure}", answer.finding)
    };
    let hunk = |hunk: &Vec<HunkAnswer>| hunk.iter().map(one).collect::<Vec<_>>().join(" ");
    let file = |hunks: &Vec<Vec<HunkAnswer>>| hunks.iter().map(hunk).collect();
    answers.hunks.iter().map(file).collect()
}

#[test]
fn a_finding_is_answered_by_the_hunk_that_is_nearest_in_its_file() {
    let files = [
        file("a.rs", &[span(10, 12), span(40, 40)]),
        file("b.rs", &[span(10, 12)]),
    ];
    let findings = [at("a.rs", 38), at("b.rs", 11), at("a.rs", 12)];
    let placed = answers(&files, &findings);
    assert_eq!(shown(&placed), [vec!["2!", "0!"], vec!["1!"]]);
    assert!(placed.elsewhere.is_empty());
}

#[test]
fn what_is_farther_than_the_lines_around_a_hunk_is_only_likely() {
    let files = [file("a.rs", &[span(10, 12)])];
    for (line, expect) in [(6, "0?"), (7, "0!"), (15, "0!"), (16, "0?")] {
        let placed = answers(&files, &[at("a.rs", line)]);
        assert_eq!(shown(&placed), [[expect]], "{line}");
    }
    let whole_file = FindingPlace {
        file: "a.rs",
        line: None,
    };
    assert_eq!(shown(&answers(&files, &[whole_file])), [["0?"]]);
}

#[test]
fn a_hunk_without_a_finding_of_its_own_goes_with_the_nearest_of_its_file() {
    let files = [
        file("a.rs", &[span(1, 1), span(20, 20), span(90, 90)]),
        file("other.rs", &[span(5, 5)]),
    ];
    let placed = answers(&files, &[at("a.rs", 20), at("a.rs", 91)]);
    assert_eq!(shown(&placed), [vec!["0?", "0!", "1!"], vec![""]]);
    let alone = answers(&files, &[at("a.rs", 20)]);
    assert_eq!(shown(&alone), [vec!["0?", "0!", "0?"], vec!["0?"]]);
}

#[test]
fn a_moved_file_is_known_by_either_path_and_what_is_nowhere_is_said() {
    let moved = FileSpans {
        paths: [Some("new.rs"), Some("old.rs")],
        hunks: vec![span(3, 3)],
    };
    let unshown = file("image.png", &[]);
    let findings = [at("old.rs", 3), at("gone.rs", 1), at("image.png", 1)];
    let placed = answers(&[moved, unshown], &findings);
    assert_eq!(shown(&placed), [vec!["0!".to_owned()], vec![]]);
    assert_eq!(placed.elsewhere, [1, 2]);
}

fn facts(at: i64, on_branch: Option<bool>) -> CommitFacts {
    CommitFacts {
        subject: "fix: a thing".into(),
        at: Time(at),
        on_branch,
    }
}

fn round(iteration: u32, commit: char) -> RoundSummary {
    RoundSummary {
        iteration,
        p0: 0,
        p1: 1,
        p2: 0,
        p3: 0,
        fixed: 1,
        rejected: 0,
        commit: Some(sha(commit)),
        churned: false,
    }
}

fn pending(commit: char, pushed: bool) -> PendingFix {
    let issue = finding("a.rs", "bug", "x");
    PendingFix {
        from: sha('1'),
        commit: Some(sha(commit)),
        result: FixResult {
            agent: "rules".into(),
            pr_number: 1,
            summary: FixSummary::default(),
            fixed_issues: vec![FixedIssue {
                finding_id: issue.id.clone(),
                commit_sha: String::new(),
                description: String::new(),
            }],
            rejected_issues: Vec::new(),
            commits: Vec::new(),
        },
        payload: FixPayload {
            pr_number: 1,
            round: 1,
            issues_to_fix: vec![issue, finding("b.rs", "bug", "y")],
            optional_issues: Vec::new(),
            attempts: Vec::new(),
            joined: BTreeMap::new(),
            notes: Vec::new(),
            turn: None,
            replacements: BTreeMap::new(),
        },
        oscillates: false,
        pushed,
        verification: Verification::Done,
        merge: None,
        files: Vec::new(),
    }
}

type Listed = Vec<(Option<u32>, Vec<(Sha, CommitStanding)>)>;

fn listed(state: &LoopState, known: &BTreeMap<Sha, CommitFacts>) -> Listed {
    let commit = |commit: OwnCommit| (commit.sha, commit.standing);
    let round = |round: RoundCommits| {
        let commits = round.commits.into_iter().map(commit).collect();
        (round.round, commits)
    };
    own_commits(state, known).into_iter().map(round).collect()
}

#[test]
fn commits_are_told_by_round_with_what_would_be_pushed_last() {
    let mut state = LoopFixture::new().state;
    state.run.fixing.iteration = 2;
    state.run.fixing.rounds = vec![round(1, 'a'), round(2, 'b')];
    state.run.fixing.pending = Some(pending('c', false));
    // `d` and `e` are an earlier run's, `f` is what `b` was before it was rebased.
    state.memory.own_commits = "abcdef".chars().map(sha).collect();
    let known = BTreeMap::from([
        (sha('a'), facts(3, Some(true))),
        (sha('b'), facts(4, Some(false))),
        (sha('c'), facts(5, Some(false))),
        (sha('d'), facts(2, Some(true))),
        (sha('e'), facts(1, Some(true))),
        (sha('f'), facts(4, Some(false))),
    ]);
    let expect: Listed = vec![
        (
            None,
            vec![
                (sha('e'), CommitStanding::Pushed),
                (sha('d'), CommitStanding::Pushed),
            ],
        ),
        (Some(1), vec![(sha('a'), CommitStanding::Pushed)]),
        (Some(2), vec![(sha('b'), CommitStanding::Removed)]),
        (Some(3), vec![(sha('c'), CommitStanding::Pending)]),
    ];
    assert_eq!(listed(&state, &known), expect);
    state.run.fixing.pending = Some(pending('c', true));
    state.run.fixing.iteration = 3;
    let last = listed(&state, &known).pop().unwrap();
    assert_eq!(last, (Some(3), vec![(sha('c'), CommitStanding::Pushed)]));
    // Without the clone what the rounds name is told all the same.
    let blind = listed(&state, &BTreeMap::new());
    assert_eq!(blind.len(), 3, "{blind:?}");
    assert!(find_own_commit(&state, &known, &sha('f')).is_none());
}

#[test]
fn a_merge_of_the_base_is_told_with_the_files_that_were_resolved() {
    let mut state = LoopFixture::new().state;
    state.run.fixing.rounds = vec![round(1, 'a'), round(2, 'b')];
    state.memory.own_commits = "ab".chars().map(sha).collect();
    state.memory.base_merges = "ab".chars().map(sha).collect();
    let merge = BaseMerge {
        base_ref: "main".into(),
        base: sha('9'),
        conflicts: vec!["a.rs".into()],
        lost: Vec::new(),
    };
    state.run.fixing.merges = vec![(sha('a'), merge)];
    let merge_of = |digit| {
        let commit = find_own_commit(&state, &BTreeMap::new(), &sha(digit));
        commit.unwrap().merge
    };
    let known = MergedBase {
        base_ref: Some("main".into()),
        conflicts: vec!["a.rs".into()],
    };
    assert_eq!(merge_of('a'), Some(known));
    assert_eq!(merge_of('b'), Some(MergedBase::default()));
}

#[test]
fn a_commit_answers_the_findings_that_it_claims_to_fix() {
    let mut state = LoopFixture::new().state;
    state.run.fixing.pending = Some(pending('c', false));
    for name in ["a.rs", "b.rs"] {
        let found = finding(name, "bug", "x");
        let print = Fingerprint::new(found.id.clone());
        let known = tracked(&found, &print);
        state.run.review.findings.insert(print, known);
    }
    let files = |digit| {
        let found = findings_of(&state, &sha(digit));
        let names = found.into_iter().map(|known| known.finding.file.as_str());
        names.collect::<Vec<_>>().join(" ")
    };
    assert_eq!(files('c'), "a.rs");
    assert_eq!(files('d'), "");
    let done = state.run.review.findings.values_mut().last().unwrap();
    done.fixed_in.push(sha('d'));
    let done = done.finding.file.clone();
    let found = findings_of(&state, &sha('d'));
    assert_eq!(found[0].finding.file, done);
}
