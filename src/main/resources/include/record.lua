-- The orders in a buyer's record, oldest first, and the refused keys.
local function parse(record)
  local orders, refused = {}, {}
  for text in string.gmatch(record, '([^\n]*)\n') do
    local state, order, key, digest, lines, lefts, at, pay_by =
        string.match(text, '^([acer]) (%S+) (%S*) (%S+) (%S+) (%S+) (%d+) (%d+) %d+$')
    if state then
      orders[#orders + 1] = { state = state, order = order, key = key, digest = digest,
        lines = lines, lefts = lefts, at = at, pay_by = pay_by }
    else
      -- A line that is neither is a defect, and fails the request.
      refused[string.match(text, '^t (%S+)$')] = true
    end
  end
  return orders, refused
end
