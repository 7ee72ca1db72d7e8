//! Numbers are preserved: whatever the input path, they come out unchanged or are refused, and never become another
//! number.

#![allow(clippy::disallowed_methods, reason = "tests set up folders of their own")]

use std::path::Path;
use std::process::Command;

use tempfile::TempDir;

use crate::support::dice::Dice;
use crate::support::{Ran, ns, run, with_input};

/// Whole numbers beyond 64 bits.
const BIG: [&str; 6] = [
    "9223372036854775808",
    "-9223372036854775809",
    "18446744073709551615",
    "18446744073709551616",
    "-18446744073709551616",
    "123456789012345678901234567890",
];
/// The text of every refusal.
const SAID: &str = "does not fit into 64 bits";

fn sandbox() -> TempDir {
    tempfile::tempdir().expect("a folder")
}

fn said(ran: &Ran) -> String {
    format!("exit {}\n{}{}", ran.code, ran.stdout, ran.stderr)
}

/// Returns the output of a script, and its messages if it fails.
fn script(code: &str) -> String {
    let place = sandbox();
    let ran = run(ns(place.path()).args(["run", "-e", code]));
    ran.stdout + &ran.stderr
}

#[test]
fn every_reader_of_data_refuses_a_whole_number_beyond_64_bits() {
    for number in BIG {
        for text in [
            format!("JSON.Parse('[{number}]')"),
            format!("JSON.Parse('{{\"a\": {number}}}')"),
            format!("TOML.Parse('a = {number}')"),
            format!("TOML.Parse('a = [[{{b = {number}}}]]')"),
            format!("YAML.Parse('- {number}')"),
            format!("YAML.Parse('{{a: {number}}}')"),
            format!("YAML.Parse('!!int {number}')"),
            format!("YAML.Parse('!!float {number}')"),
        ] {
            let said = script(&format!("EMIT {text}"));
            assert!(said.contains(SAID) && said.contains("line 1, column"), "{text}: {said}");
            assert!(said.contains("`big_numbers: \"text\"` gives such numbers as texts"), "{text}: {said}");
            let kept = script(&format!("EMIT {}, big_numbers: \"text\")", &text[..text.len() - 1]));
            assert!(kept.contains(&format!("\"{number}\"")) || kept == format!("{number}\n"), "{text}: {kept}");
        }
        let said = script(&format!("EMIT INT(\"{number}\")"));
        assert!(said.contains(&format!("`{number}` does not fit into a 64-bit int")), "{number}: {said}");
    }
}

#[test]
fn numbers_beyond_all_floats_are_refused_with_their_place() {
    for number in ["1e400", "-1e400", "1.5E+309"] {
        for text in [
            format!("JSON.Parse('[{number}]')"),
            format!("TOML.Parse('a = {number}')"),
            format!("YAML.Parse('- {number}')"),
        ] {
            let said = script(&format!("EMIT {text}"));
            assert!(said.contains("beyond all floats") && said.contains("line 1, column"), "{text}: {said}");
            let kept = script(&format!("EMIT {}, big_numbers: \"text\")", &text[..text.len() - 1]));
            assert!(kept.contains(&format!("\"{number}\"")), "{text}: {kept}");
        }
        let said = script(&format!("EMIT FLOAT(\"{number}\")"));
        assert!(said.contains(&format!("`{number}` does not fit into a float")), "{number}: {said}");
    }
    // A literal infinity is valid.
    assert_eq!(script("EMIT TOML.Parse('a = inf').a, YAML.Parse('-.inf')"), "inf-inf\n");
}

#[test]
fn a_float_stays_a_float_and_an_int_an_int() {
    for number in ["-0.0", "1.0", "0.1", "1e22", "5e-324", "1.7976931348623157e308", "123456789.123456789"] {
        for tool in ["JSON.Text(JSON.Parse('X'))", "JSON.Text(YAML.Parse('X'))", "JSON.Text(TOML.Parse('a = X').a)"] {
            let printed = script(&format!("EMIT {}", tool.replace('X', number)));
            let (was, is): (f64, f64) =
                (number.parse().expect("a float"), printed.trim().parse().unwrap_or_else(|_| panic!("{printed}")));
            assert_eq!(was.to_bits(), is.to_bits(), "{tool} of {number}: {printed}");
            assert!(printed.contains(['.', 'e']), "{tool} of {number} is no float any more: {printed}");
        }
    }
    for number in ["0", "9007199254740993", "-9007199254740993", "9223372036854775807", "-9223372036854775808"] {
        for tool in ["JSON.Text(JSON.Parse('X'))", "YAML.Text(YAML.Parse('X'))", "JSON.Text(TOML.Parse('a = X').a)"] {
            let printed = script(&format!("EMIT {}", tool.replace('X', number)));
            assert_eq!(printed.trim(), number, "{tool}");
        }
    }
}

#[test]
fn int_of_a_text_is_exact_or_an_error() {
    for (text, int) in [
        ("9007199254740993.0", "9007199254740993"),
        ("9007199254740993e0", "9007199254740993"),
        ("900719925474099300e-2", "9007199254740993"),
        ("9223372036854775807.000", "9223372036854775807"),
        ("-92233720368547758.08e2", "-9223372036854775808"),
        ("1e18", "1000000000000000000"),
        ("4.0", "4"),
        ("-0.0", "0"),
        ("0e99", "0"),
        ("+12.50e1", "125"),
        (" 1_000 ", "1000"),
    ] {
        assert_eq!(script(&format!("EMIT INT(\"{text}\")")).trim(), int, "{text}");
    }
    for text in
        ["4.5", "1e19", "9223372036854775807.5", "9223372036854775808.0", "1e-1", "inf", "nan", "", "1e99999999999"]
    {
        let said = script(&format!("EMIT INT(\"{text}\")"));
        assert!(said.contains("error"), "{text}: {said}");
    }
}

#[test]
fn calls_refuse_numbers_that_would_become_others() {
    let place = sandbox();
    for number in BIG {
        let arguments = format!("{{\"value\": [{number}]}}");
        let ran = run(ns(place.path()).args(["call", "JSON.Text", &arguments]));
        assert!(ran.code == 2 && ran.stderr.contains(SAID), "{number}: {}", said(&ran));
        let line = format!("{{\"id\": 1, \"tool\": \"JSON.Text\", \"arguments\": {arguments}}}\n");
        let ran = with_input(ns(place.path()).args(["call", "--jsonl"]), &line);
        assert!(ran.stdout.contains(SAID), "{number}: {}", said(&ran));
        let ran = run(ns(place.path()).args(["memory", "set", "key", number]));
        assert!(ran.code == 2 && ran.stderr.contains(SAID), "{number}: {}", said(&ran));
        let line = format!("{{\"key\": \"a\", \"value\": {{\"n\": {number}}}}}\n");
        let ran = with_input(ns(place.path()).args(["memory", "import"]), &line);
        assert!(ran.code != 0 && ran.stderr.contains(SAID), "{number}: {}", said(&ran));
    }
    let kept = "[9007199254740993,-9223372036854775808,0.1,-0.0,1.0,5e-324]";
    let ran = run(ns(place.path()).args(["call", "JSON.Text", &format!("{{\"value\": {kept}}}")]));
    assert_eq!(ran.stdout.trim(), kept);
    assert_eq!(run(ns(place.path()).args(["memory", "set", "key", kept])).code, 0);
    assert_eq!(run(ns(place.path()).args(["memory", "get", "key"])).stdout.trim(), kept);
}

#[test]
fn a_server_refuses_numbers_that_would_become_others() {
    let place = sandbox();
    let call = |id: usize, value: &str| {
        format!(
            "{{\"jsonrpc\":\"2.0\",\"id\":{id},\"method\":\"tools/call\",\"params\":{{\"name\":\"json_text\",\"arguments\":{{\"value\":{value}}}}}}}\n"
        )
    };
    let hello = "{\"jsonrpc\":\"2.0\",\"id\":0,\"method\":\"initialize\",\"params\":{\"protocolVersion\":\"2025-06-18\",\"capabilities\":{},\"clientInfo\":{\"name\":\"t\",\"version\":\"1\"}}}\n{\"jsonrpc\":\"2.0\",\"method\":\"notifications/initialized\"}\n";
    let mut frames = hello.to_owned();
    BIG.iter().enumerate().for_each(|(at, number)| frames += &call(at + 1, &format!("[{number}]")));
    // Digits in a text or in a float are not a whole number.
    frames += &call(100, "[\"18446744073709551616\",1844674407370955161600e-2,9223372036854775807]");
    let ran = with_input(ns(place.path()).args(["mcp", "--tools", "all"]), &frames);
    assert_eq!(ran.stdout.matches(SAID).count(), BIG.len(), "{}", said(&ran));
    assert_eq!(ran.stdout.matches("-32602").count(), BIG.len(), "{}", said(&ran));
    assert!(ran.stdout.contains("1.8446744073709552e+19,9223372036854775807]"), "{}", said(&ran));
}

/// Python's verdict on each number: the input text, the output, and whether they are equal.
const PYTHON: &str = r#"
import json, sys
from decimal import Decimal
faults = 0
for line in open(sys.argv[1]):
    was, is_ = line.rstrip("\n").split("\t")
    whole = not any(mark in was for mark in ".eE")
    kept = json.loads(is_)
    if whole and -2**63 <= int(was) < 2**63:
        right = type(kept) is int and kept == int(was)
    elif whole or abs(Decimal(was)) > Decimal(sys.float_info.max) * Decimal("1.0000000000000001"):
        right = kept == was
    else:
        right = type(kept) is float and repr(kept) == repr(float(was))
    if not right:
        faults += 1
        print(was, is_)
sys.exit(faults > 0)
"#;

fn number(dice: &mut Dice) -> String {
    let digits = |dice: &mut Dice, most: usize| {
        let length = 1 + dice.below(most);
        let first = char::from(b'1' + dice.below(9) as u8);
        (1..length).fold(first.to_string(), |text, _| text + &dice.below(10).to_string())
    };
    let sign = if dice.one_in(3) { "-" } else { "" };
    let whole = if dice.one_in(6) { "0".to_owned() } else { digits(dice, 24) };
    let fraction = if dice.one_in(2) { format!(".{}", digits(dice, 20)) } else { String::new() };
    let exponent = match dice.below(4) {
        0 => format!("e{}", dice.below(330)),
        1 => format!("E-{}", dice.below(340)),
        _ => String::new(),
    };
    format!("{sign}{whole}{fraction}{exponent}")
}

fn has_python() -> bool {
    Command::new("python3").arg("--version").output().is_ok_and(|output| output.status.success())
}

/// Parses numbers, one per line, with a reader.
fn read_by(place: &Path, reader: &str) -> String {
    let code = format!(
        "FOR EACH line IN STR.Lines(FS.ReadFile(\"numbers\").content) DO\n  EMIT line, \"\\t\", JSON.Text({reader})\nEND\n"
    );
    let ran = with_input(ns(place).args(["run", "-"]), &code);
    assert_eq!(ran.code, 0, "{}", said(&ran));
    ran.stdout
}

#[test]
fn generated_numbers_are_those_of_python() {
    if !has_python() {
        println!("SKIPPED: there is no python3 to compare with");
        return;
    }
    let mut dice = Dice::new(std::env::var("NS_SEED").ok().and_then(|seed| seed.parse().ok()).unwrap_or(0));
    let count = if std::env::var_os("NS_LONG").is_some() { 200_000 } else { 2_000 };
    let place = sandbox();
    let numbers: Vec<String> = (0..count).map(|_| number(&mut dice)).collect();
    std::fs::write(place.path().join("numbers"), numbers.join("\n")).expect("a file");
    for reader in [
        "JSON.Parse(line, big_numbers: \"text\")",
        "YAML.Parse(line, big_numbers: \"text\")",
        "TOML.Parse(\"a = \" + line, big_numbers: \"text\").a",
    ] {
        let pairs = place.path().join("pairs");
        std::fs::write(&pairs, read_by(place.path(), reader)).expect("a file");
        let ran = run(Command::new("python3").arg("-c").arg(PYTHON).arg(&pairs));
        assert_eq!(ran.code, 0, "{reader}: {}", said(&ran));
    }
}

/// Doors at which a value becomes JSON. `v` holds a float that JSON does not have, at `items[1].x`.
const TO_JSON: [&str; 6] = [
    "EMIT JSON.Text(v)",
    "EMIT JSON.Pretty(v)",
    "EMIT JSON.Set(\"{}\", \"a\", v)",
    "MUST CALL MEMORY.Set(\"k\", v, \"project\")",
    "EMIT JSON.Text([1, v])",
    "EMIT JSON.Text({\"a b\": v})",
];

#[test]
fn what_json_does_not_have_is_refused_with_its_place() {
    let place = tempfile::tempdir().expect("a folder for the test");
    let start = |spelled: &str| format!("SET v = YAML.Parse(\"items:\\n  - x: 1\\n  - x: {spelled}\\n\")\n");
    for (spelled, shown) in [(".inf", "`inf`"), ("-.inf", "`-inf`"), (".nan", "`nan`")] {
        for door in TO_JSON {
            let ran = run(ns(place.path()).args(["run", "-e", &format!("{}{door}\n", start(spelled))]));
            let is_said =
                ran.stderr.contains(&format!("JSON has no number {shown}")) && ran.stderr.contains("items[1].x`");
            assert!(
                ran.code == 1 && ran.stdout.is_empty() && is_said,
                "{door} {spelled}: {}{}",
                ran.stdout,
                ran.stderr
            );
        }
        for format in ["json", "jsonl"] {
            let script = format!("{}EMIT 1\nEMIT v, 2\n", start(spelled));
            let ran = run(ns(place.path()).args(["--output", format, "run", "-e", &script]));
            assert_eq!((ran.code, ran.stdout.as_str()), (1, "1\n"), "{format}");
            assert!(ran.stderr.contains(shown) && ran.stderr.contains("items[1].x`"), "{}", ran.stderr);
        }
        // Formats that have such floats keep them.
        let script = format!(
            "{}EMIT v\nEMIT CSV.Text(v.items)\nEMIT YAML.Parse(YAML.Text(v)) == v\nCALL MEMORY.Set(\"k\", v)\n",
            start(spelled)
        );
        let ran = run(ns(place.path()).args(["run", "-e", &script]));
        assert!(
            ran.code == 0 && ran.stdout.contains(shown.trim_matches('`')) && ran.stdout.ends_with("true\n"),
            "{}{}",
            ran.stdout,
            ran.stderr
        );
        let text = format!("items:\n  - x: {spelled}\n");
        let args = serde_json::json!({ "text": text }).to_string();
        let ran = run(ns(place.path()).args(["call", "yaml_parse", &args]));
        assert!(
            ran.code != 0 && format!("{}{}", ran.stdout, ran.stderr).contains("items[0].x`"),
            "{}{}",
            ran.stdout,
            ran.stderr
        );
        let line = format!("{{\"tool\": \"yaml_parse\", \"arguments\": {args}}}\n");
        let ran = with_input(ns(place.path()).args(["call", "--jsonl"]), &line);
        assert!(ran.stdout.contains("\"bad_args\"") && ran.stdout.contains("items[0].x`"), "{}", ran.stdout);
    }
}

/// Tables and raw text are no JSON, documents are.
#[test]
fn each_form_of_an_answer_has_infinite_floats_or_refuses_them() {
    let place = tempfile::tempdir().expect("a folder for the test");
    let document = place.path().join("page.md");
    for (spelled, shown) in [("inf", "inf"), ("-inf", "-inf"), ("nan", "nan")] {
        for (text, within) in [
            (format!("x = {spelled}\n"), "x"),
            (format!("x = [1, {spelled}]\n"), "x[1]"),
            (format!("[[rows]]\nx = {spelled}\n"), "rows[0].x"),
            (format!("[rows.y]\nx = [[{spelled}]]\n"), "rows.y.x[0][0]"),
        ] {
            let args = serde_json::json!({ "text": text }).to_string();
            let call = |output: &str| run(ns(place.path()).args(["--output", output, "call", "toml_parse", &args]));
            for output in ["table", "raw"] {
                let ran = call(output);
                assert!(ran.code == 0 && ran.stdout.contains(shown), "{output} {text}: {}{}", ran.stdout, ran.stderr);
            }
            for output in ["json", "jsonl", "auto"] {
                let ran = call(output);
                let is_said = ran.stderr.contains(&format!("JSON has no number `{shown}`"));
                assert!(ran.code == 2 && ran.stdout.is_empty() && is_said, "{output} {text}: {}", ran.stderr);
                assert!(ran.stderr.contains(&format!("`{within}`")), "{output} {text}: {}", ran.stderr);
            }
            let quoted = serde_json::to_string(&text).expect("a text");
            for page in ["@\n", "a @ b\n", "- x\n\n  @\n"] {
                let call = format!("{{{{invoke_tool: toml_parse text: {quoted}}}}}");
                std::fs::write(&document, page.replace('@', &call)).expect("a document");
                let ran = run(ns(place.path()).arg("render").arg(&document));
                assert!(ran.code == 1 && ran.stdout.is_empty(), "{page}: {}{}", ran.stdout, ran.stderr);
                assert!(ran.stderr.contains(&format!("JSON has no number `{shown}`")), "{page}: {}", ran.stderr);
            }
        }
    }
}
