//! `INI.Set` and `INI.Remove` on random texts. INI has sections with keys and nothing deeper, and its values are texts,
//! so the paths and values are others than those of the other formats.

use serde_json::{Map, Value as Json, json};

use super::{Bench, comments, is_within};
use crate::support::dice::Dice;

const SECTIONS: [&str; 6] = ["a", "b", "*.md", "remote \"o\"", "", "b"];
const KEYS: [&str; 6] = ["x", "y", "key one", "é", "indent_size", "x"];

/// Returns a random text.
fn text(dice: &mut Dice) -> String {
    let separator = dice.pick(&["=", " = ", ": ", " =", "  =  "]);
    let indent = dice.pick(&["", "", "\t", "  "]);
    let mut text = if dice.one_in(8) { "\u{feff}".to_owned() } else { String::new() };
    keys(dice, "", separator, &mut text);
    for _ in 0..dice.below(5) {
        text.push_str(dice.pick(&["", "\n", "# c1 of a section\n", "\n\n; note\n"]));
        // A line that is indented more than a key before it would continue that.
        text.push_str(&format!("[{}]\n", dice.pick(&SECTIONS)));
        keys(dice, indent, separator, &mut text);
    }
    text
}

fn keys(dice: &mut Dice, indent: &str, separator: &str, text: &mut String) {
    for _ in 0..dice.below(5) {
        text.push_str(dice.pick(&["", "", "", "# c of a key\n", "\n"]));
        let key = format!("{indent}{}", dice.pick(&KEYS));
        let value =
            dice.pick(&["1", "word", "C:\\x=y", "", "a ; b", "\"q\"", "l1\n     l2", "l1\n# c between\n\n      l2"]);
        match dice.below(8) {
            0 => text.push_str(&format!("{key}\n")),
            _ => text.push_str(&format!("{key}{separator}{value}\n")),
        }
    }
}

fn parse(bench: &Bench, text: &str) -> Json {
    let parsed = bench.call("INI.Parse", json!({"text": text, "repeated": "list"}));
    parsed.unwrap_or_else(|message| panic!("it can be read: {message}\n{text}"))
}

/// Returns a value as it is read back.
fn as_read(value: &Json) -> Json {
    match value {
        Json::Object(map) => map.iter().map(|(key, value)| (key.clone(), as_read(value))).collect::<Map<_, _>>().into(),
        Json::Array(values) if values.len() == 1 => as_read(&values[0]),
        Json::Array(values) => values.iter().map(as_read).collect(),
        Json::Null => Json::Null,
        Json::String(text) => json!(text),
        other => json!(other.to_string()),
    }
}

fn novel(dice: &mut Dice) -> Json {
    let ones = json!(["new", 2, true, null, "", "n1\nn2", "b=c"]);
    let one = |dice: &mut Dice| ones[dice.below(7)].clone();
    if dice.one_in(4) { (0..1 + dice.below(3)).map(|_| one(dice)).collect() } else { one(dice) }
}

/// A random path, which may lead nowhere.
fn way(value: &Json, dice: &mut Dice) -> Vec<String> {
    let mut parts = Vec::new();
    if dice.one_in(4) {
        parts.push(dice.pick(&["x", "new key", "é"]).to_owned());
    } else {
        parts.push(dice.pick(&["a", "b", "*.md", "remote \"o\"", "", "new section"]).to_owned());
        parts.push(dice.pick(&["x", "y", "key one", "indent_size", "added"]).to_owned());
    }
    // A name is a key or a section.
    if value[&parts[0]].is_object() != (parts.len() == 2) && !value[&parts[0]].is_null() {
        parts.truncate(1);
        parts.insert(0, "only here".to_owned());
    }
    parts
}

fn put(value: &mut Json, parts: &[String], new: Option<Json>) {
    let map = value.as_object_mut().expect("a text is a map");
    match (parts, new) {
        ([name], Some(new)) => drop(map.insert(name.clone(), new)),
        ([name], None) => drop(map.shift_remove(name)),
        ([name, rest @ ..], new) if new.is_some() || map.contains_key(name) => {
            put(map.entry(name).or_insert_with(|| json!({})), rest, new);
        }
        _ => {}
    }
}

#[test]
fn ini_changes_in_one_place() {
    let seed = std::env::var("NS_SEED").ok().and_then(|seed| seed.parse().ok()).unwrap_or(1);
    let rounds = if std::env::var_os("NS_LONG").is_some() { 100_000 } else { 1_000 };
    let (bench, mut dice) = (Bench::open(), Dice::new(seed));
    let mut cases = 0;
    while cases < rounds {
        let mut text = text(&mut dice);
        if dice.one_in(4) {
            text = text.trim_end_matches('\n').to_owned();
        }
        if dice.one_in(4) {
            text = text.replace('\n', "\r\n");
        }
        // A section that is a key too, or a name alone whose next line is indented.
        let parsed = bench.call("INI.Parse", json!({"text": text, "repeated": "list"}));
        let Ok(value) = parsed else { continue };
        cases += 1;
        let parts = way(&value, &mut dice);
        let path: String = parts.iter().map(|part| format!("['{part}']")).collect();
        let new = novel(&mut dice);
        let what = format!("INI.Set {path} {new}\n{text:?}");
        let made = bench.set("INI", &text, &path, &new).unwrap_or_else(|message| panic!("{message}\n{what}"));
        let mut wanted = value.clone();
        put(&mut wanted, &parts, Some(as_read(&new)));
        assert_eq!(parse(&bench, &made), wanted, "{what}\n--- made:\n{made:?}");
        let (before, after) = (comments(&text), comments(&made));
        let between = before.iter().filter(|comment| comment.starts_with("# c between")).count();
        assert!(before.len() - after.len() <= between, "comments stay\n{what}\n--- made:\n{made:?}");
        assert!(
            text.trim_start_matches('\u{feff}').is_empty() || text.ends_with('\n') == made.ends_with('\n'),
            "the end stays\n{what}\n--- made:\n{made:?}"
        );
        let is_new = parts.iter().try_fold(&value, |value, part| value.get(part)).is_none();
        assert!(!is_new || is_within(&text, &made), "all is there still\n{what}\n--- made:\n{made:?}");
        let breaks = |text: &str| (text.matches("\r\n").count(), text.matches('\n').count());
        let (windows, all) = breaks(&made);
        let is_even = windows == all || windows == 0 || !text.contains("\r\n") || breaks(&text).0 != breaks(&text).1;
        assert!(is_even, "line breaks are those of the text\n{what}\n--- made:\n{made:?}");
        let what = format!("INI.Remove {path}\n{made:?}");
        let back = bench.remove("INI", &made, &path).unwrap_or_else(|message| panic!("{message}\n{what}"));
        put(&mut wanted, &parts, None);
        assert_eq!(parse(&bench, &back), wanted, "{what}\n--- made:\n{back:?}");
        assert!(is_within(&back, &made), "nothing is added\n{what}\n--- made:\n{back:?}");
    }
}

#[test]
fn sections_and_values_of_a_key_that_comes_again() {
    let bench = Bench::open();
    let set = |text: &str, path: &str, value: Json| bench.set("INI", text, path, &value);
    let remove = |text: &str, path: &str| bench.remove("INI", text, path);
    let unit = "[Unit]\nDescription=x\n\n[Service]\nExec=a\nExec=b\n# why\nExec=c\n";
    assert_eq!(
        set(unit, "Service.Exec[1]", json!("B")).as_deref(),
        Ok("[Unit]\nDescription=x\n\n[Service]\nExec=a\nExec=B\n# why\nExec=c\n")
    );
    assert_eq!(
        set(unit, "Service.Exec[3]", json!("d")).as_deref(),
        Ok("[Unit]\nDescription=x\n\n[Service]\nExec=a\nExec=b\n# why\nExec=c\nExec=d\n")
    );
    assert_eq!(
        set(unit, "Service.Exec", json!("one")).as_deref(),
        Ok("[Unit]\nDescription=x\n\n[Service]\nExec=one\n# why\n")
    );
    assert_eq!(
        remove(unit, "Service.Exec[0]").as_deref(),
        Ok("[Unit]\nDescription=x\n\n[Service]\nExec=b\n# why\nExec=c\n")
    );
    assert_eq!(remove("[a]\nx=1\nx=2\n", "a.x[0]").as_deref(), Ok("[a]\nx=2\n"));
    assert_eq!(remove(unit, "Unit").as_deref(), Ok("[Service]\nExec=a\nExec=b\n# why\nExec=c\n"));
    assert_eq!(
        set(unit, "Unit", json!({"After": ["a", "b"]})).as_deref(),
        Ok("[Unit]\nAfter=a\nAfter=b\n\n[Service]\nExec=a\nExec=b\n# why\nExec=c\n")
    );
    assert_eq!(
        set(unit, "Install", json!({"WantedBy": "multi-user.target"})).as_deref(),
        Ok(&*format!("{unit}\n[Install]\nWantedBy=multi-user.target\n"))
    );
    assert_eq!(set("", "root", json!(true)).as_deref(), Ok("root = true\n"));
    assert_eq!(set("# of a\n[a]\nx=1\n", "root", json!(true)).as_deref(), Ok("root=true\n\n# of a\n[a]\nx=1\n"));
    for (text, path, value, reason) in [
        ("[a]\nx=1\n", "a", json!("v"), "a section has this name"),
        ("a=1\n", "a", json!({"x": 1}), "a key before the first section has the name"),
        ("a\n", "a.b", json!("v"), "a key before the first section has the name"),
        ("[a]\n", "a.b.c", json!("v"), "nothing deeper"),
        ("[a]\n", "a.b", json!({"c": 1}), "no list or map there"),
        ("[a]\n", "a.b", json!([]), "an empty list has no lines"),
        ("[a]\n", "a.b", json!(" x"), "blanks around it"),
        ("[a]\n", "a['b=c']", json!("x"), "is no key"),
        ("[a]\nx=1 \\\n  y=2\nz=3\n", "a.[", json!("x"), "a name is missing"),
    ] {
        let error = set(text, path, value).expect_err(path);
        assert!(error.contains(reason), "{path}: {error}");
    }
}
