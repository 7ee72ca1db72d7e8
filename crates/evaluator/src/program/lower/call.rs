//! Lowers calls: resolves the target and matches arguments to parameters.

use std::collections::HashSet;

use crate::syntax::{ast, part_of_literal};
use crate::text::{Code, Diagnostic, Span};
use crate::toolkit::{About, ArgError, Binder, Mistake, StaticArg, ToolId};
use crate::value::print;

use super::super::builtin::Builtin;
use super::super::higher_order::HigherOrder;
use super::super::tree::{Args, Call, Expr, ExprKind, Param, PlacedArg, Target};
use super::super::unit::ModuleId;
use super::expr::constant;
use super::other_languages;
use super::suggestions::Instead;
use super::{Lowering, Signature};

/// The callee `module.name` as written.
#[derive(Clone, Copy)]
struct ModuleProcedure<'a> {
    module: &'a str,
    name: &'a str,
}

/// The places of findings about a whole call.
#[derive(Clone, Copy)]
struct CallSpans {
    /// Where a missing argument is reported.
    callee: Span,
    whole: Span,
}

impl Lowering<'_> {
    pub fn call(&mut self, call: &ast::Call, span: Span) -> ExprKind {
        let context = self.context;
        let name = call.callee.as_str();
        if let Some(signature) = context.signatures.get(name) {
            return self.procedure_call(call, signature, span);
        }
        if let Some((module, procedure)) = name.split_once('.')
            && let Some(id) = self.uses.get(module)
        {
            return self.module_call(call, *id, ModuleProcedure { module, name: procedure }, span);
        }
        if let Some(builtin) = Builtin::find(name) {
            return self.builtin_call(call, builtin, span);
        }
        if let Some(over) = HigherOrder::find(name) {
            return self.higher_order_call(call, over, span);
        }
        if let Some(tool) = context.registry.find(name).filter(|_| !other_languages::means_a_value(name)) {
            return match self.higher_order_tool(call, context.registry.get(tool).spec.name) {
                Some(over) => self.higher_order_call(call, over, span),
                None => self.tool_call(call, tool, span),
            };
        }
        if name.eq_ignore_ascii_case("LLM") {
            self.report_llm(call);
        } else if !self.is_doubtful(name) {
            let finding = self.unknown_call(call, span);
            self.report(finding);
        }
        self.nothing_called(call)
    }

    /// Checks the arguments of a call whose target is unknown.
    fn nothing_called(&mut self, call: &ast::Call) -> ExprKind {
        for arg in &call.args {
            self.expr(arg.value);
        }
        ExprKind::REPORTED
    }

    fn module_call(
        &mut self,
        call: &ast::Call,
        id: Option<ModuleId>,
        called: ModuleProcedure<'_>,
        span: Span,
    ) -> ExprKind {
        // Problems of a module that could not be read were reported at its USE.
        let Some(id) = id else { return self.nothing_called(call) };
        let context = self.context;
        let signatures = &context.modules[id.0 as usize];
        if let Some(signature) = signatures.get(called.name) {
            return self.procedure_call(call, signature, span);
        }
        let ModuleProcedure { module, name } = called;
        let message = format!("the module `{module}` has no procedure `{name}`");
        let finding = Diagnostic::error(Code::UnknownCall, call.callee_span, message);
        let near = self.suggestion(name, signatures.keys().map(|name| name.as_str()));
        self.report(match near {
            Some(near) => finding.did_you_mean(&format!("{module}.{near}")),
            None => finding.help("define it in the module, or call one that it has"),
        });
        self.nothing_called(call)
    }

    fn unknown_call(&self, call: &ast::Call, span: Span) -> Diagnostic {
        let name = call.callee.as_str();
        let what = if name.contains('.') { "tool" } else { "procedure, built-in or tool" };
        let finding = Diagnostic::error(Code::UnknownCall, call.callee_span, format!("there is no {what} `{name}`"));
        let Instead { help, edit } = self.instead_of(call, span);
        finding.help(help).suggest(edit)
    }

    fn report_llm(&mut self, call: &ast::Call) {
        let finding = Diagnostic::error(Code::UnknownCall, call.callee_span, "`LLM` has no provider");
        self.report(
            finding.help("`provider` in `[llm]` of the policy file would name one, and this version has none to name; give the text as an argument: `ns FILE TEXT`"),
        );
    }

    fn procedure_call(&mut self, call: &ast::Call, signature: &Signature, span: Span) -> ExprKind {
        let Some(mut values) = self.bind_to_procedure(call, signature) else { return ExprKind::REPORTED };
        add_defaults(&mut values, signature, span);
        let params = signature.params.len();
        let in_order = values.len() == params && values.iter().enumerate().all(|(at, arg)| at == arg.place);
        let args = if in_order {
            Args::InOrder(values.into_iter().map(|arg| arg.value).collect())
        } else {
            Args::Placed { values, params }
        };
        ExprKind::Call(Box::new(Call { target: Target::Procedure(signature.id), args, span }))
    }

    fn bind_to_procedure(&mut self, call: &ast::Call, signature: &Signature) -> Option<Vec<PlacedArg>> {
        let name = &signature.name;
        let mut values: Vec<PlacedArg> = Vec::with_capacity(call.args.len());
        let mut given = vec![false; signature.params.len()];
        if !self.check_order(call) {
            // The arguments cannot be matched to parameters, so only their values are checked.
            call.args.iter().for_each(|arg| drop(self.expr(arg.value)));
            return None;
        }
        let mut fine = true;
        for (number, arg) in call.args.iter().enumerate() {
            let value = self.expr(arg.value);
            let place = match &arg.name {
                None => number,
                Some(label) => match signature.places.get(&label.text) {
                    Some(place) => *place,
                    None => {
                        self.report_unknown_label(label, signature);
                        fine = false;
                        continue;
                    }
                },
            };
            if place >= signature.params.len() {
                let message =
                    format!("`{name}` takes {}, not {} arguments", counted(signature.params.len()), call.args.len());
                self.report(
                    Diagnostic::error(Code::TooManyArguments, value.span, message)
                        .related(signature.span, "defined here")
                        .help(parameters(signature)),
                );
                return None;
            }
            if std::mem::replace(&mut given[place], true) {
                let param = arg.name.as_ref().map_or(name, |label| &label.text);
                let message = format!("`{name}` is given `{param}` twice");
                self.report(Diagnostic::error(Code::DoubledArgument, value.span, message).help("give it once"));
                fine = false;
                continue;
            }
            values.push(PlacedArg { place, value });
        }
        let is_missing = |(given, param): &(&bool, &Param)| !**given && param.default.is_none();
        if let Some((_, missing)) = given.iter().zip(&signature.params).find(is_missing) {
            let message = format!("`{name}` needs `{}`", missing.name);
            self.report(
                Diagnostic::error(Code::MissingArgument, call.callee_span, message)
                    .related(signature.span, "defined here")
                    .help(parameters(signature)),
            );
            return None;
        }
        fine.then_some(values)
    }

    fn report_unknown_label(&mut self, label: &ast::Name, signature: &Signature) {
        let near = self.suggestion(&label.text, signature.params.iter().map(|param| param.name.as_str()));
        let message = format!("`{}` has no parameter `{}`", signature.name, label.text);
        let finding =
            Diagnostic::error(Code::UnknownArgument, label.span, message).related(signature.span, "defined here");
        self.report(match near {
            Some(near) => finding.did_you_mean(near),
            None => finding.help(parameters(signature)),
        });
    }

    /// Reports an unnamed argument that follows a named one.
    pub(super) fn check_order(&mut self, call: &ast::Call) -> bool {
        let named = call.args.iter().position(|arg| arg.name.is_some()).unwrap_or(call.args.len());
        let Some(late) = call.args[named..].iter().find(|arg| arg.name.is_none()) else { return true };
        let span = self.tree[late.value].span;
        let finding =
            Diagnostic::error(Code::PositionalAfterNamed, span, "an argument without a name follows a named one");
        self.report(finding.help("name it too, or put it first"));
        false
    }

    fn builtin_call(&mut self, call: &ast::Call, builtin: Builtin, span: Span) -> ExprKind {
        let args: Vec<Expr> = call.args.iter().map(|arg| self.expr(arg.value)).collect();
        if let Some(label) = call.args.iter().find_map(|arg| arg.name.as_ref()) {
            let message = format!("`{}` takes no named arguments", builtin.name());
            self.report(
                Diagnostic::error(Code::UnknownArgument, label.span, message)
                    .help(format!("write `{}`", builtin.signature())),
            );
            return ExprKind::REPORTED;
        }
        let (least, most) = builtin.arity().into_inner();
        if !(least..=most).contains(&args.len()) {
            let (code, wanted) = if args.len() < least {
                (Code::MissingArgument, format!("at least {}", counted(least)))
            } else {
                (Code::TooManyArguments, format!("at most {}", counted(most)))
            };
            let wanted = if least == most { counted(least) } else { wanted };
            let message = format!("`{}` takes {wanted}, not {}", builtin.name(), args.len());
            self.report(Diagnostic::error(code, span, message).help(format!("write `{}`", builtin.signature())));
            return ExprKind::REPORTED;
        }
        if builtin == Builtin::Eval {
            // The text may name either of them.
            self.keeps_last = true;
            self.context.sees_errors.set(true);
            let scope = self.scope();
            let text = args.into_iter().next().expect("the number of arguments was checked");
            self.context.reads_args.set(true);
            return ExprKind::Eval(Box::new(text), scope);
        }
        ExprKind::Call(Box::new(Call { target: Target::Builtin(builtin), args: Args::InOrder(args), span }))
    }

    fn tool_call(&mut self, call: &ast::Call, id: ToolId, span: Span) -> ExprKind {
        let registry = self.context.registry;
        let binder = registry.get(id).binder();
        if !self.check_order(call) {
            return ExprKind::REPORTED;
        }
        if let [ast::Arg { name: None, value }] = &call.args[..]
            && binder.takes_one_map()
            && let Some(args) = self.one_map(id, *value, &binder)
        {
            return ExprKind::Call(Box::new(Call { target: Target::Tool(id), args, span }));
        }
        let positional = call.args.iter().filter(|arg| arg.name.is_none()).count();
        let names = call.args.iter().filter_map(|arg| arg.name.as_ref()).map(|name| name.text.as_str());
        let places = binder.places(positional, names);
        let values: Vec<Expr> = call.args.iter().map(|arg| self.expr(arg.value)).collect();
        let places = match places {
            Ok(places) => places,
            Err(error) => {
                let at = self.place_of_error(call, &error).unwrap_or(call.callee_span);
                self.report_args(&error, at);
                return ExprKind::REPORTED;
            }
        };
        let values = places.into_iter().zip(values).map(|(place, value)| PlacedArg { place, value }).collect();
        let args = self.checked(id, values, CallSpans { callee: call.callee_span, whole: span });
        ExprKind::Call(Box::new(Call { target: Target::Tool(id), args, span }))
    }

    /// Checks the arguments of a tool that are known before the run.
    fn checked(&mut self, id: ToolId, values: Vec<PlacedArg>, spans: CallSpans) -> Args {
        let tool = self.context.registry.get(id);
        let args: Vec<StaticArg<'_>> =
            values.iter().map(|arg| StaticArg { place: arg.place, value: constant(&arg.value) }).collect();
        for mistake in tool.mistakes(&args, self.context.settings) {
            let span = match mistake.about {
                About::Argument(number) => self.part_of_literal(values[number].value.span, &mistake),
                About::Absence => spans.callee,
                About::Combination => spans.whole,
            };
            self.report(mistake.finding(span));
        }
        Args::Placed { values, params: tool.params.len() }
    }

    /// Returns the span of the part of a text literal that a mistake is about, or of the whole argument.
    fn part_of_literal(&self, span: Span, mistake: &Mistake) -> Span {
        let part = mistake.part.as_ref().zip(self.context.sources.of(span));
        part.and_then(|(part, source)| part_of_literal(source.slice(span), part.clone()))
            .map_or(span, |part| Span::new(part.start, part.end).shifted(span.start as usize))
    }

    /// Handles one unnamed argument that is or may be the map of all arguments.
    fn one_map(&mut self, id: ToolId, value: ast::ExprId, binder: &Binder) -> Option<Args> {
        let inner = self.tree.bare(value);
        if let ast::ExprKind::Map(entries) = &self.tree[inner].kind {
            return Some(self.literal_map(id, entries, self.tree[inner].span, binder));
        }
        let before = self.findings.len();
        let value = self.expr(value);
        match constant(&value) {
            // The argument is lowered again as a plain argument and reports its findings then.
            Some(_) => {
                self.findings.truncate(before);
                None
            }
            None => Some(Args::PerhapsMap(Box::new(value))),
        }
    }

    fn literal_map(&mut self, id: ToolId, entries: &[ast::Entry], span: Span, binder: &Binder) -> Args {
        let mut values = Vec::with_capacity(entries.len());
        let mut places = Vec::with_capacity(entries.len());
        for entry in entries {
            let value = self.expr(entry.value);
            match binder.free_position(&entry.key, &places) {
                Ok(place) => {
                    places.push(place);
                    values.push(PlacedArg { place, value });
                }
                Err(error) => self.report_args(&error, entry.key_span),
            }
        }
        self.checked(id, values, CallSpans { callee: span, whole: span })
    }

    pub(super) fn report_args(&mut self, error: &ArgError, span: Span) {
        let finding = Diagnostic::error(error.code(), span, error.to_string()).help(error.help());
        self.report(match error {
            ArgError::Unknown { name, near: Some(near), .. } if self.is_written(name, span) => finding.instead(near),
            _ => finding,
        });
    }

    /// Returns the span of the argument that an error is about.
    pub(super) fn place_of_error(&self, call: &ast::Call, error: &ArgError) -> Option<Span> {
        let label = |wanted: &str| {
            let mut labels = call.args.iter().filter_map(|arg| arg.name.as_ref());
            labels.rfind(|label| print::shortened(&label.text, 60) == wanted).map(|label| label.span)
        };
        match error {
            ArgError::Unknown { name, .. } => label(name),
            ArgError::Doubled { name, .. } => label(name),
            ArgError::TooMany { .. } => call.args.last().map(|arg| self.tree[arg.value].span),
            _ => None,
        }
    }
}

/// `no arguments`, `one argument`, `2 arguments`
fn counted(number: usize) -> String {
    match number {
        0 => "no arguments".to_owned(),
        1 => "one argument".to_owned(),
        _ => format!("{number} arguments"),
    }
}

/// Adds the defaults of omitted parameters.
fn add_defaults(values: &mut Vec<PlacedArg>, signature: &Signature, span: Span) {
    if values.len() == signature.params.len() {
        return;
    }
    let given: HashSet<usize> = values.iter().map(|arg| arg.place).collect();
    let absent = signature.params.iter().enumerate().filter(|(place, _)| !given.contains(place));
    let defaults = absent.map(|(place, param)| {
        let default = param.default.clone().unwrap_or_default();
        PlacedArg { place, value: Expr { kind: ExprKind::Const(default), span } }
    });
    values.extend(defaults);
}

/// Returns help that displays how a procedure is called, and its parameters if some may be left out.
fn parameters(signature: &Signature) -> String {
    let name = &signature.name;
    let params: Vec<String> = signature.params.iter().map(Param::to_string).collect();
    let required = signature.params.iter().filter(|param| param.default.is_none());
    let required: Vec<String> = required.map(Param::to_string).collect();
    if required.len() == params.len() {
        return format!("write `{name}({})`", params.join(", "));
    }
    format!("write `{name}({})`; its parameters are `({})`", required.join(", "), params.join(", "))
}
