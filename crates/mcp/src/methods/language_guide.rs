//! `language_guide`: returns the language guide for models.

use crate::engine::GUIDE;
use crate::toolkit::{Spec, arguments};
use crate::value::Value;

pub const SPEC: Spec = super::reading(
    "NS.LanguageGuide",
    "language_guide",
    "Gives the NeuroScript language and its tools on one page; read it before the first `run_script`",
);

arguments! {
    struct Args {}
}

/// Returns the guide.
pub fn language_guide() -> Value {
    Value::text(GUIDE)
}
