//! Every script of `scripts/` against golden files: standard output, findings, exit code, the tree that
//! is left behind, and what the audit log tells.
//!
//! `tests/scripts/NAME/` holds the cases of `scripts/NAME.ns`, each a folder with `before/` (the tree
//! it starts from; everything in it was last changed at one fixed time), `args` (one a line),
//! perhaps `times` (lines of `SECONDS PATH`), and `after.txt`, the golden file. `before/` may be
//! shared: it is looked for in the case, then beside it. A file `dot-NAME` stands for `.NAME`.

#![allow(clippy::disallowed_methods, reason = "tests set up folders of their own")]

mod support;

use std::fs;
use std::path::{Path, PathBuf};

use libtest_mimic::{Arguments, Failed, Trial};

use support::{audited, copy_tree, describe, golden, ns, package, run, set_time};

fn main() {
    let args = Arguments::from_args();
    let mut trials = Vec::new();
    for script in folder(&package("scripts")).into_iter().filter(|path| path.extension().is_some_and(|it| it == "ns")) {
        let name = script.file_stem().expect("a script has a name").to_string_lossy().into_owned();
        let cases = package("tests/scripts").join(&name);
        let found: Vec<PathBuf> = folder(&cases).into_iter().filter(|case| case.join("args").exists()).collect();
        assert!(!found.is_empty(), "{name}.ns has no golden test in {}", cases.display());
        for case in found {
            let title = format!("{name}: {}", case.file_name().expect("a case has a name").to_string_lossy());
            let script = script.clone();
            trials.push(Trial::test(title, move || check(&script, &case)));
        }
    }
    libtest_mimic::run(&args, trials).exit();
}

fn folder(path: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    let mut paths: Vec<PathBuf> = entries.map(|entry| entry.expect("an entry").path()).collect();
    paths.sort();
    paths
}

fn check(script: &Path, case: &Path) -> Result<(), Failed> {
    let place = tempfile::tempdir()?;
    let sandbox = place.path().join("sandbox");
    let own = case.join("before");
    let shared = case.parent().expect("a case lies in a folder").join("before");
    let before = if own.exists() { own } else { shared };
    fs::create_dir(&sandbox)?;
    if before.exists() {
        copy_tree(&before, &sandbox);
        uncover_hidden(&sandbox);
    }
    for line in fs::read_to_string(case.join("times")).unwrap_or_default().lines() {
        let (seconds, path) = line.split_once(' ').ok_or("a line of `times` is `SECONDS PATH`")?;
        set_time(&sandbox.join(path), seconds.parse()?);
    }
    let args = fs::read_to_string(case.join("args"))?;
    let ran = run(ns(&sandbox).arg("run").arg(script).arg("--").args(args.lines()));
    let errors = ran.stderr.replace(&format!("{}/", script.parent().expect("scripts lie in a folder").display()), "");
    let tree = describe(&sandbox);
    let log = match audited(&sandbox) {
        log if log.is_empty() => log,
        log => format!("\n--- audit log\n{log}"),
    };
    let actual =
        format!("exit {}\n\n--- output\n{}\n--- errors\n{errors}\n--- tree\n{tree}{log}", ran.code, ran.stdout);
    Ok(golden(&case.join("after.txt"), &actual)?)
}

/// Git and packages treat hidden files specially, so they are kept under other names.
fn uncover_hidden(sandbox: &Path) {
    for path in folder(sandbox) {
        let name = path.file_name().expect("an entry has a name").to_string_lossy().into_owned();
        if let Some(hidden) = name.strip_prefix("dot-") {
            fs::rename(&path, sandbox.join(format!(".{hidden}"))).expect("a hidden file can be renamed");
        }
    }
}
