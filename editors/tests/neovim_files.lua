-- Opens formatted scripts with the plugin and the parser, as a user does: nvim -l neovim_files.lua SCRIPT…
vim.cmd('filetype plugin indent on | syntax on')
for _, script in ipairs(arg) do
  vim.cmd('silent edit! ' .. vim.fn.fnameescape(script))
  local buffer = vim.api.nvim_get_current_buf()
  assert(vim.bo.filetype == 'neuroscript', script .. ' has the type ' .. vim.bo.filetype)
  assert(vim.treesitter.highlighter.active[buffer], 'tree-sitter does not highlight ' .. script)
  local before = vim.api.nvim_buf_get_lines(buffer, 0, -1, false)
  vim.cmd('silent normal! gg=G')
  for number, line in ipairs(vim.api.nvim_buf_get_lines(buffer, 0, -1, false)) do
    assert(line == before[number], script .. ':' .. number .. ': the line is indented otherwise: ' .. line)
  end
  vim.wo.foldmethod = 'expr'
  local block = vim.fn.search([[^\s\+\(IF\|FOR\)]], 'w')
  -- Neovim parses in the background.
  local has_folds = vim.wait(20000, function()
    return vim.fn.foldlevel(block) > 0
  end, 20)
  assert(has_folds, script .. ' has no folds')
end
