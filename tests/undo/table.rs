//! A table of every kind of change, every change by another program to the same path afterwards, and every command
//! that undoes or redoes the run: nothing is lost, every entry that can be restored is restored, and the log, the
//! commands and the hints agree.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};

use serde_json::Value as Json;

use super::{Place, Ran, Snapshot, ns, run, tick};
use crate::support::contents_of;

/// A kind of change: its name, a script, and the paths that another program may change.
pub(super) type Kind = (&'static str, &'static str, &'static [&'static str]);

pub(super) const KINDS: &[Kind] = &[
    ("create", "MUST FS.WriteFile(\"d/new\", \"made\")", &["d/new"]),
    ("overwrite", "MUST FS.WriteFile(\"d/f\", \"made\")", &["d/f"]),
    ("overwrite twice", "MUST FS.WriteFile(\"d/f\", \"made\")\nMUST FS.WriteFile(\"d/f\", \"again\")", &["d/f"]),
    ("edit", "MUST FS.EditFile(\"d/f\", \"old\", \"new\")", &["d/f"]),
    ("replace", "MUST FS.ReplaceInFiles(\"d\", \"old\", \"new\")", &["d/f"]),
    (
        "move several",
        "MUST FS.MoveFiles([{\"from\": \"f\", \"to\": \"made/f\"}, {\"from\": \"d/f\", \"to\": \"made/g\"}], make_directories: true)",
        &["made", "made/f", "d/f"],
    ),
    ("delete", "MUST FS.DeleteFile(\"d/f\")", &["d/f"]),
    ("delete a tree", "MUST FS.DeleteFile(\"d/sub\", recursive: true)", &["d/sub"]),
    ("move", "MUST FS.MoveFile(\"d/f\", \"e/f\")", &["d/f", "e/f"]),
    ("move a tree", "MUST FS.MoveFile(\"d/sub\", \"e/sub\")", &["d/sub", "e/sub", "e/sub/g"]),
    ("move and write", "MUST FS.MoveFile(\"d/f\", \"e/f\")\nMUST FS.WriteFile(\"d/f\", \"made\")", &["d/f", "e/f"]),
    ("move and edit", "MUST FS.MoveFile(\"d/f\", \"e/f\")\nMUST FS.WriteFile(\"e/f\", \"made\")", &["d/f", "e/f"]),
    ("copy", "MUST FS.CopyFile(\"f\", \"d/copy\")", &["d/copy"]),
    ("copy over", "MUST FS.CopyFile(\"f\", \"d/f\", overwrite: true)", &["d/f"]),
    ("copy a tree", "MUST FS.CopyFile(\"d/sub\", \"e/sub\", recursive: true)", &["e/sub", "e/sub/g"]),
    ("make a directory", "MUST FS.CreateDirectory(\"d/made/deep\")", &["d/made", "d/made/deep"]),
    ("make a tree", "MUST FS.WriteFile(\"d/made/new\", \"made\")", &["d/made", "d/made/new"]),
    (
        "make a directory and move into it",
        "MUST FS.CreateDirectory(\"made\")\nMUST FS.MoveFile(\"f\", \"made/f\")\nMUST FS.MoveFile(\"d/f\", \"made/g\")",
        &["made", "made/f", "d/f"],
    ),
    ("permissions", "MUST FS.SetPermissions(\"d/f\", \"600\")", &["d/f"]),
    ("time", "MUST FS.SetModified(\"d/f\", \"2024-05-01T12:30:00.5Z\")", &["d/f"]),
    ("time of a tree", "MUST FS.SetModified(\"d/sub\", \"2024-05-01T12:30:00.5Z\")", &["d/sub"]),
    ("permissions of a tree", "MUST FS.SetPermissions(\"d/sub\", \"700\")", &["d/sub"]),
    (
        "a file for a tree",
        "MUST FS.DeleteFile(\"d/sub\", recursive: true)\nMUST FS.WriteFile(\"d/sub\", \"made\")",
        &["d/sub"],
    ),
    (
        "a tree for a tree",
        "MUST FS.DeleteFile(\"d/sub\", recursive: true)\nMUST FS.CopyFile(\"e\", \"d/sub\", recursive: true)",
        &["d/sub", "d/sub/keep"],
    ),
    ("a tree for a file", "MUST FS.DeleteFile(\"d/f\")\nMUST FS.WriteFile(\"d/f/new\", \"made\")", &["d/f", "d/f/new"]),
];

/// The test checks one cell out of this many unless `NS_LONG` is set. The number is coprime to the number of deeds, so
/// that every kind and every deed occurs. `NS_SEED` selects the first cell; `NS_CELL` selects the cells whose name
/// contains its value.
const SHARE: usize = 23;

/// A change by another program to a path.
pub(super) type Deed = fn(&Path);

const DEEDS: &[(&str, Deed)] = &[
    ("nothing", |_| {}),
    ("deleted", remove),
    ("other content", |path| {
        remove(path);
        put(path, "theirs");
    }),
    ("content written in place", |path| {
        if path.is_file() {
            put(path, "theirs in place");
        }
    }),
    ("something put into it", |path| {
        if path.is_dir() {
            put(&path.join("theirs"), "theirs within");
        }
    }),
    ("a directory", |path| exchange(path, || put(&path.join("theirs"), "theirs in a directory"))),
    ("a link", |path| {
        remove(path);
        make_parent(path);
        symlink("../f", path).expect("a link");
    }),
    ("parent deleted", |path| remove(parent(path))),
    ("parent moved", |path| {
        if parent(path).exists() {
            fs::rename(parent(path), parent(path).with_extension("away")).expect("it is moved");
        }
    }),
    ("another parent", |path| exchange(parent(path), || put(&parent(path).join("theirs"), "theirs beside"))),
    ("parent a file", |path| {
        remove(parent(path));
        put(parent(path), "theirs above");
    }),
];

/// Returns the changes to a path. The parent of a path in the root stays, because the root does.
pub(super) fn deeds(target: &str) -> impl Iterator<Item = &'static (&'static str, Deed)> {
    DEEDS.iter().filter(move |(name, _)| target.contains('/') || !name.contains("parent"))
}

fn parent(path: &Path) -> &Path {
    path.parent().expect("a parent")
}

fn make_parent(path: &Path) {
    path.ancestors().skip(1).filter(|above| above.is_file()).for_each(remove);
    fs::create_dir_all(parent(path)).expect("folders");
}

fn put(path: &Path, text: &str) {
    make_parent(path);
    fs::write(path, text).expect("a file");
}

/// Puts something else in place of an entry, whose inode is not given to the new one.
fn exchange(path: &Path, make: impl FnOnce()) {
    let aside = path.with_extension("aside");
    let is_there = path.symlink_metadata().is_ok();
    if is_there {
        fs::rename(path, &aside).expect("it is moved");
    }
    make();
    if is_there {
        remove(&aside);
    }
}

fn remove(path: &Path) {
    match path.symlink_metadata() {
        Ok(found) if found.is_dir() => fs::remove_dir_all(path).expect("it goes"),
        Ok(_) => fs::remove_file(path).expect("it goes"),
        Err(_) => {}
    }
}

/// When the other program makes its change.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum When {
    AfterRun,
    AfterUndo,
}

/// One cell of the table.
struct Cell {
    kind: &'static Kind,
    target: &'static str,
    deed: &'static (&'static str, Deed),
    when: When,
}

/// A sandbox after the steps of a cell.
struct Case {
    place: Place,
    told: String,
    run: String,
    /// Contents that the last run or undo removed from their path, by path.
    taken: BTreeMap<PathBuf, Vec<u8>>,
}

/// Creates a sandbox with the files that the kinds of changes need, in which one run was made before.
pub(super) fn sandbox() -> Place {
    let place = Place::empty();
    for path in ["f", "d/f", "d/sub/g", "e/keep"] {
        put(&place.root().join(path), &format!("old {path}"));
    }
    crate::support::set_times(&place.root(), crate::support::FIXED_TIME);
    place.eval("MUST FS.WriteFile(\"earlier\", \"earlier\")");
    place
}

impl Case {
    fn new(Cell { kind: (kind, script, _), target, deed: (what, deed), when }: &Cell) -> Case {
        let place = sandbox();
        let mut taken = files(&place.root());
        place.eval(script);
        if *when == When::AfterUndo {
            taken = files(&place.root());
            place.ns(0, &["undo"]);
        }
        let left = files(&place.root());
        taken.retain(|path, content| left.get(path) != Some(content));
        tick();
        deed(&place.root().join(target));
        let told = format!("{when:?}; {kind}; {target}: {what}");
        let mut case = Case { place, told, run: String::new(), taken };
        case.run = case.log()[0]["id"].as_str().expect("an id").to_owned();
        case
    }

    /// Runs a command from a hint.
    fn hinted(&self, hint: &str) -> Ran {
        let words: Vec<&str> = hint.split(' ').collect();
        let ran = run(ns(&self.place.root()).args(&words[1..]));
        assert!(!ran.stderr.contains("error["), "{}: the hint `{hint}`: {}", self.told, ran.stderr);
        ran
    }

    fn log(&self) -> Vec<Json> {
        let ran = run(ns(&self.place.root()).args(["--output", "json", "log"]));
        serde_json::from_str(&ran.stdout).expect("a list")
    }

    /// Checks the listed state of the run, and that the command for the other state refuses it and names the right one.
    fn is_listed_as(&self, state: &str) {
        let log = self.log();
        let listed = log.iter().find(|run| run["id"] == self.run.as_str()).expect("the run");
        assert_eq!(listed["state"], state, "{}", self.told);
        let (refusing, hint) = match state {
            "undone" | "partly undone" => ("undo", format!("ns redo {}", self.run)),
            _ => ("redo", format!("ns undo {}", self.run)),
        };
        let ran = run(ns(&self.place.root()).args([refusing, &self.run]));
        assert_eq!(ran.code, 1, "{}: {}", self.told, ran.stderr);
        assert!(hints(&ran.stderr).contains(&hint), "{}: {}", self.told, ran.stderr);
    }

    /// Returns the contents below the root, each with a path that has it.
    fn contents(&self) -> BTreeMap<Vec<u8>, PathBuf> {
        let mut contents = BTreeMap::new();
        let mut ahead = vec![self.place.root()];
        while let Some(folder) = ahead.pop() {
            for entry in fs::read_dir(folder).expect("a directory") {
                let path = entry.expect("an entry").path();
                let name = path.strip_prefix(self.place.root()).expect("it is below").to_owned();
                let found = path.symlink_metadata().expect("an entry");
                if found.is_dir() {
                    if name != Path::new(".ns/runs") {
                        ahead.push(path);
                    }
                } else if found.is_symlink() {
                    contents.insert(format!("-> {}", fs::read_link(&path).expect("a link").display()).into(), name);
                } else if name.parent() != Some(Path::new(".ns")) {
                    contents.insert(fs::read(&path).expect("a file"), name);
                }
            }
        }
        contents
    }

    fn tree(&self) -> Vec<String> {
        contents_of(&self.place.root())
    }

    /// Performs an action and checks that no content is lost: a message or `ns show` names content that moved to `.ns`.
    fn keeps_all(&self, work: impl FnOnce() -> Ran) -> Ran {
        let before = self.contents();
        let ran = work();
        let after = self.contents();
        let mut shown = None;
        for (content, was_at) in before {
            let text = String::from_utf8_lossy(&content).into_owned();
            let Some(now_at) = after.get(&content) else { panic!("{}: lost {text:?}: {}", self.told, ran.stderr) };
            if now_at.starts_with(".ns") && !was_at.starts_with(".ns") {
                let shown = shown.get_or_insert_with(|| self.kept());
                let is_named = |kept: &Path| shown.iter().any(|shown| kept.starts_with(shown));
                let is_told = ran.stderr.contains(&*now_at.to_string_lossy());
                assert!(is_told || is_named(now_at), "{}: {text:?} in {}: {}", self.told, now_at.display(), ran.stderr);
            }
        }
        ran
    }

    /// Returns the backups that `ns show` names for all runs.
    fn kept(&self) -> BTreeSet<String> {
        let at = |words: &[&str]| -> Json {
            let ran = run(ns(&self.place.root()).args(["--output", "json"]).args(words));
            serde_json::from_str(&ran.stdout).expect("JSON")
        };
        let all = at(&["log", "--all"]);
        let runs =
            all.as_array().expect("a list").iter().map(|run| at(&["show", run["run"].as_str().expect("a name")]));
        let changes = runs.flat_map(|run| run["changes"].as_array().cloned().unwrap_or_default());
        changes.filter_map(|change| Some(change["kept"].as_str()?.to_owned())).collect()
    }
}

/// Returns the commands in backquotes in a text.
fn hints(text: &str) -> Vec<String> {
    let parts = text.split('`').enumerate().filter(|(at, part)| at % 2 == 1 && part.starts_with("ns "));
    parts.map(|(_, part)| part.to_owned()).collect()
}

/// Returns the files and links of a tree, by path.
fn files(root: &Path) -> BTreeMap<PathBuf, Vec<u8>> {
    let entries = Snapshot::take(root).entries.into_iter();
    entries.filter(|(_, entry)| entry.kind != "directory").map(|(path, entry)| (path, entry.content)).collect()
}

/// Checks that each removed content is restored to its path, or that a message names the path, and the backup if
/// there is one.
fn gives_back(case: &Case, ran: &Ran) {
    let after = files(&case.place.root());
    for (path, content) in &case.taken {
        if after.get(path) == Some(content) {
            continue;
        }
        let contents = case.contents();
        // The other program destroyed this content, or changed it in a tree that was moved.
        let Some(now_at) = contents.get(content) else { continue };
        let named = path.ancestors().any(|above| ran.stderr.contains(&format!("`{}`", above.display())));
        assert!(named, "{}: {} is not back: {}", case.told, path.display(), ran.stderr);
        if now_at.starts_with(".ns") {
            assert!(
                case.told.ends_with("parent a file"),
                "{}: {} could be back: {}",
                case.told,
                path.display(),
                ran.stderr
            );
            let mut above = now_at.ancestors().filter(|above| above.components().count() > 2);
            let is_told = above.any(|above| ran.stderr.contains(&*above.to_string_lossy()));
            assert!(is_told, "{}: where {} is kept: {}", case.told, path.display(), ran.stderr);
        }
    }
}

fn check(cell: &Cell) {
    let case = Case::new(cell);
    let found = case.tree();
    let is_redo = cell.when == When::AfterUndo;
    let (verb, state, back, before, first) = if is_redo {
        ("redo", "redone", "undo", "undone", "undone")
    } else {
        ("undo", "undone", "redo", "redone", "done")
    };
    case.is_listed_as(first);
    let mut done = case.keeps_all(|| run(ns(&case.place.root()).arg(verb)));
    if done.code != 0 {
        assert_eq!(case.tree(), found, "{}: nothing was done", case.told);
        let force = format!("ns {verb} {} --force", case.run);
        let skip = ["ns undo --skip".to_owned()];
        let skips = if is_redo { &[][..] } else { &skip };
        let planned = run(ns(&case.place.root()).args([verb, "--force", "--plan"]));
        assert_eq!(case.tree(), found, "{}: planned: {}", case.told, planned.stderr);
        let is_nothing = planned.stderr.contains("error[conflict]: nothing of the run");
        if !is_nothing {
            assert_eq!(
                hints(&done.stderr),
                [std::slice::from_ref(&force), skips].concat(),
                "{}: {}",
                case.told,
                done.stderr
            );
        } else if hints(&done.stderr).contains(&force) {
            // The refusal did not look into directories.
            assert!(!planned.stderr.contains("was changed since"), "{}: {}", case.told, done.stderr);
        } else {
            assert_eq!(hints(&done.stderr), skips, "{}: {}", case.told, done.stderr);
        }
        done = case.keeps_all(|| run(ns(&case.place.root()).args(force.split(' ').skip(1))));
        assert_eq!(done.code, planned.code, "{}: {}{}", case.told, planned.stderr, done.stderr);
        if is_nothing {
            assert_eq!((done.code, case.tree()), (1, found), "{}: {}", case.told, done.stderr);
            gives_back(&case, &done);
            return case.is_listed_as(first);
        }
    }
    gives_back(&case, &done);
    let state = if done.code == 0 || is_redo { state } else { "partly undone" };
    case.is_listed_as(state);
    let taken_back = case.tree();
    for force in ["", " --force"] {
        for (verb, state, tree) in [(back, before, &found), (verb, state, &taken_back)] {
            let ran = case.keeps_all(|| case.hinted(&format!("ns {verb}{force}")));
            assert_eq!(ran.code, 0, "{}: {verb}{force}: {}", case.told, ran.stderr);
            assert_eq!(case.tree(), *tree, "{}: {verb}{force}", case.told);
            case.is_listed_as(state);
        }
    }
    if !is_redo {
        // The earlier run is next, and only that run is undone.
        let skipped = case.keeps_all(|| case.hinted("ns undo --skip"));
        let is_gone = !case.place.root().join("earlier").exists();
        assert!(skipped.code == 0 && is_gone, "{}: {}", case.told, skipped.stderr);
        case.hinted("ns redo");
        assert_eq!(case.tree(), taken_back, "{}: the earlier run", case.told);
    }
}

#[test]
fn whatever_happened_to_the_place_of_a_change() {
    let mut cells = Vec::new();
    for when in [When::AfterRun, When::AfterUndo] {
        for kind in KINDS {
            for target in kind.2 {
                cells.extend(deeds(target).map(|deed| Cell { kind, target, deed, when }));
            }
        }
    }
    let named = |cell: &Cell| format!("{:?}; {}; {}: {}", cell.when, cell.kind.0, cell.target, cell.deed.0);
    check_all(chosen(cells, named), check);
}

/// Returns the cells that `NS_CELL`, `NS_SEED` and `NS_LONG` choose.
pub(super) fn chosen<C>(mut cells: Vec<C>, named: impl Fn(&C) -> String) -> Vec<C> {
    let variable = |name: &str| std::env::var(name).unwrap_or_default();
    let (only, first) = (variable("NS_CELL"), variable("NS_SEED").parse().unwrap_or(0));
    let step = if variable("NS_LONG").is_empty() && only.is_empty() { SHARE } else { 1 };
    cells.retain(|cell| named(cell).contains(&only));
    assert!(!cells.is_empty(), "no cell of this table has `{only}`, the value of NS_CELL, in its name");
    cells.into_iter().skip(first % step).step_by(step).collect()
}

/// Checks cells in several threads, and names all that fail.
pub(super) fn check_all<C: Sync + std::panic::RefUnwindSafe>(cells: Vec<C>, check: fn(&C)) {
    let failed = std::sync::Mutex::new(Vec::new());
    let next = std::sync::atomic::AtomicUsize::new(0);
    std::thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| {
                while let Some(cell) = cells.get(next.fetch_add(1, std::sync::atomic::Ordering::Relaxed)) {
                    let checked = std::panic::catch_unwind(|| check(cell));
                    let reason = checked.err().map(|panic| panic.downcast_ref::<String>().cloned().unwrap_or_default());
                    failed.lock().expect("no check panics with it").extend(reason);
                }
            });
        }
    });
    let failed = failed.into_inner().expect("no check panics with it");
    assert!(failed.is_empty(), "{} of {} cells:\n{}", failed.len(), cells.len(), failed.join("\n"));
}
