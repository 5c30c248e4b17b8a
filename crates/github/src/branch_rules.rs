//! What the rulesets of a repository ask of a branch. The classic protection comes with the reading itself.

use crate::api_client::{ApiClient, lock};
use crate::api_fault::ApiFault;
use collie_core::ids::{RepoName, Time};
use collie_core::snapshot::RequiredCheck;
use serde::Deserialize;
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Mutex;

/// Rules are asked for again after so long, and then conditionally.
const CACHE_TTL_MS: u64 = 5 * 60_000;
/// Branches that are remembered.
const CACHE_CAPACITY: usize = 2_000;

/// What the active rulesets ask of one branch.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct BranchRules {
    /// Checks, some by the app that has to report them.
    pub required_checks: BTreeSet<RequiredCheck>,
    /// A plain push is refused, or would go round what the branch is protected by.
    pub restricts_pushes: bool,
}

/// Rules by repository and branch.
#[derive(Default)]
pub(crate) struct BranchRulesCache(Mutex<BTreeMap<(String, String), (Time, BranchRules)>>);

#[derive(Deserialize)]
struct RuleRow {
    #[serde(rename = "type")]
    kind: String,
    #[serde(default)]
    parameters: Value,
}

/// The rules of a branch as they were read last; none where they never were.
pub(crate) fn known_branch_rules(
    cache: &BranchRulesCache,
    repo: &RepoName,
    branch: &str,
) -> BranchRules {
    let key = (repo.to_string(), branch.to_string());
    let known = lock(&cache.0).get(&key).map(|(_, rules)| rules.clone());
    known.unwrap_or_default()
}

/// Reads the rules of a branch; none where there are no rulesets or the token may not see them.
pub(crate) async fn read_branch_rules(
    api: &ApiClient,
    cache: &BranchRulesCache,
    repo: &RepoName,
    branch: &str,
) -> Result<BranchRules, ApiFault> {
    let now = api.clock.now();
    let key = (repo.to_string(), branch.to_string());
    if let Some((read_at, rules)) = lock(&cache.0).get(&key)
        && now.since(*read_at) < CACHE_TTL_MS
    {
        return Ok(rules.clone());
    }
    let mut rules = BranchRules::default();
    for page in 1.. {
        let path = format!(
            "/repos/{repo}/rules/branches/{}?per_page=100&page={page}",
            encode_path_segment(branch)
        );
        let response = match api.get(&path).await {
            Ok(response) => response,
            Err(
                ApiFault::NotFound(_)
                | ApiFault::Forbidden(_)
                | ApiFault::Gone(_)
                | ApiFault::Refused(_),
            ) => break,
            Err(fault) => return Err(fault),
        };
        for row in response.json::<Vec<RuleRow>>()? {
            rules.apply_rule(&row);
        }
        if !response.has_next() {
            break;
        }
    }
    let mut cached_rules = lock(&cache.0);
    if cached_rules.len() >= CACHE_CAPACITY {
        cached_rules.pop_first();
    }
    cached_rules.insert(key, (now, rules.clone()));
    Ok(rules)
}

impl BranchRules {
    fn apply_rule(&mut self, row: &RuleRow) {
        match row.kind.as_str() {
            "required_status_checks" => {
                self.restricts_pushes = true;
                let checks = row.parameters["required_status_checks"].as_array();
                let required = checks.into_iter().flatten().filter_map(|one| {
                    Some(RequiredCheck {
                        name: one["context"].as_str()?.to_owned(),
                        app_id: one["integration_id"].as_u64(),
                    })
                });
                self.required_checks.extend(required);
            }
            "pull_request"
            | "update"
            | "merge_queue"
            | "lock_branch"
            | "required_deployments"
            | "workflows"
            | "code_scanning" => self.restricts_pushes = true,
            // The others (deletion, non_fast_forward, creation, linear history, signatures, name, path and size
            // patterns) let an ordinary push through, or refuse it in words that reach the person (§6.4).
            _ => {}
        }
    }
}

/// A branch name as one segment of a path, slashes included.
pub(crate) fn encode_path_segment(branch: &str) -> String {
    branch
        .bytes()
        .map(|b| match b {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'-' | b'_' | b'.' | b'~' => {
                char::from(b).to_string()
            }
            _ => format!("%{b:02X}"),
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(rules: &str, required: &[(&str, Option<u64>)], restricts_pushes: bool) {
        let rows: Vec<RuleRow> = serde_json::from_str(rules).expect("rules");
        let mut found = BranchRules::default();
        rows.iter().for_each(|row| found.apply_rule(row));
        let required = required.iter().map(|(name, app_id)| RequiredCheck {
            name: (*name).to_owned(),
            app_id: *app_id,
        });
        let required_checks = required.collect();
        assert_eq!(
            found,
            BranchRules {
                required_checks,
                restricts_pushes
            }
        );
    }

    #[test]
    fn only_rules_that_stop_a_push_count_as_protection() {
        check("[]", &[], false);
        check(
            r#"[{"type":"deletion"},{"type":"non_fast_forward"},{"type":"new_in_2030"}]"#,
            &[],
            false,
        );
        check(r#"[{"type":"pull_request","parameters":{}}]"#, &[], true);
        let checks = r#"[{"type":"required_status_checks","parameters":
            {"required_status_checks":[{"context":"build"},{"context":"e2e","integration_id":7}]}}]"#;
        check(checks, &[("build", None), ("e2e", Some(7))], true);
    }

    #[test]
    fn a_branch_name_stays_one_segment() {
        assert_eq!(
            encode_path_segment("feat/ä b#1?"),
            "feat%2F%C3%A4%20b%231%3F"
        );
    }
}
