//! Breakpoints: on lines and procedures, with conditions, hit counts and messages.

use std::cell::RefCell;
use std::rc::Rc;

use super::program::DebugProgram;
use super::stop::DueBreakpoint;
use super::visits::{Hit, Visit};

/// Maximum number of breakpoints.
pub const MAX_BREAKPOINTS: usize = 10_000;

/// A requested line breakpoint.
#[derive(Clone, Debug, Default)]
pub struct LineBreakpoint {
    /// The line, from 1.
    pub line: usize,
    /// When it stops.
    pub rule: BreakpointRule,
}

/// A requested procedure breakpoint.
#[derive(Clone, Debug, Default)]
pub struct ProcedureBreakpoint {
    /// The name.
    pub name: String,
    /// When it stops.
    pub rule: BreakpointRule,
}

/// When a breakpoint stops.
#[derive(Clone, Debug, Default)]
pub struct BreakpointRule {
    /// Stops only where this expression is true.
    pub condition: Option<String>,
    /// Stops only at these hits: `5`, `>= 5`, `% 5`.
    pub hits: Option<String>,
    /// Prints this text instead of stopping, with the values of expressions in braces.
    pub message: Option<String>,
}

/// A breakpoint that was set.
#[derive(Clone, Debug)]
pub struct SetBreakpoint {
    /// Its number.
    pub id: u64,
    /// Line of the breakpoint, or `None` if it was not set.
    pub line: Option<usize>,
    /// Reason why it was moved or not set.
    pub message: Option<String>,
}

/// A breakpoint in force.
#[derive(Debug)]
pub(super) struct Breakpoint {
    /// Its number.
    pub id: u64,
    /// The condition.
    pub condition: Option<String>,
    /// Which hits count.
    pub hits: Option<HitRule>,
    /// The message to print.
    pub message: Option<String>,
    /// Whether it stands on a procedure.
    pub is_of_procedure: bool,
    /// The text that it belongs to; `None` for a procedure.
    source: Option<String>,
    statements: Vec<usize>,
    count: u64,
}

/// Which hits of a breakpoint count.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum HitRule {
    Exactly(u64),
    From(u64),
    Every(u64),
    UpTo(u64),
}

impl HitRule {
    /// Reads a rule: a number, or one after `==`, `>=`, `>`, `<=`, `<` or `%`.
    fn parse(text: &str) -> Result<HitRule, String> {
        let text = text.trim();
        let split = text.find(|c: char| c.is_ascii_digit()).unwrap_or(text.len());
        let (operator, number) = text.split_at(split);
        let wrong = || format!("a hit count is a number, or one after `==`, `>=`, `>`, `<=`, `<` or `%`, not `{text}`");
        let number: u64 = number.parse().map_err(|_| wrong())?;
        match operator.trim() {
            "" | "==" | "=" => Ok(HitRule::Exactly(number)),
            ">=" => Ok(HitRule::From(number)),
            ">" => Ok(HitRule::From(number.saturating_add(1))),
            "<=" => Ok(HitRule::UpTo(number)),
            "<" => Ok(HitRule::UpTo(number.saturating_sub(1))),
            "%" if number > 0 => Ok(HitRule::Every(number)),
            _ => Err(wrong()),
        }
    }

    /// Whether a hit counts.
    fn admits(self, hit: u64) -> bool {
        match self {
            HitRule::Exactly(number) => hit == number,
            HitRule::From(number) => hit >= number,
            HitRule::Every(number) => hit.is_multiple_of(number),
            HitRule::UpTo(number) => hit <= number,
        }
    }
}

/// Checks the text of an expression.
pub(super) type CheckText<'a> = &'a dyn Fn(&str) -> Result<(), String>;

/// All breakpoints.
#[derive(Debug, Default)]
pub(super) struct Breakpoints {
    list: Vec<Rc<RefCell<Breakpoint>>>,
    /// Whether a statement has one, by its number.
    marked: Vec<bool>,
    next_id: u64,
}

impl Breakpoints {
    /// Whether a statement has a breakpoint.
    pub fn is_at(&self, statement: usize) -> bool {
        self.marked.get(statement).copied().unwrap_or(false)
    }

    /// Returns the breakpoints of a statement.
    pub fn at(&self, statement: usize) -> Vec<Rc<RefCell<Breakpoint>>> {
        self.list.iter().filter(|point| point.borrow().statements.contains(&statement)).cloned().collect()
    }

    /// Replaces the breakpoints of a text.
    pub fn set_lines(
        &mut self,
        program: &DebugProgram,
        source: &str,
        wanted: &[LineBreakpoint],
        check: CheckText<'_>,
    ) -> Vec<SetBreakpoint> {
        self.list.retain(|point| point.borrow().source.as_deref() != Some(source));
        let set = wanted.iter().map(|wanted| self.add_line(program, source, wanted, check));
        let set = set.collect();
        self.mark(program);
        set
    }

    fn add_line(
        &mut self,
        program: &DebugProgram,
        name: &str,
        wanted: &LineBreakpoint,
        check: CheckText<'_>,
    ) -> SetBreakpoint {
        let LineBreakpoint { line, rule } = wanted;
        let Some(source) = program.source_named(name) else {
            return self.refuse(format!("the script uses no text `{name}`"));
        };
        let Some(at) = program.line_for(source, *line) else {
            return self.refuse(format!("no statement on or after line {line}"));
        };
        let moved = (at != *line).then(|| format!("no statement begins on line {line}; moved to line {at}"));
        let statements = program.statements_on(source, at);
        let set = SetBreakpoint { id: 0, line: Some(at), message: moved };
        self.add(rule, Some(name), statements, set, check)
    }

    /// Replaces the breakpoints on procedures.
    pub fn set_procedures(
        &mut self,
        program: &DebugProgram,
        wanted: &[ProcedureBreakpoint],
        check: CheckText<'_>,
    ) -> Vec<SetBreakpoint> {
        self.list.retain(|point| !point.borrow().is_of_procedure);
        let set = wanted.iter().map(|ProcedureBreakpoint { name, rule }| {
            let found = program.procedures_named(name);
            let statements: Vec<usize> = found.iter().filter_map(|number| program.first_statement(*number)).collect();
            let Some(first) = statements.first() else {
                let is_empty = format!("procedure `{name}` is empty");
                return self.refuse(if found.is_empty() {
                    format!("there is no procedure `{name}`")
                } else {
                    is_empty
                });
            };
            let line = Some(program.line_of(*first));
            self.add(rule, None, statements, SetBreakpoint { id: 0, line, message: None }, check)
        });
        let set = set.collect::<Vec<_>>();
        self.mark(program);
        set
    }

    fn add(
        &mut self,
        rule: &BreakpointRule,
        source: Option<&str>,
        statements: Vec<usize>,
        set: SetBreakpoint,
        check: CheckText<'_>,
    ) -> SetBreakpoint {
        if self.list.len() >= MAX_BREAKPOINTS {
            return self.refuse(format!("there are {MAX_BREAKPOINTS} breakpoints already"));
        }
        let given = |text: &Option<String>| text.clone().filter(|text| !text.trim().is_empty());
        let hits = match given(&rule.hits).map(|hits| HitRule::parse(&hits)).transpose() {
            Ok(hits) => hits,
            Err(message) => return self.refuse(message),
        };
        if let Some(Err(message)) = given(&rule.condition).map(|condition| check(&condition)) {
            return self.refuse(format!("the condition is not an expression: {message}"));
        }
        self.next_id += 1;
        self.list.push(Rc::new(RefCell::new(Breakpoint {
            id: self.next_id,
            condition: given(&rule.condition),
            hits,
            message: given(&rule.message),
            is_of_procedure: source.is_none(),
            source: source.map(str::to_owned),
            statements,
            count: 0,
        })));
        SetBreakpoint { id: self.next_id, ..set }
    }

    fn refuse(&mut self, message: String) -> SetBreakpoint {
        self.next_id += 1;
        SetBreakpoint { id: self.next_id, line: None, message: Some(message) }
    }

    fn mark(&mut self, program: &DebugProgram) {
        self.marked = vec![false; program.statement_count()];
        for point in &self.list {
            for statement in &point.borrow().statements {
                self.marked[*statement] = true;
            }
        }
    }
}

impl Breakpoint {
    /// Counts a hit at which the condition is true.
    pub fn hit(&mut self) -> Hit {
        self.count += 1;
        Hit { id: self.id, count: self.count }
    }

    /// Whether a hit counts.
    pub fn admits(&self, hit: Hit) -> bool {
        self.hits.is_none_or(|rule| rule.admits(hit.count))
    }

    /// Returns this breakpoint as one that stops.
    pub fn due(&self, problem: Option<String>) -> DueBreakpoint {
        DueBreakpoint { id: self.id, is_of_procedure: self.is_of_procedure, problem }
    }

    /// Whether the hit at which the run was there counts. One that was not hit there counts if every hit does.
    pub fn admitted(&self, visit: &Visit) -> bool {
        self.hits.is_none_or(|rule| visit.count_of(self.id).is_some_and(|count| rule.admits(count)))
    }
}

#[cfg(test)]
mod tests {
    use super::HitRule;

    #[test]
    fn hit_counts_are_read() {
        let hits = |rule: &str| -> Vec<u64> {
            let rule = HitRule::parse(rule).expect("it is a rule");
            (1..=6).filter(|hit| rule.admits(*hit)).collect()
        };
        assert_eq!(hits("3"), [3]);
        assert_eq!(hits("== 3"), [3]);
        assert_eq!(hits(">4"), [5, 6]);
        assert_eq!(hits(">= 4"), [4, 5, 6]);
        assert_eq!(hits("<3"), [1, 2]);
        assert_eq!(hits("<= 3"), [1, 2, 3]);
        assert_eq!(hits("%2"), [2, 4, 6]);
        for wrong in ["", "x", "% 0", "3x", "=> 4", "-1", "1.5"] {
            assert!(HitRule::parse(wrong).is_err(), "{wrong}");
        }
    }
}
