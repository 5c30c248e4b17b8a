//! Fixes that stand each for itself, judged apart where they were refused together: one takes none of the others with it (§6.3).

use crate::effect_host::EffectHost;
use crate::ports::{FixRequest, GateRefusal, VerifyPlan, VerifyRun, VettedChange};
use crate::review::session_failure;
use collie_core::event::SessionFailure;
use collie_core::fix::{FixPayload, FixResult, FixedIssue, RejectedIssue, note_codes};
use std::collections::{BTreeMap, BTreeSet};
use tokio_util::sync::CancellationToken;

/// Runs of the verify commands that the search takes at most; what has not passed by then is given up.
const MAX_VERIFIED_TRIES: u32 = 8;

/// What a session has for it.
#[derive(Clone, Copy)]
pub(crate) struct Judge<'a> {
    pub host: &'a dyn EffectHost,
    /// As it was before the refusal.
    pub request: &'a FixRequest,
    pub verify: VerifyRun<'a>,
    pub cancel: &'a CancellationToken,
}

/// Finds the fixes of a refused account that no gate refuses: what they change, none where nothing is left, and the account of all issues,
/// in which each refused one has its own reason.
pub(crate) async fn judge_apart(
    judge: Judge<'_>,
    account: FixResult,
    refusal: GateRefusal,
) -> Result<(Option<VettedChange>, FixResult), SessionFailure> {
    let mut search = Search {
        judge,
        refused: BTreeMap::new(),
        verified_tries: 0,
    };
    let fixed = account.fixed_issues.iter();
    let mut ids: Vec<String> = fixed.map(|fixed| fixed.finding_id.clone()).collect();
    let mut refusal = refusal;
    loop {
        let by_command = is_by_command(&refusal);
        let passed = search.divide(ids, refusal).await?;
        if passed.is_empty() {
            break;
        }
        match search.attempt(&passed, true).await? {
            Ok(Some(change)) => {
                let account = search.account(account, &passed)?;
                return Ok((Some(change), account));
            }
            Ok(None) => break,
            // What no gate refuses by itself may still fail a command.
            Err(refused) if !by_command && is_by_command(&refused) => {
                (ids, refusal) = (passed, refused);
            }
            // What passes apart does not pass together.
            Err(refused) => {
                search.refuse(&passed, &refused);
                break;
            }
        }
    }
    Ok((None, search.account(account, &[])?))
}

fn is_by_command(refusal: &GateRefusal) -> bool {
    matches!(refusal, GateRefusal::Verify { .. })
}

struct Search<'a> {
    judge: Judge<'a>,
    refused: BTreeMap<String, GateRefusal>,
    verified_tries: u32,
}

impl Search<'_> {
    /// Divides fixes that were refused together until a part passes or is one fix; those that pass.
    async fn divide(
        &mut self,
        ids: Vec<String>,
        refusal: GateRefusal,
    ) -> Result<Vec<String>, SessionFailure> {
        let with_commands = is_by_command(&refusal);
        let mut passed = Vec::new();
        let mut parts = vec![(ids, refusal)];
        while let Some((part, refusal)) = parts.pop() {
            let is_spent = with_commands && self.verified_tries >= MAX_VERIFIED_TRIES;
            if part.len() < 2 || is_spent {
                self.refuse(&part, &refusal);
                continue;
            }
            let (first, second) = part.split_at(part.len() / 2);
            for half in [first, second] {
                match self.attempt(half, with_commands).await? {
                    Ok(_) => passed.extend_from_slice(half),
                    Err(refused) => parts.push((half.to_vec(), refused)),
                }
            }
        }
        Ok(passed)
    }

    /// Does just these fixes, and lets the gates judge them.
    async fn attempt(
        &mut self,
        ids: &[String],
        with_commands: bool,
    ) -> Result<Result<Option<VettedChange>, GateRefusal>, SessionFailure> {
        let Judge {
            host,
            request,
            verify,
            cancel,
        } = self.judge;
        let no_commands = VerifyPlan::default();
        let plan = match with_commands {
            true => verify.plan,
            false => &no_commands,
        };
        self.verified_tries += u32::from(with_commands);
        let request = FixRequest {
            payload: only(&request.payload, ids),
            ..request.clone()
        };
        host.ports().fixer.fix(request.clone(), cancel).await?;
        let syntax = host.ports().syntax.as_ref();
        let verify = VerifyRun { plan, ..verify };
        let vetted = host
            .ports()
            .git
            .vet(&request.worktree, syntax, verify, cancel);
        vetted.await.map_err(session_failure)
    }

    fn refuse(&mut self, ids: &[String], refusal: &GateRefusal) {
        let each = ids.iter().map(|id| (id.clone(), refusal.clone()));
        self.refused.extend(each);
    }

    /// The account as it is with only these fixes kept.
    fn account(
        &self,
        mut account: FixResult,
        kept: &[String],
    ) -> Result<FixResult, SessionFailure> {
        let payload = &self.judge.request.payload;
        let required: BTreeSet<&str> = (payload.issues_to_fix.iter())
            .map(|issue| issue.id.as_str())
            .collect();
        let is_kept = |fixed: &FixedIssue| kept.contains(&fixed.finding_id);
        let (kept, undone): (Vec<_>, Vec<_>) = account.fixed_issues.into_iter().partition(is_kept);
        account.fixed_issues = kept;
        let reject = |undone: FixedIssue| RejectedIssue {
            reason: match self.refused.get(&undone.finding_id) {
                Some(refusal) => refused_note(note_codes::TAKEN_BACK, refusal),
                None => note_codes::UNCHANGED.to_owned(),
            },
            finding_id: undone.finding_id,
        };
        let undone = undone.into_iter();
        let undone = undone.filter(|fixed| required.contains(fixed.finding_id.as_str()));
        account.rejected_issues.extend(undone.map(reject));
        account
            .validated(payload)
            .map_err(SessionFailure::transient)
    }
}

/// The same request for some of its issues.
fn only(payload: &FixPayload, ids: &[String]) -> FixPayload {
    let mut part = payload.clone();
    part.issues_to_fix.retain(|issue| ids.contains(&issue.id));
    part.optional_issues.retain(|issue| ids.contains(&issue.id));
    part.replacements.retain(|id, _| ids.contains(id));
    part
}

/// What the fixer says of an issue together with what the gate said.
pub(crate) fn refused_note(reason: &str, refusal: &GateRefusal) -> String {
    match reason {
        note_codes::TAKEN_BACK => format!("{}:{}", note_codes::TAKEN_BACK, refusal.note()),
        note_codes::UNCHANGED => refusal.note(),
        own_words => format!("{}\n\n{own_words}", refusal.note()),
    }
}
