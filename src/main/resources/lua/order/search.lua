#!lua flags=no-writes
--[[
Search: an order that waits for the ledger, in a part of its partition's stream.

KEYS[1] stream  stream  accepted orders and grabs of the partition
ARGV[1] sale   ARGV[2] order
ARGV[3] after  entry after which to begin  ARGV[4] last  entry at which to end
ARGV[5] max    entries to read

Returns the last entry read, or nothing if none was left; then the order's user, if it was found.

Keeps: nothing is written.
]]
local stream = KEYS[1]
local sale, order, after, last, max = unpack(ARGV)

local reached = false
for _, entry in ipairs(redis.call('XRANGE', stream, '(' .. after, last, 'COUNT', max)) do
  reached = entry[1]
  local kind, words = unpack(entry[2])
  -- A plain search first, because most entries do not contain the order.
  local from = kind == 'purchase' and string.find(words, ' ' .. order .. ' ', 1, true)
  if from and string.match(words, '^%S+') == sale then
    for user, known in string.gmatch(string.match(words, '^%S+ %d+ %d+ %d+ %d+(.*)$'),
        ' (%S+) (%S+) %S* %S+ %S+ %S+') do
      if known == order then
        return { reached, user }
      end
    end
  end
end
return { reached }
