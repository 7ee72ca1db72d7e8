" NeuroScript: syntax for Vim, and for Neovim without the parser of tree-sitter.
" Where two items begin at the same place, the later one wins. Words are matched, not `syn keyword`s, which would win
" over the names after a dot.

if exists('b:current_syntax')
  finish
endif

syn case match
syn iskeyword @,48-57,_,192-255
syn sync fromstart

syn match neuroscriptName /\<\h\w*\>/
syn match neuroscriptNumber /\<\d[0-9_]*\%(\.\d[0-9_]*\)\=\%([eE][+-]\=\d\+\)\=\>/
syn match neuroscriptOperator /[-+*/%=!<>&|^~]/
syn match neuroscriptDelimiter /[])},.:\\]/
" Inside brackets, a line does not begin a statement.
syn region neuroscriptBrackets matchgroup=neuroscriptDelimiter start=/[([{]/ end=/[])}]/ contains=@neuroscriptExpression
syn cluster neuroscriptExpression contains=neuroscriptName,neuroscriptNumber,neuroscriptOperator,neuroscriptDelimiter,
      \neuroscriptBrackets,neuroscriptFunction,neuroscriptBuiltin,neuroscriptGroup,neuroscriptConstant,
      \neuroscriptWordOperator,neuroscriptKeyword,neuroscriptLabel,neuroscriptProperty,neuroscriptString,neuroscriptComment
syn match neuroscriptFunction /\<\h\w*\>\ze\s*(/

" >>> syntax (UPDATE=1 cargo test --test integration -- editors::)
syn match neuroscriptBuiltin /\<\%(LEN\|len\|TYPEOF\|typeof\|STR\|str\|INT\|int\|FLOAT\|float\|ABS\|abs\|MIN\|min\|MAX\|max\|ROUND\|round\|FLOOR\|floor\|CEIL\|ceil\|SQRT\|sqrt\|LN\|ln\|LOG\|log\|SIN\|sin\|COS\|cos\|TAN\|tan\|ASIN\|asin\|ACOS\|acos\|ATAN\|atan\|RANGE\|range\|EVAL\|eval\)\>\ze\s*(/
syn match neuroscriptGroup /\c\<\%(AUDIO\|BASE64\|CSV\|ENV\|FS\|HASH\|IMAGE\|INI\|IO\|JSON\|LIST\|MAP\|MARKDOWN\|MATH\|MEMORY\|MIME\|PATH\|RANDOM\|REGEX\|STR\|TEXT\|TIME\|TOML\|TOOL\|UUID\|XML\|YAML\)\>\ze\./
syn match neuroscriptConstant /\<\%(TRUE\|true\|FALSE\|false\|NIL\|nil\|NULL\|null\|LAST\|last\|LAST_ERROR\|last_error\|ARGS\|args\)\>/
syn match neuroscriptWordOperator /\<\%(AND\|and\|OR\|or\|NOT\|not\|IN\|in\)\>/
syn match neuroscriptKeyword /\<\%(IF\|if\|THEN\|then\|ELSE\|else\|END\|end\|ENDBLOCK\|endblock\|WHILE\|while\|DO\|do\|FOR\|for\|EACH\|each\|SET\|set\|VAR\|var\|CALL\|call\|RETURN\|return\|EMIT\|emit\|MUST\|must\|FAIL\|fail\)\>/
syn match neuroscriptStatement /^\s*\zs\%(BREAK\|break\|CONTINUE\|continue\|ON\|on\|CLEAR_ERROR\|clear_error\|USE\|use\|DEFINE\|define\|FUNC\|func\|COMMAND\|command\|ENDIF\|endif\|ENDWHILE\|endwhile\|ENDFOR\|endfor\|ENDON\|endon\|ENDFUNC\|endfunc\|ENDPROCEDURE\|endprocedure\|ENDCOMMAND\|endcommand\|FILE_VERSION\|file_version\)\>\%(\s*[(.=[]\)\@!/
syn match neuroscriptKeyword /\%(^\s*\%(ON\|on\)\>.*\)\@<=\<\%(ERROR\|error\|AS\|as\)\>/
syn match neuroscriptKeyword /\%(^\s*\%(USE\|use\)\>.*\)\@<=\<\%(AS\|as\)\>/
syn match neuroscriptHeadWord /\<\%(MEANS\|means\|NEEDS\|needs\|OPTIONAL\|optional\|PROCEDURE\|procedure\|RETURNS\|returns\)\>/ contained
syn region neuroscriptHead matchgroup=neuroscriptKeyword start=/^\s*\zs\%(DEFINE\|define\|FUNC\|func\)\>\%(\s*[(.=[]\)\@!/ skip=/\\\s*\n/ end=/$/ contains=@neuroscriptExpression,neuroscriptHeadWord,neuroscriptSignature
syn match neuroscriptPlaceholder /{{\s*\%(\%(IF\|if\|THEN\|then\|ELSE\|else\|END\|end\|ENDBLOCK\|endblock\|WHILE\|while\|DO\|do\|FOR\|for\|EACH\|each\|IN\|in\|SET\|set\|VAR\|var\|CALL\|call\|RETURN\|return\|EMIT\|emit\|AND\|and\|OR\|or\|NOT\|not\|MUST\|must\|FAIL\|fail\|TRUE\|true\|FALSE\|false\|NIL\|nil\|NULL\|null\)\>\)\@!\h\w*\%(\.\h\w*\)*\s*}}/ contained
" <<<

syn match neuroscriptLabel /\<\h\w*\>\ze\s*:/
syn match neuroscriptProperty /\.\@1<=\h\w*/
syn match neuroscriptFunction /\.\@1<=\h\w*\ze\s*(/

syn region neuroscriptSignature matchgroup=neuroscriptDelimiter start=/(/ end=/)/ contained
      \ contains=@neuroscriptExpression,neuroscriptHeadWord

syn match neuroscriptEscape /\\\%(["'\\\/nrtbf]\|x[0-7]\x\|u\x\{4}\|u{\x\{1,6}}\)/ contained
syn region neuroscriptString start=/"/ skip=/\\./ end=/"/ oneline contains=neuroscriptEscape
syn region neuroscriptString start=/'/ skip=/\\./ end=/'/ oneline contains=neuroscriptEscape
syn region neuroscriptString start=/'''/ end=/'''/ keepend
syn region neuroscriptString start=/```/ end=/```/ contains=neuroscriptPlaceholder keepend

syn match neuroscriptComment /#.*/ contains=neuroscriptTodo,@Spell
syn match neuroscriptComment /--.*/ contains=neuroscriptTodo,@Spell
syn match neuroscriptComment +//.*+ contains=neuroscriptTodo,@Spell
syn keyword neuroscriptTodo TODO FIXME XXX contained
syn region neuroscriptBlock start=/^\s*\%(COMMENT\|comment\):/ end=/^\s*\zs\%(ENDCOMMENT\|endcomment\)\>/ contains=neuroscriptTodo,@Spell keepend
syn match neuroscriptBlock /^\s*\%(COMMENT\|comment\):.\{-}\<\%(ENDCOMMENT\|endcomment\)\>/ contains=neuroscriptTodo,@Spell
syn region neuroscriptMetadata start=/^\s*::/ skip=/\\\s*\n/ end=/$/ contains=neuroscriptKey keepend
syn match neuroscriptKey /^\s*::\s*\zs[^:\\]\{-}\ze\s*:/ contained

hi def link neuroscriptName NONE
hi def link neuroscriptKeyword Statement
hi def link neuroscriptStatement Statement
hi def link neuroscriptHeadWord Statement
hi def link neuroscriptWordOperator Keyword
hi def link neuroscriptConstant Constant
hi def link neuroscriptBuiltin Function
hi def link neuroscriptFunction Function
hi def link neuroscriptGroup Type
hi def link neuroscriptLabel Identifier
hi def link neuroscriptProperty Identifier
hi def link neuroscriptNumber Number
hi def link neuroscriptString String
hi def link neuroscriptEscape SpecialChar
hi def link neuroscriptPlaceholder Special
hi def link neuroscriptOperator Operator
hi def link neuroscriptDelimiter Delimiter
hi def link neuroscriptComment Comment
hi def link neuroscriptBlock Comment
hi def link neuroscriptTodo Todo
hi def link neuroscriptMetadata PreProc
hi def link neuroscriptKey Identifier

let b:current_syntax = 'neuroscript'
