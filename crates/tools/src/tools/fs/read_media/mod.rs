//! `FS.ReadMedia`: an image or audio for whoever can see or hear it.
//!
//! The content of a file decides about its kind. An image is decoded even if it is returned as it is: one that is damaged,
//! too large or of a format that models do not take would end the conversation of an agent that gets it. Memory and steps
//! are charged by the dimensions in the head of the file, before anything is decoded.

mod jpeg;
pub mod kind;
mod picture;
mod worker;

use std::io::Read;
use std::sync::Arc;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use image::ImageFormat;
use schemars::JsonSchema;
use serde::Serialize;

use crate::gate::{Context, Tool};
use crate::limits::{MemoryCharge, space};
use crate::sandbox::{OpenFile, PathRule, SandboxPath};
use crate::text::ToolCode;
use crate::toolkit::{Effect, Example, Failure, MediaFields, Risk, Spec, ToolError, arguments};
use crate::value::print;

use kind::{Kind as FileKind, Other};
use picture::{Dimensions, Fault, MAX_PIXELS, MAX_SIDE, Picture, Rendered, Request, Size};
use worker::Lost;

const SPEC: Spec = Spec {
    name: "FS.ReadMedia",
    wire: "read_media",
    aliases: &["FS.ReadImage", "FS.ReadAudio"],
    keywords: &[
        "image",
        "images",
        "picture",
        "photo",
        "screenshot",
        "view image",
        "open image",
        "Image.open",
        "cv2.imread",
        "read image",
        "audio",
        "sound",
        "read audio",
        "read_media_file",
        "media",
        "thumbnail",
        "resize image",
        "downscale",
        "image size",
        "dimensions",
    ],
    summary: "Reads an image or audio file for a model to see or hear, an image smaller on request",
    details: "Returns a map with the bytes of the image or audio as `data` (base64) and their `mimeType`. An agent \
        receives the data as an image or audio instead, and the other fields as text. The kind is decided by the \
        content of the file, never by its name.\n\n\
        Images: PNG, JPEG, GIF, WebP, and BMP, which is returned as PNG. Each is decoded, so a damaged image is an \
        error. One of more than 64,000,000 pixels is refused before it is decoded.\n\n\
        - Without `max_side` a file is returned as it is. One over `max_bytes` or 8,000 pixels a side is an error that \
        states its size.\n\
        - With `max_side` an image whose longer side is longer is scaled down to it and turned as its EXIF orientation \
        says; `scaled` is then true. If the result has more than `max_bytes`, it becomes a JPEG, with white in place \
        of transparency. Of an animation, only the first frame is kept.\n\
        - `width` and `height` describe `data`; `originalWidth` and `originalHeight` describe the file. All are in \
        pixels, as displayed.\n\n\
        Audio: WAV, MP3, FLAC, Ogg, M4A, AAC, AIFF, MIDI and AMR, returned as they are. SVG is text; read it with \
        `FS.ReadFile`.",
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
        script: "SET dot = \"R0lGODlhAQABAPAAAP8AAAAAACH5BAAAAAAALAAAAAABAAEAAAICRAEAOw==\"\nMUST CALL FS.WriteFile(\"dot.gif\", dot, encoding: \"base64\")\nSET image = FS.ReadMedia(\"dot.gif\")\nEMIT image.mimeType, \" \", image.width, \"x\", image.height, \" \", image.data == dot",
        output: "image/gif 1x1 true\n",
    },
};

arguments! {
    struct Args {
        path | file_path: SandboxPath = Required, Kind::Path(PathRule::INSIDE, Access::Read), "image or audio file, from the sandbox root";
        max_side | max_dimension: Option<i64> = Absent, Kind::Int { min: 1, max: 8_000 }, "scales a larger image down to this longer side in pixels, such as 1568";
        max_bytes: i64 = Is(Literal::Int(750_000)), Kind::Int { min: 1, max: 12_000_000 }, "bytes of the image or audio at most; base64 adds a third";
    }
}

#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct Media {
    /// The path as given, tidied.
    path: String,
    /// The type of `data`.
    mime_type: &'static str,
    /// Bytes of the file.
    size_bytes: usize,
    /// The bytes of the image or audio as base64.
    data: String,
    /// Width of the image in pixels, nil for audio.
    width: Option<u32>,
    /// Height of the image in pixels, nil for audio.
    height: Option<u32>,
    /// Whether the image was scaled down.
    scaled: bool,
    /// Width before, nil for audio.
    original_width: Option<u32>,
    /// Height before, nil for audio.
    original_height: Option<u32>,
}

/// Bytes that are read at a time.
const PIECE: usize = 1 << 16;
/// A length of the longer side with which the models of today see all that they can.
const GOOD_SIDE: u32 = 1_568;

pub fn tool() -> Tool {
    let media = MediaFields { data: "data", mime_type: "mimeType", reported: &["scaled"] };
    Tool::new(SPEC, run).with_media(media)
}

fn run(context: &mut Context<'_>, args: Args) -> Result<Media, ToolError> {
    read(context, &args).map_err(|error| match (error.limit, error.argument) {
        (None, None) => error.argument("path").path(args.path.display()),
        _ => error,
    })
}

fn read(context: &mut Context<'_>, args: &Args) -> Result<Media, ToolError> {
    let mut file = context.open(&args.path)?;
    let start = read_start(context, &args.path, &mut file)?;
    match FileKind::of(&start) {
        FileKind::Other(other) => Err(not_media(&args.path, other)),
        FileKind::Audio(mime) => {
            check_audio(args, file.metadata.size)?;
            let Contents { bytes, held: _held } = Contents::read(context, args, file, start)?;
            check_audio(args, bytes.len() as u64)?;
            media(context, args, &Shown { bytes: &bytes, mime, now: None, before: None, size_bytes: bytes.len() })
        }
        FileKind::Image(format) => {
            let Contents { bytes, mut held } = Contents::read(context, args, file, start)?;
            let size_bytes = bytes.len();
            let picture = Picture { bytes: Arc::new(bytes), format };
            let size = size(context, args, &picture)?;
            let before = size.displayed();
            let rendered = render(context, args, &picture, size, &mut held)?;
            let shown = match &rendered {
                None => Shown {
                    bytes: &picture.bytes,
                    mime: mime(format),
                    now: Some(before),
                    before: Some(before),
                    size_bytes,
                },
                Some(Rendered { bytes, format, dimensions }) => {
                    Shown { bytes, mime: mime(*format), now: Some(*dimensions), before: Some(before), size_bytes }
                }
            };
            media(context, args, &shown)
        }
    }
}

/// The bytes of a file, charged as memory.
struct Contents {
    bytes: Vec<u8>,
    held: MemoryCharge,
}

/// Reads the first bytes of a file.
fn read_start(context: &mut Context<'_>, path: &SandboxPath, open: &mut OpenFile) -> Result<Vec<u8>, ToolError> {
    let mut start = Vec::new();
    let read = open.file.by_ref().take(kind::EXAMINED as u64).read_to_end(&mut start);
    read.map_err(|error| path.error(&error))?;
    context.spend_text(start.len())?;
    Ok(start)
}

impl Contents {
    /// Reads a file whose first bytes were read.
    fn read(context: &mut Context<'_>, args: &Args, mut open: OpenFile, start: Vec<u8>) -> Result<Contents, ToolError> {
        let expected = usize::try_from(open.metadata.size).unwrap_or(usize::MAX);
        let mut held = MemoryCharge::of(expected)?;
        let mut bytes = start;
        bytes.reserve_exact(expected.saturating_sub(bytes.len()));
        let mut piece = vec![0; PIECE];
        loop {
            let read = match open.file.read(&mut piece) {
                Ok(read) => read,
                Err(error) if error.kind() == std::io::ErrorKind::Interrupted => continue,
                Err(error) => return Err(args.path.error(&error).into()),
            };
            if read == 0 {
                return Ok(Contents { bytes, held });
            }
            context.meter.poll()?;
            context.spend_text(read)?;
            // The file may grow meanwhile; the vector then takes twice as much.
            if bytes.len() + read > bytes.capacity() {
                held.grow_to(2 * (bytes.len() + read))?;
            }
            bytes.extend_from_slice(&piece[..read]);
        }
    }
}

/// Reads the head of an image, and refuses one that cannot be returned.
fn size(context: &mut Context<'_>, args: &Args, picture: &Picture) -> Result<Size, ToolError> {
    let shown = args.path.display();
    // The decoder of JPEG copies the file.
    let _held = MemoryCharge::of(picture.bytes.len())?;
    let size = {
        let picture = picture.clone();
        worker::run(context.meter, move |_| picture.size())
    };
    let size = size.map_err(lost)?.map_err(|fault| refused(args, picture.format, fault))?;
    let Dimensions { width, height } = size.displayed();
    if size.pixels() > MAX_PIXELS {
        let message =
            format!("`{shown}` is an image of {width}x{height} pixels, more than the {MAX_PIXELS} that are decoded");
        return Err(ToolError::new(ToolCode::TooLarge, message).hint("make a smaller one with another program"));
    }
    let (bytes, is_bmp) = (picture.bytes.len(), picture.format == ImageFormat::Bmp);
    let excess = if size.displayed().longest() > MAX_SIDE {
        Some(format!("more than {MAX_SIDE} a side"))
    } else if bytes as i64 > args.max_bytes && !is_bmp {
        Some(format!("more than the {} of `max_bytes`", args.max_bytes))
    } else {
        None
    };
    match excess.filter(|_| args.max_side.is_none()) {
        None => Ok(size),
        Some(excess) => {
            let message = format!("`{shown}` is an image of {width}x{height} pixels and {bytes} bytes, {excess}");
            let hint = format!("give `max_side: {GOOD_SIDE}` to have it scaled down");
            Err(ToolError::new(ToolCode::TooLarge, message).hint(hint))
        }
    }
}

/// Decodes an image on a thread of its own, and makes the one to return unless it is the file itself.
fn render(
    context: &mut Context<'_>,
    args: &Args,
    picture: &Picture,
    size: Size,
    held: &mut MemoryCharge,
) -> Result<Option<Rendered>, ToolError> {
    let max_side = args.max_side.map(|side| side as u32);
    let max_side = max_side.or((picture.format == ImageFormat::Bmp).then_some(MAX_SIDE));
    let request = Request { max_side: args.max_side.map(|side| side as u32), max_bytes: args.max_bytes as usize };
    let memory = size.memory(Request { max_side, ..request });
    held.grow(usize::try_from(memory).unwrap_or(usize::MAX).saturating_add(picture.bytes.len()))?;
    context.spend_text(usize::try_from(size.decoded).unwrap_or(usize::MAX))?;
    let picture_there = picture.clone();
    let rendered = worker::run(context.meter, move |job| picture_there.render(&size, request, job));
    rendered.map_err(lost)?.map_err(|fault| refused(args, picture.format, fault))
}

/// The media of an answer.
struct Shown<'a> {
    bytes: &'a [u8],
    mime: &'static str,
    now: Option<Dimensions>,
    before: Option<Dimensions>,
    size_bytes: usize,
}

fn media(context: &mut Context<'_>, args: &Args, shown: &Shown<'_>) -> Result<Media, ToolError> {
    let Shown { bytes, mime, now, before, size_bytes } = *shown;
    let length = bytes.len().div_ceil(3) * 4;
    space::check_string(length)?;
    space::check(2 * length)?;
    context.spend_text(length)?;
    Ok(Media {
        path: args.path.display().to_owned(),
        mime_type: mime,
        size_bytes,
        data: STANDARD.encode(bytes),
        width: now.map(|now| now.width),
        height: now.map(|now| now.height),
        scaled: now != before,
        original_width: before.map(|before| before.width),
        original_height: before.map(|before| before.height),
    })
}

fn check_audio(args: &Args, size: u64) -> Result<(), ToolError> {
    if size <= args.max_bytes as u64 {
        return Ok(());
    }
    let (shown, most) = (args.path.display(), args.max_bytes);
    let message = format!("`{shown}` is audio of {size} bytes, more than the {most} of `max_bytes`");
    Err(ToolError::new(ToolCode::TooLarge, message).hint("raise `max_bytes` if the client takes so much"))
}

fn mime(format: ImageFormat) -> &'static str {
    format.to_mime_type()
}

/// Returns the error for a file that is no media, or none that is read.
fn not_media(path: &SandboxPath, other: Other) -> ToolError {
    let shown = path.display();
    let (message, hint) = match other {
        Other::Empty => (format!("`{shown}` is empty"), None),
        Other::Text { is_svg: true } => {
            (format!("`{shown}` is an SVG image, which is text"), Some("read it with `FS.ReadFile`"))
        }
        Other::Text { is_svg: false } => {
            (format!("`{shown}` is text, neither an image nor audio"), Some("read it with `FS.ReadFile`"))
        }
        Other::Image(mime) => (
            format!("`{shown}` is {mime}; images that are read are PNG, JPEG, GIF, WebP and BMP"),
            Some("convert it with another program, or read its bytes with `FS.ReadFile` and `encoding: \"base64\"`"),
        ),
        Other::Archive(mime) => (
            format!("`{shown}` is {mime}, neither an image nor audio"),
            Some("`FS.ListArchive` lists the files in an archive, and `FS.Extract` unpacks them"),
        ),
        Other::Known(mime) => (
            format!("`{shown}` is {mime}, neither an image nor audio"),
            Some("read its bytes with `FS.ReadFile` and `encoding: \"base64\"`"),
        ),
        Other::Unknown => (
            format!("`{shown}` is in no known format, neither an image nor audio"),
            Some("read it with `FS.ReadFile`, or its bytes with `encoding: \"base64\"`"),
        ),
    };
    let error = ToolError::new(ToolCode::InvalidMedia, message);
    match hint {
        Some(hint) => error.hint(hint),
        None => error,
    }
}

/// Returns the error for an image that was not decoded, or that is too large in every form.
fn refused(args: &Args, format: ImageFormat, fault: Fault) -> ToolError {
    let shown = args.path.display();
    match fault {
        Fault::Damaged(reason) => {
            let reason = print::shortened(&reason, 200);
            let message = format!("`{shown}` is damaged, or no {} that is known: {reason}", name(format));
            ToolError::new(ToolCode::InvalidMedia, message)
        }
        Fault::TooLarge(least) => {
            let most = args.max_bytes;
            let message = format!("`{shown}` takes {least} bytes at this size, more than the {most} of `max_bytes`");
            let hint = match args.max_side {
                Some(_) => "give a smaller `max_side`".to_owned(),
                None => format!("give `max_side: {GOOD_SIDE}` to have it scaled down"),
            };
            ToolError::new(ToolCode::TooLarge, message).hint(hint)
        }
        Fault::Abandoned => unreachable!("the call waits until its deadline, whose error comes first"),
    }
}

fn name(format: ImageFormat) -> &'static str {
    match format {
        ImageFormat::Png => "PNG",
        ImageFormat::Jpeg => "JPEG",
        ImageFormat::Gif => "GIF",
        ImageFormat::WebP => "WebP",
        _ => "BMP",
    }
}

/// Returns the error for a decoder that gave no result.
fn lost(lost: Lost) -> ToolError {
    match lost {
        Lost::Limit(hit) => hit.into(),
        Lost::NoThread(error) => {
            ToolError::new(ToolCode::IoError, format!("no thread can be started to decode the image: {error}"))
        }
        Lost::Panicked => {
            let message = "the decoder of the image failed, which is a fault of it; please report it with the file";
            ToolError::new(ToolCode::InvalidMedia, message)
        }
    }
}
