#!lua flags=allow-oom
--[[
Reject: mark orders of one sale that the ledger has refused in their buyers' records.

KEYS[1] conf    hash  the sale's terms and state
KEYS[2] buyers  hash  user → record, as purchase.lua writes it
for each order
ARGV[1] user  ARGV[2] order

Returns how many were marked.

Keeps: a line in state a becomes r; its units stay taken until the order is resolved. A line in
another state, and an order without a line, are not changed.
]]
local conf, buyers = unpack(KEYS)
local STRIDE = 2
-- include mark

local count = 0
for first = 1, #ARGV, STRIDE do
  local user, order = ARGV[first], ARGV[first + 1]
  local record, before = marked(redis.call('HGET', buyers, user) or '', order, 'r')
  if before == 'a' then
    redis.call('HSET', buyers, user, record)
    count = count + 1
  end
end
if count > 0 then
  redis.call('HINCRBY', conf, 'changes', 1)
end
return count
