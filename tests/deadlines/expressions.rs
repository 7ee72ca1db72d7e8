//! Searches with regular expressions end soon after an interrupt: expressions of the kinds that the library searches
//! slowly, in long texts, by every tool that takes an expression.

use neuroscript::engine::{Ending, Engine, Options};

use super::support::Captured;
use super::{SLACK, interrupted_in_time};

/// Texts that no ordinary search goes through at once.
const TEXTS: &str = r#"
SET ascii = STR.Repeat("ab", 15000000)
SET words = "İ " + STR.Repeat("ab ", 15000000)
SET lines = STR.Repeat("ab é\n", 6000000)
"#;
const NAMES: [&str; 3] = ["ascii", "words", "lines"];

/// Expressions that the library searches slowly.
const PATTERNS: [&str; 12] = [
    r"(?:(a|b)|(ab)|(a.)|(b.a)|(ba)|(\w)|(\w\w)|(.)(.)|(a*)(b))*",
    r"((?s).*)(b)",
    r"\b\w+\bq",
    r"(?:\b|\B|\w){1,150}q",
    r"(\w+)\s(?:(\w+)\s?)*",
    r"(?m)(^|\b)([^q]*)$q",
    r"(?:a|b|\s|é){1,150}(q)",
    r"[ab ]*a[ab ]{900}q",
    r"((a)|(b)|( )|(\n)|(é)|(İ))+",
    r"(?s)\b(.)*\b",
    r"((((((((((a|b))))))))))*q",
    r"(?s)(?:.{0,300})*z",
];

/// Calls of each tool that takes an expression.
const CALLS: [&str; 7] = [
    "REGEX.Match(TEXT, PATTERN)",
    "REGEX.Find(TEXT, PATTERN)",
    "REGEX.All(TEXT, PATTERN)",
    "REGEX.Groups(TEXT, PATTERN)",
    "REGEX.AllGroups(TEXT, PATTERN)",
    "REGEX.Split(TEXT, PATTERN)",
    "REGEX.Replace(TEXT, PATTERN, '''[$0]''')",
];

/// Interrupts every second call, beginning with the given one, with each text and each expression.
fn searches(first: usize) {
    let place = tempfile::tempdir().expect("a folder for the test");
    let options = Options { sandbox: Some(place.path().to_owned()), seed: Some(1), ..Options::default() };
    let engine = Engine::open(&options).unwrap_or_else(|error| panic!("{:?}", error.findings));
    let interrupt = engine.interrupt().clone();
    let mut session = engine.session(Box::new(Captured::default()));
    assert_eq!(session.evaluate(TEXTS).ending, Ending::Done);
    let (mut faults, mut stopped, mut calls) = (Vec::new(), 0, 0);
    for call in CALLS.iter().skip(first).step_by(2) {
        for (name, pattern) in NAMES.iter().flat_map(|name| PATTERNS.iter().map(move |pattern| (name, pattern))) {
            let line =
                format!("SET r = {}", call.replace("TEXT", name).replace("PATTERN", &format!("'''{pattern}'''")));
            let (late, ending) = interrupted_in_time(&mut session, &interrupt, &line);
            if let Some(late) = late.filter(|late| *late > SLACK) {
                faults.push(format!("{late:.2?} ({ending:?}): {line}"));
            }
            assert!(matches!(ending, Ending::Interrupted | Ending::Done), "{ending:?}: {line}");
            session.evaluate("SET r = nil");
            calls += 1;
            stopped += usize::from(ending == Ending::Interrupted);
        }
    }
    println!("{calls} searches, of which {stopped} were interrupted");
    assert!(faults.is_empty(), "went on long after the interrupt:\n{}", faults.join("\n"));
    assert!(stopped > calls / 2, "the expressions make searches work long: {stopped} of {calls}");
}

#[test]
fn no_search_goes_on_after_an_interrupt() {
    searches(0);
}

#[test]
fn no_other_search_goes_on_after_an_interrupt() {
    searches(1);
}
