//! Growth of the time of a check with the length of the text: every form of repetition and nesting at n and at 2n.
//!
//! The library is used as by `ns check`, so a row covers scanning, parsing, lowering and lints. Nothing is run, and no
//! times are asserted. A ratio of 2 is linear; rows above [`FLAG`] are marked. Times are CPU time, the minimum of
//! several rounds, because other work on the machine can only add to it.

use std::fmt::Write as _;
use std::process::ExitCode;
use std::time::{Duration, Instant};

use neuroscript::engine::{Engine, Options, Script};

/// The ratio of times for 2n and n above which a row is marked.
const FLAG: f64 = 2.5;
/// The default nesting limit of brackets, blocks, signs and indices.
const DEEPEST: usize = 256;

/// A form of text of scalable length or depth.
struct Form {
    name: &'static str,
    /// The smaller n; the larger one is twice as large.
    n: usize,
    make: fn(usize) -> String,
    /// Whether the text should have errors.
    faulty: bool,
}

const fn form(name: &'static str, n: usize, make: fn(usize) -> String) -> Form {
    Form { name, n, make, faulty: false }
}

const fn faulty(name: &'static str, n: usize, make: fn(usize) -> String) -> Form {
    Form { name, n, make, faulty: true }
}

/// One line, or one bracket, with n parts.
const LONG: [Form; 18] = [
    form("+ in one line (x20 lines)", 5_000, |n| chain("1", " + ", n).repeat(20)),
    form("text + name (x20 lines)", 4_990, |n| format!("SET v = 1\n{}", chain("\"a\" + v", " + ", n / 2).repeat(20))),
    form("AND in one line (x20 lines)", 5_000, |n| chain("true", " AND ", n).repeat(20)),
    form("60 ** and signs in a line", 2_000, |n| chain("2 ** -1", " * ", 60).repeat(n / 10)),
    form("list of ints", 100_000, |n| format!("SET x = [{}]\n", joined(n, |i| i.to_string()))),
    form("list of ints, one a line", 100_000, |n| format!("SET x = [\n{}\n]\n", lines(n, |i| format!("{i},")))),
    form("list of names", 100_000, |n| format!("SET v = 1\nSET x = [{}]\n", joined(n, |_| "v".to_owned()))),
    form("list of maps", 20_000, |n| format!("SET x = [{}]\n", joined(n, |i| format!("{{\"a\": {i}, \"b\": [1]}}")))),
    form("map with n keys", 5_000, |n| format!("SET x = {{{}}}\n", joined(n, |i| format!("\"k{i}\": {i}")))),
    form("arguments of MAX", 100_000, |n| format!("EMIT MAX({})\n", joined(n, |i| i.to_string()))),
    form("parameters and arguments", 2_000, parameters),
    form("named arguments", 2_000, named_arguments),
    form("values of EMIT", 100_000, |n| format!("EMIT {}\n", joined(n, |i| i.to_string()))),
    form("targets of SET", 50_000, |n| format!("SET {} = []\n", joined(n, |i| format!("v{i}")))),
    form("text in quotes", 2_000_000, |n| format!("SET x = \"{}\"\n", "a\\n".repeat(n / 3))),
    form("text in '''", 2_000_000, |n| format!("SET x = '''{}'''\n", "it''s\n".repeat(n / 6))),
    form("template, n placeholders", 50_000, |n| format!("SET v = 1\nEMIT ```{}```\n", "{{v}} and {{ ".repeat(n))),
    form("comments inside a list", 50_000, |n| format!("SET x = [\n{}]\n", lines(n, |i| format!("{i}, # c")))),
];

/// Constructs nested n deep, repeated 200 times; n is at most half the limit.
const DEEP: [Form; 12] = [
    form("parentheses", DEEPEST / 2, |n| nested("EMIT ", "(", "1", ")", n).repeat(200)),
    form("lists", DEEPEST / 2, |n| nested("EMIT ", "[", "1", "]", n - 1).repeat(200)),
    form("maps", DEEPEST / 2, |n| nested("EMIT ", "{\"k\": ", "1", "}", n - 1).repeat(200)),
    form("calls", DEEPEST / 2, |n| nested("EMIT ", "LEN(", "1", ")", n).repeat(200)),
    form("calls of a procedure", DEEPEST / 2, nested_calls),
    form("indices in indices", DEEPEST / 2, |n| {
        format!("SET a = [0]\n{}", nested("EMIT ", "a[", "0", "]", n).repeat(200))
    }),
    form("chain of indices", DEEPEST / 2, |n| {
        format!("SET a = [0]\n{}", format!("EMIT a{}\n", "[0]".repeat(n)).repeat(200))
    }),
    form("chain of fields", DEEPEST / 2, |n| {
        format!("SET a = {{}}\n{}", format!("EMIT a{}\n", ".b".repeat(n)).repeat(200))
    }),
    form("NOT", DEEPEST / 2, |n| format!("EMIT {}true\n", "NOT ".repeat(n)).repeat(200)),
    form("signs", DEEPEST / 2, |n| format!("EMIT {}1\n", "- ".repeat(n)).repeat(200)),
    form("powers", DEEPEST / 2, |n| format!("EMIT 1{}\n", " ** 1".repeat(n)).repeat(200)),
    form("blocks", DEEPEST / 2, |n| nested_blocks(n).repeat(200)),
];

/// n statements, procedures or lines.
const MANY: [Form; 15] = [
    form("statements", 50_000, |n| lines(n, |_| "SET x = 1".to_owned())),
    form("variables", 50_000, |n| lines(n, |i| format!("SET v{i} = {i}"))),
    form("procedures, each calling the one before", 10_000, procedures),
    form("func with documentation", 10_000, |n| {
        lines(n, |i| format!("func F{i}(needs a) means\nCOMMENT: text ENDCOMMENT\nRETURN a\nendfunc"))
    }),
    form("blocks after each other", 20_000, |n| lines(n, |_| "IF true THEN\nEMIT 1\nEND".to_owned())),
    form("ELSE IF", 20_000, |n| format!("IF false THEN\n{}END\n", lines(n, |i| format!("ELSE IF {i} == 1 THEN")))),
    form("ON ERROR", 20_000, |n| lines(n, |_| "ON ERROR DO\nCLEAR_ERROR\nEND".to_owned())),
    form("ON ERROR, each with a MUST", 10_000, |n| {
        lines(n, |_| "ON ERROR DO\nCLEAR_ERROR\nEND\nMUST true\nEMIT 1".to_owned())
    }),
    form("conditions and values by OR", 20_000, |n| lines(n, |_| "IF true OR 1 THEN\nEMIT 1 OR 2\nEND".to_owned())),
    form("comments of their own", 100_000, |n| lines(n, |_| "# a comment that says something".to_owned())),
    form("comments after code", 50_000, |n| lines(n, |_| "SET x = 1 -- x".to_owned())),
    form("COMMENT: blocks", 50_000, |n| lines(n, |_| "COMMENT: a\nb\nENDCOMMENT".to_owned())),
    form("metadata", 50_000, |n| lines(n, |i| format!(":: key{i}: value"))),
    form("lines joined by \\", 100_000, |n| format!("SET x = [ \\\n{}]\n", lines(n, |i| format!("{i}, \\")))),
    form("EVAL among variables", 500, |n| lines(n, |i| format!("SET v{i} = EVAL(\"{{{{v{i}}}}}\")"))),
];

/// n errors.
const FAULTY: [Form; 6] = [
    faulty("unknown names", 2_000, |n| lines(n, |i| format!("SET v{i} = w{i}"))),
    faulty("unknown calls", 2_000, |n| lines(n, |i| format!("CALL Unknown{i}()"))),
    faulty("lines that do not parse", 20_000, |n| lines(n, |_| "SET x = = 1".to_owned())),
    faulty("brackets never closed", 20_000, |n| lines(n, |_| "SET x = [1,".to_owned())),
    faulty("blocks never closed", 20_000, |n| lines(n, |_| "IF true THEN".to_owned())),
    faulty("COMMENT: never closed", 50_000, |n| format!("COMMENT:\n{}", lines(n, |_| "COMMENT:".to_owned()))),
];

/// The thoroughness of a measurement.
#[derive(Clone, Copy)]
struct Effort {
    /// Minimum number of checks of each text.
    rounds: u32,
    /// Minimum time spent on each row.
    row_time: Duration,
    /// Size of the typical script, in bytes.
    typical: usize,
}

const FULL: Effort = Effort { rounds: 3, row_time: Duration::from_millis(300), typical: 4_000_000 };
const QUICK: Effort = Effort { rounds: 1, row_time: Duration::ZERO, typical: 1_000_000 };

fn main() -> ExitCode {
    let effort = match std::env::args().nth(1).as_deref() {
        None => FULL,
        Some("--quick") => QUICK,
        Some(_) => {
            eprintln!("usage: parse_scaling [--quick]");
            return ExitCode::from(2);
        }
    };
    let engine = Engine::open(&Options::default()).expect("the default options open an engine");
    println!("{:<42} {:>8} {:>9} {:>9} {:>6}", "form", "n", "ms", "ms at 2n", "ratio");
    let mut wrong = 0;
    for (title, forms) in [("long", &LONG[..]), ("deep", &DEEP[..]), ("many", &MANY[..]), ("faulty", &FAULTY[..])] {
        println!("-- {title}");
        wrong += forms.iter().filter(|form| !show(&engine, form, effort)).count();
    }
    wrong += usize::from(!throughput(&engine, effort));
    ExitCode::from(u8::from(wrong > 0))
}

/// Measures and prints a form. Returns false if its text does not have the expected errors.
fn show(engine: &Engine, form: &Form, effort: Effort) -> bool {
    let (small, large) = (script((form.make)(form.n)), script((form.make)(2 * form.n)));
    if !is_as_meant(engine, form.name, &small, form.faulty) || !is_as_meant(engine, form.name, &large, form.faulty) {
        return false;
    }
    let (once, twice) = least_times(engine, &small, &large, effort);
    let ratio = twice / once;
    let mark = if ratio > FLAG { "  <-- more than linear" } else { "" };
    println!("{:<42} {:>8} {once:>9.2} {twice:>9.2} {ratio:>6.2}{mark}", form.name, form.n);
    true
}

/// Measures and prints the throughput of a typical script.
fn throughput(engine: &Engine, effort: Effort) -> bool {
    let text = typical(effort.typical);
    let bytes = text.len() as f64;
    let script = script(text);
    println!("-- typical");
    if !is_as_meant(engine, "typical script", &script, false) {
        return false;
    }
    let ms = (0..effort.rounds).map(|_| time(engine, &script)).fold(f64::INFINITY, f64::min);
    println!("{:<42} {bytes:>8} {ms:>9.2} {:>9} {:.2} MB/s (goal 4)", "typical script, bytes", "", bytes / ms / 1e3);
    true
}

/// Whether a script has errors if and only if it should. Prints the difference if not.
fn is_as_meant(engine: &Engine, name: &str, script: &Script, faulty: bool) -> bool {
    let checked = engine.check(script);
    let error = checked.findings.iter().find(|finding| finding.is_error());
    if error.is_some() != faulty {
        let found = error.map_or("no finding", |finding| finding.message.as_str());
        println!("{name:<42} the text is not as meant: {found}");
    }
    error.is_some() == faulty
}

/// Returns the minimum times of two scripts, checked alternately, in milliseconds.
fn least_times(engine: &Engine, small: &Script, large: &Script, effort: Effort) -> (f64, f64) {
    let (mut once, mut twice) = (f64::INFINITY, f64::INFINITY);
    let begin = Instant::now();
    let mut rounds = 0;
    while rounds < effort.rounds || begin.elapsed() < effort.row_time {
        once = once.min(time(engine, small));
        twice = twice.min(time(engine, large));
        rounds += 1;
    }
    (once, twice)
}

/// Returns the time of one check in milliseconds.
fn time(engine: &Engine, script: &Script) -> f64 {
    let begin = now();
    let checked = engine.check(script);
    let time = now() - begin;
    drop(checked);
    time.as_secs_f64() * 1e3
}

/// Returns the CPU time of this process, which excludes other work on the machine.
#[cfg(unix)]
fn now() -> Duration {
    let time = rustix::time::clock_gettime(rustix::time::ClockId::ProcessCPUTime);
    Duration::new(time.tv_sec as u64, time.tv_nsec as u32)
}

/// Returns the time since the first call.
#[cfg(not(unix))]
fn now() -> Duration {
    static BEGIN: std::sync::OnceLock<Instant> = std::sync::OnceLock::new();
    BEGIN.get_or_init(Instant::now).elapsed()
}

fn script(text: String) -> Script {
    Script::new("generated", text)
}

/// Returns `EMIT part op part op …` with n operators.
fn chain(part: &str, op: &str, n: usize) -> String {
    format!("EMIT {part}{}\n", format!("{op}{part}").repeat(n))
}

fn joined(n: usize, part: impl Fn(usize) -> String) -> String {
    (0..n).map(part).collect::<Vec<_>>().join(", ")
}

fn lines(n: usize, line: impl Fn(usize) -> String) -> String {
    (0..n).fold(String::new(), |text, i| text + &line(i) + "\n")
}

fn nested(start: &str, open: &str, inner: &str, close: &str, n: usize) -> String {
    format!("{start}{}{inner}{}\n", open.repeat(n), close.repeat(n))
}

fn nested_calls(n: usize) -> String {
    let call = nested("EMIT ", "P(", "1", ")", n);
    format!("DEFINE PROCEDURE P(a)\nRETURN a\nEND\n{}", call.repeat(200))
}

fn nested_blocks(n: usize) -> String {
    format!("{}EMIT 1\n{}", "IF true THEN\n".repeat(n), "END\n".repeat(n))
}

fn parameters(n: usize) -> String {
    let names = joined(n, |i| format!("p{i}"));
    format!("DEFINE PROCEDURE P({names})\nRETURN p0\nEND\nEMIT P({})\n", joined(n, |i| i.to_string()))
}

fn named_arguments(n: usize) -> String {
    let names = joined(n, |i| format!("p{i}"));
    format!("DEFINE PROCEDURE P({names})\nRETURN p0\nEND\nEMIT P({})\n", joined(n, |i| format!("p{i}: {i}")))
}

fn procedures(n: usize) -> String {
    let first = "DEFINE PROCEDURE P0(a)\nRETURN a\nEND\n";
    format!("{first}{}", lines(n - 1, |i| format!("DEFINE PROCEDURE P{}(a)\nRETURN P{i}(a)\nEND", i + 1)))
}

/// Returns procedures like those of real scripts, up to a number of bytes.
fn typical(bytes: usize) -> String {
    let mut text = String::with_capacity(bytes + 1000);
    let mut number = 0;
    while text.len() < bytes - 1000 {
        number += 1;
        write!(text, "{}", TYPICAL.replace("@", &number.to_string())).expect("a text takes any text");
    }
    text
}

const TYPICAL: &str = r#"# Sums the sizes of the files below a folder, by extension.
DEFINE PROCEDURE Sizes@(folder, smallest)
  SET groups = {}
  SET total = 0
  FOR EACH entry IN FS.WalkDir(folder) DO
    IF NOT entry.isDir AND entry.size >= smallest THEN
      SET ext = PATH.Extension(entry.name)
      IF ext IN groups THEN
        SET groups[ext] = groups[ext] + entry.size
      ELSE
        SET groups[ext] = entry.size
      END
      SET total = total + entry.size * 2 / (1 + 1)
    ELSE IF entry.name == "stop.txt" OR LEN(entry.path) > 200 THEN
      BREAK
    END
  END
  SET options = {"name": folder, "limits": [smallest, 1_000, 2.5e3], "deep": true}
  EMIT "folder ", folder, ": ", total, " bytes in ", LEN(groups), " groups"
  EMIT ```{{folder}} has {{total}} bytes```
  RETURN {"groups": groups, "total": total, "options": options}
END

SET result@ = Sizes@("src", 10)
IF result@.total > 1000 THEN
  EMIT "large: " + result@.total
END
"#;
