//! How a file sounds: how long, how many samples and channels.

/// The properties of the sound of a file; nothing where one is not known.
#[derive(Clone, Copy, Debug, Default)]
pub struct Sound {
    pub seconds: Option<f64>,
    /// Kilobits per second.
    pub bitrate: Option<u32>,
    /// Samples per second.
    pub rate: Option<u32>,
    pub channels: Option<u8>,
}

impl Sound {
    /// Returns a sound of these samples in so many bytes.
    pub fn new(samples: Option<u64>, rate: u32, channels: u8, bytes: u64) -> Sound {
        let seconds =
            samples.filter(|samples| *samples > 0 && rate > 0).map(|samples| samples as f64 / f64::from(rate));
        let bitrate = seconds.map(|seconds| (bytes as f64 * 8.0 / seconds / 1000.0).round() as u32);
        Sound { seconds, bitrate: bitrate.filter(|rate| *rate > 0), rate: known(rate), channels: known(channels) }
    }
}

fn known<N: Default + PartialEq>(number: N) -> Option<N> {
    Some(number).filter(|number| *number != N::default())
}
