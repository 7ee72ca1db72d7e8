//! A part of an archive: the entries that patterns choose, with the directories above them.

use std::collections::BTreeSet;

use crate::limits::work;
use crate::text::ToolCode;
use crate::toolkit::ToolError;

use super::super::patterns::{Entry, Patterns};
use super::plan::{NodeKind, Parts, Plan};

/// Whether patterns choose a path in an archive, as they do in `FS.Find`: it fits, and no directory above it is left
/// out.
pub fn chooses(patterns: &Patterns, path: &str, is_directory: bool) -> bool {
    let mut ends = path.match_indices('/').map(|(end, _)| end);
    let is_entered = |end: usize| {
        let above = &path[..end];
        !patterns.excludes(Entry { path: above, name: last_part(above), is_directory: true })
    };
    patterns.includes(Entry { path, name: last_part(path), is_directory }) && ends.all(is_entered)
}

fn last_part(path: &str) -> &str {
    path.rsplit('/').next().unwrap_or_default()
}

impl Plan {
    /// Reduces the tree to what patterns choose.
    ///
    /// Errors: nothing is chosen, or directories alone.
    pub fn part(mut self, patterns: &Patterns) -> Result<Plan, ToolError> {
        let (mut kept, mut has_content) = (BTreeSet::new(), false);
        for (parts, node) in &self.nodes {
            work::charge(parts.len())?;
            if chooses(patterns, &parts.join("/"), node.kind == NodeKind::Folder) {
                has_content |= node.kind != NodeKind::Folder;
                kept.extend((1..=parts.len()).map(|depth| parts[..depth].to_vec()));
            }
        }
        if !has_content {
            return Err(nothing_fits(!kept.is_empty()));
        }
        self.move_contents(&kept);
        self.nodes.retain(|parts, _| kept.contains(parts));
        self.bytes = self.nodes.values().map(|node| self.size(node)).sum();
        Ok(self)
    }

    /// Gives the content of a file that is left out to the first of its hard links that is not, which others then copy.
    fn move_contents(&mut self, kept: &BTreeSet<Parts>) {
        let copies = self.nodes.iter().filter_map(|(parts, node)| match &node.kind {
            NodeKind::CopyOf(source) if kept.contains(parts) && !kept.contains(source) => {
                Some((source.clone(), parts.clone()))
            }
            _ => None,
        });
        let mut heirs = std::collections::BTreeMap::<Parts, Parts>::new();
        for (source, copy) in copies.collect::<Vec<_>>() {
            let size = self.nodes.get(&source).map_or(0, |node| node.size);
            let heir = heirs.entry(source).or_insert_with(|| copy.clone()).clone();
            let Some(node) = self.nodes.get_mut(&copy) else { continue };
            (node.kind, node.size) =
                if heir == copy { (NodeKind::File, size) } else { (NodeKind::CopyOf(heir), node.size) };
        }
        let taken: BTreeSet<Parts> = heirs.values().cloned().collect();
        for (_, parts) in &mut self.listed {
            match heirs.get(parts) {
                Some(heir) => *parts = heir.clone(),
                // Its own entry has no content.
                None if taken.contains(parts) => parts.clear(),
                None => {}
            }
        }
    }
}

fn nothing_fits(has_directories: bool) -> ToolError {
    let (found, hint) = if has_directories {
        ("directories alone fit", "`\"docs/**\"` means all that is in a directory")
    } else {
        ("nothing in the archive fits", "`FS.ListArchive` gives the paths in it")
    };
    ToolError::new(ToolCode::NotFound, format!("{found} `only`")).argument("only").hint(hint)
}
