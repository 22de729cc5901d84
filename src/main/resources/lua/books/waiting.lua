#!lua
--[[
Waiting: the orders of one sale, or the grabs of one rain, in a part of its partition's stream.

KEYS[1] stream  stream  accepted orders and grabs of the partition
ARGV[1] kind    purchase or grab
ARGV[2] id      of the sale or rain
ARGV[3] after   entry after which to begin; 0-0 for the first
ARGV[4] last    entry at which to end
ARGV[5] most    entries to look at

Returns the last entry looked at, or nothing when there was none left; then for each order its id
and lines, or for each grab its id and amount.

Keeps: nothing is written.
]]
local stream = KEYS[1]
local kind, id, after, last, most = unpack(ARGV)

local found = { false }
for _, entry in ipairs(redis.call('XRANGE', stream, '(' .. after, last, 'COUNT', most)) do
  found[1] = entry[1]
  local fields = {}
  for i = 1, #entry[2], 2 do
    fields[entry[2][i]] = entry[2][i + 1]
  end
  if fields.kind == kind and (fields.sale or fields.rain) == id then
    found[#found + 1] = (fields.order or fields.grab or '-') .. ' '
        .. (fields.lines or fields.amount or '-')
  end
end
return found
