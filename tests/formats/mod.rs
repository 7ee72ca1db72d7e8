//! `IMAGE.Info` and `AUDIO.Tags`: files of other encoders, files that were cut off at every byte or damaged, and files that
//! were made to take long or much memory.
//!
//! `tests/formats/make.py` made the files in `files/`. `NS_LONG=1` damages more of them, `NS_SEED` damages others.

mod music;
mod pictures;
mod sounds;

use neuroscript::engine::{Engine, Options, Value};
use serde_json::{Value as Json, json};
use tempfile::TempDir;

use crate::support::dice::Dice;
use crate::support::{folder_in_memory, package, songs};

fn fields(answer: &Json, names: &[&str]) -> Json {
    names.iter().map(|name| answer[*name].clone()).collect()
}

/// A sandbox with an engine.
struct Bench {
    place: TempDir,
    engine: Engine,
    _policy: TempDir,
}

impl Bench {
    fn new() -> Bench {
        let (place, outside) = (folder_in_memory(), folder_in_memory());
        let policy = outside.path().join("limits.toml");
        std::fs::write(&policy, "[limits]\nmemory_bytes = 67108864\n").expect("a policy");
        let sandbox = Some(place.path().to_owned());
        let options = Options { sandbox, policy: Some(policy), ..Options::default() };
        let engine = Engine::open(&options).unwrap_or_else(|error| panic!("{:?}", error.findings));
        Bench { place, engine, _policy: outside }
    }

    /// Returns the answer for a file of these bytes, or the failure in its form for programs.
    fn read(&self, tool: &str, bytes: &[u8]) -> Result<Json, Json> {
        std::fs::write(self.place.path().join("file"), bytes).expect("a file");
        let gps = tool == "IMAGE.Info";
        let arguments = if gps { json!({ "path": "file", "gps": true }) } else { json!({ "path": "file" }) };
        let arguments: Value = serde_json::from_value(arguments).expect("JSON is a value");
        self.engine.call(tool, &arguments).map(|answer| json!(answer)).map_err(|error| error.shape())
    }

    /// Reads a file that may be damaged. Returns whether it was read.
    fn read_damaged(&self, tool: &str, bytes: &[u8], what: &str) -> bool {
        match self.read(tool, bytes) {
            Ok(answer) => {
                assert!(answer["mimeType"].is_string(), "{what}: {answer}");
                true
            }
            Err(failure) => {
                let code = failure["code"].as_str().expect("a code");
                let is_known = ["invalid_media", "too_large", "limit_exceeded"].contains(&code);
                let is_fault = failure["message"].as_str().is_some_and(|message| message.contains("a fault of it"));
                assert!(is_known && !is_fault, "{what}: {failure}");
                false
            }
        }
    }
}

fn file(name: &str) -> Vec<u8> {
    std::fs::read(package("tests/formats/files").join(name)).expect("the file")
}

/// Returns the files, each with the tool that reads it.
fn samples() -> Vec<(String, &'static str, Vec<u8>)> {
    let folder = std::fs::read_dir(package("tests/formats/files")).expect("the files");
    let mut names: Vec<String> =
        folder.map(|entry| entry.expect("an entry").file_name().into_string().expect("a name")).collect();
    names.sort();
    assert!(names.len() >= 19, "{names:?}");
    let with_tool = |name: String| {
        let tool = if name.starts_with("song.") { "AUDIO.Tags" } else { "IMAGE.Info" };
        let bytes = file(&name);
        (name, tool, bytes)
    };
    names.into_iter().map(with_tool).collect()
}

#[test]
fn images_of_other_encoders_are_described() {
    let bench = Bench::new();
    let camera = json!({
        "orientation": 6, "taken": "2024-05-12T23:30:05+02:00", "make": "Nordlicht", "model": "N-1 Mark II", "lens": "NL 24-70mm F2.8",
        "gps": { "latitude": -33.8567667, "longitude": 151.2097667, "altitude": -12.5 },
    });
    let plain = json!({ "orientation": 1, "taken": null, "make": null, "model": null, "lens": null, "gps": null });
    let mut old = camera.clone();
    old["orientation"] = json!(1);
    old["taken"] = json!("2024-05-12T23:30:05");
    // The encoder turns the picture itself, and says so in EXIF.
    let mut upright = camera.clone();
    upright["orientation"] = json!(1);
    for (name, mime, width, height, rest) in [
        ("camera.jpg", "image/jpeg", 30, 40, &camera),
        ("old_camera.jpg", "image/jpeg", 40, 30, &old),
        ("plain.jpg", "image/jpeg", 40, 30, &plain),
        ("camera.png", "image/png", 30, 40, &camera),
        ("camera.webp", "image/webp", 30, 40, &camera),
        ("lossless.webp", "image/webp", 40, 30, &plain),
        ("lossy.webp", "image/webp", 40, 30, &plain),
        ("camera.tif", "image/tiff", 30, 40, &camera),
        ("plain.bmp", "image/bmp", 40, 30, &plain),
        ("plain.gif", "image/gif", 40, 30, &plain),
        ("camera.heic", "image/heic", 40, 30, &upright),
        ("camera.avif", "image/avif", 30, 40, &camera),
    ] {
        let mut expected = rest.clone();
        for (key, value) in [
            ("path", json!("file")),
            ("mimeType", json!(mime)),
            ("width", json!(width)),
            ("height", json!(height)),
            ("error", Json::Null),
        ] {
            expected[key] = value;
        }
        assert_eq!(bench.read("IMAGE.Info", &file(name)).expect(name), expected, "{name}");
    }
}

#[test]
fn audio_of_other_encoders_has_its_tags() {
    let bench = Bench::new();
    for (name, mime, rate) in [
        ("song.mp3", "audio/mpeg", 8_000),
        ("song.flac", "audio/flac", 8_000),
        ("song.ogg", "audio/ogg", 8_000),
        ("song.opus", "audio/ogg", 48_000),
        ("song.m4a", "audio/mp4", 8_000),
        ("song.wav", "audio/wav", 8_000),
        ("song.aiff", "audio/aiff", 8_000),
    ] {
        let mut answer = bench.read("AUDIO.Tags", &file(name)).expect(name);
        let seconds = answer["duration"].as_f64().expect("a duration");
        // Encoders add samples before and after.
        assert!((0.95..1.25).contains(&seconds), "{name}: {seconds}");
        let answer = answer.as_object_mut().expect("a map");
        answer.remove("duration");
        answer.remove("bitrate");
        let expected = json!({
            "error": null, "path": "file", "mimeType": mime, "title": "Früh am Morgen", "artist": "Die Band", "album": "Erstes",
            "albumArtist": "Diverse", "track": 3, "trackTotal": 12, "disc": 1, "discTotal": 2, "date": "2024-05-12", "year": 2024,
            "genre": "Folk", "sampleRate": rate, "channels": 1,
        });
        assert_eq!(json!(answer), expected, "{name}");
    }
}

/// A file that ends too early gives what its head says, or a failure of a known kind.
#[test]
fn a_file_may_be_cut_off_anywhere() {
    let bench = Bench::new();
    let (mut read, mut refused) = (0, 0);
    for (name, tool, bytes) in samples() {
        for length in 0..bytes.len().min(1_200) {
            let is_read = bench.read_damaged(tool, &bytes[..length], &format!("{name}, {length} bytes"));
            *(if is_read { &mut read } else { &mut refused }) += 1;
        }
    }
    assert!(read > 1_000 && refused > 1_000, "{read} were read, {refused} refused");
}

#[test]
fn no_damaged_file_makes_a_reader_panic() {
    let bench = Bench::new();
    let seed = std::env::var("NS_SEED").ok().and_then(|seed| seed.parse().ok()).unwrap_or(1);
    let rounds = if std::env::var_os("NS_LONG").is_some() { 20_000 } else { 200 };
    let mut dice = Dice::new(seed);
    let (mut read, mut refused) = (0, 0);
    for (name, tool, sample) in samples() {
        for round in 0..rounds {
            let mut bytes = sample.clone();
            for _ in 0..1 + dice.below(4) {
                let at = dice.below(bytes.len().min(1_200));
                match dice.below(3) {
                    0 => bytes[at] ^= 1 << dice.below(8),
                    1 => bytes[at] = dice.pick(&[0, 1, 0x7f, 0x80, 0xff]),
                    _ => drop(bytes.splice(at..at, [0xff; 4])),
                }
            }
            let is_read = bench.read_damaged(tool, &bytes, &format!("{name} (seed {seed}, round {round})"));
            *(if is_read { &mut read } else { &mut refused }) += 1;
        }
    }
    assert!(read > 100 && refused > 100, "{read} were read, {refused} refused");
}

/// Returns a TIFF file whose first directory has these fields: tag, type, count and value.
fn tiff(fields: &[[u32; 4]], rest: &[u8]) -> Vec<u8> {
    let mut bytes = b"II*\0\x08\0\0\0".to_vec();
    bytes.extend((fields.len() as u16).to_le_bytes());
    for [tag, kind, count, value] in fields {
        bytes.extend((*tag as u16).to_le_bytes());
        bytes.extend((*kind as u16).to_le_bytes());
        bytes.extend(count.to_le_bytes());
        bytes.extend(value.to_le_bytes());
    }
    bytes.extend([0; 4]);
    bytes.extend(rest);
    bytes
}

const SIDES: [[u32; 4]; 2] = [[0x100, 4, 1, 40], [0x101, 4, 1, 30]];

#[test]
fn directories_that_lead_in_a_circle_end() {
    let bench = Bench::new();
    // The EXIF, the position and the images below the first are the first directory itself.
    let circle = [&SIDES[..], &[[0x14a, 4, 1, 8], [0x8769, 4, 1, 8], [0x8825, 4, 1, 8]]].concat();
    let answer = bench.read("IMAGE.Info", &tiff(&circle, &[])).expect("it is read");
    assert_eq!(json!([answer["width"], answer["height"], answer["taken"]]), json!([40, 30, null]));
    // 5,000 EXIF directories that overlap, each with 2,000 fields: one is read.
    let many: Vec<[u32; 4]> = (0..2_000).map(|index| [0x8769, 4, 1, 40_000 + index]).collect();
    let rest = [&[0xd0, 0x07].repeat(10_000)[..], &[0; 30_000]].concat();
    let answer = bench.read("IMAGE.Info", &tiff(&[&SIDES[..], &many].concat(), &rest)).expect("it is read");
    assert_eq!(answer["width"], 40);
}

#[test]
fn sizes_that_are_claimed_are_not_believed() {
    let bench = Bench::new();
    for (count, value) in [(u32::MAX, 8), (100 << 20, 8), (20, u32::MAX), (20, 0xffff_fff0), (5, 0)] {
        let claims =
            [&SIDES[..], &[[0x10f, 2, count, value], [0x14a, 4, count, value], [0x8769, 4, 1, value]]].concat();
        let answer = bench.read("IMAGE.Info", &tiff(&claims, &[])).expect("it is read");
        assert_eq!(answer["width"], 40, "{count} {value}: {answer}");
    }
    let png = file("camera.png");
    let exif = png.windows(4).position(|name| name == b"eXIf").expect("the chunk");
    let mut claimed = png.clone();
    claimed[exif - 4..exif].copy_from_slice(&u32::MAX.to_be_bytes());
    assert_eq!(bench.read("IMAGE.Info", &claimed).expect("it is read")["width"], 30);
    // A tag of 256 MB, and a comment of 4 GB.
    let id3 = [&b"ID3\x04\0\0\x7f\x7f\x7f\x7fTIT2\x7f\x7f\x7f\x7f\0\0\x03x"[..], &[0; 64]].concat();
    bench.read_damaged("AUDIO.Tags", &id3, "ID3");
    let mut flac = file("song.flac");
    let title = flac.windows(6).position(|text| text.eq_ignore_ascii_case(b"title=")).expect("the title");
    flac[title - 4..title].copy_from_slice(&u32::MAX.to_le_bytes());
    bench.read_damaged("AUDIO.Tags", &flac, "FLAC");
}

/// The number of bytes that are read has a bound, however the parts of a file are spread.
#[test]
fn a_file_of_many_small_parts_is_left() {
    let bench = Bench::new();
    let segments = [&b"\xff\xd8"[..], &b"\xff\xe2\0\x04ab".repeat(500_000)].concat();
    let failure = bench.read("IMAGE.Info", &segments).expect_err("it is refused");
    assert_eq!(failure["code"], "invalid_media", "{failure}");
    assert!(failure["message"].as_str().is_some_and(|message| message.contains("too many places")), "{failure}");
    let junk = [&b"ID3\x04\0\0\0\0\0\0"[..], &[0xff, 0xfb, 0, 0].repeat(4 << 20)].concat();
    bench.read_damaged("AUDIO.Tags", &junk, "MP3 without a frame");
    let failure = bench.read("AUDIO.Tags", &songs::flac(1_200_000)).expect_err("it is refused");
    assert_eq!(failure["code"], "too_large", "{failure}");
}

/// A reader that compares each frame with those before it would take minutes for these.
#[test]
fn id3_of_many_frames_is_left() {
    let bench = Bench::new();
    bench.read("AUDIO.Tags", &songs::id3(80_000)).expect("it is read");
    let failure = bench.read("AUDIO.Tags", &songs::id3(120_000)).expect_err("it is refused");
    assert_eq!(failure["code"], "too_large", "{failure}");
}

#[test]
fn files_of_another_kind_are_refused_with_their_kind() {
    let bench = Bench::new();
    for (tool, bytes, message) in [
        ("IMAGE.Info", &b"text\n"[..], "`file` is text, not an image"),
        ("IMAGE.Info", b"", "`file` is empty"),
        ("IMAGE.Info", b"%PDF-1.7\n", "`file` is application/pdf, not an image"),
        ("IMAGE.Info", b"\0\x01\x02\x03", "`file` is in no known format of images"),
        ("AUDIO.Tags", b"", "`file` is empty"),
        ("AUDIO.Tags", b"%PDF-1.7\n", "`file` is application/pdf, whose tags are not read"),
        ("AUDIO.Tags", b"text\n", "`file` is in no known format of audio"),
    ] {
        let failure = bench.read(tool, bytes).expect_err("it is refused");
        assert_eq!((&failure["code"], &failure["message"]), (&json!("invalid_media"), &json!(message)), "{tool}");
    }
}

/// Returns a chunk of PNG. Its checksum is not looked at.
fn png_chunk(name: &[u8; 4], content: &[u8]) -> Vec<u8> {
    let length = u32::try_from(content.len()).expect("a short chunk").to_be_bytes();
    [&length, &name[..], content, &[0; 4]].concat()
}

#[test]
fn an_image_of_many_chunks_keeps_its_dimensions() {
    let bench = Bench::new();
    let head = [&640_u32.to_be_bytes()[..], &480_u32.to_be_bytes(), &[8, 2, 0, 0, 0]].concat();
    for (count, length) in [(3, 8_192), (300, 8_192), (10_000, 4_096)] {
        let mut bytes = b"\x89PNG\r\n\x1a\n".to_vec();
        bytes.extend(png_chunk(b"IHDR", &head));
        for _ in 0..count {
            bytes.extend(png_chunk(b"IDAT", &vec![0; length]));
        }
        bytes.extend(png_chunk(b"IEND", &[]));
        let answer = bench.read("IMAGE.Info", &bytes).unwrap_or_else(|failure| panic!("{count}: {failure}"));
        assert_eq!((&answer["width"], &answer["height"]), (&json!(640), &json!(480)), "{count}");
    }
}

#[test]
fn a_text_that_begins_like_an_image_is_no_image() {
    let bench = Bench::new();
    for text in
        ["BMW drives better than the others do in winter, they say", "GIF files are images, and this is none of them"]
    {
        let failure = bench.read("IMAGE.Info", text.as_bytes()).expect_err("a text");
        let message = failure["message"].as_str().expect("a message");
        assert!(failure["code"] == "invalid_media" && message.contains("is text"), "{failure}");
    }
}
