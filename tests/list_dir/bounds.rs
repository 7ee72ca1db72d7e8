//! Limits, policy, and directories that are unreadable or vanish.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::os::unix::fs::symlink;
use std::path::Path;
use std::process::Command;

use serde_json::{Value as Json, json};

use super::Place;
use crate::support::{ns, run};

#[test]
fn deep_trees_need_few_handles() {
    let place = Place::new(&[]);
    let mut folder = rustix::fs::open(place.sandbox(), rustix::fs::OFlags::DIRECTORY, rustix::fs::Mode::empty())
        .expect("the sandbox");
    for _ in 0..600 {
        for name in ["d", "e"] {
            rustix::fs::mkdirat(&folder, name, 0o755.into()).expect("a folder of the tree");
        }
        folder = rustix::fs::openat(&folder, "d", rustix::fs::OFlags::DIRECTORY, rustix::fs::Mode::empty())
            .expect("a folder");
    }
    let args = json!({ "recursive": true, "filter": "folders" }).to_string();
    let mut shell = Command::new("sh");
    shell.args([
        "-c",
        "ulimit -n 100; exec \"$0\" call list_dir \"$1\" --sandbox \"$2\"",
        env!("CARGO_BIN_EXE_ns"),
        &args,
    ]);
    let ran = run(shell.arg(place.sandbox()));
    assert_eq!((ran.code, ran.stdout.lines().count()), (0, 1200), "{}", ran.stderr);
    let last = format!("{}e", "d/".repeat(599));
    assert!(ran.stdout.lines().any(|line| line == last), "the folder beside the deepest one is listed");
    let value = json!({ "recursive": true, "format": "value" });
    assert_eq!(place.refusal(value).0, "limit_exceeded", "values nest to a bound, text does not");
    let _ = Command::new("rm").arg("-rf").arg(place.sandbox()).status();
}

#[test]
fn answers_and_steps_are_bounded() {
    let place = Place::new(&[]);
    for number in 0..300 {
        place.add(&[&format!("file_{number:03}")]);
    }
    for format in ["text", "json", "value"] {
        let args = json!({ "format": format }).to_string();
        let refused = run(ns(&place.sandbox()).args(["call", "list_dir", &args, "--max-output-bytes", "2000"]));
        assert_eq!((refused.code, refused.stdout.as_str()), (1, ""), "{format}");
        assert!(refused.stderr.contains("limit_exceeded"), "{format}: {}", refused.stderr);
        let enough = run(ns(&place.sandbox()).args(["call", "list_dir", &args, "--max-output-bytes", "100000"]));
        assert_eq!(enough.code, 0, "{format}: {}", enough.stderr);
    }
    let ran = run(ns(&place.sandbox()).args(["run", "-e", "EMIT FS.ListDir()", "--max-steps", "100"]));
    assert_eq!(ran.code, 124, "an entry is a step: {}", ran.stderr);
}

#[test]
fn blocked_directories_are_left_out_and_not_followed_to() {
    let place = Place::new(&["open/f", "secret/f", "open/secret/g", "l -> secret", "lf -> secret/f"]);
    let policy = place.top.path().join("policy.toml");
    fs::write(&policy, "[policy]\nblocked_directories = [\"secret\"]\n").expect("a policy");
    let list = |args: Json| {
        let ran = run(ns(&place.sandbox()).arg("--policy").arg(&policy).args(["call", "list_dir", &args.to_string()]));
        (ran.code, ran.stdout)
    };
    let follow =
        json!({ "recursive": true, "follow_folder_symlinks": true, "follow_file_symlinks": true, "show_data": true });
    let wanted = "box/ (folder)\n  l (link -> secret)\n  lf (link -> secret/f)\n  open/ (folder)\n    f (file)";
    assert_eq!(list(follow), (0, wanted.to_owned()));
    assert_eq!(list(json!({ "path": "secret" })).0, 4);
    assert_eq!(list(json!({ "path": "l" })).0, 4);
}

/// Runs `list_dir` as a user subject to file modes: root without its capabilities.
fn list_without_powers(place: &Place, args: &Json) -> (String, String) {
    let mut command = Command::new("setpriv");
    command.args(["--bounding-set", "-dac_override,-dac_read_search", "--inh-caps", "-dac_override,-dac_read_search"]);
    if !rustix::process::geteuid().is_root() {
        command = Command::new("env");
    }
    command.args([env!("CARGO_BIN_EXE_ns"), "call", "list_dir", &args.to_string(), "--sandbox"]);
    let ran = run(command.arg(place.sandbox()));
    (ran.stdout, ran.stderr)
}

#[test]
fn folders_that_cannot_be_read_are_shown_empty() {
    let place = Place::new(&["locked/f", "names/f", "names/sub/g", "open/f", "z/.gitignore = f", "z/f"]);
    let mode = |name: &str, mode| {
        fs::set_permissions(place.at(name), fs::Permissions::from_mode(mode)).expect("a mode");
    };
    mode("locked", 0o000);
    mode("names", 0o444);
    mode("z/.gitignore", 0o000);
    let tree = list_without_powers(&place, &json!({ "recursive": true, "use_gitignore": true }));
    let names = list_without_powers(&place, &json!({ "path": "names", "recursive": true }));
    let locked = list_without_powers(&place, &json!({ "path": "locked" }));
    mode("locked", 0o755);
    mode("names", 0o755);
    let wanted = "box/\n  locked/\n  names/\n    f\n    sub/\n  open/\n    f\n  z/\n    .gitignore\n    f";
    assert_eq!(tree.0, wanted);
    assert_eq!(tree.1, "warning: `z/.gitignore` is not used: permission denied\n");
    assert_eq!(names.0, "names/\n  f\n  sub/", "a folder that may be read and not searched has names");
    assert!(locked.0.is_empty() && locked.1.contains("permission_denied"), "{}", locked.1);
}

/// While directories appear and vanish, every listing is complete JSON of what existed.
#[test]
fn folders_may_vanish_meanwhile() {
    let place = Place::new(&["stays/f"]);
    let root = place.sandbox();
    let stop = std::sync::atomic::AtomicBool::new(false);
    std::thread::scope(|scope| {
        scope.spawn(|| {
            while !stop.load(std::sync::atomic::Ordering::Relaxed) {
                make_and_remove(&root);
            }
        });
        for _ in 0..60 {
            let args =
                json!({ "recursive": true, "format": "json", "use_gitignore": true, "follow_folder_symlinks": true });
            let ran = place.call(args);
            let tree: Json = serde_json::from_str(&ran.stdout).unwrap_or_else(|_| panic!("{}", ran.stderr));
            let stays = tree["children"].as_array().expect("children").iter().find(|child| child["name"] == "stays");
            assert_eq!(stays.expect("it stays")["children"], json!([{ "name": "f", "type": "file" }]));
        }
        stop.store(true, std::sync::atomic::Ordering::Relaxed);
    });
}

fn make_and_remove(root: &Path) {
    for name in ["a/b/c", "d/e", "f/g/h/i"] {
        let _ = fs::create_dir_all(root.join(name));
        let _ = symlink("b", root.join("a/l"));
        let _ = fs::write(root.join(name).join(".gitignore"), "x\n");
    }
    for name in ["a", "d", "f"] {
        let _ = fs::remove_dir_all(root.join(name));
    }
}
