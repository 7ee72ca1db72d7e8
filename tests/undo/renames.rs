//! File systems that can do less (NFS): no exchange of names, no rename that refuses to replace, no locks. `strace` lets
//! the calls fail as they do there.

use std::fs;
use std::path::Path;
use std::process::Command;
use std::time::Duration;

use super::{Place, support};

/// Lets `renameat2` fail with every flag.
const WITHOUT_FLAGS: [&str; 2] = ["-e", "inject=renameat2:error=EINVAL"];
const TRACE: &str = "trace=renameat2,renameat,linkat,unlinkat,flock";

/// Returns a command of `ns` whose system calls are changed by these options of `strace`.
fn changed(root: &Path, options: &[&str], words: &[&str]) -> Command {
    let options = [&["-e", TRACE], options].concat();
    support::strace(support::ns(root).args(words), Path::new("/dev/null"), &options)
}

fn with_file() -> Place {
    let place = Place::empty();
    fs::write(place.root().join("f"), "one").expect("a file");
    place
}

const WRITE: [&str; 3] = ["call", "write_file", r#"{"path":"f","content":"two","overwrite":true}"#];

/// Returns the names in the root, without `.ns`.
fn names(place: &Place) -> Vec<String> {
    let entries = fs::read_dir(place.root()).expect("a folder").map(|entry| entry.expect("an entry").file_name());
    let mut names: Vec<String> = entries.map(|name| name.to_string_lossy().into_owned()).collect();
    names.retain(|name| name != ".ns");
    names.sort();
    names
}

#[test]
fn everything_can_be_changed_and_undone_without_flags() {
    if !support::has_strace() {
        return;
    }
    let script = "MUST FS.WriteFile(\"f\", \"two\", overwrite: true)\nMUST FS.WriteFile(\"new\", \"n\")\n\
        MUST FS.DeleteFile(\"d\", recursive: true)\nMUST FS.MoveFile(\"e\", \"e2\")\n\
        MUST FS.Extract(\"z.tar\", \"out\")";
    let place = with_file();
    for name in ["d/in", "e"] {
        fs::create_dir_all(place.root().join(name)).expect("folders");
        fs::write(place.root().join(name).join("x"), "x").expect("a file");
    }
    let packed = Command::new("tar").args(["-cf", "z.tar", "e"]).current_dir(place.root()).status();
    assert!(packed.is_ok_and(|status| status.success()), "an archive");
    let before = place.snapshot().without_inodes();
    let ran = support::run(&mut changed(&place.root(), &WITHOUT_FLAGS, &["run", "-e", script]));
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    assert_eq!(names(&place), ["e2", "f", "new", "out", "z.tar"]);
    let ran = support::run(&mut changed(&place.root(), &WITHOUT_FLAGS, &["undo"]));
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    before.expect(&place.snapshot().without_inodes(), "undone without flags");
}

#[test]
fn a_replacement_that_is_killed_is_finished_or_taken_back() {
    if !support::has_strace() {
        return;
    }
    for call in ["renameat", "linkat", "unlinkat"] {
        let mut killed = 0;
        for number in 1..40 {
            let place = with_file();
            place.ns(0, &["call", "create_directory", r#"{"path":"first"}"#]);
            let kill = format!("inject={call}:signal=KILL:when={number}");
            let options = [&WITHOUT_FLAGS[..], &["-e", &kill]].concat();
            let ran = support::run(&mut changed(&place.root(), &options, &WRITE));
            if ran.code == 0 {
                break;
            }
            killed += 1;
            // The next run recovers the killed one.
            place.ns(0, &["call", "create_directory", r#"{"path":"made"}"#]);
            let now = place.read("f");
            assert!(now == "one" || now == "two", "{call} {number}: `{now}`");
            assert_eq!(names(&place), ["f", "first", "made"], "{call} {number}");
            place.ns(0, &["undo"]);
            if now == "two" {
                place.ns(0, &["undo"]);
                assert_eq!(place.read("f"), "one", "{call} {number}: undone");
            }
        }
        assert!((1..30).contains(&killed), "{call}: {killed} times");
    }
}

#[test]
fn what_takes_the_name_meanwhile_is_not_destroyed() {
    if !support::has_strace() {
        return;
    }
    // Before the previous entry is renamed, and before the new one gets the free name.
    std::thread::scope(|scope| {
        for delayed in ["inject=renameat:delay_enter=700000", "inject=linkat:delay_enter=700000"] {
            for moment in [250, 900, 1_600, 2_300] {
                scope.spawn(move || takes_the_name(delayed, moment));
            }
        }
    });
}

/// Takes the name of a file that is being replaced, so many milliseconds after the call began.
fn takes_the_name(delayed: &str, moment: u64) {
    let place = with_file();
    fs::write(place.root().join("other"), "other").expect("a file");
    let options = [&WITHOUT_FLAGS[..], &["-e", delayed]].concat();
    let mut child =
        changed(&place.root(), &options, &WRITE).stdout(std::process::Stdio::null()).spawn().expect("it starts");
    std::thread::sleep(Duration::from_millis(moment));
    fs::rename(place.root().join("other"), place.root().join("f")).expect("the name is taken");
    child.wait().expect("it ends");
    let contents = all_files(&place.root());
    assert!(contents.iter().any(|content| content == "other"), "{delayed} {moment}: {:?}", names(&place));
}

/// Returns the contents of all files below a directory, of those below `.ns` too.
fn all_files(folder: &Path) -> Vec<String> {
    let mut contents = Vec::new();
    let mut ahead = vec![folder.to_path_buf()];
    while let Some(path) = ahead.pop() {
        for entry in fs::read_dir(&path).expect("a folder").flatten() {
            match entry.file_type() {
                Ok(kind) if kind.is_dir() => ahead.push(entry.path()),
                _ => contents.push(String::from_utf8_lossy(&fs::read(entry.path()).unwrap_or_default()).into_owned()),
            }
        }
    }
    contents
}

#[test]
fn files_are_changed_where_nothing_can_be_locked() {
    if !support::has_strace() {
        return;
    }
    for error in ["EOPNOTSUPP", "ENOLCK", "ENOSYS"] {
        let place = with_file();
        let before = place.snapshot();
        let without = format!("inject=flock:error={error}");
        for words in [&WRITE[..], &["undo"]] {
            let ran = support::run(&mut changed(&place.root(), &["-e", &without], words));
            assert_eq!(ran.code, 0, "{error} {words:?}: {}", ran.stderr);
        }
        before.expect(&place.snapshot(), error);
    }
}

#[test]
fn a_name_without_room_for_more_is_replaced_and_deleted() {
    for start in [".ns-tmp-", "20261122T050102.123456Z-1a2b3c4d"] {
        for fill in ["a", "~"] {
            let place = Place::empty();
            let name = format!("{start}{}", fill.repeat(255 - start.len()));
            fs::write(place.root().join(&name), "one").expect("a file");
            let before = place.snapshot();
            let argument = format!(r#"{{"path":"{name}","content":"two","overwrite":true}}"#);
            place.ns(0, &["call", "write_file", &argument]);
            place.ns(0, &["call", "delete_file", &format!(r#"{{"path":"{name}"}}"#)]);
            assert!(names(&place).is_empty());
            place.ns(0, &["undo"]);
            assert_eq!(place.read(&name), "two", "{name}");
            place.ns(0, &["undo"]);
            before.expect(&place.snapshot(), &name);
        }
    }
}

#[test]
fn a_modification_time_is_set_alone() {
    use std::os::unix::fs::MetadataExt;
    let place = with_file();
    support::set_time(&place.root().join("f"), support::FIXED_TIME);
    let begin = fs::metadata(place.root()).expect("a folder").mtime();
    place.ns(0, &["call", "copy_file", r#"{"source":"f","destination":"g"}"#]);
    let copy = fs::metadata(place.root().join("g")).expect("a copy");
    assert_eq!(copy.mtime(), support::FIXED_TIME as i64);
    assert!(copy.atime() >= begin - 1, "the access time is that of the copying: {}", copy.atime());
}
