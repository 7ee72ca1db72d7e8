//! The result of a check with the trees that it is based on, for editors.

use crate::limits::space;
use crate::program::{Entry, Module, ModuleId, Occurrences, SymbolText, Unit, constant, occurrences, param_of};
use crate::syntax::ast::{Procedure, Tree};
use crate::text::{Source, Sources, Span};

use super::prepare::{Prepared, Purpose};
use super::stack::on_large_stack;
use super::{Checked, Engine, Info, KnownTexts, ProcedureInfo, Script, internal_fault};

/// A checked script with its tree and those of its modules.
pub struct Analysis {
    /// The texts and the findings.
    pub checked: Checked,
    unit: Unit,
    modules: Vec<Module>,
}

/// A text of an analysis: the script, or a module.
#[derive(Clone, Copy)]
pub struct AnalyzedText<'a> {
    /// The text.
    pub source: &'a Source,
    /// Its tree, complete for all lines without findings.
    pub tree: &'a Tree,
    /// The module; `None` for the script.
    pub module: Option<ModuleId>,
    /// The address of the module's file; `None` for the script.
    pub address: Option<&'a str>,
    unit: &'a Unit,
    modules: &'a [Module],
    sources: &'a Sources,
}

impl Engine {
    /// Checks a script like [`Engine::check`], and keeps its tree.
    pub fn analyze(&self, script: &Script) -> Analysis {
        self.analyze_with(script, None)
    }

    /// Like [`Engine::analyze`], for a new version of a script that was analyzed with the same known texts.
    pub fn analyze_again(&self, script: &Script, known: &KnownTexts) -> Analysis {
        self.analyze_with(script, Some(known))
    }

    fn analyze_with(&self, script: &Script, known: Option<&KnownTexts>) -> Analysis {
        let _space = space::enter(&self.limits);
        on_large_stack(|| {
            let Prepared { sources, findings, program, unit, modules, interface, .. } =
                self.prepare(script, Purpose::Check { known });
            let info = Info::of(&unit.tree, &program, interface.ok());
            Analysis { checked: Checked { sources, findings, info }, unit, modules }
        })
        .unwrap_or_else(|panic| {
            let findings = vec![internal_fault(&panic)];
            let checked = Checked { sources: Sources::new(), findings, info: Info::default() };
            Analysis { checked, unit: Unit::default(), modules: Vec::new() }
        })
    }
}

impl Analysis {
    /// Returns the script, unless the check failed.
    pub fn script(&self) -> Option<AnalyzedText<'_>> {
        let sources = &self.checked.sources;
        let source = sources.iter().find(|source| !source.is_module())?;
        let (unit, modules) = (&self.unit, &self.modules[..]);
        Some(AnalyzedText { source, tree: &unit.tree, module: None, address: None, unit, modules, sources })
    }

    /// Returns the modules that the script uses, directly or through others.
    pub fn modules(&self) -> impl Iterator<Item = AnalyzedText<'_>> {
        (0..self.modules.len()).filter_map(|number| self.module(ModuleId(number as u32)))
    }

    /// Returns a module.
    pub fn module(&self, id: ModuleId) -> Option<AnalyzedText<'_>> {
        self.script()?.module(id)
    }
}

impl<'a> AnalyzedText<'a> {
    /// Returns the module that this text calls by a name.
    pub fn module_named(&self, name: &str) -> Option<AnalyzedText<'a>> {
        self.module(self.unit.uses.get(name).copied().flatten()?)
    }

    /// Returns the names of the modules that this text uses.
    pub fn module_names(&self) -> impl Iterator<Item = &'a str> {
        self.unit.uses.keys().map(compact_str::CompactString::as_str)
    }

    /// Returns the signatures and documentation of the procedures of this text, in source order.
    pub fn procedures(&self) -> impl Iterator<Item = ProcedureInfo> {
        self.tree.procedures().map(|procedure| self.info_of(procedure))
    }

    /// Returns the procedure that this text calls by a name, such as `Sum` or `dates.Format`.
    pub fn procedure(&self, name: &str) -> Option<ProcedureInfo> {
        let (text, name) = match name.split_once('.') {
            Some((module, name)) => (self.module_named(module)?, name),
            None => (*self, name),
        };
        let procedure = text.tree.procedures().find(|procedure| procedure.name.text == name)?;
        Some(text.info_of(procedure))
    }

    /// Returns the occurrences of all names in this text.
    pub fn occurrences(&self, engine: &Engine) -> Occurrences {
        let text = SymbolText {
            unit: self.unit,
            module: self.module,
            source: self.source,
            modules: self.modules,
            registry: engine.registry(),
        };
        on_large_stack(|| occurrences(text)).unwrap_or_default()
    }

    /// Returns the literal that is the only value of a variable of this text. The procedure is given by its number;
    /// `None` is the top level.
    pub fn constant(&self, procedure: Option<usize>, name: &str) -> Option<&'a str> {
        let span = on_large_stack(|| constant(self.tree, procedure, name)).ok().flatten()?;
        Some(self.source.slice(span))
    }

    /// Returns the procedure that has the name of an entry point, `Main` before `main`.
    pub fn main_procedure(&self) -> Option<&'a Procedure> {
        Entry::main(self.tree.procedures())
    }

    /// Returns the address of a module's file.
    pub fn address_of(&self, module: ModuleId) -> Option<&'a str> {
        self.modules.get(module.0 as usize).map(|module| module.address.as_str())
    }

    /// Returns the span of the text.
    pub fn span(&self) -> Span {
        self.source.span()
    }

    fn module(&self, id: ModuleId) -> Option<AnalyzedText<'a>> {
        let Module { unit, span, address } = self.modules.get(id.0 as usize)?;
        let source = self.sources.of(*span)?;
        Some(AnalyzedText { source, tree: &unit.tree, module: Some(id), address: Some(address), unit, ..*self })
    }

    fn info_of(&self, procedure: &Procedure) -> ProcedureInfo {
        let params: Vec<_> = procedure.params.iter().map(|param| param_of(self.tree, param, &mut Vec::new())).collect();
        ProcedureInfo::new(&procedure.name.text, &params, procedure.documentation.as_deref())
    }
}
