//! The clock and the random numbers of a run. Both can be fixed to make a run reproducible.

use std::cell::RefCell;

use chrono::{DateTime, Utc};
use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::{Rng, SeedableRng};

/// The source of the current time.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Clock {
    /// The system's clock.
    #[default]
    System,
    /// A fixed time.
    Fixed(DateTime<Utc>),
}

impl Clock {
    /// Returns the current time.
    pub fn now(self) -> DateTime<Utc> {
        match self {
            Clock::System => Utc::now(),
            Clock::Fixed(moment) => moment,
        }
    }
}

/// Random numbers of a run: unpredictable, unless a seed is given. The same seed gives the same numbers in every
/// version.
#[derive(Debug, Default)]
pub struct RandomSource {
    seed: Option<u64>,
    generator: RefCell<Option<ChaCha8Rng>>,
}

impl RandomSource {
    /// Creates a generator that is reproducible if there is a seed.
    pub fn new(seed: Option<u64>) -> RandomSource {
        RandomSource { seed, generator: RefCell::default() }
    }

    /// Restarts the generator with a seed that the script gives.
    pub fn reseed(&self, seed: u64) {
        *self.generator.borrow_mut() = Some(ChaCha8Rng::seed_from_u64(seed));
    }

    /// Discards the state of the generator; called when a run ends.
    pub fn forget(&self) {
        *self.generator.borrow_mut() = None;
    }

    /// Fills `bytes` with random bytes.
    pub fn fill(&self, bytes: &mut [u8]) {
        self.with(|generator| generator.fill_bytes(bytes));
    }

    /// Returns a uniformly distributed number below a bound; a bound of 0 stands for 2^64.
    pub fn below(&self, bound: u64) -> u64 {
        self.with(|generator| {
            if bound == 0 {
                return generator.next_u64();
            }
            // Lemire's method: reject the remainder where 2^64 is not a multiple of the bound, and draw again.
            loop {
                let wide = u128::from(generator.next_u64()) * u128::from(bound);
                if wide as u64 >= bound.wrapping_neg() % bound {
                    return (wide >> 64) as u64;
                }
            }
        })
    }

    /// Returns a number from 0.0 up to, but not including, 1.0.
    pub fn float(&self) -> f64 {
        self.with(|generator| (generator.next_u64() >> 11) as f64 / (1_u64 << 53) as f64)
    }

    fn with<T>(&self, work: impl FnOnce(&mut ChaCha8Rng) -> T) -> T {
        let mut generator = self.generator.borrow_mut();
        work(generator.get_or_insert_with(|| match self.seed {
            Some(seed) => ChaCha8Rng::seed_from_u64(seed),
            None => {
                let mut seed = [0; 32];
                getrandom::fill(&mut seed).expect("the system has random numbers");
                ChaCha8Rng::from_seed(seed)
            }
        }))
    }
}
