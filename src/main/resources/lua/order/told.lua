#!lua flags=allow-oom
--[[
Told: record steps of orders before they are reported to a client, or their units are sold again, as
evidence if the ledger loses them.

KEYS[1] told  list  the latest 1,000 steps, the newest first: "month order step kind actor", and
                  where a payment was stated " reference amount currency"
for each step
ARGV[1] step

Returns how many are kept.

Keeps: a step is recorded after the ledger has committed it and before it is reported, once, however
often that is repeated.
]]
local told = KEYS[1]
local KEPT = 1000

for _, step in ipairs(ARGV) do
  if not redis.call('LPOS', told, step) then
    redis.call('LPUSH', told, step)
  end
end
redis.call('LTRIM', told, 0, KEPT - 1)
return redis.call('LLEN', told)
