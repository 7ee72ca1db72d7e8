//! `IMAGE.Info`: dimensions, camera and date of an image, from the head of its file.
//!
//! The content of a file decides about its format. Nothing is decoded and no memory depends on the file: everything
//! is read through [`Window`], which bounds it. Where EXIF is damaged, the fields that can be read are given.

mod exif;
mod head;
mod heif;
mod profile;

use chrono::{FixedOffset, NaiveDateTime};
use schemars::JsonSchema;
use serde::Serialize;

use crate::gate::{Context, Tool};
use crate::sandbox::{PathRule, SandboxPath};
use crate::text::ToolCode;
use crate::toolkit::{Effect, Example, Failure, Risk, Spec, ToolError, arguments};

use super::super::fs::kind::{EXAMINED, Kind as FileKind, Other};
use super::super::mime;
use super::window::{Fault, Window, unless_damaged};
use exif::{Exif, Position};

const SPEC: Spec = Spec {
    name: "IMAGE.Info",
    wire: "image_info",
    aliases: &["IMAGE.Exif", "IMAGE.Metadata"],
    keywords: &[
        "exif",
        "exiftool",
        "date taken",
        "photo date",
        "DateTimeOriginal",
        "camera",
        "lens",
        "gps of a photo",
        "geotag",
        "image size",
        "image dimensions",
        "image metadata",
        "identify",
        "Image.getexif",
        "_getexif",
        "piexif",
        "exifread",
        "heic",
    ],
    summary: "Returns format, dimensions, camera and date taken of an image",
    details: "Returns a map. Fields that are missing in the file or damaged are nil.\n\n\
        - `mimeType`: type of the content, such as `image/jpeg`; the name of the file does not matter.\n\
        - `width`, `height`: pixels as displayed, so after the rotation by `orientation`.\n\
        - `orientation`: EXIF's number, 1 to 8 (6 is a quarter turn clockwise); 1 if the file has none. HEIC and AVIF \
        say themselves how they are turned, and their EXIF does not count.\n\
        - `taken`: time of the camera's clock when the picture was taken: `2024-05-12T10:15:00+02:00` if EXIF has \
        the offset, `2024-05-12T10:15:00` if not, as with most older cameras. The first ten characters are the day \
        at that place. If the camera wrote no such time, or zeros, it is the time when the picture was digitized, as \
        scanners write it. `TIME.Parse(taken, zone: \"local\")` returns the moment; `zone` counts only without an \
        offset.\n\
        - `make`, `model`, `lens`: as the camera wrote them, at most 256 bytes each.\n\
        - `gps`: nil unless `gps: true` asks for it; then `latitude` and `longitude` in degrees (north and east are \
        positive) and `altitude` in metres.\n\n\
        Formats: JPEG, PNG, GIF, WebP, BMP, TIFF (not BigTIFF) and raw files that are TIFF (DNG, NEF, ARW, CR2), HEIC and AVIF. At \
        most 1 MiB of the head and the EXIF data is read, so a file that was cut off after them is not noticed.",
    effect: Effect::Reads,
    risk: Risk::Low,
    requires_approval: false,
    failure: Failure::ErrorMap,
    errors: &[
        ToolCode::SandboxViolation,
        ToolCode::NotFound,
        ToolCode::IsADirectory,
        ToolCode::PermissionDenied,
        ToolCode::InvalidMedia,
        ToolCode::IoError,
    ],
    example: Example {
        script: "SET dot = \"R0lGODlhAQABAPAAAP8AAAAAACH5BAAAAAAALAAAAAABAAEAAAICRAEAOw==\"\nMUST CALL FS.WriteFile(\"dot.gif\", dot, encoding: \"base64\")\nSET info = IMAGE.Info(\"dot.gif\")\nEMIT info.mimeType, \" \", info.width, \"x\", info.height, \" \", info.taken",
        output: "image/gif 1x1 nil\n",
    },
};

arguments! {
    struct Args {
        path | file_path: SandboxPath = Required, Kind::Path(PathRule::INSIDE, Access::Read), "image file, from the sandbox root";
        gps: bool = Is(Literal::Bool(false)), Kind::Bool, "whether to tell where the picture was taken";
    }
}

#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct Info {
    /// The path as given, tidied.
    path: String,
    /// The type of the content, such as `image/jpeg`.
    mime_type: &'static str,
    /// Width in pixels, as displayed.
    width: u32,
    /// Height in pixels, as displayed.
    height: u32,
    /// How the stored pixels are turned and mirrored, by EXIF: 1 to 8.
    orientation: u8,
    /// The camera's clock when the picture was taken, with its offset from UTC if that is known.
    taken: Option<String>,
    /// Maker of the camera.
    make: Option<String>,
    /// Model of the camera.
    model: Option<String>,
    /// Model of the lens.
    lens: Option<String>,
    /// Where it was taken, if asked for.
    gps: Option<Gps>,
}

#[derive(Serialize, JsonSchema)]
struct Gps {
    /// Degrees, positive to the north.
    latitude: f64,
    /// Degrees, positive to the east.
    longitude: f64,
    /// Metres above the sea, nil where it is not known.
    altitude: Option<f64>,
}

/// The bytes of a file that hold a TIFF structure.
#[derive(Clone, Copy, Debug)]
struct TiffRange {
    start: u64,
    end: u64,
}

/// The head of an image.
#[derive(Debug, Default)]
struct Head {
    /// Width of the stored pixels, 0 if EXIF has it.
    width: u32,
    /// Height of the stored pixels, 0 if EXIF has it.
    height: u32,
    exif: Option<TiffRange>,
    /// The EXIF of PNG files in an old form, decoded.
    profile: Option<Vec<u8>>,
    /// The orientation by the format itself.
    orientation: Option<u8>,
}

impl Head {
    fn of(width: u16, height: u16) -> Head {
        Head { width: width.into(), height: height.into(), ..Head::default() }
    }
}

/// Maximum number of bytes that are read.
const MAX_READ: usize = 1 << 20;
/// Degrees are rounded to seven decimals, which is about a centimetre.
const DEGREES: f64 = 1e7;
/// Metres are rounded to three decimals.
const METRES: f64 = 1e3;

pub fn tool() -> Tool {
    Tool::new(SPEC, run)
}

fn run(context: &mut Context<'_>, args: Args) -> Result<Info, ToolError> {
    let open = context.open(&args.path).map_err(|error| error.argument("path").path(args.path.display()))?;
    let mut window = Window::new(context, open, MAX_READ);
    match read(&mut window, &args) {
        Ok(Some(info)) => Ok(info),
        Ok(None) => Err(not_an_image(&mut window, &args.path)),
        Err(fault) => Err(fault.into_error(&args.path)),
    }
}

/// Returns nothing for a file that is not an image whose head is known.
fn read(window: &mut Window<'_, '_>, args: &Args) -> Result<Option<Info>, Fault> {
    let start = window.up_to(0, EXAMINED)?;
    // Two letters at the start of a text are no mark of an image.
    if matches!(FileKind::of(start), FileKind::Other(Other::Empty | Other::Text { .. })) {
        return Ok(None);
    }
    let Some(mime_type) = mime::of_bytes(start) else { return Ok(None) };
    let Some(head) = head::read(window, mime_type)? else { return Ok(None) };
    let place = match head.profile {
        Some(profile) => Some(TiffRange { start: 0, end: window.replace_by(profile) }),
        None => head.exif,
    };
    let exif = match place {
        Some(place) => unless_damaged(exif::read(window, place, args.gps))?.unwrap_or_default(),
        None => Exif::default(),
    };
    let orientation = head.orientation.or(exif.orientation).filter(|number| (1..=8).contains(number)).unwrap_or(1);
    let (width, height) = match (head.width, head.height) {
        (0, 0) => exif.dimensions.unwrap_or_default(),
        sides => sides,
    };
    if width == 0 || height == 0 {
        return Err(Fault::Damaged("its head has no dimensions"));
    }
    let is_turned = orientation > 4;
    Ok(Some(Info {
        path: args.path.display().to_owned(),
        mime_type,
        width: if is_turned { height } else { width },
        height: if is_turned { width } else { height },
        orientation,
        taken: exif.clocks.iter().find_map(|clock| time(&clock.time, clock.offset.as_deref())),
        make: exif.make,
        model: exif.model,
        lens: exif.lens,
        gps: exif.position.map(gps),
    }))
}

/// Returns a time of EXIF as RFC 3339, without an offset if there is none; nothing if it is not a time.
fn time(taken: &str, offset: Option<&str>) -> Option<String> {
    let local = NaiveDateTime::parse_from_str(taken, "%Y:%m:%d %H:%M:%S").ok()?;
    let text = local.format("%Y-%m-%dT%H:%M:%S").to_string();
    let offset = offset.and_then(|offset| offset.parse::<FixedOffset>().ok());
    // A year of five digits is not one of a camera.
    (text.len() == 19).then(|| offset.map_or(text.clone(), |offset| format!("{text}{offset}")))
}

fn gps(position: Position) -> Gps {
    let Position { latitude, longitude, altitude } = position;
    Gps {
        latitude: (latitude * DEGREES).round() / DEGREES,
        longitude: (longitude * DEGREES).round() / DEGREES,
        altitude: altitude.map(|altitude| (altitude * METRES).round() / METRES),
    }
}

/// Returns the error for a file that is not an image whose head is known.
fn not_an_image(window: &mut Window<'_, '_>, path: &SandboxPath) -> ToolError {
    let kind = match window.up_to(0, EXAMINED) {
        Ok(start) => FileKind::of(start),
        Err(fault) => return fault.into_error(path),
    };
    let what = match kind {
        FileKind::Other(Other::Empty) => "is empty".to_owned(),
        FileKind::Other(Other::Text { is_svg: true }) => "is an SVG image, which is text without EXIF".to_owned(),
        FileKind::Other(Other::Text { is_svg: false }) => "is text, not an image".to_owned(),
        FileKind::Other(Other::Image(mime)) => format!("is {mime}, whose head is not read"),
        FileKind::Other(Other::Archive(mime) | Other::Known(mime)) | FileKind::Audio(mime) => {
            format!("is {mime}, not an image")
        }
        FileKind::Other(Other::Unknown) if is_big_tiff(window) => "is BigTIFF, whose head is not read".to_owned(),
        FileKind::Image(_) | FileKind::Other(Other::Unknown) => "is in no known format of images".to_owned(),
    };
    let error = ToolError::new(ToolCode::InvalidMedia, format!("`{}` {what}", path.display()));
    error.argument("path").path(path.display())
}

/// Returns whether a file is TIFF with positions of eight bytes.
fn is_big_tiff(window: &mut Window<'_, '_>) -> bool {
    matches!(window.up_to(0, 4), Ok(b"II+\0" | b"MM\0+"))
}
