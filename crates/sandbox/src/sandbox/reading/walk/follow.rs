//! Follows the links that a search has found, after everything reachable without them has been read.
//!
//! This order gives a directory that is reachable in several ways its real path if it has one; otherwise the path
//! through the fewest links, the first of these in byte order. No directory is read twice, so loops end.

use super::criteria::Resolve;
use super::entry::EntryStat;
use super::filter::{Base, Filter, folder_path};
use super::reader::{PendingLink, Reader};
use super::{Failure, WalkLimits, read_folder};

/// Everything needed to follow the links of a search.
pub struct Follower<'a> {
    pub filter: Filter<'a>,
    pub limits: &'a WalkLimits,
    pub resolve: &'a Resolve<'a>,
}

impl Follower<'_> {
    /// Follows all links that the readers recorded, and those found on the way.
    pub fn follow(&self, readers: &mut Vec<Reader>) -> Result<(), Failure> {
        loop {
            let mut pending: Vec<PendingLink> =
                readers.iter_mut().flat_map(|reader| std::mem::take(&mut reader.pending)).collect();
            if pending.is_empty() {
                return Ok(());
            }
            pending.sort_by(|a, b| a.position.path.cmp(&b.position.path));
            for link in pending {
                self.limits.watch.poll()?;
                self.follow_link(readers, &link)?;
            }
        }
    }

    /// Replaces the entry of a link by its target, and reads the target if it is a directory.
    fn follow_link(&self, readers: &mut Vec<Reader>, link: &PendingLink) -> Result<(), Failure> {
        let position = &link.position;
        let path = position.path.strip_suffix(b"/").unwrap_or(&position.path);
        // No tool accepts this path, so nothing behind the link could be named in an answer.
        let not_text = || Failure::NotText { below: path[self.filter.start_len..].to_vec() };
        let Some(place) = (self.resolve)(str::from_utf8(path).map_err(|_| not_text())?) else { return Ok(()) };
        let Ok(metadata) = place.metadata() else { return Ok(()) };
        let look = EntryStat::from(&metadata);
        let (resolved, depth) = (folder_path(&place), position.depth);
        let base = Base { path_len: path.len(), resolved: Some(&resolved), is_root: place.is_root(), depth };
        let filter = Filter { base, ..self.filter };
        let choice = readers[usize::from(link.entry.reader)].turn(&filter, link, look)?;
        if choice.enters() {
            let filter = Filter { base: Base { path_len: position.path.len(), ..base }, ..filter };
            let folder = place.open_folder().map_err(Failure::Link)?;
            // A single thread reads the targets of links and continues with the first reader.
            let further = readers.split_off(1);
            let first = readers.pop().expect("a walk has a first reader");
            *readers = read_folder(first, &folder, position, filter, self.limits)?;
            readers.extend(further);
        }
        Ok(())
    }
}
