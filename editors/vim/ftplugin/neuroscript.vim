" NeuroScript: comments, indentation by two blanks, matching words, and tree-sitter in Neovim.

if exists('b:did_ftplugin')
  finish
endif
let b:did_ftplugin = 1

setlocal comments=:#,:--,://
setlocal commentstring=#\ %s
setlocal expandtab shiftwidth=2 softtabstop=2
setlocal formatoptions-=t formatoptions+=croql
setlocal suffixesadd=.ns
setlocal include=^\\s*\\c\\%(use\\)\\>

" For `%`, with the plugin matchit.
let s:closers = [
      "\ >>> closers (UPDATE=1 cargo test --test integration -- editors::)
      \ '^\s*\zs\%(IF\|if\)\>:^\s*\zs\%(ELSE\|else\)\>:^\s*\zs\%(END\|end\|ENDBLOCK\|endblock\|ENDIF\|endif\)\>',
      \ '^\s*\zs\%(WHILE\|while\)\>:^\s*\zs\%(END\|end\|ENDBLOCK\|endblock\|ENDWHILE\|endwhile\)\>',
      \ '^\s*\zs\%(FOR\|for\)\>:^\s*\zs\%(END\|end\|ENDBLOCK\|endblock\|ENDFOR\|endfor\)\>',
      \ '^\s*\zs\%(ON\|on\)\>:^\s*\zs\%(END\|end\|ENDBLOCK\|endblock\|ENDON\|endon\)\>',
      \ '^\s*\zs\%(DEFINE\|define\)\>:^\s*\zs\%(END\|end\|ENDBLOCK\|endblock\|ENDPROCEDURE\|endprocedure\)\>',
      \ '^\s*\zs\%(FUNC\|func\)\>:^\s*\zs\%(END\|end\|ENDBLOCK\|endblock\|ENDFUNC\|endfunc\)\>',
      \ '^\s*\zs\%(COMMAND\|command\)\>:^\s*\zs\%(END\|end\|ENDBLOCK\|endblock\|ENDCOMMAND\|endcommand\)\>',
      "\ <<<
      \ ]
let b:match_words = join(s:closers, ',')
let b:match_skip = 'synIDattr(synID(line("."), col("."), 0), "name") =~# "String\\|Comment\\|Block\\|Property"'

let b:undo_ftplugin = 'setlocal comments< commentstring< expandtab< shiftwidth< softtabstop< formatoptions< suffixesadd< include<'
      \ . ' | unlet! b:match_words b:match_skip'

" Neovim: the grammar of tree-sitter where its parser is installed as `parser/neuroscript.so`.
if has('nvim-0.11') && !empty(nvim_get_runtime_file('parser/neuroscript.*', v:false))
  lua vim.treesitter.start()
  " The indentation asks the syntax for strings and comments.
  setlocal syntax=ON
  setlocal foldexpr=v:lua.vim.treesitter.foldexpr()
  let b:undo_ftplugin .= ' | setlocal foldexpr< | lua vim.treesitter.stop()'
endif
