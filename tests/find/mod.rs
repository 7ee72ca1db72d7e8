//! `FS.Find`: random trees compared with a simple model of its documentation, and conditions that make it fail.
//!
//! Each tree is generated from its number, so a failure can be reproduced. 40 trees with 30 calls each, 400 with
//! `NS_LONG=1`, or as many as `NS_TREES` says; `NS_TREE` is the number of the first.

#![allow(clippy::disallowed_methods, reason = "tests set up folders of their own")]

mod faults;
mod model;
mod names;
mod trees;

use serde_json::{Value as Json, json};

use crate::support::dice::Dice;
use crate::support::{ns, with_input};

/// Returns the answers to several calls of `find` in one process, or their errors.
fn answers(root: &std::path::Path, calls: &[Json]) -> Vec<Json> {
    let lines: String =
        calls.iter().map(|args| format!("{}\n", json!({ "tool": "find", "arguments": args }))).collect();
    let ran = with_input(ns(root).env("NS_NOW", "unused").args(["call", "--jsonl"]), &lines);
    let answers: Vec<Json> =
        ran.stdout.lines().map(|line| serde_json::from_str(line).expect("an answer is JSON")).collect();
    assert_eq!(answers.len(), calls.len(), "{}", ran.stderr);
    answers
}

fn check_tree(number: u64) -> Result<usize, String> {
    let place = tempfile::tempdir().expect("a folder for the tree");
    let mut dice = Dice::new(number + 1);
    trees::fill(&mut dice, place.path());
    let calls: Vec<Json> = (0..30).map(|_| trees::call(&mut dice)).collect();
    let mut found = 0;
    for (args, answer) in calls.iter().zip(answers(place.path(), &calls)) {
        let wanted = model::find(place.path(), args);
        let records = answer["result"].as_array().ok_or_else(|| format!("tree {number}, {args}: {answer}"))?;
        found += records.len();
        if *records != wanted {
            let paths = |records: &[Json]| records.iter().map(|record| record["path"].to_string()).collect::<Vec<_>>();
            let differs = records.iter().zip(&wanted).find(|(record, wanted)| record != wanted);
            return Err(format!(
                "tree {number}, {args}:\nwanted {:?}\nfound  {:?}\nfirst  {differs:?}",
                paths(&wanted),
                paths(records)
            ));
        }
    }
    Ok(found)
}

#[test]
fn random_trees_are_searched_as_the_page_says() {
    let number = |name: &str| std::env::var(name).ok().and_then(|number| number.parse::<u64>().ok());
    let long = std::env::var_os("NS_LONG").is_some();
    let (first, trees) = (number("NS_TREE").unwrap_or(0), number("NS_TREES").unwrap_or(if long { 400 } else { 40 }));
    let results: Vec<_> = (first..first + trees).map(check_tree).collect();
    let faults: Vec<&str> = results.iter().filter_map(|result| result.as_ref().err()).map(String::as_str).collect();
    let found: usize = results.iter().filter_map(|result| result.as_ref().ok()).sum();
    assert!(
        faults.is_empty(),
        "{} of {trees} trees differ:\n{}",
        faults.len(),
        faults[..faults.len().min(3)].join("\n")
    );
    // If nothing were ever found, the test would prove nothing.
    assert!(found as u64 > trees * 100, "only {found} records in {trees} trees");
    println!("{trees} trees, {found} records, no difference");
}

/// So many entries that a second thread reads a part of them.
#[test]
fn many_names_have_the_identity_of_their_file() {
    let place = tempfile::tempdir().expect("a folder for the tree");
    for folder in 0..30 {
        let folder = place.path().join(format!("d{folder}"));
        std::fs::create_dir(&folder).expect("a folder of the tree");
        std::fs::write(folder.join("0"), "x").expect("a file of the tree");
        for number in 1..300 {
            let (one, name) = (folder.join((number % 2).to_string()), folder.join(number.to_string()));
            match number {
                1 => std::fs::write(name, "y").expect("a file of the tree"),
                _ => std::fs::hard_link(one, name).expect("a name of a file"),
            }
        }
    }
    for args in
        [json!({ "identity": true }), json!({ "identity": true, "sort": "size", "descending": true, "limit": 5000 })]
    {
        let answer = answers(place.path(), std::slice::from_ref(&args)).remove(0);
        assert!(answer["result"] == json!(model::find(place.path(), &args)), "{args}");
    }
}
