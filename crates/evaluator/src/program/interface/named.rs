//! Converts a map of named arguments, as a calling program passes it, to parameter values.

use crate::text::{Code, Diagnostic, nearest};
use crate::value::{Map, Value, print};

use super::{Bound, Element, Interface, Kind, Parameter, Role};

/// The argument name for the words of a script that reads `ARGS`.
pub const ARGS: &str = "args";

impl Interface {
    /// Converts a map from parameter names to values. A script that reads `ARGS` gets them as `args`.
    ///
    /// # Errors
    /// All mistakes in the map, as diagnostics without a location in the script.
    pub fn bind_named(&self, given: &Map) -> Result<Bound, Vec<Diagnostic>> {
        let names: Vec<&str> = match self.procedure {
            Some(_) => self.parameters.iter().map(|parameter| parameter.name.as_str()).collect(),
            None => vec![ARGS],
        };
        let mut findings: Vec<Diagnostic> = Vec::new();
        for (name, _) in given.iter() {
            let name: &str = &name.as_text();
            if names.contains(&name) {
                continue;
            }
            let finding = Diagnostic::placeless(Code::UnknownArgument, format!("the script has no argument `{name}`"));
            findings.push(match nearest(name, names.iter().copied()) {
                Some(near) => finding.help(format!("did you mean `{near}`?")),
                None => finding.help(format!("there are: {}", names.join(", "))),
            });
        }
        let bound = match self.procedure {
            Some(_) => {
                let values = self.parameters.iter().map(|parameter| parameter.named(given, &mut findings));
                Bound { args: Vec::new(), values: values.collect() }
            }
            None => Bound { args: words(given, &mut findings), values: Vec::new() },
        };
        if findings.is_empty() { Ok(bound) } else { Err(findings) }
    }
}

impl Parameter {
    fn named(&self, given: &Map, findings: &mut Vec<Diagnostic>) -> Value {
        let value = given.get_str(&self.name).filter(|value| !matches!(value, Value::Nil));
        // A required rest parameter needs at least one value, as on the command line.
        let value = value.filter(|value| !(self.role == Role::Rest && self.is_required() && is_empty_list(value)));
        let value = match value {
            Some(value) => value,
            None if self.is_required() => {
                let message = format!("the argument `{}` is missing", self.name);
                findings.push(Diagnostic::placeless(Code::MissingArgument, message).help("give it by its name"));
                return Value::Nil;
            }
            None => return self.default.clone().unwrap_or_default(),
        };
        self.converted(&value).unwrap_or_else(|| {
            let (expected, found) = (self.expected_value(), print::preview(&value));
            let message = format!("`{}` needs {expected}, not {} {found}", self.name, value.type_name());
            findings.push(Diagnostic::placeless(Code::WrongArgumentType, message).help("change the value"));
            Value::Nil
        })
    }

    fn expected_value(&self) -> String {
        let plural = |element: Element| match element {
            Element::Text => "texts",
            Element::Int => "whole numbers",
            Element::Float => "numbers",
        };
        match self.kind {
            Kind::Flag => "true or false".to_owned(),
            Kind::One(element) => element.expected().to_owned(),
            Kind::List(element) => format!("a list of {}", plural(element)),
            Kind::Map(element) => format!("a map of {}", plural(element)),
        }
    }
}

fn is_empty_list(value: &Value) -> bool {
    matches!(value, Value::List(list) if list.is_empty())
}

/// Returns the words of a script that reads `ARGS`.
fn words(given: &Map, findings: &mut Vec<Diagnostic>) -> Vec<Value> {
    let texts = match given.get_str(ARGS) {
        None | Some(Value::Nil) => Some(Vec::new()),
        Some(Value::List(list)) => list.iter().map(|item| Element::Text.converted(&item)).collect(),
        Some(_) => None,
    };
    texts.unwrap_or_else(|| {
        let message = format!("`{ARGS}` needs a list of texts");
        findings.push(Diagnostic::placeless(Code::WrongArgumentType, message).help("change the value"));
        Vec::new()
    })
}
