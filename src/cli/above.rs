//! A sandbox above the current one: if a command runs in a subdirectory and finds no runs, the user learns where the
//! runs are.
//!
//! The search happens before the lockdown. It only tests whether paths exist and reads nothing in them.

use std::io::{IsTerminal, stderr};
use std::path::{Path, PathBuf};

use crate::options::Global;
use crate::text::{safe, shell_word};

/// Maximum number of parent directories to examine.
const LEVELS: usize = 32;

/// A directory above the sandbox that contains runs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct ParentSandbox(PathBuf);

impl ParentSandbox {
    /// Finds the nearest directory above the sandbox that contains runs.
    pub fn find(global: &Global) -> Option<ParentSandbox> {
        let given = global.sandbox().unwrap_or(Path::new("."));
        // Absolute paths of the machine are only printed to a terminal.
        if given.is_absolute() && !stderr().is_terminal() {
            return None;
        }
        let real = given.canonicalize().ok()?;
        let mut up = if given == Path::new(".") { PathBuf::new() } else { given.to_owned() };
        for folder in real.ancestors().skip(1).take(LEVELS) {
            up.push("..");
            let is_folder = |metadata: std::fs::Metadata| metadata.is_dir();
            if folder.join(".ns/runs").symlink_metadata().is_ok_and(is_folder) {
                return Some(ParentSandbox(up));
            }
        }
        None
    }

    /// Returns a hint with the command for the runs there.
    pub fn hint(&self, verb: &str) -> String {
        let ParentSandbox(folder) = self;
        let folder = shell_word(&safe::name(&folder.to_string_lossy()));
        format!("the sandbox above has runs: `ns {verb} --sandbox {folder}`")
    }
}
