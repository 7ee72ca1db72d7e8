//! The tools of upstream NeuroScript: what each call becomes, and which of them mean something else under the same name.
//!
//! The table comes from upstream's documentation. Names are in lower case and without `tool.`; a name without a group
//! is one of the older dialect.

/// A tool of upstream.
#[derive(Debug)]
pub struct Tool {
    /// The group and the name: `str.substring`.
    pub name: &'static str,
    /// The names of its parameters.
    pub params: &'static [&'static str],
    /// The new form of a call.
    pub form: Form,
    /// How the two differ; empty if they do the same.
    pub note: &'static str,
}

/// The new form of a call of an upstream tool.
#[derive(Clone, Copy, Debug)]
pub enum Form {
    /// A call of a tool of ours with the same arguments in the same order.
    Call {
        /// The tool; it may hold an open parenthesis, which `after` closes.
        to: &'static str,
        /// Our names of the parameters.
        params: &'static [&'static str],
        /// The text after the call.
        after: &'static str,
    },
    /// The same, each argument with its name, because the order is another.
    Named {
        /// The tool.
        to: &'static str,
        /// Our names of the parameters, in upstream's order.
        params: &'static [&'static str],
    },
    /// A call of a procedure that is added to the script.
    Helper(&'static str),
    /// A change of files: as a statement `MUST CALL` of a tool, elsewhere a procedure.
    Change {
        /// The tool.
        to: &'static str,
        /// Our names of the parameters.
        params: &'static [&'static str],
        /// The procedure.
        helper: &'static str,
    },
    /// A form that depends on the arguments.
    Special(Special),
    /// Nothing: the note says why.
    Nothing,
}

/// Forms that depend on the arguments.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Special {
    /// `tool.str.Replace`: the count -1 means all.
    Replace,
    /// `tool.str.Split`: an empty delimiter.
    Split,
    /// `tool.str.ToJsonString`
    JsonText,
    /// `tool.list.Get`: a negative index.
    Get,
    /// `tool.list.Tail`: a negative count.
    Tail,
    /// `tool.crypto.Hash`: the algorithm is a part of our name.
    Hash,
    /// `tool.error.New`: a map.
    Error,
    /// `tool.io.Print`: EMIT.
    Print,
    /// `tool.os.Getenv`: the default is an empty text.
    Getenv,
}

const fn same(
    name: &'static str,
    params: &'static [&'static str],
    to: &'static str,
    ours: &'static [&'static str],
) -> Tool {
    Tool { name, params, form: Form::Call { to, params: ours, after: "" }, note: "" }
}

const fn helper(name: &'static str, params: &'static [&'static str], helper: &'static str, note: &'static str) -> Tool {
    Tool { name, params, form: Form::Helper(helper), note }
}

const fn special(name: &'static str, params: &'static [&'static str], form: Special, note: &'static str) -> Tool {
    Tool { name, params, form: Form::Special(form), note }
}

const fn change(
    name: &'static str,
    params: &'static [&'static str],
    to: &'static str,
    ours: &'static [&'static str],
    helper: &'static str,
) -> Tool {
    Tool {
        name,
        params,
        form: Form::Change { to, params: ours, helper },
        note: "ours gives a map with `error` where upstream fails",
    }
}

const fn part(name: &'static str, params: &'static [&'static str], to: &'static str, after: &'static str) -> Tool {
    Tool { name, params, form: Form::Call { to, params: &["path"], after }, note: "ours gives a map, upstream a text" }
}

const fn nothing(name: &'static str, note: &'static str) -> Tool {
    Tool { name, params: &[], form: Form::Nothing, note }
}

const TEXT: &[&str] = &["text"];
const INPUT: &[&str] = &["input_string"];
const NUMBERS: &[&str] = &["num1", "num2"];
const A_B: &[&str] = &["a", "b"];
const LIST: &[&str] = &["list"];
const ELEMENT: &[&str] = &["list", "element"];
const VALUE: &[&str] = &["list", "value"];
const FILE: &[&str] = &["filepath"];
const CONTENT: &[&str] = &["filepath", "content"];
const PART: &[&str] = &["text", "part"];
const CUT: &str = "upstream takes a start and a length, both cut at the end of the text; ours takes a start and an end";

/// All tools that have a form, or a reason why not.
const TOOLS: [Tool; 89] = [
    same("str.length", INPUT, "STR.Length", TEXT),
    helper("str.substring", &["input_string", "start_index", "length"], "upstream_substring", CUT),
    same("str.toupper", INPUT, "STR.Upper", TEXT),
    same("str.tolower", INPUT, "STR.Lower", TEXT),
    same("str.trimspace", INPUT, "STR.Trim", TEXT),
    same("str.trimprefix", &["input_string", "prefix"], "STR.RemovePrefix", PART),
    same("str.trimsuffix", &["input_string", "suffix"], "STR.RemoveSuffix", PART),
    special("str.split", &["input_string", "delimiter"], Special::Split, ""),
    same("str.splitwords", INPUT, "STR.Words", TEXT),
    same("str.join", &["string_list", "separator"], "STR.Join", &["list", "separator"]),
    same("str.concat", &["strings_list"], "STR.Join", LIST),
    special("str.replace", &["input_string", "old_substring", "new_substring", "count"], Special::Replace, ""),
    same("str.contains", &["input_string", "substring"], "STR.Contains", PART),
    same("str.hasprefix", &["input_string", "prefix"], "STR.StartsWith", PART),
    same("str.hassuffix", &["input_string", "suffix"], "STR.EndsWith", PART),
    same("str.linecount", &["content_string"], "STR.LineCount", TEXT),
    same("str.tobase64", INPUT, "BASE64.Encode", TEXT),
    same("str.frombase64", &["encoded_string"], "BASE64.Decode", TEXT),
    same("str.bytestobase64", &["string_data"], "BASE64.Encode", TEXT),
    same("str.bytesfrombase64", &["base64_string"], "BASE64.Decode", TEXT),
    helper("str.tohex", INPUT, "upstream_to_hex", ""),
    helper("str.fromhex", &["encoded_string"], "upstream_from_hex", ""),
    same("str.parsejsonstring", &["json_string"], "JSON.Parse", TEXT),
    Tool {
        name: "str.parsefromjsonbase64",
        params: &["base64_string"],
        form: Form::Call { to: "JSON.Parse(BASE64.Decode", params: TEXT, after: ")" },
        note: "",
    },
    special("str.tojsonstring", &["value", "pretty_print", "prefix", "indent"], Special::JsonText, ""),
    Tool {
        name: "str.matchregex",
        params: &["pattern", "input_string"],
        form: Form::Named { to: "REGEX.Match", params: &["pattern", "text"] },
        note: "ours takes the text first",
    },
    Tool {
        name: "str.findallregex",
        params: &["pattern", "input_string"],
        form: Form::Named { to: "REGEX.All", params: &["pattern", "text"] },
        note: "ours takes the text first",
    },
    Tool {
        name: "str.replaceregex",
        params: &["pattern", "input_string", "replacement"],
        form: Form::Named { to: "REGEX.Replace", params: &["pattern", "text", "replacement"] },
        note: "ours takes the text first",
    },
    helper("str.color", INPUT, "upstream_color", ""),
    nothing("str.compress", "no tool compresses a text; `FS.Compress` packs files"),
    nothing("str.decompress", "no tool unpacks a text; `FS.Extract` unpacks files"),
    part("fs.read", FILE, "FS.ReadFile", ".content"),
    change("fs.write", CONTENT, "FS.WriteFile", &["path", "content"], "upstream_write"),
    change("fs.append", CONTENT, "FS.AppendFile", &["path", "content"], "upstream_append"),
    change("fs.move", &["source_path", "destination_path"], "FS.MoveFile", &["source", "destination"], "upstream_move"),
    change("fs.mkdir", &["path"], "FS.CreateDirectory", &["path"], "upstream_mkdir"),
    helper("fs.delete", &["path"], "upstream_delete", "upstream takes a missing file for deleted"),
    helper("fs.list", &["path", "recursive"], "upstream_list", "upstream gives a list, ours a map with `entries`"),
    helper("fs.walk", &["path"], "upstream_walk", "the fields of the entries have other names"),
    helper(
        "fs.stat",
        &["path"],
        "upstream_stat",
        "the fields have other names; `mode_string` and `mode_perm` are missing, read `permissions` of `FS.FileInfo`",
    ),
    part("fs.hash", FILE, "FS.HashFile", ".checksum"),
    same("fs.linecount", FILE, "FS.LineCount", &["path"]),
    same("fs.sanitizefilename", &["name"], "PATH.Sanitize", &["name"]),
    same("list.length", LIST, "LIST.Length", LIST),
    same("list.append", ELEMENT, "LIST.Append", VALUE),
    same("list.appendinplace", ELEMENT, "LIST.Append", VALUE),
    same("list.prepend", ELEMENT, "LIST.Prepend", VALUE),
    special("list.get", &["list", "index", "default"], Special::Get, "ours counts negative indexes from the end"),
    helper(
        "list.slice",
        &["list", "start", "end"],
        "upstream_slice",
        "upstream cuts bounds that lie outside the list, ours counts from the end or fails",
    ),
    same("list.contains", ELEMENT, "LIST.Contains", VALUE),
    same("list.reverse", LIST, "LIST.Reverse", LIST),
    same("list.sort", LIST, "LIST.Sort", LIST),
    same("list.head", LIST, "LIST.First", LIST),
    same("list.rest", LIST, "LIST.Rest", LIST),
    special("list.tail", &["list", "count"], Special::Tail, "ours refuses a negative count"),
    same("list.isempty", LIST, "LIST.IsEmpty", LIST),
    same("math.add", NUMBERS, "MATH.Add", A_B),
    same("math.subtract", NUMBERS, "MATH.Subtract", A_B),
    same("math.multiply", NUMBERS, "MATH.Multiply", A_B),
    same("math.divide", NUMBERS, "MATH.Divide", A_B),
    same("math.modulo", NUMBERS, "MATH.Modulo", A_B),
    special(
        "io.print",
        &["values"],
        Special::Print,
        "upstream prints several values, and those of a list, with blanks between",
    ),
    same("io.input", &["message"], "IO.Input", &["prompt"]),
    special("os.getenv", &["varname"], Special::Getenv, "the policy names the variables that scripts may see"),
    special("error.new", &["code", "message"], Special::Error, ""),
    special("crypto.hash", &["input_string", "algorithm"], Special::Hash, ""),
    same("crypto.uuid", &[], "UUID.New", &[]),
    same("time.now", &[], "TIME.Now", &[]),
    // The older dialect.
    part("readfile", FILE, "FS.ReadFile", ".content"),
    change("writefile", CONTENT, "FS.WriteFile", &["path", "content"], "upstream_write"),
    helper("listdirectory", &["path"], "upstream_names", "upstream gives the names, ours a map"),
    helper("substring", &["text", "start", "end"], "upstream_part", "upstream cuts bounds that lie outside the text"),
    same("stringlength", INPUT, "STR.Length", TEXT),
    special("splitstring", &["input_string", "delimiter"], Special::Split, ""),
    same("joinstrings", &["string_list", "separator"], "STR.Join", &["list", "separator"]),
    same("replaceall", &["input_string", "old_substring", "new_substring"], "STR.Replace", &["text", "old", "new"]),
    same("stringjoin", &["string_list", "separator"], "STR.Join", &["list", "separator"]),
    same("stringreplace", &["input_string", "old_substring", "new_substring"], "STR.Replace", &["text", "old", "new"]),
    same("strcontains", &["input_string", "substring"], "STR.Contains", PART),
    same("strprefix", &["input_string", "prefix"], "STR.StartsWith", PART),
    same("strendswith", &["input_string", "suffix"], "STR.EndsWith", PART),
    special("print", &["values"], Special::Print, "upstream prints blanks between values"),
    special("emit", &["values"], Special::Print, ""),
    nothing("executecommand", "a script starts no programs"),
    nothing("loadscript", "all code is known before the run; `USE` brings the procedures of another file"),
    nothing("llm", "a script asks no model"),
    nothing("searchskills", "there is no index of skills; `FS.SearchFiles` searches files"),
    nothing("vectorupdate", "there is no index of skills; `FS.SearchFiles` searches files"),
    nothing("logmessage", "there is no log of a script; EMIT prints"),
];

/// Groups of which no tool has a form, with the reason.
const GROUPS: [(&str, &str); 17] = [
    ("meta", "a script does not list tools; `ns tools` and `ns doc` do"),
    ("ai", "a script asks no model"),
    ("aeiou", "a script asks no model"),
    ("agentmodel", "a script asks no model"),
    ("account", "a script has no accounts"),
    ("capsule", "there are no capsules; `USE` and files of the sandbox hold what is shared"),
    ("git", "a script starts no programs"),
    ("gotools", "a script starts no programs"),
    ("go", "a script starts no programs"),
    ("shell", "a script starts no programs"),
    ("script", "all code is known before the run; `USE` brings the procedures of another file"),
    ("syntax", "`ns check` checks a script"),
    ("ns_event", "there are no events"),
    ("tree", "there are no trees with handles; use lists and maps, `JSON.Parse` and `JSON.Query`"),
    ("shape", "there are no shapes"),
    ("handle", "there are no handles"),
    ("crypto", "there are no keys; `HASH` has checksums"),
];

/// Returns the upstream tool that a dotted name calls: `tool.str.Length`. `is_old` says that names in capitals are
/// those of the older dialect.
pub fn find(callee: &str, is_old: bool) -> Option<&'static Tool> {
    let name = callee.strip_prefix("tool.").or_else(|| callee.strip_prefix("TOOL.").filter(|_| is_old))?;
    let name = name.to_ascii_lowercase();
    let short = ["toupper", "tolower", "trimspace", "splitwords", "hasprefix", "hassuffix", "contains"];
    let name = if short.contains(&name.as_str()) { format!("str.{name}") } else { name };
    TOOLS.iter().find(|tool| tool.name == name)
}

/// Returns the reason why no tool of the group has a form, for a name such as `tool.git.Add`.
pub fn reason(callee: &str) -> Option<&'static str> {
    let name = callee.strip_prefix("tool.").or_else(|| callee.strip_prefix("TOOL."))?.to_ascii_lowercase();
    let Some((group, _)) = name.split_once('.') else {
        let starts_program = ["gitadd", "gitcommit", "gobuild", "gocheck", "gofmt", "gotest", "gomodtidy"];
        return starts_program.contains(&name.as_str()).then_some("a script starts no programs");
    };
    GROUPS.iter().find(|(known, _)| *known == group).map(|(_, reason)| *reason)
}

/// Returns how a call such as `tool.str.Substring(…)` differs upstream from the tool that it finds here, if it runs
/// here with as many arguments and gives something else.
pub fn difference(callee: &str, arguments: usize) -> Option<&'static str> {
    const DIFFERENT: [&str; 11] = [
        "str.substring",
        "fs.read",
        "fs.write",
        "fs.append",
        "fs.move",
        "fs.mkdir",
        "fs.delete",
        "fs.list",
        "fs.walk",
        "fs.stat",
        "fs.hash",
    ];
    let tool = find(callee, false)?;
    let is_different = DIFFERENT.contains(&tool.name) && (tool.name != "str.substring" || arguments == 3);
    is_different.then_some(tool.note)
}
