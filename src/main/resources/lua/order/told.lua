#!lua flags=allow-oom
--[[
Told: note steps of orders before a client is told of them, or their units are sold again, so that a
ledger that lost them is seen.

KEYS[1] told  list  the latest 100 steps, the newest first: "month order step kind actor", and
                  where a payment was stated " reference amount currency"
for each step
ARGV[1] step

Returns how many are kept.

Keeps: a step is noted after the ledger has committed it, and before anybody is told; once, however
often they ask.
]]
local told = KEYS[1]
local KEPT = 100

for _, step in ipairs(ARGV) do
  if not redis.call('LPOS', told, step) then
    redis.call('LPUSH', told, step)
  end
end
redis.call('LTRIM', told, 0, KEPT - 1)
return redis.call('LLEN', told)
