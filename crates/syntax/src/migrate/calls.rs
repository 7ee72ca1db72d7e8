//! Rewrites calls of upstream's tools.

use super::Verdict;
use super::expr::{Call, Expr, Id, Mark, Shape};
use super::facts::is_no_list;
use super::rewrite::{Rewriter, Wanted};
use super::tokens::TokenKind;
use super::tools::{self, Form, Special, Tool};
use crate::syntax::keyword::is_keyword;

/// How the new form of a call is written.
struct NewCall<'t> {
    /// The text in place of the name.
    to: &'t str,
    /// Our names of the parameters; a named argument gets the one at its place.
    params: &'t [&'t str],
    /// Whether every argument gets its name.
    is_named: bool,
    /// The number of arguments that are written.
    kept: usize,
    /// The text before the closing parenthesis.
    extra: &'t str,
    /// The text after the call.
    after: &'t str,
}

impl<'t> NewCall<'t> {
    fn of(to: &'t str, params: &'t [&'t str]) -> NewCall<'t> {
        NewCall { to, params, is_named: false, kept: usize::MAX, extra: "", after: "" }
    }
}

impl<'a> Rewriter<'a, '_> {
    fn callee(&self, call: &Call) -> String {
        self.slice(call.callee.start, call.callee.end).chars().filter(|c| !c.is_whitespace()).collect()
    }

    /// Rewrites a call that stands in an expression.
    pub fn tool_call(&mut self, expr: &Expr, call: &Call) -> String {
        let callee = self.callee(call);
        match self.found(call, &callee) {
            Some(tool) => self.form(expr, call, tool),
            None => self.kept(expr, call),
        }
    }

    /// Finds the tool of a name. In a text of upstream, `IO.Print` is one without `tool.` too.
    fn named(&self, callee: &str) -> Option<&'static Tool> {
        let is_print = callee == "IO.Print" && self.shared.facts.is_upstream;
        tools::find(if is_print { "tool.io.print" } else { callee }, self.shared.facts.is_old)
    }

    /// Finds the tool that a call names, and reports one that has no form or other arguments.
    fn found(&mut self, call: &Call, callee: &str) -> Option<&'static Tool> {
        let found = self.named(callee);
        let refusal = match found {
            Some(tool) => self.refusal(call, callee, tool),
            None => tools::reason(callee).map(|reason| format!("`{callee}` has no counterpart: {reason}")),
        };
        match refusal {
            Some(message) => {
                self.shared.note(call.callee.start, Verdict::Left, message);
                None
            }
            None => found,
        }
    }

    /// Returns why a call of a tool has no form.
    fn refusal(&self, call: &Call, callee: &str, tool: &Tool) -> Option<String> {
        if matches!(tool.form, Form::Nothing) {
            return Some(format!("`{callee}` has no counterpart: {}", tool.note));
        }
        let is_known = |name: &str| tool.params.iter().any(|param| param.eq_ignore_ascii_case(name));
        let mut names = call.args.iter().filter_map(|arg| arg.name).map(|name| self.slice(name.start, name.end));
        if let Some(unknown) = names.find(|name| !is_known(name)) {
            // The call may be one of ours already.
            return Some(format!("`{callee}` has no parameter `{unknown}` upstream"));
        }
        let (given, most) = (call.args.len(), tool.params.len());
        let is_variadic = matches!(tool.form, Form::Special(Special::Print));
        (given > most && !is_variadic).then(|| format!("`{callee}` takes {most} arguments upstream, not {given}"))
    }

    /// Keeps a call, and rewrites its arguments.
    fn kept(&mut self, expr: &Expr, call: &Call) -> String {
        let values: Vec<Id> = call.args.iter().map(|arg| arg.value).collect();
        self.around(expr, &values, Wanted::Value)
    }

    fn form(&mut self, expr: &Expr, call: &Call, tool: &'static Tool) -> String {
        match tool.form {
            Form::Call { to, params, after } => {
                let new = NewCall { after, ..NewCall::of(to, params) };
                self.write(expr, call, tool, &new)
            }
            Form::Named { to, params } => {
                let new = NewCall { is_named: true, ..NewCall::of(to, params) };
                self.write(expr, call, tool, &new)
            }
            Form::Helper(helper) | Form::Change { helper, .. } => self.helper(expr, call, tool, helper),
            Form::Special(special) => self.special(expr, call, tool, special),
            Form::Nothing => self.kept(expr, call),
        }
    }

    /// Writes a call of an added procedure, which has upstream's parameters.
    fn helper(&mut self, expr: &Expr, call: &Call, tool: &'static Tool, helper: &'static str) -> String {
        self.shared.helpers.insert(helper);
        // `end` is a keyword here.
        let params: Vec<&str> =
            tool.params.iter().map(|param| if *param == "end" { "end_index" } else { param }).collect();
        self.write(expr, call, tool, &NewCall::of(helper, &params))
    }

    /// Writes a call in its new form. What stands between the arguments stays.
    fn write(&mut self, expr: &Expr, call: &Call, tool: &Tool, new: &NewCall<'_>) -> String {
        let callee = self.callee(call);
        self.report(call.callee.start, &callee, new.to.split('(').next().unwrap_or(new.to), tool.note);
        let mut out = format!("{}{}", self.slice(expr.start, call.callee.start), new.to);
        let mut done = call.callee.end;
        for (index, arg) in call.args.iter().enumerate() {
            let value = self.expr(arg.value);
            let start = arg.name.map_or(value.start, |name| name.start);
            if index >= new.kept {
                done = value.end;
                continue;
            }
            out.push_str(self.slice(done, start));
            let place = arg.name.map_or(Some(index), |name| {
                let name = self.slice(name.start, name.end);
                tool.params.iter().position(|param| param.eq_ignore_ascii_case(name))
            });
            let param = place.and_then(|place| new.params.get(place).copied()).unwrap_or_default();
            match arg.name {
                Some(name) => out.push_str(&format!("{param}{}", self.slice(name.end, value.start))),
                None if new.is_named => out.push_str(&format!("{param}: ")),
                None => {}
            }
            out.push_str(&self.render(arg.value, Wanted::Value));
            done = value.end;
        }
        let rest = self.slice(done, expr.end);
        let (between, close) = rest.split_at(rest.len().saturating_sub(1));
        out.push_str(&format!("{between}{}{close}{}", new.extra, new.after));
        out
    }

    fn report(&mut self, at: usize, callee: &str, to: &str, note: &str) {
        let reason = if note.is_empty() { String::new() } else { format!(": {note}") };
        self.shared.note(at, Verdict::Rewritten, format!("`{callee}` is `{to}`{reason}"));
    }

    fn special(&mut self, expr: &Expr, call: &Call, tool: &'static Tool, special: Special) -> String {
        let are_positional = call.args.iter().all(|arg| arg.name.is_none());
        let number = |this: &Self, index: usize| {
            let arg = call.args.get(index).filter(|_| are_positional)?;
            this.written(arg.value).replace([' ', '\t'], "").parse::<i64>().ok()
        };
        match special {
            Special::Replace => {
                let all = NewCall::of("STR.Replace", &["text", "old", "new", "most"]);
                match number(self, 3) {
                    Some(0..) => self.write(expr, call, tool, &all),
                    Some(_) if self.can_drop(call, 3) => self.write(expr, call, tool, &NewCall { kept: 3, ..all }),
                    _ => self.helper(expr, call, tool, "upstream_replace"),
                }
            }
            Special::Split => {
                let delimiter = call.args.get(1).filter(|_| are_positional).map(|arg| arg.value);
                let is_text = |id: Id| matches!(self.expr(id).shape, Shape::Text(_)) && self.written(id).len() > 2;
                if delimiter.is_some_and(is_text) {
                    return self.write(expr, call, tool, &NewCall::of("STR.Split", &["text", "separator"]));
                }
                self.helper(expr, call, tool, "upstream_split")
            }
            Special::Get if number(self, 1).is_some_and(|index| index >= 0) => {
                self.write(expr, call, tool, &NewCall::of("LIST.Get", &["list", "index", "default"]))
            }
            Special::Get => self.helper(expr, call, tool, "upstream_get"),
            Special::Tail if number(self, 1).is_some_and(|count| count >= 0) => {
                self.write(expr, call, tool, &NewCall::of("LIST.Tail", &["list", "count"]))
            }
            Special::Tail => self.helper(expr, call, tool, "upstream_tail"),
            Special::Getenv => {
                let extra = if are_positional { ", \"\"" } else { ", default: \"\"" };
                self.write(expr, call, tool, &NewCall { extra, ..NewCall::of("ENV.Get", &["name"]) })
            }
            Special::JsonText => self.json_text(expr, call, tool),
            Special::Hash => self.hash(expr, call, tool),
            Special::Error => self.error_map(expr, call),
            Special::Print => self.print_value(expr, call, tool),
        }
    }

    /// Returns whether the arguments from an index on can be left out without losing a comment.
    fn can_drop(&self, call: &Call, from: usize) -> bool {
        let Some(before) = from.checked_sub(1).and_then(|index| call.args.get(index)) else { return false };
        let Some(last) = call.args.last() else { return false };
        let dropped = self.slice(self.expr(before.value).end, self.expr(last.value).end);
        !dropped.contains('\n')
    }

    fn json_text(&mut self, expr: &Expr, call: &Call, tool: &'static Tool) -> String {
        let are_positional = call.args.iter().all(|arg| arg.name.is_none());
        let word = |this: &Self, index: usize| call.args.get(index).map(|arg| this.written(arg.value));
        let indent = word(self, 3).map(|indent| indent.trim_matches(['"', '\'']).len());
        let is_blank = word(self, 3).is_none_or(|indent| indent.trim_matches(['"', '\'', ' ']).is_empty());
        let has_prefix = word(self, 2).is_some_and(|prefix| prefix.len() > 2);
        match (word(self, 1), are_positional && is_blank && !has_prefix) {
            (None, _) => self.write(expr, call, tool, &NewCall::of("JSON.Text", &["value"])),
            (Some("false"), true) if self.can_drop(call, 1) => {
                self.write(expr, call, tool, &NewCall { kept: 1, ..NewCall::of("JSON.Text", &["value"]) })
            }
            (Some("true"), true) if self.can_drop(call, 1) => {
                let extra = format!(", indent: {}", indent.unwrap_or(2));
                self.write(
                    expr,
                    call,
                    tool,
                    &NewCall { kept: 1, extra: &extra, ..NewCall::of("JSON.Pretty", &["value"]) },
                )
            }
            _ => self.not_known(expr, call, "the form depends on values that only a run knows"),
        }
    }

    fn hash(&mut self, expr: &Expr, call: &Call, tool: &'static Tool) -> String {
        let algorithm = call.args.get(1).filter(|arg| arg.name.is_none()).map(|arg| self.written(arg.value));
        let to = match algorithm.map(|name| name.trim_matches(['"', '\'']).to_ascii_lowercase()).as_deref() {
            Some("sha256" | "sha-256") => "HASH.Sha256",
            Some("sha512" | "sha-512") => "HASH.Sha512",
            Some("sha1" | "sha-1") => "HASH.Sha1",
            Some("md5") => "HASH.Md5",
            _ => return self.not_known(expr, call, "the algorithm must be a text such as \"sha256\""),
        };
        if !self.can_drop(call, 1) {
            return self.not_known(expr, call, "the algorithm must stand on the line of the text");
        }
        self.write(expr, call, tool, &NewCall { kept: 1, ..NewCall::of(to, &["text"]) })
    }

    /// Writes `tool.error.New(code, message)` as a map.
    fn error_map(&mut self, expr: &Expr, call: &Call) -> String {
        let [code, message] = &call.args[..] else {
            return self.not_known(expr, call, "it takes a code and a message");
        };
        if code.name.is_some() || message.name.is_some() {
            return self.not_known(expr, call, "write the map with `code` and `message`");
        }
        self.report(call.callee.start, &self.callee(call), "{\"code\": …, \"message\": …}", "");
        let (first, second) = (self.expr(code.value), self.expr(message.value));
        let rest = self.slice(second.end, expr.end);
        format!(
            "{{{}\"code\": {}{}\"message\": {}{}}}",
            self.slice(call.open + 1, first.start),
            self.render(code.value, Wanted::Value),
            self.slice(first.end, second.start),
            self.render(message.value, Wanted::Value),
            rest.strip_suffix(')').unwrap_or(rest),
        )
    }

    fn not_known(&mut self, expr: &Expr, call: &Call, reason: &str) -> String {
        let message = format!("`{}` is left as it is: {reason}", self.callee(call));
        self.shared.note(call.callee.start, Verdict::Left, message);
        self.kept(expr, call)
    }

    /// Writes `tool.io.Print` where its value, nil, is used.
    fn print_value(&mut self, expr: &Expr, call: &Call, tool: &'static Tool) -> String {
        self.shared.helpers.insert("upstream_print");
        if call.args.len() == 1 {
            return self.write(expr, call, tool, &NewCall::of("upstream_print", &["values"]));
        }
        let new = NewCall { extra: "]", ..NewCall::of("upstream_print", &["values"]) };
        let written = self.write(expr, call, tool, &new);
        written.replacen('(', "([", 1)
    }

    /// Rewrites a statement that calls a tool of upstream. Returns the statement, or `None` if the call is rewritten as
    /// it is elsewhere. `word` is the keyword before the call.
    pub fn statement(&mut self, value: Id, word: Mark, is_long: bool) -> Option<String> {
        let expr = self.expr(value);
        let Shape::Call(call) = &expr.shape else { return None };
        let callee = self.callee(call);
        let tool = self.named(&callee).filter(|tool| self.refusal(call, &callee, tool).is_none())?;
        let keyword = self.slice(word.start, word.end);
        let is_must = is_keyword(keyword, "MUST");
        let must = if is_upper(keyword) { "MUST CALL" } else { "must call" };
        match tool.form {
            Form::Change { to, params, .. } if is_must || !self.shared.facts.reads_last => {
                let written = self.write(expr, call, tool, &NewCall::of(to, params));
                // After MUST the call may have a `call` of its own.
                Some(format!("{must} {}", &written[call.callee.start - expr.start..]))
            }
            Form::Call { to, params, after } if after.starts_with('.') && !is_must => {
                if self.shared.facts.reads_last {
                    let new = NewCall { after, ..NewCall::of(to, params) };
                    return Some(format!("{keyword} STR({})", self.write(expr, call, tool, &new)));
                }
                Some(format!("{must} {}", self.write(expr, call, tool, &NewCall::of(to, params))))
            }
            Form::Special(Special::Print) if !is_must => self.print(call, keyword, is_long),
            Form::Special(Special::Error) => {
                let before = self.slice(word.start, expr.start);
                Some(format!("{before}{}", self.not_known(expr, call, "its value is not used")))
            }
            _ => None,
        }
    }

    /// Writes `call tool.io.Print(a, b)` as EMIT.
    fn print(&mut self, call: &Call, keyword: &str, is_long: bool) -> Option<String> {
        if is_long {
            return None;
        }
        let values: Vec<Id> = call.args.iter().map(|arg| arg.value).collect();
        let parts = match &values[..] {
            [one] => match &self.expr(*one).shape {
                Shape::List(items) => items.clone(),
                _ if self.holds_no_list(*one) => values,
                _ => return None,
            },
            _ => values,
        };
        let emit = if is_upper(keyword) { "EMIT" } else { "emit" };
        let note = if parts.len() > 1 { "it prints blanks between the values" } else { "" };
        self.report(call.callee.start, &self.callee(call), emit, note);
        let parts: Vec<String> = parts.into_iter().map(|part| self.render(part, Wanted::Value)).collect();
        Some(format!("{emit} {}", parts.join(", \" \", ")).trim_end().to_owned())
    }

    fn holds_no_list(&self, id: Id) -> bool {
        let is_plain =
            matches!(self.expr(id).shape, Shape::Name) && self.shared.facts.without_list.contains(self.written(id));
        is_plain
            || is_no_list(self.shared.text, self.tree, id)
            || matches!(self.expr(id).shape, Shape::Text(TokenKind::Quoted))
    }
}

fn is_upper(keyword: &str) -> bool {
    keyword.starts_with(char::is_uppercase)
}
