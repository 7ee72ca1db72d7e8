//! File systems mounted in the tree: what cannot be removed of an original is no reason to report a change as not made,
//! and what is mounted in a directory is not emptied with it.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use super::{Place, support};

const CHILD: &str = "NS_UNDO_MOUNTS";

/// A check of the worker.
struct Check {
    name: &'static str,
    run: fn(),
    /// Whether it needs files in a tmpfs that cannot be removed.
    is_about_immutable_files: bool,
}

const CHECKS: [Check; 4] = [
    Check { name: "leftovers", run: what_cannot_be_removed_is_named, is_about_immutable_files: true },
    Check { name: "files", run: a_file_that_cannot_be_removed_stays, is_about_immutable_files: true },
    Check { name: "temporary", run: what_is_mounted_in_a_temporary_directory_stays, is_about_immutable_files: false },
    Check { name: "hidden", run: mounts_are_found_without_their_list, is_about_immutable_files: false },
];

/// Not a test of its own: runs where something can be mounted.
#[test]
fn mounting_worker() {
    let Some(name) = std::env::var_os(CHILD) else { return };
    let check = CHECKS.iter().find(|check| name == check.name).expect("a check has this name");
    if check.is_about_immutable_files && !has_immutable_files() {
        println!("SKIPPED: a file in a tmpfs cannot be made immutable here, so nothing stays that should be removed");
        return;
    }
    (check.run)();
    println!("checked");
}

/// Whether `chattr +i` works for a file in a tmpfs.
fn has_immutable_files() -> bool {
    let (_place, ext) = with_device();
    let file = ext.join("file");
    fs::write(&file, "f").expect("a file");
    let made = Command::new("chattr").args(["+i", text(&file)]).output();
    let is_made = made.is_ok_and(|made| made.status.success()) && fs::remove_file(&file).is_err();
    if is_made {
        done("chattr", &["-i", text(&file)]);
    }
    done("umount", &[text(&ext)]);
    is_made
}

#[test]
fn what_is_mounted_is_neither_emptied_nor_forgotten() {
    let own = std::env::current_exe().expect("this binary");
    for Check { name, .. } in CHECKS {
        let mut command = Command::new("unshare");
        command.arg("--mount").arg(&own).args(["undo::mounts::mounting_worker", "--exact", "--nocapture"]);
        let ran = support::run(command.env(CHILD, name));
        if ran.stderr.contains("unshare failed") {
            println!("SKIPPED: nothing can be mounted: {}", ran.stderr);
            return;
        }
        assert_eq!(ran.code, 0, "{name}: {}{}", ran.stdout, ran.stderr);
        match ran.stdout.lines().find(|line| line.starts_with("SKIPPED: ")) {
            Some(skipped) => println!("{name}: {skipped}"),
            None => assert!(ran.stdout.contains("checked"), "{name}: {}", ran.stdout),
        }
    }
}

fn done(program: &str, words: &[&str]) {
    let ran = Command::new(program).args(words).output().expect("the program runs");
    assert!(ran.status.success(), "{program} {words:?}: {}", String::from_utf8_lossy(&ran.stderr));
}

fn text(path: &Path) -> &str {
    path.to_str().expect("the path is text")
}

/// Mounts a file system of its own at `ext`.
fn with_device() -> (Place, PathBuf) {
    let place = Place::empty();
    let ext = place.root().join("ext");
    fs::create_dir(&ext).expect("a folder");
    done("mount", &["-t", "tmpfs", "tmpfs", text(&ext)]);
    (place, ext)
}

/// Fills a directory with files and with a directory whose file cannot be removed, which is created at a given time.
fn fill(folder: &Path, at: usize) {
    fs::create_dir(folder).expect("a folder");
    for number in 0..6 {
        if number == at {
            fs::create_dir(folder.join("sub")).and_then(|()| fs::write(folder.join("sub/stays"), "s")).expect("a file");
            done("chattr", &["+i", text(&folder.join("sub/stays"))]);
        }
        fs::write(folder.join(format!("f{number}")), format!("{number}")).expect("a file");
    }
}

/// Returns the paths of the files below a directory, with their contents, without those under a temporary name.
fn files(folder: &Path) -> Vec<String> {
    let contents = support::contents_of(folder).into_iter();
    contents.filter(|line| !line.contains(".ns")).collect()
}

fn what_cannot_be_removed_is_named() {
    let (mut kept_whole, mut left_in_part) = (0, 0);
    for (at, tool) in [0, 3, 5].into_iter().flat_map(|at| [(at, "delete_file"), (at, "move_file")]) {
        let (place, ext) = with_device();
        fill(&ext.join("dir"), at);
        let before = files(&place.root());
        let arguments = match tool {
            "delete_file" => r#"{"path":"ext/dir","recursive":true}"#,
            _ => r#"{"source":"ext/dir","destination":"moved"}"#,
        };
        let ran = place.ns(1, &["call", tool, arguments]);
        if ext.join("dir").exists() {
            // Nothing was removed before the file that stays.
            kept_whole += 1;
            assert_eq!(files(&place.root()), before, "{at} {tool}: {}", ran.stderr);
            assert!(place.ns(0, &["log"]).stdout.is_empty(), "{at} {tool}: nothing was changed");
        } else {
            left_in_part += 1;
            assert!(ran.stderr.contains("a part of it is left as `ext/.ns-tmp-"), "{at} {tool}: {}", ran.stderr);
            assert_eq!(place.root().join("moved/sub/stays").exists(), tool == "move_file");
            place.ns(0, &["undo"]);
            assert_eq!(files(&place.root()), before, "{at} {tool}: undone");
        }
        done("chattr", &["-R", "-i", text(&ext)]);
        done("umount", &[text(&ext)]);
    }
    assert!(kept_whole > 0 && left_in_part > 0, "{kept_whole} stayed whole, {left_in_part} were removed in part");
}

fn a_file_that_cannot_be_removed_stays() {
    let (place, ext) = with_device();
    fs::write(ext.join("file"), "f").expect("a file");
    done("chattr", &["+i", text(&ext.join("file"))]);
    let ran = place.ns(1, &["call", "delete_file", r#"{"path":"ext/file"}"#]);
    assert!(ran.stderr.contains("permission_denied"), "{}", ran.stderr);
    assert_eq!(place.read("ext/file"), "f");
    assert!(!place.root().join(".ns/trash/ext").exists(), "no copy is left that no journal names");
    done("chattr", &["-i", text(&ext.join("file"))]);
    done("umount", &[text(&ext)]);
}

fn what_is_mounted_in_a_temporary_directory_stays() {
    let place = Place::empty();
    let outside = place.path("elsewhere");
    fs::create_dir(&outside).and_then(|()| fs::write(outside.join("keep"), "k")).expect("a file");
    fs::write(place.root().join("wait"), "").expect("a file");
    let script = "SET work = FS.TempDirectory()\nMUST FS.CreateDirectory(work.path + \"/in\")\n\
        MUST FS.WriteFile(\"ready\", work.path)\nWHILE FS.Exists(\"wait\")\nEND";
    let mut command = support::ns(&place.root());
    command.args(["run", "--max-steps", "4000000000", "-e", script]).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().expect("it starts");
    let deadline = std::time::Instant::now() + std::time::Duration::from_secs(60);
    while place.read("ready").is_empty() && std::time::Instant::now() < deadline {
        assert!(child.try_wait().is_ok_and(|ended| ended.is_none()), "the script waits");
        super::tick();
    }
    let mounted = place.root().join(place.read("ready")).join("in");
    done("mount", &["--bind", text(&outside), text(&mounted)]);
    fs::remove_file(place.root().join("wait")).expect("it was there");
    let ran = child.wait_with_output().expect("it ends");
    let told = String::from_utf8_lossy(&ran.stderr).into_owned();
    done("umount", &[text(&mounted)]);
    assert_eq!(fs::read_to_string(outside.join("keep")).expect("what was mounted stays"), "k", "{told}");
    assert!(told.contains("was not removed: another file system is mounted"), "{told}");
}

fn mounts_are_found_without_their_list() {
    let place = Place::empty();
    let outside = place.path("elsewhere");
    fs::create_dir(&outside).and_then(|()| fs::write(outside.join("keep"), "k")).expect("a file");
    for name in ["plain/in", "dir/in/mounted"] {
        fs::create_dir_all(place.root().join(name)).expect("folders");
    }
    let mounted = place.root().join("dir/in/mounted");
    done("mount", &["--bind", text(&outside), text(&mounted)]);
    done("mount", &["-t", "tmpfs", "tmpfs", "/proc"]);
    let delete = |path: &str| format!("{{\"path\":\"{path}\",\"recursive\":true}}");
    let ran = place.ns(1, &["call", "delete_file", &delete("dir")]);
    assert!(ran.stderr.contains("another file system is mounted in `dir`"), "{}", ran.stderr);
    place.ns(0, &["call", "delete_file", &delete("plain")]);
    // A mount that came into the trash otherwise, as by an earlier version.
    let kept = place.root().join(".ns/trash/plain");
    let kept = fs::read_dir(kept).expect("it was kept").next().expect("an entry").expect("an entry").path();
    done("mount", &["--bind", text(&outside), text(&kept.join("in"))]);
    support::run(support::ns(&place.root()).args(["gc", "--all", "--keep-runs", "0"]));
    assert_eq!(fs::read_to_string(outside.join("keep")).expect("what is mounted stays"), "k");
    done("umount", &[text(&kept.join("in"))]);
    done("umount", &["/proc"]);
    done("umount", &[text(&mounted)]);
}
