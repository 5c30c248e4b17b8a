//! Globs on paths of a repository, as people write them in settings.

use globset::GlobBuilder;

/// Whether one of these globs is for a path: `*` stays within a folder, `**` does not. What is no glob is for none.
#[must_use]
pub fn matches_any_glob(globs: &[String], path: &str) -> bool {
    globs.iter().any(|glob| {
        let glob = glob.strip_prefix('/').unwrap_or(glob);
        let built = GlobBuilder::new(glob).literal_separator(true).build();
        built.is_ok_and(|glob| glob.compile_matcher().is_match(path))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn globs_are_for_the_paths_that_they_name() {
        let matches = |glob: &str, path: &str| matches_any_glob(&[glob.to_owned()], path);
        for (glob, path, expect) in [
            ("**", "a/b.rs", true),
            ("**/*", "b.rs", true),
            ("**/*.rs", "b.rs", true),
            ("**/*.rs", "a/b/c.rs", true),
            ("*.rs", "a/b.rs", false),
            ("src/**/*.ts", "src/a/b.ts", true),
            ("/src/*.ts", "src/b.ts", true),
            ("src/**/*.{ts,tsx}", "src/a/b.tsx", true),
            ("src", "src/b.ts", false),
            ("[", "[", false),
            ("", "a", false),
        ] {
            assert_eq!(matches(glob, path), expect, "{glob} {path}");
        }
        assert!(matches_any_glob(&["[".into(), "*.rs".into()], "a.rs"));
    }
}
