//! Another process works in the directory into which an archive is extracted: its files stay when the extraction is
//! rolled back.

use std::fs;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};

use super::Place;
use super::make::{file, tar};

/// Number of attempts after which the race is inconclusive.
const TURNS: usize = 60;

/// Adds files to the first extracted directory, and creates an obstacle for the last entry.
fn disturb(folder: &Path, is_over: &AtomicBool) {
    while !folder.join("a/f").exists() {
        if is_over.load(Ordering::Relaxed) {
            return;
        }
    }
    let _ = fs::write(folder.join("z"), "THEIRS");
    fs::write(folder.join("mine"), "THEIRS").expect("a file");
    fs::rename(folder.join("mine"), folder.join("a/f")).expect("it takes the name");
    fs::write(folder.join("a/added"), "THEIRS").expect("a file");
}

#[test]
fn what_somebody_put_in_the_place_of_ours_stays() {
    let names: Vec<String> = (0..900).map(|number| format!("b{number:03}")).collect();
    let entries = [file("a/f", "ours"), file("a/g", "ours")].into_iter();
    let entries = entries.chain(names.iter().map(|name| file(name, "ours"))).chain([file("z", "ours")]);
    let archive = tar(&entries.collect::<Vec<_>>());
    for _ in 0..TURNS {
        let place = Place::new();
        place.put("o.tar", &archive);
        let folder = place.root().join("x");
        fs::create_dir(&folder).expect("a folder");
        let is_over = AtomicBool::new(false);
        let ran = std::thread::scope(|scope| {
            scope.spawn(|| disturb(&folder, &is_over));
            let ran = place.eval("SET r = FS.Extract(\"o.tar\", \"x\")\nEMIT r.error, \" \", LAST_ERROR.code");
            is_over.store(true, Ordering::Relaxed);
            ran
        });
        // The other process was too late, or nothing had been extracted yet.
        if !ran.stdout.contains("`x/z` already exists; ") {
            continue;
        }
        assert!(
            ran.stdout.contains("but not `x/a/f` and 1 more") && ran.stdout.ends_with("conflict\n"),
            "{}",
            ran.stdout
        );
        let left = super::describe(&folder);
        for name in ["a/f", "a/added", "z"] {
            assert_eq!(fs::read_to_string(folder.join(name)).expect(name), "THEIRS", "{left}");
        }
        assert!(!folder.join("a/g").exists() && !left.contains("b0") && !left.contains(".ns-tmp-"), "{left}");
        return;
    }
    panic!("inconclusive: nobody came between in {TURNS} turns");
}
