//! Names that other languages have for what is written otherwise here.

/// What to write instead of a call of a name that nothing has here.
pub fn instead(name: &str) -> Option<&'static str> {
    let lower = name.to_ascii_lowercase();
    let (_, help) = TABLE.iter().find(|(names, _)| names.contains(&&*lower))?;
    Some(help)
}

/// Whether a bare name finds a tool by chance, whose page would help nobody.
pub fn means_a_value(name: &str) -> bool {
    name.eq_ignore_ascii_case("list")
}

/// Names in lower case, and what to do.
const TABLE: [(&[&str], &str); 12] = [
    (
        &["list", "array", "tuple", "vec"],
        "a list is written `[1, 2]`; `RANGE(3)` gives numbers, `MAP.Keys(map)` keys, `STR.Split(text, \",\")` parts, and \
            `FS.Find(path)` finds the files of a directory",
    ),
    (
        &["map", "dict", "object", "hash"],
        "a map is written `{\"key\": value}`; `LIST.Map(list, Name)` runs a procedure",
    ),
    (&["print", "println", "printf", "echo", "puts", "write", "log.info"], "`EMIT value, value` prints a line"),
    (&["console.log", "system.out.println", "fmt.println", "io.write"], "`EMIT value, value` prints a line"),
    (&["push", "list.push", "list.add"], "`SET list = list + [value]` grows a list, as `LIST.Append` does"),
    (&["size", "count", "length", "strlen"], "`LEN(value)` gives the length"),
    (&["string", "tostring", "str.tostring"], "`STR(value)` gives the text"),
    (&["sorted", "sort"], "`LIST.Sort(list, key: \"size\", descending: true)` gives it sorted"),
    (&["filter", "reduce", "any", "all"], "`LIST.Filter(list, Name)` and its like take the name of a procedure"),
    (&["input", "readline", "gets"], "`IO.Input(\"prompt\")` reads a line"),
    (&["exit", "quit", "die", "throw", "raise"], "`FAIL \"reason\"` ends the script with an error"),
    (&["format", "sprintf"], "`STR.Format(\"{name:>8}\", map)` puts values into a text"),
];
