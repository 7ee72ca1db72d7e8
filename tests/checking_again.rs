//! Checks of a text that changes: each finds what the first check of that version finds, and looks only at what is new.

use std::path::Path;

use neuroscript::engine::{Engine, KnownTexts, Options, Script};
use neuroscript::text::Diagnostic;

use crate::support::dice::Dice;

/// Lines of procedures. Most names stand for something only while other lines of the script are there.
const BODY: [&str; 44] = [
    "  SET a = 1\n",
    "  SET b = a + 1\n",
    "  EMIT a, b\n",
    "  EMIT c\n",
    "  RETURN a\n",
    "  SET c = F(a)\n",
    "  EMIT G(1, 2)\n",
    "  EMIT m.F(1)\n",
    "  EMIT m.K(b: 2)\n",
    "  SET d.k = a\n",
    "  EMIT d\n",
    "  SET d = {}\n",
    "  SET a = a + 1\n",
    "  EMIT ```{{a}} {{b.c}}```\n",
    "  EMIT \"size {a}\"\n",
    "  EMIT \"size {c}\"\n",
    "  EMIT EVAL(a)\n",
    "  EMIT EVAL(\"{{b}}\")\n",
    "  EMIT STR.Format(\"{}\", [a])\n",
    "  EMIT STR.Format(b, [a])\n",
    "  EMIT LIST.Map([1], F)\n",
    "  EMIT LIST.Map([1], \"G\")\n",
    "  EMIT LIST.Map([1], \"\\u0047\")\n",
    "  EMIT \"a\\nb\"\n",
    "  CALL FS.Stat(\"x\")\n",
    "  SET r = FS.DeleteFile(\"x\")\n",
    "  EMIT r.error\n",
    "  EMIT LAST\n",
    "  EMIT LAST_ERROR\n",
    "  EMIT ARGS\n",
    "  CALL tool.fs.Read(\"x\")\n",
    "  EMIT tool.str.Substring(a, 1, 2)\n",
    "  FOR EACH a IN [1] DO\n    EMIT a\n  END\n",
    "  IF a > 1 THEN\n    EMIT b\n  ELSE\n  END\n",
    "  ON ERROR DO\n    CLEAR_ERROR\n  END\n",
    "  MUST CALL FS.Stat(\"x\")\n",
    "  EMIT 7 -- a\n",
    "  # ns: allow NS0112\n",
    "  # a\n",
    "  EMIT TIME.Now() - 7\n",
    "  BREAK\n",
    "  SET = 3\n",
    "  EMIT nope\n",
    "  EMIT FS.ReadFile(\"../x\")\n",
];
const HEADS: [&str; 10] = [
    "DEFINE PROCEDURE F(a)\n",
    "DEFINE PROCEDURE F(a, b: 1)\n",
    "DEFINE PROCEDURE F(a, b)\n",
    "DEFINE PROCEDURE G(a, b)\n",
    "DEFINE PROCEDURE G(b)\n",
    "DEFINE PROCEDURE H()\n",
    "DEFINE PROCEDURE K(a: 1, b: 2)\n",
    "DEFINE PROCEDURE Main(a)\n",
    "DEFINE PROCEDURE a(c)\n",
    "func P needs b means\n",
];
const TOP: [&str; 17] = [
    "USE \"m.ns\" AS m\n",
    "USE \"m.ns\" AS d\n",
    "SET a = 1\n",
    "SET b = 2\n",
    "SET c = F(1)\n",
    "SET d.k = 2\n",
    "SET r = FS.DeleteFile(\"x\")\n",
    "FOR EACH b IN [1] DO\n  EMIT b\nEND\n",
    "CALL FS.Stat(\"y\")\n",
    "CALL Main(1)\n",
    "EMIT LAST_ERROR\n",
    "EMIT LAST\n",
    "EMIT a\n",
    "EMIT STR.Format(a, [1])\n",
    "EMIT nothing_sets_this\n",
    "# ns: allow NS0112\n",
    ":: arg a: b\n",
];
/// Pieces that leave the structure of a text uncertain.
const BROKEN: [&str; 8] = ["\"", "'''", "END\n", "IF a THEN\n", "a b c\n", "(", "DEFINE PROCEDURE\n", "x"];

fn procedure(dice: &mut Dice) -> String {
    let mut text = dice.pick(&HEADS).to_owned();
    (0..dice.below(5)).for_each(|_| text.push_str(dice.pick(&BODY)));
    text.push_str(if text.starts_with("func") { "endfunc\n" } else { "END\n" });
    text
}

/// Returns the start of a random line.
fn line_start(text: &str, dice: &mut Dice) -> usize {
    let at = text.floor_char_boundary(dice.below(text.len() + 1));
    text[..at].rfind('\n').map_or(0, |end| end + 1)
}

fn edit(text: &mut String, dice: &mut Dice) {
    let at = line_start(text, dice);
    let end = text[at..].find('\n').map_or(text.len(), |length| at + length + 1);
    match dice.below(12) {
        0..=4 => text.insert_str(at, dice.pick(&BODY)),
        5 | 6 => text.insert_str(0, dice.pick(&TOP)),
        7 => text.push_str(dice.pick(&TOP)),
        8 | 9 => text.push_str(&procedure(dice)),
        10 => text.replace_range(at..end, ""),
        _ => {
            // The next edit repairs it, as a rule.
            let piece = dice.pick(&BROKEN);
            text.insert_str(at, piece);
        }
    }
}

/// The result of a check.
#[derive(Debug, PartialEq)]
struct CheckResult {
    findings: Vec<String>,
    info: String,
    has_errors: bool,
}

fn check(engine: &Engine, script: &Script, known: Option<&KnownTexts>) -> CheckResult {
    let analysis = known.map_or_else(|| engine.analyze(script), |known| engine.analyze_again(script, known));
    let checked = &analysis.checked;
    CheckResult {
        findings: checked.findings.iter().map(|finding| format!("{finding:?}")).collect(),
        info: serde_json::to_string(&checked.info).unwrap(),
        has_errors: checked.findings.iter().any(Diagnostic::is_error),
    }
}

fn engine(folder: &Path) -> Engine {
    Engine::open(&Options { sandbox: Some(folder.to_owned()), ..Options::default() }).unwrap()
}

/// 300 edits, 200,000 with `NS_LONG=1`.
#[test]
fn a_text_that_changes_has_the_findings_of_a_new_one() {
    let edits = if std::env::var_os("NS_LONG").is_some() { 200_000 } else { 300 };
    let folder = tempfile::tempdir().unwrap();
    let module = folder.path().join("m.ns");
    std::fs::write(&module, "").unwrap();
    let engine = engine(folder.path());
    let mut dice = Dice::new(11);
    let (mut known, mut skipped) = (KnownTexts::default(), 0);
    let mut texts = [String::new(), String::new()];
    let mut valid = texts.clone();
    for number in 0..edits {
        if number % 200 == 0 {
            known = KnownTexts::default();
            texts = Default::default();
            valid = Default::default();
        }
        let [text, used] = &mut texts;
        edit(text, &mut dice);
        if dice.one_in(10) {
            edit(used, &mut dice);
        }
        engine.set_open_text(&module, Some(used));
        let script = Script::new("a.ns", text.as_str());
        let again = check(&engine, &script, Some(&known));
        assert_eq!(again, check(&engine, &script, None), "edit {number}, module:\n{used}script:\n{text}");
        skipped += known.skipped_procedures();
        // Most errors are taken back at once, so that most versions have few.
        if !again.has_errors {
            valid.clone_from(&texts);
        } else if !dice.one_in(4) {
            texts.clone_from(&valid);
        }
    }
    assert!(skipped > edits, "{skipped} procedures were skipped");
}

/// A module and a script whose procedures each depend on something outside them.
const MODULE: &str = "DEFINE PROCEDURE Make(a, b: 1)
  RETURN a + b
END
DEFINE PROCEDURE Other(a)
  EMIT a
END
";
const SCRIPT: &str = r#"USE "m.ns" AS made
SET limit = 3
SET shared = 4
SET box = {}
SET box.k = 1
SET deep = {}
SET kept = FS.DeleteFile("x")
SET kept = FS.DeleteFile("y")
SET mined = 1
FOR EACH looped IN [1] DO
  EMIT looped
END
DEFINE PROCEDURE Reads(x)
  EMIT shared, limit, x
END
DEFINE PROCEDURE ReadsResult()
  EMIT kept.error, box.k
END
DEFINE PROCEDURE Calls()
  EMIT Adds(1, 2)
END
DEFINE PROCEDURE Names()
  EMIT LIST.Map([1], Adds), LIST.Map([1], "Adds")
END
DEFINE PROCEDURE Escapes()
  EMIT LIST.Map([1], "Add\u0073")
END
DEFINE PROCEDURE Adds(a, b: 1)
  RETURN a + b
END
DEFINE PROCEDURE CallsModule()
  EMIT made.Make(1, b: 2)
END
DEFINE PROCEDURE Unseen()
  CALL FS.Stat("x")
END
DEFINE PROCEDURE ReadsErrors()
  EMIT LAST_ERROR
END
DEFINE PROCEDURE Upstream()
  CALL tool.fs.Read("x")
END
DEFINE PROCEDURE Braces()
  EMIT "size {limit}"
END
DEFINE PROCEDURE Expands(text)
  EMIT STR.Format(text, [1])
END
DEFINE PROCEDURE Hides()
  SET mine = 1
  EMIT mine
END
DEFINE PROCEDURE ReadsLooped()
  EMIT looped
END
DEFINE PROCEDURE HidesLooped(x)
  IF x THEN
    SET looped = 1
    RETURN looped
  END
END
DEFINE PROCEDURE Places()
  SET own.k = 1
  EMIT own
END
DEFINE PROCEDURE Arguments()
  EMIT ARGS
END
DEFINE PROCEDURE Handles()
  ON ERROR AS problem DO
    EMIT problem.message
    CLEAR_ERROR
  END
  IF limit > 2 THEN
    MUST CALL FS.Stat("x")
  ELSE
  END
END
CALL Reads(1)
EMIT deep, kept.error
"#;
/// Lines that change what a word of these procedures means, or what they are reported for.
const OUTSIDE: [&str; 17] = [
    "SET mine = 2\n",
    "SET own = 2\n",
    "SET own.k = 2\n",
    "FOR EACH mine IN [1] DO\n  EMIT mine\nEND\n",
    "SET Adds = 2\n",
    "SET made = 2\n",
    "DEFINE PROCEDURE made(x)\nEND\n",
    "DEFINE PROCEDURE limit(x)\nEND\n",
    "DEFINE PROCEDURE LEN(x)\nEND\n",
    "SET x = missing\n",
    "EMIT limt\n",
    "SET mine = \n",
    "EMIT mine\n",
    "SET looped = 1\n",
    "# A comment that moves what is behind it, further than any of these procedures is long.\nEMIT LAST\n",
    "EMIT LAST\n",
    "EMIT EVAL(LAST)\n",
];

/// Returns the versions of a text that lack a line, or have other parameters or another variable in a head.
fn one_changed(text: &str) -> Vec<String> {
    let lines: Vec<&str> = text.split_inclusive('\n').collect();
    let mut versions = Vec::new();
    for (number, line) in lines.iter().enumerate() {
        let mut others = vec![String::new()];
        if let Some((name, _)) = line.strip_prefix("DEFINE").and_then(|head| head.split_once('(')) {
            others.extend(["", "a", "x, text, b"].map(|params| format!("DEFINE{name}({params})\n")));
        }
        others.extend(line.strip_prefix("FOR EACH ").map(|rest| format!("FOR EACH other{rest}")));
        versions.extend(others.iter().map(|other| lines[..number].concat() + other + &lines[number + 1..].concat()));
    }
    versions
}

/// Every line is removed once, and every piece inserted at some places: at all of them with `NS_LONG=1`. Between two
/// edits the text is as it was, so that what is kept from either version is used for the other.
#[test]
fn every_edit_is_seen_by_the_procedures_that_depend_on_it() {
    let is_long = std::env::var_os("NS_LONG").is_some();
    let folder = tempfile::tempdir().unwrap();
    let module = folder.path().join("m.ns");
    std::fs::write(&module, "").unwrap();
    let engine = engine(folder.path());
    let known = KnownTexts::default();
    let check = |used: &str, text: &str, known: Option<&KnownTexts>| {
        engine.set_open_text(&module, Some(used));
        check(&engine, &Script::new("a.ns", text), known)
    };
    let base = check(MODULE, SCRIPT, None);
    assert!(!base.has_errors && base.findings.len() == 1, "{base:?}");
    let mut skipped = 0;
    let mut compare = |used: &str, text: &str| {
        let fresh = check(used, text, None);
        for _ in 0..2 {
            assert_eq!(check(used, text, Some(&known)), fresh, "module:\n{used}script:\n{text}");
            skipped += known.skipped_procedures();
        }
        assert_eq!(check(MODULE, SCRIPT, Some(&known)), base, "after module:\n{used}script:\n{text}");
    };
    one_changed(MODULE).iter().for_each(|version| compare(version, SCRIPT));
    one_changed(SCRIPT).iter().for_each(|version| compare(MODULE, version));
    let starts: Vec<usize> = [0].into_iter().chain(SCRIPT.match_indices('\n').map(|(end, _)| end + 1)).collect();
    let mut dice = Dice::new(5);
    for piece in [&BODY[..], &HEADS, &TOP, &BROKEN, &OUTSIDE].concat() {
        for (number, start) in starts.iter().enumerate() {
            if is_long || [0, starts.len() - 1].contains(&number) || dice.one_in(200) {
                compare(MODULE, &format!("{}{piece}{}", &SCRIPT[..*start], &SCRIPT[*start..]));
            }
        }
    }
    assert!(skipped > 1_000, "{skipped} procedures were skipped");
}

/// An edit of one procedure, or of the top level, leaves the others as they are, also beside an error.
#[test]
fn only_what_an_edit_concerns_is_checked_again() {
    let folder = tempfile::tempdir().unwrap();
    let engine = engine(folder.path());
    let known = KnownTexts::default();
    let procedures: String = (0..100)
        .map(|number| {
            format!("DEFINE PROCEDURE P{number}(x)\n  EMIT x, limit\n  EMIT P{}(x)\nEND\n", (number + 1) % 100)
        })
        .collect();
    let text = format!("SET limit = 3\nSET other = 4\n{procedures}CALL P0(limit + other)\n");
    let skipped = |text: &str| {
        check(&engine, &Script::new("a.ns", text), Some(&known));
        known.skipped_procedures()
    };
    assert_eq!(skipped(&text), 0);
    assert_eq!(skipped(&text), 100);
    // A letter in one procedure, which then has an error.
    assert_eq!(skipped(&text.replace("P50(x)\n  EMIT x,", "P50(x)\n  EMIT xy,")), 99);
    // A parameter, on which the procedure itself and its caller depend.
    assert_eq!(skipped(&text.replace("PROCEDURE P50(x)", "PROCEDURE P50(x, y: 1)")), 98);
    assert_eq!(skipped(&text), 99);
    // A variable of the script that no procedure mentions, and one that all do.
    assert_eq!(skipped(&text.replace("other", "others")), 100);
    assert_eq!(skipped(&text.replace("SET limit = 3", "SET limits = 3")), 0);
    // Lines before the procedures move them.
    assert_eq!(skipped(&format!("# A comment.\n\n{text}")), 100);
}
