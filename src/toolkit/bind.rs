//! The one binder: puts arguments into the declared order and checks them.
//!
//! Scripts, JSON and the check before a run all come through here, so that there is one wording for
//! each mistake.

use std::rc::Rc;
use std::{slice, vec};

use compact_str::CompactString;

use crate::sandbox::{KeptPath, SandboxPath};
use crate::text::{Code, ToolCode, nearest};
use crate::value::{List, Map, Str, Value, print};

use super::error::{Manner, ToolError};
use super::spec::{Kind, Literal, Param, WhenAbsent};

/// Why arguments do not fit a declaration.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum ArgError {
    /// A required argument is missing.
    #[error("`{callee}` needs {noun} for `{param}`")]
    Missing {
        /// The tool.
        callee: &'static str,
        /// The parameter.
        param: &'static str,
        /// What it takes.
        noun: &'static str,
    },
    /// More arguments than parameters.
    #[error("`{callee}` takes {most}, not {given} arguments")]
    TooMany {
        /// The tool.
        callee: &'static str,
        /// How many it takes, as text.
        most: String,
        /// How many were given.
        given: usize,
    },
    /// A name that no parameter has.
    #[error("`{callee}` has no argument `{name}`")]
    Unknown {
        /// The tool.
        callee: &'static str,
        /// The name given.
        name: String,
        /// What to do.
        help: String,
    },
    /// A parameter given twice.
    #[error("`{callee}` is given `{name}` twice")]
    Doubled {
        /// The tool.
        callee: &'static str,
        /// The parameter.
        name: &'static str,
    },
    /// A value of the wrong type.
    #[error("`{callee}` needs {noun} for `{param}`, not {found}")]
    WrongType {
        /// The tool.
        callee: &'static str,
        /// The parameter.
        param: &'static str,
        /// What it takes.
        noun: &'static str,
        /// Type and value given.
        found: String,
    },
    /// A value outside what is allowed.
    #[error("`{callee}` needs {allowed} for `{param}`, not {found}")]
    OutOfRange {
        /// The tool.
        callee: &'static str,
        /// The parameter.
        param: &'static str,
        /// What is allowed.
        allowed: String,
        /// The value given.
        found: String,
    },
}

impl ArgError {
    /// Its code in findings.
    pub fn code(&self) -> Code {
        match self {
            ArgError::Missing { .. } => Code::MissingArgument,
            ArgError::TooMany { .. } => Code::TooManyArguments,
            ArgError::Unknown { .. } => Code::UnknownArgument,
            ArgError::Doubled { .. } => Code::DoubledArgument,
            ArgError::WrongType { .. } => Code::WrongArgumentType,
            ArgError::OutOfRange { .. } => Code::ArgumentOutOfRange,
        }
    }

    /// What to do, imperative.
    pub fn help(&self) -> String {
        match self {
            ArgError::Unknown { help, .. } => help.clone(),
            ArgError::Doubled { .. } => "give it once".to_owned(),
            ArgError::WrongType { noun: "a path", .. } => "give a path below the sandbox root".to_owned(),
            _ => {
                let (ArgError::Missing { callee, .. }
                | ArgError::TooMany { callee, .. }
                | ArgError::WrongType { callee, .. }
                | ArgError::OutOfRange { callee, .. }
                | ArgError::Unknown { callee, .. }
                | ArgError::Doubled { callee, .. }) = self;
                format!("see `ns tools {callee}`")
            }
        }
    }

    fn argument(&self) -> Option<&'static str> {
        match self {
            ArgError::Missing { param, .. }
            | ArgError::WrongType { param, .. }
            | ArgError::OutOfRange { param, .. } => Some(param),
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
            manner: Manner::Raised,
            ..ToolError::new(ToolCode::BadArgs, error.to_string())
        }
    }
}

impl From<ArgError> for Box<ToolError> {
    fn from(error: ArgError) -> Box<ToolError> {
        Box::new(error.into())
    }
}

/// The parameters of one tool, ready to be bound to.
#[derive(Clone, Copy, Debug)]
pub struct Binder {
    /// The tool's name, for messages.
    pub callee: &'static str,
    /// Its parameters.
    pub params: &'static [Param],
}

impl Binder {
    /// The parameter of a name.
    pub fn position(&self, name: &str) -> Result<usize, ArgError> {
        self.params.iter().position(|param| param.name == name).ok_or_else(|| {
            let names = self.params.iter().map(|param| param.name);
            let help = match nearest(name, names.clone()) {
                Some(near) => format!("did you mean `{near}`?"),
                None if self.params.is_empty() => "it takes none".to_owned(),
                None => format!("there are: {}", names.map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", ")),
            };
            ArgError::Unknown { callee: self.callee, name: print::shortened(name, 60), help }
        })
    }

    /// Which parameter each argument is for: `positional` unnamed ones, then those of `names`.
    pub fn places<'a>(&self, positional: usize, names: impl Iterator<Item = &'a str>) -> Result<Vec<usize>, ArgError> {
        if positional > self.params.len() {
            return Err(self.too_many(positional + names.count()));
        }
        let mut places: Vec<usize> = (0..positional).collect();
        for name in names {
            let place = self.position(name)?;
            if places.contains(&place) {
                return Err(ArgError::Doubled { callee: self.callee, name: self.params[place].name });
            }
            places.push(place);
        }
        Ok(places)
    }

    fn too_many(&self, given: usize) -> ArgError {
        let most = match self.params.len() {
            0 => "no arguments".to_owned(),
            1 => "one argument".to_owned(),
            most => format!("at most {most} arguments"),
        };
        ArgError::TooMany { callee: self.callee, most, given }
    }

    /// The first required parameter that none of `places` is for.
    pub fn missing(&self, places: &[usize]) -> Option<ArgError> {
        let required = |place: &usize| self.params[*place].absent == WhenAbsent::Required;
        let place = (0..self.params.len()).filter(required).find(|place| !places.contains(place))?;
        let param = &self.params[place];
        Some(ArgError::Missing { callee: self.callee, param: param.name, noun: param.kind.noun() })
    }

    /// Whether one positional map stands for all arguments.
    pub fn takes_one_map(&self) -> bool {
        self.params.first().is_some_and(|param| !param.kind.takes_maps())
    }

    /// Arguments by name, put into the declared order.
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

    /// Checks the type and range of one argument.
    pub fn check(&self, place: usize, value: &Value) -> Result<(), ArgError> {
        let param = &self.params[place];
        let fits = match param.kind {
            Kind::Bool => matches!(value, Value::Bool(_)),
            Kind::Int { .. } => value.as_integer().is_some(),
            Kind::IntOrNil { .. } => matches!(value, Value::Nil) || value.as_integer().is_some(),
            Kind::Text | Kind::Content | Kind::Word(_) | Kind::Path(..) | Kind::Kept => value.is_text(),
            Kind::List => matches!(value, Value::List(_)),
            Kind::Texts | Kind::Paths(..) => {
                matches!(value, Value::List(list) if list.iter().all(|item| item.is_text()))
            }
            Kind::TextOrTexts => match value {
                Value::List(list) => list.iter().all(|item| item.is_text()),
                value => value.is_text(),
            },
            Kind::Number => matches!(value, Value::Int(_) | Value::Float(_)),
            Kind::Map => matches!(value, Value::Map(_)),
            Kind::Any => true,
        };
        if !fits {
            let found = match (param.kind, value) {
                (Kind::Texts | Kind::TextOrTexts | Kind::Paths(..), Value::List(list)) => {
                    let wrong = list.iter().find(|item| !item.is_text());
                    wrong.map_or_else(|| shown(value), |item| format!("a list with {}", shown(&item)))
                }
                _ => shown(value),
            };
            return Err(ArgError::WrongType { callee: self.callee, param: param.name, noun: param.kind.noun(), found });
        }
        self.check_range(param, value)
    }

    fn check_range(&self, param: &Param, value: &Value) -> Result<(), ArgError> {
        let is_beyond = |min, max| value.as_integer().is_some_and(|number| !(min..=max).contains(&number));
        let is_none_of = |words: &[&str]| value.as_text().is_some_and(|text| !words.contains(&&*text));
        let allowed = match param.kind {
            Kind::Int { min, max } | Kind::IntOrNil { min, max } if is_beyond(min, max) => match (min, max) {
                (min, i64::MAX) => format!("at least {min}"),
                (min, max) => format!("{min} to {max}"),
            },
            Kind::Word(words) if is_none_of(words) => {
                let words: Vec<String> = words.iter().map(|word| format!("\"{word}\"")).collect();
                format!("one of {}", words.join(", "))
            }
            _ => return Ok(()),
        };
        let found = print::preview(value);
        Err(ArgError::OutOfRange { callee: self.callee, param: param.name, allowed, found })
    }

    /// Checks all arguments, in declared order, and fills in what was left out.
    ///
    /// Paths are still texts: [`super::gate`] finds their places.
    pub fn complete(&self, args: &mut [Option<Value>]) -> Result<(), ArgError> {
        for (place, arg) in args.iter_mut().enumerate() {
            let param = &self.params[place];
            if let Some(value) = arg {
                self.check(place, value)?;
                if !(matches!(value, Value::Nil) && matches!(param.kind, Kind::IntOrNil { .. })) {
                    continue;
                }
            }
            *arg = match param.absent {
                WhenAbsent::Required => {
                    return Err(ArgError::Missing { callee: self.callee, param: param.name, noun: param.kind.noun() });
                }
                WhenAbsent::Is(literal) => Some(literal.value()),
                WhenAbsent::Absent | WhenAbsent::Configured(_) => None,
            };
        }
        Ok(())
    }
}

fn shown(value: &Value) -> String {
    match value {
        Value::Nil => "nil".to_owned(),
        Value::List(_) | Value::Map(_) => format!("a {}", value.type_name()),
        _ => format!("{} {}", value.type_name(), print::preview(value)),
    }
}

impl Literal {
    /// The literal as a value.
    pub fn value(self) -> Value {
        match self {
            Literal::Bool(truth) => truth.into(),
            Literal::Int(number) => number.into(),
            Literal::Text(text) => text.into(),
        }
    }
}

/// The typed arguments of a tool; made by [`super::arguments!`].
pub trait Arguments {
    /// The parameters, in order.
    const PARAMS: &'static [Param];

    /// The arguments from values that were checked against the parameters.
    fn take(bound: &mut Bound<'_>) -> Self;
}

/// Checked arguments, to be taken in the declared order.
#[derive(Debug)]
pub struct Bound<'a> {
    /// Those of a tool that takes no paths, where whoever calls holds them.
    values: slice::IterMut<'a, Option<Value>>,
    /// Those of any other.
    args: vec::IntoIter<BoundArg>,
}

/// One checked argument.
#[derive(Debug)]
pub enum BoundArg {
    /// Left out.
    Absent,
    /// A value.
    Value(Value),
    /// A path whose place was found.
    Path(SandboxPath),
    /// Something kept, and the place that it came from.
    Kept(KeptPath),
    /// Paths with the places that were found.
    Paths(Vec<ListedPath>),
}

/// One checked argument, to be looked at.
#[derive(Clone, Copy, Debug)]
pub enum BoundRef<'a> {
    /// Left out.
    Absent,
    /// A value.
    Value(&'a Value),
    /// A path whose place was found.
    Path(&'a SandboxPath),
    /// Something kept, and the place that it came from.
    Kept(&'a KeptPath),
    /// Paths with the places that were found.
    Paths(&'a [ListedPath]),
}

impl<'a> From<&'a Option<Value>> for BoundRef<'a> {
    fn from(arg: &'a Option<Value>) -> BoundRef<'a> {
        arg.as_ref().map_or(BoundRef::Absent, BoundRef::Value)
    }
}

impl<'a> From<&'a BoundArg> for BoundRef<'a> {
    fn from(arg: &'a BoundArg) -> BoundRef<'a> {
        match arg {
            BoundArg::Absent => BoundRef::Absent,
            BoundArg::Value(value) => BoundRef::Value(value),
            BoundArg::Path(place) => BoundRef::Path(place),
            BoundArg::Kept(kept) => BoundRef::Kept(kept),
            BoundArg::Paths(listed) => BoundRef::Paths(listed),
        }
    }
}

/// A path of a list: as it was given, and its place or why it is refused.
#[derive(Debug)]
pub struct ListedPath {
    /// As it was given.
    pub given: String,
    /// Its place, which the policy lets the tool use.
    pub place: Result<SandboxPath, ToolError>,
}

impl<'a> Bound<'a> {
    /// Arguments that were checked, in the declared order.
    pub fn new(args: Vec<BoundArg>) -> Bound<'a> {
        Bound { values: slice::IterMut::default(), args: args.into_iter() }
    }

    /// The same where no path is among them: they are taken from where they are.
    pub fn of_values(values: &'a mut [Option<Value>]) -> Bound<'a> {
        Bound { values: values.iter_mut(), args: vec::IntoIter::default() }
    }

    /// All arguments that were not taken yet.
    pub fn all(&self) -> impl Iterator<Item = BoundRef<'_>> {
        self.values.as_slice().iter().map(BoundRef::from).chain(self.args.as_slice().iter().map(BoundRef::from))
    }

    /// The next argument, in the type that the declaration gives it.
    #[inline]
    pub fn take<T: FromArg>(&mut self) -> T {
        match self.values.next() {
            Some(arg) => T::from_arg(arg.take().map_or(BoundArg::Absent, BoundArg::Value)),
            None => T::from_arg(self.args.next().expect("there is an argument for each parameter")),
        }
    }
}

/// A Rust type that an argument can have. The binder has checked the kind, so a mismatch is a fault
/// of the declaration, which the test of all declarations finds.
pub trait FromArg {
    /// The argument in this type.
    fn from_arg(arg: BoundArg) -> Self;
}

const MISMATCH: &str = "the binder checked the argument's kind";

impl FromArg for Value {
    #[inline]
    fn from_arg(arg: BoundArg) -> Value {
        match arg {
            BoundArg::Value(value) => value,
            BoundArg::Absent => Value::Nil,
            BoundArg::Path(_) | BoundArg::Kept(_) | BoundArg::Paths(_) => unreachable!("{MISMATCH}"),
        }
    }
}

impl FromArg for bool {
    #[inline]
    fn from_arg(arg: BoundArg) -> bool {
        Value::from_arg(arg).is_true()
    }
}

impl FromArg for i64 {
    #[inline]
    fn from_arg(arg: BoundArg) -> i64 {
        Value::from_arg(arg).as_integer().expect(MISMATCH)
    }
}

impl FromArg for Str {
    #[inline]
    fn from_arg(arg: BoundArg) -> Str {
        Value::from_arg(arg).as_str().expect(MISMATCH)
    }
}

impl FromArg for Rc<List> {
    #[inline]
    fn from_arg(arg: BoundArg) -> Rc<List> {
        match Value::from_arg(arg) {
            Value::List(list) => list,
            _ => unreachable!("{MISMATCH}"),
        }
    }
}

impl FromArg for Rc<Map> {
    #[inline]
    fn from_arg(arg: BoundArg) -> Rc<Map> {
        match Value::from_arg(arg) {
            Value::Map(map) => map,
            _ => unreachable!("{MISMATCH}"),
        }
    }
}

impl FromArg for SandboxPath {
    #[inline]
    fn from_arg(arg: BoundArg) -> SandboxPath {
        match arg {
            BoundArg::Path(path) => path,
            _ => unreachable!("{MISMATCH}"),
        }
    }
}

impl FromArg for KeptPath {
    #[inline]
    fn from_arg(arg: BoundArg) -> KeptPath {
        match arg {
            BoundArg::Kept(path) => path,
            _ => unreachable!("{MISMATCH}"),
        }
    }
}

impl FromArg for Vec<ListedPath> {
    #[inline]
    fn from_arg(arg: BoundArg) -> Vec<ListedPath> {
        match arg {
            BoundArg::Paths(paths) => paths,
            _ => unreachable!("{MISMATCH}"),
        }
    }
}

impl<T: FromArg> FromArg for Option<T> {
    #[inline]
    fn from_arg(arg: BoundArg) -> Option<T> {
        match arg {
            BoundArg::Absent => None,
            arg => Some(T::from_arg(arg)),
        }
    }
}
