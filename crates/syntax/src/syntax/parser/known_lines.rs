//! The lines of a text that was parsed before, so that parsing it again after an edit costs what has changed.
//!
//! A logical line without findings gives the same statement and expressions wherever it stands, except for its place
//! in the text and in the arena. So the parts are copied and relocated instead of being parsed again. The result is
//! the same tree.

use std::collections::HashMap;

use super::super::ast::relocate::Distance;
use super::super::ast::{Expr, Tree};
use super::TextLimits;
use super::stmt::{Head, Parsed};

/// Number of bytes of lines that the text no longer has, beyond its own length, above which these are forgotten.
const SPARE_BYTES: usize = 256 << 10;

/// Lines that were parsed, by their texts.
#[derive(Default)]
pub struct KnownLines {
    lines: HashMap<Box<str>, KnownLine>,
    /// Total length of the lines.
    bytes: usize,
    /// The number of the current parse.
    parse: u64,
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

    /// Ends the parse of a script and its modules, of this length together. Lines that they do not have stay for a
    /// while, since they often come back: an open quote turns all lines behind it into a text until it is closed.
    pub fn end_parse(&mut self, length: usize) {
        if self.bytes > 2 * length + SPARE_BYTES {
            let parse = self.parse;
            self.lines.retain(|_, line| line.parse == parse);
            self.bytes = self.lines.keys().map(|text| text.len()).sum();
        }
        self.parse += 1;
    }

    /// Adds the parts of a line to a tree, if the line is known.
    pub(super) fn place(&mut self, text: &str, base: usize, tree: &mut Tree) -> Option<Parsed> {
        let line = self.lines.get_mut(text)?;
        line.parse = self.parse;
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
        if self.lines.insert(text.into(), line).is_none() {
            self.bytes += text.len();
        }
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
    const PIECES: [&str; 34] = [
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
        let (mut known, mut reused) = (KnownLines::default(), 0);
        let mut text = String::new();
        for edit in 0..edits {
            if edit % 75 == 0 {
                known = KnownLines::default();
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
            reused += known.lines.len();
            let again = tree(Some(&mut known));
            known.end_parse(text.len());
            assert_eq!(again, tree(None), "edit {edit}: {text:?}");
        }
        assert!(reused > edits * 10, "{reused} lines were known");
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
            known.end_parse(text.len());
        }
        let held: usize = known.lines.keys().map(|text| text.len()).sum();
        assert_eq!(held, known.bytes);
        assert!(held < 400_000, "{held} bytes are held");
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
