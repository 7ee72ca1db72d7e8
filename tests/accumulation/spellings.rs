//! The programs: places, expressions and the code around them.

use std::fmt;

/// A place that holds a changing value.
#[derive(Clone, Copy)]
struct Place {
    /// How it is written.
    name: &'static str,
    /// The statement that creates it; `START` stands for the first value.
    set_up: &'static str,
}

const PLACES: &[Place] = &[
    Place { name: "x", set_up: "SET x = START" },
    Place { name: "m.x", set_up: "SET m = {\"x\": START}" },
    Place { name: "m[\"x\"]", set_up: "SET m = {\"x\": START}" },
    Place { name: "m[k]", set_up: "SET m = {\"a\": [], \"k\": START}" },
    Place { name: "l[0]", set_up: "SET l = [START]" },
    Place { name: "l[-1]", set_up: "SET l = [1, START]" },
    Place { name: "m.a.b", set_up: "SET m = {\"a\": {\"b\": START}}" },
    Place { name: "m[k][1].b", set_up: "SET m = {\"k\": [0, {\"b\": START}]}" },
];

/// A kind of value, and the expressions that give a longer or shorter one. `@` stands for the place.
struct Kind {
    start: &'static str,
    grown: &'static [&'static str],
}

const KINDS: &[Kind] = &[
    Kind {
        start: "\"\"",
        grown: &[
            "@ + \"word,\"",
            "@ + i + \",\"",
            "@ + (i + \",\")",
            "(@ + i) + \",\"",
            "@ + 1 + i + \",\" + i",
            "@ + MATH.Abs(i) + \",\"",
            "STR.Join([@, \"word,\"])",
            "STR.Join([@, \"word\", \",\"], \"\")",
            "STR.Concat([@, \"word,\"])",
            "STR.Format(\"{}{},\", [@, i])",
            "AddText(@, i)",
            "AddTextTwice(@, i)",
            "AddTextLater(@, i)",
        ],
    },
    Kind {
        start: "[]",
        grown: &[
            "@ + [i]",
            "@ + [i] + [i]",
            "@ + ([i] + [i])",
            "Front(@, i)",
            "AddAll(@, i)",
            "@ + More(i, @)",
            "@ + [i, [i]]",
            "@ + Pair(i)",
            "LIST.Append(@, i)",
            "LIST.Append(LIST.Append(@, i), i)",
            "LIST.Prepend(@, i)",
            "LIST.Insert(@, 0, i)",
            "LIST.Insert(@, LEN(@), i)",
            "LIST.Reduce([i, i], AddItem, @)",
            "AddItem(@, i)",
            "AddItemTwice(@, i)",
            "AddItemLater(@, i)",
            "AppendItem(@, i)",
            "Through(@, i)",
            "SetItem(@, i)",
        ],
    },
    Kind {
        start: "{}",
        grown: &[
            "MAP.Set(@, \"k\" + i, i)",
            "MAP.Set(MAP.Set(@, \"k\" + i, i), \"last\", i)",
            "MAP.Merge(@, {\"last\": i})",
            "MAP.Merge(@, KeyOf(i))",
            "MAP.Remove(MAP.Set(@, \"k\" + i, i), \"none\")",
            "MAP.Remove(MAP.Set(MAP.Set(@, \"gone\", 1), \"k\" + i, i), [\"gone\"])",
            "SetKey(@, i)",
            "Counted(@, i)",
        ],
    },
    Kind {
        start: "LIST.Repeat([1, [2]], turns)",
        grown: &[
            "LIST.Rest(@)",
            "LIST.Rest(@, 2)",
            "LIST.Slice(@, 1)",
            "LIST.Slice(@, 1, LEN(@))",
            "LIST.Slice(@, 0, -1)",
            "LIST.Take(@, LEN(@) - 1)",
            "LIST.Tail(@, LEN(@) - 1)",
            "LIST.Remove(@, 0)",
            "LIST.Remove(@, -1)",
            "LIST.Append(LIST.Rest(@), i)",
            "LIST.Rest(@ + [i], 2)",
            "TakeFirst(@, i)",
        ],
    },
    Kind {
        start: "STR.Repeat(\"caf\u{e9} \", turns)",
        grown: &[
            "STR.Sub(@, 1)",
            "STR.Sub(@, 1, LEN(@))",
            "STR.Sub(@, 0, LEN(@) - 1)",
            "STR.Sub(@, 0, -1)",
            "TakeCharacter(@, i)",
        ],
    },
];

/// Procedures that the expressions call.
const PROCEDURES: &str = r#"
DEFINE PROCEDURE AddText(text, i)
  RETURN text + i + ","
END
DEFINE PROCEDURE AddTextTwice(text, i)
  SET text = text + i
  SET text = text + ","
  RETURN text
END
DEFINE PROCEDURE AddTextLater(whole, i)
  SET other = whole
  IF i % 2 == 0 THEN
    SET other = other + "a"
  ELSE
    SET other = other + "b"
  ENDIF
  RETURN other
END
DEFINE PROCEDURE AddItemLater(whole, i)
  SET other = whole
  FOR EACH item IN [i, i]
    SET other = other + [item]
  END
  RETURN other
END
DEFINE PROCEDURE Pair(i)
  RETURN [i, i]
END
DEFINE PROCEDURE AddItem(list, i)
  RETURN list + [i]
END
DEFINE PROCEDURE AddItemTwice(list, i)
  SET list = list + [i]
  SET list = list + [i]
  RETURN list
END
DEFINE PROCEDURE AddAll(list, i)
  SET more = [i]
  RETURN list + more
END
DEFINE PROCEDURE More(i, list)
  RETURN [i, LEN(list)]
END
DEFINE PROCEDURE Front(list, i)
  SET list = [i] + list
  RETURN [i, i] + list
END
DEFINE PROCEDURE AppendItem(list, i)
  RETURN LIST.Append(list, i)
END
DEFINE PROCEDURE Through(list, i)
  RETURN AppendItem(AddItem(list, i), i)
END
DEFINE PROCEDURE TakeFirst(list, i)
  IF list[0] != i THEN
    SET list[0] = i
  ENDIF
  RETURN LIST.Rest(list)
END
DEFINE PROCEDURE TakeCharacter(text, i)
  IF text[0] == "x" AND text[-1] == "x" THEN
    RETURN ""
  ENDIF
  RETURN STR.Sub(text, 1)
END
DEFINE PROCEDURE Both(first, second)
  RETURN [first, second]
END
DEFINE PROCEDURE SetItem(list, i)
  SET list[LEN(list)] = i
  RETURN list
END
DEFINE PROCEDURE KeyOf(i)
  SET made = {}
  SET made["k" + i] = i
  RETURN made
END
DEFINE PROCEDURE SetKey(map, i)
  SET map["k" + i] = i
  RETURN map
END
DEFINE PROCEDURE Counted(map, i)
  SET key = "k" + i
  IF key IN map THEN
    SET map[key] = map[key] + 1
  ELSE
    SET map[key] = 1
  ENDIF
  RETURN map
END
"#;

/// Ways to store the grown value. `?` stands for the expression, `?g` for the expression with the variable `g`.
const STORED: &[&str] = &[
    "SET @ = ?",
    "IF i >= 0 THEN\nSET @ = ?\nENDIF",
    "SET g = @\nSET g = ?g\nSET @ = g",
    "SET @, other = Both(?, i)",
    "SET other, @ = [i, ?]",
    "SET other, @ = [LEN(@), ?]",
    "IF i % 2 == 0 THEN\nSET g = @\nELSE\nSET g = @\nSET other = i\nENDIF\nSET g = ?g\nSET @ = g",
    "IF i % 2 == 0 THEN\nSET g = ?\nELSE\nSET g = ?\nENDIF\nSET @ = g",
    "SET g = ?\nIF LEN(g) < 0 THEN\nRETURN\nENDIF\nSET @ = g",
];

/// The code around the loop, which `LOOP` stands for.
const AROUND: &[&str] = &[
    "LOOP",
    "DEFINE PROCEDURE Work(turns, k)\nLOOP\nEND\nCALL Work(turns, k)",
    "DEFINE PROCEDURE Work(turns, k)\nON ERROR AS failure DO\nEMIT failure.message\nENDON\nLOOP\nEND\nCALL Work(turns, k)",
];

/// A program that lets a value grow.
pub struct Program {
    place: Place,
    kind: &'static Kind,
    grown: &'static str,
    stored: &'static str,
    around: &'static str,
}

impl Program {
    /// Returns the program's text for a number of turns.
    pub fn script(&self, turns: usize) -> String {
        self.with_loop_end(turns, "")
    }

    /// Returns the same program with reads after the growth that are never reached, so that every variable stays in
    /// use and nothing may be moved.
    pub fn kept_alive(&self, turns: usize) -> String {
        let variable = &self.place.name[..1];
        self.with_loop_end(turns, &format!("IF turns < 0 THEN\nEMIT {variable}, other, g, k\nENDIF\n"))
    }

    fn with_loop_end(&self, turns: usize, end: &str) -> String {
        let Place { name, set_up } = self.place;
        let set_up = set_up.replace("START", self.kind.start);
        let stored = self.stored.replace("?g", &self.grown.replace('@', "g")).replace('?', self.grown);
        let stored = stored.replace('@', name);
        let body = format!(
            "{set_up}\nSET other = 0\nSET g = 0\nSET i = 0\nWHILE i < turns DO\n{stored}\nSET i = i + 1\n{end}ENDWHILE\n\
             EMIT LEN({name}), HASH.Sha256(JSON.Text({name}))"
        );
        format!("{PROCEDURES}SET turns = {turns}\nSET k = \"k\"\n{}\n", self.around.replace("LOOP", &body))
    }
}

impl fmt::Display for Program {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let stored = self.stored.replace('@', self.place.name).replace('\n', "; ");
        let around = AROUND.iter().position(|around| *around == self.around).unwrap_or_default();
        write!(f, "`{stored}` where `?` is `{}`, around {around}", self.grown.replace('@', self.place.name))
    }
}

/// Returns the programs: with `all`, every combination, otherwise each place with each expression, stored in one way.
pub fn programs(all: bool) -> Vec<Program> {
    let mut programs = Vec::new();
    let mut number = 0;
    for place in PLACES {
        for kind in KINDS {
            for grown in kind.grown {
                for (stored, way) in STORED.iter().zip(0..) {
                    for (around, code) in AROUND.iter().zip(0..) {
                        if all || number % (STORED.len() * AROUND.len()) == way * AROUND.len() + code {
                            programs.push(Program { place: *place, kind, grown, stored, around });
                        }
                    }
                }
                number += 1;
            }
        }
    }
    programs
}
