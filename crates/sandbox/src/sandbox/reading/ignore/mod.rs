//! `.gitignore`: decides which entries of a tree git would ignore.
//!
//! The rules in effect in a directory form a [`Scope`]: those of its own file plus the scope of its parent. Scopes are
//! shared, so that several threads can walk below one directory; each thread has its own [`Ignore`]. The nearest file
//! with a matching rule decides, and within a file the last matching rule. The contents of an ignored directory are
//! never checked, because the directory is not opened. Besides `.gitignore` files, `.git/info/exclude` counts where a
//! caller says so, after all files of its repository; the exclude list of the user does not. A file is opened by name
//! through the handle of its directory, only if it is a regular file, and read up to a size limit; a file that cannot be
//! used counts as empty, and [`Ignore::take_notes`] reports it.
//!
//! The matcher is our own. gix-ignore 0.24 differs from git 2.47 in several cases: a wildcard after a name (`a**/b`),
//! lines of a single tab, a last line that ends in CR, zero bytes, and patterns of more than 64 stars. Ours takes time
//! linear in the name for every pattern ([`glob`]). `tests/gitignore.rs` compares it with git.

mod glob;
mod rule;

use std::ffi::{OsStr, OsString};
use std::io::{self, Read};
use std::path::Path;
use std::sync::Arc;

use crate::limits::{LimitHit, Watch};

use super::super::handles::error::SandboxError;
use super::super::handles::folder::Folder;
use super::super::handles::metadata::Kind;
use super::super::handles::path::{PathRule, parts_of};
use super::super::handles::root::{Root, SandboxPath};

pub use rule::Shape;
use rule::{Rules, Verdict, Work};

/// The name of the ignore files.
pub const FILE: &str = ".gitignore";
/// The directory that is never listed when the rules apply, and above which no rules are looked up.
pub const GIT: &str = ".git";

/// The directory of a repository's own exclude list, in `.git`, and the name of that list.
const INFO: &str = "info";
const EXCLUDE: &str = "exclude";

/// Maximum size of one file in bytes.
const MAX_BYTES: u64 = 1 << 20;
/// Maximum size in bytes of all files in effect at once.
const MAX_BYTES_IN_FORCE: u64 = 4 << 20;
/// Maximum number of rules in one file.
const MAX_RULES: usize = 10_000;
/// Maximum number of notes kept; further ones are only counted.
const MAX_NOTES: usize = 10;

/// The rules in effect at one point of a walk, with the notes of one thread about their files.
#[derive(Debug)]
pub struct Ignore {
    scope: Option<Arc<Scope>>,
    notes: Vec<String>,
    more_notes: usize,
    work: Work,
}

/// The rules in effect below a directory that has a file.
#[derive(Debug)]
pub struct Scope {
    rules: Rules,
    /// Number of bytes of a path before the part relative to the file's directory.
    base: usize,
    /// Total size in bytes of this file and those above it.
    bytes: u64,
    outer: Option<Arc<Scope>>,
}

impl Drop for Scope {
    /// Drops the outer scopes in a loop: a tree may be deeper than the stack allows for recursion.
    fn drop(&mut self) {
        let mut outer = self.outer.take();
        while let Some(mut scope) = outer.and_then(Arc::into_inner) {
            outer = scope.outer.take();
        }
    }
}

/// The files whose rules apply.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum IgnoreSources {
    /// `.gitignore` alone.
    Tree,
    /// Also `.git/info/exclude`.
    Repository,
}

/// Ignore rules in effect at the directory where a walk starts.
pub struct Above {
    /// The rules of all directories above the start.
    pub ignore: Ignore,
    /// Whether the start or a directory above it is ignored, and therefore everything below.
    pub start_is_ignored: bool,
}

impl Above {
    /// Adds the rules of a directory on the path to the start, and checks whether they ignore the next one.
    fn take(&mut self, folder: &Folder, folder_path: &[u8], next: &OsStr, from: IgnoreSources) -> Result<(), LimitHit> {
        if from == IgnoreSources::Repository {
            self.ignore.enter_repository(folder, folder_path);
        }
        if let Ok(metadata) = folder.metadata(OsStr::new(FILE)) {
            self.ignore.enter(folder, Some(metadata.kind), folder_path);
        }
        let path = [folder_path, next.as_encoded_bytes()].concat();
        self.start_is_ignored |= self.ignore.ignores(&path, next.len(), Shape::Folder)?;
        Ok(())
    }
}

/// A point between notes.
#[derive(Clone, Copy, Debug, Default)]
pub struct NoteMark {
    notes: usize,
    more: usize,
}

impl Ignore {
    /// Creates an `Ignore` with the rules of a scope.
    pub fn within(scope: Option<Arc<Scope>>, watch: Watch) -> Ignore {
        Ignore { scope, notes: Vec::new(), more_notes: 0, work: Work::new(watch) }
    }

    /// Switches to another scope.
    pub fn go_to(&mut self, scope: Option<Arc<Scope>>) {
        self.scope = scope;
    }

    /// Returns the rules in effect.
    pub fn scope(&self) -> Option<Arc<Scope>> {
        self.scope.clone()
    }

    /// Returns the rules above a start: from the nearest directory with a `.git` down, or from the root if there is
    /// none.
    ///
    /// Paths passed later are relative to the root of the sandbox, whichever directory the rules come from.
    pub fn above(root: &Root, start: &SandboxPath, from: IgnoreSources, watch: Watch) -> Result<Above, LimitHit> {
        let mut above = Above { ignore: Ignore::within(None, watch), start_is_ignored: false };
        let names: Vec<OsString> = parts_of(Path::new(start.resolved_raw())).collect();
        let mut top = 0;
        each_folder(root, &names, |depth, folder| {
            if holds_git(root, folder, &names[..depth]) {
                top = depth;
            }
            Ok(())
        })?;
        let mut path = Vec::new();
        each_folder(root, &names, |depth, folder| {
            let Some(next) = names.get(depth) else { return Ok(()) };
            if depth >= top {
                above.take(folder, &path, next, from)?;
            }
            path.extend_from_slice(next.as_encoded_bytes());
            path.push(b'/');
            Ok(())
        })?;
        Ok(above)
    }

    /// Adds the rules of a directory's file, if it has one. `kind` is the file's kind if known; `folder_path` is the
    /// path of the directory with a trailing `/`, or empty.
    pub fn enter(&mut self, folder: &Folder, kind: Option<Kind>, folder_path: &[u8]) {
        let shown = format!("{}{FILE}", String::from_utf8_lossy(folder_path));
        self.add(RuleFile { folder, name: FILE, kind }, &shown, folder_path.len())
    }

    /// Adds the rules of the exclude list of a repository, if `.git` in its directory is a directory that has one. To
    /// be called before [`Ignore::enter`], which adds the rules that come first.
    pub fn enter_repository(&mut self, folder: &Folder, folder_path: &[u8]) {
        let opened = folder.open_folder(OsStr::new(GIT)).and_then(|git| git.open_folder(OsStr::new(INFO)));
        let Ok(info) = opened else { return };
        let Ok(metadata) = info.metadata(OsStr::new(EXCLUDE)) else { return };
        let shown = format!("{}{GIT}/{INFO}/{EXCLUDE}", String::from_utf8_lossy(folder_path));
        self.add(RuleFile { folder: &info, name: EXCLUDE, kind: Some(metadata.kind) }, &shown, folder_path.len());
    }

    /// Adds the rules of a file, whose paths begin after `base` bytes.
    fn add(&mut self, place: RuleFile<'_>, shown: &str, base: usize) {
        let in_force = self.scope.as_ref().map_or(0, |scope| scope.bytes);
        let bytes = match place.read(MAX_BYTES_IN_FORCE - in_force) {
            Ok(bytes) => bytes,
            Err(reason) => {
                self.note(format!("`{shown}` is not used: {reason}"));
                return;
            }
        };
        let parsed = Rules::parse(&bytes, MAX_RULES);
        if str::from_utf8(&bytes).is_err() {
            self.note(format!("`{shown}` is not UTF-8; its rules are compared byte by byte"));
        }
        if let Some(line) = parsed.too_long {
            self.note(format!("`{shown}`: line {line} is too long for a rule and is not used"));
        }
        if parsed.cut {
            self.note(format!("`{shown}` has more than {MAX_RULES} rules; the rest is not used"));
        }
        if parsed.rules.len() == 0 {
            return;
        }
        let (bytes, outer) = (in_force + bytes.len() as u64, self.scope.take());
        self.scope = Some(Arc::new(Scope { rules: parsed.rules, base, bytes, outer }));
    }

    /// Whether an entry is ignored, given its path from the root of the sandbox, the length of its name at the end of
    /// the path, and its shape.
    pub fn ignores(&mut self, path: &[u8], name_len: usize, shape: Shape) -> Result<bool, LimitHit> {
        let name = &path[path.len() - name_len..];
        let scopes = std::iter::successors(self.scope.as_deref(), |scope| scope.outer.as_deref());
        for scope in scopes {
            if let Some(verdict) = scope.rules.verdict(&path[scope.base..], name, shape, &mut self.work)? {
                return Ok(verdict == Verdict::Ignored);
            }
        }
        Ok(false)
    }

    /// Returns the notes so far, for [`Ignore::forget_notes_after`].
    pub fn note_mark(&self) -> NoteMark {
        NoteMark { notes: self.notes.len(), more: self.more_notes }
    }

    /// Removes the notes that were added since.
    pub fn forget_notes_after(&mut self, mark: NoteMark) {
        self.notes.truncate(mark.notes);
        self.more_notes = mark.more;
    }

    /// Returns and clears the notes about files that could not be used.
    pub fn take_notes(&mut self) -> Vec<String> {
        let mut notes = std::mem::take(&mut self.notes);
        if self.more_notes > 0 {
            notes.push(format!("{} more such remarks on `{FILE}` files are left out", self.more_notes));
            self.more_notes = 0;
        }
        notes
    }

    fn note(&mut self, note: String) {
        if self.notes.len() < MAX_NOTES { self.notes.push(note) } else { self.more_notes += 1 }
    }
}

/// Visits the directories on a path from the root, starting with the root itself, each with its depth.
fn each_folder(
    root: &Root,
    names: &[OsString],
    mut take: impl FnMut(usize, &Folder) -> Result<(), LimitHit>,
) -> Result<(), LimitHit> {
    let Ok(mut folder) = root.folder().duplicate() else { return Ok(()) };
    take(0, &folder)?;
    for (above, name) in names.iter().enumerate() {
        // A directory that has disappeared has no rules.
        let Ok(next) = folder.open_folder(name) else { return Ok(()) };
        folder = next;
        take(above + 1, &folder)?;
    }
    Ok(())
}

/// Whether a directory has an entry `.git` of any kind; its contents are not checked. A link counts unless it is
/// dangling.
fn holds_git(root: &Root, folder: &Folder, names: &[OsString]) -> bool {
    let name = OsStr::new(GIT);
    match folder.metadata(name) {
        Ok(metadata) if metadata.kind == Kind::Link => {
            let Ok(target) = folder.read_link(name) else { return false };
            match root.locate_from(&names.join(OsStr::new("/")), &target, PathRule::RELATIVE) {
                Ok(place) => place.metadata().is_ok(),
                Err(error) => matches!(error, SandboxError::Escapes { .. }),
            }
        }
        found => found.is_ok(),
    }
}

/// A file of rules in an open directory.
struct RuleFile<'f> {
    folder: &'f Folder,
    name: &'static str,
    /// Its kind, if known.
    kind: Option<Kind>,
}

impl RuleFile<'_> {
    /// Reads the file. The error is the reason why the file is not used.
    fn read(&self, room: u64) -> Result<Vec<u8>, String> {
        let (folder, name) = (self.folder, OsStr::new(self.name));
        let words = |error: io::Error| match error.kind() {
            io::ErrorKind::PermissionDenied => "permission denied".to_owned(),
            kind => kind.to_string(),
        };
        let kind = match self.kind {
            Some(kind) => kind,
            None => folder.metadata(name).map_err(words)?.kind,
        };
        match kind {
            Kind::File => {}
            Kind::Folder => return Err("it is a directory".to_owned()),
            Kind::Link => return Err("it is a link, and none is followed".to_owned()),
            Kind::Special => return Err("it is no regular file".to_owned()),
        }
        let file = folder.open_file(name).map_err(words)?;
        let metadata = folder.file_metadata(&file).map_err(words)?;
        if metadata.kind != Kind::File {
            return Err("it is no regular file".to_owned());
        }
        let allowed = MAX_BYTES.min(room);
        if metadata.size <= allowed {
            let mut bytes = Vec::with_capacity(metadata.size as usize + 1);
            file.take(allowed + 1).read_to_end(&mut bytes).map_err(words)?;
            if bytes.len() as u64 <= allowed {
                return Ok(bytes);
            }
        }
        if room < MAX_BYTES {
            return Err(format!("all such files together have more than {MAX_BYTES_IN_FORCE} bytes"));
        }
        Err(format!("it has more than {MAX_BYTES} bytes"))
    }
}
