//! Forged journals, edited plans and a trash that nests too deep, as an attacker leaves them in a directory.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use super::{sandbox, tree};
use crate::support::{ns, run};

/// Commands that a user may run first in a directory.
const COMMANDS: [&[&str]; 18] = [
    &["run", "-e", "EMIT 1"],
    &["run", "--atomic", "-e", "EMIT 1"],
    &["run", "--plan", "-e", "EMIT 1"],
    &["call", "list_directory", "{\"path\": \".\"}"],
    &["check", "ok.ns"],
    &["log"],
    &["log", "--all"],
    &["show", "20260101"],
    &["doctor"],
    &["undo"],
    &["undo", "--force", "20260101T000000.000000Z-00000001"],
    &["redo", "--force"],
    &["undo", "--plan", "--force", "20260101T000000.000000Z-00000001"],
    &["redo", "--plan"],
    &["gc", "--dry-run", "--all", "--keep-runs", "0"],
    &["gc", "--all", "--keep-runs", "0"],
    &["memory", "list"],
    &["render", "doc.md"],
];

const RUN: &str = "20260101T000000.000000Z-00000001";

fn inode(path: &Path) -> u64 {
    std::os::unix::fs::MetadataExt::ino(&fs::symlink_metadata(path).expect("it is there"))
}

/// Returns a line in the first journal format, with a valid checksum.
fn first_form(json: &str) -> String {
    let mut table = [0_u32; 256];
    for (number, entry) in (0_u32..).zip(&mut table) {
        *entry = (0..8).fold(number, |crc, _| if crc & 1 == 1 { (crc >> 1) ^ 0xedb8_8320 } else { crc >> 1 });
    }
    let crc = json.bytes().fold(!0_u32, |crc, byte| (crc >> 8) ^ table[usize::from(crc as u8 ^ byte)]);
    format!("{:08x} {json}\n", !crc)
}

/// Returns a line in the current format, with an invalid seal.
fn unsealed(json: &str) -> String {
    format!("{json} {}\n", "0".repeat(32))
}

/// Returns the journal of a killed atomic run that would move, create and delete files.
fn forged(place: &Path, line: fn(&str) -> String, version: u32) -> String {
    let at = |path: &str| inode(&place.join(path));
    let state =
        |path: &str| format!("{{\"kind\":\"file\",\"inode\":{},\"size\":4,\"modified\":null,\"mode\":420}}", at(path));
    let begin = format!(
        "{{\"begin\":{{\"version\":{version},\"run\":\"{RUN}\",\"command\":\"ns run ok.ns\",\"user\":0,\"atomic\":true}}}}"
    );
    let moved = |number: u32, from: &str, to: &str| {
        let state = state(to);
        let step = format!(
            "{{\"step\":{{\"number\":{number},\"step\":{{\"move\":{{\"path\":\"{from}\",\"old\":{state},\"to\":\"{to}\"}}}},\"before\":[null,null]}}}}"
        );
        let done = format!("{{\"done\":{{\"number\":{number},\"now\":{state},\"kept\":false,\"after\":[null,null]}}}}");
        [step, done]
    };
    let put = "{\"step\":{\"number\":3,\"step\":{\"put\":{\"path\":\"victim.txt\"}},\"before\":[null]}}".to_owned();
    let put_done = "{\"done\":{\"number\":3,\"now\":null,\"kept\":false,\"after\":[null]}}".to_owned();
    let temporary =
        "{\"step\":{\"number\":4,\"step\":{\"temporary\":{\"path\":\".ns-temp-0123456789abcdef\"}},\"before\":[]}}";
    let lines =
        [begin].into_iter().chain(moved(1, ".git/hooks/pre-commit", "payload.sh")).chain(moved(2, "shown.txt", ".env"));
    lines.chain([put, put_done, temporary.to_owned()]).map(|json| line(&json)).collect()
}

fn plant(place: &Path, path: &str, content: &str) {
    let path = place.join(".ns").join(path);
    fs::create_dir_all(path.parent().expect("a parent")).expect("folders");
    fs::write(path, content).expect("a file");
}

#[test]
fn a_forged_journal_is_carried_out_by_no_command() {
    for (line, version) in [(first_form as fn(&str) -> String, 1), (first_form, 2), (unsealed, 2), (unsealed, 1)] {
        for folder in ["runs/open", "runs"] {
            for words in COMMANDS {
                let place = sandbox();
                let journal = forged(place.path(), line, version);
                fs::create_dir_all(place.path().join(".ns/runs/open")).expect("folders");
                plant(place.path(), &format!("{folder}/{RUN}"), &journal);
                plant(place.path(), "trash/victim.txt/20200101T000000.000000Z-00000000", "old");
                plant(place.path(), "backups/a/20200101T000000.000000Z-00000000-0123456789abcdef", "old");
                let before = tree(place.path());
                let ran = run(ns(place.path()).args(words));
                assert_ne!(ran.code, 101, "{words:?}: {}", ran.stderr);
                let after = tree(place.path());
                let lost: Vec<_> = before.iter().filter(|(path, content)| after.get(*path) != Some(content)).collect();
                assert_eq!(lost, Vec::new(), "{words:?}\n{}", ran.stderr);
                let is_own = |path: &Path| path.starts_with(".ns");
                let new: Vec<_> = after.keys().filter(|path| !before.contains_key(*path) && !is_own(path)).collect();
                assert_eq!(new, Vec::<&PathBuf>::new(), "{words:?}\n{}", ran.stderr);
                let told = ran.stderr.matches("are not yours").count();
                let looks =
                    matches!(words[0], "check" | "doctor") || words.contains(&"--dry-run") || words.contains(&"--plan");
                assert_eq!(told, usize::from(!looks), "{words:?}\n{}", ran.stderr);
            }
        }
    }
}

#[test]
fn a_plan_that_was_edited_brings_nothing_back() {
    let place = sandbox();
    fs::write(place.path().join("note.txt"), "old").expect("a file");
    let at = |words: &[&str]| run(ns(place.path()).args(words));
    assert_eq!(at(&["run", "-e", "MUST FS.DeleteFile(\"note.txt\")"]).code, 0);
    let kept = fs::read_dir(place.path().join(".ns/trash/note.txt"))
        .expect("a folder")
        .next()
        .expect("a file")
        .expect("an entry")
        .file_name();
    let script = format!("MUST FS.RestoreBackup(\".ns/trash/note.txt/{}\")", kept.display());
    let plan = at(&["run", "--plan=json", "-e", &script]).stdout;
    let other = tempfile::tempdir().expect("a folder for plans");
    let apply = |text: &str| {
        fs::write(other.path().join("plan.json"), text).expect("a plan");
        at(&["apply", other.path().join("plan.json").to_str().expect("text")])
    };
    let seal = plan.rfind("\"seal\":\"").expect("a seal") + 8;
    let digit = if &plan[seal..=seal] == "0" { "1" } else { "0" };
    let flipped = format!("{}{digit}{}", &plan[..seal], &plan[seal + 1..]);
    for edited in [
        flipped.as_str(),
        &plan.replacen("\"command\":\"", "\"command\":\"x", 1),
        &plan.replacen("note.txt\",\"change\"", "else.txt\",\"change\"", 1),
        &plan.replacen(' ', "  ", 1),
    ] {
        let ran = apply(edited);
        if edited == plan {
            continue;
        }
        assert!(ran.code == 4 && ran.stderr.contains("your key did not seal this plan"), "{edited}\n{}", ran.stderr);
        assert!(!place.path().join("note.txt").exists() && !place.path().join("else.txt").exists());
    }
    fs::write(place.path().join("neuroscript.toml"), "[policy]\nblocked_patterns = [\"note.txt\"]\n")
        .expect("a policy");
    assert_eq!(apply(&plan).code, 4, "the policy is asked of the place that it came from");
    fs::remove_file(place.path().join("neuroscript.toml")).expect("it goes");
    let ran = apply(&plan);
    assert_eq!(
        (ran.code, fs::read_to_string(place.path().join("note.txt")).ok().as_deref()),
        (0, Some("old")),
        "{}",
        ran.stderr
    );
}

/// A tree deeper than any path is not searched, so that no write waits for it.
#[test]
fn a_trash_that_nests_without_end_holds_nobody_up() {
    let place = sandbox();
    let script = "import os\nos.makedirs('.ns/trash', exist_ok=True)\nos.chdir('.ns/trash')\nfor _ in range(4000):\n    os.mkdir('d')\n    os.chdir('d')\n";
    assert!(Command::new("python3").args(["-c", script]).current_dir(place.path()).status().expect("python").success());
    let ran =
        run(ns(place.path()).args(["--timeout", "20s", "run", "-e", "MUST FS.WriteFile(\"victim.txt\", \"new\")"]));
    let words = "directories nest deeper in it than in any path";
    assert!(ran.code == 0 && ran.stderr.contains(words), "{}", ran.stderr);
    // The test directory is too deep for its automatic removal.
    assert!(Command::new("rm").arg("-rf").arg(place.path().join(".ns")).status().expect("rm").success());
}
