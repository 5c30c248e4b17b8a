//! The agents that Collie knows (§6.1), as data.

use super::spec::{AgentSpec, AuthBy, FileHint, LoginHints, Modes};

/// The agents that Collie looks for by itself. Any other that speaks ACP is a spec that the user wrote.
pub fn known() -> Vec<AgentSpec> {
    vec![claude_code(), codex(), gemini(), opencode(), goose()]
}

fn claude_code() -> AgentSpec {
    AgentSpec {
        id: "claude-code".into(),
        name: "Claude Code".into(),
        command: words(&["claude-agent-acp"]),
        // The version of the Claude Code in it.
        version_args: words(&["--cli", "--version"]),
        env_allowed: words(&[
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
        login: LoginHints {
            env: words(&[
                "CLAUDE_CODE_OAUTH_TOKEN",
                "ANTHROPIC_API_KEY",
                "ANTHROPIC_AUTH_TOKEN",
            ]),
            files: vec![hint("CLAUDE_CONFIG_DIR", ".claude", ".credentials.json")],
            perhaps: vec![hint("CLAUDE_CONFIG_DIR", ".claude", "settings.json")],
            unseen: true,
        },
        auth: Vec::new(),
        modes: Modes {
            fixer: words(&["default"]),
            reviewer: words(&["dontAsk", "default"]),
        },
        extra_env: Vec::new(),
        reviewer_env: Vec::new(),
    }
}

fn codex() -> AgentSpec {
    AgentSpec {
        id: "codex".into(),
        name: "Codex".into(),
        command: words(&["codex-acp"]),
        version_args: words(&["--version"]),
        env_allowed: words(&[
            "OPENAI_API_KEY",
            "CODEX_API_KEY",
            "OPENAI_BASE_URL",
            "CODEX_HOME",
            "CODEX_PATH",
        ]),
        login: LoginHints {
            env: words(&["OPENAI_API_KEY", "CODEX_API_KEY"]),
            files: vec![hint("CODEX_HOME", ".codex", "auth.json")],
            perhaps: vec![hint("CODEX_HOME", ".codex", "config.toml")],
            unseen: false,
        },
        auth: auth(&["CODEX_API_KEY", "OPENAI_API_KEY"], "api-key"),
        modes: Modes {
            fixer: words(&["workspace-write", "auto"]),
            reviewer: words(&["read-only"]),
        },
        // Nobody sits before the browser that a login would open.
        extra_env: vec![("NO_BROWSER".into(), "1".into())],
        reviewer_env: Vec::new(),
    }
}

fn gemini() -> AgentSpec {
    AgentSpec {
        id: "gemini".into(),
        name: "Gemini CLI".into(),
        command: words(&["gemini", "--acp"]),
        version_args: words(&["--version"]),
        env_allowed: words(&[
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
        login: LoginHints {
            env: words(&[
                "GEMINI_API_KEY",
                "GOOGLE_API_KEY",
                "GOOGLE_APPLICATION_CREDENTIALS",
            ]),
            files: vec![hint("", ".gemini", "oauth_creds.json")],
            perhaps: vec![hint("", ".gemini", "settings.json")],
            unseen: true,
        },
        auth: auth(&["GEMINI_API_KEY"], "gemini-api-key"),
        modes: Modes {
            fixer: words(&["default"]),
            reviewer: words(&["default"]),
        },
        extra_env: Vec::new(),
        reviewer_env: Vec::new(),
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
        id: "opencode".into(),
        name: "OpenCode".into(),
        command: words(&["opencode", "acp"]),
        version_args: words(&["--version"]),
        env_allowed: words(&[
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
        login: LoginHints {
            env: words(&[
                "ANTHROPIC_API_KEY",
                "OPENAI_API_KEY",
                "GEMINI_API_KEY",
                "OPENROUTER_API_KEY",
                "OPENCODE_API_KEY",
            ]),
            files: vec![hint("XDG_DATA_HOME", ".local/share", "opencode/auth.json")],
            perhaps: Vec::new(),
            // Some of its models want no login.
            unseen: true,
        },
        auth: Vec::new(),
        modes: Modes::default(),
        extra_env: vec![
            permit("ask", "ask"),
            ("OPENCODE_DISABLE_AUTOUPDATE".into(), "1".into()),
        ],
        reviewer_env: vec![permit("deny", "deny")],
    }
}

fn goose() -> AgentSpec {
    AgentSpec {
        id: "goose".into(),
        name: "Goose".into(),
        command: words(&["goose", "acp"]),
        version_args: words(&["--version"]),
        env_allowed: words(&[
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
        login: LoginHints {
            env: Vec::new(),
            files: vec![hint("XDG_CONFIG_HOME", ".config", "goose/secrets.yaml")],
            perhaps: vec![hint("XDG_CONFIG_HOME", ".config", "goose/config.yaml")],
            unseen: true,
        },
        auth: Vec::new(),
        modes: Modes {
            fixer: words(&["approve"]),
            reviewer: words(&["approve"]),
        },
        // Its default does everything without a question.
        extra_env: vec![("GOOSE_MODE".into(), "approve".into())],
        reviewer_env: Vec::new(),
    }
}

fn auth(variables: &[&str], method: &str) -> Vec<AuthBy> {
    let by = |variable: &&str| AuthBy {
        variable: (*variable).to_owned(),
        method: method.to_owned(),
    };
    variables.iter().map(by).collect()
}

fn words(words: &[&str]) -> Vec<String> {
    words.iter().map(|word| (*word).to_owned()).collect()
}

fn hint(variable: &str, folder: &str, name: &str) -> FileHint {
    FileHint {
        variable: variable.into(),
        folder: folder.into(),
        name: name.into(),
    }
}

#[cfg(test)]
mod tests {
    use super::known;

    #[test]
    fn every_known_agent_is_named_once_and_gets_no_github_token() {
        let agents = known();
        let mut ids: Vec<_> = agents.iter().map(|agent| agent.id.as_str()).collect();
        ids.sort_unstable();
        assert_eq!(ids, ["claude-code", "codex", "gemini", "goose", "opencode"]);
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
            for name in &agent.login.env {
                assert!(
                    agent.env_allowed.contains(name),
                    "{}: {name} proves a login that it does not get",
                    agent.id
                );
            }
        }
    }
}
