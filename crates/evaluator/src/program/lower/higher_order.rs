//! Lowers calls of functions that take a procedure, and resolves the procedure before the run.

use crate::syntax::ast::{self, ExprKind as Written};
use crate::text::{Code, Diagnostic, Span};

use super::super::builtin::Builtin;
use super::super::higher_order::HigherOrder;
use super::super::tree::{Args, Call, Callback, Callee, ExprKind, PlacedArg, Target};
use super::Lowering;
use super::expr::constant;

/// A callee, and how many arguments it takes.
struct Callable {
    callee: Callee,
    /// Minimum number of arguments.
    least: usize,
    /// Maximum number of arguments.
    most: usize,
}

impl Lowering<'_> {
    pub(super) fn higher_order_call(&mut self, call: &ast::Call, over: HigherOrder, span: Span) -> ExprKind {
        let binder = over.binder();
        if !self.check_order(call) {
            return ExprKind::REPORTED;
        }
        let positional = call.args.iter().filter(|arg| arg.name.is_none()).count();
        let names = call.args.iter().filter_map(|arg| arg.name.as_ref()).map(|name| name.text.as_str());
        let places = match binder.places(positional, names) {
            Ok(places) => places,
            Err(error) => {
                let at = self.place_of_error(call, &error).unwrap_or(call.callee_span);
                self.report_args(&error, at);
                return ExprKind::REPORTED;
            }
        };
        if !places.contains(&HigherOrder::PROCEDURE) {
            self.report_no_procedure(over, call.callee_span);
            return ExprKind::REPORTED;
        }
        if let Some(error) = binder.missing(&places) {
            self.report_args(&error, call.callee_span);
            return ExprKind::REPORTED;
        }
        let mut values: Vec<PlacedArg> = Vec::with_capacity(places.len());
        let mut callee = None;
        for (arg, place) in call.args.iter().zip(places) {
            if place == HigherOrder::PROCEDURE {
                callee = self.procedure_named(over, arg.value);
                continue;
            }
            let value = self.expr(arg.value);
            if let Some(constant) = constant(&value)
                && let Err(error) = binder.check(place, constant)
            {
                self.report_args(&error, value.span);
            }
            values.push(PlacedArg { place, value });
        }
        match callee {
            None => ExprKind::REPORTED,
            Some(callback) => {
                let args = Args::Placed { values, params: binder.params.len() };
                ExprKind::Call(Box::new(Call { target: Target::HigherOrder(over, callback), args, span }))
            }
        }
    }

    /// Returns the function that a tool call turns into if the argument that may name a procedure is the bare name of
    /// one.
    pub(super) fn higher_order_tool(&self, call: &ast::Call, tool: &str) -> Option<HigherOrder> {
        let over = HigherOrder::of_tool(tool)?;
        let label = over.params()[HigherOrder::PROCEDURE].name;
        let named = call.args.iter().find(|arg| arg.name.as_ref().is_some_and(|name| name.text == label));
        let arg = named.or_else(|| call.args.get(HigherOrder::PROCEDURE).filter(|arg| arg.name.is_none()))?;
        let (first, name) = self.dotted_name(arg.value)?;
        let is_procedure = self.variable(&first).is_none() && matches!(self.callee(&name), Some(Some(_)));
        is_procedure.then_some(over)
    }

    /// Resolves the name in an argument: a procedure, a built-in or a tool, in that order.
    fn procedure_named(&mut self, over: HigherOrder, id: ast::ExprId) -> Option<Callback> {
        let span = self.tree[id].span;
        let name = match &self.tree[id].kind {
            Written::Text(text) => text.clone(),
            _ => match self.dotted_name(id) {
                Some((_, name)) => name,
                None => {
                    self.report_no_procedure(over, span);
                    return None;
                }
            },
        };
        let Callable { callee, least, most } = self.callee(&name)?.or_else(|| {
            self.report_unknown_procedure(over, &name, span);
            None
        })?;
        let gives = over.argument_count(least);
        if (least..=most).contains(&gives) {
            return Some(Callback { callee, args: gives });
        }
        let takes = if gives < least { format!("at least {least}") } else { format!("at most {most}") };
        let message = format!("`{}` gives `{name}` {gives} of its arguments, and it takes {takes}", over.spec().name);
        let code = if gives < least { Code::MissingArgument } else { Code::TooManyArguments };
        self.report(Diagnostic::error(code, span, message).help(format!("name one that takes {gives}")));
        None
    }

    fn report_no_procedure(&mut self, over: HigherOrder, span: Span) {
        let name = over.spec().name;
        let message = format!("`{name}` needs the name of a procedure for `procedure`");
        let finding = Diagnostic::error(Code::WrongArgumentType, span, message);
        let first = over.params()[0].name;
        self.report(finding.help(format!("write `{name}({first}, Name)`, with a name that stands there")));
    }

    /// Resolves a name to a callee. Returns `Some(None)` if nothing has
    /// the name, and `None` if a line or module that could not be read may define it.
    #[expect(clippy::option_option, reason = "a line that could not be parsed may hold the procedure")]
    fn callee(&self, name: &str) -> Option<Option<Callable>> {
        let context = self.context;
        let of_module = name.split_once('.').and_then(|(module, name)| Some((self.uses.get(module)?, name)));
        let signature = match of_module {
            // Problems of a module that could not be read were reported at its USE.
            Some((None, _)) => return None,
            Some((Some(id), name)) => context.modules[id.0 as usize].get(name),
            None => context.signatures.get(name),
        };
        if let Some(signature) = signature {
            let (least, most) = (signature.required(), signature.params.len());
            return Some(Some(Callable { callee: Callee::Procedure(signature.id), least, most }));
        }
        if let Some(builtin) = Builtin::find(name).filter(|builtin| *builtin != Builtin::Eval) {
            let (least, most) = builtin.arity().into_inner();
            return Some(Some(Callable { callee: Callee::Builtin(builtin), least, most }));
        }
        if let Some(id) = context.registry.find(name) {
            let params = context.registry.get(id).params;
            let least = params.iter().filter(|param| param.absent == crate::toolkit::WhenAbsent::Required).count();
            return Some(Some(Callable { callee: Callee::Tool(id), least, most: params.len() }));
        }
        if self.is_doubtful(name) { None } else { Some(None) }
    }

    fn report_unknown_procedure(&mut self, over: HigherOrder, name: &str, span: Span) {
        let message = format!("there is no procedure, built-in or tool `{name}` for `{}`", over.spec().name);
        let finding = Diagnostic::error(Code::UnknownCall, span, message);
        let finding = match self.variable(name) {
            Some(_) => finding.help(format!("`{name}` is a variable; a variable cannot be called")),
            None => {
                let procedures = self.context.signatures.keys().map(|name| name.as_str());
                let near = self.suggestion(name, procedures.chain(Builtin::names().map(|name| -> &str { name })));
                match near.or_else(|| self.context.registry.nearest(name)) {
                    // A name in a text has quotes around it.
                    Some(near) if self.is_written(name, span) => finding.did_you_mean(near),
                    Some(near) => finding.help(format!("did you mean `{near}`?")).instead(&format!("\"{near}\"")),
                    None => finding.help("define it: `DEFINE PROCEDURE Name(element)`"),
                }
            }
        };
        self.report(finding);
    }
}
