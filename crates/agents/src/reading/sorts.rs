//! Sorts of files by their paths: what a reviewer should see first, and what steers tools.

/// What a file is to a reviewer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Sort {
    /// What runs.
    Code,
    /// What checks it.
    Test,
    /// What people read.
    Prose,
    /// What tools write.
    Generated,
}

const LOCKS: [&str; 18] = [
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
pub(super) fn sort_of(path: &str) -> Sort {
    let lower = path.to_lowercase();
    let (folders, name) = lower.rsplit_once('/').unwrap_or(("", &lower));
    let in_folder = |names: &[&str]| folders.split('/').any(|part| names.contains(&part));
    if LOCKS.contains(&name)
        || in_folder(&GENERATED_FOLDERS)
        || GENERATED_ENDINGS.iter().any(|end| name.ends_with(end))
    {
        return Sort::Generated;
    }
    let stem = name.split('.').next().unwrap_or(name);
    let tests = in_folder(&TEST_FOLDERS)
        || stem.starts_with("test_")
        || stem.ends_with("_test")
        || stem.ends_with("_spec")
        || stem == "conftest"
        || name.contains(".test.")
        || name.contains(".spec.")
        || camel_test(path);
    if tests {
        return Sort::Test;
    }
    let prose = PROSE_ENDINGS.iter().any(|end| name.ends_with(end))
        || ["license", "changelog", "authors", "notice"].contains(&name);
    if prose { Sort::Prose } else { Sort::Code }
}

/// `OrderTest.java`, `OrdersTests.cs`.
fn camel_test(path: &str) -> bool {
    let name = path.rsplit('/').next().unwrap_or(path);
    let stem = name.split('.').next().unwrap_or(name);
    ["Test", "Tests", "Spec"]
        .iter()
        .any(|end| stem.len() > end.len() && stem.ends_with(end))
}

/// Whether a file steers agents or tools (§9.3): the pull request's version of it is never obeyed.
pub fn steers_tools(path: &str) -> bool {
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
            ("src/main.rs", Sort::Code),
            ("src/latest/contest.py", Sort::Code),
            ("Dockerfile", Sort::Code),
            ("config/app.yaml", Sort::Code),
            ("tests/it.rs", Sort::Test),
            ("src/a_test.go", Sort::Test),
            ("src/test_a.py", Sort::Test),
            ("ui/App.test.tsx", Sort::Test),
            ("src/OrderTest.java", Sort::Test),
            ("README.md", Sort::Prose),
            ("LICENSE", Sort::Prose),
            ("Cargo.lock", Sort::Generated),
            ("ui/package-lock.json", Sort::Generated),
            ("api/v1/x.pb.go", Sort::Generated),
            ("vendor/lib/a.c", Sort::Generated),
            ("", Sort::Code),
        ] {
            assert_eq!(sort_of(path), expect, "{path}");
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
            assert!(steers_tools(path), "{path}");
        }
        for path in ["src/agents.rs", "docs/claude/notes.md", "collie.toml", ""] {
            assert!(!steers_tools(path), "{path}");
        }
    }
}
