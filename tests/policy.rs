//! The policy file as a user meets it: what a bad one gets, which one is in force, directories outside
//! the root, recursive changes that meet something refused, and questions at a terminal.

#![allow(clippy::disallowed_methods, reason = "tests set up folders of their own")]

mod support;

use std::fs;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::process::Command;

use rexpect::session::{PtySession, spawn_command};
use serde_json::{Value as Json, json};
use tempfile::TempDir;

use support::{Ran, ns, run};

/// Milliseconds after which a terminal that does not answer has failed.
const PATIENCE_MS: u64 = 20_000;

/// A sandbox, a folder outside and a policy file beside them.
struct Place {
    top: TempDir,
}

impl Place {
    fn new(policy: &str) -> Place {
        let top = tempfile::tempdir().expect("a folder for the test");
        for name in ["root", "outside", "config/neuroscript"] {
            fs::create_dir_all(top.path().join(name)).expect("a folder");
        }
        let place = Place { top };
        place.write("policy.toml", policy);
        place
    }

    fn path(&self, name: &str) -> PathBuf {
        self.top.path().canonicalize().expect("the folder is there").join(name)
    }

    fn write(&self, name: &str, content: &str) {
        let path = self.path(name);
        fs::create_dir_all(path.parent().expect("a file lies in a folder")).expect("a folder");
        fs::write(path, content).expect("a file");
    }

    fn read(&self, name: &str) -> Option<String> {
        fs::read_to_string(self.path(name)).ok()
    }

    fn ns(&self) -> Command {
        let mut command = ns(&self.path("root"));
        command.arg("--policy").arg(self.path("policy.toml"));
        command
    }

    fn call(&self, tool: &str, arguments: Json) -> Ran {
        run(self.ns().args(["call", tool, &arguments.to_string()]))
    }

    /// The code and the message of a call that fails.
    fn refused(&self, tool: &str, arguments: Json) -> (String, String) {
        let ran = self.call(tool, arguments);
        assert_eq!(ran.stdout, "", "a failure prints nothing");
        let json: Json = serde_json::from_str(&ran.stderr).unwrap_or_else(|_| panic!("not JSON: {}", ran.stderr));
        let text = |key: &str| json["error"][key].as_str().unwrap_or_default().to_owned();
        (text("code"), text("message"))
    }
}

/// What a policy file that cannot be used is told.
fn complaint(policy: &str) -> String {
    let place = Place::new(policy);
    let ran = run(place.ns().args(["run", "-e", "EMIT 1"]));
    assert_eq!((ran.code, ran.stdout.as_str()), (2, ""), "nothing runs: {}", ran.stderr);
    ran.stderr
}

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
        ("[policy]\nrequire_kernel_sandbox = true\n", &["`require_kernel_sandbox`", "set it to false"]),
    ] {
        let complaint = complaint(policy);
        for part in told {
            assert!(complaint.contains(part), "{policy} should be told `{part}`:\n{complaint}");
        }
    }
}

/// Policy comes before existence and kind, so an error tells nothing of what is in a blocked directory.
#[test]
fn what_is_refused_is_refused_whatever_is_there() {
    let place = Place::new("[policy]\nblocked_directories = [\"secret\"]\n");
    for name in ["root/secret/sub/file", "root/.env", "root/open"] {
        place.write(name, "x");
    }
    symlink("second", place.path("root/secret/first")).expect("a link");
    symlink("first", place.path("root/secret/second")).expect("a link");
    symlink("secret/sub", place.path("root/way")).expect("a link");
    for path in [
        "secret/sub/file/",
        "secret/sub/file/x",
        "secret/sub/none/x",
        "secret/none/",
        "secret/none/../../open",
        "secret/first",
        "secret/first/x",
        "way/file/",
        "way/file/x",
        "way/none/x",
        "open/secret/x",
        ".env/",
        ".env/x",
    ] {
        assert_eq!(place.refused("read_file", json!({"file_path": path})).0, "policy_denied", "{path}");
        let write = json!({"file_path": path, "content": "x"});
        assert_eq!(place.refused("write_file", write).0, "policy_denied", "{path}");
    }
    let log = place.read("root/.ns/audit.jsonl").expect("refusals are told");
    assert!(log.contains(r#""paths":["secret/sub/file"],"outcome":"refused""#), "{log}");
    assert_eq!(place.refused("read_file", json!({"file_path": "open/x"})).0, "not_a_directory");
    assert_eq!(place.refused("read_file", json!({"file_path": "none/../open"})).0, "not_found");
}

#[test]
fn the_file_that_is_named_comes_before_that_of_the_root_and_that_before_the_users() {
    let place = Place::new("[policy]\nblocked_extensions = [\"named\"]\n");
    place.write("config/neuroscript/neuroscript.toml", "[policy]\nblocked_extensions = [\"users\"]\n");
    let refused = |command: &mut Command| {
        let script = "FOR EACH e IN [\"named\", \"root\", \"users\"] DO\nIF FS.WriteFile(\"a.\" + e, \"\").error != nil THEN\nEMIT e\nEND\nEND";
        run(command.args(["run", "-e", script]).env("XDG_CONFIG_HOME", place.path("config"))).stdout
    };
    assert_eq!(refused(&mut ns(&place.path("root"))), "users\n");
    place.write("root/neuroscript.toml", "[policy]\nblocked_extensions = [\"root\"]\n");
    assert_eq!(refused(&mut ns(&place.path("root"))), "root\n");
    assert_eq!(refused(&mut place.ns()), "named\n");
}

#[test]
fn a_directory_outside_is_reached_by_absolute_paths_only_when_the_users_policy_says_so() {
    let place = Place::new("");
    let outside = place.path("outside");
    let policy =
        format!("[policy]\nallowed_directories = [\".\", {:?}]\nblocked_directories = [\"private\"]\n", outside);
    place.write("policy.toml", &policy);
    place.write("outside/a.txt", "data");
    place.write("outside/private/b.txt", "secret");
    place.write("outside/.ns/c.txt", "ours");
    place.write("root/in.txt", "in");
    place.write("elsewhere.txt", "no");
    symlink(place.path("elsewhere.txt"), place.path("outside/link")).expect("a link");
    symlink(&outside, place.path("root/link")).expect("a link");
    let inside = |name: &str| outside.join(name).to_str().expect("a text").to_owned();

    let read = place.call("read_file", json!({"file_path": inside("a.txt")}));
    assert!(read.stdout.contains("\"content\":\"data\""), "{}", read.stderr);
    let written = place.call("write_file", json!({"file_path": inside("new/x.txt"), "content": "new"}));
    let shown = format!("\"path\":\"{}\"", inside("new/x.txt"));
    assert!(written.stdout.contains(&shown), "{}{}", written.stdout, written.stderr);
    assert_eq!(place.read("outside/new/x.txt").as_deref(), Some("new"));
    let copied = place.call("copy_file", json!({"source_path": "in.txt", "destination_path": inside("in.txt")}));
    assert_eq!(copied.code, 0, "{}", copied.stderr);
    assert_eq!(place.read("outside/in.txt").as_deref(), Some("in"));
    let found = place.call("find_files", json!({"directory_path": inside(""), "recursive": true}));
    assert!(found.stdout.contains(&inside("new/x.txt")) && !found.stdout.contains("private"), "{}", found.stdout);

    for (path, code) in [
        (inside("private/b.txt"), "policy_denied"),
        (inside(".ns/c.txt"), "sandbox_violation"),
        (inside("link"), "sandbox_violation"),
        (inside("../elsewhere.txt"), "sandbox_violation"),
        ("../outside/a.txt".to_owned(), "sandbox_violation"),
        ("link/a.txt".to_owned(), "sandbox_violation"),
        (place.path("elsewhere.txt").display().to_string(), "sandbox_violation"),
        (place.path("outsider").display().to_string(), "sandbox_violation"),
    ] {
        assert_eq!(place.refused("read_file", json!({"file_path": path})).0, code, "{path}");
    }
    assert_eq!(place.refused("walk_dir", json!({"path": inside("")})).0, "sandbox_violation");
}

#[test]
fn the_file_in_the_root_opens_nothing_outside() {
    let place = Place::new("");
    let policy = format!("[policy]\nallowed_directories = [\".\", {:?}]\n", place.path("outside"));
    place.write("root/neuroscript.toml", &policy);
    let ran = run(ns(&place.path("root")).args(["run", "-e", "EMIT 1"]));
    assert_eq!((ran.code, ran.stdout.as_str()), (2, ""));
    assert!(
        ran.stderr.contains("neuroscript.toml:2:") && ran.stderr.contains("only directories below"),
        "{}",
        ran.stderr
    );
}

#[test]
fn a_further_root_neither_holds_the_sandbox_nor_lies_in_another() {
    let place = Place::new("");
    for directories in [vec![place.path("")], vec![place.path("outside"), place.path("outside/new")]] {
        fs::create_dir_all(place.path("outside/new")).expect("a folder");
        place.write("policy.toml", &format!("[policy]\nallowed_directories = {directories:?}\n"));
        let ran = run(place.ns().args(["run", "-e", "EMIT 1"]));
        assert_eq!(ran.code, 2, "{directories:?}");
        assert!(ran.stderr.contains("it holds another root of this run, or lies in one"), "{}", ran.stderr);
    }
}

#[test]
fn an_absolute_directory_below_the_root_is_a_rule_about_it() {
    let place = Place::new("");
    let policy = format!("[policy]\nallowed_directories = [{:?}]\n", place.path("root/a"));
    place.write("policy.toml", &policy);
    place.write("root/a/x.txt", "a");
    place.write("root/b/x.txt", "b");
    assert!(place.call("read_file", json!({"file_path": "a/x.txt"})).stdout.contains("\"a\""));
    assert_eq!(place.refused("read_file", json!({"file_path": "b/x.txt"})).0, "policy_denied");
}

#[test]
fn a_recursive_change_that_meets_something_refused_is_refused_before_the_first_change() {
    let place = Place::new("[policy]\nblocked_extensions = [\"db\"]\n");
    for file in ["d/a.txt", "d/sub/b.txt", "d/sub/x.DB", "e/.env", "f/.git/config"] {
        place.write(&format!("root/{file}"), "x");
    }
    for folder in ["d", "e", "f"] {
        for (tool, arguments) in [
            ("delete_file", json!({"path": folder, "recursive": true})),
            ("move_file", json!({"source": folder, "destination": "new"})),
            ("copy_file", json!({"source_path": folder, "destination_path": "new", "recursive": true})),
        ] {
            assert_eq!(place.refused(tool, arguments).0, "policy_denied", "{tool} {folder}");
        }
    }
    for file in ["d/a.txt", "d/sub/b.txt", "d/sub/x.DB", "e/.env", "f/.git/config"] {
        assert_eq!(place.read(&format!("root/{file}")).as_deref(), Some("x"), "{file}");
    }
    assert!(!place.path("root/new").exists());
    let names = place.call("find_files", json!({"directory_path": ".", "recursive": true, "include_hidden": true}));
    assert!(names.stdout.contains("x.DB") && names.stdout.contains(".env"), "names are still listed: {}", names.stdout);
}

#[test]
fn rules_are_asked_of_the_true_name_in_any_spelling() {
    let place = Place::new("[policy]\nblocked_directories = [\"Gehäuse\", \"a/b\"]\n");
    place.write("root/geha\u{308}use/x.txt", "x");
    place.write("root/a/b/x.txt", "x");
    place.write("root/a/bb/x.txt", "fine");
    symlink("a", place.path("root/link")).expect("a link");
    for path in ["geha\u{308}use/x.txt", "a/b/x.txt", "link/b/x.txt", "link/../link/b/../b/x.txt", "a/bb/../b/x.txt"] {
        assert_eq!(place.refused("read_file", json!({"file_path": path})).0, "policy_denied", "{path}");
    }
    assert!(place.call("read_file", json!({"file_path": "link/bb/x.txt"})).stdout.contains("fine"));
}

#[test]
fn a_rule_that_goes_through_a_link_holds_for_where_that_leads() {
    let place = Place::new("");
    place.write("outside/secret/k.txt", "outside");
    place.write("root/real/k.txt", "inside");
    symlink(place.path("outside"), place.path("ext")).expect("a link");
    symlink("real", place.path("root/current")).expect("a link");
    let ext = place.path("ext");
    let policy = format!(
        "[policy]\nallowed_directories = [\".\", {ext:?}]\nblocked_directories = [{:?}, \"current\"]\n",
        ext.join("secret")
    );
    place.write("policy.toml", &policy);
    for path in ["current/k.txt", "real/k.txt"] {
        assert_eq!(place.refused("read_file", json!({"file_path": path})).0, "policy_denied", "{path}");
    }
    for path in [ext.join("secret/k.txt"), place.path("outside/secret/k.txt")] {
        assert_eq!(place.refused("read_file", json!({"file_path": path})).0, "policy_denied", "{path:?}");
    }
}

#[test]
fn files_with_more_than_one_name_can_be_refused() {
    let place = Place::new("[policy]\nreject_hard_links = true\n");
    place.write("root/a.txt", "shared");
    place.write("root/c.txt", "alone");
    fs::hard_link(place.path("root/a.txt"), place.path("root/d.txt")).expect("a second name");
    for (tool, arguments) in [
        ("read_file", json!({"file_path": "a.txt"})),
        ("hash_file", json!({"path": "d.txt"})),
        ("copy_file", json!({"source_path": "a.txt", "destination_path": "b.txt"})),
    ] {
        let (code, message) = place.refused(tool, arguments);
        assert_eq!(code, "policy_denied", "{tool}");
        assert!(message.contains("2 names"), "{message}");
    }
    fs::create_dir(place.path("root/f")).expect("a folder");
    fs::hard_link(place.path("root/a.txt"), place.path("root/f/x")).expect("a third name");
    let folder = json!({"source_path": "f", "destination_path": "g", "recursive": true});
    assert_eq!(place.refused("copy_file", folder).0, "policy_denied");
    assert_eq!(place.call("hash_file", json!({"path": "c.txt"})).code, 0);
    assert_eq!(place.call("delete_file", json!({"path": "d.txt"})).code, 0, "a name can go");
}

#[test]
fn what_shares_its_content_is_not_read_by_way_of_a_backup() {
    let place = Place::new("[policy]\nreject_hard_links = true\n");
    place.write("outside/shadow", "shared");
    place.write("root/a.txt", "mine");
    fs::hard_link(place.path("outside/shadow"), place.path("root/hard")).expect("a second name");
    for (tool, arguments) in [
        ("write_file", json!({"file_path": "hard", "content": "x"})),
        ("append_file", json!({"file_path": "hard", "content": "x"})),
        ("copy_file", json!({"source_path": "a.txt", "destination_path": "hard", "overwrite": true})),
        ("compress", json!({"source_path": "a.txt", "destination_path": "hard", "format": "zip", "overwrite": true})),
    ] {
        assert_eq!(place.refused(tool, arguments).0, "policy_denied", "{tool}");
    }
    let unkept = json!({"file_path": "hard", "content": "x", "create_backup": false});
    assert_eq!(place.call("write_file", unkept).code, 0, "nothing is read for that");
    assert_eq!(place.read("outside/shadow").as_deref(), Some("shared"));
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
    // A root below it holds nothing else.
    let mut inside = ns(&place.path("root/home/state/neuroscript/audit"));
    inside.env("XDG_STATE_HOME", place.path("root/home/state"));
    assert_eq!(run(inside.args(["call", "read_file", "{\"file_path\": \"1.jsonl\"}"])).code, 4);
}

#[test]
fn a_blocked_directory_is_blocked_however_it_is_written() {
    for written in
        ["secret", "./secret", "secret/", "secret//", "./secret/.", "SECRET", "secret.", "secret ", "se\u{200b}cret"]
    {
        let place = Place::new(&format!("[policy]\nblocked_directories = [\"{written}\"]\n"));
        for file in ["secret/k.txt", "Secret/k.txt", "secret./k.txt", "secret /in/k.txt"] {
            place.write(&format!("root/{file}"), "k");
            let (code, message) = place.refused("read_file", json!({"file_path": file}));
            assert_eq!(code, "policy_denied", "{written} {file}: {message}");
        }
        place.write("root/secrets/k.txt", "k");
        assert_eq!(place.call("read_file", json!({"file_path": "secrets/k.txt"})).code, 0, "{written}");
    }
    for written in ["a/Geha\u{308}use", "a//geh\u{e4}use/", "./a/./GEH\u{c4}USE"] {
        let place = Place::new(&format!("[policy]\nblocked_directories = [\"{written}\"]\n"));
        place.write("root/a/geha\u{308}use/k.txt", "k");
        let (code, _) = place.refused("read_file", json!({"file_path": "a/geha\u{308}use/k.txt"}));
        assert_eq!(code, "policy_denied", "{written}");
    }
}

#[test]
fn an_allowed_directory_allows_nothing_but_what_it_names() {
    let place = Place::new("[policy]\nallowed_directories = [\"./docs//in/\", \"open.\"]\n");
    for (file, code) in [("docs/in/a.txt", 0), ("docs/a.txt", 4), ("open./a.txt", 0), ("open/a.txt", 4)] {
        place.write(&format!("root/{file}"), "a");
        assert_eq!(place.call("read_file", json!({"file_path": file})).code, code, "{file}");
    }
}

#[test]
fn a_blocked_directory_that_holds_the_root_blocks_all_of_it() {
    let place = Place::new("");
    place.write("root/a.txt", "a");
    symlink(place.path(""), place.path("link")).expect("a link");
    for above in [place.path(""), place.path("root"), place.path("link"), "/".into()] {
        place.write("policy.toml", &format!("[policy]\nblocked_directories = [{above:?}]\n"));
        assert_eq!(place.refused("read_file", json!({"file_path": "a.txt"})).0, "policy_denied", "{above:?}");
    }
}

/// A call at a terminal.
fn at_terminal(place: &Place, words: &[&str]) -> PtySession {
    let mut command = place.ns();
    command.args(words).stdin(std::process::Stdio::inherit());
    command.env("TERM", "xterm").env("XDG_CONFIG_HOME", place.path("config"));
    spawn_command(command, Some(PATIENCE_MS)).expect("a terminal")
}

const DELETE_BOTH: &str = "EMIT FS.DeleteFile(\"a\").error\nEMIT FS.DeleteFile(\"b\", recursive: true).error";

/// Runs a script that deletes `a` and `b` and gives the answers; what is shown from the last question on.
fn answered(place: &Place, answers: &[&str]) -> String {
    place.write("root/a", "12345");
    place.write("root/b/c", "1");
    place.write("root/b/d", "12");
    let mut session = at_terminal(place, &["run", "-e", DELETE_BOTH]);
    for answer in answers {
        session.exp_string("[n]ever? ").expect("a question");
        session.send_line(answer).expect("an answer");
    }
    session.exp_eof().expect("the end of the run").replace('\r', "")
}

#[test]
fn at_a_terminal_a_person_is_asked_and_the_answers_hold_as_they_say() {
    let policy = "[tools]\nask = [\"FS.Delete*\"]\n";
    let place = Place::new(policy);
    assert!(answered(&place, &["o", "huh", "once"]).ends_with("nil\n"));
    assert!(!place.path("root/a").exists() && !place.path("root/b").exists());
    assert!(answered(&place, &["r"]).ends_with("nil\nnil\n"), "the answer holds for the run");
    assert!(answered(&place, &["n"]).contains("refused when a person was asked"));
    assert!(place.path("root/a").exists() && place.path("root/b/c").exists(), "one refusal holds for the run");
    assert_eq!(place.read("policy.toml").as_deref(), Some(policy), "none of these is kept");
}

#[test]
fn a_question_shows_the_plan_of_the_call() {
    let place = Place::new("[policy]\nrequire_confirmation_for_delete = true\n");
    place.write("root/b/c", "1");
    place.write("root/b/d", "12");
    let mut session = at_terminal(&place, &["call", "delete_file", "{\"path\": \"b\", \"recursive\": true}"]);
    let question = session.exp_string("[n]ever? ").expect("a question").replace('\r', "");
    assert!(
        question.contains("`FS.DeleteFile` asks to run: `require_confirmation_for_delete` is true\n"),
        "{question}"
    );
    assert!(question.contains("  path: b/ (2 entries, 3 bytes)\n  recursive: true\n"), "{question}");
    session.send_control('d').expect("the end of the input");
    session.exp_eof().expect("the end of the call");
    assert!(place.path("root/b/d").exists(), "no answer is no leave");
}

#[test]
fn an_answer_for_good_goes_into_the_users_policy_with_its_comments_kept() {
    let policy = "# mine\n[policy]\nread_only = false # for now\n\n[tools]\n# ask me\nask = [\n  \"FS.WriteFile\", # writes\n  \"delete_file\",\n]\n";
    let place = Place::new(policy);
    answered(&place, &["a"]);
    let after = place.read("policy.toml").expect("the policy file");
    for kept in [
        "# mine\n",
        "read_only = false # for now\n",
        "# ask me\n",
        "\"FS.WriteFile\", # writes\n",
        "allow = [\"FS.DeleteFile\"]",
    ] {
        assert!(after.contains(kept), "`{kept}` is missing:\n{after}");
    }
    assert!(!after.contains("delete_file"), "it is no longer in `ask`:\n{after}");
    place.write("root/a", "1");
    assert_eq!(
        place.call("delete_file", json!({"path": "a"})).code,
        0,
        "it holds for the next run, without a terminal"
    );
    assert_eq!(place.refused("write_file", json!({"file_path": "a", "content": ""})).0, "policy_denied");
}

#[test]
fn the_policy_of_the_root_does_not_take_an_answer_for_good() {
    let place = Place::new("");
    place.write("root/neuroscript.toml", "[tools]\nask = [\"FS.DeleteFile\"]\n");
    place.write("root/a", "1");
    let mut command = ns(&place.path("root"));
    command.args(["run", "-e", "EMIT FS.DeleteFile(\"a\").error"]).stdin(std::process::Stdio::inherit());
    let mut session = spawn_command(command, Some(PATIENCE_MS)).expect("a terminal");
    let question = session.exp_string("[n]ever? ").expect("a question");
    assert!(!question.contains("lways"), "{question}");
    session.send_line("a").expect("an answer");
    session.exp_string("[n]ever? ").expect("the question again");
    session.send_line("n").expect("an answer");
    session.exp_eof().expect("the end of the run");
    assert!(place.path("root/a").exists());
}

#[test]
fn ctrl_c_at_a_question_ends_the_run_and_nothing_is_done() {
    let place = Place::new("[tools]\nask = [\"FS.DeleteFile\"]\n");
    place.write("root/a", "1");
    let mut session = at_terminal(&place, &["run", "-e", "EMIT FS.DeleteFile(\"a\").error\nEMIT \"on\""]);
    session.exp_string("[n]ever? ").expect("a question");
    session.send_control('c').expect("Ctrl-C");
    let rest = session.exp_eof().expect("the end of the run");
    assert!(!rest.contains("on\r\n"), "{rest}");
    assert!(Path::new(&place.path("root/a")).exists());
}
