//! Archives that must be refused, and the expected errors.

use super::Place;
use super::make::{Tar, Zip, file, gzip, link, record, tar, zip, zip_parts};

/// Names that lead out of the directory or that no tool creates, with the error code.
const NAMES: [(&str, &str); 26] = [
    ("../f", "sandbox_violation"),
    ("a/../../f", "sandbox_violation"),
    ("a/../f", "sandbox_violation"),
    ("..", "sandbox_violation"),
    ("/f", "sandbox_violation"),
    ("//f", "sandbox_violation"),
    ("a\\b", "sandbox_violation"),
    ("..\\f", "sandbox_violation"),
    ("C:f", "sandbox_violation"),
    ("C:/f", "sandbox_violation"),
    ("a:b", "sandbox_violation"),
    ("a\nb", "sandbox_violation"),
    ("a\u{1b}[31m", "sandbox_violation"),
    ("a\u{202e}b", "sandbox_violation"),
    ("a\u{7f}", "sandbox_violation"),
    ("con", "sandbox_violation"),
    ("a/NUL.txt", "sandbox_violation"),
    ("lpt1.x/f", "sandbox_violation"),
    ("./../f", "sandbox_violation"),
    ("a/./../../f", "sandbox_violation"),
    ("a/..", "sandbox_violation"),
    ("...", "ok"),
    ("..a", "ok"),
    ("a//b", "ok"),
    ("./a/./b", "ok"),
    (".ns/f", "sandbox_violation"),
];

/// Link targets, and whether a link with that target may be created at `d/l`.
const LINKS: [(&str, bool); 17] = [
    ("../../outside", false),
    ("/etc/passwd", false),
    ("..", true),
    ("../..", false),
    ("../f", true),
    ("f", true),
    ("./f", true),
    ("a/../..", false),
    ("a/..", false),
    ("..\\..\\f", false),
    ("C:/f", false),
    ("a\nb", false),
    ("../d/f", true),
    (".././../f", false),
    ("..//..//f", false),
    ("f/", true),
    ("l", true),
];

#[test]
fn names_that_leave_are_refused() {
    let mut archives = Vec::new();
    for (name, code) in NAMES {
        archives.push((format!("tar {name:?}"), tar(&[file("before", "1"), file(name, "INSIDE")]), code));
        archives.push((format!("zip {name:?}"), zip(&[Zip::stored("before", "1"), Zip::stored(name, "INSIDE")]), code));
        let pax = record("path", name);
        let header = Tar { kind: b'x', content: &pax, ..Tar::default() };
        archives.push((format!("pax {name:?}"), tar(&[header, file("f", "INSIDE")]), code));
        let header = Tar { kind: b'L', content: name.as_bytes(), ..Tar::default() };
        archives.push((format!("gnu {name:?}"), tar(&[header, file("f", "INSIDE")]), code));
    }
    let long = "n".repeat(256);
    archives.push(("a name of 256 bytes".into(), zip(&[Zip::stored(&long, "1")]), "sandbox_violation"));
    let deep = "d/".repeat(300) + "f";
    archives.push(("300 levels".into(), zip(&[Zip::stored(&deep, "1")]), "invalid_archive"));
    let not_utf8 = Zip { name: b"a\xff".to_vec(), ..Zip::stored("", "1") };
    archives.push(("not UTF-8".into(), zip(&[not_utf8]), "invalid_archive"));
    let with_nul = Zip { name: b"a\0/../b".to_vec(), ..Zip::stored("", "1") };
    archives.push(("a zero byte".into(), zip(&[with_nul]), "invalid_archive"));
    check(&archives, "");
}

#[test]
fn links_never_lead_out() {
    let mut archives = Vec::new();
    for (text, may_be) in LINKS {
        let code = if may_be { "ok" } else { "sandbox_violation" };
        archives.push((format!("tar link {text:?}"), tar(&[link(b'2', "d/l", text)]), code));
        let entry = Zip { mode: 0o120_777, ..Zip::stored("d/l", text) };
        archives.push((format!("zip link {text:?}"), zip(&[entry]), code));
    }
    let violation = "sandbox_violation";
    for (what, entries, code) in [
        ("an entry below a link", vec![link(b'2', "l", "d"), file("l/f", "INSIDE")], violation),
        ("a link where a directory was", vec![file("l/f", "INSIDE"), link(b'2', "l", "d")], "invalid_archive"),
        ("a directory where a link was", vec![link(b'2', "l", "d"), link(b'5', "l/", "")], "invalid_archive"),
        ("a link for a link", vec![link(b'2', "l", "d"), link(b'2', "l", "e")], "invalid_archive"),
        ("links one through another", vec![link(b'2', "a/b/c", "../.."), link(b'2', "a/l", "b/c/..")], violation),
        ("an entry below a file", vec![file("f", "1"), file("f/g", "INSIDE")], violation),
        ("a hard link to the outside", vec![link(b'1', "h", "../outside/f")], violation),
        ("a hard link to an absolute name", vec![link(b'1', "h", "/etc/passwd")], violation),
        ("a hard link to what comes later", vec![link(b'1', "h", "f"), file("f", "1")], violation),
        ("a hard link to itself", vec![link(b'1', "h", "h")], violation),
        ("a hard link to a link", vec![link(b'2', "l", "f"), link(b'1', "h", "l")], violation),
        ("a hard link through a link", vec![link(b'2', "l", "."), file("f", "1"), link(b'1', "h", "l/f")], violation),
        ("a hard link to a directory", vec![link(b'5', "d/", ""), link(b'1', "h", "d")], violation),
        ("a hard link to a file before", vec![file("f", "1"), link(b'1', "h", "f"), link(b'1', "g", "h")], "ok"),
        ("an empty link", vec![link(b'2', "l", "")], violation),
    ] {
        archives.push((what.to_owned(), tar(&entries), code));
    }
    check(&archives, "");
}

#[test]
fn damaged_and_ambiguous_archives_are_refused() {
    let a = || Zip::stored("a", "hello");
    let (plain, directory) = zip_parts(&[a(), Zip::stored("b", "world")]);
    let changed = |at: usize, byte: u8| {
        let mut bytes = plain.clone();
        bytes[at] = byte;
        bytes
    };
    let size_lie = |size: u32| Zip { size: Some(size), ..Zip::deflated("a", b"hello hello hello") };
    let pax = |key: &str, value: &str| record(key, value);
    let (size_pax, name_pax) = (pax("size", "2048"), pax("path", "other"));
    let header = |kind: u8, content| Tar { kind, content, ..Tar::default() };
    let mut archives = vec![
        ("a name twice", zip(&[a(), a()])),
        ("a file and a directory of a name", zip(&[a(), Zip { mode: 0o040_755, ..Zip::stored("a/", "") }])),
        ("a directory with content", zip(&[Zip { mode: 0o040_755, ..Zip::stored("a/", "x") }])),
        ("a directory by name alone", zip(&[Zip { mode: 0o100_644, ..Zip::stored("a/", "") }])),
        ("a pipe in zip", zip(&[Zip { mode: 0o010_644, ..Zip::stored("a", "") }])),
        ("a device in zip", zip(&[Zip { mode: 0o020_644, ..Zip::stored("a", "") }])),
        ("encrypted", zip(&[Zip { flags: 1, ..a() }])),
        ("strongly encrypted", zip(&[Zip { flags: 1 << 6, ..a() }])),
        ("an unknown method", zip(&[Zip { method: 12, ..a() }])),
        ("a wrong checksum", zip(&[Zip { crc: Some(1), ..a() }])),
        ("a stored size that lies", zip(&[Zip { size: Some(4), ..a() }])),
        ("more bytes than it says", zip(&[size_lie(5)])),
        ("fewer bytes than it says", zip(&[size_lie(500)])),
        ("another name in its own header", zip(&[Zip { own_name: Some(b"z".to_vec()), ..a() }])),
        ("bytes behind the deflated ones", {
            let mut entry = Zip::deflated("a", b"hello");
            entry.data.extend(b"more");
            zip(&[entry])
        }),
        ("damaged deflate", zip(&[Zip { data: vec![0xff; 20], method: 8, ..a() }])),
        ("two entries with the same bytes", zip(&[a(), Zip { header_at: Some(0), ..Zip::stored("a", "hello") }])),
        ("an entry inside another", {
            let inner = zip_parts(&[Zip::stored("b", "world")]);
            let outer = Zip { data: inner.0[..inner.1].to_vec(), content: inner.0[..inner.1].to_vec(), ..a() };
            zip(&[outer, Zip { header_at: Some(31), ..Zip::stored("b", "world") }])
        }),
        ("an entry in the list itself", zip(&[Zip { header_at: Some(200), ..a() }])),
        ("something before it", [b"MZ and a program".to_vec(), plain.clone()].concat()),
        ("something behind it", [plain.clone(), b"more".to_vec()].concat()),
        ("two archives", [plain.clone(), plain.clone()].concat()),
        ("no entry at its place", changed(directory, b'X')),
        ("fewer entries than the list", changed(plain.len() - 12, 1)),
        ("more entries than the list", changed(plain.len() - 12, 3)),
        ("a part of several", changed(plain.len() - 18, 1)),
        ("a list that begins elsewhere", changed(plain.len() - 6, 1)),
        ("two names in UTF-8", {
            let mut crc = flate2::Crc::new();
            crc.update(b"a");
            let field = [&[0x75, 0x70, 7, 0, 1][..], &crc.sum().to_le_bytes(), b"zz"].concat();
            zip(&[Zip { extra: field, ..a() }])
        }),
        ("a pipe", tar(&[link(b'6', "p", "")])),
        ("a character device", tar(&[link(b'3', "p", "")])),
        ("a block device", tar(&[link(b'4', "p", "")])),
        ("an unknown kind", tar(&[link(b'Z', "p", "")])),
        ("a tar name twice", tar(&[file("f", "1"), file("./f", "2")])),
        ("a link with content", tar(&[Tar { content: b"x", ..link(b'2', "l", "f") }])),
        ("a size beyond the end", tar(&[Tar { size: Some(5000), ..file("f", "1") }])),
        (
            "a size that is no number",
            tar(&[file("f", "1")]).into_iter().enumerate().map(|(at, b)| if at == 124 { b'9' } else { b }).collect(),
        ),
        ("no end", tar(&[file("f", "1")])[..1024].to_vec()),
        ("one block of zeros", tar(&[file("f", "1")])[..1536].to_vec()),
        ("an archive behind the end", [tar(&[file("f", "1")]), tar(&[file("g", "1")])].concat()),
        ("a header for nothing", tar(&[header(b'L', b"name")])),
        ("two long names", tar(&[header(b'L', b"one"), header(b'L', b"two"), file("f", "1")])),
        ("a long name and a pax name", tar(&[header(b'L', b"one"), header(b'x', &name_pax), file("f", "1")])),
        ("a size for all", tar(&[header(b'g', &size_pax), file("f", "1")])),
        ("a name for all", tar(&[header(b'g', &name_pax), file("f", "1")])),
        ("pax that is none", tar(&[header(b'x', b"99 path=x\n"), file("f", "1")])),
        ("a huge header", tar(&[Tar { size: Some(1 << 32), ..header(b'x', b"") }])),
        ("a second archive in gzip", [gzip(&tar(&[file("f", "1")])), gzip(&tar(&[file("g", "1")]))].concat()),
        ("something behind gzip", [gzip(&tar(&[file("f", "1")])), b"more".to_vec()].concat()),
        ("a single file that is cut off", gzip(b"hello")[..20].to_vec()),
        ("a single file with another checksum", [&gzip(b"hello")[..17], b"\0\0\0\0\x05\0\0\0"].concat()),
        ("something behind a single file", [gzip(b"hello"), b"more and more".to_vec()].concat()),
    ];
    // A size header before a long name belongs to the file: readers that apply it to the name see another archive.
    let smuggled = tar(&[header(b'x', &size_pax), header(b'L', b"longname\0"), file("a", "A"), file("b", "B")]);
    archives.push(("a size that would hide an entry", smuggled));
    let archives: Vec<(String, Vec<u8>, &str)> =
        archives.into_iter().map(|(what, bytes)| (what.to_owned(), bytes, "invalid_archive")).collect();
    check(&archives, "");
}

#[test]
fn bombs_are_refused_before_they_burst() {
    let zeros = vec![0; 40 << 20];
    let mut sparse = Tar { kind: b'S', ..file("f", "") }.bytes();
    sparse[483..495].copy_from_slice(b"77777777777\0");
    sparse[148..156].copy_from_slice(b"        ");
    let sum: u32 = sparse[..512].iter().map(|byte| u32::from(*byte)).sum();
    sparse[148..156].copy_from_slice(format!("{sum:06o}\0 ").as_bytes());
    sparse.extend([0; 1024]);
    let name = vec![b'n'; 40 << 20];
    let archives = [
        ("zeros in zip", zip(&[Zip::deflated("f", &zeros)]), "too_large"),
        ("zeros in gzip", gzip(&tar(&[Tar { content: &zeros, ..Tar::default() }])), "too_large"),
        ("zeros alone in gzip", gzip(&zeros), "too_large"),
        ("zeros behind the end", gzip(&[tar(&[file("f", "1")]), zeros.clone()].concat()), "too_large"),
        ("a long name", gzip(&tar(&[Tar { kind: b'L', content: &name, ..Tar::default() }])), "invalid_archive"),
        ("a hole", sparse, "too_large"),
        ("many entries", zip(&(0..1001).map(|n| Zip::stored(&format!("f{n}"), "")).collect::<Vec<_>>()), "too_large"),
        ("many directories", zip(&[Zip::stored(&("d/".repeat(100) + "f"), ""), Zip::stored("x", "")]), "too_large"),
    ];
    let archives = archives.map(|(what, bytes, code)| (what.to_owned(), bytes, code));
    check(&archives[..6], "");
    check(&archives[6..7], ", max_entries: 1000");
    check(&archives[7..], ", max_entries: 50");
}

#[test]
fn our_own_files_are_never_unpacked() {
    let names = [".ns/memory.db", ".NS/f", "neuroscript.toml", "NeuroScript.TOML", "./.ns/f", ".n\u{17f}/f", "NS~1/f"];
    let folders = ["", "d/", "d/./e/"];
    let names = folders.iter().flat_map(|folder| names.map(|name| format!("{folder}{name}")));
    for name in names.collect::<Vec<_>>().iter().map(String::as_str) {
        for (archive, bytes) in [("o.tar", tar(&[file(name, "x")])), ("o.zip", zip(&[Zip::stored(name, "x")]))] {
            let place = Place::new();
            place.put(archive, &bytes);
            let before = place.state();
            for into in [".", "new/deeper"] {
                let ran = place.eval(&format!("SET r = FS.Extract(\"{archive}\", \"{into}\")\nEMIT LAST_ERROR.code"));
                assert_eq!(ran.stdout, "sandbox_violation\n", "{name}: {}", ran.stderr);
                assert_eq!(place.state(), before);
            }
        }
    }
}

/// Entries that are not made, each in an archive with others that are.
#[test]
fn unsafe_entries_are_left_out() {
    let mut archives = Vec::new();
    let names = NAMES.iter().filter(|(_, code)| *code != "ok").map(|(name, _)| *name);
    for name in names {
        archives.push((name, tar(&[file("before", "1"), file(name, "INSIDE"), file("z/after", "2")])));
        let entries =
            ["before", name, "z/after"].map(|name| Zip::deflated(name, if name == "before" { b"1" } else { b"2" }));
        archives.push((name, zip(&entries)));
    }
    let around = |bad: Tar<'static>| tar(&[file("before", "1"), bad, file("z/after", "2")]);
    for (text, _) in LINKS.iter().filter(|(_, may_be)| !may_be) {
        archives.push(("d/l", around(link(b'2', "d/l", text))));
    }
    for kind in [b'3', b'4', b'6'] {
        archives.push(("p", around(link(kind, "p", ""))));
    }
    for target in ["../outside/f", "/etc/passwd", "z/after", "h", "z", "a\nb"] {
        archives.push(("h", around(link(b'1', "h", target))));
    }
    archives.push(("before", around(file("before", "again"))));
    archives.push(("before/f", around(file("before/f", "below"))));
    archives.push(("before/", around(link(b'5', "before/", ""))));
    archives.push(("./before", around(link(b'2', "./before", "z"))));
    let twice = ["before", "before", "z/after"].into_iter().zip(["1", "again", "2"]);
    archives.push(("before", zip(&twice.map(|(name, content)| Zip::stored(name, content)).collect::<Vec<_>>())));
    let pipe = Zip { mode: 0o010_644, ..Zip::stored("p", "content") };
    archives.push(("p", zip(&[Zip::stored("before", "1"), pipe, Zip::stored("z/after", "2")])));
    let not_utf8 = Zip { name: b"a\xff".to_vec(), ..Zip::stored("", "1") };
    archives.push(("a\u{fffd}", zip(&[Zip::stored("before", "1"), not_utf8, Zip::stored("z/after", "2")])));

    let place = Place::new();
    let mut code = String::new();
    for (number, (_, bytes)) in archives.iter().enumerate() {
        place.put(&format!("o{number}"), bytes);
        code += &format!(
            "SET r = FS.Extract(\"o{number}\", \"x\")\nSET refused = [r.success, LAST_ERROR.hint]\n\
             SET list = FS.ListArchive(\"o{number}\", type: \"all\")\n\
             MUST CALL FS.Extract(\"o{number}\", \"x\", skip_unsafe: true)\nSET r = LAST\n\
             EMIT JSON.Text([LIST.Column(r.skipped, \"name\"), LIST.Column(LIST.Where(list, \"unsafe\", r.skipped[0].reason), \"path\"), \
             LIST.Column(LIST.Where(list, \"unsafe\", nil), \"path\"), refused, r.files, FS.ReadFile(\"x/before\").content, \
             FS.ReadFile(\"x/z/after\").content, LEN(FS.Find(\"x\", type: \"all\"))])\n\
             MUST CALL FS.DeleteFile(\"x\", recursive: true)\n"
        );
    }
    let script = place.top.path().join("script.ns");
    std::fs::write(&script, code).expect("a script");
    let before = place.state();
    let ran = crate::support::run(crate::support::ns(&place.root()).arg("run").arg(&script));
    assert_eq!((ran.code, ran.stderr.as_str()), (0, ""), "{}", ran.stdout);
    assert_eq!(place.state(), before);
    let hint = "`FS.ListArchive` shows what is `unsafe`, and `FS.Extract` with `skip_unsafe: true` leaves it out";
    assert_eq!(ran.stdout.lines().count(), archives.len());
    for ((name, _), line) in archives.iter().zip(ran.stdout.lines()) {
        let found: serde_json::Value = serde_json::from_str(line).expect("a line is JSON");
        let safe = ["before", "z", "z/after"];
        assert_eq!(found, serde_json::json!([[name], [name], safe, [false, hint], 2, "1", "2", 3]), "{name:?}");
    }
}

/// The error names the first entries and says how many there are; the answer stays within its bound.
#[test]
fn many_unsafe_entries_are_told_within_the_bound() {
    let place = Place::new();
    let names: Vec<String> = (0..40_000).map(|number| format!("../{number:05}")).collect();
    let entries: Vec<Zip> = names.iter().map(|name| Zip::stored(name, "")).chain([Zip::stored("f", "1")]).collect();
    place.put("o.zip", &zip(&entries));
    let ran = place.eval("SET r = FS.Extract(\"o.zip\", \"x\", max_entries: 50000)\nEMIT r.error");
    let error = "the archive is refused: the name `../00000`: `..` is not accepted here; and for 39999 more entries: \
                 `../00001`, `../00002`, `../00003`, …\n";
    assert_eq!(ran.stdout, error);
    let args = "{\"source\": \"o.zip\", \"destination\": \"x\", \"skip_unsafe\": true, \"max_entries\": 50000}";
    std::fs::write(place.top.path().join("policy.toml"), "[limits]\ntool_output_bytes = 100000\n").expect("a policy");
    let policy = place.top.path().join("policy.toml");
    let ran = crate::support::run(
        crate::support::ns(&place.root()).arg("--policy").arg(&policy).args(["call", "extract", args]),
    );
    let answer: serde_json::Value = serde_json::from_str(&ran.stdout).expect("an answer is JSON");
    assert!(ran.stdout.len() <= 100_000, "{} bytes", ran.stdout.len());
    assert_eq!(
        (&answer["files"], &answer["truncated"]),
        (&serde_json::json!(1), &serde_json::json!(true)),
        "{}",
        ran.stderr
    );
}

/// `ns undo` removes everything that an extraction without the unsafe entries created.
#[test]
fn what_is_made_without_unsafe_entries_is_undone() {
    let place = Place::new();
    place.put("o.zip", &zip(&[Zip::stored("d/f", "1"), Zip::stored("../f", "2")]));
    let before = place.state();
    let ran = place.eval("MUST CALL FS.Extract(\"o.zip\", \"x\", skip_unsafe: true)");
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    assert_ne!(place.state(), before);
    let ran = crate::support::run(crate::support::ns(&place.root()).args(["undo"]));
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    assert_eq!(place.state(), before);
}

/// Extracts archives. Those that are refused must leave everything unchanged, and are not read either. They are listed
/// only if nothing but entries is the reason, or in a zip nothing but contents.
fn check(archives: &[(String, Vec<u8>, &str)], further: &str) {
    let place = Place::new();
    let mut names = Vec::new();
    for (number, (_, bytes, _)) in archives.iter().enumerate() {
        names.push(format!("o{number}"));
        place.put(&names[number], bytes);
    }
    let before = place.state();
    let answers = place.extract_all(&names, further);
    assert_eq!(place.state(), before);
    let looked = place.look_into_all(&names, further);
    let is_bomb = archives.iter().any(|(_, _, code)| *code == "too_large");
    let skipping = if is_bomb { answers.clone() } else { place.extract_all(&names, ", skip_unsafe: true") };
    assert_eq!(place.state(), before);
    for ((((what, bytes, code), answer), looked), skipping) in archives.iter().zip(answers).zip(looked).zip(skipping) {
        let found = answer.split(' ').next().unwrap_or_default();
        assert_eq!(found, *code, "{what}: {answer}");
        // Limits of a call are no concern of another tool.
        let looked = if further.is_empty() { looked } else { looked.replace(" not_found", &format!(" {code}")) };
        let may_be_listed = *code == "ok" || bytes.starts_with(b"PK") && *code == "invalid_archive";
        let wanted = if skipping == "ok" && *code != "ok" { format!("ok {code}") } else { format!("{code} {code}") };
        assert!(looked == wanted || may_be_listed && looked == "ok not_found", "{what}: {looked}");
    }
}
