//! What the user lets Collie run and fix in a repository (§6.3e, §9.1): kept by repository, and told to each of its loops.

use crate::ids::{AccountId, Login};
use crate::snapshot::Snapshot;
use crate::token::digest;
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;

/// How the line begins by which a command that prepares a verification is shown, and trusted, among a repository's commands; no verify
/// command may begin so. Its hosts follow, a bracket, and the command.
pub const PREPARE_LINE: &str = "[prepare";

/// What the user has decided for a repository. Without a decision nothing is allowed.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(default)]
pub struct RepositoryTrust {
    /// What holds for the verify commands that the repository names itself.
    pub verify: VerifyTrust,
    /// Authors whose pull requests may be fixed though they have no write access.
    pub authors: BTreeSet<AllowedAuthor>,
    /// Numbers of pull requests that may be fixed whoever opened them.
    pub pulls: BTreeSet<u64>,
}

/// What the user has decided about a repository's own verify commands.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", tag = "decision")]
pub enum VerifyTrust {
    /// Nothing yet.
    #[default]
    Undecided,
    /// Exactly the commands with this hash may run ([`commands_hash`]).
    Trusted {
        /// Hex SHA-256.
        hash: String,
    },
    /// Fixes go on without the repository's commands; the proof names them.
    Skipped,
}

/// An author who was allowed, pinned by account: names change hands.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct AllowedAuthor {
    /// The account.
    pub id: AccountId,
    /// Its name when it was allowed.
    pub login: Login,
}

/// What may be done with the verify commands that a repository names.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum VerifyPermission {
    /// They may run.
    Run,
    /// They are left out.
    Skip,
    /// A person has to decide; until then nothing runs.
    Ask,
}

/// One decision of the user about a repository.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, strum::IntoStaticStr)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[serde(rename_all = "snake_case", tag = "decision")]
#[strum(serialize_all = "snake_case")]
pub enum TrustDecision {
    /// Exactly these verify commands may run, in this order.
    TrustCommands {
        /// As the person saw them.
        commands: Vec<String>,
    },
    /// Go on without the repository's verify commands.
    SkipVerification,
    /// Ask again before a fix is verified.
    RevokeVerification,
    /// Pull requests of this author may be fixed.
    AllowAuthor {
        /// The account.
        id: AccountId,
        /// Its name.
        login: Login,
    },
    /// Not any more.
    RevokeAuthor {
        /// The name it was allowed under.
        login: Login,
    },
    /// This pull request may be fixed.
    AllowPull {
        /// Its number.
        #[cfg_attr(feature = "typescript", ts(type = "number"))]
        number: u64,
    },
    /// Not any more.
    RevokePull {
        /// Its number.
        #[cfg_attr(feature = "typescript", ts(type = "number"))]
        number: u64,
    },
}

impl TrustDecision {
    /// Its name, as it is written in JSON.
    pub fn name(&self) -> &'static str {
        self.into()
    }

    /// Whether it allows something.
    pub fn allows(&self) -> bool {
        match self {
            TrustDecision::TrustCommands { .. }
            | TrustDecision::SkipVerification
            | TrustDecision::AllowAuthor { .. }
            | TrustDecision::AllowPull { .. } => true,
            TrustDecision::RevokeVerification
            | TrustDecision::RevokeAuthor { .. }
            | TrustDecision::RevokePull { .. } => false,
        }
    }
}

/// The hash by which a list of verify commands is known: of each command, in order.
pub fn commands_hash(commands: &[String]) -> String {
    digest(commands)
}

impl RepositoryTrust {
    /// Whether nothing was decided.
    pub fn is_undecided(&self) -> bool {
        *self == Self::default()
    }

    /// Takes a decision up. The same one twice changes nothing more.
    pub fn decide(&mut self, decision: &TrustDecision) {
        match decision {
            TrustDecision::TrustCommands { commands } => {
                self.verify = VerifyTrust::Trusted {
                    hash: commands_hash(commands),
                };
            }
            TrustDecision::SkipVerification => self.verify = VerifyTrust::Skipped,
            TrustDecision::RevokeVerification => self.verify = VerifyTrust::Undecided,
            TrustDecision::AllowAuthor { id, login } => {
                self.authors.retain(|author| author.id != *id);
                let (id, login) = (*id, login.clone());
                self.authors.insert(AllowedAuthor { id, login });
            }
            TrustDecision::RevokeAuthor { login } => {
                self.authors.retain(|author| author.login != *login);
            }
            TrustDecision::AllowPull { number } => {
                self.pulls.insert(*number);
            }
            TrustDecision::RevokePull { number } => {
                self.pulls.remove(number);
            }
        }
    }

    /// What may be done with the commands that the repository itself names; those of the user's own configuration need no permission.
    pub fn verify_permission(&self, repository_commands: &[String]) -> VerifyPermission {
        if repository_commands.is_empty() {
            return VerifyPermission::Run;
        }
        match &self.verify {
            VerifyTrust::Skipped => VerifyPermission::Skip,
            VerifyTrust::Trusted { hash } if *hash == commands_hash(repository_commands) => {
                VerifyPermission::Run
            }
            VerifyTrust::Trusted { .. } | VerifyTrust::Undecided => VerifyPermission::Ask,
        }
    }

    /// Whether the pull request of a snapshot may be fixed (§9.1).
    pub fn may_fix(&self, snapshot: &Snapshot) -> bool {
        let author = snapshot.author.as_ref().map(|author| author.id);
        snapshot.is_by_collaborator() || self.allows(snapshot.number, author)
    }

    /// Whether the user has allowed a pull request, or its author.
    pub fn allows(&self, number: u64, author: Option<AccountId>) -> bool {
        let by_author = |id| self.authors.iter().any(|allowed| allowed.id == id);
        self.pulls.contains(&number) || author.is_some_and(by_author)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn commands(all: &[&str]) -> Vec<String> {
        all.iter().map(ToString::to_string).collect()
    }

    fn trust(decisions: &[TrustDecision]) -> RepositoryTrust {
        let mut trust = RepositoryTrust::default();
        for decision in decisions {
            trust.decide(decision);
        }
        trust
    }

    #[test]
    fn exactly_the_commands_that_were_trusted_may_run() {
        let seen = commands(&["make lint", "make build"]);
        let trusted = trust(&[TrustDecision::TrustCommands {
            commands: seen.clone(),
        }]);
        assert_eq!(trusted.verify_permission(&seen), VerifyPermission::Run);
        for changed in [
            &["make build", "make lint"] as &[&str],
            &["make lint"],
            &["make lint", "make build", "curl evil"],
            &["make lintmake build"],
            &["make lint make build"],
        ] {
            let changed = commands(changed);
            assert_eq!(trusted.verify_permission(&changed), VerifyPermission::Ask);
        }
    }

    #[test]
    fn without_a_decision_a_person_is_asked_and_where_there_are_no_commands_nobody() {
        let one = commands(&["make"]);
        let undecided = RepositoryTrust::default();
        assert_eq!(undecided.verify_permission(&one), VerifyPermission::Ask);
        assert_eq!(undecided.verify_permission(&[]), VerifyPermission::Run);
        let skipped = trust(&[TrustDecision::SkipVerification]);
        assert_eq!(skipped.verify_permission(&one), VerifyPermission::Skip);
        let revoked = trust(&[
            TrustDecision::TrustCommands {
                commands: one.clone(),
            },
            TrustDecision::RevokeVerification,
        ]);
        assert_eq!(revoked, undecided);
    }

    #[test]
    fn an_author_is_pinned_by_account_and_revoked_by_the_name_that_was_allowed() {
        let allow = |id, login: &str| TrustDecision::AllowAuthor {
            id: AccountId(id),
            login: Login::new(login),
        };
        let renamed = trust(&[allow(5, "mallory"), allow(5, "mal")]);
        assert_eq!(renamed.authors.len(), 1);
        let mut revoked = renamed.clone();
        revoked.decide(&TrustDecision::RevokeAuthor {
            login: Login::new("mallory"),
        });
        assert_eq!(revoked, renamed);
        revoked.decide(&TrustDecision::RevokeAuthor {
            login: Login::new("MAL"),
        });
        assert_eq!(revoked, RepositoryTrust::default());
    }

    #[test]
    fn it_is_read_back_as_it_was_written_also_from_within_an_event() {
        let decided = trust(&[
            TrustDecision::TrustCommands {
                commands: commands(&["make"]),
            },
            TrustDecision::AllowAuthor {
                id: AccountId(5),
                login: Login::new("mallory"),
            },
            TrustDecision::AllowPull { number: 7 },
        ]);
        let event = crate::event::Event::TrustChanged(crate::event::TrustChanged {
            trust: Box::new(decided),
        });
        let json = serde_json::to_string(&event).unwrap();
        assert_eq!(
            serde_json::from_str::<crate::event::Event>(&json).unwrap(),
            event
        );
        assert_eq!(
            serde_json::from_str::<RepositoryTrust>("{}").unwrap(),
            RepositoryTrust::default()
        );
    }
}
