-- The lowest number of an order or grab that may wait in the partition's stream; nil if none does.
-- Malformed entries are skipped, because they become dead letters.
local function first_waiting(stream)
  for _, max in ipairs({ 1, 100 }) do
    for _, entry in ipairs(redis.call('XRANGE', stream, '-', '+', 'COUNT', max)) do
      local kind, words = unpack(entry[2])
      local number = (kind == 'purchase' or kind == 'grab')
          and string.match(words, '^%S+ %d+ %d+ (%d+) ')
      if number then
        return tonumber(number)
      end
    end
  end
end
