//! `AUDIO.Tags`: title, artist and so on of a file of music, and how long it plays.
//!
//! The content decides about the format. Everything is read through [`Window`], which bounds it, and in small pieces:
//! pictures are passed over by their sizes, and of a text that is not given nothing is kept.

mod chunks;
mod comments;
mod content;
mod flac;
mod frames;
mod genres;
mod id3;
mod mp4;
mod ogg;
mod sound;
mod texts;
mod trailing;

use schemars::JsonSchema;
use serde::Serialize;

use crate::gate::{Context, Tool};
use crate::sandbox::{PathRule, SandboxPath};
use crate::text::ToolCode;
use crate::toolkit::{Effect, Example, Failure, Risk, Spec, ToolError, arguments};

use super::window::{Fault, Window, unless_damaged};
use chunks::Form;
use frames::Kind;
use sound::Sound;
use texts::{Field, MAX_PARTS, Texts};

/// Maximum number of bytes that are read of a file.
const MAX_READ: usize = 8 << 20;
/// Number of bytes at the start of a file that tell its kind.
const EXAMINED: usize = 4 << 10;
/// Maximum number of tags before the sound that are read.
const MAX_LEADING: usize = 16;
/// Maximum number of zeros before the sound.
const MAX_ZEROS: u64 = 64 << 10;

const SPEC: Spec = Spec {
    name: "AUDIO.Tags",
    wire: "audio_tags",
    aliases: &["AUDIO.Info"],
    keywords: &[
        "id3",
        "mp3 tags",
        "flac",
        "music",
        "genre",
        "music tags",
        "artist",
        "album",
        "track number",
        "song title",
        "duration",
        "length of a song",
        "bit rate",
        "ffprobe",
        "mutagen",
        "EasyID3",
        "tinytag",
        "eyed3",
        "music-metadata",
        "vorbis comment",
        "audio metadata",
    ],
    summary: "Returns the tags of an audio file, and how long it plays",
    details: "Returns a map. Fields without a tag are nil.\n\n\
        - `title`, `artist`, `album`, `albumArtist`, `genre`: texts. Several artists or genres are joined by `; `.\n\
        - `track`, `trackTotal`, `disc`, `discTotal`: numbers, also from one text such as `3/12`. A text that is no \
        number is nil. Of several texts the first counts.\n\
        - `date`: text of the tag, such as `2024` or `2024-05-12`. `year`: the number that it begins with.\n\
        - `duration`: seconds. `bitrate`: kbit/s. `sampleRate`: Hz. `channels`: a number. Each is nil if the file \
        does not say. The frames of AAC (ADTS), and of an MP3 file that does not say how many it has, are counted in \
        the first MiB and estimated after it.\n\n\
        Formats: MP3, FLAC, Ogg with Vorbis, Opus or FLAC, M4A, WAV, AIFF and AAC, recognized by their bytes.\n\n\
        Tags: ID3, Vorbis comments, APE, INFO of WAV and those of MP4. If a file has several kinds, the one that its \
        format prefers comes first and the others fill gaps. A field of ID3 that is damaged or encrypted, and a text of \
        more than 32 KiB, are left out.\n\n\
        Pictures are passed over without being read. At most 8 MiB of a file and 100,000 fields are read, and almost \
        always much less. A file that needs more is `too_large`.",
    effect: Effect::Reads,
    risk: Risk::Low,
    requires_approval: false,
    failure: Failure::ErrorMap,
    errors: &[
        ToolCode::SandboxViolation,
        ToolCode::NotFound,
        ToolCode::IsADirectory,
        ToolCode::PermissionDenied,
        ToolCode::TooLarge,
        ToolCode::InvalidMedia,
        ToolCode::IoError,
    ],
    example: Example {
        script: "SET wav = \"UklGRigAAABXQVZFZm10IBAAAAABAAEAQB8AAEAfAAABAAgAZGF0YQQAAACAkIBw\"\nMUST CALL FS.WriteFile(\"beep.wav\", wav, encoding: \"base64\")\nSET song = AUDIO.Tags(\"beep.wav\")\nEMIT song.mimeType, \" \", song.sampleRate, \" \", song.channels, \" \", song.title",
        output: "audio/wav 8000 1 nil\n",
    },
};

arguments! {
    struct Args {
        path | file_path: SandboxPath = Required, Kind::Path(PathRule::INSIDE, Access::Read), "audio file, from the sandbox root";
    }
}

#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct Tags {
    /// The path as given, tidied.
    path: String,
    /// The type of the content, such as `audio/mpeg`.
    mime_type: &'static str,
    title: Option<String>,
    /// Artist of the title.
    artist: Option<String>,
    album: Option<String>,
    /// Artist of the album.
    album_artist: Option<String>,
    track: Option<u32>,
    /// Number of tracks of the disc.
    track_total: Option<u32>,
    disc: Option<u32>,
    /// Number of discs of the album.
    disc_total: Option<u32>,
    /// Date of the recording, as it was written.
    date: Option<String>,
    /// The year of that date.
    year: Option<u32>,
    genre: Option<String>,
    /// Seconds, nil where it is not known.
    duration: Option<f64>,
    /// Kilobits per second, nil where it is not known.
    bitrate: Option<u32>,
    /// Samples per second, nil where it is not known.
    sample_rate: Option<u32>,
    /// Number of channels, nil where it is not known.
    channels: Option<u8>,
}

pub fn tool() -> Tool {
    Tool::new(SPEC, run)
}

fn run(context: &mut Context<'_>, args: Args) -> Result<Tags, ToolError> {
    let open = context.open(&args.path).map_err(|error| error.argument("path").path(args.path.display()))?;
    let mut window = Window::new(context, open, MAX_READ);
    match read(&mut window) {
        Ok(Some(song)) => Ok(tags(&args.path, &song)),
        Ok(None) => Err(not_audio(&mut window, &args.path)),
        Err(fault) => Err(failed(fault, &args.path)),
    }
}

/// The tags and the sound of a file.
#[derive(Debug)]
struct Song {
    mime_type: &'static str,
    /// The preferred tag first.
    tags: Vec<Texts>,
    sound: Sound,
}

/// Reads a file, or nothing if it is in no format that is read.
fn read(window: &mut Window<'_, '_>) -> Result<Option<Song>, Fault> {
    let Leading { tags, end: start } = leading(window)?;
    let head = window.up_to(start, 12)?.to_vec();
    let song = if head.starts_with(ogg::MARK) {
        ogg::read(window, start)?
    } else if head.starts_with(flac::MARK) {
        Some(flac::read(window, start)?)
    } else if let Some(form) = Form::of(&head) {
        Some(chunks::read(window, start, form)?)
    } else if mp4::is_mp4(&head) && start == 0 {
        Some(mp4::read(window)?)
    } else {
        return frames(window, start, tags);
    };
    // The own tags of these formats come before one that was put in front.
    Ok(song.map(|song| Song { tags: song.tags.into_iter().chain(tags).collect(), ..song }))
}

/// Reads a file that consists of frames, before which something else may stand.
fn frames(window: &mut Window<'_, '_>, start: u64, tags: Vec<Texts>) -> Result<Option<Song>, Fault> {
    // Films and archives may hold frames too.
    if start == 0 && infer::get(window.up_to(0, EXAMINED)?).is_some_and(|kind| !is_of_frames(kind.mime_type())) {
        return Ok(None);
    }
    let Some(start) = frames::find(window, start)? else { return Ok(None) };
    let trailing = trailing::read(window, start.at)?;
    let sound = frames::sound(window, start, trailing.end)?;
    let mime_type = if start.frame.kind == Kind::Aac { "audio/aac" } else { "audio/mpeg" };
    Ok(Some(Song { mime_type, tags: tags.into_iter().chain(trailing.tags).collect(), sound }))
}

/// Returns whether files of a type may consist of frames, by their first bytes.
fn is_of_frames(mime_type: &str) -> bool {
    matches!(mime_type, "audio/mpeg" | "audio/aac")
}

/// The tags before the content of a file.
struct Leading {
    tags: Vec<Texts>,
    /// Where the content begins.
    end: u64,
}

/// Reads the tags before the content. Programs leave zeros before and after them, and some put a second one in front.
fn leading(window: &mut Window<'_, '_>) -> Result<Leading, Fault> {
    let mut leading = Leading { tags: Vec::new(), end: 0 };
    for _ in 0..MAX_LEADING {
        let start = after_zeros(window, leading.end)?;
        let Some(tag) = id3::read(window, start)? else {
            leading.end = start;
            break;
        };
        leading.tags.push(tag.texts);
        leading.end = tag.end;
    }
    Ok(leading)
}

/// Returns the position after zeros, of which there may be none.
fn after_zeros(window: &mut Window<'_, '_>, start: u64) -> Result<u64, Fault> {
    let mut at = start;
    while at - start < MAX_ZEROS {
        let bytes = window.up_to(at, EXAMINED)?;
        let zeros = bytes.iter().take_while(|byte| **byte == 0).count();
        at += zeros as u64;
        if zeros == 0 || zeros < bytes.len() {
            return Ok(if at - start < 4 { start } else { at });
        }
    }
    Ok(start)
}

fn tags(path: &SandboxPath, song: &Song) -> Tags {
    let Song { mime_type, sound, .. } = song;
    let date = song.text(&[Field::Recorded, Field::Year, Field::Released]);
    let (track, disc) = (song.numbered(Field::Track), song.numbered(Field::Disc));
    Tags {
        path: path.display().to_owned(),
        mime_type,
        title: song.text(&[Field::Title]),
        artist: song.text(&[Field::Artist]),
        album: song.text(&[Field::Album]),
        album_artist: song.text(&[Field::AlbumArtist]),
        track: track.number,
        track_total: song.number(Field::TrackTotal).or(track.total),
        disc: disc.number,
        disc_total: song.number(Field::DiscTotal).or(disc.total),
        year: date.as_deref().and_then(year),
        date,
        genre: song.text(&[Field::Genre]),
        duration: sound.seconds,
        bitrate: sound.bitrate,
        sample_rate: sound.rate,
        channels: sound.channels,
    }
}

/// A number, and how many there are, as `3/12` has them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Numbered {
    number: Option<u32>,
    total: Option<u32>,
}

impl Numbered {
    /// Reads a text. A half that is no number is missing.
    fn of(text: &str) -> Numbered {
        let (number, total) = text.split_once('/').or_else(|| text.split_once(" of ")).unwrap_or((text, ""));
        let whole = |half: &str| {
            let half = half.trim();
            half.bytes().all(|byte| byte.is_ascii_digit()).then(|| half.parse().ok()).flatten()
        };
        Numbered { number: whole(number), total: whole(total) }
    }
}

impl Song {
    /// Returns the texts of the first of these fields that has one, joined.
    fn text(&self, fields: &[Field]) -> Option<String> {
        let texts = |field: Field| self.tags.iter().map(|tag| tag.of_field(field)).find(|texts| !texts.is_empty());
        fields.iter().find_map(|field| texts(*field)).map(|texts| texts.join("; "))
    }

    /// Returns the number of a field, which may be followed by how many there are. Of several texts the first counts.
    fn numbered(&self, field: Field) -> Numbered {
        let text = self.tags.iter().find_map(|tag| tag.of_field(field).first());
        text.map_or_else(Numbered::default, |text| Numbered::of(text))
    }

    fn number(&self, field: Field) -> Option<u32> {
        self.numbered(field).number
    }
}

/// Returns the year that a date begins with.
fn year(date: &str) -> Option<u32> {
    let digits = date.get(..4)?;
    digits.bytes().all(|byte| byte.is_ascii_digit()).then(|| digits.parse().ok())?
}

/// Returns the error for a file that cannot be read.
fn failed(fault: Fault, path: &SandboxPath) -> ToolError {
    let Fault::Exhausted = fault else { return fault.into_error(path) };
    let shown = path.display();
    let message = format!(
        "`{shown}` needs more to be read for its tags and its duration than {MAX_READ} bytes and {MAX_PARTS} fields"
    );
    let error = ToolError::new(ToolCode::TooLarge, message).argument("path").path(shown);
    error.hint("another program can make its tags smaller")
}

fn invalid(path: &SandboxPath, what: &str) -> ToolError {
    let error = ToolError::new(ToolCode::InvalidMedia, format!("`{}` {what}", path.display()));
    error.argument("path").path(path.display())
}

/// Returns the error for a file that is not audio, or in a format that is not read.
fn not_audio(window: &mut Window<'_, '_>, path: &SandboxPath) -> ToolError {
    let end = match unless_damaged(leading(window)) {
        Ok(leading) => leading.map_or(0, |leading| leading.end),
        Err(fault) => return fault.into_error(path),
    };
    match window.up_to(0, EXAMINED) {
        Ok([]) => invalid(path, "is empty"),
        Ok(start) if start.starts_with(b"ID3") && end > 0 => {
            invalid(path, "has an ID3 tag, which no sound in a known format follows")
        }
        Ok(start) if start.starts_with(ogg::MARK) => invalid(path, "is Ogg, but not with Vorbis, Opus or FLAC"),
        Ok(start) => match infer::get(start).filter(|kind| !is_of_frames(kind.mime_type())) {
            Some(kind) => invalid(path, &format!("is {}, whose tags are not read", kind.mime_type())),
            None => invalid(path, "is in no known format of audio"),
        },
        Err(fault) => fault.into_error(path),
    }
}
