//! Lowers the tree as written to the program as run: resolves names to slots and calls to numbers, and reports
//! everything that can be found wrong before the run.

mod call;
mod expr;
mod higher_order;
mod known;
mod other_languages;
mod stmt;
mod suggestions;

use std::cell::{Cell, RefCell};
use std::collections::{HashMap, HashSet};
use std::rc::Rc;

use compact_str::CompactString;
use foldhash::quality::RandomState;

use crate::syntax::MAX_FINDINGS;
use crate::syntax::ast::{self, StatementKind, Tree, WhenAbsent};
use crate::text::{Code, Diagnostic, Sources, Span, nearest};
use crate::toolkit::{Registry, Settings};
use crate::value::Value;

use super::builtin::Builtin;
use super::known::{KnownProcedures, hash_of};
use super::literal::literal;
use super::scope::{Variables, doubtful_words};
use super::tree::{Body, Param, Procedure, ProcedureId, Program, Scope, Slot, Variable, required};
use super::unit::{Module, Unit, Uses};

use known::{KnownText, lower_unless_known};

/// The environment that a script is lowered in.
pub struct Environment<'a> {
    /// The tools.
    pub registry: &'a Registry,
    /// Settings of the policy file for individual tools.
    pub settings: &'a Settings,
    /// Earlier scripts of the same session, whose procedures are known.
    pub earlier: &'a [Unit],
    /// Top-level variables of earlier scripts, in slot order.
    pub variables: &'a [CompactString],
    /// The modules, by number.
    pub modules: &'a [Module],
    /// The texts of all of them.
    pub sources: &'a Sources,
    /// For a check: the procedures in which earlier ones found nothing. They are not lowered again, so that the program
    /// lacks their statements and cannot be run.
    pub known: Option<&'a RefCell<KnownProcedures>>,
}

/// Lowers a script and its modules. The program can be run if no finding is an error.
pub fn lower(unit: &Unit, environment: &Environment<'_>, findings: &mut Vec<Diagnostic>) -> Program {
    let mut top = Variables::from_names(environment.variables);
    top.add_top(&unit.tree);
    let own = procedures_of(unit, environment.earlier, findings);
    let own_signatures = signatures(&own, 0, findings);
    let in_modules: Vec<Vec<WrittenProcedure<'_>>> =
        environment.modules.iter().map(|module| procedures_of(&module.unit, &[], findings)).collect();
    let mut count = own.len();
    let numbered = in_modules.iter().map(|procedures| {
        let first = count;
        count += procedures.len();
        signatures(procedures, first, findings)
    });
    let modules: Vec<Signatures> = numbered.collect();
    let shared =
        ProgramContext { environment, modules: &modules, sees_errors: Cell::default(), reads_args: Cell::default() };
    let context = BodyContext::of(unit, &shared, &own_signatures, top);
    let mut procedures: Vec<Procedure> =
        own.iter().map(|procedure| lower_unless_known(*procedure, &context, findings)).collect();
    for (number, (module, written)) in environment.modules.iter().zip(&in_modules).enumerate() {
        let context = BodyContext::of(&module.unit, &shared, &modules[number], Variables::default());
        procedures.extend(written.iter().map(|procedure| lower_unless_known(*procedure, &context, findings)));
    }
    let mut lowering = Lowering::new(unit, &context, context.top.clone(), None, findings);
    let block = lowering.block(&unit.tree.statements);
    let mut top = lowering.finish(block);
    for body in procedures.iter_mut().map(|procedure| &mut procedure.body).chain([&mut top]) {
        body.calls_unseen = !body.keeps_last && !shared.sees_errors.get();
    }
    let program = Program {
        procedures,
        own_procedures: own.len(),
        top,
        reads_args: shared.reads_args.get(),
        ..Program::default()
    };
    keep_first_errors(findings);
    program
}

/// Cuts the findings off after [`MAX_FINDINGS`] errors, and says so.
fn keep_first_errors(findings: &mut Vec<Diagnostic>) {
    let mut errors = findings.iter().enumerate().filter(|(_, finding)| finding.is_error());
    let Some((at, first)) = errors.nth(MAX_FINDINGS).map(|(at, finding)| (at, finding.span())) else { return };
    if errors.next().is_none() && findings[at].code == Code::TooManyFaults.into() {
        return;
    }
    let message = format!("the script has more than {MAX_FINDINGS} faults; the others are not shown");
    let finding = match first {
        Some(span) => Diagnostic::error(Code::TooManyFaults, span, message),
        None => Diagnostic::placeless(Code::TooManyFaults, message),
    };
    findings.truncate(at);
    findings.push(finding.help("repair the faults above first"));
}

/// Number of findings after which names are no longer suggested.
const MOST_SUGGESTIONS: usize = 100;
/// Names of `nil` in other languages.
const NOTHINGS: [&str; 6] = ["none", "null", "undefined", "nothing", "nullptr", "nil"];

/// A procedure and the text that contains it.
#[derive(Clone, Copy)]
struct WrittenProcedure<'a> {
    unit: &'a Unit,
    procedure: &'a ast::Procedure,
    /// Where its head begins.
    start: u32,
    /// Where the next statement of the text begins, if there is one.
    next: Option<u32>,
}

/// The procedures that a text may call by their bare names.
type Signatures = HashMap<CompactString, Signature, RandomState>;

/// State shared by all texts of a program.
struct ProgramContext<'a> {
    environment: &'a Environment<'a>,
    /// The procedures of the modules, by module number.
    modules: &'a [Signatures],
    /// Whether anything reads `LAST_ERROR`.
    sees_errors: Cell<bool>,
    /// Whether anything reads `ARGS`.
    reads_args: Cell<bool>,
}

/// The names that every body of a text may refer to.
struct BodyContext<'a> {
    registry: &'a Registry,
    settings: &'a Settings,
    sources: &'a Sources,
    signatures: &'a Signatures,
    modules: &'a [Signatures],
    top: Variables,
    doubtful: HashSet<CompactString>,
    sees_errors: &'a Cell<bool>,
    reads_args: &'a Cell<bool>,
    known: Option<KnownText<'a>>,
}

impl<'a> BodyContext<'a> {
    fn of(unit: &Unit, program: &'a ProgramContext<'a>, signatures: &'a Signatures, top: Variables) -> BodyContext<'a> {
        let mut doubtful = HashSet::new();
        doubtful_words(&unit.tree.statements, &mut doubtful);
        let Environment { registry, settings, sources, known, .. } = program.environment;
        let (modules, sees_errors, reads_args) = (program.modules, &program.sees_errors, &program.reads_args);
        let known = known.map(|procedures| KnownText::of(procedures, unit, &top, signatures, modules));
        BodyContext { registry, settings, sources, signatures, modules, top, doubtful, sees_errors, reads_args, known }
    }
}

/// The part of a procedure that its callers need.
struct Signature {
    id: ProcedureId,
    name: CompactString,
    params: Vec<Param>,
    /// Parameter names and their indices.
    places: HashMap<CompactString, usize>,
    span: Span,
}

impl Signature {
    fn of(number: usize, written: WrittenProcedure<'_>, findings: &mut Vec<Diagnostic>) -> Signature {
        let WrittenProcedure { unit, procedure, .. } = written;
        let params = procedure.params.iter().map(|param| param_of(&unit.tree, param, findings));
        let params: Vec<Param> = params.collect();
        Signature {
            id: ProcedureId(number as u32),
            name: procedure.name.text.clone(),
            places: params.iter().map(|param| param.name.clone()).zip(0..).collect(),
            params,
            span: procedure.name.span,
        }
    }

    /// Returns the number of arguments that every call must pass.
    fn required(&self) -> usize {
        required(&self.params)
    }

    /// Returns a hash of what is checked in calls.
    fn hash(&self) -> u64 {
        let params = self.params.iter().map(|param| (&param.name, param.default.is_none()));
        hash_of((&self.name, params.collect::<Vec<_>>()))
    }
}

/// Lowers a parameter and its default; problems of the default are reported.
pub fn param_of(tree: &Tree, param: &ast::Param, findings: &mut Vec<Diagnostic>) -> Param {
    let default = match param.when_absent {
        WhenAbsent::Required => None,
        WhenAbsent::Nil => Some(Value::Nil),
        WhenAbsent::Is(default) => Some(literal(tree, default, findings)),
    };
    Param { name: param.name.text.clone(), default }
}

/// Returns the signatures of procedures, which are numbered from `first`.
fn signatures(procedures: &[WrittenProcedure<'_>], first: usize, findings: &mut Vec<Diagnostic>) -> Signatures {
    let numbered = procedures.iter().zip(first..);
    let signatures = numbered.map(|(procedure, number)| Signature::of(number, *procedure, findings));
    signatures.map(|signature| (signature.name.clone(), signature)).collect()
}

/// Returns the procedures of a script and of earlier ones; a later procedure replaces an earlier one of the same name.
fn procedures_of<'a>(unit: &'a Unit, earlier: &'a [Unit], findings: &mut Vec<Diagnostic>) -> Vec<WrittenProcedure<'a>> {
    let mut procedures: Vec<WrittenProcedure<'_>> = Vec::new();
    let mut places: HashMap<&str, usize> = HashMap::new();
    let mut own: HashMap<&str, Span> = HashMap::new();
    let units = earlier.iter().chain([unit]);
    let written = |unit: &'a Unit| {
        let statements = unit.tree.statements.iter().enumerate();
        statements.filter_map(move |(number, statement)| match &statement.kind {
            StatementKind::Procedure(procedure) => {
                let next = unit.tree.statements.get(number + 1).map(|next| next.span.start);
                Some(WrittenProcedure { unit, procedure, start: statement.span.start, next })
            }
            _ => None,
        })
    };
    for written in units.flat_map(written) {
        let name = &written.procedure.name;
        if std::ptr::eq(written.unit, unit)
            && let Some(first) = own.insert(&name.text, name.span)
        {
            let message = format!("the procedure `{}` is defined twice", name.text);
            let finding = Diagnostic::error(Code::DuplicateProcedure, name.span, message);
            findings.push(finding.related(first, "defined here first").help("choose another name"));
        }
        match places.get(name.text.as_str()) {
            Some(place) => procedures[*place] = written,
            None => {
                places.insert(&name.text, procedures.len());
                procedures.push(written);
            }
        }
    }
    procedures
}

fn lower_procedure(
    WrittenProcedure { unit, procedure, .. }: WrittenProcedure<'_>,
    context: &BodyContext<'_>,
    findings: &mut Vec<Diagnostic>,
) -> Procedure {
    let params: Vec<&ast::Name> = procedure.params.iter().map(|param| &param.name).collect();
    let mut places: HashMap<&str, Span> = HashMap::new();
    for param in &params {
        if let Some(first) = places.insert(&param.text, param.span) {
            let message = format!("the parameter `{}` is given twice", param.text);
            findings.push(
                Diagnostic::error(Code::DuplicateParameter, param.span, message)
                    .related(first, "given here first")
                    .help("choose another name"),
            );
        }
    }
    let variables = Variables::of_procedure(procedure, &unit.tree, &context.top);
    let mut lowering = Lowering::new(unit, context, variables, Some(&context.top), findings);
    let block = lowering.block(&procedure.body);
    lowering.report_outer_updates(params.len());
    described(procedure, lowering.finish(block), context)
}

/// Returns a lowered procedure with its parameters and documentation.
fn described(procedure: &ast::Procedure, body: Body, context: &BodyContext<'_>) -> Procedure {
    let signature = context.signatures.get(&procedure.name.text);
    Procedure {
        name: procedure.name.text.clone(),
        params: signature.map(|signature| signature.params.clone()).unwrap_or_default(),
        body,
        documentation: procedure.documentation.clone(),
    }
}

/// How a body assigns one of its variables, for [`Lowering::report_outer_updates`].
struct Assignments {
    /// The name in the first assignment.
    first: ast::Name,
    /// Whether every assignment uses the variable's own value, so that the variable can never be set.
    only: bool,
}

/// State of lowering one body; [`stmt`], [`expr`] and [`call`] add its rules.
struct Lowering<'a> {
    tree: &'a Tree,
    uses: &'a Uses,
    context: &'a BodyContext<'a>,
    variables: Variables,
    /// The script's top-level variables, while lowering a procedure.
    outer: Option<&'a Variables>,
    /// Number of reads so far of each of the body's own variables.
    reads: HashMap<Slot, usize, RandomState>,
    /// How the body assigns each of its own variables.
    assignments: HashMap<Slot, Assignments, RandomState>,
    keeps_last: bool,
    handles_errors: bool,
    loops: usize,
    handlers: usize,
    /// The names that EVAL may use; created at the first EVAL.
    scope: Option<Rc<Scope>>,
    findings: &'a mut Vec<Diagnostic>,
}

impl<'a> Lowering<'a> {
    fn new(
        unit: &'a Unit,
        context: &'a BodyContext<'a>,
        variables: Variables,
        outer: Option<&'a Variables>,
        findings: &'a mut Vec<Diagnostic>,
    ) -> Lowering<'a> {
        Lowering {
            tree: &unit.tree,
            uses: &unit.uses,
            context,
            variables,
            outer,
            reads: HashMap::default(),
            assignments: HashMap::default(),
            keeps_last: false,
            handles_errors: false,
            loops: 0,
            handlers: 0,
            scope: None,
            findings,
        }
    }

    fn finish(self, block: super::tree::Block) -> Body {
        Body {
            block,
            slots: self.variables.names().to_vec(),
            keeps_last: self.keeps_last,
            reads_last: self.keeps_last,
            calls_unseen: false,
            handles_errors: self.handles_errors,
        }
    }

    fn report(&mut self, finding: Diagnostic) {
        self.findings.push(finding);
    }

    /// Returns the variable that a name refers to.
    fn variable(&self, name: &str) -> Option<Variable> {
        let local = self.variables.find(name).map(Variable::Local);
        local.or_else(|| self.outer.and_then(|outer| outer.find(name)).map(Variable::Outer))
    }

    /// Returns whether a line that could not be parsed may have set a name.
    fn is_doubtful(&self, name: &str) -> bool {
        self.context.doubtful.contains(name)
    }

    fn unknown_name(&self, name: &str, span: Span) -> Diagnostic {
        let finding = Diagnostic::error(Code::UnknownName, span, format!("nothing sets `{name}`"));
        if self.context.signatures.contains_key(name) {
            return finding.help(format!("`{name}` is a procedure: call it as `{name}(…)`"));
        }
        if self.uses.contains_key(name) {
            return finding.help(format!("`{name}` is a module: call its procedures as `{name}.Name(…)`"));
        }
        if let Some(builtin) = Builtin::find(name) {
            return finding.help(format!("`{name}` is a built-in: call it as `{}(…)`", builtin.name()));
        }
        if NOTHINGS.iter().any(|nothing| name.eq_ignore_ascii_case(nothing)) {
            return finding.help("write `nil` for no value; a text is written in quotes");
        }
        let values = ["true", "false", "nil", "LAST", "LAST_ERROR", "ARGS"];
        let outer = self.outer.map(Variables::names).unwrap_or_default();
        let names = self.variables.names().iter().chain(outer).map(CompactString::as_str).chain(values);
        match self.suggestion(name, names) {
            Some(near) => finding.did_you_mean(near),
            None => match other_languages::of_shell(name) {
                Some(help) => finding.help(help),
                None => finding.help(format!("set it first: `SET {name} = …`; a text is written in quotes")),
            },
        }
    }

    /// Returns the number of reads so far of a variable of this body.
    fn reads(&self, slot: Slot) -> usize {
        self.reads.get(&slot).copied().unwrap_or_default()
    }

    /// Records that a variable is assigned a value that does not depend on its own.
    fn set_afresh(&mut self, slot: Slot, name: &ast::Name) {
        self.assignments.entry(slot).or_insert(Assignments { first: name.clone(), only: false }).only = false;
    }

    /// Reports `SET total = total + 1` in a procedure that assigns `total` in no other way, if the script has a
    /// variable of that name.
    fn report_outer_updates(&mut self, params: usize) {
        let mut found: Vec<ast::Name> = Vec::new();
        for (slot, updates) in std::mem::take(&mut self.assignments) {
            let of_script = self.outer.is_some_and(|outer| outer.find(&updates.first.text).is_some());
            if updates.only && of_script && slot.0 as usize >= params && !self.is_doubtful(&updates.first.text) {
                found.push(updates.first);
            }
        }
        found.sort_by_key(|name| name.span.start);
        for name in found {
            let finding = self.cannot_change(&name);
            self.report(finding);
        }
    }

    fn cannot_change(&self, name: &ast::Name) -> Diagnostic {
        let message = format!("a procedure cannot change `{}` of the script", name.text);
        let help = format!("return the new value, and set it at the top level: `SET {} = Name(…)`", name.text);
        Diagnostic::error(Code::OuterVariable, name.span, message).help(help)
    }

    /// Returns the name that was probably meant by an unknown one. Each search compares with all names, so a script
    /// with very many findings gets no further suggestions.
    fn suggestion<'n>(&self, name: &str, names: impl IntoIterator<Item = &'n str>) -> Option<&'n str> {
        (self.findings.len() < MOST_SUGGESTIONS).then(|| nearest(name, names)).flatten()
    }

    /// Returns all names that can be read here, for EVAL.
    fn scope(&mut self) -> Rc<Scope> {
        let (variables, outer) = (&self.variables, self.outer);
        let scope = self.scope.get_or_insert_with(|| {
            let own = variables.names().iter().filter_map(|name| Some((name, Variable::Local(variables.find(name)?))));
            let outer = outer.into_iter().flat_map(|outer| {
                let unhidden = outer.names().iter().filter(|name| variables.find(name).is_none());
                unhidden.filter_map(|name| Some((name, Variable::Outer(outer.find(name)?))))
            });
            Rc::new(Scope { names: own.chain(outer).map(|(name, variable)| (name.clone(), variable)).collect() })
        });
        scope.clone()
    }
}
