//! Names in a directory, for path completion: the names that a listing tool would see, and no others.

use std::ops::ControlFlow;

use crate::limits::Meter;
use crate::sandbox::{ListingPlan, PathRule};

use super::call_record::CallRecord;
use super::context::{Context, Visit};
use super::error::ToolError;
use super::gate::Gate;
use super::memory::SessionMemory;
use super::spec::Access;

impl Gate {
    /// Returns the names in a directory that the policy lets a tool see, each with whether it is a directory. This is
    /// not a call, so the audit log records nothing.
    pub fn names_in(
        &self,
        folder: &str,
        most: usize,
        meter: &mut Meter,
        session: &SessionMemory,
    ) -> Result<Vec<(String, bool)>, ToolError> {
        let record = CallRecord::new("ns repl", Vec::new(), session);
        let place = self.place(folder, PathRule::RELATIVE, Access::Look, |_| {})?;
        let mut context = Context { meter, answer_bytes: None, gate: self, record: &record };
        let plan = ListingPlan { levels: 0, tell_links: true, ..ListingPlan::default() };
        let mut names = Vec::new();
        context.visit::<ToolError>(&place, Visit { plan, enters: None }, |visited, meter| {
            meter.poll()?;
            names.push((visited.lister.name().into_owned(), visited.lister.is_folder()));
            Ok(if names.len() < most { ControlFlow::Continue(()) } else { ControlFlow::Break(()) })
        })?;
        Ok(names)
    }
}
