//! Changes with content differences, entry by entry, for finished runs and for plans.
//!
//! Each change is passed in with its two contents, so that at most two contents are in memory. The total size of all
//! differences is limited.

use crate::limits::{LimitHit, Watch};
use crate::sandbox::Timestamp;
use crate::tools::{Sides, compare};

use crate::value::time::{rfc3339, rfc3339_exact};
use crate::value::{Map, Value};

pub use crate::gate::Content;
pub use crate::tools::Diff;

use super::{ChangeKind, ChangeReport};

/// Maximum number of bytes of a content that is compared line by line; callers need not read more.
pub const COMPARED_BYTES: u64 = 1 << 20;
/// Maximum number of bytes of all contents that are compared.
const ALL_COMPARED: usize = 64 << 20;
/// Maximum number of bytes of all differences.
const SHOWN_BYTES: usize = 4 << 20;

/// Describes a change of a modification time, with as many decimals as tell the times apart.
pub fn time_span(before: Timestamp, after: Timestamp) -> String {
    let is_within_second = before.seconds == after.seconds;
    let text = |time: Timestamp| {
        if is_within_second { rfc3339_exact(time.seconds, time.nanos) } else { rfc3339(time.seconds) }
    };
    format!("{} to {}", text(before), text(after))
}

/// A change with its content difference.
#[derive(Clone, Debug)]
pub struct Described {
    /// The change.
    pub change: ChangeReport,
    /// The content difference.
    pub difference: Difference,
}

impl Described {
    /// Returns the change as a map, for programs and tables; it has `diff` if differences were requested.
    pub fn row(&self) -> Value {
        let Described { change, difference } = self;
        let size =
            |size: Option<u64>| size.filter(|_| !change.is_folder).map_or(Value::Nil, |size| Value::from(size as i64));
        let word = match change.what {
            ChangeKind::Created => "created",
            ChangeKind::Changed => "changed",
            ChangeKind::Mode(..) => "mode",
            ChangeKind::Modified(..) => "time",
            ChangeKind::Moved(_) => "moved",
            ChangeKind::Deleted => "deleted",
        };
        let detail = match &change.what {
            ChangeKind::Mode(before, after) => Value::text(&format!("{before:04o} to {after:04o}")),
            ChangeKind::Modified(before, after) => Value::text(&time_span(*before, *after)),
            ChangeKind::Moved(from) => Value::text(&format!("from {}", from.display())),
            _ => Value::Nil,
        };
        let slash = if change.is_folder { "/" } else { "" };
        let row = Map::with_capacity(12)
            .with("what", word)
            .with("path", format!("{}{slash}", change.path.display()).as_str())
            .with("detail", detail)
            .with("before", size(change.sizes.0))
            .with("after", size(change.sizes.1))
            .with("kept", change.kept.as_ref().map_or(Value::Nil, |kept| Value::text(&kept.display())));
        let row = match change.holds {
            Some(holds) => row.with("files", holds.files as i64).with("bytes", holds.bytes as i64),
            None => row,
        };
        match difference {
            Difference::None => row,
            Difference::Binary => row.with("note", "binary"),
            Difference::Unknown(why) => row.with("note", why.as_str()),
            Difference::Text(diff) => {
                let row = row.with("added", diff.added as i64).with("removed", diff.removed as i64);
                if diff.text.is_empty() { row } else { row.with("diff", diff.text.as_str()) }
            }
        }
        .into()
    }
}

/// The difference between two contents.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Difference {
    /// There are no contents, or they are equal.
    None,
    /// A text difference. The unified diff is empty if it was not requested.
    Text(Diff),
    /// One of the contents is binary.
    Binary,
    /// The difference is unknown; a clause says why.
    Unknown(String),
}

/// Compares the contents of changes, within limits on their total size.
#[derive(Debug)]
pub struct Differ {
    watch: Watch,
    /// Whether differences are returned as text, or only counted.
    shows: bool,
    compared: usize,
    shown: usize,
}

impl Differ {
    /// Creates a differ that only counts lines.
    pub fn counting(watch: Watch) -> Differ {
        Differ { watch, shows: false, compared: 0, shown: 0 }
    }

    /// Creates a differ that also returns the differences as text.
    pub fn showing(watch: Watch) -> Differ {
        Differ { shows: true, ..Differ::counting(watch) }
    }

    /// Compares the contents of a change.
    pub fn describe(&mut self, change: ChangeReport, old: Content, new: Content) -> Result<Described, LimitHit> {
        self.watch.poll()?;
        let difference = self.difference(&change, &old, &new)?;
        Ok(Described { change, difference })
    }

    fn difference(&mut self, change: &ChangeReport, old: &Content, new: &Content) -> Result<Difference, LimitHit> {
        let (old, new) = match (bytes(old), bytes(new)) {
            (Err(why), _) | (_, Err(why)) => return Ok(Difference::Unknown(why.to_owned())),
            (Ok(old), Ok(new)) => (old, new),
        };
        if old == new {
            return Ok(Difference::None);
        }
        self.compared += old.map_or(0, <[u8]>::len) + new.map_or(0, <[u8]>::len);
        if self.compared > ALL_COMPARED {
            return Ok(Difference::Unknown("so much changed that it is not compared".to_owned()));
        }
        let Some(mut diff) = compare(&change.path.display(), Sides { old, new }, &self.watch)? else {
            return Ok(Difference::Binary);
        };
        if !self.shows || self.shown + diff.text.len() > SHOWN_BYTES {
            diff.text = String::new();
        }
        self.shown += diff.text.len();
        Ok(Difference::Text(diff))
    }
}

/// Returns the bytes of a content, if there is one. The error says why they are not available.
fn bytes(content: &Content) -> Result<Option<&[u8]>, &str> {
    match content {
        Content::Nothing => Ok(None),
        Content::Bytes(bytes) if bytes.len() as u64 > COMPARED_BYTES => Err("it is too large to be compared"),
        Content::Bytes(bytes) => Ok(Some(bytes)),
        Content::Unknown(why) => Err(why),
    }
}
