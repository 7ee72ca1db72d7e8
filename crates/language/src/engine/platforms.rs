//! The promises that operating systems hold differently, as one table: `ns doctor` reports from it, and
//! `docs/platforms.md` shows it.
//!
//! The table says what the code does on a system, not what a machine has: which parts of the lockdown a kernel lacks is
//! in [`LockdownStatus`](super::LockdownStatus). A promise that differs between systems has a row; all others hold
//! everywhere.

/// An operating system with a column in the table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum System {
    /// Linux.
    Linux,
    /// macOS.
    MacOs,
    /// Windows.
    Windows,
}

/// Whether a promise is held on a system.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Holding {
    /// Held.
    Held,
    /// Held in part: what is different.
    InPart(&'static str),
    /// Not held: what happens instead.
    NotHeld(&'static str),
}

/// A promise, and where it is held.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Promise {
    /// A few words for a label.
    pub name: &'static str,
    /// The promise as one sentence.
    pub text: &'static str,
    linux: Holding,
    mac_os: Holding,
    windows: Holding,
}

use Holding::{Held, InPart, NotHeld};

impl System {
    /// All systems, in the order of the columns.
    pub const ALL: [System; 3] = [System::Linux, System::MacOs, System::Windows];

    /// Returns the system that this program was built for, or `None` if the table has no column for it.
    pub fn current() -> Option<System> {
        if cfg!(target_os = "linux") {
            Some(System::Linux)
        } else if cfg!(target_os = "macos") {
            Some(System::MacOs)
        } else if cfg!(windows) {
            Some(System::Windows)
        } else {
            None
        }
    }

    /// Returns its name.
    pub fn name(self) -> &'static str {
        match self {
            System::Linux => "Linux",
            System::MacOs => "macOS",
            System::Windows => "Windows",
        }
    }

    /// Returns how far the table was tried on it.
    pub fn trial(self) -> &'static str {
        match self {
            System::Linux => "every change passes all tests",
            System::MacOs => "it compiles without warnings; nothing was ever run on macOS",
            System::Windows => {
                "it compiles without warnings; a few commands were run under Wine, and nothing on Windows"
            }
        }
    }
}

impl Promise {
    /// Returns whether it is held on a system.
    pub fn on(&self, system: System) -> Holding {
        match system {
            System::Linux => self.linux,
            System::MacOs => self.mac_os,
            System::Windows => self.windows,
        }
    }
}

impl Holding {
    /// Returns one word and, unless the promise is held, what is different.
    pub fn described(self) -> (&'static str, Option<&'static str>) {
        match self {
            Held => ("held", None),
            InPart(difference) => ("held in part", Some(difference)),
            NotHeld(difference) => ("not held", Some(difference)),
        }
    }
}

/// The promises that are not the same on all systems.
pub const PROMISES: &[Promise] = &[
    Promise {
        name: "paths",
        text: "No path leads out of the sandbox, even if another process exchanges directories and links meanwhile",
        linux: Held,
        mac_os: Held,
        windows: InPart(
            "files are opened from handle to handle; other operations go by path below directories that open handles keep from being renamed",
        ),
    },
    Promise {
        name: "one name for each entry",
        text: "Rules about paths cannot be evaded by another name of the same entry",
        linux: Held,
        mac_os: Held,
        windows: InPart("short names, streams and names with dots or spaces behind them are refused by their form"),
    },
    Promise {
        name: "kernel",
        text: "The kernel keeps the process from other files, programs and the network, whatever the code of `ns` does",
        linux: Held,
        mac_os: NotHeld("path resolution is the only wall; with `require_kernel_sandbox = true` nothing runs"),
        windows: NotHeld("path resolution is the only wall; with `require_kernel_sandbox = true` nothing runs"),
    },
    Promise {
        name: "nothing is overwritten",
        text: "A move, or a new file, never replaces an entry that another process makes at the same moment",
        linux: Held,
        mac_os: Held,
        windows: Held,
    },
    Promise {
        name: "no gap when replacing",
        text: "A file whose content is replaced has its name at every moment, where the file system can exchange names",
        linux: Held,
        mac_os: Held,
        windows: InPart("the name is missing for a moment; what takes it meanwhile is left alone"),
    },
    Promise {
        name: "power failures",
        text: "A change is durable before anything that tells of it leaves the process",
        linux: Held,
        mac_os: InPart(
            "files and the directories of each step are synced, but not directories inside an unpacked archive, nor all directories of a run that changes very many",
        ),
        windows: InPart("files are synced; Windows syncs no directories, so names depend on the log of NTFS"),
    },
    Promise {
        name: "room on a full disk",
        text: "The journal reserves the space that it needs to record how a step ended",
        linux: Held,
        mac_os: InPart("no space is reserved; a step whose end cannot be recorded is taken back by the next run"),
        windows: InPart("no space is reserved; a step whose end cannot be recorded is taken back by the next run"),
    },
    Promise {
        name: "owner and permissions",
        text: "New content, copies and restored entries have the owner and the permission bits of the old ones",
        linux: Held,
        mac_os: Held,
        windows: NotHeld("new entries have the access control of their directory; `FS.SetPermissions` fails"),
    },
    Promise {
        name: "private state",
        text: "Other users can neither read nor replace the key, the journals and the backups of `ns`",
        linux: Held,
        mac_os: Held,
        windows: NotHeld("they have the access control of their directory, which `ns` does not check"),
    },
    Promise {
        name: "mounted file systems",
        text: "A directory with a file system mounted at or below it is neither moved nor deleted",
        linux: Held,
        mac_os: InPart("mounts are not detected; a deletion moves such a directory, and stops at another device"),
        windows: Held,
    },
    Promise {
        name: "further roots",
        text: "Tools reach further roots and the sandbox by absolute paths",
        linux: Held,
        mac_os: Held,
        windows: NotHeld("paths with a drive letter or a backslash are refused"),
    },
    Promise {
        name: "leftovers of plans",
        text: "What a killed plan left in the temporary directory is removed by the next one",
        linux: Held,
        mac_os: Held,
        windows: NotHeld("it stays until somebody removes it"),
    },
    Promise {
        name: "typed answers",
        text: "A question at the terminal is never answered by what was typed before it",
        linux: Held,
        mac_os: Held,
        windows: NotHeld("what was typed before counts as the answer"),
    },
    Promise {
        name: "limits of the kernel",
        text: "The kernel bounds the memory, the processor time and the files of each worker of `ns mcp` too",
        linux: Held,
        mac_os: InPart("macOS accepts a bound of memory without enforcing it"),
        windows: NotHeld("only the limits of the engine apply"),
    },
    Promise {
        name: "workers",
        text: "A worker of `ns mcp` ends with its server, even if it has no thread that notices",
        linux: Held,
        mac_os: InPart("a thread notices that the input has ended"),
        windows: InPart("a thread notices that the input has ended"),
    },
    Promise {
        name: "subscriptions",
        text: "`ns mcp` tells clients of changes to resources",
        linux: Held,
        mac_os: NotHeld("the server does not offer subscriptions"),
        windows: NotHeld("the server does not offer subscriptions"),
    },
];

#[cfg(test)]
mod tests {
    use super::{Holding, PROMISES, System};

    /// The other columns are told against it.
    #[test]
    fn linux_holds_every_promise() {
        assert!(PROMISES.iter().all(|promise| promise.on(System::Linux) == Holding::Held));
    }
}
