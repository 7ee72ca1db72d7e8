//! Statements of upstream NeuroScript, one line each. A line that is none is [`Kind::Unread`]: it stays as it is.

use super::expr::{Id, Mark, Mistaken, Parser, Shape, Tree};
use super::tokens::{Line, TokenKind, is_word};
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
    Unread,
}

/// A group of parameters.
#[derive(Debug)]
pub struct Group {
    /// `needs`, `optional` or `returns`, in lower case.
    pub word: String,
    /// From the keyword to the last parameter.
    pub span: Mark,
    /// The parameters without the keyword.
    pub names: Mark,
}

/// Parses a line.
pub fn statement(text: &str, line: &Line) -> Statement {
    let span = span_of(line);
    let mut reader = Reader { text, line, parser: Parser::new(text, &line.tokens), means: None };
    let kind = reader.kind().unwrap_or(Kind::Unread);
    let is_done = reader.parser.peek().is_none() || matches!(kind, Kind::Foreign { .. } | Kind::Procedure { .. });
    let Reader { parser, means, .. } = reader;
    let kind = if is_done { kind } else { Kind::Unread };
    Statement { kind, tree: parser.tree, span, means, is_long: line.is_long }
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

    /// Reads the name and the groups of parameters; the rest of the line is not looked at.
    fn procedure(&mut self) -> Read {
        let token = self.parser.peek().filter(|token| token.kind == TokenKind::Word).ok_or(Mistaken)?;
        let name = Mark { start: token.start, end: token.end };
        let mut groups: Vec<Group> = Vec::new();
        for token in &self.line.tokens[self.parser.at + 1..] {
            let word = &self.text[token.start..token.end];
            let is_group = ["NEEDS", "OPTIONAL", "RETURNS"].iter().any(|group| is_keyword(word, group));
            if is_keyword(word, "MEANS") {
                break;
            }
            if token.kind == TokenKind::Word && is_group {
                let span = Mark { start: token.start, end: token.end };
                groups.push(Group {
                    word: word.to_lowercase(),
                    span,
                    names: Mark { start: token.end, end: token.end },
                });
            } else if let Some(group) = groups.last_mut() {
                if group.names.start == group.names.end {
                    group.names.start = token.start;
                }
                let is_last = token.kind == TokenKind::Mark && word == ")" && self.is_last_bracket(token.start);
                if !is_last {
                    group.names.end = token.end;
                    group.span.end = token.end;
                }
            }
        }
        Ok(Kind::Procedure { name, groups })
    }

    /// Returns whether no closing parenthesis follows.
    fn is_last_bracket(&self, at: usize) -> bool {
        !self.line.tokens.iter().any(|token| token.start > at && &self.text[token.start..token.end] == ")")
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
        if (is(0, "CALL") || is(0, "SET")) && tokens.iter().any(|token| &self.text[token.start..token.end] == "LLM") {
            return foreign("a script asks no model", false);
        }
        None
    }
}
