//! Searches with regular expressions end soon after an interrupt: expressions of the kinds that the library searches
//! slowly, in long texts, by every tool that takes an expression.

use neuroscript::engine::Ending;

use super::{Trial, Trials, engine};

/// Texts that no ordinary search goes through at once.
const TEXTS: &str = r#"
SET ascii = STR.Repeat("ab", 15000000)
SET words = "İ " + STR.Repeat("ab ", 15000000)
SET lines = STR.Repeat("ab é\n", 6000000)
"#;
const NAMES: [&str; 3] = ["ascii", "words", "lines"];

/// Expressions that the library searches slowly.
pub const PATTERNS: [&str; 12] = [
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
    let engine = engine(place.path());
    let mut trials = Trials::new(&engine, TEXTS);
    for call in CALLS.iter().skip(first).step_by(2) {
        for (name, pattern) in NAMES.iter().flat_map(|name| PATTERNS.iter().map(move |pattern| (name, pattern))) {
            let call = call.replace("TEXT", name).replace("PATTERN", &format!("'''{pattern}'''"));
            let Trial { ending, message, .. } = trials.interrupt(&call);
            assert!(matches!(ending, Ending::Interrupted | Ending::Done), "{ending:?}: {message}: {call}");
        }
    }
    trials.end(2);
}

#[test]
fn no_search_goes_on_after_an_interrupt() {
    searches(0);
}

#[test]
fn no_other_search_goes_on_after_an_interrupt() {
    searches(1);
}
