//! Names of functions, methods and libraries of other languages.

#![allow(clippy::disallowed_methods, reason = "tests set up folders of their own")]

use neuroscript::engine::built_in_tools;

use super::helps;
use crate::support::checker::Checker;
use crate::support::{ns, run};

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
const OTHERWISE: [(&str, &str); 67] = [
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
    ("os.symlink os.readlink readlink", "FS.CreateLink("),
    ("os.link", "no tool makes a hard link"),
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
