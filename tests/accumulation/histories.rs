//! Runs of many changes: listing, showing, undoing and redoing one allocates about four times as much for four times as
//! many changes.

use std::sync::PoisonError;

use neuroscript::engine::{Differ, Engine, ForeignAction, Options, Selection};
use stats_alloc::Region;

use super::support::folder_in_memory;
use super::{ALLOCATOR, ALONE, GROWTH, run};

/// Number of files of the smaller tree.
const FILES: usize = 30;
/// Bytes that an operation may allocate in addition, whatever the size of the run: buffers for reading files.
const BYTES: f64 = 400_000.0;

/// Statements for each file; `@` stands for its number.
const CHANGES: [&str; 6] = [
    "MUST FS.WriteFile(\"d/f@\", \"new\")",
    "MUST FS.WriteFile(\"d/f@\", \"new\")\nMUST FS.WriteFile(\"d/f@\", \"newer\")",
    "MUST FS.MoveFile(\"d/f@\", \"e/g@\")",
    "SET gone = FS.DeleteFile(\"d/f@\")\nMUST FS.RestoreBackup(gone.backupPath)\nMUST FS.DeleteFile(\"d/f@\")",
    "MUST FS.WriteFile(\"d/new@/f\", \"new\")",
    "MUST FS.CopyFile(\"d/f@\", \"e/g@\")\nMUST FS.SetPermissions(\"e/g@\", \"600\")",
];

/// The bytes that each operation allocates, with its name.
fn costs(changes: &str, files: usize) -> Vec<(&'static str, f64)> {
    let place = folder_in_memory();
    let root = place.path().join("root");
    for folder in ["d", "e"] {
        std::fs::create_dir_all(root.join(folder)).expect("a folder");
    }
    (0..files).for_each(|file| std::fs::write(root.join(format!("d/f{file}")), "old\n").expect("a file"));
    let options = Options { sandbox: Some(root), state: Some(place.path().join("state")), ..Options::default() };
    let engine = Engine::open(&options).unwrap_or_else(|error| panic!("no engine: {:?}", error.findings));
    let changes = changes.replace("@\"", "\" + STR(i)").replace("@/", "\" + STR(i) + \"/");
    let script = format!("FOR EACH i IN RANGE({files}) DO\n{changes}\nEND");
    let (made, printed) = run(&engine, &script);
    assert!(printed.is_empty(), "{printed}: {script}");
    let name = engine.runs(Selection::Folded, 1).expect("the runs are listed")[0].run.clone();
    let show = || {
        let report = engine.show_run(&name).expect("the run is shown");
        let described = engine.describe_run(&report, Differ::showing(engine.watch())).expect("there is time");
        assert!(described.len() >= files, "{} of {files} changes", described.len());
    };
    let undo = |redo| drop(engine.undo(Some(&name), redo, false).expect("nothing stands in the way"));
    let operations: [(&str, &dyn Fn()); 6] = [
        ("show", &show),
        ("log", &|| drop(engine.runs(Selection::All, usize::MAX).expect("the runs are listed"))),
        ("undo", &|| undo(false)),
        ("show of what is undone", &show),
        ("redo", &|| undo(true)),
        ("adopt", &|| drop(engine.foreign(ForeignAction::Show).expect("nothing is foreign"))),
    ];
    let measured = operations.map(|(operation, work)| {
        let region = Region::new(ALLOCATOR);
        work();
        (operation, region.change().bytes_allocated as f64)
    });
    [("run", made.bytes)].into_iter().chain(measured).collect()
}

#[test]
fn a_long_run_costs_in_proportion_to_its_changes() {
    let _alone = ALONE.lock().unwrap_or_else(PoisonError::into_inner);
    for changes in CHANGES {
        for ((operation, few), (_, many)) in costs(changes, FILES).into_iter().zip(costs(changes, 4 * FILES)) {
            assert!(many < GROWTH * (few + BYTES), "{operation}: {few} bytes, then {many}: {changes}");
        }
    }
}
