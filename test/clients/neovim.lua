-- The language server in Neovim (0.7 or newer), as any editor would start it:
--   PIPEWRIGHT_CLI=dist/cli.js nvim --headless --clean -u NONE -c 'luafile test/clients/neovim.lua'
-- Prints one line a check and `N passed, N failed`; exits with 1 when one fails.

local passed, failed = 0, 0
local function check(name, holds, found)
  if holds then
    passed = passed + 1
    io.stdout:write('ok      ' .. name .. '\n')
  else
    failed = failed + 1
    io.stdout:write('FAILED  ' .. name .. ': ' .. vim.inspect(found) .. '\n')
  end
end

local function finish(id)
  if id then
    vim.lsp.stop_client(id)
    check('the server ends when asked', vim.wait(40000, function() return vim.lsp.client_is_stopped(id) end, 20), id)
  end
  io.stdout:write(string.format('%d passed, %d failed\n', passed, failed))
  vim.cmd(failed == 0 and passed > 0 and 'qa!' or 'cq!')
end

local lines = {
  'model toy {',
  '  layer block[8] { forward = 4ms  backward = 8ms }',
  '}',
  'device v100 { memory = 16GiB }',
  'cluster box { gpu[4] = v100  link = 25GB/s }',
  'pipeline train {',
  '  model = toy',
  '  devices = box',
  '  microbatches = 8',
  '  stages = balance(4)',
  '  schedule = 1f1bb',
  '}',
}

local function run()
  local cli = vim.fn.fnamemodify(os.getenv('PIPEWRIGHT_CLI') or 'dist/cli.js', ':p')
  local folder = vim.fn.tempname()
  vim.fn.mkdir(folder, 'p')
  local file = folder .. '/train.pipe'
  vim.fn.writefile(lines, file)
  vim.cmd('edit ' .. vim.fn.fnameescape(file))

  local errors = {}
  local id = vim.lsp.start_client({
    name = 'pipewright',
    cmd = { 'node', cli, 'lsp', '--stdio' },
    root_dir = folder,
    get_language_id = function() return 'pipe' end,
    on_error = function(_, problem) table.insert(errors, problem) end,
  })
  vim.lsp.buf_attach_client(0, id)

  local function error_codes()
    local codes = {}
    for _, one in ipairs(vim.diagnostic.get(0, { severity = vim.diagnostic.severity.ERROR })) do
      table.insert(codes, (one.user_data and one.user_data.lsp.code or one.code) .. ' at ' .. one.lnum .. ':' .. one.col)
    end
    return codes
  end
  local function ask(method, parameters)
    local answers = vim.lsp.buf_request_sync(0, method, parameters, 40000) or {}
    for _, answer in pairs(answers) do return answer.result, answer.err end
  end

  local reported = vim.wait(80000, function() return #error_codes() > 0 end, 20)
  check('a mistake is shown', reported and vim.deep_equal(error_codes(), { 'name/unknown at 10:13' }), error_codes())

  vim.api.nvim_win_set_cursor(0, { 4, 7 })
  local hover = ask('textDocument/hover', vim.lsp.util.make_position_params())
  check('a hover names the device', hover and hover.contents.value:find('device v100', 1, true), hover)

  local parameters = vim.lsp.util.make_range_params()
  parameters.range = { start = { line = 10, character = 14 }, ['end'] = { line = 10, character = 14 } }
  parameters.context = { diagnostics = {} }
  local actions = ask('textDocument/codeAction', parameters) or {}
  check('a fix is offered', actions[1] and actions[1].title:find('1f1b', 1, true), actions)

  -- An edit as a user makes it: the last letter goes away.
  vim.api.nvim_buf_set_text(0, 10, 17, 10, 18, { '' })
  check('the edit clears it', vim.wait(80000, function() return #error_codes() == 0 end, 20), error_codes())

  local lenses = ask('textDocument/codeLens', { textDocument = vim.lsp.util.make_text_document_params() }) or {}
  check('the pipeline has its figures', lenses[1] and lenses[1].command.title:find('iteration 264 ms', 1, true), lenses)

  -- As `gd` does it: the place in the text of the policy, in a buffer.
  vim.api.nvim_win_set_cursor(0, { 11, 14 })
  local places = ask('textDocument/definition', vim.lsp.util.make_position_params()) or {}
  local place = places[1] or places
  local shown, problem = pcall(vim.lsp.util.jump_to_location, place, 'utf-16')
  local text = vim.api.nvim_get_current_line()
  check('the definition of a policy is its text', shown and text:find('schedule 1f1b {', 1, true), problem or text)
  check('which nobody can write to', vim.bo.readonly, vim.api.nvim_buf_get_name(0))
  vim.cmd('buffer ' .. vim.fn.fnameescape(file))

  local edits = ask('textDocument/formatting', vim.lsp.util.make_formatting_params())
  check('the file can be formatted', type(edits) == 'table' and #edits > 0, edits)
  check('the client saw no error', #errors == 0, errors)
  vim.fn.delete(folder, 'rf')
  return id
end

local fine, result = pcall(run)
if not fine then check('the script runs to its end', false, result) end
finish(fine and result or nil)
