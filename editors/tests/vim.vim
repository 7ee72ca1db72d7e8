" Writes the syntax groups at the places of the sample, and the lines of formatted scripts that are indented otherwise:
" vim -N -u NONE -es --cmd 'let g:folder=… | let g:scripts=[…]' -S vim.vim
set nomore noswapfile
filetype plugin indent on
syntax on
let s:found = []
let s:current = ''
for s:place in readfile(g:folder . '/places.tsv')
  let [s:number, s:line, s:column, s:kind] = split(s:place, "\t")
  if s:number !=# s:current
    execute 'silent edit! ' . fnameescape(g:folder . '/' . s:number . '.ns')
    let s:current = s:number
  endif
  let s:stack = map(synstack(s:line, s:column + 1), 'synIDattr(v:val, "name")')
  call add(s:found, join([s:number, s:line, s:column, empty(s:stack) ? 'none' : join(s:stack, ' ')], "\t"))
endfor
call writefile(s:found, g:folder . '/vim.tsv')

let s:otherwise = []
for s:script in g:scripts
  execute 'silent edit! ' . fnameescape(s:script)
  let s:before = getline(1, '$')
  silent normal! gg=G
  for s:line in range(1, len(s:before))
    if getline(s:line) !=# s:before[s:line - 1]
      call add(s:otherwise, s:script . ':' . s:line . ': ' . getline(s:line))
    endif
  endfor
endfor
call writefile(s:otherwise, g:folder . '/vim.indent')
qall!
