; Made from editors/tree-sitter/queries/highlights.scm with the names of Zed:
; UPDATE=1 cargo test --test integration -- editors::

(identifier) @variable

(property_identifier) @property

((identifier) @variable.special
  (#any-of? @variable.special
    ; >>> variables
    "LAST_ERROR"
    "last_error"
    "ARGS"
    "args"
    ; <<<
  ))

(last) @variable.special

(parameter name: (identifier) @variable)
(returns (identifier) @variable)
(named_argument name: (identifier) @variable)

; Calls

(call function: (identifier) @function)
(call function: (member property: (property_identifier) @function))
(call function: (member object: (identifier) @type))

((call function: (identifier) @function)
  (#any-of? @function
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

((call function: (member object: (identifier) @type))
  (#any-of? @type
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
(use_statement name: (identifier) @type)

; Literals

(number) @number
(boolean) @boolean
(nil) @constant
(string) @string
(pair key: (string) @property)
(raw_string) @string
(template) @string
(use_statement path: (_) @string.special)
(escape_sequence) @string.escape

[
  "{{"
  "}}"
  (line_continuation)
] @punctuation.special

; Lines that are not executed

(comment) @comment
(comment_block) @comment
(procedure_definition body: (block . (comment_block) @comment.doc))
(function_definition body: (block . (comment_block) @comment.doc))
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
] @keyword

[
  "WHILE"
  "FOR"
  "EACH"
  "ENDWHILE"
  "ENDFOR"
  (break_statement)
  (continue_statement)
] @keyword

(for_statement "IN" @keyword)

"RETURN" @keyword

[
  "ON"
  "error"
  "ENDON"
  "MUST"
  "FAIL"
  (clear_error_statement)
] @keyword

(on_error_statement "AS" @keyword)

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
] @keyword

"USE" @keyword

(use_statement "AS" @keyword)

(if_statement ["END" "ENDBLOCK"] @keyword)
(while_statement ["DO" "END" "ENDBLOCK"] @keyword)
(for_statement ["DO" "END" "ENDBLOCK"] @keyword)
(on_error_statement ["DO" "END" "ENDBLOCK"] @keyword)
(procedure_definition ["END" "ENDBLOCK"] @keyword)
(function_definition ["END" "ENDBLOCK"] @keyword)

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

(binary_expression operator: ["AND" "OR" "IN" "NOT"] @keyword)
(unary_expression operator: "NOT" @keyword)

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
