//! How long music plays, as each format says it or as its frames are counted.

use serde_json::json;

use super::{Bench, fields, file};

/// Returns frames of AAC at 44,100 Hz with two channels.
fn aac(frames: usize, length: usize) -> Vec<u8> {
    let head = [0xff, 0xf1, 0x50, 0x80 | (length >> 11) as u8, (length >> 3) as u8, (length << 5) as u8 | 0x1f, 0xfc];
    [&head[..], &vec![0x21; length - 7]].concat().repeat(frames)
}

#[test]
fn the_duration_of_aac_is_that_of_its_frames() {
    let bench = Bench::new();
    // 1,024 samples in a frame; the second file is longer than what is read of one.
    for (frames, length) in [(431, 371), (26_000, 371)] {
        let answer = bench.read("AUDIO.Tags", &aac(frames, length)).expect("it is read");
        let (seconds, expected) =
            (answer["duration"].as_f64().expect("a duration"), frames as f64 * 1_024.0 / 44_100.0);
        assert!((seconds - expected).abs() < 0.001 * expected, "{seconds} and not {expected}");
        assert_eq!(
            fields(&answer, &["mimeType", "sampleRate", "channels", "bitrate"]),
            json!(["audio/aac", 44_100, 2, 128])
        );
    }
}

/// Returns a chunk of WAV.
fn chunk(name: &[u8; 4], size: u32, content: &[u8]) -> Vec<u8> {
    [&name[..], &size.to_le_bytes(), content].concat()
}

/// Returns the chunk of WAV that describes the sound.
fn wav_format(kind: u16, align: u16, bytes_per_second: u32, bits: u16) -> Vec<u8> {
    let content = [
        &kind.to_le_bytes()[..],
        &1_u16.to_le_bytes(),
        &8_000_u32.to_le_bytes(),
        &bytes_per_second.to_le_bytes(),
        &align.to_le_bytes(),
        &bits.to_le_bytes(),
    ]
    .concat();
    chunk(b"fmt ", 16, &content)
}

#[test]
fn wav_of_every_sort_has_its_duration() {
    let bench = Bench::new();
    let sound = vec![0; 16_000];
    let plain = wav_format(1, 2, 16_000, 16);
    let title = chunk(b"LIST", 18, b"INFOINAM\x06\0\0\0Hello\0");
    let large = chunk(b"ds64", 28, &[&0_u64.to_le_bytes()[..], &16_000_u64.to_le_bytes(), &[0; 12]].concat());
    for (what, name, chunks, seconds) in [
        ("PCM", b"RIFF", [plain.clone(), title.clone(), chunk(b"data", 16_000, &sound)].concat(), 1.0),
        (
            "ADPCM",
            b"RIFF",
            [wav_format(2, 256, 4_096, 4), title.clone(), chunk(b"data", 16_000, &sound)].concat(),
            3.906_25,
        ),
        (
            "ADPCM with the number of samples",
            b"RIFF",
            [
                wav_format(2, 256, 4_096, 4),
                title.clone(),
                chunk(b"fact", 4, &31_000_u32.to_le_bytes()),
                chunk(b"data", 16_000, &sound),
            ]
            .concat(),
            3.875,
        ),
        ("a stream", b"RIFF", [plain.clone(), title.clone(), chunk(b"data", u32::MAX, &sound)].concat(), 1.0),
        ("a large file", b"RF64", [large, plain, chunk(b"data", u32::MAX, &sound), title].concat(), 1.0),
    ] {
        let bytes = [&name[..], &[0xff; 4], b"WAVE", &chunks].concat();
        let answer = bench.read("AUDIO.Tags", &bytes).unwrap_or_else(|failure| panic!("{what}: {failure}"));
        let expected = json!(["audio/wav", "Hello", seconds, 8_000, 1]);
        assert_eq!(fields(&answer, &["mimeType", "title", "duration", "sampleRate", "channels"]), expected, "{what}");
    }
}

/// Returns a page of Ogg that ends one packet.
fn page(number: u32, samples: u64, packet: &[u8]) -> Vec<u8> {
    let head = [b"OggS\0\0", &samples.to_le_bytes()[..], b"abcd", &number.to_le_bytes(), &[0; 4]].concat();
    [&head[..], &[1, packet.len() as u8], packet].concat()
}

#[test]
fn flac_in_ogg_is_read() {
    let bench = Bench::new();
    let song = file("song.flac");
    let first = [b"\x7fFLAC\x01\0\0\x01", &song[..42]].concat();
    let comments =
        [&[0x84, 0, 0, 0][..], &[0; 4], &1_u32.to_le_bytes(), &11_u32.to_le_bytes(), b"TITLE=Hello"].concat();
    let pages = [page(0, 0, &first), page(1, 0, &comments), page(2, 24_000, b"\xff\xf8 sound")].concat();
    let answer = bench.read("AUDIO.Tags", &pages).expect("it is read");
    assert_eq!(
        fields(&answer, &["mimeType", "title", "duration", "sampleRate"]),
        json!(["audio/ogg", "Hello", 3.0, 8_000])
    );
    let failure = bench.read("AUDIO.Tags", &page(0, 0, b"Speex   1.2")).expect_err("it is refused");
    assert_eq!(failure["message"], "`file` is Ogg, but not with Vorbis, Opus or FLAC");
}

#[test]
fn a_recording_in_fragments_has_its_duration() {
    let answer = Bench::new().read("AUDIO.Tags", &file("song.fragments.m4a")).expect("it is read");
    assert_eq!(fields(&answer, &["mimeType", "sampleRate"]), json!(["audio/mp4", 8_000]));
    let seconds = answer["duration"].as_f64().expect("a duration");
    assert!((1.95..2.25).contains(&seconds), "{seconds}");
}

/// Returns frames of MPEG audio at 44,100 Hz and 128 kbit/s with two channels, and a gap after the first ten.
pub fn mpeg(frames: usize, gap: usize) -> Vec<u8> {
    let frame = [&[0xff, 0xfb, 0x90, 0x00][..], &[0x21; 413]].concat();
    [frame.repeat(frames.min(10)), vec![0x55; gap], frame.repeat(frames.saturating_sub(10))].concat()
}

#[test]
fn the_duration_of_mpeg_is_announced_or_counted() {
    let bench = Bench::new();
    let frame_of = |mark: &[u8], at: usize, numbers: &[u8]| {
        let mut bytes = mpeg(1, 0);
        bytes[4..].fill(0);
        bytes[at..at + mark.len()].copy_from_slice(mark);
        bytes[at + mark.len()..at + mark.len() + numbers.len()].copy_from_slice(numbers);
        [bytes, mpeg(10, 0)].concat()
    };
    let frames = 1_000_u32.to_be_bytes();
    for (what, bytes, expected) in [
        ("counted", mpeg(100, 0), 100.0),
        ("counted beside a gap", mpeg(100, 3_000), 100.0),
        ("estimated", mpeg(20_000, 0), 20_000.0),
        ("Xing", frame_of(b"Xing", 36, &[&[0, 0, 0, 1][..], &frames].concat()), 1_000.0),
        ("Info", frame_of(b"Info", 36, &[&[0, 0, 0, 3][..], &frames].concat()), 1_000.0),
        ("Xing without a number", frame_of(b"Xing", 36, &[&[0, 0, 0, 2][..], &frames].concat()), 11.0),
        ("VBRI", frame_of(b"VBRI", 36, &[&[0; 10][..], &frames].concat()), 1_000.0),
    ] {
        let answer = bench.read("AUDIO.Tags", &bytes).unwrap_or_else(|failure| panic!("{what}: {failure}"));
        let (seconds, expected) = (answer["duration"].as_f64().expect("a duration"), expected * 1_152.0 / 44_100.0);
        assert!((seconds - expected).abs() < 0.001 * expected, "{what}: {seconds} and not {expected}");
        assert_eq!(
            fields(&answer, &["mimeType", "sampleRate", "channels"]),
            json!(["audio/mpeg", 44_100, 2]),
            "{what}"
        );
    }
}
