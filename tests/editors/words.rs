//! The words of the language in the forms in which files of editors need them.

use std::collections::BTreeSet;

use neuroscript::engine::{
    BEGINNING_WORDS, Builtin, CONSTANTS, HEAD_WORDS, RESERVED, STATEMENT_WORDS, built_in_tools, closed_heads,
};

/// Words of the scanner that begin and end a longer comment.
pub const COMMENT_BLOCK: [&str; 2] = ["COMMENT:", "ENDCOMMENT"];
/// Words that are operators.
pub const OPERATOR_WORDS: [&str; 4] = ["AND", "OR", "NOT", "IN"];
/// The words of a block between its head and its closer.
const BRANCHES: [&str; 1] = ["ELSE"];

/// Returns all keywords in upper case, in alphabetical order.
pub fn all() -> Vec<&'static str> {
    let heads = HEAD_WORDS.iter().flat_map(|(_, words)| words.iter());
    let words: BTreeSet<&str> = RESERVED.iter().chain(&STATEMENT_WORDS).chain(heads).copied().collect();
    words.into_iter().collect()
}

/// Returns the words that are keywords in lines that begin with a word.
pub fn of_head(head: &str) -> Vec<&'static str> {
    let found = HEAD_WORDS.iter().find(|(word, _)| *word == head);
    found.map_or_else(Vec::new, |(_, words)| words.to_vec())
}

/// Returns the words that are keywords in heads of procedures.
pub fn of_procedures() -> Vec<&'static str> {
    [of_head("DEFINE"), of_head("FUNC")].concat().into_iter().collect::<BTreeSet<_>>().into_iter().collect()
}

/// Returns the first words of statements that can also be names.
pub fn contextual() -> Vec<&'static str> {
    STATEMENT_WORDS.into_iter().filter(|word| !RESERVED.contains(word)).collect()
}

/// Returns the reserved words that are neither values nor operators.
pub fn commands() -> Vec<&'static str> {
    RESERVED.into_iter().filter(|word| !CONSTANTS.contains(word) && !OPERATOR_WORDS.contains(word)).collect()
}

/// Returns the words that cannot be the name in a placeholder.
pub fn not_names() -> Vec<&'static str> {
    RESERVED.into_iter().filter(|word| *word != "LAST").collect()
}

/// Returns the words that close blocks.
pub fn closers() -> Vec<&'static str> {
    STATEMENT_WORDS.into_iter().filter(|word| !closed_heads(word).is_empty()).collect()
}

/// Returns the first words of heads of blocks.
pub fn openers() -> Vec<&'static str> {
    closed_heads("END")
}

/// Returns the words that close a block with this head.
pub fn closers_of(head: &str) -> Vec<&'static str> {
    closers().into_iter().filter(|word| closed_heads(word).contains(&head)).collect()
}

/// Returns the names of the built-in functions.
pub fn functions() -> Vec<&'static str> {
    Builtin::names().collect()
}

/// Returns the names of the groups of tools, in upper case.
pub fn groups() -> Vec<String> {
    let tools = built_in_tools();
    let names = tools.iter().filter_map(|tool| tool.spec.name.split_once('.')).map(|(group, _)| group.to_uppercase());
    let groups: BTreeSet<String> = names.chain(["LIST".to_owned(), "MATH".to_owned(), "TOOL".to_owned()]).collect();
    groups.into_iter().collect()
}

/// Returns the names of the nodes of keywords in the grammar of tree-sitter. Queries take `ERROR` for an error node.
fn nodes() -> Vec<String> {
    let keywords = all().into_iter().filter(|word| !CONSTANTS.contains(word));
    keywords.map(|word| if word == "ERROR" { word.to_lowercase() } else { word.to_owned() }).collect()
}

/// Returns words in both spellings.
pub fn spelled(words: &[&str]) -> Vec<String> {
    words.iter().flat_map(|word| [(*word).to_owned(), word.to_lowercase()]).collect()
}

/// Returns a pattern for words in both spellings, without a group around it.
pub fn either(words: &[&str]) -> String {
    spelled(words).join("|")
}

/// Returns a pattern for words in both spellings.
pub fn any_of(words: &[&str]) -> String {
    format!("(?:{})", either(words))
}

fn groups_spelled() -> Vec<String> {
    let groups = groups();
    spelled(&groups.iter().map(String::as_str).collect::<Vec<_>>())
}

fn quoted(words: Vec<String>) -> Vec<String> {
    words.into_iter().map(|word| format!("\"{word}\"")).collect()
}

/// Returns the lines of a region of a query of tree-sitter.
pub fn region_of_query(name: &str) -> Option<Vec<String>> {
    // The other constants are nodes of their own.
    let variables: Vec<&str> = CONSTANTS.into_iter().filter(|word| !RESERVED.contains(word)).collect();
    Some(quoted(match name {
        "variables" => spelled(&variables),
        "functions" => spelled(&functions()),
        "groups" => groups_spelled(),
        _ => return None,
    }))
}

/// Returns the lines of a region of the syntax for Sublime Text.
pub fn region_of_sublime(name: &str) -> Option<Vec<String>> {
    let variables = [
        ("on", either(&["ON"])),
        ("on_words", either(&of_head("ON"))),
        ("use", either(&["USE"])),
        ("use_words", either(&of_head("USE"))),
        ("define", either(&["DEFINE", "FUNC"])),
        ("procedure_words", either(&of_procedures())),
        ("contextual", either(&contextual())),
        ("constants", either(&CONSTANTS)),
        ("operators", either(&OPERATOR_WORDS)),
        ("keywords", either(&commands())),
        ("functions", either(&functions())),
        ("groups", groups().join("|")),
        ("beginners", either(&BEGINNING_WORDS)),
        ("not_names", either(&not_names())),
    ];
    (name == "variables").then(|| variables.iter().map(|(name, words)| format!("{name}: '{words}'")).collect())
}

/// Returns the lines of a region of the files for Vim.
pub fn region_of_vim(name: &str) -> Option<Vec<String>> {
    let either = |words: &[&str]| spelled(words).join(r"\|");
    // The scanner takes such a word for a name before these marks.
    let keyword_end = r"\>\%(\s*[(.=[]\)\@!";
    let item = |group: &str, words: &[&str]| format!(r"syn match {group} /\<\%({}\)\>/", either(words));
    let in_head = |head: &[&str], words: &[&str]| {
        format!(r"syn match neuroscriptKeyword /\%(^\s*\%({}\)\>.*\)\@<=\<\%({}\)\>/", either(head), either(words))
    };
    Some(match name {
        "syntax" => vec![
            item("neuroscriptBuiltin", &functions()).replace(r"\>/", r"\>\ze\s*(/"),
            format!(r"syn match neuroscriptGroup /\c\<\%({}\)\>\ze\./", groups().join(r"\|")),
            item("neuroscriptConstant", &CONSTANTS),
            item("neuroscriptWordOperator", &OPERATOR_WORDS),
            item("neuroscriptKeyword", &commands()),
            format!(r"syn match neuroscriptStatement /^\s*\zs\%({}\){keyword_end}/", either(&contextual())),
            in_head(&["ON"], &of_head("ON")),
            in_head(&["USE"], &of_head("USE")),
            format!(r"syn match neuroscriptHeadWord /\<\%({}\)\>/ contained", either(&of_procedures())),
            format!(
                r"syn region neuroscriptHead matchgroup=neuroscriptKeyword start=/^\s*\zs\%({}\){keyword_end}/ {}",
                either(&["DEFINE", "FUNC"]),
                r"skip=/\\\s*\n/ end=/$/ contains=@neuroscriptExpression,neuroscriptHeadWord,neuroscriptSignature"
            ),
            format!(
                r"syn match neuroscriptPlaceholder /{{{{\s*\%(\%({}\)\>\)\@!\h\w*\%(\.\h\w*\)*\s*}}}}/ contained",
                either(&not_names())
            ),
        ],
        "closers" => openers()
            .into_iter()
            .map(|head| {
                let between =
                    if head == "IF" { format!(r":^\s*\zs\%({}\)\>", either(&BRANCHES)) } else { String::new() };
                let closers = either(&closers_of(head));
                let head = either(&[head]);
                format!(r"\ '^\s*\zs\%({head}\)\>{between}:^\s*\zs\%({closers}\)\>',")
            })
            .collect(),
        "indent-keys" => {
            let words = [closers(), BRANCHES.to_vec()].concat();
            let keys: Vec<String> = spelled(&words).iter().map(|word| format!("0={word}")).collect();
            vec![format!("setlocal indentkeys+={}", keys.join(","))]
        }
        "indent-words" => vec![
            format!(r"let s:openers = '\%({}\)'", either(&openers())),
            format!(r"let s:branches = '\%({}\)'", either(&BRANCHES)),
            format!(r"let s:closers = '\%({}\)'", either(&closers())),
        ],
        _ => return None,
    })
}

/// Returns the lines of a region of the mode for Emacs.
pub fn region_of_emacs(name: &str) -> Option<Vec<String>> {
    let list = |name: &str, about: &str, words: Vec<String>| {
        format!("(defconst neuroscript--{name} '({})\n  \"{about}\")", quoted(words).join(" "))
    };
    let lists = [
        list(
            "keywords",
            "Reserved words that are no values.",
            spelled(&[commands(), OPERATOR_WORDS.to_vec()].concat()),
        ),
        list("contextual", "Words that are keywords at the start of a line.", spelled(&contextual())),
        list("on", "Keywords of lines that begin with ON.", spelled(&of_head("ON"))),
        list("use", "Keywords of lines that begin with USE.", spelled(&of_head("USE"))),
        list("procedures", "Keywords of heads of procedures.", spelled(&of_procedures())),
        list("constants", "Words that are values.", spelled(&CONSTANTS)),
        list("functions", "Built-in functions.", spelled(&functions())),
        list("groups", "Groups of tools.", groups_spelled()),
        list("openers", "First words of heads of blocks.", spelled(&openers())),
        list("branches", "Words between a head and its closer.", spelled(&BRANCHES)),
        list("closers", "Words that close blocks.", spelled(&closers())),
        list("nodes", "Nodes of keywords in the grammar of tree-sitter.", nodes()),
    ];
    (name == "words").then(|| lists.iter().flat_map(|list| list.lines().map(str::to_owned)).collect())
}

/// Returns the lines of a region of the file for Kakoune.
pub fn region_of_kakoune(name: &str) -> Option<Vec<String>> {
    let add =
        |pattern: String, face: &str| format!("add-highlighter shared/neuroscript/code/ regex '{pattern}' {face}");
    let word = |words: &[&str]| format!(r"\b({})\b", either(words));
    let in_head = |head: &[&str], words: &[&str]| format!(r"^\h*({})\b[^\n]*?\b({})\b", either(head), either(words));
    Some(match name {
        "static-words" => {
            let words = [all(), CONSTANTS.to_vec(), functions()].concat();
            vec![format!("set-option window static_words {}", spelled(&words).join(" "))]
        }
        "highlighters" => vec![
            add(format!(r"\b({})\h*\(", either(&functions())), "1:builtin"),
            add(format!(r"(?i)\b({})\.", groups().join("|")), "1:module"),
            add(word(&CONSTANTS), "1:value"),
            add(word(&[commands(), OPERATOR_WORDS.to_vec()].concat()), "1:keyword"),
            add(format!(r"^\h*({})\b", either(&contextual())), "1:keyword"),
            add(format!(r"^\h*({})\h*[\[.=]", either(&contextual())), "1:variable"),
            add(format!(r"^\h*({})\h*\(", either(&contextual())), "1:function"),
            add(in_head(&["ON"], &of_head("ON")), "2:keyword"),
            add(in_head(&["ON"], &["AS"]), "2:keyword"),
            // Text in quotes is a region, after which the line begins anew.
            add(format!(r"\b({})\h+[A-Za-z_]\w*\h*$", either(&of_head("USE"))), "1:keyword"),
            add(in_head(&["DEFINE"], &["PROCEDURE"]), "2:keyword"),
        ]
        .into_iter()
        .chain(of_procedures().into_iter().map(|word| add(in_head(&["DEFINE", "FUNC"], &[word]), "2:keyword")))
        .collect(),
        "indentation" => kakoune_indentation(),
        _ => return None,
    })
}

fn kakoune_indentation() -> Vec<String> {
    let opens = either(&[openers(), BRANCHES.to_vec()].concat());
    let closes = either(&[closers(), BRANCHES.to_vec()].concat());
    let text = format!(
        "define-command -hidden neuroscript-indent-on-new-line %<
    evaluate-commands -draft -itersel %<
        # A closer or a branch alone on the line before belongs one step to the left.
        try %< execute-keys -draft k x <a-k> ^\\h+({closes})\\b <ret> <a-lt> >
        # The indentation of the line before.
        try %< execute-keys -draft <semicolon> K <a-&> >
        # After a head, a branch, and an open bracket.
        try %< execute-keys -draft k x <a-k> ^\\h*({opens})\\b <ret> j <a-gt> >
        try %< execute-keys -draft k x <a-k> [(\\[{{]\\h*$ <ret> j <a-gt> >
    >
>

define-command -hidden neuroscript-indent-on-closing %<
    evaluate-commands -draft -itersel %<
        try %< execute-keys -draft x <a-k> ^\\h+[)\\]}}]$ <ret> <a-lt> >
    >
>"
    );
    text.lines().map(str::to_owned).collect()
}
