//! Images whose EXIF is in an old form, incomplete or not meant.

use std::io::Write as _;

use serde_json::json;

use super::{Bench, SIDES, png_chunk, tiff};

const NAME: &[u8] = b"Raw profile type exif";

/// Returns a TIFF structure with these times, which follow its only directory.
fn times(fields: &[(u32, &str)]) -> Vec<u8> {
    let start = 8 + 2 + (SIDES.len() + fields.len()) * 12 + 4;
    let (mut entries, mut rest) = (SIDES.to_vec(), Vec::new());
    for (tag, text) in fields {
        entries.push([*tag, 2, text.len() as u32 + 1, (start + rest.len()) as u32]);
        rest.extend(text.as_bytes());
        rest.push(0);
    }
    tiff(&entries, &rest)
}

/// Puts the fields of the camera into a directory of their own.
fn camera(fields: &[(u32, &str)]) -> Vec<u8> {
    let above = 8 + 2 + 3 * 12 + 4;
    let start = above + 2 + fields.len() * 12 + 4;
    let (mut directory, mut rest) = ((fields.len() as u16).to_le_bytes().to_vec(), Vec::new());
    for (tag, text) in fields {
        directory.extend((*tag as u16).to_le_bytes());
        directory.extend(2_u16.to_le_bytes());
        directory.extend((text.len() as u32 + 1).to_le_bytes());
        directory.extend(((start + rest.len()) as u32).to_le_bytes());
        rest.extend(text.as_bytes());
        rest.push(0);
    }
    tiff(&[SIDES[0], SIDES[1], [0x8769, 4, 1, above as u32]], &[directory, vec![0; 4], rest].concat())
}

#[test]
fn the_time_of_digitizing_stands_in_for_a_missing_one() {
    const TAKEN: u32 = 0x9003;
    const DIGITIZED: u32 = 0x9004;
    let bench = Bench::new();
    for (fields, taken) in [
        (&[(TAKEN, "2024:05:12 10:15:00"), (DIGITIZED, "2019:07:08 09:10:11")][..], json!("2024-05-12T10:15:00")),
        (&[(DIGITIZED, "2019:07:08 09:10:11")], json!("2019-07-08T09:10:11")),
        (&[(TAKEN, "0000:00:00 00:00:00"), (DIGITIZED, "2019:07:08 09:10:11")], json!("2019-07-08T09:10:11")),
        (&[(TAKEN, "    :  :     :  :  "), (DIGITIZED, "2019:07:08 09:10:11")], json!("2019-07-08T09:10:11")),
        // Each time has an offset of its own.
        (
            &[(DIGITIZED, "2019:07:08 09:10:11"), (0x9011, "+05:00"), (0x9012, "+02:00")],
            json!("2019-07-08T09:10:11+02:00"),
        ),
        (&[(DIGITIZED, "0000:00:00 00:00:00")], json!(null)),
    ] {
        let answer = bench.read("IMAGE.Info", &camera(fields)).expect("it is read");
        assert_eq!(json!([answer["width"], answer["taken"]]), json!([40, taken]), "{fields:?}");
    }
}

/// Returns a PNG file with these chunks after its head.
fn png(chunks: &[Vec<u8>]) -> Vec<u8> {
    let head = [&640_u32.to_be_bytes()[..], &480_u32.to_be_bytes(), &[8, 2, 0, 0, 0]].concat();
    [b"\x89PNG\r\n\x1a\n", &png_chunk(b"IHDR", &head)[..], &chunks.concat(), &png_chunk(b"IEND", &[])].concat()
}

/// Returns the text that programs write for a profile.
fn profile(bytes: &[u8]) -> String {
    let digits: String = bytes.iter().map(|byte| format!("{byte:02x}")).collect();
    let lines: Vec<&str> =
        digits.as_bytes().chunks(72).map(|line| std::str::from_utf8(line).expect("digits")).collect();
    format!("\nexif\n{:8}\n{}\n", bytes.len(), lines.join("\n"))
}

fn packed(text: &[u8]) -> Vec<u8> {
    let mut encoder = flate2::write::ZlibEncoder::new(Vec::new(), flate2::Compression::best());
    encoder.write_all(text).expect("memory takes everything");
    png_chunk(b"zTXt", &[NAME, b"\0\0", &encoder.finish().expect("memory takes everything")].concat())
}

#[test]
fn exif_in_a_text_of_png_is_read() {
    let bench = Bench::new();
    let exif = times(&[(0x9003, "2019:07:08 09:10:11"), (0x010f, "Nordlicht")]);
    let marked = [b"Exif\0\0", &exif[..]].concat();
    let plain = png_chunk(b"tEXt", &[NAME, b"\0", profile(&exif).as_bytes()].concat());
    let other = times(&[(0x9003, "2001:01:01 01:01:01")]);
    for (what, chunks, taken) in [
        ("plain", vec![plain.clone()], json!("2019-07-08T09:10:11")),
        ("packed", vec![packed(profile(&exif).as_bytes())], json!("2019-07-08T09:10:11")),
        ("with the mark of JPEG", vec![packed(profile(&marked).as_bytes())], json!("2019-07-08T09:10:11")),
        ("beside the chunk for EXIF", vec![plain, png_chunk(b"eXIf", &other)], json!("2001-01-01T01:01:01")),
        ("no digits", vec![packed(b"\nexif\n      20\nnothing of the sort\n")], json!(null)),
        ("a large number", vec![packed(b"\nexif\n99999999999999999999\n4949\n")], json!(null)),
        ("a bomb", vec![packed(&vec![b'4'; 50 << 20])], json!(null)),
        ("nothing", vec![packed(b"")], json!(null)),
    ] {
        let answer = bench.read("IMAGE.Info", &png(&chunks)).unwrap_or_else(|failure| panic!("{what}: {failure}"));
        assert_eq!(json!([answer["width"], answer["taken"]]), json!([640, taken]), "{what}");
    }
}

#[test]
fn big_tiff_is_refused_by_its_name() {
    let bench = Bench::new();
    for start in [&b"II+\0\x08\0\0\0\x10\0\0\0\0\0\0\0"[..], b"MM\0+\0\x08\0\0\0\0\0\0\0\0\0\x10"] {
        let failure = bench.read("IMAGE.Info", start).expect_err("it is refused");
        assert_eq!(failure["message"], "`file` is BigTIFF, whose head is not read");
    }
}
