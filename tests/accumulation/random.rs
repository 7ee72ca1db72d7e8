//! Random programs that change texts, lists and maps: nothing may tell whether a value was moved or copied.
//!
//! A session moves nothing at its top level, because it keeps the values that an interrupted line has computed. So a
//! program is run as a line of a session, as a script, and as a procedure of a script, and prints the same.

use super::support::dice::Dice;

/// Procedures that the programs call. `Peek` reads variables of the top level.
const PROCEDURES: &str = r#"
DEFINE PROCEDURE Add(first, second)
  RETURN first + second
END
DEFINE PROCEDURE AddTwice(first, second)
  SET sum = first + second
  SET first = sum
  SET sum = sum + second
  IF LEN(first) > LEN(sum) THEN
    RETURN first
  ENDIF
  RETURN sum
END
DEFINE PROCEDURE Both(first, second)
  RETURN [first, second]
END
DEFINE PROCEDURE Checked(value, i)
  IF i % 5 == 3 THEN
    FAIL "checked " + LEN(value)
  ENDIF
  RETURN value
END
DEFINE PROCEDURE SetFirst(list, i)
  SET old = list
  SET list = list + [i]
  SET list[0] = i
  RETURN [LEN(old)] + list
END
DEFINE PROCEDURE Inner(map, i)
  SET inner = map.l
  SET inner = inner + [i]
  SET map.l = inner
  SET map.t = map.t + i
  RETURN map
END
"#;

/// A type of value.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Type {
    Text,
    List,
    Map,
}

/// A generator of programs.
pub struct Generator {
    dice: Dice,
    /// Whether procedures may read the variables of the program.
    peeks: bool,
}

/// A program in its three forms.
pub struct Random {
    /// For a session.
    pub line: String,
    /// For a script.
    pub script: String,
    /// As a procedure; `None` if the program calls procedures that read its variables.
    pub procedure: Option<String>,
}

impl Random {
    /// Creates the program of a seed.
    pub fn new(seed: u64) -> Random {
        let mut generator = Generator { dice: Dice::new(seed), peeks: seed.is_multiple_of(3) };
        let body = generator.program();
        let peek = "DEFINE PROCEDURE Peek(kind)\n  IF kind == 0 THEN\n    RETURN t1\n  ENDIF\n  IF kind == 1 THEN\n    \
                    RETURN l1\n  ENDIF\n  RETURN m1\nEND\n";
        let peek = if generator.peeks { peek } else { "" };
        let line = format!("{PROCEDURES}{peek}{body}");
        let procedure = format!("{PROCEDURES}DEFINE PROCEDURE Work()\n{body}END\nCALL Work()\n");
        Random { script: line.clone(), line, procedure: (!generator.peeks).then_some(procedure) }
    }
}

impl Generator {
    fn program(&mut self) -> String {
        let mut text = String::from(
            "SET t1 = \"first text\"\nSET t2 = \"\"\nSET l1 = [1, [2], \"three\"]\nSET l2 = []\n\
             SET m1 = {\"t\": \"inside the map\", \"l\": [1]}\nSET m2 = {\"t\": \"\", \"l\": []}\n\
             SET n = [[\"inside the list\", [1]], {\"t\": \"deep\", \"l\": []}]\nSET k = \"l\"\nSET i = 0\n",
        );
        if self.dice.one_in(2) {
            let shown = if self.dice.one_in(2) { "t1, l1, m1, n" } else { "\"handled\"" };
            let cleared = if self.dice.one_in(2) { "CLEAR_ERROR\n" } else { "" };
            text.push_str(&format!("ON ERROR AS failure DO\nEMIT failure.message, {shown}\n{cleared}ENDON\n"));
        }
        text.push_str("WHILE i < 9 DO\nSET i = i + 1\n");
        for _ in 0..3 + self.dice.below(8) {
            text.push_str(&self.statement(2));
        }
        text.push_str("ENDWHILE\nEMIT t1, \"|\", t2, \"|\", l1, \"|\", l2, \"|\", m1, \"|\", m2, \"|\", n\n");
        text
    }

    fn block(&mut self, depth: usize) -> String {
        (0..1 + self.dice.below(3)).map(|_| self.statement(depth)).collect()
    }

    fn statement(&mut self, depth: usize) -> String {
        let of = self.any_type();
        match self.dice.below(if depth == 0 { 8 } else { 12 }) {
            0..=4 => {
                let (place, value) = (self.place(of), self.value(of, 2));
                format!("SET {place} = {value}\n")
            }
            5 => {
                let other = self.any_type();
                let places = format!("{}, {}", self.place(of), self.place(other));
                let (first, second) = (self.value(of, 1), self.value(other, 1));
                format!("SET {places} = Both({first}, {second})\n")
            }
            6 => {
                // A place is read, its value changes, and the place is set.
                let (place, changed) = (self.part(of), self.variable(of));
                let (first, last) = (self.value(of, 1), self.value(of, 1));
                let last = if self.dice.one_in(2) { changed.to_owned() } else { last };
                let read = match self.dice.below(4) {
                    0 => format!("IF i % 2 == 0 THEN\nSET {changed} = {place}\nELSE\nSET {changed} = {first}\nENDIF\n"),
                    1 => format!("SET {changed} = {first}\nIF LEN({changed}) > 90 THEN\nRETURN\nENDIF\n"),
                    2 => format!("SET k, {changed} = [\"l\", {first}]\n"),
                    _ => format!("SET {changed} = {place}\n"),
                };
                format!("{read}SET {changed} = {first}\nSET {place} = {last}\n")
            }
            7 => format!("EMIT {}, i\n", self.value(of, 1)),
            8 => format!(
                "IF i % {} == 0 THEN\n{}ELSE\n{}ENDIF\n",
                2 + self.dice.below(3),
                self.block(depth - 1),
                self.block(depth - 1)
            ),
            9 => {
                let list = self.value(Type::List, 1);
                let name = self.dice.pick(&["item", "l2", "t2"]);
                let restored = match name {
                    "l2" => "SET l2 = [\"again\"]\n",
                    "t2" => "SET t2 = \"again\"\n",
                    _ => "",
                };
                format!("FOR EACH {name} IN LIST.Take({list}, 3) DO\n{restored}{}ENDFOR\n", self.block(depth - 1))
            }
            10 => {
                format!("IF LEN({}) > 3 THEN\n{}\nENDIF\n", self.value(of, 1), self.dice.pick(&["BREAK", "CONTINUE"]))
            }
            _ => format!("SET {} = Checked({}, i)\n", self.place(of), self.value(of, 1)),
        }
    }

    fn any_type(&mut self) -> Type {
        self.dice.pick(&[Type::Text, Type::List, Type::List, Type::Map])
    }

    fn variable(&mut self, of: Type) -> &'static str {
        match of {
            Type::Text => self.dice.pick(&["t1", "t2"]),
            Type::List => self.dice.pick(&["l1", "l2"]),
            Type::Map => self.dice.pick(&["m1", "m2"]),
        }
    }

    fn part(&mut self, of: Type) -> &'static str {
        match of {
            Type::Text => self.dice.pick(&["m1.t", "m2[\"t\"]", "n[0][0]", "n[1].t"]),
            Type::List => self.dice.pick(&["m1.l", "m2[k]", "m1[k]", "n[0][1]", "n[-1][k]"]),
            Type::Map => "n[1]",
        }
    }

    fn place(&mut self, of: Type) -> &'static str {
        if self.dice.one_in(2) { self.variable(of) } else { self.part(of) }
    }

    fn value(&mut self, of: Type, depth: usize) -> String {
        if depth == 0 || self.dice.one_in(4) {
            return self.place(of).to_owned();
        }
        if self.dice.one_in(8) {
            // A later operand reads the first one again.
            let place = self.place(of);
            return match of {
                Type::Text => format!("STR.Sub({place} + STR.Upper({place}) + i, 0, 9)"),
                Type::List => format!("{place} + LIST.Take(LIST.Reverse({place}), 2) + [i]"),
                Type::Map => format!("MAP.Set({place}, \"n\", LEN({place}))"),
            };
        }
        let (inner, other) = (self.value(of, depth - 1), self.value(of, depth - 1));
        match (of, self.dice.below(10)) {
            (Type::Text, 0) => format!("{inner} + i"),
            (Type::Text, 1) => format!("{inner} + i + STR.Sub({other}, 0, 0)"),
            (Type::Text, 2) => format!("STR.Join([{inner}, \", \" + i])"),
            (Type::Text, 3) => format!("STR.Format(\"{{}}-{{}}\", [{inner}, i])"),
            (Type::Text, 4) => format!("AddTwice({inner}, \"ab\")"),
            (Type::Text, 5) => "```{{t1}} {{i}}```".to_owned(),
            (Type::Text, 6) => format!("STR.Sub({inner}, LEN({inner}) / 2 - LEN({inner}) % 2 / 2)"),
            (Type::Text, 7) if self.peeks => "Peek(0)".to_owned(),
            (Type::Text, _) => format!("STR.Sub({inner} + {other}, 0, LEN({inner}))"),
            (Type::List, 0) => format!("{inner} + [i]"),
            (Type::List, 1) => format!("{inner} + [i, i] + [{other}]"),
            (Type::List, 2) => format!("LIST.Append({inner}, i)"),
            (Type::List, 3) => format!("LIST.Insert({inner}, 0, LEN({other}))"),
            (Type::List, 4) => format!("SetFirst({inner}, i)"),
            (Type::List, 5) => format!("LIST.Rest({inner} + [i, i])"),
            (Type::List, 6) => format!("LIST.Reduce([[i], [{other}]], Add, {inner})"),
            (Type::List, 7) if self.peeks => "Peek(1)".to_owned(),
            (Type::List, 8) => format!("[{inner}, {other}]"),
            (Type::List, _) => format!("LIST.Take({inner} + {other}, 4)"),
            (Type::Map, 0) => format!("MAP.Set({inner}, \"k\" + i, i)"),
            (Type::Map, 1) => format!("MAP.Set({inner}, \"t\", {})", self.value(Type::Text, depth - 1)),
            (Type::Map, 2) => format!("MAP.Merge({inner}, {other})"),
            (Type::Map, 3) => format!("MAP.Remove(MAP.Set({inner}, \"gone\", 1), \"gone\")"),
            (Type::Map, 7) if self.peeks => "Peek(2)".to_owned(),
            (Type::Map, _) => format!("Inner({inner}, i)"),
        }
    }
}
