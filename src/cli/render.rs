//! `ns render FILE`: prints a Markdown document with the results of its calls.

use std::io::{IsTerminal, stdout};
use std::path::Path;

use crate::engine::{Ending, Engine, Rendered, Results, Script};
use crate::options::Global;
use crate::terminal::exit::Exit;
use crate::terminal::report::{print, report_error, report_findings, report_notes};
use crate::terminal::sandbox_hint::with_root;
use crate::terminal::script_file::read_text;
use crate::text::safe;
use crate::value::{Map, Str, Value, json};

use super::args::{RenderArgs, ResultForm};
use super::finish::say_ended;
use super::start::{attend, open};

pub fn render(global: &Global, args: &RenderArgs) -> Exit {
    let engine = match open(&global.options()) {
        Ok(engine) => engine,
        Err(exit) => return exit,
    };
    let variables = match variables(args) {
        Ok(variables) => variables,
        Err(exit) => return exit,
    };
    let document = match read_text(&args.file) {
        Ok((name, bytes)) => Script::markdown(name, bytes),
        Err(exit) => return exit,
    };
    if let Err(exit) = attend(&engine, global) {
        return exit;
    }
    let results = match args.results {
        ResultForm::Json => Results::Json,
        ResultForm::Content => Results::Content,
    };
    let rendered = engine.render(&document, &variables, results);
    let exit = tell(&engine, &rendered);
    say_ended(global, &engine);
    exit
}

fn tell(engine: &Engine, rendered: &Rendered) -> Exit {
    report_notes(&rendered.warnings);
    report_findings(&with_root(&rendered.findings, engine.gate().root().path()), &rendered.sources);
    if rendered.ending != Ending::Done {
        return rendered.ending.into();
    }
    if stdout().is_terminal() { print(&safe::prose(&rendered.text)) } else { print(&rendered.text) }
}

/// Returns the variables: those of `--vars`, overridden by those of `--var`.
fn variables(args: &RenderArgs) -> Result<Map, Exit> {
    let mut values = match &args.variable_file {
        Some(file) => variable_file(file, &args.file)?,
        None => Map::with_capacity(args.variables.len()),
    };
    let mut given: Vec<&str> = Vec::new();
    for variable in &args.variables {
        let Some((name, value)) = variable.split_once('=') else {
            return refuse(&format!("`--var {variable}` has no `=`"), "write `--var NAME=VALUE`");
        };
        if given.contains(&name) {
            return refuse(&format!("`--var {name}=…` is given twice"), "give it once");
        }
        if !Engine::is_document_name(name) {
            let help = "a name has letters, digits and `_`, does not begin with a digit, and is no reserved word";
            return refuse(&format!("`{name}` can be no name in a document"), help);
        }
        given.push(name);
        put(&mut values, name, Value::text(value))?;
    }
    Ok(values)
}

fn variable_file(file: &Path, document: &Path) -> Result<Map, Exit> {
    if file == Path::new("-") && document == Path::new("-") {
        return refuse("standard input cannot be both the document and its values", "name a file for one of them");
    }
    let (name, bytes) = read_text(file)?;
    let values = match String::from_utf8(bytes) {
        Ok(text) => json::from_text(&text).map_err(|error| error.to_string()),
        Err(error) => Err(error.to_string()),
    };
    match values {
        Ok(Value::Map(map)) => {
            let mut values = Map::with_capacity(map.len());
            map.iter().try_for_each(|(key, value)| put(&mut values, &key.as_text(), value))?;
            Ok(values)
        }
        Ok(value) => {
            let message = format!("`{name}` holds a JSON {}, not an object", value.type_name());
            refuse(&message, "write `{\"NAME\": value}`")
        }
        Err(error) => refuse(&format!("`{name}` is not JSON: {error}"), "write `{\"NAME\": value}`"),
    }
}

fn put(values: &mut Map, name: &str, value: Value) -> Result<(), Exit> {
    let put = values.put(Str::new(name), value);
    put.or_else(|hit| refuse(&hit.to_string(), "give fewer values"))
}

fn refuse<T>(message: &str, help: &str) -> Result<T, Exit> {
    report_error(message, help);
    Err(Exit::Usage)
}
