//! Formats a listing as lines: an indented tree, or a flat list of paths.

use crate::limits::LimitHit;
use crate::sandbox::{ListedAs, Lister, Step};
use crate::value::Value;

use super::{Filter, Form, Page};

/// Lines under construction.
pub struct Lines {
    page: Page,
    filter: Filter,
    show_data: bool,
    /// Number of open directories, including the listed one.
    depth: usize,
}

impl Lines {
    pub fn new(mut page: Page, filter: Filter, show_data: bool, start: &str) -> Lines {
        if filter == Filter::Both {
            page.text.push_str(start.trim_end_matches('/'));
            page.text.push_str(if show_data { "/ (folder)" } else { "/" });
        }
        Lines { page, filter, show_data, depth: 1 }
    }

    fn line(&mut self, indent: usize, name: &str, lister: &Lister<'_>) -> Result<(), LimitHit> {
        let target = if self.show_data { lister.target() } else { "".into() };
        // The text around a name is shorter than 16 bytes.
        self.page.check(indent + name.len() + target.len() + 16)?;
        if !self.page.text.is_empty() {
            self.page.text.push('\n');
        }
        self.page.indent(indent);
        let text = &mut self.page.text;
        text.push_str(name);
        if lister.listed_as() == ListedAs::Folder && self.filter == Filter::Both {
            text.push('/');
        }
        match (self.show_data, lister.listed_as()) {
            (false, _) => {}
            (true, ListedAs::File) => text.push_str(" (file)"),
            (true, ListedAs::Folder) => text.push_str(" (folder)"),
            (true, ListedAs::DeadLink) => text.push_str(" (link)"),
            (true, ListedAs::Link) => {
                text.push_str(" (link -> ");
                text.push_str(&target);
                text.push(')');
            }
        }
        Ok(())
    }
}

impl Form for Lines {
    fn take(&mut self, lister: &Lister<'_>, step: Step) -> Result<(), LimitHit> {
        if self.filter != Filter::Both {
            return if self.filter.shows(lister, step) { self.line(0, &lister.path(), lister) } else { Ok(()) };
        }
        match step {
            Step::Entry => self.line(2 * self.depth, &lister.name(), lister)?,
            Step::Enter => {
                self.line(2 * self.depth, &lister.name(), lister)?;
                self.depth += 1;
            }
            Step::Leave => self.depth -= 1,
        }
        Ok(())
    }

    fn finish(self) -> Result<Value, LimitHit> {
        Ok(self.page.into_value())
    }
}
