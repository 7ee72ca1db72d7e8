//! Programs generated from a number, aimed at the fast paths of the evaluator: numbers at the edges of 64 bits, ints
//! mixed with floats, texts around the length that fits into a value, lists and maps that are changed while shared,
//! maps around eight entries, chains and IFs beyond the nesting of fast paths, loops that are left early, calls, and
//! errors that are handled in the middle of all of it.
//!
//! Most operands have the type that their operator requires, but not all, so that a program does much before it fails.
//! `tests/format` covers bad layouts.

use std::fmt::Write as _;

use super::operands::{FLOATS, INTS, Kind, SMALL_INTS};
use crate::support::dice::Dice;

/// Generates the program of a number.
pub fn program(seed: u64) -> String {
    let mut maker = Maker { dice: Dice::new(seed), text: String::new(), depth: 0, place: Place::Top, loops: 0 };
    maker.program();
    maker.text
}

/// The position of a statement.
#[derive(Clone, Copy, PartialEq)]
enum Place {
    Top,
    Procedure,
    Handler,
}

/// The files whose lines programs read, by name.
pub const FILES: &[(&str, &str)] =
    &[("empty", ""), ("short", "a\n-1\r\n\nlonger than seven"), ("numbers", "1\n2\n3\n4\n5\n6\n7\n8\n9\n")];
/// Calls that give lines; the first of them fail.
const LINES: &[&str] = &[
    "FS.Lines(\"missing\")",
    "FS.Lines(\"short\")",
    "FS.Lines(\"numbers\")",
    "FS.Lines(path: \"short\")",
    "FS.Lines({\"path\": \"numbers\"})",
    "FS.Lines(\"empty\", decompress: false)",
    "(FS.Lines(\"numbers\"))",
];
const KEYS: &[&str] = &["\"a\"", "\"b\"", "\"k\"", "\"k1\"", "\"k8\"", "s", "\"k\" + i"];
/// Procedures that statements call, by name.
const PROCEDURES: &[(&str, &str)] = &[
    (
        "Count",
        "DEFINE PROCEDURE Count(n, acc)\n  IF n <= 0 THEN\n    RETURN acc\n  END\n  RETURN Count(n - 1, acc + n)\nEND\n",
    ),
    ("Pair", "func Pair(needs a optional b) means\n  return a, b\nendfunc\n"),
    (
        "Preset",
        "DEFINE PROCEDURE Preset(a, b: -1, c: [1, {\"k\": 2.5}], d: \"seven c\")\n  SET c = c + [a]\n  SET d = d + b\n  RETURN [a, b, c, d]\nEND\n",
    ),
    ("Maybe", "func Maybe(optional a: nil, b: true, c) means\n  return [a, b, c]\nendfunc\n"),
    ("Deep", "DEFINE PROCEDURE Deep(n)\n  RETURN 1 + Deep(n + 1)\nEND\n"),
    ("Loud", "DEFINE PROCEDURE Loud(n)\n  EMIT \"loud \", n\n  RETURN n\nEND\n"),
    ("Fib", "DEFINE PROCEDURE Fib(n)\n  IF n < 2 THEN\n    RETURN n\n  END\n  RETURN Fib(n - 1) + Fib(n - 2)\nEND\n"),
];

/// The variables that statements set and read besides the numbers; the last one is never set at run time.
const VARIABLES: &str = "SET s, t, l, m = [\"a\", \"abcdefgh\", [1, 2, 3], [0, 1]]\nSET d, e = [{\"a\": 1}, {}]\nIF LEN(m) == 9 THEN\nSET u = 1\nEND\n";

pub struct Maker {
    pub dice: Dice,
    pub text: String,
    pub depth: usize,
    place: Place,
    loops: usize,
}

impl Maker {
    fn program(&mut self) {
        self.variables();
        if !self.dice.one_in(4) {
            self.text
                .push_str("ON ERROR AS err DO\nEMIT err.code, \" \", err.message, \" \", err.line\nCLEAR_ERROR\nEND\n");
        }
        let statements = 4 + self.dice.below(10);
        self.block(statements);
        // Where nothing reads LAST, lists may be pulled instead of made.
        let last = if self.dice.one_in(3) { "LAST, " } else { "" };
        let _ = writeln!(self.text, "EMIT [i, j, f, g, s, t, l, m, d, e, {last}LAST_ERROR == nil]");
        if self.dice.one_in(4) {
            self.line("RETURN", 2);
        }
        if self.text.contains("Work(") {
            self.procedure();
        }
        for (name, procedure) in PROCEDURES {
            if self.text.contains(name) {
                self.text.push_str(procedure);
            }
        }
        if self.text.contains("outer") {
            self.text.insert_str(0, "SET outer = [1, {\"a\": \"outer\"}]\n");
        }
    }

    /// Sets the variables. A number starts as an index, a small number, or at the edge of a fast path.
    fn variables(&mut self) {
        let mut number = |usual, edges| match self.dice.below(8) {
            0 => self.dice.pick(edges),
            1 => self.dice.pick(SMALL_INTS),
            _ => usual,
        };
        let (i, j) = (number("1", INTS), number("2", INTS));
        let (f, g) = (number("0.5", FLOATS), number("3.0", FLOATS));
        let _ = writeln!(self.text, "SET i, j, f, g = [{i}, {j}, {f}, {g}]");
        self.text.push_str(VARIABLES);
    }

    fn procedure(&mut self) {
        self.text.push_str("DEFINE PROCEDURE Work(p, q)\n");
        self.variables();
        if self.dice.one_in(3) {
            self.text.push_str("ON ERROR AS err DO\n");
            self.handler();
            self.text.push_str("END\n");
        }
        self.place = Place::Procedure;
        let statements = 1 + self.dice.below(5);
        self.block(statements);
        if !self.dice.one_in(4) {
            self.line("RETURN", 2);
        }
        self.place = Place::Top;
        self.text.push_str("END\n");
    }

    fn handler(&mut self) {
        let (place, loops) = (self.place, std::mem::take(&mut self.loops));
        self.place = Place::Handler;
        self.block(1);
        self.place = place;
        self.loops = loops;
        self.text.push_str(self.dice.pick(&["CLEAR_ERROR\n", "CLEAR_ERROR\n", "RETURN err.message\n", ""]));
    }

    fn block(&mut self, statements: usize) {
        self.depth += 1;
        for _ in 0..statements {
            self.statement();
        }
        self.depth -= 1;
    }

    fn statement(&mut self) {
        match self.dice.below(if self.depth < 4 { 34 } else { 22 }) {
            0..=2 => self.set_number(),
            3 | 4 => self.set_text(),
            5 | 6 => self.set_list(),
            7 | 8 => self.set_map(),
            9..=11 => self.line("EMIT", 3),
            12 => self.set_several(),
            13 => self.alias(),
            14 => self.call(),
            15 => self.line("MUST", 1),
            16 if self.dice.one_in(2) => self.line("FAIL", 1),
            17 => self.text.push_str("CALL LEN(l)\nEMIT LAST\n"),
            18 if self.loops > 0 => self.leave(),
            19 if self.place != Place::Top && self.dice.one_in(2) => self.line("RETURN", 2),
            20 => self.expanded(),
            21 => self.unset(),
            22..=25 => self.branches(),
            26 | 27 => self.counted(),
            28..=30 => self.each(),
            31 => self.nested_handler(),
            32 => self.many_arms(),
            33 => self.long_chain(),
            _ => self.line("EMIT", 1),
        }
    }

    fn line(&mut self, head: &str, most: usize) {
        self.text.push_str(head);
        for number in 0..1 + self.dice.below(most) {
            self.text.push_str(if number == 0 { " " } else { ", " });
            self.any();
        }
        self.text.push('\n');
    }

    fn set_number(&mut self) {
        let (target, kind) =
            self.dice.pick(&[("i", Kind::Int), ("j", Kind::Int), ("f", Kind::Float), ("g", Kind::Float)]);
        let _ = write!(self.text, "SET {target} = ");
        match self.dice.below(8) {
            0 | 1 => {
                let operator = self.dice.pick(&["+", "+", "-", "*"]);
                let _ = write!(self.text, "{target} {operator} ");
                self.operand(kind);
            }
            2 | 3 => {
                let number = self.dice.pick(SMALL_INTS);
                let _ = write!(self.text, "{target} + {number}");
            }
            4 => self.text.push_str(self.dice.pick(if matches!(kind, Kind::Float) { FLOATS } else { INTS })),
            _ => self.expression(kind),
        }
        self.text.push('\n');
    }

    fn set_text(&mut self) {
        let target = self.dice.pick(&["s", "t"]);
        let _ = write!(self.text, "SET {target} = ");
        match self.dice.below(4) {
            0 | 1 => {
                let _ = write!(self.text, "{target} + ");
                self.any_operand();
            }
            2 => {
                self.text.push_str("\"n\" + ");
                self.any_operand();
                self.text.push_str(" + ");
                self.any_operand();
            }
            _ => self.expression(Kind::Text),
        }
        self.text.push('\n');
    }

    fn set_list(&mut self) {
        let target = self.dice.pick(&["l", "m"]);
        match self.dice.below(7) {
            0 | 1 => {
                let _ = write!(self.text, "SET {target} = {target} + [");
                self.any();
                self.text.push(']');
            }
            2 => {
                let _ = write!(self.text, "SET {target} = {target} + ");
                self.operand(Kind::List);
            }
            3 | 4 => {
                let _ = write!(self.text, "SET {target}[");
                self.index();
                self.text.push_str("] = ");
                self.any();
            }
            5 => {
                let _ = write!(self.text, "SET {target}[");
                self.index();
                self.text.push_str("][");
                self.index();
                self.text.push_str("] = ");
                self.any();
            }
            _ => {
                let _ = write!(self.text, "SET {target} = ");
                self.expression(Kind::List);
            }
        }
        self.text.push('\n');
    }

    fn set_map(&mut self) {
        let target = self.dice.pick(&["d", "e"]);
        let key = self.dice.pick(KEYS);
        let _ = match self.dice.below(6) {
            0 | 1 => write!(self.text, "SET {target}[{key}] = "),
            2 => write!(self.text, "SET {target}.a = "),
            3 => write!(self.text, "SET {target}.n.{} = ", self.dice.pick(&["a", "b.c"])),
            4 => write!(self.text, "SET {target}[{key}][0] = "),
            _ => write!(self.text, "SET {target} = "),
        };
        if self.text.ends_with(&format!("SET {target} = ")) {
            self.expression(Kind::Map);
        } else {
            self.any();
        }
        self.text.push('\n');
    }

    fn set_several(&mut self) {
        let targets = self.dice.pick(&["i, j", "s, t", "i, l[0]", "d.x, j", "j, l[j]", "l, d, f"]);
        let _ = write!(self.text, "SET {targets} = ");
        match self.dice.below(3) {
            0 => self.text.push_str("Pair(j, i)"),
            1 => self.operand(Kind::List),
            _ => {
                self.text.push('[');
                self.any();
                self.text.push_str(", ");
                self.any();
                self.text.push(']');
            }
        }
        self.text.push('\n');
    }

    /// Writes an alias of a value, one of which then changes.
    fn alias(&mut self) {
        self.text.push_str(self.dice.pick(&[
            "SET m = l\nSET l = l + [9]\n",
            "SET l = m\nSET l[0] = \"changed\"\n",
            "SET e = d\nSET e.a = \"changed\"\n",
            "SET t = s\nSET s = s + \"more text\"\n",
            "SET l = [l, l]\nSET l[0][0] = 5\n",
            "SET d.l = l\nSET d.l[0] = {}\nSET d.l[0].x = 1\n",
            "SET m = outer\nSET m[1].a = 1\nEMIT outer\n",
        ]));
    }

    fn call(&mut self) {
        let call = self.dice.pick(&[
            "SET i = Count(j % 9, i)\n",
            "EMIT Pair(l), Pair(b: i, a: j)\n",
            "CALL Pair(Loud(1), Loud(2))\nEMIT LAST\n",
            "EMIT Preset(i), Preset(j, 2), Preset(l, d: s, b: f), Preset(Loud(1), c: m)\n",
            "EMIT Preset(c: Loud(1), a: Loud(2)), LIST.Map([i, f], Preset), Maybe(), Maybe(c: Loud(3), a: Loud(4))\n",
            "SET d.p = Preset(i, c: l)\nSET d.p[2] = LIST.Map([0], Maybe)\nEMIT LIST.Reduce([1, 2], Preset, i), d\n",
            "SET f = Fib(6) + f\n",
            "MUST CALL Pair(i, j)\n",
            "EMIT Loud(i) + Loud(j) * Loud(3)\n",
            "EMIT LIST.Map(RANGE(3), Loud), LIST.Filter([0, 1, 2], Loud)\n",
            "SET i = LIST.Reduce([1, 2, 3], Count, 4)\n",
            "SET l[Loud(0)][Loud(1)] = Loud(2)\n",
            "SET d[Loud(\"k\")][Loud(\"a\")], l[Loud(1)] = Pair(Loud(2), Loud(3))\n",
            "EMIT LIST.Any([0, 1], Loud), LIST.All([1, 0, 1], Loud), LAST\n",
            "EMIT LEN(LINES), LIST.Map(LINES, Loud), LIST.Filter(LINES, Loud)\n",
            "SET l = LIST.Reduce(LINES, Pair)\nSET m = LIST.Map(LINES, Pair)\n",
            "EMIT LIST.Any(LINES, Loud), LIST.All(LINES, Loud), LIST.Reduce(LINES, Pair, Loud(1))\n",
            "SET l = LINES\nSET l = l + LINES\nEMIT LEN(l), LEN(LINES)\n",
        ]);
        let call = call.split("LINES").map(str::to_owned).reduce(|before, after| before + self.lines() + &after);
        match (self.place, self.dice.below(24)) {
            (_, 0) => self.text.push_str("CALL Deep(i)\n"),
            (Place::Top, 1..=8) => {
                self.text.push_str(self.dice.pick(&["SET j = Work(", "CALL Work(", "EMIT Work("]));
                self.any();
                self.text.push_str(", ");
                self.any();
                self.text.push_str(")\n");
            }
            _ => self.text.push_str(&call.unwrap_or_default()),
        }
    }

    /// Returns a call that gives lines.
    fn lines(&mut self) -> &'static str {
        let first = usize::from(!self.dice.one_in(8));
        self.dice.pick(&LINES[first..])
    }

    fn leave(&mut self) {
        self.text.push_str("IF ");
        self.condition();
        self.text.push_str(self.dice.pick(&[" THEN\nBREAK\nEND\n", " THEN\nCONTINUE\nEND\n"]));
    }

    /// Writes a read of a variable that may be unset, where another part may fail or print first.
    fn unset(&mut self) {
        let text = self.dice.pick(&[
            "EMIT u\n",
            "EMIT u + 1\n",
            "EMIT 1 < u\n",
            "EMIT u + (1 / 0)\n",
            "EMIT u * Loud(2)\n",
            "EMIT u == Loud(2)\n",
            "EMIT u[Loud(0)]\n",
            "EMIT l[u]\n",
            "EMIT u.a\n",
            "SET u = u + 1\n",
            "SET u = u + Loud(1)\n",
            "SET u = u + [Loud(1)]\n",
            "SET u[0] = Loud(1)\n",
            "SET l[u] = Loud(1)\n",
            "SET l[0] = u\n",
            "SET i = u - i\n",
            "EMIT ```{{u}} {{u.a}}```\n",
            "EMIT EVAL(\"{{u}}\")\n",
            "IF u THEN\nEMIT 1\nEND\n",
            "IF u IN l AND u THEN\nEMIT 1\nEND\n",
            "SET u = 5\n",
            "FOR EACH x IN u DO\nEMIT x\nEND\n",
            "EMIT \"x\" + u + Loud(1)\n",
            "EMIT Pair(u, Loud(1))\n",
            "EMIT u - 1 - Loud(1)\n",
            "EMIT u[u]\n",
            "EMIT u * u - u\n",
            "EMIT u >= u\n",
            "SET u[u] = u\n",
            "SET l[u] = u\n",
        ]);
        self.text.push_str(text);
    }

    fn expanded(&mut self) {
        let text = self.dice.pick(&[
            "EMIT ```{{i}} of {{d.a}}, {{s}}{{LAST}}```\n",
            "SET s = ```{{s}}{{t}}```\n",
            "EMIT EVAL(\"{{i}} of {{d.a}} {{LAST}}\"), LAST\n",
            "CALL EVAL(s + \"{{j}}\")\nEMIT LAST\n",
            "EMIT EVAL(\"{{nothing}}\")\n",
        ]);
        self.text.push_str(text);
    }

    fn branches(&mut self) {
        self.text.push_str("IF ");
        self.condition();
        self.text.push_str(" THEN\n");
        let statements = 1 + self.dice.below(3);
        self.block(statements);
        if self.dice.one_in(3) {
            self.text.push_str("ELSE IF ");
            self.condition();
            self.text.push_str(" THEN\n");
            self.block(1);
        }
        if self.dice.one_in(2) {
            self.text.push_str("ELSE\n");
            self.block(1);
        }
        self.text.push_str("END\n");
    }

    fn many_arms(&mut self) {
        for arm in 0..18 {
            let _ =
                writeln!(self.text, "{} i <= {arm} THEN\nEMIT \"arm {arm}\"", if arm == 0 { "IF" } else { "ELSE IF" });
        }
        self.text.push_str("ELSE\n");
        self.block(1);
        self.text.push_str("END\n");
    }

    fn long_chain(&mut self) {
        self.text.push_str("EMIT i");
        for _ in 0..33 + self.dice.below(4) {
            let operator = self.dice.pick(&["+", "-", "+"]);
            let operand = self.dice.pick(&["1", "i", "j", "f", "g", "2", "Loud(1)"]);
            let _ = write!(self.text, " {operator} {operand}");
        }
        self.text.push('\n');
    }

    fn counted(&mut self) {
        let (counter, turns) = (format!("w{}", self.depth), self.dice.below(12));
        let _ = writeln!(self.text, "SET {counter} = 0\nWHILE {counter} < {turns} DO\nSET {counter} = {counter} + 1");
        self.turn();
    }

    fn each(&mut self) {
        let first = format!("x{}", self.depth);
        let names = if self.dice.one_in(2) { first.clone() } else { format!("{first}, y{}", self.depth) };
        let _ = write!(self.text, "FOR EACH {names} IN ");
        match self.dice.below(10) {
            8.. => {
                let lines = self.lines();
                self.text.push_str(lines);
            }
            0 => self.text.push_str("RANGE(5)"),
            1 => {
                let step = self.dice.pick(&["1", "2", "-1", "i", "9223372036854775807", "1.0"]);
                let _ = write!(self.text, "RANGE(i, j + 3, {step})");
            }
            2 => self.text.push_str("RANGE(9223372036854775800, 9223372036854775807, 3)"),
            3 => self.text.push_str(self.dice.pick(&["l", "d", "s", "m", "e", "nil"])),
            4 | 5 => self.operand(Kind::List),
            6 => self.operand(Kind::Map),
            _ => self.operand(Kind::Text),
        }
        self.text.push_str(" DO\n");
        let name = self.dice.pick(&["i", "s", "l", "t"]);
        match self.dice.below(4) {
            0 => drop(writeln!(self.text, "SET {name} = {name} + {first}")),
            1 => drop(writeln!(self.text, "SET l[0] = {first}\nEMIT l")),
            2 => drop(writeln!(self.text, "EMIT {first}")),
            _ => {}
        }
        self.turn();
    }

    /// Writes the body of a loop and its end.
    fn turn(&mut self) {
        self.loops += 1;
        let statements = 1 + self.dice.below(3);
        self.block(statements);
        self.loops -= 1;
        self.text.push_str("END\n");
    }

    fn nested_handler(&mut self) {
        self.text.push_str("ON ERROR AS err DO\nEMIT \"inner \", err.code\n");
        self.handler();
        self.text.push_str("END\n");
    }
}
