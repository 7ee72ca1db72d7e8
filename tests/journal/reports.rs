//! Reports about runs by `ns log`, `ns undo` and refusals: scripts by their paths, conflicts by the run that made them,
//! and JSON for programs.

use std::fs;

use serde_json::Value as Json;

use super::{eval, log, sandbox, undo};
use crate::support::{ns, run};

/// A script is named with its path from the sandbox root, or with its whole path outside.
#[test]
fn the_log_tells_scripts_of_the_same_name_apart() {
    let place = sandbox();
    let outside = tempfile::tempdir().expect("a folder");
    let outside = outside.path().canonicalize().expect("a path");
    for folder in [place.path().join("one"), place.path().join("two"), outside.clone()] {
        fs::create_dir_all(&folder).expect("a folder");
        fs::write(folder.join("tidy.ns"), "CALL FS.AppendFile(\"a.txt\", \"1\")").expect("a script");
    }
    let path = |file: &str| place.path().join(file).display().to_string();
    let elsewhere = outside.join("tidy.ns").display().to_string();
    for file in [path("one/tidy.ns"), path("one/../two/tidy.ns"), elsewhere.clone()] {
        let ran = run(ns(place.path()).args(["run", &file]));
        assert_eq!(ran.code, 0, "{}", ran.stderr);
    }
    let commands: Vec<String> =
        log(place.path()).iter().map(|run| run["command"].as_str().expect("a text").to_owned()).collect();
    assert_eq!(
        commands,
        [format!("ns run {elsewhere}"), "ns run two/tidy.ns".to_owned(), "ns run one/tidy.ns".to_owned()]
    );
}

/// A change inside what is kept is met in the middle of an undo. It is a conflict of that run, and leaves no trace.
#[test]
fn a_change_inside_a_kept_directory_is_a_conflict() {
    let place = sandbox();
    fs::create_dir_all(place.path().join("kept/sub")).expect("a folder");
    fs::write(place.path().join("kept/sub/f"), "1").expect("a file");
    eval(place.path(), "MUST FS.WriteFile(\"early\", \"x\")");
    eval(place.path(), "MUST FS.WriteFile(\"kept/sub/f\", \"2\")\nMUST FS.DeleteFile(\"kept\", recursive: true)");
    let trash = place.path().join(".ns/trash/kept");
    let kept = fs::read_dir(trash).expect("a folder").next().expect("an entry").expect("an entry").path();
    fs::remove_dir_all(kept.join("sub")).expect("a folder");
    let refused = undo(place.path(), &[]);
    let reason = "`kept/sub/f`: what is there, or was kept of it, was changed since";
    assert!(refused.code == 1 && refused.stderr.contains(reason), "{}", refused.stderr);
    assert!(refused.stderr.contains("`ns undo --skip`") && !refused.stderr.contains("if_match"), "{}", refused.stderr);
    let skipped = undo(place.path(), &["--skip"]);
    assert!(skipped.stderr.contains("passed over ") && skipped.stderr.contains(reason), "{}", skipped.stderr);
    let all = run(ns(place.path()).args(["log", "--all"])).stdout;
    assert!(!all.contains("rolled back"), "{all}");
}

/// Setting the permission bits that a file has already is no change.
#[cfg(unix)]
#[test]
fn the_same_permissions_are_no_change() {
    let place = sandbox();
    eval(place.path(), "MUST FS.SetPermissions(\"a.txt\", \"600\")");
    eval(place.path(), "MUST FS.SetPermissions(\"a.txt\", \"600\")");
    assert_eq!(log(place.path()).len(), 1);
}

#[test]
fn a_number_after_log_is_explained() {
    let place = sandbox();
    for words in [&["log", "3"][..], &["-q", "--output", "json", "log", "3"], &["log", "--all", "3"]] {
        let refused = run(ns(place.path()).args(words));
        assert!(refused.code == 2 && refused.stderr.contains("`ns log -n 3` lists 3 runs"), "{}", refused.stderr);
    }
    let other = run(ns(place.path()).args(["show", "1", "3"]));
    assert!(other.code == 2 && !other.stderr.contains("`ns log"), "{}", other.stderr);
    let refused = run(ns(place.path()).args(["log", "7ad00f12"]));
    assert!(refused.code == 2 && refused.stderr.contains("`ns show 7ad00f12` shows"), "{}", refused.stderr);
}

#[test]
fn programs_get_an_undo_as_json() {
    let place = sandbox();
    eval(place.path(), "MUST FS.WriteFile(\"new.txt\", \"1\")\nMUST FS.WriteFile(\"other.txt\", \"1\")");
    let json = |words: &[&str]| -> Json {
        let ran = run(ns(place.path()).args(["--output", "json"]).args(words));
        assert_eq!(ran.stderr, "", "{words:?}");
        serde_json::from_str(&ran.stdout).expect("JSON")
    };
    let name = log(place.path())[0]["run"].clone();
    let planned = json(&["undo", "--plan"]);
    assert_eq!((planned["changes"][0]["path"].as_str(), &planned["run"]), (Some("new.txt"), &name));
    let undone = json(&["undo"]);
    assert_eq!((&undone["run"], &undone["state"], &undone["changes"]), (&name, &"undone".into(), &2.into()));
    let redone = json(&["redo"]);
    assert_eq!((&redone["state"], &redone["left"]), (&"redone".into(), &Json::Array(Vec::new())));
    fs::write(place.path().join("new.txt"), "by hand").expect("a file");
    let forced = run(ns(place.path()).args(["--output", "json", "undo", "--force"]));
    let forced: Json = serde_json::from_str(&forced.stdout).expect("JSON");
    assert_eq!((forced["left"][0]["path"].as_str(), &forced["changes"]), (Some("new.txt"), &1.into()));
}

/// Changes of a later run are told as such, unless somebody changed them again.
#[test]
fn a_conflict_names_the_later_run() {
    let place = sandbox();
    for script in [
        "MUST FS.WriteFile(\"a.txt\", \"1\")\nMUST FS.CreateDirectory(\"made\")",
        "MUST FS.WriteFile(\"a.txt\", \"2\")\nMUST FS.WriteFile(\"made/x\", \"\")",
    ] {
        eval(place.path(), script);
    }
    let runs: Vec<String> = log(place.path()).iter().map(|run| run["id"].as_str().expect("an id").to_owned()).collect();
    let [later, first] = &runs[..] else { panic!("two runs: {runs:?}") };
    let refused = undo(place.path(), &[first]).stderr;
    for reason in ["`a.txt`: something else is there now", "`made`: `x` was put into it since"] {
        assert!(refused.contains(&format!("{reason}, by the run {later}")), "{refused}");
    }
    fs::write(place.path().join("a.txt"), "by hand").expect("a file");
    let refused = undo(place.path(), &[first]).stderr;
    assert!(refused.contains("`a.txt`: something else is there now; "), "{refused}");
}
