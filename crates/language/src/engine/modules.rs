//! Loads the modules of a text: finds, reads and parses them before the text is lowered.
//!
//! Each file is read once, whatever paths lead to it. The traversal uses an explicit stack, so a long chain of
//! modules needs no native stack. The number of modules and their total size are limited.
//!
//! All code is known before the run. A module is found and read by the rules for files that tools read
//! (`gate/module`); the main script is not, because the user names it. Procedures of modules get numbers after those
//! of the script, so `eval` knows nothing about modules.

use std::cell::RefCell;
use std::collections::HashMap;
use std::vec;

use compact_str::CompactString;

use crate::gate::{Caller, ModuleError, ModuleFile, SessionMemory};
use crate::limits::{MemoryCharge, Meter};
use crate::program::{Module, ModuleId, Unit, Uses};
use crate::syntax::ast::{StatementKind, Tree, Use};
use crate::syntax::{KnownLines, TextLimits};
use crate::text::{Code, Diagnostic, Sources, Span, ToolCode};
use crate::toolkit::{ToolError, groups};

use super::parse::parse_known;
use super::{Engine, Script, admit_text};

/// Loads the modules of one text.
pub(super) struct Loader<'e> {
    pub engine: &'e Engine,
    /// The limits of each text.
    pub limits: TextLimits,
    /// Lines of earlier versions of the texts.
    pub known: Option<&'e RefCell<KnownLines>>,
    /// The session whose refusals the audit log records; `None` if nothing runs.
    pub session: Option<&'e SessionMemory>,
    pub sources: &'e mut Sources,
    pub findings: &'e mut Vec<Diagnostic>,
    /// The modules of the session, to which those of the text are appended.
    pub modules: &'e mut Vec<Module>,
    /// The memory that the texts need.
    pub held: &'e mut MemoryCharge,
}

/// The state of a module file.
#[derive(Clone, Copy)]
enum LoadState {
    /// Its own modules are being loaded.
    Open,
    Read(ModuleId),
    Unreadable,
}

/// A text whose modules are being loaded.
struct Following {
    /// The module, its file and the USE that led to it; `None` for the root text.
    module: Option<(ModuleId, ModuleFile, Use)>,
    rest: vec::IntoIter<Use>,
    found: Uses,
    names: HashMap<CompactString, Span>,
}

impl Following {
    fn new(module: Option<(ModuleId, ModuleFile, Use)>, tree: &Tree) -> Following {
        let uses: Vec<Use> = tree.uses().cloned().collect();
        Following { module, rest: uses.into_iter(), found: Uses::new(), names: HashMap::new() }
    }

    fn library(&self) -> Option<usize> {
        self.module.as_ref().and_then(|(_, file, _)| file.library)
    }
}

/// The state while the modules of one text are loaded.
struct Reading {
    met: HashMap<String, LoadState>,
    stack: Vec<Following>,
    modules_left: usize,
    bytes_left: usize,
}

impl Loader<'_> {
    /// Loads the modules of a text, recursively, and returns the meaning of its module names.
    pub fn load(&mut self, source: Span, tree: &Tree) -> Uses {
        let limits = &self.engine.limits;
        let mut reading = Reading {
            met: HashMap::new(),
            stack: vec![Following::new(None, tree)],
            modules_left: limits.modules,
            bytes_left: limits.script_bytes.saturating_sub(source.len()),
        };
        loop {
            let top = reading.stack.last_mut().expect("the text itself is taken off last");
            if let Some(used) = top.rest.next() {
                let met =
                    if self.admit_name(&used, top) { self.meet(&used, &mut reading) } else { LoadState::Unreadable };
                let top = reading.stack.last_mut().expect("the text that uses it is there");
                match met {
                    LoadState::Read(id) => top.found.insert(used.name.text, Some(id)),
                    LoadState::Unreadable => top.found.insert(used.name.text, None),
                    // The module is now on top of the stack; its name is bound once its own modules are loaded.
                    LoadState::Open => None,
                };
                continue;
            }
            let done = reading.stack.pop().expect("it was looked at");
            match done.module {
                None => return done.found,
                Some((id, file, used)) => {
                    self.modules[id.0 as usize].unit.uses = done.found;
                    reading.met.insert(file.address, LoadState::Read(id));
                    let user = reading.stack.last_mut().expect("some text uses a module");
                    user.found.insert(used.name.text, Some(id));
                }
            }
        }
    }

    /// Whether a name may stand for a module.
    fn admit_name(&mut self, used: &Use, user: &mut Following) -> bool {
        let name = &used.name;
        if self.is_group(&name.text) {
            let message = format!("`{}` is the name of a group of tools", name.text);
            self.report(Diagnostic::error(Code::ModuleName, name.span, message).help("choose another name"));
            return false;
        }
        if let Some(first) = user.names.insert(name.text.clone(), name.span) {
            let message = format!("the name `{}` is given to two modules", name.text);
            let finding = Diagnostic::error(Code::ModuleName, name.span, message).related(first, "given here first");
            self.report(finding.help("choose another name"));
            return false;
        }
        true
    }

    fn is_group(&self, name: &str) -> bool {
        let registry = self.engine.registry();
        groups::is_reserved(name)
            || registry.iter().any(|tool| groups::group_of(tool.spec.name).eq_ignore_ascii_case(name))
    }

    /// Finds a module. If it is new, reads it and pushes it onto the stack.
    fn meet(&mut self, used: &Use, reading: &mut Reading) -> LoadState {
        let library = reading.stack.last().and_then(Following::library);
        let mut meter = self.meter();
        let run = self.session.map(|session| Caller { meter: &mut meter, session });
        let file = match self.engine.gate.find_module(&used.path, library, run.as_ref()) {
            Ok(file) => file,
            Err(error) => return self.unreadable(used, error),
        };
        match reading.met.get(&file.address) {
            Some(LoadState::Open) => self.cycle(used, &file, &reading.stack),
            Some(&met) => met,
            None => {
                let met = self.read(used, &file, reading);
                reading.met.insert(file.address.clone(), met.unwrap_or(LoadState::Unreadable));
                match met {
                    None => LoadState::Unreadable,
                    Some(_) => {
                        let id = ModuleId(self.modules.len() as u32 - 1);
                        let tree = &self.modules[id.0 as usize].unit.tree;
                        reading.stack.push(Following::new(Some((id, file, used.clone())), tree));
                        LoadState::Open
                    }
                }
            }
        }
    }

    /// Reads and parses a module file. Returns `None` if it cannot be read.
    fn read(&mut self, used: &Use, file: &ModuleFile, reading: &mut Reading) -> Option<LoadState> {
        let limits = &self.engine.limits;
        if reading.modules_left == 0 {
            let message = format!("the script uses more than the {} modules of `modules`", limits.modules);
            let finding = Diagnostic::error(Code::ModuleLimit, used.path_span, message);
            self.report(
                finding.help("use fewer, or raise `modules` in `[limits]` of your own policy file or `--policy`"),
            );
            return None;
        }
        let bytes = self.bytes_of(used, file, reading.bytes_left as u64)?;
        reading.modules_left -= 1;
        reading.bytes_left -= bytes.len();
        let (text, undecodable) = Script::new(file.name.as_str(), bytes).decode(usize::MAX);
        let source = self.sources.add_module(file.name.as_str(), text);
        let span = source.span();
        let tree = match undecodable {
            None => {
                let tree = match admit_text(source, self.held) {
                    Some(finding) => {
                        self.findings.push(finding);
                        Tree::default()
                    }
                    None => parse_known(source, self.limits, self.findings, self.known),
                };
                report_statement(&tree, self.findings);
                tree
            }
            Some(finding) => {
                self.findings.push(shifted(finding, source.base()));
                Tree::default()
            }
        };
        let address = file.address.clone();
        self.modules.push(Module { unit: Unit { tree, uses: Uses::new() }, span, address });
        Some(LoadState::Open)
    }

    /// Reads the file of a module of at most `limit` bytes. If that fails, the reason is reported.
    fn bytes_of(&mut self, used: &Use, file: &ModuleFile, limit: u64) -> Option<Vec<u8>> {
        let mut meter = self.meter();
        let run = self.session.map(|session| Caller { meter: &mut meter, session });
        let read = match self.engine.open_text(&file.address, limit) {
            Some(opened) => opened,
            None => self.engine.gate.read_module(file, limit, run.as_ref()),
        };
        match read {
            Ok(bytes) => Some(bytes),
            Err(ModuleError::Tool(error)) => {
                self.unreadable(used, error);
                None
            }
            Err(ModuleError::TooLarge) => {
                let message = format!(
                    "with `{}` the script has more than the {} bytes of `script_bytes`",
                    file.name, self.engine.limits.script_bytes
                );
                let finding = Diagnostic::error(Code::TextTooLong, used.path_span, message);
                self.report(
                    finding
                        .help("split it, or raise `script_bytes` in `[limits]` of your own policy file or `--policy`"),
                );
                None
            }
        }
    }

    fn unreadable(&mut self, used: &Use, error: ToolError) -> LoadState {
        let finding = match error.code {
            ToolCode::PolicyDenied | ToolCode::SandboxViolation => {
                Diagnostic::error(error.code, used.path_span, error.message)
            }
            _ => {
                Diagnostic::error(Code::ModuleMissing, used.path_span, format!("no module is read: {}", error.message))
            }
        };
        let help = error.hint.unwrap_or_else(|| {
            "a module's path begins at the sandbox root, or in a folder that is given as `--lib DIR`".to_owned()
        });
        self.report(finding.help(help));
        LoadState::Unreadable
    }

    /// Reports the USE that closes a cycle, with those that lead to it.
    fn cycle(&mut self, used: &Use, file: &ModuleFile, stack: &[Following]) -> LoadState {
        let open = stack.iter().filter_map(|following| following.module.as_ref());
        let circle: Vec<_> = open.skip_while(|(_, open, _)| open.address != file.address).collect();
        let way: Vec<&str> = circle.iter().map(|(_, open, _)| open.name.as_str()).collect();
        let message = match &way[1..] {
            [] => format!("`{}` uses itself", file.name),
            between => format!("`{}` uses itself through `{}`", file.name, between.join("`, `")),
        };
        let mut finding = Diagnostic::error(Code::ModuleCycle, used.path_span, message);
        for (_, _, used) in &circle[1..] {
            finding = finding.related(used.path_span, "used here");
        }
        self.report(finding.help("move what both need to a module of its own"));
        LoadState::Unreadable
    }

    fn meter(&self) -> Meter {
        Meter::new(&self.engine.limits, self.engine.interrupt.clone())
    }

    fn report(&mut self, finding: Diagnostic) {
        self.findings.push(finding);
    }
}

/// Reports a statement at the top level of a module, which would run.
fn report_statement(tree: &Tree, findings: &mut Vec<Diagnostic>) {
    let is_statement = |kind: &StatementKind| !matches!(kind, StatementKind::Bad(_) | StatementKind::Broken(_));
    let first = tree.statements.iter().find(|statement| statement.runs() && is_statement(&statement.kind));
    if let Some(statement) = first {
        let finding = Diagnostic::error(Code::ModuleStatement, statement.span, "a module holds procedures only");
        findings.push(finding.help("put the statement into a procedure, and call that where the module is used"));
    }
}

/// Shifts the positions of a finding about a single text to those among all texts.
fn shifted(mut finding: Diagnostic, by: usize) -> Diagnostic {
    for label in finding.primary.iter_mut().chain(&mut finding.related) {
        label.span = label.span.shifted(by);
    }
    finding
}
