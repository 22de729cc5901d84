#!lua flags=no-writes
--[[
Waiting: the orders of one sale, or the grabs of one rain, in a part of its partition's stream.

KEYS[1] stream  stream  purchase → "sale at pay_by head seq" and for each order
                        "user order key digest lines lefts", or grab → "rain at number head seq"
                        and for each grab "user grab key nth amount"
ARGV[1] kind    purchase or grab
ARGV[2] id      of the sale or rain
ARGV[3] after   entry after which to begin; 0-0 for the first
ARGV[4] last    entry at which to end
ARGV[5] max     entries to read

Returns the last entry read, or nothing if none was left; then for each order its id
and lines, or for each grab its id and amount.

Keeps: nothing is written.
]]
local stream = KEYS[1]
local kind, id, after, last, max = unpack(ARGV)
local each = kind == 'grab' and ' %S+ (%S+) %S* %S+ (%S+)' or ' %S+ (%S+) %S* %S+ (%S+) %S+'

local found = { false }
for _, entry in ipairs(redis.call('XRANGE', stream, '(' .. after, last, 'COUNT', max)) do
  found[1] = entry[1]
  local field, words = unpack(entry[2])
  if field == kind and string.match(words, '^%S+') == id then
    for order, taken in string.gmatch(
        string.match(words, '^%S+ %d+ %d+ %d+ %d+(.*)$') or '', each) do
      found[#found + 1] = order .. ' ' .. taken
    end
  end
end
return found
