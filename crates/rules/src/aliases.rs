//! What other linters call the rules.

use std::collections::BTreeMap;

use crate::ruleset::RuleSet;

/// For each rule that other linters know too, by its id, what they call it.
pub type RuleAliases = BTreeMap<String, Vec<String>>;

/// The names of the shipped rules with a repository's own on top, its files as paths and bytes.
#[must_use]
pub fn rule_aliases(files: &[(String, Vec<u8>)]) -> RuleAliases {
    let text = |(path, bytes): &(String, Vec<u8>)| {
        (path.clone(), String::from_utf8_lossy(bytes).into_owned())
    };
    let texts: Vec<(String, String)> = files.iter().map(text).collect();
    let (rules, _) = RuleSet::with_repository(&texts);
    rules.aliases()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_repositorys_rule_brings_its_names() {
        let yaml = concat!(
            "id: no-print\nlanguage: Python\nmessage: no\nrule: { pattern: print($X) }\n",
            "metadata: { aliases: [T201] }\n---\nid: python-is-literal\nseverity: off\n",
        );
        let path = ".collie/rules/a.yml".to_owned();
        let aliases = rule_aliases(&[(path, yaml.as_bytes().to_vec())]);
        assert_eq!(aliases["no-print"], ["T201"]);
        assert!(aliases["python-self-assign"].contains(&"PLW0127".to_owned()));
        assert!(!aliases.contains_key("python-is-literal"), "switched off");
        assert!(!aliases.contains_key("broken-syntax"), "nobody else's");
    }
}
