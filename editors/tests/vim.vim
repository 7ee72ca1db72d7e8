" Writes the syntax groups at the places of the sample: vim -N -u NONE -es --cmd 'let g:folder=…' -S vim.vim
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
qall!
