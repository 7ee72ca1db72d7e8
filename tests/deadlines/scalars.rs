//! Parsers of YAML end soon after an interrupt inside one scalar, comment or stretch of white space, however long.

use neuroscript::engine::{Ending, Engine, Options};

use super::support::Captured;
use super::{SLACK, interrupted_in_time};

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
    let options = Options { sandbox: Some(place.path().to_owned()), seed: Some(1), ..Options::default() };
    let engine = Engine::open(&options).unwrap_or_else(|error| panic!("{:?}", error.findings));
    let interrupt = engine.interrupt().clone();
    let mut session = engine.session(Box::new(Captured::default()));
    let (mut faults, mut stopped, mut calls) = (Vec::new(), 0, 0);
    for (head, unit, tail) in TEXTS {
        let times = BYTES / unit.len();
        let made = session.evaluate(&format!("SET t = \"{head}\" + STR.Repeat(\"{unit}\", {times}) + \"{tail}\""));
        assert_eq!(made.ending, Ending::Done, "{:?}", made.findings);
        for call in ["YAML.Parse(t)", "YAML.Set(t, \"[0]\", 1)", "YAML.Remove(t, \"[0]\")"] {
            let (late, ending) = interrupted_in_time(&mut session, &interrupt, &format!("SET r = {call}"));
            if let Some(late) = late.filter(|late| *late > SLACK) {
                faults.push(format!("{late:.2?} ({ending:?}): {call} of {head}{unit}…{tail}"));
            }
            session.evaluate("SET r = nil");
            calls += 1;
            stopped += usize::from(ending == Ending::Interrupted);
        }
    }
    println!("{calls} calls, of which {stopped} were interrupted");
    assert!(faults.is_empty(), "went on long after the interrupt:\n{}", faults.join("\n"));
    assert!(stopped > calls / 2, "the texts make the parser work long: {stopped} of {calls}");
}
