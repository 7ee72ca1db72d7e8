//! Many concurrent processes, and processes that are killed.

use std::process::{Child, Stdio};

use super::{audit, file, fill, holds, lines, sandbox};
use crate::support::{ns, run};

#[test]
fn processes_keep_one_chain() {
    let place = sandbox();
    let start = |number: usize| -> Child {
        let code = format!("FOR EACH i IN RANGE(50) DO\nMUST FS.WriteFile(\"{number}-\" + i, \"x\")\nEND");
        ns(place.path()).args(["run", "-e", &code]).stdout(Stdio::null()).spawn().expect("a process")
    };
    let children: Vec<Child> = (0..8).map(start).collect();
    for mut child in children {
        assert!(child.wait().expect("it ends").success());
    }
    holds(place.path());
    let lines = lines(place.path());
    assert_eq!(lines.len(), 400);
    let runs: std::collections::BTreeSet<&str> = lines.iter().filter_map(|line| line["run"].as_str()).collect();
    assert_eq!(runs.len(), 8, "each run has a name of its own");
}

/// However many writers are killed, the chain holds, and every acknowledged write has its line.
#[test]
fn killed_processes_leave_a_chain_that_holds() {
    let place = sandbox();
    let rounds = if std::env::var_os("NS_LONG").is_some() { 300 } else { 25 };
    for round in 0..rounds {
        let code =
            format!("FOR EACH i IN RANGE(100000) DO\nMUST FS.WriteFile(\"f\", \"x\")\nEMIT \"{round}:\" + i\nEND");
        let output = std::fs::File::create(place.path().join("../").join(format!("out-{}", std::process::id())));
        let output = output.expect("a file for the output");
        let mut child = ns(place.path())
            .args(["run", "-e", &code])
            .stdout(output)
            .stderr(Stdio::null())
            .spawn()
            .expect("a process");
        std::thread::sleep(std::time::Duration::from_millis(20 + round * 3));
        child.kill().expect("it is killed");
        child.wait().expect("it ends");
    }
    let _ = std::fs::remove_file(place.path().join("../").join(format!("out-{}", std::process::id())));
    fill(place.path(), 1);
    let ran = audit(place.path(), &["verify"]);
    assert_eq!(ran.code, 0, "{}{}", ran.stdout, ran.stderr);
    println!("{}", ran.stdout);
}

/// A live process that holds the lock is waited for, then named in an error; nothing is changed.
#[test]
fn a_held_lock_is_not_waited_for_forever() {
    let place = sandbox();
    fill(place.path(), 1);
    let holder = std::fs::File::open(file(place.path())).expect("the log");
    holder.lock().expect("the lock");
    let ran = run(ns(place.path()).args(["--timeout", "1", "run", "-e", "CALL FS.WriteFile(\"new\", \"x\")"]));
    assert_eq!(ran.code, 124, "{}", ran.stderr);
    assert!(!place.path().join("new").exists());
    holder.unlock().expect("the lock is given back");
    fill(place.path(), 1);
    holds(place.path());
}
