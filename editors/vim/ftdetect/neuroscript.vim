autocmd BufNewFile,BufRead *.ns,*.ns.txt setfiletype neuroscript
autocmd BufNewFile,BufRead * if did_filetype() == 0 && getline(1) =~# '^#!.*\<ns\>' | setfiletype neuroscript | endif
