//! Names that look alike: no script has two of them.

use crate::support::checker::Checker;

/// Invisible characters that Unicode allows within words.
const BLANKS: [char; 16] = [
    '\u{fe0f}',
    '\u{fe0e}',
    '\u{fe00}',
    '\u{e0100}',
    '\u{e01ef}',
    '\u{180b}',
    '\u{180d}',
    '\u{180f}',
    '\u{34f}',
    '\u{115f}',
    '\u{1160}',
    '\u{17b4}',
    '\u{17b5}',
    '\u{3164}',
    '\u{ffa0}',
    '\u{200d}',
];

/// Names in their composed form, and how else they can be written.
const COMPOSED: [(&str, &[&str]); 8] = [
    ("é", &["e\u{301}"]),
    ("größe", &["gro\u{308}ße"]),
    ("ậ", &["a\u{323}\u{302}", "ạ\u{302}", "â\u{323}", "a\u{302}\u{323}"]),
    ("Å", &["\u{212b}", "A\u{30a}"]),
    ("K", &["\u{212a}"]),
    ("각", &["\u{1100}\u{1161}\u{11a8}", "가\u{11a8}"]),
    ("がく", &["か\u{3099}く"]),
    ("x\u{323}\u{301}", &["x\u{301}\u{323}"]),
];

/// Places of a name `@` in a script that is right with the name `a`.
const PLACES: [&str; 7] = [
    "SET @ = 1\nEMIT @",
    "FOR EACH @ IN [1] DO\n  EMIT @\nEND",
    "DEFINE PROCEDURE P(@)\n  RETURN @\nEND\nEMIT P(1)",
    "DEFINE PROCEDURE @()\n  RETURN 1\nEND\nEMIT @()",
    "SET m = {\"a\": 1}\nEMIT m.@ == nil",
    "ON ERROR AS @ DO\n  EMIT @.message\nEND\nEMIT 1",
    "SET m = {}\nSET m.@ = 1\nEMIT m",
];

fn refusals(checker: &Checker, name: &str) -> Vec<String> {
    PLACES
        .iter()
        .map(|place| {
            let faults = checker.errors(&place.replace('@', name));
            faults.into_iter().map(|fault| fault.message).collect::<Vec<_>>().join("; ")
        })
        .collect()
}

#[test]
fn invisible_characters_in_names_are_refused() {
    let checker = Checker::new();
    assert!(refusals(&checker, "a").iter().all(String::is_empty), "{:?}", refusals(&checker, "a"));
    for blank in BLANKS {
        for name in
            [format!("a{blank}"), format!("a{blank}b"), format!("é{blank}"), format!("{blank}a"), format!("字{blank}")]
        {
            for (message, place) in refusals(&checker, &name).iter().zip(PLACES) {
                assert!(
                    message.contains("NS0009") && message.contains(&format!("U+{:04X}", blank as u32)),
                    "{name:?} in {place}: {message}"
                );
            }
        }
        let texts = format!("EMIT \"a{blank}\", LEN('''{blank}''') # a{blank}\nCOMMENT: {blank} ENDCOMMENT\n");
        assert_eq!(checker.errors(&texts), [], "{blank:?} in texts and comments");
    }
}

#[test]
fn names_are_written_in_one_form() {
    let checker = Checker::new();
    for (name, others) in COMPOSED {
        assert!(refusals(&checker, name).iter().all(String::is_empty), "{name}: {:?}", refusals(&checker, name));
        for other in others {
            for (message, place) in refusals(&checker, other).iter().zip(PLACES) {
                assert!(
                    message.contains("NS0009") && message.contains("composed form"),
                    "{other:?} in {place}: {message}"
                );
            }
            assert_eq!(
                checker.errors(&format!("EMIT \"{other}\", {{\"{other}\": 1}} # {other}\n")),
                [],
                "{other:?} in texts"
            );
        }
    }
}
