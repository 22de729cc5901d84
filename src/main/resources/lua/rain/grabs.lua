#!lua flags=no-writes
--[[
Grabs: what one user grabbed from a rain, newest first.

KEYS[1] conf    hash  the rain's terms and state
KEYS[2] takers  hash  user → grabs, number of the first
KEYS[3] grabs   hash  "<user> <nth>" → grab number amount at key
ARGV[1] user  ARGV[2] most

Returns the first that applies:
  nothing for an unknown rain | for each grab, at most so many: nth grab number amount at key

Keeps: nothing is written.
]]
local conf, takers, grabs = unpack(KEYS)
local user, most = ARGV[1], tonumber(ARGV[2])

if redis.call('EXISTS', conf) == 0 then
  return false
end
local taken = tonumber(string.match(redis.call('HGET', takers, user) or '0', '^%d+'))
local found = {}
for nth = taken, math.max(1, taken - most + 1), -1 do
  found[#found + 1] = nth .. ' ' .. redis.call('HGET', grabs, user .. ' ' .. nth)
end
return found
