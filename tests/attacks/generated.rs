//! Vectors that call no tool: generated texts for the parser, scripts, policies and modules.

use super::answer::{end_faults, shown};
use super::arena::{Arena, write};
use super::launch::{Ended, Start};
use super::mode::Mode;
use super::vector::{Vector, expand_text};

/// Whether the `tool` of a vector is one of these drivers.
pub fn is_driver(tool: &str) -> bool {
    matches!(tool, "parse" | "script" | "policy.load" | "use" | "use.check")
}

/// Writes the files that such a vector needs beside the sandbox.
pub fn prepare(vector: &Vector, arena: &Arena) {
    let text = match vector.tool.as_str() {
        "parse" => script(word(vector, "gen")),
        "script" => script(word(vector, "source")),
        "policy.load" => policy(word(vector, "toml")),
        "use" | "use.check" => uses(&expand_text(word(vector, "path"), &arena.names())),
        _ => return,
    };
    write(&arena.top.join("input"), text.as_bytes());
    write(&arena.top.join("limits.toml"), b"[limits]\nmemory_bytes = 67108864\n");
}

/// Returns the start of `ns` for such a vector.
pub fn start<'a>(vector: &Vector, mode: Mode, arena: &'a Arena) -> Option<Start<'a>> {
    let args: &[&str] = match vector.tool.as_str() {
        "use" if vector.policy.is_some() => &["run", "--sandbox", "root", "--policy", "policy.toml", "input"],
        "use" => &["run", "--sandbox", "root", "input"],
        "use.check" => &["check", "--sandbox", "root", "input"],
        "parse" => &["check", "--sandbox", "root", "input"],
        "script" => &["run", "--sandbox", "root", "--policy", "limits.toml", "input"],
        "policy.load" => &["doctor", "--sandbox", "root", "--policy", "input"],
        _ => return None,
    };
    Some(Start::new(mode, &arena.top).args(args.iter().copied()))
}

fn word<'v>(vector: &'v Vector, name: &str) -> &'v str {
    vector.args[name].as_str().expect("a generated vector says what of")
}

fn script(description: &str) -> String {
    match description {
        "'not '*N+'true' N=100000" => format!("EMIT {}true\n", "not ".repeat(100_000)),
        "nested if N=100000" => "IF true THEN\n".repeat(100_000),
        "f(f(f(... N=100000" => format!("EMIT {}", "ABS(".repeat(100_000)),
        "10 MiB string literal" => format!("EMIT \"{}\"\n", "x".repeat(10 << 20)),
        "1e6 statements" => "SET x = 1\n".repeat(1_000_000),
        "m[k]=v for 1e7 k" => {
            "SET m = {}\nSET k = 0\nWHILE k < 10000000 DO\n  SET m[STR(k)] = k\n  SET k = k + 1\nENDBLOCK\n".to_owned()
        }
        "'{{a}}' placeholder expanding to '{{b}}{{b}}' x 40" => doubling(),
        "9223372036854775807 + 1" => "EMIT 9223372036854775807 + 1\n".to_owned(),
        other => panic!("nobody knows how to make: {other}"),
    }
}

/// Returns a script of 40 variables, each of which contains the placeholder of the next twice.
fn doubling() -> String {
    let lines = (0..40).map(|number| format!("SET v{number} = \"{{{{v{}}}}}{{{{v{}}}}}\"\n", number + 1, number + 1));
    let lines: String = lines.collect();
    format!("{lines}SET v40 = \"end\"\nEMIT EVAL(\"{{{{v0}}}}\")\n")
}

/// Returns a script that calls a procedure of a module. Every readable module of a vector has that procedure.
fn uses(path: &str) -> String {
    format!("USE {} AS m\nEMIT m.Name()\n", serde_json::Value::from(path))
}

fn policy(description: &str) -> String {
    match description {
        "" => String::new(),
        "nesting beyond the stack" => "[limits]\nnesting = 1000000\n".to_owned(),
        "gen:deep TOML" => format!("[policy]\nread_only = {}", "[".repeat(100_000)),
        other => panic!("nobody knows how to make: {other}"),
    }
}

/// Returns the faults of a finished run.
pub fn judge(vector: &Vector, ended: &Ended) -> Vec<String> {
    let mut faults = end_faults(ended);
    let code = |class: &str| match (class, vector.tool.as_str()) {
        ("ok", _) => 0,
        ("error", "parse" | "use.check") => 3,
        ("error", _) => 1,
        ("violation", "use") => 4,
        (_, _) => 2,
    };
    let wanted: Vec<i32> = vector.expected.split('|').map(code).collect();
    if !ended.code.is_some_and(|code| wanted.contains(&code)) {
        faults.push(format!("exit {:?}, not {wanted:?}: {}", ended.code, shown(&ended.stderr)));
    }
    let said = String::from_utf8_lossy(&ended.stdout);
    if vector.tool == "use" && (ended.code == Some(0)) != (said == "mine\n") {
        faults.push(format!("exit {:?} with {said:?}", ended.code));
    }
    for text in &vector.post {
        let holds = match text.split_once(':').unwrap_or((text, "")) {
            ("no_panic" | "no_abort" | "finishes_ms", _) => true,
            ("rss_mb_max", most) => ended.peak_kib / 1024 <= most.parse().expect("a number of MB"),
            ("says", words) => String::from_utf8_lossy(&ended.stderr).contains(words),
            ("error_has_line_col", _) => String::from_utf8_lossy(&ended.stderr).contains("input:2:"),
            _ => false,
        };
        if !holds {
            faults.push(format!("`{text}` does not hold: {} KiB, {}", ended.peak_kib, shown(&ended.stderr)));
        }
    }
    faults
}
