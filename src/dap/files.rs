//! Files of the client and the texts of the program that they hold.
//!
//! A text has the path by which the client names its file, which may lead through symbolic links. The text of a path is
//! found by the file to which the path leads.

#![allow(clippy::disallowed_methods, reason = "only names of files are resolved and looked up, for the client")]

use std::cell::RefCell;
use std::path::{Path, PathBuf, absolute};

use serde_json::{Value as Json, json};

use super::arguments::GivenSource;

/// Where the texts of a program come from, as the client or the command line names it.
pub struct Origins<'a> {
    /// The file of the script.
    pub program: &'a Path,
    /// The sandbox, if it is named.
    pub sandbox: Option<&'a Path>,
    /// The sandbox, with links resolved.
    pub root: &'a Path,
    /// Directories of modules.
    pub libraries: &'a [PathBuf],
}

/// The texts of a program and their files.
#[derive(Debug)]
pub struct Files {
    /// The file of the script, as given.
    program: PathBuf,
    /// The sandbox, with links resolved.
    root: PathBuf,
    libraries: Vec<LibraryFolder>,
    names: NamedPaths,
    /// The texts; the first is the script.
    texts: Vec<KnownText>,
}

/// A directory of modules whose names begin with its own.
#[derive(Debug)]
struct LibraryFolder {
    /// The directory as the user named it.
    named: String,
    /// Its absolute path.
    path: PathBuf,
}

/// Paths as the client names them, those that matter most first.
#[derive(Debug, Default)]
struct NamedPaths(Vec<NamedPath>);

/// A path as the client names it, and where it leads.
#[derive(Debug)]
struct NamedPath {
    named: PathBuf,
    real: PathBuf,
}

/// A text and its file.
#[derive(Debug)]
struct KnownText {
    name: String,
    /// The path by which the client names the file; `None` if there is no file.
    named: RefCell<Option<PathBuf>>,
    /// The file with links resolved.
    real: Option<PathBuf>,
}

impl Files {
    /// Creates the files of a program. Must run before the lockdown.
    pub fn new(origins: &Origins<'_>) -> Files {
        let Origins { program, sandbox, root, libraries } = *origins;
        let given = [program].into_iter().chain(sandbox).chain(libraries.iter().map(PathBuf::as_path));
        // A relative path is one from the working directory, whose name by the client is unknown.
        let (given, relative): (Vec<&Path>, Vec<&Path>) = given.partition(|path| path.is_absolute());
        let mut names = NamedPaths::default();
        given.into_iter().chain(relative).for_each(|path| names.add(path));
        let libraries = libraries.iter().map(|library| {
            let named = library.display().to_string().trim_end_matches('/').to_owned();
            LibraryFolder { named, path: names.name(library) }
        });
        let (program, libraries) = (names.name(program), libraries.collect());
        Files { program, root: root.to_path_buf(), libraries, names, texts: Vec::new() }
    }

    /// Sets the names of the texts; the first is the script.
    pub fn set_names(&mut self, names: impl Iterator<Item = String>) {
        let texts = names.enumerate().map(|(number, name)| {
            let named = if number == 0 { Some(self.program.clone()) } else { self.path_of_module(&name) };
            let real = named.as_ref().and_then(|path| path.canonicalize().ok());
            KnownText { name, named: RefCell::new(named), real }
        });
        self.texts = texts.collect();
    }

    /// Returns the name of the text in a file of the client.
    pub fn name_of(&self, source: &GivenSource) -> Option<&str> {
        self.text_of(source).map(|text| text.name.as_str())
    }

    /// Returns the name of the text in a file in which the client sets breakpoints, and names the file as the client
    /// does from now on.
    pub fn name_by(&self, source: &GivenSource) -> Option<&str> {
        let text = self.text_of(source)?;
        let path = source.path.as_ref().filter(|_| source.reference().is_none()).map(PathBuf::from);
        if let Some(path) = path.filter(|path| path.is_absolute()) {
            text.named.replace(Some(path));
        }
        Some(text.name.as_str())
    }

    fn text_of(&self, source: &GivenSource) -> Option<&KnownText> {
        if let Some(reference) = source.reference() {
            return self.texts.get(reference - 1);
        }
        let path = absolute(source.path.as_ref()?).ok()?;
        let named = self.texts.iter().find(|text| text.named.borrow().as_ref() == Some(&path));
        named.or_else(|| {
            let real = path.canonicalize().ok()?;
            self.texts.iter().find(|text| text.real.as_ref() == Some(&real))
        })
    }

    /// Returns a text for the client.
    pub fn source(&self, name: &str) -> Json {
        let number = self.texts.iter().position(|text| text.name == name);
        let path = number.and_then(|number| self.texts[number].named.borrow().clone());
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

    /// Returns the path of a module. One of a library is named with the directory, one of the sandbox from the root.
    fn path_of_module(&self, name: &str) -> Option<PathBuf> {
        let in_library = self.libraries.iter().find_map(|LibraryFolder { named, path }| {
            let rest = name.strip_prefix(named.as_str())?.strip_prefix('/')?;
            Some(path.join(rest)).filter(|path| path.exists())
        });
        let path = in_library.or_else(|| Some(self.root.join(name)).filter(|path| path.exists()))?;
        Some(self.names.name(&path))
    }
}

impl NamedPaths {
    /// Adds the name of a path, and those of the directories that contain it.
    fn add(&mut self, path: &Path) {
        let named = self.name(path);
        let led = |named: &Path| named.canonicalize().ok().map(|real| NamedPath { named: named.to_path_buf(), real });
        self.0.extend(named.ancestors().filter_map(led));
    }

    /// Returns an absolute path as the client names it: by the innermost known directory that leads there.
    fn name(&self, path: &Path) -> PathBuf {
        let path = absolute(path).unwrap_or_else(|_| path.to_path_buf());
        let holders = self.0.iter().rev().filter(|name| path.starts_with(&name.real));
        // The last one of several that are as deep is the first that was added.
        let holder = holders.max_by_key(|name| name.real.components().count());
        let renamed = holder.and_then(|name| Some((&name.named, path.strip_prefix(&name.real).ok()?)));
        match renamed {
            // `join` would add a slash to a path that is that of a file.
            Some((named, rest)) if rest.as_os_str().is_empty() => named.clone(),
            Some((named, rest)) => named.join(rest),
            None => path,
        }
    }
}
