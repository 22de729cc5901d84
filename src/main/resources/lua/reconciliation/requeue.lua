#!lua
--[[
Requeue: put accepted orders whose entries were lost into the stream again.

KEYS[1] buyers  hash    user → record, as purchase.lua writes it
KEYS[2] stream  stream  purchase → "sale at pay_by head seq user order key digest lines lefts"
KEYS[3] seq     string  accepted purchases and grabs of the partition
ARGV[1] sale
then for each order
ARGV[1] user  ARGV[2] order

Returns how many were added.

Keeps: a credited order is not changed. head is the partition's current number, because the entry
comes after all others; the number of the order is unknown, so it is 0.
]]
local buyers, stream, seq = unpack(KEYS)
local sale = ARGV[1]
local FIRST, STRIDE = 2, 2
-- include record
-- include enter

local added = 0
for first = FIRST, #ARGV, STRIDE do
  local user, order = ARGV[first], ARGV[first + 1]
  for _, known in ipairs(parse(redis.call('HGET', buyers, user) or '')) do
    if known.order == order and known.state == 'a' then
      enter('purchase', table.concat({ sale, known.at, known.pay_by, '' }, ' '), table.concat({ '',
        '0', user, order, known.key, known.digest, known.lines, known.lefts }, ' '))
      added = added + 1
    end
  end
end
return added
