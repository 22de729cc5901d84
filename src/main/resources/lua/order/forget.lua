#!lua flags=allow-oom
--[[
Forget: take steps that nobody can take any longer out of what is recorded of orders.

KEYS[1] reported  list  steps, of this list or of expired
for each step
ARGV[1] step

Returns how many were recorded.

Keeps: a list that was there stays, if need be with an empty entry: a list that is missing was lost.
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
