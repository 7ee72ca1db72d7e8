#![doc = include_str!("../README.md")]

mod document;
pub mod engine;

use neuroscript_evaluator::{audit, eval, gate, program, toolkit, value};
use neuroscript_sandbox::{self as sandbox, limits, lockdown};
use neuroscript_syntax::{self as syntax, format, migrate};
use neuroscript_text as text;
use neuroscript_tools as tools;

/// The parts of the rooms below [`engine`] that front ends use: values, the declarations of tools, and the gate.
pub mod front_end {
    /// The gate that every call passes.
    pub mod gate {
        pub use crate::gate::{DONE, MAX_FILES_OF_SERVER, Policy};
    }

    /// Tools as they declare themselves, and the bounds of their answers.
    pub mod toolkit {
        pub use crate::toolkit::{
            Access, Answer, Arguments, BELOW_ROOT, Binder, Body, Bound, Declaration, Effect, Example, Excerpt, Failure,
            FailureMode, Kind, LEAST, Literal, MediaFields, NextPart, Offset, Param, Registry, Risk, Spec, ToolError,
            WhenAbsent, arguments, excerpt, groups, name_of, read_on, rest_as_json, schema,
        };
    }

    /// Values, and their forms as text and JSON.
    pub mod value {
        pub use crate::value::{List, Map, Sink, Str, TextBudget, Value, json, print, time::rfc3339_exact, to_value};
    }
}
