//! Lays out a statement within the line width: decides which groups fit on one line.
//!
//! One pass over the atoms with a stack of open groups; the lookahead is at most one line, so the time is linear.
//! Whether a group fits does not depend on which of its parts are already on lines of their own, so a second pass makes
//! the same decisions as the first.

use super::atoms::{Atom, Atoms, Break, Edge, Group, Newline};
use super::atoms_of::CONTINUED;

/// Maximum number of columns in a line.
const WIDTH: usize = 100;
/// The text before a line break outside brackets.
const JOIN: &str = " \\";

/// Prints atoms after `base` blanks, which are also printed. Returns the number of columns of the last line.
pub fn lay_out(atoms: &Atoms<'_>, base: usize, line_end: &str, out: &mut String) -> usize {
    let mut layout = Layout {
        atoms,
        base,
        line_end,
        out,
        column: 0,
        line_indent: base,
        is_fresh: true,
        modes: Vec::new(),
        hugged: None,
    };
    layout.indent(base);
    layout.modes.push(Mode { broken: false, fill: false, joined: true, indent: base + CONTINUED, outer: base });
    for (at, atom) in atoms.list.iter().enumerate() {
        layout.atom(at, atom);
    }
    layout.column
}

/// The state of an open group.
#[derive(Clone, Copy)]
struct Mode {
    broken: bool,
    fill: bool,
    joined: bool,
    /// Indentation of its lines.
    indent: usize,
    /// Indentation of the line that closes it.
    outer: usize,
}

struct Layout<'l, 'a> {
    atoms: &'l Atoms<'a>,
    base: usize,
    line_end: &'l str,
    out: &'l mut String,
    column: usize,
    /// Indentation of the current line.
    line_indent: usize,
    /// Whether the current line is still empty.
    is_fresh: bool,
    modes: Vec<Mode>,
    /// The group that is broken because its enclosing group hugs it.
    hugged: Option<usize>,
}

/// The extent of a lookahead.
#[derive(Clone, Copy)]
enum Until {
    /// To the end of a group, and on to the next possible line break.
    Group(usize),
    /// To the next break of the current group.
    Break,
    /// To the start of a group.
    Begin(usize),
}

impl Layout<'_, '_> {
    fn atom(&mut self, at: usize, atom: &Atom<'_>) {
        match atom {
            Atom::Text(text) => {
                self.is_fresh = false;
                self.out.push_str(&text.text);
                self.column = text.last.unwrap_or(self.column + text.first);
            }
            Atom::CommaIfBroken if self.mode().broken => self.push(","),
            Atom::CommaIfBroken => {}
            Atom::Blank => self.push(" "),
            Atom::Begin(number) => self.begin(at, *number),
            Atom::End => drop(self.modes.pop()),
            Atom::Break(found) => self.line_break(at, *found),
            Atom::Newline(Newline { joined, empty_line }) => {
                let indent = if *joined { self.base + CONTINUED } else { self.mode().indent };
                self.new_line(*joined, *empty_line, indent);
            }
            Atom::Comment(text) => {
                if !self.is_fresh {
                    self.push("  ");
                }
                self.push(text);
            }
        }
    }

    fn mode(&self) -> Mode {
        *self.modes.last().expect("a mode for the statement itself is always there")
    }

    fn push(&mut self, text: &str) {
        self.out.push_str(text);
        self.column += text.chars().count();
    }

    fn indent(&mut self, columns: usize) {
        self.out.extend(std::iter::repeat_n(' ', columns));
        self.column = columns;
        self.line_indent = columns;
        self.is_fresh = true;
    }

    fn new_line(&mut self, joined: bool, empty_line: bool, indent: usize) {
        if joined {
            self.out.push_str(JOIN);
        }
        self.out.push_str(self.line_end);
        if empty_line {
            self.out.push_str(self.line_end);
        }
        self.indent(indent);
    }

    fn begin(&mut self, at: usize, number: usize) {
        let group = &self.atoms.groups[number];
        let outer = self.line_indent;
        let indent = if group.joined { self.base } else { outer } + group.indent;
        let broken = self.is_broken(at, number, group);
        self.modes.push(Mode { broken, fill: group.fill, joined: group.joined, indent, outer });
    }

    fn is_broken(&mut self, at: usize, number: usize, group: &Group) -> bool {
        if group.forced || self.hugged.take_if(|hugged| *hugged == number).is_some() {
            return true;
        }
        let stays = !group.hug_forced || !group.brackets;
        if stays && (self.is_inside_line() || self.fits(at, Until::Group(group.end))) {
            return false;
        }
        let Some(hugged) = group.hug.filter(|hugged| self.fits(at, Until::Begin(*hugged))) else { return true };
        self.hugged = Some(hugged);
        false
    }

    /// Returns whether the current group is printed on one line, and with it everything inside.
    fn is_inside_line(&self) -> bool {
        self.modes.len() > 1 && !self.mode().broken
    }

    fn line_break(&mut self, at: usize, found: Break) {
        let mode = self.mode();
        let stays = mode.fill && found.edge == Edge::Between && !found.kept && self.fits(at, Until::Break);
        if !mode.broken || stays {
            if found.blank {
                self.push(" ");
            }
            return;
        }
        let indent = if found.edge == Edge::Close { mode.outer } else { mode.indent };
        self.new_line(mode.joined, found.empty_line, indent);
    }

    /// Returns whether the atoms from `from` on fit on the line, as if no part needed lines of its own.
    fn fits(&self, from: usize, until: Until) -> bool {
        let mut column = self.column;
        // Index in `modes` of the group that the lookahead is in.
        let mut level = self.modes.len() - 1;
        let mut inside = 0;
        for (at, atom) in self.atoms.list.iter().enumerate().skip(from) {
            let left = matches!(until, Until::Group(end) if at > end) || matches!(until, Until::Break if at > from);
            match atom {
                Atom::Text(text) => {
                    column += text.first;
                    if text.last.is_some() {
                        break;
                    }
                }
                Atom::Blank => column += 1,
                Atom::Begin(number) => match until {
                    Until::Begin(wanted) if wanted == *number => break,
                    Until::Group(_) if left && self.atoms.groups[*number].brackets => break,
                    _ => inside += 1,
                },
                Atom::End if inside > 0 => inside -= 1,
                Atom::End => level = level.saturating_sub(1),
                Atom::Break(_) if left && inside == 0 && self.modes[level].broken => {
                    let join = if self.modes[level].joined { JOIN.len() } else { 0 };
                    return column + join <= WIDTH;
                }
                Atom::Break(found) => column += usize::from(found.blank),
                Atom::Newline(newline) => {
                    let join = if newline.joined { JOIN.len() } else { 0 };
                    return column + join <= WIDTH;
                }
                Atom::CommaIfBroken | Atom::Comment(_) => {}
            }
            if column > WIDTH {
                return false;
            }
        }
        column <= WIDTH
    }
}
