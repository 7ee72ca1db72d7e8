(procedure_definition
  ["DEFINE" "PROCEDURE"] @context
  name: (identifier) @name) @item

(function_definition
  "FUNC" @context
  name: (identifier) @name) @item
