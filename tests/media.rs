//! `FS.ReadMedia`: what arrives of images in every format, scaled and turned; bombs; and damaged files, of which none
//! may make a decoder panic.
//!
//! `NS_LONG=1` damages 10,000 files of each format, `NS_SEED` damages others. The files in `tests/media/` are of kinds that
//! no encoder here writes.

use std::io::Cursor;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use image::{DynamicImage, GenericImageView, ImageFormat, Rgb, RgbImage, Rgba, RgbaImage};
use neuroscript::engine::{Engine, Options, Value};
use serde_json::{Value as Json, json};
use tempfile::TempDir;

use crate::support::dice::Dice;
use crate::support::{folder_in_memory, ns, package, run};

/// Files that were written by other encoders.
const FILES: [(&str, ImageFormat); 5] = [
    ("progressive.jpg", ImageFormat::Jpeg),
    ("cmyk.jpg", ImageFormat::Jpeg),
    ("lossy.webp", ImageFormat::WebP),
    ("animated.webp", ImageFormat::WebP),
    ("animated.gif", ImageFormat::Gif),
];
const FORMATS: [ImageFormat; 5] =
    [ImageFormat::Png, ImageFormat::Jpeg, ImageFormat::Gif, ImageFormat::WebP, ImageFormat::Bmp];

/// A sandbox with an engine.
struct Bench {
    place: TempDir,
    engine: Engine,
}

impl Bench {
    fn new(options: Options) -> Bench {
        let place = folder_in_memory();
        let options = Options { sandbox: Some(place.path().to_owned()), ..options };
        let engine = Engine::open(&options).unwrap_or_else(|error| panic!("{:?}", error.findings));
        Bench { place, engine }
    }

    fn write(&self, name: &str, bytes: &[u8]) {
        std::fs::write(self.place.path().join(name), bytes).expect("a file");
    }

    /// Returns the answer, or the failure in its form for programs.
    fn read(&self, arguments: Json) -> Result<Json, Json> {
        let arguments: Value = serde_json::from_value(arguments).expect("JSON is a value");
        match self.engine.call("FS.ReadMedia", &arguments) {
            Ok(answer) => Ok(json!(answer)),
            Err(error) => Err(error.shape()),
        }
    }
}

/// Returns an image in which every quarter has its color: red, green above blue, white.
fn quarters(width: u32, height: u32) -> DynamicImage {
    RgbImage::from_fn(width, height, |x, y| match (x < width / 2, y < height / 2) {
        (true, true) => Rgb([255, 0, 0]),
        (false, true) => Rgb([0, 255, 0]),
        (true, false) => Rgb([0, 0, 255]),
        (false, false) => Rgb([255, 255, 255]),
    })
    .into()
}

fn encoded(image: &DynamicImage, format: ImageFormat) -> Vec<u8> {
    let mut bytes = Cursor::new(Vec::new());
    image.write_to(&mut bytes, format).expect("it is encoded");
    bytes.into_inner()
}

fn bytes_of(answer: &Json) -> Vec<u8> {
    STANDARD.decode(answer["data"].as_str().expect("data")).expect("base64")
}

/// Decodes the data of an answer in the format that it names.
fn image_of(answer: &Json) -> DynamicImage {
    let format = ImageFormat::from_mime_type(answer["mimeType"].as_str().expect("a type")).expect("an image");
    let image = image::load_from_memory_with_format(&bytes_of(answer), format).expect("it is decoded");
    assert_eq!(json!([image.width(), image.height()]), json!([answer["width"], answer["height"]]), "{answer}");
    image
}

/// Returns the letter of the nearest of the colors of [`quarters`].
fn letter(Rgba([red, green, blue, _]): Rgba<u8>) -> char {
    match (red > 127, green > 127, blue > 127) {
        (true, false, false) => 'r',
        (false, true, false) => 'g',
        (false, false, true) => 'b',
        (true, true, true) => 'w',
        _ => '?',
    }
}

/// Returns the letters of the quarters, line by line.
fn letters(image: &DynamicImage) -> String {
    let (width, height) = image.dimensions();
    let at = |x: u32, y: u32| letter(image.get_pixel(x * width / 4, y * height / 4));
    [at(1, 1), at(3, 1), at(1, 3), at(3, 3)].iter().collect()
}

#[test]
fn every_format_arrives_and_is_scaled() {
    let bench = Bench::new(Options::default());
    for format in FORMATS {
        let file = encoded(&quarters(120, 80), format);
        bench.write("image", &file);
        let whole = bench.read(json!({ "path": "image" })).expect("it is read");
        assert_eq!((&whole["scaled"], &whole["sizeBytes"]), (&json!(false), &json!(file.len())), "{format:?}");
        assert_eq!(letters(&image_of(&whole)), "rgbw", "{format:?}");
        if format == ImageFormat::Bmp {
            assert_eq!(whole["mimeType"], "image/png", "models take no BMP");
        } else {
            assert_eq!(bytes_of(&whole), file, "{format:?}");
        }
        for (side, width, height) in
            [(60, 60, 40), (59, 59, 39), (30, 30, 20), (7, 7, 5), (1, 1, 1), (120, 120, 80), (8000, 120, 80)]
        {
            let answer = bench.read(json!({ "path": "image", "max_side": side })).expect("it is read");
            let dimensions =
                json!([answer["width"], answer["height"], answer["originalWidth"], answer["originalHeight"]]);
            assert_eq!(dimensions, json!([width, height, 120, 80]), "{format:?} {side}");
            assert_eq!(answer["scaled"], side < 120, "{format:?} {side}");
            let kept = if format == ImageFormat::Jpeg { "image/jpeg" } else { "image/png" };
            let mime = if side < 120 { kept } else { whole["mimeType"].as_str().expect("a type") };
            assert_eq!(answer["mimeType"], mime, "{format:?} {side}");
            let image = image_of(&answer);
            assert!(side == 1 || letters(&image) == "rgbw", "{format:?} {side}: {}", letters(&image));
        }
    }
}

#[test]
fn files_of_other_encoders_arrive_and_are_scaled() {
    let bench = Bench::new(Options::default());
    for (name, format) in FILES {
        let file = std::fs::read(package("tests/media").join(name)).expect("the file");
        bench.write("image", &file);
        let whole = bench.read(json!({ "path": "image" })).unwrap_or_else(|error| panic!("{name}: {error}"));
        assert_eq!(
            (whole["mimeType"].as_str(), bytes_of(&whole) == file),
            (Some(format.to_mime_type()), true),
            "{name}"
        );
        let small = bench.read(json!({ "path": "image", "max_side": 30 })).expect("it is scaled");
        let image = image_of(&small).into_rgb8();
        assert_eq!(image.dimensions(), (30, 20), "{name}");
        // The red of the first frame grows to the right, its green downwards.
        let Rgb([red, green, _]) = image.get_pixel(25, 15);
        let near = |found: u8, expected: u8| found.abs_diff(expected) < 40;
        assert!(near(*red, 204) && near(*green, 186), "{name}: {red} {green}");
    }
}

/// Inserts the orientation into a JPEG file, as cameras do.
fn with_orientation(jpeg: &[u8], orientation: u8) -> Vec<u8> {
    let tiff =
        [b"Exif\0\0II*\0\x08\0\0\0\x01\0\x12\x01\x03\0\x01\0\0\0", &[orientation, 0, 0, 0][..], &[0; 4]].concat();
    let length = (tiff.len() as u16 + 2).to_be_bytes();
    [&jpeg[..2], &[0xff, 0xe1], &length, &tiff, &jpeg[2..]].concat()
}

/// An image that a camera took in any position is scaled as a person sees it.
#[test]
fn the_orientation_is_honoured() {
    let bench = Bench::new(Options::default());
    let jpeg = encoded(&quarters(120, 80), ImageFormat::Jpeg);
    // TIFF 6.0, "Orientation": where the first row and the first column of the file are on the screen.
    let seen = ["rgbw", "grwb", "wbgr", "bwrg", "rbgw", "brwg", "wgbr", "gwrb"];
    for (orientation, seen) in (1..).zip(seen) {
        bench.write("photo", &with_orientation(&jpeg, orientation));
        let is_turned = orientation > 4;
        let whole = bench.read(json!({ "path": "photo" })).expect("it is read");
        let expected = if is_turned { json!([80, 120]) } else { json!([120, 80]) };
        assert_eq!(json!([whole["width"], whole["height"]]), expected, "{orientation}");
        let small = bench.read(json!({ "path": "photo", "max_side": 60 })).expect("it is read");
        let image = image_of(&small);
        assert_eq!(image.dimensions(), if is_turned { (40, 60) } else { (60, 40) }, "{orientation}");
        assert_eq!(letters(&image), seen, "{orientation}");
    }
}

/// Returns pixels that no format compresses.
fn noise(side: u32, alpha: bool) -> DynamicImage {
    let mut dice = Dice::new(7);
    let mut byte = || dice.below(256) as u8;
    if alpha {
        RgbaImage::from_fn(side, side, |_, _| Rgba([byte(), byte(), byte(), 0])).into()
    } else {
        RgbImage::from_fn(side, side, |_, _| Rgb([byte(), byte(), byte()])).into()
    }
}

#[test]
fn an_image_with_too_many_bytes_is_refused_or_becomes_a_jpeg() {
    let bench = Bench::new(Options::default());
    let file = encoded(&noise(300, false), ImageFormat::Png);
    bench.write("noise.png", &file);
    let failure = bench.read(json!({ "path": "noise.png", "max_bytes": 100_000 })).expect_err("it is too large");
    assert_eq!(failure["code"], "too_large", "{failure}");
    let message = failure["message"].as_str().expect("a message");
    assert!(message.contains("300x300") && message.contains(&file.len().to_string()), "{message}");
    assert!(failure["hint"].as_str().is_some_and(|hint| hint.contains("max_side")), "{failure}");
    let answer = bench.read(json!({ "path": "noise.png", "max_bytes": 100_000, "max_side": 8000 })).expect("a JPEG");
    assert_eq!(json!([answer["mimeType"], answer["scaled"], answer["width"]]), json!(["image/jpeg", false, 300]));
    assert!(bytes_of(&answer).len() <= 100_000);
    image_of(&answer);
    let failure =
        bench.read(json!({ "path": "noise.png", "max_bytes": 1000, "max_side": 8000 })).expect_err("too large");
    assert_eq!(json!([failure["code"], failure["hint"]]), json!(["too_large", "give a smaller `max_side`"]));
    // Transparent parts become white.
    bench.write("clear.png", &encoded(&noise(300, true), ImageFormat::Png));
    let answer = bench.read(json!({ "path": "clear.png", "max_bytes": 20_000, "max_side": 8000 })).expect("a JPEG");
    let white = |Rgb([red, green, blue]): &Rgb<u8>| *red > 250 && *green > 250 && *blue > 250;
    assert!(image_of(&answer).into_rgb8().pixels().all(white), "{}", answer["mimeType"]);
}

/// Returns a PNG file that says it has these dimensions.
fn bomb(width: u32, height: u32) -> Vec<u8> {
    let mut file = encoded(&quarters(2, 2), ImageFormat::Png);
    file[16..20].copy_from_slice(&width.to_be_bytes());
    file[20..24].copy_from_slice(&height.to_be_bytes());
    let mut sum = flate2::Crc::new();
    sum.update(&file[12..29]);
    file[29..33].copy_from_slice(&sum.sum().to_be_bytes());
    file
}

#[test]
fn bombs_are_refused_before_they_are_decoded() {
    let bench = Bench::new(Options::default());
    for (width, height) in [(60_000, 60_000), (8_001, 8_000), (1_000_000_000, 2), (2, 2_000_000_000)] {
        bench.write("bomb.png", &bomb(width, height));
        for max_side in [None, Some(100)] {
            let mut arguments = json!({ "path": "bomb.png" });
            if let Some(side) = max_side {
                arguments["max_side"] = json!(side);
            }
            let failure = bench.read(arguments).expect_err("it is refused");
            let known = ["too_large", "invalid_media"].contains(&failure["code"].as_str().expect("a code"));
            assert!(known, "{width}x{height}: {failure}");
        }
    }
    bench.write("bomb.png", &bomb(60_000, 60_000));
    let failure = bench.read(json!({ "path": "bomb.png" })).expect_err("it is refused");
    let message = failure["message"].as_str().expect("a message");
    assert!(message.contains("60000x60000 pixels, more than the 64000000 that are decoded"), "{message}");
    // A size that is allowed is charged before it is decoded.
    let policy = bench.place.path().join("limits.toml");
    std::fs::write(&policy, "[limits]\nmemory_bytes = 16777216\n").expect("a policy");
    let bench = Bench::new(Options { policy: Some(policy), ..Options::default() });
    bench.write("bomb.png", &bomb(7_000, 7_000));
    let failure = bench.read(json!({ "path": "bomb.png" })).expect_err("it is refused");
    assert_eq!(failure["code"], "limit_exceeded", "{failure}");
    assert!(failure["message"].as_str().is_some_and(|message| message.contains("memory_bytes")), "{failure}");
}

/// Every file that is cut off is refused, so that no model gets half an image.
#[test]
fn a_file_that_was_cut_off_is_refused() {
    let bench = Bench::new(Options::default());
    for format in FORMATS {
        let file = encoded(&noise(40, false), format);
        for part in 1..8 {
            bench.write("cut", &file[..file.len() * part / 8]);
            let answer = bench.read(json!({ "path": "cut" }));
            let failure = answer.expect_err(&format!("{format:?} {part}"));
            assert_eq!(failure["code"], "invalid_media", "{format:?} {part}: {failure}");
        }
    }
}

/// Damages a file: bytes are changed, removed, repeated or inserted.
fn damage(file: &[u8], dice: &mut Dice) -> Vec<u8> {
    let mut bytes = file.to_vec();
    for _ in 0..1 + dice.below(4) {
        // The head decides most.
        let end = if dice.one_in(2) { bytes.len().min(64) } else { bytes.len() };
        let at = dice.below(end.max(1));
        let length = dice.below(8).min(bytes.len() - at);
        match dice.below(5) {
            0 => bytes.truncate(at),
            1 => drop(bytes.drain(at..at + length)),
            2 => {
                let again = bytes[at..at + length].to_vec();
                bytes.splice(at..at, again);
            }
            3 => bytes.iter_mut().skip(at).take(length).for_each(|byte| *byte = dice.pick(&[0, 1, 0x7f, 0x80, 0xff])),
            _ => bytes.iter_mut().skip(at).take(1).for_each(|byte| *byte ^= 1 << dice.below(8)),
        }
        if bytes.is_empty() {
            break;
        }
    }
    bytes
}

/// Returns valid files of every format, of several kinds.
fn samples() -> Vec<Vec<u8>> {
    let images = [quarters(30, 20), quarters(1, 1).into_luma8().into(), quarters(9, 33).into_rgba8().into()];
    let mut samples: Vec<Vec<u8>> = FORMATS
        .into_iter()
        .flat_map(|format| {
            images.iter().filter_map(move |image| {
                let mut bytes = Cursor::new(Vec::new());
                image.write_to(&mut bytes, format).ok().map(|()| bytes.into_inner())
            })
        })
        .collect();
    samples.push(encoded(&quarters(20, 20).into_rgb16().into(), ImageFormat::Png));
    samples.push(with_orientation(&encoded(&quarters(20, 20), ImageFormat::Jpeg), 6));
    samples.extend(FILES.map(|(name, _)| std::fs::read(package("tests/media").join(name)).expect("the file")));
    assert!(samples.len() > 15, "{}", samples.len());
    samples
}

#[test]
fn no_damaged_file_makes_a_decoder_panic() {
    let outside = folder_in_memory();
    let policy = outside.path().join("limits.toml");
    std::fs::write(&policy, "[limits]\nmemory_bytes = 67108864\n").expect("a policy");
    let bench = Bench::new(Options { policy: Some(policy), ..Options::default() });
    let seed = std::env::var("NS_SEED").ok().and_then(|seed| seed.parse().ok()).unwrap_or(1);
    let samples = samples();
    let rounds = if std::env::var_os("NS_LONG").is_some() { 10_000 * FORMATS.len() / samples.len() } else { 100 };
    let mut dice = Dice::new(seed);
    let (mut read, mut refused) = (0, 0);
    for sample in &samples {
        for round in 0..rounds {
            let file = damage(sample, &mut dice);
            bench.write("damaged", &file);
            let mut arguments = json!({ "path": "damaged" });
            if dice.one_in(2) {
                arguments["max_side"] = json!(1 + dice.below(40));
            }
            match bench.read(arguments) {
                Ok(answer) => {
                    read += 1;
                    // Whatever is returned can be decoded.
                    if answer["width"].is_u64() {
                        image_of_any(&answer);
                    }
                }
                Err(failure) => {
                    refused += 1;
                    let is_known = ["invalid_media", "too_large", "limit_exceeded"]
                        .contains(&failure["code"].as_str().expect("a code"));
                    let is_fault = failure["message"].as_str().is_some_and(|message| message.contains("a fault of it"));
                    if !is_known || is_fault {
                        let kept = std::env::temp_dir().join("damaged-media");
                        std::fs::write(&kept, &file).expect("the file");
                        panic!("{failure} (seed {seed}, round {round}; {})", kept.display());
                    }
                }
            }
        }
    }
    assert!(read > refused / 50 && refused > read / 50, "{read} were read, {refused} refused");
}

/// Decodes an answer whose file may say odd things, which the decoder here must accept as the tool's did.
fn image_of_any(answer: &Json) {
    let format = ImageFormat::from_mime_type(answer["mimeType"].as_str().expect("a type")).expect("an image");
    image::load_from_memory_with_format(&bytes_of(answer), format).expect("it is decoded");
}

#[test]
fn a_call_from_a_shell_gives_the_bytes() {
    let place = folder_in_memory();
    std::fs::write(place.path().join("a.png"), encoded(&quarters(100, 50), ImageFormat::Png)).expect("a file");
    let call = |arguments: &str, options: &[&str]| {
        let ran = run(ns(place.path()).args(["call", "read_media", arguments]).args(options));
        assert_eq!(ran.code, 0, "{}", ran.stderr);
        serde_json::from_str::<Json>(&ran.stdout).expect("JSON")
    };
    let answer = call(r#"{"path": "a.png", "max_side": 20}"#, &[]);
    assert_eq!(image_of(&answer).dimensions(), (20, 10));
    // In parts, the longest text is cut.
    let first = call(r#"{"path": "a.png"}"#, &["--meta", "--max-output-bytes", "400"]);
    let mut data = first["result"]["data"].as_str().expect("a text").to_owned();
    let mut next = first["_meta"]["next_offset"].clone();
    assert!(next.is_u64(), "{first}");
    while let Some(offset) = next.as_u64() {
        let options = ["--meta", "--max-output-bytes", "400", "--offset", &offset.to_string()];
        let part = call(r#"{"path": "a.png"}"#, &options);
        data += part["result"].as_str().expect("a text");
        next = part["_meta"]["next_offset"].clone();
    }
    let file = std::fs::read(place.path().join("a.png")).expect("the file");
    assert_eq!(STANDARD.decode(data).expect("base64"), file);
}
