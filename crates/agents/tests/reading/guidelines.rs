//! Long guidelines: whole where there is room, in part where the change needs it.

use crate::fixtures::{
    changed_file, count_tokens, material, material_after_fix, render_prompt, text_file,
};
use collie_agents::prompting::{
    Material, Prompt, PromptPart, PromptTarget, ReviewPart, review_prompt,
};

const SECTIONS: usize = 90;

fn compose(material: &Material, budget: u32) -> Prompt {
    review_prompt(material, budget, &count_tokens, PromptTarget::Model).expect("it fits")
}

/// The one line of a section.
fn rule(number: usize) -> String {
    format!("Rule {number:03}: {}", "keep to it. ".repeat(30))
}

/// Guidelines of about 9,000 tokens, the last of them without a heading.
fn long_guidelines() -> String {
    let section = |n: usize| match n < 60 {
        true => format!("## Matter {n}\n\n{}\n\n", rule(n)),
        false => format!("{}\n\n", rule(n)),
    };
    (0..SECTIONS).map(section).collect()
}

fn with_long_guidelines(mut material: Material) -> Material {
    material.guidelines = vec![
        text_file("AGENTS.md", "Be brief.\n"),
        text_file("CONTRIBUTING.md", &long_guidelines()),
    ];
    material
}

/// How many of the sections are shown; each once at most.
fn shown_rules(prompt: &Prompt) -> usize {
    let text = render_prompt(prompt);
    let shown = (0..SECTIONS).filter(|n| {
        let times = text.matches(rule(*n).trim()).count();
        assert!(times <= 1, "{n} is shown {times} times");
        times == 1
    });
    shown.count()
}

fn lacks(prompt: &Prompt, is: fn(&PromptPart) -> bool) -> bool {
    prompt.omitted.iter().any(|left| is(&left.part))
}

fn is_guideline(part: &PromptPart) -> bool {
    matches!(part, PromptPart::Guideline { .. })
}

#[test]
fn long_guidelines_are_shown_whole_where_there_is_room() {
    for target in [PromptTarget::Model, PromptTarget::Agent] {
        let asked = with_long_guidelines(material());
        let prompt = review_prompt(&asked, 60_000, &count_tokens, target).unwrap();
        assert_eq!(shown_rules(&prompt), SECTIONS);
        assert_eq!(prompt.omitted, []);
    }
}

#[test]
fn what_is_left_of_guidelines_stands_in_their_order() {
    let prompt = compose(&with_long_guidelines(material()), 60_000);
    let rest = prompt
        .user
        .iter()
        .find(|part| part.starts_with("## The rest"));
    let rest = rest.expect("a section");
    assert_eq!(rest.matches("CONTRIBUTING.md").count(), 1, "{rest}");
    let numbers: Vec<&str> = rest
        .match_indices("Rule ")
        .map(|(at, _)| &rest[at + 5..at + 8])
        .collect();
    assert!(numbers.len() > 60 && numbers.is_sorted(), "{numbers:?}");
}

/// The change and all that helps to judge it come first.
#[test]
fn guidelines_get_what_is_left_and_take_no_room_from_the_change() {
    let mut asked = with_long_guidelines(material());
    let body: String = (0..1_000).map(|n| format!("line_{n} = {n}\n")).collect();
    asked.files = vec![changed_file("shop/long.py", None, Some(&body))];
    asked.guidelines[1]
        .text
        .push_str(&format!("## History\n\n{}\n", "It grew. ".repeat(8_000)));
    let (mut some, mut before) = (0, 0);
    for budget in (6_000..30_000).step_by(500) {
        let prompt = compose(&asked, budget);
        assert!(prompt.tokens <= budget);
        let shown = shown_rules(&prompt);
        if lacks(&prompt, |part| !is_guideline(part)) {
            assert!(shown < 20, "{shown} at {budget}: {:?}", prompt.omitted);
            continue;
        }
        assert!(lacks(&prompt, is_guideline), "{budget}");
        some += usize::from((20..SECTIONS).contains(&shown));
        assert!(shown >= before, "{shown} after {before} at {budget}");
        before = shown;
    }
    assert!(some > 3 && before == SECTIONS, "{some}, {before}");
}

/// What is told of as left out is told once, and in part where some of it is shown.
#[test]
fn guidelines_that_are_shown_in_part_are_named_once() {
    let mut asked = with_long_guidelines(material());
    asked.guidelines[1].text = asked.guidelines[1].text.repeat(10);
    let prompt = compose(&asked, 32_000);
    let named: Vec<_> = prompt
        .omitted
        .iter()
        .filter(|left| is_guideline(&left.part))
        .collect();
    assert_eq!(named.len(), 1, "{:?}", prompt.omitted);
    assert!(named[0].tokens > 50_000, "{named:?}");
    let told = prompt.user.last().unwrap();
    assert!(
        told.contains("guidelines CONTRIBUTING.md (in part)\n"),
        "{told}"
    );
}

/// A later round leaves them out on purpose, and all parts of a change have to begin alike.
#[test]
fn later_rounds_and_parts_of_a_change_are_not_given_the_rest() {
    let later = compose(&with_long_guidelines(material_after_fix()), 60_000);
    let mut in_part = with_long_guidelines(material());
    in_part.part = Some(ReviewPart {
        number: 1,
        total: 2,
        files: in_part.files.clone(),
        tokens: 500,
    });
    for prompt in [later, compose(&in_part, 60_000)] {
        assert!(shown_rules(&prompt) < 22);
        assert!(lacks(&prompt, is_guideline));
    }
}
