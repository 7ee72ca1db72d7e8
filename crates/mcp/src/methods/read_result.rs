//! `read_result`: returns the next part of a truncated answer.

use crate::text::ToolCode;
use crate::toolkit::{Excerpt, NextPart, Spec, ToolError, arguments, read_on, rest_as_json};
use crate::value::Str;

use super::super::recent_answers::RecentAnswers;

pub const SPEC: Spec = super::reading(
    "NS.ReadResult",
    "read_result",
    "Reads on where an answer was cut: `result` is the next part of its list or text",
);

arguments! {
    struct Args {
        cursor: Str = Required, Kind::Text, "`next_cursor` of the answer that was cut, or its handle, `:` and an offset";
    }
}

/// Returns the next part of an answer, with the handle under which the answer is stored.
pub fn read_result(args: &Args, recent: &RecentAnswers, bytes: u64) -> Result<(String, Excerpt), ToolError> {
    let cursor = args.cursor.as_text();
    let bad = |message: String| {
        ToolError::bad_argument("cursor", message).hint("give the `next_cursor` of an answer as it is")
    };
    let shown = crate::value::print::shortened(&cursor, 60);
    let (handle, offset) = cursor.rsplit_once(':').ok_or_else(|| bad(format!("`{shown}` is no cursor")))?;
    let offset: usize = offset.parse().map_err(|_| bad(format!("`{shown}` is no cursor")))?;
    let Some(body) = recent.find(handle) else {
        let message = format!("the answer that `{shown}` is part of is no longer kept");
        return Err(ToolError::new(ToolCode::NotFound, message).argument("cursor").hint("make the call again"));
    };
    match read_on(&body, offset, bytes)? {
        NextPart::Part(part) => Ok((handle.to_owned(), part)),
        // The parts became smaller since. The rest is stored under a handle of its own.
        NextPart::Needs(_) => Ok((handle.to_owned(), rest_as_json(&body, offset, bytes)?)),
        NextPart::Behind => Err(bad(format!("`{shown}` lies behind the end of the answer, or inside a character"))),
    }
}
