//! Resolves a path component by component, reading every link itself.

use std::collections::VecDeque;
use std::ffi::{OsStr, OsString};
use std::io::ErrorKind;
use std::path::{Component, Path};
use std::sync::Arc;

use compact_str::CompactString;

use super::super::error::SandboxError;
use super::super::folder::Folder;
use super::super::metadata::{Kind, Metadata};
use super::super::path::parts_of;
use super::super::path::{PathRule, PathText, check_new_name, reserved};
use super::super::reserved::is_reserved;
use super::{PartialPath, Root, SandboxPath, Unresolved};

/// Maximum number of links that a path may go through, as on Linux.
const MAX_LINKS: usize = 40;

/// The resolution of a path, component by component, including links.
pub(super) struct Walker<'a> {
    root: &'a Root,
    pub(super) shown: CompactString,
    /// The directories entered so far, with their names.
    entered: Vec<(Folder, OsString)>,
    ahead: VecDeque<OsString>,
    links: usize,
    /// The link followed last, for the message if it leaves the root.
    last_link: Option<String>,
    through_link: bool,
    follows: bool,
    wants_folder: bool,
    /// The current component.
    part: Option<OsString>,
}

impl<'a> Walker<'a> {
    pub(super) fn new(root: &'a Root, path: &PathText, rule: PathRule) -> Walker<'a> {
        let ahead = path.parts().iter().map(|part| OsString::from(part.as_str())).collect();
        Walker {
            root,
            shown: root.display(path),
            entered: Vec::new(),
            ahead,
            links: 0,
            last_link: None,
            through_link: false,
            follows: rule.follows,
            wants_folder: path.wants_folder,
            part: None,
        }
    }

    pub(super) fn walk(mut self, rule: PathRule) -> Result<SandboxPath, Unresolved> {
        self.find(rule).map_err(|error| Unresolved { way: Some(self.partial_path()), error })
    }

    fn find(&mut self, rule: PathRule) -> Result<SandboxPath, SandboxError> {
        while let Some(part) = self.ahead.pop_front() {
            self.part = Some(part.clone());
            if part == ".." {
                self.climb()?;
                continue;
            }
            let metadata = match self.here().metadata(&part) {
                Err(error) if error.kind() == ErrorKind::NotFound => return self.missing(part, rule),
                other => other.map_err(|error| SandboxError::io(&*self.shown, &error))?,
            };
            let last = self.ahead.is_empty();
            match metadata.kind {
                Kind::Link if !last || rule.follows || self.wants_folder => {
                    self.through_link |= last;
                    self.follow(&part)?;
                }
                Kind::Folder if !last => self.enter(part)?,
                _ if last => return self.found(part, metadata),
                _ => return Err(SandboxError::NotAFolder(self.shown.to_string())),
            }
        }
        // The path ended in a directory that was entered by `.`, `..` or a link.
        match self.entered.pop() {
            Some((_, name)) => self.place(Vec::new(), Some(name)),
            None => self.place(Vec::new(), None),
        }
    }

    /// Returns the path up to the component at which resolution stopped, plus the remaining components up to the next
    /// `..`.
    fn partial_path(&self) -> PartialPath {
        let ahead = self.ahead.iter().take_while(|part| *part != "..");
        let entered = self.entered.iter().map(|(_, name)| name);
        let names: Vec<_> = entered.chain(&self.part).chain(ahead).map(|name| name.to_string_lossy()).collect();
        PartialPath { resolved: names.join("/"), is_whole: !self.ahead.iter().any(|part| part == "..") }
    }

    fn here(&self) -> &Folder {
        self.entered.last().map_or(&self.root.folder, |(folder, _)| folder)
    }

    fn climb(&mut self) -> Result<(), SandboxError> {
        match self.entered.pop() {
            Some(_) => Ok(()),
            None => Err(self.escapes()),
        }
    }

    pub(super) fn enter(&mut self, name: OsString) -> Result<(), SandboxError> {
        Self::refuse_reserved(&name)?;
        let folder = self.here().open_folder(&name).map_err(|error| SandboxError::io(&*self.shown, &error))?;
        self.entered.push((folder, name));
        Ok(())
    }

    fn follow(&mut self, name: &OsStr) -> Result<(), SandboxError> {
        Self::refuse_reserved(name)?;
        self.links += 1;
        if self.links > MAX_LINKS {
            let reason = "too many levels of symbolic links".to_owned();
            return Err(SandboxError::Io { path: self.shown.to_string(), reason });
        }
        let target = self.here().read_link(name).map_err(|error| SandboxError::io(&*self.shown, &error))?;
        self.last_link = Some(self.joined(Some(name)));
        self.turn_to(Path::new(&target))
    }

    /// Puts the components of a link's target in front of the remaining ones.
    pub(super) fn turn_to(&mut self, target: &Path) -> Result<(), SandboxError> {
        // A path like `\\a` or `C:a` is not absolute on Windows, but does not begin at the directory of the link either.
        let begins_here = !matches!(target.components().next(), Some(Component::Prefix(_) | Component::RootDir));
        let relative = if !begins_here {
            let below = self.root.below(target).ok_or_else(|| self.escapes())?;
            self.entered.clear();
            below
        } else {
            target
        };
        for part in parts_of(relative).rev() {
            self.ahead.push_front(part);
        }
        Ok(())
    }

    fn found(&mut self, name: OsString, metadata: Metadata) -> Result<SandboxPath, SandboxError> {
        Self::refuse_reserved(&name)?;
        if self.wants_folder && metadata.kind != Kind::Folder {
            return Err(SandboxError::NotAFolder(self.shown.to_string()));
        }
        self.place(Vec::new(), Some(name))
    }

    /// Returns the path whose component `name` does not exist.
    fn missing(&mut self, name: OsString, rule: PathRule) -> Result<SandboxPath, SandboxError> {
        [&name].into_iter().chain(&self.ahead).try_for_each(|name| Self::refuse_reserved(name))?;
        if self.ahead.iter().any(|part| part == "..") {
            return Err(SandboxError::NotFound(self.shown.to_string()));
        }
        let mut missing = vec![name];
        missing.extend(self.ahead.iter().cloned());
        if rule.creates {
            // A link may have added names that the path itself must not contain.
            let made = if rule.keeps_name { missing.len() - 1 } else { missing.len() };
            missing[..made].iter().try_for_each(|part| check_new_name(&part.to_string_lossy()))?;
        }
        let last = missing.pop();
        self.place(missing, last)
    }

    fn place(&mut self, missing: Vec<OsString>, name: Option<OsString>) -> Result<SandboxPath, SandboxError> {
        if self.through_link && !self.follows {
            // A trailing slash requires a directory, and the link itself is not one.
            return Err(SandboxError::NotAFolder(self.shown.to_string()));
        }
        let entered = self.entered.iter().map(|(_, name)| name);
        let names: Vec<&OsStr> = entered.chain(&missing).chain(&name).map(OsString::as_os_str).collect();
        let raw = names.join(OsStr::new("/"));
        let resolved = raw.to_string_lossy().into();
        let raw = raw.to_str().is_none().then_some(raw);
        let folder = match self.entered.pop() {
            Some((folder, _)) => Arc::new(folder),
            None => self.root.folder.clone(),
        };
        Ok(SandboxPath {
            folder,
            missing,
            name,
            resolved,
            raw,
            shown: self.shown.clone(),
            through_link: self.through_link,
            wants_folder: self.wants_folder,
            base: self.root.base.clone(),
        })
    }

    /// Joins the names of the directories entered so far, and optionally one more.
    fn joined(&self, name: Option<&OsStr>) -> String {
        let names = self.entered.iter().map(|(_, name)| name.as_os_str()).chain(name);
        let names: Vec<_> = names.map(OsStr::to_string_lossy).collect();
        names.join("/")
    }

    fn refuse_reserved(name: &OsStr) -> Result<(), SandboxError> {
        if is_reserved(name) { Err(reserved(&name.to_string_lossy()).into()) } else { Ok(()) }
    }

    fn escapes(&self) -> SandboxError {
        let link = self.last_link.clone().unwrap_or_else(|| self.shown.to_string());
        SandboxError::Escapes { path: self.shown.to_string(), link }
    }
}
