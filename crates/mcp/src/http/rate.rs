//! Rates: of the requests of a token, and of the failed authentications of an address.
//!
//! A rate is held by the generic cell rate algorithm: one point in time per bucket, and no timer. (The crate `governor`
//! does the same with a second version of `hashbrown`.)

use std::collections::HashMap;
use std::net::{IpAddr, Ipv6Addr};
use std::num::NonZeroU32;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

/// Failed authentications of one address: at once, and the time after which one more is counted.
const FAILURES: u32 = 10;
const FAILURE_EVERY: Duration = Duration::from_secs(6);
/// Maximum number of addresses whose failures are counted apart; the others share one count.
const ADDRESSES: usize = 4096;

/// A bucket from which each request takes one token.
#[derive(Debug)]
pub struct Bucket {
    /// Time after which a token comes back.
    every: Duration,
    /// Number of tokens of a full bucket.
    size: u32,
    /// The time at which the bucket is full again.
    full_at: Option<Instant>,
}

impl Bucket {
    /// Creates a full bucket.
    pub fn new(size: u32, every: Duration) -> Bucket {
        Bucket { every, size, full_at: None }
    }

    /// Creates a full bucket for a number of requests per minute; as many may come at once.
    pub fn per_minute(requests: NonZeroU32) -> Bucket {
        Bucket::new(requests.get(), Duration::from_secs(60) / requests.get())
    }

    /// Takes a token.
    ///
    /// # Errors
    /// Returns the time after which there is one again.
    pub fn take(&mut self, now: Instant) -> Result<(), Duration> {
        let full_at = self.full_at.filter(|at| *at > now).unwrap_or(now) + self.every;
        let over = (full_at - now).saturating_sub(self.every * self.size);
        if over.is_zero() {
            self.full_at = Some(full_at);
            return Ok(());
        }
        Err(over)
    }

    fn is_full(&self, now: Instant) -> bool {
        self.full_at.is_none_or(|at| at <= now)
    }
}

/// The failed authentications of all addresses. A right token is never refused because of them.
#[derive(Debug, Default)]
pub struct Failures {
    buckets: Mutex<HashMap<IpAddr, Bucket>>,
}

impl Failures {
    /// Counts a failure.
    ///
    /// # Errors
    /// Returns the time after which another is answered, if there were too many.
    pub fn count(&self, peer: IpAddr, now: Instant) -> Result<(), Duration> {
        let mut buckets = self.buckets.lock().unwrap_or_else(PoisonError::into_inner);
        let mut of = network(peer);
        if buckets.len() >= ADDRESSES && !buckets.contains_key(&of) {
            buckets.retain(|_, bucket| !bucket.is_full(now));
            if buckets.len() >= ADDRESSES {
                of = IpAddr::V6(Ipv6Addr::UNSPECIFIED);
            }
        }
        buckets.entry(of).or_insert_with(|| Bucket::new(FAILURES, FAILURE_EVERY)).take(now)
    }
}

/// Returns what a single client has: an IPv4 address, or 64 bits of an IPv6 address.
fn network(peer: IpAddr) -> IpAddr {
    match peer.to_canonical() {
        IpAddr::V6(address) => IpAddr::V6(Ipv6Addr::from_bits(address.to_bits() & (u128::MAX << 64))),
        address => address,
    }
}

#[cfg(test)]
mod tests {
    use std::net::IpAddr;
    use std::num::NonZeroU32;
    use std::time::{Duration, Instant};

    use super::{ADDRESSES, Bucket, FAILURES, Failures};

    #[test]
    fn a_bucket_gives_its_size_at_once_and_then_its_rate() {
        let now = Instant::now();
        let mut bucket = Bucket::per_minute(NonZeroU32::new(3).expect("it is not 0"));
        assert!((0..3).all(|_| bucket.take(now).is_ok()));
        assert_eq!(bucket.take(now), Err(Duration::from_secs(20)));
        assert_eq!(bucket.take(now + Duration::from_secs(5)), Err(Duration::from_secs(15)));
        assert_eq!(bucket.take(now + Duration::from_secs(20)), Ok(()));
        assert!(bucket.take(now + Duration::from_secs(20)).is_err());
        let later = now + Duration::from_secs(3600);
        assert!((0..3).all(|_| bucket.take(later).is_ok()) && bucket.take(later).is_err());
    }

    #[test]
    fn failures_of_one_address_do_not_count_for_another() {
        let now = Instant::now();
        let failures = Failures::default();
        let address = |text: &str| text.parse::<IpAddr>().expect("it is an address");
        assert!((0..FAILURES).all(|_| failures.count(address("2001:db8::1"), now).is_ok()));
        assert!(failures.count(address("2001:db8::2"), now).is_err(), "it has the same 64 bits");
        assert!(failures.count(address("2001:db8:0:1::1"), now).is_ok());
        assert!(failures.count(address("192.0.2.1"), now).is_ok());
    }

    #[test]
    fn the_number_of_addresses_is_bounded() {
        let now = Instant::now();
        let failures = Failures::default();
        for number in 0..2 * ADDRESSES as u32 {
            let _ = failures.count(IpAddr::V4(number.into()), now);
        }
        assert!(failures.buckets.lock().expect("nothing panicked").len() <= ADDRESSES + 1);
        // All of them are full again.
        let later = now + Duration::from_secs(3600);
        assert!(failures.count(IpAddr::V4(u32::MAX.into()), later).is_ok());
        assert_eq!(failures.buckets.lock().expect("nothing panicked").len(), 1);
    }
}
