//! The text of a prompt.

use serde_json::json;

use super::{Chore, ChoreArgument, Form, Values};

/// Returns the text of a prompt with these arguments.
///
/// # Errors
/// The value that does not fit its argument.
pub fn text(chore: &Chore, given: &[(&ChoreArgument, &str)]) -> Result<String, String> {
    let Chore { title, description, script, form, .. } = chore;
    let task = match form {
        Form::Example => example(given),
        Form::CommandLine => command_line(given)?,
    };
    let fence = "`".repeat(longest_fence(script).max(2) + 1);
    Ok(format!(
        "{title}: {description}\n\n{task} Call it with `plan: true` first and show me the planned changes; call it without \
         `plan` when I agree. If nothing would change, the first call is the answer.\n\n{fence}neuroscript\n{script}{fence}\n"
    ))
}

fn example(given: &[(&ChoreArgument, &str)]) -> String {
    let request = given.iter().map(|(_, text)| format!(" What I want: {text}")).collect::<String>();
    format!(
        "The script below does this for example files. Look at the files of this server, and adapt the paths and rules of \
         the script to them.{request}\n\nRun the script with `run_script`."
    )
}

fn command_line(given: &[(&ChoreArgument, &str)]) -> Result<String, String> {
    let mut words = Vec::new();
    for (argument, text) in given {
        let option = argument.name.replace('_', "-");
        match (argument.values, *text) {
            (Values::Truth, "true") => words.push(format!("--{option}")),
            (Values::Truth, "false") => {}
            (Values::Truth, _) => return Err(format!("`{}` is `true` or `false`", argument.name)),
            (_, text) => words.push(format!("--{option}={text}")),
        }
    }
    Ok(format!(
        "Run the script below with `run_script`, its text unchanged as `script`, and `args` as {}.",
        json!(words)
    ))
}

/// Returns the length of the longest run of backquotes in a text.
fn longest_fence(text: &str) -> usize {
    text.split(|c| c != '`').map(str::len).max().unwrap_or(0)
}
