//! Parsers of YAML end soon after an interrupt inside one scalar, comment or stretch of white space, however long.

use neuroscript::engine::Ending;

use super::{Trial, Trials, engine};

/// Beginning, repeated unit and end of texts that the parser takes for one piece.
const TEXTS: [(&str, &str, &str); 17] = [
    ("|\\n", "...\\n", "[{"),
    ("'", "a ", ""),
    ("'", "a", "'"),
    ("'", "''", "'"),
    ("\\\"", "a ", "\\\""),
    ("\\\"", "\\\\n", "\\\""),
    ("\\\"", "é", "\\\""),
    ("|\\n", " a b c\\n", ""),
    (">\\n", " a\\n\\n", ""),
    ("|\\n ", "a", ""),
    ("", "a ", ""),
    ("", "a", ""),
    ("", "1", ""),
    ("", "a:", ""),
    ("#", "a", "\\n1"),
    ("", " ", ""),
    ("", "\\n", "1"),
];

#[test]
fn no_yaml_scalar_is_read_on_after_an_interrupt() {
    /// Number of bytes of each text.
    const BYTES: usize = 30_000_000;
    let place = tempfile::tempdir().expect("a folder for the test");
    let engine = engine(place.path());
    let mut trials = Trials::new(&engine, "");
    for (head, unit, tail) in TEXTS {
        trials.set(&format!("SET t = \"{head}\" + STR.Repeat(\"{unit}\", {}) + \"{tail}\"", BYTES / unit.len()));
        for call in ["YAML.Parse(t)", "YAML.Set(t, \"[0]\", 1)", "YAML.Remove(t, \"[0]\")"] {
            let Trial { ending, message, .. } = trials.interrupt(call);
            // A text that is no YAML, or no list, fails if that is found before the interrupt.
            let is_refused =
                ending == Ending::Failed && ["YAML", "needs a list"].iter().any(|part| message.contains(part));
            let ends = is_refused || matches!(ending, Ending::Interrupted | Ending::Done);
            assert!(ends, "{ending:?}: {message}: {call} of {head}{unit}…{tail}");
        }
    }
    trials.end(2);
}
