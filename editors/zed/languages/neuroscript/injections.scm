((comment) @injection.content
  (#set! injection.language "comment"))

; The patterns of `REGEX.Match(text, '''…''')` and its like: a second argument, or one with its name.

((call
  function: (member object: (identifier) @_group)
  arguments: (arguments
    .
    (_)
    .
    (raw_string (string_content) @injection.content)))
  (#any-of? @_group "REGEX" "regex")
  (#set! injection.language "regex"))

((call
  function: (member object: (identifier) @_group)
  arguments: (arguments
    (named_argument
      name: (identifier) @_name
      value: (raw_string (string_content) @injection.content))))
  (#any-of? @_group "REGEX" "regex")
  (#eq? @_name "pattern")
  (#set! injection.language "regex"))
