//! The sandbox of a case: a copy of its set-up in a folder that nobody else knows, and gone with it.
//!
//! Everything in it was last changed at one moment, since version control keeps no times.

use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use chrono::DateTime;
use tempfile::TempDir;

/// When everything of a set-up was last changed, unless `NAME.times` says otherwise: 2020-09-13T12:26:40Z.
const FIXED_TIME: u64 = 1_600_000_000;

/// A sandbox, and beside it a home without settings.
pub struct Sandbox {
    place: TempDir,
}

impl Sandbox {
    /// Copies a set-up into a new sandbox; `times` has lines of `TIME PATH`.
    pub fn new(setup: Option<&Path>, times: Option<&str>) -> Result<Sandbox, String> {
        let refused = |error: std::io::Error| format!("there is no room for a sandbox: {error}");
        let place = tempfile::Builder::new().prefix("ns-test-").tempdir().map_err(refused)?;
        let sandbox = Sandbox { place };
        fs::create_dir(sandbox.root()).and_then(|()| fs::create_dir(sandbox.home())).map_err(refused)?;
        let entries = match setup {
            Some(setup) => copy(setup, &sandbox.root())?,
            None => vec![sandbox.root()],
        };
        let fixed = SystemTime::UNIX_EPOCH + Duration::from_secs(FIXED_TIME);
        // Folders come before what is in them, and setting times changes none.
        for entry in entries.iter().rev() {
            set_time(entry, fixed).map_err(|error| format!("a time of the set-up cannot be set: {error}"))?;
        }
        for line in times.unwrap_or_default().lines() {
            sandbox.set_time(line)?;
        }
        Ok(sandbox)
    }

    /// The folder that the script cannot leave.
    pub fn root(&self) -> PathBuf {
        self.place.path().join("sandbox")
    }

    /// A home that holds nothing.
    pub fn home(&self) -> PathBuf {
        self.place.path().join("home")
    }

    /// Obeys a line of `NAME.times`.
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
        match beyond {
            true => Err(format!("`{path}` of its times is no path below the set-up")),
            false => {
                set_time(&self.root().join(path), moment).map_err(|error| format!("the time of `{path}`: {error}"))
            }
        }
    }
}

fn set_time(path: &Path, moment: SystemTime) -> std::io::Result<()> {
    match path.is_symlink() {
        true => Ok(()),
        false => File::open(path)?.set_modified(moment),
    }
}

/// Copies a folder with everything in it, links as links; gives the paths of the copies.
fn copy(from: &Path, to: &Path) -> Result<Vec<PathBuf>, String> {
    let refused = |path: &Path, error: &dyn std::fmt::Display| {
        let below = path.strip_prefix(from).unwrap_or(path);
        format!("`{}` of its set-up cannot be copied: {error}", below.display())
    };
    let mut copies = vec![to.to_path_buf()];
    let mut ahead = vec![PathBuf::new()];
    while let Some(below) = ahead.pop() {
        let folder = from.join(&below);
        for entry in fs::read_dir(&folder).map_err(|error| refused(&folder, &error))? {
            let name = entry.map_err(|error| refused(&folder, &error))?.file_name();
            let (source, target) = (folder.join(&name), to.join(&below).join(&name));
            let kind = source.symlink_metadata().map_err(|error| refused(&source, &error))?.file_type();
            let copied = if kind.is_dir() {
                ahead.push(below.join(&name));
                fs::create_dir(&target)
            } else if kind.is_symlink() {
                fs::read_link(&source).and_then(|link| copy_link(&link, &target))
            } else if kind.is_file() {
                fs::copy(&source, &target).map(drop)
            } else {
                return Err(refused(&source, &"it is no file, folder or link"));
            };
            copied.map_err(|error| refused(&source, &error))?;
            copies.push(target);
        }
    }
    Ok(copies)
}

#[cfg(unix)]
fn copy_link(link: &Path, target: &Path) -> std::io::Result<()> {
    std::os::unix::fs::symlink(link, target)
}

#[cfg(not(unix))]
fn copy_link(_: &Path, _: &Path) -> std::io::Result<()> {
    Err(std::io::Error::other("links cannot be copied on this system"))
}
