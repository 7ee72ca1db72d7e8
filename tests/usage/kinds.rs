//! Kinds of arguments that a line such as `:: arg count (int): …` declares.

use serde_json::Value as Json;

use super::{ns, place};

const TAKE: &str = "\
:: arg count (int): how many to take
:: arg [shares...] (float): of what
:: arg most (int): at most
:: arg sizes (int): of these sizes
DEFINE PROCEDURE Main(count, shares: [], most: nil, sizes: {})
  EMIT [count + 1, shares, most, sizes]
END
";

#[test]
fn a_line_declares_the_kind_that_no_default_shows() {
    let place = place(&[("take.ns", TAKE)]);
    let help = ns(place.path(), &["take.ns", "--help"]).stdout;
    let shown = "Usage: ns take.ns COUNT [SHARES]... [OPTIONS]\n\nArguments:\n  COUNT               how many to take [a whole number]\n  \
        [SHARES]...         of what [a number]\n\nOptions:\n  --most N            at most\n  --sizes KEY=NUMBER  of these sizes; may be repeated\n";
    assert!(help.contains(shown), "{help}");
    for (words, printed) in [
        (&["take.ns", "5"][..], "[6, [], nil, {}]"),
        (&["take.ns", "-5", "1", ".5"], "[-4, [1.0, 0.5], nil, {}]"),
        (&["take.ns", "--count=5", "--most", "9", "--sizes", "a=1"], "[6, [], 9, {\"a\": 1}]"),
    ] {
        let ran = ns(place.path(), words);
        assert_eq!((ran.code, ran.stdout.trim()), (0, printed), "{words:?}\n{}", ran.stderr);
    }
    for (words, named) in [
        (&["take.ns", "five"][..], "`COUNT` needs a whole number, not `five`"),
        (&["take.ns", "5.5"], "help: give a whole number in its place"),
        (&["take.ns", "5", "x"], "`SHARES` needs a number, not `x`"),
        (&["take.ns", "5", "--most", "x"], "`--most` needs a whole number, not `x`"),
        (&["take.ns", "5", "--sizes", "a=x"], "`--sizes` needs `KEY=NUMBER`, not `a=x`"),
    ] {
        let ran = ns(place.path(), words);
        assert_eq!((ran.code, ran.stdout.as_str()), (2, ""), "{words:?}");
        assert!(ran.stderr.contains(named) && ran.stderr.ends_with(&help), "{words:?}\n{}", ran.stderr);
        assert!(!ran.stderr.contains("is missing"), "{words:?}\n{}", ran.stderr);
    }
    let info: Json =
        serde_json::from_str(&ns(place.path(), &["check", "--info", "--format", "json", "take.ns"]).stdout)
            .expect("JSON");
    let text = info.to_string();
    assert!(text.contains(r#""kind":"int""#) && text.contains(r#""kind":"list of float""#), "{text}");
}

#[test]
fn a_kind_that_contradicts_is_reported() {
    for (head, line, named) in [
        ("Main(count)", "count (number)", "`number` is not a kind of argument"),
        ("Main(count)", "count (bool)", "write `count: false` in the head of the procedure for `--count`"),
        ("Main(count: \"x\")", "count (int)", "the default of `count` does not fit `(int)`"),
        ("Main(count: 1)", "count (float)", "the default of `count` does not fit `(float)`"),
        ("Main(count: false)", "count (int)", "the default of `count` does not fit `(int)`"),
        ("Main(count: [\"a\"])", "count (int)", "the default of `count` does not fit `(int)`"),
    ] {
        let place = place(&[("x.ns", &format!(":: arg {line}: what\nDEFINE PROCEDURE {head}\n  EMIT count\nEND\n"))]);
        let ran = ns(place.path(), &["check", "x.ns"]);
        assert!(ran.code != 0 && ran.stderr.contains("NS0208") && ran.stderr.contains(named), "{head}\n{}", ran.stderr);
    }
    let typed = place(&[("x.ns", "DEFINE PROCEDURE Main(count: int)\n  EMIT count\nEND\n")]);
    let ran = ns(typed.path(), &["check", "x.ns"]);
    assert!(ran.stderr.contains("remove it; `:: arg count (int): …` above"), "{}", ran.stderr);
    let place = place(&[("x.ns", ":: arg count (int): what\nEMIT ARGS\n")]);
    let ran = ns(place.path(), &["check", "x.ns"]);
    assert!(ran.stderr.contains("`(int)` has no effect: the words in `ARGS` are strings"), "{}", ran.stderr);
}
