//! A plan as an HTML page: the tree of planned changes, and diffs side by side.
//!
//! The page is self-contained: it loads nothing from the network or the disk, and contains no scripts.

use std::fmt::Write as _;

use crate::engine::{Described, Difference};
use crate::terminal::changes;
use crate::terminal::paint::Paint;
use crate::text::markup;

const STYLE: &str = include_str!("page.css");

const COLUMNS: &str = "<colgroup><col class=\"number\"><col><col class=\"number\"><col></colgroup>\n";

/// Returns the page of a plan.
pub fn of_plan(command: &str, failed: bool, described: &[Described]) -> String {
    let mut page = String::new();
    let title = format!("Plan of {}", escaped(command));
    let _ = write!(
        page,
        "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'\">\n\
         <meta name=\"viewport\" content=\"width=device-width\">\n<title>{title}</title>\n<style>\n{STYLE}</style>\n\
         </head>\n<body>\n<h1>{title}</h1>\n<p>{}</p>\n",
        escaped(changes::summary(described).trim_end())
    );
    if failed {
        page.push_str("<p class=\"failed\">The run would fail after these changes.</p>\n");
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
    let (mut numbers, mut removed, mut added) = ((0, 0), Vec::new(), Vec::new());
    // The first two lines are the headers of the two sides.
    for line in unified.lines().skip(2) {
        match line.chars().next() {
            Some('-') => removed.push(&line[1..]),
            Some('+') => added.push(&line[1..]),
            Some('@') => {
                put_changed(page, &mut numbers, (&mut removed, &mut added));
                numbers = begins(line);
                let _ = writeln!(page, "<tr class=\"hunk\"><td colspan=\"4\">{}</td></tr>", escaped(line));
            }
            Some('\\') => {}
            _ => {
                put_changed(page, &mut numbers, (&mut removed, &mut added));
                let text = line.get(1..).unwrap_or_default();
                put_row(page, (Some((numbers.0, text, "")), Some((numbers.1, text, ""))));
                numbers = (numbers.0 + 1, numbers.1 + 1);
            }
        }
    }
    put_changed(page, &mut numbers, (&mut removed, &mut added));
    page.push_str("</table>\n");
}

/// Returns the first line numbers of a hunk, from its header `@@ -a,b +c,d @@`.
fn begins(head: &str) -> (usize, usize) {
    let number = |sign: char| {
        let part = head.split(' ').find_map(|part| part.strip_prefix(sign))?;
        part.split(',').next()?.parse().ok()
    };
    (number('-').unwrap_or(1), number('+').unwrap_or(1))
}

/// Writes replaced lines beside their replacements.
fn put_changed(page: &mut String, numbers: &mut (usize, usize), (removed, added): (&mut Vec<&str>, &mut Vec<&str>)) {
    for row in 0..removed.len().max(added.len()) {
        let old = removed.get(row).map(|text| (numbers.0 + row, *text, "deleted"));
        let new = added.get(row).map(|text| (numbers.1 + row, *text, "created"));
        put_row(page, (old, new));
    }
    *numbers = (numbers.0 + removed.len(), numbers.1 + added.len());
    removed.clear();
    added.clear();
}

type Side<'a> = Option<(usize, &'a str, &'a str)>;

fn put_row(page: &mut String, (old, new): (Side<'_>, Side<'_>)) {
    page.push_str("<tr>");
    for side in [old, new] {
        let _ = match side {
            Some((number, text, class)) => {
                write!(page, "<td class=\"number\">{number}</td><td class=\"{class}\">{}</td>", escaped(text))
            }
            None => write!(page, "<td class=\"number\"></td><td class=\"none\"></td>"),
        };
    }
    page.push_str("</tr>\n");
}

/// Escapes text for the page: no markup, and no invisible characters.
fn escaped(text: &str) -> String {
    let is_invisible = |c: char| c != '\t' && (c.is_control() || crate::text::safe::is_format(c));
    markup::escaped(text, is_invisible, |c, into| into.extend(c.escape_unicode()))
}
