(if_statement ["END" "ENDBLOCK" "ENDIF"] @end) @indent
(while_statement ["END" "ENDBLOCK" "ENDWHILE"] @end) @indent
(for_statement ["END" "ENDBLOCK" "ENDFOR"] @end) @indent
(on_error_statement ["END" "ENDBLOCK" "ENDON"] @end) @indent
(procedure_definition ["END" "ENDBLOCK" "ENDPROCEDURE"] @end) @indent
(function_definition ["END" "ENDBLOCK" "ENDFUNC"] @end) @indent
(command_block ["END" "ENDBLOCK" "ENDCOMMAND"] @end) @indent

(else_clause "ELSE" @outdent)
(else_if_clause "ELSE" @outdent)

(arguments ")" @end) @indent
(list "]" @end) @indent
(map "}" @end) @indent
(parenthesized_expression ")" @end) @indent
