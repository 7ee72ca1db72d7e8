//! Calls: which of them give a result that may be truncated, and which check one.

use crate::syntax::{Part, Template};
use crate::toolkit::Effect;

use super::super::tree::{Args, Call, Callee, Expr, PlacedArg, ProcedureId, Scope, Target};
use super::flow::{Holder, Source};
use super::{Follower, TRUNCATED, text_of};

/// Tools that read one key of the map in their first argument.
const READS_A_KEY: [&str; 2] = ["MAP.Get", "MAP.Has"];

impl Follower<'_> {
    /// Visits an EVAL: it prints the variables that its text names, or possibly any variable if the text is not known.
    pub(super) fn eval(&mut self, text: &Expr, scope: &Scope) {
        self.visit_checked(text);
        let Some(template) = text_of(text) else {
            scope.names.iter().for_each(|(_, variable)| self.mark_checked(self.variable(*variable)));
            return self.mark_checked(self.last);
        };
        for part in Template::new(&template) {
            let Part::Placeholder(name, _) = part else { continue };
            let (name, rest) = name.split_once('.').unwrap_or((name, TRUNCATED));
            if rest.split('.').next() == Some(TRUNCATED) {
                self.mark_checked(scope.find(name).map_or(self.last, |variable| self.variable(variable)));
            }
        }
    }

    fn mark_checked(&mut self, holder: Holder) {
        self.flow.check(Source::Holder(holder));
    }

    /// Visits a call. Returns it as a source if it calls a tool that reads.
    pub(super) fn call(&mut self, call: &Call) -> Option<Source> {
        match (call.target, &call.args) {
            (Target::Tool(id), Args::Placed { values, .. })
                if READS_A_KEY.contains(&self.registry.get(id).spec.name) =>
            {
                self.read_by_tool(values);
            }
            (_, Args::InOrder(values)) => self.visit_all_checked(values),
            (_, Args::Placed { values, .. }) => self.visit_all_checked(values.iter().map(|arg| &arg.value)),
            (_, Args::PerhapsMap(value)) => self.visit_checked(value),
        }
        let id = match call.target {
            Target::Tool(id) => id,
            // These leave LAST as it is, but for a built-in that is a statement.
            Target::Builtin(_) => return None,
            Target::HigherOrder(_, callback) => {
                if let Callee::Procedure(id) = callback.callee {
                    self.calls_procedure(id);
                }
                return None;
            }
            Target::Procedure(id) => {
                self.calls_procedure(id);
                self.flow.set(self.last, None);
                return None;
            }
        };
        let reads = self.registry.get(id).spec.effect == Effect::Reads;
        let source = reads.then_some(Source::Call(self.calls.len()));
        if reads {
            self.calls.push(call.span);
        }
        self.flow.set(self.last, source);
        source
    }

    fn calls_procedure(&mut self, id: ProcedureId) {
        self.called.push(id.0 as usize);
        self.check_by(id.0 as usize);
    }

    /// Visits `MAP.Get(map, key)` and similar calls.
    fn read_by_tool(&mut self, values: &[PlacedArg]) {
        let find = |place: usize| values.iter().find(|arg| arg.place == place).map(|arg| &arg.value);
        match (find(0), find(1).and_then(text_of)) {
            (Some(map), Some(key)) => self.read(map, &key),
            (map, _) => self.visit_all_checked(map),
        }
        self.visit_all_checked(values.iter().filter(|arg| arg.place > 0).map(|arg| &arg.value));
    }
}
