//! Arguments that the binder checked, and how a tool takes them in the types of its declaration.
//!
//! Nothing is checked here: kinds and ranges are [`super::bind`]'s, places [`super::gate`]'s.

use std::rc::Rc;
use std::{slice, vec};

use crate::sandbox::{KeptPath, SandboxPath};
use crate::value::{List, Map, Str, Value};

use super::error::ToolError;
use super::spec::Param;

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
