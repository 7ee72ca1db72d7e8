//! Trees, flat lists, JSON and values.

use std::ffi::OsStr;
use std::fs;
use std::os::unix::ffi::OsStrExt;
use std::process::Command;

use serde_json::{Value as Json, json};

use super::Place;
use crate::support::{ns, run};

#[test]
fn order_is_that_of_the_bytes_of_names_in_each_folder() {
    let place = Place::new(&["a/x", "a.b/y", "a-b", "a b/", "B", "é", "z10", "z9", "_u", "a!/q"]);
    let flat = place.list(json!({ "recursive": true, "filter": "files" }));
    assert_eq!(flat, "B\n_u\na/x\na!/q\na-b\na.b/y\nz10\nz9\né", "a flat list keeps the order of the walk");
}

#[test]
fn filters_change_what_is_shown_and_not_where_the_walk_goes() {
    let place = Place::new(&["a/b/c.txt", "a/l -> b", "lf -> a/b/c.txt", "gone -> nowhere", "e/"]);
    let list = |filter: &str| place.list(json!({ "recursive": true, "filter": filter, "show_data": true }));
    assert_eq!(list("files"), "a/b/c.txt (file)\ngone (link -> nowhere)\nlf (link -> a/b/c.txt)");
    assert_eq!(list("folders"), "a (folder)\na/b (folder)\na/l (link -> b)\ne (folder)");
    assert_eq!(place.list(json!({ "filter": "folders" })), "a\ne");
    assert_eq!(place.list(json!({ "path": "e", "filter": "files" })), "");
    assert_eq!(place.list(json!({ "path": "e", "filter": "files", "format": "json" })), "[]");
    assert_eq!(place.list(json!({ "path": "e", "filter": "folders", "format": "value" })), "[]");
}

#[test]
fn depth_counts_levels_of_folders() {
    let place = Place::new(&["a/b/c/d"]);
    let list = |depth: Json| place.list(json!({ "recursive": true, "filter": "folders", "depth": depth }));
    assert_eq!(list(json!(0)), "a");
    assert_eq!(list(json!(1)), "a\na/b");
    assert_eq!(list(json!(2)), "a\na/b\na/b/c");
    assert_eq!(list(json!(null)), "a\na/b\na/b/c");
    let json = place.list(json!({ "recursive": true, "depth": 0, "format": "value" }));
    assert_eq!(json, r#"{"name":"box","type":"folder","children":[{"name":"a","type":"folder","children":[]}]}"#);
}

/// The JSON text equals the output of Python for all names in a tree.
#[test]
fn json_text_is_that_of_python() {
    let names = [
        "plain",
        "é",
        "𝄞",
        "q\"q",
        "back\\slash",
        "tab\t",
        "line\nfeed",
        "\r",
        "\u{8}\u{c}",
        "\u{1}\u{1f}",
        "\u{7f}",
        "\u{80}",
        "\u{2028}",
        "\u{ffff}",
        "\u{10ffff}",
        "/",
        "{}",
        "'",
        "~",
        " ",
    ];
    let place = Place::new(&["sub/empty/", "sub/l -> \"é\n"]);
    for name in names.iter().filter(|name| **name != "/") {
        fs::write(place.at("sub").join(name), "").expect("a file of the tree");
    }
    fs::write(place.at("sub").join(OsStr::from_bytes(b"bad\xff\xf0\x9f\x98name")), "").expect("a file of the tree");
    for filter in ["both", "files", "folders"] {
        let text = place.list(json!({ "recursive": true, "format": "json", "filter": filter }));
        let program = "import json, sys; sys.stdout.write(json.dumps(json.load(sys.stdin), indent=2))";
        let file = place.top.path().join("text.json");
        fs::write(&file, &text).expect("the text can be kept");
        let mut python = Command::new("python3");
        let python = python.args(["-c", program]).stdin(fs::File::open(&file).expect("it was just written"));
        assert_eq!(run(python).stdout, text, "{filter}");
        // The same structure as a value.
        let value: Json =
            serde_json::from_str(&place.list(json!({ "recursive": true, "format": "value", "filter": filter })))
                .expect("a value is printed as JSON");
        assert_eq!(value, serde_json::from_str::<Json>(&text).expect("it is JSON"), "{filter}");
    }
    let text = place.list(json!({ "path": "sub", "format": "json" }));
    assert!(text.contains(r#""bad\ufffd\ufffdname""#), "one sign for each maximal bad part: {text}");
    assert!(text.contains(r#""\ud834\udd1e""#) && text.contains(r#""\u007f""#), "{text}");
}

#[test]
fn special_files_are_files_and_never_opened() {
    let place = Place::new(&["l -> pipe"]);
    assert!(Command::new("mkfifo").arg(place.at("pipe")).status().expect("mkfifo").success());
    std::os::unix::net::UnixListener::bind(place.at("socket")).expect("a socket");
    let args = json!({ "recursive": true, "show_data": true, "follow_file_symlinks": true, "use_gitignore": true });
    assert_eq!(place.list(args), "box/ (folder)\n  l (file)\n  pipe (file)\n  socket (file)");
}

#[test]
fn our_own_files_are_invisible() {
    let place =
        Place::new(&[".ns/journal", "neuroscript.toml", "a/.ns/x", "a/neuroscript.toml", "back -> a/..", "l -> .ns"]);
    // A warning about foreign state would accompany each call.
    assert_eq!(run(ns(&place.sandbox()).args(["adopt", "--yes"])).code, 0);
    let shown = place.list(json!({ "recursive": true, "follow_folder_symlinks": true, "filter": "files" }));
    assert_eq!(shown, "l", "reserved names are hidden at every depth");
    let through_link = place.list(json!({ "path": "back", "recursive": true, "filter": "files" }));
    assert_eq!(through_link, "l");
}

#[test]
fn scripts_get_maps_and_lists() {
    let place = Place::new(&["a/b.txt", "l -> a"]);
    let script = "SET t = FS.ListDir(\".\", recursive: true, format: \"value\")\nEMIT t.children[0].children[0].name, \" \", t.children[1].link_target\nEMIT FS.ListDir(\"nope\") == nil, \" \", LAST_ERROR.code\nEMIT LEN(FS.ListDir(filter: \"files\", format: \"value\"))";
    let ran = run(ns(&place.sandbox()).args(["run", "-e", script]));
    assert_eq!(ran.stdout, "b.txt a\ntrue not_found\n0\n", "{}", ran.stderr);
    assert_eq!(ran.stderr.lines().count(), 1, "one warning for the failure: {}", ran.stderr);
}
