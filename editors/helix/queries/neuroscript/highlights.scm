; Made from editors/tree-sitter/queries/highlights.scm with the names of Helix:
; UPDATE=1 cargo test --test integration -- editors::

(identifier) @variable

(property_identifier) @variable.other.member

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

(call function: (identifier) @function)
(call function: (member property: (property_identifier) @function))
(call function: (member object: (identifier) @namespace))

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

((call function: (member object: (identifier) @namespace))
  (#any-of? @namespace
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
(use_statement name: (identifier) @namespace)

; Literals

(number) @constant.numeric
(boolean) @constant.builtin.boolean
(nil) @constant.builtin
(string) @string
(pair key: (string) @variable.other.member)
(raw_string) @string
(template) @string
(use_statement path: (_) @string.special.path)
(escape_sequence) @constant.character.escape

[
  "{{"
  "}}"
  (line_continuation)
] @punctuation.special

; Lines that are not executed

(comment) @comment
(comment_block) @comment
(procedure_definition body: (block . (comment_block) @comment.block.documentation))
(function_definition body: (block . (comment_block) @comment.block.documentation))
(metadata "::" @punctuation.special)
(metadata ":" @punctuation.delimiter)
(metadata_key) @attribute
(metadata_value) @string

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
] @keyword.control.conditional

[
  "WHILE"
  "FOR"
  "EACH"
  "ENDWHILE"
  "ENDFOR"
  (break_statement)
  (continue_statement)
] @keyword.control.repeat

(for_statement "IN" @keyword.control.repeat)

"RETURN" @keyword.control.return

[
  "ON"
  "error"
  "ENDON"
  "MUST"
  "FAIL"
  (clear_error_statement)
] @keyword.control.exception

(on_error_statement "AS" @keyword.control.exception)

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

"USE" @keyword.control.import

(use_statement "AS" @keyword.control.import)

(if_statement ["END" "ENDBLOCK"] @keyword.control.conditional)
(while_statement ["DO" "END" "ENDBLOCK"] @keyword.control.repeat)
(for_statement ["DO" "END" "ENDBLOCK"] @keyword.control.repeat)
(on_error_statement ["DO" "END" "ENDBLOCK"] @keyword.control.exception)
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
