//! Runs `ns test` on the scripts in `scripts/` with the golden files in `tests/scripts/`: output, errors, exit code,
//! the final tree and the audit log.
//!
//! `UPDATE=1 cargo test --test integration -- scripts::` runs `ns test scripts --golden tests/scripts --update`.

#![allow(clippy::disallowed_methods, reason = "tests look at the scripts")]

use std::path::Path;

use serde_json::Value as Json;

use crate::support::{ns_without_sandbox, package, run};

#[test]
fn every_script_says_and_leaves_what_it_should() {
    let update = std::env::var_os("UPDATE").map(|_| "--update");
    let mut command = ns_without_sandbox();
    command.current_dir(package("")).args(["test", "scripts", "--golden", "tests/scripts", "--format", "json"]);
    let ran = run(command.args(update));
    let report: Json = serde_json::from_str(&ran.stdout).unwrap_or_else(|_| panic!("{}{}", ran.stdout, ran.stderr));
    let cases = report["cases"].as_array().expect("cases");
    let at_odds: Vec<&Json> =
        cases.iter().filter(|case| case["status"] == "failed" || case["fault"] != Json::Null).collect();
    assert!(at_odds.is_empty(), "UPDATE=1 accepts what is new: {at_odds:#?}");
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    assert_eq!(report["withoutGolden"], serde_json::json!([]), "every script has a golden test");
}

/// Golden files without a script would never be compared.
#[test]
fn every_golden_file_is_of_a_script() {
    for entry in package("tests/scripts").read_dir().expect("golden files") {
        let name = entry.expect("an entry").file_name().into_string().expect("a name");
        let script = name.split('.').next().expect("a word").to_owned() + ".ns";
        assert!(package("scripts").join(Path::new(&script)).is_file(), "{name}");
    }
}
