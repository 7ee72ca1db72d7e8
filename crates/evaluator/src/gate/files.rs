//! Pages of the files of the sandbox, for a front end that offers them one by one: the files that a tool may read, and
//! no others.
//!
//! A page is a part of one listing: each directory before its contents, siblings in byte order. It continues after a
//! path, and skips directories that lie wholly before it without opening them, so that a late page costs no more than
//! the first one. Hidden names, links, names that are not UTF-8 and what `.gitignore` names are left out.

use std::cmp::Ordering;
use std::ops::ControlFlow;

use crate::limits::Meter;
use crate::sandbox::{IgnoreSources, ListingPlan, PathRule, Step};
use crate::toolkit::{Access, ToolError};

use super::assembly::Gate;
use super::call_record::CallRecord;
use super::caller::Caller;
use super::context::Context;
use super::listing::{Visit, Visited};

/// The position and size of a page.
#[derive(Clone, Copy, Debug)]
pub struct PageRequest<'a> {
    /// The path after which the page begins; `None` for the first page.
    pub after: Option<&'a str>,
    /// Maximum number of files.
    pub files: usize,
    /// Maximum number of entries to look at, files or not.
    pub entries: usize,
}

/// A file of a page.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PageFile {
    /// The path from the root.
    pub path: String,
    /// The size in bytes.
    pub size: u64,
}

/// A page of files.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FilePage {
    /// The files, in order.
    pub files: Vec<PageFile>,
    /// The directories that the page entered, in order, without the root.
    pub directories: Vec<String>,
    /// The path after which the next page begins; `None` for the last page.
    pub next: Option<String>,
    /// Number of entries that were looked at.
    seen: usize,
}

impl Gate {
    /// Returns a page of the files below the root. This is not a call, so the audit log records nothing.
    pub fn files_after(
        &self,
        request: PageRequest<'_>,
        Caller { meter, session }: Caller<'_>,
    ) -> Result<FilePage, ToolError> {
        let record = CallRecord::new("resources/list", Vec::new(), session);
        let mut context =
            Context { meter, answer_bytes: None, world: &self.world, admission: &self.admission, record: &record };
        let mut page = FilePage::default();
        for start in self.starts()? {
            let is_done = |after: &str| !start.is_empty() && is_wholly_before(&start, after);
            if request.after.is_some_and(is_done) {
                continue;
            }
            page.directories.extend((!start.is_empty()).then(|| start.clone()));
            self.add_below(&start, request, &mut context, &mut page)?;
            if page.next.is_some() {
                break;
            }
        }
        Ok(page)
    }

    /// Returns the directories whose files are listed, in order: the root, or the allowed directories if the policy
    /// refuses the root itself.
    fn starts(&self) -> Result<Vec<String>, ToolError> {
        let place = |path: &str| self.locator().place(path, PathRule::RELATIVE, Access::Look, |_| {});
        let refusal = match place(".") {
            Ok(_) => return Ok(vec![String::new()]),
            Err(refusal) => refusal,
        };
        let is_open = |path: &String| place(path).is_ok_and(|place| place.open_folder().is_ok());
        let mut starts: Vec<String> = self.admission.policy.allowed_paths().filter(is_open).collect();
        starts.sort_by(|one, other| order(one, other));
        starts.dedup_by(|one, before| *one == *before || one.starts_with(&format!("{before}/")));
        if starts.is_empty() { Err(refusal) } else { Ok(starts) }
    }

    /// Adds the files below a directory to a page, until it is full.
    fn add_below(
        &self,
        start: &str,
        request: PageRequest<'_>,
        context: &mut Context<'_>,
        page: &mut FilePage,
    ) -> Result<(), ToolError> {
        let place = self.locator().place(
            if start.is_empty() { "." } else { start },
            PathRule::RELATIVE,
            Access::Look,
            |_| {},
        )?;
        let prefix = if start.is_empty() { String::new() } else { format!("{start}/") };
        let plan = ListingPlan {
            levels: usize::MAX,
            ignored_by: Some(IgnoreSources::Tree),
            skip_hidden: true,
            opens: true,
            ..ListingPlan::default()
        };
        let enters =
            |below: &str| request.after.is_none_or(|after| !is_wholly_before(&format!("{prefix}{below}"), after));
        let mut take = |entry: &mut Visited<'_, '_>, meter: &mut Meter| -> Result<ControlFlow<()>, ToolError> {
            meter.poll()?;
            if entry.step == Step::Leave {
                return Ok(ControlFlow::Continue(()));
            }
            meter.step(1)?;
            page.seen += 1;
            let path = format!("{prefix}{}", entry.lister.path());
            self.add(entry, &path, request.after, page);
            let is_full = page.files.len() >= request.files || page.seen >= request.entries;
            if is_full {
                page.next = Some(path);
            }
            Ok(if is_full { ControlFlow::Break(()) } else { ControlFlow::Continue(()) })
        };
        context.visit(&place, Visit { plan, enters: Some(&enters) }, &mut take)
    }

    /// Adds an entry to a page, if it belongs there.
    fn add(&self, entry: &mut Visited<'_, '_>, path: &str, after: Option<&str>, page: &mut FilePage) {
        let lister = &mut *entry.lister;
        if lister.check_text("").is_err() {
            return;
        }
        if entry.step == Step::Enter {
            page.directories.push(path.to_owned());
        } else if lister.is_file()
            && after.is_none_or(|after| order(path, after) == Ordering::Greater)
            && self.admission.policy.admit_path(&lister.resolved_path(), false, Access::Read).is_ok()
            && let Ok(metadata) = lister.metadata()
        {
            page.files.push(PageFile { path: path.to_owned(), size: metadata.size });
        }
    }
}

/// Compares two paths by their place in a listing.
fn order(one: &str, other: &str) -> Ordering {
    one.split('/').cmp(other.split('/'))
}

/// Whether a directory and everything in it come before a path in a listing.
fn is_wholly_before(directory: &str, path: &str) -> bool {
    let is_above = path.strip_prefix(directory).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'));
    !is_above && order(directory, path) == Ordering::Less
}

#[cfg(test)]
mod tests {
    use super::is_wholly_before;

    #[test]
    fn a_directory_is_skipped_only_if_all_of_it_was_listed() {
        for (directory, path, is_before) in [
            ("a", "b", true),
            ("a", "a", false),
            ("a", "a/b", false),
            ("a/b", "a/c/d", true),
            ("a/c", "a/c/d", false),
            ("a/d", "a/c/d", false),
            ("a-b", "a/c", false),
            ("a", "a-b", true),
        ] {
            assert_eq!(is_wholly_before(directory, path), is_before, "{directory} {path}");
        }
    }
}
