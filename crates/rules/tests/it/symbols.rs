//! Symbols: what files define and use, what a change touches of it, and where else that is used.

use collie_core::code_context::{CodeRole, FunctionSpan, RelatedCode, TextHit};
use collie_rules::symbols::{
    ChangedSource, ReferenceKind, SymbolChange, SymbolKind, TouchedSymbols, files_to_read,
    function_spans, outline, related_code, touched_symbols,
};
use std::collections::BTreeSet;

fn defined(path: &str, text: &str) -> Vec<(String, SymbolKind, (u32, u32))> {
    let found = outline(path, text).expect("a known language").definitions;
    let of = |one: collie_rules::symbols::Definition| (one.name, one.kind, (one.first, one.last));
    found.into_iter().map(of).collect()
}

fn names(path: &str, text: &str) -> Vec<String> {
    defined(path, text)
        .into_iter()
        .map(|(name, _, _)| name)
        .collect()
}

#[test]
fn definitions_are_known_in_each_language() {
    for (path, text, expect) in [
        (
            "a.rs",
            "const MAX: u32 = 1;\nstruct Point { across: i32 }\nenum Kind { Round }\ntrait Draw { fn draw(&self); }\nimpl Draw for Point { fn draw(&self) {} }\nmacro_rules! shout { () => {} }\ntype Alias = Point;\nstatic ONE: u8 = 1;\n",
            "MAX Point across Kind Round Draw draw draw shout Alias ONE",
        ),
        (
            "a.py",
            "LIMIT = 3\nclass Order:\n    rate = 1\n    def total(self):\n        local = 2\n        return local\n\n@cached\nasync def load(path):\n    pass\n",
            "LIMIT Order rate total load",
        ),
        (
            "a.js",
            "const LIMIT = 3;\nexport const add = (a, b) => a + b;\nexport function sub(a) { const local = 1; return a; }\nclass Cart { items = []; total() { return 0; } }\n",
            "LIMIT add sub Cart items total",
        ),
        (
            "a.ts",
            "export interface Order { id: string; total(): number }\nexport type Id = string;\nexport enum Kind { A }\nabstract class Base { abstract run(): void; }\nexport const parse = async (text: string): Promise<Id> => text;\n",
            "Order id total Id Kind Base run parse",
        ),
        ("a.tsx", "export function View() { return <b/>; }\n", "View"),
        (
            "a.go",
            "package a\n\nconst Max, Min = 2, 1\n\nvar Default = 1\n\ntype Reader struct { Size int }\n\ntype Doer interface { Do() error }\n\nfunc (r *Reader) Read(p []byte) int { local := 1; return local }\n\nfunc Open() *Reader { return nil }\n",
            "Max Min Default Reader Size Doer Do Read Open",
        ),
        (
            "A.java",
            "class A { static final int MAX = 1; A() {} int get() { int local = 1; return local; } enum Kind { ROUND } }\ninterface B { void run(); }\n",
            "A MAX A get Kind ROUND B run",
        ),
        (
            "a.rb",
            "LIMIT = 3\nmodule Shop\n  class Order\n    def total\n      local = 1\n    end\n    def self.load; end\n  end\nend\n",
            "LIMIT Shop Order total load",
        ),
        (
            "a.php",
            "<?php\nconst LIMIT = 3;\nfunction add($a) { return $a; }\nclass Cart { const MAX = 1; public function total() { return 0; } }\n",
            "LIMIT add Cart MAX total",
        ),
        (
            "a.kt",
            "class Cart { fun total(): Int = 0 }\nfun add(a: Int) = a\n",
            "Cart total add",
        ),
        (
            "a.swift",
            "class Cart { func total() -> Int { return 0 } }\nfunc add() {}\n",
            "Cart total add",
        ),
        (
            "A.scala",
            "class Cart { def total: Int = 0 }\nobject Shop\n",
            "Cart total Shop",
        ),
        (
            "a.cs",
            "class Cart { public int Total() { return 0; } int Size { get; set; } }\n",
            "Cart Total Size",
        ),
        (
            "a.c",
            "#define LIMIT 3\n#define SQUARE(x) ((x)*(x))\nstruct point { int x; };\nenum kind { ROUND };\ntypedef int number;\nstatic int *add(int a) { int local = a; return 0; }\n",
            "LIMIT SQUARE point kind ROUND number add",
        ),
        (
            "a.cpp",
            "class Cart { int total() { return 0; } };\nint Cart::count() { return 1; }\n",
            "Cart total count",
        ),
        (
            "a.lua",
            "function add(a) return a end\nfunction shop.total() end\n",
            "add total",
        ),
        ("a.sh", "add() { echo 1; }\n", "add"),
    ] {
        assert_eq!(names(path, text).join(" "), expect, "{path}");
    }
    for path in [
        "a.json",
        "a.yaml",
        "README.md",
        "a.css",
        "a.bin",
        "Makefile",
    ] {
        assert_eq!(outline(path, "a: 1"), None, "{path}");
    }
}

#[test]
fn a_definition_has_what_stands_right_above_it() {
    let rust = "use a;\n\n/// Adds.\n#[inline]\npub fn add(\n    a: u32,\n) -> u32 {\n    a\n}\n";
    assert_eq!(
        function_spans("a.rs", rust),
        [FunctionSpan {
            first: 3,
            last: 9,
            signature_last: 7
        }]
    );
    let python =
        "x = 1\n\n# Adds.\n@cached(1)\n@other\ndef add(a,\n        b):\n    return a\n\n\ny = 2\n";
    assert_eq!(
        function_spans("a.py", python),
        [FunctionSpan {
            first: 3,
            last: 8,
            signature_last: 7
        }]
    );
    let ts = "// Adds.\nexport const add = (\n  a: number,\n) => {\n  return a;\n};\n";
    assert_eq!(
        function_spans("a.ts", ts),
        [FunctionSpan {
            first: 1,
            last: 6,
            signature_last: 4
        }]
    );
    assert_eq!(function_spans("a.md", "# a\n"), []);
}

#[test]
fn a_name_in_a_comment_or_a_string_is_no_use() {
    for (path, text, lines) in [
        (
            "a.rs",
            "// load()\nfn a() {\n    load(1); let x = \"load(2)\"; /* load */\n    foo!(load(3));\n    b::load::<u8>(1);\n}\n",
            vec![3, 4, 5],
        ),
        (
            "a.py",
            "# load()\n'''load()'''\ndef a():\n    x = 'load(1)'\n    self.load(2)\n    y = f'{load(3)}'\n",
            vec![5, 6],
        ),
        (
            "a.ts",
            "// load()\nconst a = 'load()';\nconst b = `load ${load(1)}`;\nx?.load?.(2);\nload<Foo>(3);\n",
            vec![3, 4, 5],
        ),
        (
            "a.go",
            "package a\n// load()\nfunc a() {\n\tx := \"load()\"\n\tb.load(1)\n}\n",
            vec![5],
        ),
        (
            "A.java",
            "class A { // load()\n String a = \"load()\";\n int b() { return this.load(1); } }\n",
            vec![3],
        ),
        ("a.rb", "# load\nputs 'load(1)'\nload(2)\n", vec![3]),
    ] {
        let outline = outline(path, text).unwrap();
        let uses = outline.references.iter().filter(|one| one.name == "load");
        let calls: Vec<u32> = uses
            .inspect(|one| assert_eq!(one.kind, ReferenceKind::Call, "{path}:{}", one.line))
            .map(|one| one.line)
            .collect();
        assert_eq!(calls, lines, "{path}");
    }
}

#[test]
fn how_a_name_is_used_is_told() {
    let kinds = |path: &str, text: &str| -> Vec<(String, ReferenceKind)> {
        let outline = outline(path, text).unwrap();
        let uses = outline.references.into_iter();
        uses.map(|one| (one.name, one.kind)).collect()
    };
    let rust = kinds(
        "a.rs",
        "use a::Foo;\nfn f(x: Bar) { Baz { a: 1 }; let y = MAX; }\n",
    );
    for expect in [
        ("Foo", ReferenceKind::Import),
        ("Bar", ReferenceKind::Type),
        ("Baz", ReferenceKind::Call),
        ("MAX", ReferenceKind::Other),
    ] {
        let expect = (expect.0.to_owned(), expect.1);
        assert!(rust.contains(&expect), "{expect:?} in {rust:?}");
    }
    let python = kinds("a.py", "from a import Foo\n@wrap\ndef f(): pass\n");
    assert!(
        python.contains(&("Foo".into(), ReferenceKind::Import)),
        "{python:?}"
    );
    assert!(
        python.contains(&("wrap".into(), ReferenceKind::Call)),
        "{python:?}"
    );
    let tsx = kinds("a.tsx", "const a = <View x={1} />; const b = new Cart();\n");
    assert!(
        tsx.contains(&("View".into(), ReferenceKind::Call)),
        "{tsx:?}"
    );
    assert!(
        tsx.contains(&("Cart".into(), ReferenceKind::Call)),
        "{tsx:?}"
    );
}

/// What a change touches; lines are told apart by which side has them.
fn touched(files: &[(&str, Option<&str>, Option<&str>)]) -> TouchedSymbols {
    let lines_lacking = |text: Option<&str>, other: Option<&str>| -> BTreeSet<u32> {
        let other: Vec<&str> = other.unwrap_or_default().lines().collect();
        let lines = text.unwrap_or_default().lines().zip(1..);
        let gone = lines.filter(|(line, _)| !other.contains(line));
        gone.map(|(_, number)| number).collect()
    };
    let sets: Vec<(BTreeSet<u32>, BTreeSet<u32>)> = files
        .iter()
        .map(|(_, before, after)| {
            (
                lines_lacking(*after, *before),
                lines_lacking(*before, *after),
            )
        })
        .collect();
    let sources: Vec<ChangedSource<'_>> = files
        .iter()
        .zip(&sets)
        .map(|((path, before, after), (added, removed))| ChangedSource {
            path,
            before: *before,
            after: *after,
            added,
            removed,
        })
        .collect();
    touched_symbols(&sources)
}

fn changes(touched: &TouchedSymbols) -> Vec<(&str, SymbolChange)> {
    let symbols = touched.symbols.iter();
    symbols.map(|one| (one.name.as_str(), one.change)).collect()
}

#[test]
fn what_a_change_redefines_removes_and_uses_is_told() {
    let before = "fn gone() {}\nfn widened(a: u8) {\n    one();\n}\nfn inside() {\n    two();\n}\nfn same() {}\nstruct Point {\n    across: u8,\n}\nimpl Cart {\n    fn new() -> Self { Cart }\n}\n";
    let after = "fn widened(a: u8, b: u8) {\n    one();\n}\nfn inside() {\n    helper(LIMIT);\n}\nfn same() {}\nstruct Point {\n    across: u16,\n}\nimpl Cart {\n    fn new(size: u8) -> Self { Cart }\n}\n";
    let touched = touched(&[("src/a.rs", Some(before), Some(after))]);
    assert_eq!(
        changes(&touched),
        [
            ("gone", SymbolChange::Removed),
            ("Cart", SymbolChange::SignatureChanged),
            ("Point", SymbolChange::SignatureChanged),
            ("across", SymbolChange::SignatureChanged),
            ("widened", SymbolChange::SignatureChanged),
            ("LIMIT", SymbolChange::Used),
            ("helper", SymbolChange::Used),
            ("inside", SymbolChange::BodyChanged),
        ]
    );
    assert_eq!(touched.file_extensions(), ["rs"]);
}

#[test]
fn what_moves_within_the_change_is_not_removed() {
    let moved = "def load(path):\n    return open(path)\n";
    let changes_of = touched(&[
        ("a.py", Some(moved), Some("x = 1\n")),
        ("b.py", Some("y = 1\n"), Some(moved)),
    ]);
    let changes = changes(&changes_of);
    assert!(
        !changes
            .iter()
            .any(|(_, change)| *change == SymbolChange::Removed),
        "{changes:?}"
    );
    assert!(
        changes.contains(&("load", SymbolChange::SignatureChanged)),
        "{changes:?}"
    );
    // A file that is gone takes what it defined along.
    let gone = touched(&[("a.py", Some(moved), None)]);
    assert_eq!(gone.symbols[0].change, SymbolChange::Removed);
}

/// What a search would find in these files.
fn hits(files: &[(String, String)], words: &[String]) -> Vec<TextHit> {
    let mut out = Vec::new();
    for (path, text) in files {
        for (line, number) in text.lines().zip(1..) {
            if words.iter().any(|word| line.contains(word.as_str())) {
                let (path, text) = (path.clone(), line.to_owned());
                out.push(TextHit {
                    path,
                    line: number,
                    text,
                });
            }
        }
    }
    out
}

fn find(touched: &TouchedSymbols, files: &[(&str, &str)], changed: &[&str]) -> Vec<RelatedCode> {
    let all: Vec<(String, String)> = files
        .iter()
        .map(|(path, text)| ((*path).to_owned(), (*text).to_owned()))
        .collect();
    let changed: BTreeSet<&str> = changed.iter().copied().collect();
    let wanted = files_to_read(touched, &hits(&all, &touched.words()), &changed);
    let read: Vec<(String, String)> = wanted
        .iter()
        .filter_map(|path| all.iter().find(|(other, _)| other == path).cloned())
        .collect();
    related_code(touched, &read)
}

#[test]
fn definitions_and_call_sites_are_found_nearest_first() {
    let touched = touched(&[(
        "shop/orders.py",
        Some("def total(order):\n    return 1\n"),
        Some("def total(order, country):\n    return rate_of(country)\n"),
    )]);
    let files = [
        (
            "tests/test_orders.py",
            "def test():\n    assert total(1) == 1\n",
        ),
        (
            "web/views.py",
            "def view():\n    # total(9)\n    return total(2)\n",
        ),
        ("shop/cart.py", "def pay():\n    return total(3)\n"),
        (
            "shop/rates.py",
            "# Says the rate.\ndef rate_of(country):\n    return RATES[country]\n",
        ),
        ("shop/orders.py", "total(4)\n"),
        ("shop/notes.py", "# total(5)\nx = 'total(6)'\n"),
        ("shop/a.js", "total(7);\n"),
    ];
    let found = find(&touched, &files, &["shop/orders.py"]);
    let places: Vec<(&str, CodeRole, &str)> = found
        .iter()
        .map(|one| (one.symbol.as_str(), one.role, one.path.as_str()))
        .collect();
    assert_eq!(
        places,
        [
            ("total", CodeRole::CallSite, "shop/cart.py"),
            ("rate_of", CodeRole::Definition, "shop/rates.py"),
            ("total", CodeRole::CallSite, "web/views.py"),
            ("total", CodeRole::CallSite, "tests/test_orders.py"),
        ]
    );
    let lines: Vec<u32> = found[1].lines.iter().map(|(number, _)| *number).collect();
    assert_eq!(lines, [1, 2, 3]);
    assert_eq!(found[1].lines[1].1, "def rate_of(country):");
}

#[test]
fn a_call_deep_in_a_function_is_shown_with_its_beginning() {
    let touched = touched(&[(
        "a.py",
        Some("def load(a):\n    pass\n"),
        Some("def load(a, b):\n    pass\n"),
    )]);
    let body: String = (0..40).map(|n| format!("    step_{n}()\n")).collect();
    let far =
        format!("def caller(x):\n{body}    load(x)\n    after()\n\n\ndef other():\n    pass\n");
    let found = find(&touched, &[("b.py", far.as_str())], &["a.py"]);
    let lines: Vec<u32> = found[0].lines.iter().map(|(number, _)| *number).collect();
    assert_eq!(lines, [1, 38, 39, 40, 41, 42, 43]);
}

#[test]
fn odd_files_break_nothing() {
    let changed = "def load_all(a):\n    pass\n";
    let touched = touched(&[(
        "a.py",
        Some(changed),
        Some("def load_all(a, b):\n    pass\n"),
    )]);
    let nested = format!(
        "x = {}load_all(1){}\nload_all(2)\n",
        "[".repeat(5_000),
        "]".repeat(5_000)
    );
    let long = format!("y = load_all('{}')\n", "x".repeat(300_000));
    let many = "load_all(1)\n".repeat(20_000);
    let files = [
        ("nested.py", nested.as_str()),
        ("long.py", long.as_str()),
        ("many.py", many.as_str()),
        ("broken.py", "def ((( load_all(3)\n\u{fffd}\u{fffd}\n"),
        ("empty.py", ""),
    ];
    let found = find(&touched, &files, &["a.py"]);
    assert!(found.len() <= 5, "{}", found.len());
    assert!(
        found
            .iter()
            .all(|one| one.lines.iter().all(|(_, text)| text.len() <= 2_000))
    );
    // More names than are looked for, longer ones than there are, and none at all.
    let text: String = (0..500).map(|n| format!("call_{n}(Name{n})\n")).collect();
    let wide = touched_of_added("a.py", &text);
    assert_eq!(wide.symbols.len(), 80);
    assert!(
        touched_of_added("a.py", &format!("{}(1)\n", "n".repeat(10_000)))
            .symbols
            .is_empty()
    );
    assert!(touched_of_added("a.py", "").symbols.is_empty());
    assert!(
        touched_of_added("a.unknown", "load_all(1)\n")
            .symbols
            .is_empty()
    );
}

fn touched_of_added(path: &str, text: &str) -> TouchedSymbols {
    touched(&[(path, None, Some(text))])
}

/// A name that everybody uses says little: it takes neither all of the reading nor the place of the others.
#[test]
fn names_take_turns() {
    let common: Vec<String> = (0..12).map(|n| format!("common_{n:02}")).collect();
    let defined = |arguments: &str| -> String {
        let names = common.iter().map(String::as_str).chain(["seldom"]);
        names
            .map(|name| format!("def {name}({arguments}): pass\n"))
            .collect()
    };
    let (before, after) = (defined("a"), defined("a, b"));
    let touched = touched(&[("a.py", Some(&before), Some(&after))]);
    let mut files: Vec<(String, String)> = Vec::new();
    for name in &common {
        files.extend((0..10).map(|n| (format!("{name}_{n}.py"), format!("{name}(1)\n"))));
    }
    files.push(("z.py".into(), "seldom(1)\n".into()));
    let files: Vec<(&str, &str)> = files
        .iter()
        .map(|(path, text)| (path.as_str(), text.as_str()))
        .collect();
    let found = find(&touched, &files, &["a.py"]);
    assert!(found.iter().any(|one| one.path == "z.py"), "{found:?}");
}

#[test]
fn neither_a_definition_nor_another_language_is_a_call_site() {
    let touched = touched(&[(
        "shop/orders.py",
        Some("def total(order):\n    return 1\n"),
        Some("def total(order, country):\n    return 1\n"),
    )]);
    let files = [
        ("shop/other.py", "def total(line):\n    return 2\n"),
        ("web/page.js", "total(7);\n"),
        ("shop/cart.py", "def pay():\n    return total(3)\n"),
    ];
    let files = files.map(|(path, text)| (path.to_owned(), text.to_owned()));
    let found = related_code(&touched, &files);
    let paths: Vec<&str> = found.iter().map(|one| one.path.as_str()).collect();
    assert_eq!(paths, ["shop/cart.py"]);
}
