//! A cache of parsed logical lines. After an edit, only new lines are parsed; the others are copied and relocated.
//!
//! A line without findings has the same tree everywhere except for its offsets and expression numbers, so the result
//! equals that of a full parse.

use std::collections::HashMap;

use super::super::ast::relocate::Distance;
use super::super::ast::{Expr, Tree};
use super::TextLimits;
use super::stmt::{Head, Parsed};

/// Maximum size in bytes of cached lines that the text no longer has, in addition to the size of those that it has.
const SPARE_BYTES: usize = 256 << 10;

/// Lines that were parsed, by their texts.
#[derive(Default)]
pub struct KnownLines {
    lines: HashMap<Box<str>, KnownLine>,
    /// Total size of the lines.
    bytes: usize,
    /// Size of the lines that the current parse has met.
    live_bytes: usize,
    /// The number of the current parse.
    parse: u64,
    /// Number of lines that were copied.
    #[cfg(test)]
    copied: usize,
    /// The limits that the lines were parsed with.
    limits: (usize, usize),
}

/// A parsed line.
struct KnownLine {
    parsed: Parsed,
    /// Its expressions, which are next to each other in the arena.
    exprs: Vec<Expr>,
    /// Where it stood.
    place: LinePlace,
    /// The last parse that had the line.
    parse: u64,
}

/// The place of a line in its text and in the arena.
#[derive(Clone, Copy)]
pub struct LinePlace {
    /// Offset of its first byte.
    pub base: usize,
    /// Number of expressions before its own.
    pub exprs: usize,
}

impl KnownLines {
    /// Forgets all lines if they were parsed with other limits.
    pub(super) fn admit(&mut self, limits: TextLimits) {
        let limits = (limits.nesting, limits.operators);
        if limits != self.limits {
            *self = KnownLines { limits, ..KnownLines::default() };
        }
    }

    /// Ends the parse of a script and its modules. Forgets the lines that they do not have, if they are many. A few stay
    /// for a while, since they often come back: an open quote turns all lines behind it into a text until it is closed.
    pub fn end_parse(&mut self) {
        if self.bytes > 2 * self.live_bytes + SPARE_BYTES {
            let parse = self.parse;
            self.lines.retain(|_, line| line.parse == parse);
            self.bytes = self.live_bytes;
        }
        self.parse += 1;
        self.live_bytes = 0;
    }

    /// Adds the parts of a line to a tree, if the line is known.
    pub(super) fn place(&mut self, text: &str, base: usize, tree: &mut Tree) -> Option<Parsed> {
        let line = self.lines.get_mut(text)?;
        if line.parse != self.parse {
            line.parse = self.parse;
            self.live_bytes += line.size(text);
        }
        #[cfg(test)]
        {
            self.copied += 1;
        }
        let distance = Distance {
            bytes: (base as u32).wrapping_sub(line.place.base as u32),
            exprs: (tree.exprs().len() as u32).wrapping_sub(line.place.exprs as u32),
        };
        tree.extend(line.exprs.iter().map(|expr| {
            let mut expr = expr.clone();
            distance.relocate_expr(&mut expr);
            expr
        }));
        let mut parsed = line.parsed.clone();
        relocate(&mut parsed, distance);
        Some(parsed)
    }

    /// Keeps a line that was parsed without findings.
    pub(super) fn keep(&mut self, text: &str, place: LinePlace, parsed: &Parsed, tree: &Tree) {
        let exprs = tree.exprs()[place.exprs..].to_vec();
        let line = KnownLine { parsed: parsed.clone(), exprs, place, parse: self.parse };
        let size = line.size(text);
        self.bytes += size;
        self.live_bytes += size;
        self.lines.insert(text.into(), line);
    }
}

impl KnownLine {
    /// Returns the approximate size in bytes.
    fn size(&self, text: &str) -> usize {
        2 * text.len() + self.exprs.len() * size_of::<Expr>()
    }
}

fn relocate(parsed: &mut Parsed, distance: Distance) {
    match parsed {
        Parsed::Plain(kind) => distance.relocate_statement(kind),
        Parsed::Opens(Head::If(condition) | Head::While(condition)) | Parsed::ElseIf(condition) => {
            distance.id(condition);
        }
        Parsed::Opens(Head::For { first, second, list }) => {
            distance.name(first);
            second.iter_mut().for_each(|name| distance.name(name));
            distance.id(list);
        }
        Parsed::Opens(Head::OnError(name)) => name.iter_mut().for_each(|name| distance.name(name)),
        Parsed::Opens(Head::Procedure(procedure) | Head::Func(procedure)) => distance.relocate_head(procedure),
        Parsed::Opens(Head::Command) | Parsed::Else | Parsed::Closes(_) | Parsed::Version(_) | Parsed::Broken(..) => {}
    }
}

#[cfg(test)]
mod tests {
    use super::KnownLines;
    use crate::syntax::{TextLimits, parse, parse_again};
    use crate::text::Sources;

    /// Lines and their parts: every form of statement and expression, and what opens or closes texts and brackets.
    const PIECES: [&str; 36] = [
        "SET x, y[1].k = f(a, b: 2)\n",
        "SET m = {\"k\": [1, 2.5, nil], 'l': {\"n\": -x ** 2}}\n",
        "EMIT x + 1 * 2 - LAST, NOT a AND b OR c\n",
        "EMIT ```a {{x.y}} b```\n",
        "EMIT {{x.y}}, (x), m[\"k\"][0].n, TIME.Now()\n",
        "IF x > 1 THEN\n",
        "ELSE IF y IN [1, 2] THEN\n",
        "ELSE\n",
        "WHILE x DO\n",
        "FOR EACH k, v IN m DO\n",
        "ON ERROR AS e DO\n",
        "DEFINE PROCEDURE F(a, b: [1])\n",
        "func G needs a optional b: 2 returns c means\n",
        "COMMENT:\n  words\nENDCOMMENT\n",
        "END\n",
        "ENDIF\n",
        "USE \"m.ns\" AS m\n",
        "CALL FS.Stat(\"a\")\n",
        "MUST x, \"message\"\n",
        "FAIL \"e\"\n",
        "RETURN a, b\n",
        "BREAK\n",
        ":: key: value\n",
        "FILE_VERSION \"1\"\n",
        "# comment\n",
        "\n",
        "  ",
        "\"",
        "'''",
        "```",
        "(",
        "é = \u{1F600} \\\n",
        "x",
        "}",
        "\r\n",
        "\u{feff}",
    ];

    /// A small generator of numbers (xorshift).
    struct Numbers(u64);

    impl Numbers {
        fn below(&mut self, end: usize) -> usize {
            self.0 ^= self.0 << 13;
            self.0 ^= self.0 >> 7;
            self.0 ^= self.0 << 17;
            (self.0 % end as u64) as usize
        }
    }

    /// 150 edits, a million with `NS_LONG=1`.
    #[test]
    fn a_text_that_is_parsed_again_has_the_tree_of_a_new_one() {
        let edits = if std::env::var_os("NS_LONG").is_some() { 1_000_000 } else { 150 };
        let limits = TextLimits { nesting: 8, operators: 4, deadline: None };
        let mut numbers = Numbers(0x9E37_79B9_7F4A_7C15);
        let (mut known, mut copied) = (KnownLines::default(), 0);
        let mut text = String::new();
        for edit in 0..edits {
            if edit % 75 == 0 {
                copied += std::mem::take(&mut known).copied;
                text = (0..40).map(|_| PIECES[numbers.below(26)]).collect();
            }
            let at = text.floor_char_boundary(numbers.below(text.len() + 1));
            let length = if numbers.below(3) > 0 || text.len() < 800 { 0 } else { numbers.below(60) };
            let end = text.floor_char_boundary((at + length).min(text.len())).max(at);
            text.replace_range(at..end, PIECES[numbers.below(PIECES.len())]);
            let tree = |known: Option<&mut KnownLines>| {
                let mut sources = Sources::new();
                // A text before it moves all spans.
                sources.add("before", "x".repeat(edit % 7));
                let source = sources.add("a.ns", text.as_str());
                let mut findings = Vec::new();
                let tree = match known {
                    Some(known) => parse_again(source, limits, &mut findings, known),
                    None => parse(source, limits, &mut findings),
                };
                format!("{tree:?} {findings:?}")
            };
            let again = tree(Some(&mut known));
            known.end_parse();
            assert_eq!(again, tree(None), "edit {edit}: {text:?}");
        }
        copied += known.copied;
        assert!(copied > edits * 5, "{copied} lines were copied");
    }

    #[test]
    fn lines_that_a_text_no_longer_has_are_forgotten() {
        let limits = TextLimits { nesting: 8, operators: 4, deadline: None };
        let mut known = KnownLines::default();
        let padding = "x".repeat(400);
        for number in 0..24 {
            let text: String = (0..100).map(|line| format!("EMIT {number}, {line}, \"{padding}\"\n")).collect();
            let mut sources = Sources::new();
            parse_again(sources.add("a.ns", text.as_str()), limits, &mut Vec::new(), &mut known);
            known.end_parse();
        }
        let held: usize = known.lines.iter().map(|(text, line)| line.size(text)).sum();
        assert_eq!(held, known.bytes);
        assert!(held < 600_000, "{held} bytes are held");
        // Lines that were parsed with other limits are not used.
        let mut sources = Sources::new();
        let stricter = TextLimits { operators: 1, ..limits };
        let text = "EMIT 1 + 2 + 3 + 4\n";
        let mut findings = Vec::new();
        for (limits, expected) in [(limits, 0), (stricter, 1)] {
            findings.clear();
            parse_again(sources.add("a.ns", text), limits, &mut findings, &mut known);
            assert_eq!(findings.len(), expected);
        }
    }
}
