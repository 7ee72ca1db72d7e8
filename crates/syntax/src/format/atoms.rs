//! The layout input of a statement: texts and possible line breaks, in groups.

use std::borrow::Cow;

/// A statement in a form that can be laid out.
#[derive(Debug, Default)]
pub struct Atoms<'a> {
    /// All atoms, in order.
    pub list: Vec<Atom<'a>>,
    /// The groups, by number.
    pub groups: Vec<Group>,
    /// The groups under construction, innermost last.
    open: Vec<usize>,
}

/// A piece of a statement.
#[derive(Debug)]
pub enum Atom<'a> {
    /// Text that is printed unchanged.
    Text(Text<'a>),
    /// A comma that is printed only if its group is broken.
    CommaIfBroken,
    /// A blank at which no line breaks.
    Blank,
    /// The start of a group.
    Begin(usize),
    /// The end of the innermost open group.
    End,
    /// A possible line break.
    Break(Break),
    /// A forced line break.
    Newline(Newline),
    /// A comment at the end of its line.
    Comment(Cow<'a, str>),
}

/// A text with its widths.
#[derive(Debug)]
pub struct Text<'a> {
    /// The text to print.
    pub text: Cow<'a, str>,
    /// Number of characters in its first line.
    pub first: usize,
    /// Number of characters in its last line, if it has several.
    pub last: Option<usize>,
}

/// A possible line break.
#[derive(Clone, Copy, Debug)]
pub struct Break {
    /// The position in its group.
    pub edge: Edge,
    /// Whether a blank is printed if the line does not break.
    pub blank: bool,
    /// Whether an empty line follows if the line breaks.
    pub empty_line: bool,
    /// Whether the line breaks whenever the group is broken, even in a group that fills its lines.
    pub kept: bool,
}

/// The position of a break in its group.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Edge {
    /// After the opening bracket.
    Open,
    /// Between two parts.
    Between,
    /// Before the closing bracket.
    Close,
}

/// A forced line break.
#[derive(Clone, Copy, Debug)]
pub struct Newline {
    /// Whether it is outside brackets, so that a `\` must join the lines.
    pub joined: bool,
    /// Whether an empty line follows.
    pub empty_line: bool,
}

/// Atoms whose breaks are decided together.
#[derive(Clone, Copy, Debug, Default)]
pub struct Group {
    /// Whether the group is the contents of a bracket.
    pub brackets: bool,
    /// Whether a break is taken only if the next part does not fit, instead of all breaks together.
    pub fill: bool,
    /// Whether its breaks need a `\`.
    pub joined: bool,
    /// Indentation of its lines relative to the line in which it begins.
    pub indent: usize,
    /// Whether it cannot be printed on one line.
    pub forced: bool,
    /// The nested group that is broken instead of this one, if the atoms before it fit.
    pub hug: Option<usize>,
    /// Whether that nested group cannot be printed on one line.
    pub hug_forced: bool,
    /// Index of its end atom.
    pub end: usize,
}

impl<'a> Atoms<'a> {
    pub fn text(&mut self, text: Cow<'a, str>) {
        let mut lines = text.split('\n');
        let first = lines.next().unwrap_or_default().chars().count();
        let last = lines.next_back().map(|line| line.chars().count());
        self.list.push(Atom::Text(Text { first, last, text }));
    }

    pub fn blank(&mut self) {
        self.list.push(Atom::Blank);
    }

    pub fn comma_if_broken(&mut self) {
        self.list.push(Atom::CommaIfBroken);
    }

    pub fn line_break(&mut self, edge: Edge, blank: bool) {
        self.list.push(Atom::Break(Break { edge, blank, empty_line: false, kept: false }));
    }

    /// Adds a break between two parts in brackets.
    pub fn part_break(&mut self, empty_line: bool, kept: bool) {
        self.list.push(Atom::Break(Break { edge: Edge::Between, blank: true, empty_line, kept }));
    }

    /// Adds a forced line break; no enclosing group can be printed on one line.
    pub fn newline(&mut self, joined: bool, empty_line: bool) {
        self.force();
        self.list.push(Atom::Newline(Newline { joined, empty_line }));
    }

    pub fn comment(&mut self, text: Cow<'a, str>) {
        self.force();
        self.list.push(Atom::Comment(text));
    }

    /// Returns whether the last atom is a comment, after which the line must break.
    pub fn ends_in_comment(&self) -> bool {
        matches!(self.list.last(), Some(Atom::Comment(_)))
    }

    /// Starts a group and returns its number.
    pub fn begin(&mut self, group: Group) -> usize {
        let number = self.groups.len();
        self.groups.push(group);
        self.open.push(number);
        self.list.push(Atom::Begin(number));
        number
    }

    /// Ends the innermost group.
    pub fn end(&mut self) {
        let number = self.open.pop().expect("a group is ended once");
        self.list.push(Atom::End);
        let group = &mut self.groups[number];
        group.end = self.list.len() - 1;
        let spreads = group.brackets && (group.forced || group.hug_forced);
        if spreads {
            self.spread(number);
        }
    }

    /// Propagates a multi-line group to its enclosing groups: the nearest brackets also take several lines unless they
    /// hug the group.
    fn spread(&mut self, number: usize) {
        for &outer in self.open.iter().rev() {
            let outer = &mut self.groups[outer];
            if outer.hug == Some(number) {
                outer.hug_forced = true;
            } else if outer.brackets {
                outer.forced = true;
            }
            if outer.brackets {
                return;
            }
        }
    }

    fn force(&mut self) {
        for &number in self.open.iter().rev() {
            self.groups[number].forced = true;
            if self.groups[number].brackets {
                return;
            }
        }
    }
}
