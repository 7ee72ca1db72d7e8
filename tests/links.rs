//! Symbolic links that scripts make never lead out of the sandbox, wherever scripts move and copy them.

#![allow(clippy::disallowed_methods, reason = "tests set up folders of their own")]

use std::fs;
use std::path::{Component, Path};

use crate::support::dice::Dice;
use crate::support::{ns, run};

const PATHS: [&str; 14] =
    ["a", "b", "a/c", "a/d", "b/c", "b/d", "a/c/e", "a/c/f", "b/d/e", "b/d/f", "a/c/e/g", "b/d/e/g", "a/c/e/g/h", "h"];

/// Returns a script of random changes, of which each may fail.
fn script(dice: &mut Dice) -> String {
    let mut text = String::new();
    for _ in 0..60 {
        let (one, other) = (dice.pick(&PATHS), dice.pick(&PATHS));
        text += &match dice.below(12) {
            0..4 => format!("CALL FS.CreateLink(\"{one}\", \"{other}\")\n"),
            4 => format!("CALL FS.CreateDirectory(\"{one}\")\n"),
            5 => format!("CALL FS.WriteFile(\"{one}\", \"text\")\n"),
            6..9 => format!("CALL FS.MoveFile(\"{one}\", \"{other}\")\n"),
            9 => format!("CALL FS.MoveFiles([{{\"from\": \"{one}\", \"to\": \"{other}\"}}])\n"),
            10 => format!("CALL FS.CopyFile(\"{one}\", \"{other}\", recursive: true)\n"),
            _ => format!("CALL FS.DeleteFile(\"{one}\", recursive: true)\n"),
        };
    }
    text
}

/// Returns the links below a directory that lead above `depth` levels, and the number of all links.
fn stray(folder: &Path, depth: usize) -> (Vec<String>, usize) {
    let (mut stray_links, mut count) = (Vec::new(), 0);
    for entry in fs::read_dir(folder).expect("a folder").map(|entry| entry.expect("an entry")) {
        if entry.file_name() == ".ns" {
            continue;
        }
        let kind = entry.file_type().expect("a kind");
        if kind.is_symlink() {
            count += 1;
            let target = fs::read_link(entry.path()).expect("a link");
            let climbs = target.components().filter(|part| *part == Component::ParentDir).count();
            if target.is_absolute() || climbs > depth {
                stray_links.push(format!("{} -> {}", entry.path().display(), target.display()));
            }
        } else if kind.is_dir() {
            let (more, links) = stray(&entry.path(), depth + 1);
            stray_links.extend(more);
            count += links;
        }
    }
    (stray_links, count)
}

#[test]
fn no_link_of_a_script_leads_out() {
    let rounds = if std::env::var_os("NS_LONG").is_some() { 1_000 } else { 40 };
    let mut links = 0;
    for seed in 0..rounds {
        let place = tempfile::tempdir().expect("a folder for the test");
        let script = script(&mut Dice::new(seed));
        let ran = run(ns(place.path()).args(["run", "-e", &script]));
        assert_eq!(ran.code, 0, "{}", ran.stderr);
        let (found, count) = stray(place.path(), 0);
        assert!(found.is_empty(), "seed {seed}: {found:?}\n{script}");
        links += count;
    }
    assert!(links > rounds as usize, "only {links} links in {rounds} rounds");
}
