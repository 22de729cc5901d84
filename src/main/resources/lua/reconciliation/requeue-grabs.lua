#!lua
--[[
Requeue-grabs: put grabs whose entries were lost into the stream again.

KEYS[1] takers  hash    user → record, as grab.lua writes it
KEYS[2] stream  stream  grab → "rain at number head seq user grab key nth amount"
KEYS[3] seq     string  accepted purchases and grabs of the partition
ARGV[1] rain
then for each grab
ARGV[1] user  ARGV[2] grab

Returns how many were added.

Keeps: envelope, turn and amount are those of the taker's answer. As in requeue.lua, head is the
partition's current number, and the number of the grab is 0.
]]
local takers, stream, seq = unpack(KEYS)
local rain = ARGV[1]
local FIRST, STRIDE = 2, 2
-- include enter

local added = 0
for first = FIRST, #ARGV, STRIDE do
  local user, grab = ARGV[first], ARGV[first + 1]
  local nth = 0
  for line in string.gmatch(redis.call('HGET', takers, user) or '', '([^\n]*)\n') do
    local known, key, number, amount, at =
        string.match(line, '^(%S+) (%S*) (%d+) (%d+) (%d+) %d+$')
    nth = nth + 1
    if known == grab then
      enter('grab', table.concat({ rain, at, number, '' }, ' '),
          table.concat({ '', '0', user, grab, key, nth, amount }, ' '))
      added = added + 1
    end
  end
end
return added
