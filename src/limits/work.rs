//! The work of walks through values, and when it must stop.
//!
//! Values are compared, hashed, printed and converted in places that know no meter (`Hash`, `Eq`, `Display`, serde), so
//! the account of this work belongs to the thread, as that of [`super::space`] does. A run sets its watch with
//! [`enter`]; walks [`charge`] what they are about to do, and now and then a charge looks at the clock. Once a look has
//! said stop, every charge fails until the guard is dropped: a walk that cannot return an error ends at once too, and
//! its caller learns from [`check`] that the result means nothing. Where no run goes on, nothing stops.

use std::cell::{Cell, RefCell};

use super::{LimitHit, Watch};

/// Units of work between two looks at the clock. A unit takes some nanoseconds: an element, an entry, [`UNIT_BYTES`].
const SLICE: u64 = 1 << 14;
/// Bytes of text that are one unit.
const UNIT_BYTES: usize = 64;

thread_local! {
    /// Units that are left until the next look; 0 from the look on that said stop.
    static LEFT: Cell<u64> = const { Cell::new(0) };
    static ACCOUNT: RefCell<Account> = const { RefCell::new(Account { watch: None, hit: None }) };
}

/// The run whose work this thread does, and whether it must stop.
#[derive(Debug)]
struct Account {
    watch: Option<Watch>,
    hit: Option<LimitHit>,
}

/// Has the walks of this thread look at a watch until the guard is dropped.
pub fn enter(watch: Watch) -> Guard {
    let account = Account { watch: Some(watch), hit: None };
    Guard { account: Some(ACCOUNT.replace(account)), left: LEFT.replace(SLICE) }
}

/// Restores the account that held before.
#[derive(Debug)]
pub struct Guard {
    account: Option<Account>,
    left: u64,
}

impl Drop for Guard {
    fn drop(&mut self) {
        if let Some(account) = self.account.take() {
            ACCOUNT.replace(account);
            LEFT.set(self.left);
        }
    }
}

/// Charges so many elements or entries, or says that the run must stop.
#[inline]
pub fn charge(units: usize) -> Result<(), LimitHit> {
    match LEFT.get().checked_sub(units as u64) {
        Some(left) => {
            LEFT.set(left);
            Ok(())
        }
        None => look(),
    }
}

/// Charges a text of so many bytes.
#[inline]
pub fn charge_bytes(bytes: usize) -> Result<(), LimitHit> {
    charge(1 + bytes / UNIT_BYTES)
}

/// An error once a walk of this thread was told to stop, so that what came of it means nothing.
#[inline]
pub fn check() -> Result<(), LimitHit> {
    if LEFT.get() > 0 { Ok(()) } else { stopped() }
}

#[cold]
#[inline(never)]
fn stopped() -> Result<(), LimitHit> {
    ACCOUNT.with_borrow(|account| account.hit.map_or(Ok(()), Err))
}

#[cold]
#[inline(never)]
fn look() -> Result<(), LimitHit> {
    LEFT.set(0);
    ACCOUNT.with_borrow_mut(|account| {
        if account.hit.is_none() {
            account.hit = account.watch.as_ref().and_then(|watch| watch.poll().err());
        }
        account.hit.map_or(Ok(()), Err)
    })?;
    LEFT.set(SLICE);
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::super::{Interrupt, Limit, Limits, Meter};
    use super::{SLICE, charge, charge_bytes, check, enter};

    fn works_on() -> bool {
        (0..=SLICE).all(|_| charge(1).is_ok()) && charge_bytes(1 << 30).is_ok() && check().is_ok()
    }

    #[test]
    fn what_must_stop_stays_stopped_until_the_guard_is_dropped() {
        assert!(works_on(), "nothing stops outside of a run");
        let interrupt = Interrupt::default();
        let guard = enter(Meter::new(&Limits::default(), interrupt.clone()).watch());
        assert!(works_on());
        interrupt.raise();
        let hit = (0..=SLICE).find_map(|_| charge(1).err()).expect("a slice later it stops");
        assert_eq!(hit.limit, Limit::Interrupt);
        interrupt.clear();
        assert_eq!((charge(1), check()), (Err(hit), Err(hit)), "the walk that was stopped is not taken for whole");
        {
            let _inner = enter(Meter::unlimited().watch());
            assert!(works_on(), "work within has an account of its own");
        }
        assert_eq!(check(), Err(hit));
        drop(guard);
        assert!(works_on());
    }
}
