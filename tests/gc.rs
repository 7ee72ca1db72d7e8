//! `ns gc` deletes backups and journals of old runs: exactly what it announces, never what the newest runs or a running
//! one need, even on a full disk.

#![allow(clippy::disallowed_methods, reason = "tests set up folders of their own")]

use crate::support;
use std::fs;
use std::path::Path;

use serde_json::{Value as Json, json};
use tempfile::TempDir;

use crate::support::{Ran, ns, run};

fn sandbox() -> TempDir {
    tempfile::tempdir().expect("a folder for the test")
}

fn eval(place: &Path, script: &str) {
    let ran = run(ns(place).args(["run", "-e", script]));
    assert_eq!((ran.code, ran.stderr.as_str()), (0, ""), "{script}");
}

/// Executes `count` runs, each of which replaces `a.txt`.
fn runs(place: &Path, count: usize) {
    (0..count).for_each(|number| eval(place, &format!("MUST FS.WriteFile(\"a.txt\", \"content {number}\")")));
}

fn gc(place: &Path, words: &[&str]) -> (Json, Ran) {
    let ran = run(ns(place).args(["--output", "json", "gc"]).args(words));
    (serde_json::from_str(&ran.stdout).unwrap_or(Json::Null), ran)
}

/// Returns how many items of a sort `ns gc` reports as deleted, and how many remain.
fn tally(told: &Json, sort: &str) -> (i64, i64) {
    let sorts = told["sorts"].as_array().expect("a list of sorts");
    let row = sorts.iter().find(|row| row["what"] == sort).expect("the sort is there");
    (row["givenUp"].as_i64().expect("a number"), row["kept"].as_i64().expect("a number"))
}

/// Returns the files below a directory in `.ns`.
fn files(place: &Path, below: &str) -> Vec<String> {
    let (mut found, mut ahead) = (Vec::new(), vec![place.join(".ns").join(below)]);
    while let Some(here) = ahead.pop() {
        let entries = fs::read_dir(&here).into_iter().flatten().map(|entry| entry.expect("an entry").path());
        for path in entries {
            if path.is_dir() {
                ahead.push(path)
            } else {
                found.push(path.strip_prefix(place).expect("it is below").display().to_string())
            }
        }
    }
    // It names the owner of the journals and is not one of them.
    found.retain(|path| path != ".ns/runs/owner");
    found.sort();
    found
}

/// Plants an old backup.
fn plant(place: &Path, path: &str, content: &str) {
    let path = place.join(".ns").join(path);
    fs::create_dir_all(path.parent().expect("a parent")).expect("folders");
    fs::write(path, content).expect("a file");
}

const OLD: &str = "20200101T000000.000000Z-00000000";

/// Adopts planted state, so that it belongs to this user.
fn adopt(place: &Path) {
    let ran = run(ns(place).args(["adopt", "--yes"]));
    assert_eq!(ran.code, 0, "{}", ran.stderr);
}

/// Plants the journal of a run without changes, in the first format.
fn plant_journal(place: &Path, run: &str) {
    let begin = format!("00000000 {{\"begin\":{{\"version\":1,\"run\":\"{run}\",\"command\":\"old\",\"user\":0}}}}\n");
    plant(place, &format!("runs/{run}"), &begin);
}

#[test]
fn what_a_dry_run_says_is_what_goes() {
    let place = sandbox();
    runs(place.path(), 8);
    plant(place.path(), &format!("trash/gone/{OLD}/deep/file"), "old");
    adopt(place.path());
    let before = files(place.path(), "");
    let (dry, ran) = gc(place.path(), &["--dry-run", "--all", "--keep-runs", "3"]);
    assert_eq!(ran.stderr, format!("{} things of {} bytes would be given up\n", dry["givenUp"], dry["bytes"]));
    assert_eq!(files(place.path(), ""), before, "nothing is done");
    assert_eq!((tally(&dry, "backups"), tally(&dry, "trash"), tally(&dry, "journals")), ((4, 3), (1, 0), (5, 3)));
    let named: Vec<&str> =
        dry["things"].as_array().expect("things").iter().map(|thing| thing["path"].as_str().expect("a path")).collect();
    let (real, ran) = gc(place.path(), &["--all", "--keep-runs", "3"]);
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    assert_eq!((&real["sorts"], &real["bytes"], &real["things"]), (&dry["sorts"], &dry["bytes"], &dry["things"]));
    let after = files(place.path(), "");
    let gone: Vec<&String> = before.iter().filter(|path| !after.contains(path)).collect();
    let is_named = |path: &&String| named.iter().any(|named| path.starts_with(named));
    assert!(gone.len() == named.len() && gone.iter().all(is_named), "{gone:?} {named:?}");
    assert!(!place.path().join(".ns/trash/gone").exists(), "a folder in which nothing is kept goes too");
    assert_eq!(support::audited(place.path()).lines().last(), Some("gc done"));
}

/// The newest runs can be undone; for older ones, undo reports that the backups are gone.
#[test]
fn the_newest_runs_lose_nothing() {
    let place = sandbox();
    runs(place.path(), 15);
    let (told, _) = gc(place.path(), &["--count", "1", "--keep-runs", "10"]);
    assert_eq!((tally(&told, "backups"), tally(&told, "journals")), ((4, 10), (0, 15)));
    for number in (4..14).rev() {
        assert_eq!(run(ns(place.path()).arg("undo")).code, 0, "back to {number}");
        let content = fs::read_to_string(place.path().join("a.txt")).expect("the file");
        assert_eq!(content, format!("content {number}"));
    }
    let refused = run(ns(place.path()).arg("undo"));
    assert!(refused.stderr.contains("`a.txt`: what was there is no longer kept"), "{}", refused.stderr);
    assert!(refused.stderr.contains("`backup_bytes` in `[policy]` keep more"), "{}", refused.stderr);
}

/// A run that redid an old one keeps its backups under the old names.
#[test]
fn what_a_new_run_needs_under_an_old_name_stays() {
    let place = sandbox();
    fs::write(place.path().join("b.txt"), "precious").expect("a file");
    eval(place.path(), "MUST FS.DeleteFile(\"b.txt\")");
    let name = files(place.path(), "runs").pop().expect("a journal");
    let name = name.rsplit('/').next().expect("a name");
    runs(place.path(), 3);
    let take_back = |words: &[&str]| assert_eq!(run(ns(place.path()).args(words)).code, 0, "{words:?}");
    take_back(&["undo", name]);
    take_back(&["redo"]);
    let (told, _) = gc(place.path(), &["--all", "--keep-runs", "1"]);
    assert_eq!((tally(&told, "trash"), tally(&told, "backups")), ((0, 1), (2, 0)));
    take_back(&["undo"]);
    assert_eq!(fs::read_to_string(place.path().join("b.txt")).expect("it is back"), "precious");
}

/// The same holds for automatic collection: they are not deleted to meet the policy's limit on bytes.
#[test]
fn what_a_new_run_needs_under_an_old_name_stays_whatever_the_policy_says() {
    let place = sandbox();
    support::set_user_policy("[policy]\nbackup_bytes = 1\n");
    fs::write(place.path().join("b.txt"), "precious").expect("a file");
    eval(place.path(), "MUST FS.DeleteFile(\"b.txt\")");
    let name = files(place.path(), "runs").pop().expect("a journal");
    let name = name.rsplit('/').next().expect("a name");
    runs(place.path(), 6);
    assert_eq!(run(ns(place.path()).args(["undo", name])).code, 0);
    assert_eq!(run(ns(place.path()).arg("redo")).code, 0);
    let redo = files(place.path(), "runs").pop().expect("a journal");
    runs(place.path(), 16);
    let undone = run(ns(place.path()).args(["undo", redo.rsplit('/').next().expect("a name")]));
    assert_eq!(undone.code, 0, "{}", undone.stderr);
    assert_eq!(fs::read_to_string(place.path().join("b.txt")).expect("it is back"), "precious");
}

#[test]
fn count_age_and_bytes_hold_for_what_is_kept_and_for_journals() {
    let of = |words: &[&str]| {
        let place = sandbox();
        runs(place.path(), 1);
        for (day, letter) in (1..=6).zip("abcdef".chars()) {
            let name = format!("2020010{day}T000000.000000Z-0000000{day}");
            plant(place.path(), &format!("backups/old.txt/{name}"), &letter.to_string().repeat(100));
            plant_journal(place.path(), &name);
        }
        plant(place.path(), "trash/new/29990101T000000.000000Z-00000000", "new");
        adopt(place.path());
        let (told, ran) = gc(place.path(), words);
        assert_eq!(ran.code, 0, "{}", ran.stderr);
        assert_eq!(tally(&told, "trash"), (0, 1), "what is newer than the newest run stays");
        (tally(&told, "backups").0, tally(&told, "journals").0, files(place.path(), "backups").len())
    };
    let unlimited = ["--count", "0", "--days", "0", "--bytes", "0", "--keep-runs", "1"];
    let with = |words: &[&str]| of(&[&unlimited[..], words].concat());
    assert_eq!(with(&[]), (0, 0, 6));
    assert_eq!(of(&["--keep-runs", "1"]), (6, 0, 0), "the policy's days");
    assert_eq!(of(&[&unlimited[2..], &["--count", "4"]].concat()), (2, 0, 4));
    assert_eq!(of(&["--count", "0", "--days", "36500", "--bytes", "250", "--keep-runs", "1"]), (4, 0, 2));
    assert_eq!(with(&["--journals", "3"]), (0, 4, 6), "three are left, one of them the newest run's");
    assert_eq!(with(&["--journal-days", "30"]), (0, 6, 6));
    assert!(with(&["--journal-bytes", "1K"]).1 < 6, "the oldest journals until the rest is not too much");
    assert_eq!(with(&["--all"]), (6, 6, 0));
}

#[test]
fn what_is_not_ours_is_left_alone_and_told() {
    let place = sandbox();
    runs(place.path(), 3);
    plant(place.path(), "backups/a.txt/notes.txt", "theirs");
    plant(place.path(), "trash/theirs", "theirs");
    plant(place.path(), "runs/theirs", "theirs");
    plant(place.path(), "runs/open/theirs", "theirs");
    std::os::unix::fs::symlink("/etc", place.path().join(".ns/trash/link")).expect("a link");
    let (told, ran) = gc(place.path(), &["--all", "--keep-runs", "0"]);
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    for (path, what) in [
        (".ns/backups/a.txt/notes.txt", "it is a file"),
        (".ns/trash/theirs", "it is a file"),
        (".ns/trash/link", "it is a link"),
        (".ns/runs/theirs", "it is no journal"),
        (".ns/runs/open/theirs", "it is no journal"),
    ] {
        let warning = format!("warning: `{path}` is not NeuroScript's own: {what}; it was left alone\n");
        assert!(ran.stderr.contains(&warning), "{path}: {}", ran.stderr);
        assert!(fs::symlink_metadata(place.path().join(path)).is_ok(), "{path}");
    }
    assert_eq!((tally(&told, "backups"), tally(&told, "journals")), ((2, 0), (3, 0)), "the rest goes");
}

/// Backups that a damaged journal needs beyond its damage are identified by name: those created after the run began.
#[test]
fn a_damaged_journal_is_told_and_loses_nothing_that_is_new() {
    let place = sandbox();
    runs(place.path(), 4);
    let journal = place.path().join(files(place.path(), "runs").pop().expect("a journal"));
    let text = fs::read_to_string(&journal).expect("a journal");
    for damaged in [text.replacen("done", "DONE", 1), "no journal".to_owned(), String::new()] {
        fs::write(&journal, damaged).expect("a journal");
        let (told, ran) = gc(place.path(), &["--dry-run", "--all", "--keep-runs", "2"]);
        assert_eq!(
            (ran.code, tally(&told, "backups"), tally(&told, "journals")),
            (0, (1, 2), (2, if tally(&told, "foreign") == (0, 1) { 1 } else { 2 })),
            "{}",
            ran.stderr
        );
        let is_foreign = tally(&told, "foreign") == (0, 1);
        assert!(
            is_foreign || ran.stderr.contains("warning: `.ns/runs/") && ran.stderr.contains("damaged"),
            "{}",
            ran.stderr
        );
    }
}

#[test]
fn what_was_never_finished_goes_when_nobody_goes_on_with_it() {
    let place = sandbox();
    runs(place.path(), 2);
    for path in [".ns-tmp-1", "runs/.ns-tmp-2", "backups/a.txt/.ns-tmp-3", "trash/.ns-tmp-4"] {
        plant(place.path(), path, "half");
        plant(place.path(), &format!("{path}5"), "half, and fresh");
        support::set_time(&place.path().join(".ns").join(path), support::FIXED_TIME);
    }
    let (told, _) = gc(place.path(), &[]);
    assert_eq!(tally(&told, "unfinished"), (4, 0));
    let left: Vec<String> = files(place.path(), "").into_iter().filter(|path| path.contains(".ns-tmp-")).collect();
    assert!(left.len() == 4 && left.iter().all(|path| path.ends_with('5')), "{left:?}");
}

/// A running run keeps its journal and the backups that it creates and needs.
#[test]
fn a_run_that_goes_on_loses_nothing() {
    let place = sandbox();
    runs(place.path(), 2);
    let script = "MUST FS.WriteFile(\"a.txt\", \"going on\")\nWHILE true DO\nSET x = 1\nEND";
    let mut command = ns(place.path());
    let mut child = command.args(["--max-steps", "1000000000000", "run", "-e", script]).spawn().expect("a run");
    while fs::read_to_string(place.path().join("a.txt")).expect("a file") != "going on" {
        std::thread::yield_now();
    }
    let (told, ran) = gc(place.path(), &["--all", "--keep-runs", "0"]);
    child.kill().expect("it is killed");
    child.wait().expect("it ends");
    assert_eq!((tally(&told, "backups"), tally(&told, "journals")), ((1, 1), (2, 0)), "{}", ran.stderr);
    assert_eq!(run(ns(place.path()).arg("undo")).code, 0);
    assert_eq!(fs::read_to_string(place.path().join("a.txt")).expect("the file"), "content 1");
}

#[test]
fn a_read_only_run_gives_nothing_up() {
    let place = sandbox();
    runs(place.path(), 3);
    let before = files(place.path(), "");
    let refused = run(ns(place.path()).args(["--read-only", "gc", "--all", "--keep-runs", "0"]));
    assert_eq!(refused.code, 4, "{}", refused.stderr);
    let (told, ran) = gc(place.path(), &["--read-only", "--dry-run", "--all", "--keep-runs", "0"]);
    assert_eq!((ran.code, &told["dryRun"], tally(&told, "backups")), (0, &json!(true), (2, 0)), "{}", ran.stderr);
    assert_eq!(files(place.path(), ""), before);
}

/// On a disk without free blocks or inodes a deletion is refused, with advice that then helps.
#[test]
fn a_full_disk_gets_room() {
    let place = sandbox();
    for (options, fill) in [
        ("size=512k", "head -c 2000000 /dev/zero > \"$PLACE/fill\" 2>/dev/null || true"),
        ("size=4m,nr_inodes=60", "i=0; while touch \"$PLACE/fill$i\" 2>/dev/null; do i=$((i+1)); done"),
    ] {
        let script = format!(
            "export XDG_CONFIG_HOME=$(mktemp -d) && mkdir \"$XDG_CONFIG_HOME/neuroscript\"\n\
             printf '[policy]\\nenable_audit_logging = false\\n' > \"$XDG_CONFIG_HOME/neuroscript/neuroscript.toml\"\n\
             for i in 1 2 3 4 5 6 7 8; do head -c 9000 /dev/zero > \"$PLACE/big\"; ns call delete_file '{{\"path\": \"big\"}}' >/dev/null; done\n\
             : > \"$PLACE/wanted\"\n{fill}\n\
             ns run -e 'MUST FS.DeleteFile(\"wanted\")' && echo deleted\n\
             ns gc >&2\n\
             ns gc --all --keep-runs 2\n\
             ns run -e 'MUST FS.DeleteFile(\"wanted\")' && test ! -e \"$PLACE/wanted\" && echo deleted at last\n\
             ns undo && test -e \"$PLACE/wanted\" && echo back"
        );
        let Some(ran) = support::on_small_disk(place.path(), options, &script) else { return };
        assert!(ran.stderr.contains("= help: make room: `ns gc` gives up what is kept of old runs"), "{}", ran.stderr);
        assert!(
            !ran.stdout.contains("deleted\n") && ran.stdout.ends_with("deleted at last\nback\n"),
            "{}{}",
            ran.stdout,
            ran.stderr
        );
    }
}

/// People see each thing that a dry run would remove, then the sums; a run shows the sums only.
#[test]
fn people_see_what_would_go_and_the_sums() {
    let place = sandbox();
    runs(place.path(), 3);
    let gc = |words: &[&str]| run(ns(place.path()).arg("gc").args(words).args(["--output", "table"]));
    let dry = gc(&["--dry-run", "--all", "--keep-runs", "1"]);
    let (things, sums) = dry.stdout.split_once("\n\n").expect("two tables");
    let rows = |text: &str| {
        text.lines().map(|line| line.split_whitespace().map(str::to_owned).collect()).collect::<Vec<Vec<_>>>()
    };
    assert_eq!(rows(things)[0], ["bytes", "why", "path"]);
    assert_eq!(
        format!("{} things of", rows(things).len() - 1),
        dry.stderr[..dry.stderr.find(" of").expect("a sum") + 3]
    );
    assert_eq!(rows(sums)[0], ["what", "would", "go", "bytes", "kept", "bytes"]);
    let real = gc(&["--all", "--keep-runs", "1"]);
    assert_eq!(rows(&real.stdout)[0], ["what", "gone", "bytes", "kept", "bytes"]);
    assert_eq!(rows(&real.stdout)[1..], rows(sums)[1..]);
}
