//! Compressed files in each format: what they become, members one after another, and files made by an enemy.

use std::io::Write as _;

use lzma_rust2::{XzOptions, XzWriter};
use ruzstd::encoding::{CompressionLevel, compress_to_vec};

use super::Place;
use super::make::{file, gzip, tar};
use crate::support::{ns, run};

const TEXT: &str = "first line\nsecond line\nthird line\n";
/// The formats, as results name them.
const FORMATS: [&str; 4] = ["gzip", "zstd", "xz", "bzip2"];
/// The first bytes of a frame in zstd.
const ZSTD: [u8; 4] = [0x28, 0xb5, 0x2f, 0xfd];

fn compress(format: &str, bytes: &[u8]) -> Vec<u8> {
    match format {
        "gzip" => gzip(bytes),
        "zstd" => compress_to_vec(bytes, CompressionLevel::Fastest),
        "xz" => {
            let mut writer = XzWriter::new(Vec::new(), XzOptions::with_preset(1)).expect("the preset exists");
            writer.write_all(bytes).expect("memory takes everything");
            writer.finish().expect("memory takes everything")
        }
        "bzip2" => {
            let mut writer = bzip2::write::BzEncoder::new(Vec::new(), bzip2::Compression::best());
            writer.write_all(bytes).expect("memory takes everything");
            writer.finish().expect("memory takes everything")
        }
        other => panic!("`{other}` is no format"),
    }
}

/// Goes through the lines of each file in `d`. Returns, in the order of their names, the text or the code of the error.
fn lines_of_all(place: &Place, further: &[&str]) -> Vec<String> {
    let code = "DEFINE PROCEDURE Text(path)\n  ON ERROR AS err DO\n    RETURN err.code\n  END\n  SET text = \"\"\n  \
                FOR EACH line IN FS.Lines(path, decompress: true) DO\n    SET text = text + line + \"|\"\n  END\n  \
                RETURN text\nEND\nFOR EACH found IN FS.Find(\"d\") DO\n  EMIT Text(found.path)\nEND\n";
    let ran = run(ns(&place.root()).args(further).args(["run", "-e", code]));
    assert_eq!((ran.code, ran.stderr.as_str()), (0, ""), "{}", ran.stdout);
    ran.stdout.lines().map(str::to_owned).collect()
}

/// Puts files into `d` in this order and returns what [`lines_of_all`] finds.
fn outcomes(files: &[Vec<u8>]) -> Vec<String> {
    let place = Place::new();
    for (number, bytes) in files.iter().enumerate() {
        place.put(&format!("d/{number:05}"), bytes);
    }
    let outcomes = lines_of_all(&place, &[]);
    assert_eq!(outcomes.len(), files.len());
    outcomes
}

fn whole() -> String {
    TEXT.replace('\n', "|")
}

#[test]
fn each_format_is_recognized_by_its_bytes() {
    let place = Place::new();
    for format in FORMATS {
        let bytes = compress(format, TEXT.as_bytes());
        // The name says another format.
        for name in [format!("{format}.txt"), format!("{format}.gz"), format!("{format}.xz")] {
            place.put(&name, &bytes);
            let ran = place.eval(&format!(
                "SET file = FS.ReadFile(\"{name}\", decompress: true)\nEMIT file.compression, \" \", file.lineCount\n\
                 EMIT file.checksum == FS.HashFile(\"{name}\").checksum\n\
                 EMIT FS.ReadFile(\"{name}\", decompress: true, skip_lines: 1, max_lines: 1).content\n\
                 EMIT FS.ReadFile(\"{name}\", decompress: true, last_lines: 1).content\n\
                 EMIT FS.SearchFiles(\"{name}\", \"third\", decompress: true).matches[0].line\n\
                 EMIT FS.ReadFiles([\"{name}\"], decompress: true)[0].content == FS.ReadFile(\"{name}\", decompress: true).content\n\
                 CALL FS.ReadFile(\"{name}\")\nEMIT LAST_ERROR.hint"
            ));
            let expected = format!(
                "{format} 3\ntrue\nsecond line\n\nthird line\n\n3\ntrue\nit is in {format}: read it with `decompress: true`\n"
            );
            assert_eq!((ran.stdout.as_str(), ran.stderr.as_str()), (&*expected, ""), "{name}");
        }
    }
}

#[test]
fn members_follow_one_another() {
    let mut files = Vec::new();
    for format in FORMATS {
        let (head, tail) = TEXT.split_at(15);
        let empty = compress(format, b"");
        let parts = [head.as_bytes(), b"", tail.as_bytes()].map(|part| compress(format, part));
        files.push(parts.concat());
        // Nothing but empty members, of which each is passed over in one read.
        files.push([empty.repeat(20_000), compress(format, TEXT.as_bytes())].concat());
    }
    // Padding between streams of xz, and frames to skip in zstd.
    let [zstd, xz] = ["zstd", "xz"].map(|format| compress(format, TEXT.as_bytes()));
    let skipped = [&[0x5a, 0x2a, 0x4d, 0x18, 3, 0, 0, 0][..], b"abc"].concat();
    files.push([xz.clone(), vec![0; 8], compress("xz", b""), vec![0; 4]].concat());
    files.push([skipped.clone(), zstd, skipped].concat());
    // Zeros after the last member of gzip, as tapes have them.
    files.push([compress("gzip", TEXT.as_bytes()), vec![0; 100_000]].concat());
    for (number, outcome) in outcomes(&files).iter().enumerate() {
        assert_eq!(*outcome, whole(), "file {number}");
    }
    let padded = [xz, vec![0; 3]].concat();
    let [first, second] = [b"a\n", b"b\n"].map(|part| compress("gzip", part));
    let between = [first.clone(), vec![0; 8], second].concat();
    let after = [first, vec![0; 8], b"x".to_vec()].concat();
    assert_eq!(outcomes(&[padded, between, after]), ["invalid_archive"; 3]);
}

#[test]
fn a_file_that_is_cut_off_or_followed_by_something_is_refused() {
    for format in FORMATS {
        let bytes = compress(format, TEXT.as_bytes());
        // Shorter beginnings are in no format.
        let mut files: Vec<Vec<u8>> = (10..bytes.len()).map(|length| bytes[..length].to_vec()).collect();
        let tails: [&[u8]; 4] = [b"\n", b"x", b"tail of others", &bytes[..bytes.len() - 1]];
        files.extend(tails.map(|tail| [&bytes, tail].concat()));
        files.extend((1..10).map(|length| [&bytes, &bytes[..length]].concat()));
        for (number, outcome) in outcomes(&files).iter().enumerate() {
            assert_eq!(outcome, "invalid_archive", "{format}, file {number} of {} bytes", files[number].len());
        }
    }
}

#[test]
fn a_damaged_byte_never_gives_another_text() {
    for format in FORMATS {
        let bytes = compress(format, TEXT.as_bytes());
        let mut files = Vec::new();
        for at in 10..bytes.len() {
            for bits in [0x01, 0x80, 0xff] {
                let mut damaged = bytes.clone();
                damaged[at] ^= bits;
                files.push(damaged);
            }
        }
        for (number, outcome) in outcomes(&files).iter().enumerate() {
            let is_refused = ["invalid_archive", "too_large"].contains(&&**outcome);
            assert!(is_refused || *outcome == whole(), "{format}, file {number}: {outcome}");
        }
    }
}

/// Returns a frame of zstd whose header claims a window. Its only block is stored.
fn zstd_with_window(descriptor: u8) -> Vec<u8> {
    [&ZSTD[..], &[0, descriptor], &[1 | (2 << 3), 0, 0], b"a\n"].concat()
}

/// Returns a stream of xz whose block claims a dictionary.
fn xz_with_dictionary(property: u8) -> Vec<u8> {
    let mut bytes = compress("xz", TEXT.as_bytes());
    // Stream header (12), then the block header: size, flags, filter, length of properties, the dictionary.
    let size = (usize::from(bytes[12]) + 1) * 4;
    assert_eq!(bytes[13] & 0xc3, 0, "one filter, no sizes");
    bytes[16] = property;
    let sum = crc32(&bytes[12..12 + size - 4]);
    bytes[12 + size - 4..12 + size].copy_from_slice(&sum.to_le_bytes());
    bytes
}

fn crc32(bytes: &[u8]) -> u32 {
    let mut crc = flate2::Crc::new();
    crc.update(bytes);
    crc.sum()
}

#[test]
fn a_claim_of_memory_is_refused_before_it_is_taken() {
    // 128 MiB are allowed, as for the programs `zstd` and `xz`.
    let claims = [
        (zstd_with_window(0x00), "a|"),
        (zstd_with_window(17 << 3), "a|"),
        (zstd_with_window(17 << 3 | 1), "too_large"),
        (zstd_with_window(0xff), "too_large"),
        ([&ZSTD[..], &[0xe0], &u64::MAX.to_le_bytes()[..]].concat(), "too_large"),
        (xz_with_dictionary(30), &whole()),
        (xz_with_dictionary(31), "too_large"),
        (xz_with_dictionary(40), "too_large"),
        (xz_with_dictionary(41), "invalid_archive"),
    ];
    let files: Vec<Vec<u8>> = claims.iter().map(|(bytes, _)| bytes.clone()).collect();
    let expected: Vec<&str> = claims.iter().map(|(_, expected)| *expected).collect();
    assert_eq!(outcomes(&files), expected);
}

#[test]
fn a_frame_that_is_longer_than_it_says_is_damaged() {
    // 256 bytes are declared; each block is 1,024 times the letter `a`.
    let head = [&ZSTD[..], &[0x40, 0, 0, 0]].concat();
    let frames = [1, 3, 1_000].map(|count| [&head[..], &[0x02, 0x20, 0, b'a'].repeat(count)].concat());
    assert_eq!(outcomes(&frames), ["invalid_archive"; 3]);
}

#[test]
fn memory_of_decoders_is_charged() {
    let policy = "[limits]\nmemory_bytes = 16777216\n";
    // The first fits, with a dictionary of 8 MiB; the second claims 32 MiB.
    for (bytes, code) in [(xz_with_dictionary(22), 0), (xz_with_dictionary(26), 1)] {
        let place = Place::new();
        place.put("neuroscript.toml", policy.as_bytes());
        place.put("a", &bytes);
        let ran = place.eval("EMIT LEN(FS.Lines(\"a\", decompress: true))");
        assert_eq!(ran.code, code, "{}{}", ran.stdout, ran.stderr);
        assert_eq!(ran.stderr.contains("memory_bytes"), code == 1, "{}", ran.stderr);
    }
}

#[test]
fn a_dictionary_elsewhere_is_named() {
    let place = Place::new();
    let frame = [&ZSTD[..], &[1, 0, 7], &[1 | (2 << 3), 0, 0], b"a\n"].concat();
    place.put("a.zst", &frame);
    let ran =
        place.eval("CALL FS.ReadFile(\"a.zst\", decompress: true)\nEMIT LAST_ERROR.code, \": \", LAST_ERROR.message");
    let expected = "invalid_archive: `a.zst` cannot be decompressed: it was compressed with a dictionary, which is not in the file\n";
    assert_eq!(ran.stdout, expected, "{}", ran.stderr);
}

#[test]
fn bombs_are_bounded() {
    let zeros = vec![b'0'; 1 << 20];
    for format in FORMATS {
        let place = Place::new();
        place.put("bomb", &compress(format, &zeros).repeat(40));
        let ran = place.eval(
            "CALL FS.ReadFile(\"bomb\", decompress: true)\nEMIT LAST_ERROR.code\nCALL FS.Extract(\"bomb\", \"x\")\n\
             EMIT LAST_ERROR.code\nEMIT FS.Exists(\"x\")",
        );
        assert_eq!(ran.stdout, "too_large\ntoo_large\nfalse\n", "{format}: {}", ran.stderr);
        let ran = run(ns(&place.root()).args(["--max-steps", "5000", "run", "-e"]).arg(
            "FOR EACH file IN RANGE(100) DO\n  SET found = FS.SearchFiles(\"bomb\", \"1\", decompress: true)\nEND",
        ));
        assert_eq!(ran.code, 124, "{format}: {}{}", ran.stdout, ran.stderr);
    }
}

#[test]
fn archives_in_each_format() {
    let tree = tar(&[file("d/a.txt", "one\n"), file("d/b.txt", "two\n")]);
    let ends = [("gzip", "tgz"), ("zstd", "tar.zst"), ("xz", "tar.xz"), ("bzip2", "tar.bz2"), ("xz", "odd")];
    for (format, end) in ends {
        let place = Place::new();
        place.put(&format!("t.{end}"), &compress(format, &tree));
        let ran = place.eval(&format!(
            "FOR EACH entry IN FS.ListArchive(\"t.{end}\") DO\n  EMIT entry.path, \" \", entry.size\nEND\n\
             EMIT FS.ReadFile(\"t.{end}\", entry: \"d/b.txt\").content\n\
             EMIT FS.Extract(\"t.{end}\", \"x\", only: \"b.txt\").files, \" \", FS.ReadFile(\"x/d/b.txt\").content"
        ));
        assert_eq!(ran.stdout, "d/a.txt 4\nd/b.txt 4\ntwo\n\n1 two\n\n", "{end}: {}", ran.stderr);
    }
}

/// pixz appends the names in an archive and where they are; other programs pass over that.
#[test]
fn the_index_of_pixz_may_follow_an_archive() {
    let tree = tar(&[file("a.txt", "one\n")]);
    let mark = [0xa6, 0x4c, 0x32, 0x2e, 0xd6, 0x14, 0xae, 0xdb];
    let index = [&mark[..], b"a.txt\0", &[0; 8], b"\0", &1_024_u64.to_le_bytes()].concat();
    for (what, after, outcome) in [
        ("the index", index.clone(), "1"),
        ("padding around it", [&[0; 9_216][..], &index, &[0; 512]].concat(), "1"),
        ("a part of it", index[..index.len() - 1].to_vec(), "invalid_archive"),
        ("a part of its mark", mark[..5].to_vec(), "invalid_archive"),
        ("something after it", [&index[..], b"x"].concat(), "invalid_archive"),
        ("another archive", [&index[..], &tree].concat(), "invalid_archive"),
    ] {
        let place = Place::new();
        place.put("t.tar.xz", &compress("xz", &[&tree[..], &after].concat()));
        let ran = place.eval(
            "SET r = FS.Extract(\"t.tar.xz\", \"x\")\nIF r.success THEN\n  EMIT r.files\nELSE\n  EMIT LAST_ERROR.code\nENDIF",
        );
        assert_eq!(ran.stdout.trim(), outcome, "{what}: {}", ran.stderr);
    }
}

/// Empty members are passed over, each without a decoder of its own.
#[test]
fn empty_members_of_bzip2_make_no_decoder() {
    let place = Place::new();
    place.put("a", &[compress("bzip2", b"").repeat(500_000), compress("bzip2", TEXT.as_bytes())].concat());
    let ran = place.eval("EMIT FS.ReadFile(\"a\", decompress: true).lineCount");
    assert_eq!(ran.stdout, "3\n", "{}", ran.stderr);
}

#[test]
fn a_single_file_gets_its_name_without_the_end() {
    for (format, end) in [("gzip", "gz"), ("zstd", "zst"), ("xz", "XZ"), ("bzip2", "bz2")] {
        let place = Place::new();
        place.put(&format!("a.log.{end}"), &compress(format, TEXT.as_bytes()));
        let ran = place.eval(&format!(
            "EMIT FS.ListArchive(\"a.log.{end}\")[0].path\nEMIT FS.Extract(\"a.log.{end}\", \"x\").files\n\
             EMIT FS.ReadFile(\"x/a.log\").lineCount"
        ));
        assert_eq!(ran.stdout, "a.log\n1\n3\n", "{end}: {}", ran.stderr);
    }
}

/// Files of the programs that people use, with checksums, several blocks and threads.
#[test]
fn files_of_other_programs() {
    let text: String = (0..60_000).map(|number| format!("line {number}\n")).collect();
    let programs: [(&str, &[&str]); 6] = [
        ("zstd", &["-q", "-c"]),
        ("zstd", &["-q", "-c", "--ultra", "-22", "--long=27"]),
        ("xz", &["-c", "-9", "--check=sha256"]),
        ("xz", &["-c", "--block-size=65536", "--threads=2"]),
        ("bzip2", &["-c", "-1"]),
        ("gzip", &["-c"]),
    ];
    for (program, options) in programs {
        if !super::has(program) {
            continue;
        }
        let place = Place::new();
        place.put("a.txt", text.as_bytes());
        let packed = std::process::Command::new(program).args(options).arg(place.root().join("a.txt")).output();
        place.put("packed", &packed.expect("the program is there").stdout);
        let ran = place.eval(
            "SET text = FS.ReadFile(\"a.txt\").content\nEMIT FS.ReadFile(\"packed\", decompress: true).content == text\n\
             SET last_line = \"\"\nFOR EACH line IN FS.Lines(\"packed\", decompress: true) DO\n  SET last_line = line\nEND\nEMIT last_line",
        );
        assert_eq!(ran.stdout, "true\nline 59999\n", "{program} {options:?}: {}", ran.stderr);
    }
}
