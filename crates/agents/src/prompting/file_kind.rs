//! Sorts of files by their paths: what a reviewer should see first, and what steers tools.

/// What a file is to a reviewer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum FileKind {
    /// What runs.
    Code,
    /// What checks it.
    Test,
    /// What people read.
    Prose,
    /// What tools write.
    Generated,
}

const LOCK_FILES: [&str; 18] = [
    "cargo.lock",
    "package-lock.json",
    "npm-shrinkwrap.json",
    "yarn.lock",
    "pnpm-lock.yaml",
    "bun.lock",
    "bun.lockb",
    "deno.lock",
    "poetry.lock",
    "pdm.lock",
    "uv.lock",
    "pipfile.lock",
    "gemfile.lock",
    "composer.lock",
    "go.sum",
    "mix.lock",
    "podfile.lock",
    "flake.lock",
];
const GENERATED_FOLDERS: [&str; 7] = [
    "generated",
    "__generated__",
    "dist",
    "vendor",
    "node_modules",
    "third_party",
    "__snapshots__",
];
const GENERATED_ENDINGS: [&str; 11] = [
    ".min.js", ".min.css", ".map", ".snap", ".pb.go", "_pb2.py", ".pb.cc", ".pb.h", ".g.dart",
    ".g.cs", ".svg",
];
const TEST_FOLDERS: [&str; 9] = [
    "test",
    "tests",
    "__tests__",
    "spec",
    "specs",
    "testdata",
    "fixtures",
    "e2e",
    "testing",
];
const PROSE_ENDINGS: [&str; 7] = [".md", ".mdx", ".rst", ".txt", ".adoc", ".org", ".markdown"];

/// What a file is, by its path alone: its content could pretend.
pub(super) fn file_kind(path: &str) -> FileKind {
    let lower = path.to_lowercase();
    let (folders, name) = lower.rsplit_once('/').unwrap_or(("", &lower));
    let in_folder = |names: &[&str]| folders.split('/').any(|part| names.contains(&part));
    if LOCK_FILES.contains(&name)
        || in_folder(&GENERATED_FOLDERS)
        || GENERATED_ENDINGS.iter().any(|end| name.ends_with(end))
    {
        return FileKind::Generated;
    }
    let stem = name.split('.').next().unwrap_or(name);
    let tests = in_folder(&TEST_FOLDERS)
        || stem.starts_with("test_")
        || stem.ends_with("_test")
        || stem.ends_with("_spec")
        || stem == "conftest"
        || name.contains(".test.")
        || name.contains(".spec.")
        || is_camel_case_test(path);
    if tests {
        return FileKind::Test;
    }
    let prose = PROSE_ENDINGS.iter().any(|end| name.ends_with(end))
        || ["license", "changelog", "authors", "notice"].contains(&name);
    if prose {
        FileKind::Prose
    } else {
        FileKind::Code
    }
}

/// `OrderTest.java`, `OrdersTests.cs`.
fn is_camel_case_test(path: &str) -> bool {
    let name = path.rsplit('/').next().unwrap_or(path);
    let stem = name.split('.').next().unwrap_or(name);
    ["Test", "Tests", "Spec"]
        .iter()
        .any(|end| stem.len() > end.len() && stem.ends_with(end))
}

/// Whether a file steers agents or tools (§9.3): the pull request's version of it is never obeyed.
pub fn is_tool_config(path: &str) -> bool {
    let lower = path.to_lowercase();
    let parts: Vec<&str> = lower.split('/').collect();
    let Some((name, folders)) = parts.split_last() else {
        return false;
    };
    let folder = |part: &&str| {
        matches!(
            *part,
            ".claude"
                | ".cursor"
                | ".gemini"
                | ".codex"
                | ".opencode"
                | ".goose"
                | ".agents"
                | ".husky"
                | ".githooks"
        ) || part.starts_with(".collie")
    };
    let file = matches!(
        *name,
        ".mcp.json"
            | "agents.md"
            | "agents.override.md"
            | "claude.md"
            | "claude.local.md"
            | "gemini.md"
            | "copilot-instructions.md"
            | ".cursorrules"
            | ".windsurfrules"
            | ".goosehints"
            | ".gitmodules"
            | ".gitattributes"
            | "opencode.json"
            | "opencode.jsonc"
    ) || name.starts_with(".collie");
    file || folders.iter().any(folder)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_are_sorted_by_their_paths() {
        for (path, expect) in [
            ("src/main.rs", FileKind::Code),
            ("src/latest/contest.py", FileKind::Code),
            ("Dockerfile", FileKind::Code),
            ("config/app.yaml", FileKind::Code),
            ("tests/it.rs", FileKind::Test),
            ("src/a_test.go", FileKind::Test),
            ("src/test_a.py", FileKind::Test),
            ("ui/App.test.tsx", FileKind::Test),
            ("src/OrderTest.java", FileKind::Test),
            ("README.md", FileKind::Prose),
            ("LICENSE", FileKind::Prose),
            ("Cargo.lock", FileKind::Generated),
            ("ui/package-lock.json", FileKind::Generated),
            ("api/v1/x.pb.go", FileKind::Generated),
            ("vendor/lib/a.c", FileKind::Generated),
            ("", FileKind::Code),
        ] {
            assert_eq!(file_kind(path), expect, "{path}");
        }
    }

    #[test]
    fn files_that_steer_tools_are_known() {
        for path in [
            "AGENTS.md",
            "sub/CLAUDE.md",
            ".claude/settings.json",
            ".mcp.json",
            ".cursor/rules/a.mdc",
            ".collie.toml",
            ".collie/rules/a.yml",
            ".github/copilot-instructions.md",
            ".gitmodules",
        ] {
            assert!(is_tool_config(path), "{path}");
        }
        for path in ["src/agents.rs", "docs/claude/notes.md", "collie.toml", ""] {
            assert!(!is_tool_config(path), "{path}");
        }
    }
}
