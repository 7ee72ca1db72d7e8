//! Programs generated from a number, laid out as badly as the language allows.

use std::fmt::Write as _;

use crate::support::dice::Dice;

/// A program and its comments, in order.
pub struct Program {
    pub text: String,
    pub comments: Vec<String>,
}

/// Generates the program of a number.
pub fn program(seed: u64) -> Program {
    let mut maker = Maker { dice: Dice::new(seed), text: String::new(), comments: Vec::new(), in_procedure: false };
    maker.text.push_str("SET a = 1\nSET b = \"text\"\nSET c = [1, 2, 3]\nSET d = {\"k\": 1, \"end\": [1]}\n");
    // Errors are skipped, so that the rest is executed too.
    maker.text.push_str("ON ERROR DO\nCLEAR_ERROR\nEND\n");
    let has_procedures = maker.dice.one_in(2);
    if has_procedures {
        maker.procedure();
    }
    let statements = 1 + maker.dice.below(12);
    maker.block(statements, 0);
    if has_procedures {
        maker.text.push_str("CALL Own(1, 2)\n");
    }
    Program { text: maker.text, comments: maker.comments }
}

struct Maker {
    dice: Dice,
    text: String,
    comments: Vec<String>,
    in_procedure: bool,
}

const OPERATORS: &[&str] =
    &["+", "-", "*", "/", "%", "**", "==", "AND", "or", "OR", "&", "|", "^", "in", "NOT  IN", "<", ">="];
const VALUES: &[&str] = &[
    "a",
    "b",
    "c",
    "d",
    "1",
    "1_000",
    "2.5e-3",
    "\"x\"",
    "'y # z'",
    "'''raw\n  \\ text'''",
    "```t {{a}}\n  -- {{b}}```",
    "nil",
    "TRUE",
    "Null",
    "{{a}}",
    "{{ d.end }}",
    "LAST",
    "[]",
    "{}",
    "d.end",
    "c[0]",
    "\"a rather long text that makes lines too long for what is allowed\"",
];

impl Maker {
    fn procedure(&mut self) {
        let head = self.dice.pick(&[
            "DEFINE PROCEDURE Own(p, q)",
            "func Own(needs p  optional q  returns r , s) means",
            "func Own needs p optional q means",
            "define  procedure  Own ( p,\n q )",
            "define procedure Own(p ,q : - 2,r: [1,\n {\"k\" :NIL}] , s:\'t\')",
            "func Own(needs p  optional q :TRUE,r  :1e3 returns s) means",
            "func Own needs p optional q: -  1 , r : { } returns s means",
        ]);
        self.text.push_str(head);
        self.end_line();
        if self.dice.one_in(2) {
            self.text.push_str("   COMMENT: says\n      what it does\n\n    and why   \n ENDCOMMENT\n");
        }
        self.in_procedure = true;
        self.block(2, 1);
        self.in_procedure = false;
        self.text
            .push_str(self.dice.pick(&["END\n", "  endfunc\n", "END # over\n"]).replace("endfunc", "END").as_str());
        if self.text.ends_with("# over\n") {
            self.comments.push("# over".to_owned());
        }
    }

    fn block(&mut self, statements: usize, depth: usize) {
        for _ in 0..statements {
            self.between_lines();
            self.statement(depth);
        }
        self.between_lines();
    }

    /// Writes empty lines, comments and metadata.
    fn between_lines(&mut self) {
        while self.dice.one_in(4) {
            match self.dice.below(5) {
                0 => self.text.push_str(" \n\n\n"),
                1 => self.text.push_str(":: key : value \\\n   more\n"),
                2 => self.text.push_str("\tCOMMENT:\n a\n   b\n endcomment\n"),
                _ => {
                    let blanks = self.dice.below(5);
                    self.text.extend(std::iter::repeat_n(' ', blanks));
                    self.comment();
                }
            }
        }
    }

    /// Writes a comment and the end of its line.
    fn comment(&mut self) {
        let mark = self.dice.pick(&["#", "--", "//", "#!"]);
        let comment = format!("{mark} {} IF \"{{", self.comments.len());
        let _ = writeln!(self.text, "{comment} ");
        self.comments.push(comment);
    }

    fn end_line(&mut self) {
        match self.dice.below(6) {
            0 => {
                self.text.push_str(self.dice.pick(&["", " ", "     "]));
                self.comment();
            }
            1 => self.text.push_str("  \n"),
            _ => self.text.push('\n'),
        }
    }

    fn statement(&mut self, depth: usize) {
        let blanks = self.dice.below(7);
        self.text.extend(std::iter::repeat_n(' ', blanks));
        match self.dice.below(if depth < 4 { 14 } else { 8 }) {
            // A procedure cannot change variables of the script.
            0..=7 if self.in_procedure => self.line("EMIT", 3, ""),
            0 | 1 => self.line("EMIT", 3, ""),
            2 => self.line("set a =", 1, ""),
            3 => self.line("SET d.k =", 1, ""),
            4 => self.line("VAR c[0] =", 1, ""),
            5 => self.line("CALL JSON.Text(value:", 1, ")"),
            6 => self.line("MUST", 2, ""),
            7 => self.line("SET b = b +", 1, ""),
            8 | 9 => self.branches(depth),
            10 => self.looped("FOR EACH x IN", depth),
            11 => self.looped("for each i, x in", depth),
            12 => self.handler(depth),
            _ => self.line("EMIT LEN([", 6, "])"),
        }
    }

    /// Writes a line: a head, expressions separated by commas, and an end.
    fn line(&mut self, head: &str, most: usize, end: &str) {
        self.text.push_str(head);
        self.text.push(' ');
        let in_brackets = usize::from(!end.is_empty());
        let values = 1 + self.dice.below(most);
        for index in 0..values {
            if index > 0 {
                self.gap(in_brackets);
                self.text.push(',');
                self.gap(in_brackets);
            }
            self.expression(in_brackets, 0);
        }
        if end == "])" {
            self.gap(1);
            self.text.push_str(self.dice.pick(&["", ","]));
        }
        self.text.push_str(end);
        self.end_line();
    }

    fn branches(&mut self, depth: usize) {
        self.text.push_str(self.dice.pick(&["IF ", "if "]));
        self.expression(0, 0);
        self.text.push_str(self.dice.pick(&[" THEN", " then", ""]));
        self.end_line();
        self.block(1, depth + 1);
        if self.dice.one_in(2) {
            self.text.push_str("ELSE   IF ");
            self.expression(0, 0);
            self.end_line();
            self.block(1, depth + 1);
        }
        if self.dice.one_in(2) {
            self.text.push_str("  else");
            self.end_line();
            self.block(1, depth + 1);
        }
        self.text.push_str(self.dice.pick(&["END", "endif", "ENDBLOCK"]));
        self.end_line();
    }

    fn looped(&mut self, head: &str, depth: usize) {
        let _ = write!(self.text, "{head} RANGE(2)");
        self.text.push_str(self.dice.pick(&[" DO", ""]));
        self.end_line();
        self.block(2, depth + 1);
        self.text.push_str(self.dice.pick(&["END", "ENDFOR"]));
        self.end_line();
    }

    fn handler(&mut self, depth: usize) {
        self.text.push_str(self.dice.pick(&["ON ERROR AS err DO", "on error"]));
        self.end_line();
        self.block(1, depth + 1);
        self.text.push_str("CLEAR_ERROR");
        self.end_line();
        self.text.push_str("ENDON\n");
    }

    fn expression(&mut self, brackets: usize, depth: usize) {
        self.operand(brackets, depth);
        let mut compared = false;
        while self.dice.one_in(3) {
            let operator = self.dice.pick(OPERATORS);
            let compares = ["==", "in", "NOT  IN", "<", ">="].contains(&operator);
            // Comparisons cannot be chained.
            let operator = if compares && compared { "+" } else { operator };
            compared |= compares;
            self.gap(brackets);
            self.text.push_str(operator);
            self.gap(brackets);
            self.operand(brackets, depth);
        }
    }

    fn operand(&mut self, brackets: usize, depth: usize) {
        self.text.push_str(self.dice.pick(&["", "", "", "", "- ", "-", "NOT ", "~", "- - "]));
        match self.dice.below(if depth < 3 { 17 } else { 11 }) {
            0..11 => self.text.push_str(self.dice.pick(VALUES).replace("Null", "null").as_str()),
            11 => self.bracketed("(", ")", brackets, 1, |maker, depth| maker.expression(brackets + 1, depth), depth),
            12 | 13 => {
                self.bracketed("[", "]", brackets, 5, |maker, depth| maker.expression(brackets + 1, depth), depth)
            }
            14 => self.bracketed("{", "}", brackets, 4, Maker::entry, depth),
            15 => self.bracketed("MAX(", ")", brackets, 4, |maker, depth| maker.expression(brackets + 1, depth), depth),
            _ => self.bracketed("JSON.Text( ", ")", brackets, 1, Maker::argument, depth),
        }
    }

    fn entry(&mut self, depth: usize) {
        let _ = write!(self.text, "\"key{}\"", self.dice.below(1_000_000));
        self.gap(1);
        self.text.push(':');
        self.gap(1);
        self.expression(1, depth);
    }

    fn argument(&mut self, depth: usize) {
        self.text.push_str("value :");
        self.gap(1);
        self.expression(1, depth);
    }

    fn bracketed(
        &mut self,
        open: &str,
        close: &str,
        _: usize,
        most: usize,
        part: impl Fn(&mut Maker, usize),
        depth: usize,
    ) {
        self.text.push_str(open);
        let parts = 1 + self.dice.below(most);
        for index in 0..parts {
            self.gap(1);
            part(self, depth + 1);
            self.gap(1);
            let trailing = open != "(" && most > 1 && self.dice.one_in(2);
            if index + 1 < parts || trailing {
                self.text.push(',');
            }
        }
        self.gap(1);
        self.text.push_str(close);
    }

    /// Writes the space between two tokens; inside brackets it may contain line breaks and comments.
    fn gap(&mut self, brackets: usize) {
        if self.text.ends_with(char::is_whitespace) {
            return;
        }
        match (brackets, self.dice.below(16)) {
            (0, 0) => self.text.push_str(" \\ \n  "),
            (0, _) => self.text.push(' '),
            (_, 0) => self.text.push_str("\n\n  "),
            (_, 1) => self.text.push('\n'),
            (_, 2) => {
                self.text.push(' ');
                self.comment();
            }
            (_, 3) => {
                self.text.push('\n');
                self.comment();
            }
            (_, 4) => self.text.push_str(" \\\n"),
            (_, _) => self.text.push(' '),
        }
    }
}
