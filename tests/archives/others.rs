//! Archives of other programs are extracted, and other programs extract ours.

use std::path::Path;
use std::process::Command;

use super::{Place, has};
use crate::support::describe;

/// Creates a tree with features that are hard for archives: long names, links, empty files and directories, modes.
fn tree(place: &Place) {
    let long = format!("{}/{}", "n".repeat(120), "m".repeat(120));
    for (name, content) in
        [("t/a", "hello".to_owned()), ("t/empty", String::new()), ("t/d/big", "0123456789".repeat(9000))]
    {
        place.put(name, content.as_bytes());
    }
    place.put(&format!("t/{long}"), b"long");
    place.put("t/\u{fc}n\u{ef}", b"unicode");
    std::fs::create_dir(place.root().join("t/nothing")).expect("a folder");
    std::os::unix::fs::symlink("d/big", place.root().join("t/link")).expect("a link");
    crate::support::set_times(&place.root().join("t"), crate::support::FIXED_TIME);
    let mode = std::os::unix::fs::PermissionsExt::from_mode(0o755);
    std::fs::set_permissions(place.root().join("t/a"), mode).expect("a mode");
}

fn shell(folder: &Path, command: &str) {
    let status = Command::new("sh").arg("-c").arg(command).current_dir(folder).status().expect("there is a shell");
    assert!(status.success(), "{command}");
}

#[test]
fn archives_of_other_programs_are_unpacked() {
    let makers = [
        ("tar", "tar czf o t"),
        ("pixz", "tar -I pixz -cf o t"),
        ("tar", "touch -d 1960-05-01T12:00:00Z t/a && tar -cf o t"),
        ("tar", "tar --format=posix -cf o t"),
        ("tar", "tar --format=v7 --exclude='nnn*' -cf o t && rm -r t/nnn*"),
        ("tar", "truncate -s 3000000 t/d/hole && echo end >> t/d/hole && tar -S -cf o t"),
        ("tar", "truncate -s 3000000 t/d/hole && echo end >> t/d/hole && tar -S --format=posix -cf o t"),
        ("tar", "ln t/a t/again && tar -cf o t"),
        ("zip", "zip -qry o.zip t && mv o.zip o"),
        ("zip", "zip -qry - t > o"),
        (
            "python3",
            "rm t/link && python3 -c \"import shutil; shutil.make_archive('o', 'zip', '.', 't')\" && mv o.zip o",
        ),
    ];
    for (program, command) in makers {
        if !has(program) {
            continue;
        }
        let place = Place::new();
        tree(&place);
        shell(&place.root(), command);
        let ran = place.eval("SET r = FS.Extract(\"o\", \"x\")\nEMIT r.error");
        assert_eq!(ran.stdout, "nil\n", "{command}: {}", ran.stderr);
        assert_eq!(describe(&place.root().join("x/t")), describe(&place.root().join("t")), "{command}");
    }
}

#[test]
fn other_programs_unpack_ours() {
    for (program, archive, command) in [
        ("tar", "o.tar.gz", "mkdir x && tar xzf o.tar.gz -C x"),
        ("unzip", "o.zip", "mkdir x && unzip -q o.zip -d x"),
        ("python3", "o.tgz", "mkdir x && python3 -m tarfile -e o.tgz x"),
    ] {
        if !has(program) {
            continue;
        }
        let place = Place::new();
        tree(&place);
        let ran = place.eval(&format!("EMIT FS.Compress(\"t\", \"{archive}\").error"));
        assert_eq!(ran.stdout, "nil\n", "{}", ran.stderr);
        shell(&place.root(), command);
        assert_eq!(describe(&place.root().join("x/t")), describe(&place.root().join("t")), "{command}");
    }
}

#[test]
fn equal_trees_give_equal_bytes() {
    let archives = ["o.zip", "o.tar.gz"].map(|archive| {
        let bytes = [Place::new(), Place::new()].map(|place| {
            tree(&place);
            let link = rustix::fs::Timespec { tv_sec: 1_600_000_000, tv_nsec: 0 };
            let times = rustix::fs::Timestamps { last_access: link, last_modification: link };
            let path = place.root().join("t/link");
            rustix::fs::utimensat(rustix::fs::CWD, path, &times, rustix::fs::AtFlags::SYMLINK_NOFOLLOW)
                .expect("a time");
            crate::support::set_time(&place.root().join("t"), crate::support::FIXED_TIME);
            let ran = place.eval(&format!("EMIT FS.Compress(\"t\", \"{archive}\").error"));
            assert_eq!(ran.stdout, "nil\n");
            std::fs::read(place.root().join(archive)).expect("the archive")
        });
        bytes[0] == bytes[1]
    });
    assert_eq!(archives, [true, true]);
}

/// Times before 1970 are binary in tar of GNU, and decimal in that of POSIX.
#[test]
fn times_before_1970_are_kept() {
    for format in ["gnu", "posix"] {
        if !has("tar") {
            continue;
        }
        let place = Place::new();
        place.put("a", b"old");
        shell(&place.root(), &format!("touch -d 1960-05-01T12:00:00Z a && tar --format={format} -cf o a"));
        let ran = place.eval(
            "EMIT FS.ListArchive(\"o\")[0].modified\nMUST CALL FS.Extract(\"o\", \"x\")\nEMIT FS.FileInfo(\"x/a\").modified",
        );
        assert_eq!(ran.stdout, "1960-05-01T12:00:00Z\n1960-05-01T12:00:00Z\n", "{format}: {}", ran.stderr);
    }
}

#[test]
fn an_archive_of_another_kind_is_named() {
    for (start, name) in [
        (&b"7z\xbc\xaf\x27\x1c\0\x04"[..], "application/x-7z-compressed"),
        (b"LZIP\x01\x0c", "application/x-lzip"),
        (b"Rar!\x1a\x07\x01\0", "application/vnd.rar"),
    ] {
        let place = Place::new();
        place.put("o", &[start, &[0; 4_000]].concat());
        let ran = place.eval("CALL FS.Extract(\"o\", \"x\")\nEMIT LAST_ERROR.code, \": \", LAST_ERROR.message");
        let expected = format!(
            "invalid_archive: the archive is refused: it is {name}; zip and tar are read, also tar in gzip, zstd, xz or bzip2\n"
        );
        assert_eq!(ran.stdout, expected, "{}", ran.stderr);
    }
}
