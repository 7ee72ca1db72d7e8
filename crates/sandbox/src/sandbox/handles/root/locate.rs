//! Resolves paths below the root: in one system call where no link is on the way, otherwise by [`Walker`].

use std::ffi::{OsStr, OsString};
use std::path::Path;
use std::sync::Arc;

use compact_str::CompactString;

use super::super::error::SandboxError;
use super::super::folder::Folder;
use super::super::metadata::Kind;
use super::super::path::{PathRule, PathText, parts_of};
use super::super::reserved::is_reserved;
use super::walker::Walker;
use super::{Root, SandboxPath, Unresolved};

impl Root {
    /// Returns the error of a path that is refused because of its text alone, or `None`.
    pub fn refusal(&self, text: &str, rule: PathRule) -> Option<SandboxError> {
        PathText::parse(text, rule, &[&self.path, &self.named]).err().map(SandboxError::from)
    }

    /// Checks the text of a path and resolves it.
    pub fn locate(&self, text: &str, rule: PathRule) -> Result<SandboxPath, Unresolved> {
        let path = PathText::parse(text, rule, &[&self.path, &self.named])?;
        let located = match self.locate_directly(&path, rule) {
            Some(place) => Ok(place),
            None => Walker::new(self, &path, rule).walk(rule),
        };
        match path.fault {
            Some(fault) if !located.as_ref().is_ok_and(|place| place.may_be_named(rule)) => Err(fault.into()),
            _ => located,
        }
    }

    /// Resolves the target of a link. `folder` is the resolved path of the directory that contains the link.
    pub fn locate_from(&self, folder: &OsStr, target: &OsStr, rule: PathRule) -> Result<SandboxPath, SandboxError> {
        let mut walker = Walker::new(self, &PathText::default(), rule);
        for name in parts_of(Path::new(folder)) {
            walker.enter(name)?;
        }
        walker.shown = folder.to_string_lossy().into();
        walker.turn_to(Path::new(target))?;
        walker.walk(rule).map_err(|unreached| unreached.error)
    }

    /// Resolves a path that must not contain links.
    pub(in crate::sandbox) fn locate_exactly(&self, way: &Path) -> Result<SandboxPath, SandboxError> {
        if let Some(place) = self.locate_exactly_at_once(way) {
            return Ok(place);
        }
        let rule = PathRule::INSIDE.not_following();
        let mut walker = Walker::new(self, &PathText::default(), rule);
        walker.shown = self.address_of(&way.to_string_lossy()).into();
        let mut names = parts_of(way);
        let last = names.next_back();
        for name in names {
            walker.enter(name)?;
        }
        last.map_or(Ok(()), |name| walker.turn_to(Path::new(&name)))?;
        walker.walk(rule).map_err(|unreached| unreached.error)
    }

    /// Resolves a path that must not contain links in one system call, if its directories exist.
    fn locate_exactly_at_once(&self, way: &Path) -> Option<SandboxPath> {
        let names: Vec<OsString> = parts_of(way).collect();
        if names.iter().any(|name| *name == ".." || is_reserved(name)) {
            return None;
        }
        let (name, parents) = names.split_last()?;
        let parents: Vec<&OsStr> = parents.iter().map(OsString::as_os_str).collect();
        let folder = self.open_at_once(&parents)?;
        let raw = names.join(OsStr::new("/"));
        let resolved = CompactString::from(raw.to_string_lossy());
        let shown = self.address_of(&resolved).into();
        let raw = raw.to_str().is_none().then_some(raw);
        let itself = self.itself(&PathText::default());
        Some(SandboxPath { folder, name: Some(name.clone()), resolved, raw, shown, ..itself })
    }

    /// Resolves a path in one system call, if no directory on the way is a link or `..`, and the last name is no link
    /// that is to be followed.
    fn locate_directly(&self, path: &PathText, rule: PathRule) -> Option<SandboxPath> {
        let names: Vec<&OsStr> = path.parts().iter().map(|part| OsStr::new(part.as_str())).collect();
        if names.iter().any(|name| *name == "..") {
            return None;
        }
        let Some((name, parents)) = names.split_last() else { return Some(self.itself(path)) };
        if path.wants_folder {
            return None;
        }
        let folder = self.open_at_once(parents)?;
        if rule.follows && folder.metadata(name).is_ok_and(|metadata| metadata.kind == Kind::Link) {
            return None;
        }
        let name = Some((*name).to_owned());
        Some(SandboxPath { folder, name, resolved: path.display(), ..self.itself(path) })
    }

    /// Opens a directory in one system call; `None` if a name on the way is a link, or names no directory.
    fn open_at_once(&self, names: &[&OsStr]) -> Option<Arc<Folder>> {
        if names.is_empty() { Some(self.folder.clone()) } else { Some(Arc::new(self.folder.open_chain(names).ok()??)) }
    }

    /// Returns the path of the root itself, as `path` spells it.
    fn itself(&self, path: &PathText) -> SandboxPath {
        SandboxPath {
            folder: self.folder.clone(),
            missing: Vec::new(),
            name: None,
            resolved: CompactString::default(),
            raw: None,
            shown: self.display(path),
            through_link: false,
            wants_folder: path.wants_folder,
            base: self.base.clone(),
        }
    }

    /// Returns the part below the root of a link's absolute target.
    pub(super) fn below<'a>(&self, target: &'a Path) -> Option<&'a Path> {
        target.strip_prefix(&self.path).ok()
    }
}
