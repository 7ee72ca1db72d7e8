-- Neovim 0.11 and newer: the configuration of the language server, for `vim.lsp.enable('neuroscript')`.

local neuroscript = require('neuroscript')

return {
  cmd = { 'ns', 'lsp' },
  filetypes = { 'neuroscript' },
  -- The root is the sandbox of the server. A script outside of projects has the directory that it lies in.
  root_dir = function(buffer, start)
    start(neuroscript.root(buffer))
  end,
  capabilities = { experimental = { commands = { commands = neuroscript.lens_commands() } } },
  commands = neuroscript.commands,
  on_attach = neuroscript.show_lenses,
}
