//! Changes for display: a tree with marks, followed by the diffs. Used for finished runs and for plans.
//!
//! This module does not access the file system. Paths and contents are escaped before they reach a terminal.

use std::fmt::Write as _;

use crate::engine::{ChangeKind, ChangeReport, Described, Difference, Holds, time_span};
use crate::text::safe;

use super::paint::Paint;

/// Maximum width in columns of the names in the tree, before the descriptions.
const WIDEST: usize = 60;
/// Indentation for each level of directories.
const INDENT: usize = 2;

/// Formats the changes as a tree: each with a mark, its name and a description.
///
/// The marks are `+` created, `~` changed, `>` moved, `-` deleted. Directories that only lead to a change have none.
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
        // Only directories have descendants here, so comparing with the previous path suffices.
        above = parts;
    }
    let width = lines.iter().filter(|line| !line.about.is_empty()).map(Line::width).max().unwrap_or(0).min(WIDEST);
    lines.iter().fold(String::new(), |mut text, line| {
        line.put(&mut text, width, paint);
        text
    })
}

/// Concatenates the unified diffs of all contents that were compared as text.
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

/// Returns one line with the numbers of changes.
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

/// Formats the changes: the tree, their numbers, and the diffs.
pub fn page(described: &[Described], paint: Paint) -> String {
    let mut text = format!("{}\n{}", tree(described, paint), summary(described));
    let differences = differences(described, paint);
    if !differences.is_empty() {
        text.push_str(&format!("\n{differences}"));
    }
    text
}

/// Formats the number of changes with a mark, and the contents of the directories among them that are one line each.
/// Returns `None` if there is no such change.
fn counted(changes: &[Described], marked: char, word: &str) -> Option<String> {
    let marked: Vec<&ChangeReport> =
        changes.iter().map(|it| &it.change).filter(|change| mark(&change.what) == marked).collect();
    let holds = marked.iter().filter_map(|change| change.holds).reduce(Holds::and);
    match (marked.len(), holds.filter(|holds| holds.files > 0)) {
        (0, _) => None,
        (count, None) => Some(format!("{count} {word}")),
        (1, Some(holds)) => Some(format!("1 {word} with {}", amount(holds))),
        (count, Some(holds)) => Some(format!("{count} {word}, directories among them with {}", amount(holds))),
    }
}

/// Formats the contents of a directory: `4 files (2100 bytes)`.
fn amount(Holds { files, bytes }: Holds) -> String {
    let counted = |count: u64, word: &str| format!("{count} {word}{}", if count == 1 { "" } else { "s" });
    format!("{} ({})", counted(files, "file"), counted(bytes, "byte"))
}

/// A line of the tree.
struct Line<'a> {
    mark: char,
    name: String,
    /// The description of the change.
    about: String,
    /// The change; `None` for a directory that only leads to one.
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

/// Splits a path into its parts. A path below a further root begins with the path of that root.
fn parts(change: &ChangeReport) -> Vec<String> {
    let path = change.path.display();
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

fn mark(what: &ChangeKind) -> char {
    match what {
        ChangeKind::Created => '+',
        ChangeKind::Changed | ChangeKind::Mode(..) | ChangeKind::Modified(..) => '~',
        ChangeKind::Moved(_) => '>',
        ChangeKind::Deleted => '-',
    }
}

/// Returns the description that follows the name of a change.
fn about(described: &Described) -> String {
    let Described { change, difference } = described;
    let what = match &change.what {
        ChangeKind::Mode(before, after) => Some(format!("mode {before:04o} to {after:04o}")),
        ChangeKind::Modified(before, after) => Some(format!("time {}", time_span(*before, *after))),
        ChangeKind::Moved(from) => Some(format!("from {}", safe::name(&from.display()))),
        ChangeKind::Created | ChangeKind::Changed | ChangeKind::Deleted => None,
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

fn sizes(change: &ChangeReport) -> String {
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
        // Escape sequences that could change the state of the terminal.
        text.push_str(&painted(&safe::prose(line), color, paint));
    }
    text.push('\n');
}
