//! Commands that inspect the state of a session, and that load, save and reset it.

use std::collections::HashSet;
use std::fs::File;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::time::Instant;

use crate::engine::{LineResult, ProcedureInfo, RunSummary, Selection, Value, outside};
use crate::manual::{About, about, tools_matching};
use crate::terminal::report::{report_failure, say};
use crate::terminal::screen::{CLEARED, is_capable};
use crate::terminal::script_file::read_script;
use crate::terminal::table::{cell, is_rows, new_table_of};

use super::Repl;
use super::commands::{COMMANDS, KEYS, full_name, usage};
use super::display::Extent;

impl Repl<'_> {
    /// `:help`
    pub fn help(&self, topic: Option<&str>) {
        let Some(topic) = topic else {
            let mut table = new_table_of(Some(self.columns()));
            for (name, rest, what) in COMMANDS {
                table.add_row([&format!(":{name} {rest}"), what]);
            }
            return self.print(&format!("{table}\n\n{KEYS}"));
        };
        let name = topic.trim_start_matches(':');
        let command = full_name(name).filter(|known| topic.starts_with(':') || *known == name);
        match (about(name), command) {
            (About::Pages(page), _) if !topic.starts_with(':') => self.print(&page),
            (_, Some(command)) => self.print(&usage(command)),
            (About::Similar(list), _) => self.print(&list),
            (About::Nothing(Some(near)), _) => {
                self.print(&format!("there is no page about `{name}`; did you mean `{near}`?"));
            }
            _ => self.print(&format!("there is no page about `{name}`; :help lists the commands, :tools the tools")),
        }
    }

    /// `:tools`
    pub fn tools(&self, pattern: &str) {
        let registry = self.engine.registry();
        let found = tools_matching(registry, pattern);
        let near = registry.nearest(pattern).filter(|_| found.is_empty());
        let help = near.map_or(String::new(), |near| format!("; did you mean `{near}`?"));
        let rows = found.iter().map(|entry| [entry.spec.name.to_owned(), entry.spec.summary.to_owned()]);
        self.print_rows(rows.collect(), &format!("no tool has a name with `{pattern}`{help}"));
    }

    /// `:vars`
    pub fn variables(&self) {
        let session = self.session.borrow();
        let rows =
            session.variables().map(|(name, value)| [name.to_owned(), value.type_name().to_owned(), cell(value)]);
        self.print_rows(rows.collect(), "there are no variables");
    }

    /// `:procs`
    pub fn procedures(&self) {
        let session = self.session.borrow();
        let row = |module: &str, procedure: ProcedureInfo| {
            let documentation = procedure.documentation.as_deref().unwrap_or_default();
            [format!("{module}{}", procedure.signature()), documentation.lines().next().unwrap_or_default().to_owned()]
        };
        let mut rows: Vec<[String; 2]> = session.procedures().map(|procedure| row("", procedure)).collect();
        let mut modules: Vec<&str> = session.modules().collect();
        modules.sort_unstable();
        for module in modules {
            rows.extend(session.module_procedures(module).map(|procedure| row(&format!("{module}."), procedure)));
        }
        self.print_rows(rows, "there are no procedures");
    }

    fn print_rows<const N: usize>(&self, rows: Vec<[String; N]>, none: &str) {
        if rows.is_empty() {
            return self.print(none);
        }
        let mut table = new_table_of(Some(self.columns()));
        table.add_rows(rows);
        self.print(&table.to_string());
    }

    /// `:out`
    pub fn out(&mut self, number: Option<&str>) {
        let Some(text) = number else {
            let rows = self.results.numbered();
            let rows = rows.map(|(number, value)| [number.to_string(), size(value), cell(value)]);
            return self.print_rows(rows.collect(), "there are no results");
        };
        let found = text.parse().ok().and_then(|number| Some((number, self.results.get(number)?.clone())));
        let Some((number, value)) = found else {
            return self.print(&format!("there is no result `{text}`; :out lists them"));
        };
        {
            let _bounds = self.session.borrow().engine().bound();
            self.show(&value, number, Extent::All);
        }
        self.session.borrow_mut().set_last(value);
    }

    /// `:reset`
    pub fn reset(&mut self) {
        self.session.borrow_mut().reset();
        self.results.forget();
        self.done.clear();
        self.print("variables, procedures and results are forgotten; memory and files stay");
    }

    /// `:clear`
    pub fn clear(&self) {
        // The printer would escape the escapes, so bypass it.
        if is_capable() {
            say(CLEARED);
        }
    }

    /// `:type`
    pub fn type_of(&mut self, text: &str) {
        let last = self.session.borrow().last().clone();
        let outcome = self.session.borrow_mut().evaluate(text);
        let is_done = self.report(&outcome);
        match outcome.result {
            LineResult::Shown(value) | LineResult::Called(value) => self.print(&size(&value)),
            LineResult::None if is_done => self.print("that has no value"),
            LineResult::None => {}
        }
        self.session.borrow_mut().set_last(last);
    }

    /// `:time`
    pub fn time(&mut self, text: &str) {
        let begin = Instant::now();
        let outcome = self.session.borrow_mut().evaluate(text);
        let taken = begin.elapsed();
        let steps = outcome.steps;
        self.report(&outcome);
        if let LineResult::Shown(value) = outcome.result {
            let number = self.results.keep(value.clone());
            self.show_answer(&value, number);
        }
        self.print(&format!("{taken:.3?}, {steps} steps"));
    }

    /// `:load`
    pub fn load(&mut self, file: &str) {
        // Errors of the file have been reported already.
        let path = path(file);
        let Ok(script) = outside(move || read_script(&path)) else { return };
        let outcome = self.session.borrow_mut().run(&script);
        if self.report(&outcome) {
            self.done.push(script.code().trim_end().to_owned(), outcome.ended.as_ref());
        }
        self.say_changes(outcome.ended.as_ref());
    }

    /// `:save`
    pub fn save(&self, file: &str) {
        if self.engine.gate().policy().read_only {
            return self.print("the sandbox is read-only, so nothing is saved");
        }
        // Other processes may undo runs of this session too.
        let undone = match self.engine.runs(Selection::Folded, usize::MAX) {
            Ok(runs) => runs.into_iter().filter(RunSummary::is_undone).map(|run| run.run).collect::<HashSet<_>>(),
            Err(error) => {
                report_failure(error);
                return;
            }
        };
        let text = self.done.script(|run| undone.contains(run));
        let (path, lines) = (path(file), text.lines().count());
        match outside(move || save_script(&path, &text)) {
            Ok(()) => self.print(&format!("{lines} lines are in `{file}`")),
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {
                self.print(&format!("`{file}` is there already; name a file that is not"));
            }
            Err(error) => self.print(&format!("`{file}` cannot be written: {error}")),
        }
    }
}

/// Writes a script to a file that must not exist yet.
fn save_script(path: &Path, text: &str) -> io::Result<()> {
    let mut file = File::create_new(path)?;
    file.write_all(text.as_bytes())?;
    file.sync_all()
}

/// Interprets a path as typed: expands `~/` to the home directory and strips quotes around it.
pub fn path(text: &str) -> PathBuf {
    let text = text.strip_prefix('"').and_then(|text| text.strip_suffix('"')).unwrap_or(text);
    match (text.strip_prefix("~/"), std::env::home_dir()) {
        (Some(rest), Some(home)) => home.join(rest),
        _ => PathBuf::from(text),
    }
}

/// Returns the type of a value and its size.
fn size(value: &Value) -> String {
    let name = value.type_name();
    let counted = |count: usize, noun: &str| {
        let plural = if count == 1 { "" } else { "s" };
        format!("{name} of {count} {noun}{plural}")
    };
    match value {
        Value::List(_) if is_rows(value) => match value {
            Value::List(list) => counted(list.len(), "map"),
            _ => name.to_owned(),
        },
        Value::List(list) => counted(list.len(), "element"),
        Value::Map(map) => counted(map.len(), "key"),
        value => value.as_text().map_or(name.to_owned(), |text| counted(text.chars().count(), "character")),
    }
}
