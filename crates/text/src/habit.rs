//! Methods and properties of other languages, and their equivalents here.

/// Names of methods and properties for the length of a value in other languages.
const LENGTHS: [&str; 8] = ["length", "len", "size", "count", "Length", "Count", "Size", "__len__"];

/// Whether a method or property returns a length.
pub fn is_length(name: &str) -> bool {
    LENGTHS.contains(&name)
}

/// Returns the statement for a method that changes a value in place: `SET s = LIST.Append(s, 2)`.
///
/// `value` is the variable or element to change, `args` the arguments as written.
pub fn changed_by(value: &str, method: &str, args: &str) -> Option<String> {
    let call =
        |tool: &str| if args.is_empty() { format!("{tool}({value})") } else { format!("{tool}({value}, {args})") };
    let changed = match method.to_ascii_lowercase().as_str() {
        "append" | "push" | "push_back" | "pushback" | "add" if !args.is_empty() => call("LIST.Append"),
        "extend" | "addall" | "addrange" if !args.is_empty() => format!("{value} + {args}"),
        "unshift" | "prepend" | "push_front" if !args.is_empty() => call("LIST.Prepend"),
        "insert" if !args.is_empty() => call("LIST.Insert"),
        "update" if !args.is_empty() => call("MAP.Merge"),
        "sort" if args.is_empty() => call("LIST.Sort"),
        "reverse" if args.is_empty() => call("LIST.Reverse"),
        "pop" if args.is_empty() => format!("LIST.Slice({value}, 0, -1)"),
        "clear" if args.is_empty() => "[]".to_owned(),
        _ => return None,
    };
    Some(format!("SET {value} = {changed}"))
}
