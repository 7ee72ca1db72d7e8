(procedure_definition body: (block) @function.inside) @function.around
(function_definition body: (block) @function.inside) @function.around

(parameters (parameter) @parameter.inside)
(arguments (_) @parameter.inside)

[
  (comment)
  (comment_block)
] @comment.around

(list (_) @entry.inside)
(pair value: (_) @entry.inside) @entry.around
