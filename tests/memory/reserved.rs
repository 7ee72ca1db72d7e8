//! `.ns` and `neuroscript.toml` are reserved at every depth: depth × spelling × tool, trees that contain them, and
//! case-insensitive file systems.

use std::fs;
use std::os::unix::fs::symlink;
use std::path::Path;
use std::process::Command;

use serde_json::{Map, Value as Json, json};

use super::hidden::{arguments, call, engine, tools_with_paths};
use super::{eval, sandbox};
use crate::support::{describe, folder_in_memory, run};

/// Directories that contain reserved names, and paths to some of them.
const DEPTHS: [&str; 7] = ["a", "a/b", "a/b/c/d", "./a/b", "a/b/../b", "a/up/a", "dir"];
const SPELLINGS: [&str; 16] = [
    ".ns",
    ".NS",
    ".n\u{17f}",
    ".ns.",
    ".ns ",
    ".ns:x",
    ".n\u{34f}s",
    ".ns\u{fe0f}",
    "NS~1",
    "neuroscript.toml",
    "NeuroScript.TOML",
    "neuroscript.toml.",
    "neuro\u{17f}cript.toml",
    "neuroscr\u{131}pt.toml",
    "NEUROS~1.TOM",
    "neuroscript.toml::$DATA",
];
const ENDS: [&str; 5] = ["", "/", "/state", "/new/deeper", "/../file"];

/// Creates a tree with reserved entries at several depths.
fn tree(place: &Path) {
    for folder in ["a", "a/b", "a/b/c/d"] {
        let folder = place.join(folder);
        fs::create_dir_all(folder.join(".ns/runs/open")).expect("folders");
        fs::write(folder.join(".ns/state"), "SECRET").expect("a file");
        fs::write(folder.join("neuroscript.toml"), "# SECRET\n").expect("a file");
        fs::write(folder.join("file"), "text").expect("a file");
    }
    symlink("..", place.join("a/up")).expect("a link");
    symlink("a/b", place.join("dir")).expect("a link");
    symlink("b/.ns", place.join("a/own")).expect("a link");
    symlink("missing/.ns", place.join("a/dangling")).expect("a link");
    symlink("neuroscript.toml", place.join("a/policy")).expect("a link");
}

/// Removes links whose targets are reserved names, because listings may show link targets.
fn without_links_to_them(place: &Path) {
    for path in ["a/own", "a/dangling", "a/policy"] {
        fs::remove_file(place.join(path)).expect("a link");
    }
}

/// Describes the tree without the state directory below the root.
fn state(place: &Path) -> String {
    describe(place).lines().filter(|line| !line.starts_with(".ns")).collect::<Vec<_>>().join("\n")
}

fn check_refused(place: &Path, paths: &[String]) {
    let engine = engine(place);
    let before = state(place);
    for tool in tools_with_paths() {
        for (param, _, _) in tool.params.iter().filter(|(_, kind, _)| kind == "path") {
            for path in paths {
                let (code, message) = match call(&engine, &tool.name, arguments(&tool, param, path)) {
                    Err(error) => error,
                    Ok(answer) => panic!("{}({param}: {path:?}) gave {answer:?}", tool.name),
                };
                // Created names must not contain `:` at all, and a selector after a letter is not shown.
                let is_refused = code == "sandbox_violation" || code == "bad_args" && path.contains([':', '\u{fe0f}']);
                assert!(is_refused, "{}({param}: {path:?}): {code} {message}", tool.name);
            }
        }
        assert_eq!(state(place), before, "{} changed something", tool.name);
    }
}

#[test]
fn every_spelling_is_refused_at_every_depth() {
    let place = folder_in_memory();
    tree(place.path());
    let mut paths = Vec::new();
    for depth in DEPTHS {
        for spelling in SPELLINGS {
            paths.extend(ENDS.map(|end| format!("{depth}/{spelling}{end}")));
        }
    }
    paths.extend(["a/own/", "a/own/state", "a/dangling/x", "a/policy/"].map(str::to_owned));
    check_refused(place.path(), &paths);
}

/// No result of a reading tool contains a reserved name or content below it.
#[test]
fn no_tool_shows_them_at_any_depth() {
    let place = sandbox();
    tree(place.path());
    without_links_to_them(place.path());
    let engine = engine(place.path());
    let calls = [
        ("walk_dir", json!({"path": "."})),
        ("walk_dir", json!({"path": "a/b"})),
        ("list_directory", json!({"path": ".", "recursive": true, "include_hidden": true})),
        ("list_dir", json!({"recursive": true, "follow_folder_symlinks": true, "follow_file_symlinks": true})),
        ("list_dir", json!({"path": "a/up", "recursive": true, "format": "value"})),
        ("list_dir", json!({"recursive": true, "target": "session_memory", "memory_key": "k"})),
        ("memory_get", json!({"key": "k"})),
        ("find_files", json!({"pattern": "**/*", "directory_path": "."})),
        ("search_files", json!({"text": "SECRET", "directory_path": "."})),
        ("search_files", json!({"text": "text", "directory_path": "."})),
    ];
    for (tool, args) in calls {
        let Json::Object(args) = args else { unreachable!("each is an object") };
        let answer = call(&engine, tool, args).unwrap_or_else(|error| panic!("{tool}: {error:?}"));
        let text = serde_json::to_string(&answer).expect("an answer has JSON");
        let shown = ["state", "neuroscript.toml", ".ns/", "\".ns\"", "# SECRET"];
        assert!(!shown.iter().any(|word| text.contains(word)), "{tool}: {text}");
    }
    assert!(call(&engine, "walk_dir", Map::from_iter([("path".to_owned(), json!("a"))])).is_ok());
}

#[test]
fn trees_with_them_are_moved_and_deleted_whole() {
    let place = sandbox();
    tree(place.path());
    let ran = eval(
        place.path(),
        "MUST FS.MoveFile(\"a\", \"moved\")\nSET gone = FS.DeleteFile(\"moved/b\", recursive: true)\n\
         MUST FS.RestoreBackup(gone.backupPath)\nMUST FS.DeleteFile(\"moved/b\", recursive: true)",
    );
    assert_eq!((ran.code, ran.stderr.as_str()), (0, ""));
    assert!(state(place.path()).contains("moved/.ns/state"));
    let undone = run(crate::support::ns(place.path()).args(["undo"]));
    assert_eq!(undone.code, 0, "{}", undone.stderr);
    assert!(state(place.path()).contains("a/b/c/d/.ns/state"), "{}", state(place.path()));
}

#[test]
fn copies_and_archives_leave_them_out_and_say_so() {
    let place = sandbox();
    tree(place.path());
    without_links_to_them(place.path());
    fs::remove_file(place.path().join("a/up")).expect("a link");
    let ran = eval(place.path(), "MUST FS.CopyFile(\"a\", \"copy\", recursive: true)");
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    assert!(ran.stderr.contains("6 entries were not copied: `.ns` and `neuroscript.toml` belong"), "{}", ran.stderr);
    let ran = eval(
        place.path(),
        "MUST FS.CreateDirectory(\"many\")\nMUST FS.CopyFile(destination_path: \"many\", paths: [\"a/b/c\", \"a/b\"], recursive: true)",
    );
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    assert_eq!(ran.stderr.matches("not copied").count(), 1, "{}", ran.stderr);
    assert!(ran.stderr.contains("6 entries were not copied"), "{}", ran.stderr);
    // The root's own files are invisible to every tool, so there are no warnings about them.
    fs::write(place.path().join("neuroscript.toml"), "").expect("a policy");
    let ran = eval(place.path(), "MUST FS.DeleteFile(\"a\", recursive: true)\nMUST FS.Compress(\".\", \"all.zip\")");
    assert_eq!((ran.code, ran.stderr.as_str()), (0, ""));
}

#[test]
fn a_directory_that_looks_empty_is_not_removed() {
    let place = sandbox();
    for name in [".ns", "neuroscript.toml"] {
        fs::create_dir_all(place.path().join("box").join(name)).expect("a folder");
        let ran = eval(place.path(), "EMIT FS.DeleteFile(\"box\").error\nEMIT FS.WalkDir(\"box\")");
        let told = format!("the directory `box` is not empty: it holds `{name}`, which belongs to NeuroScript itself");
        assert!(ran.stdout.starts_with(&told) && ran.stdout.ends_with("\n[]\n"), "{}", ran.stdout);
        fs::remove_dir(place.path().join("box").join(name)).expect("it stays");
    }
    fs::create_dir_all(place.path().join("box/.ns")).expect("a folder");
    assert_eq!(eval(place.path(), "MUST FS.DeleteFile(\"box\", recursive: true)").code, 0);
}

#[test]
fn nothing_is_unpacked_under_a_reserved_name() {
    let place = sandbox();
    let made = Command::new("python3")
        .current_dir(place.path())
        .args(["-c", "import zipfile\nfor n, p in enumerate(['a/.ns/x', 'a/b/neuroscript.toml', 'a/.NS/', 'a/NS~1/x']):\n  zipfile.ZipFile(f'{n}.zip', 'w').writestr(p, '' if p[-1] == '/' else 'x')"])
        .status();
    assert!(made.expect("python3 starts").success());
    for number in 0..4 {
        for into in [".", "new", "new/deeper"] {
            let script = format!("SET r = FS.Extract(\"{number}.zip\", \"{into}\")\nEMIT LAST_ERROR.code");
            let ran = eval(place.path(), &script);
            assert_eq!(ran.stdout, "sandbox_violation\n", "{number} {into}: {}", ran.stderr);
            assert!(!place.path().join("a").exists() && !place.path().join("new").exists());
        }
    }
}

/// The commands tried on a case-insensitive file system, in the directory `disk/t`.
const TRIES: &str = r#"
mkdir -p disk/t/sub/.ns && echo SECRET > disk/t/sub/.ns/state && echo '# SECRET' > disk/t/sub/neuroscript.toml
test -e disk/t/SUB/NEUROSCRIPT.TOML || exit 78
ns() { "$NS" --sandbox disk/t call "$@"; }
for path in sub/.NS/state SUB/.Ns/state sub/NeuroScript.TOML SUB/NEUROS~1.TOM sub/NS~1/state; do
    ns read_file "{\"file_path\": \"$path\"}"; echo "tried $path $?"
    ns write_file "{\"file_path\": \"$path\", \"content\": \"x\"}"; echo "tried $path $?"
done
ns walk_dir '{"path": "."}'
cat disk/t/sub/.ns/state disk/t/sub/neuroscript.toml >&2
umount disk
"#;

#[test]
fn a_file_system_without_letter_case_gives_no_other_way() {
    let kinds = [
        (
            "ext4",
            "mkfs.ext4 -q -O casefold -E encoding=utf8 img && mount -o loop img disk && mkdir disk/t && chattr +F disk/t",
        ),
        ("vfat", "mkfs.vfat img >/dev/null && mount -o loop,uid=0 img disk && mkdir disk/t"),
        ("NTFS", "mkntfs -F -q img >/dev/null && lowntfs-3g -o ignore_case img disk && mkdir disk/t"),
    ];
    for (kind, make) in kinds {
        let place = sandbox();
        let script = format!("mkdir disk && truncate -s 16M img && {make} || exit 77\n{TRIES}");
        let mut command = Command::new("unshare");
        command.args(["--mount", "sh", "-c", &script]).current_dir(place.path());
        let ran = run(command.env("NS", env!("CARGO_BIN_EXE_ns")).env("HOME", "/nonexistent"));
        if ran.code == 77 || ran.stderr.contains("unshare failed") {
            println!("SKIPPED: no {kind} without letter case can be mounted: {}", ran.stderr);
            continue;
        }
        assert_eq!(ran.code, 0, "{kind}: {}", ran.stderr);
        assert!(!ran.stdout.contains("SECRET") && !ran.stdout.contains("state\""), "{kind}: {}", ran.stdout);
        let tries: Vec<&str> = ran.stdout.lines().filter(|line| line.starts_with("tried ")).collect();
        assert_eq!(tries.len(), 10, "{kind}: {}", ran.stdout);
        assert!(tries.iter().all(|line| line.ends_with(" 4")), "{kind}: {tries:?} {}", ran.stderr);
        assert!(ran.stderr.ends_with("SECRET\n# SECRET\n"), "{kind}: {}", ran.stderr);
    }
}
