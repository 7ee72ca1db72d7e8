//! Tags as programs really write them: against the rules, beside large pictures, several of one kind.

use serde_json::{Value as Json, json};

use super::sounds::mpeg;
use super::{Bench, fields, file};

/// Returns a number with seven bits in each byte.
fn seven_bits(number: usize) -> [u8; 4] {
    [21, 14, 7, 0].map(|by| (number >> by & 0x7f) as u8)
}

/// The sound of an MP3 file, without its tag.
fn sound() -> Vec<u8> {
    let song = file("song.mp3");
    let size = song[6..10].iter().fold(0, |size, byte| size << 7 | usize::from(*byte));
    song[10 + size..].to_vec()
}

/// Returns an ID3 tag of a version, with these flags and frames.
fn tag(version: u8, flags: u8, frames: &[u8]) -> Vec<u8> {
    [b"ID3", &[version, 0, flags][..], &seven_bits(frames.len()), frames].concat()
}

/// Returns a frame whose size has eight bits in each byte, as versions before 2.4 have it.
fn frame(id: &[u8; 4], flags: u8, content: &[u8]) -> Vec<u8> {
    [&id[..], &(content.len() as u32).to_be_bytes(), &[0, flags], content].concat()
}

/// Returns a frame of version 2.4.
fn frame_4(id: &[u8; 4], flags: u8, content: &[u8]) -> Vec<u8> {
    [&id[..], &seven_bits(content.len()), &[0, flags], content].concat()
}

fn zlib(bytes: &[u8]) -> Vec<u8> {
    use std::io::Write as _;
    let mut encoder = flate2::write::ZlibEncoder::new(Vec::new(), flate2::Compression::best());
    encoder.write_all(bytes).expect("memory takes everything");
    encoder.finish().expect("memory takes everything")
}

/// Reads an MP3 file with these tags, and checks that it plays a second.
fn read_mp3(bench: &Bench, before: &[u8]) -> Json {
    let answer = bench.read("AUDIO.Tags", &[before, &sound()].concat()).unwrap_or_else(|failure| panic!("{failure}"));
    let seconds = answer["duration"].as_f64().expect("a duration");
    assert!(answer["mimeType"] == "audio/mpeg" && (0.95..1.25).contains(&seconds), "{answer}");
    answer
}

#[test]
fn a_frame_that_cannot_be_read_costs_no_other() {
    let bench = Bench::new();
    let good = frame(b"TPE1", 0, b"\0Band");
    let good_4 = frame_4(b"TPE1", 0, b"\x03Band");
    let packed = [&6_u32.to_be_bytes()[..], &zlib(b"\0Hello")].concat();
    let packed_4 = [&seven_bits(6)[..], &zlib(b"\0Hello")].concat();
    let utf_16: Vec<u8> = "Hello".encode_utf16().flat_map(u16::to_le_bytes).collect();
    let utf_16_be: Vec<u8> = "Hello".encode_utf16().flat_map(u16::to_be_bytes).collect();
    for (what, version, bad, title) in [
        ("UTF-16 without a mark", 3, frame(b"TIT2", 0, &[&[1][..], &utf_16].concat()), json!("Hello")),
        ("the other UTF-16 without a mark", 3, frame(b"TIT2", 0, &[&[1][..], &utf_16_be].concat()), json!("Hello")),
        ("no UTF-8", 4, frame_4(b"TIT2", 0, b"\x03\xff\xfea\x80"), Json::Null),
        ("an unknown encoding", 3, frame(b"TIT2", 0, b"\x09a"), Json::Null),
        ("compressed", 3, frame(b"TIT2", 0x80, &packed), json!("Hello")),
        ("compressed in version 2.4", 4, frame_4(b"TIT2", 0x09, &packed_4), json!("Hello")),
        ("damaged and compressed", 3, frame(b"TIT2", 0x80, b"\0\0\0\x06nothing"), Json::Null),
        ("encrypted", 3, frame(b"TIT2", 0x40, b"\x01secret"), Json::Null),
        ("empty", 3, frame(b"TIT2", 0, b""), Json::Null),
        ("no name", 3, frame(b"\x01\x02XY", 0, b"\0a"), Json::Null),
    ] {
        let good = if version == 4 { &good_4 } else { &good };
        for frames in [[&bad[..], good].concat(), [&good[..], &bad].concat()] {
            let answer = read_mp3(&bench, &tag(version, 0, &frames));
            assert_eq!(fields(&answer, &["title", "artist"]), json!([title, "Band"]), "{what}");
        }
    }
}

#[test]
fn tags_that_break_the_rules_are_understood() {
    let bench = Bench::new();
    let picture = [&b"\0image/png\0\x03\0"[..], &[b'x'; 287]].concat();
    for (what, tag, expected) in [
        (
            "plain sizes in version 2.4",
            tag(4, 0, &[frame(b"APIC", 0, &picture), frame(b"TIT2", 0, b"\0Hello")].concat()),
            json!(["Hello", null, null]),
        ),
        ("the year of version 2.3", tag(4, 0, &frame_4(b"TYER", 0, b"\x002010")), json!([null, "2010", 2010])),
        (
            "year, day and time",
            tag(
                3,
                0,
                &[frame(b"TYER", 0, b"\x002024"), frame(b"TDAT", 0, b"\x001205"), frame(b"TIME", 0, b"\x002330")]
                    .concat(),
            ),
            json!([null, "2024-05-12T23:30", 2024]),
        ),
        (
            "an extended head",
            tag(3, 0x40, &[&b"\0\0\0\x06\0\0\0\0\0\0"[..], &frame(b"TIT2", 0, b"\0Hello")].concat()),
            json!(["Hello", null, null]),
        ),
        ("no extended head after its flag", tag(3, 0x40, &frame(b"TIT2", 0, b"\0Hello")), json!(["Hello", null, null])),
        (
            "escapes in the whole tag",
            tag(3, 0x80, b"PRIV\0\0\0\x03\0\0\xff\0\xe0xTIT2\0\0\0\x06\0\0\0\xff\0\xe0lo!"),
            json!(["\u{ff}\u{e0}lo!", null, null]),
        ),
        ("version 2.2", tag(2, 0, b"TT2\0\0\x06\0HelloTYE\0\0\x05\x001999"), json!(["Hello", "1999", 1999])),
        (
            "two tags, the second with the rest",
            [
                tag(3, 0, &[frame(b"TIT2", 0, b"\0Hello"), vec![0; 1_024]].concat()),
                tag(3, 0, &frame(b"TYER", 0, b"\x001999")),
            ]
            .concat(),
            json!(["Hello", "1999", 1999]),
        ),
        ("zeros", vec![0; 2_000], json!([null, null, null])),
        (
            "zeros after the tag",
            [tag(3, 0, &frame(b"TIT2", 0, b"\0Hello")), vec![0; 5_000]].concat(),
            json!(["Hello", null, null]),
        ),
    ] {
        assert_eq!(fields(&read_mp3(&bench, &tag), &["title", "date", "year"]), expected, "{what}");
    }
}

#[test]
fn numbers_and_genres_of_tags() {
    let bench = Bench::new();
    for (text, expected) in [
        ("3/12", json!([3, 12])),
        ("3 of 10", json!([3, 10])),
        ("03", json!([3, null])),
        ("/12", json!([null, 12])),
        ("x/y", json!([null, null])),
        ("A1", json!([null, null])),
        ("3/of", json!([3, null])),
        ("99999999999/2", json!([null, 2])),
    ] {
        for id in [b"TRCK", b"TPOS"] {
            let answer = read_mp3(&bench, &tag(3, 0, &frame(id, 0, format!("\0{text}").as_bytes())));
            let names = if id == b"TRCK" { ["track", "trackTotal"] } else { ["disc", "discTotal"] };
            assert_eq!(fields(&answer, &names), expected, "{text}");
        }
    }
    for (text, expected) in [
        ("17", "Rock"),
        ("(17)", "Rock"),
        ("(17)Rock", "Rock"),
        ("(17)(8)Fusion", "Rock; Jazz; Fusion"),
        ("Rock\0Jazz", "Rock; Jazz"),
        ("((Live)", "(Live)"),
        ("(RX)", "Remix"),
        ("(Own)", "(Own)"),
    ] {
        let answer = read_mp3(&bench, &tag(4, 0, &frame_4(b"TCON", 0, format!("\x03{text}").as_bytes())));
        assert_eq!(answer["genre"], expected, "{text:?}");
    }
}

/// Pictures are passed over by their sizes, however large they are.
#[test]
fn large_pictures_cost_no_tags() {
    let bench = Bench::new();
    let picture = vec![0x5a; 9_000_000];
    let frames = [frame_4(b"APIC", 0, &picture), frame_4(b"TIT2", 0, b"\x03Hello")].concat();
    assert_eq!(read_mp3(&bench, &tag(4, 0, &frames))["title"], "Hello");
    for (name, bytes) in [("FLAC", flac_with(&picture)), ("Opus", opus_with(&picture)), ("M4A", m4a_with(&picture))] {
        assert!(bytes.len() > picture.len(), "{name}");
        let answer = bench.read("AUDIO.Tags", &bytes).unwrap_or_else(|failure| panic!("{name}: {failure}"));
        let seconds = answer["duration"].as_f64().expect("a duration");
        assert!((0.95..1.25).contains(&seconds), "{name}: {seconds}");
        assert_eq!(fields(&answer, &["title", "track"]), json!(["Fr\u{fc}h am Morgen", 3]), "{name}");
    }
}

fn flac_with(picture: &[u8]) -> Vec<u8> {
    let song = file("song.flac");
    let block = [&[6][..], &(picture.len() as u32).to_be_bytes()[1..], picture].concat();
    // After the mark and the block that describes the sound.
    [&song[..42], &block, &song[42..]].concat()
}

/// Puts a comment before the others of an Opus file, in pages of its own.
fn opus_with(picture: &[u8]) -> Vec<u8> {
    let song = file("song.opus");
    let start = song.windows(8).position(|bytes| bytes == b"OpusTags").expect("the comments") + 8;
    let page = song[..start].windows(4).rposition(|bytes| bytes == b"OggS").expect("its page");
    let table = usize::from(song[page + 26]);
    let end = start - 8 + song[page + 27..page + 27 + table].iter().map(|length| usize::from(*length)).sum::<usize>();
    let vendor = u32::from_le_bytes(song[start..start + 4].try_into().expect("four bytes")) as usize;
    let count = start + 4 + vendor;
    let number = u32::from_le_bytes(song[count..count + 4].try_into().expect("four bytes"));
    let comment = [b"METADATA_BLOCK_PICTURE=", picture].concat();
    let packet = [
        &song[start - 8..count],
        &(number + 1).to_le_bytes(),
        &(comment.len() as u32).to_le_bytes(),
        &comment,
        &song[count + 4..end],
    ]
    .concat();
    let mut bytes = song[..page].to_vec();
    // Some programs make pages as large as they can be, others pages of four kilobytes.
    for piece in packet.chunks(255 * 16) {
        let mut table = vec![255; piece.len() / 255];
        if piece.len() < 255 * 16 {
            table.push((piece.len() % 255) as u8);
        }
        bytes.extend(&song[page..page + 26]);
        bytes.push(table.len() as u8);
        bytes.extend(table);
        bytes.extend(piece);
    }
    bytes.extend(&song[end..]);
    bytes
}

/// Puts a box before the others of a box that lies in others, and corrects the sizes of all.
fn put_into(bytes: &[u8], path: &[&[u8; 4]], inner: &[u8]) -> Vec<u8> {
    let mut bytes = bytes.to_vec();
    let mut at = 0;
    for name in path {
        at += bytes[at..].windows(4).position(|found| found == *name).expect("the box") - 4;
        let size = u32::from_be_bytes(bytes[at..at + 4].try_into().expect("four bytes")) + inner.len() as u32;
        bytes[at..at + 4].copy_from_slice(&size.to_be_bytes());
        at += 8;
    }
    bytes.splice(at..at, inner.iter().copied());
    bytes
}

fn mp4_box(name: &[u8; 4], content: &[u8]) -> Vec<u8> {
    [&(content.len() as u32 + 8).to_be_bytes()[..], name, content].concat()
}

fn data(kind: u8, content: &[u8]) -> Vec<u8> {
    mp4_box(b"data", &[&[0, 0, 0, kind, 0, 0, 0, 0], content].concat())
}

const TAGS: [&[u8; 4]; 4] = [b"moov", b"udta", b"meta", b"ilst"];

fn m4a_with(picture: &[u8]) -> Vec<u8> {
    put_into(&file("song.m4a"), &TAGS, &mp4_box(b"covr", &data(14, picture)))
}

#[test]
fn several_texts_of_one_field_are_joined_in_their_order() {
    let bench = Bench::new();
    let genres = mp4_box(b"\xa9wrt", &[data(1, b"nobody"), data(1, b"else")].concat());
    let artists = mp4_box(b"aART", &[data(1, b"A1"), data(1, b"A2")].concat());
    let song = put_into(&put_into(&file("song.m4a"), &TAGS, &genres), &TAGS, &artists);
    // The file has an album artist of its own.
    let answer = bench.read("AUDIO.Tags", &song).expect("it is read");
    assert_eq!(answer["albumArtist"], "A1; A2; Diverse");
    let comments = [
        "TITLE=T1",
        "tracknumber=1",
        "Title=T2",
        "TRACKNUMBER=2",
        "DATE=2010",
        "TITLE=T3",
        "ALBUM ARTIST=X",
        "ALBUMARTIST=Y",
    ];
    let list =
        comments.map(|comment| [&(comment.len() as u32).to_le_bytes()[..], comment.as_bytes()].concat()).concat();
    let block = [&[0; 4][..], &(comments.len() as u32).to_le_bytes(), &list].concat();
    let song = file("song.flac");
    let flac = [&song[..42], &[0x84], &(block.len() as u32).to_be_bytes()[1..], &block].concat();
    let answer = bench.read("AUDIO.Tags", &flac).expect("it is read");
    assert_eq!(fields(&answer, &["title", "track", "date", "albumArtist"]), json!(["T1; T2; T3", 1, "2010", "X"]));
}

#[test]
fn what_is_no_music_is_said() {
    let bench = Bench::new();
    let ac3 = [0x0b, 0x77, 0x12, 0x34].repeat(50_000);
    for (bytes, message) in [
        (tag(3, 0, &frame(b"TIT2", 0, b"\0Hello")), "has an ID3 tag, which no sound in a known format follows"),
        (ac3, "is in no known format of audio"),
        (vec![0; 200_000], "is in no known format of audio"),
    ] {
        let failure = bench.read("AUDIO.Tags", &bytes).expect_err("it is refused");
        assert_eq!(json!([failure["code"], failure["message"]]), json!(["invalid_media", format!("`file` {message}")]));
    }
}

/// Returns the tag of ID3's first version.
fn id3_1(title: &str, comment: &[u8; 30]) -> Vec<u8> {
    let text = |text: &str| format!("{text:\0<30}").into_bytes();
    [&b"TAG"[..], &text(title), &text("Band"), &text("First"), b"1999", comment, &[17]].concat()
}

/// Returns an APE tag, with a head or without one.
fn ape(items: &[(&str, u32, &[u8])], has_head: bool) -> Vec<u8> {
    let item = |(name, flags, value): &(&str, u32, &[u8])| {
        [&(value.len() as u32).to_le_bytes()[..], &flags.to_le_bytes(), name.as_bytes(), &[0], value].concat()
    };
    let list: Vec<u8> = items.iter().flat_map(item).collect();
    let head = |flags: u32| {
        let numbers = [2_000, list.len() as u32 + 32, items.len() as u32, flags].map(u32::to_le_bytes).concat();
        [b"APETAGEX", &numbers[..], &[0; 8]].concat()
    };
    if has_head {
        [head(0xa000_0000), list.clone(), head(0x8000_0000)].concat()
    } else {
        [list.clone(), head(0)].concat()
    }
}

#[test]
fn tags_after_the_sound_are_read() {
    let bench = Bench::new();
    let old = id3_1("Hello", b"a comment\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\x05");
    let picture = [&b"cover.png\0"[..], &[0x5a; 9_000_000]].concat();
    let items: [(&str, u32, &[u8]); 5] = [
        ("Cover Art (Front)", 2, &picture),
        ("title", 0, b"Good day"),
        ("Artist", 0, b"A\0B"),
        ("Track", 0, b"3/12"),
        ("Year", 0, b"2024"),
    ];
    let foot = frame_4(b"TIT2", 0, b"\x03Good night");
    let foot = |mark: &[u8]| [mark, b"\x04\0\x10", &seven_bits(foot.len())].concat();
    let id3 = [foot(b"ID3"), frame_4(b"TIT2", 0, b"\x03Good night"), foot(b"3DI")].concat();
    let lyrics = [&b"LYRICSBEGININD00002"[..], b"00000019LYRICS200"].concat();
    for (what, tags, expected) in [
        ("ID3's first version", old.clone(), json!(["Hello", "Band", "First", 5, null, "1999", "Rock"])),
        ("APE", ape(&items, true), json!(["Good day", "A; B", null, 3, 12, "2024", null])),
        (
            "APE before the other",
            [ape(&items, false), old.clone()].concat(),
            json!(["Good day", "A; B", "First", 3, 12, "2024", "Rock"]),
        ),
        ("lyrics", [lyrics, old.clone()].concat(), json!(["Hello", "Band", "First", 5, null, "1999", "Rock"])),
        (
            "ID3's second version",
            [id3.clone(), old].concat(),
            json!(["Good night", "Band", "First", 5, null, "1999", "Rock"]),
        ),
        (
            "ID3's second version before APE",
            [id3, ape(&items, true)].concat(),
            json!(["Good night", "A; B", null, 3, 12, "2024", null]),
        ),
        ("none", vec![], json!([null, null, null, null, null, null, null])),
        (
            "APE of no size",
            [&ape(&[], false)[..12], &[0; 20]].concat(),
            json!([null, null, null, null, null, null, null]),
        ),
    ] {
        let names = ["title", "artist", "album", "track", "trackTotal", "date", "genre"];
        for sound in [sound(), mpeg(45, 0)] {
            let answer = bench.read("AUDIO.Tags", &[&sound[..], &tags].concat()).expect(what);
            assert_eq!(fields(&answer, &names), expected, "{what}");
            let seconds = answer["duration"].as_f64().expect("a duration");
            assert!((0.95..1.25).contains(&seconds), "{what}: {seconds}");
        }
    }
}

/// Returns an M4A file with a track of two seconds, whose sound is described so.
fn m4a(description: &[u8], tags: &[u8]) -> Vec<u8> {
    let words = |words: &[u32]| words.iter().flat_map(|word| word.to_be_bytes()).collect::<Vec<u8>>();
    let table = mp4_box(b"stbl", &mp4_box(b"stsd", &[&words(&[0, 1])[..], description].concat()));
    let media = [
        mp4_box(b"mdhd", &words(&[0, 0, 0, 96_000, 192_000, 0])),
        mp4_box(b"hdlr", &[&[0; 8][..], b"soun", &[0; 13]].concat()),
        mp4_box(b"minf", &table),
    ]
    .concat();
    let track = [mp4_box(b"tkhd", &words(&[0, 0, 0, 1, 0, 0])), mp4_box(b"mdia", &media)].concat();
    let user = mp4_box(b"udta", &mp4_box(b"meta", &[&[0; 4][..], &mp4_box(b"ilst", tags)].concat()));
    let film = mp4_box(b"moov", &[mp4_box(b"trak", &track), user].concat());
    [mp4_box(b"ftyp", b"M4A \0\0\0\0"), film, mp4_box(b"mdat", &[0x21; 32_000])].concat()
}

/// Returns the description of a sound, which says two channels and this rate.
fn described(kind: &[u8; 4], rate: u16, own: &[u8]) -> Vec<u8> {
    let head = [&[0; 16][..], &[0, 2, 0, 16, 0, 0, 0, 0], &rate.to_be_bytes(), &[0, 0]].concat();
    mp4_box(kind, &[&head, own].concat())
}

#[test]
fn the_sound_of_m4a_is_as_its_codec_says() {
    let bench = Bench::new();
    let aac = |configuration: &[u8]| {
        let own = [&[5, configuration.len() as u8][..], configuration, &[6, 1, 2]].concat();
        let decoder = [&[4, 0x80, 0x80, 20, 0x40][..], &[0; 12], &own].concat();
        described(b"mp4a", 48_000, &mp4_box(b"esds", &[&[0, 0, 0, 0, 3, 40, 0, 1, 0][..], &decoder].concat()))
    };
    let alac = [&[0; 13][..], &[6], &[0; 10], &96_000_u32.to_be_bytes()].concat();
    let flac = [&[0, 0, 0, 0, 0x80, 0, 0, 34][..], &file("song.flac")[8..42]].concat();
    for (what, description, rate, channels) in [
        ("AAC with one channel", aac(&[0x12, 0x08]), 44_100, 1),
        ("AAC with a rate of its own", aac(&[0x17, 0x80, 0x2e, 0xe0, 0x10]), 24_000, 2),
        ("AAC whose rate is doubled", aac(&[0x2b, 0x11, 0x88, 0x00]), 48_000, 2),
        ("AAC of two channels in one", aac(&[0xeb, 0x09, 0x88, 0x00]), 48_000, 2),
        ("AAC without a number of channels", aac(&[0x12, 0x00]), 48_000, 2),
        ("ALAC", described(b"alac", 0, &mp4_box(b"alac", &alac)), 96_000, 6),
        ("FLAC", described(b"fLaC", 0, &mp4_box(b"dfLa", &flac)), 8_000, 1),
        ("nothing more", described(b"mp4a", 0, b""), 96_000, 2),
        ("a damaged description", described(b"mp4a", 48_000, &mp4_box(b"esds", &[0, 0, 0, 0, 3, 0xff])), 48_000, 2),
    ] {
        let answer =
            bench.read("AUDIO.Tags", &m4a(&description, b"")).unwrap_or_else(|failure| panic!("{what}: {failure}"));
        assert_eq!(
            fields(&answer, &["duration", "bitrate", "sampleRate", "channels"]),
            json!([2.0, 128, rate, channels]),
            "{what}"
        );
    }
}

#[test]
fn tags_of_m4a_of_every_kind_are_read() {
    let bench = Bench::new();
    let sound = described(b"mp4a", 48_000, b"");
    let utf_16: Vec<u8> = "Frühling".encode_utf16().flat_map(u16::to_be_bytes).collect();
    let tags = [
        mp4_box(b"\xa9nam", &data(2, &utf_16)),
        mp4_box(b"gnre", &data(0, &[0, 18])),
        mp4_box(b"trkn", &data(0, &[0, 0, 0, 3, 0, 12, 0, 0])),
        mp4_box(b"disk", &data(0, &[0, 0, 0, 0, 0, 2])),
        mp4_box(b"\xa9ART", &data(1, b"\xff")),
        mp4_box(b"\xa9alb", &data(13, b"picture")),
    ]
    .concat();
    let names = ["title", "genre", "track", "trackTotal", "disc", "discTotal", "artist", "album"];
    let expected = json!(["Frühling", "Rock", 3, 12, null, 2, null, null]);
    let answer = bench.read("AUDIO.Tags", &m4a(&sound, &tags)).expect("it is read");
    assert_eq!(fields(&answer, &names), expected);
    // Damaged tags leave those before them, and the sound.
    let answer =
        bench.read("AUDIO.Tags", &m4a(&sound, &[&tags[..], b"\x7f\0\0\0\xa9ARTdata"].concat())).expect("it is read");
    assert_eq!(fields(&answer, &names), expected);
    assert_eq!(answer["duration"], 2.0);
    // A damaged sound leaves the tags.
    let damaged = m4a(&[0, 0, 0, 1], &tags);
    assert_eq!(fields(&bench.read("AUDIO.Tags", &damaged).expect("it is read"), &names), expected);
    let nothing = [mp4_box(b"ftyp", b"M4A \0\0\0\0"), mp4_box(b"moov", &[&[0xff; 4][..], b"udta"].concat())].concat();
    let failure = bench.read("AUDIO.Tags", &nothing).expect_err("it is refused");
    assert_eq!(failure["message"], "`file` is damaged: neither its tags nor its sound can be read");
}
