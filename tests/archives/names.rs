//! Names that `FS.Compress` packs and `FS.Extract` refuses: a warning says so, and never anything else.

use std::ffi::OsStr;
use std::fmt::Write as _;
use std::fs;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::symlink;
use std::path::Path;

use super::Place;
use crate::support::{describe, ns, run};

/// Returns names with every character of ASCII in several places, and others that systems treat in their own ways.
fn names() -> Vec<String> {
    let characters = (1..128_u8).map(char::from).filter(|c| *c != '/');
    let mut names: Vec<String> = characters.map(|c| format!("a{c}b")).collect();
    for c in [
        '\\', ':', ' ', '.', '~', '"', '*', '-', '\u{ad}', '\u{202e}', '\u{feff}', '\u{85}', '\u{2028}', 'é',
        '\u{fffd}',
    ] {
        names.extend([format!("{c}a"), format!("a{c}"), format!("a{c}{c}b")]);
    }
    for device in ["con", "NUL", "aux.txt", "Com1", "LPT9.log", "COM¹", "conin$", "PRN .x", "con_", "com", "com10"] {
        names.push(device.to_owned());
    }
    names.extend(["C:", "c:x", "1:x", "...", "..a", "a..", ". .", ".nsx", "ns."].map(str::to_owned));
    names.push("n".repeat(255));
    names
}

/// Makes one tree per name, which is in turn that of a file, of a directory with a file, and of a link.
fn plant(place: &Place, names: &[String]) -> usize {
    for (number, name) in names.iter().enumerate() {
        let tree = place.root().join(format!("t/{number}"));
        fs::create_dir_all(&tree).expect("a folder");
        let path = tree.join(name);
        let made = match number % 3 {
            0 => fs::write(&path, name),
            1 => fs::create_dir(&path).and_then(|()| fs::write(path.join("in"), name)),
            _ => symlink("nowhere", &path),
        };
        made.unwrap_or_else(|error| panic!("{name:?}: {error}"));
    }
    names.len()
}

/// Adds trees about the depth at which `FS.Extract` ends, and returns their number.
fn plant_deep(place: &Place, from: usize) -> usize {
    for (at, depth) in (124..132).enumerate() {
        let path = place.root().join(format!("t/{}/{}f", from + at, "d/".repeat(depth)));
        fs::create_dir_all(path.parent().expect("a folder")).expect("folders");
        fs::write(&path, "1").expect("a file");
    }
    8
}

#[test]
fn a_warning_tells_exactly_the_archives_that_are_refused() {
    let place = Place::new();
    let mut trees = plant(&place, &names());
    trees += plant_deep(&place, trees);
    for format in ["zip", "tgz"] {
        let mut code = String::new();
        for tree in 0..trees {
            let archive = format!("o/{tree}.{format}");
            let _ = writeln!(code, "MUST CALL FS.Compress(\"t/{tree}\", \"{archive}\")");
            let _ = writeln!(code, "EMIT FS.Extract(\"{archive}\", \"x/{format}/{tree}\").success");
        }
        let script = place.top.path().join("pack.ns");
        fs::write(&script, code).expect("a script");
        let ran = run(ns(&place.root()).arg("run").arg(&script));
        let extracted: Vec<&str> = ran.stdout.lines().collect();
        assert_eq!(extracted.len(), trees, "{}", ran.stderr);
        for (tree, success) in extracted.iter().enumerate() {
            let told = ran.stderr.contains(&format!("`FS.Extract` will refuse `o/{tree}.{format}`"));
            let from = place.root().join(format!("t/{tree}"));
            assert_eq!(*success == "false", told, "{}", describe(&from));
            if !told {
                let to = place.root().join(format!("x/{format}/{tree}/{tree}"));
                assert_eq!(contents(&to), contents(&from));
            }
        }
        assert!(extracted.contains(&"true") && extracted.contains(&"false"));
    }
}

fn contents(folder: &Path) -> Vec<String> {
    let mut lines: Vec<String> = describe(folder).lines().map(str::to_owned).collect();
    lines.sort();
    lines
}

#[test]
fn a_name_that_is_not_utf8_stops_the_archive_though_its_lossy_form_exists() {
    let place = Place::new();
    for name in [&b"d/sub/a\xffb"[..], b"d\xff/in", b"d/\xc3/in"] {
        let path = place.root().join(OsStr::from_bytes(name));
        fs::create_dir_all(path.parent().expect("a folder")).expect("a folder");
        fs::write(&path, "odd").expect("a file");
        place.put(&String::from_utf8_lossy(name), b"even");
        let top = if name[1] == b'/' { "d" } else { "." };
        let ran = place.eval(&format!(
            "EMIT FS.Compress(\"{top}\", \"o.zip\").error\nEMIT LAST_ERROR.code\nEMIT FS.Exists(\"o.zip\")"
        ));
        let escaped =
            String::from_utf8_lossy(name).replace('\u{fffd}', if name.contains(&0xff) { "\\xFF" } else { "\\xC3" });
        let escaped = escaped.strip_suffix("/in").unwrap_or(&escaped);
        let wanted = format!("no tool takes the path `{escaped}`: it is not UTF-8\nencoding\nfalse\n");
        assert_eq!(ran.stdout, wanted, "{}", ran.stderr);
        fs::remove_dir_all(
            place.root().join(OsStr::from_bytes(&name[..name.iter().position(|b| *b == b'/').expect("a folder")])),
        )
        .expect("it stands");
    }
}

#[test]
fn a_glob_never_takes_the_lossy_form_for_a_name_that_is_not_utf8() {
    for call in ["FS.DeleteFile(glob: \"d/*\")", "FS.CopyFile(glob: \"d/*\", destination: \"e\")"] {
        let place = Place::new();
        fs::create_dir(place.root().join("d")).expect("a folder");
        fs::write(place.root().join(OsStr::from_bytes(b"d/a\xff")), "odd").expect("a file");
        place.put("d/a\u{fffd}", b"even");
        let ran =
            place.eval(&format!("FOR EACH item IN ({call}).items DO\n  EMIT item.success, \" \", item.error\nEND"));
        let mut lines: Vec<&str> = ran.stdout.lines().collect();
        lines.sort_unstable();
        let refused = "false no tool takes the path `d/a\\xFF`: it is not UTF-8";
        assert_eq!(lines, [refused, "true nil"], "{call}: {}", ran.stderr);
        assert!(place.root().join(OsStr::from_bytes(b"d/a\xff")).exists());
    }
}

/// With `base`, every source stands under its path from there, and a source in another one is packed once.
#[test]
fn names_begin_at_the_base() {
    const SOURCES: &str = "[\"d/in/f\", \"d\", \"e/x y\"]";
    for (sources, base, expected) in [
        (SOURCES, "", "d d/g d/in d/in/f f x y"),
        (SOURCES, ".", "d d/g d/in d/in/f e e/x y"),
        ("[\"d/in/f\", \"d/g\"]", "d", "g in in/f"),
        ("[\"d\"]", "d", "g in in/f"),
        ("[\"d/in\"]", "d/in", "f"),
        ("[\"d/in/f\"]", "link", "in in/f"),
    ] {
        for archive in ["a.zip", "a.tar.gz"] {
            let place = Place::new();
            for path in ["d/in/f", "d/g", "e/x y"] {
                let path = place.root().join(path);
                fs::create_dir_all(path.parent().expect("a folder"))
                    .and_then(|()| fs::write(path, ""))
                    .expect("a file");
            }
            symlink("d", place.root().join("link")).expect("a link");
            let base = if base.is_empty() { String::new() } else { format!(", base: {base:?}") };
            let script = format!(
                "MUST FS.Compress(paths: {sources}{base}, destination: {archive:?})\n\
                 EMIT STR.Join(LIST.Column(FS.ListArchive({archive:?}, type: \"all\"), \"path\"), \" \")\n"
            );
            let ran = place.eval(&script);
            assert_eq!(ran.stdout.trim(), expected, "{sources} from {base} in {archive}: {}", ran.stderr);
        }
    }
}

#[test]
fn a_base_holds_every_source() {
    let place = Place::new();
    for path in ["d/f", "dd/f"] {
        let path = place.root().join(path);
        fs::create_dir_all(path.parent().expect("a folder")).and_then(|()| fs::write(path, "")).expect("a file");
    }
    for (source, base, archive, said) in [
        ("dd/f", "d", "a.zip", "`dd/f` is not in `d`"),
        ("d", "d/f", "a.zip", "`d` is not in `d/f`"),
        ("d/f", "d", "a.gz", "without its name"),
    ] {
        let script = format!("MUST FS.Compress({source:?}, {archive:?}, base: {base:?})");
        let ran = run(ns(&place.root()).args(["run", "-e", &script]));
        assert!(ran.code == 1 && ran.stderr.contains(said), "{script}: {}", ran.stderr);
        assert!(!place.root().join(archive).exists());
    }
}
