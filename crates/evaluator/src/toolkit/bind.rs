//! The binder: puts arguments into the declared order and checks them.
//!
//! Scripts, JSON calls and the check before a run all use this module, so each mistake has one wording.
//!
//! A tool without effects and without path parameters takes its arguments out of the slots of the caller
//! (`Tool::is_plain`), which saves their copies. For every other tool the arguments stay in their slots until the call
//! ends, because the audit log needs them.

use compact_str::CompactString;

use crate::text::{Code, ToolCode, nearest};
use crate::value::{List, Map, Str, Value, print};

use super::error::{FailureMode, ToolError};
use super::spec::{Kind, Literal, Param, WhenAbsent};

/// A mismatch between the arguments and a declaration.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum ArgError {
    /// A required argument is missing.
    #[error("`{callee}` needs {noun} for `{param}`")]
    Missing {
        /// The tool.
        callee: &'static str,
        /// The parameter.
        param: &'static str,
        /// The kind of value that the parameter takes.
        noun: &'static str,
        /// The meaning of the parameter.
        doc: &'static str,
    },
    /// More arguments than parameters.
    #[error("`{callee}` takes {most}, not {given} arguments")]
    TooMany {
        /// The tool.
        callee: &'static str,
        /// The maximum number of arguments, in words.
        most: String,
        /// The number of arguments given.
        given: usize,
    },
    /// No parameter has this name.
    #[error("`{callee}` has no argument `{name}`")]
    Unknown {
        /// The tool.
        callee: &'static str,
        /// The name given.
        name: String,
        /// The suggested fix.
        help: String,
        /// The parameter that was probably meant.
        near: Option<&'static str>,
    },
    /// A parameter is given twice.
    #[error("`{callee}` is given `{name}` twice")]
    Doubled {
        /// The tool.
        callee: &'static str,
        /// The parameter.
        name: &'static str,
    },
    /// A value has the wrong type.
    #[error("`{callee}` needs {noun} for `{param}`, not {found}")]
    WrongType {
        /// The tool.
        callee: &'static str,
        /// The parameter.
        param: &'static str,
        /// The kind of value that the parameter takes.
        noun: &'static str,
        /// The type and value given.
        found: String,
        /// The suggested fix.
        help: String,
    },
    /// A value is out of range.
    #[error("`{callee}` needs {allowed} for `{param}`, not {found}")]
    OutOfRange {
        /// The tool.
        callee: &'static str,
        /// The parameter.
        param: &'static str,
        /// The allowed values, in words.
        allowed: String,
        /// The value given.
        found: String,
    },
    /// A map of a list of maps does not have the keys that it should have.
    #[error("{error}, in `{param}[{index}]`")]
    Item {
        /// The parameter.
        param: &'static str,
        /// The index of the map.
        index: usize,
        /// The mistake in its keys or their values.
        error: Box<ArgError>,
    },
}

impl ArgError {
    /// Returns the diagnostic code.
    pub fn code(&self) -> Code {
        match self {
            ArgError::Missing { .. } => Code::MissingArgument,
            ArgError::TooMany { .. } => Code::TooManyArguments,
            ArgError::Unknown { .. } => Code::UnknownArgument,
            ArgError::Doubled { .. } => Code::DoubledArgument,
            ArgError::WrongType { .. } => Code::WrongArgumentType,
            ArgError::OutOfRange { .. } => Code::ArgumentOutOfRange,
            ArgError::Item { error, .. } => error.code(),
        }
    }

    /// Returns the suggested fix, in the imperative.
    pub fn help(&self) -> String {
        match self {
            ArgError::Unknown { help, .. } | ArgError::WrongType { help, .. } => help.clone(),
            ArgError::Doubled { .. } => "give it once".to_owned(),
            ArgError::Item { error, .. } => error.help(),
            ArgError::Missing { param, doc, .. } => format!("give `{param}`: {doc}"),
            ArgError::TooMany { callee, .. } | ArgError::OutOfRange { callee, .. } => {
                format!("see `ns tools {callee}`")
            }
        }
    }

    fn argument(&self) -> Option<&'static str> {
        match self {
            ArgError::Missing { param, .. }
            | ArgError::WrongType { param, .. }
            | ArgError::OutOfRange { param, .. }
            | ArgError::Item { param, .. } => Some(param),
            ArgError::Doubled { name, .. } => Some(name),
            ArgError::TooMany { .. } | ArgError::Unknown { .. } => None,
        }
    }
}

impl From<ArgError> for ToolError {
    fn from(error: ArgError) -> ToolError {
        ToolError {
            argument: error.argument(),
            hint: Some(error.help()),
            manner: FailureMode::Raised,
            is_of_nil: matches!(&error, ArgError::WrongType { found, .. } if found == "nil"),
            ..ToolError::new(ToolCode::BadArgs, error.to_string())
        }
    }
}

impl From<ArgError> for Box<ToolError> {
    fn from(error: ArgError) -> Box<ToolError> {
        Box::new(error.into())
    }
}

/// Binds arguments to the parameters of one tool.
#[derive(Clone, Copy, Debug)]
pub struct Binder {
    /// The tool's name, for messages.
    pub callee: &'static str,
    /// The tool's parameters.
    pub params: &'static [Param],
}

impl Binder {
    /// Returns the position of the parameter with this name or alias.
    pub fn position(&self, name: &str) -> Result<usize, ArgError> {
        self.params.iter().position(|param| param.is_called(name)).ok_or_else(|| {
            let names = self.params.iter().map(|param| param.name);
            let aliases = self.params.iter().flat_map(|param| param.aliases.iter().copied());
            let near = nearest(name, names.clone().chain(aliases));
            let help = match near {
                Some(near) => format!("did you mean `{near}`?"),
                None if self.params.is_empty() => "it takes none".to_owned(),
                None => format!("there are: {}", names.map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", ")),
            };
            ArgError::Unknown { callee: self.callee, name: print::shortened(name, 60), help, near }
        })
    }

    /// Returns the parameter position of each argument: first `positional` unnamed arguments, then those in `names`.
    pub fn places<'a>(&self, positional: usize, names: impl Iterator<Item = &'a str>) -> Result<Vec<usize>, ArgError> {
        if positional > self.params.len() {
            return Err(self.too_many(positional + names.count()));
        }
        let mut places: Vec<usize> = (0..positional).collect();
        for name in names {
            places.push(self.free_position(name, &places)?);
        }
        Ok(places)
    }

    /// Returns the position of the parameter with this name or alias, which must not be one of those that are taken.
    pub fn free_position(&self, name: &str, taken: &[usize]) -> Result<usize, ArgError> {
        let place = self.position(name)?;
        if taken.contains(&place) {
            return Err(ArgError::Doubled { callee: self.callee, name: self.params[place].name });
        }
        Ok(place)
    }

    fn too_many(&self, given: usize) -> ArgError {
        let most = match self.params.len() {
            0 => "no arguments".to_owned(),
            1 => "one argument".to_owned(),
            most => format!("at most {most} arguments"),
        };
        ArgError::TooMany { callee: self.callee, most, given }
    }

    fn lacks(&self, param: &Param) -> ArgError {
        ArgError::Missing { callee: self.callee, param: param.name, noun: param.kind.noun(), doc: param.doc }
    }

    /// Returns the error for the first required parameter that is not in `places`.
    pub fn missing(&self, places: &[usize]) -> Option<ArgError> {
        let required = |place: &usize| self.params[*place].absent == WhenAbsent::Required;
        let place = (0..self.params.len()).filter(required).find(|place| !places.contains(place))?;
        let param = &self.params[place];
        Some(self.lacks(param))
    }

    /// Whether a single positional map may stand for all arguments.
    pub fn takes_one_map(&self) -> bool {
        self.params.first().is_some_and(|param| !param.kind.takes_maps())
    }

    /// Puts named arguments into the declared order.
    pub fn spread(&self, map: &Map) -> Result<Vec<Option<Value>>, ArgError> {
        let keys: Vec<(Str, Value)> = map.iter().collect();
        let names: Vec<CompactString> = keys.iter().map(|(key, _)| CompactString::new(&*key.as_text())).collect();
        let places = self.places(0, names.iter().map(CompactString::as_str))?;
        let mut args = vec![None; self.params.len()];
        for (place, (_, value)) in places.into_iter().zip(keys) {
            args[place] = Some(value);
        }
        Ok(args)
    }

    /// Like [`Binder::spread`], for a call whose only argument is the map `value`. If the map is the result of
    /// another tool, the error suggests which field to pass.
    pub fn spread_value(&self, value: &Value, map: &Map) -> Result<Vec<Option<Value>>, ArgError> {
        self.spread(map).map_err(|error| match (error, self.params.first()) {
            (ArgError::Unknown { .. }, Some(param)) if part_of_result(param.kind, map).is_some() => {
                self.wrong(param, value)
            }
            (error, _) => error,
        })
    }

    /// Checks the type and range of one argument.
    pub fn check(&self, place: usize, value: &Value) -> Result<(), ArgError> {
        let param = &self.params[place];
        let fits = match param.kind {
            Kind::Bool => matches!(value, Value::Bool(_)),
            Kind::Int { .. } => value.as_integer().is_some(),
            kind if kind.takes_nil() && matches!(value, Value::Nil) => true,
            Kind::IntOrNil { .. } => value.as_integer().is_some(),
            Kind::TextOrNil => value.is_text(),
            Kind::Size => value.is_text() || value.as_integer().is_some(),
            Kind::Text | Kind::Form(_) | Kind::Content | Kind::Word(_) | Kind::Path(..) | Kind::Kept => value.is_text(),
            Kind::List => matches!(value, Value::List(_)),
            Kind::Texts | Kind::Scalars | Kind::Paths(..) => {
                matches!(value, Value::List(list) if list.iter().all(|item| is_element(param.kind, &item)))
            }
            Kind::TextOrTexts | Kind::Patterns => match value {
                Value::List(list) => list.iter().all(|item| item.is_text()),
                value => value.is_text(),
            },
            Kind::BoolOrTexts => match value {
                Value::List(list) => list.iter().all(|item| item.is_text()),
                value => matches!(value, Value::Bool(_)),
            },
            Kind::Number => matches!(value, Value::Int(_) | Value::Float(_)),
            Kind::Map => matches!(value, Value::Map(_)),
            Kind::Maps(_) => {
                matches!(value, Value::List(list) if list.iter().all(|item| is_element(param.kind, &item)))
            }
            Kind::Any => true,
        };
        if !fits {
            return Err(self.wrong(param, value));
        }
        if let (Kind::Maps(params), Value::List(list)) = (param.kind, value) {
            return Binder { params, ..*self }.check_items(param.name, list);
        }
        self.check_range(param, value)
    }

    /// Checks the maps of a list against the parameters.
    fn check_items(&self, param: &'static str, list: &List) -> Result<(), ArgError> {
        list.iter().enumerate().try_for_each(|(index, item)| {
            let Value::Map(map) = &item else { return Ok(()) };
            let complete = self.spread(map).and_then(|mut args| self.complete(&mut args));
            complete.map_err(|error| ArgError::Item { param, index, error: Box::new(error) })
        })
    }

    /// Returns the error for a value of the wrong type.
    fn wrong(&self, param: &Param, value: &Value) -> ArgError {
        let found = match (param.kind, value) {
            (
                Kind::Texts
                | Kind::Scalars
                | Kind::TextOrTexts
                | Kind::BoolOrTexts
                | Kind::Patterns
                | Kind::Paths(..)
                | Kind::Maps(_),
                Value::List(list),
            ) => {
                let wrong = list.iter().enumerate().find(|(_, item)| !is_element(param.kind, item));
                let found = |(index, item): (usize, Value)| format!("a list with {} at index {index}", display(&item));
                wrong.map_or_else(|| display(value), found)
            }
            _ => display(value),
        };
        let (callee, noun, help) = (self.callee, param.kind.noun(), self.remedy(param, value));
        ArgError::WrongType { callee, param: param.name, noun, found, help }
    }

    /// Suggests a replacement for a value of the wrong type.
    fn remedy(&self, param: &Param, value: &Value) -> String {
        let several = self.params.iter().find(|param| matches!(param.kind, Kind::Paths(..)));
        match (param.kind, value, several) {
            (Kind::Path(..), Value::List(_), Some(several)) => {
                let (callee, several) = (self.callee, several.name);
                format!("give one path below the sandbox root, or the list by its name: `{callee}({several}: …)`")
            }
            (Kind::Path(..), Value::List(_), None) => "give one path, and call it for each in a FOR EACH".to_owned(),
            (kind, Value::Map(map), _) if let Some(help) = part_of_result(kind, map) => help.to_owned(),
            (Kind::Path(..), ..) => "give a path below the sandbox root".to_owned(),
            (kind, value, _) => {
                conversion(kind, value).map_or_else(|| format!("see `ns tools {}`", self.callee), str::to_owned)
            }
        }
    }

    fn check_range(&self, param: &Param, value: &Value) -> Result<(), ArgError> {
        let is_beyond = |min, max| value.as_integer().is_some_and(|number| !(min..=max).contains(&number));
        let is_none_of = |words: &[&str]| value.as_text().is_some_and(|text| !words.contains(&&*text));
        let allowed = match param.kind {
            Kind::Int { min, max } | Kind::IntOrNil { min, max } if is_beyond(min, max) => match (min, max) {
                (min, i64::MAX) => format!("at least {min}"),
                (min, max) => format!("{min} to {max}"),
            },
            Kind::Size if is_beyond(0, i64::MAX) => "at least 0".to_owned(),
            Kind::Word(words) if is_none_of(words) => {
                let words: Vec<String> = words.iter().map(|word| format!("\"{word}\"")).collect();
                format!("one of {}", words.join(", "))
            }
            _ => return Ok(()),
        };
        let found = print::preview(value);
        Err(ArgError::OutOfRange { callee: self.callee, param: param.name, allowed, found })
    }

    /// Checks all arguments, in declared order, and fills in defaults.
    ///
    /// Paths are still texts here: [`crate::gate`] resolves them.
    pub fn complete(&self, args: &mut [Option<Value>]) -> Result<(), ArgError> {
        for (place, arg) in args.iter_mut().enumerate() {
            let param = &self.params[place];
            if let Some(value) = arg {
                self.check(place, value)?;
                if !(matches!(value, Value::Nil) && param.kind.takes_nil()) {
                    continue;
                }
            }
            *arg = match param.absent {
                WhenAbsent::Required => {
                    return Err(self.lacks(param));
                }
                WhenAbsent::Is(literal) => Some(literal.value()),
                WhenAbsent::Absent | WhenAbsent::Configured(_) => None,
            };
        }
        Ok(())
    }
}

/// Returns whether a list of this kind may contain a value.
fn is_element(kind: Kind, value: &Value) -> bool {
    match kind {
        Kind::Maps(_) => matches!(value, Value::Map(_)),
        Kind::Scalars if matches!(value, Value::Int(_) | Value::Float(_) | Value::Bool(_)) => true,
        _ => value.is_text(),
    }
}

fn display(value: &Value) -> String {
    match value {
        Value::Nil => "nil".to_owned(),
        Value::List(_) | Value::Map(_) => format!("a {}", value.type_name()),
        _ => format!("{} {}", value.type_name(), print::preview(value)),
    }
}

impl Literal {
    /// Converts the literal to a value.
    pub fn value(self) -> Value {
        match self {
            Literal::Bool(truth) => truth.into(),
            Literal::Int(number) => number.into(),
            Literal::Text(text) => text.into(),
        }
    }
}

/// Suggests how to convert a value to the required kind.
fn conversion(kind: Kind, value: &Value) -> Option<&'static str> {
    let is_text = matches!(kind, Kind::Text | Kind::Form(_) | Kind::Content | Kind::TextOrNil | Kind::TextOrTexts);
    let is_number = matches!(kind, Kind::Int { .. } | Kind::IntOrNil { .. } | Kind::Number);
    match value {
        Value::Int(_) | Value::Float(_) | Value::Bool(_) if is_text => Some("give a text: `STR(value)` makes one"),
        Value::Nil if is_text || is_number => Some("test for nil first; a tool that failed gives nil"),
        value if is_number && value.is_text() => Some("give a number: `INT(text)` or `FLOAT(text)` makes one"),
        _ => None,
    }
}

/// Suggests which field of another tool's result to pass.
fn part_of_result(kind: Kind, map: &Map) -> Option<&'static str> {
    let has = |key: &str| map.get_str(key).is_some();
    match kind {
        Kind::Path(..) if has("path") => Some("give the path of the record: `file.path`"),
        Kind::Text | Kind::Form(_) | Kind::Content if has("content") => {
            Some("give the text of the result: `result.content`")
        }
        Kind::List if has("matches") => Some("give the list of the result: `result.matches`"),
        _ => None,
    }
}
