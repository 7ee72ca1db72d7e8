//! Occurrences of names: each place in a text that stands for a variable, a procedure or a module, for editors.
//!
//! Names are resolved as `program/lower` resolves them: a variable of the procedure before one of the script, a
//! procedure of the text before one of a module. Tools and built-ins have no occurrences.

use compact_str::CompactString;

use crate::syntax::ast::{Arg, Call, ExprId, ExprKind, Name, Procedure, Statement, StatementKind, Tree};
use crate::syntax::{Part, Template};
use crate::text::{Source, Span};
use crate::toolkit::Registry;

use super::builtin::Builtin;
use super::higher_order::HigherOrder;
use super::lint::walk::Body;
use super::scope::Variables;
use super::unit::{Module, ModuleId, Unit};

/// Maximum number of parts of a literal that counts as a constant.
const MOST_PARTS: usize = 1_000;

/// The subject of a name. A module of `None` is the text that was analyzed.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Symbol {
    /// A variable of a procedure, given by its number in its text, or of the top level.
    Variable {
        /// The text that has the variable.
        module: Option<ModuleId>,
        /// The procedure; `None` for a variable of the top level.
        procedure: Option<usize>,
        /// The name.
        name: CompactString,
    },
    /// A procedure.
    Procedure {
        /// The text that defines the procedure.
        module: Option<ModuleId>,
        /// The name.
        name: CompactString,
    },
    /// The name that a `USE` of this text gives to a module.
    Module(CompactString),
}

/// The role of an occurrence.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OccurrenceRole {
    /// A parameter, the head of a procedure, or a `USE`.
    Definition,
    /// An assignment.
    Write,
    /// A use.
    Read,
}

/// A name in a text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Occurrence {
    /// The name alone.
    pub span: Span,
    /// Its subject.
    pub symbol: Symbol,
    /// Its role.
    pub role: OccurrenceRole,
}

/// All occurrences in a text, in source order.
#[derive(Debug, Default)]
pub struct Occurrences {
    /// The occurrences.
    pub all: Vec<Occurrence>,
    /// Whether the text may read variables by names that are known in a run only.
    pub reads_unknown_names: bool,
}

/// A text whose names are resolved.
#[derive(Clone, Copy)]
pub struct SymbolText<'a> {
    /// The tree, and the modules that it uses.
    pub unit: &'a Unit,
    /// The number of the text among the modules.
    pub module: Option<ModuleId>,
    /// The text.
    pub source: &'a Source,
    /// All modules.
    pub modules: &'a [Module],
    /// The tools.
    pub registry: &'a Registry,
}

/// Returns the occurrences of all names in a text.
pub fn occurrences(text: SymbolText<'_>) -> Occurrences {
    let tree = &text.unit.tree;
    let mut top = Variables::default();
    top.add_top(tree);
    let mut finder = Finder { text, top, found: Occurrences::default() };
    for used in tree.uses() {
        finder.add(used.name.span, Symbol::Module(used.name.text.clone()), OccurrenceRole::Definition);
    }
    let mut number = 0;
    for body in Body::all(tree) {
        let scope = match body.procedure {
            None => Scope { procedure: None, own: None },
            Some(procedure) => {
                let own = Variables::of_procedure(procedure, tree, &finder.top);
                finder.head(procedure, number);
                number += 1;
                Scope { procedure: Some(number - 1), own: Some(own) }
            }
        };
        body.statements.iter().for_each(|statement| finder.statement(statement, &scope));
        body.expressions.iter().for_each(|id| finder.expr(*id, &scope));
    }
    let mut found = finder.found;
    found.all.sort_by_key(|occurrence| occurrence.span);
    // The name of a procedure in a call is visited before the expression that it is.
    found.all.dedup_by_key(|occurrence| occurrence.span);
    found
}

/// Returns the span of the only value that a variable is ever assigned, if it is written as a literal. The procedure is
/// given by its number; `None` is the top level.
pub fn constant(tree: &Tree, procedure: Option<usize>, name: &str) -> Option<Span> {
    let body = Body::all(tree).into_iter().nth(procedure.map_or(0, |number| number + 1))?;
    let value = *body.set_once.get(name)?;
    let (mut ahead, mut count) = (vec![value], 0);
    while let Some(id) = ahead.pop() {
        count += 1;
        match &tree[id].kind {
            _ if count > MOST_PARTS => return None,
            ExprKind::Nil | ExprKind::Bool(_) | ExprKind::Int(_) | ExprKind::Float(_) | ExprKind::Text(_) => {}
            ExprKind::Unary(_, inner) | ExprKind::Parenthesized(inner) => ahead.push(*inner),
            ExprKind::List(items) => ahead.extend(items),
            ExprKind::Map(entries) => ahead.extend(entries.iter().map(|entry| entry.value)),
            _ => return None,
        }
    }
    Some(tree[value].span)
}

/// The variables that a body sees first.
struct Scope {
    procedure: Option<usize>,
    own: Option<Variables>,
}

struct Finder<'a> {
    text: SymbolText<'a>,
    top: Variables,
    found: Occurrences,
}

impl<'a> Finder<'a> {
    fn tree(&self) -> &'a Tree {
        &self.text.unit.tree
    }

    fn add(&mut self, span: Span, symbol: Symbol, role: OccurrenceRole) {
        self.found.all.push(Occurrence { span, symbol, role });
    }

    /// Adds the name and the parameters of a procedure.
    fn head(&mut self, procedure: &Procedure, number: usize) {
        let module = self.text.module;
        let Name { text, span } = &procedure.name;
        self.add(*span, Symbol::Procedure { module, name: text.clone() }, OccurrenceRole::Definition);
        for param in &procedure.params {
            let name = param.name.text.clone();
            let symbol = Symbol::Variable { module, procedure: Some(number), name };
            self.add(param.name.span, symbol, OccurrenceRole::Definition);
        }
    }

    /// Adds the names that a statement sets.
    fn statement(&mut self, statement: &Statement, scope: &Scope) {
        match &statement.kind {
            StatementKind::Set { targets, .. } => {
                targets.iter().for_each(|target| self.write(&target.name, scope));
            }
            StatementKind::For { first, second, .. } => {
                self.write(first, scope);
                second.iter().for_each(|name| self.write(name, scope));
            }
            StatementKind::OnError { name: Some(name), .. } => self.write(name, scope),
            _ => {}
        }
    }

    fn write(&mut self, name: &Name, scope: &Scope) {
        if let Some(symbol) = self.variable(&name.text, scope) {
            self.add(name.span, symbol, OccurrenceRole::Write);
        }
    }

    /// Resolves a name to a variable.
    fn variable(&self, name: &str, scope: &Scope) -> Option<Symbol> {
        let module = self.text.module;
        let is_own = scope.own.as_ref().is_some_and(|own| own.find(name).is_some());
        let procedure = scope.procedure.filter(|_| is_own);
        (is_own || self.top.find(name).is_some()).then(|| Symbol::Variable { module, procedure, name: name.into() })
    }

    fn read(&mut self, name: &str, span: Span, scope: &Scope) {
        if let Some(symbol) = self.variable(name, scope) {
            self.add(span, symbol, OccurrenceRole::Read);
        }
    }

    fn expr(&mut self, id: ExprId, scope: &Scope) {
        let expr = &self.tree()[id];
        match &expr.kind {
            ExprKind::Name(name) => self.read(name, expr.span, scope),
            ExprKind::Template(text, offset) => self.template(text, *offset as usize, scope),
            ExprKind::Call(call) => self.call(call, scope),
            _ => {}
        }
    }

    /// Adds the placeholders of a text whose first byte has this offset.
    fn template(&mut self, text: &str, offset: usize, scope: &Scope) {
        for part in Template::new(text) {
            if let Part::Placeholder(name, at) = part {
                let first = name.split('.').next().unwrap_or(name);
                self.read(first, Span::new(offset + at, offset + at + first.len()), scope);
            }
        }
    }

    fn call(&mut self, call: &Call, scope: &Scope) {
        match self.procedure_named(&call.callee) {
            Some(callee) => {
                self.add_callee(&callee, call.callee_span);
                call.args.iter().for_each(|arg| self.argument_name(&callee, arg));
            }
            None if Builtin::find(&call.callee) == Some(Builtin::Eval) => self.evaluated(call, scope),
            None => self.procedure_argument(call, scope),
        }
    }

    /// Resolves a callee to a procedure of the text or of a module.
    fn procedure_named(&self, name: &str) -> Option<Named> {
        let find = |tree: &Tree, name: &str| tree.procedures().position(|known| known.name.text == name);
        if let Some(number) = find(self.tree(), name) {
            let name = CompactString::from(name);
            return Some(Named { alias: None, module: self.text.module, name, number });
        }
        let (alias, name) = name.split_once('.')?;
        let module = self.text.unit.uses.get(alias).copied().flatten()?;
        let tree = &self.text.modules.get(module.0 as usize)?.unit.tree;
        let number = find(tree, name)?;
        Some(Named { alias: Some(alias.into()), module: Some(module), name: name.into(), number })
    }

    /// Adds a callee, which may be prefixed with the name of its module.
    fn add_callee(&mut self, callee: &Named, span: Span) {
        let (start, end) = (span.start as usize, span.end as usize);
        let name = Span::new(end.saturating_sub(callee.name.len()).max(start), end);
        let symbol = Symbol::Procedure { module: callee.module, name: callee.name.clone() };
        self.add(name, symbol, OccurrenceRole::Read);
        if let Some(alias) = &callee.alias {
            self.add(Span::new(start, start + alias.len()), Symbol::Module(alias.clone()), OccurrenceRole::Read);
        }
    }

    /// Adds the name of a named argument, which is that of a parameter.
    fn argument_name(&mut self, callee: &Named, arg: &Arg) {
        if let Some(Name { text, span }) = &arg.name {
            let symbol = Symbol::Variable { module: callee.module, procedure: Some(callee.number), name: text.clone() };
            self.add(*span, symbol, OccurrenceRole::Read);
        }
    }

    /// Adds the names that a call of EVAL expands, if they are written in place.
    fn evaluated(&mut self, call: &Call, scope: &Scope) {
        let Some(arg) = call.args.first() else { return };
        let expr = &self.tree()[arg.value];
        match &expr.kind {
            ExprKind::Text(text) => match self.offset_of(text, expr.span) {
                Some(offset) => self.template(text, offset, scope),
                None => self.found.reads_unknown_names = true,
            },
            _ => self.found.reads_unknown_names = true,
        }
    }

    /// Adds the procedure that a call of a function for each element names.
    fn procedure_argument(&mut self, call: &Call, scope: &Scope) {
        let over = HigherOrder::find(&call.callee).or_else(|| {
            let tool = self.text.registry.find(&call.callee)?;
            HigherOrder::of_tool(self.text.registry.get(tool).spec.name)
        });
        let Some(over) = over else { return };
        let label = over.params()[HigherOrder::PROCEDURE].name;
        let named = call.args.iter().find(|arg| arg.name.as_ref().is_some_and(|name| name.text == label));
        let by_place = || call.args.get(HigherOrder::PROCEDURE).filter(|arg| arg.name.is_none());
        let Some(arg) = named.or_else(by_place) else { return };
        let expr = &self.tree()[arg.value];
        let is_grouping = HigherOrder::find(&call.callee).is_none();
        let (written, span) = match &expr.kind {
            ExprKind::Text(text) if !is_grouping => match self.offset_of(text, expr.span) {
                Some(offset) => (text.as_str(), Span::new(offset, offset + text.len())),
                None => return,
            },
            ExprKind::Name(name) if !is_grouping || self.variable(name, scope).is_none() => (name.as_str(), expr.span),
            ExprKind::Field(whole, field) => {
                let ExprKind::Name(module) = &self.tree()[*whole].kind else { return };
                return self.module_procedure(&format!("{module}.{}", field.text), expr.span);
            }
            _ => return,
        };
        self.module_procedure(written, span);
    }

    fn module_procedure(&mut self, name: &str, span: Span) {
        if let Some(callee) = self.procedure_named(name) {
            self.add_callee(&callee, span);
        }
    }

    /// Returns the offset of a text literal's content, if its content is written without escapes.
    fn offset_of(&self, text: &str, span: Span) -> Option<usize> {
        let written = self.text.source.slice(span);
        let quotes = written.len().checked_sub(text.len()).filter(|quotes| [2, 6].contains(quotes))? / 2;
        (written.get(quotes..quotes + text.len())? == text).then_some(span.start as usize + quotes)
    }
}

/// A procedure as a text names it.
struct Named {
    /// The name of its module in this text.
    alias: Option<CompactString>,
    module: Option<ModuleId>,
    name: CompactString,
    /// Its number in its text.
    number: usize,
}
