//! The refusals of sandbox and policy in a run. If one of them causes the end of the run, the run counts as refused,
//! whether the script ended with the error itself, a missing field of the result, or `FAIL r.error`.

use std::collections::VecDeque;

use crate::text::{Code, FindingCode, ToolCode};
use crate::value::Value;

use super::fault::Fault;

/// The newest refusals of a run.
#[derive(Default)]
pub struct Refusals(VecDeque<String>);

/// Maximum number of refusals kept.
const MOST: usize = 32;
/// Number of characters that identify a message; a message that quotes it may be truncated after 200.
const SHOWN: usize = 120;

impl Refusals {
    /// Records a failure if it is a refusal.
    pub fn note(&mut self, fault: &Fault) {
        if !is_refusal(fault.code) {
            return;
        }
        if self.0.len() == MOST {
            self.0.pop_front();
        }
        self.0.push_back(fault.message.chars().take(SHOWN).collect());
    }

    /// Whether an error quotes the message of a refusal, or follows from a refusal in `last_error`.
    pub fn explain(&self, fault: &Fault, last_error: &Value) -> bool {
        let FindingCode::Script(code) = fault.code else {
            let is_own = fault.code == ToolCode::Fail.into();
            let is_of_nil = fault.code == ToolCode::BadArgs.into() && fault.message.contains("not nil");
            return is_own && self.quotes(&fault.message) || (is_own || is_of_nil) && is_refused(last_error);
        };
        match code {
            Code::MissingKey => self.quotes(&fault.message),
            Code::NotIndexable | Code::WrongType => fault.message.contains("nil") && is_refused(last_error),
            _ => false,
        }
    }

    fn quotes(&self, message: &str) -> bool {
        self.0.iter().any(|refusal| message.contains(refusal.as_str()))
    }
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
