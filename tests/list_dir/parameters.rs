//! Valid and invalid arguments.

use std::fs;

use serde_json::json;

use super::{Place, bad};
use crate::support::{ns, run};

#[test]
fn defaults_are_those_of_the_document() {
    let place = Place::new(&["a.txt", "sub/b.txt", ".git/HEAD", "l -> a.txt", ".gitignore = *.txt"]);
    let all = "box/\n  .git/\n  .gitignore\n  a.txt\n  l\n  sub/";
    assert_eq!(place.list(json!({})), all);
    let explicit = json!({
        "path": ".", "recursive": false, "follow_folder_symlinks": false, "follow_file_symlinks": false, "filter": "both",
        "show_data": false, "depth": null, "format": "text", "use_gitignore": false, "target": "return_value",
    });
    assert_eq!(place.list(explicit), all);
    assert_eq!(place.list(json!({ "depth": 5 })), all, "depth means nothing without recursive");
    assert_eq!(place.list(json!({ "follow_folder_symlinks": true })), all, "nor does following links to folders");
}

#[test]
fn unknown_words_are_refused_and_the_allowed_ones_named() {
    let place = Place::new(&[]);
    for (argument, words) in [
        ("filter", &["files", "folders", "both"][..]),
        ("format", &["text", "json", "value"]),
        ("target", &["return_value", "session_memory", "project_memory"]),
    ] {
        for given in ["", "FILES", "Both", "json ", "everything"] {
            let ran = place.call(json!({ argument: given }));
            assert_eq!((ran.code, ran.stdout.as_str()), (2, ""), "{argument} {given:?}");
            for word in words {
                assert!(ran.stderr.contains(word), "{argument} {given:?} does not name {word}: {}", ran.stderr);
            }
        }
        assert_eq!(place.refusal(json!({ argument: null })), bad(argument));
        assert_eq!(place.refusal(json!({ argument: ["files"] })), bad(argument));
    }
}

#[test]
fn arguments_of_the_wrong_type_are_refused() {
    let place = Place::new(&["a/"]);
    for argument in ["recursive", "follow_folder_symlinks", "follow_file_symlinks", "show_data", "use_gitignore"] {
        for given in [json!(null), json!("true"), json!(1), json!([])] {
            assert_eq!(place.refusal(json!({ argument: given })), bad(argument), "{given}");
        }
    }
    for given in [json!(-1), json!("1"), json!(1.5), json!(true), json!([])] {
        assert_eq!(place.refusal(json!({ "recursive": true, "depth": given })), bad("depth"), "{given}");
    }
    for given in
        [json!(null), json!(1), json!(["a"]), json!(""), json!("a\u{0}"), json!("a\nb"), json!("a\\b"), json!("C:/a")]
    {
        assert_eq!(place.refusal(json!({ "path": given })), bad("path"), "{given}");
    }
    assert_eq!(place.refusal(json!({ "pattern": "*" })).0, "bad_args");
    assert_eq!(place.list(json!({ "recursive": true, "depth": 9_223_372_036_854_775_807_u64 })), "box/\n  a/");
}

#[test]
fn a_memory_needs_a_key() {
    let place = Place::new(&["a"]);
    for target in ["session_memory", "project_memory"] {
        assert_eq!(place.refusal(json!({ "target": target })), bad("memory_key"));
        assert_eq!(
            place.refusal(json!({ "target": target, "path": "/etc" })),
            bad("memory_key"),
            "arguments come first"
        );
        assert_eq!(place.refusal(json!({ "target": target, "memory_key": "" })), bad("memory_key"));
        assert_eq!(place.refusal(json!({ "target": target, "memory_key": "k".repeat(257) })), bad("memory_key"));
        assert_eq!(place.refusal(json!({ "target": target, "memory_key": null })), bad("memory_key"));
        assert_eq!(place.refusal(json!({ "target": target, "memory_key": "k", "format": "value" })), bad("format"));
    }
    let script = place.top.path().join("script.ns");
    fs::write(&script, "CALL FS.ListDir(target: \"project_memory\")\n").expect("a script");
    let checked = run(ns(&place.sandbox()).arg("check").arg(&script));
    assert!(checked.stderr.contains("needs a `memory_key`"), "the check before a run finds it: {}", checked.stderr);
    for key in ["", "k", &"k".repeat(1000)] {
        assert_eq!(place.list(json!({ "memory_key": key })), "box/\n  a", "the key means nothing without a memory");
    }
}

#[test]
fn paths_lead_where_they_may() {
    let place = Place::new(&["a/b/f", "l -> a/b", "out -> /etc", "up -> ..", "f"]);
    let inside = place.at("a/b");
    for path in ["l", "l/", "./l"] {
        assert_eq!(place.list(json!({ "path": path })), "l/\n  f", "the name is the one given");
    }
    for path in ["a/b", "a/b/", "./a//b/.", "a/../a/b", "l/../b", inside.to_str().expect("the path is text")] {
        assert_eq!(place.list(json!({ "path": path })), "b/\n  f", "{path}");
    }
    let root = place.sandbox();
    for path in [".", "a/..", "./", root.to_str().expect("the path is text")] {
        assert!(place.list(json!({ "path": path })).starts_with("box/\n  a/\n"), "{path}");
    }
    for path in ["..", "../box", "a/../..", "/", "/etc", "/nonexistent", "out", "out/", "up", "up/box/a"] {
        assert_eq!(place.refusal(json!({ "path": path })).0, "sandbox_violation", "{path}");
    }
    for path in [".ns", "neuroscript.toml", ".NS/x", "a/../.ns"] {
        assert_eq!(place.refusal(json!({ "path": path })).0, "sandbox_violation", "{path}");
    }
    assert_eq!(place.refusal(json!({ "path": "gone" })).0, "not_found");
    assert_eq!(place.refusal(json!({ "path": "a/gone/b" })).0, "not_found");
    assert_eq!(place.refusal(json!({ "path": "f" })).0, "not_a_directory");
    assert_eq!(place.refusal(json!({ "path": "f/x" })).0, "not_a_directory");
}
