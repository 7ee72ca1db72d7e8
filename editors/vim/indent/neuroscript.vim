" NeuroScript: a block is indented by one step, and so are lines in open brackets and after `\`.

if exists('b:did_indent')
  finish
endif
let b:did_indent = 1

setlocal autoindent
setlocal indentexpr=NeuroscriptIndent(v:lnum)
setlocal indentkeys=!^F,o,O,0),0],0}
" >>> indent-keys (UPDATE=1 cargo test --test integration -- editors::)
setlocal indentkeys+=0=END,0=end,0=ENDBLOCK,0=endblock,0=ENDIF,0=endif,0=ENDWHILE,0=endwhile,0=ENDFOR,0=endfor,0=ENDON,0=endon,0=ENDFUNC,0=endfunc,0=ENDPROCEDURE,0=endprocedure,0=ENDCOMMAND,0=endcommand,0=ELSE,0=else
" <<<
let b:undo_indent = 'setlocal autoindent< indentexpr< indentkeys<'

if exists('*NeuroscriptIndent')
  finish
endif

" >>> indent-words (UPDATE=1 cargo test --test integration -- editors::)
let s:openers = '\%(IF\|if\|WHILE\|while\|FOR\|for\|ON\|on\|DEFINE\|define\|FUNC\|func\|COMMAND\|command\)'
let s:branches = '\%(ELSE\|else\)'
let s:closers = '\%(END\|end\|ENDBLOCK\|endblock\|ENDIF\|endif\|ENDWHILE\|endwhile\|ENDFOR\|endfor\|ENDON\|endon\|ENDFUNC\|endfunc\|ENDPROCEDURE\|endprocedure\|ENDCOMMAND\|endcommand\)'
" <<<

" A name, not a keyword: in `end.x`, `end(1)` and `end = 1`, and the name of an argument.
let s:no_name = '\>\%(\s*[(.=:[]\)\@!'

function! s:IsText(line, column) abort
  return synIDattr(synID(a:line, a:column, 0), 'name') =~# 'String\|Block\|Escape\|Placeholder\|Comment\|Metadata\|Key$'
endfunction

" The text of a line without its strings and comments.
function! s:Code(lnum) abort
  let code = ''
  let column = 0
  for char in split(getline(a:lnum), '\zs')
    if !s:IsText(a:lnum, column + 1)
      let code .= char
    endif
    let column += len(char)
  endfor
  return code
endfunction

" Whether a line ends in a backslash that joins the next one to it.
function! s:Joins(lnum) abort
  return s:Code(a:lnum) =~# '\\\s*$'
endfunction

" The number of brackets that a line leaves open, less those that it closes after the ones at its start.
function! s:Open(code) abort
  let rest = substitute(a:code, '^[ \t)\]}]*', '', '')
  return len(substitute(rest, '[^([{]', '', 'g')) - len(substitute(rest, '[^)\]}]', '', 'g'))
endfunction

function! NeuroscriptIndent(lnum) abort
  if a:lnum > 1 && s:IsText(a:lnum, 1) && s:IsText(a:lnum - 1, max([1, len(getline(a:lnum - 1))]))
        \ && getline(a:lnum) !~# '^\s*\%(#\|--\|//\|::\)'
    return indent(a:lnum)
  endif
  let before = prevnonblank(a:lnum - 1)
  while before > 1 && s:IsText(before, 1)
    let before = prevnonblank(before - 1)
  endwhile
  if before == 0
    return 0
  endif
  let code = s:Code(before)
  let wanted = indent(before)
  if code =~# '^\s*\%(' . s:openers . '\|' . s:branches . '\)' . s:no_name || s:Open(code) > 0
    let wanted += shiftwidth()
  elseif s:Open(code) < 0
    let wanted -= shiftwidth()
  endif
  " Lines after `\` stand two steps deeper than the first.
  let continues = before > 1 && s:Joins(before - 1)
  if s:Joins(before) && !continues
    let wanted += 2 * shiftwidth()
  elseif !s:Joins(before) && continues
    let wanted -= 2 * shiftwidth()
  endif
  if getline(a:lnum) =~# '^\s*\%(' . s:closers . '\|' . s:branches . '\)' . s:no_name
        \ || getline(a:lnum) =~# '^\s*[)\]}]'
    let wanted -= shiftwidth()
  endif
  return max([0, wanted])
endfunction
