//! The scripts in our own documentation: they pass the check, and those of the README run.

#![allow(clippy::disallowed_methods, reason = "tests set up folders of their own")]

mod support;

use std::fs;

use support::{ns, package, run};

fn scripts(document: &str) -> Vec<String> {
    let text = fs::read_to_string(package(document)).expect("the document is there");
    let blocks = text.split("```neuroscript\n").skip(1);
    // A script may itself hold three backticks, so a block ends at a line of nothing else.
    blocks.map(|block| block.split("\n```\n").next().unwrap_or(block).to_owned() + "\n").collect()
}

#[test]
fn scripts_of_the_readme_run() {
    let place = tempfile::tempdir().expect("a folder for the test");
    let sandbox = place.path().join("sandbox");
    fs::create_dir(&sandbox).expect("a sandbox");
    fs::write(sandbox.join("a.txt"), "12345").expect("a file");
    let scripts = scripts("README.md");
    assert!(scripts.len() >= 2, "the README shows scripts");
    for script in scripts {
        let file = place.path().join("script.ns");
        fs::write(&file, &script).expect("the script can be written");
        let ran = run(ns(&sandbox).arg("run").arg(&file).args(["--", "."]));
        assert_eq!((ran.code, ran.stderr.as_str()), (0, ""), "{script}");
        assert!(!ran.stdout.is_empty(), "{script}");
    }
}

#[test]
fn scripts_of_the_documentation_pass_the_check() {
    let place = tempfile::tempdir().expect("a folder for the test");
    let mut checked = 0;
    for entry in fs::read_dir(package("docs")).expect("there is documentation") {
        let path = entry.expect("a page").path();
        if path.extension().is_none_or(|extension| extension != "md") {
            continue;
        }
        let name = format!("docs/{}", path.file_name().expect("a page has a name").to_string_lossy());
        for script in scripts(&name) {
            let file = place.path().join("script.ns");
            fs::write(&file, &script).expect("the script can be written");
            let ran = run(ns(place.path()).arg("check").arg(&file));
            assert_eq!((ran.code, ran.stderr.as_str()), (0, ""), "{name}: {script}");
            checked += 1;
        }
    }
    assert!(checked > 20, "docs/tools.md alone has more examples");
}
