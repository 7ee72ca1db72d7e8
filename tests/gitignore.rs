//! Random trees with nested `.gitignore` files: `FS.ListDir`, `FS.Find`, `FS.FindFiles` and `FS.SearchFiles` see the same
//! as git.
//!
//! Each tree is generated from its number, so a failure can be reproduced. 25 trees, 300 with `NS_LONG=1`, or as many
//! as `NS_TREES` says; `NS_TREE` is the number of the first.

#![allow(clippy::disallowed_methods, reason = "tests set up folders of their own")]

use std::collections::BTreeSet;
use std::ffi::OsStr;
use std::fs;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::{Value as Json, json};

use crate::support::dice::Dice;
use crate::support::{ns, run};

const FOLDERS: &[&[u8]] = &[b"a", b"b", b"foo", b"bar", b"a b", b".h", b"ab", b"build", b"\xc3\xa9"];
const FILES: &[&[u8]] = &[
    b"a",
    b"b",
    b"c",
    b"ab",
    b"abc",
    b"ba",
    b"foo",
    b"bar",
    b"x.log",
    b"y.log",
    b"d.txt",
    b"-",
    b"!x",
    b"#y",
    b"[a]",
    b"]",
    b"\\z",
    b"\\",
    b"a b",
    b"a ",
    b"a\t",
    b"\t",
    b" ",
    b"A",
    b"B",
    b"0",
    b"5",
    b"^",
    b"a*",
    b"*",
    b"?",
    b"**",
    b".h",
    b"x.",
    b"\xc3\xa9",
    b"a\xc3\xa9b",
    b"\xff",
    b"a\x0b",
    b"~",
    b"foo.bar",
    b"!",
    b"#",
    b"a]",
    b"a-b",
    b"[",
    b"a:b",
    b"$x",
];
const PIECES: &[&[u8]] = &[
    b"a",
    b"b",
    b"c",
    b"ab",
    b"foo",
    b"bar",
    b"build",
    b"x.log",
    b"a b",
    b".h",
    b"*",
    b"?",
    b"**",
    b"***",
    b"*.log",
    b"a*",
    b"*b",
    b"*a*",
    b"f?o",
    b"a**b",
    b"**a",
    b"a**",
    b"[ab]",
    b"[!ab]",
    b"[^a]",
    b"[a-c]",
    b"[a-c]*",
    b"[]a]",
    b"[!]a]",
    b"[\\]]",
    b"[a\\-c]",
    b"[[:alpha:]]",
    b"[[:digit:]-]",
    b"[[:space:]]",
    b"*[[:upper:][:digit:]]",
    b"[[:punct:]]*",
    b"[[:foo:]]",
    b"[[:alpha:]",
    b"[[:]",
    b"[a",
    b"[",
    b"]",
    b"[z-a]",
    b"[a-]",
    b"[--0]",
    b"[!-]",
    b"\\a",
    b"\\*",
    b"\\?",
    b"\\[a\\]",
    b"\\\\",
    b"\\\\z",
    b"a\\",
    b"\\!x",
    b"\\#y",
    b"!x",
    b"#y",
    b"[a]",
    b"\xc3\xa9",
    b"??",
    b"[\xc3\xa9]",
    b"\xff",
    b"~",
    b"-",
    b"$x",
    b"\\$x",
    b"*.*",
    b"*.",
];
const ENDS: &[&[u8]] = &[
    b"", b"", b"", b"", b"", b"/", b"/", b" ", b"  ", b"\\ ", b"\t", b" \t", b"/ ", b"\r", b" \r", b"//", b"/**", b"/*",
];
const SIGNS: &[u8] = b"*?[]!^-\\/ab:. #";

/// Returns one line of a `.gitignore`.
fn line(dice: &mut Dice) -> Vec<u8> {
    let mut line = Vec::new();
    match dice.below(24) {
        0 => return b"# a comment".to_vec(),
        1 => return Vec::new(),
        2 => return b"!".to_vec(),
        3 => line.extend((0..1 + dice.below(8)).map(|_| SIGNS[dice.below(SIGNS.len())])),
        4 => line.extend_from_slice(dice.pick(&[&b"*"[..], b"/*", b"**/", b"/**", b"**", b"*/", b"/", b"\t", b" "])),
        _ => {
            for part in 0..1 + dice.below(2) + dice.below(2) {
                if part > 0 {
                    line.extend_from_slice(dice.pick(&[&b"/"[..], b"/", b"/", b"/**/", b"**/", b"/**", b"//"]));
                }
                line.extend_from_slice(dice.pick(PIECES));
            }
            if dice.one_in(5) {
                line.insert(0, b'/');
            }
            if dice.one_in(8) {
                line.splice(0..0, *b"**/");
            }
        }
    }
    line.extend_from_slice(dice.pick(ENDS));
    if dice.one_in(4) {
        line.insert(0, b'!');
    }
    if dice.one_in(60) {
        let at = dice.below(line.len() + 1);
        line.insert(at, 0);
    }
    line
}

fn rules(dice: &mut Dice) -> Vec<u8> {
    let mut text = if dice.one_in(10) { b"\xef\xbb\xbf".to_vec() } else { Vec::new() };
    let lines = 1 + dice.below(7);
    for number in 0..lines {
        text.extend(line(dice));
        match (number + 1 == lines, dice.below(6)) {
            (true, 0) => {}
            (_, 1) => text.extend_from_slice(b"\r\n"),
            _ => text.push(b'\n'),
        }
    }
    text
}

/// Fills a directory, and collects the paths of its subdirectories.
fn fill(dice: &mut Dice, top: &Path, below: &Path, depth: usize, folders: &mut Vec<PathBuf>) {
    let here = top.join(below);
    fs::create_dir_all(&here).expect("a folder of the tree");
    if dice.below(3) > 0 || depth == 0 {
        fs::write(here.join(".gitignore"), rules(dice)).expect("a file of rules");
    }
    for _ in 0..2 + dice.below(7) {
        let path = here.join(OsStr::from_bytes(dice.pick(FILES)));
        if path.symlink_metadata().is_ok() {
            continue;
        }
        match dice.below(12) {
            0 => symlink(OsStr::from_bytes(dice.pick(FOLDERS)), path).expect("a link of the tree"),
            _ => fs::write(path, "x\n").expect("a file of the tree"),
        }
    }
    if depth < 4 {
        for _ in 0..dice.below(4) + usize::from(depth == 0) {
            let path = below.join(OsStr::from_bytes(dice.pick(FOLDERS)));
            if top.join(&path).symlink_metadata().is_err() {
                folders.push(path.clone());
                fill(dice, top, &path, depth + 1, folders);
            }
        }
    }
}

fn git(top: &Path) -> Command {
    let mut git = Command::new("git");
    git.current_dir(top).env("GIT_CONFIG_GLOBAL", "/dev/null").env("GIT_CONFIG_SYSTEM", "/dev/null");
    git.env_remove("GIT_DIR").env("HOME", "/nonexistent").env_remove("XDG_CONFIG_HOME");
    git.args(["-c", "core.excludesFile=/dev/null", "-c", "core.ignoreCase=false"]);
    git
}

/// Returns the files that git lists below a directory.
fn by_git(folder: &Path) -> BTreeSet<String> {
    let output = git(folder).args(["ls-files", "-o", "-z", "--exclude-standard"]).output().expect("git can be started");
    assert!(output.status.success(), "git: {}", String::from_utf8_lossy(&output.stderr));
    let names = output.stdout.split(|byte| *byte == 0).filter(|name| !name.is_empty());
    names.map(|name| String::from_utf8_lossy(name).into_owned()).collect()
}

/// Returns the files that `list_dir` lists below a directory with a UTF-8 name.
fn by_us(top: &Path, folder: &str) -> BTreeSet<String> {
    let args = json!({ "path": folder, "recursive": true, "use_gitignore": true, "format": "json" });
    let ran = run(ns(top).args(["call", "list_dir", &args.to_string()]));
    let tree: Json = serde_json::from_str(&ran.stdout).unwrap_or_else(|_| panic!("no JSON: {}", ran.stderr));
    let mut names = BTreeSet::new();
    flatten(&tree, "", &mut names);
    names
}

/// Returns the files that `find` lists below a directory. Names that are not UTF-8 would make it fail, so a
/// pattern excludes them.
fn by_find(top: &Path, folder: &str) -> BTreeSet<String> {
    let args = json!({ "path": folder, "gitignore": true, "type": "all", "pattern": ["*", "!*\u{fffd}*"] });
    let ran = run(ns(top).args(["call", "find", &args.to_string()]));
    let records: Json = serde_json::from_str(&ran.stdout).unwrap_or_else(|_| panic!("no JSON: {}", ran.stderr));
    let records = records.as_array().expect("a list").iter().filter(|record| record["type"] != "directory");
    records.map(|record| record["path"].as_str().expect("a path").to_owned()).collect()
}

/// Calls a tool that answers with records below a key, and returns their paths without those that are not UTF-8.
fn paths_by(top: &Path, tool: &str, args: &Json, key: &str) -> BTreeSet<String> {
    let ran = run(ns(top).args(["call", tool, &args.to_string()]));
    let answer: Json = serde_json::from_str(&ran.stdout).unwrap_or_else(|_| panic!("no JSON: {}", ran.stderr));
    let records = answer[key].as_array().unwrap_or_else(|| panic!("no {key}: {}", ran.stdout));
    let paths = records.iter().map(|record| record["path"].as_str().expect("a path").to_owned());
    paths.filter(|path| !path.contains('\u{fffd}')).collect()
}

/// Returns the files that `find_files` and `search_files` see below a directory.
fn by_others(top: &Path, folder: &str) -> [BTreeSet<String>; 2] {
    let listed = json!({ "path": folder, "recursive": true, "include_hidden": true, "use_gitignore": true });
    // A match in a file whose name is not UTF-8 would be an error.
    let searched = json!({ "path": folder, "text": "x", "hidden": true, "pattern": ["*", "!*\u{fffd}*"] });
    [paths_by(top, "find_files", &listed, "items"), paths_by(top, "search_files", &searched, "matches")]
}

fn flatten(tree: &Json, below: &str, names: &mut BTreeSet<String>) {
    for child in tree["children"].as_array().expect("a folder has children") {
        let path = format!("{below}{}", child["name"].as_str().expect("a child has a name"));
        match child["type"].as_str() {
            Some("folder") => flatten(child, &format!("{path}/"), names),
            _ => drop(names.insert(path)),
        }
    }
}

/// Formats all rule files of a tree for a failure message.
fn all_rules(top: &Path, folders: &[PathBuf]) -> String {
    let file = |folder: &Path| {
        let text = fs::read(top.join(folder).join(".gitignore")).ok()?;
        Some(format!("{}: \"{}\"\n", folder.join(".gitignore").display(), text.escape_ascii()))
    };
    std::iter::once(Path::new("")).chain(folders.iter().map(PathBuf::as_path)).filter_map(file).collect()
}

fn check_tree(number: u64) -> Result<usize, String> {
    let place = tempfile::tempdir().expect("a folder for the tree");
    let top = place.path();
    let mut dice = Dice::new(number + 1);
    let mut folders = Vec::new();
    fill(&mut dice, top, Path::new(""), 0, &mut folders);
    let made = git(top).args(["init", "-q", "--template="]).status().expect("git can be started");
    assert!(made.success(), "git init");
    let mut looked_at = vec![".".to_owned()];
    if !folders.is_empty() {
        looked_at.extend((0..2).filter_map(|_| folders[dice.below(folders.len())].to_str().map(str::to_owned)));
    }
    let mut shown = 0;
    for folder in &looked_at {
        let (wanted, found) = (by_git(&top.join(folder)), by_us(top, folder));
        shown += found.len();
        if wanted != found {
            let missing: Vec<_> = wanted.difference(&found).collect();
            let too_many: Vec<_> = found.difference(&wanted).collect();
            return Err(format!(
                "tree {number}, `{folder}`: git alone shows {missing:?}, we alone show {too_many:?}\n{}",
                all_rules(top, &folders)
            ));
        }
    }
    let wanted: BTreeSet<String> = by_git(top).into_iter().filter(|path| !path.contains('\u{fffd}')).collect();
    let found = by_find(top, ".");
    if wanted == found {
        check_excludes(&mut dice, top, &folders, &looked_at).map(|()| shown)
    } else {
        Err(format!("tree {number}: git shows {wanted:?}, `find` {found:?}\n{}", all_rules(top, &folders)))
    }
}

/// Gives the repository an exclude list, and compares what the tools and git show of some directories then.
fn check_excludes(dice: &mut Dice, top: &Path, folders: &[PathBuf], looked_at: &[String]) -> Result<(), String> {
    let list = rules(dice);
    fs::create_dir_all(top.join(".git/info")).expect("a folder of the repository");
    fs::write(top.join(".git/info/exclude"), &list).expect("an exclude list");
    for folder in looked_at {
        let below = if folder == "." { String::new() } else { format!("{folder}/") };
        let shown = by_git(&top.join(folder)).into_iter().map(|path| format!("{below}{path}"));
        let wanted: BTreeSet<String> = shown.filter(|path| !path.contains('\u{fffd}')).collect();
        let found = by_find(top, folder);
        if wanted != found {
            let list = list.escape_ascii();
            let all = all_rules(top, folders);
            return Err(format!("`{folder}`, exclude \"{list}\": git shows {wanted:?}, `find` {found:?}\n{all}"));
        }
        // The other tools do not list links as such, and the files of rules hold other texts.
        let is_file = |path: &String| {
            !path.ends_with(".gitignore") && top.join(path).symlink_metadata().is_ok_and(|metadata| metadata.is_file())
        };
        let wanted: BTreeSet<String> = wanted.into_iter().filter(is_file).collect();
        for found in by_others(top, folder) {
            let found: BTreeSet<String> = found.into_iter().filter(is_file).collect();
            if wanted != found {
                let list = list.escape_ascii();
                let all = all_rules(top, folders);
                return Err(format!("`{folder}`, exclude \"{list}\": git shows {wanted:?}, another {found:?}\n{all}"));
            }
        }
    }
    Ok(())
}

#[test]
fn random_trees_are_listed_as_git_lists_them() {
    let number = |name: &str| std::env::var(name).ok().and_then(|number| number.parse::<u64>().ok());
    let long = std::env::var_os("NS_LONG").is_some();
    let (first, trees) = (number("NS_TREE").unwrap_or(0), number("NS_TREES").unwrap_or(if long { 300 } else { 25 }));
    let results: Vec<_> = (first..first + trees).map(check_tree).collect();
    let faults: Vec<&String> = results.iter().filter_map(|result| result.as_ref().err()).collect();
    let shown: usize = results.iter().filter_map(|result| result.as_ref().ok()).sum();
    let shown_faults = faults.iter().take(5).map(|fault| fault.as_str()).collect::<Vec<_>>().join("\n");
    assert!(faults.is_empty(), "{} of {trees} trees differ:\n{shown_faults}", faults.len());
    // If everything were ignored, the test would prove nothing.
    assert!(shown as u64 > trees * 5, "only {shown} entries in {trees} trees");
    println!("{trees} trees, {shown} entries, no difference");
}

/// Character classes whose matches reveal the class of every byte, one per directory.
const CLASSES: &[&str] = &[
    "[[:alnum:]]",
    "[[:alpha:]]",
    "[[:blank:]]",
    "[[:cntrl:]]",
    "[[:digit:]]",
    "[[:graph:]]",
    "[[:lower:]]",
    "[[:print:]]",
    "[[:punct:]]",
    "[[:space:]]",
    "[[:upper:]]",
    "[[:xdigit:]]",
    "[![:alnum:]]",
    "[^[:print:]]",
    "[[:digit:][:upper:]_]",
    "[[:digit:]-z]",
    "[a-[:digit:]]",
    "[[:digit:]",
    "[[:digit]]",
    "[[:Digit:]]",
    "[[:]]",
    "[[::]]",
    "[[:a:]]",
    "[[.a.]]",
    "[[=a=]]",
    "[a-c]",
    "[!a-c]",
    "[^a-c]",
    "[c-a]",
    "[a-a]",
    "[]]",
    "[]a]",
    "[!]a]",
    "[a]]",
    "[-a]",
    "[a-]",
    "[--0]",
    "[+--]",
    "[a-c-e]",
    "[!-]",
    "[!!]",
    "[^^]",
    "[!^]",
    "[\\]]",
    "[\\]-a]",
    "[Z-\\]]",
    "[a\\-c]",
    "[\\a-c]",
    "[a-\\c]",
    "[\\\\]",
    "[\\\\-a]",
    "[*]",
    "[?]",
    "[[]",
    "[[-a]",
    "[[a]",
    "[,-.]",
    "[ -~]",
    "[!",
    "[^",
    "[",
    "[a",
    "[a-",
    "[\\",
    "[]",
    "[!]",
    "[]-a]",
    "[]-]",
    "?",
    "[[:space:]-]",
    "[\u{e9}]",
    "[\u{80}-\u{bf}]",
    "\\[a]",
    "[a\\]",
    "[a-z]\\",
    "\\",
];

#[test]
fn classes_hold_the_bytes_that_they_hold_for_git() {
    let place = tempfile::tempdir().expect("a folder for the tree");
    let top = place.path();
    assert!(git(top).args(["init", "-q", "--template="]).status().expect("git can be started").success());
    for (number, class) in CLASSES.iter().enumerate() {
        let folder = top.join(number.to_string());
        fs::create_dir(&folder).expect("a folder of the tree");
        for byte in (1..=255_u8).filter(|byte| !b"/.".contains(byte)) {
            fs::write(folder.join(OsStr::from_bytes(&[byte])), "").expect("a file of the tree");
        }
        fs::write(folder.join(".gitignore"), format!("{class}\n")).expect("a file of rules");
    }
    let (wanted, found) = (by_git(top), by_us(top, "."));
    for (number, class) in CLASSES.iter().enumerate() {
        let of_class = |names: &BTreeSet<String>| -> Vec<String> {
            let start = format!("{number}/");
            names.iter().filter(|name| name.starts_with(&start)).cloned().collect()
        };
        assert_eq!(of_class(&found), of_class(&wanted), "{class}");
    }
}
