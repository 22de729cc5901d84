-- A record with this order's line in a new state, then the line's former state and its lines of
-- items; nil if there is no such line.
local function marked(record, order, state)
  local texts, before, lines = {}, nil, nil
  for text in string.gmatch(record, '([^\n]*)\n') do
    local known_state, known, known_lines = string.match(text, '^([acer]) (%S+) %S* %S+ (%S+) ')
    if known == order then
      before, lines = known_state, known_lines
      text = state .. string.sub(text, 2)
    end
    texts[#texts + 1] = text .. '\n'
  end
  return table.concat(texts), before, lines
end
