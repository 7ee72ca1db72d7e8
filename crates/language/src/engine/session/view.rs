//! Views of a session: its variables, procedures and modules.

use std::collections::BTreeMap;

use compact_str::CompactString;

use crate::program::tree::Param;
use crate::program::{ModuleId, Unit, param_of};
use crate::syntax::ast::Procedure;
use crate::toolkit::Access;
use crate::value::Value;

use super::super::{Engine, NamesWanted, ProcedureInfo};
use super::Session;

impl Session<'_> {
    /// Returns the variables that are set, in the order in which they were first set.
    pub fn variables(&self) -> impl Iterator<Item = (&str, &Value)> {
        let named = self.names.iter().enumerate().map(|(slot, name)| (name.as_str(), self.machine.outer(slot)));
        named.filter(|(_, value)| !matches!(value, Value::Unset))
    }

    /// Returns the value of a variable, if it is set.
    pub fn variable(&self, name: &str) -> Option<&Value> {
        self.variables().find(|(known, _)| *known == name).map(|(_, value)| value)
    }

    /// Returns the procedures, sorted by name.
    pub fn procedures(&self) -> impl Iterator<Item = ProcedureInfo> {
        let mut newest = BTreeMap::new();
        for procedure in self.units.iter().flat_map(infos) {
            newest.insert(procedure.name.clone(), procedure);
        }
        newest.into_values()
    }

    /// Returns a procedure by its name, or by `module.name`.
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

    /// Returns the names of the modules.
    pub fn modules(&self) -> impl Iterator<Item = &str> {
        self.uses.keys().map(CompactString::as_str)
    }

    /// Returns the procedures of a module.
    pub fn module_procedures(&self, name: &str) -> impl Iterator<Item = ProcedureInfo> {
        let module = self.uses.get(name).copied().flatten();
        let unit = module.and_then(|ModuleId(number)| self.modules.get(number as usize)).map(|module| &module.unit);
        unit.into_iter().flat_map(infos)
    }

    /// Returns the value of `LAST`.
    pub fn last(&self) -> &Value {
        &self.last
    }

    /// Sets `LAST`.
    pub fn set_last(&mut self, value: Value) {
        self.last = value;
    }

    /// Returns the engine that runs lines; while planning, it changes nothing.
    pub fn engine(&self) -> &Engine {
        self.plan.as_ref().unwrap_or(self.base)
    }

    /// Returns the names in a directory of the sandbox that begin with a text and that the policy lets tools see, each
    /// with whether it is a directory. Empty if that would take too long.
    pub fn names_in(&self, folder: &str, prefix: &str) -> Vec<(String, bool)> {
        let wanted = NamesWanted { folder, prefix, access: Access::Look };
        self.engine().names_in(wanted, self.machine.memory()).unwrap_or_default()
    }

    /// Forgets variables, procedures and modules. Session and project memory stay.
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
    // Lines with invalid defaults are not kept.
    let params = procedure.params.iter().map(|param| param_of(&unit.tree, param, &mut Vec::new()));
    ProcedureInfo::new(&procedure.name.text, &params.collect::<Vec<Param>>(), procedure.documentation.as_deref())
}
