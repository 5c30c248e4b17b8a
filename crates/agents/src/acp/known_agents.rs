//! The agents that Collie knows (§6.1), as data.

use super::spec::{AgentSpec, EnvAuthMethod, FileHint, LoginHints, SessionModes};
use collie_sandbox::HostPattern;
use std::path::PathBuf;
use strum::{IntoStaticStr, VariantArray, VariantNames};

/// An agent that Collie looks for by itself. Any other that speaks ACP is a spec that the user wrote.
#[derive(Clone, Copy, Debug, PartialEq, Eq, IntoStaticStr, VariantArray, VariantNames)]
#[strum(serialize_all = "kebab-case")]
pub enum KnownAgent {
    /// Anthropic's.
    ClaudeCode,
    /// OpenAI's.
    Codex,
    /// Google's.
    Gemini,
    /// OpenCode.
    #[strum(serialize = "opencode")]
    OpenCode,
    /// Goose.
    Goose,
}

impl KnownAgent {
    /// Their names, in the order shown.
    pub const NAMES: &[&str] = <Self as VariantNames>::VARIANTS;

    /// The name in the configuration.
    pub fn name(self) -> &'static str {
        self.into()
    }

    fn spec(self) -> AgentSpec {
        match self {
            Self::ClaudeCode => claude_code(),
            Self::Codex => codex(),
            Self::Gemini => gemini(),
            Self::OpenCode => opencode(),
            Self::Goose => goose(),
        }
    }
}

/// Where the models are that agents of no maker's own can be set to.
const MODEL_HOSTS: &[&str] = &[
    "api.anthropic.com",
    "api.openai.com",
    "generativelanguage.googleapis.com",
    "openrouter.ai",
];

/// How each of [`KnownAgent`] is started, in the order shown.
pub fn known_agents() -> Vec<AgentSpec> {
    <KnownAgent as VariantArray>::VARIANTS
        .iter()
        .map(|agent| agent.spec())
        .collect()
}

fn claude_code() -> AgentSpec {
    AgentSpec {
        id: KnownAgent::ClaudeCode.name().into(),
        name: "Claude Code".into(),
        command: strings(&["claude-agent-acp"]),
        // The version of the Claude Code in it.
        version_args: strings(&["--cli", "--version"]),
        env_allowed: strings(&[
            "CLAUDE_CODE_OAUTH_TOKEN",
            "ANTHROPIC_API_KEY",
            "ANTHROPIC_AUTH_TOKEN",
            "ANTHROPIC_BASE_URL",
            "ANTHROPIC_MODEL",
            "CLAUDE_CONFIG_DIR",
            "CLAUDE_CODE_EXECUTABLE",
            "IS_SANDBOX",
            // The keychain of macOS is asked by the user's name.
            "USER",
        ]),
        program_variables: strings(&["CLAUDE_CODE_EXECUTABLE"]),
        url_variables: strings(&["ANTHROPIC_BASE_URL"]),
        hosts: hosts(&[
            "api.anthropic.com",
            "claude.ai",
            "console.anthropic.com",
            "platform.claude.com",
        ]),
        login_hints: LoginHints {
            env: strings(&[
                "CLAUDE_CODE_OAUTH_TOKEN",
                "ANTHROPIC_API_KEY",
                "ANTHROPIC_AUTH_TOKEN",
            ]),
            files: vec![file_hint(
                "CLAUDE_CONFIG_DIR",
                ".claude",
                ".credentials.json",
            )],
            possible_files: vec![file_hint("CLAUDE_CONFIG_DIR", ".claude", "settings.json")],
            works_without_hints: true,
        },
        env_auth: Vec::new(),
        modes: SessionModes {
            fixer: strings(&["default"]),
            reviewer: strings(&["dontAsk", "default"]),
        },
        extra_env: Vec::new(),
        reviewer_env: Vec::new(),
        ..AgentSpec::default()
    }
}

fn codex() -> AgentSpec {
    AgentSpec {
        id: KnownAgent::Codex.name().into(),
        name: "Codex".into(),
        command: strings(&["codex-acp"]),
        version_args: strings(&["--version"]),
        env_allowed: strings(&[
            "OPENAI_API_KEY",
            "CODEX_API_KEY",
            "OPENAI_BASE_URL",
            "CODEX_HOME",
            "CODEX_PATH",
        ]),
        program_variables: strings(&["CODEX_PATH"]),
        url_variables: strings(&["OPENAI_BASE_URL"]),
        hosts: hosts(&["api.openai.com", "auth.openai.com", "chatgpt.com"]),
        login_hints: LoginHints {
            env: strings(&["OPENAI_API_KEY", "CODEX_API_KEY"]),
            files: vec![file_hint("CODEX_HOME", ".codex", "auth.json")],
            possible_files: vec![file_hint("CODEX_HOME", ".codex", "config.toml")],
            works_without_hints: false,
        },
        env_auth: env_auth_methods(&["CODEX_API_KEY", "OPENAI_API_KEY"], "api-key"),
        modes: SessionModes {
            fixer: strings(&["workspace-write", "auto"]),
            reviewer: strings(&["read-only"]),
        },
        // Its commands run in a bubblewrap of its own in every other mode.
        sandboxed_modes: SessionModes {
            fixer: strings(&["agent-full-access"]),
            reviewer: strings(&["agent-full-access"]),
        },
        // Nobody sits before the browser that a login would open.
        extra_env: vec![("NO_BROWSER".into(), "1".into())],
        reviewer_env: Vec::new(),
        ..AgentSpec::default()
    }
}

fn gemini() -> AgentSpec {
    AgentSpec {
        id: KnownAgent::Gemini.name().into(),
        name: "Gemini CLI".into(),
        command: strings(&["gemini", "--acp"]),
        version_args: strings(&["--version"]),
        env_allowed: strings(&[
            "GEMINI_API_KEY",
            "GOOGLE_API_KEY",
            "GOOGLE_GENAI_USE_VERTEXAI",
            "GOOGLE_CLOUD_PROJECT",
            "GOOGLE_CLOUD_LOCATION",
            "GOOGLE_APPLICATION_CREDENTIALS",
            "GOOGLE_GEMINI_BASE_URL",
            "GEMINI_MODEL",
            "USER",
        ]),
        path_variables: strings(&["GOOGLE_APPLICATION_CREDENTIALS"]),
        url_variables: strings(&["GOOGLE_GEMINI_BASE_URL"]),
        hosts: hosts(&[
            "aiplatform.googleapis.com",
            "cloudcode-pa.googleapis.com",
            "generativelanguage.googleapis.com",
            "oauth2.googleapis.com",
        ]),
        home_files: vec![
            file_hint("", ".gemini", "google_accounts.json"),
            file_hint("", ".gemini", "installation_id"),
        ],
        login_hints: LoginHints {
            env: strings(&[
                "GEMINI_API_KEY",
                "GOOGLE_API_KEY",
                "GOOGLE_APPLICATION_CREDENTIALS",
            ]),
            files: vec![file_hint("", ".gemini", "oauth_creds.json")],
            possible_files: vec![file_hint("", ".gemini", "settings.json")],
            works_without_hints: true,
        },
        env_auth: env_auth_methods(&["GEMINI_API_KEY"], "gemini-api-key"),
        modes: SessionModes {
            fixer: strings(&["default"]),
            reviewer: strings(&["default"]),
        },
        extra_env: Vec::new(),
        reviewer_env: Vec::new(),
        ..AgentSpec::default()
    }
}

fn opencode() -> AgentSpec {
    // By itself it edits and runs commands without a question. A no to a question ends its turn, so what a role never may
    // is denied from the start.
    let permit = |edit: &str, bash: &str| {
        let denied = r#""webfetch":"deny","websearch":"deny","external_directory":"deny""#;
        let config = format!(r#"{{"permission":{{"edit":"{edit}","bash":"{bash}",{denied}}}}}"#);
        ("OPENCODE_CONFIG_CONTENT".to_owned(), config)
    };
    AgentSpec {
        id: KnownAgent::OpenCode.name().into(),
        name: "OpenCode".into(),
        command: strings(&["opencode", "acp"]),
        version_args: strings(&["--version"]),
        env_allowed: strings(&[
            "ANTHROPIC_API_KEY",
            "OPENAI_API_KEY",
            "GEMINI_API_KEY",
            "OPENROUTER_API_KEY",
            "OPENCODE_API_KEY",
            "OPENCODE_CONFIG",
            "OPENCODE_CONFIG_DIR",
            "XDG_CONFIG_HOME",
            "XDG_DATA_HOME",
            "XDG_STATE_HOME",
            "XDG_CACHE_HOME",
        ]),
        path_variables: strings(&["OPENCODE_CONFIG", "OPENCODE_CONFIG_DIR"]),
        hosts: hosts(&[MODEL_HOSTS, &["models.dev", "opencode.ai"]].concat()),
        home_files: vec![
            file_hint("XDG_CONFIG_HOME", ".config", "opencode/opencode.json"),
            file_hint("XDG_CONFIG_HOME", ".config", "opencode/opencode.jsonc"),
        ],
        state_folders: folders(&[".local/state/opencode", ".cache/opencode"]),
        login_hints: LoginHints {
            env: strings(&[
                "ANTHROPIC_API_KEY",
                "OPENAI_API_KEY",
                "GEMINI_API_KEY",
                "OPENROUTER_API_KEY",
                "OPENCODE_API_KEY",
            ]),
            files: vec![file_hint(
                "XDG_DATA_HOME",
                ".local/share",
                "opencode/auth.json",
            )],
            possible_files: Vec::new(),
            // Some of its models want no login.
            works_without_hints: true,
        },
        env_auth: Vec::new(),
        modes: SessionModes::default(),
        extra_env: vec![
            permit("ask", "ask"),
            ("OPENCODE_DISABLE_AUTOUPDATE".into(), "1".into()),
        ],
        reviewer_env: vec![permit("deny", "deny")],
        ..AgentSpec::default()
    }
}

fn goose() -> AgentSpec {
    AgentSpec {
        id: KnownAgent::Goose.name().into(),
        name: "Goose".into(),
        command: strings(&["goose", "acp"]),
        version_args: strings(&["--version"]),
        env_allowed: strings(&[
            "GOOSE_PROVIDER",
            "GOOSE_MODEL",
            "GOOSE_DISABLE_KEYRING",
            "ANTHROPIC_API_KEY",
            "OPENAI_API_KEY",
            "OPENAI_HOST",
            "GOOGLE_API_KEY",
            "OPENROUTER_API_KEY",
            "OLLAMA_HOST",
            "XDG_CONFIG_HOME",
            "XDG_DATA_HOME",
            "XDG_STATE_HOME",
            "USER",
        ]),
        url_variables: strings(&["OPENAI_HOST", "OLLAMA_HOST"]),
        hosts: hosts(MODEL_HOSTS),
        state_folders: folders(&[".local/share/goose", ".local/state/goose"]),
        login_hints: LoginHints {
            env: Vec::new(),
            files: vec![file_hint(
                "XDG_CONFIG_HOME",
                ".config",
                "goose/secrets.yaml",
            )],
            possible_files: vec![file_hint("XDG_CONFIG_HOME", ".config", "goose/config.yaml")],
            works_without_hints: true,
        },
        env_auth: Vec::new(),
        modes: SessionModes {
            fixer: strings(&["approve"]),
            reviewer: strings(&["approve"]),
        },
        // Its default does everything without a question.
        extra_env: vec![("GOOSE_MODE".into(), "approve".into())],
        reviewer_env: Vec::new(),
        ..AgentSpec::default()
    }
}

fn env_auth_methods(variables: &[&str], method: &str) -> Vec<EnvAuthMethod> {
    let to_method = |variable: &&str| EnvAuthMethod {
        variable: (*variable).to_owned(),
        method: method.to_owned(),
    };
    variables.iter().map(to_method).collect()
}

fn strings(texts: &[&str]) -> Vec<String> {
    texts.iter().map(|word| (*word).to_owned()).collect()
}

/// Only what is a host is in the table above; a test holds it.
fn hosts(names: &[&str]) -> Vec<HostPattern> {
    names.iter().filter_map(|name| name.parse().ok()).collect()
}

fn folders(below_home: &[&str]) -> Vec<PathBuf> {
    below_home.iter().map(PathBuf::from).collect()
}

fn file_hint(variable: &str, folder: &str, name: &str) -> FileHint {
    FileHint {
        variable: variable.into(),
        folder: folder.into(),
        name: name.into(),
    }
}

#[cfg(test)]
mod tests {
    use super::known_agents;

    #[test]
    fn every_known_agent_is_named_once_and_gets_no_github_token() {
        let agents = known_agents();
        let ids: Vec<_> = agents.iter().map(|agent| agent.id.as_str()).collect();
        assert_eq!(ids, ["claude-code", "codex", "gemini", "opencode", "goose"]);
        assert_eq!(ids, super::KnownAgent::NAMES);
        let counts: Vec<usize> = agents.iter().map(|agent| agent.hosts.len()).collect();
        assert_eq!(counts, [4, 3, 4, 6, 4], "each name is a host");
        for agent in &agents {
            let names = agent
                .env_allowed
                .iter()
                .chain(agent.extra_env.iter().map(|(name, _)| name));
            for name in names {
                assert!(
                    !super::super::environment::is_withheld(name),
                    "{} would get {name}",
                    agent.id
                );
            }
            for name in &agent.login_hints.env {
                assert!(
                    agent.env_allowed.contains(name),
                    "{}: {name} proves a login that it does not get",
                    agent.id
                );
            }
        }
    }
}
