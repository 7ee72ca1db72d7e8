//! The warning about a truncated answer appears exactly if the script does not check for truncation.
//!
//! The scripts are generated: all combinations of ways to obtain an answer and uses of it. Each runs where
//! `FS.FindFiles` finds more than it may return.

#![allow(clippy::disallowed_methods, reason = "tests set up folders of their own")]

use std::fs;

use neuroscript::engine::{Ending, Engine, Invocation, Options, Script};

use crate::support::Captured;

const CALL: &str = "FS.FindFiles(\".\", \"*.txt\")";

/// Ways to obtain an answer: the text before, the expression for the answer, and the text after; `{}` is the use.
const WAYS: [(&str, &str, &str); 12] = [
    ("SET r = CALL_HERE\n", "r", ""),
    ("CALL CALL_HERE\n", "LAST", ""),
    ("SET q = CALL_HERE\n", "LAST", ""),
    ("SET q = CALL_HERE\nSET r = q\n", "r", ""),
    ("SET q = nil\nIF q == nil THEN\n  SET q = CALL_HERE\nEND\nSET r = q\nSET q = r\n", "q", ""),
    ("SET r = nil\nWHILE r == nil DO\n  SET r = CALL_HERE\nEND\n", "r", ""),
    ("DEFINE PROCEDURE P()\nSET r = CALL_HERE\n", "r", "END\nCALL P()\n"),
    ("DEFINE PROCEDURE P()\nCALL CALL_HERE\n", "last", "END\nCALL P()\n"),
    ("SET r = CALL_HERE\nDEFINE PROCEDURE P()\n", "r", "END\nCALL P()\n"),
    ("ON ERROR DO\n  CLEAR_ERROR\nEND\nSET r = CALL_HERE\n", "r", ""),
    ("MUST CALL CALL_HERE\n", "LAST", ""),
    ("", "CALL_HERE", ""),
];

/// Uses that check for truncation, or pass the answer on as a whole. `R` is the answer.
const SEES: [&str; 29] = [
    "EMIT R.truncated",
    "EMIT R[\"truncated\"]",
    "EMIT R['truncated']",
    "EMIT (R).truncated",
    "EMIT R[\"trunc\" + \"ated\"]",
    "SET k = \"truncated\"\nEMIT R[k]",
    "EMIT MAP.Get(R, \"truncated\")",
    "EMIT map.get(R, key: \"truncated\")",
    "EMIT MAP.Get(map: R, key: \"truncated\", default: false)",
    "SET k = \"truncated\"\nEMIT MAP.Get(R, k)",
    "EMIT MAP.Has(R, \"truncated\")",
    "EMIT \"truncated\" IN R",
    "IF R.truncated THEN\n  EMIT 1\nEND",
    "MUST NOT R.truncated, \"too many\"",
    "MUST R.truncated == true",
    "EMIT R",
    "EMIT \"all: \" + R",
    "EMIT STR(R)",
    "EMIT JSON.Text(R)",
    "EMIT [R]",
    "EMIT {\"r\": R}",
    "SET m = {}\nSET m.r = R\nEMIT m",
    "SET m, n = [R, 1]\nEMIT n",
    "FOR EACH key, value IN R DO\n  EMIT key, value\nEND",
    "EMIT R == {\"a\": 1}",
    "EMIT MAP.Keys(R)",
    "CALL MEMORY.Set(\"k\", R)",
    "EMIT LEN(LIST.Map([1], Id)), R\nDEFINE_ID",
    "EMIT LEN(R)",
];

/// Uses that ignore truncation.
const MISSES: [&str; 19] = [
    "EMIT R.items",
    "EMIT R[\"items\"]",
    "# truncated\nEMIT R.items",
    "-- R.truncated\nEMIT R.items",
    "EMIT R.items // truncated",
    ":: note: truncated\nEMIT R.items",
    "COMMENT: truncated ENDCOMMENT\nEMIT R.items",
    "EMIT \"truncated\", R.items",
    "SET truncated = 1\nEMIT truncated, R.items",
    "EMIT {\"truncated\": 1}.truncated, R.items",
    "EMIT ```truncated```, R.items",
    "EMIT MAP.Get(R, \"items\")",
    "EMIT MAP.Has(R, \"items\")",
    "EMIT \"items\" IN R",
    "EMIT R == nil, R != nil",
    "IF R THEN\n  EMIT R.error\nEND",
    "EMIT NOT R, R AND true",
    "FOR EACH path IN R.items DO\n  EMIT path\nEND",
    "EMIT LIST.Contains(R.items, \"truncated\")",
];

/// Uses that only work with a variable.
const VARIABLE_SEES: [&str; 6] = [
    "EMIT ```{{r}}```",
    "EMIT ```{{r.truncated}}```",
    "EMIT EVAL(\"{{r}}\")",
    "EMIT EVAL(\"{{r.truncated}}\")",
    "SET t = \"{{r.truncated}}\"\nEMIT EVAL(t)",
    "EMIT {{r}}.truncated",
];
const VARIABLE_MISSES: [&str; 4] = [
    "EMIT ```{{r.items}} truncated```",
    "EMIT EVAL(\"{{r.items}} truncated\")",
    "EMIT {{r}}.items",
    "EMIT EVAL(\"{{r.items.truncated}}\") == nil",
];

fn script(way: &(&str, &str, &str), used: &str) -> String {
    let (before, answer, after) = way;
    let used = used.replace("DEFINE_ID", "").replace("LIST.Map([1], Id)", "[1]");
    let used = used.replace("R.", &format!("{answer}.")).replace("R[", &format!("{answer}["));
    let mut whole = String::new();
    // `R` stands alone for the answer; it is not part of a word in any of the uses.
    for (number, piece) in used.split('R').enumerate() {
        let is_alone = number > 0
            && !whole.ends_with(|c: char| c.is_alphanumeric() || c == '_' || c == '.')
            && !piece.starts_with(|c: char| c.is_alphanumeric() || c == '_');
        whole.push_str(if number == 0 {
            ""
        } else if is_alone {
            answer
        } else {
            "R"
        });
        whole.push_str(piece);
    }
    format!("{before}{whole}\n{after}").replace("CALL CALL_HERE", &format!("CALL {CALL}")).replace("CALL_HERE", CALL)
}

struct Place {
    engine: Engine,
    _folder: tempfile::TempDir,
}

fn place() -> Place {
    let folder = tempfile::tempdir().expect("a folder for the test");
    fs::write(folder.path().join("neuroscript.toml"), "[policy]\nmax_files_per_operation = 2\n").expect("a policy");
    (0..3).for_each(|name| fs::write(folder.path().join(format!("{name}.txt")), "x\n").expect("a file"));
    let options = Options { sandbox: Some(folder.path().to_owned()), ..Options::default() };
    let engine = Engine::open(&options).unwrap_or_else(|error| panic!("{:?}", error.findings));
    Place { engine, _folder: folder }
}

/// Whether a script, which must succeed, causes the warning.
fn is_warned(place: &Place, text: &str) -> bool {
    let output = Captured::default();
    let outcome = place.engine.run(&Script::new("case.ns", text), &Invocation::default(), Box::new(output.clone()));
    let may_fail = text.contains("items.truncated") || text.contains("MUST");
    assert!(outcome.ending == Ending::Done || may_fail, "{text}\n{:?}", outcome.findings);
    output.text().contains("FS.FindFiles: the result is cut")
}

fn check(ways: &[(&str, &str, &str)], uses: &[&str], warned: bool) {
    let place = place();
    let mut faults = Vec::new();
    for way in ways {
        for used in uses {
            let text = script(way, used);
            if is_warned(&place, &text) != warned {
                faults.push(text);
            }
        }
    }
    let wrongly = if warned { "not warned" } else { "warned" };
    assert!(
        faults.is_empty(),
        "{} of {} are {wrongly}:\n{}",
        faults.len(),
        ways.len() * uses.len(),
        faults.join("\n---\n")
    );
}

#[test]
fn who_asks_is_not_warned() {
    check(&WAYS, &SEES, false);
}

#[test]
fn who_does_not_ask_is_warned() {
    check(&WAYS, &MISSES, true);
}

#[test]
fn names_in_texts_are_read_too() {
    let ways: Vec<_> = WAYS.iter().filter(|(_, answer, _)| *answer == "r").copied().collect();
    check(&ways, &VARIABLE_SEES, false);
    check(&ways, &VARIABLE_MISSES, true);
}

#[test]
fn who_lets_the_answer_go_is_warned() {
    let place = place();
    for text in [format!("CALL {CALL}\n"), format!("SET r = {CALL}\n"), format!("IF {CALL} THEN\n  EMIT 1\nEND\n")] {
        assert!(is_warned(&place, &text), "{text}");
    }
    for text in [
        format!("RETURN {CALL}\n"),
        format!("DEFINE PROCEDURE P()\nRETURN {CALL}\nEND\nSET r = P()\nEMIT r.truncated\n"),
        format!("DEFINE PROCEDURE P(r)\nEMIT r.truncated\nEND\nCALL P({CALL})\n"),
        format!("SET l = [{CALL}]\nEMIT l[0].items\n"),
    ] {
        assert!(!is_warned(&place, &text), "{text}");
    }
}

/// Each call must be checked separately.
#[test]
fn each_call_is_asked_for_itself() {
    let place = place();
    let text = format!("SET a = {CALL}\nSET b = {CALL}\nEMIT a.truncated, b.items\n");
    let output = Captured::default();
    place.engine.run(&Script::new("case.ns", text.as_str()), &Invocation::default(), Box::new(output.clone()));
    let warnings: Vec<String> =
        output.text().lines().filter(|line| line.contains("warning")).map(str::to_owned).collect();
    assert_eq!(
        warnings,
        ["warning: case.ns:2: FS.FindFiles: the result is cut after 2 entries; look at its `truncated`"]
    );
}

/// Texts with several calls of one tool or of two: `A` is checked nowhere, `B` is, and `C` is on one of several ways.
const SEVERAL: [&str; 38] = [
    "SET r = A\nEMIT LEN(r.items)\nSET r = B\nEMIT r.truncated",
    "SET r = B\nEMIT r.truncated\nSET r = A\nEMIT LEN(r.items)",
    "CALL A\nCALL B\nEMIT LAST.truncated",
    "CALL A\nSET n = STR.Upper(\"a\")\nEMIT LAST == \"truncated\"",
    "CALL A\nCALL P()\nEMIT LAST",
    "SET a = A\nSET b = a\nSET a = B\nEMIT a.truncated, LEN(b.items)",
    "SET a = B\nSET b = a\nSET a = A\nEMIT b.truncated, LEN(a.items)",
    "SET r = A\nIF n == 1 THEN\n  SET r = B\nELSE\n  SET r = B\nEND\nEMIT r.truncated",
    "SET r = C\nIF n == 1 THEN\n  SET r = B\nEND\nEMIT r.truncated",
    "IF n == 2 THEN\n  SET r = B\n  EMIT r.truncated\nELSE\n  SET r = A\n  EMIT LEN(r.items)\nEND",
    "SET r = C\nWHILE n == 1 DO\n  SET r = A\n  SET r = B\n  SET n = 2\nEND\nEMIT r.truncated",
    "SET r = nil\nFOR EACH i IN [1, 2] DO\n  IF r != nil THEN\n    EMIT r.truncated\n  END\n  SET r = C\nEND",
    "FOR EACH i IN [1, 2] DO\n  SET r = A\n  EMIT LEN(r.items)\n  SET r = B\n  EMIT r.truncated\nEND",
    "FOR EACH i IN [1, 2] DO\n  SET r = C\n  IF i == 1 THEN\n    CONTINUE\n  END\n  EMIT r.truncated\nEND",
    "FOR EACH i IN [1, 2] DO\n  SET r = A\n  IF i == 1 THEN\n    SET r = B\n    BREAK\n  END\n  SET r = B\nEND\nEMIT r.truncated",
    "SET r = A\nSET r, q = [1, 2]\nEMIT r\nSET r = B\nEMIT r",
    "SET r = A\nSET r = B\nEMIT EVAL(\"{{r.truncated}}\")",
    "SET r = C\nSET k = n == 2 AND B.truncated\nEMIT r.truncated, k",
    "SET r = B\nDEFINE PROCEDURE Q()\n  EMIT r.truncated\nEND\nCALL Q()\nSET r = C",
    "DEFINE PROCEDURE Q()\n  SET r = A\n  SET r = B\n  RETURN r\nEND\nCALL Q()",
    "ON ERROR DO\n  EMIT r.truncated\nEND\nSET r = C\nSET r = C",
    "MUST CALL A\nMUST CALL B\nEMIT LAST.truncated",
    // Handlers: an error leads to them from any step after ON ERROR, and from one that clears it to any statement.
    "ON ERROR DO\n  EMIT 1\nEND\nSET r = A\nSET r = B\nEMIT r.truncated",
    "SET r = A\nSET r = B\nON ERROR DO\n  EMIT r.truncated\nEND\nEMIT INT(\"x\")",
    "ON ERROR DO\n  EMIT r.truncated\nEND\nSET r = C\nSET r = nil",
    "ON ERROR DO\n  CLEAR_ERROR\nEND\nSET r = C\nSET r = C\nEMIT r.truncated",
    "SET r = A\nSET r = nil\nON ERROR DO\n  CLEAR_ERROR\nEND\nSET r = B\nEMIT r.truncated",
    "ON ERROR DO\n  SET r = A\n  EMIT LEN(r.items)\n  SET r = nil\nEND\nSET r = B\nEMIT r.truncated\nEMIT INT(\"x\")",
    "ON ERROR DO\n  SET q = B\n  CLEAR_ERROR\nEND\nSET q = nil\nEMIT INT(\"x\")\nEMIT q.truncated",
    "FOR EACH i IN [1, 2] DO\n  SET r = C\n  SET r = INT(\"x\")\n  EMIT r\n  ON ERROR DO\n    CLEAR_ERROR\n  END\nEND",
    "FOR EACH i IN [1, 2] DO\n  SET r = A\n  SET r = B\n  EMIT r.truncated\n  ON ERROR DO\n    EMIT i\n  END\nEND",
    "ON ERROR DO\n  EMIT LAST.truncated\nEND\nCALL C\nEMIT INT(\"x\")",
    // Procedures that read variables of the script do so at their calls.
    "SET r = B\nDEFINE PROCEDURE Q()\n  EMIT r.truncated\nEND\nCALL Q()\nSET r = A\nSET r = nil",
    "SET r = A\nDEFINE PROCEDURE Q()\n  EMIT r.truncated\nEND\nSET r = B\nCALL Q()",
    "SET r = B\nDEFINE PROCEDURE Q()\n  EMIT r.truncated\nEND\nDEFINE PROCEDURE S()\n  CALL Q()\nEND\nCALL S()\nSET r = A\nSET r = B",
    "SET r = B\nDEFINE PROCEDURE Q(x)\n  RETURN r.truncated\nEND\nSET l = LIST.Map([1], Q)\nSET r = A\nSET r = nil\nEMIT l",
    "SET r = A\nSET r = nil\nDEFINE PROCEDURE Q()\n  RETURN 1\nEND\nEMIT r, Q()",
    "DEFINE PROCEDURE Q()\n  SET q = r\n  RETURN q.truncated\nEND\nSET r = A\nSET r = B\nEMIT Q()",
];

/// A check of one answer says nothing of another, whichever tools and variables they share.
#[test]
fn each_answer_is_asked_for_itself() {
    let place = place();
    let other = "FS.SearchFiles(\".\", \"x\", max_matches: 1)";
    let mut faults = Vec::new();
    for text in SEVERAL {
        for (a, b) in [(CALL, CALL), (CALL, other), (other, CALL)] {
            let written: String = text
                .split_inclusive(|c: char| !c.is_alphanumeric())
                .map(|piece| {
                    let (word, end) = piece.split_at(piece.trim_end_matches(|c: char| !c.is_alphanumeric()).len());
                    let call = match word {
                        "A" => a,
                        "B" | "C" => b,
                        word => word,
                    };
                    format!("{call}{end}")
                })
                .collect();
            let script = format!("SET n = 1\n{written}\nDEFINE PROCEDURE P()\n  RETURN 1\nEND\n");
            let unchecked = |line: &&str| line.contains("= A") || line.contains("CALL A");
            let lines: Vec<usize> =
                text.lines().enumerate().filter(|(_, line)| unchecked(line)).map(|(at, _)| at + 2).collect();
            let warned = warned_lines(&place, &script);
            if warned.iter().any(|line| !lines.contains(line)) || warned.is_empty() && !lines.is_empty() {
                faults.push(format!("{script}warned at {warned:?}, A at {lines:?}"));
            }
        }
    }
    assert!(faults.is_empty(), "{}", faults.join("\n---\n"));
}

/// Returns the lines of a script, each once, at which a cut answer is warned of.
fn warned_lines(place: &Place, text: &str) -> Vec<usize> {
    let output = Captured::default();
    place.engine.run(&Script::new("case.ns", text), &Invocation::default(), Box::new(output.clone()));
    let printed = output.text();
    let warnings = printed.lines().filter(|line| line.contains("the result is cut"));
    let mut lines: Vec<usize> =
        warnings.filter_map(|line| line.split("case.ns:").nth(1)?.split(':').next()?.parse().ok()).collect();
    lines.dedup();
    lines
}
