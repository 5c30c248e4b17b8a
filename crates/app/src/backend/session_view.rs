//! The session as the window shows it, derived anew from what is open.

use super::backend_state::{Backend, Phase};
use super::locking::lock;
use super::session::Session;
use crate::user_error::error_view;
use collie_config::{Theme, host_of};
use collie_core::error_code::{ErrorCode, ErrorHint};
use collie_core::pause::Pause;
use collie_core::user_error::UserError;
use collie_i18n::Language;
use collie_wire::rpc::{
    self, AccountView, Connection, ConnectionView, EngineView, PauseView, QuotaView, RightsView,
    SessionPhase, SessionView,
};

impl Backend {
    /// Where the backend stands.
    pub(super) fn session_view(&self) -> SessionView {
        let options = &self.shared.options;
        let localizer = self.localizer();
        let current_phase = self.phase().clone();
        let (phase, problem) = match &current_phase {
            Phase::Onboarding => (SessionPhase::Onboarding, None),
            Phase::Starting => (SessionPhase::Starting, None),
            Phase::Stopped(problem) => (SessionPhase::Stopped, Some(problem.clone())),
            Phase::Open(session) if session.engine.is_local() => {
                (SessionPhase::Running, self.account_problem(session))
            }
            Phase::Open(session) => (SessionPhase::Following, self.account_problem(session)),
        };
        let session = match &current_phase {
            Phase::Open(session) => Some(session),
            Phase::Onboarding | Phase::Starting | Phase::Stopped(_) => None,
        };
        let theme = session.map_or_else(
            || {
                self.configuration()
                    .map(|config| config.desktop.theme)
                    .unwrap_or_default()
            },
            |session| session.config.get().desktop.theme,
        );
        SessionView {
            phase,
            account: session.map(|session| account_view(session)),
            credentials: lock(&self.shared.sign_in).gh_view(),
            demo: session.and_then(|session| self.demo_view(session)),
            engine: session.map(|session| engine_view(session)),
            pause: session.and_then(|session| pause_view(session)),
            connection: session.map_or(CONNECTION_OK, |session| connection_view(session)),
            quota: session.and_then(|session| quota_view(session)),
            problem: problem.map(|problem| error_view(&problem, &localizer)),
            language: match localizer.language() {
                Language::En => rpc::Language::En,
                Language::Fr => rpc::Language::Fr,
            },
            theme: match theme {
                Theme::System => rpc::Theme::System,
                Theme::Light => rpc::Theme::Light,
                Theme::Dark => rpc::Theme::Dark,
            },
            server: false,
            device_sign_in: false,
            can_merge: options.can_merge,
            rights: RightsView::ALL,
            version: env!("CARGO_PKG_VERSION").to_owned(),
            data_folder: options.folder.path().display().to_string(),
        }
    }

    /// What keeps an open backend from working as it should.
    fn account_problem(&self, session: &Session) -> Option<UserError> {
        if let Some(problem) = session.engine.problem() {
            return Some(problem);
        }
        let host = host_of(&session.config.get().api_url);
        let account = lock(&session.account).clone();
        if connection_view(session).status == Connection::Unauthorized {
            return Some(
                UserError::new(ErrorCode::Unauthorized)
                    .with("host", host)
                    .hint(ErrorHint::SignIn),
            );
        }
        if !account.missing_scopes.is_empty() {
            return Some(
                UserError::new(ErrorCode::Scopes)
                    .with("host", host)
                    .with("scopes", account.missing_scopes.join(", "))
                    .hint(ErrorHint::NewToken),
            );
        }
        None
    }
}

fn pause_view(session: &Session) -> Option<PauseView> {
    let Pause { by, since } = session.engine.pause()?;
    Some(PauseView {
        by: by.to_string(),
        since: since.rfc3339(),
    })
}

const CONNECTION_OK: ConnectionView = ConnectionView {
    status: Connection::Ok,
    until: None,
};

fn account_view(session: &Session) -> AccountView {
    let config = session.config.get();
    let account = lock(&session.account).clone();
    let allowed = account
        .login
        .as_ref()
        // Nobody is told that they may not before it is known who they are.
        .is_none_or(|login| config.policy.allowed_users.contains(login));
    AccountView {
        login: account
            .login
            .map(|login| login.to_string())
            .unwrap_or_default(),
        host: host_of(&config.api_url),
        source: session.source,
        allowed,
        missing_scopes: account.missing_scopes,
    }
}

fn engine_view(session: &Session) -> EngineView {
    let engine = &session.engine;
    let number = |count: usize| u32::try_from(count).unwrap_or(u32::MAX);
    let usage = engine.slot_usage();
    let slots = match usage {
        Some(usage) => Some(usage.slots),
        // The settings here are none of the workers'.
        None if engine.is_elsewhere() => None,
        None => Some(session.config.get().slots),
    };
    EngineView {
        slots: slots.map(number),
        working: usage.map_or(0, |usage| number(usage.working)),
        queued: usage.map_or(0, |usage| number(usage.queued)),
        process: (!engine.is_local()).then(|| engine.other_pid().unwrap_or(0)),
        elsewhere: engine.is_elsewhere(),
    }
}

/// How GitHub answers, by what the loops and the lists have met.
fn connection_view(session: &Session) -> ConnectionView {
    use collie_core::blocker::Blocker;
    let view = |status, until: Option<collie_core::ids::Time>| ConnectionView {
        status,
        until: until.map(collie_core::ids::Time::rfc3339),
    };
    if lock(&session.account).token_refused {
        return view(Connection::Unauthorized, None);
    }
    let mut connection = session
        .listings
        .connection_problem()
        .unwrap_or(CONNECTION_OK);
    for state in session.engine.loops() {
        match &state.run.blocker {
            Some(Blocker::Unauthorized) => return view(Connection::Unauthorized, None),
            Some(Blocker::RateLimited { until }) => {
                connection = view(Connection::RateLimited, Some(*until))
            }
            Some(Blocker::Unreachable { until }) if connection.status == Connection::Ok => {
                connection = view(Connection::Unreachable, Some(*until));
            }
            Some(_) | None => {}
        }
    }
    connection
}

fn quota_view(session: &Session) -> Option<QuotaView> {
    let quotas = session.github.quotas();
    let scarcer = [quotas.graphql, quotas.rest]
        .into_iter()
        .flatten()
        .filter(|quota| quota.limit > 0)
        .min_by(|a, b| (a.remaining * b.limit).cmp(&(b.remaining * a.limit)))?;
    Some(QuotaView {
        left: scarcer.remaining,
        limit: scarcer.limit,
        resets_at: scarcer.resets_at.rfc3339(),
    })
}
