#!lua flags=allow-oom
--[[
Forget: take steps that nobody can take any longer out of what is noted of orders.

KEYS[1] told  list  steps, told or expired
for each step
ARGV[1] step

Returns how many were noted.

Keeps: a list that was there stays, if need be with an empty entry: a list that is missing was lost.
]]
local told = KEYS[1]

local forgotten = 0
for _, step in ipairs(ARGV) do
  forgotten = forgotten + redis.call('LREM', told, 0, step)
end
if forgotten > 0 and redis.call('EXISTS', told) == 0 then
  redis.call('LPUSH', told, '')
end
return forgotten
