#!lua flags=allow-oom
--[[
Told: note steps of orders before a client is told of them, so that a ledger that lost them is seen.

KEYS[1] told  list  the latest 100 steps, the newest first: "month order step kind actor", and
                  where a payment was stated " reference amount currency"
for each step
ARGV[1] step

Returns how many are kept.

Keeps: a step is noted after the ledger has committed it, and before anybody is told.
]]
local told = KEYS[1]
local KEPT = 100

redis.call('LPUSH', told, unpack(ARGV))
redis.call('LTRIM', told, 0, KEPT - 1)
return redis.call('LLEN', told)
