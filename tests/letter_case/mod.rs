//! File systems to which several spellings of a name are the same: reserved names stay out of reach, nothing is
//! replaced that was to stay, and a rename that changes only the spelling is made, planned and taken back.
//!
//! The tests run on ext4 with `casefold`, and on a file system of their own ([`folding`]), each in a mount namespace.

#![cfg(target_os = "linux")]
#![allow(clippy::disallowed_methods, reason = "tests set up folders of their own")]

mod folding;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::support::{self, contents_of, ns, run};

const CHILD: &str = "NS_LETTER_CASE";

/// A kind of file system: its name, and how it is mounted. Returns what keeps it mounted, or why it cannot be.
struct Kind {
    name: &'static str,
    mount: fn(&Path) -> Result<Box<dyn std::any::Any>, String>,
}

const KINDS: [Kind; 2] = [Kind { name: "ext4", mount: mount_ext4 }, Kind { name: "folding", mount: mount_folding }];

fn mount_ext4(at: &Path) -> Result<Box<dyn std::any::Any>, String> {
    let image = at.with_extension("img");
    let script = format!(
        "truncate -s 16M {0} && mkfs.ext4 -q -O casefold -E encoding=utf8 {0} && mount -o loop {0} {1} && rmdir {1}/lost+found && chattr +F {1}",
        image.display(),
        at.display()
    );
    let ran = run(Command::new("sh").args(["-c", &script]));
    if ran.code == 0 { Ok(Box::new(())) } else { Err(ran.stderr) }
}

fn mount_folding(at: &Path) -> Result<Box<dyn std::any::Any>, String> {
    let session = fuser::spawn_mount(folding::Folding::new(), at, &fuser::Config::default());
    session.map(|session| Box::new(session) as Box<dyn std::any::Any>).map_err(|error| error.to_string())
}

#[test]
fn spellings_of_a_name_lead_nowhere_else() {
    let own = std::env::current_exe().expect("this binary");
    for Kind { name, .. } in KINDS {
        let mut command = Command::new("unshare");
        command.arg("--mount").arg(&own).args(["letter_case::mounting_worker", "--exact", "--nocapture"]);
        let ran = run(command.env(CHILD, name));
        let skipped = ran.stdout.lines().find(|line| line.starts_with("SKIPPED: "));
        match skipped {
            _ if ran.stderr.contains("unshare failed") => println!("SKIPPED: nothing can be mounted: {}", ran.stderr),
            Some(skipped) => println!("{skipped}"),
            None => assert!(ran.code == 0 && ran.stdout.contains("checked"), "{name}: {}{}", ran.stdout, ran.stderr),
        }
    }
}

/// Not a test of its own: runs where something can be mounted.
#[test]
fn mounting_worker() {
    let Some(name) = std::env::var_os(CHILD) else { return };
    let kind = KINDS.iter().find(|kind| name == kind.name).expect("there is such a kind");
    let place = tempfile::tempdir().expect("a folder");
    let disk = place.path().join("disk");
    fs::create_dir(&disk).expect("a folder");
    match (kind.mount)(&disk) {
        Err(reason) => println!("SKIPPED: no {} without letter case can be mounted: {reason}", kind.name),
        Ok(mounted) => {
            let disk = Disk { disk: disk.clone(), number: 0.into() };
            reserved_names_stay_out_of_reach(&disk);
            changes_are_taken_back_with_their_names(&disk);
            nothing_is_replaced_that_stays(&disk);
            println!("checked");
            drop(disk);
            drop(mounted);
        }
    }
}

/// The mounted file system, on which each check has directories of its own.
struct Disk {
    disk: PathBuf,
    number: std::cell::Cell<u32>,
}

impl Disk {
    /// Creates a sandbox with some files.
    fn sandbox(&self) -> PathBuf {
        self.number.set(self.number.get() + 1);
        let root = self.disk.join(format!("s{}", self.number.get()));
        fs::create_dir_all(root.join("Dir/In")).expect("folders");
        for (name, text) in [("File.txt", "old"), ("other", "other"), ("Dir/In/x", "x"), ("Dir/y", "y")] {
            fs::write(root.join(name), text).expect("a file");
        }
        root
    }
}

fn tree(root: &Path) -> Vec<String> {
    let prefix = root.display().to_string();
    let lines = contents_of(root).into_iter().filter(|line| !line.contains("/.ns"));
    lines.map(|line| line.replacen(&prefix, "", 1)).collect()
}

const SPELLINGS: [&str; 9] =
    [".NS", ".Ns", ".ns.", ".ns ", ".n\u{200c}s", "NS~1", "NeuroScript.TOML", "NEUROS~1.TOM", "neuroscript.toml."];

fn reserved_names_stay_out_of_reach(disk: &Disk) {
    let root = disk.sandbox();
    fs::write(root.join("neuroscript.toml"), "# SECRET\n").expect("a policy");
    assert_eq!(run(ns(&root).args(["run", "-e", "MUST FS.WriteFile(\"made\", \"1\")"])).code, 0);
    for name in SPELLINGS {
        for script in [
            format!("EMIT FS.ReadFile(\"{name}\")"),
            format!("EMIT FS.ReadFile(\"{name}/audit.jsonl\")"),
            format!("EMIT FS.WriteFile(\"{name}/new\", \"1\")"),
            format!("EMIT FS.WriteFile(\"{name}\", \"1\")"),
            format!("EMIT FS.DeleteFile(\"{name}\", recursive: true)"),
            format!("EMIT FS.MoveFile(\"other\", \"{name}\")"),
            format!("EMIT FS.MoveFile(\"{name}\", \"there\")"),
            format!("EMIT FS.CreateDirectory(\"Dir/{name}\")"),
        ] {
            let ran = run(ns(&root).args(["--strict", "run", "-e", &script]));
            // No path holds a character that is not shown.
            let is_refused = ran.stderr.contains("sandbox_violation") || ran.stderr.contains("bad_args");
            assert!(is_refused, "{script}: {}{}", ran.stdout, ran.stderr);
        }
    }
    let ran = run(ns(&root).args([
        "run",
        "-e",
        "EMIT FS.Find(\".\", hidden: true)\nEMIT FS.SearchFiles(\".\", \"SECRET\", hidden: true).matches",
    ]));
    assert!(ran.code == 0 && !ran.stdout.to_lowercase().contains("neuroscript"), "{}{}", ran.stdout, ran.stderr);
    assert!(!ran.stdout.to_lowercase().contains(".ns"), "{}", ran.stdout);
    assert_eq!(run(ns(&root).args(["audit", "verify"])).code, 0);
    assert_eq!(fs::read_to_string(root.join("neuroscript.toml")).expect("it is there"), "# SECRET\n");
}

/// Scripts that change the spelling of a name, or the content of an entry that they name in another spelling.
const CHANGES: [&str; 8] = [
    "MUST FS.MoveFile(\"File.txt\", \"aside\")\nMUST FS.MoveFile(\"aside\", \"FILE.TXT\")",
    "MUST FS.MoveFile(\"Dir\", \"aside\")\nMUST FS.MoveFile(\"aside\", \"DIR\")",
    "MUST FS.MoveFile(\"Dir/In\", \"aside\")\nMUST FS.MoveFile(\"aside\", \"Dir/in\")\nMUST FS.WriteFile(\"Dir/in/x\", \"new\")",
    "MUST FS.WriteFile(\"FILE.txt\", \"new\")",
    "MUST FS.EditFile(\"file.TXT\", \"old\", \"new\")",
    "MUST FS.AppendFile(\"FILE.TXT\", \"more\")",
    "MUST FS.CopyFile(\"OTHER\", \"FILE.TXT\", overwrite: true)",
    "MUST FS.SetPermissions(\"FILE.TXT\", \"600\")",
];
/// Scripts that remove entries by another spelling, by which undo brings them back.
const RESPELLED: [&str; 4] = [
    "MUST FS.DeleteFile(\"file.txt\")",
    "MUST FS.DeleteFile(\"dir\", recursive: true)",
    "MUST FS.MoveFile(\"OTHER\", \"dir/IN/z\")",
    "MUST FS.DeleteFile(\"FILE.txt\")\nMUST FS.WriteFile(\"file.TXT\", \"again\")",
];

fn changes_are_taken_back_with_their_names(disk: &Disk) {
    let exact = CHANGES.iter().filter_map(|script| fault(&disk.sandbox(), script, tree));
    let respelled = RESPELLED.iter().filter_map(|script| fault(&disk.sandbox(), script, folded_tree));
    let faults: Vec<String> = exact.chain(respelled).collect();
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}

/// Returns the tree without regard to letter case.
fn folded_tree(root: &Path) -> Vec<String> {
    let mut lines: Vec<String> = tree(root).iter().map(|line| line.to_lowercase()).collect();
    lines.sort();
    lines
}

/// Runs a script, takes it back, does it again, and applies its plan. Returns what is wrong.
fn fault(root: &Path, script: &str, tree: fn(&Path) -> Vec<String>) -> Option<String> {
    let before = tree(root);
    let plan = run(ns(root).args(["run", "--plan=json", "-e", script]));
    if tree(root) != before {
        return Some(format!("its plan changes something: {script}"));
    }
    let ran = run(ns(root).args(["run", "-e", script]));
    let after = tree(root);
    if ran.code != 0 || after == before {
        return Some(format!("{script}: {}", ran.stderr));
    }
    for (command, expected) in [("undo", &before), ("redo", &after), ("undo", &before)] {
        let ran = run(ns(root).arg(command));
        if ran.code != 0 || tree(root) != *expected {
            return Some(format!("{command} of {script}: {} {:?}, not {expected:?}", ran.stderr, tree(root)));
        }
    }
    // A plan compares names as they are written, so it may refuse what a run does, but it does nothing else.
    if plan.code != 0 {
        return None;
    }
    let applied = support::with_input(ns(root).args(["apply", "-"]), &plan.stdout);
    let expected = if applied.code == 0 { &after } else { &before };
    (tree(root) != *expected)
        .then(|| format!("applied: {script}: {} {:?}, not {expected:?}", applied.stderr, tree(root)))
}

/// Scripts that must fail, since the name is taken in another spelling.
const REFUSED: [&str; 5] = [
    "MUST FS.MoveFile(\"other\", \"FILE.TXT\")",
    "MUST FS.CopyFile(\"other\", \"file.txt\")",
    "MUST FS.WriteFile(\"file.TXT\", \"new\", overwrite: false)",
    "MUST FS.MoveFile(\"Dir\", \"dir/in/there\")",
    "MUST FS.CopyFile(\"Dir\", \"DIR/IN/there\", recursive: true)",
];

fn nothing_is_replaced_that_stays(disk: &Disk) {
    let root = disk.sandbox();
    for (from, to) in [("File.txt", "FILE.TXT"), ("Dir", "dir")] {
        let ran = run(ns(&root).args(["run", "-e", &format!("MUST FS.MoveFile(\"{from}\", \"{to}\")")]));
        assert!(ran.code == 1 && ran.stderr.contains("are the same entry here"), "{from}: {}", ran.stderr);
    }
    for script in REFUSED {
        let root = disk.sandbox();
        let before = tree(&root);
        let ran = run(ns(&root).args(["run", "-e", script]));
        assert_eq!((ran.code, tree(&root)), (1, before.clone()), "{script}: {}{}", ran.stdout, ran.stderr);
        // A copy that contains itself is noticed at once, not by what it takes.
        let is_into_itself = script.contains("CopyFile(\"Dir\"");
        assert_eq!(ran.stderr.contains("cannot be copied into itself"), is_into_itself, "{script}: {}", ran.stderr);
        // A plan compares names as they are written, so it may make a copy that a run refuses; it replaces nothing.
        let plan = run(ns(&root).args(["run", "--plan=json", "-e", script]));
        if plan.code == 0 {
            support::with_input(ns(&root).args(["apply", "-"]), &plan.stdout);
            let after = tree(&root);
            assert!(before.iter().all(|line| after.contains(line)), "applied: {script}: {after:?}");
        }
    }
}
