//! The way from a text such as `.ns/backups/src/main.rs/20261122T050102.123456Z-1a2b3c4d-…` to what is
//! kept there, and to the place that it came from. No other text leads into `.ns`.

use std::ffi::OsStr;
use std::io::{self, ErrorKind};

use crate::limits::Meter;
use crate::text::ToolCode;

use super::super::change::RenameError;
use super::super::copy::Copying;
use super::super::error::SandboxError;
use super::super::folder::{Folder, Replace};
use super::super::journal::{Address, Change, State, Step, left};
use super::super::metadata::Kind;
use super::super::own::open_ours;
use super::super::path::{PathError, check_characters, check_part_length};
use super::super::remove::discard;
use super::super::root::{Root, SandboxPath};
use super::super::take::Overwrite;
use super::{Drawer, Keeper, shown_below, stamp};

/// The text of a path to something kept, which is of the right form.
#[derive(Clone, Debug)]
pub struct KeptText {
    /// Where it is kept.
    pub drawer: Drawer,
    /// The names of the folders below the drawer, and of the thing itself.
    names: Vec<String>,
}

/// Something that is kept, and the place that it came from.
#[derive(Debug)]
pub struct KeptPath {
    /// Where it is kept.
    pub drawer: Drawer,
    /// What is kept.
    pub entry: SandboxPath,
    /// The way to it.
    address: Address,
    /// Where it was.
    pub origin: SandboxPath,
}

impl KeptText {
    /// Takes a text apart.
    pub fn parse(text: &str) -> Result<KeptText, SandboxError> {
        check_characters(text)?;
        let below = |drawer: Drawer| Some((drawer, text.strip_prefix(".ns/")?.strip_prefix(drawer.name())?));
        let drawers = [Drawer::Backups, Drawer::Trash].into_iter().filter_map(below);
        let mut inside = drawers.filter_map(|(drawer, rest)| Some((drawer, rest.strip_prefix('/')?)));
        let (drawer, rest) = inside.next().ok_or_else(|| strange(text))?;
        let names: Vec<String> = rest.split('/').map(str::to_owned).collect();
        for name in &names {
            check_part_length(name)?;
            match name.as_str() {
                ".." => return Err(strange(text)),
                "" | "." => return Err(malformed()),
                _ => {}
            }
        }
        match &names[..] {
            [_, .., last] if stamp::is_kept_shape(OsStr::new(last)) => Ok(KeptText { drawer, names }),
            _ => Err(SandboxError::NotFound(text.to_owned())),
        }
    }

    /// The path of the place that the thing came from.
    pub fn origin(&self) -> String {
        let (_, folders) = self.names.split_last().expect("the form has at least two names");
        let parts = folders.iter().map(|folder| stamp::part_of(folder.as_ref()).to_string_lossy().into_owned());
        parts.collect::<Vec<_>>().join("/")
    }
}

fn strange(text: &str) -> SandboxError {
    let message = match text.is_empty() {
        true => "expected the path of a backup, found an empty text".to_owned(),
        false => "the path leads to nothing that was kept".to_owned(),
    };
    let code = if text.is_empty() { ToolCode::BadArgs } else { ToolCode::SandboxViolation };
    PathError { code, message, help: HELP }.into()
}

fn malformed() -> SandboxError {
    let message = "the path of a backup has an empty name or `.` in it".to_owned();
    PathError { code: ToolCode::BadArgs, message, help: HELP }.into()
}

const HELP: &str = "give `backupPath` as a result had it: `.ns/backups/…` or `.ns/trash/…`";

impl Root {
    /// Finds what is kept under a path and is to go back to a place.
    pub fn locate_kept(&self, text: &KeptText, origin: SandboxPath) -> Result<KeptPath, SandboxError> {
        let names = [text.drawer.name()].into_iter().chain(text.names.iter().map(String::as_str));
        let names: Vec<&OsStr> = names.map(OsStr::new).collect();
        let missing = || SandboxError::NotFound(shown_below(&names));
        let (name, folders) = names.split_last().expect("the drawer is a name");
        let own = self.own_folder()?.ok_or_else(missing)?;
        let mut folder = own.into_folder();
        for (before, name) in folders.iter().enumerate() {
            folder = open_ours(&folder, name, || shown_below(&names[..=before]))?.ok_or_else(missing)?;
        }
        let entry = SandboxPath::own(folder, name, shown_below(&names));
        let address = Address::from(&*self.address_of(&shown_below(&names)));
        let kind = entry.metadata()?.kind;
        if !stamp::is_kept(name, folders, &self.seal) {
            return Err(SandboxError::Foreign(shown_below(&names)));
        }
        match (kind, text.drawer) {
            (Kind::File | Kind::Link, _) | (_, Drawer::Trash) => {
                Ok(KeptPath { drawer: text.drawer, address, entry, origin })
            }
            (kind, Drawer::Backups) => {
                let reason = if kind == Kind::Folder { "it is a directory" } else { "it is a pipe, socket or device" };
                Err(SandboxError::NotOurs { path: shown_below(&names), reason })
            }
        }
    }
}

impl KeptPath {
    /// Moves it back to where it was; whatever is there makes it fail. Missing folders are made. To
    /// another file system it is not moved: [`KeptPath::put_back_by_copy`] does that.
    pub fn put_back(&self, change: &Change<'_>) -> Result<(), RenameError> {
        let parents = self.origin.make_parents(change)?;
        put_back(&self.entry, &self.address, &self.origin, parents.folder(), change)?;
        parents.keep();
        Ok(())
    }

    /// The same to another file system: it is copied, whole and synced, before it is removed.
    pub fn put_back_by_copy(
        &self,
        keeper: Keeper<'_>,
        meter: &mut Meter,
        change: &Change<'_>,
    ) -> Result<(), SandboxError> {
        let (kept_in, kept_name) = self.entry.entry()?;
        self.entry.copy_to(&self.origin, &Copying::whole(Overwrite::never(keeper)), meter, change)?;
        discard(kept_in, kept_name, self.entry.shown())?;
        kept_in.sync().map_err(|error| self.entry.error(&error))
    }
}

/// Moves something that is kept to a place, where nothing is, in a folder.
pub(in super::super) fn put_back(
    entry: &SandboxPath,
    address: &Address,
    place: &SandboxPath,
    folder: &Folder,
    change: &Change<'_>,
) -> Result<(), RenameError> {
    let (kept_in, kept_name) = entry.entry()?;
    let name = place.name()?;
    let metadata = entry.metadata()?;
    let from = Some((address.clone(), State::of(&metadata)));
    let step = Step::Put { path: place.full_address(), old: None, draft: None, kept: None, from };
    let under_way = change.begin(step, &[folder])?;
    let wrap = |error: io::Error| place.error(&error);
    match kept_in.rename(kept_name, folder, name, Replace::No) {
        Ok(()) => {}
        Err(error) if error.kind() == ErrorKind::CrossesDevices => return Err(RenameError::OtherDevice),
        Err(error) => return Err(wrap(error).into()),
    }
    let synced = folder.sync().and_then(|()| kept_in.sync());
    under_way.done(Some(&left(folder, name, &metadata)), false, &[folder]);
    Ok(synced.map_err(|error| place.undurable(&error))?)
}
