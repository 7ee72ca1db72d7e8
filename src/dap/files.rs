//! Files of the client and the texts of the program that they hold.

#![allow(clippy::disallowed_methods, reason = "only names of files are resolved, before the lockdown")]

use std::path::{Path, PathBuf};

use serde_json::{Value as Json, json};

use super::arguments::GivenSource;

/// The texts of a program and their files.
#[derive(Debug, Default)]
pub struct Files {
    /// Directories in which the names of modules are paths, each as named and as it really is.
    roots: Vec<PathBuf>,
    /// The file of the script, as named and as it really is.
    program: Vec<PathBuf>,
    /// The names of the texts; the first is the script.
    names: Vec<String>,
}

impl Files {
    /// Creates the files of a program. Must run before the lockdown.
    pub fn new(program: &Path, roots: impl IntoIterator<Item = PathBuf>) -> Files {
        let both = |path: &Path| {
            let named = std::path::absolute(path).unwrap_or_else(|_| path.to_path_buf());
            let real = std::fs::canonicalize(path).ok().filter(|real| *real != named);
            [Some(named), real].into_iter().flatten().collect::<Vec<_>>()
        };
        let roots = roots.into_iter().flat_map(|root| both(&root)).collect();
        Files { roots, program: both(program), names: Vec::new() }
    }

    /// Sets the names of the texts; the first is the script.
    pub fn set_names(&mut self, names: Vec<String>) {
        self.names = names;
    }

    /// Returns the name of the text in a file of the client.
    pub fn name_of(&self, source: &GivenSource) -> Option<&str> {
        if let Some(reference) = source.source_reference.filter(|reference| *reference > 0) {
            return self.names.get(reference as usize - 1).map(String::as_str);
        }
        let path = std::path::absolute(source.path.as_ref()?).ok()?;
        let named = self.names.iter().enumerate();
        let mut found = named.filter(|(number, name)| self.paths(*number, name).contains(&path));
        found.next().map(|(_, name)| name.as_str())
    }

    /// Returns a text for the client.
    pub fn source(&self, name: &str) -> Json {
        let number = self.names.iter().position(|known| known == name);
        let path = number.and_then(|number| self.paths(number, name).into_iter().next());
        let shown = Path::new(name).file_name().unwrap_or_default().to_string_lossy();
        match path {
            Some(path) => json!({ "name": shown, "path": path.to_string_lossy() }),
            None => json!({ "name": shown, "sourceReference": number.map_or(0, |number| number + 1) }),
        }
    }

    /// Returns all texts for the client.
    pub fn sources(&self) -> Vec<Json> {
        self.names.iter().map(|name| self.source(name)).collect()
    }

    /// Returns the names under which a client may know the file of a text, the best first.
    fn paths(&self, number: usize, name: &str) -> Vec<PathBuf> {
        if number == 0 {
            return self.program.clone();
        }
        // A module of a library is named with its directory, one of the sandbox from the root.
        let absolute = std::path::absolute(name).ok();
        let joined: Vec<PathBuf> = self.roots.iter().map(|root| root.join(name)).collect();
        let is_there = |path: &PathBuf| path.exists();
        let of_library = absolute.into_iter().filter(|path| self.roots.iter().any(|root| path.starts_with(root)));
        let mut paths: Vec<PathBuf> = joined.into_iter().chain(of_library).filter(is_there).collect();
        paths.dedup();
        paths
    }
}
