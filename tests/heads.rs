//! Heads and closers of blocks in the syntax of other languages: each causes one error at its line, whose help shows
//! the line in the syntax of this language.
//!
//! The tests also apply the help, after which the script has no error.

#![allow(clippy::disallowed_methods, reason = "tests set up folders of their own")]

use crate::support::checker::Checker;

/// Groups of heads: the spellings without a mark, and the head that the help shows, in upper case.
const HEADS: [(&[&str], &str); 9] = [
    (&["IF x == 1", "IF (x == 1)", "IF(x == 1)"], "IF x == 1 THEN"),
    (&["WHILE x == 1", "WHILE (x == 1)"], "WHILE x == 1 DO"),
    (
        &["FOR EACH x IN xs", "FOR x IN xs", "FOR (x IN xs)", "FOREACH x IN xs", "FOREACH (x IN xs)"],
        "FOR EACH x IN xs DO",
    ),
    (
        &["FOR EACH k, x IN xs", "FOR k, x IN xs", "FOR (k, x) IN xs", "FOREACH (xs AS k => x)"],
        "FOR EACH k, x IN xs DO",
    ),
    (&["ON ERROR AS err"], "ON ERROR AS err DO"),
    (&["ON ERROR"], "ON ERROR DO"),
    (
        &["DEFINE PROCEDURE F(a)", "DEF F(a)", "FN F(a)", "FUNCTION F(a)", "PROCEDURE F(a)", "SUB F(a)"],
        "DEFINE PROCEDURE F(a)",
    ),
    (&["DEF F(a, b=2)", "FUNCTION F(a, b = 2)"], "DEFINE PROCEDURE F(a, b: 2)"),
    (&["FUNC F(a)"], "FUNC F(a) MEANS"),
];

/// Heads that continue an IF.
const BRANCHES: [(&[&str], &str); 2] = [
    (&["ELSE IF x == 2", "ELSE IF (x == 2)", "ELIF x == 2", "ELSEIF x == 2", "ELSIF (x == 2)"], "ELSE IF x == 2 THEN"),
    (&["ELSE"], "ELSE"),
];

const MARKS: [&str; 4] = [":", "{", ": {", ":;"];
const BLANKS: [&str; 3] = ["", " ", "  \t"];

/// Closers of other languages, and closers of this language with a semicolon or a kind.
const CLOSERS: [&str; 14] =
    ["END IF", "END IF;", "END;", "END ;", "FI", "FI;", "DONE", "DONE;", "OD", "WEND", "ESAC", "ENDLOOP", "}", "};"];

/// Returns the line and help of each error.
fn errors(checker: &Checker, script: &str) -> Vec<(usize, String)> {
    checker.errors(script).into_iter().map(|error| (error.line, error.help)).collect()
}

/// Returns the text that a help suggests writing.
fn suggested(help: &str) -> Option<&str> {
    help.strip_prefix("write `").and_then(|help| help.split('`').next())
}

fn cases(text: &str) -> [String; 2] {
    [text.to_owned(), text.to_lowercase()]
}

/// Returns a script with a head, a line in its block, and a closer.
fn script(head: &str, closer: &str) -> String {
    format!("SET x = 1\nSET xs = [1]\n{head}\n  EMIT 1\n{closer}\nEMIT 2\n")
}

/// Returns a failure message unless the first error is on `line` with the help `wanted`, and the only one there.
fn judge(checker: &Checker, script: &str, line: usize, wanted: &str) -> Option<String> {
    let errors = errors(checker, script);
    let [(at, help), rest @ ..] = &errors[..] else { return Some(format!("{script}has no error\n\n")) };
    let has_false = rest.iter().any(|(other, _)| *other == line);
    let suggestion = suggested(help).unwrap_or_default();
    let is_right = *at == line && !has_false && suggestion.eq_ignore_ascii_case(wanted);
    (!is_right).then(|| format!("{script}wants {line}: {wanted}, has {errors:?}\n\n"))
}

/// Returns every spelling of a group with every mark, in upper and lower case.
fn spellings<'a>(spellings: &'a [&'a str]) -> impl Iterator<Item = (String, &'static str)> + 'a {
    spellings.iter().flat_map(|spelling| {
        cases(spelling).into_iter().flat_map(|cased| {
            let marked = move |mark: &'static str| {
                let cased = cased.clone();
                BLANKS.into_iter().map(move |blank| (format!("{cased}{blank}{mark}"), mark))
            };
            MARKS.into_iter().flat_map(marked)
        })
    })
}

#[test]
fn a_head_of_another_language_is_shown_as_it_is_written_here() {
    let (checker, mut wrong, mut tried) = (Checker::new(), String::new(), 0);
    for (family, wanted) in HEADS {
        for (head, mark) in spellings(family) {
            let closer = if mark.ends_with('{') { "}" } else { "END" };
            wrong.extend(judge(&checker, &script(&head, closer), 3, wanted));
            // With the suggested head and an `END`, the script has no error.
            let help =
                errors(&checker, &script(&head, closer)).first().map(|(_, help)| help.clone()).unwrap_or_default();
            let mended = errors(&checker, &script(suggested(&help).unwrap_or_default(), "END"));
            if !mended.is_empty() {
                wrong.push_str(&format!("{head} becomes {help}, which has {mended:?}\n\n"));
            }
            tried += 1;
        }
    }
    assert!(wrong.is_empty() && tried > 500, "{tried} tried\n{wrong}");
}

#[test]
fn a_branch_of_another_language_is_shown_as_it_is_written_here() {
    let (checker, mut wrong) = (Checker::new(), String::new());
    for (family, wanted) in BRANCHES {
        for (head, mark) in spellings(family) {
            let (before, closer) = if mark.ends_with('{') { ("} ", "}") } else { ("", "END") };
            for before in ["", before] {
                let opened = if before.is_empty() { "IF x == 1 THEN" } else { "IF x == 1 {" };
                let text = format!("SET x = 1\n{opened}\n  EMIT 1\n{before}{head}\n  EMIT 2\n{closer}\nEMIT 3\n");
                let errors = errors(&checker, &text);
                let lines: Vec<usize> = errors.iter().map(|(line, _)| *line).collect();
                let of_branch = errors.iter().find(|(line, _)| *line == 4);
                let suggestion = of_branch.and_then(|(_, help)| suggested(help)).unwrap_or_default();
                let allowed: &[usize] = if before.is_empty() { &[4, 6] } else { &[2, 4] };
                let is_right =
                    suggestion.eq_ignore_ascii_case(wanted) && lines.iter().all(|line| allowed.contains(line));
                if !is_right {
                    wrong.push_str(&format!("{text}wants {wanted}, has {errors:?}\n\n"));
                }
            }
        }
    }
    assert!(wrong.is_empty(), "{wrong}");
}

#[test]
fn a_closer_of_another_language_closes_its_block_all_the_same() {
    let (checker, mut wrong) = (Checker::new(), String::new());
    for closer in CLOSERS.iter().flat_map(|closer| cases(closer)) {
        for outer in [false, true] {
            let text = if outer {
                format!("WHILE true DO\n  IF true THEN\n    BREAK\n  {closer}\nEND\nEMIT 2\n")
            } else {
                format!("SET x = 1\nIF x == 1 THEN\n  EMIT 1\n{closer}\nEMIT 2\n")
            };
            let errors = errors(&checker, &text);
            let is_right = matches!(&errors[..], [(4, help)] if help.contains("END") || help.contains("end") || help.starts_with("remove it"));
            if !is_right {
                wrong.push_str(&format!("{text}has {errors:?}\n\n"));
            }
        }
    }
    assert!(wrong.is_empty(), "{wrong}");
}

#[test]
fn a_handler_of_another_language_is_shown_where_it_stands_here() {
    let (checker, mut wrong) = (Checker::new(), String::new());
    for (attempt, catches) in [
        ("TRY", ["CATCH e", "EXCEPT", "EXCEPT e", "RESCUE e"]),
        ("TRY:", ["EXCEPT:", "EXCEPT e:", "EXCEPT Exception as e:", "CATCH e :"]),
        ("TRY {", ["} CATCH (e) {", "} CATCH {", "} CATCH (Exception e) {", "}\nCATCH (e) {"]),
    ] {
        for catch in catches {
            let closer = if attempt.ends_with('{') { "}" } else { "END" };
            for text in cases(&format!("{attempt}\n  EMIT 1\n{catch}\n  EMIT 2\n{closer}\nEMIT 3\n")) {
                let errors = errors(&checker, &text);
                let shown = errors.iter().all(|(_, help)| help.to_uppercase().contains("WRITE `ON ERROR"));
                let heads = errors.iter().filter(|(_, help)| help.contains("above the lines that may fail")).count();
                if errors.len() != 2 || heads != 2 || !shown {
                    wrong.push_str(&format!("{text}has {errors:?}\n\n"));
                }
            }
        }
    }
    assert!(wrong.is_empty(), "{wrong}");
}

#[test]
fn a_statement_behind_a_head_goes_on_a_line_of_its_own() {
    let checker = Checker::new();
    for (line, wanted) in [
        ("IF x == 1: EMIT 1", "\nIF x == 1 THEN\n  EMIT 1\nEND"),
        ("if (x == 1) { emit 1; }", "\nif x == 1 then\n  emit 1\nend"),
        ("for y in xs: emit y", "\nfor each y in xs do\n  emit y\nend"),
        ("while x > 3: break", "\nwhile x > 3 do\n  break\nend"),
        ("def F(a): return a", "\ndefine procedure F(a)\n  return a\nend"),
        ("for (let i = 0; i <= x; i++) { emit i }", "\nfor each i in RANGE(x + 1) do\n  emit i\nend"),
    ] {
        let errors = errors(&checker, &format!("SET x = 1\nSET xs = [1]\n{line}\nEMIT 2\n"));
        assert!(matches!(&errors[..], [(3, help)] if help.ends_with(wanted)), "{line}: {errors:?}");
    }
}

#[test]
fn conditions_and_loops_of_other_languages_are_translated() {
    let checker = Checker::new();
    for (line, wanted) in [
        ("if (x === 1 && !xs) {", "if x == 1 and not xs then"),
        ("IF (x = 1 || xs) {", "IF x == 1 OR xs THEN"),
        ("unless x == 1:", "if not (x == 1) then"),
        ("until (x > 3) {", "while not (x > 3) do"),
        ("for i in range(10):", "for each i in RANGE(10) do"),
        ("for i, y in enumerate(xs):", "for each i, y in xs do"),
        ("for (let i = 1; i < 10; i++) {", "for each i in RANGE(1, 10) do"),
        ("FOR i = 1 TO 10", "FOR EACH i IN RANGE(1, 11) DO"),
        ("for (const y of xs) {", "for each y in xs do"),
        ("for (String y : xs) {", "for each y in xs do"),
        ("foreach ($xs as $k => $v) {", "for each k, v in xs do"),
        ("for k, v in xs.items():", "for each k, v in xs do"),
        ("for i in 0..3 {", "for each i in RANGE(3) do"),
        ("fn f(a: int, b: str = \"x\") -> int {", "define procedure f(a, b: \"x\")"),
    ] {
        let errors = errors(&checker, &format!("SET x = 1\nSET xs = [1]\n{line}\n  EMIT 1\n"));
        let shown: Vec<&str> = errors.iter().filter_map(|(_, help)| suggested(help)).collect();
        assert_eq!(shown, [wanted], "{line}: {errors:?}");
    }
}

/// Lines that resemble heads of other languages but are not keep their own errors.
#[test]
fn what_is_no_head_is_taken_for_none() {
    let checker = Checker::new();
    for (line, wanted) in [
        ("IF x = 1:", "`==`"),
        ("try again", "ON ERROR"),
        ("sub x", "DEFINE PROCEDURE"),
        ("IF x ? 1 : 2 THEN", "IF block"),
    ] {
        let errors = errors(&checker, &format!("SET x = 1\n{line}\n"));
        assert!(
            errors.iter().any(|(line, help)| *line == 2 && help.to_uppercase().contains(&wanted.to_uppercase())),
            "{line}: {errors:?}"
        );
    }
    for good in
        ["IF {\"a\": x}[\"a\"] == 1 THEN\nEND", "IF x == 1 THEN  # a: b {\nEND", "FOR EACH k, v IN {\"a\": 1} DO\nEND"]
    {
        assert_eq!(errors(&checker, &format!("SET x = 1\n{good}\n")), []);
    }
}

/// Any text after the words of a head causes an ordinary error, never an internal one.
#[test]
fn odd_tails_of_heads_are_errors() {
    const TAILS: [&str; 26] = [
        "€",
        " €",
        " €:",
        "(€",
        "ö:",
        " {",
        "{{",
        "}",
        ":",
        "::",
        ": :",
        " (",
        " )",
        "(((",
        " \u{301}",
        " x\u{301} {",
        " \"",
        " \":",
        " 'a' €",
        " = 1",
        " == €",
        " x; €; €",
        " ä in ö:",
        " (ä of",
        " $€ as $ü",
        " x ${€}",
    ];
    const WORDS: [&str; 24] = [
        "IF",
        "ELSE",
        "ELSE IF",
        "WHILE",
        "FOR",
        "FOR EACH",
        "ON ERROR",
        "ON",
        "DEFINE PROCEDURE",
        "DEFINE",
        "FUNC",
        "TRY",
        "CATCH",
        "FINALLY",
        "DEF",
        "FUNCTION f",
        "FOREACH",
        "UNLESS",
        "UNTIL",
        "SWITCH",
        "ELIF",
        "END",
        "}",
        "} ELSE",
    ];
    let checker = Checker::new();
    for word in WORDS.iter().flat_map(|word| cases(word)) {
        for tail in TAILS {
            for text in
                [format!("{word}{tail}"), format!("{word}{tail}\n  EMIT 1\nEND"), format!("EMIT [1,\n{word}{tail}")]
            {
                let checked = checker.check(&text);
                let is_internal = checked.findings.iter().any(|finding| finding.code.id() == "NS0901");
                assert!(!is_internal, "{text}");
            }
        }
    }
}
