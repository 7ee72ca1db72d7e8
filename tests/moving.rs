//! `FS.MoveFiles` with generated moves: those that a model allows are made, at once or one after another in a suitable
//! order, the others are reported, and `ns undo` restores the tree.

#![allow(clippy::disallowed_methods, reason = "tests set up folders of their own")]

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

use proptest::prelude::*;
use proptest::test_runner::{Config, TestRunner};
use serde_json::{Value as Json, json};

use crate::support::{has_strace, ns, run, strace};

/// The paths of a tree; files may be in the directory `d` too.
const PATHS: &[&str] = &["a", "b", "c", "e", "d/a", "d/b", "é x"];

/// Files with their contents by path.
type Tree = BTreeMap<String, String>;

fn make(root: &Path, tree: &Tree) {
    fs::create_dir(root.join("d")).expect("a directory");
    for (path, content) in tree {
        fs::write(root.join(path), content).expect("a file");
    }
}

fn read(root: &Path) -> Tree {
    let file = |path: &&str| Some(((*path).to_owned(), fs::read_to_string(root.join(path)).ok()?));
    PATHS.iter().filter_map(file).collect()
}

/// Returns the sources of the moves that cannot be made: of what is not there, in a circle, and to a path that is
/// occupied by what stays.
fn failing(tree: &Tree, moves: &BTreeMap<String, String>) -> BTreeSet<String> {
    let is_in_circle = |source: &String| {
        let mut at = &moves[source];
        for _ in 0..moves.len() {
            match moves.get(at) {
                Some(_) if at == source => return source != &moves[source],
                Some(next) => at = next,
                None => return false,
            }
        }
        false
    };
    let mut failing: BTreeSet<String> =
        moves.keys().filter(|source| !tree.contains_key(*source) || is_in_circle(source)).cloned().collect();
    loop {
        let is_occupied =
            |path: &String| tree.contains_key(path) && (!moves.contains_key(path) || failing.contains(path));
        let blocked = |(source, to): &(&String, &String)| is_occupied(to) || source == to;
        let further: Vec<String> =
            moves.iter().filter(blocked).map(|(source, _)| source.clone()).filter(|it| !failing.contains(it)).collect();
        if further.is_empty() {
            return failing;
        }
        failing.extend(further);
    }
}

/// Returns the answer of a call, also of one that failed; null if a failed call has none.
fn answer(root: &Path, arguments: &Json) -> Json {
    let ran = run(ns(root).args(["call", "FS.MoveFiles", &arguments.to_string()]));
    let parsed = |text: &str| serde_json::from_str::<Json>(text).unwrap_or_else(|_| panic!("{arguments}: {text}"));
    // The answer of a call of which a part was done is a result, too.
    if ran.stdout.is_empty() { parsed(&ran.stderr)["answer"].take() } else { parsed(&ran.stdout) }
}

#[test]
fn the_moves_that_a_model_allows_are_made() {
    let cases = if std::env::var_os("NS_LONG").is_some() { 3_000 } else { 80 };
    let mut runner = TestRunner::new(Config { cases, failure_persistence: None, ..Config::default() });
    let shuffled = || Just(PATHS.to_vec()).prop_shuffle();
    let inputs = (shuffled(), shuffled(), shuffled(), 0..=PATHS.len(), 1..=PATHS.len(), any::<bool>());
    let checked = runner.run(&inputs, |(there, sources, destinations, files, count, all_or_nothing)| {
        let owned = |path: &&str| (*path).to_owned();
        let tree: Tree = there.iter().take(files).map(|path| (owned(path), format!("content of {path}"))).collect();
        let moves: BTreeMap<String, String> =
            sources.iter().map(owned).zip(destinations.iter().map(owned)).take(count).collect();
        // A move to the path that a file has is none, but it is given.
        let made_or_not = |(source, to): &(&String, &String)| source != to || !tree.contains_key(*source);
        let counted: BTreeMap<String, String> =
            moves.iter().filter(made_or_not).map(|(source, to)| (source.clone(), to.clone())).collect();
        let failing = failing(&tree, &counted);
        let mut wanted: Tree = tree.clone();
        if !all_or_nothing || failing.is_empty() {
            let made = || counted.iter().filter(|(source, _)| !failing.contains(*source));
            made().for_each(|(source, _)| drop(wanted.remove(source)));
            wanted.extend(made().map(|(source, to)| (to.clone(), tree[source].clone())));
        }
        let place = tempfile::tempdir().expect("a folder for the test");
        make(place.path(), &tree);
        let given: Vec<Json> =
            sources.iter().take(count).map(|source| json!({"source": source, "destination": moves[*source]})).collect();
        let answer = answer(place.path(), &json!({"moves": given, "all_or_nothing": all_or_nothing}));
        prop_assert_eq!(read(place.path()), wanted.clone(), "{:?} {:?}: {}", tree, moves, answer);
        prop_assert_eq!(answer["success"].as_bool().unwrap_or(false), failing.is_empty(), "{}", answer);
        if !all_or_nothing {
            let rows = answer["items"].as_array().expect("rows");
            let failed: BTreeSet<String> = rows
                .iter()
                .filter(|row| row["success"] == false)
                .filter_map(|row| row["path"].as_str().map(str::to_owned))
                .collect();
            prop_assert_eq!((rows.len(), failed), (counted.len(), failing), "{}", answer);
        }
        if wanted != tree {
            let undone = run(ns(place.path()).arg("undo"));
            prop_assert_eq!(undone.code, 0, "{}", undone.stderr);
        }
        prop_assert_eq!(read(place.path()), tree);
        Ok(())
    });
    checked.unwrap_or_else(|failure| panic!("{failure}"));
}

/// A power failure leaves the records of moves that were journaled together, and none of the marks of those that were
/// made: the next run finds out which were, and takes them back.
#[test]
fn moves_whose_marks_are_lost_are_taken_back() {
    if !has_strace() {
        return;
    }
    let count = 40;
    for kill_at in [10, 17, 30, 40] {
        let place = tempfile::tempdir().expect("a folder for the test");
        let name = |number: usize| place.path().join(number.to_string());
        (0..count).for_each(|number| fs::write(name(number), number.to_string()).expect("a file"));
        let moves: Vec<Json> = (0..count)
            .map(|number| json!({"source": number.to_string(), "destination": (number + 1).to_string()}))
            .collect();
        let arguments = json!({"moves": moves, "all_or_nothing": true}).to_string();
        let mut command = ns(place.path());
        command.args(["call", "FS.MoveFiles", &arguments]);
        let inject = format!("inject=renameat2:signal=KILL:when={kill_at}");
        let trace = ["-e", "trace=renameat2", "-e", &inject];
        let killed = run(&mut strace(&command, Path::new("/dev/null"), &trace));
        let open = fs::read_dir(place.path().join(".ns/runs/open"))
            .unwrap_or_else(|_| panic!("no journals: {} {}", killed.code, killed.stderr));
        let journal = open.map(|entry| entry.expect("an entry").path()).next().expect("the journal of the killed run");
        let lines = fs::read_to_string(&journal).expect("a journal");
        let last = lines.rfind("{\"step\":").expect("a step");
        let end = last + lines[last..].find('\n').expect("a whole line") + 1;
        fs::OpenOptions::new().write(true).open(&journal).and_then(|file| file.set_len(end as u64)).expect("it is cut");
        let next = run(ns(place.path()).args(["run", "-e", "MUST CALL FS.WriteFile(\"next\", \"\")"]));
        assert_eq!(next.code, 0, "{}", next.stderr);
        for number in 0..count {
            let content = fs::read_to_string(name(number)).unwrap_or_default();
            assert_eq!(content, number.to_string(), "killed at {kill_at}: {}", next.stderr);
        }
        assert!(!name(count).exists(), "killed at {kill_at}");
    }
}

/// A path that goes through a link which the call moves would lead elsewhere when its turn comes.
#[test]
fn no_path_leads_through_a_link_that_is_moved() {
    use std::os::unix::fs::symlink;
    let moves = |last: (&str, &str)| {
        let given = [("ld", "L"), ("other", "ld"), last];
        let moves: Vec<Json> = given.iter().map(|(from, to)| json!({"source": from, "destination": to})).collect();
        json!({"moves": moves, "all_or_nothing": true})
    };
    for last in [("a", "ld/new"), ("ld/x", "k"), ("in/ld/x", "k"), ("a", "in/ld/new")] {
        let place = tempfile::tempdir().expect("a folder for the test");
        for folder in ["d", "other"] {
            fs::create_dir(place.path().join(folder)).expect("a directory");
        }
        for name in ["a", "d/x"] {
            fs::write(place.path().join(name), name).expect("a file");
        }
        symlink("d", place.path().join("ld")).expect("a link");
        symlink(".", place.path().join("in")).expect("a link");
        let ran = run(ns(place.path()).args(["call", "FS.MoveFiles", &moves(last).to_string()]));
        assert!(ran.code == 1 && ran.stderr.contains("which an item moves"), "{last:?}: {} {}", ran.stdout, ran.stderr);
        assert!(place.path().join("ld").is_symlink() && place.path().join("other").is_dir(), "{last:?}");
    }
}
