//! Who asks: people, each by a token of their own, which GitHub has vouched for. A browser gets a session, which outlasts a restart; its id is
//! kept only as a hash.

use crate::options::{ServerOptions, WallClock};
use crate::problem::ApiError;
use crate::sealed_token;
use axum::http::{HeaderMap, header};
use collie_app::auth::github_client;
use collie_app::backend::Backend;
use collie_core::error_code::{ErrorCode, ErrorHint};
use collie_core::ids::{AccountId, Login};
use collie_core::user_error::UserError;
use collie_engine::ports::{BrowserSession, EndedSessions};
use collie_github::{GitHubClient, Token, TokenSource};
use secrecy::ExposeSecret as _;
use sha2::{Digest as _, Sha256};
use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};
use tokio_util::sync::CancellationToken;

/// More people than these are not signed in at once; the one that asked longest ago goes.
const MAX_SESSIONS: usize = 10_000;
/// More tokens than these are not remembered.
const MAX_TOKENS: usize = 1_000;
/// A clock may stand so much before the beginning of a session that it began.
const CLOCK_TOLERANCE_MS: u64 = 5 * 60_000;
/// A session that another server may end is looked for again after so long.
const SHARED_FOR: Duration = Duration::from_secs(2);
/// The bytes of a session's id.
const ID_BYTES: usize = 32;

type Hash = [u8; 32];

/// A person, and GitHub as they see it.
pub(crate) struct Person {
    pub(crate) login: Login,
    pub(crate) id: AccountId,
    pub(crate) github: Arc<GitHubClient>,
}

/// A request's person, and what ends with their session.
#[derive(Clone)]
pub(crate) struct SignedIn {
    pub(crate) person: Arc<Person>,
    pub(crate) expires: Instant,
    pub(crate) ended: CancellationToken,
    /// A browser sent the cookie by itself, whoever's page asked.
    pub(crate) by_cookie: bool,
}

struct Session {
    signed_in: SignedIn,
    used: Instant,
    /// When it was last known to be kept; none where it could not be.
    kept: Option<Instant>,
}

/// Everybody who is signed in.
pub(crate) struct People {
    lifetime: Duration,
    token_ttl: Duration,
    clock: WallClock,
    backend: Backend,
    sessions: Mutex<HashMap<Hash, Session>>,
    tokens: Mutex<HashMap<Hash, SignedIn>>,
    cookie: &'static str,
    /// Held while a session from before a restart is taken up: a page asks many things at once.
    reviving: tokio::sync::Mutex<()>,
}

impl People {
    pub(crate) fn new(options: &ServerOptions, backend: Backend) -> Self {
        Self {
            lifetime: options.session_lifetime,
            token_ttl: options.access_ttl,
            clock: options.clock.clone(),
            backend,
            sessions: Mutex::default(),
            tokens: Mutex::default(),
            reviving: tokio::sync::Mutex::default(),
            // A name with this prefix is taken over TLS alone, from this host alone.
            cookie: match options.is_secure() {
                true => "__Host-collie",
                false => "collie",
            },
        }
    }

    /// Begins a session for a person, and keeps it for after a restart; gives the header that hands it to the browser.
    pub(crate) async fn begin(&self, person: Arc<Person>, token: &str) -> String {
        let id = hex::encode(rand::random::<[u8; ID_BYTES]>());
        let (account, login) = (person.id, person.login.clone());
        let begun_at = self.clock.now();
        self.hold(hash(&id), person, self.lifetime);
        let kept = sealed_token::seal(&id, account.0, token).map(|sealed| BrowserSession {
            id_hash: hex::encode(hash(&id)),
            account,
            login,
            begun_at,
            expires_at: begun_at.plus(millis(self.lifetime)),
            sealed,
        });
        if let Some(kept) = kept
            && let Err(error) = self.backend.keep_browser_session(&kept, begun_at).await
        {
            // The person is in all the same: a restart signs them out.
            tracing::warn!(code = error.code.as_str(), "a session could not be kept");
            if let Some(session) = lock(&self.sessions).get_mut(&hash(&id)) {
                session.kept = None;
            }
        }
        self.cookie_header(&id, self.lifetime.as_secs())
    }

    /// Has a session in memory, for so long.
    fn hold(&self, key: Hash, person: Arc<Person>, lifetime: Duration) -> SignedIn {
        let now = Instant::now();
        let signed_in = SignedIn {
            person,
            expires: now + lifetime,
            ended: CancellationToken::new(),
            by_cookie: true,
        };
        let mut sessions = lock(&self.sessions);
        sessions.retain(|_, session| session.signed_in.is_valid(now));
        if sessions.len() >= MAX_SESSIONS {
            let oldest = sessions.iter().min_by_key(|(_, session)| session.used);
            if let Some(oldest) = oldest.map(|(hash, _)| *hash)
                && let Some(gone) = sessions.remove(&oldest)
            {
                gone.signed_in.ended.cancel();
            }
        }
        let held = Session {
            signed_in: signed_in.clone(),
            used: now,
            kept: Some(now),
        };
        sessions.insert(key, held);
        signed_in
    }

    /// Ends the session that a request carries; gives the header that takes the cookie away.
    pub(crate) async fn end(&self, headers: &HeaderMap) -> Result<String, ApiError> {
        if let Some(id) = self.cookie_of(headers) {
            let key = hash(&id);
            if let Some(session) = lock(&self.sessions).remove(&key) {
                session.signed_in.ended.cancel();
            }
            let ended = EndedSessions::One(hex::encode(key));
            self.backend.end_browser_sessions(&ended).await?;
        }
        Ok(self.cookie_header("", 0))
    }

    /// Ends everything of a person: they have signed out everywhere, or GitHub does not accept their token any more.
    pub(crate) async fn end_all(&self, person: &Person) -> Result<(), ApiError> {
        let is_theirs = |signed_in: &SignedIn| signed_in.person.id == person.id;
        lock(&self.sessions).retain(|_, session| keep_unless(&session.signed_in, is_theirs));
        lock(&self.tokens).retain(|_, signed_in| keep_unless(signed_in, is_theirs));
        let ended = EndedSessions::OfAccount(person.id);
        Ok(self.backend.end_browser_sessions(&ended).await?)
    }

    /// How many sessions there are.
    pub(crate) fn count(&self) -> usize {
        let now = Instant::now();
        (lock(&self.sessions).values())
            .filter(|session| session.signed_in.is_valid(now))
            .count()
    }

    /// The person of a session, if the request carries one that holds; one from before a restart is taken up again, once GitHub still knows
    /// its token.
    pub(crate) async fn by_session(
        &self,
        headers: &HeaderMap,
    ) -> Result<Option<SignedIn>, ApiError> {
        let Some(id) = self.cookie_of(headers) else {
            return Ok(None);
        };
        let key = hash(&id);
        if let Some(known) = self.by_held_session(&key) {
            return Ok(match self.is_ended_elsewhere(&key).await {
                true => None,
                false => known,
            });
        }
        let kept = self.backend.browser_session(&hex::encode(key)).await?;
        let Some(kept) = kept else { return Ok(None) };
        let Some(left) = self.left_of(&kept) else {
            return Ok(None);
        };
        let Some(token) = sealed_token::open(&id, kept.account.0, &kept.sealed) else {
            return Ok(None);
        };
        let _turn = self.reviving.lock().await;
        if let Some(known) = self.by_held_session(&key) {
            return Ok(known);
        }
        let config = self.backend.config_now()?;
        match vouch(&config, token.expose_secret()).await {
            Ok(person) if person.id == kept.account => Ok(Some(self.hold(key, person, left))),
            Ok(_) => Ok(None),
            Err(ApiError(error)) if error.code == ErrorCode::BadToken => {
                let ended = EndedSessions::One(hex::encode(key));
                self.backend.end_browser_sessions(&ended).await?;
                Ok(None)
            }
            // An outage ends no session.
            Err(error) => Err(error),
        }
    }

    /// Whether another server with the same database has ended a session that this process holds. An outage ends none.
    async fn is_ended_elsewhere(&self, key: &Hash) -> bool {
        if !self.backend.shares_sessions() || !self.is_due(key) {
            return false;
        }
        match self.backend.browser_session(&hex::encode(key)).await {
            Ok(Some(_)) => false,
            Ok(None) => {
                if let Some(session) = lock(&self.sessions).remove(key) {
                    session.signed_in.ended.cancel();
                }
                true
            }
            Err(error) => {
                tracing::warn!(
                    code = error.code.as_str(),
                    "a session could not be looked for"
                );
                false
            }
        }
    }

    /// Whether a session was not looked for since a while; it is then taken as looked for.
    fn is_due(&self, key: &Hash) -> bool {
        let now = Instant::now();
        let mut sessions = lock(&self.sessions);
        let kept = sessions.get_mut(key).and_then(|it| it.kept.as_mut());
        let Some(kept) = kept.filter(|kept| now.duration_since(**kept) >= SHARED_FOR) else {
            return false;
        };
        *kept = now;
        true
    }

    /// The person of a session that this process knows; the inner nothing where it is over.
    fn by_held_session(&self, key: &Hash) -> Option<Option<SignedIn>> {
        let now = Instant::now();
        let mut sessions = lock(&self.sessions);
        let session = sessions.get_mut(key)?;
        if !session.signed_in.is_valid(now) {
            session.signed_in.ended.cancel();
            sessions.remove(key);
            return Some(None);
        }
        session.used = now;
        Some(Some(session.signed_in.clone()))
    }

    /// How long a session from before a restart still lasts; none where it is over. By a clock that now stands before its beginning nothing
    /// can be told, and so it is over too.
    fn left_of(&self, kept: &BrowserSession) -> Option<Duration> {
        let now = self.clock.now();
        let is_possible = now.plus(CLOCK_TOLERANCE_MS) >= kept.begun_at;
        let left = Duration::from_millis(kept.expires_at.since(now)).min(self.lifetime);
        (is_possible && !left.is_zero()).then_some(left)
    }

    /// The person of a token that GitHub has vouched for a moment ago.
    pub(crate) fn by_known_token(&self, token: &str) -> Option<SignedIn> {
        let known = lock(&self.tokens).get(&hash(token)).cloned()?;
        known.is_valid(Instant::now()).then_some(known)
    }

    /// Remembers whose token it is, for a moment.
    pub(crate) fn remember_token(&self, token: &str, person: Arc<Person>) -> SignedIn {
        let now = Instant::now();
        let signed_in = SignedIn {
            person,
            expires: now + self.token_ttl,
            ended: CancellationToken::new(),
            by_cookie: false,
        };
        let mut tokens = lock(&self.tokens);
        if tokens.len() >= MAX_TOKENS {
            tokens.retain(|_, known| known.is_valid(now));
        }
        if tokens.len() < MAX_TOKENS {
            tokens.insert(hash(token), signed_in.clone());
        }
        signed_in
    }

    fn cookie_header(&self, id: &str, max_age: u64) -> String {
        let secure = match self.cookie.starts_with("__Host-") {
            true => "; Secure",
            false => "",
        };
        let name = self.cookie;
        format!("{name}={id}; Path=/; HttpOnly; SameSite=Strict; Max-Age={max_age}{secure}")
    }

    fn cookie_of(&self, headers: &HeaderMap) -> Option<String> {
        let lines = headers.get_all(header::COOKIE).iter();
        let pairs = lines
            .filter_map(|line| line.to_str().ok())
            .flat_map(|line| line.split(';'));
        let mut ids = pairs.filter_map(|pair| {
            let (name, id) = pair.trim().split_once('=')?;
            (name == self.cookie).then(|| id.to_owned())
        });
        let first = ids.next()?;
        // Two of one name come from two hands.
        ids.next().is_none().then_some(first)
    }
}

impl SignedIn {
    fn is_valid(&self, now: Instant) -> bool {
        now < self.expires && !self.ended.is_cancelled()
    }
}

fn keep_unless(signed_in: &SignedIn, is_gone: impl Fn(&SignedIn) -> bool) -> bool {
    let gone = is_gone(signed_in);
    if gone {
        signed_in.ended.cancel();
    }
    !gone
}

/// Asks GitHub whose a token is.
pub(crate) async fn vouch(
    config: &collie_config::Config,
    text: &str,
) -> Result<Arc<Person>, ApiError> {
    let token = Token::new(text.trim())
        .ok_or_else(|| UserError::new(ErrorCode::TokenShape).hint(ErrorHint::NewToken))?;
    let github = github_client(config, &TokenSource::Given(token)).await;
    let github = github.map_err(UserError::from)?;
    let actor = github.sign_in().await.map_err(UserError::from)?;
    Ok(Arc::new(Person {
        login: actor.login,
        id: actor.id,
        github,
    }))
}

/// The token of an `Authorization` header.
pub(crate) fn bearer_token(headers: &HeaderMap) -> Option<&str> {
    let value = headers.get(header::AUTHORIZATION)?.to_str().ok()?;
    let (scheme, token) = value.split_once(' ')?;
    let is_known = ["bearer", "token"].contains(&scheme.to_ascii_lowercase().as_str());
    is_known.then(|| token.trim())
}

fn hash(text: &str) -> Hash {
    Sha256::digest(text.as_bytes()).into()
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    // Nothing can panic while the lock is held, so what a poisoned one holds is whole.
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

fn millis(duration: Duration) -> u64 {
    u64::try_from(duration.as_millis()).unwrap_or(u64::MAX)
}
