//! The sandbox of a case: a copy of its set-up in a private temporary directory, deleted with the case.
//!
//! All entries get the same modification time, because version control does not preserve times.

#![allow(clippy::disallowed_methods, reason = "a case's sandbox is a directory of our own")]

use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use chrono::DateTime;
use tempfile::TempDir;

use crate::engine::TestFolder;

/// Modification time of all entries of a set-up, unless `NAME.times` sets another: 2020-09-13T12:26:40Z.
const FIXED_TIME: u64 = 1_600_000_000;

/// A sandbox, with an empty home directory beside it.
pub struct Sandbox {
    place: TempDir,
}

impl Sandbox {
    /// Copies a set-up into a new sandbox below `home`. `times` has lines of `TIME PATH`.
    pub fn new(home: &Path, setup: Option<(&TestFolder, &Path)>, times: Option<&str>) -> Result<Sandbox, String> {
        let refused = |error: std::io::Error| format!("there is no room for a sandbox: {error}");
        let place = tempfile::Builder::new().prefix("case-").tempdir_in(home).map_err(refused)?;
        let sandbox = Sandbox { place };
        fs::create_dir(sandbox.root()).and_then(|()| fs::create_dir(sandbox.home())).map_err(refused)?;
        let entries = match setup {
            Some((folder, setup)) => folder.copy(setup, &sandbox.root())?,
            None => vec![sandbox.root()],
        };
        let fixed = SystemTime::UNIX_EPOCH + Duration::from_secs(FIXED_TIME);
        // Directories precede their contents in the list, and setting a time changes no other.
        for entry in entries.iter().rev() {
            set_time(entry, fixed).map_err(|error| format!("a time of the set-up cannot be set: {error}"))?;
        }
        for line in times.unwrap_or_default().lines() {
            sandbox.set_time(line)?;
        }
        Ok(sandbox)
    }

    /// Returns the directory that the script cannot leave.
    pub fn root(&self) -> PathBuf {
        self.place.path().join("sandbox")
    }

    /// Returns the directory for temporary files of the process.
    pub fn scratch(&self) -> PathBuf {
        self.place.path().to_path_buf()
    }

    /// Returns an empty home directory.
    pub fn home(&self) -> PathBuf {
        self.place.path().join("home")
    }

    /// Applies a line of `NAME.times`.
    fn set_time(&self, line: &str) -> Result<(), String> {
        let (time, path) = line.split_once(' ').ok_or_else(|| format!("`{line}` of its times is no `TIME PATH`"))?;
        let moment = match time.parse() {
            Ok(seconds) => SystemTime::UNIX_EPOCH + Duration::from_secs(seconds),
            Err(_) => DateTime::parse_from_rfc3339(time)
                .map_err(|_| format!("`{time}` of its times is no time such as 2020-09-13T12:26:40Z"))?
                .to_utc()
                .into(),
        };
        let beyond = Path::new(path).components().any(|part| !matches!(part, std::path::Component::Normal(_)));
        if beyond {
            return Err(format!("`{path}` of its times is no path below the set-up"));
        }
        // A link in the path could lead to a file elsewhere.
        if self.has_link(path) {
            return Err(format!("`{path}` of its times is below a link"));
        }
        set_time(&self.root().join(path), moment).map_err(|error| format!("the time of `{path}`: {error}"))
    }
}

impl Sandbox {
    /// Whether a parent directory of a path is a link.
    fn has_link(&self, path: &str) -> bool {
        let root = self.root();
        Path::new(path).ancestors().skip(1).any(|folder| root.join(folder).is_symlink())
    }
}

fn set_time(path: &Path, moment: SystemTime) -> std::io::Result<()> {
    if path.is_symlink() { Ok(()) } else { File::open(path)?.set_modified(moment) }
}
