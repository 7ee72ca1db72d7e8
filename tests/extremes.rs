//! Texts that are too deep or very long to be readable in `tests/suite`.

#![allow(clippy::disallowed_methods, reason = "tests set up folders of their own")]

use std::time::Duration;

use neuroscript::engine::{Ending, Engine, Invocation, Options, Script};

use crate::support::Captured;

/// Returns the output of a script, or the codes and first lines of its findings.
fn run(text: &str, policy: &str) -> Result<String, Vec<(&'static str, usize)>> {
    let folder = tempfile::tempdir().expect("a folder for the case");
    let file = folder.path().join("policy.toml");
    std::fs::write(&file, policy).expect("a policy for the case");
    let options = Options { sandbox: Some(folder.path().to_owned()), policy: Some(file), ..Options::default() };
    let engine = Engine::open(&options).unwrap_or_else(|error| panic!("the case's engine: {:?}", error.findings));
    let output = Captured::default();
    let outcome = engine.run(&Script::new("deep.ns", text), &Invocation::default(), Box::new(output.clone()));
    if outcome.findings.is_empty() {
        return Ok(output.text().trim_end().to_owned());
    }
    let place = |finding: &neuroscript::text::Diagnostic| {
        let span = finding.span()?;
        Some(outcome.sources.of(span)?.position(span).line)
    };
    Err(outcome.findings.iter().map(|finding| (finding.code.id(), place(finding).unwrap_or(0))).collect())
}

/// Returns `inside` nested in `open` and `close`, `depth` times.
fn nested(depth: usize, open: &str, inside: &str, close: &str) -> String {
    format!("{}{inside}{}", open.repeat(depth), close.repeat(depth))
}

fn prints(text: &str, output: &str) {
    assert_eq!(run(text, "").as_deref(), Ok(output));
}

/// Asserts that the only finding is NS0602 on this line.
fn too_deep(text: &str, line: usize) {
    assert_eq!(run(text, ""), Err(vec![("NS0602", line)]));
}

#[test]
fn brackets_nest_256_deep() {
    prints(&format!("EMIT {}", nested(256, "(", "7", ")")), "7");
    prints(&format!("EMIT LEN(STR({}))", nested(254, "[", "", "]")), "508");
    too_deep(&format!("EMIT {}", nested(257, "(", "7", ")")), 1);
    too_deep(&format!("EMIT {}", nested(1_000, "[", "", "]")), 1);
    too_deep(&format!("EMIT {}", nested(1_000, "{\"a\":", "1", "}")), 1);
    too_deep(&format!("EMIT {}", nested(1_000, "STR(", "1", ")")), 1);
    too_deep(&format!("EMIT {}", "[".repeat(100_000)), 1);
    too_deep(&format!("EMIT {}", nested(100_000, "[", "", "]")), 1);
}

#[test]
fn blocks_nest_256_deep() {
    prints(&nested(256, "IF true THEN\n", "EMIT 7\n", "END\n"), "7");
    too_deep(&nested(257, "IF true THEN\n", "EMIT 7\n", "END\n"), 257);
    too_deep(&nested(1_000, "WHILE true DO\n", "BREAK\n", "END\n"), 257);
    too_deep(&nested(100_000, "FOR EACH x IN [1] DO\n", "EMIT x\n", "END\n"), 257);
}

#[test]
fn signs_and_powers_nest_256_deep() {
    prints(&format!("EMIT {}1", "- ".repeat(256)), "1");
    prints(&format!("EMIT {}1", "NOT ".repeat(256)), "true");
    prints(&format!("EMIT 1{}", " ** 1".repeat(256)), "1");
    too_deep(&format!("EMIT {}1", "- ".repeat(257)), 1);
    too_deep(&format!("EMIT {}1", "NOT ".repeat(257)), 1);
    too_deep(&format!("EMIT 1{}", " ** 1".repeat(257)), 1);
}

#[test]
fn an_expression_has_ten_thousand_operators() {
    prints(&format!("EMIT 1{}", " + 1".repeat(10_000)), "10001");
    prints(&format!("EMIT 1 == 1{}", " AND 1 == 1".repeat(4_999)), "true");
    too_deep(&format!("EMIT 1{}", " + 1".repeat(10_001)), 1);
}

#[test]
fn what_is_long_is_not_deep() {
    let arms: String = (1..1_000).map(|n| format!("ELSE IF n == {n} THEN\n  EMIT {n}\n")).collect();
    prints(&format!("SET n = 999\nIF n == 0 THEN\n  EMIT 0\n{arms}END\n"), "999");
    prints(&format!("EMIT LEN([{}])", "1, ".repeat(100_000)), "100000");
    prints(&format!("EMIT LEN(\"{}\")", "x".repeat(1_000_000)), "1000000");
    prints(&format!("EMIT LEN(\"\"{})", " + \"ab\"".repeat(3_000)), "6000");
    prints(&format!("SET m = {{}}\nSET m{0} = 1\nEMIT m{0}", ".a".repeat(200)), "1");
}

#[test]
fn the_policy_file_sets_the_depth() {
    let policy = "[limits]\nnesting = 3\n";
    assert_eq!(run("EMIT (((1)))", policy).as_deref(), Ok("1"));
    assert_eq!(run("EMIT ((((1))))", policy), Err(vec![("NS0602", 1)]));
    let blocks = nested(4, "IF true THEN\n", "EMIT 1\n", "END\n");
    assert_eq!(run(&blocks, policy), Err(vec![("NS0602", 4)]));
}

#[test]
fn after_a_hundred_faults_the_rest_is_not_read() {
    let text: String = (0..150).map(|n| format!("EMIT n{n} +\n")).collect();
    let faults = run(&text, "").expect_err("every line has a fault");
    assert_eq!(faults.len(), 101);
    assert!(faults[..100].iter().enumerate().all(|(at, &fault)| fault == ("NS0001", at + 1)), "{faults:?}");
    assert_eq!(faults[100], ("NS0024", 101));

    let text: String = (0..100).map(|n| format!("EMIT n{n} +\n")).collect();
    assert_eq!(run(&text, "").expect_err("every line has a fault").len(), 100);
}

#[test]
fn a_comment_after_a_backslash_is_one_fault() {
    assert_eq!(run("EMIT 1 + \\ # comment\n  2\nEMIT totl\n", ""), Err(vec![("NS0019", 1), ("NS0101", 3)]));
}

#[test]
fn what_a_run_leaves_does_not_count_in_the_next() {
    let text = "SET s = STR.Repeat(\"x\", 700000)\nEMIT LEN(s)\n";
    for _ in 0..3 {
        assert_eq!(run(text, "[limits]\nmemory_bytes = 1000000\n").as_deref(), Ok("700000"));
    }
}

#[test]
fn a_place_far_to_the_right_is_found() {
    let text = format!("EMIT \"{}\" + totl\n", "x".repeat(5_000));
    assert_eq!(run(&text, ""), Err(vec![("NS0101", 1)]));
    let text = format!("EMIT \"{}\"\n", "x".repeat(1_000_000)).replace("\"\n", "\" totl\n");
    assert_eq!(run(&text, ""), Err(vec![("NS0001", 1)]));
}

/// Runs a text that must be refused, and returns the number of findings. The time is far more than a reader needs.
fn faults(text: &str) -> usize {
    let start = std::time::Instant::now();
    let found = run(text, "").expect_err("the text has faults").len();
    let took = start.elapsed();
    assert!(took.as_secs() < 20, "it took {took:?}: {text:.60}");
    found
}

#[test]
fn one_line_has_no_more_findings_than_a_text() {
    for text in [
        format!("SET x = \"{}\"", "\\q".repeat(200_000)),
        format!("SET x = \"{}\"", "\\u{".repeat(150_000)),
        format!("SET x = \"{}}}\"", "\\u{".repeat(150_000)),
        format!("EMIT {}", vec!["IF"; 100_000].join(", ")),
        format!("SET {} = [1]", vec!["IF"; 50_000].join(", ")),
        format!("EMIT {}", "€ ".repeat(100_000)),
        format!("EMIT {}", "]".repeat(100_000)),
        format!("DEFINE PROCEDURE P({})\nEND", vec!["IF: INT"; 20_000].join(", ")),
        "EMIT nope\n".repeat(5_000),
        (0..20_000).map(|number| format!("EMIT nope{number}\n")).collect(),
        (0..20_000).map(|number| format!("CALL STR.Nope{number}(1)\n")).collect(),
        "DEFINE PROCEDURE P()\nEND\n".repeat(5_000),
        "EMIT STR.Sub(1)\n".repeat(5_000),
    ] {
        let found = faults(&text);
        assert!((1..=101).contains(&found), "{found} findings: {text:.60}");
    }
}

/// The time is far more than a reader needs that looks at each line and each parameter once.
#[test]
fn a_head_with_many_parameters_and_lines_is_read_once() {
    let many = |count: usize, line: fn(usize) -> String| (0..count).map(line).collect::<String>();
    for text in [
        format!("DEFINE PROCEDURE F(a{})\nEND\nEMIT 1", many(200_000, |n| format!(", a{n}"))),
        format!("{}EMIT 1", many(200_000, |n| format!(":: k{n}: v\n"))),
        format!(
            "{}DEFINE PROCEDURE Main(a: 1{})\nEND\nEMIT 1",
            many(20_000, |n| format!(":: arg a{n}: v\n")),
            many(20_000, |n| format!(", a{n}: 1")),
        ),
    ] {
        let start = std::time::Instant::now();
        prints(&text, "1");
        let took = start.elapsed();
        assert!(took.as_secs() < 60, "it took {took:?}: {text:.60}");
    }
}

#[test]
fn prefixes_of_a_name_are_read_once() {
    prints("EMIT MATH.Sqrt(4), \" \", tool.math.sqrt(4), \" \", TOOL.MATH.SQRT(4)", "2.0 2.0 2.0");
    for name in ["MATH.MATH.Sqrt", "MATH.TOOL.MATH.Sqrt", "TOOL.TOOL.MATH.Sqrt", "MATH.TOOL.Sqrt"] {
        assert_eq!(faults(&format!("EMIT {name}(4)")), 1, "{name}");
    }
    assert_eq!(faults(&format!("CALL {}Sqrt(4)", "MATH.".repeat(20_000))), 1);
}

/// Scripts of megabytes: one statement each, or one line after another. `@` is a part that is repeated.
const LARGE: [(&str, &str, &str); 9] = [
    ("EMIT LEN({\"a\": 1@})", ", \"a\": 1", "1"),
    ("EMIT LEN([1@])", ",1", "400001"),
    ("EMIT LEN([1@])", ",[]", "400001"),
    ("EMIT LEN([1@])", ",(1)", "400001"),
    ("EMIT LEN([1@])", ",INT('1')", "400001"),
    ("EMIT LEN([1@])", ",\"\"", "400001"),
    ("@EMIT 1", "SET a = 1\n", "1"),
    ("@EMIT 1", "IF true THEN\n  SET a = [1, 2]\nEND\n", "1"),
    ("DEFINE PROCEDURE P()\n@END\nEMIT 1", "  SET a = 1\n", "1"),
];

fn run_for(text: &str, timeout: Duration) -> (Ending, String, Vec<String>) {
    let folder = tempfile::tempdir().expect("a folder for the case");
    let options = Options { sandbox: Some(folder.path().to_owned()), timeout: Some(timeout), ..Options::default() };
    let engine = Engine::open(&options).unwrap_or_else(|error| panic!("the case's engine: {:?}", error.findings));
    let output = Captured::default();
    let outcome = engine.run(&Script::new("large.ns", text), &Invocation::default(), Box::new(output.clone()));
    (outcome.ending, output.text(), outcome.findings.into_iter().map(|finding| finding.message).collect())
}

/// The time limit holds while a script is read, in one statement and between statements.
#[test]
fn reading_a_large_script_ends_with_the_time_of_the_run() {
    for (frame, part, _) in LARGE {
        let text = frame.replace('@', &part.repeat(3_000_000 / part.len()));
        let (ending, output, messages) = run_for(&text, Duration::from_millis(20));
        let [message] = &messages[..] else { panic!("{frame} {part}: {messages:?}") };
        assert!(ending == Ending::OutOfTime && output.is_empty(), "{frame} {part}: {ending:?} {message}");
        assert!(message.starts_with("reading the script is stopped: "), "{frame} {part}: {message}");
    }
}

/// With enough time the limit changes nothing: a long statement is parsed in several attempts.
#[test]
fn a_time_limit_changes_nothing_that_is_read_in_time() {
    for (frame, part, printed) in LARGE {
        let text = frame.replace('@', &part.repeat(20_000));
        let printed = if *printed == *"400001" { "20001" } else { printed };
        let (ending, output, messages) = run_for(&text, Duration::from_secs(600));
        assert_eq!(
            (ending, output.trim_end(), messages.len()),
            (Ending::Done, printed, 0),
            "{frame} {part}: {messages:?}"
        );
    }
}
