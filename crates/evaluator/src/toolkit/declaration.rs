//! The declaration of a tool with its parameters: everything that is known of a tool without calling it.

use std::fmt;

use crate::value::Value;

use super::bind::Binder;
use super::error::ToolError;
use super::given::{Given, GivenArg};
use super::settings::Settings;
use super::spec::{Effect, MediaFields, Param, Spec};

/// The whole declaration of a tool.
#[derive(Clone)]
pub struct Declaration {
    /// The declaration without the parameters.
    pub spec: Spec,
    /// The parameters.
    pub params: &'static [Param],
    /// Returns the JSON Schema of the result.
    pub schema: fn() -> serde_json::Value,
    check: Option<Check>,
    early_check: Option<Check>,
    is_plain: bool,
    streams: bool,
    /// The fields of an answer that is an image or audio.
    pub media: Option<MediaFields>,
}

/// A check across several arguments, or against settings of the policy file.
pub type Check = fn(&Given<'_>, &Settings) -> Result<(), ToolError>;

impl Declaration {
    /// Creates a declaration without a check.
    pub fn new(spec: Spec, params: &'static [Param], schema: fn() -> serde_json::Value) -> Declaration {
        let takes_paths = params.iter().any(|param| param.kind.is_place());
        let is_plain = spec.effect == Effect::Pure && !takes_paths;
        Declaration { spec, params, schema, check: None, early_check: None, is_plain, streams: false, media: None }
    }

    /// Returns the declaration with a check of the arguments.
    pub fn with_check(self, check: Option<Check>) -> Declaration {
        Declaration { check, ..self }
    }

    /// Returns the declaration with a check of the arguments that are known before the run; the tool makes it itself
    /// when it runs.
    pub fn with_early_check(self, check: Check) -> Declaration {
        Declaration { early_check: Some(check), ..self }
    }

    /// Returns the declaration of a tool whose list can be pulled element by element.
    pub fn with_stream(self) -> Declaration {
        Declaration { streams: true, ..self }
    }

    /// Returns the declaration of a tool whose answer is an image or audio.
    pub fn with_media(self, media: MediaFields) -> Declaration {
        Declaration { media: Some(media), ..self }
    }

    /// Whether the list that the tool returns can be pulled element by element.
    pub fn streams(&self) -> bool {
        self.streams
    }

    /// Returns the check of the arguments, if there is one.
    pub fn own_check(&self) -> Option<Check> {
        self.check
    }

    /// Checks that arguments fit together; the binder has checked each of them.
    pub fn check(&self, given: &Given<'_>, settings: &Settings) -> Result<(), ToolError> {
        self.check.map_or(Ok(()), |check| check(given, settings))
    }

    /// Checks the arguments that are known before the run.
    pub fn check_early(&self, given: &Given<'_>, settings: &Settings) -> Result<(), ToolError> {
        self.check(given, settings)?;
        self.early_check.map_or(Ok(()), |check| check(given, settings))
    }

    /// Like [`Declaration::check`], with all arguments of a call.
    #[inline]
    pub fn check_all(&self, args: &[Option<Value>], settings: &Settings) -> Result<(), ToolError> {
        let Some(check) = self.check else { return Ok(()) };
        let given: Vec<GivenArg<'_>> =
            args.iter().map(|arg| arg.as_ref().map_or(GivenArg::Absent, GivenArg::Value)).collect();
        check(&Given::new(self.params, &given), settings)
    }

    /// Whether the tool works on values alone, so that it may take its arguments out of the caller's slots.
    pub fn is_plain(&self) -> bool {
        self.is_plain
    }

    /// Whether a call with these arguments may change files: a dry run does not.
    pub fn may_change(&self, args: &[Option<Value>]) -> bool {
        let place = self.params.iter().position(|param| param.name == "dry_run");
        let is_dry_run = place.and_then(|place| args[place].as_ref()).is_some_and(Value::is_true);
        self.spec.effect.changes_files() && !is_dry_run
    }

    /// Returns the binder for the parameters.
    pub fn binder(&self) -> Binder {
        Binder { callee: self.spec.name, params: self.params }
    }
}

impl fmt::Debug for Declaration {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.spec.name)
    }
}
