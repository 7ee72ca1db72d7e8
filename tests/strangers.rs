//! `ns test` in a directory from a stranger: nothing outside of it is read or changed, and nothing hangs, whatever is
//! in place of a script, a golden file, an input or a set-up.

#![allow(clippy::disallowed_methods, reason = "tests set up folders of their own")]

use std::fs;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::support::{Ran, describe, ns_without_sandbox, run};

/// A directory of tests, and files beside it that no test may reach.
struct Place {
    top: tempfile::TempDir,
}

impl Place {
    fn new() -> Place {
        let place = Place { top: tempfile::tempdir().expect("a folder for the test") };
        place.write("outside/secret.ns", "SECRET IS HERE\n");
        place.write("outside/secret.txt", "SECRET\n");
        place.write("outside/folder/secret.txt", "SECRET\n");
        place.write("tests/sub/x.ns", "EMIT CON.ReadLine()\nEMIT FS.ReadFile(\"secret.txt\")\n");
        place.write("tests/sub/x.out", "\n");
        place
    }

    fn path(&self, name: &str) -> PathBuf {
        self.top.path().canonicalize().expect("the folder is there").join(name)
    }

    fn write(&self, name: &str, text: &str) {
        let path = self.top.path().join(name);
        fs::create_dir_all(path.parent().expect("a file lies in a folder")).expect("a folder");
        fs::write(path, text).expect("a file");
    }

    fn test(&self, options: &[&str]) -> Ran {
        let mut command = Command::new("timeout");
        command.args(["-s", "KILL", "60", env!("CARGO_BIN_EXE_ns"), "test"]).args(options);
        command.current_dir(self.path("tests")).env("HOME", "/nonexistent").env("NO_COLOR", "1");
        run(command.env_remove("XDG_CONFIG_HOME").stdin(std::process::Stdio::null()))
    }
}

/// Creates an object in place of a file. Returns false if that is not possible.
type Thing = fn(&Path, &Path) -> bool;

fn link(at: &Path, to: &Path) -> bool {
    symlink(to, at).is_ok()
}

const THINGS: [(&str, Thing); 9] = [
    ("a link to a file", |at, outside| link(at, &outside.join("secret.txt"))),
    ("a link to a script", |at, outside| link(at, &outside.join("secret.ns"))),
    ("a link to a folder", |at, outside| link(at, &outside.join("folder"))),
    ("a relative link", |at, _| link(at, Path::new("../../outside/secret.txt"))),
    ("a link to nothing", |at, outside| link(at, &outside.join("new"))),
    ("a pipe", |at, _| Command::new("mkfifo").arg(at).status().is_ok_and(|status| status.success())),
    ("a device", |at, _| {
        Command::new("mknod").arg(at).args(["c", "1", "5"]).status().is_ok_and(|status| status.success())
    }),
    ("a second name", |at, outside| fs::hard_link(outside.join("secret.txt"), at).is_ok()),
    ("a huge file", |at, _| fs::File::create(at).and_then(|file| file.set_len(1 << 40)).is_ok()),
];

const PLACES: [&str; 10] = [
    "tests/sub/x.ns",
    "tests/sub/x.out",
    "tests/sub/x.err",
    "tests/sub/x.in",
    "tests/sub/x.args",
    "tests/sub/x.times",
    "tests/sub/x.tree",
    "tests/sub/x.audit",
    "tests/sub/x",
    "tests/sub",
];

#[test]
fn nothing_outside_is_read_or_changed_whatever_lies_in_the_folder() {
    for name in PLACES {
        for (what, make) in THINGS {
            for options in [&[][..], &["--update"], &["sub/x.ns", "--update"]] {
                let place = Place::new();
                let at = place.path(name);
                let _ = fs::remove_file(&at);
                let _ = fs::remove_dir_all(&at);
                if !make(&at, &place.path("outside")) {
                    println!("SKIPPED: {what} cannot be made");
                    continue;
                }
                let before = describe(&place.path("outside"));
                let ran = place.test(options);
                let told = format!("{name} is {what}, {options:?}: {} {}{}", ran.code, ran.stdout, ran.stderr);
                assert!([0, 2, 5].contains(&ran.code), "{told}");
                // A hard link is a file of the directory like any other, as long as it is only read.
                assert!(what == "a second name" || !(ran.stdout + &ran.stderr).contains("SECRET"), "{told}");
                assert!(!told.contains("panicked"), "{told}");
                assert_eq!(describe(&place.path("outside")), before, "{told}");
            }
        }
    }
}

/// Links in a set-up are copied as links, and lead out of no sandbox.
#[test]
fn what_a_set_up_holds_is_bounded_and_leads_nowhere() {
    for (what, make) in THINGS {
        let place = Place::new();
        fs::create_dir(place.path("tests/sub/x")).expect("a set-up");
        if !make(&place.path("tests/sub/x/secret.txt"), &place.path("outside")) {
            continue;
        }
        let ran = place.test(&["--update"]);
        let told = format!("{what}: {} {}{}", ran.code, ran.stdout, ran.stderr);
        assert!([0, 5].contains(&ran.code), "{told}");
        let golden = fs::read_to_string(place.path("tests/sub/x.out")).unwrap_or_default();
        assert!(what == "a second name" || !(golden + &told).contains("SECRET"), "{told}");
    }
}

/// Seen in the field: heads that grant access to directories, and libraries whose lines are printed.
#[test]
fn a_head_opens_nothing() {
    let place = Place::new();
    let outside = place.path("outside").display().to_string();
    place.write("outside/evil.toml", "[policy]\nread_only = false\n");
    place.write(
        "tests/sub/inside.toml",
        &format!("[policy]\nallowed_directories = [\".\", {outside:?}]\nmax_files_per_operation = 5\n[tools.env]\nnames = [\"PATH\"]\n"),
    );
    symlink(place.path("outside"), place.path("tests/sub/link")).expect("a link");
    symlink(place.path("outside/evil.toml"), place.path("tests/sub/link.toml")).expect("a link");
    let script = format!(
        "USE \"secret.ns\" AS s\nEMIT FS.ReadFile(\"{outside}/secret.txt\")\nEMIT FS.DeleteFile(\"{outside}/secret.txt\")\nEMIT ENV.Get(\"PATH\")\n"
    );
    let before = describe(&place.path("outside"));
    for (head, finding) in [
        (format!("--lib {outside}"), "sub/x.ns:2: `--lib"),
        ("--lib ../../outside".to_owned(), "sub/x.ns:2: `--lib"),
        ("--lib ../../../x".to_owned(), "sub/x.ns:2: `--lib"),
        ("--lib link".to_owned(), "sub/x.ns:2: "),
        ("--lib link/folder".to_owned(), "sub/x.ns:2: "),
        (format!("--policy {outside}/evil.toml"), "sub/x.ns:2: `--policy"),
        ("--policy ../../outside/evil.toml".to_owned(), "sub/x.ns:2: `--policy"),
        ("--policy link.toml".to_owned(), "sub/x.ns:2: "),
        ("--policy link/evil.toml".to_owned(), "sub/x.ns:2: "),
        ("--sandbox ../..".to_owned(), "sub/x.ns:2: a case has a sandbox of its own"),
        ("--case-policy inside.toml".to_owned(), "sub/x.ns:2: "),
        ("--trace".to_owned(), "sub/x.ns:2: "),
        ("--policy inside.toml".to_owned(), ""),
    ] {
        place.write("tests/sub/x.ns", &format!("# A test\n# ns: test {head}\n{script}"));
        for options in [&[][..], &["--update"]] {
            let ran = place.test(options);
            let golden = fs::read_to_string(place.path("tests/sub/x.out")).unwrap_or_default();
            let told = format!("{head}: {}{}{golden}", ran.stdout, ran.stderr);
            assert!(told.contains(finding), "{told}");
            assert!(!told.contains("SECRET") && !golden.contains("/bin"), "{told}");
            assert_eq!(describe(&place.path("outside")), before, "{told}");
        }
    }
}

#[test]
fn a_head_lowers_limits_and_raises_none() {
    let place = Place::new();
    place.write("tests/sub/x.ns", "# ns: test --max-steps 1000000\nFOR EACH i IN RANGE(1000) DO\nSET x = i\nEND\n");
    place.write("tests/sub/x.out", "");
    assert_eq!(place.test(&[]).code, 0);
    let ran = place.test(&["--max-steps", "100"]);
    assert!(ran.code == 5 && ran.stdout.contains("`max_steps`"), "{}", ran.stdout);
    place.write("tests/sub/x.ns", "# ns: test --max-steps 100\nFOR EACH i IN RANGE(1000) DO\nSET x = i\nEND\n");
    assert_eq!(place.test(&[]).code, 5);
}

/// Options that the user gives to `ns test` itself apply, and can grant access.
#[test]
fn the_users_own_policy_and_libraries_hold() {
    let place = Place::new();
    place.write("outside/lib/m.ns", "func Name() means\n  RETURN \"lib\"\nendfunc\n");
    place.write("outside/policy.toml", "[policy]\nblocked_extensions = [\"txt\"]\n");
    place.write(
        "tests/sub/narrow.toml",
        "[policy]\nblocked_extensions = [\"md\"]\n[limits]\nmax_steps = 2_000_000_000\n",
    );
    place.write(
        "tests/sub/x.ns",
        "# ns: test --policy narrow.toml\nUSE \"m.ns\" AS m\nEMIT m.Name()\nFOR EACH n IN [\"a.txt\", \"a.md\", \"a.rs\"] DO\nEMIT FS.WriteFile(n, \"\").error == nil\nEND\n",
    );
    place.write("tests/sub/x.out", "lib\nfalse\nfalse\ntrue\n");
    let ran = place.test(&["--lib", "../outside/lib", "--policy", "../outside/policy.toml"]);
    assert_eq!(ran.code, 0, "{}{}", ran.stdout, ran.stderr);
}

/// The kernel confines the cases to the directory of the tests, independently of our own code.
#[test]
fn the_kernel_keeps_the_cases_to_the_folder() {
    let place = Place::new();
    if !run(ns_without_sandbox().arg("--sandbox").arg(place.path("tests")).arg("doctor")).stdout.contains("Landlock") {
        println!("SKIPPED: the kernel has no Landlock");
        return;
    }
    // The names in a directory of golden files are listed by path, so here it is the kernel that refuses.
    place.write("outside/folder/x.out", "SECRET");
    fs::create_dir(place.path("golden")).expect("a folder");
    symlink(place.path("outside/folder"), place.path("golden/sub")).expect("a link");
    let ran = place.test(&[".", "--golden", "../golden"]);
    assert_eq!(ran.code, 2, "{}", ran.stdout);
    assert!(ran.stderr.contains("cannot be read: Permission denied"), "{}", ran.stderr);
}
