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
] @indent

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
  "ELSE"
] @outdent
