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

-- Writes an `ns` that never ends a plan, but otherwise does its work. It notes its start and the signal that ends it.
local function write_endless(place)
  vim.fn.writefile({
    '#!/bin/sh',
    '[ "$1" = run ] || exec ns "$@"',
    'sleep 60 >&- 2>&- & sleep=$!',
    ('trap "kill $sleep; touch %s/ended; trap - TERM; kill -TERM $$" TERM'):format(place),
    ('touch %s/begun'):format(place),
    'wait',
  }, place .. '/endless')
  vim.uv.fs_chmod(place .. '/endless', 493)
  return ("vim.lsp.config('neuroscript', { cmd = { '%s/endless', 'lsp' } })"):format(place)
end

-- A plan that does not end is stopped after the limit, and with the editor; a missing `ns` is reported.
local function try_faults(root, script)
  local reported = {}
  local notify = vim.notify
  vim.notify = function(text)
    table.insert(reported, text)
  end
  local function wait_for_report(text)
    wait('no report of ' .. text, function()
      return #reported > 0
    end)
    local report = table.remove(reported)
    assert(report:find(text, 1, true), report)
    equal(#vim.api.nvim_list_wins(), 1, 'the number of windows')
  end

  vim.cmd('edit ' .. script)
  local choice = write_endless(root)
  load(choice)()
  local plugin = require('neuroscript')
  local limit = plugin.timeout
  plugin.timeout = 2000
  vim.cmd('NeuroScript plan word')
  wait_for_report('it did not end within 2 seconds')
  plugin.timeout = limit
  assert(vim.uv.fs_stat(root .. '/ended'), 'the plan is left behind')

  vim.fn.delete(root .. '/begun')
  vim.fn.delete(root .. '/ended')
  local leave = ("lua vim.wait(30000, function() return vim.uv.fs_stat('%s/begun') ~= nil end)"):format(root)
  local words = { vim.v.progpath, '--headless', '-i', 'NONE', script, '-c', 'lua ' .. choice, '-c', 'NeuroScript plan', '-c', leave }
  vim.system(vim.list_extend(words, { '-c', 'qall!' })):wait(60000)
  assert(vim.uv.fs_stat(root .. '/begun'), 'the other editor plans nothing')
  wait('the plan outlives the editor', function()
    return vim.uv.fs_stat(root .. '/ended') ~= nil
  end)

  vim.lsp.config('neuroscript', { cmd = { root .. '/missing', 'lsp' } })
  for _, command in ipairs({ 'run', 'run Bob', 'plan', 'test' }) do
    vim.cmd('NeuroScript ' .. command)
    wait_for_report('cannot start `' .. root .. '/missing`')
  end
  vim.lsp.config('neuroscript', { cmd = { 'ns', 'lsp' } })
  vim.notify = notify
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
  -- The page of its code, and of a code that is named.
  for _, row in ipairs({ { 'explain', 'NS0112: ' }, { 'explain not_found', 'not_found: ' } }) do
    vim.api.nvim_win_set_cursor(0, { 2, 0 })
    vim.cmd('NeuroScript ' .. row[1])
    assert(vim.startswith(lines()[1], row[2]), table.concat(lines(), '\n'))
    vim.cmd('close')
  end
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

  -- The answer of the server that CTRL-X CTRL-O shows.
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

  -- A word of the script, or the name of a case, is no option of `ns`.
  vim.cmd('NeuroScript run --plan')
  wait('the word does not arrive', function()
    return contains('does not have an option `--plan`')
  end)
  vim.cmd('close')
  vim.fn.writefile({ 'EMIT "dash"' }, root .. '/scripts/-x.ns')
  vim.fn.writefile({ 'dash' }, root .. '/scripts/-x.out')
  vim.cmd('edit ' .. root .. '/scripts/-x.ns')
  vim.cmd('NeuroScript test -x')
  wait('the case is not found', function()
    return contains('1 passed')
  end)
  vim.cmd('close')

  try_faults(root, script)

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
