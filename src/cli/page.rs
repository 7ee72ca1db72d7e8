//! A plan as an HTML page: the tree of planned changes, and diffs side by side.
//!
//! The page is self-contained: it loads nothing from the network or the disk, and contains no scripts.

use std::fmt::Write as _;

use crate::engine::{Described, Difference, PlanAbout};
use crate::terminal::changes;
use crate::terminal::paint::Paint;
use crate::text::{markup, safe};

const STYLE: &str = include_str!("page.css");

const COLUMNS: &str = "<colgroup><col class=\"number\"><col><col class=\"number\"><col></colgroup>\n";

/// Returns the page of a plan.
pub fn of_plan(about: &PlanAbout, described: &[Described]) -> String {
    let mut page = String::new();
    let title = format!("Plan of {}", escaped(&about.command));
    let _ = write!(
        page,
        "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'\">\n\
         <meta name=\"viewport\" content=\"width=device-width\">\n<title>{title}</title>\n<style>\n{STYLE}</style>\n\
         </head>\n<body>\n<h1>{title}</h1>\n<p>{}</p>\n",
        escaped(changes::summary(described).trim_end())
    );
    if about.failed {
        page.push_str("<p class=\"failed\">The run would fail after these changes.</p>\n");
    }
    if !about.refused.is_empty() {
        let lines: String = about.refused.lines().map(|line| format!("<li>{}</li>\n", escaped(&line))).collect();
        let _ = write!(page, "<p class=\"failed\">Refused while it was planned:</p>\n<ul>\n{lines}</ul>\n");
    }
    page.push_str("<pre class=\"tree\">");
    for line in changes::tree(described, Paint::Escaped).lines() {
        let class = class_of(line.chars().next().unwrap_or(' '));
        let _ = writeln!(page, "<span class=\"{class}\">{}</span>", escaped(line));
    }
    page.push_str("</pre>\n");
    for described in described {
        if let Difference::Text(diff) = &described.difference
            && !diff.text.is_empty()
        {
            put_difference(&mut page, &described.change.path.display(), &diff.text);
        }
    }
    page.push_str("</body>\n</html>\n");
    page
}

fn class_of(mark: char) -> &'static str {
    match mark {
        '+' => "created",
        '~' => "changed",
        '>' => "moved",
        '-' => "deleted",
        _ => "folder",
    }
}

/// Writes a diff as a table with two sides.
fn put_difference(page: &mut String, path: &str, unified: &str) {
    let _ = write!(page, "<h2>{}</h2>\n<table>\n{COLUMNS}", escaped(path));
    let mut table = DiffTable { page, old: Side::default(), new: Side::default() };
    // The first two lines are the headers of the two sides.
    for line in unified.lines().skip(2) {
        match line.chars().next() {
            Some('-') => table.old.changed.push(&line[1..]),
            Some('+') => table.new.changed.push(&line[1..]),
            Some('@') => table.begin_hunk(line),
            Some('\\') => {}
            _ => table.put_unchanged(line.get(1..).unwrap_or_default()),
        }
    }
    table.put_changed();
    page.push_str("</table>\n");
}

/// The table of a diff, as far as it is written.
struct DiffTable<'a> {
    page: &'a mut String,
    old: Side<'a>,
    new: Side<'a>,
}

/// One side of a diff.
#[derive(Default)]
struct Side<'a> {
    /// The number of the next line.
    next: usize,
    /// Removed or added lines that are not written yet.
    changed: Vec<&'a str>,
}

/// A line of one side, with its number.
struct Cell<'a> {
    number: usize,
    text: &'a str,
    class: &'static str,
}

impl<'a> Side<'a> {
    /// Returns the cell of a changed line, or `None` behind the last one.
    fn cell(&self, row: usize, class: &'static str) -> Option<Cell<'a>> {
        self.changed.get(row).map(|text| Cell { number: self.next + row, text, class })
    }

    /// Passes over the changed lines, which are written now.
    fn pass(&mut self) {
        self.next += self.changed.len();
        self.changed.clear();
    }
}

impl DiffTable<'_> {
    /// Begins a hunk with its header `@@ -a,b +c,d @@`.
    fn begin_hunk(&mut self, head: &str) {
        self.put_changed();
        self.old.next = first_line(head, '-');
        self.new.next = first_line(head, '+');
        let _ = writeln!(self.page, "<tr class=\"hunk\"><td colspan=\"4\">{}</td></tr>", escaped(head));
    }

    /// Writes a line that both sides have.
    fn put_unchanged(&mut self, text: &str) {
        self.put_changed();
        let (old, new) = (self.old.next, self.new.next);
        self.put_row([old, new].map(|number| Some(Cell { number, text, class: "" })));
        self.old.next += 1;
        self.new.next += 1;
    }

    /// Writes replaced lines beside their replacements.
    fn put_changed(&mut self) {
        for row in 0..self.old.changed.len().max(self.new.changed.len()) {
            self.put_row([self.old.cell(row, "deleted"), self.new.cell(row, "created")]);
        }
        self.old.pass();
        self.new.pass();
    }

    fn put_row(&mut self, cells: [Option<Cell<'_>>; 2]) {
        self.page.push_str("<tr>");
        for cell in cells {
            let _ = match cell {
                Some(Cell { number, text, class }) => {
                    let text = escaped(text);
                    write!(self.page, "<td class=\"number\">{number}</td><td class=\"{class}\">{text}</td>")
                }
                None => write!(self.page, "<td class=\"number\"></td><td class=\"none\"></td>"),
            };
        }
        self.page.push_str("</tr>\n");
    }
}

/// Returns the first line number of one side of a hunk, from its header.
fn first_line(head: &str, sign: char) -> usize {
    let part = head.split(' ').find_map(|part| part.strip_prefix(sign));
    part.and_then(|part| part.split(',').next()?.parse().ok()).unwrap_or(1)
}

/// Escapes text for the page: no markup, and no invisible characters.
fn escaped(text: &str) -> String {
    markup::escaped(&safe::line(text), |_| false, |_, _| {})
}
