//! Files of the client and the texts of the program that they hold.

#![allow(clippy::disallowed_methods, reason = "only names of files are resolved and looked up, for the client")]

use std::path::{Path, PathBuf};

use serde_json::{Value as Json, json};

use super::arguments::GivenSource;

/// The texts of a program and their files.
#[derive(Debug, Default)]
pub struct Files {
    /// The file of the script, as given and with links resolved.
    program: Vec<PathBuf>,
    /// Directories that module names are relative to, as given and with links resolved.
    roots: Vec<PathBuf>,
    libraries: Vec<LibraryFolder>,
    /// The texts; the first is the script.
    texts: Vec<KnownText>,
}

/// A directory of modules whose names begin with its own.
#[derive(Debug)]
struct LibraryFolder {
    /// The directory as the user named it.
    named: String,
    /// Its paths, as given and with links resolved.
    paths: Vec<PathBuf>,
}

/// A text and its file.
#[derive(Debug)]
struct KnownText {
    name: String,
    /// The paths under which a client may know the file, the best first.
    paths: Vec<PathBuf>,
}

impl Files {
    /// Creates the files of a program with modules in these roots and libraries. Must run before the lockdown.
    pub fn new(program: &Path, roots: &[PathBuf], libraries: &[PathBuf]) -> Files {
        let libraries = libraries.iter().map(|library| {
            let named = library.display().to_string().trim_end_matches('/').to_owned();
            LibraryFolder { named, paths: both(library) }
        });
        let roots = roots.iter().flat_map(|root| both(root)).collect();
        Files { program: both(program), roots, libraries: libraries.collect(), texts: Vec::new() }
    }

    /// Sets the names of the texts; the first is the script.
    pub fn set_names(&mut self, names: impl Iterator<Item = String>) {
        let texts = names.enumerate().map(|(number, name)| {
            let paths = if number == 0 { self.program.clone() } else { self.paths_of_module(&name) };
            KnownText { name, paths }
        });
        self.texts = texts.collect();
    }

    /// Returns the name of the text in a file of the client.
    pub fn name_of(&self, source: &GivenSource) -> Option<&str> {
        if let Some(reference) = source.source_reference.filter(|reference| *reference > 0) {
            return self.texts.get(reference as usize - 1).map(|text| text.name.as_str());
        }
        let path = std::path::absolute(source.path.as_ref()?).ok()?;
        let found = self.texts.iter().find(|text| text.paths.contains(&path));
        found.map(|text| text.name.as_str())
    }

    /// Returns a text for the client.
    pub fn source(&self, name: &str) -> Json {
        let number = self.texts.iter().position(|text| text.name == name);
        let path = number.and_then(|number| self.texts[number].paths.first());
        let shown = Path::new(name).file_name().unwrap_or_default().to_string_lossy();
        match path {
            Some(path) => json!({ "name": shown, "path": path.to_string_lossy() }),
            None => json!({ "name": shown, "sourceReference": number.map_or(0, |number| number + 1) }),
        }
    }

    /// Returns all texts for the client.
    pub fn sources(&self) -> Vec<Json> {
        self.texts.iter().map(|text| self.source(&text.name)).collect()
    }

    /// Returns the paths of a module. One of a library is named with the directory, one of the sandbox from the root.
    fn paths_of_module(&self, name: &str) -> Vec<PathBuf> {
        let in_library = self.libraries.iter().find_map(|LibraryFolder { named, paths }| {
            let rest = name.strip_prefix(named.as_str())?.strip_prefix('/')?;
            let found: Vec<PathBuf> = paths.iter().map(|path| path.join(rest)).filter(|path| path.exists()).collect();
            (!found.is_empty()).then_some(found)
        });
        let in_roots = || self.roots.iter().map(|root| root.join(name)).filter(|path| path.exists()).collect();
        in_library.unwrap_or_else(in_roots)
    }
}

/// Returns a path as given, and with links resolved if that is another one.
fn both(path: &Path) -> Vec<PathBuf> {
    let named = std::path::absolute(path).unwrap_or_else(|_| path.to_path_buf());
    let real = std::fs::canonicalize(path).ok().filter(|real| *real != named);
    [Some(named), real].into_iter().flatten().collect()
}
