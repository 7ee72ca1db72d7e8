//! Directories outside the root, and rules about them.

use std::fs;
use std::os::unix::fs::symlink;

use serde_json::json;

use super::Place;
use crate::support::{ns, run};

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
    place.write("outside/a.txt", "out");
    let path = place.path("outside/a.txt").display().to_string();
    let read = |command: &mut std::process::Command| {
        run(command.args(["call", "read_file", &json!({"file_path": path}).to_string()])).code
    };
    assert_eq!(read(&mut ns(&place.path("root"))), 4);
    let doctor = run(ns(&place.path("root")).arg("doctor")).stdout;
    assert!(doctor.contains("neuroscript.toml:2 asks for allowed_directories"), "{doctor}");
    // A directory that the user allows, the root may leave allowed or forbid.
    place.write("policy.toml", &policy);
    assert_eq!(read(&mut place.ns()), 0);
    place.write("root/neuroscript.toml", "[policy]\nallowed_directories = [\".\"]\n");
    assert_eq!(read(&mut place.ns()), 4);
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
