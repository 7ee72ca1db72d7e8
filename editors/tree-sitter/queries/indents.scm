; For Neovim; `editors/helix` and `editors/zed` have theirs.

[
  (if_statement)
  (while_statement)
  (for_statement)
  (on_error_statement)
  (procedure_definition)
  (function_definition)
  (command_block)
  (arguments)
  (list)
  (map)
  (parenthesized_expression)
] @indent.begin

(parameters "(") @indent.begin

; A head whose closer is not written yet.
(ERROR
  [
    "IF"
    "WHILE"
    "FOR"
    "ON"
    "DEFINE"
    "FUNC"
    "COMMAND"
  ]) @indent.begin

[
  ")"
  "]"
  "}"
  "END"
  "ENDBLOCK"
  "ENDIF"
  "ENDWHILE"
  "ENDFOR"
  "ENDON"
  "ENDPROCEDURE"
  "ENDFUNC"
  "ENDCOMMAND"
] @indent.end @indent.branch

"ELSE" @indent.branch

[
  (comment_block)
  (raw_string)
  (template)
] @indent.ignore
