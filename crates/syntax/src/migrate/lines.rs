//! Goes through the lines of a text, and collects the edits.

use std::collections::{BTreeSet, HashSet};

use super::expr::{Id, Mark, Parser, Shape};
use super::facts::{Facts, are_ordered};
use super::rewrite::{Handler, Rewriter, Shared, Wanted};
use super::statement::{GROUPS, Group, Kind, Statement, statement};
use super::tokens::{self, Lines, Look, TokenKind};
use super::{Migrated, Note, Verdict, helpers};
use crate::syntax::keyword::{CONSTANTS, is_keyword};

/// A replacement of a range.
struct Edit {
    start: usize,
    end: usize,
    text: String,
}

/// A block that is open.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Block {
    /// `on error`; the innermost is the last of the handlers.
    Handler,
    Other,
}

pub fn migrate(text: &str) -> Migrated {
    let read = |found: &Lines, own: &HashSet<&str>| -> Vec<Statement> {
        found.lines.iter().map(|line| statement(text, line, own)).collect()
    };
    let found = tokens::lines(text, &|rest| look(rest, None));
    let first = Facts::of(text, &found, &read(&found, &HashSet::new()));
    // Names are known now: `[[word]]` can be told from a list of a list, and `no (x)` from a call.
    let found = tokens::lines(text, &|rest| look(rest, Some(&first)));
    let own = first.set.union(&first.procedures).copied().collect();
    let statements = read(&found, &own);
    let facts = Facts::of(text, &found, &statements);
    let shared = Shared { text, facts: &facts, helpers: BTreeSet::new(), notes: Vec::new(), handlers: Vec::new() };
    let mut lines = Migration { shared, edits: Vec::new(), open: Vec::new() };
    lines.lists_of_lists(&found);
    for statement in &statements {
        lines.statement(statement);
    }
    lines.finish(&found)
}

/// Reads `[[…` as a list whose first element is a list. With facts, the names in it must be known.
fn look(rest: &str, facts: Option<&Facts<'_>>) -> Look {
    let found = tokens::value(rest);
    let own = HashSet::new();
    let mut parser = Parser::new(rest, &found, &own);
    let list = parser.expression().ok().filter(|id| matches!(parser.tree.exprs[*id].shape, Shape::List(_)));
    let is_known = |name: &str| {
        CONSTANTS.iter().any(|constant| is_keyword(name, constant))
            || facts.is_none_or(|facts| facts.set.contains(name))
    };
    let mut names = parser.tree.exprs.iter().filter(|expr| matches!(expr.shape, Shape::Name));
    let is_list = list.is_some() && parser.peek().is_none() && names.all(|expr| is_known(&rest[expr.start..expr.end]));
    Look { is_list, length: found.last().map_or(0, |token| token.end) }
}

struct Migration<'a> {
    shared: Shared<'a>,
    edits: Vec<Edit>,
    open: Vec<Block>,
}

impl<'a> Migration<'a> {
    /// Reports lists of lists in a text of upstream, which newer versions read as texts.
    fn lists_of_lists(&mut self, found: &Lines) {
        if !self.shared.facts.is_upstream {
            return;
        }
        for line in &found.lines {
            for pair in line.tokens.windows(2) {
                let is_bracket = |token: &tokens::Token| {
                    token.kind == TokenKind::Mark && &self.shared.text[token.start..token.end] == "["
                };
                if pair.iter().all(is_bracket) && pair[0].end == pair[1].start {
                    let message = "`[[` is read as a list of lists; newer upstream versions read a text up to `]]`";
                    self.shared.note(pair[0].start, Verdict::Check, message.to_owned());
                }
            }
        }
    }

    fn edit(&mut self, start: usize, end: usize, text: String) {
        if self.shared.text[start..end] != text {
            self.edits.push(Edit { start, end, text });
        }
    }

    fn statement(&mut self, statement: &'a Statement) {
        match &statement.kind {
            Kind::Set { targets, value } => {
                self.values(statement, targets, Wanted::Value);
                self.values(statement, &[*value], Wanted::Value);
            }
            Kind::Call { word, value } => self.call(statement, *word, *value),
            Kind::Must { word, values } => self.must(statement, *word, values),
            Kind::Condition(value) => self.values(statement, &[*value], Wanted::Truth),
            Kind::Values(values) => self.values(statement, values, Wanted::Value),
            Kind::For { list, .. } => self.values(statement, &[*list], Wanted::Value),
            Kind::Prompt { question, place } => self.prompt(statement, *question, *place),
            Kind::Procedure { groups, .. } => self.groups(groups),
            Kind::Closes { joined: Some(joined) } => {
                let message = format!("the two words are `{joined}`");
                self.shared.note(statement.span.start, Verdict::Rewritten, message);
                self.edit(statement.span.start, statement.span.end, joined.clone());
            }
            Kind::Foreign { reason, .. } => {
                self.shared.note(
                    statement.span.start,
                    Verdict::Left,
                    format!("the statement has no counterpart: {reason}"),
                );
            }
            Kind::OnError { head, .. } => self.on_error(*head),
            Kind::Opens | Kind::Closes { joined: None } | Kind::Unread { .. } => {}
        }
        self.means(statement);
        self.blocks(statement);
    }

    fn blocks(&mut self, statement: &Statement) {
        match &statement.kind {
            Kind::Condition(_) if self.is_else_if(statement) => {}
            Kind::Condition(_)
            | Kind::For { .. }
            | Kind::Procedure { .. }
            | Kind::Opens
            | Kind::Foreign { opens: true, .. }
            | Kind::Unread { opens: true } => self.open.push(Block::Other),
            Kind::OnError { head, name } => {
                let written = name.map(|name| &self.shared.text[name.start..name.end]);
                let free = if self.shared.facts.words.contains("err") { "upstream_error" } else { "err" };
                let (error, has_name) = (written.unwrap_or(free), written.is_some());
                self.shared.handlers.push(Handler { head_end: head.end, error, has_name, is_read: false });
                self.open.push(Block::Handler);
            }
            Kind::Closes { .. } => self.close(),
            _ => {}
        }
    }

    fn is_else_if(&self, statement: &Statement) -> bool {
        self.shared.text[statement.span.start..].get(..4).is_some_and(|word| word.eq_ignore_ascii_case("else"))
    }

    /// Closes a block; the head of a handler whose error is read gets a name.
    fn close(&mut self) {
        if self.open.pop() != Some(Block::Handler) {
            return;
        }
        let Some(handler) = self.shared.handlers.pop() else { return };
        if handler.is_read && !handler.has_name {
            self.edit(handler.head_end, handler.head_end, format!(" as {}", handler.error));
        }
    }

    /// Rewrites values; each keeps its place.
    fn values(&mut self, statement: &'a Statement, values: &[Id], place: Wanted) {
        for value in values {
            let mut rewriter = Rewriter { shared: &mut self.shared, tree: &statement.tree };
            let new = rewriter.render(*value, place);
            let expr = &statement.tree.exprs[*value];
            self.edit(expr.start, expr.end, new);
        }
    }

    fn call(&mut self, statement: &'a Statement, word: Mark, value: Id) {
        let mut rewriter = Rewriter { shared: &mut self.shared, tree: &statement.tree };
        match rewriter.statement(value, word, statement.is_long) {
            Some(new) => self.edit(word.start, statement.tree.exprs[value].end, new),
            None => self.values(statement, &[value], Wanted::Value),
        }
    }

    fn must(&mut self, statement: &'a Statement, word: Mark, values: &[Id]) {
        let mut rewriter = Rewriter { shared: &mut self.shared, tree: &statement.tree };
        let Some((first, rest)) = values.split_first() else { return };
        match rewriter.statement(*first, word, statement.is_long) {
            Some(new) => self.edit(word.start, statement.tree.exprs[*first].end, new),
            None => self.values(statement, &[*first], Wanted::Truth),
        }
        self.values(statement, rest, Wanted::Value);
    }

    fn prompt(&mut self, statement: &'a Statement, question: Id, place: Id) {
        let mut rewriter = Rewriter { shared: &mut self.shared, tree: &statement.tree };
        let (question, place) = (rewriter.render(question, Wanted::Value), rewriter.render(place, Wanted::Value));
        self.shared.note(statement.span.start, Verdict::Rewritten, "`promptuser` is `IO.Input`".to_owned());
        self.edit(statement.span.start, statement.span.end, format!("set {place} = IO.Input({question})"));
    }

    /// Puts the groups of parameters into our order.
    fn groups(&mut self, groups: &[Group]) {
        let (Some(first), Some(last)) = (groups.first(), groups.last()) else { return };
        if are_ordered(groups) {
            return;
        }
        let (start, end) = (first.span.start, last.span.end);
        let order = "the order is `needs`, `optional`, `returns`";
        if self.shared.text[start..end].contains('\n') {
            // A comment may stand at the end of each line.
            self.shared.note(start, Verdict::Left, format!("{order}: move the groups, which span several lines"));
            return;
        }
        let names = |group: &Group| self.shared.text[group.names.start..group.names.end].trim_end_matches([',', ' ']);
        let mut parts = Vec::new();
        for word in GROUPS {
            let of_word: Vec<&str> = groups.iter().filter(|group| group.word == word).map(names).collect();
            if !of_word.is_empty() {
                parts.push(format!("{word} {}", of_word.join(", ")));
            }
        }
        self.shared.note(start, Verdict::Rewritten, order.to_owned());
        self.edit(start, end, parts.join(" "));
    }

    fn on_error(&mut self, head: Mark) {
        let written = &self.shared.text[head.start..head.end];
        if written.eq_ignore_ascii_case("on_error") {
            self.shared.note(head.start, Verdict::Rewritten, "`on_error` is `on error`".to_owned());
            let new = written.replacen('_', " ", 1);
            self.edit(head.start, head.end, new);
        }
    }

    /// Writes `then` or `do` in place of `means`.
    fn means(&mut self, statement: &Statement) {
        let Some(means) = statement.means else { return };
        let is_if =
            self.shared.text[statement.span.start..].get(..2).is_some_and(|word| word.eq_ignore_ascii_case("if"));
        let word = if is_if || self.is_else_if(statement) { "then" } else { "do" };
        self.shared.note(means.start, Verdict::Rewritten, format!("the head ends in `{word}`"));
        self.edit(means.start, means.end, word.to_owned());
    }

    fn finish(mut self, found: &Lines) -> Migrated {
        while !self.open.is_empty() {
            self.close();
        }
        self.edits.sort_by_key(|edit| (edit.start, edit.end));
        let text = self.shared.text;
        let (mut out, mut done) = (String::with_capacity(text.len()), 0);
        for edit in &self.edits {
            if edit.start >= done {
                out.push_str(&text[done..edit.start]);
                out.push_str(&edit.text);
                done = edit.end;
            }
        }
        out.push_str(&text[done..]);
        let facts = self.shared.facts;
        let names: Vec<&str> =
            self.shared.helpers.iter().copied().filter(|name| !facts.procedures.contains(name)).collect();
        helpers::append(&mut out, &names);
        let mut notes = std::mem::take(&mut self.shared.notes);
        only_procedure(facts, found, &names, &mut notes);
        notes.sort_by_key(|note| note.at);
        Migrated { text: out, notes }
    }
}

/// Reports that a file is no longer run by its only procedure.
fn only_procedure(facts: &Facts<'_>, found: &Lines, added: &[&str], notes: &mut Vec<Note>) {
    let [name] = facts.procedures.iter().copied().collect::<Vec<_>>()[..] else { return };
    let is_main = ["Main", "main"].contains(&name);
    if !added.is_empty() && !is_main && !found.lines.is_empty() {
        let message =
            format!("the file has other procedures now: run it with `ns run FILE --proc {name}`, or call it `Main`");
        notes.push(Note { at: 0, verdict: Verdict::Check, message });
    }
}
