//! A directory in which a user worked with `ns`, and one entry in it that an attacker then changed.

use std::cell::Cell;
use std::collections::BTreeMap;
use std::fs;
use std::io::Read;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::process::Stdio;

use tempfile::TempDir;

use super::support::{folder_in_memory, ns, run, state_home};
use super::treatment::Treatment;

/// The entry that is changed.
#[derive(Debug)]
pub struct Target {
    /// Relative to the root; `*` stands for the first name in the directory.
    pub path: &'static str,
    /// Whether it is a directory.
    pub is_folder: bool,
}

const fn file(path: &'static str) -> Target {
    Target { path, is_folder: false }
}

const fn folder(path: &'static str) -> Target {
    Target { path, is_folder: true }
}

/// All of our own files in a directory, and every file that a command reads.
pub const TARGETS: [Target; 27] = [
    folder(".ns"),
    file(".ns/runs/owner"),
    file(".ns/.gitignore"),
    file(".ns/lock"),
    file(".ns/audit.jsonl"),
    file(".ns/memory.db"),
    file(".ns/memory.db-wal"),
    folder(".ns/runs"),
    file(".ns/runs/*"),
    folder(".ns/runs/open"),
    file(".ns/runs/open/*"),
    folder(".ns/backups"),
    folder(".ns/backups/a.txt"),
    file(".ns/backups/a.txt/*"),
    folder(".ns/trash"),
    folder(".ns/trash/d"),
    folder(".ns/trash/d/*"),
    file(".ns/trash/gone.txt/*"),
    file("neuroscript.toml"),
    file("t/case.ns"),
    file("t/case.out"),
    file("t/case.in"),
    folder("t/case.sandbox"),
    file("plan.json"),
    file("lib/m.ns"),
    file("doc.md"),
    file("memory.jsonl"),
];

/// The files that scripts of the user work with.
const USERS: [&str; 7] = ["a.txt", "b.txt", "c.txt", "e.txt", "gone.txt", "d/in/deep.txt", "ok.ns"];
/// Maximum number of bytes of a file that are compared.
const CONTENT: u64 = 1 << 16;

/// A target and its treatment.
pub struct Hostile {
    pub target: &'static Target,
    pub treatment: &'static Treatment,
}

/// A directory after its treatment.
pub struct Treated {
    /// The path of the target.
    pub target: &'static str,
    place: TempDir,
    /// The current content of the user's files, and their content before each run.
    pub known: Vec<BTreeMap<PathBuf, Vec<u8>>>,
    outside: BTreeMap<PathBuf, String>,
    /// Whether a command has run that may have undone a run.
    was_taken_back: Cell<bool>,
}

const SETUP: [&str; 3] = [
    "MUST FS.WriteFile(\"a.txt\", \"two\")\nMUST MEMORY.Set(\"k\", [1, 2], \"project\")",
    "MUST FS.DeleteFile(\"d\", recursive: true)\nMUST FS.DeleteFile(\"gone.txt\")",
    "MUST FS.MoveFile(\"b.txt\", \"c.txt\")\nMUST FS.WriteFile(\"a.txt\", \"three\")",
];
/// The work of the run that is killed before it ends.
const KILLED: &str = "MUST FS.WriteFile(\"a.txt\", \"four\")\nMUST FS.WriteFile(\"e.txt\", \"new\")\nEMIT 1\nWHILE true DO\nSET x = 1\nEND";

impl Hostile {
    /// Creates the directory and applies the treatment.
    pub fn make(&self) -> Treated {
        let place = folder_in_memory();
        let root = place.path().join("root");
        let at = |path: &str| place.path().join(path);
        for path in ["root/d/in", "root/t/case.sandbox", "root/lib", "outside/folder", "other"] {
            fs::create_dir_all(at(path)).expect("folders");
        }
        for (path, content) in [
            ("root/a.txt", "one"),
            ("root/b.txt", "b"),
            ("root/d/in/deep.txt", "deep"),
            ("root/gone.txt", "gone"),
            ("root/ok.ns", "USE \"lib/m.ns\" AS m\nEMIT m.One(1)\n"),
            ("root/lib/m.ns", "DEFINE PROCEDURE One(x)\n  RETURN x\nEND\n"),
            ("root/t/case.ns", "# ns: test --seed 1\nEMIT FS.ReadFile(\"in.txt\").content\n"),
            ("root/t/case.out", "inside\n\n"),
            ("root/t/case.in", "typed\n"),
            ("root/t/case.sandbox/in.txt", "inside\n"),
            ("root/doc.md", "# Doc\n\n{{invoke_tool: FS.Exists(\"a.txt\")}}\n"),
            ("root/neuroscript.toml", "[policy]\nblocked_patterns = [\"secret*\"]\n"),
            ("outside/secret.txt", "SECRET"),
            ("outside/folder/secret.txt", "SECRET"),
        ] {
            fs::write(at(path), content).expect("a file");
        }
        let known = self.work_in(&root);
        self.treatment.apply(self.target, &root, place.path());
        let outside = outside(place.path());
        Treated { target: self.target.path, place, known, outside, was_taken_back: Cell::new(false) }
    }

    /// Works in a directory as its user would. Returns the user's files after each run, the newest first.
    fn work_in(&self, root: &Path) -> Vec<BTreeMap<PathBuf, Vec<u8>>> {
        let mut known = vec![users_files(root)];
        for script in SETUP {
            let ran = run(ns(root).args(["run", "-e", script]));
            assert_eq!(ran.code, 0, "{}", ran.stderr);
            known.push(users_files(root));
        }
        let plan = run(ns(root).args(["run", "--plan=json", "-e", "MUST FS.WriteFile(\"f.txt\", \"planned\")"]));
        fs::write(root.join("plan.json"), plan.stdout).expect("a plan");
        let memory = run(ns(root).args(["memory", "export"]));
        fs::write(root.join("memory.jsonl"), memory.stdout).expect("an export");
        if self.target.path.starts_with(".ns/runs/open") {
            kill_one(root);
            known.push(users_files(root));
        }
        known.reverse();
        known
    }
}

/// Starts a run and kills it once it has changed something.
fn kill_one(root: &Path) {
    let mut command = ns(root);
    command.args(["--max-steps", "1000000000000", "run", "--atomic", "-e", KILLED]);
    let mut child = command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().expect("a run");
    while fs::read_to_string(root.join("e.txt")).ok().as_deref() != Some("new") {
        assert!(child.try_wait().expect("it is there").is_none(), "the run never came so far");
        std::thread::sleep(std::time::Duration::from_millis(2));
    }
    child.kill().expect("it is killed");
    child.wait().expect("it ends");
}

impl Treated {
    pub fn root(&self) -> PathBuf {
        self.place.path().join("root")
    }

    /// Returns the directory of input files that do not belong to the sandbox.
    pub fn other(&self) -> PathBuf {
        self.place.path().join("other")
    }

    /// Whether a run was killed in it, which the next command may roll back.
    pub fn is_open(&self) -> bool {
        self.known.len() > 4
    }

    /// Returns the forbidden effect of a command, if any.
    pub fn fault(&self, takes_back: bool) -> Option<String> {
        let now = outside(self.place.path());
        if now != self.outside {
            return Some(format!("what is outside was changed: {now:?}"));
        }
        let files = users_files(&self.root());
        let may_be_older = self.was_taken_back.get() || takes_back;
        self.was_taken_back.set(may_be_older);
        let known = &self.known[..if may_be_older { self.known.len() } else { 1 }];
        // A run may be undone in part: conflicts with the rest are reported.
        let fits = |name: &&str| known.iter().any(|known| known.get(Path::new(name)) == files.get(Path::new(name)));
        let is_known = USERS.iter().all(fits);
        (!is_known).then(|| format!("the user's files were changed: {:?}", texts(&files)))
    }
}

fn texts(files: &BTreeMap<PathBuf, Vec<u8>>) -> Vec<(String, String)> {
    let text = |bytes: &[u8]| String::from_utf8_lossy(&bytes[..bytes.len().min(40)]).into_owned();
    files.iter().map(|(path, content)| (path.display().to_string(), text(content))).collect()
}

/// Returns the files that scripts of the user work with, with their content.
fn users_files(root: &Path) -> BTreeMap<PathBuf, Vec<u8>> {
    let mut found = BTreeMap::new();
    for name in USERS {
        let path = root.join(name);
        match fs::symlink_metadata(&path) {
            Ok(metadata) if metadata.is_file() => {
                let file = fs::File::open(&path).expect("it can be read");
                let mut content = Vec::new();
                file.take(CONTENT).read_to_end(&mut content).expect("it can be read");
                found.insert(PathBuf::from(name), content);
            }
            Ok(metadata) => {
                found.insert(PathBuf::from(name), format!("{:?}", metadata.file_type()).into_bytes());
            }
            Err(_) => {}
        }
    }
    found
}

/// Returns the state of everything outside the root: content, modification times and permission bits. Access times are
/// unreliable, so the output of commands is searched for secrets instead.
fn outside(place: &Path) -> BTreeMap<PathBuf, String> {
    let (mut found, mut ahead) = (BTreeMap::new(), vec![place.join("outside")]);
    while let Some(here) = ahead.pop() {
        let metadata = fs::symlink_metadata(&here).expect("what is outside stays");
        let content =
            if metadata.is_file() { fs::read_to_string(&here).expect("it can be read") } else { String::new() };
        let told = format!(
            "{content} {:o} {}.{} {}",
            metadata.mode(),
            metadata.mtime(),
            metadata.mtime_nsec(),
            metadata.uid()
        );
        if metadata.is_dir() {
            ahead.extend(fs::read_dir(&here).expect("it can be listed").map(|entry| entry.expect("an entry").path()));
        }
        found.insert(here, told);
    }
    found
}

/// Returns the path of a target in a directory.
pub fn path_of(target: &Target, root: &Path) -> PathBuf {
    let Some(folder) = target.path.strip_suffix("/*") else { return root.join(target.path) };
    let folder = root.join(folder);
    let mut names: Vec<PathBuf> = fs::read_dir(&folder)
        .into_iter()
        .flatten()
        .map(|entry| entry.expect("an entry").path())
        .filter(|path| !path.ends_with("open"))
        .collect();
    names.sort();
    names.pop().unwrap_or_else(|| folder.join("20260101T000000.000000Z-00000001"))
}

/// Returns another user's state directory, with a different key.
pub fn other_state() -> PathBuf {
    let other = state_home().join("another");
    fs::create_dir_all(&other).expect("the folder for tests can be written");
    other
}
