#!lua flags=allow-oom
--[[
Report: record steps of orders before they are reported to a client, or their units are sold again,
as evidence in case the ledger loses them.

KEYS[1] reported  list  the latest 1,000 steps, the newest first: "month order step kind actor", and
                        where a payment was stated " reference amount currency"
KEYS[2] ledger    hash  epoch  latest one of the ledger that was compared with this partition
ARGV[1] epoch  checked epoch of the transaction that stored or found the steps
then for each step
ARGV[1] step

Returns how many are kept; −1 in a former epoch.

Keeps: a step is recorded after the ledger has committed it and before it is reported, once, however
often this is repeated. Nothing is recorded in a former epoch: that ledger may be lost, and the
current one was already compared with these records.
]]
local reported, ledger = unpack(KEYS)
local epoch = ARGV[1]
local FIRST = 2
local KEPT = 1000
-- include epoch

if is_replaced(ledger, epoch) then
  return -1
end
if #ARGV == FIRST then
  if not redis.call('LPOS', reported, ARGV[FIRST]) then
    redis.call('LPUSH', reported, ARGV[FIRST])
  end
else
  -- The list is read once, not once for each step.
  local known = {}
  for _, step in ipairs(redis.call('LRANGE', reported, 0, -1)) do
    known[step] = true
  end
  for i = FIRST, #ARGV do
    if not known[ARGV[i]] then
      redis.call('LPUSH', reported, ARGV[i])
    end
  end
end
redis.call('LTRIM', reported, 0, KEPT - 1)
return redis.call('LLEN', reported)
