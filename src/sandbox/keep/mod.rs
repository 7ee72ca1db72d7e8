//! What tools overwrite or delete is kept below `.ns`.
//!
//! `.ns/backups/<path>/<name>` is old content of the file at that path, `.ns/trash/<path>/<name>` what
//! was deleted there; [`stamp`] says how the names look, and that each carries a seal. So a place has one
//! folder of ours, made when it is first needed, and there is no index that could be wrong. What a name
//! does not prove to be this user's is foreign: it is counted, and neither restored nor removed. All is done by handle from the open
//! `.ns`, part by part; what is not ours on the way is an error, and is neither followed nor changed.

mod kept;
mod lock;
mod retain;
mod slot;
pub(super) mod stamp;
mod sweep;
mod tally;

use std::ffi::{OsStr, OsString};
use std::path::Path;

use crate::limits::Meter;

use super::error::SandboxError;
use super::journal::{Address, OwnChange};
use super::root::{Root, SandboxPath, parts_of};

pub(super) use kept::put_back;
pub use kept::{KeptPath, KeptText};
pub(super) use lock::Locked;
pub(super) use retain::Account;
pub use retain::UNDOABLE;
pub(super) use slot::Slot;
pub(super) use sweep::{Hand, Rules, Sweep, is_fresh};
pub use tally::{Amount, GivenUp, Swept, Tally, Why};

/// How long old content is kept; a zero is no limit. What a run kept itself is not given up in it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Retention {
    /// The most backups of one file.
    pub count: u64,
    /// Days after which a backup or what was deleted is given up.
    pub days: u64,
    /// The most bytes of all backups and all that was deleted.
    pub bytes: u64,
}

impl Default for Retention {
    fn default() -> Retention {
        Retention { count: 20, days: 30, bytes: 1 << 30 }
    }
}

/// Where things are kept apart.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Drawer {
    /// Content that was replaced.
    Backups,
    /// What was deleted.
    Trash,
}

impl Drawer {
    /// The name of its folder in `.ns`.
    pub fn name(self) -> &'static str {
        match self {
            Drawer::Backups => "backups",
            Drawer::Trash => "trash",
        }
    }
}

/// What keeps things for the places of a root, in the root's `.ns`.
#[derive(Clone, Copy, Debug)]
pub struct Keeper<'a> {
    root: &'a Root,
    retention: Retention,
}

impl<'a> Keeper<'a> {
    /// What keeps for as long as the policy says.
    pub fn new(root: &'a Root, retention: Retention) -> Keeper<'a> {
        Keeper { root, retention }
    }

    /// The path by which what is in a slot is restored.
    pub(super) fn address_of(self, slot: &Slot) -> String {
        self.root.address_of(&slot.shown()).into_owned()
    }

    /// A new stamp for something that is to be kept; `account` is that of the run, which may be another
    /// root's.
    pub(super) fn new_stamp(self, account: &Account) -> String {
        self.root.account.follow(account);
        stamp::name_at(&account.now())
    }

    /// The address of what is kept under a stamp, of what is at a place.
    pub(super) fn address(self, place: &SandboxPath, drawer: Drawer, stamp: &str) -> Address {
        let parts = parts_of(Path::new(place.resolved_raw())).map(|part| stamp::folder_of(&part));
        let folders: Vec<OsString> = [OsString::from(drawer.name())].into_iter().chain(parts).collect();
        let name = stamp::kept_name(stamp, &folders, &self.root.seal);
        let own = Address::from(&*self.root.address_of(super::own::OWN));
        folders.iter().chain([&name]).fold(own, |address, part| address.join(part))
    }

    /// Waits until no other run is keeping anything here. `.ns` is made when there is none.
    pub(super) fn lock(self, meter: &Meter, change: &OwnChange) -> Result<Locked, SandboxError> {
        Locked::wait(self, meter, change)
    }
}

/// A path below `.ns`, as messages and results name it.
fn shown_below<T: AsRef<OsStr>>(names: &[T]) -> String {
    let names = names.iter().map(|name| name.as_ref().to_string_lossy());
    names.fold(super::own::shown(""), |path, name| format!("{}/{name}", path.trim_end_matches('/')))
}
