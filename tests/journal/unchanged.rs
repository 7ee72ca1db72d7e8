//! A call that leaves everything as it was is no change: it is not counted, it leaves no journal and nothing to undo.
//! Replacing a file by the same bytes is one, because the file is another and its time is new.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use serde_json::Value as Json;

use super::{log, sandbox, undo};
use crate::support::{ns, run, state_of};

/// Calls that change nothing, by tool: it is as the call wants it, there is nothing to do, or the call fails.
const NOTHING: &[(&str, &[&str])] = &[
    (
        "FS.CreateDirectory",
        &[
            "\"d\"",
            "\"d/in/\"",
            "\".\"",
            "\"to_d\"",
            "\"to_d/in\"",
            "\"d/in\", recursive: false",
            "\"a.txt\"",
            "\"../up\"",
        ],
    ),
    ("FS.SetPermissions", &["\"a.txt\", \"644\"", "\"d\", \"755\"", "\"none\", \"600\"", "\"d\", \"9\""]),
    (
        "FS.SetModified",
        &["\"dated\", \"2024-05-01T00:00:00.25Z\"", "\"none\", \"2024-05-01\"", "\".\", \"2024-05-01\""],
    ),
    ("FS.AppendFile", &["\"a.txt\", \"\"", "\"d\", \"x\"", "\"none/x/../../d\", \"x\""]),
    (
        "FS.MoveFile",
        &["\"a.txt\", \"a.txt\"", "\"a.txt\", \"b.txt\"", "\"d\", \"d/in/d\"", "\"none\", \"n/m\"", "\"d\", \".\""],
    ),
    (
        "FS.MoveFiles",
        &[
            "[]",
            "[{\"source\": \"a.txt\", \"destination\": \"b.txt\"}]",
            "[{\"source\": \"a.txt\", \"destination\": \"b.txt\"}, {\"source\": \"b.txt\", \"destination\": \"a.txt\"}]",
            "[{\"source\": \"a.txt\", \"destination\": \"n\"}, {\"source\": \"none\", \"destination\": \"m\"}], all_or_nothing: true",
        ],
    ),
    (
        "FS.ReplaceInFiles",
        &[
            "\".\", \"no such text\", \"x\"",
            "\"none\", \"a\", \"x\"",
            "\".\", \"a\", \"x\", dry_run: true",
            "\".\", \"^\", \"\", regex: true",
            "\".\", \"a\", \"x\", max_size_mb: 0",
        ],
    ),
    ("FS.CreateLink", &["\"a.txt\", \"d\"", "\"n/m\", \"none\"", "\"d/in\", \"d\"", "\"../up\", \"a.txt\""]),
    (
        "FS.CopyFile",
        &[
            "\"a.txt\", \"a.txt\", overwrite: true",
            "\"none\", \"n/m\"",
            "\"d\", \"d/in/d\", recursive: true",
            "paths: [], destination: \"n\"",
            "glob: \"*.none\", destination: \"n\"",
            "paths: [\"none\"], destination: \"n\"",
            "paths: [\"a.txt\", \"none\"], destination: \"n\", all_or_nothing: true",
        ],
    ),
    ("FS.WriteFile", &["\"a.txt\", \"x\", overwrite: false", "\"d\", \"x\"", "\"../up\", \"x\"", "\"a.txt/n\", \"x\""]),
    (
        "FS.EditFile",
        &["\"a.txt\", \"none\", \"x\"", "\"none\", \"a\", \"x\"", "\"a.txt\", \"a\", \"x\", expected_count: 2"],
    ),
    (
        "FS.DeleteFile",
        &[
            "\"none\"",
            "\"d\"",
            "paths: []",
            "glob: \"*.none\"",
            "paths: [\"none\"]",
            "paths: [\"a.txt\", \"none\"], all_or_nothing: true",
        ],
    ),
    ("FS.RestoreBackup", &["\".ns/backups/a.txt/none\"", "\"a.txt\""]),
    (
        "FS.Compress",
        &[
            "\"none\", \"n/z.zip\"",
            "\"a.txt\", \"z.zip\", overwrite: false",
            "paths: [\"none\"], destination: \"n/z.zip\"",
        ],
    ),
    ("FS.Extract", &["\"z.zip\", \"out\"", "\"e.tar.gz\", \"e\"", "\"a.txt\", \"n\"", "\"none.zip\", \"n\""]),
    ("FS.TempDirectory", &["", "prefix: \"x/y\""]),
];

/// Calls that replace a file by one with the same content.
const SAME: [&str; 4] = [
    "FS.WriteFile(\"a.txt\", \"a\")",
    "FS.WriteFile(\"a.txt\", \"a\", create_backup: false)",
    "FS.CopyFile(\"a.txt\", \"b.txt\", overwrite: true)",
    "FS.Compress(\"a.txt\", \"z.zip\", overwrite: true)",
];

/// Creates a sandbox with archives that are unpacked already, whose own runs are forgotten.
fn place() -> tempfile::TempDir {
    let place = sandbox();
    let root = place.path();
    fs::create_dir_all(root.join("empty")).expect("a folder");
    fs::write(root.join("b.txt"), "a").expect("a file");
    let dated = fs::File::create(root.join("dated")).expect("a file");
    let time = std::time::UNIX_EPOCH + std::time::Duration::from_millis(1_714_521_600_250);
    dated.set_modified(time).expect("a time");
    std::os::unix::fs::symlink("d", root.join("to_d")).expect("a link");
    let script = "MUST FS.Compress(\"d\", \"z.zip\")\nMUST FS.Compress(\"empty\", \"e.tar.gz\")\n\
                  MUST FS.Extract(\"z.zip\", \"out\")\nMUST FS.Extract(\"e.tar.gz\", \"e\")";
    assert_eq!(run(ns(root).args(["run", "-e", script])).code, 0);
    fs::remove_dir_all(root.join(".ns")).expect("nothing of that run is of use");
    for (path, mode) in [("a.txt", 0o644), ("d", 0o755)] {
        use std::os::unix::fs::PermissionsExt;
        fs::set_permissions(root.join(path), fs::Permissions::from_mode(mode)).expect("a mode");
    }
    place
}

/// Returns the names of journals, finished or not, and of backups.
fn traces(place: &Path) -> Vec<String> {
    let mut traces = Vec::new();
    for folder in [".ns/runs", ".ns/runs/open", ".ns/backups", ".ns/trash"] {
        for entry in fs::read_dir(place.join(folder)).into_iter().flatten() {
            let name = entry.expect("an entry").file_name().to_string_lossy().into_owned();
            if !["open", "owner"].contains(&&*name) {
                traces.push(format!("{folder}/{name}"));
            }
        }
    }
    traces
}

#[test]
fn every_tool_that_changes_files_has_a_row() {
    let declared = run(ns(Path::new(".")).args(["tools", "--format", "json"])).stdout;
    let declared: Vec<Json> = serde_json::from_str(&declared).expect("a list");
    let changing =
        declared.iter().filter(|tool| ["writes", "deletes"].contains(&tool["effect"].as_str().unwrap_or("")));
    let changing: BTreeSet<&str> = changing.filter_map(|tool| tool["script_name"].as_str()).collect();
    let tested: BTreeSet<&str> = NOTHING.iter().map(|(tool, _)| *tool).collect();
    assert_eq!(changing.into_iter().filter(|tool| tool.starts_with("FS.")).collect::<BTreeSet<_>>(), tested);
}

#[test]
fn a_call_that_leaves_all_as_it_was_is_no_change() {
    let place = place();
    let before = state_of(place.path());
    for (tool, calls) in NOTHING {
        for call in *calls {
            let script = format!("SET r = {tool}({call})");
            run(ns(place.path()).args(["run", "-e", &script]));
            assert_eq!(state_of(place.path()), before, "{script}");
            assert_eq!((log(place.path()), traces(place.path())), (Vec::new(), Vec::new()), "{script}");
            let planned = run(ns(place.path()).args(["run", "--plan", "-e", &script]));
            assert!(planned.code != 0 || planned.stdout.starts_with("plan: nothing"), "{script}: {}", planned.stdout);
        }
    }
    let nothing = undo(place.path(), &[]);
    assert!(nothing.stderr.contains("there is nothing to undo"), "{}", nothing.stderr);
    // Beside a change, they are not counted either.
    let all: Vec<String> = NOTHING.iter().map(|(tool, calls)| format!("SET r = {tool}({})", calls[0])).collect();
    let script = format!("MUST FS.WriteFile(\"one\", \"x\")\n{}", all.join("\n"));
    assert_eq!(run(ns(place.path()).args(["run", "-e", &script])).code, 0);
    assert_eq!(log(place.path())[0]["changes"], 1);
    assert_eq!(undo(place.path(), &[]).code, 0);
    assert_eq!(state_of(place.path()), before);
}

#[test]
fn the_same_bytes_in_a_new_file_are_a_change() {
    for call in SAME {
        let place = place();
        let before = state_of(place.path());
        assert_eq!(run(ns(place.path()).args(["run", "-e", &format!("MUST {call}")])).code, 0, "{call}");
        assert_eq!(log(place.path())[0]["changes"], 1, "{call}");
        if !call.contains("CopyFile") {
            assert_ne!(state_of(place.path()), before, "{call}: the time is new");
        }
        assert_eq!(undo(place.path(), &[]).code, 0, "{call}");
        assert_eq!(state_of(place.path()), before, "{call}");
    }
}
