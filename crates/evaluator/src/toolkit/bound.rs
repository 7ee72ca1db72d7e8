//! Checked arguments, and their conversion to the types that a tool declares.
//!
//! This module checks nothing: [`super::bind`] checks kinds and ranges, [`crate::gate`] resolves paths.

use std::rc::Rc;
use std::{slice, vec};

use crate::sandbox::{BackupPath, SandboxPath};
use crate::value::{List, Map, Str, Value};

use super::error::ToolError;

/// Checked arguments, taken one by one in the declared order.
#[derive(Debug)]
pub struct Bound<'a> {
    /// Arguments of a tool without path parameters, borrowed from the caller.
    values: slice::IterMut<'a, Option<Value>>,
    /// Arguments of any other tool.
    args: vec::IntoIter<BoundArg>,
}

/// One checked argument.
#[derive(Debug)]
pub enum BoundArg {
    /// The argument was omitted.
    Absent,
    /// A value.
    Value(Value),
    /// A resolved path.
    Path(SandboxPath),
    /// A backup, and the path of its origin.
    Kept(BackupPath),
    /// Resolved paths.
    Paths(Vec<ListedPath>),
}

/// A borrowed view of one checked argument.
#[derive(Clone, Copy, Debug)]
pub enum BoundRef<'a> {
    /// The argument was omitted.
    Absent,
    /// A value.
    Value(&'a Value),
    /// A resolved path.
    Path(&'a SandboxPath),
    /// A backup, and the path of its origin.
    Kept(&'a BackupPath),
    /// Resolved paths.
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

/// A path of a list: its text, and the resolved path or the reason for refusing it.
#[derive(Debug)]
pub struct ListedPath {
    /// The text as given.
    pub given: String,
    /// The resolved path, which the policy allows the tool to use, or the refusal.
    pub place: Result<SandboxPath, ToolError>,
}

impl<'a> Bound<'a> {
    /// Wraps checked arguments in the declared order.
    pub fn new(args: Vec<BoundArg>) -> Bound<'a> {
        Bound { values: slice::IterMut::default(), args: args.into_iter() }
    }

    /// Wraps checked arguments that contain no paths. They are moved out of `values` when taken.
    pub fn of_values(values: &'a mut [Option<Value>]) -> Bound<'a> {
        Bound { values: values.iter_mut(), args: vec::IntoIter::default() }
    }

    /// Returns the arguments that were not taken yet.
    pub fn all(&self) -> impl Iterator<Item = BoundRef<'_>> {
        self.values.as_slice().iter().map(BoundRef::from).chain(self.args.as_slice().iter().map(BoundRef::from))
    }

    /// Takes the next argument, converted to its declared type.
    #[inline]
    pub fn take<T: FromArg>(&mut self) -> T {
        match self.values.next() {
            Some(arg) => T::from_arg(arg.take().map_or(BoundArg::Absent, BoundArg::Value)),
            None => T::from_arg(self.args.next().expect("there is an argument for each parameter")),
        }
    }
}

/// A Rust type that an argument can have. The binder has checked the kind, so a mismatch is a bug in the declaration;
/// the test of all declarations detects it.
pub trait FromArg {
    /// Converts the argument.
    fn from_arg(arg: BoundArg) -> Self;
}

/// The message of a panic if the binder let a value of a wrong kind through.
pub(super) const MISMATCH: &str = "the binder checked the argument's kind";

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

impl FromArg for BackupPath {
    #[inline]
    fn from_arg(arg: BoundArg) -> BackupPath {
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
