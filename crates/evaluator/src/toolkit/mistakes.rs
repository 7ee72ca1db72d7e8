//! The check of a call before it runs, for scripts and documents: every mistake in the arguments that are known.

use std::ops::Range;

use crate::text::{Code, Diagnostic, Span};
use crate::value::Value;

use super::bind::{ArgError, Binder};
use super::declaration::Declaration;
use super::error::ToolError;
use super::given::{Given, GivenArg};
use super::settings::Settings;
use super::spec::Kind;

/// An argument of a call that has not run yet.
#[derive(Clone, Copy, Debug)]
pub struct StaticArg<'v> {
    /// The position of its parameter.
    pub place: usize,
    /// Its value, if that is known before the run.
    pub value: Option<&'v Value>,
}

/// A mistake in the arguments of a call.
#[derive(Debug)]
pub struct Mistake {
    /// The part of the call that it is about.
    pub about: About,
    /// The bytes of the argument, a text, that it is about.
    pub part: Option<Range<usize>>,
    code: Code,
    message: String,
    help: Option<String>,
}

/// The part of a call that a mistake is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum About {
    /// The argument with this index.
    Argument(usize),
    /// An argument that is missing.
    Absence,
    /// Arguments that do not fit together.
    Combination,
}

impl Mistake {
    /// Returns the finding for the mistake at a place in the text.
    pub fn finding(self, span: Span) -> Diagnostic {
        let finding = Diagnostic::error(self.code, span, self.message);
        match self.help {
            Some(help) => finding.help(help),
            None => finding,
        }
    }

    fn of(error: &ArgError, about: About) -> Mistake {
        Mistake { about, part: None, code: error.code(), message: error.to_string(), help: Some(error.help()) }
    }

    fn of_tool(error: ToolError, about: About) -> Mistake {
        let ToolError { message, hint: help, part, .. } = error;
        Mistake { about, part, code: Code::ArgumentOutOfRange, message, help }
    }
}

impl Declaration {
    /// Returns the mistakes in the arguments of a call. Arguments that are right one by one are checked together.
    pub fn mistakes(&self, args: &[StaticArg<'_>], settings: &Settings) -> Vec<Mistake> {
        let binder = self.binder();
        let places: Vec<usize> = args.iter().map(|arg| arg.place).collect();
        let known = args.iter().enumerate().filter_map(|(number, arg)| Some((number, arg.place, arg.value?)));
        let wrong =
            known.filter_map(|(number, place, value)| mistake_in(&binder, place, value, About::Argument(number)));
        let mut mistakes: Vec<Mistake> = wrong.collect();
        mistakes.extend(binder.missing(&places).map(|error| Mistake::of(&error, About::Absence)));
        if mistakes.is_empty() {
            mistakes.extend(self.clash(args, settings));
        }
        mistakes
    }

    /// Returns the mistake in the combination of the arguments.
    fn clash(&self, args: &[StaticArg<'_>], settings: &Settings) -> Option<Mistake> {
        let mut given = vec![GivenArg::Absent; self.params.len()];
        for arg in args {
            given[arg.place] = arg.value.map_or(GivenArg::Unknown, GivenArg::Value);
        }
        let error = self.check_early(&Given::new(self.params, &given), settings).err()?;
        let named = args.iter().position(|arg| Some(self.params[arg.place].name) == error.argument);
        let about = named.map_or(About::Combination, About::Argument);
        Some(Mistake::of_tool(error, about))
    }
}

/// Returns the mistake in one argument: its kind, its range, or the form of its text.
fn mistake_in(binder: &Binder, place: usize, value: &Value, about: About) -> Option<Mistake> {
    if let Err(error) = binder.check(place, value) {
        return Some(Mistake::of(&error, about));
    }
    let param = &binder.params[place];
    let Kind::Form(form) = param.kind else { return None };
    let error = form.check(param.name, &value.as_text()?).err()?;
    Some(Mistake::of_tool(error, about))
}
