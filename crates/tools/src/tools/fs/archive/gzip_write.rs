//! A writer for a single file in gzip, without name and time, so that equal files give equal bytes.

use std::io::{self, Write as _};

use flate2::Compression;
use flate2::write::GzEncoder;

use super::{Entry, Output, Writer};

/// A writer of one file in gzip.
pub struct GzipWriter(GzEncoder<Vec<u8>>);

impl GzipWriter {
    /// Creates an empty file.
    pub fn new() -> GzipWriter {
        GzipWriter(GzEncoder::new(Vec::new(), Compression::default()))
    }

    fn hand_over(&mut self, out: &mut Output<'_>) {
        out.pending.append(self.0.get_mut());
    }
}

impl Writer for GzipWriter {
    fn begin(&mut self, _: &Entry, _: &mut Output<'_>) -> io::Result<()> {
        Ok(())
    }

    fn write(&mut self, bytes: &[u8], out: &mut Output<'_>) -> io::Result<()> {
        self.0.write_all(bytes)?;
        self.hand_over(out);
        Ok(())
    }

    fn end(&mut self, out: &mut Output<'_>) -> io::Result<()> {
        self.0.try_finish()?;
        self.hand_over(out);
        Ok(())
    }

    fn finish(&mut self, _: &mut Output<'_>) -> io::Result<()> {
        Ok(())
    }
}
