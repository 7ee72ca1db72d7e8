//! The arguments of a call as far as they are known: all of them in a run, before it those that the script shows.

use crate::value::Value;

use super::spec::{Param, WhenAbsent};

/// One argument, as far as it is known.
#[derive(Clone, Copy, Debug)]
pub enum GivenArg<'a> {
    /// Left out.
    Absent,
    /// This value, which the binder has checked.
    Value(&'a Value),
    /// Known in the run alone.
    Unknown,
}

/// The arguments of a call, as far as they are known.
#[derive(Debug)]
pub struct Given<'a> {
    params: &'static [Param],
    args: &'a [GivenArg<'a>],
}

impl<'a> Given<'a> {
    /// Arguments in the declared order.
    pub fn new(params: &'static [Param], args: &'a [GivenArg<'a>]) -> Given<'a> {
        Given { params, args }
    }

    /// The value of an argument; the inner none says that it was left out and has no default.
    pub fn value(&self, name: &str) -> Option<Option<Value>> {
        let place = self.params.iter().position(|param| param.name == name).expect("the tool declares the parameter");
        match (self.args[place], self.params[place].absent) {
            (GivenArg::Unknown, _) => None,
            (GivenArg::Value(value), _) => Some(Some(value.clone())),
            (GivenArg::Absent, WhenAbsent::Is(literal)) => Some(Some(literal.value())),
            (GivenArg::Absent, _) => Some(None),
        }
    }

    /// Whether an argument is there, known or not.
    pub fn is_given(&self, name: &str) -> bool {
        !matches!(self.value(name), Some(None))
    }

    /// A truth value; none where it is not known.
    pub fn truth(&self, name: &str) -> Option<Option<bool>> {
        Some(self.value(name)?.map(|value| value.is_true()))
    }

    /// A text; none where it is not known.
    pub fn text(&self, name: &str) -> Option<Option<String>> {
        Some(self.value(name)?.and_then(|value| value.as_text().map(|text| text.to_string())))
    }

    /// A whole number; none where it is not known.
    pub fn int(&self, name: &str) -> Option<Option<i64>> {
        Some(self.value(name)?.and_then(|value| value.as_integer()))
    }
}
