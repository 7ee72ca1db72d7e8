//! Options that a script and `ns` both have, and short options.

use neuroscript::engine::OWN_OPTIONS;

use super::{ns, place};

#[test]
fn an_option_that_ns_has_too_is_refused_where_either_could_be_meant() {
    let text = "DEFINE PROCEDURE Main(output: \"x\", seed: 1)\n  EMIT output, seed\nEND\n";
    let place = place(&[("s.ns", text)]);
    for words in [&["s.ns", "--output", "json"][..], &["run", "s.ns", "--output=json"], &["s.ns", "--seed", "5"]] {
        let ran = ns(place.path(), words);
        assert!(ran.code == 2 && ran.stdout.is_empty(), "{words:?} {}", ran.stdout);
        assert!(ran.stderr.contains("is an option of `ns` and of the script"), "{}", ran.stderr);
    }
    assert_eq!(ns(place.path(), &["--output", "json", "s.ns"]).stdout, "[\"x\",1]\n");
    assert_eq!(ns(place.path(), &["s.ns", "--", "--output", "json", "--seed=5"]).stdout, "json5\n");
    let checked = ns(place.path(), &["check", "s.ns"]);
    assert_eq!(checked.stderr.matches("warning[NS0120]").count(), 2, "{}", checked.stderr);
}

/// For each option that `ns run` has too, the spelling shown in the script's usage reaches the script, and the plain
/// one is never ignored silently.
#[test]
fn the_usage_shows_a_spelling_that_reaches_the_script() {
    for option in OWN_OPTIONS {
        let name = option.replace('-', "_");
        for (default, given, value) in [("false", "", "true"), ("\"\"", " seen", "seen"), ("[]", " seen", "[\"seen\"]")]
        {
            let text = format!("DEFINE PROCEDURE Main({name}: {default})\n  EMIT \"got \", {name}\nEND\n");
            let place = place(&[("s.ns", &text)]);
            let help = ns(place.path(), &["s.ns", "--help"]).stdout;
            let row = help.lines().find(|line| line.contains(&format!("--{option}"))).expect("it is listed").trim();
            let shown: Vec<&str> = row.split("  ").next().unwrap_or(row).split([' ', '=']).collect();
            assert_eq!(shown[..2], ["--", &*format!("--{option}")], "{row}");
            let value_behind = if row.contains('=') { "=" } else { " " };
            let given = if given.is_empty() && value_behind == "=" { " true" } else { given };
            let written = format!("s.ns -- --{option}{}", given.replace(' ', value_behind));
            let ran = ns(place.path(), &written.split(' ').collect::<Vec<_>>());
            assert_eq!((ran.code, &*ran.stdout), (0, &*format!("got {value}\n")), "{written}: {}", ran.stderr);
            // Before the separator it is refused, or only `ns` has it and shows that.
            let plain = format!("s.ns --{option}{given}");
            let ran = ns(place.path(), &plain.split(' ').collect::<Vec<_>>());
            let is_seen = ran.code != 0 || option == "help" && ran.stdout == help;
            assert!(is_seen && !ran.stdout.contains("got"), "{plain}: {}{}", ran.stdout, ran.stderr);
            let checked = ns(place.path(), &["check", "s.ns"]);
            assert_eq!(checked.stderr.matches("warning[NS0120]").count(), 1, "{option}: {}", checked.stderr);
        }
        // The negated form of a flag is an option of the script alone.
        let text = format!("DEFINE PROCEDURE Main({name}: true)\n  EMIT \"got \", {name}\nEND\n");
        let place = place(&[("s.ns", &text)]);
        let help = ns(place.path(), &["s.ns", "--help"]).stdout;
        assert!(help.contains(&format!("  --no-{option}  ")), "{help}");
        assert_eq!(ns(place.path(), &["s.ns", &format!("--no-{option}")]).stdout, "got false\n");
    }
}

/// A script has no short options: a one-letter parameter is a long option, whatever `ns` has.
#[test]
fn a_parameter_of_one_letter_is_a_long_option() {
    for letter in ["e", "h", "q", "v", "V", "n"] {
        let text = format!("DEFINE PROCEDURE Main({letter}: false)\n  EMIT \"got \", {letter}\nEND\n");
        let place = place(&[("s.ns", &text)]);
        assert!(ns(place.path(), &["s.ns", "--help"]).stdout.contains(&format!("  --{letter}\n")), "{letter}");
        assert_eq!(ns(place.path(), &["s.ns", &format!("--{letter}")]).stdout, "got true\n");
        assert_eq!(ns(place.path(), &["check", "s.ns"]).stderr, "", "{letter}");
        let short = ns(place.path(), &["s.ns", &format!("-{letter}")]);
        assert!(!short.stdout.contains("got true"), "{letter}: {}", short.stdout);
    }
}

/// A short option is that of `ns`, even if the script has an option with the long name.
#[test]
fn a_short_option_is_never_that_of_the_script() {
    let text = "DEFINE PROCEDURE Main(quiet: false, verbose: false)\n  EMIT quiet, verbose\nEND\n";
    let place = place(&[("s.ns", text)]);
    for words in [&["s.ns", "-q"][..], &["s.ns", "-v"], &["-qv", "s.ns"], &["s.ns", "-vq"]] {
        let ran = ns(place.path(), words);
        assert_eq!((ran.code, ran.stdout.as_str()), (0, "falsefalse\n"), "{words:?} {}", ran.stderr);
    }
    assert_eq!(ns(place.path(), &["s.ns", "-q", "--", "--verbose"]).stdout, "falsetrue\n");
}
