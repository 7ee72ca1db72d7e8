//! Trees that a run made or left, that later runs moved as a whole and changed inside, and that are undone and redone in
//! order.

use super::Place;

/// Ways to make a tree `e` with `sub/s` in it.
const MAKES: [&str; 4] = [
    "MUST FS.CopyFile(\"cd\", \"e\", recursive: true)",
    "MUST FS.MoveFile(\"cd\", \"e\")",
    "MUST FS.Extract(\"cd.zip\", \".\")\nMUST FS.MoveFile(\"packed\", \"e\")",
    "MUST FS.WriteFile(\"e/sub/s\", \"1\")\nMUST FS.WriteFile(\"e/sub/t\", \"1\")",
];

/// Ways to move it to `c`.
const MOVES: [&str; 3] = [
    "MUST FS.MoveFile(\"e\", \"c\")",
    "MUST FS.MoveFile(\"e\", \"m\")\nMUST FS.MoveFile(\"m\", \"c\")",
    "MUST FS.CreateDirectory(\"c\")\nMUST FS.MoveFile(\"e/sub\", \"c/sub\")",
];

/// Ways to change it there.
const CHANGES: [&str; 6] = [
    "MUST FS.WriteFile(\"c/sub/n\", \"2\")",
    "MUST FS.DeleteFile(\"c/sub/s\")",
    "MUST FS.MoveFile(\"c/sub/s\", \"g\")",
    "MUST FS.WriteFile(\"c/sub/s\", \"2\")",
    "MUST FS.SetPermissions(\"c/sub\", \"700\")\nMUST FS.WriteFile(\"c/sub/deep/n\", \"2\")",
    "MUST FS.DeleteFile(\"c\", recursive: true)",
];

#[test]
fn what_later_runs_did_in_a_moved_tree_and_took_back_is_no_change() {
    let step = if std::env::var_os("NS_LONG").is_some() { 1 } else { 3 };
    let mut faults = Vec::new();
    for number in (0..MAKES.len() * MOVES.len() * CHANGES.len() * 2).step_by(step) {
        let (make, rest) = (MAKES[number % MAKES.len()], number / MAKES.len());
        let (moves, rest) = (MOVES[rest % MOVES.len()], rest / MOVES.len());
        // An atomic run that fails takes its changes back itself.
        let (change, is_atomic) = (CHANGES[rest % CHANGES.len()], rest / CHANGES.len() == 1);
        faults.extend(fault(&Place::of_case(number / step / MAKES.len()), &[make, moves, change], is_atomic));
    }
    assert!(faults.is_empty(), "{} faults:\n{}", faults.len(), faults.join("\n"));
}

/// Returns what goes wrong when three runs, the last of which may fail and be rolled back, are undone, redone and undone.
fn fault(place: &Place, scripts: &[&str], is_atomic: bool) -> Option<String> {
    place.eval(
        "MUST FS.WriteFile(\"cd/sub/s\", \"1\")\nMUST FS.WriteFile(\"packed/sub/s\", \"1\")\n\
         MUST FS.Compress(\"packed\", \"cd.zip\")\nMUST FS.DeleteFile(\"packed\", recursive: true)",
    );
    let mut states = vec![place.snapshot()];
    for (number, script) in scripts.iter().enumerate() {
        if is_atomic && number == 2 {
            place.ns(1, &["run", "--atomic", "-e", &format!("{script}\nFAIL \"no\"")]);
        } else {
            place.eval(script);
            states.push(place.snapshot());
        }
    }
    let mut at = states.len() - 1;
    let orders = [vec!["undo"; at], vec!["redo"; at], vec!["undo"; at]].concat();
    for command in orders {
        let ran = crate::support::run(crate::support::ns(&place.root()).arg(command));
        at = if command == "undo" { at - 1 } else { at + 1 };
        if ran.code != 0 {
            return Some(format!("{command} to {at} of {scripts:?} (atomic: {is_atomic}): {}", ran.stderr));
        }
        place.expect(&states[at], command);
    }
    None
}

/// Operations on the tree `dd/ed/t0` and what became of it. Some of them fail.
const OPERATIONS: [&str; 10] = [
    "SET r = FS.SetPermissions(\"dd/ed\", \"700\")",
    "SET r = FS.DeleteFile(\"dd\", recursive: true)",
    "SET r = FS.DeleteFile(\"dd/ed\", recursive: true)",
    "SET r = FS.WriteFile(\"dd/ed/t0\", \"w\")",
    "SET r = FS.DeleteFile(\"dd/ed/t0\")",
    "SET r = FS.MoveFile(\"dd\", \"m\")",
    "SET r = FS.MoveFile(\"m\", \"dd\")",
    "SET r = FS.MoveFile(\"dd/ed\", \"x/ed\")",
    "SET r = FS.CopyFile(\"dd\", \"m\", recursive: true)",
    "SET r = FS.RestoreBackup(MAP.Get(r, \"backupPath\", \"none\"))",
];

#[test]
fn one_run_that_changes_a_tree_again_and_again_is_redone_exactly() {
    let all = OPERATIONS.len().pow(4);
    let number = |name: &str| std::env::var(name).ok().and_then(|number| number.parse::<usize>().ok());
    // A prime, so that all operations occur at all places.
    let step = number("NS_STEP").unwrap_or(if std::env::var_os("NS_LONG").is_some() { 7 } else { 211 });
    let mut faults = Vec::new();
    for choice in (number("NS_FIRST").unwrap_or(0)..all).step_by(step) {
        let digits = std::iter::successors(Some(choice), |rest| Some(rest / OPERATIONS.len()));
        let operations: Vec<&str> = digits.take(4).map(|digit| OPERATIONS[digit % OPERATIONS.len()]).collect();
        let place = Place::of_case(choice / step / OPERATIONS.len());
        place.eval("MUST FS.WriteFile(\"dd/ed/t0\", \"t\")\nMUST FS.CreateDirectory(\"x\")");
        let before = place.snapshot();
        place.eval(&format!("SET r = {{}}\n{}", operations.join("\n")));
        let after = place.snapshot();
        if before.differences(&after).is_empty() {
            continue;
        }
        for (command, wanted) in [("undo", &before), ("redo", &after), ("undo", &before), ("redo", &after)] {
            let ran = crate::support::run(crate::support::ns(&place.root()).arg(command));
            if ran.code != 0 {
                faults.push(format!("{choice}: {command} of {operations:?}: {}", ran.stderr));
                break;
            }
            place.expect(wanted, &format!("{choice}: {command} of {operations:?}"));
        }
    }
    assert!(faults.is_empty(), "{} faults:\n{}", faults.len(), faults.join("\n"));
}
