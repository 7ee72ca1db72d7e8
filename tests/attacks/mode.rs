//! The four ways in which an attack runs: as which user, and with which resolver.

use std::fmt;
use std::sync::OnceLock;

use rustix::io::Errno;

use super::arena::Arena;
use super::launch::{Call, Refusal, Start};

/// A user and a resolver.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Mode {
    pub user: User,
    pub resolver: Resolver,
}

/// As whom `ns` runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum User {
    /// As root, where the tests run as root.
    Root,
    /// As nobody, to whom the sandbox belongs; where the tests do not run as root, as who runs them.
    Ordinary,
}

/// What finds the way below the root.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Resolver {
    Openat2,
    Portable,
}

/// The number of the user who may nothing.
pub const NOBODY: u32 = 65_534;

/// Whether the tests run as root.
pub fn is_root() -> bool {
    rustix::process::geteuid().is_root()
}

impl Mode {
    pub const ALL: [Mode; 4] = [
        Mode { user: User::Root, resolver: Resolver::Openat2 },
        Mode { user: User::Root, resolver: Resolver::Portable },
        Mode { user: User::Ordinary, resolver: Resolver::Openat2 },
        Mode { user: User::Ordinary, resolver: Resolver::Portable },
    ];

    /// The mode of what needs no more than one: everybody has it.
    pub const ONE: Mode = Mode { user: User::Ordinary, resolver: Resolver::Openat2 };

    /// The user that `ns` is to become, when it is another one.
    pub fn user_to_become(self) -> Option<u32> {
        (self.user == User::Ordinary && is_root()).then_some(NOBODY)
    }

    /// Whether permissions of files mean anything to `ns`.
    pub fn is_unprivileged(self) -> bool {
        self.user == User::Ordinary
    }

    /// The system calls that this mode takes away.
    pub fn refused(self) -> Vec<Refusal> {
        match self.resolver {
            Resolver::Openat2 => Vec::new(),
            Resolver::Portable => vec![Refusal::new(Call::Openat2, Errno::NOSYS)],
        }
    }

    /// Its place among all of them.
    pub fn number(self) -> usize {
        Mode::ALL.iter().position(|mode| *mode == self).expect("there are four modes")
    }

    /// Whether a vector is tried in this mode: with `NS_LONG=1` in all, else as either user, with each resolver in turn.
    pub fn is_due(self, vector: usize) -> bool {
        let is_long = std::env::var_os("NS_LONG").is_some_and(|value| value == "1");
        let is_turned = (self.user == User::Root) != (self.resolver == Resolver::Portable);
        is_long || is_turned == vector.is_multiple_of(2)
    }

    /// Why this mode cannot be had here, if so.
    pub fn unavailable(self) -> Option<&'static str> {
        static REASONS: [OnceLock<Option<String>>; 4] = [const { OnceLock::new() }; 4];
        REASONS[self.number()].get_or_init(|| self.probe()).as_deref()
    }

    fn probe(self) -> Option<String> {
        if self.user == User::Root && !is_root() {
            return Some("the tests do not run as root".to_owned());
        }
        let arena = Arena::new();
        let doctor = match self.doctor(&arena) {
            Ok(text) => text,
            Err(reason) => return Some(reason),
        };
        let lacking = self.resolver == Resolver::Openat2 && doctor.contains("portable");
        lacking.then(|| "this kernel, or a filter on us, has no openat2".to_owned())
    }

    /// What `ns doctor` says in this mode.
    pub fn doctor(self, arena: &Arena) -> Result<String, String> {
        arena.hand_over(self);
        let ended = Start::new(self, &arena.top).args(["doctor", "--sandbox"]).args([&arena.root]).run()?;
        match ended.code {
            Some(0) => Ok(String::from_utf8_lossy(&ended.stdout).into_owned()),
            _ => Err(format!("`ns doctor` failed: {}", String::from_utf8_lossy(&ended.stderr))),
        }
    }
}

impl fmt::Display for Mode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let user = match self.user {
            User::Root => "root",
            User::Ordinary => "user",
        };
        let resolver = match self.resolver {
            Resolver::Openat2 => "openat2",
            Resolver::Portable => "portable",
        };
        write!(f, "{user} {resolver}")
    }
}
