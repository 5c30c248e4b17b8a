//! A repository's file over the user's settings: it may tighten, never widen (§12).

use super::layer::{ConfigLayer, PrepareLayer};
use super::problem::ConfigError;
use super::resolve::{Config, expected_bot_ids};
use collie_agents::acp::HostPattern;
use collie_core::budget::BudgetLimit;
use collie_core::ids::Login;
use collie_core::policy::{Policy, ReviewerKind, ReviewerSpec, StageSpec};
use std::collections::BTreeSet;

/// What holds for one repository.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Tightened {
    /// The user's settings, as the repository tightens them.
    pub policy: Policy,
    /// Commands that every fix must pass: the user's, then the repository's.
    pub verify: Vec<String>,
    /// What the repository wants to have run before them, and the hosts that it reaches: of the user's, those that it names.
    pub prepare: Option<(String, Vec<HostPattern>)>,
    /// Keys of the repository's file that had no effect, since they would widen.
    pub without_effect: BTreeSet<String>,
}

/// Lays a repository's file over the user's settings, defaults included; what is the user's alone, reading the file has refused. Lists of reviewers, bots, commands and labels are joined, of two
/// values the stricter holds, and nothing that the user asks for is dropped: the file ignores no check, and whose word counts is the user's to say. A new key of a layer does not compile until it is decided here.
pub fn tighten(config: &Config, file: &ConfigLayer) -> Result<Tightened, ConfigError> {
    let ConfigLayer {
        allowed_users: _,
        ignored_checks: _,
        expected_bots,
        ignore_label,
        verify,
        stages,
        prepare,
        // The lower value holds.
        max_iterations: _,
        ci_check_timeout: _,
        external_bot_timeout: _,
        max_restarts: _,
        session_retries: _,
        max_comments: _,
        comment_threshold: _,
        unseen: _,
        autonomy: _,
        merge_base: _,
        fix: _,
        fix_suggestions: _,
        budget: _,
        // The greater value holds.
        strictness: _,
        poll_interval: _,
        ready_poll_interval: _,
        collect_failures_for: _,
        no_checks_grace: _,
        slots: _,
        language: _,
        linters: _,
        github_api_url: _,
        github_account: _,
        app: _,
        disk: _,
        runners: _,
        bots: _,
        llm: _,
        models: _,
        agents: _,
        mcp_servers: _,
        reviewers: _,
        fixer: _,
        repositories: _,
        theme: _,
        notifications: _,
        keep_running: _,
        new_repositories: _,
    } = file;
    let mut tightened = config.clone();
    let policy = &mut tightened.policy;
    let mut without_effect = stricter_values(policy, file, config);
    join_names(policy, expected_bots.as_deref(), ignore_label)?;
    join_stages(&mut policy.stages, stages.as_deref().unwrap_or_default());
    tightened.allow_escalations();
    Ok(Tightened {
        policy: tightened.policy,
        verify: joined_commands(&config.verify, verify.as_deref().unwrap_or_default()),
        prepare: own_prepare(config, prepare, &mut without_effect),
        without_effect: without_effect.0,
    })
}

/// Of two values the stricter; the keys whose value is not, and those that are the user's alone to say.
fn stricter_values(policy: &mut Policy, file: &ConfigLayer, config: &Config) -> WithoutEffect {
    let mut without_effect = WithoutEffect::default();
    policy.budget = own_budget(config, file.budget.pull_request, &mut without_effect);
    keep_lower_values(policy, file, &mut without_effect);
    keep_greater_values(policy, file, &mut without_effect);
    without_effect.refuse("ignored_checks", file.ignored_checks.is_some());
    without_effect.refuse("allowed_users", file.allowed_users.is_some());
    without_effect
}

/// Fewer pushes, tries and posts; an end that comes sooner; of a threshold, more that is heard; a wait for a person rather than a word.
fn keep_lower_values(policy: &mut Policy, file: &ConfigLayer, kept: &mut WithoutEffect) {
    let iterations = &mut policy.max_iterations;
    kept.least("max_pr_review_iterations", iterations, file.max_iterations);
    let own = &mut policy.ci_timeout_ms;
    kept.least("ci_check_timeout", own, file.ci_check_timeout);
    let own = &mut policy.bot_timeout_ms;
    kept.least("external_bot_timeout", own, file.external_bot_timeout);
    kept.least("max_restarts", &mut policy.max_restarts, file.max_restarts);
    let own = &mut policy.session_retries;
    kept.least("session_retries", own, file.session_retries);
    kept.least("max_comments", &mut policy.max_comments, file.max_comments);
    let own = &mut policy.comment_threshold;
    kept.least("comment_threshold", own, file.comment_threshold);
    kept.least("unseen", &mut policy.unseen, file.unseen);
    kept.least("merge_base", &mut policy.merge_base, file.merge_base);
    kept.least("autonomy", &mut policy.max_autonomy, file.autonomy);
    kept.least("fix", &mut policy.fix, file.fix);
    let own = &mut policy.fix_suggestions;
    kept.least("fix_suggestions", own, file.fix_suggestions);
}

/// More that is said; fewer requests; more that is collected before it is acted on; no checks that are believed later.
fn keep_greater_values(policy: &mut Policy, file: &ConfigLayer, kept: &mut WithoutEffect) {
    kept.greatest("strictness", &mut policy.strictness, file.strictness);
    let own = &mut policy.poll_interval_ms;
    kept.greatest("poll_interval", own, file.poll_interval);
    let own = &mut policy.ready_poll_interval_ms;
    kept.greatest("ready_poll_interval", own, file.ready_poll_interval);
    let own = &mut policy.red_collect_ms;
    kept.greatest("collect_failures_for", own, file.collect_failures_for);
    let own = &mut policy.no_checks_grace_ms;
    kept.greatest("no_checks_grace", own, file.no_checks_grace);
}

/// What the repository lets be spent on one of its pull requests. The user's own limit is asked for whenever something is to be spent, so that one
/// that is raised holds at once, and the stricter of both holds then.
fn own_budget(
    config: &Config,
    file: BudgetLimit,
    without_effect: &mut WithoutEffect,
) -> BudgetLimit {
    let own = config.budget.pull_request;
    let is_wider =
        |own: Option<u64>, file: Option<u64>| own.zip(file).is_some_and(|(own, file)| file > own);
    let (usd, tokens) = (
        "budget.per_pull_request_usd",
        "budget.per_pull_request_tokens",
    );
    without_effect.refuse(usd, is_wider(own.cost_micros, file.cost_micros));
    without_effect.refuse(tokens, is_wider(own.tokens, file.tokens));
    file
}

/// The repository's own command that prepares. It may want fewer hosts than the user names, never others; the same command as the user's
/// is the user's.
fn own_prepare(
    config: &Config,
    layer: &PrepareLayer,
    without_effect: &mut WithoutEffect,
) -> Option<(String, Vec<HostPattern>)> {
    let users = &config.prepare_hosts;
    let is_users = |host: &HostPattern| users.iter().any(|named| named.covers(host));
    let mut hosts = layer.hosts.clone().unwrap_or_else(|| users.clone());
    let wanted = hosts.len();
    hosts.retain(is_users);
    without_effect.refuse("verify.prepare_hosts", hosts.len() < wanted);
    let command = layer.command.clone();
    let command = command.filter(|command| config.prepare.as_ref() != Some(command));
    command.map(|command| (command, hosts))
}

fn joined_commands(own: &[String], more: &[String]) -> Vec<String> {
    let mut all = own.to_vec();
    for command in more {
        if !all.contains(command) {
            all.push(command.clone());
        }
    }
    all
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

/// Adds the bots that the file waits for too, and its label.
fn join_names(
    policy: &mut Policy,
    bots: Option<&[Login]>,
    ignore_label: &Option<String>,
) -> Result<(), ConfigError> {
    let bots = expected_bot_ids(bots.unwrap_or_default(), &policy.bots)?;
    policy.expected_bots.extend(bots);
    policy.more_ignore_labels.extend(ignore_label.clone());
    Ok(())
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
