//! The answer of `ns call`: its class, and a check of the form that all answers share.
//!
//! Success is one line on standard output and nothing else; failure is one line of JSON on standard error, nothing on
//! standard output, and the exit code of its class. Where some of several items failed, there are both, and it counts
//! as a success.

use serde_json::Value;

use super::launch::Ended;

/// An answer, with the violations of its form.
#[derive(Debug)]
pub struct Answer {
    /// `ok`, `bad_args`, `violation` or `error`; `none` if the process did not answer.
    pub class: &'static str,
    /// The code of a failure.
    pub code: Option<String>,
    /// The value of a success.
    pub value: Option<Value>,
    pub faults: Vec<String>,
}

/// Variations of the form of an answer.
#[derive(Clone, Copy, Debug, Default)]
pub struct Form {
    /// Whether the result may be a text.
    pub is_text: bool,
    /// Whether warnings may accompany a success.
    pub may_warn: bool,
}

/// Every code of a tool error.
const CODES: [&str; 18] = [
    "bad_args",
    "unknown_tool",
    "sandbox_violation",
    "policy_denied",
    "not_found",
    "not_a_directory",
    "is_a_directory",
    "already_exists",
    "permission_denied",
    "too_large",
    "not_text",
    "encoding",
    "invalid_media",
    "conflict",
    "no_space",
    "io_error",
    "limit_exceeded",
    "cancelled",
];

/// The fields of an error, whatever its code.
const FIELDS: [&str; 6] = ["code", "message", "tool", "argument", "path", "hint"];

/// Returns the answer of a call on several items of which some failed.
fn rows_of(ended: &Ended) -> Option<Value> {
    let rows: Value = serde_json::from_slice(&ended.stdout).ok()?;
    (rows["succeeded"].is_u64() && rows["failed"].as_u64() > Some(0)).then_some(rows)
}

impl Answer {
    /// Parses the answer of a finished call.
    pub fn of(ended: &Ended, form: Form) -> Answer {
        let mut answer = Answer { class: "none", code: None, value: None, faults: end_faults(ended) };
        if !answer.faults.is_empty() {
            return answer;
        }
        match (ended.code, rows_of(ended)) {
            (Some(0), _) => answer.success(ended, form),
            (_, Some(rows)) => {
                answer.failure(&Ended { stdout: Vec::new(), ..ended.clone() });
                (answer.class, answer.code, answer.value) = ("ok", None, Some(rows));
            }
            _ => answer.failure(ended),
        }
        answer
    }

    fn success(&mut self, ended: &Ended, form: Form) {
        self.class = "ok";
        let are_warnings =
            ended.stderr.split_inclusive(|byte| *byte == b'\n').all(|line| line.starts_with(b"warning: "));
        if !(ended.stderr.is_empty() || form.may_warn && are_warnings) {
            self.faults.push(format!("a success with standard error {}", shown(&ended.stderr)));
        }
        match str::from_utf8(&ended.stdout) {
            Err(_) => self.faults.push(format!("standard output is not UTF-8: {}", shown(&ended.stdout))),
            // A text is printed as it is, possibly in several lines.
            Ok(text) if form.is_text => self.value = serde_json::from_str(text).ok().or_else(|| Some(text.into())),
            Ok(text) if !text.ends_with('\n') || text.lines().count() != 1 => {
                self.faults.push(format!("standard output is not one line: {}", shown(&ended.stdout)));
            }
            Ok(text) => match serde_json::from_str(text) {
                Ok(value) => self.value = Some(value),
                Err(error) => self.faults.push(format!("standard output is no JSON ({error}): {text}")),
            },
        }
    }

    fn failure(&mut self, ended: &Ended) {
        if !ended.stdout.is_empty() {
            self.faults.push(format!("a failure with standard output {}", shown(&ended.stdout)));
        }
        let Ok(text) = str::from_utf8(&ended.stderr) else {
            return self.faults.push(format!("standard error is not UTF-8: {}", shown(&ended.stderr)));
        };
        let error = match serde_json::from_str::<Value>(text) {
            Ok(Value::Object(map))
                if text.ends_with('\n')
                    && text.lines().count() == 1
                    && map.keys().all(|key| key == "error" || key == "answer") =>
            {
                self.value = map.get("answer").cloned();
                map.get("error").cloned().unwrap_or_default()
            }
            _ => return self.faults.push(format!("standard error is not one line of {{\"error\":…}}: {text}")),
        };
        self.faults.extend(shape_faults(&error));
        let code = error["code"].as_str().unwrap_or_default();
        self.class = match code {
            "bad_args" | "unknown_tool" => "bad_args",
            "sandbox_violation" | "policy_denied" => "violation",
            _ => "error",
        };
        let exit = match self.class {
            "bad_args" => 2,
            "violation" => 4,
            _ => 1,
        };
        if ended.code != Some(exit) {
            self.faults.push(format!("exit {:?} for `{code}`, not {exit}", ended.code));
        }
        self.code = Some(code.to_owned());
    }
}

/// Returns faults that no start of `ns` may have: a hang, a signal, a panic, a leaked secret.
pub fn end_faults(ended: &Ended) -> Vec<String> {
    let mut faults = Vec::new();
    if ended.hung {
        faults.push("it did not end".to_owned());
    } else if let Some(signal) = ended.signal {
        faults.push(format!("it was ended by signal {signal}: {}", shown(&ended.stderr)));
    }
    let both = [ended.stdout.as_slice(), ended.stderr.as_slice()];
    for text in both.map(String::from_utf8_lossy) {
        if text.contains("panicked at") || text.contains("overflowed its stack") {
            faults.push(format!("it panicked: {text}"));
        }
        if text.contains("SECRET") {
            faults.push(format!("a SECRET came out: {}", super::cut(&text)));
        }
    }
    faults
}

fn shape_faults(error: &Value) -> Vec<String> {
    let mut faults = Vec::new();
    let keys: Vec<&str> = error.as_object().map(|map| map.keys().map(String::as_str).collect()).unwrap_or_default();
    if keys.len() != FIELDS.len() || FIELDS.iter().any(|field| !keys.contains(field)) {
        faults.push(format!("the error has the fields {keys:?}"));
    }
    let code = error["code"].as_str().unwrap_or_default();
    if !CODES.contains(&code) {
        faults.push(format!("`{code}` is no code"));
    }
    if error["message"].as_str().is_none_or(str::is_empty) {
        faults.push("the error has no message".to_owned());
    }
    for field in ["tool", "argument", "path", "hint"] {
        if !error[field].is_null() && !error[field].is_string() {
            faults.push(format!("`{field}` is {}", error[field]));
        }
    }
    faults
}

/// Formats bytes for a failure message.
pub fn shown(bytes: &[u8]) -> String {
    super::cut(&format!("{:?}", String::from_utf8_lossy(bytes)))
}
