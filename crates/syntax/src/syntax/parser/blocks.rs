//! Block structure: builds a tree of statements from lines.
//!
//! Lines arrive one at a time; open blocks are kept on an explicit stack, so that nesting uses no native stack here. A
//! closer is matched by kind, and a wrong or missing one is reported with both places.

use std::mem;

use crate::text::{Code, Diagnostic, Source, Span};

use super::super::CommentLines;
use super::super::ast::{Arm, Block, ExprId, Name, Procedure, Statement, StatementKind};
use super::closer::{BlockKind, Closer};
use super::findings::Findings;
use super::role::{BlockEnd, Role};
use super::stmt::{Head, Parsed};

/// The blocks of one text under construction.
pub struct Blocks<'a> {
    source: &'a Source,
    max_nesting: usize,
    open: Vec<Open>,
    top: Block,
    /// Whether a statement has been read, after which `FILE_VERSION` is too late.
    started: bool,
    /// Number of blocks that were reported and ended early, whose closers may still come.
    forgiven: usize,
    /// Number of blocks beyond the nesting limit; they are matched with their closers and otherwise ignored.
    beyond: usize,
    /// Number of reported lines `}` that may have been meant as closers; this many missing closers are not reported.
    doubtful: usize,
    /// The previous line and its indentation, if it may be a head with a misspelled word.
    perhaps_head: Option<(Span, usize)>,
    version: Option<String>,
    /// A closer whose indentation fits another block than the one it closed: the likely cause if a block turns out to
    /// be unclosed.
    misaligned: Option<Misaligned>,
}

/// A closer that is aligned with the head of another block.
struct Misaligned {
    closer: Span,
    /// The head of the block that it closed.
    head: Span,
}

/// A block whose closer has not been read yet.
struct Open {
    kind: BlockKind,
    shape: Shape,
    head: Span,
    indent: usize,
    /// How it ends.
    end: BlockEnd,
    /// The statements of the current branch.
    body: Block,
}

/// The state of an open block apart from its statements.
enum Shape {
    If {
        arms: Vec<Arm>,
        condition: ExprId,
    },
    Else {
        arms: Vec<Arm>,
        at: Span,
    },
    While(ExprId),
    For {
        first: Name,
        second: Option<Name>,
        list: ExprId,
    },
    OnError(Option<Name>),
    Procedure(Box<Procedure>),
    Command,
    /// The head could not be parsed; its statements are kept, and may use any word of it as a name.
    Broken,
}

impl<'a> Blocks<'a> {
    /// Creates the builder for one text.
    pub fn new(source: &'a Source, max_nesting: usize) -> Blocks<'a> {
        Blocks {
            source,
            max_nesting,
            open: Vec::new(),
            top: Vec::new(),
            started: false,
            forgiven: 0,
            beyond: 0,
            doubtful: 0,
            perhaps_head: None,
            version: None,
            misaligned: None,
        }
    }

    /// Adds the next line.
    pub fn add(&mut self, parsed: Parsed, span: Span, indent: usize, findings: &mut Findings) {
        let first = !mem::replace(&mut self.started, true);
        if let Some((head, its)) = self.perhaps_head.take()
            && (its < indent || its == indent && self.begins_branch(&parsed))
        {
            self.open_block(BlockKind::Unknown, Shape::Broken, head, its, findings);
            self.open.iter_mut().filter(|open| open.head == head).for_each(|open| open.end = BlockEnd::Unknown);
        }
        if self.beyond > 0 && self.skip_beyond(&parsed) {
            return;
        }
        match parsed {
            Parsed::Plain(kind) => {
                self.check_place(&kind, span, findings);
                self.push(Statement { kind, span });
            }
            Parsed::Opens(head) => self.open_head(head, span, indent, findings),
            Parsed::Else => self.begin_else(span, findings),
            Parsed::ElseIf(condition) => self.begin_else_if(condition, span, findings),
            Parsed::Closes(closer) => self.close(&closer, span, indent, findings),
            Parsed::Version(text) if first => self.version = Some(text),
            Parsed::Version(_) => findings.push(
                Diagnostic::error(Code::Misplaced, span, "`FILE_VERSION` comes after the first statement")
                    .help("move it to the top of the file"),
            ),
            Parsed::Broken(role, words) => {
                self.push(Statement { kind: StatementKind::Bad(words), span });
                self.add_broken(role, span, indent, findings);
            }
        }
    }

    /// Uses a `COMMENT:` text as the documentation of a procedure if it directly follows the head.
    pub fn documentation(&mut self, text: &str) {
        if let Some(Open { shape: Shape::Procedure(procedure), body, .. }) = self.open.last_mut()
            && body.is_empty()
            && procedure.documentation.is_none()
        {
            procedure.documentation = Some(CommentLines::of(text).text());
        }
    }

    /// Returns the statements of the text, and reports blocks that are still open.
    pub fn finish(mut self, findings: &mut Findings) -> Block {
        while let Some(open) = self.open.pop() {
            match open.end {
                BlockEnd::Unknown => {}
                _ if self.doubtful > 0 => self.doubtful -= 1,
                _ => self.report_unclosed(&open, None, findings),
            }
            let statement = assemble(open);
            self.push(statement);
        }
        self.top
    }

    /// Returns the text of `FILE_VERSION`, if there was one.
    pub fn take_version(&mut self) -> Option<String> {
        self.version.take()
    }

    /// Reports a USE inside a block: the set of modules must not depend on the run.
    fn check_place(&self, kind: &StatementKind, span: Span, findings: &mut Findings) {
        if let (StatementKind::Use(_), Some(open)) = (kind, self.open.last()) {
            let message = format!("`USE` stands inside a {} block", open.kind.word());
            let finding = Diagnostic::error(Code::Misplaced, span, message).related(open.head, "opened here");
            findings.push(finding.help("move it to the top level of the file"));
        }
    }

    fn push(&mut self, statement: Statement) {
        let body = self.open.last_mut().map_or(&mut self.top, |open| &mut open.body);
        body.push(statement);
    }

    fn add_broken(&mut self, role: Role, span: Span, indent: usize, findings: &mut Findings) {
        match role {
            Role::Plain => {}
            Role::PerhapsOpens => self.perhaps_head = Some((span, indent)),
            Role::Opens { kind, end } => {
                if matches!(kind, BlockKind::Procedure | BlockKind::Func) {
                    self.close_all_before(span, kind, findings);
                }
                self.open_block(kind, Shape::Broken, span, indent, findings);
                if let Some(open) = self.open.last_mut().filter(|open| open.head == span) {
                    open.end = end;
                }
            }
            // The line was reported already, so a missing block is not reported as well.
            Role::Closes(closer) => self.close(&closer, span, indent, &mut Findings::default()),
            Role::ClosesBrace => {
                let depth = self.open.len().saturating_sub(1);
                match self.open.last().map(|open| open.end) {
                    Some(BlockEnd::Brace) => self.fold_to(depth),
                    Some(_) => self.doubtful += 1,
                    None => {}
                }
            }
            Role::OpensUnknown => self.forgiven += 1,
            // The branch continues in the same block; its statements are still checked.
            Role::Between => {}
        }
    }

    fn open_head(&mut self, head: Head, span: Span, indent: usize, findings: &mut Findings) {
        let (kind, shape) = match head {
            Head::If(condition) => (BlockKind::If, Shape::If { arms: Vec::new(), condition }),
            Head::While(condition) => (BlockKind::While, Shape::While(condition)),
            Head::For { first, second, list } => (BlockKind::For, Shape::For { first, second, list }),
            Head::OnError(name) => (BlockKind::OnError, Shape::OnError(name)),
            Head::Procedure(procedure) => (BlockKind::Procedure, Shape::Procedure(procedure)),
            Head::Func(procedure) => (BlockKind::Func, Shape::Procedure(procedure)),
            Head::Command => (BlockKind::Command, Shape::Command),
        };
        if matches!(kind, BlockKind::Procedure | BlockKind::Func | BlockKind::Command) {
            self.close_all_before(span, kind, findings);
        }
        self.open_block(kind, shape, span, indent, findings);
    }

    fn open_block(&mut self, kind: BlockKind, shape: Shape, head: Span, indent: usize, findings: &mut Findings) {
        if self.open.len() >= self.max_nesting {
            let message = format!("blocks are nested more than {} deep (`nesting`)", self.max_nesting);
            findings.push(Diagnostic::error(Code::TooDeep, head, message).help("move the inner blocks to a procedure"));
            self.beyond = 1;
            return;
        }
        self.open.push(Open { kind, shape, head, indent, end: BlockEnd::Closer, body: Vec::new() });
    }

    /// Returns whether a line is in a block beyond the nesting limit, and is therefore only counted.
    fn skip_beyond(&mut self, parsed: &Parsed) -> bool {
        match parsed {
            Parsed::Opens(Head::Procedure(_) | Head::Func(_) | Head::Command) => {
                self.beyond = 0;
                return false;
            }
            Parsed::Opens(_) | Parsed::Broken(Role::Opens { .. }, _) => self.beyond += 1,
            Parsed::Closes(_) | Parsed::Broken(Role::Closes(_) | Role::ClosesBrace, _) => self.beyond -= 1,
            _ => {}
        }
        true
    }

    fn begin_else_if(&mut self, condition: ExprId, span: Span, findings: &mut Findings) {
        match self.open.last_mut() {
            Some(Open { shape: Shape::If { arms, condition: current }, body, .. }) => {
                arms.push(Arm { condition: *current, body: mem::take(body) });
                *current = condition;
            }
            Some(Open { shape: Shape::Broken, kind: BlockKind::If | BlockKind::Unknown, .. }) => {}
            _ => self.stray_else("ELSE IF", span, findings),
        }
    }

    fn begin_else(&mut self, span: Span, findings: &mut Findings) {
        match self.open.last_mut() {
            Some(Open { shape: shape @ Shape::If { .. }, body, .. }) => {
                let Shape::If { mut arms, condition } = mem::replace(shape, Shape::Broken) else {
                    unreachable!("the pattern above says so")
                };
                arms.push(Arm { condition, body: mem::take(body) });
                *shape = Shape::Else { arms, at: span };
            }
            Some(Open { shape: Shape::Broken, kind: BlockKind::If | BlockKind::Unknown, .. }) => {}
            _ => self.stray_else("ELSE", span, findings),
        }
    }

    /// Reports an `ELSE` that fits no open IF, and prepares for its closer.
    fn stray_else(&mut self, word: &str, span: Span, findings: &mut Findings) {
        match self.open.last() {
            Some(Open { shape: Shape::Else { at, .. }, .. }) => {
                let message = format!("`{word}` after the `ELSE` of the same IF");
                let finding = Diagnostic::error(Code::Misplaced, span, message);
                findings.push(finding.related(*at, "the ELSE").help("put it before the ELSE"));
                return;
            }
            Some(open) => {
                let message = format!("`{word}` does not belong to the open {} block", open.kind.word());
                let finding = Diagnostic::error(Code::Misplaced, span, message).related(open.head, "opened here");
                findings.push(finding.help("close that block first"));
            }
            None => {
                let finding = Diagnostic::error(Code::Misplaced, span, format!("`{word}` without an IF"));
                findings.push(finding.help("it stands between an IF and its END"));
            }
        }
        let belongs = self.open.iter().rposition(|open| open.kind == BlockKind::If);
        match belongs {
            Some(depth) => self.fold_to(depth + 1),
            None => self.forgiven += 1,
        }
    }

    /// Whether a line is a branch or a closer that has no open block.
    fn begins_branch(&self, parsed: &Parsed) -> bool {
        if matches!(parsed, Parsed::Closes(_)) {
            return self.open.is_empty();
        }
        let takes_branch = |open: &Open| matches!(open.kind, BlockKind::If | BlockKind::Unknown);
        matches!(parsed, Parsed::Else | Parsed::ElseIf(_) | Parsed::Broken(Role::Between, _))
            && !self.open.last().is_some_and(takes_branch)
    }

    /// Whether a block is open.
    pub fn has_open(&self) -> bool {
        !self.open.is_empty()
    }

    fn close(&mut self, closer: &Closer, span: Span, indent: usize, findings: &mut Findings) {
        self.end_by_indentation(indent);
        let fits = |open: &Open| open.kind == BlockKind::Unknown || closer.only.is_none_or(|only| only == open.kind);
        let Some(at) = self.open.iter().rposition(fits) else {
            if self.forgiven > 0 {
                self.forgiven -= 1;
                return;
            }
            findings.push(self.stray_closer(closer, span));
            // Probably the innermost block was meant, and the word is wrong.
            let innermost = self.open.len().saturating_sub(1);
            self.fold_to(innermost);
            return;
        };
        if at + 1 < self.open.len() {
            if let Some(inner) = self.unexplained(at + 1) {
                findings.push(wrong_closer(closer, span, inner));
            }
            self.fold_to(at + 1);
        }
        let open = self.open.pop().expect("the block was found on the stack");
        if open.indent != indent && self.misaligned.is_none() && !self.same_line(open.head, span) {
            self.misaligned = Some(Misaligned { closer: span, head: open.head });
        }
        self.push(assemble(open));
    }

    /// Ends inner blocks that may have no closer if the closer is aligned with a block around them.
    fn end_by_indentation(&mut self, indent: usize) {
        let Some(around) = self.open.iter().rposition(|open| open.indent <= indent) else { return };
        let inner = &self.open[around + 1..];
        if self.open[around].indent == indent && inner.iter().all(|open| open.end == BlockEnd::Unknown) {
            self.fold_to(around + 1);
        }
    }

    /// Returns the innermost block from `depth` on whose missing closer must be reported. Returns `None` if all blocks
    /// may end without one, or if a reported `}` explains it.
    fn unexplained(&mut self, depth: usize) -> Option<&Open> {
        let at = self.open.iter().rposition(|open| open.end != BlockEnd::Unknown).filter(|at| *at >= depth)?;
        if self.doubtful > 0 {
            self.doubtful -= 1;
            return None;
        }
        self.open.get(at)
    }

    fn stray_closer(&self, closer: &Closer, span: Span) -> Diagnostic {
        let word = &closer.word;
        match self.open.last() {
            Some(open) => wrong_closer(closer, span, open),
            None => Diagnostic::error(Code::WrongCloser, span, format!("`{word}` closes nothing: no block is open"))
                .help("remove it, or look for a closer too many above"),
        }
    }

    /// Ends every open block above `depth` without its closer.
    fn fold_to(&mut self, depth: usize) {
        while self.open.len() > depth {
            let statement = assemble(self.open.pop().expect("the stack is higher than depth"));
            self.push(statement);
        }
    }

    /// Reports all open blocks when a procedure or `command` begins.
    fn close_all_before(&mut self, span: Span, kind: BlockKind, findings: &mut Findings) {
        let begun = self.open.len();
        if self.unexplained(0).is_some() {
            let open = self.open.iter().rfind(|open| open.end != BlockEnd::Unknown).expect("one is not explained");
            let next = match kind {
                BlockKind::Command => "a `command`",
                _ => "a procedure",
            };
            self.report_unclosed(open, Some((span, format!("{next} begins here"))), findings);
        }
        self.forgiven += begun;
        self.fold_to(0);
    }

    fn report_unclosed(&self, open: &Open, until: Option<(Span, String)>, findings: &mut Findings) {
        let word = open.kind.word();
        let mut finding =
            Diagnostic::error(Code::UnclosedBlock, open.head, format!("this {word} block is never closed"));
        if let Some((span, text)) = until {
            finding = finding.related(span, text);
        }
        if let Some(culprit) = &self.misaligned {
            let line = self.source.position(culprit.head).line;
            finding =
                finding.related(culprit.closer, format!("closes the block of line {line}, but is not in line with it"));
        }
        findings.push(finding.help("close it with `END` on a line of its own"));
    }

    fn same_line(&self, a: Span, b: Span) -> bool {
        self.source.position(a).line == self.source.position(b).line
    }
}

fn wrong_closer(closer: &Closer, span: Span, open: &Open) -> Diagnostic {
    let (word, kind) = (&closer.word, open.kind.word());
    Diagnostic::error(Code::WrongCloser, span, format!("expected the closer of the {kind} block, found `{word}`"))
        .related(open.head, format!("the open {kind} block"))
        .help("close it with `END` first")
}

/// Returns the statement of a completed block.
fn assemble(open: Open) -> Statement {
    let Open { shape, head, body, .. } = open;
    let kind = match shape {
        Shape::If { mut arms, condition } => {
            arms.push(Arm { condition, body });
            StatementKind::If { arms, otherwise: None }
        }
        Shape::Else { arms, .. } => StatementKind::If { arms, otherwise: Some(body) },
        Shape::While(condition) => StatementKind::While { condition, body },
        Shape::For { first, second, list } => StatementKind::For { first, second, list, body },
        Shape::OnError(name) => StatementKind::OnError { name, body },
        Shape::Procedure(mut procedure) => {
            procedure.body = body;
            StatementKind::Procedure(procedure)
        }
        Shape::Command => StatementKind::Command(body),
        Shape::Broken => StatementKind::Broken(body),
    };
    Statement { kind, span: head }
}
