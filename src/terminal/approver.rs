//! Approval by the person at the terminal.

use std::io::{IsTerminal, stderr, stdin};
use std::rc::Rc;

use crate::engine::{Approver, Engine, LimitHit, Meter, Question, Reply};
use crate::text::safe;

use super::keyboard::read_line;
use super::report::say;
use super::screen;

/// An approver that asks the person at the terminal.
struct Terminal;

/// Enables approval questions if standard input and standard error are terminals.
pub fn ask_at_terminal(engine: &Engine) {
    if stdin().is_terminal() && stderr().is_terminal() {
        engine.set_approver(Rc::new(Terminal));
    }
}

impl Approver for Terminal {
    fn ask(&self, question: &Question, meter: &Meter) -> Result<Reply, LimitHit> {
        screen::ask(|| ask(question, meter))
    }
}

fn ask(question: &Question, meter: &Meter) -> Result<Reply, LimitHit> {
    say(&format!("\n`{}` asks to run: {}\n", question.tool, safe::name(&question.reason)));
    for line in &question.plan {
        say(&format!("  {}\n", safe::name(line)));
    }
    if !question.can_always {
        say("  an answer applies to this run at most: no single policy file of yours can lift the rule that asks\n");
    }
    let always = if question.can_always { "[a]lways, " } else { "" };
    loop {
        say(&format!("[o]nce, this [r]un, {always}[n]ever? "));
        let Some(line) = read_line(&meter.watch())? else { return Ok(Reply::Never) };
        match line.trim().to_ascii_lowercase().as_str() {
            "o" | "once" => return Ok(Reply::Once),
            "r" | "run" | "this run" => return Ok(Reply::Run),
            "a" | "always" if question.can_always => return Ok(Reply::Always),
            "n" | "never" | "no" => return Ok(Reply::Never),
            _ => {}
        }
    }
}
