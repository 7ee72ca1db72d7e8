//! Prompts: the chores of the cookbook and the scripts that come with it, each as a request to the model to run a
//! script.
//!
//! They are made from the pages and files that the documentation has, which its tests run: `chores/` links to them. A
//! prompt changes nothing by itself; the model calls `run_script`, first as a plan.

mod cookbook;
mod message;
mod scripts;

use std::sync::LazyLock;

use rmcp::model::{ErrorData, GetPromptResult, JsonObject, Prompt, PromptArgument, PromptMessage, Role};

use crate::text::nearest;

/// Maximum size in bytes of the value of an argument.
const MAX_VALUE: usize = 4096;

/// A chore that a client can ask for.
#[derive(Debug)]
pub struct Chore {
    /// The name of the prompt.
    name: String,
    title: String,
    description: String,
    arguments: Vec<ChoreArgument>,
    script: String,
    form: Form,
}

/// How the arguments of a chore reach its script.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Form {
    /// The model changes the script as the arguments say.
    Example,
    /// They are words of its command line.
    CommandLine,
}

/// An argument of a chore.
#[derive(Debug)]
struct ChoreArgument {
    name: String,
    description: String,
    is_required: bool,
    values: Values,
}

/// The values of an argument.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Values {
    /// Any text.
    Text,
    /// A path in the sandbox.
    Path,
    /// `true` or `false`.
    Truth,
}

/// All chores, in the order in which they are listed.
static CHORES: LazyLock<Vec<Chore>> = LazyLock::new(|| scripts::chores().chain(cookbook::chores()).collect());

/// Returns the definitions of all prompts.
pub fn definitions() -> Vec<Prompt> {
    CHORES.iter().map(Chore::definition).collect()
}

/// Returns the message of a prompt.
pub fn message(name: &str, arguments: &JsonObject) -> Result<GetPromptResult, ErrorData> {
    let chore = find(name)?;
    let given = chore.given(arguments)?;
    let text = message::text(chore, &given).map_err(|message| ErrorData::invalid_params(message, None))?;
    let message = PromptMessage::new_text(Role::User, text);
    Ok(GetPromptResult::new(vec![message]).with_description(&*chore.description))
}

/// Returns which values an argument of a prompt has.
pub fn values_of(name: &str, argument: &str) -> Result<Values, ErrorData> {
    let chore = find(name)?;
    let found = chore.arguments.iter().find(|known| known.name == argument);
    found.map(|found| found.values).ok_or_else(|| chore.no_argument(argument))
}

fn find(name: &str) -> Result<&'static Chore, ErrorData> {
    CHORES.iter().find(|chore| chore.name == name).ok_or_else(|| {
        let shown = crate::value::print::shortened(name, 60);
        let near = nearest(name, CHORES.iter().map(|chore| chore.name.as_str()));
        let hint = near.map_or_else(|| "`prompts/list` has all".to_owned(), |near| format!("did you mean `{near}`?"));
        ErrorData::invalid_params(format!("there is no prompt `{shown}`: {hint}"), None)
    })
}

impl Chore {
    fn definition(&self) -> Prompt {
        let arguments = self.arguments.iter().map(|argument| {
            PromptArgument::new(&*argument.name)
                .with_description(&*argument.description)
                .with_required(argument.is_required)
        });
        Prompt::new(&*self.name, Some(&*self.description), Some(arguments.collect())).with_title(&*self.title)
    }

    /// Checks the arguments of a request. Returns those that are not empty, in the order of the declaration.
    fn given<'a>(&'a self, arguments: &'a JsonObject) -> Result<Vec<(&'a ChoreArgument, &'a str)>, ErrorData> {
        let is_known = |name: &&String| self.arguments.iter().any(|argument| argument.name == **name);
        if let Some(other) = arguments.keys().find(|name| !is_known(name)) {
            return Err(self.no_argument(other));
        }
        let mut given = Vec::new();
        for argument in &self.arguments {
            let fault = |fault: &str| ErrorData::invalid_params(format!("`{}` {fault}", argument.name), None);
            let text = match arguments.get(&argument.name) {
                None => "",
                Some(value) => value.as_str().ok_or_else(|| fault("needs a text"))?,
            };
            if text.len() > MAX_VALUE {
                return Err(fault(&format!("has {} bytes, more than {MAX_VALUE}", text.len())));
            }
            match text {
                "" if argument.is_required => return Err(fault(&format!("is missing: {}", argument.description))),
                "" => {}
                text => given.push((argument, text)),
            }
        }
        Ok(given)
    }

    fn no_argument(&self, argument: &str) -> ErrorData {
        let names: Vec<&str> = self.arguments.iter().map(|known| known.name.as_str()).collect();
        let shown = crate::value::print::shortened(argument, 60);
        let message = format!("`{}` has no argument `{shown}`, but `{}`", self.name, names.join("`, `"));
        ErrorData::invalid_params(message, None)
    }
}

/// Derives a name from a title: `Convert CSV to JSON` becomes `convert-csv-to-json`.
fn name_of(title: &str) -> String {
    let lower = title.to_lowercase();
    let words = lower.split(|c: char| !c.is_ascii_alphanumeric()).filter(|word| !word.is_empty());
    words.collect::<Vec<_>>().join("-")
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::{CHORES, Form, definitions, message};
    use crate::engine::{Script, describe_script};

    #[test]
    fn every_chore_has_a_name_of_its_own_and_a_valid_script() {
        let names: BTreeSet<&str> = CHORES.iter().map(|chore| chore.name.as_str()).collect();
        assert_eq!(names.len(), CHORES.len());
        assert!(CHORES.len() > 35, "{}", CHORES.len());
        for chore in CHORES.iter() {
            let described = describe_script(&Script::new("chore.ns", chore.script.as_str()), None);
            assert!(described.interface.is_some(), "{}: {:?}", chore.name, described.findings);
            assert!(!chore.title.is_empty() && !chore.description.is_empty(), "{}", chore.name);
            assert!(!chore.arguments.is_empty(), "{}", chore.name);
        }
        assert_eq!(CHORES.iter().filter(|chore| chore.form == Form::CommandLine).count(), 5);
        assert_eq!(definitions().len(), CHORES.len());
    }

    #[test]
    fn every_message_has_the_whole_script() {
        for chore in CHORES.iter() {
            let required = chore.arguments.iter().filter(|argument| argument.is_required);
            let given = required.map(|argument| (argument.name.clone(), "a b".into())).collect();
            let got = message(&chore.name, &given).expect("a message");
            let content = serde_json::to_value(&got.messages[0].content).expect("a content");
            let text = content["text"].as_str().expect("a text");
            assert!(text.contains(&chore.script), "{}: {text}", chore.name);
        }
    }
}
