//! Mistakes that the declarations of the commands find: one form, and the nearest name.

use super::help::all_commands;
use super::{ns, place};

/// Returns the long options that a help text lists.
fn options_in(help: &str) -> Vec<String> {
    let option = |line: &str| {
        let line = line.trim_start();
        let rest = line
            .strip_prefix("--")
            .or_else(|| line.split_once(", --").filter(|(short, _)| short.len() == 2).map(|(_, rest)| rest))?;
        Some(rest.split(|c: char| !(c.is_ascii_alphanumeric() || c == '-')).next()?.to_owned())
    };
    help.lines().filter(|line| line.trim_start().starts_with('-')).filter_map(option).collect()
}

/// Every option of every command, with two letters exchanged, is named in the help of the error.
#[test]
fn a_misspelt_option_of_a_command_is_named_with_the_nearest() {
    let place = place();
    let mut tried = 0;
    for (command, help) in all_commands(place.path()) {
        // The lines that may run a script have tests of their own.
        if command.is_empty() || command[0] == "run" {
            continue;
        }
        let options = options_in(&help);
        assert!(options.iter().any(|option| option == "sandbox"), "{command:?}: {options:?}");
        let own: Vec<&String> = options.iter().filter(|option| option.len() > 4 && *option != "help").collect();
        // All commands share most options.
        for option in own
            .iter()
            .take(2)
            .chain(own.iter().filter(|option| !["sandbox", "policy"].contains(&option.as_str())).take(3))
        {
            let (head, tail) = option.split_at(option.len() - 2);
            let misspelt: String = head.chars().chain(tail.chars().rev()).collect();
            if options.contains(&misspelt) {
                continue;
            }
            let words: Vec<&str> = command.iter().map(String::as_str).collect();
            let given = format!("--{misspelt}");
            let ran = ns(place.path(), &[&words[..], &[&given]].concat());
            let wanted = format!(
                "error: `ns {}` has no option `{given}`\n  = help: did you mean `--{option}`?\n",
                words.join(" ")
            );
            assert_eq!((ran.code, ran.stderr.as_str(), ran.stdout.as_str()), (2, wanted.as_str(), ""), "{words:?}");
            tried += 1;
        }
    }
    assert!(tried > 80, "{tried} options were tried");
}

#[test]
fn other_mistakes_say_what_is_taken() {
    let place = place();
    for (line, message, help) in [
        ("log --plan", "`ns log` has no option `--plan`", "`--plan` is an option of `ns run` and `ns FILE`"),
        ("log -x", "`ns log` has no option `-x`", "`ns log --help` shows what it takes"),
        ("log word", "`ns log` takes no word `word`", "`ns log --help` shows what it takes"),
        ("mcp --write true", "`ns mcp` takes no word `true`", "the value is joined to its option: `--write=true`"),
        ("mcp --write word", "`ns mcp` takes no word `word`", "`ns mcp --help` shows what it takes"),
        ("mcp --write=yes", "`yes` is no value of `--write[=<BOOL>]`", "the values are `true`, `false`"),
        (
            "log 3",
            "`ns log` takes no word `3`",
            "`ns log -n 3` lists 3 runs at most; `ns show 3` shows the run of this name",
        ),
        ("--timeout 3 log --zzzzzz", "`ns log` has no option `--zzzzzz`", "`ns log --help` lists its options"),
        ("--sandbox test log --zzzzzz", "`ns log` has no option `--zzzzzz`", "`ns log --help` lists its options"),
        (
            "memory --sandbox list get",
            "`ns memory get` needs `<KEY>`",
            "write `ns memory get <KEY>`; `ns memory get --help` says more",
        ),
        (
            "tools --output yml",
            "`yml` is no value of `--output <FORMAT>`",
            "the values are `auto`, `table`, `json`, `jsonl`, `raw`",
        ),
        (
            "tools --output jsn",
            "`jsn` is no value of `--output <FORMAT>`",
            "did you mean `json`? the values are `auto`, `table`, `json`, `jsonl`, `raw`",
        ),
        ("log -n", "`--limit <N>` has no value", "`ns log --help` shows what it takes"),
        ("log -n x", "`x` is no value of `--limit <N>`: it is no whole number", "`ns log --help` shows what it takes"),
        (
            "run --max-steps 99999999999999999999 s.ns",
            "`99999999999999999999` is no value of `--max-steps <N>`: it is too large",
            "`ns run --help` shows what it takes",
        ),
        (
            "run --max-steps 0 s.ns",
            "`0` is no value of `--max-steps <N>`: it must be at least 1",
            "`ns run --help` shows what it takes",
        ),
        (
            "test --jobs 0",
            "`0` is no value of `--jobs <N>`: expected a number of threads from 1 to 64",
            "`ns test --help` shows what it takes",
        ),
        (
            "run --max-steps -1 s.ns",
            "`ns run` has no option `-1`",
            "a value that begins with `-` is joined to its option: `--option=-1`",
        ),
        ("log --quiet=3", "`--quiet` takes no value `3`", "`ns log --help` shows what it takes"),
        ("memory lst", "`ns memory` has no command `lst`", "did you mean `ns memory list`?"),
        ("memory zzzzzz", "`ns memory` has no command `zzzzzz`", "`ns memory --help` lists them"),
        (
            "memory get",
            "`ns memory get` needs `<KEY>`",
            "write `ns memory get <KEY>`; `ns memory get --help` says more",
        ),
        (
            "run --timeout x s.ns",
            "`x` is no value of `--timeout <SECONDS>`: expected a time above 0 such as 5, 0.5 or 200ms",
            "`ns run --help` shows what it takes",
        ),
        ("undo --force --skip", "`--force` and `--skip` exclude each other", "leave one of them out"),
        ("audit show -q -q", "`--quiet` is given twice", "leave one of them out"),
    ] {
        let ran = ns(place.path(), &line.split(' ').collect::<Vec<_>>());
        let wanted = format!("error: {message}\n  = help: {help}\n");
        assert_eq!((ran.code, ran.stderr.as_str(), ran.stdout.as_str()), (2, wanted.as_str(), ""), "{line}");
    }
}

/// `--output` is honoured: every command prints JSON with it, or refuses it and names its own option.
#[test]
fn the_form_of_a_value_is_given_or_refused() {
    let place = place();
    super::write(place.path(), "s.ns", "EMIT 1\n");
    super::write(place.path(), "d.md", "text\n");
    let (mut given, mut refused) = (0, 0);
    for (command, help) in all_commands(place.path()) {
        let words: Vec<&str> = command.iter().map(String::as_str).collect();
        let more: &[&str] = match words[..] {
            // These have commands inside, or serve until their input ends.
            [] | ["memory" | "audit" | "repl"] => continue,
            ["run" | "check" | "fmt"] => &["s.ns"],
            ["render"] => &["d.md"],
            ["new"] => &["n.ns"],
            ["explain"] => &["NS0101"],
            ["completions"] => &["bash"],
            ["call"] => &["FS.Exists", "{\"path\": \"s.ns\"}"],
            ["memory", "set"] => &["k", "1"],
            ["memory", "get" | "delete"] => &["k"],
            ["memory", "import"] | ["apply"] => &["/dev/null"],
            _ => &[],
        };
        let ran = ns(place.path(), &[&words[..], more, &["--output", "json"]].concat());
        if ran.stderr.contains("`--output` is the form of a value") {
            assert_eq!((ran.code, ran.stdout.as_str()), (2, ""), "{words:?}");
            let named = ran.stderr.split('`').find(|word| word.starts_with("--") && *word != "--output");
            let option = named.and_then(|word| word.split(' ').next());
            assert!(option.is_none_or(|option| help.contains(option)), "{words:?}: {}", ran.stderr);
            refused += 1;
        } else if !ran.stdout.trim().is_empty() {
            let json = ran.stdout.lines().all(|line| serde_json::from_str::<serde_json::Value>(line).is_ok())
                || serde_json::from_str::<serde_json::Value>(&ran.stdout).is_ok();
            assert!(json, "{words:?}: {}", ran.stdout);
            given += 1;
        }
    }
    assert!(given > 6 && refused > 10, "{given} {refused}");
}
