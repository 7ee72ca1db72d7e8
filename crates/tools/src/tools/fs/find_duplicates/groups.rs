//! Groups files by size, and then by the hashes of their contents.

use std::cmp::Ordering;
use std::collections::HashSet;

use schemars::JsonSchema;
use serde::Serialize;

use crate::limits::{LimitHit, MemoryCharge, work};
use crate::sandbox::FoundEntries;
use crate::value::order::sort;

/// Bytes of a candidate and its place in a group, without its path.
const CANDIDATE_BYTES: usize = size_of::<Candidate>() + size_of::<Digest>() + 64;

/// The SHA-256 of a content or of its first block.
pub type Digest = [u8; 32];

/// A file that may have the content of another.
#[derive(Debug)]
pub struct Candidate {
    /// The path from the sandbox root.
    pub path: String,
    /// The size in bytes.
    pub size: u64,
}

/// Files of one size and one hash.
#[derive(Debug)]
pub struct Group {
    pub size: u64,
    pub digest: Digest,
    /// The paths in order.
    pub paths: Vec<String>,
}

/// Files with the same content, as the result has them.
#[derive(Serialize, JsonSchema)]
pub struct Duplicates {
    /// Bytes of each of the files.
    size: u64,
    /// SHA-256 of the content, hexadecimal.
    checksum: String,
    /// Bytes that all but one of the files take.
    wasted: u64,
    /// The files, by the bytes of their paths.
    paths: Vec<String>,
}

impl Group {
    /// Returns the bytes that all but one of the files take.
    pub fn wasted(&self) -> u64 {
        self.size.saturating_mul(self.paths.len() as u64 - 1)
    }

    /// Returns the files as candidates again.
    pub fn into_candidates(self) -> impl Iterator<Item = Candidate> {
        let size = self.size;
        self.paths.into_iter().map(move |path| Candidate { path, size })
    }
}

impl From<Group> for Duplicates {
    fn from(group: Group) -> Duplicates {
        let wasted = group.wasted();
        Duplicates { size: group.size, checksum: super::super::hex(&group.digest), wasted, paths: group.paths }
    }
}

/// Returns the files whose size others have too: the largest first, those of one size by their paths. If identities
/// were searched for, the first of several names of a file stands for all.
pub fn of_same_size(found: &FoundEntries, prefix: &str, held: &mut MemoryCharge) -> Result<Vec<Candidate>, LimitHit> {
    held.grow(found.len() * size_of::<usize>())?;
    let mut rows: Vec<usize> = (0..found.len()).collect();
    sort(&mut rows, |a, b| {
        work::charge(1)?;
        Ok(found.sizes[*b].cmp(&found.sizes[*a]))
    })?;
    let mut candidates = Vec::new();
    for rows in rows.chunk_by(|a, b| found.sizes[*a] == found.sizes[*b]) {
        work::charge(rows.len())?;
        let rows = if found.files.is_empty() { rows.to_vec() } else { one_of_each_file(found, rows) };
        for row in rows.iter().filter(|_| rows.len() > 1) {
            let path = format!("{prefix}{}", found.path(*row));
            held.grow(CANDIDATE_BYTES + path.len())?;
            candidates.push(Candidate { path, size: found.sizes[*row].unsigned_abs() });
        }
    }
    Ok(candidates)
}

fn one_of_each_file(found: &FoundEntries, rows: &[usize]) -> Vec<usize> {
    let mut files = HashSet::new();
    rows.iter().copied().filter(|row| files.insert(found.files[*row].identity)).collect()
}

/// Groups files by size and digest. Files without a digest, and those that are alone, are left out.
pub fn of_same_digest(candidates: Vec<Candidate>, digests: Vec<Option<Digest>>) -> Result<Vec<Group>, LimitHit> {
    let mut files: Vec<(Candidate, Digest)> =
        candidates.into_iter().zip(digests).filter_map(|(candidate, digest)| Some((candidate, digest?))).collect();
    sort(&mut files, |(a, digest_a), (b, digest_b)| {
        work::charge(1)?;
        Ok(b.size.cmp(&a.size).then_with(|| digest_a.cmp(digest_b)))
    })?;
    let mut groups: Vec<Group> = Vec::new();
    for (Candidate { path, size }, digest) in files {
        match groups.last_mut().filter(|group| group.size == size && group.digest == digest) {
            Some(group) => group.paths.push(path),
            None => groups.push(Group { size, digest, paths: vec![path] }),
        }
    }
    groups.retain(|group| group.paths.len() > 1);
    Ok(groups)
}

/// Sorts groups: those that waste most first, equal ones by their first path.
pub fn arrange(groups: &mut [Group]) -> Result<(), LimitHit> {
    sort(groups, |a, b| {
        work::charge(1)?;
        Ok(most_wasted_first(a, b))
    })
}

fn most_wasted_first(a: &Group, b: &Group) -> Ordering {
    b.wasted().cmp(&a.wasted()).then_with(|| a.paths[0].cmp(&b.paths[0]))
}
