//! A program under a debugger: its statements and their lines, its bodies and their variables.

use std::cell::RefCell;
use std::rc::Rc;

use crate::eval::{BodyId, DebugTable, StatementPlace};
use crate::program::tree::{Body, Program};
use crate::program::{Module, Unit};
use crate::text::{Source, Sources, Span};

/// The parsed texts of a program, which expressions of the debugger refer to.
#[derive(Debug, Default)]
pub(in crate::engine) struct DebugTexts {
    /// Earlier lines of a session, then the text that runs.
    pub units: Vec<Unit>,
    /// The modules.
    pub modules: Vec<Module>,
}

/// A program that runs under a debugger.
pub(in crate::engine) struct DebugProgram {
    /// The texts that spans refer to.
    pub sources: Rc<Sources>,
    /// The lowered tree.
    pub program: Program,
    /// The statements, and the hidden slots of the bodies.
    pub table: Rc<DebugTable>,
    /// The parsed texts.
    pub texts: RefCell<DebugTexts>,
    /// The statements by their numbers.
    statements: Vec<Placed>,
}

/// A statement and its lines.
#[derive(Clone, Copy, Debug)]
struct Placed {
    place: StatementPlace,
    /// The span of its whole text.
    source: Span,
    first: usize,
    last: usize,
}

/// A place in a text: lines and columns count from 1.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct DebugLocation {
    /// The name of the text.
    pub source: String,
    /// Whether the text is a module.
    pub is_module: bool,
    /// The first line.
    pub line: usize,
    /// The first column, in UTF-16 code units.
    pub column: usize,
    /// The last line.
    pub end_line: usize,
    /// The column after the last, in UTF-16 code units.
    pub end_column: usize,
}

impl DebugProgram {
    /// Creates the program. Its statements are read from the table, so it must be compiled.
    pub fn new(sources: Rc<Sources>, program: Program, table: Rc<DebugTable>, texts: DebugTexts) -> DebugProgram {
        let placed = table.statements().into_iter().map(|place| {
            let source = sources.of(place.span);
            let lines = source.map(|source| (source.position(place.span).line, source.end_position(place.span).line));
            let (first, last) = lines.unwrap_or_default();
            Placed { place, source: source.map(Source::span).unwrap_or_default(), first, last }
        });
        let statements = placed.collect();
        DebugProgram { sources, program, table, texts: RefCell::new(texts), statements }
    }

    /// Returns the number of statements.
    pub fn statement_count(&self) -> usize {
        self.statements.len()
    }

    /// Returns the span of a statement.
    pub fn span_of(&self, statement: usize) -> Span {
        self.statements.get(statement).map(|placed| placed.place.span).unwrap_or_default()
    }

    /// Returns the first line of a statement.
    pub fn line_of(&self, statement: usize) -> usize {
        self.statements.get(statement).map_or(0, |placed| placed.first)
    }

    /// Returns the location of a span.
    pub fn location(&self, span: Span) -> DebugLocation {
        let Some(source) = self.sources.of(span) else { return DebugLocation::default() };
        let (begin, end) = (source.position_utf16(span), source.end_position_utf16(span));
        DebugLocation {
            source: source.name().to_owned(),
            is_module: source.is_module(),
            line: begin.line,
            column: begin.column,
            end_line: end.line,
            end_column: end.column,
        }
    }

    /// Returns the newest text with a name: a session may read a file again.
    pub fn source_named(&self, name: &str) -> Option<&Source> {
        self.sources.iter().filter(|source| source.name() == name).last()
    }

    /// Returns the line at which a run can stop for a line of a text: that of the statement on it, or of the next one
    /// in the text; `None` after the last.
    pub fn line_for(&self, source: &Source, line: usize) -> Option<usize> {
        let own = self.statements.iter().filter(|placed| placed.source == source.span());
        let covering = own.clone().filter(|placed| (placed.first..=placed.last).contains(&line));
        let next = own.filter(|placed| placed.first > line).map(|placed| placed.first).min();
        covering.map(|placed| placed.first).max().or(next)
    }

    /// Returns the lines of a range at which a run can stop, in order.
    pub fn lines_between(&self, source: &Source, first: usize, last: usize) -> Vec<usize> {
        let own = self.statements.iter().filter(|placed| placed.source == source.span());
        let mut lines: Vec<usize> =
            own.map(|placed| placed.first).filter(|line| (first..=last).contains(line)).collect();
        lines.sort_unstable();
        lines.dedup();
        lines
    }

    /// Returns the numbers of the statements that begin on a line.
    pub fn statements_on(&self, source: &Source, line: usize) -> Vec<usize> {
        let on_line = |placed: &Placed| placed.source == source.span() && placed.first == line;
        self.statements.iter().enumerate().filter(|(_, placed)| on_line(placed)).map(|(number, _)| number).collect()
    }

    /// Returns the number of the first statement of a procedure.
    pub fn first_statement(&self, procedure: usize) -> Option<usize> {
        let body = BodyId::Procedure(procedure);
        let own = self.statements.iter().enumerate().filter(|(_, placed)| placed.place.body == body);
        own.min_by_key(|(_, placed)| placed.place.span.start).map(|(number, _)| number)
    }

    /// Returns the procedures with a name: `Name`, or `Module.Name` for one of a module.
    pub fn procedures_named(&self, name: &str) -> Vec<usize> {
        let is_named = |number: &usize| {
            let own = &self.program.procedures[*number].name;
            own == name
                || name.split_once('.').is_some_and(|(module, plain)| own == plain && self.is_in(*number, module))
        };
        (0..self.program.procedures.len()).filter(is_named).collect()
    }

    /// Returns whether a procedure is one of the module that the script calls so.
    fn is_in(&self, procedure: usize, module: &str) -> bool {
        let texts = self.texts.borrow();
        let used = texts.units.last().and_then(|unit| unit.uses.get(module).copied().flatten());
        let span = used.and_then(|id| texts.modules.get(id.0 as usize)).map(|module| module.span);
        let first = self.first_statement(procedure).map(|statement| self.span_of(statement));
        span.zip(first).is_some_and(|(text, first)| text.start <= first.start && first.start < text.end)
    }

    /// Returns the lowered body.
    pub fn body(&self, id: BodyId) -> &Body {
        match id {
            BodyId::Top => &self.program.top,
            BodyId::Procedure(number) => &self.program.procedures[number].body,
        }
    }

    /// Returns the name of a body for people.
    pub fn body_name(&self, id: BodyId) -> String {
        match id {
            BodyId::Top => "top level".to_owned(),
            BodyId::Procedure(number) => self.program.procedures[number].name.to_string(),
        }
    }

    /// Returns the module whose procedures a statement can call by their bare names.
    pub fn module_of(&self, statement: Option<usize>) -> Option<usize> {
        let span = self.span_of(statement?);
        let texts = self.texts.borrow();
        texts.modules.iter().position(|module| module.span.start <= span.start && span.start < module.span.end)
    }
}
