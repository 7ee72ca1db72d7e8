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
    /// The ranges of procedures, which do not nest, in the order of the text.
    procedures: Vec<Range<usize>>,
}

/// A block: its head, its statements and its closer.
#[derive(Clone, Debug)]
pub struct Block {
    /// From the first byte of the head to the last byte of the closer.
    pub range: Range<usize>,
    /// Whether it is a procedure.
    pub is_procedure: bool,
}

/// The effect of a word on blocks, if it begins a statement.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BlockWord {
    /// Begins a block.
    Opener,
    /// Begins a branch of the block.
    Else,
    /// Ends the block.
    Closer,
}

impl BlockWord {
    /// Returns the effect of a word.
    pub fn of(word: &str) -> Option<BlockWord> {
        let is_among = |words: &[&str]| words.iter().any(|known| known.eq_ignore_ascii_case(word));
        if is_among(&OPENERS) {
            Some(BlockWord::Opener)
        } else if is_among(&CLOSERS) {
            Some(BlockWord::Closer)
        } else {
            word.eq_ignore_ascii_case("ELSE").then_some(BlockWord::Else)
        }
    }
}

/// Words that begin a block.
const OPENERS: [&str; 7] = ["IF", "WHILE", "FOR", "ON", "DEFINE", "FUNC", "COMMAND"];
/// Words that end a block.
const CLOSERS: [&str; 9] =
    ["END", "ENDBLOCK", "ENDIF", "ENDWHILE", "ENDFOR", "ENDON", "ENDPROCEDURE", "ENDFUNC", "ENDCOMMAND"];

/// A value that a statement assigns to a variable, or to a key of its map.
pub struct Assigned<'t> {
    /// The variable.
    pub name: &'t str,
    /// The key.
    pub key: Option<&'t str>,
    /// Offset of the variable.
    pub at: usize,
    /// The tokens of the value.
    pub value: Range<usize>,
}

impl<'t> Outline<'t> {
    /// Returns the outline of a text.
    pub fn of(text: &'t str) -> Outline<'t> {
        let tokens = tokens(text);
        let starts = statement_starts(text, &tokens);
        let mut outline = Outline { text, tokens, starts, blocks: Vec::new(), procedures: Vec::new() };
        outline.blocks = outline.find_blocks();
        let procedures = outline.blocks.iter().filter(|block| block.is_procedure);
        outline.procedures = procedures.map(|block| block.range.clone()).collect();
        outline.procedures.sort_unstable_by_key(|range| range.start);
        outline
    }

    /// Returns the token at a place as it is written; empty after the last one.
    pub fn word(&self, place: usize) -> &'t str {
        self.tokens.get(place).map_or("", |token| &self.text[token.start..token.end])
    }

    fn is_mark(&self, place: usize, mark: char) -> bool {
        self.tokens.get(place).is_some_and(|token| token.kind == TokenKind::Mark(mark))
    }

    fn is_keyword(&self, place: usize, keyword: &str) -> bool {
        self.tokens.get(place).is_some_and(|token| token.kind == TokenKind::Keyword)
            && self.word(place).eq_ignore_ascii_case(keyword)
    }

    /// Returns the effect of the word at a place, if it is a keyword.
    pub fn block_word(&self, place: usize) -> Option<BlockWord> {
        let token = self.tokens.get(place)?;
        if token.kind == TokenKind::Keyword { BlockWord::of(self.word(place)) } else { None }
    }

    /// Whether a procedure begins at a place. Procedures do not nest.
    pub fn begins_procedure(&self, place: usize) -> bool {
        ["DEFINE", "FUNC"].iter().any(|word| self.is_keyword(place, word))
    }

    /// Returns the statements, as ranges of tokens.
    pub fn statements(&self) -> impl Iterator<Item = Range<usize>> + '_ {
        self.starts.windows(2).map(|pair| pair[0]..pair[1])
    }

    fn find_blocks(&self) -> Vec<Block> {
        let (mut open, mut blocks): (Vec<Block>, Vec<Block>) = (Vec::new(), Vec::new());
        for statement in self.statements() {
            let first = self.tokens[statement.start];
            let is_procedure = self.begins_procedure(statement.start);
            if is_procedure {
                // Procedures do not nest, so what is open was never closed.
                let at = first.start;
                blocks.extend(open.drain(..).map(|block| Block { range: block.range.start..at, ..block }));
            }
            match self.block_word(statement.start) {
                Some(BlockWord::Opener) => open.push(Block { range: first.start..first.end, is_procedure }),
                Some(BlockWord::Closer) => {
                    blocks.extend(open.pop().map(|block| Block { range: block.range.start..first.end, ..block }));
                }
                Some(BlockWord::Else) | None => {}
            }
        }
        let end = self.text.len();
        blocks.extend(open.into_iter().map(|block| Block { range: block.range.start..end, ..block }));
        blocks
    }

    /// Returns the range of the procedure that contains an offset.
    pub fn procedure_at(&self, offset: usize) -> Option<&Range<usize>> {
        let after = self.procedures.partition_point(|range| range.start <= offset);
        let before = self.procedures.get(after.checked_sub(1)?)?;
        (offset <= before.end).then_some(before)
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
            let is_visible = holder.is_none_or(|holder| own == Some(holder));
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

    /// Returns the assignments to one variable, in the order of the text.
    pub fn assigned(&self) -> impl Iterator<Item = Assigned<'t>> + '_ {
        self.statements().filter_map(|statement| {
            let first = statement.start;
            let is_set = self.is_keyword(first, "SET") || self.is_keyword(first, "VAR");
            let name = self.tokens.get(first + 1).filter(|token| is_set && token.kind == TokenKind::Name)?;
            let (key, equals) = if self.is_mark(first + 2, '.') {
                (Some(self.word(first + 3)), first + 4)
            } else if self.is_mark(first + 2, '[') && self.is_mark(first + 4, ']') {
                (Some(self.content(first + 3)?), first + 5)
            } else {
                (None, first + 2)
            };
            let value = equals + 1..statement.end.max(equals + 1);
            self.is_mark(equals, '=').then_some(Assigned { name: self.word(first + 1), key, at: name.start, value })
        })
    }

    /// Returns the callee if tokens are one call.
    pub fn callee_of(&self, value: Range<usize>) -> Option<String> {
        let from = value.start + usize::from(self.is_keyword(value.start, "CALL"));
        let open = (from..value.end).find(|place| self.is_mark(*place, '('))?;
        let is_name = |place: usize| {
            matches!(self.tokens[place].kind, TokenKind::Name | TokenKind::Callee | TokenKind::Mark('.'))
        };
        let closes_last = self.closer_of(open)? + 1 == value.end;
        (closes_last && (from..open).all(is_name)).then(|| (from..open).map(|place| self.word(place)).collect())
    }

    /// Returns the content of a text in one pair of quotes, if it has no escapes.
    pub fn content(&self, place: usize) -> Option<&'t str> {
        let token = self.tokens.get(place).filter(|token| token.kind == TokenKind::Text { is_closed: true })?;
        let content = self.text.get(token.start + 1..token.end - 1)?;
        (!content.contains(['\\', '"', '\''])).then_some(content)
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
        let is_joined = place > 0 && tokens[place - 1].kind == TokenKind::Mark('\\');
        let begins_line = place == 0 || between.contains('\n') && !is_joined;
        // A statement's word begins a statement, even if a bracket above was not closed.
        let is_head = token.kind == TokenKind::Keyword
            && BlockWord::of(&text[token.start..token.end]).is_some_and(|word| word != BlockWord::Else);
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
        let calls = outline.assigned().filter_map(|assigned| Some((assigned.name, outline.callee_of(assigned.value)?)));
        let found: Vec<String> = calls.map(|(name, callee)| format!("{name} {callee}")).collect();
        assert_eq!(found, ["a FS.Stat", "b FS.Find"]);
        let text = "SET a.b = 1\nSET a[\"c\"] = 2\nSET a[i] = 3\nSET a, b = 4\nSET d =\n";
        let outline = Outline::of(text);
        let found: Vec<_> = outline.assigned().map(|assigned| (assigned.name, assigned.key)).collect();
        assert_eq!(found, [("a", Some("b")), ("a", Some("c")), ("d", None)]);
    }
}
