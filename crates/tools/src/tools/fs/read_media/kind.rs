//! The kind of a file by its first bytes. The name of a file decides nothing.

use image::ImageFormat;
use infer::MatcherType;

use super::super::super::mime;
use super::super::encoding::{is_binary, looks_like_text};

/// Number of bytes at the start of a file that decide its kind.
pub const EXAMINED: usize = 16 << 10;

/// The kind of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// An image that is decoded.
    Image(ImageFormat),
    /// Audio, with its media type.
    Audio(&'static str),
    /// Anything else.
    Other(Other),
}

/// A file that is no media, or none that is read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Other {
    /// No bytes.
    Empty,
    /// Text, which an SVG image is too.
    Text {
        /// Whether it is an SVG image.
        is_svg: bool,
    },
    /// An image in a format that is not decoded, with its media type.
    Image(&'static str),
    /// An archive, with its media type.
    Archive(&'static str),
    /// Another known format, with its media type.
    Known(&'static str),
    /// Bytes of no known format.
    Unknown,
}

impl Kind {
    /// Returns the kind of a file that begins with these bytes.
    pub fn of(start: &[u8]) -> Kind {
        if start.is_empty() {
            return Kind::Other(Other::Empty);
        }
        if !is_binary(start) && looks_like_text(start) {
            return Kind::Other(Other::Text { is_svg: is_svg(start) });
        }
        if let Some(mime @ "image/heic") = mime::of_bytes(start) {
            return Kind::Other(Other::Image(mime));
        }
        let Some(found) = infer::get(start) else { return Kind::Other(Other::Unknown) };
        let mime = found.mime_type();
        match (mime, found.matcher_type()) {
            ("image/png", _) => Kind::Image(ImageFormat::Png),
            ("image/jpeg", _) => Kind::Image(ImageFormat::Jpeg),
            ("image/gif", _) => Kind::Image(ImageFormat::Gif),
            ("image/webp", _) => Kind::Image(ImageFormat::WebP),
            ("image/bmp", _) => Kind::Image(ImageFormat::Bmp),
            (_, MatcherType::Image) => Kind::Other(Other::Image(mime)),
            (_, MatcherType::Audio) => Kind::Audio(registered(mime)),
            ("application/zip" | "application/x-tar" | "application/gzip", _) => Kind::Other(Other::Archive(mime)),
            _ => Kind::Other(Other::Known(mime)),
        }
    }

    /// Whether an agent can see or hear it.
    pub fn is_media(self) -> bool {
        matches!(self, Kind::Image(_) | Kind::Audio(_))
    }
}

/// Returns the media type that IANA, browsers and the interfaces of models use for a type of audio.
fn registered(mime: &'static str) -> &'static str {
    match mime {
        "audio/m4a" => "audio/mp4",
        "audio/opus" => "audio/ogg",
        "audio/x-aiff" => "audio/aiff",
        "audio/x-flac" => "audio/flac",
        "audio/x-wav" => "audio/wav",
        other => other,
    }
}

fn is_svg(start: &[u8]) -> bool {
    let text = String::from_utf8_lossy(&start[..start.len().min(1024)]).to_ascii_lowercase();
    text.contains("<svg")
}

#[cfg(test)]
mod tests {
    use image::ImageFormat;

    use super::{Kind, Other};

    #[test]
    fn the_first_bytes_decide() {
        for (start, kind) in [
            (&b"\x89PNG\r\n\x1a\n\0"[..], Kind::Image(ImageFormat::Png)),
            (b"GIF89a\x01\0\x01\0", Kind::Image(ImageFormat::Gif)),
            (b"RIFF\x10\0\0\0WEBPVP8 ", Kind::Image(ImageFormat::WebP)),
            (b"RIFF\x10\0\0\0WAVEfmt ", Kind::Audio("audio/wav")),
            (b"fLaC\0\0\0\x22", Kind::Audio("audio/flac")),
            (b"ID3\x04\0\0", Kind::Audio("audio/mpeg")),
            (b"OggS\0\x02", Kind::Audio("audio/ogg")),
            (b"\0\0\0\x18ftypM4A \0\0", Kind::Audio("audio/mp4")),
            (b"\0\0\0\x18ftypheic\0\0\0\0mif1heic", Kind::Other(Other::Image("image/heic"))),
            (b"PK\x03\x04\0\0", Kind::Other(Other::Archive("application/zip"))),
            (b"%PDF-1.7", Kind::Other(Other::Known("application/pdf"))),
            (b"BMW drives", Kind::Other(Other::Text { is_svg: false })),
            (b"<?xml version=\"1.0\"?>\n<svg/>", Kind::Other(Other::Text { is_svg: true })),
            (b"\0\x01\x02", Kind::Other(Other::Unknown)),
            (b"", Kind::Other(Other::Empty)),
        ] {
            assert_eq!(Kind::of(start), kind, "{}", start.escape_ascii());
        }
    }
}
