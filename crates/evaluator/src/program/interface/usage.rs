//! Usage text of a script, as `--help` prints it.

use crate::text::safe;
use crate::value::{Value, print};

use super::{Element, HELP, Interface, Kind, Parameter, Role, is_own};

/// Columns between argument names and their descriptions.
const GAP: usize = 2;

impl Interface {
    /// Returns the help text: description, synopsis, arguments and options. `command` is the beginning of the command
    /// line.
    pub fn help(&self, command: &str) -> String {
        let mut text = String::new();
        if let Some(description) = &self.description {
            text.push_str(&format!("{}\n\n", safe::prose(description.trim_end())));
        }
        text.push_str(&self.synopsis(command));
        let arguments = self.parameters.iter().filter(|parameter| parameter.role != Role::Option);
        let arguments: Vec<[String; 2]> = arguments.map(Parameter::row).collect();
        let help = ["-h, --help".to_owned(), "show this".to_owned()];
        let options = self.parameters.iter().filter(|parameter| parameter.role == Role::Option).map(Parameter::row);
        let options: Vec<[String; 2]> = options.chain([help]).collect();
        let width = arguments.iter().chain(&options).map(|[name, _]| name.chars().count()).max().unwrap_or_default();
        for (title, rows) in [("Arguments", arguments), ("Options", options)] {
            if !rows.is_empty() {
                text.push_str(&format!("\n{title}:\n{}", section(&rows, width + GAP)));
            }
        }
        text.push_str("\nOptions of `ns`, such as --plan and --sandbox DIR, may stand before the file or after it; `ns run --help` lists them.\n");
        text
    }

    fn synopsis(&self, command: &str) -> String {
        format!("Usage: {}\n", self.usage(command))
    }

    /// Returns how the script is run: `ns tidy.ns FOLDER [OPTIONS]`.
    pub fn usage(&self, command: &str) -> String {
        if let Some(usage) = self.usage.as_ref().filter(|_| self.procedure.is_none()) {
            return safe::name(usage).into_owned();
        }
        let mut words = vec![safe::name(command).into_owned()];
        words.extend(
            self.parameters.iter().filter(|parameter| parameter.role != Role::Option).map(Parameter::in_synopsis),
        );
        if self.parameters.iter().any(|parameter| parameter.role == Role::Option) {
            words.push("[OPTIONS]".to_owned());
        }
        if self.procedure.is_none() && self.parameters.is_empty() && self.reads_args {
            words.push("[WORDS]... [-- WORDS...]".to_owned());
        }
        words.join(" ")
    }
}

impl Parameter {
    /// Returns the name in upper case: `FOLDER`.
    pub(super) fn shown_name(&self) -> String {
        self.option().to_uppercase()
    }

    /// Returns the form in the synopsis: `FOLDER`, `[FOLDER]` or `FILES...`.
    pub(super) fn in_synopsis(&self) -> String {
        let name = self.shown_name();
        let name = if self.is_required() { name } else { format!("[{name}]") };
        if self.role == Role::Rest { format!("{name}...") } else { name }
    }

    /// Returns the placeholder for a value.
    pub(super) fn placeholder(&self) -> &'static str {
        match self.kind {
            Kind::Flag => "true",
            Kind::One(element) | Kind::List(element) => element.placeholder(),
            Kind::Map(Element::Text) => "KEY=VALUE",
            Kind::Map(_) => "KEY=NUMBER",
        }
    }

    fn row(&self) -> [String; 2] {
        [self.spelling(), self.explained()]
    }

    /// Returns its form on the command line: `FOLDER`, `--most N` or `-- --plan`.
    pub(super) fn spelling(&self) -> String {
        match (self.role, self.kind) {
            (Role::Argument | Role::Rest, _) => self.in_synopsis(),
            // `--help` without a value never belongs to the script.
            _ if self.option_to_give() == HELP => format!("-- --{HELP}={}", self.placeholder()),
            (_, Kind::Flag) => format!("{}--{}", self.separator(), self.option_to_give()),
            _ => format!("{}--{} {}", self.separator(), self.option(), self.placeholder()),
        }
    }

    /// Returns the prefix that passes an option to the script although `ns` has one of the same name.
    fn separator(&self) -> &'static str {
        if is_own(&self.option_to_give()) { "-- " } else { "" }
    }

    /// Returns the description, whether the option may be repeated, and the default.
    fn explained(&self) -> String {
        let mut parts: Vec<String> = Vec::new();
        let documentation = self.documentation.as_deref().map(|text| safe::name(text).into_owned());
        parts.extend(match documentation {
            documentation if !self.turns_off() => documentation,
            Some(text) => Some(format!("turn off: {text}")),
            None => Some(format!("turn off `{}`", self.option())),
        });
        if self.role == Role::Option && matches!(self.kind, Kind::List(_) | Kind::Map(_)) {
            parts.push("may be repeated".to_owned());
        }
        // The placeholder of an option names its kind.
        let kind = if self.role == Role::Option { None } else { self.kind_of_word() };
        let default = self.default.as_ref().filter(|default| self.kind != Kind::Flag && !is_nothing(default));
        let default = default.map(|default| format!("[default: {}]", print::preview(default)));
        let text = parts.join("; ");
        [Some(text).filter(|text| !text.is_empty()), kind, default].into_iter().flatten().collect::<Vec<_>>().join(" ")
    }

    /// Returns the kind of the words that an argument takes, unless every text is one: `[a whole number]`.
    fn kind_of_word(&self) -> Option<String> {
        match self.kind {
            Kind::One(element) | Kind::List(element) if element != Element::Text => {
                Some(format!("[{}]", element.expected()))
            }
            _ => None,
        }
    }

    fn turns_off(&self) -> bool {
        self.option_to_give() != self.option()
    }
}

impl Element {
    fn placeholder(self) -> &'static str {
        match self {
            Element::Text => "TEXT",
            Element::Int => "N",
            Element::Float => "NUMBER",
        }
    }
}

/// Returns whether a default is nil or empty.
fn is_nothing(default: &Value) -> bool {
    match default {
        Value::Nil => true,
        Value::List(list) => list.is_empty(),
        Value::Map(map) => map.is_empty(),
        default => default.as_text().is_some_and(|text| text.is_empty()),
    }
}

fn section(rows: &[[String; 2]], width: usize) -> String {
    rows.iter().map(|[name, text]| format!("  {name:<width$}{text}").trim_end().to_owned() + "\n").collect()
}
