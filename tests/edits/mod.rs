//! `Set` and `Remove` of INI, JSON, TOML and YAML: one value of a text changes, and nothing else.
//!
//! Random texts in odd layouts, at random paths (`NS_SEED` selects others, `NS_LONG=1` runs a hundred times as many).
//! The result must have the expected value, with every other byte unchanged. If a layout does not allow changing a
//! value on its own, the tool reports it; that must be rare.

#![allow(clippy::disallowed_methods, reason = "tests set up folders of their own")]

mod ini;
mod json;
mod odd;
mod real;
mod toml;
mod yaml;

use neuroscript::engine::{Engine, Options, Value};
use serde_json::{Value as Json, json};
use tempfile::TempDir;

use crate::support::dice::Dice;

/// An engine with a sandbox of its own.
pub struct Bench {
    _sandbox: TempDir,
    engine: Engine,
}

impl Bench {
    /// Creates a new one.
    pub fn open() -> Bench {
        let sandbox = tempfile::tempdir().expect("a folder");
        std::fs::create_dir(sandbox.path().join("root")).expect("a folder");
        let options = Options {
            sandbox: Some(sandbox.path().join("root")),
            state: Some(sandbox.path().join("state")),
            ..Options::default()
        };
        let engine = Engine::open(&options).unwrap_or_else(|error| panic!("no engine: {:?}", error.findings));
        Bench { _sandbox: sandbox, engine }
    }

    /// Calls a tool. The error is its message.
    pub fn call(&self, tool: &str, arguments: Json) -> Result<Json, String> {
        let arguments: Value = serde_json::from_value(arguments).expect("JSON is a value");
        match self.engine.call(tool, &arguments) {
            Ok(value) => Ok(serde_json::to_value(&value).expect("a value is JSON")),
            Err(error) => Err(error.message),
        }
    }

    /// Returns the value of a text.
    pub fn parse(&self, form: &str, text: &str) -> Result<Json, String> {
        self.call(&format!("{form}.Parse"), json!({"text": text}))
    }

    /// Sets a value at a path of a text.
    pub fn set(&self, form: &str, text: &str, path: &str, value: &Json) -> Result<String, String> {
        let made = self.call(&format!("{form}.Set"), json!({"text": text, "path": path, "value": value}))?;
        Ok(made.as_str().expect("it is a text").to_owned())
    }

    /// Removes the value at a path of a text.
    pub fn remove(&self, form: &str, text: &str, path: &str) -> Result<String, String> {
        let made = self.call(&format!("{form}.Remove"), json!({"text": text, "path": path}))?;
        Ok(made.as_str().expect("it is a text").to_owned())
    }
}

/// A part of a path.
#[derive(Clone, Debug)]
enum Part {
    Name(String),
    Index(usize),
}

fn written(parts: &[Part]) -> String {
    let part = |part: &Part| match part {
        Part::Index(index) => format!("[{index}]"),
        Part::Name(name) => format!("[\"{name}\"]"),
    };
    parts.iter().map(part).collect()
}

fn at<'v>(value: &'v mut Json, parts: &[Part]) -> &'v mut Json {
    parts.iter().fold(value, |value, part| match part {
        Part::Index(index) => &mut value[*index],
        Part::Name(name) => &mut value[name.as_str()],
    })
}

/// Returns a random path to an existing value.
fn way(value: &Json, dice: &mut Dice) -> Vec<Part> {
    let (mut parts, mut value) = (Vec::new(), value);
    loop {
        match value {
            Json::Array(items) if !items.is_empty() => {
                let index = dice.below(items.len());
                parts.push(Part::Index(index));
                value = &items[index];
            }
            Json::Object(map) if !map.is_empty() => {
                let name = map.keys().nth(dice.below(map.len())).expect("it is there");
                parts.push(Part::Name(name.clone()));
                value = &map[name];
            }
            _ => return parts,
        }
        if dice.one_in(3) {
            return parts;
        }
    }
}

/// Returns a random value to insert.
fn novel(form: &str, dice: &mut Dice, depth: usize) -> Json {
    let flat = [
        "word",
        "two words",
        "",
        "1.0",
        "yes",
        "a: b",
        "#x",
        "l1\nl2",
        "l\n",
        "é\"\\",
        "- x",
        "[",
        "2024-01-01",
        "a, b",
        "'",
        "\t",
    ];
    match dice.below(if depth > 0 { 9 } else { 6 }) {
        0 => json!(dice.below(1000) as i64 - 500),
        1 => json!(dice.below(1000) as f64 / 8.0),
        2 => json!(dice.one_in(2)),
        3 if form != "TOML" => Json::Null,
        6 => (0..dice.below(4)).map(|_| novel(form, dice, depth - 1)).collect(),
        7 | 8 => {
            let names = ["a", "b b", "c.d", "é", "", "n", "1"];
            (0..dice.below(4)).map(|_| (dice.pick(&names).to_owned(), novel(form, dice, depth - 1))).collect()
        }
        _ => json!(dice.pick(&flat)),
    }
}

/// Whether one text is a subsequence of another.
fn is_within(small: &str, large: &str) -> bool {
    let mut rest = large.chars();
    small.chars().all(|wanted| rest.any(|found| found == wanted))
}

fn comments(text: &str) -> Vec<&str> {
    let mut found: Vec<&str> = text
        .match_indices("# c")
        .map(|(at, _)| text[at..].split(['\r', '\n']).next().expect("there is a first"))
        .collect();
    found.sort_unstable();
    found
}

/// The results of the cases.
#[derive(Default)]
struct Tally {
    cases: usize,
    refused: Vec<String>,
}

/// Returns the result of a tool. Counts values that cannot be changed on their own.
fn taken(tally: &mut Tally, made: Result<String, String>, what: &str) -> Option<String> {
    tally.cases += 1;
    match made {
        Ok(text) => Some(text),
        Err(message) if message.contains("cannot be changed on its own") => {
            tally.refused.push(format!("{message}\n{what}"));
            None
        }
        Err(message) => panic!("{message}\n{what}"),
    }
}

fn is_flat(value: &Json) -> bool {
    !value.is_array() && !value.is_object()
}

/// Replaces an existing value and restores it.
fn replaces(bench: &Bench, form: &str, text: &str, value: &Json, dice: &mut Dice, tally: &mut Tally) {
    let parts = way(value, dice);
    let path = written(&parts);
    let new = if form == "TOML" && parts.is_empty() { json!({"new": 1}) } else { novel(form, dice, 2) };
    let what = format!("{form}.Set {path} {new}\n{text}");
    let Some(made) = taken(tally, bench.set(form, text, &path, &new), &what) else { return };
    let mut wanted = value.clone();
    let old = std::mem::replace(at(&mut wanted, &parts), new.clone());
    assert_eq!(bench.parse(form, &made).as_ref(), Ok(&wanted), "{what}\n--- made:\n{made}");
    if is_flat(&old) {
        assert_eq!(comments(&made), comments(text), "comments stay\n{what}\n--- made:\n{made}");
    }
    if text.ends_with('\n') && !parts.is_empty() {
        assert!(made.ends_with('\n'), "the last line break stays\n{what}\n--- made:\n{made}");
    }
    let is_as_printed = |value: &Json| [json!(1), json!(true), json!(null), json!("a"), json!("word")].contains(value);
    if form == "JSON" && is_as_printed(&old) {
        let back = bench.set(form, &made, &path, &old).expect("it was there");
        assert_eq!(back, text, "back again\n{what}\n--- made:\n{made}");
    }
}

/// Replaces words by others: nothing but the word changes, and it can be restored.
fn swaps(bench: &Bench, form: &str, text: &str, value: &Json, dice: &mut Dice, tally: &mut Tally) {
    let parts = way(value, dice);
    let mut whole = value.clone();
    let old = at(&mut whole, &parts).clone();
    let is_word = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_lowercase());
    if !old.as_str().is_some_and(is_word) {
        return;
    }
    let path = written(&parts);
    let what = format!("{form}.Set {path}\n{text}");
    let Some(made) = taken(tally, bench.set(form, text, &path, &json!("qqqqq")), &what) else { return };
    let word = old.as_str().expect("it is a text");
    let is_one = made.matches("qqqqq").count() == 1 && {
        let start = made.find("qqqqq").expect("it is there");
        text[..start] == made[..start] && text[start..].strip_prefix(word) == Some(&made[start + 5..])
    };
    // Multi-line blocks become a word on one line.
    if is_one || !text.contains(['|', '>']) && !text.contains("\"\"\"") {
        assert!(is_one, "only the word changes\n{what}\n--- made:\n{made}");
        assert_eq!(bench.set(form, &made, &path, &old).as_deref(), Ok(text), "back again\n{what}\n--- made:\n{made}");
    }
}

/// Adds a missing key, or an element at the end of a list.
fn adds(bench: &Bench, form: &str, text: &str, value: &Json, dice: &mut Dice, tally: &mut Tally) {
    let mut parts = way(value, dice);
    let mut wanted = value.clone();
    let mut new = novel(form, dice, 2);
    match at(&mut wanted, &parts) {
        Json::Array(items) => {
            if form == "TOML" && !items.is_empty() && items.iter().all(Json::is_object) {
                new = json!({"new": new});
            }
            parts.push(Part::Index(items.len()));
            items.push(new.clone());
        }
        Json::Object(map) => {
            parts.push(Part::Name("added".to_owned()));
            if dice.one_in(3) {
                parts.push(Part::Name("deep er".to_owned()));
                map.insert("added".to_owned(), json!({"deep er": new}));
            } else {
                drop(map.insert("added".to_owned(), new.clone()))
            }
        }
        _ => return,
    }
    let path = written(&parts);
    let what = format!("{form}.Set {path} {new}\n{text}");
    let Some(made) = taken(tally, bench.set(form, text, &path, &new), &what) else { return };
    assert_eq!(bench.parse(form, &made).as_ref(), Ok(&wanted), "{what}\n--- made:\n{made}");
    let squeezed = |text: &str| text.replace([' ', '\n', '\r', '\t'], "");
    assert!(is_within(&squeezed(text), &squeezed(&made)), "all is there still\n{what}\n--- made:\n{made}");
    assert_eq!(
        text.ends_with('\n') || text.is_empty(),
        made.ends_with('\n'),
        "the end stays\n{what}\n--- made:\n{made}"
    );
}

/// Removes a value.
fn removes(bench: &Bench, form: &str, text: &str, value: &Json, dice: &mut Dice, tally: &mut Tally) {
    let parts = way(value, dice);
    let Some((last, before)) = parts.split_last() else { return };
    let path = written(&parts);
    let what = format!("{form}.Remove {path}\n{text}");
    let Some(made) = taken(tally, bench.remove(form, text, &path), &what) else { return };
    let mut wanted = value.clone();
    let old = match (at(&mut wanted, before), last) {
        (Json::Array(items), Part::Index(index)) => items.remove(*index),
        (Json::Object(map), Part::Name(name)) => map.shift_remove(name).expect("it is there"),
        _ => unreachable!("the way fits the value"),
    };
    assert_eq!(bench.parse(form, &made).as_ref(), Ok(&wanted), "{what}\n--- made:\n{made}");
    assert!(is_within(&made.replace("{}", "").replace("[]", ""), text) || form != "JSON", "{what}\n--- made:\n{made}");
    if is_flat(&old) {
        let lost = comments(text).len() - comments(&made).len();
        assert!(lost <= 1, "at most the comment of its line goes\n{what}\n--- made:\n{made}");
    }
    let is_ended = !text.ends_with('\n') || made.ends_with('\n') || made.is_empty();
    assert!(is_ended, "the end stays\n{what}\n--- made:\n{made}");
}

fn holds(form: &str, generate: fn(&mut Dice) -> String) {
    let seed = std::env::var("NS_SEED").ok().and_then(|seed| seed.parse().ok()).unwrap_or(1);
    let rounds = if std::env::var_os("NS_LONG").is_some() { 40_000 } else { 400 };
    let (bench, mut dice, mut tally) = (Bench::open(), Dice::new(seed), Tally::default());
    for _ in 0..rounds {
        let mut text = generate(&mut dice);
        if dice.one_in(4) {
            text = text.trim_end_matches('\n').to_owned();
        }
        if dice.one_in(4) {
            text = text.replace('\n', "\r\n");
        }
        let value = match bench.parse(form, &text) {
            Ok(value) => value,
            Err(message) => panic!("the generator makes texts that can be read: {message}\n{text}"),
        };
        for _ in 0..3 {
            replaces(&bench, form, &text, &value, &mut dice, &mut tally);
            swaps(&bench, form, &text, &value, &mut dice, &mut tally);
            adds(&bench, form, &text, &value, &mut dice, &mut tally);
            removes(&bench, form, &text, &value, &mut dice, &mut tally);
        }
    }
    let refused = tally.refused.len();
    println!("{form}: {} cases, {refused} refused", tally.cases);
    if std::env::var_os("NS_SHOW").is_some() {
        tally.refused.iter().for_each(|refused| println!("--- {refused}"));
    }
    let allowed = if form == "JSON" { 0 } else { tally.cases / 50 };
    assert!(refused <= allowed, "{refused} of {} were refused, such as {}", tally.cases, tally.refused[0]);
}

#[test]
fn json_changes_in_one_place() {
    holds("JSON", json::text);
}

/// Floats that JSON does not have stay as they are. The random texts have none, because their values are compared as
/// JSON.
#[test]
fn infinite_floats_stay_beside_a_change() {
    let bench = Bench::open();
    for (form, text, changed) in [
        ("TOML", "a = inf # most\nb = 1\nc = [-inf, nan]\n", "a = inf # most\nb = 2\nc = [-inf, nan]\n"),
        ("YAML", "a: .inf # most\nb: 1\nc: [-.inf, .nan]\n", "a: .inf # most\nb: 2\nc: [-.inf, .nan]\n"),
    ] {
        assert_eq!(bench.set(form, text, "b", &json!(2)).as_deref(), Ok(changed), "{form}");
    }
}

#[test]
fn toml_changes_in_one_place() {
    holds("TOML", toml::text);
}

#[test]
fn yaml_changes_in_one_place() {
    holds("YAML", yaml::text);
}
