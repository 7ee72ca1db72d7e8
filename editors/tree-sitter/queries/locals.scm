; A procedure has variables of its own, and reads those of the script.

(source_file) @local.scope

[
  (procedure_definition)
  (function_definition)
] @local.scope

(procedure_definition
  name: (identifier) @local.definition.function
  (#set! definition.function.scope "parent"))

(function_definition
  name: (identifier) @local.definition.function
  (#set! definition.function.scope "parent"))

(parameter name: (identifier) @local.definition.parameter)

(set_statement target: (identifier) @local.definition.var)
(for_statement variable: (identifier) @local.definition.var)
(on_error_statement variable: (identifier) @local.definition.var)
(use_statement name: (identifier) @local.definition.import)

(identifier) @local.reference
