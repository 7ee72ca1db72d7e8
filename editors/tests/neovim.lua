-- Writes the captures at the places of the sample, and tries the other queries: nvim -l neovim.lua FOLDER PARSER
local folder, parser = arg[1], arg[2]
vim.treesitter.language.add('neuroscript', { path = parser })

-- Names that the help of this Neovim lists.
local help = vim.api.nvim_get_runtime_file('doc/treesitter.txt', false)[1]
local listed = {}
for line in io.lines(help) do
  local name = line:match('^@([%w%._]+)%s')
  if name then listed[name] = true end
end
local highlights = vim.treesitter.query.get('neuroscript', 'highlights')
for _, name in ipairs(highlights.captures) do
  assert(listed[name], '@' .. name .. ' is not in the help of Neovim')
end

-- Blocks in Markdown.
vim.cmd.runtime('plugin/neuroscript.lua')
for _, name in ipairs({ 'ns', 'neuroscript' }) do
  local page = vim.treesitter.get_string_parser('```' .. name .. '\nSET x = 1\n```\n', 'markdown')
  page:parse(true)
  assert(page:children().neuroscript, 'a block `' .. name .. '` of Markdown is not parsed')
end

local names = { 'folds', 'indents', 'locals', 'injections' }
local matches = {}
local out = assert(io.open(folder .. '/neovim.tsv', 'w'))
local current, buffer
for place in io.lines(folder .. '/places.tsv') do
  local number, line, column = place:match('^(%d+)\t(%d+)\t(%d+)\t')
  if number ~= current then
    current = number
    buffer = vim.api.nvim_create_buf(false, true)
    local text = assert(io.open(folder .. '/' .. number .. '.ns')):read('a')
    vim.api.nvim_buf_set_lines(buffer, 0, -1, false, vim.split(text, '\n'))
    local root = vim.treesitter.get_parser(buffer, 'neuroscript'):parse()[1]:root()
    for _, name in ipairs(names) do
      local query = assert(vim.treesitter.query.get('neuroscript', name), name)
      for _ in query:iter_captures(root, buffer) do matches[name] = (matches[name] or 0) + 1 end
    end
    vim.treesitter.start(buffer, 'neuroscript')
  end
  local found = vim.tbl_filter(function(capture)
    return capture.lang == 'neuroscript' and not vim.startswith(capture.capture, 'spell')
  end, vim.treesitter.get_captures_at_pos(buffer, tonumber(line) - 1, tonumber(column)))
  local name = #found > 0 and found[#found].capture or 'none'
  out:write(table.concat({ number, line, column, name }, '\t'), '\n')
end
out:close()
for _, name in ipairs(names) do
  assert((matches[name] or 0) > 0, 'the query ' .. name .. ' matches nothing')
end
