//! The session as the window shows it, derived anew from what is open.

use super::work::{Engine, Work};
use super::{Desk, Problem, Standing, lock};
use crate::config::{Theme, host_of};
use collie_wire::rpc::{
    AccountView, Connection, ConnectionView, EngineView, Phase, QuotaView, SessionView,
};

impl Desk {
    /// Where the desk stands.
    pub(super) fn session(&self) -> SessionView {
        let options = &self.shared.options;
        let speech = self.speech();
        let standing = self.standing().clone();
        let (phase, problem) = match &standing {
            Standing::Onboarding => (Phase::Onboarding, None),
            Standing::Starting => (Phase::Starting, None),
            Standing::Stopped(problem) => (Phase::Stopped, Some(problem.clone())),
            Standing::Open(work) => match &work.engine {
                Engine::Own { .. } => (Phase::Running, self.trouble(work)),
                Engine::Other { .. } => (Phase::Following, self.trouble(work)),
            },
        };
        let work = match &standing {
            Standing::Open(work) => Some(work),
            Standing::Onboarding | Standing::Starting | Standing::Stopped(_) => None,
        };
        let theme = work.map_or_else(
            || {
                self.configuration()
                    .map(|config| config.desktop.theme)
                    .unwrap_or_default()
            },
            |work| work.config.get().desktop.theme,
        );
        SessionView {
            phase,
            account: work.map(|work| account(work)),
            gh: lock(&self.shared.found).view(),
            demo: work.and_then(|work| self.demo_view(work)),
            engine: work.map(|work| engine(work)),
            connection: work.map_or(OK, |work| connection(work)),
            quota: work.and_then(|work| quota(work)),
            problem: problem.map(|problem| problem.view(&speech)),
            language: speech.language().code().to_owned(),
            theme: match theme {
                Theme::System => "system",
                Theme::Light => "light",
                Theme::Dark => "dark",
            }
            .to_owned(),
            can_merge: options.can_merge,
            version: env!("CARGO_PKG_VERSION").to_owned(),
            data_folder: options.folder.path().display().to_string(),
        }
    }

    /// What keeps an open desk from working as it should.
    fn trouble(&self, work: &Work) -> Option<Problem> {
        let host = host_of(&work.config.get().api_url);
        let who = lock(&work.who).clone();
        if connection(work).status == Connection::Unauthorized {
            return Some(
                Problem::new("unauthorized")
                    .with("host", host)
                    .hint("sign_in"),
            );
        }
        if !who.missing_scopes.is_empty() {
            return Some(
                Problem::new("scopes")
                    .with("host", host)
                    .with("scopes", who.missing_scopes.join(", "))
                    .hint("new_token"),
            );
        }
        None
    }
}

const OK: ConnectionView = ConnectionView {
    status: Connection::Ok,
    until: None,
};

fn account(work: &Work) -> AccountView {
    let config = work.config.get();
    let who = lock(&work.who).clone();
    let allowed = who
        .login
        .as_ref()
        // Nobody is told that they may not before it is known who they are.
        .is_none_or(|login| config.policy.allowed_users.contains(login));
    AccountView {
        login: who.login.map(|login| login.to_string()).unwrap_or_default(),
        host: host_of(&config.api_url),
        source: work.source,
        allowed,
        missing_scopes: who.missing_scopes,
    }
}

fn engine(work: &Work) -> EngineView {
    let number = |n: usize| u32::try_from(n).unwrap_or(u32::MAX);
    let view = |slots, working, queued, process| EngineView {
        slots: number(slots),
        working: number(working),
        queued: number(queued),
        process,
    };
    match (&work.engine, work.handle()) {
        (Engine::Own { .. }, Some(handle)) => {
            let standing = handle.standing();
            view(standing.slots, standing.working, standing.queued, None)
        }
        (Engine::Own { .. }, None) => view(work.config.get().slots, 0, 0, None),
        (Engine::Other { pid, .. }, _) => {
            view(work.config.get().slots, 0, 0, Some(pid.unwrap_or(0)))
        }
    }
}

/// How GitHub answers, by what the loops and the lists have met.
fn connection(work: &Work) -> ConnectionView {
    use collie_core::blocker::Blocker;
    let view = |status, until: Option<collie_core::ids::Time>| ConnectionView {
        status,
        until: until.map(collie_core::ids::Time::rfc3339),
    };
    if lock(&work.who).refused {
        return view(Connection::Unauthorized, None);
    }
    let mut found = work.lists.trouble().unwrap_or(OK);
    for state in work.states() {
        match &state.blocker {
            Some(Blocker::Unauthorized) => return view(Connection::Unauthorized, None),
            Some(Blocker::RateLimited { until }) => {
                found = view(Connection::RateLimited, Some(*until))
            }
            Some(Blocker::Unreachable { until }) if found.status == Connection::Ok => {
                found = view(Connection::Unreachable, Some(*until));
            }
            Some(_) | None => {}
        }
    }
    found
}

fn quota(work: &Work) -> Option<QuotaView> {
    let quotas = work.github.quota();
    let scarcer = [quotas.graphql, quotas.rest]
        .into_iter()
        .flatten()
        .filter(|quota| quota.limit > 0)
        .min_by(|a, b| (a.left * b.limit).cmp(&(b.left * a.limit)))?;
    Some(QuotaView {
        left: scarcer.left,
        limit: scarcer.limit,
        resets_at: scarcer.resets_at.rfc3339(),
    })
}
