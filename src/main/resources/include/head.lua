-- The number from which on orders or grabs of the partition may wait in its stream; nil when none
-- does. What is spelled otherwise is passed over: it becomes a dead letter soon.
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
