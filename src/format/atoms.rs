//! What a statement is laid out from: texts, and places where lines may break, in groups.

use std::borrow::Cow;

/// A statement as it can be laid out.
#[derive(Debug, Default)]
pub struct Atoms<'a> {
    /// All atoms, in order.
    pub list: Vec<Atom<'a>>,
    /// The groups, by their numbers.
    pub groups: Vec<Group>,
    /// The groups that are being built, innermost last.
    open: Vec<usize>,
}

/// A piece of a statement.
#[derive(Debug)]
pub enum Atom<'a> {
    /// Text that is printed as it is.
    Text(Text<'a>),
    /// A comma that stands only where its group is broken.
    CommaIfBroken,
    /// A blank where no line breaks.
    Blank,
    /// A group begins.
    Begin(usize),
    /// The newest group ends.
    End,
    /// A place where a line may break.
    Break(Break),
    /// A line breaks.
    Newline(Newline),
    /// A comment at the end of its line.
    Comment(Cow<'a, str>),
}

/// A text with its widths.
#[derive(Debug)]
pub struct Text<'a> {
    /// What is printed.
    pub text: Cow<'a, str>,
    /// Characters of its first line.
    pub first: usize,
    /// Characters of its last line, where it has several.
    pub last: Option<usize>,
}

/// A place where a line may break.
#[derive(Clone, Copy, Debug)]
pub struct Break {
    /// Which lines break there.
    pub edge: Edge,
    /// Whether a blank stands there when the line does not break.
    pub blank: bool,
    /// Whether an empty line follows when it does.
    pub empty_line: bool,
    /// Whether the line breaks wherever its group is broken, though others break only where they must.
    pub kept: bool,
}

/// Where in its group a break stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Edge {
    /// After the opening bracket.
    Open,
    /// Between two parts.
    Between,
    /// Before the closing bracket.
    Close,
}

/// A line break that is always there.
#[derive(Clone, Copy, Debug)]
pub struct Newline {
    /// Whether it stands outside of brackets, so that a `\` joins the lines.
    pub joined: bool,
    /// Whether an empty line follows.
    pub empty_line: bool,
}

/// Atoms whose breaks belong together.
#[derive(Clone, Copy, Debug, Default)]
pub struct Group {
    /// Whether it is what brackets hold.
    pub brackets: bool,
    /// Whether each break is taken only where the next part does not fit, and not all of them.
    pub fill: bool,
    /// Whether its breaks need a `\`.
    pub joined: bool,
    /// How much further right its lines begin than the one in which it begins.
    pub indent: usize,
    /// Whether it cannot stand on one line.
    pub forced: bool,
    /// The group in it that is broken in its place, when what comes before that fits.
    pub hug: Option<usize>,
    /// Whether that group cannot stand on one line.
    pub hug_forced: bool,
    /// Where it ends.
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

    /// A break between two parts in brackets.
    pub fn part_break(&mut self, empty_line: bool, kept: bool) {
        self.list.push(Atom::Break(Break { edge: Edge::Between, blank: true, empty_line, kept }));
    }

    /// A line break that is always there; no group around it can stand on one line.
    pub fn newline(&mut self, joined: bool, empty_line: bool) {
        self.force();
        self.list.push(Atom::Newline(Newline { joined, empty_line }));
    }

    pub fn comment(&mut self, text: Cow<'a, str>) {
        self.force();
        self.list.push(Atom::Comment(text));
    }

    /// Whether the newest atom is a comment, after which a line must break.
    pub fn ends_in_comment(&self) -> bool {
        matches!(self.list.last(), Some(Atom::Comment(_)))
    }

    /// Begins a group and gives its number.
    pub fn begin(&mut self, group: Group) -> usize {
        let number = self.groups.len();
        self.groups.push(group);
        self.open.push(number);
        self.list.push(Atom::Begin(number));
        number
    }

    /// Ends the newest group.
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

    /// The groups around one that takes several lines: the nearest brackets take several too, unless
    /// they hug it.
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
