#!lua
--[[
Requeue: put accepted orders whose entries the stream lost into it again.

KEYS[1] keys    hash    "<user> <key>" → state order placed_at pay_by digest lines lefts
KEYS[2] orders  hash    order → "<user> <key>"
KEYS[3] stream  stream  purchase → "sale user key state order at pay_by digest lines lefts seq"
ARGV[1] sale
then for each order
ARGV[1] order

Returns how many were put.

Keeps: an order that the ledger has by now, and one that was credited, is left alone. The number of
a step of seq is not known any more, so it is 0.
]]
local keys, orders, stream = unpack(KEYS)
local sale = ARGV[1]
local FIRST = 2

local put = 0
for i = FIRST, #ARGV do
  local order = ARGV[i]
  local user_key = redis.call('HGET', orders, order)
  local entry = user_key and redis.call('HGET', keys, user_key)
  local known = string.match(entry or '', '^a (%S+) ')
  if known == order then
    redis.call('XADD', stream, '*', 'purchase',
        table.concat({ sale, user_key, entry, '0' }, ' '))
    put = put + 1
  end
end
return put
