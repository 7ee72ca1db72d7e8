//! The arguments of a call as far as they are known: all of them during a run, only constants before it.

use crate::value::Value;

use super::spec::{Param, WhenAbsent};

/// One argument, as far as it is known.
#[derive(Clone, Copy, Debug)]
pub enum GivenArg<'a> {
    /// The argument was omitted.
    Absent,
    /// A known value, checked by the binder.
    Value(&'a Value),
    /// Only known at run time.
    Unknown,
}

/// The arguments of a call, as far as they are known.
#[derive(Debug)]
pub struct Given<'a> {
    params: &'static [Param],
    args: &'a [GivenArg<'a>],
}

impl<'a> Given<'a> {
    /// Wraps arguments in the declared order.
    pub fn new(params: &'static [Param], args: &'a [GivenArg<'a>]) -> Given<'a> {
        Given { params, args }
    }

    /// Returns the value of an argument, or `None` if it is unknown. The inner `None` means that it was omitted and
    /// has no default.
    pub fn value(&self, name: &str) -> Option<Option<Value>> {
        let place = self.params.iter().position(|param| param.name == name).expect("the tool declares the parameter");
        match (self.args[place], self.params[place].absent) {
            (GivenArg::Unknown, _) => None,
            (GivenArg::Value(value), _) => Some(Some(value.clone())),
            (GivenArg::Absent, WhenAbsent::Is(literal)) => Some(Some(literal.value())),
            (GivenArg::Absent, _) => Some(None),
        }
    }

    /// Whether an argument was given, known or not.
    pub fn is_given(&self, name: &str) -> bool {
        !matches!(self.value(name), Some(None))
    }

    /// Returns a truth value, or `None` if it is unknown.
    pub fn truth(&self, name: &str) -> Option<Option<bool>> {
        Some(self.value(name)?.map(|value| value.is_true()))
    }

    /// Returns a text, or `None` if it is unknown.
    pub fn text(&self, name: &str) -> Option<Option<String>> {
        Some(self.value(name)?.and_then(|value| value.as_text().map(|text| text.to_string())))
    }

    /// Returns a whole number, or `None` if it is unknown.
    pub fn int(&self, name: &str) -> Option<Option<i64>> {
        Some(self.value(name)?.and_then(|value| value.as_integer()))
    }
}
