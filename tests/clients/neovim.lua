-- Neovim without a screen against `ns lsp`, in an empty directory; the binary is named by the environment variable NS.
-- Diagnostics arrive, change with the text, and completion knows the fields of a result.

local function fail(what)
  io.stderr:write("error: " .. what .. "\n")
  vim.cmd("cquit 1")
end

local function wait(what, holds)
  if not vim.wait(20000, holds, 20) then fail(what) end
end

local function run()
  vim.fn.writefile({ "SET unread = 1", 'FOR EACH entry IN FS.WalkDir(".") DO', "  EMIT entry.", "END" }, "a.ns")
  vim.cmd("edit a.ns")
  local buffer = vim.api.nvim_get_current_buf()
  local capabilities = vim.lsp.protocol.make_client_capabilities()
  capabilities.experimental = { commands = { commands = { "neuroscript.run" } } }
  local id = vim.lsp.start_client({
    name = "ns", cmd = { vim.env.NS, "lsp" }, root_dir = vim.fn.getcwd(), capabilities = capabilities,
    init_options = { inlayHints = { parameterNames = true } },
  })
  wait("the server does not start", function()
    local client = vim.lsp.get_client_by_id(id)
    return client and client.initialized
  end)
  vim.lsp.buf_attach_client(buffer, id)
  local function codes()
    return vim.tbl_map(function(found) return found.code end, vim.diagnostic.get(buffer))
  end
  wait("no diagnostics", function() return #codes() > 0 end)

  vim.api.nvim_buf_set_lines(buffer, 2, 3, false, { "  EMIT entry.n" })
  wait("no diagnostics of the new text", function() return vim.deep_equal(codes(), { "NS0112" }) end)
  local place = { textDocument = vim.lsp.util.make_text_document_params(), position = { line = 2, character = 14 } }
  local answers = vim.lsp.buf_request_sync(buffer, "textDocument/completion", place, 20000)
  local items = answers[id].result.items
  if #items ~= 1 or items[1].label ~= "name" then fail("completion: " .. vim.inspect(items)) end

  local function ask(method, params)
    local answers = vim.lsp.buf_request_sync(buffer, method, params, 20000)
    if not answers[id] or answers[id].err then fail(method .. ": " .. vim.inspect(answers)) end
    return answers[id].result
  end
  local document = vim.lsp.util.make_text_document_params()
  local lenses = ask("textDocument/codeLens", { textDocument = document })
  if #lenses ~= 1 or lenses[1].command.command ~= "neuroscript.run" then fail("lenses: " .. vim.inspect(lenses)) end
  local whole = { start = { line = 0, character = 0 }, ["end"] = { line = 9, character = 0 } }
  local hints = ask("textDocument/inlayHint", { textDocument = document, range = whole })
  if #hints ~= 1 or hints[1].label ~= "path:" then fail("hints: " .. vim.inspect(hints)) end
  vim.api.nvim_buf_set_lines(buffer, 2, 4, false, { "  EMIT entry.name", "  END" })
  local typed = { textDocument = document, position = { line = 3, character = 5 }, ch = "D",
    options = { tabSize = 2, insertSpaces = true } }
  local edits = ask("textDocument/onTypeFormatting", typed)
  if #edits ~= 1 then fail("typing: " .. vim.inspect(edits)) end
  vim.lsp.util.apply_text_edits(edits, buffer, "utf-8")
  if vim.api.nvim_buf_get_lines(buffer, 3, 4, false)[1] ~= "END" then fail("END is not indented") end

  vim.api.nvim_buf_set_lines(buffer, 0, -1, false, { "set x=1", "emit x" })
  wait("the findings stay", function() return #codes() == 0 end)
  vim.lsp.buf.format({ async = false, timeout_ms = 20000 })
  local lines = vim.api.nvim_buf_get_lines(buffer, 0, -1, false)
  if lines[1] ~= "set x = 1" then fail("formatting: " .. vim.inspect(lines)) end

  vim.lsp.stop_client(id)
  wait("the server does not end", function() return vim.lsp.client_is_stopped(id) end)
  print("diagnostics, completion, lenses, hints and formatting are there")
end

local ok, error = pcall(run)
if not ok then fail(tostring(error)) end
vim.cmd("qall!")
