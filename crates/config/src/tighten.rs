//! A repository's file over the user's settings: it may tighten, never widen (§12).

use super::layer::ConfigLayer;
use super::problem::ConfigError;
use super::resolve::{Config, expected_bot_ids};
use collie_core::policy::{Policy, ReviewerKind, ReviewerSpec, StageSpec};
use std::collections::BTreeSet;

/// What holds for one repository.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Tightened {
    /// The user's settings, as the repository tightens them.
    pub policy: Policy,
    /// Commands that every fix must pass: the user's, then the repository's.
    pub verify: Vec<String>,
    /// Keys of the repository's file that had no effect, since they would widen.
    pub without_effect: BTreeSet<String>,
}

/// Lays a repository's file over the user's settings, defaults included. Lists of reviewers, bots, commands and labels are joined, of two
/// values the stricter holds, and nothing that the user asks for is dropped. A new key of a layer does not compile until it is decided here.
pub fn tighten(config: &Config, file: &ConfigLayer) -> Result<Tightened, ConfigError> {
    let ConfigLayer {
        max_iterations,
        ci_check_timeout,
        external_bot_timeout,
        poll_interval,
        ready_poll_interval,
        collect_failures_for,
        no_checks_grace,
        max_restarts,
        session_retries,
        allowed_users,
        ignored_checks,
        expected_bots,
        comment_threshold,
        max_comments,
        strictness,
        ignore_label,
        verify,
        stages,
        // The user's alone: reading a repository's file refuses them.
        slots: _,
        language: _,
        github_api_url: _,
        bots: _,
        llm: _,
        agents: _,
        reviewers: _,
        fixer: _,
        repositories: _,
        theme: _,
        notifications: _,
        keep_running: _,
    } = file;
    let mut tightened = config.clone();
    let mut without_effect = WithoutEffect::default();
    let kept = &mut without_effect;
    let policy = &mut tightened.policy;
    // Fewer pushes, tries and posts; an end that comes sooner.
    kept.least(
        "max_pr_review_iterations",
        &mut policy.max_iterations,
        *max_iterations,
    );
    kept.least(
        "ci_check_timeout",
        &mut policy.ci_timeout_ms,
        *ci_check_timeout,
    );
    kept.least(
        "external_bot_timeout",
        &mut policy.bot_timeout_ms,
        *external_bot_timeout,
    );
    kept.least("max_restarts", &mut policy.max_restarts, *max_restarts);
    kept.least(
        "session_retries",
        &mut policy.session_retries,
        *session_retries,
    );
    kept.least("max_comments", &mut policy.max_comments, *max_comments);
    // More is heard, and said.
    kept.least(
        "comment_threshold",
        &mut policy.comment_threshold,
        *comment_threshold,
    );
    kept.greatest("strictness", &mut policy.strictness, *strictness);
    // Fewer requests; more is collected before it is acted on; no checks are believed later.
    kept.greatest(
        "poll_interval",
        &mut policy.poll_interval_ms,
        *poll_interval,
    );
    kept.greatest(
        "ready_poll_interval",
        &mut policy.ready_poll_interval_ms,
        *ready_poll_interval,
    );
    kept.greatest(
        "collect_failures_for",
        &mut policy.red_collect_ms,
        *collect_failures_for,
    );
    kept.greatest(
        "no_checks_grace",
        &mut policy.no_checks_grace_ms,
        *no_checks_grace,
    );
    // It ignores no check; whose word counts is the user's to say.
    kept.refuse("ignored_checks", ignored_checks.is_some());
    kept.refuse("allowed_users", allowed_users.is_some());
    if let Some(names) = expected_bots {
        let more = expected_bot_ids(names, &policy.bots)?;
        policy.expected_bots.extend(more);
    }
    policy.more_ignore_labels.extend(ignore_label.clone());
    join_stages(&mut policy.stages, stages.as_deref().unwrap_or_default());
    tightened.allow_escalations();
    for command in verify.iter().flatten() {
        if !tightened.verify.contains(command) {
            tightened.verify.push(command.clone());
        }
    }
    Ok(Tightened {
        policy: tightened.policy,
        verify: tightened.verify,
        without_effect: without_effect.0,
    })
}

/// Keys that had no effect.
#[derive(Default)]
struct WithoutEffect(BTreeSet<String>);

impl WithoutEffect {
    /// The smaller of two values holds.
    fn least<T: Ord>(&mut self, key: &str, own: &mut T, file: Option<T>) {
        match file {
            Some(value) if value <= *own => *own = value,
            Some(_) => self.refuse(key, true),
            None => {}
        }
    }

    /// The greater of two values holds.
    fn greatest<T: Ord>(&mut self, key: &str, own: &mut T, file: Option<T>) {
        match file {
            Some(value) if value >= *own => *own = value,
            Some(_) => self.refuse(key, true),
            None => {}
        }
    }

    fn refuse(&mut self, key: &str, refused: bool) {
        if refused {
            self.0.insert(key.to_owned());
        }
    }
}

/// Adds what the panel lacks, in stages behind those of the user.
fn join_stages(panel: &mut Vec<StageSpec>, more: &[StageSpec]) {
    for stage in more {
        let sits = |seat: &ReviewerSpec| {
            let mut seated = panel.iter().flat_map(|stage| &stage.reviewers);
            seated.any(|known| is_same_reviewer(known, seat))
        };
        let mut added = stage.reviewers.clone();
        added.retain(|seat| !sits(seat));
        if !added.is_empty() {
            panel.push(StageSpec { reviewers: added });
        }
    }
}

fn is_same_reviewer(a: &ReviewerSpec, b: &ReviewerSpec) -> bool {
    let same_name = match a.kind {
        // GitHub's names know no case.
        ReviewerKind::Human => a.name.eq_ignore_ascii_case(&b.name),
        ReviewerKind::Rules | ReviewerKind::Agent => a.name == b.name,
    };
    a.kind == b.kind && same_name
}
