//! State that comes with a directory is foreign: journals, backups and plans that this user's key did not seal for it
//! are reported, and neither executed nor removed, whatever command runs.

#![allow(clippy::disallowed_methods, reason = "tests set up folders of their own")]

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use tempfile::TempDir;

use crate::support::{Ran, ns, run, state_home};

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

/// Creates a directory as an attacker might have prepared it.
fn sandbox() -> TempDir {
    let place = tempfile::tempdir().expect("a folder for the test");
    let at = |path: &str| place.path().join(path);
    fs::create_dir_all(at(".git/hooks")).expect("folders");
    for (path, content) in [
        ("payload.sh", "evil"),
        (".env", "secret"),
        ("victim.txt", "precious"),
        ("ok.ns", "EMIT 1\n"),
        ("doc.md", "text\n"),
    ] {
        fs::write(at(path), content).expect("a file");
    }
    place
}

/// Returns every file and link below a directory with its content, except new state of the user.
fn tree(place: &Path) -> BTreeMap<PathBuf, Vec<u8>> {
    let (mut found, mut ahead) = (BTreeMap::new(), vec![place.to_owned()]);
    while let Some(here) = ahead.pop() {
        for entry in fs::read_dir(&here).into_iter().flatten() {
            let path = entry.expect("an entry").path();
            if path.is_symlink() || path.is_file() {
                let content = fs::read_link(&path).map(|it| it.to_string_lossy().into_owned().into_bytes());
                let content = content.or_else(|_| fs::read(&path)).expect("it can be read");
                found.insert(path.strip_prefix(place).expect("it is below").to_owned(), content);
            } else {
                found.insert(path.strip_prefix(place).expect("it is below").join(""), Vec::new());
                ahead.push(path);
            }
        }
    }
    found
}

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

/// Starts an atomic run, waits until it has changed `path`, and kills it.
fn killed(place: &Path, script: &str, path: &str, state: &Path) {
    let text = format!("{script}\nWHILE true DO\nSET x = 1\nEND");
    let mut command = ns(place);
    command.env("XDG_STATE_HOME", state).args(["--max-steps", "1000000000000", "run", "--atomic", "-e", &text]);
    let mut child = command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().expect("a run");
    let (wanted, mut turns) = (place.join(path), 0);
    while fs::read_to_string(&wanted).ok().as_deref() != Some("new") {
        turns += 1;
        assert!(turns < 10_000 && child.try_wait().expect("it is there").is_none(), "the run never came so far");
        std::thread::sleep(std::time::Duration::from_millis(5));
    }
    child.kill().expect("it is killed");
    child.wait().expect("it ends");
}

fn open_journals(place: &Path) -> Vec<PathBuf> {
    fs::read_dir(place.join(".ns/runs/open")).expect("a folder").map(|entry| entry.expect("an entry").path()).collect()
}

const CHANGE: &str = "MUST FS.MoveFile(\"payload.sh\", \"moved.sh\")\nMUST FS.WriteFile(\"victim.txt\", \"new\")";

#[test]
fn a_run_is_brought_to_an_end_once() {
    let place = sandbox();
    killed(place.path(), CHANGE, "victim.txt", &state_home());
    let journal = open_journals(place.path()).pop().expect("a journal");
    let copy = fs::read(&journal).expect("a journal");
    let ran = run(ns(place.path()).arg("log"));
    assert!(ran.stderr.contains("what it had changed was taken back"), "{}", ran.stderr);
    assert_eq!(fs::read_to_string(place.path().join("victim.txt")).expect("it is there"), "precious");
    let audit = fs::read_to_string(place.path().join(".ns/audit.jsonl")).expect("a log");
    assert!(audit.contains("\"tool\":\"recover\""), "{audit}");
    // An attacker restores the files and the journal, complete or truncated.
    for length in [copy.len(), copy.len() / 2, copy.len() / 4] {
        fs::rename(place.path().join("payload.sh"), place.path().join("moved.sh")).expect("it is moved");
        fs::write(&journal, &copy[..length]).expect("a journal");
        let before = tree(place.path());
        let ran = run(ns(place.path()).args(["run", "-e", "EMIT 1"]));
        assert!(ran.stderr.contains("is foreign, or of a run that is over"), "{length}: {}", ran.stderr);
        assert_eq!(tree(place.path()), before, "{length}");
        fs::rename(place.path().join("moved.sh"), place.path().join("payload.sh")).expect("it is moved");
    }
    let ran = run(ns(place.path()).args(["adopt", "--yes"]));
    assert!(ran.code == 1 && ran.stderr.contains("its run is over"), "{}", ran.stderr);
    assert_eq!(run(ns(place.path()).args(["gc", "--foreign"])).code, 0);
    assert!(open_journals(place.path()).is_empty());
    assert_eq!(run(ns(place.path()).args(["run", "-e", "EMIT 1"])).stderr, "");
}

/// A directory moved on the same disk is the same root; a copy is a different one.
#[test]
fn a_copy_is_foreign_until_it_is_taken_over() {
    let above = tempfile::tempdir().expect("a folder for the test");
    let place = sandbox();
    let (first, moved, copied) = (above.path().join("first"), above.path().join("moved"), above.path().join("copied"));
    let copy =
        |from: &Path, to: &Path| assert!(Command::new("cp").arg("-a").args([from, to]).status().expect("cp").success());
    copy(place.path(), &first);
    killed(&first, CHANGE, "victim.txt", &state_home());
    fs::rename(&first, &moved).expect("it is moved");
    copy(&moved, &copied);
    let ran = run(ns(&copied).arg("log"));
    assert!(ran.stderr.contains("are not yours, or not of this directory"), "{}", ran.stderr);
    assert_eq!(fs::read_to_string(copied.join("victim.txt")).expect("it is there"), "new");
    let shown = run(ns(&copied).arg("adopt"));
    assert!(
        shown.code == 0 && shown.stdout.contains("did not end") && shown.stderr.contains("nothing was done"),
        "{}{}",
        shown.stdout,
        shown.stderr
    );
    let taken = run(ns(&copied).args(["adopt", "--yes"]));
    assert!(taken.code == 0 && taken.stderr.contains("1 run and 1 kept file were taken over"), "{}", taken.stderr);
    let ran = run(ns(&copied).arg("log"));
    assert!(!ran.stderr.contains("are not yours"), "{}", ran.stderr);
    let ran = run(ns(&moved).arg("log"));
    assert!(ran.stderr.contains("what it had changed was taken back"), "{}", ran.stderr);
    assert_eq!(fs::read_to_string(moved.join("victim.txt")).expect("it is there"), "precious");
}

/// Who is asked to take a run over sees where each entry came from.
#[test]
fn a_move_is_shown_with_both_of_its_paths() {
    let (place, other) = (sandbox(), tempfile::tempdir().expect("a folder for the test"));
    let script = "MUST FS.MoveFile(\"payload.sh\", \"moved.sh\")";
    assert_eq!(run(ns(place.path()).args(["run", "-e", script])).code, 0);
    let shown = run(ns(place.path()).env("XDG_STATE_HOME", other.path()).args(["adopt", "--output", "json"]));
    assert!(shown.stdout.contains(r#"["payload.sh","moved.sh"]"#), "{}{}", shown.stdout, shown.stderr);
}

/// A different key represents another user of the same machine.
#[test]
fn runs_of_another_key_are_neither_listed_nor_taken_back() {
    let (place, other) = (sandbox(), tempfile::tempdir().expect("a folder for the test"));
    let mine = |words: &[&str]| run(ns(place.path()).args(words));
    let theirs = |words: &[&str]| run(ns(place.path()).env("XDG_STATE_HOME", other.path()).args(words));
    assert_eq!(mine(&["run", "-e", "MUST FS.DeleteFile(\"victim.txt\")"]).code, 0);
    let ran = theirs(&["undo"]);
    assert!(ran.code == 1 && !place.path().join("victim.txt").exists(), "{}", ran.stderr);
    let listed = theirs(&["log"]);
    assert!(
        listed.stdout.contains("foreign  (foreign: see `ns adopt`)") && !listed.stdout.contains("ns run"),
        "{}",
        listed.stdout
    );
    let name = fs::read_dir(place.path().join(".ns/trash/victim.txt"))
        .expect("a folder")
        .next()
        .expect("a file")
        .expect("an entry")
        .file_name();
    let arguments = format!("{{\"backup_path\": \".ns/trash/victim.txt/{}\"}}", name.display());
    let ran = theirs(&["call", "restore_backup", &arguments]);
    assert!(ran.code == 1 && ran.stderr.contains("is foreign"), "{}: {}{}", ran.code, ran.stdout, ran.stderr);
    assert_eq!(theirs(&["gc", "--all", "--keep-runs", "0"]).code, 0);
    assert_eq!(mine(&["undo"]).code, 0);
    assert_eq!(fs::read_to_string(place.path().join("victim.txt")).expect("it is back"), "precious");
}

#[test]
fn what_the_policy_refuses_now_is_not_brought_to_an_end() {
    let place = sandbox();
    killed(place.path(), CHANGE, "victim.txt", &state_home());
    for rule in ["blocked_patterns = [\"*.txt\"]", "blocked_extensions = [\"sh\"]", "read_only = true"] {
        fs::write(place.path().join("neuroscript.toml"), format!("[policy]\n{rule}\n")).expect("a policy");
        let before = tree(place.path());
        let ran = run(ns(place.path()).arg("log"));
        assert!(ran.stderr.contains("was interrupted"), "{rule}: {}", ran.stderr);
        let after = tree(place.path());
        let audit = Path::new(".ns/audit.jsonl");
        let without = |tree: &BTreeMap<PathBuf, Vec<u8>>| {
            tree.iter()
                .filter(|(path, _)| *path != audit)
                .map(|(path, content)| (path.clone(), content.clone()))
                .collect::<BTreeMap<_, _>>()
        };
        assert_eq!(without(&after), without(&before), "{rule}");
    }
    fs::remove_file(place.path().join("neuroscript.toml")).expect("it goes");
    let ran = run(ns(place.path()).arg("log"));
    assert!(ran.stderr.contains("what it had changed was taken back"), "{}", ran.stderr);
    assert_eq!(fs::read_to_string(place.path().join("victim.txt")).expect("it is there"), "precious");
}

#[test]
fn where_no_key_can_be_kept_that_is_said() {
    let no_home = |place: &Path, words: &[&str]| run(ns(place).env_remove("XDG_STATE_HOME").args(words));
    let place = sandbox();
    let ran = no_home(place.path(), &["run", "-e", "MUST FS.WriteFile(\"a.txt\", \"1\")"]);
    assert!(
        ran.code == 0 && ran.stderr.contains("cannot be taken back by another command: there is no home folder"),
        "{}",
        ran.stderr
    );
    let ran = no_home(place.path(), &["undo"]);
    assert!(ran.code == 1 && ran.stderr.contains("nobody can tell whether it is yours"), "{}", ran.stderr);
    assert!(no_home(place.path(), &["doctor"]).stdout.contains("no run is recovered or taken back by another command"));
    let ran = no_home(place.path(), &["run", "--atomic", "-e", "MUST FS.WriteFile(\"a.txt\", \"2\")\nFAIL \"no\""]);
    assert_eq!(ran.code, 1);
    assert_eq!(
        fs::read_to_string(place.path().join("a.txt")).expect("it is there"),
        "1",
        "the process itself knows what it did"
    );
}

/// State that cannot be identified as foreign is neither adopted nor removed.
#[test]
fn without_a_key_nothing_counts_as_foreign() {
    let place = sandbox();
    let script = "MUST FS.WriteFile(\"a.txt\", \"1\")\nMUST FS.WriteFile(\"a.txt\", \"2\")";
    assert_eq!(run(ns(place.path()).args(["run", "-e", script])).code, 0);
    let before = tree(&place.path().join(".ns/runs"));
    for words in [&["gc", "--foreign"][..], &["adopt", "--yes"]] {
        let ran = run(ns(place.path()).env_remove("XDG_STATE_HOME").args(words));
        assert!(ran.code == 1 && ran.stderr.contains("nobody can tell what is foreign"), "{words:?}: {}", ran.stderr);
        assert_eq!(tree(&place.path().join(".ns/runs")), before, "{words:?}");
    }
    let ran = run(ns(place.path()).arg("undo"));
    assert_eq!(ran.code, 0, "{}", ran.stderr);
}

/// A journal of this user stays, whatever happened to it after its first line.
#[test]
fn a_sealed_journal_is_never_foreign() {
    let place = sandbox();
    assert_eq!(run(ns(place.path()).args(["run", "-e", "MUST FS.WriteFile(\"a.txt\", \"1\")"])).code, 0);
    let runs = place.path().join(".ns/runs");
    let mut names = fs::read_dir(&runs).expect("journals").map(|entry| entry.expect("an entry").path());
    let journal = names.find(|path| path.is_file() && !path.ends_with("owner")).expect("a journal");
    let mut content = fs::read(&journal).expect("the journal");
    content.extend(b"no record\n".repeat(7 << 20));
    fs::write(&journal, content).expect("room for the journal");
    let ran = run(ns(place.path()).args(["gc", "--foreign"]));
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    assert!(journal.exists(), "{}", ran.stderr);
}

#[test]
fn a_key_that_is_none_is_not_used() {
    use std::os::unix::fs::PermissionsExt;
    let state = tempfile::tempdir().expect("a folder for the test");
    let with_key = |prepare: &dyn Fn(&Path)| -> Ran {
        let place = sandbox();
        fs::remove_dir_all(state.path().join("neuroscript")).ok();
        fs::create_dir_all(state.path().join("neuroscript")).expect("a folder");
        prepare(&state.path().join("neuroscript/key"));
        run(ns(place.path()).env("XDG_STATE_HOME", state.path()).args([
            "run",
            "-e",
            "MUST FS.WriteFile(\"a.txt\", \"1\")",
        ]))
    };
    let text = "a".repeat(64);
    let write = |path: &Path, text: &str, mode: u32| {
        fs::write(path, text).expect("a file");
        fs::set_permissions(path, fs::Permissions::from_mode(mode)).expect("it is ours");
    };
    assert_eq!(with_key(&|path| write(path, &text, 0o600)).stderr, "");
    for (words, prepare) in [
        ("others may read it", &(|path: &Path| write(path, &text, 0o644)) as &dyn Fn(&Path)),
        ("it is not a key", &|path| write(path, "short", 0o600)),
        ("it is not a key", &|path| write(path, &"+".repeat(64), 0o600)),
        ("it is a link", &|path| std::os::unix::fs::symlink("/etc/hostname", path).expect("a link")),
        ("it is a directory", &|path| fs::create_dir(path).expect("a folder")),
        ("more than one name", &|path| {
            write(path, &text, 0o600);
            fs::hard_link(path, path.with_file_name("other")).expect("a name");
        }),
    ] {
        let ran = with_key(prepare);
        assert!(ran.code == 0 && ran.stderr.contains(words), "{words}: {}", ran.stderr);
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

/// After a copy was adopted, conflicts name the paths that differ, and not the root itself.
#[test]
fn an_adopted_copy_names_what_differs() {
    let (place, copied) = (sandbox(), tempfile::tempdir().expect("a folder for the test"));
    let changed = run(ns(place.path()).args(["run", "-e", "MUST FS.WriteFile(\"new.txt\", \"1\")"]));
    assert_eq!(changed.code, 0, "{}", changed.stderr);
    let copy = copied.path().join("copy");
    assert!(Command::new("cp").arg("-a").args([place.path(), &copy]).status().expect("cp").success());
    let listed = run(ns(&copy).arg("log"));
    assert!(listed.stdout.contains("foreign") && !listed.stdout.contains("interrupted"), "{}", listed.stdout);
    let run_name = listed.stdout.lines().nth(1).expect("a run").split_whitespace().next().expect("a name").to_owned();
    let refused = run(ns(&copy).args(["undo", &run_name]));
    assert!(refused.code != 0 && refused.stderr.contains("`ns adopt` shows"), "{}", refused.stderr);
    assert_eq!(run(ns(&copy).args(["adopt", "--yes"])).code, 0);
    let refused = run(ns(&copy).arg("undo"));
    assert!(refused.stderr.contains("1 path has changed") && !refused.stderr.contains("``"), "{}", refused.stderr);
    assert!(refused.stderr.contains("`new.txt`: something else is there now"), "{}", refused.stderr);
}

/// The state of another user of the machine stops no command that looks: it is reported, and can be taken over.
#[test]
fn the_state_of_another_user_is_reported() {
    let place = sandbox();
    let changed = run(ns(place.path()).args(["run", "-e", "MUST FS.WriteFile(\"new.txt\", \"1\")"]));
    assert_eq!(changed.code, 0, "{}", changed.stderr);
    let give = |user: &str| run(Command::new("chown").args(["-R", user]).arg(place.path().join(".ns"))).code == 0;
    let mine = fs::metadata(place.path()).map(|found| std::os::unix::fs::MetadataExt::uid(&found)).expect("a folder");
    if !give("65534") {
        println!("SKIPPED: only root can give files to another user");
        return;
    }
    for (words, code) in [
        (&["log"][..], 0),
        (&["show"], 0),
        (&["undo"], 1),
        (&["undo", "--skip"], 1),
        (&["redo"], 1),
        (&["run", "-e", "EMIT FS.ReadFile(\"new.txt\").content"], 0),
        (&["adopt", "--yes"], 1),
    ] {
        let ran = run(ns(place.path()).args(words));
        assert_eq!(ran.code, code, "{words:?}: {}{}", ran.stdout, ran.stderr);
        assert!(ran.stderr.contains("warning: `.ns` belongs to another user"), "{words:?}: {}", ran.stderr);
        assert!(!ran.stderr.contains("move it away"), "{words:?}: {}", ran.stderr);
    }
    let refused = run(ns(place.path()).args(["run", "-e", "MUST FS.WriteFile(\"new.txt\", \"2\")"]));
    assert!(refused.code == 1 && refused.stderr.contains("chown -R"), "{}", refused.stderr);
    assert!(!refused.stderr.contains("enable_audit_logging"), "{}", refused.stderr);
    assert_eq!(fs::read_to_string(place.path().join("new.txt")).expect("a file"), "1");
    assert!(give(&mine.to_string()));
    assert_eq!(run(ns(place.path()).arg("undo")).code, 0);
    assert!(!place.path().join("new.txt").exists());
}
