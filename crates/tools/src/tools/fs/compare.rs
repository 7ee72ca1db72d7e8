//! The difference between two versions of a file, for front ends that show changes. The texts are decoded as by
//! `FS.ReadFile`.

use crate::limits::{LimitHit, Watch};

use super::super::diff::{Diff, Sides, unified};
use super::encoding::decode_whole;

/// Number of context lines around each change.
const CONTEXT_LINES: usize = 3;
/// The name of a missing file in a diff.
const NOTHING: &str = "/dev/null";

/// Returns the difference between the old and new content of a path, or `None` if one of them is binary.
pub fn compare(path: &str, content: Sides<Option<&[u8]>>, watch: &Watch) -> Result<Option<Diff>, LimitHit> {
    let text = |bytes: Option<&[u8]>| -> Result<Option<String>, LimitHit> {
        match bytes {
            Some(bytes) => Ok(decode_whole(bytes, None)?.map(|decoded| decoded.text)),
            None => Ok(Some(String::new())),
        }
    };
    let (Some(old), Some(new)) = (text(content.old)?, text(content.new)?) else { return Ok(None) };
    let name = |side: &str, bytes: Option<&[u8]>| match bytes {
        Some(_) => format!("{side}/{path}"),
        None => NOTHING.to_owned(),
    };
    let (old_name, new_name) = (name("a", content.old), name("b", content.new));
    let names = Sides { old: old_name.as_str(), new: new_name.as_str() };
    unified(Sides { old: &old, new: &new }, names, CONTEXT_LINES, watch).map(Some)
}
