//! Random programs: 500, or 10,000 with `NS_LONG=1`. Each keeps its behaviour, its comments and, after one pass, its
//! form. Also the suite's scripts with characters removed and inserted.

use neuroscript::engine::{Clock, Engine, Invocation, Options, Script};

use super::corpus::scripts;
use super::program::program;
use super::{form, formed};
use crate::support::Captured;
use crate::support::dice::Dice;

fn engine(folder: &tempfile::TempDir) -> Engine {
    let options = Options {
        sandbox: Some(folder.path().to_owned()),
        read_only: true,
        max_steps: Some(20_000),
        clock: Clock::Fixed(chrono::DateTime::UNIX_EPOCH),
        seed: Some(1),
        ..Options::default()
    };
    Engine::open(&options).unwrap_or_else(|error| panic!("the engine: {:?}", error.findings))
}

/// Returns the output of a program, and its findings.
fn done(engine: &Engine, text: &str) -> (String, Vec<(&'static str, String)>) {
    let output = Captured::default();
    let outcome = engine.run(&Script::new("case.ns", text), &Invocation::default(), Box::new(output.clone()));
    let findings = outcome.findings.iter().map(|finding| (finding.code.id(), finding.message.clone()));
    (output.text(), findings.collect())
}

fn number_of_cases() -> u64 {
    if std::env::var_os("NS_LONG").is_some() { 10_000 } else { 500 }
}

#[test]
fn generated_programs_keep_what_they_do_their_comments_and_their_form() {
    let folder = tempfile::tempdir().expect("a sandbox");
    let engine = engine(&folder);
    let mut printed = 0;
    for seed in 0..number_of_cases() {
        let program = program(seed);
        let once = form(&program.text, None).unwrap_or_else(|codes| panic!("{seed}: {codes:?}\n{}", program.text));
        assert_eq!(formed(&once), once, "{seed}: a second pass changes\n{}", program.text);
        let mut rest = once.as_str();
        for comment in &program.comments {
            let at = rest.find(&format!("{comment}\n"));
            let at = at.unwrap_or_else(|| panic!("{seed}: {comment:?} is gone or elsewhere\n{}\n{once}", program.text));
            rest = &rest[at + comment.len()..];
        }
        let before = done(&engine, &program.text);
        printed += usize::from(!before.0.is_empty());
        assert_eq!(done(&engine, &once), before, "{seed}:\n{}\n{once}", program.text);
    }
    assert!(printed > 50, "{printed} programs print something");
}

#[test]
fn texts_with_characters_lost_or_put_in_have_a_form_or_a_fault() {
    const PIECES: &[&str] =
        &["(", ")", "[", "]", "{", "}", ",", "\n", " ", "#", "\\\n", "'''", "\"", "-", "END\n", "COMMENT:"];
    let scripts: Vec<String> = scripts().into_iter().map(|(_, text)| text).filter(|text| !text.is_empty()).collect();
    let mut dice = Dice::new(7);
    for _ in 0..number_of_cases() * 4 {
        let mut text = scripts[dice.below(scripts.len())].clone();
        for _ in 0..1 + dice.below(3) {
            let at = text.floor_char_boundary(dice.below(text.len() + 1));
            let piece = dice.pick(PIECES);
            if dice.one_in(2) {
                text.insert_str(at, piece)
            } else {
                text.replace_range(at..text.ceil_char_boundary((at + 1).min(text.len())), "")
            }
        }
        match form(&text, None) {
            Ok(form) => assert_eq!(formed(&form), form, "{text}"),
            Err(codes) => assert!(!codes.contains(&"NS0901"), "{codes:?}\n{text}"),
        }
    }
}
