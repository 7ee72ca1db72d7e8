//! Blocks of a text, and the names that are set in them, from its tokens alone.
//!
//! It works for a text that is being typed, whose tree would miss the line at the cursor.

use std::ops::Range;

use crate::engine::{Token, TokenKind, tokens};

/// The tokens of a text, with its blocks.
pub struct Outline<'t> {
    text: &'t str,
    /// The tokens.
    pub tokens: Vec<Token>,
    /// Places in `tokens` at which statements begin, and the place after the last token.
    starts: Vec<usize>,
    /// Blocks, in the order of their ends.
    pub blocks: Vec<Block>,
}

/// A block: its head, its statements and its closer.
#[derive(Clone, Debug)]
pub struct Block {
    /// From the first byte of the head to the last byte of the closer.
    pub range: Range<usize>,
    /// Whether it is a procedure.
    pub is_procedure: bool,
}

/// Words that begin a block.
const OPENERS: [&str; 7] = ["IF", "WHILE", "FOR", "ON", "DEFINE", "FUNC", "COMMAND"];
/// Words that end a block.
const CLOSERS: [&str; 9] =
    ["END", "ENDBLOCK", "ENDIF", "ENDWHILE", "ENDFOR", "ENDON", "ENDPROCEDURE", "ENDFUNC", "ENDCOMMAND"];

/// A value that a statement assigns: the result of one call.
pub struct Assigned<'t> {
    /// The callee.
    pub callee: String,
    /// The variable.
    pub name: &'t str,
    /// Offset of the variable.
    pub at: usize,
}

impl<'t> Outline<'t> {
    /// Returns the outline of a text.
    pub fn of(text: &'t str) -> Outline<'t> {
        let tokens = tokens(text);
        let starts = statement_starts(text, &tokens);
        let mut outline = Outline { text, tokens, starts, blocks: Vec::new() };
        outline.blocks = outline.find_blocks();
        outline
    }

    fn word(&self, place: usize) -> &'t str {
        self.tokens.get(place).map_or("", |token| &self.text[token.start..token.end])
    }

    fn is_mark(&self, place: usize, mark: char) -> bool {
        self.tokens.get(place).is_some_and(|token| token.kind == TokenKind::Mark(mark))
    }

    fn is_keyword(&self, place: usize, keyword: &str) -> bool {
        self.tokens.get(place).is_some_and(|token| token.kind == TokenKind::Keyword)
            && self.word(place).eq_ignore_ascii_case(keyword)
    }

    /// Returns the statements, as ranges of tokens.
    fn statements(&self) -> impl Iterator<Item = Range<usize>> + '_ {
        self.starts.windows(2).map(|pair| pair[0]..pair[1])
    }

    fn find_blocks(&self) -> Vec<Block> {
        let (mut open, mut blocks): (Vec<Block>, Vec<Block>) = (Vec::new(), Vec::new());
        for statement in self.statements() {
            let first = self.tokens[statement.start];
            if first.kind != TokenKind::Keyword {
                continue;
            }
            let word = self.word(statement.start).to_ascii_uppercase();
            let is_procedure = matches!(word.as_str(), "DEFINE" | "FUNC");
            if is_procedure {
                // Procedures do not nest, so what is open was never closed.
                let at = first.start;
                blocks.extend(open.drain(..).map(|block| Block { range: block.range.start..at, ..block }));
            }
            if OPENERS.contains(&word.as_str()) {
                open.push(Block { range: first.start..first.end, is_procedure });
            } else if CLOSERS.contains(&word.as_str()) {
                blocks.extend(open.pop().map(|block| Block { range: block.range.start..first.end, ..block }));
            }
        }
        let end = self.text.len();
        blocks.extend(open.into_iter().map(|block| Block { range: block.range.start..end, ..block }));
        blocks
    }

    /// Returns the procedure that contains an offset.
    pub fn procedure_at(&self, offset: usize) -> Option<&Block> {
        self.blocks.iter().find(|block| block.is_procedure && (block.range.start..=block.range.end).contains(&offset))
    }

    /// Returns the ranges of the names of procedures.
    pub fn procedure_names(&self) -> impl Iterator<Item = Range<usize>> + '_ {
        let places =
            self.statements().filter_map(|statement| match self.word(statement.start).to_ascii_uppercase().as_str() {
                "DEFINE" => Some(statement.start + 2),
                "FUNC" => Some(statement.start + 1),
                _ => None,
            });
        let names = places.filter_map(|place| self.tokens.get(place));
        let names = names.filter(|token| matches!(token.kind, TokenKind::Name | TokenKind::Callee));
        names.map(|token| token.start..token.end)
    }

    /// Returns the variables that code at an offset can read: those of its procedure, and those of the top level.
    pub fn variables_at(&self, offset: usize) -> Vec<String> {
        let own = self.procedure_at(offset);
        let mut found = Vec::new();
        for statement in self.statements() {
            let at = self.tokens[statement.start].start;
            let holder = self.procedure_at(at);
            let is_visible = holder.is_none_or(|holder| own.is_some_and(|own| own.range == holder.range));
            if is_visible {
                found.extend(self.names_set(statement).into_iter().map(|place| self.word(place).to_owned()));
            }
        }
        found.sort_unstable();
        found.dedup();
        found
    }

    /// Returns the places of the names that a statement sets.
    fn names_set(&self, statement: Range<usize>) -> Vec<usize> {
        let (first, end) = (statement.start, statement.end);
        let until = |from: usize, stops: &dyn Fn(usize) -> bool| (from..end).find(|place| stops(*place)).unwrap_or(end);
        let range = match self.word(first).to_ascii_uppercase().as_str() {
            "SET" | "VAR" => first + 1..until(first, &|place| self.is_mark(place, '=')),
            "FOR" => first + 2..until(first, &|place| self.is_keyword(place, "IN")),
            "ON" if self.is_keyword(first + 2, "AS") => first + 3..end,
            "DEFINE" => first + 3..until(first, &|place| self.is_keyword(place, "RETURNS")),
            "FUNC" => first + 2..until(first, &|place| self.is_keyword(place, "RETURNS")),
            _ => return Vec::new(),
        };
        let mut depth = 0;
        let mut found = Vec::new();
        let is_head = matches!(self.word(first).to_ascii_uppercase().as_str(), "DEFINE" | "FUNC");
        for place in range {
            match self.tokens[place].kind {
                TokenKind::Mark('(' | '[' | '{') => depth += 1,
                TokenKind::Mark(')' | ']' | '}') => depth -= 1,
                TokenKind::Name if (is_head || depth == 0) && !self.is_mark(place - 1, '.') => found.push(place),
                _ => {}
            }
        }
        found
    }

    /// Returns the assignments of the result of one call to a variable, in the order of the text.
    pub fn calls_assigned(&self) -> impl Iterator<Item = Assigned<'t>> + '_ {
        self.statements().filter_map(|statement| {
            let first = statement.start;
            let is_set = matches!(self.word(first).to_ascii_uppercase().as_str(), "SET" | "VAR");
            if !is_set || !self.is_mark(first + 2, '=') {
                return None;
            }
            let from = first + 3 + usize::from(self.is_keyword(first + 3, "CALL"));
            let open = (from..statement.end).find(|place| self.is_mark(*place, '('))?;
            let is_name = |place: usize| {
                matches!(self.tokens[place].kind, TokenKind::Name | TokenKind::Callee | TokenKind::Mark('.'))
            };
            let closes_last = self.closer_of(open)? + 1 == statement.end;
            let callee: String = (from..open).map(|place| self.word(place)).collect();
            let name = self.word(first + 1);
            (closes_last && (from..open).all(is_name)).then_some(Assigned {
                callee,
                name,
                at: self.tokens[first + 1].start,
            })
        })
    }

    /// Returns the place of the bracket that closes another.
    fn closer_of(&self, open: usize) -> Option<usize> {
        let mut depth = 0;
        (open..self.tokens.len()).find(|place| {
            match self.tokens[*place].kind {
                TokenKind::Mark('(' | '[' | '{') => depth += 1,
                TokenKind::Mark(')' | ']' | '}') => depth -= 1,
                _ => {}
            }
            depth == 0
        })
    }
}

/// Returns the places of tokens that begin a line outside brackets, and the place after the last token.
fn statement_starts(text: &str, tokens: &[Token]) -> Vec<usize> {
    let (mut starts, mut depth, mut last_end) = (Vec::new(), 0_usize, 0);
    for (place, token) in tokens.iter().enumerate() {
        let between = &text[last_end..token.start];
        let begins_line = place == 0 || between.contains('\n') && !between.trim_start().starts_with('\\');
        // A statement's word begins a statement, even if a bracket above was not closed.
        let is_head = token.kind == TokenKind::Keyword
            && (OPENERS.iter().chain(&CLOSERS)).any(|word| word.eq_ignore_ascii_case(&text[token.start..token.end]));
        if token.kind != TokenKind::Comment && begins_line && (depth == 0 || is_head) {
            starts.push(place);
            depth = 0;
        }
        match token.kind {
            TokenKind::Mark('(' | '[' | '{') => depth += 1,
            TokenKind::Mark(')' | ']' | '}') => depth = depth.saturating_sub(1),
            _ => {}
        }
        if token.kind != TokenKind::Comment {
            last_end = token.end;
        }
    }
    starts.push(tokens.len());
    starts
}

#[cfg(test)]
mod tests {
    use super::Outline;

    #[test]
    fn names_are_those_that_the_place_can_read() {
        let text = "SET top = 1\nDEFINE PROCEDURE F(a, b: 2)\n  SET own, m[i].k = a\n  FOR EACH x, y IN own DO\n    @\n  END\nEND\n\
            func G needs p optional q returns r means\n  ON ERROR AS e DO\n    SET other = p\n  END\nend\nSET late = F(a: 1)\n";
        let outline = Outline::of(text);
        let names = |needle: &str| outline.variables_at(text.find(needle).expect("the text has it")).join(" ");
        assert_eq!(names("@"), "a b late m own top x y");
        assert_eq!(names("other"), "e late other p q top");
        assert_eq!(names("late"), "late top");
    }

    #[test]
    fn a_block_that_is_never_closed_ends_where_a_procedure_begins() {
        let text = "DEFINE PROCEDURE F(a)\n  IF a THEN\n    SET x = (1\nDEFINE PROCEDURE G(b)\n  SET y = 2\nEND\n";
        let outline = Outline::of(text);
        let procedures: Vec<&str> =
            outline.blocks.iter().filter(|block| block.is_procedure).map(|block| &text[block.range.clone()]).collect();
        assert_eq!(procedures.len(), 2, "{procedures:?}");
        assert!(procedures[0].starts_with("DEFINE PROCEDURE F") && procedures[0].ends_with("(1\n"));
        assert!(procedures[1].starts_with("DEFINE PROCEDURE G") && procedures[1].ends_with("END"));
    }

    #[test]
    fn results_of_calls_are_assigned() {
        let text = "SET a = FS.Stat(\"x\")\nSET b = CALL FS.Find(\".\",\n  \"*\")\nSET c = LEN(a) + 1\nSET d = a.b\n";
        let outline = Outline::of(text);
        let found: Vec<String> =
            outline.calls_assigned().map(|assigned| format!("{} {}", assigned.name, assigned.callee)).collect();
        assert_eq!(found, ["a FS.Stat", "b FS.Find"]);
    }
}
