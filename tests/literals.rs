//! Literal arguments that a tool parses: a check refuses those that the tool refuses, and no others, and points at the
//! part that is wrong.

use neuroscript::engine::{Engine, Options};
use serde_json::Value as Json;

use crate::support::checker::Checker;

/// A call with one literal that the tool parses.
struct Call {
    tool: &'static str,
    /// The arguments as JSON, in which `@` stands for the literal.
    args: &'static str,
}

const REGEX: [Call; 6] = [
    Call { tool: "REGEX.Match", args: r#"{"text": "a", "pattern": @}"# },
    Call { tool: "REGEX.Split", args: r#"{"text": "a", "pattern": @}"# },
    Call { tool: "REGEX.Groups", args: r#"{"text": "a", "pattern": @}"# },
    Call { tool: "REGEX.Replace", args: r#"{"text": "a", "pattern": @, "replacement": "b"}"# },
    Call { tool: "FS.SearchFiles", args: r#"{"text": @, "regex": true}"# },
    Call { tool: "FS.SearchFiles", args: r#"{"text": @, "regex": true, "ignore_case": true, "whole_word": true}"# },
];

/// Other calls, and literals of which some are right.
const OTHERS: [(Call, &[&str]); 13] = [
    (
        Call { tool: "STR.Format", args: r#"{"template": @, "values": {"x": 1}}"# },
        &[
            "{x}",
            "{x:<10}",
            "{x:<10q}",
            "{",
            "}",
            "{{",
            "}}",
            "{x",
            "a}b",
            "é{x:>5!}",
            "{x:.2f}",
            "{x:.f}",
            "{x:99999}",
            "",
        ],
    ),
    (
        Call { tool: "TIME.Format", args: r#"{"time": "2024-05-01", "format": @}"# },
        &[
            "%Y",
            "%Q",
            "%",
            "%%",
            "%%%",
            "%Y-%m-%d %H:%M",
            "é%!",
            "%d.%m.%é",
            "plain",
            "",
            "%-d",
            "%3f",
            "%:z",
            "%k%~%Y",
        ],
    ),
    (
        Call { tool: "TIME.Format", args: r#"{"time": @}"# },
        &["2024-05-01", "2024-13-01", "now", "", "2024-05-01T12:00:00Z"],
    ),
    (
        Call { tool: "TIME.Format", args: r#"{"time": "2024-05-01", "zone": @}"# },
        &["Z", "utc", "local", "+02:00", "+2", "Europe/Berlin", "", "+25:00"],
    ),
    (Call { tool: "TIME.Add", args: r#"{"time": @}"# }, &["2024-02-29", "2023-02-29", "29.2.2024"]),
    (
        Call { tool: "PATH.Matches", args: r#"{"path": "a/b.rs", "pattern": @}"# },
        &["*.rs", "[a-", "[z-a]", "{a,b", "a}", "{a,{b,c}}", "", "/x", "../x", "**", "a\\", "\\[", "é?"],
    ),
    (
        Call { tool: "JSON.Query", args: r#"{"value": {}, "path": @}"# },
        &["a", "a[0]", "a[x]", "a..b", "$.a", "a[\"b\"]", "é[", "*", "a[0]b", ""],
    ),
    (
        Call { tool: "JSON.Set", args: r#"{"text": "{\"a\": {\"b\": 1}}", "path": @, "value": 1}"# },
        &["a", "a.b", "a[x]", "*", "a.*", "a..b"],
    ),
    (Call { tool: "TOML.Remove", args: r#"{"text": "a = 1\n", "path": @}"# }, &["a", "a[", "*"]),
    (
        Call { tool: "CSV.Parse", args: r#"{"text": "a;b", "separator": @}"# },
        &[",", ";", ";;", "", "\t", "\n", "é", "\""],
    ),
    (Call { tool: "STR.PadLeft", args: r#"{"text": "a", "width": 3, "fill": @}"# }, &[" ", "", "ab", "é"]),
    (
        Call { tool: "REGEX.Replace", args: r#"{"text": "a", "pattern": "(?<n>a)(b)?", "replacement": @}"# },
        &["$1", "$2", "$3", "$n", "$m", "${1}x", "$1x", "$$", "$", "${", "é"],
    ),
    (
        Call { tool: "FS.ReadFile", args: r#"{"path": "a.txt", "encoding": @}"# },
        &["utf-8", "latin-1", "latin-77", "UTF-16", "auto", "base64", "", "é"],
    ),
];

/// Returns the parts of patterns: right and wrong ones, small and large.
fn atoms() -> Vec<String> {
    let atoms = [
        "a",
        "é",
        "(a)",
        "(",
        ")",
        "[a-z]",
        "[z-a]",
        "[",
        "]",
        "\\w",
        "\\p{Greek}",
        "\\p{Klingon}",
        "\\d",
        "\\q",
        "\\",
        "(?i)k",
        "(?y)",
        "(?<n>a)",
        "(?<n>a)(?<n>b)",
        "(?=a)",
        "\\1",
        "a|b",
        "|",
        "^",
        "$",
        "\\b",
        ".",
        "[[:alpha:]]",
        "[^\\s\\S]",
        "\\x41",
        "\\xZZ",
        "\\u{1F600}",
        "\\u{110000}",
        "x{2}",
        "x{2,1}",
        "{",
        "[a&&b]",
        "(?P<n>a)",
        "(?-u:\\w)",
        "\\n",
        "(?s-u:.)",
        "(?x) a #c",
    ];
    atoms.map(str::to_owned).to_vec()
}

fn patterns() -> Vec<String> {
    let counts = ["", "*", "+?", "{3}", "{2,}", "**", "{999}", "{1000,}"];
    let mut patterns: Vec<String> =
        atoms().iter().flat_map(|atom| counts.map(|count| format!("é{atom}{count}z"))).collect();
    for repeated in ["a", "[a-z]", "\\d", "\\w", "\\pL", "(?i)\\w", ".", "(?s).", "\\W"] {
        patterns.extend([100, 400, 800, 1001].map(|count| format!("{repeated}{{{count}}}")));
    }
    patterns.extend(
        [(10, 10), (10, 101), (33, 30), (1000, 1000)].map(|(inner, outer)| format!("(\\w{{{inner}}}){{{outer}}}")),
    );
    patterns.extend(["(", "a|", "[a]", "\\w|"].map(|part| format!("x{}", part.repeat(1002))));
    patterns
}

/// Runs tools directly, and checks scripts.
struct Bench {
    engine: Engine,
    checker: Checker,
    _folder: tempfile::TempDir,
}

impl Bench {
    fn new() -> Bench {
        let folder = tempfile::tempdir().expect("a folder for the test");
        let options = Options { sandbox: Some(folder.path().to_owned()), ..Options::default() };
        let engine = Engine::open(&options).unwrap_or_else(|error| panic!("the engine: {:?}", error.findings));
        Bench { engine, checker: Checker::new(), _folder: folder }
    }

    /// Returns the message with which the tool refuses the literal.
    fn refused_by_run(&self, call: &Call, literal: &str) -> Option<String> {
        let quoted = serde_json::to_string(literal).expect("a text");
        let args = call.args.replace('@', &quoted);
        let args = self.engine.value_of_json(&args).unwrap_or_else(|error| panic!("{args}: {error:?}"));
        // A file that is not there says that the arguments are right.
        let error = self.engine.call(call.tool, &args).err().filter(|error| error.code.id() != "not_found");
        error.map(|error| error.message)
    }

    /// Returns the message of the check, and the source from the place that it names.
    fn refused_by_check(&self, call: &Call, literal: &str) -> Option<(String, String)> {
        let args: Json = serde_json::from_str(&call.args.replace('@', "\"@\"")).expect("JSON");
        let args = args.as_object().expect("a map").iter().map(|(name, value)| format!("{name}: {value}"));
        let args = args.collect::<Vec<_>>().join(", ").replace("\"@\"", literal);
        let script = format!("EMIT {}({args})", call.tool);
        let checked = self.checker.check(&script);
        let error = checked.findings.iter().find(|finding| finding.is_error())?;
        let start = error.span().expect("an error has a place").start as usize;
        Some((error.message.clone(), script[start..].to_owned()))
    }

    fn compare(&self, call: &Call, literal: &str) {
        let by_run = self.refused_by_run(call, literal);
        let raw = format!("'''{literal}'''");
        let written = [serde_json::to_string(literal).expect("a text"), raw.clone()];
        for spelling in written.iter().filter(|spelling| **spelling != raw || !literal.contains("'''")) {
            let by_check = self.refused_by_check(call, spelling);
            let message = by_check.as_ref().map(|(message, _)| message.clone());
            assert_eq!(message, by_run, "{} {spelling}", call.tool);
            let Some((message, source)) = by_check else { continue };
            let Some(character) = place_in(&message) else { continue };
            let rest: String = literal.chars().skip(character - 1).collect();
            let quoted = serde_json::to_string(&rest).expect("a text");
            let expected = if *spelling == raw { format!("{rest}'''") } else { quoted[1..].to_owned() };
            assert!(source.starts_with(&expected), "{} {spelling}: {message}: {source}", call.tool);
        }
    }
}

/// Returns the character that a message names.
fn place_in(message: &str) -> Option<usize> {
    let (_, place) = message.rsplit_once(", at character ")?;
    place.split(|c: char| !c.is_ascii_digit()).next()?.parse().ok()
}

#[test]
fn regular_expressions_are_refused_before_the_run_as_in_it() {
    let bench = Bench::new();
    let patterns = patterns();
    assert!(patterns.len() > 300, "{}", patterns.len());
    let mut refused = 0;
    for (number, pattern) in patterns.iter().enumerate() {
        bench.compare(&REGEX[number % REGEX.len()], pattern);
        refused += usize::from(bench.refused_by_run(&REGEX[0], pattern).is_some());
    }
    assert!((100..patterns.len() - 100).contains(&refused), "{refused} of {} are refused", patterns.len());
}

#[test]
fn other_texts_that_tools_parse_are_refused_before_the_run_as_in_it() {
    let bench = Bench::new();
    for (call, literals) in &OTHERS {
        literals.iter().for_each(|literal| bench.compare(call, literal));
        let refused = literals.iter().filter(|literal| bench.refused_by_run(call, literal).is_some()).count();
        assert!((1..literals.len()).contains(&refused), "{} {}: {refused}", call.tool, call.args);
    }
}

#[test]
fn the_help_of_a_pattern_that_is_too_large_names_its_cause() {
    let bench = Bench::new();
    let cases = [
        ("a{1001}", "1001 positions", "lower the count"),
        ("\\w{1000,}", "1001 positions", "lower the count"),
        ("[0-9A-Za-z_]{1000,}", "1001 positions", "lower the count"),
        ("(a{100}){100}", "10000 positions", "multiply"),
        ("((x{4294967295}){4294967295}){4294967295}", "more than 1000 positions", "multiply"),
        ("\\w{900}", "10485760 bytes", "[0-9A-Za-z_]"),
        ("(?:\\w{30}){30}", "10485760 bytes", "[0-9A-Za-z_]"),
        (
            "(?i)[\\x{0}-\\x{10FFFF}][\\x{0}-\\x{10FFFF}][\\x{0}-\\x{10FFFF}][\\x{0}-\\x{10FFFF}][\\x{0}-\\x{10FFFF}][\\x{0}-\\x{10FFFF}][\\x{0}-\\x{10FFFF}][\\x{0}-\\x{10FFFF}]",
            "8000000 characters",
            "(?i)",
        ),
    ];
    let long = ("ab".repeat(600), "1200 positions", "use several patterns");
    let classes = ("[a]".repeat(2001), "2000 classes", "several patterns");
    let cases = cases.map(|(pattern, reason, help)| (pattern.to_owned(), reason, help)).into_iter();
    for (pattern, reason, help) in cases.chain([long, classes]) {
        let faults = bench.checker.errors(&format!("EMIT REGEX.Match(\"a\", '''{pattern}''')"));
        let [fault] = &faults[..] else { panic!("{pattern}: {faults:?}") };
        assert!(fault.message.contains(reason), "{pattern}: {}", fault.message);
        assert!(fault.help.contains(help), "{pattern}: {}", fault.help);
    }
}
