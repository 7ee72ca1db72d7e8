//! Statements: converts the pair of one line to its role in block structure.

use compact_str::CompactString;
use pest::iterators::Pair;

use super::super::ast::{AssignTarget, Name, Procedure, StatementKind, Step, Use};
use super::super::grammar::Rule;
use super::closer::{Closer, closer_of};
use super::role::{Role, role_of};
use super::{Parser, literal, words_of};
use crate::syntax::ast::ExprId;

/// A parsed line and its role in block structure.
#[derive(Clone)]
pub enum Parsed {
    /// A statement that neither opens nor closes a block.
    Plain(StatementKind),
    /// The head of a block.
    Opens(Head),
    /// `ELSE`
    Else,
    /// `ELSE IF condition`
    ElseIf(ExprId),
    /// A closer.
    Closes(Closer),
    /// `FILE_VERSION "…"`
    Version(String),
    /// A line with errors: the role that it would have had, and its words.
    Broken(Role, Vec<CompactString>),
}

/// The head of a block.
#[derive(Clone)]
pub enum Head {
    /// `IF condition THEN`
    If(ExprId),
    /// `WHILE condition DO`
    While(ExprId),
    /// `FOR EACH first, second IN list DO`
    For { first: Name, second: Option<Name>, list: ExprId },
    /// `ON ERROR AS name DO`
    OnError(Option<Name>),
    /// `DEFINE PROCEDURE name(…)`, with an empty body.
    Procedure(Box<Procedure>),
    /// `func name(…) means`, with an empty body.
    Func(Box<Procedure>),
    /// `command`
    Command,
}

impl Parsed {
    /// Creates a line that could not be parsed.
    pub fn broken(text: &str) -> Parsed {
        Parsed::Broken(role_of(text), words_of(text))
    }

    /// Converts a line that was parsed but has errors.
    pub fn broken_as(parsed: Parsed, text: &str) -> Parsed {
        match parsed {
            // The errors of a head are in its expressions; the names that it sets are valid.
            Parsed::Opens(head) => Parsed::Opens(head),
            _ => Parsed::broken(text),
        }
    }
}

impl Parser<'_> {
    /// Converts a line that pest has parsed.
    pub fn parsed_line(&mut self, pair: Pair<'_, Rule>) -> Parsed {
        let rule = pair.as_rule();
        match rule {
            Rule::closer => return Parsed::Closes(closer_of(pair.as_str())),
            Rule::else_head => return Parsed::Else,
            Rule::version_line => return self.version(pair),
            Rule::procedure_head | Rule::func_head => return self.procedure(pair),
            Rule::set_line => return self.set(pair),
            Rule::use_line => return self.uses(pair),
            _ => {}
        }
        let mut names = Vec::new();
        let mut exprs = Vec::new();
        for part in pair.into_inner() {
            match part.as_rule() {
                Rule::expression => exprs.push(self.expression(part)),
                Rule::name => names.push(self.name(&part)),
                Rule::call => exprs.push(self.call(part)),
                _ => {}
            }
        }
        assemble(rule, names, exprs)
    }

    fn set(&mut self, pair: Pair<'_, Rule>) -> Parsed {
        let mut targets = Vec::new();
        let mut value = None;
        for part in pair.into_inner() {
            match part.as_rule() {
                Rule::place => targets.push(self.place(part)),
                Rule::expression => value = Some(self.expression(part)),
                _ => {}
            }
        }
        Parsed::Plain(StatementKind::Set { targets, value: value.expect("SET has a value") })
    }

    fn place(&mut self, pair: Pair<'_, Rule>) -> AssignTarget {
        let span = self.span(&pair);
        let mut parts = pair.into_inner();
        let word = parts.next().expect("a place begins with a name");
        let name = self.name(&word);
        let mut steps = Vec::new();
        for part in parts {
            steps.push(match part.as_rule() {
                Rule::index => Step::Index(self.index(part)),
                _ => Step::Field(self.field(part)),
            });
        }
        AssignTarget { name, steps, span }
    }

    fn uses(&mut self, pair: Pair<'_, Rule>) -> Parsed {
        let mut parts = pair.into_inner().filter(|part| matches!(part.as_rule(), Rule::module_path | Rule::name));
        let path = parts.next().expect("USE has a path").into_inner().next().expect("a path is a text");
        let path_span = self.span(&path);
        let path = match path.as_rule() {
            Rule::quoted => literal::quoted(path.as_str(), path_span.start as usize, &mut self.findings),
            _ => literal::unfenced(path.as_str()).to_owned(),
        };
        let name = self.name(&parts.next().expect("USE gives a name"));
        Parsed::Plain(StatementKind::Use(Use { path, path_span, name }))
    }

    fn procedure(&mut self, pair: Pair<'_, Rule>) -> Parsed {
        let is_func = pair.as_rule() == Rule::func_head;
        let mut procedure = None;
        for part in pair.into_inner() {
            match part.as_rule() {
                Rule::name => {
                    let name = self.name(&part);
                    procedure = Some(Box::new(Procedure {
                        name,
                        params: Vec::new(),
                        returns: Vec::new(),
                        documentation: None,
                        body: Vec::new(),
                    }));
                }
                Rule::signature => {
                    let procedure = procedure.as_mut().expect("the name stands before the signature");
                    self.signature(part, procedure);
                }
                _ => {}
            }
        }
        let procedure = procedure.expect("a procedure has a name");
        Parsed::Opens(if is_func { Head::Func(procedure) } else { Head::Procedure(procedure) })
    }

    pub(super) fn names(&mut self, pair: Pair<'_, Rule>) -> Vec<Name> {
        let names = pair.into_inner().filter(|part| part.as_rule() == Rule::name);
        names.map(|name| self.name(&name)).collect()
    }

    fn version(&mut self, pair: Pair<'_, Rule>) -> Parsed {
        let text = pair.into_inner().find(|part| !matches!(part.as_rule(), Rule::kw_file_version));
        let text = text.expect("FILE_VERSION has a text");
        let base = self.span(&text).start as usize;
        let version = match text.as_rule() {
            Rule::quoted => literal::quoted(text.as_str(), base, &mut self.findings),
            _ => literal::unfenced(text.as_str()).to_owned(),
        };
        Parsed::Version(version)
    }
}

/// Builds the lines that consist only of a word, names and expressions.
fn assemble(rule: Rule, names: Vec<Name>, exprs: Vec<ExprId>) -> Parsed {
    let mut names = names.into_iter();
    let mut values = exprs.into_iter();
    let mut value = || values.next().expect("the grammar demands an expression");
    let kind = match rule {
        Rule::emit_line => StatementKind::Emit(values.collect()),
        Rule::return_line => StatementKind::Return(values.collect()),
        Rule::fail_line => StatementKind::Fail(values.next()),
        Rule::must_line => StatementKind::Must { value: value(), message: values.next() },
        Rule::call_line => StatementKind::Call(value()),
        Rule::break_line => StatementKind::Break,
        Rule::continue_line => StatementKind::Continue,
        Rule::clear_error_line => StatementKind::ClearError,
        Rule::if_head => return Parsed::Opens(Head::If(value())),
        Rule::else_if_head => return Parsed::ElseIf(value()),
        Rule::while_head => return Parsed::Opens(Head::While(value())),
        Rule::for_head => {
            let first = names.next().expect("FOR EACH has a name");
            return Parsed::Opens(Head::For { first, second: names.next(), list: value() });
        }
        Rule::on_error_head => return Parsed::Opens(Head::OnError(names.next())),
        Rule::command_head => return Parsed::Opens(Head::Command),
        other => unreachable!("the grammar has no line {other:?}"),
    };
    Parsed::Plain(kind)
}
