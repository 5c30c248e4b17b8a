//! Tests that are weakened, and tests that are changed honestly, language by language.

use super::{RUST, check};
use collie_engine::ports::Tamper::{DeletedTest, LinterSetting, LoosenedAssertion, SkippedTest};

#[test]
fn weakened_rust_tests_are_found() {
    let swap = |from: &str, to: &str| {
        assert!(RUST.contains(from), "{from}");
        RUST.replace(from, to)
    };
    let second = "        assert_eq!(add(2, 1), 3);\n";
    for (after, expect) in [
        (swap(second, ""), (7, LoosenedAssertion)),
        (
            swap(second, "        // assert_eq!(add(2, 1), 3);\n"),
            (7, LoosenedAssertion),
        ),
        (
            swap(second, "        assert!(true);\n"),
            (7, LoosenedAssertion),
        ),
        (
            swap(second, "        assert_eq!(3, 3);\n"),
            (7, LoosenedAssertion),
        ),
        (
            swap(second, "        assert_ne!(add(2, 1), 9);\n"),
            (7, LoosenedAssertion),
        ),
        (
            swap(second, "        let _ = \"assert_eq!(add(2, 1), 3)\";\n"),
            (7, LoosenedAssertion),
        ),
        (
            swap(
                "    fn one_and_one() {",
                "    fn one_and_one() {\n        return;",
            ),
            (7, SkippedTest),
        ),
        (
            swap("    #[test]\n", "    #[test]\n    #[ignore]\n"),
            (8, SkippedTest),
        ),
        (
            swap(
                "    #[test]\n",
                "    #[test]\n    #[cfg_attr(unix, ignore)]\n",
            ),
            (8, SkippedTest),
        ),
        (swap("#[cfg(test)]", "#[cfg(any())]"), (3, SkippedTest)),
        (swap("    #[test]\n", ""), (0, DeletedTest)),
        (
            swap("    #[tokio::test]\n", "    // #[tokio::test]\n"),
            (0, DeletedTest),
        ),
        (
            RUST[..RUST.find("    #[tokio").unwrap()].to_string() + "}\n",
            (0, DeletedTest),
        ),
        (
            "fn add(a: u8, b: u8) -> u8 { a + b }\n".to_string(),
            (0, DeletedTest),
        ),
    ] {
        check("src/lib.rs", RUST, &after, &[expect]);
    }
    let replaced = swap(
        "async fn none() {\n        assert_eq!(add(0, 0), 0);",
        "async fn talks() {\n        assert_eq!(speak(\"loud\").await.volume, Loud);",
    );
    check("src/lib.rs", RUST, &replaced, &[(0, DeletedTest)]);
    let renamed = swap("one_and_one", "sums").replace(second, "");
    check("src/lib.rs", RUST, &renamed, &[(7, LoosenedAssertion)]);
    check(
        "tests/it/main.rs",
        "mod a;\nmod b;\n",
        "mod a;\n",
        &[(0, DeletedTest)],
    );
    check(
        "src/lib.rs",
        "#[cfg(test)]\nmod tests;\n",
        "",
        &[(0, DeletedTest)],
    );
    check(
        "src/lib.rs",
        "#![deny(unsafe_code)]\nfn a() {}\n",
        "fn a() {}\n",
        &[(0, LinterSetting)],
    );
    let cases = "#[rstest]\n#[case(1, 2)]\n#[case(2, 3)]\nfn next(#[case] a: u8, #[case] b: u8) { assert_eq!(a + 1, b); }\n";
    check(
        "tests/a.rs",
        cases,
        &cases.replace("#[case(2, 3)]\n", ""),
        &[(0, DeletedTest), (1, DeletedTest)],
    );
    let table = "#[test]\nfn all() {\n    for (a, b) in [(1, 2), (2, 3)] {\n        assert_eq!(a + 1, b);\n    }\n}\n";
    check(
        "tests/a.rs",
        table,
        &table.replace(", (2, 3)", ""),
        &[(1, LoosenedAssertion)],
    );
    let helped = "fn check(a: u8, b: u8) {\n    assert_eq!(f(a), b);\n    assert!(g(a));\n}\n#[test]\nfn one() {\n    check(1, 2);\n    check(2, 3);\n}\n";
    check(
        "tests/a.rs",
        helped,
        &helped.replace("    assert!(g(a));\n", ""),
        &[(1, LoosenedAssertion)],
    );
    check(
        "tests/a.rs",
        helped,
        &helped.replace("    check(2, 3);\n", ""),
        &[(5, LoosenedAssertion)],
    );
}

#[test]
fn honest_changes_of_rust_tests_pass() {
    let swap = |from: &str, to: &str| {
        assert!(RUST.contains(from), "{from}");
        RUST.replace(from, to)
    };
    let second = "        assert_eq!(add(2, 1), 3);\n";
    let none =
        "    #[tokio::test]\n    async fn none() {\n        assert_eq!(add(0, 0), 0);\n    }\n";
    for after in [
        swap("fn one_and_one", "fn sums_of_small_numbers"),
        swap("a + b", "a.wrapping_add(b)"),
        swap("add(2, 1), 3", "add(2, 2), 4"),
        swap(second, "        assert!(add(2, 1) == 3, \"sum\");\n"),
        swap(second, "        assert_eq!(\n            add(2, 1),\n            3\n        );\n"),
        swap(second, "    }\n\n    #[test]\n    fn two_and_one() {\n        assert_eq!(add(2, 1), 3);\n"),
        swap(none, "").replace("    use super::*;\n", &format!("    use super::*;\n\n{none}")),
        swap(
            "        assert_eq!(add(1, 1), 2);\n        assert_eq!(add(2, 1), 3);\n",
            "        for (a, b, sum) in [(1, 1, 2), (2, 1, 3)] {\n            assert_eq!(add(a, b), sum);\n        }\n",
        ),
        swap(second, "        sums(2, 1, 3);\n").replace(
            "    use super::*;\n",
            "    use super::*;\n    fn sums(a: u8, b: u8, sum: u8) {\n        assert_eq!(add(a, b), sum);\n    }\n",
        ),
        swap("    use super::*;\n", "    use super::*;\n    // #[ignore] is not for us\n"),
        format!("{RUST}\n#[test]\nfn more() {{ assert!(true) }}\n"),
    ] {
        check("src/lib.rs", RUST, &after, &[]);
    }
    check(
        "src/lib.rs",
        "fn f() { assert!(a()); assert!(b()); }",
        "fn f() { assert!(a()); }",
        &[],
    );
    check("src/lib.rs", "mod a;\nmod b;\n", "mod a;\n", &[]);
    check("src/lib.rs", "", RUST, &[]);
}

#[test]
fn weakened_python_tests_are_found() {
    let before = "\
import pytest

@pytest.mark.parametrize(\"a, b\", [(1, 2), (2, 3)])
def test_next(a, b):
    assert a + 1 == b

class TestSum:
    def test_sum(self):
        \"\"\"assert nothing\"\"\"
        self.assertEqual(1 + 1, 2)
        with pytest.raises(ValueError):
            add(None)
";
    let swap = |from: &str, to: &str| {
        assert!(before.contains(from), "{from}");
        before.replace(from, to)
    };
    let raises = "        with pytest.raises(ValueError):\n            add(None)\n";
    for (after, expect) in [
        (
            swap(
                "    def test_sum",
                "    @pytest.mark.skip\n    def test_sum",
            ),
            vec![(8, SkippedTest)],
        ),
        (
            swap(
                "    def test_sum",
                "    @pytest.mark.xfail(reason=\"x\")\n    def test_sum",
            ),
            vec![(8, SkippedTest)],
        ),
        (
            swap(
                "    def test_sum",
                "    @unittest.skipIf(True, \"x\")\n    def test_sum",
            ),
            vec![(8, SkippedTest)],
        ),
        (
            swap(
                "    assert a + 1 == b",
                "    pytest.skip(\"x\")\n    assert a + 1 == b",
            ),
            vec![(5, SkippedTest)],
        ),
        (
            swap("    assert a + 1 == b", "    return\n    assert a + 1 == b"),
            vec![(3, SkippedTest)],
        ),
        (
            swap("def test_sum", "def _test_sum"),
            vec![(0, DeletedTest)],
        ),
        (swap(raises, ""), vec![(8, LoosenedAssertion)]),
        (
            swap("assert a + 1 == b", "assert a"),
            vec![(3, LoosenedAssertion)],
        ),
        (
            swap("assert a + 1 == b", "assert True"),
            vec![(3, LoosenedAssertion)],
        ),
        (
            swap("assert a + 1 == b", "pass"),
            vec![(3, LoosenedAssertion)],
        ),
        (
            swap("assertEqual(1 + 1, 2)", "assertIsNotNone(1 + 1)"),
            vec![(8, LoosenedAssertion)],
        ),
        (
            swap(", (2, 3)]", "]"),
            vec![(0, DeletedTest), (3, DeletedTest)],
        ),
    ] {
        check("tests/test_a.py", before, &after, &expect);
    }
    for after in [
        swap("test_sum", "test_addition"),
        swap(
            "[(1, 2), (2, 3)]",
            "[\n    (1, 2),\n    (2, 3),\n    (3, 4),\n]",
        ),
        swap("self.assertEqual(1 + 1, 2)", "assert 1 + 1 == 2, \"sum\""),
        swap(
            "    assert a + 1 == b",
            "    # skip this? no: pytest.skip(\n    assert a + 1 == b",
        ),
    ] {
        check("tests/test_a.py", before, &after, &[]);
    }
    let three = "def test_a():\n    assert f(1) == 2\ndef test_b():\n    assert f(2) == 3\n";
    let one = "@pytest.mark.parametrize(\"a,b\", [(1, 2), (2, 3)])\ndef test_f(a, b):\n    assert f(a) == b\n";
    check("test_a.py", three, one, &[]);
    check(
        "src/a.py",
        "def test_a():\n    assert f(1) == 2\n",
        "x = 1\n",
        &[],
    );
    let truth = "def test_a():\n    assert x == True\n";
    check("test_a.py", truth, &truth.replace(" == True", ""), &[]);
}

#[test]
fn weakened_script_tests_are_found() {
    let before = "\
describe('sum', () => {
  it('adds', async () => {
    expect(add(1, 1)).toBe(2);
    await expect(later(1)).resolves.toEqual({ a: 1 });
  });
  it.each([[1, 2], [2, 3]])('next of %i', (a, b) => {
    expect(a + 1)
      .toBe(b);
  });
});
";
    let swap = |from: &str, to: &str| {
        assert!(before.contains(from), "{from}");
        before.replace(from, to)
    };
    for (after, expect) in [
        (swap("it('adds'", "it.skip('adds'"), vec![(2, SkippedTest)]),
        (swap("it('adds'", "xit('adds'"), vec![(2, SkippedTest)]),
        (swap("it('adds'", "it.only('adds'"), vec![(2, SkippedTest)]),
        (
            swap("describe('sum'", "describe.skip('sum'"),
            vec![(1, SkippedTest)],
        ),
        (swap("it.each", "it.skip.each"), vec![(6, SkippedTest)]),
        (
            swap(
                "    expect(add(1, 1)).toBe(2);\n",
                "    if (false) {\n      expect(add(1, 1)).toBe(2);\n    }\n",
            ),
            vec![(3, SkippedTest)],
        ),
        (
            swap("    expect(add(1, 1)).toBe(2);\n", ""),
            vec![(2, LoosenedAssertion)],
        ),
        (
            swap(
                "    expect(add(1, 1)).toBe(2);\n",
                "    expect(true).toBe(true);\n",
            ),
            vec![(2, LoosenedAssertion)],
        ),
        (
            swap(".toBe(2)", ".toBeDefined()"),
            vec![(2, LoosenedAssertion)],
        ),
        (
            swap(".resolves.toEqual({ a: 1 })", ".resolves.not.toBe(null)"),
            vec![(2, LoosenedAssertion)],
        ),
        (
            swap(", [2, 3]", ""),
            vec![(0, DeletedTest), (6, DeletedTest)],
        ),
        (
            "describe('sum', () => {});\n".to_string(),
            vec![(0, DeletedTest)],
        ),
    ] {
        check("ui/a.test.ts", before, &after, &expect);
    }
    for after in [
        swap("'adds'", "'adds two numbers'"),
        swap("toEqual({ a: 1 })", "toEqual({ a: 2 })"),
        swap("toBe(2)", "toStrictEqual(2)"),
        swap(
            "    expect(add(1, 1)).toBe(2);\n",
            "    const text = 'it.skip(';\n    /test.only(/.test(text);\n    expect(add(1, 1)).toBe(2);\n",
        ),
        swap(
            "    expect(add(1, 1)).toBe(2);\n",
            "  });\n  it('adds one', () => {\n    expect(add(1, 1)).toBe(2);\n",
        ),
    ] {
        check("ui/a.test.ts", before, &after, &[]);
    }
    check("ui/a.ts", "it('a', () => {})", "", &[]);
}

#[test]
fn weakened_go_java_kotlin_and_ruby_tests_are_found() {
    let go = "\
package a

func TestSum(t *testing.T) {
\ttests := []struct {
\t\tname string
\t\twant int
\t}{
\t\t{\"a\", 1},
\t\t{\"b\", 2},
\t}
\tfor _, tc := range tests {
\t\tif got := Sum(tc.name); got != tc.want {
\t\t\tt.Errorf(\"got %d\", got)
\t\t}
\t}
\trequire.Equal(t, 1, Sum(\"a\"))
}
";
    for (from, to, expect) in [
        (
            "\ttests :=",
            "\tt.Skip(\"later\")\n\ttests :=",
            Some((4, SkippedTest)),
        ),
        (
            "package a",
            "//go:build never\n\npackage a",
            Some((1, SkippedTest)),
        ),
        ("\t\t{\"b\", 2},\n", "", Some((3, LoosenedAssertion))),
        (
            "\t\t\tt.Errorf(\"got %d\", got)\n",
            "\t\t\tt.Logf(\"got %d\", got)\n",
            Some((3, LoosenedAssertion)),
        ),
        (
            "require.Equal(t, 1, Sum(\"a\"))",
            "require.True(t, true)",
            Some((3, LoosenedAssertion)),
        ),
        (
            "require.Equal(t, 1, Sum(\"a\"))",
            "require.NotNil(t, Sum(\"a\"))",
            Some((3, LoosenedAssertion)),
        ),
        ("func TestSum", "func checkSum", Some((0, DeletedTest))),
        ("func TestSum", "func TestSums", None),
        ("require.Equal", "assert.Equal", None),
    ] {
        assert!(go.contains(from), "{from}");
        check(
            "a/sum_test.go",
            go,
            &go.replace(from, to),
            expect.as_slice(),
        );
    }
    let java = "\
class SumTest {
    @Test
    void adds() {
        assertEquals(2, add(1, 1));
        assertThat(add(1, 2)).isEqualTo(3);
    }
}
";
    for (from, to, expect) in [
        (
            "    @Test\n",
            "    @Test\n    @Disabled(\"x\")\n",
            Some((3, SkippedTest)),
        ),
        ("    @Test\n", "    @Ignore @Test\n", Some((2, SkippedTest))),
        ("    @Test\n", "", Some((0, DeletedTest))),
        (
            "        assertEquals(2, add(1, 1));\n",
            "",
            Some((2, LoosenedAssertion)),
        ),
        (
            ".isEqualTo(3)",
            ".isNotNull()",
            Some((2, LoosenedAssertion)),
        ),
        (
            "assertEquals(2, add(1, 1))",
            "assertTrue(true)",
            Some((2, LoosenedAssertion)),
        ),
        ("void adds", "void addsNumbers", None),
        (
            "assertEquals(2, add(1, 1))",
            "assertEquals(2, add(1, 1), \"sum\")",
            None,
        ),
    ] {
        assert!(java.contains(from), "{from}");
        check(
            "src/test/java/SumTest.java",
            java,
            &java.replace(from, to),
            expect.as_slice(),
        );
    }
    let kotlin = "class SumTest {\n    @Test\n    fun `adds numbers`() = runTest {\n        add(1, 1) shouldBe 2\n        assertEquals(3, add(1, 2))\n    }\n}\n";
    for (from, to, expect) in [
        (
            "        add(1, 1) shouldBe 2\n",
            "",
            Some((2, LoosenedAssertion)),
        ),
        (
            "    @Test\n",
            "    @Test @Disabled\n",
            Some((2, SkippedTest)),
        ),
        ("adds numbers", "adds", None),
    ] {
        check(
            "src/test/kotlin/SumTest.kt",
            kotlin,
            &kotlin.replace(from, to),
            expect.as_slice(),
        );
    }
    let ruby = "describe Sum do\n  it 'adds' do\n    expect(add(1, 1)).to eq(2)\n    expect(add(1, 2)).to eq(3)\n  end\n\n  it { is_expected.to be_fine }\nend\n";
    for (from, to, expect) in [
        ("  it 'adds'", "  xit 'adds'", Some((2, SkippedTest))),
        (
            "    expect(add(1, 1))",
            "    skip 'later'\n    expect(add(1, 1))",
            Some((3, SkippedTest)),
        ),
        (
            "    expect(add(1, 1)).to eq(2)\n",
            "",
            Some((2, LoosenedAssertion)),
        ),
        ("to eq(2)", "not_to be_nil", Some((2, LoosenedAssertion))),
        (
            "  it { is_expected.to be_fine }\n",
            "",
            Some((0, DeletedTest)),
        ),
        ("'adds'", "'adds numbers'", None),
    ] {
        assert!(ruby.contains(from), "{from}");
        check(
            "spec/sum_spec.rb",
            ruby,
            &ruby.replace(from, to),
            expect.as_slice(),
        );
    }
}
