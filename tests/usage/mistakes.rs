//! Mistakes on the command line of a script: each is reported once, with the usage or the nearest option, and nothing
//! runs.

use std::fs;

use neuroscript::engine::OWN_OPTIONS;

use super::{HELP, TIDY, ns, place};
use crate::support::{Ran, ns_without_sandbox, with_input};

#[test]
fn a_mistake_is_told_with_the_usage_and_nothing_runs() {
    let place = place(&[("tidy.ns", TIDY)]);
    for (words, named) in [
        (&["tidy.ns"][..], "the argument `FOLDER` is missing"),
        (&["run", "tidy.ns"], "give the folder to tidy"),
        (&["tidy.ns", "a", "b", "c"], "`c` is too much: the script takes at most 2 arguments"),
        (&["tidy.ns", "a", "--most", "many"], "`--most` needs a whole number, not `many`"),
        (&["tidy.ns", "a", "--most"], "`--most` needs a value"),
        (&["tidy.ns", "a", "--nwer-than", "7d"], "did you mean `--newer-than`?"),
        (&["tidy.ns", "--version"], "`ns --version` shows the version of `ns`"),
        (&["tidy.ns", "a", "--", "--plan"], "the script does not have an option `--plan`"),
    ] {
        let ran = ns(place.path(), words);
        assert_eq!((ran.code, ran.stdout.as_str()), (2, ""), "{words:?}");
        assert!(ran.stderr.contains(named) && ran.stderr.ends_with(HELP), "{words:?}\n{}", ran.stderr);
        assert!(!place.path().join("ran.txt").exists(), "{words:?}");
    }
    let planned = ns(place.path(), &["tidy.ns", "--plan=json"]);
    assert_eq!((planned.code, planned.stdout.as_str()), (2, ""), "{}", planned.stderr);
}

/// For an option that resembles none of the script, the help lists the parameters of the script.
#[test]
fn an_unknown_option_is_told_with_what_the_script_takes() {
    let one = "DEFINE PROCEDURE Main(folder, most: 5)\n  EMIT folder, most\nEND\n";
    let none = "DEFINE PROCEDURE Main()\n  EMIT 1\nEND\n";
    let place = place(&[("tidy.ns", TIDY), ("one.ns", one), ("none.ns", none), ("args.ns", "EMIT ARGS\n")]);
    for option in ["--n", "-n", "--zzz", "--zzz=5"] {
        for (words, takes) in [
            (&["tidy.ns", "a"][..], "the script takes FOLDER [ARCHIVE] and the options `--newer-than TEXT`"),
            (&["one.ns", "a"], "the script takes FOLDER and the option `--most N`"),
            (&["none.ns"], "the script takes no arguments and no options"),
            (&["args.ns"], "the script declares no options: write `-- "),
        ] {
            let ran = ns(place.path(), &[words, &[option, "x"]].concat());
            assert!(ran.code == 2 && ran.stderr.contains(takes), "{words:?} {option}: {}", ran.stderr);
        }
    }
}

/// A suggestion is always the nearest option, by the script or by `ns`, and there is none where nothing is near.
#[test]
fn the_nearest_option_is_suggested() {
    let names = ["go", "folder", "limit", "newer-than", "x"];
    let place = place(&[("s.ns", "func Main(go: false, folder: \"\", limit: 1, newer_than: nil, x: 1) means\nend\n")]);
    let all = || names.iter().chain(&OWN_OPTIONS);
    let mut suggested = 0;
    for name in all() {
        for word in misspelt(name).into_iter().filter(|word| !all().any(|known| known == word)) {
            let ran = ns(place.path(), &["s.ns", &format!("--{word}=1")]);
            assert_eq!((ran.code, ran.stdout.as_str()), (2, ""), "--{word}: {}", ran.stderr);
            let Some(near) = ran.stderr.split("did you mean `--").nth(1).and_then(|rest| rest.split('`').next()) else {
                let is_short = name.len() < 3 || word.len() < 3;
                assert!(is_short, "--{word}, for --{name}: {}", ran.stderr);
                continue;
            };
            let distance = |name: &str| strsim::damerau_levenshtein(&word, name);
            let least = all().map(|name| distance(name)).min();
            let is_begin = near.starts_with(word.as_str());
            assert!(is_begin || Some(distance(near)) == least, "--{word}: --{near}, not --{name}");
            suggested += 1;
        }
    }
    assert!(suggested > 60, "{suggested}");
    for word in ["zebra", "gooo", "og", "g", "z", "destination"] {
        let ran = ns(place.path(), &["s.ns", &format!("--{word}")]);
        assert!(ran.code == 2 && !ran.stderr.contains("did you mean"), "--{word}: {}", ran.stderr);
    }
    assert!(ns(place.path(), &["s.ns", "--goo"]).stderr.contains("did you mean `--go`?"));
}

/// Returns a name with a letter too many, one too few, one exchanged, and two in the wrong order.
fn misspelt(name: &str) -> Vec<String> {
    let middle = name.len() / 2;
    let (first, second) = name.split_at(middle);
    let letters: Vec<char> = name.chars().collect();
    let mut swapped = letters.clone();
    swapped.swap(middle, middle.saturating_sub(1));
    let swapped: String = swapped.into_iter().collect();
    let mut words = vec![format!("{first}o{second}"), format!("{name}{}", letters[letters.len() - 1]), swapped];
    words.push(format!("{first}{}", &second[1..]));
    words.push(format!("{first}w{}", &second[1..]));
    words.retain(|word| !word.is_empty() && word != name);
    words
}

const UNCALLED: &str = "SET days = 30\nDEFINE PROCEDURE Main(folder)\n  EMIT folder, days\nEND\n";

#[test]
fn a_run_that_leaves_main_out_says_so_wherever_the_messages_go() {
    let place = place(&[("days.ns", UNCALLED)]);
    for words in [&["days.ns"][..], &["days.ns", "--plan"], &["days.ns", "--help"], &["run", "days.ns", "x"]] {
        let Ran { code, stderr, .. } = ns(place.path(), words);
        let wanted = if words.contains(&"x") { 2 } else { 0 };
        assert!(stderr.starts_with("warning[NS0123]: `Main` is never called"), "{words:?}: {stderr}");
        assert!(code == wanted && stderr.matches("NS0123").count() == 1, "{words:?}: {stderr}");
    }
    let Ran { stderr, .. } = with_input(ns_without_sandbox().current_dir(place.path()), UNCALLED);
    assert!(stderr.contains("NS0123"), "{stderr}");
    for words in [&["--quiet", "days.ns"][..], &["days.ns", "--proc", "Main", "x"]] {
        let Ran { stderr, .. } = ns(place.path(), words);
        assert!(!stderr.contains("NS0123"), "{words:?}: {stderr}");
    }
    fs::write(place.path().join("page.md"), format!("```neuroscript\n{UNCALLED}```\n")).expect("a page");
    for words in [["run", "page.md"], ["check", "page.md"]] {
        assert!(!ns(place.path(), &words).stderr.contains("NS0123"), "{words:?}");
    }
    let Ran { code, stderr, .. } = ns(place.path(), &["days.ns", "x", "--days", "7"]);
    assert!(code == 2 && stderr.starts_with("warning[NS0123]"), "{stderr}");
}

/// Heads of `Main`, each with words that fit it.
const HEADS: [(&str, &[&str]); 6] = [
    ("a, b: 1", &["x", "--b", "2"]),
    ("", &[]),
    ("a, b, limit: 5", &["x", "y", "--limit", "7"]),
    ("folder, newer_than: nil, go: false, keep: true", &["x", "--newer-than", "7d", "--go"]),
    ("ratio: 0.5, skip: [], vars: {}", &["--ratio", "2", "--skip", "a", "--vars", "k=v"]),
    ("numbers: [1]", &["--numbers", "3"]),
];

/// Words that spoil every command line, and what the report says of each.
const WRONG: [(&str, &str); 12] = [
    ("--zz", "neither `ns` nor the script has an option `--zz`"),
    ("--n", "neither `ns` nor the script has an option `--n`"),
    ("-q9", "neither `ns` nor the script has an option `-q9`"),
    ("--zz=4", "neither `ns` nor the script has an option `--zz`"),
    ("--no-zz", "neither `ns` nor the script has an option `--no-zz`"),
    ("--tree_", "neither `ns` nor the script has an option `--tree_`"),
    ("-", "`-` is too much"),
    ("extra", "`extra` is too much"),
    ("/zz", "`/zz` is too much"),
    ("zz=1", "`zz=1` is too much"),
    ("\u{2014}zz", "`\u{2014}zz` is too much"),
    ("-4", "`-4` is too much"),
];

/// One wrong word is one finding, which names that word; an option that the help suggests is one.
#[test]
fn each_wrong_word_is_reported_once_and_the_help_fits() {
    for (head, good) in HEADS {
        let script = format!("DEFINE PROCEDURE Main({head})\n  EMIT 1\nEND\n");
        let place = place(&[("s.ns", &script)]);
        let told = |words: &[&str]| ns(place.path(), &[&["s.ns"][..], words].concat());
        assert_eq!(told(good).code, 0, "{head}");
        for (wrong, said) in WRONG {
            let words = [good, &[wrong][..]].concat();
            let Ran { code, stdout, stderr } = told(&words);
            assert!(code == 2 && stdout.is_empty() && stderr.contains(said), "{head} {words:?}: {stderr}");
            assert_eq!(stderr.matches("error[").count(), 1, "{head} {words:?}: {stderr}");
            for suggested in stderr.split("did you mean `").skip(1).map(|rest| &rest[..rest.find('`').unwrap_or(0)]) {
                let Ran { stderr, .. } = told(&[good, &[suggested][..]].concat());
                assert!(!stderr.contains("has an option"), "{head} {wrong}: {suggested}: {stderr}");
            }
        }
    }
}

/// Every option of a head, spoiled in its spelling, its value and its number.
#[test]
fn a_mistake_with_an_option_names_it_and_what_it_takes() {
    let head = "folder, limit: 5, ratio: 0.5, go: false, name: nil, skip: [], vars: {}";
    let place = place(&[("s.ns", &format!("DEFINE PROCEDURE Main({head})\n  EMIT 1\nEND\n"))]);
    for (words, message, help) in [
        ("x --limit", "`--limit` needs a value", "write `--limit N`"),
        ("x --name --go", "`--name` needs a value", "if it is the value, write `--name=--go`"),
        ("--folder", "`--folder` needs a value", "write `--folder TEXT`"),
        ("x --limit=", "`--limit` needs a whole number, not an empty text", "write `--limit N`"),
        ("x --limit 1.5", "`--limit` needs a whole number, not `1.5`", "write `--limit N`"),
        ("x --limit 99999999999999999999", "a whole number of 64 bits", "write `--limit N`"),
        ("x --ratio half", "`--ratio` needs a number, not `half`", "write `--ratio NUMBER`"),
        ("x --vars k", "`--vars` needs `KEY=VALUE`, not `k`", "write `--vars KEY=VALUE`"),
        ("x --limit 1 --limit 2", "`--limit` gives `limit` a second value", "give it once"),
        ("x --go --no-go", "`--no-go` gives `go` a second value", "give it once"),
        ("x --go=yes", "`--go` is true or false, not `yes`", "write `--go` alone"),
        ("x --go false", "`false` is not read as the value of `--go`", "write `--go=false`"),
        ("x --no-limit", "there is no `--no-limit`", "write `--limit N`, or leave it out"),
        ("x --no-go=true", "`--no-go` takes no value", "leave it out"),
        ("x --folder y", "`x` is too much", "leave it out, or `--folder`, which gives an argument by its name"),
        ("x limit=7", "`limit=7` is too much", "an option is written `--limit=7`"),
        ("x /go", "`/go` is too much", "an option is written `--go`"),
        ("x \u{2014}limit", "`\u{2014}limit` is too much", "an option is written `--limit`"),
        ("x -limit 7", "has an option `-limit`", "did you mean `--limit`?"),
        ("x --lim 7", "has an option `--lim`", "did you mean `--limit`?"),
        ("x --LIMIT 7", "has an option `--LIMIT`", "did you mean `--limit`?"),
        ("x -l 7", "has an option `-l`", "the script takes FOLDER and the options `--limit N`"),
        ("x --zz", "has an option `--zz`", "the script takes FOLDER and the options `--limit N`"),
        ("", "the argument `FOLDER` is missing", "give it by its place"),
    ] {
        let words: Vec<&str> = ["s.ns"].into_iter().chain(words.split_whitespace()).collect();
        let Ran { code, stderr, .. } = ns(place.path(), &words);
        assert!(code == 2 && stderr.contains(message) && stderr.contains(help), "{words:?}: {stderr}");
        assert!(stderr.matches("error[").count() == 1 && stderr.contains("Usage: ns s.ns"), "{words:?}: {stderr}");
    }
}
