//! Accounting of the work of traversing values, and when it must stop.
//!
//! Values are compared, hashed, printed and converted in code that has no access to a meter (`Hash`, `Eq`, `Display`,
//! serde). The account of this work therefore belongs to the thread, like that of [`super::space`]. A run sets its
//! watch with [`enter`]; traversals [`charge`] the work that they are about to do, and a charge checks the deadline
//! from time to time. After such a check has failed, every charge fails until the guard is dropped: a traversal that
//! cannot return an error then ends quickly too, and its caller learns from [`check`] that the result is invalid.
//! Outside of runs nothing stops.

use std::cell::{Cell, RefCell};

use super::{LimitHit, Watch};

/// Units of work between two checks of the deadline. A unit takes some nanoseconds: an element, an entry,
/// [`UNIT_BYTES`].
const SLICE: u64 = 1 << 14;
/// Number of bytes of text that count as one unit.
const UNIT_BYTES: usize = 64;

thread_local! {
    /// Units left until the next check; 0 after a check has failed.
    static LEFT: Cell<u64> = const { Cell::new(0) };
    static ACCOUNT: RefCell<Account> = const { RefCell::new(Account { watch: None, hit: None }) };
}

/// The run for which this thread works, and the limit that stopped it.
#[derive(Debug)]
struct Account {
    watch: Option<Watch>,
    hit: Option<LimitHit>,
}

/// Makes the traversals of this thread check a watch until the guard is dropped.
pub fn enter(watch: Watch) -> Guard {
    let account = Account { watch: Some(watch), hit: None };
    Guard { account: Some(ACCOUNT.replace(account)), left: LEFT.replace(SLICE) }
}

/// Restores the previous account on drop.
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

/// Charges `units` elements or entries. Errors: if the run must stop.
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

/// Charges a text of `bytes` bytes.
#[inline]
pub fn charge_bytes(bytes: usize) -> Result<(), LimitHit> {
    charge(1 + bytes / UNIT_BYTES)
}

/// Errors: if a traversal on this thread was stopped, so that its result is invalid.
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
