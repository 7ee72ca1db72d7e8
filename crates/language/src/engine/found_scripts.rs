//! The scripts below the root, for searches in editors.

use std::time::{Duration, Instant};

use crate::gate::SessionMemory;
use crate::toolkit::Access;

use super::{Engine, NamesWanted};

/// Maximum number of scripts of a search.
const MOST_SCRIPTS: usize = 2_000;
/// Maximum size of a script in a search, in bytes.
const MOST_BYTES: u64 = 1 << 20;
/// Maximum time for finding and reading the scripts of a search.
const SEARCH_PATIENCE: Duration = Duration::from_secs(2);

/// A script below the root.
#[derive(Debug)]
pub struct FoundScript {
    /// The address of its file.
    pub address: String,
    /// The text: that of the editor, if it is open there.
    pub text: String,
}

impl Engine {
    /// Returns the scripts below the root that the policy lets scripts read as modules, sorted by address. Hidden
    /// directories, large files and files that are not UTF-8 are left out. A search that takes too long ends early.
    pub fn scripts(&self) -> Vec<FoundScript> {
        let (nobody, begun) = (SessionMemory::new(""), Instant::now());
        let (mut folders, mut found) = (vec![String::new()], Vec::new());
        while let Some(folder) = folders.pop() {
            let in_folder = if folder.is_empty() { "." } else { &folder };
            let wanted = NamesWanted { folder: in_folder, prefix: "", access: Access::Look };
            let mut names = self.names_in(wanted, &nobody).unwrap_or_default();
            names.sort_unstable();
            for (name, is_folder) in names.into_iter().filter(|(name, _)| !name.starts_with('.')) {
                if found.len() >= MOST_SCRIPTS || begun.elapsed() > SEARCH_PATIENCE {
                    return found;
                }
                let path = if folder.is_empty() { name } else { format!("{folder}/{name}") };
                if is_folder {
                    folders.push(path);
                } else if path.ends_with(".ns") || path.ends_with(".ns.txt") {
                    found.extend(self.script_at(&path));
                }
            }
        }
        found.sort_unstable_by(|one, other| one.address.cmp(&other.address));
        found
    }

    fn script_at(&self, path: &str) -> Option<FoundScript> {
        let file = self.gate.module_in_root(path).ok()?;
        let bytes = match self.open_text(&file.address, u64::MAX) {
            Some(opened) => opened,
            None => self.gate.read_module(&file, MOST_BYTES, None),
        };
        Some(FoundScript { address: file.address, text: String::from_utf8(bytes.ok()?).ok()? })
    }
}
