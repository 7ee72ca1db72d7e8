//! The four modes of an attack: combinations of user and resolver.

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

/// The user that runs `ns`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum User {
    /// Root, if the tests run as root.
    Root,
    /// The user nobody, who owns the sandbox; if the tests do not run as root, the user that runs them.
    Ordinary,
}

/// The resolver of paths below the root.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Resolver {
    Openat2,
    Portable,
}

/// The user id of nobody.
pub const NOBODY: u32 = 65_534;

/// Whether the tests run as root.
pub fn is_root() -> bool {
    rustix::process::geteuid().is_root()
}

/// Whether everything is tried (`NS_LONG=1`).
pub fn is_long() -> bool {
    std::env::var_os("NS_LONG").is_some_and(|value| value == "1")
}

impl Mode {
    pub const ALL: [Mode; 4] = [
        Mode { user: User::Root, resolver: Resolver::Openat2 },
        Mode { user: User::Root, resolver: Resolver::Portable },
        Mode { user: User::Ordinary, resolver: Resolver::Openat2 },
        Mode { user: User::Ordinary, resolver: Resolver::Portable },
    ];

    /// The mode of attacks that need only one; it is available everywhere.
    pub const ONE: Mode = Mode { user: User::Ordinary, resolver: Resolver::Openat2 };

    /// The user that `ns` must become, if it is another one.
    pub fn user_to_become(self) -> Option<u32> {
        (self.user == User::Ordinary && is_root()).then_some(NOBODY)
    }

    /// Whether file permissions apply to `ns`.
    pub fn is_unprivileged(self) -> bool {
        self.user == User::Ordinary
    }

    /// Returns the system calls that this mode refuses.
    pub fn refused(self) -> Vec<Refusal> {
        match self.resolver {
            Resolver::Openat2 => Vec::new(),
            Resolver::Portable => vec![Refusal::new(Call::Openat2, Errno::NOSYS)],
        }
    }

    /// Its index among all modes.
    pub fn number(self) -> usize {
        Mode::ALL.iter().position(|mode| *mode == self).expect("there are four modes")
    }

    /// Whether to try a vector in this mode: in all modes with `NS_LONG=1`, otherwise in one in turn. Without root, the
    /// turns of root are also the ordinary user's.
    pub fn is_due(self, vector: usize) -> bool {
        // Generated vectors often come in fours of the same kind.
        let due = Mode::ALL[(vector + vector / Mode::ALL.len()) % Mode::ALL.len()];
        is_long() || self == due || !is_root() && self == Mode { user: User::Ordinary, ..due }
    }

    /// Whether to run a race in this mode: in all modes with `NS_LONG=1`, otherwise in two, which differ in the resolver
    /// and, as root, in the user.
    pub fn is_due_for_race(self, race: usize) -> bool {
        let due = [User::Root, User::Ordinary][(race + self.resolver as usize) % 2];
        is_long() || !is_root() || self.user == due
    }

    /// Returns the reason why this mode is not available here, if so.
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

    /// Returns the output of `ns doctor` in this mode.
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
