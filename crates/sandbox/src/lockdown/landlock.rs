//! Landlock: file access only through grants, and no devices, pipes or sockets created elsewhere.
//!
//! Landlock does not restrict `stat`, reading links, or setting owners, modes and times; our own code restricts those.

use std::os::fd::OwnedFd;
use std::sync::{Mutex, PoisonError};

use landlock::{
    ABI, Access, AccessFs, AccessNet, BitFlags, CompatLevel, Compatible, LandlockStatus, PathBeneath,
    RestrictionStatus, Ruleset, RulesetAttr, RulesetCreatedAttr, RulesetError, RulesetStatus, Scope, make_bitflags,
};
use rustix::fs::{CWD, Mode, OFlags};

use super::{AllowedPath, LockdownError, Process, Rights};

/// The minimum version: before version 2, no file could be moved between directories.
const LEAST: ABI = ABI::V2;
/// The newest version that has been tested.
const NEWEST: ABI = ABI::V7;

/// Restricts this thread and the threads that it starts. Returns the version in force, or `None` if the kernel has no
/// Landlock.
pub fn restrict(process: Process, allowed_paths: Vec<AllowedPath>) -> Result<Option<u32>, LockdownError> {
    let status = enforce(process, allowed_paths).map_err(|error| LockdownError::Landlock(error.to_string()))?;
    Ok(match (status.ruleset, status.landlock) {
        (RulesetStatus::NotEnforced, _) => None,
        (_, LandlockStatus::Available { effective_abi, .. }) => Some(effective_abi as u32),
        (_, LandlockStatus::NotEnabled | LandlockStatus::NotImplemented) => None,
    })
}

fn enforce(process: Process, allowed_paths: Vec<AllowedPath>) -> Result<RestrictionStatus, RulesetError> {
    let ruleset = Ruleset::default().set_compatibility(CompatLevel::SoftRequirement);
    let ruleset = match process {
        Process::Script | Process::Server(_) => ruleset.handle_access(AccessFs::from_all(LEAST))?,
        // Special files are left to the seccomp filter: a thread of a server inherits this ruleset, and moves pipes
        // into the trash.
        Process::Tester(_) => ruleset.handle_access(AccessFs::Execute | AccessFs::Refer)?,
    };
    let ruleset = ruleset.set_compatibility(CompatLevel::BestEffort);
    let ruleset = match process {
        Process::Script | Process::Server(_) => ruleset.handle_access(AccessFs::from_all(NEWEST))?,
        Process::Tester(_) => ruleset,
    };
    let ruleset = ruleset.handle_access(AccessNet::from_all(NEWEST))?.scope(Scope::from_all(NEWEST))?.create()?;
    let own = if process == Process::Script { Vec::new() } else { own_program() };
    // Landlock always refuses moves between directories unless they are granted.
    let is_tester = matches!(process, Process::Tester(_));
    let all = open("/", Rights::Change).filter(|_| is_tester);
    let mut rules: Vec<PathBeneath<OwnedFd>> = Vec::new();
    for path in allowed_paths.into_iter().chain(system()).chain(own).chain(all) {
        let access = access_of(path.rights);
        let access = if is_tester { access & (AccessFs::Execute | AccessFs::Refer) } else { access };
        if !access.is_empty() {
            rules.push(PathBeneath::new(path.handle, access));
        }
    }
    let ruleset = rules.into_iter().try_fold(ruleset, RulesetCreatedAttr::add_rule)?;
    ruleset.restrict_self()
}

/// Permission to create special files.
const SPECIAL: BitFlags<AccessFs> = make_bitflags!(AccessFs::{MakeChar | MakeBlock | MakeFifo | MakeSock});

fn access_of(rights: Rights) -> BitFlags<AccessFs> {
    match rights {
        Rights::Read => AccessFs::ReadFile | AccessFs::ReadDir,
        Rights::ReadFile => AccessFs::ReadFile.into(),
        Rights::Use => AccessFs::ReadFile | AccessFs::WriteFile,
        Rights::List => AccessFs::ReadDir.into(),
        // Links are moved into the trash and back, and copied with the directory that contains them. Existing pipes,
        // sockets and devices are moved into the trash too, which Landlock treats as creating them; the seccomp filter
        // refuses actually creating them.
        Rights::Change => {
            let files = make_bitflags!(AccessFs::{
                ReadFile | ReadDir | WriteFile | Truncate | RemoveFile | RemoveDir | MakeReg | MakeDir | MakeSym | Refer
            });
            files | SPECIAL
        }
        Rights::Log => make_bitflags!(AccessFs::{ReadFile | ReadDir | WriteFile | Truncate | MakeReg}),
        Rights::RemoveFolders => AccessFs::RemoveDir.into(),
        Rights::Run => AccessFs::ReadFile | AccessFs::Execute,
    }
}

/// Returns the files that our libraries read on demand: the time zone, random numbers, and the open files of this
/// process.
fn system() -> Vec<AllowedPath> {
    let named = std::env::var_os("TZ").and_then(|zone| {
        let zone = zone.into_string().ok()?;
        Some(zone.trim_start_matches(':').to_owned()).filter(|zone| zone.starts_with('/'))
    });
    let zone = named.iter().filter_map(|zone| open(zone, Rights::ReadFile));
    let fixed = [
        ("/etc/localtime", Rights::ReadFile),
        ("/usr/share/zoneinfo", Rights::Read),
        ("/dev/urandom", Rights::ReadFile),
    ];
    let own = [("/proc/self/fd", Rights::List), ("/proc/self/mountinfo", Rights::ReadFile)];
    let own = own.into_iter().filter_map(|(path, rights)| pinned(open(path, rights)?));
    zone.chain(fixed.into_iter().filter_map(|(path, rights)| open(path, rights))).chain(own).collect()
}

/// Keeps a handle on a file in `/proc` open forever: a rule applies to an inode, and an inode in `/proc` that nobody
/// holds is a different one at the next lookup.
fn pinned(path: AllowedPath) -> Option<AllowedPath> {
    static PINS: Mutex<Vec<OwnedFd>> = Mutex::new(Vec::new());
    let pin = path.handle.try_clone().ok()?;
    PINS.lock().unwrap_or_else(PoisonError::into_inner).push(pin);
    Some(path)
}

/// Returns the files needed to start our own binary: the binary, the dynamic loader and the libraries.
fn own_program() -> Vec<AllowedPath> {
    let loaders = ["/lib64/ld-linux-x86-64.so.2", "/lib/ld-linux-aarch64.so.1", "/lib/ld-linux-riscv64-lp64d.so.1"];
    let libraries = ["/lib", "/lib64", "/usr/lib", "/usr/lib64"];
    let own = open("/proc/self/exe", Rights::Run);
    let loaders = loaders.into_iter().filter_map(|path| open(path, Rights::Run));
    let libraries = libraries.into_iter().filter_map(|path| open(path, Rights::Read));
    // The standard streams that a worker is not given.
    let nothing = open("/dev/null", Rights::Use);
    let cache = open("/etc/ld.so.cache", Rights::ReadFile);
    own.into_iter().chain(loaders).chain(libraries).chain(cache).chain(nothing).collect()
}

/// Returns a grant for a path, or `None` if nothing exists there.
fn open(path: &str, rights: Rights) -> Option<AllowedPath> {
    let handle = rustix::fs::openat(CWD, path, OFlags::PATH | OFlags::CLOEXEC, Mode::empty()).ok()?;
    Some(AllowedPath { handle, rights })
}
