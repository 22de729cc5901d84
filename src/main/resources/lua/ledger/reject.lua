#!lua flags=allow-oom
--[[
Reject: mark orders of one sale that the ledger has refused in their buyers' records.

KEYS[1] conf    hash  the sale's terms and state
KEYS[2] buyers  hash  user → record, as purchase.lua writes it
KEYS[3] ledger  hash  epoch  latest one of the ledger that was compared with this partition
ARGV[1] epoch  of the ledger that has refused them
then for each order
ARGV[1] user  ARGV[2] order

Returns how many were marked; −1 in a former epoch.

Keeps: a line in state a becomes r; its units stay taken until the order is resolved. A line in
another state, and an order without a line, are not changed. Nothing is marked in a former epoch:
the ledger may have lost the refusal, and may still store the order.
]]
local conf, buyers, ledger = unpack(KEYS)
local epoch = ARGV[1]
local FIRST, STRIDE = 2, 2
-- include mark
-- include epoch

if is_replaced(ledger, epoch) then
  return -1
end
local count = 0
for first = FIRST, #ARGV, STRIDE do
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
