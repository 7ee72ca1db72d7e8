//! The refusals of sandbox and policy in a run. If one of them causes the end of the run, the run counts as refused,
//! whether the script ended with the error itself, a missing field of the result, or `FAIL r.error`.
//!
//! No message is compared. A refused fault marks the text of its message ([`Fault::message_text`]); concatenation keeps
//! the mark, and whatever ends the run with a marked text is refused as well. The value rooms only carry the mark.

use crate::text::{FindingCode, ToolCode};
use crate::value::Value;

use super::fault::Fault;

/// Whether an error follows from the newest call, given its `last_error`: the script failed by itself or used a result
/// that is nil, and that call was refused.
pub fn follows(fault: &Fault, last_error: &Value) -> bool {
    (fault.code == ToolCode::Fail.into() || fault.is_of_nil) && is_refused(last_error)
}

/// Whether a code means a refusal by sandbox or policy.
pub fn is_refusal(code: FindingCode) -> bool {
    [ToolCode::SandboxViolation, ToolCode::PolicyDenied].into_iter().any(|refusal| code == refusal.into())
}

/// Whether the newest call was refused.
fn is_refused(last_error: &Value) -> bool {
    let Value::Map(error) = last_error else { return false };
    let code = error.get_str("code");
    let code = code.as_ref().and_then(Value::as_text);
    code.is_some_and(|code| {
        [ToolCode::SandboxViolation, ToolCode::PolicyDenied].iter().any(|known| *code == *known.id())
    })
}
