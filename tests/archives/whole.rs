//! Extraction is atomic, for truncated archives and for conflicting targets.

use super::Place;
use super::make::{Zip, file, gzip, link, tar, zip};
use crate::support::describe;

#[test]
fn an_archive_that_is_cut_off_leaves_nothing() {
    let tree = [file("d/f", "hello"), link(b'2', "d/l", "f"), file("g", "world")];
    let whole = [
        zip(&[Zip::deflated("d/f", b"hello hello"), Zip::stored("g", "world")]),
        gzip(&tar(&tree)),
        // Padding after the two end blocks carries no data.
        tar(&tree),
    ];
    for bytes in whole {
        let place = Place::new();
        let step = if bytes.len() > 2000 { 13 } else { 1 };
        let lengths: Vec<usize> = (0..bytes.len()).step_by(step).collect();
        let names: Vec<String> = lengths.iter().map(|length| format!("t/{length}")).collect();
        for (name, length) in names.iter().zip(&lengths) {
            place.put(name, &bytes[..*length]);
        }
        place.put("whole", &bytes);
        let before = place.state();
        for (name, answer) in names.iter().zip(place.extract_all(&names, "")) {
            assert!(answer.starts_with("invalid_archive "), "{name}: {answer}");
        }
        assert_eq!(place.extract_all(&["whole".to_owned()], ""), ["ok"]);
        assert_eq!(place.state(), before);
    }
}

#[test]
fn every_changed_byte_is_an_error_or_another_whole_archive() {
    let bytes = zip(&[Zip::deflated("d/f", b"hello hello"), Zip::stored("g", "world")]);
    let place = Place::new();
    let names: Vec<String> = (0..bytes.len()).map(|at| format!("t/{at}")).collect();
    for (at, name) in names.iter().enumerate() {
        let mut changed = bytes.clone();
        changed[at] ^= 0x55;
        place.put(name, &changed);
    }
    let before = place.state();
    place.extract_all(&names, "");
    assert_eq!(place.state(), before);
}

#[test]
fn what_is_in_the_way_stops_everything() {
    let place = Place::new();
    place.put("o.tar", &tar(&[file("a", "1"), file("d/b", "2"), file("d/e/c", "3"), file("z", "4")]));
    for (path, is_folder) in [("x/d/e/c", false), ("x/z", true), ("x/d/e", false), ("x/d", false), ("x", false)] {
        place.put(&format!("{path}{}", if is_folder { "/f" } else { "" }), b"mine");
        let before = place.state();
        let ran = place.eval("EMIT FS.Extract(\"o.tar\", \"x\").success");
        assert_eq!((ran.stdout.as_str(), place.state()), ("false\n", before), "{path}");
        std::fs::remove_dir_all(place.root().join("x"))
            .or_else(|_| std::fs::remove_file(place.root().join("x")))
            .expect("x");
    }
}

#[test]
fn links_in_the_target_are_never_followed() {
    let place = Place::new();
    place.put("o.tar", &tar(&[file("d/f", "INSIDE")]));
    std::fs::create_dir(place.root().join("x")).expect("a folder");
    std::os::unix::fs::symlink("../../outside", place.root().join("x/d")).expect("a link");
    let before = place.state();
    let ran = place.eval("SET r = FS.Extract(\"o.tar\", \"x\")\nEMIT LAST_ERROR.code\nSET r = FS.Extract(\"o.tar\", \"x/d\")\nEMIT LAST_ERROR.code");
    assert_eq!(ran.stdout, "not_a_directory\nsandbox_violation\n");
    assert_eq!(place.state(), before);
}

#[test]
fn special_bits_are_taken_away_and_modes_kept() {
    use std::os::unix::fs::PermissionsExt;
    let place = Place::new();
    let mut program = file("p", "x");
    program.mode = 0o6755;
    let mut folder = link(b'5', "d/", "");
    folder.mode = 0o3500;
    place.put("o.tar", &tar(&[program, folder, file("d/f", "1")]));
    place.put("o.zip", &zip(&[Zip { mode: 0o104_755, ..Zip::stored("p", "x") }]));
    let ran = place.eval("EMIT FS.Extract(\"o.tar\", \"x\").success, FS.Extract(\"o.zip\", \"y\").success");
    assert_eq!(ran.stdout, "truetrue\n");
    let mode = |path: &str| {
        let found = std::fs::metadata(place.root().join(path)).expect("it was unpacked");
        found.permissions().mode() & 0o7777
    };
    assert_eq!((mode("x/p"), mode("y/p"), mode("x/d")), (0o755, 0o755, 0o700), "{}", describe(&place.root()));
}

#[test]
fn nothing_but_regular_files_is_packed() {
    let place = Place::new();
    place.put("d/f", b"1");
    let pipe = place.root().join("d/p");
    let made = rustix::fs::mknodat(rustix::fs::CWD, &pipe, rustix::fs::FileType::Fifo, 0o666.into(), 0);
    made.expect("a pipe");
    let ran = place.eval("EMIT FS.Compress(\"d\", \"o.zip\").error\nEMIT FS.Compress(\"d\", \"new/deep/o.tgz\").error");
    let error = "`d/p` is no regular file, but a pipe, socket or device\n";
    assert_eq!(ran.stdout, error.repeat(2), "{}", ran.stderr);
    let entries = std::fs::read_dir(place.root()).expect("the sandbox").map(|entry| entry.expect("an entry"));
    let left = entries.filter(|entry| entry.file_name() != ".ns").count();
    assert_eq!(left, 1, "nothing stands beside the directory");
}

#[test]
fn a_link_that_would_be_refused_is_told_when_it_is_packed() {
    use std::os::unix::fs::symlink;
    let place = Place::new();
    place.put("d/sub/f", b"1");
    symlink("../f", place.root().join("d/sub/stays")).expect("a link");
    let pack = "EMIT FS.Compress(\"d\", \"o.zip\", overwrite: true).links\nEMIT FS.Extract(\"o.zip\", \"x\").success";
    let ran = place.eval(pack);
    assert_eq!((ran.stdout.as_str(), ran.stderr.as_str()), ("1\ntrue\n", ""));
    std::fs::remove_dir_all(place.root().join("x")).expect("x");
    symlink("../../../f", place.root().join("d/sub/leaves")).expect("a link");
    let ran = place.eval(pack);
    assert_eq!(ran.stdout, "2\nfalse\n");
    let told = "`FS.Extract` will refuse `o.zip`: the link `d/sub/leaves` leads out of what is packed";
    assert!(ran.stderr.contains(told), "{}", ran.stderr);
}
