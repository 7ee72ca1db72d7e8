//! Preparation of a script for a check or a run: the text is parsed, its modules are loaded, and all is lowered.

use std::cell::RefCell;

use crate::gate::SessionMemory;
use crate::limits::{MemoryCharge, Watch};
use crate::program::lint::LintContext;
use crate::program::truncation::mark_truncations;
use crate::program::{
    Environment, Interface, KnownProcedures, Module, Observed, Unit, discard_unread, lint, lower, mark_last_uses,
    mark_unread, tree::Program,
};
use crate::syntax::TextLimits;
use crate::text::{Code, Diagnostic, Sources, Span};

use super::modules::Loader;
use super::parse::{parse_known, uncalled_main};
use super::required_version::keep_version_findings;
use super::{Engine, KnownTexts, Script, admit_text};

/// The purpose of parsing and lowering a script.
#[derive(Clone, Copy)]
pub(super) enum Purpose<'a> {
    /// To report errors and probable mistakes. `known` is what an earlier version of the text has in common with it.
    Check { known: Option<&'a KnownTexts> },
    /// To run it. `memory` is the session that loads its modules, `procedure` the requested entry point, `watch` the
    /// time limit. A debugger shows every variable, so nothing is left out of a program for one.
    Run { memory: &'a SessionMemory, procedure: Option<&'a str>, watch: &'a Watch, for_debugger: bool },
}

impl<'a> Purpose<'a> {
    fn session(self) -> Option<&'a SessionMemory> {
        match self {
            Purpose::Check { .. } => None,
            Purpose::Run { memory, .. } => Some(memory),
        }
    }

    fn watch(self) -> Option<&'a Watch> {
        match self {
            Purpose::Check { .. } => None,
            Purpose::Run { watch, .. } => Some(watch),
        }
    }

    /// Returns the finding that the time limit was reached, or that somebody interrupts.
    fn stopped(self) -> Option<Diagnostic> {
        let hit = self.watch()?.poll().err()?;
        let finding = Diagnostic::placeless(hit.limit.code(), format!("reading the script is stopped: {hit}"));
        Some(hit.limit.help().into_iter().fold(finding, Diagnostic::help))
    }

    fn procedure(self) -> Option<&'a str> {
        match self {
            Purpose::Check { .. } => None,
            Purpose::Run { procedure, .. } => procedure,
        }
    }

    fn known(self) -> Option<&'a KnownTexts> {
        match self {
            Purpose::Check { known } => known,
            Purpose::Run { .. } => None,
        }
    }
}

/// A parsed and lowered script.
pub(super) struct Prepared {
    pub sources: Sources,
    pub findings: Vec<Diagnostic>,
    /// The memory that the texts need.
    pub held: MemoryCharge,
    pub program: Program,
    pub unit: Unit,
    /// The modules that the script uses.
    pub modules: Vec<Module>,
    /// The warning that the run never calls `Main`.
    pub uncalled_main: Option<Diagnostic>,
    /// The command-line interface, or the reason why the entry point is unknown.
    pub interface: Result<Interface, Diagnostic>,
}

impl Prepared {
    /// Returns the result for a script that is not even parsed.
    fn refused(sources: Sources, findings: Vec<Diagnostic>, held: MemoryCharge) -> Prepared {
        let (program, unit, interface, modules) = Default::default();
        Prepared { sources, findings, held, program, unit, modules, uncalled_main: None, interface: Ok(interface) }
    }
}

impl Engine {
    pub(super) fn prepare(&self, script: &Script, purpose: Purpose<'_>) -> Prepared {
        let mut sources = Sources::new();
        let mut findings = Vec::new();
        let mut held = MemoryCharge::default();
        let (text, undecodable) = script.decode_script(self.limits.script_bytes);
        let source = sources.add(script.name(), text);
        if let Some(finding) = undecodable.or_else(|| admit_text(source, &mut held)) {
            return Prepared::refused(sources, vec![finding], held);
        }
        let span = source.span();
        let limits = TextLimits { deadline: purpose.watch().and_then(Watch::deadline), ..self.text_limits() };
        let known = purpose.known();
        let lines = known.map(|known| &known.lines);
        let tree = parse_known(source, limits, &mut findings, lines);
        let mut modules = Vec::new();
        let (engine, session) = (self, purpose.session());
        let mut loader = Loader {
            engine,
            limits,
            known: lines,
            session,
            sources: &mut sources,
            findings: &mut findings,
            modules: &mut modules,
            held: &mut held,
        };
        let uses = loader.load(span, &tree);
        if let Some(lines) = lines {
            lines.borrow_mut().end_parse();
        }
        if let Some(finding) = purpose.stopped() {
            return Prepared::refused(sources, vec![finding], held);
        }
        if keep_version_findings(&mut findings) {
            return Prepared::refused(sources, findings, held);
        }
        let mut of_interface = Vec::new();
        let mut interface = Interface::of(&tree, purpose.procedure(), &mut of_interface);
        // Only a check reports these warnings, and it finds them again.
        findings.extend(of_interface.into_iter().filter(Diagnostic::is_error));
        let unit = Unit { tree, uses };
        let (registry, settings) = (self.gate.registry(), self.gate.settings());
        let known = known.map(|known| &known.procedures);
        if let Some(known) = known {
            known.borrow_mut().begin_check();
        }
        let (earlier, variables) = (&[], &[]);
        let environment =
            Environment { registry, settings, earlier, variables, modules: &modules, sources: &sources, known };
        let program = lower(&unit, &environment, &mut findings);
        if let Some(finding) = purpose.stopped() {
            return Prepared::refused(sources, vec![finding], held);
        }
        if let Ok(interface) = &mut interface {
            interface.reads_args = program.reads_args;
        }
        let mut prepared = Prepared { sources, findings, held, program, unit, modules, uncalled_main: None, interface };
        match purpose {
            Purpose::Check { .. } => {
                self.lint(&mut prepared, script, span, known);
                if let Some(known) = known {
                    known.borrow_mut().end_check();
                }
            }
            Purpose::Run { for_debugger, procedure, .. } => {
                self.optimize(&mut prepared.program, for_debugger);
                if procedure.is_none()
                    && let Some(source) = prepared.sources.of(span)
                {
                    prepared.uncalled_main = uncalled_main(script, source, &prepared.unit.tree);
                }
            }
        }
        prepared.findings.sort_by_key(|finding| finding.span());
        prepared
    }

    /// Leaves out what a run does not need, and marks where values can be moved and where results may be truncated.
    fn optimize(&self, program: &mut Program, for_debugger: bool) {
        mark_truncations(program, self.gate.registry());
        if for_debugger {
            mark_unread(program);
            mark_last_uses(program, Observed::BetweenStatements);
        } else {
            discard_unread(program);
            self.project(program);
            mark_last_uses(program, Observed::Never);
        }
    }

    /// Lints the modules of a script, then the script itself, whose text is at `span`.
    fn lint(&self, prepared: &mut Prepared, script: &Script, span: Span, known: Option<&RefCell<KnownProcedures>>) {
        let Prepared { sources, findings, program, unit, modules, .. } = prepared;
        let (gate, limits, strict) = (&self.gate, self.text_limits(), self.strict);
        let context = LintContext { program, gate, limits, strict, known };
        let texts = modules.iter().map(|module| (module.span, &module.unit.tree));
        for (span, tree) in texts.chain([(span, &unit.tree)]) {
            let source = sources.of(span).expect("the texts were added");
            lint::lint(source, tree, context, findings);
        }
        if script.is_markdown() {
            // The blocks of a page are often scripts of their own.
            findings.retain(|finding| finding.code != Code::UncalledMain.into());
        }
    }
}
