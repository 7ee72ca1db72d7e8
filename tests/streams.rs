//! Files that are gone through line by line: the lines are those of the whole text, memory does not grow with the file,
//! limits hold, and no handle stays open.

#![allow(clippy::disallowed_methods, reason = "tests set up folders of their own")]

use std::fs;
use std::path::Path;

use neuroscript::engine::{EmitError, Ending, Engine, Invocation, Meter, Options, Outcome, Output, Script, Value};
use serde_json::{Value as Json, json};

use crate::pages::{FORMS, text};
use crate::support::dice::Dice;
use crate::support::{Captured, ns, with_input};

/// Size of the blocks in which files are read.
const BLOCK: usize = 1 << 16;

fn engine(root: &Path) -> Engine {
    let options = Options { sandbox: Some(root.to_owned()), state: Some(root.join("state")), ..Options::default() };
    Engine::open(&options).unwrap_or_else(|error| panic!("no engine: {:?}", error.findings))
}

fn called(engine: &Engine, tool: &str, args: Json) -> Result<Json, String> {
    let args: Value = serde_json::from_value(args).expect("every argument is a value");
    let value = engine.call(tool, &args).map_err(|error| error.message.to_string())?;
    let value = serde_json::to_value(&value).expect("every value is JSON");
    match value.get("error") {
        Some(Json::String(error)) => Err(error.clone()),
        _ => Ok(value),
    }
}

/// Returns the lines of the whole text of a file, as `STR.Lines` gives them, or the error of reading it.
fn whole(engine: &Engine, encoding: Option<&str>) -> Result<Json, String> {
    let mut args = json!({ "path": "f", "max_size_mb": 100 });
    if let Some(encoding) = encoding {
        args["encoding"] = encoding.into();
    }
    let read = called(engine, "read_file", args)?;
    called(engine, "str_lines", json!({ "text": read["content"] }))
}

fn streamed(engine: &Engine, encoding: Option<&str>) -> Result<Json, String> {
    let args = encoding.map_or(json!({ "path": "f" }), |encoding| json!({ "path": "f", "encoding": encoding }));
    called(engine, "lines", args)
}

#[test]
fn lines_are_those_of_the_whole_text_in_every_encoding() {
    let place = tempfile::tempdir().expect("a folder for the test");
    let engine = engine(place.path());
    let mut dice = Dice::new(7);
    for form in FORMS {
        for length in [0, 1, 40, 1_300, 2_600] {
            let text = text(&mut dice, length);
            fs::write(place.path().join("f"), (form.bytes)(&text)).expect("a file");
            let (found, wanted) = (streamed(&engine, form.encoding), whole(&engine, form.encoding));
            assert!(found == wanted, "{}, {length} lines", form.name);
        }
    }
}

/// Pieces that mean something to the reader of lines, or to the guess of the encoding.
const ODD: &[&[u8]] = &[
    b"\r\n",
    b"\n",
    b"\r",
    b"\r\r\n",
    "é".as_bytes(),
    "€".as_bytes(),
    "🙂\n".as_bytes(),
    b"\xff",
    b"\xe9t\xe9\n",
    b"\xe2\x82",
    b"\xc3\n",
    b"\xef\xbb\xbf",
    b"\0",
    b"\x1b[31mred\x1b[0m\n",
    b"\x82\xa0\x82\xa2\n",
];

#[test]
fn lines_are_those_of_the_whole_text_where_blocks_end() {
    let place = tempfile::tempdir().expect("a folder for the test");
    let engine = engine(place.path());
    let mut dice = Dice::new(11);
    let files = if std::env::var_os("NS_LONG").is_some() { 1_000 } else { 40 };
    for number in 0..files {
        let mut bytes = Vec::new();
        for _ in 0..1 + dice.below(4) {
            let filler: &[u8] = dice.pick(&[b"x", b"some words of a line that ends\n", b"\n"]);
            let near = dice.pick(&[0, 1, 4_096, BLOCK, 2 * BLOCK]) + BLOCK * dice.below(2);
            let length = (near + 4).saturating_sub(dice.below(8));
            while bytes.len() < length {
                bytes.extend_from_slice(&filler[..filler.len().min(length - bytes.len())]);
            }
            (0..1 + dice.below(4)).for_each(|_| bytes.extend_from_slice(dice.pick(ODD)));
        }
        fs::write(place.path().join("f"), &bytes).expect("a file");
        for encoding in [None, Some("auto"), Some("utf-8"), Some("latin-1"), Some("utf-16le"), Some("shift_jis")] {
            let (found, wanted) = (streamed(&engine, encoding), whole(&engine, encoding));
            assert!(found == wanted, "file {number} in {encoding:?}: {:?}, {:?}", found.err(), wanted.err());
        }
    }
}

/// Returns the text of a table of two columns, with a few faults.
fn table(dice: &mut Dice) -> String {
    let mut text = String::new();
    for _ in 0..1 + dice.below(6) {
        for end in [",", "\n"] {
            let long = dice.pick(&[0, 0, 0, BLOCK - 20, BLOCK - 3]);
            text.push_str(&match dice.below(4) {
                0 => "plain é".to_owned(),
                1 => "x".repeat(long + dice.below(8)),
                _ => format!("\"{}{}\"", "y".repeat(long), dice.pick(&["", "\"\"", ",", "a\r\nb", "\"\",\"\"", "é\n"])),
            });
            text.push_str(if end == "\n" && dice.one_in(3) { "\r\n" } else { end });
        }
        if dice.one_in(12) {
            text.push_str(dice.pick(&["\"", "a\"b,c\n", "one\n", "\n\n", "\"a\"b,c\n"]));
        }
    }
    text
}

#[test]
fn rows_are_those_of_the_whole_text() {
    let place = tempfile::tempdir().expect("a folder for the test");
    let engine = engine(place.path());
    let mut dice = Dice::new(3);
    for number in 0..150 {
        let text = table(&mut dice);
        fs::write(place.path().join("f"), &text).expect("a file");
        let found = called(&engine, "csv_rows", json!({ "path": "f", "header": false }));
        let wanted = called(&engine, "csv_parse", json!({ "text": text, "header": false }));
        // A text with several faults is refused for another one.
        assert!(found.clone().ok() == wanted.clone().ok(), "text {number}: {:?}, {:?}", found.err(), wanted.err());
    }
}

#[test]
fn escapes_of_japanese_do_not_decide_for_what_comes_later() {
    let place = tempfile::tempdir().expect("a folder for the test");
    let engine = engine(place.path());
    let mut bytes = b"\x1b$B$\"\x1b(B\n".to_vec();
    bytes.extend(b"words\n".repeat(2 * BLOCK));
    fs::write(place.path().join("f"), &bytes).expect("a file");
    assert_eq!(streamed(&engine, None), whole(&engine, None), "it is UTF-8 too");
    bytes.extend(b"\xff\n");
    fs::write(place.path().join("f"), &bytes).expect("a file");
    let error = streamed(&engine, None).expect_err("either may be meant");
    assert_eq!(error, "the encoding of `f` cannot be told: it begins as UTF-8");
    assert_eq!(streamed(&engine, Some("auto")), whole(&engine, Some("auto")));
}

fn executed(engine: &Engine, script: &str) -> (Outcome, String) {
    let output = Captured::default();
    let outcome = engine.run(&Script::new("case.ns", script), &Invocation::default(), Box::new(output.clone()));
    (outcome, output.text())
}

/// A folder with a file of 8 MiB, for a run that may use 1 MiB.
fn small_memory() -> tempfile::TempDir {
    let place = tempfile::tempdir().expect("a folder for the test");
    fs::write(place.path().join("neuroscript.toml"), "[limits]\nmemory_bytes = 1048576\n").expect("a policy");
    let line = format!("{{\"text\": \"{}\"}}\n", "words ".repeat(40));
    fs::write(place.path().join("f"), line.repeat(8 << 20 >> 8)).expect("a file");
    place
}

const PROCEDURES: &str = "DEFINE PROCEDURE Count(sum, line)\n  RETURN sum + 1\nEND\n\
    DEFINE PROCEDURE No(line)\n  RETURN line == \"\"\nEND\n\
    DEFINE PROCEDURE Yes(line)\n  RETURN line != \"\"\nEND\n\
    DEFINE PROCEDURE Each(path)\n  SET n = 0\n  FOR EACH i, line IN FS.Lines(path) DO\n    SET n = i + 1\n  END\n  RETURN n\nEND\n";

#[test]
fn memory_does_not_grow_with_the_file() {
    let place = small_memory();
    let engine = engine(place.path());
    let turns = |call: &str| format!("SET n = 0\nFOR EACH x IN {call} DO\n  SET n = n + 1\nEND\nEMIT n");
    let spellings = [
        turns("FS.Lines(\"f\")"),
        turns("FS.Lines(path: \"f\", encoding: \"utf-8\")"),
        turns("FS.Lines({\"path\": \"f\"})"),
        turns("JSON.Lines(\"f\")"),
        turns("CSV.Rows(\"f\", header: false, separator: \"|\")"),
        "EMIT Each(\"f\")".to_owned(),
        "EMIT LEN(FS.Lines(\"f\"))".to_owned(),
        "EMIT LEN(JSON.Lines(path: \"f\"))".to_owned(),
        "EMIT LIST.Reduce(FS.Lines(\"f\"), Count, 0)".to_owned(),
        "SET p = {\"a\": \"f\"}\nSET p.a = LIST.Reduce(FS.Lines(p.a), Count, 0)\nEMIT p.a".to_owned(),
    ];
    for spelling in spellings {
        let (outcome, output) = executed(&engine, &format!("{PROCEDURES}{spelling}"));
        assert_eq!(output, "32768\n", "{spelling}: {:?}", outcome.findings);
    }
    for (spelling, wanted) in [
        ("LIST.Any(FS.Lines(\"f\"), No)", "false\n"),
        ("LIST.All(FS.Lines(\"f\"), Yes)", "true\n"),
        ("LIST.Filter(FS.Lines(\"f\"), No)", "[]\n"),
    ] {
        let (outcome, output) = executed(&engine, &format!("{PROCEDURES}EMIT {spelling}"));
        assert_eq!(output, wanted, "{spelling}: {:?}", outcome.findings);
    }
}

#[test]
fn a_list_that_does_not_fit_says_to_loop_over_the_call() {
    let place = small_memory();
    let engine = engine(place.path());
    for (tool, spelling) in [
        ("FS.Lines", "SET lines = FS.Lines(\"f\")"),
        ("FS.Lines", "EMIT FS.Lines(\"f\")[0]"),
        ("FS.Lines", "EMIT LEN(LIST.Take(FS.Lines(\"f\"), 1))"),
        ("FS.Lines", "FOR EACH line IN FS.Lines(\"f\") DO\n  SET seen = LAST\nEND"),
        ("JSON.Lines", "EMIT LIST.SortBy(JSON.Lines(\"f\"), LEN)"),
        ("CSV.Rows", "SET rows = CSV.Rows(\"f\", \"|\", header: false)"),
    ] {
        let (outcome, _) = executed(&engine, &format!("ON ERROR DO\n  CLEAR_ERROR\nEND\n{spelling}"));
        let [finding] = &outcome.findings[..] else { panic!("{spelling}: {:?}", outcome.findings) };
        let help = format!("loop over the call itself, which makes no list: `FOR EACH item IN {tool}(…)`");
        assert_eq!(finding.code.id(), "NS0607", "{spelling}");
        assert!(finding.help.iter().any(|text| text.contains(&help)), "{spelling}: {:?}", finding.help);
    }
    let error = called(&engine, "lines", json!({ "path": "f" })).expect_err("it does not fit");
    assert!(error.contains("memory_bytes"), "{error}");
}

#[test]
fn an_interrupt_ends_the_reading_of_a_line() {
    let place = tempfile::tempdir().expect("a folder for the test");
    fs::write(place.path().join("f"), format!("1\n{}", "x".repeat(20 << 20))).expect("a file");
    let engine = engine(place.path());
    for (source, first) in
        [("FS.Lines(\"f\")", "1\n"), ("JSON.Lines(\"f\")", "1\n"), ("CSV.Rows(\"f\", header: false)", "[\"1\"]\n")]
    {
        engine.interrupt().clear();
        let interrupt = engine.interrupt().clone();
        let output = Captured::default();
        let meddling = Meddling { meddle: Some(Box::new(move || interrupt.raise())), output: output.clone() };
        let script = format!("FOR EACH line IN {source} DO\n  EMIT line\nEND");
        let outcome = engine.run(&Script::new("case.ns", script), &Invocation::default(), Box::new(meddling));
        assert_eq!((outcome.ending, &*output.text()), (Ending::Interrupted, first), "{source}");
    }
}

#[test]
fn every_end_of_a_loop_closes_the_file() {
    let place = tempfile::tempdir().expect("a folder for the test");
    fs::write(place.path().join("f"), "one\ntwo\n").expect("a file");
    let script = "DEFINE PROCEDURE First(path)\n  FOR EACH line IN FS.Lines(path) DO\n    RETURN line\n  END\nEND\n\
        DEFINE PROCEDURE Failing(path)\n  ON ERROR DO\n    RETURN \"failed\"\n  END\n  FOR EACH line IN FS.Lines(path) DO\n    FAIL line\n  END\nEND\n\
        FOR EACH i IN RANGE(1500) DO\n  FOR EACH line IN FS.Lines(\"f\") DO\n    BREAK\n  END\n  MUST First(\"f\") == \"one\"\n  MUST Failing(\"f\") == \"failed\"\n  \
        MUST LIST.Any(FS.Lines(\"f\"), LEN)\nEND\nEMIT \"done\"";
    let (outcome, output) = executed(&engine(place.path()), script);
    assert_eq!(output, "done\n", "{:?}", outcome.findings);
}

/// An output that does something to a file at the first line.
struct Meddling {
    meddle: Option<Box<dyn FnOnce()>>,
    output: Captured,
}

impl Output for Meddling {
    fn emit(&mut self, values: &[Value], meter: &mut Meter) -> Result<(), EmitError> {
        self.meddle.take().into_iter().for_each(|meddle| meddle());
        self.output.emit(values, meter)
    }

    fn warn(&mut self, text: &str) {
        self.output.warn(text);
    }
}

/// Goes through a file of many blocks, to which something happens after the first line.
fn meddled(meddle: impl FnOnce(&Path) + 'static) -> (Outcome, String) {
    let place = tempfile::tempdir().expect("a folder for the test");
    let file = place.path().join("f");
    fs::write(&file, "a line\n".repeat(4 * BLOCK)).expect("a file");
    let output = Captured::default();
    let meddling = Meddling { meddle: Some(Box::new(move || meddle(&file))), output: output.clone() };
    let script = "ON ERROR AS err DO\n  EMIT err.code, \" \", err.message, \" \", err.path\nEND\nSET n = 0\nFOR EACH line IN FS.Lines(\"f\") DO\n  IF n == 0 THEN\n    EMIT line\n  END\n  SET n = n + 1\nEND\nEMIT n";
    let outcome = engine(place.path()).run(&Script::new("case.ns", script), &Invocation::default(), Box::new(meddling));
    (outcome, output.text())
}

#[test]
fn a_loop_reads_the_file_as_long_as_it_was_when_it_began() {
    let (_, appended) = meddled(|file| {
        let more = "more\n".repeat(4 * BLOCK);
        let mut text = fs::read_to_string(file).expect("the file");
        text.push_str(&more);
        fs::write(file, text).expect("the file grows in place");
    });
    assert_eq!(appended, "a line\n262144\n");
    let (_, replaced) = meddled(|file| {
        fs::remove_file(file).expect("the file goes");
        fs::write(file, "other\n").expect("another file");
    });
    assert_eq!(replaced, "a line\n262144\n");
    let (outcome, cut_off) = meddled(|file| fs::write(file, "a line\n").expect("the file shrinks in place"));
    assert_eq!(cut_off, "a line\nio_error `f`: it became shorter while it was read f\n");
    assert_eq!(outcome.ending, Ending::Failed);
}

#[test]
fn lines_of_the_input_come_one_by_one() {
    let place = tempfile::tempdir().expect("a folder for the test");
    fs::write(place.path().join("neuroscript.toml"), "[limits]\nmemory_bytes = 1048576\n").expect("a policy");
    let ran = with_input(ns(place.path()).args(["run", "-e", "EMIT LEN(IO.Lines())"]), &"words\r\n".repeat(1 << 18));
    assert_eq!((&*ran.stdout, &*ran.stderr, ran.code), ("262144\n", "", 0));
    let script = "EMIT IO.Input()\nFOR EACH i, line IN IO.Lines() DO\n  EMIT i, line\n  IF line == \"c\" THEN\n    BREAK\n  END\nEND\nEMIT IO.Input(), IO.Lines()";
    let ran = with_input(ns(place.path()).args(["run", "-e", script]), "a\nb\r\nc\nd\n\ne");
    assert_eq!((&*ran.stdout, &*ran.stderr), ("a\n0b\n1c\nd[\"\", \"e\"]\n", ""));
}

#[test]
fn a_session_pulls_although_its_next_line_may_read_last() {
    let place = small_memory();
    let engine = engine(place.path());
    let output = Captured::default();
    let mut session = engine.session(Box::new(output.clone()));
    for line in [
        "SET n = 0",
        "CALL STR.Upper(\"earlier\")",
        "FOR EACH line IN FS.Lines(\"f\") DO\n  SET n = n + 1\nEND",
        "EMIT n, \" \", LAST",
    ] {
        let done = session.evaluate(line);
        assert_eq!(done.ending, Ending::Done, "{line}: {:?}", done.findings);
    }
    assert_eq!(output.text(), "32768 nil\n");
}

#[test]
fn steps_do_not_depend_on_whether_there_is_a_list() {
    let place = tempfile::tempdir().expect("a folder for the test");
    fs::write(place.path().join("f"), "some words\n".repeat(20_000)).expect("a file");
    let engine = engine(place.path());
    let steps = |lines: &str| {
        let (outcome, output) = executed(&engine, &format!("FOR EACH line IN {lines} DO\n  EMIT line\nEND"));
        assert_eq!(output.len(), 220_000);
        outcome.steps
    };
    // `+ []` makes a list of the lines.
    assert_eq!(steps("FS.Lines(\"f\")"), steps("FS.Lines(\"f\") + []"));
}

#[test]
fn the_work_is_linear_in_the_size() {
    let place = tempfile::tempdir().expect("a folder for the test");
    let engine = engine(place.path());
    let steps = |lines: usize, width: usize| {
        fs::write(place.path().join("f"), format!("{}\n", "x".repeat(width)).repeat(lines)).expect("a file");
        let (outcome, output) = executed(&engine, "EMIT LEN(FS.Lines(\"f\"))");
        assert_eq!(output, format!("{lines}\n"), "{:?}", outcome.findings);
        outcome.steps
    };
    for (lines, width) in [(10_000, 20), (4, 2_000_000)] {
        let (once, four_times) = (steps(lines, width), steps(4 * lines, width));
        assert!(four_times <= 4 * once, "{once} and {four_times} steps");
    }
}
