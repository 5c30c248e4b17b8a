//! GitHub Apps: who they are, where they are installed, and the tokens of these installations. They live as long as the process.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use jiff::{SignedDuration, Timestamp};
use ring::signature::{RSA_PKCS1_2048_8192_SHA256, UnparsedPublicKey};
use serde_json::Value;

use crate::clock;
use crate::model::{Account, AccountId, TokenLimits};

/// GitHub takes no JWT that is good for longer.
const MAX_JWT_S: i64 = 600;

/// An App, installed at one account.
#[derive(Debug, Clone)]
pub(crate) struct App {
    pub(crate) id: u64,
    pub(crate) installation: u64,
    pub(crate) slug: String,
    /// The account that it acts as.
    pub(crate) bot: Account,
    /// Who has installed it.
    pub(crate) owner: Account,
    /// DER of PKCS#1, as it stands in the certificate of the key.
    pub(crate) public_key: Vec<u8>,
    pub(crate) installed: bool,
    pub(crate) suspended_at: Option<Timestamp>,
    pub(crate) created_at: Timestamp,
    /// How long a token of its installation is good.
    pub(crate) token_lifetime: SignedDuration,
    /// What it was granted, `read` or `write` by GitHub's names.
    pub(crate) permissions: BTreeMap<String, String>,
}

/// All Apps, and the tokens of their installations.
#[derive(Debug, Default)]
pub(crate) struct Apps(Mutex<AppTables>);

#[derive(Debug, Default)]
pub(crate) struct AppTables {
    pub(crate) apps: BTreeMap<u64, App>,
    tokens: BTreeMap<String, InstallationToken>,
}

#[derive(Debug, Clone)]
struct InstallationToken {
    app: u64,
    expires_at: Timestamp,
    limits: Arc<TokenLimits>,
}

impl Apps {
    pub(crate) fn lock(&self) -> MutexGuard<'_, AppTables> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The account that an installation's token acts as, and what it is limited to; none once it has ended, or the installation has.
    pub(crate) fn bot_of(&self, token: &str) -> Option<(AccountId, Arc<TokenLimits>)> {
        let tables = self.lock();
        let known = tables.tokens.get(token)?;
        let app = tables.apps.get(&known.app)?;
        let is_good =
            app.installed && app.suspended_at.is_none() && Timestamp::now() < known.expires_at;
        is_good.then(|| (app.bot.id, known.limits.clone()))
    }
}

impl AppTables {
    /// Makes a token of an App's installation, limited to this.
    pub(crate) fn make_token(
        &mut self,
        app: u64,
        limits: TokenLimits,
    ) -> Option<(String, Timestamp)> {
        let lifetime = self.apps.get(&app)?.token_lifetime;
        let token = format!("ghs_{}", hex::encode(rand::random::<[u8; 20]>()));
        let expires_at = clock::now() + lifetime;
        let made = InstallationToken {
            app,
            expires_at,
            limits: Arc::new(limits),
        };
        self.tokens.insert(token.clone(), made);
        Some((token, expires_at))
    }

    /// The App that a JWT is of; GitHub's words where it is none.
    pub(crate) fn app_of_jwt(&self, jwt: &str, now: Timestamp) -> Result<&App, &'static str> {
        const UNREADABLE: &str = "A JSON web token could not be decoded";
        let (signed, signature) = jwt.rsplit_once('.').ok_or(UNREADABLE)?;
        let (_, claims) = signed.split_once('.').ok_or(UNREADABLE)?;
        let decode = |part: &str| URL_SAFE_NO_PAD.decode(part).map_err(|_| UNREADABLE);
        let claims: Value = serde_json::from_slice(&decode(claims)?).map_err(|_| UNREADABLE)?;
        let issuer = match &claims["iss"] {
            Value::String(text) => text.parse().ok(),
            other => other.as_u64(),
        };
        let app = issuer.and_then(|id| self.apps.get(&id));
        let app = app.ok_or("Integration not found")?;
        let key = UnparsedPublicKey::new(&RSA_PKCS1_2048_8192_SHA256, &app.public_key);
        let checked = key.verify(signed.as_bytes(), &decode(signature)?);
        checked.map_err(|_| UNREADABLE)?;
        let now = now.as_second();
        let second = |name: &str| claims[name].as_i64();
        match (second("iat"), second("exp")) {
            (Some(issued), _) if issued > now => Err(
                "'Issued at' claim ('iat') must be an Integer representing the time that the assertion was issued",
            ),
            (Some(_), Some(ends)) if ends <= now => Err(
                "'Expiration time' claim ('exp') must be a numeric value representing the future time at which the assertion expires",
            ),
            (Some(_), Some(ends)) if ends > now + MAX_JWT_S => {
                Err("'Expiration time' claim ('exp') is too far in the future")
            }
            (Some(_), Some(_)) => Ok(app),
            _ => Err(UNREADABLE),
        }
    }
}
