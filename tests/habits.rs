//! Habits from other languages: each construct and name, in several spellings and positions, gets a help that names the
//! equivalent here.

#![allow(clippy::disallowed_methods, reason = "tests set up folders of their own")]

mod names;

use neuroscript::text::Diagnostic;

use crate::support::checker::Checker;
use crate::support::{ns, run};

/// Positions of an expression; `@` is the expression.
const PLACES: [&str; 9] = [
    "EMIT @",
    "emit 1, @",
    "SET v = @",
    "IF @ == 1 THEN\n  EMIT 1\nEND",
    "if true and @ then\n  emit 1\nend",
    "EMIT STR(@)",
    "EMIT [1, @, 2]",
    "EMIT {\"k\": @}",
    "DEFINE PROCEDURE P(a)\n  RETURN @\nEND\nEMIT P(1)",
];

/// Conditional values.
const CONDITIONALS: [&str; 10] = [
    "\"a\" if n > 1 else \"b\"",
    "l[0] IF n > 1 ELSE [n, 2][0]",
    "LEN(\"x\") if n > 1 else {\"a\": 1}.a",
    "n > 1 ? \"a\" : \"b\"",
    "n > 1?n:l[0]",
    "n > 1 ? {\"a\": 1}.a : 2",
    "if n > 1 then \"a\" else \"b\"",
    "IF n > 1 THEN n + 1 ELSE l[0]",
    "if n > 1 then n else 2 end",
    "(if n > 1 then \"else\" else \"?\")",
];

/// Expressions, and the expected part of the help for each.
const EXPRESSIONS: [(&[&str], &str); 29] = [
    (
        &["LIST.Map(l, x => x * 2)", "LIST.Map(l,x=>x*2)", "LIST.Map(l, (x) => { return x * 2 })"],
        "DEFINE PROCEDURE Convert(x)",
    ),
    (
        &["LIST.Map(l, lambda x: x * 2)", "LIST.Map(l, LAMBDA x:x*2)", "LIST.Map(l,|x| x * 2)"],
        "DEFINE PROCEDURE Convert(x)",
    ),
    (
        &["LIST.Map(l, fn(x) x * 2)", "LIST.Map(l, function (x) { x * 2 })", "LIST.Map(l, FUNC(x) RETURN x * 2)"],
        "DEFINE PROCEDURE",
    ),
    (&["LIST.Filter(l, x -> x > 1)", "LIST.Filter(l, (x)->x > 1)"], "LIST.Filter(l, Fits)"),
    (&["f\"n is {n}\"", "F\"n is {n}\"", "f'n is {n}'", "$\"n is {n}\""], "\"n is \" + n"),
    (&["r\"abc\"", "R'abc'"], "'''abc'''"),
    (&["$n", "${n}"], "write `n`"),
    (&["l[1:]", "l[1 : ]", "l[ 1: ]"], "LIST.Slice(l, 1)"),
    (&["l[:2]", "l[ :2 ]", "l[0:2]"], "LIST.Slice(l, 0, 2)"),
    (&["l[1:n]", "l[1 : n]", "l[1..n]"], "STR.Sub(l, 1, n)"),
    (&["LEN(l[1:-1])", "LEN( l[1:-1] )"], "LIST.Slice(l, 1, -1)"),
    (&["l[::-1]"], "LIST.Reverse(l)"),
    (&["\"abc\"[1:]"], "write `STR.Sub(\"abc\", 1)`"),
    (&["[x * 2 FOR x IN l]", "[x * 2 for x in l]", "[ x*2 for EACH x IN l ]"], "LIST.Map(l, Convert)"),
    (&["[x for x in l if x > 1]", "[x FOR x IN l IF x > 1]"], "LIST.Filter(l, Fits)"),
    (&["[STR(x) for x in l if INT(x)]"], "LIST.Map(LIST.Filter(l, INT), STR)"),
    (&["LIST.Sum(x for x in l)", "LIST.Sum( x FOR x IN l )"], "write `l`"),
    (&["{STR(x): x for x in l}"], "SET result[STR(x)] = x"),
    (&["typeof n", "TYPEOF n", "len(typeof n)"], "TYPEOF(n)"),
    (&["[[hello world]]"], "\"hello world\""),
    (
        &[
            "\"a\" ++ \"b\"",
            "\"a\"++n",
            "n ++ 'b'",
            "l ++ [2]",
            "\"a\" . \"b\"",
            "STR(n) . \"b\"",
            "\"a\" .. n",
            "n..'b'",
        ],
        "write `+`, which joins texts",
    ),
    (&["n div 2", "n DIV 2"], "FLOOR(a / b)"),
    (&["n mod 2", "(n + 1) mod 2"], "`a % b`"),
    (&["n is 2", "n eq 2", "n equals 2"], "write `==`"),
    (&["l contains 2", "\"abc\" contains \"b\""], "`value IN list`"),
    (&["None", "NONE", "Null", "undefined", "nullptr", "Nil"], "write `nil`"),
    (&["l.size()", "l.length()", "l.len()", "l.count()", "l.Length()"], "write `LEN(l)`"),
    (&["[1, 2].length()", "\"abc\".len()", "STR(n).size()"], "write `LEN(…)`"),
    (&["l.append(2)", "l.push(2)", "l.add(2)"], "write `SET l = LIST.Append(l, …)`"),
];

/// Lines, and the expected part of the help for each.
const LINES: [(&[&str], &str); 28] = [
    (&["SET n, l = 1, [2]", "SET n, l = 1 , [2]"], "write one list: `SET n, l = [1"),
    (&["SET n = l = 1", "SET n=l=1"], "write two lines: `SET l = 1` and `SET n = l`"),
    (
        &["exit 1", "exit(1)", "EXIT 2", "sys.exit(1)", "os.Exit(3)", "quit(1)", "process.exit(1);"],
        "write `FAIL \"why\"`",
    ),
    (&["exit", "exit 0", "quit()", "sys.exit(0)", "sys.exit()"], "write `RETURN`"),
    (&["EMIT f\"{n+1}\"", "EMIT f\"{ n + 1 }\"", "EMIT $\"{n + 1}\""], "`\"\" + (n"),
    (&["EMIT f\"{LEN(l)}: {l[n + 1]}\""], "`LEN(l) + \": \" + l[n + 1]`"),
    (&["EMIT 1; EMIT 2", "EMIT 1 ;EMIT 2", "CALL FS.Exists(\"a\"); EMIT 2"], "write `EMIT 2` on a line of its own"),
    (&["; EMIT 2", "SET n = 2; EMIT 2;"], "write `EMIT 2` on a line of its own"),
    (&["EMIT 1;", "SET n = 2 ;", "IF n == 1; THEN\nEND"], "remove it"),
    (&["SET n 6", "SET n to 6", "SET n := 6", "SET n: 6", "SET n == 6", "SET  n  6"], "write `SET n = 6`"),
    (&["set n 6", "set n TO 6"], "write `set n = 6`"),
    (&["VAR n 6"], "write `VAR n = 6`"),
    (&["SET l[0] 6"], "write `SET l[0] = 6`"),
    (&["SET n"], "write `SET n = …`"),
    (&["l.append(2)", "l.push(2);", "l.add(2)", "l.push_back( 2 )"], "write `SET l = LIST.Append(l, 2)`"),
    (&["l.extend([2, 3])"], "write `SET l = l + [2, 3]`"),
    (&["l.sort()"], "write `SET l = LIST.Sort(l)`"),
    (&["l.a.b.append(f(2))"], "write `SET l.a.b = LIST.Append(l.a.b, f(2))`"),
    (&["FS.Append(\"a\", \"b\")", "MEMORY.Append(1)"], "write `CALL "),
    (&["CALL l.append(2)", "call l.push(2)"], "write `SET l = LIST.Append(l, …)`"),
    (&["ls", "ls -l", "ls src"], "FS.ListDir("),
    (&["EMIT pwd"], "`ns doctor` shows the sandbox"),
    (&["cat a.txt", "cat \"a.txt\"", "cat(\"a.txt\")", "less a.txt"], "FS.ReadFile("),
    (&["rm a.txt", "rm -r src", "rm(\"a.txt\")", "del a.txt"], "FS.DeleteFile("),
    (&["mv a.txt b.txt", "mv \"a\" \"b\""], "FS.MoveFile("),
    (&["cp a.txt b.txt"], "FS.CopyFile("),
    (&["mkdir out", "mkdir -p out/a"], "FS.CreateDirectory("),
    (&["grep TODO src", "rg \"TODO\""], "FS.SearchFiles("),
];

/// For arguments of the wrong type, the help shows the conversion.
#[test]
fn a_value_of_the_wrong_type_is_told_how_to_convert_it() {
    let place = tempfile::tempdir().expect("a folder for the test");
    std::fs::write(place.path().join("a.txt"), "x").expect("a file");
    for (call, wanted) in [
        ("STR.PadLeft(v, 8)", "`STR(value)` makes one"),
        ("STR.Upper(1.5)", "`STR(value)` makes one"),
        ("FS.WriteFile(\"b.txt\", true)", "`STR(value)` makes one"),
        ("STR.Repeat(\"a\", \"3\")", "`INT(text)` or `FLOAT(text)` makes one"),
        ("STR.Lines(FS.ReadFile(\"a.txt\"))", "`result.content`"),
        ("LIST.First(FS.SearchFiles(\".\", \"x\"))", "`result.matches`"),
        ("FS.ReadFile(FS.Find(\".\")[0])", "`file.path`"),
        ("STR.Upper(nil)", "test for nil first"),
    ] {
        for script in ["SET v = 5\nEMIT @", "SET v = 5\nIF @ == 1 THEN\nEND", "SET v = 5\nSET r = @\nEMIT r"] {
            let ran = run(ns(place.path()).args(["run", "-e", &script.replace('@', call)]));
            assert!(ran.code == 1 && ran.stderr.contains(wanted), "{call}: {}", ran.stderr);
        }
    }
}

/// Checks that each spelling in each position gets the expected help.
fn expect_help(families: &[(&[&str], &str)], places: &[&str]) {
    let (checker, mut wrong) = (Checker::new(), String::new());
    for (spellings, wanted) in families {
        for spelling in *spellings {
            for place in places {
                let script = format!("SET n = 1\nSET l = [1]\n{}\n", place.replace('@', spelling));
                let help = helps(&checker, &script);
                if !help.contains(wanted) {
                    wrong.push_str(&format!("{script}wants {wanted}, has: {help}\n\n"));
                }
            }
        }
    }
    assert!(wrong.is_empty(), "{wrong}");
}

/// An edit that a help suggests ends its finding. Another one may come to light, but not two.
#[test]
fn what_a_help_suggests_repairs_the_script() {
    let (checker, mut seen, mut wrong) = (Checker::new(), 0, String::new());
    let expressions = EXPRESSIONS.iter().flat_map(|(spellings, _)| *spellings);
    let expressions = expressions.flat_map(|spelling| PLACES.iter().map(|place| place.replace('@', spelling)));
    let lines = LINES.iter().flat_map(|(spellings, _)| *spellings).map(|line| (*line).to_owned());
    let operators = ["=", "===", "!==", "=>", "=<", "&&", "||", "<>", "is", "eq", "ne", "lt", "ge", "mod", "pow"];
    let conditions = operators.iter().map(|operator| format!("IF n {operator} 2\n  EMIT 1\nEND"));
    let keywords = ["If n", "WHILE n Do\n  BREAK", "For EACH e IN l", "FOR Each e IN l", "FOR EACH e In l", "IF Not n"];
    let keywords = keywords.iter().map(|head| format!("{head}\n  EMIT 1\nEND"));
    for text in expressions.chain(lines).chain(conditions).chain(keywords) {
        let script = format!("SET n = 1\nSET l = [1]\n{text}\n");
        let before = checker.check(&script);
        for finding in before.findings.iter().filter(|finding| finding.fix.is_none()) {
            let Some(edit) = &finding.suggestion else { continue };
            seen += 1;
            let (start, end) = before.sources.of(edit.span).expect("the script").local(edit.span);
            let repaired = format!("{}{}{}", &script[..start], edit.text, &script[end..]);
            let after = checker.check(&repaired);
            let errors = |findings: &[Diagnostic]| findings.iter().filter(|finding| finding.is_error()).count();
            let is_left = after.findings.iter().any(|other| {
                other.message == finding.message && other.code == finding.code && other.span() == finding.span()
            });
            if is_left || errors(&after.findings) > errors(&before.findings) {
                wrong.push_str(&format!("{text}\n=> {repaired}\n{:?}\n\n", after.findings));
            }
        }
    }
    assert!(seen > 100, "{seen}");
    assert!(wrong.is_empty(), "{wrong}");
}

/// The blocks that the help writes for conditional values have no errors.
#[test]
fn a_conditional_value_is_shown_as_a_block_that_holds() {
    let (checker, mut wrong) = (Checker::new(), String::new());
    for value in CONDITIONALS {
        for place in ["EMIT @", "SET v = @", "SET l[0] = @", "EMIT STR(@)", "EMIT [1, @, 2]", "SET v = {\"k\": @}"] {
            let script = |line: &str| {
                let line = line.replace("SET v", "SET w");
                format!("SET n = INT(ARGS[0])\nSET l = [1]\nSET w = n\n{line}\nEMIT n, l, w\n")
            };
            let help = helps(&checker, &script(&place.replace('@', value)));
            let block = help.strip_prefix("write an IF block:\n").unwrap_or_default();
            let left = helps(&checker, &script(block));
            if block.is_empty() || !left.is_empty() {
                wrong.push_str(&format!("{place} {value}: {help}\nleft: {left}\n\n"));
            }
        }
    }
    assert!(wrong.is_empty(), "{wrong}");
}

#[test]
fn every_line_is_shown_as_it_is_written_here() {
    expect_help(&LINES, &["@", "IF n == 1 THEN\n  @\nEND", "DEFINE PROCEDURE P(n, l)\n  @\nEND"]);
}

/// Code that runs but behaves differently than in other languages: a check warns.
#[test]
fn what_means_something_else_here_is_warned_of() {
    let (checker, mut wrong) = (Checker::new(), String::new());
    for (spellings, wanted) in [
        (&["5 // 2", "n // 2", "n // n"][..], "FLOOR(a / b)"),
        (&["2^8", "2 ^ 8", "10 ^ n", "(n + 1) ^ 2", "n ^ 3", "1 + 2 ^ n"], "** "),
    ] {
        for spelling in spellings {
            for place in ["EMIT @", "SET v = @", "IF n == @\n  EMIT 1\nEND", "MUST n == @"] {
                let help = helps(&checker, &format!("SET n = INT(ARGS[0])\n{}\n", place.replace('@', spelling)));
                if !help.contains(wanted) {
                    wrong.push_str(&format!("{place} {spelling} wants {wanted}, has: {help}\n"));
                }
            }
        }
    }
    for text in ["\"{{n}}\"", "'a {{n}} b'", "\"{n}\"", "\"${n}\"", "\"a\" + \"{{n}}\""] {
        let help = helps(&checker, &format!("SET n = 1\nEMIT {text}, n\n"));
        if !help.contains("backticks") {
            wrong.push_str(&format!("{text}, has: {help}\n"));
        }
    }
    for meant in ["EMIT 6 ^ n", "EMIT n ^ 1", "EMIT n  // two of them", "EMIT \"${{n}}\"", "SET t = \"{{n}}\"\nEMIT t"]
    {
        let help = helps(&checker, &format!("SET n = INT(ARGS[0])\n{meant}\nEMIT n\n"));
        if !help.is_empty() {
            wrong.push_str(&format!("{meant} is meant, and has: {help}\n"));
        }
    }
    assert!(wrong.is_empty(), "{wrong}");
}

/// Errors that only occur at run time.
#[test]
fn a_property_or_a_pattern_that_is_not_there_is_told_what_to_write() {
    let place = tempfile::tempdir().expect("a folder for the test");
    let told = |script: &str| run(ns(place.path()).args(["run", "-e", script])).stderr;
    for (value, property, wanted) in [
        ("[1]", "length", "write `LEN(value)`"),
        ("\"abc\"", "len", "write `LEN(value)`"),
        ("[1]", "size", "write `LEN(value)`"),
        ("[1]", "first", "write `value[0]`"),
        ("[1]", "last", "write `value[-1]`"),
        ("{\"a\": 1}", "length", "there are: `a`; `LEN(map)` counts them"),
        ("{}", "count", "`LEN(map)` counts the keys"),
    ] {
        for script in ["SET v = @\nEMIT v.#", "SET v = @\nIF v.# > 1 THEN\nEND", "SET v = [@]\nEMIT STR(v[0].#)"] {
            let help = told(&script.replace('@', value).replace('#', property));
            assert!(help.contains(wanted), "{value}.{property}: {help}");
        }
    }
    for (call, wanted) in [
        ("FS.Find(\"*.txt\")", "write `FS.Find(\".\", \"*.txt\")`"),
        ("FS.Find(\"docs/**/*.md\")", "write `FS.Find(\"docs\", \"**/*.md\")`"),
        ("FS.FindFiles(\"a?.txt\")", "write `FS.FindFiles(\".\", \"a?.txt\")`"),
        ("FS.DeleteFile(\"*.tmp\")", "`FS.Find(\".\", \"*.tmp\")` finds what matches"),
        ("FS.CopyFile(\"a/*.txt\", \"b\")", "`FS.Find(\"a\", \"*.txt\")` finds what matches"),
        ("FS.Find(\"docs\")", "`docs` does not exist"),
    ] {
        let help = told(&format!("MUST CALL {call}"));
        assert!(help.contains(wanted), "{call}: {help}");
    }
    assert!(told("EMIT \"a\" & \"b\"").contains("`+` joins texts"));
}

#[test]
fn every_construct_is_shown_as_it_is_written_here() {
    expect_help(&EXPRESSIONS, &PLACES);
}

#[test]
fn an_assigned_function_becomes_a_procedure_of_that_name() {
    let checker = Checker::new();
    for value in ["x => x * 2", "x=>x*2", "(x) => x * 2", "lambda x: x * 2", "fn(x) { return x * 2; }", "|x| x * 2"] {
        for set in ["SET double = ", "set double=", "VAR double = "] {
            let help = helps(&checker, &format!("{set}{value}\n"));
            let is_shown =
                help.contains("DEFINE PROCEDURE double(x)\n  RETURN x") && help.contains("LIST.Map(list, double)");
            assert!(is_shown, "{set}{value}: {help}");
        }
    }
}

#[test]
fn what_only_looks_like_a_habit_keeps_its_help() {
    let checker = Checker::new();
    for (script, wanted) in [
        ("IF a => 1 THEN\nEND", "write `>=`"),
        ("IF (a => 1) THEN\nEND", "write `>=`"),
        ("EMIT a => 1", "write `>=`"),
        ("SET n = a->name", ".name"),
        ("SET m = {k: 1}", "{\"k\": …}"),
        ("EMIT {a: b[1]}", "{\"a\": …}"),
        ("PRINT \"a\"", "EMIT"),
        ("EMIT \"a\" \"b\"", "joined by an operator"),
    ] {
        let help = helps(&checker, &format!("SET a = 1\n{script}\n"));
        assert!(help.contains(wanted), "{script}: {help}");
    }
}

/// Lines of shells, as they are typed there.
const SHELL_LINES: [(&str, &str); 14] = [
    ("Get-ChildItem -Recurse", "FS.Find("),
    ("Get-Content a.txt", "FS.ReadFile(path).content"),
    ("Set-Content a.txt 'x'", "FS.WriteFile("),
    ("Copy-Item a.txt b.txt", "FS.CopyFile("),
    ("Move-Item a.txt b.txt", "FS.MoveFile("),
    ("Remove-Item a.txt", "FS.DeleteFile("),
    ("Write-Host \"a\"", "EMIT"),
    ("head -n 3 a.txt", "LIST.Take("),
    ("tail a.txt", "LIST.Tail("),
    ("find . -name '*.txt'", "FS.Find("),
    ("sort a.txt", "LIST.Sort("),
    ("wc -l a.txt", "FS.LineCount("),
    ("sed -i s/a/b/ x", "FS.EditFile"),
    ("open a.json", "FS.ReadFile(path).content"),
];

#[test]
fn a_line_of_a_shell_is_told_what_does_the_same_here() {
    for (line, wanted) in SHELL_LINES {
        expect_help(&[(&[line], wanted)], &["@", "IF n == 1 THEN\n  @\nEND"]);
    }
}

#[test]
fn a_person_is_told_where_the_sandbox_is_and_a_client_is_not() {
    let place = tempfile::tempdir().expect("a folder for the test");
    let told = |script: &str| run(ns(place.path()).args(["run", "-e", script])).stderr;
    let root = place.path().display().to_string();
    for script in ["EMIT FS.Find(\"/etc\")", "EMIT FS.Find(\"../up\")", "EMIT FS.WalkDir(\"/etc\")"] {
        let text = told(script);
        // The path itself is only printed to a terminal (tests/repl/ended.rs).
        assert!(text.contains("`ns --sandbox DIR`") && !text.contains(&root), "{script}: {text}");
    }
    // A script that handles the failure itself gets no hint.
    assert_eq!(told("IF FS.ReadFile(\"/etc/x\").error != nil THEN\n  EMIT 1\nEND"), "");
    let called = run(ns(place.path()).args(["call", "find", "{\"path\": \"/etc\"}"])).stderr;
    assert!(called.contains("--sandbox DIR") && !called.contains(&root), "{called}");
    let checker = Checker::new();
    assert!(!helps(&checker, "EMIT FS.Find(\"/etc\")").contains("--sandbox"), "the engine knows of no command line");
}

/// For a list in place of a single path, the help names the right parameter or a loop.
#[test]
fn a_list_of_paths_is_told_where_it_goes() {
    let checker = Checker::new();
    for (call, wanted) in [
        ("FS.Compress([\"a\"], \"x.zip\")", "`FS.Compress(paths: …)`"),
        ("FS.CopyFile([\"a\"], \"b\")", "`FS.CopyFile(paths: …)`"),
        ("FS.DeleteFile([\"a\"])", "`FS.DeleteFile(paths: …)`"),
        ("FS.HashFile([\"a\"])", "call it for each in a FOR EACH"),
    ] {
        let help = helps(&checker, &format!("EMIT {call}"));
        assert!(help.contains(wanted), "{call}: {help}");
    }
}

/// Returns all helps for a script.
fn helps(checker: &Checker, script: &str) -> String {
    let checked = checker.check(script);
    let helps = checked.findings.iter().filter_map(|finding| finding.help.clone());
    helps.collect::<Vec<_>>().join("\n")
}
