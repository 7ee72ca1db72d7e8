//! Taking a place: something finished, under a name of ours in the same folder, gets its final name.
//!
//! What has that name until then is exchanged for it in one step, so that there is no moment in which
//! the name is missing, and is then moved below `.ns` as it is: no byte of it is copied. It is copied
//! where it cannot be moved (another file system) and where nothing can be exchanged. What comes out of
//! the exchange is looked at: when it is not what was expected, it gets its name back. Nothing that comes
//! out is ever removed before it is kept.
//!
//! A file with further names (hard links) is moved too, so that undo puts the very file back and its names
//! are names of one file again. Whoever writes to a further name in place changes what is kept with it, so
//! that it is no backup: what the caller is told of is a copy.

use std::ffi::{OsStr, OsString};
use std::fs::File;
use std::io::{self, ErrorKind, Read};

use sha2::{Digest, Sha256};

use crate::limits::Meter;

use super::draft::{Draft, Taken, random_name};
use super::error::SandboxError;
use super::folder::{Folder, Replace, set_access};
use super::journal::{Address, Change, State, Step, UnderWay};
use super::keep::{Drawer, Keeper, Locked, Slot};
use super::metadata::{Kind, Metadata};
use super::root::SandboxPath;

/// Bytes that are hashed at once.
const PIECE: usize = 64 << 10;
/// How often somebody else may come between before it is told.
const ATTEMPTS: usize = 100;

/// What may become of what is at a place when something else takes it.
#[derive(Clone, Copy, Debug)]
pub struct Overwrite<'a> {
    /// What keeps it.
    pub keeper: Keeper<'a>,
    /// Whether it may be replaced at all.
    pub replace: Replace,
    /// Whether it is told where it is kept.
    pub is_told: bool,
    /// The SHA-256 that it must have, so that nothing is replaced that the caller has not seen.
    pub if_match: Option<[u8; 32]>,
}

impl<'a> Overwrite<'a> {
    /// What is there is replaced and kept.
    pub fn keeping(keeper: Keeper<'a>) -> Overwrite<'a> {
        Overwrite { keeper, replace: Replace::Yes, is_told: true, if_match: None }
    }

    /// What is there stays, and the operation fails, also in a race.
    pub fn never(keeper: Keeper<'a>) -> Overwrite<'a> {
        Overwrite { keeper, replace: Replace::No, ..Overwrite::keeping(keeper) }
    }
}

/// Something that is about to take a place, as the journal has it.
#[derive(Debug)]
pub(super) struct Putting<'a> {
    under_way: UnderWay<'a>,
    /// The name of ours under which it is made.
    pub(super) draft: OsString,
    /// The drawer and the name under which what is there is kept.
    kept: (Drawer, String),
}

impl<'a> Putting<'a> {
    /// Writes down that something is about to take a place in a folder; `from` says where it was kept until now.
    pub(super) fn begin(
        (place, folder): (&SandboxPath, &Folder),
        from: Option<(Address, State)>,
        keeper: Keeper<'_>,
        change: &'a Change<'a>,
    ) -> Result<Putting<'a>, SandboxError> {
        let (draft, kept) = (random_name(), change.kept_stamp(keeper)?);
        let old = folder.metadata(place.name()?).ok();
        // What is no backup by itself lies with what was deleted: its name is gone, and its content may change.
        let drawer = if old.as_ref().is_some_and(is_shared) { Drawer::Trash } else { Drawer::Backups };
        let step = Step::Put {
            path: place.full_address(),
            old: old.map(|old| State::of(&old)),
            draft: Some(draft.to_string_lossy().into_owned()),
            kept: Some(keeper.address(place, drawer, &kept)),
            from,
        };
        Ok(Putting { under_way: change.begin(step, &[folder])?, draft, kept: (drawer, kept) })
    }

    /// The draft was made.
    pub(super) fn drafted(&self, draft: &Draft) {
        self.under_way.drafted(draft.inode());
    }
}

/// A file that shall have the permission bits and, where this user may, the owner of what it replaces.
///
/// It gets them in the last moment: until then it is private, whatever becomes of the other meanwhile.
pub(super) struct Dress<'a> {
    /// The new file.
    pub(super) file: &'a File,
    /// What was there when it was begun.
    pub(super) old: Option<Metadata>,
}

/// A place that is to be taken.
struct Taking<'a> {
    /// The drawer and the name under which what is there is kept.
    kept: (Drawer, &'a str),
    place: &'a SandboxPath,
    folder: &'a Folder,
    name: &'a OsStr,
    overwrite: &'a Overwrite<'a>,
    dress: Option<Dress<'a>>,
    meter: &'a mut Meter,
}

/// What came of one attempt.
enum Attempt {
    /// The place is taken; what was there is kept.
    Done(Option<Box<KeptOld>>),
    /// Somebody came between.
    Again,
}

/// What was at a place that was taken.
struct KeptOld {
    /// It.
    slot: Slot,
    /// A copy of its content, where it is no backup by itself.
    copy: Option<Slot>,
}

/// Gives a finished draft the name of a place in its folder, durably, and tells where what had the
/// name is kept.
pub(super) fn take_place(
    place: &SandboxPath,
    folder: &Folder,
    (mut draft, dress, putting): (Draft, Option<Dress<'_>>, Putting<'_>),
    overwrite: &Overwrite<'_>,
    meter: &mut Meter,
    change: &Change<'_>,
) -> Result<Option<String>, SandboxError> {
    let kept = (putting.kept.0, putting.kept.1.as_str());
    let mut taking = Taking { kept, place, folder, name: place.name()?, overwrite, dress, meter };
    for _ in 0..ATTEMPTS {
        if let Attempt::Done(kept) = taking.attempt(&mut draft, change)? {
            // The place is taken, whatever becomes of the rest.
            let synced = folder.sync().map_err(|error| place.undurable(&error));
            let synced = synced.and_then(|()| kept.as_ref().map_or(Ok(()), |kept| kept.sync_after(folder, place)));
            putting.under_way.done(Some(&draft.left(taking.name)), kept.is_some(), &[folder]);
            synced?;
            return Ok(kept.and_then(|kept| taking.retain(&kept)));
        }
    }
    Err(SandboxError::Changed(place.shown().to_owned()))
}

impl KeptOld {
    fn sync_after(&self, folder: &Folder, place: &SandboxPath) -> Result<(), SandboxError> {
        self.slot.sync_after(folder, place)?;
        self.copy.as_ref().map_or(Ok(()), |copy| copy.sync_after(folder, place))
    }
}

impl Taking<'_> {
    fn attempt(&mut self, draft: &mut Draft, change: &Change<'_>) -> Result<Attempt, SandboxError> {
        if self.place.replaceable(self.folder, self.name, self.overwrite.replace)?.is_none() {
            return self.take_free(draft);
        }
        let locked = self.overwrite.keeper.lock(self.meter, change.own())?;
        let Some(old) = self.place.replaceable(self.folder, self.name, self.overwrite.replace)? else {
            return Ok(Attempt::Again);
        };
        self.take_from(draft, &old, (&locked, change))
    }

    /// Gives up what is too much now. Returns the path of the backup, if the caller is to be told of it.
    fn retain(&self, kept: &KeptOld) -> Option<String> {
        let Overwrite { keeper, is_told, .. } = self.overwrite;
        keeper.retain(&kept.slot, &self.meter.watch());
        kept.copy.iter().for_each(|copy| keeper.retain(copy, &self.meter.watch()));
        is_told.then(|| keeper.address_of(kept.copy.as_ref().unwrap_or(&kept.slot)))
    }

    /// Takes a name that nothing had a moment ago.
    fn take_free(&self, draft: &mut Draft) -> Result<Attempt, SandboxError> {
        if self.overwrite.if_match.is_some() {
            return Err(self.changed());
        }
        self.dress_as(None)?;
        match draft.rename(self.folder, self.name, Replace::No) {
            Ok(()) => Ok(Attempt::Done(None)),
            Err(error) if error.kind() == ErrorKind::AlreadyExists => Ok(Attempt::Again),
            Err(error) => Err(self.place.error(&error)),
        }
    }

    /// Takes a name from what has it.
    fn take_from(
        &mut self,
        draft: &mut Draft,
        old: &Metadata,
        (locked, change): (&Locked, &Change<'_>),
    ) -> Result<Attempt, SandboxError> {
        let (drawer, stamp) = self.kept;
        let mut slot = locked.slot(self.place, drawer, stamp)?;
        if !slot.is_near(self.folder) {
            slot.copy(self.folder, self.name, self.place.shown(), self.meter)?;
        }
        let mut copy = None;
        if self.overwrite.is_told && (is_shared(old) || drawer == Drawer::Trash) {
            copy = Some(locked.slot(self.place, Drawer::Backups, &change.kept_stamp(self.overwrite.keeper)?)?);
        }
        if let Some(copy) = &mut copy {
            copy.copy(self.folder, self.name, self.place.shown(), self.meter)?;
        }
        if let Some(digest) = self.overwrite.if_match {
            self.check_content(old, digest)?;
        }
        self.dress_as(Some(old))?;
        let taken = match draft.exchange(self.name) {
            Ok(taken) => taken,
            Err(error) if error.kind() == ErrorKind::NotFound => return Ok(Attempt::Again),
            Err(error) if error.kind() == ErrorKind::Unsupported => {
                self.replace_copied(draft, &mut slot)?;
                copy.iter_mut().for_each(Slot::confirm);
                return Ok(Attempt::Done(Some(Box::new(KeptOld { slot, copy }))));
            }
            Err(error) => return Err(self.place.error(&error)),
        };
        match self.keep(&taken, old, (&mut slot, copy.as_mut())) {
            Ok(()) => Ok(Attempt::Done(Some(Box::new(KeptOld { slot, copy })))),
            Err(error) => {
                self.put_back(&taken, slot);
                Err(error)
            }
        }
    }

    /// Gives the new file the permission bits of a file that is there; of one that was there, if none is.
    fn dress_as(&self, there: Option<&Metadata>) -> Result<(), SandboxError> {
        let Some(Dress { file, old }) = &self.dress else { return Ok(()) };
        let Some(like) = there.or(old.as_ref()).filter(|like| like.kind == Kind::File) else { return Ok(()) };
        let dressed = set_access(file, like).and_then(|()| match self.folder.has_one_log() {
            // The folder's own sync follows, and covers it.
            true => Ok(()),
            false => file.sync_all(),
        });
        dressed.map_err(|error| self.place.error(&error))
    }

    /// Keeps what came out of the exchange, and removes its old name.
    fn keep(
        &mut self,
        taken: &Taken,
        old: &Metadata,
        (slot, copy): (&mut Slot, Option<&mut Slot>),
    ) -> Result<(), SandboxError> {
        let out = taken.folder.metadata(&taken.name).map_err(|error| self.place.error(&error))?;
        refuse_kind(self.place, out.kind)?;
        let is_expected = is_same(old, &out);
        if self.overwrite.if_match.is_some() && !is_expected {
            return Err(self.changed());
        }
        if let Some(copy) = copy {
            if !is_expected {
                copy.copy(&taken.folder, &taken.name, self.place.shown(), self.meter)?;
            }
            copy.confirm();
        }
        if !(slot.is_copy() && is_expected) {
            match slot.take(&taken.folder, &taken.name) {
                Err(error) if error.kind() == ErrorKind::CrossesDevices => {}
                result => return result.map_err(|error| self.place.error(&error)),
            }
            slot.copy(&taken.folder, &taken.name, self.place.shown(), self.meter)?;
        }
        slot.confirm();
        taken.remove().map_err(|error| self.place.error(&error))
    }

    /// Replaces what has the name where nothing can be exchanged: it is copied before.
    fn replace_copied(&mut self, draft: &mut Draft, slot: &mut Slot) -> Result<(), SandboxError> {
        if !slot.is_copy() {
            slot.copy(self.folder, self.name, self.place.shown(), self.meter)?;
        }
        draft.rename(self.folder, self.name, Replace::Yes).map_err(|error| self.place.error(&error))?;
        slot.confirm();
        Ok(())
    }

    /// Gives what came out of the exchange its name back; where somebody else was quicker it is kept.
    fn put_back(&self, taken: &Taken, mut slot: Slot) {
        if !matches!(taken.put_back(self.name), Ok(true)) {
            // Best effort: under the draft's name it is not lost either.
            let _ = slot.take(&taken.folder, &taken.name);
        }
    }

    /// An error unless the file has the content that the caller has seen.
    fn check_content(&self, old: &Metadata, digest: [u8; 32]) -> Result<(), SandboxError> {
        if old.kind != Kind::File {
            return Err(self.changed());
        }
        let wrap = |error: io::Error| self.place.error(&error);
        let mut file = self.folder.open_file(self.name).map_err(wrap)?;
        let before = self.folder.file_metadata(&file).map_err(wrap)?;
        let mut hasher = Sha256::new();
        let mut piece = vec![0; PIECE];
        loop {
            let length = file.read(&mut piece).map_err(wrap)?;
            if length == 0 {
                break;
            }
            self.meter.poll()?;
            hasher.update(&piece[..length]);
        }
        let matches = is_same(old, &before) && <[u8; 32]>::from(hasher.finalize()) == digest;
        if matches { Ok(()) } else { Err(self.changed()) }
    }

    fn changed(&self) -> SandboxError {
        SandboxError::Changed(self.place.shown().to_owned())
    }
}

/// Whether it is a file with further names, by which its content may be changed.
fn is_shared(metadata: &Metadata) -> bool {
    metadata.kind == Kind::File && metadata.links > 1
}

/// Whether it is the same file, and nobody has changed it.
pub(super) fn is_same(one: &Metadata, other: &Metadata) -> bool {
    let state = |metadata: &Metadata| (metadata.identity, metadata.size, metadata.modified);
    state(one) == state(other)
}

/// Refuses to replace what no file may replace.
pub(super) fn refuse_kind(place: &SandboxPath, kind: Kind) -> Result<(), SandboxError> {
    match kind {
        Kind::Folder => Err(SandboxError::IsAFolder(place.shown().to_owned())),
        Kind::Special => Err(SandboxError::Special(place.shown().to_owned())),
        Kind::File | Kind::Link => Ok(()),
    }
}
