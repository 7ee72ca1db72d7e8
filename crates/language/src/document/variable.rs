//! Values of variables: `{{name.key.key}}` in a text, and in the arguments of a call.

use crate::text::{Code, Diagnostic, Span, nearest};
use crate::value::Value;

use super::scanner::Scanner;

impl Scanner<'_, '_> {
    /// Returns the value of a dotted name. If there is none, reports a finding and returns nil.
    pub fn variable(&mut self, name: &str, span: Span) -> Value {
        let variables = self.reading.variables;
        let mut parts = name.split('.');
        let first = parts.next().unwrap_or(name);
        let Some(mut value) = variables.get_str(first) else {
            self.unknown_variable(first, span);
            return Value::Nil;
        };
        let mut path = first.to_owned();
        for part in parts {
            match field(&value, part, &path, span) {
                Ok(inner) => value = inner,
                Err(finding) => {
                    self.report(finding);
                    return Value::Nil;
                }
            }
            path = format!("{path}.{part}");
        }
        value
    }

    fn unknown_variable(&mut self, name: &str, span: Span) {
        if self.is_full() {
            return;
        }
        let finding = Diagnostic::error(Code::UnknownName, span, format!("there is no variable `{name}`"));
        let names: Vec<String> = self.reading.variables.keys().map(|key| key.to_string()).collect();
        self.report(match nearest(name, names.iter().map(String::as_str)) {
            Some(near) => finding.help(format!("did you mean `{near}`?")),
            None => finding.help(format!("give it a value: `--var {name}=…`; outside of calls `\\{{{{` is text")),
        });
    }
}

/// Returns the value of a key in a map: one step of a dotted name.
fn field(value: &Value, name: &str, path: &str, span: Span) -> Result<Value, Diagnostic> {
    let Value::Map(map) = value else {
        let message = format!("`{path}` is no map but of type {}", value.type_name());
        return Err(Diagnostic::error(Code::NotIndexable, span, message).help(format!("write `{{{{{path}}}}}`")));
    };
    map.get_str(name).ok_or_else(|| {
        let finding = Diagnostic::error(Code::MissingKey, span, format!("`{path}` has no key `{name}`"));
        let keys: Vec<String> = map.keys().map(|key| key.to_string()).collect();
        match nearest(name, keys.iter().map(String::as_str)) {
            Some(near) => finding.help(format!("did you mean `{near}`?")),
            None => finding,
        }
    })
}
