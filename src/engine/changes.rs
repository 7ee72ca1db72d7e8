//! What changed, place by place, with how the contents differ: of a run that is over, and of a plan.
//!
//! A change and its two contents go in, one after another, so that no more than two contents are in
//! memory. What all differences may take together is bounded.

use crate::limits::{LimitHit, Watch};
use crate::tools::{Sides, compare};

use crate::value::{Map, Value};

pub use crate::toolkit::Content;
pub use crate::tools::Diff;

use super::{ShownChange, What};

/// The most bytes of a content that is compared line by line; whoever reads contents need read no more.
pub const COMPARED_BYTES: u64 = 1 << 20;
/// The most bytes of contents that are compared at all, of all changes together.
const ALL_COMPARED: usize = 64 << 20;
/// The most bytes of all differences together.
const SHOWN_BYTES: usize = 4 << 20;

/// A change, and how the contents differ.
#[derive(Clone, Debug)]
pub struct Described {
    /// The change.
    pub change: ShownChange,
    /// How the contents differ.
    pub difference: Difference,
}

impl Described {
    /// A change as a map, for programs and tables; `diff` is there where differences were asked for.
    pub fn row(&self) -> Value {
        let Described { change, difference } = self;
        let size =
            |size: Option<u64>| size.filter(|_| !change.is_folder).map_or(Value::Nil, |size| Value::from(size as i64));
        let word = match change.what {
            What::Created => "created",
            What::Changed => "changed",
            What::Mode(..) => "mode",
            What::Moved(_) => "moved",
            What::Deleted => "deleted",
        };
        let detail = match &change.what {
            What::Mode(before, after) => Value::text(&format!("{before:04o} to {after:04o}")),
            What::Moved(from) => Value::text(&format!("from {}", from.shown())),
            _ => Value::Nil,
        };
        let slash = if change.is_folder { "/" } else { "" };
        let row = Map::with_capacity(12)
            .with("what", word)
            .with("path", format!("{}{slash}", change.path.shown()).as_str())
            .with("detail", detail)
            .with("before", size(change.sizes.0))
            .with("after", size(change.sizes.1))
            .with("kept", change.kept.as_ref().map_or(Value::Nil, |kept| Value::text(&kept.shown())));
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

/// How two contents differ.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Difference {
    /// There are no contents, or they are the same.
    None,
    /// As texts. The unified format is empty where it was not asked for.
    Text(Diff),
    /// One of them is no text.
    Binary,
    /// It is not known, and why: a clause.
    Unknown(String),
}

/// What finds out how contents differ.
#[derive(Debug)]
pub struct Differ {
    watch: Watch,
    /// Whether differences are shown, or only counted.
    shows: bool,
    compared: usize,
    shown: usize,
}

impl Differ {
    /// One that only counts lines.
    pub fn counting(watch: Watch) -> Differ {
        Differ { watch, shows: false, compared: 0, shown: 0 }
    }

    /// One that gives the differences too.
    pub fn showing(watch: Watch) -> Differ {
        Differ { shows: true, ..Differ::counting(watch) }
    }

    /// Says how the contents of a change differ.
    pub fn describe(&mut self, change: ShownChange, old: Content, new: Content) -> Result<Described, LimitHit> {
        self.watch.poll()?;
        let difference = self.difference(&change, &old, &new)?;
        Ok(Described { change, difference })
    }

    fn difference(&mut self, change: &ShownChange, old: &Content, new: &Content) -> Result<Difference, LimitHit> {
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
        let Some(mut diff) = compare(&change.path.shown(), Sides { old, new }, &self.watch)? else {
            return Ok(Difference::Binary);
        };
        if !self.shows || self.shown + diff.text.len() > SHOWN_BYTES {
            diff.text = String::new();
        }
        self.shown += diff.text.len();
        Ok(Difference::Text(diff))
    }
}

/// The bytes of a content, if there is one; why they cannot be had.
fn bytes(content: &Content) -> Result<Option<&[u8]>, &str> {
    match content {
        Content::Nothing => Ok(None),
        Content::Bytes(bytes) if bytes.len() as u64 > COMPARED_BYTES => Err("it is too large to be compared"),
        Content::Bytes(bytes) => Ok(Some(bytes)),
        Content::Unknown(why) => Err(why),
    }
}
