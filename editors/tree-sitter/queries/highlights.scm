; Captures have the names of Neovim; `editors/helix` has the same query with the names of Helix.
; Where patterns overlap, the later one wins.
; The lists of words between the marks come from the tables of the language:
; UPDATE=1 cargo test --test integration -- editors::

(identifier) @variable

(property_identifier) @variable.member

((identifier) @variable.builtin
  (#any-of? @variable.builtin
    ; >>> variables
    "LAST_ERROR"
    "last_error"
    "ARGS"
    "args"
    ; <<<
  ))

(last) @variable.builtin

(parameter name: (identifier) @variable.parameter)
(returns (identifier) @variable.parameter)
(named_argument name: (identifier) @variable.parameter)

; Calls

(call function: (identifier) @function.call)
(call function: (member property: (property_identifier) @function.call))
(call function: (member object: (identifier) @module))

((call function: (identifier) @function.builtin)
  (#any-of? @function.builtin
    ; >>> functions
    "LEN"
    "len"
    "TYPEOF"
    "typeof"
    "STR"
    "str"
    "INT"
    "int"
    "FLOAT"
    "float"
    "ABS"
    "abs"
    "MIN"
    "min"
    "MAX"
    "max"
    "ROUND"
    "round"
    "FLOOR"
    "floor"
    "CEIL"
    "ceil"
    "SQRT"
    "sqrt"
    "LN"
    "ln"
    "LOG"
    "log"
    "SIN"
    "sin"
    "COS"
    "cos"
    "TAN"
    "tan"
    "ASIN"
    "asin"
    "ACOS"
    "acos"
    "ATAN"
    "atan"
    "RANGE"
    "range"
    "EVAL"
    "eval"
    ; <<<
  ))

((call function: (member object: (identifier) @module.builtin))
  (#any-of? @module.builtin
    ; >>> groups
    "AUDIO"
    "audio"
    "BASE64"
    "base64"
    "CSV"
    "csv"
    "ENV"
    "env"
    "FS"
    "fs"
    "HASH"
    "hash"
    "IMAGE"
    "image"
    "INI"
    "ini"
    "IO"
    "io"
    "JSON"
    "json"
    "LIST"
    "list"
    "MAP"
    "map"
    "MARKDOWN"
    "markdown"
    "MATH"
    "math"
    "MEMORY"
    "memory"
    "MIME"
    "mime"
    "PATH"
    "path"
    "RANDOM"
    "random"
    "REGEX"
    "regex"
    "STR"
    "str"
    "TEXT"
    "text"
    "TIME"
    "time"
    "TOML"
    "toml"
    "TOOL"
    "tool"
    "UUID"
    "uuid"
    "XML"
    "xml"
    "YAML"
    "yaml"
    ; <<<
  ))

(procedure_definition name: (identifier) @function)
(function_definition name: (identifier) @function)
(use_statement name: (identifier) @module)

; Literals

(number) @number
(boolean) @boolean
(nil) @constant.builtin
(string) @string
(pair key: (string) @property)
(raw_string) @string
(template) @string
(use_statement path: (_) @string.special.path)
(escape_sequence) @string.escape

[
  "{{"
  "}}"
  (line_continuation)
] @punctuation.special

; Lines that are not executed

(comment) @comment
(comment_block) @comment
(procedure_definition body: (block . (comment_block) @comment.documentation))
(function_definition body: (block . (comment_block) @comment.documentation))
(metadata "::" @punctuation.special)
(metadata ":" @punctuation.delimiter)
(metadata_key) @attribute
(metadata_value) @string.documentation

; Keywords

[
  "SET"
  "VAR"
  "EMIT"
  "CALL"
  "DO"
  "END"
  "ENDBLOCK"
  "COMMAND"
  "ENDCOMMAND"
  "FILE_VERSION"
] @keyword

[
  "IF"
  "THEN"
  "ELSE"
  "ENDIF"
] @keyword.conditional

[
  "WHILE"
  "FOR"
  "EACH"
  "ENDWHILE"
  "ENDFOR"
  (break_statement)
  (continue_statement)
] @keyword.repeat

(for_statement "IN" @keyword.repeat)

"RETURN" @keyword.return

[
  "ON"
  "error"
  "ENDON"
  "MUST"
  "FAIL"
  (clear_error_statement)
] @keyword.exception

(on_error_statement "AS" @keyword.exception)

[
  "DEFINE"
  "PROCEDURE"
  "FUNC"
  "MEANS"
  "NEEDS"
  "OPTIONAL"
  "RETURNS"
  "ENDPROCEDURE"
  "ENDFUNC"
] @keyword.function

"USE" @keyword.import

(use_statement "AS" @keyword.import)

(if_statement ["END" "ENDBLOCK"] @keyword.conditional)
(while_statement ["DO" "END" "ENDBLOCK"] @keyword.repeat)
(for_statement ["DO" "END" "ENDBLOCK"] @keyword.repeat)
(on_error_statement ["DO" "END" "ENDBLOCK"] @keyword.exception)
(procedure_definition ["END" "ENDBLOCK"] @keyword.function)
(function_definition ["END" "ENDBLOCK"] @keyword.function)

; Operators and marks

[
  "+"
  "-"
  "*"
  "/"
  "%"
  "**"
  "=="
  "!="
  "<"
  "<="
  ">"
  ">="
  "&"
  "|"
  "^"
  "~"
  "="
] @operator

(binary_expression operator: ["AND" "OR" "IN" "NOT"] @keyword.operator)
(unary_expression operator: "NOT" @keyword.operator)

[
  "("
  ")"
  "["
  "]"
  "{"
  "}"
] @punctuation.bracket

[
  ","
  "."
  ":"
] @punctuation.delimiter
