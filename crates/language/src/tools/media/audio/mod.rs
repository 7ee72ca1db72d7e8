//! `AUDIO.Tags`: title, artist and so on of a file of music, and how long it plays.
//!
//! lofty reads the tags, through [`Stream`], which bounds what it reads and charges memory for it. Its own bound on single
//! allocations is set too. If it panics, the call fails.

mod stream;

use std::panic::{AssertUnwindSafe, catch_unwind};

use lofty::config::{GlobalOptions, ParseOptions, apply_global_options};
use lofty::file::{AudioFile, FileType, TaggedFile, TaggedFileExt};
use lofty::probe::Probe;
use lofty::tag::{ItemKey, Tag};
use schemars::JsonSchema;
use serde::Serialize;

use crate::gate::{Context, Tool};
use crate::sandbox::{PathRule, SandboxPath};
use crate::text::ToolCode;
use crate::toolkit::{Effect, Example, Failure, Risk, Spec, ToolError, arguments};
use crate::value::print;

use super::window::{Fault, Window};
use stream::{MAX_READ, MAX_READS, Stream};

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
        - `track`, `trackTotal`, `disc`, `discTotal`: numbers.\n\
        - `date`: text of the tag, such as `2024` or `2024-05-12`. `year`: the number that it begins with.\n\
        - `duration`: seconds. `bitrate`: kbit/s. `sampleRate`: Hz. `channels`: a number. Each is nil if a damaged \
        file does not say.\n\n\
        Formats: MP3, FLAC, Ogg Vorbis, Opus, M4A, WAV, AIFF and AAC, recognized by their bytes.\n\n\
        Tags: ID3, Vorbis comments, APE and those of MP4. If a file has several kinds, the one that its format \
        prefers comes first and the others fill gaps. Pictures are not read.\n\n\
        At most 8 MiB of a file are read, and almost always much less. A file whose tags need more is `too_large`.",
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
    let mut stream = Stream::new(Window::new(context, open, MAX_READ));
    // Music is often in a file of another name, so the name is not looked at.
    let probed = Probe::new(&mut stream).guess_file_type().map(|probe| probe.file_type());
    let kind = match (stream.fault(), probed) {
        (Some(fault), _) => return Err(failed(fault, &args.path)),
        (None, Ok(kind)) => kind,
        (None, Err(error)) => return Err(Fault::Io(error).into_error(&args.path)),
    };
    let Some((kind, mime_type)) = kind.and_then(known) else { return Err(not_audio(&mut stream, &args.path)) };
    // How long a damaged file plays may be unknown although its tags are whole.
    let read = read(&mut stream, kind, true).or_else(|_| read(&mut stream, kind, false));
    match (stream.fault(), read) {
        (Some(fault), _) => Err(failed(fault, &args.path)),
        (None, Ok(file)) => Ok(tags(&args.path, mime_type, &file)),
        (None, Err(reason)) => {
            let reason = print::shortened(&reason, 200);
            Err(invalid(&args.path, &format!("is damaged, or no {mime_type} that is known: {reason}")))
        }
    }
}

/// Reads the tags of a file of this type, and its properties (duration, bit rate and so on) if they are asked for.
fn read(stream: &mut Stream<'_, '_>, kind: FileType, with_properties: bool) -> Result<TaggedFile, String> {
    apply_global_options(GlobalOptions::new().allocation_limit(MAX_READ).use_custom_resolvers(false));
    stream.rewind();
    let options = ParseOptions::new().read_cover_art(false).read_properties(with_properties);
    let probe = Probe::with_file_type(stream, kind).options(options);
    match catch_unwind(AssertUnwindSafe(|| probe.read())) {
        Ok(read) => read.map_err(|error| error.to_string()),
        Err(_) => {
            Err("the reader of its tags failed, which is a fault of it; please report it with the file".to_owned())
        }
    }
}

/// Returns a type whose tags are read, with its media type.
fn known(kind: FileType) -> Option<(FileType, &'static str)> {
    let mime_type = match kind {
        FileType::Mpeg => "audio/mpeg",
        FileType::Flac => "audio/flac",
        FileType::Vorbis | FileType::Opus => "audio/ogg",
        FileType::Mp4 => "audio/mp4",
        FileType::Wav => "audio/wav",
        FileType::Aiff => "audio/aiff",
        FileType::Aac => "audio/aac",
        _ => return None,
    };
    Some((kind, mime_type))
}

fn tags(path: &SandboxPath, mime_type: &'static str, file: &TaggedFile) -> Tags {
    let found = Found { tags: file.primary_tag().into_iter().chain(file.tags()).collect() };
    let date = found.text(&[ItemKey::RecordingDate, ItemKey::Year, ItemKey::ReleaseDate]);
    let properties = file.properties();
    Tags {
        path: path.display().to_owned(),
        mime_type,
        title: found.text(&[ItemKey::TrackTitle]),
        artist: found.text(&[ItemKey::TrackArtist]),
        album: found.text(&[ItemKey::AlbumTitle]),
        album_artist: found.text(&[ItemKey::AlbumArtist]),
        track: found.number(ItemKey::TrackNumber),
        track_total: found.number(ItemKey::TrackTotal),
        disc: found.number(ItemKey::DiscNumber),
        disc_total: found.number(ItemKey::DiscTotal),
        year: date.as_deref().and_then(year),
        date,
        genre: found.text(&[ItemKey::Genre]),
        duration: Some(properties.duration().as_secs_f64()).filter(|seconds| *seconds > 0.0),
        bitrate: properties.audio_bitrate().filter(|rate| *rate > 0),
        sample_rate: properties.sample_rate().filter(|rate| *rate > 0),
        channels: properties.channels().filter(|channels| *channels > 0),
    }
}

/// The tags of a file, the preferred one first.
struct Found<'a> {
    tags: Vec<&'a Tag>,
}

impl Found<'_> {
    /// Returns the texts of the first of these items that has one, joined.
    fn text(&self, keys: &[ItemKey]) -> Option<String> {
        let texts = |key: ItemKey| {
            self.tags.iter().find_map(|tag| {
                let texts: Vec<&str> = tag.get_strings(key).map(str::trim).filter(|text| !text.is_empty()).collect();
                (!texts.is_empty()).then(|| texts.join("; "))
            })
        };
        keys.iter().find_map(|key| texts(*key))
    }

    /// Returns the number that an item begins with.
    fn number(&self, key: ItemKey) -> Option<u32> {
        let text = self.text(&[key])?;
        text.split(|character: char| !character.is_ascii_digit()).next()?.parse().ok()
    }
}

/// Returns the year that a date begins with.
fn year(date: &str) -> Option<u32> {
    let digits = date.get(..4)?;
    digits.bytes().all(|byte| byte.is_ascii_digit()).then(|| digits.parse().ok())?
}

/// Returns the error for a stream that failed.
fn failed(fault: Fault, path: &SandboxPath) -> ToolError {
    match fault {
        Fault::Damaged(_) => {
            let shown = path.display();
            let message =
                format!("`{shown}` has more in its tags than the {MAX_READ} bytes and {MAX_READS} parts that are read");
            let error = ToolError::new(ToolCode::TooLarge, message).argument("path").path(path.display());
            error.hint("a large picture in the tags may be the reason; another program can make it smaller")
        }
        fault => fault.into_error(path),
    }
}

fn invalid(path: &SandboxPath, what: &str) -> ToolError {
    let error = ToolError::new(ToolCode::InvalidMedia, format!("`{}` {what}", path.display()));
    error.argument("path").path(path.display())
}

/// Returns the error for a file that is not audio, or in a format that is not read.
fn not_audio(stream: &mut Stream<'_, '_>, path: &SandboxPath) -> ToolError {
    match stream.start() {
        Ok([]) => invalid(path, "is empty"),
        Ok(start) => match infer::get(start) {
            Some(kind) => invalid(path, &format!("is {}, whose tags are not read", kind.mime_type())),
            None => invalid(path, "is in no known format of audio"),
        },
        Err(fault) => fault.into_error(path),
    }
}
