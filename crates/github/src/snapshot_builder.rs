//! Makes a reading of the first answer on one pull request: pages to the end, evidence, rules.

use crate::api_client::ApiClient;
use crate::api_fault::ApiFault;
use crate::base_checks;
use crate::branch_rules::{self, BranchRules};
use crate::check_evidence;
use crate::graphql::{self, Page, PageInfo};
use crate::merge_queue::{QueueQuestion, read_queue_history};
use crate::node_conversion;
use crate::nodes::{
    BaseRefNode, CheckContextPage, HeadRepositoryNode, NodeList, PullCommitNode, PullFactsNode,
    PullNode, RepositoryNode, ShallowPullNode, StackedPullsNode, ThreadNode,
};
use crate::observation_cache::{CachedPull, LastReading, ObservationCache};
use crate::permissions::attach_permissions;
use crate::pull_digest::{ListSizes, PullDigest};
use crate::pull_lists::{PullLists, QueueHistory};
use crate::queries;
use crate::recent_checks;
use collie_core::ci::{CheckOutcome, check_outcome};
use collie_core::ids::{Login, RepoName, Sha, Time};
use collie_core::snapshot::{
    Actor, Check, PullState, PushObstacle, RequiredCheck, ReviewVerdict, Snapshot, Thread,
};
use collie_engine::ports::PullRef;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// What is known of a pull request when its first answer is in.
pub(crate) struct ReadContext<'a> {
    /// Which it is.
    pub pull: &'a PullRef,
    /// What earlier readings taught.
    pub cached: Option<&'a CachedPull>,
    /// The account of the token.
    pub viewer: &'a Actor,
    /// When it was asked for.
    pub read_at: Time,
    /// The same by GitHub's clock.
    pub host_time: Time,
    /// Whether something may be written after it: then also what seldom changes is asked for.
    pub before_write: bool,
}

/// Why one pull request could not be read.
#[derive(Clone, Debug)]
pub(crate) enum ReadFailure {
    /// A call failed.
    Api(ApiFault),
    /// The head moved meanwhile.
    HeadMoved,
}

impl From<ApiFault> for ReadFailure {
    fn from(fault: ApiFault) -> Self {
        ReadFailure::Api(fault)
    }
}

/// A reading that still lacks its last look.
pub(crate) struct UnconfirmedSnapshot {
    /// What was read.
    pub snapshot: Snapshot,
    /// Its lists, for the next looks.
    pub lists: Arc<PullLists>,
    /// What shows whether these changed; none where that cannot be told.
    pub digest: Option<PullDigest>,
    /// Further pages were read after the first query, so that the head has to be read again.
    pub needs_confirmation: bool,
    /// The head branch was not known in advance, so that what builds on it has to be asked.
    pub stacked_unknown: bool,
}

/// Makes the reading. What it lacks is a last look at the head, where that is needed.
pub(crate) async fn build_snapshot(
    api: &ApiClient,
    cache: &ObservationCache,
    context: ReadContext<'_>,
    node: RepositoryNode<PullNode>,
) -> Result<UnconfirmedSnapshot, ReadFailure> {
    let home = PullHome::of(&node)?;
    let (repo, mut node) = pull_of_repository(node, context.pull)?;
    let head = node_conversion::parse_sha(&node.facts.head_ref_oid)?;
    let open = node.facts.state == OPEN;
    let stacked_known = context
        .cached
        .filter(|known| known.head_ref == node.facts.head_ref_name);
    let stacked = stacked_known.is_some() && is_stacked_on(node.stacked_on.as_ref());
    let sizes = ListSizes::of(&node);
    let mut page_reader = PageReader {
        api,
        pull: context.pull,
        repo: &repo,
        read_more: false,
    };
    let mut lists =
        PullLists::read(&mut page_reader, cache, &head, context.cached, &mut node).await?;
    let needs_confirmation = page_reader.read_more;
    if open {
        attach_check_evidence(api, cache, &repo, &mut lists.checks).await?;
    }
    if open && node.facts.is_merge_queue_enabled && !node.facts.is_in_merge_queue {
        let last = context.cached.and_then(|known| known.last.as_ref());
        let question = QueueQuestion {
            repo: &repo,
            number: context.pull.id.number,
            head: &head,
            base_ref: &node.facts.base_ref_name,
            known: last.map(|last| &last.lists.queue),
        };
        lists.queue = read_queue_history(api, cache, question).await?;
    }
    let digest = PullDigest::of_reading(&node.facts, &sizes, &lists)
        .filter(|digest| digest.is_settled(context.host_time));
    let lists = Arc::new(lists);
    let stacked_unknown = open && stacked_known.is_none();
    let pull = FetchedPull {
        home,
        repo,
        facts: node.facts,
        lists: &lists,
        stacked,
    };
    let snapshot = pull.finish(api, cache, &context).await?;
    Ok(UnconfirmedSnapshot {
        snapshot,
        lists,
        digest,
        needs_confirmation,
        stacked_unknown,
    })
}

/// Makes a reading of what was read before and has not changed, and of all that is no list as it is now.
pub(crate) async fn build_unchanged(
    api: &ApiClient,
    cache: &ObservationCache,
    context: ReadContext<'_>,
    node: RepositoryNode<ShallowPullNode>,
    last: &LastReading,
) -> Result<Snapshot, ReadFailure> {
    let home = PullHome::of(&node)?;
    let (repo, node) = pull_of_repository(node, context.pull)?;
    let pull = FetchedPull {
        home,
        repo,
        facts: node.facts,
        lists: &last.lists,
        stacked: last.stacked,
    };
    pull.finish(api, cache, &context).await
}

/// GitHub's name of the state of a pull request that is open.
const OPEN: &str = "OPEN";

/// What is told of the repository.
struct PullHome {
    default_head: Option<Sha>,
    viewer_may_write: bool,
}

impl PullHome {
    fn of<P>(node: &RepositoryNode<P>) -> Result<Self, ApiFault> {
        Ok(Self {
            default_head: default_head(node)?,
            viewer_may_write: node_conversion::grants_write(node.viewer_permission.as_deref()),
        })
    }
}

async fn attach_check_evidence(
    api: &ApiClient,
    cache: &ObservationCache,
    repo: &RepoName,
    checks: &mut [Check],
) -> Result<(), ApiFault> {
    for check in checks {
        check_evidence::attach_evidence(api, &cache.check_evidence, repo, check).await?;
    }
    Ok(())
}

/// The commit that the default branch is at.
fn default_head<P>(node: &RepositoryNode<P>) -> Result<Option<Sha>, ApiFault> {
    let branch = node.default_branch_ref.as_ref();
    let target = branch.and_then(|branch| branch.target.as_ref());
    target
        .map(|target| node_conversion::parse_sha(&target.oid))
        .transpose()
}

/// Takes the pull request out of the answer, with the name that its repository has now.
fn pull_of_repository<P>(
    node: RepositoryNode<P>,
    pull: &PullRef,
) -> Result<(RepoName, P), ApiFault> {
    let not_found = || ApiFault::NotFound(format!("{}#{}", pull.repo, pull.id.number));
    // Another repository may have taken the name of one that was moved or deleted.
    if node.id != pull.id.repo_id {
        return Err(not_found());
    }
    let pull = node.pull_request.ok_or_else(not_found)?;
    let repo = RepoName::parse(&node.name_with_owner)
        .map_err(|_| node_conversion::invalid_value("repository name", &node.name_with_owner))?;
    Ok((repo, pull))
}

impl PullLists {
    /// Reads on from the first pages, which it takes out of the answer.
    async fn read(
        page_reader: &mut PageReader<'_>,
        cache: &ObservationCache,
        head: &Sha,
        cached: Option<&CachedPull>,
        pull: &mut PullNode,
    ) -> Result<Self, ReadFailure> {
        let (head_check_names, files) = match last_at_head(cached, pull)? {
            Some(last) => (last.head_check_names.clone(), last.files.clone()),
            None => {
                let names = head_check_names(head, pull);
                let files = page_reader
                    .read_all(queries::FILES, pull.files.take())
                    .await?;
                (
                    names,
                    files.into_iter().map(node_conversion::file).collect(),
                )
            }
        };
        let known_checks = known_check_names(&head_check_names, head, cached);
        let checks = head_checks(page_reader, cache, head, &mut pull.latest).await?;
        let labels = page_reader
            .read_all(queries::LABELS, pull.labels.take())
            .await?;
        let mut reviews = Vec::new();
        for node in page_reader
            .read_all(queries::REVIEWS, pull.reviews.take())
            .await?
        {
            reviews.push(node_conversion::review(node)?);
        }
        let mut comments = Vec::new();
        for node in page_reader
            .read_all(queries::COMMENTS, Some(pull.comments.take()))
            .await?
        {
            comments.extend(node_conversion::comment(node)?);
        }
        let mut threads = Vec::new();
        for node in page_reader
            .read_all(queries::THREADS, Some(pull.review_threads.take()))
            .await?
        {
            threads.extend(page_reader.read_thread(node).await?);
        }
        Ok(Self {
            head_check_names,
            known_checks,
            checks,
            files,
            labels: labels.into_iter().map(|label| label.name).collect(),
            reviews,
            comments,
            threads,
            queue: QueueHistory::default(),
        })
    }

    /// Whether the viewer has a review that is not submitted.
    fn has_pending_review_of(&self, viewer: &Actor) -> bool {
        self.reviews.iter().any(|review| {
            let is_own = review
                .author
                .as_ref()
                .is_some_and(|author| author.id == viewer.id);
            is_own && review.verdict == ReviewVerdict::Pending
        })
    }
}

/// A pull request of which GraphQL has told everything.
struct FetchedPull<'a> {
    home: PullHome,
    repo: RepoName,
    facts: PullFactsNode,
    lists: &'a PullLists,
    /// Whether another pull request is known to build on it.
    stacked: bool,
}

impl FetchedPull<'_> {
    /// Adds what GraphQL does not tell: rules of branches, and who may write.
    async fn finish(
        self,
        api: &ApiClient,
        cache: &ObservationCache,
        context: &ReadContext<'_>,
    ) -> Result<Snapshot, ReadFailure> {
        let rules = if self.facts.state == OPEN {
            let head_rules = HeadRules {
                repo: self.head_repo(),
                asks_anew: context.before_write || context.cached.is_none(),
            };
            ProtectionRules::fetch(api, cache, &self.repo, &self.facts, head_rules).await?
        } else {
            ProtectionRules::default()
        };
        let viewer_may_write = self.home.viewer_may_write;
        let mut snapshot = self.into_snapshot(context, rules)?;
        if snapshot.state == PullState::Open {
            attach_others_checks(api, cache, &mut snapshot).await?;
            let (cache, repo_id) = (&cache.permissions, &context.pull.id.repo_id);
            attach_permissions(api, cache, repo_id, viewer_may_write, &mut snapshot).await?;
        }
        Ok(snapshot)
    }

    fn head_repo(&self) -> Option<RepoName> {
        let repo = self.facts.head_repository.as_ref()?;
        RepoName::parse(&repo.name_with_owner).ok()
    }

    fn into_snapshot(
        self,
        context: &ReadContext<'_>,
        rules: ProtectionRules,
    ) -> Result<Snapshot, ApiFault> {
        let (head_repo, lists) = (self.head_repo(), self.lists.clone());
        let push_obstacles = push_obstacles(&self.facts, &rules, self.stacked);
        let merge_blocked = is_merge_blocked(&self.facts, self.home.viewer_may_write);
        let node = self.facts;
        let state = node_conversion::parse_pull_state(&node.state)
            .ok_or_else(|| node_conversion::invalid_value("pull request state", &node.state))?;
        Ok(Snapshot {
            read_at: context.read_at,
            number: context.pull.id.number,
            title: node.title.into(),
            body: node.body,
            url: node.url,
            author: node.author.as_ref().and_then(node_conversion::actor),
            viewer: context.viewer.clone(),
            pending_review: lists.has_pending_review_of(context.viewer),
            state,
            draft: node.is_draft,
            locked: node.locked,
            head: node_conversion::parse_sha(&node.head_ref_oid)?,
            head_ref: node.head_ref_name,
            head_repo,
            base: base_sha(node.base_ref.as_ref(), &node.base_ref_oid)?,
            base_ref: node.base_ref_name,
            mergeable: node_conversion::parse_mergeable(&node.mergeable),
            merge_blocked,
            // GitHub says BEHIND only where the branch must be up to date.
            behind: node.merge_state_status == "BEHIND",
            review_required: node.review_decision.as_deref() == Some("REVIEW_REQUIRED"),
            // An account that is gone may still have switched it on: an empty name is better than none.
            auto_merge: node.auto_merge_request.map(|request| {
                Login::new(request.enabled_by.map_or_else(String::new, |by| by.login))
            }),
            in_merge_queue: node.is_in_merge_queue,
            queue_removal: lists.queue.removal.filter(|_| !node.is_in_merge_queue),
            labels: lists.labels,
            required_checks: rules.required_checks,
            known_checks: lists.known_checks,
            base_checks: Vec::new(),
            others_have_checks: false,
            checks: lists.checks,
            reviews: lists.reviews,
            threads: lists.threads,
            comments: lists.comments,
            files: lists.files,
            push_obstacles,
            default_head: self.home.default_head,
            writers: BTreeSet::new(),
            permission_unread: BTreeSet::new(),
            pinned_accounts: BTreeMap::new(),
            start_denied: false,
            own_accounts: std::collections::BTreeSet::new(),
            reviewing_bots: std::collections::BTreeSet::new(),
            repo: self.repo,
        })
    }
}

/// The commit that the base branch is at; where the branch is gone, the one it was at last.
fn base_sha(base: Option<&BaseRefNode>, last_known: &str) -> Result<Sha, ApiFault> {
    let target = base.and_then(|base| base.target.as_ref());
    node_conversion::parse_sha(target.map_or(last_known, |target| target.oid.as_str()))
}

/// How the rules of a head branch are read: they count only when something is pushed.
struct HeadRules {
    /// Where the branch is; none when that is gone.
    repo: Option<RepoName>,
    /// Whether what was read before is not enough.
    asks_anew: bool,
}

/// What branch rules say, classic protection and rulesets together.
#[derive(Default)]
struct ProtectionRules {
    required_checks: BTreeSet<RequiredCheck>,
    head_rules: BranchRules,
}

impl ProtectionRules {
    async fn fetch(
        api: &ApiClient,
        cache: &ObservationCache,
        repo: &RepoName,
        pull: &PullFactsNode,
        head_rules: HeadRules,
    ) -> Result<Self, ApiFault> {
        let base =
            branch_rules::read_branch_rules(api, &cache.branch_rules, repo, &pull.base_ref_name)
                .await?;
        let mut required_checks = base.required_checks;
        let base_ref = pull.base_ref.as_ref();
        let classic = base_ref.and_then(|base| base.branch_protection_rule.as_ref());
        let classic = classic.filter(|rule| rule.requires_status_checks);
        let classic = classic.and_then(|rule| rule.required_status_check_contexts.as_ref());
        // Only admins see the rule itself; what it asks of them is shown to everybody who may push.
        let own = base_ref.and_then(|base| base.ref_update_rule.as_ref());
        let own = own.and_then(|rule| rule.required_status_check_contexts.as_ref());
        for name in classic.into_iter().chain(own).flatten().flatten() {
            // One that names an app stands for itself.
            if !required_checks.iter().any(|known| known.name == *name) {
                required_checks.insert(RequiredCheck {
                    name: name.clone(),
                    app_id: None,
                });
            }
        }
        let (known, branch) = (&cache.branch_rules, &pull.head_ref_name);
        let head = match head_rules.repo.filter(|_| pull.head_ref.is_some()) {
            Some(repo) if head_rules.asks_anew => {
                branch_rules::read_branch_rules(api, known, &repo, branch).await?
            }
            Some(repo) => branch_rules::known_branch_rules(known, &repo, branch),
            None => BranchRules::default(),
        };
        Ok(Self {
            required_checks,
            head_rules: head,
        })
    }
}

/// Whether GitHub would refuse a merge of the account. To those who may not merge every pull request is blocked; where a merge queue
/// merges, the status is not about it.
fn is_merge_blocked(pull: &PullFactsNode, viewer_may_write: bool) -> bool {
    viewer_may_write && !pull.is_merge_queue_enabled && pull.merge_state_status == "BLOCKED"
}

/// Why a push to the head branch could do harm (§6.4).
fn push_obstacles(
    pull: &PullFactsNode,
    rules: &ProtectionRules,
    stacked: bool,
) -> BTreeSet<PushObstacle> {
    let mut obstacles = BTreeSet::new();
    let repo = pull.head_repository.as_ref();
    let default_branch = repo.and_then(|repo| repo.default_branch_ref.as_ref());
    if default_branch.is_some_and(|branch| branch.name == pull.head_ref_name) {
        obstacles.insert(PushObstacle::DefaultBranch);
    }
    let classic = pull.head_ref.as_ref().is_some_and(|head| {
        head.branch_protection_rule.is_some() || head.ref_update_rule.is_some()
    });
    if classic || rules.head_rules.restricts_pushes {
        obstacles.insert(PushObstacle::Protected);
    }
    if stacked {
        obstacles.insert(PushObstacle::BaseOfAnother);
    }
    let is_own = |repo: &HeadRepositoryNode| {
        node_conversion::grants_write(repo.viewer_permission.as_deref())
    };
    let takes_pushes = !pull.is_cross_repository || pull.maintainer_can_modify;
    if !repo.is_some_and(|repo| takes_pushes || is_own(repo)) {
        obstacles.insert(PushObstacle::ForkReadOnly);
    }
    obstacles
}

/// Reads further pages, and notes that it did.
struct PageReader<'a> {
    api: &'a ApiClient,
    pull: &'a PullRef,
    repo: &'a RepoName,
    read_more: bool,
}

impl PageReader<'_> {
    /// All entries of a list whose first page is there.
    async fn read_all<T: DeserializeOwned>(
        &mut self,
        document: &str,
        page: Option<Page<T>>,
    ) -> Result<Vec<T>, ApiFault> {
        let Some(page) = page else {
            return Ok(Vec::new());
        };
        let variables = json!({
            "owner": self.repo.owner(), "name": self.repo.name(), "number": self.pull.id.number,
        });
        self.read_remaining(
            document,
            variables,
            &["repository", "pullRequest", "page"],
            page,
        )
        .await
    }

    /// All entries of a list of a commit.
    async fn read_all_of_commit<T: DeserializeOwned>(
        &mut self,
        document: &str,
        commit: &str,
        page: Page<T>,
    ) -> Result<Vec<T>, ApiFault> {
        let variables =
            json!({"owner": self.repo.owner(), "name": self.repo.name(), "commit": commit});
        let below = ["repository", "object", "statusCheckRollup", "page"];
        self.read_remaining(document, variables, &below, page).await
    }

    /// A thread with all its comments.
    async fn read_thread(&mut self, mut node: ThreadNode) -> Result<Option<Thread>, ApiFault> {
        let none = PageInfo {
            has_next_page: false,
            end_cursor: None,
        };
        let info = std::mem::replace(&mut node.comments.page_info, none);
        let page = Page {
            total_count: None,
            nodes: Vec::new(),
            page_info: info,
        };
        let variables = json!({"thread": node.id});
        let more_comments = self
            .read_remaining(queries::THREAD_COMMENTS, variables, &["node", "page"], page)
            .await?;
        node_conversion::thread(node, more_comments)
    }

    async fn read_remaining<T: DeserializeOwned>(
        &mut self,
        document: &str,
        variables: Value,
        below: &[&str],
        page: Page<T>,
    ) -> Result<Vec<T>, ApiFault> {
        let info = page.page_info;
        let mut entries: Vec<T> = page.nodes.into_iter().flatten().collect();
        if info.has_next_page {
            self.read_more = true;
            let cursor = info.end_cursor;
            entries.extend(
                graphql::fetch_remaining(self.api, document, &variables, below, cursor).await?,
            );
        }
        Ok(entries)
    }
}

/// All checks of the head. GitHub's list of commits may lag behind its head: then the commit itself is asked.
async fn head_checks(
    page_reader: &mut PageReader<'_>,
    cache: &ObservationCache,
    head: &Sha,
    latest: &mut NodeList<PullCommitNode<CheckContextPage>>,
) -> Result<Vec<Check>, ApiFault> {
    let mut commits = latest.nodes.drain(..).flatten().map(|entry| entry.commit);
    let page = match commits.find(|commit| commit.oid == head.as_str()) {
        None => Some(Page::unfetched()),
        Some(commit) => commit
            .status_check_rollup
            .map(|rollup| rollup.contexts.page),
    };
    let Some(page) = page else {
        return Ok(Vec::new());
    };
    let nodes = page_reader.read_all_of_commit(queries::HEAD_CHECKS, head.as_str(), page);
    let nodes = nodes.await?;
    check_evidence::checks_with_reporters(page_reader.api, &cache.check_evidence, nodes).await
}

/// Adds how checks go elsewhere: on the base where one failed here, on other pull requests where none reported here (§3.3).
async fn attach_others_checks(
    api: &ApiClient,
    cache: &ObservationCache,
    snapshot: &mut Snapshot,
) -> Result<(), ApiFault> {
    let (repo, number) = (&snapshot.repo, snapshot.number);
    if snapshot.checks.is_empty() {
        snapshot.others_have_checks =
            recent_checks::others_have_checks(api, &cache.recent_checks, repo, number).await?;
    }
    let failed = |check: &Check| check_outcome(check) == CheckOutcome::Failed;
    if snapshot.checks.iter().any(failed) {
        snapshot.base_checks = base_checks::read_base_checks(
            api,
            &cache.base_checks,
            &cache.check_evidence,
            repo,
            &snapshot.base,
        )
        .await?;
    }
    Ok(())
}

/// The lists of the last reading, where what hangs on the head alone was not asked for since it is in them.
fn last_at_head<'a>(
    cached: Option<&'a CachedPull>,
    pull: &PullNode,
) -> Result<Option<&'a PullLists>, ReadFailure> {
    if pull.files.is_some() || pull.earlier.is_some() {
        return Ok(None);
    }
    // The head that was known when it was asked may have moved since, and the base branch may be another.
    let last = cached
        .filter(|known| known.head.as_str() == pull.facts.head_ref_oid)
        .filter(|known| known.base_ref == pull.facts.base_ref_name)
        .and_then(|known| known.last.as_ref());
    last.map_or(Err(ReadFailure::HeadMoved), |last| Ok(Some(&*last.lists)))
}

/// Names of checks that the commits before the head had (§3.3).
fn head_check_names(head: &Sha, pull: &mut PullNode) -> BTreeSet<String> {
    let earlier = pull.earlier.take().map(|list| list.nodes);
    let earlier = earlier.into_iter().flatten().flatten();
    let earlier = earlier
        .map(|entry| entry.commit)
        .filter(|commit| commit.oid != head.as_str());
    let rollups = earlier.filter_map(|commit| commit.status_check_rollup);
    let nodes = rollups.flat_map(|rollup| rollup.contexts.nodes).flatten();
    nodes.filter_map(node_conversion::check_name).collect()
}

/// The same, with those that readings of earlier heads saw.
fn known_check_names(
    head_check_names: &BTreeSet<String>,
    head: &Sha,
    cached: Option<&CachedPull>,
) -> BTreeSet<String> {
    let mut names = head_check_names.clone();
    if let Some(known) = cached {
        names.extend(known.earlier_check_names.iter().cloned());
        if known.head != *head {
            names.extend(known.check_names.iter().cloned());
        }
    }
    names
}

/// Whether an open pull request has the head branch as its base.
pub(crate) fn is_stacked_on(found: Option<&StackedPullsNode>) -> bool {
    found.is_some_and(|found| found.pull_requests.total_count > 0)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn facts(changes: &serde_json::Value) -> PullFactsNode {
        let mut facts = json!({
            "title": "T", "body": "", "url": "u", "state": "OPEN", "isDraft": false, "locked": false,
            "headRefOid": "aa", "headRefName": "topic", "baseRefName": "main", "baseRefOid": "bb",
            "isCrossRepository": true, "maintainerCanModify": false, "mergeable": "MERGEABLE",
            "mergeStateStatus": "CLEAN", "isInMergeQueue": false, "isMergeQueueEnabled": false,
            "headRepository": {"nameWithOwner": "kim/app", "viewerPermission": "READ"},
        });
        for (name, value) in changes.as_object().expect("changes") {
            facts[name] = value.clone();
        }
        serde_json::from_value(facts).expect("facts")
    }

    #[test]
    fn a_fork_is_read_only_unless_it_is_ones_own_or_lets_maintainers_in() {
        let check = |changes: serde_json::Value, read_only: bool| {
            let obstacles = push_obstacles(&facts(&changes), &ProtectionRules::default(), false);
            let found = obstacles.contains(&PushObstacle::ForkReadOnly);
            assert_eq!(found, read_only, "{changes}");
        };
        let own = json!({"nameWithOwner": "octo/app", "viewerPermission": "ADMIN"});
        check(json!({}), true);
        check(json!({"headRepository": null}), true);
        check(json!({"headRepository": own}), false);
        check(json!({"maintainerCanModify": true}), false);
        check(json!({"isCrossRepository": false}), false);
    }

    #[test]
    fn a_blocked_merge_counts_for_those_who_may_merge_and_where_no_queue_does() {
        let check = |changes: serde_json::Value, may_write: bool, blocked: bool| {
            let found = is_merge_blocked(&facts(&changes), may_write);
            assert_eq!(found, blocked, "{changes}");
        };
        let blocked = json!({"mergeStateStatus": "BLOCKED"});
        check(blocked.clone(), true, true);
        check(blocked, false, false);
        let queue = json!({"mergeStateStatus": "BLOCKED", "isMergeQueueEnabled": true});
        check(queue, true, false);
        check(json!({"mergeStateStatus": "UNSTABLE"}), true, false);
    }
}
