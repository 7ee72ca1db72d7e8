//! What changed, as people see it: a tree with marks, and differences below it. Used for runs that are
//! over and for plans.
//!
//! Nothing here looks at the disk. Paths never reach a terminal as they are; contents do not either.

use std::fmt::Write as _;

use crate::engine::{Described, Difference, Holds, ShownChange, What};
use crate::text::safe;

/// Columns that the tree takes before what is said of a change, at most.
const WIDEST: usize = 60;
/// Spaces before the names in a folder.
const INDENT: usize = 2;

/// How text is put out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Paint {
    /// For programs and files: as it is.
    Plain,
    /// For a terminal without colours: what could change its state is escaped.
    Escaped,
    /// For a terminal with colours.
    Colored,
}

/// The changes as a tree: each with a mark, its name in its folder, and what is to be said of it.
///
/// The marks are `+` created, `~` changed, `>` moved, `-` deleted. Folders on the way have none.
pub fn tree(changes: &[Described], paint: Paint) -> String {
    let mut sorted: Vec<(Vec<String>, &Described)> =
        changes.iter().map(|described| (parts(&described.change), described)).collect();
    sorted.sort_by(|one, other| one.0.cmp(&other.0));
    let mut lines: Vec<Line<'_>> = Vec::new();
    let mut above: &[String] = &[];
    for (parts, described) in &sorted {
        let common = above.iter().zip(parts).take_while(|(one, other)| one == other).count();
        let folders = parts.len().saturating_sub(1);
        for (depth, folder) in parts.iter().enumerate().take(folders).skip(common) {
            lines.push(Line { mark: ' ', name: indented(depth, folder, true), about: String::new(), of: None });
        }
        let last = parts.last().map_or("", String::as_str);
        let name = indented(folders, last, described.change.is_folder);
        let mark = mark(&described.change.what);
        lines.push(Line { mark, name, about: about(described), of: Some(described) });
        // Only of a folder are others in it.
        above = parts;
    }
    let width = lines.iter().filter(|line| !line.about.is_empty()).map(Line::width).max().unwrap_or(0).min(WIDEST);
    lines.iter().fold(String::new(), |mut text, line| {
        line.put(&mut text, width, paint);
        text
    })
}

/// The differences of all contents that were compared as texts, in the unified format, one after another.
pub fn differences(changes: &[Described], paint: Paint) -> String {
    let mut text = String::new();
    let mut left_out = 0;
    for described in changes {
        if let Difference::Text(diff) = &described.difference {
            left_out += usize::from(diff.text.is_empty() && diff.added + diff.removed > 0);
            diff.text.split_terminator('\n').for_each(|line| put_difference(&mut text, line, paint));
        }
    }
    if left_out > 0 {
        let _ = writeln!(text, "\n{left_out} more differences are left out: together they are too long");
    }
    text
}

/// One line that says how much changed.
pub fn summary(changes: &[Described]) -> String {
    let words = [('+', "created"), ('~', "changed"), ('>', "moved"), ('-', "deleted")];
    let mut parts: Vec<String> = words.into_iter().filter_map(|(mark, word)| counted(changes, mark, word)).collect();
    let lines = changes.iter().fold((0, 0), |(added, removed), described| match &described.difference {
        Difference::Text(diff) => (added + diff.added, removed + diff.removed),
        _ => (added, removed),
    });
    if lines != (0, 0) {
        parts.push(format!("{} added, {} removed", counted_lines(lines.0), counted_lines(lines.1)));
    }
    if parts.is_empty() { "nothing is changed\n".to_owned() } else { parts.join(", ") + "\n" }
}

/// How many changes have a mark, and how much is in the folders among them that are one line.
fn counted(changes: &[Described], marked: char, word: &str) -> Option<String> {
    let marked: Vec<&ShownChange> =
        changes.iter().map(|it| &it.change).filter(|change| mark(&change.what) == marked).collect();
    let holds = marked.iter().filter_map(|change| change.holds).reduce(Holds::and);
    match (marked.len(), holds.filter(|holds| holds.files > 0)) {
        (0, _) => None,
        (count, None) => Some(format!("{count} {word}")),
        (1, Some(holds)) => Some(format!("1 {word} with {}", amount(holds))),
        (count, Some(holds)) => Some(format!("{count} {word}, directories among them with {}", amount(holds))),
    }
}

/// How much is in a folder: `4 files (2100 bytes)`.
fn amount(Holds { files, bytes }: Holds) -> String {
    let counted = |count: u64, word: &str| format!("{count} {word}{}", if count == 1 { "" } else { "s" });
    format!("{} ({})", counted(files, "file"), counted(bytes, "byte"))
}

/// A line of the tree.
struct Line<'a> {
    mark: char,
    name: String,
    /// What is said of the change.
    about: String,
    /// The change, if this is not a folder on the way to one.
    of: Option<&'a Described>,
}

impl Line<'_> {
    fn width(&self) -> usize {
        self.name.chars().count()
    }

    fn put(&self, text: &mut String, width: usize, paint: Paint) {
        let color = match (self.of, self.mark) {
            (None, _) => None,
            (_, '+') => Some(GREEN),
            (_, '-') => Some(RED),
            _ => Some(YELLOW),
        };
        let name = format!("{} {}", self.mark, self.name);
        text.push_str(&painted(name.trim_end(), color, paint));
        if !self.about.is_empty() {
            let gap = width.saturating_sub(self.width());
            let _ = write!(text, "{:gap$}  {}", "", self.about);
        }
        text.push('\n');
    }
}

/// The parts of a path; what lies below a further root begins with its path.
fn parts(change: &ShownChange) -> Vec<String> {
    let path = change.path.shown();
    let (root, rest) = if path.starts_with('/') { ("/", path.trim_start_matches('/')) } else { ("", &*path) };
    let mut parts: Vec<String> = rest.split('/').map(|part| safe::name(part).into_owned()).collect();
    if let Some(first) = parts.first_mut() {
        first.insert_str(0, root);
    }
    parts
}

fn indented(depth: usize, name: &str, is_folder: bool) -> String {
    let slash = if is_folder { "/" } else { "" };
    format!("{:indent$}{name}{slash}", "", indent = depth * INDENT)
}

fn mark(what: &What) -> char {
    match what {
        What::Created => '+',
        What::Changed | What::Mode(..) => '~',
        What::Moved(_) => '>',
        What::Deleted => '-',
    }
}

/// What is said of a change behind its name.
fn about(described: &Described) -> String {
    let Described { change, difference } = described;
    let what = match &change.what {
        What::Mode(before, after) => Some(format!("mode {before:04o} to {after:04o}")),
        What::Moved(from) => Some(format!("from {}", safe::name(&from.shown()))),
        What::Created | What::Changed | What::Deleted => None,
    };
    let difference = match difference {
        Difference::None => None,
        Difference::Text(diff) => Some(lines_of(diff.added, diff.removed)),
        Difference::Binary => Some(format!("binary, {}", sizes(change))),
        Difference::Unknown(why) => Some(format!("{}; {}", sizes(change), safe::name(why))),
    };
    let holds = change.holds.map(amount);
    what.into_iter().chain(holds).chain(difference).collect::<Vec<_>>().join(", ")
}

fn lines_of(added: usize, removed: usize) -> String {
    match (added, removed) {
        (0, 0) => "the same lines".to_owned(),
        (added, 0) => format!("+{added}"),
        (0, removed) => format!("-{removed}"),
        (added, removed) => format!("+{added} -{removed}"),
    }
}

fn counted_lines(lines: usize) -> String {
    if lines == 1 { "1 line".to_owned() } else { format!("{lines} lines") }
}

fn sizes(change: &ShownChange) -> String {
    match change.sizes {
        (Some(before), Some(after)) => format!("{before} to {after} bytes"),
        (Some(size), None) | (None, Some(size)) => format!("{size} bytes"),
        (None, None) => "no bytes".to_owned(),
    }
}

const GREEN: &str = "\x1b[32m";
const RED: &str = "\x1b[31m";
const YELLOW: &str = "\x1b[33m";
const CYAN: &str = "\x1b[36m";
const PLAIN: &str = "\x1b[0m";

fn painted(text: &str, color: Option<&str>, paint: Paint) -> String {
    match (color, paint) {
        (Some(color), Paint::Colored) => format!("{color}{text}{PLAIN}"),
        _ => text.to_owned(),
    }
}

fn put_difference(text: &mut String, line: &str, paint: Paint) {
    if paint == Paint::Plain {
        text.push_str(line);
    } else {
        let color = match line.as_bytes().first() {
            Some(b'+') => Some(GREEN),
            Some(b'-') => Some(RED),
            Some(b'@') => Some(CYAN),
            _ => None,
        };
        // What could change the terminal's state is shown as an escape.
        text.push_str(&painted(&safe::prose(line), color, paint));
    }
    text.push('\n');
}
