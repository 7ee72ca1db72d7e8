-- Neovim with the plugin as `editors/install` leaves it and the line of docs/editors.md in init.lua, in an empty directory:
-- nvim --headless -S neovim_plugin.lua, where `ns` is in the PATH.

local function wait(what, holds)
  if not vim.wait(30000, holds, 20) then
    error(what, 2)
  end
end

local function equal(found, wanted, what)
  if not vim.deep_equal(found, wanted) then
    error(('%s: %s instead of %s'):format(what, vim.inspect(found), vim.inspect(wanted)), 2)
  end
end

local function lines(buffer)
  return vim.api.nvim_buf_get_lines(buffer or 0, 0, -1, false)
end

local function contains(text)
  return vim.iter(lines()):any(function(line)
    return line:find(text, 1, true) ~= nil
  end)
end

local function run()
  -- The root is found by its policy file, above the directory of the script.
  local root = vim.uv.fs_realpath(vim.fn.tempname():match('.*/')) .. '/project'
  vim.fn.mkdir(root .. '/scripts', 'p')
  vim.fn.writefile({}, root .. '/neuroscript.toml')
  local script = root .. '/scripts/a.ns'
  local text = {
    'SET count=1',
    'SET unread = 1',
    'MUST CALL FS.WriteFile("made.txt", "hello")',
    'EMIT "count ", count',
  }
  vim.fn.writefile(text, script)
  vim.fn.writefile({ 'count 1' }, root .. '/scripts/a.out')
  vim.cmd('edit ' .. script)
  local buffer = vim.api.nvim_get_current_buf()
  wait('no server is attached', function()
    return #vim.lsp.get_clients({ bufnr = buffer }) == 1
  end)
  local client = vim.lsp.get_clients({ bufnr = buffer })[1]
  equal(client.root_dir, root, 'the root')
  assert(vim.treesitter.highlighter.active[buffer], 'tree-sitter does not highlight')

  wait('no diagnostics', function()
    return #vim.diagnostic.get(buffer) > 0
  end)
  equal(vim.diagnostic.get(buffer)[1].code, 'NS0112', 'the finding')
  vim.lsp.buf.format({ async = false, timeout_ms = 30000 })
  equal(lines()[1], 'SET count = 1', 'the formatted line')

  -- Renaming, where the cursor is.
  vim.api.nvim_win_set_cursor(0, { 1, 5 })
  vim.lsp.buf.rename('total')
  wait('nothing is renamed', function()
    return lines()[4] == 'EMIT "count ", total'
  end)

  -- The page of a tool opens beside the cursor.
  vim.api.nvim_win_set_cursor(0, { 3, 15 })
  vim.lsp.buf.hover()
  wait('no page of the tool', function()
    return vim.iter(vim.api.nvim_list_wins()):any(function(window)
      local shown = table.concat(lines(vim.api.nvim_win_get_buf(window)), '\n')
      return vim.api.nvim_win_get_config(window).relative ~= '' and shown:find('FS.WriteFile', 1, true)
    end)
  end)
  vim.cmd('silent! fclose!')

  -- Completion by what Neovim itself offers for CTRL-X CTRL-O.
  vim.api.nvim_buf_set_lines(buffer, 4, -1, false, { 'EMIT FS.WriteF' })
  local at = { textDocument = vim.lsp.util.make_text_document_params(buffer), position = { line = 4, character = 14 } }
  local answer = client:request_sync('textDocument/completion', at, 30000, buffer)
  local labels = vim.tbl_map(function(item)
    return item.label
  end, answer.result.items or answer.result)
  equal(labels, { 'WriteFile' }, 'what can stand there')
  vim.api.nvim_buf_set_lines(buffer, 4, -1, false, {})
  vim.cmd('silent update')

  -- The commands: the plan is a diff and changes nothing, a run shows its output, a test its verdict.
  local made = root .. '/made.txt'
  vim.cmd('NeuroScript plan')
  wait('no plan', function()
    return vim.bo.filetype == 'diff'
  end)
  assert(contains('+++ b/made.txt') and contains('+hello'), table.concat(lines(), '\n'))
  assert(not vim.uv.fs_stat(made), 'a plan changed something')
  vim.cmd('close')

  vim.cmd('NeuroScript run')
  equal(vim.bo.buftype, 'terminal', 'the kind of the buffer')
  wait('the run says nothing', function()
    return contains('count 1')
  end)
  assert(vim.uv.fs_stat(made), 'the sandbox of a run is not the root')
  vim.cmd('close')

  client.commands['neuroscript.test']({ arguments = { { uri = vim.uri_from_fname(script), case = 'a' } } }, { bufnr = buffer })
  wait('no test', function()
    return contains('1 passed')
  end)
  vim.cmd('close')

  -- A script with a required parameter: its argument is asked for, or given with the command.
  vim.fn.writefile({ 'DEFINE PROCEDURE Main(name)', '  EMIT "hello ", name', 'END' }, root .. '/scripts/b.ns')
  vim.cmd('edit ' .. root .. '/scripts/b.ns')
  vim.ui.input = function(_, done)
    done('Ada\\ L')
  end
  vim.cmd('NeuroScript run')
  wait('the argument is not asked for', function()
    return contains('hello Ada L')
  end)
  vim.cmd('close')
  vim.cmd('NeuroScript run Bob')
  wait('the argument does not arrive', function()
    return contains('hello Bob')
  end)
  vim.cmd('close')

  -- The nearest marker is the root, whatever its name. The runs above made `.ns` in the outer directory.
  vim.fn.mkdir(root .. '/nearer/.git', 'p')
  vim.fn.mkdir(root .. '/nearer/scripts')
  vim.cmd('edit ' .. root .. '/nearer/scripts/c.ns')
  assert(vim.uv.fs_stat(root .. '/.ns'), 'no run made `.ns`')
  equal(require('neuroscript').root(), root .. '/nearer', 'the root below another one')

  vim.cmd('edit ' .. script)
  assert(not pcall(vim.cmd, 'NeuroScript') and #vim.fn.getcompletion('NeuroScript p', 'cmdline') == 1, 'the command line')

  local function titles()
    return vim.tbl_map(function(lens)
      return lens.command.title
    end, vim.lsp.codelens.get(buffer))
  end
  wait('no lenses', function()
    return vim.deep_equal(titles(), { 'Run', 'Plan', 'Test' })
  end)
  vim.ui.select = function(lenses, _, choose)
    choose(lenses[2], 2)
  end
  vim.api.nvim_win_set_cursor(0, { 1, 0 })
  vim.lsp.codelens.run()
  wait('the lens shows no plan', function()
    return vim.bo.filetype == 'diff'
  end)
  vim.cmd('close')

  local offered = client.config.capabilities.experimental.commands.commands
  equal(offered, { 'neuroscript.run', 'neuroscript.plan', 'neuroscript.test' }, 'the commands of lenses')

  client:stop()
  wait('the server does not end', function()
    return client:is_stopped()
  end)
  print('installed, highlighted, attached, root, diagnostics, formatting, renaming, hover, completion, plan, run and test are there')
end

local ok, fault = xpcall(run, debug.traceback)
if not ok then
  io.stderr:write(fault .. '\n')
  vim.cmd('cquit 1')
end
vim.cmd('qall!')
