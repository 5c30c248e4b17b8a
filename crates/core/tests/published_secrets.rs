//! Secrets as a scanner publishes them, each in every way of writing it: what of them is still there after redaction.

use collie_core::text::{REDACTED, find_secrets, redact};
use serde::Deserialize;
use std::collections::BTreeMap;

/// The published cases; `data/README.md` says where they are from.
const CASES: &str = include_str!("data/gitleaks_cases.json");

/// Stands all over the cases, so that no scanner takes the file itself for a leak.
const SPLICE: char = '¦';

/// The least share of cases that have to be found, in percent.
const MIN_RECALL: usize = 95;

#[derive(Deserialize)]
struct PublishedCases {
    /// Ways to write a value `{s}` beside the name `{i}`, or `{I}` in capitals.
    samples: Vec<String>,
    cases: Vec<PublishedCase>,
}

#[derive(Deserialize)]
struct PublishedCase {
    rule: String,
    /// A whole text; or else a name and its secret, for all samples.
    text: Option<String>,
    name: Option<String>,
    secret: Option<String>,
}

impl PublishedCase {
    /// The texts, each with what must be gone from it where that is known.
    fn texts(&self, samples: &[String]) -> Vec<(String, Option<String>)> {
        let plain = |text: &String| text.replace(SPLICE, "");
        if let (Some(name), Some(secret)) = (&self.name, self.secret.as_ref().map(plain)) {
            let fill = |sample: &String| {
                let text = sample
                    .replace("{i}", name)
                    .replace("{I}", &name.to_uppercase());
                (text.replace("{s}", &secret), Some(secret.clone()))
            };
            return samples.iter().map(fill).collect();
        }
        self.text.iter().map(|text| (plain(text), None)).collect()
    }
}

fn is_redacted(text: &str, secret: Option<&str>) -> bool {
    let out = redact(text, &[]);
    match secret {
        Some(secret) => !out.contains(secret),
        None => out.contains(REDACTED),
    }
}

#[test]
fn what_a_scanner_publishes_as_secret_is_redacted() {
    let published: PublishedCases = serde_json::from_str(CASES).expect("the cases are JSON");
    let mut by_rule: BTreeMap<&str, (usize, usize)> = BTreeMap::new();
    let mut missed = Vec::new();
    for case in &published.cases {
        let (found, all) = by_rule.entry(&case.rule).or_default();
        for (text, secret) in case.texts(&published.samples) {
            *all += 1;
            if is_redacted(&text, secret.as_deref()) {
                *found += 1;
            } else {
                missed.push(format!("{}: {text}", case.rule));
            }
        }
    }
    let found: usize = by_rule.values().map(|(found, _)| found).sum();
    let all: usize = by_rule.values().map(|(_, all)| all).sum();
    let whole = by_rule.values().filter(|(found, all)| found == all).count();
    let figures = format!(
        "{found} of {all} cases, {whole} of {} rules wholly",
        by_rule.len()
    );
    println!("{figures}");
    if std::env::var_os("COLLIE_SHOW_MISSED").is_some() {
        println!("{}", missed.join("\n"));
    }
    assert!(by_rule.len() >= 200, "{figures}");
    assert!(
        found * 100 >= all * MIN_RECALL,
        "{figures}; missed:\n{}",
        missed.join("\n")
    );
    // Its case names a kind of account, and holds no secret.
    by_rule.remove("gcp-service-account");
    let silent: Vec<_> = by_rule
        .iter()
        .filter(|(_, (found, _))| *found == 0)
        .collect();
    assert!(silent.is_empty(), "nothing is found of {silent:?}");
}

#[test]
fn a_large_text_without_secrets_costs_one_pass() {
    let text = "let total = items.iter().map(|item| item.price * item.count).sum::<u64>();\n";
    assert!(find_secrets(text.repeat(20_000).as_bytes()).is_empty());
}
