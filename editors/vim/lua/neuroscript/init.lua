-- Runs, plans, tests and debugs scripts in Neovim, from the lenses of `ns lsp` and from the command `:NeuroScript`.
--
-- The language server starts nothing; the commands start `ns`, with the root of the script as the sandbox.

local M = {}

--- Time in milliseconds after which a plan, or a question about a script, is stopped.
M.timeout = 60000

-- The nearest directory with one of them is the root; the inner list says that none goes before another.
local MARKERS = { { 'neuroscript.toml', '.ns', '.git' } }

--- Returns the directory that is the sandbox of a buffer's script.
function M.root(buffer)
  local path = vim.api.nvim_buf_get_name(buffer or 0)
  return vim.fs.root(buffer or 0, MARKERS) or (path == '' and vim.fn.getcwd()) or vim.fs.dirname(path)
end

--- Returns the program that the language server is, `ns` by default.
function M.program()
  local config = vim.lsp.config.neuroscript
  local command = config and config.cmd
  return type(command) == 'table' and command[1] or 'ns'
end

-- Whether nvim-dap is installed.
local function has_dap()
  return (pcall(require, 'dap'))
end

--- Returns the commands of lenses that this editor carries out.
function M.lens_commands()
  local commands = { 'neuroscript.run', 'neuroscript.plan', 'neuroscript.test' }
  if has_dap() then
    table.insert(commands, 'neuroscript.debug')
  end
  return commands
end

--- Shows the lenses of a buffer, and keeps them up to date.
function M.show_lenses(client, buffer)
  if not client:supports_method('textDocument/codeLens', buffer) then
    return
  end
  if vim.lsp.codelens.enable then
    vim.lsp.codelens.enable(true, { bufnr = buffer })
    return
  end
  vim.lsp.codelens.refresh({ bufnr = buffer })
  vim.api.nvim_create_autocmd({ 'BufEnter', 'InsertLeave', 'TextChanged' }, {
    buffer = buffer,
    group = vim.api.nvim_create_augroup('neuroscript-lenses-' .. buffer, {}),
    callback = function()
      vim.lsp.codelens.refresh({ bufnr = buffer })
    end,
  })
end

-- Returns the file of a lens's argument, or of the current buffer, as it is on the disk.
local function file_of(argument)
  local buffer = argument.uri and vim.uri_to_bufnr(argument.uri) or vim.api.nvim_get_current_buf()
  if not vim.api.nvim_buf_is_loaded(buffer) then
    vim.fn.bufload(buffer)
  end
  vim.api.nvim_buf_call(buffer, function()
    vim.cmd('silent update')
  end)
  return vim.api.nvim_buf_get_name(buffer), M.root(buffer)
end

local function report(text)
  vim.notify('NeuroScript: ' .. text, vim.log.levels.ERROR)
end

-- Calls a function that starts a command. Returns its result, or nil after a message if the command cannot start.
local function started(start, words, ...)
  local succeeded, result = pcall(start, words, ...)
  if succeeded then
    return result
  end
  report(('cannot start `%s`: %s; install `ns`, or name it in the `cmd` of the server'):format(words[1], result))
end

-- Returns the output of a command that has ended, or nil after a message if it was stopped.
local function output_of(words, done)
  if done.code ~= 124 and done.signal == 0 then
    return done.stdout
  end
  local why = done.code == 124 and ('it did not end within %g seconds'):format(M.timeout / 1000)
    or ('signal %d ended it'):format(done.signal)
  report(('`%s` gave no answer: %s'):format(table.concat(words, ' '), why))
end

-- Opens a terminal below all windows.
local function in_terminal(words, root)
  vim.cmd('botright 12new')
  vim.bo.bufhidden = 'wipe'
  if not started(vim.fn.jobstart, words, { term = true, cwd = root }) then
    vim.cmd('close')
    return
  end
  -- The end of the output stays visible.
  vim.cmd('normal! G')
end

-- Returns whether a run needs arguments: whether the script, or the procedure, has required parameters. Returns nil
-- after a message if `ns` does not answer.
local function needs_arguments(file, root, procedure)
  local words = { M.program(), 'check', '--info', '--format', 'json', '--sandbox', root, file }
  local asked = started(vim.system, words, { text = true, timeout = M.timeout })
  local output = asked and output_of(words, asked:wait())
  if not output then
    return nil
  end
  local told, described = pcall(vim.json.decode, output)
  local info = told and described[1] and described[1].info or {}
  for _, row in ipairs(procedure and info.procedures or {}) do
    if row.name == procedure then
      return row.required > 0
    end
  end
  local line = type(info.command_line) == 'table' and info.command_line or {}
  return vim.iter(line.parameters or {}):any(function(parameter)
    return parameter.required
  end)
end

local last = {}

-- Calls `start` with the words of `ns run` that follow the options: the file, the procedure, and the arguments, which
-- are asked for if the script needs some and none are given.
local function with_arguments(argument, file, root, start)
  local words = argument.procedure and { '--proc', argument.procedure } or {}
  local is_needed = not argument.words and needs_arguments(file, root, argument.procedure)
  if is_needed == nil then
    return
  end
  if not is_needed then
    start(words, argument.words or {})
    return
  end
  local question = { prompt = 'Arguments of ' .. vim.fs.basename(file) .. ': ', default = last[file] }
  vim.ui.input(question, function(text)
    if text then
      last[file] = text
      -- As on the command line of Neovim, where `\\ ` is a blank in an argument.
      start(words, vim.list_slice(vim.api.nvim_parse_cmd('NeuroScript run ' .. text, {}).args, 2))
    end
  end)
end

-- Returns the command line of a run. Words after `--` are not options of `ns`.
local function command_of(options, root, file, words, arguments)
  local given = #arguments > 0 and { '--', arguments } or {}
  return vim.iter({ M.program(), 'run', options, '--sandbox', root, words, file, given }):flatten(2):totable()
end

--- Runs a script in a terminal.
function M.run(argument)
  local file, root = file_of(argument)
  with_arguments(argument, file, root, function(words, arguments)
    in_terminal(command_of({}, root, file, words, arguments), root)
  end)
end

--- Runs the cases of a script in a terminal.
function M.test(argument)
  local file, root = file_of(argument)
  local words = { M.program(), 'test', file }
  if argument.case then
    table.insert(words, '--filter=' .. argument.case)
  end
  in_terminal(words, root)
end

-- Shows a text in a window that `q` closes. `split` is the command that opens the window.
local function show(text, split, filetype)
  vim.cmd(split)
  vim.bo.buftype = 'nofile'
  vim.bo.bufhidden = 'wipe'
  vim.bo.swapfile = false
  vim.api.nvim_buf_set_lines(0, 0, -1, false, vim.split(text, '\n', { trimempty = true }))
  vim.bo.filetype = filetype
  vim.bo.modifiable = false
  vim.keymap.set('n', 'q', '<cmd>close<cr>', { buffer = 0, desc = 'Close this window' })
end

-- Returns the code of a finding on the line of the cursor, or nil.
local function code_on_line()
  local row = vim.api.nvim_win_get_cursor(0)[1] - 1
  for _, finding in ipairs(vim.diagnostic.get(0, { lnum = row })) do
    if finding.source == 'ns' and finding.code then
      return finding.code
    end
  end
end

--- Shows the page of a code, by default of the finding on the line of the cursor.
function M.explain(argument)
  local code = argument.words and argument.words[1] or code_on_line()
  if not code then
    report('no finding is on this line; put the cursor on one, or name a code: :NeuroScript explain NS0101')
    return
  end
  local words = { M.program(), 'explain', '--', code }
  local asked = started(vim.system, words, { text = true, timeout = M.timeout })
  local done = asked and asked:wait()
  local output = done and output_of(words, done)
  if output and done.code == 0 then
    show(output, 'botright 12new', 'markdown')
  elseif output then
    report(vim.trim(done.stderr))
  end
end

-- The plans that are being made. They end with the editor.
local plans = {}
vim.api.nvim_create_autocmd('VimLeavePre', {
  group = vim.api.nvim_create_augroup('neuroscript-plans', {}),
  callback = function()
    for plan in pairs(plans) do
      plan:kill('sigterm')
    end
  end,
})

--- Shows the changes that a script would make, as a diff in a split. Nothing changes.
function M.plan(argument)
  local file, root = file_of(argument)
  with_arguments(argument, file, root, function(words, arguments)
    local command = command_of({ '--plan' }, root, file, words, arguments)
    local options = { cwd = root, text = true, env = { NO_COLOR = '1' }, timeout = M.timeout }
    local plan
    plan = started(vim.system, command, options, vim.schedule_wrap(function(done)
      plans[plan] = nil
      local output = output_of(command, done)
      if output then
        show(output .. done.stderr, 'botright vnew', 'diff')
      end
    end))
    if plan then
      plans[plan] = true
    end
  end)
end

--- Debugs a script by nvim-dap.
function M.debug(argument)
  if not M.register_debugger() then
    report('nvim-dap is not installed')
    return
  end
  local file, root = file_of(argument)
  with_arguments(argument, file, root, function(_, arguments)
    require('dap').run({
      type = 'neuroscript',
      request = 'launch',
      name = 'NeuroScript',
      program = file,
      procedure = argument.procedure,
      args = arguments,
      sandbox = root,
    })
  end)
end

--- Registers the debug adapter and its configurations. Returns whether nvim-dap is installed.
function M.register_debugger()
  local found, dap = pcall(require, 'dap')
  if not found then
    return false
  end
  dap.adapters.neuroscript = dap.adapters.neuroscript
    or function(start)
      start({ type = 'executable', command = M.program(), args = { 'dap' } })
    end
  dap.configurations.neuroscript = dap.configurations.neuroscript
    or vim.tbl_map(function(row)
      return vim.tbl_extend('force', {
        type = 'neuroscript',
        request = 'launch',
        program = '${file}',
        sandbox = function()
          return M.root(0)
        end,
      }, row)
    end, {
      { name = 'Run the script' },
      { name = 'Run the script over a plan; nothing on the disk changes', plan = true },
      { name = 'Stop at the first statement', stopOnEntry = true },
    })
  return true
end

--- The commands of lenses, as `vim.lsp` calls them.
M.commands = {}
for _, name in ipairs({ 'run', 'plan', 'test', 'debug' }) do
  M.commands['neuroscript.' .. name] = function(command)
    M[name]((command.arguments or {})[1] or {})
  end
end

--- The names that `:NeuroScript` takes.
M.names = { 'debug', 'explain', 'plan', 'run', 'test' }

--- Carries out `:NeuroScript NAME [WORD]…`.
function M.command(words)
  local name = table.remove(words, 1)
  if not vim.list_contains(M.names, name) then
    report('one of ' .. table.concat(M.names, ', ') .. ' is expected, not ' .. name)
    return
  end
  if name == 'test' then
    M.test({ case = words[1] })
  else
    M[name]({ words = #words > 0 and words or nil })
  end
end

return M
