//! The sandbox that lies above the current one: who runs a command in a subfolder is told where the runs are.
//!
//! It is looked for before the process is sealed, by names alone: nothing in it is read.

use std::io::{IsTerminal, stderr};
use std::path::{Path, PathBuf};

use crate::text::{safe, shell_word};

use super::args::Global;

/// Folders above the sandbox that are looked at.
const LEVELS: usize = 32;

/// A folder above the sandbox in which runs are kept.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Above(PathBuf);

impl Above {
    /// Finds the nearest folder above the sandbox that has runs.
    pub fn find(global: &Global) -> Option<Above> {
        let given = global.sandbox.as_deref().unwrap_or(Path::new("."));
        // Only a terminal is told paths of the machine.
        if given.is_absolute() && !stderr().is_terminal() {
            return None;
        }
        let real = given.canonicalize().ok()?;
        let mut up = if given == Path::new(".") { PathBuf::new() } else { given.to_owned() };
        for folder in real.ancestors().skip(1).take(LEVELS) {
            up.push("..");
            let is_folder = |metadata: std::fs::Metadata| metadata.is_dir();
            if folder.join(".ns/runs").symlink_metadata().is_ok_and(is_folder) {
                return Some(Above(up));
            }
        }
        None
    }

    /// Says which command concerns the runs there.
    pub fn hint(&self, verb: &str) -> String {
        let Above(folder) = self;
        let folder = shell_word(&safe::name(&folder.to_string_lossy()));
        format!("the sandbox above has runs: `ns {verb} --sandbox {folder}`")
    }
}
