//! A directory handle that shows a tree with the planned changes of a run.

use std::ffi::{OsStr, OsString};
use std::io::{self, ErrorKind};
use std::sync::Arc;

use super::super::super::metadata::{Kind, Metadata, Timestamp};
use super::super::file::File;
use super::super::held::HeldEntry;
use super::super::{Entry, EntryBuffer, Folder, Replace, Resolver};
use super::{BackingPath, Made, Overlay};

/// A directory under an overlay.
#[derive(Debug)]
pub struct OverlaidFolder {
    overlay: Arc<Overlay>,
    /// The directory on the disk: one of the tree, or an empty one in the scratch directory.
    real: Folder,
    backing: BackingPath,
}

impl OverlaidFolder {
    pub(super) fn new(overlay: Arc<Overlay>, real: Folder, backing: BackingPath) -> OverlaidFolder {
        OverlaidFolder { overlay, real, backing }
    }

    fn beside(&self, real: Folder, backing: BackingPath) -> OverlaidFolder {
        OverlaidFolder::new(self.overlay.clone(), real, backing)
    }

    pub fn resolver(&self) -> Resolver {
        self.real.resolver()
    }

    /// Returns a descriptor of the directory on the disk.
    #[cfg(target_os = "linux")]
    pub fn descriptor(&self) -> io::Result<rustix::fd::OwnedFd> {
        self.real.descriptor()
    }

    /// Returns the directory on the disk if nothing in it or below it differs.
    pub fn untouched(&self) -> Option<&Folder> {
        (!self.overlay.layer().has_changed(&self.backing)).then_some(&self.real)
    }

    /// Returns this directory on the disk if its subdirectory `name` is the same there, with everything below it.
    pub fn untouched_above(&self, name: &OsStr) -> Option<&Folder> {
        let layer = self.overlay.layer();
        let is_renamed = layer.folders.get(&self.backing).is_some_and(|changed| changed.names.contains_key(name));
        let backing = self.backing.join(name)?;
        (!is_renamed && !layer.has_changed(&backing)).then_some(&self.real)
    }

    /// Calls `work` with the directory and name under which the entry is stored on the disk, and its backing path.
    fn at<T>(&self, name: &OsStr, work: impl FnOnce(&Folder, &OsStr, &BackingPath) -> io::Result<T>) -> io::Result<T> {
        let means =
            self.overlay.layer().folders.get(&self.backing).and_then(|changed| changed.names.get(name)).cloned();
        match means {
            Some(Some(backing)) => self.overlay.at(&backing, |folder, name| work(folder, name, &backing)),
            Some(None) => Err(ErrorKind::NotFound.into()),
            None => match self.backing.join(name) {
                Some(backing) => work(&self.real, name, &backing),
                None => Err(ErrorKind::NotFound.into()),
            },
        }
    }

    /// Looks up an entry.
    fn find(&self, name: &OsStr) -> io::Result<Option<(BackingPath, Metadata)>> {
        let found = self.at(name, |folder, name, backing| {
            Ok((backing.clone(), self.overlay.seen(Some(backing), folder.metadata(name)?)))
        });
        match found {
            Err(error) if error.kind() == ErrorKind::NotFound => Ok(None),
            other => other.map(Some),
        }
    }

    fn is_on_disk(&self, name: &OsStr) -> bool {
        matches!(self.backing, BackingPath::Tree(..)) && self.real.metadata(name).is_ok()
    }

    fn name(&self, name: &OsStr, means: Option<BackingPath>) {
        let is_on_disk = self.is_on_disk(name);
        self.overlay.layer().name(&self.backing, name, means, is_on_disk);
    }

    fn device(&self) -> io::Result<u64> {
        Ok(self.own_metadata()?.identity.device)
    }

    pub fn open_folder(&self, name: &OsStr) -> io::Result<OverlaidFolder> {
        self.at(name, |folder, name, backing| Ok(self.beside(folder.open_folder(name)?, backing.clone())))
    }

    pub fn open_chain(&self, names: &[&OsStr]) -> io::Result<Option<OverlaidFolder>> {
        let Some(real) = self.untouched() else { return Ok(None) };
        let backing = names.iter().try_fold(self.backing.clone(), |backing, name| backing.join(name));
        let opened = real.open_chain(names)?;
        Ok(opened.zip(backing).map(|(folder, backing)| self.beside(folder, backing)))
    }

    pub fn duplicate(&self) -> io::Result<OverlaidFolder> {
        Ok(self.beside(self.real.duplicate()?, self.backing.clone()))
    }

    pub fn metadata(&self, name: &OsStr) -> io::Result<Metadata> {
        self.at(name, |folder, name, backing| Ok(self.overlay.seen(Some(backing), folder.metadata(name)?)))
    }

    pub fn own_metadata(&self) -> io::Result<Metadata> {
        Ok(self.overlay.seen(Some(&self.backing), self.real.own_metadata()?))
    }

    #[cfg(target_os = "linux")]
    pub fn is_mount_root(&self) -> io::Result<Option<bool>> {
        self.real.is_mount_root()
    }

    pub fn file_metadata(&self, file: &File) -> io::Result<Metadata> {
        Ok(self.overlay.seen(None, self.real.file_metadata(file)?))
    }

    pub fn entries(&self) -> io::Result<Vec<Entry>> {
        let mut entries = if matches!(self.backing, BackingPath::Tree(..)) { self.real.entries()? } else { Vec::new() };
        let layer = self.overlay.layer();
        if let Some(changed) = layer.folders.get(&self.backing) {
            entries.retain(|entry| !changed.names.contains_key(&entry.name));
            let there = changed.names.iter().filter(|(_, means)| means.is_some());
            entries.extend(there.map(|(name, _)| Entry { name: name.clone(), kind: None }));
        }
        Ok(entries)
    }

    pub fn open_listed(&self, name: &OsStr) -> io::Result<OverlaidFolder> {
        self.at(name, |folder, name, backing| Ok(self.beside(folder.open_listed(name)?, backing.clone())))
    }

    pub fn listed(&self) -> io::Result<OverlaidFolder> {
        Ok(self.beside(self.real.listed()?, self.backing.clone()))
    }

    pub fn each_entry(
        &self,
        buffer: &mut EntryBuffer,
        mut take: impl FnMut(&[u8], Option<Kind>) -> bool,
    ) -> io::Result<()> {
        let is_as_on_disk = !self.overlay.layer().folders.contains_key(&self.backing);
        if is_as_on_disk && matches!(self.backing, BackingPath::Tree(..)) {
            let take: &mut dyn FnMut(&[u8], Option<Kind>) -> bool = &mut take;
            return self.real.each_entry(buffer, take);
        }
        let _ = self.entries()?.iter().all(|entry| take(entry.name.as_encoded_bytes(), entry.kind));
        Ok(())
    }

    pub fn read_link(&self, name: &OsStr) -> io::Result<OsString> {
        self.at(name, |folder, name, _| folder.read_link(name))
    }

    pub fn open_file(&self, name: &OsStr) -> io::Result<File> {
        self.at(name, |folder, name, _| folder.open_file(name))
    }

    /// Opens only files that the run created; files of the tree are never written to.
    pub fn open_log(&self, name: &OsStr) -> io::Result<File> {
        self.at(name, |folder, name, backing| match backing {
            BackingPath::Made(_) => folder.open_log(name).map(File::into_scratch),
            BackingPath::Tree(..) => Err(ErrorKind::PermissionDenied.into()),
        })
    }

    pub fn create_file(&self, name: &OsStr, mode: u32) -> io::Result<File> {
        self.create(name, |scratch, number| scratch.create_file(number, mode).map(File::into_scratch))
    }

    pub fn create_folder(&self, name: &OsStr, mode: u32) -> io::Result<()> {
        self.create(name, |scratch, number| scratch.create_folder(number, mode))
    }

    pub fn create_link(&self, target: &OsStr, name: &OsStr) -> io::Result<()> {
        self.create(name, |scratch, number| scratch.create_link(target, number))
    }

    fn create<T>(&self, name: &OsStr, work: impl FnOnce(&Folder, &OsStr) -> io::Result<T>) -> io::Result<T> {
        if self.find(name)?.is_some() {
            return Err(ErrorKind::AlreadyExists.into());
        }
        self.check_changeable()?;
        let (scratch, number) = (self.overlay.scratch.folder(), self.overlay.scratch.new_name());
        let device = self.device()?;
        let made = work(scratch, &number)?;
        let inode = scratch.metadata(&number)?.identity.inode;
        self.overlay.layer().made.insert(inode, Made { device, is_dated: false });
        self.name(name, Some(BackingPath::Made(number)));
        Ok(made)
    }

    pub fn remove_file(&self, name: &OsStr) -> io::Result<()> {
        let (backing, metadata) = self.find(name)?.ok_or(ErrorKind::NotFound)?;
        if metadata.kind == Kind::Folder {
            return Err(ErrorKind::IsADirectory.into());
        }
        self.check_changeable()?;
        self.overlay.forget(&backing)?;
        self.name(name, None);
        Ok(())
    }

    pub fn remove_folder(&self, name: &OsStr) -> io::Result<()> {
        let (backing, metadata) = self.find(name)?.ok_or(ErrorKind::NotFound)?;
        if metadata.kind != Kind::Folder {
            return Err(ErrorKind::NotADirectory.into());
        }
        if !self.open_folder(name)?.entries()?.is_empty() {
            return Err(ErrorKind::DirectoryNotEmpty.into());
        }
        self.check_changeable()?;
        self.overlay.forget(&backing)?;
        self.name(name, None);
        Ok(())
    }

    pub fn rename(&self, from: &OsStr, to_folder: &OverlaidFolder, to: &OsStr, replace: Replace) -> io::Result<()> {
        let (backing, _) = self.find(from)?.ok_or(ErrorKind::NotFound)?;
        let there = to_folder.find(to)?;
        self.check_renamable(to_folder)?;
        match there {
            Some(_) if replace == Replace::No => return Err(ErrorKind::AlreadyExists.into()),
            Some((other, _)) if other == backing => return Ok(()),
            Some((_, metadata)) if metadata.kind == Kind::Folder => return Err(ErrorKind::IsADirectory.into()),
            Some((other, _)) => self.overlay.forget(&other)?,
            None => {}
        }
        self.name(from, None);
        to_folder.name(to, Some(backing));
        Ok(())
    }

    pub fn exchange(&self, one: &OsStr, other_folder: &OverlaidFolder, other: &OsStr) -> io::Result<()> {
        let (backing, _) = self.find(one)?.ok_or(ErrorKind::NotFound)?;
        let (other_backing, _) = other_folder.find(other)?.ok_or(ErrorKind::NotFound)?;
        self.check_renamable(other_folder)?;
        self.name(one, Some(other_backing));
        other_folder.name(other, Some(backing));
        Ok(())
    }

    fn check_renamable(&self, to_folder: &OverlaidFolder) -> io::Result<()> {
        if self.device()? != to_folder.device()? {
            return Err(ErrorKind::CrossesDevices.into());
        }
        self.check_changeable()?;
        to_folder.check_changeable()
    }

    pub fn set_modified(&self, name: &OsStr, modified: Timestamp) -> io::Result<()> {
        if name == "." {
            self.overlay.layer().folders.entry(self.backing.clone()).or_default().modified = Some(modified);
            return Ok(());
        }
        self.at(name, |folder, name, backing| {
            let metadata = folder.metadata(name)?;
            if metadata.kind == Kind::Folder {
                self.overlay.layer().folders.entry(backing.clone()).or_default().modified = Some(modified);
            }
            if let BackingPath::Made(_) = backing {
                folder.set_modified(name, modified)?;
                if let Some(made) = self.overlay.layer().made.get_mut(&metadata.identity.inode) {
                    made.is_dated = true;
                }
            } else if metadata.kind != Kind::Folder {
                self.overlay.dress(backing, metadata.identity, None, Some(modified));
            }
            Ok(())
        })
    }

    /// Holds the entry on the disk, and returns the overlay above it.
    pub fn hold(&self, name: &OsStr) -> io::Result<(HeldEntry, Cover)> {
        self.at(name, |folder, name, backing| {
            Ok((folder.hold_below_overlays(name)?, Cover { overlay: self.overlay.clone(), backing: backing.clone() }))
        })
    }

    /// Refuses directories of the tree, because a file handle would allow changing them.
    pub fn as_file(&self) -> io::Result<File> {
        match self.backing {
            BackingPath::Made(_) => self.real.as_file(),
            BackingPath::Tree(..) => Err(ErrorKind::Unsupported.into()),
        }
    }

    pub fn check_changeable(&self) -> io::Result<()> {
        self.real.check_changeable()
    }

    #[cfg(target_os = "linux")]
    pub fn current_path(&self, name: &OsStr) -> io::Result<std::path::PathBuf> {
        self.at(name, |folder, name, _| folder.current_path(name))
    }

    /// Does nothing, because nothing in an overlay outlives the run.
    pub fn sync(&self) -> io::Result<()> {
        Ok(())
    }
}

/// The overlay of a held entry.
#[derive(Debug)]
pub struct Cover {
    overlay: Arc<Overlay>,
    backing: BackingPath,
}

impl Cover {
    /// Converts metadata from the disk to those that the run sees.
    pub fn seen(&self, metadata: Metadata) -> Metadata {
        self.overlay.seen(Some(&self.backing), metadata)
    }

    /// Changes the permission bits of an entry of the tree. Returns false if the run created the entry, whose bits
    /// can be set directly.
    pub fn set_mode(&self, metadata: &Metadata, mode: u32) -> io::Result<bool> {
        if let BackingPath::Made(_) = self.backing {
            return Ok(false);
        }
        check_owner(metadata)?;
        self.overlay.dress(&self.backing, metadata.identity, Some(mode), None);
        Ok(true)
    }

    /// Changes the modification time of an entry of the tree. Returns false if the run created the entry, whose time
    /// can be set directly.
    pub fn set_modified(&self, metadata: &Metadata, modified: Timestamp) -> io::Result<bool> {
        if let BackingPath::Made(_) = self.backing {
            return Ok(false);
        }
        check_owner(metadata)?;
        if metadata.kind == Kind::Folder {
            self.overlay.date(&self.backing, modified);
        } else {
            self.overlay.dress(&self.backing, metadata.identity, None, Some(modified));
        }
        Ok(true)
    }
}

/// Checks that this user may change the permission bits and times of an entry.
fn check_owner(metadata: &Metadata) -> io::Result<()> {
    #[cfg(unix)]
    {
        let user = rustix::process::geteuid();
        if !user.is_root() && user.as_raw() != metadata.owner.user {
            return Err(ErrorKind::PermissionDenied.into());
        }
    }
    #[cfg(not(unix))]
    let _ = metadata;
    Ok(())
}
