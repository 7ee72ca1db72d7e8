//! The paths among the arguments of a call. An error that has only a path gets its argument from them; one that has
//! neither, such as a reached limit, gets both.

use compact_str::CompactString;

use crate::limits::Limit;
use crate::text::ToolCode;
use crate::toolkit::{Access, Bound, BoundRef, Kind, Param, ToolError};

/// The single paths among the arguments. For a list of paths, the tool knows which one is at fault.
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
    /// Collects the paths among checked arguments.
    pub fn of(params: &'static [Param], bound: &Bound<'_>) -> NamedPlaces {
        let place = |(param, arg): (&Param, BoundRef<'_>)| {
            let place = match arg {
                BoundRef::Path(place) => place,
                BoundRef::Kept(kept) => &kept.origin,
                BoundRef::Absent | BoundRef::Value(_) | BoundRef::Paths(_) => return None,
            };
            let is_changed = matches!(param.kind, Kind::Kept | Kind::Path(_, Access::Change | Access::Make));
            let (shown, address) = (place.display().into(), place.address().into());
            Some(NamedPlace { argument: param.name, shown, address, is_changed })
        };
        NamedPlaces(params.iter().zip(bound.all()).filter_map(place).collect())
    }

    /// Adds the missing argument or path to an error, as far as it can be determined.
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

    /// Returns the argument with this path, or the nearest one above it.
    fn holder_of(&self, path: &str) -> Option<&NamedPlace> {
        let is_in = |above: &str| {
            above.is_empty() || path.strip_prefix(above).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
        };
        let depth = |place: &NamedPlace| {
            if place.shown == path {
                Some(usize::MAX)
            } else if is_in(&place.shown) {
                Some(place.shown.len())
            } else if is_in(&place.address) {
                Some(place.address.len())
            } else {
                None
            }
        };
        self.0.iter().filter_map(|place| Some((depth(place)?, place))).max_by_key(|(depth, _)| *depth).map(|(_, at)| at)
    }

    /// Returns the argument that a limit error concerns: the last one that is changed, else the first one.
    fn concerned(&self, error: &ToolError) -> Option<&NamedPlace> {
        let is_limit = error.limit.is_some() || error.code == ToolCode::LimitExceeded;
        let changed = self.0.iter().rfind(|place| place.is_changed);
        changed.or(self.0.first()).filter(|_| is_limit)
    }
}

/// Whether a limit concerns the work at one path, not the whole run.
fn is_about_place(error: &ToolError) -> bool {
    error.limit.is_none_or(|hit| matches!(hit.limit, Limit::FilesChanged | Limit::BytesWritten))
}
