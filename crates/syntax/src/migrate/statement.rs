//! Statements of upstream NeuroScript, one line each. A line that is none is [`Kind::Unread`]: it stays as it is.

use std::collections::HashSet;

use super::expr::{Id, Mark, Mistaken, Parser, Shape, Tree};
use super::tokens::{Line, Token, TokenKind, is_word};
use crate::syntax::keyword::is_keyword;

/// A parsed line.
#[derive(Debug)]
pub struct Statement {
    /// The kind of statement, with its parts.
    pub kind: Kind,
    /// Its expressions.
    pub tree: Tree,
    /// The whole line.
    pub span: Mark,
    /// `means` where we write `then` or `do`.
    pub means: Option<Mark>,
    /// Whether it spans several physical lines.
    pub is_long: bool,
}

/// The kinds of statement.
#[derive(Debug)]
pub enum Kind {
    /// `set a, b[i] = value`
    Set {
        /// The targets.
        targets: Vec<Id>,
        /// The value.
        value: Id,
    },
    /// `call f(…)`; the span is that of `call`.
    Call {
        /// The keyword.
        word: Mark,
        /// The call.
        value: Id,
    },
    /// `must value, message`
    Must {
        /// The keyword.
        word: Mark,
        /// The value and the message.
        values: Vec<Id>,
    },
    /// `if value`, `while value` and `else if value`.
    Condition(Id),
    /// `emit`, `return` and `fail` with their values.
    Values(Vec<Id>),
    /// `for each a, b in list`
    For {
        /// The variables.
        names: Vec<Mark>,
        /// The list.
        list: Id,
    },
    /// `on error as name do`
    OnError {
        /// `on error` or `on_error`.
        head: Mark,
        /// The name after `as`.
        name: Option<Mark>,
    },
    /// `promptuser question into place`
    Prompt {
        /// The question.
        question: Id,
        /// The place.
        place: Id,
    },
    /// `func name …` or `define procedure name …`, with the groups of parameters.
    Procedure {
        /// The name.
        name: Mark,
        /// All words after the name: the parameters, and those of their defaults.
        words: Vec<Mark>,
        /// The groups `needs`, `optional` and `returns`, as written.
        groups: Vec<Group>,
    },
    /// `command` or another head of a block that has no parts.
    Opens,
    /// The end of a block; two words if `joined` is the one word for them.
    Closes {
        /// `endfor` in place of `end for`.
        joined: Option<String>,
    },
    /// A statement that only upstream has.
    Foreign {
        /// Why there is none of ours.
        reason: &'static str,
        /// Whether it opens a block.
        opens: bool,
    },
    /// A line that is not read.
    Unread {
        /// Whether it opens a block.
        opens: bool,
    },
}

/// The groups of parameters, in our order.
pub const GROUPS: [&str; 3] = ["needs", "optional", "returns"];

/// A group of parameters.
#[derive(Debug)]
pub struct Group {
    /// One of [`GROUPS`].
    pub word: &'static str,
    /// From the keyword to the last parameter.
    pub span: Mark,
    /// The parameters without the keyword.
    pub names: Mark,
}

/// Parses a line. `own` has the names that the text gives to variables and procedures.
pub fn statement(text: &str, line: &Line, own: &HashSet<&str>) -> Statement {
    let span = span_of(line);
    let mut reader = Reader { text, line, parser: Parser::new(text, &line.tokens, own), means: None };
    let read = reader.kind().ok();
    let is_done = |kind: &Kind| matches!(kind, Kind::Foreign { .. } | Kind::Procedure { .. });
    let kind = read.filter(|kind| reader.parser.peek().is_none() || is_done(kind));
    let Reader { parser, means, .. } = reader;
    let kind = kind.unwrap_or_else(|| Kind::Unread { opens: opens_block(text, line) });
    Statement { kind, tree: parser.tree, span, means, is_long: line.is_long }
}

/// Returns whether a line begins as the head of a block does.
fn opens_block(text: &str, line: &Line) -> bool {
    let first = line.tokens.first();
    ["IF", "WHILE", "FOR", "ON", "ON_ERROR", "FUNC", "DEFINE"].iter().any(|word| is_word(text, first, word))
}

fn span_of(line: &Line) -> Mark {
    let start = line.tokens.first().map_or(0, |token| token.start);
    Mark { start, end: line.tokens.last().map_or(start, |token| token.end) }
}

struct Reader<'a> {
    text: &'a str,
    line: &'a Line,
    parser: Parser<'a>,
    means: Option<Mark>,
}

type Read = Result<Kind, Mistaken>;

impl Reader<'_> {
    fn kind(&mut self) -> Read {
        if let Some(kind) = self.foreign() {
            return Ok(kind);
        }
        let parser = &mut self.parser;
        if parser.take("SET").or_else(|| parser.take("VAR")).is_some() {
            return self.set();
        }
        if let Some(word) = parser.take("CALL") {
            return Ok(Kind::Call { word, value: parser.expression()? });
        }
        if let Some(word) = parser.take("MUST") {
            return Ok(Kind::Must { word, values: self.values()? });
        }
        if ["EMIT", "RETURN", "FAIL"].iter().any(|word| parser.take(word).is_some()) {
            return Ok(Kind::Values(self.values()?));
        }
        if ["IF", "WHILE"].iter().any(|word| parser.take(word).is_some()) {
            return self.condition();
        }
        if parser.take("ELSE").is_some() {
            return if parser.take("IF").is_some() { self.condition() } else { Ok(Kind::Values(Vec::new())) };
        }
        if parser.take("FOR").is_some() {
            return self.for_each();
        }
        if let Some(kind) = self.on_error() {
            return kind;
        }
        if self.parser.take("PROMPTUSER").is_some() {
            return self.prompt();
        }
        if self.parser.take("FUNC").is_some() {
            return self.procedure();
        }
        if self.parser.take("DEFINE").is_some() && self.parser.take("PROCEDURE").is_some() {
            return self.procedure();
        }
        self.rest()
    }

    /// Reads the statements without parts, and the ends of blocks.
    fn rest(&mut self) -> Read {
        let parser = &mut self.parser;
        if parser.take("COMMAND").is_some() {
            return Ok(Kind::Opens);
        }
        if ["BREAK", "CONTINUE", "CLEAR_ERROR"].iter().any(|word| parser.take(word).is_some()) {
            return Ok(Kind::Values(Vec::new()));
        }
        if parser.take("END").is_some() {
            let joined = self.joined_closer();
            return Ok(Kind::Closes { joined });
        }
        const CLOSERS: [&str; 8] =
            ["ENDBLOCK", "ENDIF", "ENDWHILE", "ENDFOR", "ENDON", "ENDFUNC", "ENDPROCEDURE", "ENDCOMMAND"];
        if CLOSERS.iter().any(|word| parser.take(word).is_some()) {
            return Ok(Kind::Closes { joined: None });
        }
        Err(Mistaken)
    }

    /// Takes the word after `end`, and returns both as one.
    fn joined_closer(&mut self) -> Option<String> {
        let first = &self.text[self.line.tokens[0].start..self.line.tokens[0].end];
        let word = self.parser.next_text();
        let kinds = ["IF", "WHILE", "FOR", "ON", "FUNC", "PROCEDURE", "COMMAND"];
        let is_kind = kinds.iter().any(|kind| is_keyword(word, kind));
        is_kind.then(|| {
            self.parser.at += 1;
            if first == "end" { format!("end{}", word.to_lowercase()) } else { format!("END{}", word.to_uppercase()) }
        })
    }

    fn set(&mut self) -> Read {
        let mut targets = vec![self.target()?];
        while self.parser.take(",").is_some() {
            targets.push(self.target()?);
        }
        self.parser.take("=").ok_or(Mistaken)?;
        Ok(Kind::Set { targets, value: self.parser.expression()? })
    }

    /// Reads a place: a name with indexes and fields.
    fn target(&mut self) -> Result<Id, Mistaken> {
        let target = self.parser.expression()?;
        let exprs = &self.parser.tree.exprs;
        let is_place = match &exprs[target].shape {
            Shape::Name => true,
            Shape::Access(base, _) => matches!(exprs[*base].shape, Shape::Name),
            _ => false,
        };
        if is_place { Ok(target) } else { Err(Mistaken) }
    }

    fn values(&mut self) -> Result<Vec<Id>, Mistaken> {
        let mut values = Vec::new();
        while self.parser.peek().is_some() {
            values.push(self.parser.expression()?);
            if self.parser.take(",").is_none() {
                break;
            }
        }
        Ok(values)
    }

    fn condition(&mut self) -> Read {
        let condition = self.parser.expression()?;
        self.joint();
        Ok(Kind::Condition(condition))
    }

    /// Takes `then` or `do`, or `means` in their place.
    fn joint(&mut self) {
        let parser = &mut self.parser;
        if parser.take("THEN").or_else(|| parser.take("DO")).is_none() {
            self.means = parser.take("MEANS");
        }
    }

    fn for_each(&mut self) -> Read {
        self.parser.take("EACH").ok_or(Mistaken)?;
        let mut names = Vec::new();
        loop {
            let token = self.parser.peek().filter(|token| token.kind == TokenKind::Word).ok_or(Mistaken)?;
            names.push(Mark { start: token.start, end: token.end });
            self.parser.at += 1;
            if self.parser.take(",").is_none() {
                break;
            }
        }
        self.parser.take("IN").ok_or(Mistaken)?;
        let list = self.parser.expression()?;
        self.joint();
        Ok(Kind::For { names, list })
    }

    fn on_error(&mut self) -> Option<Read> {
        let first = self.parser.take("ON_ERROR").or_else(|| {
            let on = self.parser.take("ON")?;
            let error = self.parser.take("ERROR")?;
            Some(Mark { start: on.start, end: error.end })
        })?;
        let mut name = None;
        if self.parser.take("AS").is_some() {
            let Some(token) = self.parser.peek().filter(|token| token.kind == TokenKind::Word) else {
                return Some(Err(Mistaken));
            };
            name = Some(Mark { start: token.start, end: token.end });
            self.parser.at += 1;
        }
        self.joint();
        Some(Ok(Kind::OnError { head: first, name }))
    }

    fn prompt(&mut self) -> Read {
        let question = self.parser.expression()?;
        self.parser.take("INTO").ok_or(Mistaken)?;
        Ok(Kind::Prompt { question, place: self.target()? })
    }

    /// Reads the name and the parameters; the rest of the line is not looked at.
    fn procedure(&mut self) -> Read {
        let token = self.parser.peek().filter(|token| token.kind == TokenKind::Word).ok_or(Mistaken)?;
        let name = Mark { start: token.start, end: token.end };
        let is = |token: &Token, word: &str| is_word(self.text, Some(token), word);
        let tokens = &self.line.tokens[self.parser.at + 1..];
        let tokens = tokens.split(|token| is(token, "MEANS")).next().unwrap_or_default();
        // The last bracket closes that around all groups.
        let last = tokens.iter().rposition(|token| &self.text[token.start..token.end] == ")");
        let (mut words, mut groups) = (Vec::new(), Vec::<Group>::new());
        for (index, token) in tokens.iter().enumerate() {
            let span = Mark { start: token.start, end: token.end };
            if let Some(word) = GROUPS.iter().find(|group| is(token, &group.to_uppercase())) {
                let names = Mark { start: token.end, end: token.end };
                groups.push(Group { word, span, names });
                continue;
            }
            if token.kind == TokenKind::Word {
                words.push(span);
            }
            if let Some(group) = groups.last_mut().filter(|_| last != Some(index)) {
                if group.names.start == group.names.end {
                    group.names.start = token.start;
                }
                group.names.end = token.end;
                group.span.end = token.end;
            }
        }
        Ok(Kind::Procedure { name, words, groups })
    }

    /// Recognizes a statement that only upstream has, by its first words.
    fn foreign(&self) -> Option<Kind> {
        let tokens = &self.line.tokens;
        let is = |at: usize, word: &str| is_word(self.text, tokens.get(at), word);
        let begins_value = |at: usize| {
            tokens.get(at).is_some_and(|token| {
                token.kind != TokenKind::Unknown && !["=", ".", "("].contains(&&self.text[token.start..token.end])
            })
        };
        let foreign = |reason, opens| Some(Kind::Foreign { reason, opens });
        if is(0, "ASK") && begins_value(1) {
            return foreign("a script asks no model", false);
        }
        if is(0, "WHISPER") && begins_value(1) {
            return foreign("a script has no model to whisper to", false);
        }
        if is(0, "ON") && is(1, "EVENT") {
            return foreign("there are no events", true);
        }
        if is(0, "CLEAR_EVENT") || (is(0, "CLEAR") && is(1, "EVENT")) {
            return foreign("there are no events", false);
        }
        let calls_model = || {
            let is_call = |pair: &[Token]| {
                &self.text[pair[0].start..pair[0].end] == "LLM" && &self.text[pair[1].start..pair[1].end] == "("
            };
            tokens.windows(2).any(is_call)
        };
        if (is(0, "CALL") || is(0, "SET")) && calls_model() {
            return foreign("a script asks no model", false);
        }
        None
    }
}
