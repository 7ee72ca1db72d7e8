//! Expressions for the programs: of a required type, with operands at the edges of fast paths.

use std::fmt::Write as _;

use super::programs::Maker;

/// The required type of an expression.
#[derive(Clone, Copy)]
pub enum Kind {
    Int,
    Float,
    Text,
    List,
    Map,
    Any,
}

const KINDS: [Kind; 6] = [Kind::Int, Kind::Float, Kind::Text, Kind::List, Kind::Map, Kind::Any];

pub const SMALL_INTS: &[&str] = &["0", "1", "2", "3", "5", "-1", "7", "10"];
pub const INTS: &[&str] = &[
    "63",
    "64",
    "-2",
    "255",
    "-3",
    "2147483647",
    "2147483648",
    "4294967295",
    "4294967296",
    "-4294967297",
    "3037000500",
    "9007199254740992",
    "9007199254740993",
    "9223372036854775806",
    "9223372036854775807",
    "(-9223372036854775807)",
    "(-9223372036854775808)",
];
pub const FLOATS: &[&str] = &[
    "0.0",
    "0.5",
    "1.0",
    "2.5",
    "-0.5",
    "-0.0",
    "0.1",
    "3.0",
    "1e10",
    "1e-7",
    "9007199254740992.0",
    "9223372036854775808.0",
    "-9223372036854775808.0",
    "1e308",
];
const TEXTS: &[&str] = &[
    "\"\"",
    "\"a\"",
    "\"k\"",
    "\"abcdef\"",
    "\"abcdefg\"",
    "\"abcdefgh\"",
    "\"äöü\"",
    "\"äöüß\"",
    "\"12\"",
    "\" 7 \"",
    "\"2.5\"",
    "\"line\\n\\\"two\\\"\"",
    "\"a text that does not fit into any value\"",
];
const LISTS: &[&str] = &["[]", "[1, 2, 3]", "[0.5, \"a\", nil]", "[[1, 2], [3]]", "[{\"a\": 1}, {\"a\": 2}]"];
const MAPS: &[&str] = &[
    "{}",
    "{\"a\": 1, \"b\": 2}",
    "{\"a\": {\"b\": [1, 2]}, \"k\": \"x\"}",
    "{\"k0\": 0, \"k1\": 1, \"k2\": 2, \"k3\": 3, \"k4\": 4, \"k5\": 5, \"k6\": 6, \"k7\": 7}",
];
const COMPARISONS: &[&str] = &["==", "!=", "<", "<=", ">", ">="];
/// Frequent operands of comparisons.
const BOUNDED: &[&str] = &["i", "j", "f", "g", "s", "l[i]", "l[j]", "m[i]", "m[0]"];
const BOUNDS: &[&str] = &[
    "i + 1", "j - 1", "f - 1", "s + 1", "l + 1", "i - j", "j - f", "f - g", "g - f", "s - i", "l[i]", "l[i + 1]",
    "l[j - 1]", "m[i - 1]", "m[f + 1]", "d[i + 1]",
];
/// Frequent first operands of computations.
const FIRST: &[&str] = &["i * j", "f * g", "j * f", "s * i", "l[i]", "l[j]", "m[i]", "l[i + 1]", "g - f", "j + 1"];

impl Maker {
    pub fn any(&mut self) {
        let kind = KINDS[self.dice.below(KINDS.len())];
        self.expression(kind);
    }

    pub fn any_operand(&mut self) {
        let kind = KINDS[self.dice.below(KINDS.len())];
        self.operand(kind);
    }

    pub fn condition(&mut self) {
        match self.dice.below(6) {
            0 => self.any_operand(),
            1 => {
                self.text.push_str("NOT ");
                self.any_operand();
            }
            2 => {
                self.comparison();
                self.text.push_str(self.dice.pick(&[" AND ", " OR "]));
                self.comparison();
            }
            _ => self.comparison(),
        }
    }

    pub fn comparison(&mut self) {
        let kinds = [Kind::Int, Kind::Int, Kind::Float, Kind::Text, Kind::Any];
        let kind = kinds[self.dice.below(kinds.len())];
        if self.dice.one_in(4) {
            self.text.push_str(self.dice.pick(BOUNDED))
        } else {
            self.operand(kind)
        }
        if self.dice.one_in(6) {
            self.text.push_str(self.dice.pick(&[" IN ", " NOT IN "]));
            let whole = [Kind::List, Kind::Map, Kind::Text][self.dice.below(3)];
            self.operand(whole);
            return;
        }
        let operator = self.dice.pick(COMPARISONS);
        let _ = write!(self.text, " {operator} ");
        if self.dice.one_in(4) {
            return self.text.push_str(self.dice.pick(BOUNDS));
        }
        // Ints mixed with floats, usually of similar magnitude.
        let mixed = matches!(kind, Kind::Int | Kind::Float) && self.dice.one_in(3);
        self.operand(if mixed { Kind::Float } else { kind });
    }

    pub fn index(&mut self) {
        match self.dice.below(5) {
            0 => self.text.push_str(self.dice.pick(&["i", "j", "i + 1", "j - 1", "LEN(l)", "LEN(l) - 1"])),
            1 => self.operand(Kind::Int),
            _ => self.text.push_str(self.dice.pick(&["0", "1", "2", "-1", "0"])),
        }
    }

    /// Writes one to four operands of a type with operators between them.
    pub fn expression(&mut self, kind: Kind) {
        let operators: &[&str] = match kind {
            Kind::Int => &["+", "-", "*", "%", "/", "&", "|", "^"],
            Kind::Float => &["+", "-", "*", "/"],
            Kind::Text | Kind::List => &["+"],
            Kind::Map => return self.operand(kind),
            Kind::Any => return self.any_expression(),
        };
        if matches!(kind, Kind::Int | Kind::Float) && self.dice.one_in(6) {
            self.text.push_str(self.dice.pick(FIRST))
        } else {
            self.operand(kind)
        }
        for _ in 0..self.dice.below(4) {
            let operator = self.dice.pick(operators);
            let _ = write!(self.text, " {operator} ");
            match self.dice.below(12) {
                0 => self.any_operand(),
                1 if matches!(kind, Kind::Int) => self.operand(Kind::Float),
                1 if matches!(kind, Kind::Float) => self.operand(Kind::Int),
                _ => self.operand(kind),
            }
        }
    }

    pub fn any_expression(&mut self) {
        match self.dice.below(5) {
            0 => self.condition(),
            1 => {
                self.text.push_str("TYPEOF(");
                self.any();
                self.text.push(')');
            }
            2 => {
                self.text.push_str("STR(");
                self.any();
                self.text.push(')');
            }
            3 => self.text.push_str(self.dice.pick(&["nil", "true", "LAST", "LAST_ERROR == nil", "outer"])),
            _ => self.any_operand(),
        }
    }

    pub fn operand(&mut self, kind: Kind) {
        self.depth += 1;
        match kind {
            _ if self.depth > 7 => self.simple(kind),
            Kind::Int => self.int(),
            Kind::Float => self.float(),
            Kind::Text => self.piece(),
            Kind::List => self.list(),
            Kind::Map => self.map(),
            Kind::Any => self.text.push_str(self.dice.pick(&["i", "f", "s", "l", "d", "nil", "true", "LAST", "1"])),
        }
        self.depth -= 1;
    }

    pub fn simple(&mut self, kind: Kind) {
        let text = match kind {
            Kind::Int => self.dice.pick(&["i", "j", "1"]),
            Kind::Float => self.dice.pick(&["f", "g", "0.5"]),
            Kind::Text => self.dice.pick(&["s", "t", "\"a\""]),
            Kind::List => self.dice.pick(&["l", "m"]),
            Kind::Map => self.dice.pick(&["d", "e"]),
            Kind::Any => "nil",
        };
        self.text.push_str(text);
    }

    pub fn int(&mut self) {
        match self.dice.below(16) {
            0..=4 => self.text.push_str(self.dice.pick(&["i", "j"])),
            5..=8 => self.text.push_str(self.dice.pick(SMALL_INTS)),
            9 => self.text.push_str(self.dice.pick(INTS)),
            10 => self.wrapped("LEN(", ")", &[Kind::Text, Kind::List, Kind::Map]),
            11 => self.wrapped("(", ")", &[Kind::Int]),
            12 => {
                let open = self.dice.pick(&["(- ", "(~", "ABS("]);
                self.wrapped(open, ")", &[Kind::Int]);
            }
            13 => self.wrapped("INT(", ")", &[Kind::Float, Kind::Text, Kind::Int]),
            14 => {
                let power = self.dice.pick(&["2 ** 3", "i ** 2", "2 ** 63", "j ** -1", "(-1) ** i", "0 ** 0"]);
                let _ = write!(self.text, "({power})");
            }
            _ => {
                self.text.push_str(self.dice.pick(&["l[", "m["]));
                self.index();
                self.text.push(']');
            }
        }
    }

    pub fn float(&mut self) {
        match self.dice.below(9) {
            0..=2 => self.text.push_str(self.dice.pick(&["f", "f", "g"])),
            3..=5 => self.text.push_str(self.dice.pick(FLOATS)),
            6 => self.wrapped("FLOAT(", ")", &[Kind::Int, Kind::Text]),
            7 => {
                let open = self.dice.pick(&["FLOOR(", "CEIL(", "ROUND("]);
                self.wrapped(open, ")", &[Kind::Float]);
            }
            _ => self.wrapped("(", ")", &[Kind::Float, Kind::Int]),
        }
    }

    pub fn piece(&mut self) {
        match self.dice.below(10) {
            0..=3 => self.text.push_str(self.dice.pick(&["s", "t"])),
            4..=6 => self.text.push_str(self.dice.pick(TEXTS)),
            7 => {
                self.text.push_str(self.dice.pick(&["s[", "t["]));
                self.index();
                self.text.push(']');
            }
            8 => self.text.push_str("(\"n\" + i)"),
            _ => self.wrapped("STR(", ")", &[Kind::Int, Kind::List, Kind::Map, Kind::Float]),
        }
    }

    pub fn list(&mut self) {
        match self.dice.below(9) {
            0..=3 => self.text.push_str(self.dice.pick(&["l", "m"])),
            4 | 5 => self.text.push_str(self.dice.pick(LISTS)),
            6 => self.wrapped("[", ", i]", &[Kind::Any, Kind::Int]),
            7 => self.text.push_str(self.dice.pick(&["RANGE(3)", "RANGE(3, 0, -1)", "RANGE(j)", "Pair(i, s)"])),
            _ => self.wrapped("MAX(", ", 3)", &[Kind::Int]),
        }
    }

    pub fn map(&mut self) {
        match self.dice.below(8) {
            0..=3 => self.text.push_str(self.dice.pick(&["d", "e"])),
            4 | 5 => self.text.push_str(self.dice.pick(MAPS)),
            6 => self.text.push_str(self.dice.pick(&["d.a", "e[\"a\"]", "d.n"])),
            _ => {
                self.text.push_str("{\"a\": ");
                self.any_operand();
                self.text.push_str(", \"k\": ");
                self.any_operand();
                self.text.push('}');
            }
        }
    }

    pub fn wrapped(&mut self, open: &str, close: &str, kinds: &[Kind]) {
        self.text.push_str(open);
        let kind = kinds[self.dice.below(kinds.len())];
        self.operand(kind);
        self.text.push_str(close);
    }
}
