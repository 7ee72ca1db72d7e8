//! Files that planning creates in the temporary directory, and those that a killed process leaves there.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use crate::plan::Place;
use crate::support::ns;

#[test]
fn what_a_killed_plan_left_goes_with_the_next() {
    let place = Place::new();
    let temporary = place.folder.path().join("tmp");
    fs::create_dir(&temporary).expect("a folder");
    let killed = begin(&place, &temporary);
    let left = wait_for(&temporary, 1);
    let living = begin(&place, &temporary);
    let both = wait_for(&temporary, 2);
    let modes: Vec<u32> = both.iter().map(|name| mode(&temporary.join(name))).collect();
    assert_eq!(modes, [0o700, 0o700], "nobody else looks into a plan");
    drop(killed);
    // A directory that only looks like one of ours, and one with content that no plan put there.
    let other = temporary.join("neuroscript-plan-other");
    fs::create_dir_all(other.join("deep")).expect("folders");
    fs::set_permissions(&other, fs::Permissions::from_mode(0o700)).expect("its mode is set");
    fs::write(temporary.join("neuroscript-plan-file"), "").expect("a file");

    let plan = ["run", "--plan", "-e", "MUST FS.WriteFile(\"x\", \"x\")"];
    let ran = crate::support::run(ns(&place.root()).env("TMPDIR", &temporary).args(plan));
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    let mut expected: Vec<String> = both.into_iter().filter(|name| *name != left[0]).collect();
    expected.extend(["neuroscript-plan-file".to_owned(), "neuroscript-plan-other".to_owned()]);
    expected.sort();
    assert_eq!(names(&temporary), expected);
    assert!(other.join("deep").is_dir(), "no plan puts there what is no number");
    drop(living);
}

/// The directory of a worker is in that of its server, and both processes may be killed.
#[test]
fn what_a_killed_server_left_goes_with_its_workers() {
    let place = Place::new();
    let temporary = place.folder.path().join("tmp");
    let mut left = temporary.clone();
    fs::create_dir(&left).expect("a folder");
    for name in ["neuroscript-plans-server", "neuroscript-plans-worker", "neuroscript-plan-script"] {
        left.push(name);
        fs::create_dir(&left).expect("a folder");
        fs::set_permissions(&left, fs::Permissions::from_mode(0o700)).expect("its mode is set");
    }
    fs::write(left.join("3"), "planned").expect("a file");
    let plan = ["run", "--plan", "-e", "MUST FS.WriteFile(\"x\", \"x\")"];
    let ran = crate::support::run(ns(&place.root()).env("TMPDIR", &temporary).args(plan));
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    assert!(names(&temporary).is_empty(), "{:?}", names(&temporary));
}

/// A process that is killed when the test ends.
struct Living(Child);

impl Drop for Living {
    fn drop(&mut self) {
        let _ = self.0.kill().and_then(|()| self.0.wait());
    }
}

fn mode(path: &Path) -> u32 {
    fs::metadata(path).expect("it is there").permissions().mode() & 0o777
}

/// Starts a plan that runs forever once it has written something.
fn begin(place: &Place, temporary: &Path) -> Living {
    let script = "MUST FS.WriteFile(\"made\", \"made\")\nWHILE true DO\n  SET x = 1\nEND";
    let mut command: Command = ns(&place.root());
    command.env("TMPDIR", temporary).args(["--max-steps", "9000000000000", "run", "--plan", "-e", script]);
    command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    Living(command.spawn().expect("it begins"))
}

/// Waits until there are `count` non-empty directories, and returns their names.
fn wait_for(temporary: &Path, count: usize) -> Vec<String> {
    let begin = Instant::now();
    loop {
        let names = names(temporary);
        let filled = names.iter().filter(|name| fs::read_dir(temporary.join(name)).is_ok_and(|all| all.count() > 0));
        if filled.count() == count {
            return names;
        }
        assert!(begin.elapsed() < Duration::from_secs(60), "the plans do not begin: {names:?}");
        std::thread::sleep(Duration::from_millis(20));
    }
}

fn names(folder: &Path) -> Vec<String> {
    let entries = fs::read_dir(folder).expect("it is listed");
    let mut names: Vec<String> =
        entries.map(|entry| entry.expect("an entry").file_name().into_string().expect("a text")).collect();
    names.sort();
    names
}
