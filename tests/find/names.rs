//! Every other tool accepts every path that a search returns, whatever the name; but no tool creates such names.

use std::fs;
use std::path::Path;

use serde_json::{Value as Json, json};

use crate::support::{folder_in_memory, ns, with_input};

/// Names that exist on Linux but are never created: not displayable as they are, or impossible on other systems.
const ODD: &[&str] = &[
    "a\nb.txt",
    "\n",
    "tab\tbed",
    "cr\rlf",
    "\u{1b}[31m",
    "back\\slash",
    "\\",
    "..\\up",
    "C:",
    "c:notes.txt",
    "nul",
    "COM1.txt",
    "👩\u{200d}.jpg",
    "\u{200d}👧.jpg",
    "a\u{200d}b.txt",
    "a\u{200c}b.txt",
    "\u{202e}gpj",
    "\u{feff}bom",
    "soft\u{ad}hyphen",
];
/// Names that are merely unusual.
const PLAIN: &[&str] = &[
    " lead",
    "trail ",
    "two  blanks",
    "'q'",
    "\"d\"",
    "`b`",
    "$HOME",
    "-rf",
    "*",
    "?",
    "[a]",
    "{a,b}",
    "!x",
    "#y",
    "~",
    "a&b;c|d",
    "日本語",
    "🙂",
    "👩\u{200d}👧.jpg",
    "🏳\u{fe0f}\u{200d}🌈",
    "می\u{200c}خواهم",
    "क्\u{200d}ष",
    "é",
    "e\u{301}",
    "...",
    "12:30.log",
    "One: two",
    "1234.host:2,S",
    ".x.",
    "{{x}}",
];

fn answers(root: &Path, calls: &[(&str, Json)]) -> Vec<Json> {
    let line = |(tool, args): &(&str, Json)| format!("{}\n", json!({ "tool": tool, "arguments": args }));
    let lines: String = calls.iter().map(line).collect();
    let ran = with_input(ns(root).args(["call", "--jsonl"]), &lines);
    ran.stdout.lines().map(|line| serde_json::from_str(line).expect("an answer is JSON")).collect()
}

fn found(root: &Path, folder: &str) -> Vec<String> {
    let answer = &answers(root, &[("find", json!({ "dir": folder }))])[0];
    let records = answer["result"].as_array().unwrap_or_else(|| panic!("{answer}"));
    records.iter().map(|record| record["path"].as_str().expect("a path").to_owned()).collect()
}

#[test]
fn every_tool_takes_what_is_found() {
    let place = folder_in_memory();
    let names: Vec<&str> = ODD.iter().chain(PLAIN).copied().collect();
    for name in &names {
        fs::create_dir_all(place.path().join("d").join(name)).expect("a folder");
        fs::write(place.path().join("d").join(name).join(name), "text\n").expect("a file");
    }
    let paths = found(place.path(), "d");
    assert_eq!(paths.len(), names.len());
    let calls: Vec<(&str, Json)> = paths.iter().enumerate().flat_map(|(number, path)| uses(number, path)).collect();
    for ((tool, args), answer) in calls.iter().zip(answers(place.path(), &calls)) {
        assert!(answer["error"].is_null() && answer["result"]["error"].is_null(), "{tool} {args}: {answer}");
    }
    for number in 0..paths.len() {
        let text = fs::read_to_string(place.path().join(format!("moved-{number}"))).expect("the file that was moved");
        assert_eq!(text, "text\nless\n");
    }
}

/// Returns calls of all tools that take a file, on one path.
fn uses(number: usize, path: &str) -> Vec<(&'static str, Json)> {
    vec![
        ("read_file", json!({ "file_path": path })),
        ("hash_file", json!({ "path": path })),
        ("hash_files", json!({ "paths": [path] })),
        ("file_info", json!({ "path": path })),
        ("line_count", json!({ "path": path })),
        ("lines", json!({ "path": path })),
        ("exists", json!({ "path": path })),
        ("write_file", json!({ "file_path": path, "content": "text\n" })),
        ("append_file", json!({ "file_path": path, "content": "more\n" })),
        ("edit_file", json!({ "file_path": path, "old_text": "more", "new_text": "less" })),
        ("set_permissions", json!({ "path": path, "mode": "600" })),
        ("set_modified", json!({ "path": path, "time": "2024-05-01T12:30:00Z" })),
        ("search_files", json!({ "text": "less", "directory_path": path })),
        ("diff_files", json!({ "a_path": path, "b_path": path })),
        ("create_link", json!({ "path": format!("link-{number}"), "target": path })),
        ("copy_file", json!({ "source_path": path, "destination_path": format!("copy-{number}") })),
        ("compress", json!({ "source_path": path, "destination_path": format!("packed-{number}.tar.gz") })),
        ("move_file", json!({ "source": path, "destination": format!("moved-{number}") })),
    ]
}

#[test]
fn what_is_deleted_returns_under_its_name() {
    let place = folder_in_memory();
    for name in ODD {
        fs::write(place.path().join(name), "text\n").expect("a file");
    }
    for path in found(place.path(), ".") {
        let deleted = answers(place.path(), &[("delete_file", json!({ "path": path }))]).remove(0);
        let backup = &deleted["result"]["backupPath"];
        assert!(backup.is_string() && !place.path().join(&path).exists(), "{path:?}: {deleted}");
        let restored = answers(place.path(), &[("restore_backup", json!({ "backup_path": backup }))]).remove(0);
        assert!(restored["error"].is_null() && place.path().join(&path).exists(), "{path:?}: {restored}");
    }
}

#[test]
fn no_such_name_is_made() {
    let place = folder_in_memory();
    fs::create_dir(place.path().join("d")).expect("a folder");
    fs::write(place.path().join("a.txt"), "text\n").expect("a file");
    let paths = |name: &&str| [(*name).to_owned(), format!("d/{name}"), format!("{name}/x"), format!("d/../{name}")];
    let makes = |path: String| {
        [
            ("write_file", json!({ "file_path": path, "content": "text\n" })),
            ("append_file", json!({ "file_path": path, "content": "text\n" })),
            ("create_directory", json!({ "directory_path": path })),
            ("create_link", json!({ "path": path, "target": "a.txt" })),
            ("copy_file", json!({ "source_path": "a.txt", "destination_path": path })),
            ("move_file", json!({ "source": "a.txt", "destination": path })),
        ]
    };
    let calls: Vec<(&str, Json)> = ODD.iter().flat_map(paths).flat_map(makes).collect();
    for ((tool, args), answer) in calls.iter().zip(answers(place.path(), &calls)) {
        assert_eq!(answer["error"]["code"], "bad_args", "{tool} {args}: {answer}");
    }
    assert_eq!(found(place.path(), "."), ["a.txt"]);
}

/// Below a directory with such a name, plain names can be created.
#[test]
fn plain_names_are_made_in_what_is_there() {
    let place = folder_in_memory();
    for name in ODD {
        fs::create_dir(place.path().join(name)).expect("a folder");
        let path = format!("{name}/new/x.txt");
        let answer =
            answers(place.path(), &[("write_file", json!({ "file_path": path, "content": "text\n" }))]).remove(0);
        assert!(answer["error"].is_null() && place.path().join(&path).exists(), "{path:?}: {answer}");
    }
}

/// Emoji that a joiner joins with a person of any skin tone.
const JOINED: [&str; 12] =
    ["⚕\u{fe0f}", "🌾", "🍳", "🎓", "🎤", "🏫", "💻", "🚀", "⚖\u{fe0f}", "✈\u{fe0f}", "🦰", "🦽"];
const OTHER_JOINED: [&str; 16] = [
    "👨\u{200d}👩\u{200d}👧\u{200d}👦",
    "👩\u{200d}❤\u{fe0f}\u{200d}💋\u{200d}👨",
    "🧑🏻\u{200d}🤝\u{200d}🧑🏿",
    "🐈\u{200d}⬛",
    "🐻\u{200d}❄\u{fe0f}",
    "🍋\u{200d}🟩",
    "❤\u{fe0f}\u{200d}🔥",
    "⛓\u{fe0f}\u{200d}💥",
    "🏴\u{200d}☠\u{fe0f}",
    "👁\u{fe0f}\u{200d}🗨\u{fe0f}",
    "😶\u{200d}🌫\u{fe0f}",
    "🙂\u{200d}↔\u{fe0f}",
    "1\u{fe0f}\u{20e3}",
    "🏴\u{e0067}\u{e0062}\u{e0073}\u{e0063}\u{e0074}\u{e007f}",
    "©\u{fe0f}",
    "👍🏽",
];
/// Words that are spelled with joiners or non-joiners.
const WORDS: [&str; 8] = [
    "کتاب\u{200c}ها",
    "نمی\u{200c}دانم",
    "ශ්\u{200d}රී",
    "ക്\u{200d}",
    "র\u{200d}্যাব",
    "ক্\u{200c}ত",
    "ರ\u{200d}್ಕ",
    "शक्\u{200c}ति",
];
const HIDING: [char; 10] = [
    '\u{200b}',
    '\u{200e}',
    '\u{200f}',
    '\u{202a}',
    '\u{202e}',
    '\u{2060}',
    '\u{2066}',
    '\u{feff}',
    '\u{ad}',
    '\u{e0041}',
];

/// Returns names in which every format character is part of what is seen.
fn visible() -> Vec<String> {
    let people = ["👨", "👩", "🧑", "👩🏻", "👨🏽", "🧑🏿"];
    let joined = people.iter().flat_map(|person| JOINED.iter().map(move |other| format!("{person}\u{200d}{other}")));
    let signs = ["🏃", "🤷🏼", "🧔🏻"].iter().flat_map(|one| ["♀", "♂"].map(|sign| format!("{one}\u{200d}{sign}\u{fe0f}")));
    joined.chain(signs).chain(OTHER_JOINED.iter().chain(&WORDS).map(|name| (*name).to_owned())).collect()
}

/// Honest names are made, whatever stands around them; nothing is made in which a character only hides.
#[test]
fn names_are_made_as_they_are_seen() {
    use neuroscript::text::safe::hidden;
    for name in visible() {
        for around in [name.clone(), format!("{name}.txt"), format!("a {name}{name}"), format!("d/{name}/{name}")] {
            assert_eq!(hidden(&around), None, "{around:?}");
        }
        for hiding in HIDING {
            let hidden_in = [format!("{hiding}{name}"), format!("{name}{hiding}"), format!("{name}{hiding}.txt")];
            assert!(hidden_in.iter().all(|name| hidden(name) == Some(hiding)), "{name:?} {hiding:?}");
        }
        let alone = [
            format!("\u{200d}{name}"),
            format!("{name}a\u{200d}"),
            format!("a\u{200d}{name}"),
            format!("{name}a\u{200c}b"),
        ];
        alone.iter().for_each(|name| assert!(hidden(name).is_some(), "{name:?}"));
    }
    let place = folder_in_memory();
    let call = |name: String| ("write_file", json!({ "file_path": format!("{name}.txt"), "content": "text\n" }));
    let calls: Vec<(&str, Json)> = visible().into_iter().map(call).collect();
    for ((_, args), answer) in calls.iter().zip(answers(place.path(), &calls)) {
        assert!(answer["error"].is_null() && answer["result"]["error"].is_null(), "{args}: {answer}");
    }
    assert_eq!(found(place.path(), ".").len(), calls.len());
}

/// `PATH.Sanitize` gives names that are made.
#[test]
fn a_sanitized_name_is_made() {
    let place = folder_in_memory();
    let long = visible().concat();
    let texts: Vec<String> = ODD.iter().chain(PLAIN).map(|name| (*name).to_owned()).chain([long]).collect();
    let calls: Vec<(&str, Json)> = texts.iter().map(|text| ("path_sanitize", json!({ "name": text }))).collect();
    for (text, answer) in texts.iter().zip(answers(place.path(), &calls)) {
        let name = answer["result"].as_str().unwrap_or_else(|| panic!("{answer}"));
        let made =
            answers(place.path(), &[("append_file", json!({ "file_path": name, "content": "text\n" }))]).remove(0);
        assert!(made["error"].is_null() && made["result"]["error"].is_null(), "{text:?} {name:?}: {made}");
        let is_plain = PLAIN.contains(&text.as_str()) && !text.contains(['<', '>', ':', '"', '/', '\\', '|', '?', '*']);
        assert!(!is_plain || name == text.trim_matches(['.', ' ']) || text == "...", "{text:?} {name:?}");
    }
}
