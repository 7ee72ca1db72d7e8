//! The policy file: errors in it, which file is in force, and that no tool changes it.

use std::os::unix::fs::symlink;
use std::process::Command;

use serde_json::{Value as Json, json};

use super::Place;
use crate::support::{ns, run};

#[test]
fn a_bad_policy_is_told_with_its_place_and_what_to_do() {
    for (policy, told) in [
        ("[policy]\nblocked_patterns = [\"ok\", \"[a\"]\n", &[":2:27", "unclosed character class"][..]),
        ("[policy]\nblocked_extension = []\n", &[":2:1", "did you mean `blocked_extensions`?"]),
        ("[policy]\nblocked_extensions = [\"a/b\"]\n", &[":2:23", "`md` or `.tar.gz`"]),
        ("[policy]\nmax_file_size = -1\n", &[":2:17", "at least 0"]),
        ("[policy]\nmax_files_per_operation = 0\n", &[":2:27", "at least 1"]),
        ("[policy]\nallowed_directories = [\"../x\"]\n", &[":2:24", "without `..`"]),
        ("[policy]\nblocked_directories = [\"a/../secret\"]\n", &[":2:24", "without `..`"]),
        ("[policy]\nblocked_directories = [\"ok\", \" \"]\n", &[":2:30", "`.` is the root"]),
        ("[policy]\nallowed_directories = [\"\"]\n", &[":2:24", "`.` is the root"]),
        ("[policy]\nallowed_directories = []\n", &[":2:23", "allows nothing", "leave it out"]),
        ("[policy]\nblocked_directories = [\"~/.ssh\"]\n", &[":2:24", "whole paths instead of `~`"]),
        ("[policy]\nblocked_directories = [\"build*\"]\n", &[":2:24", "`blocked_patterns`"]),
        ("[policy]\nreject_hard_links = 1\n", &[":2:21", "true or false"]),
        ("[policy]\nbackup_days = \"x\"\n", &[":2:15", "whole number"]),
        ("[tools]\ndeny = [\"FS.ReedFile\"]\n", &[":2:9", "did you mean `FS.ReadFile`?"]),
        ("[tools]\nask = [\"Nothing.*\"]\n", &[":2:8", "no tool matches"]),
        ("[tools]\nallow = [\"FS.ReadFile\"]\n", &[":2:9", "deny = [\"*\"]"]),
        ("[tools]\nallowed = []\n", &[":2:1", "did you mean `allow`?"]),
        ("[policy]\nallowed_directories = [\"/no/such/folder\"]\n", &["`/no/such/folder`", "cannot be opened"]),
    ] {
        let complaint = complaint(policy);
        for part in told {
            assert!(complaint.contains(part), "{policy} should be told `{part}`:\n{complaint}");
        }
    }
}

#[test]
fn every_file_that_there_is_holds() {
    let place = Place::new("[policy]\nblocked_extensions = [\"named\"]\n");
    place.write("config/neuroscript/neuroscript.toml", "[policy]\nblocked_extensions = [\"users\"]\n");
    let refused = |command: &mut Command| {
        let script = "FOR EACH e IN [\"named\", \"root\", \"users\"] DO\nIF FS.WriteFile(\"a.\" + e, \"\").error != nil THEN\nEMIT e\nEND\nEND";
        run(command.args(["run", "-e", script]).env("XDG_CONFIG_HOME", place.path("config"))).stdout
    };
    assert_eq!(refused(&mut ns(&place.path("root"))), "users\n");
    place.write("root/neuroscript.toml", "[policy]\nblocked_extensions = [\"root\"]\n");
    assert_eq!(refused(&mut ns(&place.path("root"))), "root\nusers\n");
    assert_eq!(refused(&mut place.ns()), "named\nroot\nusers\n");
}

#[test]
fn no_tool_changes_the_policy_in_force_wherever_it_lies() {
    let place = Place::new("");
    place.write("root/conf/rules.toml", "[policy]\nblocked_extensions = [\"exe\"]\n");
    symlink("rules.toml", place.path("root/conf/link.toml")).expect("a link");
    let before = place.read("root/conf/rules.toml");
    for name in ["root/conf/rules.toml", "root/conf/link.toml"] {
        for (tool, arguments) in [
            ("write_file", json!({"file_path": "conf/rules.toml", "content": ""})),
            ("edit_file", json!({"file_path": "conf/rules.toml", "old_text": "exe", "new_text": "com"})),
            ("delete_file", json!({"path": "conf/rules.toml"})),
            ("delete_file", json!({"path": "conf", "recursive": true})),
            ("delete_file", json!({"glob": "conf/*.toml", "all_or_nothing": true})),
            ("move_file", json!({"source": "conf", "destination": "other"})),
            ("move_file", json!({"source": "conf/rules.toml", "destination": "other"})),
        ] {
            let ran = run(ns(&place.path("root")).arg("--policy").arg(place.path(name)).args([
                "call",
                tool,
                &arguments.to_string(),
            ]));
            assert_eq!(ran.code, 4, "{tool} {arguments}: {}{}", ran.stdout, ran.stderr);
        }
    }
    let mut beside = ns(&place.path("root"));
    beside.arg("--policy").arg(place.path("root/conf/rules.toml"));
    let ran = run(beside.args(["call", "write_file", "{\"file_path\": \"conf/other\", \"content\": \"x\"}"]));
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    assert_eq!(place.read("root/conf/rules.toml"), before);
}

#[test]
fn the_users_own_policy_is_not_changed_where_the_root_holds_it() {
    let place = Place::new("");
    place.write("config/neuroscript/neuroscript.toml", "[tools]\ndeny = [\"FS.DeleteFile\"]\n");
    let call = |path: &str| {
        let arguments = json!({"file_path": path, "content": ""}).to_string();
        run(ns(&place.path("")).args(["call", "write_file", &arguments]).env("XDG_CONFIG_HOME", place.path("config")))
    };
    assert_eq!(call("config/neuroscript/neuroscript.toml").code, 4);
    assert_eq!(call("config/neuroscript/other.toml").code, 0);
}

#[test]
fn what_is_kept_of_runs_is_out_of_reach_where_a_root_holds_it() {
    let place = Place::new("");
    let log = "root/home/state/neuroscript/audit/1.jsonl";
    place.write(log, "{}\n");
    symlink("home", place.path("root/link")).expect("a link");
    let call = |state: &str, tool: &str, arguments: Json| {
        run(place.ns().env("XDG_STATE_HOME", place.path(state)).args(["call", tool, &arguments.to_string()]))
    };
    for state in ["root/home/state", "root/link/state"] {
        for folder in ["home", "link"] {
            let path = format!("{folder}/state/neuroscript/audit/1.jsonl");
            let other = format!("{folder}/state/NeuroScript/new");
            for (tool, arguments) in [
                ("read_file", json!({"file_path": path})),
                ("write_file", json!({"file_path": path, "content": ""})),
                ("append_file", json!({"file_path": path, "content": "x"})),
                ("delete_file", json!({"path": path})),
                ("write_file", json!({"file_path": other, "content": ""})),
                ("create_directory", json!({"directory_path": other})),
                ("compress", json!({"source_path": "home", "destination_path": "all.zip"})),
                ("copy_file", json!({"source_path": "home/state", "destination_path": "copy", "recursive": true})),
                ("delete_file", json!({"path": "home", "recursive": true})),
                ("move_file", json!({"source": "home", "destination": "other"})),
            ] {
                let ran = call(state, tool, arguments.clone());
                assert_eq!(ran.code, 4, "{state} {tool} {arguments}: {}{}", ran.stdout, ran.stderr);
            }
        }
        let found =
            call(state, "find_files", json!({"directory_path": ".", "recursive": true, "include_hidden": true}));
        assert!(found.stdout.contains("state") && !found.stdout.contains("neuroscript"), "{}", found.stdout);
        let beside = json!({"file_path": "home/state/other/f", "content": ""});
        assert_eq!(call(state, "write_file", beside).code, 0, "what lies beside it is not ours");
    }
    assert_eq!(place.read(log).as_deref(), Some("{}\n"));
    // A root below it contains nothing else.
    let mut inside = ns(&place.path("root/home/state/neuroscript/audit"));
    inside.env("XDG_STATE_HOME", place.path("root/home/state"));
    assert_eq!(run(inside.args(["call", "read_file", "{\"file_path\": \"1.jsonl\"}"])).code, 4);
}

/// Returns the error about an invalid policy file.
fn complaint(policy: &str) -> String {
    let place = Place::new(policy);
    let ran = run(place.ns().args(["run", "-e", "EMIT 1"]));
    assert_eq!((ran.code, ran.stdout.as_str()), (2, ""), "nothing runs: {}", ran.stderr);
    ran.stderr
}

/// Creates a directory of `files` files in the root.
fn fill(place: &Place, files: usize) {
    for number in 0..files {
        place.write(&format!("root/many/{number}"), "");
    }
}

#[test]
fn one_operation_concerns_many_files_unless_something_says_otherwise() {
    let place = Place::new("");
    fill(&place, 1_000);
    let doctor = run(ns(&place.path("root")).arg("doctor")).stdout;
    let line = doctor.lines().find(|line| line.starts_with("max_files_per_operation")).expect("it is told");
    assert!(line.ends_with(" 100000 (built in)"), "{line}");
    let copy = "MUST CALL FS.CopyFile(\"many\", \"copy\", recursive: true)\nMUST CALL FS.DeleteFile(\"copy\", recursive: true)\n";
    let go = |place: &Place, words: &[&str]| run(ns(&place.path("root")).args(words).args(["run", "-e", copy]));
    assert_eq!(go(&place, &[]).code, 0);
    let refused = go(&place, &["--max-files", "1000"]);
    assert_eq!(refused.code, 1, "{}", refused.stderr);
    assert!(refused.stderr.contains("1001 files and directories, more than 1000"), "{}", refused.stderr);
    let wanted = "`--max-files 1001`, or with `max_files_per_operation` in `[policy]`; the limit of 1000 is that of this command";
    assert!(refused.stderr.contains(wanted), "{}", refused.stderr);
    // A command-line option of the user widens a policy file, both that of the root and a named one.
    place.write("root/neuroscript.toml", "[policy]\nmax_files_per_operation = 10\n");
    assert_eq!(go(&place, &[]).code, 1);
    assert_eq!(go(&place, &["--max-files", "1001"]).code, 0);
    place.write("policy.toml", "[policy]\nmax_files_per_operation = 20\n");
    assert_eq!(run(place.ns().args(["run", "-e", copy])).code, 1);
    assert_eq!(run(place.ns().args(["run", "-e", copy, "--max-files=1001"])).code, 0);
    assert_eq!(place.ns().args(["--max-files", "0", "doctor"]).output().expect("ns runs").status.code(), Some(2));
}
