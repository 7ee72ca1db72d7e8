//! What a session knows, for who looks at it: its variables, procedures and modules.

use std::collections::BTreeMap;
use std::time::Duration;

use compact_str::CompactString;

use crate::limits::{Interrupt, Limits, Meter};
use crate::program::tree::Param;
use crate::program::{ModuleId, Unit, param_of};
use crate::syntax::ast::Procedure;
use crate::value::Value;

use super::super::stack::on_large_stack;
use super::super::{Engine, ProcedureInfo};
use super::Session;

/// Names of one folder that are offered at most.
const MOST_NAMES: usize = 5_000;
/// How long who types waits for them.
const PATIENCE: Duration = Duration::from_millis(300);

impl Session<'_> {
    /// The variables that are set, in the order in which they first were.
    pub fn variables(&self) -> impl Iterator<Item = (&str, &Value)> {
        let named = self.names.iter().enumerate().map(|(slot, name)| (name.as_str(), self.machine.outer(slot)));
        named.filter(|(_, value)| !matches!(value, Value::Unset))
    }

    /// The value of a variable that is set.
    pub fn variable(&self, name: &str) -> Option<&Value> {
        self.variables().find(|(known, _)| *known == name).map(|(_, value)| value)
    }

    /// The procedures, by their names.
    pub fn procedures(&self) -> impl Iterator<Item = ProcedureInfo> {
        let mut newest = BTreeMap::new();
        for procedure in self.units.iter().flat_map(infos) {
            newest.insert(procedure.name.clone(), procedure);
        }
        newest.into_values()
    }

    /// The procedure of a name, or of a name of a module and one in it.
    pub fn procedure(&self, name: &str) -> Option<ProcedureInfo> {
        match name.split_once('.') {
            Some((module, name)) => self.module_procedures(module).find(|procedure| procedure.name == name),
            None => {
                let mut all =
                    self.units.iter().rev().flat_map(|unit| unit.tree.procedures().map(move |found| (unit, found)));
                let (unit, procedure) = all.find(|(_, procedure)| procedure.name.text == name)?;
                Some(info(unit, procedure))
            }
        }
    }

    /// The names of the modules.
    pub fn modules(&self) -> impl Iterator<Item = &str> {
        self.uses.keys().map(CompactString::as_str)
    }

    /// The procedures of a module.
    pub fn module_procedures(&self, name: &str) -> impl Iterator<Item = ProcedureInfo> {
        let module = self.uses.get(name).copied().flatten();
        let unit = module.and_then(|ModuleId(number)| self.modules.get(number as usize)).map(|module| &module.unit);
        unit.into_iter().flat_map(infos)
    }

    /// What `LAST` is.
    pub fn last(&self) -> &Value {
        &self.last
    }

    /// Sets `LAST`.
    pub fn set_last(&mut self, value: Value) {
        self.last = value;
    }

    /// The engine that lines run by: while a plan goes on, one whose runs change nothing.
    pub fn engine(&self) -> &Engine {
        self.plan.as_ref().unwrap_or(self.base)
    }

    /// The names in a folder of the sandbox, as far as the policy lets tools see them, each with whether it is
    /// a folder; none where that would take long.
    pub fn names_in(&self, folder: &str) -> Vec<(String, bool)> {
        let limits =
            Limits { max_steps: MOST_NAMES as u64 * 4, timeout: Some(PATIENCE), ..self.engine().limits.clone() };
        let mut meter = Meter::new(&limits, Interrupt::default());
        let names =
            on_large_stack(|| self.engine().gate.names_in(folder, MOST_NAMES, &mut meter, self.machine.memory()));
        names.ok().and_then(Result::ok).unwrap_or_default()
    }

    /// Forgets variables, procedures and modules. What is remembered in memory stays.
    pub fn reset(&mut self) {
        self.machine.restore_top(Vec::new());
        self.names.clear();
        self.units.clear();
        self.modules.clear();
        self.uses.clear();
        self.last = Value::Nil;
    }
}

fn infos(unit: &Unit) -> impl Iterator<Item = ProcedureInfo> {
    unit.tree.procedures().map(|procedure| info(unit, procedure))
}

fn info(unit: &Unit, procedure: &Procedure) -> ProcedureInfo {
    // Lines whose defaults are at fault are not kept.
    let params = procedure.params.iter().map(|param| param_of(&unit.tree, param, &mut Vec::new()));
    ProcedureInfo::new(&procedure.name.text, &params.collect::<Vec<Param>>(), procedure.documentation.as_deref())
}
