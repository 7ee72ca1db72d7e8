//! Names in a directory, for path completion: the names that a listing tool would see, and no others.

use std::ops::ControlFlow;

use crate::limits::Meter;
use crate::sandbox::{ListingPlan, PathRule};
use crate::toolkit::{Access, ToolError};

use super::assembly::Gate;
use super::call_record::CallRecord;
use super::caller::Caller;
use super::context::Context;
use super::listing::{Visit, Visited};

/// The names to return.
#[derive(Clone, Copy, Debug)]
pub struct NameRequest<'a> {
    /// The directory.
    pub folder: &'a str,
    /// The text that the names begin with.
    pub prefix: &'a str,
    /// The access that the policy must allow to the target of a name.
    pub access: Access,
    /// Maximum number of names.
    pub most: usize,
}

impl Gate {
    /// Returns the names in a directory that the policy lets a tool see, each with whether it is a directory. This is
    /// not a call, so the audit log records nothing.
    pub fn names_in(
        &self,
        NameRequest { folder, prefix, access, most }: NameRequest<'_>,
        Caller { meter, session }: Caller<'_>,
    ) -> Result<Vec<(String, bool)>, ToolError> {
        let record = CallRecord::new("completion", Vec::new(), session);
        let place = self.locator().place(folder, PathRule::RELATIVE, Access::Look, |_| {})?;
        let mut context =
            Context { meter, answer_bytes: None, world: &self.world, admission: &self.admission, record: &record };
        let root = self.world.root_of(&place);
        let is_allowed = |resolved: &str| {
            let find = || self.locator().place(&root.address_of(resolved), PathRule::INSIDE, access, |_| {});
            access == Access::Look || find().is_ok()
        };
        let plan = ListingPlan { levels: 0, tell_links: true, ..ListingPlan::default() };
        let mut names = Vec::new();
        let mut take = |visited: &mut Visited<'_, '_>, meter: &mut Meter| -> Result<ControlFlow<()>, ToolError> {
            meter.poll()?;
            let name = visited.lister.name();
            if name.starts_with(prefix) && is_allowed(&visited.lister.resolved_path()) {
                names.push((name.into_owned(), visited.lister.is_folder()));
            }
            Ok(if names.len() < most { ControlFlow::Continue(()) } else { ControlFlow::Break(()) })
        };
        context.visit(&place, Visit { plan, enters: None }, &mut take)?;
        Ok(names)
    }
}
