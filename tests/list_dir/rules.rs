//! Valid and invalid `.gitignore` files.

use std::fs;
use std::process::Command;

use serde_json::json;

use super::Place;
use crate::support::{ns, run};

#[test]
fn git_folders_are_skipped_and_git_files_listed() {
    let place = Place::new(&[".git/HEAD", "a/.git/x", "a/f", "b/.git = gitdir: x", "c/.git -> ../a", "c/g"]);
    assert_eq!(place.ignoring("."), ("a/f\nb/.git\nc/g".to_owned(), String::new()));
    let tree =
        place.list(json!({ "use_gitignore": true, "recursive": true, "path": "c", "follow_folder_symlinks": true }));
    assert_eq!(tree, "c/\n  .git\n  g", "a link of that name is listed and not entered");
}

#[test]
fn the_way_up_ends_at_git_or_at_the_root() {
    let place = Place::new(&[
        ".gitignore = *.a",
        "r/.gitignore = *.b",
        "r/s/.gitignore = *.c",
        "r/s/t/x.a",
        "r/s/t/x.b",
        "r/s/t/x.c",
    ]);
    fs::write(place.top.path().join(".gitignore"), "*\n").expect("a file above the root");
    place.add(&["r/s/t/x.d"]);
    assert_eq!(place.ignoring("r/s/t").0, "x.d", "without `.git` all files up to the root count, and none above it");
    place.add(&["r/.git = gitdir: elsewhere"]);
    assert_eq!(place.ignoring("r/s/t").0, "x.a\nx.d", "a `.git` file ends the way up");
    assert_eq!(place.ignoring("r").0, ".git\n.gitignore\ns/.gitignore\ns/t/x.a\ns/t/x.d");
    place.add(&["r/s/.git/HEAD"]);
    assert_eq!(place.ignoring("r/s/t").0, "x.a\nx.b\nx.d", "a `.git` folder does too");
    place.add(&["r/s/t/.git -> gone"]);
    assert_eq!(place.ignoring("r/s/t").0, ".git\nx.a\nx.b\nx.d", "a link to nothing does not");
}

#[test]
fn a_start_that_is_ignored_shows_nothing() {
    let place = Place::new(&[".git/HEAD", ".gitignore = /out\n", "out/deep/f", "out/.gitignore = !*", "other/out/f"]);
    assert_eq!(place.ignoring("out").0, "");
    assert_eq!(place.ignoring("out/deep").0, "");
    assert_eq!(place.list(json!({ "path": "out", "use_gitignore": true })), "out/");
    assert_eq!(place.ignoring("other/out").0, "f");
}

#[test]
fn a_nearer_file_has_the_last_word() {
    let place =
        Place::new(&[".gitignore = *.log\nkeep/\n", "a/.gitignore = !important.log", "a/important.log", "a/x.log"]);
    place.add(&["a/b/.gitignore = important.log", "a/b/important.log", "keep/.gitignore = !f", "keep/f", "a/b/k"]);
    assert_eq!(place.ignoring(".").0, ".gitignore\na/.gitignore\na/b/.gitignore\na/b/k\na/important.log");
}

#[test]
fn a_link_is_no_folder_to_the_rules() {
    let place = Place::new(&[".gitignore = dir/\n/named\n", "t/f", "dir -> t", "named -> t"]);
    let args = json!({ "recursive": true, "use_gitignore": true });
    assert_eq!(place.list(args), "box/\n  .gitignore\n  dir\n  t/\n    f");
    let follow = json!({ "recursive": true, "use_gitignore": true, "follow_folder_symlinks": true });
    assert_eq!(place.list(follow), "box/\n  .gitignore\n  dir\n    f", "the link `dir` comes before the folder `t`");
    place.add(&["t/.gitignore = f\n", "t/g"]);
    let follow = json!({ "recursive": true, "use_gitignore": true, "follow_folder_symlinks": true, "filter": "files" });
    assert_eq!(place.list(follow), ".gitignore\ndir/.gitignore\ndir/g", "a folder's rules hold below the link to it");
}

/// Whatever is in place of the rules, the listing is complete, and there is a warning.
#[test]
fn files_of_rules_that_cannot_be_used_are_remarked_on() {
    let place = Place::new(&[
        "folder/.gitignore/x",
        "folder/f",
        "pipe/f",
        "link/.gitignore -> ../rules",
        "rules = f",
        "link/f",
    ]);
    place.add(&[
        "out/.gitignore -> /etc/hostname",
        "out/f",
        "big/f",
        "latin/.gitignore",
        "latin/\u{e9}f",
        "latin/g",
        "loop/.gitignore -> .gitignore",
    ]);
    assert!(Command::new("mkfifo").arg(place.at("pipe/.gitignore")).status().expect("mkfifo").success());
    fs::write(place.at("latin/.gitignore"), b"g\n\xe9\n").expect("rules that are not UTF-8");
    let huge = fs::File::create(place.at("big/.gitignore")).expect("a huge file");
    huge.set_len(100 << 20).expect("a huge file");
    let (shown, remarks) = place.ignoring(".");
    let wanted = "big/.gitignore\nbig/f\nfolder/.gitignore/x\nfolder/f\nlatin/.gitignore\nlatin/éf\nlink/.gitignore\nlink/f\n\
                  loop/.gitignore\nout/.gitignore\nout/f\npipe/.gitignore\npipe/f\nrules";
    assert_eq!(shown, wanted);
    let lines: Vec<&str> = remarks.lines().collect();
    assert_eq!(lines.len(), 7, "{remarks}");
    for (line, (folder, word)) in lines.iter().zip([
        ("big", "1048576 bytes"),
        ("folder", "directory"),
        ("latin", "UTF-8"),
        ("link", "link"),
        ("loop", "link"),
        ("out", "link"),
        ("pipe", "no regular file"),
    ]) {
        let start = format!("warning: `{folder}/.gitignore`");
        assert!(line.starts_with(&start) && line.contains(word), "{line} for {folder}");
    }
    let ran = run(ns(&place.sandbox()).args(["run", "-e", "EMIT FS.ListDir(\"out\", use_gitignore: true)"]));
    assert_eq!(ran.stdout, "out/\n  .gitignore\n  f\n");
    assert!(ran.stderr.starts_with("warning: <-e>:1: FS.ListDir: `out/.gitignore` is not used"), "{}", ran.stderr);
}

#[test]
fn rules_beyond_the_bounds_are_left_out_and_remarked_on() {
    let place = Place::new(&["many/first", "many/last", "long/a", "long/b", "zero/a"]);
    let rules: String = std::iter::once("first\n".to_owned()).chain((0..10_000).map(|n| format!("r{n}\n"))).collect();
    fs::write(place.at("many/.gitignore"), rules + "last\n").expect("many rules");
    fs::write(place.at("long/.gitignore"), format!("a\n{}\nb\n", "*?".repeat(3000))).expect("a long rule");
    fs::write(place.at("zero/.gitignore"), "a\0b\n").expect("a rule with a zero");
    let (shown, remarks) = place.ignoring(".");
    assert_eq!(shown, "long/.gitignore\nmany/.gitignore\nmany/last\nzero/.gitignore");
    assert_eq!(remarks.lines().count(), 2, "{remarks}");
    assert!(remarks.contains("line 2 is too long") && remarks.contains("more than 10000 rules"), "{remarks}");
}

#[test]
fn remarks_do_not_flood() {
    let place = Place::new(&[]);
    for number in 0..200 {
        place.add(&[&format!("d{number:03}/.gitignore -> x")]);
    }
    let (_, remarks) = place.ignoring(".");
    assert_eq!(remarks.lines().count(), 11, "{remarks}");
    assert!(remarks.contains("190 more"), "{remarks}");
}

/// Patterns designed to be slow are not: the time is bounded by names and rules, not by the number of ways to match.
#[test]
fn no_pattern_hangs() {
    let place = Place::new(&[]);
    let deep = "a/".repeat(300);
    place.add(&[
        &format!("{deep}f"),
        "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa",
    ]);
    let stars = "*a".repeat(1000) + "b";
    let folders = "**/a/".repeat(400) + "b";
    let either = "**/a*/**/*a/".repeat(150) + "b";
    fs::write(place.at(".gitignore"), format!("{stars}\n{folders}\n{either}\n")).expect("rules");
    let args = json!({ "recursive": true, "use_gitignore": true, "filter": "files" }).to_string();
    let ran = run(ns(&place.sandbox()).args(["call", "list_dir", &args, "--timeout", "60"]));
    assert_eq!((ran.code, ran.stdout.lines().count()), (0, 3), "{}", ran.stderr);
}
