#!lua flags=allow-oom
--[[
Forget: remove recorded steps that cannot be added to the ledger, because their order is lost.

KEYS[1] reported  list  steps, of this list or of expired
for each step
ARGV[1] step

Returns how many entries were removed.

Keeps: an existing list stays, with an empty entry if need be, because a missing list means a loss.
]]
local reported = KEYS[1]

local forgotten = 0
for _, step in ipairs(ARGV) do
  forgotten = forgotten + redis.call('LREM', reported, 0, step)
end
if forgotten > 0 and redis.call('EXISTS', reported) == 0 then
  redis.call('LPUSH', reported, '')
end
return forgotten
