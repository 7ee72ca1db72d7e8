//! Names and listing of runs.

use std::fs;

use super::{eval, log, name_of, sandbox, show, undo};
use crate::support::{ns, run};

#[test]
fn runs_are_named_by_a_part_that_no_other_has() {
    let place = sandbox();
    eval(place.path(), "CALL FS.WriteFile(\"a.txt\", \"1\")");
    eval(place.path(), "CALL FS.WriteFile(\"b.txt\", \"1\")");
    let runs = log(place.path());
    let name = name_of(&runs[1]);
    assert_eq!(undo(place.path(), &[&name[name.len() - 8..]]).code, 0);
    assert_eq!(fs::read_to_string(place.path().join("a.txt")).expect("a file"), "a");
    assert_eq!(fs::read_to_string(place.path().join("b.txt")).expect("a file"), "1");
    let none = undo(place.path(), &["20z"]);
    assert!(none.stderr.contains("there is no run `20z`"), "{}", none.stderr);
    let several = undo(place.path(), &[&name[..8]]);
    assert!(several.stderr.contains("fits 3 runs"), "{}", several.stderr);
    let again = undo(place.path(), &[name]);
    assert!(again.stderr.contains("is taken back already"), "{}", again.stderr);
}

#[test]
fn every_beginning_of_a_name_that_no_other_has_is_enough() {
    let place = sandbox();
    for number in 0..12 {
        eval(place.path(), &format!("MUST FS.WriteFile(\"f{number}\", \"x\")"));
    }
    let runs = log(place.path());
    let ids: Vec<&str> = runs.iter().map(|run| run["id"].as_str().expect("an id")).collect();
    for (run, id) in runs.iter().zip(&ids) {
        for length in 1..=id.len() {
            let beginning = &id[..length];
            let others = ids.iter().filter(|other| other.starts_with(beginning)).count() - 1;
            let shown = show(place.path(), &[beginning]);
            if others == 0 {
                assert!(shown.stdout.contains(name_of(run)), "{beginning}: {}{}", shown.stdout, shown.stderr);
            } else {
                assert!(shown.stderr.contains(&format!("fits {} runs", others + 1)), "{beginning}: {}", shown.stderr);
            }
        }
        let whole = show(place.path(), &[name_of(run)]);
        assert!(whole.stdout.contains(name_of(run)), "{}", whole.stderr);
    }
    let newest = show(place.path(), &[]);
    assert!(newest.stdout.contains(name_of(&runs[0])), "{}", newest.stdout);
}

#[test]
fn the_overview_is_in_local_time_and_fits() {
    let place = sandbox();
    let script = format!("# {}\nMUST FS.WriteFile(\"f\", \"x\")\n", "long ".repeat(30));
    let name = format!("{}.ns", "tidy-".repeat(20));
    fs::write(place.path().join(&name), script).expect("a script");
    assert_eq!(run(ns(place.path()).arg(place.path().join(&name))).code, 0);
    let listed = &log(place.path())[0];
    let utc = listed["time"].as_str().expect("a time");
    let hour = |text: &str| text[11..13].parse::<u32>().expect("an hour");
    let id = listed["id"].as_str().expect("an id");
    for (zone, hours) in [("UTC0", 0), ("XXX-5", 5), ("XXX+3", 21)] {
        let shown = run(ns(place.path()).env("TZ", zone).arg("log"));
        let line = shown.stdout.lines().nth(1).expect("a run");
        let local = line.trim_start().strip_prefix(id).expect("the short name").trim_start();
        assert_eq!(hour(local), (hour(utc) + hours) % 24, "{zone}: {line}");
        assert!(line.contains(&name), "a pipe is not cut: {line}");
    }
}

#[test]
fn a_list_says_that_it_leaves_out_older_runs() {
    let place = sandbox();
    for number in 0..3 {
        eval(place.path(), &format!("CALL FS.WriteFile(\"new{number}\", \"x\")"));
    }
    let at_most = |most: &str| run(ns(place.path()).args(["log", "-n", most]));
    let (cut, whole) = (at_most("2"), at_most("3"));
    assert_eq!((cut.stdout.lines().count(), whole.stdout.lines().count()), (3, 4));
    assert_eq!(cut.stderr, "older runs are left out; `ns log -n 20` lists more, `ns log --all` all\n");
    assert_eq!(whole.stderr, "");
}
