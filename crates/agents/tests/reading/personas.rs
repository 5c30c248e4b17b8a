//! Personas: the shipped ones, and the user's own.

use collie_agents::prompting::{built_in_personas, parse_persona, parse_personas};

#[test]
fn three_personas_ship() {
    let names: Vec<String> = built_in_personas().into_iter().map(|p| p.name).collect();
    assert_eq!(names, ["priya", "quinn", "sam"]);
    let (_, errors) = parse_personas(&[]);
    assert_eq!(errors, []);
    let quinn = built_in_personas().remove(1);
    assert_eq!(quinn.may_escalate_to, ["sam"]);
}

#[test]
fn a_persona_of_ones_own_is_read_or_told_what_is_wrong() {
    let check = |text: &str, expect: &[&str]| match parse_persona("p.md", text) {
        Ok(persona) => assert_eq!(expect, [format!("ok {}", persona.name)], "{text}"),
        Err(errors) => {
            let said: Vec<String> = errors.iter().map(ToString::to_string).collect();
            assert_eq!(said, expect, "{text}");
        }
    };
    let good = "---\nname: ada\ntitle: API reviewer\nfocus: You look at interfaces.\nmay_escalate_to: [sam]\n---\nLook well.\n";
    check(good, &["ok ada"]);
    check(&good.replace('\n', "\r\n"), &["ok ada"]);
    check(&format!("\u{feff}{good}"), &["ok ada"]);
    check(&good.replace("may_escalate_to: [sam]\n", ""), &["ok ada"]);
    check(&good.replace("[sam]", "sam"), &["ok ada"]);
    check(&good.replace("[sam]", "\n  - sam"), &["ok ada"]);
    let no_front = "p.md, line 1: no front matter: expected `---`, then lines such as `name: quinn`, then `---`, then the persona's words";
    check("", &[no_front]);
    check("Look well.", &[no_front]);
    check("---\nname: ada\nLook well.", &[no_front]);
    check(
        &good.replace("focus:", "foccus:"),
        &[
            "p.md, line 4, `foccus`: unknown key: expected one of `name`, `title`, `focus`, `may_escalate_to`; did you mean `focus`?",
            "p.md: `focus` is missing: expected a line of at most 300 characters that says what this persona looks at",
        ],
    );
    check(
        &good.replace("name: ada", "name: Ada B"),
        &[
            "p.md, line 2, `name`: \"Ada B\" does not fit: expected a word of lower-case letters, digits and `-`, at most 40 characters, such as `quinn`",
        ],
    );
    check(
        &good.replace("API reviewer", "[1, 2]"),
        &[
            "p.md, line 3, `title`: [1,2] does not fit: expected a line of at most 80 characters, such as `quality reviewer`",
        ],
    );
    check(
        &good.replace("[sam]", "{a: 1}"),
        &[
            "p.md, line 5, `may_escalate_to`: {\"a\":1} does not fit: expected a list of names of personas, such as `[sam]`",
        ],
    );
    check(
        &good.replace("Look well.", ""),
        &[
            "p.md: 0 characters below the front matter: expected how this persona reviews, in 1 to 8000 characters",
        ],
    );
}

#[test]
fn broken_yaml_names_its_line() {
    for (text, line) in [
        ("---\nname: ada\ntitle: [a\n---\nx", "p.md, line "),
        ("---\nname: ada\nname: bob\n---\nx", "p.md, line 3: "),
        ("---\n- a\n---\nx", "p.md, line 2: "),
    ] {
        let errors = parse_persona("p.md", text).unwrap_err();
        assert_eq!(errors.len(), 1);
        assert!(errors[0].to_string().starts_with(line), "{}", errors[0]);
    }
}

#[test]
fn an_escalation_must_name_a_persona_that_there_is() {
    let file = |name: &str, to: &str| {
        let text =
            format!("---\nname: {name}\ntitle: T\nfocus: F\nmay_escalate_to: [{to}]\n---\nx\n");
        (format!(".collie/personas/{name}.md"), text)
    };
    let (personas, errors) = parse_personas(&[file("ada", "samm"), file("bob", "ada")]);
    assert_eq!(personas.len(), 5);
    assert_eq!(errors.len(), 1);
    assert_eq!(
        errors[0].to_string(),
        ".collie/personas/ada.md, line 5, `may_escalate_to`: \"samm\" does not fit: expected a persona that there is: `ada`, `bob`, `priya`, `quinn`, `sam`; did you mean `sam`?"
    );
    // One's own takes the place of a shipped one.
    let (personas, errors) = parse_personas(&[file("quinn", "priya")]);
    assert_eq!((personas.len(), errors.len()), (3, 0));
    assert_eq!(personas[1].title, "T");
}
