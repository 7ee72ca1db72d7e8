//! Images: their dimensions, the memory that decoding takes, and decoding, scaling and encoding.
//!
//! Nothing here knows a context, so that it can run on a thread of its own. The caller charges [`Size::memory`] before it
//! calls [`Picture::render`].

use std::io::Cursor;
use std::sync::Arc;

use image::codecs::jpeg::JpegEncoder;
use image::codecs::png::{CompressionType, FilterType as PngFilter, PngEncoder};
use image::imageops::FilterType;
use image::metadata::Orientation;
use image::{DynamicImage, ImageDecoder, ImageError, ImageFormat, ImageReader, Limits, Rgb, RgbImage, Rgba};

use super::jpeg::Markers;
use super::worker::Job;

/// Maximum number of pixels of an image that is decoded: what the largest allowed image has without scaling.
pub const MAX_PIXELS: u64 = (MAX_SIDE as u64) * (MAX_SIDE as u64);
/// Maximum length of a side in pixels of an image that is returned: what the interfaces of models accept.
pub const MAX_SIDE: u32 = 8_000;
/// Memory in bytes that a decoder may use for metadata.
const METADATA: u64 = 4 << 20;
/// Qualities of JPEG, tried in this order until the image is small enough.
const QUALITIES: [u8; 2] = [85, 60];

/// The file of an image.
#[derive(Clone, Debug)]
pub struct Picture {
    /// The bytes of the file.
    pub bytes: Arc<Vec<u8>>,
    /// Its format.
    pub format: ImageFormat,
}

/// The size of an image, and of what decoding it takes.
#[derive(Clone, Copy, Debug)]
pub struct Size {
    /// Width of the stored pixels.
    width: u32,
    /// Height of the stored pixels.
    height: u32,
    orientation: Orientation,
    channels: u64,
    /// Bytes of the decoded pixels.
    pub decoded: u64,
    /// Bytes that the decoder uses in addition.
    extra: u64,
}

/// The width and height of an image as it is displayed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Dimensions {
    /// The width in pixels.
    pub width: u32,
    /// The height in pixels.
    pub height: u32,
}

/// An image to return.
#[derive(Clone, Copy, Debug)]
pub struct Request {
    /// Maximum length of a side in pixels, if the image may be changed.
    pub max_side: Option<u32>,
    /// Maximum number of bytes.
    pub max_bytes: usize,
}

/// An image that was made from the file.
#[derive(Debug)]
pub struct Rendered {
    /// The bytes of the new file.
    pub bytes: Vec<u8>,
    /// Its format.
    pub format: ImageFormat,
    /// Its dimensions.
    pub dimensions: Dimensions,
}

/// Why an image cannot be returned.
#[derive(Debug)]
pub enum Fault {
    /// The file is damaged, or uses what its decoder does not know.
    Damaged(String),
    /// The smallest form takes this many bytes.
    TooLarge(usize),
    /// Nobody waits for the image any more.
    Abandoned,
}

impl From<ImageError> for Fault {
    fn from(error: ImageError) -> Fault {
        Fault::Damaged(error.to_string())
    }
}

impl Dimensions {
    /// Returns the longer side.
    pub fn longest(self) -> u32 {
        self.width.max(self.height)
    }

    /// Returns the dimensions of the same form whose longer side is `side`.
    fn scaled_to(self, side: u32) -> Dimensions {
        let (longest, side) = (u64::from(self.longest()), u64::from(side));
        let scaled = |length: u32| ((u64::from(length) * side + longest / 2) / longest).max(1) as u32;
        Dimensions { width: scaled(self.width), height: scaled(self.height) }
    }

    fn pixels(self) -> u64 {
        u64::from(self.width) * u64::from(self.height)
    }
}

impl Size {
    /// Returns the number of pixels.
    pub fn pixels(&self) -> u64 {
        self.stored().pixels()
    }

    /// Returns the dimensions of the image as it is displayed.
    pub fn displayed(&self) -> Dimensions {
        turned(self.orientation, self.stored())
    }

    /// Returns the memory in bytes that returning the image takes at most, the file itself excluded.
    pub fn memory(&self, request: Request) -> u64 {
        let decoding = self.decoded + self.extra;
        let Some(max_side) = request.max_side else { return decoding };
        let stored = self.stored();
        let made = stored.scaled_to(max_side.min(stored.longest())).pixels();
        let rough = (4 * made).min(self.pixels()) * self.decoded.div_ceil(self.pixels().max(1));
        // A row of floats for each line of the result, then the result, turned, without transparency, and encoded.
        let scaling = made * (2 * 4 * self.channels + 4 * self.channels + 3);
        decoding.max(self.decoded + rough).max(rough + rough / 2 + scaling)
    }

    fn stored(&self) -> Dimensions {
        Dimensions { width: self.width, height: self.height }
    }
}

/// Returns dimensions after an orientation was applied.
fn turned(orientation: Orientation, Dimensions { width, height }: Dimensions) -> Dimensions {
    match orientation {
        Orientation::Rotate90 | Orientation::Rotate270 | Orientation::Rotate90FlipH | Orientation::Rotate270FlipH => {
            Dimensions { width: height, height: width }
        }
        _ => Dimensions { width, height },
    }
}

impl Picture {
    /// Reads the head of the file.
    pub fn size(&self) -> Result<Size, Fault> {
        let mut decoder = self.decoder(0)?;
        let (width, height) = decoder.dimensions();
        // Damaged metadata does not make an image unreadable.
        let orientation = decoder.orientation().unwrap_or(Orientation::NoTransforms);
        if width == 0 || height == 0 {
            return Err(Fault::Damaged("it has no pixels".to_owned()));
        }
        let pixels = u64::from(width) * u64::from(height);
        let extra = match self.format {
            ImageFormat::Jpeg => self.memory_of_jpeg(pixels)?,
            // The planes of a lossy image or the words of a lossless one, and the transparency.
            ImageFormat::WebP => 8 * pixels,
            ImageFormat::Gif => 4 * pixels,
            _ => 0,
        };
        let channels = u64::from(decoder.color_type().channel_count());
        Ok(Size { width, height, orientation, channels, decoded: decoder.total_bytes(), extra: extra + METADATA })
    }

    /// Returns the bytes that a JPEG decoder holds besides the pixels. Errors: the file was cut off, which the decoder
    /// would fill with gray.
    fn memory_of_jpeg(&self, pixels: u64) -> Result<u64, Fault> {
        let Markers { is_progressive, has_end } = Markers::of(&self.bytes);
        if !has_end {
            return Err(Fault::Damaged("it ends too early".to_owned()));
        }
        // Coefficients of two bytes for each of up to four components.
        Ok(if is_progressive { 8 * pixels } else { 0 })
    }

    /// Decodes the image, which proves that it is whole, and makes a new one if it is not returned as it is.
    pub fn render(&self, size: &Size, request: Request, job: &Job) -> Result<Option<Rendered>, Fault> {
        let decoder = self.decoder(size.decoded)?;
        let image = DynamicImage::from_decoder(decoder)?;
        let side = request.max_side.filter(|side| *side < size.displayed().longest());
        let is_small = self.bytes.len() <= request.max_bytes || request.max_side.is_none();
        if side.is_none() && is_small && self.format != ImageFormat::Bmp {
            return Ok(None);
        }
        check(job)?;
        let mut image = scaled(image, side, job)?;
        image.apply_orientation(size.orientation);
        let dimensions = Dimensions { width: image.width(), height: image.height() };
        let (bytes, format) = self.encoded(image, request, job)?;
        Ok(Some(Rendered { bytes, format, dimensions }))
    }

    /// Encodes an image without loss if its file had none, and in JPEG if that takes too many bytes.
    fn encoded(&self, image: DynamicImage, request: Request, job: &Job) -> Result<(Vec<u8>, ImageFormat), Fault> {
        let mut least = usize::MAX;
        if self.format != ImageFormat::Jpeg {
            let mut bytes = Vec::new();
            let encoder = PngEncoder::new_with_quality(&mut bytes, CompressionType::Default, PngFilter::Adaptive);
            image.write_with_encoder(encoder)?;
            if bytes.len() <= request.max_bytes {
                return Ok((bytes, ImageFormat::Png));
            }
            least = bytes.len();
        }
        // Without `max_side` nobody has agreed to a loss.
        let image = on_white(image);
        for quality in QUALITIES.into_iter().filter(|_| request.max_side.is_some()) {
            check(job)?;
            let mut bytes = Vec::new();
            image.write_with_encoder(JpegEncoder::new_with_quality(&mut bytes, quality))?;
            if bytes.len() <= request.max_bytes {
                return Ok((bytes, ImageFormat::Jpeg));
            }
            least = least.min(bytes.len());
        }
        Err(Fault::TooLarge(least))
    }

    /// Opens the decoder, which may allocate `decoded` bytes for pixels.
    fn decoder(&self, decoded: u64) -> Result<impl ImageDecoder + '_, Fault> {
        let mut reader = ImageReader::with_format(Cursor::new(&self.bytes[..]), self.format);
        let mut limits = Limits::no_limits();
        // Some decoders count the pixels, and buffers of the same size.
        limits.max_alloc = Some(2 * decoded + METADATA);
        reader.limits(limits);
        Ok(reader.into_decoder()?)
    }
}

/// Errors: if nobody waits for the image any more.
fn check(job: &Job) -> Result<(), Fault> {
    if job.is_abandoned() { Err(Fault::Abandoned) } else { Ok(()) }
}

/// Returns an image of 8 bits a channel whose longer side is `side`.
fn scaled(image: DynamicImage, side: Option<u32>, job: &Job) -> Result<DynamicImage, Fault> {
    let Some(side) = side else { return Ok(in_bytes(image)) };
    let stored = Dimensions { width: image.width(), height: image.height() };
    let Dimensions { width, height } = stored.scaled_to(side);
    // Means of whole pixels are quick; the filter then works on at most four pixels for each of the result.
    let is_far = stored.longest() / 2 > side;
    let rough = if is_far { image.thumbnail_exact(2 * width, 2 * height) } else { image };
    check(job)?;
    Ok(in_bytes(rough).resize_exact(width, height, FilterType::CatmullRom))
}

/// Returns an image with 8 bits a channel, of gray or of colors as before.
fn in_bytes(image: DynamicImage) -> DynamicImage {
    match image {
        DynamicImage::ImageLuma16(_) => image.into_luma8().into(),
        DynamicImage::ImageLumaA16(_) => image.into_luma_alpha8().into(),
        DynamicImage::ImageRgb16(_) | DynamicImage::ImageRgb32F(_) => image.into_rgb8().into(),
        DynamicImage::ImageRgba16(_) | DynamicImage::ImageRgba32F(_) => image.into_rgba8().into(),
        image => image,
    }
}

/// Returns an image without transparency, on white as pages show it.
fn on_white(image: DynamicImage) -> DynamicImage {
    if !image.color().has_alpha() {
        return image;
    }
    let image = image.into_rgba8();
    let mixed = |channel: u8, alpha: u8| {
        let (channel, alpha) = (u32::from(channel), u32::from(alpha));
        ((channel * alpha + 255 * (255 - alpha) + 127) / 255) as u8
    };
    let opaque = |Rgba([red, green, blue, alpha]): &Rgba<u8>| {
        Rgb([mixed(*red, *alpha), mixed(*green, *alpha), mixed(*blue, *alpha)])
    };
    RgbImage::from_fn(image.width(), image.height(), |x, y| opaque(image.get_pixel(x, y))).into()
}
