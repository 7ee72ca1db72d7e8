//! All policy files apply: a key in the user's files may widen the built-in value, and the file in the root can only
//! narrow. Every key of the table of keys is tested.

use std::process::Command;

use neuroscript::engine::{KeyRow, policy_keys};
use serde_json::Value as Json;

use super::Place;
use crate::support::{ns, package, run};

/// A narrow and a wide value of each key, with their display by `ns doctor`. The built-in value is narrower than the
/// wide one, or equal.
const SAMPLES: [Sample; 42] = [
    ("max_steps", ("1000", "1000"), ("2000000000", "2000000000")),
    ("timeout_s", ("10", "10"), ("99999", "99999")),
    ("call_depth", ("50", "50"), ("5000", "5000")),
    ("nesting", ("50", "50"), ("500", "500")),
    ("value_depth", ("50", "50"), ("500", "500")),
    ("memory_bytes", ("1000000", "1000000"), ("9000000000", "9000000000")),
    ("string_bytes", ("1000", "1000"), ("900000000", "900000000")),
    ("collection_items", ("1000", "1000"), ("90000000", "90000000")),
    ("script_bytes", ("1000000", "1000000"), ("90000000", "90000000")),
    ("modules", ("3", "3"), ("999", "999")),
    ("output_bytes", ("1000", "1000"), ("2000", "2000")),
    ("tool_output_bytes", ("10000", "10000"), ("20000", "20000")),
    ("files_changed", ("10", "10"), ("20", "20")),
    ("bytes_written", ("1000", "1000"), ("2000", "2000")),
    ("read_only", ("true", "true"), ("false", "false")),
    ("allowed_directories", ("[\"a\"]", "[\"a\"]"), ("[\"/outside\"]", "[\"/outside\"]")),
    ("blocked_directories", ("[\"b\"]", "[\"b\"]"), ("[]", "[]")),
    ("allowed_extensions", ("[\"md\"]", "[\"md\"]"), ("[]", "[]")),
    ("blocked_extensions", ("[\"exe\"]", "[\"exe\"]"), ("[]", "[]")),
    ("blocked_patterns", ("[\"*.x\"]", "[\"*.x\"]"), ("[]", "[]")),
    ("max_file_size", ("100", "100"), ("0", "0")),
    ("max_files_per_operation", ("10", "10"), ("9999999", "9999999")),
    ("require_confirmation_for_delete", ("true", "true"), ("false", "false")),
    ("enable_audit_logging", ("true", "true"), ("false", "false")),
    ("reject_hard_links", ("true", "true"), ("false", "false")),
    ("require_kernel_sandbox", ("true", "true"), ("false", "false")),
    ("durability", ("\"each\"", "each"), ("\"batched\"", "batched")),
    ("backup_count", ("50", "50"), ("5", "5")),
    ("backup_days", ("0", "0"), ("5", "5")),
    ("backup_bytes", ("9000000000", "9000000000"), ("1000", "1000")),
    ("allow", ("[]", "[]"), ("[\"FS.WalkDir\"]", "[\"FS.WalkDir\"]")),
    ("deny", ("[\"FS.WalkDir\"]", "[\"FS.WalkDir\"]"), ("[]", "[]")),
    ("ask", ("[\"FS.WalkDir\"]", "[\"FS.WalkDir\"]"), ("[]", "[]")),
    ("names", ("[\"LANG\"]", "[\"LANG\"]"), ("[\"LANG\", \"HOME\"]", "[\"LANG\", \"HOME\"]")),
    ("max_entries", ("10", "10"), ("999", "999")),
    ("max_depth", ("2", "2"), ("99", "99")),
    ("include_hidden_default", ("false", "false"), ("true", "true")),
    ("include_symlinks_default", ("false", "false"), ("true", "true")),
    ("include_files_default", ("false", "false"), ("true", "true")),
    ("include_dirs_default", ("false", "false"), ("true", "true")),
    ("include_other_default", ("false", "false"), ("true", "true")),
    ("max_value_bytes", ("1000", "1000"), ("9000000", "9000000")),
];

/// The three files, each of which may be missing.
#[derive(Clone, Copy, Default)]
struct Files<'a> {
    user: Option<&'a str>,
    named: Option<&'a str>,
    root: Option<&'a str>,
}

impl Place {
    /// Returns `ns` with these policy files, each of which sets one key.
    fn with(&self, row: &KeyRow, files: Files<'_>) -> Command {
        let text = |value: &str| format!("# a line\n[{}]\n{} = {value}\n", row.section, row.name);
        let mut command = ns(&self.path("root"));
        command.env("XDG_CONFIG_HOME", self.path("config"));
        let paths = ["config/neuroscript/neuroscript.toml", "policy.toml", "root/neuroscript.toml"];
        for (path, value) in paths.into_iter().zip([files.user, files.named, files.root]) {
            let _ = std::fs::remove_file(self.path(path));
            if let Some(value) = value {
                let text = if row.name == "allow" { format!("{}ask = []\n", text(value)) } else { text(value) };
                self.write(path, &text.replace("/outside", &self.path("outside").display().to_string()));
            }
        }
        if files.named.is_some() {
            command.arg("--policy").arg(self.path("policy.toml"));
        }
        command
    }

    /// Returns the effective value of a key and its origin.
    fn in_force(&self, row: &KeyRow, files: Files<'_>) -> (String, String) {
        let doctor = self.doctor(row, files);
        let values = doctor["values"].as_array().expect("values");
        let found = values.iter().find(|value| value["key"] == row.name).expect("every key has a value");
        let text = |key: &str| found[key].as_str().expect("a text").to_owned();
        (text("value").replace(&self.path("outside").display().to_string(), "/outside"), text("from"))
    }

    fn doctor(&self, row: &KeyRow, files: Files<'_>) -> Json {
        let ran = run(self.with(row, files).args(["doctor", "--output", "json"]));
        serde_json::from_str(&ran.stdout).unwrap_or_else(|_| panic!("{}: {}", row.name, ran.stderr))
    }
}

type Sample = (&'static str, (&'static str, &'static str), (&'static str, &'static str));

fn samples() -> Vec<(KeyRow, Sample)> {
    let find = |row: KeyRow| {
        let sample = SAMPLES.into_iter().find(|(name, ..)| *name == row.name);
        (row, sample.unwrap_or_else(|| panic!("`{}` needs a sample here", row.name)))
    };
    let samples: Vec<_> = policy_keys().map(find).collect();
    assert_eq!(samples.len(), SAMPLES.len(), "a sample of every key");
    samples
}

/// Whether a key has a list for which the lists of all files apply.
fn is_list(row: &KeyRow) -> bool {
    ["tools", "policy"].contains(&row.section) && !row.combines.contains("wins") && !row.combines.contains("limit")
}

#[test]
fn the_users_file_or_the_named_one_alone_replaces_the_built_in_value() {
    for (row, (name, narrow, wide)) in samples() {
        let place = Place::new("");
        for (written, shown) in [narrow, wide] {
            let user = Files { user: Some(written), ..Files::default() };
            let named = Files { named: Some(written), ..Files::default() };
            for (files, file) in [(user, "config/neuroscript/neuroscript.toml"), (named, "policy.toml")] {
                let (value, from) = place.in_force(&row, files);
                assert_eq!(value, shown, "{name}");
                let empty = written == "[]" && row.name != "blocked_patterns";
                assert!(empty || from == format!("{}:3", place.path(file).display()), "{name}: {from}");
            }
        }
    }
}

#[test]
fn neither_the_root_nor_the_named_file_widens_what_the_user_says() {
    for (row, (name, narrow, wide)) in samples() {
        let place = Place::new("");
        let user = Files { user: Some(narrow.0), ..Files::default() };
        for files in [Files { root: Some(wide.0), ..user }, Files { named: Some(wide.0), ..user }] {
            let (value, _) = place.in_force(&row, files);
            let holds = value == narrow.1 || is_list(&row) && value.contains(narrow.1.trim_matches(['[', ']']));
            assert!(holds, "{name}: {value}");
            assert!(name != "names" || !value.contains("HOME"), "{value}");
        }
        // The same with the named file as the narrow one.
        let files = Files { named: Some(narrow.0), root: Some(wide.0), ..Files::default() };
        let (value, _) = place.in_force(&row, files);
        let holds = value == narrow.1 || is_list(&row) && value.contains(narrow.1.trim_matches(['[', ']']));
        assert!(holds, "{name}: {value}");
    }
}

#[test]
fn the_root_narrows_and_never_widens_the_built_in_value() {
    for (row, (name, narrow, wide)) in samples() {
        let place = Place::new("");
        let (built_in, _) = place.in_force(&row, Files::default());
        let (value, from) = place.in_force(&row, Files { root: Some(narrow.0), ..Files::default() });
        let may_narrow = name != "names";
        assert!(!may_narrow || value.contains(narrow.1.trim_matches(['[', ']'])), "{name}: {value}");
        assert!(value == built_in || from.ends_with("neuroscript.toml:3"), "{name}: {from}");
        let (value, _) = place.in_force(&row, Files { root: Some(wide.0), ..Files::default() });
        // No limit at all is wider than any sample, and lists of all files are combined.
        let is_narrowed = built_in == "none" || is_list(&row) && value.starts_with(&built_in);
        let is_first_list = is_list(&row) && ["[]", "[\".\"]"].contains(&built_in.as_str());
        assert!(value == built_in || is_narrowed || is_first_list, "{name}: {built_in} became {value}");
        assert!(!(name == "names" && value != "[]"), "{value}");
    }
}

/// A value without effect is not an error, but `ns doctor` reports it.
#[test]
fn what_would_widen_is_told() {
    for (row, (name, narrow, wide)) in samples() {
        if is_list(&row) && !["allowed_directories", "blocked_patterns"].contains(&name) {
            continue;
        }
        let place = Place::new("");
        let user = if name == "allowed_directories" { None } else { Some(narrow.0) };
        let doctor = place.doctor(&row, Files { user, root: Some(wide.0), ..Files::default() });
        let unused = doctor["unused"].as_array().expect("a list");
        let told = unused.iter().any(|unused| unused["key"] == name && unused["from"] == "neuroscript.toml:3");
        assert!(told, "{name}: {doctor}");
    }
    let place = Place::new("");
    let row = policy_keys().next().expect("there are keys");
    let text = run(place.with(&row, Files { root: Some("2000000000"), ..Files::default() }).arg("doctor")).stdout;
    assert!(text.contains("neuroscript.toml:3 asks for max_steps = 2000000000, which would widen; not used"), "{text}");
}

/// Seen in the field: a file in the root that disables the user's policy.
#[test]
fn a_folder_does_not_switch_off_the_users_policy() {
    let place = Place::new("");
    place.write(
        "config/neuroscript/neuroscript.toml",
        "[policy]\nread_only = false\nblocked_patterns = [\"*.secret\"]\nblocked_directories = [\"private\"]\nallowed_extensions = [\"txt\", \"secret\"]\n[tools]\ndeny = [\"FS.DeleteFile\"]\n[tools.env]\nnames = [\"SEEN\"]\n",
    );
    place.write(
        "root/neuroscript.toml",
        "[policy]\nblocked_patterns = [\"!*.secret\"]\nblocked_directories = []\nallowed_extensions = [\"md\", \"txt\", \"secret\"]\nenable_audit_logging = false\n[tools]\nallow = [\"FS.DeleteFile\"]\nask = []\n[tools.env]\nnames = [\"SEEN\", \"HIDDEN\"]\n",
    );
    place.write("root/private/a.txt", "x");
    let script = "FOR EACH p IN [\"a.secret\", \"private/a.txt\", \"a.md\", \"a.txt\"] DO\nEMIT p, \" \", FS.WriteFile(p, \"\").error == nil\nEND\n\
                  EMIT FS.DeleteFile(\"a.txt\").error\nEMIT ENV.Names()";
    let mut command = ns(&place.path("root"));
    command.env("XDG_CONFIG_HOME", place.path("config")).env("SEEN", "1").env("HIDDEN", "2");
    let ran = run(command.args(["run", "-e", script]));
    let lines: Vec<&str> = ran.stdout.lines().collect();
    assert_eq!(lines[..4], ["a.secret false", "private/a.txt false", "a.md false", "a.txt true"], "{}", ran.stderr);
    assert!(
        lines[4].starts_with("the policy refuses `FS.DeleteFile`: it is in `deny` as `FS.DeleteFile` ("),
        "{}",
        lines[4]
    );
    assert!(lines[4].ends_with("(the user's neuroscript.toml:7)"), "{}", lines[4]);
    assert_eq!(lines[5], "[\"SEEN\"]");
    assert!(place.path("root/.ns/audit.jsonl").exists(), "the log is kept");
}

#[test]
fn refusals_name_the_file_and_the_line() {
    let place = Place::new("");
    place.write(
        "root/neuroscript.toml",
        "# one\n[policy]\nblocked_patterns = [\n  \"*.txt\",\n  \"*.log\",\n]\nmax_file_size = 3\n",
    );
    let call = |arguments: &str| run(ns(&place.path("root")).args(["call", "write_file", arguments])).stderr;
    let refused = call("{\"file_path\": \"a.log\", \"content\": \"\"}");
    assert!(refused.contains("it matches `*.log` of `blocked_patterns` (neuroscript.toml:5)"), "{refused}");
    assert!(refused.contains("change `blocked_patterns` at neuroscript.toml:5 to allow it"), "{refused}");
    let refused = call("{\"file_path\": \"a\", \"content\": \"four\"}");
    assert!(refused.contains("`max_file_size` (neuroscript.toml:7)"), "{refused}");
    let refused = call("{\"file_path\": \".env\", \"content\": \"\"}");
    assert!(refused.contains("of `blocked_patterns` (built in)"), "{refused}");
}

/// A malformed file in any layer stops everything and is named; two of them are both reported.
#[test]
fn a_malformed_file_in_any_layer_is_told() {
    let paths = ["config/neuroscript/neuroscript.toml", "policy.toml", "root/neuroscript.toml"];
    for bad in ["[policy]\nread_onyl = true\n", "[", "read_only = \u{1}", "[policy]\nread_only = 1\n"] {
        for path in paths {
            let place = Place::new("");
            place.write(path, bad);
            let ran = run(place.ns().env("XDG_CONFIG_HOME", place.path("config")).args(["run", "-e", "EMIT 1"]));
            assert_eq!((ran.code, ran.stdout.as_str()), (2, ""), "{path} {bad:?}: {}", ran.stderr);
            let name = path.rsplit('/').next().expect("a name");
            assert!(ran.stderr.contains(name), "{path}: {}", ran.stderr);
        }
    }
    let place = Place::new("[policy]\nread_only = 1\n");
    place.write("root/neuroscript.toml", "[policy]\nread_only = 2\n");
    let ran = run(place.ns().args(["run", "-e", "EMIT 1"]));
    assert!(ran.stderr.contains("policy.toml:2") && ran.stderr.contains(" neuroscript.toml:2"), "{}", ran.stderr);
    let place = Place::new("");
    std::os::unix::fs::symlink("/nowhere", place.path("config/neuroscript/neuroscript.toml")).expect("a link");
    let ran = run(place.ns().env("XDG_CONFIG_HOME", place.path("config")).args(["run", "-e", "EMIT 1"]));
    assert_eq!(ran.code, 2, "a link that leads nowhere is no missing file: {}", ran.stderr);
}

/// The table of `docs/policy.md` equals that of the code.
#[test]
fn the_table_of_the_documentation_is_that_of_the_keys() {
    let path = package("docs/policy.md");
    let page = std::fs::read_to_string(&path).expect("the page");
    let rows = policy_keys().map(|row| format!("| `{}` | `[{}]` | {} |\n", row.name, row.section, row.combines));
    let table = format!("| key | table | of several files holds |\n|---|---|---|\n{}", rows.collect::<String>());
    let (begin, end) = ("<!-- keys -->\n", "<!-- /keys -->");
    let (before, rest) = page.split_once(begin).expect("the table begins");
    let (found, after) = rest.split_once(end).expect("the table ends");
    if std::env::var_os("UPDATE").is_some() {
        std::fs::write(&path, format!("{before}{begin}{table}{end}{after}")).expect("the page is written");
    } else {
        assert_eq!(found, table, "UPDATE=1 accepts what is new");
    }
}
