//! Tokens of services that gitleaks' default rules leave out; their prefixes are in the services' own documentation.

use super::form::{SecretForm, token};

/// Sorted by id.
pub(super) const MORE_TOKENS: &[SecretForm] = &[
    token(
        "azure-sas-signature",
        &["sig="],
        r"(?i)[?&]sig=([a-z0-9%+/]{43,}(?:=|%3d))",
        3.5,
    ),
    token(
        "buildkite-api-token",
        &["bkua_"],
        r"\bbkua_[a-f0-9]{40}",
        3.0,
    ),
    token(
        "circleci-personal-token",
        &["ccipat_"],
        r"\bCCIPAT_[A-Za-z0-9]{16,}_[a-f0-9]{40}",
        3.0,
    ),
    token(
        "contentful-management-token",
        &["cfpat-"],
        r"\bCFPAT-[A-Za-z0-9_-]{40,}",
        3.5,
    ),
    token("crates-io-token", &["cio"], r"\bcio[A-Za-z0-9]{32}\b", 4.0),
    token(
        "discord-bot-token",
        &["."],
        r"\b[MNO][A-Za-z0-9_-]{23,25}\.[A-Za-z0-9_-]{6}\.[A-Za-z0-9_-]{27,38}\b",
        4.0,
    ),
    token(
        "discord-webhook",
        &["/api/webhooks/"],
        r"discord(?:app)?\.com/api/webhooks/\d{17,20}/([\w-]{60,})",
        3.5,
    ),
    token(
        "docker-access-token",
        &["dckr_"],
        r"\bdckr_(?:pat|oat)_[A-Za-z0-9_-]{20,}",
        3.0,
    ),
    token(
        "doppler-token",
        &["dp."],
        r"\bdp\.(?:st|ct|sa|scim|audit)\.[A-Za-z0-9_.-]{40,}",
        3.5,
    ),
    token(
        "figma-token",
        &["figd_", "figo_"],
        r"\bfig[do]_[A-Za-z0-9_-]{36,}",
        3.5,
    ),
    token(
        "google-oauth-refresh-token",
        &["1//0"],
        r"\b1//0[A-Za-z0-9_-]{40,}",
        4.0,
    ),
    token("groq-api-key", &["gsk_"], r"\bgsk_[A-Za-z0-9]{40,}", 3.5),
    token(
        "langsmith-api-key",
        &["lsv2_"],
        r"\blsv2_(?:pt|sk)_[a-f0-9]{32}_[a-f0-9]{10}",
        3.0,
    ),
    token(
        "mailchimp-key",
        &["-us"],
        r"\b[a-f0-9]{32}-us[0-9]{1,2}\b",
        3.0,
    ),
    token("mailgun-key", &["key-"], r"\bkey-[a-f0-9]{32}\b", 3.0),
    token(
        "mapbox-secret-token",
        &["sk.eyj"],
        r"\bsk\.eyJ[A-Za-z0-9_-]{60,}\.[A-Za-z0-9_-]{20,}",
        3.5,
    ),
    token("neon-api-key", &["napi_"], r"\bnapi_[a-z0-9]{60,}", 3.5),
    token("netlify-token", &["nfp_"], r"\bnfp_[A-Za-z0-9]{36,}", 3.5),
    token(
        "new-relic-key",
        &["nrak-", "nrii-"],
        r"\bNR(?:AK|II)-[A-Za-z0-9-]{27,32}",
        3.0,
    ),
    token(
        "notion-integration-secret",
        &["secret_"],
        r"\bsecret_[A-Za-z0-9]{43}\b",
        4.0,
    ),
    token(
        "pinecone-api-key",
        &["pcsk_"],
        r"\bpcsk_[A-Za-z0-9_]{40,}",
        3.5,
    ),
    token(
        "posthog-personal-key",
        &["phx_"],
        r"\bphx_[A-Za-z0-9]{40,}",
        3.5,
    ),
    token(
        "putty-private-key",
        &["private-lines"],
        r"Private-Lines: \d+\r?\n((?:[A-Za-z0-9+/=]{20,64}\s+)+)",
        3.5,
    ),
    token("render-api-key", &["rnd_"], r"\brnd_[A-Za-z0-9]{28,}", 3.5),
    token(
        "replicate-api-token",
        &["r8_"],
        r"\br8_[A-Za-z0-9]{37}\b",
        3.5,
    ),
    token(
        "resend-api-key",
        &["re_"],
        r"\bre_[A-Za-z0-9]{8}_[A-Za-z0-9]{24}\b",
        3.5,
    ),
    token(
        "supabase-token",
        &["sbp_", "sb_secret_"],
        r"\b(?:sbp_[a-f0-9]{40}|sb_secret_[A-Za-z0-9_-]{20,})",
        3.0,
    ),
    token(
        "tavily-api-key",
        &["tvly-"],
        r"\btvly-[A-Za-z0-9-]{30,}",
        3.5,
    ),
    token(
        "telegram-token",
        &[":aa"],
        r"\b[0-9]{8,10}:AA[A-Za-z0-9_-]{33}\b",
        4.0,
    ),
    token(
        "wandb-api-key",
        &["wandb_"],
        r"\bwandb_v1_[A-Za-z0-9_]{40,}",
        3.5,
    ),
    token("xai-api-key", &["xai-"], r"\bxai-[A-Za-z0-9]{70,}", 3.5),
];
