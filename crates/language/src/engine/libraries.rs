//! Libraries: directories of modules that the user names in addition to the sandbox, opened before anything runs.

use std::path::{Path, PathBuf};

use crate::gate::{Library, LibraryPlace, Policy};
use crate::sandbox::Root;
use crate::text::{Code, Diagnostic};

use super::options::SetupError;

/// Opens the libraries in order. A library inside a root becomes a path there.
pub(super) fn open_libraries(
    named: &[PathBuf],
    root: &Root,
    further: &[Root],
    policy: &mut Policy,
) -> Result<Vec<Library>, SetupError> {
    named.iter().map(|path| open_library(path, root, further, policy)).collect()
}

fn open_library(path: &Path, root: &Root, further: &[Root], policy: &mut Policy) -> Result<Library, SetupError> {
    let opened = Root::open_further(path).map_err(|error| refused(path, &error.to_string()))?;
    let named = path.display().to_string();
    let mut roots = further.iter().chain([root]);
    if let Some((root, below)) = roots.clone().find_map(|root| Some((root, root.part_below(opened.path())?))) {
        let address = root.address_of(&below.to_string_lossy()).into_owned();
        let address = if address.is_empty() { ".".to_owned() } else { address };
        return Ok(Library { named, place: LibraryPlace::Inside(address) });
    }
    if roots.any(|root| opened.part_below(root.path()).is_some()) {
        return Err(refused(path, "it holds the sandbox, or a directory of `allowed_directories`"));
    }
    policy.open_library(&opened.address_of(""));
    Ok(Library { named, place: LibraryPlace::Outside(Box::new(opened)) })
}

fn refused(path: &Path, reason: &str) -> SetupError {
    let message = format!("the folder of modules `{}` cannot be opened: {reason}", path.display());
    let finding = Diagnostic::placeless(Code::BadRoot, message);
    SetupError::new(finding.help("name an existing folder that does not hold the sandbox: `--lib DIR`"))
}
