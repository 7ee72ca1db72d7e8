//! Several errors in one script: a check reports each of them at its line, and nothing else.
//!
//! The test breaks a few lines of correct scripts, each in its own way. Every reported error must be on a broken line,
//! with at most one per line, and the share of broken lines that are found is measured. A false error is worse than a
//! missing one.

#![allow(clippy::disallowed_methods, reason = "tests read scripts of the repository")]

use std::collections::BTreeSet;
use std::fs;

use crate::support::checker::Checker;
use crate::support::dice::Dice;
use crate::support::{ns, package_files, run};

/// Number of broken scripts to check; each has one to five errors.
const ROUNDS: usize = 4_000;

/// Returns the longer correct scripts of the repository.
fn scripts(checker: &Checker) -> Vec<String> {
    let directories = ["scripts", "benches/programs", "benches/calls", "tests/format/golden", "tests/suite"];
    let found = directories.into_iter().flat_map(|directory| package_files(directory, &["ns"]));
    let texts = found.map(|file| fs::read_to_string(file).expect("a script"));
    let cases = texts.flat_map(|text| text.split("\n--- ").map(str::to_owned).collect::<Vec<_>>());
    let long = cases.filter(|text| text.lines().count() >= 8 && whole_lines(text).len() >= 6);
    long.map(|text| text.split_once('\n').map_or(String::new(), |(_, text)| text.to_owned()))
        .filter(|text| checker.errors(text).is_empty())
        .collect()
}

/// Returns the numbers of lines that are one complete statement each, counted from 0.
fn whole_lines(text: &str) -> Vec<usize> {
    const WORDS: [&str; 19] = [
        "SET",
        "EMIT",
        "IF",
        "ELSE",
        "END",
        "ENDIF",
        "ENDWHILE",
        "ENDFOR",
        "WHILE",
        "FOR",
        "RETURN",
        "MUST",
        "FAIL",
        "CALL",
        "BREAK",
        "CONTINUE",
        "ON",
        "CLEAR_ERROR",
        "DEFINE",
    ];
    let mut lines = Vec::new();
    let (mut depth, mut in_comment, mut fence, mut joined) = (0_i64, false, None, false);
    for (number, line) in text.lines().enumerate() {
        let began_whole = depth == 0 && !in_comment && fence.is_none() && !joined;
        let first = line.trim_start().split(|c: char| !c.is_alphanumeric() && c != '_').next().unwrap_or_default();
        in_comment = (in_comment || first.eq_ignore_ascii_case("COMMENT")) && !first.eq_ignore_ascii_case("ENDCOMMENT");
        for mark in ["'''", "```"] {
            if line.matches(mark).count() % 2 == 1 && fence.is_none_or(|open| open == mark) {
                fence = if fence.is_none() { Some(mark) } else { None };
            }
        }
        let is_plain = !["'''", "```", "#", "--", "//", "\\", "{", "}"].iter().any(|mark| line.contains(mark));
        let opens = line.matches(['(', '[', '{']).count() as i64 - line.matches([')', ']', '}']).count() as i64;
        depth = if first.is_empty() && opens == 0 { depth } else { (depth + opens).max(0) };
        joined = line.trim_end().ends_with('\\');
        if began_whole
            && is_plain
            && opens == 0
            && WORDS.iter().any(|word| first == *word || first == word.to_lowercase())
        {
            lines.push(number);
        }
    }
    lines
}

/// Ways to break a line. Each returns `None` if it does not apply to the line.
const WAYS: [fn(&str, &mut Dice) -> Option<String>; 14] = [
    |line, dice| Some(format!("{line}{}", dice.pick(&[")", " ]", "?", " @", " 1 2"]))),
    |line, _| word(line)?.1.eq_ignore_ascii_case("SET").then(|| line.replacen(" = ", " ", 1)).filter(|new| new != line),
    |line, dice| misspelt(line, dice),
    |line, _| mixed(line),
    |line, dice| {
        head(line).then(|| format!("{}{}", without_joint(line), dice.pick(&[":", " :", " {", "{", " THEN:", " DO {"])))
    },
    |line, dice| {
        closes(line).then(|| line.replacen(line.trim(), dice.pick(&["}", "END IF", "fi", "done", "END;", "};"]), 1))
    },
    |line, _| value(line).then(|| format!("{line} +")),
    |line, _| value(line).then_some(()).and_then(|()| unquoted(line)),
    |line, _| {
        value(line)
            .then_some(())
            .and_then(|()| line.trim_end().strip_suffix(')').filter(|line| !line.ends_with('(')).map(str::to_owned))
    },
    |line, _| value(line).then(|| format!("{line};")),
    |line, _| {
        word(line)
            .filter(|(_, word, _)| word.eq_ignore_ascii_case("SET"))
            .map(|(blank, _, rest)| format!("{blank}{}", rest.trim_start()))
    },
    |line, dice| {
        (line.trim() == "ELSE").then(|| line.replacen("ELSE", dice.pick(&["else:", "ELSE {", "} else {", "ELSE :"]), 1))
    },
    |line, dice| {
        line.trim()
            .starts_with("ELSE IF ")
            .then(|| without_joint(line).replacen("ELSE IF", dice.pick(&["elif", "ELIF", "ELSEIF", "elsif"]), 1))
    },
    |line, _| line.trim().starts_with("FOR EACH ").then(|| line.replacen("FOR EACH", "FOR", 1)),
];

/// Splits a line into its indentation, the first word, and the rest.
fn word(line: &str) -> Option<(&str, &str, &str)> {
    let start = line.len() - line.trim_start().len();
    let length = line[start..].find(|c: char| !c.is_alphanumeric() && c != '_').unwrap_or(line.len() - start);
    (length > 1).then(|| (&line[..start], &line[start..start + length], &line[start + length..]))
}

fn misspelt(line: &str, dice: &mut Dice) -> Option<String> {
    let (blank, word, rest) = word(line)?;
    let last = word.chars().last()?;
    let swapped = || {
        let mut letters: Vec<char> = word.chars().collect();
        let end = letters.len();
        letters.swap(end - 1, end - 2);
        letters.into_iter().collect::<String>()
    };
    let new = if dice.one_in(2) { format!("{word}{last}") } else { swapped() };
    (new != word && !new.eq_ignore_ascii_case("NO")).then(|| format!("{blank}{new}{rest}"))
}

fn mixed(line: &str) -> Option<String> {
    let (blank, word, rest) = word(line)?;
    Some(format!("{blank}{}{}{rest}", word[..1].to_uppercase(), word[1..].to_lowercase()))
}

fn head(line: &str) -> bool {
    word(line).is_some_and(|(_, word, _)| ["IF", "WHILE", "FOR"].iter().any(|head| word.eq_ignore_ascii_case(head)))
}

fn closes(line: &str) -> bool {
    word(line).is_some_and(|(_, word, rest)| word.to_uppercase().starts_with("END") && rest.trim().is_empty())
}

/// Whether a line is a statement with a value.
fn value(line: &str) -> bool {
    let is =
        |word: &str| ["SET", "EMIT", "RETURN", "MUST", "CALL"].iter().any(|known| word.eq_ignore_ascii_case(known));
    word(line).is_some_and(|(_, word, rest)| is(word) && !rest.trim().is_empty())
}

fn unquoted(line: &str) -> Option<String> {
    let at = line.rfind('"').filter(|_| line.matches('"').count().is_multiple_of(2) && !line.contains('\''))?;
    Some(format!("{}{}", &line[..at], &line[at + 1..]))
}

fn without_joint(line: &str) -> &str {
    let line = line.trim_end();
    ["THEN", "DO", "then", "do"].iter().find_map(|joint| line.strip_suffix(joint)).unwrap_or(line).trim_end()
}

/// Breaks some lines of a script. Returns the script and the numbers of these lines, counted from 1.
fn broken(script: &str, dice: &mut Dice) -> (String, BTreeSet<usize>) {
    let whole = whole_lines(script);
    let mut lines: Vec<String> = script.lines().map(str::to_owned).collect();
    let mut places = BTreeSet::new();
    let wanted = 1 + dice.below(5);
    for _ in 0..4 * wanted {
        if places.len() == wanted {
            break;
        }
        let number = dice.pick(&whole);
        let way = dice.pick(&WAYS);
        if places.contains(&(number + 1)) {
            continue;
        }
        if let Some(new) = way(&lines[number], dice) {
            lines[number] = new;
            places.insert(number + 1);
        }
    }
    (lines.join("\n") + "\n", places)
}

/// Returns the seed, from the variable `SEED` if it is set.
fn seed() -> u64 {
    std::env::var("SEED").ok().and_then(|seed| seed.parse().ok()).unwrap_or(7)
}

#[test]
fn each_of_several_mistakes_is_reported_and_nothing_else() {
    let (checker, mut dice) = (Checker::new(), Dice::new(seed()));
    let scripts = scripts(&checker);
    assert!(scripts.len() > 100, "{} scripts", scripts.len());
    let (mut made, mut found, mut wrong, mut failed) = (0, 0, String::new(), 0);
    for _ in 0..ROUNDS {
        let script = &scripts[dice.below(scripts.len())];
        let (text, places) = broken(script, &mut dice);
        let errors = checker.errors(&text);
        let lines: Vec<usize> = errors.iter().map(|error| error.line).collect();
        let reported: BTreeSet<usize> = lines.iter().copied().collect();
        let is_first_known = places.first().is_none_or(|first| reported.contains(first));
        let is_right = reported.is_subset(&places) && lines.len() == reported.len() && is_first_known;
        if !is_right {
            failed += 1;
            if failed <= 25 {
                wrong.push_str(&format!("{}\n{places:?} are broken, reported {errors:#?}\n\n", numbered(&text)));
            }
        }
        made += places.len();
        found += reported.intersection(&places).count();
    }
    let share = found as f64 / made as f64;
    println!("{found} of {made} broken lines are reported: {share:.4}; {failed} rounds failed");
    // Two errors together can look like another one, such as a misspelled IF before an `elif`.
    assert!(failed * 1_000 <= ROUNDS, "{failed} of {ROUNDS}\n{wrong}");
    assert!(share > 0.99, "{share}");
}

/// Returns the line ranges of the procedures of a script, by the parser.
fn procedures(text: &str) -> Vec<std::ops::Range<usize>> {
    let parsed = neuroscript::engine::parse_script(&neuroscript::engine::Script::new("case.ns", text));
    let source = parsed.sources.last().expect("the script");
    let place = |span| source.position(span).line - 1;
    let bodies = parsed.tree.procedures().filter(|procedure| !procedure.body.is_empty());
    bodies
        .map(|procedure| place(procedure.name.span) + 1..place(procedure.body[procedure.body.len() - 1].span) + 1)
        .collect()
}

/// One line broken in each of two procedures gives two errors, one on each of the lines.
#[test]
fn errors_in_two_procedures_are_both_reported() {
    let (checker, mut dice) = (Checker::new(), Dice::new(seed()));
    let scripts = scripts(&checker);
    let several: Vec<_> = scripts.iter().filter(|script| procedures(script).len() >= 2).collect();
    assert!(several.len() > 20, "{} scripts with several procedures", several.len());
    let (mut made, mut failed, mut wrong) = (0, 0, String::new());
    for round in 0..ROUNDS / 2 {
        let script = several[round % several.len()];
        let (whole, bodies) = (whole_lines(script), procedures(script));
        let mut lines: Vec<String> = script.lines().map(str::to_owned).collect();
        let mut places = BTreeSet::new();
        let first = dice.below(bodies.len() - 1);
        for body in [&bodies[first], &bodies[first + 1]] {
            let inside: Vec<usize> = whole.iter().copied().filter(|line| body.contains(line)).collect();
            let broken = inside.iter().find_map(|_| {
                let number = dice.pick(&inside);
                dice.pick(&WAYS)(&lines[number], &mut dice).map(|line| (number, line))
            });
            if let Some((number, line)) = broken {
                lines[number] = line;
                places.insert(number + 1);
            }
        }
        if places.len() < 2 {
            continue;
        }
        made += 1;
        let text = lines.join("\n") + "\n";
        let reported: Vec<usize> = checker.errors(&text).iter().map(|error| error.line).collect();
        if reported != places.iter().copied().collect::<Vec<_>>() {
            failed += 1;
            wrong.push_str(&format!("{}\n{places:?} are broken, reported {reported:?}\n\n", numbered(&text)));
        }
    }
    println!("{failed} of {made} rounds failed");
    assert!(made > ROUNDS / 10 && failed * 200 <= made, "{failed} of {made}\n{wrong}");
}

/// Returns the lines and codes of the warnings of a script.
fn warnings(checker: &Checker, script: &str) -> BTreeSet<(usize, String)> {
    let checked = checker.check(script);
    let warnings = checked.findings.iter().filter(|finding| !finding.is_error());
    warnings
        .filter_map(|finding| {
            let span = finding.span()?;
            let line = checked.sources.of(span)?.position(span).line;
            Some((line, finding.code.id().to_owned()))
        })
        .collect()
}

/// A script with errors has no warning that the correct script does not have, and keeps most of those that stand on other lines.
#[test]
fn no_warning_follows_from_an_error() {
    let (checker, mut dice) = (Checker::new(), Dice::new(seed()));
    let scripts = scripts(&checker);
    let warned: Vec<_> = scripts.iter().map(|script| (script, warnings(&checker, script))).collect();
    let warned: Vec<_> = warned.into_iter().filter(|(_, warnings)| !warnings.is_empty()).collect();
    assert!(warned.len() > 30, "{} scripts with warnings", warned.len());
    let (mut expected, mut kept, mut wrong, mut failed) = (0, 0, String::new(), 0);
    for round in 0..ROUNDS {
        // Every other script has no warnings, so that any is false.
        let plain = dice.below(scripts.len());
        let (script, before) = if round % 2 == 0 {
            let (script, before) = &warned[dice.below(warned.len())];
            (*script, before.clone())
        } else {
            (&scripts[plain], warnings(&checker, &scripts[plain]))
        };
        let (text, places) = broken(script, &mut dice);
        let after = warnings(&checker, &text);
        if !after.is_subset(&before) {
            failed += 1;
            let new: Vec<_> = after.difference(&before).collect();
            if failed <= 25 {
                wrong.push_str(&format!("{}\n{places:?} are broken, new warnings {new:?}\n\n", numbered(&text)));
            }
        }
        let elsewhere: BTreeSet<_> = before.iter().filter(|(line, _)| !places.contains(line)).collect();
        expected += elsewhere.len();
        kept += elsewhere.into_iter().filter(|warning| after.contains(*warning)).count();
    }
    let share = kept as f64 / expected as f64;
    println!("{kept} of {expected} warnings are kept: {share:.4}; {failed} rounds failed\n{wrong}");
    assert!(failed * 2_000 <= ROUNDS, "{failed} of {ROUNDS}\n{wrong}");
    assert!(share > 0.6, "{share}");
}

fn numbered(text: &str) -> String {
    text.lines().enumerate().map(|(number, line)| format!("{:3} {line}\n", number + 1)).collect()
}

/// A check reports a bounded number of errors, and does not read the rest of the text.
#[test]
fn a_text_of_nothing_but_mistakes_ends_at_a_hundred() {
    let checker = Checker::new();
    let errors = checker.errors(&"SET x 5\n".repeat(100_000));
    assert_eq!(errors.len(), 101, "{:?}", errors.last());
    assert!(
        errors[100].message.starts_with("NS0024")
            && errors[..100].iter().zip(1..).all(|(error, line)| error.line == line)
    );
}

/// A run reports the same errors as a check, and executes nothing.
#[test]
fn a_run_shows_the_same_list_as_a_check() {
    let place = tempfile::tempdir().expect("a folder for the test");
    let text = "EMIT \"ran\"\nSET x 5\nif x:\n  EMITT 1\nend\nEMIT (1 + 2\nEMIT totl\n";
    fs::write(place.path().join("a.ns"), text).expect("a script");
    let file = place.path().join("a.ns");
    let checked = run(ns(place.path()).args(["check", "--format", "json"]).arg(&file));
    let findings: serde_json::Value = serde_json::from_str(&checked.stdout).expect("JSON");
    let lines: Vec<u64> = findings
        .as_array()
        .expect("a list")
        .iter()
        .filter(|finding| finding["severity"] == "error")
        .map(|finding| finding["place"]["line"].as_u64().expect("a line"))
        .collect();
    assert_eq!((checked.code, &lines[..]), (3, &[2, 3, 4, 6, 7][..]));
    let ran = run(ns(place.path()).arg("run").arg(&file));
    let shown = ran.stderr.lines().filter(|line| line.starts_with("error[")).count();
    assert_eq!((ran.code, ran.stdout.as_str(), shown), (1, "", lines.len()), "{}", ran.stderr);
}
