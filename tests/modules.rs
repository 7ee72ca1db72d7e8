//! Modules from a shell: libraries, links, checks, sessions, documents. `tests/suite/modules/` covers the language.

#![allow(clippy::disallowed_methods, reason = "tests set up folders of their own")]

use crate::support;
use std::fs;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};

use crate::support::{ns, run};

/// A directory that contains a sandbox and a library.
struct Place {
    folder: tempfile::TempDir,
}

impl Place {
    fn new() -> Place {
        let folder = tempfile::tempdir().expect("a folder for the test");
        for name in ["sandbox", "library"] {
            fs::create_dir(folder.path().join(name)).expect("a folder in it");
        }
        Place { folder }
    }

    fn sandbox(&self) -> PathBuf {
        self.folder.path().join("sandbox")
    }

    fn library(&self) -> PathBuf {
        self.folder.path().join("library")
    }

    fn write(&self, path: &str, text: &str) {
        let file = self.folder.path().join(path);
        fs::create_dir_all(file.parent().expect("a file lies in a folder")).expect("a folder for the file");
        fs::write(file, text).expect("a file for the test");
    }

    /// Runs a script with the library.
    fn run(&self, script: &str) -> support::Ran {
        run(ns(&self.sandbox()).arg("--lib").arg(self.library()).args(["run", "-e", script]))
    }
}

/// Returns a module whose `Name` returns a text.
fn named(name: &str) -> String {
    format!("func Name() means\n  RETURN \"{name}\"\nendfunc\n")
}

const ASK: &str = "USE \"m.ns\" AS m\nEMIT m.Name()";

fn assert_refused(ran: &support::Ran, code: &str, exit: i32) {
    assert_eq!((ran.code, ran.stdout.as_str()), (exit, ""), "{}", ran.stderr);
    assert!(ran.stderr.contains(code), "{code}: {}", ran.stderr);
}

#[test]
fn a_library_comes_before_the_sandbox() {
    let place = Place::new();
    place.write("sandbox/m.ns", &named("sandbox"));
    assert_eq!(place.run(ASK).stdout, "sandbox\n");
    place.write("library/m.ns", &named("library"));
    assert_eq!(place.run(ASK).stdout, "library\n");
}

#[test]
fn of_several_libraries_the_first_that_has_the_file_counts() {
    let place = Place::new();
    // In the first, `sub` is a file, so nothing is below it.
    place.write("library/sub", "");
    place.write("second/sub/m.ns", &named("second"));
    place.write("sandbox/sub/m.ns", &named("sandbox"));
    let second = place.folder.path().join("second");
    let ran = run(ns(&place.sandbox()).arg("--lib").arg(place.library()).arg("--lib").arg(&second).args([
        "run",
        "-e",
        "USE \"sub/m.ns\" AS m\nEMIT m.Name()",
    ]));
    assert_eq!(ran.stdout, "second\n", "{}", ran.stderr);
}

#[test]
fn modules_of_a_library_use_modules_of_that_library_alone() {
    let place = Place::new();
    place.write("library/m.ns", "USE \"sub/n.ns\" AS n\nfunc Name() means\n  RETURN n.Name()\nendfunc\n");
    place.write("sandbox/sub/n.ns", &named("sandbox"));
    let ran = place.run(ASK);
    assert_refused(&ran, "NS0108", 1);
    assert!(ran.stderr.contains("library/m.ns:1:5"), "{}", ran.stderr);
    place.write("library/sub/n.ns", &named("library"));
    assert_eq!(place.run(ASK).stdout, "library\n");
}

#[test]
fn tools_do_not_reach_a_library() {
    let place = Place::new();
    place.write("library/m.ns", &named("library"));
    let path = place.library().join("m.ns");
    let script = format!("{ASK}\nSET r = FS.ReadFile(\"{}\")\nEMIT LAST_ERROR.code", path.display());
    assert_eq!(place.run(&script).stdout, "library\nsandbox_violation\n");
}

#[test]
fn rules_that_refuse_hold_in_a_library_and_it_needs_no_leave() {
    let place = Place::new();
    place.write("library/m.ns", &named("library"));
    place.write("sandbox/work/a.txt", "");
    let with = |policy: &str| {
        place.write("policy.toml", policy);
        let policy = place.folder.path().join("policy.toml");
        run(ns(&place.sandbox()).arg("--policy").arg(policy).arg("--lib").arg(place.library()).args(["run", "-e", ASK]))
    };
    assert_eq!(with("[policy]\nallowed_directories = [\"work\"]").stdout, "library\n");
    assert_refused(&with("[policy]\nblocked_patterns = [\"m.*\"]"), "policy_denied", 4);
    assert_refused(&with("[policy]\nblocked_extensions = [\"ns\"]"), "policy_denied", 4);
    assert_refused(&with("[policy]\nmax_file_size = 5"), "policy_denied", 4);
    fs::hard_link(place.library().join("m.ns"), place.library().join("twin")).expect("a hard link");
    assert_refused(&with("[policy]\nreject_hard_links = true"), "policy_denied", 4);
    // A rule about a directory of the sandbox does not apply to a library of the same name.
    let base = place.library().to_string_lossy().trim_start_matches('/').to_owned();
    assert_eq!(with(&format!("[policy]\nblocked_directories = [\"{base}\"]")).stdout, "library\n");
}

#[test]
fn a_library_in_the_sandbox_is_a_path_there() {
    let place = Place::new();
    place.write("sandbox/lib/m.ns", &named("inside"));
    let lib = place.sandbox().join("lib");
    let inside = || run(ns(&place.sandbox()).arg("--lib").arg(&lib).args(["run", "-e", ASK]));
    assert_eq!(inside().stdout, "inside\n", "{}", inside().stderr);
    place.write("sandbox/neuroscript.toml", "[policy]\nblocked_directories = [\"lib\"]\n");
    assert_refused(&inside(), "policy_denied", 4);
}

#[test]
fn a_folder_that_cannot_be_a_library_is_refused_before_anything_runs() {
    let place = Place::new();
    place.write("file", "");
    for (folder, reason) in [("none", "cannot be opened"), ("file", "cannot be opened"), (".", "it holds the sandbox")]
    {
        let lib = place.folder.path().join(folder);
        let ran = run(ns(&place.sandbox()).arg("--lib").arg(lib).args(["run", "-e", "EMIT 1"]));
        assert_refused(&ran, "NS0501", 2);
        assert!(ran.stderr.contains(reason), "{folder}: {}", ran.stderr);
    }
}

#[test]
fn nothing_but_a_regular_file_inside_is_a_module() {
    let place = Place::new();
    place.write("outside.ns", &named("outside"));
    for (folder, library) in [(place.sandbox(), false), (place.library(), true)] {
        let attack = |make: &dyn Fn(&Path)| {
            let path = folder.join("m.ns");
            make(&path);
            let ran = if library { place.run(ASK) } else { run(ns(&folder).args(["run", "-e", ASK])) };
            fs::remove_file(&path).expect("what was made is there");
            ran
        };
        let outside = place.folder.path().join("outside.ns");
        assert_refused(&attack(&|path| symlink("../outside.ns", path).expect("a link")), "sandbox_violation", 4);
        assert_refused(&attack(&|path| symlink(&outside, path).expect("a link")), "sandbox_violation", 4);
        assert_refused(&attack(&|path| symlink("m.ns", path).expect("a link")), "NS0108", 1);
        assert_refused(&attack(&|path| symlink("/dev/zero", path).expect("a link")), "sandbox_violation", 4);
        let pipe = |path: &Path| {
            let made = std::process::Command::new("mkfifo").arg(path).status().expect("mkfifo is there");
            assert!(made.success());
        };
        assert_refused(&attack(&pipe), "NS0108", 1);
        fs::write(folder.join("n.ns"), named("inside")).expect("a module");
        assert_eq!(attack(&|path| symlink("n.ns", path).expect("a link")).stdout, "inside\n");
        fs::remove_file(folder.join("n.ns")).expect("the module is there");
    }
}

#[test]
fn a_file_is_one_module_by_whatever_way() {
    let place = Place::new();
    // A module used under two names is read once; otherwise the cycle would be found one level later.
    place.write("sandbox/m.ns", "USE \"link.ns\" AS me\nfunc Name() means\nendfunc\n");
    symlink("m.ns", place.sandbox().join("link.ns")).expect("a link");
    let ran = place.run(ASK);
    assert_refused(&ran, "NS0109", 1);
    assert!(ran.stderr.contains("uses itself") && !ran.stderr.contains("through"), "{}", ran.stderr);
}

#[test]
fn refusals_are_told_to_the_audit_log_of_runs_and_checks_write_nothing() {
    let place = Place::new();
    place.write("script.ns", "USE \"../m.ns\" AS m\n");
    let script = place.folder.path().join("script.ns");
    let checked = run(ns(&place.sandbox()).arg("check").arg(&script));
    assert_eq!(checked.code, 3, "{}", checked.stderr);
    assert!(!place.sandbox().join(".ns").exists());
    assert_eq!(run(ns(&place.sandbox()).arg("run").arg(&script)).code, 4);
    let log = run(ns(&place.sandbox()).args(["--output", "json", "audit", "show"])).stdout;
    assert!(log.contains("\"USE\"") && log.contains("../m.ns"), "{log}");
}

#[test]
fn a_check_finds_what_is_wrong_in_modules() {
    let place = Place::new();
    place.write("library/m.ns", "func Name() means\n  RETURN nothing\nendfunc\n");
    place.write("script.ns", ASK);
    let script = place.folder.path().join("script.ns");
    let ran = run(ns(&place.sandbox()).arg("--lib").arg(place.library()).arg("check").arg("--info").arg(&script));
    assert_eq!(ran.code, 3);
    assert!(ran.stderr.contains("library/m.ns:2:10"), "{}", ran.stderr);
    assert!(ran.stdout.contains("\"m.ns\""), "{}", ran.stdout);
    let json =
        run(ns(&place.sandbox()).arg("--lib").arg(place.library()).args(["check", "--format", "json"]).arg(&script));
    let findings: serde_json::Value = serde_json::from_str(&json.stdout).expect("findings are JSON");
    assert_eq!(findings.as_array().expect("a list").len(), 1);
    assert!(json.stdout.contains("library/m.ns"), "{}", json.stdout);
}

#[test]
fn a_module_that_is_not_utf8_is_named_with_the_place() {
    let place = Place::new();
    fs::write(place.sandbox().join("m.ns"), b"# fine\n\xff\n").expect("a module");
    let ran = place.run(ASK);
    assert_refused(&ran, "NS0010", 1);
    assert!(ran.stderr.contains("m.ns:2:1"), "{}", ran.stderr);
}

#[test]
fn documents_use_modules() {
    let place = Place::new();
    place.write("sandbox/m.ns", &named("module"));
    place.write("page.md", &format!("# A page\n\n```neuroscript\n{ASK}\n```\n"));
    let ran = run(ns(&place.sandbox()).arg("run").arg(place.folder.path().join("page.md")));
    assert_eq!(ran.stdout, "module\n", "{}", ran.stderr);
}

#[test]
fn a_session_uses_modules_and_takes_a_changed_one_anew() {
    use neuroscript::engine::{Ending, Engine, LineResult, Options};
    let place = Place::new();
    place.write("sandbox/m.ns", &named("first"));
    let engine = Engine::open(&Options { sandbox: Some(place.sandbox()), ..Options::default() }).expect("an engine");
    let mut session = engine.session(Box::new(support::Captured::default()));
    let mut shown = Vec::new();
    let mut run = |text: &str| {
        let line = session.evaluate(text);
        if let LineResult::Shown(value) = line.result {
            shown.push(value.to_string());
        }
        line.ending
    };
    assert_eq!(run("USE \"m.ns\" AS m"), Ending::Done);
    assert_eq!(run("m.Name()"), Ending::Done);
    assert_eq!(run("func Old() means\n  RETURN m.Name()\nendfunc"), Ending::Done);
    place.write("sandbox/m.ns", "func Other() means\n  RETURN \"second\"\nendfunc\n");
    assert_eq!(run("m.Name()"), Ending::Done);
    assert_eq!(run("USE \"m.ns\" AS m"), Ending::Done);
    assert_eq!(run("m.Other()"), Ending::Done);
    assert_eq!(run("m.Name()"), Ending::Failed);
    // Procedures defined before continue to use the old module.
    assert_eq!(run("Old()"), Ending::Done);
    // A failed line discards its modules.
    assert_eq!(run("USE \"m.ns\" AS gone\nFAIL \"no\""), Ending::Failed);
    assert_eq!(run("gone.Other()"), Ending::Failed);
    // A variable called like the statement is printed.
    assert_eq!(run("SET use = 5"), Ending::Done);
    assert_eq!(run("use + 1"), Ending::Done);
    assert_eq!(shown, ["first", "first", "second", "first", "6"]);
}

#[test]
fn a_long_chain_of_modules_takes_no_native_stack() {
    let place = Place::new();
    for number in 0..5_000 {
        let text = format!("USE \"m{}.ns\" AS next\nfunc Name() means\n  RETURN 1\nendfunc\n", number + 1);
        place.write(&format!("sandbox/m{number}.ns"), &text);
    }
    place.write("sandbox/m5000.ns", &named("last"));
    place.write("policy.toml", "[limits]\nmodules = 6_000\n");
    let mut command = ns(&place.sandbox());
    command.arg("--policy").arg(place.folder.path().join("policy.toml"));
    let ran = run(command.args(["run", "-e", "USE \"m0.ns\" AS m\nEMIT m.Name()"]));
    assert_eq!(ran.stdout, "1\n", "{}", ran.stderr);
}

#[test]
fn what_is_wrong_with_a_module_is_told_once() {
    let place = Place::new();
    place.write("sandbox/m.ns", "func Name() means\n  RETURN nothing\nendfunc\n");
    for name in ["a.ns", "b.ns"] {
        place.write(&format!("sandbox/{name}"), "USE \"m.ns\" AS m\nEMIT m.Name()\nEMIT unset\n");
    }
    let check = |words: &[&str]| {
        let mut command = ns(&place.sandbox());
        run(command.current_dir(place.sandbox()).arg("check").args(words))
    };
    let ran = check(&["a.ns", "b.ns", "m.ns"]);
    assert_eq!(ran.code, 3);
    assert_eq!(ran.stderr.matches("nothing sets `nothing`").count(), 1, "{}", ran.stderr);
    assert_eq!(ran.stderr.matches("nothing sets `unset`").count(), 2, "{}", ran.stderr);
    let json: serde_json::Value =
        serde_json::from_str(&check(&["--format", "json", "a.ns", "b.ns"]).stdout).expect("JSON");
    assert_eq!(json.as_array().map(Vec::len), Some(3), "{json}");
}
