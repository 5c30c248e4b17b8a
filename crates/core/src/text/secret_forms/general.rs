//! Credentials of no service in particular.

use super::form::{Pattern, SecretForm, ValueCheck, token};

/// A name that says that its value is a secret.
const SECRET_NAMES: &str = "secret|token|passw(?:or)?d|passphrase|pwd|credentials?|creds|auth|api[_.-]?key|\
    (?:access|private|signing|encryption|encrypt|account|storage|shared|master|session|license|service|app|client|write|read|\
    admin|root|ssh|deploy|webhook|subscription|functions?|bot)[_.-]?key";

pub(super) const GENERAL: &[SecretForm] = &[
    SecretForm {
        id: "generic-api-key",
        keywords: &[
            "secret",
            "token",
            "passw",
            "passphrase",
            "pwd",
            "credential",
            "creds",
            "auth",
            "key",
        ],
        pattern: Pattern::Beside {
            name: SECRET_NAMES,
            value: r"[\w.=-]{10,150}|[a-z0-9][a-z0-9+/]{11,}={0,3}",
        },
        min_entropy: 3.0,
        check: ValueCheck::Random,
    },
    SecretForm {
        id: "quoted-password",
        keywords: &["passw", "passphrase", "pwd", "secret"],
        pattern: Pattern::Whole(
            r#"(?i)(?:passw(?:or)?d|passphrase|pwd|secret)[\w.-]{0,24}[\s'"\\\]]{0,4}(?::[ \t]*&?[a-z'_][\w<>&' ]{0,24})?(?:=|:{1,3}=|:|=>)\s{0,4}\\?["'\x60]((?:[^\s"'\x60<>{}$\\]|\$[^\s"'\x60<>{}$\\(]){8,64})\\?["'\x60]"#,
        ),
        min_entropy: 2.5,
        check: ValueCheck::Strong(4),
    },
    SecretForm {
        id: "environment-password",
        keywords: &["passw", "passphrase", "pwd", "secret", "token"],
        pattern: Pattern::Whole(
            r#"(?m)^[ \t]*(?:export[ \t]+|ENV[ \t]+|-[ \t]+)?[A-Z0-9_]*(?:PASSWORD|PASSWD|PASSPHRASE|PWD|SECRET|TOKEN)[A-Z0-9_]*=["']?([^\s"'<>{}$()\[\]\\,;]{8,100})["']?[ \t]*\r?$"#,
        ),
        min_entropy: 2.5,
        check: ValueCheck::Strong(2),
    },
    SecretForm {
        id: "connection-string-password",
        keywords: &["password", "pwd"],
        pattern: Pattern::Whole(
            r#"(?i);\s*(?:password|pwd)\s*=\s*([^;\s"'&<>{}$()]{6,64})\s*(?:;|["']|$)"#,
        ),
        min_entropy: 2.0,
        check: ValueCheck::Strong(2),
    },
    token(
        "authorization-header",
        &["authorization"],
        r#"(?i)\bauthorization["']?\s*[:=]\s*["']?(?:bearer|basic|token|api-token)\s+([0-9a-z._~+/=-]{8,})"#,
        2.5,
    ),
    token(
        "api-key-header",
        &["curl"],
        r#"(?i)\bcurl\b(?:[^\n]|\\\r?\n){0,600}?\s(?:-H|--header)[ =\t]{0,5}["'](?:authorization|(?:x-(?:[a-z]+-)?)?(?:api-?)?(?:key|token)):[ \t]{0,5}([\w=~@.+/-]{8,})["']"#,
        2.75,
    ),
    SecretForm {
        id: "curl-auth-user",
        keywords: &["curl"],
        pattern: Pattern::Whole(
            r#"\bcurl\b(?:[^\n]|\\\r?\n){0,600}?\s(?:-u|--user)[= \t]{0,5}["']?[^\s"':]{0,100}["']?:["']?([^\s"']{3,200})"#,
        ),
        min_entropy: 2.0,
        check: ValueCheck::Password,
    },
    SecretForm {
        id: "url-password",
        keywords: &["://"],
        pattern: Pattern::Whole(
            r"[a-zA-Z][a-zA-Z0-9+.-]{0,30}://[^\s/:@]{0,100}:([^\s/@]{3,200})@",
        ),
        min_entropy: 0.0,
        check: ValueCheck::Password,
    },
    token(
        "private-key",
        &["private key"],
        r#"-----BEGIN[ A-Z0-9_-]{0,100}PRIVATE KEY(?: BLOCK)?-----(?:\s|\\n|\\r|[\x22'+,]){1,40}([A-Za-z0-9+/=]{40,})"#,
        3.5,
    ),
];
