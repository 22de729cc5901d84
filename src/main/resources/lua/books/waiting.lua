#!lua flags=no-writes
--[[
Waiting: the orders of one sale, or the grabs of one rain, in a part of its partition's stream.

KEYS[1] stream  stream  purchase → "sale user key state order at pay_by digest lines lefts seq", or
                        grab → "rain user key grab number nth amount at seq"
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

-- Whose entry it is, its order or grab, and the lines or the amount.
local SHAPES = {
  purchase = '^(%S+) %S+ %S+ %a (%S+) %d+ %d+ %S+ (%S+) ',
  grab = '^(%S+) %S+ %S+ (%S+) %d+ %d+ (%d+) ',
}

local found = { false }
for _, entry in ipairs(redis.call('XRANGE', stream, '(' .. after, last, 'COUNT', most)) do
  found[1] = entry[1]
  local field, words = unpack(entry[2])
  if field == kind then
    local owner, order, content = string.match(words, SHAPES[kind])
    if owner == id then
      found[#found + 1] = order .. ' ' .. content
    end
  end
end
return found
