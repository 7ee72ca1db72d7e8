//! Generated spellings of calls: nested, named, over several lines, between comments and texts. The migrated text
//! parses, a second migration changes nothing, and what is no call of upstream keeps its bytes.

use super::{migrated, syntax_errors};
use crate::support::dice::Dice;

/// The calls: the name, and the parameters in upstream's order.
const CALLS: &[(&str, &[&str])] = &[
    ("tool.str.Substring", &["input_string", "start_index", "length"]),
    ("tool.str.ToUpper", &["input_string"]),
    ("tool.str.Split", &["input_string", "delimiter"]),
    ("tool.str.Join", &["string_list", "separator"]),
    ("tool.str.Replace", &["input_string", "old_substring", "new_substring", "count"]),
    ("tool.str.MatchRegex", &["pattern", "input_string"]),
    ("tool.str.ParseFromJsonBase64", &["base64_string"]),
    ("tool.str.ToJsonString", &["value"]),
    ("tool.fs.Read", &["filepath"]),
    ("tool.fs.Write", &["filepath", "content"]),
    ("tool.fs.List", &["path"]),
    ("tool.fs.Stat", &["path"]),
    ("tool.list.Get", &["list", "index", "default"]),
    ("tool.list.Slice", &["list", "start", "end"]),
    ("tool.list.Tail", &["list", "count"]),
    ("tool.error.New", &["code", "message"]),
    ("tool.os.Getenv", &["varName"]),
    ("tool.io.Print", &["values"]),
    ("tool.FS.Read", &["filepath"]),
    ("own", &["a"]),
];
const VALUES: &[&str] = &[
    "a",
    "last",
    "-1",
    "2",
    "\"x, tool.fs.Read(y) # z\"",
    "'it\\'s \\~'",
    "'''tool.str.ToUpper(\"a\")\nno x'''",
    "```{{a}} typeof x```",
    "[1, a]",
    "{\"k\": a}",
    "[[no (text]]",
    "a.b[0]",
    "typeof a",
    "no a",
    "some a",
    "(a + 1)",
    "not a",
    "nil",
];
/// Lines that no migration changes.
const KEPT: &[&str] = &[
    "# tool.fs.Read(\"a\") typeof x",
    "-- [[text]] no x",
    "  // some x",
    ":: note: tool.str.Substring(a, 1, 2)",
    "set kept = \"typeof x == 'number' [[a]]\"  # no x",
    "set kept = '''[[a]]\n  tool.io.Print(1)'''",
    "",
    "COMMENT: tool.fs.List(\".\")\n  no x\nENDCOMMENT",
];

struct Maker {
    dice: Dice,
    line_end: &'static str,
}

impl Maker {
    fn value(&mut self, depth: usize) -> String {
        if depth == 0 || self.dice.one_in(2) { self.dice.pick(VALUES).to_owned() } else { self.call(depth - 1) }
    }

    fn call(&mut self, depth: usize) -> String {
        let (name, params) = self.dice.pick(CALLS);
        let mut order: Vec<usize> = (0..params.len()).collect();
        let is_named = name != "own" && self.dice.one_in(3);
        if is_named && self.dice.one_in(2) {
            order.reverse();
        }
        let is_long = self.dice.one_in(4);
        let (open, between) = match (is_long, self.dice.one_in(2)) {
            (true, true) => (format!("({}", self.line_end), format!(", # no x{}    ", self.line_end)),
            (true, false) => (format!("( \\{}  ", self.line_end), format!(", \\{}  ", self.line_end)),
            (false, true) => ("(".to_owned(), ",".to_owned()),
            (false, false) => ("( ".to_owned(), " , ".to_owned()),
        };
        let mut args = Vec::new();
        for index in order {
            let value = self.value(depth);
            args.push(if is_named { format!("{}: {value}", params[index]) } else { value });
        }
        format!("{name}{open}{})", args.join(&between))
    }

    fn statement(&mut self) -> String {
        let first = self.value(2);
        let second = self.value(2);
        let end = self.line_end;
        match self.dice.below(10) {
            0 => format!("set a = {first}"),
            1 => format!("call {}", self.call(2)),
            2 => format!("emit {first} + {second}"),
            3 => format!("if {first} == {second} and not {second}{end}  emit 1{end}endif"),
            4 => format!("for each i in {first} means{end}  emit i{end}end for"),
            5 => format!("must {first}"),
            6 => format!("on_error means{end}  emit system_error_message + {second}{end}  clear_error{end}endon"),
            7 => format!("promptuser {first} into a.b"),
            8 => format!("set a[ {first} ] = [ {second}, {first} ]"),
            _ => {
                format!("while typeof {} != \"number\"{end}  break{end}endwhile", self.dice.pick(&["a", "(a)", "a.b"]))
            }
        }
    }
}

#[test]
fn every_spelling_is_migrated_once_and_leaves_the_rest() {
    let count = if std::env::var_os("NS_LONG").is_some() { 20_000 } else { 600 };
    for seed in 0..count {
        let mut dice = Dice::new(seed);
        let line_end = if dice.one_in(3) { "\r\n" } else { "\n" };
        let mut maker = Maker { dice, line_end };
        let (mut parts, mut kept) = (Vec::new(), Vec::new());
        for _ in 0..6 {
            let line = maker.dice.pick(KEPT).replace('\n', line_end);
            parts.push(line.clone());
            kept.push(line);
            parts.push(maker.statement());
        }
        let text = parts.join(line_end) + line_end;
        let migration = migrated(&text);
        let errors = syntax_errors(&migration.text);
        assert!(errors.is_empty(), "seed {seed}: {errors:?}\n{text}\n=>\n{}", migration.text);
        let mut rest = migration.text.as_str();
        for line in &kept {
            let at = rest.find(line).unwrap_or_else(|| panic!("seed {seed}: lost {line:?}\n{}", migration.text));
            rest = &rest[at + line.len()..];
        }
        assert_eq!(count_of(&migration.text), kept.iter().map(|line| count_of(line)).sum::<usize>(), "seed {seed}");
    }
}

/// Returns how often a text has a call that is migrated in every form.
fn count_of(text: &str) -> usize {
    text.matches("tool.str.Substring(").count()
}
