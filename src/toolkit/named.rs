//! The places that the arguments of a call name, by which an error that knows its path finds the argument,
//! and one that knows neither, such as a limit's, finds both.

use compact_str::CompactString;

use crate::limits::Limit;
use crate::text::ToolCode;

use super::bound::{Bound, BoundRef};
use super::error::ToolError;
use super::spec::{Access, Kind, Param};

/// The places of single paths; of a list the tool knows which one is at fault.
#[derive(Debug, Default)]
pub struct NamedPlaces(Vec<NamedPlace>);

#[derive(Debug)]
struct NamedPlace {
    argument: &'static str,
    shown: CompactString,
    address: CompactString,
    is_changed: bool,
}

impl NamedPlaces {
    /// The places among checked arguments.
    pub fn of(params: &'static [Param], bound: &Bound<'_>) -> NamedPlaces {
        let place = |(param, arg): (&Param, BoundRef<'_>)| {
            let place = match arg {
                BoundRef::Path(place) => place,
                BoundRef::Kept(kept) => &kept.origin,
                BoundRef::Absent | BoundRef::Value(_) | BoundRef::Paths(_) => return None,
            };
            let is_changed = matches!(param.kind, Kind::Kept | Kind::Path(_, Access::Change | Access::Make));
            let (shown, address) = (place.shown().into(), place.address().into());
            Some(NamedPlace { argument: param.name, shown, address, is_changed })
        };
        NamedPlaces(params.iter().zip(bound.all()).filter_map(place).collect())
    }

    /// An error with its argument and path, as far as they can be told from each other.
    pub fn complete(&self, error: ToolError) -> ToolError {
        match (error.argument, &error.path) {
            (Some(_), Some(_)) => error,
            (Some(argument), None) => match self.0.iter().find(|place| place.argument == argument) {
                Some(place) => error.path(&*place.shown),
                None => error,
            },
            (None, Some(path)) => match self.holder_of(path) {
                Some(place) => error.argument(place.argument),
                None => error,
            },
            (None, None) => match self.concerned(&error) {
                Some(place) if is_about_place(&error) => error.argument(place.argument).path(&*place.shown),
                Some(place) => error.path(&*place.shown),
                None => error,
            },
        }
    }

    /// The place that a path is, or the nearest one that holds it.
    fn holder_of(&self, path: &str) -> Option<&NamedPlace> {
        let is_in = |above: &str| {
            above.is_empty() || path.strip_prefix(above).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
        };
        let depth = |place: &NamedPlace| match () {
            () if place.shown == path => Some(usize::MAX),
            () if is_in(&place.shown) => Some(place.shown.len()),
            () if is_in(&place.address) => Some(place.address.len()),
            () => None,
        };
        self.0.iter().filter_map(|place| Some((depth(place)?, place))).max_by_key(|(depth, _)| *depth).map(|(_, at)| at)
    }

    /// The place that a limit is about: the one that is changed, else the first.
    fn concerned(&self, error: &ToolError) -> Option<&NamedPlace> {
        let is_limit = error.limit.is_some() || error.code == ToolCode::LimitExceeded;
        let changed = self.0.iter().rfind(|place| place.is_changed);
        changed.or(self.0.first()).filter(|_| is_limit)
    }
}

/// Whether a limit is about what is done at the place, and not about the whole run.
fn is_about_place(error: &ToolError) -> bool {
    error.limit.is_none_or(|hit| matches!(hit.limit, Limit::FilesChanged | Limit::BytesWritten))
}
