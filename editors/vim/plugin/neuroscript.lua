-- Neovim: the parser of tree-sitter, where it is installed, and the command `:NeuroScript`.

-- Blocks of Markdown that begin with `ns` or `neuroscript` have the parser too.
vim.treesitter.language.register('neuroscript', { 'neuroscript', 'ns' })

vim.api.nvim_create_user_command('NeuroScript', function(given)
  require('neuroscript').command(given.fargs)
end, {
  nargs = '+',
  desc = 'Run, plan, test or debug the script of this buffer, or explain a finding: '
    .. 'run|plan|debug [ARGUMENTS], test [CASE], explain [CODE]',
  complete = function(lead, line)
    local is_first = #vim.split(vim.trim(line), '%s+') <= (lead == '' and 1 or 2)
    return is_first and vim.tbl_filter(function(name)
      return vim.startswith(name, lead)
    end, require('neuroscript').names) or {}
  end,
})
-- Where nvim-dap is installed, `:DapContinue` knows scripts.
vim.api.nvim_create_autocmd('FileType', {
  pattern = 'neuroscript',
  group = vim.api.nvim_create_augroup('neuroscript', {}),
  callback = function()
    require('neuroscript').register_debugger()
  end,
})
