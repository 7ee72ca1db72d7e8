//! Hints behind the cursor: the parameters of the call that is being typed.

use crate::completion::{At, CursorContext, parameters};
use crate::engine::Session;

use super::names::SessionNames;

/// Minimum width of a hint in columns.
const LEAST: usize = 8;

/// Returns the rest of the signature of the call at the end of a text, shortened to `room` columns.
pub fn hint(session: &Session<'_>, text: &str, room: usize) -> Option<String> {
    let place = CursorContext::of(text);
    let hint = match (place.at, place.call()) {
        (At::Word(word), _) if !word.is_empty() && place.owner().is_some() => whole(&place.name(), session)?,
        (At::Word(word), Some(call)) => {
            let is_fresh = call.is_fresh && word.is_empty();
            let skipped = call.arguments + usize::from(!is_fresh);
            let rest = parameters(&call.callee, &SessionNames(session))?.into_iter().skip(skipped);
            let rest: Vec<String> =
                rest.filter(|(name, _)| !call.given.contains(name)).map(|(_, shown)| shown).collect();
            match (is_fresh, rest.is_empty()) {
                (_, true) => ")".to_owned(),
                (true, false) => format!("{})", rest.join(", ")),
                (false, false) => format!(", {})", rest.join(", ")),
            }
        }
        (At::Word(word), None) if !word.is_empty() => whole(word, session)?,
        _ => return None,
    };
    shortened(hint, room)
}

/// Returns the signature for a complete name.
fn whole(name: &str, session: &Session<'_>) -> Option<String> {
    let is_name = session.procedure(name).is_some() || name.contains('.') || name.chars().all(char::is_uppercase);
    let parameters = parameters(name, &SessionNames(session)).filter(|_| is_name)?;
    let shown: Vec<String> = parameters.into_iter().map(|(_, shown)| shown).collect();
    Some(format!("({})", shown.join(", ")))
}

fn shortened(hint: String, room: usize) -> Option<String> {
    let length = hint.chars().count();
    if length <= room {
        return Some(hint);
    }
    (room >= LEAST).then(|| hint.chars().take(room - 1).chain(['…']).collect())
}
