//! Machine-readable test reports: JSON, and XML in the format of JUnit.

use std::fmt::Write as _;
use std::time::Duration;

use serde_json::{Value, json};

use super::case::{Outcome, Verdict};
use super::golden::Difference;
use crate::text::markup;

/// Returns a JSON object with counts and one row for each case.
pub fn to_json(verdicts: &[Verdict], bare: &[String], took: Duration) -> String {
    let count = |wanted: &str| verdicts.iter().filter(|verdict| status(&verdict.outcome) == wanted).count();
    let report = json!({
        "passed": count("passed"),
        "updated": count("updated"),
        "failed": count("failed"),
        "faulty": count("faulty"),
        "seconds": took.as_secs_f64(),
        "cases": verdicts.iter().map(row).collect::<Vec<_>>(),
        "withoutGolden": bare,
    });
    format!("{report}\n")
}

/// Returns one word for the outcome of a case.
pub fn status(outcome: &Outcome) -> &'static str {
    match outcome {
        Outcome::Passed => "passed",
        Outcome::Updated(_) => "updated",
        Outcome::Failed(_) => "failed",
        Outcome::Faulty(_) => "faulty",
    }
}

fn row(verdict: &Verdict) -> Value {
    let mut row = json!({
        "name": verdict.name,
        "script": verdict.script.display().to_string(),
        "status": status(&verdict.outcome),
        "seconds": verdict.took.as_secs_f64(),
    });
    match &verdict.outcome {
        Outcome::Passed => {}
        Outcome::Updated(files) => row["updated"] = json!(files),
        Outcome::Failed(differences) => row["differences"] = differences.iter().map(difference).collect(),
        Outcome::Faulty(fault) => row["fault"] = json!(fault),
    }
    row
}

fn difference(difference: &Difference) -> Value {
    json!({ "of": difference.of, "file": difference.file, "diff": difference.diff })
}

/// Returns a JUnit report with one test suite.
pub fn to_junit(verdicts: &[Verdict], took: Duration) -> String {
    let count = |wanted: &str| verdicts.iter().filter(|verdict| status(&verdict.outcome) == wanted).count();
    let mut xml = String::from("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n");
    let _ = writeln!(
        xml,
        "<testsuites>\n<testsuite name=\"ns test\" tests=\"{}\" failures=\"{}\" errors=\"{}\" time=\"{:.3}\">",
        verdicts.len(),
        count("failed"),
        count("faulty"),
        took.as_secs_f64()
    );
    verdicts.iter().for_each(|verdict| test_case(&mut xml, verdict));
    xml.push_str("</testsuite>\n</testsuites>\n");
    xml
}

fn test_case(xml: &mut String, verdict: &Verdict) {
    let (name, script) = (escaped(&verdict.name), escaped(&verdict.script.display().to_string()));
    let time = verdict.took.as_secs_f64();
    let head = format!("<testcase name=\"{name}\" classname=\"{script}\" file=\"{script}\" time=\"{time:.3}\"");
    let _ = match &verdict.outcome {
        Outcome::Passed | Outcome::Updated(_) => writeln!(xml, "{head}/>"),
        Outcome::Faulty(fault) => writeln!(xml, "{head}><error message=\"{}\"/></testcase>", escaped(fault)),
        Outcome::Failed(differences) => {
            let files: Vec<&str> = differences.iter().map(|difference| difference.file.as_str()).collect();
            let text: String = differences.iter().map(|it| format!("{} ({})\n{}\n", it.of, it.file, it.diff)).collect();
            let (message, text) = (escaped(&files.join(", ")), escaped(&text));
            writeln!(xml, "{head}><failure message=\"{message} differs\">{text}</failure></testcase>")
        }
    };
}

/// Escapes text for XML. Characters that XML cannot represent become U+FFFD.
fn escaped(text: &str) -> String {
    let is_lost = |c: char| matches!(c, '\u{fffe}' | '\u{ffff}') || c.is_control() && !matches!(c, '\n' | '\t');
    markup::escaped(text, is_lost, |_, into| into.push('\u{fffd}'))
}
