" NeuroScript for Vim: the server for the plugin yegappan/lsp, where it is installed.
if exists('g:loaded_neuroscript') || has('nvim')
  finish
endif
let g:loaded_neuroscript = 1

augroup neuroscript
  autocmd!
  autocmd User LspSetup call LspAddServer([{
        \ 'name': 'neuroscript',
        \ 'filetype': ['neuroscript'],
        \ 'path': get(g:, 'neuroscript_program', 'ns'),
        \ 'args': ['lsp'],
        \ 'rootSearch': ['neuroscript.toml', '.ns/', '.git/'],
        \ }])
augroup END
