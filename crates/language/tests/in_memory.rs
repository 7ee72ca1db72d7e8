//! An engine whose sandbox is a folder in memory: the language, the tools, undo and plans need no disk. The same tests
//! run natively and as WebAssembly, under Node.js.

#![allow(clippy::disallowed_methods, reason = "one test makes a directory")]

mod support;

use neuroscript_language::engine::{Ending, Engine, Invocation, Options, Outcome, Root, Script};
use support::Lines;
#[cfg(target_family = "wasm")]
use wasm_bindgen_test::wasm_bindgen_test as test;

fn engine(root: &Root, options: &Options) -> Engine {
    let root = root.duplicate().unwrap_or_else(|error| panic!("{error}"));
    Engine::open_at(root, options).unwrap_or_else(|error| panic!("{:?}", error.findings))
}

fn run(engine: &Engine, script: &str) -> (Outcome, String) {
    let output = Lines::default();
    let script = Script::new("test.ns", script);
    let outcome = engine.run(&script, &Invocation::default(), Box::new(output.clone()));
    (outcome, output.text())
}

/// Runs a script that must not fail, and returns what it prints.
fn done(engine: &Engine, script: &str) -> String {
    let (outcome, text) = run(engine, script);
    assert_eq!(outcome.ending, Ending::Done, "{:?}", outcome.findings);
    text
}

/// Runs a call that must fail, and returns its code and message.
fn refusal(engine: &Engine, call: &str) -> String {
    done(engine, &format!("ON ERROR AS err DO\n    EMIT err.code, \": \", err.message\n    CLEAR_ERROR\nEND\n{call}\n"))
}

fn memory(bytes: u64) -> Root {
    Root::in_memory(bytes).unwrap_or_else(|error| panic!("{error}"))
}

const WRITE: &str = r#"
MUST FS.CreateDirectory("notes")
FOR EACH n IN RANGE(1, 21) DO
    MUST FS.WriteFile("notes/" + n + ".txt", STR.Repeat("line " + n + "\n", n))
END
MUST FS.MoveFile("notes/3.txt", "three.txt")
MUST FS.EditFile("three.txt", "line 3\nline 3\nline 3\n", "three\n")
MUST FS.Compress("notes", "notes.zip")
MUST FS.DeleteFile("notes", recursive: true)
"#;

const LIST: &str = r#"
FOR EACH file IN FS.Find(".", type: "all") DO
    EMIT file.path
END
"#;

#[test]
fn scripts_change_files_and_are_undone() {
    let engine = engine(&memory(1 << 20), &Options::default());
    done(&engine, WRITE);
    assert_eq!(done(&engine, LIST), "notes.zip\nthree.txt\n");
    done(&engine, "MUST FS.Extract(\"notes.zip\", \"out\")");
    assert_eq!(done(&engine, "EMIT LEN(FS.SearchFiles(\"out\", \"line 7\").matches)"), "7\n");
    for left in ["notes.zip\nthree.txt\n", ""] {
        engine.undo(None, false, false).unwrap_or_else(|error| panic!("{}", error.message));
        assert_eq!(done(&engine, LIST), left);
    }
    engine.undo(None, true, false).unwrap_or_else(|error| panic!("{}", error.message));
    assert_eq!(done(&engine, "EMIT FS.ReadFile(\"three.txt\").content"), "three\n\n");
}

#[test]
fn a_plan_changes_nothing_and_is_applied() {
    let root = memory(1 << 20);
    let planning = engine(&root, &Options { plan: true, ..Options::default() });
    done(&planning, WRITE);
    assert_eq!(done(&planning, LIST), "notes.zip\nthree.txt\n");
    let plan = planning.plan("test", false).unwrap_or_else(|error| panic!("{}", error.message));
    let engine = engine(&root, &Options::default());
    assert_eq!(done(&engine, LIST), "");
    let applied = engine.apply(&plan.expect("the engine plans"));
    applied.unwrap_or_else(|error| panic!("{}", error.message));
    assert_eq!(done(&engine, LIST), "notes.zip\nthree.txt\n");
}

#[test]
fn a_full_folder_refuses_what_does_not_fit() {
    let engine = engine(&memory(256 << 10), &Options::default());
    let script = "SET r = FS.WriteFile(\"big\", STR.Repeat(\"x\", 300000))\nEMIT LAST_ERROR.code";
    assert_eq!(done(&engine, script), "no_space\n");
    assert_eq!(done(&engine, LIST), "");
    done(&engine, "MUST FS.WriteFile(\"small\", STR.Repeat(\"x\", 100000))");
}

/// A database needs a disk.
#[test]
fn memory_of_the_project_is_refused() {
    let engine = engine(&memory(1 << 20), &Options::default());
    let refused = refusal(&engine, "CALL MEMORY.Set(\"k\", 1, \"project\")");
    let reason = if cfg!(feature = "project-memory") { "a database needs a disk" } else { "without project memory" };
    assert!(refused.contains(reason), "{refused}");
    assert_eq!(done(&engine, "CALL MEMORY.Set(\"k\", 1)\nEMIT MEMORY.Get(\"k\")"), "1\n");
}

#[test]
fn nothing_leaves_the_folder() {
    let engine = engine(&memory(1 << 20), &Options::default());
    for path in ["../out", "/out", "a/../../out", "memory:/out"] {
        let refused = refusal(&engine, &format!("MUST FS.WriteFile(\"{path}\", \"\")"));
        let is_outside = refused.starts_with("sandbox_violation") || refused.starts_with("bad_args: `memory:`");
        assert!(is_outside, "{path}: {refused}");
    }
}

/// Bodies of procedures that call themselves without end.
const ENDLESS: [&str; 4] = [
    "RETURN F(n + 1) + 1",
    "RETURN LIST.Map([n], F)",
    "RETURN LIST.SortBy([n, n + 1], F)",
    "RETURN [[[[[[[[[[[[[[[[[1, MAP.Get({\"a\": F(n + 1)}, \"a\", 0)]]]]]]]]]]]]]]]]]",
];

/// The calls are nested in as many blocks as are allowed.
#[test]
fn procedures_without_end_are_stopped() {
    let engine = engine(&memory(1 << 20), &Options::default());
    for (body, blocks) in ENDLESS.into_iter().flat_map(|body| [(body, 0), (body, 18)]) {
        let [open, close] = ["FOR EACH x IN [n] DO\n", "END\n"].map(|line| line.repeat(blocks));
        let script = format!("DEFINE PROCEDURE F(n)\n{open}{body}\n{close}END\nEMIT F(0)");
        let (outcome, _) = run(&engine, &script);
        assert_eq!(outcome.ending, Ending::Failed, "{body}: {:?}", outcome.findings);
        assert_eq!(outcome.findings[0].code.id(), "NS0605", "{body}: {:?}", outcome.findings);
    }
}

#[test]
fn deep_nesting_is_read_and_shown_or_refused() {
    let engine = engine(&memory(1 << 20), &Options::default());
    for depth in [16, 250, 2_000] {
        let brackets = format!("EMIT {}1{}", "(".repeat(depth), ")".repeat(depth));
        let lists = format!("EMIT {}1{}", "[".repeat(depth), "]".repeat(depth));
        let value =
            format!("SET v = 1\nFOR EACH n IN RANGE(0, {depth}) DO\n    SET v = [v]\nEND\nEMIT v == [v], JSON.Text(v)");
        let blocks = format!("{}EMIT 1\n{}", "IF true THEN\n".repeat(depth), "END\n".repeat(depth));
        for script in [brackets, lists, value, blocks] {
            let (outcome, _) = run(&engine, &script);
            let allowed = if depth <= 16 { Ending::Done } else { Ending::Failed };
            let is_expected = outcome.ending == allowed || depth == 250 && outcome.ending == Ending::Done;
            assert!(is_expected, "{depth}: {script:.40}: {:?}", outcome.findings);
        }
    }
}

/// Directories on the disk that a policy of the user allows are roots beside the folder in memory.
#[cfg(not(target_family = "wasm"))]
#[test]
fn directories_of_the_policy_are_roots_beside_it() {
    let directory = tempfile::tempdir().unwrap_or_else(|error| panic!("{error}"));
    let [allowed, policy] = ["allowed", "policy.toml"].map(|name| directory.path().join(name));
    let text = format!("[policy]\nallowed_directories = [\".\", {allowed:?}]\n");
    std::fs::create_dir(&allowed)
        .and_then(|()| std::fs::write(&policy, text))
        .unwrap_or_else(|error| panic!("{error}"));
    let options = Options { policy: Some(policy), state: Some(directory.path().join("state")), ..Options::default() };
    let engine = engine(&memory(1 << 20), &options);
    let script =
        format!("MUST FS.WriteFile({allowed:?} + \"/a\", \"a\")\nMUST FS.CopyFile({allowed:?} + \"/a\", \"b\")");
    done(&engine, &script);
    assert_eq!(done(&engine, LIST), "b\n");
    engine.undo(None, false, false).unwrap_or_else(|error| panic!("{}", error.message));
    assert!(!allowed.join("a").exists());
}
