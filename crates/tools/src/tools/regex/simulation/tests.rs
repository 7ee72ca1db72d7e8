//! The simulation beside the library.

use proptest::prelude::{ProptestConfig, proptest};
use regex::Regex;
use regex_syntax::parse;

use super::{Simulation, Task, UNSET};

/// Compares the groups of all matches, from every start and in every range, with those of the library.
fn same(pattern: &str, text: &str) {
    let expression = parse(pattern).expect("a pattern");
    let simulation = Simulation::new(&expression, 1 << 22, false).expect("it is small");
    let library = Regex::new(pattern).expect("a pattern");
    let slots = 2 * library.captures_len();
    for from in (0..=text.len()).filter(|from| text.is_char_boundary(*from)) {
        let task = Task { range: from..text.len(), is_anchored: false, is_any_enough: false, slots };
        let found = simulation.search(text.as_bytes(), &task).expect("there is time");
        let wanted = library.captures_at(text, from).map(|groups| {
            let ends = groups.iter().map(|group| group.map_or((UNSET, UNSET), |group| (group.start(), group.end())));
            ends.flat_map(|(start, end)| [start, end]).collect::<Vec<usize>>()
        });
        assert_eq!(found, wanted, "`{pattern}` in `{text}` from {from}");
        let Some(positions) = found else { continue };
        let range = positions[0]..positions[1];
        let groups = Task { range: range.clone(), is_anchored: true, is_any_enough: false, slots };
        let again = simulation.search(text.as_bytes(), &groups).expect("there is time");
        assert_eq!(again, Some(positions), "the groups of `{pattern}` in {range:?} of `{text}`");
        let any = Task { range: from..text.len(), is_anchored: false, is_any_enough: true, slots: 0 };
        assert!(simulation.search(text.as_bytes(), &any).expect("there is time").is_some(), "`{pattern}` in `{text}`");
    }
}

#[test]
fn groups_and_word_boundaries_are_those_of_the_library() {
    let texts = ["", "a", "aab", "é", "aéb é", "a b\nc a\n", "éa ab", "ab abab", "aa  bb"];
    for pattern in [
        "",
        "a*",
        "(a)|(b)",
        "((a)|(ab))(b?)",
        "(a*)*",
        "(a|b)*?b",
        r"\b",
        r"\b(\w+)\b",
        r"\B",
        r"(\b)|(\B)",
        r"\b{start}(.)",
        r"(?m)^(.*)$",
        "(?s)(.*)(b)",
        r"(é|)(a|)",
        "(?i)(AB)+",
        r"(?P<x>a)(?P<y>b)?",
        "[^a]+",
        r"\bab\b",
        "(?:a|b){2,3}?(b)",
        r"(?-u:\b)(a)",
        "$",
        r"\A(a)",
        r"(a)\z",
    ] {
        texts.iter().for_each(|text| same(pattern, text));
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 500, failure_persistence: None, ..ProptestConfig::default() })]
    #[test]
    fn in_random_texts_too(
        text in "[abcxé \n]{0,12}",
        pattern in "(([abcxé.]|\\[\\^?a-b\\]|\\(a\\|(bc)?\\)|\\\\b|\\\\B|\\\\w|\\^|\\$)|\\(([abé]|\\\\b|\\\\w)([*+?]\\??)?\\)([*+?]\\??)?){1,4}",
    ) {
        if parse(&pattern).is_ok() {
            same(&pattern, &text);
        }
    }
}
