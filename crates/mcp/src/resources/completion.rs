//! Completion of paths.

use crate::engine::NamesWanted;
use crate::toolkit::Access;

use super::super::connection_state::ConnectionState;

/// Maximum number of names in an answer, as the protocol has it.
const MOST: usize = 100;

/// The paths that begin with a text.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Names {
    /// The first of them; directories end in `/`.
    pub paths: Vec<String>,
    /// How many there are.
    pub total: usize,
}

impl Names {
    /// Returns those of some words that begin with a text.
    pub fn of<const N: usize>(words: [&str; N], typed: &str) -> Names {
        let paths: Vec<String> =
            words.iter().filter(|word| word.starts_with(typed)).map(|word| (*word).to_owned()).collect();
        Names { total: paths.len(), paths }
    }
}

/// Returns the paths in a sandbox that begin with a text, as far as tools may read them. Hidden ones only if the text asks for them.
/// There are none if the directory cannot be listed, whatever the reason.
pub fn names(state: &ConnectionState, sandbox: usize, typed: &str) -> Names {
    let (folder, prefix) = typed.rsplit_once('/').map_or(("", typed), |(folder, prefix)| (folder, prefix));
    if typed.contains('\0') || typed.starts_with('/') {
        return Names::default();
    }
    let wanted = NamesWanted { folder: if folder.is_empty() { "." } else { folder }, prefix, access: Access::Read };
    let found = state.sandboxes.engine(sandbox).names_in(wanted, &state.session).unwrap_or_default();
    let shown = found.iter().filter(|(name, _)| prefix.starts_with('.') || !name.starts_with('.'));
    let path = |(name, is_folder): &(String, bool)| {
        let parent = &typed[..typed.len() - prefix.len()];
        format!("{parent}{name}{}", if *is_folder { "/" } else { "" })
    };
    let paths: Vec<String> = shown.map(path).collect();
    Names { total: paths.len(), paths: paths.into_iter().take(MOST).collect() }
}
