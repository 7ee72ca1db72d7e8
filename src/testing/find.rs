//! Discovery of cases. A script `NAME.ns` has one case for each stem of its golden files: `NAME.out` and the like are
//! one case, `NAME.WORD.out` and the like another.
//!
//! Set-up directories, hidden directories and links to directories are skipped.

#![allow(clippy::disallowed_methods, reason = "cases and golden files are the user's, who names their directory")]

use std::collections::BTreeSet;
use std::ffi::OsStr;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use crate::engine::{Found as Entry, TestFolder};

/// The extensions of the files of a case.
pub const PARTS: [&str; 7] = ["out", "err", "tree", "audit", "args", "in", "times"];

/// Number of [`PARTS`] that `--update` writes; people write the others.
const GOLDEN: usize = 4;

/// Whether a file may be one that `--update` writes, by its name.
pub fn is_golden(name: &OsStr) -> bool {
    let extension = Path::new(name).extension().and_then(OsStr::to_str);
    extension.is_some_and(|extension| PARTS[..GOLDEN].contains(&extension))
}

/// A script with the golden files that it is compared with.
#[derive(Clone, Debug)]
pub struct Case {
    /// The displayed name: the path of its golden files without their extensions.
    pub name: String,
    /// The directory that the user named, or that of the named script.
    pub top: PathBuf,
    /// The path of the script relative to `top`.
    pub script: PathBuf,
    /// The directory that the user named for golden files; by default the same as `top`.
    pub golden: PathBuf,
    /// The directory of the golden files relative to `golden`.
    pub folder: PathBuf,
    /// The stem of the names of its golden files.
    pub stem: String,
    /// The name of the script without `.ns`. Its set-up is used if the case has none.
    pub script_stem: String,
}

impl Case {
    /// Returns the path of the script.
    pub fn script_path(&self) -> PathBuf {
        self.top.join(&self.script)
    }

    /// Returns the path of one of its files relative to `golden`. The file need not exist.
    pub fn part(&self, part: &str) -> PathBuf {
        self.folder.join(format!("{}.{part}", self.stem))
    }

    /// Returns the directory that is copied into its sandbox, relative to `golden`.
    pub fn setup(&self, golden: &TestFolder) -> Result<Option<PathBuf>, String> {
        for stem in [&self.stem, &self.script_stem] {
            let folder = self.folder.join(stem);
            if golden.find(&folder)? == Entry::Folder {
                return Ok(Some(folder));
            }
        }
        Ok(None)
    }
}

/// The result of the discovery.
#[derive(Default)]
pub struct Found {
    /// The cases, sorted by name.
    pub cases: Vec<Case>,
    /// Scripts without golden files.
    pub bare: Vec<String>,
}

/// A message and a remedy.
pub type Fault = (String, String);

/// Finds the cases of scripts and of the scripts in directories. The golden files are beside the scripts, or at the
/// same relative paths below `golden`. A named script without golden files is also a case if `update` allows creating
/// them.
pub fn find(paths: &[PathBuf], golden: Option<&Path>, update: bool) -> Result<Found, Fault> {
    let mut found = Found::default();
    for path in paths {
        if path.is_dir() {
            let scripts = scripts_below(path).map_err(|(at, error)| unreadable(&at, &error))?;
            for script in scripts {
                let below = script.strip_prefix(path).expect("the walk begins there").to_path_buf();
                add(&mut found, path, &below, golden.unwrap_or(path), false)?;
            }
        } else if path.is_file() && is_script(path) {
            let below = PathBuf::from(path.file_name().expect("a file has a name"));
            let top = path.parent().unwrap_or(Path::new(""));
            add(&mut found, top, &below, golden.unwrap_or(top), update)?;
        } else {
            let fault = match path.metadata() {
                Ok(metadata) if !metadata.is_file() && is_script(path) => "is no regular file",
                Ok(_) => "is no script",
                Err(_) => "does not exist",
            };
            return Err((format!("`{}` {fault}", path.display()), "name scripts `NAME.ns`, or folders of them".into()));
        }
    }
    found.cases.sort_by(|a, b| a.name.cmp(&b.name));
    found.cases.dedup_by(|a, b| a.name == b.name && a.script_path() == b.script_path());
    Ok(found)
}

fn unreadable(path: &Path, error: &io::Error) -> Fault {
    (format!("`{}` cannot be read: {error}", path.display()), "name folders that you may read".to_owned())
}

fn is_script(path: &Path) -> bool {
    path.extension().is_some_and(|extension| extension == "ns")
}

/// Adds the cases of a script, whose path is `below` relative to `top`. If `wanted` is set, a script without golden
/// files is a case too.
fn add(found: &mut Found, top: &Path, below: &Path, golden: &Path, wanted: bool) -> Result<(), Fault> {
    let script = top.join(below);
    let folder = golden.join(below.parent().unwrap_or(Path::new("")));
    let Some(script_stem) = script.file_stem().and_then(|stem| stem.to_str()).map(str::to_owned) else {
        let fault = format!("the name of `{}` is not UTF-8", script.display());
        return Err((fault, "rename it".to_owned()));
    };
    let names = names_in(&folder).map_err(|error| unreadable(&folder, &error))?;
    let beside = names_in(script.parent().unwrap_or(Path::new(""))).unwrap_or_default();
    let mut stems = case_stems(&names, &script_stem, &beside);
    if stems.is_empty() && wanted {
        stems.insert(script_stem.clone());
    }
    if stems.is_empty() {
        found.bare.push(below.display().to_string());
    }
    for stem in stems {
        let name = below.with_file_name(&stem).display().to_string();
        let folder = below.parent().unwrap_or(Path::new("")).to_path_buf();
        let (top, golden) = (top.to_path_buf(), golden.to_path_buf());
        let (script, script_stem) = (below.to_path_buf(), script_stem.clone());
        found.cases.push(Case { name, top, script, golden, folder, stem, script_stem });
    }
    Ok(())
}

/// Returns the stems of the cases of a script among the names in the directory of its golden files. `beside` are the
/// names in its own directory.
pub fn case_stems(names: &BTreeSet<String>, script: &str, beside: &BTreeSet<String>) -> BTreeSet<String> {
    names.iter().filter_map(|name| stem_of(name, script, beside)).collect()
}

/// Returns the stem of the case that a file belongs to, if it belongs to this script: `a.b.out` belongs to `a.b.ns` if
/// that exists, otherwise to `a.ns`.
fn stem_of(name: &str, script: &str, beside: &BTreeSet<String>) -> Option<String> {
    let (stem, part) = name.rsplit_once('.')?;
    if !PARTS.contains(&part) || !(stem == script || stem.strip_prefix(script)?.starts_with('.')) {
        return None;
    }
    let mut longer = stem;
    while longer.len() > script.len() {
        if beside.contains(&format!("{longer}.ns")) {
            return None;
        }
        longer = longer.rsplit_once('.')?.0;
    }
    Some(stem.to_owned())
}

/// Returns the names in a directory, none if it does not exist. Skips names that are not UTF-8.
fn names_in(folder: &Path) -> io::Result<BTreeSet<String>> {
    let folder = if folder.as_os_str().is_empty() { Path::new(".") } else { folder };
    match fs::read_dir(folder) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(BTreeSet::new()),
        Err(error) => Err(error),
        Ok(entries) => Ok(entries.filter_map(|entry| entry.ok()?.file_name().into_string().ok()).collect()),
    }
}

/// Returns the scripts in a directory and below it, sorted by path.
fn scripts_below(folder: &Path) -> Result<Vec<PathBuf>, (PathBuf, io::Error)> {
    let mut scripts = Vec::new();
    let mut ahead = vec![folder.to_path_buf()];
    while let Some(folder) = ahead.pop() {
        let names = names_in(&folder).map_err(|error| (folder.clone(), error))?;
        for name in names.iter().filter(|name| !name.starts_with('.')) {
            let path = folder.join(name);
            let Ok(kind) = path.symlink_metadata().map(|metadata| metadata.file_type()) else { continue };
            if kind.is_dir() && !is_setup(name, &names) {
                ahead.push(path);
            } else if (kind.is_file() || kind.is_symlink()) && is_script(&path) {
                scripts.push(path);
            }
        }
    }
    scripts.sort();
    Ok(scripts)
}

/// Whether a directory is the set-up of a script beside it or of one of its cases.
fn is_setup(name: &str, beside: &BTreeSet<String>) -> bool {
    let dots = name.match_indices('.').map(|(at, _)| &name[..at]);
    dots.chain([name]).any(|stem| beside.contains(&format!("{stem}.ns")))
}
