//! What a run comes to: for each place that it changed, what was there before and what it left there.

use std::collections::BTreeMap;
use std::ffi::OsString;

use super::super::error::SandboxError;
use super::super::folder::Folder;
use super::super::metadata::Kind;
use super::history::{Fate, History, Taken};
use super::later::Since;
use super::record::{Address, Moment, State, Step};
use super::roots::Roots;

/// What a run did to the tree.
#[derive(Clone, Debug, Default)]
pub struct Outcome {
    /// The places by their addresses.
    pub places: BTreeMap<Address, Place>,
    /// What was known of places below something that was taken away, by where that is kept.
    taken: BTreeMap<Address, Vec<(Address, Place)>>,
    /// The folders whose entries changed, by their addresses.
    folders: BTreeMap<Address, Touched>,
    /// The same of folders that were taken away since, by where they are kept; of removed ones, by their
    /// own addresses.
    gone: BTreeMap<Address, Vec<(Address, Touched)>>,
}

/// A folder whose entries changed.
#[derive(Clone, Debug)]
struct Touched {
    /// Its address when the run began.
    origin: Address,
    /// When it was changed last before the run, and by the run.
    before: Option<Moment>,
    after: Option<Moment>,
    /// The line of the journal that says so.
    line: u64,
}

/// What a run did to one place.
#[derive(Clone, Debug, Default)]
pub struct Place {
    /// What was there when the run began.
    pub was: Option<State>,
    /// Where that is kept.
    pub kept: Option<Address>,
    /// What the run left there.
    pub now: Option<State>,
    /// Where that came from, when it was moved.
    pub from: Option<Address>,
    /// Whether the run made the folder that is there, and put in what is in it, one by one.
    is_made: bool,
    /// Whether the run put a whole tree there.
    is_tree: bool,
}

/// Why something cannot be taken back.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Conflict {
    /// The place.
    pub path: Address,
    /// What is the matter: a clause that goes on from its path.
    pub reason: String,
}

impl Place {
    /// Whether what was there when the run began is still there.
    fn is_as_it_was(&self) -> bool {
        self.was.as_ref().zip(self.now.as_ref()).is_some_and(|(was, now)| was.inode == now.inode)
    }
}

impl Outcome {
    /// What the steps of a run come to.
    pub fn of(history: &History) -> Outcome {
        let mut outcome = Outcome::default();
        history.steps.iter().for_each(|taken| outcome.take(taken));
        for (folder, modified, line) in &history.touched {
            if let Some(touched) = outcome.folders.get_mut(folder).filter(|touched| touched.line < *line) {
                (touched.after, touched.line) = (*modified, *line);
            }
        }
        outcome
    }

    fn take(&mut self, Taken { step, fate, before, .. }: &Taken) {
        let (now, kept_any) = match fate {
            Fate::Done { now, kept, after, line } => {
                let times = before.iter().zip(after);
                step.folders().into_iter().zip(times).for_each(|(folder, times)| self.touch(folder, times, *line));
                (now.clone(), *kept)
            }
            Fate::Unknown { .. } => return,
        };
        match step {
            Step::Put { path, old, kept, from, .. } => {
                let inside = from.as_ref().and_then(|(from, _)| self.put_back(from));
                let is_tree = now.as_ref().is_some_and(|now| now.kind == Kind::Folder) && inside.is_none();
                for (below, place) in inside.into_iter().flatten() {
                    self.places.insert(below, place);
                }
                self.folders.extend(from.iter().filter_map(|(from, _)| self.gone.remove(from)).flatten());
                if kept_any {
                    self.keep_moved(path, kept.as_ref());
                }
                let place = self.place(path, old.as_ref());
                (place.now, place.from, place.is_made, place.is_tree) = (now, None, false, is_tree);
                if place.kept.is_none() && kept_any && place.was.is_some() {
                    place.kept.clone_from(kept);
                }
            }
            Step::Take { path, old, kept, .. } => {
                let mut inside = Vec::new();
                self.below(path, |outcome, below, place| {
                    outcome.places.insert(below.clone(), Place { now: None, ..place.clone() });
                    inside.push((below, place));
                });
                self.taken.insert(kept.clone(), inside);
                self.let_go(path, kept);
                if kept_any {
                    self.keep_moved(path, Some(kept));
                }
                let place = self.place(path, Some(old));
                place.now = None;
                if place.kept.is_none() && place.was.is_some() {
                    place.kept = Some(kept.clone());
                }
            }
            Step::Move { path, old, to, .. } => self.shift(path, old, to, now),
            Step::MakeFolder { path } => {
                let place = self.place(path, None);
                (place.now, place.from, place.is_made, place.is_tree) = (now, None, true, false);
            }
            Step::RemoveFolder { path, old } => {
                self.place(path, Some(old)).now = None;
                self.let_go(path, path);
            }
            Step::SetMode { path, old, .. } => self.place(path, Some(old)).now = now,
            Step::Draft { .. } | Step::Temporary { .. } => {}
        }
    }

    /// What is replaced or taken away at a place, and was moved there: its first place knows where it is kept.
    fn keep_moved(&mut self, path: &Address, kept: Option<&Address>) {
        let Some(from) = self.places.get(path).and_then(|place| place.from.clone()) else { return };
        if let Some(origin) = self.places.get_mut(&from)
            && origin.was.is_some()
            && origin.kept.is_none()
        {
            origin.kept = kept.cloned();
        }
    }

    /// What the run itself took away is put back: it is no longer kept. Gives what was known of places below it.
    fn put_back(&mut self, kept: &Address) -> Option<Vec<(Address, Place)>> {
        let inside = self.taken.remove(kept)?;
        let of_it = self.places.values_mut().filter(|place| place.kept.as_ref() == Some(kept));
        of_it.for_each(|place| place.kept = None);
        Some(inside)
    }

    fn touch(&mut self, folder: Address, (before, after): (&Option<Moment>, &Option<Moment>), line: u64) {
        if let Some(touched) = self.folders.get_mut(&folder) {
            if touched.line < line {
                (touched.after, touched.line) = (*after, line);
            }
        } else if !self.is_new(&folder) {
            let origin = self.origin_of(&folder);
            self.folders.insert(folder, Touched { origin, before: *before, after: *after, line });
        }
    }

    /// Whether the run made what is at an address, alone or with the tree it is in: it goes again.
    fn is_new(&self, address: &Address) -> bool {
        let mut here = address.clone();
        loop {
            if let Some(place) = self.places.get(&here).filter(|place| place.now.is_some()) {
                let is_from_before = place.from.is_some() || place.is_as_it_was();
                return place.is_made || place.is_tree || !is_from_before;
            }
            let above = here.parent();
            if above == here {
                return false;
            }
            here = above;
        }
    }

    /// Whether the run put a whole tree where an address is below, in place of what it took away from there.
    fn is_in_tree(&self, address: &Address) -> bool {
        let mut here = address.clone();
        loop {
            let above = here.parent();
            if above == here {
                return false;
            }
            if let Some(place) = self.places.get(&above).filter(|place| place.now.is_some()) {
                return place.is_tree;
            }
            here = above;
        }
    }

    /// A folder is taken away, with those in it: nobody else changes them from here on.
    fn let_go(&mut self, path: &Address, kept: &Address) {
        let below: Vec<Address> = keys_below(&self.folders, path).cloned().collect();
        let all = below.iter().chain([path]);
        let gone: Vec<(Address, Touched)> = all.filter_map(|folder| self.folders.remove_entry(folder)).collect();
        self.gone.entry(kept.clone()).or_default().extend(gone);
    }

    /// The address that something had when the run began.
    fn origin_of(&self, address: &Address) -> Address {
        let mut above = Some(address.clone());
        while let Some(here) = above {
            if let Some(from) = self.places.get(&here).and_then(|place| place.from.as_ref()) {
                return address.moved(&here, from);
            }
            above = Some(here.parent()).filter(|parent| *parent != here);
        }
        address.clone()
    }

    /// The folders that nobody else has changed since, with the addresses and times that they had.
    pub(super) fn times(&self, roots: Roots<'_>) -> Vec<(Address, Moment)> {
        let is_as_left = |folder: &Address, after: &Option<Moment>| match roots.state(folder) {
            Ok(Some(now)) => now.modified == *after,
            Ok(None) => true,
            Err(_) => false,
        };
        let folders = self.folders.iter().filter(|(folder, touched)| is_as_left(folder, &touched.after));
        let gone = self.gone.values().flatten().map(|(folder, touched)| (folder, touched));
        folders.chain(gone).filter_map(|(_, touched)| Some((touched.origin.clone(), touched.before?))).collect()
    }

    /// The place of a path; the first time, `old` is what was there when the run began.
    fn place(&mut self, path: &Address, old: Option<&State>) -> &mut Place {
        self.places.entry(path.clone()).or_insert_with(|| Place { was: old.cloned(), ..Place::default() })
    }

    /// Takes out what is below a path, and does something with each.
    fn below(&mut self, path: &Address, mut work: impl FnMut(&mut Outcome, Address, Place)) {
        let below: Vec<Address> = keys_below(&self.places, path).cloned().collect();
        for address in below {
            let place = self.places.remove(&address).expect("its key was just seen");
            work(self, address, place);
        }
    }

    fn shift(&mut self, path: &Address, old: &State, to: &Address, now: Option<State>) {
        let inside: Vec<Address> = keys_below(&self.folders, path).cloned().collect();
        let own = self.folders.contains_key(path).then(|| path.clone());
        for folder in own.into_iter().chain(inside) {
            let touched = self.folders.remove(&folder).expect("its key was just seen");
            self.folders.insert(folder.moved(path, to), touched);
        }
        self.below(path, |outcome, below, place| {
            let from = place.now.is_some().then(|| below.clone());
            let there = outcome.places.remove(&below.moved(path, to)).unwrap_or_default();
            let moved = Place { was: there.was, kept: there.kept, from, ..place.clone() };
            outcome.places.insert(below.moved(path, to), moved);
            if place.was.is_some() {
                outcome.places.insert(below, Place { now: None, ..place });
            }
        });
        let source = self.place(path, Some(old));
        let moved = Place { was: None, kept: None, from: source.from.take().or(Some(path.clone())), ..source.clone() };
        *source = Place { was: source.was.clone(), kept: source.kept.clone(), ..Place::default() };
        let was = self.places.get(to).and_then(|place| place.was.clone());
        let kept = self.places.get(to).and_then(|place| place.kept.clone());
        self.places.insert(to.clone(), Place { was, kept, now, ..moved });
    }

    /// What may not be changed.
    pub(super) fn refused(&self, admit: &dyn Fn(&Address, bool) -> Result<(), String>) -> Vec<Conflict> {
        let refused = |(path, place): (&Address, &Place)| {
            let is_folder = place.now.as_ref().or(place.was.as_ref())?.kind == Kind::Folder;
            admit(path, is_folder).err().map(|reason| Conflict { path: path.clone(), reason })
        };
        self.places.iter().filter_map(refused).collect()
    }

    /// What is no longer as the run left it.
    pub(super) fn conflicts(&self, roots: Roots<'_>, since: &Since<'_>) -> Vec<Conflict> {
        let conflict = |(path, place): (&Address, &Place)| {
            let reason = self.difference(path, place, roots, since).unwrap_or_else(|error| Some(error.to_string()))?;
            Some(Conflict { path: path.clone(), reason })
        };
        self.places.iter().filter_map(conflict).collect()
    }

    fn difference(
        &self,
        path: &Address,
        place: &Place,
        roots: Roots<'_>,
        since: &Since<'_>,
    ) -> Result<Option<String>, SandboxError> {
        let reason = match (&place.now, roots.state(path)?) {
            (None, None) => None,
            // That comes with the tree, which is looked at as a whole.
            (None, Some(_)) if self.is_in_tree(path) => None,
            (None, Some(_)) => Some("there is something new"),
            (Some(_), None) => Some("it is no longer there"),
            (Some(then), Some(now)) if then.is_still(&now) => None,
            (Some(then), Some(now)) if (then.inode, then.kind) == (now.inode, now.kind) => Some("it was changed since"),
            _ => Some("something else is there now"),
        };
        if let Some(reason) = reason {
            return Ok(Some(reason.to_owned()));
        }
        if let (Some(kept), true) = (&place.kept, place.was.is_some())
            && roots.kept(kept)?.is_none()
        {
            return Ok(Some(format!("what was there is no longer kept (`{}`)", kept.shown())));
        }
        if place.now.is_some() && place.is_made {
            return self.stranger_in(path, roots);
        }
        match place.is_tree && place.now.is_some() {
            true => changed_below(roots.place(path)?.open_folder()?, since, path),
            false => Ok(None),
        }
    }

    /// Something in a folder that the run made, and that the run did not put there.
    fn stranger_in(&self, path: &Address, roots: Roots<'_>) -> Result<Option<String>, SandboxError> {
        let folder = roots.place(path)?.open_folder()?;
        let entries = folder.entries().map_err(|error| SandboxError::io(path.shown(), &error))?;
        let stranger = entries.into_iter().find(|entry| {
            let inside = self.places.get(&path.join(&entry.name));
            inside.is_none_or(|place| place.now.is_none())
        });
        Ok(stranger.map(|entry| format!("`{}` was put into it since", entry.name.to_string_lossy())))
    }
}

/// The addresses below one, which follow each other in the order of their bytes.
pub(super) fn keys_below<'m, T>(map: &'m BTreeMap<Address, T>, path: &'m Address) -> impl Iterator<Item = &'m Address> {
    let mut first = path.0.clone();
    if !first.is_empty() {
        first.push("/");
    }
    map.range(Address(first)..).map(|(other, _)| other).take_while(|other| other.is_below(path))
}

/// Something in a tree that was changed after a run.
fn changed_below(folder: Folder, since: &Since<'_>, path: &Address) -> Result<Option<String>, SandboxError> {
    let wrap = |error: std::io::Error| SandboxError::io(path.shown(), &error);
    if since.at.is_none() {
        return Ok(None);
    }
    let names = |folder: &Folder| -> Result<Vec<OsString>, SandboxError> {
        Ok(folder.entries().map_err(wrap)?.into_iter().map(|entry| entry.name).collect())
    };
    let first = names(&folder)?;
    let mut levels = vec![(folder, path.clone(), first)];
    while let Some((folder, address, ahead)) = levels.last_mut() {
        let Some(name) = ahead.pop() else {
            levels.pop();
            continue;
        };
        let metadata = folder.metadata(&name).map_err(wrap)?;
        let address = address.join(&name);
        if since.is_changed(path, &address, &metadata) {
            return Ok(Some(format!("`{}` in it was changed since", name.to_string_lossy())));
        }
        if metadata.kind == Kind::Folder {
            let inner = folder.open_folder(&name).map_err(wrap)?;
            let ahead = names(&inner)?;
            levels.push((inner, address, ahead));
        }
    }
    Ok(None)
}
