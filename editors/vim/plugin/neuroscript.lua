-- Blocks of Markdown that begin with `ns` or `neuroscript` have the parser of tree-sitter, where it is installed.
vim.treesitter.language.register('neuroscript', { 'neuroscript', 'ns' })
