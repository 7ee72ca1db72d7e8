//! Documents rendered by `ns render`, compared with golden files: the rendered text, errors, exit code and the final
//! tree. They include the usage scenarios of docs/specs/file_system_tool.md, verbatim.
//!
//! `tests/render/NAME/` is a case: `document.md`, `args` (further arguments, one a line), optionally `before/` (the
//! initial tree) and `values.json`, and `after.txt`, the golden file. Unpredictable times are shown as `…`.

#![allow(clippy::disallowed_methods, reason = "tests set up folders of their own")]

mod support;

use std::fs;
use std::path::{Path, PathBuf};

use libtest_mimic::{Arguments, Failed, Trial};

use support::{copy_tree, describe, golden, ns, package, run};

fn main() {
    let args = Arguments::from_args();
    let mut cases = folder(&package("tests/render"));
    cases.retain(|case| case.join("document.md").exists());
    assert!(cases.len() > 10, "the cases are in tests/render");
    let mut trials: Vec<Trial> = cases
        .into_iter()
        .map(|case| {
            let name = case.file_name().expect("a case has a name").to_string_lossy().into_owned();
            Trial::test(name, move || check(&case))
        })
        .collect();
    trials.push(Trial::test("the scenarios are those of the document", scenarios_are_those_of_the_document));
    libtest_mimic::run(&args, trials).exit();
}

fn folder(path: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    let mut paths: Vec<PathBuf> = entries.map(|entry| entry.expect("an entry").path()).collect();
    paths.sort();
    paths
}

fn check(case: &Path) -> Result<(), Failed> {
    let place = tempfile::tempdir()?;
    let sandbox = place.path().join("sandbox");
    fs::create_dir(&sandbox)?;
    if case.join("before").exists() {
        copy_tree(&case.join("before"), &sandbox);
    }
    let args = fs::read_to_string(case.join("args")).unwrap_or_default();
    let mut command = ns(&sandbox);
    command.arg("render").arg("document.md").args(args.lines()).current_dir(case);
    command.env("XDG_STATE_HOME", place.path().join("state"));
    let ran = run(&mut command);
    let tree = describe(&sandbox);
    let actual =
        format!("exit {}\n\n--- output\n{}\n--- errors\n{}\n--- tree\n{tree}", ran.code, ran.stdout, ran.stderr);
    let actual = without_times(&actual);
    Ok(golden(&case.join("after.txt"), &without_stamps(&actual))?)
}

/// Replaces the values of keys that hold times of the run by `…`.
fn without_times(text: &str) -> String {
    let mut text = text.to_owned();
    for key in ["\"timestamp\": \"", "\"created\": \"", "\"accessed\": \"", "\"timestamp\":\"", "\"created\":\""] {
        let mut parts = text.split(key);
        let first = parts.next().unwrap_or_default().to_owned();
        text = parts.fold(first, |text, part| format!("{text}{key}…{}", &part[part.find('"').unwrap_or(0)..]));
    }
    text
}

/// Replaces the part after the name in backup paths by `…`, and removes the contents of `.ns`.
fn without_stamps(text: &str) -> String {
    let kept = text.split_inclusive('\n').filter(|line| !line.starts_with(".ns/"));
    let line = |line: &str| match line.find("\".ns/backups/") {
        Some(at) => format!("{}…\",\n", &line[..line.rfind('/').unwrap_or(at) + 1]),
        None => line.to_owned(),
    };
    kept.map(line).collect()
}

/// The Markdown blocks in the document's section on usage are the first three cases.
fn scenarios_are_those_of_the_document() -> Result<(), Failed> {
    let text = fs::read_to_string(package("docs/specs/file_system_tool.md"))?;
    let blocks = text.split("```markdown\n").skip(1);
    let blocks: Vec<&str> = blocks.map(|block| block.split("```").next().unwrap_or(block)).collect();
    for (block, case) in blocks.iter().zip(["scenario_configuration", "scenario_generation", "scenario_discovery"]) {
        let document = fs::read_to_string(package("tests/render").join(case).join("document.md"))?;
        assert_eq!(*block, document, "{case}");
    }
    assert_eq!(blocks.len(), 3, "the document has three scenarios");
    Ok(())
}
