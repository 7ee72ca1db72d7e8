//! The stable error codes, and their explanations for `ns explain`.
//!
//! There are two families. `NSxxxx` codes are for mistakes in a script, by area: 00 syntax, 01 names, 02 binding,
//! 03 values, 04 policy, 05 sandbox, 06 limits, 07 memory, 08 protocol, 09 bugs in NeuroScript. Lower-case words are
//! the codes of tool failures. A code is never reused.

use std::fmt;

/// Declares an enum of codes with their texts, so that every code has an explanation.
macro_rules! codes {
    ($(#[$outer:meta])* $name:ident { $($variant:ident = $id:literal, $title:literal, $explanation:literal;)* }) => {
        $(#[$outer])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        pub enum $name { $(#[doc = $title] $variant,)* }

        impl $name {
            /// All codes, in order.
            pub const ALL: &'static [$name] = &[$($name::$variant,)*];

            /// Returns the stable text of the code.
            pub fn id(self) -> &'static str {
                match self { $($name::$variant => $id,)* }
            }

            /// Returns a short description of the problem.
            pub fn title(self) -> &'static str {
                match self { $($name::$variant => $title,)* }
            }

            /// Returns the meaning and the fix in a few sentences, often with an example.
            pub fn explanation(self) -> &'static str {
                match self { $($name::$variant => $explanation,)* }
            }

            /// Returns the code with this text, without regard to letter case.
            pub fn from_id(id: &str) -> Option<$name> {
                $name::ALL.iter().copied().find(|code| code.id().eq_ignore_ascii_case(id))
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(self.id())
            }
        }
    };
}

codes! {
    /// Problems in a script, its text or its values.
    Code {
        UnexpectedText = "NS0001", "text that does not fit here",
            "The parser read the line up to the marked place and then met something that cannot stand there. The message says what could. One statement stands on a line; a line goes on only inside an open bracket or after a `\\` at its end.";
        UnclosedBracket = "NS0002", "a bracket is never closed",
            "A `(`, `[` or `{` has no partner. Inside brackets a line break counts as a blank, so the statement goes on until the bracket closes; the parser stops looking where a line begins with a statement.\n\n    EMIT LEN([1, 2]     wrong\n    EMIT LEN([1, 2])    right";
        StrayBracket = "NS0003", "a closing bracket without its opener",
            "A `)`, `]` or `}` closes nothing, or closes a bracket of another kind. Both places are shown where there are two.";
        UnclosedText = "NS0004", "a text is never closed",
            "A text in `\"` or `'` ends on the line it begins on. For a text of many lines use `'''…'''`, or three backticks, which also expand `{{name}}`.";
        BadEscape = "NS0005", "an unknown escape in a text",
            "In `\"…\"` and `'…'` a backslash begins an escape: `\\\" \\' \\\\ \\/ \\n \\r \\t \\b \\f`, `\\x41` (00 to 7F), `\\u00e9`, `\\u{1F600}`. A backslash itself is written `\\\\`.";
        BadNumber = "NS0006", "a number that cannot be read",
            "Whole numbers lie between -9223372036854775808 and 9223372036854775807 and may have `_` between digits. Numbers with a point have digits on both sides of it: `0.5`, `1.0`, `1.5e-3`.";
        UnclosedBlock = "NS0007", "a block is never closed",
            "`IF`, `WHILE`, `FOR EACH`, `ON ERROR`, `DEFINE PROCEDURE`, `func` and `command` open a block that `END` or `ENDBLOCK` closes (or the closer of its own: `ENDIF`, `ENDWHILE`, …). `ELSE IF` on one line goes on with the same block; `IF` on the line after `ELSE` opens another.";
        WrongCloser = "NS0008", "a closer that closes no open block",
            "`END` and `ENDBLOCK` close any block; `ENDIF`, `ENDWHILE`, `ENDFOR`, `ENDON`, `ENDFUNC`, `ENDPROCEDURE` and `ENDCOMMAND` close only theirs.";
        BadCharacter = "NS0009", "a character that may not stand here",
            "NUL, a carriage return without a line feed, Unicode blanks other than space and tab, invisible characters such as variation selectors, and letters that are not in their composed form (NFC) are refused outside texts, since they look like something they are not. Inside a text write them as escapes: `\"\\u00a0\"`.";
        NotUtf8 = "NS0010", "the script is not UTF-8",
            "Scripts are UTF-8 text. The message names the first byte that is not. Save the file as UTF-8, or write the character as an escape.";
        UnknownStatement = "NS0011", "a line that begins with no statement",
            "Every line begins with a statement's word: `SET`, `EMIT`, `CALL`, `IF`, `WHILE`, `FOR EACH`, `RETURN`, `MUST`, `FAIL`, `BREAK`, `CONTINUE`, `ON ERROR`, `CLEAR_ERROR`, `USE`, `DEFINE PROCEDURE`, `func`, `command` or a closer. Keywords are all upper case or all lower case.";
        MissingCallOrSet = "NS0012", "a call or an assignment without its keyword",
            "A call that stands alone begins with `CALL`, an assignment with `SET`.\n\n    FS.Mkdir(\"out\")          wrong\n    CALL FS.Mkdir(\"out\")     right\n    n = 1                    wrong\n    SET n = 1                right";
        OneLineBlock = "NS0013", "a block on one line",
            "Only a comment may follow `THEN`, `DO`, `ELSE`, `means` or a closer. A block takes at least three lines:\n\n    IF ready THEN\n      EMIT \"go\"\n    END";
        ReservedName = "NS0014", "a reserved word as a name",
            "Reserved, in upper and in lower case: IF THEN ELSE END ENDBLOCK WHILE DO FOR EACH IN SET VAR CALL RETURN EMIT LAST AND OR NOT MUST FAIL and true false nil null. Any other word can be a name; after a `.` and before the `:` of an argument every word can.";
        MapKey = "NS0015", "a map key that is not a text",
            "The keys of a map literal are texts in quotes: `{\"k\": 1}`. For a key that is in a variable write `SET m[name] = value`.";
        ChainedComparison = "NS0016", "comparisons in a chain",
            "`a < b < c` has no meaning here. Write `a < b AND b < c`.";
        OtherDialect = "NS0017", "a statement of another dialect",
            "`ask`, `promptuser`, `whisper`, `on event`, `clear_event`, `no x`, `some x` and texts in `[[…]]` belong to other dialects of the language and are not part of this one.";
        Misplaced = "NS0018", "a statement where it may not stand",
            "`ELSE` stands inside an IF block, `BREAK` and `CONTINUE` inside a loop, `CLEAR_ERROR` inside ON ERROR; procedures, `command` and `USE` stand at the top level; `FILE_VERSION` stands before the first statement.";
        BadContinuation = "NS0019", "a line continuation that joins nothing",
            "A `\\` with only blanks after it joins the next line. That line may not be empty or a comment, and the `\\` may not be followed by anything else.";
        WrongOperator = "NS0020", "an operator of another language",
            "Here `=` stands only in `SET x = …`; to compare write `==` or `!=`. `AND`, `OR`, `NOT` are words. `x += 1` is `SET x = x + 1`. There is no `;`.";
        CommentLooksLikeCode = "NS0021", "a comment that reads like an expression",
            "`--` and `//` always begin a comment outside texts, so `n--1` is `n` and `a // b` is `a`. Write `n - -1` with a blank between, or put the comment on a line of its own.";
        NotBindsTight = "NS0022", "NOT takes less than it seems to",
            "`NOT a == b` means `(NOT a) == b`. Write `NOT (a == b)` or `a != b`; `NOT x IN list` is `x NOT IN list`.";
        DuplicateKey = "NS0023", "a map literal names a key twice",
            "The key keeps its first place and its last value; the other value is never seen. In a call of a document it is an error.";
        TooManyFaults = "NS0024", "more faults than are worth showing",
            "After a hundred faults the rest of the text is not read: most likely it is not a script at all, or one fault near the top causes the others. Repair the first ones and check again.";
        BadDefault = "NS0025", "a default that cannot stand here",
            "A parameter may have a default: `DEFINE PROCEDURE Name(a, b: 2)` or `func Name(needs a optional b: 2) means`. It is a literal (a number, a text, `true`, `false`, `nil`, a list or map of these), and every parameter after it has one too.";
        UnknownName = "NS0101", "a name that nothing sets",
            "A variable is known once some `SET`, `FOR EACH`, `ON ERROR AS` or parameter of the same procedure, or of the script's top level, sets it. Nothing sets this one; the nearest known name is offered. In a document that `ns render` prints, `--var` and `--vars` set names.";
        UnsetName = "NS0102", "a variable is read before it is set",
            "The variable is set somewhere, but the run came here by a path on which that had not happened. Set it before the branch or loop.";
        UnknownCall = "NS0103", "no procedure, built-in or tool of this name",
            "A call looks for a procedure of the script, then a built-in function, then a tool. `ns tools` lists the tools. Variables cannot be called.";
        DuplicateProcedure = "NS0104", "two procedures of one name",
            "A procedure's name is given once in a script.";
        DuplicateParameter = "NS0105", "two parameters of one name",
            "The parameters of a procedure have different names.";
        OuterVariable = "NS0106", "a procedure changes a variable of the script",
            "Procedures read the script's top-level variables and cannot change them. Return the new value and set the variable at the top level: `SET total = Add(total, 1)`.";
        NoEntry = "NS0107", "the script has nothing to run",
            "A file that holds only procedures runs `Main`, `main` or its only procedure; with several and no Main name one: `ns run FILE --proc NAME`.";
        ModuleMissing = "NS0108", "a module that cannot be read",
            "The path after `USE` names a file of the sandbox, from its root downwards, or of a folder given as `--lib`. It is read before the run, by the rules that hold for tools: what the policy refuses to them is refused here too.";
        ModuleCycle = "NS0109", "modules that use each other",
            "A module may not use itself, nor one that uses it. Move what both need to a module of its own.";
        ModuleStatement = "NS0110", "a statement in a module",
            "A module holds procedures, and USE for the modules that they need; nothing of it runs by itself. Put the statements into a procedure and call it.";
        ModuleName = "NS0111", "a name for a module that means something else",
            "`USE \"…\" AS name` needs a name that is neither the name of a group of tools (`FS`, `STR`, `LIST`, …, in any spelling) nor given to another module of the same text.";
        UnusedName = "NS0112", "a name that is set and never read",
            "A variable, the name of `ON ERROR AS` or a module is given a name that nothing reads. A name that begins with `_` is meant to be unread.";
        HiddenName = "NS0113", "a name that hides another",
            "A procedure has variables of its own: setting one that has the name of a variable of the script leaves the script's as it is. A loop inside another that sets the same name leaves the outer one with the inner one's value.";
        Unreachable = "NS0114", "a statement that is never reached",
            "Nothing goes on after RETURN, BREAK, CONTINUE or FAIL in the same block, after an IF whose branches all end so, ELSE among them, nor after a `WHILE true` that no BREAK leaves.";
        UnseenResult = "NS0115", "a call that can fail, and nobody looks",
            "Most tools report a failure by their result: nil, or a map with `error`; the script goes on, and ON ERROR does not run. A CALL whose result is not looked at (`LAST` or `LAST_ERROR` before the next call) passes over it, and so does `SET r = FS.WriteFile(…)` if `r` is set again before anything reads it. `MUST CALL` makes it an error.\n\n    CALL FS.WriteFile(\"a.txt\", text)         passes over a full disk\n    MUST CALL FS.WriteFile(\"a.txt\", text)    ends the run";
        ConstantCondition = "NS0116", "a condition that is always the same",
            "The condition has the same value in every run: it compares two constants, or a name with itself, or joins others with a constant. `IF x == \"a\" OR \"b\"` is always true: write `x IN [\"a\", \"b\"]`. `name OR \"default\"` is true, not a text: AND and OR give true or false. `WHILE true` is no such condition; it is how a loop is written that ends by BREAK.";
        NeverNil = "NS0117", "a comparison with nil of what is never nil",
            "The value is there each time. A tool that reads or changes a file gives a map whose `error` says what went wrong: ask `r.error != nil`, not `r == nil`.";
        NeedlessAllow = "NS0118", "an `allow` for what was not found",
            "A comment `# ns: allow CODE` takes a warning away: beside a statement those of its line, on a line of its own those of the next statement with all that it holds, before the first statement with an empty line between those of the whole text. This one takes none away: what it was for is gone, or it stands elsewhere.";
        UnknownArgumentLine = "NS0119", "an `:: arg` line for no parameter",
            "`:: arg name: …` says what a parameter of the procedure is for that runs with the script (`Main`), and `ns FILE --help` shows it. The procedure has no parameter of this name.";
        OwnOption = "NS0120", "an option of the script that `ns` has too",
            "A parameter of `Main` is an option of the script: `plan` is `--plan`. Where `ns run` has an option of that name, whoever writes it after the file could mean either, so it is refused there: before the file it is that of `ns`, after `--` that of the script. Choose another name.";
        WrongOperand = "NS0121", "an operator that does not do this here",
            "`*` repeats neither texts nor lists, and `+` and `-` do not change a time, which is a text: `TIME.Now() + 60` joins the two. Write `STR.Repeat(text, n)`, `LIST.Repeat(value, n)`, `TIME.Add(time, days: -7)` or `TIME.Difference(a, b)`. `^` is the bitwise exclusive or, so `2 ^ 8` is 10: a power is `2 ** 8`.";
        UnexpandedName = "NS0122", "the name of a variable in the braces of a text",
            "Nothing is put into a text in quotes: `\"size: {size}\"` prints the braces. Join the parts with `+`, or write the text between three backticks, which expand `{{size}}`. Texts that a script gives to `STR.Format` or `TEXT.Template` are not looked at.";
        UncalledMain = "NS0123", "`Main` is never called",
            "A file of procedures alone runs `Main`. A statement at the top level, if only a SET of a constant, makes the file a script that runs its top-level statements and nothing else: `Main` is then a procedure like any other, and its parameters are no options. Move the statement into `Main` or make its value the default of a parameter; or call `Main` at the end of the file.\n\n    SET days = 30                     wrong: `Main` never runs\n    DEFINE PROCEDURE Main(folder)\n\n    DEFINE PROCEDURE Main(folder, days: 30)    right: `--days 7` is an option too";
        UnknownMetadata = "NS0124", "a `::` line that describes nothing",
            "`:: description: …`, `:: usage: …` and `:: arg NAME: …` describe the command line of a script, and `ns FILE --help` shows them. The key of this line is probably misspelt or missing, or a line above has the same key. Any other key is free and has no effect; what is only meant for readers is a comment: `# …`.";
        ResumedMust = "NS0125", "a MUST that does not stop the run",
            "`CLEAR_ERROR` in a handler lets the run go on after the statement that failed, also after a MUST: what follows it runs although it needs what did not happen. Write `RETURN` in the handler, or leave `CLEAR_ERROR` out; where a loop is to go on with its next turn, put the statements of a turn into a procedure without a handler.\n\n    ON ERROR AS err DO\n      EMIT err.message\n      CLEAR_ERROR                         wrong: `a` is deleted although it was not copied\n    END\n    MUST CALL FS.CopyFile(\"a\", \"b/a\")\n    MUST CALL FS.DeleteFile(\"a\")";
        UpstreamCall = "NS0126", "a call that means something else in upstream NeuroScript",
            "A call of `tool.…` in lower case is written as in upstream NeuroScript, where this one gives something else: `tool.str.Substring(text, start, length)` takes a length, and here an end. If the script comes from there, `ns migrate FILE` rewrites the call so that it does what it did. If it was written for this language, use the name of our tool: `STR.Sub`.\n\n    tool.str.Substring(\"abcdef\", 1, 3)    `bcd` upstream, `bc` here\n    STR.Sub(\"abcdef\", 1, 4)              `bcd`";
        MissingArgument = "NS0201", "an argument is missing",
            "The call gives fewer arguments than the procedure, built-in or tool needs. `ns tools NAME` shows what a tool takes.";
        TooManyArguments = "NS0202", "too many arguments",
            "The call gives more arguments than the procedure, built-in or tool takes.";
        UnknownArgument = "NS0203", "an argument name that is not known",
            "A named argument (`name: value`, or a key of the one map) has a name that the procedure or tool does not have.";
        DoubledArgument = "NS0204", "an argument given twice",
            "The same argument is given by place and by name, or twice by name.";
        PositionalAfterNamed = "NS0205", "an unnamed argument after a named one",
            "Unnamed arguments come first, in their order; named ones follow.";
        WrongArgumentType = "NS0206", "an argument of the wrong type",
            "The tool declares the type of each argument. The message shows what it needs and what it was given.";
        ArgumentOutOfRange = "NS0207", "an argument outside what is allowed",
            "The value lies outside the limits that the tool declares, or is not one of the words it knows, or is over a cap of the policy file.";
        BadArgumentLine = "NS0208", "a command line that contradicts itself",
            "`:: arg [name]: …` is an argument that may be left out, so the parameter has a default; `:: arg name...: …` takes all words that are left, so it comes last, and its default, if it has one, is a list. `:: arg name (int): …` takes whole numbers, `(float)` numbers, and the default, if it is neither nil nor empty, is of that kind. A flag `x` is turned off by `--no-x`, which no other parameter may be.";
        NewerVersion = "NS0209", "a script for a newer version",
            "`:: needs: 0.2` names the oldest version of `ns` that a script or module works with: one to three numbers. An older program refuses it, and says nothing else about it, since it may misread what a newer one has added. `ns --version` prints the version.";
        WrongType = "NS0301", "an operation on values of the wrong types",
            "`+` adds numbers, joins lists, and joins text when either side is a text; `- * / % **` take numbers; `& | ^ ~` take ints; `< <= > >=` compare two numbers or two texts. Convert with `INT`, `FLOAT` or `STR`.";
        Overflow = "NS0302", "a whole number grew out of 64 bits",
            "Whole numbers are 64-bit and never wrap. Use a float where the exact value does not matter: `FLOAT(a) * b`.";
        DivisionByZero = "NS0303", "division by zero",
            "`/` and `%` by zero, and zero to a negative power, have no value. Test the divisor first.";
        IndexOutOfRange = "NS0304", "an index outside the list or text",
            "Indexes count from 0; negative ones count from the end. `SET list[LEN(list)] = x` appends; a higher index is an error.";
        MissingKey = "NS0305", "a map without this key",
            "Ask first with `IF \"key\" IN map THEN`. The message names the keys that are there, or what a failed tool said.";
        NotIndexable = "NS0306", "a value that has no elements",
            "Only lists, texts and maps have elements: lists and texts by whole number, maps by text. A tool that failed may have given nil: look at `LAST_ERROR`.";
        BadConversion = "NS0307", "a text that is not a number",
            "`INT` and `FLOAT` read texts that are a number and nothing else, blanks around it aside.";
        CountMismatch = "NS0308", "a list of another length than the targets",
            "`SET a, b = list` needs a list of exactly as many elements as there are names.";
        OutOfDomain = "NS0309", "a number outside what the function takes",
            "For example the root or the logarithm of a negative number, or a float too large for a whole number.";
        NotIterable = "NS0310", "a value that FOR EACH cannot go through",
            "FOR EACH goes through lists, maps and texts; nil is empty.";
        BadPolicy = "NS0401", "a policy file that cannot be used",
            "The policy files are the user's own, the one that `--policy` names, and `neuroscript.toml` in the root; all of them hold. An unknown key, a wrong type or a value out of range is an error with its place; nothing runs until it is mended.";
        RefusedTool = "NS0402", "a tool that the policy refuses",
            "The policy in force refuses every call of this tool: by `deny` in `[tools]`, or because nothing may be changed. `ns doctor` shows the policy.";
        BadRoot = "NS0501", "a sandbox folder that cannot be used",
            "The folder given as `--sandbox` is missing, is no folder or cannot be opened. The root of the file system and the home folder are used only when named.";
        LeavingPath = "NS0502", "a path that leads out of the sandbox",
            "The text climbs above the sandbox root by `..`, is absolute and lies outside, or names what no tool reaches (`.ns`, the policy file). Tools refuse it (`sandbox_violation`).";
        TextTooLong = "NS0601", "a script over its size limit",
            "`script_bytes` bounds the text of a script together with the modules it uses (8 MiB unless the policy file says otherwise).";
        TooDeep = "NS0602", "a script nested too deeply",
            "`nesting` bounds brackets inside brackets, blocks inside blocks, and signs or `**` in a row (256); one expression holds at most 10,000 operators. Use variables for the parts.";
        StepLimit = "NS0603", "the step limit was reached",
            "`max_steps` bounds the statements, calls and loop turns of a run. An endless loop ends here. Raise it with `--max-steps N` or in `[limits]` of your own policy file.";
        TimeLimit = "NS0604", "the time limit was reached",
            "`timeout_s` bounds the wall time of a run, tools included. Raise it with `--timeout SECONDS` or in `[limits]` of your own policy file.";
        CallDepthLimit = "NS0605", "procedures call each other too deeply",
            "`call_depth` bounds calls inside calls (1,000). A procedure that calls itself needs a case in which it does not. Raise it in `[limits]` of your own policy file.";
        ValueDepthLimit = "NS0606", "a value nested too deeply",
            "`value_depth` bounds lists and maps inside each other (256).";
        MemoryLimit = "NS0607", "the values of the run take too much memory",
            "`memory_bytes` bounds all live values together. Work in parts, or raise it in `[limits]` of your own policy file.";
        StringLimit = "NS0608", "a text over its size limit",
            "`string_bytes` bounds one text.";
        CollectionLimit = "NS0609", "a list or map over its size limit",
            "`collection_items` bounds the elements of one list or map.";
        OutputLimit = "NS0610", "the run prints too much",
            "`output_bytes` bounds what EMIT prints in sum.";
        AnswerLimit = "NS0611", "a tool's answer over its size limit",
            "`tool_output_bytes` (or `--max-output-bytes`) bounds one answer of a tool.";
        FilesChangedLimit = "NS0612", "the run changes too many files",
            "`files_changed` bounds the changes of one run.";
        BytesWrittenLimit = "NS0613", "the run writes too many bytes",
            "`bytes_written` bounds the bytes that one run writes.";
        Interrupted = "NS0614", "the run was interrupted",
            "Ctrl-C, or the end of the caller, stopped the run. What was done before stays done.";
        ModuleLimit = "NS0615", "a script uses too many modules",
            "`modules` bounds the modules of a script, those that its modules use among them (256). `script_bytes` bounds the text of all together.";
        Internal = "NS0901", "a fault of NeuroScript itself",
            "This is not the script's mistake. Please report it with the script and the message.";
    }
}

codes! {
    /// Failures of tool calls: the `code` in `LAST_ERROR` and in answers for programs.
    ToolCode {
        BadArgs = "bad_args", "the call itself is wrong",
            "The number, a name, a type or a value of the arguments does not fit what the tool declares. Nothing was touched.";
        UnknownTool = "unknown_tool", "no tool of this name",
            "`ns tools` lists the tools; names are found without regard to case, by script name, wire name or alias.";
        SandboxViolation = "sandbox_violation", "a path that leaves the sandbox",
            "The path climbs above the root, is absolute where that is refused, goes through a link that leaves the root, or names what no tool may touch (`.ns`, the policy file, the root itself as a target).";
        PolicyDenied = "policy_denied", "the policy refuses it",
            "The policy in force, or `--read-only`, does not allow the call.";
        NotFound = "not_found", "no such file or folder",
            "The path, or a folder on the way to it, does not exist.";
        NotADirectory = "not_a_directory", "a folder is needed",
            "The path, or a part of it, names something that is not a folder.";
        IsADirectory = "is_a_directory", "a folder where a file is needed",
            "The path names a folder.";
        AlreadyExists = "already_exists", "the target exists",
            "The tool does not overwrite here. Choose another name or delete the target first.";
        PermissionDenied = "permission_denied", "the operating system refuses it",
            "The user that runs `ns` may not do this.";
        TooLarge = "too_large", "a file over the size limit of the call",
            "Raise the call's limit, or read a part.";
        NotText = "not_text", "binary content where text is asked for",
            "Read it with `encoding: \"base64\"`.";
        Encoding = "encoding", "text that the encoding cannot hold or read",
            "Name another encoding.";
        InvalidArchive = "invalid_archive", "an archive or compressed file that is not read",
            "It is damaged or cut off, of a kind that is not read, encrypted, or says two things at once. Nothing was unpacked.";
        InvalidMedia = "invalid_media", "a file that is no image or audio that is read",
            "It is of another kind, damaged or cut off. The message says which kind it is, and the hint names the tool for that.";
        Conflict = "conflict", "the file is not what the caller expected",
            "Somebody changed it meanwhile, or what stands there is not ours: another program's database, a link called `.ns`. The message says which; nothing was changed.";
        NoSpace = "no_space", "the disk or the quota is full",
            "The old content is still there.";
        IoError = "io_error", "the operating system reports an error",
            "The message has its words.";
        LimitExceeded = "limit_exceeded", "a limit of the run was reached",
            "The message names the limit and the key that raises it. Limits cannot be caught by ON ERROR.";
        Cancelled = "cancelled", "the run was interrupted",
            "What was done before stays done.";
        Fail = "fail", "FAIL or MUST",
            "The script itself declared the failure.";
    }
}
