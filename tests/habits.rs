//! Habits from other languages: each construct and name, in several spellings and positions, gets a help that names the
//! equivalent here.

#![allow(clippy::disallowed_methods, reason = "tests set up folders of their own")]

use crate::support::checker::Checker;
use crate::support::{ns, run};
use neuroscript::engine::built_in_tools;

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
const LINES: [(&[&str], &str); 22] = [
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

/// Names of other languages and libraries, and the equivalents here.
const NAMES: [(&str, &str); 96] = [
    ("str.TrimPrefix", "STR.RemovePrefix("),
    ("strings.TrimSuffix", "STR.RemoveSuffix("),
    ("strings.Repeat", "STR.Repeat("),
    ("strings.TrimSpace", "STR.Trim("),
    ("String.valueOf", "STR("),
    ("upper", "STR.Upper("),
    ("str.capitalize", "STR.Upper(STR.Sub(word, 0, 1))"),
    ("promptuser", "IO.Input("),
    ("PromptUser", "IO.Input("),
    ("raw_input", "IO.Input("),
    ("input", "IO.Input("),
    ("os.Getenv", "ENV.Get("),
    ("os.getenv", "ENV.Get("),
    ("os.environ.get", "ENV.Get("),
    ("process.env.get", "ENV.Get("),
    ("os.path.join", "PATH.Join("),
    ("filepath.Join", "PATH.Join("),
    ("os.path.exists", "FS.Exists("),
    ("Path.exists", "FS.Exists("),
    ("fs.existsSync", "FS.Exists("),
    ("os.path.basename", "PATH.Base("),
    ("os.path.dirname", "PATH.Parent("),
    ("os.path.splitext", "PATH.Extension("),
    ("fs.readFileSync", "FS.ReadFile("),
    ("fs.writeFileSync", "FS.WriteFile("),
    ("File.ReadAllText", "FS.ReadFile("),
    ("file_get_contents", "FS.ReadFile("),
    ("open", "FS.ReadFile("),
    ("os.listdir", "FS.ListDirectory("),
    ("os.walk", "FS.Find("),
    ("glob.glob", "FS.Find("),
    ("os.makedirs", "FS.CreateDirectory("),
    ("os.rename", "FS.MoveFile(source, destination)"),
    ("FS.Rename", "FS.MoveFile("),
    ("FS.Size", "FS.FileInfo("),
    ("FS.Glob", "FS.Find"),
    ("shutil.move", "FS.MoveFile("),
    ("shutil.copy", "FS.CopyFile(source, destination)"),
    ("shutil.rmtree", "FS.DeleteFile("),
    ("os.remove", "FS.DeleteFile("),
    ("os.stat", "FS.FileInfo("),
    ("os.chmod", "FS.SetPermissions("),
    ("os.utime", "FS.SetModified("),
    ("gzip.open", "FS.ReadFile("),
    ("urllib.parse.unquote", "STR.UrlDecode("),
    ("zipfile.extractall", "FS.Extract("),
    ("tempfile.mkdtemp", "FS.TempDirectory("),
    ("JSON.stringify", "JSON.Text("),
    ("json.dumps", "JSON.Text("),
    ("json.loads", "JSON.Parse("),
    ("json_decode", "JSON.Parse("),
    ("yaml.safe_load", "YAML.Parse("),
    ("csv.reader", "CSV.Parse("),
    ("re.sub", "REGEX.Replace("),
    ("re.findall", "REGEX.All("),
    ("re.match", "REGEX.Match("),
    ("preg_match", "REGEX.Match("),
    ("datetime.now", "TIME.Now("),
    ("Date.now", "TIME.Now("),
    ("time.strftime", "TIME.Format("),
    ("datetime.strptime", "TIME.Parse("),
    ("timedelta", "TIME.Add("),
    ("random.randint", "RANDOM.Int("),
    ("hashlib.sha256", "HASH.Sha256("),
    ("base64.b64encode", "BASE64.Encode("),
    ("uuid.uuid4", "UUID.New("),
    ("Object.keys", "MAP.Keys("),
    ("Object.entries", "MAP.Items("),
    ("Object.assign", "MAP.Merge("),
    ("collections.Counter", "LIST.CountBy("),
    ("itertools.groupby", "LIST.GroupBy("),
    ("functools.reduce", "LIST.Reduce("),
    ("array_map", "LIST.Map("),
    ("sum", "LIST.Sum("),
    ("zip", "LIST.Zip("),
    ("sorted", "LIST.Sort("),
    ("thenBy", "LIST.Sort("),
    ("parseInt", "INT("),
    ("isinstance", "TYPEOF("),
    ("enumerate", "FOR EACH"),
    ("print", "EMIT"),
    ("console.log", "EMIT"),
    ("sys.exit", "FAIL"),
    ("subprocess.run", "starts no other programs"),
    ("os.system", "starts no other programs"),
    ("OS.Run", "starts no other programs"),
    ("OS.Exec", "starts no other programs"),
    ("FS.Replace", "FS.EditFile("),
    ("MAP.Delete", "MAP.Remove("),
    ("git.Add", "starts no other programs"),
    ("fetch", "no access to the network"),
    ("requests.get", "no access to the network"),
    ("time.sleep", "does not wait"),
    ("FS.ReadFil", "did you mean `FS.ReadFile`?"),
    ("STR.Uper", "did you mean `STR.Upper`?"),
    ("LSIT.Reverse", "did you mean `LIST.Reverse`?"),
];

/// Names that no tool has as a keyword, since something else is written in their place.
const OTHERWISE: [(&str, &str); 66] = [
    (
        "STR.Title str.title strings.Title string.capwords titlecase titleize ucwords humanize toTitleCase",
        "no title case",
    ),
    ("ucfirst lcfirst str.capitalize", "STR.Upper(STR.Sub(word, 0, 1))"),
    ("str.swapcase camelize underscore", "no tool for it"),
    ("str.isdigit str.isalpha", "REGEX.Match("),
    ("str.rpartition str.partition", "STR.Split("),
    ("str.expandtabs", "STR.Replace("),
    ("str.maketrans tr", "REGEX.Replace("),
    ("string.byte", "STR.Code("),
    ("string.gmatch", "REGEX.All("),
    ("string.rep", "STR.Repeat("),
    ("strcmp strings.EqualFold", "STR.Lower(a) == STR.Lower(b)"),
    ("strconv.Itoa", "STR(value)"),
    ("strconv.Quote repr", "JSON.Text("),
    ("textwrap.dedent textwrap.fill textwrap.shorten", "STR.Words("),
    ("re.compile", "REGEX.Match("),
    ("html.escape htmlspecialchars encodeURIComponent decodeURIComponent", "STR.Replace("),
    ("squeeze nl2br", "REGEX.Replace("),
    ("number_format", "STR.Format("),
    ("Array.from", "RANGE(n)"),
    ("array_combine array_flip", "MAP.FromItems("),
    ("array_diff array_intersect compact", "LIST.Filter("),
    ("array_pop table.remove", "LIST.Slice(list, 0, -1)"),
    ("array_shift", "LIST.Rest("),
    ("array_splice", "LIST.Insert("),
    ("array_reduce", "LIST.Reduce"),
    ("table.concat", "STR.Join("),
    ("table.insert", "list + [value]"),
    ("table.sort sort.Strings usort", "LIST.Sort("),
    ("table.unpack", "SET a, b = list"),
    ("ipairs pairs iter each_with_index", "FOR EACH"),
    ("itertools.islice", "LIST.Slice("),
    ("itertools.product itertools.combinations", "FOR EACH a IN list DO"),
    ("transpose", "LIST.Zip("),
    ("collections.OrderedDict wrap", "{\"key\": value}"),
    ("collections.defaultdict hasattr getattr isset Object.hasOwn operator.itemgetter", "MAP.Get("),
    ("unset", "MAP.Remove("),
    ("upsert", "MAP.Set("),
    ("copy.deepcopy structuredClone Object.freeze setmetatable", "copies already"),
    ("bool", "NOT NOT value"),
    ("divmod intdiv", "FLOOR(a / b)"),
    ("callable is_null Number.isInteger", "TYPEOF(value)"),
    ("isNaN", "value != value"),
    ("functools.partial", "define a procedure"),
    ("errors.New fmt.Errorf pcall", "ON ERROR AS err DO"),
    ("log.Fatal", "FAIL"),
    ("var_dump print_r", "EMIT"),
    ("fgets bufio.NewScanner ioutil.ReadAll", "IO.Input("),
    ("fopen fwrite Deno.readTextFile", "FS.ReadFile(path).content"),
    ("Deno.writeTextFile os.truncate", "FS.WriteFile("),
    ("tee", "FS.AppendFile("),
    ("Deno.remove FileUtils.rm_rf", "FS.DeleteFile("),
    ("FileUtils.cp_r", "FS.CopyFile("),
    ("FileUtils.mv", "FS.MoveFile("),
    ("FileUtils.mkdir_p", "FS.CreateDirectory("),
    ("File.exist", "FS.Exists("),
    ("File.expand_path os.getcwd os.chdir os.path.expanduser process.cwd filepath.Abs", "begin at the sandbox"),
    ("os.path.islink", "FS.FileInfo(path).type"),
    ("os.symlink os.readlink readlink", "no tool makes a link"),
    ("pathinfo path.parse pathlib.Path", "PATH.Parent("),
    ("os.Args process.argv", "ARGS"),
    ("os.urandom SecureRandom.hex uniqid", "RANDOM.Text("),
    ("SecureRandom.uuid", "UUID.New("),
    ("md5_file filecmp.cmp", "FS.HashFile("),
    ("zipfile.ZipFile tarfile.open gzip.open", "FS.Compress("),
    ("JSON.generate to.json", "JSON.Text("),
    (
        "from.json YAML.load_file dofile argparse.ArgumentParser sqlite3.connect export which microtime time.perf_counter",
        "`",
    ),
];

#[test]
fn what_is_written_otherwise_is_shown() {
    let (checker, mut wrong) = (Checker::new(), String::new());
    for (names, wanted) in OTHERWISE {
        for (name, call) in names.split(' ').flat_map(|name| ["CALL @(1)", "EMIT @(1)"].map(|call| (name, call))) {
            let help = helps(&checker, &call.replace('@', name));
            if !help.contains(wanted) || help.contains("ns doc WORD") || help.contains("did you mean") {
                wrong.push_str(&format!("{name} wants {wanted}, has: {help}\n"));
            }
        }
    }
    assert!(wrong.is_empty(), "{wrong}");
    let place = tempfile::tempdir().expect("a folder for the test");
    for name in ["STR.Title", "title case", "ucwords", "toTitleCase", "strings.Title"] {
        let ran = run(ns(place.path()).args(["doc", name]));
        let first = ran.stdout.lines().next().unwrap_or_default();
        assert!(ran.code == 0 && first.contains("there is no title case"), "{name}: {}{}", ran.stdout, ran.stderr);
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
fn every_foreign_name_is_told_what_does_the_same_here() {
    let (checker, mut wrong) = (Checker::new(), String::new());
    for (name, wanted) in NAMES {
        for call in
            ["CALL @(1)", "EMIT @(1)", "SET v = LEN(@(1, 2))", "IF @() THEN\n  EMIT 1\nEND", "SET v = call @(1)"]
        {
            let script = call.replace('@', name);
            let help = helps(&checker, &script);
            if !help.contains(wanted) {
                wrong.push_str(&format!("{script} wants {wanted}, has: {help}\n"));
            }
        }
    }
    assert!(wrong.is_empty(), "{wrong}");
}

#[test]
fn a_name_of_nothing_gets_no_wrong_suggestion() {
    let checker = Checker::new();
    for name in ["lib.Add", "gizmo.Log", "widget.find", "foo.Sub", "xyzzy", "quux.frobnicate", "hg.Add", "svn.Move"] {
        let help = helps(&checker, &format!("CALL {name}(1)"));
        assert!(!help.contains("did you mean") && !help.contains("write `"), "{name}: {help}");
    }
}

#[test]
fn a_method_of_a_value_becomes_a_call_with_it() {
    let checker = Checker::new();
    for (method, wanted) in [
        ("s.upper()", "STR.Upper(s)"),
        ("s.toUpperCase()", "STR.Upper(s)"),
        ("s.split(\",\")", "STR.Split(s, …)"),
        ("s.strip()", "STR.Trim(s)"),
        ("s.startswith(\"a\")", "STR.StartsWith(s, …)"),
        ("s.append(1)", "SET s = LIST.Append(s, …)"),
        ("s.push(1)", "LIST.Append(s, …)"),
        ("s.keys()", "MAP.Keys(s)"),
        ("s.get(\"k\")", "MAP.Get(s, …)"),
        ("s.name.replace(\"a\", \"b\")", "STR.Replace(s.name, …)"),
        ("s.length()", "(s)"),
    ] {
        for call in ["CALL @", "EMIT @", "IF @ == 1 THEN\n  EMIT 1\nEND"] {
            let help = helps(&checker, &format!("SET s = \"a\"\n{}\n", call.replace('@', method)));
            assert!(help.contains(wanted), "{method}: {help}");
        }
    }
}

#[test]
fn every_keyword_finds_its_tool() {
    for tool in built_in_tools().iter() {
        assert!(!tool.spec.keywords.is_empty(), "{} has no keywords", tool.spec.name);
        for keyword in tool.spec.keywords {
            let found = neuroscript::text::search(keyword, built_in_tools().iter().map(|tool| tool.spec.purpose()));
            assert!(found.iter().any(|found| found.name == tool.spec.name), "{keyword}: {}", tool.spec.name);
        }
    }
}

#[test]
fn doc_finds_by_purpose() {
    let place = tempfile::tempdir().expect("a folder for the test");
    for (words, wanted) in [
        (&["rename"][..], "FS.MoveFile"),
        (&["glob"], "FS.Find"),
        (&["size"], "FS.FileInfo"),
        (&["newest"], "FS.Find"),
        (&["find", "files"], "FS.Find"),
        (&["find files"], "FS.FindFiles"),
        (&["replace"], "STR.Replace"),
        (&["unzip"], "FS.Extract"),
        (&["checksum"], "HASH.Sha256"),
        (&["remove duplicates"], "LIST.Unique"),
        (&["print"], "EMIT"),
        (&["throw"], "FAIL"),
        (&["try"], "ON ERROR"),
        (&["loop"], "FOR EACH"),
        (&["os.path.join"], "PATH.Join"),
        (&["FS.Rename"], "FS.MoveFile"),
    ] {
        let ran = run(ns(place.path()).arg("doc").args(words));
        let lines: Vec<&str> = ran.stdout.lines().collect();
        assert_eq!((ran.code, ran.stderr.as_str()), (0, ""), "{words:?}");
        assert!(lines.len() <= 10 && lines[0].starts_with("no page is called"), "{words:?}: {}", ran.stdout);
        assert!(lines.iter().any(|line| line.trim_start().starts_with(wanted)), "{words:?}: {}", ran.stdout);
    }
    let json = run(ns(place.path()).args(["doc", "rename", "--format", "json"]));
    assert!(json.stdout.contains("\"name\": \"FS.MoveFile\"") && !json.stdout.contains("\"form\""), "{}", json.stdout);
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
