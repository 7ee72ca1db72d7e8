//! The promises that differ between systems: one table in the code, shown by `docs/platforms.md` and `ns doctor`.

#![allow(clippy::disallowed_methods, reason = "the test reads a page of the documentation")]

use std::fs;

use neuroscript::engine::{Holding, PROMISES, Promise, System};

use crate::support::{ns, package, run};

/// The tables of `docs/platforms.md` equal those of the code.
#[test]
fn the_page_shows_the_table_of_the_code() {
    let path = package("docs/platforms.md");
    let page = fs::read_to_string(&path).expect("the page");
    let shown = replaced(&replaced(&page, "trials", &trials()), "promises", &promises());
    if std::env::var_os("UPDATE").is_some() {
        fs::write(&path, shown).expect("the page is written");
    } else {
        assert_eq!(page, shown, "UPDATE=1 accepts what is new");
    }
}

fn trials() -> String {
    let rows = System::ALL.map(|system| format!("| {} | {} |\n", system.name(), system.trial()));
    format!("| system | tried |\n|---|---|\n{}", rows.concat())
}

fn promises() -> String {
    let names = System::ALL.map(System::name).join(" | ");
    let cell = |promise: &Promise, system| match promise.on(system).described() {
        (word, None) => word.to_owned(),
        (word, Some(difference)) => format!("**{word}**: {difference}"),
    };
    let row = |promise: &Promise| {
        let cells = System::ALL.map(|system| cell(promise, system)).join(" | ");
        format!("| **{}**: {} | {cells} |\n", promise.name, promise.text)
    };
    format!("| promise | {names} |\n|---|---|---|---|\n{}", PROMISES.iter().map(row).collect::<String>())
}

/// Returns a page with a new text between the marks of a name.
fn replaced(page: &str, name: &str, text: &str) -> String {
    let (begin, end) = (format!("<!-- {name} -->\n"), format!("<!-- /{name} -->"));
    let (before, rest) = page.split_once(&begin).expect("the table begins");
    let (_, after) = rest.split_once(&end).expect("the table ends");
    format!("{before}{begin}{text}{end}{after}")
}

/// A table without a difference would say nothing, and two rows of one name could not be told apart.
#[test]
fn every_row_is_a_difference_and_has_a_name_of_its_own() {
    let mut names = std::collections::BTreeSet::new();
    for promise in PROMISES {
        assert!(names.insert(promise.name), "{}: twice", promise.name);
        let holdings = System::ALL.map(|system| promise.on(system));
        let differs = holdings.iter().any(|holding| *holding != holdings[0]);
        assert!(differs || promise.name == "nothing is overwritten", "{}: the same everywhere", promise.name);
        let told = holdings.iter().all(|holding| match holding {
            Holding::Held => true,
            Holding::InPart(difference) | Holding::NotHeld(difference) => difference.len() > 10,
        });
        assert!(told, "{}: a difference is not described", promise.name);
    }
}

/// Linux holds them all, so `ns doctor` lists none; `.ci/portable --wine` looks at the other output.
#[test]
#[cfg(target_os = "linux")]
fn doctor_lists_no_difference_on_linux() {
    let place = tempfile::tempdir().expect("a folder for the test");
    let text = run(ns(place.path()).arg("doctor"));
    assert_eq!(text.code, 0, "{}", text.stderr);
    assert!(!text.stdout.contains("promise: ") && !text.stdout.contains("tried on"), "{}", text.stdout);
    let json = run(ns(place.path()).args(["doctor", "--output", "json"]));
    let facts: serde_json::Value = serde_json::from_str(&json.stdout).expect("the facts as JSON");
    assert_eq!(facts["differing_promises"], serde_json::json!([]));
}
