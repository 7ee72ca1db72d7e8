//! Locates the contents on both sides of each change of a run, as far as they still exist.
//!
//! Contents that a run replaced or deleted are in the backup store, and those that it left are at their paths, until
//! later runs move, replace, delete or restore them. The journals of those runs tell where the contents went. An
//! entry counts as the same as long as its kind, size and modification time match.

use std::collections::BTreeMap;
use std::ffi::{OsStr, OsString};

use super::super::changing::journal::folders::Folders;
use super::super::changing::journal::history::{History, JournaledStep, StepOutcome};
use super::super::changing::journal::record::Step;
use super::super::changing::journal::roots::Roots;
use super::super::changing::journal::{JOURNAL, Journal};
use super::super::handles::address::Address;
use super::super::handles::error::SandboxError;
use super::super::handles::metadata::Kind;
use super::super::handles::root::SandboxPath;
use super::super::handles::state::State;
use super::super::internal::state_dir::display;
use super::super::reading::read::ReadError;
use super::outcome::{PathOutcome, RunOutcome, keys_below};
use super::report::changes;
use super::undo::{UndoError, read};

/// The reason for a content whose backup is gone.
const NOT_KEPT: &str = "it is no longer kept";
/// The reason for a content that was at a path until something else replaced or removed it.
const CHANGED: &str = "it was changed since by something else";

/// The content on one side of a change.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Content {
    /// There is no entry, or one without content, such as a directory.
    Nothing,
    /// The bytes of a file, or the target of a link.
    Bytes(Vec<u8>),
    /// The content is not available; the text is a clause that says why.
    Unknown(String),
}

/// Where a content is stored.
#[derive(Clone, Debug)]
pub enum ContentSource {
    /// There is no content.
    Nothing,
    /// At this path, with the expected state.
    At(Address, State),
    /// The content is no longer available; the text is a clause that says why.
    Lost(&'static str),
}

impl Journal {
    /// Returns the sources of both sides of each change of a run, in the order of [`Journal::show`].
    pub fn sources(roots: Roots<'_>, run: &str) -> Result<Vec<(ContentSource, ContentSource)>, UndoError> {
        let (history, _) = read(roots, run)?;
        let outcome = RunOutcome::of(&history);
        let sides = changes(&outcome).map(|(path, place)| [was(place), now(path, place)]);
        let mut sources: Vec<ContentSource> = sides.flatten().collect();
        follow(roots, run, &mut sources)?;
        let mut sources = sources.into_iter();
        Ok(std::iter::from_fn(|| sources.next().zip(sources.next())).collect())
    }
}

impl ContentSource {
    /// Reads the content, which may have at most `limit` bytes.
    pub fn read(&self, roots: Roots<'_>, limit: u64) -> Content {
        let (address, state) = match self {
            ContentSource::Nothing => return Content::Nothing,
            ContentSource::Lost(why) => return Content::Unknown((*why).to_owned()),
            ContentSource::At(address, state) => (address, state),
        };
        if state.size > limit {
            return Content::Unknown("it is too large to be compared".to_owned());
        }
        read_content(place(roots, address), state.kind, limit)
    }
}

/// Reads a file, or the target of a link, of at most `limit` bytes.
pub(in crate::sandbox) fn read_content(place: Result<SandboxPath, SandboxError>, kind: Kind, limit: u64) -> Content {
    let bytes = place.and_then(|place| match kind {
        Kind::Link => Ok(place.read_link()?.into_encoded_bytes()),
        _ => match place.read_bytes(limit) {
            Ok((bytes, _)) => Ok(bytes),
            Err(ReadError::Sandbox(error)) => Err(error),
            Err(ReadError::TooLarge { .. }) => {
                let reason = "it is too large to be compared".to_owned();
                Err(SandboxError::Io { path: place.display().to_owned(), reason })
            }
        },
    });
    bytes.map_or_else(|error| Content::Unknown(error.to_string()), Content::Bytes)
}

/// Returns the source of the previous content.
fn was(place: &PathOutcome) -> ContentSource {
    match (&place.was, &place.kept, &place.now) {
        (None, ..) => ContentSource::Nothing,
        (Some(was), ..) if !has_content(was) => ContentSource::Nothing,
        (Some(was), Some(kept), _) => ContentSource::At(kept.clone(), was.clone()),
        // Only the permission bits differ, so both sides have the same content.
        (Some(was), None, Some(now)) if is_same(was, now) => ContentSource::Nothing,
        (Some(_), None, _) => ContentSource::Lost("what was there was not kept"),
    }
}

/// Returns the source of the content that the run left.
fn now(path: &Address, place: &PathOutcome) -> ContentSource {
    match (&place.now, &place.was) {
        (Some(now), _) if !has_content(now) => ContentSource::Nothing,
        (Some(now), Some(was)) if place.kept.is_none() && is_same(was, now) => ContentSource::Nothing,
        // A move changes no content.
        (Some(_), None) if place.from.is_some() => ContentSource::Nothing,
        (Some(now), _) => ContentSource::At(path.clone(), now.clone()),
        (None, _) => ContentSource::Nothing,
    }
}

fn has_content(state: &State) -> bool {
    matches!(state.kind, Kind::File | Kind::Link)
}

/// Whether two states have the same content, as far as metadata can tell.
fn is_same(one: &State, other: &State) -> bool {
    (one.kind, one.size, one.modified) == (other.kind, other.size, other.modified)
}

/// Locates a path, which may be that of a backup.
fn place(roots: Roots<'_>, address: &Address) -> Result<SandboxPath, SandboxError> {
    roots.entry(address)?.ok_or_else(|| SandboxError::NotFound(address.display().into_owned()))
}

/// Updates sources that moved since the run, using the journals of later runs.
fn follow(roots: Roots<'_>, run: &str, sources: &mut [ContentSource]) -> Result<(), SandboxError> {
    let mut trail = Trail { sources: sources.to_vec(), ..Trail::default() };
    for (number, source) in sources.iter().enumerate() {
        if let ContentSource::At(address, state) = source
            && !is_there(roots, address, state)
        {
            trail.at.entry(address.clone()).or_default().push(number);
        }
    }
    if trail.at.is_empty() {
        return Ok(());
    }
    trail.walk(roots, run)?;
    for (address, numbers) in trail.at {
        for number in numbers {
            let ContentSource::At(_, state) = &sources[number] else { continue };
            sources[number] = if is_there(roots, &address, state) {
                ContentSource::At(address.clone(), state.clone())
            } else if roots.is_kept(&address) {
                ContentSource::Lost(NOT_KEPT)
            } else {
                ContentSource::Lost(CHANGED)
            };
        }
    }
    trail.lost.into_iter().for_each(|(number, reason)| sources[number] = ContentSource::Lost(reason));
    Ok(())
}

fn is_there(roots: Roots<'_>, address: &Address, state: &State) -> bool {
    let found = place(roots, address).and_then(|place| place.metadata());
    found.is_ok_and(|found| is_same(state, &State::of(&found)))
}

/// The current paths of contents, which are identified by their index.
#[derive(Default)]
struct Trail {
    /// The contents, with the state by which each is known.
    sources: Vec<ContentSource>,
    at: BTreeMap<Address, Vec<usize>>,
    /// Contents that are gone, with the reason.
    lost: Vec<(usize, &'static str)>,
}

impl Trail {
    /// Follows the contents through all runs after `run`.
    fn walk(&mut self, roots: Roots<'_>, run: &str) -> Result<(), SandboxError> {
        let wrap = |error: std::io::Error| SandboxError::io(display(JOURNAL), &error);
        let Some(folders) = Folders::find(roots.main)? else { return Ok(()) };
        let later = folders.runs().map_err(wrap)?.into_iter().filter(|name| name.as_os_str() > OsStr::new(run));
        for name in later {
            // If a journal cannot be read, its moves stay unknown and the check of the state fails later.
            let file = folders.open_journal(&name).ok();
            let history = file.and_then(|file| History::read(&file, &name, &folders.seal).ok());
            history.iter().flat_map(|history| &history.steps).for_each(|taken| self.follow(taken));
        }
        Ok(())
    }

    fn follow(&mut self, taken: &JournaledStep) {
        let StepOutcome::Done { kept: has_kept, .. } = taken.fate else { return };
        match &taken.step {
            Step::Put { path, old, kept, from, .. } => {
                self.check(path, old.as_ref());
                from.iter().for_each(|(from, state)| self.check(from, Some(state)));
                let put = from.as_ref().map(|(from, _)| self.take(from));
                match kept.as_ref().filter(|_| has_kept) {
                    Some(kept) => self.shift(path, kept),
                    None if old.is_some() => self.lose(path),
                    None => {}
                }
                self.put(path, put.unwrap_or_default());
            }
            Step::Take { path, old, kept, .. } => {
                self.check(path, Some(old));
                if has_kept { self.shift(path, kept) } else { self.lose(path) }
            }
            Step::Move { path, old, to, .. } => {
                self.check(path, Some(old));
                self.shift(path, to);
            }
            _ => {}
        }
    }

    /// Drops the contents that something else replaced at a path before a step found this entry there.
    fn check(&mut self, path: &Address, found: Option<&State>) {
        let Some(numbers) = self.at.get_mut(path) else { return };
        let sources = &self.sources;
        let replaced = numbers.extract_if(.., |number| match &sources[*number] {
            ContentSource::At(_, state) => found.is_none_or(|found| !is_same(state, found)),
            _ => true,
        });
        self.lost.extend(replaced.map(|number| (number, CHANGED)));
    }

    fn shift(&mut self, from: &Address, to: &Address) {
        let taken = self.take(from);
        self.put(to, taken);
    }

    fn lose(&mut self, path: &Address) {
        let lost = self.take(path).into_iter().flat_map(|(_, numbers)| numbers);
        self.lost.extend(lost.map(|number| (number, NOT_KEPT)));
    }

    /// Removes and returns the contents at and below a path, each with its path relative to it.
    fn take(&mut self, path: &Address) -> Vec<(Address, Vec<usize>)> {
        let (nowhere, mut taken) = (Address(OsString::new()), Vec::new());
        taken.extend(self.at.remove(path).map(|numbers| (nowhere.clone(), numbers)));
        let below: Vec<Address> = keys_below(&self.at, path).cloned().collect();
        for address in below {
            let numbers = self.at.remove(&address).expect("its key was just seen");
            taken.push((address.moved(path, &nowhere), numbers));
        }
        taken
    }

    fn put(&mut self, path: &Address, things: Vec<(Address, Vec<usize>)>) {
        for (rest, numbers) in things {
            let mut address = path.0.clone();
            address.push(rest.0);
            self.at.entry(Address(address)).or_default().extend(numbers);
        }
    }
}
