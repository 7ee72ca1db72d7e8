# NeuroScript for Kakoune: highlighting, comments and indentation.
# The lists of words come from the tables of the language: UPDATE=1 cargo test --test integration -- editors::

hook global BufCreate .*\.ns(\.txt)? %{
    set-option buffer filetype neuroscript
}

hook global WinSetOption filetype=neuroscript %{
    require-module neuroscript
    # >>> static-words
    set-option window static_words AND and AS as BREAK break CALL call CLEAR_ERROR clear_error COMMAND command CONTINUE continue DEFINE define DO do EACH each ELSE else EMIT emit END end ENDBLOCK endblock ENDCOMMAND endcommand ENDFOR endfor ENDFUNC endfunc ENDIF endif ENDON endon ENDPROCEDURE endprocedure ENDWHILE endwhile ERROR error FAIL fail FALSE false FILE_VERSION file_version FOR for FUNC func IF if IN in LAST last MEANS means MUST must NEEDS needs NIL nil NOT not NULL null ON on OPTIONAL optional OR or PROCEDURE procedure RETURN return RETURNS returns SET set THEN then TRUE true USE use VAR var WHILE while TRUE true FALSE false NIL nil NULL null LAST last LAST_ERROR last_error ARGS args LEN len TYPEOF typeof STR str INT int FLOAT float ABS abs MIN min MAX max ROUND round FLOOR floor CEIL ceil SQRT sqrt LN ln LOG log SIN sin COS cos TAN tan ASIN asin ACOS acos ATAN atan RANGE range EVAL eval
    # <<<
    hook -group neuroscript-indent window InsertChar \n neuroscript-indent-on-new-line
    hook -group neuroscript-indent window InsertChar \S neuroscript-indent-on-closing
    hook -group neuroscript-trim-indent window ModeChange pop:insert:.* %{ try %{ execute-keys -draft <semicolon> x s ^\h+$ <ret> d } }
    hook -once -always window WinSetOption filetype=.* %{ remove-hooks window neuroscript-.+ }
}

hook -group neuroscript-highlight global WinSetOption filetype=neuroscript %{
    add-highlighter window/neuroscript ref neuroscript
    hook -once -always window WinSetOption filetype=.* %{ remove-highlighter window/neuroscript }
}

hook global BufSetOption filetype=neuroscript %{
    set-option buffer comment_line '#'
    set-option buffer indentwidth 2
}

# For kakoune-lsp, where it is installed: `eval %sh{kak-lsp}` and `lsp-enable-window` start the server.
hook -group lsp-filetype-neuroscript global BufSetOption filetype=neuroscript %{
    try %{
        set-option buffer lsp_servers %{
            [ns]
            command = "ns"
            args = ["lsp"]
            root_globs = ["neuroscript.toml", ".ns", ".git"]
        }
    }
}

provide-module neuroscript %§

add-highlighter shared/neuroscript regions
add-highlighter shared/neuroscript/code default-region group
add-highlighter shared/neuroscript/raw region "'''" "'''" fill string
add-highlighter shared/neuroscript/template region '```' '```' regions
add-highlighter shared/neuroscript/template/text default-region fill string
add-highlighter shared/neuroscript/template/placeholder region '\{\{\h*[A-Za-z_][\w.]*\h*\}\}' '(?<=\}\})' fill value
add-highlighter shared/neuroscript/double region '"' '(?<!\\)(\\\\)*"|$' group
add-highlighter shared/neuroscript/double/ fill string
add-highlighter shared/neuroscript/double/ regex '\\(["''\\/nrtbf]|x[0-7][0-9A-Fa-f]|u[0-9A-Fa-f]{4}|u\{[0-9A-Fa-f]{1,6}\})' 0:value
add-highlighter shared/neuroscript/single region "'" "(?<!\\)(\\\\)*'|$" fill string
add-highlighter shared/neuroscript/line region '#|--|//' '$' fill comment
add-highlighter shared/neuroscript/short-block region '^\h*(COMMENT|comment):[^\n]*\b(ENDCOMMENT|endcomment)\b' '$' fill comment
add-highlighter shared/neuroscript/block region '^\h*(COMMENT|comment):' '^\h*(ENDCOMMENT|endcomment)\b' fill comment
add-highlighter shared/neuroscript/metadata region '^\h*::' '(?<!\\)\h*$' fill meta

add-highlighter shared/neuroscript/code/ regex '\b\d[\d_]*(\.\d[\d_]*)?([eE][+-]?\d+)?\b' 0:value
add-highlighter shared/neuroscript/code/ regex '\*\*|[=!<>]=|[-+*/%=<>&|^~]' 0:operator
add-highlighter shared/neuroscript/code/ regex '\b([A-Za-z_]\w*)\h*\(' 1:function
# >>> highlighters
add-highlighter shared/neuroscript/code/ regex '\b(LEN|len|TYPEOF|typeof|STR|str|INT|int|FLOAT|float|ABS|abs|MIN|min|MAX|max|ROUND|round|FLOOR|floor|CEIL|ceil|SQRT|sqrt|LN|ln|LOG|log|SIN|sin|COS|cos|TAN|tan|ASIN|asin|ACOS|acos|ATAN|atan|RANGE|range|EVAL|eval)\h*\(' 1:builtin
add-highlighter shared/neuroscript/code/ regex '(?i)\b(AUDIO|BASE64|CSV|ENV|FS|HASH|IMAGE|INI|IO|JSON|LIST|MAP|MARKDOWN|MATH|MEMORY|MIME|PATH|RANDOM|REGEX|STR|TEXT|TIME|TOML|TOOL|UUID|XML|YAML)\.' 1:module
add-highlighter shared/neuroscript/code/ regex '\b(TRUE|true|FALSE|false|NIL|nil|NULL|null|LAST|last|LAST_ERROR|last_error|ARGS|args)\b' 1:value
add-highlighter shared/neuroscript/code/ regex '\b(IF|if|THEN|then|ELSE|else|END|end|ENDBLOCK|endblock|WHILE|while|DO|do|FOR|for|EACH|each|SET|set|VAR|var|CALL|call|RETURN|return|EMIT|emit|MUST|must|FAIL|fail|AND|and|OR|or|NOT|not|IN|in)\b' 1:keyword
add-highlighter shared/neuroscript/code/ regex '^\h*(BREAK|break|CONTINUE|continue|ON|on|CLEAR_ERROR|clear_error|USE|use|DEFINE|define|FUNC|func|COMMAND|command|ENDIF|endif|ENDWHILE|endwhile|ENDFOR|endfor|ENDON|endon|ENDFUNC|endfunc|ENDPROCEDURE|endprocedure|ENDCOMMAND|endcommand|FILE_VERSION|file_version)\b' 1:keyword
add-highlighter shared/neuroscript/code/ regex '^\h*(BREAK|break|CONTINUE|continue|ON|on|CLEAR_ERROR|clear_error|USE|use|DEFINE|define|FUNC|func|COMMAND|command|ENDIF|endif|ENDWHILE|endwhile|ENDFOR|endfor|ENDON|endon|ENDFUNC|endfunc|ENDPROCEDURE|endprocedure|ENDCOMMAND|endcommand|FILE_VERSION|file_version)\h*[\[.=]' 1:variable
add-highlighter shared/neuroscript/code/ regex '^\h*(BREAK|break|CONTINUE|continue|ON|on|CLEAR_ERROR|clear_error|USE|use|DEFINE|define|FUNC|func|COMMAND|command|ENDIF|endif|ENDWHILE|endwhile|ENDFOR|endfor|ENDON|endon|ENDFUNC|endfunc|ENDPROCEDURE|endprocedure|ENDCOMMAND|endcommand|FILE_VERSION|file_version)\h*\(' 1:function
add-highlighter shared/neuroscript/code/ regex '^\h*(ON|on)\b[^\n]*?\b(ERROR|error|AS|as)\b' 2:keyword
add-highlighter shared/neuroscript/code/ regex '^\h*(ON|on)\b[^\n]*?\b(AS|as)\b' 2:keyword
add-highlighter shared/neuroscript/code/ regex '\b(AS|as)\h+[A-Za-z_]\w*\h*$' 1:keyword
add-highlighter shared/neuroscript/code/ regex '^\h*(DEFINE|define)\b[^\n]*?\b(PROCEDURE|procedure)\b' 2:keyword
add-highlighter shared/neuroscript/code/ regex '^\h*(DEFINE|define|FUNC|func)\b[^\n]*?\b(MEANS|means)\b' 2:keyword
add-highlighter shared/neuroscript/code/ regex '^\h*(DEFINE|define|FUNC|func)\b[^\n]*?\b(NEEDS|needs)\b' 2:keyword
add-highlighter shared/neuroscript/code/ regex '^\h*(DEFINE|define|FUNC|func)\b[^\n]*?\b(OPTIONAL|optional)\b' 2:keyword
add-highlighter shared/neuroscript/code/ regex '^\h*(DEFINE|define|FUNC|func)\b[^\n]*?\b(PROCEDURE|procedure)\b' 2:keyword
add-highlighter shared/neuroscript/code/ regex '^\h*(DEFINE|define|FUNC|func)\b[^\n]*?\b(RETURNS|returns)\b' 2:keyword
# <<<
add-highlighter shared/neuroscript/code/ regex '\b([A-Za-z_]\w*)\h*:' 1:variable
add-highlighter shared/neuroscript/code/ regex '\.([A-Za-z_]\w*)' 1:variable
add-highlighter shared/neuroscript/code/ regex '\.([A-Za-z_]\w*)\h*\(' 1:function

# >>> indentation
define-command -hidden neuroscript-indent-on-new-line %<
    evaluate-commands -draft -itersel %<
        # A closer or a branch alone on the line before belongs one step to the left.
        try %< execute-keys -draft k x <a-k> ^\h+(END|end|ENDBLOCK|endblock|ENDIF|endif|ENDWHILE|endwhile|ENDFOR|endfor|ENDON|endon|ENDFUNC|endfunc|ENDPROCEDURE|endprocedure|ENDCOMMAND|endcommand|ELSE|else)\b <ret> <a-lt> >
        # The indentation of the line before.
        try %< execute-keys -draft <semicolon> K <a-&> >
        # After a head, a branch, and an open bracket.
        try %< execute-keys -draft k x <a-k> ^\h*(IF|if|WHILE|while|FOR|for|ON|on|DEFINE|define|FUNC|func|COMMAND|command|ELSE|else)\b <ret> j <a-gt> >
        try %< execute-keys -draft k x <a-k> [(\[{]\h*$ <ret> j <a-gt> >
    >
>

define-command -hidden neuroscript-indent-on-closing %<
    evaluate-commands -draft -itersel %<
        try %< execute-keys -draft x <a-k> ^\h+[)\]}]$ <ret> <a-lt> >
    >
>
# <<<

§
