//! Converts the words of a command line to parameter values.
//!
//! All mistakes are reported, not only the first. Nothing is guessed: a word that no parameter accepts is a mistake.

use std::collections::BTreeSet;

use compact_str::CompactString;

use crate::text::{Code, Diagnostic, nearest};
use crate::value::Value;

use super::{Interface, Kind, OWN_OPTIONS, Parameter, Role};

/// The words of a command line that belong to the script.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Words {
    /// Words before `--`, without the options of `ns`.
    pub before: Vec<String>,
    /// Words after `--`.
    pub after: Vec<String>,
    /// Long names of `ns` options that were written after the script's file name.
    pub own: Vec<String>,
}

impl Words {
    /// Treats all words as the script's own, as if they followed `--`.
    pub fn verbatim(words: &[String]) -> Words {
        Words { after: words.to_vec(), ..Words::default() }
    }

    /// Returns all words, as the script sees them in `ARGS`.
    pub fn all(&self) -> Vec<&str> {
        self.before.iter().chain(&self.after).map(String::as_str).collect()
    }
}

/// The values that a script is run with.
#[derive(Debug, Default)]
pub struct Bound {
    /// The elements of `ARGS`.
    pub args: Vec<Value>,
    /// The arguments of the entry procedure.
    pub values: Vec<Value>,
}

/// Returns whether a word is an option rather than a value. Negative numbers and `-` are values.
pub fn is_option(word: &str) -> bool {
    let Some(rest) = word.strip_prefix('-').filter(|rest| !rest.is_empty()) else { return false };
    !rest.trim_start_matches('.').starts_with(|c: char| c.is_ascii_digit())
}

impl Interface {
    /// Converts words to parameter values.
    ///
    /// # Errors
    /// All mistakes in the words, as diagnostics without a location in the script.
    pub fn bind(&self, words: &Words) -> Result<Bound, Vec<Diagnostic>> {
        let args = words.all().into_iter().map(Value::text).collect();
        let mut binder = Binder::new(self);
        if self.procedure.is_none() {
            words.before.iter().filter(|word| is_option(word)).for_each(|word| binder.report_unknown(word, true));
            binder.report_unread(words);
            return binder.finish(args);
        }
        words.own.iter().for_each(|name| binder.check_own(name));
        binder.words(words);
        binder.place_arguments();
        binder.report_missing();
        binder.finish(args)
    }

    /// Returns the parameter that a plain word after `words` would be given to, for completions.
    pub fn next_argument(&self, words: &Words) -> Option<&Parameter> {
        let mut binder = Binder::new(self);
        binder.words(words);
        binder.place_arguments();
        let is_free = |place: usize, parameter: &Parameter| match parameter.role {
            Role::Argument => binder.given[place].is_empty(),
            Role::Rest => true,
            Role::Option => false,
        };
        let place = self.parameters.iter().enumerate().find(|(place, parameter)| is_free(*place, parameter));
        place.map(|(_, parameter)| parameter)
    }
}

/// A word of a command line.
#[derive(Clone, Copy)]
struct Word<'a> {
    text: &'a str,
    /// Whether `ns` could have claimed it, if it is an option.
    is_shared: bool,
}

/// An option as written.
#[derive(Clone, Copy)]
struct GivenOption<'a> {
    /// Its name, with dashes.
    written: &'a str,
    /// The value after `=`, if there is one.
    value: Option<&'a str>,
}

impl<'a> GivenOption<'a> {
    fn of(word: &'a str) -> GivenOption<'a> {
        match word.split_once('=') {
            Some((written, value)) => GivenOption { written, value: Some(value) },
            None => GivenOption { written: word, value: None },
        }
    }
}

struct Binder<'a> {
    interface: &'a Interface,
    /// The values given for each parameter.
    given: Vec<Vec<Value>>,
    /// Parameters whose text was refused, so that they are not reported as missing too.
    refused: BTreeSet<usize>,
    /// Positional words.
    plain: Vec<&'a str>,
    /// Parameters that were given by their names.
    by_option: BTreeSet<CompactString>,
    findings: Vec<Diagnostic>,
}

impl<'a> Binder<'a> {
    fn new(interface: &'a Interface) -> Binder<'a> {
        let given = interface.parameters.iter().map(|_| Vec::new()).collect();
        Binder {
            interface,
            given,
            refused: BTreeSet::new(),
            plain: Vec::new(),
            by_option: BTreeSet::new(),
            findings: Vec::new(),
        }
    }

    fn words(&mut self, words: &'a Words) {
        let mut are_options = true;
        let before = words.before.iter().map(|text| Word { text, is_shared: true });
        let after = words.after.iter().map(|text| Word { text, is_shared: false });
        let mut ahead = before.chain(after).peekable();
        while let Some(word) = ahead.next() {
            match word.text {
                "--" if are_options => are_options = false,
                _ if are_options && is_option(word.text) => {
                    let next = ahead.peek().map(|word| word.text);
                    if self.option(word, next) {
                        ahead.next();
                    }
                }
                _ => self.plain.push(word.text),
            }
        }
    }

    /// Handles an option and returns whether the next word is its value.
    fn option(&mut self, word: Word<'a>, next: Option<&'a str>) -> bool {
        let option = GivenOption::of(word.text);
        let (written, is_shared) = (option.written, word.is_shared);
        let Some(name) = written.strip_prefix("--").map(|name| name.replace('-', "_")) else {
            self.report_unknown(written, is_shared);
            // `-b 4`: the value of what was meant is no argument.
            return self.short(written).is_some() && option.value.is_none() && next.is_some_and(is_value);
        };
        if let Some(place) = self.find(&name) {
            self.by_option.insert(self.interface.parameters[place].name.clone());
            return self.take(place, option, next);
        }
        let negated = name.strip_prefix("no_").and_then(|name| self.find(name));
        match negated.filter(|place| self.interface.parameters[*place].kind == Kind::Flag) {
            Some(place) if option.value.is_none() => self.give(place, written, false.into()),
            Some(_) => self.report(Code::WrongArgumentType, format!("`{written}` takes no value"), "leave it out"),
            None => match name.strip_prefix("no_").and_then(|name| self.find(name)) {
                Some(place) => self.report_no_flag(place, written),
                None => self.report_unknown(written, is_shared),
            },
        }
        false
    }

    /// Returns the parameter whose whole name follows a single dash.
    fn short(&self, written: &str) -> Option<usize> {
        self.find(&written.strip_prefix('-')?.replace('-', "_"))
    }

    /// Reports `--no-limit` for a parameter that is not on or off.
    fn report_no_flag(&mut self, place: usize, written: &str) {
        let parameter = &self.interface.parameters[place];
        let message = format!("there is no `{written}`: `--{}` is no option that is on or off", parameter.option());
        let help = format!("write `--{} {}`, or leave it out", parameter.option(), parameter.placeholder());
        self.report(Code::UnknownArgument, message, &help);
    }

    fn find(&self, name: &str) -> Option<usize> {
        self.interface.parameters.iter().position(|parameter| parameter.name == name)
    }

    /// Gives a parameter the value of its option and returns whether that is the next word.
    fn take(&mut self, place: usize, option: GivenOption<'_>, next: Option<&str>) -> bool {
        let GivenOption { written, value } = option;
        let parameter = &self.interface.parameters[place];
        if parameter.kind == Kind::Flag {
            match value.unwrap_or("true") {
                "true" => self.give(place, written, true.into()),
                "false" => self.give(place, written, false.into()),
                other => {
                    let message = format!("`{written}` is true or false, not `{other}`");
                    self.report(
                        Code::WrongArgumentType,
                        message,
                        &format!("write `{written}` alone, or `--no-{}`", parameter.option()),
                    );
                }
            }
            // Read as an argument, `--go false` would turn `go` on.
            let follows = next.filter(|next| value.is_none() && matches!(*next, "true" | "false"));
            if let Some(next) = follows {
                let message = format!("`{next}` is not read as the value of `{written}`: it stands apart");
                let help = format!("write `{written}={next}`; as an argument, `{next}` stands before the options");
                self.report(Code::WrongArgumentType, message, &help);
            }
            return follows.is_some();
        }
        let apart = next.filter(|next| is_value(next));
        match value.or(apart) {
            Some(text) => self.give_text(place, written, text),
            None => {
                let help = match next.filter(|next| *next != "--") {
                    Some(option) => {
                        format!("`{option}` is read as an option; if it is the value, write `{written}={option}`")
                    }
                    None => format!("write `{written} {}`", parameter.placeholder()),
                };
                self.refused.insert(place);
                self.report(Code::MissingArgument, format!("`{written}` needs a value"), &help);
            }
        }
        value.is_none() && apart.is_some()
    }

    /// Parses a text and adds its value to a parameter.
    fn give_text(&mut self, place: usize, written: &str, text: &str) {
        let parameter = &self.interface.parameters[place];
        match parameter.read(text) {
            Some(value) => self.give(place, written, value),
            None => {
                let given = if text.is_empty() { "an empty text".to_owned() } else { format!("`{text}`") };
                let message = if parameter.is_too_large(text) {
                    format!("`{written}` needs a whole number of 64 bits, and {given} is larger")
                } else {
                    format!("`{written}` needs {}, not {given}", parameter.expected())
                };
                let help = if written.starts_with('-') {
                    format!("write `{written} {}`", parameter.placeholder())
                } else {
                    format!("give {} in its place", parameter.expected())
                };
                self.refused.insert(place);
                self.report(Code::WrongArgumentType, message, &help);
            }
        }
    }

    fn give(&mut self, place: usize, written: &str, value: Value) {
        let is_single = matches!(self.interface.parameters[place].kind, Kind::Flag | Kind::One(_));
        if is_single && !self.given[place].is_empty() {
            let message = format!("`{written}` gives `{}` a second value", self.interface.parameters[place].name);
            return self.report(Code::DoubledArgument, message, "give it once: it takes one value");
        }
        self.given[place].push(value);
    }

    /// Assigns positional words, in order, to arguments that have no value yet.
    fn place_arguments(&mut self) {
        let interface = self.interface;
        let mut plain = std::mem::take(&mut self.plain).into_iter();
        for (place, parameter) in interface.parameters.iter().enumerate() {
            match parameter.role {
                Role::Argument if self.given[place].is_empty() => {
                    let Some(word) = plain.next() else { return };
                    self.give_text(place, &parameter.shown_name(), word);
                }
                Role::Rest => {
                    plain.by_ref().for_each(|word| self.give_text(place, &parameter.shown_name(), word));
                }
                _ => {}
            }
        }
        let (left, expected) = (plain.collect::<Vec<_>>(), interface.count_arguments());
        // The value of an unknown option would be counted as a positional word.
        let is_certain = self.findings.iter().all(|finding| finding.code != Code::UnknownArgument.into());
        if let Some(first) = left.first().filter(|_| is_certain) {
            let message = format!("`{first}` is too much: the script takes {expected}");
            let help = self.help_of_extra(first);
            self.report(Code::TooManyArguments, message, &help);
        }
    }

    /// Returns the help for a word that no parameter takes.
    fn help_of_extra(&self, word: &str) -> String {
        // An option in the notation of another program: `b=4`, `/b`, or with a dash that an editor has made of two.
        let bare = word.trim_start_matches(['-', '/', '\u{2013}', '\u{2014}', '\u{2212}']);
        let (name, value) = bare.split_once(['=', ':']).map_or((bare, None), |(name, value)| (name, Some(value)));
        let meant = self.find(&name.replace('-', "_")).filter(|_| bare != word || value.is_some());
        if let Some(place) = meant {
            let option = self.interface.parameters[place].option();
            return match value {
                Some(value) => format!("an option is written `--{option}={value}`"),
                None => format!("an option is written `--{option}`"),
            };
        }
        let by_name = self.interface.parameters.iter().zip(&self.given);
        let by_name: Vec<String> = by_name
            .filter(|(parameter, given)| {
                parameter.role == Role::Argument && !given.is_empty() && self.by_option.contains(&parameter.name)
            })
            .map(|(parameter, _)| format!("`--{}`", parameter.option()))
            .collect();
        match &by_name[..] {
            [] => "leave it out; a text with blanks is written in quotes".to_owned(),
            names => format!("leave it out, or {}, which gives an argument by its name", names.join(" and ")),
        }
    }

    /// Reports words that a script with top-level statements would ignore.
    fn report_unread(&mut self, words: &Words) {
        let first = words.all().first().filter(|_| !self.interface.reads_args && self.findings.is_empty()).copied();
        if let Some(first) = first {
            let message = format!("`{first}` is too much: the script does not read `ARGS`");
            self.report(
                Code::TooManyArguments,
                message,
                "leave it out, or let the script read `ARGS`, the list of its words",
            );
        }
    }

    fn report_missing(&mut self) {
        for (place, parameter) in self.interface.parameters.iter().enumerate() {
            if parameter.is_required() && self.given[place].is_empty() && !self.refused.contains(&place) {
                let message = format!("the argument `{}` is missing", parameter.shown_name());
                let help = match &parameter.documentation {
                    Some(documentation) => format!("give {documentation}"),
                    None => "give it by its place, in the order of the usage".to_owned(),
                };
                self.findings.push(Diagnostic::placeless(Code::MissingArgument, message).help(help));
            }
        }
    }

    /// Reports an option written after the file name that both `ns` and the script define: the meaning is ambiguous.
    fn check_own(&mut self, name: &str) {
        if self.find(&name.replace('-', "_")).is_some() {
            let message = format!("`--{name}` is an option of `ns` and of the script");
            let help = format!(
                "write it before the file for that of `ns`, or after `--` for that of the script: `-- --{name}`"
            );
            self.report(Code::OwnOption, message, &help);
        }
    }

    fn report_unknown(&mut self, word: &str, is_shared: bool) {
        let word = word.split('=').next().unwrap_or(word);
        let who = if is_shared { "neither `ns` nor the script has" } else { "the script does not have" };
        let parameters = match self.interface.procedure {
            Some(_) => &self.interface.parameters[..],
            None => &[],
        };
        let options: Vec<String> = parameters.iter().map(|parameter| format!("--{}", parameter.option())).collect();
        let own: Vec<String> = OWN_OPTIONS.iter().filter(|_| is_shared).map(|name| format!("--{name}")).collect();
        let help = match meant(word, &options, &own) {
            _ if is_shared && matches!(word, "--version" | "-V") => {
                "`ns --version` shows the version of `ns`; the script has none".to_owned()
            }
            Some(near) => format!("did you mean `{near}`?"),
            None if self.interface.procedure.is_none() && !self.interface.reads_args => {
                "the script declares no options and does not read `ARGS`; leave it out".to_owned()
            }
            None if self.interface.procedure.is_none() => format!(
                "the script declares no options: write `-- {word}`, and `ARGS` has it and all that follows as words"
            ),
            None => format!("{}; a plain word that begins with `-` stands behind two `--`", self.interface.takes()),
        };
        self.report(Code::UnknownArgument, format!("{who} an option `{word}`"), &help);
    }

    fn report(&mut self, code: Code, message: String, help: &str) {
        self.findings.push(Diagnostic::placeless(code, message).help(help));
    }

    fn finish(mut self, args: Vec<Value>) -> Result<Bound, Vec<Diagnostic>> {
        let given = std::mem::take(&mut self.given);
        let values = given.into_iter().zip(&self.interface.parameters).map(|(given, parameter)| parameter.whole(given));
        let values: Vec<Value> = if self.interface.procedure.is_some() { values.collect() } else { Vec::new() };
        if self.findings.is_empty() { Ok(Bound { args, values }) } else { Err(self.findings) }
    }
}

/// Returns whether a word after an option can be its value.
fn is_value(word: &str) -> bool {
    !is_option(word) && word != "--"
}

/// Returns the option that an unknown one probably means: it differs in letter case, is cut off, or is misspelt. Of
/// options that are equally near, those of the script come first.
fn meant<'o>(word: &str, options: &'o [String], own: &'o [String]) -> Option<&'o str> {
    let wanted = bare_name(word);
    let letters = wanted.chars().count();
    let all = || options.iter().chain(own).map(String::as_str);
    all()
        .find(|option| letters > 0 && bare_name(option) == wanted)
        .or_else(|| only_begun(&wanted, options).filter(|_| letters >= 2))
        .or_else(|| only_begun(&wanted, own).filter(|_| letters >= 3))
        .or_else(|| {
            let names: Vec<(String, &str)> = all().map(|option| (bare_name(option), option)).collect();
            // Almost any word is two edits away from a name of one or two letters.
            let is_near = |name: &str| name.chars().count() > 2 || name.chars().count() + 1 == letters;
            let near = nearest(&wanted, names.iter().map(|(name, _)| name.as_str()).filter(|name| is_near(name)));
            let near = near.filter(|_| letters > 2)?;
            names.iter().find(|(name, _)| name == near).map(|(_, option)| *option)
        })
}

/// Returns the name of an option without dashes at its beginning, in the form in which names are compared.
fn bare_name(option: &str) -> String {
    option.trim_start_matches('-').replace('_', "-").to_lowercase()
}

/// Returns the option that begins with `wanted`, if it is the only one.
fn only_begun<'o>(wanted: &str, options: &'o [String]) -> Option<&'o str> {
    let mut begun = options.iter().filter(|option| bare_name(option).starts_with(wanted));
    begun.next().filter(|_| begun.next().is_none()).map(String::as_str)
}

/// Maximum number of options named in a help; the usage text below it lists all.
const SHOWN_OPTIONS: usize = 8;

impl Interface {
    /// Returns a clause about the parameters, such as `the script takes FOLDER and no options`.
    fn takes(&self) -> String {
        let (options, arguments): (Vec<_>, Vec<_>) =
            self.parameters.iter().partition(|parameter| parameter.role == Role::Option);
        let arguments: Vec<String> = arguments.into_iter().map(Parameter::in_synopsis).collect();
        let options: Vec<String> = options.into_iter().take(SHOWN_OPTIONS).map(Parameter::spelling).collect();
        let arguments = if arguments.is_empty() { "no arguments".to_owned() } else { arguments.join(" ") };
        match &options[..] {
            [] => format!("the script takes {arguments} and no options"),
            [one] => format!("the script takes {arguments} and the option `{one}`"),
            many => format!("the script takes {arguments} and the options `{}`", many.join("`, `")),
        }
    }

    /// `no arguments`, `1 argument`, `at most 3 arguments`
    fn count_arguments(&self) -> String {
        let arguments = self.parameters.iter().filter(|parameter| parameter.role == Role::Argument);
        let (required, optional): (Vec<_>, Vec<_>) = arguments.partition(|parameter| parameter.is_required());
        let most = required.len() + optional.len();
        let noun = if most == 1 { "argument" } else { "arguments" };
        match (most, optional.is_empty()) {
            (0, _) if self.parameters.is_empty() => "no arguments and no options".to_owned(),
            (0, _) => "no arguments but options".to_owned(),
            (_, true) => format!("{most} {noun}"),
            (_, false) => format!("at most {most} {noun}"),
        }
    }
}
